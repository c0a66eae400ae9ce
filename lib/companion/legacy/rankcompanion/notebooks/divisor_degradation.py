"""Notebook 03: human scores divided, lowest ones inflated (Knowles 2021, section 5.2, Fig. 1-3)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.rankstability.change.perturb import altered, degrade
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import (
    DirectAssessment,
    human_or_reference,
    human_systems,
    of_systems,
    of_type,
)
from companion.legacy.rankstability.rank.ranking import Ranking

from ..models.systems import at_least_two
from .outlier_removal import Comparison, Ranker, changes_table, default_ranker
from .outlier_removal import telling as telling
from .outlier_removal import totals as totals

ZEROS = ("keep", "one")


def sweep(
    da: DirectAssessment,
    divisors: Iterable[float],
    ranker: Ranker | None = None,
    original: Ranking | None = None,
) -> list[Comparison]:
    """Divide the scores of human systems and REF rows, rank again, and compare.

    Human systems take part in the z-scores and are dropped before clustering, in the original
    ranking and in the changed one. `ranker` and `original` are as for
    `outlier_removal.remove_each`.
    """
    rank_of = ranker or default_ranker()
    original = original or rank_of(da)
    humans = tuple(
        name for name in original.systems if name in human_systems(da)
    )
    start = original.without(humans)
    names = human_systems(da)
    latest, good = (
        int(human_or_reference(f, names).sum()) for f in (da.latest, da.good)
    )
    changed = {d: rank_of(degrade(da, d)).without(humans) for d in divisors}
    return [
        Comparison(f"{d:g}", humans, latest, good, start, c)
        for d, c in changed.items()
    ]


def inflate(
    da: DirectAssessment,
    systems: Collection[str],
    factor: float,
    zeros: str = "one",
) -> DirectAssessment:
    """The judgments with raw scores of `systems` multiplied by `factor`, at most the scale's top.

    As in Knowles 2021, footnote 15. Rows of type REF and BAD_REF, which are not the systems'
    output, stay. Zeros are first set to 1 (``one``) or stay 0 (``keep``); these and capped scores
    are counted in `excluded`. Raises DataError for a factor below 1, or unknown `zeros`.
    """
    if not (np.isfinite(factor) and factor >= 1):
        raise DataError(
            "not a factor to inflate by",
            value=factor,
            expected="a number, at least 1",
        )
    if zeros not in ZEROS:
        raise DataError(
            "unknown treatment of zeros",
            value=zeros,
            expected=" or ".join(ZEROS),
        )
    top = da.scale[1]

    def raised(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
        rows = of_systems(frame, systems) & ~of_type(frame, "REF", "BAD_REF")
        score = frame["score"].to_numpy(dtype=float).copy()
        zero = rows & (score == 0)
        if zeros == "one":
            score[zero] = 1.0
        score[rows] *= factor
        cut = rows & (score > top)
        score[cut] = top
        return frame.assign(score=score), {
            f"scores multiplied by {factor:g}": rows.sum(),
            "of these zero, "
            + ("counted as 1" if zeros == "one" else "left"): zero.sum(),
            f"of these cut to {top:g}": cut.sum(),
        }

    return altered(da, raised)


def inflation(
    da: DirectAssessment,
    factors: Iterable[float],
    zeros: str = "one",
    ranker: Ranker | None = None,
    original: Ranking | None = None,
) -> tuple[list[Comparison], pd.DataFrame]:
    """The reverse: multiply the scores of the lowest-ranked system (footnote 15).

    The inflated system is dropped before clustering in both rankings, which show the effect on the
    others. The table has the columns factor, system, rows (in the good file), zeros, cut (at 100).
    """
    rank_of = ranker or default_ranker()
    original = original or rank_of(da)
    lowest = original.systems[-1]
    start = original.without([lowest])
    before = da.latest["score"].to_numpy()
    comparisons = []
    handled = []
    for factor in factors:
        better = inflate(da, [lowest], factor, zeros)
        notes = (
            better.excluded[better.excluded["file"] == "good"]["rows"]
            .tail(3)
            .to_list()
        )
        rows = (
            int((better.latest["score"].to_numpy() != before).sum()),
            int(notes[0]),
        )
        changed = rank_of(better).without([lowest])
        comparisons.append(
            Comparison(f"{factor:g}", (lowest,), *rows, start, changed)
        )
        handled.append((factor, lowest, *notes))
    return comparisons, pd.DataFrame(
        handled, columns=["factor", "system", "rows", "zeros", "cut"]
    )


def rankings_table(
    original: Ranking, comparisons: Sequence[Comparison]
) -> pd.DataFrame:
    """The rankings of a sweep in one long frame, as Figures 2 and 3 draw them.

    Columns ranking (``original``, ``d-1.25``, ...), rank, system, mean_z, cluster, line_below.
    """
    changed = [c.changed.named(ranking=f"d-{c.name}") for c in comparisons]
    return pd.concat(
        [original.named(ranking="original"), *changed], ignore_index=True
    )


@dataclass(frozen=True)
class Study:
    """Everything that notebook 03 shows of one language pair."""

    divided: int  # judgments of human systems and REF rows in the good file, including zeros
    humans: tuple[str, ...]  # ranked human systems
    changes: pd.DataFrame  # `changes_table` of the sweep
    ranks: pd.DataFrame  # `rankings_table` of the sweep
    inflated: pd.DataFrame  # `changes_table` (by factor) of the reverse
    # how many scores of it were 0, and how many were cut at 100
    handled: pd.DataFrame


def _checked(name: str, values: object) -> None:
    """Raises DataError for anything but a list of positive numbers."""
    if not isinstance(values, list | tuple) or not all(
        isinstance(value, int | float) and value > 0 for value in values
    ):
        raise DataError(
            f"not a list of {name}",
            value=str(values),
            expected="a list of positive numbers, such as [1.5, 2.0]",
        )


def study(
    da: DirectAssessment,
    divisors: Sequence[float],
    factors: Sequence[float] = (),
    zeros: str = "one",
    **lines: Any,
) -> Study:
    """The sweep and the reverse for one pair.

    `lines` are the test, rule and alpha of `default_ranker`. Raises DataError without divisors,
    and for a pair with fewer than two systems, or with only human systems.
    """
    at_least_two(da, machine=True)
    _checked("divisors", divisors)
    if not divisors:
        raise DataError(
            "no divisors", value="[]", expected="one or more, such as [1.5]"
        )
    _checked("inflate", factors)
    rank_of = default_ranker(**lines)
    original = rank_of(da)
    comparisons = sweep(da, divisors, rank_of, original)
    raised, handled = inflation(da, factors, zeros, rank_of, original)
    humans = tuple(
        name for name in original.systems if name in human_systems(da)
    )
    return Study(
        divided=int(human_or_reference(da.good, human_systems(da)).sum()),
        humans=humans,
        changes=changes_table(da.pair, comparisons, "divisor"),
        ranks=rankings_table(original.without(humans), comparisons),
        inflated=changes_table(da.pair, raised, "factor"),
        handled=handled,
    )


def fractions(changes: pd.DataFrame) -> pd.DataFrame:
    """The data of Figure 1, the fraction of pairs that changed by style and divisor.

    Columns style, divisor, pairs, d_rank, d_cluster, d_both.
    """
    grouped = changes.groupby(["style", "divisor"], sort=True)
    table = grouped[["d_rank", "d_cluster", "d_both"]].mean().reset_index()
    table.insert(2, "pairs", grouped.size().to_numpy())
    return table
