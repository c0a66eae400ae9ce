"""The minimum feedback arc set against brute force, igraph's integer program, and itself."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle_tournament import by_igraph
from rankstability import load
from rankstability.errors import DataError
from rankstability.rank import feedback
from rankstability.rank import tournament as t


@st.composite
def wins(draw, most: int = 7, highest: int = 4):
    n = draw(st.integers(1, most))
    cells = draw(st.lists(st.integers(0, highest), min_size=n * n, max_size=n * n))
    table = np.array(cells).reshape(n, n)
    np.fill_diagonal(table, 0)
    return table


def brute_force(weights: np.ndarray, preference: np.ndarray) -> tuple[int, tuple[int, ...], int]:
    """Cost, first optimal order in the order of preference, number of optimal orders."""
    listed = np.argsort(-preference, kind="stable")
    best, first, number = None, (), 0
    for order in permutations(listed.tolist()):
        cost = sum(
            int(weights[b, a]) for k, a in enumerate(order) for b in order[k + 1 :]
        )  # b below a, yet b beat a
        if best is None or cost < best:
            best, first, number = cost, order, 1
        elif cost == best:
            number += 1
    return int(best or 0), first, number


def campaign(n: int, comparisons: int, seed: int) -> np.ndarray:
    """Net weights of a campaign of close systems."""
    rng = np.random.default_rng(seed)
    quality = rng.uniform(0, 10, n)
    i = rng.integers(0, n, comparisons)
    j = (i + rng.integers(1, n, comparisons)) % n
    better = quality[i] + rng.normal(0, 10, comparisons) > quality[j] + rng.normal(
        0, 10, comparisons
    )
    table = np.zeros((n, n), dtype=int)
    np.add.at(table, (np.where(better, i, j), np.where(better, j, i)), 1)
    return t.net_weights(table)


@settings(deadline=None, max_examples=60)
@given(wins(most=6), st.integers(0, 10**6))
def test_every_method_finds_the_same_first_optimum_and_counts_them_all(table, seed):
    weights = t.net_weights(table)
    preference = np.random.default_rng(seed).permutation(len(weights))
    cost, order, number = brute_force(weights, preference)
    for method in ("auto", "dp", "lp"):
        found = t.feedback_arc_set(weights, preference=preference, method=method)
        assert (found.cost, found.order, found.n_optima) == (cost, order, number), method
        assert found.optimal and found.canonical and found.gap == 0
    orders, costs = t.feedback_arc_sets(weights[None])
    assert tuple(orders[0]) == t.feedback_arc_set(weights).order and costs[0] == cost


@settings(deadline=None, max_examples=40)
@given(wins(most=6, highest=2), st.integers(0, 10**6))
def test_of_all_optima_the_one_nearest_to_a_given_ranking(table, seed):
    weights = t.net_weights(table)
    n = len(weights)
    rng = np.random.default_rng(seed)
    preference, scores = rng.permutation(n), rng.integers(0, n, n)

    def against(order):
        return sum(scores[a] < scores[b] for k, a in enumerate(order) for b in order[k + 1 :])

    listed = np.argsort(-preference, kind="stable").tolist()
    cost = brute_force(weights, preference)[0]
    optima = [o for o in permutations(listed) if feedback.cost_of(o, weights) == cost]
    for method in ("auto", "dp", "lp"):
        found = t.feedback_arc_set(weights, preference=preference, nearest=scores, method=method)
        assert found.order == min(optima, key=against) and found.n_optima == len(optima)
        assert found.canonical and found.cost == cost


@pytest.mark.parametrize("n", [8, 11, 14])
def test_program_and_dynamic_program_agree_where_ties_abound(n):
    rng = np.random.default_rng(n)
    for _ in range(6):
        weights = t.net_weights(rng.integers(0, 3, (n, n)) * (1 - np.eye(n, dtype=int)))
        one = t.feedback_arc_set(weights, method="dp")
        two = t.feedback_arc_set(weights, method="lp")
        orders, costs = t.feedback_arc_sets(weights[None])
        assert one.order == two.order == tuple(orders[0])
        assert one.cost == two.cost == costs[0] == by_igraph(weights)
        assert one.n_optima == two.n_optima


@pytest.mark.parametrize("n, comparisons", [(20, 3000), (25, 8000), (30, 20000)])
def test_larger_campaigns_cost_what_igraph_says(n, comparisons):
    weights = campaign(n, comparisons, seed=n)
    found = t.feedback_arc_set(weights)
    assert found.optimal and found.canonical
    assert found.cost == by_igraph(weights)


def test_the_integer_program_finds_the_optimum_when_the_sets_are_too_many(monkeypatch):
    weights = t.net_weights(np.random.default_rng(5).integers(0, 9, (16, 16)))
    sure = t.feedback_arc_set(weights)
    monkeypatch.setattr(feedback, "MOST_SETS", 1)
    found = t.feedback_arc_set(weights)
    assert found.optimal and found.cost == sure.cost == by_igraph(weights)
    assert found.n_optima is None and not found.canonical  # it says so
    orders, costs = t.feedback_arc_sets(np.stack([weights, weights.T]))  # one by one
    assert costs.tolist() == [found.cost] * 2 and sorted(orders[1]) == list(range(16))


def test_past_the_reach_of_proof_the_gap_is_given_and_holds():
    weights = t.net_weights(np.random.default_rng(1).integers(0, 9, (40, 40)))
    found = t.feedback_arc_set(weights, time_limit=0.2)
    assert not found.optimal and found.gap > 0 and found.n_optima is None
    assert found.lower_bound <= found.cost == feedback.cost_of(found.order, weights)
    assert sorted(found.order) == list(range(40))


def test_systems_renamed_and_shuffled_keep_their_ranking():
    weights = campaign(12, 500, seed=3)
    names = [f"system {k:02d}" for k in range(12)]
    plain = t.feedback_arc_set(weights, names)
    for seed in range(5):
        move = np.random.default_rng(seed).permutation(12)
        moved = t.feedback_arc_set(weights[np.ix_(move, move)], [names[i] for i in move])
        assert moved.ranking == plain.ranking
        assert moved.n_optima == plain.n_optima


def test_certificate_adds_up_to_the_cost():
    found = t.feedback_arc_set(campaign(15, 2000, seed=8))
    certificate = found.certificate()
    assert certificate["weight"].sum() == found.cost == feedback.cost_of(found.order, found.weights)
    assert (certificate["weight"] > 0).all()
    place = {s: k for k, s in enumerate(found.ranking)}
    assert all(place[a] > place[b] for a, b in certificate[["over", "under"]].to_numpy())
    kept = found.weights.copy()
    rows = t.violation_frame(found.order, found.weights, range(15))
    kept[rows["over"], rows["under"]] = 0
    assert all(len(c) == 1 for c in t.strong_components(kept))  # without them: no cycle


def test_an_acyclic_tournament_is_sorted_and_a_circle_of_three_loses_its_weakest_edge():
    line = np.triu(np.ones((6, 6), dtype=int), 1)
    found = t.feedback_arc_set(line)
    assert found.acyclic and found.order == tuple(range(6)) and found.n_optima == 1
    circle = np.array([[0, 3, 0], [0, 0, 2], [1, 0, 0]])
    found = t.feedback_arc_set(circle, ["E", "F", "G"])
    assert found.certificate().to_numpy().tolist() == [["G", "E", 1]]
    assert found.components == ((0, 1, 2),)
    assert found.ranking == ("E", "F", "G") and not found.acyclic


def test_no_judgment_at_all_leaves_every_order_optimal():
    found = t.feedback_arc_set(np.zeros((5, 5), dtype=int), list("EDCBA"))
    assert found.n_optima == 120 and found.ranking == tuple("ABCDE")
    found = t.feedback_arc_set(np.zeros((70, 70), int))  # one block, of more than a machine word
    assert found.order == tuple(range(70)) and found.cost == 0
    assert found.optimal and found.canonical and found.n_optima is None


def test_strong_components_are_those_of_igraph():
    import igraph

    for seed in range(20):
        weights = t.net_weights(np.random.default_rng(seed).integers(0, 3, (9, 9)))
        ours = t.strong_components(weights)
        edges = list(zip(*map(list, np.nonzero(weights)), strict=True))
        graph = igraph.Graph(n=9, edges=edges, directed=True)
        theirs = graph.connected_components(mode="strong")
        assert {frozenset(c) for c in ours} == {frozenset(c) for c in theirs}
        place = {i: k for k, c in enumerate(ours) for i in c}
        assert all(place[i] <= place[j] for i, j in zip(*np.nonzero(weights), strict=True))


@pytest.mark.parametrize("times", [1, 10**6, 10**9, 10**12])
def test_larger_weights_change_no_order_of_many_small_blocks(times):
    weights = np.stack([campaign(7, 200, seed) for seed in range(5)])
    orders, costs = t.feedback_arc_sets(weights * times)
    one, cost = t.feedback_arc_sets(weights)
    assert (orders == one).all() and (costs == cost * times).all() and cost.any()


@pytest.mark.parametrize(
    "weights, message",
    [
        (np.zeros((2, 3), dtype=int), "not a square matrix"),
        (np.array([[0, 1], [2, 0]]), "net weights"),
        (np.array([[0, -1], [0, 0]]), "net weights"),
        (np.array([[0, 0.5], [0, 0]]), "whole numbers"),
        (np.array([[1, 0], [0, 0]]), "net weights"),
        (np.zeros((2, 2), dtype=int), "unique"),  # two systems of one name
    ],
)
def test_bad_weights_are_refused_with_a_reason(weights, message):
    with pytest.raises(DataError, match=message):
        t.feedback_arc_set(weights, None if message != "unique" else ["a", "a"])


def test_judgments_with_scores_are_no_tournament():
    with pytest.raises(DataError, match="another kind; found 'judgments with scores'"):
        t.feedback_arc_set(load("demo-srdc", "de-en"))
