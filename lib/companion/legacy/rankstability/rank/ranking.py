"""The `Ranking` result: systems in order, tests, clusters, and what is certain of them."""

from __future__ import annotations

import html
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import DataError, needing
from .significance import check_level

if TYPE_CHECKING:
    from .certainty import Certainty

Rule = Callable[[np.ndarray, np.ndarray], np.ndarray]


def disjoint_ranges(best: np.ndarray, worst: np.ndarray) -> np.ndarray:
    """Whether a line stands below each rank but the last: no rank range overlaps across it.

    `best` and `worst` are the ends of the ranges, for systems in order.
    """
    reach = np.maximum.accumulate(worst)[:-1]
    return reach < np.minimum.accumulate(best[::-1])[::-1][1:]


def clusters(lines: np.ndarray) -> np.ndarray:
    """The cluster of each system in order, from 1; `lines` as from a rule of `CLUSTER_RULES`."""
    return 1 + np.append(0, np.cumsum(lines)).astype(int)


def _each(line: Callable[[np.ndarray, np.ndarray, int], Any]) -> Rule:
    """The rule that asks for each rank k whether a line stands below it."""
    return lambda significant, wins: np.array(
        [line(significant, wins, k) for k in range(1, len(wins))], dtype=bool
    )


CLUSTER_RULES: dict[str, Rule] = {
    "knowles": _each(
        lambda significant, wins, k: significant[k - 1, k:].all()
    ),
    "official wins": _each(
        lambda significant, wins, k: wins[k - 1].sum() == len(wins) - k
    ),
    "all above beat all below": _each(
        lambda significant, wins, k: significant[:k, k:].all()
    ),
    "rank ranges": lambda _, wins: disjoint_ranges(
        wins.sum(axis=0) + 1, len(wins) - wins.sum(axis=1)
    ),
    "adjacent": _each(lambda significant, wins, k: significant[k - 1, k]),
}
"""Where a line is drawn below the system of rank k:

knowles : it is significantly different from every system below (Knowles 2021, footnote 4; the
    direction of a difference is ignored).
official wins : its number of significant wins, over systems above or below, equals the number of
    systems below (the WMT scripts).
all above beat all below : every system above the line differs significantly from every one below.
rank ranges : the ranges [losses + 1, n - wins] above and below do not overlap (WMT 2022-24).
adjacent : it is significantly different from the next one.
"""


OF_ALL = ("low", "high", "rank_low", "rank_high", "may_be_first", "unit")
"""Columns that say what is certain of all systems together at one level: not kept for a part."""
LINES = {  # how lines are shown: in text, and as a border
    "both": (
        "-",
        "2px solid",
    ),  # claimed, and holds (or nothing is said of holding)
    "claimed": (
        "- ",
        "1px dashed",
    ),  # claimed, and does not hold, or cannot be told
    "held": ("=", "4px double"),  # holds, and is not claimed
}


def _span(low: float, high: float) -> str:
    """A set of ranks: ``2``, or ``1 to 3``."""
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _interval(low: float, high: float) -> str:
    """An interval of a score, ``0.012 to 0.211``; empty for a system that has none."""
    return "" if np.isnan(low) else f"{low:.3f} to {high:.3f}"


@dataclass(frozen=True)
class Ranking:
    """Systems in order with their scores, pairwise tests and clusters.

    Attributes
    ----------
    table : DataFrame
        One row per system, best first: rank, system, the scores, cluster (1 = top); from a recipe
        also rank_low and rank_high, its own rank range.
    p : array, shape (n, n)
        p-values between systems in this order; NaN on the diagonal.
    lead : array, shape (n, n)
        Positive where the row's system tends to be the better of the two.
    by, test, rule, alpha
        The score that orders the systems, the test, the cluster rule, the level.
    order : array of int
        The systems' codes in the scores that were ranked, best first.
    certain : Certainty, optional
        What is certain of the means with other annotators and documents, if it was computed.
    recipe : str
        The name of the recipe, if one was used.
    source : DirectAssessment or DataFrame, optional
        The judgments that were ranked.

    Examples
    --------
    >>> from companion.legacy.rankstability import load, rank_systems
    >>> ranking = rank_systems(load("demo-srdc", "de-en"))
    >>> ranking.lines  # ranks below which the recipe draws a line
    (1, 7)
    >>> ranking.places.loc[ranking.places["held"] == 1, "below"].tolist()  # and those that hold
    []
    >>> ranking.under(alpha=0.01).lines
    (1,)
    """

    table: pd.DataFrame
    p: np.ndarray
    lead: np.ndarray
    by: str = "mean_z"
    test: str = "scipy<1.7"
    rule: str = "knowles"
    alpha: float = 0.05
    order: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    certain: Certainty | None = None
    recipe: str = ""
    source: Any = field(default=None, repr=False, compare=False)

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems, best first."""
        return tuple(self.table["system"])

    @property
    def score(self) -> np.ndarray:
        """The score that orders the systems, best first."""
        return self.table[self.by].to_numpy(float)

    @property
    def claimed(self) -> np.ndarray:
        """Whether a significance line is drawn below each rank but the last."""
        return np.diff(self.table["cluster"].to_numpy()) > 0

    @property
    def clusters(self) -> tuple[frozenset[str], ...]:
        """The clusters, top first, as sets of systems."""
        label = self.table["cluster"].to_numpy()
        names = self.table["system"].to_numpy()
        return tuple(frozenset(names[label == k]) for k in np.unique(label))

    @property
    def lines(self) -> tuple[int, ...]:
        """The ranks below which a significance line is drawn."""
        return tuple((np.flatnonzero(self.claimed) + 1).tolist())

    @property
    def sure(self) -> Certainty:
        """`certain`. Raises DataError if it was not computed."""
        if self.certain is None:
            raise DataError(
                "certainty was not computed", expected="a ranking by a recipe"
            )
        return self.certain

    @property
    def unit(self) -> str:
        """What a repeat would draw afresh; empty if nothing can be told."""
        return self.sure.unit if self.sure.told else ""

    @property
    def places(self) -> pd.DataFrame:
        """A row for each place between neighbours: recipe, and columns of `Certainty.places`."""
        table = self.sure.places(self.order, self.lines)
        table.insert(0, "recipe", self.recipe)
        return table

    def named(self, **name: str) -> pd.DataFrame:
        """Columns rank, system, score, cluster, line_below (0 or 1), with `name` as the first."""
        table = self.table[["rank", "system", self.by, "cluster"]].copy()
        table["line_below"] = table["rank"].isin(self.lines).astype(int)
        for column, value in name.items():
            table.insert(0, column, value)
        return table

    @property
    def p_values(self) -> pd.DataFrame:
        """The p-values as a frame, systems by systems, in order."""
        return pd.DataFrame(
            self.p, index=list(self.systems), columns=list(self.systems)
        )

    def without(self, systems: Collection[str]) -> Ranking:
        """The same scores and tests with `systems` dropped before clustering."""
        return self._again(~self.table["system"].isin(systems).to_numpy())

    def under(
        self, rule: str | None = None, alpha: float | None = None
    ) -> Ranking:
        """The same order and tests under another cluster rule or level."""
        return self._again(
            np.ones(len(self.table), bool),
            rule=rule or self.rule,
            alpha=self.alpha if alpha is None else alpha,
        )

    def _again(self, keep: np.ndarray, **new: Any) -> Ranking:
        """The systems of the rows `keep` ranked again, with `new` in place of some settings."""
        grid = np.ix_(keep, keep)
        table = self.table.iloc[keep].drop(
            columns=["rank", "cluster", *OF_ALL], errors="ignore"
        )
        tests = self.p[grid], self.lead[grid]
        made = rank_scored(table, *tests, **self.settings() | new)
        return replace(made, order=self.order[keep][made.order])

    def settings(self) -> dict[str, Any]:
        """What the result depends on, for `rank` and for signatures."""
        return {
            "by": self.by,
            "test": self.test,
            "rule": self.rule,
            "alpha": self.alpha,
        }

    def comparisons(self) -> pd.DataFrame:
        """All pairs of systems: better, worse (by order), p, significant, test_agrees (on that)."""
        i, j = np.triu_indices(len(self.table), 1)
        names = np.array(self.systems, dtype=object)
        pairs = pd.DataFrame(
            {"better": names[i], "worse": names[j], "p": self.p[i, j]}
        )
        pairs["significant"] = pairs["p"] < self.alpha
        return pairs.assign(test_agrees=self.lead[i, j] > 0)

    def _formatted(self) -> list[list[str]]:
        shown = self.table.drop(columns="cluster")
        if self._stands:
            ends = zip(shown["low"], shown["high"], strict=True)
            sets = zip(shown["rank_low"], shown["rank_high"], strict=True)
            told = bool(self.unit)
            shown = shown[["rank", "system", "score"]].assign(
                interval=[_interval(low, high) for low, high in ends],
                ranks=[_span(low, high) if told else "" for low, high in sets],
            )
        for name in shown.select_dtypes(float):
            digits = 1 if name == "mean_raw" else 3
            shown[name] = [f"{value:z.{digits}f}" for value in shown[name]]
            shown[name] = shown[name].replace(
                "nan", ""
            )  # a system that has no score
        return [
            list(map(str, row))
            for row in (shown.columns, *shown.itertuples(index=False))
        ]

    @property
    def _stands(self) -> bool:
        """Whether the table has intervals and rank sets."""
        return self.certain is not None and "low" in self.table

    def _kinds(self) -> dict[int, str]:
        """The ranks below which a line is drawn, and how: ``both``, ``claimed`` or ``held``."""
        if not self._stands:
            return dict.fromkeys(self.lines, "both")
        kinds = dict.fromkeys(self.lines, "claimed")
        for below in self.places.query("held == 1")["below"]:
            kinds[below] = "both" if below in kinds else "held"
        return kinds

    @property
    def note(self) -> str:
        """What a shown table adds in small print: the test, the line rule and the level."""
        parts = [
            f"test {self.test}",
            f"line rule {self.rule}",
            f"alpha {self.alpha:g}",
        ]
        if self._stands:
            parts.insert(0, f"recipe {self.recipe}")
            parts.append(
                f"other {self.unit}" if self.unit else "no units are named"
            )
        return ", ".join(parts)

    def plot(self, title: str = "") -> Any:
        """The ranking as the page draws it: scores with intervals, rank sets, and lines.

        Returns a matplotlib Figure. Raises ImportError without the package `rankcompanion`, and
        DataError if certainty was not computed.
        """
        with needing("Ranking.plot", "rankcompanion"):
            from companion.legacy.rankcompanion.figures import lines
        table = self.table.assign(unit=self.unit)
        return lines.standing(table, self.places, title, self.by, self.alpha)

    def __str__(self) -> str:
        """The table as WMT prints it, with lines between clusters: ``LINES`` says how."""
        kinds = self._kinds()
        cells = self._formatted()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        sides = ["<" if name == "system" else ">" for name in cells[0]]
        breadth = sum(widths) + 2 * (len(widths) - 1)
        out = []
        for k, row in enumerate(cells):
            columns = zip(row, sides, widths, strict=True)
            out.append(
                "  ".join(
                    f"{text:{side}{width}}" for text, side, width in columns
                ).rstrip()
            )
            if k == 0 or k in kinds:
                sign = LINES[kinds[k]][0] if k else "-"
                out.append((sign * breadth)[:breadth].rstrip())
        return "\n".join(out)

    def _repr_html_(self) -> str:
        rows = []
        kinds = self._kinds()
        names, *body = self._formatted()
        head = [name.replace("_", " ") for name in names]
        for k, row in enumerate((head, *body)):
            tag = "td" if k else "th"
            line = (
                f"border-bottom:{LINES[kinds[k]][1]} currentColor"
                if k in kinds
                else ""
            )
            cells = []
            for name, text in zip(names, row, strict=True):
                number = name != "system"
                look = "; ".join(
                    filter(None, [line, "text-align:right" * number])
                )
                style = f' style="{look}"' if look else ""
                shown = text.replace("-", "−") if number else text
                cells.append(f"<{tag}{style}>{html.escape(shown)}</{tag}>")
            rows.append(f"<tr>{''.join(cells)}</tr>")
        note = html.escape(self.note)
        kind = "ranking tex2jax_ignore mathjax_ignore"  # a $ in a name begins no formula
        return (
            f'<table class="{kind}"><thead>{rows[0]}</thead><tbody>{"".join(rows[1:])}'
            f"</tbody></table><p><small>{note}</small></p>"
        )

    def to_csv(self, path: Any = None) -> str | None:
        """The table as CSV, written to `path` or returned as text."""
        return self.table.to_csv(path, index=False, lineterminator="\n")


def without_score(by: str, which: object, file: str = "") -> DataError:
    """The error for systems without a score in column `by`; `which`: their names, or causes."""
    wanted = "for each system at least one judgment that counts"
    if by == "mean_z":
        wanted += ", by a worker whose scores (all those in ad-latest) vary; or `zero_variance: "
        wanted += "zero` in campaign.yaml, which sets z to 0 for workers whose scores never vary"
    problem = "systems without a score"
    return DataError(
        problem, file=file or None, column=by, value=which, expected=wanted
    )


def rank(
    table: pd.DataFrame,
    p: np.ndarray,
    lead: np.ndarray,
    *,
    by: str = "mean_z",
    **settings: Any,
) -> Ranking:
    """`rank_scored`, where each system has a score. Raises DataError for one without."""
    missing = np.isnan(table[by].to_numpy(float))
    if missing.any():
        names = table.loc[missing, "system"].astype(str)
        raise without_score(by, sorted(names))
    return rank_scored(table, p, lead, by=by, **settings)


def rank_scored(
    table: pd.DataFrame,
    p: np.ndarray,
    lead: np.ndarray,
    *,
    by: str,
    test: str = "scipy<1.7",
    rule: str = "knowles",
    alpha: float = 0.05,
) -> Ranking:
    """Order systems by a score and draw the lines between clusters by a rule of `CLUSTER_RULES`.

    `table` has the columns system, `by` (which orders, highest first; equal scores by name), and
    any others to carry along; `p` and `lead`, (n, n), are in its order, as from
    `significance.rank_sum`. Significant means p < `alpha`; `test` is only a name to record.

    Systems without a score come last, in the order of the table. Lines are drawn as if these had
    not been ranked, and none above or below them; if no system has a score, all keep their order,
    and lines are drawn between all. Raises DataError for an unknown rule, or a level outside
    (0, 1).
    """
    check_level(alpha)
    if rule not in CLUSTER_RULES:
        raise DataError(
            "unknown cluster rule",
            value=rule,
            expected=", ".join(CLUSTER_RULES),
        )
    score = table[by].to_numpy(float)
    has = ~np.isnan(score)
    systems = table["system"].to_numpy(object).astype(str)
    order = np.lexsort((np.where(has, systems, ""), -score))
    grid = np.ix_(order, order)
    p = p[grid]
    lead = lead[grid]
    ranked = has.sum() or len(order)
    significant = p[:ranked, :ranked] < alpha
    wins = significant & (lead[:ranked, :ranked] > 0)
    lines = np.zeros(len(order), bool)
    lines[: ranked - 1] = CLUSTER_RULES[rule](significant, wins)
    # arrays, not frame operations: re-ranking must keep up with a slider
    columns = {str(c): table[c].to_numpy()[order] for c in table.columns}
    head = {"rank": np.arange(1, len(order) + 1)}
    ordered = pd.DataFrame(
        {**head, **columns, "cluster": clusters(lines)[: len(order)]}
    )
    return Ranking(
        ordered, p, lead, by=by, test=test, rule=rule, alpha=alpha, order=order
    )
