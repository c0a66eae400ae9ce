"""Notebook 02: what removing systems does to the ranking of others (Knowles 2021, section 5)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.paperkit.claims import settings
from companion.legacy.rankstability.change import perturb
from companion.legacy.rankstability.errors import DataError, meant
from companion.legacy.rankstability.judgments import (
    DirectAssessment,
    human_systems,
    of_systems,
    of_type,
)
from companion.legacy.rankstability.rank.comparing import compare
from companion.legacy.rankstability.rank.ranking import Ranking
from companion.legacy.rankstability.rank.standing import rank_systems
from companion.legacy.rankstability.score.da import NO_SPREAD
from companion.legacy.rankstability.score.scored import segment_scores

from ..models.comparing import held_places, tau
from ..models.systems import at_least_two

Ranker = Callable[[DirectAssessment], Ranking]
SETS = {
    "human+ref": "human systems and rows of type REF",
    "ref": "rows of type REF",
    "lowest": "the lowest-ranked system",
    "highest": "the highest-ranked system",
}
SINGLE = "each single system"
LINES = {
    (1, 1): "kept",
    (0, 1): "appeared",
    (1, 0): "vanished",
    (0, 0): "",
}  # before and after


def toy_example() -> pd.DataFrame:
    """The toy HITs of Knowles (2021, section 5): z of a raw 50 among different other scores.

    Columns hit (raw scores), holds (what the HIT holds), z_of_50.
    """
    hits = settings("knowles2021")["toy"]
    raw = np.array([hit.split() for hit in hits], dtype=float)
    z = (50 - raw.mean(axis=1)) / raw.std(axis=1, ddof=1)
    table = pd.DataFrame(hits.items(), columns=["hit", "holds"])
    return table.assign(z_of_50=z.round(12) + 0.0)


@dataclass(frozen=True)
class Comparison:
    """The ranking before and after a removal or other change, over the same systems."""

    name: str  # a name of `SETS`, a system, systems joined by `` & ``, or a divisor
    dropped: tuple[str, ...]  # ranked systems left out of both rankings
    rows_latest: (
        int  # judgments removed or altered in the latest and in the good file
    )
    rows_good: int
    original: Ranking  # from all judgments, without `dropped`, which go before clustering
    changed: Ranking  # from the judgments that were left or altered

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
    test: str = "scipy<1.7", rule: str = "knowles", alpha: float = 0.05
) -> Ranker:
    """A function from judgments to their ranking by segment means of worker z-scores.

    `test` and `rule` are names that `rank.systems.rank_systems` takes.
    """
    return lambda da: rank_systems(
        segment_scores(da), test=test, rule=rule, alpha=alpha
    )


def metrics_task(before: Ranking, after: Ranking) -> dict[str, float]:
    """What a metrics task would see: correlations of the system scores before and after.

    Metrics are judged by their correlation with human system scores (Knowles 2021, section 7). Keys
    pearson, kendall (tau-b), and metric_90_low, metric_90_high: what Pearson's correlation with the
    scores after can be if it is .9 with those before. NaN for fewer than three systems, or if all
    scores are equal.
    """
    x = before.table[before.by].to_numpy(float)
    y = (
        after.table.set_index("system")[after.by]
        .loc[list(before.systems)]
        .to_numpy(float)
    )
    r = b = low = high = float("nan")
    if len(x) >= 3 and min(x.std(), y.std()) > NO_SPREAD:
        r = min(1.0, float(np.corrcoef(x, y)[0, 1]))
        b = float(tau(x, y))
        spread = float(np.sqrt((1 - 0.9**2) * max(0.0, 1 - r**2)))
        low = 0.9 * r - spread
        high = min(1.0, 0.9 * r + spread)
    return {
        "pearson": r,
        "kendall": b,
        "metric_90_low": low,
        "metric_90_high": high,
    }


def changes_table(
    pair: str, comparisons: Iterable[Comparison], what: str = "removed"
) -> pd.DataFrame:
    """The table ``changes.csv`` of a pair: pair, `what`, and the columns of `Comparison.row`.

    `what` is ``removed``, or ``divisor`` or ``factor``, whose values are numbers.
    """
    rows = [{"pair": pair, **c.row()} for c in comparisons]
    columns = (
        None if rows else ["pair", "removed", "d_rank", "d_cluster", "d_both"]
    )
    frame = pd.DataFrame(rows, columns=columns).drop_duplicates(
        "removed", ignore_index=True
    )
    frame = frame.rename(columns={"removed": what})
    return frame if what == "removed" else frame.astype({what: float})


def totals(
    changes: pd.DataFrame,
    what: str = "removed",
    paper_pairs: Collection[str] = (),
) -> pd.DataFrame:
    """Counts of changed rankings, over all pairs and by year, style, tool and kind of judging.

    `changes` has a row per pair and value of `what`, with these facts of the pair. `paper_pairs`,
    those that Knowles (2021) counts, are also counted on their own (by ``paper``). Columns by,
    group, `what`, comparisons, d_rank, d_cluster, d_both (how many of these changed; Tables 2 and
    3). Systems removed by name are counted together under `SINGLE`.
    """
    if what == "removed":
        named = changes[what].astype(str).isin(SETS)
        changes = changes.assign(**{what: changes[what].where(named, SINGLE)})
    changes = changes.assign(all="all pairs")
    in_paper = changes[changes["pair"].isin(paper_pairs)].assign(
        paper="the paper's pairs"
    )
    tables = []
    for by in (
        "all",
        "year",
        "style",
        "tool",
        "judged",
        *(["paper"] if len(in_paper) else []),
    ):
        frame = in_paper if by == "paper" else changes
        grouped = frame.groupby([by, what], sort=False, observed=True)
        table = grouped[["d_rank", "d_cluster", "d_both"]].sum().reset_index()
        table.insert(2, "comparisons", grouped.size().to_numpy())
        table = table.rename(columns={by: "group"}).astype({"group": str})
        table.insert(0, "by", by)
        tables.append(table.sort_values("group", kind="stable"))
    return pd.concat(tables, ignore_index=True)


def telling(counted: pd.DataFrame) -> pd.DataFrame:
    """`totals` without divisions that have a single group, which only repeat the total."""
    groups = counted.groupby("by")["group"].transform("nunique")
    compared = counted.groupby("by")["comparisons"].transform("sum")
    every = (
        compared == counted.loc[counted["by"] == "all", "comparisons"].sum()
    )
    again = (counted["by"] != "all") & (groups == 1) & every
    return counted[~again].reset_index(drop=True)


def as_fractions(counted: pd.DataFrame) -> pd.DataFrame:
    """`totals` as the paper prints them, such as ``1/13``, without repeats (`telling`)."""
    counted = telling(counted)
    shown = counted[["by", "group", "removed"]].copy()
    for name, title in (
        ("d_rank", "Δ rank"),
        ("d_cluster", "Δ cluster"),
        ("d_both", "Δ both"),
    ):
        shown[title] = (
            counted[name].astype(str)
            + "/"
            + counted["comparisons"].astype(str)
        )
    return shown


def moves(
    comparisons: Sequence[Comparison], original: Ranking
) -> pd.DataFrame:
    """Rank and score of every system before and after each removal of another.

    Columns removed, system (both in the original order), rank_before, rank_after (among the systems
    left), move (positive: ranks up), z_before, z_after.
    """
    frames = []
    for c in comparisons:
        sides = (
            r.table.rename(columns={r.by: "z"})
            for r in (c.original, c.changed)
        )
        before, after = (table[["system", "rank", "z"]] for table in sides)
        both = before.merge(after, on="system", suffixes=("_before", "_after"))
        frames.append(
            both.assign(
                removed=c.name, move=both["rank_before"] - both["rank_after"]
            )
        )
    place = {s: k for k, s in enumerate(original.systems)}
    table = pd.concat(frames, ignore_index=True)
    table = table.sort_values(
        ["removed", "system"], key=lambda c: c.map(place), ignore_index=True
    )
    return table[
        [
            "removed",
            "system",
            "rank_before",
            "rank_after",
            "move",
            "z_before",
            "z_after",
        ]
    ]


def without(
    da: DirectAssessment, removed: str, original: Ranking
) -> tuple[DirectAssessment, tuple[str, ...]]:
    """The judgments without what `removed` names, and the ranked systems that go with it.

    `removed` is a name of `SETS` (`original` says which system is lowest and highest), a system id,
    or several ids joined by `` & ``. Raises DataError for a system that was not ranked.
    """
    if removed == "human+ref":
        left = perturb.remove(da, humans=True, reference=True)
        return left, tuple(
            name for name in original.systems if name in human_systems(da)
        )
    if removed == "ref":
        return perturb.remove(da, reference=True), ()
    if removed in ("lowest", "highest"):
        names = [original.systems[-1 if removed == "lowest" else 0]]
    else:
        names = [part.strip() for part in removed.split(" & ")]
    unknown = [n for n in names if n not in original.systems]
    if unknown:
        problem = f"no such system in {da.pair}" + meant(
            unknown[0], original.systems
        )
        known = "one of " + ", ".join([*SETS, *original.systems])
        raise DataError(problem, value=unknown[0], expected=known)
    return perturb.remove(da, names), tuple(
        s for s in original.systems if s in names
    )


def remove_each(
    da: DirectAssessment,
    removed: Iterable[str] = tuple(SETS),
    ranker: Ranker | None = None,
    original: Ranking | None = None,
) -> list[Comparison]:
    """Remove each of `removed` from all judgments, rank again, and compare with the original.

    `ranker` is by default that of `default_ranker`; `original` is the ranking of `da`, if known.
    """
    rank_of = ranker or default_ranker()
    original = original or rank_of(da)
    comparisons = []
    for name in removed:
        left, dropped = without(da, name, original)
        rows = len(da.latest) - len(left.latest), len(da.good) - len(left.good)
        before = original.without(dropped)
        after = rank_of(left)
        comparisons.append(Comparison(name, dropped, *rows, before, after))
    return comparisons


def removal_orders(
    original: Ranking, comparisons: Sequence[Comparison]
) -> pd.DataFrame:
    """Places of the systems before and after removals, for a bump chart.

    Columns ranking (``original`` or the name of what was removed), system, place (the systems left
    share those that they had in the original, and a removed one leaves a gap), line (``kept``,
    ``appeared`` or ``vanished`` below that place; empty: none).
    """
    rows = []
    rankings = [(c.name, c.original, c.changed) for c in comparisons]
    for name, before, after in [("original", original, original), *rankings]:
        slots = held_places(original.systems, after.systems)
        for k, system in enumerate(after.systems, 1):
            line = LINES[k in before.lines, k in after.lines]
            rows.append((name, system, slots[system], line))
    return pd.DataFrame(rows, columns=["ranking", "system", "place", "line"])


@dataclass(frozen=True)
class Study:
    """Everything that notebook 02 shows of one language pair."""

    original: Ranking
    comparisons: list[Comparison]  # the removals asked for
    singles: list[
        Comparison
    ]  # every single system in turn; empty if not asked for
    skipped: tuple[str, ...]  # systems asked for that this pair does not have
    changes: pd.DataFrame  # `changes_table` of both
    workers: pd.DataFrame  # `worker_percentages` as one row


def study(
    da: DirectAssessment,
    removed: Sequence[str] = tuple(SETS),
    singles: bool = True,
    *,
    strict: bool = True,
    **lines: Any,
) -> Study:
    """All removals of one pair: those asked for, and every single system in turn (`singles`).

    A system that the pair does not have is an error if `strict`; otherwise it is named in
    `Study.skipped` (for a run over all pairs). `lines` are the test, rule and alpha of
    `default_ranker`. Raises DataError also for a pair with fewer than two
    systems, or with only human systems.
    """
    at_least_two(da, machine=True)
    rank_of = default_ranker(**lines)
    original = rank_of(da)
    known = {*SETS, *original.systems}
    skipped = tuple(r for r in removed if not known.issuperset(r.split(" & ")))
    wanted = [r for r in removed if strict or r not in skipped]
    comparisons = remove_each(da, wanted, rank_of, original)
    enough = singles and len(original.systems) > 2
    each = (
        remove_each(da, sorted(original.systems), rank_of, original)
        if enough
        else []
    )
    changes = changes_table(da.pair, [*comparisons, *each])
    workers = pd.DataFrame([worker_percentages(da)])
    return Study(original, comparisons, each, skipped, changes, workers)


def worker_percentages(da: DirectAssessment) -> dict[str, Any]:
    """How many workers of the good file judged REF, BAD_REF or a human system (section 5.1).

    Keys pair, workers, then numbers and percentages of workers: ref, ref_percent, ...
    """
    good = da.good
    workers = da.good["worker"].nunique()
    row: dict[str, Any] = {"pair": da.pair, "workers": workers}
    masks = {
        "ref": of_type(good, "REF"),
        "bad_ref": of_type(good, "BAD_REF"),
        "human": of_systems(good, human_systems(da)),
    }
    for name, mask in masks.items():
        count = good["worker"][mask].nunique()
        row |= {name: count, f"{name}_percent": 100 * count / workers}
    return row
