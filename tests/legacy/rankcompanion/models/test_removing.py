"""What changes when a system had never been judged: orders and lines of the judgments left."""

import numpy as np
import pandas as pd
import pytest

from assessments import assessment, frame_of
from companion.legacy.rankcompanion.models.removing import removals, removals_by_z
from companion.legacy.rankstability.rank.comparing import compare
from companion.legacy.rankstability.rank.systems import rank_counts
from companion.legacy.rankstability.score.pairwise import PairCounts, pair_counts

CHANGES = [
    "d_rank", "d_cluster", "d_both", "kendall_distance", "largest_move", "moved",
    "lines_appeared", "lines_vanished",
]  # fmt: skip


def order_by_z(frame):
    """Systems by the mean of their scores, standardised within each worker's that are left."""
    of = frame.groupby("worker")["score"]
    z = (frame["score"] - of.transform("mean")) / of.transform("std")
    return z.groupby(frame["system"]).mean().sort_values(ascending=False).index.tolist()


def test_scores_are_standardised_anew_without_the_judgments_of_a_system():
    """One worker judged C, far below the others: its other scores then seem alike and high."""
    rows = [("w1", "A", 62), ("w1", "B", 58), ("w1", "C", 5), ("w1", "D", 40),
            ("w2", "A", 40), ("w2", "B", 52), ("w2", "D", 70), ("w2", "D", 35)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["worker", "system", "score"])
    frame = frame.assign(segment=frame.index.astype(str), type="SYSTEM")
    table = removals_by_z(assessment(frame))
    assert table.columns.tolist() == ["removed", *CHANGES]
    assert table["removed"].tolist() == [*"ABCD"]
    whole = order_by_z(frame)
    for system, moved in zip("ABCD", table["d_rank"], strict=True):
        before = [s for s in whole if s != system]
        assert moved == (order_by_z(frame[frame["system"] != system]) != before), system
    assert 0 < table["d_rank"].sum() < 4


def campaign(seed, systems, blocks=60):
    """Blocks of three of the systems and the reference, the earlier ones better."""
    rng = np.random.default_rng(seed)
    names = [*systems, "_ref"]
    out = []
    for _ in range(blocks):
        shown = rng.choice(len(names), 3, replace=False)
        best_first = shown[np.argsort(shown + 1.5 * rng.normal(size=3))]
        out.append({names[s]: rank for rank, s in enumerate(best_first, 1)})
    return frame_of(out)


@pytest.mark.parametrize("method", ["bojar", "expected_win"])
def test_each_system_and_the_reference_is_removed_from_a_task_of_three(method):
    frame = campaign(1, "abc")
    table = removals(frame, [method])
    assert table.columns.tolist() == ["task", "method", "removed", *CHANGES]
    assert sorted(table["removed"]) == ["a", "b", "c", "ref"]
    assert set(table["task"]) == {"cs-en"} and set(table["method"]) == {method}
    counts = pair_counts(frame)
    full = rank_counts(counts, method)
    for row in table.to_dict("records"):
        name = {"ref": "_ref"}.get(row["removed"], row["removed"])
        left = rank_counts(counts.without(name), method)
        expected = compare(full.without([name]), left).row()
        assert {key: row[key] for key in CHANGES} == expected


def test_of_two_systems_only_the_reference_can_be_removed():
    table = removals(campaign(2, "ab"), ["bojar", "better_others"])
    assert table["removed"].tolist() == ["ref", "ref"]
    assert table["method"].tolist() == ["bojar", "better_others"]


def test_tasks_may_be_given_as_counts_and_none_leave_an_empty_table():
    """Of the others, tests and lines stay as they were."""
    wins = np.array([[0, 1, 20], [2, 0, 20], [0, 0, 0]])
    counts = PairCounts(("a", "b", "c"), wins, np.zeros_like(wins))
    table = removals({"mine": counts}, ["bojar"]).set_index("removed")
    assert table["task"].unique().tolist() == ["mine"] and table.index.tolist() == ["a", "b", "c"]
    assert (table[["d_rank", "d_cluster", "lines_appeared", "lines_vanished"]] == 0).all(axis=None)
    empty = removals({}, ["bojar"])
    assert empty.columns.tolist() == ["task", "method", "removed", *CHANGES] and empty.empty
