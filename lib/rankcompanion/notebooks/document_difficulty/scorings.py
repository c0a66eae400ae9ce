"""Rankings by alternatives to the z-score: which are stable, and which are right (notebook 05).

Raw means never change when a system is removed, so stability alone says little: each method is also
tried on simulated campaigns, where the truth is known.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import t as student

from rankcompanion.models import variance
from rankcompanion.models.additive import (
    METHODS,
    components,
    penalties,
    standardised,
    standardised_columns,
)
from rankcompanion.models.truth import Truth, cell_means, known_truth
from rankstability.chance import named_generator
from rankstability.change import perturb
from rankstability.errors import DataError
from rankstability.judgments import DirectAssessment, human_systems, of_systems, ranked_systems
from rankstability.rank.comparing import compare
from rankstability.rank.ranking import Ranking
from rankstability.rank.systems import rank_systems
from rankstability.score.scored import segment_scores


def rankings(
    da: DirectAssessment,
    methods: Iterable[str] = tuple(METHODS),
    penalty: tuple[float, float] | None = None,
) -> dict[str, Ranking]:
    """The ranking under each method, by `rank.systems.rank_systems`."""
    scores = standardised(da, methods, penalty)
    return {m: rank_systems(segment_scores(da, z)) for m, z in scores.items()}


def ranks(rankings: dict[str, Ranking]) -> pd.DataFrame:
    """All rankings in one table, with the score on the method's scale."""
    frames = [r.table.assign(method=m, score=r.table["mean_z"]) for m, r in rankings.items()]
    columns = ["method", "rank", "system", "cluster", "score"]
    return pd.concat(frames, ignore_index=True)[columns]


def changes_by_method(
    da: DirectAssessment,
    methods: Sequence[str] = tuple(METHODS),
    divisors: Sequence[float] = (1.25, 1.5, 2, 4, 10),
    leave_one_out: bool = True,
    penalty: tuple[float, float] | None = None,
) -> pd.DataFrame:
    """What removals and divisors change in the ranking by each method.

    Each method's ranking of the altered data is compared with its own ranking of all data; systems
    that were removed, and human systems that were degraded, are dropped from both before
    clustering (Knowles 2021, sections 5.2 and 8). With `leave_one_out`, each system is also removed
    in turn; otherwise only the lowest and the highest. `penalty`, as for `standardised`, is that of
    all data throughout.

    Columns pair, method, experiment (``human+ref``, ``lowest``, ``highest``, ``divisor 2``,
    ``without X``), kind (removal, divisor, leave-one-out), d_rank, d_cluster, d_both,
    kendall_distance, largest_move. A method that cannot standardise the altered data has no row.
    """
    if "mixed" in methods and penalty is None:
        penalty = penalties(da)
    base = rankings(da, methods, penalty)
    humans = set(human_systems(da))
    rows: list[dict[str, object]] = []

    def record(method: str, experiment: str, kind: str, gone: set[str], new: Ranking) -> None:
        change = compare(base[method].without(gone), new.without(gone)).row()
        row = {"pair": da.pair, "method": method, "experiment": experiment, "kind": kind}
        keep = ("d_rank", "d_cluster", "d_both", "kendall_distance", "largest_move")
        rows.append(row | {k: change[k] for k in keep})

    altered = [("human+ref", "removal", perturb.remove(da, humans=True, reference=True))]
    altered += [(f"divisor {d:g}", "divisor", perturb.degrade(da, d)) for d in divisors]
    for experiment, kind, data in altered:
        for method, new in rankings(data, list(base), penalty).items():
            record(method, experiment, kind, humans, new)
    ends = {m: (r.systems[-1], r.systems[0]) for m, r in base.items()}
    wanted = {s for pair in ends.values() for s in pair}
    for system in ranked_systems(da) if leave_one_out else sorted(wanted):
        data = perturb.remove(da, [system])
        for method, new in rankings(data, list(base), penalty).items():
            for name, end in zip(("lowest", "highest"), ends[method], strict=True):
                if system == end:
                    record(method, name, "removal", {system}, new)
            if leave_one_out:
                record(method, f"without {system}", "leave-one-out", {system}, new)
    return _by_method(pd.DataFrame(rows), ["method", "kind"])


def _by_method(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """`frame` sorted by these columns, with methods in the order of `METHODS`."""
    return frame.sort_values(
        columns,
        key=lambda c: c.map([*METHODS].index) if c.name == "method" else c,
        kind="stable",
        ignore_index=True,
    )


def totals(rows: pd.DataFrame) -> pd.DataFrame:
    """Changes by method and kind of change.

    Columns method, kind, runs, d_rank, d_cluster, d_both (counts), kendall_distance (mean).
    """
    grouped = rows.groupby(["method", "kind"], sort=False)
    out = grouped.agg(
        runs=("d_rank", "size"),
        d_rank=("d_rank", "sum"),
        d_cluster=("d_cluster", "sum"),
        d_both=("d_both", "sum"),
        kendall_distance=("kendall_distance", "mean"),
    ).reset_index()
    return _by_method(out, ["kind", "method"])


def system_means(
    da: DirectAssessment,
    scores: np.ndarray,
    methods: Sequence[str],
    penalty: tuple[float, float] | None,
) -> dict[str, np.ndarray]:
    """System means by each method: (ranked systems in order of name, campaigns).

    `scores` are those of the rows of ``good``, a column per campaign.
    """
    made = standardised_columns(da, scores, methods, penalty)
    return {m: cell_means(da, values) for m, values in made.items()}


def against_truth(
    da: DirectAssessment,
    simulations: int,
    seed: int,
    methods: Sequence[str] = tuple(METHODS),
    parts: variance.Components | None = None,
    truth: Truth | None = None,
) -> pd.DataFrame:
    """How right and how stable each method is on simulated campaigns (see `models.truth.Truth`).

    Columns simulation, method, wrong (pairs of systems in the wrong order), moved (pairs whose
    order changes on removing the truly lowest system, plus those on removing the truly highest),
    pairs (all). Raises DataError for fewer than one simulation.
    """
    if simulations < 1:
        raise DataError("no simulated campaigns", value=simulations, expected="1 or more")
    parts = parts or components(da)
    truth, penalty = truth or known_truth(da), penalties(da, parts)
    scores = truth.draw(simulations, named_generator(seed, da.pair))
    names = np.array(ranked_systems(da))
    quality = truth.quality.reindex(names).to_numpy()
    before = system_means(truth.da, scores, methods, penalty)
    moved = {m: np.zeros(simulations, int) for m in before}
    for end in (quality.argmin(), quality.argmax()):
        kept = ~of_systems(truth.da.good, [names[end]])
        rest = truth.da.good[kept]
        less = replace(truth.da, latest=rest, good=rest)
        for m, after in system_means(less, scores[kept], list(before), penalty).items():
            moved[m] += _opposite(np.delete(before[m], end, axis=0), after)
    pairs = len(names) * (len(names) - 1) // 2
    frames = [
        pd.DataFrame({"method": m, "wrong": _opposite(v, quality[:, None]), "moved": moved[m]})
        for m, v in before.items()
    ]
    table = pd.concat(frames).assign(pairs=pairs)
    table.insert(0, "simulation", table.index)
    return table.sort_values("simulation", kind="stable").reset_index(drop=True)


def _opposite(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The number of pairs of systems (rows) in opposite order, for each column."""
    i, j = np.triu_indices(len(one), 1)
    return ((one[i] - one[j]) * (other[i] - other[j]) < 0).sum(axis=0)


def gaps(tries: pd.DataFrame) -> pd.DataFrame:
    """Differences between methods in the share of pairs in the wrong order, paired by simulation.

    `tries` is from `against_truth`, for one language pair or for several with equal weight (column
    pair).

    Columns method, against, gap (above 0: `method` is more often wrong), low, high (95 % for all
    intervals together, by Bonferroni), told_apart (0: the interval holds 0).
    """
    tries = tries if "pair" in tries else tries.assign(pair="")
    share = tries.assign(wrong=tries["wrong"] / tries["pairs"])
    wide = share.set_index(["pair", "simulation", "method"])["wrong"].unstack()
    names = [m for m in METHODS if m in wide]
    couples = list(combinations(names, 2))
    rows = []
    for a, b in couples:
        of = (wide[a] - wide[b]).dropna().groupby(level="pair")
        gap, error = of.mean().mean(), np.sqrt((of.var() / of.size()).sum()) / len(of)
        freedom = max(int((of.size() - 1).sum()), 1)
        half = student.isf(0.025 / len(couples), freedom) * error
        apart = int(abs(gap) > max(half, 1e-12))
        rows.append((a, b, gap, gap - half, gap + half, apart))
    return pd.DataFrame(rows, columns=["method", "against", "gap", "low", "high", "told_apart"])


def decisive(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs by which methods are compared: each system removed, or the lowest and highest.

    Most methods never see REF rows, ``controls`` little else, so these are no basis.
    """
    alone = rows[rows["kind"] == "leave-one-out"]
    return alone if len(alone) else rows[rows["experiment"].isin(["lowest", "highest"])]


def stable_and_right(rows: pd.DataFrame, tries: pd.DataFrame) -> pd.DataFrame:
    """How often each method's ranking changed, and how wrong it is on simulated campaigns.

    Of `rows` (`changes_by_method`), the `decisive` runs count; `tries` are from `against_truth`.

    Columns method, runs, order, lines, any (shares of runs in which the order, the clusters, or
    either changed), pairs_changed (language pairs with any change), wrong, wrong_se (share of pairs
    of systems in the wrong order: mean over simulations and its standard error), moved (changes of
    order on removing the truly lowest and highest system, as a share of pairs of systems).
    """
    rows = decisive(rows)
    rows = rows.assign(any=(rows["d_rank"] + rows["d_cluster"]) > 0)
    runs = rows.groupby("method")
    share = tries.assign(pair=tries.get("pair", ""))
    share[["wrong", "moved"]] = share[["wrong", "moved"]].div(tries["pairs"], axis=0)
    squares = share.groupby(["method", "pair"])["wrong"].sem().pow(2).groupby("method")
    tried = share.groupby("method")
    table = pd.DataFrame(
        {
            "runs": runs.size(),
            "order": runs["d_rank"].mean(),
            "lines": runs["d_cluster"].mean(),
            "any": runs["any"].mean(),
            "pairs_changed": rows[rows["any"]].groupby("method")["pair"].nunique(),
            "wrong": tried["wrong"].mean(),
            "wrong_se": np.sqrt(squares.sum()) / squares.size(),
            "moved": tried["moved"].mean(),
        }
    )
    table = table.reindex([m for m in METHODS if m in runs.groups]).rename_axis("method")
    table["pairs_changed"] = table["pairs_changed"].fillna(0).astype(int)
    return table.reset_index()


def most_stable(rows: pd.DataFrame, tries: pd.DataFrame) -> dict[str, list[str]]:
    """The methods that are stable, those that are right, and those that are both.

    ``stable``: their ranking changed least often; ``fewest errors``: the smallest share of pairs of
    systems in the wrong order; ``right``: that one, and those that `gaps` does not tell apart from
    it; ``both``: those of the right whose ranking changed least often.
    """
    table = stable_and_right(rows, tries).set_index("method")
    changed = table["any"]
    best = str(table["wrong"].idxmin())
    apart = gaps(tries).query("told_apart == 1")
    worse = {*apart.loc[apart["against"] == best, "method"]}
    worse |= {*apart.loc[apart["method"] == best, "against"]}
    right = [m for m in changed.index if m not in worse]

    def least(values: pd.Series) -> list[str]:
        return [str(m) for m in values.index[values <= values.min() + 1e-12]]

    return {
        "stable": least(changed),
        "fewest errors": [best],
        "right": right,
        "both": least(changed[right]),
    }
