"""Several tables of ratings together: the best system over tasks, and what changed between two.

Tasks (or the two rankings) are strata of one comparison. Units of one name are one unit, so that
shared documents or annotators cancel or add as they should.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..arguments import check_alpha, check_arguments
from ..errors import DataError
from ..judgments import COMPARISON_KINDS, Judgments
from ..scores.arrays import ScoreArrays
from .assemble import assemble
from .from_judgments import infer_judgments, ranked_ratings
from .questions import Candidates, answer_candidates, known_pairs
from .ratings import pair_tests_of_strata
from .result import RankInference
from .units import ANNOTATOR, SEGMENT, units_asked
from .within import Stratum, fit_stratum


@dataclass(frozen=True)
class TaskRanking:
    """The ranking by the mean over several tasks, equally weighted.

    Attributes
    ----------
    table : DataFrame
        One row per system in all tasks: rank, system, score, score_low, score_high, rank_low,
        rank_high, could_be_first, assessable.
    boundaries : tuple of int
        Ranks below which a boundary is supported.
    candidates : Candidates
        Which systems could be chosen, and the cost of a choice.
    left_out : tuple of str
        Systems that are absent from some task.
    shared_units : mapping of str to int
        By kind, units that occur in more than one task.
    inference : RankInference
    """

    table: pd.DataFrame
    boundaries: tuple[int, ...]
    candidates: Candidates
    tasks: tuple[str, ...]
    left_out: tuple[str, ...]
    shared_units: dict[str, int]
    inference: RankInference


@dataclass(frozen=True)
class RankingChanges:
    """What changed between two rankings of the same systems.

    Attributes
    ----------
    changes : DataFrame
        One row per pair of systems: system_a, system_b, change (of the difference A - B, in the
        direction in which scores were given), gained (the system that gained on the other; empty if
        no change is shown), change_low, change_high (for a shown change whose joint interval
        excludes 0), reason. Empty if the scales differ, because then only orders can be compared.
    reversed : DataFrame
        Pairs whose order is reversed beyond doubt: better_in_first, better_in_second.
    differences : int
        Pairs that could be compared.
    left_out : tuple of str
        Systems that are in one ranking only.
    shared_units : mapping of str to int
        By kind, units of one name in both.
    inference : RankInference or None
        Of the changes.
    """

    changes: pd.DataFrame
    reversed: pd.DataFrame
    differences: int
    left_out: tuple[str, ...]
    shared_units: dict[str, int]
    alpha: float
    inference: RankInference | None


@check_arguments
def rank_over_tasks(
    tasks: Sequence[Judgments],
    *,
    unit: str | None = None,
    procedure: str | None = None,
    alpha: float = 0.05,
) -> TaskRanking:
    """Answer "Which system is best over these tasks, with equal weights?".

    Parameters
    ----------
    tasks : sequence of Judgments
        Ratings of two or more language pairs or tasks, with the same protocol and scale.
    unit, procedure : str, optional
        As for `rank_systems`.
    alpha : float
        The error rate of this answer.

    Raises
    ------
    DataError
        ``too_few_tasks``; ``different_scales``; ``different_units``; ``too_few_systems`` if fewer
        than two systems are in all tasks; ``wrong_kind`` for votes.

    Examples
    --------
    >>> import rankstability as rs
    >>> pairs = [rs.load("demo-srdc", pair) for pair in ("de-en", "en-cs")]
    >>> rs.rank_over_tasks(pairs).tasks
    ('de-en', 'en-cs')
    """
    if len(tasks) < 2:
        raise DataError("too_few_tasks", value=len(tasks))
    rated = [ranked_ratings(task, procedure) for task in tasks]
    names = tuple(task.pair or task.task or str(k + 1) for k, task in enumerate(tasks))
    return rank_arrays_over_tasks([arrays for arrays, _ in rated], names, unit, rated[0][1], alpha)


def rank_arrays_over_tasks(
    tasks: Sequence[ScoreArrays],
    names: Sequence[str],
    unit: str | None = None,
    by_domain: bool = False,
    alpha: float = 0.05,
) -> TaskRanking:
    """Rank the systems that are in all tasks by their mean over tasks."""
    _check_scales(tasks)
    factors = [1 / len(tasks)] * len(tasks)
    inference, left_out, shared = _infer_together(tasks, factors, unit, by_domain, alpha)
    sign = tasks[0].sign
    ends = sign * np.array([inference.score_low, inference.score_high])
    table = pd.DataFrame(
        {
            "rank": np.arange(1, len(inference.systems) + 1),
            "system": list(inference.systems),
            "score": sign * inference.mean,
            "score_low": ends.min(axis=0),
            "score_high": ends.max(axis=0),
            "rank_low": inference.rank_low,
            "rank_high": inference.rank_high,
            "could_be_first": inference.could_be_first,
            "assessable": inference.assessable,
        }
    )
    return TaskRanking(
        table=table,
        boundaries=tuple(int(rank) for rank in np.flatnonzero(inference.supported) + 1),
        candidates=answer_candidates(inference, alpha, sign),
        tasks=tuple(names),
        left_out=left_out,
        shared_units=shared,
        inference=inference,
    )


@check_arguments
def compare_rankings(
    first: Judgments,
    second: Judgments,
    *,
    unit: str | None = None,
    procedure: str | None = None,
    alpha: float = 0.05,
) -> RankingChanges:
    """Answer "What changed between these two rankings?".

    Changes of differences can be tested only if both rankings have the same protocol and scale.
    Significant reversals of the order can be tested for any two rankings, including votes.

    Parameters
    ----------
    first, second : Judgments
        Two waves, groups of annotators, campaigns or reruns. An annotator or document that occurs
        in both must have the same name in both.
    unit, procedure, alpha
        See `rank_over_tasks`.

    Raises
    ------
    DataError
        ``too_few_systems`` if fewer than two systems are in both rankings.

    Examples
    --------
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-srdc", "de-en")
    >>> answer = rs.compare_rankings(judgments, judgments)
    >>> len(answer.reversed), answer.shared_units
    (0, {'annotator': 23, 'document': 30})
    """
    reverse = [infer_judgments(each, procedure, unit, alpha / 2) for each in (first, second)]
    kinds = {first.kind, second.kind}
    if len(kinds) > 1 or kinds & set(COMPARISON_KINDS):
        return _only_reversals(reverse, alpha)
    rated = [ranked_ratings(each, procedure) for each in (first, second)]
    arrays = [each[0] for each in rated]
    if not _same_scale(arrays) or rated[0][1] != rated[1][1] or arrays[0].items:
        return _only_reversals(reverse, alpha)
    return compare_arrays(arrays[0], arrays[1], unit, rated[0][1], alpha, reverse)


def compare_arrays(
    first: ScoreArrays,
    second: ScoreArrays,
    unit: str | None = None,
    by_domain: bool = False,
    alpha: float = 0.05,
    reverse: Sequence[RankInference] = (),
) -> RankingChanges:
    """Return the changes of all differences, second less first.

    The interval of a change, with t(1 - alpha/(n(n - 1)), df*), covers all pairs.
    """
    _check_scales([first, second])
    inference, left_out, shared = _infer_together(
        [first, second], [-1.0, 1.0], unit, by_domain, alpha
    )
    table = _change_table(inference, alpha, first.sign)
    return RankingChanges(
        changes=table,
        reversed=find_reversals(*reverse) if reverse else _no_reversals(),
        differences=int((table["reason"] == "").sum()),
        left_out=left_out,
        shared_units=shared,
        alpha=alpha,
        inference=inference,
    )


def find_reversals(first: RankInference, second: RankInference) -> pd.DataFrame:
    """Return the pairs that both rankings declare, in opposite directions.

    With each ranking at alpha / 2, any false reversal has a probability of at most alpha.
    """
    place = {name: k for k, name in enumerate(second.systems)}
    rows = []
    for i, k in zip(*np.nonzero(first.better), strict=True):
        better, worse = first.systems[int(i)], first.systems[int(k)]
        if better in place and worse in place and second.better[place[worse], place[better]]:
            rows.append((better, worse))
    return pd.DataFrame(rows, columns=["better_in_first", "better_in_second"])


def _no_reversals() -> pd.DataFrame:
    return pd.DataFrame(columns=["better_in_first", "better_in_second"])


def _only_reversals(reverse: Sequence[RankInference], alpha: float) -> RankingChanges:
    """Return the answer where scales differ, so that only orders can be compared."""
    names = [set(each.systems) for each in reverse]
    columns = ["system_a", "system_b", "change", "gained", "change_low", "change_high", "reason"]
    return RankingChanges(
        changes=pd.DataFrame(columns=columns),
        reversed=find_reversals(*reverse),
        differences=0,
        left_out=tuple(sorted(names[0] ^ names[1])),
        shared_units={},
        alpha=alpha,
        inference=None,
    )


def _change_table(inference: RankInference, alpha: float, sign: int) -> pd.DataFrame:
    """Return one row per pair: how much the lead of A over B grew."""
    n = len(inference.systems)
    number = int(inference.assessable.sum())
    rows = []
    for i, k in zip(*np.triu_indices(n, 1), strict=True):
        change = float(inference.difference[i, k])
        gained, low, high = "", np.nan, np.nan
        reason = str(inference.pair_reasons[i, k])
        if not reason and not known_pairs(inference)[i, k]:
            reason = "estimates_disagree"
        if inference.better[i, k]:
            gained, reason = inference.systems[i], ""
            level = alpha / (number * (number - 1))
            df = inference.df[i, k]
            half = float(stdtrit(df, 1 - level)) * float(np.sqrt(inference.variance[i, k]))
            if change - half > 0:
                low, high = sorted((sign * (change - half), sign * (change + half)))
        names = inference.systems[i], inference.systems[k]
        rows.append((*names, sign * change, gained, low, high, reason))
    columns = ["system_a", "system_b", "change", "gained", "change_low", "change_high", "reason"]
    return pd.DataFrame(rows, columns=columns)


# ------------------------------------------------------------------ tables as strata


def _infer_together(
    tables: Sequence[ScoreArrays],
    factors: Sequence[float],
    unit: str | None,
    by_domain: bool,
    alpha: float,
) -> tuple[RankInference, tuple[str, ...], dict[str, int]]:
    """Return the inference on the weighted sum of means, absent systems, and shared units."""
    check_alpha(alpha)
    present = [{table.systems[k] for k in np.unique(table.system)} for table in tables]
    systems = tuple(sorted(set.intersection(*present)))
    left_out = tuple(sorted(set.union(*present) - set(systems)))
    if len(systems) < 2:
        raise DataError("too_few_systems", value=", ".join(systems) or None)
    kinds = [units_asked(table, unit) for table in tables]
    if len(set(kinds)) > 1:
        shown = "; ".join(" x ".join(each) or "none" for each in kinds)
        raise DataError("different_units", value=shown)
    if not kinds[0] or SEGMENT in kinds[0]:
        raise DataError("no_units_over_tasks")
    names = {kind: _common_names(tables, kind) for kind in {*kinds[0], ANNOTATOR}}
    strata: list[Stratum] = []
    for table, factor in zip(tables, factors, strict=True):
        strata += _strata_of(table, systems, names, factor, by_domain)
    fits = [fit_stratum(stratum, len(systems)) for stratum in strata]
    standardised = all(table.standardised for table in tables)
    scale = tables[0].scale if min(factors) > 0 else (-np.inf, np.inf)
    tests = pair_tests_of_strata(systems, fits, kinds[0], standardised, scale)
    shared = {kind: _shared(tables, kind) for kind in kinds[0]}
    return assemble(tests, alpha), left_out, shared


def _common_names(tables: Sequence[ScoreArrays], kind: str) -> dict[str, int]:
    """Return one code for each name of a unit in any of the tables."""
    known = sorted({name for table in tables for name in table.unit_names.get(kind, ())})
    return {name: code for code, name in enumerate(known)}


def _shared(tables: Sequence[ScoreArrays], kind: str) -> int:
    """Return how many units of a kind have judgments in more than one table."""
    names = [
        {table.unit_names[kind][code] for code in np.unique(table.units[kind])} for table in tables
    ]
    return sum(sum(name in each for each in names) > 1 for name in set.union(*names))


def _strata_of(
    table: ScoreArrays,
    systems: tuple[str, ...],
    names: dict[str, dict[str, int]],
    factor: float,
    by_domain: bool,
) -> list[Stratum]:
    """Return the strata of one table, with codes that all tables share."""
    place = {name: k for k, name in enumerate(systems)}
    code = np.array([place.get(name, -1) for name in table.systems])
    kept = table.take(code[table.system] >= 0)
    units = {
        kind: np.array([codes[name] for name in table.unit_names[kind]])[kept.units[kind]]
        for kind, codes in names.items()
        if kept.has(kind)
    }
    domain = np.zeros(kept.n_judgments, int)
    if by_domain and "domain" in kept.units:
        domain = kept.units["domain"]
    weight = kept.weights()
    number = len(np.unique(domain))
    strata = []
    for here in (domain == k for k in np.unique(domain)):
        if len(np.unique(kept.system[here])) < len(systems):
            raise DataError("missing_domain_in_task")
        strata.append(
            Stratum(
                code[kept.system[here]],
                kept.segment[here],
                kept.score[here],
                weight[here],
                {kind: codes[here] for kind, codes in units.items()},
                factor / number,
            )
        )
    return strata


def _same_scale(tables: Sequence[ScoreArrays]) -> bool:
    """Return whether scores of several tables can be added."""
    kinds = {(table.sign, table.scale, table.standardised) for table in tables}
    return len(kinds) == 1


def _check_scales(tables: Sequence[ScoreArrays]) -> None:
    """Raise DataError unless all tables have the same scale and direction."""
    if not _same_scale(tables):
        shown = "; ".join(f"{table.scale[0]:g} to {table.scale[1]:g}" for table in tables)
        raise DataError("different_scales", value=shown)
