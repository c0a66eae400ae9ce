"""The findings of the front page: counts from the tables, intervals over pairs, sentences."""

from __future__ import annotations

import pandas as pd
import pytest

from paperkit import paths
from rankcompanion import findings
from rankcompanion.figures import findings as drawing


def test_a_range_is_over_pairs_and_of_pairs_that_have_cases():
    made = findings.over_pairs(pd.Series([3, 1, 0, 0]), pd.Series([4, 5, 1, 0]))
    assert (made["part"], made["whole"], made["units"]) == (4, 10, 3)
    assert (made["value"], made["low"], made["high"]) == (0.4, 0.0, 0.75)
    assert made["each"] == [(0.75, 4), (0.2, 5), (0.0, 1)]


def test_the_drawn_numbers_are_those_of_the_sentence():
    """Pairs, bars and diamonds of the figure, read back from its artists."""
    found = findings.over_pairs(pd.Series([3, 1, 0]), pd.Series([4, 5, 1]))
    other = findings.over_pairs(pd.Series([2, 2]), pd.Series([4, 8]))
    rows = [{"campaign": "wmtx", **found}, {"campaign": "wmty", **other}]
    figure = drawing.finding({"key": "removal", "rows": rows})
    ax = figure.axes[0]
    dots, bars = ax.collections[1::2], ax.collections[::2]
    assert [list(d.get_offsets()[:, 0]) for d in dots] == [[0.75, 0.2, 0.0], [0.5, 0.25]]
    assert [list(b.get_segments()[0][:, 0]) for b in bars] == [[0.0, 0.75], [0.25, 0.5]]
    assert [line.get_xdata()[0] for line in ax.lines] == [0.4, pytest.approx(1 / 3)]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["wmtx\n4 of 10", "wmty\n4 of 12"]
    assert drawing.svg(figure) == drawing.svg(drawing.finding({"key": "removal", "rows": rows}))


def test_ways_to_count_wins_are_compared_all_together_and_two_by_two():
    ranks = pd.DataFrame(
        [("wmtx", f"t{k}", s, 1 + n, 1 + n, 2 - n) for k in range(5) for n, s in enumerate("ab")],
        columns=["campaign", "task", "system", "bojar", "expected_win", "mfas"],
    )
    (row,) = findings.methods(ranks)
    assert (row["part"], row["whole"], row["ways"], row["two"]["part"]) == (10, 10, 3, 0)


def test_misprints_are_counted_once_for_each_printed_number(tmp_path):
    ledger_file = tmp_path / "claims_ledger.csv"
    head = "paper,place,cell,published,ours,status,reason,provenance\n"
    ledger_file.write_text(
        head
        + "koehn2012,Section 6,as stated | x,1,2,differs,the sentence contradicts it,simulated\n"
        + "koehn2012,Section 6,as matched | x,1,2,differs,the sentence contradicts it,simulated\n"
        + "bojar2011,Section 2,y,1,2,differs,slip in the paper: ...,official\n"
        + "bojar2011,Section 2,z,1,2,differs,another test,official\n"
    )
    assert findings.misprints(ledger_file) == {"part": 2, "whole": 3, "papers": 2}
    assert findings.misprints(tmp_path / "none.csv") == {}


def test_single_removals_are_counted_by_campaign():
    changes = pd.DataFrame(
        [
            (campaign, f"p{k}", removed, int(removed == "a"))
            for campaign in ("wmtx", "wmty")
            for k in range(5 if campaign == "wmtx" else 2)
            for removed in ("lowest", "a", "b")
        ],
        columns=["campaign", "pair", "removed", "d_rank"],
    )
    (row,) = findings.removal(changes)  # two pairs give no interval
    assert (row["campaign"], row["part"], row["whole"]) == ("wmtx", 5, 10)


def test_halves_are_ranked_by_z_at_half_the_campaign():
    rows = [
        ("wmt21", unit, score, level, tau)
        for _ in range(6)
        for unit, score, level, tau in [
            ("workers", "z", 1.0, 0.4),
            ("workers", "z", 0.5, 0.2),
            ("workers", "none", 1.0, 0.0),
            ("documents", "z", 1.0, 0.9),
        ]
    ]
    effort = pd.DataFrame(rows, columns=["campaign", "unit", "normalisation", "level", "kendall"])
    (only,) = findings.halves(effort)
    assert only["value"] == pytest.approx(0.4) and only["units"] == 6


def test_the_committed_results_give_the_sentences_of_the_readme():
    if not (paths.FIGURES / "claims_ledger.csv").is_file():
        pytest.skip("no committed results")
    text = findings.sentences(paths.FIGURES)
    assert text in (paths.ROOT / "README.md").read_text(encoding="utf-8")
    assert 4 <= text.count("\n- ") + 1 <= 7
    for line in text.splitlines():
        assert line.startswith("- ") and "{" not in line and "  " not in line
        figure = line.partition("](")[2].partition(")")[0]
        assert not figure or (paths.ROOT / figure).is_file()


def test_nothing_is_claimed_without_results(tmp_path):
    assert findings.gather(tmp_path) == []
    assert findings.sentences(tmp_path) == ""
