"""What the figures of relative ranking draw is what the frames say."""

from __future__ import annotations

import pandas as pd

from rankcompanion.figures import relative_ranking as plot


def test_removals_are_shares_filled_for_the_order_hollow_for_the_clusters():
    row = {"task": "cs-en", "removals": 8, "d_rank": 6, "d_cluster": 2}
    for methods in (["bojar"], ["bojar", "expected_win"]):
        summary = pd.DataFrame([{**row, "method": m} for m in methods])
        fig = plot.removal_figure(summary, "t")
        lines = [line for line in fig.axes[0].lines if len(line.get_xdata())]
        hollow = [line.get_markerfacecolor() == "white" for line in lines]
        places = [float(line.get_xdata()[0]) for line in lines]
        assert sorted(zip(hollow, places, strict=True)) == sorted(
            [(False, 75.0)] * len(methods) + [(True, 25.0)] * len(methods)
        )


def test_every_task_has_a_panel_with_its_points_and_r():
    points = pd.DataFrame(
        {
            "task": ["a"] * 3 + ["b"] * 3 + ["flat"] * 3,
            "system": list("xyzxyzxyz"),
            "blocks": [1, 2, 3, 1, 2, 3, 5, 5, 5],
            "score": [1.0, 2, 3, 3, 2, 1, 1, 2, 3],
        }
    )
    fig = plot.scatter_panels(points, "blocks", "score", xlabel="x", ylabel="y", title="t")
    assert [ax.get_title("left") for ax in fig.axes] == ["a: r = 1.00", "b: r = -1.00"]
    drawn = fig.axes[1].collections[0].get_offsets().tolist()
    assert drawn == [[1, 3], [2, 2], [3, 1]]


def test_dots_stand_where_the_winner_meets_the_loser():
    percent = pd.DataFrame([[None, 60.0], [40.0, None]], index=["a", "b"], columns=["a", "b"])
    tests = pd.DataFrame({"system": ["a"], "other": ["b"], "p": [0.01], "p_holm": [0.2]})
    fig = plot.pairs_figure(percent, tests, "t")
    holm, only = fig.axes[0].lines
    assert len(holm.get_xdata()) == 0
    assert (only.get_xdata()[0], only.get_ydata()[0]) == (1.5, 0.5)  # column b, row a


def test_a_range_is_as_wide_as_its_ranks():
    table = pd.DataFrame(
        {
            "task": "a", "method": "bojar", "drawn": ["block", "block"], "rank": [1, 2],
            "system": ["x", "y"], "score": [0.6, 0.4], "first": [1, 1], "last": [2, 2],
            "cluster": [1, 1],
        }
    )  # fmt: skip
    ax = plot.ranges_figure(table, "t").axes[0]
    bars = ax.collections[0].get_segments()
    assert [bar[:, 0].tolist() for bar in bars] == [[0.7, 2.3], [0.7, 2.3]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y"]
