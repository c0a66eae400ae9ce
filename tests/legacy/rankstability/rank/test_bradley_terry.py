"""Bradley-Terry and Davidson against choix, SciPy and coverage."""

import choix
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import bradley_terry, resampling
from companion.legacy.rankstability.rank.certainty import of_battles
from companion.legacy.rankstability.score.pairwise import PairCounts


def counts(wins, ties=None):
    wins = np.asarray(wins)
    ties = np.zeros_like(wins) if ties is None else np.asarray(ties)
    return PairCounts(tuple(f"s{k}" for k in range(len(wins))), wins, ties)


def some_wins(seed, n=5, most=30):
    wins = np.random.default_rng(seed).integers(1, most, (n, n))
    np.fill_diagonal(wins, 0)
    return wins


@pytest.mark.parametrize("seed", range(3))
def test_without_ties_strengths_are_those_of_choix(seed):
    wins = some_wins(seed)
    got, tie = bradley_terry.davidson(counts(wins))
    pairs = [(i, j) for i, j in np.argwhere(wins) for _ in range(wins[i, j])]
    assert tie == 0 and got == pytest.approx(choix.ilsr_pairwise(5, pairs), abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_with_ties_they_are_the_maximum_of_davidsons_likelihood(seed):
    wins, ties = some_wins(seed), np.triu(some_wins(seed + 9, most=12), 1)
    ties = ties + ties.T

    def loss(x):
        s, v = np.append(x[:4], -x[:4].sum()), np.exp(x[4])
        a, b = s[:, None], s[None, :]
        total = np.exp(a) + np.exp(b) + v * np.exp((a + b) / 2)
        log = wins * (a - np.log(total)) + ties / 2 * (x[4] + (a + b) / 2 - np.log(total))
        return -log[~np.eye(5, dtype=bool)].sum()

    best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).x
    got, tie = bradley_terry.davidson(counts(wins, ties))
    assert got[:4] == pytest.approx(best[:4], abs=1e-5)
    assert tie == pytest.approx(np.exp(best[4]), abs=1e-5)


def test_strengths_of_very_uneven_counts_expect_the_wins_that_were_seen():
    """Newton's whole steps go astray here."""
    wins = np.array([
        [0, 23, 0, 81122, 102], [0, 0, 2, 1, 0], [60576668, 14116, 0, 1, 116180827],
        [0, 73311, 0, 0, 128938919], [230, 1373, 0, 0, 0],
    ])  # fmt: skip
    strength = bradley_terry.davidson(counts(wins))[0]
    expected = (wins + wins.T) * expit(strength[:, None] - strength)
    assert expected.sum(axis=1) == pytest.approx(wins.sum(axis=1), rel=1e-6)


def by_judges(rng, judges=40, each=30, taste=0.5, truth=(0.8, 0.3, 0.0, -0.4, -0.7), tied=0.4):
    truth, rows = np.array(truth), []
    for judge in range(judges):
        own = truth + rng.normal(0, taste, len(truth))
        for k in range(each):
            a, b = rng.choice(len(truth), 2, replace=False)
            x = own[a] - own[b] + rng.logistic()
            ranks = (1, 1) if abs(x) < tied else (1, 2) if x > 0 else (2, 1)
            block = judge * each + k
            rows += [("t", block, judge, "x", p + 1, f"s{s}", r)
                     for p, (s, r) in enumerate(zip((a, b), ranks, strict=True))]  # fmt: skip
    columns = ["task", "block", "judge", "segment", "position", "system", "rank"]
    return resampling.units(pd.DataFrame(rows, columns=columns))


@pytest.mark.parametrize("tied", [0.4, 0.0])
def test_errors_by_judge_are_those_of_leaving_out_one_judge_after_the_other(tied):
    data = by_judges(np.random.default_rng(0), judges=25, tied=tied)
    assert data.ties.sum() > 0 or not tied
    got = of_battles(data, "judge")
    left = []
    for judge in range(25):
        keep = data.judges != judge
        one = resampling.Units(data.systems, data.wins[keep], data.ties[keep], data.judges[keep])
        left.append(bradley_terry.davidson(one.counts)[0])
    jackknife = np.cov(np.array(left).T, ddof=0) * 24
    expected = np.sqrt(np.diag(jackknife))[got.order]
    assert np.sqrt(np.diag(got.covariance)) == pytest.approx(expected, rel=0.1)
    assert got.units == {"judge": 25}
    blocks = of_battles(data, "block")
    assert blocks.units == {"block": len(data.judges)} == {"block": 25 * 30}
    # judges have tastes: blocks alone promise too much
    assert np.sqrt(got.variance).sum() > 1.05 * np.sqrt(blocks.variance).sum()


@pytest.mark.parametrize(
    ("won", "tied", "finite"),
    [
        ([(0, 1)], [(0, 1), (1, 2), (0, 2)], False),  # one win among ties: no strength is enough
        ([(0, 1), (1, 2), (2, 0)], [(0, 1)], True),  # round and round: wins alone
        ([(0, 1), (1, 2)], [(0, 2)], True),  # two wins down, one tie back
        ([(0, 1), (1, 0)], [(0, 1), (1, 2)], True),
        ([], [(0, 1), (1, 2)], False),
        ([(0, 1), (2, 1)], [], False),
    ],
)
def test_strengths_are_finite_just_where_the_likelihood_has_a_maximum(won, tied, finite):
    wins, ties = np.zeros((2, 3, 3), int)
    for i, j in won:
        wins[i, j] += 10
    for i, j in tied:
        ties[i, j] = ties[j, i] = 10
    data = counts(wins, ties)
    assert bradley_terry.finite(data) is finite
    if finite:
        with np.errstate(all="raise"):
            strength, _ = bradley_terry.davidson(data)
        assert np.abs(strength).max() < 5
    else:
        with pytest.raises(DataError, match="no finite strengths"):
            bradley_terry.davidson(data)
        assert np.isfinite(bradley_terry.strengths(data)).all()


@pytest.mark.parametrize(
    ("won", "tied", "inside"),
    [
        ({(0, 1): 2, (1, 0): 1, (0, 2): 9}, {}, [0, 1]),  # the third only lost
        ({(0, 1): 2, (1, 0): 1, (2, 0): 9}, {}, [0, 1]),  # the third only won
        ({(0, 1): 2, (1, 0): 1}, {(2, 1): 4}, [0, 1, 2]),  # ties lead to and fro
        ({(0, 1): 1, (1, 0): 1, (2, 3): 2, (3, 2): 1}, {}, [2, 3]),  # as large: most comparisons
        ({(0, 1): 2, (1, 0): 1, (2, 3): 1, (3, 2): 1}, {}, [0, 1]),
        ({(0, 1): 5, (1, 2): 5}, {}, []),  # nobody has a way back
        ({}, {(0, 1): 5, (1, 2): 5}, []),  # ties alone have no finite share
    ],
)
def test_the_largest_group_is_that_of_which_each_reaches_each(won, tied, inside):
    wins, ties = np.zeros((2, 4, 4), int)
    for pair, number in won.items():
        wins[pair] = number
    for (i, j), number in tied.items():
        ties[i, j] = ties[j, i] = number
    assert np.flatnonzero(bradley_terry.largest_group(counts(wins, ties))).tolist() == inside


def test_who_has_no_finite_strength_is_named():
    wins = np.array([[0, 5, 0, 0], [3, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0]])
    data = PairCounts(("a", "b", "won", "also"), wins, np.zeros_like(wins))
    with pytest.raises(DataError, match="no finite strengths") as error:
        bradley_terry.davidson(data)
    assert error.value.value == ("won", "also")


def test_the_information_is_the_curvature_of_the_log_likelihood():
    strength, log_tie = np.array([0.7, -0.2, 0.1, -0.6]), -0.4
    number = np.array([[0, 30, 12, 8], [30, 0, 25, 9], [12, 25, 0, 40], [8, 9, 40, 0]], float)

    def normaliser(theta):  # the part of minus the log likelihood that is not linear
        half = (theta[:4, None] - theta[None, :4]) / 2
        return (number * np.log(np.exp(half) + np.exp(-half) + np.exp(theta[4]))).sum() / 2

    at, steps = np.append(strength, log_tie), np.eye(5) * 1e-3
    curved = np.array([
        [
            sum(s * t * normaliser(at + s * one + t * two) for s in (1, -1) for t in (1, -1))
            for one in steps
        ]
        for two in steps
    ]) / 4e-6  # fmt: skip
    lead, draw = bradley_terry._expected(strength, float(np.exp(log_tie)))
    inverse = bradley_terry._inverse_information(number, lead, draw)
    expected = np.linalg.pinv(curved, rcond=1e-5, hermitian=True)
    np.testing.assert_allclose(inverse, expected, atol=1e-5)


@pytest.mark.parametrize("tied", [0, 1])
def test_the_effect_of_a_win_and_of_a_tie_is_that_of_a_small_part_of_one_more(tied):
    wins = some_wins(3, n=4).astype(float)
    ties = tied * (lambda x: x + x.T)(np.triu(some_wins(5, n=4, most=9), 1)).astype(float)
    strength, *effects = bradley_terry.influences(counts(wins, ties))
    win, tie = (effect.reshape(4, 4, 4) for effect in effects)
    assert strength == pytest.approx(bradley_terry.davidson(counts(wins, ties))[0])
    for i, j in [(0, 1), (1, 0), (2, 3), (3, 0)]:
        more = wins.copy()
        more[i, j] += 1e-4
        moved = bradley_terry.davidson(counts(more, ties))[0] - strength
        assert win[i, j] == pytest.approx(moved / 1e-4, abs=1e-4)
        if tied:
            level = ties.copy()
            level[i, j] = level[j, i] = level[i, j] + 1e-4
            moved = bradley_terry.davidson(counts(wins, level))[0] - strength
            assert tie[i, j] == pytest.approx(moved / 1e-4, abs=1e-4)
            assert tie[j, i] == pytest.approx(tie[i, j])


def test_the_influence_of_a_judge_is_the_sum_of_its_battles():
    data = by_judges(np.random.default_rng(2), judges=5, each=20)
    strength, *effects = bradley_terry.influences(data.counts)
    win, tie = (effect.reshape(5, 5, 5) for effect in effects)
    of_judge = bradley_terry.judge_influence(data)
    of_block = bradley_terry.judge_influence(data, "block")
    np.testing.assert_allclose(of_judge[0], strength)
    for k in range(5):
        mine = data.by("judge")
        won, tied = (x[[k]].toarray().reshape(5, 5) for x in (mine.wins, mine.ties))
        expected = np.einsum("ij,ijk->k", won, win) + np.einsum("ij,ijk->k", np.triu(tied), tie)
        np.testing.assert_allclose(of_judge[1][k], expected)
        np.testing.assert_allclose(of_judge[1][k], of_block[1][data.judges == k].sum(axis=0))
        assert of_judge[2][k].tolist() == (won + won.T + tied).sum(axis=1).tolist()
    assert of_block[2].sum(axis=1).tolist() == [2.0] * 100  # two systems met in each


def test_where_strengths_are_infinite_a_win_each_way_is_added_to_every_pair():
    never_lost = counts([[0, 1], [0, 0]])
    assert bradley_terry.strengths(never_lost) == pytest.approx([np.log(2) / 2, -np.log(2) / 2])
    some = counts([[0, 3], [1, 0]])
    assert bradley_terry.strengths(some) == pytest.approx([np.log(3) / 2, -np.log(3) / 2])


def test_of_groups_of_one_size_ties_count_as_comparisons():
    wins, ties = np.zeros((2, 4, 4), int)
    wins[0, 1] = wins[1, 0] = 2
    wins[2, 3] = wins[3, 2] = 1
    ties[2, 3] = ties[3, 2] = 9
    assert bradley_terry.largest_group(counts(wins, 0 * ties)).tolist() == [
        True,
        True,
        False,
        False,
    ]
    assert not bradley_terry.largest_group(counts(wins, ties)).tolist()[0]
    assert bradley_terry.largest_group(counts(wins, ties)).tolist() == [False, False, True, True]
