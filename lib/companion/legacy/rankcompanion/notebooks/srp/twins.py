"""SRP for every protocol, from pairs of studies of the same size that share no judgment.

Units are drawn whole: workers (direct assessment), blocks (relative ranking) or documents (MQM).
SRP is the share of ordered pairs (twins) in which the ranking of the second reflects all
significant differences of the first. Unlike the simulation of Riley et al. (2024), this works for
any campaign, at up to half of its judgments.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import REFERENCE, DirectAssessment, blocks
from companion.legacy.rankstability.rank.significance import rank_sum, sign_test
from companion.legacy.rankstability.rank.srp import Outcome, rank_and_test, stability
from companion.legacy.rankstability.rank.srp_studies import Design, assign, item_scores
from companion.legacy.rankstability.score import pairwise
from companion.legacy.rankstability.score.da import averages
from companion.legacy.rankstability.score.mqm import Ratings
from companion.legacy.rankstability.score.scored import scored

from ...models.chance import in_parallel, named_generator
from ...models.variance import has_documents
from .findings import COLUMNS

ALPHA = 0.05
DA_UNITS = ("workers", "documents", "blocks")
LEVELS = (0.125, 0.25, 0.5, 0.75, 1.0)  # shares of half a campaign
SRP_COLUMNS = ["pair", *(name for name in COLUMNS if name != "document_sets")]
EFFORT_COLUMNS = [
    "campaign",
    "label",
    "pair",
    "task",
    "normalisation",
    "unit",
    "units",
    "systems",
    *(
        "level",
        "effort",
        *SRP_COLUMNS[6:],
        "grouping",
        "balance",
        "ratings_per_item",
        "documents",
    ),
]


@dataclass(frozen=True)
class Sampler:
    """How studies are drawn from one task of a campaign.

    `draw` maps positions of units (n, size) and a generator to an `Outcome` (studies 2k and 2k + 1
    are twins) and the mean number of judgments per system and study.
    """

    task: str
    normalisation: str  # of the scores
    unit: str  # what is drawn
    units: int  # how many units there are
    documents: float  # in the campaign; NaN if not known
    systems: tuple[str, ...]
    draw: Callable[[np.ndarray, np.random.Generator], tuple[Outcome, float]]
    grouping: str = "none"


def _outcome(
    systems: tuple[str, ...],
    means: np.ndarray,
    p: np.ndarray,
    strength: np.ndarray,
) -> Outcome:
    return Outcome(
        systems, means, p, strength, np.arange(len(means)) // 2, ALPHA
    )


def da_sampler(
    da: DirectAssessment, normalisation: str = "z", unit: str = "workers"
) -> Sampler:
    """Studies of direct assessment, drawn from the units that have a judgment that counts.

    `normalisation` is ``z`` or ``none`` (raw scores). `unit` is ``workers`` (twins may share
    documents), ``documents`` (twins share workers, with their mean and standard deviation) or
    ``blocks``, the judgments of a worker on one document of one system (twins share both).
    """
    if unit not in DA_UNITS:
        raise DataError(
            "unknown unit", value=unit, expected=", ".join(DA_UNITS)
        )
    judged = scored(da, "z" if normalisation == "z" else "raw")
    of = judged.unit(unit[:-1])
    systems = judged.systems
    width = len(judged.segments)
    key = judged.system.astype(np.int64) * width + judged.segment
    units = int(of.max()) + 1
    size = len(systems) * width
    first, second = np.triu_indices(len(systems), 1)

    def draw(
        chosen: np.ndarray, rng: np.random.Generator
    ) -> tuple[Outcome, float]:
        means = np.empty((len(chosen), len(systems)))
        rows = 0
        p = np.empty((len(chosen), len(first)))
        for i, who in enumerate(chosen):
            member = np.zeros(units, dtype=bool)
            member[who] = True
            mine = member[of]
            rows += int(mine.sum())
            score, count = averages(key[mine], judged.score[mine], size)
            cell = np.flatnonzero(count)
            score = score[cell]
            group = cell // width
            means[i] = -averages(group, score, len(systems))[0]
            tested, _ = rank_sum(score, group, len(systems))
            p[i] = np.nan_to_num(tested[first, second], nan=1.0)
        # Knowles draws the line at p < alpha, strictly
        p = np.where(
            p < ALPHA, p, np.maximum(p, np.nextafter(ALPHA, 1) + 1e-9)
        )
        return _outcome(systems, means, p, np.zeros_like(p)), rows / len(
            chosen
        ) / len(systems)

    documents = da.good["document"].nunique() or np.nan
    return Sampler(
        da.pair, normalisation, unit, units, documents, systems, draw
    )


def rr_sampler(frame: pd.DataFrame) -> Sampler:
    """Studies of relative ranking (rows of one task), drawn from its blocks.

    Systems are ordered by wins / (wins + losses) and tested by two-sided sign tests, without ties
    and without the reference. A judgment is one ranked output.
    """
    data = blocks(frame)
    wins, _ = pairwise.pairwise_by_block(data)
    keep = np.array([i for i, s in enumerate(data.systems) if s != REFERENCE])
    systems = tuple(data.systems[i] for i in keep)
    n = len(data.systems)
    i, j = np.triu_indices(len(systems), 1)
    ranked = (data.ranked & np.isin(data.codes, keep)).sum(axis=1)

    def draw(
        chosen: np.ndarray, rng: np.random.Generator
    ) -> tuple[Outcome, float]:
        weights = np.zeros((len(chosen), len(data.codes)))
        np.put_along_axis(weights, chosen, 1.0, axis=1)
        counts = np.asarray(weights @ wins).reshape(-1, n, n)[:, keep][
            :, :, keep
        ]
        won = counts.sum(axis=2)
        lost = counts.sum(axis=1)
        with np.errstate(invalid="ignore"):
            means = -won / (won + lost)
        first = counts[:, i, j]
        second = counts[:, j, i]
        strength = np.abs(first - second) / np.sqrt(
            np.maximum(first + second, 1)
        )
        outcome = _outcome(systems, means, sign_test(first, second), strength)
        return outcome, float((weights @ ranked).mean() / len(systems))

    task = str(frame["task"].iloc[0])
    documents = frame["document"].nunique()
    return Sampler(
        task, "none", "blocks", len(data.codes), documents, systems, draw
    )


def mqm_sampler(data: Ratings, pair: str, permutations: int = 500) -> Sampler:
    """Studies of MQM, drawn from its documents: one rating per item, pSxS, fully balanced."""

    def draw(
        chosen: np.ndarray, rng: np.random.Generator
    ) -> tuple[Outcome, float]:
        chosen = np.sort(chosen, axis=1)
        design = Design(studies=len(chosen), permutations=permutations)
        choice, _ = assign(data, design, chosen, rng)
        sums, segments = item_scores(data, design, chosen, choice)
        sets = np.arange(len(chosen)) // 2
        outcome = rank_and_test(
            sums, segments, data.systems, sets, design, rng
        )
        return outcome, float(segments.sum(axis=1).mean())

    count = len(data.documents)
    return Sampler(
        pair, "none", "documents", count, count, data.systems, draw, "pSxS"
    )


def da_samplers(da: DirectAssessment, unit: str = "") -> list[Sampler]:
    """Samplers with z-scores for each unit that the data name, then for workers with raw scores.

    `unit` (``workers``, ``documents`` or ``blocks``) limits them to one unit. Units of which there
    is only one are left out.
    """
    named = DA_UNITS if has_documents(da) else DA_UNITS[:1]
    samplers = [da_sampler(da, unit=u) for u in ([unit] if unit else named)]
    if unit in ("", "workers"):
        samplers.append(da_sampler(da, "none"))
    return [s for s in samplers if s.units > 1]


def rr_samplers(frame: pd.DataFrame) -> list[Sampler]:
    """A sampler for each task of a language pair that has two or more systems."""
    tasks = [rows for _, rows in frame.groupby("task", observed=True)]
    return [
        rr_sampler(rows)
        for rows in tasks
        if len(set(rows["system"]) - {REFERENCE}) > 1
    ]


def twins(
    units: int,
    size: int,
    splits: int,
    rng: np.random.Generator,
    unit: str = "units",
) -> np.ndarray:
    """Pairs of disjoint samples: positions (2 * splits, size); rows 2k and 2k + 1 share none.

    Raises DataError if there are too few units.
    """
    if 2 * size > units or size < 1:
        need = max(1, size)
        problem = f"too few {unit} for two studies of {need} that share none"
        raise DataError(
            problem, value=units, expected=f"at least {2 * need} {unit}"
        )
    drawn = np.argsort(rng.random((splits, units)), axis=1)[:, : 2 * size]
    return drawn.reshape(2 * splits, size)


def effort(
    samplers: Sequence[Sampler],
    about: Mapping[str, str],
    *,
    splits: int = 50,
    seed: int = 20240601,
    levels: Sequence[float] = LEVELS,
    jobs: int = 1,
) -> pd.DataFrame:
    """Stability by annotation effort: `rank.srp.stability` of twin studies of growing size.

    `about` names the campaign, label and pair, whose columns it fills; the generators depend on the
    campaign. `splits` twins are drawn at each of the `levels`, which are sizes of studies as shares
    of half the campaign's units. A row per sampler and level with the columns `EFFORT_COLUMNS`
    (effort: judgments per system in one study); without samplers, none. Of levels at which studies
    have the same size, since units are few, the last.
    """
    todo = []
    for one in samplers:
        sized = {_size(one, level): level for level in levels}
        todo += [
            (one, level, about["campaign"], splits, seed)
            for level in sized.values()
        ]
    frame = pd.DataFrame(in_parallel(_at_level, todo, jobs))
    return frame.assign(**about).reindex(columns=EFFORT_COLUMNS)


def _size(sampler: Sampler, level: float) -> int:
    """The number of units in a study at this share of half the campaign."""
    return max(1, round(level * (sampler.units // 2)))


def _at_level(
    sampler: Sampler, level: float, campaign: str, splits: int, seed: int
) -> dict[str, Any]:
    one = sampler
    size = _size(sampler, level)
    rng = named_generator(
        seed, f"{campaign}|{one.task}|{one.normalisation}|{one.unit}|{level}"
    )
    outcome, judged = one.draw(
        twins(one.units, size, splits, rng, one.unit), rng
    )
    row = {
        name: getattr(one, name)
        for name in ("task", "normalisation", "unit", "documents")
    }
    row |= {
        "units": size,
        "level": level,
        "systems": len(one.systems),
        "effort": judged,
    }
    row |= {"grouping": one.grouping, "balance": "full", "ratings_per_item": 1}
    return row | stability(outcome)


def usual(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of `effort` with each task's first sampler: for direct assessment, workers and z."""
    first = rows.groupby(["campaign", "task"])[
        ["normalisation", "unit"]
    ].transform("first")
    same = (rows["normalisation"] == first["normalisation"]) & (
        rows["unit"] == first["unit"]
    )
    return rows[same]


def ways(rows: pd.DataFrame) -> pd.Series:
    """For rows of `effort` on direct assessment, how their twins were drawn, in words."""
    shared = {
        "workers": "documents shared",
        "documents": "workers shared",
        "blocks": "both shared",
    }
    scores = rows["normalisation"].map({"z": "z-scores", "none": "raw scores"})
    return (
        rows["unit"] + " drawn (" + rows["unit"].map(shared) + "), " + scores
    )


def at_half(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over tasks at half of each campaign's judgments.

    Columns label, tasks, srp, srp_least, srp_most (of single tasks), srp_equal_claims, kendall,
    effort, kendall_low, kendall_high (95 % t interval over tasks, cut to -1 and 1, where tau
    lies; NaN for one task),
    significant_share (of all pairs of systems).
    """
    half = usual(rows).query("level == 1")
    possible = half["systems"] * (half["systems"] - 1) / 2
    of = half.assign(possible=possible).groupby("label", sort=False)
    frame = of[["srp", "srp_equal_claims", "kendall", "effort"]].mean()
    spread = of["kendall"].sem()
    tasks = of.size()
    wide = student.isf(0.025, np.maximum(tasks - 1, 1)) * spread
    frame["kendall_low"] = (frame["kendall"] - wide).clip(-1, 1)
    frame["kendall_high"] = (frame["kendall"] + wide).clip(-1, 1)
    frame["significant_share"] = (
        of["significant_pairs"].sum() / of["possible"].sum()
    )
    frame.insert(0, "tasks", tasks)
    frame.insert(2, "srp_least", of["srp"].min())
    frame.insert(3, "srp_most", of["srp"].max())
    return frame.reset_index()
