"""New labels or new scores for the judgments of a real campaign: who judged what stays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def draw_parts(
    codes: Mapping[str, np.ndarray],
    variance: Mapping[str, float],
    draws: int,
    rng: np.random.Generator,
    values: Mapping[str, np.ndarray] | None = None,
) -> np.ndarray:
    """Sum of independent normal effects of each factor, and of each row's own rest: (rows, draws).

    `codes`: the level of each row of each factor; negative: the factor adds nothing to the row.
    `variance`: of each of these, and of ``residual``. `values`: of some factors, what their effects
    are multiplied by in each row.
    """
    rows = len(next(iter(codes.values())))
    total = rng.standard_normal((rows, draws)) * np.sqrt(variance["residual"])
    for name, levels in codes.items():
        if variance.get(name, 0.0) > 0:
            effect = rng.standard_normal((int(levels.max()) + 2, draws))
            effect *= np.sqrt(variance[name])
            effect[-1] = 0.0
            times = (values or {}).get(name)
            total += effect[levels] if times is None else effect[levels] * times[:, None]
    return total


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
