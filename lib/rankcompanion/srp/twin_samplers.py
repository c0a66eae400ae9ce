"""How two studies without a common judgment are drawn from a campaign, for each protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rankstability.errors import DataError
from rankstability.judgments import REFERENCE, DirectAssessment, blocks, counted
from rankstability.rank.significance import rank_sum, sign_test
from rankstability.rank.srp import Outcome, rank_and_test
from rankstability.rank.srp_studies import Design, assign, item_scores
from rankstability.score import pairwise
from rankstability.score.da import judgment_z
from rankstability.score.factors import has_documents
from rankstability.score.mqm import Ratings

ALPHA = 0.05


@dataclass(frozen=True)
class Sampler:
    """Studies that can be drawn from one task of a campaign."""

    task: str
    normalisation: str  # of the scores
    unit: str  # what is drawn
    units: int  # how many there are
    documents: float  # in the campaign; NaN where these are not known
    systems: tuple[str, ...]
    draw: Callable[[np.ndarray, np.random.Generator], tuple[Outcome, float]]
    """Positions of units (n, size) and a generator to an `Outcome` (studies 2k and 2k + 1 are a
    set) and the mean number of judgments per system and study."""
    grouping: str = "none"


def da_sampler(da: DirectAssessment, normalisation: str = "z", unit: str = "workers") -> Sampler:
    """Studies of direct assessment: workers, documents or blocks with a judgment that counts.

    A worker's mean and standard deviation come from all rows of that worker: where workers are
    drawn, standardising within the study is standardising each worker; else two studies share
    these, with the workers. `normalisation` is ``z`` or ``none`` (raw scores); `unit` is
    ``workers`` (two studies may share documents), ``documents`` (they share workers) or ``blocks``,
    what a worker judged of one document of one system (they share both); or ``judgments``, single
    rows: they share all of these.
    """
    good = da.good
    if normalisation not in ("z", "none"):
        raise DataError("unknown normalisation", value=normalisation, expected="z, none")
    value = judgment_z(da) if normalisation == "z" else good["score"].to_numpy(dtype=float)
    keep = counted(good) & np.isfinite(value)
    rows, value = good[keep], value[keep]
    worker = pd.factorize(rows["worker"].cat.codes.to_numpy(), sort=True)[0]
    system, used = pd.factorize(rows["system"].cat.codes.to_numpy(), sort=True)
    systems = tuple(str(good["system"].cat.categories[k]) for k in used)
    segment = pd.factorize(rows["segment"].cat.codes.to_numpy(), sort=True)[0]
    width = int(segment.max()) + 1
    key = system.astype(np.int64) * width + segment
    document = rows["document"].cat.codes.to_numpy().astype(np.int64)
    if unit in ("documents", "blocks") and (document < 0).any():
        raise DataError("judgments without documents", value=unit, expected="workers, judgments")
    drawn = {
        "workers": worker,
        "documents": document,
        "blocks": (worker * (document.max() + 1) + document) * len(systems) + system,
        "judgments": np.arange(len(rows)),
    }
    if unit not in drawn:
        raise DataError("unknown unit", value=unit, expected=", ".join(drawn))
    of = np.unique(drawn[unit], return_inverse=True)[1]
    units, size = int(of.max()) + 1, len(systems) * width
    first, second = np.triu_indices(len(systems), 1)

    def draw(chosen: np.ndarray, rng: np.random.Generator) -> tuple[Outcome, float]:
        means = np.full((len(chosen), len(systems)), np.nan)
        p = np.ones((len(chosen), len(first)))
        judged = 0
        for i, who in enumerate(chosen):
            member = np.zeros(units, dtype=bool)
            member[who] = True
            mine = member[of]
            judged += int(mine.sum())
            count = np.bincount(key[mine], minlength=size)
            cell = np.flatnonzero(count)
            score = np.bincount(key[mine], value[mine], size)[cell] / count[cell]
            group = cell // width
            number = np.bincount(group, minlength=len(systems))
            with np.errstate(invalid="ignore"):
                means[i] = -np.bincount(group, score, len(systems)) / number
            tested, _ = rank_sum(score, group, len(systems))
            p[i] = np.nan_to_num(tested[first, second], nan=1.0)
        # Knowles draws the line at p < alpha, strictly
        p = np.where(p < ALPHA, p, np.maximum(p, np.nextafter(ALPHA, 1) + 1e-9))
        sets = np.arange(len(chosen)) // 2
        outcome = Outcome(systems, means, p, np.zeros_like(p), sets, ALPHA)
        return outcome, judged / len(chosen) / len(systems)

    documents = good["document"].nunique() or np.nan
    return Sampler(da.pair, normalisation, unit, units, documents, systems, draw)


def rr_sampler(frame: pd.DataFrame) -> Sampler:
    """Studies of relative ranking (rows of one task): blocks are drawn.

    Systems are ordered by wins / (wins + losses) and tested by two-sided sign tests, ties and the
    reference left out. A judgment is one ranked output.
    """
    data = blocks(frame)
    wins, _ = pairwise.pairwise_by_block(data)
    keep = np.array([i for i, s in enumerate(data.systems) if s != REFERENCE])
    systems = tuple(data.systems[i] for i in keep)
    n = len(data.systems)
    i, j = np.triu_indices(len(systems), 1)
    ranked = (data.ranked & np.isin(data.codes, keep)).sum(axis=1)

    def draw(chosen: np.ndarray, rng: np.random.Generator) -> tuple[Outcome, float]:
        weights = np.zeros((len(chosen), len(data.codes)))
        np.put_along_axis(weights, chosen, 1.0, axis=1)
        counts = np.asarray(weights @ wins).reshape(-1, n, n)[:, keep][:, :, keep]
        won, lost = counts.sum(axis=2), counts.sum(axis=1)
        with np.errstate(invalid="ignore"):
            means = -won / (won + lost)
        first, second = counts[:, i, j], counts[:, j, i]
        strength = np.abs(first - second) / np.sqrt(np.maximum(first + second, 1))
        sets = np.arange(len(chosen)) // 2
        outcome = Outcome(systems, means, sign_test(first, second), strength, sets, ALPHA)
        return outcome, float((weights @ ranked).mean() / len(systems))

    task, documents = str(frame["task"].iloc[0]), frame["document"].nunique()
    return Sampler(task, "none", "blocks", len(data.codes), documents, systems, draw)


def mqm_sampler(data: Ratings, pair: str, permutations: int = 500) -> Sampler:
    """Studies of MQM: documents are drawn, one rating per item, pSxS, fully balanced.

    A judgment is one rated segment.
    """

    def draw(chosen: np.ndarray, rng: np.random.Generator) -> tuple[Outcome, float]:
        chosen = np.sort(chosen, axis=1)
        design = Design(studies=len(chosen), permutations=permutations)
        choice, _ = assign(data, design, chosen, rng)
        sums, segments = item_scores(data, design, chosen, choice)
        sets = np.arange(len(chosen)) // 2
        outcome = rank_and_test(sums, segments, data.systems, sets, design, rng)
        return outcome, float(segments.sum(axis=1).mean())

    count = len(data.documents)
    return Sampler(pair, "none", "documents", count, count, data.systems, draw, "pSxS")


def da_samplers(da: DirectAssessment, unit: str = "") -> list[Sampler]:
    """Studies with z-scores by each unit that the data name, then workers with raw scores.

    `unit`: ``workers``, ``documents`` or ``blocks``: only this one.
    """
    named = ["workers", "documents", "blocks"] if has_documents(da) else ["workers"]
    samplers = [da_sampler(da, unit=u) for u in ([unit] if unit else named)]
    if unit in ("", "workers"):
        samplers.append(da_sampler(da, "none"))
    return [s for s in samplers if s.units > 1]


def rr_samplers(frame: pd.DataFrame) -> list[Sampler]:
    """One for each task of a language pair with two systems or more."""
    tasks = [rows for _, rows in frame.groupby("task", observed=True)]
    return [rr_sampler(rows) for rows in tasks if len(set(rows["system"]) - {REFERENCE}) > 1]
