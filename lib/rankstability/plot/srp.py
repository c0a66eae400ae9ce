"""Plots of MQM raters and of stable ranking probability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from ..papers.riley2024 import BINS, FEW, series
from .common import bump, styled

MARKERS = "osD^vPX"
PANELS = (
    ("srp", "se", "SRP"),
    ("srp_equal_claims", "se_equal_claims", "SRP at equal claims"),
    ("significant_pairs", "", "significant pairs per study"),
)


@styled
def rater_distribution(frame: pd.DataFrame, pair: str) -> Figure:
    """Figure 1: two raters of the same items, shares of segments by MQM score.

    Parameters
    ----------
    frame : DataFrame
        From `riley2024.rater_distributions`.
    """
    fig, ax = plt.subplots(figsize=(6.4, 3.2))
    x = np.arange(len(BINS))
    for i, (rater, rows) in enumerate(frame.groupby("rater", sort=False)):
        share = rows.set_index("score")["share"].reindex(list(BINS)).to_numpy()
        mean = rows["mean"].iloc[0]
        ax.bar(x + (i - 0.5) * 0.4, share, 0.38, label=f"{rater} (mean {mean:.2f})", zorder=2)
    ax.set_xticks(x, list(BINS), rotation=25, ha="right", rotation_mode="anchor")
    ax.xaxis.grid(False)
    n = int(frame.groupby("rater")["segments"].sum().iloc[0])
    ax.set(
        title=f"{pair}: two raters of the same {n} segment translations",
        xlabel="MQM score of a segment (0: no error)",
        ylabel="share of segments",
    )
    ax.legend()
    return fig


def curve_data(table: pd.DataFrame, lines: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """The rows that `srp_curves` draws, with `series`, the line's label, first."""
    parts = [series(table, **arguments).assign(series=label) for label, arguments in lines.items()]
    frame = pd.concat(parts, ignore_index=True)
    return frame[["series", *[c for c in frame if c != "series"]]]


@styled
def srp_curves(
    data: pd.DataFrame, title: str, x: str = "documents", xlabel: str = "documents per study"
) -> Figure:
    """Stability against the number of documents, three panels, one line per series.

    Left: SRP; middle: SRP where every study claims the same number of pairs; right: significant
    pairs. Bands: two Monte Carlo standard errors. Hollow: most studies have no significant pair.

    Parameters
    ----------
    data : DataFrame
        From `curve_data`.
    """
    fig, axes = plt.subplots(1, 3, figsize=(10.4, 3.5), width_ratios=(1, 1, 0.85))
    colours = plt.rcParams["axes.prop_cycle"].by_key()["color"]
    for i, (label, rows) in enumerate(data.groupby("series", sort=False)):
        rows = rows[rows["studies"] > 1].sort_values(x)
        if rows.empty:
            continue
        for ax, (value, se, _) in zip(axes, PANELS, strict=True):
            line = {"color": colours[i % len(colours)], "ls": "-" if i < 5 else "--"}
            y = rows[value].to_numpy(dtype=float)
            at = rows[x].to_numpy(dtype=float)
            if se:
                e = 2 * rows[se].to_numpy(dtype=float)
                ax.fill_between(
                    at,
                    np.clip(y - e, 0, 1),
                    np.clip(y + e, 0, 1),
                    color=line["color"],
                    alpha=0.13,
                    lw=0,
                )
            ax.plot(at, y, **line)
            ax.plot([], [], marker=MARKERS[i % len(MARKERS)], **line, label=label)
            empty = rows["empty_share"].to_numpy(dtype=float) >= FEW
            for hollow in (False, True):
                ax.plot(
                    at[empty == hollow],
                    y[empty == hollow],
                    MARKERS[i % len(MARKERS)],
                    color=line["color"],
                    mfc="white" if hollow else line["color"],
                    zorder=4,
                )
    for ax, (_, se, name) in zip(axes, PANELS, strict=True):
        ax.set(xlabel=xlabel, ylabel=name)
        ax.set_xticks(sorted(data[x].unique()))
        if se:
            ax.set_ylim(top=1.02)
        else:
            ax.set_ylim(bottom=0)
    fig.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 4))
    return fig


EFFORT_PANELS = (
    ("srp", "SRP"),
    ("srp_equal_claims", "SRP at equal claims (2/3 of pairs)"),
    ("kendall", "Kendall's tau between twin studies"),
)


@styled
def effort(data: pd.DataFrame, title: str, by: str = "label") -> Figure:
    """Stability of whole campaigns against annotation effort, one colour per campaign.

    Thin: tasks; thick: the median of a campaign's tasks at each share of its judgments. Left: SRP;
    middle: SRP where every study claims two thirds of the pairs of systems; right: Kendall's tau,
    which does not depend on how many systems there are. Hollow: most studies have no significant
    pair.

    Parameters
    ----------
    data : DataFrame
        From `srp_protocols.study` or `joint`.
    by : str
        The column that gives the colours.
    """
    fig, axes = plt.subplots(1, 3, figsize=(10.4, 3.8), sharex=True)
    colours = plt.rcParams["axes.prop_cycle"].by_key()["color"]
    for i, (label, rows) in enumerate(data.groupby(by, sort=False)):
        colour, marker = colours[i % len(colours)], MARKERS[i % len(MARKERS)]
        tasks = rows["task"].nunique()
        for ax, (value, _) in zip(axes, EFFORT_PANELS, strict=True):
            for _, one in rows.groupby("task"):
                one = one.sort_values("effort")
                if tasks > 1:
                    ax.plot(one["effort"], one[value], color=colour, lw=0.7, alpha=0.4)
                hollow = one[one["empty_share"] >= FEW]
                ax.plot(
                    hollow["effort"],
                    hollow[value],
                    "o",
                    color=colour,
                    mfc="white",
                    ms=3.5,
                    mew=0.8,
                    zorder=5 if tasks == 1 else 3,
                )
            middle = rows.groupby("level")[["effort", value]].median().sort_values("effort")
            name = f"{label} ({tasks} task{'s' if tasks > 1 else ''})"
            ax.plot(
                middle["effort"], middle[value], marker=marker, color=colour, lw=2.2, label=name
            )
    for ax, (value, name) in zip(axes, EFFORT_PANELS, strict=True):
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        ax.xaxis.set_major_formatter(lambda v, _: f"{v:g}")
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set(xlabel="judgments per system in one study", ylabel=name)
        if value != "kendall":
            ax.set_ylim(-0.03, 1.03)
    fig.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)))
    return fig


def normalisation_bump(table: pd.DataFrame, title: str) -> Figure:
    """Ranks of systems and significance lines under each normalisation of the raters.

    Parameters
    ----------
    table : DataFrame
        From `mqm_ranking.by_normalisation`.
    """
    places = table.rename(
        columns={"normalisation": "ranking", "rank": "place", "line_below": "line"}
    )
    return bump(places, title=title, xlabel="normalisation of the raters")
