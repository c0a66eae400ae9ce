"""Simulate campaigns of votes and relative rankings, and count false statements, design by design.

Each row of ``results/votes_calibration.csv`` is one design, whose systems form groups of equal
strength, and one way to make inferences (`units`):

- ranking: share of campaigns in which the ranking contains any false statement;
- covered: share in which every confidence set for a rank holds the true rank;
- order: share in which the interval of the order effect misses the truth (no favour: 0);
- pairs, boundaries: expected numbers found, of those that are true;
- inference: share of campaigns in which any inference was made.

The error rate of a design may exceed 5 % by two standard errors (`limit`).

A vote compares the strengths of two systems, plus what the annotator prefers, plus what each answer
to this question is worth, plus logistic noise of standard deviation 1.8. Each annotator has a
threshold for ties.

Arguments: words of the names of designs to simulate again. ``CAMPAIGNS=200`` sets the number of
campaigns per design (1000), ``SEED`` the seed.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from designs import ALPHA, errors_of_ranking, measure_design, run_designs

from rankstability.inference.votes import infer_votes
from rankstability.scores.arrays import VoteArrays

RESULTS = Path(__file__).parent / "results" / "votes_calibration.csv"
SEED = int(os.environ.get("SEED", "30412"))
THRESHOLD, MANY_TIES = 0.5, 6.0  # median thresholds for ties: some, and about 90 %
SPREAD_OF_THRESHOLDS = 0.5  # on the log
ALL = "annotators and questions"
SHARES = {  # of the votes: questions with many; the others share the rest equally
    "one with half": (0.5,),
    "two with 0.3": (0.3, 0.3),
    "three with a quarter": (0.25,) * 3,
    "four with a fifth": (0.2,) * 4,
    "six with 0.14": (0.14,) * 6,
}


@dataclass(frozen=True)
class Design:
    """One design.

    Attributes
    ----------
    groups : tuple of int
        Sizes of the groups of equal systems; `gap` lies between groups.
    assignment : str
        ``random``; ``own questions`` (annotators have questions of their own); ``both orders``
        (each annotator votes on each question in both orders); ``once`` (one vote per question);
        ``one vote`` (one vote per annotator); ``closeness`` (systems of similar strength meet more
        often); ``ladder`` (systems meet their neighbours only); ``blocks`` (relative ranking, five
        outputs at a time).
    preference, worth, taste : float
        Standard deviations of annotator x system, question x system, and all three. What a single
        annotator prefers belongs to how the systems were measured, and is 0.
    effects : str
        The distribution of worths, or of preferences: normal, t3, two points, exponential.
    loads : str
        Shares of the votes of questions, of `SHARES`, or Zipf.
    sides : str
        Who is shown first: ``random``, ``by name``, ``four in five by name``, ``both orders``.
    favour, favour_sd : float
        What being shown first is worth, and how much annotators differ in it.
    newcomer : int
        Votes (or blocks) of the last system.
    newcomer_on : str
        ``anywhere``, ``three questions`` or ``three annotators``.
    same : str
        ``annotator`` or ``question``: these stay the same, and their effects cancel for every pair
        of systems, so that equal systems stay equal.
    units : str
        Passed to `infer_votes`; empty: what the data name.
    """

    name: str
    groups: tuple[int, ...] = (2,)
    annotators: int = 10
    questions: int = 40
    votes: int = 600
    assignment: str = "random"
    gap: float = 1.5
    preference: float = 0.4
    worth: float = 0.8
    taste: float = 0.0
    effects: str = "normal"
    loads: str = "equal"
    sides: str = "random"
    favour: float = 0.0
    favour_sd: float = 0.0
    threshold: float = THRESHOLD
    newcomer: int = 0
    newcomer_on: str = "anywhere"
    same: str = ""
    units: str = ""
    with_order: bool = True

    @property
    def n(self) -> int:
        return sum(self.groups)

    def strength(self) -> np.ndarray:
        return -self.gap * np.repeat(np.arange(len(self.groups)), self.groups)


# ------------------------------------------------------------------ designs


def designs() -> list[Design]:
    """Return all designs."""
    every = [*equal(), *one_annotator(), *special(), *newcomers(), *heavy(), *order(), *rankings(),
             *second_answers(), *power()]  # fmt: skip
    names = [design.name for design in every]
    assert len(set(names)) == len(names)
    return every


def equal() -> Iterator[Design]:
    for n, questions, annotators in product((2, 4), (3, 6, 12, 40, 200), (3, 10, 50)):
        name = f"{n} systems, {annotators} annotators x {questions} questions"
        yield Design(name, (n,), annotators, questions)
        if annotators == 50 and questions <= 40:
            yield Design(f"{name}, by annotators only", (n,), annotators, questions,
                         units="annotator")  # fmt: skip
    yield Design("8 systems", (8,), 10, 40)
    yield Design("8 systems, 5 annotators", (8,), 5, 40)
    yield Design("20 systems", (20,), 20, 60, 2000)
    for groups in ((2, 2), (2, 2, 2), (2, 3), (3, 3), (1, 2, 1)):
        yield Design("groups " + "+".join(map(str, groups)), groups, 15, 40)
    yield Design("as llmfao", (59,), 124, 13, 8931, preference=0.3, worth=0.7, taste=0.3)
    for effects, (questions, annotators) in product(
        ("t3", "two points", "exponential"), ((3, 30), (10, 10), (40, 3), (40, 30))
    ):
        name = f"worths {effects}, {annotators} annotators x {questions} questions"
        yield Design(name, (4,), annotators, questions, worth=1.5, effects=effects)
    yield Design("exponential preferences", (4,), 10, 40, preference=2.0, effects="exponential")


def one_annotator() -> Iterator[Design]:
    for n, questions in product((2, 4), (3, 6, 12, 40, 200)):
        yield Design(
            f"one annotator, {questions} questions ({n})",
            (n,),
            1,
            questions,
            120,
            preference=0.0,
            worth=1.0,
        )
    for n, questions, sides in product((2, 4), (30, 80, 500), ("random", "both orders")):
        name = f"one judge model, {questions} questions, {sides} ({n})"
        yield Design(
            name, (n,), 1, questions, 2 * questions, preference=0.0, worth=1.0, sides=sides
        )


def special() -> Iterator[Design]:
    for n in (2, 4):
        yield Design(f"one vote per annotator ({n})", (n,), 300, 10, 300, "one vote")
        yield Design(f"each question once ({n})", (n,), 10, 300, 300, "once")
        yield Design(f"own questions ({n})", (n,), 10, 60, 300, "own questions")
        yield Design(f"both orders ({n})", (n,), 8, 30, assignment="both orders")
        yield Design(f"answers divide annotators ({n})", (n,), 20, 40, taste=1.0)
        for spread in ("equal thresholds", "thresholds differ"):
            yield Design(f"90 % ties, {spread} ({n})", (n,), 15, 40, 1500, threshold=MANY_TIES,
                         effects="normal" if spread != "equal thresholds" else "one threshold")  # fmt: skip
    yield Design("60 annotators x 500 questions, 900 votes", (2,), 60, 500, 900)
    yield Design("matchmaking by closeness", (2, 2, 2), 15, 40, 900, "closeness", gap=1.0)
    yield Design("ladder", (1, 1, 2, 1, 1), 15, 40, 900, "ladder", gap=0.5)
    yield Design(
        "ladder with many ties", (1, 1, 2, 1, 1), 15, 40, 900, "ladder", gap=0.5, threshold=2.0
    )


def newcomers() -> Iterator[Design]:
    for votes, where in product(
        (3, 5, 8, 15, 30), ("anywhere", "three questions", "three annotators")
    ):
        name = f"new system of {votes} votes, {where}"
        yield Design(name, (5,), 15, 40, newcomer=votes, newcomer_on=where)


def heavy() -> Iterator[Design]:
    for loads, n, worth in product(("Zipf", *SHARES), (2, 5), (0.8, 2.0)):
        strong = ", strong effects" if worth == 2.0 else ""
        name = f"questions {loads}{strong} ({n})"
        yield Design(name, (n,), 30, 30, 900, loads=loads, worth=worth)


def order() -> Iterator[Design]:
    favours = ((0.0, 0.0), (1.0, 0.0), (0.5, 0.5))
    for sides, (favour, sd), known in product(
        ("random", "both orders", "four in five by name", "by name"), favours, (True, False)
    ):
        name = f"sides {sides}, favour {favour:g} ± {sd:g}"
        name += "" if known else ", order left out"
        yield Design(name, (4,), 15, 40, sides=sides, favour=favour, favour_sd=sd, with_order=known)
    for n, favour in product((2, 3, 4), (0.0, 1.0)):
        sides = "four in five by name" if n < 4 else "by name"
        name = f"one annotator, 60 questions, {sides}, favour {favour:g} ({n})"
        yield Design(name, (n,), 1, 60, 240, preference=0.0, worth=1.0, sides=sides, favour=favour)
    yield Design("two systems, the same always first", (2,), 15, 40, sides="by name", favour=0.7)


def rankings() -> Iterator[Design]:
    for annotators, votes, questions in product((4, 12, 30), (90, 300, 600), (8, 40, 100)):
        name = f"relative ranking, {annotators} annotators, {votes} blocks, {questions} segments"
        yield Design(name, (7,), annotators, questions, votes, "blocks")
    yield Design(
        "relative ranking, strong effects of segments", (7,), 12, 40, 300, "blocks", worth=1.2
    )
    for blocks in (2, 5, 10, 30):
        yield Design(f"relative ranking, new system in {blocks} blocks", (7,), 12, 40, 300, "blocks",
                     newcomer=blocks)  # fmt: skip
    yield Design(
        "relative ranking by annotators only", (7,), 12, 8, 600, "blocks", units="annotator"
    )


def second_answers() -> Iterator[Design]:
    for same, number in product(("annotator", "question"), (2, 5, 20)):
        sizes = (number, 40) if same == "annotator" else (30, number)
        other = "question" if same == "annotator" else "annotator"
        yield Design(f"the same {number} {same}s", (4,), *sizes, same=same, units=other)


def power() -> Iterator[Design]:
    for (annotators, questions), units in product(
        ((12, 30), (30, 30), (12, 200), (5, 40)), ("", "annotator")
    ):
        name = f"power: {annotators} annotators x {questions} questions"
        name += ", by annotators only" if units else ""
        yield Design(name, (1,) * 4, annotators, questions, gap=0.5, units=units)
    for sides, favour, known in product(("random", "by name"), (0.0, 1.0), (True, False)):
        if sides == "by name" and favour:
            continue
        name = f"power: sides {sides}, favour {favour:g}" + ("" if known else ", order left out")
        yield Design(name, (1,) * 5, 15, 40, 1500, gap=0.75, sides=sides, favour=favour,
                     with_order=known)  # fmt: skip


# ------------------------------------------------------------------ one campaign


def simulate(design: Design, rng: np.random.Generator) -> VoteArrays:
    """Return the votes of one campaign."""
    if design.assignment == "blocks":
        return simulate_blocks(design, rng)
    annotator, question, first, second = assign(design, rng)
    first, second = choose_sides(design, rng, first, second)
    seen = draw_seen(design, rng, annotator, question)
    if design.favour or design.favour_sd:
        favour = design.favour + design.favour_sd * rng.standard_normal(design.annotators)
    else:
        favour = np.zeros(design.annotators)
    lead = seen(first) - seen(second) + favour[annotator] + rng.logistic(size=len(first))
    threshold = design.threshold * np.ones(design.annotators)
    if design.effects != "one threshold":
        threshold *= np.exp(SPREAD_OF_THRESHOLDS * rng.standard_normal(design.annotators))
    outcome = np.where(np.abs(lead) < threshold[annotator], 0.5, (lead > 0).astype(float))
    return VoteArrays(
        tuple(f"s{k:02}" for k in range(design.n)),
        first,
        second,
        outcome,
        np.ones(len(first)),
        annotator=annotator,
        question=question,
        order_known=design.with_order,
    )


def assign(
    design: Design, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the annotator, question and two systems of each vote."""
    n, size, kind = design.n, design.votes, design.assignment
    annotator = rng.integers(design.annotators, size=size)
    question = rng.choice(design.questions, size, p=question_shares(design))
    if kind == "both orders":
        annotator, question = (
            code.ravel() for code in np.indices((design.annotators, design.questions))
        )
        size = len(annotator)
    elif kind == "once":
        question = np.arange(size)
    elif kind == "one vote":
        annotator = np.arange(size)
    elif kind == "own questions":
        own = design.questions // design.annotators
        question = annotator * own + rng.integers(own, size=size)
    elif design.sides == "both orders" and design.annotators == 1:
        question = np.arange(size) % design.questions
    first, second = draw_pairs(design, rng, size)
    if kind == "both orders" or design.sides == "both orders":
        half = size // 2 if kind != "both orders" else size
        annotator, question = np.tile(annotator[:half], 2), np.tile(question[:half], 2)
        first, second = (
            np.append(first[:half], second[:half]),
            np.append(second[:half], first[:half]),
        )
    if design.newcomer:
        keep = (first != n - 1) & (second != n - 1)
        annotator, question, first, second = (c[keep] for c in (annotator, question, first, second))
        added = newcomer_votes(design, rng)
        annotator, question, first, second = (
            np.append(old, new)
            for old, new in zip((annotator, question, first, second), added, strict=True)
        )
    return annotator, question, first, second


def question_shares(design: Design) -> np.ndarray:
    """Return the share of the votes that each question has."""
    if design.loads == "Zipf":
        share = 1.0 / np.arange(1, design.questions + 1)
        return share / share.sum()
    large = np.array(SHARES.get(design.loads, ()))
    others = design.questions - len(large)
    return np.append(large, np.full(others, (1 - large.sum()) / others))


def draw_pairs(
    design: Design, rng: np.random.Generator, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return two different systems for each vote, in random order."""
    n = design.n
    a, b = np.triu_indices(n, 1)
    chance = np.ones(len(a))
    if design.assignment == "closeness":
        strength = design.strength()
        chance = np.exp(-2 * np.abs(strength[a] - strength[b]))
    elif design.assignment == "ladder":
        chance = (b - a == 1).astype(float)
    pair = rng.choice(len(a), size, p=chance / chance.sum())
    swap = rng.random(size) < 0.5
    return np.where(swap, b[pair], a[pair]), np.where(swap, a[pair], b[pair])


def newcomer_votes(design: Design, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return the few votes of the last system."""
    size = design.newcomer
    annotators = 3 if design.newcomer_on == "three annotators" else design.annotators
    questions = 3 if design.newcomer_on == "three questions" else design.questions
    other = rng.integers(design.n - 1, size=size)
    last = np.full(size, design.n - 1)
    swap = rng.random(size) < 0.5
    return (
        rng.integers(annotators, size=size),
        rng.integers(questions, size=size),
        np.where(swap, last, other),
        np.where(swap, other, last),
    )


def choose_sides(
    design: Design, rng: np.random.Generator, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the systems in the order in which they are shown."""
    if design.sides not in ("by name", "four in five by name"):
        return first, second
    by_name = np.ones(len(first), bool)
    if design.sides == "four in five by name":
        by_name = rng.random(len(first)) < 0.8
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.where(by_name, low, first), np.where(by_name, high, second)


def draw_seen(
    design: Design, rng: np.random.Generator, annotator: np.ndarray, question: np.ndarray
):
    """Return a function of systems: what each vote sees of them."""
    n = design.n
    preference = design.preference * standardised(design, rng, (design.annotators, n), "annotator")
    worth = design.worth * standardised(design, rng, (int(question.max()) + 1, n), "question")
    strength = design.strength()
    taste = None
    if design.taste:
        cell = np.unique(annotator * (question.max() + 1) + question, return_inverse=True)[1]
        taste = design.taste * rng.standard_normal((int(cell.max()) + 1, n)), cell

    def seen(system: np.ndarray) -> np.ndarray:
        value = strength[system] + preference[annotator, system] + worth[question, system]
        return value if taste is None else value + taste[0][taste[1], system]

    return seen


def standardised(
    design: Design, rng: np.random.Generator, shape: tuple[int, int], kind: str
) -> np.ndarray:
    """Return effects of standard deviation 1: (units, systems)."""
    effect = rng.standard_normal(shape)
    if design.effects == "t3":
        effect = rng.standard_t(3, shape) / np.sqrt(3)
    elif design.effects == "two points":
        effect = np.sign(effect)
    elif design.effects == "exponential":
        effect = rng.exponential(size=shape) - 1
    if kind == design.same:  # mirrored, so that equal systems are equal with these same units
        half = shape[0] // 2
        effect[half : 2 * half] = -effect[:half]
        effect[2 * half :] = 0
    return effect


def simulate_blocks(design: Design, rng: np.random.Generator) -> VoteArrays:
    """Return the comparisons of relative rankings of five outputs."""
    n, size = design.n, design.votes
    annotator = rng.integers(design.annotators, size=size)
    question = rng.integers(design.questions, size=size)
    shown = rng.random((size, n))
    if design.newcomer:
        shown[:, -1] = np.where(np.arange(size) < design.newcomer, 0.0, 2.0)
    systems = shown.argsort(axis=1)[:, :5]
    seen = draw_seen(design, rng, annotator, question)
    value = np.column_stack([seen(systems[:, k]) for k in range(5)])
    value += rng.gumbel(size=value.shape)
    rank = np.round(-value / design.threshold / 2)  # ties where values are close
    a, b = np.triu_indices(5, 1)
    sign = np.sign(rank[:, b] - rank[:, a]).ravel()
    return VoteArrays(
        tuple(f"s{k:02}" for k in range(n)),
        systems[:, a].ravel(),
        systems[:, b].ravel(),
        (sign + 1) / 2,
        np.ones(len(sign)),
        annotator=np.repeat(annotator, len(a)),
        question=np.repeat(question, len(a)),
        order_known=False,
        relative_ranking=True,
    )


# ------------------------------------------------------------------ errors


def measure(design: Design) -> dict[str, object]:
    """Return one row of the table."""
    return measure_design(design, check, SEED, units=design.units or ALL)


def check(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """Return which statements about one campaign are false, and how many are found."""
    inference = infer_votes(simulate(design, rng), design.units or None, ALPHA)
    found = errors_of_ranking(design.strength()[inference.codes], inference)
    found["inference"] = float(not inference.no_inference)
    effect = inference.order_effect
    if effect is not None and not (design.favour or design.favour_sd):
        found["order"] = float(effect.low > 0 or effect.high < 0)
    return found


def above_limit(table: pd.DataFrame) -> pd.Series:
    """Return which designs have an error rate above their limit, but for the named limits."""
    named = table["design"].str.contains("annotators only|order left out")
    return (table["ranking"] > table["limit"]) & ~named


if __name__ == "__main__":
    run_designs(designs(), measure, RESULTS, above_limit)
