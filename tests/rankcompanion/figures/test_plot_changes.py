"""Figures of removal and degradation draw what their frames say."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from rankcompanion.figures import changes

KINDS = ["d_rank", "d_cluster", "d_both"]


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


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
