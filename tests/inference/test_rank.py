"""`rank_systems` joins a procedure with its inference; `compare` finds what a removal changes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankstability as rs
from judged import judged, ratings, toy
from rankstability.inference.rank import boundary_table
from rankstability.inference.ratings import infer_ratings
from rankstability.ranking.procedures import PROCEDURES, draw_ranking, scores_for
from rankstability.ranking.result import Ranking
from rankstability.ranking.rules import BOUNDARY_RULES, clusters

TABLE = [
    *("rank", "system", "score", "cluster", "score_adjusted", "score_low", "score_high"),
    *("rank_low", "rank_high", "could_be_first", "assessable", "human"),
]


def error_of(call):
    with pytest.raises(rs.DataError) as caught:
        call()
    return caught.value


# ------------------------------------------------------------------ which procedure


@pytest.mark.parametrize("name", [*PROCEDURES])
def test_a_ranking_is_that_of_its_procedure_joined_with_its_inference(name):
    judgments = rs.load("demo-srpdc", "de-en")
    ranking = rs.rank_systems(judgments, procedure=name)
    scores = scores_for(judgments, PROCEDURES[name])
    drawn = draw_ranking(scores, PROCEDURES[name])
    inference = infer_ratings(scores, None, PROCEDURES[name].by_domain)
    assert list(ranking.table) == TABLE and ranking.procedure == name
    assert ranking.systems == [scores.systems[k] for k in drawn.order]
    at = ranking.boundaries.query("drawn")["rank"].tolist()
    assert at == (np.flatnonzero(drawn.boundaries) + 1).tolist()
    assert ranking.table["score"].tolist() == drawn.score.tolist()
    at = [inference.systems.index(system) for system in ranking.systems]
    assert ranking.table["rank_high"].tolist() == inference.rank_high[at].tolist()
    assert ranking.table["could_be_first"].tolist() == inference.could_be_first[at].tolist()
    p = ranking.p_values.to_numpy()
    assert list(ranking.p_values) == list(ranking.p_values.index) == ranking.systems
    assert np.array_equal(p, p.T, equal_nan=True) and np.isnan(np.diag(p)).all()


def test_the_default_is_the_procedure_of_the_year_and_plain_means_without_a_year():
    assert rs.rank_systems(rs.load("demo-srdc", "de-en")).procedure == "wmt17"
    assert rs.rank_systems(rs.load("demo-mqm", "en-de")).procedure == "wmt24"
    own = rs.rank_systems(ratings())
    assert own.procedure == "plain" and not own.boundaries["drawn"].any()
    assert (own.table["cluster"] == 1).all() and own.boundaries["supported"].all()


@pytest.mark.parametrize("lacks", [[], ["d00", "d01", "d07"]])
def test_plain_means_are_the_means_of_segments_and_adjusted_means_stand_beside_them(lacks):
    table = ratings(gap=0.1).table
    table = table[~((table["system"] == "s3") & table["document"].isin(lacks))]
    ranking = rs.rank_systems(judged(table))
    means = rs.segment_scores(judged(table)).groupby("system")["raw"].mean().sort_values()
    assert ranking.systems == means.index.tolist()[::-1]
    np.testing.assert_allclose(ranking.table["score"], means[::-1])
    inference = ranking.inference
    adjusted = ranking.table.set_index("system")["score_adjusted"][list(inference.systems)]
    np.testing.assert_allclose(adjusted, inference.mean)
    assert np.allclose(ranking.table["score"], ranking.table["score_adjusted"]) == (not lacks)


def test_judgments_and_their_segment_scores_give_the_same_ranking():
    judgments = rs.load("demo-srdc", "de-en")
    whole = rs.rank_systems(judgments, procedure="wmt17")
    averaged = rs.rank_systems(rs.segment_scores(judgments))
    assert whole.systems == averaged.systems
    assert whole.table["cluster"].tolist() == averaged.table["cluster"].tolist()
    np.testing.assert_allclose(whole.p_values, averaged.p_values, rtol=1e-9)
    assert averaged.inference is None and averaged.pairs.empty
    again = rs.rank_systems(judgments, test="mann_whitney_halved", rule="knowles2021")
    pd.testing.assert_frame_equal(again.table, averaged.table)


def nobody_passes():
    """Return ratings in which annotators disagree on all, and outputs of documents with bad items."""
    rng = np.random.default_rng(0)
    rows = []
    for k in range(30):
        for annotator in "uvw":
            best = rng.choice(["A", "B"], p=[0.7, 0.3])
            for s in "AB":
                score = 100.0 * (s == best)
                rows.append((s, f"s{k}", annotator, f"d{k % 10}-{annotator}", "SYSTEM", score))
    rows += [("A", "bad", "u", "d0-u", "BAD_REF", 0.0)]
    columns = ["system", "segment", "annotator", "document", "item_type", "score"]
    return judged(pd.DataFrame(rows, columns=columns), "direct_assessment", scale=(0.0, 100.0))


def test_a_procedure_that_fails_leaves_the_others_as_they_are():
    judgments = nobody_passes()
    rows = judgments.table.query("item_type == 'SYSTEM'")
    gone = (rows["system"] == "A") & (rows["document"] == "d0-u")
    expected = rows[~gone].groupby(["system", "segment"], observed=True)["score"].mean()
    expected = expected.groupby("system", observed=True).mean()
    ranking = rs.rank_systems(judgments, procedure="wmt23")
    np.testing.assert_allclose(ranking.table.set_index("system")["score"].sort_index(), expected)
    assert scores_for(judgments, PROCEDURES["wmt23"]).n_judgments == 180 - 3
    error = error_of(lambda: rs.rank_systems(judgments, procedure="wmt26"))
    assert error.code == "nobody_passes_screening"


@pytest.mark.parametrize(
    ("campaign", "arguments", "code"),
    [
        ("demo-srdc", {"procedure": "wmt71"}, "unknown_procedure"),
        ("demo-srdc", {"unit": "questions"}, "unknown_unit"),
        ("demo-srdc", {"alpha": "5 %"}, "bad_alpha"),
        ("demo-srdc", {"procedure": "wmt17", "rule": "knowles2021"}, "argument_not_used"),
        ("demo-srdc", {"method": "strength"}, "argument_not_used"),
        ("demo-rr", {"procedure": "wmt24"}, "argument_not_used"),
        ("demo-rr", {"test": "wilcoxon"}, "argument_not_used"),
        ("demo-rr", {"method": "strength", "unit": "annotator"}, "argument_not_used"),
        ("demo-rr", {"method": "strenght"}, "unknown_method"),
    ],
)
def test_what_does_not_apply_is_refused(campaign, arguments, code):
    judgments = rs.load(campaign, {"demo-rr": "cs-en"}.get(campaign, "de-en"))
    assert error_of(lambda: rs.rank_systems(judgments, **arguments)).code == code


def test_two_systems_with_scores_that_differ_are_the_least_that_is_ranked():
    rows = ratings().table
    assert (
        error_of(lambda: rs.rank_systems(rs.keep(ratings(), systems=["s0"]))).code
        == "too_few_systems"
    )
    equal = judged(rows.assign(score=1.0))
    assert error_of(lambda: rs.rank_systems(equal)).code == "equal_scores"
    for thing in ([1], "wmt21", None):
        assert error_of(lambda thing=thing: rs.rank_systems(thing)).code == "not_judgments"


# ------------------------------------------------------------------ what is supported


def test_clear_differences_are_supported_and_equal_systems_are_not():
    clear = rs.rank_systems(ratings(), procedure="wmt24")
    assert clear.systems == ["s3", "s2", "s1", "s0"]
    assert clear.boundaries[["drawn", "supported"]].all(axis=None)
    assert clear.table["rank_low"].tolist() == clear.table["rank_high"].tolist() == [1, 2, 3, 4]
    assert (clear.pairs["result"] == "better").all() and (clear.pairs["difference"] > 0).all()
    equal = rs.rank_systems(ratings(gap=0), procedure="wmt24")
    assert not equal.boundaries["supported"].any() and equal.table["could_be_first"].all()


@pytest.mark.parametrize("procedure", ["plain", "wmt17", "wmt25"])
def test_lower_is_better_is_the_mirror_image(procedure):
    judgments = ratings(gap=0.7)
    turned = judgments.table.assign(score=-judgments.table["score"])
    higher = rs.rank_systems(judgments, procedure=procedure)
    lower = rs.rank_systems(judged(turned, lower_is_better=True), procedure=procedure)
    assert lower.systems == higher.systems and lower.boundaries.equals(higher.boundaries)
    for name in ("score", "score_adjusted"):
        np.testing.assert_allclose(lower.table[name], -higher.table[name])
    np.testing.assert_allclose(lower.table["score_low"], -higher.table["score_high"])
    assert (lower.table["score_low"] <= lower.table["score_high"]).all()
    for name in ("rank_low", "rank_high", "could_be_first"):
        assert lower.table[name].equals(higher.table[name])
    np.testing.assert_allclose(lower.pairs["difference"], -higher.pairs["difference"])
    assert lower.pairs[["result", "better"]].equals(higher.pairs[["result", "better"]])


def test_names_of_units_and_the_order_of_rows_change_nothing():
    judgments = ratings(gap=0.3)
    table = judgments.table.sample(frac=1, random_state=2)
    for column in ("annotator", "document", "segment"):
        names = table[column].astype(str).unique()
        places = np.random.default_rng(3).permutation(len(names))
        renamed = dict(zip(names, names[places], strict=True))
        table[column] = table[column].astype(str).map(renamed)
    for name in PROCEDURES:
        first = rs.rank_systems(judgments, procedure=name)
        second = rs.rank_systems(judged(table), procedure=name)
        assert first.boundaries.equals(second.boundaries), name
        pd.testing.assert_frame_equal(first.table, second.table)


def inference_of(systems, supported, assessable=None, better=None):
    """Return an inference with these supported boundaries, among systems in its order."""
    whole = infer_ratings(scores_for(ratings(), PROCEDURES["plain"]))
    n = len(systems)
    return replace(
        whole,
        systems=tuple(systems),
        assessable=np.ones(n, bool) if assessable is None else np.array(assessable),
        supported=np.array(supported, bool),
        better=np.zeros((n, n), bool) if better is None else np.array(better, bool),
    )


def rows_of(table):
    return list(zip(table["rank"], table["drawn"], table["supported"], table["state"], strict=True))


def test_a_boundary_is_supported_if_the_same_systems_stand_above_it():
    inference = inference_of("abcd", [True, True, False])
    table = boundary_table(list("abcd"), np.array([True, False, True]), inference)
    assert rows_of(table) == [
        (1, True, True, "supported"),
        (2, False, True, "supported"),
        (3, True, False, "inconclusive"),
    ]
    assert table[["above", "below"]].to_numpy().tolist() == [["a", "b"], ["b", "c"], ["c", "d"]]
    swapped = boundary_table(list("bacd"), np.array([True, False, False]), inference)
    assert rows_of(swapped) == [(1, True, False, "inconclusive"), (2, False, True, "supported")]


def test_a_boundary_is_contradicted_if_a_system_below_is_better_than_one_above():
    better = np.zeros((3, 3), bool)
    better[0, 1] = True  # a better than b
    inference = inference_of("abc", [False, False], better=better)
    table = boundary_table(list("bac"), np.array([True, True]), inference)
    assert [row[-1] for row in rows_of(table)] == ["contradicted", "inconclusive"]


def test_a_boundary_beside_a_system_that_cannot_be_assessed_is_listed_once():
    inference = inference_of("abcd", [True, False, False], assessable=[True, True, True, False])
    nothing = np.zeros(3, bool)
    first = boundary_table(list("adbc"), nothing, inference)
    assert rows_of(first) == [(1, False, True, "supported")]
    drawn = boundary_table(list("adbc"), np.array([False, True, False]), inference)
    assert rows_of(drawn) == [(2, True, True, "supported")]


# ------------------------------------------------------------------ compare


def ranking_of(order, significant=None):
    """Return a ranking of systems in this order, with significant pairs (upper triangle)."""
    n = len(order)
    significant = np.zeros((n, n)) if significant is None else np.array(significant)
    p = np.where(significant + significant.T > 0, 0.01, 0.5)
    np.fill_diagonal(p, np.nan)

    def draw(significant, _):
        return BOUNDARY_RULES["knowles2021"](significant, significant)

    label = clusters(draw(p < 0.05, None))
    table = pd.DataFrame({"rank": range(1, n + 1), "system": list(order), "cluster": label})
    none = pd.DataFrame(columns=["rank", "above", "below", "drawn", "supported", "state"])
    return Ranking(
        table=table, p_values=pd.DataFrame(p, index=list(order), columns=list(order)),
        boundaries=none, pairs=pd.DataFrame(), lead=np.zeros((n, n)), draw=draw,
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.permutations(list("abcdef")))
def test_tau_and_places_by_brute_force(order):
    change = rs.compare(ranking_of("abcdef"), ranking_of(order))
    pairs = [(x, y) for i, x in enumerate("abcdef") for y in "abcdef"[i + 1 :]]
    inversions = sum(order.index(x) > order.index(y) for x, y in pairs)
    assert change.tau == pytest.approx(1 - 2 * inversions / len(pairs))
    assert change.order_changed == (list(order) != list("abcdef"))
    gained = {x: "abcdef".index(x) - order.index(x) for x in "abcdef"}
    assert change.places_gained.to_dict() == gained
    assert not change.clusters_changed


def test_clusters_change_with_the_sets_of_systems_not_with_their_order():
    before = ranking_of("abc", [[0, 1, 1], [0, 0, 0], [0, 0, 0]])  # a | b c
    same = rs.compare(before, ranking_of("acb", [[0, 1, 1], [0, 0, 0], [0, 0, 0]]))
    assert same.order_changed and not same.clusters_changed
    other = rs.compare(before, ranking_of("abc", [[0, 0, 1], [0, 0, 1], [0, 0, 0]]))  # a b | c
    assert not other.order_changed and other.clusters_changed
    row = other.summary(removed="X").iloc[0]
    assert row["removed"] == "X" and row["systems"] == 3 and row["tau"] == 1
    assert (row["order_changed"], row["clusters_changed"], row["both_changed"]) == (
        False,
        True,
        False,
    )
    assert (row["first_before"], row["first_after"]) == ("a", "a") and not row["first_changed"]
    assert rs.compare(before, ranking_of("bac")).summary()["first_changed"].tolist() == [True]


def test_removed_systems_leave_before_boundaries_are_drawn():
    # c keeps b from a cluster of its own; without c, a boundary appears below b
    whole = ranking_of("abcd", [[0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    assert whole.clusters == [{"a"}, {"b", "c"}, {"d"}]
    separate = ranking_of("abd", [[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert not rs.compare(whole, separate).clusters_changed
    joined = ranking_of("abd", [[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    assert rs.compare(whole, joined).clusters_changed
    assert not rs.compare(separate, whole, systems=["a", "b"]).clusters_changed


def test_a_removal_that_changes_nothing_says_so():
    judgments = rs.load("demo-srdc", "de-en")
    before = rs.rank_systems(judgments)
    change = rs.compare(before, before)
    assert not change.order_changed and not change.clusters_changed and change.tau == 1
    assert (change.places_gained == 0).all() and change.systems == before.systems
    smaller = rs.rank_systems(rs.remove(judgments, systems=["HUMAN.0"]))
    assert rs.compare(before, smaller).systems == before.systems[1:]


def test_only_rankings_with_systems_in_common_are_compared():
    ranking = ranking_of("ab")
    for pair in ((ranking, ["a", "b"]), (["a", "b"], ranking)):
        assert error_of(lambda pair=pair: rs.compare(*pair)).code == "not_a_ranking"
    assert error_of(lambda: rs.compare(ranking, ranking_of("bc"))).code == "different_systems"
    error = error_of(lambda: rs.compare(ranking, ranking, systems=["a", "c"]))
    assert error.code == "unknown_system" and error.value == "c"


def test_annotators_without_a_score_that_varies_leave_a_system_without_score():
    rows = [("w1", s, str(k), "SYSTEM", 10 * k + (s == "A")) for k in range(6) for s in "AB"]
    rows += [("lazy", "C", str(k), "SYSTEM", 70) for k in range(6)]
    judgments = replace(toy(rows, joined=False), year=2018)
    error = error_of(lambda: rs.rank_systems(judgments))
    assert (error.code, error.value) == ("system_without_score", "C")
    assert rs.rank_systems(judgments, procedure="plain").systems == ["C", "A", "B"]
