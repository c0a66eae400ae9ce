"""Figures of rankings: scores with rank sets, ranks side by side, and all pairs."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..arguments import check_arguments
from ..errors import DataError
from ..formatting import boundary_kinds
from ..ranking.result import Ranking
from .style import BLUE, GREEN, GREY, ORANGE, WIDTH, canvas, look, name_cells, short_name

STYLES = {
    "drawn and supported": {"linestyle": "-", "linewidth": 1.6},
    "drawn": {"linestyle": (0, (5, 4)), "linewidth": 1.2},
    "supported": {"linestyle": "-", "linewidth": 0.9},
}
LABELS = {
    "drawn and supported": "boundary drawn and supported",
    "drawn": "boundary drawn but not supported",
    "supported": "boundary supported but not drawn",
}
ROW = 0.3  # inches of a system's row


@check_arguments
def plot_ranking(ranking: Ranking, ax: Axes | None = None) -> Figure:
    """Draw a ranking, with score intervals on the left and confidence sets for ranks on the right.

    Horizontal lines are cluster boundaries. A solid boundary is drawn by the procedure and
    supported. A dashed boundary is drawn but not supported. A double boundary is supported but not
    drawn. Human translations are orange.

    Parameters
    ----------
    ranking : Ranking
        From `rank_systems`.
    ax : Axes, optional
        Axes for the panel of scores. By default, a new figure with both panels. Without inference,
        there is no panel of ranks.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import rankstability as rs
    >>> figure = rs.plot_ranking(rs.rank_systems(rs.load("demo-srdc", "de-en")))
    >>> len(figure.axes)
    2
    """
    n = len(ranking.systems)
    with look():
        if ax is not None:
            _draw_scores(ranking, ax)
            return ax.get_figure(root=True)  # type: ignore[return-value]
        widths = [3, 2] if ranking.unit else [1]
        figure, panels = plt.subplots(
            1,
            len(widths),
            figsize=(WIDTH, 1.6 + ROW * n),
            layout="constrained",
            sharey=True,
            squeeze=False,
            width_ratios=widths,
        )
        _draw_scores(ranking, panels[0, 0])
        if ranking.unit:
            _draw_rank_sets(ranking, panels[0, 1])
        handles = _legend(ranking)
        figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize="small")
        title = " ".join(filter(None, (ranking.campaign, ranking.pair)))
        if title:
            figure.suptitle(short_name(title, 60), fontsize="medium")
        plt.close(figure)
    return figure


def _level(ranking: Ranking) -> str:
    """Return the level of confidence of a ranking in percent."""
    return f"{100 * (1 - ranking.alpha):.4g} %"


def _draw_scores(ranking: Ranking, ax: Axes) -> None:
    """Draw scores with intervals, best at the top, and the boundaries."""
    table = ranking.table
    place = np.arange(len(table))
    has_interval = "score_low" in table
    column = "score_adjusted" if has_interval else ("z" if "z" in table else "raw")
    score = table[column].to_numpy(float)
    human = table["human"].to_numpy(bool) if "human" in table else np.zeros(len(table), bool)
    for kind, colour in ((False, BLUE), (True, ORANGE)):
        here = human == kind
        if has_interval:
            low, high = table["score_low"].to_numpy(float), table["score_high"].to_numpy(float)
            ax.hlines(place[here], low[here], high[here], color=colour, linewidth=2, alpha=0.6)
        ax.plot(score[here], place[here], "o", color=colour, markersize=5)
    ax.set_yticks(place, [short_name(name) for name in table["system"]])
    ax.set_ylim(len(table) - 0.5, -0.5)
    direction = " (lower is better)" if ranking.lower_is_better else ""
    interval = f", {_level(ranking)} intervals" if has_interval and ranking.unit else ""
    ax.set_xlabel(ranking.score_name + interval + direction)
    if ranking.lower_is_better:
        ax.invert_xaxis()
    ax.grid(axis="x", alpha=0.25)
    _draw_boundaries(ranking, ax)


def _draw_rank_sets(ranking: Ranking, ax: Axes) -> None:
    """Draw the confidence set for each rank as a bar."""
    table = ranking.table
    n = len(table)
    ax.set_xlim(0.5, n + 0.5)
    ax.set_xlabel(f"possible ranks ({_level(ranking)} confidence sets)")
    step = 1 if n <= 10 else 5 if n <= 30 else 10 if n <= 60 else 25
    ax.set_xticks([1, *range(step, n + 1, step)] if step > 1 else range(1, n + 1))
    ax.tick_params(left=False)
    for place, row in enumerate(table.itertuples()):
        colour = ORANGE if row.human else BLUE
        low, high = (row.rank_low, row.rank_high) if row.assessable else (1, n)
        ax.barh(
            place,
            high - low + 0.8,
            left=low - 0.4,
            height=0.5,
            color=colour if row.assessable else "white",
            edgecolor=colour,
            alpha=0.55,
        )
        ax.plot(row.rank, place, "|", color="black", markersize=9)
    _draw_boundaries(ranking, ax)


def _draw_boundaries(ranking: Ranking, ax: Axes) -> None:
    for rank, kind in boundary_kinds(ranking).items():
        style = STYLES[kind]
        offsets = (-0.06, 0.06) if kind == "supported" else (0.0,)
        for offset in offsets:
            ax.axhline(rank - 0.5 + offset, color="black", **style)  # type: ignore[arg-type]


def _legend(ranking: Ranking) -> list[Line2D | Patch]:
    """Return the entries of the legend: colours that occur, the rank and the kinds of boundary."""
    handles: list[Line2D | Patch] = [Line2D([], [], color=BLUE, marker="o", label="system")]
    if "human" in ranking.table and ranking.table["human"].any():
        handles.append(Line2D([], [], color=ORANGE, marker="o", label="human translation"))
    if ranking.unit:
        rank = Line2D([], [], color="black", marker="|", linestyle="", label="rank in these data")
        handles.append(rank)
    for kind in dict.fromkeys(boundary_kinds(ranking).values()):
        style = dict(STYLES[kind])
        if kind == "supported":
            style = {"linestyle": "-", "linewidth": 3}
        label = LABELS[kind] if ranking.unit else "boundary drawn"
        handles.append(Line2D([], [], color="black", label=label, **style))  # type: ignore[arg-type]
    return handles


@check_arguments
def plot_ranks(rankings: Mapping[str, Ranking], xlabel: str = "", ax: Axes | None = None) -> Figure:
    """Draw the ranks of systems in several rankings side by side (a bump chart).

    Colours show whether a system moves relative to the other systems that occur in all rankings.

    Parameters
    ----------
    rankings : mapping of str to Ranking
        Rankings by name, from left to right. A system that is missing from a ranking has a gap
        there.
    xlabel : str
        The label of the horizontal axis, such as ``divisor``.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-srdc", "de-en")
    >>> figure = rs.plot_ranks({name: rs.rank_systems(judgments, procedure=name) for name in ("wmt17", "plain")})
    """
    if not rankings:
        raise DataError("nothing_to_draw")
    for name, each in rankings.items():
        if not isinstance(each, Ranking):
            raise DataError("not_a_ranking", column=str(name), value=type(each).__name__)
    names = list(rankings)
    systems = list(dict.fromkeys(name for each in rankings.values() for name in each.systems))
    ranks = {
        system: [
            each.systems.index(system) + 1 if system in each.systems else np.nan
            for each in rankings.values()
        ]
        for system in systems
    }
    common = [name for name in systems if all(name in each.systems for each in rankings.values())]
    orders = [[name for name in each.systems if name in common] for each in rankings.values()]
    most = max(len(each.systems) for each in rankings.values())
    humans = {
        str(name)
        for each in rankings.values()
        if "human" in each.table
        for name in each.table.loc[each.table["human"], "system"]
    }
    with canvas(ax, height=1.4 + ROW * most) as (figure, ax):
        for system in systems:
            values = ranks[system]
            # places among the systems of all rankings: others close up where one is missing
            moves = system in common and len({order.index(system) for order in orders}) > 1
            colour = ORANGE if system in humans else BLUE if moves else GREY
            ax.plot(range(len(names)), values, "-o", color=colour, markersize=5, alpha=0.9)
        first, last = rankings[names[0]].systems, rankings[names[-1]].systems
        ax.set_yticks(range(1, len(first) + 1), [short_name(name, 20) for name in first])
        ax.set_ylim(most + 0.5, 0.5)
        right = ax.twinx()
        right.set_ylim(ax.get_ylim())
        right.set_yticks(range(1, len(last) + 1), [short_name(name, 20) for name in last])
        right.tick_params(right=False)
        right.spines["top"].set_visible(False)
        labels = [short_name(name, 18) for name in names]
        turned = sum(map(len, labels)) > 45
        ax.set_xticks(
            range(len(names)),
            labels,
            rotation=25 if turned else 0,
            ha="right" if turned else "center",
        )
        ax.set_xlim(-0.15, len(names) - 0.85)
        ax.set_xlabel(xlabel)
        for k, each in enumerate(rankings.values()):
            for rank in np.flatnonzero(np.diff(each.table["cluster"].to_numpy()) > 0) + 1:
                ax.plot([k - 0.12, k + 0.12], [rank + 0.5] * 2, color="black", linewidth=1.2)
        handles = [
            Line2D([], [], color=BLUE, marker="o", label="moves relative to other systems"),
            Line2D([], [], color=GREY, marker="o", label="does not move"),
            Line2D([], [], color="black", label="cluster boundary"),
        ]
        if humans:
            handles.insert(2, Line2D([], [], color=ORANGE, marker="o", label="human translation"))
        figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize="small")
    return figure


@check_arguments
def plot_pairs(ranking: Ranking, ax: Axes | None = None) -> Figure:
    """Draw the results of all pairs: significantly better, inconclusive or not assessable.

    Parameters
    ----------
    ranking : Ranking
        A ranking of judgments from `rank_systems`.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import rankstability as rs
    >>> figure = rs.plot_pairs(rs.rank_systems(rs.load("demo-srdc", "de-en")))
    """
    if ranking.inference is None:
        raise DataError("not_a_ranking", expected="a ranking of judgments")
    systems = ranking.systems
    place = {name: k for k, name in enumerate(systems)}
    n = len(systems)
    cells = np.zeros((n, n))
    for row in ranking.pairs.itertuples():
        a, b = place[row.system_a], place[row.system_b]
        if row.result == "not_assessable":
            cells[a, b] = cells[b, a] = 1
        elif row.result == "better":
            winner = place[row.better]
            cells[winner, a if winner == b else b] = 2
    colours = ["#f2f2f2", "#c9c9c9", GREEN]
    size = max(4.0, 1.6 + 0.3 * n)
    with canvas(ax, width=min(size + 1.5, 12), height=min(size, 11)) as (figure, ax):
        ax.imshow(cells, cmap=ListedColormap(colours), vmin=0, vmax=2, aspect="auto")
        name_cells(ax, systems)
        ax.set_xticks(np.arange(n + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(n + 1) - 0.5, minor=True)
        ax.grid(which="minor", color="white", linewidth=1.5)
        ax.tick_params(which="both", length=0)
        handles = [
            Patch(color=GREEN, label="row significantly better than column"),
            Patch(color=colours[0], label="inconclusive, or column significantly better"),
        ]
        if (cells == 1).any():
            handles.append(Patch(color=colours[1], label="cannot be assessed"))
        if not (cells == 2).any():
            ax.set_title("No pair differs significantly")
        figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize="small")
    return figure
