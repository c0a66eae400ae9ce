"""Notebook 01: rankings replicated, and what the choice of test and cluster rule does to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..papers import claims
from ..rank.ranges import bootstrap_ranks, rank_range_table
from ..rank.ranking import CLUSTER_RULES, Ranking
from ..rank.significance import TESTS
from ..rank.systems import rank_systems
from ..read import campaigns, official
from ..read.campaigns import Campaign
from ..score.da import SegmentScores, from_segment_frame, segment_scores, unit_sums

if TYPE_CHECKING:
    from ..report.outputs import Outputs

HOME = "wmt18"  # the campaign whose ledger also holds the paper's rows for campaigns not here
SEGMENTS = "wmt20"  # segment scores answer for the rankings of 2020 where the archives are absent
UNLISTED = "not in the catalogue: a campaign that the paper leaves out of its analyses"
TYPES = ("SYSTEM", "REPEAT", "REF", "BAD_REF")


def scores_of(campaign: Campaign, pair: str) -> tuple[SegmentScores, pd.DataFrame]:
    """Segment scores of a pair, from judgments or as released, and what was left out.

    Where a release holds segment scores of the reference, which its official scores do not rank
    (WMT20 from Inuktitut, Khmer and Pashto), those rows are left out and counted.

    Returns
    -------
    scores : SegmentScores
    excluded : DataFrame
        file, reason, rows.
    """
    if campaign.workers:
        da = campaigns.load_da(campaign, pair)
        return segment_scores(da), da.excluded
    frame = campaigns.load_segment_scores(campaign, pair)
    excluded = pd.DataFrame(columns=["file", "reason", "rows"])
    ranked = official.ranking(campaign, pair)
    if ranked is not None:
        system = frame["system"].astype(str)
        outside = (system == "HUMAN") & ~system.isin(ranked["system"])
        if outside.any():
            row = ("segment scores", "HUMAN: reference rows, not ranked", int(outside.sum()))
            excluded = pd.DataFrame([row], columns=excluded.columns)
            frame = frame[~outside]
    return from_segment_frame(frame), excluded


def type_counts(campaign: Campaign, pair: str) -> pd.DataFrame:
    """Rows of each type per file, as in Table 1: columns file, SYSTEM, REPEAT, REF, BAD_REF."""
    if not campaign.workers:
        scores, _ = scores_of(campaign, pair)
        only = [("segment scores", int(scores.judgments.sum()), 0, 0, 0)]
        return pd.DataFrame(only, columns=["file", *TYPES])
    da = campaigns.load_da(campaign, pair)
    rows: list[tuple[Any, ...]] = []
    for name, frame in (("ad-latest", da.latest), ("ad-good-raw-redup", da.good)):
        counts = frame["type"].astype(str).value_counts()
        rows.append((name, *(int(counts.get(t, 0)) for t in TYPES)))
    return pd.DataFrame(rows, columns=["file", *TYPES])


def variants(
    scores: SegmentScores, alpha: float = 0.05, corrections: Sequence[str] = ("none", "holm")
) -> pd.DataFrame:
    """The clusters of one pair under each test, correction and cluster rule.

    Returns
    -------
    DataFrame
        One row per (test, correction, rule, system): test, correction, rule, rank, system,
        cluster. The order of systems is the same in all.
    """
    frames = []
    for test in TESTS:
        for correction in corrections:
            # one-sided p differs by direction; a correction over unordered pairs does not apply
            if test == "greater" and correction != "none":
                continue
            base = rank_systems(scores, test=test, correction=correction, alpha=alpha)
            for rule in CLUSTER_RULES:
                table = base.under(rule=rule).table[["rank", "system", "cluster"]]
                settings = {"test": test, "correction": correction, "rule": rule}
                frames.append(table.assign(**settings))
    columns = ["test", "correction", "rule", "rank", "system", "cluster"]
    return pd.concat(frames, ignore_index=True)[columns]


def cluster_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Number of clusters per test and correction (rows) and cluster rule (columns)."""
    counts = table.groupby(["test", "correction", "rule"], sort=False)["cluster"].max().unstack()
    return counts[list(CLUSTER_RULES)].reset_index().rename_axis(columns=None)


def ranges(
    scores: SegmentScores, ranking: Ranking, rng: np.random.Generator, resamples: int = 1000
) -> pd.DataFrame:
    """Mean z of each system with its 95 % rank range, from resampled segments.

    Returns
    -------
    DataFrame
        rank, system, mean_z, cluster, rank_low, rank_high, rank_median.
    """
    ranks = bootstrap_ranks(*unit_sums(scores), rng, resamples)
    table = ranking.table[["rank", "system", "mean_z", "cluster"]]
    return table.merge(rank_range_table(ranks, scores.systems), on="system", validate="1:1")


def verdict(campaign: Campaign, pair: str, ranking: Ranking) -> pd.DataFrame:
    """What of the official result comes out again, as one row.

    Returns
    -------
    DataFrame
        pair, systems, and 1 / 0 / empty (nothing released) for: same_order, same_means,
        same_counts, same_clusters_knowles, same_clusters_official (the two line rules),
        significant_comparisons_released, significant_comparisons_same (one-sided p-values).
    """
    row: dict[str, Any] = {"pair": pair, "systems": len(ranking.systems)}
    theirs = official.ranking(campaign, pair)
    if theirs is not None:
        table = official.compare(ranking.table, theirs)
        counts = ["segments", "judgments"]
        row["same_order"] = int(tuple(theirs["system"]) == ranking.systems)
        row["same_counts"] = int(
            all((table[f"{c}_official"] == table[f"{c}_ours"]).all() for c in counts)
        )
        row["same_means"] = int(bool((table["same"] == 1).all()) or _means_same(table))
    printed = official.clusters(campaign, pair)
    if printed is not None:
        row["same_clusters_knowles"] = int(ranking.under(rule="knowles").clusters == printed)
        row["same_clusters_official"] = int(ranking.under(rule="official wins").clusters == printed)
    columns = [
        "pair", "systems", "same_order", "same_means", "same_counts", "same_clusters_knowles",
        "same_clusters_official",
    ]  # fmt: skip
    return pd.DataFrame([row]).reindex(columns=columns)


def opposed(campaign: Campaign, pair: str, ranking: Ranking) -> str:
    """A sentence on significant comparisons against the order of means, and what they decide."""
    table = ranking.comparisons()
    odd = table[table["significant"] & ~table["test_agrees"]]
    if odd.empty:
        return "No significant comparison points against the order of means."
    which = "; ".join(f"{r.worse} over {r.better} (p = {r.p:.3g})" for r in odd.itertuples())
    text = f"Significant against the order of means: {which}."
    printed = official.clusters(campaign, pair)
    by_rule = {rule: ranking.under(rule=rule).lines for rule in ("knowles", "official wins")}
    if by_rule["knowles"] != by_rule["official wins"]:
        drawn = {r: ", ".join(map(str, k)) or "none" for r, k in by_rule.items()}
        text += (
            " The paper's rule ignores the direction, the official one counts it as a win: "
            f"lines below ranks {drawn['knowles']} against {drawn['official wins']}"
        )
        if printed is not None:
            same = ranking.under(rule="official wins").clusters == printed
            text += (
                f"; the published clusters are{'' if same else ' not'} those of the official rule"
            )
        text += "."
    return text


def _means_same(table: pd.DataFrame) -> bool:
    precise = bool((table["mean_z_official"].round(3) != table["mean_z_official"]).any())
    limits = {"mean_raw": 1e-9, "mean_z": 1e-9} if precise else {"mean_raw": 0.05, "mean_z": 0.0005}
    return all(
        bool(((table[f"{c}_official"] - table[f"{c}_ours"]).abs() <= v * (1 + 1e-9)).all())
        for c, v in limits.items()
    )


def p_value_check(campaign: Campaign, pair: str, scores: SegmentScores) -> pd.DataFrame | None:
    """Released one-sided p-values beside ours; None where none were released.

    Returns
    -------
    DataFrame
        better, worse, released, ours (test ``greater``), same (1: equal to 1e-6 relative; values
        printed as 0.12 are the same where ours is not significant at 0.05).
    """
    released = official.p_values(campaign, pair)
    if released is None:
        return None
    ranking = rank_systems(scores, test="greater")
    ours = ranking.p_values
    rows = []
    for better in ours.index.intersection(released.index):
        for worse in ours.columns.intersection(released.columns):
            if better == worse:
                continue
            p, q = float(released.loc[better, worse]), float(ours.loc[better, worse])
            hidden = p == official.NOT_SIGNIFICANT
            same = q >= 0.05 if hidden else bool(np.isclose(p, q, rtol=1e-6, atol=1e-300))
            rows.append((better, worse, p, q, int(same)))
    return pd.DataFrame(rows, columns=["better", "worse", "released", "ours", "same"])


def answers(row_campaign: str, pair: str = "") -> str:
    """The campaign whose run answers for a row of the paper, so that each row appears once.

    Parameters
    ----------
    row_campaign : str
        The campaign that the row is about.
    pair : str
        For rows about one pair.

    Returns
    -------
    str
        That campaign, where its data are here; for pairs of 2020 whose archive is absent, the
        released segment scores; else `HOME`, whose ledger lists it as ``no data``.
    """
    here = {c.name: c for c in campaigns.present()}
    if row_campaign in here and (not pair or pair in here[row_campaign].pairs):
        return row_campaign
    if row_campaign.startswith("wmt20") and SEGMENTS in here and pair in here[SEGMENTS].pairs:
        return SEGMENTS
    return HOME


def claims_of_pair(campaign: Campaign, pair: str, ranking: Ranking) -> pd.DataFrame:
    """Ledger rows of Table 4 (appendix A) for one pair, from its `verdict`."""
    rows = claims.published("knowles2021", "Table 4")
    rows = rows[rows["pair"] == pair]
    year = rows["campaign"].str.startswith(campaign.name[:5])  # WMT20's come in several parts
    rows = rows[year & rows["campaign"].map(lambda c: answers(c, pair) == campaign.name)]
    if rows.empty:
        return pd.DataFrame(columns=claims.COLUMNS)
    found = verdict(campaign, pair, ranking).iloc[0]
    checks = found.drop(["pair", "systems"]).dropna()
    whole = bool(len(checks)) and bool(
        (checks.drop("same_clusters_official", errors="ignore") == 1).all()
    )
    ours: dict[tuple[str, str], Any] = {}
    reasons: dict[tuple[str, str], str] = {}
    for row in rows.itertuples(index=False):
        key, kind = (row.place, row.cell), row.cell.split(" | ")[1]
        if kind == "replicated" and len(checks):
            if campaign.workers:
                ours[key] = "✓" if whole else "differs"
            reasons[key] = _why(campaign, found, row.published, whole, ranking)
        elif kind in ("style", "mono- or bilingual", "tool"):
            reasons[key] = "how the campaign was run: kept in the catalogue, not computed"
        elif kind == "note":
            reasons[key] = "a remark on the findings paper, whose tables are not data here"
    provenance = "rebuilt from z" if campaign.rebuilt else "official"
    return claims.compare(rows, ours, provenance=provenance, reasons=reasons)


def _why(campaign: Campaign, found: pd.Series, printed: str, whole: bool, ranking: Ranking) -> str:
    parts = []
    for name, value, usual in (
        ("test", ranking.test, "scipy<1.7"),
        ("rule", ranking.rule, "knowles"),
        ("alpha", ranking.alpha, 0.05),
    ):
        if value != usual:
            parts.append(f"with {name} {value}, not the paper's {usual}")
    if whole and (printed != "✓" or not campaign.workers):
        parts.append("order, means and counts equal the official file here")
    if not whole:
        parts += [
            f"{k}: {'yes' if v == 1 else 'no'}" for k, v in found.dropna().items() if "same" in k
        ]
    if not campaign.workers:
        parts.append("only released segment scores are here: no workers, no official clusters")
    return "; ".join(parts)


def table_1(campaign: Campaign, counts: pd.DataFrame) -> pd.DataFrame:
    """Ledger rows of Table 1: types in ``ad-good-raw-redup`` over all pairs of a data set."""
    rows = claims.published("knowles2021", "Table 1")
    rows = rows[rows["campaign"].map(lambda c: answers(c) == campaign.name)]
    ours, reasons = {}, {}
    complete = set(campaign.pairs) >= set(campaign.known_pairs)
    good = counts[counts["file"] == "ad-good-raw-redup"]
    for row in rows.itertuples(index=False):
        key, kind = (row.place, row.cell), row.cell.split(" | ")[1]
        if row.campaign != campaign.name:
            reasons[key] = "the archive is not here" if row.campaign else UNLISTED
            continue
        total = int(good[kind].sum())
        if complete:
            ours[key] = total
        else:
            absent = ", ".join(sorted(set(campaign.known_pairs) - set(campaign.pairs)))
            reasons[key] = (
                f"{total} rows in the {len(campaign.pairs)} pairs here; {absent} is absent"
            )
    provenance = "rebuilt from z" if campaign.rebuilt else "official"
    return claims.compare(rows, ours, provenance=provenance, reasons=reasons)


def absent_claims() -> pd.DataFrame:
    """Ledger rows of Table 4 for pairs whose data are nowhere here: status ``no data``."""
    rows = claims.published("knowles2021", "Table 4")
    here = {c.name: c.pairs for c in campaigns.present()}
    gone = [
        answers(c, p) == HOME and (c != HOME or p not in here.get(HOME, ()))
        for c, p in zip(rows["campaign"], rows["pair"], strict=True)
    ]
    lost = rows[gone]
    reasons = {
        (r.place, r.cell): "the archive is not here" if r.campaign else UNLISTED
        for r in lost.itertuples()
    }
    return claims.compare(lost, {}, provenance="official", reasons=reasons)


def gather(out: Outputs, campaign: Campaign) -> dict[str, Any]:
    """The campaign's tables and figures from its pairs': rankings, verdicts, rules, claims."""
    from ..plot import ranking as figures_ranking

    rankings = out.table(out.pair_tables("ranking"), "ranking")
    counts = out.table(out.pair_tables("type_counts"), "type_counts")
    checks = out.table(out.pair_tables("verdict"), "verdict")
    rules = out.table(out.pair_tables("cluster_counts"), "cluster_counts")
    rows = [out.pair_tables("claims").drop(columns="pair")]
    rows.append(table_1(campaign, counts))
    if campaign.name == HOME:
        rows.append(absent_claims())
    ledger = pd.concat([r for r in rows if len(r)] or rows[:1], ignore_index=True)
    out.claims(ledger)
    figure = figures_ranking.rules_figure(
        rules, title=f"Clusters by test and line rule: {campaign.name}"
    )
    drawn = out.figure(figure, "clusters_by_rule", data=rules)
    done = checks.drop(columns=["pair", "systems"]).apply(pd.to_numeric, errors="coerce")
    said = ", ".join(
        f"{name.replace('_', ' ')} in {int(v.sum())} of {int(v.notna().sum())}"
        for name, v in done.items()
        if v.notna().any()
    )
    return {
        "Types of judgment (Table 1)": counts,
        "Replicated": f"Against the official files: {said or 'none were released'}.",
        "Official and ours, pair by pair": checks,
        "Number of clusters under each test and line rule": rules,
        "The same as a figure": drawn,
        "Ledger": ledger,
        "All rankings": rankings,
    }
