"""Perturbations of direct assessment: judgments in, judgments out.

Each gives back a new `DirectAssessment`; what was taken away or altered is counted in `excluded`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from ..errors import DataError
from ..read.da import DirectAssessment

HUMAN = re.compile(r"HUMAN|(?i:(?:^|[-_.])human(?:[-_.]|$))|^ref[-_]?[A-Z]$")
"""System ids of human translations: ``HUMAN.0``, ``Human_B``, ``newstest2019-human``, ``ref-A``."""
ZEROS = ("keep", "one")


def human_systems(da: DirectAssessment) -> tuple[str, ...]:
    """Ids in either file that name a human translation, joined ids with one included; sorted."""
    names = da.latest["system"].cat.categories.union(da.good["system"].cat.categories)
    return tuple(sorted(str(n) for n in names if HUMAN.search(str(n))))


def reference_systems(da: DirectAssessment) -> tuple[str, ...]:
    """Ids that stand on rows of type REF: ``REFERENCE``, or the ids of real systems; sorted."""
    found: set[str] = set()
    for frame in (da.latest, da.good):
        found.update(map(str, frame.loc[_of_type(frame, "REF"), "system"].dropna().unique()))
    return tuple(sorted(found))


def ranked_systems(da: DirectAssessment) -> tuple[str, ...]:
    """Systems with a judgment that counts (SYSTEM or REPEAT in the good file); sorted."""
    counted = _of_type(da.good, "SYSTEM") | _of_type(da.good, "REPEAT")
    codes = np.unique(da.good["system"].cat.codes.to_numpy()[counted])
    return tuple(str(n) for n in sorted(da.good["system"].cat.categories[codes[codes >= 0]]))


def of_systems(frame: pd.DataFrame, systems: Collection[str]) -> np.ndarray:
    """Which rows carry one of these system ids (exactly: a joined id is another id)."""
    values = frame["system"].cat
    wanted = np.append(values.categories.isin(list(systems)), False)  # the last: missing
    return wanted[values.codes.to_numpy()]


def at_least_two(da: DirectAssessment, machine: bool = False) -> None:
    """Refuse a pair without two ranked systems, and (`machine`) one with only human systems.

    Raises
    ------
    DataError
        Names the pair, and how to run the others.
    """
    ranked = ranked_systems(da)
    other = "two systems or more; run the other pairs with pair="
    if len(ranked) < 2:
        raise DataError(f"fewer than two systems in {da.pair}", value=ranked, expected=other)
    if machine and all(HUMAN.search(name) for name in ranked):
        wanted = "a system that is not human; run the other pairs with pair="
        raise DataError(f"only human systems in {da.pair}", value=ranked, expected=wanted)


def _of_type(frame: pd.DataFrame, kind: str) -> np.ndarray:
    values = frame["type"].cat
    wanted = np.append(values.categories == kind, False)
    return wanted[values.codes.to_numpy()]


def human_or_reference(frame: pd.DataFrame, humans: Collection[str]) -> np.ndarray:
    """Which rows are of type REF, or carry the id of one of these human systems."""
    return _of_type(frame, "REF") | of_systems(frame, humans)


def _noted(da: DirectAssessment, notes: list[tuple[str, str, int]]) -> pd.DataFrame:
    rows = pd.DataFrame(notes, columns=["file", "reason", "rows"])
    return pd.concat([da.excluded, rows], ignore_index=True) if len(da.excluded) else rows


def _without_rows(
    da: DirectAssessment, latest: np.ndarray, good: np.ndarray, reason: str
) -> DirectAssessment:
    """`da` without the rows where the masks are true."""
    notes = [("latest", reason, int(latest.sum())), ("good", reason, int(good.sum()))]
    return replace(da, latest=da.latest[~latest], good=da.good[~good], excluded=_noted(da, notes))


def remove_systems(da: DirectAssessment, systems: Collection[str]) -> DirectAssessment:
    """As if these systems had never been judged: every row with their id goes, of any type.

    Rows of joined ids ``A+B`` are not removed with ``A`` (Knowles 2021, section 5.2).

    Raises
    ------
    DataError
        For an id that stands on no row.
    """
    known = set(da.latest["system"].cat.categories) | set(da.good["system"].cat.categories)
    unknown = sorted(set(systems) - known)
    if unknown:
        raise DataError(
            f"no such system in {da.pair}",
            value=unknown[0],
            expected="one of " + ", ".join(ranked_systems(da)),
        )
    reason = "removed: " + ", ".join(sorted(systems))
    return _without_rows(da, of_systems(da.latest, systems), of_systems(da.good, systems), reason)


def remove_reference(da: DirectAssessment) -> DirectAssessment:
    """Without the rows of type REF (Knowles 2021, footnote 13)."""
    return _without_rows(da, _of_type(da.latest, "REF"), _of_type(da.good, "REF"), "removed: REF")


def remove_human_and_reference(da: DirectAssessment) -> DirectAssessment:
    """Without human systems and without rows of type REF (Knowles 2021, Table 2)."""
    humans = human_systems(da)
    return _without_rows(
        da,
        human_or_reference(da.latest, humans),
        human_or_reference(da.good, humans),
        "removed: human systems and REF",
    )


def divide_scores(da: DirectAssessment, divisor: float) -> DirectAssessment:
    """Degrade what humans wrote: divide the raw scores of human systems and REF rows.

    The BAD_REF rows of a human system are divided, too (Knowles 2021, section 5.2, Figure 1; only
    so do the published fractions come out). Scores are not rounded.

    Raises
    ------
    DataError
        For a divisor that is not a positive number.
    """
    if not (np.isfinite(divisor) and divisor > 0):
        raise DataError("not a divisor", value=divisor, expected="a positive number")
    humans = human_systems(da)
    frames, notes = [], []
    for name, frame in (("latest", da.latest), ("good", da.good)):
        rows = human_or_reference(frame, humans)
        score = frame["score"].to_numpy(dtype=float)
        frames.append(frame.assign(score=np.where(rows, score / divisor, score)))
        notes.append((name, f"scores divided by {divisor:g}", int(rows.sum())))
    return replace(da, latest=frames[0], good=frames[1], excluded=_noted(da, notes))


def inflate_systems(
    da: DirectAssessment, systems: Collection[str], factor: float, zeros: str = "one"
) -> DirectAssessment:
    """Raise the raw scores of systems: times `factor`, cut at 100 (Knowles 2021, footnote 15).

    Multiplying leaves a score of zero at zero, however large the factor; so the paper says that
    zeros need thought, and leaves it at that. Here they are counted in `excluded`, with the scores
    cut at 100, and

    Parameters
    ----------
    systems : collection of str
        Ids; all their rows but those of type REF and BAD_REF, which are not their output.
    factor : float
        At least 1.
    zeros : str
        ``one``: a zero counts as 1 before multiplying; ``keep``: it stays zero.

    Raises
    ------
    DataError
        For a factor below 1 or an unknown `zeros`.
    """
    if not (np.isfinite(factor) and factor >= 1):
        raise DataError("not a factor to inflate by", value=factor, expected="a number from 1")
    if zeros not in ZEROS:
        raise DataError("unknown way with zeros", value=zeros, expected=" or ".join(ZEROS))
    frames, notes = [], []
    for name, frame in (("latest", da.latest), ("good", da.good)):
        rows = of_systems(frame, systems) & ~_of_type(frame, "REF") & ~_of_type(frame, "BAD_REF")
        score = frame["score"].to_numpy(dtype=float).copy()
        zero = rows & (score == 0)
        if zeros == "one":
            score[zero] = 1.0
        score[rows] *= factor
        cut = rows & (score > 100)
        score[cut] = 100.0
        frames.append(frame.assign(score=score))
        notes += [
            (name, f"scores multiplied by {factor:g}", int(rows.sum())),
            (name, "of these zero, " + ("counted as 1" if zeros == "one" else "left"),
             int(zero.sum())),
            (name, "of these cut to 100", int(cut.sum())),
        ]  # fmt: skip
    return replace(da, latest=frames[0], good=frames[1], excluded=_noted(da, notes))
