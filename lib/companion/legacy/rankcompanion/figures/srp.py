"""Figures of MQM raters and of stable ranking probability."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from .common import FAINT, PALETTE, finish, styled
from .common import bump as bump  # of ranks by normalisation

MARKERS = list("osD^vPX")
PANELS = (
    ("srp", "se", "SRP"),
    ("srp_equal_claims", "se_equal_claims", "SRP at equal claims"),
    ("significant_pairs", "", "significant pairs per study"),
)
EFFORT_PANELS = (
    ("srp", "se", "SRP"),
    (
        "srp_equal_claims",
        "se_equal_claims",
        "SRP at equal claims (2/3 of pairs)",
    ),
    ("kendall", "se_kendall", "Kendall's tau between twin studies"),
)


@styled
def rater_distribution(frame: pd.DataFrame, pair: str) -> Figure:
    """Shares of segments by MQM score for two raters of the same items (figure 1).

    `frame` is from `srp.raters.rater_distributions`.
    """
    fig, ax = plt.subplots(figsize=(6.4, 3.2))
    named = (
        frame["rater"] + " (mean " + frame["mean"].map("{:.2f}".format) + ")"
    )
    sns.barplot(
        frame.assign(rater=named),
        x="score",
        y="share",
        hue="rater",
        ax=ax,
        zorder=2,
        saturation=1,
    )
    ax.tick_params(axis="x", rotation=25)
    ax.xaxis.grid(False)
    n = int(frame.groupby("rater")["segments"].sum().iloc[0])
    ax.set(
        title=f"{pair}: two raters of the same {n} segment translations",
        xlabel="MQM score of a segment (0: no error)",
        ylabel="share of segments",
    )
    return finish(fig, "", ax)


@styled
def srp_curves(
    data: pd.DataFrame,
    title: str,
    x: str = "documents",
    xlabel: str = "documents per study",
) -> Figure:
    """Stability by number of documents in three panels, a line per series.

    Left: SRP; middle: SRP if every study claims the same number of pairs; right: significant pairs.
    Bands are two Monte Carlo standard errors; at hollow marks half of the studies or more have no
    significant pair. `data` is from `srp.findings.curves`: series, `x`, studies, the panels' values
    and errors, empty_share.
    """
    fig, axes = plt.subplots(
        1, 3, figsize=(10.4, 3.5), width_ratios=(1, 1, 0.85)
    )
    data = data[data["studies"] > 1]
    for ax, (value, se, name) in zip(axes, PANELS, strict=True):
        for i, (label, rows) in enumerate(data.groupby("series", sort=False)):
            rows = rows.sort_values(x)
            look: dict[str, Any] = {
                "color": PALETTE[i % len(PALETTE)],
                "clip_on": not se,
            }
            if se:
                edges = [
                    np.clip(rows[value] + k * rows[se], 0, 1) for k in (-2, 2)
                ]
                ax.fill_between(rows[x], *edges, **look, alpha=0.13, lw=0)
            look["marker"] = MARKERS[i % len(MARKERS)]
            ax.plot(
                rows[x],
                rows[value],
                ls="-" if i < 5 else "--",
                **look,
                label=label,
            )
            hollow = rows[rows["empty_share"] >= 0.5]
            if len(
                hollow
            ):  # a line without points, not clipped, takes the layout's room
                ax.plot(
                    hollow[x],
                    hollow[value],
                    ls="",
                    mfc="white",
                    zorder=4,
                    **look,
                )
        ax.set(xlabel=xlabel, ylabel=name, xticks=sorted(data[x].unique()))
        ax.set_ylim(**({"top": 1.0} if se else {"bottom": 0}))
    return finish(fig, title, axes[0], 3)


@styled
def effort(data: pd.DataFrame, title: str, by: str = "label") -> Figure:
    """Stability of whole campaigns by annotation effort, a colour for each value of column `by`.

    Left: SRP; middle: SRP if every study claims two thirds of the pairs of systems; right:
    Kendall's tau, which does not depend on the number of systems. Thick lines are means over a
    campaign's tasks, with bands of two Monte Carlo standard errors (of the draws, given the
    judgments); thin grey lines are the tasks of the first value of `by`. At hollow marks half of
    the studies or more have no significant pair. `data` is from `srp.twins.effort`, for one or
    several campaigns.
    """
    fig, axes = plt.subplots(1, 3, figsize=(10.4, 3.8), sharex=True)
    for i, (name, rows) in enumerate(data.groupby(by, sort=False)):
        tasks = rows["task"].nunique()
        means = _means_of_tasks(rows)
        look = {
            "color": PALETTE[i],
            "marker": MARKERS[i],
            "mec": "none",
            "ms": 5.5,
            "lw": 2.2,
        }
        words = f"{name}: mean of {tasks} tasks" if tasks > 1 else str(name)
        for ax, (value, se, _) in zip(axes, EFFORT_PANELS, strict=True):
            edges = [
                np.clip(means[value] + k * means[se], -1, 1) for k in (-2, 2)
            ]
            ax.fill_between(
                means["effort"], *edges, color=PALETTE[i], alpha=0.2, lw=0
            )
            ax.plot(
                means["effort"],
                means[value],
                **look,
                label=words,
                clip_on=False,
            )
            if i == 0 and tasks > 1:
                _single_tasks(ax, rows, value)
            if i == 0 or tasks == 1:
                hollow = rows[rows["empty_share"] >= 0.5]
                face = {
                    "color": FAINT if tasks > 1 else PALETTE[i],
                    "mfc": "white",
                    "ls": "",
                }
                ax.plot(
                    hollow["effort"],
                    hollow[value],
                    "o",
                    ms=3.5,
                    mew=0.8,
                    **face,
                    zorder=4,
                )
    for ax, (value, _, label) in zip(axes, EFFORT_PANELS, strict=True):
        ax.set(
            xlabel="judgments per system in one study",
            ylabel=label,
            xscale="log",
        )
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        ax.xaxis.set_major_formatter(lambda v, _: f"{v:g}")
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_ylim(
            *(
                (0.0, 1.0)
                if value != "kendall"
                else (None, min(1.0, ax.get_ylim()[1]))
            )
        )
    return finish(fig, title, axes[0], 2)


def _single_tasks(ax: Axes, rows: pd.DataFrame, value: str) -> None:
    """Draw a thin line for each task."""
    for k, (_, task) in enumerate(rows.groupby("task", sort=False)):
        task = task.sort_values("effort")
        words = "its single tasks" if k == 0 else None
        ax.plot(
            task["effort"],
            task[value],
            color=FAINT,
            lw=0.6,
            alpha=0.7,
            zorder=1,
            label=words,
        )


def _means_of_tasks(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over tasks at each level, with Monte Carlo standard errors, by growing effort."""
    levels = rows.groupby("level", sort=False)
    means = levels[
        ["effort", *(value for value, _, _ in EFFORT_PANELS)]
    ].mean()
    for _, se, _ in EFFORT_PANELS:
        means[se] = levels[se].agg(
            lambda errors: np.sqrt((errors**2).sum()) / len(errors)
        )
    return means.sort_values("effort")
