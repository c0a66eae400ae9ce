"""What changes in a ranking when one of its systems had never been judged."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from companion.legacy.rankstability.change.perturb import remove
from companion.legacy.rankstability.judgments import REFERENCE, DirectAssessment, ranked_systems
from companion.legacy.rankstability.rank import comparing
from companion.legacy.rankstability.rank.systems import count_tests, rank_counts, rank_scores
from companion.legacy.rankstability.score import pairwise
from companion.legacy.rankstability.score.pairwise import PairCounts
from companion.legacy.rankstability.score.scored import segment_scores

from .tasks import tasks

REMOVED_REFERENCE = "ref"  # the removal of the reference in tables


def removals_by_z(
    judgments: DirectAssessment, alpha: float = 0.05
) -> pd.DataFrame:
    """How the ranking by mean z changes without each system, whose judgments then standardise none.

    Columns removed, and those of `comparing.Change.row`; a row for each ranked system.
    """
    original = rank_scores(segment_scores(judgments), alpha=alpha)
    rows = []
    for system in ranked_systems(judgments):
        left = rank_scores(
            segment_scores(remove(judgments, system)), alpha=alpha
        )
        change = comparing.compare(original.without([system]), left)
        rows.append({"removed": system, **change.row()})
    return pd.DataFrame(rows)


def removals(
    frame: pd.DataFrame | Mapping[str, PairCounts],
    methods: Sequence[str],
    *,
    correction: str = "none",
    rule: str = "knowles",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """How each task's ranking changes without each of its systems, and without the reference.

    Columns task, method, removed (a system, or ``ref``), and those of `comparing.Change.row`.
    The ranking is compared with the full one, from which the system is dropped only before lines
    are drawn. For a task of two systems, only the reference is removed. Comparisons of a removed
    system go, as from `perturb.remove`, and the others of its blocks stay. `frame` has the rows of
    tasks, or maps their names to counts.
    """
    columns = [
        "task",
        "method",
        "removed",
        *comparing.Change(False, False, 0, 0, "", 0, 0).row(),
    ]
    ranked_by = partial(
        rank_counts, correction=correction, rule=rule, alpha=alpha
    )
    rows = []
    if isinstance(frame, pd.DataFrame):
        frame = {
            task: pairwise.pair_counts(one)
            for task, one in tasks(frame).items()
        }
    for task, counts in frame.items():
        ranked = counts.without(REFERENCE)
        p, lead = count_tests(ranked, correction)
        removed = [
            s
            for s in counts.systems
            if len(ranked.systems) > 2 or s == REFERENCE
        ]
        for method in methods:
            full = ranked_by(counts, method, tests=(p, lead))
            for system in removed:
                keep = np.array(ranked.systems) != system
                kept = np.ix_(keep, keep)
                left = p[kept], lead[kept]
                changed = ranked_by(counts.without(system), method, tests=left)
                change = comparing.compare(full.without([system]), changed)
                name = REMOVED_REFERENCE if system == REFERENCE else system
                rows.append(
                    {
                        "task": task,
                        "method": method,
                        "removed": name,
                        **change.row(),
                    }
                )
    return pd.DataFrame(rows, columns=columns)
