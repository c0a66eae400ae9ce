"""The minimum feedback arc set against brute force, igraph's integer program, and Lopez (2012)."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankstability.errors import DataError
from rankstability.io.load import load, pairs
from rankstability.ranking import feedback, feedback_search
from rankstability.ranking.relative import METHODS, expected_win
from rankstability.scores.pairwise import PairCounts, count_pairs
from real import real_data

OPTIMAL_COSTS = {  # Lopez (2012): the weight that the best ranking of each task violates
    "wmt10": {
        "cs-en": 2,
        "en-cs": 43,
        "en-fr": 18,
        "en-de": 31,
        "en-es": 6,
        "fr-en": 61,
        "de-en": 55,
        "es-en": 10,
    },
    "wmt11": {
        "cs-en-individual": 1,
        "en-cs-individual": 0,
        "en-fr-individual": 17,
        "en-de-individual": 24,
        "en-es-individual": 16,
        "fr-en-individual": 27,
        "de-en-individual": 48,
        "es-en-individual": 31,
        "ur-en-tunable": 6,
    },
}
TOTALS = {  # violated weight of all 25 tasks
    "feedback_arc_set": 396,
    "better_or_equal_others": 1140,
    "better_others_without_reference": 1215,
    "wins_over_decided_without_reference": 979,
}


def by_igraph(weights):
    """The least cost by the integer program of igraph."""
    import igraph

    rows, columns = np.nonzero(weights)
    edges = list(zip(rows.tolist(), columns.tolist(), strict=True))
    graph = igraph.Graph(n=len(weights), edges=edges, directed=True)
    weight = weights[rows, columns]
    graph.es["weight"] = weight.tolist()
    return int(weight[graph.feedback_arc_set(weights="weight", method="ip")].sum())


@st.composite
def tables_of_wins(draw, most=6, highest=4):
    n = draw(st.integers(1, most))
    cells = draw(st.lists(st.integers(0, highest), min_size=n * n, max_size=n * n))
    table = np.array(cells).reshape(n, n)
    np.fill_diagonal(table, 0)
    return table


def counts_of(wins, names=None):
    wins = np.asarray(wins)
    names = names or [f"{k:02}" for k in range(len(wins))]
    return PairCounts(tuple(names), wins, np.zeros_like(wins))


def close_campaign(n, comparisons, seed):
    """Wins in a campaign of close systems."""
    rng = np.random.default_rng(seed)
    quality = rng.uniform(0, 10, n)
    i = rng.integers(0, n, comparisons)
    j = (i + rng.integers(1, n, comparisons)) % n
    noise = rng.normal(0, 10, (2, comparisons))
    better = quality[i] + noise[0] > quality[j] + noise[1]
    table = np.zeros((n, n), dtype=int)
    np.add.at(table, (np.where(better, i, j), np.where(better, j, i)), 1)
    return table


def brute_force(weights, listed):
    """The cost, and all optimal orders in lexicographic order of `listed`."""
    orders = list(permutations(listed))
    costs = [feedback_search.cost_of(order, weights) for order in orders]
    least = min(costs)
    return least, [order for order, cost in zip(orders, costs, strict=True) if cost == least]


def preferred(counts):
    """Rows in the order in which systems are listed: by expected win, then by name."""
    score = np.nan_to_num(expected_win(counts), nan=-1)
    return np.argsort(-score, kind="stable").tolist()


def solved(counts, programs=feedback_search.PROGRAMS):
    """The solution by these programs, and its order in rows of the counts."""
    listed = np.array(preferred(counts))
    weights = feedback.net_weights(counts.wins)[np.ix_(listed, listed)]
    found = feedback_search.solve(weights, programs=programs)
    return found, listed[found.order]


@settings(deadline=None, max_examples=50)
@given(tables_of_wins())
def test_every_program_finds_the_same_first_optimum_and_counts_them_all(wins):
    counts = counts_of(wins)
    weights = feedback.net_weights(wins)
    cost, optima = brute_force(weights, preferred(counts))
    for programs in (["dp", "lp"], ["dp"], ["lp"]):
        found, order = solved(counts, programs)
        assert (found.cost, found.n_optima) == (cost, len(optima)), programs
        assert tuple(order) == optima[0]
        assert found.lower_bound == cost and found.canonical
    orders, costs = feedback.feedback_arc_sets(weights[None])
    assert costs[0] == cost and tuple(orders[0]) in optima


@settings(deadline=None, max_examples=40)
@given(tables_of_wins(highest=2), st.integers(0, 10**6))
def test_of_all_optima_the_nearest_to_a_given_ranking_is_chosen(wins, seed):
    counts = counts_of(wins)
    n = len(wins)
    given_order = np.random.default_rng(seed).permutation(n)
    place = np.argsort(given_order)
    weights = feedback.net_weights(wins)
    _, optima = brute_force(weights, preferred(counts))

    def inversions(order):
        return sum(place[a] > place[b] for k, a in enumerate(order) for b in order[k + 1 :])

    listed = np.array(preferred(counts))
    tournament = weights[np.ix_(listed, listed)]
    found = feedback_search.nearest_to(
        -place[listed].astype(float), tournament, feedback_search.solve(tournament)
    )
    assert tuple(listed[found.order]) == min(optima, key=inversions)
    assert found.n_optima == len(optima) and found.canonical


@pytest.mark.parametrize("n", [8, 11, 14])
def test_both_programs_agree_where_ties_abound(n):
    rng = np.random.default_rng(n)
    for _ in range(4):
        wins = rng.integers(0, 3, (n, n)) * (1 - np.eye(n, dtype=int))
        counts = counts_of(wins)
        by_dp, first = solved(counts, ["dp"])
        by_lp, second = solved(counts, ["lp"])
        assert first.tolist() == second.tolist()
        assert by_dp.cost == by_lp.cost == by_igraph(feedback.net_weights(wins))
        assert by_dp.n_optima == by_lp.n_optima


@pytest.mark.parametrize(("n", "comparisons"), [(20, 3000), (30, 20000)])
def test_larger_campaigns_cost_what_igraph_finds(n, comparisons):
    found = feedback.feedback_arc_set(counts_of(close_campaign(n, comparisons, seed=n)))
    assert found.optimal and found.canonical
    assert found.cost == by_igraph(found.weights)


def test_the_integer_program_finds_the_optimum_when_there_are_too_many_sets(monkeypatch):
    counts = counts_of(np.random.default_rng(5).integers(0, 9, (16, 16)))
    proven = feedback.feedback_arc_set(counts)
    monkeypatch.setattr(feedback_search, "MAX_SETS", 1)
    found = feedback.feedback_arc_set(counts)
    assert found.optimal and found.cost == proven.cost
    assert found.n_optima is None and not found.canonical
    orders, costs = feedback.feedback_arc_sets(np.stack([found.weights, found.weights.T]))
    assert costs.tolist() == [found.cost] * 2 and sorted(orders[1]) == list(range(16))


def test_past_the_time_limit_the_lower_bound_holds():
    counts = counts_of(np.random.default_rng(1).integers(0, 9, (40, 40)))
    found = feedback.feedback_arc_set(counts, time_limit=0.2)
    assert not found.optimal and not found.canonical and found.n_optima is None
    assert found.lower_bound < found.cost == found.cost_of(found.systems)
    assert sorted(found.order) == list(range(40))


def test_the_order_of_systems_in_the_table_changes_nothing():
    wins = close_campaign(12, 500, seed=3)
    names = [f"system {k:02}" for k in range(12)]
    plain = feedback.feedback_arc_set(counts_of(wins, names))
    for seed in range(4):
        move = np.random.default_rng(seed).permutation(12)
        moved = counts_of(wins[np.ix_(move, move)], [names[k] for k in move])
        found = feedback.feedback_arc_set(moved)
        assert found.systems == plain.systems and found.n_optima == plain.n_optima


def test_violations_add_up_to_the_cost_and_leave_no_cycle():
    found = feedback.feedback_arc_set(counts_of(close_campaign(15, 2000, seed=8)))
    violations = found.violations()
    assert violations["weight"].sum() == found.cost > 0
    assert violations["weight"].is_monotonic_decreasing
    rank = {name: k for k, name in enumerate(found.systems)}
    assert (violations["winner"].map(rank) > violations["loser"].map(rank)).all()
    results = found.results()
    assert results["violated"].sum() == len(violations)
    assert results.loc[results["violated"], "in_cycle"].all()
    row = {name: k for k, name in enumerate(found.names)}
    kept = found.weights.copy()
    kept[violations["winner"].map(row), violations["loser"].map(row)] = 0
    assert all(len(rows) == 1 for rows in feedback.strong_components(kept))


def test_a_circle_of_three_loses_its_weakest_result():
    found = feedback.feedback_arc_set(counts_of([[0, 3, 0], [0, 0, 2], [1, 0, 0]], list("EFG")))
    assert found.violations().to_numpy().tolist() == [["G", "E", 1]]
    assert found.systems == ["E", "F", "G"] and not found.acyclic
    assert found.components == [["E", "F", "G"]]
    results = found.results().set_index(["winner", "loser"])
    assert results["closes_cycle"].to_dict() == {
        ("E", "F"): True,
        ("F", "G"): True,
        ("G", "E"): False,
    }
    assert found.cost_of(["G", "F", "E"]) == 5
    assert len(found.violations(["G", "F", "E"])) == 2


def test_without_any_result_every_order_is_optimal():
    found = feedback.feedback_arc_set(counts_of(np.zeros((5, 5), int), list("EDCBA")))
    assert found.n_optima == 120 and found.acyclic and found.systems == list("ABCDE")
    large = feedback.feedback_arc_set(counts_of(np.zeros((70, 70), int)))
    assert large.cost == 0 and large.optimal and large.n_optima is None


@pytest.mark.parametrize(("blocks", "number"), [(13, 24**13), (14, None)])
def test_optimal_rankings_are_counted_as_far_as_they_fit_an_integer(blocks, number):
    block = np.repeat(np.arange(blocks), 4)
    found = feedback.feedback_arc_set(counts_of((block[:, None] < block).astype(int)))
    assert found.n_optima == number and found.optimal


def test_components_stand_from_the_top_down():
    wins = np.zeros((5, 5), int)
    wins[3, 0] = wins[0, 4] = wins[4, 3] = 1  # a cycle
    wins[1, 3] = 1  # above it
    wins[0, 2] = 1  # below it
    found = feedback.feedback_arc_set(counts_of(wins, list("abcde")))
    assert found.components == [["b"], ["a", "d", "e"], ["c"]]
    summary = found.summary().iloc[0]
    assert (summary["components"], summary["largest_component"]) == (3, 3)


def test_small_tournaments_need_no_integer_program():
    found, order = solved(counts_of([[0, 0], [3, 0]]), ["lp"])
    assert order.tolist() == [1, 0] and found.n_optima == 1
    assert feedback.feedback_arc_set(counts_of([[0]])).systems == ["00"]


def test_the_integer_program_bounds_its_cost():
    for seed in range(5):
        weights = feedback.net_weights(np.random.default_rng(seed).integers(0, 6, (7, 7)))
        order, lower_bound = feedback_search.solve_integer_program(weights, np.inf)
        assert sorted(order) == list(range(7))
        assert lower_bound == feedback_search.cost_of(order, weights) == by_igraph(weights)
    late, lower_bound = feedback_search.solve_integer_program(weights, 0.0)
    assert sorted(late) == list(range(7)) and 0 <= lower_bound <= by_igraph(weights)


def test_the_dynamic_program_gives_up_past_its_limits():
    weights = feedback.net_weights(np.random.default_rng(5).integers(0, 9, (1, 8, 8)))
    upper = np.array([feedback_search.cost_of(range(8), weights[0])])
    assert feedback_search.solve_dynamic_program(weights, upper) is not None
    assert feedback_search.solve_dynamic_program(weights, upper, deadline=0.0) is None
    too_many = np.zeros((1, 64, 64), int)
    assert feedback_search.solve_dynamic_program(too_many, np.zeros(1, int)) is None


def test_systems_are_moved_to_where_they_cost_least():
    line = np.triu(np.ones((5, 5), int), 1)
    starts = np.array([[4, 0, 1, 2, 3], [1, 2, 3, 4, 0], [0, 1, 2, 3, 4], [4, 3, 2, 1, 0]])
    found = feedback_search.insertion_search(np.stack([line] * 4), starts)
    assert found.tolist() == [[0, 1, 2, 3, 4]] * 4


def test_errors_have_codes():
    counts = counts_of([[0, 1], [0, 0]], ["a", "b"])
    with pytest.raises(DataError) as error:
        feedback.feedback_arc_set(counts).cost_of(["a"])
    assert error.value.code == "different_systems"
    with pytest.raises(DataError) as error:
        feedback.feedback_arc_set(load("demo-srdc", "de-en"))
    assert error.value.code == "wrong_kind"


def test_the_reference_is_not_ranked():
    found = feedback.feedback_arc_set(load("demo-rr", "cs-en"))
    assert "_ref" not in found.names and found.optimal


def test_lopez_costs_and_optima():
    real_data("wmt10")
    real_data("wmt11")
    totals = dict.fromkeys(TOTALS, 0)
    acyclic = 0
    for campaign, costs in OPTIMAL_COSTS.items():
        for pair in pairs(campaign)["pair"]:
            counts = count_pairs(load(campaign, pair))
            found = feedback.feedback_arc_set(counts)
            assert found.optimal and found.canonical
            assert found.cost == costs.get(pair, 0), pair
            acyclic += found.acyclic
            totals["feedback_arc_set"] += found.cost
            for name in list(TOTALS)[1:]:
                score = METHODS[name](counts)[list(found.names)]
                order = score.sort_index().sort_values(ascending=False, kind="stable").index
                totals[name] += found.cost_of(list(order))
            if pair == "fr-en":
                assert found.n_optima == 8
            if pair == "fr-en-individual":
                assert found.n_optima == 26
    assert totals == TOTALS
    assert acyclic == 9
