"""Every number of Bojar et al. (2011) that the release gives."""

import pandas as pd
import pytest

from conftest import real
from companion.legacy.paperkit import claims
from companion.legacy.rankcampaigns import rr as read_rr
from companion.legacy.rankcompanion.models.tasks import tasks
from companion.legacy.rankcompanion.notebooks.relative_ranking import agreement, counting
from companion.legacy.rankcompanion.notebooks.relative_ranking import methods as relative_ranking
from companion.legacy.rankcompanion.notebooks.relative_ranking.pairs import win_percentages
from companion.legacy.rankcompanion.papers import bojar2011
from companion.legacy.rankstability.score import pairwise

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
def tables():
    """What notebook 07 passes to the ledger."""
    folder = real("wmt10")
    frame = read_rr.read_rr([folder / "data_RNK.csv"])
    by_task = tasks(frame)
    focus, notes = by_task["en-cs"], agreement.annotate(frame)
    scores = pd.concat([counting.scores(t) for t in by_task.values()], ignore_index=True)
    campaign = relative_ranking.campaign_table(frame, agreement.agreement(notes))
    better = win_percentages(pairwise.pair_counts(focus), list(bojar2011.TOP))
    both = relative_ranking.head_to_head(focus, "cu-tecto", "cu-bojar")
    edits = read_rr.read_edits(folder / "data_EDT.tsv")
    judged = read_rr.read_acceptability(folder / "data_ACC.csv")
    return {
        "campaign": campaign,
        "scores": scores,
        "kappas": agreement.kappa_table(notes),
        "sole_winners": relative_ranking.sole_winners(scores, campaign.set_index("task")["blocks"]),
        "correlations": relative_ranking.correlations(relative_ranking.exposure(scores, frame)),
        "chance": agreement.expected_agreement(notes),
        "table6": better.rename_axis("better_than").reset_index(),
        "table9": relative_ranking.twice_ranked(focus, 382, "pc-trans", "cu-bojar"),
        "table11": relative_ranking.edits_per_system(edits),
        "acceptability": relative_ranking.acceptable(judged, "cs-en"),
        "section25": pd.DataFrame([{"system": "cu-tecto", "other": "cu-bojar", **both}]),
    }


def test_the_ledger(tables):
    ledger = bojar2011.ledger(tables)
    printed = claims.published("bojar2011")
    assert ledger[["place", "cell"]].equals(printed[["place", "cell"]])  # all cells, in order
    for place, number in EXACT.items():
        status = ledger.loc[ledger["place"] == place, "status"]
        assert (status == "exact").all() and len(status) == number, place
    for place in NOTHING:
        rows = ledger[ledger["place"] == place]
        rows = rows[rows["provenance"] != "recomputed from print"]
        assert (rows["status"] == "no data").all() and (rows["reason"] != "").all()
    rest = ledger[~ledger["status"].isin(["exact", "no data"])]
    slips = [("Section 2.3", "cu-bojar | ≥ minus >"), ("Section 2.5.2", ANNOTATORS)]
    assert sorted(zip(rest["place"], rest["cell"], strict=True)) == slips
    assert rest["reason"].str.startswith("slip in the paper").all()
    private = ledger[ledger["provenance"] == "recomputed from print"]
    assert set(private["place"]) == {"Table 7", "Table 8", "Table 12", "Section 2.5.2"}
    assert private["status"].value_counts().to_dict() == {"exact": 29, "differs": 1}
    assert (ledger.loc[ledger["status"] == "no data", "reason"] != "").all()
    assert len(ledger) == 323 and (ledger["status"] == "exact").sum() == 264
    repeated = ledger[ledger["reason"].str.startswith(claims.WEAK)]
    assert repeated["place"].tolist() == ["Figure 3", "Figure 4", "Figure 6"]


def test_pi_excluding_the_reference_depends_on_whose_chance(tables):
    """As printed (.403, .575) with the P(E) of all comparisons, not with its own."""
    table = tables["kappas"].set_index(["kind", "reference"])
    excluded = table.xs("excluded", level="reference")
    assert excluded["pi"].round(3).to_dict() == {"intra": 0.575, "inter": 0.403}
    assert excluded["pi_own"].round(3).to_dict() == {"intra": 0.580, "inter": 0.409}
