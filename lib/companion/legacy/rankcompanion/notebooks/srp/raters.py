"""What MQM raters rated and how far they agree: Tables 1, 2 and Figure 1 of Riley et al. 2024."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import entropy

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score import mqm
from companion.legacy.rankstability.score.mqm import Ratings

from ...models.comparing import tau

EDGES = (0.0, 0.5, 1.5, 3.5, 5.5, 10.5, 20.5, np.inf)
BINS = (
    "0",
    "to 0.5",
    "to 1.5",
    "to 3.5",
    "to 5.5",
    "to 10.5",
    "to 20.5",
    "above",
)


def basic_counts(data: Ratings) -> pd.DataFrame:
    """Numbers of documents, segments, raters, systems and buckets (Table 1, sections 4.2, 6.1.2).

    Columns count (what is counted), value (a number, or a range as text, such as ``25-26``).
    """
    in_bucket = [len(b) for b in data.buckets]
    segments = int(data.segments.sum())
    raters = np.concatenate([data.slots[b[0]] for b in data.buckets])
    systems, documents, depth = data.shape
    counts = {
        "documents": documents,
        "segments": segments,
        "min segments per document": int(data.segments.min()),
        "max segments per document": int(data.segments.max()),
        "raters": len(data.raters),
        "systems": systems,
        "ratings per item": depth,
        "segment ratings": segments * systems * depth,
        "buckets": len(in_bucket),
        "documents per bucket": _span(in_bucket),
        "buckets per rater": _span(
            np.bincount(raters, minlength=len(data.raters))
        ),
        "least entropy": round(minimum_entropy(data), 4),
    }
    return _named("count", counts)


def minimum_entropy(data: Ratings) -> float:
    """The lowest possible normalised entropy with all documents and one rating per item.

    Each bucket then has a single rater; up to a million choices are tried, else bucket by bucket.
    """
    depth = data.shape[2]
    raters = len(data.raters)
    counts = np.zeros((1, raters))
    for members in data.buckets:
        block = np.zeros((depth, raters))
        block[:, data.slots[members[0]]] = np.eye(depth) * len(members)
        counts = (counts[:, None] + block).reshape(-1, raters)
        if depth ** len(data.buckets) > 1_000_000:
            counts = counts[[entropy(counts, axis=1).argmin()]]
    return float(entropy(counts, axis=1).min() / np.log(raters))


def _named(name: str, values: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            name: values.keys(),
            "value": pd.Series(values.values(), dtype=object),
        }
    )


def _span(values: Sequence[int] | np.ndarray) -> str:
    low = min(values)
    high = max(values)
    return str(low) if low == high else f"{low}-{high}"


def bucket_raters(data: Ratings) -> pd.DataFrame:
    """Which raters rated which bucket (appendix 10.1)."""
    rows = []
    for number, documents in enumerate(data.buckets, 1):
        names = ", ".join(data.raters[r] for r in data.slots[documents[0]])
        rows.append(
            (
                number,
                names,
                len(documents),
                int(data.segments[documents].sum()),
            )
        )
    return pd.DataFrame(
        rows, columns=["bucket", "raters", "documents", "segments"]
    )


def what_counts(
    judgments: pd.DataFrame, weights: str | pd.DataFrame = "freitag2021"
) -> pd.DataFrame:
    """Each category and severity that occurs, with its number of rows and its weight."""
    keys = ["category", "severity"]
    frame = (
        judgments[keys]
        .astype(str)
        .assign(weight=mqm.weigh(judgments, weights))
    )
    counts = (
        frame.value_counts()
        .rename("rows")
        .reset_index()
        .sort_values(keys, ignore_index=True)
    )
    return counts[[*keys, "rows", "weight"]]


def agreement(data: Ratings) -> pd.DataFrame:
    """Kendall's tau-b between raters' rankings of systems, averaged over rater pairs (Table 2).

    Columns aggregation, value. ``single documents``: tau per shared document, averaged for each
    rater pair; ``all shared documents``: tau between rankings over all shared documents; ``rater
    pairs``: their number; ``documents without tau``: those on which a rater gave all systems the
    same score. Raises DataError if no two raters share a document.
    """
    single = []
    shared = []
    without = 0
    for a, b in combinations(range(len(data.raters)), 2):
        both = np.flatnonzero(
            (data.slots == a).any(axis=1) & (data.slots == b).any(axis=1)
        )
        if not len(both):
            continue
        slots = ((data.slots[both] == r).argmax(axis=1) for r in (a, b))
        of_a, of_b = (data.score[:, both, slot].T.round(9) for slot in slots)
        taus = tau(of_a, of_b)
        without += int(np.isnan(taus).sum())
        if not np.isnan(taus).all():
            single.append(np.nanmean(taus))
        shared.append(tau(*(x.sum(axis=0).round(9) for x in (of_a, of_b))))
    if not shared:
        raise DataError(
            "no two raters share a document",
            expected="two ratings per item or more",
        )
    values = {
        "single documents": float(np.mean(single)),
        "all shared documents": float(np.nanmean(shared)),
        "rater pairs": len(shared),
        "documents without tau": without,
    }
    return _named("aggregation", values)


def rater_distributions(
    judgments: pd.DataFrame, weights: Any = "freitag2021"
) -> pd.DataFrame:
    """How two raters distribute their segment scores over the same items (Figure 1).

    The pair of raters whose means differ most is taken, among pairs with at least a tenth as many
    common items as the busiest pair. Columns rater, score (a class of MQM scores), segments, share,
    mean (of the rater on these items). Raises DataError if no two raters share an item.
    """
    scores = mqm.mqm_scores(judgments, weights)
    wide = scores.pivot(
        index=["system", "segment"], columns="rater", values="score"
    )
    shared = {}
    for a, b in combinations(wide.columns, 2):
        both = wide[[a, b]].dropna()
        if len(both):
            shared[a, b] = (len(both), abs(both[a].mean() - both[b].mean()))
    if not shared:
        raise DataError(
            "no two raters share an item", expected="several ratings per item"
        )
    busiest = max(n for n, _ in shared.values())
    pair = max(
        (k for k, v in shared.items() if v[0] * 10 >= busiest),
        key=lambda k: shared[k][1],
    )
    both = wide[list(pair)].dropna()
    rows = []
    for rater in pair:
        x = both[rater].to_numpy()
        counts = np.bincount(np.searchsorted(EDGES, x), minlength=len(BINS))
        for name, n in zip(BINS, counts, strict=True):
            rows.append((rater, name, int(n), n / len(x), x.mean()))
    return pd.DataFrame(
        rows, columns=["rater", "score", "segments", "share", "mean"]
    )


def side_by_side(frame: pd.DataFrame) -> pd.DataFrame:
    """A long table (columns pair, a name, value) with a column per pair, numbers as text.

    Whole numbers are whole; others have up to four decimals, two more than the paper prints.
    """
    name = frame.columns[1]
    wide = frame.pivot(index=name, columns="pair", values="value").astype(
        object
    )
    text = wide.map(
        lambda v: f"{round(v, 4):.10g}" if isinstance(v, float) else v
    )
    return (
        text.loc[frame[name].unique()].rename_axis(columns=None).reset_index()
    )
