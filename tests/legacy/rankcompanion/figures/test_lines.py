"""Figures of lines that hold: each line drawn as what is known of it, each number written."""

import numpy as np
import pandas as pd

from companion.legacy.rankcompanion.figures import lines


def ranking(n=4, told=True):
    rank = np.arange(1, n + 1)
    columns = {"rank": rank, "system": [f"$s{k}" for k in rank], "score": -rank / 10}
    columns["unit"] = "worker" if told else ""
    for name, value in (("low", -rank / 10 - 0.1), ("high", -rank / 10 + 0.1)):
        columns[name] = value if told else np.nan
    columns |= {"rank_low": [1, 2, 2, 4][:n], "rank_high": [1, 3, 3, 4][:n]}
    return pd.DataFrame(columns)


def drawn(ax):
    """Where lines across this panel lie, and how they are drawn."""
    across = [ln for ln in ax.lines if len(ln.get_ydata()) == 2 and ln.get_marker() == "None"]
    return [(round(float(ln.get_ydata()[0]), 2), ln.get_linestyle()) for ln in across]


def keys(fig):
    return [t.get_text() for t in fig.legends[0].get_texts()] if fig.legends else []


def test_each_line_is_drawn_as_what_is_known_of_it():
    table = pd.DataFrame({"below": [1, 2, 3], "claimed": [1, 1, 0], "held": [1.0, 0, 1]})
    fig = lines.standing(ranking(), table, "title", "score")
    for ax in fig.axes:
        assert drawn(ax) == [(1.5, "-"), (2.5, "--"), (3.44, "-"), (3.56, "-")]
    wanted = ["line claimed and held", "line claimed only", "line held, not claimed"]
    assert keys(fig)[-3:] == wanted
    fig = lines.standing(ranking(), table[:1], "title", "score")
    assert keys(fig)[-1:] == ["line claimed and held"]
    assert "$s1" in [t.get_text() for t in fig.axes[0].texts]


def test_one_bar_is_one_rank_set_and_a_set_of_one_rank_is_a_mark():
    table = pd.DataFrame({"below": [1], "claimed": [0], "held": [0]})
    fig = lines.standing(ranking(), table, "title", "score", 0.1, "engines")
    ax = fig.axes[2]
    [bars] = ax.collections
    assert [p.vertices.tolist() for p in bars.get_paths()] == [[[2, 2], [3, 2]], [[2, 3], [3, 3]]]
    [mark] = [ln for ln in ax.lines if ln.get_marker() == "D"]
    assert mark.get_xydata().tolist() == [[1, 1], [4, 4]]
    assert keys(fig)[:2] == ["rank set (90 %, all engines together)", "set of one rank"]


def test_where_nothing_can_be_told_nothing_is_promised():
    table = pd.DataFrame({"below": [1, 2, 3], "claimed": [1, 1, 0], "held": np.nan})
    fig = lines.standing(ranking(told=False), table, "title", "score")
    assert len(fig.axes) == 2 and "interval" not in fig.axes[1].get_xlabel()
    assert keys(fig) == ["line claimed only"]


def test_recipes_stand_side_by_side_with_the_same_lines():
    both = pd.concat([ranking().assign(recipe=name) for name in ("wmt17", "wmt24")])
    table = pd.DataFrame({"recipe": ["wmt17", "wmt24"], "below": 1, "claimed": 1, "held": [1, 0]})
    fig = lines.recipes(both, table, "title")
    assert [look for _, look in drawn(fig.axes[0])] == ["-", "--"]
    assert keys(fig) == ["line claimed and held", "line claimed only"]
