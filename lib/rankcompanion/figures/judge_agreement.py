"""Figures of how far judges agree, with others and with themselves."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from .common import BLUE, INK, PALE, RED, finish, rows, styled

MEASURE_NAMES = {
    "s": "S (P(E) = 1/3)",
    "clicker": "P(E) = 0.36",
    "pi": "Scott's π",
    "cohen": "Cohen's κ",
    "fleiss": "Fleiss' κ",
}
KINDS = {"intra": (BLUE, "o", "one judge twice"), "inter": (RED, "s", "two judges")}


def _look(kind: str, reference: str) -> dict[str, Any]:
    colour, marker, _ = KINDS[kind]
    face = colour if reference == "included" else "white"
    return {"color": colour, "marker": marker, "ls": "", "mfc": face}


def agreement_figure(table: pd.DataFrame, group: str, measure: str, title: str) -> Figure:
    """A measure of `agreement.agreement` by the one column `group`, with its interval."""
    label = f"{MEASURE_NAMES.get(measure, measure)}, with 95 % interval"
    return _intervals(_rows(table, table[group].astype(str), measure), label, title)


def measures_figure(table: pd.DataFrame, title: str) -> Figure:
    """All measures of `agreement.agreement` over one group: what the choice of P(E) does."""
    parts = [_rows(table, name, measure) for measure, name in MEASURE_NAMES.items()]
    return _intervals(pd.concat(parts), "agreement beyond chance, with 95 % interval", title)


def _rows(table: pd.DataFrame, row: Any, measure: str) -> pd.DataFrame:
    """What `_intervals` draws: kind, reference, row, value, and low and high where they are."""
    columns = {measure: "value", f"{measure}_low": "low", f"{measure}_high": "high"}
    kept = ["kind", "reference", *(name for name in columns if name in table)]
    return table[kept].rename(columns=columns).assign(row=row)


@styled
def _intervals(table: pd.DataFrame, label: str, title: str) -> Figure:
    """Values with intervals, a row of the figure per `row`: by kind, with the reference and not."""
    names = list(dict.fromkeys(table["row"]))
    few = len(names) <= 20
    fig, ax = plt.subplots(figsize=(6.4, (0.5 if few else 0.3) * len(names) + 1.5))
    for (kind, reference), part in table.groupby(["kind", "reference"]):
        shift = (-1.5 if kind == "intra" else 0.5) + (reference != "included")
        y = part["row"].map(names.index).to_numpy(float) + 0.17 * shift
        if "low" in part:
            ax.hlines(y, part["low"], part["high"], color=KINDS[str(kind)][0], lw=1)
        ax.plot(part["value"], y, **_look(str(kind), str(reference)), ms=4.5 if few else 3)
    rows(ax, names, room=0.5)
    ax.yaxis.grid(False)
    for k in range(1, len(names)):
        ax.axhline(k - 0.5, color=PALE, lw=0.6)
    ax.set(title=title, xlabel=label)
    handles = [
        Line2D([], [], **_look(kind, "included"), label=f"{kind}: {text}")
        for kind, (_, _, text) in KINDS.items()
    ]
    for face, words in ((INK, "with the reference"), ("white", "without")):
        handles.append(Line2D([], [], color=INK, marker="o", ls="", mfc=face, label=words))
    return finish(fig, "", handles, 2, fontsize=8)


@styled
def judges_figure(table: pd.DataFrame, measure: str, least: int, title: str) -> Figure:
    """Every judge's agreement with the others, and with themselves, by how much they judged.

    `table` is from `agreement.agreement` by judge; with fewer than `least` pairs: left out.
    """
    shown = table[(table["reference"] == "included") & (table["pairs"] >= least)]
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
    for ax, (kind, (colour, marker, text)) in zip(axes, KINDS.items(), strict=True):
        part = shown[shown["kind"] == kind]
        sns.scatterplot(
            part, x="pairs", y=measure, color=colour, marker=marker, alpha=0.75, s=22, ax=ax
        )
        if len(part):
            ax.set_xscale("log")
            ax.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
            ax.xaxis.set_minor_locator(NullLocator())
            ax.xaxis.set_major_formatter("{x:.0f}")
            ax.axhline(part[measure].median(), color=INK, lw=1, ls="--")
        ax.set(title=f"{kind}: {text}", xlabel="pairs of annotations (log scale)", ylabel="")
    axes[0].set_ylabel(MEASURE_NAMES.get(measure, measure))
    return finish(fig, title)
