"""Kinds of units and sums by unit, by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd

from companion.legacy.rankcompanion.models.units import loads, nested, unit_table, unit_totals
from companion.legacy.rankstability.score.scored import from_frame


def test_one_kind_of_unit_lies_within_another_where_each_of_it_meets_one():
    rng = np.random.default_rng(3)
    for _ in range(200):
        inner, outer = rng.integers(rng.integers(1, 7), size=9), rng.integers(3, size=9)
        if rng.random() < 0.5:
            outer = rng.integers(4, size=7)[inner]
        expected = all(len(set(outer[inner == one])) == 1 for one in set(inner))
        assert nested(inner, outer) == expected


def test_the_kinds_of_units_by_hand_with_what_contains_each():
    """Three judge two documents of two systems; each has one HIT of each document."""
    rows = [
        (system, f"{document}-{who}", who, f"hit-{who}-{document}", document, 1.0)
        for system in "AB"
        for document in ("d1", "d2")
        for who in ("x", "y", "z")
    ]
    columns = ["system", "segment", "worker", "hit", "document", "score"]
    judged = pd.DataFrame(rows, columns=columns)
    table = unit_table(from_frame(judged)).set_index("unit")
    assert table["units"].to_dict() == {
        "worker": 3, "hit": 6, "document": 2, "block": 12, "worker x document": 2,
    }  # fmt: skip
    assert table["inside"].to_dict() == {
        "worker": "", "hit": "worker + document", "document": "",
        "block": "worker + hit + document", "worker x document": "",
    }  # fmt: skip
    assert table["default"].to_dict() == dict.fromkeys(table.index, 0) | {"worker x document": 1}
    alone = unit_table(from_frame(judged[["system", "segment", "hit", "score"]]))
    assert alone.to_numpy().tolist() == [["hit", 6, "", 1]]


def test_totals_by_hand_are_of_units_in_use():
    system, unit = np.array([0, 1, 0, 1]), np.array([3, 3, 7, 3])
    score, weight = np.array([10.0, 20.0, 30.0, 40.0]), np.array([1.0, 0.5, 1.0, 0.25])
    sums, held = unit_totals(system, unit, score, weight, 2)
    assert sums.tolist() == [[10.0, 20.0], [30.0, 0.0]]
    assert held.tolist() == [[1.0, 0.75], [1.0, 0.0]]


def test_the_kinds_of_a_table_of_items_are_its_segments_alone():
    frame = pd.DataFrame({"system": list("ABA"), "segment": list("xxy"), "score": [1.0, 2, 3]})
    judged = replace(from_frame(frame), items=True)
    assert unit_table(judged).to_numpy().tolist() == [["segment", 2, "", 1]]
    assert unit_table(from_frame(frame)).empty


def test_each_unit_has_the_judgments_that_name_it():
    rows = [("A", "1", "u"), ("A", "1", "v"), ("A", "2", "u"), ("B", "2", "v"), ("B", "3", "u")]
    frame = pd.DataFrame(rows, columns=["system", "segment", "worker"])
    judged = from_frame(frame.assign(score=np.arange(5.0)))
    assert loads(judged, "worker").tolist() == [3, 2]
    assert loads(judged, "segment").tolist() == [2, 2, 1]
