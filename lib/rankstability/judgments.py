"""Judgments in tidy form, which of their rows count, and which systems are human or references.

MQM judgments are a frame of errors instead; see `read.mqm`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from .errors import DataError

TYPES = ("BAD_REF", "REF", "REPEAT", "SYSTEM")  # of rows of direct assessment
COUNTED = ("SYSTEM", "REPEAT")  # types that count; REF and BAD_REF only help to standardise
MARKS = ("tutorial", "document score", "incomplete", "duplicate", "superseded", "no segment")
"""Why a row of an Appraise export does not count: training before the task, the score of a whole
document, a document cut short to fill a HIT or shown again, all but the latest of one account's
repeats of an item (all left out by WMT24), an unknown segment.
"""
ROWS = (
    *("good workers", "no document with a bad item", "latest complete", "every repeat"),
    "no document with a bad item, document scores too",
)
UNKNOWN_Z = ("worker without rows in ad-latest", "worker whose scores never vary")
ZERO_VARIANCE = ("drop", "zero")
REFERENCE = "_ref"  # the reference's id in relative ranking
_HUMAN = re.compile(
    r"HUMAN|(?i:(?:^|[-_.])human(?:[-_.]|$))|^ref[-_]?[A-Z]$|^reference(_r\d)?$|^translator-[A-Z]$"
)


@dataclass(frozen=True)
class DirectAssessment:
    """The judgments of one language pair of DA or ESA.

    Attributes
    ----------
    latest : DataFrame
        All rows of ``ad-latest``, from which a worker's mean and standard deviation are computed.
    good : DataFrame
        The rows of ``ad-good-raw-redup``, which are scored and ranked.
        Columns of both: worker, hit, system, document, segment, type, block (categoricals with the
        same categories in both frames; hit, document, block may be missing), score (in `scale`);
        perhaps domain, time (seconds), and mark (one of `MARKS`; as read, only in ``latest``).
        In ``latest``, a system may be a joined id ``A+B``.
    excluded : DataFrame
        Columns file, reason, rows: what was left out of the frames, and what is doubtful in them.
    zero_variance : str
        The z-score of workers whose scores never vary: ``drop`` gives them none (as at WMT21);
        ``zero`` gives 0 (as in WMT22's official averages).
    file : str
        The source as error messages name it; may be empty.
    adaptive : bool
        Whether later judgments went to systems chosen by earlier ones, or to other documents;
        systems are then compared only within segments.
    """

    pair: str
    latest: pd.DataFrame
    good: pd.DataFrame
    excluded: pd.DataFrame
    scale: tuple[float, float] = (0.0, 100.0)
    zero_variance: str = "drop"
    file: str = ""
    adaptive: bool = False


def share_categories(frames: Sequence[pd.DataFrame], columns: Sequence[str]) -> None:
    """Give `columns` the same categories in all frames, in place; ``NA`` and ``''`` are missing.

    Categories are sorted; those of ``type`` are `TYPES`.
    """
    for column in columns:
        seen: set[str] = set()
        for frame in frames:
            values = frame[column].cat
            used = np.unique(values.codes.to_numpy())
            seen.update(values.categories[used[used >= 0]])
        categories = list(TYPES) if column == "type" else sorted(seen - {"", "NA"})
        for frame in frames:
            frame[column] = frame[column].cat.set_categories(categories)


COLUMNS = ("worker", "hit", "system", "document", "segment", "type", "score", "block")
MORE = ("domain", "mark", "time")  # if a campaign has them


def direct_assessment(
    pair: str,
    latest: pd.DataFrame,
    good: pd.DataFrame | None = None,
    excluded: pd.DataFrame | None = None,
) -> DirectAssessment:
    """The judgments of one language pair, from plain frames.

    Columns are those of `COLUMNS` and `MORE`: system, segment, type and score are required, others
    may be absent. Without `good`, `latest` is used for both. `excluded`: file, reason, rows.
    """
    columns = [*COLUMNS, *(name for name in MORE if name in latest)]
    names = [name for name in columns if name not in ("score", "time")]
    frames = [latest] if good is None else [latest, good]
    tidy = [frame.reindex(columns=columns).astype({"score": float}) for frame in frames]
    for frame in tidy:
        for name in names:
            known = frame[name].notna()
            frame[name] = pd.Categorical(frame[name].where(~known, frame[name].astype(str)))
    share_categories(tidy, names)
    if excluded is None:
        excluded = pd.DataFrame(columns=["file", "reason", "rows"])
    return DirectAssessment(pair, tidy[0], tidy[-1].copy(), excluded)


def rows_with(frame: pd.DataFrame, column: str, values: Collection[str]) -> np.ndarray:
    """Mask of the rows whose categorical `column` has one of `values`; missing never matches."""
    held = frame[column].cat
    wanted = np.append(held.categories.isin(list(values)), False)  # the last: missing
    return wanted[held.codes.to_numpy()]


def of_type(frame: pd.DataFrame, *types: str) -> np.ndarray:
    """Mask of the rows of one of these types (of `TYPES`)."""
    return rows_with(frame, "type", types)


def counted(frame: pd.DataFrame) -> np.ndarray:
    """Mask of the rows whose scores count: SYSTEM and REPEAT."""
    return rows_with(frame, "type", COUNTED)


def unmarked(frame: pd.DataFrame) -> np.ndarray:
    """Mask of the rows without a mark; all rows if the frame has no marks."""
    return frame["mark"].isna().to_numpy() if "mark" in frame else np.ones(len(frame), bool)


def select_rows(da: DirectAssessment, rows: str) -> DirectAssessment:
    """The judgments with the rows of ``good`` that a recipe selects: `rows` is one of `ROWS`.

    ``good workers`` and ``latest complete`` keep ``good`` as read. ``every repeat`` adds
    incomplete, duplicate and superseded rows. ``no document with a bad item`` adds them, too, but
    drops every document (of one account and system) that holds a BAD item; with ``document scores
    too``, a document's score counts as one more segment (as in the final results of WMT-SLT23).
    """
    if rows not in ROWS:
        raise DataError("unknown selection of rows", value=rows, expected=", ".join(ROWS))
    good = da.good
    if rows not in ("good workers", "latest complete") and "mark" in da.latest:
        marks = MARKS[1:5] if rows.endswith("document scores too") else MARKS[2:5]
        good = da.latest[unmarked(da.latest) | rows_with(da.latest, "mark", marks)]
    if not rows.startswith("no document with a bad item"):
        return replace(da, good=good)
    document = "block" if good["block"].notna().any() else "document"
    if good[document].isna().all():
        return replace(da, good=good)
    number = good.groupby(
        ["worker", "hit", "system", document], observed=True, dropna=False, sort=False
    ).ngroup()
    bad = number[of_type(good, "BAD_REF")].unique()
    return replace(da, good=good[~number.isin(bad)])


def unstandardised(da: DirectAssessment) -> np.ndarray:
    """Why each row of ``da.good`` cannot be standardised by its worker: one of `UNKNOWN_Z`.

    Empty if it can, and for rows that do not count. A worker's only score counts as never varying.
    """
    rows = da.latest[unmarked(da.latest)]
    scores = rows.groupby(rows["worker"].astype(str), observed=True)["score"]
    spread = (scores.max() - scores.min()).reindex(da.good["worker"].astype(str)).to_numpy()
    reasons = np.select([np.isnan(spread), spread < 1e-9], UNKNOWN_Z, "")
    return np.where(counted(da.good), reasons, "")


def of_systems(frame: pd.DataFrame, systems: Collection[str]) -> np.ndarray:
    """Mask of the rows with one of these system ids; a joined id ``A+B`` is an id of its own."""
    return rows_with(frame, "system", systems)


def human_or_reference(frame: pd.DataFrame, humans: Collection[str]) -> np.ndarray:
    """Mask of the rows of type REF and of those of these human systems."""
    return of_type(frame, "REF") | of_systems(frame, humans)


def is_human(system: str) -> bool:
    """Whether an id names a human translation: ``HUMAN.0``, ``newstest2019-human``, ``ref-A``."""
    return bool(_HUMAN.search(system))


def human_systems(da: DirectAssessment) -> tuple[str, ...]:
    """Ids in either frame for which `is_human` holds (also joined ones: ``HUMAN.0+A``); sorted."""
    names = da.latest["system"].cat.categories.union(da.good["system"].cat.categories)
    return tuple(sorted(str(n) for n in names if is_human(str(n))))


def reference_systems(da: DirectAssessment) -> tuple[str, ...]:
    """Ids of rows of type REF in either frame: ``REFERENCE``, or ids of real systems; sorted."""
    names: set[str] = set()
    for frame in (da.latest, da.good):
        names.update(map(str, frame.loc[of_type(frame, "REF"), "system"].dropna().unique()))
    return tuple(sorted(names))


def ranked_systems(da: DirectAssessment) -> tuple[str, ...]:
    """Systems with a judgment that counts (SYSTEM or REPEAT in ``good``); sorted."""
    codes = np.unique(da.good["system"].cat.codes.to_numpy()[counted(da.good)])
    return tuple(str(n) for n in sorted(da.good["system"].cat.categories[codes[codes >= 0]]))


def at_least_two(da: DirectAssessment, machine: bool = False) -> None:
    """Raises DataError if fewer than two systems are ranked or, with `machine`, all are human."""
    ranked = ranked_systems(da)
    other = "two systems or more; run the other pairs with pair="
    if len(ranked) < 2:
        raise DataError(f"fewer than two systems in {da.pair}", value=ranked, expected=other)
    if machine and all(is_human(name) for name in ranked):
        wanted = "a system that is not human; run the other pairs with pair="
        raise DataError(f"only human systems in {da.pair}", value=ranked, expected=wanted)


@dataclass(frozen=True)
class Blocks:
    """The blocks of one task of relative ranking as arrays.

    `codes` (positions in `systems`, which are in alphabetical order; -1: nothing shown) and `ranks`
    (1 = best, -1 = left blank) have shape (blocks, slots); `block` (the number of `read.rr.read_rr`
    over all files), `judge` and `segment` have one entry per block.
    """

    systems: tuple[str, ...]
    codes: np.ndarray
    ranks: np.ndarray
    block: np.ndarray
    judge: np.ndarray
    segment: np.ndarray

    @property
    def ranked(self) -> np.ndarray:
        """Mask of the outputs that were shown and given a rank: (blocks, slots)."""
        return (self.codes >= 0) & (self.ranks > 0)

    def take(self, rows: np.ndarray) -> Blocks:
        """Only these blocks (a mask, or indices, which may repeat)."""
        arrays = ("codes", "ranks", "block", "judge", "segment")
        return replace(self, **{name: getattr(self, name)[rows] for name in arrays})


def blocks(frame: pd.DataFrame) -> Blocks:
    """The blocks of one task, from its rows of `read.rr.read_rr`.

    Raises DataError if there are no rows, or rows of several tasks.
    """
    if frame.empty:
        raise DataError("no blocks", expected="the rows of one task")
    if len(tasks := frame["task"].unique()) > 1:
        raise DataError("more than one task", value=list(tasks), expected="the rows of one task")
    index, number = pd.factorize(frame["block"].to_numpy(), sort=True)
    systems = tuple(sorted(frame["system"].unique()))
    slot = frame["position"].to_numpy() - 1
    shape = (len(number), int(slot.max()) + 1)
    codes, ranks = np.full(shape, -1), np.full(shape, -1)
    codes[index, slot] = pd.Categorical(frame["system"], categories=systems).codes
    ranks[index, slot] = frame["rank"].to_numpy()
    first = np.zeros(len(number), dtype=int)
    first[index[::-1]] = np.arange(len(frame))[::-1]
    judge = frame["judge"].iloc[first].astype(str).to_numpy()
    return Blocks(systems, codes, ranks, number, judge, frame["segment"].to_numpy()[first])
