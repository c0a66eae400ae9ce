"""Orders and cluster rules, by hand and by brute force."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assessments import made
from companion.legacy.rankstability import judgments, rank_systems
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.ranking import CLUSTER_RULES, Ranking, rank, rank_scored, without_score


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


def test_a_ranking_is_not_changed_and_its_judgments_are_no_part_of_it():
    ranking = made([[0, 1], [0, 0]])
    assert replace(ranking, source="judgments") == ranking
    assert "source" not in repr(replace(ranking, source="judgments"))
    with pytest.raises(FrozenInstanceError):
        ranking.alpha = 0.01
    bare = Ranking(ranking.table, ranking.p, ranking.lead)
    assert (bare.by, bare.test, bare.rule, bare.alpha) == ("mean_z", "scipy<1.7", "knowles", 0.05)
    assert bare.order.shape == (0,)
    with pytest.raises(DataError, match="certainty was not computed"):
        bare.sure  # noqa: B018


def test_clusters_are_the_systems_between_lines_top_first():
    ranking = made([[0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    assert ranking.lines == (1, 3) and ranking.claimed.tolist() == [True, False, True]
    assert ranking.clusters == (frozenset("a"), frozenset("bc"), frozenset("d"))
    assert ranking.table["cluster"].tolist() == [1, 2, 2, 3]
    assert ranking.table["rank"].tolist() == [1, 2, 3, 4]


def test_a_ranking_as_a_frame_says_below_whom_a_line_stands_and_whose_it_is():
    ranking = made([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    frame = ranking.named(pair="cs-en")
    assert [*frame] == ["pair", "rank", "system", "mean_z", "cluster", "line_below"]
    assert frame.iloc[0].tolist() == ["cs-en", 1, "a", 1.0, 1, 1]
    assert frame["line_below"].tolist() == [1, 0, 0]
    places = standing_of([1, 2], [2]).places
    assert [*places] == ["recipe", "below", "claimed", "held", "unit"]
    assert places["recipe"].unique().tolist() == ["wmt24"]
    assert places["claimed"].tolist() == [1, 1, 0] and places["held"].tolist() == [0, 1, 0]


def test_pairs_are_significant_below_the_level_and_agree_where_the_test_leads_the_same_way():
    lead = np.array([[0, 0.5, 0], [-0.5, 0, -2], [0, 2, 0]])
    pairs = made([[0, 1, 1], [0, 0, 0], [0, 0, 0]], lead=lead).comparisons()
    assert pairs["test_agrees"].tolist() == [True, False, False]  # half a rank, none, and back
    assert pairs["p"].tolist() == [0.01, 0.01, 0.5]
    at = made([[0, 1, 1], [0, 0, 0], [0, 0, 0]]).under(alpha=0.01)
    assert not at.comparisons()["significant"].any()
    assert at.p_values.loc["a", "b"] == 0.01 and at.p_values.index.tolist() == [*"abc"]


def test_a_win_is_a_significant_lead_however_small():
    significant = [[0, 1, 1], [0, 0, 0], [0, 0, 0]]
    by_half = np.array([[0, 0.5, 0.5], [-0.5, 0, 0], [-0.5, 0, 0]])
    assert made(significant, by_half, rule="official wins").lines == (1,)
    assert made(significant, 0 * by_half, rule="official wins").lines == ()


def test_names_stand_to_the_left_and_numbers_to_the_right():
    table = pd.DataFrame({"system": ["long-name", "b"], "mean_z": [0.25, -0.5]})
    table["mean_raw"] = [71.26, 8.0]
    ranking = rank(table, np.full((2, 2), 0.5), np.zeros((2, 2)))
    assert str(ranking).splitlines() == [
        "rank  system     mean_z  mean_raw",
        "---------------------------------",
        "   1  long-name   0.250      71.3",
        "   2  b          -0.500       8.0",
    ]
    unknown = replace(ranking, table=ranking.table.assign(mean_z=[0.25, np.nan]))
    assert str(unknown).splitlines()[3].split() == ["2", "b", "8.0"]


def test_small_print_says_the_recipe_first_and_what_else_was_set():
    assert made([[0, 1], [0, 0]]).note == "test scipy<1.7, line rule knowles, alpha 0.05"
    whole = standing_of([1], [1])
    assert whole.note.startswith("recipe wmt24, test Wilcoxon")
    assert whole.note.endswith("alpha 0.05, other worker x document")
    bare = replace(whole, table=whole.table[["rank", "system", "score", "cluster"]])
    assert "recipe" not in bare.note and "to" not in str(bare)  # no intervals, no sets
    assert replace(whole, certain=None).note == bare.note


def test_every_system_is_a_row_of_the_shown_table_and_a_line_is_below_its_own():
    shown = made([[0, 1, 1], [0, 0, 0], [0, 0, 0]])._repr_html_()
    head, *rows = shown.split("<tr>")[1:]
    assert "<th" in head and "border-bottom" not in head and len(rows) == 3
    assert ["border-bottom" in row for row in rows] == [True, False, False]
    assert [name in row for name, row in zip("abc", rows, strict=True)] == [True] * 3


def test_systems_without_a_score_come_last_and_no_line_is_theirs():
    score = [0.9, np.nan, 0.5, np.nan, 0.1]
    table = pd.DataFrame({"system": [*"axbyc"], "score": score})
    p = np.full((5, 5), 0.5)
    p[[0, 0, 2, 2, 4, 4], [2, 4, 0, 4, 0, 2]] = 0.001
    p[0, 1] = 0.77
    made_of = rank_scored(table, p, np.zeros((5, 5)), by="score")
    assert made_of.systems == tuple("abcxy") and made_of.order.tolist() == [0, 2, 4, 1, 3]
    assert made_of.table["rank"].tolist() == [1, 2, 3, 4, 5]
    assert made_of.table["cluster"].tolist() == [1, 2, 3, 3, 3]
    assert made_of.table.index.tolist() == [0, 1, 2, 3, 4] and made_of.table.columns[0] == "rank"
    assert made_of.p[0, 3] == 0.77 and made_of.p[0, 1] == 0.001
    all_known = rank_scored(table.fillna(0.0), p, np.zeros((5, 5)), by="score")
    assert all_known.systems == tuple("abcxy") and all_known.score[3] == 0.0


def test_where_no_system_has_a_score_the_order_stays_and_lines_are_drawn():
    table = pd.DataFrame({"system": [*"cab"], "score": np.nan})
    p = np.array([[np.nan, 0.001, 0.001], [0.001, np.nan, 0.5], [0.001, 0.5, np.nan]])
    ranking = rank_scored(table, p, np.zeros((3, 3)), by="score")
    assert ranking.systems == ("c", "a", "b") and ranking.lines == (1,)
    assert ranking.table["score"].isna().all()


def test_the_refusal_of_a_system_without_a_score_says_what_z_scores_need():
    of_z = without_score("mean_z", ["x"], "ad-good.csv")
    assert "zero_variance" in str(of_z) and "ad-good.csv" in str(of_z) and of_z.column == "mean_z"
    of_raw = without_score("mean_raw", ["x"])
    assert "zero_variance" not in str(of_raw) and of_raw.file is None


def test_a_set_of_one_rank_is_shown_as_that_rank_and_an_interval_with_three_digits():
    whole = standing_of([1, 2], [2])
    table = whole.table.assign(rank_low=[1, 1, 3, 3], rank_high=[1, 2, 3, 4])
    table = table.assign(low=[0.5, 1 / 3, np.nan, -1.0], high=[2.0, 1.0, np.nan, 0.0])
    rows = [line for line in str(replace(whole, table=table)).splitlines() if "0" in line]
    assert [row.split()[-1] for row in rows[:1]] == ["1"]
    assert rows[0].endswith("0.500 to 2.000       1") and rows[1].endswith("0.333 to 1.000  1 to 2")
    assert rows[2].endswith(" 3") and " to " not in rows[2]
    assert rows[3].endswith("-1.000 to 0.000  3 to 4")
