"""Systems of direct assessment: references, and how many can be ranked."""

import pandas as pd
import pytest

from assessments import toy
from companion.legacy.rankcompanion.models.systems import at_least_two, reference_systems
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import direct_assessment


def table(rows):
    return pd.DataFrame(rows, columns=["system", "segment", "type", "score"])


def test_references_are_found_in_either_frame():
    rows = [("A", "1", "SYSTEM", 1), ("Z", "1", "REF", 2), ("B", "1", "REPEAT", 3)]
    da = direct_assessment("xx-yy", table(rows), table([*rows, ("C", "1", "REF", 4)]))
    assert reference_systems(da) == ("C", "Z") and reference_systems(toy()) == ("B",)
    nameless = direct_assessment("xx-yy", table([(None, "1", "SYSTEM", 1), (None, "1", "REF", 1)]))
    assert reference_systems(nameless) == ()


def test_fewer_than_two_systems_and_humans_alone_are_refused():
    rows = [("human.1", "1", "SYSTEM", 1), ("human.2", "1", "SYSTEM", 2), ("C", "1", "REF", 3)]
    da = direct_assessment("xx-yy", table(rows))
    at_least_two(da)
    with pytest.raises(DataError, match=r"only human systems in xx-yy; found \('human.1', 'human"):
        at_least_two(da, machine=True)
    at_least_two(direct_assessment("xx-yy", table([*rows, ("A", "1", "SYSTEM", 3)])), machine=True)
    with pytest.raises(DataError, match=r"fewer than two systems in xx-yy; found \('human.1',\)"):
        at_least_two(direct_assessment("xx-yy", table(rows[:1] + rows[2:])))
