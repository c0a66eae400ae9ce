"""MQM judgments under another table of error weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError
from ..io.mqm_weights import DEFAULT, weigh_errors
from ..judgments import Judgments

RATING = ("system", "document", "segment", "annotator")


@check_arguments
def mqm_scores(judgments: Judgments, weights: str | pd.DataFrame = DEFAULT) -> Judgments:
    """Recompute MQM scores: minus the sum of the weights of the errors in each rating.

    Parameters
    ----------
    judgments : Judgments
        MQM judgments with their marked errors.
    weights : str or DataFrame
        ``freitag2021`` (major 5, minor 1, minor punctuation 0.1, non-translation 25), ``major1``,
        ``major10`` (the same with another weight for major errors), ``marot2023``, ``critical25``,
        ``with_source`` or ``zouhar2024``; or a table with the columns severity, category (empty:
        any) and weight. The first row that matches an error gives its weight.

    Returns
    -------
    Judgments
        The same ratings with new scores: 0 for an output without errors, otherwise below 0.

    Raises
    ------
    DataError
        ``wrong_kind`` unless these are MQM judgments; ``no_marked_errors`` if only scores are
        known; ``unknown_weights``; ``no_weight`` for an error that the table does not contain.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-mqm", "en-de")
    >>> rows = [("Major", "", 1.0), ("", "", 0.0)]
    >>> weights = pd.DataFrame(rows, columns=["severity", "category", "weight"])
    >>> float(rs.mqm_scores(judgments, weights).table["score"].min())
    -5.0
    """
    if judgments.kind != "mqm":
        raise DataError("wrong_kind", kind=judgments.kind)
    errors = judgments.errors
    if errors is None:
        raise DataError("no_marked_errors", file=judgments.source or None)
    weight = weigh_errors(errors, weights)
    table = judgments.table
    keys = [name for name in RATING if name in table and name in errors]
    rated = pd.MultiIndex.from_frame(table[keys].astype(str))
    marked = pd.MultiIndex.from_frame(errors[keys].astype(str))
    place = rated.get_indexer(marked)
    known = place >= 0
    penalty = np.bincount(place[known], weight[known], len(table))
    n_errors = np.bincount(place[known], weight[known] > 0, len(table)).astype(int)
    return replace(
        judgments,
        table=table.assign(score=0.0 - penalty, n_errors=n_errors),
        errors=errors.assign(weight=weight),
    )
