"""Rankings under ways of standardising other than z, and which are stable and right (notebook 05).

Section 8 of Knowles (2021) asks for such ways. Stability can be had for nothing (raw means never
move when a system is removed), so each method is also tried where the truth is known: new scores
for the campaign's own tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..chance import child_seeds
from ..change import perturb
from ..errors import DataError
from ..judgments import COUNTED, DirectAssessment, human_systems, ranked_systems
from ..rank.ranking import Ranking, compare, opposite_pairs
from ..rank.systems import rank_systems
from ..score import da as da_scores
from ..score import variance
from ..score.models import (
    METHODS,
    Additive,
    additive,
    components,
    penalties,
    standardised,
)


def rankings(
    da: DirectAssessment,
    methods: Iterable[str] = tuple(METHODS),
    penalty: tuple[float, float] | None = None,
    **settings: str | float,
) -> dict[str, Ranking]:
    """The ranking under each method; `settings` as for `rank.systems.rank_systems`."""
    scores = standardised(da, methods, penalty)
    return {
        m: rank_systems(da_scores.segment_scores(da, z), **settings)  # type: ignore[arg-type]
        for m, z in scores.items()
    }


def ranks(rankings: dict[str, Ranking]) -> pd.DataFrame:
    """All rankings as rows: method, rank, system, cluster, score (on the method's own scale)."""
    frames = [
        r.table[["rank", "system", "cluster"]].assign(method=m, score=r.table["mean_z"])
        for m, r in rankings.items()
    ]
    columns = ["method", "rank", "system", "cluster", "score"]
    return pd.concat(frames, ignore_index=True)[columns]


def changes_by_method(
    da: DirectAssessment,
    methods: Sequence[str] = tuple(METHODS),
    divisors: Sequence[float] = (1.25, 1.5, 2, 4, 10),
    leave_one_out: bool = True,
    penalty: tuple[float, float] | None = None,
    **settings: str | float,
) -> pd.DataFrame:
    """What removals and divisors change in the ranking under each method.

    Knowles (2021), sections 5.2 and 8.

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
        As for `rank.systems.rank_systems`.

    Returns
    -------
    DataFrame
        pair, method, experiment (``human+ref``, ``lowest``, ``highest``, ``divisor 2``,
        ``without X``), kind (removal, divisor, leave-one-out), d_rank, d_cluster, d_both,
        kendall_distance, largest_move. A method that cannot standardise the altered data has no
        row.
    """
    if "mixed" in methods and penalty is None:
        penalty = penalties(da)
    base = rankings(da, methods, penalty, **settings)
    humans = set(human_systems(da))
    rows: list[dict[str, object]] = []

    def record(method: str, experiment: str, kind: str, gone: set[str], new: Ranking) -> None:
        change = compare(base[method].without(gone), new.without(gone)).row()
        keep = ("d_rank", "d_cluster", "d_both", "kendall_distance", "largest_move")
        rows.append(
            {"pair": da.pair, "method": method, "experiment": experiment, "kind": kind}
            | {k: change[k] for k in keep}
        )

    altered = [("human+ref", "removal", perturb.remove(da, humans=True, reference=True))]
    altered += [(f"divisor {d:g}", "divisor", perturb.degrade(da, d)) for d in divisors]
    for experiment, kind, data in altered:
        for method, new in rankings(data, list(base), penalty, **settings).items():
            record(method, experiment, kind, humans, new)
    ends = {m: (r.systems[-1], r.systems[0]) for m, r in base.items()}
    wanted = {s for pair in ends.values() for s in pair}
    for system in ranked_systems(da) if leave_one_out else sorted(wanted):
        data = perturb.remove(da, [system])
        for method, new in rankings(data, list(base), penalty, **settings).items():
            for name, end in zip(("lowest", "highest"), ends[method], strict=True):
                if system == end:
                    record(method, name, "removal", {system}, new)
            if leave_one_out:
                record(method, f"without {system}", "leave-one-out", {system}, new)
    return _by_method(pd.DataFrame(rows), ["method", "kind"])


def _by_method(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Sorted by these columns, methods in the order of `METHODS`."""
    order = {m: k for k, m in enumerate(METHODS)}
    return frame.sort_values(
        columns, key=lambda c: c.map(order) if c.name == "method" else c, kind="stable"
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
    return _by_method(out, ["kind", "method"])


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
    if simulations < 1:
        raise DataError("no simulated campaigns", value=simulations, expected="1 or more")
    parts = parts or components(da)
    fit = additive(da)
    penalty = penalties(da, parts)
    ends = [str(fit.system.idxmin()), str(fit.system.idxmax())]
    n = len(fit.system)
    rows = []
    for k, rng in enumerate(child_seeds(seed, simulations)):
        drawn = simulate(da, fit, parts, rng)
        before = means(drawn, methods, penalty)
        after = [means(perturb.remove(drawn, [s]), list(before), penalty) for s in ends]
        for method, values in before.items():
            moved = [opposite_pairs(values, a[method]) for a in after if method in a]
            rows.append(
                (k, method, opposite_pairs(values, fit.system), sum(moved), n * (n - 1) // 2)
            )
    return pd.DataFrame(rows, columns=["simulation", "method", "wrong", "moved", "pairs"])


def decisive(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs by which methods are compared: each system removed in turn.

    Divisors and the removal of REF rows say nothing about methods that never see REF rows, and
    everything about `controls`, which sees little else. Without leave-one-out runs: the removals
    of the lowest and of the highest.
    """
    alone = rows[rows["kind"] == "leave-one-out"]
    return alone if len(alone) else rows[rows["experiment"].isin(["lowest", "highest"])]


def stable_and_right(rows: pd.DataFrame, tries: pd.DataFrame) -> pd.DataFrame:
    """Per method: how often its ranking changed, and how wrong it is where the truth is known.

    Parameters
    ----------
    rows : DataFrame
        From `changes_by_method`, of one or several pairs; the `decisive` runs are counted.
    tries : DataFrame
        From `against_truth`, of one or several pairs (column pair).

    Returns
    -------
    DataFrame
        method, runs, order, lines, any (shares of runs in which the order, the clusters, or either
        changed), pairs_changed (language pairs with any change), wrong, wrong_se (share of pairs
        of systems in the wrong order, mean over simulations), moved (share of pairs of systems
        that change places on removing the truly lowest and highest).
    """
    rows = decisive(rows)
    rows = rows.assign(any=(rows["d_rank"] + rows["d_cluster"]) > 0)
    runs = rows.groupby("method")
    share = tries.assign(
        wrong=tries["wrong"] / tries["pairs"], moved=tries["moved"] / tries["pairs"]
    )
    tried = share.groupby("method")
    table = pd.DataFrame(
        {
            "runs": runs.size(),
            "order": runs["d_rank"].mean(),
            "lines": runs["d_cluster"].mean(),
            "any": runs["any"].mean(),
            "pairs_changed": rows[rows["any"]].groupby("method")["pair"].nunique(),
            "wrong": tried["wrong"].mean(),
            "wrong_se": tried["wrong"].sem(),
            "moved": tried["moved"].mean(),
        }
    )
    table = table.reindex([m for m in METHODS if m in runs.groups]).rename_axis("method")
    table["pairs_changed"] = table["pairs_changed"].fillna(0).astype(int)
    return table.reset_index()


def most_stable(rows: pd.DataFrame, tries: pd.DataFrame) -> dict[str, list[str]]:
    """The methods that are stable, those that are right, and those that are both.

    Parameters
    ----------
    rows, tries
        As for `stable_and_right`.

    Returns
    -------
    dict
        ``stable``: the methods whose ranking changed least often; ``fewest errors``: the one with
        the smallest share of pairs of systems in the wrong order; ``right``: those not clearly
        worse (paired by simulation, more errors by at most two standard errors); ``both``: of
        these, the ones whose ranking changed least often.
    """
    changed = stable_and_right(rows, tries).set_index("method")["any"]
    keys = [c for c in ("pair", "simulation") if c in tries]
    share = tries.assign(wrong=tries["wrong"] / tries["pairs"])
    wide = share.set_index([*keys, "method"])["wrong"].unstack()
    best = str(wide.mean().idxmin())
    gaps = wide.sub(wide[best], axis=0)
    close = gaps.mean() <= 2 * gaps.sem()
    right = [m for m in METHODS if m in wide and (close[m] or m == best)]

    def least(values: pd.Series) -> list[str]:
        return [str(m) for m in values.index[values <= values.min() + 1e-12]]

    return {
        "stable": least(changed),
        "fewest errors": [best],
        "right": right,
        "both": least(changed[right]),
    }
