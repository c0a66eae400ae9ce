"""What each kind of sentence claims, and how often it was wrong where the truth was known.

Writes ``results/statements.csv``, a row for each kind of sentence of a verdict's page (named as in
its ``data-says``), of a notebook's conclusion and of the front page. A ``promise`` has an error and
a limit, taken from the other tables of ``results/`` (or measured here); a ``description`` says what
is in the data at hand and promises nothing of others. Errors are written by this script only.
``sentences`` counts the sentences of that kind in the templates: one that is added has no row until
it is said here what it claims, and this script has run.

- false: share of simulated campaigns in which any statement of the family was false, the worst
  setting outside `REGIMES`; its limit is .05 and two standard errors. Each regime has a row, with
  a rate of its own.
- fewest: share of small tables in which a number called exact was not the fewest (brute force).
- repeat: how far the foretold agreement of a repeat lies from the one that came, on average.
- next, worth: by how much promised lines came less often than they were promised.
- judges: share of simulated studies in which the interval of what a judge saves left out the truth.
- protocols: share in which protocols that are one were told apart.
"""

import ast
import json
import re
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from companion.legacy.rankstability.judgments import direct_assessment
from companion.legacy.rankstability.rank.fewest import fewest
from companion.legacy.rankstability.rank.recipes import RECIPES

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
TEMPLATES, NOTEBOOKS = ROOT / "lib" / "paperkit", ROOT / "notebooks"
COLUMNS = ["where", "name", "kind", "claims", "by", "designs", "n", "error", "limit"]
TABLES = 200  # small tables on which exact numbers are compared with brute force
ALPHA = 0.05
OUTSIDE = "beside statements"  # what templates say outside any statement


class Regime(NamedTuple):
    """Settings whose error stays above .05: by name, as a query of ``certainty.csv``, its rate."""

    name: str
    settings: str
    rate: float


COMPARED = 'design.str.contains("RR|battles")'
ONE_SIZE = 'tastes == "one size"'
REAL, HEAVY = 'loads.str.startswith("WMT")', 'loads != "equal"'
LOSSES = 'scores == "rare losses"'
REGIMES = (
    Regime(
        "whims all of one exact size, three annotators",
        f"{ONE_SIZE} and annotators == 3 and not {COMPARED}", 0.33,
    ),
    Regime(
        "whims all of one exact size, four annotators",
        f"{ONE_SIZE} and annotators == 4 and not {COMPARED}", 0.14,
    ),
    Regime(
        "whims all of one exact size, five to eight annotators",
        f"{ONE_SIZE} and annotators > 4 and not {COMPARED}", 0.1,
    ),
    Regime(
        "whims all of one exact size, three to five judges of battles or relative rankings",
        f"{ONE_SIZE} and {COMPARED}", 0.21,
    ),
    Regime(
        "heavy loads: two to four annotators with a fifth to two fifths of all each, or one with "
        "half, or Zipf's, and whims that outweigh all else; or those of a real campaign",
        f"({REAL} or {HEAVY} and whims > 1) and not {ONE_SIZE}", 0.077,
    ),
    Regime("items: rare large losses beside frequent small ones, 30 items",
           f"{LOSSES} and documents == 30", 0.72),
    Regime("items: rare large losses beside frequent small ones, 100 items",
           f"{LOSSES} and documents == 100", 0.38),
    Regime("items: rare large losses beside frequent small ones, 500 items",
           f"{LOSSES} and documents == 500", 0.1),
)  # fmt: skip
FAMILY = {  # sentences that come from the one family of tests
    ("page", "best"): "this system would be first with other units, or these may be",
    ("page", "lines"): "these lines hold with other units",
    ("page", "interval and rank set"): "the sets hold all true ranks together",
    ("page", "may be first"): "no other system is better",
    ("page", "answer"): "this line holds, does not hold, or cannot be told",
    ("page", "paper"): "the same, in a paragraph",
    ("page", "sentence"): "the same, in a sentence",
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
    ("page", "odd judge"): "what is odd about a judge model's scores",
    ("page", "weakest"): "what in these data limits the ranking most",
    ("page", OUTSIDE): "how to read the page; what is a family of tests of its own",
    ("notebook", "02"): "what changes in these data without a system",
    ("notebook", "03"): "what changes in these data with another divisor",
    ("notebook", "04"): "who was judged beside whom in these data",
    ("notebook", "05"): "how the variance of these scores is made up",
    ("notebook", "06"): "how often studies drawn from these ratings agree",
    ("notebook", "07"): "how ways of counting differ on these data",
    ("notebook", "08"): "which rankings violate fewest of these results",
    ("notebook", "09"): "what Koehn's model says at these sizes",
    ("front", "fewest"): "how few judgments decide in these campaigns",
    ("front", "removal"): "what changes in these campaigns without a system",
    ("front", "halves"): "how far halves of these campaigns agree",
    ("front", "rules"): "how many clusters rules draw on these data",
    ("front", "methods"): "how ways of counting differ on these data",
    ("front", "false"): "lines that recipes draw on campaigns made from these",
    ("front", "misprints"): "how many printed cells contradict their paper",
    ("front", OUTSIDE): "what the report holds, and where",
}
JUDGED = {  # intervals of what a judge model saves
    ("page", "judges"): "a judge would save so much of people's work, within its interval",
    ("notebook", "12"): "judges would save so much of people's work, within their intervals",
    ("front", "judges"): "a judge would save so much of people's work, within its interval",
}


def main() -> None:
    rows = [("page", "fewest", "promise", "so few decide, exactly", *exact_numbers())]
    rows += [(*key, "promise", claims, *false_statements()) for key, claims in FAMILY.items()]
    rows += [("regime", *row) for row in regimes()]
    rows += [("page", "repeat", "promise", "a repeat agrees at about this tau", *agreement())]
    planned = "promise", "a line holds with this chance in a campaign of this size"
    rows += [("page", "next", *planned, *kept("line, as many as needed", 0.15))]
    rows += [("page", "worth", *planned, *kept("line, same size", 0.1))]
    rows += [(*key, "promise", claims, *left_out()) for key, claims in JUDGED.items()]
    told = "protocols agree more or less than one with itself"
    rows += [("notebook", "11", "promise", told, *told_apart())]
    none = "", "", np.nan, np.nan, np.nan
    rows += [(*key, "description", claims, *none) for key, claims in DESCRIBED.items()]
    table = pd.DataFrame(rows, columns=COLUMNS)
    number = sentences()
    keys = zip(table["where"], table["name"], strict=True)
    table["n"] = table["n"].astype("Int64")
    table["sentences"] = pd.array([number.get(key, pd.NA) for key in keys], dtype="Int64")
    worst = (table["error"] / table["limit"]).fillna(-1.0).where(table["where"] != "regime", 9.0)
    order = np.lexsort((table["name"], table["where"], -table["error"].fillna(-1.0), -worst))
    table.iloc[order].round(4).to_csv(RESULTS / "statements.csv", index=False)
    print(table[table["error"] > table["limit"]].to_string(index=False))


# ------------------------------------------------------------------ errors


def noisy(rate: float, number: int) -> float:
    """What a share of so many campaigns may be, by chance, where `rate` is true: 2 errors above."""
    return float(rate + 2 * np.sqrt(rate * (1 - rate) / number))


def outside_regimes(cells: pd.DataFrame) -> pd.DataFrame:
    """The settings that the promise of .05 covers."""
    inside = [cells.query(regime.settings, engine="python").index for regime in REGIMES]
    return cells.drop(np.unique(np.concatenate(inside)))


def false_statements() -> tuple[str, str, int, float, float]:
    """The worst setting within the promise."""
    within = outside_regimes(pd.read_csv(RESULTS / "certainty.csv"))
    about = f"{len(within)} settings of {within['design'].nunique()} designs"
    worst = within.loc[(within["false"] / within["limit"]).idxmax()]
    number = int(worst["campaigns"])
    return "bench_certainty.py", about, number, float(worst["false"]), noisy(ALPHA, number)


def regimes() -> list[tuple[str, str, str, str, str, int, float, float]]:
    """For each regime its settings, and its worst."""
    cells, rows = pd.read_csv(RESULTS / "certainty.csv"), []
    for regime in REGIMES:
        of = cells.query(regime.settings, engine="python")
        worst = of.loc[of["false"].idxmax()]
        above = int((of["false"] > of["limit"]).sum())
        designs = ", ".join(of["design"].unique())
        systems = " or ".join(str(n) for n in sorted(of["groups"].astype(str).unique()))
        about = f"{above} of {len(of)} settings above .05; {designs}; {systems} equal systems"
        low, high = (f"{share:.3f}" for share in (of["false"].min(), worst["false"]))
        claims = f"false in {low if low == high else f'{low} to {high}'}, not .05"
        number = int(worst["campaigns"])
        row = regime.name, "regime", claims, "bench_certainty.py", about, number
        rows.append((*row, float(worst["false"]), noisy(regime.rate, number)))
    return rows


def left_out() -> tuple[str, str, int, float, float]:
    """How often an interval of what judges save left out the truth, the worst setting."""
    table = pd.read_csv(RESULTS / "judges.csv")
    worst = table.loc[table["coverage"].idxmin()]
    about = f"{len(table)} settings, r up to {table['r'].max():.2f}"
    return "bench_judges.py", about, int(worst["campaigns"]), 1 - float(worst["coverage"]), 0.08


def told_apart() -> tuple[str, str, int, float, float]:
    """How often one protocol was told from itself, the worst setting."""
    table = pd.read_csv(RESULTS / "protocols.csv")
    table = table[table["drawn"] == "documents and annotators"].reset_index(drop=True)
    share = table["less"] + table["more"]
    number = int(table["campaigns"][share.idxmax()])
    about = f"{len(table)} settings"
    return "bench_protocols.py", about, number, float(share.max()), noisy(ALPHA, number)


def agreement() -> tuple[str, str, int, float, float]:
    """How far tau was foretold from what came, on average over true rankings that differ."""
    table = pd.read_csv(RESULTS / "agreement.csv")
    table["off"] = table["predicted"] - table["realised"]
    differ = table[table["shape"] != "all equal"]
    worst = f"{table.loc[table['systems'] >= 5, 'off'].max():.2f} too high"
    about = f"{len(differ)} true rankings; if most systems are equal, up to {worst}"
    off = float(differ["off"].abs().mean())
    return "bench_planning.py", about, int(differ["pilots"].sum()), off, 0.1


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


# ------------------------------------------------------------------ sentences of templates


def sentences() -> dict[tuple[str, str], int]:
    """How many sentences templates have for each kind of statement, by where and name."""
    words = (TEMPLATES / "page" / "verdict_words.j2").read_text(encoding="utf-8")
    pages = [file.read_text(encoding="utf-8") for file in sorted(TEMPLATES.glob("page/*.html.j2"))]
    out = {("page", name): n for name, n in of_pages(pages, words).items()}
    out |= {("front", name): n for name, n in of_findings().items()}
    out |= {("notebook", file.name[:2]): of_notebook(file) for file in NOTEBOOKS.glob("*.ipynb")}
    return out


def ends(text: str) -> int:
    """The number of sentences that end in a template's words."""
    text = re.sub(r"{#.*?#}|<style>.*?</style>|<head>.*?</head>", " ", text, flags=re.DOTALL)
    text = re.sub(r"{%-? *(if|elif|for|from|import|extends|include)\b.*?%}", " ", text)
    return len(re.findall(r"""(?<=[\w)}%\]”>'])[.?!](?=\s|$|<|{|'|")""", text))


def macros(text: str) -> dict[str, str]:
    """The macros of a template by name, with the words of each."""
    found = re.findall(r"{% macro (\w+)\(.*?%}(.*?){% endmacro %}", text, flags=re.DOTALL)
    return dict(found)


def of_pages(pages: list[str], words: str) -> dict[str, int]:
    """Sentences of each statement of the pages (``data-says``), those of its macros among them.

    A macro counts for the statements that call it, by way of other macros too; `OUTSIDE` are the
    sentences of pages in no statement, and of macros that none calls.
    """
    known, said, used = macros(words), dict[str, list[str]](), set[str]()
    rest = []
    for page in pages:
        element = r"""<(\w+)[^<>]*? data-says="([^"{]+)".*?</\1>"""
        for found in re.finditer(element, page, flags=re.DOTALL):
            said.setdefault(found[2], []).append(found[0])
        made = dict(re.findall(r"{% set (\w+) = (\w+\(v\)) %}", page))
        for name, text in re.findall(r"says\('([^']+)', (.*?)\) }}", page):
            said.setdefault(name, []).append(made.get(text, text))
        rest.append(re.sub(element, " ", page, flags=re.DOTALL))
    said |= {name: [known[name]] for name in ("sentence", "weakest")}  # not on the page itself
    out = {}
    for name, parts in said.items():
        called = _called(" ".join(parts), known)
        used |= called
        out[name] = sum(ends(part) for part in [*parts, *(known[m] for m in called)])
    loose = [text for name, text in known.items() if name not in used | said.keys()]
    out[OUTSIDE] = sum(ends(text) for text in [*rest, *loose])
    return out


def _called(text: str, known: dict[str, str]) -> set[str]:
    """The macros that a text calls, and those that these call."""
    called, new = set[str](), {"": text}
    while new:
        names = {name for part in new.values() for name in re.findall(r"\b(\w+)\(", part)}
        new = {name: known[name] for name in names & known.keys() - called}
        called |= new.keys()
    return called


def of_findings() -> dict[str, int]:
    """Sentences of each finding, title and all; and of the front page beside them."""
    words = macros((TEMPLATES / "findings.j2").read_text(encoding="utf-8"))
    out = dict[str, int]()
    for macro in ("title", "sentence"):
        branches = re.split(r"""{% (?:el)?if f\.key == "(\w+)" %}""", words[macro])
        for name, text in zip(branches[1::2], branches[2::2], strict=True):
            out[name] = out.get(name, 0) + ends(text)
    return out | {OUTSIDE: ends((TEMPLATES / "index.html.j2").read_text(encoding="utf-8"))}


def of_notebook(file: Path) -> int:
    """Sentences of a notebook's conclusion: in its text and in the strings of its code."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    number = 0
    inside = False
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            inside = text.startswith(("## What to conclude", "## What must not")) or inside
            number += ends(text.split("## Settings")[0]) if inside else 0
            inside = inside and "## Settings" not in text
        elif inside:
            strings = (n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant))
            number += sum(ends(f"x{part}") for part in strings if isinstance(part, str))
    return number


if __name__ == "__main__":
    main()
