"""Figures of removal and degradation: bump charts, Figure 1 of Knowles (2021), who moves whom."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..rank.ranking import Ranking
from ..study.removal import Comparison
from .common import bump_chart, matrix, styled

KINDS = {"d_rank": "rank", "d_cluster": "cluster", "d_both": "both"}
MARKS = {"d_rank": "o", "d_cluster": "s", "d_both": "^"}
APPEARED, VANISHED = "#D55E00", "#7A7A7A"


def removal_orders(original: Ranking, comparisons: Sequence[Comparison]) -> pd.DataFrame:
    """Places of the systems with and without something removed: what `removal_bump` draws.

    Returns
    -------
    DataFrame
        ranking (``original`` or the name of what was removed), system, place, line
        (``kept``, ``appeared`` or ``vanished`` below that place; empty: none). The systems left
        keep among themselves the places they held in the original, so that who does not move
        against the others stays level, and a removed system leaves a gap.
    """
    places = {s: k for k, s in enumerate(original.systems, 1)}
    rows = [
        ("original", s, places[s], "kept" if places[s] in original.lines else "")
        for s in original.systems
    ]
    for c in comparisons:
        slots = [places[s] for s in c.original.systems]
        for k, system in enumerate(c.changed.systems):
            now, before = k + 1 in c.changed.lines, k + 1 in c.original.lines
            line = ("kept" if before else "appeared") if now else ("vanished" if before else "")
            rows.append((c.name, system, slots[k], line))
    return pd.DataFrame(rows, columns=["ranking", "system", "place", "line"])


@styled
def removal_bump(orders: pd.DataFrame, title: str) -> Figure:
    """Bump chart of `removal_orders`: black lines kept, red ones new, grey dashes gone."""
    names = list(dict.fromkeys(orders["ranking"]))
    wide = orders.pivot(index="system", columns="ranking", values="place")[names]
    wide = wide.sort_values("original")
    ranks = wide.to_numpy(float)
    moved = [s for s, r in zip(wide.index, ranks, strict=True) if np.nanmax(r) > np.nanmin(r)]
    kept = orders[orders["line"] == "kept"]
    lines: dict[str, Sequence[int]] = {
        str(n): [int(p) for p in kept.loc[kept["ranking"] == n, "place"]] for n in names
    }
    labels = {n: n if len(n) <= 14 else n[:13] + "…" for n in names}
    fig = bump_chart(wide, title=title, lines=lines, highlight=moved, ylabel="place")
    ax = fig.axes[0]
    ax.set_xticks(range(len(names)), [labels[n] for n in names])
    for kind, colour, style in (("appeared", APPEARED, "-"), ("vanished", VANISHED, "--")):
        rows = orders[orders["line"] == kind]
        for name, place in zip(rows["ranking"], rows["place"], strict=True):
            x, y = names.index(name), int(place) + 0.5
            ax.plot([x - 0.22, x + 0.22], [y, y], color=colour, lw=1.8, ls=style, zorder=6)
            if kind == "appeared":
                ax.plot(x, y, marker="x", color=colour, ms=5.5, mew=1.8, zorder=7)
    return fig


@styled
def divisor_bump(rankings: pd.DataFrame, title: str) -> Figure:
    """Figures 2 and 3: ranks by divisor, from `degradation.rankings_table`."""
    names = list(dict.fromkeys(rankings["ranking"]))
    wide = rankings.pivot(index="system", columns="ranking", values="rank")[names]
    wide = wide.sort_values("original")
    lined = rankings[rankings["line_below"] == 1]
    lines: dict[str, Sequence[int]] = {
        str(n): [int(p) for p in lined.loc[lined["ranking"] == n, "rank"]] for n in names
    }
    return bump_chart(wide, title=title, lines=lines)


@styled
def fractions_by_style(fractions: pd.DataFrame, title: str) -> Figure:
    """Figure 1: fraction of pairs changed by divisor, a panel for each style.

    Parameters
    ----------
    fractions : DataFrame
        From `degradation.fractions`: style, divisor, pairs, d_rank, d_cluster, d_both.
    """
    styles = sorted(set(fractions["style"]), reverse=True) or [""]  # SR-DC first
    fig, axes = plt.subplots(
        1, len(styles), figsize=(1.2 + 3.6 * len(styles), 3.4), sharey=True, squeeze=False
    )
    for ax, style in zip(axes[0], styles, strict=True):
        part = fractions[fractions["style"] == style].sort_values("divisor")
        x = np.arange(len(part))
        for k, (name, label) in enumerate(KINDS.items()):
            ax.plot(x + (k - 1) * 0.05, part[name], marker=MARKS[name], label=label, clip_on=False)
        ax.set_xticks(x, [f"{d:g}" for d in part["divisor"]])
        pairs = int(part["pairs"].max()) if len(part) else 0
        ax.set(title=f"{style or 'all'} ({pairs} pairs)", xlabel="divisor", ylim=(-0.03, 1.03))
    axes[0, 0].set_ylabel("fraction of pairs changed")
    axes[0, -1].legend(title="change in", loc="upper left", bbox_to_anchor=(1.02, 1.0))
    fig.suptitle(title)
    return fig


def who_moves_whom(moves: pd.DataFrame, title: str) -> Figure:
    """Heat map of `removal.moves`: a row for each removed system, the ranks others move up."""
    order = list(dict.fromkeys(moves["removed"]))
    wide = moves.pivot(index="removed", columns="system", values="move").loc[order]
    wide = wide[[s for s in order if s in wide.columns]]
    numbers = wide.to_numpy(float)
    top = max(2, int(np.nanmax(np.abs(numbers), initial=0)))
    if not np.nan_to_num(numbers).any():
        title += " (nobody moves)"
    fig = matrix(
        wide,
        title=title,
        label="ranks moved up (+) or down (−)",
        cmap="PuOr",
        vmin=-top,
        vmax=top,
        annotate=False,
        xlabel="system that moves",
        ylabel="system removed",
    )
    ax, bar = fig.axes
    step = max(1, round(top / 3))
    bar.set_yticks([k for k in range(-top, top + 1) if k % step == 0])
    for (i, j), value in np.ndenumerate(numbers):
        text = "×" if np.isnan(value) else (f"{value:+.0f}".replace("-", "−") if value else "")
        shade = "white" if abs(value) > 0.6 * top else "black"
        ax.text(j, i, text, ha="center", va="center", fontsize=7, color=shade)
    return fig
