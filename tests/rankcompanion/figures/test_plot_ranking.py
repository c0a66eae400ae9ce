"""Figures of one ranking draw what it says."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from rankcompanion.figures import changes as figures
from rankstability.rank.ranking import rank


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def ranking():
    table = pd.DataFrame({"system": ["a", "b", "c"], "mean_z": [0.3, 0.2, -0.5]})
    p = np.array([[np.nan, 0.3, 0.0001], [0.3, np.nan, 0.02], [0.0001, 0.02, np.nan]])
    lead = np.array([[0, -1, 1], [1, 0, 1], [-1, -1, 0]])
    return rank(table, p, lead)


def test_p_values_are_above_the_diagonal_with_lines_and_crosses(ranking):
    ax = figures.p_figure(ranking, "x").axes[0]
    shown = np.ma.filled(ax.collections[0].get_array().reshape(3, 3).astype(float), np.nan)
    assert np.isfinite(shown).sum() == 3 and shown[0, 2] == 0.0001
    crosses = next(line for line in ax.lines if line.get_marker() == "x")
    assert crosses.get_xydata().tolist() == [[1.5, 0.5]]
    assert ranking.lines == (2,)
    assert any(2 in line.get_ydata() for line in ax.lines if line is not crosses)


def test_numbers_of_clusters_stand_in_the_cells():
    counts = pd.DataFrame(
        [("cs-en", "scipy<1.7", "none", 3, 2), ("de-en", "scipy<1.7", "none", 5, 4),
         ("cs-en", "scipy<1.7", "holm", 1, 1), ("de-en", "scipy<1.7", "holm", 2, 2)],
        columns=["pair", "test", "correction", "knowles", "adjacent"],
    )  # fmt: skip
    axes = figures.rules_figure(counts, "x").axes
    assert [[t.get_text() for t in ax.texts] for ax in axes] == [["3", "2", "5", "4"],
                                                                 ["1", "1", "2", "2"]]  # fmt: skip
    assert [t.get_text() for t in axes[0].get_yticklabels()] == ["cs-en", "de-en"]


def test_bands_are_clusters():
    table = pd.DataFrame(
        {"test": "greater", "correction": "none", "rule": ["knowles"] * 3 + ["adjacent"] * 3,
         "rank": [1, 2, 3] * 2, "system": ["a", "b", "c"] * 2, "cluster": [1, 1, 2, 1, 2, 3]}
    )  # fmt: skip
    ax = figures.variants_figure(table, "x").axes[0]
    assert len(ax.patches) == 2 + 3
    assert [t.get_text() for t in ax.get_xticklabels()] == ["Knowles", "adjacent"]
