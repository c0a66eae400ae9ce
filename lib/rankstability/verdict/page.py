"""The page of a verdict: fixed sentences with slots, small tables, one ranking as table and figure."""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import yaml
from markupsafe import Markup

from ..errors import DataError, escape_in_json, escape_invisible
from ..formatting import page_in_frame
from ..inference.questions import look_alpha
from ..inference.rank import rank_systems
from ..io.results import table_bytes
from ..io.write import write_folder
from ..judgments import COMPARISON_KINDS, Judgments
from ..perturb import keep
from ..ranking.result import Ranking
from .answers import Questions
from .facts import collect_facts
from .words import caution, nouns_for, phrases_for, plan_names, plural, reason, row_reason, tables

MAX_OPEN = 6  # systems: above, the table of all pairs is folded
MAX_PRINTED = 12  # systems: above, the table of all pairs is not printed
UNEVEN = 0.95  # share of the units below which the effective number is named
MAX_NAMES = 8  # names in a sentence
PAPERS = {"votes": "votes", "relative_ranking": "relative_ranking"}
DIFFERENCES = {"votes": "strength", "relative_ranking": "the log-odds of winning"}
TABLES = ("pairs", "boundaries")
NBSP = "\u00a0"


@dataclass(frozen=True, repr=False)
class Verdict:
    """How far a ranking can be trusted.

    Attributes
    ----------
    facts : dict
        Every number and name on the page (see `rankstability.verdict.facts.KEYS`).
    html : str
        The page: one self-contained file.
    ranking : Ranking
        The ranking behind it.
    answer : str
        The answer to "Which system is best?" in one or two sentences.
    """

    facts: Mapping[str, Any]
    html: str
    ranking: Ranking
    answer: str = field(default="")

    def save(self, folder: str | Path) -> list[str]:
        """Write the page, its numbers and its tables into a folder, whole or not at all.

        Parameters
        ----------
        folder : str or Path
            Nothing is written if it is empty.

        Returns
        -------
        list of str
            The names of the files.

        Raises
        ------
        DataError
            ``unwritable_folder``.
        """
        if not str(folder):
            return []
        contents = self.contents()
        write_folder(Path(folder), contents)
        return list(contents)

    def contents(self) -> dict[str, bytes]:
        """Return the files by name; the page comes last."""
        ranking = self.ranking
        text = escape_in_json(json.dumps(self.facts, indent=1, ensure_ascii=False, allow_nan=False))
        found = {
            "verdict.json": _encoded(text + "\n"),
            "ranking.tex": _encoded(ranking.to_latex()),
            "ranking.csv": table_bytes(ranking.table),
            "pairs.csv": table_bytes(ranking.pairs),
            "boundaries.csv": table_bytes(ranking.boundaries),
        }
        if self.facts["fewest"]:
            found["fewest.csv"] = table_bytes(pd.DataFrame(self.facts["fewest"]))
        return {**found, "verdict.html": _encoded(self.html)}

    def __repr__(self) -> str:
        """Return the answer."""
        return self.answer

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own, which cannot run scripts."""
        return page_in_frame(self.html, 900)


def verdict_on(
    judgments: Judgments,
    asked: Questions,
    *,
    procedure: str | None = None,
    unit: str | None = None,
    alpha: float = 0.05,
    title: str = "",
) -> Verdict:
    """Return the verdict on one ranking, with the answers to these questions; see `verdict`."""
    if asked.looks is not None:
        alpha = look_alpha(asked.look, asked.looks, alpha)
    ranking = rank_systems(judgments, procedure=procedure, unit=unit, alpha=alpha)
    facts = collect_facts(judgments, ranking, asked, procedure=procedure, unit=unit, title=title)
    page, answer = render(facts)
    return Verdict(facts, page, ranking, answer)


def render(facts: Mapping[str, Any]) -> tuple[str, str]:
    """Return the page of these facts, and the answer to its first question as text."""
    nouns = nouns_for(facts)
    environment = page_environment(facts, nouns)
    values = page_values(facts, nouns)
    page = environment.get_template("verdict.html.j2").render(**values)
    answer = environment.get_template("answer.txt.j2").render(**values)
    return page, plain_text(answer)


def page_values(facts: Mapping[str, Any], nouns: Mapping[str, str]) -> dict[str, Any]:
    """Return what the templates need besides the facts: nouns, phrases and formatted levels."""
    units = facts["units"]
    rate = level_of(facts["alpha"])
    questions = facts["questions"]
    all_looks = facts["alpha"] * questions["looks"]["looks"] if "looks" in questions else 0.0
    here = [f"{n:,} {nouns[kind] if n == 1 else nouns[kind + 's']}" for kind, n in units.items()]
    unit_nouns = [nouns[kind + "s"] for kind in units]
    named = [f"{nouns[kind + 's']} ({n:,})" for kind, n in units.items()]
    fixed = [
        f"{n:,} {nouns[kind] if n == 1 else nouns[kind + 's']}"
        for kind, n in facts["fixed_units"].items()
    ]
    effective = [
        f"{e:.1f} {nouns[kind + 's']}"
        for kind, e in facts["effective"].items()
        if e < UNEVEN * units.get(kind, 0)
    ]
    phrases = phrases_for(facts["unit"], nouns)
    if facts["all_judge_models"]:
        phrases["limit"] = tables()["limit_of_judge_model"].format(**nouns)
        phrases["beyond"] = tables()["beyond_judge_model"].format(**nouns)
    drawing = tables()["procedures"][facts["procedure"]]
    return {
        "v": facts,
        "w": nouns,
        "u": phrases,
        "procedure": drawing["name"],
        "drawing": drawing,
        "axis": Axis(facts),
        "css": stylesheet(),
        "equal_scores": _equal_scores(facts["ranking"]),
        "inferred": bool(units) and any(row["assessable"] for row in facts["ranking"]),
        "unknown": _grouped(facts["not_assessable"]),
        "level": level_of(1 - facts["alpha"]),
        "rate": rate,
        "all_looks": level_of(all_looks),
        "top": "lowest" if facts["lower_is_better"] else "highest",
        "max_open": MAX_OPEN,
        "max_printed": MAX_PRINTED,
        "units_here": " and ".join(here),
        "units_here_named": " and ".join(named),
        "unit_nouns": " or ".join(unit_nouns),
        "unit_nouns_and": " and ".join(unit_nouns),
        "unit_noun": " or ".join(nouns[kind] for kind in units),
        "effective_here": " and ".join(effective),
        "fixed": " and ".join(fixed),
        "broken": any(n["code"] in tables()["breaks_promise"] for n in facts["cautions"]),
        "pair_test": _pair_test(facts).format(**nouns),
        "breaking": tables()["breaks_promise"],
        "difference_of": DIFFERENCES.get(facts["kind"], "score"),
        "adjusted_name": (
            f"{facts['score_name']}, on shared {nouns['segments']}"
            if facts["adjusted_differs"]
            else facts["score_name"]
        ),
        "plans": plan_names(
            nouns, facts["counts"]["annotators"] > 0 and not facts["all_judge_models"]
        ),
        "paper": PAPERS.get(facts["kind"], "ranked" if facts["draws"] else "plain"),
        "for_pair": f" for {facts['pair']}" if facts["pair"] else "",
        "procedure_alpha": f"{facts['alpha']:g}".removeprefix("0"),
        "citations": _citations(facts),
        "subtitle": _subtitle(facts, nouns),
        "declared": yaml.safe_dump(facts["declared"], allow_unicode=True, sort_keys=False),
    }


def _grouped(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the systems that cannot be assessed by reason, with the largest numbers of units."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        of = found.setdefault(
            row["reason"],
            {"reason": row["reason"], "systems": [], "units": None, "effective": None},
        )
        of["systems"].append(row["system"])
        for name in ("units", "effective"):
            values = [value for value in (of[name], row[name]) if value is not None]
            of[name] = max(values, default=None)
    return list(found.values())


def _equal_scores(ranking: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the systems whose score is exactly that of another system."""
    number_of = Counter(row["score"] for row in ranking)
    return [row["system"] for row in ranking if number_of[row["score"]] > 1]


def _pair_test(facts: Mapping[str, Any]) -> str:
    """Return how a pair of systems is tested."""
    tests: dict[str, str] = tables()["pair_tests"]
    if facts["unit"] == "segment" and facts["kind"] == "leaderboard":
        return tests["two_values" if facts["two_valued"] else "items"]
    return tests["two_way" if len(facts["units"]) > 1 else "one_way"]


def _citations(facts: Mapping[str, Any]) -> list[str]:
    """Return what to cite for the method."""
    known: dict[str, str] = tables()["citations"]
    names = ["jackknife"]
    if facts["unit"] == "segment" and facts["two_valued"]:
        names = ["mcnemar"]
    if len(facts["units"]) > 1:
        names.append("two_way")
    if facts["kind"] in COMPARISON_KINDS:
        names.append("davidson")
    if facts["order_effect"]:
        names.append("order")
    return [known[name] for name in names]


def _subtitle(facts: Mapping[str, Any], nouns: Mapping[str, str]) -> str:
    """Return protocol, counts and procedure in one line."""
    counts = facts["counts"]
    systems = counted(counts["systems"], nouns["system"])
    if counts["humans"]:
        systems += " and " + counted(counts["humans"], nouns["human"])
    judgments = counted(counts["judgments"], nouns["judgment"])
    procedure = tables()["procedures"][facts["procedure"]]["name"]
    return " · ".join([nouns["title"], systems, judgments, f"ranked by {procedure}"])


# ------------------------------------------------------------------ the ranking as a figure


class Axis:
    """The small drawings beside the ranking: intervals of scores, and sets of ranks.

    Places are percentages of the cell, so that the drawings fit every width.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        low, high = facts["score_range"]
        for row in facts["controls"]:
            low, high = min(low, row["score"]), max(high, row["score"])
        room = 0.02 * (high - low) or 0.5
        self.low, self.width = low - room, high - low + 2 * room
        self.n = len(facts["ranking"])
        digits = facts["decimals"]
        self.low_label = number(low, digits)
        self.high_label = number(high, digits)

    def _x(self, score: float) -> str:
        return f"{100 * (score - self.low) / self.width:.2f}%"

    def interval(self, row: Mapping[str, Any]) -> Markup:
        """Return the drawing of a score with its interval."""
        parts = []
        if self.low < 0 < self.low + self.width:
            x = self._x(0.0)
            parts.append(f'<line class="zero" x1="{x}" x2="{x}" y1="0" y2="18"/>')
        low, high = row.get("score_low"), row.get("score_high")
        if low is not None and high is not None and row.get("assessable"):
            ends = f'x1="{self._x(low)}" x2="{self._x(high)}"'
            parts.append(f'<line class="bar" {ends} y1="9" y2="9" stroke-width="2"/>')
        score = row.get("score_adjusted", row["score"])
        score = row["score"] if score is None else score
        if score is not None:
            parts.append(f'<circle class="dot" cx="{self._x(score)}" cy="9" r="3.5"/>')
        return _drawing(parts)

    def ranks(self, row: Mapping[str, Any]) -> Markup:
        """Return the drawing of the ranks that a system could have."""
        parts = []
        if row["assessable"]:
            low = 100 * (row["rank_low"] - 1) / self.n
            width = 100 * (row["rank_high"] - row["rank_low"] + 1) / self.n
            at = f'x="{low:.2f}%" width="{width:.2f}%" y="5" height="8"'
            parts.append(f'<rect class="dot" {at} opacity=".35"/>')
            middle = 100 * (row["rank"] - 0.5) / self.n
            parts.append(f'<circle class="dot" cx="{middle:.2f}%" cy="9" r="2.6"/>')
        return _drawing(parts)


def _drawing(parts: Sequence[str]) -> Markup:
    return Markup('<svg aria-hidden="true">' + "".join(parts) + "</svg>")


# ------------------------------------------------------------------ templates and filters


@lru_cache(maxsize=1)
def stylesheet() -> str:
    """Return the style of all pages."""
    return files(__package__).joinpath("templates/verdict.css").read_text(encoding="utf-8")


def page_environment(facts: Mapping[str, Any], nouns: Mapping[str, str]) -> jinja2.Environment:
    """Return the templates, with the filters that show numbers and names of these facts."""
    digits = facts["decimals"]
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("rankstability.verdict", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "about": lambda value: f"{float(f'{value:.2g}'):,.0f}",
        "all_names": lambda values: joined(values, len(values)),
        "basename": lambda value: re.split(r"[\\/]", value)[-1],
        "capital": lambda value: value[:1].upper() + value[1:],
        "chance": lambda value: f"under 1{NBSP}%" if 0 <= value < 0.01 else percent(value),
        "caution": lambda note: escape_invisible(caution(note, nouns)),
        "count": lambda value: "" if value is None else f"{value:,.0f}",
        "counted": counted,
        "fewest": _fewest,
        "name": lambda value: escape_invisible(str(value)),
        "floor": lambda value: "" if value is None else f"{math.floor(10 * value) / 10:g}",
        "names": joined,
        "odds": lambda value: percent(1 / (1 + math.exp(-value))) if value is not None else "?",
        "percent": percent,
        "rank_set": _rank_set,
        "reason": lambda code: reason(code, nouns),
        "row_reason": lambda code: row_reason(code, nouns),
        "score": lambda value: number(value, digits),
        "short": lambda value: (
            "" if value is None else f"{value:.2g}" if value < 10 else f"{value:.0f}"
        ),
        "two": lambda value: number(value, 2),
    }
    return environment


def number(value: float | None, digits: int) -> str:
    """Return a number with a true minus sign; empty if it is missing."""
    if value is None:
        return ""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def percent(value: float | None) -> str:
    """Return a share in percent, to a whole number if it is at least 1 %; empty if missing.

    >>> percent(0.434).replace(NBSP, " "), percent(0.0043).replace(NBSP, " ")
    ('43 %', '0.4 %')
    """
    if value is None:
        return ""
    digits = 1 if 0 < value < 0.01 else 0
    return f"{100 * value:.{digits}f}{NBSP}%"


def level_of(value: float) -> str:
    """Return an error rate or a level of confidence in percent, exactly.

    >>> level_of(0.975).replace(NBSP, " ")
    '97.5 %'
    """
    return f"{100 * value:.4g}{NBSP}%"


def counted(value: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "boundary"), counted(1200, "vote")
    ('1 boundary', '1,200 votes')
    """
    return f"1 {noun}" if value == 1 else f"{value:,} {plural(noun)}"


def joined(values: Sequence[str], most: int = MAX_NAMES) -> str:
    """Return names as a list in a sentence: at most so many, and how many more there are."""
    names = [escape_invisible(str(value)) for value in values]
    if len(names) > most:
        return ", ".join(names[:most]) + f" and {len(names) - most} more"
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]


def _rank_set(row: Mapping[str, Any]) -> str:
    """Return the ranks that a system could have."""
    if not row["assessable"]:
        return "–"
    low, high = int(row["rank_low"]), int(row["rank_high"])
    return str(low) if low == high else f"{low} to {high}"


def _fewest(row: Mapping[str, Any]) -> str:
    """Return the fewest removals, with the kind of bound."""
    if row["fewest"] is None:
        return "none found"
    return f"{row['fewest']:,.0f}" if row["bound"] == "exact" else f"at most {row['fewest']:,.0f}"


def plain_text(markup: str) -> str:
    """Return the first paragraph of an answer as plain text."""
    first = re.search(r"<p[^>]*>(.*?)</p>", markup, re.S)
    text = re.sub(r"<[^>]+>", "", first[1] if first else markup)
    return escape_invisible(" ".join(html.unescape(text).split()))


# ------------------------------------------------------------------ files


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def split_by(judgments: Judgments, column: str) -> dict[str, Judgments]:
    """Return the judgments of each value of a column, such as ``domain``.

    Raises
    ------
    DataError
        ``no_such_column``.
    """
    table = judgments.table
    if column not in table:
        known = ", ".join(map(str, table.columns))
        raise DataError("no_such_column", column="each", value=column, expected=known)
    values = [str(value) for value in table[column].dropna().unique()]
    words = {"domain": "domains", "document": "documents", "annotator": "annotators"}
    if column in words:
        chosen: dict[str, dict[str, Any]] = {value: {words[column]: [value]} for value in values}
        return {value: keep(judgments, **parts) for value, parts in chosen.items()}
    rows = {value: (table[column].astype(str) == value).to_numpy() for value in values}
    return {value: judgments.with_table(table[mask]) for value, mask in rows.items()}
