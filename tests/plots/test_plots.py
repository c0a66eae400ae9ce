"""Figures: what they show, that bytes repeat, and that no global setting changes."""

import io

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import rankstability as rs
from rankstability.plots.style import short_name

HOSTILE = "$\\frac{1}{0}$<b>\x1b[31m" + "x" * 200


@pytest.fixture(scope="module")
def judgments():
    return rs.load("demo-srpdc", "de-en")


@pytest.fixture(scope="module")
def ranking(judgments):
    return rs.rank_systems(judgments)


def draws(ranking, judgments):
    return {
        "ranking": lambda **more: rs.plot_ranking(ranking, **more),
        "ranks": lambda **more: rs.plot_ranks({"a": ranking, "b": ranking}, **more),
        "pairs": lambda **more: rs.plot_pairs(ranking, **more),
        "cooccurrence": lambda **more: rs.plot_cooccurrence(judgments, **more),
    }


@pytest.mark.parametrize("name", ["ranking", "ranks", "pairs", "cooccurrence"])
def test_bytes_repeat_and_settings_stay(ranking, judgments, name):
    before = dict(matplotlib.rcParams)
    draw = draws(ranking, judgments)[name]
    images = []
    for _ in range(2):
        out = io.BytesIO()
        draw().savefig(out, format="png", metadata={"Software": None})
        images.append(out.getvalue())
    assert images[0] == images[1]
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("name", ["ranking", "ranks", "pairs", "cooccurrence"])
def test_axes_can_be_given(ranking, judgments, name):
    figure, ax = plt.subplots()
    assert draws(ranking, judgments)[name](ax=ax) is figure
    assert ax.has_data() or ax.images or ax.lines


def test_intervals_and_ranks_are_those_of_the_table(ranking):
    figure = rs.plot_ranking(ranking)
    left, right = figure.axes[:2]
    ends = np.concatenate(
        [np.array(path)[:, 0] for c in left.collections for path in c.get_segments()]
    )
    expected = ranking.table[["score_low", "score_high"]].to_numpy()
    assert sorted(ends) == pytest.approx(sorted(expected.ravel()))
    assert len(right.patches) == len(ranking.table)
    assert [text.get_text() for text in left.get_yticklabels()] == [
        short_name(s) for s in ranking.systems
    ]


def test_labels_name_the_level(judgments):
    figure = rs.plot_ranking(rs.rank_systems(judgments, alpha=0.1))
    labels = [axes.get_xlabel() for axes in figure.axes]
    assert all("90 %" in label for label in labels) and len(labels) == 2


def test_without_inference_there_is_no_empty_panel():
    frame = pd.DataFrame({"left": ["A", "B", "C"] * 9, "right": ["B", "C", "A"] * 9})
    frame["winner"] = ["left", "left", "right"] * 6 + ["right", "right", "left"] * 3
    ranking = rs.rank_systems(rs.battles(frame))
    assert not ranking.unit and len(rs.plot_ranking(ranking).axes) == 1


def test_hostile_and_long_names_are_drawn_as_text(judgments):
    first = judgments.systems[0]
    table = judgments.table.assign(
        system=judgments.table["system"].cat.rename_categories({first: HOSTILE})
    )
    renamed = judgments.with_table(table, all_rows=None)
    ranking = rs.rank_systems(renamed)
    for figure in (rs.plot_ranking(ranking), rs.plot_pairs(ranking)):
        figure.savefig(io.BytesIO(), format="png")
    assert len(short_name(HOSTILE)) < 40 and "\x1b" not in short_name(HOSTILE)


def test_pairs_show_the_better_system(ranking):
    cells = rs.plot_pairs(ranking).axes[0].images[0].get_array()
    better = (ranking.pairs["result"] == "better").sum()
    assert int((np.asarray(cells) == 2).sum()) == better
