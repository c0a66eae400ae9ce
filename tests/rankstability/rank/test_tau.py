"""Kendall's tau of many rankings at once, against SciPy's."""

from __future__ import annotations

import numpy as np
from scipy.stats import kendalltau

from rankstability.rank.comparing import tau


def test_tau_is_scipys():
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 6, size=(2, 40, 8)).astype(float)
    expected = [kendalltau(a, b).statistic for a, b in zip(one, other, strict=True)]
    np.testing.assert_allclose(tau(one, other), expected)
