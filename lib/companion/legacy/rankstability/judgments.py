"""Judgments in tidy form, which of their rows count, and which systems are human or references.

MQM judgments are a frame of errors instead; see `companion.legacy.rankcampaigns.mqm`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd

from . import checks
from .errors import DataError

TYPES = ("BAD_REF", "REF", "REPEAT", "SYSTEM")  # of rows of direct assessment
# types that count; REF and BAD_REF only help to standardise
COUNTED = ("SYSTEM", "REPEAT")
REPEAT_MARKS = (
    "incomplete",
    "duplicate",
    "superseded",
)  # that ``every repeat`` adds
ROWS = (
    "good workers",
    "no document with a bad item",
    "latest complete",
    "every repeat",
    "no document with a bad item, document scores too",
)
EXCLUDED = ["file", "reason", "rows"]  # what was left out, or is doubtful
SECOND = "the same annotator's second score of the same output (kept)"
SECOND_VOTE = (
    "the same judge's second vote on a question and two systems (kept)"
)
BY_DOCUMENT = (
    "(kept: segments, numbered within documents, are named document:segment)"
)
UNKNOWN_Z = (
    "worker without rows in ad-latest",
    "worker whose scores never vary",
)
ZERO_VARIANCE = ("drop", "zero")
REFERENCE = "_ref"  # the reference's id in relative ranking
_HUMAN = re.compile(
    r"HUMAN|(?i:(?:^|[-_.])human(?:[-_.]|$))|^ref[-_]?[A-Z]$|^reference(_r\d)?$|^translator-[A-Z]$"
)


_MODEL = re.compile(  # in full: not a first name, such as Claude
    r"(?i)(?:^|[^a-z])(?:chatgpt|(?:gpt|claude|gemini|llama|qwen|mistral|deepseek)[-_ ]?[rv]?[1-9]"
    r"|claude[-_ ](?:opus|sonnet|haiku|instant)|gemini[-_ ](?:pro|flash|ultra)|mixtral|gpt-oss"
    r"|mistral[-_ ](?:small|medium|large)|gemba|x?comet|metricx|bleurt)"
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
        perhaps domain, time (seconds), and mark (why a row of an Appraise export does not count; as
        read, only in ``latest``).
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
    humans : tuple of str or None
        The human translations and references among the systems; None: those named so.
    year, form : int, str
        The campaign's year (0: unknown) and format, which say whose recipe it was ranked by.
    """

    pair: str
    latest: pd.DataFrame
    good: pd.DataFrame
    excluded: pd.DataFrame
    scale: tuple[float, float] = (0.0, 100.0)
    zero_variance: str = "drop"
    file: str = ""
    adaptive: bool = False
    humans: tuple[str, ...] | None = None
    year: int = 0
    form: str = "da"


def share_categories(
    frames: Sequence[pd.DataFrame], columns: Sequence[str]
) -> None:
    """Give `columns` the same categories in all frames, in place; ``NA`` and ``''`` are missing.

    Categories are sorted; those of ``type`` are `TYPES`.
    """
    for column in columns:
        seen: set[str] = set()
        for frame in frames:
            seen.update(frame[column].dropna().unique())
        categories = (
            list(TYPES) if column == "type" else sorted(seen - {"", "NA"})
        )
        for frame in frames:
            frame[column] = frame[column].cat.set_categories(categories)


COLUMNS = (
    "worker",
    "hit",
    "system",
    "document",
    "segment",
    "type",
    "score",
    "block",
)
MORE = ("domain", "mark", "time")  # if a campaign has them


def direct_assessment(
    pair: str,
    latest: pd.DataFrame,
    good: pd.DataFrame | None = None,
    excluded: pd.DataFrame | None = None,
    scale: tuple[float, float] = (0.0, 100.0),
) -> DirectAssessment:
    """The judgments of one language pair, from plain frames.

    Columns are those of `COLUMNS` and `MORE`: system, segment, type and score are required, others
    may be absent. Without `good`, `latest` is used for both. `excluded`: file, reason, rows.
    """
    columns = [*COLUMNS, *(name for name in MORE if name in latest)]
    names = [name for name in columns if name not in ("score", "time")]
    frames = [latest] if good is None else [latest, good]
    tidy = [
        frame.reindex(columns=columns).astype({"score": float})
        for frame in frames
    ]
    for frame in tidy:
        for name in names:
            cells = frame[name]
            frame[name] = pd.Categorical(
                cells.where(cells.isna(), cells.astype(str))
            )
    share_categories(tidy, names)
    if excluded is None:
        excluded = pd.DataFrame(columns=EXCLUDED)
    return DirectAssessment(pair, tidy[0], tidy[-1].copy(), excluded, scale)


def given_twice(frame: pd.DataFrame) -> int:
    """Half the rows, if each row stands in the frame an even number of times; else 0."""
    often = frame.groupby(list(frame), observed=True, dropna=False).size()
    return len(frame) // 2 if len(often) and not (often % 2).any() else 0


def second_votes(battles: pd.DataFrame) -> int:
    """How many battles are a judge's second of the same question and two systems, but not the same.

    Their sides are swapped, or another system won. `battles` is as for `battle_frame`; battles of
    unnamed judges are not counted.
    """
    sides = np.sort(battles[["system1", "system2"]].to_numpy(object), axis=1)
    told = battles[["judge", "question"]].assign(
        one=sides[:, 0], two=sides[:, 1]
    )
    second = told.duplicated() & (battles["judge"].astype(str) != "")
    return int((second & ~battles.duplicated()).sum())


def second_scores(frame: pd.DataFrame) -> int:
    """How many rows give another score to an output that the same annotator scored before.

    `frame` has the columns system, segment, type and score, and perhaps worker, hit and document.
    """
    if "worker" not in frame:
        return 0
    keys = frame.columns.intersection(
        ["worker", "hit", "document", "segment", "system", "type"]
    )
    twice = frame.duplicated(keys)
    alike = frame.duplicated([*keys, "score"])
    return int((twice & ~alike).sum())


def repeated(frame: pd.DataFrame) -> list[tuple[str, int]]:
    """What is doubtful in a table of judgments but kept: reasons, and numbers of rows.

    `frame` has the columns system, segment, type and score, and perhaps others of `COLUMNS`.
    """
    counts = frame["type"].isin(COUNTED)
    ranked = frame["system"].isin(frame.loc[counts, "system"])
    controls = "rows of type REF or BAD_REF of systems with other rows (kept, but not ranked)"
    notes = {
        "identical rows (kept)": int(frame.duplicated().sum()),
        SECOND: second_scores(frame),
        controls: int((~counts & ranked).sum()),
    }
    for name in frame.columns.intersection(["hit", "document", "domain"]):
        unnamed = int(frame[name].isna().sum())
        if unnamed < len(frame):
            notes[f"rows that name no {name} (kept)"] = unnamed
    return [(reason, rows) for reason, rows in notes.items() if rows]


def name_segments_by_document(frame: pd.DataFrame) -> bool:
    """Name segments ``document:segment``, in place, if they are numbered within documents.

    They are if half of the documents or more share a segment with another one; the result says so.
    If fewer do, `checks.refuse_contradictions` refuses them.
    """
    if "document" not in frame or not checks.in_documents(frame).any():
        return False
    frame["segment"] = frame["document"].fillna("") + ":" + frame["segment"]
    return True


def segment_table(frame: pd.DataFrame, excluded: pd.DataFrame) -> pd.DataFrame:
    """Segment scores from judgments without annotators: system, document, segment, raw, z, n.

    `frame` has the columns system, segment, type and score, and perhaps document and domain; z is
    standardised over all scores. References and controls are left out and counted in `excluded`
    (file, reason, rows), which becomes ``.attrs["excluded"]``. Raises DataError if no row counts.
    """
    counts = frame["type"].isin(COUNTED)
    frame = frame[counts]
    if frame.empty:
        raise DataError(
            "only references and controls", expected="rows of type SYSTEM"
        )
    scores = frame["score"]
    place = ["system", "document", "segment"]
    spread = scores.std(ddof=1)
    frame = frame.assign(
        z=(scores - scores.mean()) / spread if spread > 0 else 0.0
    )
    if "document" not in frame:
        frame["document"] = None
    cells = frame.groupby(place, dropna=False, sort=True)
    out = cells.agg(
        raw=("score", "mean"), z=("z", "mean"), n=("score", "size")
    )
    out = out.reset_index().astype(dict.fromkeys(place, "category"))
    if (~counts).any():
        excluded.loc[len(excluded)] = [
            "",
            "references and controls (left out)",
            (~counts).sum(),
        ]
    out.attrs["excluded"] = excluded
    return out


def rows_with(
    frame: pd.DataFrame, column: str, values: Collection[str]
) -> np.ndarray:
    """Mask of the rows whose categorical `column` has one of `values`; missing never matches."""
    return frame[column].isin(list(values)).to_numpy()


def of_type(frame: pd.DataFrame, *types: str) -> np.ndarray:
    """Mask of the rows of one of these types (of `TYPES`)."""
    return rows_with(frame, "type", types)


def counted(frame: pd.DataFrame) -> np.ndarray:
    """Mask of the rows whose scores count: SYSTEM and REPEAT."""
    return rows_with(frame, "type", COUNTED)


def unmarked(frame: pd.DataFrame) -> np.ndarray:
    """Mask of the rows without a mark; all rows if the frame has no marks."""
    return (
        frame["mark"].isna().to_numpy()
        if "mark" in frame
        else np.ones(len(frame), bool)
    )


def select_rows(da: DirectAssessment, rows: str) -> DirectAssessment:
    """The judgments with the rows of ``good`` that a recipe selects: `rows` is one of `ROWS`.

    ``good workers`` and ``latest complete`` keep ``good`` as read. ``every repeat`` adds
    incomplete, duplicate and superseded rows. ``no document with a bad item`` adds them, too, but
    drops every document (of one account and system) that holds a BAD item; with ``document scores
    too``, a document's score counts as one more segment (as in the final results of WMT-SLT23).
    """
    if rows not in ROWS:
        raise DataError(
            "unknown selection of rows", value=rows, expected=", ".join(ROWS)
        )
    good = da.good
    if rows not in ("good workers", "latest complete") and "mark" in da.latest:
        marks: tuple[str, ...] = REPEAT_MARKS
        if rows.endswith("document scores too"):
            marks = ("document score", *REPEAT_MARKS)
        good = da.latest[
            unmarked(da.latest) | rows_with(da.latest, "mark", marks)
        ]
    if not rows.startswith("no document with a bad item"):
        return replace(da, good=good)
    document = "block" if good["block"].notna().any() else "document"
    if good[document].isna().all():
        return replace(da, good=good)
    number = good.groupby(
        ["worker", "hit", "system", document],
        observed=True,
        dropna=False,
        sort=False,
    ).ngroup()
    bad = number[of_type(good, "BAD_REF")].unique()
    return replace(da, good=good[~number.isin(bad)])


def unstandardised(da: DirectAssessment) -> np.ndarray:
    """Why each row of ``da.good`` cannot be standardised by its worker: one of `UNKNOWN_Z`.

    Empty if it can, and for rows that do not count. A worker's only score counts as never varying.
    """
    rows = da.latest[unmarked(da.latest)]
    scores = rows.groupby(rows["worker"].astype(object))["score"]
    spread = (
        (scores.max() - scores.min())
        .reindex(da.good["worker"].astype(object))
        .to_numpy(float)
    )
    reasons = np.select([np.isnan(spread), spread < 1e-9], UNKNOWN_Z, "")
    return np.where(counted(da.good), reasons, "")


def noted(da: DirectAssessment, zero_variance: str) -> DirectAssessment:
    """The judgments with the rule `zero_variance`, and with notes in `excluded`.

    These count the rows that no test or z-score covers.
    """
    notes = {}
    rows = da.good.loc[
        counted(da.good), ["system", "segment"]
    ].drop_duplicates()
    if not rows["segment"].duplicated().any() and rows["system"].nunique() > 1:
        reason = "(kept: no segment was judged of two systems, so that no test can pair them)"
        notes[reason] = len(rows)
    reasons = unstandardised(da)
    rule = ("no z", "z is 0" if zero_variance == "zero" else "no z")
    for why, z in zip(UNKNOWN_Z, rule, strict=True):
        notes[f"{why} ({z})"] = int((reasons == why).sum())
    last = str(da.excluded["file"].iloc[-1]) if len(da.excluded) else ""
    told = [(last, *note) for note in notes.items() if note[1]]
    excluded = with_notes(da.excluded, told)
    return replace(da, excluded=excluded, zero_variance=zero_variance)


def with_notes(
    excluded: pd.DataFrame, notes: Sequence[tuple[str, str, int]]
) -> pd.DataFrame:
    """What was left out, with more of it: file, reason, rows."""
    if not notes:
        return excluded
    more = pd.DataFrame(notes, columns=EXCLUDED)
    return (
        pd.concat([excluded, more], ignore_index=True)
        if len(excluded)
        else more
    )


def of_systems(frame: pd.DataFrame, systems: Collection[str]) -> np.ndarray:
    """Mask of the rows with one of these system ids; a joined id ``A+B`` is an id of its own."""
    return rows_with(frame, "system", systems)


def human_or_reference(
    frame: pd.DataFrame, humans: Collection[str]
) -> np.ndarray:
    """Mask of the rows of type REF and of those of these human systems."""
    return of_type(frame, "REF") | of_systems(frame, humans)


def is_human(system: str) -> bool:
    """Whether an id names a human translation: ``HUMAN.0``, ``newstest2019-human``, ``ref-A``."""
    return bool(_HUMAN.search(system))


def models_among(names: Collection[str]) -> list[str]:
    """Which of these annotators have the full name of a model (``gpt-4``, ``gemba``); sorted."""
    return sorted(name for name in names if _MODEL.search(name))


def fits(who: str, patterns: Iterable[str]) -> bool:
    """Whether an annotator is one of these, which are names or patterns such as ``gemba*``."""
    return any(
        who == pattern or fnmatchcase(who, pattern) for pattern in patterns
    )


def human_systems(da: DirectAssessment) -> tuple[str, ...]:
    """Ids in either frame that are declared human, else those for which `is_human` holds; sorted.

    Also joined ones: ``HUMAN.0+A``.
    """
    names = da.latest["system"].cat.categories.union(
        da.good["system"].cat.categories
    )
    every = sorted(map(str, names))
    if da.humans is None:
        return tuple(filter(is_human, every))
    declared = set(da.humans)
    return tuple(name for name in every if declared & {name, *name.split("+")})


def ranked_systems(da: DirectAssessment) -> tuple[str, ...]:
    """Systems with a judgment that counts (SYSTEM or REPEAT in ``good``); sorted."""
    return system_ids(da.good.loc[counted(da.good), "system"])


def system_ids(systems: pd.Series) -> tuple[str, ...]:
    """The different ids of a column, sorted."""
    return tuple(sorted(map(str, systems.dropna().unique())))


BLOCK_COLUMNS = (
    "task", "pair", "track", "block", "judge", "segment", "document", "position", "system",
    "rank", "ranked",
)  # fmt: skip
# whether the judge did not know the models, by what stands in ``anony``
HIDDEN = dict.fromkeys(
    ("true", "t", "yes", "y", "1", "", "na", "nan", "none", "null"), True
)
HIDDEN |= dict.fromkeys(("false", "f", "no", "n", "0"), False)
TIES = ("tie", "tie (bothbad)", "both_bad")


def battle_frame(battles: pd.DataFrame, pair: str) -> pd.DataFrame:
    """Battles as blocks of two: two rows each, with ranks 1 and 2, or 1 and 1 for a tie.

    `battles` has a row per battle: system1, system2, judge, question, domain (categoricals or
    text; a judge or domain that is not named is empty), rank1 and rank2. The columns of the result
    are `BLOCK_COLUMNS`, as from `rr.read_rr`, and domain if some battle names one.
    """
    n = len(battles)
    sides = battles[["system1", "system2"]].to_numpy(object)
    columns: dict[str, Any] = {
        "block": np.repeat(np.arange(n), 2),
        "judge": pd.Categorical(battles["judge"].repeat(2)),
        "segment": np.repeat(
            pd.factorize(battles["question"].to_numpy())[0] + 1, 2
        ),
        "position": np.tile([1, 2], n),
        "system": pd.Categorical(sides.ravel()),
        "rank": battles[["rank1", "rank2"]].to_numpy().ravel(),
        "ranked": True,
    }
    for name, same in {
        "task": pair,
        "pair": pair,
        "track": "",
        "document": "",
    }.items():
        columns[name] = pd.Categorical([same]).repeat(2 * n)
    frame = pd.DataFrame(columns)[list(BLOCK_COLUMNS)]
    domain = battles["domain"].astype("category")
    if any(domain.cat.categories):
        frame["domain"] = pd.Categorical(domain.repeat(2))
    return frame


@dataclass(frozen=True)
class Blocks:
    """The blocks of one task of relative ranking as arrays.

    `codes` (positions in `systems`, which are in alphabetical order; -1: nothing shown) and `ranks`
    (1 = best, -1 = left blank) have shape (blocks, slots); `block` (the number of `rr.read_rr`
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
        return replace(
            self, **{name: getattr(self, name)[rows] for name in arrays}
        )


def blocks(frame: pd.DataFrame) -> Blocks:
    """The blocks of one task, from its rows of `rr.read_rr`.

    Raises DataError if there are no rows, or rows of several tasks.
    """
    if frame.empty:
        raise DataError("no blocks", expected="the rows of one task")
    if len(tasks := frame["task"].unique()) > 1:
        raise DataError(
            "more than one task",
            value=list(tasks),
            expected="the rows of one task",
        )
    number, first, index = np.unique(
        frame["block"].to_numpy(), return_index=True, return_inverse=True
    )
    systems = tuple(sorted(frame["system"].unique()))
    slot = frame["position"].to_numpy() - 1
    shape = (len(number), int(slot.max()) + 1)
    codes = np.full(shape, -1)
    ranks = np.full(shape, -1)
    codes[index, slot] = pd.Categorical(
        frame["system"], categories=systems
    ).codes
    ranks[index, slot] = frame["rank"].to_numpy()
    judge = frame["judge"].iloc[first].astype(str).to_numpy()
    return Blocks(
        systems,
        codes,
        ranks,
        number,
        judge,
        frame["segment"].to_numpy()[first],
    )
