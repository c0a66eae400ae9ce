"""The report: one folder with executed notebooks as pages, the index, and all they link to."""

from __future__ import annotations

import argparse
import filecmp
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import paths
from ..read.text import digest
from . import front, ledger, pages, placing, slim
from .placing import write_whole
from .templates import HERE, template

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
    def key(self) -> tuple[str, str, str]:
        """What two executions of the same thing share."""
        return self.notebook, self.campaign, self.pair

    @property
    def demo(self) -> bool:
        """Whether it is of a synthetic campaign."""
        return ledger.is_demo(self.campaign)

    @property
    def failed(self) -> bool:
        """Whether it did not run to its end with all that it promises."""
        return self.status == "failed"

    @property
    def last_line(self) -> str:
        """The last line of the error, which says what went wrong."""
        return (self.error.strip().splitlines() or [""])[-1].strip()


def read_runs(executed: Path, figures: Path = paths.FIGURES) -> list[Run]:
    """The runs of this machine, and for what has no good one the reports kept in the repository.

    Runs are recorded in ``<executed>/<campaign>/*.status.json``, reports are
    ``<figures>/<campaign>/<notebook>/report.ipynb``; by notebook, campaign, pair, failed last.
    """
    runs = [_read_run(file, figures) for file in sorted(executed.glob("*/*.status.json"))]
    own = {r.key for r in runs if not r.failed and r.executed}
    for report in sorted(figures.glob(f"*/[0-9]*/{slim.NAME}")):
        whole = (report.parent.name, report.parent.parent.name, "")
        if whole not in own:
            runs = [r for r in runs if r.failed or r.key != whole]
            runs.append(Run(*whole, "kept", 0, "", report.parent, report))
    return sorted(runs, key=lambda r: (r.notebook, r.demo, r.campaign, r.pair, r.failed))


def _read_run(file: Path, figures: Path) -> Run:
    stem = file.name.removesuffix(".status.json").removesuffix(".failed")
    try:
        record = json.loads(file.read_bytes())
    except ValueError as problem:
        record = {"status": "failed", "error": f"{file.name} cannot be read: {problem}"}
    notebook, _, pair = stem.partition("__")
    failed = record.get("status") != "ok"
    saved = file.with_name(f"{stem}.failed.ipynb" if failed else f"{stem}.ipynb")
    usual = figures / file.parent.name / notebook
    folder = (paths.ROOT / (record.get("output_dir") or usual)).resolve()
    return Run(
        notebook=notebook,
        campaign=file.parent.name,
        pair=str(record.get("pair") or pair),
        status="failed" if failed else "ok",
        seconds=float(record.get("seconds") or 0),
        error=str(record.get("error") or ""),
        output_dir=folder if folder.is_dir() else usual.resolve(),
        executed=saved if saved.is_file() else None,
    )


def around(run: Run, runs: Sequence[Run]) -> dict[str, list[Run]]:
    """What lies around a page: its pairs, other campaigns, the notebooks before and after it.

    Of a failed run also the last good one, of a good one a later that failed.
    """
    saved = [r for r in runs if r.executed]
    whole = [r for r in saved if not r.pair and not r.failed]
    turn = [r for r in whole if r.campaign == run.campaign]
    again = [r for r in runs if r.key == run.key and r.failed != run.failed]
    return {
        "pairs": [r for r in saved if r.key[:2] == run.key[:2]],
        "campaigns": [r for r in whole if r.notebook == run.notebook],
        "before": [r for r in turn if r.notebook < run.notebook][-1:],
        "after": [r for r in turn if r.notebook > run.notebook][:1],
        "good": [r for r in again if run.failed and r.executed][:1],
        "later": [r for r in again if r.failed][:1],
    }


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


def listed(places: Iterable[str], folder: str, pair: str = "") -> dict[str, dict[str, Any]]:
    """Figures and tables for a page: a group for the campaign and one per pair, links by kind.

    A figure's numbers stand with it. `folder` leads from the page to the files.
    """
    rows = []
    for place in places:
        stem, _, kind = place.rpartition(".")
        below, _, name = stem.rpartition("/")
        if not pair or below == pair:
            rows.append((below, name, SHOWN.index(kind), place))
    drawn = {(below, name) for below, name, nth, _ in rows if SHOWN[nth] in FIGURE}
    groups: dict[str, dict[str, Any]] = {}
    for below, name, nth, place in sorted(rows):
        group = groups.setdefault(below or "the whole campaign", {"figures": {}, "tables": {}})
        files = group["figures" if (below, name) in drawn else "tables"].setdefault(name, {})
        files[SHOWN[nth]] = f"{folder}/{place}"
    return groups


def _write(site: Path, page: str, name: str, **context: Any) -> None:
    text = template(name).render(root="../" * page.count("/"), **context)
    write_whole(site / page, text.encode())


def write_pages(runs: list[Run], site: Path) -> tuple[int, dict[str, str], dict[str, Any]]:
    """Convert what changed since the last time, remove what belongs to runs that are gone.

    Gives the number of pages converted, the problems of pages that could not be, by page, and per
    page its title and the words below each heading, for the search.
    """
    from tqdm import tqdm

    try:
        record = json.loads((site / RECORD).read_bytes())
    except (OSError, ValueError):
        record = {}
    old, fresh = record.get("pages", {}), {}
    folders = {(run.campaign, run.notebook): run.output_dir for run in reversed(runs)}
    files = {key: publish(folder, site.joinpath(*key)) for key, folder in sorted(folders.items())}
    parts = [digest(HERE / part) for part in pages.PARTS]
    todo = []
    for run in runs:
        if run.executed is None:
            continue
        places, near = files[run.campaign, run.notebook], around(run, runs)
        beside = {name: [[r.page, r.last_line] for r in those] for name, those in near.items()}
        stamp = [digest(run.executed), repr(run), repr(beside), repr(places), *parts]
        if (old.get(run.page) or {}).get("stamp") == stamp and (site / run.page).is_file():
            fresh[run.page] = old[run.page]
        else:
            todo.append((run, near, places, stamp))
    problems = {}
    for run, near, places, stamp in tqdm(todo, desc="report pages", unit="page", disable=None):
        try:
            fresh[run.page] = {"stamp": stamp, **_write_page(run, near, places, site)}
        except Exception as problem:  # one broken notebook must not take the report with it
            problems[run.page] = f"{type(problem).__name__}: {problem}"
            (site / run.page).unlink(missing_ok=True)
    copies = [f"{'/'.join(key)}/{place}" for key, places in files.items() for place in places]
    _remove(site, {*old, *record.get("copies", [])} - {*fresh, *copies})
    made = {"pages": fresh, "copies": copies}
    if made != record:
        write_whole(site / RECORD, (json.dumps(made, indent=1, sort_keys=True) + "\n").encode())
    return len(todo) - len(problems), problems, fresh


def _write_page(
    run: Run, near: Mapping[str, Any], places: Sequence[str], site: Path
) -> dict[str, Any]:
    assert run.executed is not None
    # what a failed run drew was never put in place: its page holds the pictures itself
    links = {} if run.failed else {place: f"{run.notebook}/{place}" for place in places}
    body = pages.body(run.executed, links, run.output_dir)
    files = listed(places, run.notebook, run.pair)
    _write(site, run.page, "page.html.j2", run=run, body=body, files=files, **near)
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
    words += front.format_words()
    index = json.dumps(words, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    write_whole(site / "assets" / "search.js", f"window.REPORT_WORDS={index};\n".encode())
    for page, context in contexts.items():
        # written even if unchanged: the workflow goes by the index being newer than the runs
        _write(site, page, **{"name": f"{page}.j2", **context})
    kept = sum(run.status == "kept" for run in runs)
    return {
        "runs": len(runs) - kept,
        "failed": sum(run.failed for run in runs),
        "kept": kept,
        "converted": converted,
        "problems": problems,
    }


def main() -> None:
    """Make the report site from executed notebooks and rendered figures."""
    to = paths.BUILD / "site"
    done = build(paths.BUILD / "executed", paths.FIGURES, to)
    print(
        f"{paths.shown(to)}/index.html: {done['runs']} runs, {done['failed']} failed; "
        f"{done['kept']} reports kept in the repository; {done['converted']} pages converted"
    )
    for page, problem in done["problems"].items():
        print(f"  {page} not converted: {problem}")


if __name__ == "__main__":
    argparse.ArgumentParser(description=main.__doc__).parse_args()
    main()
