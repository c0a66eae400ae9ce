"""Simulated comparisons, their errors and their sizes: Koehn (2012), and version 0.3.0."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from rankstability.errors import DataError
from rankstability.io.load import load
from rankstability.io.official import published
from rankstability.scores.pairwise import count_pairs
from rankstability.stability import simulate
from rankstability.stability.bootstrap import bootstrap_ranks, significant_share
from rankstability.stability.comparison_model import ComparisonModel
from rankstability.stability.simulate import draw_counts, draw_independent_counts, draw_qualities
from rankstability.stability.simulated_errors import range_quality, ranking_error
from real import real_data


@settings(max_examples=20, deadline=None)
@given(systems=st.integers(3, 9), block=st.integers(2, 5), seed=st.integers(0, 2**32 - 1))
def test_every_block_gives_all_its_comparisons(systems, block, seed):
    block = min(block, systems)
    model = ComparisonModel(systems, 8.0, block)
    rng = np.random.default_rng(seed)
    quality = draw_qualities(model, 3, rng)
    wins = draw_counts(model, quality, [10, 55, 200], rng)
    per_block = comb(block, 2)
    expected = [per_block * -(-size // per_block) for size in (10, 55, 200)]
    assert (wins.sum(axis=(2, 3)) == expected).all()
    assert (np.diff(wins, axis=1) >= 0).all()
    assert (np.diagonal(wins, axis1=2, axis2=3) == 0).all()


@pytest.mark.parametrize("draw", [draw_counts, draw_independent_counts])
def test_a_win_has_the_probability_of_the_model(draw):
    """P(j above k) = Phi((q_j - q_k) / (spread sqrt 2)); all pairs meet equally often."""
    model = ComparisonModel(7, 5.0)
    quality = draw_qualities(model, 1, np.random.default_rng(1))
    wins = draw(model, quality, [500_000], np.random.default_rng(2))[0, 0]
    met = wins + wins.T
    chance = norm.cdf((quality[0][:, None] - quality[0]) / (5.0 * np.sqrt(2)))
    pairs = ~np.eye(7, dtype=bool)
    z = (wins - met * chance)[pairs] / np.sqrt(met * chance * (1 - chance))[pairs]
    assert np.abs(z).max() < 4.5
    share = met[pairs] / 50_000  # of blocks of five of seven: each pair in 20 of 42
    assert np.abs(share - 20 / 42).max() < 0.012


def test_sets_of_many_systems_are_drawn_without_a_list():
    model = ComparisonModel(40, 10.0, block=6)
    assert comb(40, 6) > simulate.MAX_LISTED_SETS
    quality = draw_qualities(model, 1, np.random.default_rng(1))
    wins = draw_counts(model, quality, [15 * 50], np.random.default_rng(7))[0, 0]
    met = np.zeros((40, 40), int)
    for uniform in np.random.default_rng(7).random((50, 40), dtype=np.float32):
        for a, b in combinations(np.argsort(uniform)[:6], 2):
            met[a, b] += 1
            met[b, a] += 1
    np.testing.assert_array_equal(wins + wins.T, met)


def test_simulated_judgments_are_one_model_with_the_fast_counts():
    judgments, quality = ComparisonModel(6, 4.0).simulate(200_000, rng=np.random.default_rng(6))
    counts = count_pairs(judgments)
    assert counts.comparisons == 200_000 and not counts.ties.any()
    chance = norm.cdf((quality["S1"] - quality["S2"]) / (4.0 * np.sqrt(2)))
    won, lost = counts.wins[0, 1], counts.wins[1, 0]
    assert abs(won / (won + lost) - chance) < 4.5 * np.sqrt(0.25 / (won + lost))
    assert quality.is_monotonic_decreasing
    order = counts.wins.sum(axis=1) / (counts.wins + counts.wins.T).sum(axis=1)
    best = counts.systems[int(order.argmax())]
    assert best == quality.index[0]


def test_annotators_differ_as_much_as_their_spread_says():
    """An annotator of nearly equal systems prefers the first with the chance Phi(X), X ~ N(0, t^2).

    The spread of X is t = annotator_spread / spread, and the variance of Phi(X) is
    arcsin(t^2 / (1 + t^2)) / (2 pi).
    """
    variance = {}
    for ratio in (0, 2):
        model = ComparisonModel(2, 200.0, block=2)  # the systems' qualities hardly differ
        judgments, _ = model.simulate(
            200_000,
            rng=np.random.default_rng(11),
            annotators=400,
            annotator_spread=ratio * 200.0,
        )
        table = judgments.table
        rank = table[table["system"] == "S1"].groupby("annotator", observed=True)["rank"].mean()
        variance[ratio] = rank.var()
    assert variance[0] < 0.001
    assert variance[2] == pytest.approx(np.arcsin(4 / 5) / (2 * np.pi), rel=0.15)


@pytest.mark.parametrize(
    ("fail", "code"),
    [
        (lambda rng: ComparisonModel(systems=4, block=5), "bad_block"),
        (lambda rng: ComparisonModel(spread=0.0), "not_positive"),
        (lambda rng: ComparisonModel().simulate(0, rng=rng), "bad_number"),
        (lambda rng: ComparisonModel().simulate(rng=rng, annotators=0), "bad_number"),
        (lambda rng: ComparisonModel().ranking_errors([20, 20]), "not_ascending"),
        (lambda rng: ComparisonModel().ranking_errors([20], campaigns=0), "bad_number"),
        (lambda rng: ComparisonModel().rank_range_errors([20], campaigns=0), "bad_number"),
        (lambda rng: ComparisonModel().comparisons_needed(campaigns=5), "rng_needed"),
    ],
)
def test_errors_have_codes(fail, code):
    with pytest.raises(DataError) as error:
        fail(np.random.default_rng(1))
    assert error.value.code == code


def test_ranking_error_counts_inverted_pairs():
    """One neighbouring swap of four systems is one of six pairs; a reversal is all of them."""
    truth = np.array([1, 2, 3, 4])
    assert ranking_error(np.array([2, 1, 3, 4]), truth) == pytest.approx(1 / 6)
    assert ranking_error(np.array([[4, 3, 2, 1], [1, 2, 3, 4]]), truth).tolist() == [1, 0]


def test_ranking_errors_equal_those_of_version_0_3_0():
    table = ComparisonModel().ranking_errors([10_000, 50_000], campaigns=60, seed=2012)
    expected = [0.072698, 0.031111, 0.071429, 0.031111, 0.099524, 0.045873]
    np.testing.assert_allclose(table["error"], expected, atol=5e-7)
    np.testing.assert_allclose(table["error_se"][:2], [0.003070, 0.002629], atol=5e-7)


def test_feedback_arc_sets_err_more_than_shares_of_wins():
    """Koehn's Figure 3, at the spread that matches it: BOJAR's printed 13.2 % and 6.4 %."""
    table = ComparisonModel(spread=20.0).ranking_errors([10_000, 50_000], campaigns=250, seed=11)
    by_share, by_win, by_arcs = (part for _, part in table.groupby("method", sort=False))
    se = table["error_se"].max()
    assert (by_arcs["error"].to_numpy() > by_share["error"].to_numpy() + 4 * se).all()
    assert np.abs(by_share["error"] - [0.132, 0.064]).max() < 4 * se
    assert np.abs(by_share["error"].to_numpy() - by_win["error"].to_numpy()).max() < se


def test_range_quality_of_a_small_case():
    """The true order is A B C D; B is given rank 1, A rank 2, C and D ranks 3 to 4."""
    first, last = np.array([2, 1, 3, 3]), np.array([2, 1, 4, 4])
    found = range_quality(first, last, np.array([1, 2, 3, 4]))
    assert found.tolist() == [1.5, 0.5, 3, 0.5]


def test_range_qualities_equal_those_of_version_0_3_0():
    table = ComparisonModel().rank_range_errors(
        [10_000, 50_000], campaigns=8, seed=2012, resamples=200, trims=(5, 1)
    )
    sizes = [8.266667, 4.783333, 9.25, 5.15, 3.716667, 2.541667, 4.516667, 2.95]
    np.testing.assert_allclose(table["size"], sizes, atol=5e-7)
    np.testing.assert_allclose(table["violations"][4:], [0.1, 0.016667, 0.05, 0.008333], atol=5e-7)
    assert table["clusters"].tolist() == [1, 1.625, 1, 1.5, 2.75, 6.375, 2, 5]


@pytest.mark.parametrize(
    ("systems", "spread", "share", "sides", "needed"),
    [
        (15, 10.0, 0.7, 1, 33570),
        (6, 8.0, 0.5, 1, 970),
        (10, 12.0, 0.9, 1, 208960),
        (15, 10.0**0.5, 0.5, 1, 1450),
        (15, 10.0**0.5, 0.7, 2, 5400),
    ],
)
def test_comparisons_needed_equal_those_of_version_0_3_0(systems, spread, share, sides, needed):
    table = ComparisonModel(systems, spread).comparisons_needed([share], sides=sides)
    assert table["comparisons"].tolist() == [needed]


def test_table_4_of_koehn_comes_near_the_print():
    """57 of 60 cells lie within 20 % of the print, if sigma^2 is a standard deviation."""
    printed = published("koehn2012").query("place == 'Table 4' and reading == 'as matched'")
    ratios = []
    for row in printed.itertuples():
        share = float(str(row.share).rstrip("%"))
        share = share / 100 if share > 1 else share
        needed = ComparisonModel(int(row.systems), float(row.sigma2)).comparisons_needed([share])
        ratios.append(needed["comparisons"].item() / 1000 / float(row.published))
    assert len(ratios) == 60
    assert (np.abs(np.array(ratios) - 1) <= 0.2).sum() == 57


def test_section_6_of_koehn_contradicts_its_table_4():
    """13,000 comparisons separate 55 % of the pairs, not 70 %; 80 % need 80,000, not 40,000."""
    share = [ComparisonModel().significant_share(size) for size in (13_000, 40_000, 80_000)]
    assert share == pytest.approx([0.546, 0.723, 0.800], abs=0.002)


@pytest.mark.parametrize(("systems", "spread", "sides"), [(15, 10.0, 1), (6, 8.0, 2)])
def test_the_integral_is_the_mean_of_simulations(systems, spread, sides):
    model, rng = ComparisonModel(systems, spread), np.random.default_rng(3)
    sizes = [500, 3000, 20_000]
    wins = draw_counts(model, draw_qualities(model, 300, rng), sizes, rng)
    drawn = significant_share(wins, sides)
    se = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    expected = [model.significant_share(size, sides) for size in sizes]
    assert (np.abs(drawn.mean(axis=0) - expected) < 4 * se).all()


def test_the_band_lies_around_the_number_that_is_needed():
    rng = np.random.default_rng(2012)
    table = ComparisonModel(8).comparisons_needed([0.5, 0.8], campaigns=50, rng=rng)
    assert table["comparisons"].tolist() == [2740, 21430]
    np.testing.assert_allclose(table["fewer"], [1665, 9305.469968], atol=1e-5)
    np.testing.assert_allclose(table["more"], [6670, 56519.001207], atol=1e-5)


def test_growth_and_fitted_spread_equal_those_of_version_0_3_0():
    judgments = load("demo-rr", "cs-en")
    _, grown = ComparisonModel.fit(judgments, rng=np.random.default_rng(3), orders=3)
    assert grown["comparisons"].iloc[-1] == 2922 and grown["decided"].iloc[-1] == 2451
    np.testing.assert_allclose(grown["share"][:3], [0.25, 0.369048, 0.440476], atol=5e-7)
    np.testing.assert_allclose(grown["share_low"][:3], [0.142857, 0.321429, 0.321429], atol=5e-7)
    model, fit = ComparisonModel.fit(judgments, rng=np.random.default_rng([2012, 0]), orders=4)
    assert model == ComparisonModel(8, 6.0, 4)
    assert fit[["systems", "block", "spread"]].drop_duplicates().to_numpy().tolist() == [[8, 4, 6]]
    misfit = np.sqrt(((fit["fitted"] - fit["share"]) ** 2).mean())
    assert misfit == pytest.approx(0.034320, abs=5e-7)


def test_the_spread_of_a_simulated_campaign_is_found_again():
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        judgments, _ = ComparisonModel(15, 6.0).simulate(20_000, rng=rng)
        found.append(ComparisonModel.fit(judgments, rng=rng, orders=3)[0].spread)
    assert 4.5 < np.mean(found) < 8


def test_scores_of_wmt12_as_koehn_2012_prints_them():
    """Tables 2 and 3: exact only if unranked systems keep rank -1, and ties are left out."""
    real_data("wmt12")
    printed = published("koehn2012").query("measure == 'score' and reading == 'as matched'")
    found = 0
    for pair, rows in printed.groupby("pair"):
        table = bootstrap_ranks(
            load("wmt12", pair),
            rng=np.random.default_rng(1),
            resamples=50,
            unit="comparison",
            ties=False,
            unranked="keep",
        )
        scores = table.set_index("system")["score"]
        for row in rows.itertuples():
            assert f"{scores[row.system]:.3f}".lstrip("0") == row.published.lstrip("0"), row.cell
            found += 1
    assert found == 28
