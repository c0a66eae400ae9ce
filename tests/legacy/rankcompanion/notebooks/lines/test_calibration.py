"""False lines when all systems are equal: the measured shares, and shuffles that shuffle."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from conftest import real
from companion.legacy.rankcampaigns.campaigns import find, load
from companion.legacy.rankcompanion.notebooks.lines.calibration import (
    QUICK_TESTS,
    approximate_means,
    equal_systems,
    false_line_row,
    false_lines,
    quick,
    shuffle_labels,
    shuffled,
)
from companion.legacy.rankcompanion.notebooks.lines.tables import null_unit
from companion.legacy.rankstability.rank import paired
from companion.legacy.rankstability.rank.recipes import RECIPES, make
from companion.legacy.rankstability.rank.standing import judged_by
from companion.legacy.rankstability.score.scored import from_frame

ORACLES = [("wmt18", 0.009), ("wmt21", 0.338), ("wmt20", 0.295)]  # INFERENCE, section 4


@pytest.mark.slow
@pytest.mark.parametrize(("name", "share"), ORACLES)
def test_the_wmt17_recipe_draws_lines_between_equal_systems_of_real_campaigns(name, share):
    """The mean over pairs; the error allowed is three standard errors of 100 draws a pair."""
    real(name)
    campaign, found = find(name), []
    for k, pair in enumerate(campaign.pairs):
        judged = judged_by(load(campaign, pair), "wmt17")["wmt17"]
        unit = null_unit(judged)
        rng = np.random.default_rng(k)
        if unit:
            found.append(
                false_lines(judged, RECIPES["wmt17"], unit, rng, 100)["campaigns_with_line"]
            )
    error = np.sqrt(share * (1 - share) / (100 * len(found)))
    assert np.mean(found) == pytest.approx(share, abs=3 * np.sqrt(2) * error)


def zero_heavy(systems=6, documents=30, seed=5):
    """Penalties of equal systems: most are 0, some large, and a document shares its level."""
    rng = np.random.default_rng(seed)
    rows = []
    for s in range(systems):
        for d in range(documents):
            for k in range(8):
                score = -rng.choice([0, 1, 5], p=[0.7, 0.2, 0.1])
                rows.append((f"s{s}", f"d{d}-{k}", f"d{d}", float(score)))
    frame = pd.DataFrame(rows, columns=["system", "segment", "document", "score"])
    return from_frame(frame)


def test_scores_that_are_mostly_zero_do_not_make_false_lines():
    """To subtract each system's mean turned their ties into constant differences: 100 %."""
    rng = np.random.default_rng(1)
    row = false_lines(zero_heavy(), RECIPES["wmt17"], "document", rng, 100).iloc[0]
    assert row["campaigns_with_line"] <= 0.1


def test_large_true_differences_and_none_give_the_same_answer():
    judged = zero_heavy(seed=9)
    better = replace(judged, score=judged.score + 100.0 * judged.system)
    shares = [
        false_lines(one, RECIPES["wmt17"], "document", np.random.default_rng(2), 100)
        for one in (judged, better)
    ]
    none, large = (share["campaigns_with_line"].item() for share in shares)
    assert none == pytest.approx(large, abs=0.1) and large < 0.15


def test_the_interval_of_a_share_of_pairs_stays_within_0_and_1():
    none = np.zeros(4, int)
    for pairs, low, high in (
        ([0.2, 0.4, 0.4, 0.6], 0.4 - 0.98 * np.sqrt(0.08 / 3), 0.4 + 0.98 * np.sqrt(0.08 / 3)),
        ([0.9, 1.0, 1.0, 1.0], 0.926, 1.0),
        ([0.1, 0.0, 0.0, 0.0], 0.0, 0.074),
    ):
        row = false_line_row("wmt24", "document", np.array(pairs), none).iloc[0]
        assert row["pairs_significant"] == pytest.approx(np.mean(pairs))
        assert (row["pairs_low"], row["pairs_high"]) == pytest.approx((low, high), abs=1e-9)
        assert row["draws"] == 4


@pytest.mark.parametrize("name", ["wmt17", "wmt24"])
def test_equal_systems_have_one_distribution_of_scores(name):
    """In each domain, where the recipe goes by domain."""
    judged, recipe = simple(), RECIPES[name]
    equal = equal_systems(judged, recipe, np.random.default_rng(0))
    domain = judged.unit("domain") if recipe.by_domain else np.zeros_like(judged.system)
    for one in np.unique(domain):
        rows = domain == one
        every = [np.sort(equal.score[rows & (judged.system == s)]) for s in range(4)]
        assert all((each == every[0]).all() for each in every)  # equally many of each system
        assert set(every[0]) <= set(judged.score[rows])  # no interpolation
        first = rows & (judged.system == 0)
        order = np.argsort(judged.score[first])
        assert (np.diff(equal.score[first][order]) >= 0).all()  # high ones stay high


def test_tied_scores_take_their_ranks_at_random():
    rows = [(s, f"x{k}", float(k == 0)) for s in "ab" for k in range(6)]
    rows += [("b", f"y{k}", float(k)) for k in range(2, 8)]
    judged = from_frame(pd.DataFrame(rows, columns=["system", "segment", "score"]))
    made = [
        equal_systems(judged, RECIPES["wmt17"], np.random.default_rng(seed)).score
        for seed in (1, 2)
    ]
    assert (made[0] != made[1]).any()


def simple():
    rng = np.random.default_rng(3)
    rows = [
        (f"s{s}", f"d{d}-{k}", f"d{d}", f"w{d % 3}", "ab"[d % 2], s + rng.normal())
        for s in range(4) for d in range(9) for k in range(5)
    ]  # fmt: skip
    names = ["system", "segment", "document", "worker", "domain", "score"]
    return from_frame(pd.DataFrame(rows, columns=names))


def test_a_shuffled_campaign_keeps_what_a_document_said():
    judged = simple()
    new = shuffled(judged, "document", np.random.default_rng(1))
    old, now = judged.matrix(), new.matrix()
    documents = judged.segment_unit("document")
    for d in range(9):
        rows = documents == d
        assert sorted(map(tuple, old[rows].T)) == sorted(map(tuple, now[rows].T))


def test_labels_are_shuffled_whole_within_units_and_every_way_is_as_likely():
    system, unit = np.array([0, 1, 2, 0, 1, 2, 1, 2]), np.array([0, 0, 0, 0, 0, 0, 1, 1])
    rng = np.random.default_rng(0)
    seen = Counter(tuple(map(int, shuffle_labels(system, unit, rng))) for _ in range(6000))
    assert len(seen) == 12  # 3! x 2!
    assert all(way[:3] == way[3:6] and set(way[6:]) == {1, 2} for way in seen)
    assert min(seen.values()) > 380


def test_the_quick_form_of_a_recipe_differs_in_its_test_only():
    assert quick(RECIPES["wmt24"]) is RECIPES["wmt24"]
    fast = quick(RECIPES["wmt26"])
    assert fast.test is QUICK_TESTS["wmt26"] and fast.name == "wmt26"
    scores = np.random.default_rng(0).normal(size=(80, 3)) + np.array([2.0, 0, 0])
    assert make(fast, scores).lines == make(RECIPES["wmt26"], scores).lines == (1,)


@pytest.mark.parametrize("two", [False, True])
def test_means_from_three_moments_are_called_significant_as_often(two):
    """On skewed scores near the level: the shares over many draws agree within their error."""
    rng = np.random.default_rng(5)
    samples = tuple(rng.exponential(10, 120) for _ in range(1 + two))
    error = np.sqrt(sum(s.var() / len(s) for s in samples))
    below = samples[1].mean() if two else 0.0
    samples = (samples[0] - samples[0].mean() + below + 1.7 * error, *samples[1:])
    share = [
        np.mean([paired.bootstrap_p(samples, rng, draw) < 0.05 for _ in range(2000)])
        for draw in (paired.resampled_means, approximate_means)
    ]
    assert 0.2 < share[0] < 0.9
    assert abs(share[0] - share[1]) < 3.5 * np.sqrt(2 * share[0] * (1 - share[0]) / 2000)


def test_means_from_three_moments_have_the_moments_of_a_resampled_mean():
    sample = np.random.default_rng(1).exponential(10, 40)
    made = approximate_means(sample, 400_000, np.random.default_rng(2))
    spread = sample.std() / np.sqrt(40)
    assert made.mean() == pytest.approx(sample.mean(), abs=4 * spread / np.sqrt(400_000))
    assert made.std() == pytest.approx(spread, rel=0.01)
    assert stats.skew(made) == pytest.approx(stats.skew(sample) / np.sqrt(40), rel=0.1)
    same = approximate_means(np.full(5, 3.0), 10, np.random.default_rng(2))
    assert same.tolist() == [3.0] * 10
