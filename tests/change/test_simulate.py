"""The model of Koehn (2012) and the integral that replaces its simulation."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, kstest, norm

from rankstability.change import simulate as simulation
from rankstability.change.simulate import (
    Model,
    draw_blocks,
    draw_counts,
    draw_pairs,
    draw_qualities,
)
from rankstability.errors import DataError
from rankstability.rank.significance import critical_wins, significant_share, significant_wins
from rankstability.read import rr as readers_rr
from rankstability.score import rr as relative_ranking
from rankstability.study.campaign_size import (
    advice,
    expected_share,
    fit_spread,
    judgments_needed,
)
from rankstability.study.experiments import (
    RANKERS,
    coverage,
    range_qualities,
    range_quality,
    ranking_error,
    ranking_errors,
    simulated_shares,
)


def slow_counts(data: relative_ranking.Blocks) -> tuple[np.ndarray, np.ndarray]:
    """Wins and ties of a campaign by three plain loops."""
    n = len(data.systems)
    wins, ties = np.zeros((n, n), int), np.zeros((n, n), int)
    for codes, ranks in zip(data.codes, data.ranks, strict=True):
        for a, ra in zip(codes, ranks, strict=True):
            for b, rb in zip(codes, ranks, strict=True):
                if a != b:
                    wins[a, b] += ra < rb
                    ties[a, b] += ra == rb
    return wins, ties


@settings(max_examples=30, deadline=None)
@given(
    systems=st.integers(3, 9),
    block=st.integers(2, 5),
    grain=st.sampled_from([0.0, 4.0]),
    reference=st.sampled_from([None, 15.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_counts_add_up_to_the_judgments(systems, block, grain, reference, seed):
    """Nested sizes, ties and a reference: every block gives C(k, 2) judgments, none is lost."""
    if block > systems:
        block = systems
    model = Model(systems, 8.0, block, grain=grain, reference=reference)
    rng = np.random.default_rng(seed)
    quality = draw_qualities(model, 3, rng)
    assert quality.shape == (3, systems + (reference is not None))
    wins, ties = draw_counts(model, quality, [10, 55, 200], rng)
    total = wins.sum(axis=(2, 3)) + ties.sum(axis=(2, 3)) // 2
    assert (total == [comb(block, 2) * -(-j // comb(block, 2)) for j in (10, 55, 200)]).all()
    assert (np.diff(wins, axis=1) >= 0).all() and (np.diff(ties, axis=1) >= 0).all()
    assert (np.diagonal(wins, axis1=2, axis2=3) == 0).all()
    assert (ties == np.swapaxes(ties, 2, 3)).all()
    assert grain or not ties.any()


def test_counts_and_blocks_are_one_model():
    """The fast counts and the block by block campaign agree in distribution, ties included."""
    model = Model(6, 4.0, grain=3.0, reference=14.0)
    quality = draw_qualities(model, 1, np.random.default_rng(5))
    rng = np.random.default_rng(6)
    wins, ties = draw_counts(model, quality, [400_000], rng)
    counts = relative_ranking.count(draw_blocks(model, quality[0], 400_000, rng))
    assert counts.systems[-1] == "_ref"
    for fast, slow in ((wins[0, 0], counts.wins), (ties[0, 0], counts.ties)):
        assert np.abs(fast - slow).max() < 6 * np.sqrt(2 * fast.max())
        assert np.allclose(fast.sum() / 400_000, slow.sum() / 400_000, atol=0.005)


def test_a_win_has_the_models_probability():
    """P(j above k) = Phi((mu_j - mu_k) / (sd sqrt 2)), and all pairs are compared equally often."""
    model = Model(7, 5.0)
    quality = draw_qualities(model, 1, np.random.default_rng(1))
    wins = draw_counts(model, quality, [500_000], np.random.default_rng(2))[0][0, 0]
    met = wins + wins.T
    chance = norm.cdf((quality[0][:, None] - quality[0][None, :]) / (5.0 * np.sqrt(2)))
    off = ~np.eye(7, dtype=bool)
    z = (wins - met * chance)[off] / np.sqrt(met * chance * (1 - chance))[off]
    assert np.abs(z).max() < 4.5
    assert met[off].min() > 0.98 * met[off].max()


def test_one_seed_one_campaign():
    model = Model(9, 10.0)
    drawn = [
        draw_counts(model, draw_qualities(model, 4, rng), [1000, 3000], rng)[0]
        for rng in (np.random.default_rng(3), np.random.default_rng(3), np.random.default_rng(4))
    ]
    assert (drawn[0] == drawn[1]).all() and (drawn[0] != drawn[2]).any()


def test_many_systems_are_drawn_without_listing_their_sets():
    """60 systems have 5.5 million sets of five; each block still holds five different systems."""
    model = Model(60, 10.0)
    rng = np.random.default_rng(1)
    assert comb(60, 5) > simulation.SUBSETS_LISTED
    data = draw_blocks(model, draw_qualities(model, 1, rng)[0], 30_000, rng)
    assert (np.diff(np.sort(data.codes, axis=1), axis=1) > 0).all()
    share = np.bincount(data.codes.ravel(), minlength=60) / data.codes.size
    assert np.abs(share - 1 / 60).max() < 0.005


def test_a_simulated_campaign_is_a_campaign():
    """The tidy frame has the reader's columns, and every score of 07 runs on it."""
    model = Model(5, 3.0, block=4, grain=2.0, reference=12.0)
    rng = np.random.default_rng(8)
    quality = draw_qualities(model, 1, rng)[0]
    frame = simulation.draw_frame(model, quality, 3000, rng, judges=7, pair="cs-en")
    assert list(frame.columns) == readers_rr.COLUMNS
    assert frame["judge"].nunique() == 7 and (frame.groupby("block").size() == 4).all()
    wins, ties = slow_counts(relative_ranking.blocks(frame))
    counts = relative_ranking.pairwise(frame)
    assert (counts.wins == wins).all() and (counts.ties == ties).all() and ties.any()
    table = relative_ranking.scores(frame).set_index("system")
    order = [counts.systems[i] for i in np.argsort(-quality)]
    assert order[0] == "_ref" and list(table.index) == order
    assert relative_ranking.rank_order(table["expected_win"]) == order[1:]


def test_blocks_that_cannot_be_filled_are_refused():
    with pytest.raises(DataError, match="different systems"):
        Model(4)
    with pytest.raises(DataError, match="ascend"):
        draw_counts(Model(), draw_qualities(Model(), 1, np.random.default_rng(1)), [20, 10], None)


# ------------------------------------------------------------------------------- the sign test


@pytest.mark.parametrize("sides", [1, 2])
def test_critical_wins_are_the_binomials(sides):
    number = np.arange(1, 3001)
    ours = critical_wins(3000, 0.05, sides)
    assert (ours[1:] == binom.isf(0.05 / sides, number, 0.5) + 1).all()
    assert ours[0] == 1


def test_significance_is_the_sign_test():
    """9 of 10 is significant (p = 0.011), 8 of 10 one-sided is not (p = 0.055), 5 of 5 is."""
    wins = np.array([[0, 9, 8, 5], [1, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]])
    better = significant_wins(wins)
    assert better[0].tolist() == [False, True, False, True] and better[1:].sum() == 0
    assert significant_wins(wins, sides=2)[0].tolist() == [False, True, False, False]
    assert significant_share(wins) == pytest.approx(2 / 6)


# ------------------------------------------------------------------------------- the integral


@pytest.mark.parametrize(("systems", "spread", "sides"), [(15, 10.0, 1), (6, 8.0, 2), (10, 3.2, 1)])
def test_the_integral_is_the_simulations_mean(systems, spread, sides):
    table = simulated_shares(Model(systems, spread), [500, 3000, 20_000], 500, 3, sides=sides)
    z = (table["simulated"] - table["expected"]) / table["simulated_se"]
    assert z.abs().max() < 4


def test_table_4_simulated():
    """At the integral's number of judgments 70 % of pairs come out significant."""
    model = Model(15, 10.0)
    needed = judgments_needed(0.7, model)
    assert needed == pytest.approx(33_570, rel=0.01)
    table = simulated_shares(model, [round(needed)], 150, 1)
    assert abs(table["simulated"][0] - 0.7) < 4 * table["simulated_se"][0] < 0.03


def test_independent_pairs_do_for_the_share():
    """`draw_pairs` gives the share of significant pairs the distribution that blocks give it."""
    model = Model(10, 10.0)
    rng = np.random.default_rng(2)
    quality = draw_qualities(model, 1500, rng)
    blocks = significant_share(draw_counts(model, quality, [8000], rng)[0][:, 0])
    pairs = significant_share(draw_pairs(model, quality, [8000], rng)[:, 0])
    assert abs(blocks.mean() - pairs.mean()) < 0.01
    assert blocks.std() == pytest.approx(pairs.std(), rel=0.1)
    assert kstest(blocks + rng.normal(0, 1e-4, 1500), pairs).pvalue > 1e-4


def test_the_spread_is_found_again():
    model = Model(12, 9.0)
    sizes = [2000, 6000, 20_000]
    best, table = fit_spread(sizes, expected_share(sizes, model), Model(12))
    assert best == 9.0 and table["rmse"].min() == 0 and len(table) < 30


def test_advice_has_its_band_around_the_number():
    table = advice(Model(8, 10.0), [0.5, 0.8], 1, experiments=300)
    assert (table["fewer"] < table["judgments"]).all()
    assert (table["judgments"] < table["more"]).all()
    # of fresh campaigns with `more` judgments about 90 % have reached the share
    size = int(table["more"][1])
    rng = np.random.default_rng(9)
    quality = draw_qualities(Model(8, 10.0), 300, rng)
    reached = significant_share(draw_counts(Model(8, 10.0), quality, [size], rng)[0][:, 0])
    assert 0.8 < (reached >= 0.8 - 1e-9).mean() < 0.98


# ------------------------------------------------------------------------------- experiments


def test_ranking_error_counts_inverted_pairs():
    """One neighbouring swap of four systems is one of six pairs; a reversal is all of them."""
    truth = np.array([1, 2, 3, 4])
    assert ranking_error(np.array([2, 1, 3, 4]), truth) == pytest.approx(1 / 6)
    assert ranking_error(np.array([[4, 3, 2, 1], [1, 2, 3, 4]]), truth).tolist() == [1, 0]


def test_lopez_errs_more_than_the_simple_scores():
    """Figure 3's finding, at the spread that matches it; and BOJAR's printed 13.2 % and 6.4 %."""
    table = ranking_errors(Model(15, 20.0), [10_000, 50_000], 300, 11)
    error = table.set_index(["ranker", "judgments"])["error"]
    se = table["error_se"].max()
    assert set(table["ranker"]) == set(RANKERS)
    for size, printed in ((10_000, 0.132), (50_000, 0.064)):
        assert error["LOPEZ", size] > error["BOJAR", size] + 4 * se
        assert abs(error["BOJAR", size] - printed) < 4 * se
        assert abs(error["BOJAR", size] - error["EXPECTED", size]) < se


def test_any_number_of_jobs_gives_the_same_numbers():
    one, two = (
        ranking_errors(Model(8, 10.0), [500, 1000], 20, 5, jobs=jobs, shard=5) for jobs in (1, 2)
    )
    assert one.equals(two)
    other = ranking_errors(Model(8, 10.0), [500, 1000], 20, 6, shard=5)
    assert not one["error"].equals(other["error"])


def test_range_quality_of_a_small_case():
    """True order A B C D; B is said to be 1-1, A 2-2, C and D 3-4: two violations, two clusters
    wrong by one pair, sizes 1, 1, 2, 2."""
    first, last = np.array([2, 1, 3, 3]), np.array([2, 1, 4, 4])
    size, violations, clusters, wrong = range_quality(first, last, np.array([1, 2, 3, 4]))
    assert (size, violations, clusters, wrong) == (1.5, 0.5, 3, 0.5)


def test_table_1_at_10000_judgments():
    """Range sizes near the printed 8.1 (pairwise, one-sided) and 4.6 (bootstrap, trim 5)."""
    table = range_qualities(Model(15, 10.0), [10_000], 40, 1000, 4, trims=[25, 5]).set_index(
        "setting"
    )
    size = table["size"]
    assert abs(size["1-sided"] - 8.1) < 0.5 and size["2-sided"] > 8.7
    assert abs(size["trim 5"] - 4.6) < 0.5 and size["trim 25"] < 4.3
    assert table["clusters"]["trim 5"] > table["clusters"]["1-sided"]


def test_blocks_cover_better_than_judgments():
    """Single judgments give narrower ranges, which hold the truth less often than those of blocks,
    most of all where judges differ."""
    both = coverage(Model(12, 10.0), 5000, 40, 300, 3, judge_spreads=[0.0, 3.0])
    for judge_spread, table in both.groupby("judge_spread"):
        held = table.set_index("unit")
        assert held["size"]["block"] > held["size"]["judgment"] + 0.3
        assert held["coverage"]["block"] > held["coverage"]["judgment"]
        assert held["coverage"]["block"] > (0.94 if judge_spread == 0 else 0.85)
    judgment = both[both["unit"] == "judgment"].set_index("judge_spread")["coverage"]
    assert judgment[0.0] > judgment[3.0] and judgment[3.0] < 0.93
