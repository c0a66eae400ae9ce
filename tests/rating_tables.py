"""Small tables of ratings for tests, given by formulas."""

from collections.abc import Callable, Iterable

import numpy as np

from rankstability.scores.arrays import ScoreArrays


def rating_arrays(rows: Iterable[tuple], **fields: object) -> ScoreArrays:
    """Return arrays from rows of system, segment, document, annotator and score (numbers)."""
    system, segment, document, annotator, score = (np.array(c) for c in zip(*rows, strict=True))
    units = {"annotator": annotator, "document": document}
    names = {
        kind: tuple(f"{kind}{k}" for k in range(codes.max() + 1)) for kind, codes in units.items()
    }
    return ScoreArrays(
        tuple(f"s{k}" for k in range(system.max() + 1)),
        tuple(map(str, range(segment.max() + 1))),
        system,
        segment,
        score.astype(float),
        units,
        names,
        **fields,
    )


def first_score(s: int, d: int, a: int) -> int:
    return 2 * (4 - s) + (3 * s + 5 * d + 7 * a + 2 * s * d + s * a) % 11


def second_score(s: int, d: int, a: int) -> int:
    return 3 * (s == 1) + (4 * s + 7 * d + 2 * a + s * s * d + 3 * s * a) % 9


def wave_score(s: int, d: int, a: int) -> int:
    return 2 * (s == 1) + (3 * s + 5 * d + 4 * a + 2 * s * d + 5 * s * a) % 11


def crossed(
    score: Callable[[int, int, int], int] = first_score,
    systems: int = 5,
    documents: int = 6,
    annotators: int = 4,
    keep: Callable[[int, int], bool] = lambda s, d: True,
    shift: tuple[int, int] = (0, 0),
) -> ScoreArrays:
    """Return a table in which annotators d and d + 1 (modulo their number) judge document d.

    A document is one segment. `shift` is added to the numbers of documents and annotators.
    """
    rows = [
        (s, d + shift[0], d + shift[0], a + shift[1], score(s, d, a))
        for s in range(systems)
        for d in range(documents)
        for a in (d % annotators, (d + 1) % annotators)
        if keep(s, d)
    ]
    return rating_arrays(rows)


def random_ratings(
    seed: int, systems: int = 5, annotators: int = 6, documents: int = 12, missing: float = 0.0
) -> ScoreArrays:
    """Return ratings of three segments per document by two annotators, with effects of all units."""
    rng = np.random.default_rng(seed)
    effect = rng.normal(0, 5, (annotators, systems)), rng.normal(0, 5, (documents, systems))
    rows = []
    for d in range(documents):
        pair = rng.choice(annotators, 2, replace=False)
        for k in range(3):
            for s in range(systems):
                if rng.random() < missing:
                    continue
                for a in pair:
                    score = 70 - 3 * s + effect[0][a, s] + effect[1][d, s] + rng.normal(0, 8)
                    rows.append((s, 3 * d + k, d, int(a), score))
    return rating_arrays(rows)
