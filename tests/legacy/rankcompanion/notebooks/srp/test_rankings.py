"""MQM systems by all ratings: means, and rankings under each normalisation."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcompanion.notebooks.srp.rankings import (
    by_normalisation,
    normalised,
    rank_ratings,
    same_system,
    system_means,
)
from companion.legacy.rankstability.score import mqm

COLUMNS = ["system", "document", "segment", "rater", "category", "severity"]


def rated(errors):
    """Errors (systems, documents, raters), all minor, of documents of one segment."""
    rows = [
        (f"s{s}", f"d{d}", f"d{d}", f"r{r}", "Other", "Minor")
        for s, d, r in np.ndindex(*errors.shape)
        for _ in range(errors[s, d, r])
    ]
    return mqm.ratings(pd.DataFrame(rows, columns=COLUMNS))


def test_ratings_are_ranked_by_minus_their_mean_per_segment():
    errors = np.array([[[5, 3], [4, 2], [3, 1]], [[1, 1], [1, 1], [1, 4]]])
    made = rank_ratings(rated(errors))
    assert made.table["system"].tolist() == ["s1", "s0"]
    assert made.score.tolist() == pytest.approx([-9 / 6, -18 / 6])
    assert made.table["errors"].tolist() == pytest.approx([9 / 6, 18 / 6])
    # of 8 ways to swap three documents, 2 are as extreme as differences of 3, 2 and -0.5
    assert made.p[0, 1] == made.p[1, 0] == pytest.approx(4 / 8, abs=0.07)


def test_rankings_under_all_normalisations_are_those_of_each():
    data = rated(np.random.default_rng(2).integers(1, 9, (3, 6, 2)))
    table = by_normalisation(data)
    assert table["normalisation"].unique().tolist() == [*mqm.NORMALISATIONS]
    for name, part in table.groupby("normalisation"):
        one = rank_ratings(data, name)
        assert part["system"].tolist() == one.table["system"].tolist()
        assert part["minus_mqm"].to_numpy() == pytest.approx(one.score)


def test_ratings_are_tested_by_five_hundred_permutations_of_one_seed():
    data = rated(np.random.default_rng(2).integers(1, 9, (3, 6, 2)))
    made, again = rank_ratings(data), rank_ratings(data)
    assert made.test == "500 permutations" and made.by == "minus_mqm" and made.alpha == 0.05
    np.testing.assert_array_equal(made.p, again.p)
    assert (made.p * 500 == np.rint(made.p * 500))[np.triu_indices(3, 1)].all()
    assert (made.lead == -made.lead.T).all() and (made.lead[np.triu_indices(3, 1)] > 0).all()


def test_a_ranking_without_an_error_has_no_minus_before_its_zero():
    errors = np.array([[[0, 0]], [[1, 1]]])
    rows = rated(np.maximum(errors, 1))
    assert not np.signbit(rank_ratings(replace(rows, score=0 * rows.score)).score).any()


def test_means_are_per_segment_and_rating():
    rows = []
    for system, errors in (("A", 1), ("B", 3)):
        for rater in ("r2", "r10"):
            rows += [(system, "d", 1, rater, "Other", "Minor")] * errors
            rows += [(system, "d", 2, rater, "No-error", "No-error")]
            rows += [(system, "d", 2, rater, "Source issue", "Major")]
    means = system_means(mqm.ratings(pd.DataFrame(rows, columns=COLUMNS)))
    means = means[["system", "score", "errors", "ratings"]]
    assert means.to_numpy().tolist() == [["A", 0.5, 0.5, 4], ["B", 1.5, 1.5, 4]]


def test_same_system_by_name():
    assert same_system(("X_with_A", "X_with_refA", "Y", "Z_with_A")) == [
        ("X_with_A", "X_with_refA")
    ]
    assert same_system(("X", "X_with_refA")) == [("X", "X_with_refA")]


@pytest.mark.parametrize("how", mqm.NORMALISATIONS)
def test_normalised_ratings_are_single_segments_normalised_by_their_raters(how):
    rng = np.random.default_rng(2)
    segments, slots = np.array([2, 3, 4]), np.array([[0, 1], [1, 2], [0, 2]])
    single = [rng.gamma(1.0, 3.0, (2, n, 2)) for n in segments]  # system, segment, rating
    errors = rng.integers(1, 5, (2, 3, 2)).astype(float)
    sums = [np.stack([(x**power).sum(axis=1) for x in single], axis=1) for power in (1, 2)]
    names = ("A", "B"), tuple("def"), tuple("xyz")
    data = mqm.Ratings(*names, segments, slots, *sums, errors, {})
    held = [np.argwhere(slots == rater) for rater in range(3)]
    own = [np.concatenate([single[d][:, :, k].ravel() for d, k in one]) for one in held]
    overall, many = np.concatenate(own).mean(), [errors[:, slots == r].sum() for r in range(3)]
    weight = sum(map(len, own)) / np.dot(list(map(len, own)), many)
    maps = {
        "none": lambda x, r: x,
        "mean": lambda x, r: x * overall / own[r].mean(),
        "error": lambda x, r: x * overall / own[r].mean() * many[r] * weight,
        "z": lambda x, r: (x - own[r].mean()) / own[r].std(ddof=1),
    }
    expected = [
        sum(maps[how](single[d][:, :, k], slots[d, k]).sum(axis=1) for k in (0, 1)) / 2
        for d in range(3)
    ]
    np.testing.assert_allclose(normalised(data, how), np.transpose(expected), rtol=1e-10)


def test_systems_are_ranked_by_score_and_equal_ones_by_name():
    items = [("C", 2), ("B", 1), ("A", 2), ("D", 0)]
    rows = [(s, "d", 1, r, "Other", "Minor" if k else "Neutral") for s, k in items
            for r in "rs" for _ in range(k or 1)]  # fmt: skip
    means = system_means(mqm.ratings(pd.DataFrame(rows, columns=COLUMNS)))
    assert list(means) == ["rank", "system", "score", "errors", "ratings"]
    assert means.index.tolist() == [0, 1, 2, 3]
    assert means.to_numpy().tolist() == [
        [1, "D", 0, 0, 2], [2, "B", 1, 1, 2], [3, "A", 2, 2, 2], [4, "C", 2, 2, 2],
    ]  # fmt: skip


def test_a_system_with_one_id_is_no_group():
    assert same_system(("X", "Y_with_A")) == []
    assert same_system(()) == []
    assert same_system(("Y_with_B", "X_with_A", "Y", "X_with_B", "Z")) == [
        ("Y_with_B", "Y"), ("X_with_A", "X_with_B"),
    ]  # fmt: skip
