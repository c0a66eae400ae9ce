"""Figures of notebooks 04 and 05: systems judged together, documents, alternatives to z-scores."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .common import (
    BLUE,
    FAINT,
    INK,
    PALE,
    PALETTE,
    RED,
    Cells,
    finish,
    heatmap,
    ink_on,
    rows,
    styled,
)

PARTS = {
    "system": BLUE,
    "worker": RED,
    "document": PALETTE[2],
    "segment": PALETTE[5],
}
PARTS |= {
    "worker:system": PALETTE[3],
    "block": PALETTE[4],
    "document:system": PALETTE[7],
}
PARTS["residual"] = PALE


def _starred(names: pd.Index | pd.Series, human: set[str]) -> list[str]:
    return [f"★ {n}" if n in human else str(n) for n in names]


def _system_rows(ax: Axes, table: pd.DataFrame) -> str:
    """Put the systems of `table` on the y axis, first at the top; returns a key to the stars."""
    human = set(table.loc[table["human"] == 1, "system"])
    rows(ax, _starred(table["system"], human))
    return "; ★ human" if human else ""


def _dumbbells(
    ax: Axes,
    full: pd.Series,
    hollow: pd.Series,
    labels: tuple[str, str],
    colour: str,
) -> None:
    """Draw a full dot and a hollow one (in `colour`) in each row, joined by a line."""
    y = range(len(full))
    ax.hlines(y, hollow, full, color=FAINT, lw=1.6, zorder=2)
    ax.scatter(full, y, color=BLUE, s=34, zorder=3, label=labels[0])
    look: dict[str, Any] = {
        "facecolor": "white",
        "edgecolor": colour,
        "linewidth": 1.6,
    }
    ax.scatter(hollow, y, s=34, zorder=4, label=labels[1], **look)


def _around_zero(
    ax: Axes, values: pd.DataFrame | pd.Series, room: float, least: float
) -> None:
    """Draw a line at 0, and centre the x axis on it."""
    ax.axvline(0, color=INK, lw=0.8)
    span = room * max(float(np.nanmax(np.abs(values))), least)
    ax.set_xlim(-span, span)


def together(counts: pd.DataFrame, title: str, label: str) -> Figure:
    """How often two systems were judged together; the diagonal, each system's total, stays white.

    `counts` are counts or percentages, systems by systems, from `cooccurrence.cooccurrence`.
    """
    apart = counts.mask(np.eye(len(counts), dtype=bool))
    texts = counts.map("{:.0f}".format) if len(counts) <= 25 else None
    return heatmap(apart, title=title, label=label, texts=texts, vmin=0)


@styled
def judged_beside(table: pd.DataFrame, title: str) -> Figure:
    """Mean z of each system, with and without the part that its company explains.

    `table` is from `cooccurrence.judged_beside`.
    """
    fig, ax = plt.subplots(figsize=(6.8, 0.27 * len(table) + 1.3))
    _dumbbells(
        ax,
        table["mean_z"],
        table["z_without"],
        ("mean z", "without its company"),
        RED,
    )
    key = _system_rows(ax, table)
    ax.set(title=title, xlabel=f"mean z{key}")
    return finish(fig, "", ax)


@styled
def balance(pairs: pd.DataFrame, systems: pd.DataFrame, title: str) -> Figure:
    """Left: share of a system's HITs that hold another system. Right: company's part of mean z.

    The frames are from `cooccurrence.balance` and `cooccurrence.judged_beside`, for all pairs.
    """
    pairs, n = pairs.sort_values("explained"), len(pairs)
    fig, (left, right) = plt.subplots(
        1, 2, figsize=(8.6, 0.3 * n + 1.6), sharey=True
    )
    labels = ("median pair", "least-met pair")
    _dumbbells(left, pairs["share_median"], pairs["share_min"], labels, BLUE)
    left.axvline(0.5, color=RED, lw=1, ls="--", label="one half")
    left.set_xlim(-0.03, 1.03)
    left.set_xlabel(
        "share of a system's HITs or workers\nthat hold a given other system"
    )
    y = systems["pair"].map({pair: k for k, pair in enumerate(pairs["pair"])})
    right.scatter(
        systems["company_z"], y, marker="|", s=90, color=RED, linewidth=1.5
    )
    _around_zero(right, systems["company_z"], 1.1, 0.02)
    right.locator_params(axis="x", nbins=5)
    right.set_xlabel("part of each system's mean z\nthat its company explains")
    left.set_yticks(range(n), pairs["pair"])
    left.set_ylim(-0.6, n - 0.4)
    return finish(fig, title, left)


def document_matrix(
    values: pd.DataFrame, title: str, label: str, human: set[str]
) -> Figure:
    """Documents by systems (Knowles 2021, Figure 5); empty cells grey, human systems starred."""
    number, columns = values.shape
    low, high = np.nanpercentile(values.to_numpy(float), [1, 99])
    empty = "; grey: not judged" if values.isna().to_numpy().any() else ""
    star = "; ★ human" if human & set(values.columns) else ""
    size = (min(0.36, 6.5 / columns), min(0.17, 7.5 / number))
    fig = heatmap(
        values.set_axis(_starred(values.columns, human), axis=1),
        title=f"{title}: {number} documents, {columns} systems{empty}{star}",
        label=label,
        cells=Cells(empty="#B8B8B8", size=size, extend="both"),
        vmin=low,
        vmax=high,
    )
    fig.axes[0].set_ylabel(
        "documents, best first" + ("" if number <= 45 else " (rank)")
    )
    if number <= 45:
        fig.axes[0].tick_params(axis="y", labelsize=7)
    else:
        step = 25 if number <= 160 else 50
        ranks = [1, *range(step, number + 1, step)]
        fig.axes[0].set_yticks(
            [k - 0.5 for k in ranks], [str(k) for k in ranks]
        )
    return fig


@styled
def variance_bars(shares: pd.DataFrame, title: str) -> Figure:
    """Shares of variance, raw and z, a bar per language pair (`documents.component_table`)."""
    names = {"raw": "raw scores", "z": "z-scores"}
    scores = [s for s in names if s in set(shares["score"])]
    pairs = sorted(shares["pair"].unique())
    size = (8.6, 0.3 * len(pairs) + 1.7)
    fig, axes = plt.subplots(
        1, len(scores), figsize=size, sharey=True, squeeze=False
    )
    for ax, score in zip(axes[0], scores, strict=True):
        part = shares[shares["score"] == score]
        wide = part.pivot(index="component", columns="pair", values="share")
        wide = wide.reindex(columns=pairs).fillna(0)
        left = np.zeros(len(pairs))
        for name in [p for p in PARTS if p in wide.index]:
            width = wide.loc[name].to_numpy()
            colour = PARTS[name]
            bars = ax.barh(
                pairs, width, left=left, color=colour, label=name, height=0.75
            )
            texts = [f"{100 * w:.0f} %" if w >= 0.08 else "" for w in width]
            ax.bar_label(
                bars,
                texts,
                fontsize=7,
                label_type="center",
                color=ink_on(colour),
            )
            left += width
        ax.set(xlim=(0, 1), xlabel=f"share of variance, {names[score]}")
        ax.set_xticks([0, 0.25, 0.5, 0.75], ["0", "25 %", "50 %", "75 %"])
        ax.grid(False)
    axes[0][0].invert_yaxis()
    return finish(fig, title, axes[0][0], 8)


@styled
def difficulty(table: pd.DataFrame, title: str) -> Figure:
    """Difficulty, with interval, of each document (`documents.difficulty`), hardest at the top."""
    n = len(table)
    fig, ax = plt.subplots(figsize=(6.4, min(8.5, max(3.0, 0.16 * n + 1.3))))
    y = rows(ax, table["document"], fontsize=7)
    if n > 45:
        ax.set_yticks([])
    clear = (table["low"] > 0) | (table["high"] < 0)
    colours = np.where(clear, RED, FAINT)
    ax.hlines(
        y,
        table["low"],
        table["high"],
        color=colours,
        lw=1.4 if n <= 60 else 0.9,
    )
    ax.scatter(
        table["difficulty"], y, color=colours, s=14 if n <= 60 else 5, zorder=3
    )
    ax.axvline(0, color=INK, lw=0.8)
    key = "\n(orange: interval without 0)" if clear.any() else ""
    ax.set(
        title=f"{title}: difficulty of {n} documents",
        ylabel="documents, hardest first",
    )
    ax.set_xlabel(
        f"points lost against the average document, 95 % interval{key}"
    )
    return fig


@styled
def easy_documents(table: pd.DataFrame, title: str) -> Figure:
    """Points that each system owes to its documents (`documents.ease_by_system`); best on top."""
    fig, ax = plt.subplots(figsize=(6.4, 0.26 * len(table) + 1.3))
    ease = table["luck_raw"]
    y = range(len(table))
    ax.barh(y, ease, color=np.where(ease >= 0, BLUE, RED), height=0.65)
    ax.hlines(y, table["luck_low"], table["luck_high"], color=INK, lw=1)
    words = "mean ease of a system's documents against all systems\n(points; right: lucky; 95 % "
    ax.set_xlabel(f"{words}interval){_system_rows(ax, table)}")
    around = table[["luck_raw", "luck_low", "luck_high"]].fillna(0)
    _around_zero(ax, around, 1.15, 0.1)
    if not around.to_numpy().any():
        words = "0 for every system:\nthe same documents, or equally easy ones"
        look = {
            "boxstyle": "square",
            "facecolor": "white",
            "edgecolor": "none",
        }
        ax.text(
            0,
            0.5,
            words,
            transform=ax.get_xaxis_transform(),
            ha="center",
            va="center",
            bbox=look,
        )
    ax.set_title(f"{title}: who was given easy documents")
    return fig
