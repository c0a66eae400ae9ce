"""Tables of relative ranking: small cases done by hand, the demo whose truth is known."""

import demo_rr
import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcampaigns import rr as read_rr
from companion.legacy.rankcompanion.models.meetings import meetings
from companion.legacy.rankcompanion.notebooks.relative_ranking import counting
from companion.legacy.rankcompanion.notebooks.relative_ranking import methods as relative_ranking
from companion.legacy.rankcompanion.verdict import cases
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import bradley_terry, resampling
from companion.legacy.rankstability.rank import standing as places
from companion.legacy.rankstability.score.pairwise import PairCounts


@pytest.fixture(scope="module")
def demo():
    return read_rr.read_rr([demo_rr.FILE])


def test_strengths_order_the_demo_as_its_truth_and_stand_beside_their_means(demo):
    frame = demo[demo["task"] == "cs-en"]
    table = relative_ranking.strengths(frame)
    truth = {s: q for s, q in demo_rr.QUALITY.items() if s in set(table["system"])}
    assert len(truth) == len(table)
    best = table.set_index("system")["strength"]
    assert np.corrcoef(best, [truth[s] for s in best.index])[0, 1] > 0.9
    data = resampling.units(frame).without("_ref")
    strength, tie = bradley_terry.davidson(data.counts)
    assert (
        best[list(data.systems)].tolist() == pytest.approx(strength.tolist())
        and (table["tie"] == tie).all()
    )
    assert (table["low"] < table["strength"]).all() and (table["high"] > table["strength"]).all()
    sets = table[["rank_low", "rank", "rank_high"]].to_numpy()
    assert (np.diff(sets, axis=1) >= 0).all() and set(table["unit"]) == {"judge"}


def by_two(pairs, seed=0):
    """Battles of named pairs: (better, worse, tied) of each, five judges in turn."""
    rows, rng = [], np.random.default_rng(seed)
    for block, (one, other, tied) in enumerate(pairs):
        judge = f"j{rng.integers(5)}"
        for place, (name, rank) in enumerate(((one, 1), (other, 1 if tied else 2))):
            rows.append(("t", block, judge, str(block), place + 1, name, rank))
    columns = ["task", "block", "judge", "segment", "position", "system", "rank"]
    return pd.DataFrame(rows, columns=columns).assign(ranked=True)


def uneven():
    """Two leaders who meet each other, four others who meet each other: 30 % against order."""
    pairs = [("a", "b"), ("c", "d"), ("c", "e")]
    won = [(x, y, False) for x, y in pairs for _ in range(70)]
    lost = [(y, x, False) for x, y in pairs for _ in range(30)]
    won += [("b", "c", False)] * 27 + [("c", "b", False)] * 3
    return by_two(won + lost + [("a", "b", True)] * 20)


def test_battles_are_ranked_by_strength_where_opponents_are_uneven():
    frame = uneven()
    data = places.battles(frame)
    assert data.method == "strength" and relative_ranking.modelled(frame) == ["strength"]
    made = places.standing(data, data.method)
    strength = bradley_terry.davidson(data.every.counts)[0]
    ranking = made.table.set_index("system")
    assert ranking["score"][list(data.systems)].tolist() == pytest.approx(strength.tolist())
    assert ranking["score"].idxmax() == "a" and ranking.loc["c", "bojar"] > 0.6
    # b met the strongest, so its share of wins is below that of c, whom it beats nine times in ten
    assert ranking.loc["b", "bojar"] < ranking.loc["c", "bojar"]
    assert ranking.loc["b", "rank"] == 2 and ranking.loc["c", "rank"] == 3
    # one with an infinite strength stands last, without a score, and the others keep theirs
    never = frame[
        ~frame["block"].isin(frame.loc[(frame["system"] == "a") & (frame["rank"] == 2), "block"])
    ]
    data = places.battles(never[never["block"] < 300])
    last = places.standing(data, data.method).table
    assert data.method == "strength" and last["score"].isna().any()
    assert last["score"].isna().tolist() == sorted(last["score"].isna())
    three = pd.concat([frame, frame.head(1).assign(position=3, system="z", rank=3)])
    assert relative_ranking.modelled(three) == []


def test_groups_never_compared_with_each_other_are_not_ranked_together():
    two = [("a", "b", False), ("b", "a", True), ("c", "d", False), ("d", "c", False)] * 9
    for frame in (by_two(two), by_two([*two, ("_ref", "a", False), ("_ref", "c", False)])):
        for ranked in (
            places.battles,
            lambda frame: relative_ranking.cluster_table(frame, "bojar"),
        ):
            with pytest.raises(DataError, match="never compared") as error:
                ranked(frame)
            assert error.value.value == [["a", "b"], ["c", "d"]]
    joined = by_two([*two, ("b", "c", True)])
    assert (
        len(places.battles(joined).systems)
        == len(relative_ranking.cluster_table(joined, "bojar"))
        == 4
    )


@pytest.mark.filterwarnings("error")
def test_next_to_no_degrees_of_freedom_a_repeat_is_foretold_without_a_fault():
    """One judge decided on a nearly alone: others could say anything."""
    rows = [("b", "c", False), ("d", "a", False), ("c", "d", False), ("d", "c", False)]
    frame = by_two(rows * 3 + [("a", "b", False)], seed=4)
    one = cases.Case("t", "xx-yy", "RR", "bojar", frame, {}, places.battles(frame))
    made = places.standing(one.battles, "bojar")
    assert made.unit and made.sure.freedom.min() < 2
    found = cases.again(one, made, np.random.default_rng(0))
    assert not found["needed"].drop(columns=["system", "other"]).isna().any(axis=None)


@pytest.mark.filterwarnings("error")
def test_of_a_system_that_only_tied_no_share_of_judges_is_known():
    frame = by_two([("a", "b", False), ("b", "a", False), ("b", "c", True)] * 9)
    one = cases.Case("t", "xx-yy", "RR", "strength", frame, {}, places.battles(frame))
    shares = cases.judged_together(one).set_index(["system", "other"])["share"]
    assert shares["a", "b"] == 1 and shares["a", "c"] != shares["a", "c"]


def test_meetings_say_who_met_whom():
    table = meetings(places.battles(uneven()).every.counts).set_index("system")
    assert table["rank"].tolist() == list(range(1, 6))
    assert table["comparisons"].to_dict() == {"a": 120, "b": 150, "c": 230, "d": 100, "e": 100}
    assert table["opponents"].to_dict() == {"a": 1, "b": 2, "c": 3, "d": 1, "e": 1}
    assert table.loc["b", "other"] == "a" and table.loc["b", "share"] == pytest.approx(0.8)
    assert table["ties"].to_dict() == {"a": 20, "b": 20, "c": 0, "d": 0, "e": 0}
    wins = np.array([[0, 70, 0], [30, 0, 27], [0, 3, 0]])
    of = meetings(PairCounts(("a", "b", "c"), wins, np.zeros_like(wins))).set_index("system")
    strength = bradley_terry.davidson(PairCounts(("a", "b", "c"), wins, np.zeros_like(wins)))[0]
    mean = (100 * strength[0] + 30 * strength[2]) / 130
    assert of.loc["b", "opponents_strength"] == pytest.approx(mean)
    assert table.loc["a", "opponents_strength"] > table.loc["c", "opponents_strength"]
    assert table["rank_bojar"].idxmin() == "a" and (table["rank"] != table["rank_bojar"]).any()
    assert (table["rank_decided"] == table["rank"]).all()


def test_the_best_of_six_is_kept_by_strength_and_not_by_the_share_of_wins():
    """As `benchmarks/bench_matchmaking.py` measured it."""
    table = pd.read_csv(paths.ROOT / "benchmarks" / "results" / "matchmaking.csv")
    assert (table["campaigns"] >= 150).all()
    strength, share = (table[table["method"] == m] for m in ("strength", "share of wins"))
    noise = 2 * np.sqrt(0.05 * 0.95 / strength["campaigns"])
    assert (strength["false"] <= 0.05 + noise).all() and (strength["best_kept"] > 0.99).all()
    assert share["best_kept"].min() < 0.7 and share["false"].max() > 0.5


def test_exposure_by_hand_is_of_blocks_and_per_cent():
    """Of the four blocks of a one shows the reference, of the three of b one; of c none."""
    rows = [
        ("t", block, "j", str(block), place, name, rank)
        for block, shown in enumerate(
            [
                [("_ref", 1), ("a", 2), ("b", 3)],
                [("a", 1), ("b", 2)],
                [("a", 1), ("c", 2)],
                [("a", 2), ("b", 1), ("c", 2)],
            ]
        )
        for place, (name, rank) in enumerate(shown, start=1)
    ]
    columns = ["task", "block", "judge", "segment", "position", "system", "rank"]
    frame = pd.DataFrame(rows, columns=columns).assign(ranked=True)
    points = relative_ranking.exposure(counting.scores(frame).assign(task="t"), frame)
    table = points.set_index("system")
    assert set(table.index) == {"a", "b", "c"} and set(table["task"]) == {"t"}
    assert table["blocks"].to_dict() == {"a": 4, "b": 3, "c": 2}
    assert table["reference_share"].round(9).to_dict() == {"a": 25, "b": 33.333333333, "c": 0}
    assert table["score"].to_dict() == {"a": 66.7, "b": 40.0, "c": 33.3}


def test_correlations_by_hand_by_task_and_pooled():
    points = pd.DataFrame(
        {
            "task": ["x"] * 3 + ["y"] * 3 + ["z"] * 2,
            "system": list("abcdefgh"),
            "blocks": [1, 2, 3, 5, 5, 5, 1, 2],
            "reference_share": [3.0, 2.0, 1.0, 1.0, 2.0, 4.0, 1.0, 2.0],
            "score": [10.0, 20.0, 30.0, 1.0, 2.0, 4.0, 1.0, 2.0],
        }
    )
    table = relative_ranking.correlations(points).set_index("task")
    assert table["systems"].to_dict() == {"x": 3, "y": 3, "z": 2, "overall": 8}
    assert table.loc["x", ["blocks", "reference_share"]].tolist() == pytest.approx([1.0, -1.0])
    assert np.isnan(table.loc["y", "blocks"])  # does not vary
    assert table.loc["y", "reference_share"] == pytest.approx(1.0)
    assert table.loc["z", ["blocks", "reference_share"]].isna().all()  # two systems
    pooled = np.corrcoef(points["blocks"], points["score"])[0, 1]
    assert table.loc["overall", "blocks"] == pytest.approx(pooled)


def test_meetings_with_a_model_that_never_lost_have_no_strength():
    frame = uneven()
    alone = meetings(places.battles(frame).every.counts).set_index("system")
    more = by_two([("new", "a", False)] * 6 + [("new", "e", False)] * 2)
    more["block"] += frame["block"].max() + 1
    joined = places.battles(pd.concat([frame, more]))
    table = meetings(joined.every.counts).set_index("system")
    known = [name for name in table.index if name != "new"]
    assert table.index[-1] == "new" == places.standing(joined, "").systems[-1]
    for column in ("opponents_strength", "rank", "rank_decided"):
        assert table.loc[known, column].tolist() == pytest.approx(alone[column].tolist())
    strength = bradley_terry.davidson(places.battles(frame).every.counts)[0]
    met = (6 * strength[0] + 2 * strength[4]) / 8
    assert table.loc["new", "opponents_strength"] == pytest.approx(met)
    assert table.loc["new", "rank_bojar"] == 1  # by the share of wins it would be first
