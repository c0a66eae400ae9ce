"""Two rankings of the same systems: what differs between them."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..errors import DataError
from .ranking import Ranking


@dataclass(frozen=True)
class Change:
    """What differs between two rankings of the same systems; see `compare`."""

    d_rank: bool
    d_cluster: bool
    kendall_distance: int
    largest_move: int
    moved: str
    lines_appeared: int
    lines_vanished: int

    @property
    def d_both(self) -> bool:
        """Whether both the order and the clusters changed."""
        return self.d_rank and self.d_cluster

    def row(self) -> dict[str, Any]:
        """One row of ``changes.csv``; the yes/no columns as 0 or 1."""
        first = {
            name: int(getattr(self, name))
            for name in ("d_rank", "d_cluster", "d_both")
        }
        return first | {
            k: v for k, v in asdict(self).items() if k not in first
        }


def compare(original: Ranking, changed: Ranking) -> Change:
    """Compare two rankings of the same systems.

    Returns
    -------
    Change
        d_rank: the order differs. d_cluster: the ordered list of clusters, as sets, differs.
        kendall_distance: pairs of systems in opposite order. largest_move: ranks moved by the
        system that moved most (`moved`; of several, the one best in `original`). Lines are the same
        if the same set of systems is above them.

    Raises
    ------
    DataError
        If the rankings differ in their systems.

    Examples
    --------
    >>> from companion.legacy.rankstability import compare, load, rank_systems, remove, segment_scores
    >>> judgments = load("demo-srdc", "de-en")
    >>> before = rank_systems(segment_scores(judgments))
    >>> after = rank_systems(segment_scores(remove(judgments, before.systems[-1])))
    >>> change = compare(before.without([before.systems[-1]]), after)
    >>> change.d_rank, change.d_cluster
    (False, False)
    """
    for one in (original, changed):
        if not isinstance(one, Ranking):
            expected = "two rankings from rank_systems"
            raise DataError(
                "not a ranking", value=type(one).__name__, expected=expected
            )
    differing = sorted(set(original.systems) ^ set(changed.systems))
    if differing:
        problem = "the rankings do not hold the same systems"
        raise DataError(
            problem, value=differing, expected="each system in both"
        )
    new = np.array([changed.systems.index(s) for s in original.systems])
    moves = np.abs(new - np.arange(len(new)))
    inversions = int(np.triu(new[:, None] > new, 1).sum())
    before, after = (
        {frozenset(r.systems[:k]) for k in r.lines}
        for r in (original, changed)
    )
    largest = int(moves.max(initial=0))
    return Change(
        d_rank=original.systems != changed.systems,
        d_cluster=original.clusters != changed.clusters,
        kendall_distance=inversions,
        largest_move=largest,
        moved=original.systems[int(moves.argmax())] if largest else "",
        lines_appeared=len(after - before),
        lines_vanished=len(before - after),
    )
