"""A pair's ranking with what is certain of it: units, sets, lines, invariances."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.models.meetings import meetings
from companion.legacy.rankcompanion.models.units import loads, unit_table
from companion.legacy.rankstability import battles, judgments, load, rank_systems, segment_scores
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.paths import DEMO
from companion.legacy.rankstability.rank.battles import battles as by_unit
from companion.legacy.rankstability.rank.certainty import certainty
from companion.legacy.rankstability.rank.recipes import RECIPES, counted_by, make
from companion.legacy.rankstability.rank.standing import (
    choose,
    comparisons_by_unit,
    judged_by,
    splits,
    standing,
    tops,
)
from companion.legacy.rankstability.rank.units import TWO_WAY, default_kinds
from companion.legacy.rankstability.score.scored import from_frame, scored


def frame(workers=10, documents=12, seed=1, gap=2.0, names="worker document"):
    """Every worker judges every system on four of the documents, three segments each."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{s}", f"d{d}-{k}", f"w{w}", f"d{d}", gap * s + rng.normal())
        for w in range(workers)
        for d in {(3 * w + step) % documents for step in range(4)}
        for k in range(3)
        for s in range(4)
    ]
    columns = ["system", "segment", "worker", "document", "score"]
    return pd.DataFrame(rows, columns=columns)[["system", "segment", "score", *names.split()]]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (frame(), TWO_WAY),
        (frame(names="worker"), "worker"),
        (frame(names="document"), "document"),
        (frame().drop(columns=["worker", "document"]), ""),
        (frame(workers=3), TWO_WAY),  # few of a kind: no silent switch to the other
        (frame().assign(document=lambda f: f["worker"] + f["document"]), TWO_WAY),
        (frame(workers=1, documents=4), ""),  # one of a kind says nothing of others
        (frame(documents=1), ""),
    ],
)
def test_the_default_unit_is_all_that_the_data_name(made, expected):
    assert default_kinds(from_frame(made)) == tuple(n for n in ("worker", "document") if n in made)
    got = standing(from_frame(made), "wmt25")
    assert got.unit == expected
    if not expected:
        promised = got.table.drop(columns=["rank", "system", "score", "cluster", "unit"])
        assert promised.isna().all(axis=None) and got.places["held"].isna().all()
        assert got.places["claimed"].notna().all()


def test_clear_gaps_hold_and_equal_systems_do_not():
    clear = standing(from_frame(frame()), "wmt24")
    assert clear.table["system"].tolist() == ["s3", "s2", "s1", "s0"]
    assert (clear.places[["claimed", "held"]] == 1).all(axis=None)
    assert clear.table["rank_low"].tolist() == [1, 2, 3, 4]
    assert clear.table["rank_high"].tolist() == [1, 2, 3, 4]
    equal = standing(from_frame(frame(gap=0)), "wmt24")
    assert not equal.places["held"].any() and equal.table["may_be_first"].all()


def test_names_of_units_and_the_order_of_rows_change_no_line():
    one = frame(gap=0.3)
    new = one.sample(frac=1, random_state=2)
    for column in ("worker", "document", "segment"):
        names = one[column].unique()
        places = np.random.default_rng(3).permutation(len(names))
        new[column] = new[column].map(dict(zip(names, names[places], strict=True)))
    for name in RECIPES:
        a, b = (standing(from_frame(f), name, TWO_WAY).places for f in (one, new))
        pd.testing.assert_frame_equal(a, b)


def test_the_mean_over_domains_is_the_mean_of_domains_means():
    made = frame().assign(domain=lambda f: np.where(f["document"] == "d0", "small", "large"))
    judged = from_frame(made)
    by_hand = made.groupby(["system", "domain", "segment"])["score"].mean()
    by_hand = by_hand.groupby(["system", "domain"]).mean().groupby("system").mean()
    sure = certainty(judged, "worker", by_domain=True)
    np.testing.assert_allclose(sure.mean[np.argsort(sure.order)], by_hand)
    got = standing(judged, "wmt24").table
    np.testing.assert_allclose(got.set_index("system")["score"].sort_index(), by_hand)


def test_a_unit_that_data_do_not_name_is_refused():
    with pytest.raises(DataError, match="worker"):
        standing(from_frame(frame(names="worker")), "wmt24", "document")
    with pytest.raises(DataError, match="do not name their worker"):
        standing(from_frame(frame(names="")), "wmt24", "worker")
    one = from_frame(frame(names="worker"))
    alone = replace(one, systems=(*one.systems, "unjudged"))
    with pytest.raises(DataError, match="systems without a score; found 'unjudged'"):
        standing(alone, "wmt24")
    with pytest.raises(DataError, match="z, raw"):
        scored(frame(), "mean")
    with pytest.raises(DataError, match="without scores"):
        scored(pd.DataFrame({"rank": [1]}))


def test_scores_of_every_protocol():
    da = campaigns.load("demo-srdc", "de-en")
    raw, z = scored(da), scored(da, "z")
    assert raw.systems == z.systems and len(z.score) < len(raw.score)  # one worker has no spread
    assert raw.score.max() > 50 and abs(z.score.mean()) < 1
    mqm = scored(campaigns.load("demo-mqm", "en-de"))
    assert mqm.score.max() == 0 and set(unit_table(mqm)["unit"]) >= {"worker", "document"}
    standard = scored(campaigns.load("demo-mqm", "en-de"), "z")
    for w in np.unique(standard.unit("worker")):
        mine = standard.score[standard.unit("worker") == w]
        assert mine.mean() == pytest.approx(0, abs=1e-9) and mine.std(ddof=1) == pytest.approx(1)


def test_judgments_of_no_known_domain_are_a_domain_of_their_own():
    made = frame().assign(domain=lambda f: f["document"].map({"d0": "a", "d1": "a", "d2": "b"}))
    judged = from_frame(made)
    assert len(np.unique(judged.unit("domain"))) == 3
    assert standing(judged, "wmt24").places["claimed"].all()


@pytest.mark.parametrize("name", RECIPES)
def test_a_ranking_by_recipe_is_that_of_its_arrays(name):
    judgments = load("demo-srpdc", "de-en")
    ranking = rank_systems(judgments, recipe=name)
    judged = counted_by(judgments, RECIPES[name])
    arrays = make(RECIPES[name], judged.stack() if RECIPES[name].apart else judged.matrix())
    assert ranking.systems == tuple(judged.systems[k] for k in arrays.order)
    assert ranking.lines == arrays.lines and ranking.score.tolist() == arrays.score.tolist()
    assert ranking.certain.systems == ranking.systems or RECIPES[name].apart
    assert (ranking.p == ranking.p.T)[~np.eye(len(ranking.p), dtype=bool)].all()
    if name == "wmt17":  # the same by the other way
        other = rank_systems(segment_scores(judgments))
        assert ranking.systems == other.systems and ranking.lines == other.lines
    if name in ("wmt17", "wmt24", "wmt26"):
        assert ranking.under().lines == ranking.lines


def test_the_level_of_a_recipes_tests_is_said():
    judgments = load("demo-srdc", "de-en")
    assert rank_systems(judgments, recipe="wmt24").test.endswith("by Stouffer, .05")
    assert rank_systems(judgments, recipe="wmt24", alpha=0.2).test.endswith("by Stouffer, .2")
    assert rank_systems(judgments, recipe="wmt25", alpha=0.01).test.endswith("order, .005")


def votes(*judges):
    """Four battles: A beats B, B beats A, B beats C, B and C tie."""
    fought = [("A", "B", 1, 2), ("A", "B", 2, 1), ("C", "B", 2, 1), ("B", "C", 1, 1)]
    rows = [
        ("t", k, judge, f"q{k}", place, *side)
        for k, ((a, b, one, two), judge) in enumerate(zip(fought, judges, strict=True))
        for place, side in ((1, (a, one)), (2, (b, two)))
    ]
    columns = ["task", "block", "judge", "segment", "position", "system", "rank"]
    return pd.DataFrame(rows, columns=columns)


def test_battles_are_counted_by_judge_where_every_battle_names_one():
    made = by_unit(votes(*"uuvv"))
    assert (made.unit, made.judges, made.unnamed) == ("judge", 2, 0)
    assert made.number.to_numpy().tolist() == [["judge", 2, "", 1], ["battle", 4, "judge", 0]]
    assert made.counted == 3 and loads(made, "judge").tolist() == [4, 2]
    asked = by_unit(votes(*"uuvv"), "block")
    assert asked.unit == "battle" and asked.number["default"].tolist() == [0, 1]
    some = by_unit(votes("u", "u", "", "v"))
    assert (some.unit, some.judges, some.unnamed) == ("battle", 2, 1)
    assert some.number.to_numpy().tolist() == [["battle", 4, "", 1]]


def test_whom_each_system_met_by_hand():
    met = meetings(by_unit(votes(*"uuvv")).every.counts).set_index("system")
    assert met["comparisons"].to_dict() == {"A": 2, "B": 4, "C": 2}
    assert met["opponents"].to_dict() == {"A": 1, "B": 2, "C": 1}
    assert met["other"].to_dict() == {"A": "B", "B": "A", "C": "B"}
    assert met["share"].to_dict() == {"A": 1.0, "B": 0.5, "C": 1.0}
    assert met["ties"].to_dict() == {"A": 0, "B": 1, "C": 1}
    assert met.loc["A", "opponents_strength"] == met.loc["C", "opponents_strength"]
    assert met["rank_bojar"].to_dict() == {"B": 1, "A": 2, "C": 3}  # 2 of 3, 1 of 2, 0 of 1


def test_the_recipe_is_that_of_the_campaigns_year_if_none_is_asked_for():
    assert rank_systems(load("demo-srdc", "de-en")).recipe == "wmt17"
    assert rank_systems(load("demo-mqm", "en-de")).recipe == "wmt24"
    assert rank_systems(load(DEMO / "ratings.csv")).recipe == "wmt24"
    assert rank_systems(judgments(pd.read_csv(DEMO / "ratings.csv"))).recipe == "wmt24"


def demo_of(kind):
    if kind == "scores":
        return segment_scores(load("demo-srdc", "de-en"))
    return load(kind, {"demo-rr": "cs-en", "demo-mqm": "en-de"}.get(kind, "de-en"))


@pytest.mark.parametrize(
    ("kind", "told", "said"),
    [
        ("demo-srdc", {"recipe": "wmt99"}, "unknown recipe; found 'wmt99'"),
        ("demo-srdc", {"unit": "judge"}, "do not name their judge"),
        ("demo-srdc", {"unit": "annotator"}, r"unknown unit \(did you mean worker\?\)"),
        ("demo-srdc", {"unit": "documents"}, r"unknown unit \(did you mean document\?\)"),
        ("demo-srdc", {"alpha": 1.5}, "alpha out of range"),
        ("demo-srdc", {"alpha": "5 %"}, "alpha out of range; found '5 %'"),
        ("demo-srdc", {"rule": "adjacent"}, "a recipe has its own test, rule and score"),
        ("demo-rr", {"recipe": "wmt24"}, "comparisons are ranked without a recipe"),
        ("demo-rr", {"unit": "worker"}, "unknown unit; found 'worker'; expected judge"),
        ("demo-mqm", {"recipe": "wmt17", "unit": "hit"}, "do not name their hit"),
        ("scores", {"recipe": "wmt24"}, "scores of segments know neither"),
        ("scores", {"unit": "document"}, "scores of segments know neither"),
    ],
)
def test_what_cannot_be_ranked_so_is_refused(kind, told, said):
    with pytest.raises(DataError, match=said):
        rank_systems(demo_of(kind), **told)


@pytest.mark.parametrize("thing", [pd.DataFrame({"model": ["A"]}), [1], "wmt21"])
def test_what_is_no_judgments_is_refused(thing):
    with pytest.raises(DataError, match="judgments"):
        rank_systems(thing)


def fights(champions=0):
    """Battles of four models, each far from the next, and some that a newcomer won."""
    pairs = [(a, b) for k, a in enumerate("ABCD") for b in "ABCD"[k + 1 :]]
    rows = [pair for pair in pairs for _ in range(40)]
    rows += [pair[::-1] for pair in pairs for _ in range(8)]
    rows += [("new", "ABCD"[k % 4]) for k in range(champions)]
    made = pd.DataFrame(rows, columns=["left", "right"]).assign(winner="left")
    made["judge"] = [f"j{k % 30}" for k in range(len(made))]
    return battles(made, left="left", right="right")


@pytest.mark.parametrize("champions", [1, 4, 80])
def test_a_model_that_never_lost_neither_takes_nor_gives_a_line(champions):
    alone = rank_systems(fights())
    joined = rank_systems(fights(champions))
    assert alone.lines == joined.lines == (1, 2, 3)
    assert joined.systems == (*alone.systems, "new")
    assert joined.places.loc[joined.places["claimed"] == 1, "below"].tolist() == [1, 2, 3]
    again = joined.under(alpha=0.01)
    assert again.lines == alone.under(alpha=0.01).lines and again.systems == joined.systems
    without = joined.without(["new"])
    assert without.lines == alone.lines and without.score == pytest.approx(alone.score)
    assert joined.without(["A"]).systems == ("B", "C", "D", "new")
    assert joined.without(["A"]).lines == (1, 2)
    codes = np.array(joined.sure.systems)[np.argsort(np.argsort(joined.sure.order))]
    assert [sorted(codes)[k] for k in joined.order] == list(joined.systems)


def test_models_of_which_no_two_are_joined_keep_their_order_and_lines():
    rows = [pair for pair in ("AB", "AC", "BC") for _ in range(20)]
    made = pd.DataFrame(map(list, rows), columns=["left", "right"]).assign(winner="left")
    ranking = rank_systems(battles(made, left="left", right="right"))
    assert ranking.systems == tuple("ABC") and ranking.lines == (1, 2)
    assert ranking.under(alpha=1e-9).lines == () and ranking.table["score"].isna().all()


def test_the_recipe_chosen_is_the_one_asked_for_the_years_or_one_with_scores():
    da = judgments(frame().rename(columns={"worker": "annotator"}))
    for year, form, asked, expected in (
        (0, "long", "auto", ("wmt24", "default")),
        (2023, "esa", "auto", ("wmt23", "year")),
        (2023, "esa", "wmt26", ("wmt26", "asked")),
        (2019, "da", "auto", ("wmt17", "year")),
    ):
        got = choose(da, asked, year, form)
        assert (got.recipe, got.why) == expected and got.own is got.judged[got.recipe]
    assert choose(da, form="long").why == "default"
    alone = da.good.assign(annotator=[f"w{k}" for k in range(len(da.good))])
    alone = judgments(alone[["system", "segment", "annotator", "score"]].astype({"system": str}))
    got = choose(alone, year=2019, form="da")  # each gave one score: there are no z-scores
    assert (got.recipe, got.why) == ("wmt25", "scores") and "wmt17" not in got.judged
    with pytest.raises(DataError, match="mine has no scores for this recipe; found 'wmt17'"):
        choose(alone, "wmt17", name="mine")
    with pytest.raises(FrozenInstanceError):
        got.why = "asked"


def test_two_systems_with_scores_that_differ_are_the_least_that_is_ranked():
    rows = frame().rename(columns={"worker": "annotator"})
    two = judgments(rows[rows["system"].isin(["s0", "s1"])])
    assert choose(two).own.systems == ("s0", "s1")
    with pytest.raises(DataError, match="fewer than two systems in mine"):
        choose(judgments(rows[rows["system"] == "s0"]), name="mine")
    with pytest.raises(DataError, match="all scores of mine are the same"):
        choose(judgments(rows.assign(score=1.0)), "wmt24", name="mine")
    apart = judgments(rows.assign(score=1.0 * (rows["system"] == "s0")))  # they differ by 1
    assert choose(apart, "wmt24").recipe == "wmt24"


def test_two_systems_and_a_win_are_the_least_that_comparisons_need():
    fought = votes(*"uuvv")
    two = comparisons_by_unit(fought[fought["block"] < 2])
    assert two.systems == ("A", "B") and two.counted == 2
    with pytest.raises(DataError, match="only ties in mine"):
        comparisons_by_unit(fought[fought["block"] == 3], name="mine")
    alone = fought[(fought["block"] == 0)].replace({"system": {"B": "_ref"}})
    with pytest.raises(DataError, match="fewer than two systems in mine"):
        comparisons_by_unit(alone, name="mine")
    for unit, expected in (("judge", "judge"), ("block", "battle"), ("battle", "battle")):
        assert comparisons_by_unit(fought, unit).unit == expected


def test_recipes_whose_tests_find_nothing_to_compare_are_left_out():
    """No two systems were judged on one segment: only tests of two samples compare them."""
    rng = np.random.default_rng(0)
    rows = [(f"s{k % 2}", f"g{k}", f"w{k % 3}", k % 2 + rng.normal()) for k in range(60)]
    columns = ["system", "segment", "annotator", "score"]
    apart = judgments(pd.DataFrame(rows, columns=columns))
    assert set(judged_by(apart, "")) == {"wmt17", "wmt26"}
    assert set(judged_by(apart, "wmt24")) == {"wmt17", "wmt24", "wmt26"}
    assert set(judged_by(apart)) == set(RECIPES)
    whole = judged_by(judgments(frame().rename(columns={"worker": "annotator"})), "")
    assert set(whole) == set(RECIPES)
    assert whole["wmt24"] is not whole["wmt17"]


def complete(gaps):
    """Every worker judges every system on one segment of every document."""
    rng = np.random.default_rng(6)
    rows = [
        (f"s{s}", f"{w}-{d}", f"w{w}", f"d{d}", gap + rng.normal())
        for w in range(8) for d in range(8) for s, gap in enumerate(gaps)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["system", "segment", "worker", "document", "score"])


def test_of_an_adaptive_design_a_line_is_claimed_between_the_same_systems():
    judged = from_frame(complete([0, 3, 3.05, 6]))
    plain, within = (standing(x, "wmt24") for x in (judged, replace(judged, adaptive=True)))
    assert plain.lines == (1, 3)  # not between the two in the middle
    shared = ["rank", "system", "score", "cluster"]  # intervals are those of differences
    pd.testing.assert_frame_equal(within.table[shared], plain.table[shared])
    pd.testing.assert_frame_equal(within.places, plain.places)
    assert [*within.table] == [*plain.table]
    np.testing.assert_allclose(within.p, plain.p)
    np.testing.assert_allclose(within.lead, plain.lead)
    assert splits(plain) == {frozenset([3]), frozenset([1, 2, 3])}
    assert tops(np.array([3, 2, 1, 0])) == [{3}, {2, 3}, {1, 2, 3}]


def test_a_ranking_of_comparisons_may_have_battles_as_units():
    ranking = rank_systems(fights(), unit="battle")
    assert ranking.unit == "battle" and rank_systems(fights()).unit == "judge"
    assert rank_systems(fights(), unit="block").unit == "battle"
    assert ranking.source is not None and ranking.certain.units == {"battle": 288}


def test_what_scores_of_segments_do_not_know_is_named():
    scores = segment_scores(load("demo-srdc", "de-en"))
    for told, found in (({"recipe": "wmt24"}, "wmt24"), ({"unit": "worker"}, "worker")):
        with pytest.raises(DataError, match=f"found '{found}'"):
            rank_systems(scores, **told)
    mqm = load("demo-mqm", "en-de").copy()
    mqm.attrs.clear()
    assert rank_systems(mqm).recipe == "wmt24"  # of no known year
