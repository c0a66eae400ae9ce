"""The report: a folder with executed notebooks as pages, an index, and everything they link to."""

import filecmp
import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import columns, pages, placing
from .parts import pairs_of
from .placing import digest, write_whole
from .runs import Run, around, read_runs, worked
from .templates import HERE, template

RECORD = ".pages.json"
FIGURE = ("png", "svg", "pdf")
SHOWN = (*FIGURE, "csv", "tex", "json", "xlsx", "html")
Words = list[
    tuple[str, str, str, str]
]  # entries of the search: address, heading, where, text
Contexts = Callable[..., tuple[dict[str, dict[str, Any]], Words]]


def publish(folder: Path, to: Path) -> list[str]:
    """Copy figures and tables of a notebook and campaign, and of its pairs; returns their paths."""
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


def listed(
    places: Iterable[str], folder: str, pair: str = ""
) -> dict[str, dict[str, Any]]:
    """Figures and tables for a page: a group for the campaign and one per pair, links by type.

    The CSV of a figure is listed with the figure. `folder` leads from the page to the files; a
    `pair` limits them to that pair.
    """
    rows = []
    for place in places:
        stem, _, kind = place.rpartition(".")
        below, _, name = stem.rpartition("/")
        if not pair or below == pair:
            rows.append((below, name, SHOWN.index(kind), place))
    drawn = {
        (below, name) for below, name, nth, _ in rows if SHOWN[nth] in FIGURE
    }
    groups: dict[str, dict[str, Any]] = {}
    for below, name, nth, place in sorted(rows):
        group = groups.setdefault(
            below or "the whole campaign", {"figures": {}, "tables": {}}
        )
        files = group[
            "figures" if (below, name) in drawn else "tables"
        ].setdefault(name, {})
        files[SHOWN[nth]] = f"{folder}/{place}"
    return groups


def _write(site: Path, page: str, name: str, **context: Any) -> None:
    text = template(name).render(root="../" * page.count("/"), **context)
    write_whole(site / page, text.encode())


def write_pages(
    runs: list[Run], site: Path
) -> tuple[int, dict[str, str], dict[str, Any]]:
    """Convert the pages that changed since the last time; remove those of runs that are gone.

    Returns the number of pages converted; problems by page; and, by page, its title, the words
    below each heading (for the search) and the functions it calls.
    """
    from tqdm import tqdm

    runs = [*runs, *(one for run in runs for one in apart(run, runs))]
    try:
        record = json.loads((site / RECORD).read_bytes())
    except (OSError, ValueError):
        record = {}
    old = record.get("pages", {})
    fresh = {}
    folders = {
        (run.campaign, run.notebook): run.output_dir for run in reversed(runs)
    }
    files = {
        key: publish(folder, site.joinpath(*key))
        for key, folder in sorted(folders.items())
    }
    parts = [digest(HERE / part) for part in pages.PARTS]
    todo = []
    for run in runs:
        if run.executed is None:
            continue
        places = files[run.campaign, run.notebook]
        near = around(run, runs)
        beside = {
            name: [[r.page, r.last_line] for r in those]
            for name, those in near.items()
        }
        stamp = [
            digest(run.executed),
            repr(run),
            repr(beside),
            repr(places),
            *parts,
        ]
        if (old.get(run.page) or {}).get("stamp") == stamp and (
            site / run.page
        ).is_file():
            fresh[run.page] = old[run.page]
        else:
            todo.append((run, near, places, stamp))
    problems = {}
    for run, near, places, stamp in tqdm(
        todo, desc="report pages", unit="page", disable=None
    ):
        try:
            fresh[run.page] = {
                "stamp": stamp,
                **_write_page(run, near, places, site),
            }
        except (
            Exception
        ) as problem:  # one broken notebook must not take the report with it
            problems[run.page] = f"{type(problem).__name__}: {problem}"
            (site / run.page).unlink(missing_ok=True)
    copies = [
        f"{'/'.join(key)}/{place}"
        for key, places in files.items()
        for place in places
    ]
    _remove(site, {*old, *record.get("copies", [])} - {*fresh, *copies})
    made = {"pages": fresh, "copies": copies}
    if made != record:
        write_whole(
            site / RECORD,
            (json.dumps(made, indent=1, sort_keys=True) + "\n").encode(),
        )
    return len(todo) - len(problems), problems, fresh


def _write_page(
    run: Run, near: Mapping[str, Any], places: Sequence[str], site: Path
) -> dict[str, Any]:
    assert run.executed is not None
    # the figures of a failed run were never put in place, so its page embeds them
    links = (
        {}
        if run.failed
        else {place: f"{run.notebook}/{place}" for place in places}
    )
    body = pages.body(run.executed, links, run.output_dir, _shown(run))
    near = {
        **near,
        "unbuilt": _unbuilt(run, near["pairs"]),
        "shown": _shown(run),
    }
    files = listed(places, run.notebook, run.pair)
    csv = [place for place in places if place.endswith(".csv")]
    told = {
        f"{run.notebook}/{place}": columns.told(run.output_dir / place)
        for place in csv
    }
    _write(
        site,
        run.page,
        "page.html.j2",
        run=run,
        body=body,
        files=files,
        told=told,
        **near,
    )
    names = " ".join(
        dict.fromkeys(
            " ".join(p.rpartition(".")[0] for p in places).split("/")
        )
    )
    words = [*body.words, *([("files", "Files", names)] if files else [])]
    return {
        "title": body.title,
        "words": [] if run.failed else words,
        "calls": body.calls,
    }


def apart(run: Run, runs: Sequence[Run]) -> list[Run]:
    """A run of its own for each pair of a whole campaign's run, but for the pair that it shows.

    A kept report has one pair only, a failed run no results; a pair that was run by itself has its
    own page.
    """
    if run.pair or run.status != "ok" or not run.executed:
        return []
    own = {one.pair for one in runs if one.key[:2] == run.key[:2]}
    others = [pair for pair in pairs_of(run.output_dir) if pair not in own]
    return [
        replace(run, pair=pair, seconds=0)
        for pair in others
        if pair != _shown(run)
    ]


def _shown(run: Run) -> str:
    """The pair whose results the page of a run shows; empty: all that its notebook shows."""
    if run.pair or run.failed or run.status == "kept":
        return "" if run.failed else run.pair
    return worked(run.output_dir, pairs_of(run.output_dir))


def _unbuilt(run: Run, pages: Sequence[Run]) -> list[str]:
    """The pairs of a kept report without a page of their own here."""
    if run.status != "kept" or run.executed is None:
        return []
    about = json.loads(run.executed.read_bytes())["metadata"].get(
        "rankstability", {}
    )
    here = {page.pair for page in pages} | {about.get("shown")}
    return [pair for pair in about.get("pairs", []) if pair not in here]


def _remove(site: Path, left: Iterable[str]) -> None:
    for name in left:
        (site / name).unlink(missing_ok=True)
        for folder in (site / name).parents:
            if folder == site or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()


def build(
    executed: Path,
    figures: Path,
    site: Path,
    contexts: Contexts,
    words_too: Words,
) -> dict[str, Any]:
    """Make the site from executed notebooks and rendered figures; returns numbers of what was done.

    `contexts` returns the contexts of the templates of the site's own pages and what the search
    finds in them; it is given the runs, the problems of pages, the two folders and the functions
    that pages call. `words_too` are further entries of the search, found last.
    """
    placing.recover_below(figures)
    runs = read_runs(executed, figures)
    converted, problems, made = write_pages(runs, site)
    for name, text in pages.assets().items():
        write_whole(site / "assets" / name, text.encode())
    calls = sorted(
        {name for about in made.values() for name in about["calls"]}
    )
    own, words = contexts(runs, problems, figures, site, calls)
    for page, about in made.items():
        where = (
            page.removesuffix(".html").replace("/", " · ").replace("__", " · ")
        )
        words += [
            (f"{page}#{i}", heading, where, text)
            for i, heading, text in about["words"]
        ]
    words += words_too
    index = json.dumps(
        words, ensure_ascii=False, separators=(",", ":")
    ).replace("<", "\\u003c")
    write_whole(
        site / "assets" / "search.js",
        f"window.REPORT_WORDS={index};\n".encode(),
    )
    for page, context in own.items():
        # written even if unchanged, because the workflow needs the index to be newer than the runs
        _write(site, page, **{"name": f"{page}.j2", **context})
    kept = sum(run.status == "kept" for run in runs)
    return {
        "runs": len(runs) - kept,
        "failed": sum(run.failed for run in runs),
        "kept": kept,
        "converted": converted,
        "problems": problems,
    }
