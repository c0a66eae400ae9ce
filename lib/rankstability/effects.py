"""Beyond the z-score: rankings from models of systems, workers and documents, and how stable.

Knowles (2021, section 8) asks for ways to tell a strict worker from a worker who met poor systems.
Each method here gives one standardised score per judgment, which takes the place of the z-score in
`direct_assessment.segment_scores`; averages, tests and clusters stay the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from . import direct_assessment as da_scores
from . import perturb, variance
from .direct_assessment import COUNTED
from .errors import DataError
from .ranking import Ranking, compare
from .readers_da import DirectAssessment

METHODS = {
    "z": "the worker's mean and standard deviation over all they judged (WMT)",
    "raw": "no standardisation at all",
    "controls": "the worker's level and spread on the REF and BAD_REF rows only",
    "composition": "the worker's level and spread once systems and documents are accounted for",
    "model": "least squares: system, worker and document effects",
    "mixed": "the same with random workers and documents (shrunk by their variance)",
}
FEWEST = 3  # control rows of a worker below which the method knows nothing of the worker


def counted(da: DirectAssessment) -> np.ndarray:
    """Mask of the rows of ``da.good`` that count: SYSTEM and REPEAT."""
    kind = da.good["type"].cat
    return kind.categories.isin(COUNTED)[kind.codes.to_numpy()]


def _codes(frame: pd.DataFrame, column: str, rows: np.ndarray) -> np.ndarray:
    return frame[column].cat.codes.to_numpy()[rows].astype(np.int64)


def has_documents(da: DirectAssessment) -> bool:
    """Whether all judgments that count name their document."""
    return bool((_codes(da.good, "document", counted(da)) >= 0).all())


def judgment_weights(da: DirectAssessment, rows: np.ndarray) -> np.ndarray:
    """One over the judgments of the same system and segment: every segment weighs the same.

    With these weights the means of `model` scores are exactly the system effects.
    """
    segment = _codes(da.good, "segment", rows)
    key = _codes(da.good, "system", rows) * (segment.max() + 1) + segment
    return 1.0 / np.bincount(key)[key]


def components(da: DirectAssessment, scores: np.ndarray | None = None) -> variance.Components:
    """Variance of single judgments: system, worker, document, segment, residual.

    Parameters
    ----------
    da : DirectAssessment
    scores : array, optional
        One per row of ``da.good``, such as z-scores; by default the raw scores. NaN are left out.
    """
    values = da.good["score"].to_numpy(float) if scores is None else scores
    rows = counted(da) & np.isfinite(values)
    names = ["system", "worker", *(["document"] if has_documents(da) else []), "segment"]
    return variance.crossed(values[rows], {n: _codes(da.good, n, rows) for n in names})


@dataclass(frozen=True)
class Additive:
    """System, worker and document effects (points), and the worker's spread around them."""

    system: pd.Series
    worker: np.ndarray
    document: np.ndarray
    spread: np.ndarray


def additive(da: DirectAssessment, penalty: tuple[float, float] | None = None) -> Additive:
    """Effects by weighted least squares on the judgments that count.

    Parameters
    ----------
    da : DirectAssessment
    penalty : tuple of float, optional
        Of worker and document effects (residual variance over theirs): random effects.

    Returns
    -------
    Additive
        Indexed by the codes of ``da.good``'s categories; `spread` is the standard deviation of a
        worker's residuals, NaN below two judgments or where it is 0.
    """
    rows = counted(da)
    good = da.good
    present, system = np.unique(_codes(good, "system", rows), return_inverse=True)
    worker = _codes(good, "worker", rows)
    document = _codes(good, "document", rows) if has_documents(da) else None
    y = good["score"].to_numpy(float)[rows]
    s, w, d = variance.effects(
        y, system, worker, document, judgment_weights(da, rows), penalty or (variance.FIXED,) * 2
    )
    residual = y - s[system] - w[worker] - (0.0 if document is None else d[document])
    size = len(good["worker"].cat.categories)
    spread = _spread(worker, residual, size)
    names = good["system"].cat.categories[present]
    full = np.full(size, np.nan)
    full[: len(w)] = w
    return Additive(pd.Series(s, index=list(names)), full, d, spread)


def _spread(codes: np.ndarray, residual: np.ndarray, size: int) -> np.ndarray:
    n = np.bincount(codes, minlength=size).astype(float)
    squares = np.bincount(codes, residual**2, size)
    sd = np.sqrt(squares / np.where(n > 1, n - 1, np.nan))
    return np.where(sd > 1e-9, sd, np.nan)


def controls(da: DirectAssessment) -> tuple[np.ndarray, np.ndarray]:
    """Level and spread of each worker on the control rows (REF, BAD_REF), the same for all.

    The level is the worker's effect beside the effect of the type of row, so that a worker with
    many bad references is not taken for a strict one. NaN below three control rows.

    Returns
    -------
    level, spread : arrays, one per worker category
    """
    good = da.good
    kind = good["type"].cat
    rows = kind.categories.isin(["REF", "BAD_REF"])[kind.codes.to_numpy()]
    size = len(good["worker"].cat.categories)
    empty = np.full(size, np.nan)
    if not rows.any():
        return empty, empty.copy()
    worker = _codes(good, "worker", rows)
    present, types = np.unique(kind.codes.to_numpy()[rows], return_inverse=True)
    y = good["score"].to_numpy(float)[rows]
    t, w, _ = variance.effects(y, types, worker)
    level = np.full(size, np.nan)
    level[: len(w)] = w
    spread = _spread(worker, y - t[types] - w[worker], size)
    few = np.bincount(worker, minlength=size) < FEWEST
    level[few], spread[few] = np.nan, np.nan
    return level + t.mean(), spread


def standardised(
    da: DirectAssessment,
    methods: Iterable[str] = tuple(METHODS),
    penalty: tuple[float, float] | None = None,
) -> dict[str, np.ndarray]:
    """One score per row of ``da.good`` under each method, for `direct_assessment.segment_scores`.

    Parameters
    ----------
    da : DirectAssessment
    methods : iterable of str
        Names of `METHODS`.
    penalty : tuple of float, optional
        Of worker and document effects in ``mixed``; by default from `components` of these data.

    Returns
    -------
    dict of str to array
        NaN where the method knows nothing of the worker: such judgments do not count. A method is
        absent where no worker of a system can be standardised.
    """
    methods = list(methods)
    unknown = [m for m in methods if m not in METHODS]
    if unknown:
        raise DataError("unknown method", value=unknown[0], expected=", ".join(METHODS))
    good = da.good
    raw = good["score"].to_numpy(float)
    worker = good["worker"].cat.codes.to_numpy()
    out: dict[str, np.ndarray] = {}
    fitted = additive(da) if {"composition", "model"} & set(methods) else None
    for method in methods:
        if method == "z":
            values = da_scores.judgment_z(da)
        elif method == "raw":
            values = raw.copy()
        elif method == "controls":
            level, spread = controls(da)
            values = (raw - level[worker]) / spread[worker]
        elif method == "composition":
            assert fitted is not None
            centre = float(fitted.system.mean())  # else a wide spread would pull the level
            values = (raw - centre - fitted.worker[worker]) / fitted.spread[worker]
        else:
            fit = fitted if method == "model" else additive(da, penalty or penalties(da))
            assert fit is not None
            values = raw - fit.worker[worker]
            if has_documents(da):
                values = values - np.append(fit.document, np.nan)[_clipped(da, fit.document)]
        if method != "controls" or _all_systems(da, values):
            out[method] = values
    return out


def _clipped(da: DirectAssessment, document: np.ndarray) -> np.ndarray:
    """Document codes of all rows; those the model did not see point at the NaN after the last."""
    codes = da.good["document"].cat.codes.to_numpy()
    return np.where((codes < 0) | (codes >= len(document)), len(document), codes)


def _all_systems(da: DirectAssessment, values: np.ndarray) -> bool:
    rows = counted(da)
    system = _codes(da.good, "system", rows)
    known = np.isfinite(values[rows])
    return bool((np.bincount(system[known], minlength=system.max() + 1)[np.unique(system)]).all())


def penalties(
    da: DirectAssessment, fitted: variance.Components | None = None
) -> tuple[float, float]:
    """Residual variance over that of workers and of documents: what ``mixed`` shrinks by.

    The residual here holds the segments as well.
    """
    c = fitted or components(da)
    rest = c.variance["residual"] + c.variance["segment"]
    document = c.variance.get("document", 0.0)
    return rest / max(c.variance["worker"], 1e-9), rest / max(document, 1e-9)


def rankings(
    da: DirectAssessment,
    methods: Iterable[str] = tuple(METHODS),
    penalty: tuple[float, float] | None = None,
    **settings: str | float,
) -> dict[str, Ranking]:
    """The ranking under each method; `settings` as for `direct_assessment.rank_systems`."""
    scores = standardised(da, methods, penalty)
    return {
        m: da_scores.rank_systems(da_scores.segment_scores(da, z), **settings)  # type: ignore[arg-type]
        for m, z in scores.items()
    }


def stability(
    da: DirectAssessment,
    methods: Sequence[str] = tuple(METHODS),
    divisors: Sequence[float] = (1.25, 1.5, 2, 4, 10),
    leave_one_out: bool = True,
    penalty: tuple[float, float] | None = None,
    **settings: str | float,
) -> pd.DataFrame:
    """Removals and divisors of Knowles (2021, sections 5.2 and 8) under each method.

    Each method's ranking of the altered data is compared with its own ranking of all data, the
    removed (or degraded human) systems dropped from both before clustering.

    Parameters
    ----------
    da : DirectAssessment
    methods, penalty
        As for `standardised`; the penalties of ``mixed`` stay those of all data.
    divisors : sequence of float
    leave_one_out : bool
        Also remove each system in turn; without it only the lowest and the highest.
    **settings
        As for `direct_assessment.rank_systems`.

    Returns
    -------
    DataFrame
        pair, method, experiment (``human+ref``, ``lowest``, ``highest``, ``divisor 2``,
        ``without X``), kind (removal, divisor, leave-one-out), d_rank, d_cluster, d_both,
        kendall_distance, largest_move. A method that cannot standardise the altered data has no row.
    """
    if "mixed" in methods and penalty is None:
        penalty = penalties(da)
    base = rankings(da, methods, penalty, **settings)
    humans = set(perturb.human_systems(da))
    rows: list[dict[str, object]] = []

    def record(method: str, experiment: str, kind: str, gone: set[str], new: Ranking) -> None:
        change = compare(base[method].without(gone), new.without(gone)).row()
        keep = ("d_rank", "d_cluster", "d_both", "kendall_distance", "largest_move")
        rows.append(
            {"pair": da.pair, "method": method, "experiment": experiment, "kind": kind}
            | {k: change[k] for k in keep}
        )

    altered = [("human+ref", "removal", perturb.remove_human_and_reference(da))]
    altered += [(f"divisor {d:g}", "divisor", perturb.divide_scores(da, d)) for d in divisors]
    for experiment, kind, data in altered:
        for method, new in rankings(data, list(base), penalty, **settings).items():
            record(method, experiment, kind, humans, new)
    ends = {m: (r.systems[-1], r.systems[0]) for m, r in base.items()}
    wanted = {s for pair in ends.values() for s in pair}
    for system in perturb.ranked_systems(da) if leave_one_out else sorted(wanted):
        data = perturb.remove_systems(da, [system])
        for method, new in rankings(data, list(base), penalty, **settings).items():
            for name, end in zip(("lowest", "highest"), ends[method], strict=True):
                if system == end:
                    record(method, name, "removal", {system}, new)
            if leave_one_out:
                record(method, f"without {system}", "leave-one-out", {system}, new)
    frame = pd.DataFrame(rows)
    order = {m: k for k, m in enumerate(base)}
    return frame.sort_values(
        ["method", "kind"], key=lambda c: c.map(order) if c.name == "method" else c, kind="stable"
    ).reset_index(drop=True)


def totals(rows: pd.DataFrame) -> pd.DataFrame:
    """Changes per method and kind: method, kind, runs, d_rank, d_cluster, d_both, mean distance."""
    grouped = rows.groupby(["method", "kind"], sort=False)
    out = grouped.agg(
        runs=("d_rank", "size"),
        d_rank=("d_rank", "sum"),
        d_cluster=("d_cluster", "sum"),
        d_both=("d_both", "sum"),
        kendall_distance=("kendall_distance", "mean"),
    ).reset_index()
    order = {m: k for k, m in enumerate(METHODS)}
    return out.sort_values(
        ["kind", "method"], key=lambda c: c.map(order) if c.name == "method" else c
    ).reset_index(drop=True)


def simulate(
    da: DirectAssessment,
    fit: Additive,
    parts: variance.Components,
    rng: np.random.Generator,
) -> DirectAssessment:
    """New scores for the same tasks, from known system qualities: who judged what stays as it was.

    A score is the worker's spread times (system quality + document, segment, worker and residual
    parts drawn with the campaign's variances), about the overall mean, rounded and cut to 0..100.
    The qualities are the effects fitted to the campaign, so that gaps and imbalance are real; the
    spreads make the scores unlike the additive model, which must not be judged by its own law.
    Control rows are drawn about their own mean. Both files hold the rows of ``good``.
    """
    good = da.good
    sd = {k: float(np.sqrt(v)) for k, v in parts.variance.items()}
    codes = {
        c: good[c].cat.codes.to_numpy() for c in ("system", "worker", "document", "segment", "type")
    }
    size = {c: len(good[c].cat.categories) for c in codes}
    quality = np.append(fit.system.reindex(good["system"].cat.categories).to_numpy(float), np.nan)
    centre = float(fit.system.mean())
    clean = quality[codes["system"]] - centre
    raw = good["score"].to_numpy(float)
    for k, name in enumerate(good["type"].cat.categories):
        rows = codes["type"] == k
        if name not in COUNTED and rows.any():
            clean[rows] = np.nanmean((raw - fit.worker[codes["worker"]])[rows]) - centre
    part = {
        c: np.append(rng.normal(0, sd.get(c, 0.0), size[c]), 0.0)
        for c in ("worker", "document", "segment")
    }
    ratio = fit.spread / np.nanmedian(fit.spread)
    spread = np.where(np.isfinite(ratio), ratio, 1.0)
    noise = rng.normal(0, sd["residual"], len(good))
    drawn = clean + sum(part[c][codes[c]] for c in part) + noise
    score = np.clip(np.rint(centre + spread[codes["worker"]] * drawn), 0, 100)
    judged = good.assign(score=score)
    return replace(da, latest=judged, good=judged)


def means(
    da: DirectAssessment, methods: Sequence[str], penalty: tuple[float, float] | None
) -> dict[str, pd.Series]:
    """System means under each method, without tests: method to a Series indexed by system."""
    return {
        m: da_scores.segment_scores(da, z).system_means().set_index("system")["mean_z"]
        for m, z in standardised(da, methods, penalty).items()
    }


def distance(a: pd.Series, b: pd.Series) -> int:
    """Pairs of systems that two scores put in opposite order (the systems that both know)."""
    both = a.index.intersection(b.index)
    x, y = a[both].to_numpy(float), b[both].to_numpy(float)
    opposite = (x[:, None] - x[None, :]) * (y[:, None] - y[None, :]) < 0
    return int(np.triu(opposite, 1).sum())


def against_truth(
    da: DirectAssessment,
    simulations: int,
    seed: int,
    methods: Sequence[str] = tuple(METHODS),
    parts: variance.Components | None = None,
) -> pd.DataFrame:
    """How right and how stable each method is where the truth is known (see `simulate`).

    Returns
    -------
    DataFrame
        simulation, method, wrong (pairs of systems in the wrong order), moved (pairs that change
        places when the truly lowest and the truly highest system are removed, added up), pairs.
    """
    from .outputs import child_seeds

    parts = parts or components(da)
    fit = additive(da)
    penalty = penalties(da, parts)
    ends = [str(fit.system.idxmin()), str(fit.system.idxmax())]
    n = len(fit.system)
    rows = []
    for k, rng in enumerate(child_seeds(seed, simulations)):
        drawn = simulate(da, fit, parts, rng)
        before = means(drawn, methods, penalty)
        after = [means(perturb.remove_systems(drawn, [s]), list(before), penalty) for s in ends]
        for method, values in before.items():
            moved = [distance(values, a[method]) for a in after if method in a]
            rows.append((k, method, distance(values, fit.system), sum(moved), n * (n - 1) // 2))
    return pd.DataFrame(rows, columns=["simulation", "method", "wrong", "moved", "pairs"])
