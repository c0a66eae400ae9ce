"""Degrading what humans wrote, inflating the lowest (Knowles 2021, section 5.2, Figures 1-3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..change import perturb
from ..judgments import DirectAssessment, at_least_two, human_or_reference, human_systems, is_human
from ..rank.ranking import Ranking
from .change_totals import describe, run_settings, totals, with_paper
from .removal import Comparison, Ranker, default_ranker

if TYPE_CHECKING:
    from ..read.campaigns import Campaign
    from ..report.outputs import Outputs

DIVISORS = (1.25, 1.5, 2.0, 4.0, 10.0)  # Knowles (2021), section 5.2


def sweep(
    da: DirectAssessment,
    divisors: Iterable[float] = DIVISORS,
    ranker: Ranker | None = None,
    original: Ranking | None = None,
) -> list[Comparison]:
    """Divide the scores of human systems and REF rows, rank again, and compare.

    Human systems take part in the z-scores and are dropped before clustering, in the original
    ranking and in the changed one.

    Parameters
    ----------
    ranker : callable, optional
        Judgments to `Ranking`; by default `removal.default_ranker`.
    original : Ranking, optional
        The ranking of `da`, where it is known already.
    """
    rank_of = ranker or default_ranker()
    original = original or rank_of(da)
    humans = tuple(s for s in original.systems if is_human(s))
    start = original.without(humans)
    found = []
    names = human_systems(da)
    latest, good = (int(human_or_reference(f, names).sum()) for f in (da.latest, da.good))
    for divisor in divisors:
        worse = perturb.degrade(da, divisor)
        changed = rank_of(worse).without(humans)
        found.append(Comparison(f"{divisor:g}", humans, latest, good, start, changed))
    return found


def inflation(
    da: DirectAssessment,
    factors: Iterable[float],
    zeros: str = "one",
    ranker: Ranker | None = None,
    original: Ranking | None = None,
) -> tuple[list[Comparison], pd.DataFrame]:
    """The reverse: multiply the scores of the lowest-ranked system (footnote 15).

    The inflated system is dropped before clustering in both rankings: what counts is what
    happens to the others.

    Returns
    -------
    comparisons : list of Comparison
    handled : DataFrame
        factor, system, rows (in the good file), zeros, cut (scores cut at 100).
    """
    rank_of = ranker or default_ranker()
    original = original or rank_of(da)
    lowest = original.systems[-1]
    start = original.without([lowest])
    found, rows = [], []
    for factor in factors:
        better = perturb.inflate(da, [lowest], factor, zeros)
        notes = better.excluded[better.excluded["file"] == "good"]["rows"].tail(3).to_list()
        latest = _altered(da, better, "latest")
        changed = rank_of(better).without([lowest])
        found.append(Comparison(f"{factor:g}", (lowest,), latest, int(notes[0]), start, changed))
        rows.append(
            {"factor": factor, "system": lowest, "rows": notes[0], "zeros": notes[1],
             "cut": notes[2]}
        )  # fmt: skip
    return found, pd.DataFrame(rows, columns=["factor", "system", "rows", "zeros", "cut"])


def _altered(before: DirectAssessment, after: DirectAssessment, frame: str) -> int:
    old, new = getattr(before, frame)["score"], getattr(after, frame)["score"]
    return int((old.to_numpy() != new.to_numpy()).sum())


def changes_table(
    pair: str, comparisons: Iterable[Comparison], what: str = "divisor"
) -> pd.DataFrame:
    """``changes.csv`` of a pair: pair, divisor (or factor), d_rank, d_cluster, d_both, ..."""
    rows = [{"pair": pair, **c.row()} for c in comparisons]
    columns = None if rows else ["pair", "removed", "d_rank", "d_cluster", "d_both"]
    frame = pd.DataFrame(rows, columns=columns).rename(columns={"removed": what})
    return frame.astype({what: float})


def rankings_table(original: Ranking, comparisons: Sequence[Comparison]) -> pd.DataFrame:
    """The rankings of a sweep in one long frame: what Figures 2 and 3 draw.

    Returns
    -------
    DataFrame
        ranking (``original``, ``d-1.25``, ...), rank, system, mean_z, cluster, line_below.
    """
    frames = []
    named = [("original", original), *((f"d-{c.name}", c.changed) for c in comparisons)]
    for name, ranking in named:
        table = ranking.table[["rank", "system", ranking.by, "cluster"]].copy()
        table["line_below"] = table["rank"].isin(ranking.lines).astype(int)
        table.insert(0, "ranking", name)
        frames.append(table)
    return pd.concat(frames, ignore_index=True)


def relations(comparisons: Sequence[Comparison], one: str, other: str) -> pd.DataFrame:
    """How two systems stand to each other along a sweep (section 5.3).

    Returns
    -------
    DataFrame
        ranking (``original``, then divisors), relation: ``<system> in a higher cluster`` or
        ``same cluster, <system> higher``.
    """
    rows = [("original", comparisons[0].original)]
    rows += [(c.name, c.changed) for c in comparisons]
    return pd.DataFrame(
        [(name, relation(ranking, one, other)) for name, ranking in rows],
        columns=["ranking", "relation"],
    )


def relation(ranking: Ranking, one: str, other: str) -> str:
    """One row of `relations`."""
    table = ranking.table.set_index("system").loc[[one, other]]
    higher = str(table["rank"].idxmin())
    if table["cluster"].nunique() == 1:
        return f"same cluster, {higher} higher"
    return f"{higher} in a higher cluster"


@dataclass(frozen=True)
class Study:
    """Everything 03 says of one language pair.

    Attributes
    ----------
    divided : int
        Judgments in the good file of human systems and REF rows, scores of zero included.
    humans : tuple of str
        Ranked human systems.
    changes, ranks : DataFrame
        `changes_table` and `rankings_table` of the sweep.
    inflated, handled : DataFrame
        `changes_table` (by factor) of the reverse, and what became of zeros and of 100.
    """

    pair: str
    divided: int
    humans: tuple[str, ...]
    changes: pd.DataFrame
    ranks: pd.DataFrame
    inflated: pd.DataFrame
    handled: pd.DataFrame

    def sentence(self) -> str:
        """What the sweep does in this pair, computed."""
        if not self.divided:
            return f"**{self.pair}**: no human or REF rows to divide."
        human = f"human systems: {', '.join(self.humans) or 'none'}"
        if not len(self.changes):
            return f"**{self.pair}** ({human}): no divisor was asked for."
        rows = self.changes
        words = []
        for key, word in (("d_rank", "the order"), ("d_cluster", "the clusters")):
            hit = rows.loc[rows[key] == 1, "divisor"]
            words.append(
                f"{word} {'of the others change' if word[-1] == 's' else 'changes'} with "
                + (", ".join(f"{d:g}" for d in hit) if len(hit) else "no divisor")
            )
        head = f"**{self.pair}** ({self.divided} judgments divided; {human}): "
        return head + "; ".join(words) + "."


def study(
    da: DirectAssessment,
    divisors: Sequence[float] = DIVISORS,
    factors: Sequence[float] = (),
    zeros: str = "one",
    *,
    test: str = "scipy<1.7",
    rule: str = "knowles",
    alpha: float = 0.05,
) -> Study:
    """The sweep and the reverse for one pair.

    Raises
    ------
    DataError
        For a pair with fewer than two systems, or with only human systems.
    """
    at_least_two(da, machine=True)
    rank_of = default_ranker(test, rule, alpha)
    original = rank_of(da)
    found = sweep(da, divisors, rank_of, original)
    raised, handled = inflation(da, factors, zeros, rank_of, original)
    humans = tuple(s for s in original.systems if is_human(s))
    return Study(
        da.pair,
        int(human_or_reference(da.good, human_systems(da)).sum()),
        humans,
        changes_table(da.pair, found),
        rankings_table(original.without(humans), found),
        changes_table(da.pair, raised, "factor"),
        handled,
    )


def campaign_changes(
    campaign: Campaign, divisors: Sequence[float] = DIVISORS, ranker: Ranker | None = None
) -> pd.DataFrame:
    """`changes_table` of every pair of a campaign, read from its files."""
    from ..read import campaigns

    frames = [
        changes_table(pair, sweep(campaigns.load_da(campaign, pair), divisors, ranker))
        for pair in campaign.pairs
    ]
    return pd.concat(frames, ignore_index=True)


def fractions(changes: pd.DataFrame, what: str = "divisor") -> pd.DataFrame:
    """Figure 1's data: style, divisor, pairs, and the fraction of pairs with each change."""
    grouped = changes.groupby(["style", what], sort=True)
    table = grouped[["d_rank", "d_cluster", "d_both"]].mean().reset_index()
    table.insert(2, "pairs", grouped.size().to_numpy())
    return table


def gather(out: Outputs, campaign: Campaign) -> dict[str, Any]:
    """The campaign's tables, Figure 1 and claims from its pairs' (see `rankstability.gather`)."""
    from ..papers.knowles2021 import beyond
    from ..papers.knowles2021_figures import degradation_claims
    from ..plot import changes as figures_da

    changes = describe(out.pair_tables("changes"), campaign)
    out.table(changes, "changes")
    counted = with_paper(totals(changes, "divisor"), changes, campaign, "divisor")
    out.table(counted, "totals")
    figure = out.figure(
        figures_da.fractions_by_style(fractions(changes), campaign.title),
        "figure1",
        data=fractions(changes),
    )
    inflated = describe(out.pair_tables("inflated"), campaign)
    out.table(inflated, "inflated")
    ranks = out.pair_tables("ranks")
    out.claims(degradation_claims(campaign, changes, ranks, run_settings(out)))
    parts: dict[str, Any] = {
        "Fractions of rankings changed, by divisor (Figure 1)": figure,
        "In words": sentence(changes),
        "Totals": counted,
    }
    styles = beyond(campaign, changes, lambda c: campaign_changes(c, _run(changes)))
    if styles is not None:
        table = fractions(styles)
        names = ", ".join(sorted(set(styles["campaign"])))
        parts["Figure 1 with both styles: all campaigns here"] = out.figure(
            figures_da.fractions_by_style(table, f"Human scores divided: {names}"),
            "figure1_styles",
            data=table,
        )
    if len(inflated):
        parts["The lowest system inflated instead"] = totals(inflated, "factor")
    return parts


def _run(changes: pd.DataFrame) -> list[float]:
    return sorted(set(changes["divisor"].astype(float)))


def sentence(changes: pd.DataFrame) -> str:
    """What the sweep says, computed."""
    if not len(changes):
        return "No divisor was asked for."
    first, last = changes["divisor"].min(), changes["divisor"].max()
    texts = []
    for divisor in dict.fromkeys((first, last)):
        rows = changes[changes["divisor"] == divisor]
        texts.append(
            f"divided by {divisor:g}, the order changes in {rows['d_rank'].sum()} of {len(rows)} "
            f"pairs, the clusters in {rows['d_cluster'].sum()}, both in {rows['d_both'].sum()}"
        )
    text = "; ".join(texts)
    untouched = int((changes.groupby("pair")["rows_good"].max() == 0).sum())
    if untouched:
        text += f"; {untouched} pairs have no human or REF rows to divide"
    return text[:1].upper() + text[1:] + "."
