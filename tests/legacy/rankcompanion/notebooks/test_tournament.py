"""Notebook 08's module: the real tasks, solved, and the paper's examples."""

import pytest

from conftest import needs
from oracle_tournament import by_igraph
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks import tournament

# REPLICATION: optimal costs, found independently of this code
COSTS = {
    "wmt10": {
        "cs-en": 2, "en-cs": 43, "en-fr": 18, "en-de": 31, "en-es": 6, "fr-en": 61, "de-en": 55,
        "es-en": 10,
    },
    "wmt11": {
        "cs-en individual": 1, "en-cs individual": 0, "en-fr individual": 17,
        "en-de individual": 24, "en-es individual": 16, "fr-en individual": 27,
        "de-en individual": 48, "es-en individual": 31, "ur-en tunable": 6,
    },
    "wmt12": {
        "cs-en": 0, "de-en": 22, "en-cs": 1, "en-de": 28, "en-es": 0, "en-fr": 2, "es-en": 1,
        "fr-en": 27,
    },
}  # fmt: skip


OPTIMA = {"wmt10": {"fr-en": 8}, "wmt11": {"fr-en individual": 26}}


@pytest.mark.parametrize("name", COSTS)
@needs("wmt10")
@needs("wmt11")
@needs("wmt12")
def test_optimal_costs_of_the_real_tasks(name):
    solved = tournament.solve_tasks(campaigns.load_rr(campaigns.find(name)))
    costs = {task: s.mfas.cost for task, s in solved.items()}
    combined = {task: 0 for task in costs if task.endswith("combination")}
    assert costs == COSTS[name] | combined
    for task, number in OPTIMA.get(name, {}).items():
        assert solved[task].mfas.n_optima == number
    for s in solved.values():
        assert s.mfas.optimal and s.mfas.canonical
        assert by_igraph(s.mfas.weights) == s.mfas.cost


def test_figure_2_two_fifths_lose_to_two_fourths_although_nothing_contradicts_the_order():
    example = tournament.solve(tournament.figure2())
    assert example.orders["mfas"] == tuple("ABCD")
    assert example.orders["wmt_official"] == tuple("ACBD")
    assert (example.mfas.cost, example.cost("wmt_official")) == (0, 1)
    cycle = tournament.solve(tournament.figure3()).mfas  # Figure 3: one edge is enough
    assert cycle.certificate().to_numpy().tolist() == [["G", "E", 1]]
