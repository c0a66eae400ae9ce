"""How few judgments, annotators or documents decide who is first, and where a boundary is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd

from ..arguments import check_alpha, check_arguments
from ..judgments import COMPARISON_KINDS, Judgments, check_judgments
from ..ranking.procedures import choose_procedure
from .removal import JUDGMENT, ComparedSystems, RankedAgain, ScoredSystems

COLUMNS = ["what", "below", "unit", "fewest", "of", "bound", "removed", "new_first"]
FIRST, BOUNDARY = "first", "boundary"
EXACT, AT_MOST = "exact", "at most"
MAX_CHALLENGERS = 3  # of the first, whose way to the first place is tried
MAX_SINGLES = 20  # single units of each challenger that are tried, if not all can be
MAX_SINGLES_FOR_BOUNDARIES = 3
FAR_FROM_ONE = 4  # removals, estimated to first order, so that a single one is not enough
MAX_ROWS_TRIED = 20_000_000  # judgments ranked in order to try every unit of a kind alone
MAX_ROWS_FOR_BOUNDARIES = 200_000  # judgments; of more, only the first place is asked about
BATCH_SHARE = 8  # of the units removed so far, as many are removed at once
MAX_NAMED = 50  # removals that are listed

Changed = Callable[[np.ndarray], str]  # units removed, to what changes, or ""
DrawnAlone = Callable[[str, int], tuple[list[int], list[int]] | None]
Row = tuple[str, int, str, float, int, str, tuple[object, ...], str]


@check_arguments
def fewest_removals(
    judgments: Judgments,
    procedure: str | None = None,
    alpha: float = 0.05,
    boundaries: bool = True,
) -> pd.DataFrame:
    """Find the fewest removals that change which system is first, or remove a cluster boundary.

    First, each annotator, each document and each of the most influential judgments is removed on
    its own. If no single removal is enough, more units are removed in the order of their influence,
    and the result is an upper bound. Each result is checked: scores are standardised and systems
    are ranked again without the removed units.

    Human translations do not count for first place. A boundary counts as removed if no boundary
    separates the same systems any more. With more than 200,000 judgments, only first place is
    examined.

    Parameters
    ----------
    judgments : Judgments
    procedure : str, optional
        A name in `PROCEDURES`; by default the procedure of the campaign's year. With votes,
        systems are ranked by strength; with relative rankings, by the share of comparisons won. No
        boundaries are drawn in either case.
    alpha : float
        The level of the procedure's tests.
    boundaries : bool
        Whether to examine boundaries as well as first place.

    Returns
    -------
    DataFrame
        One row for each change (`what`) and unit:

        - what: ``first`` or ``boundary``; below: the rank above the boundary (0 for ``first``)
        - unit: ``judgment``, ``annotator`` or ``document`` (for votes, ``question``)
        - fewest: the number of removals, NaN if none was found; of: the number of such units
        - bound: ``exact`` or ``at most``; empty if none was found
        - removed: names of the units; for judgments, row labels of ``judgments.table``, or ranking
          blocks (empty if more than 50)
        - new_first: the system that is then first

    Raises
    ------
    DataError
        ``unknown_procedure``, ``bad_alpha``, ``too_few_systems`` or ``no_judgments``.

    Examples
    --------
    >>> import rankstability as rs
    >>> fewest = rs.fewest_removals(rs.load("demo-srdc", "de-en"), procedure="wmt17")
    >>> fewest.loc[0, ["what", "unit", "bound"]].tolist()
    ['first', 'judgment', 'at most']
    """
    check_judgments(judgments)
    check_alpha(alpha)
    ranked: RankedAgain
    if judgments.kind in COMPARISON_KINDS:
        ranked = ComparedSystems(judgments)
    else:
        ranked = ScoredSystems(judgments, choose_procedure(judgments, procedure), alpha)
    drawn_alone = cache(lambda unit, code: ranked.drawn(ranked.units[unit] != code))
    rows = [_first(ranked, unit) for unit in ranked.units]
    if boundaries and len(ranked.units[JUDGMENT]) <= MAX_ROWS_FOR_BOUNDARIES:
        rows += [
            _boundary(ranked, unit, below, drawn_alone)
            for below in ranked.boundaries
            for unit in ranked.units
        ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _first(ranked: RankedAgain, unit: str) -> Row:
    """Return the row about the first place."""
    codes = ranked.units[unit]

    def changed(removed: np.ndarray) -> str:
        first = ranked.first(_rows_without(codes, removed))
        return "" if first is None or first == ranked.leader else ranked.systems[first]

    everything = np.ones(len(codes), bool)
    estimates = [
        _estimate(
            ranked.effects(unit, ranked.leader, other, everything),
            ranked.lead(ranked.leader, other),
        )
        for other in ranked.challengers
    ]
    nearest = np.argsort(estimates, kind="stable")[:MAX_CHALLENGERS]
    plans = [
        (_order(ranked, unit, (ranked.leader, ranked.challengers[k])), estimates[k])
        for k in nearest
    ]
    removed, bound, new_first = _search(ranked, unit, plans, changed, changed, MAX_SINGLES)
    return (FIRST, 0, *_described(ranked, unit, removed, bound), new_first)


def _boundary(ranked: RankedAgain, unit: str, below: int, drawn_alone: DrawnAlone) -> Row:
    """Return the row about the boundary below a rank."""
    codes = ranked.units[unit]
    above = set(ranked.order[:below].tolist())

    def gone(drawn: tuple[list[int], list[int]] | None) -> str:
        if drawn is None or (below in drawn[1] and set(drawn[0][:below]) == above):
            return ""
        return "gone"

    plans = [(_order(ranked, unit, pair), 2) for pair in ranked.weakest_pairs(below)]
    removed, bound, _ = _search(
        ranked,
        unit,
        plans,
        changed=lambda removed: gone(ranked.drawn(_rows_without(codes, removed))),
        changed_alone=lambda removed: gone(drawn_alone(unit, int(removed[0]))),
        singles=MAX_SINGLES_FOR_BOUNDARIES,
    )
    return (BOUNDARY, below, *_described(ranked, unit, removed, bound), "")


def _search(
    ranked: RankedAgain,
    unit: str,
    plans: list[tuple[np.ndarray, int]],
    changed: Changed,
    changed_alone: Changed,
    singles: int,
) -> tuple[np.ndarray, str, str]:
    """Return the fewest removals that were found, whether the number is exact, and the change.

    `plans` are orders of units, and about how many of them it takes.
    """
    codes = ranked.units[unit]
    n_units = int(codes.max()) + 1
    every_unit = unit != JUDGMENT and n_units * len(codes) <= MAX_ROWS_TRIED
    if min(estimate for _, estimate in plans) > FAR_FROM_ONE:
        singles = 1
    nearest = [int(code) for order, _ in plans for code in order[:singles]]
    for code in dict.fromkeys([*nearest, *(range(n_units) if every_unit else ())]):
        alone = np.array([code])
        if found := changed_alone(alone):
            return alone, EXACT, found
    best = np.zeros(0, int)
    change = ""
    for order, estimate in plans:
        useful = order[: len(best) - 1] if change else order
        number, found = _smallest(changed, useful, estimate)
        if found:
            best, change = useful[:number], found
    exact = every_unit and len(best) == 2
    return best, (EXACT if exact else AT_MOST) if change else "", change


def _order(ranked: RankedAgain, unit: str, pair: tuple[int, int]) -> np.ndarray:
    """Return the units whose removal reduces a lead, by effect.

    Effects of annotators and documents are computed again as they are removed, some at a time.
    """
    codes = ranked.units[unit]
    keep = np.ones(len(codes), bool)
    removed: list[int] = []
    batch = len(keep) if unit == JUDGMENT or len(keep) > MAX_ROWS_FOR_BOUNDARIES else 1
    while keep.any():
        effects = ranked.effects(unit, *pair, keep)
        effects[removed] = np.inf
        order = np.argsort(effects, kind="stable")[:batch]
        useful = order[effects[order] < 0]
        removed.extend(useful.tolist())
        if len(useful) < batch:
            break
        keep &= _rows_without(codes, useful)
        batch = max(1, len(removed) // BATCH_SHARE)
    return np.array(removed, int)


def _rows_without(codes: np.ndarray, removed: np.ndarray) -> np.ndarray:
    """Return which rows are left without some units; faster than `np.isin`."""
    left = np.ones(int(codes.max()) + 1, bool)
    left[removed] = False
    rows: np.ndarray = left[codes]
    return rows


def _estimate(effects: np.ndarray, lead: float) -> int:
    """Return how many removals would use up a lead, if effects were additive."""
    useful = np.sort(effects[effects < 0])
    enough = np.flatnonzero(np.cumsum(useful) < -lead)
    return int(enough[0]) + 1 if len(enough) else len(useful) + 1


def _smallest(changed: Changed, order: np.ndarray, start: int) -> tuple[int, str]:
    """Return the smallest number of removals in this order that changes something, and to what.

    The search begins at `start`, doubles its steps, and then halves them. (0, "") if nothing
    changes.
    """
    limit = len(order)
    if limit < 2:
        return 0, ""
    low = 1  # a number that changes nothing
    high = min(max(start, 2), limit)
    step = 1
    while not (found := changed(order[:high])):
        if high == limit:
            return 0, ""
        low, high = high, min(high + step, limit)
        step *= 2
    step = 1
    while low == 1 and high - step > 1:
        if now := changed(order[: high - step]):
            high, found = high - step, now
        else:
            low = high - step
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if now := changed(order[:middle]):
            high, found = middle, now
        else:
            low = middle
    return high, found


def _described(
    ranked: RankedAgain, unit: str, removed: np.ndarray, bound: str
) -> tuple[str, float, int, str, tuple[object, ...]]:
    """Return unit, fewest, of, bound and removed for a row of the table."""
    number = float(len(removed)) if bound else np.nan
    n_units = int(ranked.units[unit].max()) + 1
    names = ranked.names(unit, removed) if len(removed) <= MAX_NAMED else ()
    return unit, number, n_units, bound, names
