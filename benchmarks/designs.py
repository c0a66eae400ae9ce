"""What the simulations of ratings and of votes share: errors of a ranking, a row, a table of rows."""

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankstability.inference.result import RankInference

CAMPAIGNS = int(os.environ.get("CAMPAIGNS", "1000"))
ABOVE = os.environ.get("ABOVE", "")
ALPHA = 0.05


def errors_of_ranking(truth: np.ndarray, inference: RankInference) -> dict[str, float]:
    """Return which statements of a ranking are false, and how many true ones are found."""
    better = truth[:, None] > truth
    first, last = 1 + better.sum(axis=0), len(truth) - better.sum(axis=1)
    within = (inference.rank_low <= first) & (inference.rank_high >= last)
    return {
        "ranking": float((inference.better & ~better).any()),
        "covered": float(within.all()),
        "pairs": float((inference.better & better).sum()),
        "boundaries": float(inference.supported.sum()),
    }


def measure_design(
    design: Any,
    check: Callable[[Any, np.random.Generator], Mapping[str, float]],
    seed: int,
    campaigns: int = CAMPAIGNS,
    **columns: object,
) -> dict[str, object]:
    """Return the row of a design: its name, `columns`, campaigns, limit, and the mean of each check."""
    rng = np.random.default_rng([seed, *design.name.encode()])
    found = pd.DataFrame([check(design, rng) for _ in range(campaigns)])
    limit = ALPHA + 2 * np.sqrt(ALPHA * (1 - ALPHA) / campaigns)
    start = {"design": design.name, **columns, "campaigns": campaigns, "limit": round(limit, 4)}
    return {**start, **found.mean().round(4).to_dict()}


def run_designs(
    designs: Sequence[Any],
    measure: Callable[[Any], dict[str, object]],
    results: Path,
    above: Callable[[pd.DataFrame], pd.Series],
) -> None:
    """Measure the designs whose names hold a word of the command line (all without one), and store.

    With ``ABOVE=0.04`` in the environment, measure only designs in which a stored error of the
    ranking or of the order of presentation is above it. `above` returns which rows of the table
    exceed their limit; these are printed.
    """
    words = sys.argv[1:]
    chosen = [d for d in designs if not words or any(word in d.name for word in words)]
    start = time.perf_counter()
    table = pd.read_csv(results) if (words or ABOVE) and results.exists() else pd.DataFrame()
    if ABOVE:
        errors = table.reindex(columns=["ranking", "order"])
        high = set(table["design"][(errors > float(ABOVE)).any(axis=1)])
        chosen = [design for design in chosen if design.name in high]
    place = {design.name: number for number, design in enumerate(designs)}
    for design in chosen:
        row = measure(design)
        table = pd.concat([table, pd.DataFrame([row])], ignore_index=True)
        table = table.drop_duplicates("design", keep="last")
        table = table.sort_values("design", key=lambda names: names.map(place))
        table.to_csv(results, index=False)
        print(*row.values(), flush=True)
    print(f"{len(chosen)} designs in {time.perf_counter() - start:.0f} s; above the limit:")
    print(table[above(table)].to_string(index=False))
