"""The findings of the front page: counts from the tables, intervals over pairs, sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from paperkit import paths
from rankcompanion import findings


def test_an_interval_is_over_pairs_and_not_over_cases():
    """Ten pairs of ten cases: either all or none of a pair's cases change."""
    part, whole = np.array([10] * 5 + [0] * 5), np.full(10, 10)
    made = findings.interval(part, whole)
    assert made["value"] == 0.5 and (made["part"], made["whole"], made["units"]) == (50, 100, 10)
    drawn = np.random.default_rng(1).binomial(10, 0.5, 100_000) / 10  # exact: pairs, not cases
    assert made["low"] == pytest.approx(np.quantile(drawn, 0.025), abs=0.101)
    assert made["high"] - made["low"] > 0.5  # over 100 independent cases it would be 0.2
    assert findings.interval(part, whole) == made  # the same numbers every time


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
    assert 4 <= text.count("\n- ") + 1 <= 7
    for line in text.splitlines():
        assert line.startswith("- ") and "{" not in line and "  " not in line
        figure = line.partition("](")[2].partition(")")[0]
        assert not figure or (paths.ROOT / figure).is_file()


def test_nothing_is_claimed_without_results(tmp_path):
    assert findings.gather(tmp_path) == []
    assert findings.sentences(tmp_path) == ""
