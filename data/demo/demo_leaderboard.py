"""Write leaderboard.csv: a benchmark's results as leaderboards hold them, synthetic, known truth.

Twelve systems answer 150 items, each right (1) or wrong (0). Nobody judged and no document is
named. True ability (log-odds of an item of difficulty 0): Ash 2, Beech 1.2, Birch 1.2, Elder 0.6,
Hazel 0.5, Holly 0.5, Larch 0, Maple -0.3, Oak -0.3, Pine -1, Rowan -1.1, Yew -2; items differ in
difficulty (standard deviation 1.5). Oak was not run on the last twelve items.
"""

from pathlib import Path

import numpy as np
import pandas as pd

ABILITY = {"Ash": 2.0, "Beech": 1.2, "Birch": 1.2, "Elder": 0.6, "Hazel": 0.5, "Holly": 0.5}
ABILITY |= {"Larch": 0.0, "Maple": -0.3, "Oak": -0.3, "Pine": -1.0, "Rowan": -1.1, "Yew": -2.0}
ITEMS, SPREAD = 150, 1.5
SHORT, LACKS = "Oak", 12


def leaderboard(seed: int = 11) -> pd.DataFrame:
    """system, segment, score: one row per answer."""
    rng = np.random.default_rng(seed)
    difficulty = rng.normal(0, SPREAD, ITEMS)
    rows = []
    for system, ability in ABILITY.items():
        chance = 1 / (1 + np.exp(difficulty - ability))
        right = rng.random(ITEMS) < chance
        judged = ITEMS - LACKS if system == SHORT else ITEMS
        rows += [(system, f"q{k + 1:03d}", int(right[k])) for k in range(judged)]
    return pd.DataFrame(rows, columns=["system", "segment", "score"])


if __name__ == "__main__":
    file = Path(__file__).parent / "leaderboard.csv"
    leaderboard().to_csv(file, index=False, lineterminator="\n")
