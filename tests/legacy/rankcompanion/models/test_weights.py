"""Errors that weigh nothing, by category."""

import pandas as pd

from companion.legacy.rankcompanion.models.weights import weightless


def test_errors_of_weight_nought_are_counted_unless_they_are_neutral():
    """In TED zh-en, errors of the source move all 13 systems where they count."""
    kinds = [("Source issue", "Major"), ("Source issue", "Minor"), ("Source issue", "Neutral"),
             ("Other", "Neutral"), ("Other", "Minor"), ("No-error", "No-error"),
             ("Accuracy/Creative Reinterpretation", "Minor")]  # fmt: skip
    errors = pd.DataFrame(kinds, columns=["category", "severity"])
    assert weightless(errors).to_dict() == {"Source issue": 2}
    assert len(weightless(errors, "marot2023")) == 2
    assert weightless(errors, "with_source").empty
