"""Frames as tables of a page."""

import re

import pandas as pd
import pytest

from companion.legacy.paperkit import tables


@pytest.mark.parametrize(
    ("before", "low", "high", "digits"),
    [
        ({"variance": [2.76, 137.4], "unit": "worker"}, "luck_low", "luck_high", 1),
        ({"difficulty_z": [0.123, 1.2]}, "low_z", "high_z", 3),
        ({"pair": "cs-en", "documents": [10, 20]}, "low", "high", 2),  # of both ends together
        ({"mean_z": [0.51, 0.52], "rank": [1, 2]}, "rank_low", "rank_high", 2),
    ],
)
def test_two_ends_of_an_interval_have_equally_many_digits(before, low, high, digits):
    """Those of what they bound, also where words stand between; else what both ask for."""
    frame = pd.DataFrame({**before, low: [0.0051, 0.57], high: [13.388, 191.092]})
    cells = re.findall(r"<td.*?>(.*?)</td>", tables.html(frame))
    ends = [cell for k, cell in enumerate(cells) if k % len(frame.columns) >= len(before)]
    assert {len(cell.partition(".")[2]) for cell in ends} == {digits}, ends


def test_a_missing_number_of_any_kind_is_a_dash():
    frame = pd.DataFrame({"ties": pd.array([3, pd.NA], dtype="Int64"), "share": [0.5, None]})
    frame["first"] = ["A", pd.NA]
    cells = re.findall(r"<td.*?>(.*?)</td>", tables.html(frame))
    assert cells == ["3", "0.500", "A", tables.NONE, tables.NONE, tables.NONE]


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(9999, 0, "9999"), (13208, 0, "13,208"), (-25645.25, 1, "−25,645.2"), (2024, 0, "2024")],
)
def test_thousands_are_parted_from_ten_thousand_on(value, digits, shown):
    assert tables.number(value, digits) == shown
