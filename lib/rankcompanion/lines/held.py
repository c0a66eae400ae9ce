"""One language pair's ranking with what is certain of it: lines claimed and held, rank sets.

The one place where a ranking of any protocol meets `rank.certainty`; notebooks 00, 01 and 10 show
what it gives. Of battles a system's score is its strength (Davidson's model), of relative
rankings the share of its decided comparisons that it won; another campaign would have other judges,
or only other blocks (or battles) where judges are not all named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rankstability.judgments import REFERENCE
from rankstability.rank.bradley_terry import STRENGTH, finite
from rankstability.rank.certainty import Certainty, certainty, of_battles, of_wins
from rankstability.rank.ranges import Units, default_unit, ranks, units
from rankstability.rank.ranking import Ranking
from rankstability.rank.recipes import RECIPES, Recipe, made_by, recipe_named
from rankstability.rank.systems import count_tests, rank_counts
from rankstability.rank.units import (
    bootstrap,
    draw_means,
    normal_draws,
    rank_probabilities,
    unit_table,
)
from rankstability.score.pairwise import PairCounts
from rankstability.score.rr import METHODS
from rankstability.score.scored import Scores

from .calibration import false_line_row

UNTOLD = ""  # the unit where nothing can be told apart
MANY = 5000  # units above which resampling is normal, and null campaigns turn units round whole
METHOD = "bojar"  # wins over decided comparisons: the score of relative rankings
RANKED = ["rank", "system", "score", "cluster"]
OF_RECIPES = ["recipe", "system", "rank", "score", "rank_low", "rank_high", "cluster"]


@dataclass(frozen=True)
class Standing:
    """A ranking of one pair, and what is certain of it with other units.

    `unit` is empty where the data name no unit, or only one of a kind: then every column that would
    promise something is empty. `units` is from `rank.units.unit_table`, `lines` from `lines`;
    `sure` is what all of it was taken from. `probabilities` has system, then 1 to n: the share of
    resampled campaigns in which it has that rank, which describes and promises nothing.

    `ranking`, in the recipe's order: rank, system, score, cluster, low, high (interval of the
    score; empty where one unit holds all of a system), rank_low, rank_high (rank set), may_be_first
    (1 or 0), p_first (share of resampled campaigns in which it is first), unit; of comparisons
    bojar, too, the share of those decided that it won.
    """

    recipe: str
    unit: str
    units: pd.DataFrame
    ranking: pd.DataFrame
    lines: pd.DataFrame
    probabilities: pd.DataFrame
    sure: Certainty

    @property
    def order(self) -> np.ndarray:
        """The ranking's systems as codes of `sure`, best first."""
        return codes(self.sure, self.ranking["system"])


@dataclass(frozen=True)
class Battles:
    """Comparisons of one task, counted within each of `units` units.

    `unit` is ``judge``, ``block``, or ``battle``: a block of two outputs. `method` is the score
    that ranks: of battles, whose opponents may be uneven, strengths where finite; else `METHOD`.

    `of`, `winner`, `loser`, `times` have a row per unit and ordered pair of systems that was
    decided: how often. `every` has all comparisons by block, ties included; `number`: unit, units,
    inside, default, as `rank.units.unit_table` has it, without judges where not all are named.
    `judges` are those named, `unnamed` the blocks that name none.
    """

    systems: tuple[str, ...]
    unit: str
    units: int
    of: np.ndarray
    winner: np.ndarray
    loser: np.ndarray
    times: np.ndarray
    every: Units
    method: str
    number: pd.DataFrame
    judges: int
    unnamed: int

    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Wins, and decided comparisons, of each unit and system: (units, systems) each."""
        n = len(self.systems)
        size = self.units * n
        won = np.bincount(self.of * n + self.winner, self.times, size).reshape(-1, n)
        lost = np.bincount(self.of * n + self.loser, self.times, size).reshape(-1, n)
        return won, won + lost


def tops(order: np.ndarray) -> list[frozenset[int]]:
    """The systems above each place between neighbours of an order."""
    return [frozenset(order[:k].tolist()) for k in range(1, len(order))]


def splits(made: Ranking) -> set[frozenset[int]]:
    """Each line of a recipe's ranking as the set of systems above it."""
    return {top for top, line in zip(tops(made.order), made.claimed, strict=True) if line}


def codes(sure: Certainty, systems: Sequence[str]) -> np.ndarray:
    """The codes by which `sure` knows these systems."""
    of = dict(zip(sure.systems, sure.order, strict=True))
    return np.array([of[name] for name in systems])


def places(claimed: Sequence[int] | np.ndarray, order: np.ndarray, sure: Certainty) -> pd.DataFrame:
    """Each place between neighbours of an order, with a line claimed there, and one that holds.

    `claimed` are the ranks below which there is a line, `order` the systems' codes, best first.
    Columns below, claimed, held (0 or 1; empty where nothing can be told), unit.
    """
    below = np.arange(1, len(order))
    table = pd.DataFrame({"below": below, "claimed": np.isin(below, claimed).astype(int)})
    held = sure.lines(order)[0].astype(int) if sure.told else np.nan
    return table.assign(held=held, unit=sure.unit if sure.told else UNTOLD)


def lines(
    judged: Scores,
    recipe: Recipe,
    unit: str | None = None,
    alpha: float = 0.05,
    made: Ranking | None = None,
) -> pd.DataFrame:
    """The lines that a recipe claims, and which places between neighbours hold one.

    Columns recipe, below (rank above the line), claimed (0 or 1), held (0 or 1; empty where it
    cannot be told), unit. Raises DataError for a unit that the data do not name.
    """
    made = made_by(judged, recipe, alpha) if made is None else made
    sure = certainty(judged, unit or None, recipe.by_domain, alpha)
    out = places(made.lines, made.order, sure)
    out.insert(0, "recipe", recipe.name)
    return out


def beside(
    systems: Sequence[str],
    claimed: Sequence[int],
    judged: Scores,
    units: Sequence[str],
    alpha: float,
) -> pd.DataFrame:
    """`places` of any ranking, with other units of each kind in turn.

    `systems` are in order, best first, `claimed` the ranks below which the ranking has lines.
    """
    sure = [certainty(judged, unit, alpha=alpha) for unit in units]
    parts = [places(claimed, codes(one, systems), one) for one in sure]
    return pd.concat(parts, ignore_index=True)


def recipes_table(judged: Mapping[str, Scores], alpha: float = 0.05) -> pd.DataFrame:
    """The rankings of several recipes: recipe, system, rank, score, rank_low, rank_high, cluster.

    `judged` maps the name of a recipe to the judgments that it counts, with the score it takes;
    ranges of ranks are the recipe's own.
    """
    recipes = {name: recipe_named(name) for name in judged}
    made = {name: made_by(one, recipes[name], alpha).table for name, one in judged.items()}
    table = pd.concat(made, names=["recipe"]).reset_index("recipe")
    return table[OF_RECIPES].reset_index(drop=True)


def lines_table(
    judged: Mapping[str, Scores], units: Sequence[str], alpha: float = 0.05
) -> pd.DataFrame:
    """`lines` of several recipes (as for `recipes_table`) and units, one under the other.

    Each recipe and unit is a family by itself: together they are not controlled.
    """
    parts = []
    for name, one in judged.items():
        made = made_by(one, RECIPES[name], alpha)
        parts += [lines(one, RECIPES[name], unit, alpha, made) for unit in units]
    return pd.concat(parts, ignore_index=True)


def standing(
    judged: Scores | Battles,
    recipe: Recipe | str,
    rng: np.random.Generator,
    unit: str | None = None,
    *,
    resamples: int = 1000,
    alpha: float = 0.05,
) -> Standing:
    """A ranking with intervals, rank sets, lines claimed and held, and chances of ranks.

    `judged` holds what the recipe counts, with the score it takes; of comparisons, which know their
    unit, `recipe` names the score. `unit` is what another campaign would have others of, by default
    as `rank.units.default_kinds` has it. `alpha` is of the recipe's tests, and of the one family
    from which all else comes. Of an adaptive design the order is that of differences within
    segments, and the recipe claims a line where it separates the same systems. Raises DataError for
    a unit that the data do not name.
    """
    if isinstance(judged, Battles):
        return _of_battles(judged, rng, resamples, alpha)
    recipe = recipe_named(recipe) if isinstance(recipe, str) else recipe
    made = made_by(judged, recipe, alpha)
    sure = certainty(judged, unit, recipe.by_domain, alpha)
    ranking, drawn = made.table[RANKED], None
    claimed = np.array(made.lines, int)
    if judged.adaptive:
        claimed = 1 + np.flatnonzero([above in splits(made) for above in tops(sure.order)])
        cluster = 1 + np.isin(np.arange(len(sure.order)), claimed).cumsum()
        ranking = sure.table()[RANKED[:-1]].assign(cluster=cluster)
        drawn = sure.mean + normal_draws(sure.covariance, resamples, rng) if sure.told else None
    elif sure.told:
        drawn = draw_means(judged, sure.unit, rng, resamples, recipe.by_domain)[:, sure.order]
    return _standing(recipe.name, unit_table(judged), ranking, claimed, sure, drawn)


def _of_battles(data: Battles, rng: np.random.Generator, resamples: int, alpha: float) -> Standing:
    if data.method == STRENGTH:
        sure = of_battles(data.every, data.unit, alpha)
    else:
        sure = of_wins(data.systems, *data.sums(), unit=data.unit, alpha=alpha)
    counts = data.every.counts
    ranking = rank_counts(counts, data.method, alpha=alpha)
    table = ranking.table.rename(columns={data.method: "score"})[RANKED]
    table["bojar"] = METHODS[METHOD](counts)[table["system"]].to_numpy()
    drawn = draw(data, sure, rng, resamples) if sure.told else None
    return _standing(data.method, data.number, table, ranking.lines, sure, drawn)


def _standing(
    name: str,
    units: pd.DataFrame,
    ranking: pd.DataFrame,
    claimed: Sequence[int] | np.ndarray,
    sure: Certainty,
    drawn: np.ndarray | None,
) -> Standing:
    """A standing from its parts: `drawn` are scores of resampled campaigns, in `sure`'s order."""
    sets = sure.table().drop(columns=["rank", "score"])
    sets.columns = pd.Index(["system", "low", "high", "rank_low", "rank_high", "may_be_first"])
    shares = pd.DataFrame({"system": sure.systems})
    sets["p_first"] = np.nan
    if drawn is None:
        sets = sets[["system"]].reindex(columns=sets.columns)
    else:
        chance = rank_probabilities(ranks(drawn))
        sets["p_first"] = chance[:, 0]
        shares = shares.join(pd.DataFrame(chance, columns=map(str, range(1, len(shares) + 1))))
        sets[["low", "high"]] = sets[["low", "high"]].replace([-np.inf, np.inf], np.nan)
    lines = places(claimed, codes(sure, ranking["system"]), sure)
    unit = sure.unit if sure.told else UNTOLD
    lines.insert(0, "recipe", name)
    table = ranking.merge(sets, on="system", validate="1:1").assign(unit=unit)
    shares = table[["system"]].merge(shares, on="system")
    return Standing(name, unit, units, table, lines, shares, sure)


def set_table(one: Standing) -> pd.DataFrame:
    """The rank set of each system: system, low, high, unit, level; no rows without a unit."""
    table = one.ranking[["system", "rank_low", "rank_high", "unit"]]
    table.columns = pd.Index(["system", "low", "high", "unit"])
    return table[table["unit"] != UNTOLD].assign(level=1 - one.sure.alpha)


def battles(frame: pd.DataFrame, unit: str = "auto") -> Battles:
    """The comparisons of one task (from `read.rr.read_rr`) without its reference, by unit.

    `unit` is ``judge``, ``block``, or ``auto``: judges, or blocks where some name none. Raises
    DataError for judges where not all are named, and for groups of systems never compared.
    """
    every = units(frame).without(REFERENCE)
    every.counts.connected()
    n = len(every.systems)
    judges, blocks = len(set(every.judges) - {-1}), len(every.judges)
    chosen = default_unit(every) if unit == "auto" else unit
    owner = every.owner(chosen)
    block = "battle" if frame["position"].max() == 2 else "block"
    chosen = "judge" if chosen == "judge" else block
    cells = every.wins.tocoo()
    row, cell = (c.astype(np.int64) for c in cells.coords)
    key, place = np.unique(owner[row] * n * n + cell, return_inverse=True)
    times = np.bincount(place, cells.data).astype(int)
    unnamed = int((every.judges < 0).sum())
    kinds = [(block, blocks, "")] if unnamed else [("judge", judges, ""), (block, blocks, "judge")]
    table = pd.DataFrame(kinds, columns=["unit", "units", "inside"])
    table["default"] = (table["unit"] == chosen).astype(int)
    of, pair = key // (n * n), key % (n * n)
    decided = of, pair // n, pair % n, times
    method = STRENGTH if block == "battle" and finite(every.counts) else METHOD
    number = int(owner.max()) + 1
    return Battles(every.systems, chosen, number, *decided, every, method, table, judges, unnamed)


def draw(data: Battles, sure: Certainty, rng: np.random.Generator, resamples: int) -> np.ndarray:
    """Scores in campaigns with other units, (resamples, systems), in the order of `sure`."""
    if data.units > MANY or data.method == STRENGTH:
        return sure.mean + normal_draws(sure.covariance, resamples, rng)
    return bootstrap(*data.sums(), rng, resamples)[:, sure.order]


def false_lines(
    data: Battles, rng: np.random.Generator, draws: int = 200, alpha: float = 0.05
) -> pd.DataFrame:
    """Lines drawn when all systems are equal: each unit's judgments shuffled among the systems.

    With more than `MANY` units all of a unit's comparisons are turned round, or none. One row, as
    of `calibration.false_lines`.
    """
    n = len(data.systems)
    pairs, lines = np.empty(draws), np.empty(draws, int)
    above = np.triu_indices(n, 1)
    for k in range(draws):
        if data.units > MANY:
            turned = (rng.random(data.units) < 0.5)[data.of]
            one = np.where(turned, data.loser, data.winner)
            cell = one * n + (data.winner + data.loser - one)
        else:
            new = rng.random((data.units, n)).argsort(axis=1)
            cell = new[data.of, data.winner] * n + new[data.of, data.loser]
        wins = np.bincount(cell, data.times, n * n).reshape(n, n).astype(int)
        counts = PairCounts(data.systems, wins, np.zeros_like(wins))
        tests = count_tests(counts)
        pairs[k] = (tests[0][above] < alpha).mean()
        lines[k] = bool(rank_counts(counts, data.method, alpha=alpha, tests=tests).lines)
    return false_line_row(data.method, data.unit, pairs, lines)
