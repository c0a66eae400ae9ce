"""Does planning keep its promises on real campaigns? Halves and quarters that share no unit.

A half, or a quarter, of a campaign's annotators (or documents) foretells what lines others will
give: lines held, the chance that a line separates two neighbours, Kendall's tau; and how many units
it takes to have such a line with a chance of .80. Other units of the same campaign, as many or as
many as needed, say what came. Writes ``results/halves.csv``, each row a mean over language pairs.
Argument: splits of each.
"""

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from bench_planning import separated

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.models.chance import named_generator
from companion.legacy.rankcompanion.models.comparing import tau
from companion.legacy.rankcompanion.verdict import design, sizes
from companion.legacy.rankstability.rank.certainty import Certainty, certainty
from companion.legacy.rankstability.rank.recipes import RECIPES, counted_by
from companion.legacy.rankstability.score.scored import Scores

RESULTS = Path(__file__).parent / "results" / "halves.csv"
SEED, SPLITS = 2024, 2
ASKED = {"wmt18": "wmt17", "wmt21": "wmt17", "wmt24-esa": "wmt24"}  # campaigns, and their recipes
Promise = tuple[str, float, float]


def told(scored: Scores, unit: str, by_domain: bool) -> Certainty | None:
    """What is certain of a part of a campaign; nothing where it lacks a system."""
    if len(np.unique(scored.system)) < len(scored.systems):
        return None
    return certainty(scored, unit, by_domain)


def promises(
    scored: Scores, unit: str, share: float, by_domain: bool, rng: np.random.Generator
) -> Iterator[Promise]:
    """Of one split: promise, what was predicted, what came."""
    codes = np.unique(scored.unit(unit), return_inverse=True)[1]
    order = rng.permutation(int(codes.max()) + 1)
    size = int(share * len(order))
    pilot = scored.take(np.isin(codes, order[:size]))
    sure = told(pilot, unit, by_domain)
    other = told(scored.take(np.isin(codes, order[size : 2 * size])), unit, by_domain)
    if sure is None or other is None:
        return
    known = sizes.precision(pilot, sure, by_domain)
    above = known.again(known.truths(200, rng), rng)[2]
    table = sizes.needed(known, sure.systems, rng)
    means = [one.mean[np.argsort(one.order)] for one in (sure, other)]
    yield "tau", sizes.repeat(sure, 0, rng, 200)["tau"], float(tau(*means))
    yield "lines held", float(above.max(axis=1).mean()), float(other.held.sum())
    for row in table.itertuples():
        yield "line, same size", row.power, float(separated(other, row.system, row.other))
    units = np.round(table["times"] * size)
    asked = table[(table["times"] > 1) & (units <= len(order) - size)]
    if len(asked):  # one promise of each pilot, as one who reads the page would take it up
        row = asked.iloc[rng.integers(len(asked))]
        more = order[size : size + round(row["times"] * size)]
        larger = told(scored.take(np.isin(codes, more)), unit, by_domain)
        if larger:
            found = separated(larger, row["system"], row["other"])
            yield "line, as many as needed", design.POWER, float(found)


def main() -> None:
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else SPLITS
    rows = []
    for name, recipe in ASKED.items():
        campaign = campaigns.find(name)
        for pair in campaign.pairs:
            rule = RECIPES[recipe]
            scored = counted_by(campaigns.load(campaign, pair), rule)
            for unit, share in product(("worker", "document"), (0.5, 0.25)):
                if not scored.has(unit):
                    continue
                rng = named_generator(SEED, f"{name} {pair} {unit} {share}")
                for _ in range(splits):
                    made = promises(scored, unit, share, rule.by_domain, rng)
                    rows += [(name, unit, share, pair, *row) for row in made]
            print(name, pair, flush=True)
            head = ["campaign", "unit", "share", "promise"]
            columns = [*head[:-1], "pair", head[-1], "predicted", "realised"]
            frame = pd.DataFrame(rows, columns=columns)
            each = frame.groupby([*head, "pair"], sort=False)[["predicted", "realised"]].mean()
            each["difference"] = each["realised"] - each["predicted"]
            by = each.groupby(head, sort=False)
            out = by[["predicted", "realised"]].mean()
            out["error"], out["pairs"] = by["difference"].sem(), by.size()
            out.round(4).reset_index().to_csv(RESULTS, index=False)
    print(out.round(3).to_string())


if __name__ == "__main__":
    main()
