"""Judgments in, judgments out: remove or keep a part, or make human translations worse."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from .errors import DataError
from .judgments import SCORE_KINDS, Judgments, check_names

PARTS = {  # argument: column, and the code of an unknown name
    "annotators": ("annotator", "unknown_annotator"),
    "documents": ("document", "unknown_document"),
    "domains": ("domain", "unknown_domain"),
    "criteria": ("criterion", "unknown_criterion"),
}


def remove(
    judgments: Judgments,
    systems: Iterable[str] = (),
    *,
    annotators: Iterable[str] = (),
    documents: Iterable[str] = (),
    domains: Iterable[str] = (),
    criteria: Iterable[str] = (),
    humans: bool = False,
) -> Judgments:
    """Return the judgments as if these systems, annotators or documents had never taken part.

    Rows of any item type with a removed system's id go, also from the rows by which annotators are
    standardised. Rows of joined ids ``A+B`` stay when ``A`` goes (Knowles 2021, section 5.2). Of
    votes, those that involve a removed system go; of ranking blocks, the rest stays.

    Parameters
    ----------
    judgments : Judgments
        Judgments of any kind.
    systems, annotators, documents, domains, criteria : iterables of str
        What is removed.
    humans : bool
        Whether human translations and reference rows are removed, too (Knowles 2021, Table 2).
        Nothing is removed if there are none.

    Raises
    ------
    DataError
        ``unknown_system``, ``unknown_annotator``, ... for a name that does not occur.

    Examples
    --------
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-srdc", "de-en")
    >>> "Elm.104" in rs.remove(judgments, systems=["Elm.104"]).systems
    False
    """
    asked = {"annotators": annotators, "documents": documents, "domains": domains}
    drop = _checked(judgments, systems, asked | {"criteria": criteria})
    if humans:
        drop["system"] = drop.get("system", set()) | set(judgments.humans)

    def kept(table: pd.DataFrame) -> np.ndarray:
        rows = np.ones(len(table), bool)
        for column, names in drop.items():
            rows &= ~_has(table, column, names)
        if humans and "item_type" in table:
            rows &= (table["item_type"] != "REF").to_numpy()
        return rows

    return _select(judgments, kept)


def keep(
    judgments: Judgments,
    systems: Iterable[str] | None = None,
    *,
    annotators: Iterable[str] | None = None,
    documents: Iterable[str] | None = None,
    domains: Iterable[str] | None = None,
    criteria: Iterable[str] | None = None,
) -> Judgments:
    """Return only the judgments of these systems, annotators or documents; None keeps all.

    Parameters
    ----------
    judgments : Judgments
        Judgments of any kind.
    systems, annotators, documents, domains, criteria : iterables of str, optional
        What is kept.

    Raises
    ------
    DataError
        ``unknown_system``, ``unknown_annotator``, ... for a name that does not occur.

    Examples
    --------
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-srdc", "de-en")
    >>> rs.keep(judgments, systems=["Elm.104", "Fir.105"]).systems
    ['Elm.104', 'Fir.105']
    """
    asked = {"annotators": annotators, "documents": documents, "domains": domains}
    asked["criteria"] = criteria
    given = {name: list(names) for name, names in asked.items() if names is not None}
    wanted = list(systems) if systems is not None else None
    chosen = _checked(judgments, wanted or (), given)
    if wanted is not None:
        chosen["system"] = set(wanted)

    def kept(table: pd.DataFrame) -> np.ndarray:
        rows = np.ones(len(table), bool)
        for column, names in chosen.items():
            rows &= _has(table, column, names, every=True)
        return rows

    return _select(judgments, kept)


def degrade(judgments: Judgments, divisor: float) -> Judgments:
    """Divide the raw scores of human translations and references by a number.

    The rows of human systems, their damaged references, and all reference rows are divided, in the
    rows by which annotators are standardised, too (Knowles 2021, section 5.2). Scores are not
    rounded. Nothing changes if there are neither human translations nor references.

    Parameters
    ----------
    judgments : Judgments
        Judgments with scores.
    divisor : float
        Above 1, it makes human translations look worse.

    Raises
    ------
    DataError
        ``bad_divisor`` unless it is a positive number; ``wrong_kind`` for comparisons.

    Examples
    --------
    >>> import rankstability as rs
    >>> worse = rs.degrade(rs.load("demo-srdc", "de-en"), 2)
    """
    if judgments.kind not in SCORE_KINDS:
        raise DataError("wrong_kind", kind=judgments.kind)
    if not (np.isfinite(divisor) and divisor > 0):
        raise DataError("bad_divisor", value=divisor)

    def divided(table: pd.DataFrame) -> pd.DataFrame:
        rows = _has(table, "system", set(judgments.humans))
        if "item_type" in table:
            rows |= (table["item_type"] == "REF").to_numpy()
        score = table["score"].to_numpy(float)
        return table.assign(score=np.where(rows, score / divisor, score))

    everything = judgments.all_rows
    return replace(
        judgments,
        table=divided(judgments.table),
        all_rows=None if everything is None else divided(everything),
    )


def _checked(
    judgments: Judgments, systems: Iterable[str], asked: Mapping[str, Iterable[str]]
) -> dict[str, set[str]]:
    """Return the names to look for by column; DataError for one that does not occur."""
    found: dict[str, set[str]] = {}
    names = _as_set(systems)
    if names:
        known = set(judgments.systems)
        for frame in (judgments.table, judgments.all_rows):
            if frame is not None and "system" in frame:
                known |= set(frame["system"].astype(str).unique())
        check_names(names, known, "unknown_system")
        found["system"] = names
    for argument, given in asked.items():
        column, code = PARTS[argument]
        names = _as_set(given)
        if names:
            table = judgments.table
            known = set(table[column].dropna().astype(str)) if column in table else set()
            check_names(names, known, code)
            found[column] = names
    return found


def _as_set(names: Iterable[str]) -> set[str]:
    """Return names as a set; one text counts as one name."""
    return {names} if isinstance(names, str) else {str(name) for name in names}


def _has(
    table: pd.DataFrame, column: str, names: Collection[str], every: bool = False
) -> np.ndarray:
    """Return a mask of the rows with one of the names; of votes, on any side (or on `every`)."""
    if column == "system" and "left" in table:
        left = table["left"].astype(str).isin(names).to_numpy()
        right = table["right"].astype(str).isin(names).to_numpy()
        both: np.ndarray = left & right if every else left | right
        return both
    if column not in table:
        return np.full(len(table), every)
    rows: np.ndarray = np.array(table[column].astype(str).isin(names), dtype=bool)
    return rows


def _select(judgments: Judgments, kept: Callable[[pd.DataFrame], np.ndarray]) -> Judgments:
    """Return the judgments with the rows of each of their frames that `kept` selects."""
    frames = {"table": judgments.table, "all_rows": judgments.all_rows, "errors": judgments.errors}
    changed = {name: frame[kept(frame)] for name, frame in frames.items() if frame is not None}
    if changed["table"].empty:
        raise DataError("no_judgments")
    return replace(judgments, **changed)
