"""Judgments of any protocol as arrays."""

import pandas as pd

from rankstability.score.scored import from_frame


def test_a_block_is_of_one_worker_document_and_system_and_unknown_where_one_is_missing():
    rows = [
        ("A", "1", "w1", "d1"), ("A", "2", "w1", "d1"), ("B", "1", "w1", "d1"),
        ("A", "3", "w2", "d1"), ("A", "4", "w1", "d2"),
        ("A", "5", None, "d1"), ("A", "6", "w1", None), ("B", "7", None, None),
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["system", "segment", "worker", "document"])
    block = from_frame(frame.assign(score=1.0)).units["block"]
    assert (block[5:] == -1).all() and (block[:5] >= 0).all()
    assert block[:5].tolist() == [0, 0, 1, 3, 2]  # in order of worker, document and system


def test_one_worker_is_a_unit_that_is_named_and_a_column_of_blanks_is_none():
    frame = pd.DataFrame({"system": ["B", "A", "B"], "segment": ["s2", "s1", "s1"], "score": 1.0})
    judged = from_frame(frame.assign(worker="w", document=None))
    assert judged.units.keys() == {"worker"} and judged.units["worker"].tolist() == [0, 0, 0]
    assert judged.workers == ("w",) and judged.systems == ("A", "B")
    assert judged.system.tolist() == [1, 0, 1] and judged.segment.tolist() == [1, 0, 0]


def test_judgments_without_a_domain_are_of_one_of_their_own():
    frame = pd.DataFrame({"system": list("ABAB"), "segment": list("1122"), "score": 1.0})
    domain = from_frame(frame.assign(domain=["news", None, "speech", None])).units["domain"]
    assert domain.tolist() == [0, 2, 1, 2]
