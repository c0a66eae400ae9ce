"""Figures of removal and degradation draw what their frames say."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rankcompanion.figures import changes
from rankstability.rank.ranking import rank

KINDS = ["d_rank", "d_cluster", "d_both"]


def test_fractions_have_a_panel_per_style_and_a_line_per_kind():
    rows = [("SR-DC", 1.25, 12, 0.0, 0.25, 0.0), ("SR-DC", 10.0, 12, 0.5, 0.25, 0.25),
            ("SR+DC", 1.25, 6, 1.0, 0.5, 0.5)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["style", "divisor", "pairs", *KINDS])
    fig = changes.fractions_by_style(table, "x")
    assert [ax.get_title(loc="left") or ax.get_title() for ax in fig.axes] == [
        "SR-DC (12 pairs)", "SR+DC (6 pairs)",
    ]  # fmt: skip
    drawn = [list(ys) for line in fig.axes[0].lines if len(ys := line.get_ydata())]
    assert drawn == [[0.0, 0.5], [0.25, 0.25], [0.0, 0.25]]
    assert [t.get_text() for t in fig.axes[0].get_xticklabels()] == ["1.25", "10"]
    assert len(changes.fractions_by_style(table[:0], "none").axes) == 1


def test_who_moves_whom_writes_moves_and_crosses_out_the_removed():
    rows = [("a", "b", 0), ("a", "c", 1), ("b", "a", -1), ("b", "c", 0), ("c", "a", 0),
            ("c", "b", 0)]  # fmt: skip
    fig = changes.who_moves_whom(pd.DataFrame(rows, columns=["removed", "system", "move"]), "x")
    texts = {(t.get_position()[1] - 0.5, t.get_position()[0] - 0.5): t.get_text()
             for t in fig.axes[0].texts if t.get_text()}  # fmt: skip
    assert texts == {(0, 0): "×", (1, 1): "×", (2, 2): "×", (0, 2): "+1", (1, 0): "−1"}


def test_bumps_name_the_rankings_and_draw_the_lines():
    ranks = pd.DataFrame(
        {"ranking": ["original"] * 2 + ["d-2"] * 2, "system": ["a", "b", "b", "a"],
         "rank": [1, 2, 1, 2], "cluster": [1, 2, 1, 1]}
    )  # fmt: skip
    ax = changes.divisor_bump(ranks, "x").axes[0]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["original", "2"]
    assert sum(line.get_marker() == "x" for line in ax.lines) == 1


def test_p_values_are_above_the_diagonal_with_lines_and_crosses():
    table = pd.DataFrame({"system": ["a", "b", "c"], "mean_z": [0.3, 0.2, -0.5]})
    p = np.array([[np.nan, 0.3, 0.0001], [0.3, np.nan, 0.02], [0.0001, 0.02, np.nan]])
    lead = np.array([[0, -1, 1], [1, 0, 1], [-1, -1, 0]])
    ranking = rank(table, p, lead)
    ax = changes.p_figure(ranking, "x").axes[0]
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
    axes = changes.rules_figure(counts, "x").axes
    assert [[t.get_text() for t in ax.texts] for ax in axes] == [["3", "2", "5", "4"],
                                                                 ["1", "1", "2", "2"]]  # fmt: skip
    assert [t.get_text() for t in axes[0].get_yticklabels()] == ["cs-en", "de-en"]


def test_bands_are_clusters():
    table = pd.DataFrame(
        {"test": "greater", "correction": "none", "rule": ["knowles"] * 3 + ["adjacent"] * 3,
         "rank": [1, 2, 3] * 2, "system": ["a", "b", "c"] * 2, "cluster": [1, 1, 2, 1, 2, 3]}
    )  # fmt: skip
    ax = changes.variants_figure(table, "x").axes[0]
    assert len(ax.patches) == 2 + 3
    assert [t.get_text() for t in ax.get_xticklabels()] == ["Knowles", "adjacent"]
