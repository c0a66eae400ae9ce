"""Rank systems again without some of their judgments, and estimate what a removal would change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import Judgments
from ..ranking.davidson import fit_davidson, largest_group, order_is_separable
from ..ranking.procedures import Procedure, draw_ranking
from ..ranking.screening import kept_by_screening
from ..scores.arrays import ScoreArrays
from ..scores.build import codes_of, counted_rows, score_arrays, select_rows
from ..scores.pairwise import tabulate, vote_arrays
from ..scores.z import NO_SPREAD, z_scores

JUDGMENT = "judgment"
SCORE_UNITS = ("annotator", "document")
COPY_KEY = ["annotator", "hit", "document", "segment", "item_type", "score", "block"]
ROUNDING = 1e-9  # of a sum of squares
ALL = 1 - 1e-9  # a share that leaves nothing


class RankedAgain(ABC):
    """Systems that can be ranked again without some of their judgments.

    Attributes
    ----------
    systems : tuple of str
    units : dict of str to array of int
        The unit of each judgment by kind, numbered from 0; ``judgment`` is always there.
    score : array
        The score of each system; higher is better.
    order : array of int
        Codes of the systems, best first.
    boundaries : list of int
        Ranks below which boundaries are drawn.
    may_lead : array of bool
        The systems that are no human translations; all systems if there is one such system only.
    """

    systems: tuple[str, ...]
    units: dict[str, np.ndarray]
    score: np.ndarray
    order: np.ndarray
    boundaries: list[int]
    may_lead: np.ndarray

    def leave_out_humans(self, humans: Collection[str]) -> None:
        """Set which systems may lead."""
        self.may_lead = np.array([name not in humans for name in self.systems])
        if self.may_lead.sum() < 2:
            self.may_lead[:] = True

    @property
    def leader(self) -> int:
        """The code of the first system that may lead."""
        return self._first_of(self.score)

    @property
    def challengers(self) -> list[int]:
        """The other systems that may lead, best first."""
        leader = self.leader
        return [k for k in self.order if self.may_lead[k] and k != leader]

    def _first_of(self, score: np.ndarray) -> int:
        """Return the system with the highest score that may lead; of equal ones, the first name."""
        return int(np.where(self.may_lead, score, -np.inf).argmax())

    def first(self, keep: np.ndarray) -> int | None:
        """Return the system that is first with these judgments; None if one has none left."""
        score = self.score_with(keep)
        return None if score is None else self._first_of(score)

    def lead(self, first: int, second: int) -> float:
        """Return by how much the score of the first system exceeds that of the second."""
        return float(self.score[first] - self.score[second])

    @abstractmethod
    def names(self, unit: str, codes: np.ndarray) -> tuple[object, ...]:
        """Return the names of units; of judgments, labels of rows, or of ranking blocks."""

    @abstractmethod
    def score_with(self, keep: np.ndarray) -> np.ndarray | None:
        """Return the scores with these judgments; None if a system has none left."""

    @abstractmethod
    def drawn(self, keep: np.ndarray) -> tuple[list[int], list[int]] | None:
        """Return the order, and the ranks below which boundaries are drawn; None as above."""

    @abstractmethod
    def weakest_pairs(self, below: int) -> list[tuple[int, int]]:
        """Return pairs of systems, one above and one below a boundary, that differ least."""

    @abstractmethod
    def effects(self, unit: str, first: int, second: int, keep: np.ndarray) -> np.ndarray:
        """Return the change of a lead without each unit, to first order, among what is kept.

        Infinite for a unit without which a system would have no judgment left.
        """


class ScoredSystems(RankedAgain):
    """Systems ranked by a procedure from judgments with scores; see `RankedAgain`.

    Annotators are screened only once, with all judgments.
    """

    def __init__(self, judgments: Judgments, procedure: Procedure, alpha: float) -> None:
        self.procedure = procedure
        self.alpha = alpha
        scores = score_arrays(
            judgments, procedure.score, rows=procedure.rows, first_rating=procedure.keep_repeats
        )
        if len(scores.systems) < 2:
            raise DataError("too_few_systems", value=", ".join(scores.systems))
        rows = _ranked_rows(select_rows(judgments, procedure.rows), procedure)
        judgment = np.arange(scores.n_judgments)
        self.standardiser = None
        if procedure.score == "z" and "z" not in rows:
            judgment = number_judgments(rows, judgments.all_rows)
            self.standardiser = Standardiser(judgments, rows, judgment)
        if procedure.screened:
            kept = kept_by_screening(scores)
            scores, judgment = scores.take(kept), judgment[kept]
            rows = rows[kept] if len(rows) == len(kept) else rows
        self.scores = scores
        self.systems = scores.systems
        domains = {name: codes for name, codes in scores.units.items() if name == "domain"}
        self.bare = replace(scores, units=domains)  # parts of it are taken quickly
        self.units = {JUDGMENT: judgment}
        self.rows = rows.index.to_numpy() if len(rows) == scores.n_judgments else np.zeros(0)
        self.unit_names: dict[str, list[str]] = {}
        for unit in SCORE_UNITS:
            if scores.has(unit):
                self.units[unit], used = pd.factorize(scores.units[unit], sort=True)
                self.unit_names[unit] = [scores.unit_names[unit][k] for k in used]
        self.score = self._means(self.bare)
        ranking = draw_ranking(scores, procedure, alpha)
        self.order, self.p = ranking.order, ranking.p
        self.boundaries = [int(k) for k in np.flatnonzero(ranking.boundaries) + 1]
        self.leave_out_humans(judgments.humans)

    def names(self, unit: str, codes: np.ndarray) -> tuple[object, ...]:
        """Return names or row labels; copies of a judgment have rows of their own."""
        if unit != JUDGMENT:
            return tuple(self.unit_names[unit][code] for code in codes)
        removed = np.isin(self.units[unit], codes)
        return tuple(self.rows[removed].tolist()) if len(self.rows) else ()

    def _weights(self, scores: ScoreArrays) -> np.ndarray:
        if self.procedure.keep_repeats:
            return np.ones(scores.n_judgments)
        return scores.weights(self.procedure.by_domain)

    def _means(self, scores: ScoreArrays) -> np.ndarray:
        weight = self._weights(scores)
        n = len(self.systems)
        means: np.ndarray = np.bincount(scores.system, weight * scores.score, n)
        return means / np.bincount(scores.system, weight, n)

    def _kept(self, keep: np.ndarray) -> ScoreArrays | None:
        """Return the scores that are kept, standardised again; None if a system has none left."""
        scores = self.bare
        if self.standardiser is not None:
            scores = replace(scores, score=self.standardiser.scores_without(~keep))
        scores = scores.take(keep & np.isfinite(scores.score))
        complete = np.bincount(scores.system, minlength=len(self.systems)).all()
        return scores if complete else None

    def score_with(self, keep: np.ndarray) -> np.ndarray | None:
        """Return means; see `RankedAgain`."""
        scores = self._kept(keep)
        return None if scores is None else self._means(scores)

    def drawn(self, keep: np.ndarray) -> tuple[list[int], list[int]] | None:
        """Rank again with the tests; see `RankedAgain`."""
        scores = self._kept(keep)
        if scores is None:
            return None
        ranking = draw_ranking(scores, self.procedure, self.alpha)
        return ranking.order.tolist(), (np.flatnonzero(ranking.boundaries) + 1).tolist()

    def weakest_pairs(self, below: int) -> list[tuple[int, int]]:
        """Return neighbours, and pairs of the largest p; see `RankedAgain`."""
        across = np.nan_to_num(self.p[:below, below:], nan=1.0)
        i, j = np.unravel_index(across.argmax(), across.shape)
        places = [(below - 1, below), (below - 1, below + across[-1].argmax()), (i, below + j)]
        order = self.order
        return list(dict.fromkeys((int(order[a]), int(order[b])) for a, b in places))

    def effects(self, unit: str, first: int, second: int, keep: np.ndarray) -> np.ndarray:
        """Return effects on a difference of means; see `RankedAgain`."""
        scores = self.bare
        codes = self.units[unit]
        n_units = int(codes.max()) + 1
        weight = self._weights(scores) * keep
        of_system = np.bincount(scores.system, weight)
        share = weight / np.where(of_system > 0, of_system, 1.0)[scores.system]
        group = scores.system
        if self.procedure.by_domain and "domain" in scores.units:
            group = group + len(self.systems) * scores.units["domain"]
        total = np.bincount(group, share)
        with np.errstate(invalid="ignore", divide="ignore"):
            group_mean = np.bincount(group, share * scores.score) / total
        part = share * (group_mean[group] - scores.score)
        effect = np.zeros(n_units)
        for system, sign in ((first, 1.0), (second, -1.0)):
            rows = scores.system == system
            held = np.bincount(codes[rows], share[rows], n_units)
            change = np.bincount(codes[rows], part[rows], n_units)
            with np.errstate(divide="ignore", invalid="ignore"):
                effect += sign * change / np.maximum(1 - held, 0)
            effect[held > ALL] = np.inf
        if unit == JUDGMENT and self.standardiser is not None:
            sign_of = np.zeros(len(self.systems))
            sign_of[[first, second]] = 1.0, -1.0
            shift = self.standardiser.shifts(sign_of[scores.system] * share, scores.score)
            effect += np.bincount(codes, shift, n_units)
        return effect


def _ranked_rows(judgments: Judgments, procedure: Procedure) -> pd.DataFrame:
    """Return the rows of the table that a procedure ranks, in the order of its score arrays."""
    keep = counted_rows(judgments)
    if procedure.score == "z":
        keep &= np.isfinite(z_scores(judgments).to_numpy(float))
    return judgments.table[keep]


def number_judgments(rows: pd.DataFrame, all_rows: pd.DataFrame | None) -> np.ndarray:
    """Number the judgments of these rows; the copies of one of a joined id ``A+B`` share a number.

    A judgment of the joined id stands once in `all_rows`, and once for each system in `rows`.
    """
    every = np.arange(len(rows))
    if all_rows is None:
        return every
    names = all_rows["system"].astype(str).unique()
    if not any("+" in name for name in names):
        return every
    key = [name for name in COPY_KEY if name in rows and name in all_rows]
    whole = [*key, "system"]
    both = pd.concat([frame[whole].astype({"system": str}) for frame in (all_rows, rows)])
    settings = {"observed": True, "dropna": False, "sort": False}
    code = both.groupby(whole, **settings).ngroup().to_numpy()
    alone = np.isin(code[len(all_rows) :], code[: len(all_rows)])
    turn = rows.groupby(whole, **settings).cumcount()
    shared = rows.assign(turn=turn).groupby([*key, "turn"], **settings).ngroup().to_numpy()
    numbers: np.ndarray = np.unique(
        np.where(alone, len(rows) + every, shared), return_inverse=True
    )[1]
    return numbers


class Standardiser:
    """z-scores of the ranked rows by the moments of their annotators, without some judgments."""

    def __init__(self, judgments: Judgments, rows: pd.DataFrame, judgment: np.ndarray) -> None:
        sign = -1.0 if judgments.lower_is_better else 1.0
        pool = judgments.table if judgments.all_rows is None else judgments.all_rows
        if "mark" in pool:
            pool = pool[pool["mark"].isna()]
        pool = pool[pool["annotator"].notna()]
        both = pd.concat([frame["annotator"].astype(object) for frame in (rows, pool)])
        codes = codes_of(both)[0]
        n = int(codes.max()) + 1
        self.annotator = codes[: len(rows)]
        self.score = sign * rows["score"].to_numpy(float)
        of_pool = codes[len(rows) :]
        pool_score = sign * pool["score"].to_numpy(float)
        self.count = np.bincount(of_pool, minlength=n)
        with np.errstate(invalid="ignore"):
            self.mean = np.bincount(of_pool, pool_score, n) / self.count
        self.squares = np.bincount(of_pool, (pool_score - self.mean[of_pool]) ** 2, n)
        # which rows are in the pool: unmarked ones, and of copies of a judgment only one
        self.pooled = np.zeros(len(rows), bool)
        self.pooled[np.unique(judgment, return_index=True)[1]] = True
        if "mark" in rows:
            self.pooled &= rows["mark"].isna().to_numpy()
        self.zero_if_constant = judgments.constant_annotators == "zero"

    def scores_without(self, removed: np.ndarray) -> np.ndarray:
        """Return all z-scores by the moments of what is not removed (a mask); NaN without one."""
        out = removed & self.pooled
        annotator = self.annotator[out]
        n = len(self.count)
        left = self.count - np.bincount(annotator, minlength=n)
        deviation = self.score[out] - self.mean[annotator]
        with np.errstate(invalid="ignore", divide="ignore"):
            shift = -np.bincount(annotator, deviation, n) / left
            rest = self.squares - np.bincount(annotator, deviation**2, n) - left * shift**2
            rest = np.where(rest > ROUNDING * self.squares, rest, 0.0)
            sd = np.sqrt(rest / np.where(left > 1, left - 1, np.nan))
        return self._standardise(self.mean + shift, sd)

    def _standardise(self, mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
        mean_of, sd_of = mean[self.annotator], sd[self.annotator]
        varies = sd_of > NO_SPREAD
        z: np.ndarray = (self.score - mean_of) / np.where(varies, sd_of, np.nan)
        if self.zero_if_constant:
            z[~varies & np.isfinite(mean_of)] = 0.0
        return z

    def shifts(self, gradient: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return how a quantity changes as its annotator's other scores are standardised again.

        `gradient` is the derivative of the quantity by each z-score; the result is by the judgment
        that is removed.
        """
        n = len(self.count)
        of = self.annotator
        count = self.count[of]
        deviation = self.score - self.mean[of]
        with np.errstate(invalid="ignore", divide="ignore"):
            sd = np.sqrt(self.squares[of] / (count - 1))
            rest = self.squares[of] - count / (count - 1) * deviation**2
            new_sd = np.sqrt(np.maximum(rest, 0) / (count - 2))
            moved = deviation / (count - 1) / new_sd
            stretched = sd / new_sd - 1
            sums = np.bincount(of, gradient, n)[of] - gradient
            moments = np.bincount(of, gradient * z, n)[of] - gradient * z
            shift = np.where(self.pooled, moved * sums + stretched * moments, 0.0)
        return np.nan_to_num(shift, nan=0.0, posinf=0.0, neginf=0.0)


class ComparedSystems(RankedAgain):
    """Systems ranked by strength (votes) or by the share of comparisons won; see `RankedAgain`.

    Only systems that wins and ties connect in both directions are ranked. Of relative rankings, a
    judgment is a ranking block. A procedure's boundaries do not exist.
    """

    def __init__(self, judgments: Judgments) -> None:
        votes = vote_arrays(judgments)
        inside = largest_group(tabulate(votes))
        if inside.sum() < 2:
            raise DataError("too_few_systems", value=", ".join(votes.systems))
        keep = inside[votes.first] & inside[votes.second]
        bare = replace(votes, annotator=None, question=None, block=None)  # is taken quickly
        self.votes = bare.among(inside)
        self.systems = self.votes.systems
        relative = votes.relative_ranking
        table = judgments.table
        judgment = np.arange(len(keep))
        labels = table.index if len(table) == len(keep) else table.index[:0]
        if votes.block is not None:
            judgment, labels = votes.block, pd.factorize(table["block"])[1]
        self.units = {}
        self.unit_names: dict[str, np.ndarray] = {}
        named = "document" in table and table["document"].nunique() > 1
        item = ("document" if named else "segment") if relative else "question"
        for unit, codes, names in (
            (JUDGMENT, judgment, labels),
            ("annotator", votes.annotator, votes.annotators),
            (item, votes.question, votes.questions),
        ):
            if codes is not None and (codes[keep] != codes[keep][0]).any():
                self.units[unit], used = pd.factorize(codes[keep], sort=True)
                known = np.asarray(names, dtype=object)
                self.unit_names[unit] = known[used] if len(known) else known
        counts = tabulate(self.votes)
        self.with_order = not relative and votes.order_known and order_is_separable(counts)
        self.fit = None if relative else fit_davidson(counts, self.with_order)
        score = self.score_with(np.ones(len(self.votes.first), bool))
        if score is None:
            raise DataError("no_finite_strengths")
        self.score = score
        self.order = np.argsort(-score, kind="stable")
        self.boundaries = []
        self.leave_out_humans(judgments.humans)

    def names(self, unit: str, codes: np.ndarray) -> tuple[object, ...]:
        """Return names of units; of votes, row labels; of relative rankings, blocks."""
        names = self.unit_names[unit]
        return tuple(names[codes].tolist()) if len(names) else ()

    def score_with(self, keep: np.ndarray) -> np.ndarray | None:
        """Return strengths or shares of wins; None if a system has no finite one."""
        votes = self.votes.take(keep)
        table = tabulate(votes)
        if votes.relative_ranking:
            wins = table.wins
            decided = wins.sum(axis=1) + wins.sum(axis=0)
            return wins.sum(axis=1) / decided if decided.all() else None
        if not largest_group(table).all():
            return None
        fit = fit_davidson(table, self.with_order and order_is_separable(table))
        return None if fit is None else fit.strength

    def drawn(self, keep: np.ndarray) -> tuple[list[int], list[int]] | None:
        """Rank again; there are no boundaries; see `RankedAgain`."""
        score = self.score_with(keep)
        return None if score is None else (np.argsort(-score, kind="stable").tolist(), [])

    def weakest_pairs(self, below: int) -> list[tuple[int, int]]:
        """Return the neighbours; see `RankedAgain`."""
        return [(int(self.order[below - 1]), int(self.order[below]))]

    def effects(self, unit: str, first: int, second: int, keep: np.ndarray) -> np.ndarray:
        """Return effects on this difference; see `RankedAgain`."""
        votes = self.votes
        weight = votes.weight * keep
        codes = self.units[unit]
        n_units = int(codes.max()) + 1
        if self.fit is not None:
            to_strength, to_tie = self.fit.residuals(votes)
            contrast = self.fit.inverse[first] - self.fit.inverse[second]
            n = len(self.systems)
            pull = contrast[votes.first] - contrast[votes.second] + contrast[n]
            change = -weight * (to_strength * pull + to_tie * contrast[n + 1])
            return np.bincount(codes, change, n_units)
        effect = np.zeros(n_units)
        for system, sign in ((first, 1.0), (second, -1.0)):
            won = (votes.first == system) & (votes.outcome == 1)
            won |= (votes.second == system) & (votes.outcome == 0)
            met = ((votes.first == system) | (votes.second == system)) & (votes.outcome != 0.5)
            wins = np.bincount(codes[won], weight[won], n_units)
            decided = np.bincount(codes[met], weight[met], n_units)
            left = decided.sum() - decided
            with np.errstate(divide="ignore", invalid="ignore"):
                effect += sign * ((wins.sum() - wins) / left - wins.sum() / decided.sum())
            effect[left <= 0] = np.inf
        return effect
