"""Linear models with crossed factors (system, worker, document, segment), on cross-tabulations.

`statsmodels.MixedLM` handles crossed factors only as one group with dummy columns, which on a
campaign of 30,000 judgments by 200 workers takes hours. The same restricted likelihood is written
here on the normal equations, which are a few hundred rows whatever the number of judgments; tests
hold it against statsmodels on small campaigns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy import sparse

from ..errors import DataError
from .equations import Equations
from .reml import NONE, log_errors, maximise

Z95 = 1.959963984540054  # half a 95 % interval, in standard errors
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
        Per factor: level, effect, se (prediction error), rows.
    deviance : float
        Minus twice the restricted log-likelihood at the optimum, up to a constant.
    rows : int
    left_out : tuple of str
        Factors whose variance these data cannot tell (see `estimable`): their variance and effects
        are set to 0, and what they do is in the other components.
    log_error : dict of str to float
        Standard error of the log of a factor's variance over the residual's.
    """

    variance: dict[str, float]
    mean: float
    effects: dict[str, pd.DataFrame]
    deviance: float
    rows: int
    left_out: tuple[str, ...] = ()
    log_error: dict[str, float] = field(default_factory=dict)

    def table(self) -> pd.DataFrame:
        """Columns component, variance, low, high, sd, share (of the sum), estimated (0: left out).

        low and high are the 95 % interval of the variance by the information in its log ratio to
        the residual's, from 0 where that would reach beyond a factor of 10 (there the variance is
        not told from 0, nor its log normal); missing for the residual and for a variance of 0.
        """
        values = np.array(list(self.variance.values()))
        error = np.array([self.log_error.get(name, np.nan) for name in self.variance])
        wide = Z95 * error
        far = wide > np.log(10)
        factor = np.exp(np.where(far, np.nan, wide))
        return pd.DataFrame(
            {
                "component": list(self.variance),
                "variance": values,
                "low": np.where(far, 0.0, values / factor),
                "high": values * np.where(far, 1 + wide, factor),
                "sd": np.sqrt(values),
                "share": values / values.sum(),
                "estimated": [int(name not in self.left_out) for name in self.variance],
            }
        )

    def ratio(self, factor: str) -> float:
        """Residual variance over the factor's: the penalty of its effects."""
        return self.variance["residual"] / max(self.variance[factor], 1e-12)


def crossed(
    y: np.ndarray,
    factors: Mapping[str, np.ndarray],
    weights: np.ndarray | None = None,
    values: Mapping[str, np.ndarray] | None = None,
) -> Components:
    """Variance components by restricted maximum likelihood; every factor random, one intercept.

    y = mean + sum of the factors' effects + residual, the effects of a factor independent normal
    with its variance, the residual's variance divided by the weight.

    Parameters
    ----------
    y : array of float, shape (n,)
    factors : mapping of name to array
        Labels or codes, each of shape (n,).
    weights : array of float, optional
        Judgments averaged in each value.
    values : mapping of name to array, optional
        Of some factors, what their effects are multiplied by in each row: random slopes.

    Raises
    ------
    DataError
        If a factor has a single level, or there are no more rows than levels of any factor.
    """
    if not len(y) or not np.isfinite(y).all():
        raise DataError("scores missing", value=len(y), expected="finite scores")
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    coded = _coded(factors, len(y))
    centre = float(np.average(y, weights=w))
    scale = float(np.sqrt(np.average((y - centre) ** 2, weights=w))) or 1.0
    sizes = [len(levels) for _, levels in coded.values()]
    times = [(values or {}).get(name, np.ones(len(y))) for name in coded]
    equations = Equations([codes for codes, _ in coded.values()], sizes, w, times)
    fit = maximise(equations, (y - centre) / scale)
    residual = fit.residual * scale**2
    there = fit.log_ratio > NONE
    of = np.where(there, residual * np.exp(fit.log_ratio), 0.0)
    effects = {
        name: pd.DataFrame(
            {
                "level": levels,
                "effect": effect * scale,
                "se": np.sqrt(error * residual),
                "rows": np.bincount(codes, minlength=len(levels)),
            }
        )
        for (name, (codes, levels)), effect, error in zip(
            coded.items(), fit.effects, fit.errors, strict=True
        )
    }
    return Components(
        dict(zip(coded, of.tolist(), strict=True)) | {"residual": residual},
        centre + scale * fit.intercept,
        effects,
        fit.deviance + (len(y) - 1) * 2 * np.log(scale),
        len(y),
        log_error=dict(zip(coded, log_errors(fit, there).tolist(), strict=True)),
    )


Coded = dict[str, tuple[np.ndarray, np.ndarray]]  # factor: code of each row, levels


def _coded(factors: Mapping[str, np.ndarray], rows: int) -> Coded:
    """Codes and levels of each factor."""
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
    return coded


def estimable(factors: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Factors that `crossed` can fit: two levels or more, fewer than rows, and not another's twin.

    Of two factors that divide the rows in the same way the earlier one stays.
    """
    kept: dict[str, np.ndarray] = {}
    for name, labels in factors.items():
        codes, levels = pd.factorize(np.asarray(labels))
        twin = any(np.array_equal(codes, other) for other in kept.values())
        if 1 < len(levels) < len(codes) and not twin:
            kept[name] = codes
    return tuple(kept)


def crossed_where_possible(
    y: np.ndarray,
    factors: Mapping[str, np.ndarray],
    weights: np.ndarray | None = None,
    values: Mapping[str, np.ndarray] | None = None,
) -> Components:
    """`crossed`, leaving out factors that are not `estimable`: one worker, a row per segment.

    Such a factor gets variance 0, effects 0 and a place in `Components.left_out`.
    """
    slopes = [n for n in values or {} if len(np.unique(factors[n])) > 1]
    kept = estimable({n: c for n, c in factors.items() if n not in (values or {})})
    kept = tuple(n for n in factors if n in kept or n in slopes)
    left_out = tuple(name for name in factors if name not in kept)
    fitted = crossed(y, {name: factors[name] for name in kept}, weights, values)
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
    y : array of float, shape (n,) or (n, columns)
        Several columns are fitted each for itself.
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
    weighted = (w * y.T).T
    rights = [level_sums(c, weighted, n) for c, n in parts]
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
    right = np.concatenate([rights[0], rights[stay]]) - side @ (rights[out].T / d).T
    beta = linalg.cho_solve(linalg.cho_factor(a, check_finite=False), right, check_finite=False)
    eliminated = ((rights[out] - side.T @ beta).T / d).T
    answer = [beta[:ns], beta[ns:], beta[ns:]]
    answer[out], answer[stay] = eliminated, beta[ns:]
    return answer[0], answer[1], answer[2]


def level_sums(codes: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Sum of the rows of each level, shape (size,) or (size, columns)."""
    if values.ndim == 1:
        return np.bincount(codes, values, size)
    rows = np.arange(len(codes))
    indicator = sparse.csr_array((np.ones(len(codes)), (codes, rows)), shape=(size, len(codes)))
    return np.asarray(indicator @ values)
