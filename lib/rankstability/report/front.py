"""What the templates are given: the front page, the ledger's page, the way around a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .. import paths
from ..papers import claims
from . import findings, ledger, pages, reference

if TYPE_CHECKING:
    from .site import Run

Words = list[tuple[str, str, str, str]]  # of the search: address, heading, where, text


def last_demo(campaign: str) -> tuple[bool, str]:
    """Key that orders campaigns by name, the synthetic ones last."""
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


def groups(runs: Sequence[Run], problems: Mapping[str, str]) -> list[dict[str, Any]]:
    """Per notebook its title and question, and its runs by campaign: good ones, failed, no page."""
    made: dict[str, dict[str, Any]] = {}
    for run in runs:
        if run.notebook not in made:
            title, question = pages.source_headline(paths.NOTEBOOKS / f"{run.notebook}.ipynb")
            about = {"notebook": run.notebook, "title": title or run.notebook, "question": question}
            made[run.notebook] = {**about, "rows": {}}
        rows = made[run.notebook]["rows"]
        row = rows.setdefault(run.campaign, {"campaign": run.campaign, "runs": [], "bad": []})
        row["demo"] = ledger.is_demo(run.campaign)
        problem = problems.get(run.page, "")
        if run.failed or problem:
            label = run.pair or "all pairs"
            message = problem or run.last_line
            link = run.page if run.executed and not problem else ""
            row["bad"].append({"label": label, "message": message, "link": link})
        elif run.executed:
            row["runs"].append(run)
    return [{**group, "rows": list(group["rows"].values())} for group in made.values()]


def around(run: Run, runs: Sequence[Run]) -> dict[str, Any]:
    """What lies around a page: its pairs, other campaigns, the notebooks before and after it."""
    shown = [r for r in runs if r.executed]
    same = [r for r in shown if (r.notebook, r.campaign) == (run.notebook, run.campaign)]
    turn = [r for r in shown if r.campaign == run.campaign and not r.failed and not r.pair]
    before = [r for r in turn if r.notebook < run.notebook][-1:]
    after = [r for r in turn if r.notebook > run.notebook][:1]
    good = [r for r in same if r.pair == run.pair and not r.failed]
    later = [r for r in runs if r.failed and not run.failed]
    later = [r for r in later if (r.notebook, r.campaign, r.pair) == key(run)]

    def link(r: Run) -> str:
        return f"../{r.page}"

    return {
        "pairs": [
            {"label": _label(r), "link": link(r), "here": r is run, "ok": not r.failed}
            for r in same
        ],
        "campaigns": [
            {"label": r.campaign, "link": link(r), "here": r.campaign == run.campaign}
            for r in shown
            if r.notebook == run.notebook and not r.pair and not r.failed
        ],
        "before": {"label": before[0].notebook, "link": link(before[0])} if before else None,
        "after": {"label": after[0].notebook, "link": link(after[0])} if after else None,
        "good": link(good[0]) if run.failed and good else "",
        "later": {
            "last_line": later[0].last_line,
            "link": link(later[0]) if later[0].executed else "",
        }
        if later
        else None,
    }


def key(run: Run) -> tuple[str, str, str]:
    """What two executions of the same thing share."""
    return run.notebook, run.campaign, run.pair


def _label(run: Run) -> str:
    return (run.pair or "all pairs") + (" (failed)" if run.failed else "")


def contexts(
    runs: Sequence[Run], problems: Mapping[str, str], figures: Path, site: Path
) -> tuple[dict[str, dict[str, Any]], Words]:
    """What the templates of the site's own pages are given, and what the search finds in them."""
    file = figures / "claims_ledger.csv"
    rows = pd.read_csv(file, dtype=str, keep_default_na=False) if file.is_file() else None
    shared = {
        "papers": ledger.per_paper(rows).to_dict("records") if rows is not None else [],
        "names": ledger.PAPERS,
        "statuses": claims.STATUSES,
    }
    with_results = {folder.parent.name for folder in figures.glob("*/[0-9]*")}
    here = sorted(with_results | {run.campaign for run in runs}, key=last_demo)
    known = {name: about(name) for name in here}
    turned = {
        name: [r for r in runs if r.campaign == name and not r.failed and not r.pair and r.executed]
        for name in here
    }
    notebooks = groups(runs, problems)
    answers = findings.gather(figures)
    pages_made = {run.page for run in runs if run.executed} | {"ledger.html"}
    for answer in answers:
        answer["page"] = answer["page"] if answer["page"] in pages_made else ""
        answer["figure"] = answer["figure"] if (site / answer["figure"]).is_file() else ""
    made = {
        "index.html": {
            **shared,
            "runs": runs,
            "groups": notebooks,
            "answers": answers,
            "campaigns": [{"name": n, **known[n], "runs": turned[n]} for n in here],
            "uncovered": len(ledger.uncovered(rows)) if rows is not None else 0,
        },
        "ledger.html": {
            **shared,
            "rows": [shown(row) for row in rows.to_dict("records")] if rows is not None else [],
            "open": open_rows(rows) if rows is not None else [],
            "numbers": len(ledger.numbers(rows)) if rows is not None else 0,
        },
        **reference.contexts(figures),
    }
    if rows is not None:
        (site / "claims_ledger.csv").write_bytes(file.read_bytes())
    return made, _words(notebooks, made["index.html"]["campaigns"], rows)


def shown(row: Mapping[str, str]) -> dict[str, str]:
    """A row of the ledger for readers: the same unit on both numbers, reasons as sentences.

    Ours has two digits more than the print, the CSV all of them.
    """
    printed, ours, reason = row["published"].strip(), row["ours"].strip(), row["reason"].strip()
    unit = " thousand" if "thousands" in row["cell"] else ""
    digits = len(printed.rstrip("%").partition(".")[2])
    try:
        value = float(ours.rstrip("%"))
        float(printed.rstrip("%").replace(",", ""))
    except ValueError:
        pass
    else:
        whole = value == round(value) and not digits
        text = f"{value:,.0f}" if whole else f"{value:,.{digits + 2}f}"
        ours = text + ("%" if printed.endswith("%") else "")
    reason = reason[:1].upper() + reason[1:] + ("" if reason[-1:] in ("", ".") else ".")
    cell = row["cell"].replace(" | ", " · ")
    numbers = {"published": printed + unit, "ours": ours + (unit if ours else "")}
    return {**row, **numbers, "cell": cell, "reason": reason}


def open_rows(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Per paper how many of its numbers are open, how many `make data` may answer, and why.

    Those that wait for a campaign of the catalogue say so: their reasons name what is not here.
    """
    made = []
    for paper, part in rows.groupby("paper", sort=False):
        left = ledger.numbers(part[part["status"] == "no data"])
        if len(left):
            never = left["reason"].str.contains("not released|not in the release|prints? no")
            reasons = left["reason"].str.partition(";")[0].value_counts()
            made.append(
                {
                    "title": ledger.PAPERS.get(str(paper), str(paper)),
                    "open": len(left),
                    "all": len(ledger.numbers(part)),
                    "never": int(never.sum()),
                    "reason": str(reasons.index[0]),
                    "most": int(reasons.iloc[0]),
                }
            )
    return made


def _words(
    notebooks: Sequence[Mapping[str, Any]],
    campaigns: Sequence[Mapping[str, str]],
    rows: pd.DataFrame | None,
) -> Words:
    words = [
        (f"index.html#{g['notebook']}", g["title"], "notebook", g["question"]) for g in notebooks
    ]
    words += [
        (f"index.html#campaign-{c['name']}", c["name"], "campaign", f"{c['title']} {c['citation']}")
        for c in campaigns
    ]
    for (paper, place), part in rows.groupby(["paper", "place"]) if rows is not None else ():
        link = f"ledger.html#paper={paper}&field=place&words={place.replace(' ', '+')}"
        cells = " ".join(dict.fromkeys(" ".join(part["cell"]).split()))
        words.append((link, f"{ledger.PAPERS.get(paper, paper)}, {place}", "ledger", cells[:400]))
    return words
