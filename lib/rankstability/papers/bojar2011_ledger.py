"""Bojar et al. (2011) on WMT10: every printed number beside ours, with what explains the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..score import rr as relative_ranking
from ..score.rr import REFERENCE
from ..study import agreement
from .bojar2011 import (
    acceptable,
    campaign_table,
    correlations,
    edits_per_system,
    exposure,
    kappa_table,
    same_sentences,
    sole_winners,
    twice_ranked,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..read.campaigns import Campaign

CAMPAIGN = "wmt10"
FOCUS = "en-cs"  # the task the paper looks into
TOP = (REFERENCE, "cu-bojar", "cu-tecto", "eurotrans", "onlineB", "pc-trans", "uedin")
TABLE2 = (
    "better_or_equal_others",
    "better_others",
    "better_or_equal_all_in_block",
    "better_all_in_block",
)
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


def private_annotation(printed: pd.DataFrame) -> dict[tuple[str, str], Any]:
    """Tables 7 and 8: totals, agreement and Cohen's κ recomputed from the counts printed there.

    Parameters
    ----------
    printed : DataFrame
        From `claims.published`.
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    keys = zip(printed["place"], printed["cell"], strict=True)
    cells: dict[tuple[str, str], str] = dict(zip(keys, printed["published"], strict=True))
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
    out["Section 2.5.2", "annotators of the pairwise kappas"] = f"{len(ANNOTATORS)} annotators"
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
    better = relative_ranking.win_percentages(relative_ranking.pair_counts(task), list(TOP))
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


def report(
    campaign: Campaign,
    frame: pd.DataFrame,
    scores: pd.DataFrame,
    notes: agreement.Annotations,
) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """What only WMT10 has: its editing task, the examples of the paper, and the ledger.

    Returns
    -------
    dict of str to DataFrame
        ``table2`` to ``table11`` as printed in the paper, those not general; empty for other
        campaigns.
    DataFrame
        Ledger rows; empty for other campaigns and for a part of this one.
    """
    from ..read import rr as readers_rr
    from . import claims

    tasks = relative_ranking.tasks(frame)
    edits, judged = (campaign.folder / name for name in ("data_EDT.tsv", "data_ACC.csv"))
    whole = campaign.name == CAMPAIGN and len(tasks) == 8 and edits.exists() and judged.exists()
    if not whole:
        return {}, pd.DataFrame(columns=claims.COLUMNS)
    edit_table = readers_rr.read_edits(edits)
    judged_table = readers_rr.read_acceptability(judged)
    focus = scores[scores["task"] == FOCUS].set_index("system")
    counts = relative_ranking.pair_counts(tasks[FOCUS])
    better = relative_ranking.win_percentages(counts, list(TOP)).round(1)
    tables = {
        "table2": (100 * focus.loc[list(TOP), list(TABLE2)]).round(1).reset_index(),
        "table6": better.rename_axis("better_than").reset_index(),
        "table9": twice_ranked(tasks[FOCUS], 382, "pc-trans", "cu-bojar"),
        "table11": edits_per_system(edit_table),
        "acceptability": acceptable(judged_table, "cs-en"),
    }
    ours = values(frame, scores, notes, edit_table, judged_table)
    return tables, ledger(ours, claims.published("bojar2011"))


def paper_figures(
    scores: pd.DataFrame, points: pd.DataFrame
) -> list[tuple[str, Figure, pd.DataFrame]]:
    """Figures 1, 3, 4 and 6 with the systems' names: file name, figure, what is drawn.

    Parameters
    ----------
    scores : DataFrame
        From `relative_ranking.scores`.
    points : DataFrame
        From `exposure`.
    """
    from ..plot.relative_ranking import scatter

    times, share = "blocks that showed the system", "share of them that showed the reference, %"
    two = scores[(scores["task"] == FOCUS) & (scores["system"] != REFERENCE)]
    plots = [
        ("figure1", two, TABLE2[2], TABLE2[0], "≥ all in block", "≥ others", f"Figure 1, {FOCUS}"),
        ("figure3", points, "blocks", "score", times, "≥ others, %", "en-cs"),
        ("figure4", points, "blocks", "score", times, "≥ others, %", "en-es"),
        ("figure6", points, "reference_share", "score", share, "≥ others, %", "en-de"),
    ]
    out = []
    for name, data, x, y, xlabel, ylabel, title in plots:
        if name != "figure1":
            data = data[data["task"] == title]
            title = f"Figure {name[-1]}, {title}"
        fig = scatter(data, x, y, xlabel=xlabel, ylabel=ylabel, title=title)
        out.append((name, fig, data[["task", "system", x, y]]))
    return out


def verdict(rows: pd.DataFrame) -> dict[str, Any]:
    """The ledger for a reader: a sentence, a count per place, and the cells that need a word."""
    from . import claims

    if rows.empty:
        return {"Ledger": "The paper prints nothing about this campaign."}
    exact = int((rows["status"] == "exact").sum())
    known = int((rows["status"] != "no data").sum())
    said = rows[(rows["status"] != "no data") & (rows["reason"] != "")]
    return {
        "Ledger": f"**{exact} of {known}** printed numbers come out exactly; "
        f"{len(rows) - known} cells have no data.",
        "By place": claims.summary(rows),
        "With a word": said[["place", "cell", "published", "ours", "status", "reason"]],
    }


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
