"""Rules that draw cluster boundaries between systems in order, by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Rule = Callable[[np.ndarray, np.ndarray], np.ndarray]


def ranges_are_disjoint(best: np.ndarray, worst: np.ndarray) -> np.ndarray:
    """Return, below each rank but the last, whether no rank range overlaps across it."""
    reach = np.maximum.accumulate(worst)[:-1]
    disjoint: np.ndarray = reach < np.minimum.accumulate(best[::-1])[::-1][1:]
    return disjoint


def clusters(boundaries: np.ndarray) -> np.ndarray:
    """Return the cluster of each system in order, from 1, given the boundaries below each rank."""
    return 1 + np.append(0, np.cumsum(boundaries)).astype(int)


def _below_each(condition: Callable[[np.ndarray, np.ndarray, int], object]) -> Rule:
    """Return the rule that asks `condition` for each rank k whether a boundary is below it."""

    def rule(significant: np.ndarray, wins: np.ndarray) -> np.ndarray:
        ranks = range(1, len(wins))
        return np.array([bool(condition(significant, wins, k)) for k in ranks], dtype=bool)

    return rule


def _disjoint(_: np.ndarray, wins: np.ndarray) -> np.ndarray:
    return ranges_are_disjoint(wins.sum(axis=0) + 1, len(wins) - wins.sum(axis=1))


BOUNDARY_RULES: dict[str, Rule] = {
    "knowles2021": _below_each(lambda significant, wins, k: significant[k - 1, k:].all()),
    "wins_equal_systems_below": _below_each(
        lambda significant, wins, k: wins[k - 1].sum() == len(wins) - k
    ),
    "all_above_beat_all_below": _below_each(lambda significant, wins, k: significant[:k, k:].all()),
    "disjoint_rank_ranges": _disjoint,
    "neighbours_differ": _below_each(lambda significant, wins, k: significant[k - 1, k]),
}
"""Where a boundary is drawn below the system of rank k:

knowles2021 : it differs significantly from every system below (Knowles 2021, footnote 4; the
    direction of a difference is ignored).
wins_equal_systems_below : its number of significant wins, over systems above or below, equals the
    number of systems below (the scripts of WMT).
all_above_beat_all_below : every system above differs significantly from every system below.
disjoint_rank_ranges : the ranges [losses + 1, n - wins] above and below do not overlap (WMT22-24).
neighbours_differ : it differs significantly from the next system.

A rule takes the matrices of significant pairs and of significant wins (row over column), systems in
order, and returns True at k - 1 for a boundary below rank k.
"""
