"""The long table: one judgment per row, from a spreadsheet or a crowd platform.

Other formats of single scores (Pearmut, WMT24, WMT25, MTME) are converted to the same columns, so
that scale, missing cells, types and pairs are handled in one place: here.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.rankstability import checks, scales
from companion.legacy.rankstability import schema as schemas
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import (
    BY_DOCUMENT,
    COUNTED,
    DirectAssessment,
    direct_assessment,
    name_segments_by_document,
    repeated,
    segment_table,
)

from . import judges, languages, text, together
from .columns import (
    MISSING,
    Judged,
    Opener,
    asked_of,
    opened,
    people,
    words_among,
)
from .folder import READ, TOLD_BY, Reader, Source
from .formats import TOLD

NO_SCORE = "no score (left out)"
OF_PEOPLE = {
    "annotator",
    "hit",
    "document",
}  # columns of which a leaderboard has none
FEW = 5  # rows without a score whose lines are named
TYPES = {
    "": "SYSTEM",
    "SYSTEM": "SYSTEM",
    "TGT": "SYSTEM",
    "REF": "REF",
    "REPEAT": "REPEAT",
}
TYPES |= {"BAD_REF": "BAD_REF", "BAD": "BAD_REF"}


def scale_of(
    parts: Sequence[Judged], settings: Mapping[str, Any]
) -> tuple[float, float, str]:
    """The lowest and highest possible score, and their source: settings, format or data.

    The data decide only if they are clear: see `scales.scale_of`. Raises DataError for a score that
    is not on the scale of the others.
    """
    if settings.get("scale"):
        low, high = settings["scale"]
        return float(low), float(high), settings.get("told by", TOLD_BY)
    every = [_scored(part) for part in parts]
    frame = pd.concat(every, ignore_index=True)
    files = [part.table.path for part in parts]
    lines = [part.table.lines for part in parts]
    with together.at_lines(files, lines, parts[0].names):
        if known := parts[0].scale:
            checks.refuse_mixed(frame)
            low = (
                frame["score"].min() if known == scales.PENALTIES else known[0]
            )
            return min(float(low), 0.0), known[1], "the format"
        low, high = checks.scale_of(frame)
    return (
        low,
        high,
        "the data" if frame["score"].notna().any() else "no score",
    )


def _scored(part: Judged) -> pd.DataFrame:
    """The scores of a file (NaN: none, or no number), with what they may differ by in scale."""
    scores = part.scores
    frame = pd.DataFrame(
        {"score": np.where(np.isfinite(scores), scores, np.nan)}
    )
    frame["written"] = part.column("score")
    frame["file"] = part.table.path.name
    frame["pair"] = part.pairs()
    for ours, name in {"system": "system", "worker": "annotator"}.items():
        if name in part.names:
            frame[ours] = part.table.frame[part.names[name]].astype("category")
    return frame


def read(
    parts: Sequence[Judged], pair: str, settings: Mapping[str, Any]
) -> DirectAssessment | pd.DataFrame:
    """The judgments of one language pair, or segment scores if the files name no annotators.

    A row without a type is SYSTEM. Rows of other pairs or without a score are left out and counted.
    If segments are numbered within documents, they are named ``document:segment``. Segment scores
    have the columns system, document, segment, raw, z (standardised over all scores of the pair),
    n; references and degraded references (BAD_REF) are left out. Raises DataError for an empty
    name, a score that is not a number or off the scale, an unknown type, files that differ in scale
    or repeat each other, or no rows.

    ``.attrs["items"]`` of segment scores says whether the files name neither annotators, HITs nor
    documents (a leaderboard), so that segments are all that a repeat could have others of. It is
    False for released averages over annotators that are not named.
    """
    holding = [part for part in parts if pair in part.pairs()] or parts
    if len({part.scale for part in holding}) > 1:
        problem = "scores of two kinds for one pair"
        files = [part.table.path for part in holding]
        raise DataError(
            problem, file=files, value=pair, expected="scores on one scale"
        )
    alike = [part for part in parts if part.scale == holding[0].scale]
    low, high, said = scale_of(alike, settings)
    rows = []
    lines = []
    excluded = []
    files = [part.table.path for part in parts]
    for part in parts:
        frame, counts = _checked(part, pair, low, high)
        lines.append(part.table.lines[frame.index])
        rows.append(frame.reset_index(drop=True))
        excluded += [
            (_place(part, why, pair), why, n) for why, n in counts.items() if n
        ]
    together.refuse_twice(files, rows)
    frame = pd.concat(rows, ignore_index=True)
    if frame.empty:
        if unscored := sum(
            n for _, reason, n in excluded if reason == NO_SCORE
        ):
            value = f"{unscored} rows without one"
            expected = "a number in the column of scores"
            raise DataError(
                "no row has a score",
                file=files,
                value=value,
                expected=expected,
            )
        raise languages.no_rows(files, pair, pairs(parts))
    with together.at_lines(files, lines, parts[0].names):
        checks.refuse_alike(frame)
        of_file = np.repeat(
            [file.name for file in files], [len(some) for some in lines]
        )
        checks.refuse_contradictions(frame.assign(file=of_file))
    excluded += [("", reason, rows) for reason, rows in repeated(frame)]
    renamed = name_segments_by_document(frame)
    excluded += [("", BY_DOCUMENT, len(frame))] if renamed else []
    if settings.get("annotator") and "worker" not in frame:
        problem = "`annotator:` for judgments that name none"
        expected = "a column of annotators"
        raise DataError(problem, file=files, expected=expected)
    if settings.get("annotator"):
        frame["worker"] = people(
            frame["worker"], settings["annotator"], files[0]
        )
    excluded.append(
        ("", f"(kept: scale {low:g} to {high:g}, from {said})", len(frame))
    )
    counted = pd.DataFrame(excluded, columns=["file", "reason", "rows"])
    if workers(parts):
        return direct_assessment(
            pair, frame, excluded=counted, scale=(low, high)
        )
    scores = segment_table(frame, counted)
    named = {name for part in parts for name in part.names}
    other = any(part.averages or _may_name_people(part) for part in parts)
    scores.attrs["items"] = not named & OF_PEOPLE and not other
    return scores


def of_people(
    parts: Sequence[Judged], settings: Mapping[str, Any]
) -> list[Judged]:
    """The files without rows of judges, so that nothing is guessed from these."""
    known = {
        one for part in parts for one in part.column("annotator").unique()
    }
    file = parts[0].table.path if parts else ""
    judges.checked(
        {one for one in known if one.lower() not in MISSING}, settings, file
    )
    patterns = judges.named(settings)
    if not patterns:
        return list(parts)
    masks = [judges.mask(part.column("annotator"), patterns) for part in parts]
    pairs_of = zip(parts, masks, strict=True)
    return [
        part.take(np.flatnonzero(~mask))
        for part, mask in pairs_of
        if not mask.all()
    ]


def of_judges(
    parts: Sequence[Judged], pair: str, settings: Mapping[str, Any]
) -> pd.DataFrame:
    """The scores of judges among the annotators, on any scale: columns `judges.SCORES`."""
    frames = []
    for part in parts:
        rows = np.flatnonzero(
            judges.mask(part.column("annotator"), judges.named(settings))
        )
        if len(rows):
            frame = _checked(part.take(rows), pair, -np.inf, np.inf)[0]
            frames.append(frame[frame["type"].isin(COUNTED)])
    frame = pd.concat(frames, ignore_index=True).rename(
        columns={"worker": "judge"}
    )
    if "document" not in frame:
        frame["document"] = ""
    frame["document"] = (
        frame["document"].astype(object).where(frame["document"].notna(), "")
    )
    return frame[judges.SCORES]


def _may_name_people(part: Judged) -> bool:
    """Whether a column that is not used may name who judged, such as ``Reviewer``."""
    from . import guesses

    header = [*part.table.frame.columns, *part.table.unread]
    unused = [name for name in header if name not in part.names.values()]
    return any(guesses.may_be_people(name) for name in unused)


def _checked(
    part: Judged, pair: str, low: float, high: float
) -> tuple[pd.DataFrame, Counter[str]]:
    """The rows of one pair that have a score, in our columns; and what was left out.

    The index of the rows is their place in the table.
    """
    names = part.names
    counts = Counter(part.excluded)
    inside = part.pairs() == pair
    scored = ~part.column("score").str.lower().isin(MISSING).to_numpy()
    counts["other language pairs"] += int((~inside).sum())
    counts.update(
        part.table.trimmed([names[name] for name in names if name != "score"])
    )
    counts[NO_SCORE] += int((inside & ~scored).sum())
    keep = np.flatnonzero(inside & scored)
    ids = [
        "system",
        "segment",
        *(["annotator"] if "annotator" in names else []),
    ]
    bounds = f", {low:g} to {high:g}" if np.isfinite(low) else ""
    score = schemas.number(f"a number{bounds}", low, high)
    columns = schemas.ids(*ids) | {"score": score}
    try:
        frame = part.table.validated(
            columns, {name: names[name] for name in columns}, keep
        )
    except DataError as error:
        raise _with_words(error, part.column("score").iloc[keep]) from None
    frame = frame.astype(dict.fromkeys(ids, str)).rename(
        columns={"annotator": "worker"}
    )
    others = [name for name in ("hit", "document", "domain") if name in names]
    loose = schemas.loose(*others)
    part.table.validated(loose, {name: names[name] for name in others}, keep)
    for name in others:
        values = part.column(name).iloc[keep].reset_index(drop=True)
        frame[name] = values.where(~values.str.lower().isin(MISSING), None)
    types = part.column("type").iloc[keep].str.upper().map(TYPES)
    if types.isna().any():
        expected = "empty or one of " + ", ".join(
            name for name in TYPES if name
        )
        raise part.table.error(
            "unknown type", int(keep[types.isna()][0]), names["type"], expected
        )
    frame["type"] = types.to_numpy(dtype=object)
    if "time" in names:
        time = pd.to_numeric(part.column("time"), errors="coerce")
        frame["time"] = time.iloc[keep].to_numpy(float)
    return frame.set_index(keep), counts


def _place(part: Judged, reason: str, pair: str) -> str:
    """The file, with the lines of rows without a score if they are few."""
    file = part.table.path.name
    if reason != NO_SCORE:
        return file
    unscored = part.column("score").str.lower().isin(MISSING).to_numpy() & (
        part.pairs() == pair
    )
    lines = [str(line) for line in sorted(set(part.table.lines[unscored]))]
    if len(lines) > FEW:
        return file
    return (
        f"{file}, {'line' if len(lines) == 1 else 'lines'} {', '.join(lines)}"
    )


def _with_words(error: DataError, scores: pd.Series) -> DataError:
    """The error of a score that is a word, with the words that may stand for no score."""
    often = words_among(scores)
    if error.problem != "not a number" or error.value not in often:
        return error
    if often.sum() == (~scores.str.lower().isin(MISSING)).sum():
        said = ", ".join(map(str, often.index[:3]))
        expected = f"numbers, or two words such as pass and fail; all scores are words: {said}"
        return _expecting(error, expected)
    words = [str(word) for word in often.index[:3]]
    counts = ", ".join(f"{word} ({often[word]})" for word in words)
    told = f'`missing: [{", ".join(words)}]` in a campaign.yaml, or missing="{",".join(words)}"'
    number = str(error.expected).partition(" (")[
        0
    ]  # of wrong cells: said by word
    expected = f"{number}; words among the scores: {counts}; if they mean no score: {told}"
    return _expecting(error, expected)


def _expecting(error: DataError, expected: str) -> DataError:
    """The same error with another expectation."""
    wrong = partial(DataError, error.problem, file=error.file, line=error.line)
    return wrong(column=error.column, value=error.value, expected=expected)


def pairs(parts: Sequence[Judged]) -> tuple[str, ...]:
    """The language pairs of all rows, sorted."""
    return tuple(
        sorted({pair for part in parts for pair in pd.unique(part.pairs())})
    )


def workers(parts: Sequence[Judged]) -> bool:
    """Whether the files name annotators. Raises DataError if only some of them do."""
    named = ["annotator" in part.names for part in parts]
    if any(named) and not all(named):
        with text.placed(parts[named.index(False)].table.path, 1):
            problem = "no column for annotator, which other files of the campaign have"
            raise DataError(
                problem, expected="annotators in all files or in none"
            )
    return all(named)


def reading(
    parts: Sequence[Judged], settings: Mapping[str, Any]
) -> pd.DataFrame:
    """How the files were understood: columns file, what, value, said by."""
    rows = []
    mapped = settings.get("columns") or {}
    by = settings.get("told by", TOLD_BY)
    for known in dict.fromkeys(part.scale for part in parts):
        alike = [part for part in parts if part.scale == known]
        files = (
            "all"
            if len(alike) == len(parts)
            else ", ".join(p.table.path.name for p in alike)
        )
        low, high, said = scale_of(alike, settings)
        rows.append((files, "scale", f"{low:g} to {high:g}", said))
    for part in parts:
        file = part.table.path.name
        header = [*part.table.frame.columns, *part.table.unread]
        if part.pair_from:
            rows.append((file, "pair", part.pair, part.pair_from))
        rows += [
            (file, what, value, said or by) for what, value, said in part.said
        ]
        for ours, theirs in part.names.items():
            if ours != theirs:
                rows.append(
                    (
                        file,
                        f"column {ours}",
                        theirs,
                        by if ours in mapped else "header",
                    )
                )
        if "annotator" in part.names and not settings.get("annotator"):
            rows += [
                (file, *one)
                for one in asked_of(part.column("annotator").unique())
            ]
        unused = [name for name in header if name not in part.names.values()]
        if unused:
            rows.append(
                (file, "columns not used", ", ".join(unused), "header")
            )
    return pd.DataFrame(rows, columns=READ)


def reader(
    opener: Opener,
    check: Callable[[Sequence[Path]], None] = lambda files: None,
) -> Reader:
    """The reader of a format of single scores, which `opener` converts to our columns."""

    @text.kept(8)
    def once(path: Path, told: str) -> Judged:
        return opener(path, json.loads(told))

    def every(source: Source) -> list[Judged]:
        check(source.files)
        told = json.dumps({name: source.settings.get(name) for name in TOLD})
        return [once(file, told) for file in source.files]

    def parts(source: Source) -> list[Judged]:
        return of_people(every(source), source.settings)

    return Reader(
        pairs=lambda source: pairs(parts(source)),
        read=lambda source, pair: read(parts(source), pair, source.settings),
        workers=lambda source: workers(parts(source)),
        reading=lambda source: reading(parts(source), source.settings),
        columns=lambda source: parts(source)[0].names,
        judged=lambda source, pair: of_judges(
            every(source), pair, source.settings
        ),
        lacks=lambda source: {"document", "annotator"}.difference(
            *(p.names for p in parts(source))
        ),
    )


READERS = {"long": reader(opened)}
