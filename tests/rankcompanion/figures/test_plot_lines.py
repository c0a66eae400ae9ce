"""Figures of lines that hold: each line drawn as what is known of it, each number written."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection

from rankcompanion.figures import lines


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def ranking(n=4, told=True):
    rank = np.arange(1, n + 1)
    columns = {"rank": rank, "system": [f"$s{k}" for k in rank], "score": -rank / 10}
    for name, value in (("low", -rank / 10 - 0.1), ("high", -rank / 10 + 0.1)):
        columns[name] = value if told else np.nan
    for kind in ("marginal", "simultaneous"):
        columns |= {f"{kind}_low": np.maximum(rank - 1, 1), f"{kind}_high": np.minimum(rank + 1, n)}
    return pd.DataFrame(columns)


def test_each_line_is_drawn_as_what_is_known_of_it():
    table = pd.DataFrame({"below": [1, 2, 3], "claimed": [1, 1, 0], "held": [1.0, 0, 0]})
    fig = lines.lines_figure(ranking(), table, "title", "worker")
    drawn = [(ln.get_ydata()[0], ln.get_linestyle()) for ln in fig.axes[0].lines]
    assert drawn == [(1.5, "-"), (2.5, "--")]
    words = {t.get_text() for t in fig.legends[0].get_texts()}
    assert {"claimed and held", "claimed only"} <= words
    assert "not claimed, but holds" not in words
    assert fig.axes[0].get_yticklabels()[0].get_text() == "$s1"


def test_where_nothing_can_be_told_nothing_is_promised():
    table = pd.DataFrame({"below": [1, 2, 3], "claimed": [1, 1, 0], "held": np.nan})
    fig = lines.lines_figure(ranking(told=False), table, "title", "")
    assert len(fig.axes) == 1 and "interval" not in fig.axes[0].get_xlabel()
    assert [t.get_text() for t in fig.legends[0].get_texts()] == ["claimed; cannot be told"]


def test_counts_are_written_with_their_sum_and_unknown_ones_as_unknown():
    rows = [("a", "document", 3, 2.0), ("a", "worker", 3, np.nan), ("b", "document", 1, 1.0),
            ("b", "worker", 1, 0.0)]  # fmt: skip
    counts = pd.DataFrame(rows, columns=["pair", "unit", "claimed", "held"])
    fig = lines.counts_figure(counts, "title")
    texts = sorted(t.get_text() for t in fig.axes[0].texts)
    assert texts == sorted(["3", "2", "?", "1", "1", "0", "4", "3", "0"])


def test_false_lines_have_a_dot_for_each_recipe_and_unit():
    table = pd.DataFrame(
        {
            "recipe": ["wmt17", "wmt17", "wmt24"],
            "unit": ["document", "worker", "document"],
            "campaigns_with_line": [0.5, 0.6, 0.1],
            "campaigns_low": [0.4, 0.5, 0.05],
            "campaigns_high": [0.6, 0.7, 0.2],
        }
    )
    fig = lines.false_lines_figure(table, "title")
    dots = [c.get_offsets() for c in fig.axes[0].collections if isinstance(c, PathCollection)]
    assert sorted(np.concatenate(dots)[:, 0].tolist()) == [0.1, 0.5, 0.6]
    assert [t.get_text() for t in fig.axes[0].get_yticklabels()] == ["wmt17", "wmt24"]
