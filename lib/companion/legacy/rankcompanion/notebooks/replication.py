"""Notebook 01: official rankings replicated, and the effect of the test and of the cluster rule."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.rankstability.judgments import (
    UNKNOWN_Z,
    DirectAssessment,
    counted,
    unstandardised,
)
from companion.legacy.rankstability.rank.certainty import certainty
from companion.legacy.rankstability.rank.ranking import CLUSTER_RULES, Ranking
from companion.legacy.rankstability.rank.significance import TESTS
from companion.legacy.rankstability.rank.standing import rank_systems
from companion.legacy.rankstability.score.scored import Scores, scored

from .lines.tables import line_counts as line_counts
from .lines.tables import recipes as recipes
from .lines.tables import units_shown as units_shown

TYPES = ("SYSTEM", "REPEAT", "REF", "BAD_REF")
# released in place of every p-value that is not significant
NOT_SIGNIFICANT = 0.12


def type_counts(
    data: DirectAssessment | Scores, released: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Rows of each type by file, as in Table 1: columns file, SYSTEM, REPEAT, REF, BAD_REF.

    Released segment scores only say how many judgments they average; these are counted as SYSTEM.
    The other judgments of `released`, the scores with those of references, are counted as REF.
    """
    if isinstance(data, Scores):
        ranked = int(data.judgments.sum())
        references = (
            0 if released is None else int(released["n"].sum()) - ranked
        )
        rows = [("segment scores", ranked, 0, references, 0)]
    else:
        files = (("ad-latest", data.latest), ("ad-good-raw-redup", data.good))
        rows = [
            (
                name,
                *frame["type"]
                .astype(str)
                .value_counts()
                .reindex(TYPES, fill_value=0),
            )
            for name, frame in files
        ]
    return pd.DataFrame(rows, columns=["file", *TYPES])


def places_by_unit(
    systems: Sequence[str],
    claimed: Sequence[int],
    judged: Scores,
    units: Sequence[str],
    alpha: float,
) -> pd.DataFrame:
    """`Certainty.places` of any ranking, for each kind of resampling unit in turn.

    `systems` are in the order of the ranking, best first; `claimed` are the ranks below which it
    has lines.
    """
    sure = [certainty(judged, unit, alpha=alpha) for unit in units]
    parts = [one.places(one.codes(systems), claimed) for one in sure]
    return pd.concat(parts, ignore_index=True)


def without_z(da: DirectAssessment) -> pd.DataFrame:
    """How many judgments of each system have no z-score, because their worker has none.

    Columns system, judgments (that count), without_z (how many of them), share, z (``left out`` of
    the system's mean, or ``0`` by the campaign's rule for workers whose scores never vary).
    """
    rows = counted(da.good)
    reason = unstandardised(da)
    table = pd.DataFrame(
        {"system": da.good["system"].astype(str), "without": reason != ""}
    )[rows]
    table = (
        table.groupby("system")["without"]
        .agg(judgments="size", without_z="sum")
        .reset_index()
    )
    zero = reason[reason != ""] == UNKNOWN_Z[1]
    given = "0" if da.zero_variance == "zero" and zero.all() else "left out"
    return table.assign(share=table["without_z"] / table["judgments"], z=given)


def with_official_counts(
    counts: pd.DataFrame, rankings: Mapping[str, pd.DataFrame | None]
) -> pd.DataFrame:
    """`type_counts` of all pairs, with the official number of judgments for pairs without them.

    `rankings` maps each pair to its official ranking or None. Each pair that only `rankings` has
    gets a row with the file ``official ranking`` and all its judgments as SYSTEM.
    """
    absent = [
        {
            "pair": pair,
            "file": "official ranking",
            "SYSTEM": ranked["judgments"].sum(),
        }
        for pair, ranked in rankings.items()
        if ranked is not None and pair not in set(counts["pair"])
    ]
    rows = pd.concat([counts, pd.DataFrame(absent)], ignore_index=True)
    return rows.fillna(dict.fromkeys(TYPES, 0)).astype(
        dict.fromkeys(TYPES, int)
    )


def mqm_segment_frame(errors: pd.DataFrame) -> pd.DataFrame:
    """MQM as segment scores: columns system, document, segment, raw, z, n.

    ``raw`` is minus the MQM score, ``z`` is standardised by rater, ``n`` is the number of ratings;
    ``document`` is empty.
    """
    columns = {}
    for name in ("raw", "z"):
        one = scored(errors, name)
        systems, segments = (
            np.array(names, dtype=object)
            for names in (one.systems, one.segments)
        )
        cells = pd.DataFrame(
            {"system": systems[one.system], "segment": segments[one.segment]}
        )
        by = cells.assign(score=one.score).groupby(["system", "segment"])[
            "score"
        ]
        columns[name] = by.mean()
        columns.setdefault("n", by.size())
    frame = pd.DataFrame(columns).reset_index().assign(document=None)
    return frame[["system", "document", "segment", "raw", "z", "n"]]


def clusterings(scores: Scores, alpha: float = 0.05) -> pd.DataFrame:
    """The clusters of one pair under each test, correction and cluster rule.

    Columns test, correction, rule, rank, system, cluster, a row per combination and system. The
    order of the systems is always the same.
    """
    frames = []
    for test, correction in product(TESTS, ("none", "holm")):
        # one-sided p-values depend on the direction; a correction over unordered pairs fails
        if test == "greater" and correction != "none":
            continue
        base = rank_systems(
            scores, test=test, correction=correction, alpha=alpha
        )
        for rule in CLUSTER_RULES:
            table = base.under(rule=rule).table[["rank", "system", "cluster"]]
            frames.append(
                table.assign(test=test, correction=correction, rule=rule)
            )
    columns = ["test", "correction", "rule", "rank", "system", "cluster"]
    return pd.concat(frames, ignore_index=True)[columns]


def cluster_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Number of clusters per test and correction (rows) and cluster rule (columns)."""
    counts = (
        table.groupby(["test", "correction", "rule"], sort=False)["cluster"]
        .max()
        .unstack()
    )
    return counts[list(CLUSTER_RULES)].reset_index().rename_axis(columns=None)


def compare_rankings(ours: Ranking, official: pd.DataFrame) -> pd.DataFrame:
    """The official ranking (`official.ranking`) and ours, system by system.

    Columns system; rank, mean_raw, mean_z, segments and judgments, each with the suffixes
    ``_official`` and ``_ours``; same (1: rank and counts are equal, means are equal at the printed
    precision). In official order; a system missing from one ranking has NaN there.
    """
    left = official.assign(rank=np.arange(1, len(official) + 1))
    right = ours.table.drop(columns="cluster")
    suffixes = ("_official", "_ours")
    merged = left.merge(right, on="system", how="outer", suffixes=suffixes)
    merged = merged.sort_values(["rank_official", "rank_ours"])
    same = _means_same(merged) & _same(merged, "rank", "segments", "judgments")
    order = ["rank", "mean_raw", "mean_z", "segments", "judgments"]
    columns = [f"{name}{side}" for name in order for side in suffixes]
    return (
        merged[["system", *columns]]
        .assign(same=same.astype(int))
        .reset_index(drop=True)
    )


def _same(table: pd.DataFrame, *names: str) -> pd.Series:
    """Whether the official numbers in these columns equal ours, by row."""
    equal = {
        name: table[f"{name}_official"] == table[f"{name}_ours"]
        for name in names
    }
    return pd.DataFrame(equal).all(axis=1)


def _means_same(table: pd.DataFrame) -> pd.Series:
    """Whether both means are equal, by row, at the printed precision (1 and 3 decimals, or all)."""
    printed = table["mean_z_official"].dropna()
    precise = bool((printed.round(3) != printed).any())
    same = pd.Series(True, index=table.index)
    for name, unit in (("mean_raw", 0.1), ("mean_z", 0.001)):
        gap = (table[f"{name}_official"] - table[f"{name}_ours"]).abs()
        same &= gap <= (1e-9 if precise else unit / 2 * (1 + 1e-9))
    return same


def agreement(
    pair: str,
    ranking: Ranking,
    official: pd.DataFrame | None,
    clusters: Sequence[frozenset[str]] | None,
) -> pd.DataFrame:
    """Which parts of the official result are reproduced, as one row.

    `official` and `clusters` are from `official.ranking` and `official.clusters`, None if nothing
    was released. Columns pair, systems, same_order, same_means, same_counts, same_clusters_knowles,
    same_clusters_official (by the two line rules): 1, 0, or empty if nothing was released.
    """
    row: dict[str, Any] = {"pair": pair, "systems": len(ranking.systems)}
    if official is not None:
        table = compare_rankings(ranking, official)
        row["same_order"] = int(tuple(official["system"]) == ranking.systems)
        row["same_means"] = int(_means_same(table).all())
        row["same_counts"] = int(_same(table, "segments", "judgments").all())
    if clusters is not None:
        for name, rule in (
            ("knowles", "knowles"),
            ("official", "official wins"),
        ):
            row[f"same_clusters_{name}"] = int(
                ranking.under(rule=rule).clusters == tuple(clusters)
            )
    same = (
        "order",
        "means",
        "counts",
        "clusters_knowles",
        "clusters_official",
    )
    return pd.DataFrame([row]).reindex(
        columns=["pair", "systems", *(f"same_{n}" for n in same)]
    )


def compare_p_values(released: pd.DataFrame, scores: Scores) -> pd.DataFrame:
    """Released one-sided p-values (`official.p_values`) next to ours.

    Columns better, worse, released, ours (test ``greater``), same (1: equal to a relative 1e-6, or
    released as 0.12 and not significant at 0.05 in ours).
    """
    ours = rank_systems(scores, test="greater").p_values
    rows = []
    known = (
        ours.index.intersection(released.index),
        ours.columns.intersection(released.columns),
    )
    for better, worse in product(*known):
        if better != worse:
            p = float(released.loc[better, worse])
            q = float(ours.loc[better, worse])
            alike = (
                q >= 0.05
                if p == NOT_SIGNIFICANT
                else np.isclose(p, q, rtol=1e-6, atol=1e-300)
            )
            rows.append((better, worse, p, q, int(alike)))
    return pd.DataFrame(
        rows, columns=["better", "worse", "released", "ours", "same"]
    )
