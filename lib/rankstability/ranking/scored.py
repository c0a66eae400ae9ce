"""Rank systems by their segment scores, with any test and any rule for boundaries."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import DataError, suggest
from .result import BOUNDARIES, PAIRS, Ranking
from .rules import BOUNDARY_RULES, Rule, clusters
from .tests import PairTest, apply_test, check_alpha, correct, rank_sum_tests


def rule_named(rule: str | Rule) -> Rule:
    """Return a rule of `BOUNDARY_RULES`, or the function that was given."""
    if callable(rule):
        return rule
    if rule not in BOUNDARY_RULES:
        nearest = suggest(rule, BOUNDARY_RULES) or ", ".join(BOUNDARY_RULES)
        raise DataError("unknown_rule", value=rule, expected=nearest)
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
        From `segment_scores`: columns system, segment, raw, judgments, and perhaps z, by which
        systems are then ordered and tested.
    test : str or function
        A name of `TESTS`, or a function of the scores of two systems, the better-ranked first, that
        returns the one-sided p.
    rule : str or function
        A name of `BOUNDARY_RULES`, or a function of the matrices of significant pairs and of
        significant wins that returns the boundaries below each rank but the last.
    alpha : float
        The level of each test.
    correction : str
        none, holm or benjamini-hochberg, over all pairs; not for one-sided tests.
    """
    check_alpha(alpha)
    draw_rule = rule_named(rule)
    column = "z" if "z" in scores and scores["z"].notna().any() else "raw"
    codes, names = pd.factorize(scores["system"].astype(str), sort=True)
    if len(names) < 2:
        raise DataError("too_few_systems", value=", ".join(names) or None)
    n = len(names)
    values = scores[column].to_numpy(float)
    known = np.isfinite(values)
    table = _means(scores, codes, [str(name) for name in names], column)
    missing = table.loc[table[column].isna(), "system"]
    if len(missing):
        raise DataError("system_without_score", value=", ".join(missing))
    mean = table[column].to_numpy(float)
    order = np.lexsort((table["system"], -mean))
    if callable(test):
        samples = [values[known & (codes == code)] for code in order]
        p = apply_test(samples, test)
        lead = np.subtract.outer(mean[order], mean[order])
        test_name = getattr(test, "__name__", "a test of your own")
    else:
        p, lead = rank_sum_tests(values[known], codes[known], n, test)
        grid = np.ix_(order, order)
        p, lead = p[grid], lead[grid]
        test_name = test
    p = correct(p, correction)

    def draw(significant: np.ndarray, lead: np.ndarray) -> np.ndarray:
        return np.asarray(draw_rule(significant, significant & (lead > 0)), bool)

    boundaries = draw(p < alpha, lead)
    columns = {name: table[name].to_numpy()[order] for name in table}
    rank = {"rank": np.arange(1, n + 1)}
    ranked = pd.DataFrame({**rank, **columns, "cluster": clusters(boundaries)})
    systems = list(ranked["system"])
    return Ranking(
        table=ranked,
        p_values=pd.DataFrame(p, index=systems, columns=systems),
        boundaries=drawn_boundaries(systems, boundaries),
        pairs=pd.DataFrame(columns=PAIRS),
        test=test_name,
        rule=rule if isinstance(rule, str) else getattr(rule, "__name__", "a rule of your own"),
        alpha=alpha,
        score_name="mean z-score" if column == "z" else "mean score",
        lead=lead,
        draw=draw,
    )


def _means(scores: pd.DataFrame, codes: np.ndarray, names: list[str], column: str) -> pd.DataFrame:
    """Return system, raw, z (if there is one), segments and judgments by system."""
    n = len(names)
    segments = np.bincount(codes, minlength=n)
    judgments = np.bincount(codes, scores["judgments"].to_numpy(float), n).astype(int)
    table = pd.DataFrame({"system": names})
    for name in dict.fromkeys(("raw", column)):
        values = scores[name].to_numpy(float)
        known = np.isfinite(values)
        with np.errstate(invalid="ignore", divide="ignore"):
            count = np.bincount(codes[known], minlength=n)
            table[name] = np.bincount(codes[known], values[known], n) / count
    return table.assign(segments=segments, judgments=judgments)


def drawn_boundaries(systems: list[str], boundaries: np.ndarray) -> pd.DataFrame:
    """Return the table of boundaries that a rule draws, about whose support nothing is known."""
    rows = [
        (k, systems[k - 1], systems[k], True, False, "inconclusive")
        for k in np.flatnonzero(boundaries) + 1
    ]
    return pd.DataFrame(rows, columns=BOUNDARIES).astype({"drawn": bool, "supported": bool})
