"""Promises of rank sets and lines with few units: a thousand campaigns of each kind.

Writes ``results/few_units.csv`` (some ten minutes of one core) and prints the fewest units from
which on all promises were kept.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from rankcompanion.lines import few_units

RESULTS = Path(__file__).parent / "results" / "few_units.csv"


def main():
    start = time.perf_counter()
    table = few_units.few_units(np.random.default_rng(2024), 1000)
    table.to_csv(RESULTS, index=False)
    print(table.to_string(index=False))
    print(f"kept from {few_units.fewest(table):.0f} units on; {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
