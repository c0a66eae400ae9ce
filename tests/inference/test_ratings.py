"""Inference for ratings as a whole."""

from dataclasses import replace

import numpy as np
import pytest

from rankstability.errors import DataError
from rankstability.inference.ratings import infer_ratings, pair_tests, second_answer
from rankstability.inference.regimes import share_notes
from rankstability.scores.arrays import ScoreArrays
from rating_tables import crossed, random_ratings, rating_arrays


def by_name(inference):
    """Return all statements by the names of systems."""
    names = inference.systems
    ranks = zip(names, inference.rank_low.tolist(), inference.rank_high.tolist(), strict=True)
    pairs = {(names[i], names[k]) for i, k in zip(*np.nonzero(inference.better), strict=True)}
    first = {names[r] for r in np.flatnonzero(inference.could_be_first)}
    tops = [frozenset(names[: r + 1]) for r in np.flatnonzero(inference.supported)]
    return sorted(ranks), pairs, first, tops


def wide(seed=0, **words):
    """Return ratings with large differences, so that there are statements."""
    arrays = random_ratings(seed, annotators=10, documents=30, **words)
    return replace(arrays, score=arrays.score - 6.0 * arrays.system)


def take_rows(arrays, rows):
    """Return these rows (numbers) of a table."""
    units = {kind: codes[rows] for kind, codes in arrays.units.items()}
    parts = {name: getattr(arrays, name)[rows] for name in ("system", "segment", "score")}
    return replace(arrays, units=units, **parts)


def with_equal_documents(arrays, number):
    """Return the ratings with more documents, on which all systems have the same scores."""
    units = arrays.units
    rows = list(zip(arrays.system, arrays.segment, units["document"], units["annotator"],
                    arrays.score, strict=True))  # fmt: skip
    document, segment = units["document"].max() + 1, arrays.segment.max() + 1
    more = [
        (system, segment + k, document + k // 3, annotator, 50.0)
        for k in range(3 * number)
        for annotator in (k // 3 % 8, (k // 3 + 3) % 8)
        for system in range(len(arrays.systems))
    ]
    return rating_arrays(rows + more)


def test_statements_agree_with_each_other():
    inference = infer_ratings(wide())
    n = len(inference.systems)
    assert inference.supported.any() and inference.better.any()
    assert (inference.rank_low == 1 + inference.better.sum(axis=0)).all()
    assert (inference.rank_high == n - inference.better.sum(axis=1)).all()
    assert (np.diff(inference.mean) <= 0).all()
    table = inference.pairs()
    assert (table["result"] == "better").sum() == inference.better.sum()
    assert table["standard_error"].tolist() == pytest.approx(
        np.sqrt(inference.variance[np.triu_indices(n, 1)])
    )


def test_renamed_systems_change_nothing():
    arrays = wide(1, missing=0.2)
    order = np.array([3, 0, 4, 1, 2])
    names = tuple(arrays.systems[k] for k in order)
    renamed = replace(arrays, systems=names, system=np.argsort(order)[arrays.system])
    assert by_name(infer_ratings(renamed)) == by_name(infer_ratings(arrays))


def test_the_order_of_rows_and_repeated_rows_change_nothing():
    arrays = wide(1, missing=0.2)
    before = infer_ratings(arrays)
    for rows in (
        np.random.default_rng(0).permutation(arrays.n_judgments),
        np.repeat(np.arange(arrays.n_judgments), 2),  # two halves of each judgment
    ):
        after = infer_ratings(take_rows(arrays, rows))
        assert by_name(after) == by_name(before)
        assert after.variance == pytest.approx(before.variance)
        assert after.p == pytest.approx(before.p)


def test_documents_on_which_two_systems_are_alike_make_no_difference_significant():
    before, after = [], []
    for seed in range(60):
        arrays = random_ratings(seed, systems=2, annotators=8, documents=6)
        more = with_equal_documents(arrays, 40)
        for p, table in ((before, arrays), (after, more)):
            p.append(pair_tests(table, "document").p[0, 1])
    inconclusive = np.array(before) > 0.05
    assert 20 < inconclusive.sum() < 60
    assert (np.array(after)[inconclusive] > 0.05).all()


def test_a_difference_on_three_of_many_documents_is_no_statement():
    score = np.zeros((60, 2))
    score[:3, 0] = 50
    rows = [
        (s, d, d, a, score[d, s] + 5 * a) for d in range(60) for s in range(2) for a in range(6)
    ]
    inference = infer_ratings(rating_arrays(rows))
    assert inference.difference[0, 1] == pytest.approx(2.5)
    assert not inference.better.any() and inference.p[0, 1] > 0.05


def test_a_system_with_few_units_cannot_be_assessed_and_removes_no_boundary():
    arrays = wide(2)
    units = arrays.units
    rows = list(zip(arrays.system, arrays.segment, units["document"], units["annotator"],
                    arrays.score, strict=True))  # fmt: skip
    more = [(5, k, k // 3, 0, 95) for k in range(3)]
    before, after = infer_ratings(arrays), infer_ratings(rating_arrays(rows + more))
    assert after.reasons == {"s5": "few_annotators"}
    assert after.systems[-1] == "s5" and not after.assessable[-1]
    assert by_name(before)[1] == by_name(after)[1] and by_name(before)[3] == by_name(after)[3]
    assert (after.rank_low[-1], after.rank_high[-1]) == (1, 6)
    assert not after.could_be_first[-1] and np.isnan(after.score_low[-1])
    assert (after.rank_high[:5] == before.rank_high + 1).all()


def test_fewer_units_of_one_kind_never_say_more():
    arrays = wide(3)
    both = infer_ratings(arrays)
    for kind in ("annotator", "document"):
        alone = infer_ratings(arrays, kind)
        assert alone.unit == kind
        assert (alone.variance_raw <= both.variance_raw + 1e-9).all()


def test_second_answer_for_the_same_annotators():
    arrays = wide(4)
    answer = second_answer(arrays, "document")
    assert answer is not None and answer.unit == "document"
    only = replace(arrays, units={"annotator": arrays.units["annotator"]})
    assert second_answer(only, "document") is None


@pytest.mark.parametrize(("averages", "reason"), [(True, "unnamed_averages"), (False, "no_units")])
def test_no_units_no_inference(averages, reason):
    arrays = replace(wide(5), units={}, averages=averages)
    inference = infer_ratings(arrays)
    assert inference.no_inference == reason and inference.unit == ""
    assert not inference.better.any() and not inference.could_be_first.any()
    assert inference.mean == pytest.approx(np.sort(arrays.means())[::-1])
    assert set(inference.pairs()["result"]) == {"not_assessable"}


def test_averages_with_documents_are_tested_by_document():
    arrays = wide(6)
    document = {"document": arrays.units["document"]}
    assert infer_ratings(replace(arrays, units=document, averages=True)).unit == "document"


def test_hits_where_nothing_else_is_named():
    arrays = wide(7)
    hits = replace(arrays, units={"hit": arrays.units["document"]})
    assert infer_ratings(hits).unit == "hit"


def test_unknown_unit_and_bad_level():
    with pytest.raises(DataError) as error:
        infer_ratings(wide(), "hit")
    assert error.value.code == "unknown_unit"
    with pytest.raises(DataError) as error:
        infer_ratings(wide(), alpha=1.0)
    assert error.value.code == "bad_alpha"


def test_intervals_stay_within_the_scale():
    arrays = random_ratings(8)
    high = replace(arrays, score=np.minimum(arrays.score / 80 * 100, 100), scale=(0, 100))
    inference = infer_ratings(high, "annotator")
    assert inference.score_high.max() <= 100 and inference.score_low.min() >= 0


def domains(arrays, of_document):
    return replace(arrays, units={**arrays.units, "domain": of_document[arrays.units["document"]]})


def test_means_over_domains():
    arrays = domains(wide(9), np.arange(30) // 10)
    tests = pair_tests(arrays, by_domain=True)
    parts = [arrays.take(arrays.units["domain"] == k).means() for k in range(3)]
    assert tests.mean == pytest.approx(np.mean(parts, axis=0))
    assert len(tests.extra["strata"]) == 3
    assert (tests.df_raw <= pair_tests(arrays).df_raw + 1e-9).all()


def test_a_domain_with_a_single_document_allows_no_statement():
    arrays = domains(wide(10), (np.arange(30) > 0).astype(int))
    inference = infer_ratings(arrays, by_domain=True)
    assert not inference.better.any()
    assert infer_ratings(arrays).better.any()


def test_a_system_without_judgments_in_a_domain():
    arrays = domains(wide(11), np.arange(30) // 15)
    keep = (arrays.system != 2) | (arrays.units["domain"] == 0)
    inference = infer_ratings(arrays.take(keep), by_domain=True)
    assert inference.reasons == {"s2": "missing_domain"} and "missing_domain" in inference.notes
    assert inference.systems[-1] == "s2" and inference.better[:4, :4].any()
    rest = infer_ratings(arrays.take(arrays.system != 2), by_domain=True)
    assert by_name(inference)[1] == by_name(rest)[1]


def test_systems_without_judgments_are_left_out():
    arrays = wide(12)
    part = arrays.take(arrays.system != 1)
    inference = infer_ratings(part)
    assert "s1" not in inference.systems and sorted(inference.codes) == [0, 2, 3, 4]
    assert [part.systems[code] for code in inference.codes] == list(inference.systems)


def test_pairs_that_share_too_few_documents():
    arrays = crossed(systems=4, documents=30, annotators=8,
                     keep=lambda s, d: d < 15 if s < 2 else d > 13)  # fmt: skip
    inference = infer_ratings(arrays)
    table = inference.pairs()
    across = (table["system_a"] < "s2") != (table["system_b"] < "s2")
    assert (table.loc[across, "reason"] == "few_in_common_document").all()
    assert (table.loc[across, "result"] == "not_assessable").all()
    assert "pairs_share_few" in inference.notes


# ------------------------------------------------------------------ cautions


def rows_of(shares, documents=40, systems=3):
    """Return rows in which annotators hold these shares of the documents."""
    rng = np.random.default_rng(0)
    annotator = np.repeat(
        np.arange(len(shares)), np.round(np.array(shares) * documents).astype(int)
    )
    return rating_arrays(
        [(s, d, d, a, rng.normal()) for d, a in enumerate(annotator) for s in range(systems)]
    )


@pytest.mark.parametrize(
    ("shares", "code"),
    [
        ((0.25, 0.25, 0.25, 0.125, 0.125), "few_large_units"),
        ((0.2, 0.2, 0.2, 0.2, 0.1, 0.1), "few_large_units"),
        ((0.5, 0.1, 0.1, 0.1, 0.1, 0.1), "unit_with_half"),
        ((0.3, 0.35, 0.35), "few_effective_units"),
    ],
)
def test_heavy_annotators_are_named(shares, code):
    inference = infer_ratings(rows_of(shares))
    assert code in inference.notes
    assert code not in infer_ratings(rows_of((0.1,) * 10)).notes


def test_rare_failures_on_whole_documents_are_named():
    rng = np.random.default_rng(1)
    score = rng.normal(size=(32, 6))
    score[:4, 0] -= 12
    rows = [(s, d, d, d % 8, score[d, s]) for d in range(32) for s in range(6)]
    inference = infer_ratings(rating_arrays(rows))
    assert inference.extra["details"]["rare_failures"] == {"systems": "s0"}
    assert "rare_failures" not in infer_ratings(random_ratings(3, documents=30)).notes


def test_systems_that_share_no_segments_are_named():
    rows = [
        (s, 50 * s + k, 50 * s + k, k % 5, 3.0 * s + k % 4) for s in range(3) for k in range(20)
    ]
    inference = infer_ratings(rating_arrays(rows))
    assert "nothing_shared" in inference.notes and inference.better.any()


def test_z_scores_without_annotators_cannot_be_adjusted():
    arrays = wide(13)
    document = {"document": arrays.units["document"]}
    assert (
        "no_adjustment"
        in infer_ratings(replace(arrays, units=document, averages=True, standardised=True)).notes
    )


def test_speed_of_many_systems_and_annotators():
    import time

    rng = np.random.default_rng(2)
    segments, systems = 300, 60
    segment, system = (x.ravel() for x in np.indices((segments, systems)))
    arrays = ScoreArrays(
        tuple(f"s{k}" for k in range(systems)), tuple(map(str, range(segments))), system, segment,
        rng.normal(size=segments * systems),
        {"annotator": rng.integers(0, 40, segments * systems), "document": segment // 6},
    )  # fmt: skip
    start = time.process_time()
    infer_ratings(arrays)
    assert time.process_time() - start < 10


def test_six_heavy_questions_are_named():
    six = np.array([0.15] * 6 + [0.1])
    assert share_notes({"question": six}) == {"few_large_units": {"number": 6, "unit": "question"}}
    assert share_notes({"annotator": six}) == {}
