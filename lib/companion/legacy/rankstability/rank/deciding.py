"""How few judgments, annotators and documents decide a ranking that `rank_systems` made."""

from dataclasses import replace

import numpy as np
import pandas as pd

from ..errors import DataError
from .battles import Battles
from .bradley_terry import largest_group
from .fewest import COLUMNS, removals_of_battles
from .fewest import fewest as fewest_scores
from .ranking import Ranking
from .recipes import RECIPES
from .standing import comparisons_by_unit


def fewest(ranking: Ranking) -> pd.DataFrame:
    """The fewest judgments, annotators and documents that decide the first place and each line.

    Parameters
    ----------
    ranking : Ranking
        From `rank_systems`, of judgments.

    Returns
    -------
    DataFrame
        Columns what (``first``, or ``line below k``), unit (``judgment``, ``annotator``,
        ``document``: those that the judgments name), fewest (NaN if none was found), of (how many
        there are), exact (1; 0 for an upper bound), new_first (who is first without them; empty for
        lines).

    Raises
    ------
    DataError
        For a ranking of anything but judgments, or battles in which no two systems have a strength.

    Examples
    --------
    >>> from companion.legacy.rankstability import fewest, load, rank_systems
    >>> table = fewest(rank_systems(load("demo-srdc", "de-en")))
    >>> print(table[["what", "unit", "fewest", "of"]].head(1).to_string(index=False))
     what     unit  fewest   of
    first judgment    38.0 3680
    """
    if not isinstance(ranking, Ranking) or ranking.source is None:
        expected = "a ranking from rank_systems(judgments)"
        raise DataError(
            "a ranking whose judgments are not known", expected=expected
        )
    if ranking.recipe in RECIPES:
        return fewest_scores(
            ranking.source, RECIPES[ranking.recipe], ranking.alpha
        )
    return fewest_comparisons(
        comparisons_by_unit(ranking.source), ranking.alpha
    )


def fewest_comparisons(compared: Battles, alpha: float) -> pd.DataFrame:
    """`fewest` of battles and relative rankings; judges that are not all named count as one.

    Asked of the systems that wins and ties to and fro join: whoever never lost, or never won, has
    no place that a removal could change.
    """
    data = compared.grouped
    joined = largest_group(data.counts)
    if joined.any():
        data = data.without(*np.array(data.systems, dtype=object)[~joined])
    if compared.unnamed:
        data = replace(data, judges=data.judges * 0)
    data = data.by("judge")
    rows = [
        row
        for row in removals_of_battles(data, compared.method, alpha)
        if row.unit == "judgment" or len(data.judges) > 1
    ]
    return pd.DataFrame(rows)[COLUMNS]
