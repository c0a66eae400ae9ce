"""Designs in which the promise is not met, or in which little can be said, found in the data.

Each note is a code of `notes` in ``verdict/words.yaml``. What fills the slots of its sentence is in
``inference.extra["details"]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..scores.arrays import ScoreArrays
from .assemble import PairTests
from .items import least_items
from .units import DOCUMENT, QUESTION, SEGMENT, sums_by
from .within import StratumFit

FEW_EFFECTIVE = 4.0  # effective units: below, only very large differences can be detected
LARGE_SHARE, MIN_LARGE, MAX_LARGE = 0.19, 3, 4  # three or four units with a fifth each
LARGE_QUESTION, MAX_LARGE_QUESTIONS = 0.14, 6  # up to six questions with a seventh each
HALF = 0.5  # share of the judgments that one unit holds
MIN_UNITS = 12  # documents or items of a system, to see rare losses
RARE_UNITS, RARE_SHARE = 8.0, 0.2  # units, and share of them, that make up the squared residuals
LOSSES = 0.9  # share of the fourth powers of residuals that are losses
MAX_NAMES = 5  # systems or pairs that a sentence names

Details = dict[str, dict[str, object]]


def rating_notes(
    arrays: ScoreArrays, tests: PairTests, fits: Sequence[StratumFit], by_domain: bool
) -> dict[str, Any]:
    """Return `notes` and `extra` for the tests of ratings.

    ``extra`` has ``details``: the slots of the sentences by code.
    """
    details: Details = {
        **_units_notes(arrays, tests),
        **_segments_notes(arrays, tests, fits, by_domain),
        **_rare_losses(arrays, tests, fits),
    }
    extra = {**tests.extra, "details": details}
    return {"notes": (*tests.notes, *details), "extra": extra}


def add_note(tests: PairTests, code: str, **slots: object) -> PairTests:
    """Return the tests with one more note, and what fills the slots of its sentence."""
    known = tests.extra.get("details", {})
    assert isinstance(known, Mapping)
    extra = {**tests.extra, "details": {**known, code: slots}}
    return replace(tests, notes=(*tests.notes, code), extra=extra)


def _lacking_systems(arrays: ScoreArrays) -> list[str]:
    """Return the systems that lack some of the segments."""
    judged = np.zeros((len(arrays.segments), len(arrays.systems)), bool)
    judged[arrays.segment, arrays.system] = True
    complete = np.asarray(judged[judged.any(axis=1)].all(axis=0))
    return [
        name for name, all_judged in zip(arrays.systems, complete, strict=True) if not all_judged
    ]


def shown_names(names: Sequence[str]) -> str:
    """Return up to `MAX_NAMES` names, and how many more there are."""
    shown = ", ".join(names[:MAX_NAMES])
    more = len(names) - MAX_NAMES
    return shown if more <= 0 else f"{shown} and {more} more"


def share_notes(shares: Mapping[str, np.ndarray]) -> Details:
    """Return notes on units that hold many of the judgments (or decided votes).

    Parameters
    ----------
    shares : mapping of str to array, shape (units,)
        For each kind of unit, the share of all judgments that each unit holds.
    """
    details: Details = {}
    for kind, share in shares.items():
        least, most = LARGE_SHARE, MAX_LARGE
        if kind == QUESTION:
            least, most = LARGE_QUESTION, MAX_LARGE_QUESTIONS
        large = int((share >= least).sum())
        if share.max(initial=0) >= HALF:
            details.setdefault("unit_with_half", {"unit": kind})
        elif MIN_LARGE <= large <= most:
            details.setdefault("few_large_units", {"number": large, "unit": kind})
    return details


def _units_notes(arrays: ScoreArrays, tests: PairTests) -> Details:
    """Return notes on few or heavy units."""
    details: Details = {}
    kinds = [kind for kind in tests.effective if kind != SEGMENT]
    few = {
        kind: tests.effective[kind][tests.assessable].min(initial=np.inf) < FEW_EFFECTIVE
        for kind in kinds
    }
    for kind in kinds:
        if few[kind]:
            details.setdefault("few_effective_units", {"unit": kind})
    weight = arrays.weights()
    details |= share_notes(
        {kind: np.bincount(arrays.units[kind], weight) / weight.sum() for kind in kinds}
    )
    if SEGMENT in tests.effective:
        number = tests.units[SEGMENT]
        least = least_items(len(arrays.systems))
        if number < least:
            details["few_items"] = {
                "number": number,
                "systems": len(arrays.systems),
                "least": least,
            }
    return details


def _segments_notes(
    arrays: ScoreArrays,
    tests: PairTests,
    fits: Sequence[StratumFit],
    by_domain: bool,
) -> Details:
    """Return notes on systems that lack segments, and on pairs that share few or none."""
    details: Details = {}
    joined = np.all([fit.component[:, None] == fit.component for fit in fits], axis=0)
    nothing_shared = bool((joined == np.eye(len(joined), dtype=bool)).all())
    lacking = _lacking_systems(arrays)
    if lacking and not nothing_shared:
        details["systems_lack_segments"] = {"systems": shown_names(lacking)}
    reasons = np.array(tests.pair_reasons, object)
    reasons[~tests.assessable] = ""
    reasons[:, ~tests.assessable] = ""
    for kind in (*tests.units,):
        pairs = _pair_names(tests.systems, reasons == f"few_in_common_{kind}")
        if pairs:
            details.setdefault("pairs_share_few", {"unit": kind, "pairs": shown_names(pairs)})
    apart = _pair_names(tests.systems, ~joined)
    if nothing_shared:
        details["nothing_shared"] = {}
    elif apart:
        details["no_shared_segments"] = {"pairs": shown_names(apart)}
    if arrays.standardised and not arrays.has("annotator"):
        details["no_adjustment"] = {}
    plain = arrays.means(by_domain)
    against = np.subtract.outer(plain, plain) * np.subtract.outer(tests.mean, tests.mean) < 0
    if against.any():
        moved = [tests.systems[int(k)] for k in np.flatnonzero(against.any(axis=1))]
        details["order_differs"] = {"systems": shown_names(moved)}
    return details


def _pair_names(systems: Sequence[str], chosen: np.ndarray) -> list[str]:
    """Return the chosen pairs by name."""
    rows, columns = np.nonzero(np.triu(chosen, 1))
    return [f"{systems[int(i)]} and {systems[int(k)]}" for i, k in zip(rows, columns, strict=True)]


def _rare_losses(arrays: ScoreArrays, tests: PairTests, fits: Sequence[StratumFit]) -> Details:
    """Return notes on systems that fail rarely but badly, on whole documents or on items."""
    items = SEGMENT in tests.units
    if not items and DOCUMENT not in tests.units:
        return {}
    if items and len(np.unique(arrays.score)) <= 2:
        return {}
    unit = [fit.stratum.segment if items else fit.stratum.units[DOCUMENT] for fit in fits]
    systems = rare_losses(
        np.concatenate([fit.residual for fit in fits]),
        np.concatenate(unit),
        np.concatenate([fit.stratum.system for fit in fits]),
        np.concatenate([fit.stratum.weight for fit in fits]),
        len(tests.systems),
    )
    if not len(systems):
        return {}
    names = shown_names([tests.systems[k] for k in systems])
    return {"rare_item_losses" if items else "rare_failures": {"systems": names}}


def rare_losses(
    residual: np.ndarray, unit: np.ndarray, system: np.ndarray, weight: np.ndarray, n: int
) -> np.ndarray:
    """Return the systems (codes) whose residuals come from large losses on a few units.

    With r the mean residual of a system on each of its units, (sum r^2)^2 / sum r^4 is the number
    of units that make up the squared residuals. It is about a third of all units for normal
    scores.
    """
    shape = int(unit.max(initial=0)) + 1, n
    total = sums_by(unit, system, weight, shape)
    moved = sums_by(unit, system, weight * residual, shape)
    mean = np.divide(moved, total, out=np.zeros(shape), where=total > 0)
    number = (total > 0).sum(axis=0)
    fourth = (mean**4).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        making_up = (mean**2).sum(axis=0) ** 2 / fourth
        losses = (np.where(mean < 0, mean, 0.0) ** 4).sum(axis=0) / fourth
    few = making_up < np.minimum(RARE_UNITS, RARE_SHARE * number)
    return np.flatnonzero((number >= MIN_UNITS) & few & (losses > LOSSES))
