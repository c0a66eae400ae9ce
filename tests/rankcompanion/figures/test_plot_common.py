"""The look that figures share: the theme, the bump chart, the heat map, text from data."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rankcompanion.figures import common

PLACES = pd.DataFrame(
    [
        ("first", "A", 1, "kept"),
        ("first", "B", 2, ""),
        ("first", "C", 3, ""),
        ("without C, with a long name", "B", 1, "appeared"),
        ("without C, with a long name", "A", 2, "vanished"),
    ],
    columns=["ranking", "system", "place", "line"],
)


def test_the_theme_is_for_one_figure():
    before = dict(plt.rcParams)
    common.bump(PLACES, title="x")
    with common.style():
        assert plt.rcParams["text.parse_math"] is False
        assert plt.rcParams["axes.prop_cycle"].by_key()["color"] == list(common.PALETTE)
    assert dict(plt.rcParams) == before


def test_bump_chart_draws_places_and_lines():
    ax = common.bump(PLACES, title="x").axes[0]
    drawn = [line.get_ydata().tolist() for line in ax.lines if len(line.get_xdata()) == 2]
    assert drawn[:2] == [[1, 2], [2, 1]] and [y for y in drawn[2] if np.isfinite(y)] == [3.0]
    crosses = [
        (*line.get_xdata(), *line.get_ydata()) for line in ax.lines if line.get_marker() == "x"
    ]
    assert crosses == [(0, 1.5), (1, 1.5)]  # the line that vanished has none
    texts = [t.get_text() for t in ax.texts]
    assert sorted(texts) == ["A", "A", "B", "B", "C"]
    bold = {t.get_text() for t in ax.texts if t.get_fontweight() == "bold"}
    assert bold == {"A", "B"}  # those that move
    head = ax.get_xticklabels()[1].get_text()
    assert head.replace("\n", " ") == "without C, with a long name"  # nothing is cut off


def test_highlight_and_rank_tables():
    wide = pd.DataFrame({"z": [1, 2, 3], "raw": [1, 2, np.nan]}, index=["A", "B", "C"])
    places = common.bump_places(wide)
    assert len(places) == 5
    ax = common.bump(places, title="x", highlight=["B"]).axes[0]
    assert {t.get_text() for t in ax.texts if t.get_fontweight() == "bold"} == {"B"}


def test_heat_map_draws_the_matrix():
    values = pd.DataFrame([[1.0, 2.0], [np.nan, 4.0]], index=["r1", "r2"], columns=["c$1", "c$2"])
    texts = values.map(lambda v: "" if np.isnan(v) else f"{v:.0f}")
    ax, bar = common.heatmap(values, title="x", label="points", texts=texts).axes
    drawn = np.ma.filled(ax.collections[0].get_array(), -1).reshape(2, 2)
    assert drawn.tolist() == [[1, 2], [-1, 4]]
    assert [t.get_text() for t in ax.texts] == ["1", "2", "4"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["c$1", "c$2"]
    assert ax.yaxis_inverted() and bar.get_ylabel() == "points"
    marks = values.map(lambda v: "×" if np.isnan(v) else "")
    ax = common.heatmap(values, title="x", label="", texts=marks).axes[0]
    assert [(t.get_text(), t.get_position()) for t in ax.texts if t.get_text()] == [
        ("×", (0.5, 1.5))
    ]
