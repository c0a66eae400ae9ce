"""Where each system stands: a ranking with lines claimed and held, intervals and rank sets.

Rankings of all protocols meet `rank.certainty` here: `rank_systems` is the public call, and the
page of a verdict and the notebooks make theirs by the same `standing`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment
from ..kinds import COMPARISONS, kind_of
from ..score.scored import Scores, scored
from .battles import RANKED, Battles, battles
from .certainty import Certainty, certainty
from .ranking import Ranking, clusters, without_score
from .recipes import (
    RECIPES,
    counted_by,
    made_by,
    recipe_named,
    recipe_of_year,
)
from .significance import check_level
from .systems import rank_scores

COMPARED = ("judge", "block", "battle")  # units of comparisons
FALLBACK = "wmt25"  # the recipe where that of the year has nothing to compare


@dataclass(frozen=True)
class Chosen:
    """The recipe that makes a ranking, and the judgments that each possible recipe counts.

    `why`: ``asked``, ``year`` (the campaign's), ``default`` (no year is known) or ``scores``
    (these data have none for the recipe of the year).
    """

    recipe: str
    why: str
    judged: Mapping[str, Scores]

    @property
    def own(self) -> Scores:
        """The judgments as the chosen recipe scores them."""
        return self.judged[self.recipe]


def choose(
    judgments: DirectAssessment | pd.DataFrame,
    recipe: str = "auto",
    year: int = 0,
    form: str = "da",
    name: str = "these judgments",
) -> Chosen:
    """The recipe by which judgments with scores are ranked: the one asked for, or the year's.

    `year` and `form` are the campaign's (see `recipes.recipe_of_year`); `name` is that of the
    judgments in errors. Raises DataError for fewer than two systems, a recipe for which the data
    have no scores, or if all scores are equal.
    """
    if recipe != "auto":
        recipe_named(recipe)
    try:
        judged = judged_by(judgments, "" if recipe == "auto" else recipe)
    except DataError:  # for instance z-scores without workers
        judged = {
            r.name: scored(judgments) for r in RECIPES.values() if not r.needs
        }
    judged = {
        name: one for name, one in judged.items() if len(one.systems) >= 2
    }
    if not judged:
        raise DataError(
            f"fewer than two systems in {name}", expected="two systems or more"
        )
    chosen = recipe
    why = "asked"
    if recipe == "auto":
        chosen = recipe_of_year(year, form)
        why = "year" if year else "default"
        if chosen not in judged:
            chosen = FALLBACK if FALLBACK in judged else next(iter(judged))
            why = "scores"
    if chosen not in judged:
        problem = f"{name} has no scores for this recipe"
        raise DataError(problem, value=chosen, expected=", ".join(judged))
    if np.ptp(judged[chosen].score) == 0:
        raise DataError(
            f"all scores of {name} are the same", expected="scores that differ"
        )
    return Chosen(chosen, why, judged)


def comparisons_by_unit(
    frame: pd.DataFrame, unit: str = "auto", name: str = "these judgments"
) -> Battles:
    """The comparisons of one task by unit: ``judge``, ``block``, ``battle``, or the default.

    Raises DataError for fewer than two systems, only ties, and as `battles.battles`.
    """
    asked = {"judge": "judge", "block": "block", "battle": "block"}.get(
        unit, "auto"
    )
    data = battles(frame, asked)
    if len(data.systems) < 2:
        raise DataError(
            f"fewer than two systems in {name}", expected="two systems or more"
        )
    if not data.every.wins.sum():
        raise DataError(
            f"only ties in {name}", expected="comparisons that one system wins"
        )
    return data


def judged_by(
    judgments: DirectAssessment | pd.DataFrame, own: str | None = None
) -> dict[str, Scores]:
    """The judgments that each recipe of `rank.recipes.RECIPES` counts, with the score it takes.

    Unless `own` is None, recipes whose tests have nothing to compare are left out, except the one
    named `own`, if it is not empty.
    """
    known: dict[tuple[str, str, bool, bool], Scores] = {}
    made = {}
    for name, recipe in RECIPES.items():
        key = recipe.rows, recipe.score, recipe.apart, recipe.screened
        if key not in known:
            known[key] = counted_by(judgments, recipe)
        if own in (None, name) or _compares(name, known[key]):
            made[name] = known[key]
    return made


def _compares(recipe: str, judged: Scores) -> bool:
    """Whether a recipe's test finds anything to compare in these judgments."""
    if not judged.systems:  # for instance all users screened out
        return False
    if (np.isfinite(judged.matrix()).sum(axis=1) > 1).any():
        return True
    return bool((made_by(judged, RECIPES[recipe]).p < 1).any())


def tops(order: np.ndarray) -> list[frozenset[int]]:
    """The set of systems above each place between neighbours of an order."""
    return [frozenset(order[:k].tolist()) for k in range(1, len(order))]


def splits(made: Ranking) -> set[frozenset[int]]:
    """Each line of a recipe's ranking as the set of systems above it."""
    return {
        top
        for top, line in zip(tops(made.order), made.claimed, strict=True)
        if line
    }


def rank_systems(
    judgments: DirectAssessment | pd.DataFrame | Scores,
    *,
    recipe: str = "auto",
    unit: str | None = None,
    alpha: float = 0.05,
    **tests: str,
) -> Ranking:
    """The ranking of systems, and what is certain of it: lines, rank sets, who may be first.

    Parameters
    ----------
    judgments : DirectAssessment, DataFrame or Scores
        Judgments of one language pair, of any protocol, from `load`, `judgments` or `battles`.
        Or `Scores` from `segment_scores`, which are ranked by their means, with the tests that
        `tests` names; they know neither annotators nor documents, so that nothing is certain.
    recipe : str
        A name of `RECIPES`: one year of WMT, with its rows, score, test and lines. By default that
        of the campaign's year, or ``wmt24`` where no year is known. Battles and relative rankings
        have no recipe: they are ranked by strength, or by the share of wins.
    unit : str, optional
        What a repeat would draw afresh: ``worker x document``, ``worker``, ``document``, ...; for
        battles ``judge`` or ``battle``. By default all that the judgments name.
    alpha : float
        The level of the recipe's tests, and the probability of any false statement in `certain`.
    **tests : str
        Of `Scores` only: ``test``, a name of `TESTS`; ``rule``, of `CLUSTER_RULES`;
        ``correction``, of `significance.CORRECTIONS`; ``by``, ``mean_z`` or ``mean_raw``.

    Returns
    -------
    Ranking
        Columns rank, system, score, cluster, low, high (interval of the score), rank_low,
        rank_high (rank set), may_be_first (1 or 0), unit (what a repeat would draw afresh; empty if
        nothing can be told). A system of which alone nothing can be told, such as a model that
        never lost, has no interval, all ranks as its set, and may_be_first 0; ``certain.untold``
        says why. Of `Scores`: rank, system, mean_raw, mean_z, segments, judgments, cluster.

    Raises
    ------
    DataError
        For an unknown name, a unit that the judgments do not name, a level outside (0, 1), fewer
        than two systems, or a system without a score.

    Examples
    --------
    >>> from companion.legacy.rankstability import load, rank_systems, segment_scores
    >>> judgments = load("demo-srdc", "de-en")
    >>> ranking = rank_systems(judgments, recipe="wmt17")
    >>> ranking.systems[0], ranking.lines
    ('HUMAN.0', (1, 7))
    >>> ranking.certain.may_be_first[:5].tolist()
    [True, True, True, True, False]
    >>> rank_systems(load("demo-rr", "cs-en")).recipe
    'bojar'
    >>> rank_systems(segment_scores(judgments), alpha=0.01).lines
    (1,)
    """
    check_level(alpha)
    if isinstance(judgments, Scores):
        if recipe != "auto" or unit is not None:
            problem = "scores of segments know neither a recipe's rows nor annotators"
            asked = recipe if unit is None else unit
            raise DataError(
                problem,
                value=asked,
                expected="judgments: rank_systems(judgments)",
            )
        return rank_scores(judgments, alpha=alpha, **tests)
    if tests:
        problem = "a recipe has its own test, rule and score"
        expected = "rank_systems(segment_scores(judgments), ...)"
        raise DataError(problem, value=", ".join(tests), expected=expected)
    kind = kind_of(judgments)
    if kind == COMPARISONS:
        if recipe != "auto":
            problem = "comparisons are ranked without a recipe"
            raise DataError(problem, value=recipe, expected="no recipe")
        if unit not in (None, *COMPARED):
            raise DataError(
                "unknown unit", value=unit, expected=", ".join(COMPARED)
            )
        made = standing(
            comparisons_by_unit(judgments, unit or "auto"), "", alpha=alpha
        )
        return replace(made, source=judgments)
    if isinstance(judgments, DirectAssessment):
        year = judgments.year
        form = judgments.form
        name = judgments.pair
    else:
        year = judgments.attrs.get("year", 0)
        form = judgments.attrs.get("form", "long")
        name = "these judgments"
    chosen = choose(judgments, recipe, year, form, name)
    return replace(
        standing(chosen.own, chosen.recipe, unit, alpha=alpha),
        source=judgments,
    )


def standing(
    judged: Scores | Battles,
    recipe: str,
    unit: str | None = None,
    *,
    alpha: float = 0.05,
) -> Ranking:
    """A ranking with intervals, rank sets, and lines claimed and held.

    `judged` holds the judgments that the recipe counts, with the score it takes, or comparisons;
    the latter have their own resampling unit and score, and `recipe` and `unit` are ignored. `unit`
    is by default that of `rank.units.default_kinds`. For an adaptive design, and where there are
    only items and some systems lack some, systems are ordered by differences within segments, and a
    line counts as claimed if the recipe has one between the same systems. Raises
    DataError for a unit that the data do not name, and a system without a score.

    Columns of the table: rank, system, score, cluster, low, high (interval of the score; empty if
    one unit holds all judgments of the system), rank_low, rank_high (rank set), may_be_first (1 or
    0), unit; for comparisons also bojar, the share of decided comparisons won. If the data name no
    units, or only one of a kind, `unit` is empty and so are all columns that would promise
    something.
    """
    if isinstance(judged, Battles):
        return _with_certainty(judged.ranked(alpha), judged.certain(alpha))
    own = recipe_named(recipe)
    made = made_by(judged, own, alpha)
    without = made.table.loc[made.table["score"].isna(), "system"]
    if len(without):
        raise without_score(f"score of {recipe}", ", ".join(without))
    sure = certainty(judged, unit, own.by_domain, alpha)
    made = replace(made, table=made.table[RANKED])
    if judged.within:
        claimed = [above in splits(made) for above in tops(sure.order)]
        table = sure.table()[RANKED[:-1]].assign(
            cluster=clusters(np.array(claimed, bool))
        )
        place = np.argsort(made.order)[sure.order]
        grid = np.ix_(place, place)
        made = replace(
            made,
            table=table,
            order=sure.order,
            p=made.p[grid],
            lead=made.lead[grid],
        )
    return _with_certainty(made, sure)


def _with_certainty(made: Ranking, sure: Certainty) -> Ranking:
    """A ranking joined with its certainty."""
    sets = sure.table().drop(columns=["rank", "score"])
    sets.columns = pd.Index(
        ["system", "low", "high", "rank_low", "rank_high", "may_be_first"]
    )
    if not sure.told:
        sets = sets[["system"]].reindex(columns=sets.columns)
    table = made.table.merge(sets, on="system", validate="1:1")
    made = replace(made, certain=sure)
    return replace(made, table=table.assign(unit=made.unit))
