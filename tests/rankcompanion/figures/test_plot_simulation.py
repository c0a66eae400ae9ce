"""What the figures of simulated campaigns show is what their frames say."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rankcompanion.figures import simulation


def drawn(ax) -> dict[str, np.ndarray]:
    """Labelled lines of a panel."""
    return {line.get_label(): line.get_ydata() for line in ax.lines}


def test_win_ratios_has_a_panel_per_task_and_a_dot_per_system():
    table = pd.DataFrame(
        {"task": [*"aaabbb"], "rank": [1, 2, 3] * 2, "win_ratio": [0.7, 0.5, 0.3, 0.6, 0.5, 0.4]}
    )
    fig = simulation.win_ratios(table.assign(straight=table["win_ratio"] + 0.01))
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["a", "b"]
    dots = fig.axes[1].collections[0].get_offsets()
    assert dots[:, 1].tolist() == [0.6, 0.5, 0.4]


def test_growth_draws_campaign_and_model():
    curves = pd.DataFrame(
        {"task": "x", "judgments": [10, 20], "share": [0.2, 0.4], "fitted": [0.25, 0.35],
         "share_low": [0.1, 0.3], "share_high": [0.3, 0.5]}
    )  # fmt: skip
    fig = simulation.growth(curves, pd.DataFrame({"task": ["x"], "spread": [9.0]}))
    lines = [line.get_ydata().tolist() for line in fig.axes[0].lines if len(line.get_ydata())]
    assert lines == [[0.2, 0.4], [0.25, 0.35]]
    assert [t.get_text() for t in fig.axes[0].texts] == ["spread 9"]


def errors(spread: float, shift: float) -> pd.DataFrame:
    rows = [(r, j) for r in ("BOJAR", "EXPECTED", "LOPEZ") for j in (10_000, 50_000)]
    frame = pd.DataFrame(rows, columns=["ranker", "judgments"])
    frame["error"] = shift + np.arange(6) / 100
    return frame.assign(spread=spread, error_se=0.01)


def test_ranking_errors_shares_one_axis_that_holds_all_errors():
    printed = pd.DataFrame({"judgments": [10_000], "value": [0.132]})
    both = pd.concat([errors(3.0, 0.0), errors(20.0, 0.3)])
    fig = simulation.ranking_errors(both, printed)
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["spread 3", "spread 20"]
    low, high = fig.axes[0].get_ylim()
    assert low == 0 and high > 0.35
    assert all(drawn(ax)["printed"].tolist() == [0.132] for ax in fig.axes)


def test_advice_has_a_panel_per_share_and_a_row_per_number_of_systems():
    table = pd.DataFrame(
        {"systems": [6, 8, 6, 8], "spread": 10.0, "share": [0.5, 0.5, 0.8, 0.8],
         "judgments": [1e3, 2e3, 3e3, 4e3], "fewer": 500.0, "more": 9e3}
    )  # fmt: skip
    fig = simulation.advice(table)
    assert [drawn(ax)["spread 10"].tolist() for ax in fig.axes] == [[0, 1], [0, 1]]
    assert fig.axes[1].lines[0].get_xdata().tolist() == [3e3, 4e3]
    own = table.assign(task=["x", "y", "x", "y"], collected=1500.0)
    ax = simulation.advice_for_tasks(own).axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["x", "y"]
    assert drawn(ax)["collected"].tolist() == [0, 1]
