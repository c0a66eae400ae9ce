"""Which segment of the test set each row of an Appraise export belongs to.

An ``itemId`` counts within the test set, the document or the HIT, depending on the campaign. Rows
are assigned to one segment only if that is certain: scores of different sentences are never
averaged.
"""

from functools import partial
from pathlib import Path

import pandas as pd

from companion.legacy.rankstability.errors import DataError

from . import tables

LISTED = ("itemId", "docId", "segment", "document", "domain")
SHARED = 0.75  # systems share ids if a document's most-judged system has this share of its ids
UNPLACED = "no segment"


def identify(
    rows: pd.DataFrame, listed: Path | None, file: Path
) -> pd.DataFrame:
    """`rows` with a column segment; unmarked rows without a segment are marked ``no segment``.

    Segments come from the list ``segments-XX-YY.tsv`` if there is one (tab-separated: itemId, docId
    as exported, segment, document, domain); else from the itemId, if the systems of a document
    share ids (together with the document, if documents share them, too); else from the place in the
    document, see `places`. Without documents, the itemId is the segment. Raises DataError (naming
    `file` or the list) if most rows that count have no segment.
    """
    if listed is not None:
        rows = _from_list(rows, listed)
    elif not rows["document"].ne("").any():
        rows = rows.assign(segment=rows["item"])
    elif _shared(rows):
        plain = rows[~rows["mark"].isin(["tutorial", "document score"])]
        named = plain["document"].ne(
            ""
        )  # an export beside it may name no documents
        once = plain[named].groupby("item")["document"].nunique().max() <= 1
        within = (rows["document"] + "_" + rows["item"]).where(
            rows["document"].ne(""), ""
        )
        rows = rows.assign(segment=rows["item"] if once else within)
    else:
        rows = rows.assign(segment=places(rows))
    counts = _counts(rows)
    lost = rows["segment"].eq("")
    if (unknown := (counts & lost).sum()) * 2 > counts.sum():
        wrong = partial(DataError, file=listed or file, column="itemId")
        reason = "itemIds differ between systems, and documents are split or judged in part"
        problem = f"the segments of {unknown} of {counts.sum()} rows are unknown: {reason}"
        raise wrong(
            problem,
            expected="segments-XX-YY.tsv beside it: " + ", ".join(LISTED),
        )
    rows.loc[lost & rows["mark"].eq(""), "mark"] = UNPLACED
    # rows with another mark stay in the frame, with a segment of their own
    rows.loc[lost, "segment"] = "unknown " + rows["block"] + " " + rows["item"]
    return rows


def _from_list(rows: pd.DataFrame, listed: Path) -> pd.DataFrame:
    """Segments by itemId and docId; if these stand for several, by the neighbours (`_by_order`)."""
    table = tables.read(listed, sign="\t").frame.astype(str)
    missing = [name for name in LISTED[:3] if name not in table.columns]
    if missing:
        wrong = partial(DataError, file=listed, line=1, column=missing[0])
        expected = "a header with " + ", ".join(LISTED)
        raise wrong(
            "not a list of segments",
            value="\t".join(table.columns),
            expected=expected,
        )
    key = ["itemId", "docId"]
    several = table.groupby(key)["segment"].transform("nunique") > 1
    by_key = table[~several].drop_duplicates(key).set_index(key)
    keys = pd.MultiIndex.from_frame(rows[["item", "block"]])
    rows = rows.assign(segment="")
    for name in LISTED[2:]:
        if name not in by_key.columns:
            continue
        said = by_key[name].reindex(keys).set_axis(rows.index)
        rows[name] = said.where(said.notna(), rows[name])
    return _by_order(
        rows, table[several].groupby(key)["segment"].agg(set).to_dict()
    )


def _by_order(
    rows: pd.DataFrame, several: dict[tuple[str, str], set[str]]
) -> pd.DataFrame:
    """Fills in the segment of rows whose itemId stands for `several` of a document, if one fits.

    In one account's part of a document, segments are in the order of itemIds, each once.
    """
    unmarked = rows["mark"].eq("")
    for _ in several:  # a segment that is filled in may tell the next
        changed = False
        for item, block in several:
            same = unmarked & rows["block"].eq(block)
            for k in rows.index[
                same & rows["item"].eq(item) & rows["segment"].eq("")
            ]:
                told = rows[same & rows["segment"].ne("")]
                left = several[item, block] - set(told["segment"])
                mine = told[told["hit"].eq(rows.at[k, "hit"])]
                number = mine["segment"].astype(int)
                order = mine["item"].astype(int) < int(item)
                low = number[order].max()
                high = number[~order].min()
                left = {
                    s for s in left if not (int(s) <= low or int(s) >= high)
                }
                if len(left) == 1 and len(told):
                    rows.loc[k, "segment"] = left.pop()
                    names = [n for n in ("document", "domain") if n in rows]
                    rows.loc[k, names] = told.iloc[0][names].to_numpy()
                    changed = True
        if not changed:
            break
    return rows


def _counts(rows: pd.DataFrame) -> pd.Series:
    """Mask of the rows of systems without a mark."""
    return rows["mark"].eq("") & rows["type"].eq("SYSTEM")


def _shared(rows: pd.DataFrame) -> bool:
    """Whether the systems of a document share their itemIds."""
    plain = rows[_counts(rows)]
    judged = plain.groupby(["document", "system"])["item"].nunique()
    judged = judged.groupby("document").agg(["size", "max"])
    judged["ids"] = plain.groupby("document")["item"].nunique()
    judged = judged[judged["size"] > 1]
    return judged.empty or bool(
        judged["max"].sum() >= SHARED * judged["ids"].sum()
    )


def places(rows: pd.DataFrame) -> pd.Series:
    """``<document>_<place>`` of each row, in the order of itemIds; empty if its place is unknown.

    The place is known if one account judged the whole document of the system: as many rows as most
    systems of that document have over all accounts.
    """
    plain = rows[_counts(rows)]
    joined = plain.groupby(["document", "system"]).size()
    length = joined.groupby("document").agg(lambda n: n.mode().max())
    agreed = joined.groupby("document").agg(
        lambda n: 2 * (n == n.mode().max()).sum() > len(n)
    )
    unmarked = rows[rows["mark"].eq("")]
    account = ["hit", "system", "block"]  # one account's part of a document
    cells = unmarked.groupby(account)
    whole = cells["item"].transform("size") == unmarked["document"].map(
        length[agreed]
    )
    number = pd.to_numeric(unmarked["item"], errors="coerce").astype(float)
    place = number.groupby([unmarked[name] for name in account]).rank("first")
    known = whole & place.notna()
    out = pd.Series("", rows.index, dtype=object)
    text = unmarked["document"] + "_" + place[known].astype(int).astype(str)
    out.loc[unmarked.index[known]] = text[known]
    return out
