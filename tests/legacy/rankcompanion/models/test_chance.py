"""Seeds of the parts of a computation, and parallel work."""

import sys
import threading

import joblib
import numpy as np
import pytest

from companion.legacy.rankcompanion.models.chance import child_seeds, in_parallel, in_shards, named_generator


def test_child_seeds_do_not_depend_on_how_many_are_asked_for():
    few, many = child_seeds(7, 2), child_seeds(7, 5)
    assert [g.integers(1 << 30) for g in few] == [g.integers(1 << 30) for g in many[:2]]
    assert len({int(g.integers(1 << 60)) for g in many}) == 5


def test_the_generator_of_a_part_depends_on_its_name_and_the_seed():
    drawn = {
        (seed, name): int(named_generator(seed, name).integers(1 << 60))
        for seed in (1, 2)
        for name in ("cs-en", "de-en")
    }
    assert len({*drawn.values()}) == 4
    assert drawn[1, "cs-en"] == named_generator(1, "cs-en").integers(1 << 60)


def test_results_are_in_the_order_of_the_arguments():
    assert in_parallel(np.subtract, [(5, 1), (3, 1), (4, 1)]) == [4, 2, 3]
    assert in_parallel(np.subtract, []) == []


def test_one_process_or_one_piece_of_work_needs_no_other_process(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert in_parallel(abs, [(-1,), (-2,)], jobs=1) == [1, 2]
    assert in_parallel(abs, [(-1,), (-2,)]) == [1, 2]  # one is what is meant if none is said
    assert in_shards(lambda count, _: count, total=3, size=2, seed=1) == [2, 1]
    assert in_parallel(abs, [(-1,)], jobs=4) == [1]
    assert in_parallel(abs, [], jobs=4) == []
    with pytest.raises(ImportError):
        in_parallel(abs, [(-1,), (-2,)], jobs=2)


def test_two_jobs_work_at_the_same_time():
    both = threading.Barrier(2, timeout=5)

    def work(value):
        both.wait()
        return value

    with joblib.parallel_config(backend="threading"):
        assert in_parallel(work, [(k,) for k in range(4)], jobs=2) == [0, 1, 2, 3]


def test_only_work_with_a_label_has_a_bar_that_is_for_terminals_and_goes_away(monkeypatch):
    bars = []

    def bar(results, **told):
        bars.append(told)
        return results

    monkeypatch.setattr("tqdm.auto.tqdm", bar)
    assert in_parallel(abs, [(-1,), (-2,)]) == [1, 2] and not bars
    assert in_parallel(abs, [(-1,), (-2,)], label="pairs") == [1, 2]
    assert bars == [{"total": 2, "desc": "pairs", "disable": None, "leave": False}]


def test_shards_are_of_one_size_but_the_last_and_have_generators_of_their_own():
    def work(count, generator):
        return count, int(generator.integers(1 << 60))

    done = in_shards(work, total=7, size=3, seed=5)
    assert [count for count, _ in done] == [3, 3, 1]
    assert [value for _, value in done] == [int(g.integers(1 << 60)) for g in child_seeds(5, 3)]
    assert [count for count, _ in in_shards(work, 6, 3, 5)] == [3, 3]
    assert [count for count, _ in in_shards(work, 2, 3, 5)] == [2]
    assert in_shards(work, 0, 3, 5) == []
