"""Settings of a table, guessed from the names and values of its columns, for a user to accept."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from companion.legacy.rankstability.errors import DataError

from . import columns, tables, text
from .columns import MISSING, NEEDED, is_number

NOTHING = (  # words that may stand for no score: proposed as `missing:`, never used unasked
    *(
        "-",
        "--",
        "–",
        "—",
        ".",
        "..",
        "?",
        "x",
        "#n/a",
        "#nv",
        "n.a.",
        "n. a.",
        "n.d.",
    ),
    "k. a.",
    "k.a.",
    "ka",
    "keine angabe",
    "keine antwort",
    "weiß nicht",
    "nicht bewertet",
    "s/o",
    "sans objet",
    "sin datos",
    "nd",
    "not applicable",
    "no answer",
    "not rated",
    "missing",
    "don't know",
    "dont know",
    "dk",
    "skip",
    "skipped",
    "unsure",
    "cannot judge",
    "empty",
)
SIDES = (
    "left",
    "right",
    "model_a",
    "model_b",
    "tie",
    "tie (bothbad)",
    "both_bad",
)
NAMED = 20  # columns of a wide table that are named one by one
ITEMS = 10  # columns that are taken for segments
MOST = 12  # columns among which those of battles are looked for
BESIDE = (
    "segment",
    "document",
    "annotator",
)  # one is needed next to columns of systems
LIKELY = {  # words that make a column likely to be ours: suggested, never used unasked
    "system": {
        "system",
        "engine",
        "model",
        "product",
        "mt",
        "provider",
        "service",
        "vendor",
    },
    "segment": {
        "segment",
        "sentence",
        "item",
        "question",
        "prompt",
        "example",
        "sample",
        "line",
    },
    "annotator": {
        "annotator",
        "rater",
        "judge",
        "user",
        "evaluator",
        "assessor",
        "reviewer",
    },
    "score": {
        "score",
        "rating",
        "adequacy",
        "fluency",
        "quality",
        "answer",
        "grade",
        "points",
    },
}
LIKELY["annotator"] |= {
    "respondent",
    "participant",
    "worker",
    "person",
    "who",
    "name",
}
LIKELY["score"] |= {
    "mark",
    "stars",
    "evaluation",
    "assessment",
    "value",
    "percent",
    "judgement",
}
LIKELY["system"] |= {
    "produkt",
    "modell",
    "anbieter",
    "système",
    "moteur",
    "sistema",
    "motor",
}
LIKELY["segment"] |= {
    "satz",
    "frage",
    "beispiel",
    "phrase",
    "exemple",
    "segmento",
    "frase",
}
LIKELY["segment"] |= {"instance", "task", "benchmark", "problem", "case"}
LIKELY["annotator"] |= {
    "wer",
    "bewerter",
    "nutzer",
    "prüfer",
    "annotateur",
    "évaluateur",
}
LIKELY["annotator"] |= {
    "evaluador",
    "evaluadora",
    "anotador",
    "anotadora",
    "respondente",
}
LIKELY["score"] |= {
    "bewertung",
    "punkte",
    "wertung",
    "puntuación",
    "valutazione",
}
LIKELY["score"] |= {"correct", "resolved", "accuracy", "passed", "judgment"}
METRICS = {
    "em",
    "f1",
    "bleu",
    "chrf",
    "comet",
    "ter",
    "rouge",
    "meteor",
    "bertscore",
    "bleurt",
}
METRICS |= {
    "wer",
    "cer",
    "precision",
    "recall",
    "latency",
    "tokens",
    "cost",
    "fluency",
    "match",
}
RANGE = re.compile(
    r"(-?\d+)\s*(?:-|\u2013|to|\.\.)\s*(\d+)\W*$"
)  # a scale in a name
WRITES = "`rankstability verdict PATH --write-settings` writes it"
Open = dict[
    str, list[str]
]  # our columns that may be several of the file's, or none


def almost(path: Path) -> tuple[str, str]:
    """What a file lacks to be a long table, and the remedy; both empty if it is unlike one."""
    names = columns.header(path)
    if mapping := battle(path):
        like = "it looks like battles of two systems in columns of other names"
        return like, shown({"columns": mapping})
    found = columns.guess(path)
    near = likely(names) | set(found)
    missing = [name for name in NEEDED if name not in found]
    entry: dict[str, Any] = {}
    open_: Open = {"": []}
    if near or len(names) > 1:
        with contextlib.suppress(
            DataError
        ):  # a damaged row: reported when it is read
            entry, open_ = proposed(path, {})
    if "wide" not in entry and not (
        len(near) > 1 and {"system", "score"} & near
    ):
        return "", ""
    if "wide" in entry:
        named = (
            entry["wide"] if isinstance(entry["wide"], list) else names[-4:]
        )
        some = ", ".join(named[:4]) + (
            ", ..." if len(named) > 4 or named is not entry["wide"] else ""
        )
        of = columns.beside_each_other({**found, **entry.get("columns", {})})
        like = (
            f"it looks like a wide table with a column for each {of} ({some})"
        )
    else:
        like = f"it looks like a long table without a column for {' and '.join(missing)}"
    if not open_:
        return like, shown(entry)
    guessed = entry.get("columns", {})
    may = {
        ours: open_.get(ours) or [guessed.get(ours, "<your column>")]
        for ours in missing
    }
    hints = ", ".join(
        f"{ours}: {' or '.join(names)}" for ours, names in may.items()
    )
    told = f"or {columns.asked(missing[0], 'your column')} on the command line"
    expected = f"`columns: {{{hints}}}` in a campaign.yaml beside it, {told}"
    return like, expected + in_python(path, {**found, **guessed})


def likely(names: Sequence[str]) -> set[str]:
    """Which of our columns the words of some names make likely."""
    return {
        ours
        for ours in LIKELY
        if any(_words(name) & LIKELY[ours] for name in names)
    }


def may_be_people(name: str) -> bool:
    """Whether the words of a column's name are those of people who judge."""
    return bool(_words(name) & (LIKELY["annotator"] - {"name"}))


def in_python(path: Path, names: Mapping[str, str]) -> str:
    """Three lines of Python that give the judgments of a table, as far as its columns are known."""
    given = [
        f'{ours}="{names.get(ours) or "<your column>"}"' for ours in NEEDED
    ]
    given += [
        f'{ours}="{names[ours]}"'
        for ours in ("annotator", "document")
        if names.get(ours)
    ]
    battles = "rs.battles(frame, left=..., right=..., winner=...)"
    return (
        f"; or in Python, whatever the table is like:\n{_frame(path)}"
        f"  judgments = rs.judgments(frame, {', '.join(given)})  # of battles: {battles}"
    )


def battles_in_python(path: Path, names: Mapping[str, str]) -> str:
    """Lines of Python that give the battles of a table whose winners are other words."""
    left, right, winner = (
        names[name] for name in ("system1", "system2", "winner")
    )
    words = f'{{1: "{left}", 2: "{right}", 0: "tie"}}'
    return (
        f"; or in Python, with your words for the three:\n{_frame(path)}"
        f'  frame["{winner}"] = frame["{winner}"].replace({words})\n'
        f'  judgments = rs.battles(frame, left="{left}", right="{right}", winner="{winner}")\n'
    )


def _frame(path: Path) -> str:
    """The lines of Python that read a table."""
    ending = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    how = {
        "xlsx": "excel",
        "parquet": "parquet",
        "json": "json",
        "jsonl": "json",
    }
    options = {"tsv": ', sep="\\t"', "jsonl": ", lines=True"}.get(ending, "")
    if (
        ending in ("csv", "txt")
        and (sign := tables.separator(text.first_line(path))) != ","
    ):
        options = f", sep={sign!r}"
    return (
        "  import pandas as pd, rankstability as rs\n"
        f'  frame = pd.read_{how.get(ending, "csv")}("{path.name}"{options})\n'
    )


def battle(path: Path) -> dict[str, str]:
    """The columns of two systems and of the winner in a table, by their values; empty if unclear.

    In each row, the winner is one of the two, or a word for a side or a tie.
    """
    with contextlib.suppress(
        DataError
    ):  # damaged, or of several sheets: said elsewhere
        sheet = columns.sheet_of(path, {})[0]
        frame = tables.any_table(path, sheet=sheet).frame.astype(str)
        several = [
            name for name in frame if 1 < frame[name].nunique() < len(frame)
        ]
        named = [
            name for name in several if not frame[name].map(is_number).any()
        ]
        found = [
            three
            for three in itertools.permutations(named[:MOST], 3)
            if _fought(frame, three)
        ]
        found = [
            three
            for three in found
            if named.index(three[0]) < named.index(three[1])
        ]
        if len(found) == 1:
            mapping = dict(zip(columns.BATTLE, found[0], strict=True))
            for ours, words in (
                ("judge", "annotator"),
                ("question", "segment"),
            ):
                free = [name for name in frame if name not in mapping.values()]
                may = [name for name in free if _words(name) & LIKELY[words]]
                mapping |= {ours: may[0]} if len(may) == 1 else {}
            return mapping
    return {}


def _fought(frame: pd.DataFrame, names: tuple[str, ...]) -> bool:
    """Whether three columns may be the two systems of battles and the winner."""
    left, right, winner = (frame[name] for name in names)
    alike = set(left) & set(right)
    if (
        2 * len(alike) < min(left.nunique(), right.nunique())
        or left.eq(right).any()
    ):
        return False
    said = (
        winner.isin([*SIDES, *names[:2]]) | winner.eq(left) | winner.eq(right)
    )
    return bool(said.all())


def shown(entry: Mapping[str, Any]) -> str:
    """Guessed settings, as a campaign.yaml for the user to accept."""
    return f"a campaign.yaml beside it ({WRITES}):\n{written(entry)}"


def written(entry: Mapping[str, Any]) -> str:
    """Settings as the text of a campaign.yaml, one per line."""
    nested = any(isinstance(value, list | dict) for value in entry.values())
    style = None if nested else False
    return yaml.safe_dump(
        dict(entry),
        default_flow_style=style,
        allow_unicode=True,
        sort_keys=False,
        width=10**6,
    )


def _words(name: str) -> set[str]:
    return set(
        re.findall(
            r"[^\W\d_]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()
        )
    )


def proposed(
    path: Path, settings: Mapping[str, Any]
) -> tuple[dict[str, Any], Open]:
    """Settings under which a file is a long table, guessed from names and values; what stays open.

    A column is guessed if it alone has a likely name (`LIKELY`) and fitting values, or is the only
    one left with fitting values. What stays open maps a column of ours to those it may be.
    """
    table = tables.any_table(path, sheet=columns.sheet_of(path, settings)[0])
    cells = {
        name: column.astype(str).tolist()
        for name, column in table.frame.items()
    }
    found = columns.columns_of(list(cells), settings.get("columns") or {})
    systems = _side_by_side(cells, found)
    entry: dict[str, Any] = {}
    if len(systems) > 1:
        left = {
            name: one for name, one in cells.items() if name not in systems
        }
        wanted = {"segment", "annotator"} - {columns.beside_each_other(found)}
        guessed, open_ = _guessed(left, found, sorted(wanted, reverse=True))
        unnamed = not {name for name in left if name} and "system" not in found
        guessed, open_ = (
            ({}, {}) if unnamed else (guessed, open_)
        )  # the rows are the segments
        mapped = {*found.values(), *guessed.values()}
        others = [name for name in left if name and name not in mapped]
        others = [name for name in others if not columns.summarises(name)]
        numbers = any(
            map(
                columns.is_score,
                (cell for name in others for cell in left[name]),
            )
        )
        every = unnamed or (len(systems) > NAMED and not numbers)
        entry["wide"] = "all" if every else systems
    else:
        guessed, open_ = _guessed(cells, found, tuple(LIKELY))
        scale = RANGE.search(guessed.get("score", found.get("score", "")))
        if scale and int(scale[1]) < int(scale[2]):
            entry["scale"] = [int(scale[1]), int(scale[2])]
    scores = [
        cells[name]
        for name in systems or [guessed.get("score", found.get("score", ""))]
        if name in cells
    ]
    words = {
        cell for said in scores for cell in said if cell.lower() in NOTHING
    }
    if words and not settings.get("missing"):
        entry["missing"] = sorted(words)
    return ({"columns": guessed} if guessed else {}) | entry, open_


def settled(path: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    """All settings by which a table is read: `said`, `proposed`, and all other renamed columns.

    Raises DataError if names and values leave a column open.
    """
    with text.placed(path, 1):
        entry, open_ = ({}, {}) if said.get("wide") else proposed(path, said)
        for ours, may in open_.items():
            problem = f"{'several columns' if may else 'no column'} may be the {ours}"
            value = ", ".join(may) or None
            raise DataError(
                problem,
                value=value,
                expected=columns.asked(ours, "your column"),
            )
        sheet, _ = columns.sheet_of(path, said)
        names = columns.columns_of(
            tables.header(path, sheet), said.get("columns") or {}
        )
    mapped = {ours: theirs for ours, theirs in names.items() if ours != theirs}
    mapped |= entry.get("columns", {})
    return {"columns": mapped} | {
        k: v for k, v in {**entry, **said}.items() if k != "columns"
    }


def _guessed(
    cells: Mapping[str, list[str]],
    found: Mapping[str, str],
    wanted: Sequence[str],
) -> tuple[dict[str, str], Open]:
    """Guesses at our `wanted` columns that are not `found`; and those that stay open."""
    guessed: dict[str, str] = {}
    open_: Open = {}
    for by_name in (True, False):  # by name first, then by elimination
        for ours in (
            one for one in wanted if one not in found and one not in guessed
        ):
            taken = {*found.values(), *guessed.values()}
            fit = [
                name
                for name, said in cells.items()
                if name not in taken and _fits(ours, said)
            ]
            may = [
                name
                for name in fit
                if not by_name or _words(name) & LIKELY[ours]
            ]
            if len(may) == 1 and (by_name or ours in NEEDED):
                guessed[ours] = may[0]
                open_.pop(ours, None)
            elif ours in NEEDED or (by_name and may):
                open_.setdefault(ours, []).extend(
                    n for n in may if n not in open_.get(ours, [])
                )
    return guessed, open_


def _fits(ours: str, cells: Sequence[str], least: int = 2) -> bool:
    """Whether cells may be the values of one of our columns; `least` distinct ones if scores."""
    given = [cell for cell in cells if cell.lower() not in MISSING]
    if ours == "score":
        given = [cell for cell in given if cell.lower() not in NOTHING]
    numbers = bool(given) and all(map(is_number, given))
    distinct = len(set(given))
    if ours == "score":
        return (
            bool(given)
            and all(map(columns.is_score, given))
            and distinct >= least
        )
    if ours == "segment":
        return distinct > 1
    return 1 < distinct <= len(given) / 2 and not (
        ours == "system" and numbers
    )


def _side_by_side(
    cells: Mapping[str, list[str]], found: Mapping[str, str]
) -> list[str]:
    """The columns of scores of a wide table: for each system, segment or annotator; or none.

    Columns of systems stand next to one of `BESIDE`, those of annotators next to system and
    segment, those of segments, at least `ITEMS`, next to the system. Unless systems, they are all
    columns that are left.
    """
    if "score" in found:
        return []
    free = [
        name
        for name in cells
        if name not in found.values() and not columns.summarises(name)
    ]
    if "system" in found:
        fit = [name for name in free if _fits("score", cells[name], least=1)]
        told = any(map(_is_measure, fit))
        once = len(set(cells[found["system"]])) == len(cells[found["system"]])
        items = len(fit) >= ITEMS or "segment" in found or once
        return (
            fit
            if items and not told and "annotator" not in found and fit == free
            else []
        )
    beside = [
        name
        for name in free
        if _words(name) & (LIKELY["segment"] | LIKELY["annotator"])
    ]
    fit = [
        name
        for name in free
        if name and name not in beside and _fits("score", cells[name])
    ]
    told = any(
        _words(name) & LIKELY["system"] or _is_measure(name) for name in free
    )
    named = (
        beside
        or {*BESIDE} & set(found)
        or (not found and {*fit, ""} >= set(free))
    )
    return fit if named and not told else []


def _is_measure(name: str) -> bool:
    """Whether a column is named as a score or a metric, not as what is scored."""
    return bool(
        _words(name) & LIKELY["score"]
        or set(name.lower().split("_")) & METRICS
    )
