"""Write the tables of this version that are compared with those of version 0.3.0.

    python tests/freeze_0_4_0.py FOLDER [CAMPAIGN ...]

FOLDER gets what each notebook saves, the verdict of each pair, and in "extra" four tables that
version 0.3.0 kept and that no notebook saves any more. Its cells run here, without a kernel.
"""

import json
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rankstability as rs

mpl.use("agg")
NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
SCORES = ["01", "02", "03", "04", "05", "11"]
COMPARISONS = ["07", "08", "09"]
PROTOCOLS = [f"wmt23-protocols.{name}" for name in ("ESA-2", "MQM-1", "ESA-AI-1", "ESA-AI-2")]
GIVEN = {
    ("11", "wmt23-protocols.ESA-1"): {"others": PROTOCOLS},
    ("11", "wmt20-iku.Hansard"): {"others": ["wmt20-iku.News"]},
    ("09", "wmt12"): {"orders": 20, "repetitions": 25, "simulated": 1000},
    ("12", "wmt23-protocols.ESA-1"): {"studies": ["wmt23-protocols.ESA-2"]},
}
JUDGE_MODELS = ["demo-judges", "wmt23-protocols.ESA-1", "llmfao"]


def run_notebook(number: str, campaign: str, pair: str, output: Path) -> None:
    """Run the code of a notebook with these parameters."""
    path = next(NOTEBOOKS.glob(f"{number}_*.ipynb"))
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    parameters, *rest = ("".join(cell["source"]) for cell in cells)
    names: dict = {"display": lambda shown: None}
    exec(parameters, names)
    names |= GIVEN.get((number, campaign), {})
    names |= {
        "campaign": campaign,
        "pair": pair,
        "output": str(output / campaign / path.stem / pair),
    }
    try:
        for source in rest:
            exec(source, names)
    except rs.DataError as error:
        print("refused", path.stem, campaign, pair, error.code, flush=True)
    except Exception as error:
        print("FAILED", path.stem, campaign, pair, repr(error), flush=True)
    plt.close("all")


def save_extra(judgments: rs.Judgments, folder: Path) -> None:
    """Save what version 0.3.0 kept of each procedure, of each rule, and of each removal."""
    rankings = {}
    for name in rs.PROCEDURES:
        try:
            rankings[name] = rs.rank_systems(judgments, procedure=name)
        except rs.DataError as error:
            print("refused", name, folder, error.code, flush=True)
    tables = [each.table.assign(procedure=name) for name, each in rankings.items()]
    drawn = [
        each.boundaries.assign(procedure=name, unit=each.unit) for name, each in rankings.items()
    ]
    rs.save(folder, recipes=pd.concat(tables), recipe_lines=pd.concat(drawn))
    scores = rs.segment_scores(judgments, rs.z_scores(judgments))
    clusters = []
    for test in ("mann_whitney_halved", "mann_whitney", "mann_whitney_greater"):
        for correction in ("none",) if test == "mann_whitney_greater" else ("none", "holm"):
            for rule in rs.BOUNDARY_RULES:
                each = rs.rank_systems(scores, test=test, rule=rule, correction=correction).table
                clusters.append(each.assign(test=test, correction=correction, rule=rule))
    rs.save(folder, clusters=pd.concat(clusters))
    original = rs.rank_systems(judgments, procedure="wmt17")
    removals = []
    for system in original.systems if len(original.systems) > 2 else []:
        smaller = rs.rank_systems(rs.remove(judgments, systems=[system]), procedure="wmt17")
        both = original.table.merge(smaller.table, on="system", suffixes=("_before", "_after"))
        removals.append(both.assign(removed=system))
    if removals:
        rs.save(folder, leave_one_out=pd.concat(removals))


def save_growth(judgments: rs.Judgments, place: int, folder: Path) -> None:
    """Save what notebook 09 fits, with the random orders that version 0.3.0 drew for this pair."""
    orders = 20 if judgments.campaign == "wmt12" else 4
    curves = []
    for reading, sides in (("as stated", 2), ("as matched", 1)):
        rng = np.random.default_rng([2012, place])
        fit = rs.fit_spread(judgments, rng=rng, orders=orders, sides=sides)
        curves.append(fit.assign(reading=reading))
    rs.save(folder, growth=pd.concat(curves))


def main(folder: str, *campaigns: str) -> None:
    """Write all tables of these campaigns."""
    output = Path(folder)
    known = rs.campaigns().query("here")
    for campaign in campaigns or known["campaign"]:
        for number_of_pair, row in enumerate(rs.pairs(campaign).itertuples()):
            pair = row.pair
            try:
                judgments = rs.load(campaign, pair)
            except rs.DataError as error:
                print("refused", campaign, pair, error.code, flush=True)
                continue
            compared = judgments.kind in ("relative_ranking", "votes")
            rs.verdict(judgments).save(output / campaign / "00_verdict" / pair)
            for number in COMPARISONS if compared else SCORES:
                run_notebook(number, campaign, pair, output)
            if campaign in JUDGE_MODELS:
                run_notebook("12", campaign, pair, output)
            if compared:
                by_wins = rs.rank_systems(judgments, method="wins_over_decided_without_reference")
                rs.save(
                    output / campaign / "extra" / pair,
                    sign_tests=by_wins.boundaries,
                    by_wins=by_wins.table,
                )
                save_growth(judgments, number_of_pair, output / campaign / "extra" / pair)
            else:
                save_extra(judgments, output / campaign / "extra" / pair)
            print("done", campaign, pair, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
