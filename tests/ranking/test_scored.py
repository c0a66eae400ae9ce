"""Rankings of segment scores: order, tests and rules by name or as functions, and directions."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankstability as rs
from judged import judged
from rankstability.ranking.scored import rank_segment_scores
from rankstability.ranking.tests import ONE_SIDED


def scores_of(matrix, systems="abcdefgh", **columns):
    """Return segment scores from an array (segments, systems); NaN where there is none."""
    rows = [
        (systems[j], f"s{i:03}", value)
        for (i, j), value in np.ndenumerate(np.asarray(matrix, float))
        if np.isfinite(value)
    ]
    return pd.DataFrame(rows, columns=["system", "segment", "raw"]).assign(**columns)


def random_scores(segments=60, gaps=(1.0, 0.6, 0.0, 0.0), seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(segments, len(gaps))) + np.array(gaps)


def boundaries(ranking):
    return ranking.boundaries["rank"].tolist()


def test_systems_are_ordered_by_their_mean_and_equal_means_by_name():
    ranking = rs.rank_systems(scores_of([[1, 3, 3], [2, 4, 4]], "cab"))
    assert ranking.systems == ["a", "b", "c"]
    assert ranking.table["raw"].tolist() == [3.5, 3.5, 1.5]
    assert list(ranking.table) == ["rank", "system", "raw", "segments", "judgments", "cluster"]


def test_standardised_scores_decide_where_there_are_any():
    scores = scores_of([[1, 2], [2, 3]], z=[4.0, 1.0, 4.0, 1.0])
    assert rs.rank_systems(scores).systems == ["a", "b"]
    assert rs.rank_systems(scores.drop(columns="z")).systems == ["b", "a"]
    assert rs.rank_systems(scores.assign(z=np.nan)).systems == ["b", "a"]


@pytest.mark.parametrize("test", rs.TESTS)
def test_lower_is_better_is_the_mirror_image(test):
    matrix = random_scores()
    higher = rs.rank_systems(scores_of(matrix), test=test)
    lower = rs.rank_systems(scores_of(-matrix, lower_is_better=True), test=test)
    assert lower.systems == higher.systems and boundaries(lower) == boundaries(higher)
    np.testing.assert_allclose(lower.table["raw"], -higher.table["raw"])
    np.testing.assert_allclose(lower.p_values, higher.p_values)
    assert lower.lower_is_better and not higher.lower_is_better


def test_error_rates_from_judgments_rank_the_lowest_first():
    frame = scores_of(random_scores()).rename(columns={"raw": "score"})
    judgments = judged(frame, "leaderboard", lower_is_better=True)
    by_test = rs.rank_systems(judgments, test="wilcoxon")
    assert by_test.systems == rs.rank_systems(judgments).systems
    means = frame.groupby("system")["score"].mean()
    assert by_test.systems == means.sort_values().index.tolist()


@pytest.mark.parametrize("test", ["wilcoxon", "wilcoxon_greater"])
def test_signed_rank_tests_equal_scipy_on_shared_segments(test):
    matrix = random_scores(gaps=(0.9, 0.3, 0.0))
    matrix[:10, 0] = matrix[5:20, 1] = np.nan
    ranking = rs.rank_systems(scores_of(matrix).sample(frac=1, random_state=1), test=test)
    for first, second in (("a", "b"), ("a", "c"), ("b", "c")):
        x, y = (matrix[:, "abc".index(name)] for name in (first, second))
        shared = np.isfinite(x) & np.isfinite(y)
        sides = "greater" if test in ONE_SIDED else "two-sided"
        p = stats.wilcoxon(x[shared], y[shared], alternative=sides).pvalue
        assert ranking.p_values.loc[first, second] == pytest.approx(p, rel=1e-9)


def test_a_function_takes_scores_in_order_of_segments_better_system_first():
    matrix = random_scores(gaps=(0.0, 0.8))
    met = []

    def paired_t(better, worse):
        met.append((better, worse))
        return stats.ttest_rel(better, worse, alternative="greater")

    shuffled = scores_of(matrix).sample(frac=1, random_state=2)
    ranking = rs.rank_systems(shuffled, test=paired_t)
    np.testing.assert_array_equal(met[0][0], matrix[:, 1])
    np.testing.assert_array_equal(met[0][1], matrix[:, 0])
    expected = stats.ttest_rel(matrix[:, 1], matrix[:, 0], alternative="greater").pvalue
    assert ranking.p_values.loc["b", "a"] == pytest.approx(expected)
    assert ranking.test == "paired_t" and boundaries(ranking) == [1]


def test_a_function_can_draw_the_boundaries():
    scores = scores_of(random_scores())

    def below_the_first(significant, wins):
        assert not (wins & ~significant).any()
        return [True] + [False] * (len(wins) - 2)

    ranking = rs.rank_systems(scores, rule=below_the_first)
    assert boundaries(ranking) == [1] and ranking.rule == "below_the_first"
    assert ranking.table["cluster"].tolist() == [1, 2, 2, 2]
    with pytest.raises(rs.DataError) as caught:
        rs.rank_systems(scores, rule=lambda significant, wins: significant)
    assert caught.value.code == "bad_boundaries"


def test_a_correction_raises_p_and_removes_boundaries():
    scores = scores_of(random_scores(gaps=(0.75, 0.4, 0.0, 0.0)))
    plain, holm = (rs.rank_systems(scores, correction=name) for name in ("none", "holm"))
    upper = np.triu_indices(4, 1)
    assert (holm.p_values.to_numpy()[upper] >= plain.p_values.to_numpy()[upper]).all()
    assert set(boundaries(holm)) < set(boundaries(plain))


def test_named_tests_and_rules_agree_with_their_functions():
    scores = rs.segment_scores(rs.load("demo-srdc", "de-en"))

    def by_hand(a, b):
        return stats.mannwhitneyu(a, b, alternative="greater", method="asymptotic").pvalue

    known = scores[scores["z"].notna()]
    named = rs.rank_systems(known, test="mann_whitney_greater", rule="all_above_beat_all_below")
    function = rs.rank_systems(
        known, test=by_hand, rule=rs.BOUNDARY_RULES["all_above_beat_all_below"]
    )
    assert boundaries(named) == boundaries(function)
    upper = np.triu_indices(len(named.systems), 1)
    np.testing.assert_allclose(
        named.p_values.to_numpy()[upper], function.p_values.to_numpy()[upper], rtol=1e-9
    )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"test": "wilcoxn"}, "unknown_test"),
        ({"rule": "knowles"}, "unknown_rule"),
        ({"correction": "bonferroni"}, "unknown_correction"),
        ({"test": "mann_whitney_greater", "correction": "holm"}, "correction_of_one_sided"),
        ({"test": "wilcoxon_greater", "correction": "holm"}, "correction_of_one_sided"),
        ({"test": lambda a, b: 7.0}, "bad_p_value"),
        ({"alpha": 2}, "bad_alpha"),
        ({"procedure": "wmt17"}, "argument_not_used"),
        ({"unit": "document"}, "argument_not_used"),
        ({"method": "expected_win"}, "argument_not_used"),
    ],
)
def test_what_does_not_apply_is_refused(change, code):
    with pytest.raises(rs.DataError) as caught:
        rs.rank_systems(scores_of(random_scores()), **change)
    assert caught.value.code == code


def test_scores_that_cannot_be_ranked_are_refused():
    scores = scores_of(random_scores())
    cases = [
        (scores.drop(columns="segment"), "missing_column"),
        (scores[scores["system"] == "a"], "too_few_systems"),
        (scores.assign(raw=scores["raw"].mask(scores["system"] == "b")), "system_without_score"),
    ]
    for frame, code in cases:
        with pytest.raises(rs.DataError) as caught:
            rank_segment_scores(frame)
        assert caught.value.code == code


def test_rankings_do_not_depend_on_the_order_of_rows():
    scores = rs.segment_scores(rs.load("demo-srpdc", "de-en"))
    first = rs.rank_systems(scores)
    second = rs.rank_systems(scores.sample(frac=1, random_state=3))
    assert first.systems == second.systems and boundaries(first) == boundaries(second)
    pd.testing.assert_frame_equal(first.p_values, second.p_values)
