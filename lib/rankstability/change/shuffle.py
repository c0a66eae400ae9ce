"""Null campaigns: the same judgments with the systems' labels shuffled whole within units."""

from __future__ import annotations

import numpy as np


def shuffle_labels(system: np.ndarray, unit: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Permute, within each unit, which system its judgments are said to be of.

    One permutation a unit, of the systems it holds, for all its judgments: what holds together
    within a unit stays together. `system` and `unit` are codes of each judgment, from 0; so is
    what is returned, the new system.
    """
    n, units = int(system.max()) + 1, int(unit.max()) + 1
    key = unit.astype(np.int64) * n + system
    held = np.bincount(key, minlength=units * n).reshape(units, n) > 0
    chance = np.where(held, rng.random((units, n)), np.inf)
    # the systems held, in order, take the places of the systems held, in random order
    random_order = np.argsort(chance, axis=1)
    plain_order = np.argsort(np.where(held, np.arange(n), n + np.arange(n)), axis=1)
    new = np.empty((units, n), dtype=np.int64)
    np.put_along_axis(new, plain_order, random_order, axis=1)
    return new[unit, system]


def shuffle_blocks(
    system: np.ndarray, block: np.ndarray, worker: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Permute, within each worker, the systems of its blocks, each block staying whole.

    For campaigns in which systems were judged on different documents: a block is what one worker
    judged of one document of one system. Codes of each judgment; returned is the new system.
    """
    _, first, place = np.unique(block, return_index=True, return_inverse=True)
    of_block, by = system[first], worker[first]
    order = np.lexsort((rng.random(len(by)), by))
    new = np.empty_like(of_block)
    new[np.argsort(by, kind="stable")] = of_block[order]
    return new[place]
