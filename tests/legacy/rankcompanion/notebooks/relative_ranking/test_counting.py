"""Blocks to scores by hand, and steadiness experiments."""

import demo_rr
import numpy as np
import pandas as pd
import pytest

from assessments import frame_of
from companion.legacy.rankcampaigns import rr as readers_rr
from companion.legacy.rankcompanion.models import removing
from companion.legacy.rankcompanion.models.tasks import tasks
from companion.legacy.rankcompanion.notebooks.relative_ranking import counting, methods
from companion.legacy.rankcompanion.notebooks.relative_ranking import methods as relative_ranking
from companion.legacy.rankstability.change import perturb
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import blocks
from companion.legacy.rankstability.rank.systems import rank_counts
from companion.legacy.rankstability.score import pairwise, rr


def test_a_toy_task_by_hand():
    """Two blocks: a beats b twice, ties with c once, and the reference beats all it meets."""
    frame = frame_of([{"_ref": 1, "a": 2, "b": 3, "c": 2}, {"a": 1, "b": 2, "c": -1}])
    table = counting.scores(frame).set_index("system")
    a = table.loc["a"]
    assert (a["blocks_shown"], a["blocks_ranked"], a["comparisons"]) == (2, 2, 4)
    assert a["better_or_equal_others"] == pytest.approx(3 / 4)
    assert a["better_others"] == pytest.approx(2 / 4)
    assert a["wins_over_decided"] == pytest.approx(2 / 3)
    assert a["heuristic2"] == pytest.approx(2 / 3)
    assert a["bojar"] == pytest.approx(1.0)
    assert a["expected_win"] == pytest.approx(1.0)  # against b; with c there are only ties
    assert a["better_or_equal_all_in_block"] == pytest.approx(1 / 2)
    assert table.loc["c", "blocks_ranked"] == 1 and table.loc["c", "blocks_shown"] == 2
    assert np.isnan(table.loc["_ref", "bojar"])
    assert table.index[0] == "_ref"


def test_one_ranked_alone_is_sole_winner_but_better_than_nobody():
    table = counting.scores(frame_of([{"a": 3, "b": -1}, {"a": 1, "b": 1}])).set_index("system")
    assert table.loc["a", "sole_winner_blocks"] == 1
    assert table.loc["a", "better_all_in_block"] == 0
    assert table.loc["a", "better_or_equal_all_in_block"] == 1


def test_each_score_stands_once_with_all_its_names():
    table = counting.score_names()
    assert table["score"].is_unique
    names = table.set_index("score")["names"]
    assert (
        "WMT-OFFICIAL" in names["better_or_equal_others"] and "≥" in names["better_or_equal_others"]
    )
    assert set(table["score"]) <= set(counting.scores(frame_of([{"a": 1, "b": 2}])).columns)


def test_refusals():
    frame = frame_of([{"a": 1, "b": 2}])
    with pytest.raises(DataError, match="no such system"):
        perturb.remove(frame, "z")
    with pytest.raises(DataError, match="more than one task"):
        blocks(pd.concat([frame, frame.assign(task="en-cs")]))
    with pytest.raises(DataError, match="no blocks"):
        blocks(frame.iloc[:0])


def test_blocks_in_which_a_system_is_shown_ranked_and_best_by_hand():
    shown = [{"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 1}, {"a": -1, "c": 1}, {"b": 1, "c": -1}]
    data = blocks(frame_of(shown))
    assert data.systems == ("a", "b", "c")
    facts = {name: counts.tolist() for name, counts in counting.by_block(data).items()}
    assert facts == {
        "shown": [3, 3, 3],
        "ranked": [2, 3, 2],
        "better_or_equal_all_in_block": [2, 2, 1],
        "better_all_in_block": [1, 0, 0],
        "sole_winner": [1, 1, 1],
    }


def test_one_that_ties_for_the_best_is_not_the_sole_winner():
    data = blocks(
        frame_of([{"a": 2, "b": 2, "c": 3}, {"c": 1, "a": 2, "b": 3}, {"a": -1, "b": -1}])
    )
    facts = {name: counts.tolist() for name, counts in counting.by_block(data).items()}
    assert facts == {
        "shown": [3, 3, 2],
        "ranked": [2, 2, 2],
        "better_or_equal_all_in_block": [1, 1, 1],
        "better_all_in_block": [0, 0, 1],
        "sole_winner": [0, 0, 1],
    }


# ---------------------------------------------------------------- steadiness


def best_first(values):
    values = values.drop("_ref", errors="ignore").dropna().sort_index()
    return values.sort_values(ascending=False, kind="stable").index.tolist()


@pytest.fixture(scope="module")
def demo():
    return readers_rr.read_rr([demo_rr.FILE])


def test_removals_are_what_removing_the_rows_gives(demo):
    changes = removing.removals(demo, ["better_or_equal_others", "expected_win"])
    assert len(changes) == 2 * 2 * 9 and set(changes["removed"]) >= {"ref", "cedar"}
    task = tasks(demo)["cs-en"]
    for row in changes[changes["task"] == "cs-en"].itertuples():
        removed = "_ref" if row.removed == "ref" else row.removed
        method = rr.METHODS[row.method]
        before = [s for s in best_first(method(pairwise.pair_counts(task))) if s != removed]
        after = best_first(method(pairwise.pair_counts(perturb.remove(task, removed))))
        assert row.d_rank == (before != after)
    reference = changes[(changes["removed"] == "ref") & (changes["method"] == "expected_win")]
    assert not reference["d_rank"].any()  # it never counted there


def test_rank_ranges_hold_the_rank_and_units_are_wider(demo):
    table = methods.ranges(demo, ["bojar"], resamples=400, seed=5)
    for task, judgments in tasks(demo).items():
        own = set(table.loc[table["task"] == task, "drawn"]) - {"judgment"}
        assert own == {"judge" if (judgments["judge"] != "").all() else "block"}
    table = methods.ranges(demo, ["bojar"], resamples=400, seed=5, unit="block")
    assert (table["first"] <= table["rank"]).all() and (table["rank"] <= table["last"]).all()
    width = (table["last"] - table["first"]).groupby(table["drawn"]).mean()
    assert width["block"] > width["judgment"]
    alone = methods.ranges(tasks(demo)["en-de"], ["bojar"], resamples=400, seed=5, unit="block")
    both = table[table["task"] == "en-de"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, both)  # a task does not depend on its company


def test_blocks_drawn_give_the_plain_bootstrap(demo):
    """The sparse product against drawing the blocks of the frame one by one."""
    task = tasks(demo)["cs-en"]
    data = blocks(task)
    rng = np.random.default_rng(0)
    draws = rng.integers(len(data.block), size=(20, len(data.block)))
    weights = np.array([np.bincount(d, minlength=len(data.block)) for d in draws])
    fast = pairwise.weighted(pairwise.pairwise_by_block(data), weights, data.systems)
    for k, draw in enumerate(draws):
        slow = pairwise.pair_counts(data.take(draw))
        assert (fast.wins[k] == slow.wins).all() and (fast.ties[k] == slow.ties).all()


def test_a_system_without_a_score_stands_last_and_is_not_dropped():
    """c is shown in every block and never ranked; in the second task nothing is decided."""
    frame = frame_of([{"a": 1, "b": 2, "c": -1}] * 8)
    scores = counting.scores(frame)
    assert scores.set_index("system").loc["c", "bojar":"expected_win"].isna().all()
    ranks = relative_ranking.method_ranks(scores, frame, time_limit=5).set_index("system")
    assert (ranks.loc["c"].drop("task") == 3).all() and ranks["mfas"].to_dict()["a"] == 1
    clusters = methods.cluster_table(frame, "bojar")
    assert list(clusters["system"]) == ["a", "b", "c"] and np.isnan(clusters["bojar"].iloc[2])
    changes = removing.removals(frame, ["bojar"])
    assert set(changes["removed"]) == {"a", "b", "c"}
    tied = frame_of([{"a": 1, "b": 1, "c": 1}] * 3)
    found = rank_counts(pairwise.pair_counts(tied), "bojar")
    assert list(found.systems) == ["a", "b", "c"] and set(found.table["cluster"]) == {1}


def test_two_systems_leave_nothing_to_remove():
    changes = removing.removals(frame_of([{"a": 1, "b": 2}] * 8), ["bojar"])
    assert changes.empty and {"task", "removed", "d_rank", "largest_move"} <= set(changes.columns)
    assert methods.removal_summary(changes).empty


def test_scores_come_best_first_and_equal_ones_by_name():
    table = counting.scores(frame_of([{"c": 1, "b": 2, "a": 2}, {"d": 1, "c": 1}]))
    assert table["system"].tolist() == ["c", "d", "a", "b"]
    assert table["comparisons"].tolist() == [3, 1, 2, 2]
    assert table["blocks_shown"].tolist() == table["blocks_ranked"].tolist() == [2, 1, 1, 1]
    assert table["sole_winner"].tolist() == [1 / 2, 0, 0, 0]
    assert set(table["task"]) == {"cs-en"} and table.index.tolist() == [0, 1, 2, 3]


def test_three_scores_leave_the_reference_out():
    table = counting.score_names().set_index("score")["with_reference"]
    assert table.index[~table].tolist() == ["heuristic2", "bojar", "expected_win"]
    assert all(method.reference == table[name] for name, method in rr.METHODS.items())


def test_tasks_come_in_order_of_name_with_their_rows():
    frame = frame_of([{"a": 1, "b": 2}])
    split = tasks(pd.concat([frame.assign(task="fr-en"), frame, frame]))
    assert [(name, len(rows)) for name, rows in split.items()] == [("cs-en", 4), ("fr-en", 2)]
