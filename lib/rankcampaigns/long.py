"""The long table: one judgment per row, from a spreadsheet or a crowd platform.

Other formats of single scores (Pearmut, WMT24, WMT25, MTME) are converted to the same columns, so
that scale, missing cells, types and pairs are handled in one place: here.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankstability.errors import DataError
from rankstability.judgments import COUNTED, DirectAssessment, direct_assessment

from . import languages, tables, text
from . import schema as schemas
from .columns import MISSING, PENALTIES, PERCENT, TOLD_BY, Judged, Opener, asked_of, opened, people
from .folder import READ, Reader, Source
from .formats import TOLD

NO_SCORE = "no score (left out)"
TYPES = {"": "SYSTEM", "SYSTEM": "SYSTEM", "TGT": "SYSTEM", "REF": "REF", "REPEAT": "REPEAT"}
TYPES |= {"BAD_REF": "BAD_REF", "BAD": "BAD_REF"}
Range = tuple[float, float]
SCALES: tuple[Range, ...] = ((0, 1), (1, 5), (0, 6), (1, 7), (0, 10), (0, 100))  # in this order
CODES, SLIPS = 2, 0.01  # values, or share of scores, beside a smaller scale that are strays
ENOUGH, MANY = 10, 100  # scores that must be on it; the second if the larger one has few steps
APART = 0.05  # or this share, beyond a gap twice as wide as any on it
WIDEST_Z = 10  # standardised scores are nearer to 0
GAP, TIMES = 25, 4  # far from the rest: by this much, and this many times the range of the rest


def scale_of(parts: Sequence[Judged], settings: Mapping[str, Any]) -> tuple[float, float, str]:
    """The lowest and highest possible score, and their source: settings, format or data.

    The data decide only if they are clear: the first of `SCALES` that holds every score, unless all
    but a few are on a smaller one; if all are 0 or below (penalties, such as averages
    of MQM), from the lowest to 0; if there are fractions on both sides of 0, near it (standardised
    scores), from the lowest to the highest. Raises DataError for other scores, and for a score far
    from the rest.
    """
    if settings.get("scale"):
        low, high = settings["scale"]
        return float(low), float(high), settings.get("told by", TOLD_BY)
    scores = np.concatenate([part.scores() for part in parts])
    scores = scores[np.isfinite(scores)]
    if known := parts[0].scale:
        low = scores.min(initial=0.0) if known == PENALTIES else known[0]
        return float(low), known[1], "the format"
    if not len(scores):
        return 0.0, 100.0, "no score"
    given = pd.Series(scores).value_counts().sort_index()  # score -> how often
    lowest, highest = float(scores.min()), float(scores.max())
    held = next((one for one in SCALES if one[0] <= lowest and highest <= one[1]), None)
    small = [one for one in SCALES if held and _but_few(given, one, held)]
    if held and not small:
        return *held, "the data"
    standardised = highest > 0 and _fractions(given.loc[:0]) and _fractions(given.loc[0:])
    if highest <= 0 or standardised:
        rest = _rest(given)
        if rest != (lowest, highest):
            raise _stray(parts, given, rest)
        if highest <= 0 or max(-lowest, highest) < WIDEST_Z:
            return lowest, max(highest, 0.0), "the data"
    wide = [(-WIDEST_Z, WIDEST_Z)] if standardised else []
    inside = {one: given.loc[slice(*one)].sum() for one in small or [*SCALES, PENALTIES, *wide]}
    most = max(inside, key=inside.__getitem__)
    raise _stray(parts, given, most if inside[most] else PERCENT)


def _fractions(given: pd.Series) -> bool:
    return bool((given.index != np.rint(given.index)).any())


def _but_few(given: pd.Series, scale: Range, held: Range) -> bool:
    """Whether all but a few scores are on a smaller scale than `held`: slips, or codes.

    If `held` has few steps, the others must be fractions from 0 to 1, or many that plainly use the
    smaller scale: with both ends of it among them, or far apart from what is beside it.
    """
    inside = given.loc[slice(*scale)]
    number, total, others = inside.sum(), given.sum(), len(given) - len(inside)
    within = held[0] <= scale[0] and scale[1] <= held[1]
    if not (others and within and number >= max(ENOUGH, total / 2)):
        return False
    if held[1] > 10 or (scale == SCALES[0] and _fractions(inside)):
        return bool(total - number <= SLIPS * total or others <= min(CODES, len(inside) - 1))
    used, beside = inside.index.to_numpy(), given.index.difference(inside.index)
    gap = min(float(np.abs(used - value).min()) for value in beside)
    most = SLIPS if {*scale} <= {*used} else 0.0
    most = APART if gap >= 2 * np.diff(used).max(initial=0) else most
    return bool(number >= MANY and others < len(used) and total - number <= most * total)


def _rest(given: pd.Series) -> Range:
    """The lowest and highest score, apart from scores that a wide gap separates from most."""
    values, gap = given.index.to_numpy(), float(GAP)
    rest = values
    for _ in range(2 if given.sum() >= ENOUGH else 0):  # the second gap depends on the rest
        group = np.append(0, np.cumsum(np.diff(values) > gap))
        rest = values[group == np.bincount(group, given).argmax()]
        gap = max(GAP, TIMES * float(np.ptp(rest)))
    return float(rest[0]), float(rest[-1])


def _stray(parts: Sequence[Judged], given: pd.Series, scale: Range) -> DataError:
    """The error for the first score that is not on the scale of the others."""
    (low, high), inside = scale, given.loc[slice(*scale)].sum()
    usual = f"{low:g} to {high:g}" if np.isfinite(low) else f"at most {high:g}"
    usual += f", as {inside} of {given.sum()} scores are" if inside else ""
    expected = f"{usual}; or `scale: [lowest, highest]` in a campaign.yaml beside it"
    bad = [np.flatnonzero((one.scores() < low) | (one.scores() > high)) for one in parts]
    part, rows = next((one, rows) for one, rows in zip(parts, bad, strict=True) if len(rows))
    return part.table.error("score out of scale", rows[0], part.names["score"], expected)


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
    """
    holding = [part for part in parts if pair in part.pairs()] or parts
    if len({part.scale for part in holding}) > 1:
        problem, files = "scores of two kinds for one pair", [part.table.path for part in holding]
        raise DataError(problem, file=files, value=pair, expected="scores on one scale")
    alike = [part for part in parts if part.scale == holding[0].scale]
    low, high, said = scale_of(alike, settings)
    rows, excluded, files = [], [], [part.table.path for part in parts]
    for part, file in zip(parts, files, strict=True):
        frame, counts = _checked(part, pair, low, high)
        rows.append(frame)
        excluded += [(file.name, reason, n) for reason, n in counts.items() if n]
    tables.refuse_twice(files, rows)
    frame = pd.concat(rows, ignore_index=True)
    if frame.empty:
        if unscored := sum(n for _, reason, n in excluded if reason == NO_SCORE):
            value, expected = f"{unscored} rows without one", "a number in the column of scores"
            raise DataError("no row has a score", file=files, value=value, expected=expected)
        raise languages.no_rows(files, pair, pairs(parts))
    if again := int(frame.duplicated().sum()):
        excluded.append(("", "identical rows (kept)", again))
    if "worker" in frame:
        keys = [*frame.columns.intersection(["hit", "document"]), "segment", "system", "type"]
        twice, alike = (frame.duplicated(["worker", *keys, *more]) for more in ([], ["score"]))
        if other := int((twice & ~alike).sum()):
            reason = "the same annotator's second score of the same output (kept)"
            excluded.append(("", reason, other))
    for name in frame.columns.intersection(["hit", "document", "domain"]):
        if 0 < (unnamed := int(frame[name].isna().sum())) < len(frame):
            excluded.append(("", f"rows that name no {name} (kept)", unnamed))
    if "document" in frame and (frame.groupby("segment")["document"].nunique() > 1).any():
        frame["segment"] = frame["document"].fillna("") + ":" + frame["segment"]
    if settings.get("annotator") and "worker" in frame:
        frame["worker"] = people(frame["worker"], settings["annotator"], files[0])
    excluded.append(("", f"(kept: scale {low:g} to {high:g}, from {said})", len(frame)))
    counted = pd.DataFrame(excluded, columns=["file", "reason", "rows"])
    if workers(parts):
        return replace(direct_assessment(pair, frame, excluded=counted), scale=(low, high))
    return _segment_scores(frame, counted)


def _checked(part: Judged, pair: str, low: float, high: float) -> tuple[pd.DataFrame, Counter[str]]:
    """The rows of one pair that have a score, in our columns; and what was left out."""
    names, counts = part.names, Counter(part.excluded)
    inside = part.pairs() == pair
    scored = ~part.column("score").str.lower().isin(MISSING).to_numpy()
    counts["other language pairs"] += int((~inside).sum())
    blanks = part.table.trimmed([names[name] for name in names if name != "score"])
    counts["(kept: blanks around names taken away)"] += blanks
    counts[NO_SCORE] += int((inside & ~scored).sum())
    keep = np.flatnonzero(inside & scored)
    ids = ["system", "segment", *(["annotator"] if "annotator" in names else [])]
    score = schemas.number(f"a number, {low:g} to {high:g}", low, high)
    schema = schemas.Schema(schemas.ids(*ids) | {"score": score})
    frame = part.table.validated(schema, {name: names[name] for name in schema.columns}, keep)
    frame = frame.astype(dict.fromkeys(ids, str)).rename(columns={"annotator": "worker"})
    for name in ("hit", "document", "domain"):
        if name in names:
            values = part.column(name).iloc[keep].reset_index(drop=True)
            frame[name] = values.where(~values.str.lower().isin(MISSING), None)
    types = part.column("type").iloc[keep].str.upper().map(TYPES)
    if types.isna().any():
        expected = "empty or one of " + ", ".join(name for name in TYPES if name)
        raise part.table.error("unknown type", int(keep[types.isna()][0]), names["type"], expected)
    frame["type"] = types.to_numpy(dtype=object)
    if "time" in names:
        time = pd.to_numeric(part.column("time"), errors="coerce")
        frame["time"] = time.iloc[keep].to_numpy(float)
    return frame, counts


def _segment_scores(frame: pd.DataFrame, excluded: pd.DataFrame) -> pd.DataFrame:
    counts = frame["type"].isin(COUNTED)
    frame = frame[counts]
    if frame.empty:
        raise DataError("only references and controls", expected="rows of type SYSTEM")
    scores, place = frame["score"], ["system", "document", "segment"]
    spread = scores.std(ddof=1)
    frame = frame.assign(z=(scores - scores.mean()) / spread if spread > 0 else 0.0)
    if "document" not in frame:
        frame["document"] = None
    cells = frame.groupby(place, dropna=False, sort=True)
    out = cells.agg(raw=("score", "mean"), z=("z", "mean"), n=("score", "size"))
    out = out.reset_index().astype(dict.fromkeys(place, "category"))
    if (~counts).any():
        excluded.loc[len(excluded)] = ["", "references and controls (left out)", (~counts).sum()]
    out.attrs["excluded"] = excluded
    return out


def pairs(parts: Sequence[Judged]) -> tuple[str, ...]:
    """The language pairs of all rows, sorted."""
    return tuple(sorted({pair for part in parts for pair in np.unique(part.pairs())}))


def workers(parts: Sequence[Judged]) -> bool:
    """Whether the files name annotators. Raises DataError if only some of them do."""
    named = ["annotator" in part.names for part in parts]
    if any(named) and not all(named):
        with text.placed(parts[named.index(False)].table.path, 1):
            problem = "no column for annotator, which other files of the campaign have"
            raise DataError(problem, expected="annotators in all files or in none")
    return all(named)


def reading(parts: Sequence[Judged], settings: Mapping[str, Any]) -> pd.DataFrame:
    """How the files were understood: columns file, what, value, said by."""
    rows, mapped = [], settings.get("columns") or {}
    by = settings.get("told by", TOLD_BY)
    for known in dict.fromkeys(part.scale for part in parts):
        alike = [part for part in parts if part.scale == known]
        files = "all" if len(alike) == len(parts) else ", ".join(p.table.path.name for p in alike)
        low, high, said = scale_of(alike, settings)
        rows.append((files, "scale", f"{low:g} to {high:g}", said))
    for part in parts:
        file, header = part.table.path.name, [*part.table.frame.columns, *part.table.unread]
        if part.pair_from:
            rows.append((file, "pair", part.pair, part.pair_from))
        rows += [(file, what, value, said or by) for what, value, said in part.said]
        for ours, theirs in part.names.items():
            if ours != theirs:
                rows.append((file, f"column {ours}", theirs, by if ours in mapped else "header"))
        if "annotator" in part.names and not settings.get("annotator"):
            rows += [(file, *one) for one in asked_of(part.column("annotator").unique())]
        unused = [name for name in header if name not in part.names.values()]
        if unused:
            rows.append((file, "columns not used", ", ".join(unused), "header"))
    return pd.DataFrame(rows, columns=READ)


def reader(opener: Opener, check: Callable[[Sequence[Path]], None] = lambda files: None) -> Reader:
    """The reader of a format of single scores, which `opener` converts to our columns."""

    @text.kept(8)
    def once(path: Path, told: str) -> Judged:
        return opener(path, json.loads(told))

    def parts(source: Source) -> list[Judged]:
        check(source.files)
        told = json.dumps({name: source.settings.get(name) for name in TOLD})
        return [once(file, told) for file in source.files]

    return Reader(
        pairs=lambda source: pairs(parts(source)),
        read=lambda source, pair: read(parts(source), pair, source.settings),
        workers=lambda source: workers(parts(source)),
        reading=lambda source: reading(parts(source), source.settings),
        columns=lambda source: parts(source)[0].names,
        lacks=lambda source: {"document", "annotator"}.difference(
            *(p.names for p in parts(source))
        ),
    )


READERS = {"long": reader(opened)}
