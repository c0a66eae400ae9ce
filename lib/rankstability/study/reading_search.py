"""Koehn (2012), Tables 1 to 3: rank ranges under every reading of the bootstrap that one may try.

What the paper leaves open: how many resampled ranks go at each end, what is drawn again (single
judgments, whole blocks, judges), whether ties are drawn along, and what becomes of blanks.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from ..chance import in_shards
from ..change.simulate import Model
from ..rank.ranges import UNITS, range_clusters, rank_ranges, ranks, units
from ..score.pairwise import expected_win
from ..score.rr import REFERENCE
from .experiments import QUALITIES, SHARD, quality_by_unit, with_errors

PER_THOUSAND = (2, 3, 4, 5, 6, 7, 8, 10, 15, 25)  # ranks chopped off at each end
TIES = ("left out", "drawn along")
BLANKS = ("drop", "keep")


def trims_of(resamples: int) -> dict[int, int]:
    """Ranks to chop off of so many, by the number of 1000 that they stand for."""
    return {k: max(1, round(k * resamples / 1000)) for k in PER_THOUSAND}


def real_ranges(
    frames: Mapping[str, pd.DataFrame], resamples: int, seed: int, repetitions: int = 5
) -> pd.DataFrame:
    """Rank ranges of real tasks (from `read.rr.read_rr`) under every reading.

    Columns: task, blanks, ties, unit, trim (of 1000), repetition, system, first, last, cluster.
    """
    parts = []
    readings = product(frames, BLANKS, TIES, UNITS, range(repetitions))
    for number, (task, blanks, ties, unit, repetition) in enumerate(readings):
        rng = np.random.default_rng([seed, number])
        data = units(frames[task], blanks).without(REFERENCE)
        data = data.decided() if ties == TIES[0] else data
        sampled = ranks(expected_win(data.resample(unit, resamples, rng)))
        for trim, k in trims_of(resamples).items():
            first, last = rank_ranges(sampled, k)
            about = {"task": task, "blanks": blanks, "ties": ties, "unit": unit, "trim": trim}
            ends = {"repetition": repetition, "system": data.systems, "first": first, "last": last}
            parts.append(pd.DataFrame(about | ends).assign(cluster=range_clusters(first, last)))
    return pd.concat(parts, ignore_index=True)


def simulated_quality(
    model: Model, judgments: tuple[int, ...], runs: int, resamples: int, seed: int, jobs: int = 1
) -> pd.DataFrame:
    """Table 1's bootstrap columns by unit and trim.

    Columns: unit (``judgment``, ``block``), trim (of 1000), judgments, each of the `QUALITIES` with
    its standard error, runs.
    """
    trims = trims_of(resamples)
    kinds = UNITS[:2]
    parts = []
    for size in judgments:
        work = partial(quality_by_unit, model, size, resamples, kinds, [*trims.values()], 0.0)
        drawn = in_shards(work, runs, SHARD, seed, jobs, f"units, {size}")
        values = np.concatenate(drawn)
        for u, unit in enumerate(kinds):
            part = with_errors(values[:, u], QUALITIES, unit=unit, trim=list(trims), judgments=size)
            parts.append(part.assign(runs=runs))
    return pd.concat(parts, ignore_index=True)
