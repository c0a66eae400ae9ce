"""Do the findings of Riley et al. 2024 hold on these data? Study designs compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.rankstability.rank.srp import DESIGNED, simulate, srp, stability
from companion.legacy.rankstability.rank.srp_studies import (
    GROUPINGS,
    TOLERANCE,
    Design,
    assign,
    draw_documents,
)
from companion.legacy.rankstability.score import mqm
from companion.legacy.rankstability.score.mqm import Ratings

from ...models.chance import in_parallel
from .rankings import same_system
from .raters import minimum_entropy

COLUMNS = [
    *DESIGNED,
    "documents",
    "studies",
    "srp",
    "significant_pairs",
    "empty_share",
    "se",
    "srp_both",
    "srp_equal_claims",
    "se_equal_claims",
    "kendall",
    "pearson",
    "se_kendall",
    "document_sets",
]
FEW = 0.5  # if this share of studies has no significant pair, SRP says nothing

TITLES = {
    3: "Item grouping",
    4: "Load balancing",
    5: "Normalisation in the recommended setting",
    6: "Normalisation in highly imbalanced studies",
    7: "Normalisation without item grouping",
    8: "Ratings per item at the same number of annotations",
}
NORMALISED = {
    "none": "unnormalised",
    "mean": "mean",
    "error": "error",
    "z": "z-score",
}
Z = "z above unnormalised"
BALANCED = "fully balanced, unnormalised"
GROUPING = ("pSxS above no grouping", "pSxS above system-balanced")
BALANCE = ("fully balanced above imbalanced",)
ONCE = ("single above double rating",)
Z_FINDINGS = (Z, f"{Z} in imbalanced studies", f"{Z} without grouping")
# Section 3: question, recommendation, findings that it rests on, findings shown as evidence
QUESTIONS = (
    (
        "How should rateable items be grouped?",
        "pSxS: all systems' outputs of a document to the same rater (strongly)",
        GROUPING[:1],
        GROUPING,
    ),
    (
        "How should workload be distributed?",
        "equally over raters",
        BALANCE,
        BALANCE,
    ),
    (
        "How should scores be normalized?",
        "z-scores per rater (weakly)",
        Z_FINDINGS,
        Z_FINDINGS,
    ),
    ("How many items should be annotated?", "no recommendation", (), ()),
    ("How many ratings per item are needed?", "one", ONCE, ONCE),
)
SAID = {"yes": "as found", "no": "not told apart", "reversed": "opposite"}


@dataclass(frozen=True)
class Plan:
    """The sizes of the simulation; the defaults are those of the paper."""

    studies: int = 250  # per configuration in figures 3 to 7
    sizes: int = 6  # numbers of documents, evenly spaced up to all
    permutations: int = 500  # for the permutation test
    entropies: tuple[float, ...] = (
        0.9,
        0.8,
        0.7,
        0.6,
        0.5,
        0.4,
    )  # targets of figure 4

    @property
    def design(self) -> Design:
        """The recommended design with these sizes; a fifth of the studies share their documents."""
        shared = max(2, self.studies // 5)
        return Design(
            studies=self.studies,
            per_document_set=shared,
            permutations=self.permutations,
        )

    @property
    def resampled(self) -> int:
        """The number of studies in figure 8, each on its own documents: two fifths of all."""
        return max(2, self.studies * 2 // 5)


def high_imbalance(data: Ratings, plan: Plan) -> float:
    """The lowest entropy target that most of twenty studies of all documents meet (figure 6)."""
    least = minimum_entropy(data)
    for target in sorted(plan.entropies):
        if target >= least - TOLERANCE:
            rng = np.random.default_rng(0)
            design = Design(balance=target, studies=20)
            _, done = assign(
                data, design, draw_documents(data, design, rng), rng
            )
            if done.mean() > 0.5:
                return target
    return max(plan.entropies)


def designs(data: Ratings, plan: Plan) -> list[Design]:
    """Every configuration that figures 3 to 8 show, without repeats."""
    base = plan.design
    low = high_imbalance(data, plan)
    lines = [
        replace(base, grouping=g) for g in ("pSxS", "system-balanced", "none")
    ]
    lines += [replace(base, balance=t) for t in plan.entropies]
    for how in mqm.NORMALISATIONS[1:]:
        line = replace(base, normalisation=how)
        lines += [
            line,
            replace(line, balance=low),
            replace(line, grouping="none"),
        ]
    total = len(data.documents)
    counts = sorted(
        {
            max(2, round(total * i / plan.sizes))
            for i in range(1, plan.sizes + 1)
        }
    )
    every = [replace(line, documents=n) for line in lines for n in counts]
    fresh = replace(base, studies=plan.resampled, per_document_set=1)
    for n in sorted({max(2, round(n / 2)) for n in counts}):
        if 2 * n <= total:
            every.append(replace(fresh, documents=2 * n))
            every.append(replace(fresh, documents=n, ratings_per_item=2))
    return list(dict.fromkeys(every))


def table(
    data: Ratings, designs: Sequence[Design], seed: int, jobs: int = 1
) -> pd.DataFrame:
    """`srp` of every design (each once), in order; the same for any number of jobs."""
    unique = dict.fromkeys(
        replace(d, documents=d.documents or len(data.documents))
        for d in designs
    )
    rows = in_parallel(srp, [(data, d, seed) for d in unique], jobs)
    return pd.DataFrame(rows)[COLUMNS]


def select(
    table: pd.DataFrame,
    grouping: str = "pSxS",
    balance: float | str = "full",
    normalisation: str = "none",
    ratings_per_item: int = 1,
    document_sets: str = "shared",
) -> pd.DataFrame:
    """The rows of `table` that make one line of a figure, in order of documents.

    A column annotations is added: documents times ratings per item.
    """
    wanted = [
        grouping,
        str(balance),
        normalisation,
        ratings_per_item,
        document_sets,
    ]
    columns = [*DESIGNED, "document_sets"]
    rows = table[
        (table[columns].astype({"balance": str}) == wanted).all(axis=1)
    ]
    rows = rows.assign(
        annotations=rows["documents"] * rows["ratings_per_item"]
    )
    return rows.sort_values("documents", ignore_index=True)


def lines_of(figure: int, plan: Plan, low: float) -> dict[str, dict[str, Any]]:
    """The lines of one of figures 3 to 8: label to the arguments of `select`.

    `low` is the target of `high_imbalance`.
    """

    def normalised(
        prefix: str = "", **common: Any
    ) -> dict[str, dict[str, Any]]:
        return {
            f"{prefix}{said}": common | {"normalisation": n}
            for n, said in NORMALISED.items()
        }

    groupings = {
        "pSxS": "pSxS",
        "system-balanced": "system-balanced",
        "no grouping": "none",
    }
    fresh = {"document_sets": "every study"}
    figures: dict[int, dict[str, dict[str, Any]]] = {
        3: {
            label: {"grouping": grouping}
            for label, grouping in groupings.items()
        },
        4: {"fully balanced": {}}
        | {f"entropy {t}": {"balance": t} for t in plan.entropies},
        5: normalised(),
        6: {BALANCED: {}} | normalised(f"entropy {low}, ", balance=low),
        7: {"pSxS, unnormalised": {}}
        | normalised("no grouping, ", grouping="none"),
        8: {
            "single-rated": fresh,
            "double-rated": {**fresh, "ratings_per_item": 2},
        },
    }
    return figures[figure]


def curves(
    table: pd.DataFrame, lines: Mapping[str, Mapping[str, Any]]
) -> pd.DataFrame:
    """The rows of `table` that a figure draws, with the label of the line as series."""
    parts = [
        select(table, **arguments).assign(series=label)
        for label, arguments in lines.items()
    ]
    frame = pd.concat(parts, ignore_index=True)
    return frame[["series", *[c for c in frame if c != "series"]]]


def stated(low: float) -> list[tuple[int, str, str, str]]:
    """The findings of section 7: figure, name, and the labels of two lines, the higher first."""
    tight = f"entropy {low}, "
    free = "no grouping, "
    return [
        (3, "pSxS above no grouping", "pSxS", "no grouping"),
        (
            3,
            "system-balanced above no grouping",
            "system-balanced",
            "no grouping",
        ),
        (3, "pSxS above system-balanced", "pSxS", "system-balanced"),
        (
            4,
            "fully balanced above imbalanced",
            "fully balanced",
            f"entropy {low}",
        ),
        (5, Z, "z-score", "unnormalised"),
        (
            6,
            f"{Z} in imbalanced studies",
            f"{tight}z-score",
            f"{tight}unnormalised",
        ),
        (
            6,
            "imbalanced with z above fully balanced",
            f"{tight}z-score",
            BALANCED,
        ),
        (7, f"{Z} without grouping", f"{free}z-score", f"{free}unnormalised"),
        (
            7,
            "mean above unnormalised without grouping",
            f"{free}mean",
            f"{free}unnormalised",
        ),
        (
            7,
            "error above unnormalised without grouping",
            f"{free}error",
            f"{free}unnormalised",
        ),
        (
            7,
            "no grouping with z above pSxS",
            f"{free}z-score",
            "pSxS, unnormalised",
        ),
        (8, "single above double rating", "single-rated", "double-rated"),
    ]


def compare_lines(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, Any]:
    """Mean difference in SRP of two lines, and whether the first is clearly above the second.

    Points with equally many annotations count unless, for either line, half of the studies or more
    have no significant pair (`FEW`). Keys: points, informative (points that count); verdict
    (``yes`` if the mean difference in SRP exceeds two standard errors, ``reversed`` if it is below
    minus two, else ``no``; ``cannot be said`` if no point counts), difference, se, above (points
    where the first is higher), each also with the suffix ``_equal_claims``; kendall, pearson (mean
    differences); ratio (of the sums of SRP).
    """
    both = first.merge(second, on="annotations", suffixes=("_1", "_2"))
    both = both[np.isfinite(both["srp_1"]) & np.isfinite(both["srp_2"])]
    counted = both[
        (both["empty_share_1"] < FEW) & (both["empty_share_2"] < FEW)
    ]
    result: dict[str, Any] = {"points": len(both), "informative": len(counted)}
    if counted.empty:
        unknown = {
            "verdict": "cannot be said",
            "verdict_equal_claims": "cannot be said",
        }
        names = (
            "difference",
            "se",
            "difference_equal_claims",
            "se_equal_claims",
        )
        missing = (
            *names,
            "above",
            "above_equal_claims",
            "kendall",
            "pearson",
            "ratio",
        )
        return result | unknown | dict.fromkeys(missing, np.nan)
    for name in ("", "_equal_claims"):
        gap = (counted[f"srp{name}_1"] - counted[f"srp{name}_2"]).to_numpy()
        variance = counted[f"se{name}_1"] ** 2 + counted[f"se{name}_2"] ** 2
        error = float(np.sqrt(variance.sum()) / len(counted))
        mean = float(gap.mean())
        sign = "yes" if mean > 0 else "reversed"
        verdict = sign if abs(mean) > 2 * error else "no"
        result |= {
            f"verdict{name}": verdict,
            f"difference{name}": mean,
            f"se{name}": error,
        }
        result[f"above{name}"] = int((gap > 0).sum())
    for name in ("kendall", "pearson"):
        result[name] = float(
            (counted[f"{name}_1"] - counted[f"{name}_2"]).mean()
        )
    total = counted["srp_2"].sum()
    return result | {
        "ratio": float(counted["srp_1"].sum() / total) if total > 0 else np.nan
    }


def verdicts(table: pd.DataFrame, data: Ratings, plan: Plan) -> pd.DataFrame:
    """Every finding tested on a `table`, a row per finding.

    Columns figure, finding, first, second (labels of the lines), and the keys of `compare_lines`.
    """
    low = high_imbalance(data, plan)
    rows = []
    for figure, finding, *labels in stated(low):
        lines = lines_of(figure, plan, low)
        row = {
            "figure": figure,
            "finding": finding,
            "first": labels[0],
            "second": labels[1],
        }
        rows.append(
            row
            | compare_lines(
                *(select(table, **lines[label]) for label in labels)
            )
        )
    return pd.DataFrame(rows)


def support(verdicts: pd.DataFrame, *findings: str) -> str:
    """How far a recommendation that rests on `findings` is supported.

    ``as found``, ``in part``, ``only at an equal number of claims``, ``opposite``, or ``not told
    apart`` (no clear difference, which contradicts nothing).
    """
    rows = verdicts.set_index("finding").loc[list(findings)]
    yes = rows["verdict"] == "yes"
    if yes.all():
        return "as found"
    if yes.any():
        return "in part"
    if (rows["verdict_equal_claims"] == "yes").all():
        return "only at an equal number of claims"
    return (
        "opposite"
        if (rows["verdict"] == "reversed").any()
        else "not told apart"
    )


def difference(row: Mapping[Any, Any], which: str = "") -> str:
    """The mean difference of two lines and two standard errors, such as ``+0.219 ± 0.026``.

    `which` is ``_equal_claims`` for SRP at equal claims. Empty if no point is informative.
    """
    if not row["informative"]:
        return ""
    return f"{row[f'difference{which}']:+.3f} ± {2 * row[f'se{which}']:.3f}"


def _evidence(finding: str, row: Mapping[Any, Any]) -> str:
    """A finding, its verdict, and the differences in SRP."""
    if not row["informative"]:
        return f"{finding}: cannot be said"
    here, equal = (
        SAID.get(row[v], row[v]) for v in ("verdict", "verdict_equal_claims")
    )
    at_equal = f"at equal claims {equal}, {difference(row, '_equal_claims')}"
    return f"{finding}: {here} ({difference(row)}; {at_equal})"


def recommendations(
    verdicts: pd.DataFrame, table: pd.DataFrame, pairs: Sequence[str]
) -> pd.DataFrame:
    """The recommendations of section 3 and how far each is supported on each language pair.

    Columns: pair, question, recommendation, holds (see `support`; empty if nothing is recommended),
    evidence.
    """
    rows = []
    for pair in pairs:
        mine = verdicts[verdicts["pair"] == pair]
        named = mine.set_index("finding").to_dict("index")
        few, most = (
            select(table[table["pair"] == pair]).iloc[k] for k in (0, -1)
        )
        plain = (
            f"pSxS, {few['documents']:.0f} to {most['documents']:.0f} documents: SRP "
            f"{few['srp']:.2f} to {most['srp']:.2f} with {few['significant_pairs']:.1f} to "
            f"{most['significant_pairs']:.1f} significant pairs per study"
        )
        for question, recommendation, rests_on, shown in QUESTIONS:
            holds = support(mine, *rests_on) if rests_on else ""
            evidence = (
                "; ".join(_evidence(f, named[f]) for f in shown) or plain
            )
            rows.append((pair, question, recommendation, holds, evidence))
    columns = ["pair", "question", "recommendation", "holds", "evidence"]
    return pd.DataFrame(rows, columns=columns)


def other_measures(table: pd.DataFrame) -> pd.DataFrame:
    """The measures of section 5 over all configurations in which most studies claim something.

    Columns measure (srp, srp_equal_claims, srp_both, kendall, pearson), median, low, high (5 and 95
    % quantiles), with_srp and with_equal_claims (rank correlations with these two measures over the
    configurations). No rows if there are fewer than three such configurations.
    """
    names = ["srp", "srp_equal_claims", "srp_both", "kendall", "pearson"]
    values = table.loc[table["empty_share"] < FEW, names]
    columns = [
        "measure",
        "median",
        "low",
        "high",
        "with_srp",
        "with_equal_claims",
    ]
    if len(values) < 3:
        return pd.DataFrame(columns=columns)
    shares = values.quantile([0.5, 0.05, 0.95]).T
    ranks = values.rank().corr()[["srp", "srp_equal_claims"]]
    return shares.join(ranks).reset_index().set_axis(columns, axis=1)


def duplicates(data: Ratings, plan: Plan, seed: int) -> pd.DataFrame:
    """False claims between the two copies of a system judged twice, and SRP without either copy.

    Columns first, second, grouping, false_claims (share of studies that find the copies different;
    the test allows 0.05), srp (with both), srp_without_first, srp_without_second. No rows if no
    system was judged twice.
    """
    rows = []
    copies = [
        two
        for group in same_system(data.systems)
        for two in combinations(group, 2)
    ]
    for (a, b), grouping in product(copies, GROUPINGS):
        design = replace(plan.design, grouping=grouping)
        outcome = simulate(
            data, design, np.random.default_rng([seed, 1, len(grouping)])
        )
        two = sorted((data.systems.index(a), data.systems.index(b)))
        false = outcome.significant[
            :, (outcome.pairs == two).all(axis=1)
        ].mean()
        without = [
            srp(data.without(name), design, seed)["srp"] for name in (a, b)
        ]
        rows.append(
            (a, b, grouping, false, stability(outcome)["srp"], *without)
        )
    named = ["srp_without_first", "srp_without_second"]
    columns = ["first", "second", "grouping", "false_claims", "srp", *named]
    return pd.DataFrame(rows, columns=columns)
