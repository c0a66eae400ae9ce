"""The tables of Bojar et al. (2011), "A Grain of Salt for the WMT Manual Evaluation", on WMT10.

Each function gives one table of the paper as a frame; `values` gives all printed numbers by
(place, cell), for the claims ledger. Tables 2, 4 and 6 and Figures 1, 3 and 4 work for any task;
the others need the whole campaign. What the paper leaves open is read as reproduces its numbers,
and said where it is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from . import agreement, relative_ranking
from .relative_ranking import REFERENCE

FOCUS = "en-cs"  # the task the paper looks into
TOP = (REFERENCE, "cu-bojar", "cu-tecto", "eurotrans", "onlineB", "pc-trans", "uedin")
TABLE2 = (
    "better_or_equal_others",
    "better_others",
    "better_or_equal_all_in_block",
    "better_all_in_block",
)
SOLE_WINNERS = 9  # systems Table 4 names, besides the reference
LABELS = ("B>T", "T>B", "both fine", "both wrong")  # of the private annotation, Tables 7 and 8
ANNOTATORS = "ACDMOZ"  # of Table 8; O wrote B (CU-BOJAR), M wrote T (CU-TECTO)
PRIVATE = "the annotation by the authors and four more people was not released"
NO_DATA = {
    "Figure 2": "source sentences and their lengths are not in the release",
    "Figure 5": PRIVATE,
    "Section 2.2.1": "source sentences and their lengths are not in the release",
    "Section 2.5.2": PRIVATE + ", and the printed tables do not give it",
    "Table 7": PRIVATE + "; the totals and the kappa are recomputed from these printed counts",
    "Table 8": PRIVATE + "; the totals are recomputed from these printed counts",
    "Table 12": "the system outputs are not in the release",
}


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
        counts = relative_ranking.pairwise(judgments)
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


def private_annotation(printed: pd.DataFrame) -> dict[tuple[str, str], Any]:
    """Tables 7 and 8: totals, agreement and Cohen's κ recomputed from the counts printed there.

    Parameters
    ----------
    printed : DataFrame
        From `claims.published`.
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    cells = {(r.place, r.cell): r.published for r in printed.itertuples(index=False)}
    joint = np.array(
        [[int(cells["Table 7", f"T says {t} | B says {b}"]) for b in LABELS] for t in LABELS]
    )
    out: dict[tuple[str, str], Any] = {}
    for k, label in enumerate(LABELS):
        out["Table 7", f"T says {label} | B says total"] = int(joint[k].sum())
        out["Table 7", f"T says total | B says {label}"] = int(joint[:, k].sum())
    out["Table 7", "T says total | B says total"] = int(joint.sum())
    agreed = int(np.trace(joint))
    out["Section 2.5.2", "two authors agree"] = agreed
    out["Section 2.5.2", "two authors agree | per cent"] = 100 * agreed / joint.sum()
    kappa = float(cohens_kappa(joint, return_results=False))
    out["Section 2.5.2", "two authors | kappa"] = kappa
    out["Section 2.5.2", "annotators of the pairwise kappas"] = len(ANNOTATORS)
    columns = ("B better", "T better", "both fine", "both wrong")
    for column, label in zip(columns, LABELS, strict=True):
        counts = [int(cells["Table 8", f"{who} | {column}"]) for who in ANNOTATORS]
        out["Table 8", f"total | {column}"] = sum(counts)
        out["Table 8", f"O | {column}"] = out["Table 7", f"T says total | B says {label}"]
        out["Table 8", f"M | {column}"] = out["Table 7", f"T says {label} | B says total"]
    return out


def values(
    frame: pd.DataFrame,
    scores: pd.DataFrame,
    notes: agreement.Annotations,
    edits: pd.DataFrame,
    judged: pd.DataFrame,
) -> dict[tuple[str, str], Any]:
    """Every printed number that the data of WMT10 give, by (place, cell)."""
    out: dict[tuple[str, str], Any] = {}
    agreed = agreement.agreement(notes)
    for row in campaign_table(frame, agreed).to_dict("records"):
        task = row.pop("task")
        out |= {("Table 1", f"{task} | {name}"): value for name, value in row.items()}
    task = relative_ranking.tasks(frame)[FOCUS]
    focus = scores[scores["task"] == FOCUS].set_index("system")
    for system in TOP:
        for name in TABLE2:
            out["Table 2", f"{system} | {name}"] = 100 * _number(focus, system, name)
    for row in kappa_table(notes).to_dict("records"):
        for name in ("s", "pi"):
            out["Table 3", f"{row['kind']} | {row['reference']} | {name}"] = row[name]
    number = task["block"].nunique()
    for row in sole_winners(focus.reset_index(), number).to_dict("records"):
        name = "eight other systems" if row["winner"] == "other systems" else row["winner"]
        out["Table 4", name] = row["blocks"]
    out["Table 4", "average blocks of a system"] = float(focus["blocks_shown"].mean())
    points = exposure(scores, frame)
    for place, x in (("Table 5", "blocks"), ("Table 10", "reference_share")):
        for row in correlations(points, x).to_dict("records"):
            out[place, row["task"]] = row["correlation"]
    for figure, (place, cell) in {
        "Figure 3": ("Table 5", FOCUS),
        "Figure 4": ("Table 5", "en-es"),
        "Figure 6": ("Table 10", "en-de"),
    }.items():
        out[figure, "correlation of the points"] = out[place, cell]
    better = relative_ranking.win_percentages(relative_ranking.pairwise(task), list(TOP))
    for a in TOP:
        for b in TOP:
            if a != b:
                out["Table 6", f"{b} > {a}"] = _number(better, a, b)
    alike = _number(focus[[TABLE2[0], TABLE2[2]]].corr("spearman"), TABLE2[0], TABLE2[2])
    cell = "order by ≥ all in block against order by ≥ others"
    out["Figure 1", cell] = "very similar" if alike > 0.95 else f"Spearman {alike:.3f}"
    for k, ranks in enumerate(_table9(task)):
        for system, rank in ranks.items():
            out["Table 9", f"{('first', 'second')[k]} ranking | {system}"] = rank
    for row in edits_per_system(edits).to_dict("records"):
        for name in ("min", "average", "sd", "max"):
            out["Table 11", f"{row['pair']} | {name}"] = row[name]
    return out | _sections(frame, focus, task, notes, judged)


def _number(table: pd.DataFrame, row: str, column: str) -> float:
    return float(np.asarray(table.loc[row, column]))


def _table9(task: pd.DataFrame) -> list[dict[Any, Any]]:
    """The two rankings of sentence 382 by one judge, in the order printed."""
    table = twice_ranked(task, 382, "pc-trans", "cu-bojar")
    both = table[table.duplicated("judge", keep=False)].sort_values("pc-trans")
    return both[["pc-trans", "cu-bojar"]].to_dict("records")


def _sections(
    frame: pd.DataFrame,
    focus: pd.DataFrame,
    task: pd.DataFrame,
    notes: agreement.Annotations,
    judged: pd.DataFrame,
) -> dict[tuple[str, str], Any]:
    """The numbers of the running text."""
    labels = notes.table["label"].to_numpy()
    compared = notes.table.groupby("task").size().rank(ascending=False)
    out: dict[tuple[str, str], Any] = {
        ("Section 2", "en-cs place by comparisons"): int(compared[FOCUS]),
        ("Section 2.2.2", "P(=)"): float(np.mean(labels == 0)),
        ("Section 2.2.2", "P(E)"): agreement.chance_of_labels(labels),
        ("Section 2.2.2", "P(E) of a random clicker"): (1 / 5) ** 2 + 2 * (2 / 5) ** 2,
    }
    printed = (100 * focus[list(TABLE2[:2])]).round(1)  # the text subtracts printed values
    ties = (printed[TABLE2[0]] - printed[TABLE2[1]]).round(1)
    out["Section 2.3", "swing of cu-bojar and pc-trans"] = round(
        ties["cu-bojar"] - ties["pc-trans"], 1
    )
    for system in ("cu-bojar", "pc-trans"):
        out["Section 2.3", f"{system} | ≥ minus >"] = float(ties[system])
        out["Section 2.3", f"{system} | blocks"] = int(_number(focus, system, "blocks_shown"))
    both = same_sentences(task, "cu-tecto", "cu-bojar")
    out["Section 2.5", "cu-tecto and cu-bojar | blocks"] = both["blocks"]
    for name, key in (("cu-tecto better", "better"), ("cu-bojar better", "worse"), ("ties",) * 2):
        out["Section 2.5", f"{name} | blocks"] = both[key]
        out["Section 2.5", f"{name} | per cent"] = 100 * both[key] / both["blocks"]
    out["Section 2.5.2", "sentences in the 81 blocks"] = both["sentences"]
    accepted = acceptable(judged, "cs-en").set_index("system")
    for system in ("cu-bojar", "cmu"):
        out["Section 4.1", f"{system} | edits"] = int(_number(accepted, system, "edits"))
        out["Section 4.1", f"{system} | acceptable"] = int(_number(accepted, system, "acceptable"))
    share = 100 * _number(accepted, "cu-bojar", "share")
    out["Section 4.1", "cu-bojar | acceptable, per cent"] = share
    return out


def reasons(ours: Mapping[tuple[str, str], Any]) -> dict[tuple[str, str], str]:
    """What there is to say about single cells."""
    said = {
        (
            "Section 2.3",
            "cu-bojar | ≥ minus >",
        ): "slip in the paper: the printed 65.6 and 45.0 differ by 20.6; ties are 20.5 %",
        (
            "Figure 1",
            "order by ≥ all in block against order by ≥ others",
        ): "the figure prints no values; 'very similar' here is a Spearman correlation above 0.95",
        (
            "Table 9",
            "first ranking | pc-trans",
        ): "sentence 382 (1-based) of the test set, twice by one judge",
        (
            "Section 2.5.2",
            "two authors | kappa",
        ): "Cohen's kappa of the printed Table 7",
        (
            "Section 2.5.2",
            "annotators of the pairwise kappas",
        ): "slip in the paper: Table 8 lists six, and the next sentence speaks of six",
    }
    return {key: text for key, text in said.items() if key in ours}


def ledger(ours: Mapping[tuple[str, str], Any], printed: pd.DataFrame) -> pd.DataFrame:
    """All published cells beside ours; cells from private data are recomputed from print."""
    from . import claims

    private = private_annotation(printed)
    keys = pd.MultiIndex.from_frame(printed[["place", "cell"]])
    again = keys.isin(list(private))
    said = reasons({**ours, **private})
    said |= {
        key: NO_DATA[key[0]]
        for key in keys
        if key[0] in NO_DATA and key not in ours and key not in private
    }
    parts = [
        claims.compare(printed[~again], ours, provenance="official", reasons=said),
        claims.compare(printed[again], private, provenance="recomputed from print", reasons=said),
    ]
    rows = pd.concat(parts, ignore_index=True)
    order = keys.get_indexer(pd.MultiIndex.from_frame(rows[["place", "cell"]]))
    return rows.iloc[np.argsort(order)].reset_index(drop=True)
