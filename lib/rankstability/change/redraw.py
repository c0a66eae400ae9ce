"""New scores for the tasks of a real campaign: who judged what stays as it was."""

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
