"""A simulated truth for a campaign's own tasks, and a check of it by halves of the workers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from rankstability.judgments import COUNTED, DirectAssessment, counted
from rankstability.rank.comparing import tau
from rankstability.score.da import judgment_z

from . import additive as models
from . import variance
from .additive import Additive

SPLITS = 4  # random halves of each simulated campaign


@dataclass(frozen=True)
class Truth:
    """Known qualities of systems, and how scores vary around them, for the rows of ``da.good``."""

    da: DirectAssessment  # the tasks that are scored again: the rows of ``good`` in both files
    quality: pd.Series  # the true mean of each system, in points
    expected: np.ndarray  # by row: the quality of the system, or the mean of such control rows
    codes: dict[str, np.ndarray]  # of each component, by row: its level, -1 for none
    variance: dict[str, float]  # by component
    stretch: np.ndarray  # by row: the worker's spread divided by the median worker's
    values: dict[str, np.ndarray]  # what effects of some components are multiplied by, by row

    def draw(self, draws: int, rng: np.random.Generator) -> np.ndarray:
        """Scores of `draws` campaigns, (rows, draws), rounded to whole points.

        A score is the worker's level plus the worker's spread (so that the additive model is not
        tested on data that obey it) times the sum of quality and all other components. Scores are
        not clipped: the components are those of clipped scores, and would lose variance twice.
        """
        centre = float(self.quality.mean())
        codes = dict(self.codes)
        own = {"worker": codes.pop("worker")}
        level = draw_parts(own, {**self.variance, "residual": 0.0}, draws, rng)
        parts = draw_parts(codes, self.variance, draws, rng, self.values)
        parts += (self.expected - centre)[:, None]
        return np.rint(centre + level + self.stretch[:, None] * parts)


def known_truth(
    da: DirectAssessment,
    parts: variance.Components | None = None,
    fit: Additive | None = None,
    together: bool = True,
) -> Truth:
    """The truth fitted to a campaign.

    Components and effects are fitted to scores in which each worker's spread is made that of the
    median worker, because `Truth.draw` stretches them again. Without `additive.DISCERNMENT`, slopes
    of workers would pass for preferences for single systems, which reorder systems. Qualities are
    the effects of the systems, shrunk to the variance of the component: unshrunk, they include
    contributions of their workers and documents. `parts` and `fit` may be given; `together` is as
    for `additive.components`.
    """
    first = fit or models.additive(da)
    good, centre = da.good, float(first.system.mean())
    ratio = first.spread / np.nanmedian(first.spread)
    worker = good["worker"].cat.codes.to_numpy()
    stretch = np.where(np.isfinite(ratio), ratio, 1.0)[worker]
    level = centre + np.nan_to_num(first.worker)[worker]
    even = level + (good["score"].to_numpy(float) - level) / stretch
    fit = fit or models.additive(replace(da, good=good.assign(score=even)))
    if parts is None:
        parts = models.components(da, even, together)
        if together:
            rest = models.components(da, even, quality=fit.system).variance
            parts = replace(parts, variance={**rest, "system": parts.variance["system"]})
    shrink = np.sqrt(parts.variance["system"] / max(float(fit.system.var()), 1e-12))
    quality = centre + shrink * (fit.system - fit.system.mean())
    kept = counted(good)
    expected = quality.reindex(good["system"].astype(str)).to_numpy(float)
    kinds = good["type"].cat
    for k, name in enumerate(kinds.categories):
        rows = kinds.codes.to_numpy() == k
        if name not in COUNTED and rows.any():
            expected[rows] = np.nanmean((even - np.nan_to_num(fit.worker)[worker])[rows])
    codes = {n: good[n].cat.codes.to_numpy().astype(int) for n in ("worker", "document", "segment")}
    nowhere = np.full(len(good), -1)  # no effect on control rows
    for name, levels in variance.factors(da, kept).items():
        if name in variance.TOGETHER:
            codes[name] = nowhere.copy()
            codes[name][kept] = pd.factorize(levels)[0]
    codes[models.DISCERNMENT] = np.where(kept, worker, -1)
    values = {models.DISCERNMENT: models.spacing(da, fit.system)}
    only = DirectAssessment(da.pair, good, good, da.excluded)
    return Truth(only, quality, expected, codes, parts.variance, stretch, values)


def cell_means(
    da: DirectAssessment, scores: np.ndarray, member: np.ndarray | None = None
) -> np.ndarray:
    """The mean of segment means of each ranked system, (systems, columns); NaN without scores.

    `scores` are (rows of ``good``, columns); NaN, and rows outside the mask `member`, do not count.
    """
    rows = counted(da.good)
    system = pd.factorize(variance.codes_of(da.good, "system", rows), sort=True)[0]
    segment = variance.codes_of(da.good, "segment", rows)
    _, first, cell = np.unique(
        system * (segment.max() + 1) + segment, return_index=True, return_inverse=True
    )
    values = scores[rows]
    there = np.isfinite(values) if member is None else member[rows] & np.isfinite(values)
    number = variance.level_sums(cell, there.astype(float), len(first))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = variance.level_sums(cell, np.where(there, values, 0.0), len(first)) / number
        of_cell, n = system[first], int(system.max()) + 1
        total = variance.level_sums(of_cell, np.nan_to_num(mean), n)
        return total / variance.level_sums(of_cell, (number > 0).astype(float), n)


def half_taus(da: DirectAssessment, z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Kendall's tau between system means by two random halves of the workers, for each column."""
    worker = da.good["worker"].cat.codes.to_numpy()
    seen = np.unique(worker[counted(da.good)])
    order = np.argsort(rng.random((len(seen), z.shape[1])), axis=0)
    first = np.zeros((int(worker.max()) + 1, z.shape[1]), bool)
    first[seen] = order < len(seen) // 2
    one, two = (cell_means(da, z, m) for m in (first[worker], ~first[worker]))
    return tau(one.T, two.T)


def split_halves(
    da: DirectAssessment,
    truths: dict[str, Truth],
    rng: np.random.Generator,
    simulations: int = 100,
    splits: int = 100,
) -> pd.DataFrame:
    """Agreement of halves of the workers, in the campaign and in simulated ones.

    The real campaign is split `splits` times, each of the `simulations` from one of `truths`
    `SPLITS` times.

    Columns pair, scores (``real`` or a name of `truths`), draw (number of the split of the real
    campaign, or of the simulated campaign), tau (for a simulated campaign, the mean over splits).
    """
    z = np.repeat(judgment_z(da)[:, None], splits, axis=1)
    taus = {"real": half_taus(da, z, rng)}
    for name, truth in truths.items():
        drawn = models.standardised_columns(truth.da, truth.draw(simulations, rng), ["z"])["z"]
        taus[name] = np.mean([half_taus(da, drawn, rng) for _ in range(SPLITS)], axis=0)
    rows = [(da.pair, name, k, tau) for name, of in taus.items() for k, tau in enumerate(of)]
    return pd.DataFrame(rows, columns=["pair", "scores", "draw", "tau"])


def agreement_check(rows: pd.DataFrame) -> pd.DataFrame:
    """Real and simulated agreement of halves (`split_halves`), by pair and for the campaign.

    Columns pair (``campaign``: the mean over pairs), scores, tau (mean), low, high (for ``real``
    the 95 % Monte Carlo interval of the mean over splits, else the range of 95 % of simulated
    campaigns), as_real (1: the real mean lies in that range).
    """
    whole = rows.groupby(["scores", "draw"], sort=False)["tau"].mean().reset_index()
    every = pd.concat([rows, whole.assign(pair="campaign")])
    out = []
    for (pair, scores), of in every.groupby(["pair", "scores"], sort=False):
        tau = of["tau"].to_numpy()
        half = 1.96 * tau.std(ddof=1) / np.sqrt(len(tau)) if len(tau) > 1 else np.nan
        ends = (tau.mean() - half, tau.mean() + half)
        if scores != "real":
            ends = tuple(np.quantile(tau, [0.025, 0.975]))
        out.append((pair, scores, tau.mean(), *ends))
    table = pd.DataFrame(out, columns=["pair", "scores", "tau", "low", "high"])
    real = table["pair"].map(table[table["scores"] == "real"].set_index("pair")["tau"])
    return table.assign(as_real=((real >= table["low"]) & (real <= table["high"])).astype(int))


def bears_out(check: pd.DataFrame) -> bool:
    """Whether the campaign's real agreement lies in the simulated range (`agreement_check`)."""
    of = check[(check["pair"] == "campaign") & (check["scores"] == "simulated")]
    return bool(of["as_real"].all())


def draw_parts(
    codes: Mapping[str, np.ndarray],
    variance: Mapping[str, float],
    draws: int,
    rng: np.random.Generator,
    values: Mapping[str, np.ndarray] | None = None,
) -> np.ndarray:
    """The sum of independent normal effects of each factor and of a residual: (rows, draws).

    `codes` maps each factor to the level of each row; if negative, the factor adds nothing to the
    row. `variance` is that of each factor and of ``residual``. `values` maps some factors to what
    their effects are multiplied by in each row.
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
    """Permute the labels of systems within each unit; returns the new system of each judgment.

    Judgments of a system within a unit stay together. `system`, `unit` and the result are codes of
    each judgment, from 0.
    """
    n, units = int(system.max()) + 1, int(unit.max()) + 1
    key = unit.astype(np.int64) * n + system
    held = np.bincount(key, minlength=units * n).reshape(units, n) > 0
    chance = np.where(held, rng.random((units, n)), np.inf)
    # the systems of a unit, in order, are mapped to the systems of that unit in random order
    random_order = np.argsort(chance, axis=1)
    plain_order = np.argsort(np.where(held, np.arange(n), n + np.arange(n)), axis=1)
    new = np.empty((units, n), dtype=np.int64)
    np.put_along_axis(new, plain_order, random_order, axis=1)
    return new[unit, system]


def shuffle_blocks(
    system: np.ndarray, block: np.ndarray, worker: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Permute the labels of blocks (judgments of a worker, document, system) within each worker."""
    _, first, place = np.unique(block, return_index=True, return_inverse=True)
    of_block, by = system[first], worker[first]
    order = np.lexsort((rng.random(len(by)), by))
    new = np.empty_like(of_block)
    new[np.argsort(by, kind="stable")] = of_block[order]
    return new[place]
