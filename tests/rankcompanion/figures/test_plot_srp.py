"""What the SRP figures draw is what their frames say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rankcompanion import tournament
from rankcompanion.figures import srp as plots
from rankcompanion.figures import tournament as plot


def test_two_raters_as_bars_side_by_side():
    rows = [("r1", "0", 3, 0.75, 0.5), ("r1", "above", 1, 0.25, 0.5)]
    rows += [("r2", "0", 1, 0.25, 9.0), ("r2", "above", 3, 0.75, 9.0)]
    frame = pd.DataFrame(rows, columns=["rater", "score", "segments", "share", "mean"])
    ax = plots.rater_distribution(frame, "en-de").axes[0]
    heights = [[bar.get_height() for bar in bars] for bars in ax.containers]
    assert heights == [[0.75, 0.25], [0.25, 0.75]]
    keys = [t.get_text() for t in ax.figure.legends[0].get_texts()]
    assert keys == ["r1 (mean 0.50)", "r2 (mean 9.00)"]
    assert "4 segment translations" in ax.get_title(loc="left")


def curves():
    values = {"documents": [5, 10], "se": 0.01, "se_equal_claims": 0.02, "significant_pairs": 3.0}
    values |= {"srp": [0.99, 0.8], "srp_equal_claims": [0.4, 0.7], "kendall": [0.5, 0.6]}
    a = pd.DataFrame({"series": "pSxS", "studies": 250, "empty_share": [0.9, 0.1], **values})
    never = a.assign(series="entropy 0.1", studies=0)  # a target that was never met
    return pd.concat([a, never], ignore_index=True)


def test_srp_curves_and_hollow_points():
    fig = plots.srp_curves(curves(), "title")
    left, middle, right = fig.axes
    line, hollow = left.get_lines()
    assert line.get_label() == "pSxS" and line.get_ydata().tolist() == [0.99, 0.8]
    assert hollow.get_xdata().tolist() == [5] and hollow.get_markerfacecolor() == "white"
    assert middle.get_lines()[0].get_ydata().tolist() == [0.4, 0.7]
    band = left.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx((0.78, 1.0))  # two errors, within 0 and 1
    assert not right.collections and right.get_ylim()[0] == 0
    assert [t.get_text() for t in fig.legends[0].get_texts()] == ["pSxS"]


def test_effort_draws_tasks_thin_and_their_mean_thick_with_its_band():
    rows = []
    for task, srp in (("a", (0.2, 0.4)), ("b", (0.6, 0.8))):
        for level, value in zip((0.5, 1.0), srp, strict=True):
            rows.append((task, level, 100 * level, value, value, value, 0.0))
    names = ["task", "level", "effort", "srp", "srp_equal_claims", "kendall", "empty_share"]
    several = pd.DataFrame(rows, columns=names).assign(label="wmt12 (RR)")
    several = several.assign(se=0.03, se_equal_claims=0.0, se_kendall=0.04)
    one = several[several["task"] == "a"].assign(label="wmt21 (SR+DC)", empty_share=[0.9, 0.0])
    fig = plots.effort(pd.concat([several, one]), "title")
    ax = fig.axes[0]
    drawn = [line.get_ydata().tolist() for line in ax.get_lines() if len(line.get_xdata())]
    assert [0.2, 0.4] in drawn and [0.6, 0.8] in drawn  # the tasks
    assert pytest.approx([0.4, 0.6]) in drawn  # the mean of the two
    band = ax.collections[0].get_paths()[0].vertices
    half = 2 * np.hypot(0.03, 0.03) / 2
    assert band[band[:, 0] == 50, 1].max() == pytest.approx(0.4 + half)
    hollow = [line for line in ax.get_lines() if line.get_markerfacecolor() == "white"]
    assert [line.get_ydata().tolist() for line in hollow if len(line.get_xdata())] == [[0.2]]
    labels = [text.get_text() for text in fig.legends[0].get_texts()]
    assert labels == ["wmt12 (RR): mean of 2 tasks", "its single tasks", "wmt21 (SR+DC)"]
    assert ax.get_xscale() == "log"


@pytest.fixture
def cycle():
    return tournament.solve(tournament.figure3(), "Figure 3")


def test_the_violated_edge_is_an_arc_with_its_weight(cycle):
    edges = tournament.edges_table(cycle.mfas)
    ax = plot.tournament_figure(edges, cycle.mfas.ranking, "t").axes[0]
    texts = [text.get_text() for text in ax.texts]
    assert texts[0] == "1" and texts[1:5] == list(cycle.mfas.ranking)
    kept, wrong = ax.collections
    assert len(wrong.get_paths()) == 1 and len(kept.get_paths()) == 2  # E over F over G
    assert texts[-1] == "violated: 1 in all"


def test_marks_stand_at_the_costs(cycle):
    table = tournament.tasks_table({"Figure 3": cycle})
    ax = plot.violations_figure(table, "t").axes[0]
    drawn = [float(line.get_xdata()[0]) for line in ax.lines if len(line.get_xdata())]
    assert drawn[:5] == [table[column].item() for column in plot.COSTS.values()]


def test_headings_name_the_weight_that_each_method_violates(cycle):
    solved = {"Figure 3": cycle}
    ranks = tournament.rankings_table(solved)
    table = tournament.tasks_table(solved)
    ax = plot.rankings_figure(ranks, table, "t").axes[0]
    heads = [label.get_text() for label in ax.get_xticklabels()]
    assert heads[2] == "MFAS\n(violates 1)" and len(heads) == 5
