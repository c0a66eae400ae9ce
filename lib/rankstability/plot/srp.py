"""Plots of MQM raters and of stable ranking probability."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from .common import bump, styled

MARKERS = list("osD^vPX")
PANELS = (
    ("srp", "se", "SRP"),
    ("srp_equal_claims", "se_equal_claims", "SRP at equal claims"),
    ("significant_pairs", "", "significant pairs per study"),
)
EFFORT_PANELS = (
    ("srp", "se", "SRP"),
    ("srp_equal_claims", "se_equal_claims", "SRP at equal claims (2/3 of pairs)"),
    ("kendall", "se_kendall", "Kendall's tau between twin studies"),
)


@styled
def rater_distribution(frame: pd.DataFrame, pair: str) -> Figure:
    """Two raters of the same items, shares of segments by MQM score (figure 1).

    Parameters
    ----------
    frame : DataFrame
        rater, score (in order), segments, share, mean: from `mqm_raters.rater_distributions`.
    """
    fig, ax = plt.subplots(figsize=(6.4, 3.2))
    named = frame["rater"] + " (mean " + frame["mean"].map("{:.2f}".format) + ")"
    sns.barplot(
        frame.assign(rater=named), x="score", y="share", hue="rater", ax=ax, zorder=2, saturation=1
    )
    ax.tick_params(axis="x", rotation=25)
    ax.xaxis.grid(False)
    n = int(frame.groupby("rater")["segments"].sum().iloc[0])
    ax.set(
        title=f"{pair}: two raters of the same {n} segment translations",
        xlabel="MQM score of a segment (0: no error)",
        ylabel="share of segments",
    )
    ax.legend()
    return fig


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
        From `srp_designs.curves`: series, `x`, studies, the panels' values and errors,
        empty_share.
    """
    fig, axes = plt.subplots(1, 3, figsize=(10.4, 3.5), width_ratios=(1, 1, 0.85))
    data = data[data["studies"] > 1]
    colours = sns.color_palette()
    for ax, (value, se, name) in zip(axes, PANELS, strict=True):
        for i, (label, rows) in enumerate(data.groupby("series", sort=False)):
            colour = colours[i % len(colours)]
            rows = rows.sort_values(x)
            if se:
                edges = [np.clip(rows[value] + k * rows[se], 0, 1) for k in (-2, 2)]
                ax.fill_between(rows[x], *edges, color=colour, alpha=0.13, lw=0)
            style = {"color": colour, "marker": MARKERS[i % len(MARKERS)]}
            ax.plot(rows[x], rows[value], ls="-" if i < 5 else "--", **style, label=label)
            hollow = rows[_empty(rows)]
            ax.plot(hollow[x], hollow[value], ls="", mfc="white", zorder=4, **style)
        ax.set(xlabel=xlabel, ylabel=name, xticks=sorted(data[x].unique()))
        if se:
            ax.set_ylim(top=1.02)
        else:
            ax.set_ylim(bottom=0)
    _finish(fig, axes[0], title)
    return fig


@styled
def effort(data: pd.DataFrame, title: str, by: str = "label") -> Figure:
    """Stability of whole campaigns against annotation effort, one colour per campaign.

    Thin: tasks; thick: the mean of a campaign's tasks at each share of its judgments, with a band
    of two Monte Carlo standard errors (of the draws, the judgments as they are). Left: SRP;
    middle: SRP where every study claims two thirds of the pairs of systems; right: Kendall's tau,
    which does not depend on how many systems there are. Hollow: most studies have no significant
    pair.

    Parameters
    ----------
    data : DataFrame
        Of one campaign or several, from `twin_studies.effort`.
    by : str
        The column that gives the colours.
    """
    fig, axes = plt.subplots(1, 3, figsize=(10.4, 3.8), sharex=True)
    of = data.groupby(by, sort=False)
    tasks = of["task"].nunique()
    names = {label: f"{label} ({n} task{'s' if n > 1 else ''})" for label, n in tasks.items()}
    data = data.assign(name=data[by].map(names))
    errors = {se: data[se] ** 2 for _, se, _ in EFFORT_PANELS}
    middle = data.assign(**errors).groupby(["name", "level"], sort=False)
    means = middle[["effort", *(value for value, _, _ in EFFORT_PANELS)]].mean()
    for _, se, _ in EFFORT_PANELS:
        means[se] = np.sqrt(middle[se].sum()) / middle[se].count()
    means = means.reset_index()
    several = data[data[by].map(tasks) > 1]
    hue = {"hue": "name", "hue_order": list(names.values())}
    for ax, (value, se, label) in zip(axes, EFFORT_PANELS, strict=True):
        each = {"units": "task", "estimator": None, "lw": 0.7, "alpha": 0.4, "legend": False}
        sns.lineplot(several, x="effort", y=value, ax=ax, **hue, **each)
        for colour, (_, rows) in zip(
            sns.color_palette(n_colors=len(names)), means.groupby("name", sort=False), strict=False
        ):
            edges = [rows[value] + k * rows[se] for k in (-2, 2)]
            ax.fill_between(rows["effort"], *edges, color=colour, alpha=0.2, lw=0)
        sns.lineplot(
            means, x="effort", y=value, ax=ax, **hue, style="name", markers=MARKERS[: len(names)],
            dashes=False, lw=2.2, mec="none", ms=5.5, legend=ax is axes[0], errorbar=None,
        )  # fmt: skip
        for colour, rows in zip(sns.color_palette(n_colors=len(names)), of, strict=False):
            hollow = rows[1][_empty(rows[1])]
            ax.plot(
                hollow["effort"], hollow[value], "o", color=colour, mfc="white", ms=3.5, mew=0.8
            )
        ax.set(xlabel="judgments per system in one study", ylabel=label, xscale="log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        ax.xaxis.set_major_formatter(lambda v, _: f"{v:g}")
        ax.xaxis.set_minor_locator(NullLocator())
        if value != "kendall":
            ax.set_ylim(-0.03, 1.03)
    _finish(fig, axes[0], title)
    return fig


def _empty(rows: pd.DataFrame) -> pd.Series:
    """Where most studies have no significant pair."""
    return rows["empty_share"] >= 0.5


def _finish(fig: Figure, ax: Axes, title: str) -> None:
    """The title over, and the legend of one panel below all panels."""
    fig.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    handles, labels = ax.get_legend_handles_labels()
    if legend := ax.get_legend():
        legend.remove()
    columns = 4 if max(map(len, labels), default=0) < 30 else 2
    fig.legend(handles, labels, loc="outside lower center", ncols=min(columns, len(labels)))


def normalisation_bump(table: pd.DataFrame, title: str) -> Figure:
    """Ranks of systems and significance lines under each normalisation of the raters.

    Parameters
    ----------
    table : DataFrame
        normalisation, rank, system, line_below (0 or 1).
    """
    places = table.rename(
        columns={"normalisation": "ranking", "rank": "place", "line_below": "line"}
    )
    return bump(places, title=title, xlabel="normalisation of the raters")
