"""Halves of the documents, test sets and domains: would other documents rank the systems alike?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..errors import DataError
from ..ranking.tests import adjust_p
from ..scores.arrays import ScoreArrays
from ..scores.build import arrays_of_frame
from .common_ground import MIN_DOCUMENTS
from .repeat import kendall_tau

SETS = [
    "domain",
    "documents",
    "segments",
    "tau",
    "tau_low",
    "tau_high",
    "random",
    "random_low",
    "random_high",
    "p",
    "without",
    "without_random",
    "without_p",
    "p_holm",
]


def pool(parts: Mapping[str, ScoreArrays]) -> tuple[ScoreArrays, np.ndarray]:
    """Pool test sets of the same systems; also return the test set of each segment.

    Systems that not all parts judged are left out.

    Raises
    ------
    DataError
        For fewer than three common systems, and for a part that does not name its documents.
    """
    systems = sorted(set.intersection(*(set(part.systems) for part in parts.values())))
    if len(systems) < 3:
        raise DataError("no_common_ground", value=", ".join(systems) or None)
    frames = []
    for name, part in parts.items():
        if not part.has("document"):
            raise DataError("no_documents", value=name)
        frame = pd.DataFrame(
            {
                "system": np.array(part.systems, dtype=object)[part.system],
                "segment": [f"{name} {part.segments[code]}" for code in part.segment],
                "document": [f"{name} {code}" for code in part.units["document"]],
                "score": part.score,
                "set": name,
            }
        )
        frames.append(frame[frame["system"].isin(systems)])
    every = pd.concat(frames, ignore_index=True)
    arrays = arrays_of_frame(every)
    set_of = every.drop_duplicates("segment").set_index("segment")["set"]
    return arrays, set_of.reindex(list(arrays.segments)).to_numpy(object)


class _DocumentSums:
    """Sums and numbers of segment scores by document and system."""

    def __init__(self, arrays: ScoreArrays) -> None:
        if len(arrays.systems) < 3:
            raise DataError("too_few_systems", value=", ".join(arrays.systems))
        if not arrays.has("document"):
            raise DataError("no_documents", column="document")
        table = arrays.matrix()
        self.document = np.unique(arrays.segment_unit("document"), return_inverse=True)[1]
        self.segments = np.bincount(self.document)
        self.number = len(self.segments)
        known = np.isfinite(table)
        self.sums = np.zeros((self.number, table.shape[1]))
        self.counts = np.zeros_like(self.sums)
        np.add.at(self.sums, self.document, np.where(known, table, 0.0))
        np.add.at(self.counts, self.document, known)

    def means(self, weight: np.ndarray) -> np.ndarray:
        """Return system means with documents weighted: (..., documents) to (..., systems)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means: np.ndarray = (weight @ self.sums) / (weight @ self.counts)
        return means

    def random_sets(self, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
        """Draw sets of documents with about `size` segments: (draws, documents), 0 and 1."""
        order = np.argsort(rng.random((draws, self.number)), axis=1)
        length = self.segments[order]
        # the number of documents that comes nearest to `size`
        taken = np.cumsum(length, axis=1) - length / 2 < size
        sets = np.empty((draws, self.number))
        np.put_along_axis(sets, order, taken.astype(float), axis=1)
        return sets


def measure_halves(
    arrays: ScoreArrays, rng: np.random.Generator, draws: int = 1000
) -> pd.DataFrame:
    """Measure how far two halves of the documents agree: see `StudyComparison.halves`."""
    row: dict[str, float] = {"systems": len(arrays.systems), "documents": 0}
    row |= dict.fromkeys(("tau", "tau_low", "tau_high"), np.nan)
    if arrays.has("document") and len(arrays.systems) > 2:
        data = _DocumentSums(arrays)
        row["documents"] = data.number
        if data.number >= 2 * MIN_DOCUMENTS:
            half = data.random_sets(int(data.segments.sum()) // 2, draws, rng)
            tau = kendall_tau(data.means(half), data.means(1 - half))
            low, high = np.nanpercentile(tau, [2.5, 97.5])
            row |= {"tau": np.nanmean(tau), "tau_low": low, "tau_high": high}
    return pd.DataFrame([row])


def measure_sets(
    arrays: ScoreArrays,
    domains: np.ndarray,
    rng: np.random.Generator,
    draws: int = 1000,
) -> pd.DataFrame:
    """Measure how far each domain ranks the systems as all other documents do.

    Parameters
    ----------
    arrays : ScoreArrays
    domains : array of str, shape (segments,)
        The domain of each segment.
    """
    data = _DocumentSums(arrays)
    table = pd.DataFrame({"document": data.document, "domain": domains.astype(str)})
    table = table.drop_duplicates()
    if table["document"].duplicated().any():
        raise DataError("document_of_two_domains")
    of_document = table.sort_values("document")["domain"].to_numpy(str)
    known = sorted(set(of_document))
    if len(known) < 2:
        raise DataError("one_domain", value=", ".join(known))
    rows = [_measure_set(data, of_document == name, rng, draws) for name in known]
    result = pd.DataFrame(rows).assign(domain=known, p_holm=np.nan)
    tested = result["p"].notna()
    if tested.any():
        result.loc[tested, "p_holm"] = adjust_p(result.loc[tested, "p"].to_numpy(), "holm")
    return result[SETS]


def _measure_set(
    data: _DocumentSums, inside: np.ndarray, rng: np.random.Generator, draws: int
) -> dict[str, float]:
    mask = inside.astype(float)
    rest = 1 - mask
    size = int(inside.sum())
    segments = int(data.segments[inside].sum())
    outside = data.means(rest)
    everything = data.means(np.ones(data.number))
    row: dict[str, float] = dict.fromkeys(SETS[1:-1], np.nan)
    row |= {"documents": size, "segments": segments}
    row["tau"] = float(kendall_tau(data.means(mask), outside))
    row["without"] = float(kendall_tau(everything, outside))
    if min(size, data.number - size) < MIN_DOCUMENTS:
        return row
    counts = np.zeros((draws, data.number))
    for part in (inside, ~inside):
        number = int(part.sum())
        counts[:, part] = rng.multinomial(number, np.full(number, 1 / number), size=draws)
    resampled = kendall_tau(data.means(counts * mask), data.means(counts * rest))
    random = data.random_sets(segments, draws, rng)
    between = kendall_tau(data.means(random), data.means(1 - random))
    left_out = kendall_tau(everything, data.means(1 - random))
    row["tau_low"], row["tau_high"] = np.nanpercentile(resampled, [2.5, 97.5])
    row["random_low"], row["random_high"] = np.nanpercentile(between, [2.5, 97.5])
    for prefix, drawn, observed in (
        ("", between, "tau"),
        ("without_", left_out, "without"),
    ):
        row[f"{prefix}random"] = float(np.nanmean(drawn))
        no_better = (drawn <= row[observed] + 1e-12).sum()  # the observed set counts, too
        row[f"{prefix}p"] = float((1 + no_better) / (1 + len(drawn)))
    return row
