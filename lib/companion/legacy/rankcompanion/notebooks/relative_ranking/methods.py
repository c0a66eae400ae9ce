"""The size of a relative-ranking campaign, its rankings by all methods, and how these change.

Where Bojar et al. (2011) leave a choice open, the one that reproduces their numbers is taken.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import REFERENCE, blocks
from companion.legacy.rankstability.rank import (
    bradley_terry,
    resampling,
    significance,
    tournament,
)
from companion.legacy.rankstability.rank.certainty import of_battles
from companion.legacy.rankstability.rank.systems import UNSCORED, rank_counts
from companion.legacy.rankstability.score import pairwise, rr
from companion.legacy.rankstability.score.pairwise import PairCounts

from ...figures.relative_ranking import BLOCK_METHODS
from ...models.chance import named_generator
from ...models.ranges import range_frame, resample
from ...models.tasks import tasks

SOLE_WINNERS = 9  # systems named in Table 4, besides the reference
COLUMNS = (
    "task",
    "system",
    "rank",
    "strength",
    "low",
    "high",
    "rank_low",
    "rank_high",
    "held_below",
    "bojar",
    "unit",
    "tie",
)


def campaign_table(frame: pd.DataFrame, agreed: pd.DataFrame) -> pd.DataFrame:
    """Systems, blocks, labels, comparisons, the reference's score and two kappas (Table 1).

    `frame` is from `rr.read_rr`, `agreed` is its `agreement.agreement` by task. Columns task,
    systems, blocks (rows of the file), labels, comparisons, reference_better_or_equal, intra_kappa,
    inter_kappa (S, reference included). The last row, ``average``, is the mean of printed values.
    """
    kappa = agreed[agreed["reference"] == "included"].set_index(
        ["task", "kind"]
    )["s"]
    rows = []
    for task, judgments in tasks(frame).items():
        counts = pairwise.pair_counts(judgments)
        score = rr.METHODS["better_or_equal_others"](counts)
        row = {
            "task": task,
            "systems": len(counts.systems),
            "blocks": judgments["block"].nunique(),
        }
        row |= {
            "labels": int(judgments["ranked"].sum()),
            "comparisons": counts.comparisons,
        }
        row["reference_better_or_equal"] = round(
            score.get(REFERENCE, np.nan), 3
        )
        for kind in ("intra", "inter"):
            row[f"{kind}_kappa"] = round(kappa.get((task, kind), np.nan), 3)
        rows.append(row)
    table = pd.DataFrame(rows)
    means = table.drop(columns="task").mean()
    return pd.concat(
        [table, pd.DataFrame([{"task": "average", **means}])],
        ignore_index=True,
    )


def sole_winners(scores: pd.DataFrame, blocks: pd.Series) -> pd.DataFrame:
    """Blocks won by a single system, by task (Table 4): columns task, winner, blocks.

    `scores` is from `counting.scores` of all tasks, `blocks` is the number of blocks of each task.
    A system that was ranked alone in its block has won it. Rows of a task: the reference, the
    `SOLE_WINNERS` with the most blocks, ``other systems``, ``no sole winner``, ``blocks`` (all).
    """
    rows = []
    for task, part in scores.groupby("task", sort=False):
        won = part.set_index("system")["sole_winner_blocks"]
        rest = won.drop(REFERENCE, errors="ignore").sort_values(
            ascending=False, kind="stable"
        )
        if REFERENCE in won:
            rows.append((task, REFERENCE, won[REFERENCE]))
        rows += [
            (task, system, n) for system, n in rest.iloc[:SOLE_WINNERS].items()
        ]
        rows.append((task, "other systems", rest.iloc[SOLE_WINNERS:].sum()))
        rows.append((task, "no sole winner", blocks[task] - won.sum()))
        rows.append((task, "blocks", blocks[task]))
    return pd.DataFrame(rows, columns=["task", "winner", "blocks"]).astype(
        {"blocks": int}
    )


def exposure(scores: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """How often each system was shown, how often with the reference, and its score (in per cent).

    Columns task, system, blocks (in which it was shown, ranked or not), reference_share (percentage
    of these that also show the reference), score ("≥ others" rounded to 0.1 %, as printed for
    WMT10). The reference itself has no row. Figures 3, 4 and 6 plot these.
    """
    parts = []
    for task, judgments in tasks(frame).items():
        with_reference = judgments.loc[
            judgments["system"] == REFERENCE, "block"
        ]
        joint = (
            judgments["block"]
            .isin(with_reference)
            .groupby(judgments["system"].astype(str))
        )
        part = scores[
            (scores["task"] == task) & (scores["system"] != REFERENCE)
        ]
        score = (100 * part["better_or_equal_others"]).round(1)
        share = 100 * part["system"].map(joint.mean())
        points = part[["task", "system"]].assign(blocks=part["blocks_shown"])
        parts.append(points.assign(reference_share=share, score=score))
    return pd.concat(parts, ignore_index=True)


def correlations(points: pd.DataFrame) -> pd.DataFrame:
    """Pearson's r of the score with blocks and reference_share, by task (Tables 5 and 10).

    `points` is from `exposure`. Columns task, systems, blocks, reference_share; NaN for fewer than
    three systems, or if one of the two does not vary. The last row, ``overall``, pools all systems
    without centring by task.
    """
    rows = []
    for task, part in [
        *points.groupby("task", sort=True),
        ("overall", points),
    ]:
        row = {"task": task, "systems": len(part)}
        for name in ("blocks", "reference_share"):
            varies = (part[[name, "score"]].nunique() > 1).all() and len(
                part
            ) > 2
            row[name] = part[name].corr(part["score"]) if varies else np.nan
        rows.append(row)
    return pd.DataFrame(rows)


def method_ranks(
    scores: pd.DataFrame, frame: pd.DataFrame, time_limit: float
) -> pd.DataFrame:
    """The rank of each system by every score and by the minimum feedback arc set.

    `scores` is from `counting.scores` of all tasks of `frame`; `time_limit`, in seconds, is for one
    feedback arc set. Columns task, system, ranks by each of `rr.METHODS` and `BLOCK_METHODS`,
    mfas. Systems (without the reference) are in order of the first score. Equal scores are ranked
    by name, and systems without a score last.
    """
    parts = []
    for task, judgments in tasks(frame).items():
        part = scores[
            (scores["task"] == task) & (scores["system"] != REFERENCE)
        ]
        part = part.sort_values("system")
        table = part[["task", "system"]].reset_index(drop=True)
        for name in (*rr.METHODS, *BLOCK_METHODS):
            values = (
                part[name]
                .round(12)
                .fillna(UNSCORED)
                .rank(ascending=False, method="first")
            )
            table[name] = values.to_numpy().astype(int)
        best = tournament_ranking(
            pairwise.pair_counts(judgments), time_limit
        ).ranking
        table["mfas"] = table["system"].map(
            {s: k for k, s in enumerate(best, start=1)}
        )
        parts.append(table.sort_values(next(iter(rr.METHODS))))
    return pd.concat(parts, ignore_index=True)


def tournament_ranking(
    counts: pairwise.PairCounts, time_limit: float = 20.0
) -> tournament.Tournament:
    """The ranking that violates the least net weight, without the reference.

    Ties are broken by closeness to WMT-OFFICIAL, then by expected win, then by name
    (`rank.tournament.feedback_arc_set`).
    """
    ranked = counts.without(REFERENCE)
    official = rr.METHODS["better_or_equal_others"](counts).reindex(
        list(ranked.systems)
    )
    return tournament.feedback_arc_set(
        tournament.net_weights(ranked.wins),
        ranked.systems,
        preference=np.nan_to_num(pairwise.expected_win(ranked), nan=UNSCORED),
        nearest=official.fillna(UNSCORED).to_numpy(),
        time_limit=time_limit,
    )


def head_to_head(
    judgments: pd.DataFrame, system: str, other: str
) -> dict[str, int]:
    """How two systems compare in the blocks of one task in which both were ranked (Section 2.5).

    Keys blocks, sentences (different ones), better (blocks in which `system` was), worse, ties.
    """
    data = blocks(judgments[judgments["system"].isin([system, other])])
    row, first, _, sign = pairwise.comparisons(data)
    sign = np.where(first == data.systems.index(system), sign, -sign)
    counts = {
        "blocks": len(row),
        "sentences": len(np.unique(data.segment[row])),
    }
    signs = {"better": 1, "worse": -1, "ties": 0}
    return counts | {
        name: int((sign == value).sum()) for name, value in signs.items()
    }


def twice_ranked(
    judgments: pd.DataFrame, segment: int, first: str, second: str
) -> pd.DataFrame:
    """The blocks of one sentence that rank two systems: judge, block and their ranks (Table 9)."""
    rows = judgments[(judgments["segment"] == segment) & judgments["ranked"]]
    rows = rows[rows["system"].isin([first, second])]
    table = rows.pivot(
        index=["judge", "block"], columns="system", values="rank"
    )
    table.columns = [str(c) for c in table.columns]
    return (
        table.dropna()
        .astype(int)
        .reset_index()[["judge", "block", first, second]]
    )


def edits_per_system(edits: pd.DataFrame) -> pd.DataFrame:
    """Statistics of edits per system: pair, systems, min, average, sd (ddof 1), max (Table 11).

    Every row of `edits` (from `rr.read_edits`) counts as an edit, whatever the editor did; the
    reference counts as a system.
    """
    number = (
        edits.groupby(["pair", "system"], observed=True).size().groupby("pair")
    )
    out = number.agg(["size", "min", "mean", "std", "max"]).reset_index()
    return out.rename(
        columns={"size": "systems", "mean": "average", "std": "sd"}
    )


def acceptable(judged: pd.DataFrame, pair: str) -> pd.DataFrame:
    """Edits of one pair judged acceptable: system, edits, acceptable, share (Section 4.1).

    `judged` is from `rr.read_acceptability`; UNK counts as not acceptable.
    """
    rows = judged[judged["pair"] == pair]
    groups = rows.assign(yes=rows["judgment"] == "YES").groupby("system")[
        "yes"
    ]
    out = groups.agg(["size", "sum", "mean"]).reset_index()
    return out.rename(
        columns={"size": "edits", "sum": "acceptable", "mean": "share"}
    )


def removal_summary(changes: pd.DataFrame) -> pd.DataFrame:
    """How many removals changed the order, the clusters or both, by task and method.

    Columns task, method, removals, d_rank, d_cluster, d_both, largest_move.
    """
    groups = changes.groupby(["task", "method"], sort=False)
    out = groups[["d_rank", "d_cluster", "d_both"]].sum()
    out.insert(0, "removals", groups.size())
    out["largest_move"] = groups["largest_move"].max()
    return out.reset_index()


def ranges(
    frame: pd.DataFrame,
    methods: Sequence[str],
    *,
    resamples: int,
    seed: int,
    unit: str = "",
) -> pd.DataFrame:
    """Rank ranges of each task by bootstrap: 95 % of the ranks in resampled campaigns.

    `unit`, by default each task's `rank.resampling.default_unit`, is drawn with replacement; there
    are also ranges with single judgments drawn. Columns task, method, drawn (the unit), rank,
    system, score, first, last (the range), cluster (shared by overlapping ranges), without the
    reference.
    """
    parts = []
    for task, judgments in tasks(frame).items():
        data = resampling.units(judgments)
        own = unit or resampling.default_unit(data)
        for drawn in dict.fromkeys((own, "judgment")):
            rng = named_generator(seed, f"{task} {drawn}")
            sample = resample(data, drawn, resamples, rng)
            for name in methods:
                table = _range_table(data.counts, sample, rr.method_of(name))
                parts.append(table.assign(task=task, method=name, drawn=drawn))
    table = pd.concat(parts, ignore_index=True)
    return table[["task", "method", "drawn", *table.columns[:-3]]]


def _range_table(
    counts: PairCounts, sample: PairCounts, method: rr.Method
) -> pd.DataFrame:
    used = sample if method.reference else sample.without(REFERENCE)
    keep = [k for k, s in enumerate(used.systems) if s != REFERENCE]
    systems = [used.systems[k] for k in keep]
    score = method(counts)[systems].to_numpy()
    return range_frame(systems, score, method.score(used)[:, keep])


def cluster_table(
    frame: pd.DataFrame,
    method: str,
    *,
    rule: str = "knowles",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """The cluster of each system with and without correction for multiple tests.

    Columns task, rank, system, the score, and one column of clusters (1 = top) for each name of
    `rank.significance.CORRECTIONS`.
    """
    parts = []
    for task, judgments in tasks(frame).items():
        counts = pairwise.pair_counts(judgments)
        counts.without(REFERENCE).connected()
        ranked = {
            name: rank_counts(
                counts, method, correction=name, rule=rule, alpha=alpha
            ).table
            for name in significance.CORRECTIONS
        }
        table = (
            ranked["none"]
            .drop(columns="cluster")
            .replace({method: {UNSCORED: np.nan}})
        )
        clusters = {
            name: made["cluster"].to_numpy() for name, made in ranked.items()
        }
        parts.append(
            table.assign(task=task, **clusters)[
                ["task", *table.columns, *clusters]
            ]
        )
    return pd.concat(parts, ignore_index=True)


def strengths(frame: pd.DataFrame, alpha: float = 0.05) -> pd.DataFrame:
    """Davidson strengths of the systems of each task, next to their share of wins.

    A task without finite strengths is left out. Columns task, system, rank (by strength), strength
    (log odds, mean 0), low, high (its interval), rank_low, rank_high (rank set), held_below (1: a
    line below this system holds), bojar (share of decided comparisons won), unit (resampling unit:
    judge, or block if some name no judge), tie (Davidson's parameter; 0: no ties).
    """
    parts = []
    for task, judgments in tasks(frame).items():
        data = resampling.units(judgments).without(REFERENCE)
        try:
            sure = of_battles(data, resampling.default_unit(data), alpha)
        except DataError:
            continue
        part = sure.table().rename(
            columns={"low": "rank_low", "high": "rank_high"}
        )
        part = part.rename(
            columns={
                "score": "strength",
                "score_low": "low",
                "score_high": "high",
            }
        )
        part["held_below"] = np.append(sure.held, False).astype(int)
        part["bojar"] = rr.METHODS["bojar"](data.counts).to_numpy()[sure.order]
        tie = bradley_terry.davidson(data.counts)[1]
        parts.append(
            part.assign(task=task, unit=sure.unit, tie=tie)[[*COLUMNS]]
        )
    return (
        pd.concat(parts, ignore_index=True)
        if parts
        else pd.DataFrame(columns=list(COLUMNS))
    )


def modelled(frame: pd.DataFrame) -> list[str]:
    """Scores by a model, besides shares of wins: strength for battles (blocks of two) only."""
    return [bradley_terry.STRENGTH] if frame["position"].max() == 2 else []
