"""A figure of which systems are judged together."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..arguments import check_arguments, check_columns
from ..judgments import Judgments
from ..stability.cooccurrence import count_cooccurrence
from .style import canvas, short_name


@check_arguments
def plot_cooccurrence(counts: pd.DataFrame | Judgments, ax: Axes | None = None) -> Figure:
    """Draw the share of each system's annotation tasks that also contain each other system.

    Parameters
    ----------
    counts : DataFrame or Judgments
        A table from `cooccurrence` (columns system_a, system_b and share), or judgments.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import rankstability as rs
    >>> figure = rs.plot_cooccurrence(rs.load("demo-srdc", "de-en"))
    """
    if isinstance(counts, Judgments):
        counts = count_cooccurrence(counts)
    check_columns("counts", counts, ("system_a", "system_b", "share"))
    systems = list(dict.fromkeys(counts["system_a"]))
    share = counts.pivot(index="system_a", columns="system_b", values="share")
    share = share.reindex(index=systems, columns=systems)
    n = len(systems)
    size = max(4.2, 1.8 + 0.32 * n)
    with canvas(ax, width=min(size + 1.8, 12), height=min(size, 11)) as (figure, ax):
        image = ax.imshow(share.to_numpy(float), cmap="Blues", vmin=0, vmax=1, aspect="auto")
        labels = [short_name(name, 20) for name in systems]
        ax.set_yticks(range(n), labels)
        ax.set_xticks(range(n), labels, rotation=60, ha="right")
        ax.tick_params(length=0)
        if n <= 12:
            for (row, column), value in np.ndenumerate(share.to_numpy(float)):
                colour = "white" if value > 0.6 else "black"
                ax.text(
                    column, row, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=8
                )
        figure.colorbar(
            image,
            ax=ax,
            label="share of the row system's tasks that also contain the column system",
        )
    return figure
