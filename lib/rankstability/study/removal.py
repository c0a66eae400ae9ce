"""What removing systems does to the ranking of the others (Knowles 2021, sections 5 and 7)."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..change import perturb
from ..errors import DataError
from ..judgments import (
    DirectAssessment,
    at_least_two,
    human_systems,
    is_human,
    of_systems,
    ranked_systems,
)
from ..rank.ranking import Ranking, compare
from ..rank.systems import rank_systems
from ..score.da import NO_SPREAD, segment_scores
from .change_totals import SETS, SINGLE, as_fractions, describe, run_settings, totals, with_paper

if TYPE_CHECKING:
    from ..read.campaigns import Campaign
    from ..report.outputs import Outputs

Ranker = Callable[[DirectAssessment], Ranking]


@dataclass(frozen=True)
class Comparison:
    """A ranking with and without something, over the same systems.

    Attributes
    ----------
    name : str
        What was changed: a name of `SETS`, a system, systems joined by `` & ``, or a divisor.
    dropped : tuple of str
        Ranked systems left out of both rankings.
    rows_latest, rows_good : int
        Judgments removed or altered in the two files.
    original, changed : Ranking
        From all judgments, `dropped` taken out before clustering; and from what was left.
    """

    name: str
    dropped: tuple[str, ...]
    rows_latest: int
    rows_good: int
    original: Ranking
    changed: Ranking

    def row(self) -> dict[str, Any]:
        """One row of ``changes.csv`` without the pair."""
        return {
            "removed": self.name,
            **compare(self.original, self.changed).row(),
            "systems": len(self.original.systems),
            "dropped": " & ".join(self.dropped),
            "rows_latest": self.rows_latest,
            "rows_good": self.rows_good,
            **metrics_task(self.original, self.changed),
        }


def default_ranker(
    test: str = "scipy<1.7", rule: str = "knowles", alpha: float = 0.05, by: str = "mean_z"
) -> Ranker:
    """Judgments to ranking: worker z-scores, segment means, tests and lines by name."""
    return lambda da: rank_systems(segment_scores(da), test=test, rule=rule, alpha=alpha, by=by)


def without(
    da: DirectAssessment, removed: str, original: Ranking
) -> tuple[DirectAssessment, tuple[str, ...]]:
    """Judgments without what `removed` names, and the ranked systems that go with it.

    Parameters
    ----------
    removed : str
        A name of `SETS`, a system id, or several joined by `` & ``.
    original : Ranking
        Says which system is the lowest and which the highest.

    Raises
    ------
    DataError
        For a system that was not ranked.
    """
    if removed == "human+ref":
        left = perturb.remove(da, humans=True, reference=True)
        return left, tuple(s for s in original.systems if is_human(s))
    if removed == "ref":
        return perturb.remove(da, reference=True), ()
    if removed in ("lowest", "highest"):
        names = [original.systems[-1 if removed == "lowest" else 0]]
    else:
        names = [part.strip() for part in removed.split(" & ")]
    unknown = [n for n in names if n not in original.systems]
    if unknown:
        close = difflib.get_close_matches(unknown[0], original.systems, n=1)
        raise DataError(
            f"no such system in {da.pair}" + (f" (did you mean {close[0]}?)" if close else ""),
            value=unknown[0],
            expected="one of " + ", ".join([*SETS, *original.systems]),
        )
    return perturb.remove(da, names), tuple(s for s in original.systems if s in names)


def variants(
    da: DirectAssessment,
    removed: Iterable[str] = tuple(SETS),
    ranker: Ranker | None = None,
    original: Ranking | None = None,
) -> list[Comparison]:
    """Remove each of `removed` from everything, rank again, and put it beside the original.

    Parameters
    ----------
    ranker : callable, optional
        Judgments to `Ranking`: the place where another normalisation or model comes in; by
        default `default_ranker`.
    original : Ranking, optional
        The ranking of `da`, where it is known already.
    """
    rank_of = ranker or default_ranker()
    original = original or rank_of(da)
    found = []
    for name in removed:
        left, dropped = without(da, name, original)
        found.append(
            Comparison(
                name,
                dropped,
                len(da.latest) - len(left.latest),
                len(da.good) - len(left.good),
                original.without(dropped),
                rank_of(left).without(set(dropped) & set(ranked_systems(left))),
            )
        )
    return found


def metrics_task(before: Ranking, after: Ranking) -> dict[str, float]:
    """What a metrics task would see: correlations of the system scores before and after.

    Metrics are judged by their correlation with the human system scores, clusters ignored (Knowles
    2021, section 7). A metric with a Pearson correlation of .9 with the scores before can have
    any from ``metric_90_low`` to ``metric_90_high`` with the scores after, which follows from the
    correlation of the two.

    Returns
    -------
    dict
        pearson, kendall (tau-b), metric_90_low, metric_90_high; NaN for fewer than three systems
        or where all have the same score.
    """
    names = ("pearson", "kendall", "metric_90_low", "metric_90_high")
    if len(before.systems) < 3:
        return dict.fromkeys(names, float("nan"))
    from scipy.stats import kendalltau

    x = before.table[before.by].to_numpy(float)
    y = after.table.set_index("system")[after.by].loc[list(before.systems)].to_numpy(float)
    if min(x.std(), y.std()) <= NO_SPREAD:
        return dict.fromkeys(names, float("nan"))
    r = min(1.0, float(np.corrcoef(x, y)[0, 1]))
    spread = float(np.sqrt((1 - 0.9**2) * max(0.0, 1 - r**2)))
    tau = float(kendalltau(x, y).statistic)
    return dict(zip(names, (r, tau, 0.9 * r - spread, min(1.0, 0.9 * r + spread)), strict=True))


# ---------------------------------------------------------------- tables


def changes_table(pair: str, comparisons: Iterable[Comparison]) -> pd.DataFrame:
    """``changes.csv`` of a pair: pair, removed, d_rank, d_cluster, d_both, and more columns."""
    rows = [{"pair": pair, **c.row()} for c in comparisons]
    columns = None if rows else ["pair", "removed", "d_rank", "d_cluster", "d_both"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.drop_duplicates("removed").reset_index(drop=True)


@dataclass(frozen=True)
class Study:
    """Everything 02 says of one language pair.

    Attributes
    ----------
    original : Ranking
    comparisons, singles : list of Comparison
        The removals asked for; every single system in turn (empty if not asked for).
    skipped : tuple of str
        Systems asked for that this pair does not have.
    changes, workers : DataFrame
        `changes_table` of both, and `worker_percentages` as one row.
    """

    pair: str
    original: Ranking
    comparisons: list[Comparison]
    singles: list[Comparison]
    skipped: tuple[str, ...]
    changes: pd.DataFrame
    workers: pd.DataFrame

    def sentence(self) -> str:
        """What the removals do in this pair, computed."""
        humans = [s for s in self.original.systems if is_human(s)]
        text = f"**{self.pair}** (human systems: {', '.join(humans) or 'none'})"
        if self.comparisons:
            text += ": " + "; ".join(_said(c) for c in self.comparisons)
        if self.singles:
            rows = self.changes[self.changes["removed"].isin([c.name for c in self.singles])]
            text += (
                f". Of {len(rows)} removals of one system, {rows['d_rank'].sum()} change the order "
                f"of the others and {rows['d_cluster'].sum()} their clusters"
            )
        if self.skipped:
            text += ". Not in this pair: " + ", ".join(self.skipped)
        return text + "."


def _said(c: Comparison) -> str:
    row = c.row()
    if not row["rows_latest"]:
        return f"no rows to remove for “{c.name}”"
    changed = [word for word, key in (("the order", "d_rank"), ("the clusters", "d_cluster"))
               if row[key]]  # fmt: skip
    return f"without “{c.name}” " + (
        " and ".join(changed) + " change" + ("s" if changed == ["the order"] else "")
        if changed
        else "nothing changes"
    )


def study(
    da: DirectAssessment,
    removed: Sequence[str] = tuple(SETS),
    singles: bool = True,
    *,
    test: str = "scipy<1.7",
    rule: str = "knowles",
    alpha: float = 0.05,
    strict: bool = True,
) -> Study:
    """All removals of one pair: those asked for, and every single system in turn.

    Parameters
    ----------
    strict : bool
        Refuse a system that the pair does not have; else it is left out and named in `skipped`
        (for a run over all pairs of a campaign).

    Raises
    ------
    DataError
        For a pair with fewer than two systems, or with only human systems.
    """
    from .leave_one_out import leave_one_out

    at_least_two(da, machine=True)
    rank_of = default_ranker(test, rule, alpha)
    original = rank_of(da)
    known = {*SETS, *original.systems}
    skipped = tuple(r for r in removed if not known.issuperset(r.split(" & ")))
    wanted = [r for r in removed if strict or r not in skipped]
    found = variants(da, wanted, rank_of, original)
    enough = singles and len(original.systems) > 2
    each = leave_one_out(da, test, rule, alpha) if enough else []
    return Study(
        da.pair,
        original,
        found,
        each,
        skipped,
        changes_table(da.pair, [*found, *each]),
        pd.DataFrame([worker_percentages(da)]),
    )


def campaign_changes(
    campaign: Campaign, removed: Sequence[str] = tuple(SETS), ranker: Ranker | None = None
) -> pd.DataFrame:
    """`changes_table` of every pair of a campaign, read from its files."""
    from ..read import campaigns

    frames = [
        changes_table(pair, variants(campaigns.load_da(campaign, pair), removed, ranker))
        for pair in campaign.pairs
    ]
    return pd.concat(frames, ignore_index=True)


def worker_percentages(da: DirectAssessment) -> dict[str, Any]:
    """How many workers judged REF, BAD_REF or a human system (section 5.1); of the good file.

    Returns
    -------
    dict
        pair, workers, then numbers and percentages of workers: ref, ref_percent, ...
    """
    good = da.good
    codes = good["worker"].cat.codes.to_numpy()
    size = len(good["worker"].cat.categories)
    workers = int((np.bincount(codes, minlength=size) > 0).sum())
    row: dict[str, Any] = {"pair": da.pair, "workers": workers}
    masks = {
        "ref": (good["type"] == "REF").to_numpy(),
        "bad_ref": (good["type"] == "BAD_REF").to_numpy(),
        "human": of_systems(good, human_systems(da)),
    }
    for name, mask in masks.items():
        count = int((np.bincount(codes[mask], minlength=size) > 0).sum())
        row |= {name: count, f"{name}_percent": 100 * count / workers}
    return row


def toy_example(ddof: int = 1) -> pd.DataFrame:
    """The toy HITs of section 5: what a raw 50 is worth beside different other scores.

    Returns
    -------
    DataFrame
        hit (the raw scores), holds, z_of_50 (0.39 with ddof = 1, the paper's; 0.45 with 0).
    """
    hits = {
        (25, 50, 50, 75): "systems only",
        (0, 25, 50, 75): "systems and a bad reference",
        (25, 50, 75, 100): "systems and a good reference",
    }
    rows = []
    for raw, holds in hits.items():
        x = np.array(raw, dtype=float)
        z = (50 - x.mean()) / x.std(ddof=ddof)
        rows.append({"hit": " ".join(map(str, raw)), "holds": holds, "z_of_50": round(z, 12) + 0.0})
    return pd.DataFrame(rows)


def _in_style(table: pd.DataFrame, style: str) -> str:
    part = table[table["group"] == style].set_index("removed")
    return ", ".join(
        f"{name} {part['d_rank'][name]}/{part['comparisons'][name]} orders and "
        f"{part['d_cluster'][name]}/{part['comparisons'][name]} clusterings"
        for name in SETS
        if name in part.index
    )


def gather(out: Outputs, campaign: Campaign) -> dict[str, Any]:
    """The campaign's tables and claims from its pairs' (see `rankstability.gather`)."""
    from ..papers.knowles2021 import beyond, removal_claims

    changes = describe(out.pair_tables("changes"), campaign)
    workers = out.pair_tables("workers")
    out.table(changes, "changes")
    out.table(workers, "workers")
    counted = out.table(with_paper(totals(changes), changes, campaign), "totals")
    out.claims(removal_claims(campaign, changes, workers, run_settings(out)))
    parts: dict[str, Any] = {"Rankings changed": as_fractions(counted)}
    parts["In words"] = sentence(counted, changes)
    parts["Workers who judged references and human systems"] = workers
    named = changes[changes["removed"].isin(list(SETS))]
    styles = beyond(campaign, named, campaign_changes)
    if styles is not None:
        table = totals(styles)
        table = out.table(table[table["by"] == "style"].drop(columns="by"), "styles")
        parts["Both styles: all campaigns here"] = table
        parts["Both styles in words"] = (
            "With document context: "
            + _in_style(table, "SR+DC")
            + ". Without: "
            + _in_style(table, "SR-DC")
            + " ("
            + ", ".join(sorted(set(styles["campaign"])))
            + ")."
        )
    return parts


def sentence(counted: pd.DataFrame, changes: pd.DataFrame) -> str:
    """What the totals say, computed."""
    if not len(changes):
        return "Nothing was removed."
    whole = counted[counted["by"] == "all"].set_index("removed")
    parts = [
        f"removing {SETS[name]} changes the order in {r.d_rank} of {r.comparisons} pairs and the "
        f"clusters in {r.d_cluster}"
        for name, r in ((n, whole.loc[n]) for n in SETS if n in whole.index)
    ]
    text = "; ".join(parts)
    if SINGLE in whole.index:
        r = whole.loc[SINGLE]
        text += (
            f"; over all removals of one single system, {r.d_rank} of {r.comparisons} change the "
            f"order of the others and {r.d_cluster} their clusters"
        )
    worst = changes.loc[changes["largest_move"].idxmax()]
    if worst["largest_move"] > 0:
        text += (
            f". The largest move is {worst['largest_move']} rank"
            f"{'s' if worst['largest_move'] > 1 else ''}: {worst['moved']} in {worst['pair']}, "
            f"when “{worst['removed']}” is removed"
        )
    return text[:1].upper() + text[1:] + "."
