"""How far components and document effects move when whole units are left out of a campaign."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankstability.score.factors import combined_factors
from rankstability.score.scored import Scored

from . import reml, variance
from .reml import Equations

GROUPS = 10
"""Units are left out in so many groups, at random; an interval has one degree of freedom less."""


@dataclass(frozen=True)
class LeftOut:
    """Of each fit without a group of units, what it says.

    `factors` are those with a variance above 0; `log_ratio`, (groups, factors), the change of the
    log of the factor's variance over the residual's; `document`, (groups, documents), the effects
    by the codes of the judgments; no columns without documents.
    """

    factors: tuple[str, ...]
    log_ratio: np.ndarray
    document: np.ndarray


def error(values: np.ndarray) -> np.ndarray:
    """Jackknife standard error of values of which each row leaves out one group."""
    groups = len(values)
    return np.sqrt((groups - 1) / groups * ((values - values.mean(axis=0)) ** 2).sum(axis=0))


def leave_out(
    judged: Scored,
    parts: variance.Components,
    unit: str,
    rng: np.random.Generator,
    weights: np.ndarray | None = None,
    groups: int = GROUPS,
) -> LeftOut:
    """Fit the components again without each group of units (delete-a-group jackknife).

    Each fit is one Newton step of the restricted likelihood from the components of all judgments;
    document effects are predicted with these components.

    `parts` are the components fitted to the judgments, `unit` one of ``Scored.units`` or
    ``segment``, `weights` the judgments averaged in each score.
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
