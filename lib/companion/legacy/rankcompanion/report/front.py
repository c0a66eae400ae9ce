"""The contents of the site's own pages, and what the search finds in them."""

import inspect
import json
import pkgutil
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

import companion.legacy.rankstability
from companion.legacy.paperkit import claims, pages, paths
from companion.legacy.paperkit import site as report
from companion.legacy.paperkit.parameters import VERDICT
from companion.legacy.paperkit.placing import write_whole
from companion.legacy.paperkit.runs import Run
from companion.legacy.paperkit.site import Words
from companion.legacy.paperkit.tables import spaced
from companion.legacy.paperkit.templates import HERE
from companion.legacy.rankcampaigns.campaigns import catalogue, find
from companion.legacy.rankcampaigns.formats import FORMATS, PARTS, described
from companion.legacy.rankcampaigns.languages import spoken
from companion.legacy.rankstability import paths as places

from ..figures import changes as drawing
from ..figures import judges as judge_drawing
from ..notebooks.explore import views, widgets
from . import findings, ledger

EXPLORED = ("demo-srpdc", "de-en")  # with which notebook 90 opens
EXAMPLE = ("wmt21", "de-en")  # whose verdict the front page shows
SAMPLE = places.DEMO / "ratings.csv"
ACROSS = {  # for places of papers over several campaigns: the notebook whose tables answer them
    **dict.fromkeys(("knowles2021 Table 1", "knowles2021 Section 3"), "01"),
    **{
        f"knowles2021 {place}": "02"
        for place in ("Table 2", "Section 5", "Section 5.2")
    },
    "knowles2021 Figure 1": "03",
    **{
        f"knowles2021 {place}": "wmt20 01"
        for place in ("Section 5.3", "Figure 2", "Figure 3")
    },
    **{
        f"lopez2012 Section {section}": "08"
        for section in ("1", "3", "5", "5.1", "5.2")
    },
}
MAKES = {
    key: f'"{table}"' for key, (_, table) in findings.TABLES.items()
}  # code of its section
MAKES |= {  # that of the whole campaign, where a table of a pair has the same name
    "fewest": ".whole(run)",
    "removal": "as_fractions(counted)",
    "lines": '"All pairs, by unit"',
    "false": "draws a line in this share",
    "methods": "The way of counting moves",
}
CERTAINTY = paths.ROOT / "benchmarks" / "results" / "certainty.csv"


def contexts(
    runs: Sequence[Run],
    problems: Mapping[str, str],
    figures: Path,
    site: Path,
    calls: Sequence[str] = (),
) -> tuple[dict[str, dict[str, Any]], Words]:
    """The context of each page's template, by page, and what the search finds in these pages."""
    file = figures / "claims_ledger.csv"
    rows = pd.DataFrame(columns=claims.COLUMNS, dtype=str)
    if file.is_file():
        rows = pd.read_csv(file, dtype=str, keep_default_na=False)
        (site / "claims_ledger.csv").write_bytes(file.read_bytes())
    shared = {"names": ledger.PAPERS, "statuses": claims.STATUSES}
    campaigns = _campaigns(runs, figures)
    headlines = {r.notebook: pages.source_headline(r.notebook) for r in runs}
    answers = _answers(runs, figures, site)
    sample = SAMPLE.read_text(encoding="utf-8").splitlines()
    each = {"name": "format.html.j2"}
    made = {
        "index.html": {
            **shared,
            "leading": findings.leading(answers),
            "example": _example(campaigns, figures, EXAMPLE),
            "explored": _explored(site),
            "papers": ledger.per_paper(rows).to_dict("records")
            if len(rows)
            else [],
            "runs": runs,
            "problems": problems,
            "headlines": headlines,
            "answers": answers,
            "campaigns": campaigns,
            "judged": _judged(),
            "uncovered": len(ledger.uncovered(rows)) if len(rows) else 0,
        },
        "ledger.html": {
            **shared,
            "rows": [
                shown(row) for row in linked(rows, runs).to_dict("records")
            ],
            "open": open_rows(rows),
            "numbers": len(findings.numbers(rows)),
        },
        "own.html": {
            "sample": sample[:7],
            "rows": len(sample) - 1,
            "file": paths.shown(SAMPLE),
            "pages": [c for c in campaigns if c["verdicts"]],
            "shown": _example(campaigns, figures),
        },
        "trust.html": trust(site),
        "glossary.html": {},
        "reference.html": {"names": names(), "behind": behind(calls)},
        "formats/index.html": {
            "name": "formats.html.j2",
            "formats": _formats(),
        },
        **{
            f"formats/{one['name']}.html": {**each, "said": one}
            for one in _formats()
        },
    }
    return made, _words(headlines, campaigns, rows, calls)


def _campaigns(runs: Sequence[Run], figures: Path) -> list[dict[str, Any]]:
    """Name, title, citation, runs and verdicts by pair of each campaign; synthetic ones last."""
    names = {folder.parent.name for folder in figures.glob("*/[0-9]*")} | {
        r.campaign for r in runs
    }
    whole = [r for r in runs if r.executed and not r.failed and not r.pair]
    made = []
    for name in sorted(names, key=lambda name: (findings.is_demo(name), name)):
        entry = catalogue().get(name, {})
        about = {
            key: str(entry.get(key) or "") for key in ("title", "citation")
        }
        own = [r for r in whole if r.campaign == name]
        folder = figures / name / VERDICT
        files = sorted(folder.glob("*/verdict*.html"), reverse=True)
        found = any(r.notebook == VERDICT for r in own)
        pages = {
            f.parent.name: f.relative_to(figures).as_posix()
            for f in files
            if found
        }
        overview = (
            f"{name}/{VERDICT}/index.html"
            if (folder / "index.html").is_file()
            else ""
        )
        about |= {"overview": overview if found else ""}
        made.append(
            {
                "name": name,
                **about,
                "runs": own,
                "verdicts": dict(sorted(pages.items())),
            }
        )
    return made


def _judged() -> list[dict[str, str]]:
    """Language pairs of each campaign of the catalogue that were judged in one way."""
    table = findings.campaign_tables(Path(), "catalogue", "pairs")
    ways = table.fillna("").groupby(["campaign", "style", "judged", "tool"])[
        "pair"
    ]
    return ways.agg(", ".join).reset_index().to_dict("records")


def _example(
    campaigns: Sequence[Mapping[str, Any]],
    figures: Path,
    first: tuple[str, str] = ("", ""),
) -> dict[str, Any]:
    """A verdict's page, its figure and what it says on top; empty if there is no verdict.

    That of the campaign and pair `first`; without it, that of the first demo, then of any campaign.
    """
    pages = [
        (c["name"], pair, page)
        for c in campaigns
        for pair, page in c["verdicts"].items()
    ]
    pages.sort(
        key=lambda one: (one[:2] != first, not findings.is_demo(one[0]))
    )
    if not pages:
        return {}
    name, pair, page = pages[0]
    said = json.loads(
        (figures / page).with_suffix(".json").read_text(encoding="utf-8")
    )
    systems = [
        {"rank": rank, **row} for rank, row in enumerate(said["systems"], 1)
    ]
    alt = (
        f"A ranking of {len(systems)}: scores with intervals, rank sets, lines"
    )
    about = {"page": page, "figure": page.replace(".html", ".png"), "alt": alt}
    about |= {"systems": systems, "between": said["lines"]}
    about |= {"campaign": name, "pair": spoken(pair), "name": f"{name} {pair}"}
    return {**about, **said["statements"]}


def _explored(site: Path) -> dict[str, Any]:
    """What notebook 90 shows when it opens, drawn for the front page.

    Keys figure (its path in the site) and removed (the system taken out, the lowest).
    """
    task = next(iter(views.load(find(EXPLORED[0]), EXPLORED[1]).values()))
    lowest = task.first.systems[-1]
    view = task.view(views.State(removed=(lowest,)))
    figure = "assets/explore.svg"
    write_whole(
        site / figure,
        widgets.bump_svg(view, "all", f"without {lowest}").encode(),
    )
    return {"figure": figure, "removed": lowest}


def _answers(
    runs: Sequence[Run], figures: Path, site: Path
) -> list[dict[str, Any]]:
    """The findings, linked to the sections that show their numbers; their figures are drawn.

    Of each figure there are two, the second for narrow screens.
    """
    here = {run.page: run for run in runs if run.executed}
    answers = findings.gather(figures)
    for answer in answers:
        key = answer["key"]
        answer["figure"] = answer["narrow"] = answer["alt"] = ""
        if key in findings.TABLES:
            answer["page"] = _section(here.get(answer["page"]), MAKES[key])
        else:
            answer["page"] = "ledger.html#misprint=1"
        if key == "fewest":
            answer["page"] = _verdict_of(answer, figures) or answer["page"]
        draw = judge_drawing if key in judge_drawing.AXES else drawing
        if key in draw.AXES:
            answer["figure"] = f"assets/finding-{key}.svg"
            answer["narrow"] = f"assets/finding-{key}-narrow.svg"
            answer["alt"] = draw.described(answer)
            write_whole(
                site / answer["figure"], drawing.svg(draw.finding(answer))
            )
            write_whole(
                site / answer["narrow"],
                drawing.svg(draw.finding(answer, narrow=True)),
            )
    return answers


def _verdict_of(answer: Mapping[str, Any], figures: Path) -> str:
    """The section of a verdict's page that says how few judgments decide; empty if it is not here.

    Of the language pair that the finding names.
    """
    least = findings.least(answer["rows"])
    page = f"{least['campaign']}/{VERDICT}/{least['task']}/{VERDICT.partition('_')[2]}.html"
    return f"{page}#fewest" if (figures / page).is_file() else ""


def _section(run: Run | None, code: str) -> str:
    """The address of the section of a run's page that has this code; empty without a run."""
    if run is None or run.executed is None:
        return ""
    heading = pages.heading_of(run.executed, code)
    return f"{run.page}#{pages.slug(heading)}" if heading else run.page


def trust(site: Path, file: Path = CERTAINTY) -> dict[str, Any]:
    """How often declarations were true in simulated campaigns, by design of the campaign.

    The full table is copied into the site. ``rows`` is empty if there is no such table.
    """
    if not file.is_file():
        return {"rows": []}
    write_whole(site / file.name, file.read_bytes())
    cells = pd.read_csv(file)
    share = (cells["lines_held"] / cells["lines_true"]).clip(upper=1.0)
    cells["power"] = share.where(cells["lines_true"] > 0)
    by = cells.groupby("design", sort=False)
    rows = by["false"].agg(cells="size", mean="mean", worst="max")
    rows = rows.assign(covered=by["covered"].min(), power=by["power"].mean())
    rows = rows.assign(contradictions=by["contradictions"].sum())
    return {
        "rows": rows.reset_index().to_dict("records"),
        "above": cells[cells["false"] > cells["limit"]].to_dict("records"),
        "cells": len(cells),
        "campaigns": int(cells["campaigns"].min()),
        "fewest": int(
            cells.loc[cells["annotators"] > 0, "annotators"].min()
        ),  # 0: items
        "most": int(cells["annotators"].max()),
        "limit": float(cells["limit"].max()),
        "statements": statements(site, file.with_name("statements.csv")),
    }


def statements(site: Path, file: Path) -> list[dict[str, Any]]:
    """What each kind of sentence claims and how often it was wrong, as rows; copied into the site.

    No rows if there is no such table.
    """
    if not file.is_file():
        return []
    write_whole(site / file.name, file.read_bytes())
    table = pd.read_csv(file).astype(object)
    return list(table.where(table.notna(), None).to_dict("records"))


def linked(rows: pd.DataFrame, runs: Sequence[Run]) -> pd.DataFrame:
    """`rows` of the ledger with a column link: the section of a page here that shows each, if any.

    A row over several campaigns is linked to the notebook that it is counted from (`ACROSS`), or to
    the section of another row of the same place; a fact about a campaign, to the list of campaigns.
    """
    by = [*findings.KEY, "ours", "status"]
    first: dict[
        str, str
    ] = {}  # for each notebook, the section with claims of a real campaign
    whole: dict[
        tuple[str, str], str
    ] = {}  # else the section of a campaign that combines its pairs
    of_paper: dict[
        str, list[str]
    ] = {}  # campaigns with claims of each paper, in any notebook
    found = [pd.DataFrame(columns=[*by, "link"], dtype=str)]
    for run in runs:
        file = run.output_dir / "claims.csv"
        if run.executed and not run.failed and not run.pair and file.is_file():
            claimed = pd.read_csv(file, dtype=str, keep_default_na=False)
            heading = pages.heading_of(run.executed, ".claims(")
            link = f"{run.page}#{pages.slug(heading)}" if heading else run.page
            found.append(claimed.reindex(columns=by).assign(link=link))
            notebook = run.notebook[:2]
            if len(claimed):  # else the page leaves the section out
                first.setdefault(notebook, link)
                for paper in claimed[
                    "paper"
                ].unique():  # a page with claims of the same paper
                    first.setdefault(f"{paper} {notebook}", link)
                    of_paper.setdefault(paper, []).append(run.campaign)
                first[f"{run.campaign} {notebook}"] = link
            elif not findings.is_demo(run.campaign):
                heading = pages.heading_of(run.executed, ".pair_tables(")
                whole[run.campaign, notebook] = (
                    f"{run.page}#{pages.slug(heading)}"
                )
    links = pd.concat(found).drop_duplicates(by)
    rows = rows.merge(links, "left", on=by)
    same = rows.groupby(findings.KEY[:2])["link"].transform("first")
    answered = (rows["paper"] + " " + rows["place"]).map(ACROSS)
    combined: dict[str, str] = {}
    for (campaign, notebook), link in whole.items():
        combined.setdefault(notebook, link)
        for paper in (
            name
            for name, campaigns in of_paper.items()
            if campaign in campaigns
        ):
            combined.setdefault(f"{paper} {notebook}", link)
    by_paper = (rows["paper"] + " " + answered).map(combined | first)
    across = by_paper.fillna(answered.map(combined | first))
    facts = same.where(rows["status"] != "fact", "index.html#campaigns")
    left = across.fillna(facts).where(rows["status"] != "no data")
    rows = rows.assign(link=rows["link"].fillna(left)).fillna("")
    return rows.assign(misprint=findings.misprinted(rows))


def shown(row: Mapping[str, str]) -> dict[str, str]:
    """A row of the ledger for readers, ours with up to two digits more than the printed number."""
    printed = row["published"].strip()
    ours = row["ours"].strip()
    reason = row["reason"].strip()
    unit = " thousand" if "thousands" in row["cell"] else ""
    digits = len(printed.rstrip("%").partition(".")[2])
    with suppress(ValueError):  # words
        value = float(ours.rstrip("%"))
        _ = float(printed.rstrip("%").replace(",", ""))
        whole = value == round(value) and not digits
        known = max(
            digits, len(ours.rstrip("%").partition(".")[2])
        )  # no digit is made up
        shown_digits = 0 if whole else min(digits + 2, known)
        ours = f"{value:,.{shown_digits}f}" + "%" * printed.endswith("%")
    reason = (
        reason[:1].upper()
        + reason[1:]
        + ("" if reason[-1:] in ("", ".") else ".")
    )
    said = {
        "ours": ours + unit * bool(ours),
        "cell": row["cell"].replace(" | ", " · "),
    }
    said = {
        name: spaced(text) for name, text in {**said, "reason": reason}.items()
    }
    return {**row, "published": printed + unit, **said}


def open_rows(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """For each paper with open numbers: how many are open, and why.

    Keys title, open, all (its printed numbers), never (open because the data were never released),
    reason (the most frequent) and most (how often that is).
    """
    made = []
    for paper, part in rows.groupby("paper", sort=False):
        left = findings.numbers(part[part["status"] == "no data"])["reason"]
        if len(left):
            about = {
                "title": ledger.PAPERS.get(str(paper), str(paper)),
                "open": len(left),
            }
            never = left.str.contains(
                "not released|not in the release|prints? no"
            ).sum()
            about |= {"never": int(never), "all": len(findings.numbers(part))}
            reasons = left.str.partition(";")[0].value_counts()
            made.append(
                {
                    **about,
                    "reason": spaced(reasons.index[0]),
                    "most": int(reasons.iloc[0]),
                }
            )
    return made


def _words(
    headlines: Mapping[str, tuple[str, str]],
    campaigns: Sequence[Mapping[str, str]],
    rows: pd.DataFrame,
    calls: Sequence[str],
) -> Words:
    terms = re.findall('(?s)<dt id="(.*?)">(.*?)</dt><dd>(.*?)</dd>', _terms())
    words: Words = [
        (f"glossary.html#{i}", term, "glossary", re.sub("<[^>]+>", "", said))
        for i, term, said in terms
    ]
    for one in [*names(), *behind(calls)]:
        words.append(
            (
                f"reference.html#{one['name']}",
                one["name"],
                "Python",
                one["doc"][:400],
            )
        )
    for notebook, (title, question) in headlines.items():
        words.append((f"index.html#{notebook}", title, "notebook", question))
    for c in campaigns:
        text = f"{c['title']} {c['citation']}"
        words.append(
            (f"index.html#campaign-{c['name']}", c["name"], "campaign", text)
        )
    for (paper, place), part in rows.groupby(["paper", "place"], sort=False):
        link = f"ledger.html#paper={paper}&field=place&words={place.replace(' ', '+')}"
        cells = " ".join(dict.fromkeys(" ".join(part["cell"]).split()))
        words.append(
            (
                link,
                f"{ledger.PAPERS.get(paper, paper)}, {place}",
                "ledger",
                cells[:400],
            )
        )
    return words


def _terms() -> str:
    """The entries of the glossary, as HTML."""
    return (HERE / "terms.html.j2").read_text(encoding="utf-8")


def names() -> list[dict[str, str]]:
    """The public names with signature, docstring and source."""
    made = []
    for name in rankstability.__all__:
        thing = getattr(rankstability, name)
        signature = (
            f"{name}{inspect.signature(thing)}" if callable(thing) else name
        )
        doc = (
            inspect.getdoc(thing)
            if callable(thing)
            else f"One of: {', '.join(thing)}"
        )
        source = inspect.getsource(thing) if callable(thing) else ""
        made.append(
            {
                "name": name,
                "signature": signature,
                "doc": doc or "",
                "source": source,
            }
        )
    return made


def behind(calls: Sequence[str]) -> list[dict[str, str]]:
    """The functions that notebooks call or the glossary names: module, docstring and source."""
    named = {
        *calls,
        *re.findall(r"<code>(rank\w+(?:\.\w+)+)</code>", _terms()),
    }
    found = {name: pages.source_of(name) for name in sorted(named)}
    return [
        {
            "name": name,
            "module": pkgutil.resolve_name(name).__module__,
            "doc": inspect.getdoc(pkgutil.resolve_name(name)) or "",
            "source": source,
        }
        for name, source in found.items()
        if source
    ]


@cache
def _formats() -> list[dict[str, Any]]:
    entries = described()
    return [
        {"name": n, "protocol": f.protocol, **entries[n]}
        for n, f in FORMATS.items()
    ]


def format_words() -> Words:
    """The words of the pages about formats, for the search."""
    words = []
    for one in _formats():
        text = " ".join(str(one.get(part, "")) for part in PARTS)
        words.append(
            (f"formats/{one['name']}.html", one["title"], "formats", text)
        )
    return words


def build(executed: Path, figures: Path, site: Path) -> dict[str, Any]:
    """Make the report site from executed notebooks and figures; see `companion.legacy.paperkit.site.build`."""
    return report.build(executed, figures, site, contexts, format_words())


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
    main()
