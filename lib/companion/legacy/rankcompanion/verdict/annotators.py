"""Annotators of one pair: how far they agree, and which lines depend on one of them."""

import numpy as np
import pandas as pd

from companion.legacy.rankstability.rank.recipes import Recipe, made_by
from companion.legacy.rankstability.rank.standing import splits
from companion.legacy.rankstability.score.scored import Scores

MOST = 25  # annotators whose influence is computed
COLUMNS = ("score", "items", "judgments", "alpha")


def alpha(scored: Scores) -> pd.DataFrame:
    """Krippendorff's alpha for interval data, over outputs that two or more annotators judged.

    An item is one system's output for one segment; several judgments of it by one annotator are
    replaced by their mean. One row with `COLUMNS`; none if no item was judged by two annotators.
    """
    none = pd.DataFrame(columns=list(COLUMNS))
    if "worker" not in scored.units:
        return none
    frame = pd.DataFrame(
        {"item": _items(scored), "worker": scored.unit("worker")}
    )
    frame["x"] = scored.score
    frame = frame.groupby(["item", "worker"], as_index=False)["x"].mean()
    items = frame.groupby("item")["x"].agg(["size", "mean", "var"])
    items = items[items["size"] >= 2]
    if items.empty:
        return none
    size, mean, within = (
        items[c].to_numpy(float) for c in ("size", "mean", "var")
    )
    mean = mean - float(np.average(mean, weights=size))
    disagreement = 2 * (size * within).sum()
    squares = (within * (size - 1) + size * mean**2).sum()
    number = size.sum()
    total = (size * mean).sum()
    expected = 2 * (number * squares - total**2) / (number * (number - 1))
    value = 1 - disagreement / number / expected if expected > 0 else np.nan
    row = ("as the recipe takes it", len(items), int(number), float(value))
    return pd.DataFrame([row], columns=list(COLUMNS))


def _items(scored: Scores) -> np.ndarray:
    """The code of the output that each judgment is about: a system's output for a segment."""
    return (
        scored.segment.astype(np.int64) * len(scored.systems) + scored.system
    )


def influence(
    scored: Scores, recipe: Recipe, alpha: float = 0.05
) -> pd.DataFrame:
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
        if not np.bincount(left.system, minlength=len(scored.systems)).all():
            continue  # only this annotator judged some system, so the rankings are not comparable
        made = made_by(left, recipe, alpha)
        now = splits(made)
        moved = int(made.order[0] != every.order[0])
        rows.append(
            (
                who,
                number[who],
                len(lines),
                len(lines - now),
                len(now - lines),
                moved,
            )
        )
    columns = [
        "annotator",
        "judgments",
        "lines",
        "fallen",
        "new",
        "first_changes",
    ]
    return pd.DataFrame(rows, columns=columns)
