"""Boundaries between equal systems: measured rates, and shuffles that shuffle."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rankstability.errors import DataError
from rankstability.io.load import load, pairs
from rankstability.judgments import Judgments
from rankstability.ranking.paired import bootstrap_p, resampled_means
from rankstability.ranking.procedures import PROCEDURES
from rankstability.scores.build import score_arrays
from rankstability.stability import null
from rankstability.stability.null import false_boundaries
from real import real_data

RATES = [("wmt18", "newstest2018-humaneval", 0.009), ("wmt21", "newstest2021-toen", 0.338)]


@pytest.mark.parametrize(("campaign", "folder", "rate"), RATES)
def test_the_rates_of_real_campaigns(campaign, folder, rate):
    """The mean over pairs (INFERENCE 6.2); the limit is three standard errors of both."""
    real_data(folder)
    names = list(pairs(campaign)["pair"].unique())
    draws = 10
    found = []
    for k, pair in enumerate(names):
        row = false_boundaries(load(campaign, pair), "wmt17", draws, np.random.default_rng(k))
        found += row["campaigns_with_boundary"].tolist()
    error = np.sqrt(rate * (1 - rate) * (1 / draws + 1 / 100) / len(found))
    assert np.mean(found) == pytest.approx(rate, abs=3 * error)


def zero_heavy(systems=6, documents=30, seed=5, shift=0.0):
    """Penalties of equal systems: most are 0, and some are large; `shift` makes them differ."""
    rng = np.random.default_rng(seed)
    rows = []
    for s in range(systems):
        for d in range(documents):
            for k in range(8):
                score = shift * s - float(rng.choice([0, 1, 5], p=[0.7, 0.2, 0.1]))
                rows.append((f"s{s}", f"d{d}-{k}", f"d{d}", f"a{d}", score))
    columns = ["system", "segment", "document", "annotator", "score"]
    return Judgments(pd.DataFrame(rows, columns=columns), "mqm")


def test_large_true_differences_and_none_give_the_same_low_rate():
    """WMT24's procedure on raw scores; WMT17's would standardise the differences away."""
    rates = [
        false_boundaries(zero_heavy(shift=shift), "wmt23", 60, np.random.default_rng(2))
        for shift in (0.0, 100.0)
    ]
    none, large = (rate["campaigns_with_boundary"].item() for rate in rates)
    assert none == pytest.approx(large, abs=0.1)
    assert large < 0.15


def test_the_interval_of_a_share_of_pairs_stays_within_0_and_1():
    none = np.zeros(4, bool)
    for shares, low, high in (
        ([0.2, 0.4, 0.4, 0.6], 0.4 - 0.98 * np.sqrt(0.08 / 3), 0.4 + 0.98 * np.sqrt(0.08 / 3)),
        ([0.9, 1.0, 1.0, 1.0], 0.926, 1.0),
        ([0.1, 0.0, 0.0, 0.0], 0.0, 0.074),
    ):
        row = null._summarise("wmt24", "document", np.array(shares), none).iloc[0]
        assert (row["pairs_low"], row["pairs_high"]) == pytest.approx((low, high), abs=1e-9)
        assert row["draws"] == 4


def simple_scores():
    rng = np.random.default_rng(3)
    rows = [
        (f"s{s}", f"d{d}-{k}", f"d{d}", f"w{d % 3}", "ab"[d % 2], s + rng.normal())
        for s in range(4)
        for d in range(9)
        for k in range(5)
    ]
    columns = ["system", "segment", "document", "annotator", "domain", "score"]
    return score_arrays(Judgments(pd.DataFrame(rows, columns=columns), "ratings"))


@pytest.mark.parametrize("by_domain", [False, True])
def test_equal_systems_have_one_distribution_of_scores(by_domain):
    scores = simple_scores()
    equal = null.equalise_systems(scores, by_domain, np.random.default_rng(0))
    domain = scores.units["domain"] if by_domain else np.zeros_like(scores.system)
    for each in np.unique(domain):
        rows = domain == each
        of_system = [np.sort(equal.score[rows & (scores.system == s)]) for s in range(4)]
        assert all((values == of_system[0]).all() for values in of_system)
        assert set(of_system[0]) <= set(scores.score[rows])  # no interpolation
        first = rows & (scores.system == 0)
        order = np.argsort(scores.score[first])
        assert (np.diff(equal.score[first][order]) >= 0).all()  # high ones stay high


def test_tied_scores_take_their_ranks_at_random():
    rows = [(s, f"x{k}", float(k == 0)) for s in "ab" for k in range(6)]
    rows += [("b", f"y{k}", float(k)) for k in range(2, 8)]
    frame = pd.DataFrame(rows, columns=["system", "segment", "score"])
    scores = score_arrays(Judgments(frame, "ratings"))
    equal = [
        null.equalise_systems(scores, False, np.random.default_rng(seed)).score for seed in (1, 2)
    ]
    assert (equal[0] != equal[1]).any()


def test_a_shuffled_campaign_keeps_what_a_document_holds():
    scores = simple_scores()
    document = scores.units["document"]
    system = null.shuffle_labels(scores.system, document, np.random.default_rng(1))
    old = scores.matrix()
    new = replace(scores, system=system).matrix()
    for d in range(9):
        rows = scores.segment_unit("document") == d
        assert sorted(map(tuple, old[rows].T)) == sorted(map(tuple, new[rows].T))


def test_every_way_to_shuffle_labels_is_as_likely():
    system = np.array([0, 1, 2, 0, 1, 2, 1, 2])
    unit = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    rng = np.random.default_rng(0)
    seen = Counter(tuple(map(int, null.shuffle_labels(system, unit, rng))) for _ in range(6000))
    assert len(seen) == 12  # 3! x 2!
    assert all(way[:3] == way[3:6] and set(way[6:]) == {1, 2} for way in seen)
    assert min(seen.values()) > 380


@pytest.mark.parametrize("two", [False, True])
def test_approximate_means_are_called_significant_as_often(two):
    """On skewed scores near the level: the shares over many draws agree within their error."""
    rng = np.random.default_rng(5)
    samples = tuple(rng.exponential(10, 120) for _ in range(1 + two))
    error = np.sqrt(sum(sample.var() / len(sample) for sample in samples))
    below = samples[1].mean() if two else 0.0
    samples = (samples[0] - samples[0].mean() + below + 1.7 * error, *samples[1:])
    share = [
        np.mean([bootstrap_p(samples, rng, draw) < 0.05 for _ in range(1000)])
        for draw in (resampled_means, null.approximate_means)
    ]
    assert 0.2 < share[0] < 0.9
    assert abs(share[0] - share[1]) < 3.5 * np.sqrt(2 * share[0] * (1 - share[0]) / 1000)


def test_approximate_means_have_the_moments_of_resampled_means():
    sample = np.random.default_rng(1).exponential(10, 40)
    means = null.approximate_means(sample, 400_000, np.random.default_rng(2))
    spread = sample.std() / np.sqrt(40)
    assert means.mean() == pytest.approx(sample.mean(), abs=4 * spread / np.sqrt(400_000))
    assert means.std() == pytest.approx(spread, rel=0.01)
    assert stats.skew(means) == pytest.approx(stats.skew(sample) / np.sqrt(40), rel=0.1)
    same = null.approximate_means(np.full(5, 3.0), 10, np.random.default_rng(2))
    assert same.tolist() == [3.0] * 10


def test_only_the_test_of_wmt26_is_approximated():
    for name, procedure in PROCEDURES.items():
        assert (null.with_fast_test(procedure) is procedure) == (name != "wmt26")


def test_nothing_is_said_of_comparisons_and_of_judgments_without_units():
    assert false_boundaries(Judgments(pd.DataFrame(), "votes")).empty
    scores = zero_heavy()
    alone = scores.table.drop(columns=["document", "annotator"])
    assert false_boundaries(scores.with_table(alone), "wmt23").empty
    single = scores.table.assign(document=scores.table["system"] + scores.table["document"])
    assert false_boundaries(scores.with_table(single), "wmt23").empty
    by_annotator = scores.table.drop(columns="document")
    row = false_boundaries(scores.with_table(by_annotator), "wmt23", draws=2)
    assert row["unit"].item() == "annotator"


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"procedure": "wmt16"}, "unknown_procedure"),
        ({"draws": 1}, "bad_number"),
        ({"alpha": 0.0}, "bad_alpha"),
    ],
)
def test_wrong_settings_are_refused(settings, code):
    with pytest.raises(DataError) as error:
        false_boundaries(zero_heavy(systems=2, documents=2), **settings)
    assert error.value.code == code
