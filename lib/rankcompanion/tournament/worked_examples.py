"""The worked examples of Lopez (2012), Figures 1 to 3, as judgments and counts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd

from rankstability.score import pairwise


def figure1() -> pd.DataFrame:
    """One block of five outputs, as rows of `read.rr.read_rr` (WMT10 German-English)."""
    ranks = {"jhu": 1, "bbn-combo": 2, "rwth": 3, "rwth-combo": 3, "cmu": 4}
    frame = pd.DataFrame({"system": list(ranks), "rank": list(ranks.values())})
    frame["position"] = np.arange(1, len(frame) + 1)
    return frame.assign(
        task="de-en", pair="de-en", track="", block=0, judge="", segment=0, document="", ranked=True
    )


def implied(block: pd.DataFrame) -> pd.DataFrame:
    """The pairwise rankings that one block implies: first, relation (≺ better, ≻, ≡), second."""
    ranked = combinations(zip(block["system"].str.upper(), block["rank"], strict=True), 2)
    rows = [(a, "≺" if i < j else "≻" if i > j else "≡", b) for (a, i), (b, j) in ranked]
    return pd.DataFrame(rows, columns=["first", "relation", "second"])


def find_block(frame: pd.DataFrame, block: pd.DataFrame) -> pd.DataFrame:
    """Rows of the blocks of `frame` with the task, the systems and the ranks of `block`."""
    rows = frame.astype({"task": str, "system": str})
    same = rows.merge(block[["task", "system", "rank"]], on=["task", "system", "rank"])
    complete = same.groupby("block")["system"].transform("size") == len(block)
    columns = ["block", "judge", "segment", "document", "system", "rank"]
    return same.loc[complete, columns].sort_values(["block", "rank"], kind="stable")


def figure2() -> pairwise.PairCounts:
    """Figure 2: every comparison goes the same way, yet Equation 1 ranks C above B.

    The printed scores, 2/5 for B and 2/4 for C, fix every weight of a tournament on A, B, C, D
    but the one between A and D, here 1.
    """
    return _counts({"AB": 3, "AC": 1, "AD": 1, "BC": 1, "BD": 1, "CD": 2})


def figure3() -> pairwise.PairCounts:
    """Figure 3: a cycle of E, F and G, with weights of ours (the paper's are in the drawing)."""
    return _counts({"EF": 3, "FG": 2, "GE": 1, "EH": 2, "FH": 2, "GH": 2})


def _counts(wins: Mapping[str, int]) -> pairwise.PairCounts:
    """Counts in which the first letter of each key beats the second so many times."""
    systems = tuple(sorted({letter for pair in wins for letter in pair}))
    table = np.zeros((len(systems), len(systems)), dtype=np.int64)
    for pair, number in wins.items():
        winner, loser = (systems.index(letter) for letter in pair)
        table[winner, loser] = number
    return pairwise.PairCounts(systems, table, np.zeros_like(table))
