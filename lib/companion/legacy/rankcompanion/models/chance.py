"""Seeded generators, and parallel work whose results do not depend on the number of processes."""

import zlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def child_seeds(seed: int, count: int) -> list[np.random.Generator]:
    """`count` independent generators from one seed, the same for any number of processes."""
    return [
        np.random.default_rng(s)
        for s in np.random.SeedSequence(seed).spawn(count)
    ]


def named_generator(seed: int, name: str) -> np.random.Generator:
    """The generator of a named part of a run, the same whether the part runs alone or not."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def in_parallel(
    work: Callable[..., Any],
    arguments: Iterable[tuple],
    jobs: int = 1,
    label: str | None = None,
) -> list[Any]:
    """``work(*a)`` for each `a` of `arguments`, in order, on `jobs` processes.

    A `label` names a progress bar, shown on a terminal; without one (None) there is no bar.
    """
    todo = list(arguments)
    if jobs == 1 or len(todo) <= 1:
        results: Iterable[Any] = (work(*a) for a in todo)
    else:
        from joblib import Parallel, delayed

        run = Parallel(n_jobs=jobs, return_as="generator")
        results = run(delayed(work)(*a) for a in todo)
    if label is not None:
        from tqdm.auto import tqdm

        results = tqdm(
            results, total=len(todo), desc=label, disable=None, leave=False
        )
    return list(results)


def in_shards(
    work: Callable[..., Any],
    total: int,
    size: int,
    seed: int,
    jobs: int = 1,
    label: str = "",
) -> list[Any]:
    """``work(count, generator)`` for shards of at most `size` experiments, `total` in all.

    Results are in order of the shards, whatever the number of `jobs` (processes): the shards and
    their generators depend only on `total`, `size` and `seed`.
    """
    counts = [min(size, total - start) for start in range(0, total, size)]
    tasks = zip(counts, child_seeds(seed, len(counts)), strict=True)
    return in_parallel(work, tasks, jobs, label)
