"""Errors of MQM that are marked and weigh nothing."""

import pandas as pd

from companion.legacy.rankstability.score.mqm import weigh


def weightless(
    judgments: pd.DataFrame, weights: str | pd.DataFrame = "freitag2021"
) -> pd.Series:
    """How many marked errors have weight 0 though their severity is not neutral, by category.

    Raises DataError as `weigh` does.
    """
    severity = judgments["severity"].astype(str)
    outside = (weigh(judgments, weights) == 0) & ~severity.isin(
        ["Neutral", "No-error"]
    )
    return judgments["category"].astype(str)[outside].value_counts()
