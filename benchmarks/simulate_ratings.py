"""Simulate campaigns of ratings and count false statements, for each design behind the promise.

Each row of ``results/ratings.csv`` is one design, whose systems form groups of equal quality:

- ranking: share of campaigns in which the ranking contains any false statement;
- covered: share in which every confidence set for a rank holds the true rank;
- pair: share in which the chosen pair of the first two systems is wrongly said to differ;
- margin: share in which "the second is at most d worse than the first" is false (nominal 2.5 %);
- baseline: share in which some interval of a difference from the first system misses the truth;
- candidate: share in which a given best system is missing from the candidates;
- costs: share in which that is so, or some cost of a choice is too low;
- pairs, boundaries: expected numbers found, of those that are true.

"The other domains" are second answers, which leave out a domain that limits the first. The error rate of a design may exceed 5 % by two standard errors (`limit`). Designs over tasks, of
changes, of looks and of categories have the column `ranking` or `candidate` for their own error.

Arguments: words of the names of designs to simulate again. ``CAMPAIGNS=200`` sets the number of
campaigns per design (1000), ``SEED`` the seed.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from designs import ALPHA, errors_of_ranking, measure_design, run_designs

from rankstability.inference.limiting import find_limiting_domain
from rankstability.inference.questions import (
    answer_baseline,
    answer_candidates,
    answer_leaders,
    answer_pair,
    candidates_before_removal,
    look_alpha,
)
from rankstability.inference.ratings import infer_ratings
from rankstability.inference.result import RankInference
from rankstability.inference.tasks import compare_arrays, rank_arrays_over_tasks
from rankstability.scores.arrays import ScoreArrays

RESULTS = Path(__file__).parent / "results" / "ratings.csv"
SEED = int(os.environ.get("SEED", "30411"))
ANSWERS = ("ranking", "covered", "pair", "margin", "baseline", "candidate", "costs")
SD = {  # of each effect, beside 1 of a single judgment
    "annotator": 0.5,
    "annotator x system": 0.3,
    "document": 0.5,
    "document x system": 0.3,
    "block": 0.3,
    "segment": 0.3,
}
LOADS = {  # shares of the annotators who judge most; the others share the rest equally
    "3 x 25 %": (0.25,) * 3,
    "4 x 20 %": (0.2,) * 4,
    "2 x 40 %": (0.4,) * 2,
    "1 x 50 %": (0.5,),
    "WMT18 tr-en": (0.180, 0.132, 0.048, 0.031, 0.022, 0.014, 0.014, 0.013),
    "WMT18 en-zh": (0.332, 0.072, 0.052, 0.033, 0.029, 0.029, 0.023, 0.013, 0.011, 0.011),
}
FAR = 4.0  # between groups of equal systems
PREFERENCE = 3.0  # what one annotator adds to one system
FAIL, FAIL_RATE = 8.0, 0.12  # what a failure on a document costs, and how often it happens


@dataclass(frozen=True)
class Design:
    """One design.

    Attributes
    ----------
    groups : tuple of int
        Sizes of the groups of equal systems; `gap` lies between groups.
    design : str
        ``full`` (all annotators judge all), ``crossed`` (two annotators a document), ``nested``
        (one annotator a document), ``SR+DC`` (an annotator for each document and system), ``half``
        (so, and each system on half of the documents), ``two per segment`` (two systems on each
        segment), ``two by others`` (so, by different annotators), ``one by others`` (an annotator
        for each output), ``apart`` (each system on documents of its own).
    lacking : str
        ``hardest`` (the first two systems lack the hardest documents), ``late`` (the last two are
        judged on the last documents), ``bridge`` (two halves of the systems share one document),
        ``halves`` (they share none),
        ``waves`` (better systems go on to easier documents), ``random`` (a random half), ``few``
        (the last system has only `only` documents).
    effects : str
        How annotators and documents differ about systems: normal, ``t3``, ``skewed``, ``one size``,
        ``copies`` (all but the first alike), ``prefers`` (one annotator prefers one system),
        ``failures`` (a system fails rarely on whole documents), ``variances`` (1 : 9 : 49),
        ``outlier`` (one system varies 36 times as much), ``log-normal``.
    interaction : float
        Multiplies effects on systems.
    single : str
        Domains with few units: ``annotator`` (the first domain has one annotator), ``annotators``
        (each domain has one), ``document`` (the first domain has one), ``two`` (the first domain
        has two annotators, and two documents).
    named : tuple of str
        Kinds of unit that the data name. Units that are not named have no effects on systems. With
        ``hit``, each annotator judged one HIT, and no table names annotators.
    """

    name: str
    groups: tuple[int, ...]
    annotators: int = 10
    documents: int = 20
    design: str = "crossed"
    segments: int = 3
    scores: str = "normal"
    loads: str = "equal"
    gap: float = FAR
    interaction: float = 1.0
    effects: str = "normal"
    lacking: str = ""
    only: int = 0
    domains: tuple[int, ...] = ()
    question: str = "ranking"
    single: str = ""
    named: tuple[str, ...] = ("annotator", "document")

    @property
    def n(self) -> int:
        return sum(self.groups)

    def truth(self) -> np.ndarray:
        """Return the true level of each system, in units of the latent scale."""
        return -self.gap * np.repeat(np.arange(len(self.groups)), self.groups)

    def load(self) -> np.ndarray:
        """Return the share of the judgments of each annotator."""
        if self.loads == "Zipf":
            weight = 1.0 / np.arange(1, self.annotators + 1)
            return weight / weight.sum()
        large = np.array(LOADS.get(self.loads, ()))
        others = self.annotators - len(large)
        return np.append(large, np.full(others, (1 - large.sum()) / max(others, 1)))


# ------------------------------------------------------------------ designs


def designs() -> list[Design]:
    """Return all designs."""
    every = [
        *common(),
        *heavy(),
        *moderation(),
        *within(),
        *sparse(),
        *standardised(),
        *items(),
        *hits(),
        *domains(),
        *several(),
        *power(),
    ]
    names = [design.name for design in every]
    assert len(set(names)) == len(names)
    return every


def common() -> Iterator[Design]:
    groups = [(2,), (3,), (5,), (10,), (20,), (2, 2), (2, 2, 2), (2, 2, 2, 2), (2, 3), (3, 3)]
    for design, group in product(("full", "crossed", "nested", "SR+DC", "half"), groups):
        if group != (20,) or design == "crossed":
            yield Design(f"{design} {label(group)}", group, design=design)
    for group, design in product(((2,), (5,)), ("crossed", "SR+DC")):
        end = f"{design} {label(group)}"
        for annotators in range(2, 9):
            yield Design(f"{annotators} annotators {end}", group, annotators, design=design)
        for documents in range(3, 8):
            yield Design(f"{documents} documents {end}", group, documents=documents, design=design)
        for scores in ("Likert", "ESA", "MQM", "rare", "ceiling", "binary", "heavy"):
            yield Design(f"{scores} {end}", group, scores=scores, design=design, gap=1.0)
        yield Design(f"strong interactions {end}", group, interaction=3.0, design=design)
        yield Design(f"Zipf {end}", group, loads="Zipf", design=design)
        for named in ("annotator", "document"):
            yield Design(f"{named}s only {end}", group, design=design, named=(named,))
        yield Design(f"domains {end}", group, documents=40, design=design, domains=(4, 6, 10, 20))
    yield Design("own documents (3)", (3,), 15, 60, "apart")
    yield Design("own documents (6)", (6,), 15, 90, "apart")


def heavy() -> Iterator[Design]:
    for loads, group in product(LOADS, ((2,), (5,))):
        annotators = {"WMT18 tr-en": 116, "WMT18 en-zh": 97}.get(loads, 10)
        for design, times in product(("crossed", "nested"), (1.0, 3.0)):
            name = f"{loads} {design} interaction {times:g} {label(group)}"
            yield Design(name, group, annotators, 100, design, loads=loads, interaction=times)


def moderation() -> Iterator[Design]:
    for name, n, annotators, documents, effects in (
        ("interactions t(3)", 8, 4, 20, "t3"),
        ("log-normal variances", 15, 4, 20, "log-normal"),
        ("near copies", 10, 4, 20, "copies"),
        ("variances 1 : 9 : 49", 9, 5, 20, "variances"),
        ("one variable system", 4, 4, 20, "outlier"),
        ("outlier on six documents", 30, 10, 6, "outlier"),
        ("outlier, three annotators", 20, 3, 20, "outlier"),
        ("rare failures (10, 8, 40)", 10, 8, 40, "failures"),
        ("rare failures (10, 8, 30)", 10, 8, 30, "failures"),
        ("rare failures (6, 26, 32)", 6, 26, 32, "failures"),
        ("skewed interactions", 8, 5, 30, "skewed"),
        ("interactions of one size", 8, 4, 20, "one size"),
        ("one annotator prefers one system", 5, 5, 40, "prefers"),
        ("two annotators, one prefers one system", 5, 2, 40, "prefers"),
    ):
        yield Design(name, (n,), annotators, documents, effects=effects, interaction=2.0)
    for design in ("full", "crossed"):
        name = f"three annotators, interactions of one size, {design} (2)"
        yield Design(name, (2,), 3, 40, design, effects="one size", interaction=3.0)
    yield Design("ceiling, eight systems", (8,), 5, 25, scores="ceiling")
    yield Design("outlier and Zipf", (12,), 6, 40, loads="Zipf", effects="outlier")


def within() -> Iterator[Design]:
    yield Design("lacks the hardest quarter", (5,), 40, 100, lacking="hardest", only=25)
    yield Design("undeclared waves", (8,), 15, 34, lacking="waves")
    yield Design(
        "SR+DC zero-heavy lacks the hardest fifth", (6,), 40, 80, "SR+DC", scores="MQM",
        lacking="hardest", only=16,
    )  # fmt: skip
    yield Design("two late systems", (6,), 15, 50, lacking="late", only=5)
    yield Design("one document in common", (6,), 15, 41, lacking="bridge")
    yield Design("no document in common", (6,), 15, 41, lacking="halves")
    yield Design("a random half", (8,), 15, 50, lacking="random")
    yield Design("two per segment", (8,), 20, 60, "two per segment")
    yield Design("two by others", (8,), 12, 100, "two by others")
    yield Design(
        "two by others, one segment per document",
        (6,),
        10,
        200,
        "two by others",
        1,
        interaction=3.0,
    )
    yield Design("one by others", (10,), 12, 40, "one by others")
    yield Design("complete, skewed", (8,), 5, 30, effects="skewed")
    yield Design("complete, zero-heavy", (6,), 12, 30, scores="MQM")
    yield Design("complete, copies", (6,), 10, 24, effects="copies")


def sparse() -> Iterator[Design]:
    for design, scores, only in product(
        ("crossed", "SR+DC"), ("normal", "MQM", "rare"), (4, 8, 20)
    ):
        name = f"last system on {only} of 80 documents, {scores} {design}"
        yield Design(name, (5,), 10, 80, design, scores=scores, lacking="few", only=only)


def standardised() -> Iterator[Design]:
    yield Design("z crossed", (6,), 15, 30, scores="z")
    yield Design(
        "z lacks the hardest quarter", (7,), 30, 80, scores="z", lacking="hardest", only=20
    )
    for shared, group in product((0, 10, 50, 100), ((4,), (2, 2), (1, 2, 1))):
        name = f"z, {shared} % of annotators judge both groups {label(group)}"
        yield Design(name, group, 20, 40, "groups", scores="z", gap=1.0, only=shared)


def items() -> Iterator[Design]:
    for group, scores, number in product(
        ((2,), (5,), (10,)), ("binary", "Likert", "normal", "MQM"), (10, 30, 100)
    ):
        yield Design(
            f"{number} items {scores} {label(group)}", group, 0, number, "items", 1, scores
        )
    for scores in ("binary", "normal"):
        yield Design(f"10 items {scores} (90)", (90,), 0, 10, "items", 1, scores)
        for lacking in ("hardest", "random"):
            name = f"50 items, {lacking} lacking, {scores}"
            yield Design(name, (5,), 0, 50, "items", 1, scores, lacking=lacking, only=10)
    for number in (30, 100, 500):
        yield Design(f"rare large losses on {number} items", (2,), 0, number, "items", 1, "losses")


def hits() -> Iterator[Design]:
    only = ("hit",)
    for group, design in product(((2,), (5,)), ("full", "crossed", "nested", "SR+DC", "half")):
        yield Design(f"HITs {design} {label(group)}", group, 20, 40, design, named=only)
    for number, group, design in product((3, 8, 100), ((2,), (5,)), ("crossed", "SR+DC")):
        name = f"{number} HITs {design} {label(group)}"
        yield Design(name, group, number, 100, design, named=only)
    for group in ((2,), (5,)):
        end = label(group)
        yield Design(f"HITs strong interactions {end}", group, 20, 40, interaction=3.0, named=only)
        yield Design(f"HITs Zipf {end}", group, 20, 40, loads="Zipf", named=only)
        yield Design(f"HITs MQM {end}", group, 20, 40, scores="MQM", named=only)
        yield Design(f"HITs 3 x 25 % {end}", group, 20, 100, loads="3 x 25 %", named=only)
        yield Design(f"HITs domains {end}", group, 20, 40, domains=(4, 6, 10, 20), named=only)
    yield Design("HITs groups (2+2)", (2, 2), 20, 40, named=only)
    yield Design("HITs lack the hardest quarter", (5,), 40, 100, lacking="hardest", only=25,
                 named=only)  # fmt: skip
    yield Design("HITs, undeclared waves", (8,), 15, 34, lacking="waves", named=only)
    yield Design("HITs, one document in common", (6,), 15, 41, lacking="bridge", named=only)
    yield Design("HITs, two by others", (8,), 20, 60, "two by others", named=only)
    yield Design("HITs, own documents (6)", (6,), 30, 90, "apart", named=only)
    yield Design("HITs z (6)", (6,), 20, 40, scores="z", named=only)


def domains() -> Iterator[Design]:
    sizes = (4, 6, 10, 20)
    for single, group in product(("annotator", "annotators", "document", "two"), ((2,), (5,))):
        here = (1, 9, 10, 20) if single == "document" else sizes
        here = (2, 8, 10, 20) if single == "two" else here
        name = f"domains, few units: {single} {label(group)}"
        yield Design(name, group, 12, 40, domains=here, single=single)
        if group == (5,):
            yield Design(f"{name}, the other domains", group, 12, 40, domains=here, single=single,
                         question="other domains")  # fmt: skip


def several() -> Iterator[Design]:
    for name, effects in (("own units", ""), ("shared documents", "documents"),
                          ("one task of three annotators", "three"),
                          ("one task four times as variable", "variable")):  # fmt: skip
        yield Design(f"tasks: {name}", (6,), 8, 16, effects=effects, question="tasks")
    for name, effects in (("own units", ""), ("same documents", "documents"),
                          ("same documents and annotators", "both")):  # fmt: skip
        yield Design(f"changes: {name}", (6,), 8, 24, effects=effects, question="changes")
        yield Design(f"changes: {name}, incomplete", (6,), 8, 24, effects=effects,
                     question="changes", lacking="random")  # fmt: skip
    for group in ((2,), (6,)):
        yield Design(f"five looks {label(group)}", group, 10, 40, question="looks")
        yield Design(f"leaders of five categories {label(group)}", group, 8, 50, question="leaders")


def power() -> Iterator[Design]:
    for n, annotators, gap in ((5, 4, 0.5), (10, 10, 0.35), (12, 18, 0.25)):
        yield Design(f"power: {n} systems, {annotators} annotators", (1,) * n, annotators, gap=gap)
    yield Design("power: Zipf", (1,) * 10, loads="Zipf", gap=0.5)
    yield Design("power: lacks the hardest quarter", (1,) * 6, 40, 100, lacking="hardest", only=25,
                 gap=0.3)  # fmt: skip
    yield Design("power: one by others", (1,) * 10, 12, 40, "one by others", gap=0.35)
    yield Design("power: undeclared waves", (1,) * 8, 15, 34, lacking="waves", gap=0.5)


def label(groups: tuple[int, ...]) -> str:
    return "(" + "+".join(map(str, groups)) + ")"


# ------------------------------------------------------------------ one campaign


Effects = dict[str, np.ndarray]


def draw_effects(design: Design, rng: np.random.Generator) -> Effects:
    """Return the effects of annotators, documents and segments, of standard deviation 1."""
    wide = design.documents
    effects = {
        "annotator": rng.standard_normal(design.annotators),
        "annotator x system": interactions(design, rng, design.annotators),
        "document": rng.standard_normal(wide),
        "document x system": interactions(design, rng, wide),
        "segment": rng.standard_normal(wide * design.segments),
    }
    sampled = {"annotator" if kind == "hit" else kind for kind in design.named}
    for kind in {"annotator", "document"} - sampled:
        effects[f"{kind} x system"] *= 0  # nothing is known about others of this kind
    if design.effects == "failures":
        failed = rng.random(wide) < FAIL_RATE
        effects["document x system"][:, 0] += FAIL / 0.3 * (FAIL_RATE - failed)
    return effects


def simulate(
    design: Design, rng: np.random.Generator, effects: Effects | None = None
) -> ScoreArrays:
    """Return the scores of one campaign, with new effects or with these."""
    if design.design == "items":
        return simulate_items(design, rng)
    n, wide = design.n, design.documents
    effect = draw_effects(design, rng) if effects is None else effects
    ease = effect["document"]
    annotator, document, system, segment = assign(design, rng, ease)
    block = np.unique((annotator * wide + document) * n + system, return_inverse=True)[1]
    latent = design.truth()[system] + noise(design, rng, len(system))
    latent += SD["document"] * ease[document]
    latent += SD["annotator"] * effect["annotator"][annotator]
    latent += SD["annotator x system"] * effect["annotator x system"][annotator, system]
    latent += SD["document x system"] * effect["document x system"][document, system]
    latent += SD["block"] * rng.standard_normal(block.max() + 1)[block]
    latent += SD["segment"] * effect["segment"][segment]
    keep = np.ones(len(system), bool)
    if design.lacking == "waves":
        keep, later = waves(design, document, system, latent)
        latent += 1.5 * later
    score = on_scale(design.scores, latent)
    if design.scores == "z":
        by = pd.Series(score).groupby(annotator)
        score = ((score - by.transform("mean")) / by.transform("std")).to_numpy()
    units = {"annotator": annotator, "document": document, "hit": annotator}
    units = {kind: units[kind] for kind in design.named}
    if design.domains:
        units["domain"] = np.searchsorted(np.cumsum(design.domains), document, side="right")
    names = {kind: tuple(map(str, range(codes.max() + 1))) for kind, codes in units.items()}
    arrays = ScoreArrays(
        tuple(f"s{k:02}" for k in range(n)),
        tuple(map(str, range(wide * design.segments))),
        system,
        segment,
        score,
        units,
        names,
        standardised=design.scores == "z",
    )
    return arrays.take(keep)


def assign(
    design: Design, rng: np.random.Generator, ease: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the annotator, document, system and segment of each judgment."""
    n, wide, load = design.n, design.documents, design.load()
    document, system = (codes.ravel() for codes in np.indices((wide, n)))
    annotator = rng.choice(design.annotators, len(document), p=load)
    kind = design.design
    if kind == "full":
        annotator, document, system = (
            codes.ravel() for codes in np.indices((design.annotators, wide, n))
        )
    elif kind == "nested":
        annotator = rng.choice(design.annotators, wide, p=load)[document]
    elif kind == "crossed":
        two = np.array([rng.choice(design.annotators, 2, False, load) for _ in range(wide)])
        annotator = two[document].ravel()
        document, system = np.repeat(document, 2), np.repeat(system, 2)
    elif kind == "groups":
        annotator = annotators_of_groups(design, rng, system)
    elif kind == "apart":
        keep = document % n == system
        annotator, document, system = annotator[keep], document[keep], system[keep]
    if design.single:
        annotator = few_in_domains(design, annotator, document)
    keep = judged(design, rng, ease)[document, system]
    annotator, document, system = annotator[keep], document[keep], system[keep]
    size = design.segments
    annotator, document, system = (np.repeat(c, size) for c in (annotator, document, system))
    segment = document * size + np.tile(np.arange(size), len(annotator) // size)
    if kind in ("two per segment", "two by others"):
        chance = rng.random((wide * size, n)).argsort(axis=1).argsort(axis=1)
        keep = chance[segment, system] < 2
        annotator, document, system, segment = (
            codes[keep] for codes in (annotator, document, system, segment)
        )
    if kind == "two per segment":
        annotator = rng.choice(design.annotators, wide, p=load)[document]
    elif kind in ("two by others", "one by others"):
        annotator = rng.choice(design.annotators, len(document), p=load)
    return annotator, document, system, segment


def few_in_domains(design: Design, annotator: np.ndarray, document: np.ndarray) -> np.ndarray:
    """Return the annotators, where domains have few of them."""
    domain = np.searchsorted(np.cumsum(design.domains), document, side="right")
    if design.single == "annotators":
        return domain
    if design.single == "annotator":
        return np.where(domain == 0, 0, annotator)
    if design.single == "two":
        return np.where(domain == 0, annotator % 2, annotator)
    return annotator


def judged(design: Design, rng: np.random.Generator, ease: np.ndarray) -> np.ndarray:
    """Return which systems are judged on which documents: (documents, systems)."""
    wide, n = design.documents, design.n
    keep = np.ones((wide, n), bool)
    if design.lacking == "random" or design.design == "half":
        order = rng.random((wide, n)).argsort(axis=0).argsort(axis=0)
        keep = order < (wide + 1) // 2
    elif design.lacking == "hardest":
        keep[ease.argsort()[: design.only], :2] = False
    elif design.lacking == "late":
        keep[: -2 * design.only, -2:] = False
        keep[-design.only :, :-2] = False
    elif design.lacking == "bridge":
        keep[: wide // 2, n // 2 :] = keep[wide // 2 + 1 :, : n // 2] = False
    elif design.lacking == "halves":
        keep[: wide // 2, n // 2 :] = keep[wide // 2 :, : n // 2] = False
    elif design.lacking == "few":
        keep[design.only :, -1] = False
    return keep


def waves(
    design: Design, document: np.ndarray, system: np.ndarray, latent: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what is judged in three waves, of which later ones go to the better half, and when."""
    wave = np.searchsorted([0.4, 0.7], document / design.documents, side="right")
    keep = np.ones(len(system), bool)
    for number in (1, 2):
        before = (wave < number) & keep
        seen = np.bincount(system[before], latent[before]) / np.bincount(system[before])
        worse = seen.argsort()[: design.n // 4 * number]
        keep &= ~((wave >= number) & np.isin(system, worse))
    return keep, wave


def annotators_of_groups(
    design: Design, rng: np.random.Generator, system: np.ndarray
) -> np.ndarray:
    """Return annotators of whom `only` per cent judge both halves of the systems."""
    shared = design.annotators * design.only // 100
    half = (design.annotators - shared) // 2
    annotator = np.zeros(len(system), int)
    for side in (0, 1):
        pool = np.append(np.arange(shared), shared + side * half + np.arange(half))
        of_side = (2 * system >= design.n) == side
        annotator[of_side] = rng.choice(pool, of_side.sum())
    return annotator


def interactions(design: Design, rng: np.random.Generator, size: int) -> np.ndarray:
    """Return standardised effects of units on systems: (units, systems)."""
    shape = size, design.n
    effect = rng.standard_normal(shape)
    if design.effects == "t3":
        effect = rng.standard_t(3, shape) / np.sqrt(3)
    elif design.effects == "skewed":
        effect = 1 - rng.exponential(size=shape)
    elif design.effects == "one size":
        effect = np.where(effect.argsort(axis=1).argsort(axis=1) < design.n / 2, 1.0, -1.0)
    elif design.effects == "copies":
        effect = effect[:, np.minimum(np.arange(design.n), 1)]
    elif design.effects == "variances":
        effect *= np.array([1.0, 3.0, 7.0])[np.arange(design.n) % 3] / 3
    elif design.effects == "outlier":
        effect[:, 0] *= 6
    elif design.effects == "log-normal":
        effect *= np.exp(0.7 * np.random.default_rng(0).standard_normal(design.n))
    effect *= design.interaction
    if design.effects == "prefers" and size == design.annotators:
        effect[0, 0] += PREFERENCE / SD["annotator x system"]
    return effect


def noise(design: Design, rng: np.random.Generator, size: int) -> np.ndarray:
    if design.scores == "heavy":
        return rng.standard_t(3, size) / np.sqrt(3)
    return rng.standard_normal(size)


def on_scale(scores: str, latent: np.ndarray) -> np.ndarray:
    """Return judgments as they are given."""
    if scores == "Likert":
        return np.clip(np.round(latent + 4), 1, 7)
    if scores == "ESA":
        return np.clip(np.round(80 + 15 * latent), 0, 100)
    if scores == "MQM":
        return -np.minimum(np.floor(np.exp(0.3 - latent)), 25.0)
    if scores == "rare":
        return -25.0 * (latent < -3) - (latent < -1)
    if scores == "ceiling":
        return np.clip(np.round(115 + 15 * latent), 0, 100)
    if scores == "binary":
        return (latent > 0).astype(float)
    return latent


def simulate_items(design: Design, rng: np.random.Generator) -> ScoreArrays:
    """Return the scores of systems on items, hard and easy."""
    shape = design.documents, design.n
    ease = rng.standard_normal(design.documents)
    latent = design.truth() + ease[:, None] + rng.standard_normal(shape)
    score = on_scale(design.scores, latent)
    if design.scores == "losses":  # of equal mean: rare and large, or frequent and small
        score = np.where(rng.random(shape) < (0.01, 0.25), (-25.0, -1.0), 0.0)
    keep = np.ones(shape, bool)
    if design.lacking == "hardest":
        keep[ease.argsort()[: design.only], -1] = False
    elif design.lacking == "random":
        keep = rng.random(shape) >= design.only / design.documents
    item, system = np.nonzero(keep)
    names = tuple(f"s{k:02}" for k in range(design.n))
    codes = tuple(map(str, range(design.documents)))
    return ScoreArrays(names, codes, system, item, score[item, system], items=True)


# ------------------------------------------------------------------ errors


def measure(design: Design) -> dict[str, object]:
    """Return one row of the table."""
    check = {"tasks": check_tasks, "changes": check_changes, "looks": check_looks,
             "leaders": check_leaders, "other domains": check_other_domains}.get(design.question, check_ranking)  # fmt: skip
    return measure_design(design, check, SEED)


def check_ranking(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """Return which statements about one campaign are false, and how many are found."""
    arrays = simulate(design, rng)
    inference = infer_ratings(arrays, by_domain=bool(design.domains))
    return {
        **errors_of_ranking(design.truth()[inference.codes], inference),
        **errors_of_answers(design, inference),
    }


def errors_of_answers(design: Design, inference: RankInference) -> dict[str, float]:
    """Return which answers are false; only where the true differences of scores are known."""
    known = len(design.groups) == 1 or design.scores == "normal"
    if not known or not inference.units or not inference.assessable.all():
        return {}
    truth = design.truth()
    chosen = answer_pair(inference, "s00", "s01")
    difference = truth[0] - truth[1]
    says = {"better": 1, "worse": -1}.get(chosen.result, 0)
    table = answer_baseline(inference, "s00").table
    other = truth[[int(name[1:]) for name in table["system"]]] - truth[0]
    misses = (table["difference_low"] > other + 1e-9) | (table["difference_high"] < other - 1e-9)
    possible, cost = candidates_before_removal(inference, ALPHA)
    candidates = answer_candidates(inference).systems
    least = truth.max() - truth[inference.codes[: len(cost)]]
    best = "s00" in candidates
    in_first = possible[inference.systems.index("s00")]
    return {
        "pair": float(says != 0 and says != np.sign(difference)),
        "margin": float(chosen.difference_low > difference),
        "baseline": float(misses.any()),
        "candidate": float(not best),
        "costs": float(not in_first or (cost < least - 1e-9).any()),
    }


def check_tasks(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """Return the errors of a ranking over four tasks."""
    tables = []
    common = draw_effects(design, rng)
    for task in range(4):
        here = design
        if task == 0 and design.effects == "three":
            here = replace(design, annotators=3)
        if task == 0 and design.effects == "variable":
            here = replace(design, interaction=4.0)
        effects = {**draw_effects(here, rng), **shared_effects(common, design.effects)}
        table = simulate(here, rng, effects)
        if task == 0 and design.effects == "variable":
            table = replace(table, score=4 * table.score)
        tables.append(renamed(table, str(task), shared=design.effects))
    answer = rank_arrays_over_tasks(tables, list("abcd"))
    missing = "s00" not in answer.candidates.systems
    truth = design.truth()[answer.inference.codes]
    return {**errors_of_ranking(truth, answer.inference), "candidate": float(missing)}


def check_changes(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """Return whether a change is shown between two rankings of equal truth."""
    common = draw_effects(design, rng)
    tables = []
    for k in range(2):
        effects = {**draw_effects(design, rng), **shared_effects(common, design.effects)}
        tables.append(renamed(simulate(design, rng, effects), str(k), shared=design.effects))
    answer = compare_arrays(*tables)
    return {"ranking": float((answer.changes["gained"] != "").any())}


def shared_effects(effects: Effects, shared: str) -> Effects:
    """Return the effects that two tables share."""
    kinds = {"documents": ("document", "segment"), "both": ("document", "segment", "annotator")}
    starts = kinds.get(shared, ())
    return {name: part for name, part in effects.items() if starts and name.startswith(starts)}


def renamed(table: ScoreArrays, prefix: str, shared: str) -> ScoreArrays:
    """Return a table whose units have names of their own, unless they are shared."""
    names = {}
    for kind, known in table.unit_names.items():
        same = shared == "both" or shared == f"{kind}s"
        names[kind] = known if same else tuple(prefix + name for name in known)
    return replace(table, unit_names=names)


def check_looks(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """Return whether a statement at any of five looks is false."""
    arrays = simulate(design, rng)
    document = arrays.units["document"]
    false = False
    for look in range(1, 6):
        part = arrays.take(document < design.documents * look // 5)
        inference = infer_ratings(part, alpha=look_alpha(look, 5, ALPHA))
        false |= bool(errors_of_ranking(design.truth()[inference.codes], inference)["ranking"])
    return {"ranking": float(false)}


def check_other_domains(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """Return the errors of the second answer, without the domain that limits the first."""
    found = find_limiting_domain(simulate(design, rng))
    if found is None:
        return {"ranking": 0.0, "covered": 1.0, "pairs": 0.0, "boundaries": 0.0}
    return errors_of_ranking(design.truth()[found.inference.codes], found.inference)


def check_leaders(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """Return whether, in any of five categories, a leader is false or a best system is missing."""
    arrays = simulate(design, rng)
    category = arrays.units["document"] % 5
    table = answer_leaders({str(k): arrays.take(category == k) for k in range(5)}).table
    assessed = table[table["assessable"]]
    return {
        "ranking": float((assessed["leader"] != "").any()),
        "candidate": float(any("s00" not in found for found in assessed["candidates"])),
    }


def above_limit(table: pd.DataFrame) -> pd.Series:
    """Return which designs have an error rate above their limit."""
    errors = [name for name in ANSWERS if name in table and name not in ("covered", "margin")]
    return table[errors].gt(table["limit"], axis=0).any(axis=1)


if __name__ == "__main__":
    run_designs(designs(), measure, RESULTS, above_limit)
