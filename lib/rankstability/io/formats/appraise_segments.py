"""Which segment a row of an Appraise export belongs to.

An ``itemId`` counts within the test set, the document or the HIT, depending on the campaign. A row
gets a segment only if that segment is certain: scores of different sentences are never averaged.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ...errors import DataError
from .files import need_columns, read_table

LISTED = ("itemId", "docId", "segment", "document", "domain")
SHARED = 0.75  # share of a document's ids that its most-judged system has, if systems share ids


def identify_segments(rows: pd.DataFrame, listed: Path | None, file: Path) -> pd.DataFrame:
    """Add the column segment; unmarked rows without a segment are marked ``no_segment``.

    Segments come from the list ``segments-XX-YY.tsv`` if there is one. Otherwise the segment is the
    itemId if the systems of a document share ids (with the document, if documents share them, too).
    Otherwise it is the place in the document (see `_places`). Without documents, the itemId is the
    segment. Raises DataError if most rows that count have no segment.
    """
    if listed is not None:
        rows = _segments_by_list(rows, listed)
    elif not rows["document"].ne("").any():
        rows = rows.assign(segment=rows["item"])
    elif _systems_share_ids(rows):
        rows = rows.assign(segment=_segments_by_id(rows))
    else:
        rows = rows.assign(segment=_places(rows))
    counts = _are_ranked(rows)
    lost = rows["segment"].eq("")
    unknown = int((counts & lost).sum())
    if unknown * 2 > counts.sum():
        raise DataError(
            "unknown_segments", file=listed or file, column="itemId", rows=unknown,
            of=int(counts.sum()), expected="segments-XX-YY.tsv: " + ", ".join(LISTED),
        )  # fmt: skip
    rows.loc[lost & rows["mark"].eq(""), "mark"] = "no_segment"
    rows.loc[lost, "segment"] = "unknown " + rows["block"] + " " + rows["item"]
    return rows


def _are_ranked(rows: pd.DataFrame) -> pd.Series:
    return rows["mark"].eq("") & rows["item_type"].eq("SYSTEM")


def _segments_by_id(rows: pd.DataFrame) -> pd.Series:
    plain = rows[~rows["mark"].isin(["tutorial", "document_score"]) & rows["document"].ne("")]
    documents_of_item = plain.groupby("item")["document"].nunique()
    if documents_of_item.max() <= 1:
        return rows["item"]
    within = rows["document"] + "_" + rows["item"]
    return within.where(rows["document"].ne(""), "")


def _systems_share_ids(rows: pd.DataFrame) -> bool:
    plain = rows[_are_ranked(rows)]
    judged = plain.groupby(["document", "system"])["item"].nunique()
    judged = judged.groupby("document").agg(["size", "max"])
    judged["ids"] = plain.groupby("document")["item"].nunique()
    judged = judged[judged["size"] > 1]
    return judged.empty or bool(judged["max"].sum() >= SHARED * judged["ids"].sum())


def _places(rows: pd.DataFrame) -> pd.Series:
    """Return ``<document>_<place>`` in the order of itemIds; empty if the place is unknown.

    The place is known if an account judged the whole document of the system: as many rows as most
    systems of that document have over all accounts.
    """
    plain = rows[_are_ranked(rows)]
    size = plain.groupby(["document", "system"]).size().groupby("document")
    length = size.agg(lambda rows_of: rows_of.mode().max())
    agreed = size.agg(lambda rows_of: 2 * (rows_of == rows_of.mode().max()).sum() > len(rows_of))
    unmarked = rows[rows["mark"].eq("")]
    account = ["hit", "system", "block"]  # an account's part of a document
    judged = unmarked.groupby(account)["item"].transform("size")
    whole = judged == unmarked["document"].map(length[agreed])
    number = pd.to_numeric(unmarked["item"], errors="coerce").astype(float)
    place = number.groupby([unmarked[name] for name in account]).rank("first")
    known = whole & place.notna()
    segments = pd.Series("", rows.index, dtype=object)
    named = unmarked["document"] + "_" + place[known].astype(int).astype(str)
    segments.loc[unmarked.index[known]] = named[known]
    return segments


def _segments_by_list(rows: pd.DataFrame, listed: Path) -> pd.DataFrame:
    """Look segments up by itemId and docId; where these stand for several, see the neighbours."""
    table = read_table(listed, "\t")
    need_columns(table, LISTED[:3], listed)
    key = ["itemId", "docId"]
    several = table.groupby(key)["segment"].transform("nunique") > 1
    by_key = table[~several].drop_duplicates(key).set_index(key)
    keys = pd.MultiIndex.from_frame(rows[["item", "block"]])
    rows = rows.assign(segment="")
    for name in (name for name in LISTED[2:] if name in by_key):
        found = by_key[name].reindex(keys).set_axis(rows.index)
        rows[name] = found.where(found.notna(), rows[name]).astype(object)
    candidates = table[several].groupby(key)["segment"].agg(set).to_dict()
    return _segments_by_order(rows, candidates)


def _segments_by_order(
    rows: pd.DataFrame, candidates: dict[tuple[str, str], set[str]]
) -> pd.DataFrame:
    """Choose among several candidates of an itemId, if only one fits the order.

    In an account's part of a document, segments are in the order of itemIds, each once.
    """
    unmarked = rows["mark"].eq("")
    for _ in candidates:  # a segment that is found may decide about the next
        changed = False
        for (item, block), segments in candidates.items():
            here = unmarked & rows["block"].eq(block)
            open_rows = rows.index[here & rows["item"].eq(item) & rows["segment"].eq("")]
            for row in open_rows:
                known = rows[here & rows["segment"].ne("")]
                left = segments - set(known["segment"])
                same = known[known["hit"].eq(rows.at[row, "hit"])]
                number = same["segment"].astype(int)
                before = same["item"].astype(int) < int(item)
                low, high = number[before].max(), number[~before].min()
                left = {s for s in left if not (int(s) <= low or int(s) >= high)}
                if len(left) == 1 and len(known):
                    rows.loc[row, "segment"] = left.pop()
                    names = [name for name in ("document", "domain") if name in rows]
                    rows.loc[row, names] = known.iloc[0][names].to_numpy()
                    changed = True
        if not changed:
            break
    return rows
