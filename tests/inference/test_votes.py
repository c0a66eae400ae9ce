"""Votes and relative rankings: oracles computed with independent code, and properties."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student_t

from rankstability.errors import DataError
from rankstability.inference.units import difference_variance
from rankstability.inference.vote_sums import decided_votes, sum_units, sums_of_strengths
from rankstability.inference.votes import (
    infer_votes,
    least_p,
    second_answers,
    share_tests,
    units_of_votes,
)
from rankstability.ranking.davidson import fit_davidson
from rankstability.scores.arrays import VoteArrays
from rankstability.scores.pairwise import tabulate
from simulated_votes import random_votes, rows, votes_of

TEXT = """01 1 ap; 12 1 ap; 20 0.5 aq; 02 1 aq; 10 1 ar; 21 0 as;
01 1 bp; 02 1 bp; 21 1 bq; 10 0 br; 12 0.5 br; 20 1 bs;
10 0 cp; 21 0 cq; 02 1 cq; 01 0 cr; 12 1 cs; 20 0.5 cs;
01 1 dp; 12 0 dq; 20 0 dr; 10 0.5 dr; 02 1 ds; 21 1 ds"""
NEW = "; 30 1 ap; 13 1 bq; 32 0.5 cr"
A = votes_of(TEXT)
RUNS = {
    "A": (A, None),
    "B": (replace(A, order_known=False), None),
    "C": (A, "annotator"),
    "D": (A, "question"),
    "E": (replace(A, question=np.arange(24)), None),
    "F": (replace(A, order_known=False, relative_ranking=True), None),
    "G": (votes_of(TEXT + NEW), None),
}
STRENGTH = {
    "A": (0.857722, -0.245469, -0.612253),
    "B": (0.773626, -0.22168, -0.551947),
    "C": (0.857722, -0.245469, -0.612253),
    "D": (0.857722, -0.245469, -0.612253),
    "E": (0.857722, -0.245469, -0.612253),
    "G": (0.830712, -0.102773, -0.507538, -0.220401),
}
TIE = {"A": 0.478809, "B": 0.446762, "G": 0.540005}
DECIDED = {"A": (13, 14, 13), "G": (14, 15, 13, 2)}
ONE_WAY = {  # V of the pairs 01, 02, 12; run G 01, 02, 03, 12, 13, 23
    ("A", "annotator"): (0.98608, 0.089218, 1.400868),
    ("A", "question"): (0.874585, 0.519376, 0.162898),
    ("A", "cell"): (0.737094, 0.603891, 0.596),
    ("B", "cell"): (0.548627, 0.519428, 0.446173),
    ("E", "cell"): (0.702179, 0.54879, 0.577612),
    ("G", "cell"): (0.674442, 0.526418, 2.53882, 0.576778, 2.605096, 2.864645),
    ("B", "annotator"): (0.72061, 0.095835, 1.169309),
    ("B", "question"): (1.01291, 0.643314, 0.217398),
    ("C", "annotator"): (0.98608, 0.089218, 1.400868),
    ("D", "question"): (0.874585, 0.519376, 0.162898),
    ("E", "annotator"): (0.98608, 0.089218, 1.400868),
    ("E", "question"): (0.702179, 0.54879, 0.577612),
    ("G", "annotator"): (1.04727, 0.023481, 3.139619, 1.244399, 1.678995, 3.64777),
    ("G", "question"): (0.523948, 0.208935, 1.531239, 0.132776, 3.086943, 2.687506),
}
SUM_LESS_CELL = {
    "A": (1.123571, 0.004703, 0.967766),
    "B": (1.184893, 0.219721, 0.940535),
    "E": (0.98608, 0.089218, 1.400868),
    "G": (0.896777, -0.294002, 2.132038, 0.800397, 2.160842, 3.470631),
}
USED = {
    "A": (1.123571, 0.519376, 1.400868),
    "B": (1.184893, 0.643314, 1.169309),
    "C": (0.98608, 0.089218, 1.400868),
    "D": (0.874585, 0.519376, 0.162898),
    "E": (0.98608, 0.54879, 1.400868),
    "F": (2.47494, 1.200782, 2.614844),
    "G": (1.04727, 0.208935, 3.139619, 1.244399, 3.086943, 3.64777),
}
EFFECTIVE = {
    ("A", "annotator"): (3.930233, 3.92, 3.930233),
    ("A", "question"): (3.44898, 3.769231, 3.072727),
    ("B", "annotator"): (3.930233, 3.92, 3.930233),
    ("C", "annotator"): (3.930233, 3.92, 3.930233),
    ("D", "question"): (3.44898, 3.769231, 3.072727),
    ("E", "question"): (13, 14, 13),
    ("G", "annotator"): (3.92, 3.947368, 3.930233, 2),
    ("G", "question"): (3.266667, 3.813559, 3.072727, 2),
}
DF = {
    "A": (2.44898, 2.072727, 2.072727),
    "B": (2.44898, 2.072727, 2.072727),
    "C": (2.92, 2.930233, 2.92),
    "D": (2.44898, 2.072727, 2.072727),
    "E": (2.92, 2.930233, 2.92),
    "F": (2.44898, 2.072727, 2.072727),
    "G": (2.266667, 2.072727, 1, 2.072727, 1, 1),
}
P = {
    "A": (0.389675, 0.173713, 0.785037),
    "B": (0.441415, 0.235852, 0.788001),
    "C": (0.349615, 0.016984, 0.777437),
    "D": (0.339986, 0.173713, 0.456492),
    "E": (0.349615, 0.143644, 0.777437),
    "F": (0.461654, 0.235852, 0.794140),
}
P_WITH_NEW_SYSTEM = (0.448057, 0.095461, 0.750395)  # 01, 02, 12: those of system 3 are set to 1
ORDER = {  # the order effect: o, variance, df, low, high, p, share
    "A": (0.76036, 0.308462, 2.921569, -1.034298, 2.555018, 0.266736, 0.681432),
    "C": (0.76036, 0.286507, 3.0, -0.943087, 2.463807, 0.250549, 0.681432),
    "D": (0.76036, 0.308462, 2.921569, -1.034298, 2.555018, 0.266736, 0.681432),
    "E": (0.76036, 0.327469, 3.0, -1.060791, 2.581512, 0.275965, 0.681432),
    "G": (0.912653, 0.341963, 2.84127, -1.008587, 2.833892, 0.221475, 0.713543),
}


def by_code(result, values):
    """Values of the systems in the order of their codes instead of their ranks."""
    out = np.empty_like(values)
    out[result.codes] = values
    return out


def pairs_by_code(result, values):
    """Square values in the order of codes instead of ranks, above the diagonal."""
    n = len(result.systems)
    out = np.empty((n, n))
    out[np.ix_(result.codes, result.codes)] = values
    return out[np.triu_indices(n, 1)]


@pytest.mark.parametrize("run", STRENGTH)
def test_strengths_equal_an_independent_computation(run):
    result = infer_votes(*RUNS[run])
    np.testing.assert_allclose(by_code(result, result.mean), STRENGTH[run], atol=2e-6)


@pytest.mark.parametrize("run", TIE)
def test_ties_and_decided_votes(run):
    votes, _ = RUNS[run]
    fit = fit_davidson(tabulate(votes), with_order=votes.order_known)
    assert fit.tie == pytest.approx(TIE[run], abs=2e-6)
    if run in DECIDED:
        np.testing.assert_array_equal(decided_votes(votes), DECIDED[run])


def sums_of(run):
    """The sums by unit of one run."""
    votes, unit = RUNS[run]
    fit = fit_davidson(tabulate(votes), with_order=votes.order_known)
    lead, tie = fit.residuals(votes)
    return sum_units(
        units_of_votes(votes, unit), lambda code: sums_of_strengths(votes, code, lead, tie, fit)
    )


@pytest.mark.parametrize(("run", "kind"), ONE_WAY)
def test_variances_by_one_kind_of_unit(run, kind):
    sums = sums_of(run)
    n = len(STRENGTH[run])
    covariance = (sums.cells if kind == "cell" else sums.kinds[kind]).covariance[:n, :n]
    found = difference_variance(covariance)[np.triu_indices(n, 1)]
    np.testing.assert_allclose(found, ONE_WAY[run, kind], atol=2e-6)


@pytest.mark.parametrize("run", SUM_LESS_CELL)
def test_the_sum_of_both_kinds_less_cells(run):
    result = infer_votes(RUNS[run][0])
    covariance = result.covariance
    spread = np.add.outer(np.diag(covariance), np.diag(covariance)) - 2 * covariance
    np.testing.assert_allclose(pairs_by_code(result, spread), SUM_LESS_CELL[run], atol=2e-6)


@pytest.mark.parametrize("run", USED)
def test_the_variance_that_is_used(run):
    result = infer_votes(*RUNS[run])
    np.testing.assert_allclose(pairs_by_code(result, result.variance), USED[run], atol=2e-6)
    np.testing.assert_allclose(pairs_by_code(result, result.df), DF[run], atol=2e-6)


@pytest.mark.parametrize(("run", "kind"), EFFECTIVE)
def test_effective_units(run, kind):
    result = infer_votes(*RUNS[run])
    found = by_code(result, result.effective[kind])
    np.testing.assert_allclose(found, EFFECTIVE[run, kind], atol=2e-6)


@pytest.mark.parametrize("run", P)
def test_p_values(run):
    result = infer_votes(*RUNS[run])
    np.testing.assert_allclose(pairs_by_code(result, result.p), P[run], atol=2e-6)


@pytest.mark.parametrize("run", ORDER)
def test_the_order_effect(run):
    found = infer_votes(*RUNS[run]).order_effect
    effect, variance, df, low, high, p, share = ORDER[run]
    assert sums_of(run).of_scores()[-1] == pytest.approx(variance, abs=2e-6)
    values = (found.effect, found.df, found.low, found.high, found.p, found.first_wins)
    np.testing.assert_allclose(values, (effect, df, low, high, p, share), atol=5e-6)


def test_a_system_with_two_decided_votes_cannot_be_assessed():
    result = infer_votes(*RUNS["G"])
    assert result.systems[-1] == "3"
    assert not result.assessable[-1]
    assert result.reasons == {"3": "few_annotators"}
    p = pairs_by_code(result, result.p)
    np.testing.assert_allclose(p[[0, 1, 3]], P_WITH_NEW_SYSTEM, atol=2e-6)
    np.testing.assert_array_equal(p[[2, 4, 5]], 1)
    assert (result.rank_low[-1], result.rank_high[-1]) == (1, 4)


def test_scores_of_relative_rankings_are_shares_of_wins():
    result = infer_votes(*RUNS["F"])
    np.testing.assert_allclose(by_code(result, result.mean), (10 / 13, 6 / 14, 4 / 13))
    assert result.order_effect is None
    log_odds = pairs_by_code(result, result.difference)
    expected = (1.098612 + 0.268264, 1.098612 + 0.747214, -0.268264 + 0.747214)
    np.testing.assert_allclose(np.abs(log_odds), expected, atol=2e-6)


def test_relative_ranking_by_annotators_before_the_second_score():
    won = np.array([[3, 1, 0], [2, 2, 1], [3, 0, 0], [2, 1, 0]])
    decided = np.array([[4, 3, 1], [3, 4, 2], [4, 3, 0], [3, 3, 1]])
    system, annotator, outcome = [], [], []
    for a, s in np.ndindex(4, 3):
        wins = won[a, s]
        losses = decided[a, s] - wins
        system += [s] * decided[a, s]
        annotator += [a] * decided[a, s]
        outcome += [1.0] * wins + [0.0] * losses
    votes = VoteArrays(  # against a fourth system, whose counts do not matter to the others
        ("a", "b", "c", "d"),
        np.array(system),
        np.full(len(system), 3),
        np.array(outcome),
        np.ones(len(system)),
        annotator=np.array(annotator),
        relative_ranking=True,
    )
    total, wins = decided_votes(votes), np.append(won.sum(axis=0), 0)
    near = (wins + 0.5) / (total + 1)
    np.testing.assert_allclose(
        np.log(near / (1 - near))[:3], (0.847298, -0.747214, -0.847298), atol=2e-6
    )
    tests = share_tests(votes, {"annotator": votes.annotator}, wins / total, near, total)
    a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
    t = np.abs(tests.mean[a] - tests.mean[b]) / np.sqrt(tests.variance[a, b])
    p = 2 * student_t.sf(t, tests.df[a, b])
    np.testing.assert_allclose(p, (0.074637, 0.295271, 0.922207), atol=2e-6)
    np.testing.assert_allclose(tests.df[a, b], (2.92, 1.666667, 1.666667), atol=2e-6)


def test_the_least_p_follows_the_decided_votes_of_the_system_with_fewer():
    p = least_p(np.array([2.0, 8, 14, 15, 20]))
    assert p[0, 4] == 0.5
    assert p[1, 4] == 0.0078125
    assert p[2, 3] == pytest.approx(0.000122, abs=5e-7)


def test_order_and_strength_that_cannot_be_separated_allow_no_inference():
    always = votes_of("01 1 ap; 01 0 bp; 01 1 cq; 01 0 dq")
    chain = votes_of("01 1 ap; 01 0 bp; 12 1 cq; 12 0 dq")
    for votes in (always, chain):
        result = infer_votes(votes)
        assert result.no_inference == "order_and_strength"
        assert not result.could_be_first.any()
        assert (result.p == 1).all()
    undeclared = infer_votes(replace(always, order_known=False))
    assert undeclared.no_inference == ""
    assert "order_unknown" in undeclared.notes


def test_a_first_column_that_wins_every_decided_vote_gives_no_order():
    winners = votes_of("01 1 ap; 10 1 bp; 12 1 cq; 21 1 dq; 02 1 ar; 20 0.5 br")
    result = infer_votes(winners)
    assert result.order_effect is None
    assert "order_unknown" in result.notes


def test_a_fit_without_a_finite_maximum_allows_no_inference():
    votes = votes_of("01 1 ap; 01 1 bq; 01 0 cr; 10 0 dp; 10 0 aq; 10 0 br")
    assert infer_votes(votes).no_inference == "no_finite_fit"
    assert infer_votes(replace(votes, order_known=False)).no_inference == ""


def test_only_ties_allow_no_inference():
    votes = votes_of("01 0.5 ap; 10 0.5 bq; 01 0.5 cr; 10 0.5 dp")
    assert infer_votes(votes).no_inference == "no_finite_fit"
    result = infer_votes(replace(votes, relative_ranking=True, order_known=False))
    assert not result.assessable.any()


@pytest.mark.parametrize("relative", [False, True])
def test_what_is_named_decides_the_units(relative):
    votes = replace(A, relative_ranking=relative, order_known=not relative)
    single = np.zeros(24, int)
    for annotator, question, unit in (
        (A.annotator, A.question, "annotator x question"),
        (A.annotator, None, "annotator"),
        (None, A.question, "question"),
        (single, A.question, "question"),  # a judge model
        (A.annotator, single, "annotator"),
        (None, None, ""),
        (single, None, ""),
        (None, single, ""),
    ):
        result = infer_votes(replace(votes, annotator=annotator, question=question))
        assert result.unit == unit
        assert (result.no_inference == "unnamed_votes") == (unit == "")


def test_units_on_request():
    assert infer_votes(replace(A, annotator=None, question=None), "vote").unit == "vote"
    with pytest.raises(DataError) as error:
        infer_votes(replace(A, question=None), "question")
    assert error.value.code == "unknown_unit"


def test_a_judge_model_equals_questions_alone():
    judge = infer_votes(replace(A, annotator=np.zeros(24, int)))
    alone = infer_votes(A, "question")
    np.testing.assert_array_equal(judge.p, alone.p)


def test_two_annotators_cannot_be_assessed_but_have_second_answers():
    votes = random_votes(7)
    votes = replace(votes, annotator=votes.annotator % 2)
    assert not infer_votes(votes).assessable.any()
    found = second_answers(votes)
    assert {kind: each.unit for kind, each in found.items()} == {
        "question": "question",
        "annotator": "annotator",
    }
    assert found["question"].assessable.all()
    assert not found["annotator"].assessable.any()
    assert second_answers(replace(votes, question=None)) == {}


def test_one_vote_per_question_leaves_the_larger_variance():
    votes = random_votes(8, size=300)
    votes = replace(votes, question=np.arange(300))
    both, by_annotator, by_question = (
        infer_votes(votes, unit) for unit in (None, "annotator", "question")
    )
    larger = np.maximum(by_annotator.variance, by_question.variance)
    np.testing.assert_allclose(both.variance, larger, atol=1e-12)


def test_both_orders_of_a_question_by_an_annotator_are_one_cell():
    votes = random_votes(9, size=240)
    twice = rows(votes, np.tile(np.arange(240), 2))
    swapped = replace(
        twice,
        first=np.append(votes.first, votes.second),
        second=np.append(votes.second, votes.first),
        outcome=np.append(votes.outcome, 1 - votes.outcome),
    )
    cells = np.unique(votes.annotator * 1000 + votes.question, return_inverse=True)[1]
    by_cell = infer_votes(replace(swapped, annotator=np.tile(cells, 2), question=None))
    by_vote = infer_votes(replace(swapped, annotator=None, question=None), "vote")
    assert by_cell.units["annotator"] == len(np.unique(cells))
    # votes as units take the two orders for independent, and halve the variance
    pair = np.triu_indices(5, 1)
    assert np.median(by_cell.variance[pair] / by_vote.variance[pair]) > 1.5


def test_a_question_with_most_votes_counts_as_little_more_than_one():
    rng = np.random.default_rng(2)
    question = np.append(np.zeros(5000, int), np.repeat(np.arange(1, 20), 10))
    votes = replace(
        random_votes(10, n=2, size=len(question)),
        question=question,
        annotator=rng.integers(0, 50, len(question)),
    )
    result = infer_votes(votes)
    assert result.effective["question"].max() == pytest.approx(1.08, abs=0.03)
    assert set(result.reasons.values()) == {"few_questions"}
    assert "unit_with_half" in result.notes


@pytest.mark.parametrize("relative", [False, True])
def test_a_question_with_ties_only_adds_no_units(relative):
    votes = replace(random_votes(14), relative_ranking=relative, order_known=not relative)
    before = infer_votes(votes)
    tied = rows(votes, np.append(np.arange(400), np.arange(200)))
    added = np.arange(600) >= 400
    after = infer_votes(
        replace(
            tied,
            outcome=np.where(added, 0.5, tied.outcome),
            question=np.where(added, 30, tied.question),
        )
    )
    assert after.units["question"] == before.units["question"] + 1
    for kind in before.effective:
        np.testing.assert_allclose(
            by_code(after, after.effective[kind]), by_code(before, before.effective[kind])
        )
    np.testing.assert_allclose(pairs_by_code(after, after.df), pairs_by_code(before, before.df))


@pytest.mark.parametrize("relative", [False, True])
def test_questions_with_ties_only_lower_no_p_below_that_of_the_decided_votes(relative):
    votes = replace(random_votes(14), relative_ranking=relative, order_known=not relative)
    few = rows(votes, np.arange(30))
    before = infer_votes(few)
    tied = rows(few, np.append(np.arange(30), np.tile(np.arange(30), 20)))
    added = np.arange(len(tied.first)) >= 30
    after = infer_votes(
        replace(
            tied,
            outcome=np.where(added, 0.5, tied.outcome),
            question=np.where(added, 100 + np.arange(len(added)), tied.question),
        )
    )
    decided = few.outcome != 0.5
    both = np.append(few.first[decided], few.second[decided])
    number = np.bincount(both, minlength=5)
    least = 2.0 ** (1 - np.minimum.outer(number, number))
    p = pairs_by_code(after, after.p)
    assert (p >= np.minimum(least, 1)[np.triu_indices(5, 1)] - 1e-12).all()
    assert (after.better <= before.better).all() and after.reasons == before.reasons


def test_few_questions_are_named():
    rng = np.random.default_rng(3)
    votes = replace(random_votes(11, size=4000), question=rng.integers(0, 4, 4000))
    worth = rng.normal(0, 2, (4, 5))[votes.question]
    gap = worth[np.arange(4000), votes.first] - worth[np.arange(4000), votes.second]
    votes = replace(votes, outcome=(gap + rng.logistic(size=4000) > 0).astype(float))
    result = infer_votes(votes)
    assert "few_questions" in result.notes
    assert result.extra["details"]["few_questions"]["number"] == 4
    assert "few_questions" not in infer_votes(random_votes(11)).notes


@pytest.mark.parametrize("relative", [False, True])
def test_the_order_of_rows_and_split_votes_change_nothing(relative):
    votes = replace(random_votes(3), relative_ranking=relative, order_known=not relative)
    before = infer_votes(votes)
    shuffled = infer_votes(rows(votes, np.random.default_rng(1).permutation(400)))
    np.testing.assert_allclose(before.p, shuffled.p, atol=1e-12)
    halves = rows(votes, np.repeat(np.arange(400), 2))
    split = infer_votes(replace(halves, weight=halves.weight / 2))
    np.testing.assert_allclose(before.variance, split.variance, atol=1e-9)
    np.testing.assert_allclose(before.p, split.p, atol=1e-9)
    np.testing.assert_array_equal(before.better, split.better)


@pytest.mark.parametrize("relative", [False, True])
def test_names_and_codes_of_systems_and_units_change_nothing(relative):
    votes = replace(random_votes(6), relative_ranking=relative, order_known=not relative)
    code = np.array([3, 0, 4, 1, 2])
    names = [""] * 5
    for old, new in enumerate(code):
        names[new] = votes.systems[old]
    renamed = replace(
        votes,
        systems=tuple(names),
        first=code[votes.first],
        second=code[votes.second],
        annotator=100 - votes.annotator,
        question=votes.question * 7 + 2,
    )
    before, after = infer_votes(votes), infer_votes(renamed)
    assert before.systems == after.systems
    np.testing.assert_allclose(before.p, after.p, atol=1e-10)


def test_a_swapped_vote_without_order_changes_nothing():
    votes = replace(random_votes(12), order_known=False)
    swap = np.arange(400) % 3 == 0
    swapped = replace(
        votes,
        first=np.where(swap, votes.second, votes.first),
        second=np.where(swap, votes.first, votes.second),
        outcome=np.where(swap, 1 - votes.outcome, votes.outcome),
    )
    np.testing.assert_allclose(infer_votes(votes).p, infer_votes(swapped).p, atol=1e-10)


@pytest.mark.parametrize("relative", [False, True])
def test_a_system_that_nobody_compared_changes_no_statement(relative):
    votes = replace(random_votes(4), relative_ranking=relative, order_known=not relative)
    before = infer_votes(votes)
    after = infer_votes(replace(votes, systems=(*votes.systems, "z")))
    assert after.systems == (*before.systems, "z")
    np.testing.assert_array_equal(after.better[:5, :5], before.better)
    assert after.reasons == {"z": "few_annotators" if relative else "not_connected"}


def test_a_system_that_wins_every_vote_is_outside_the_largest_group():
    votes = random_votes(5)
    winner = np.flatnonzero(votes.first == 0)[:6]
    beats_all = rows(votes, np.append(np.arange(400), winner))
    first = beats_all.first.copy()
    first[-6:] = 5
    outcome = beats_all.outcome.copy()
    outcome[-6:] = 1
    result = infer_votes(replace(beats_all, systems=(*"abcdef",), first=first, outcome=outcome))
    assert result.reasons == {"f": "not_connected"}
    np.testing.assert_array_equal(result.better[:5, :5], infer_votes(votes).better)


def test_influences_by_sparse_sums_equal_dense_ones():
    votes = random_votes(13, n=4, size=120)
    fit = fit_davidson(tabulate(votes), with_order=True)
    lead, tie = fit.residuals(votes)
    found = sums_of_strengths(votes, votes.annotator, lead, tie, fit)
    scores, held = np.zeros((12, 6)), np.zeros((12, 5))
    for k in range(120):
        unit = votes.annotator[k]
        is_decided = votes.outcome[k] != 0.5
        for system, sign in ((votes.first[k], 1), (votes.second[k], -1)):
            scores[unit, system] += sign * lead[k]
            held[unit, system] += is_decided
        scores[unit, 4] += lead[k]
        scores[unit, 5] += tie[k]
        held[unit, 4] += is_decided
    share = held / held.sum(axis=0)
    number = (share > 0).sum(axis=0)
    influence = (scores @ fit.inverse)[:, :5] / (1 - share) * np.sqrt((number - 1) / number)
    np.testing.assert_allclose(found.covariance, influence.T @ influence, atol=1e-12)
    np.testing.assert_allclose(found.effective, 1 / (share**2).sum(axis=0))
