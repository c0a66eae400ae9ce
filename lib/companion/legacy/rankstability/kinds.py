"""Which kind of judgments a function was given, so that each says what it takes."""

import pandas as pd

from .errors import DataError
from .judgments import DirectAssessment

SCORES = "judgments with scores"
SEGMENTS = "scores of segments"
COMPARISONS = "comparisons (RR, battles)"
ERRORS = "marked errors (MQM)"
COLUMNS = {
    "block": COMPARISONS,
    "severity": ERRORS,
    "raw": SEGMENTS,
}  # a column of each frame


def kind_of(judgments: object) -> str:
    """One of `SCORES`, `SEGMENTS`, `COMPARISONS`, `ERRORS`.

    Raises DataError for what is no judgments, such as a frame that `frames.judgments` has not read.
    """
    if isinstance(judgments, DirectAssessment):
        return SCORES
    if not isinstance(judgments, pd.DataFrame):
        raise DataError(
            "not judgments",
            value=type(judgments).__name__,
            expected="judgments from `load`, `judgments` or `battles`",
        )
    for column, kind in COLUMNS.items():
        if column in judgments and "system" in judgments:
            return kind
    raise DataError(
        "a frame that is no judgments yet",
        value=", ".join(map(str, judgments.columns))[:200],
        expected="judgments(frame, ...) or battles(frame, ...) first",
    )


def check_kind(judgments: object, *wanted: str) -> None:
    """Raises DataError unless the judgments are of one of these kinds."""
    kind = kind_of(judgments)
    if kind not in wanted:
        raise DataError(
            "judgments of another kind",
            value=kind,
            expected=" or ".join(wanted),
        )
