"""Campaigns with known variance components, in several designs."""

import numpy as np

from rankstability.scores.arrays import ScoreArrays

VARIANCE = {
    "annotator": 1.0,
    "document": 0.3,
    "segment": 0.2,
    "annotator x system": 0.1,
    "block": 0.3,
    "document x system": 0.09,
    "residual": 1.0,
}
SEGMENTS = 2  # of a document


def assign(design, annotators, documents, systems, ratings, per_annotator, rng):
    """Return document, system and annotator of each block."""
    document, system = (code.ravel() for code in np.indices((documents, systems)))
    number = len(document)
    blocks = []
    for k in range(ratings):
        if design == "crossed":  # an annotator judges a document of all systems
            annotator = rng.permutation(np.arange(documents) % annotators)[document]
        elif design == "SR+DC":  # another annotator for each output
            annotator = rng.permutation(np.arange(number) % annotators)
        else:  # balanced: each annotator judges all systems equally often
            annotator = (document + system + k * (annotators // 2)) % annotators
        blocks.append((document, system, annotator))
    if design == "random":  # each annotator judges random outputs
        drawn = [rng.choice(number, per_annotator, replace=False) for _ in range(annotators)]
        block = np.concatenate(drawn)
        annotator = np.repeat(np.arange(annotators), per_annotator)
        blocks = [(document[block], system[block], annotator)]
    return [np.concatenate(part) for part in zip(*blocks, strict=True)]


def simulate(design, annotators, documents, systems, rng, ratings=1, per_annotator=0, truth=None):
    """Return the judgments of one campaign; systems are equal unless a `truth` is given."""
    document, system, annotator = (
        np.repeat(code, SEGMENTS)
        for code in assign(design, annotators, documents, systems, ratings, per_annotator, rng)
    )
    segment = document * SEGMENTS + np.tile(np.arange(SEGMENTS), len(document) // SEGMENTS)
    codes = {
        "annotator": annotator,
        "document": document,
        "segment": segment,
        "annotator x system": annotator * systems + system,
        "document x system": document * systems + system,
        "block": (annotator * documents + document) * systems + system,
    }
    score = np.sqrt(VARIANCE["residual"]) * rng.standard_normal(len(system))
    for name, code in codes.items():
        score += np.sqrt(VARIANCE[name]) * rng.standard_normal(int(code.max()) + 1)[code]
    if truth is not None:
        score += np.asarray(truth)[system]
    segment = np.unique(segment, return_inverse=True)[1]
    document = np.unique(document, return_inverse=True)[1]
    units = {"annotator": annotator, "document": document}
    return ScoreArrays(
        tuple(f"s{k:02}" for k in range(systems)),
        tuple(map(str, range(int(segment.max()) + 1))),
        system,
        segment,
        score,
        units,
        {name: tuple(map(str, range(int(code.max()) + 1))) for name, code in units.items()},
    )
