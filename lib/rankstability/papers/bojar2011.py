"""The tables of Bojar et al. (2011), "A Grain of Salt for the WMT Manual Evaluation", on WMT10.

Each function gives one table of the paper as a frame, for any campaign that has what it needs.
What the paper leaves open is read as reproduces its numbers, and said where it is done. The claims
ledger is in `bojar2011_ledger`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..score import rr as relative_ranking
from ..score.rr import REFERENCE
from ..study import agreement

SOLE_WINNERS = 9  # systems Table 4 names, besides the reference


def campaign_table(frame: pd.DataFrame, agreed: pd.DataFrame) -> pd.DataFrame:
    """Table 1: systems, blocks, labels, comparisons, the reference, and the two kappas per task.

    Blocks are rows of the file; kappas are S with P(E) = 1/3, reference included. The last row,
    ``average``, averages the values as printed (three decimals, or whole numbers).

    Parameters
    ----------
    agreed : DataFrame
        From `agreement.agreement`, by task.
    """
    kappa = agreed[agreed["reference"] == "included"].set_index(["task", "kind"])["s"]
    rows = []
    for task, judgments in relative_ranking.tasks(frame).items():
        counts = relative_ranking.pair_counts(judgments)
        score = dict(
            zip(counts.systems, relative_ranking.better_or_equal_others(counts), strict=True)
        )
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


def kappa_table(notes: agreement.Annotations) -> pd.DataFrame:
    """Table 3: S and π over all tasks; kind, reference, pairs, p_a, s, pi, pi_own.

    As matched, ``pi`` uses one P(E), that of all comparisons, also where the reference is
    excluded; ``pi_own`` uses that of the comparisons counted.
    """
    table = agreement.agreement(notes, [])
    p_e = agreement.chance_of_labels(notes.table["label"].to_numpy())
    table = table.rename(columns={"pi": "pi_own"})
    table["pi"] = agreement.corrected(table["p_a"].to_numpy(), p_e)
    return table[["kind", "reference", "pairs", "p_a", "s", "pi", "pi_own"]]


def sole_winners(scores: pd.DataFrame, blocks: int, named: int = SOLE_WINNERS) -> pd.DataFrame:
    """Table 4: blocks won alone, by system; a system ranked alone in its block counts.

    Parameters
    ----------
    scores : DataFrame
        Of one task, from `relative_ranking.scores`.
    blocks : int
        All blocks of the task.
    """
    won = scores.set_index("system")["sole_winner_blocks"]
    rest = won.drop(REFERENCE, errors="ignore").sort_values(ascending=False, kind="stable")
    rows = [(REFERENCE, int(won[REFERENCE]))] if REFERENCE in won else []
    rows += [(str(s), int(n)) for s, n in rest.iloc[:named].items()]
    rows.append(("other systems", int(rest.iloc[named:].sum())))
    rows.append(("no sole winner", int(blocks - won.sum())))
    rows.append(("blocks", int(blocks)))
    return pd.DataFrame(rows, columns=["winner", "blocks"])


def exposure(scores: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """What Figures 3, 4 and 6 plot: task, system, blocks, reference_share, score (per cent).

    Blocks are those in which the system was shown, ranked or not; reference_share is the per cent
    of them that show the reference too; score is "≥ others" rounded to 0.1 %, as WMT10 printed
    it. Without the reference itself.
    """
    parts = []
    for task, judgments in relative_ranking.tasks(frame).items():
        with_reference = judgments.loc[judgments["system"] == REFERENCE, "block"]
        joint = judgments["block"].isin(with_reference).groupby(judgments["system"].astype(str))
        part = scores[(scores["task"] == task) & (scores["system"] != REFERENCE)]
        parts.append(
            pd.DataFrame(
                {
                    "task": task,
                    "system": part["system"],
                    "blocks": part["blocks_shown"],
                    "reference_share": 100 * part["system"].map(joint.mean()),
                    "score": (100 * part["better_or_equal_others"]).round(1),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def correlations(points: pd.DataFrame, x: str) -> pd.DataFrame:
    """Tables 5 (x = blocks) and 10 (x = reference_share): Pearson's r with the score per task.

    The last row, ``overall``, pools all systems as they are, without centring by task. NaN where
    x or the score does not vary.
    """

    def r(rows: pd.DataFrame) -> float:
        if len(rows) < 3 or rows[x].nunique() < 2 or rows["score"].nunique() < 2:
            return np.nan
        return float(np.corrcoef(rows[x], rows["score"])[0, 1])

    rows = [(str(task), len(g), r(g)) for task, g in points.groupby("task", sort=True)]
    rows.append(("overall", len(points), r(points)))
    return pd.DataFrame(rows, columns=["task", "systems", "correlation"])


def same_sentences(judgments: pd.DataFrame, system: str, other: str) -> dict[str, int]:
    """Section 2.5: blocks in which both were ranked, sentences in them, and who was better."""
    data = relative_ranking.blocks(judgments)
    row, a, b, sign = relative_ranking.comparisons(data)
    i, j = data.systems.index(system), data.systems.index(other)
    direct, reverse = (a == i) & (b == j), (a == j) & (b == i)
    both = direct | reverse
    sign = np.where(reverse, -sign, sign)[both]
    return {
        "blocks": int(both.sum()),
        "sentences": len(np.unique(data.segment[row[both]])),
        "better": int((sign > 0).sum()),
        "worse": int((sign < 0).sum()),
        "ties": int((sign == 0).sum()),
    }


def twice_ranked(judgments: pd.DataFrame, segment: int, first: str, second: str) -> pd.DataFrame:
    """Table 9: the blocks on one sentence with two systems: judge, block and their ranks."""
    rows = judgments[(judgments["segment"] == segment) & judgments["ranked"]]
    rows = rows[rows["system"].isin([first, second])]
    table = rows.pivot(index=["judge", "block"], columns="system", values="rank")
    table.columns = [str(c) for c in table.columns]
    return table.dropna().astype(int).reset_index()[["judge", "block", first, second]]


def edits_per_system(edits: pd.DataFrame) -> pd.DataFrame:
    """Table 11: edits per system: pair, systems, min, average, sd (ddof 1), max.

    Every row of ``data_EDT.tsv`` counts, whatever the editor did, and the reference is a system.
    """
    number = edits.groupby(["pair", "system"], observed=True).size().groupby("pair")
    out = number.agg(["size", "min", "mean", "std", "max"]).reset_index()
    return out.rename(columns={"size": "systems", "mean": "average", "std": "sd"})


def acceptable(judged: pd.DataFrame, pair: str) -> pd.DataFrame:
    """Section 4.1: system, edits judged, acceptable, share; UNK is not acceptable."""
    rows = judged[judged["pair"] == pair]
    groups = rows.assign(yes=rows["judgment"] == "YES").groupby("system")["yes"]
    out = groups.agg(["size", "sum", "mean"]).reset_index()
    return out.rename(columns={"size": "edits", "sum": "acceptable", "mean": "share"})
