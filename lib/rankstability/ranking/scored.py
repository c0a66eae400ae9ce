"""Rank systems by their segment scores, with any test and any rule for boundaries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..arguments import check_alpha
from ..errors import DataError
from ..scores.build import codes_of
from .paired import signed_rank
from .result import BOUNDARIES, PAIRS, Ranking
from .rules import BOUNDARY_RULES, Rule, clusters
from .tests import (
    ONE_SIDED,
    PairTest,
    apply_test,
    check_test,
    correct,
    rank_sum_tests,
)

SIGNED_RANK = ("wilcoxon", "wilcoxon_greater")


def rule_named(rule: str | Rule) -> Rule:
    """Return a rule of `BOUNDARY_RULES`, or the function that was given."""
    if callable(rule):
        return rule
    if rule not in BOUNDARY_RULES:
        raise DataError("unknown_rule", value=rule, known=BOUNDARY_RULES)
    return BOUNDARY_RULES[rule]


def rank_segment_scores(
    scores: pd.DataFrame,
    test: str | PairTest = "mann_whitney_halved",
    rule: str | Rule = "knowles2021",
    alpha: float = 0.05,
    correction: str = "none",
) -> Ranking:
    """Order systems by the mean of their segment scores, test all pairs, and draw boundaries.

    Parameters
    ----------
    scores : DataFrame
        From `segment_scores`: columns system, segment and raw; perhaps z, by which systems are then
        ordered and tested; judgments; and lower_is_better, if raw scores are.
    test : str or function
        A name of `TESTS`; or a function of the scores of two systems, the better-ranked first, that
        returns the one-sided p. Its scores are in order of the segments, and higher is better.
    rule : str or function
        A name of `BOUNDARY_RULES`; or a function of the matrices of significant pairs and of
        significant wins that returns the boundaries below each rank but the last.
    alpha : float
        The level of each test.
    correction : str
        none, holm or benjamini-hochberg, over all pairs; not for one-sided tests.

    Raises
    ------
    DataError
        For a column that is missing, an unknown name, a system without a score, fewer than two
        systems, or a function that returns something else.
    """
    check_alpha(alpha)
    draw_rule = rule_named(rule)
    if not callable(test):
        check_test(test)
        if test in ONE_SIDED and correction != "none":
            raise DataError("correction_of_one_sided", value=test)
    scores, column = _prepared(scores)
    lower_is_better = "lower_is_better" in scores and bool(scores["lower_is_better"].all())
    codes, names = codes_of(scores["system"])
    if len(names) < 2:
        raise DataError("too_few_systems", value=", ".join(names) or None)
    sign = -1.0 if lower_is_better and column == "raw" else 1.0
    values = sign * scores[column].to_numpy(float)
    columns = _means(scores, codes, len(names), column)
    mean = sign * columns[column]
    missing = [names[k] for k in np.flatnonzero(np.isnan(mean))]
    if missing:
        raise DataError("system_without_score", value=", ".join(missing))
    order = np.argsort(-mean, kind="stable")  # names are in order
    if callable(test):
        samples = _samples(values, codes, scores["segment"])
        p = apply_test([samples[code] for code in order], test)
        lead = np.subtract.outer(mean[order], mean[order])
        test_name = getattr(test, "__name__", "a test of your own")
    else:
        p, lead = _named_test(values, codes, scores["segment"], len(names), test)
        grid = np.ix_(order, order)
        p, lead = p[grid], lead[grid]
        test_name = test
    p = correct(p, correction)

    def draw(significant: np.ndarray, lead: np.ndarray) -> np.ndarray:
        boundaries = np.asarray(draw_rule(significant, significant & (lead > 0)))
        places = len(significant) - 1
        if boundaries.shape != (places,):
            raise DataError("bad_boundaries", value=boundaries, expected=f"{places} values")
        return boundaries.astype(bool)

    boundaries = draw(p < alpha, lead)
    systems = [names[k] for k in order]
    ranked = pd.DataFrame(
        {
            "rank": np.arange(1, len(names) + 1),
            "system": systems,
            **{name: values[order] for name, values in columns.items()},
            "cluster": clusters(boundaries),
        }
    )
    index = pd.Index(systems)
    return Ranking(
        table=ranked,
        p_values=pd.DataFrame(p, index=index, columns=index),
        boundaries=drawn_boundaries(systems, boundaries),
        pairs=pd.DataFrame(columns=PAIRS),
        test=test_name,
        rule=rule if isinstance(rule, str) else getattr(rule, "__name__", "a rule of your own"),
        alpha=alpha,
        score_name="mean z-score" if column == "z" else "mean score",
        lower_is_better=lower_is_better,
        lead=lead,
        draw=draw,
    )


def _prepared(scores: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return scores with all columns that are needed, and the column by which systems are ranked."""
    for name in ("system", "segment", "raw"):
        if name not in scores:
            found = ", ".join(map(str, scores.columns))
            raise DataError("missing_column", column=name, value=found)
    if "judgments" not in scores:
        scores = scores.assign(judgments=1)
    standardised = "z" in scores and bool(scores["z"].notna().any())
    return scores, "z" if standardised else "raw"


def _named_test(
    values: np.ndarray, codes: np.ndarray, segment: pd.Series, size: int, test: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return p of a test of `TESTS`, and the lead: positive where the row tends to be better."""
    known = np.isfinite(values)
    if test not in SIGNED_RANK:
        return rank_sum_tests(values[known], codes[known], size, test)
    places, names = codes_of(segment)
    cell = places * size + codes
    count = np.bincount(cell[known], minlength=len(names) * size)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(cell[known], values[known], len(names) * size) / count
    better = signed_rank(mean.reshape(len(names), size), "greater")
    lead = better.T - better
    if test == "wilcoxon":
        return np.minimum(2 * np.minimum(better, better.T), 1.0), lead
    return better, lead


def _samples(values: np.ndarray, codes: np.ndarray, segment: pd.Series) -> list[np.ndarray]:
    """Return the known scores of each system, by code, in order of the segments' names."""
    order = np.lexsort((codes_of(segment)[0], codes))
    order = order[np.isfinite(values[order])]
    start = np.searchsorted(codes[order], np.arange(1, codes.max() + 1))
    return np.split(values[order], start)


def _means(
    scores: pd.DataFrame, codes: np.ndarray, size: int, column: str
) -> dict[str, np.ndarray]:
    """Return raw, z (if there is one), segments and judgments of each system, by code."""
    columns: dict[str, np.ndarray] = {}
    for name in dict.fromkeys(("raw", column)):
        values = scores[name].to_numpy(float)
        known = np.isfinite(values)
        with np.errstate(invalid="ignore", divide="ignore"):
            count = np.bincount(codes[known], minlength=size)
            columns[name] = np.bincount(codes[known], values[known], size) / count
    columns["segments"] = np.bincount(codes, minlength=size)
    judgments = scores["judgments"].to_numpy(float)
    columns["judgments"] = np.bincount(codes, judgments, size).astype(int)
    return columns


def drawn_boundaries(systems: Sequence[str], boundaries: np.ndarray) -> pd.DataFrame:
    """Return the table of boundaries that a rule draws, about whose support nothing is known."""
    rank = (np.flatnonzero(boundaries) + 1).tolist()
    columns = {
        "rank": rank,
        "above": [systems[k - 1] for k in rank],
        "below": [systems[k] for k in rank],
        "drawn": np.ones(len(rank), bool),
        "supported": np.zeros(len(rank), bool),
        "state": ["inconclusive"] * len(rank),
    }
    return pd.DataFrame(columns, columns=BOUNDARIES)
