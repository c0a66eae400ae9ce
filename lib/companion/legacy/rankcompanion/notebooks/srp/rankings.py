"""MQM systems by all ratings of a campaign: means, and rankings under each normalisation."""

import numpy as np
import pandas as pd

from companion.legacy.rankstability.rank.ranking import Ranking, rank
from companion.legacy.rankstability.rank.significance import permutation_test
from companion.legacy.rankstability.score.mqm import NORMALISATIONS, Ratings, rater_scaling

PERMUTATIONS = 500
SEED = 20240601


def system_means(data: Ratings) -> pd.DataFrame:
    """Mean MQM per system over all ratings, best first: rank, system, score, errors, ratings.

    Scores and errors are per segment and rating (Riley et al. 2024, appendix 10.2).
    """
    n = data.segments.sum() * data.shape[2]
    frame = pd.DataFrame(
        {
            "system": data.systems,
            "score": data.score.sum(axis=(1, 2)) / n,
            "errors": data.errors.sum(axis=(1, 2)) / n,
            "ratings": int(n),
        }
    )
    frame = frame.sort_values(["score", "system"], ignore_index=True)
    frame.insert(0, "rank", range(1, len(frame) + 1))
    return frame


def same_system(systems: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Ids of systems judged more than once, by system: ``X_with_A``, ``X_with_B`` (en-de 2023)."""
    groups: dict[str, list[str]] = {}
    for system in systems:
        base, mark, _ = system.partition("_with_")
        if mark or base in systems:
            groups.setdefault(base, []).append(system)
    return [tuple(g) for g in groups.values() if len(g) > 1]


def normalised(data: Ratings, how: str = "none") -> np.ndarray:
    """Sums of segment scores per system and document, (S, D): normalised, averaged over ratings.

    Raters are normalised by all their ratings in `data` (see `rater_scaling`).
    """
    size = len(data.raters)

    def per_rater(values: np.ndarray) -> np.ndarray:
        return np.bincount(data.slots.ravel(), values.ravel(), minlength=size)

    segments = np.broadcast_to(
        data.segments[:, None].astype(float), data.slots.shape
    )
    sums = (
        per_rater(x.sum(axis=0))
        for x in (data.score, data.square, data.errors)
    )
    a, b = rater_scaling(how, per_rater(len(data.systems) * segments), *sums)
    scaled = a[data.slots] * data.score + b[data.slots] * segments
    return scaled.sum(axis=2) / data.shape[2]


def rank_ratings(data: Ratings, normalisation: str = "none") -> Ranking:
    """Systems by mean score per segment, with ratings normalised, then averaged for each item.

    The score is the negative of MQM, so that higher is better as everywhere in `Ranking`; the test
    is that of Riley et al. (2024, section 5), which swaps labels document by document.

    `normalisation`, by all systems in `data`, is a name of `mqm.NORMALISATIONS`.

    Returns
    -------
    Ranking
        Columns rank, system, minus_mqm (in the unit of the normalisation), errors (per segment and
        rating, as marked), cluster.
    """
    systems, _, depth = data.shape
    sums = normalised(data, normalisation)
    flat, _ = permutation_test(
        sums[None], PERMUTATIONS, np.random.default_rng(SEED)
    )
    p = np.full((systems, systems), np.nan)
    i, j = np.triu_indices(systems, 1)
    p[i, j] = p[j, i] = flat[0]
    means = -sums.sum(axis=1) / data.segments.sum()
    errors = data.errors.sum(axis=(1, 2)) / (data.segments.sum() * depth)
    table = pd.DataFrame(
        {"system": data.systems, "minus_mqm": means + 0.0, "errors": errors}
    )
    lead = np.subtract.outer(means, means)
    return rank(
        table, p, lead, by="minus_mqm", test=f"{PERMUTATIONS} permutations"
    )


def by_normalisation(data: Ratings) -> pd.DataFrame:
    """The rankings under all normalisations, in one frame.

    Columns normalisation, rank, system, minus_mqm, cluster, line_below (0 or 1).
    """
    frames = [
        rank_ratings(data, name).named(normalisation=name)
        for name in NORMALISATIONS
    ]
    return pd.concat(frames, ignore_index=True)
