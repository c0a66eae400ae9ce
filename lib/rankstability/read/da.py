"""Direct assessment as released: the two judgment files of a campaign, and segment scores.

Formats: ``ad-latest.csv`` (raw scores of all workers) with ``ad-good-raw-redup.csv`` (the scores
that count), twelve columns; and ``ad-seg-scores-XX-YY.csv`` (SYS SID RAW.SCR Z.SCR N).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from .. import paths
from ..errors import DataError
from ..judgments import TYPES, DirectAssessment
from . import schema as schemas
from . import text as tables
from .text import Table

COLUMNS = (
    *("HITId", "WorkerId", "Input.src", "Input.trg", "Input.item", "hit"),
    *("sys_id", "rid", "type", "sid", "score", "time"),
)
LATEST, GOOD = "ad-latest.csv", "ad-good-raw-redup.csv"
CODE = r"[a-z]{2,3}([-_][A-Za-z]{2,4})?"
DOC_SEGMENT = re.compile(r"(.+)_(\d+)")
SEGMENT_COLUMNS = ("SYS", "SID", "RAW.SCR", "Z.SCR", "N")


def locate(folder: Path, name: str) -> Path | None:
    """`name` or `name`.gz in `folder`."""
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    return None


def companions(folder: Path) -> tuple[Path, Path]:
    """``ad-latest`` and ``ad-good-raw-redup`` of `folder`; DataError where one is missing."""
    found = [locate(folder, name) for name in (LATEST, GOOD)]
    for path, name, other in zip(found, (LATEST, GOOD), (GOOD, LATEST), strict=True):
        if path is None:
            raise DataError(
                f"{name} is missing",
                file=paths.shown(folder),
                expected=f"{name} or {name}.gz beside {other}",
            )
    latest, good = found
    assert latest is not None and good is not None
    return latest, good


def _codes(table: Table) -> tuple[pd.Series, pd.Series]:
    names = {"source": "Input.src", "target": "Input.trg"}
    rows = np.arange(len(table.frame))
    codes = table.validated(schemas.languages(CODE), rows, names)
    return codes["source"], codes["target"]


def pairs(folder: Path) -> tuple[str, ...]:
    """The language pairs of ``ad-good-raw-redup`` in `folder`, sorted."""
    _, good = companions(folder)
    table = tables.read(good, COLUMNS, ("Input.src", "Input.trg"))
    source, target = _codes(table)
    seen = pd.DataFrame({"s": source, "t": target}).drop_duplicates()
    return tuple(sorted(f"{s}-{t}" for s, t in seen.itertuples(index=False)))


def _rows(table: Table, pair: str) -> np.ndarray:
    source, target = _codes(table)
    src, _, trg = pair.partition("-")
    rows = np.flatnonzero((source == src).to_numpy() & (target == trg).to_numpy())
    if not len(rows):
        seen = pd.DataFrame({"s": source, "t": target}).drop_duplicates()
        have = sorted(f"{s}-{t}" for s, t in seen.itertuples(index=False))
        raise DataError(
            "no rows for the language pair",
            file=paths.shown(table.path),
            value=pair,
            expected="one of " + ", ".join(have),
        )
    return rows


def _judgments(table: Table, rows: np.ndarray) -> pd.DataFrame:
    """The checked rows of one file, columns renamed."""
    names = {
        "worker": "WorkerId",
        "hit": "HITId",
        "system": "sys_id",
        "segment": "sid",
        "type": "type",
        "score": "score",
        "block": "rid",
    }
    return table.validated(schemas.judgments(TYPES), rows, names)


def share_categories(frames: Sequence[pd.DataFrame], columns: Sequence[str]) -> None:
    """Give `columns` the same sorted categories in all frames, in place; NA and '' are missing."""
    for column in columns:
        seen: set[str] = set()
        for frame in frames:
            values = frame[column].cat
            used = np.unique(values.codes.to_numpy())
            seen.update(values.categories[used[used >= 0]])
        categories = list(TYPES) if column == "type" else sorted(seen - {"", "NA"})
        for frame in frames:
            frame[column] = frame[column].cat.set_categories(categories)


def _identical(table: Table, rows: np.ndarray, allow: bool) -> int:
    """How many of `rows` repeat another in every column; an error within a HIT unless allowed."""
    # by hand: a schema's uniqueness knows no exceptions (rows without a HIT) and counts nothing
    codes = pd.DataFrame(
        {column: table.frame[column].cat.codes.to_numpy()[rows] for column in table.frame.columns}
    )
    again = codes.duplicated().to_numpy()
    if again.any() and not allow:
        hit = table.frame["HITId"].iloc[rows].astype(str).to_numpy()
        bad = np.flatnonzero(again & (hit != "NA") & (hit != ""))
        if len(bad):
            row = int(rows[bad[0]])
            raise table.error(
                "duplicate row: the same judgment of the same HIT stands twice",
                row,
                "HITId",
                "each judgment once (a repeated item has the type REPEAT)",
            )
    return int(again.sum())


def _counts(
    name: str, table: Table, rows: np.ndarray, identical: int
) -> list[tuple[str, str, int]]:
    counts = [(name, "other language pairs", len(table.frame) - len(rows))]
    if identical:
        counts.append((name, "identical rows (kept)", identical))
    return counts


def read_da(folder: Path, pair: str, allow_identical: bool = False) -> DirectAssessment:
    """The judgments of `pair` in the official layout.

    Parameters
    ----------
    folder : Path
        Holds ``ad-latest.csv`` and ``ad-good-raw-redup.csv`` (or .gz), and perhaps
        ``documents-XX-YY.tsv``.
    pair : str
        Such as ``cs-en``.
    allow_identical : bool
        Count rows that are the same in all columns instead of refusing them.

    Raises
    ------
    DataError
        With file, line, column, value and expectation; nothing is returned half-read.
    """
    files = companions(folder)
    frames, excluded = [], []
    for path in files:
        table = tables.read(path, COLUMNS)
        rows = _rows(table, pair)
        frames.append(_judgments(table, rows))
        excluded += _counts(path.name, table, rows, _identical(table, rows, allow_identical))
    latest, good = frames
    share_categories(frames, ("worker", "hit", "system", "segment", "type", "block"))
    _add_documents(frames, documents(folder, pair, frames))
    order = ["worker", "hit", "system", "document", "segment", "type", "score", "block"]
    return DirectAssessment(
        pair,
        latest[order],
        good[order],
        pd.DataFrame(excluded, columns=["file", "reason", "rows"]),
    )


def _add_documents(frames: Sequence[pd.DataFrame], document: pd.Series) -> None:
    """`document`: one name (or missing) per segment category; added in place, as a categorical."""
    names = pd.Categorical(document)
    for frame in frames:
        codes = frame["segment"].cat.codes.to_numpy()
        frame["document"] = pd.Categorical.from_codes(
            names.codes[codes],
            dtype=names.dtype,
        )


def documents(folder: Path, pair: str, frames: Sequence[pd.DataFrame]) -> pd.Series:
    """The document of every segment: one entry per segment category, in their order.

    From ``documents-XX-YY.tsv`` (sid, document) beside the judgments; else from segment ids of
    the form ``<document>_<segment>``; else from blocks (``rid``): segments that one worker saw
    together in a block belong to one document, named after its first segment. Where none of
    these says anything the documents are missing.
    """
    segments = frames[0]["segment"].cat.categories
    listed = locate(folder, f"documents-{pair}.tsv")
    if listed is not None:
        return _listed_documents(listed, segments)
    parts = [DOC_SEGMENT.fullmatch(segment) for segment in segments]
    if all(parts):
        return pd.Series([part.group(1) for part in parts if part], dtype=object)
    return _block_documents(frames, segments)


def _listed_documents(path: Path, segments: pd.Index) -> pd.Series:
    table = tables.read(path, ("sid", "document"))
    rows = np.arange(len(table.frame))
    names = {"segment": "sid", "document": "document"}
    frame = table.validated(schemas.documents(), rows, names)
    listed = pd.Series(frame["document"].astype(str).to_numpy(), index=frame["segment"].astype(str))
    missing = segments.difference(listed.index)
    if len(missing):
        raise DataError(
            "a judged segment has no document",
            file=paths.shown(path),
            column="sid",
            value=missing[0],
            expected="a line for every segment",
        )
    return listed.loc[segments].reset_index(drop=True)


def _block_documents(frames: Sequence[pd.DataFrame], segments: pd.Index) -> pd.Series:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows = pd.concat(
        [frame.loc[frame["block"].notna(), ["worker", "hit", "system", "block", "type", "segment"]]
         for frame in frames]
    )  # fmt: skip
    rows = rows.drop_duplicates()
    block = rows.groupby(["worker", "hit", "system", "block", "type"], observed=True, dropna=False)
    number = block.ngroup().to_numpy()
    if not len(rows) or len(rows) < 2 * (number.max() + 1):  # blocks of one: a position in the HIT
        return pd.Series([None] * len(segments), dtype=object)
    segment = rows["segment"].cat.codes.to_numpy()
    edges = coo_array(
        (np.ones(len(rows)), (number, segment)), shape=(number.max() + 1, len(segments))
    )
    _, label = connected_components((edges.T @ edges).tocsr(), directed=False)
    first = pd.Series(segments).groupby(label).transform("min")
    return "doc-" + first.astype(str)


def segment_file(folder: Path, pair: str) -> Path:
    """``ad-seg-scores-XX-YY.csv`` (or .gz) of `pair`; DataError naming the pairs there are."""
    path = locate(folder, f"ad-seg-scores-{pair}.csv")
    if path is None:
        have = ", ".join(segment_pairs(folder)) or "no file of this form"
        raise DataError(
            "no segment scores for the language pair",
            file=paths.shown(folder),
            value=pair,
            expected=f"ad-seg-scores-{pair}.csv or .gz; there: {have}",
        )
    return path


def segment_pairs(folder: Path) -> tuple[str, ...]:
    """The language pairs with an ``ad-seg-scores`` file in `folder`, sorted."""
    names = (path.name.removesuffix(".gz") for path in folder.glob("ad-seg-scores-*.csv*"))
    found = {name.removeprefix("ad-seg-scores-").removesuffix(".csv") for name in names}
    return tuple(sorted(name for name in found if re.fullmatch(r"[a-z]{2,3}-[a-z]{2,3}", name)))


def read_segment_scores(folder: Path, pair: str) -> pd.DataFrame:
    """Scores averaged per system and segment, as released (no workers: z cannot be recomputed).

    Returns
    -------
    DataFrame
        system, document, segment (categoricals; document missing where the ids name none),
        raw (0 to 100), z, n (judgments averaged).
    """
    path = segment_file(folder, pair)
    table = tables.read(path, SEGMENT_COLUMNS)
    rows = np.arange(len(table.frame))
    names = {"system": "SYS", "segment": "SID", "raw": "RAW.SCR", "z": "Z.SCR", "n": "N"}
    frame = table.validated(schemas.segment_scores(), rows, names).astype({"n": int})
    frame["worker"] = frame["hit"] = frame["type"] = frame["block"] = None
    share_categories([frame], ("system", "segment"))
    _add_documents([frame], documents(folder, pair, [frame]))
    return frame[["system", "document", "segment", "raw", "z", "n"]]
