"""Would another test set rank the systems alike: halves of documents, domains, other texts.

A test set is a set of whole documents. How far two agree is set beside how far two sets drawn at
random from all documents, of the same sizes, agree.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from rankstability.errors import DataError
from rankstability.judgments import DirectAssessment
from rankstability.rank.comparing import tau
from rankstability.score.scored import Scored, from_frame

FEWEST = 8  # documents that are resampled: percentiles of fewer are too narrow, and no test is made
COLUMNS = [
    *("domain", "documents", "segments", "tau", "low", "high", "random", "random_low"),
    *("random_high", "p", "without", "without_random", "without_p"),
]  # of `domains`


def pooled(parts: Mapping[str, Scored]) -> tuple[Scored, pd.Series]:
    """Several test sets of the same systems as one, and the name of each segment's.

    Only systems that all parts judged, three or more; a part without documents is refused. Segments
    and documents carry the test set's name.
    """
    systems = set.intersection(*(set(part.systems) for part in parts.values()))
    if len(systems) < 3:
        raise DataError("fewer than three common systems", value=sorted(systems))
    frames = []
    for name, part in parts.items():
        if not part.has("document"):
            raise DataError("a test set that does not name its documents", value=name)
        frame = pd.DataFrame(
            {
                "system": np.array(part.systems)[part.system],
                "segment": [f"{name} {part.segments[k]}" for k in part.segment],
                "document": [f"{name} {k}" for k in part.units["document"]],
                "set": name,
                "score": part.score,
            }
        )
        frames.append(frame[frame["system"].isin(systems)])
    every = pd.concat(frames, ignore_index=True)
    return from_frame(every), every.drop_duplicates("segment").set_index("segment")["set"]


def usable(judged: Scored) -> bool:
    """Whether test sets can be compared: documents are named, and there are three systems."""
    return judged.has("document") and len(judged.systems) > 2


def domain_names(judgments: DirectAssessment | pd.DataFrame) -> pd.Series:
    """The domain of each segment, by its name; empty where the data name none."""
    frame = judgments.good if isinstance(judgments, DirectAssessment) else judgments
    if "domain" not in frame:
        return pd.Series(dtype=str)
    known = frame.loc[frame["domain"].notna(), ["segment", "domain"]].astype(str)
    return known.drop_duplicates("segment").set_index("segment")["domain"]


class _Documents:
    """Sums and numbers of segment scores, per document and system."""

    def __init__(self, judged: Scored) -> None:
        if len(judged.systems) < 3:
            raise DataError("fewer than three systems", value=judged.systems)
        table, document = judged.matrix(), judged.segment_unit("document")
        _, code = np.unique(document, return_inverse=True)
        self.number = int(code.max()) + 1
        known = np.isfinite(table)
        self.sums = np.zeros((self.number, table.shape[1]))
        self.counts = np.zeros_like(self.sums)
        np.add.at(self.sums, code, np.where(known, table, 0.0))
        np.add.at(self.counts, code, known)
        self.segments = np.bincount(code)
        self.code = code

    def means(self, weight: np.ndarray) -> np.ndarray:
        """System means with each document so often: (..., documents) to (..., systems)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return (weight @ self.sums) / (weight @ self.counts)

    def random_sets(self, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
        """Sets of random documents with about `size` segments together, as 0 and 1: one a row."""
        order = np.argsort(rng.random((draws, self.number)), axis=1)
        length = self.segments[order]
        taken = np.cumsum(length, axis=1) - length / 2 < size  # the nearest to it
        out = np.empty((draws, self.number))
        np.put_along_axis(out, order, taken.astype(float), axis=1)
        return out


def halves(judged: Scored, rng: np.random.Generator, draws: int = 1000) -> pd.DataFrame:
    """How far two random halves of the documents rank systems alike.

    One row: systems, documents, tau (mean over splits), low, high (the central 95 % of splits).
    Without documents, or with fewer than twice `FEWEST`, tau is empty.
    """
    row = {"systems": len(judged.systems), "documents": 0, "tau": np.nan}
    row |= {"low": np.nan, "high": np.nan}
    if usable(judged):
        data = _Documents(judged)
        row["documents"] = data.number
        if data.number >= 2 * FEWEST:
            mask = data.random_sets(int(data.segments.sum()) // 2, draws, rng)
            taus = tau(data.means(mask), data.means(1 - mask))
            low, high = np.nanpercentile(taus, [2.5, 97.5])
            row |= {"tau": float(np.nanmean(taus)), "low": float(low), "high": float(high)}
    return pd.DataFrame([row])


def domains(
    judged: Scored, names: pd.Series, rng: np.random.Generator, draws: int = 1000
) -> pd.DataFrame:
    """How far the documents of one domain rank the systems as all others do.

    `names` are the domain of each segment, by its name; `draws` the resamples of documents, and the
    random sets. Refused: documents unnamed; one domain only; a document of two domains.

    Columns domain, documents, segments, tau (between the domain and all other documents), low, high
    (documents drawn again within both), random, random_low, random_high (mean and central 95 % of
    tau between random documents, as many segments together, and the rest), p (share of random sets
    that agree no better than the domain; small: another text), without (tau between all documents
    and all but the domain's), without_random, without_p (the same for random documents left out).
    Where domain or rest have fewer documents than `FEWEST`, only the two tau.
    """
    if not judged.has("document"):
        raise DataError("these judgments do not name their documents", expected="documents")
    data = _Documents(judged)
    of_segment = names.reindex(list(judged.segments)).fillna("unknown").to_numpy(str)
    table = pd.DataFrame({"code": data.code, "domain": of_segment}).drop_duplicates()
    if table["code"].duplicated().any():
        raise DataError("a document of two domains", expected="each document in one domain")
    of = table.sort_values("code")["domain"].to_numpy(str)
    known = sorted(set(of))
    if len(known) < 2:
        raise DataError("one domain only", value=known, expected="two or more")
    rows = [_domain(data, of == name, rng, draws) | {"domain": name} for name in known]
    return pd.DataFrame(rows)[COLUMNS]


def _domain(
    data: _Documents, inside: np.ndarray, rng: np.random.Generator, draws: int
) -> dict[str, float]:
    mask, every = inside.astype(float), np.ones(data.number)
    rest, size = 1 - mask, int(inside.sum())
    segments = int(data.segments[inside].sum())
    row = dict.fromkeys(COLUMNS[1:], np.nan) | {"documents": size, "segments": segments}
    row["tau"] = float(tau(data.means(mask), data.means(rest)))
    row["without"] = float(tau(data.means(every), data.means(rest)))
    if min(size, data.number - size) < FEWEST:
        return row
    again = np.zeros((draws, data.number))
    for part in (inside, ~inside):
        n = int(part.sum())
        again[:, part] = rng.multinomial(n, np.full(n, 1 / n), size=draws)
    resampled = tau(data.means(again * mask), data.means(again * rest))
    random = data.random_sets(segments, draws, rng)
    between = tau(data.means(random), data.means(1 - random))
    left = tau(data.means(every), data.means(1 - random))
    row["low"], row["high"] = np.nanpercentile(resampled, [2.5, 97.5])
    row["random"] = np.nanmean(between)
    row["random_low"], row["random_high"] = np.nanpercentile(between, [2.5, 97.5])
    row["p"] = _share(between, row["tau"])
    row["without_random"] = np.nanmean(left)
    row["without_p"] = _share(left, row["without"])
    return row


def _share(random: np.ndarray, observed: float) -> float:
    """Share of random sets that agree no better, the observed one among them."""
    return float((1 + (random <= observed + 1e-12).sum()) / (1 + len(random)))
