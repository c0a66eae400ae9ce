"""Simulated studies and their stability: a slow version, values by hand, and published counts."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rankstability import perturb
from rankstability.errors import DataError
from rankstability.io.load import load
from rankstability.judgments import Judgments
from rankstability.perturb import keep
from rankstability.stability import srp as measures
from rankstability.stability import studies
from rankstability.stability.srp import least_entropy, srp
from rankstability.stability.studies import Design, rated_items
from real import real_data

BUCKETS = ((3, (0, 1, 2)), (4, (1, 2, 3)))


def simulated(seed=0, systems=4, buckets=BUCKETS):
    """A small MQM campaign: each bucket is (documents, annotators)."""
    rng = np.random.default_rng(seed)
    rows = []
    document = segment = 0
    for n_documents, annotators in buckets:
        for _ in range(n_documents):
            for _ in range(rng.integers(1, 5)):
                for s in range(systems):
                    difficulty = rng.normal()
                    for r in annotators:
                        mean = (1 + 0.3 * s + 0.3 * difficulty) * (1.5 + 0.5 * r)
                        weights = np.where(rng.random(rng.poisson(max(0.1, mean))) < 0.3, 5, 1)
                        row = (f"S{s}", f"d{document}", segment, f"r{r}")
                        rows.append((*row, -float(weights.sum()), len(weights)))
                segment += 1
            document += 1
    columns = [*perturb.RATING, "score", "n_errors"]
    return Judgments(pd.DataFrame(rows, columns=columns), "mqm")


# ---------------------------------------------------------------- the slow, obvious version


def slow_study(judgments, items, design, documents, choice, signs):
    """One study from segment scores: normalise each rating, average, rank, permute."""
    table = list(combinations(range(items.ratings_per_item), design.ratings_per_item))
    scores = judgments.table.assign(y=-judgments.table["score"])
    parts = []
    for s, system in enumerate(items.systems):
        for position, d in enumerate(documents):
            for k in table[choice[s, position]]:
                chosen = scores["system"] == system
                chosen &= scores["document"] == items.documents[d]
                chosen &= scores["annotator"] == items.annotators[items.annotator_of[d, k]]
                parts.append(scores[chosen])
    study = pd.concat(parts, ignore_index=True)
    study["y"] = slow_normalise(study, design.normalisation)
    each = study.groupby(["system", "document", "segment"], as_index=False)["y"].mean()
    p = []
    for a, b in combinations(items.systems, 2):
        left, right = (
            each[each["system"] == name].set_index(["document", "segment"])["y"] for name in (a, b)
        )
        gap = left - right
        sign_of = [
            dict(zip([items.documents[d] for d in documents], x, strict=True)) for x in signs
        ]
        document = gap.index.get_level_values(0)
        extreme = [abs((gap * document.map(x).to_numpy()).mean()) for x in sign_of]
        p.append(np.mean(np.array(extreme) >= abs(gap.mean()) - 1e-12))
    return each.groupby("system")["y"].mean().to_numpy(), np.array(p)


def slow_normalise(study, how):
    """Section 6.1.3, rating by rating."""
    y = study["y"].copy()
    by_annotator = study.groupby("annotator")["y"]
    if how == "z":
        return (y - by_annotator.transform("mean")) / by_annotator.transform("std")
    if how in ("mean", "error"):
        y = y * y.mean() / by_annotator.transform("mean")
    if how == "error":
        before = y.mean()
        y = y * study.groupby("annotator")["n_errors"].transform("sum")
        y = y * before / y.mean()
    return y


def slow_srp(means, p, alpha):
    """Equations 1 and 2 by loops; lower is better."""
    n, n_systems = means.shape
    pairs = list(combinations(range(n_systems), 2))
    stable = []
    for first in range(n):
        for second in range(n):
            if first == second:
                continue
            agrees = True
            for q, (i, j) in enumerate(pairs):
                for a, b in ((i, j), (j, i)):
                    if p[first, q] <= alpha and means[first, a] < means[first, b]:
                        agrees &= means[second, a] < means[second, b]
            stable.append(agrees)
    return np.mean(stable)


@pytest.mark.parametrize(
    "design",
    [
        Design("pSxS", documents=6),
        Design("pSxS", documents=6, normalisation="error"),
        Design("none", documents=7, normalisation="mean"),
        Design("system-balanced", documents=5, normalisation="z"),
        Design("none", documents=6, ratings_per_item=2, normalisation="error"),
        Design("pSxS", load_balance=0.8, documents=6, normalisation="mean"),
        Design("none", load_balance=0.8, documents=7, ratings_per_item=2, normalisation="z"),
    ],
    ids=lambda d: f"{d.grouping}-{d.load_balance}-{d.ratings_per_item}-{d.normalisation}",
)
def test_studies_equal_the_slow_version(design):
    judgments = simulated()
    items = rated_items(judgments)
    design = replace(design, studies=3, permutations=25, studies_per_document_set=2, alpha=0.2)
    rng = np.random.default_rng(5)
    documents = studies.draw_documents(items, design, rng)
    choice, met = studies.assign_annotators(items, design, documents, rng)
    assert met.all()
    sums, segments = studies.score_items(items, design, documents, choice)
    state = rng.bit_generator.state
    results = measures.rank_and_test(sums, segments, items.systems, np.zeros(3, int), design, rng)
    rng.bit_generator.state = state
    signs = measures.draw_signs(3, design.permutations, documents.shape[1], rng)
    for i in range(3):
        means, p = slow_study(judgments, items, design, documents[i], choice[i], signs[i])
        np.testing.assert_allclose(results.means[i], means, atol=1e-9)
        np.testing.assert_array_equal(np.round(results.p[i] * 25), np.round(p * 25))
    expected = slow_srp(results.means, results.p, design.alpha)
    assert measures.measure_stability(results)["srp"] == pytest.approx(expected)


VERSION_0_3 = [  # seed 7, 60 studies, 12 on each document set: srp, its error, equal claims, tau
    ({}, 0.9144067796610169, 0.024063018651665262, 0.8779661016949153, 0.8631511879604543),
    ({"grouping": "none"}, 0.8180790960451978, 0.03235825006305203, 0.6375706214689265, 0.7745359160613394),
    ({"load_balance": 0.7, "normalisation": "z"}, 0.9121468926553672, 0.02003043672222773, 0.880225988700565, 0.8347457627118642),
    ({"grouping": "none", "normalisation": "error"}, 0.8807909604519774, 0.025817764071920133, 0.7937853107344632, 0.825100887812752),
]  # fmt: skip


@pytest.mark.parametrize(("design", "value", "error", "equal", "tau"), VERSION_0_3)
def test_the_numbers_of_version_0_3_are_the_same(design, value, error, equal, tau):
    row = srp(load("demo-mqm", "en-de"), studies=60, seed=7, **design)
    names = ["srp", "standard_error", "srp_equal_claims", "kendall"]
    assert [row[name] for name in names] == pytest.approx([value, error, equal, tau], abs=1e-9)


# ---------------------------------------------------------------- which items count


def test_incomplete_systems_and_documents_are_left_out_and_counted():
    table = simulated(buckets=((4, (0, 1, 2)), (2, (0, 1)))).table
    table = table[~((table["system"] == "S3") & (table["document"] != "d0"))]
    gap = (table["document"] == "d1") & (table["system"] == "S0") & (table["annotator"] == "r0")
    table = table.drop(index=table.index[gap][0])
    complete = keep(Judgments(table, "mqm"), complete_items=True)
    assert sorted(complete.table["document"].unique()) == ["d0", "d2", "d3"]
    codes = ["system_on_few_documents", "incomplete_document", "other_number_of_annotators"]
    assert complete.excluded["code"].tolist() == codes
    assert complete.excluded["rows"].sum() + len(complete.table) == len(table)
    for rows, code in (
        (table[table["document"] == "d1"], "no_complete_document"),
        (table[:0], "no_judgments"),
    ):
        with pytest.raises(DataError) as error:
            keep(Judgments(rows, "mqm"), complete_items=True)
        assert error.value.code == code


def test_buckets_are_documents_with_the_same_annotators_unless_they_are_named():
    table = keep(simulated(), complete_items=True).table
    assert table.groupby("bucket")["document"].nunique().tolist() == [3, 4]
    named = Judgments(simulated().table.assign(bucket="b"), "mqm")
    assert set(keep(named, complete_items=True).table["bucket"]) == {"b"}


def test_errors_that_are_not_given_are_the_fewest_with_that_score():
    table = pd.DataFrame({"score": [0]})
    penalties = np.array([0, 0.1, 1, 4.2, 5, 6.1, 25, 31.3])
    counts = studies._error_counts(table, penalties)
    assert counts.tolist() == [0, 1, 1, 6, 1, 3, 1, 6]


def test_a_scale_on_which_lower_is_better_is_turned():
    judgments = simulated()
    turned = replace(
        judgments,
        table=judgments.table.assign(score=-judgments.table["score"]),
        lower_is_better=True,
    )
    assert srp(judgments, studies=10) == srp(turned, studies=10)


# ---------------------------------------------------------------- designs


@pytest.mark.parametrize("grouping", studies.GROUPINGS)
@pytest.mark.parametrize("ratings_per_item", [1, 2])
def test_full_balance_within_buckets(grouping, ratings_per_item):
    items = rated_items(simulated(systems=5))
    design = Design(grouping, studies=40, documents=6, ratings_per_item=ratings_per_item)
    rng = np.random.default_rng(3)
    documents = studies.draw_documents(items, design, rng)
    choice, met = studies.assign_annotators(items, design, documents, rng)
    assert met.all()
    assert choice.shape == (40, 5, 6)
    for of_study, chosen in zip(documents, choice, strict=True):
        assert len(set(of_study)) == 6
        for bucket in range(2):
            inside = chosen[:, items.bucket_of[of_study] == bucket]
            assert inside.shape[1] == 3  # each bucket gives equally many documents
            loads = np.bincount(inside.ravel(), minlength=3)
            if grouping == "pSxS":
                assert (inside == inside[0]).all()
            if grouping == "system-balanced":
                assert all((np.bincount(row, minlength=3) == 1).all() for row in inside)
            assert loads.max() - loads.min() <= (5 if grouping == "pSxS" else 1)


def workload_entropy(items, documents, choice):
    """Normalised entropy of one study's items over annotators (section 6.1.2), item by item."""
    load = np.zeros(len(items.annotators))
    for of_system in choice:
        for document, k in zip(documents, of_system, strict=True):
            load[items.annotator_of[document, k]] += 1
    return stats.entropy(load) / np.log(len(load))


@pytest.mark.parametrize("grouping", ["pSxS", "none"])
def test_entropy_targets_are_met_or_the_study_is_left_out(grouping):
    judgments = simulated(systems=3, buckets=((8, (0, 1, 2)), (9, (1, 2, 3))))
    items = rated_items(judgments)
    rng = np.random.default_rng(4)
    for target in (0.95, 0.8, 0.65):
        design = Design(grouping, load_balance=target, documents=17, studies=30)
        documents = studies.draw_documents(items, design, rng)
        choice, met = studies.assign_annotators(items, design, documents, rng)
        reached = [
            workload_entropy(items, d, c) for d, c in zip(documents[met], choice[met], strict=True)
        ]
        assert met.mean() > 0.8
        assert np.abs(np.array(reached) - target).max() <= studies.ENTROPY_TOLERANCE
    row = srp(
        judgments, grouping=grouping, load_balance=least_entropy(judgments) - 0.05, studies=30
    )
    assert row["studies"] == 0
    assert np.isnan(row["srp"])


def test_least_entropy_by_hand():
    assert least_entropy(simulated()) == 0  # one annotator can rate both buckets
    apart = simulated(buckets=((3, (0, 1, 2)), (3, (3, 4, 5))))
    assert least_entropy(apart) == pytest.approx(np.log(2) / np.log(6))
    pairs = apart.table[["document", "annotator"]].drop_duplicates()
    assert least_entropy(pairs) == least_entropy(apart)


def test_the_least_entropies_that_riley_prints():
    """Section 6.1.2: seven buckets of 26 or 25 documents in a ring, and two of 91 and 90."""
    for buckets, annotators, step, printed in ((7, 7, 1, 0.51), (2, 6, 3, 0.38)):
        rows = [
            (document, (step * (document % buckets) + k) % annotators)
            for document in range(181)
            for k in range(3)
        ]
        least = least_entropy(pd.DataFrame(rows, columns=["document", "annotator"]))
        assert printed <= least < printed + 0.01


def test_buckets_give_equal_numbers_as_long_as_they_can():
    items = rated_items(simulated(systems=2, buckets=((1, (0, 1)), (3, (1, 2)), (6, (2, 3)))))
    for wanted, shares in ((1, {1}), (3, {1}), (5, {1, 2}), (7, {1, 3}), (10, {1, 3, 6})):
        design = Design(documents=wanted, studies=60, studies_per_document_set=1)
        drawn = studies.draw_documents(items, design, np.random.default_rng(1))
        assert (np.diff(drawn, axis=1) > 0).all()
        for row in drawn:
            held = np.bincount(items.bucket_of[row], minlength=3)
            assert set(held[held > 0].tolist()) == shares
            assert held.sum() == wanted


@pytest.mark.parametrize(
    ("design", "code"),
    [
        ({"grouping": "by system"}, "unknown_grouping"),
        ({"normalisation": "rank"}, "unknown_normalisation"),
        ({"load_balance": "half"}, "bad_load_balance"),
        ({"grouping": "system-balanced", "load_balance": 0.7}, "system_balanced_entropy"),
        ({"documents": 8}, "too_many_documents"),
        ({"documents": 0}, "bad_number"),
        ({"ratings_per_item": 4}, "too_many_ratings_per_item"),
        ({"studies": 0}, "bad_number"),
        ({"alpha": 1.5}, "bad_alpha"),
    ],
)
def test_a_design_that_cannot_be_is_refused(design, code):
    with pytest.raises(DataError) as error:
        srp(simulated(), **design)
    assert error.value.code == code


@pytest.mark.parametrize(
    ("judgments", "code"),
    [
        (pd.DataFrame(), "not_judgments"),
        (Judgments(pd.DataFrame(), "votes"), "wrong_kind"),
        (Judgments(simulated().table.drop(columns="annotator"), "ratings"), "no_annotators_or_documents"),
        (simulated(buckets=((3, (0,)), (2, (1,)))), "one_rating_per_item"),
    ],
)  # fmt: skip
def test_other_judgments_are_refused(judgments, code):
    with pytest.raises(DataError) as error:
        srp(judgments)
    assert error.value.code == code


def test_documents_depend_on_seed_and_numbers_only():
    judgments = simulated()
    same = {"documents": 4, "studies": 10, "permutations": 20}
    assert srp(judgments, **same) == srp(judgments, **same)
    assert srp(judgments, **same) != srp(judgments, seed=1, **same)
    everything = {name: value for name, value in same.items() if name != "documents"}
    assert srp(judgments, **everything) == srp(judgments, documents=7, **everything)


# ---------------------------------------------------------------- tests and measures


def test_permutation_p_approaches_the_exact_one():
    rng = np.random.default_rng(1)
    sums = rng.normal(size=(1, 3, 8)) + np.array([0, 0.5, 1.2])[None, :, None]
    p, _ = measures.permutation_test(sums, 20000, np.random.default_rng(2))
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1)
    for q, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        gap = sums[0, i] - sums[0, j]
        exact = (np.abs(gap @ signs) >= abs(gap.sum()) - 1e-12).mean()
        error = np.sqrt(exact * (1 - exact) / 20000)
        assert p[0, q] == pytest.approx(exact, abs=4 * error + 1e-9)


def test_identical_systems_are_never_significant():
    sums = np.repeat(np.random.default_rng(1).normal(size=(20, 1, 12)), 2, axis=1)
    p, strength = measures.permutation_test(sums, 200, np.random.default_rng(1))
    assert (p == 1).all()
    assert (strength == 0).all()


def results(means, p, sets=None):
    means, p = np.array(means, float), np.array(p, float)
    sets = np.zeros(len(means), int) if sets is None else np.array(sets)
    return measures.StudyResults(("A", "B", "C"), means, p, 1 - p, sets, 0.05)


def test_measures_on_three_studies_by_hand():
    """A < B < C; A < B < C; B < A < C. Only the third finds B significantly better than A."""
    found = measures.measure_stability(
        results(
            [[1, 2, 3], [1, 2, 3], [2, 1, 3]],
            [[0.5, 0.01, 0.02], [0.5, 0.4, 0.5], [0.01, 0.02, 0.05]],
        )
    )
    # the first claims A<C, B<C: true in both others; the second claims nothing: 2; B<A fails twice
    assert found["srp"] == pytest.approx(4 / 6)
    # the first's claims are significant in the third only; the second's none are
    assert found["srp_both_significant"] == pytest.approx(3 / 6)
    # two pairs each: A<C, B<C hold in both; A<B, A<C in the first; B<A, A<C in none
    assert found["srp_equal_claims"] == pytest.approx(3 / 6)
    assert found["significant_pairs"] == pytest.approx(5 / 3)
    assert found["empty_studies"] == pytest.approx(1 / 3)
    assert found["kendall"] == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)


def test_correlations_are_those_of_scipy():
    items = rated_items(simulated())
    design = Design(studies=8, documents=6)
    rng = np.random.default_rng(3)
    documents = studies.draw_documents(items, design, rng)
    found = measures.simulate_studies(items, design, documents, rng)
    found = replace(found, document_set=np.zeros(8, int))
    row = measures.measure_stability(found)
    pairs = list(combinations(found.means, 2))
    assert row["kendall"] == pytest.approx(np.mean([stats.kendalltau(*x).statistic for x in pairs]))
    assert row["pearson"] == pytest.approx(np.mean([stats.pearsonr(*x).statistic for x in pairs]))


def test_only_studies_of_the_same_document_set_are_compared():
    means = [[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]]
    p = np.zeros((4, 3))
    assert measures.measure_stability(results(means, p, [0, 0, 1, 1]))["srp"] == 1
    assert measures.measure_stability(results(means, p))["srp"] == pytest.approx(4 / 12)
    assert np.isnan(measures.measure_stability(results(means, p, [0, 1, 2, 3]))["srp"])


def test_a_claim_without_a_direction_agrees_with_no_study():
    found = results([[1, 1, 3], [1, 2, 3]], [[0.01, 0.5, 0.5], [0.5, 0.5, 0.5]])
    assert found.sign.tolist() == [[0, 1, 1], [1, 1, 1]]
    assert measures.measure_stability(found)["srp"] == 1 / 2  # the second claims nothing


def test_p_at_the_level_is_significant_and_rounding_has_no_sign():
    found = results([[1, 1 + 1e-13, 1 + 1e-6]], [[0.05, 0.0500001, 0.04]])
    assert found.significant.tolist() == [[True, False, True]]
    assert found.sign.tolist() == [[0, 1, 1]]


def test_the_standard_error_is_that_of_repeated_runs():
    items = rated_items(simulated(4, systems=5))
    settings = {"grouping": "none", "studies": 40, "studies_per_document_set": 40, "alpha": 0.2}
    rows = [srp(items, seed=seed, **settings) for seed in range(60)]
    spread = np.std([row["srp"] for row in rows], ddof=1)
    assert np.mean([row["standard_error"] for row in rows]) == pytest.approx(spread, rel=0.4)


# ---------------------------------------------------------------- published and known values


@pytest.mark.parametrize(
    ("pair", "value", "least"), [("en-de", 0.769, 0.571), ("zh-en", 0.716, 0.501)]
)
def test_known_values_of_2023(pair, value, least):
    real_data("wmt23-mqm")
    judgments = load("wmt23-mqm", pair)
    items = rated_items(judgments)
    assert least_entropy(judgments) == pytest.approx(least, abs=5e-4)
    grouped = [srp(items, seed=seed)["srp"] for seed in range(2)]
    free = [srp(items, seed=seed, grouping="none")["srp"] for seed in range(2)]
    assert np.mean(grouped) == pytest.approx(0.96, abs=0.02)
    assert np.mean(free) == pytest.approx(value, abs=0.035)


@pytest.mark.parametrize(
    ("pair", "documents", "grouped", "free"),
    [("en-de", 120, 0.883, 0.524), ("en-zh", 160, 0.890, 0.730)],
)
def test_the_ratings_of_riley_agree_with_an_independent_program(pair, documents, grouped, free):
    """Values of check-results.tsv beside the data; the limit is about three Monte Carlo errors."""
    real_data("wmt22-mqm-columns")
    judgments = load("wmt22-mqm", pair)
    table = judgments.table[judgments.table["system"] != "refA"]
    items = rated_items(judgments.with_table(table))
    assert len(items.systems) == {"en-de": 15, "en-zh": 13}[pair]
    assert srp(items, documents=documents)["srp"] == pytest.approx(grouped, abs=0.04)
    row = srp(items, documents=documents, grouping="none")
    assert row["srp"] == pytest.approx(free, abs=0.08)
    assert row["srp_both_significant"] < 0.03
