"""The scale of scores: the lowest and the highest that could be given, as the data show it."""

import numpy as np
import pandas as pd

Range = tuple[float, float]
PERCENT, PENALTIES = (
    (0.0, 100.0),
    (-np.inf, 0.0),
)  # scales that formats prescribe
SCALES: tuple[Range, ...] = (
    (0, 1),
    (1, 5),
    (0, 6),
    (1, 7),
    (0, 10),
    (0, 100),
)  # in this order
CODES, SLIPS = (
    2,
    0.01,
)  # values, or share of scores, beside a smaller scale that are strays
ENOUGH, MANY = (
    10,
    100,
)  # scores that must be on it; the second if the larger one has few steps
APART = 0.05  # or this share, beyond a gap twice as wide as any on it
WIDEST_Z = 10  # standardised scores are nearer to 0
GAP, TIMES = (
    25,
    4,
)  # far from the rest: by this much, and this many times the range of the rest


def scale_of(scores: np.ndarray) -> Range:
    """The scale that finite `scores` are on, or most of them: the others are strays.

    It is the first of `SCALES` that holds every score, unless all but a few are on a smaller one.
    If all are 0 or below (penalties, such as averages of MQM), it goes from the lowest to 0; if
    there are fractions on both sides of 0, near it (standardised scores), from the lowest to the
    highest; but a score far from the rest is a stray.
    """
    given = pd.Series(scores).value_counts().sort_index()  # score -> how often
    lowest = float(given.index[0])
    highest = float(given.index[-1])
    held = next(
        (one for one in SCALES if one[0] <= lowest and highest <= one[1]), None
    )
    small = [one for one in SCALES if held and _but_few(given, one, held)]
    if held and not small:
        return held
    standardised = (
        highest > 0 and _fractions(given.loc[:0]) and _fractions(given.loc[0:])
    )
    if highest <= 0 or standardised:
        rest = _rest(given)
        if rest != (lowest, highest):
            return rest
        if highest <= 0 or max(-lowest, highest) < WIDEST_Z:
            return lowest, max(highest, 0.0)
    wide = [(-WIDEST_Z, WIDEST_Z)] if standardised else []
    inside = {
        one: given.loc[slice(*one)].sum()
        for one in small or [*SCALES, PENALTIES, *wide]
    }
    most = max(inside, key=inside.__getitem__)
    return most if inside[most] else PERCENT


def usual(scores: np.ndarray, scale: Range) -> str:
    """What is expected of a score that is a stray: the scale, and how many scores are on it."""
    low, high = scale
    inside = int(((scores >= low) & (scores <= high)).sum())
    said = f"{low:g} to {high:g}" if np.isfinite(low) else f"at most {high:g}"
    return said + (
        f", as {inside} of {len(scores)} scores are" if inside else ""
    )


def _fractions(given: pd.Series) -> bool:
    return bool((given.index != np.rint(given.index)).any())


def _but_few(given: pd.Series, scale: Range, held: Range) -> bool:
    """Whether all but a few scores are on a smaller scale than `held`: slips, or codes.

    If `held` has few steps, the others must be fractions from 0 to 1, or many that plainly use the
    smaller scale: with both ends of it among them, or far apart from what is beside it.
    """
    inside = given.loc[slice(*scale)]
    number = inside.sum()
    total = given.sum()
    others = len(given) - len(inside)
    within = held[0] <= scale[0] and scale[1] <= held[1]
    if not (others and within and number >= max(ENOUGH, total / 2)):
        return False
    if held[1] > 10 or (scale == SCALES[0] and _fractions(inside)):
        return bool(
            total - number <= SLIPS * total
            or others <= min(CODES, len(inside) - 1)
        )
    used = inside.index.to_numpy()
    beside = given.index.difference(inside.index)
    gap = min(float(np.abs(used - value).min()) for value in beside)
    most = SLIPS if {*scale} <= {*used} else 0.0
    most = APART if gap >= 2 * np.diff(used).max(initial=0) else most
    return bool(
        number >= MANY
        and others < len(used)
        and total - number <= most * total
    )


def _rest(given: pd.Series) -> Range:
    """The lowest and highest score, apart from scores that a wide gap separates from most."""
    values = given.index.to_numpy()
    gap = float(GAP)
    rest = values
    for _ in range(
        2 if given.sum() >= ENOUGH else 0
    ):  # the second gap depends on the rest
        group = np.append(0, np.cumsum(np.diff(values) > gap))
        rest = values[group == np.bincount(group, given).argmax()]
        gap = max(GAP, TIMES * float(np.ptp(rest)))
    return float(rest[0]), float(rest[-1])
