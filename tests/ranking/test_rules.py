"""Rules for cluster boundaries equal their definitions, system by system."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankstability.ranking.rules import BOUNDARY_RULES, clusters, ranges_are_disjoint


@st.composite
def matrices(draw):
    n = draw(st.integers(2, 7))
    bits, signs = (draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n)) for _ in "ab")
    significant = np.triu(np.array(bits).reshape(n, n), 1)
    lead = np.triu(np.where(np.array(signs).reshape(n, n), 1, -1), 1)
    return significant | significant.T, lead - lead.T


def drawn(rule, significant, wins, k):
    """Return whether a boundary is below the system at place k, from 0, by definition."""
    n = len(significant)
    below = range(k + 1, n)
    if rule == "knowles2021":
        return all(significant[k, j] for j in below)
    if rule == "wins_equal_systems_below":
        return sum(wins[k]) == len(below)
    if rule == "all_above_beat_all_below":
        return all(significant[i, j] for i in range(k + 1) for j in below)
    if rule == "neighbours_differ":
        return significant[k, k + 1]
    worst = max(n - sum(wins[i]) for i in range(k + 1))
    return worst < min(1 + sum(wins[:, j]) for j in below)


@settings(max_examples=80, deadline=None)
@given(matrices())
def test_rules_equal_their_definitions(case):
    significant, lead = case
    wins = significant & (lead > 0)
    for name, rule in BOUNDARY_RULES.items():
        expected = [bool(drawn(name, significant, wins, k)) for k in range(len(wins) - 1)]
        assert rule(significant, wins).tolist() == expected, name


def test_wins_over_better_systems_count_for_the_official_rule_only():
    significant = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    wins = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0]], bool)  # the last beats the first
    assert BOUNDARY_RULES["knowles2021"](significant, wins).tolist() == [False, False]
    more = significant | np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], bool)
    assert BOUNDARY_RULES["knowles2021"](more, wins).tolist() == [True, False]
    assert BOUNDARY_RULES["wins_equal_systems_below"](more, wins).tolist() == [False, False]


def test_clusters_are_numbered_from_1():
    assert clusters(np.array([True, False, True])).tolist() == [1, 2, 2, 3]
    assert clusters(np.zeros(0, bool)).tolist() == [1]


@pytest.mark.parametrize(
    ("best", "worst", "expected"),
    [([1, 2, 3], [1, 2, 3], [True, True]), ([1, 1, 3], [2, 2, 3], [False, True])],
)
def test_disjoint_ranges(best, worst, expected):
    assert ranges_are_disjoint(np.array(best), np.array(worst)).tolist() == expected
