"""What each kind of sentence claims, and how often it was wrong where the truth was known.

Writes ``results/statements.csv``, a row for each kind of sentence of a verdict's page (named as in
its ``data-says``), of a notebook's conclusion and of the front page. A ``promise`` has an error and
a limit, taken from the other tables of ``results/`` (or measured here); a ``description`` says what
is in the data at hand and promises nothing of others. Errors are written by this script only.

- false: share of simulated campaigns in which any statement of the family was false, the worst
  setting within the promise; its limit is .05 and two standard errors. Regimes that stay above it
  (``certainty.csv``) have a row each.
- fewest: share of small tables in which a number called exact was not the fewest (brute force).
- tau: how far the foretold agreement of a repeat lies from the one that came, on average.
- next, worth: by how much promised lines came less often than they were promised.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from rankstability.judgments import direct_assessment
from rankstability.rank.fewest import fewest
from rankstability.rank.recipes import RECIPES

RESULTS = Path(__file__).parent / "results"
COLUMNS = ["where", "name", "kind", "claims", "by", "designs", "n", "error", "limit"]
TABLES = 200  # small tables on which exact numbers are compared with brute force

FAMILY = {  # sentences that come from the one family of tests
    ("page", "best"): "this system would be first with other units, or these may be",
    ("page", "lines"): "these lines hold with other units",
    ("page", "interval and rank set"): "the sets hold all true ranks together",
    ("page", "may be first"): "no other system is better",
    ("page", "answer"): "this line holds, does not hold, or cannot be told",
    ("page", "paper"): "the same, in a paragraph",
    ("notebook", "00"): "so many first places and lines hold",
    ("notebook", "01"): "so many lines hold",
    ("notebook", "10"): "so many lines hold",
    ("front", "lines"): "so many published lines hold",
}
DESCRIBED = {
    ("page", "what was ranked"): "what the data hold",
    ("page", "read"): "what was read, and how",
    ("page", "cautions"): "what must not be concluded",
    ("page", "recipe"): "who is first by each recipe in these data",
    ("page", "recipes"): "lines of each recipe; each is a family of tests of its own",
    ("page", "domains"): "each domain is a family of tests of its own",
    ("page", "removals"): "what changes in these data without a system",
    ("page", "units"): "the units that the data name",
    ("page", "design"): "who was judged on what",
    ("page", "beside"): "who judged both of two systems",
    ("page", "controls"): "mean scores of control items",
    ("page", "agreement"): "Krippendorff's alpha of these judgments",
    ("page", "influence"): "what changes in these data without an annotator",
    ("page", "judges"): "how judge models order and vary beside these people",
    ("page", "odd judge"): "what is odd about a judge model's scores",
    ("notebook", "02"): "what changes in these data without a system",
    ("notebook", "03"): "what changes in these data with another divisor",
    ("notebook", "04"): "who was judged beside whom in these data",
    ("notebook", "05"): "how the variance of these scores is made up",
    ("notebook", "06"): "how often studies drawn from these ratings agree",
    ("notebook", "07"): "how ways of counting differ on these data",
    ("notebook", "08"): "which rankings violate fewest of these results",
    ("notebook", "09"): "what Koehn's model says at these sizes",
    ("notebook", "11"): "how far protocols agree on these outputs",
    ("notebook", "12"): "how far judge models agree with these people",
    ("front", "fewest"): "how few judgments decide in these campaigns",
    ("front", "removal"): "what changes in these campaigns without a system",
    ("front", "judges"): "how far judge models agree with these people",
    ("front", "halves"): "how far halves of these campaigns agree",
    ("front", "rules"): "how many clusters rules draw on these data",
    ("front", "methods"): "how ways of counting differ on these data",
    ("front", "false"): "lines that recipes draw on campaigns made from these",
    ("front", "ledger"): "how many printed cells come out",
}


def main() -> None:
    rows = [("page", "fewest", "promise", "so few decide, exactly", *exact_numbers())]
    rows += [(*key, "promise", claims, *false_statements()) for key, claims in FAMILY.items()]
    rows += [("regime", *row) for row in regimes()]
    rows += [("page", "repeat", "promise", "a repeat agrees at about this tau", *agreement())]
    planned = "promise", "a line holds with this chance in a campaign of this size"
    rows += [("page", "next", *planned, *kept("line, as many as needed", 0.15))]
    rows += [("page", "worth", *planned, *kept("line, same size", 0.1))]
    none = "", "", np.nan, np.nan, np.nan
    rows += [(*key, "description", claims, *none) for key, claims in DESCRIBED.items()]
    table = pd.DataFrame(rows, columns=COLUMNS)
    worst = (table["error"] / table["limit"]).fillna(-1.0)
    order = np.lexsort((table["name"], table["where"], -worst))
    table.iloc[order].round(4).to_csv(RESULTS / "statements.csv", index=False)
    print(table[table["error"] > table["limit"]].to_string(index=False))


def _cells() -> tuple[pd.DataFrame, pd.Series]:
    """Settings of ``certainty.csv``, and which of them lie above what chance allows."""
    cells = pd.read_csv(RESULTS / "certainty.csv")
    return cells, cells["false"] > cells["limit"]


def false_statements() -> tuple[str, str, int, float, float]:
    """The worst setting within the promise."""
    cells, above = _cells()
    within = cells[~above]
    about = f"{len(within)} settings of {within['design'].nunique()} designs"
    worst = within.loc[(within["false"] / within["limit"]).idxmax()]
    number = int(worst["campaigns"])
    return "bench_certainty.py", about, number, float(worst["false"]), float(worst["limit"])


def regimes() -> list[tuple[str, str, str, str, str, int, float, float]]:
    """The designs with settings above what chance allows, each with its worst."""
    cells, above = _cells()
    rows = []
    for design, of in cells[above].groupby("design", sort=False):
        worst = of.loc[of["false"].idxmax()]
        about = f"{len(of)} of {int((cells['design'] == design).sum())} settings of this design"
        claims = f"false in up to {worst['false']:.3f}, not .05"
        limit = np.ceil(100 * worst["false"]) / 100
        row = str(design), "regime", claims, "bench_certainty.py", about
        rows.append((*row, int(worst["campaigns"]), float(worst["false"]), float(limit)))
    return rows


def agreement() -> tuple[str, str, int, float, float]:
    """By how much tau was foretold too high or low, on average over true rankings that differ."""
    table = pd.read_csv(RESULTS / "agreement.csv")
    differ = table[table["shape"] != "all equal"]
    about = f"{len(differ)} true rankings; if all are equal, {_equal(table):.2f} too high"
    off = (differ["predicted"] - differ["realised"]).mean()
    return "bench_verdict.py", about, int(differ["pilots"].sum()), abs(float(off)), 0.1


def _equal(table: pd.DataFrame) -> float:
    equal = table[table["shape"] == "all equal"]
    return float((equal["predicted"] - equal["realised"]).mean())


def kept(promise: str, limit: float) -> tuple[str, str, int, float, float]:
    """By how much a promise of planning came true less often than it was made, on average."""
    table = pd.read_csv(RESULTS / "planning.csv")
    table = table[table["promise"] == promise]
    short = (table["predicted"] - table["realised"]).mean()
    about = f"{len(table)} settings"
    return "bench_planning.py", about, int(table["pilots"].sum()), max(0.0, float(short)), limit


def exact_numbers() -> tuple[str, str, int, float, float]:
    """How often a number called exact is not the fewest: small tables, all sets of judgments."""
    wrong = 0
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame([(s, k) for s in "AB" for k in range(5)], columns=["system", "k"])
        frame["score"] = rng.integers(0, 100, 10).astype(float)
        frame = frame.assign(segment=frame["k"].astype(str), worker="w" + frame["k"].astype(str))
        given = frame.drop(columns="k").assign(type="SYSTEM")
        said = fewest(direct_assessment("xx-yy", given), RECIPES["wmt25"]).iloc[0]
        wrong += bool(said["exact"]) and said["fewest"] != _by_force(frame)
    return "statements.py", "two systems, five judgments each", TABLES, wrong / TABLES, 0.0


def _by_force(frame: pd.DataFrame) -> float:
    """The fewest judgments without which another of two systems has the higher mean."""
    a, b = (frame.loc[frame["system"] == s, "score"].to_numpy() for s in "AB")
    ahead = a.mean() >= b.mean()
    for number in range(1, 9):
        for lost in combinations(range(10), number):
            kept_a = np.delete(a, [k for k in lost if k < 5])
            kept_b = np.delete(b, [k - 5 for k in lost if k >= 5])
            if len(kept_a) and len(kept_b) and (kept_a.mean() >= kept_b.mean()) != ahead:
                return float(number)
    return np.nan


if __name__ == "__main__":
    main()
