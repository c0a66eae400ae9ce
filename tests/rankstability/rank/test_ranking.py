"""Orders and cluster rules, by hand and by brute force."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assessments import made
from rankstability import judgments, rank_systems
from rankstability.errors import DataError
from rankstability.rank.ranking import CLUSTER_RULES, rank


@st.composite
def matrices(draw):
    n = draw(st.integers(2, 7))
    bits = draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    signs = draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    significant = np.triu(np.array(bits).reshape(n, n), 1)
    lead = np.triu(np.where(np.array(signs).reshape(n, n), 1, -1), 1)
    return significant, lead - lead.T


@settings(max_examples=80, deadline=None)
@given(matrices())
def test_rules_equal_their_definitions_system_by_system(case):
    significant, lead = case
    n = len(significant)
    both = significant | significant.T
    wins = both & (lead > 0)
    for rule in CLUSTER_RULES:
        lines = []
        for k in range(n - 1):
            below = range(k + 1, n)
            if rule == "knowles":
                line = all(both[k, j] for j in below)
            elif rule == "official wins":
                line = sum(wins[k]) == len(below)
            elif rule == "all above beat all below":
                line = all(both[i, j] for i in range(k + 1) for j in below)
            elif rule == "adjacent":
                line = both[k, k + 1]
            else:
                worst = max(n - sum(wins[i]) for i in range(k + 1))
                best = min(1 + sum(wins[:, j]) for j in below)
                line = worst < best
            if line:
                lines.append(k + 1)
        assert made(significant, lead, rule=rule).lines == tuple(lines), rule


def test_without_drops_systems_before_clustering():
    # c keeps b from a cluster of its own; without c the line below b appears
    matrix = [[0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    full = made(matrix)
    assert full.lines == (1, 3)
    assert full.without(["c"]).lines == (1, 2)
    assert full.without(["c"]).systems == ("a", "b", "d")


def test_equal_scores_are_ordered_by_name_and_a_missing_score_is_refused():
    assert made(np.zeros((3, 3)), scores=[0.0, 1.0, 1.0]).systems == ("b", "c", "a")
    with pytest.raises(DataError, match=r"without a score.*\['b'\]"):
        made(np.zeros((3, 3)), scores=[0.0, float("nan"), 1.0])
    with pytest.raises(DataError, match="unknown cluster rule"):
        made(np.zeros((2, 2)), rule="best")


def test_the_printed_table_has_a_line_between_clusters():
    ranking = made([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    text = str(ranking).splitlines()
    assert [set(line) == {"-"} for line in text] == [False, True, False, True, False, False]
    assert text[2].split() == ["1", "a", "1.000"]
    assert len(text[1]) == len(text[3]) == max(map(len, text))
    assert "border-bottom" in ranking._repr_html_()
    assert ranking.to_csv().splitlines()[0] == "rank,system,mean_z,cluster"


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, float("nan")])
def test_alpha_lies_between_0_and_1_and_so_it_does_when_it_is_changed(alpha):
    ranking = made([[0, 1], [0, 0]])
    with pytest.raises(DataError, match=r"alpha.*between 0 and 1"):
        rank(ranking.table.drop(columns=["rank", "cluster"]), ranking.p, ranking.lead, alpha=alpha)
    with pytest.raises(DataError, match=r"alpha.*between 0 and 1"):
        ranking.under(alpha=alpha)


def test_significant_means_p_below_alpha_and_a_pair_without_p_is_not():
    ranking = made([[0, 1, 1], [0, 0, 0], [0, 0, 0]])  # p of 0.01
    assert ranking.under(alpha=0.0100001).lines == (1,)
    assert ranking.under(alpha=0.01).lines == ()
    never = ranking.p.copy()
    never[0, 2] = never[2, 0] = np.nan  # never compared
    table = ranking.table.drop(columns=["rank", "cluster"])
    assert rank(table, never, ranking.lead).lines == ()
    pairs = rank(table, never, ranking.lead).comparisons().set_index(["better", "worse"])
    assert pairs["significant"].to_dict() == {
        ("a", "b"): True,
        ("a", "c"): False,
        ("b", "c"): False,
    }


def standing_of(claimed, held):
    """A ranking of four systems with lines below the ranks `claimed` and `held`."""
    whole = rank_systems(judgments(frame_of(True)), recipe="wmt24")
    table = whole.table.assign(cluster=1 + np.searchsorted(claimed, np.arange(4), "right"))
    sure = replace(whole.sure, held=np.isin(np.arange(1, 4), held))
    return replace(whole, table=table, certain=sure)


def frame_of(told):
    rows = [(s, d, w, 50 + 8 * "DCBA".index(s) + (3 * d + 5 * w + 7 * ord(s)) % 11)
            for s in "ABCD" for d in range(6) for w in range(4)]  # fmt: skip
    names = ["system", "document", "annotator", "score"]
    frame = pd.DataFrame(rows, columns=names).assign(segment=lambda f: f["document"])
    return frame if told else frame.assign(annotator="a", document="d")


def test_lines_are_shown_as_claimed_and_held():
    text = str(standing_of([1, 2], [2, 3])).splitlines()
    assert [line.split()[1] for line in text if line[:4].strip().isdigit()] == list("ABCD")
    assert set(text[1]) == {"-"}  # below the header
    assert set(text[3]) == {"-", " "} and set(text[5]) == {"-"} and set(text[7]) == {"="}
    shown = standing_of([1, 2], [2, 3])._repr_html_()
    assert [shown.count(look) for look in ("1px dashed", "2px solid", "4px double")] == [5, 5, 5]
    assert "recipe wmt24" in shown and "other worker x document" in shown


def test_a_ranking_shows_its_numbers_to_the_right_and_names_as_they_are():
    table = pd.DataFrame({"system": ["x-1_a", "y"], "mean_z": [0.25, -0.5], "n": [3, 4]})
    ranking = rank(table, np.full((2, 2), 0.5), np.zeros((2, 2)))
    shown = ranking._repr_html_()
    assert ">mean z</th>" in shown and "<td>x-1_a</td>" in shown
    assert '<td style="text-align:right">−0.500</td>' in shown


def test_a_ranking_of_which_nothing_can_be_told_shows_no_interval_and_no_ranks():
    untold = rank_systems(judgments(frame_of(False)), recipe="wmt24")
    assert untold.unit == "" and "no units are named" in untold._repr_html_()
    cells = [line.split() for line in str(untold).splitlines()]
    assert {len(row) for row in cells if row[0].isdigit()} == {3}


def test_a_ranking_draws_itself_as_the_page_does():
    figure = standing_of([1, 2], [2]).plot("four systems")
    assert len(figure.axes) == 3
    assert figure.get_suptitle() == "four systems" or "four systems" in str(figure.texts)
