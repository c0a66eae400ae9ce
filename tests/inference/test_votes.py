"""Votes and relative rankings: oracles computed with independent code, and properties."""

from dataclasses import replace

import numpy as np
import pytest
from rankstability.inference.votes import infer_votes, second_answers, test_shares
from rankstability.ranking.davidson import fit_davidson, order_is_separable, tabulate
from rankstability.scores.arrays import VoteArrays

test_shares.__test__ = False
TEXT = """01 1 ap; 12 1 ap; 20 0.5 aq; 02 1 aq; 10 1 ar; 21 0 as;
01 1 bp; 02 1 bp; 21 1 bq; 10 0 br; 12 0.5 br; 20 1 bs;
10 0 cp; 21 0 cq; 02 1 cq; 01 0 cr; 12 1 cs; 20 0.5 cs;
01 1 dp; 12 0 dq; 20 0 dr; 10 0.5 dr; 02 1 ds; 21 1 ds"""
NEW = "; 30 1 ap; 13 1 bq; 32 0.5 cr"


def votes_of(text, **fields):
    rows = [part.split() for part in text.replace("\n", " ").split(";") if part.strip()]
    first = np.array([int(row[0][0]) for row in rows])
    second = np.array([int(row[0][1]) for row in rows])
    annotator = np.array(["abcd".index(row[2][0]) for row in rows]) if len(rows[0]) > 2 else None
    question = np.array(["pqrs".index(row[2][1]) for row in rows]) if len(rows[0]) > 2 else None
    n = int(max(first.max(), second.max())) + 1
    outcome = np.array([float(row[1]) for row in rows])
    return VoteArrays(
        systems=tuple("0123"[:n]),
        first=first,
        second=second,
        outcome=outcome,
        weight=np.ones(len(rows)),
        annotator=annotator,
        question=question,
        **fields,
    )


A = votes_of(TEXT)
ORDER = {  # the order effect: o, variance, df, low, high, p, share
    "A": (0.76036, 0.308462, 2.921569, -1.034298, 2.555018, 0.266736, 0.681432),
    "C": (0.76036, 0.286507, 3.0, -0.943087, 2.463807, 0.250549, 0.681432),
    "D": (0.76036, 0.308462, 2.921569, -1.034298, 2.555018, 0.266736, 0.681432),
    "E": (0.76036, 0.327469, 3.0, -1.060791, 2.581512, 0.275965, 0.681432),
    "G": (0.912653, 0.341963, 2.84127, -1.008587, 2.833892, 0.221475, 0.713543),
}
RUNS = {
    "A": (A, None),
    "B": (replace(A, order_known=False), None),
    "C": (A, "annotator"),
    "D": (A, "question"),
    "E": (replace(A, question=np.arange(24)), None),
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
USED = {  # V of the pairs 01, 02, 12; run G 01, 02, 03, 12, 13, 23
    "A": (1.123571, 0.519376, 1.400868),
    "B": (1.184893, 0.643314, 1.169309),
    "C": (0.98608, 0.089218, 1.400868),
    "D": (0.874585, 0.519376, 0.162898),
    "E": (0.98608, 0.54879, 1.400868),
    "G": (1.04727, 0.208935, 3.139619, 1.244399, 3.086943, 3.64777),
}
DF = {
    "A": (2.44898, 2.072727, 2.072727),
    "G": (2.266667, 2.072727, 1, 2.072727, 1, 1),
}
P = {
    "A": (0.389675, 0.173713, 0.785037),
    "G": (0.448057, 0.095461, 0.659145, 0.750395, 0.957442, 0.905002),
}


def by_code(result, values):
    """Square values in the order of codes instead of ranks, above the diagonal."""
    n = len(result.systems)
    out = np.empty((n, n))
    out[np.ix_(result.codes, result.codes)] = values
    return out[np.triu_indices(n, 1)]


@pytest.mark.parametrize("run", RUNS)
def test_strengths_and_variances_equal_an_independent_computation(run):
    votes, unit = RUNS[run]
    result = infer_votes(votes, unit)
    mean = np.empty(len(result.systems))
    mean[result.codes] = result.mean
    np.testing.assert_allclose(mean, STRENGTH[run], atol=2e-6)
    np.testing.assert_allclose(by_code(result, result.variance), USED[run], atol=2e-6)
    if run in DF:
        np.testing.assert_allclose(by_code(result, result.df), DF[run], atol=2e-6)
    if run == "A":
        np.testing.assert_allclose(by_code(result, result.p), P[run], atol=2e-6)
        np.testing.assert_allclose(
            result.effective["annotator"], (3.930233, 3.92, 3.930233), atol=2e-6
        )


@pytest.mark.parametrize("run", ORDER)
def test_the_order_effect_equals_an_independent_computation(run):
    votes, unit = RUNS[run]
    found = infer_votes(votes, unit).order_effect
    effect, _, df, low, high, p, share = ORDER[run]
    values = (found.effect, found.df, found.low, found.high, found.p, found.first_wins)
    np.testing.assert_allclose(values, (effect, df, low, high, p, share), atol=5e-6)


def test_a_system_with_two_decided_votes_cannot_be_assessed():
    result = infer_votes(*RUNS["G"])
    assert result.systems[-1] == "3"
    assert not result.assessable[-1]
    assert result.reasons == {"3": "few_annotators"} or result.reasons == {"3": "few_questions"}


def test_shares_and_the_second_score_equal_an_independent_computation():
    votes = replace(A, relative_ranking=True, order_known=False)
    result = infer_votes(votes)
    np.testing.assert_allclose(
        by_code(result, result.variance), (2.47494, 1.200782, 2.614844), atol=2e-6
    )
    np.testing.assert_allclose(by_code(result, result.df), (2.44898, 2.072727, 2.072727), atol=2e-6)
    np.testing.assert_allclose(by_code(result, result.p), (0.461654, 0.235852, 0.794140), atol=2e-6)


def test_order_and_strength_that_cannot_be_separated_allow_no_inference():
    always = votes_of("01 1 ap; 01 0 bp; 01 1 cq; 01 0 dq")
    chain = votes_of("01 1 ap; 01 0 bp; 12 1 cq; 12 0 dq")
    circle = votes_of("01 1 ap; 12 0 bp; 02 1 cq; 01 0 dq")
    assert infer_votes(always).no_inference == "order_and_strength"
    assert infer_votes(chain).no_inference == "order_and_strength"
    assert order_is_separable(tabulate(circle))
    undeclared = infer_votes(replace(always, order_known=False))
    assert undeclared.no_inference == ""


def test_a_fit_without_a_finite_maximum_allows_no_inference():
    votes = votes_of("01 1 ap; 01 1 bq; 01 0 cr; 10 0 dp; 10 0 aq; 10 0 br")
    assert fit_davidson(tabulate(votes), with_order=True) is None
    assert infer_votes(votes).no_inference == "no_finite_fit"
    assert infer_votes(replace(votes, order_known=False)).no_inference == ""


def test_nothing_is_said_without_annotators_and_questions():
    assert infer_votes(replace(A, annotator=None, question=None)).no_inference == "no_units"
    one = replace(A, annotator=np.zeros(24, int), question=None)
    assert infer_votes(one).no_inference == "no_units"
    judge = replace(A, annotator=np.zeros(24, int))
    assert infer_votes(judge).unit == "question"


def random_votes(seed, n=5, size=400):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, size)
    second = (first + rng.integers(1, n, size)) % n
    gap = (second - first) * 0.4 + rng.logistic(size=size)
    outcome = np.where(np.abs(gap) < 0.3, 0.5, (gap > 0).astype(float))
    return VoteArrays(
        systems=tuple("abcde"[:n]),
        first=first,
        second=second,
        outcome=outcome,
        weight=np.ones(size),
        annotator=rng.integers(0, 12, size),
        question=rng.integers(0, 30, size),
    )


def rows(votes, take):
    fields = ("first", "second", "outcome", "weight", "annotator", "question")
    return replace(votes, **{name: getattr(votes, name)[take] for name in fields})


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


def test_a_system_that_nobody_compared_changes_no_statement():
    votes = random_votes(4)
    before = infer_votes(votes)
    after = infer_votes(replace(votes, systems=(*votes.systems, "z")))
    assert after.systems == (*before.systems, "z")
    np.testing.assert_array_equal(after.better[:5, :5], before.better)
    assert after.reasons == {"z": "not_connected"}


def test_second_answers_are_by_one_kind_of_unit_each():
    found = second_answers(random_votes(5))
    assert {kind: each.unit for kind, each in found.items()} == {
        "question": "question",
        "annotator": "annotator",
    }
