"""Judgments of any protocol as arrays."""

from __future__ import annotations

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
    assert block[0] == block[1] and len(set(block[:5])) == 4
