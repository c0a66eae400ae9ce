"""The columns of a long table: which of a file's are ours, and the pair of its rows."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from . import languages, parquet, tables, text
from .tables import Table

PERCENT, PENALTIES = (0.0, 100.0), (-np.inf, 0.0)  # scales that formats have
NEEDED = ("system", "segment", "score")
FIELDS = {  # our column: names it may have, without case, blanks and signs
    "system": ("system", "systemid", "sys", "model"),
    "segment": ("segment", "segmentid", "segid", "seg"),
    "score": ("score", "rating", "rawscore"),
    "annotator": ("annotator", "annotatorid", "worker", "workerid", "rater", "raterid", "judge"),
    "hit": ("hit", "hitid", "task", "taskid"),
    "document": ("document", "documentid", "doc", "docid"),
    "domain": ("domain",),
    "pair": ("pair", "languagepair", "langs", "lp"),
    "type": ("type", "itemtype"),
    "time": ("time", "seconds", "duration", "leadtime"),
}


@dataclass(frozen=True)
class Judged:
    """The single scores of one file."""

    table: Table  # text, in the file's own columns; one row per score, given or missing
    names: Mapping[str, str]  # our column (of `FIELDS`) to the file's
    excluded: Mapping[str, int]  # what of the file is not in the table, by reason
    pair: str = ""  # of all rows where no column says it, and who says so
    pair_from: str = ""
    scale: tuple[float, float] | None = None  # what the format allows, where it says so

    def column(self, name: str) -> pd.Series:
        """Our column as text; empty where the file has none."""
        if name not in self.names:
            return pd.Series("", index=self.table.frame.index, dtype=object)
        return self.table.frame[self.names[name]].astype(object)

    def pairs(self) -> np.ndarray:
        """The language pair of each row."""
        if "pair" not in self.names:
            return np.full(len(self.table.frame), self.pair, dtype=object)
        written = self.column("pair")
        ours = written.map({one: languages.pair_of(one) for one in written.unique()})
        bad = np.flatnonzero((ours == "").to_numpy())
        if len(bad):
            expected = "a pair such as cs-en"
            raise self.table.error("not a language pair", bad[0], self.names["pair"], expected)
        return ours.to_numpy(dtype=object)

    def scores(self) -> np.ndarray:
        """Scores as numbers, NaN where missing or not a number."""
        return pd.to_numeric(self.column("score"), errors="coerce").to_numpy(float)


Opener = Callable[[Path, Mapping[str, Any]], Judged]


def plain(name: str) -> str:
    """A name without case, blanks and signs."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def columns_of(header: Sequence[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Our columns to those of a header: as `mapping` says, else by the names of `FIELDS`.

    Refused: two columns that may be the same of ours; one of `mapping` that the header has not.
    """
    found = {}
    for ours, names in FIELDS.items():
        free = [name for name in header if name not in mapping.values()]
        exact = [name for name in free if plain(name) == ours]
        may = exact or [name for name in free if plain(name) in names]
        if ours in mapping:
            may, there = [mapping[ours]], ", ".join(header)
            if mapping[ours] not in header:
                raise DataError(f"no such column for {ours}", value=mapping[ours], expected=there)
        if len(may) > 1:
            expected = f"`columns: {{{ours}: {may[0]}}}` in a campaign.yaml"
            problem = f"several columns may be the {ours}"
            raise DataError(problem, value=", ".join(may), expected=expected)
        if may:
            found[ours] = may[0]
    return found


def knows(path: Path, line: str) -> bool:
    """Whether the first line names system, segment and score."""
    return not set(NEEDED) - set(_guess(path, line))


def _guess(path: Path, line: str) -> dict[str, str]:
    try:
        return columns_of(header(path, line), {})
    except DataError:
        return {name: "" for name in NEEDED}  # clear enough to be refused by name


def header(path: Path, line: str) -> list[str]:
    """The names of columns (of JSON: every name) in the first line of a file."""
    if path.suffix.lower() == ".parquet":
        return parquet.names(path)
    if line.lstrip()[:1] in ("{", "["):
        return re.findall(r'"(\w[\w .-]*)"\s*:', line)
    return [name.strip() for name in tables.cells(line, tables.separator(line))]


def almost(path: Path, line: str) -> tuple[str, str]:
    """What a file that is no long table lacks to be one, and the remedy; empty where unlike one."""
    columns = header(path, line)
    found = _guess(path, line)
    missing = [name for name in NEEDED if name not in found]
    if len(missing) > 1 and not ({"system", "score"} & set(found) and len(found) > 1):
        return "", ""
    close = {m: difflib.get_close_matches(m, columns, 1, 0.5) for m in missing}
    hints = [f"{m}: {close[m][0] if close[m] else '<your column>'}" for m in missing]
    like = f"it looks like a long table without a column for {' and '.join(missing)}"
    return like, f"`columns: {{{', '.join(hints)}}}` in a campaign.yaml beside it"


def wide(path: Path, line: str) -> tuple[str, str]:
    """Of a table with a column of scores for each system: that it is one, and how to melt it.

    Empty where a file is no such table: segments, documents or annotators are named, neither system
    nor score is, and two or more of the other columns hold nothing but numbers.
    """
    found = _guess(path, line)
    if {"system", "score"} & set(found) or not {"segment", "document", "annotator"} & set(found):
        return "", ""
    frame = tables.any_table(path).frame
    others = frame.drop(columns=list(found.values())).astype(object)
    numbers = others.apply(pd.to_numeric, errors="coerce").notna()
    systems = others.columns[numbers.any() & (numbers | (others == "")).all()].tolist()
    if len(systems) < 2:
        return "", ""
    kept, sign = [name for name in frame.columns if name not in systems], tables.separator(line)
    shown = ", ".join(systems[:4]) + (", ..." if len(systems) > 4 else "")
    return f"it looks like a wide table with a column for each system ({shown})", (
        f"a row for each judgment, as pandas makes it: pd.read_csv({path.name!r}, sep={sign!r})"
        f".melt({kept}, var_name='system', value_name='score')"
        ".dropna(subset='score').to_csv('long.csv', index=False)"
    )


def opened(path: Path, settings: Mapping[str, Any]) -> Judged:
    """A long table in a file; `settings` (of campaign.yaml) may map columns and name the pair."""
    mapping = settings.get("columns") or {}
    with text.placed(path, 1):
        table = tables.any_table(path, lambda names: columns_of(names, mapping).values())
        header = [*table.frame.columns, *table.unread]
        names = columns_of(header, mapping)
        if missing := [name for name in NEEDED if name not in names]:
            known = "; ".join(" or ".join(FIELDS[name]) for name in missing)
            mapped = f"`columns: {{{missing[0]}: <yours>}}` in a campaign.yaml"
            expected = f"a header with {known}, or {mapped}"
            problem = f"no column for {' and '.join(missing)}"
            raise DataError(problem, value=", ".join(header)[:200], expected=expected)
    if table.frame.empty:
        raise DataError("a header and no rows", file=path, expected="judgments")
    table.check_values(names.values())
    return with_pair(Judged(table, names, Counter()), settings)


def people(accounts: pd.Series, said: Mapping[str, Sequence[str]], file: Path) -> pd.Series:
    """The annotator of each account: `said` holds patterns (``sggdeu08*``) of an annotator's.

    Raises a DataError that names `file` for an account that is none's or that of several.
    """
    of = {}
    for account in accounts.unique():
        fit = [who for who, those in said.items() if any(fnmatchcase(account, p) for p in those)]
        if len(fit) != 1:
            problem = f"an account of {'several annotators' if fit else 'no annotator'}"
            expected = "one entry of `annotator:` in campaign.yaml that fits it"
            raise DataError(problem, file=file, value=account, expected=expected)
        of[account] = fit[0]
    return accounts.map(of)


def with_pair(judged: Judged, settings: Mapping[str, Any]) -> Judged:
    """With the pair that campaign.yaml names, or the file's name, or else a placeholder."""
    if "pair" in judged.names:
        return judged
    if settings.get("pair"):
        return replace(judged, pair=settings["pair"], pair_from="campaign.yaml")
    named = languages.pair_in(judged.table.path)
    source = "the file's name" if named else "a placeholder: no column, name or setting says it"
    return replace(judged, pair=named or languages.PLACEHOLDER, pair_from=source)
