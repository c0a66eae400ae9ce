"""The study designs that Figures 3 to 8 of Riley et al. 2024 compare, and the lines they draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rankstability.errors import DataError
from rankstability.rank.srp import DESIGNED
from rankstability.rank.srp_studies import (
    TOLERANCE,
    Design,
    assign,
    draw_documents,
    minimum_entropy,
)
from rankstability.score import mqm
from rankstability.score.mqm import Ratings

TITLES = {
    3: "Item grouping",
    4: "Load balancing",
    5: "Normalisation in the recommended setting",
    6: "Normalisation in highly imbalanced studies",
    7: "Normalisation without item grouping",
    8: "Ratings per item at the same number of annotations",
}
NORMALISED = {"none": "unnormalised", "mean": "mean", "error": "error", "z": "z-score"}


@dataclass(frozen=True)
class Plan:
    """Sizes of the simulation; the paper's are the defaults."""

    studies: int = 250  # per configuration in figures 3 to 7
    sizes: int = 6  # numbers of documents, evenly spaced up to all
    permutations: int = 500  # of the permutation test
    entropies: tuple[float, ...] = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4)  # targets of figure 4

    @property
    def design(self) -> Design:
        """The recommended design in these sizes; a fifth of the studies share their documents."""
        shared = max(2, self.studies // 5)
        return Design(studies=self.studies, per_document_set=shared, permutations=self.permutations)

    @property
    def resampled(self) -> int:
        """Studies of figure 8, each on its own documents: two fifths."""
        return max(2, self.studies * 2 // 5)


def high_imbalance(data: Ratings, plan: Plan) -> float:
    """The lowest entropy target that studies of all documents meet (figure 6).

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
    base, low = plan.design, high_imbalance(data, plan)
    lines = [replace(base, grouping=g) for g in ("pSxS", "system-balanced", "none")]
    lines += [replace(base, balance=t) for t in plan.entropies]
    for how in mqm.NORMALISATIONS[1:]:
        line = replace(base, normalisation=how)
        lines += [line, replace(line, balance=low), replace(line, grouping="none")]
    total = len(data.documents)
    counts = sorted({max(2, round(total * i / plan.sizes)) for i in range(1, plan.sizes + 1)})
    every = [replace(line, documents=n) for line in lines for n in counts]
    fresh = replace(base, studies=plan.resampled, per_document_set=1)
    for n in sorted({max(2, round(n / 2)) for n in counts}):
        if 2 * n <= total:
            every.append(replace(fresh, documents=2 * n))
            every.append(replace(fresh, documents=n, ratings_per_item=2))
    return list(dict.fromkeys(every))


def select(
    table: pd.DataFrame,
    grouping: str = "pSxS",
    balance: float | str = "full",
    normalisation: str = "none",
    ratings_per_item: int = 1,
    document_sets: str = "shared",
) -> pd.DataFrame:
    """The rows of `srp.table` that are one line of a figure, by documents, with `annotations`."""
    wanted = [grouping, str(balance), normalisation, ratings_per_item, document_sets]
    columns = [*DESIGNED, "document_sets"]
    rows = table[(table[columns].astype({"balance": str}) == wanted).all(axis=1)]
    rows = rows.assign(annotations=rows["documents"] * rows["ratings_per_item"])
    return rows.sort_values("documents", ignore_index=True)


def lines_of(figure: int, plan: Plan, low: float) -> dict[str, dict[str, Any]]:
    """The lines of figures 3 to 8, label to the arguments of `select`; `low`: `high_imbalance`."""

    def normalised(prefix: str = "", **common: Any) -> dict[str, dict[str, Any]]:
        return {f"{prefix}{said}": common | {"normalisation": n} for n, said in NORMALISED.items()}

    groupings = {"pSxS": "pSxS", "system-balanced": "system-balanced", "no grouping": "none"}
    fresh = {"document_sets": "every study"}
    figures: dict[int, dict[str, dict[str, Any]]] = {
        3: {label: {"grouping": grouping} for label, grouping in groupings.items()},
        4: {"fully balanced": {}} | {f"entropy {t}": {"balance": t} for t in plan.entropies},
        5: normalised(),
        6: {"fully balanced, unnormalised": {}} | normalised(f"entropy {low}, ", balance=low),
        7: {"pSxS, unnormalised": {}} | normalised("no grouping, ", grouping="none"),
        8: {"single-rated": fresh, "double-rated": {**fresh, "ratings_per_item": 2}},
    }
    if figure not in figures:
        raise DataError("no such figure", value=figure, expected="3 to 8")
    return figures[figure]


def curves(table: pd.DataFrame, lines: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """The rows of `srp.table` that a figure draws, with `series`, the line's label, first."""
    parts = [select(table, **arguments).assign(series=label) for label, arguments in lines.items()]
    frame = pd.concat(parts, ignore_index=True)
    return frame[["series", *[c for c in frame if c != "series"]]]
