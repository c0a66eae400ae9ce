"""Published numbers beside ours: statuses, and the join on key columns."""

import pandas as pd
import pytest

from companion.legacy.paperkit import claims


@pytest.mark.parametrize(
    ("printed", "ours", "expected"),
    [
        ("0.39", 0.3873, "exact"),
        ("0.39", 0.395, "exact"),  # halves may go either way
        ("0.39", 0.3951, "rounds"),
        ("0.39", 0.41, "differs"),
        ("65.6", "65.6", "exact"),
        ("1/13", "1/13", "exact"),
        ("1/13", "1/12", "differs"),
        ("2,035", 2035, "exact"),
        ("98.8%", 98.81, "exact"),
        ("7", None, "no data"),
        ("7", float("nan"), "no data"),
        (".387", 0.38739, "exact"),
    ],
)
def test_status_compares_at_the_printed_precision(printed, ours, expected):
    assert claims.status(printed, ours) == expected
    # chance widens what is rounded only
    assert claims.status("13.2", 13.9, tolerance=1.0) == "rounds"
    assert claims.status("13.2", 14.9, tolerance=1.0) == "differs"


PRINTED = pd.DataFrame(
    [
        ("p", "Table 1", "a in 1999", "1.0", "1999", "a"),
        ("p", "Table 1", "b in 1999", "2.0", "1999", "b"),
        ("p", "Table 1", "c in 1999", "3", "1999", "c"),
    ],
    columns=["paper", "place", "cell", "published", "year", "system"],
)


def test_our_values_are_joined_on_the_key_columns():
    ours = pd.DataFrame(
        {"year": [1999, 1999, 1998], "system": ["b", "a", "c"], "ours": [2.0, 1.4, 3.0]}
    )
    made = claims.compare(
        PRINTED, ours, ["year", "system"], provenance="official", no_data="absent"
    )
    assert list(made.columns) == claims.COLUMNS
    assert made["cell"].tolist() == PRINTED["cell"].tolist()
    assert made["ours"].tolist() == ["1.4", "2", ""]
    assert made["status"].tolist() == ["differs", "exact", "no data"]
    assert made["reason"].tolist() == ["", "", "absent"]


def test_a_row_may_have_its_own_reason_tolerance_and_provenance():
    ours = pd.DataFrame(
        {
            "system": ["a", "b", "c"],
            "ours": ["1.0", "2.9", None],
            "reason": ["as printed", "why", "3 pairs are absent"],
            "tolerance": [None, 1.0, None],
            "provenance": [None, "simulated", None],
        }
    )
    made = claims.compare(PRINTED, ours, ["system"], provenance="official")
    assert made["status"].tolist() == ["exact", "rounds", "no data"]
    assert made["reason"].tolist() == ["as printed", "why", "3 pairs are absent"]
    assert made["provenance"].tolist() == ["official", "simulated", "official"]


def test_two_values_for_one_key_and_an_unknown_provenance_are_refused():
    ours = pd.DataFrame({"system": ["a", "a"], "ours": [1.0, 2.0]})
    with pytest.raises(ValueError, match="two values"):
        claims.compare(PRINTED, ours, ["system"], provenance="official")
    with pytest.raises(ValueError, match="unknown provenance"):
        claims.compare(PRINTED, ours.iloc[:1], ["system"], provenance="hearsay")


def test_a_place_the_paper_does_not_have_is_refused():
    with pytest.raises(ValueError, match="no such place"):
        claims.published("knowles2021", "Table 99")
