"""Comparisons by the units of which a repeat would have others: blocks, or judges.

The judgments of a block share outputs, segment and judge. Counts under other weights of the units
are `PairCounts` with a leading axis, to which every score of `score.rr` applies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..errors import DataError
from ..judgments import Blocks, blocks
from ..score.pairwise import (
    PairCounts,
    pairwise_by_block,
    weighted,
)

Ints = NDArray[np.int64]
UNITS = ("block", "judge")


@dataclass(frozen=True)
class Units:
    """Counts of every block of a task, and the code of its judge (-1: not named).

    `wins` and `ties` are sparse, (blocks, systems * systems), from `pairwise.pairwise_by_block`.
    """

    systems: tuple[str, ...]
    wins: Any
    ties: Any
    judges: Ints

    @property
    def counts(self) -> PairCounts:
        """The counts of all blocks together."""
        return self.weighted(np.ones(len(self.judges), int))

    def weighted(self, weights: np.ndarray) -> PairCounts:
        """The counts under `weights` of blocks: (blocks,) or (replicates, blocks)."""
        return weighted((self.wins, self.ties), weights, self.systems)

    def without(self, *systems: str) -> Units:
        """The units with only the other systems; names that are absent are ignored."""
        n = len(self.systems)
        keep = np.array(
            [i for i, s in enumerate(self.systems) if s not in systems]
        )
        cells = (keep[:, None] * n + keep[None, :]).ravel()
        names = tuple(self.systems[i] for i in keep)
        return Units(
            names, self.wins[:, cells], self.ties[:, cells], self.judges
        )

    def owner(self, unit: str) -> Ints:
        """The code of each block's unit, ``judge`` or ``block``.

        Raises DataError for any other unit, and for ``judge`` if some blocks name none.
        """
        if unit not in UNITS:
            raise DataError(
                "unknown unit of resampling",
                value=unit,
                expected=", ".join(UNITS),
            )
        unnamed = int((self.judges < 0).sum())
        blocks = len(self.judges)
        if unit == "judge" and unnamed:
            value = f"{unnamed} of {blocks}"
            expected = "a judge in each, or the unit block"
            raise DataError(
                "blocks that name no judge", value=value, expected=expected
            )
        return self.judges if unit == "judge" else np.arange(blocks)

    def by(self, unit: str) -> Units:
        """Counts of every unit, ``judge`` or ``block``, in the order of the codes of `owner`."""
        owner = self.owner(unit)
        if unit == "block":
            return self
        shape = int(owner.max()) + 1, len(owner)
        each = csr_array(
            (np.ones(len(owner), int), (owner, np.arange(len(owner)))),
            shape=shape,
        )
        return Units(
            self.systems,
            each @ self.wins,
            each @ self.ties,
            np.arange(shape[0]),
        )

    def decided_by_system(self) -> tuple[NDArray, NDArray]:
        """Wins, and comparisons without ties, of each row and system: (rows, systems) each."""
        one = np.eye(len(self.systems), dtype=int)
        won = self.wins @ np.repeat(one, len(one), axis=0)
        return won, won + self.wins @ np.tile(one, (len(one), 1))


def default_unit(data: Units) -> str:
    """``judge`` if every block names one, else ``block``."""
    return "judge" if data.judges.min() >= 0 else "block"


def units(data: Blocks | pd.DataFrame, unranked: str = "drop") -> Units:
    """The units of one task that can be resampled; `unranked` as for `pairwise.comparisons`."""
    data = data if isinstance(data, Blocks) else blocks(data)
    wins, ties = pairwise_by_block(data, unranked)
    judge = pd.Series(data.judge.astype(str))
    judges = pd.factorize(judge.where(judge != ""), sort=True)[0]
    return Units(data.systems, wins, ties, judges)
