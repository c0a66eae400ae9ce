"""Annotators of one pair: how far they agree, how they differ, and which lines depend on one."""

import numpy as np
import pandas as pd

from rankcompanion.notebooks.lines.held import splits
from rankstability.judgments import DirectAssessment, counted, rows_with, unmarked
from rankstability.rank.recipes import Recipe, made_by
from rankstability.rank.units import bootstrap
from rankstability.score.da import averages
from rankstability.score.scored import Scores

ENDS = (1 - 0.95) / 2, (1 + 0.95) / 2  # quantiles at the ends of 95 % intervals
MOST = 25  # annotators whose influence is computed
COLUMNS = ("score", "items", "judgments", "alpha", "low", "high", "unit", "resamples")


def alpha(scored: Scores, rng: np.random.Generator, resamples: int = 500) -> pd.DataFrame:
    """Krippendorff's alpha for interval data, over outputs that two or more annotators judged.

    An item is one system's output for one segment; several judgments of it by one annotator are
    replaced by their mean. The interval resamples documents (segments if none are named). One row
    with `COLUMNS`; none if no item was judged by two annotators.
    """
    none = pd.DataFrame(columns=list(COLUMNS))
    if "worker" not in scored.units:
        return none
    unit = "document" if scored.has("document") else "segment"
    frame = pd.DataFrame({"unit": scored.unit(unit), "item": _items(scored)})
    frame = frame.assign(worker=scored.unit("worker"), x=scored.score)
    frame = frame.groupby(["unit", "item", "worker"], as_index=False)["x"].mean()
    items = frame.groupby(["unit", "item"])["x"].agg(["size", "mean", "var"]).reset_index()
    items = items[items["size"] >= 2]
    if items.empty:
        return none
    # these are sums over units, so all resamples are one matrix product
    size, mean, within = (items[c].to_numpy(float) for c in ("size", "mean", "var"))
    mean = mean - float(np.average(mean, weights=size))
    squares = within * (size - 1) + size * mean**2
    codes = pd.factorize(items["unit"])[0]
    parts = (size, size * mean, squares, 2 * size * within)
    totals = np.stack([np.bincount(codes, p) for p in parts], axis=1)
    times = rng.multinomial(len(totals), np.full(len(totals), 1 / len(totals)), resamples)
    low, high = np.nanquantile(_alpha(times @ totals), ENDS)
    row = ("as the recipe takes it", len(items), int(size.sum()), float(_alpha(totals.sum(0))))
    return pd.DataFrame([(*row, low, high, unit, resamples)], columns=list(COLUMNS))


def _alpha(totals: np.ndarray) -> np.ndarray:
    n, total, squares, within = np.moveaxis(totals, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = 2 * (n * squares - total**2) / (n * (n - 1))
        return np.asarray(1 - within / n / expected)


def table(scored: Scores) -> pd.DataFrame:
    """How much each annotator judged, how strictly, and with how much spread.

    `scored` holds raw scores (z-scores are standardised by annotator, which removes these
    differences); judgments without a named annotator are left out.

    Columns annotator (number, in order of name), judgments, systems, severity (mean over judgments
    of the system's mean less the annotator's score: positive is strict), severity_error (its
    standard error), sd (of the annotator's scores), and the columns of `_same`; rows by falling
    number of judgments.
    """
    scored = scored.take(scored.units["worker"] >= 0)
    mean, _ = averages(scored.system, scored.score, len(scored.systems))
    frame = pd.DataFrame({"annotator": scored.unit("worker"), "score": scored.score})
    frame = frame.assign(system=scored.system, item=_items(scored))
    frame["rest"] = mean[scored.system] - scored.score
    out = frame.groupby("annotator").agg(
        judgments=("score", "size"),
        systems=("system", "nunique"),
        severity=("rest", "mean"),
        severity_error=("rest", "sem"),
        sd=("score", "std"),
    )
    out = out.join(_same(frame))
    out["shared"] = out["shared"].fillna(0).astype(int)
    return out.sort_values("judgments", ascending=False, kind="stable").reset_index()


def _items(scored: Scores) -> np.ndarray:
    """The code of the output that each judgment is about: a system's output for a segment."""
    return scored.segment.astype(np.int64) * len(scored.systems) + scored.system


def _same(frame: pd.DataFrame) -> pd.DataFrame:
    """Each annotator's mean scores compared with the others' on the outputs that both judged."""
    each = frame.groupby(["item", "annotator"], as_index=False)["score"].mean()
    each["square"] = each["score"] ** 2
    own, items = each[["score", "square"]], each.groupby("item")[["score", "square"]]
    others = (items.transform("sum") - own).div(items.transform("size") - 1, axis=0)
    each = each.assign(rest=others["score"] - each["score"], other=others["score"])
    each = each.assign(other_square=others["square"])[np.isfinite(others["score"])]
    by = each.groupby("annotator")
    mean = by[["score", "square", "other", "other_square"]].mean()
    variance = (mean["square"] - mean["score"] ** 2).clip(lower=0)
    other = mean["other_square"] - mean["other"] ** 2
    spread = np.sqrt(variance / other).where((by.size() > 1) & (other > 1e-9))
    made = by["rest"].agg(shared="size", severity_same="mean", severity_same_error="sem")
    return made.assign(spread_same=spread)


def pace(da: DirectAssessment) -> pd.DataFrame:
    """Seconds that each annotator took for a judgment: columns name, timed, seconds.

    ``timed`` is the number of judgments that count and have a time; ``seconds`` is their median,
    which breaks hardly affect.
    """
    if "time" not in da.good:
        return pd.DataFrame(columns=["name", "timed", "seconds"])
    rows = da.good[counted(da.good) & da.good["time"].notna() & da.good["worker"].notna()]
    times = rows.groupby(rows["worker"].astype(str))["time"]
    out = times.agg(["size", "median"]).rename_axis("name").reset_index()
    return out.set_axis(["name", "timed", "seconds"], axis=1)


def repeated(da: DirectAssessment) -> pd.DataFrame:
    """How far each annotator's judgments of the same output differ, in raw points.

    Judgments that count are compared, and documents that were shown twice on purpose; judgments
    that the annotator later corrected are not.

    Columns name, repeats (outputs judged more than once), difference (mean absolute difference
    between two judgments of one output), other (mean absolute difference between any two judgments
    by this annotator).
    """
    marked = rows_with(da.latest, "mark", ["duplicate"]) if "mark" in da.latest else False
    kept = counted(da.latest) & (unmarked(da.latest) | marked)
    rows = da.latest.loc[kept, ["worker", "system", "segment", "score"]].dropna()
    item = rows.groupby(["worker", "system", "segment"], observed=True, sort=False).ngroup()
    one = pd.DataFrame({"worker": rows["worker"].astype(str), "item": item, "x": rows["score"]})
    again = one[one.duplicated("item", keep=False)]
    if again.empty:
        return pd.DataFrame(columns=["name", "repeats", "difference", "other"])
    items = _pairwise(again, "item").rename("difference").reset_index()
    items["worker"] = items["item"].map(again.drop_duplicates("item").set_index("item")["worker"])
    out = items.groupby("worker")["difference"].agg(["size", "mean"])
    out.columns = pd.Index(["repeats", "difference"])
    return out.assign(other=_pairwise(one, "worker")).rename_axis("name").reset_index()


def _pairwise(frame: pd.DataFrame, group: str) -> pd.Series:
    """Mean absolute difference between two values `x` of a group (Gini's mean difference)."""
    ordered = frame.sort_values("x", kind="stable")
    by = ordered.groupby(group)["x"]
    place, size = by.cumcount(), by.transform("size")
    share = (2 * place - size + 1) * ordered["x"] / (size * (size - 1) / 2)
    return share.groupby(ordered[group]).sum()


def overall(each: pd.DataFrame, rng: np.random.Generator, resamples: int = 1000) -> pd.DataFrame:
    """Time per judgment and consistency over all annotators, with 95 % intervals.

    `each` has a row per annotator, with the columns of `pace` or `repeated`, or both.

    Columns measure (``seconds``: mean over annotators of their medians; ``difference`` and
    ``other``: means over annotators, weighted by their repeated outputs), annotators, items, value,
    low, high (annotators resampled). No row for a measure known of fewer than two annotators.
    """
    rows = []
    for measure, items in (("seconds", "timed"), ("difference", "repeats"), ("other", "repeats")):
        known = each.dropna(subset=measure) if measure in each else each.iloc[:0]
        if len(known) < 2:
            continue
        weight = np.ones(len(known)) if measure == "seconds" else known["repeats"].to_numpy(float)
        value = known[measure].to_numpy(float)
        drawn = bootstrap((weight * value)[:, None], weight[:, None], rng, resamples)
        low, high = np.quantile(drawn, ENDS)
        mean = float(np.average(value, weights=weight))
        rows.append((measure, len(known), int(known[items].sum()), mean, low, high))
    return pd.DataFrame(rows, columns=["measure", "annotators", "items", "value", "low", "high"])


def influence(scored: Scores, recipe: Recipe, alpha: float = 0.05) -> pd.DataFrame:
    """Which claimed lines fall, and whether the leader changes, without one annotator's judgments.

    One row for each of the `MOST` annotators with the most judgments, except those who alone judged
    some system. Columns annotator, judgments, lines (claimed with all annotators), fallen (of
    these, no longer claimed between the same two groups of systems), new (lines claimed only
    without the annotator), first_changes (0 or 1).
    """
    worker = scored.unit("worker")
    number = np.bincount(worker)
    every = made_by(scored, recipe, alpha)
    lines = splits(every)
    rows = []
    for who in np.argsort(-number, kind="stable")[:MOST]:
        left = scored.take(worker != who)
        if len(np.unique(left.system)) < len(scored.systems):
            continue  # only this annotator judged some system, so the rankings are not comparable
        made = made_by(left, recipe, alpha)
        now = splits(made)
        moved = int(made.order[0] != every.order[0])
        rows.append((who, number[who], len(lines), len(lines - now), len(now - lines), moved))
    columns = ["annotator", "judgments", "lines", "fallen", "new", "first_changes"]
    return pd.DataFrame(rows, columns=columns)
