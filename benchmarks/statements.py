"""Collect the measured error of every promise from the tables of the simulations.

Writes ``results/statements.csv``, one row per promise or named exception:

- where: the page, or the notebook, that makes the promise;
- promise: what is promised; nominal: its error rate, or the size of the difference that is promised;
- measured_in: the table; designs: how many of its rows count; campaigns: of each design;
- mean_error, largest_error: over these designs. For a prediction, the mean difference between what
  was predicted and what came, and its largest size;
- above_limit: designs whose error exceeds the nominal rate by two standard errors.

Rows of kind ``rejected`` give the error of another method in designs of the same kind. Rows of
kind ``exception`` are designs in which the promise is not met; `docs/trust.md` names them.
"""

from pathlib import Path

import pandas as pd

RESULTS = Path(__file__).parent / "results"
NAMES = ["kind", "where", "promise", "nominal", "measured_in", "designs", "campaigns",
         "mean_error", "largest_error", "above_limit"]  # fmt: skip
JOINT = "no wrong statement about a pair, a boundary, a rank or first place"
EXCEPTIONS = {  # designs of named exceptions, by how their names begin
    "ratings.csv": {
        "three annotators with a quarter of the judgments each, strong interactions": "3 x 25 %",
        "four annotators with a fifth of the judgments each, strong interactions": "4 x 20 %",
        "two systems, three annotators, interactions all of one exact size": (
            "three annotators, interactions of one size"
        ),
        "a system that fails rarely but badly on whole documents": "rare failures",
        "items: equal means, rare large losses, 30 items": "rare large losses on 30 items",
        "items: equal means, rare large losses, 100 items": "rare large losses on 100 items",
        "items: equal means, rare large losses, 500 items": "rare large losses on 500 items",
    },
    "votes_calibration.csv": {
        "three questions with a quarter of the votes each, strong effects": (
            "questions three with a quarter, strong effects"
        ),
        "four questions with a fifth of the votes each, strong effects": (
            "questions four with a fifth, strong effects"
        ),
        "six questions with a seventh of the votes each, strong effects": (
            "questions six with 0.14, strong effects"
        ),
    },
}
UNLIKE = (  # designs in which the variance of some systems is unlike that of the others
    "near copies", "complete, copies", "one variable system", "variances", "log-normal", "outlier",
    "one annotator prefers",
)  # fmt: skip
SEVERAL = ("tasks", "changes", "five looks", "leaders")  # questions about more than one ranking
COMPARED = ("left out", "annotators only")  # votes: methods shown for comparison, not ours


def promise_row(
    where: str,
    promise: str,
    table: pd.DataFrame,
    file: str,
    column: str,
    nominal: float = 0.05,
    kind: str = "promise",
) -> tuple[object, ...]:
    """Return the row of one promise, whose error rates are in a column of a table."""
    known = table[table[column].notna()]
    error = known[column]
    margin = 2 * (nominal * (1 - nominal) / known["campaigns"]) ** 0.5
    campaigns = int(known["campaigns"].median())
    above = int((error > nominal + margin).sum())
    return (kind, where, promise, nominal, file, len(known), campaigns,
            error.mean(), error.max(), above)  # fmt: skip


def exception_rows(table: pd.DataFrame, file: str) -> list[tuple[object, ...]]:
    """Return a row for each named exception: the error of the ranking in its designs."""
    rows = []
    for name, start in EXCEPTIONS[file].items():
        known = table[table["design"].str.startswith(start)]
        error = known["ranking"]
        rows.append(("exception", "verdict page", name, 0.05, file, len(known),
                     int(known["campaigns"].median()), error.mean(), error.max(),
                     int((error > known["limit"]).sum())))  # fmt: skip
    return rows


def without_exceptions(table: pd.DataFrame, file: str) -> pd.DataFrame:
    """Return the designs that are not named exceptions."""
    starts = tuple(EXCEPTIONS[file].values())
    return table[~table["design"].str.startswith(starts)]


def prediction_row(promise: str, plans: pd.DataFrame) -> tuple[object, ...]:
    """Return the row of one prediction: predicted minus realised, over designs."""
    known = plans[plans["promise"] == promise]
    gap = known["predicted"] - known["realised"]
    far = int((gap.abs() > 2 * known["error"]).sum())
    return ("prediction", "verdict page, What would more judgments buy?", promise, "",
            "plans.csv", len(known), int(known["pilots"].median()), gap.mean(),
            gap.abs().max(), far)  # fmt: skip


def main() -> None:
    ratings = pd.read_csv(RESULTS / "ratings.csv")
    votes = pd.read_csv(RESULTS / "votes_calibration.csv")
    votes = votes[~votes["design"].str.contains("|".join(COMPARED))]
    ours = without_exceptions(ratings, "ratings.csv")
    votes_ours = without_exceptions(votes, "votes_calibration.csv")
    is_second = ours["design"].str.endswith(", the other domains")
    single = ours[~ours["design"].str.startswith(SEVERAL) & ~is_second]
    page = "verdict page"
    asked = f"{page}, Questions asked"
    rows = [
        promise_row(page, f"ratings: {JOINT}", single, "ratings.csv", "ranking"),
        promise_row(page, f"votes and relative rankings: {JOINT}", votes_ours,
                    "votes_calibration.csv", "ranking"),
        promise_row(page, "votes: the interval of the order of presentation", votes_ours,
                    "votes_calibration.csv", "order"),
    ]  # fmt: skip
    for column, promise, nominal in (
        ("pair", "a chosen pair: better, worse or inconclusive", 0.05),
        ("margin", "a chosen pair: at most so much worse", 0.025),
        ("baseline", "all differences from a baseline, with their intervals", 0.05),
        ("candidate", "the best system is one of the candidates", 0.05),
        ("costs", "what a choice costs at most", 0.05),
    ):
        rows.append(promise_row(asked, promise, single, "ratings.csv", column, nominal))
    choices = pd.read_csv(RESULTS / "open_choices.csv")
    unlike = single[single["design"].str.startswith(UNLIKE)]
    always = choices[(choices["where"] == "11.3") & choices["error"].notna()]
    systems = "a chosen pair, where systems are near copies or unlike the others"
    rows += [
        promise_row(asked, systems, unlike, "ratings.csv", "pair"),
        promise_row(asked, f"{systems}: degrees of freedom after moderation always", always,
                    "open_choices.csv", "error_alternative", kind="rejected"),
    ]  # fmt: skip
    for start, promise in (
        ("tasks", "several tasks: the ranking over all of them"),
        ("changes", "two rankings: which differences changed"),
        ("five looks", "five looks at a running campaign: any statement at any look"),
        ("leaders", "the leader in each of five categories"),
    ):
        part = ratings[ratings["design"].str.startswith(start)]
        rows.append(promise_row(asked, promise, part, "ratings.csv", "ranking"))
    promise = "a domain that limits the ranking: the ranking over the other domains"
    rows.append(promise_row(page, promise, ours[is_second], "ratings.csv", "ranking"))
    judges = pd.read_csv(RESULTS / "judge_models.csv")
    protocols = pd.read_csv(RESULTS / "protocols.csv")
    rows += [
        promise_row("notebook 12", "the interval of r, and of the judgments saved", judges,
                    "judge_models.csv", "missed"),
        promise_row("notebook 11", "equal protocols are not said to differ", protocols,
                    "protocols.csv", "false"),
    ]  # fmt: skip
    plans = pd.read_csv(RESULTS / "plans.csv")
    rows += [prediction_row(promise, plans) for promise in plans["promise"].unique()]
    rows += exception_rows(ratings, "ratings.csv")
    rows += exception_rows(votes, "votes_calibration.csv")
    pd.DataFrame(rows, columns=NAMES).round(4).to_csv(RESULTS / "statements.csv", index=False)


if __name__ == "__main__":
    main()
