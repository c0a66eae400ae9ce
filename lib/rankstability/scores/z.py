"""Standardise scores by annotator."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError
from ..judgments import SCORE_KINDS, Judgments, check_judgments

NO_SPREAD = 1e-9  # a smaller standard deviation is a rounding error: one score throughout


@check_arguments
def z_scores(judgments: Judgments) -> pd.Series:
    """Compute the z-score of each judgment within its annotator.

    A z-score is the score minus the mean of the annotator's scores, divided by their standard
    deviation (ddof 1). Mean and standard deviation include all item types (Knowles 2021, equation 1
    and footnote 5), but no judgments with a mark, such as duplicates. Released segment scores
    already contain their z-scores.

    Parameters
    ----------
    judgments : Judgments
        Judgments with scores that name annotators.

    Returns
    -------
    Series
        One value per row of ``judgments.table``, named ``z``; higher is better. The value is NaN if
        the annotator is unknown, always gave the same score (unless ``constant_annotators`` is
        ``zero``) or judged a single output.

    Raises
    ------
    DataError
        ``wrong_kind`` for comparisons, ``no_annotators`` if no annotator is named.

    Examples
    --------
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-srdc", "de-en")
    >>> float(rs.z_scores(judgments).groupby(judgments.table["annotator"], observed=True).std().median()) > 0.5
    True
    """
    check_judgments(judgments, SCORE_KINDS)
    table = judgments.table
    if "z" in table:
        return table["z"].astype(float)
    if "annotator" not in table:
        raise DataError("no_annotators", file=judgments.source or None)
    sign = -1.0 if judgments.lower_is_better else 1.0
    score = sign * table["score"].to_numpy(float)
    mean, sd = annotator_moments(judgments)
    codes, names = _codes(table["annotator"])
    place = mean.index.get_indexer(names)
    code = np.append(place, -1)[codes]
    mean_of = np.append(mean.to_numpy(), np.nan)[code]
    sd_of = np.append(sd.to_numpy(), np.nan)[code]
    varies = sd_of > NO_SPREAD
    z = (score - mean_of) / np.where(varies, sd_of, np.nan)
    if judgments.constant_annotators == "zero":
        z[~varies & np.isfinite(mean_of)] = 0.0
    return pd.Series(z, index=table.index, name="z")


def annotator_moments(judgments: Judgments) -> tuple[pd.Series, pd.Series]:
    """Return the mean and the standard deviation (ddof 1) of each annotator's oriented scores."""
    rows = judgments.table if judgments.all_rows is None else judgments.all_rows
    if "mark" in rows:
        rows = rows[rows["mark"].isna()]
    sign = -1.0 if judgments.lower_is_better else 1.0
    codes, names = _codes(rows["annotator"])
    named = codes >= 0
    codes = codes[named]
    score = sign * rows["score"].to_numpy(float)[named]
    count = np.bincount(codes, minlength=len(names))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(codes, score, len(names)) / count
        squares = np.bincount(codes, (score - mean[codes]) ** 2, len(names))
        sd = np.sqrt(squares / np.where(count > 1, count - 1, np.nan))
    there = count > 0
    index = names[there]
    return pd.Series(mean[there], index=index), pd.Series(sd[there], index=index)


def _codes(column: pd.Series) -> tuple[np.ndarray, pd.Index]:
    """Return codes, -1 where missing, and the names behind them, some of which may not occur."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy(), column.cat.categories
    codes, names = pd.factorize(column.astype(object))
    return codes, pd.Index(names)
