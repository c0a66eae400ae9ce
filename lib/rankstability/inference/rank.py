"""`rank_systems`: from judgments to a ranking, with what new sampling units would show again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_alpha, check_arguments
from ..errors import DataError, suggest
from ..judgments import COMPARISON_KINDS, Judgments, check_judgments
from ..ranking.procedures import (
    Procedure,
    choose_procedure,
    draw_ranking,
    scores_for,
)
from ..ranking.relative import rank_counts
from ..ranking.result import BOUNDARIES, Ranking
from ..ranking.rules import Rule, clusters
from ..ranking.scored import rank_segment_scores
from ..ranking.tests import PairTest
from ..scores.pairwise import count_pairs, vote_arrays
from ..scores.segments import segment_scores
from .ratings import infer_ratings
from .result import RankInference
from .votes import infer_votes


@check_arguments
def rank_systems(
    data: Judgments | pd.DataFrame,
    *,
    procedure: str | None = None,
    unit: str | None = None,
    alpha: float = 0.05,
    test: str | PairTest | None = None,
    rule: str | Rule | None = None,
    correction: str = "none",
    method: str | None = None,
    rng: np.random.Generator | None = None,
) -> Ranking:
    """Rank systems, and infer which boundaries, pairs and ranks would hold in a new campaign.

    Parameters
    ----------
    data : Judgments or DataFrame
        Judgments of any kind, or segment scores from `segment_scores`. Segment scores are ranked
        without inference.
    procedure : str, optional
        A name in `PROCEDURES`. The default is the procedure of the campaign's year, and plain means
        for data that do not come from WMT. With votes, systems are ranked by strength; with
        relative rankings, by the share of wins.
    unit : str, optional
        The sampling unit, such as ``document`` or ``annotator x document``. By default, all units
        that the judgments name.
    alpha : float
        The level of the procedure's tests, and the family-wise error level of the inference.
    test, rule : str or function, optional
        For segment scores (judgments are first averaged by segment). `test` is a name in `TESTS`,
        or a function that takes the scores of two systems and returns a p-value. `rule` is a name
        in `BOUNDARY_RULES`, or a function that takes the significant pairs and the wins and returns
        the boundaries.
    correction : str
        The correction for multiple testing: none, holm or benjamini-hochberg. It is used with
        `test`.
    method : str, optional
        For votes and relative rankings: a name in ``ranking.relative.METHODS``. Systems are then
        ordered by this score, without inference.
    rng : Generator, optional
        The random generator, for procedures with random tests.

    Returns
    -------
    Ranking

    Raises
    ------
    DataError
        For an unknown name, an argument that does not apply to these data, a unit that the
        judgments do not name, a level outside (0, 1), fewer than two systems, a system without a
        score, equal scores, or a procedure that these judgments do not allow.

    Examples
    --------
    >>> import rankstability as rs
    >>> ranking = rs.rank_systems(rs.load("demo-srdc", "de-en"), procedure="wmt17")
    >>> ranking.systems[0], ranking.boundaries["rank"].tolist()
    ('HUMAN.0', [1, 7])
    >>> rs.rank_systems(rs.segment_scores(rs.load("demo-srdc", "de-en")), alpha=0.01).boundaries["rank"].tolist()
    [1]
    """
    check_alpha(alpha)
    chosen_test = {"test": test, "rule": rule}
    given: dict[str, Any] = {k: value for k, value in chosen_test.items() if value is not None}
    if correction != "none":
        given["correction"] = correction
    inferred = {"procedure": procedure, "unit": unit, "method": method}
    if isinstance(data, pd.DataFrame):
        _refuse(inferred, "segment scores")
        return rank_segment_scores(data, alpha=alpha, **given)
    check_judgments(data)
    if data.kind in COMPARISON_KINDS:
        _refuse({"procedure": procedure, **given}, "comparisons")
        if method is not None:
            _refuse({"unit": unit}, "rankings by a method, which make no inference")
        return _rank_comparisons(data, unit, alpha, method)
    _refuse({"method": method}, "judgments with scores")
    if given:
        _refuse(inferred, "rankings by a test or rule, which make no inference")
        return rank_segment_scores(segment_scores(data), alpha=alpha, **given)
    chosen = choose_procedure(data, procedure)
    return _rank_ratings(data, chosen, unit, alpha, rng)


def _refuse(arguments: dict[str, Any], data: str) -> None:
    """Raise DataError ``argument_not_used`` for the first argument that was given."""
    for name, value in arguments.items():
        if value is not None and value != "":
            raise DataError("argument_not_used", argument=name, data=data, value=value)


def _rank_ratings(
    judgments: Judgments,
    procedure: Procedure,
    unit: str | None,
    alpha: float,
    rng: np.random.Generator | None,
) -> Ranking:
    """Rank judgments with scores by one procedure."""
    scores = scores_for(judgments, procedure)
    if len(scores.systems) < 2:
        raise DataError("too_few_systems", value=", ".join(scores.systems))
    if np.ptp(scores.score) == 0:
        raise DataError("equal_scores", value=float(scores.score[0]))
    inference = infer_ratings(scores, unit, procedure.by_domain, alpha)
    drawn = draw_ranking(scores, procedure, alpha, rng)
    table = drawn.table(scores.systems)

    def draw(significant: np.ndarray, _: np.ndarray) -> np.ndarray:
        return procedure.draw(significant)

    lead = np.subtract.outer(table["score"].to_numpy(), table["score"].to_numpy())
    name = {"z": "mean z-score"}.get(procedure.score, "mean score")
    return _finish(
        judgments,
        table,
        drawn.boundaries,
        inference,
        scores.sign,
        p_values=pd.DataFrame(drawn.p, index=list(table["system"]), columns=list(table["system"])),
        procedure=procedure.name,
        title=procedure.title,
        test=procedure.test_name,
        rule=procedure.rule_name,
        alpha=alpha,
        score_name="MQM score" if judgments.kind == "mqm" and name == "mean score" else name,
        lead=lead,
        draw=draw,
    )


def _rank_comparisons(
    judgments: Judgments, unit: str | None, alpha: float, method: str | None
) -> Ranking:
    """Rank votes by strength, and relative rankings by the share of decided comparisons won."""
    if method is not None:
        return rank_counts(count_pairs(judgments), method, alpha)
    votes = vote_arrays(judgments)
    if len(votes.systems) < 2:
        raise DataError("too_few_systems", value=", ".join(votes.systems))
    inference = infer_votes(votes, unit, alpha)
    n = len(inference.systems)
    table = pd.DataFrame({"rank": range(1, n + 1), "system": list(inference.systems)})
    table["score"] = inference.mean
    table["cluster"] = 1
    shares = votes.relative_ranking
    names = list(table["system"])
    return _finish(
        judgments,
        table,
        np.zeros(max(n - 1, 0), bool),
        inference,
        1,
        p_values=pd.DataFrame(np.nan, index=names, columns=names),
        procedure="share_of_wins" if shares else "strength",
        title="share of decided comparisons won" if shares else "Davidson's strengths",
        alpha=alpha,
        score_name="share of wins" if shares else "strength",
    )


def _finish(
    judgments: Judgments,
    table: pd.DataFrame,
    drawn: np.ndarray,
    inference: RankInference,
    sign: int,
    **fields: Any,
) -> Ranking:
    """Join a ranking with its inference, and show scores in the direction in which they were given."""
    systems = [str(name) for name in table["system"]]
    if not systems:
        raise DataError("no_finite_strengths")
    place = {name: k for k, name in enumerate(inference.systems)}
    at = np.array([place[name] for name in systems], dtype=int)
    told = not inference.no_inference
    low, high = inference.score_low[at], inference.score_high[at]
    adjusted = inference.mean[at] if inference.units else table["score"]
    table = table.assign(
        score=sign * table["score"],
        score_adjusted=sign * adjusted,
        score_low=np.minimum(sign * low, sign * high),
        score_high=np.maximum(sign * low, sign * high),
        rank_low=inference.rank_low[at],
        rank_high=inference.rank_high[at],
        could_be_first=inference.could_be_first[at] & told,
        assessable=inference.assessable[at] & told,
        human=[name in judgments.humans for name in systems],
    )
    pairs = inference.pairs()
    pairs["difference"] *= sign
    return Ranking(
        table=table,
        boundaries=boundary_table(systems, drawn, inference),
        pairs=pairs,
        unit=inference.unit,
        kind=judgments.kind,
        pair=judgments.pair,
        campaign=judgments.campaign,
        lower_is_better=judgments.lower_is_better,
        inference=inference,
        judgments=judgments,
        **fields,
    )


def boundary_table(systems: list[str], drawn: np.ndarray, inference: RankInference) -> pd.DataFrame:
    """Return the boundaries that are drawn or supported, in the order of a ranking.

    A boundary is supported if a supported boundary of the inference has the same assessable systems
    above it. It is contradicted if some system below it is significantly better than some system
    above it. Otherwise it is inconclusive. Next to a system that cannot be assessed the same
    boundary could be listed twice: it is listed where it is drawn, otherwise at the first place.
    """
    place = {name: k for k, name in enumerate(inference.systems)}
    at = np.array([place[name] for name in systems], dtype=int)
    assessable = inference.assessable[at]
    rows = []
    listed: set[int] = set()
    drawn_above = {int(assessable[:k].sum()) for k in range(1, len(at)) if drawn[k - 1]}
    for k in range(1, len(at)):
        above, below = at[:k][assessable[:k]], at[k:][assessable[k:]]
        count = len(above)
        same = count > 0 and len(below) > 0 and int(above.max()) == count - 1
        supported = bool(same and inference.supported[count - 1])
        if not drawn[k - 1] and (not supported or count in listed | drawn_above):
            continue
        listed.add(count)
        contradicted = bool(inference.better[np.ix_(below, above)].any())
        state = "contradicted" if contradicted else "inconclusive"
        names = (systems[k - 1], systems[k])
        state = "supported" if supported else state
        rows.append((k, *names, bool(drawn[k - 1]), supported, state))
    return pd.DataFrame(rows, columns=BOUNDARIES).astype({"drawn": bool, "supported": bool})


@dataclass(frozen=True)
class RankChange:
    """What differs between two rankings among the systems that both hold; see `compare`.

    Attributes
    ----------
    systems : list of str
        The common systems in the order of the first ranking.
    order_changed, clusters_changed : bool
        Whether the order, or the ordered list of clusters, differs.
    tau : float
        Kendall's tau between the two orders.
    places_gained : Series
        By system: its place in the first ranking minus its place in the second, common systems
        only.
    first_before, first_after : str
        The best of the common systems in each ranking.
    """

    systems: list[str]
    order_changed: bool
    clusters_changed: bool
    tau: float
    places_gained: pd.Series
    first_before: str
    first_after: str

    def summary(self, **labels: object) -> pd.DataFrame:
        """Return one row: `labels`, then what changed.

        Columns systems (their number), order_changed, clusters_changed, both_changed,
        first_changed, first_before, first_after (the best of the common systems), tau.
        """
        row = {
            **labels,
            "systems": len(self.systems),
            "order_changed": self.order_changed,
            "clusters_changed": self.clusters_changed,
            "both_changed": self.order_changed and self.clusters_changed,
            "first_changed": self.first_before != self.first_after,
            "first_before": self.first_before,
            "first_after": self.first_after,
            "tau": self.tau,
        }
        return pd.DataFrame([row])


@check_arguments
def compare(first: Ranking, second: Ranking, systems: list[str] | None = None) -> RankChange:
    """Compare the order and the clusters of two rankings, for the systems in both.

    The boundaries of both rankings are redrawn among the common systems, without repeating the
    tests (Knowles 2021, section 5).

    Parameters
    ----------
    first, second : Ranking
        From `rank_systems`, for example before and after a removal.
    systems : list of str, optional
        The systems to be compared. By default, all systems in both rankings.

    Returns
    -------
    RankChange

    Raises
    ------
    DataError
        ``not_a_ranking``; ``different_systems`` if fewer than two systems are in both;
        ``unknown_system`` if `systems` names a system that is not in both rankings.

    Examples
    --------
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-srdc", "de-en")
    >>> before = rs.rank_systems(judgments)
    >>> after = rs.rank_systems(rs.remove(judgments, systems=[before.systems[-1]]))
    >>> bool(rs.compare(before, after).order_changed)
    False
    """
    both = [name for name in first.systems if name in set(second.systems)]
    if systems is not None:
        for name in systems:
            if name not in both:
                raise DataError("unknown_system", value=name, expected=suggest(name, both) or None)
        both = [name for name in both if name in set(systems)]
    if len(both) < 2:
        raise DataError("different_systems", value=", ".join(both) or None)
    after = [name for name in second.systems if name in set(both)]
    new = np.array([after.index(name) for name in both])
    old = np.arange(len(both))
    inversions = int(np.triu(new[:, None] > new, 1).sum())
    return RankChange(
        systems=both,
        order_changed=both != after,
        clusters_changed=_clusters_among(first, both) != _clusters_among(second, after),
        tau=1 - 4 * inversions / (len(both) * (len(both) - 1)),
        places_gained=pd.Series(old - new, index=both, name="places_gained"),
        first_before=both[0],
        first_after=after[0],
    )


def _clusters_among(ranking: Ranking, systems: list[str]) -> list[frozenset[str]]:
    """Return the clusters when boundaries are drawn among these systems only."""
    if ranking.draw is None or len(systems) == len(ranking.systems):
        kept = set(systems)
        found = [cluster & kept for cluster in ranking.clusters]
        return [cluster for cluster in found if cluster]
    keep = np.array([name in set(systems) for name in ranking.systems])
    grid = np.ix_(keep, keep)
    significant = ranking.p_values.to_numpy()[grid] < ranking.alpha
    label = clusters(ranking.draw(significant, ranking.lead[grid]))
    names = np.array(ranking.systems, dtype=object)[keep]
    return [frozenset(names[label == k]) for k in np.unique(label)]
