"""What the figures of tournaments draw is what the frames say."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from rankcompanion import tournament
from rankcompanion.figures import tournament as plot


@pytest.fixture
def cycle():
    yield tournament.solve(tournament.figure3(), "Figure 3")
    plt.close("all")


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
