"""Seeded generators, and work shared out so that its results do not depend on who does it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def child_seeds(seed: int, count: int) -> list[np.random.Generator]:
    """`count` independent generators from one seed; the same however many workers share them."""
    return [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(count)]


def named_generator(seed: int, name: str) -> np.random.Generator:
    """The generator of one named part: the same whether the part is run alone or with others."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def in_parallel(
    work: Callable[..., Any], arguments: Iterable[tuple], jobs: int = 1, label: str | None = None
) -> list[Any]:
    """``work(*a)`` for each `a` of `arguments`, in order, on `jobs` processes.

    `work` stands at module level where `jobs` is not 1; a `label` shows a progress bar of its name.
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

        results = tqdm(results, total=len(todo), desc=label, disable=None, leave=False)
    return list(results)


def in_shards(
    work: Callable[..., Any], total: int, size: int, seed: int, jobs: int = 1, label: str = ""
) -> list[Any]:
    """``work(count, generator)`` for shards of `size` experiments, in order, on `jobs` processes.

    The shards and their generators depend on `total`, `size` and `seed` only.
    """
    counts = [min(size, total - start) for start in range(0, total, size)]
    tasks = zip(counts, child_seeds(seed, len(counts)), strict=True)
    return in_parallel(work, tasks, jobs, label)
