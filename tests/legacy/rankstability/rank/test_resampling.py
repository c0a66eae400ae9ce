"""Comparisons by block and judge."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest

from assessments import ranked
from companion.legacy.rankcompanion.models.simulate import Model, draw_blocks, draw_qualities
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.resampling import default_unit, units
from companion.legacy.rankstability.score.pairwise import pair_counts


def test_units_are_the_campaigns_counts():
    """From a frame or from blocks, and with systems left out, as `relative_ranking` counts."""
    model = Model(5, 8.0, block=4)
    rng = np.random.default_rng(4)
    drawn = draw_blocks(model, draw_qualities(model, 1, rng)[0], 900, rng)
    frame = ranked(replace(drawn, ranks=1 + drawn.ranks // 2))
    frame.loc[frame.index[::17], "rank"] = -1
    data, counts = units(frame), pair_counts(frame)
    assert data.systems == counts.systems
    assert (data.counts.wins == counts.wins).all() and (data.counts.ties == counts.ties).all()
    less, expected = data.without("S2", "nobody"), counts.without("S2")
    assert less.systems == expected.systems == ("S1", "S3", "S4", "S5")
    assert (less.counts.wins == expected.wins).all()
    kept = units(frame, "keep").counts.wins
    assert kept.sum() > counts.wins.sum() and (kept == pair_counts(frame, "keep").wins).all()


def blocks_by(*judges):
    """Blocks of A before B before C, each with its judge."""
    rows = [
        ("t", b, judge, 1, k + 1, "ABC"[k], k + 1) for b, judge in enumerate(judges)
        for k in range(3)
    ]  # fmt: skip
    names = ["task", "block", "judge", "segment", "position", "system", "rank"]
    return units(pd.DataFrame(rows, columns=names))


def test_judges_are_numbered_by_name_and_counted_together():
    data = blocks_by("zoe", "ann", "zoe")
    assert data.judges.tolist() == [1, 0, 1] and default_unit(data) == "judge"
    by_judge = data.by("judge")
    assert by_judge.judges.tolist() == [0, 1] and data.by("block") is data
    won, decided = by_judge.decided_by_system()
    assert won.tolist() == [[2, 1, 0], [4, 2, 0]] and decided.tolist() == [[2, 2, 2], [4, 4, 4]]
    with pytest.raises(FrozenInstanceError):
        data.judges = by_judge.judges


def test_blocks_that_name_no_judge_are_units_of_their_own_only():
    data = blocks_by("ann", "", "")
    assert data.judges.tolist() == [0, -1, -1] and default_unit(data) == "block"
    assert data.owner("block").tolist() == [0, 1, 2] and data.by("block") is data
    with pytest.raises(DataError, match="blocks that name no judge; found '2 of 3'"):
        data.by("judge")
    with pytest.raises(DataError, match="unknown unit of resampling; found 'judgment'") as error:
        data.owner("judgment")
    assert error.value.expected == "block, judge"
