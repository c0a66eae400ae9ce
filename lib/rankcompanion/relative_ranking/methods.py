"""What a relative-ranking campaign holds: its statistics, sole winners, exposure, and methods.

Bojar et al. (2011), "A Grain of Salt for the WMT Manual Evaluation", give these tables for WMT10;
here they are for any campaign. What the paper leaves open is read as reproduces its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from rankstability.rank import tournament
from rankstability.rank.systems import UNSCORED
from rankstability.score import pairwise, rr
from rankstability.score.rr import REFERENCE

SOLE_WINNERS = 9  # systems Table 4 names, besides the reference


def campaign_table(frame: pd.DataFrame, agreed: pd.DataFrame) -> pd.DataFrame:
    """Systems, blocks, labels, comparisons, the reference's score and two kappas (Table 1).

    Of a frame from `read.rr.read_rr`, and `agreement.agreement` of it by task. Blocks are rows of
    the file; kappas are S with P(E) = 1/3, reference included. Columns: task, systems, blocks,
    labels, comparisons, reference_better_or_equal, intra_kappa, inter_kappa. The last row,
    ``average``, averages the values as printed (three decimals, or whole numbers).
    """
    kappa = agreed[agreed["reference"] == "included"].set_index(["task", "kind"])["s"]
    rows = []
    for task, judgments in rr.tasks(frame).items():
        counts = pairwise.pair_counts(judgments)
        score = rr.METHODS["better_or_equal_others"](counts)
        rows.append(
            {
                "task": task,
                "systems": len(counts.systems),
                "blocks": judgments["block"].nunique(),
                "labels": int(judgments["ranked"].sum()),
                "comparisons": counts.comparisons,
                "reference_better_or_equal": round(score.get(REFERENCE, np.nan), 3),
                "intra_kappa": round(kappa.get((task, "intra"), np.nan), 3),
                "inter_kappa": round(kappa.get((task, "inter"), np.nan), 3),
            }
        )
    table = pd.DataFrame(rows)
    means = table.drop(columns="task").mean()
    return pd.concat([table, pd.DataFrame([{"task": "average", **means}])], ignore_index=True)


def sole_winners(
    scores: pd.DataFrame, blocks: pd.Series, named: int = SOLE_WINNERS
) -> pd.DataFrame:
    """Blocks won by one system alone, by task (Table 4): task, winner, blocks.

    From `score.rr.scores` of all tasks, and all blocks of each task by its name. A system ranked
    alone in its block counts. Per task: the reference, the `named` systems with most, then ``other
    systems``, ``no sole winner`` and ``blocks`` (their sum).
    """
    rows = []
    for task, part in scores.groupby("task", sort=False):
        won = part.set_index("system")["sole_winner_blocks"]
        rest = won.drop(REFERENCE, errors="ignore").sort_values(ascending=False, kind="stable")
        if REFERENCE in won:
            rows.append((task, REFERENCE, won[REFERENCE]))
        rows += [(task, system, n) for system, n in rest.iloc[:named].items()]
        rows.append((task, "other systems", rest.iloc[named:].sum()))
        rows.append((task, "no sole winner", blocks[task] - won.sum()))
        rows.append((task, "blocks", blocks[task]))
    return pd.DataFrame(rows, columns=["task", "winner", "blocks"]).astype({"blocks": int})


def exposure(scores: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """How often each system was shown, how often beside the reference, and its score (per cent).

    Columns: task, system, blocks (in which it was shown, ranked or not), reference_share (per cent
    of them that show the reference too), score ("≥ others" rounded to 0.1 %, as WMT10 printed it);
    without the reference itself. What Figures 3, 4 and 6 plot.
    """
    parts = []
    for task, judgments in rr.tasks(frame).items():
        with_reference = judgments.loc[judgments["system"] == REFERENCE, "block"]
        joint = judgments["block"].isin(with_reference).groupby(judgments["system"].astype(str))
        part = scores[(scores["task"] == task) & (scores["system"] != REFERENCE)]
        score = (100 * part["better_or_equal_others"]).round(1)
        share = 100 * part["system"].map(joint.mean())
        points = part[["task", "system"]].assign(blocks=part["blocks_shown"])
        parts.append(points.assign(reference_share=share, score=score))
    return pd.concat(parts, ignore_index=True)


def correlations(
    points: pd.DataFrame, columns: Sequence[str] = ("blocks", "reference_share")
) -> pd.DataFrame:
    """Pearson's r of the score with each of `columns`, by task (Tables 5 and 10).

    Of `exposure`. Columns: task, systems, and r for each of `columns`; NaN for fewer than three
    systems, or where one of the two does not vary. The last row, ``overall``, pools all systems as
    they are, without centring by task.
    """
    rows = []
    for task, part in [*points.groupby("task", sort=True), ("overall", points)]:
        row = {"task": task, "systems": len(part)}
        for name in columns:
            varies = (part[[name, "score"]].nunique() > 1).all() and len(part) > 2
            row[name] = part[name].corr(part["score"]) if varies else np.nan
        rows.append(row)
    return pd.DataFrame(rows)


def method_ranks(scores: pd.DataFrame, frame: pd.DataFrame, time_limit: float) -> pd.DataFrame:
    """The rank of each system under every score and under the minimum feedback arc set.

    From `score.rr.scores` of all tasks of `frame`; `time_limit` is in seconds for one task's
    feedback arc set. Columns: task, system, one column of ranks per score of `METHODS` and
    `BLOCK_METHODS`, mfas; without the reference, best first by the first score. Equal scores rank
    by name, systems without a score last.
    """
    parts = []
    for task, judgments in rr.tasks(frame).items():
        part = scores[(scores["task"] == task) & (scores["system"] != REFERENCE)]
        part = part.sort_values("system")
        table = part[["task", "system"]].reset_index(drop=True)
        for name in (*rr.METHODS, *rr.BLOCK_METHODS):
            values = part[name].round(12).fillna(UNSCORED).rank(ascending=False, method="first")
            table[name] = values.to_numpy().astype(int)
        best = tournament_ranking(pairwise.pair_counts(judgments), time_limit).ranking
        table["mfas"] = table["system"].map({s: k for k, s in enumerate(best, start=1)})
        parts.append(table.sort_values(next(iter(rr.METHODS))))
    return pd.concat(parts, ignore_index=True)


def tournament_ranking(
    counts: pairwise.PairCounts, time_limit: float = 20.0
) -> tournament.Tournament:
    """The ranking that violates the least net weight, the reference left out.

    Of equal ones that nearest to WMT-OFFICIAL, then by expected win, then name (`tournament`).
    """
    ranked = counts.without(REFERENCE)
    official = rr.METHODS["better_or_equal_others"](counts).reindex(list(ranked.systems))
    return tournament.feedback_arc_set(
        tournament.net_weights(ranked.wins),
        ranked.systems,
        preference=np.nan_to_num(pairwise.expected_win(ranked), nan=UNSCORED),
        nearest=official.fillna(UNSCORED).to_numpy(),
        time_limit=time_limit,
    )


def head_to_head(judgments: pd.DataFrame, system: str, other: str) -> dict[str, int]:
    """Blocks of one task in which both were ranked, their sentences, and who was better.

    Keys blocks, sentences, better (`system` was), worse, ties (Section 2.5).
    """
    data = rr.blocks(judgments[judgments["system"].isin([system, other])])
    row, first, _, sign = pairwise.comparisons(data)
    sign = np.where(first == data.systems.index(system), sign, -sign)
    return {
        "blocks": len(row),
        "sentences": len(np.unique(data.segment[row])),
        "better": int((sign > 0).sum()),
        "worse": int((sign < 0).sum()),
        "ties": int((sign == 0).sum()),
    }


def twice_ranked(judgments: pd.DataFrame, segment: int, first: str, second: str) -> pd.DataFrame:
    """The blocks on one sentence with two systems: judge, block and their ranks (Table 9)."""
    rows = judgments[(judgments["segment"] == segment) & judgments["ranked"]]
    rows = rows[rows["system"].isin([first, second])]
    table = rows.pivot(index=["judge", "block"], columns="system", values="rank")
    table.columns = [str(c) for c in table.columns]
    return table.dropna().astype(int).reset_index()[["judge", "block", first, second]]


def edits_per_system(edits: pd.DataFrame) -> pd.DataFrame:
    """Edits per system: pair, systems, min, average, sd (ddof 1), max (Table 11).

    Every row of `edits` (from `read.rr.read_edits`) counts, whatever the editor did, and the
    reference is a system.
    """
    number = edits.groupby(["pair", "system"], observed=True).size().groupby("pair")
    out = number.agg(["size", "min", "mean", "std", "max"]).reset_index()
    return out.rename(columns={"size": "systems", "mean": "average", "std": "sd"})


def acceptable(judged: pd.DataFrame, pair: str) -> pd.DataFrame:
    """Edits of one pair judged acceptable: system, edits, acceptable, share (Section 4.1).

    `judged` is from `read.rr.read_acceptability`; UNK is not acceptable.
    """
    rows = judged[judged["pair"] == pair]
    groups = rows.assign(yes=rows["judgment"] == "YES").groupby("system")["yes"]
    out = groups.agg(["size", "sum", "mean"]).reset_index()
    return out.rename(columns={"size": "edits", "sum": "acceptable", "mean": "share"})
