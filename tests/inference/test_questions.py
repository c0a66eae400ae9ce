"""Answers to questions: a pair, a baseline, candidates, tasks, changes, leaders, looks."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.inference.assemble import assemble
from rankstability.inference.limiting import find_limiting_domain
from rankstability.inference.questions import (
    answer_baseline,
    answer_candidates,
    answer_leaders,
    answer_pair,
    candidates_before_removal,
    compare_pair,
    find_candidates,
    find_leaders,
    known_pairs,
    look_alpha,
)
from rankstability.inference.ratings import infer_ratings, pair_tests
from rankstability.inference.tasks import (
    compare_arrays,
    compare_rankings,
    find_reversals,
    rank_arrays_over_tasks,
    rank_over_tasks,
)
from rankstability.judgments import Judgments
from rating_tables import crossed, random_ratings, second_score, wave_score


@pytest.fixture
def small():
    """The complete table of the oracles, with systems in the order of their means."""
    return infer_ratings(crossed())


def frame_of(arrays):
    """Return the ratings as a table with names."""
    units = {
        kind: np.array(arrays.unit_names[kind], object)[codes]
        for kind, codes in arrays.units.items()
    }
    return pd.DataFrame(
        {
            "system": np.array(arrays.systems, object)[arrays.system],
            "segment": np.array(arrays.segments, object)[arrays.segment],
            "score": arrays.score,
            **units,
        }
    )


def judgments_of(arrays, **fields):
    return Judgments(frame_of(arrays), "ratings", **fields)


# ------------------------------------------------------------------ oracles


def test_pair(small):
    answer = answer_pair(small, "s0", "s3")
    assert answer.difference == pytest.approx(3.666667, abs=1e-6)
    ends = answer.difference_low, answer.difference_high
    assert ends == pytest.approx((1.037584, 6.295749), abs=1e-6)
    assert answer.result == "better" and answer.at_most_worse == 0
    other = answer_pair(small, "s3", "s0")
    assert other.result == "worse" and other.at_most_worse == pytest.approx(6.295749, abs=1e-6)


def test_a_pair_gains_no_df_unless_its_variance_was_raised(small):
    """Otherwise a pair with a system unlike all others is wrong too often."""
    first, last = small.systems.index("s0"), small.systems.index("s4")
    assert small.variance[first, last] == pytest.approx(small.variance_raw[first, last])
    answer = answer_pair(small, "s0", "s4")
    assert answer.df == pytest.approx(2.789474, abs=1e-6)
    assert answer.p == pytest.approx(0.013726, abs=1e-6)
    assert answer_pair(small, "s0", "s1").df == pytest.approx(5.578947, abs=1e-6)


def test_baseline(small):
    table = answer_baseline(small, "s2").table.set_index("system").loc[["s0", "s1", "s3", "s4"]]
    low = [0.327808, -2.978764, -3.503054, -9.888220]
    assert table["difference_low"].tolist() == pytest.approx(low, abs=1e-6)
    high = [8.838858, 6.645431, 5.336388, 0.721554]
    assert table["difference_high"].tolist() == pytest.approx(high, abs=1e-6)
    assert table["result"].tolist() == ["better", *["inconclusive"] * 3]
    assert table["at_most_worse"].tolist() == pytest.approx([0, 2.978764, 3.503054, 9.888220])


@pytest.mark.parametrize(
    ("divisor", "possible", "costs"),
    [
        (1, ["s0", "s1"], [0.243264, 5.743264, 8.150821, 6.873231, 14.156488]),
        (9, ["s0"], [0.0, 3.747755, 5.772496, 4.735522, 10.829940]),
    ],
)
def test_candidates_and_costs(small, divisor, possible, costs):
    tests = pair_tests(crossed())
    from rankstability.inference.assemble import two_sided_p

    variance = tests.variance / divisor
    p = two_sided_p(np.subtract.outer(tests.mean, tests.mean), variance, tests.df)
    inference = assemble(replace(tests, variance=variance, p=p))
    found, cost = candidates_before_removal(inference, 0.05)
    by_name = dict(zip(inference.systems, cost, strict=True))
    assert [name for name, is_in in zip(inference.systems, found, strict=True) if is_in] == possible
    assert [by_name[f"s{k}"] for k in range(5)] == pytest.approx(costs, abs=1e-6)


# ------------------------------------------------------------------ pairs and baselines


def test_answers_never_say_the_opposite_of_the_ranking():
    for seed in range(8):
        inference = infer_ratings(random_ratings(seed, annotators=8, documents=20))
        for row in inference.pairs().itertuples():
            answer = answer_pair(inference, row.system_a, row.system_b)
            assert not (row.better == row.system_b and answer.result == "better")
            if answer.result == "better":
                assert answer.difference_low > 0 and answer.p <= 0.05
        candidates = answer_candidates(inference).systems
        could_be_first = np.array(inference.systems)[inference.could_be_first]
        assert candidates and set(candidates) <= set(could_be_first)


def test_scores_where_lower_is_better_are_shown_as_given():
    table = random_ratings(1)
    given = frame_of(table)
    up = judgments_of(table)
    down = Judgments(given.assign(score=-given["score"]), "ratings", lower_is_better=True)
    one, other = compare_pair(up, "s0", "s1"), compare_pair(down, "s0", "s1")
    assert other.result == one.result and other.at_most_worse == pytest.approx(one.at_most_worse)
    assert other.difference == pytest.approx(-one.difference)
    assert (other.difference_low, other.difference_high) == pytest.approx(
        (-one.difference_high, -one.difference_low)
    )
    first, second = find_candidates(up), find_candidates(down)
    assert first.systems == second.systems
    assert first.table["score"].tolist() == pytest.approx((-second.table["score"]).tolist())


def test_a_pair_that_cannot_be_assessed_has_no_interval():
    arrays = crossed(systems=4, documents=30, annotators=8,
                     keep=lambda s, d: d < 15 if s < 2 else d > 13)  # fmt: skip
    answer = answer_pair(infer_ratings(arrays), "s0", "s2")
    assert answer.result == "not_assessable" and answer.reason == "few_in_common_document"
    assert np.isnan(answer.difference_low) and np.isnan(answer.at_most_worse)


def test_the_end_of_an_interval_moves_to_0_where_p_is_larger(small):
    larger = replace(small, p=np.where(small.p < 1, 0.2, 1.0))
    answer = answer_pair(larger, "s0", "s4")
    assert answer.result == "inconclusive" and answer.difference_low == 0


def test_unknown_and_equal_names(small):
    for names, code in ((("s0", "s9"), "unknown_system"), (("s0", "s0"), "same_system")):
        with pytest.raises(DataError) as error:
            answer_pair(small, *names)
        assert error.value.code == code


# ------------------------------------------------------------------ candidates


def test_two_systems_have_a_sole_candidate_where_p_is_at_most_alpha():
    alone = 0
    for seed in range(40):
        inference = infer_ratings(random_ratings(seed, systems=2, annotators=8, documents=12))
        answer = answer_candidates(inference)
        assert (len(answer.systems) == 1) == (inference.p[0, 1] <= 0.05)
        if len(answer.systems) == 1:
            alone += 1
            assert np.isnan(answer.table["cost_at_most"][0])
    assert 0 < alone < 40


def test_cost_of_a_candidate_bounds_the_lead_of_all_others():
    inference = infer_ratings(random_ratings(3, annotators=10, documents=30))
    table = answer_candidates(inference).table
    lead = table["score"].max() - table["score"]
    assert (table["cost_at_most"].fillna(np.inf) >= lead - 1e-9).all()


# ------------------------------------------------------------------ tasks and changes


def test_two_tasks():
    second = crossed(second_score, documents=4, annotators=3, shift=(10, 10))
    ranking = rank_arrays_over_tasks([crossed(), second], ["one", "two"])
    means = dict(zip(ranking.table["system"], ranking.table["score"], strict=True))
    assert means == pytest.approx(
        {"s0": 7.729167, "s1": 8.541667, "s2": 6.625, "s3": 7.395833, "s4": 4.208333}, abs=1e-6
    )
    raw = ranking.inference.variance_raw
    at = [ranking.inference.systems.index(f"s{k}") for k in range(5)]
    assert raw[at[0], at[1]] == pytest.approx(0.459115, abs=1e-6)
    assert ranking.inference.df_raw[at[1], at[2]] == pytest.approx(4.074773, abs=1e-6)
    assert ranking.shared_units == {"annotator": 0, "document": 0}


def test_tasks_share_units_of_one_name():
    one, two = random_ratings(1), random_ratings(2)
    both = rank_over_tasks([judgments_of(one, pair="a"), judgments_of(two, pair="b")])
    assert both.tasks == ("a", "b") and both.shared_units == {"annotator": 5, "document": 12}
    renamed = frame_of(two)
    for kind in ("annotator", "document"):
        renamed[kind] = "x" + renamed[kind]
    apart = rank_over_tasks([judgments_of(one), Judgments(renamed, "ratings")])
    assert apart.shared_units == {"annotator": 0, "document": 0}
    assert apart.table["score"].tolist() == pytest.approx(both.table["score"].tolist())


def test_a_system_absent_from_a_task_is_left_out():
    two = frame_of(random_ratings(2))
    ranking = rank_over_tasks(
        [judgments_of(random_ratings(1)), Judgments(two[two["system"] != "s3"], "ratings")]
    )
    assert ranking.left_out == ("s3",) and "s3" not in set(ranking.table["system"])


def test_tasks_must_have_one_scale():
    tasks = [
        judgments_of(random_ratings(1), scale=(0, 100)),
        judgments_of(random_ratings(2), scale=(0, 7)),
    ]
    with pytest.raises(DataError) as error:
        rank_over_tasks(tasks)
    assert error.value.code == "different_scales"
    with pytest.raises(DataError) as error:
        rank_over_tasks(tasks[:1])
    assert error.value.code == "too_few_tasks"


def test_changes_on_the_same_documents():
    answer = compare_arrays(crossed(), crossed(wave_score, shift=(0, 4)))
    table = answer.changes.set_index(["system_a", "system_b"])["change"]
    change = {"s0": -9.25, "s1": -4.5, "s2": -2.833333, "s3": -4.666667, "s4": -0.083333}
    for (a, b), value in table.items():
        assert value == pytest.approx(change[a] - change[b], abs=1e-6)
    assert answer.shared_units == {"annotator": 0, "document": 6}
    shown = answer.changes[answer.changes["gained"] != ""]
    assert (shown["gained"] == shown["system_a"]).all() and (shown["change"] > 0).all()
    known = shown["change_low"].notna()
    assert (shown.loc[known, "change_low"] > 0).all()


def test_nothing_changes_between_a_ranking_and_itself():
    judgments = judgments_of(random_ratings(4, annotators=10, documents=30))
    answer = compare_rankings(judgments, judgments)
    assert (answer.changes["gained"] == "").all() and not len(answer.reversed)
    shifted = judgments.with_table(judgments.table.assign(score=judgments.table["score"] + 9))
    assert (compare_rankings(judgments, shifted).changes["change"].abs() < 1e-9).all()


def test_reversals_need_declarations_in_both_rankings():
    arrays = random_ratings(5, annotators=10, documents=30)
    up = replace(arrays, score=arrays.score - 9.0 * arrays.system)
    down = replace(arrays, score=arrays.score + 15.0 * arrays.system)
    first, second = (infer_ratings(each, alpha=0.025) for each in (up, down))
    reversed_pairs = find_reversals(first, second)
    assert {"better_in_first": "s0", "better_in_second": "s4"} in reversed_pairs.to_dict("records")
    assert not len(find_reversals(first, first))


def test_other_scales_allow_only_reversals():
    first = judgments_of(random_ratings(6), scale=(0, 100))
    second = judgments_of(random_ratings(7), scale=(0, 7))
    answer = compare_rankings(first, second)
    assert answer.inference is None and not len(answer.changes)


# ------------------------------------------------------------------ categories, domains, looks


def three_domains(arrays, sizes=(10, 10, 10)):
    of_document = np.repeat(np.arange(len(sizes)), sizes)
    units = {**arrays.units, "domain": of_document[arrays.units["document"]]}
    names = {**arrays.unit_names, "domain": ("chat", "news", "speech")}
    return replace(arrays, units=units, unit_names=names)


def test_leaders_are_found_at_a_share_of_alpha():
    arrays = random_ratings(8, annotators=10, documents=30)
    arrays = three_domains(replace(arrays, score=arrays.score - 15.0 * arrays.system))
    answer = find_leaders(judgments_of(arrays))
    assert answer.table["category"].tolist() == ["chat", "news", "speech"]
    assert answer.table["assessable"].all() and (answer.table["documents"] == 10).all()
    domain = arrays.units["domain"]
    for code, candidates in enumerate(answer.table["candidates"]):
        inference = infer_ratings(arrays.take(domain == code), alpha=0.05 / 3)
        assert list(candidates) == answer_candidates(inference, 0.05 / 3).systems
    assert set(answer.table["leader"]) <= {"s0", ""}


def test_a_category_with_two_documents_is_listed_as_not_assessable():
    arrays = three_domains(random_ratings(9, annotators=10, documents=30), (14, 14, 2))
    parts = {name: arrays.take(arrays.units["domain"] == k) for k, name in enumerate("abc")}
    table = answer_leaders(parts).table
    assert table["assessable"].tolist() == [True, True, False]
    assert table["candidates"].tolist()[2] == () and table["leader"].tolist()[2] == ""


def test_leaders_of_an_unknown_column():
    with pytest.raises(DataError) as error:
        find_leaders(judgments_of(random_ratings(1)), by="topic")
    assert error.value.code == "no_such_column"


def test_a_domain_that_decides_the_degrees_of_freedom():
    arrays = three_domains(random_ratings(10, annotators=12, documents=30), (14, 14, 2))
    found = find_limiting_domain(arrays)
    assert found is not None and found.domain == "speech" and found.units["document"] == 2
    assert found.df < 5 and found.df_without >= 2 * found.df
    assert found.domains == ("chat", "news")
    even = three_domains(random_ratings(10, annotators=12, documents=30))
    assert find_limiting_domain(even) is None


def test_levels_of_looks():
    assert look_alpha(2, looks=5) == pytest.approx(0.01)
    with pytest.raises(DataError) as error:
        look_alpha(6, looks=5)
    assert error.value.code == "more_looks_than_planned"


def test_votes_have_answers_too():
    rng = np.random.default_rng(12)
    rows = []
    for question in range(40):
        for annotator in range(8):
            left, right = rng.permutation(4)[:2]
            wins = rng.random() < 1 / (1 + np.exp((left - right) * 1.0))
            rows.append((f"m{left}", f"m{right}", "left" if wins else "right",
                         f"a{annotator}", f"q{question}"))  # fmt: skip
    table = pd.DataFrame(rows, columns=["left", "right", "winner", "annotator", "question"])
    votes = Judgments(table, "votes")
    answer = compare_pair(votes, "m0", "m3")
    assert answer.unit == "annotator x question" and answer.result == "better"
    assert find_candidates(votes).systems == ["m0"]
    with pytest.raises(DataError) as error:
        rank_over_tasks([votes, votes])
    assert error.value.code == "wrong_kind"


def test_equal_means_can_be_assessed(small):
    same = replace(small, difference=small.difference * 0, p=np.ones_like(small.p))
    assert known_pairs(same)[0, 1]
    assert answer_pair(same, "s0", "s1").result == "inconclusive"
