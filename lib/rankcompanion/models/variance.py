"""Linear models with crossed factors (system, worker, document, segment), on cross-tabulations.

`statsmodels.MixedLM` handles crossed factors only as one group with dummy columns, which takes
hours for a campaign. Here the same restricted likelihood is computed from the normal equations (see
`reml`); tests compare it with statsmodels.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy import linalg, sparse

from rankstability.errors import DataError
from rankstability.judgments import DirectAssessment, counted
from rankstability.score.scored import Scores

from . import reml
from .reml import NONE, Equations, log_errors, maximise

Z95 = 1.959963984540054  # half a 95 % interval, in standard errors
FIXED = 1e-6  # penalty of fixed factors, which only picks one of the equivalent solutions
GROUPS = 10  # random groups of units that are left out; intervals have one degree of freedom less
TOGETHER = ("worker:system", "block", "document:system")
"""Combinations of factors that make judgments of one system dependent."""
FACTORS = ("system", "worker", "document", "segment", *TOGETHER)


@dataclass(frozen=True)
class Components:
    """Variance components of single judgments, and the effects predicted with them.

    `left_out` are factors that these data do not determine; what they add is in the others.
    """

    variance: dict[str, float]  # per factor and ``residual``, in squared units of the score
    mean: float  # the intercept
    effects: dict[str, pd.DataFrame]  # per factor: level, effect, se (prediction error), rows
    deviance: float  # minus twice the restricted log-likelihood at the optimum, but for a constant
    rows: int
    left_out: tuple[str, ...] = ()
    log_error: dict[str, float] = field(default_factory=dict)  # of log(variance / residual's)

    def table(self) -> pd.DataFrame:
        """A row per component, with the interval of its variance and its share of the sum.

        low and high are the 95 % interval from the standard error of the log ratio to the
        residual's variance. If that interval exceeds a factor of 10, it begins at 0, since the
        variance cannot be told from 0 and its log is not normal. Missing for the residual and for a
        variance of 0. estimated is 0 for what was left out.
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


def crossed(
    y: np.ndarray,
    factors: Mapping[str, np.ndarray],
    weights: np.ndarray | None = None,
    values: Mapping[str, np.ndarray] | None = None,
) -> Components:
    """Variance components by restricted maximum likelihood, with random factors and an intercept.

    The model is y = mean + sum of the factors' effects + residual; the effects of a factor are
    independent and normal with its variance, and the residual's variance is divided by the weight.
    `factors` hold labels or codes; `weights` are the judgments averaged in each value; `values`
    hold, for some factors, what their effects are multiplied by in each row (random slopes).

    Raises DataError if there are no scores or some are not finite, and if a factor has a single
    level, or as many levels as there are rows.
    """
    if not len(y) or not np.isfinite(y).all():
        raise DataError("scores missing", value=len(y), expected="finite scores")
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    coded = {name: pd.factorize(np.asarray(of), sort=True) for name, of in factors.items()}
    for name, (_, levels) in coded.items():
        if len(levels) < 2 or len(levels) >= len(y):
            problem = f"cannot estimate the variance of {name}"
            value, least = f"{len(levels)} levels in {len(y)} rows", "at least two levels"
            raise DataError(problem, value=value, expected=f"{least}, and several rows to a level")
    centre = float(np.average(y, weights=w))
    scale = float(np.sqrt(np.average((y - centre) ** 2, weights=w))) or 1.0
    times = [(values or {}).get(name, np.ones(len(y))) for name in coded]
    equations = Equations([codes for codes, _ in coded.values()], w, times)
    fit = maximise(equations, (y - centre) / scale)
    residual, there = fit.residual * scale**2, fit.log_ratio > NONE
    of = np.where(there, residual * np.exp(fit.log_ratio), 0.0)
    effects = {}
    for (name, (codes, levels)), effect, error in zip(
        coded.items(), fit.effects, fit.errors, strict=True
    ):
        table = pd.DataFrame({"level": levels, "effect": effect * scale})
        number = np.bincount(codes, minlength=len(levels))
        effects[name] = table.assign(se=np.sqrt(error * residual), rows=number)
    return Components(
        dict(zip(coded, of.tolist(), strict=True)) | {"residual": residual},
        centre + scale * fit.intercept,
        effects,
        fit.deviance + (len(y) - 1) * 2 * np.log(scale),
        len(y),
        log_error=dict(zip(coded, log_errors(fit, there).tolist(), strict=True)),
    )


def crossed_where_possible(
    y: np.ndarray,
    factors: Mapping[str, np.ndarray],
    weights: np.ndarray | None = None,
    values: Mapping[str, np.ndarray] | None = None,
) -> Components:
    """`crossed` without factors whose variance these data do not determine.

    A factor is kept if it has two or more levels, but fewer than there are rows; if two factors
    group the rows in the same way, only the first is kept. The others are in
    `Components.left_out`. Raises DataError if all `y` are equal, if no factor is left, or if the
    factors explain the scores completely.
    """
    slopes = values or {}
    kept: dict[str, np.ndarray] = {}
    for name, labels in factors.items():
        codes, levels = pd.factorize(np.asarray(labels))
        twin = any(np.array_equal(codes, kept[other]) for other in kept if other not in slopes)
        if len(levels) > 1 and (name in slopes or (len(levels) < len(codes) and not twin)):
            kept[name] = codes
    if not kept or np.ptp(y) == 0:
        problem = "no variance that could be divided" if kept else "too few scores to divide"
        raise DataError(problem, value=f"{len(y)} scores", expected="several of each, that differ")
    try:
        fitted = crossed(y, {name: factors[name] for name in kept}, weights, values)
    except np.linalg.LinAlgError:  # the factors explain everything
        expected = "scores that factors do not explain wholly"
        raise DataError("no variance is left over", expected=expected) from None
    effects = {}
    for name, labels in factors.items():
        levels, rows = np.unique(np.asarray(labels), return_counts=True)
        none = pd.DataFrame({"level": levels, "effect": 0.0, "se": np.nan, "rows": rows})
        effects[name] = fitted.effects.get(name, none)
    variance = {name: fitted.variance.get(name, 0.0) for name in [*factors, "residual"]}
    left_out = tuple(name for name in factors if name not in kept)
    return replace(fitted, variance=variance, effects=effects, left_out=left_out)


def effects(
    y: np.ndarray,
    system: np.ndarray,
    worker: np.ndarray,
    document: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    penalty: tuple[float, float] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Effects of systems, workers and documents, by (penalised) least squares.

    The system effects include the overall level. Levels without rows get 0. Several columns of `y`
    are fitted separately. `penalty`, of worker and document effects, is the ratio of residual to
    factor variance for random effects (Henderson's equations); by default these effects are fixed,
    and the smallest of the equivalent solutions are taken.
    """
    w = np.ones(len(y)) if weights is None else weights
    codes = [system, worker] if document is None else [system, worker, document]
    sizes = [int(c.max()) + 1 for c in codes]
    add = [(np.bincount(system) == 0).astype(float), *(penalty or (FIXED, FIXED))]
    # the larger of workers and documents is eliminated: its block is diagonal
    out = max(range(1, len(codes)), key=lambda f: sizes[f])
    stay = [f for f in range(len(codes)) if f != out]

    def table(f: int, g: int) -> np.ndarray:
        size = sizes[f] * sizes[g]
        return np.bincount(codes[f] * sizes[g] + codes[g], w, size).reshape(-1, sizes[g])

    weighted = (w * y.T).T
    rights = [level_sums(c, weighted, n) for c, n in zip(codes, sizes, strict=True)]
    side = np.vstack([table(f, out) for f in stay])
    d = np.bincount(codes[out], w, sizes[out]) + add[out]
    a = np.block([[table(f, g) for g in stay] for f in stay])
    a += np.diag(np.concatenate([np.full(sizes[f], add[f]) for f in stay]))
    a -= (side / d) @ side.T
    right = np.concatenate([rights[f] for f in stay]) - side @ (rights[out].T / d).T
    beta = linalg.cho_solve(linalg.cho_factor(a, check_finite=False), right, check_finite=False)
    answer = dict(zip(stay, np.split(beta, [sizes[0]]), strict=False))
    answer[out] = ((rights[out] - side.T @ beta).T / d).T
    return answer[0], answer[1], answer.get(2, np.zeros((1, *y.shape[1:])))


def level_sums(codes: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """The sums of `values` over the rows of each level: (size,) or (size, columns)."""
    if values.ndim == 1:
        return np.bincount(codes, values, size)
    rows = np.arange(len(codes))
    indicator = sparse.csr_array((np.ones(len(codes)), (codes, rows)), shape=(size, len(codes)))
    return np.asarray(indicator @ values)


@dataclass(frozen=True)
class LeftOut:
    """The results of fits that each leave out a group of units."""

    factors: tuple[str, ...]  # those with a variance above 0
    log_ratio: np.ndarray  # changes of log(variance / residual's): (groups, factors)
    document: np.ndarray  # effects in the order of codes: (groups, documents), if these are known


def error(values: np.ndarray) -> np.ndarray:
    """Jackknife standard errors, from `values` with a row for each group that is left out."""
    groups = len(values)
    return np.sqrt((groups - 1) / groups * ((values - values.mean(axis=0)) ** 2).sum(axis=0))


def leave_out(
    judged: Scores,
    parts: Components,
    unit: str,
    rng: np.random.Generator,
    weights: np.ndarray | None = None,
    groups: int = GROUPS,
) -> LeftOut:
    """Fit the components again without each group of units (delete-a-group jackknife).

    Each fit is one Newton step of the restricted likelihood from the components `parts` of all
    judgments; document effects are predicted with the latter. `unit` is one of ``Scores.units`` or
    ``segment``, `weights` are the judgments averaged in each score.
    """
    known = [n for n in parts.variance if n != "residual" and n not in parts.left_out]
    units = judged.units
    of = combined_factors(judged.system, judged.segment, units.get("worker"), units.get("document"))
    ratio = np.array([parts.variance[n] / parts.variance["residual"] for n in known])
    at = np.log(np.maximum(ratio, np.exp(reml.NONE)))
    there = at > reml.NONE
    weight = np.ones(len(judged.score)) if weights is None else weights
    _, unit_of = np.unique(judged.unit(unit), return_inverse=True)
    number = int(unit_of.max()) + 1
    group = (rng.permutation(number) % groups)[unit_of]
    documents = int(of["document"].max()) + 1 if "document" in known else 0
    steps, effects = [], np.zeros((min(groups, number), documents))
    for g, effect in enumerate(effects):
        rows = group != g
        levels = [np.unique(of[n][rows], return_inverse=True) for n in known]
        equations = Equations([codes for _, codes in levels], weight[rows])
        y = judged.score[rows] - np.average(judged.score[rows], weights=weight[rows])
        fit = reml.fit_at(equations, y, at)
        hessian = fit.hessian[np.ix_(there, there)]
        hessian += np.diag(1e-3 * np.diag(hessian) + 1e-9)
        steps.append(np.clip(np.linalg.solve(hessian, -fit.gradient[there]), -reml.FAR, reml.FAR))
        if documents:
            at_all = known.index("document")
            effect[levels[at_all][0]] = fit.effects[at_all]
    names = tuple(name for name, some in zip(known, there, strict=True) if some)
    return LeftOut(names, np.array(steps), effects)


def codes_of(frame: pd.DataFrame, column: str, rows: np.ndarray) -> np.ndarray:
    """The codes of a categorical column on these rows."""
    return frame[column].cat.codes.to_numpy()[rows].astype(np.int64)


def has_documents(da: DirectAssessment) -> bool:
    """Whether all judgments that count name their document."""
    return bool((codes_of(da.good, "document", counted(da.good)) >= 0).all())


def judgment_weights(da: DirectAssessment, rows: np.ndarray) -> np.ndarray:
    """One over the number of judgments of the same system and segment, so that segments are equal.

    System means of the scores by the method ``model`` are then exactly the system effects.
    """
    segment = codes_of(da.good, "segment", rows)
    key = codes_of(da.good, "system", rows) * (segment.max() + 1) + segment
    return 1.0 / np.bincount(key)[key]


def factors(da: DirectAssessment, rows: np.ndarray) -> dict[str, np.ndarray]:
    """`combined_factors` of these rows of ``da.good``."""
    of = {n: codes_of(da.good, n, rows) for n in ("system", "segment", "worker", "document")}
    if not has_documents(da):
        del of["document"]
    return combined_factors(**of)


def combined_factors(
    system: np.ndarray,
    segment: np.ndarray,
    worker: np.ndarray | None = None,
    document: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Codes of system, worker, document, segment and their combinations, by name.

    ``worker:system`` and ``document:system`` combine a worker or a document with a system; a
    ``block`` is what one worker judged of one document of one system. Without workers or documents,
    the factors that need them are absent.
    """
    of = {"system": system, "worker": worker, "document": document, "segment": segment}
    systems = int(system.max()) + 1
    for name, codes in (("worker:system", worker), ("document:system", document)):
        of[name] = None if codes is None else codes.astype(np.int64) * systems + system
    if worker is not None and document is not None:
        of["block"] = (worker.astype(np.int64) * (document.max() + 1) + document) * systems + system
    return {n: codes for n in FACTORS if (codes := of.get(n)) is not None}
