"""The ranking of one language pair with lines claimed and held, and rank sets.

Rankings of all protocols meet `rank.certainty` here; notebooks 00, 01 and 10 show the result. The
score of a system is its strength (Davidson's model) in battles, and the share of its decided
comparisons that it won in relative ranking. The resampling units of both are judges, or blocks
(battles) if judges are not all named.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from rankcompanion.notebooks.lines.calibration import false_line_row
from rankstability.errors import DataError
from rankstability.judgments import REFERENCE
from rankstability.rank.bradley_terry import STRENGTH, finite
from rankstability.rank.certainty import Certainty, certainty, of_battles, of_wins
from rankstability.rank.ranges import Units, default_unit, ranks, units
from rankstability.rank.ranking import Ranking, clusters, without_score
from rankstability.rank.recipes import Recipe, made_by, recipe_named
from rankstability.rank.systems import count_tests, rank_counts
from rankstability.rank.units import bootstrap, draw_means, normal_draws, rank_probabilities
from rankstability.score.pairwise import PairCounts
from rankstability.score.rr import METHODS
from rankstability.score.scored import Scores

UNTOLD = ""  # the unit if nothing can be told
AT_ONCE = 4_000_000  # random numbers held at a time
MANY = 5000  # above this number of units, resampling is normal and null campaigns reverse units
METHOD = "bojar"  # the score of relative rankings: wins over decided comparisons
RANKED = ["rank", "system", "score", "cluster"]
OF_RECIPES = ["recipe", "system", "rank", "score", "rank_low", "rank_high", "cluster"]


@dataclass(frozen=True)
class Battles:
    """The comparisons of one task, and the resampling units by which they are counted."""

    unit: str  # ``judge``, ``block``, or ``battle`` (a block of two outputs)
    every: Units  # all comparisons by block, with ties
    grouped: Units  # the same by unit
    method: str  # the score: strengths if these are finite and all are battles, else `METHOD`
    number: pd.DataFrame  # `rank.units.unit_table`, without judges if not all are named
    judges: int  # how many are named
    unnamed: int  # blocks that name no judge

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems in the order of their codes."""
        return self.every.systems

    @property
    def units(self) -> int:
        """The number of resampling units."""
        return len(self.grouped.judges)


def tops(order: np.ndarray) -> list[frozenset[int]]:
    """The set of systems above each place between neighbours of an order."""
    return [frozenset(order[:k].tolist()) for k in range(1, len(order))]


def splits(made: Ranking) -> set[frozenset[int]]:
    """Each line of a recipe's ranking as the set of systems above it."""
    return {top for top, line in zip(tops(made.order), made.claimed, strict=True) if line}


def beside(
    systems: Sequence[str],
    claimed: Sequence[int],
    judged: Scores,
    units: Sequence[str],
    alpha: float,
) -> pd.DataFrame:
    """`Certainty.places` of any ranking, for each kind of resampling unit in turn.

    `systems` are in the order of the ranking, best first; `claimed` are the ranks below which it
    has lines.
    """
    sure = [certainty(judged, unit, alpha=alpha) for unit in units]
    parts = [one.places(one.codes(systems), claimed) for one in sure]
    return pd.concat(parts, ignore_index=True)


def recipes(
    judged: Mapping[str, Scores], units: Sequence[str], alpha: float = 0.05
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rankings of several recipes, and their lines claimed and held, by resampling unit.

    `judged` maps the name of a recipe to the judgments that it counts, with the score it takes.
    Errors are controlled for each recipe and unit separately, not over all of them. Raises
    DataError for a unit that the data do not name.

    Columns of the rankings: recipe, system, rank, score, rank_low, rank_high (the recipe's own
    range), cluster. Columns of the lines: recipe, below (rank above the line), claimed (0 or 1),
    held (0 or 1; empty if it cannot be told), unit.
    """
    rankings, lines = [], []
    known: dict[tuple[int, bool, str], Certainty] = {}  # recipes may count the same judgments
    for name, one in judged.items():
        recipe = recipe_named(name)
        made = made_by(one, recipe, alpha)
        rankings.append(made.table.assign(recipe=name)[OF_RECIPES])
        for unit in units:
            key = id(one), recipe.by_domain, unit
            if key not in known:
                known[key] = certainty(one, unit or None, recipe.by_domain, alpha)
            lines.append(replace(made, certain=known[key]).places)
    return pd.concat(rankings, ignore_index=True), pd.concat(lines, ignore_index=True)


def standing(
    judged: Scores | Battles,
    recipe: Recipe | str,
    rng: np.random.Generator,
    unit: str | None = None,
    *,
    resamples: int = 1000,
    alpha: float = 0.05,
) -> Ranking:
    """A ranking with intervals, rank sets, lines claimed and held, and chances of ranks.

    `judged` holds the judgments that the recipe counts, with the score it takes, or comparisons;
    the latter have their own resampling unit and score, and `recipe` and `unit` are ignored. `unit`
    is by default that of `rank.units.default_kinds`. For an adaptive design, systems are ordered by
    differences within segments, and a line counts as claimed if the recipe has one between the same
    systems. Raises DataError for a unit that the data do not name, and a system without a score.

    Columns of the table: rank, system, score, cluster, low, high (interval of the score; empty if
    one unit holds all judgments of the system), rank_low, rank_high (rank set), may_be_first (1 or
    0), p_first (share of resampled campaigns in which it is first), unit; for comparisons also
    bojar, the share of decided comparisons won. If the data name no units, or only one of a kind,
    `unit` is empty and so are all columns that would promise something.
    """
    drawn = None
    if isinstance(judged, Battles):
        made, sure = _by_comparison(judged, alpha)
        drawn = draw(judged, sure, rng, resamples) if sure.told else None
        return _standing(made, sure, drawn)
    recipe = recipe_named(recipe) if isinstance(recipe, str) else recipe
    made = made_by(judged, recipe, alpha)
    without = made.table.loc[made.table["score"].isna(), "system"]
    if len(without):
        raise without_score(f"score of {recipe.name}", ", ".join(without))
    sure = certainty(judged, unit, recipe.by_domain, alpha)
    made = replace(made, table=made.table[RANKED])
    if judged.adaptive:
        claimed = [above in splits(made) for above in tops(sure.order)]
        table = sure.table()[RANKED[:-1]].assign(cluster=clusters(np.array(claimed, bool)))
        place = np.argsort(made.order)[sure.order]
        grid = np.ix_(place, place)
        made = replace(made, table=table, order=sure.order, p=made.p[grid], lead=made.lead[grid])
        drawn = sure.mean + normal_draws(sure.covariance, resamples, rng) if sure.told else None
    elif sure.told:
        drawn = draw_means(judged, sure.unit, rng, resamples, recipe.by_domain)[:, sure.order]
    return _standing(made, sure, drawn)


def _by_comparison(data: Battles, alpha: float) -> tuple[Ranking, Certainty]:
    if data.method == STRENGTH:
        sure = of_battles(data.grouped, data.unit, alpha)
    else:
        won, decided = data.grouped.decided_by_system()
        sure = of_wins(data.systems, won, decided, unit=data.unit, alpha=alpha)
    counts = data.every.counts
    made = rank_counts(counts, data.method, alpha=alpha)
    table = made.table.rename(columns={data.method: "score"})[RANKED]
    table["bojar"] = METHODS[METHOD](counts)[table["system"]].to_numpy()
    return replace(made, table=table, by="score", recipe=data.method), sure


def _standing(made: Ranking, sure: Certainty, drawn: np.ndarray | None) -> Ranking:
    """A ranking joined with its certainty, and scores of resampled campaigns (in its order)."""
    sets = sure.table().drop(columns=["rank", "score"])
    sets.columns = pd.Index(["system", "low", "high", "rank_low", "rank_high", "may_be_first"])
    sets["p_first"], chances = np.nan, None
    if drawn is None:
        sets = sets[["system"]].reindex(columns=sets.columns)
    else:
        chances = rank_probabilities(ranks(drawn))
        sets["p_first"] = chances[:, 0]
        sets[["low", "high"]] = sets[["low", "high"]].replace([-np.inf, np.inf], np.nan)
        chances = chances[pd.Index(sure.systems).get_indexer(made.systems)]
    table = made.table.merge(sets, on="system", validate="1:1")
    made = replace(made, certain=sure, chances=chances)
    return replace(made, table=table.assign(unit=made.unit))


def set_table(one: Ranking) -> pd.DataFrame:
    """The rank set of each system; no rows without units."""
    table = one.table[["system", "rank_low", "rank_high", "unit"]]
    table.columns = pd.Index(["system", "low", "high", "unit"])
    return table[table["unit"] != UNTOLD].assign(level=1 - one.sure.alpha)


def battles(frame: pd.DataFrame, unit: str = "auto") -> Battles:
    """The comparisons of one task (from `read.rr.read_rr`) without its reference, by unit.

    `unit` is ``judge``, ``block``, or ``auto``: judges, or blocks if some of these name no judge.

    Raises DataError for ``judge`` if not all are named; for groups of systems that were never
    compared; and, if the share of wins ranks, for systems that neither won nor lost.
    """
    every = units(frame).without(REFERENCE)
    every.counts.connected()
    judges, blocks = len(set(every.judges) - {-1}), len(every.judges)
    chosen = default_unit(every) if unit == "auto" else unit
    grouped = every.by(chosen)
    block = "battle" if frame["position"].max() == 2 else "block"
    chosen = "judge" if chosen == "judge" else block
    unnamed = int((every.judges < 0).sum())
    kinds = [(block, blocks, "")] if unnamed else [("judge", judges, ""), (block, blocks, "judge")]
    table = pd.DataFrame(kinds, columns=["unit", "units", "inside"])
    table["default"] = (table["unit"] == chosen).astype(int)
    method = STRENGTH if block == "battle" and finite(every.counts) else METHOD
    met = grouped.decided_by_system()[1].sum(axis=0)
    if method == METHOD and met.any() and not met.all():
        names = np.array(every.systems, dtype=object)[met == 0].tolist()
        problem = "systems that only tied have no share of wins"
        raise DataError(problem, column="system", value=names, expected="a win or a loss of each")
    return Battles(chosen, every, grouped, method, table, judges, unnamed)


def draw(data: Battles, sure: Certainty, rng: np.random.Generator, resamples: int) -> np.ndarray:
    """Scores in resampled campaigns, (resamples, systems), in the order of `sure`."""
    if data.units > MANY or data.method == STRENGTH:
        return sure.mean + normal_draws(sure.covariance, resamples, rng)
    return bootstrap(*data.grouped.decided_by_system(), rng, resamples)[:, sure.order]


def false_lines(
    data: Battles, rng: np.random.Generator, draws: int = 200, alpha: float = 0.05
) -> pd.DataFrame:
    """How often lines are drawn in null campaigns, where all systems are equal.

    Within each unit, the labels of the systems are permuted; with more than `MANY` units, either
    all comparisons of a unit are reversed or none. One row with the columns of
    `calibration.false_lines`.
    """
    pairs, lines = np.empty(draws), np.empty(draws, int)
    above = np.triu_indices(len(data.systems), 1)
    for k, wins in enumerate(_null_wins(data, rng, draws)):
        counts = PairCounts(data.systems, wins, np.zeros_like(wins))
        tests = count_tests(counts)
        pairs[k] = (tests[0][above] < alpha).mean()
        lines[k] = bool(rank_counts(counts, data.method, alpha=alpha, tests=tests).lines)
    return false_line_row(data.method, data.unit, pairs, lines)


def _null_wins(data: Battles, rng: np.random.Generator, draws: int) -> Iterator[np.ndarray]:
    """Wins of each system over each other, (systems, systems), in each null campaign."""
    n, wins = len(data.systems), data.grouped.wins.tocsr()
    if data.units > MANY:
        whole = data.grouped.counts.wins
        step = max(1, AT_ONCE // data.units)
        for start in range(0, draws, step):
            turned = rng.random((min(step, draws - start), data.units)) < 0.5
            for moved in (turned.astype(int) @ wins).reshape(-1, n, n):
                yield whole - moved + moved.T
        return
    decided = wins.tocoo()
    (of, pair), times = decided.coords, decided.data
    winner, loser = np.divmod(pair.astype(np.int64), n)
    for _ in range(draws):
        new = rng.random((data.units, n)).argsort(axis=1)
        cell = new[of, winner] * n + new[of, loser]
        yield np.bincount(cell, times, n * n).reshape(n, n).astype(int)
