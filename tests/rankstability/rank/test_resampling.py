"""What is resampled of comparisons: judgments, blocks, judges."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest

from assessments import ranked, simulated
from rankcompanion.models.simulate import Model, draw_blocks, draw_qualities
from rankstability.errors import DataError
from rankstability.rank.resampling import UNITS, default_unit, resample_judgments, units
from rankstability.score.pairwise import PairCounts, pair_counts

WINS = np.array([[0, 30, 5], [20, 0, 12], [10, 3, 0]])


def test_the_multinomial_is_resampling_judgments():
    """Totals, means, variances and covariances are those of judgments drawn one by one."""
    counts, total = PairCounts(("a", "b", "c"), WINS, np.zeros_like(WINS)), WINS.sum()
    drawn = resample_judgments(counts, 20_000, np.random.default_rng(1)).wins
    assert (drawn.sum(axis=(1, 2)) == total).all()
    flat, p = drawn.reshape(len(drawn), -1).astype(float), WINS.ravel() / total
    assert np.abs(flat.mean(axis=0) - WINS.ravel()).max() < 0.2
    assert np.abs(np.cov(flat.T) - total * (np.diag(p) - np.outer(p, p))).max() < 0.6


def test_ties_are_judgments_too():
    data = simulated(tied=True)
    assert data.counts.ties.any()
    drawn = data.resample("judgment", 50, np.random.default_rng(1))
    assert (drawn.wins.sum((1, 2)) + drawn.ties.sum((1, 2)) // 2 == data.counts.comparisons).all()
    assert (drawn.ties == drawn.ties.transpose(0, 2, 1)).all()
    assert not data.decided().resample("judgment", 5, np.random.default_rng(1)).ties.any()


@pytest.mark.parametrize("unit", UNITS)
def test_every_unit_is_unbiased(unit):
    """Resampled counts have the campaign's counts as their mean, whatever is drawn."""
    data = simulated()
    drawn = data.resample(unit, 4000, np.random.default_rng(2))
    error = (drawn.wins.mean(axis=0) - data.counts.wins) / (drawn.wins.std(axis=0) / 4000**0.5 + 1)
    assert drawn.wins.shape == (4000, 6, 6) and np.abs(error).max() < 4.5


def test_blocks_are_drawn_whole():
    """A campaign of equal blocks resamples to itself; one judge alone always gives all blocks."""
    rows = [("x", b, "J1", 1, k + 1, "abc"[k], min(k + 1, 2)) for b in range(10) for k in range(3)]
    names = ["task", "block", "judge", "segment", "position", "system", "rank"]
    frame = pd.DataFrame(rows, columns=names)
    data = units(frame)
    for unit in ("block", "judge"):
        drawn = data.resample(unit, 20, np.random.default_rng(1))
        assert (drawn.wins == data.counts.wins).all() and (drawn.ties == data.counts.ties).all()
    assert data.resample("judgment", 20, np.random.default_rng(1)).wins[:, 0, 1].std() > 0
    with pytest.raises(DataError, match="unit"):
        data.resample("sentence", 2, np.random.default_rng(1))


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
    assert error.value.expected == "judgment, block, judge"


def test_many_resamples_are_drawn_in_parts_and_each_is_a_whole_campaign():
    data = blocks_by(*map(str, range(1001)))
    drawn = data.resample("block", 4001, np.random.default_rng(1))
    assert drawn.wins.shape == (4001, 3, 3) and (drawn.wins[:, 0, 1] == 1001).all()
