"""The minimum feedback arc set against brute force, igraph's integer program, and itself."""

from dataclasses import FrozenInstanceError, replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle_tournament import by_igraph
from companion.legacy.rankcompanion.notebooks.simulation.experiments import feedback_arc_sets
from companion.legacy.rankstability import load
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import feedback
from companion.legacy.rankstability.rank import tournament as t
from companion.legacy.rankstability.score.pairwise import PairCounts, pair_counts


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
    orders, costs = feedback_arc_sets(weights[None])
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
        orders, costs = feedback_arc_sets(weights[None])
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
    orders, costs = feedback_arc_sets(np.stack([weights, weights.T]))  # one by one
    assert costs.tolist() == [found.cost] * 2 and sorted(orders[1]) == list(range(16))


def test_past_the_reach_of_proof_the_gap_is_given_and_holds():
    weights = t.net_weights(np.random.default_rng(1).integers(0, 9, (40, 40)))
    found = t.feedback_arc_set(weights, time_limit=0.2)
    assert not found.optimal and found.gap > 0 and found.n_optima is None
    assert found.gap == found.cost - found.lower_bound and not found.canonical
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


CIRCLE = np.array([[0, 3, 0], [0, 0, 2], [1, 0, 0]])


def test_a_tournament_says_what_is_proven_of_it():
    found = t.feedback_arc_set(CIRCLE, ["E", "F", "G"])
    assert str(found) == "violated weight 1 (optimal)\n  1 E\n  2 F\n  3 G"
    assert "weights" not in repr(found) and found.gap == 0
    open_ = replace(found, cost=5, lower_bound=3, optimal=False)
    assert open_.gap == 2 and str(open_).startswith(
        "violated weight 5 (not proven optimal, gap at "
    )
    assert "gap at most 2)" in str(open_) and not open_.acyclic
    many = t.feedback_arc_set(np.zeros((3, 3), int))
    assert str(many).startswith("violated weight 0 (optimal, one of 6 optimal rankings)\n  1 0")
    assert many.acyclic and many.components == ((0,), (1,), (2,))
    with pytest.raises(FrozenInstanceError):
        found.cost = 0


def test_net_weights_are_wins_less_losses_of_each_campaign():
    wins = np.array([[[0, 5], [2, 0]], [[0, 1], [4, 0]]])
    assert t.net_weights(wins).tolist() == [[[0, 3], [0, 0]], [[0, 0], [3, 0]]]


def test_violated_edges_are_named_heaviest_first():
    weights = np.array([[0, 0, 0, 0], [2, 0, 0, 0], [7, 0, 0, 0], [2, 0, 1, 0]])
    frame = t.violation_frame([0, 1, 2, 3], weights, "ABCD")
    assert frame.to_numpy().tolist() == [["C", "A", 7], ["B", "A", 2], ["D", "A", 2], ["D", "C", 1]]
    assert frame.index.tolist() == [0, 1, 2, 3]
    assert t.violation_frame([3, 2, 1, 0], weights, "ABCD").empty


def test_components_come_from_the_top_down_and_single_edges_of_one_win_join():
    weights = np.zeros((5, 5), int)
    weights[3, 0] = weights[0, 4] = weights[4, 3] = 1  # round and round
    weights[1, 3] = 1  # above them
    weights[0, 2] = 1  # below them
    assert t.strong_components(weights) == [(1,), (0, 3, 4), (2,)]


def test_counts_frames_and_weights_say_the_same():
    wins = np.array([[0, 9, 2], [4, 0, 8], [2, 3, 0]])
    counts = PairCounts(("a", "b", "c"), wins, np.zeros((3, 3), int))
    one = t.feedback_arc_set(counts)
    assert one.ranking == ("a", "b", "c") and one.weights.tolist() == t.net_weights(wins).tolist()
    assert t.feedback_arc_set(counts, ["x", "y", "z"]).ranking == ("x", "y", "z")
    assert t.feedback_arc_set(pd.DataFrame(CIRCLE)).order == t.feedback_arc_set(CIRCLE).order
    frame = load("demo-rr", "cs-en")
    of_frame = t.feedback_arc_set(frame)
    assert of_frame.ranking == t.feedback_arc_set(pair_counts(frame).without("_ref")).ranking
    assert "_ref" not in of_frame.names


def test_of_equal_rankings_the_system_that_wins_more_comes_first_then_the_name():
    weights = np.zeros((4, 4), int)
    weights[3, 0] = 5  # the others never met, and are in the order of names
    assert t.feedback_arc_set(weights, list("DCBA")).ranking == ("A", "B", "C", "D")
    assert t.feedback_arc_set(weights).order == (3, 1, 2, 0)
    chosen = t.feedback_arc_set(weights, preference=[0, 1, 3, 2])
    assert chosen.order == (2, 3, 1, 0) and chosen.n_optima == 12


def test_weights_are_kept_as_they_were():
    weights = CIRCLE.copy()
    found = t.feedback_arc_set(weights)
    weights[0, 1] = 99
    assert found.weights[0, 1] == 3 and found.weights.dtype == np.int64
    assert t.feedback_arc_set(CIRCLE.astype(float)).order == found.order
    assert t.feedback_arc_set(CIRCLE.astype(np.uint8)).order == found.order


@pytest.mark.parametrize(
    ("weights", "told", "said"),
    [
        (np.zeros((0, 0), int), {}, "not a square matrix"),
        (np.zeros(4, int), {}, "not a square matrix"),
        (np.array([["a"]]), {}, "weights are not whole numbers; found '<U1'"),
        (np.zeros((2, 2), complex), {}, "weights are not whole numbers; found 'complex128'"),
        (np.array([[0, 1], [2, 0]]), {}, "no net weights: 0, 1; found '1 and 2'"),
        (CIRCLE, {"names": ["a", "b"]}, "unique, one per row; found 2; expected 3 different names"),
        (CIRCLE, {"names": list("abcd")}, "unique, one per row; found 4; expected 3 "),
        (CIRCLE, {"method": "ilp"}, "unknown method; found 'ilp'; expected auto, dp or lp"),
    ],
)
def test_what_is_no_tournament_is_refused_by_name(weights, told, said):
    with pytest.raises(DataError, match=said):
        t.feedback_arc_set(weights, **told)


def test_so_many_optimal_rankings_are_counted_as_fit_an_integer():
    """Blocks of four equal systems, each block above the next: 24 orders of each."""
    for blocks, number in ((13, 24**13), (14, None)):
        block = np.repeat(np.arange(blocks), 4)
        weights = (block[:, None] < block).astype(int)
        found = t.feedback_arc_set(weights)
        assert found.n_optima == number and found.optimal and found.canonical
        assert found.order == tuple(range(4 * blocks))


def test_the_cost_of_an_order_is_what_it_violates():
    assert feedback.cost_of([0, 1, 2], CIRCLE) == 1 and feedback.cost_of([2, 1, 0], CIRCLE) == 5
    assert feedback.cost_of([1, 2, 0], CIRCLE) == 3 and feedback.cost_of([0], CIRCLE[:1, :1]) == 0


def test_the_dynamic_program_gives_up_past_its_limits():
    weights, enough = t.net_weights(np.random.default_rng(5).integers(0, 9, (1, 8, 8))), np.inf
    upper = np.array([feedback.cost_of(range(8), weights[0])])
    orders, costs, optima = feedback.bounded_dp(weights, upper, enough)
    assert feedback.cost_of(orders[0], weights[0]) == costs[0] and optima[0] >= 1
    assert feedback.bounded_dp(weights, upper, deadline=0.0) is None
    assert feedback.bounded_dp(np.zeros((1, 64, 64), int), np.zeros(1, int)) is None
    line = np.triu(np.ones((1, 63, 63), int), 1)
    assert feedback.bounded_dp(line, np.zeros(1, int))[0][0].tolist() == list(range(63))


def test_the_integer_program_of_any_size_bounds_its_cost():
    for seed in range(6):
        weights = t.net_weights(np.random.default_rng(seed).integers(0, 6, (7, 7)))
        order, lower = feedback.integer(weights, np.inf if seed else 1e18)
        assert sorted(order) == list(range(7))
        assert lower == feedback.cost_of(order, weights) == by_igraph(weights)
    late_order, bound = feedback.integer(weights, 0.0)  # a hundredth of a second
    assert sorted(late_order) == list(range(7)) and 0 <= bound <= by_igraph(weights)


def test_a_system_is_moved_to_where_it_costs_least_until_no_move_helps():
    line = np.triu(np.ones((5, 5), int), 1)
    starts = np.array([[4, 0, 1, 2, 3], [1, 2, 3, 4, 0], [0, 1, 2, 3, 4], [4, 3, 2, 1, 0]])
    found = feedback.insertion_search(np.stack([line] * 4), starts)
    assert found.tolist() == [[0, 1, 2, 3, 4]] * 4
    still = feedback.insertion_search(np.zeros((1, 3, 3), int), np.array([[2, 0, 1]]))
    assert still.tolist() == [[2, 0, 1]]


def test_the_lowest_system_that_can_stand_is_first_of_an_acyclic_graph():
    edges = np.zeros((4, 4), int)
    edges[3, 0] = edges[2, 1] = 1
    assert feedback.first_sorted(edges).tolist() == [2, 1, 3, 0]


def test_two_systems_and_one_need_no_integer_program():
    two = t.feedback_arc_set(np.array([[0, 0], [3, 0]]), method="lp")
    assert two.order == (1, 0) and two.n_optima == 1 and two.canonical
    assert t.feedback_arc_set(np.zeros((1, 1), int), method="lp").order == (0,)


def test_the_integer_program_bounds_an_acyclic_tournament_by_nothing():
    order, lower = feedback.integer(np.triu(np.ones((5, 5), int), 1).T.copy(), 1e18)
    assert order.tolist() == [4, 3, 2, 1, 0] and lower == 0
