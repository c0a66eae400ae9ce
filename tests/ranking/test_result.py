"""How a ranking shows itself: rules in text, HTML and LaTeX, and names that attack."""

from dataclasses import FrozenInstanceError, replace

import pandas as pd
import pytest

import rankstability as rs
from judged import judged, ratings

KINDS = ["drawn and supported", "drawn", "supported"]


@pytest.fixture(scope="module")
def ranking():
    """Return a ranking of four systems with one boundary of each kind."""
    whole = rs.rank_systems(replace(ratings(), year=2024, protocol="ESA"))
    systems = whole.systems
    rows = [
        (1, systems[0], systems[1], True, True, "supported"),
        (2, systems[1], systems[2], True, False, "inconclusive"),
        (3, systems[2], systems[3], False, True, "supported"),
    ]
    return replace(whole, boundaries=pd.DataFrame(rows, columns=list(whole.boundaries)))


def test_text_has_a_solid_a_dashed_and_a_double_rule(ranking):
    lines = repr(ranking).splitlines()
    assert [line.split()[:2] for line in lines if line[:4].strip().isdigit()] == [
        [str(k + 1), name] for k, name in enumerate(["s3", "s2", "s1", "s0"])
    ]
    assert set(lines[1]) == {"-"}  # below the heading
    assert [set(lines[k]) for k in (3, 5, 7)] == [{"-"}, {"-", " "}, {"="}]
    assert len(lines[1]) == max(len(line) for line in lines[:9])


def test_html_has_borders_of_three_kinds(ranking):
    shown = ranking._repr_html_()
    looks = [
        shown.count(f"border-bottom: {look}") for look in ("2px solid", "1px dashed", "4px double")
    ]
    assert looks == [5, 5, 5]  # a border per cell
    head, *rows = shown.split("<tr>")[1:]
    assert "border-bottom" not in head and len(rows) == 4
    assert ["border-bottom" in row for row in rows] == [True, True, True, False]


def test_latex_has_rules_of_three_kinds(ranking):
    lines = ranking.to_latex().splitlines()
    assert lines[0].startswith(r"\begin{tabular}{rlr") and r"\toprule" in lines
    body = lines[lines.index(r"\midrule") + 1 :]
    assert [line.split(" & ")[1] for line in body[::2][:4]] == ["s3", "s2", "s1", "s0"]
    assert body[1] == r"\midrule" and body[3].startswith(r"\cmidrule(lr){1-")
    assert body[5] == r"\midrule\midrule" and body[7] == r"\bottomrule"


def test_names_are_escaped_wherever_they_are_shown():
    names = ["<script>alert(1)</script>", r"a_b & 50% \textbf{x}", "right\u202eleft", "plain"]
    table = ratings().table
    renamed = table["system"].cat.rename_categories(
        dict(zip(["s0", "s1", "s2", "s3"], names, strict=True))
    )
    shown = rs.rank_systems(ratings().with_table(table.assign(system=renamed)))
    page = shown._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert "\u202e" not in page + repr(shown) and "\\u202e" in repr(shown)
    latex = shown.to_latex()
    assert r"a\_b \& 50\%" in latex and r"\textbf{x}" not in latex
    assert names[0] in shown.systems  # names themselves stay as they are


def test_an_interval_of_a_system_that_cannot_be_assessed_is_empty(ranking):
    table = ranking.table.assign(assessable=[True, True, True, False], rank_low=[1, 1, 3, 1])
    rows = repr(replace(ranking, table=table.assign(rank_high=[1, 2, 3, 4]))).splitlines()
    texts = {row.split()[1]: row for row in rows if row[:4].strip().isdigit()}
    assert texts["s3"].endswith(" 1") and texts["s2"].endswith("1 to 2")
    assert " to " not in texts["s0"]


def test_human_translations_are_marked():
    shown = rs.rank_systems(rs.load("demo-srdc", "de-en"))
    assert "HUMAN.0 (human)" in repr(shown) and shown.systems[0] == "HUMAN.0"
    assert shown.table.set_index("system")["human"].to_dict()["HUMAN.0"]


def test_of_segment_scores_drawn_boundaries_are_solid():
    shown = rs.rank_systems(rs.segment_scores(rs.load("demo-srdc", "de-en")))
    lines = repr(shown).splitlines()
    assert lines[0].split() == ["rank", "system", "raw", "z", "segments"]
    solid = [k for k, line in enumerate(lines) if set(line) == {"-"}]
    assert solid == [1, 3, 10] and "%" not in shown.to_latex()


def test_without_units_no_interval_is_shown():
    scores = ratings(names="").table.drop_duplicates(["system", "segment"])
    shown = rs.rank_systems(judged(scores, "segment_scores"))
    assert shown.unit == "" and shown.inference.no_inference == "unnamed_averages"
    single = rs.rank_systems(judged(ratings(names="").table.assign(document="d")))
    for each in (shown, single):
        assert not each.table[["could_be_first", "assessable"]].any(axis=None)
        assert " to " not in repr(each)


def test_a_ranking_cannot_be_changed_and_names_its_clusters(ranking):
    with pytest.raises(FrozenInstanceError):
        ranking.alpha = 0.01
    clusters = replace(ranking, table=ranking.table.assign(cluster=[1, 2, 2, 3])).clusters
    assert clusters == [frozenset({"s3"}), frozenset({"s2", "s1"}), frozenset({"s0"})]
