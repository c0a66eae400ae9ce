"""Divisors: an obvious second implementation, and the reverse; counts with those of removal."""

from dataclasses import replace

import pandas as pd
import pytest

from assessments import toy
from conftest import needs
from oracle_da import slow
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks import divisor_degradation as degradation
from companion.legacy.rankstability.change import perturb
from companion.legacy.rankstability.errors import DataError

KINDS = ["d_rank", "d_cluster", "d_both"]


@pytest.fixture(scope="module")
def demo():
    return campaigns.load_da(campaigns.find("demo-srpdc"), "de-en")


def test_slow_way_on_the_demo(demo):
    for c in degradation.sweep(demo, (1.0, 1.3, 3.0, 10.0)):
        assert tuple(c.row()[k] for k in KINDS) == slow(demo, float(c.name)), c.name


@needs("wmt21")
def test_slow_way_on_real_data():
    da = campaigns.load_da(campaigns.find("wmt21"), "cs-en")
    found = [tuple(c.row()[k] for k in KINDS) for c in degradation.sweep(da, (1.25, 10.0))]
    assert found == [slow(da, 1.25), slow(da, 10.0)] and any(row[0] for row in found)


def test_humans_and_what_is_divided_are_named_and_dividing_by_one_changes_nothing(demo):
    one = degradation.study(demo, [1.0, 2.0])
    assert one.humans == ("HUMAN.0",)
    assert not one.changes.loc[one.changes["divisor"] == 1, KINDS].to_numpy().any()
    human = demo.good["system"].astype(str).str.contains("HUMAN") | (demo.good["type"] == "REF")
    assert one.divided == int(human.sum()) > 0
    zeros = replace(demo, good=demo.good.assign(score=demo.good["score"].where(~human, 0.0)))
    for judged in (demo, zeros):  # scores of zero included
        rows = degradation.study(judged, [1.0, 2.0]).changes["rows_good"]
        assert rows.to_list() == [one.divided] * 2
    none = degradation.study(perturb.remove(demo, humans=True, reference=True), [2.0])
    assert none.divided == 0 and none.changes["rows_good"].to_list() == [0]


def test_humans_are_dropped_from_the_rankings_but_not_from_the_scores(demo):
    (c,) = degradation.sweep(demo, (10.0,))
    assert c.dropped == ("HUMAN.0",) and "HUMAN.0" not in c.changed.systems
    before = c.original.table.set_index("system")["mean_z"]
    after = c.changed.table.set_index("system")["mean_z"]
    assert (after.loc[before.index] > before).all()  # beside a worse human all others look better
    raw = [r.table.set_index("system")["mean_raw"] for r in (c.original, c.changed)]
    pd.testing.assert_series_equal(raw[0], raw[1].loc[raw[0].index])


def test_inflation_reports_zeros_and_cuts(demo):
    found, handled = degradation.inflation(demo, (1.5, 100.0))
    lowest = found[0].dropped[0]
    own = demo.good[(demo.good["system"] == lowest) & demo.good["type"].isin(["SYSTEM", "REPEAT"])]
    assert handled["rows"].to_list() == [len(own)] * 2
    assert handled["zeros"].to_list() == [int((own["score"] == 0).sum())] * 2
    assert handled["cut"].to_list() == [
        int((own["score"] * 1.5 > 100).sum()),
        int((own["score"].clip(lower=1) * 100 > 100).sum()),
    ]
    assert lowest not in found[0].changed.systems


def test_rankings_of_the_sweep_stand_below_each_other(demo):
    sweep = degradation.sweep(demo, (2.0, 10.0))
    table = degradation.rankings_table(sweep[0].original, sweep)
    rankings = [sweep[0].original, *(c.changed for c in sweep)]
    for (name, part), made in zip(table.groupby("ranking", sort=False), rankings, strict=True):
        assert tuple(part["system"]) == made.systems, name
        assert tuple(part.loc[part["line_below"] == 1, "rank"]) == made.lines


@pytest.mark.parametrize("divisors", [0, [0.0], ["2"], "2.0", [2.0, -1.0]])
def test_divisors_that_are_not_positive_numbers_are_refused_in_one_line(demo, divisors):
    with pytest.raises(
        DataError, match=r"a list of divisors; found .*; expected a list of positive"
    ):
        degradation.study(demo, divisors)


def test_without_divisors_there_is_nothing_to_study(demo):
    with pytest.raises(DataError, match=r"no divisors; found .*; expected one or more"):
        degradation.study(demo, [])


@pytest.mark.parametrize(("zeros", "expected"), [("one", 3.0), ("keep", 0.0)])
def test_inflating_says_what_became_of_zeros(zeros, expected):
    after = degradation.inflate(toy(), ["B"], 3, zeros)
    scores = after.good["score"].to_numpy()
    assert scores[8] == expected  # 0 times 3
    assert scores[1] == 100 and scores[10] == 100  # 120 and 192, cut
    assert scores[4] == 90  # a REF row with its id is not its output
    notes = after.excluded[after.excluded["file"] == "good"]["rows"].to_list()
    assert notes == [3, 1, 2]


def test_inflated_scores_at_the_top_are_not_cut():
    after = degradation.inflate(toy(), ["A", "B"], 1.25)
    assert after.good["score"].tolist() == [100, 50, 87.5, 10, 90, 96, 20, 1.25, 1.25, 88, 80]
    notes = [tuple(row) for row in after.excluded.to_numpy()]
    assert [row for row in notes if row[0] == "good"] == [
        ("good", "scores multiplied by 1.25", 6),
        ("good", "of these zero, counted as 1", 2),
        ("good", "of these cut to 100", 0),
    ]
    kept = degradation.inflate(replace(toy(), scale=(0, 90)), ["HUMAN.0"], 1, "keep")
    assert kept.good["score"].tolist() == [80, 40, 70, 10, 90, 90, 20, 0, 0, 88, 64]
    assert [tuple(row) for row in kept.excluded.to_numpy()][-2:] == [
        ("good", "of these zero, left", 0), ("good", "of these cut to 90", 1),
    ]  # fmt: skip
    for factor in (0.99, float("inf"), float("nan")):
        with pytest.raises(DataError, match=r"not a factor to inflate by.*at least 1"):
            degradation.inflate(toy(), ["A"], factor)
    with pytest.raises(DataError, match="unknown treatment of zeros; found 'drop'; expected keep"):
        degradation.inflate(toy(), ["A"], 2, "drop")
