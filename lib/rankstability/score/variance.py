"""Linear models with crossed factors (system, worker, document, segment), on cross-tabulations.

`statsmodels.MixedLM` handles crossed factors only as one group with dummy columns, which on a
campaign of 30,000 judgments by 200 workers takes hours. The same restricted likelihood is written
here on the normal equations, which are a few hundred rows whatever the number of judgments; tests
hold it against statsmodels on small campaigns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..errors import DataError

LARGEST = 16.0  # log of the penalty from which a variance is 0
FIXED = 1e-6  # penalty that makes a factor fixed: only picks one of the equivalent solutions


@dataclass(frozen=True)
class Components:
    """Variance components of single judgments, and the effects predicted with them.

    Attributes
    ----------
    variance : dict of str to float
        Per factor and ``residual``, in squared units of the score.
    mean : float
        The intercept.
    effects : dict of str to DataFrame
        Per factor: level, effect, se (prediction error; NaN for the eliminated factor), rows.
    deviance : float
        Minus twice the restricted log-likelihood at the optimum, up to a constant.
    rows : int
    left_out : tuple of str
        Factors whose variance these data cannot tell (see `estimable`): their variance and effects
        are set to 0, and what they do is in the other components.
    """

    variance: dict[str, float]
    mean: float
    effects: dict[str, pd.DataFrame]
    deviance: float
    rows: int
    left_out: tuple[str, ...] = ()

    def table(self) -> pd.DataFrame:
        """Columns component, variance, sd, share (of the sum), estimated (0: left out)."""
        values = np.array(list(self.variance.values()))
        return pd.DataFrame(
            {
                "component": list(self.variance),
                "variance": values,
                "sd": np.sqrt(values),
                "share": values / values.sum(),
                "estimated": [int(name not in self.left_out) for name in self.variance],
            }
        )

    def ratio(self, factor: str) -> float:
        """Residual variance over the factor's: the penalty of its effects."""
        return self.variance["residual"] / max(self.variance[factor], 1e-12)


class _Tables:
    """Cross-tabulations of an intercept and factors, the last factor kept apart (diagonal)."""

    def __init__(
        self, y: np.ndarray, codes: Sequence[np.ndarray], sizes: Sequence[int], w: np.ndarray
    ) -> None:
        from scipy import sparse

        self.sizes = list(sizes)
        n = len(y)
        offsets = np.concatenate([[1], 1 + np.cumsum(sizes[:-1])]).astype(int)
        self.blocks = [slice(int(o), int(o) + s) for o, s in zip(offsets, sizes[:-1], strict=False)]
        columns = [np.zeros(n, int)] + [c + o for c, o in zip(codes[:-1], offsets, strict=False)]
        k = len(columns)
        design = sparse.csr_array(
            (np.ones(n * k), (np.tile(np.arange(n), k), np.concatenate(columns))),
            shape=(n, int(offsets[-1])),
        )
        apart = sparse.csr_array((np.ones(n), (np.arange(n), codes[-1])), shape=(n, sizes[-1]))
        weighted = design * w[:, None]
        self.dense = (weighted.T @ design).toarray()
        self.cross = sparse.csr_array(apart.T @ weighted)  # levels of the last factor by columns
        self.diagonal = np.bincount(codes[-1], w, sizes[-1])
        self.right = design.T @ (w * y)
        self.right_apart = np.bincount(codes[-1], w * y, sizes[-1])
        self.total = float((w * y * y).sum())


def crossed(
    y: np.ndarray,
    factors: Mapping[str, np.ndarray],
    weights: np.ndarray | None = None,
) -> Components:
    """Variance components by restricted maximum likelihood; every factor random, one intercept.

    y = mean + sum of the factors' effects + residual, the effects of a factor independent normal
    with its variance, the residual's variance divided by the weight.

    Parameters
    ----------
    y : array of float, shape (n,)
    factors : mapping of name to array
        Labels or codes, each of shape (n,). The factor with the most levels is eliminated first.
    weights : array of float, optional
        Judgments averaged in each value.

    Raises
    ------
    DataError
        If a factor has a single level, or there are no more rows than levels of any factor.
    """
    from scipy import optimize

    if not len(y) or not np.isfinite(y).all():
        raise DataError("scores missing", value=len(y), expected="finite scores")
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    coded = _coded(factors, len(y))
    names = list(coded)
    centre = float(np.average(y, weights=w))
    scale = float(np.sqrt(np.average((y - centre) ** 2, weights=w))) or 1.0
    codes, sizes = [c for c, _ in coded.values()], [len(levels) for _, levels in coded.values()]
    tables = _Tables((y - centre) / scale, codes, sizes, w)
    rows = len(y)

    def objective(log_penalty: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient, _ = _deviance(tables, np.exp(log_penalty), rows)
        return value, gradient

    start, bounds = np.full(len(names), 3.0), [(-9, LARGEST)] * len(names)
    best = optimize.minimize(
        objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-9}
    )
    log_penalty = np.round(_polish(best.x, lambda x: objective(x)[1]), 6)
    penalty = np.exp(log_penalty)
    value, _, solution = _deviance(tables, penalty, rows)
    sigma2 = float(solution["sigma2"] * scale**2)
    variance = np.where(log_penalty < LARGEST - 0.1, sigma2 / penalty, 0.0)
    of = dict(zip(names, variance.tolist(), strict=True))
    effects = dict(zip(names, _effect_tables(tables, coded, solution, scale), strict=True))
    return Components(
        {name: of[name] for name in factors} | {"residual": sigma2},
        centre + scale * float(solution["beta"][0]),
        {name: effects[name] for name in factors},
        value + (rows - 1) * 2 * np.log(scale),
        rows,
    )


Coded = dict[str, tuple[np.ndarray, np.ndarray]]  # factor: code of each row, levels


def _coded(factors: Mapping[str, np.ndarray], rows: int) -> Coded:
    """Codes and levels of each factor, the one with the fewest levels first."""
    coded = {}
    for name, labels in factors.items():
        codes, levels = pd.factorize(np.asarray(labels), sort=True)
        if len(levels) < 2 or len(levels) >= rows:
            raise DataError(
                f"cannot estimate the variance of {name}",
                value=f"{len(levels)} levels in {rows} rows",
                expected="at least two levels, and several rows to a level",
            )
        coded[name] = (codes, levels)
    return dict(sorted(coded.items(), key=lambda item: len(item[1][1])))


def _effect_tables(
    tables: _Tables, coded: Coded, solution: dict[str, np.ndarray], scale: float
) -> list[pd.DataFrame]:
    """level, effect, se, rows of each factor; the last was eliminated and has no errors."""
    error = np.sqrt(np.diag(solution["inverse"]) * solution["sigma2"] * scale**2)
    each = [(solution["beta"][b], error[b]) for b in tables.blocks]
    each.append((solution["apart"], np.full(len(solution["apart"]), np.nan)))
    return [
        pd.DataFrame(
            {
                "level": levels,
                "effect": effect * scale,
                "se": se,
                "rows": np.bincount(codes, minlength=len(levels)),
            }
        )
        for (codes, levels), (effect, se) in zip(coded.values(), each, strict=True)
    ]


def estimable(factors: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Factors with at least two levels, and fewer levels than rows: what `crossed` can fit."""
    return tuple(n for n, labels in factors.items() if 1 < len(pd.unique(labels)) < len(labels))


def crossed_where_possible(
    y: np.ndarray,
    factors: Mapping[str, np.ndarray],
    weights: np.ndarray | None = None,
) -> Components:
    """`crossed`, leaving out factors that are not `estimable`: one worker, a row per segment.

    Such a factor gets variance 0, effects 0 and a place in `Components.left_out`.
    """
    kept = estimable(factors)
    left_out = tuple(name for name in factors if name not in kept)
    fitted = crossed(y, {name: factors[name] for name in kept}, weights)
    if not left_out:
        return fitted
    effects = dict(fitted.effects)
    for name in left_out:
        codes, levels = pd.factorize(np.asarray(factors[name]), sort=True)
        rows = np.bincount(codes, minlength=len(levels))
        effects[name] = pd.DataFrame({"level": levels, "effect": 0.0, "se": np.nan, "rows": rows})
    order = {name: fitted.variance.get(name, 0.0) for name in [*factors, "residual"]}
    return replace(
        fitted, variance=order, effects={n: effects[n] for n in factors}, left_out=left_out
    )


def _polish(x: np.ndarray, gradient: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Newton steps on the gradient, so that the optimum has more digits than are kept."""
    free = np.flatnonzero(x < LARGEST - 0.1)
    if not free.size:
        return x
    step, best = 1e-3, x.copy()
    at = gradient(best)
    hessian = np.empty((free.size, free.size))
    for j, k in enumerate(free):
        moved = best.copy()
        moved[k] += step
        hessian[:, j] = (gradient(moved) - at)[free] / step
    for _ in range(2):
        change = np.linalg.lstsq(hessian, at[free], rcond=None)[0]
        if not np.isfinite(change).all() or np.abs(change).max() > 0.5:
            break
        best[free] = best[free] - change
        at = gradient(best)
    return np.clip(best, -9, LARGEST)


def _deviance(
    t: _Tables, penalty: np.ndarray, rows: int
) -> tuple[float, np.ndarray, dict[str, np.ndarray]]:
    """Profiled -2 restricted log-likelihood, its gradient in log penalties, and the solution."""
    from scipy import linalg

    inner, last = penalty[:-1], penalty[-1]
    d = t.diagonal + last
    scaled = t.cross / d[:, None]
    a = t.dense - (t.cross.T @ scaled).toarray()
    for block, p in zip(t.blocks, inner, strict=True):
        index = np.arange(block.start, block.stop)
        a[index, index] += p
    right = t.right - scaled.T @ t.right_apart
    factor = linalg.cho_factor(a, lower=True)
    beta = linalg.cho_solve(factor, right)
    lower = np.tril(linalg.lapack.dpotri(factor[0], lower=1)[0])
    inverse = lower + np.tril(lower, -1).T
    apart = (t.right_apart - t.cross @ beta) / d
    sigma2 = (t.total - t.right @ beta - t.right_apart @ apart) / (rows - 1)
    logdet = np.log(d).sum() + 2 * np.log(np.diag(factor[0])).sum()
    sizes = np.array(t.sizes, float)
    value = (rows - 1) * np.log(sigma2) + logdet - (sizes * np.log(penalty)).sum()
    traces = [np.diag(inverse)[b].sum() for b in t.blocks]
    gram = (scaled.T @ scaled).tocoo()
    traces.append((1 / d).sum() + (gram.data * inverse[gram.row, gram.col]).sum())
    squares = [(beta[b] ** 2).sum() for b in t.blocks] + [(apart**2).sum()]
    gradient = penalty * (np.array(squares) / sigma2 + np.array(traces)) - sizes
    solution = {"beta": beta, "apart": apart, "inverse": inverse, "sigma2": sigma2}
    return float(value), gradient, solution


def effects(
    y: np.ndarray,
    system: np.ndarray,
    worker: np.ndarray,
    document: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    penalty: tuple[float, float] = (FIXED, FIXED),
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """System effects beside worker and document effects, by (penalised) least squares.

    Parameters
    ----------
    y : array of float, shape (n,)
    system, worker, document : arrays of int
        Codes from 0. Without `document`, there are no document effects.
    weights : array of float, optional
    penalty : tuple of float
        Of worker and document effects: `FIXED` for fixed effects (least squares; of the
        equivalent solutions the one whose worker and document effects are smallest), or the ratio
        residual variance / factor variance for random effects (Henderson's equations).

    Returns
    -------
    system, worker, document : arrays
        Effects; the system effects hold the overall level. Levels without rows get 0.
    """
    from scipy import linalg

    w = np.ones(len(y)) if weights is None else weights
    ns, nw = int(system.max()) + 1, int(worker.max()) + 1
    doc = np.zeros(len(y), int) if document is None else document
    nd = int(doc.max()) + 1
    parts = [(system, ns), (worker, nw), (doc, nd)]
    widths = [ns, nw, nd]

    def table(a: int, b: int) -> np.ndarray:
        (x, nx), (z, nz) = parts[a], parts[b]
        if document is None and 2 in (a, b):
            return np.zeros((nx, nz))
        return np.bincount(x * nz + z, w, nx * nz).reshape(nx, nz)

    # the larger of workers and documents is eliminated: its block is diagonal
    out, stay = (2, 1) if nd > nw else (1, 2)
    counts = [np.bincount(c, w, n) for c, n in parts]
    rights = [np.bincount(c, w * y, n) for c, n in parts]
    if document is None:
        rights[2][:] = 0.0
    lam = [0.0, penalty[0], penalty[1]]
    side = np.vstack([table(0, out), table(stay, out)])
    d = counts[out] + lam[out]
    a = np.zeros((ns + widths[stay],) * 2)
    a[:ns, :ns] = np.diag(counts[0] + (counts[0] == 0))
    a[:ns, ns:] = table(0, stay)
    a[ns:, :ns] = a[:ns, ns:].T
    a[ns:, ns:] = np.diag(counts[stay] + lam[stay])
    a -= (side / d) @ side.T
    right = np.concatenate([rights[0], rights[stay]]) - side @ (rights[out] / d)
    beta = linalg.cho_solve(linalg.cho_factor(a, check_finite=False), right, check_finite=False)
    eliminated = (rights[out] - side.T @ beta) / d
    answer = [beta[:ns], beta[ns:], beta[ns:]]
    answer[out], answer[stay] = eliminated, beta[ns:]
    return answer[0], answer[1], answer[2]
