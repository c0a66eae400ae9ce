"""Standardised scores: whom else annotators judged."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rankstability.rank.certainty import certainty
from rankstability.score.scored import from_frame


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
