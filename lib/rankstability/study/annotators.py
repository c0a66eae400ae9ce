"""Annotators of one pair: how far they agree, how they differ, which lines hang on one of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..rank.recipes import Recipe
from ..score.scored import Scored
from .held import made_by

COLUMNS = ("score", "items", "judgments", "alpha", "low", "high", "unit", "resamples")


def alpha(
    scored: Scored, rng: np.random.Generator, resamples: int = 500, level: float = 0.95
) -> pd.DataFrame:
    """Krippendorff's alpha for interval data, over outputs that two annotators or more judged.

    An item is one system's output of one segment; several judgments of one annotator count as one,
    their mean. The interval resamples documents (segments where none are named).

    Returns
    -------
    DataFrame
        One row: score, items, judgments, alpha, low, high, unit, resamples; none where no item was
        judged twice.
    """
    if "worker" not in scored.units:
        return pd.DataFrame(columns=list(COLUMNS))
    documented = "document" in scored.units and (scored.units["document"] >= 0).all()
    unit = "document" if documented else "segment"
    frame = pd.DataFrame(
        {
            "unit": scored.unit(unit),
            "item": scored.segment.astype(np.int64) * len(scored.systems) + scored.system,
            "worker": scored.unit("worker"),
            "x": scored.score,
        }
    )
    frame = frame.groupby(["unit", "item", "worker"], as_index=False)["x"].mean()
    items = frame.groupby(["unit", "item"])["x"].agg(["size", "mean", "var"]).reset_index()
    items = items[items["size"] >= 2]
    if items.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    # all of these add up over units, so a resample is one product
    size, mean, within = (items[c].to_numpy(float) for c in ("size", "mean", "var"))
    centre = float(np.average(mean, weights=size))
    mean = mean - centre
    squares = within * (size - 1) + size * mean**2
    parts = np.column_stack([size, size * mean, squares, 2 * size * within])
    codes = pd.factorize(items["unit"])[0]
    totals = np.stack([np.bincount(codes, p) for p in parts.T], axis=1)
    times = rng.multinomial(len(totals), np.full(len(totals), 1 / len(totals)), resamples)
    low, high = np.nanquantile(_alpha(times @ totals), [(1 - level) / 2, (1 + level) / 2])
    row = ("as the recipe takes it", len(items), int(size.sum()), float(_alpha(totals.sum(0))))
    return pd.DataFrame([(*row, low, high, unit, resamples)], columns=list(COLUMNS))


def _alpha(totals: np.ndarray) -> np.ndarray:
    n, total, squares, within = np.moveaxis(totals, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = 2 * (n * squares - total**2) / (n * (n - 1))
        return np.asarray(1 - within / n / expected)


def table(scored: Scored) -> pd.DataFrame:
    """How much each annotator judged, how strictly and with how much spread.

    Returns
    -------
    DataFrame
        annotator (number, in order of name), judgments, systems, severity (mean of the
        annotator's scores less the means of the systems judged, with sign turned: positive is
        strict), severity_error (its standard error), sd (of the annotator's scores); most
        judgments first.
    """
    worker = scored.unit("worker")
    n = len(scored.systems)
    mean = np.bincount(scored.system, scored.score, n) / np.bincount(scored.system, minlength=n)
    frame = pd.DataFrame({"annotator": worker, "system": scored.system, "score": scored.score})
    frame["rest"] = mean[scored.system] - scored.score
    by = frame.groupby("annotator")
    out = pd.DataFrame(
        {
            "judgments": by.size(),
            "systems": by["system"].nunique(),
            "severity": by["rest"].mean(),
            "severity_error": by["rest"].sem(),
            "sd": by["score"].std(),
        }
    )
    return out.sort_values("judgments", ascending=False, kind="stable").reset_index()


def influence(scored: Scored, recipe: Recipe, level: float = 0.05, most: int = 25) -> pd.DataFrame:
    """Which claimed lines fall, and whether the first changes, if one annotator had not judged.

    Parameters
    ----------
    most : int
        Only so many annotators, those with the most judgments.

    Returns
    -------
    DataFrame
        annotator, judgments, lines (claimed with all), fallen (of them, no longer claimed between
        the same two groups of systems), new (lines that were not there), first_changes (0 or 1).
    """
    worker = scored.unit("worker")
    number = np.bincount(worker)
    every = made_by(scored, recipe, level)
    lines = _splits(every.order, every.lines)
    rows = []
    for who in np.argsort(-number, kind="stable")[:most]:
        left = scored.take(worker != who)
        if len(np.unique(left.system)) < len(scored.systems):
            continue  # a system that only this one judged: there is nothing to compare
        made = made_by(left, recipe, level)
        now = _splits(made.order, made.lines)
        moved = int(made.order[0] != every.order[0])
        rows.append((who, number[who], len(lines), len(lines - now), len(now - lines), moved))
    columns = ["annotator", "judgments", "lines", "fallen", "new", "first_changes"]
    return pd.DataFrame(rows, columns=columns)


def _splits(order: np.ndarray, lines: np.ndarray) -> set[frozenset[int]]:
    """Each line as the set of systems above it."""
    return {frozenset(order[: k + 1].tolist()) for k in np.flatnonzero(lines)}
