"""Studies and SRP against a slow, obvious, segment-level version, and what must not change them."""

from dataclasses import FrozenInstanceError, replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from assessments import made_up
from conftest import needs, real
from companion.legacy.rankcampaigns.mqm import read_mqm
from companion.legacy.rankcompanion.notebooks.srp.raters import minimum_entropy
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import srp
from companion.legacy.rankstability.rank import srp_studies as studies
from companion.legacy.rankstability.rank.significance import draw_signs, permutation_test
from companion.legacy.rankstability.rank.srp_studies import Design
from companion.legacy.rankstability.score import mqm

# ----------------------------------------------------------- the slow, obvious version


def slow_study(frame, data, design, documents, choice, signs):
    """One study from segment scores: normalise each rating, average, rank, permute."""
    scores = mqm.mqm_scores(frame)
    table = list(combinations(range(data.shape[2]), design.ratings_per_item))
    picked = []
    for s, system in enumerate(data.systems):
        for position, d in enumerate(documents):
            for k in table[choice[s, position]]:
                rater = data.raters[data.slots[d, k]]
                rows = scores[
                    (scores["system"] == system)
                    & (scores["document"] == data.documents[d])
                    & (scores["rater"] == rater)
                ]
                picked.append(rows)
    study = pd.concat(picked, ignore_index=True)
    study["y"] = normalise(study, design.normalisation)
    each = study.groupby(["system", "document", "segment"], as_index=False)["y"].mean()
    means = each.groupby("system")["y"].mean()
    p = []
    for a, b in combinations(data.systems, 2):
        left = each[each["system"] == a].set_index(["document", "segment"])["y"]
        right = each[each["system"] == b].set_index(["document", "segment"])["y"]
        gap = left - right
        names = np.array([data.documents[d] for d in documents])
        extreme = 0
        for sign in signs:  # the labels of a whole document are swapped together
            swap = gap.index.get_level_values(0).map(dict(zip(names, sign, strict=True)))
            extreme += abs((gap * swap.to_numpy()).mean()) >= abs(gap.mean()) - 1e-12
        p.append(extreme / len(signs))
    return means.to_numpy(), np.array(p)


def normalise(study, how):
    """Section 6.1.3, rating by rating."""
    y = study["score"].copy()
    of = study.groupby("rater")["score"]
    if how == "z":
        return (y - of.transform("mean")) / of.transform("std")
    if how in ("mean", "error"):
        y = y * y.mean() / of.transform("mean")
    if how == "error":
        errors = study.groupby("rater")["errors"].transform("sum")
        before = y.mean()
        y = y * errors
        y = y * before / y.mean()
    return y


def slow_srp(means, p, alpha):
    """Equations 1 and 2 by loops; lower is better."""
    n, systems = means.shape
    pairs = list(combinations(range(systems), 2))
    stable = total = 0
    for e1 in range(n):
        for e2 in range(n):
            if e1 == e2:
                continue
            total += 1
            ok = True
            for q, (i, j) in enumerate(pairs):
                for a, b in ((i, j), (j, i)):
                    if p[e1, q] <= alpha and means[e1, a] < means[e1, b]:
                        ok &= means[e2, a] < means[e2, b]
            stable += ok
    return stable / total


@pytest.mark.parametrize(
    "design",
    [
        Design("pSxS", documents=6),
        Design("pSxS", documents=6, normalisation="error"),
        Design("none", documents=7, normalisation="mean"),
        Design("system-balanced", documents=5, normalisation="z"),
        Design("none", documents=6, ratings_per_item=2, normalisation="error"),
        Design("none", documents=6, ratings_per_item=2, normalisation="z"),
        Design("pSxS", balance=0.8, documents=6, normalisation="mean"),
        Design("none", balance=0.8, ratings_per_item=2, normalisation="z"),
    ],
    ids=lambda d: f"{d.grouping}-{d.balance}-{d.ratings_per_item}-{d.normalisation}",
)
def test_fast_agrees_with_slow(design):
    frame = made_up()
    data = mqm.ratings(frame)
    design = replace(design, studies=3, permutations=25, per_document_set=2, alpha=0.2)
    rng = np.random.default_rng(5)
    documents = studies.draw_documents(data, design, rng)
    choice, done = studies.assign(data, design, documents, rng)
    assert done.all()
    sums, segments = studies.item_scores(data, design, documents, choice)
    state = rng.bit_generator.state
    found = srp.rank_and_test(sums, segments, data.systems, np.zeros(3, int), design, rng)
    rng.bit_generator.state = state
    signs = draw_signs(3, design.permutations, documents.shape[1], rng)
    for i in range(3):
        means, p = slow_study(frame, data, design, documents[i], choice[i], signs[i])
        np.testing.assert_allclose(found.means[i], means, atol=1e-9)
        np.testing.assert_array_equal(np.round(found.p[i] * 25), np.round(p * 25))
    assert srp.stability(found)["srp"] == pytest.approx(
        slow_srp(found.means, found.p, design.alpha)
    )


# ----------------------------------------------------------- the permutation test itself


def test_permutation_p_approaches_the_exact_one():
    rng = np.random.default_rng(1)
    sums = rng.normal(size=(1, 3, 8)) + np.array([0, 0.5, 1.2])[None, :, None]
    p, _ = permutation_test(sums, 20000, np.random.default_rng(2))
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1)
    for q, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        gap = sums[0, i] - sums[0, j]
        exact = (np.abs(gap @ signs) >= abs(gap.sum()) - 1e-12).mean()
        assert p[0, q] == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20000) + 1e-9)


def test_identical_systems_are_never_significant():
    sums = np.repeat(np.random.default_rng(1).normal(size=(20, 1, 12)), 2, axis=1)
    p, strength = permutation_test(sums, 200, np.random.default_rng(1))
    assert (p == 1).all() and (strength == 0).all()


# ----------------------------------------------------------- studies


@pytest.mark.parametrize("grouping", studies.GROUPINGS)
@pytest.mark.parametrize("ratings_per_item", [1, 2])
def test_full_balance_and_buckets(grouping, ratings_per_item):
    data = mqm.ratings(made_up(systems=5))
    design = Design(grouping, studies=40, documents=6, ratings_per_item=ratings_per_item)
    rng = np.random.default_rng(3)
    documents = studies.draw_documents(data, design, rng)
    choice, done = studies.assign(data, design, documents, rng)
    assert done.all() and choice.shape == (40, 5, 6)
    bucket = {int(d): b for b, members in enumerate(data.buckets) for d in members}
    for docs, chosen in zip(documents, choice, strict=True):
        assert len(set(docs)) == 6
        for b in range(2):
            inside = chosen[:, [bucket[int(d)] == b for d in docs]]
            assert inside.shape[1] == 3  # each bucket gives equally many documents
            if grouping == "pSxS":
                assert (inside == inside[0]).all()  # all systems of a document together
                loads = np.bincount(inside[0], minlength=3)
                assert loads.max() - loads.min() <= 1
            elif grouping == "system-balanced":
                each = np.array([np.bincount(row, minlength=3) for row in inside])
                assert (each == 1).all()  # every rater has one output of each system
            else:
                loads = np.bincount(inside.ravel(), minlength=3)
                assert loads.max() - loads.min() <= 1


def test_every_rater_is_as_likely():
    data = mqm.ratings(made_up())
    for design in (Design("pSxS"), Design("none"), Design("system-balanced")):
        rng = np.random.default_rng(8)
        documents = studies.draw_documents(data, replace(design, studies=3000), rng)
        choice, _ = studies.assign(data, design, documents, rng)
        share = np.array([(choice == k).mean(axis=0) for k in range(3)])
        assert np.abs(share - 1 / 3).max() < 0.05


def work_entropy(data, documents, choice):
    """Normalised entropy of one study's items over raters (section 6.1.2), item by item."""
    work = np.zeros(len(data.raters))
    for of_system in choice:
        for document, k in zip(documents, of_system, strict=True):
            work[data.slots[document, k]] += 1
    share = work[work > 0] / work.sum()
    return -(share * np.log(share)).sum() / np.log(len(data.raters))


@pytest.mark.parametrize("grouping", ["pSxS", "none"])
def test_entropy_targets_are_met_or_reported(grouping):
    data = mqm.ratings(made_up(systems=3, buckets=((8, (0, 1, 2)), (9, (1, 2, 3)))))
    least = minimum_entropy(data)
    rng = np.random.default_rng(4)
    for target in (0.95, 0.8, 0.65):
        design = Design(grouping, balance=target, studies=30)
        documents = studies.draw_documents(data, design, rng)
        choice, done = studies.assign(data, design, documents, rng)
        reached = np.array(
            [work_entropy(data, d, c) for d, c in zip(documents, choice, strict=True)]
        )
        assert done.mean() > 0.8
        assert np.abs(reached[done] - target).max() <= studies.TOLERANCE
    row = srp.srp(data, Design(grouping, balance=least - 0.05, studies=30), seed=1)
    assert row["studies"] == 0 and np.isnan(row["srp"])


@pytest.mark.parametrize("late", [None, 6])
def test_a_target_is_given_up_after_three_attempts_that_no_study_met(monkeypatch, late):
    """Else for studies on their own: one met at the third attempt, one at a late one, are kept."""
    data, design = mqm.ratings(made_up()), Design(balance=0.5, documents=2, studies=3)
    documents = np.array([[0, 3], [1, 4], [2, 5]])
    tried = []

    def toward(data, units, table, target, rng):
        tried.append(len(units) // 4)
        reached, drawn = np.full(len(units), 0.9), np.zeros(units.shape, np.int8)
        if late and len(tried) in (3, late):
            reached[2], drawn[2] = target, len(tried) % 2 + 1  # of the first study that waits
        return drawn, reached

    monkeypatch.setattr(studies, "_toward", toward)
    choice, done = studies.assign(data, design, documents, np.random.default_rng(0))
    if not late:
        assert tried == [3, 3, 3] and not done.any()
    else:
        assert tried == [3] * 3 + [2] * 3 + [1] * (studies.ROUNDS - 6)
        assert done.tolist() == [True, True, False]
        assert (choice[0] == 2).all() and (choice[1] == 1).all()


def test_minimum_entropy_by_hand():
    """Both buckets share raters 1 and 2: one of them can do all the work."""
    assert minimum_entropy(mqm.ratings(made_up())) == 0
    apart = mqm.ratings(made_up(buckets=((3, (0, 1, 2)), (3, (3, 4, 5)))))
    assert minimum_entropy(apart) == pytest.approx(np.log(2) / np.log(6))


def test_wrong_designs_are_refused():
    with pytest.raises(DataError, match="pSxS, system-balanced, none"):
        Design("by system")
    with pytest.raises(DataError, match="fully balanced"):
        Design("system-balanced", balance=0.7)
    data = mqm.ratings(made_up())
    for design in (Design(documents=99), Design(ratings_per_item=4)):
        with pytest.raises(DataError, match="not that many"):
            srp.srp(data, design, seed=1)


# ----------------------------------------------------------- the measures


def outcome(means, p, sets=None):
    means, p = np.array(means, float), np.array(p, float)
    sets = np.zeros(len(means), int) if sets is None else np.array(sets)
    return srp.Outcome(("A", "B", "C"), means, p, 1 - p, sets, 0.05)


def test_measures_on_three_studies_by_hand():
    """A < B < C; A < B < C; B < A < C. Only the third claims B better than A."""
    found = outcome(
        [[1, 2, 3], [1, 2, 3], [2, 1, 3]],
        [[0.5, 0.01, 0.02], [0.5, 0.4, 0.5], [0.01, 0.02, 0.05]],
    )
    result = srp.stability(found)
    # e1 claims A<C, B<C: true in both others; e2 claims nothing: 2; e3's B<A fails twice
    assert result["srp"] == pytest.approx(4 / 6)
    # both significant: e1's claims are significant in e3 only; e2's two are empty
    assert result["srp_both"] == pytest.approx(3 / 6)
    # two pairs each: e1's A<C, B<C hold in both; e2's A<B, A<C in e1; e3's B<A, A<C in none
    assert result["srp_equal_claims"] == pytest.approx(3 / 6)
    assert result["significant_pairs"] == pytest.approx(5 / 3)
    assert result["empty_share"] == pytest.approx(1 / 3)
    assert result["kendall"] == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)


def test_kendall_and_pearson_are_scipys():
    from scipy import stats

    rng = np.random.default_rng(3)
    found = srp.simulate(mqm.ratings(made_up()), Design(studies=8, documents=6), rng)
    found = replace(found, sets=np.zeros(8, int))
    result = srp.stability(found)
    pairs = list(combinations(range(8), 2))
    tau = [stats.kendalltau(found.means[a], found.means[b]).statistic for a, b in pairs]
    r = [stats.pearsonr(found.means[a], found.means[b]).statistic for a, b in pairs]
    assert result["kendall"] == pytest.approx(np.mean(tau))
    assert result["pearson"] == pytest.approx(np.mean(r))


def test_only_studies_on_the_same_documents_are_compared():
    means = [[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]]
    p = np.zeros((4, 3))
    assert srp.stability(outcome(means, p, [0, 0, 1, 1]))["srp"] == 1
    assert srp.stability(outcome(means, p))["srp"] == pytest.approx(4 / 12)
    assert np.isnan(srp.stability(outcome(means, p, [0, 1, 2, 3]))["srp"])


def test_the_standard_error_is_that_of_repeated_runs():
    data = mqm.ratings(made_up(4, systems=5))
    rows = [srp.srp(data, Design("none", studies=40, alpha=0.2), seed=s) for s in range(60)]
    spread = np.std([r["srp"] for r in rows], ddof=1)
    assert np.mean([r["se"] for r in rows]) == pytest.approx(spread, rel=0.4)


# ----------------------------------------------------------- known values on real data


@needs("wmt23-mqm")
@pytest.mark.parametrize(
    ("file", "pair", "none", "least"),
    [("ende", "en-de", 0.769, 0.571), ("zhen", "zh-en", 0.716, 0.501)],
)
def test_known_values(file, pair, none, least):
    path = real("wmt23-mqm") / f"sxs_mqm_generalMT2023_{file}.3ratingsPerSegment.tsv.tar.gz"
    data = mqm.ratings(read_mqm(path, pair))
    assert minimum_entropy(data) == pytest.approx(least, abs=5e-4)
    grouped = [srp.srp(data, Design(), seed=s)["srp"] for s in range(2)]
    free = [srp.srp(data, Design("none"), seed=s)["srp"] for s in range(2)]
    assert np.mean(grouped) == pytest.approx(0.96, abs=0.02)
    assert np.mean(free) == pytest.approx(none, abs=0.035)


@pytest.mark.parametrize("sets", [1, 2, 5])
def test_the_error_of_a_mean_is_between_sets_or_by_the_jackknife_over_studies(sets):
    rng = np.random.default_rng(sets)
    mean, values = srp._Mean(4 * sets), rng.uniform(size=(sets, 4, 4))
    for k, matrix in enumerate(values):
        mean.add(np.arange(4 * k, 4 * k + 4), matrix)
    off = ~np.eye(4, dtype=bool)
    of_sets = [matrix[off].mean() for matrix in values]
    assert mean.value == pytest.approx(np.mean(of_sets))
    if sets > 2:
        expected = np.std(of_sets, ddof=1) / np.sqrt(sets)
    else:
        left = []
        for matrix in values:
            for k in range(4):
                rest = np.delete(np.delete(matrix, k, 0), k, 1)
                left.append(rest[~np.eye(3, dtype=bool)].mean())
        expected = np.sqrt((len(left) - 1) * np.var(left))
    assert mean.error == pytest.approx(expected)


def test_the_default_design_is_that_of_the_paper():
    assert Design() == Design("pSxS", "full", "none", 1, 0, 250, 50, 500, 0.05)
    with pytest.raises(FrozenInstanceError):
        Design().studies = 3
    for told, said in (
        ({"balance": "half"}, "unknown balance; found 'half'; expected full, or a number"),
        ({"grouping": "system-balanced", "balance": 1}, "found 1; expected balance = full"),
    ):
        with pytest.raises(DataError, match=said):
            Design(**told)
    assert Design("system-balanced").balance == "full" and Design("none", 1).balance == 1


def test_who_can_rate_an_item_is_every_choice_of_so_many_raters():
    assert studies.options(3, 1).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert studies.options(3, 2).tolist() == [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    assert studies.options(2, 2).tolist() == [[1, 1]]
    for wrong in (0, 3):
        with pytest.raises(DataError, match=f"ratings per item; found {wrong}; expected 1 to 2"):
            studies.options(2, wrong)


def test_buckets_give_as_many_documents_as_they_can():
    data = mqm.ratings(made_up(systems=2, buckets=((1, (0, 1)), (3, (1, 2)), (6, (2, 3)))))
    bucket = np.empty(10, int)
    for b, members in enumerate(data.buckets):
        bucket[members] = b
    sizes = np.bincount(bucket).tolist()
    for wanted, shares in ((1, {1}), (3, {1}), (5, {1, 2}), (7, {1, 3}), (10, set(sizes))):
        design = Design(documents=wanted, studies=60, per_document_set=1)
        drawn = studies.draw_documents(data, design, np.random.default_rng(1))
        assert drawn.shape == (60, wanted) and (np.diff(drawn, axis=1) > 0).all()
        for row in drawn:
            held = np.bincount(bucket[row], minlength=3)
            assert set(held[held > 0].tolist()) == shares and held.sum() == wanted
    one = studies.draw_documents(data, Design(documents=1, studies=80, per_document_set=1),
                                 np.random.default_rng(2))  # fmt: skip
    assert set(bucket[one.ravel()]) == {0, 1, 2}  # from any bucket
    for wrong in (11, -1):
        with pytest.raises(
            DataError, match=f"that many documents; found {wrong}; expected 1 to 10"
        ):
            studies.draw_documents(data, Design(documents=wrong), np.random.default_rng(1))


def test_so_many_studies_are_on_the_same_documents_before_others_are_drawn():
    data = mqm.ratings(made_up())
    design = Design(documents=3, studies=7, per_document_set=3)
    drawn = studies.draw_documents(data, design, np.random.default_rng(1))
    assert drawn.shape == (7, 3)
    assert [len(np.unique(drawn[k : k + 3], axis=0)) for k in (0, 3, 6)] == [1, 1, 1]
    assert len(np.unique(drawn, axis=0)) == 3
    whole = studies.draw_documents(data, Design(studies=2), np.random.default_rng(1))
    assert whole.tolist() == [list(range(7))] * 2


def test_studies_are_compared_by_set_of_documents_or_all_with_all():
    data = mqm.ratings(made_up())
    design = Design(documents=4, studies=6, per_document_set=2, permutations=20)
    shared = srp.simulate(data, design, np.random.default_rng(1))
    assert np.bincount(shared.sets).tolist() == [2, 2, 2]
    assert shared.sets[0] == shared.sets[1] != shared.sets[2] == shared.sets[3]
    alone = replace(design, per_document_set=1)
    assert srp.simulate(data, alone, np.random.default_rng(1)).sets.tolist() == [0] * 6
    given = np.tile([0, 2, 4, 6], (6, 1))
    assert srp.simulate(data, design, np.random.default_rng(1), given).sets.tolist() == [0] * 6
    assert shared.alpha == 0.05 and shared.systems == data.systems


def test_a_row_says_the_design_and_on_which_documents_studies_were_compared():
    data = mqm.ratings(made_up())
    few = {"studies": 6, "permutations": 20, "per_document_set": 3}
    row = srp.srp(data, **few)
    assert (row["documents"], row["document_sets"], row["studies"]) == (7, "shared", 6)
    row = srp.srp(data, Design(**few), documents=5, per_document_set=1, grouping="none")
    assert (row["documents"], row["document_sets"], row["grouping"]) == (5, "every study", "none")
    assert srp.srp(data, **few) == srp.srp(data, seed=20240601, **few)
    with pytest.raises(DataError, match="not that many"):
        srp.srp(made_up(), documents=8)
    assert srp.srp(made_up(), **few)["srp"] == srp.srp(data, **few)["srp"]


def test_a_claim_without_a_direction_is_reflected_by_no_study():
    """A and B are level in the first study, yet its p says that they differ."""
    found = outcome([[1, 1, 3], [1, 2, 3]], [[0.01, 0.5, 0.5], [0.5, 0.5, 0.5]])
    assert found.sign.tolist() == [[0, 1, 1], [1, 1, 1]]
    assert srp.stability(found)["srp"] == 1 / 2  # the second claims nothing
    other = outcome([[1, 1, 3], [1, 2, 3]], [[0.5, 0.5, 0.5], [0.01, 0.5, 0.5]])
    assert srp.stability(other)["srp"] == 1 / 2  # A before B is not seen in the first
    turned = outcome([[1, 1, 3], [2, 1, 3]], [[0.5, 0.5, 0.5], [0.01, 0.5, 0.5]])
    assert srp.stability(turned)["srp"] == 1 / 2  # nor is B before A


def test_p_at_the_level_is_significant_and_signs_ignore_rounding():
    found = outcome([[1, 1 + 1e-13, 1 + 1e-6]], [[0.05, 0.0500001, 0.04]])
    assert found.significant.tolist() == [[True, False, True]]
    assert found.sign.tolist() == [[0, 1, 1]] and found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    reverse = outcome([[3, 2, 1]], [[1, 1, 1]])
    assert reverse.sign.tolist() == [[-1, -1, -1]]  # lower is better


def test_of_pairs_of_equal_p_the_stronger_are_claimed():
    """Two of three pairs each; the first study claims those of 3 and 2 standard deviations."""
    means = [[1, 2, 3], [2, 1, 3]]  # A and B change places
    for strength, share in (([1.0, 3, 2], 1 / 2), ([3.0, 1, 2], 0.0)):
        found = replace(outcome(means, np.full((2, 3), 0.2)),
                        strength=np.array([strength, [3.0, 2, 1]]))  # fmt: skip
        assert srp.stability(found)["srp_equal_claims"] == share


def test_measures_do_not_depend_on_the_unit_of_scores():
    rng = np.random.default_rng(3)
    found = outcome(rng.normal(size=(6, 3)), rng.random((6, 3)), [0, 0, 0, 1, 1, 1])
    one = srp.stability(found)
    for unit in (1e-4, 1e5):
        other = srp.stability(replace(found, means=found.means * unit + 7 * unit))
        assert other == pytest.approx(one)


def test_a_system_without_a_judgment_in_a_study_is_taken_to_be_at_its_mean():
    found = outcome([[1, np.nan, 3], [1, 2, 3]], np.ones((2, 3)))
    assert srp.stability(found)["pearson"] == pytest.approx(1.0)
    assert srp.stability(found)["kendall"] == pytest.approx(1 / np.sqrt(3))


def test_no_studies_have_no_measures():
    nothing = srp.stability(outcome(np.zeros((0, 3)), np.zeros((0, 3))))
    assert nothing["studies"] == 0
    assert all(np.isnan(value) for name, value in nothing.items() if name != "studies")
    pair = srp.stability(outcome([[1, 2, 3], [1, 2, 3]], np.zeros((2, 3))))
    assert pair["srp"] == 1 and np.isnan(pair["se"])  # two studies: nothing to leave out
    three = srp.stability(outcome([[1, 2, 3]] * 2 + [[2, 1, 3]], np.zeros((3, 3))))
    left = [0.0, 0.0, 1.0]  # of the pairs without each study
    assert three["srp"] == 1 / 3 and three["se"] == pytest.approx(np.sqrt(2 * np.var(left)))


def test_pairs_of_studies_are_weighed_alike_over_sets_of_unequal_size():
    means = [[1, 2, 3]] * 3 + [[1, 2, 3], [3, 2, 1]]
    assert srp.stability(outcome(means, np.zeros((5, 3)), [0, 0, 0, 1, 1]))["srp"] == 6 / 8


def test_choices_move_towards_a_target_of_entropy_whatever_the_number_of_raters():
    data = mqm.ratings(made_up(systems=1, buckets=((8, (0, 1)),)))
    table, rng = studies.options(2, 1), np.random.default_rng(1)
    units = np.tile(np.arange(8), (50, 1))
    for target, first in ((0.0, {0, 8}), (1.0, {4})):
        choice, reached = studies._toward(data, units, table, target, rng)
        assert set((choice == 0).sum(axis=1).tolist()) <= first
        assert reached == pytest.approx(np.full(50, target))
    share = np.array([1, 7]) / 8
    one_of_eight = -(share * np.log2(share)).sum()
    choice, reached = studies._toward(data, units, table, one_of_eight, rng)
    assert set((choice == 0).sum(axis=1).tolist()) <= {1, 7}
    assert reached == pytest.approx(np.full(50, one_of_eight))
    alone = mqm.ratings(made_up(systems=1, buckets=((3, (0,)),)))
    choice, reached = studies._toward(alone, np.array([[0, 1, 2]]), np.ones((1, 1), int), 0.0, rng)
    assert choice.tolist() == [[0, 0, 0]] and reached.tolist() == [0.0]


@pytest.mark.parametrize(("grouping", "together"), [("pSxS", True), ("none", False)])
def test_towards_a_target_too_systems_of_a_document_are_rated_together_or_not(grouping, together):
    data = mqm.ratings(made_up(systems=3, buckets=((8, (0, 1, 2)),)))
    design = Design(grouping, balance=0.8, studies=10)
    rng = np.random.default_rng(1)
    documents = studies.draw_documents(data, design, rng)
    choice, done = studies.assign(data, design, documents, rng)
    assert done.all() and choice.shape == (10, 3, 8)
    assert (choice == choice[:, :1]).all() == together
