"""Weights of MQM errors: from marked errors to penalties."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import DataError

_SOURCE = ("", "Source issue", 0.0)
_NON_TRANSLATION = ("Major", "Non-translation", 25.0)
_FREITAG = (
    _SOURCE,
    ("No-error", "", 0.0),
    ("Neutral", "", 0.0),
    _NON_TRANSLATION,
    ("Major", "", 5.0),
    ("Minor", "Fluency/Punctuation", 0.1),
    ("Minor", "", 1.0),
)
_LIGHT = ("Punctuation", "Character encoding", "Register", "Spelling", "Grammar")
WEIGHTS: dict[str, tuple[tuple[str, str, float], ...]] = {
    "freitag2021": _FREITAG,
    "marot2023": (("", "Accuracy/Creative Reinterpretation", 0.0), *_FREITAG),
    "major1": (_SOURCE, _NON_TRANSLATION, ("Major", "", 1.0), *_FREITAG),
    "major10": (_SOURCE, _NON_TRANSLATION, ("Major", "", 10.0), *_FREITAG),
    "critical25": (*_FREITAG, ("Critical", "", 25.0)),
    "with_source": tuple(row for row in _FREITAG if row != _SOURCE),
    "zouhar2024": (
        ("No-error", "", 0.0),
        ("Neutral", "", 0.0),
        *(("Minor", f"Linguistic conventions/{kind}", 0.1) for kind in _LIGHT),
        ("Minor", "Style/Non fluent", 0.1),
        ("Minor", "", 1.0),
        ("", "Accuracy/Untranslated", 25.0),
        ("", "", 5.0),  # Major and Critical
    ),
}
"""Weight tables by name: severity (empty: any), category (empty: any), weight.

The first row that fits counts. ``freitag2021`` is the table of Freitag et al. (2021), also used by
Riley et al. (2024). ``marot2023`` gives 0 to creative reinterpretation, as the scores in the 2023
release do. ``major1`` and ``major10`` are the ends of the range that Freitag et al. tried.
``critical25`` knows the severity Critical of some later releases. ``with_source`` counts errors of
the source. ``zouhar2024`` has the categories and weights of the biomedical release.
"""
DEFAULT = "freitag2021"
RATING = ["system", "document", "segment", "annotator"]


def weigh_errors(errors: pd.DataFrame, weights: str | pd.DataFrame = DEFAULT) -> np.ndarray:
    """Return the weight of each marked error; a higher weight is a worse error.

    Parameters
    ----------
    errors : DataFrame
        Columns severity and category.
    weights : str or DataFrame
        A name of `WEIGHTS`, or a table with the columns severity, category (empty: any) and weight,
        of which the first row that fits counts.

    Raises
    ------
    DataError
        For an unknown table, or a severity and category without a weight in it.
    """
    if isinstance(weights, str):
        if weights not in WEIGHTS:
            raise DataError("unknown_weights", value=weights, known=WEIGHTS)
        weights = pd.DataFrame(WEIGHTS[weights], columns=["severity", "category", "weight"])
    kinds = pd.MultiIndex.from_frame(errors[["severity", "category"]].astype(str))
    codes, known = pd.factorize(kinds)
    weight_of_kind = np.zeros(len(known))
    for code, (severity, category) in enumerate(known):
        fits = weights["severity"].isin(["", severity])
        fits &= weights["category"].isin(["", category])
        if not fits.any():
            raise DataError(
                "no_weight",
                column="severity",
                value=f"{severity}, {category}",
                rows=int((codes == code).sum()),
                expected="a table of weights that has it, such as critical25",
            )
        weight_of_kind[code] = weights.loc[fits, "weight"].iloc[0]
    weight: np.ndarray = weight_of_kind[codes]
    return weight


def sum_penalties(errors: pd.DataFrame, weights: str | pd.DataFrame = DEFAULT) -> pd.DataFrame:
    """Sum the weights of the errors in each rating of a segment.

    `errors` has the columns system, document, segment, annotator, severity and category. The result
    has the columns system, document, segment, annotator, penalty (0 is perfect) and n_errors (those
    with a weight above 0), in the order of the first four.
    """
    weight = weigh_errors(errors, weights)
    as_text = {name: str for name in ("system", "document", "annotator")}
    rows = errors[RATING].astype(as_text)
    rows = rows.assign(penalty=weight, n_errors=(weight > 0).astype(int))
    return rows.groupby(RATING, as_index=False, sort=True)[["penalty", "n_errors"]].sum()
