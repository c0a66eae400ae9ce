"""Removing every system in turn, sharing the work between the removals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from ..judgments import DirectAssessment, unmarked
from ..judgments import counted as rows_that_count
from ..rank.ranking import Ranking
from ..rank.systems import rank_systems
from ..score.da import (
    SegmentScores,
    averages,
    judgment_z,
    moments,
    segment_scores,
    standardised,
)
from .changes import Comparison


def _places(frame: pd.DataFrame, systems: Sequence[str]) -> np.ndarray:
    """Place of each row's system among `systems`; -1 of another, such as a joined id."""
    places = pd.Index(systems).get_indexer(frame["system"].cat.categories)
    return np.append(places, -1)[frame["system"].cat.codes.to_numpy()]


def leave_one_out(
    da: DirectAssessment,
    test: str = "scipy<1.7",
    rule: str = "knowles",
    alpha: float = 0.05,
) -> list[Comparison]:
    """Remove every ranked system in turn; the same numbers as `variants`, sharing the work.

    The codes, the cells (system by segment) with their raw means and counts, and the sums and
    z-scores of workers who never met the removed system are computed once; only what its removal
    changes is computed again, in the same order of additions, so that ties stay ties.
    """
    first = segment_scores(da)
    ranked = partial(rank_systems, test=test, rule=rule, alpha=alpha)
    original = ranked(first)
    latest, good = da.latest[unmarked(da.latest)], da.good
    worker = latest["worker"].cat.codes.to_numpy()
    workers = latest["worker"].cat.categories
    system, score = _places(latest, first.systems), latest["score"].to_numpy(float)
    is_counted = rows_that_count(good)
    counted = good[is_counted]
    place = workers.get_indexer(good["worker"].cat.categories)
    row_worker = place[counted["worker"].cat.codes.to_numpy()]
    row_score = counted["score"].to_numpy(float)
    good_system = _places(good, first.systems)
    row_system = good_system[is_counted]
    width, cells = len(first.segments), len(first.system)
    row_cell = row_system * width + counted["segment"].cat.codes.to_numpy()
    cell = np.searchsorted(first.system * width + first.segment, row_cell)
    z_before = judgment_z(da)[is_counted]

    comparisons = []
    for k, name in enumerate(first.systems):
        out = system == k
        met = np.bincount(worker[out], minlength=len(workers)) > 0
        touched = met[worker] & ~out
        mean, sd, _ = moments(worker[touched], score[touched], len(workers))
        renewed = met[row_worker]
        z = z_before.copy()
        who = row_worker[renewed]
        z[renewed] = standardised(row_score[renewed], mean[who], sd[who], da.zero_variance)
        left = (row_system != k) & np.isfinite(z)
        keep = first.system != k
        means, _ = averages(cell[left], z[left], cells)
        code = first.system[keep]
        scores = SegmentScores(
            tuple(s for s in first.systems if s != name),
            first.segments,
            code - (code > k),
            first.segment[keep],
            first.raw[keep],
            means[keep],
            first.judgments[keep],
        )
        before, rows = original.without([name]), (int(out.sum()), int((good_system == k).sum()))
        comparisons.append(Comparison(name, (name,), *rows, before, ranked(scores)))
    return comparisons


def moves(comparisons: Sequence[Comparison], original: Ranking) -> pd.DataFrame:
    """Ranks and scores of every system before and after each removal of another.

    Columns removed, system (both in the original order), rank_before, rank_after (among the systems
    left), move (ranks up: positive), z_before, z_after.
    """
    frames = []
    for c in comparisons:
        columns = {"system": "system", "rank": "rank", c.original.by: "z"}
        before, after = (
            r.table[[*columns]].rename(columns=columns) for r in (c.original, c.changed)
        )
        both = before.merge(after, on="system", suffixes=("_before", "_after"))
        frames.append(both.assign(removed=c.name, move=both["rank_before"] - both["rank_after"]))
    table = pd.concat(frames, ignore_index=True)
    order = {s: k for k, s in enumerate(original.systems)}
    table = table.sort_values(
        ["removed", "system"], key=lambda column: column.map(order), ignore_index=True
    )
    return table[["removed", "system", "rank_before", "rank_after", "move", "z_before", "z_after"]]
