"""Factors that make judgments dependent: workers, documents, segments and their combinations."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rankstability.judgments import DirectAssessment, counted

TOGETHER = ("worker:system", "block", "document:system")
"""Combinations of factors that make judgments of one system dependent."""
FACTORS = ("system", "worker", "document", "segment", *TOGETHER)


def codes_of(frame: pd.DataFrame, column: str, rows: np.ndarray) -> np.ndarray:
    """The codes of a categorical column on these rows."""
    return frame[column].cat.codes.to_numpy()[rows].astype(np.int64)


def has_documents(da: DirectAssessment) -> bool:
    """Whether all judgments that count name their document."""
    return bool((codes_of(da.good, "document", counted(da.good)) >= 0).all())


def judgment_weights(da: DirectAssessment, rows: np.ndarray) -> np.ndarray:
    """One over the number of judgments of the same system and segment, so that segments are equal.

    System means of the scores by the method ``model`` are then exactly the system effects.
    """
    segment = codes_of(da.good, "segment", rows)
    key = codes_of(da.good, "system", rows) * (segment.max() + 1) + segment
    return 1.0 / np.bincount(key)[key]


def factors(da: DirectAssessment, rows: np.ndarray) -> dict[str, np.ndarray]:
    """`combined_factors` of these rows of ``da.good``."""
    of = {n: codes_of(da.good, n, rows) for n in ("system", "segment", "worker", "document")}
    if not has_documents(da):
        del of["document"]
    return combined_factors(**of)


def combined_factors(
    system: np.ndarray,
    segment: np.ndarray,
    worker: np.ndarray | None = None,
    document: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Codes of system, worker, document, segment and their combinations, by name.

    ``worker:system`` and ``document:system`` combine a worker or a document with a system; a
    ``block`` is what one worker judged of one document of one system. Without workers or documents,
    the factors that need them are absent.
    """
    of = {"system": system, "worker": worker, "document": document, "segment": segment}
    systems = int(system.max()) + 1
    for name, codes in (("worker:system", worker), ("document:system", document)):
        of[name] = None if codes is None else codes.astype(np.int64) * systems + system
    if worker is not None and document is not None:
        of["block"] = (worker.astype(np.int64) * (document.max() + 1) + document) * systems + system
    return {n: codes for n in FACTORS if (codes := of.get(n)) is not None}
