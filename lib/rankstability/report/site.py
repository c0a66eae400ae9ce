"""The report: one folder with executed notebooks as pages, the index, and all they link to."""

from __future__ import annotations

import argparse
import filecmp
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .. import paths
from ..read.text import digest
from . import formats, front, pages, placing, slim
from .outputs import write_whole

RECORD = ".pages.json"
FIGURE = ("png", "svg", "pdf")
SHOWN = (*FIGURE, "csv", "tex", "json")


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
        """The page's place in the site; a failed run has one of its own."""
        pair = f"__{self.pair}" if self.pair else ""
        return f"{self.campaign}/{self.notebook}{pair}{'.failed' if self.failed else ''}.html"

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
    """The runs of this machine, and for what has no good one the reports kept in the repository.

    Runs are recorded in ``<executed>/<campaign>/*.status.json``, reports are
    ``<figures>/<campaign>/<notebook>/report.ipynb``; by notebook, campaign, pair, failed last.
    """
    runs = [_read_run(file, figures) for file in sorted(executed.glob("*/*.status.json"))]
    own = {(r.notebook, r.campaign) for r in runs if not r.pair and not r.failed and r.executed}
    for report in sorted(figures.glob(f"*/[0-9]*/{slim.NAME}")):
        notebook, campaign = report.parent.name, report.parent.parent.name
        if (notebook, campaign) not in own:
            whole = (notebook, campaign, "")
            runs = [r for r in runs if r.failed or front.key(r) != whole]
            runs.append(Run(notebook, campaign, "", "kept", 0, "", report.parent, report))
    return sorted(runs, key=lambda r: (r.notebook, front.last_demo(r.campaign), r.pair, r.failed))


def _read_run(file: Path, figures: Path) -> Run:
    stem, campaign = (
        file.name.removesuffix(".status.json").removesuffix(".failed"),
        file.parent.name,
    )
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


def publish(folder: Path, to: Path) -> list[str]:
    """Copy the figures and tables of a notebook and campaign, with its pairs'; their places."""
    made = []
    for file in sorted(folder.rglob("*.*")) if folder.is_dir() else ():
        place = file.relative_to(folder)
        hidden = any(part.startswith(".") for part in place.parts)
        if hidden or file.suffix[1:] not in SHOWN or len(place.parts) > 2:
            continue
        copy = to / place
        if not copy.is_file() or not filecmp.cmp(file, copy):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy)
        made.append(place.as_posix())
    return made


def listed(places: Iterable[str], folder: str, pair: str = "") -> list[dict[str, Any]]:
    """Figures and tables for a page: a group for the campaign and one per pair, links by kind.

    A figure's numbers stand with it. `folder` leads from the page to the files.
    """
    groups: dict[str, dict[str, dict[str, str]]] = {}
    for place in places:
        below, _, name = place.rpartition("/")
        stem, _, kind = name.rpartition(".")
        if not pair or below == pair:
            groups.setdefault(below, {}).setdefault(stem, {})[kind] = f"{folder}/{place}"
    made = []
    for below, files in sorted(groups.items()):
        items: dict[str, list[dict[str, Any]]] = {"figures": [], "tables": []}
        for name, kinds in sorted(files.items()):
            ordered = {k: kinds[k] for k in SHOWN if k in kinds}
            key = "figures" if any(k in kinds for k in FIGURE) else "tables"
            items[key].append({"name": name, "files": ordered})
        made.append({"label": below or "the whole campaign", **items})
    return made


@cache
def environment() -> Any:
    """Jinja with the templates beside this file; what is put into a page is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    env = Environment(
        loader=FileSystemLoader(pages.HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    env.filters["duration"] = pages.duration
    return env


def write_pages(
    runs: list[Run], site: Path
) -> tuple[int, dict[str, str], dict[str, dict[str, Any]]]:
    """Convert what changed since the last time, remove what belongs to runs that are gone.

    Returns
    -------
    tuple
        The number of pages converted, the problems of pages that could not be, by page, and per
        page its title and the words below each heading, for the search.
    """
    from tqdm import tqdm

    record_file = site / RECORD
    try:
        record = json.loads(record_file.read_bytes())
    except (OSError, ValueError):
        record = {}
    old, fresh = record.get("pages", {}), {}
    folders = {(run.campaign, run.notebook): run.output_dir for run in reversed(runs)}
    files = {key: publish(folder, site.joinpath(*key)) for key, folder in sorted(folders.items())}
    parts = [digest(pages.HERE / part) for part in pages.PARTS]
    todo = []
    for run in runs:
        if run.executed is None:
            continue
        places = files[run.campaign, run.notebook]
        context = {**front.around(run, runs), "files": listed(places, run.notebook, run.pair)}
        stamp = [digest(run.executed), repr(run), repr(context), *parts]
        if (old.get(run.page) or {}).get("stamp") == stamp and (site / run.page).is_file():
            fresh[run.page] = old[run.page]
        else:
            todo.append((run, context, places, stamp))
    problems = {}
    for run, context, places, stamp in tqdm(todo, desc="report pages", unit="page", disable=None):
        try:
            fresh[run.page] = {"stamp": stamp, **_write_page(run, context, places, site)}
        except Exception as problem:  # one broken notebook must not take the report with it
            problems[run.page] = f"{type(problem).__name__}: {problem}"
            (site / run.page).unlink(missing_ok=True)
    copies = [f"{'/'.join(key)}/{place}" for key, places in files.items() for place in places]
    _remove(site, {*old, *record.get("copies", [])} - {*fresh, *copies})
    content = json.dumps({"pages": fresh, "copies": copies}, indent=1, sort_keys=True) + "\n"
    if {"pages": fresh, "copies": copies} != record:
        write_whole(record_file, content.encode())
    return len(todo) - len(problems), problems, fresh


def _write_page(
    run: Run, context: Mapping[str, Any], places: Sequence[str], site: Path
) -> dict[str, Any]:
    assert run.executed is not None
    # what a failed run drew was never put in place: its page holds the pictures itself
    links = {} if run.failed else {place: f"{run.notebook}/{place}" for place in places}
    body = pages.body(run.executed, links, run.output_dir)
    page = environment().get_template("page.html.j2").render(
        run=run, body=body, root="../", **context
    )  # fmt: skip
    write_whole(site / run.page, page.encode())
    return {"title": body.title, "words": [] if run.failed else body.words}


def _remove(site: Path, left: Iterable[str]) -> None:
    for name in left:
        (site / name).unlink(missing_ok=True)
        for folder in (site / name).parents:
            if folder == site or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()


def build(executed: Path, figures: Path, site: Path) -> dict[str, Any]:
    """Make the report site; see `main`. Gives back what was done, in numbers."""
    placing.finish_below(figures)
    runs = read_runs(executed, figures)
    converted, problems, made = write_pages(runs, site)
    for name, text in pages.assets().items():
        write_whole(site / "assets" / name, text.encode())
    contexts, words = front.contexts(runs, problems, figures, site)
    for page, about in made.items():
        where = page.removesuffix(".html").replace("/", " · ").replace("__", " · ")
        words += [(f"{page}#{i}", heading, where, text) for i, heading, text in about["words"]]
    words += formats.write(site, environment())
    index = json.dumps(words, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    write_whole(site / "assets" / "search.js", f"window.REPORT_WORDS={index};\n".encode())
    for name, context in contexts.items():
        # written even if unchanged: the workflow goes by the index being newer than the runs
        content = environment().get_template(f"{name}.j2").render(root="", **context)
        write_whole(site / name, content.encode())
    kept = sum(run.status == "kept" for run in runs)
    return {
        "runs": len(runs) - kept,
        "failed": sum(run.failed for run in runs),
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
