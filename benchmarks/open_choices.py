"""Simulate the choices of the method that no simulation had decided, beside an alternative to each.

Writes ``results/open_choices.csv``, one row per choice and cell:

- choice, alternative: what `rankstability` does, and what was tried in its place;
- cell: a design of `simulate_ratings.py` (or a variant of one), or a real campaign;
- campaigns: simulated ones. Both methods are given the same campaigns;
- error, error_alternative: share of campaigns with a false statement, of the kind that `of` names;
- found, found_alternative: true statements found in a campaign, on average;
- statements, statements_alternative: what is said about WMT18 and WMT24, summed over language pairs.

Alternatives are put in the place of functions of the library while they are measured.

Arguments: words of choices to measure again. ``CAMPAIGNS=1000`` sets the number of campaigns per cell
(400), ``SEED`` the seed.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import simulate_ratings as ratings
from designs import ALPHA, measure_design
from simulate_ratings import Design

import rankstability as rs
from rankstability.inference import over_strata, questions, tasks
from rankstability.inference import ratings as library
from rankstability.inference.assemble import assemble
from rankstability.inference.from_judgments import ranked_ratings
from rankstability.inference.questions import (
    answer_candidates,
    answer_leaders,
    answer_pair,
    candidates_before_removal,
)
from rankstability.inference.ratings import infer_ratings
from rankstability.inference.result import RankInference
from rankstability.inference.tasks import compare_arrays
from rankstability.inference.units import least_df, unit_codes
from rankstability.inference.within import Stratum, StratumFit
from rankstability.judgments import Judgments
from rankstability.scores.arrays import ScoreArrays

RESULTS = Path(__file__).parent / "results" / "open_choices.csv"
CAMPAIGNS = int(os.environ.get("CAMPAIGNS", "400"))
SEED = int(os.environ.get("SEED", "30415"))
REAL = ("wmt18", "wmt24-esa")
GAIN = 1.5  # of half of the systems, in the second of two rankings

Check = Callable[[Design, np.random.Generator], Mapping[str, float]]
Count = Callable[[Judgments], str]
fit_stratum = library.fit_stratum
moderate_variances = library.moderate_variances


# ------------------------------------------------------------------ alternatives


def moderate_known_pairs(
    variance: np.ndarray, df: np.ndarray, effective: np.ndarray, pair_effective: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Moderate without the pairs that cannot be assessed: they get values that change nothing."""
    known = df > 0
    pairs = np.triu_indices(len(df), 1)
    if known[pairs].all() or not known[pairs].any():
        return moderate_variances(variance, df, effective, pair_effective)
    ratio = float(np.mean((variance * pair_effective)[pairs][known[pairs]]))
    neutral = np.where(known, variance, ratio / pair_effective)
    np.fill_diagonal(neutral, 0.0)
    median = np.median(df[pairs][known[pairs]])
    moderated, more = moderate_variances(
        neutral, np.where(known, df, median), effective, pair_effective
    )
    return np.where(known, moderated, variance), np.where(known, more, 0.0)


def pooled_strata(arrays: ScoreArrays, kinds: Sequence[str], domain: np.ndarray) -> list[Stratum]:
    """Return strata in which the domains with a single unit of a kind are one, as in section 5.7."""
    number = int(domain.max(initial=0)) + 1
    codes = {kind: unit_codes(arrays, kind) for kind in kinds}
    single = [
        k
        for k in range(number)
        if any(len(np.unique(unit[domain == k])) == 1 for unit in codes.values())
    ]
    if len(single) < 2:
        return strata(arrays, kinds, domain)
    total = np.bincount(domain, arrays.weights())
    pooled = np.where(np.isin(domain, single), single[0], domain)
    pooled = np.unique(pooled, return_inverse=True)[1]
    found = strata(arrays, kinds, pooled)
    where = int(pooled[domain == single[0]][0])
    weight = found[where].weight / total[domain[pooled == where]]
    factors = np.full(len(found), 1 / number)
    factors[where] = len(single) / number
    found[where] = replace(found[where], weight=weight)
    return [replace(part, factor=factor) for part, factor in zip(found, factors, strict=True)]


strata = library._strata
of_stratum = over_strata._of_stratum
strata_reasons = library._pair_reasons


def own_means(stratum: Stratum, n: int) -> StratumFit:
    """Compare own means: all judgments count as those of one segment."""
    return fit_stratum(replace(stratum, segment=np.zeros(len(stratum.system), int)), n)


def own_means_if_unjoined(stratum: Stratum, n: int) -> StratumFit:
    """Compare own means of all systems where segments do not join all of them."""
    fit = fit_stratum(stratum, n)
    return own_means(stratum, n) if fit.component.max() > 0 else fit


def unjoined_not_assessed(tests: over_strata.WithinTests, kinds: Sequence[str]) -> np.ndarray:
    """Return reasons that leave out the pairs which no segments join."""
    reasons = strata_reasons(tests, kinds)
    reasons[~tests.joined & (reasons == "")] = "not_joined"
    return reasons


def stratum_by_systems(
    left_out: Mapping[str, Sequence[over_strata.LeaveOut]],
    kinds: Sequence[str],
    k: int,
    factor: float,
    fit: StratumFit,
) -> tuple[np.ndarray, np.ndarray]:
    """Return lambda^2 V_k, and df_k from the effective units of the two systems."""
    variance, _ = of_stratum(left_out, kinds, k, factor, fit)
    with np.errstate(divide="ignore", invalid="ignore"):
        number = {kind: 1 / (left_out[kind][k].share ** 2).sum(axis=0) for kind in kinds}
    return variance, least_df({kind: np.minimum.outer(e, e) for kind, e in number.items()})


@contextmanager
def no_change() -> Iterator[None]:
    yield


def fits_by(function: Callable[[Stratum, int], StratumFit]) -> Callable[[], Any]:
    """Return a context in which strata are fitted by this function."""

    @contextmanager
    def context() -> Iterator[None]:
        with (
            patch.object(library, "fit_stratum", function),
            patch.object(tasks, "fit_stratum", function),
        ):
            yield

    return context


# ------------------------------------------------------------------ what is counted


def check_sole_candidate(with_cost: bool) -> Check:
    """Check a sole candidate: is it the best, and is its cost, if it is printed, high enough?"""

    def check(design: Design, rng: np.random.Generator) -> dict[str, float]:
        inference = infer_ratings(ratings.simulate(design, rng))
        candidate = answer_candidates(inference).table["candidate"].to_numpy()
        if candidate.sum() != 1:
            return {"error": 0.0, "found": 0.0}
        chosen = int(np.flatnonzero(candidate)[0])
        truth = design.truth()[inference.codes]
        lost = truth.max() - truth[chosen]
        cost = candidates_before_removal(inference, ALPHA)[1][chosen]
        error = lost > cost + 1e-9 if with_cost else lost > 0
        return {"error": float(error), "found": float(cost > 0) if with_cost else 1.0}

    return check


def check_changes(with_zero: bool) -> Check:
    """Check the printed intervals of changes, where half of the systems gain `GAIN`."""

    def check(design: Design, rng: np.random.Generator) -> dict[str, float]:
        first, second = (ratings.simulate(design, rng) for _ in range(2))
        gains = GAIN * (np.arange(design.n) < design.n // 2)
        second = replace(second, score=second.score + gains[second.system])
        second = ratings.renamed(second, "second", shared="")
        table = compare_arrays(ratings.renamed(first, "first", shared=""), second).changes
        gain = {f"s{k:02}": gains[k] for k in range(design.n)}
        truth = table["system_a"].map(gain) - table["system_b"].map(gain)
        declared = table["gained"] != ""
        low, high = table["change_low"], table["change_high"]
        wrong = (declared & (truth <= 0)).any()
        if with_zero:
            shown, moved = declared, declared & low.isna()
            low, high = low.where(~moved, 0.0), high.where(~moved, np.inf)
            wrong |= (shown & ((low > truth + 1e-9) | (high < truth - 1e-9))).any()
            return {"error": float(wrong), "found": float(shown.sum())}
        shown = declared & low.notna()
        wrong |= (shown & ((low > truth + 1e-9) | (high < truth - 1e-9))).any()
        return {"error": float(wrong), "found": float(shown.sum())}

    return check


def check_leaders(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """Check leaders and candidates in five categories, of which each has its documents."""
    arrays = ratings.simulate(design, rng)
    category = arrays.units["document"] % 5
    table = answer_leaders({str(k): arrays.take(category == k) for k in range(5)}).table
    best = {f"s{k:02}" for k in range(design.groups[0])}
    leaders = table["leader"][table["leader"] != ""]
    right = {"s00"} if len(best) == 1 else set()
    missing = any("s00" not in found for found in table["candidates"][table["assessable"]])
    return {
        "error": float(missing or not leaders.isin(right).all()),
        "found": float(leaders.isin(right).sum()),
    }


def checked(column: str) -> Check:
    """Check one kind of statement of a campaign, as in `simulate_ratings.py`."""

    def check(design: Design, rng: np.random.Generator) -> dict[str, float]:
        is_tasks = design.question == "tasks"
        found = (ratings.check_tasks if is_tasks else ratings.check_ranking)(design, rng)
        error = max(found[name] for name in column.split(" or "))
        return {"error": error, "found": found.get("pairs", np.nan)}

    return check


def inference_of(judgments: Judgments) -> RankInference:
    arrays, by_domain = ranked_ratings(judgments)
    return infer_ratings(arrays, None, by_domain)


def count_ranking(judgments: Judgments) -> dict[str, int]:
    """Count the statements of a ranking."""
    inference = inference_of(judgments)
    possible = inference.could_be_first if inference.units else np.zeros(1)
    return {
        "boundaries": int(inference.supported.sum()),
        "better pairs": int(inference.better.sum()),
        "could be the best": int(possible.sum()),
    }


def count_pairs(judgments: Judgments) -> dict[str, int]:
    """Count the pairs that differ, each asked alone."""
    inference = inference_of(judgments)
    names = inference.systems
    results = [
        answer_pair(inference, names[i], names[k]).result
        for i, k in zip(*np.triu_indices(len(names), 1), strict=True)
    ]
    return {"single pairs that differ": sum(r in ("better", "worse") for r in results)}


def count_candidates(judgments: Judgments) -> dict[str, int]:
    """Count sole candidates, and those whose cost would exceed 0."""
    inference = inference_of(judgments)
    candidate = answer_candidates(inference).table["candidate"].to_numpy()
    sole = bool(inference.units) and candidate.sum() == 1
    cost = candidates_before_removal(inference, ALPHA)[1] if sole else np.zeros(1)
    return {
        "sole candidates": int(sole),
        "with a cost above 0": int(sole and cost[candidate][0] > 0),
    }


def count_leaders(judgments: Judgments) -> dict[str, int]:
    """Count leaders by domain, and candidates in all domains."""
    arrays = ranked_ratings(judgments)[0]
    if "domain" not in arrays.units:
        return {}
    code = arrays.units["domain"]
    table = answer_leaders({str(k): arrays.take(code == k) for k in np.unique(code)}).table
    return {
        "leaders": int((table["leader"] != "").sum()),
        "candidates": sum(len(found) for found in table["candidates"]),
    }


# ------------------------------------------------------------------ choices


@dataclass(frozen=True)
class Choice:
    """A choice, its alternative, and the cells in which both are measured."""

    where: str
    choice: str
    alternative: str
    of: str
    cells: tuple[Design, ...]
    context: Callable[[], Any] = no_change
    check: Check | None = None
    check_alternative: Check | None = None
    count: Callable[[Judgments], dict[str, int]] | None = count_ranking


def choices() -> list[Choice]:
    """Return all choices."""
    known = {design.name: design for design in ratings.designs()}

    def named(*names: str) -> tuple[Design, ...]:
        return tuple(known[name] for name in names)

    tasks_cells = named("tasks: own units", "tasks: one task of three annotators")
    incomplete = tuple(
        replace(cell, name=f"{cell.name}, {lacking} lacking", lacking=lacking, only=3)
        for cell in tasks_cells
        for lacking in ("random", "late")
    )
    changes = tuple(
        replace(cell, name=f"{cell.name}, half gain {GAIN:g}")
        for cell in named("changes: own units", "changes: own units, incomplete")
    )
    unjoined = named("no document in common", "own documents (3)", "own documents (6)")
    bridge = replace(known["one document in common"], groups=(1,) * 6, gap=0.5,
                     name="one document in common (1+1+1+1+1+1)")  # fmt: skip
    far = known["no document in common"]
    unjoined += (replace(far, name=f"{far.name} (1+1+1+1+1+1)", groups=(1,) * 6, gap=0.5),)
    sparse = Design("no document in common, two per segment", (6,), 15, 80, "two per segment",
                    lacking="halves")  # fmt: skip
    pooled = known["domains, few units: annotators (5)"]
    return [
        Choice(
            "11.1",
            "pairs that cannot be assessed enter the common variance",
            "only pairs that can be assessed enter it",
            "ranking",
            (*named("one document in common", "two late systems", "HITs, one document in common",
                  "last system on 4 of 80 documents, normal crossed",
                  "last system on 4 of 80 documents, MQM SR+DC"), bridge),
            lambda: patch.object(library, "moderate_variances", moderate_known_pairs),
        ),
        Choice(
            "11.2, steps 2 and 3",
            "a domain with a single annotator or document allows no statement",
            "such domains are pooled",
            "ranking",
            (*named("domains, few units: annotators (2)", "domains, few units: annotators (5)"),
             replace(pooled, name="domains, few units: annotators (1+1+1+1+1)", groups=(1,) * 5,
                     gap=0.5)),
            lambda: patch.object(library, "_strata", pooled_strata),
        ),
        Choice(
            "11.2, step 4",
            "systems that no segments join are compared by the means of their groups",
            "all systems are compared by own means",
            "ranking",
            (*unjoined, sparse),
            fits_by(own_means_if_unjoined),
        ),
        Choice(
            "11.2, step 4",
            "systems that no segments join are compared by the means of their groups",
            "such pairs are not assessed",
            "ranking",
            unjoined,
            lambda: patch.object(library, "_pair_reasons", unjoined_not_assessed),
        ),
        Choice(
            "11.2",
            "tables that name only HITs are compared within segments",
            "own means",
            "ranking",
            named("HITs crossed (5)", "HITs SR+DC (5)", "HITs lack the hardest quarter",
                  "HITs, undeclared waves", "HITs, two by others"),
            fits_by(own_means),
            count=None,
        ),
        Choice(
            "5.6",
            "no caution about undeclared waves, because comparisons are within segments",
            "own means, as in the table of the procedure",
            "ranking",
            named("undeclared waves", "lacks the hardest quarter", "power: undeclared waves"),
            fits_by(own_means),
        ),
        Choice(
            "11.3",
            "single pairs: df before moderation where it did not raise the variance",
            "df after moderation always",
            "pair",
            named("near copies", "one variable system", "variances 1 : 9 : 49",
                  "outlier, three annotators", "log-normal variances",
                  "one annotator prefers one system", "complete, copies"),
            lambda: patch.object(questions, "without_gain", lambda inference: inference),
            count=count_pairs,
        ),
        Choice(
            "11.4",
            "a sole candidate has no cost",
            "its cost is printed (found: costs above 0)",
            "sole candidate",
            (*named("power: 5 systems, 4 annotators", "power: 10 systems, 10 annotators",
                    "power: Zipf", "power: undeclared waves"),
             Design("crossed (1+4), gap 0.5", (1, 4), gap=0.5),
             Design("crossed (2+3), gap 1", (2, 3), gap=1.0)),
            check=check_sole_candidate(False),
            check_alternative=check_sole_candidate(True),
            count=count_candidates,
        ),
        Choice(
            "11.5",
            "df of a task from the effective units of the pair",
            "df from those of the two systems",
            "ranking or candidate",
            (tasks_cells[0], *incomplete),
            lambda: patch.object(over_strata, "_of_stratum", stratum_by_systems),
        ),
        Choice(
            "11.8",
            "a change whose interval includes 0 is declared without an interval",
            "its interval ends at 0",
            "changes and their intervals",
            changes,
            check=check_changes(False),
            check_alternative=check_changes(True),
            count=None,
        ),
        Choice(
            "11.9",
            "candidates of a category: removal by the ranking at α/C",
            "removal at α",
            "leaders and candidates",
            (*named("leaders of five categories (2)", "leaders of five categories (6)"),
             Design("leaders of five categories (1+5)", (1, 5), 8, 50, gap=1.2,
                    question="leaders")),
            lambda: patch.object(questions, "assemble", lambda made, _: assemble(made, ALPHA)),
            check_leaders,
            count=count_leaders,
        ),
    ]  # fmt: skip


# ------------------------------------------------------------------ the table


def rows_of(choice: Choice) -> Iterator[dict[str, object]]:
    """Yield a row per cell and real campaign."""
    start = {"where": choice.where, "choice": choice.choice, "alternative": choice.alternative}
    ours = choice.check or checked(choice.of)
    theirs = choice.check_alternative or ours
    for cell in choice.cells:
        row = measure_design(cell, ours, SEED, CAMPAIGNS)
        with choice.context():
            other = measure_design(cell, theirs, SEED, CAMPAIGNS)
        yield {
            **start,
            "of": choice.of,
            "cell": cell.name,
            "campaigns": CAMPAIGNS,
            "error": row["error"],
            "error_alternative": other["error"],
            "found": row["found"],
            "found_alternative": other["found"],
        }
    if choice.count is None:
        return
    for campaign in REAL:
        said = count_campaign(campaign, choice.count)
        with choice.context():
            other_said = count_campaign(campaign, choice.count)
        if said:
            yield {**start, "cell": campaign, "statements": said,
                   "statements_alternative": other_said}  # fmt: skip


@cache
def load_all(campaign: str) -> list[Judgments]:
    """Return the judgments of all language pairs of a campaign."""
    pairs = rs.pairs(campaign).itertuples()
    return [rs.load(campaign, each.pair, getattr(each, "task", "")) for each in pairs]


def count_campaign(campaign: str, count: Callable[[Judgments], dict[str, int]]) -> str:
    """Return the sums over language pairs as text."""
    total = pd.DataFrame([count(judgments) for judgments in load_all(campaign)]).sum()
    return ", ".join(f"{int(number)} {name}" for name, number in total.items())


def main() -> None:
    words = sys.argv[1:]
    table = pd.read_csv(RESULTS) if words and RESULTS.exists() else pd.DataFrame()
    for choice in choices():
        text = f"{choice.where} {choice.choice} {choice.alternative}"
        if words and not any(word in text for word in words):
            continue
        rows = []
        for row in rows_of(choice):
            rows.append(row)
            print(*list(row.values())[3:], flush=True)
        table = pd.concat([table, pd.DataFrame(rows)], ignore_index=True)
        table = table.drop_duplicates(["choice", "alternative", "cell"], keep="last")
        table.to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
