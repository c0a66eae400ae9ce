"""Riley et al. 2024: their tables, the studies of their figures, what holds on other data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..score import mqm
from ..score.mqm import Ratings
from ..study.srp_studies import TOLERANCE, Design, assign, draw_documents, minimum_entropy

PAPER = "riley2024"
OWN = "wmt22-mqm"  # the paper's campaign
FEW = 0.5  # where this share of studies has no significant pair, SRP says nothing


# ---------------------------------------------------------------- tables 1 and 2, figure 1


def basic_counts(data: Ratings) -> dict[str, Any]:
    """Table 1 and section 4.2 for one pair."""
    in_bucket = [len(b) for b in data.buckets]
    of_rater = np.bincount(
        np.concatenate([data.slots[b[0]] for b in data.buckets]), minlength=len(data.raters)
    )
    systems, documents, depth = data.shape
    return {
        "documents": documents,
        "segments": int(data.segments.sum()),
        "min segments per document": int(data.segments.min()),
        "max segments per document": int(data.segments.max()),
        "raters": len(data.raters),
        "systems": systems,
        "ratings per item": depth,
        "segment ratings": int(data.segments.sum()) * systems * depth,
        "buckets": len(in_bucket),
        "documents per bucket": _span(in_bucket),
        "buckets per rater": _span(of_rater),
    }


def _span(values: Sequence[int] | np.ndarray) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low}-{high}"


def agreement(data: Ratings) -> dict[str, Any]:
    """Table 2: Kendall's tau (b) between raters' rankings of systems, averaged over rater pairs.

    Returns
    -------
    dict
        ``single documents``: per rater pair the mean over shared documents; ``all shared
        documents``: tau between the rankings over them all; ``rater pairs``; ``documents without
        tau``: a rater scored all systems alike.

    Raises
    ------
    DataError
        No two raters share a document.
    """
    single, shared, without = [], [], 0
    for a, b in combinations(range(len(data.raters)), 2):
        both = np.flatnonzero((data.slots == a).any(axis=1) & (data.slots == b).any(axis=1))
        if not len(both):
            continue
        of_a, of_b = (data.score[:, both, (data.slots[both] == r).argmax(axis=1)].T for r in (a, b))
        taus = tau_b(of_a, of_b)
        without += int(np.isnan(taus).sum())
        if not np.isnan(taus).all():
            single.append(np.nanmean(taus))
        shared.append(tau_b(of_a.sum(axis=0), of_b.sum(axis=0)))
    if not shared:
        raise DataError("no two raters share a document", expected="two ratings per item or more")
    return {
        "single documents": float(np.mean(single)),
        "all shared documents": float(np.nanmean(shared)),
        "rater pairs": len(shared),
        "documents without tau": without,
    }


def tau_b(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau-b along the last axis; NaN where one of the two does not vary."""
    i, j = np.triu_indices(x.shape[-1], 1)
    u, v = (np.sign(np.round(z[..., i] - z[..., j], 9)) for z in (x, y))
    with np.errstate(invalid="ignore", divide="ignore"):
        return (u * v).sum(-1) / np.sqrt((u**2).sum(-1) * (v**2).sum(-1))


EDGES = (0.0, 0.5, 1.5, 3.5, 5.5, 10.5, 20.5, np.inf)
BINS = ("0", "to 0.5", "to 1.5", "to 3.5", "to 5.5", "to 10.5", "to 20.5", "above")


def rater_distributions(judgments: pd.DataFrame, weights: Any = "freitag2021") -> pd.DataFrame:
    """Figure 1: how two raters of the same items spread their segment scores.

    Of all rater pairs with at least a tenth of the ratings of the busiest pair in common, the one
    whose means differ most.

    Returns
    -------
    DataFrame
        rater, score (a class of MQM scores), segments, share, mean (of the rater on these items).
    """
    scores = mqm.mqm_scores(judgments, weights)
    wide = scores.pivot(index=["system", "segment"], columns="rater", values="score")
    shared = {}
    for a, b in combinations(wide.columns, 2):
        both = wide[[a, b]].dropna()
        if len(both):
            shared[a, b] = (len(both), abs(both[a].mean() - both[b].mean()))
    if not shared:
        raise DataError("no two raters share an item", expected="several ratings per item")
    busiest = max(n for n, _ in shared.values())
    pair = max((k for k, v in shared.items() if v[0] * 10 >= busiest), key=lambda k: shared[k][1])
    both = wide[list(pair)].dropna()
    rows = []
    for rater in pair:
        x = both[rater].to_numpy()
        place = np.where(x == 0, 0, np.searchsorted(EDGES, x, side="left"))
        counts = np.bincount(place, minlength=len(BINS))
        for name, n in zip(BINS, counts, strict=True):
            rows.append((rater, name, int(n), n / len(x), x.mean()))
    return pd.DataFrame(rows, columns=["rater", "score", "segments", "share", "mean"])


# ---------------------------------------------------------------- the studies of figures 3 to 8


@dataclass(frozen=True)
class Plan:
    """Sizes of the simulation; the paper's are the defaults.

    Parameters
    ----------
    studies, per_document_set, permutations : int
        Figures 3 to 7: 250 studies, 50 per set of documents, 500 permutations.
    resampled : int
        Figure 8: 100 studies, each on its own documents.
    sizes : int
        Numbers of documents, evenly spaced up to all.
    entropies : tuple of float
        Targets of figure 4.
    """

    studies: int = 250
    per_document_set: int = 50
    permutations: int = 500
    resampled: int = 100
    sizes: int = 6
    entropies: tuple[float, ...] = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4)


def plan(
    demo: bool,
    studies: int = 0,
    sizes: int = 0,
    permutations: int = 500,
    entropies: Sequence[float] = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4),
) -> Plan:
    """The sizes of a run; 0 is the paper's, or what a demo campaign does in seconds (60, 4).

    A fifth of the studies share a set of documents, two fifths are run for figure 8: 250, 50 and
    100 as in the paper.
    """
    studies = studies or (60 if demo else 250)
    return Plan(
        studies=studies,
        per_document_set=max(2, studies // 5),
        permutations=permutations,
        resampled=max(2, studies * 2 // 5),
        sizes=sizes or (4 if demo else 6),
        entropies=tuple(entropies),
    )


def document_counts(data: Ratings, plan: Plan) -> list[int]:
    """The numbers of documents of figures 3 to 7."""
    total = len(data.documents)
    return sorted({max(2, round(total * i / plan.sizes)) for i in range(1, plan.sizes + 1)})


def high_imbalance(data: Ratings, plan: Plan) -> float:
    """Figure 6's highly imbalanced studies: the lowest target that studies of all documents meet.

    A target counts as met if most of twenty trial studies meet it; without any, the highest.
    """
    least = minimum_entropy(data)
    for target in sorted(plan.entropies):
        if target >= least - TOLERANCE:
            rng = np.random.default_rng(0)
            design = Design(balance=target, studies=20)
            _, done = assign(data, design, draw_documents(data, design, rng), rng)
            if done.mean() > 0.5:
                return target
    return max(plan.entropies)


def designs(data: Ratings, plan: Plan) -> list[Design]:
    """Every configuration that figures 3 to 8 show, each once."""
    base = Design(
        studies=plan.studies,
        per_document_set=plan.per_document_set,
        permutations=plan.permutations,
    )
    low = high_imbalance(data, plan)
    series = [replace(base, grouping=g) for g in ("pSxS", "system-balanced", "none")]
    series += [replace(base, balance=t) for t in plan.entropies]
    for how in mqm.NORMALISATIONS[1:]:
        series += [replace(base, normalisation=how)]
        series += [replace(base, normalisation=how, balance=low)]
        series += [replace(base, normalisation=how, grouping="none")]
    found = [replace(s, documents=n) for s in series for n in document_counts(data, plan)]
    fresh = replace(base, studies=plan.resampled, per_document_set=1)
    half = sorted({max(2, round(n / 2)) for n in document_counts(data, plan)})
    for n in half:
        if 2 * n <= len(data.documents):
            found.append(replace(fresh, documents=2 * n))
            found.append(replace(fresh, documents=n, ratings_per_item=2))
    return list(dict.fromkeys(found))


# ---------------------------------------------------------------- series of a figure


def series(
    table: pd.DataFrame,
    grouping: str = "pSxS",
    balance: float | str = "full",
    normalisation: str = "none",
    ratings_per_item: int = 1,
    document_sets: str = "shared",
) -> pd.DataFrame:
    """One line of a figure: the rows of `srp.table` by document count, with `annotations`."""
    rows = table[
        (table["grouping"] == grouping)
        & (table["balance"].astype(str) == str(balance))
        & (table["normalisation"] == normalisation)
        & (table["ratings_per_item"] == ratings_per_item)
        & (table["document_sets"] == document_sets)
    ]
    rows = rows.assign(annotations=rows["documents"] * rows["ratings_per_item"])
    return rows.sort_values("documents", ignore_index=True)


def figure_series(figure: int, plan: Plan, low: float) -> dict[str, dict[str, Any]]:
    """The lines of figures 3 to 8: label to the arguments of `series`."""
    names = {"none": "unnormalised", "mean": "mean", "error": "error", "z": "z-score"}
    if figure == 3:
        return {
            "pSxS": {},
            "system-balanced": {"grouping": "system-balanced"},
            "no grouping": {"grouping": "none"},
        }
    if figure == 4:
        return {"fully balanced": {}} | {f"entropy {t}": {"balance": t} for t in plan.entropies}
    if figure == 5:
        return {label: {"normalisation": n} for n, label in names.items()}
    if figure == 6:
        return {"fully balanced, unnormalised": {}} | {
            f"entropy {low}, {label}": {"balance": low, "normalisation": n}
            for n, label in names.items()
        }
    if figure == 7:
        return {"pSxS, unnormalised": {}} | {
            f"no grouping, {label}": {"grouping": "none", "normalisation": n}
            for n, label in names.items()
        }
    if figure == 8:
        fresh = {"document_sets": "every study"}
        return {"single-rated": fresh, "double-rated": {**fresh, "ratings_per_item": 2}}
    raise DataError("no such figure", value=figure, expected="3 to 8")


TITLES = {
    3: "Item grouping",
    4: "Load balancing",
    5: "Normalisation in the recommended setting",
    6: "Normalisation in highly imbalanced studies",
    7: "Normalisation without item grouping",
    8: "Ratings per item at the same number of annotations",
}
