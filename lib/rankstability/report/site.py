"""The report: executed notebooks as pages, an index, the ledger; opens from disk, offline."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .. import paths
from . import ledger, pages, placing, slim
from .outputs import write_whole

RECORD = ".pages.json"
FIGURE = ("png", "svg")
SHOWN = (*FIGURE, "csv", "tex")


@dataclass(frozen=True)
class Run:
    """One execution of a notebook: of this machine, or kept in the repository.

    `pair` is empty for a run over all pairs; `status` is ``ok``, ``failed`` or ``kept``;
    `executed` is None where no notebook was saved.
    """

    notebook: str
    campaign: str
    pair: str
    status: str
    seconds: float
    error: str
    output_dir: Path
    executed: Path | None

    @property
    def page(self) -> str:
        """The page's place in the site."""
        pair = f"__{self.pair}" if self.pair else ""
        return f"{self.campaign}/{self.notebook}{pair}.html"

    @property
    def failed(self) -> bool:
        """Whether it did not run to its end with all that it promises."""
        return self.status not in ("ok", "kept")

    @property
    def last_line(self) -> str:
        """The last line of the error, which says what went wrong."""
        lines = [line for line in self.error.strip().splitlines() if line.strip()]
        return lines[-1].strip() if lines else ""


def read_runs(executed: Path, figures: Path = paths.FIGURES) -> list[Run]:
    """The runs of this machine, and for what it has not run the reports kept in the repository.

    Runs are recorded in ``<executed>/<campaign>/*.status.json``, reports are
    ``<figures>/<campaign>/<notebook>/report.ipynb``; by notebook, campaign, pair.
    """
    runs = [_read_run(file, figures) for file in sorted(executed.glob("*/*.status.json"))]
    own = {(run.notebook, run.campaign) for run in runs if not run.pair}
    for report in sorted(figures.glob(f"*/[0-9]*/{slim.NAME}")):
        notebook, campaign = report.parent.name, report.parent.parent.name
        if (notebook, campaign) not in own:
            runs.append(Run(notebook, campaign, "", "kept", 0, "", report.parent, report))
    return sorted(runs, key=lambda run: (run.notebook, _last_demo(run.campaign), run.pair))


def _read_run(file: Path, figures: Path) -> Run:
    stem, campaign = file.name.removesuffix(".status.json"), file.parent.name
    try:
        record = json.loads(file.read_bytes())
    except ValueError as problem:
        record = {"status": "failed", "error": f"{file.name} cannot be read: {problem}"}
    notebook, _, pair = stem.partition("__")
    failed = record.get("status") != "ok"
    saved = file.with_name(f"{stem}.failed.ipynb" if failed else f"{stem}.ipynb")
    usual = figures / campaign / notebook
    folder = (paths.ROOT / (record.get("output_dir") or usual)).resolve()
    return Run(
        notebook=notebook,
        campaign=campaign,
        pair=str(record.get("pair") or pair),
        status="failed" if failed else "ok",
        seconds=float(record.get("seconds") or 0),
        error=str(record.get("error") or ""),
        output_dir=folder if folder.is_dir() else usual.resolve(),
        executed=saved if saved.is_file() else None,
    )


def _last_demo(campaign: str) -> tuple[bool, str]:
    return ledger.is_demo(campaign), campaign


@cache
def about(campaign: str) -> dict[str, str]:
    """Title, protocol, licence and citation of a campaign from the catalogue; empty if unknown."""
    from ..read.campaigns import catalogue

    try:
        entry = catalogue().get(campaign, {})
    except (OSError, ValueError):
        entry = {}
    return {key: str(entry.get(key) or "") for key in ("title", "protocol", "licence", "citation")}


def results(folder: Path, site: Path) -> dict[str, list[dict[str, Any]]]:
    """The figures and tables in `folder` (not below), with links relative to `site`.

    Returns
    -------
    dict
        ``figures`` and ``tables``: lists of ``{"name", "files": {extension: link}}``. The data of
        a figure stand with the figure.
    """
    found: dict[str, dict[str, str]] = {}
    for file in sorted(folder.glob("*.*")) if folder.is_dir() else ():
        extension = file.suffix[1:]
        if extension in SHOWN and not file.name.startswith("."):
            link = Path(os.path.relpath(file, site)).as_posix()
            found.setdefault(file.stem, {})[extension] = link
    kinds: dict[str, list[dict[str, Any]]] = {"figures": [], "tables": []}
    for name, files in found.items():
        kind = "figures" if any(e in files for e in FIGURE) else "tables"
        ordered = {e: files[e] for e in SHOWN if e in files}
        kinds[kind].append({"name": name, "files": ordered})
    return kinds


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    env = Environment(
        loader=FileSystemLoader(pages.HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    env.filters["duration"] = pages.duration
    env.globals["relative"] = lambda file, to: Path(os.path.relpath(file, to)).as_posix()
    return env


def _navigation(run: Run, runs: Iterable[Run]) -> list[dict[str, Any]]:
    """Links from one page to its siblings: the same notebook and campaign, other pairs."""
    return [
        {
            "label": r.pair or "all pairs",
            "link": Path(r.page).name,
            "here": r is run,
            "ok": not r.failed,
        }
        for r in runs
        if (r.notebook, r.campaign) == (run.notebook, run.campaign) and r.executed
    ]


def write_pages(runs: list[Run], site: Path) -> tuple[int, dict[str, str]]:
    """Convert what changed since the last time, remove pages of runs that are gone.

    Returns
    -------
    tuple
        The number of pages converted, and the problems of pages that could not be, by page.
    """
    from tqdm import tqdm

    record_file = site / RECORD
    try:
        record: dict[str, str] = json.loads(record_file.read_bytes())
    except (OSError, ValueError):
        record = {}
    parts = hashlib.sha256(
        b"".join((pages.HERE / part).read_bytes() for part in pages.PARTS)
    ).hexdigest()
    todo, fresh = [], {}
    for run in runs:
        if run.executed is None:
            continue
        home = (site / run.page).parent
        folder = run.output_dir / run.pair if run.pair else run.output_dir
        context = {"nav": _navigation(run, runs), "files": results(folder, home)}
        context["output_dir"] = paths.shown(run.output_dir)
        context["pictures"] = Path(os.path.relpath(run.output_dir, home)).as_posix()
        seen = repr((parts, run, context)).encode() + run.executed.read_bytes()
        fresh[run.page] = hashlib.sha256(seen).hexdigest()
        if record.get(run.page) != fresh[run.page] or not (site / run.page).is_file():
            todo.append((run, {**context, "run": run}))
    problems = {}
    for run, context in tqdm(todo, desc="report pages", unit="page", disable=None):
        assert run.executed is not None
        try:
            write_whole(site / run.page, pages.convert(run.executed, context).encode())
        except Exception as problem:  # one broken notebook must not take the report with it
            problems[run.page] = f"{type(problem).__name__}: {problem}"
            (site / run.page).unlink(missing_ok=True)
            del fresh[run.page]
    for page in set(record) - set(fresh):
        (site / page).unlink(missing_ok=True)
        if (site / page).parent.is_dir() and not any((site / page).parent.iterdir()):
            (site / page).parent.rmdir()
    if fresh != record:
        write_whole(record_file, (json.dumps(fresh, indent=1, sort_keys=True) + "\n").encode())
    return len(todo) - len(problems), problems


def overview(runs: list[Run], figures: Path, site: Path) -> list[dict[str, Any]]:
    """What the index lists: per notebook its question and its campaigns with runs and files.

    Campaigns with results in `figures` but without a run are listed with their files only.
    """
    folders: dict[tuple[str, str], Path] = {}
    for run in runs:  # a run over all pairs comes first
        folders.setdefault((run.notebook, run.campaign), run.output_dir)
    for folder in sorted(figures.glob("*/[0-9]*")):
        if folder.is_dir():
            folders.setdefault((folder.name, folder.parent.name), folder)
    groups: dict[str, dict[str, Any]] = {}
    for notebook, campaign in sorted(folders, key=lambda k: (k[0], _last_demo(k[1]))):
        here = [r for r in runs if (r.notebook, r.campaign) == (notebook, campaign)]
        folder = folders[notebook, campaign]
        below = sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []
        pairs = {p: results(folder / p, site) for p in below if not p.startswith(".")}
        counted = [results(folder, site), *pairs.values()]
        row: dict[str, Any] = {
            "campaign": campaign,
            "demo": ledger.is_demo(campaign),
            "about": about(campaign),
            "runs": here,
            "seconds": sum(r.seconds for r in here),
            "failed": [r for r in here if r.failed],
            "files": counted[0],
            "counts": {k: sum(len(c[k]) for c in counted) for k in ("figures", "tables")},
            "pairs": {p: f for p, f in pairs.items() if f["figures"] or f["tables"]},
        }
        if not here and not any(row["counts"].values()):
            continue
        group = groups.setdefault(notebook, {"notebook": notebook, "rows": []})
        group["rows"].append(row)
    for notebook, group in groups.items():
        title, question = pages.source_headline(paths.NOTEBOOKS / f"{notebook}.ipynb")
        group |= {"title": title or notebook, "question": question}
    return list(groups.values())


def build(executed: Path, figures: Path, site: Path) -> dict[str, Any]:
    """Make the report site; see `main`. Gives back what was done, in numbers."""
    import pandas as pd

    placing.finish_below(figures)
    runs = read_runs(executed, figures)
    converted, problems = write_pages(runs, site)
    file = figures / "claims_ledger.csv"
    rows = pd.read_csv(file, dtype=str, keep_default_na=False) if file.is_file() else None
    papers = ledger.per_paper(rows).to_dict("records") if rows is not None else []
    left = len(ledger.uncovered(rows)) if rows is not None else 0
    shared = {
        **pages.assets(),
        "site": site,
        "papers": papers,
        "runs": runs,
        "names": ledger.PAPERS,
    }
    groups = overview(runs, figures, site)
    named = {row["campaign"]: row["about"] for group in groups for row in group["rows"]}
    contexts: dict[str, dict[str, Any]] = {
        "index.html": {
            "groups": groups,
            "campaigns": {n: named[n] for n in sorted(named, key=_last_demo) if named[n]["title"]},
            "problems": problems,
            "uncovered": left,
        },
        "ledger.html": {
            "rows": rows.to_dict("records") if rows is not None else [],
            "csv": Path(os.path.relpath(file, site)).as_posix() if rows is not None else "",
        },
    }
    for name, context in contexts.items():
        # written even if unchanged: the workflow goes by the index being newer than the runs
        content = _environment().get_template(f"{name}.j2").render(**shared, **context)
        write_whole(site / name, content.encode())
    failed = sum(run.failed for run in runs)
    kept = sum(run.status == "kept" for run in runs)
    return {
        "runs": len(runs) - kept,
        "failed": failed,
        "kept": kept,
        "converted": converted,
        "problems": problems,
    }


def main(argv: list[str] | None = None) -> int:
    """Make the report site from executed notebooks and rendered figures."""
    parser = argparse.ArgumentParser(
        "python -m rankstability.report.site", description=main.__doc__
    )
    parser.add_argument("--executed", type=Path, default=paths.BUILD / "executed")
    parser.add_argument("--figures", type=Path, default=paths.FIGURES)
    parser.add_argument("--to", type=Path, default=paths.BUILD / "site", help="the site's folder")
    args = parser.parse_args(argv)
    done = build(args.executed.resolve(), args.figures.resolve(), args.to.resolve())
    print(
        f"{paths.shown(args.to)}/index.html: {done['runs']} runs, {done['failed']} failed; "
        f"{done['kept']} reports kept in the repository; {done['converted']} pages converted"
    )
    for page, problem in done["problems"].items():
        print(f"  {page} not converted: {problem}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
