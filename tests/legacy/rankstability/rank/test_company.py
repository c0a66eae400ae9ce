"""Standardised scores: whom else annotators judged."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankstability.rank.certainty import certainty
from companion.legacy.rankstability.rank.company import alone_together, in_company
from companion.legacy.rankstability.score.scored import from_frame


def company(without=()):
    """Scores standardised by annotator: two groups who share no system, and one who joins them."""
    pairs = [(a, s) for a in range(6) for s in ((0, 1) if a < 3 else (2, 3))]
    pairs += [(6, s) for s in range(4)]
    errors = [0.1, -0.2, 0.3, 0, 0.2, -0.1, 0.1, 0.3, -0.3, 0.2, 0, -0.2, 0.1, -0.1, 0.2, 0]
    frame = pd.DataFrame(pairs, columns=["worker", "system"])
    frame["score"] = np.array([3, 2, 2, 1])[frame["system"]] + np.array(errors)
    frame = frame[~frame["worker"].isin(without)].reset_index(drop=True)
    frame["score"] -= frame.groupby("worker")["score"].transform("mean")
    frame["system"], frame["worker"] = (
        "s" + frame["system"].astype(str),
        frame["worker"].astype(str),
    )
    return from_frame(frame.assign(segment=frame.index.astype(str)))


def test_a_mean_of_standardised_scores_depends_on_the_company_of_its_annotators():
    plain = company()
    assert plain.means() == pytest.approx([0.75, -0.525, 0.35, -0.575])
    before, after = certainty(plain), certainty(replace(plain, standardised=True))
    for got, (first, second) in ((before, (0.020417, 0.102558)), (after, (0.821789, 0.267112))):
        at = np.argsort(got.order)
        assert got.p[at[1], at[2]] == pytest.approx(first, abs=5e-7)
        assert got.p[at[0], at[2]] == pytest.approx(second, abs=5e-7)
    alone = certainty(replace(company(without=[6]), standardised=True))
    at = np.argsort(alone.order)
    assert (alone.p[np.ix_(at[:2], at[2:])] == 1).all() and alone.p[at[0], at[1]] < 1


def levels_of(judged, level):
    """Scores without noise, standardised by annotator: the level less that of its own company."""
    frame = pd.DataFrame(judged, columns=["worker", "system"]).astype(str)
    frame["score"] = np.array(level)[frame["system"].astype(int)]
    frame["score"] -= frame.groupby("worker")["score"].transform("mean")
    return from_frame(frame.assign(segment=frame.index.astype(str)))


def test_freed_of_company_means_without_noise_are_the_levels_of_the_systems():
    level = np.array([5.0, 2.0, 1.0, -3.0])
    judged = [
        (0, 0),
        (0, 1),
        (0, 1),
        (1, 1),
        (1, 2),
        (1, 2),
        (1, 2),
        (2, 2),
        (2, 3),
        (2, 0),
        (3, 3),
    ]
    scored = levels_of(judged, level)
    weight = np.linspace(1, 3, len(judged))
    total = np.bincount(scored.system, weight)
    means = np.bincount(scored.system, weight * scored.score) / total
    assert np.abs(means - (level - level.mean())).max() > 1  # company hides them
    assert in_company(scored, weight) @ means == pytest.approx(level - level.mean())
    assert not alone_together(scored).any()


def test_systems_are_apart_where_no_chain_of_annotators_joins_them():
    scored = levels_of([(0, 0), (0, 1), (1, 1), (1, 2), (2, 3), (2, 4)], np.arange(5.0))
    group = np.array([0, 0, 0, 1, 1])
    np.testing.assert_array_equal(alone_together(scored), group[:, None] != group)
