"""Bojar et al. (2011), "A Grain of Salt for the WMT Manual Evaluation", next to ours (WMT10)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.paperkit import claims
from companion.legacy.rankstability.score.rr import REFERENCE

PAPER = "bojar2011"
CAMPAIGN = "wmt10"
FOCUS = "en-cs"  # the task that the paper examines
TOP = (
    REFERENCE,
    "cu-bojar",
    "cu-tecto",
    "eurotrans",
    "onlineB",
    "pc-trans",
    "uedin",
)
TABLE2 = ["better_or_equal_others", "better_others"]
TABLE2 += ["better_or_equal_all_in_block", "better_all_in_block"]
VALUE = ["statistic", "ours", "system", "other"]
KEYS = ["statistic", "task", "system", "other", "kind", "reference", "label"]
LABELS = [
    "B>T",
    "T>B",
    "both fine",
    "both wrong",
]  # of the private annotation, Tables 7 and 8


def ledger(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Ledger rows of all published numbers; those of the private annotation are from the print.

    `tables` are frames of a run on all of WMT10: ``campaign``, ``scores``, ``kappas``,
    ``sole_winners``, ``correlations``, ``chance`` (`agreement.expected_agreement`), ``table6``
    (better_than and a column per system: per cent in which that system was better), ``table9``,
    ``table11``, ``acceptability``, and ``section25`` (a row of `head_to_head`).
    """
    rows = claims.published(PAPER)
    parts = [
        _campaign(tables),
        _scores(tables["scores"]),
        _pairs(tables),
        _edits(tables),
    ]
    ours = pd.concat([*parts, _from_print(rows)])
    return claims.compare(rows, ours, KEYS, provenance="official")


def across(tables: object) -> pd.DataFrame:
    """Ledger rows of what follows from the print, whichever campaigns were run."""
    rows = claims.published(PAPER)
    return claims.compare(rows, _from_print(rows), KEYS, provenance="official")


def _from_print(printed: pd.DataFrame) -> pd.DataFrame:
    """What follows from other printed numbers: sums of Tables 7 and 8, the arrows of Table 12."""
    table12 = printed[printed["place"] == "Table 12"]
    bleu = table12.pivot(
        index="system", columns="statistic", values="published"
    )
    sets = ("dev_set_bleu", "test_set_bleu")
    dev, test = (
        bleu[name].str.partition("±")[0].astype(float) for name in sets
    )
    arrows = (
        (test > dev).map({True: "↗", False: "↘"}).rename("ours").reset_index()
    )
    arrows = arrows.assign(statistic="bleu_difference", task=FOCUS)
    parts = [private_annotation(printed), arrows]
    return pd.concat(parts).assign(provenance="recomputed from print")


def _campaign(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Tables 1, 3, 4, 5 and 10, and what the text says about all tasks."""
    campaign = tables["campaign"]
    place = (
        campaign.iloc[:-1]
        .set_index("task")["comparisons"]
        .rank(ascending=False)
    )
    winners = tables["sole_winners"].rename(
        columns={"winner": "system", "blocks": "ours"}
    )
    correlations = tables["correlations"].melt(
        "task", ["blocks", "reference_share"], "x", "ours"
    )
    correlations["statistic"] = "correlation_" + correlations["x"]
    parts = [
        campaign.melt("task", var_name="statistic", value_name="ours"),
        tables["kappas"].melt(
            ["kind", "reference"], ["s", "pi"], "statistic", "ours"
        ),
        winners.assign(statistic="sole_winner_blocks"),
        correlations,
        tables["chance"].rename(columns={"value": "ours"}),
        place.rename("ours")
        .reset_index()
        .assign(statistic="place_by_comparisons"),
    ]
    return pd.concat(parts)


def _scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 2, Figure 1 and Section 2.3: the scores of English-Czech, in per cent."""
    focus = scores[scores["task"] == FOCUS].set_index("system")
    share = 100 * focus[TABLE2]
    printed = share.round(1)  # the text subtracts printed values
    ties = (printed[TABLE2[0]] - printed[TABLE2[1]]).round(1)
    compared = f"about {focus['comparisons'].mean().round(-2):,.0f}"
    alike = float(focus[[TABLE2[0], TABLE2[2]]].corr("spearman").iloc[0, 1])
    columns = share.assign(blocks_shown=focus["blocks_shown"], ties=ties)
    rows = columns.reset_index().melt(
        "system", var_name="statistic", value_name="ours"
    )
    words = "very similar" if alike > 0.95 else f"Spearman {alike:.3f}"
    gap = round(ties["cu-bojar"] - ties["pc-trans"], 1)
    more: list[tuple[Any, ...]] = [
        ("average_blocks", float(focus["blocks_shown"].mean()), "", ""),
        ("average_comparisons", compared, "", ""),
        ("orders_alike", words, "", ""),
        ("difference_of_ties", gap, "cu-bojar", "pc-trans"),
    ]
    return pd.concat([rows, pd.DataFrame(more, columns=VALUE)]).assign(
        task=FOCUS
    )


def _pairs(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Tables 6 and 9, and Section 2.5 on cu-tecto against cu-bojar."""
    better = tables["table6"].melt(
        "better_than", var_name="system", value_name="ours"
    )
    better = better[better["better_than"] != better["system"]]
    better = better.rename(columns={"better_than": "other"}).assign(
        statistic="better_share"
    )
    twice = tables["table9"]
    twice = (
        twice[twice.duplicated("judge", keep=False)]
        .sort_values("pc-trans")
        .head(2)
    )
    twice = twice.drop(columns=["judge", "block"]).assign(
        kind=["first", "second"][: len(twice)]
    )
    ranks = twice.melt("kind", var_name="system", value_name="ours").assign(
        statistic="rank"
    )
    blocks = tables["section25"].iloc[0]
    one = blocks["system"]
    other = blocks["other"]
    both = [
        ("shared_blocks", blocks["blocks"], one, other),
        ("shared_sentences", blocks["sentences"], one, other),
        ("better_blocks", blocks["better"], one, other),
        ("better_blocks", blocks["worse"], other, one),
        ("tie_blocks", blocks["ties"], one, other),
        ("tie_share", 100 * blocks["ties"] / blocks["blocks"], one, other),
    ]
    return pd.concat(
        [better, ranks, pd.DataFrame(both, columns=VALUE)]
    ).assign(task=FOCUS)


def _edits(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Table 11 and Section 4.1: the editing task."""
    names = {name: f"edits_{name}" for name in ("min", "average", "sd", "max")}
    edits = tables["table11"].rename(columns={"pair": "task", **names})
    accepted = tables["acceptability"].assign(task="cs-en")
    accepted["acceptable_share"] = 100 * accepted["share"]
    columns = ["edits", "acceptable", "acceptable_share"]
    edits = edits.melt("task", list(names.values()), "statistic", "ours")
    return pd.concat(
        [
            edits,
            accepted.melt(["task", "system"], columns, "statistic", "ours"),
        ]
    )


def private_annotation(printed: pd.DataFrame) -> pd.DataFrame:
    """Totals, agreement and Cohen's κ in Tables 7 and 8, from the counts `printed` there.

    Columns statistic, kind, label, other (as in the published file), ours.
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    place = printed["place"]
    values = "published"
    table7 = printed[place == "Table 7"].pivot(
        index="label", columns="other", values=values
    )
    joint = table7.loc[LABELS, LABELS].astype(int)
    table8 = printed[place == "Table 8"].pivot(
        index="kind", columns="label", values=values
    )
    people = table8.drop("total")[LABELS].astype(int)
    agreed = int(np.trace(joint))
    every = int(joint.to_numpy().sum())
    by_t = joint.sum(axis=1)
    by_b = joint.sum(axis=0)
    rows: list[tuple[str, str, str, str, Any]] = [
        ("annotations", "T and B", "total", "total", every),
        ("agree", "T and B", "", "", agreed),
        ("agree_share", "T and B", "", "", 100 * agreed / every),
        (
            "kappa",
            "T and B",
            "",
            "",
            float(cohens_kappa(joint, return_results=False)),
        ),
        ("annotators", "", "", "", f"{len(people)} annotators"),
    ]
    for label in LABELS:
        rows += [
            ("annotations", "T and B", label, "total", by_t[label]),
            ("annotations", "T and B", "total", label, by_b[label]),
            ("annotations", "total", label, "", people[label].sum()),
            ("annotations", "O", label, "", by_b[label]),
            ("annotations", "M", label, "", by_t[label]),
        ]
    return pd.DataFrame(
        rows, columns=["statistic", "kind", "label", "other", "ours"]
    )
