"""Figures of composition, documents, and the methods beside the z-score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ..rank.ranking import Ranking
from ..study.scorings import scores_of
from .common import bump_chart, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = {
    "system": "#0072B2",
    "worker": "#D55E00",
    "document": "#009E73",
    "segment": "#56B4E9",
    "residual": "#D9D9D9",
}


def _marked(names: pd.Index | pd.Series, human: set[str]) -> list[str]:
    return [f"★ {n}" if n in human else str(n) for n in names]


@styled
def company(table: pd.DataFrame, pair: str) -> Figure:
    """Mean z of each system, with and without the part that company explains."""
    n = len(table)
    fig, ax = plt.subplots(figsize=(6.8, 0.27 * n + 1.3))
    y = np.arange(n)
    ax.hlines(y, table["z_without"], table["mean_z"], color="#8C8C8C", lw=1.6, zorder=2)
    ax.scatter(table["mean_z"], y, color="#0072B2", s=34, zorder=3, label="mean z")
    ax.scatter(
        table["z_without"],
        y,
        facecolor="white",
        edgecolor="#D55E00",
        linewidth=1.6,
        s=34,
        zorder=4,
        label="without its company",
    )
    human = set(table.loc[table["human"] == 1, "system"])
    ax.set_yticks(y, _marked(table["system"], human))
    ax.set_ylim(n - 0.4, -0.6)
    note = "   ★ human" if human else ""
    ax.set(title=f"{pair}: mean z and the part due to company{note}", xlabel="mean z")
    ax.legend(loc="lower right")
    return fig


@styled
def balance(rows: pd.DataFrame, systems: pd.DataFrame, title: str) -> Figure:
    """Left: share of a system's units that hold another. Right: company's part of each z."""
    rows = rows.sort_values("explained").reset_index(drop=True)
    n = len(rows)
    fig, (left, right) = plt.subplots(1, 2, figsize=(8.6, 0.3 * n + 1.6), sharey=True)
    y = np.arange(n)
    left.hlines(y, rows["share_min"], rows["share_median"], color="#8C8C8C", lw=1.6)
    left.scatter(rows["share_median"], y, color="#0072B2", s=30, zorder=3, label="median pair")
    left.scatter(
        rows["share_min"],
        y,
        facecolor="white",
        edgecolor="#0072B2",
        s=30,
        zorder=3,
        label="least-met pair",
    )
    left.axvline(0.5, color="#D55E00", lw=1, ls="--")
    left.set_xlim(-0.03, 1.03)
    left.set_yticks(y, rows["pair"])
    left.set_ylim(-0.6, n - 0.4)
    left.set(
        title=title, xlabel="share of a system's HITs or workers\nthat hold a given other system"
    )
    left.legend(loc="lower left" if rows["share_min"].median() > 0.5 else "lower right")
    place = dict(zip(rows["pair"], y, strict=True))
    right.scatter(
        systems["company_z"],
        systems["pair"].map(place),
        marker="|",
        s=90,
        color="#D55E00",
        linewidth=1.5,
    )
    right.axvline(0, color="#444444", lw=0.8)
    span = 1.1 * max(systems["company_z"].abs().max(), 0.02)
    right.set_xlim(-span, span)
    right.locator_params(axis="x", nbins=5)
    right.set(title="", xlabel="part of each system's mean z\nthat its company explains")
    return fig


@styled
def document_matrix(values: pd.DataFrame, pair: str, label: str, human: set[str]) -> Figure:
    """Documents by systems (Knowles 2021, Figure 5): empty cells grey, human systems starred."""
    rows, columns = values.shape
    height = min(9.0, max(3.4, 0.17 * rows + 1.6))
    fig, ax = plt.subplots(figsize=(min(9.5, 2.9 + 0.36 * columns), height))
    data = values.to_numpy(float)
    ax.set_facecolor("#B8B8B8")
    low, high = np.nanpercentile(data, [1, 99])
    image = ax.imshow(
        np.ma.masked_invalid(data),
        cmap="viridis",
        vmin=low,
        vmax=high,
        aspect="auto",
        interpolation="nearest",
        rasterized=True,
    )
    ax.grid(False)
    ax.set_xticks(
        range(columns),
        _marked(values.columns, human),
        rotation=60,
        ha="right",
        rotation_mode="anchor",
    )
    if rows <= 45:
        ax.set_yticks(range(rows), list(values.index), fontsize=7)
    else:
        step = 25 if rows <= 160 else 50
        ticks = [0, *range(step - 1, rows, step)]
        ax.set_yticks(ticks, [str(k + 1) for k in ticks])
    names = "documents, best first" + ("" if rows <= 45 else " (rank)")
    empty = "; grey: not judged" if np.isnan(data).any() else ""
    star = "; ★ human" if human & set(values.columns) else ""
    ax.set(title=f"{pair}: {rows} documents, {columns} systems{empty}{star}", ylabel=names)
    fig.colorbar(image, ax=ax, label=label, shrink=0.8, extend="both")
    return fig


@styled
def variance_bars(shares: pd.DataFrame, title: str) -> Figure:
    """Shares of the variance of a judgment: one bar per pair, raw and z side by side."""
    scores = [s for s in ("raw", "z") if s in set(shares["score"])]
    pairs = sorted(shares["pair"].unique())
    fig, axes = plt.subplots(
        1, len(scores), figsize=(8.6, 0.3 * len(pairs) + 1.7), sharey=True, squeeze=False
    )
    for ax, score in zip(axes[0], scores, strict=True):
        table = shares[shares["score"] == score].pivot(
            index="pair", columns="component", values="share"
        )
        left = np.zeros(len(pairs))
        for name, colour in PARTS.items():
            if name not in table:
                continue
            width = table[name].reindex(pairs).fillna(0).to_numpy()
            ax.barh(pairs, width, left=left, color=colour, label=name, height=0.75)
            for y, (x, w) in enumerate(zip(left, width, strict=True)):
                if w >= 0.07:
                    dark = name in ("system", "worker", "document")
                    ax.text(
                        x + w / 2,
                        y,
                        f"{w:.0%}",
                        ha="center",
                        va="center",
                        fontsize=7,
                        color="white" if dark else "black",
                    )
            left += width
        ax.set_xlim(0, 1)
        ax.set_xticks([0, 0.25, 0.5, 0.75], ["0", "25 %", "50 %", "75 %"])
        ax.grid(False)
        ax.set(xlabel=f"share of variance, {'raw scores' if score == 'raw' else 'z-scores'}")
    axes[0][0].invert_yaxis()
    axes[0][0].set_title(title)
    handles, names = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, names, loc="outside lower center", ncols=len(names))
    return fig


@styled
def difficulty(table: pd.DataFrame, pair: str) -> Figure:
    """Difficulty of each document with its interval, hardest at the top."""
    n = len(table)
    fig, ax = plt.subplots(figsize=(6.4, min(8.5, max(3.0, 0.16 * n + 1.3))))
    y = np.arange(n)
    clear = (table["low"] > 0) | (table["high"] < 0)
    colours = np.where(clear, "#D55E00", "#8C8C8C")
    ax.hlines(y, table["low"], table["high"], color=colours, lw=1.4 if n <= 60 else 0.9)
    ax.scatter(table["difficulty"], y, color=colours, s=14 if n <= 60 else 5, zorder=3)
    ax.axvline(0, color="#444444", lw=0.8)
    if n <= 45:
        ax.set_yticks(y, table["document"], fontsize=7)
    else:
        ax.set_yticks([])
    ax.set_ylim(n - 0.4, -0.6)
    ax.set(
        title=f"{pair}: difficulty of {n} documents (orange: interval without 0)",
        xlabel="points lost against the average document, 95 % interval",
        ylabel="documents, hardest first",
    )
    return fig


@styled
def luck(table: pd.DataFrame, pair: str) -> Figure:
    """What each system owes to its documents, in points; best system at the top."""
    n = len(table)
    fig, ax = plt.subplots(figsize=(6.4, 0.26 * n + 1.3))
    y = np.arange(n)
    colours = np.where(table["luck_raw"] >= 0, "#0072B2", "#D55E00")
    ax.barh(y, table["luck_raw"], color=colours, height=0.65)
    ax.axvline(0, color="#444444", lw=0.8)
    human = set(table.loc[table["human"] == 1, "system"])
    ax.set_yticks(y, _marked(table["system"], human))
    ax.set_ylim(n - 0.4, -0.6)
    span = 1.15 * max(float(table["luck_raw"].abs().max()), 0.1)
    ax.set_xlim(-span, span)
    star = "   ★ human" if human else ""
    ax.set(
        title=f"{pair}: who was given easy documents{star}",
        xlabel="mean ease of a system's documents against all systems (points; right: lucky)",
    )
    return fig


def methods(rankings: dict[str, Ranking], pair: str) -> Figure:
    """Bump chart: the ranking under each method, with its significance lines."""
    systems = rankings[next(iter(rankings))].systems
    ranks = {m: pd.Series(range(1, len(r.systems) + 1), r.systems) for m, r in rankings.items()}
    orders = pd.DataFrame(ranks).reindex(list(systems))
    lines: dict[str, Sequence[int]] = {m: r.lines for m, r in rankings.items()}
    return bump_chart(orders, title=f"{pair}: rankings under each method", lines=lines)


@styled
def stable_and_right(changes: pd.DataFrame, tries: pd.DataFrame, title: str) -> Figure:
    """Each method: how often order and lines changed, against its errors where truth is known."""
    table = scores_of(changes, tries)
    fig, axes = plt.subplots(1, 2, figsize=(8.6, 3.9), sharey=True)
    palette = plt.rcParams["axes.prop_cycle"].by_key()["color"]
    marks = "osD^vP"
    for ax, column, label in zip(axes, ("order", "lines"), ("order", "lines"), strict=True):
        for k, row in enumerate(table.to_dict("records")):
            ax.errorbar(
                100 * row[column],
                100 * row["wrong"],
                yerr=200 * row["wrong_se"],
                fmt=marks[k % len(marks)],
                color=palette[k % len(palette)],
                ms=8,
                capsize=3,
                label=row["method"],
            )
        ax.set_xlim(left=-0.06 * max(100 * table[column].max(), 2))
        ax.set_xlabel(f"{label} changed when a system is removed,\n% of runs (left: stable)")
    axes[0].set_ylim(bottom=0)
    axes[0].set(title=title, ylabel="pairs of systems in wrong order, %\n(simulated truth)")
    handles, names = axes[0].get_legend_handles_labels()
    fig.legend(handles, names, loc="outside lower center", ncols=len(names))
    return fig
