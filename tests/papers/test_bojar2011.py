"""Every number of Bojar et al. (2011) that the release gives, and what happens without it."""

from __future__ import annotations

from types import SimpleNamespace

import demo_rr
import numpy as np
import pandas as pd
import pytest

from conftest import real
from rankstability.papers import bojar2011, bojar2011_ledger, claims
from rankstability.read import rr as readers_rr
from rankstability.score import rr as relative_ranking
from rankstability.study import agreement

EXACT = {
    "Table 1": 63,
    "Table 2": 28,
    "Table 3": 8,
    "Table 4": 14,
    "Table 5": 9,
    "Table 6": 42,
    "Table 9": 4,
    "Table 10": 9,
    "Table 11": 32,
    "Figure 1": 1,
    "Figure 3": 1,
    "Figure 4": 1,
    "Figure 6": 1,
    "Section 2.5": 7,
    "Section 4.1": 5,
}
ANNOTATORS = "annotators of the pairwise kappas"
NOTHING = ("Figure 2", "Figure 5", "Table 12", "Section 2.2.1")


@pytest.fixture(scope="module")
def wmt10():
    folder = real("wmt10")
    frame = readers_rr.read_rr([folder / "data_RNK.csv"])
    tasks = relative_ranking.tasks(frame)
    scores = pd.concat([relative_ranking.scores(t) for t in tasks.values()], ignore_index=True)
    return SimpleNamespace(
        campaign=SimpleNamespace(name="wmt10", folder=folder),
        frame=frame,
        scores=scores,
        notes=agreement.annotate(frame),
    )


@pytest.fixture(scope="module")
def report(wmt10):
    return bojar2011_ledger.report(wmt10.campaign, wmt10.frame, wmt10.scores, wmt10.notes)


def test_the_ledger(report):
    _, ledger = report
    printed = claims.published("bojar2011")
    assert ledger[["place", "cell"]].equals(printed[["place", "cell"]])  # all cells, in order
    for place, number in EXACT.items():
        status = ledger.loc[ledger["place"] == place, "status"]
        assert (status == "exact").all() and len(status) == number, place
    for place in NOTHING:
        rows = ledger[ledger["place"] == place]
        assert (rows["status"] == "no data").all() and (rows["reason"] != "").all()
    rest = ledger[~ledger["status"].isin(["exact", "no data"])]
    slips = [("Section 2.3", "cu-bojar | ≥ minus >"), ("Section 2.5.2", ANNOTATORS)]
    assert sorted(zip(rest["place"], rest["cell"], strict=True)) == slips
    assert rest["reason"].str.startswith("slip in the paper").all()
    private = ledger[ledger["provenance"] == "recomputed from print"]
    assert set(private["place"]) == {"Table 7", "Table 8", "Section 2.5.2"}
    assert (ledger.loc[ledger["status"] == "no data", "reason"] != "").all()
    assert len(ledger) == 317 and (ledger["status"] == "exact").sum() == 258


def test_the_examples_of_the_text(wmt10, report):
    tables, _ = report
    task = relative_ranking.tasks(wmt10.frame)["en-cs"]
    both = bojar2011.same_sentences(task, "cu-tecto", "cu-bojar")
    assert both == {"blocks": 81, "sentences": 63, "better": 37, "worse": 29, "ties": 15}
    accepted = tables["acceptability"].set_index("system")
    assert accepted.loc["cu-bojar", ["edits", "acceptable"]].tolist() == [5, 3]
    assert accepted.loc["cmu", ["edits", "acceptable"]].tolist() == [30, 5]
    twice = tables["table9"]
    pairs = twice.groupby("judge")[["pc-trans", "cu-bojar"]].apply(
        lambda g: sorted(g.values.tolist())
    )
    assert [[2, 5], [5, 4]] in pairs.tolist()
    assert tables["table11"]["min"].min() == 5


def test_pi_excluding_the_reference_depends_on_whose_chance(wmt10):
    """As printed (.403, .575) with the P(E) of all comparisons, not with its own."""
    table = bojar2011.kappa_table(wmt10.notes).set_index(["kind", "reference"])
    excluded = table.xs("excluded", level="reference")
    assert excluded["pi"].round(3).to_dict() == {"intra": 0.575, "inter": 0.403}
    assert excluded["pi_own"].round(3).to_dict() == {"intra": 0.580, "inter": 0.409}


def test_the_private_annotation_is_recomputed_from_print():
    again = bojar2011_ledger.private_annotation(claims.published("bojar2011"))
    assert again["Table 7", "T says total | B says total"] == 63
    assert round(again["Section 2.5.2", "two authors | kappa"], 3) == 0.387
    assert again["Table 8", "total | B better"] == 125


def test_correlations_are_pearsons_r_within_and_over_tasks():
    points = pd.DataFrame(
        {
            "task": ["x"] * 4 + ["y"] * 4,
            "system": list("abcdefgh"),
            "blocks": [1, 2, 3, 4, 11, 12, 13, 14],
            "score": [4.0, 3, 2, 1, 14, 13, 12, 11],
        }
    )
    table = bojar2011.correlations(points, "blocks").set_index("task")["correlation"]
    assert table["x"] == pytest.approx(-1) and table["y"] == pytest.approx(-1)
    assert table["overall"] == pytest.approx(np.corrcoef(points["blocks"], points["score"])[0, 1])
    assert table["overall"] > 0.8  # uncentred: what lies between tasks counts
    flat = bojar2011.correlations(points.assign(blocks=1), "blocks")
    assert flat["correlation"].isna().all()


def test_other_campaigns_get_no_ledger():
    frame = readers_rr.read_rr([demo_rr.FILE])
    campaign = SimpleNamespace(name="demo-rr", folder=demo_rr.FILE.parent)
    tables, ledger = bojar2011_ledger.report(campaign, frame, pd.DataFrame(), None)
    assert tables == {} and ledger.empty and list(ledger.columns) == claims.COLUMNS
    scores = relative_ranking.scores(relative_ranking.tasks(frame)["cs-en"])
    winners = bojar2011.sole_winners(scores, 393, named=3)
    assert winners["winner"].tolist()[0] == "_ref" and len(winners) == 7
    assert winners["blocks"].iloc[:-1].sum() == 393 == winners["blocks"].iloc[-1]
