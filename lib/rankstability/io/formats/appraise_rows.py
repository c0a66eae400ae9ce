"""What the rows of an Appraise export are: their documents, marks and times."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np
import pandas as pd

MARKS = ("tutorial", "document_score", "incomplete", "duplicate", "superseded", "no_segment")
"""Why rows are not ranked: training before the task; the score of a whole document; a document cut
short to fill a HIT, or shown again; all but the latest of an account's repeats of an item (WMT24
leaves all of these out); an unknown segment.
"""
DOCUMENT_MARK = re.compile(r"bad\d*|dup|duplicate\d+|incomplete")  # after a # in a docId
LONGEST = 30 * 24 * 3600  # seconds from start to end of an item that are still plausible


def split_document(block: str, systems: Collection[str]) -> tuple[str, str]:
    """Return the document that a docId names, and the marks at its end.

    >>> split_document("srf.0#171-182#GPT4#dup", {"GPT4"})
    ('srf.0#171-182', '#GPT4#dup')
    """
    pieces = block.split("#")
    end = len(pieces)
    while end > 1 and (DOCUMENT_MARK.fullmatch(pieces[end - 1]) or pieces[end - 1] in systems):
        end -= 1
    return "#".join(pieces[:end]), "".join(f"#{mark}" for mark in pieces[end:])


def seconds_spent(account: pd.Series, start: pd.Series, end: pd.Series) -> pd.Series:
    """Return the seconds from the account's previous judgment (or the start) to the end of each.

    The start and end of an item are often those of its page.
    """
    known = (start >= 0) & (end >= start) & (end - start < LONGEST)
    start = start.where(known)
    end = end.where(known)
    previous = end.sort_values(kind="stable").groupby(account).shift()
    return end - previous.fillna(start)


def mark_rows(rows: pd.DataFrame) -> np.ndarray:
    """Return why a row is not ranked (one of `MARKS`), or an empty string."""
    marks = rows["marks"] + "#"
    tutorial = rows["block"].str.contains("tutorial", regex=False)
    tutorial |= rows["system"].str.contains("tutorial", regex=False)
    mark = np.select(
        [
            tutorial,
            rows["whole"],
            marks.str.contains("#incomplete#", regex=False),
            marks.str.contains(r"#dup(?:licate\d+)?#"),
        ],
        MARKS[:4],
        "",
    ).astype(object)
    ordered = rows.assign(mark=mark, start=rows["start"].fillna(-np.inf))
    ordered = ordered.sort_values("start", kind="stable")
    key = ["hit", "system", "item", "block", "item_type", "mark"]
    again = ordered.duplicated(key, keep="last").sort_index().to_numpy()
    mark[again & (mark == "")] = "superseded"
    return mark
