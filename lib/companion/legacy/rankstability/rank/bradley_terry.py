"""Bradley-Terry strengths with ties (Davidson 1970) from counts, and the influence of judges."""

from dataclasses import replace

import numpy as np
from scipy.sparse.csgraph import (
    NegativeCycleError,
    bellman_ford,
    connected_components,
)

from ..errors import DataError
from ..score.pairwise import PairCounts
from .resampling import Units

STEPS = 100
ENOUGH = 1e-10
STRENGTH = "strength"  # the name of Davidson's strengths among the scores of comparisons


def finite(counts: PairCounts) -> bool:
    """Whether the maximum-likelihood strengths and tie parameter are finite.

    Chains of wins and ties must lead from each system to every other. If there are ties, some cycle
    must also have more wins than ties: otherwise the likelihood never stops growing as the tie
    parameter and the strengths grow together (as with a single win among ties).
    """
    linked = counts.wins + counts.ties > 0
    if connected_components(linked, connection="strong")[0] > 1:
        return False
    if not counts.ties.any():
        return True
    try:
        bellman_ford(linked - 2 * (counts.wins > 0), indices=0)
    except NegativeCycleError:
        return True
    return False


def largest_group(counts: PairCounts) -> np.ndarray:
    """Whether each system is in the largest group with finite strengths: (systems,).

    Within a group, chains of wins and ties lead from each system to every other; of groups of one
    size, the one with most comparisons counts. Nobody is in it if even that is a system alone, or
    has infinite strengths (see `finite`).
    """
    linked = counts.wins + counts.ties > 0
    of = connected_components(linked, connection="strong")[1]
    made = (counts.wins + counts.wins.T + counts.ties).sum(axis=1)
    size = np.bincount(of)
    number = np.bincount(of, made)
    inside = of == np.lexsort((-number, -size))[0]
    outside = np.array(counts.systems, dtype=object)[~inside]
    return inside & (inside.sum() > 1 and finite(counts.without(*outside)))


def strengths(counts: PairCounts) -> np.ndarray:
    """Strengths by `davidson`; if infinite, after adding a win in each direction to every pair.

    In the latter case they order systems, but do not say how far apart they are.
    """
    if not finite(counts):
        counts = replace(
            counts,
            wins=counts.wins + 1 - np.eye(len(counts.systems), dtype=int),
        )
    return davidson(counts)[0]


def davidson(counts: PairCounts) -> tuple[np.ndarray, float]:
    """Strengths (log odds, mean 0) and the tie parameter by maximum likelihood, by Newton's method.

    The probabilities of a win of i, a win of j and a tie are proportional to exp(s_i), exp(s_j) and
    v exp((s_i + s_j) / 2) (Davidson 1970); without ties, v is 0 and this is Bradley-Terry. Raises
    DataError if strengths are infinite (see `finite`).
    """
    n = len(counts.systems)
    wins = counts.wins.astype(float)
    ties = counts.ties.astype(float)
    if not finite(counts):
        inside = largest_group(counts)
        names = np.array(counts.systems, dtype=object)
        raise DataError(
            "no finite strengths: some systems never lose, or never win, against the others, or "
            "nearly all comparisons are ties",
            value=tuple(names[~inside]),
            expected="wins and losses that connect all systems; `remove` leaves some out",
        )
    strength = np.zeros(n)
    log_tie = 0.0 if ties.any() else -np.inf
    number = wins + wins.T + ties
    for _ in range(STEPS):
        lead, draw = _expected(strength, np.exp(log_tie))
        gradient = np.append(
            ((wins - wins.T) / 2 - number * lead).sum(axis=1),
            (ties - number * draw).sum() / 2,
        )
        step = _inverse_information(number, lead, draw) @ gradient
        step *= min(1.0, 3.0 / max(np.abs(step).max(), 1e-300))
        strength = strength + step[:n]
        log_tie = log_tie + step[n]
        if np.abs(step).max() < ENOUGH:
            break
    return strength - strength.mean(), float(np.exp(log_tie))


def _expected(
    strength: np.ndarray, tie: float
) -> tuple[np.ndarray, np.ndarray]:
    """(P(i wins) - P(j wins)) / 2, and P(tie), for each pair."""
    half = (strength[:, None] - strength[None, :]) / 2
    total = np.exp(half) + np.exp(-half) + tie
    return (np.exp(half) - np.exp(-half)) / 2 / total, tie / total


def _inverse_information(
    number: np.ndarray, lead: np.ndarray, draw: np.ndarray
) -> np.ndarray:
    """Inverse information of strengths and the log tie parameter, (n + 1, n + 1); no ties: 0."""
    n = len(number)
    weight = number * ((1 - draw) / 4 - lead**2)
    mixed = -(number * draw * lead).sum(axis=1)
    out = np.empty((n + 1, n + 1))
    out[:n, :n] = np.diag(weight.sum(axis=1)) - weight
    out[:n, n] = out[n, :n] = mixed
    out[n, n] = (number * draw * (1 - draw)).sum() / 2
    return np.linalg.pinv(out, rcond=1e-12, hermitian=True)


def influences(
    counts: PairCounts,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Strengths, and the effects of a win, and of a tie, of each pair on them, (n * n, n) each.

    Pair (i, j) is at i * n + j. The effects are those of one Newton step. Raises DataError if
    strengths are infinite.
    """
    strength, tie = davidson(counts)
    lead, draw = _expected(strength, tie)
    number = (counts.wins + counts.wins.T + counts.ties).astype(float)
    inverse = _inverse_information(number, lead, draw)
    sign = np.eye(len(strength))[:, None] - np.eye(len(strength))[None]
    win = np.concatenate(
        [(0.5 - lead)[..., None] * sign, -draw[..., None]], axis=2
    )
    tied = np.concatenate(
        [-lead[..., None] * sign, 1 - draw[..., None]], axis=2
    )
    win, tied = (
        (score @ inverse)[..., :-1].reshape(-1, len(strength))
        for score in (win, tied)
    )
    return strength, win, tied


def judge_influence(
    data: Units, unit: str = "judge"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Davidson strengths, (systems,); the influence of units on them, and units' comparisons.

    `unit` is ``judge`` or ``block``. The influence is the unit's score times the inverse
    information, comparisons are counted for each system: both (units, systems). Raises DataError as
    `influences` and `Units.owner` do.
    """
    owner = data.owner(unit)
    strength, win, tie = influences(data.counts)
    one = np.eye(len(strength))
    sides = np.abs(one[:, None] - one).reshape(win.shape)
    # ties are in both directions
    influence = data.wins @ win + data.ties @ tie / 2
    made = (data.wins + data.ties / 2) @ sides
    influence, made = (
        np.stack([np.bincount(owner, x) for x in part.T], axis=1)
        for part in (influence, made)
    )
    return strength, influence, made
