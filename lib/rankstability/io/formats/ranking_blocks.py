"""Rows of relative ranking: blocks of outputs."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd

from ...errors import DataError
from .files import (
    clean_names,
    need_columns,
    read_counts,
    read_numbers,
    read_table,
    refuse_row,
    split_header,
)
from .languages import LANGUAGES, UNNAMED_PAIR, pair_in_name

NEEDED = ("srclang", "trglang", "srcindex", "judgeid")
UNKNOWN = "-1"  # a language or document that the export does not name
EMPTY_SLOT = "blank"  # WMT11: a slot that showed nothing
HIGHEST_RANK = 5
NOT_RANKED = -1
TRACKS = {"indivsystems": "individual", "combosystems": "combination", "tunable": "tunable"}


def read_blocks(file: Path, pair: str) -> tuple[pd.DataFrame, int]:
    """Return the outputs of a file, and its number of blocks."""
    table = read_table(file, split_header(file)[0])
    table.columns = pd.Index([name.lower() for name in table.columns])
    slots = next(k for k in itertools.count() if f"system{k + 1}id" not in table)
    cells = [f"system{k + 1}{what}" for k in range(max(slots, 2)) for what in ("id", "rank")]
    need_columns(table, (*NEEDED, *cells), file)
    systems, ranks = _read_slots(table, slots, file)
    named, _ = clean_names(table, {"judgeid": "judgeid", "srcindex": "srcindex"}, file)
    per_row = pd.DataFrame({"pair": _read_pairs(table, file, pair)}, index=table.index)
    per_row["annotator"] = named["judgeid"].astype(object)
    per_row["segment"] = _read_segments(table, file)
    document = table["documentid"].astype(object) if "documentid" in table else ""
    per_row["document"] = pd.Series(document, table.index).replace(UNKNOWN, "")
    track = next((track for mark, track in TRACKS.items() if mark in file.name), "")
    per_row["track"] = track
    shown = systems != EMPTY_SLOT
    per_row["empty"] = (~shown).sum(axis=1)
    if slots == 2:
        ranking = table["rankingid"].to_numpy() if "rankingid" in table else np.zeros(len(table))
        block, position, row, slot = _join_comparisons(ranking, per_row, systems, ranks)
    else:
        row, slot = np.nonzero(shown)
        block, position = row, slot + 1
    outputs = per_row.iloc[row].reset_index(drop=True)
    outputs["block"] = block
    outputs["position"] = position
    outputs["system"] = systems[row, slot]
    outputs["rank"] = ranks[row, slot]
    return outputs, int(block.max()) + 1


def _read_slots(table: pd.DataFrame, slots: int, file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the systems and ranks of each row, shape (rows, slots)."""
    ids = [f"system{k + 1}id" for k in range(slots)]
    names, _ = clean_names(table, {name: name for name in ids}, file)
    systems = names.astype(object).to_numpy()
    highest = max(HIGHEST_RANK, slots)
    ranks = np.column_stack(
        [read_numbers(table, f"system{k + 1}rank", file, -1, highest) for k in range(slots)]
    )
    for wrong, code in (
        (~np.isin(ranks, [NOT_RANKED, *range(1, highest + 1)]), "not_a_rank"),
        ((systems == EMPTY_SLOT) & (ranks != NOT_RANKED), "rank_of_empty_slot"),
    ):
        for row, slot in np.argwhere(wrong)[:1]:
            column = f"system{slot + 1}rank"
            raise DataError(
                code, file=file, line=int(table.index[row]), column=column, value=ranks[row, slot],
                expected=f"-1, or 1 to {highest}",
            )  # fmt: skip
    for first, second in itertools.combinations(range(slots), 2):
        twice = (systems[:, first] == systems[:, second]) & (systems[:, second] != EMPTY_SLOT)
        if twice.any():
            row = int(np.argmax(twice))
            raise DataError(
                "system_twice_in_block", file=file, line=int(table.index[row]),
                column=ids[second], value=systems[row, second],
            )  # fmt: skip
    return systems, ranks.astype(np.int64)


def _read_segments(table: pd.DataFrame, file: Path) -> np.ndarray:
    """Return the places in the test set; or names, if none of the file's segments is a number."""
    if pd.to_numeric(table["srcindex"], errors="coerce").isna().all():
        names: np.ndarray = table["srcindex"].astype(object).to_numpy()
        return names
    return read_counts(table, "srcindex", file)


def _read_pairs(table: pd.DataFrame, file: Path, default: str) -> np.ndarray:
    """Return the pair of each row; a language of -1 is that of `default` or the file's name."""
    sides = []
    for column in ("srclang", "trglang"):
        plain = table[column].str.strip().str.lower()
        unknown = ~plain.isin([*LANGUAGES, UNKNOWN])
        refuse_row("unknown_language", table, unknown, column, file)
        sides.append(plain.map({**LANGUAGES, UNKNOWN: UNKNOWN}))
    unnamed = (sides[0] == UNKNOWN) | (sides[1] == UNKNOWN)
    pairs = sides[0] + "-" + sides[1]
    named = default or pair_in_name(file.name) or UNNAMED_PAIR
    found: np.ndarray = pairs.mask(unnamed, named).to_numpy(dtype=object)
    return found


def _join_comparisons(
    ranking: np.ndarray, per_row: pd.DataFrame, systems: np.ndarray, ranks: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Join comparisons into blocks: return block, position, row and slot of each output."""
    members: dict[tuple[object, ...], list[int]] = {}
    key = zip(per_row["pair"], per_row["annotator"], per_row["segment"], ranking, strict=True)
    for row, name in enumerate(key):
        members.setdefault(name, []).append(row)
    blocks: list[list[tuple[int, int]]] = []  # the (row, slot) of each output
    for rows in members.values():
        shown: dict[str, list[tuple[int, int]]] = {}
        for place in itertools.product(rows, (0, 1)):
            shown.setdefault(systems[place], []).append(place)
        agree = all(len({ranks[place] for place in places}) == 1 for places in shown.values())
        pairs = {frozenset(systems[row]) for row in rows}
        if agree and len(pairs) == len(rows) == math.comb(len(shown), 2):
            blocks.append([places[0] for places in shown.values()])
        else:
            blocks += [[(row, 0), (row, 1)] for row in rows]
    sizes = [len(places) for places in blocks]
    row_of, slot_of = np.concatenate(blocks).T
    position = np.concatenate([np.arange(1, size + 1) for size in sizes])
    return np.repeat(np.arange(len(blocks)), sizes), position, row_of, slot_of
