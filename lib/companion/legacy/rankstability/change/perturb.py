"""Perturbations: judgments in, judgments out.

Each returns new judgments; `DirectAssessment.excluded` counts what was removed or altered.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import (
    REFERENCE,
    DirectAssessment,
    human_or_reference,
    human_systems,
    is_human,
    of_systems,
    of_type,
    ranked_systems,
    with_notes,
)
from ..kinds import SCORES, check_kind, kind_of

Judgments = TypeVar("Judgments", DirectAssessment, pd.DataFrame)


def altered(
    da: DirectAssessment,
    alter: Callable[[pd.DataFrame], tuple[pd.DataFrame, dict[str, int]]],
) -> DirectAssessment:
    """The judgments with both frames altered; `alter` returns a frame and counts by reason."""
    latest, first = alter(da.latest)
    good, second = alter(da.good)
    notes = [("latest", *count) for count in first.items()]
    notes += [("good", *count) for count in second.items()]
    excluded = with_notes(da.excluded, notes)
    return replace(da, latest=latest, good=good, excluded=excluded)


def remove(
    judgments: Judgments,
    systems: str | Collection[str] = (),
    *,
    humans: bool = False,
    reference: bool = False,
) -> Judgments:
    """The judgments as if some systems, or the references, had never been judged.

    Parameters
    ----------
    judgments : DirectAssessment or DataFrame
        A frame holds relative rankings (the rest of each block stays), MQM or segment scores.
    systems : str or collection of str
        Ids; rows of any type with one of them are removed. Rows of joined ids ``A+B`` are not
        removed with ``A`` (Knowles 2021, section 5.2).
    humans : bool
        Whether human systems are removed, too (see `judgments.human_systems`).
    reference : bool
        Whether rows of type REF are removed, too (Knowles 2021, footnote 13; with `humans`:
        Table 2); in relative ranking, the reference ``_ref``.

    Raises
    ------
    DataError
        For an id that no row has.

    Examples
    --------
    >>> from companion.legacy.rankstability import load, remove
    >>> without = remove(load("demo-srdc", "de-en"), "Elm.104")
    >>> without = remove(load("demo-srdc", "de-en"), humans=True, reference=True)
    """
    kind_of(judgments)
    names = {systems} if isinstance(systems, str) else set(systems)
    if isinstance(judgments, pd.DataFrame):
        known = set(map(str, judgments["system"].unique()))
        _known(names, known, known, "the judgments")
        declared = judgments.attrs.get("humans")
        if humans:
            names |= set(
                filter(is_human, known) if declared is None else declared
            )
        if reference:
            names.add(REFERENCE)
        return judgments[~judgments["system"].isin(list(names)).to_numpy()]
    da: DirectAssessment = judgments
    known = set(da.latest["system"].cat.categories) | set(
        da.good["system"].cat.categories
    )
    _known(names, known, ranked_systems(da), da.pair)
    parts = [", ".join(sorted(names))] if names else []
    parts += ["human systems"] if humans else []
    parts += ["REF"] if reference else []
    every = names | set(human_systems(da) if humans else ())

    def kept(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
        drop = of_systems(frame, every)
        if reference:
            drop |= of_type(frame, "REF")
        return frame[~drop], {"removed: " + " and ".join(parts): drop.sum()}

    return altered(da, kept)


def _known(
    names: set[str], known: set[str], shown: Collection[str], where: str
) -> None:
    for unknown in sorted(names - known):
        raise DataError(
            f"no such system in {where}",
            value=unknown,
            expected="one of " + ", ".join(sorted(shown)),
        )


def degrade(da: DirectAssessment, divisor: float) -> DirectAssessment:
    """The judgments with the raw scores of human translations (human systems, REF rows) divided.

    The BAD_REF rows of a human system are divided, too (Knowles 2021, section 5.2, Figure 1; only
    this reproduces the published fractions). Scores are not rounded. Where no system is human and
    no row is a reference, nothing changes; ``judgments(frame, humans=[...])`` says which are human.

    Parameters
    ----------
    divisor : float
        Above 1, it makes the human translations look worse.

    Raises
    ------
    DataError
        If the divisor is not positive.

    Examples
    --------
    >>> from companion.legacy.rankstability import degrade, load
    >>> worse = degrade(load("demo-srdc", "de-en"), 1.5)
    """
    check_kind(da, SCORES)
    if not (np.isfinite(divisor) and divisor > 0):
        raise DataError(
            "not a divisor", value=divisor, expected="a positive number"
        )
    humans = human_systems(da)

    def divided(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
        rows = human_or_reference(frame, humans)
        score = frame["score"].to_numpy(dtype=float)
        score = np.where(rows, score / divisor, score)
        return frame.assign(score=score), {
            f"scores divided by {divisor:g}": rows.sum()
        }

    return altered(da, divided)
