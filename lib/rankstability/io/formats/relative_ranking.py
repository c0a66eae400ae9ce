"""Relative ranking as WMT released it (2010 to 2016): blocks of outputs that were ranked together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ...judgments import Judgments
from .files import (
    choose,
    counted,
    keep_while_unchanged,
    refuse_repeated_file,
    split_header,
)
from .judged_rows import split_joined_systems
from .ranking_blocks import read_blocks

NAME = "relative_ranking"
HEADER = "srclang trglang srcIndex documentId judgeId system1Id system1rank ... system5rank"
TABLE = ["block", "system", "rank", "position", "annotator", "segment", "document"]


def matches(path: Path) -> bool:
    """Return whether a file has the header of relative ranking, in upper or lower case."""
    names = {name.lower() for name in split_header(path)[1]}
    return {"srclang", "trglang"} <= names and bool({"system1rank", "rankingid"} & names)


def list_tasks(files: Sequence[Path], pair: str = "") -> list[str]:
    """Return the tasks of the files, sorted: a language pair, or a pair and a track."""
    return sorted(_read_files(tuple(files), pair)["task"].unique())


def read(files: Sequence[Path], task: str = "", pair: str = "") -> dict[str, Judgments]:
    """Read the blocks of each task, or of one; a task is a language pair, or a pair and a track.

    Two forms are known: one row per block (WMT10 to WMT14), and one row per comparison of two
    systems (WMT15, WMT16, Toral et al. 2018). In the second form, the rows of an annotator and
    segment (and ``rankingID``, if given) are joined to their block if no comparison is missing and
    all agree. Blocks that are given again are kept, as in the official results, and counted.

    Parameters
    ----------
    files : sequence of Path
        Their order decides the numbers of the blocks.
    task : str
        For example ``cs-en`` or ``cs-en individual``; empty for all.
    pair : str
        The pair of rows that name no language; empty for that in the file's name.

    Raises
    ------
    DataError
        For a wrong value in a file.
    """
    rows = _read_files(tuple(files), pair)
    name = ", ".join(file.name for file in files)
    notes = _count_notes(rows)
    judgments = {}
    for each in choose(task, rows["task"].unique(), files[0]):
        frame = rows[rows["task"] == each]
        track = str(frame["track"].iloc[0])
        table, joined, again = _split_joined(frame)
        table = table[TABLE].astype(dict.fromkeys(("system", "annotator", "document"), "category"))
        empty = int(frame["empty"].groupby(frame["block"]).first().sum())
        judgments[each] = Judgments(
            table=table.reset_index(drop=True),
            kind="relative_ranking",
            pair=str(frame["pair"].iloc[0]),
            task=track,
            excluded=counted(
                [
                    (name, "other_tasks", len(rows) - len(frame), ""),
                    (name, "empty_slots", empty, ""),
                    (name, "system_again_in_block", again, ""),
                ]
            ),
            notes=counted(
                [
                    (name, "identical_blocks", notes.get(each, 0), ""),
                    (name, "joined_systems", joined, ""),
                ]
            ),
        )
    return judgments


@keep_while_unchanged(calls=2)
def _read_files(files: tuple[Path, ...], pair: str) -> pd.DataFrame:
    """Return the rows of all files, with blocks that are numbered over all files."""
    parts = []
    first = 0
    for file in files:
        part, blocks = read_blocks(file, pair)
        parts.append(part.assign(block=part["block"] + first))
        first += blocks
    refuse_repeated_file(files, [part.drop(columns="block") for part in parts])
    rows = pd.concat(parts, ignore_index=True)
    if rows["segment"].dtype == object:
        rows["segment"] = pd.factorize(rows["segment"].astype(str))[0] + 1
    rows["task"] = (rows["pair"] + " " + rows["track"]).str.strip()
    return rows


def _count_notes(rows: pd.DataFrame) -> dict[str, int]:
    """Return the number of blocks of each task that repeat an earlier block in all columns."""
    outputs = pd.util.hash_pandas_object(rows.drop(columns="block"), index=False)
    by_block = outputs.groupby(rows["block"]).sum()
    again = by_block.index[by_block.duplicated()]
    tasks = rows[rows["block"].isin(again)].drop_duplicates("block")["task"]
    return {str(task): int(count) for task, count in tasks.value_counts().items()}


def _split_joined(frame: pd.DataFrame) -> tuple[pd.DataFrame, int, int]:
    """Give each system of a joined id ``A+B`` a row; count such rows, and repeats in a block."""
    rows = frame.astype({"system": "category"}).reset_index(drop=True)
    rows, joined = split_joined_systems(rows)
    again = rows.duplicated(["block", "system"])
    rows = rows[~again].reset_index(drop=True)
    if joined:
        rows["position"] = rows.groupby("block", sort=False).cumcount() + 1
    return rows, joined, int(again.sum())
