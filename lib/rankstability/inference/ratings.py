"""Inference for ratings: which statements about the systems would hold with new units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..scores.arrays import ScoreArrays
from .assemble import PairTests, assemble, means_without_tests, too_few_units, two_sided_p
from .items import item_tests
from .moderation import moderate_variances
from .over_strata import WithinTests, compare_within
from .regimes import add_note, rating_notes, shown_names
from .result import RankInference
from .standardised import adjust, annotator_shares
from .units import (
    ANNOTATOR,
    MIN_EFFECTIVE_UNITS,
    SEGMENT,
    joint_covariance,
    least_df,
    unit_codes,
    units_asked,
    variance_of_means,
)
from .within import Stratum, StratumFit, fit_stratum


def infer_ratings(
    arrays: ScoreArrays,
    unit: str | None = None,
    by_domain: bool = False,
    alpha: float = 0.05,
) -> RankInference:
    """Return what would hold again with new sampling units, at most `alpha` of rankings in error.

    Parameters
    ----------
    arrays : ScoreArrays
        Oriented scores with their units.
    unit : str, optional
        ``annotator x document``, ``annotator``, ``document``, ``hit`` or ``segment``; by default
        annotators and documents as far as they are named, then HITs. Tables of items have segments.
    by_domain : bool
        Whether the score of a system is the mean over domains of the domain's mean.
    alpha : float
        Error rate of all statements together.

    Raises
    ------
    DataError
        If the judgments do not name `unit`, or `alpha` is not between 0 and 1.
    """
    inference = assemble(pair_tests(arrays, unit, by_domain), alpha)
    return replace(inference, codes=np.unique(arrays.system)[inference.codes])


def second_answer(
    arrays: ScoreArrays, kind: str = "document", by_domain: bool = False, alpha: float = 0.05
) -> RankInference | None:
    """Return the inference with new units of one kind only, which is a family of its own.

    With ``document`` every sentence says "with these same N annotators". Returns None if the data
    do not name this kind, or if it is all that the data name.
    """
    kinds = units_asked(arrays, None)
    if kind not in kinds or len(kinds) < 2:
        return None
    return infer_ratings(arrays, kind, by_domain, alpha)


def pair_tests(arrays: ScoreArrays, unit: str | None = None, by_domain: bool = False) -> PairTests:
    """Return the tests of all pairs of systems, before the family of statements.

    Parameters are those of `infer_ratings`.
    """
    kinds = units_asked(arrays, unit)
    present = np.unique(arrays.system)
    compact = _only_systems(arrays, present)
    if not kinds:
        reason = "unnamed_averages" if arrays.averages else "no_units"
        return without_units(compact, by_domain, reason)
    if kinds == (SEGMENT,) and arrays.items:
        tests, fit = item_tests(compact)
        return replace(tests, **rating_notes(compact, tests, [fit], False))
    domain = _domains(compact, by_domain)
    complete = _in_all(compact.system, domain, len(present))
    if not complete.all():
        return _without_domains(compact, unit, complete)
    strata = _strata(compact, kinds, domain)
    fits = [fit_stratum(stratum, len(present)) for stratum in strata]
    tests = pair_tests_of_strata(compact.systems, fits, kinds, compact.standardised, arrays.scale)
    return replace(tests, **rating_notes(compact, tests, fits, by_domain))


def _only_systems(arrays: ScoreArrays, present: np.ndarray) -> ScoreArrays:
    """Return the judgments of these systems (codes), with codes from 0."""
    if len(present) == len(arrays.systems):
        return arrays
    code = np.full(len(arrays.systems), -1)
    code[present] = np.arange(len(present))
    kept = arrays.take(code[arrays.system] >= 0)
    names = tuple(arrays.systems[k] for k in present)
    return replace(kept, systems=names, system=code[kept.system])


def _domains(arrays: ScoreArrays, by_domain: bool) -> np.ndarray:
    """Return the stratum of each judgment, from 0: its domain, or the whole table."""
    if by_domain and "domain" in arrays.units:
        return np.asarray(np.unique(arrays.units["domain"], return_inverse=True)[1])
    return np.zeros(arrays.n_judgments, int)


def _in_all(system: np.ndarray, domain: np.ndarray, n: int) -> np.ndarray:
    """Return whether each system has judgments in every domain."""
    judged = np.zeros((n, int(domain.max(initial=0)) + 1), bool)
    judged[system, domain] = True
    return np.asarray(judged.all(axis=1))


def _strata(arrays: ScoreArrays, kinds: Sequence[str], domain: np.ndarray) -> list[Stratum]:
    """Return the strata, equally weighted."""
    units = {
        kind: unit_codes(arrays, kind)
        for kind in dict.fromkeys([*kinds, ANNOTATOR])
        if kind in kinds or arrays.has(kind)
    }
    weight = arrays.weights()
    number = int(domain.max(initial=0)) + 1
    return [
        Stratum(
            arrays.system[here],
            arrays.segment[here],
            arrays.score[here],
            weight[here],
            {kind: codes[here] for kind, codes in units.items()},
            1 / number,
        )
        for here in (domain == k for k in range(number))
    ]


def pair_tests_of_strata(
    systems: tuple[str, ...],
    fits: Sequence[StratumFit],
    kinds: Sequence[str],
    standardised: bool = False,
    scale: tuple[float, float] = (-np.inf, np.inf),
) -> PairTests:
    """Return the tests of all pairs of systems from the fits of one or several strata."""
    within = compare_within(fits, kinds)
    span = float(np.ptp(np.concatenate([fit.stratum.score for fit in fits])))
    effective = {kind: within.kinds[kind].effective for kind in kinds}
    reasons = too_few_units(systems, effective)
    pair_reasons = _pair_reasons(within, kinds)
    limited = replace(within, df=np.where(pair_reasons == "", within.df, 0.0))
    assessable = np.array([name not in reasons for name in systems], bool)
    variance, df = _moderated(limited, limited.variance, assessable)
    difference = np.subtract.outer(within.mean, within.mean)
    p = two_sided_p(difference, variance, df, span=span, raw=(within.variance, limited.df))
    if standardised and all(ANNOTATOR in fit.stratum.units for fit in fits):
        adjusted, chained = _adjusted_p(limited, fits, assessable, span)
        p = np.maximum(p, adjusted)
        pair_reasons[~chained & (pair_reasons == "")] = "no_common_annotators"
    np.fill_diagonal(p, 1.0)
    return PairTests(
        systems=systems,
        mean=within.mean,
        variance=variance,
        df=df,
        p=p,
        covariance=joint_covariance(within.kinds, within.cells),
        variance_systems=variance_of_means(within.kinds, within.cells),
        df_systems=least_df(effective),
        effective=effective,
        n_units={kind: within.kinds[kind].number for kind in kinds},
        units={kind: _count_units(fits, kind) for kind in kinds},
        reasons=reasons,
        pair_reasons=pair_reasons,
        variance_raw=within.variance,
        df_raw=limited.df,
        span=span,
        scale=scale,
        extra={"strata": within.strata, "df_unlimited": within.df},
    )


def _count_units(fits: Sequence[StratumFit], kind: str) -> int:
    """Return the number of units of a kind in the table."""
    return len(np.unique(np.concatenate([fit.stratum.units[kind] for fit in fits])))


def _pair_reasons(within: WithinTests, kinds: Sequence[str]) -> np.ndarray:
    """Return why each pair cannot be assessed: too few effective units in common, or a bridge.

    A pair needs `MIN_EFFECTIVE_UNITS` of each kind, and no unit whose absence separates the two.
    The reason names the kind of which the pair has fewest.
    """
    reasons = np.full(within.df.shape, "", object)
    fewest = np.full(within.df.shape, np.inf)
    for kind in kinds:
        number = within.pair_effective[kind]
        few = ~(number >= MIN_EFFECTIVE_UNITS) | within.separated[kind]
        fewer = few & (number < fewest)
        reasons[fewer] = f"few_in_common_{kind}"
        fewest[fewer] = number[fewer]
    np.fill_diagonal(reasons, "")
    return reasons


def _moderated(
    within: WithinTests, variance: np.ndarray, assessable: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return V* and df*, moderated among the assessable systems."""
    effective = np.min([kind.effective for kind in within.kinds.values()], axis=0)
    pair_effective = np.min([*within.pair_effective.values()], axis=0)
    grid = np.ix_(assessable, assessable)
    moderated, df = variance.copy(), within.df.copy()
    moderated[grid], df[grid] = moderate_variances(
        variance[grid], within.df[grid], effective[assessable], pair_effective[grid]
    )
    return moderated, df


def _adjusted_p(
    within: WithinTests, fits: Sequence[StratumFit], assessable: np.ndarray, span: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the p of means adjusted for the other systems that each annotator judged.

    It is 1 where the two differences have different signs, and where no chain of annotators joins
    the two systems. Also return which systems such chains join.
    """
    annotator = np.concatenate([fit.stratum.units[ANNOTATOR] for fit in fits])
    system = np.concatenate([fit.stratum.system for fit in fits])
    shares, joined = annotator_shares(annotator, system, len(within.mean))
    mean, raw = adjust(within, fits, shares)
    variance, df = _moderated(within, raw, assessable)
    difference = np.subtract.outer(mean, mean)
    p = two_sided_p(difference, variance, df, span=span, raw=(raw, within.df))
    p[(difference * np.subtract.outer(within.mean, within.mean) < 0) | ~joined] = 1.0
    return p, joined


# ------------------------------------------------------------------ special tables


def without_units(arrays: ScoreArrays, by_domain: bool, reason: str) -> PairTests:
    """Return means without any test, because no inference can be made."""
    span = float(np.ptp(arrays.score)) if arrays.n_judgments else 1.0
    mean = arrays.means(by_domain)
    return means_without_tests(arrays.systems, mean, reason, span=span, scale=arrays.scale)


def _without_domains(arrays: ScoreArrays, unit: str | None, complete: np.ndarray) -> PairTests:
    """Return the tests where some systems lack a whole domain, so that they cannot be assessed."""
    mean = arrays.means(True)
    if complete.sum() < 2:
        return without_units(arrays, True, "missing_domain")
    inside = np.flatnonzero(complete)
    tests = pair_tests(_only_systems(arrays, inside), unit, True)
    lacking = {arrays.systems[k]: "missing_domain" for k in np.flatnonzero(~complete)}
    mean[inside] = tests.mean
    whole = expand(tests, arrays.systems, inside, mean, lacking)
    return add_note(whole, "missing_domain", systems=shown_names([*lacking]))


def expand(
    tests: PairTests,
    systems: tuple[str, ...],
    inside: np.ndarray,
    mean: np.ndarray,
    reasons: dict[str, str],
) -> PairTests:
    """Return tests of some systems (codes `inside`) as tests of all, of whom the others have none."""

    def whole(part: np.ndarray, fill: float | str = np.nan) -> np.ndarray:
        out = np.full((len(systems),) * part.ndim, fill, object if fill == "" else float)
        out[np.ix_(*[inside] * part.ndim)] = part
        return out

    def optional(part: np.ndarray | None, fill: float | str = np.nan) -> np.ndarray | None:
        return None if part is None else whole(part, fill)

    return replace(
        tests,
        systems=systems,
        mean=mean,
        variance=whole(tests.variance),
        df=whole(tests.df, 0.0),
        p=whole(tests.p, 1.0),
        covariance=whole(tests.covariance),
        variance_systems=whole(tests.variance_systems),
        df_systems=whole(tests.df_systems, 0.0),
        effective={kind: whole(number, 0.0) for kind, number in tests.effective.items()},
        n_units={kind: whole(number, 0.0) for kind, number in tests.n_units.items()},
        reasons={**tests.reasons, **reasons},
        pair_reasons=optional(tests.pair_reasons, ""),
        variance_raw=optional(tests.variance_raw),
        df_raw=optional(tests.df_raw, 0.0),
    )
