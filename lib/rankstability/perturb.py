"""Judgments in, judgments out: remove or keep a part, or make human translations worse."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from .arguments import check_arguments
from .errors import DataError
from .judgments import (
    COUNTED_TYPES,
    REFERENCE,
    SCORE_KINDS,
    Judgments,
    check_judgments,
    check_names,
    names_in,
)

MIN_DOCUMENT_SHARE = 0.5  # of the documents, that a system must have been rated on
RATING = ["system", "document", "segment", "annotator"]
PARTS = {  # argument: column, and the code of an unknown name
    "annotators": ("annotator", "unknown_annotator"),
    "documents": ("document", "unknown_document"),
    "domains": ("domain", "unknown_domain"),
    "criteria": ("criterion", "unknown_criterion"),
}


@check_arguments
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

    All rows with the id of a removed system are removed, whatever their item type. The rows are
    also removed from those with which annotators are standardised. Rows with joined ids ``A+B``
    stay if only ``A`` is removed (Knowles 2021, section 5.2). Votes that involve a removed system
    are removed. Ranking blocks lose only the outputs of removed systems.

    Parameters
    ----------
    judgments : Judgments
        Judgments of any kind.
    systems, annotators, documents, domains, criteria : iterables of str
        The names to be removed.
    humans : bool
        Whether human translations and references are also removed (Knowles 2021, Table 2). This
        includes rows of type REF and the reference of relative rankings.

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
        drop["system"] = drop.get("system", set()) | {*judgments.humans, REFERENCE}

    def kept(table: pd.DataFrame) -> np.ndarray:
        rows = np.ones(len(table), bool)
        for column, names in drop.items():
            rows &= ~_has(table, column, names)
        if humans and "item_type" in table:
            rows &= (table["item_type"] != "REF").to_numpy()
        return rows

    return _select(judgments, kept)


@check_arguments
def keep(
    judgments: Judgments,
    systems: Iterable[str] | None = None,
    *,
    annotators: Iterable[str] | None = None,
    documents: Iterable[str] | None = None,
    domains: Iterable[str] | None = None,
    criteria: Iterable[str] | None = None,
    complete_items: bool = False,
) -> Judgments:
    """Return only judgments of these systems and documents by these annotators; None keeps all.

    If `systems` is given, all other ranked systems are removed. References, controls and the damaged
    references of the kept systems stay.

    Complete items are those from which whole studies can be simulated (Riley et al. 2024, section
    4.2). First, systems that were rated on fewer than half of the documents are left out. Then a
    document is kept if each of its annotators rated every segment of every system, and if the
    document has the same number of annotators as most such documents.

    Parameters
    ----------
    judgments : Judgments
        Judgments of any kind.
    systems, annotators, documents, domains, criteria : iterables of str, optional
        The names to be kept.
    complete_items : bool
        Whether only complete items are kept. The table then has a column ``bucket`` (documents
        rated by the same annotators, from 1), unless the data name their buckets. The rows that
        were left out are counted in ``excluded``.

    Raises
    ------
    DataError
        ``unknown_system``, ``unknown_annotator``, ... for a name that does not occur. For complete
        items also ``wrong_kind``, ``no_annotators_or_documents``, ``one_rating_per_item`` if most
        documents have a single annotator, or ``no_complete_document``.

    Examples
    --------
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-srdc", "de-en")
    >>> rs.keep(judgments, systems=["Elm.104", "Fir.105"]).systems
    ['Elm.104', 'Fir.105']
    >>> complete = rs.keep(rs.load("demo-mqm", "en-de"), complete_items=True)
    >>> complete.table.groupby("bucket")["document"].nunique().tolist()
    [5, 5, 5, 5, 5, 5]
    """
    check_judgments(judgments, SCORE_KINDS if complete_items else ())
    asked = {"annotators": annotators, "documents": documents, "domains": domains}
    asked["criteria"] = criteria
    given = {name: _as_set(names) for name, names in asked.items() if names is not None}
    wanted = None if systems is None else _as_set(systems)
    chosen = _checked(judgments, wanted or (), given)
    chosen.pop("system", None)
    for argument, names in given.items():  # no name at all keeps nothing
        chosen[PARTS[argument][0]] = names
    others = set() if wanted is None else set(judgments.systems) - wanted

    def kept(table: pd.DataFrame) -> np.ndarray:
        rows = ~_has(table, "system", others)
        for column, names in chosen.items():
            if column in table:
                rows &= _has(table, column, names)
        return rows

    chosen_rows = _select(judgments, kept)
    return _complete_items(chosen_rows) if complete_items else chosen_rows


@check_arguments
def degrade(judgments: Judgments, divisor: float) -> Judgments:
    """Divide the raw scores of human translations and references by a constant.

    The rows of human systems, their damaged references, and all reference rows are divided,
    including the rows used to standardise annotators (Knowles 2021, section 5.2). Scores are not
    rounded. Nothing changes if there are neither human translations nor references; for ratings
    other than direct assessment, this is an error. Scores are refused if they are below 0 or if
    lower scores are better, because dividing would improve such scores.

    Parameters
    ----------
    judgments : Judgments
        Judgments with scores.
    divisor : float
        The constant. A value above 1 makes human translations look worse.

    Raises
    ------
    DataError
        ``bad_divisor`` unless the divisor is a positive number; ``wrong_kind`` for comparisons;
        ``no_humans`` for ratings without human translations; ``dividing_improves`` for MQM and
        error rates; ``released_z_scores`` for segment scores that were released with their
        z-scores.

    Examples
    --------
    >>> import rankstability as rs
    >>> worse = rs.degrade(rs.load("demo-srdc", "de-en"), 2)
    """
    check_judgments(judgments, SCORE_KINDS)
    if not 0 < divisor < math.inf:
        raise DataError("bad_divisor", value=divisor)
    if "z" in judgments.table:
        raise DataError("released_z_scores")
    if judgments.kind == "ratings" and not judgments.humans:
        raise DataError("no_humans")
    lowest = judgments.scale[0] if judgments.scale else 0.0
    if judgments.kind == "mqm" or judgments.lower_is_better or lowest < 0:
        raise DataError("dividing_improves")

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
                known |= names_in(frame["system"])
        check_names(names, known, "unknown_system")
        found["system"] = names
    for argument, given in asked.items():
        column, code = PARTS[argument]
        names = _as_set(given)
        if names:
            table = judgments.table
            known = names_in(table[column]) if column in table else set()
            check_names(names, known, code)
            found[column] = names
    return found


def _as_set(names: Iterable[str]) -> set[str]:
    """Return names as a set; one text counts as one name."""
    return {names} if isinstance(names, str) else {str(name) for name in names}


def _has(table: pd.DataFrame, column: str, names: Collection[str]) -> np.ndarray:
    """Return a mask of the rows with one of the names; of votes, on either side."""
    if column == "system" and "left" in table:
        either: np.ndarray = _is_in(table["left"], names) | _is_in(table["right"], names)
        return either
    if column not in table:
        return np.zeros(len(table), bool)
    return _is_in(table[column], names)


def _is_in(column: pd.Series, names: Collection[str]) -> np.ndarray:
    """Return a mask of the values that are among the names, compared as texts."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        found = np.array([str(name) in names for name in column.cat.categories] + [False], bool)
        rows: np.ndarray = found[column.cat.codes.to_numpy()]
        return rows
    return np.array(column.astype(str).isin(names), dtype=bool)


def _select(judgments: Judgments, kept: Callable[[pd.DataFrame], np.ndarray]) -> Judgments:
    """Return the judgments with the rows of each of their frames that `kept` selects."""
    frames = {"table": judgments.table, "all_rows": judgments.all_rows, "errors": judgments.errors}
    changed = {name: frame[kept(frame)] for name, frame in frames.items() if frame is not None}
    if changed["table"].empty:
        raise DataError("no_judgments")
    return replace(judgments, **changed)


def _complete_items(judgments: Judgments) -> Judgments:
    """Return the judgments of complete systems and documents, with their buckets; see `keep`."""
    table = _ratings_of(judgments)
    n_documents = table.groupby("system", observed=True)["document"].nunique()
    enough = n_documents >= MIN_DOCUMENT_SHARE * table["document"].nunique()
    excluded = [
        ("system_on_few_documents", int((table["system"] == system).sum()), str(system))
        for system in n_documents.index[~enough]
    ]
    table = table[table["system"].isin(n_documents.index[enough])]
    by_document = table.groupby("document", observed=True)
    n_annotators = by_document["annotator"].nunique()
    n_ratings = by_document["segment"].nunique() * n_annotators * int(enough.sum())
    whole = by_document.size() == n_ratings
    usual = n_annotators.mode().iloc[0]
    if usual < 2:
        raise DataError("one_rating_per_item")
    for code, documents in (
        ("incomplete_document", whole.index[~whole]),
        ("other_number_of_annotators", whole.index[whole & (n_annotators != usual)]),
    ):
        rows = table["document"].isin(documents)
        if rows.any():
            excluded.append((code, int(rows.sum()), f"{len(documents)} documents"))
    table = table[table["document"].isin(whole.index[whole & (n_annotators == usual)])]
    if table.empty:
        raise DataError("no_complete_document", value=f"{len(whole)} documents")
    if "bucket" not in table:
        table = table.assign(bucket=_number_buckets(table))
    rows = pd.DataFrame(
        [(Path(judgments.source).name, *row) for row in excluded],
        columns=judgments.excluded.columns,
    )
    every = [frame for frame in (judgments.excluded, rows) if len(frame)]
    record = pd.concat(every, ignore_index=True) if every else rows
    return judgments.with_table(table, excluded=record)


def _ratings_of(judgments: Judgments) -> pd.DataFrame:
    """Return the ratings of ranked outputs, one for each annotator and segment of a system."""
    table = judgments.table
    missing = [name for name in RATING if name not in table]
    if missing:
        raise DataError("no_annotators_or_documents", column=missing[0])
    if "item_type" in table:
        table = table[table["item_type"].isin(COUNTED_TYPES)]
    table = table[table[[*RATING, "score"]].notna().all(axis=1)]
    if table.empty:
        raise DataError("no_judgments")
    if table.duplicated(RATING).any():
        table = table.drop_duplicates(RATING)
    return table


def _number_buckets(table: pd.DataFrame) -> pd.Series:
    """Return the bucket of each row, from 1: documents that have the same annotators."""
    both = table[["document", "annotator"]].drop_duplicates().astype(str)
    both = both.sort_values(["document", "annotator"])
    annotators = both.groupby("document")["annotator"].agg("|".join)
    codes, _ = pd.factorize(annotators, sort=True)
    number = pd.Series(codes + 1, index=annotators.index)
    return table["document"].astype(str).map(number)
