"""The long table: one judgment per row, from a spreadsheet or a crowd platform.

Other formats of single scores (Pearmut, WMT24, WMT25, MTME) are brought to the same columns, so
that scale, missing cells, types and pairs are treated in one place: here.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import COUNTED, DirectAssessment, direct_assessment
from . import languages, tables
from . import schema as schemas
from .tables import Table

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
TYPES = {"": "SYSTEM", "SYSTEM": "SYSTEM", "TGT": "SYSTEM", "REF": "REF", "REPEAT": "REPEAT"}
TYPES |= {"BAD_REF": "BAD_REF", "BAD": "BAD_REF"}
MISSING = ("", "na", "n/a", "nan", "null", "none")  # of a cell that holds nothing, in lower case
SCALES = ((0, 1), (1, 5), (0, 6), (1, 7), (0, 10), (0, 100))  # tried in this order
FEW_STEPS = 10  # a scale up to this has steps, of which
STRAY, ENOUGH = 0.01, 100  # at most this share of so many scores lies outside by a slip


@dataclass(frozen=True)
class Judged:
    """The single scores of one file.

    Attributes
    ----------
    table : Table
        Text, in the file's own columns; one row per score, given or missing.
    names : mapping
        Our column (of `FIELDS`) to the file's.
    excluded : Counter
        What of the file is not in the table, by reason.
    pair, pair_from : str
        The pair of all rows where no column says it, and who says so.
    """

    table: Table
    names: Mapping[str, str]
    excluded: Mapping[str, int]
    pair: str = ""
    pair_from: str = ""

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
        ours = written.map({text: languages.pair_of(text) for text in written.unique()})
        bad = np.flatnonzero((ours == "").to_numpy())
        if len(bad):
            expected = "a pair such as cs-en"
            raise self.table.error("not a language pair", bad[0], self.names["pair"], expected)
        return ours.to_numpy(dtype=object)

    def scores(self) -> np.ndarray:
        """Scores as numbers, NaN where missing or not a number."""
        return pd.to_numeric(self.column("score"), errors="coerce").to_numpy(float)


Opener = Callable[[Path, Mapping[str, Any]], Judged]


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def columns_of(header: Sequence[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Our columns to those of a header: as `mapping` says, else by the names of `FIELDS`.

    Raises
    ------
    DataError
        Two columns that may be the same of ours; one of `mapping` that the header has not.
    """
    found = {}
    for ours, names in FIELDS.items():
        if ours in mapping:
            if mapping[ours] not in header:
                raise DataError(
                    f"no such column for {ours}", value=mapping[ours], expected=", ".join(header)
                )
            found[ours] = mapping[ours]
            continue
        free = [name for name in header if name not in mapping.values()]
        exact = [name for name in free if _key(name) == ours]
        may = exact or [name for name in free if _key(name) in names]
        if len(may) > 1:
            raise DataError(
                f"several columns may be the {ours}",
                value=", ".join(may),
                expected=f"`columns: {{{ours}: {may[0]}}}` in a campaign.yaml",
            )
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
    if path.suffix == ".parquet":
        return list(tables.any_table(path).frame.columns)
    if line.lstrip()[:1] in ("{", "["):
        return re.findall(r'"(\w[\w .-]*)"\s*:', line)
    return [name.strip() for name in line.split(tables.separator(line))]


def almost(path: Path, line: str) -> str:
    """What a file that is no long table lacks to be one; empty where it is nothing like it."""
    columns = header(path, line)
    found = _guess(path, line)
    missing = [name for name in NEEDED if name not in found]
    if len(missing) > 1 and not ({"system", "score"} & set(found) and len(found) > 1):
        return ""
    close = {m: difflib.get_close_matches(m, columns, 1, 0.5) for m in missing}
    hints = [f"{m}: {close[m][0] if close[m] else '<your column>'}" for m in missing]
    return (
        f"it looks like a long table without a column for {' and '.join(missing)}; write "
        f"`columns: {{{', '.join(hints)}}}` in a campaign.yaml beside it"
    )


def opened(path: Path, settings: Mapping[str, Any]) -> Judged:
    """A long table in a file; `settings` (of campaign.yaml) may map columns and name the pair."""
    table = tables.any_table(path)
    header = list(table.frame.columns)
    try:
        names = columns_of(header, settings.get("columns") or {})
    except DataError as error:
        raise DataError(
            error.problem, file=path, line=1, value=error.value, expected=error.expected
        ) from None
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise DataError(
            f"no column for {' and '.join(missing)}",
            file=path,
            line=1,
            value=", ".join(header)[:200],
            expected="a header with "
            + "; ".join(" or ".join(FIELDS[name]) for name in missing)
            + f", or `columns: {{{missing[0]}: <yours>}}` in a campaign.yaml",
        )
    if table.frame.empty:
        raise DataError("a header and no rows", file=path, expected="judgments")
    return with_pair(Judged(table, names, Counter()), settings)


def with_pair(judged: Judged, settings: Mapping[str, Any]) -> Judged:
    """With the pair that campaign.yaml names, or the file's name, or else a placeholder."""
    if "pair" in judged.names:
        return judged
    if settings.get("pair"):
        return replace(judged, pair=settings["pair"], pair_from="campaign.yaml")
    named = languages.pair_in(judged.table.path)
    source = "the file's name" if named else "a placeholder: no column, name or setting says it"
    return replace(judged, pair=named or languages.PLACEHOLDER, pair_from=source)


def scale_of(parts: Sequence[Judged], settings: Mapping[str, Any]) -> tuple[float, float, str]:
    """Lowest and highest score that may be given, and who says so: the settings, or the data.

    From the data: the first of `SCALES` that holds every score; where all are 0 or below
    (penalties, such as averages of MQM), from the lowest to 0; else from the lowest to the highest.

    Raises
    ------
    DataError
        Where all but a few scores fit a scale of few steps.
    """
    if settings.get("scale"):
        low, high = settings["scale"]
        return float(low), float(high), "campaign.yaml"
    scores = np.concatenate([part.scores() for part in parts])
    scores = scores[np.isfinite(scores)]
    if not len(scores):
        return 0.0, 100.0, "no score"
    held = [(low, high) for low, high in SCALES if low <= scores.min() and scores.max() <= high]
    if held and held[0][1] <= FEW_STEPS:
        return *held[0], "the data"
    steps = [scale for scale in SCALES if 1 < scale[1] <= FEW_STEPS]
    if len(scores) >= ENOUGH and (scores == np.rint(scores)).all():
        for low, high in steps:
            outside = int(((scores < low) | (scores > high)).sum())
            if outside <= STRAY * len(scores):
                _refuse_stray(parts, low, high, outside, len(scores))
    return *(held[0] if held else (float(scores.min()), max(float(scores.max()), 0.0))), "the data"


def _refuse_stray(parts: Sequence[Judged], low: float, high: float, few: int, rows: int) -> None:
    for part in parts:
        bad = np.flatnonzero((part.scores() < low) | (part.scores() > high))
        if len(bad):
            raise part.table.error(
                "score out of scale",
                bad[0],
                part.names["score"],
                f"{low:g} to {high:g}, as all but {few} of {rows} scores are; "
                "or `scale: [lowest, highest]` in a campaign.yaml",
            )


def read(
    parts: Sequence[Judged], pair: str, settings: Mapping[str, Any]
) -> DirectAssessment | pd.DataFrame:
    """The judgments of one pair; where the files name no annotators, segment scores.

    Returns
    -------
    DirectAssessment or DataFrame
        All rows count; a row without a type is SYSTEM. ``scale`` is that of `scale_of`. Left out
        and counted: other pairs, cells without a score. Where segments are numbered within
        documents, a segment is named ``document:segment``. Without annotators: system, document,
        segment, raw, z (over all scores of the pair), n; rows of references and repeats left out.

    Raises
    ------
    DataError
        An empty name, a score that is not a number or out of scale, an unknown type, no rows.
    """
    low, high, said = scale_of(parts, settings)
    rows, excluded = [], []
    for part in parts:
        frame, counts = _checked(part, pair, low, high)
        rows.append(frame)
        file = part.table.path.name
        excluded += [(file, reason, n) for reason, n in counts.items() if n]
    frame = pd.concat(rows, ignore_index=True)
    if frame.empty:
        raise languages.no_rows([part.table.path for part in parts], pair, pairs(parts))
    names = [name for name in frame.columns if name != "score"]
    if again := int(frame[[*names, "score"]].duplicated().sum()):
        excluded.append(("", "identical rows (kept)", again))
    _name_by_document(frame)
    excluded.append(("", f"(kept: scale {low:g} to {high:g}, from {said})", len(frame)))
    counted = pd.DataFrame(excluded, columns=["file", "reason", "rows"])
    if workers(parts):
        return replace(direct_assessment(pair, frame, excluded=counted), scale=(low, high))
    return _segment_scores(frame, counted)


def _checked(part: Judged, pair: str, low: float, high: float) -> tuple[pd.DataFrame, Counter[str]]:
    """The rows of one pair with a score, in our columns, and what was left out."""
    names, counts = part.names, Counter(part.excluded)
    inside = part.pairs() == pair
    scored = ~part.column("score").str.lower().isin(MISSING).to_numpy()
    counts["other language pairs"] += int((~inside).sum())
    blanks = part.table.trimmed([names[name] for name in names if name != "score"])
    counts["(kept: blanks around names taken away)"] += blanks
    counts["no score (left out)"] += int((inside & ~scored).sum())
    keep = np.flatnonzero(inside & scored)
    schema = schemas.long_table("annotator" in names, low, high)
    frame = part.table.validated(schema, {name: names[name] for name in schema.columns}, keep)
    frame = frame.rename(columns={"annotator": "worker"})
    for name in frame.columns.difference(["score"]):
        frame[name] = frame[name].astype(str)
    for name in ("hit", "document", "domain"):
        if name in names:
            values = part.column(name).iloc[keep].reset_index(drop=True)
            frame[name] = values.where(~values.str.lower().isin(MISSING), None)
    frame["type"] = _types(part, keep)
    if "time" in names:
        time = pd.to_numeric(part.column("time"), errors="coerce")
        frame["time"] = time.iloc[keep].to_numpy(float)
    return frame, counts


def _types(part: Judged, keep: np.ndarray) -> np.ndarray:
    written = part.column("type").str.upper().iloc[keep]
    types = written.map(TYPES)
    bad = np.flatnonzero(types.isna().to_numpy())
    if len(bad):
        expected = "empty or one of " + ", ".join(name for name in TYPES if name)
        raise part.table.error("unknown type", int(keep[bad[0]]), part.names["type"], expected)
    return types.to_numpy(dtype=object)


def _name_by_document(frame: pd.DataFrame) -> None:
    """Where one segment id stands in several documents, it counts within them: both name it."""
    if "document" not in frame:
        return
    known = frame[frame["document"].notna()]
    if (known.groupby("segment")["document"].nunique() > 1).any():
        document = frame["document"].fillna("")
        frame["segment"] = document + ":" + frame["segment"]


def _segment_scores(frame: pd.DataFrame, excluded: pd.DataFrame) -> pd.DataFrame:
    counts = frame["type"].isin(COUNTED)
    frame = frame[counts]
    if frame.empty:
        raise DataError("only references and controls", expected="rows of type SYSTEM")
    scores = frame["score"]
    spread = scores.std(ddof=1)
    frame = frame.assign(z=(scores - scores.mean()) / spread if spread > 0 else 0.0)
    if "document" not in frame:
        frame["document"] = None
    place = ["system", "document", "segment"]
    out = frame.groupby(place, dropna=False, sort=True).agg(
        raw=("score", "mean"), z=("z", "mean"), n=("score", "size")
    )
    out = out.reset_index().astype({name: "category" for name in place})
    if (~counts).any():
        excluded.loc[len(excluded)] = ["", "references and controls (left out)", (~counts).sum()]
    out.attrs["excluded"] = excluded
    return out


def pairs(parts: Sequence[Judged]) -> tuple[str, ...]:
    """The language pairs of all rows, sorted."""
    return tuple(sorted({pair for part in parts for pair in np.unique(part.pairs())}))


def workers(parts: Sequence[Judged]) -> bool:
    """Whether the files name annotators.

    Raises
    ------
    DataError
        Where some do and some do not.
    """
    named = ["annotator" in part.names for part in parts]
    if any(named) and not all(named):
        raise DataError(
            "no column for annotator, which other files of the campaign have",
            file=parts[named.index(False)].table.path,
            line=1,
            expected="annotators in all files or in none",
        )
    return all(named)


def reading(parts: Sequence[Judged], settings: Mapping[str, Any]) -> pd.DataFrame:
    """How the files were understood: file, what, value, said by.

    The scale, the pair where no column says it, columns that have another name than ours, and
    columns that are not used.
    """
    low, high, said = scale_of(parts, settings)
    rows = [("all", "scale", f"{low:g} to {high:g}", said)]
    for part in parts:
        file, header = part.table.path.name, part.table.frame.columns
        if part.pair_from:
            rows.append((file, "pair", part.pair, part.pair_from))
        by = "campaign.yaml" if settings.get("columns") else "header"
        rows += [(file, f"column {o}", t, by) for o, t in part.names.items() if o != t]
        unused = [name for name in header if name not in part.names.values()]
        if unused:
            rows.append((file, "columns not used", ", ".join(unused), "header"))
    return pd.DataFrame(rows, columns=["file", "what", "value", "said by"])
