"""Notebook 07 through the runner: the numbers in the files it writes."""

import demo_rr
import pandas as pd
import pytest

from companion.legacy.rankcampaigns import rr as readers_rr
from companion.legacy.rankcompanion.notebooks import relative_ranking
from companion.legacy.rankcompanion.running import run


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nb07")
    few = {"resamples": 200, "agreement_resamples": 100}
    run.execute("07_relative_ranking", {"output_dir": str(folder), **few}, quiet=True)
    return folder


def test_scores_are_those_of_the_library(demo):
    scores = pd.read_csv(demo / "scores.csv")
    frame = readers_rr.read_rr([demo_rr.FILE])
    assert len(scores) == 18 and set(scores["task"]) == {"cs-en", "en-de"}
    task = relative_ranking.tasks(frame)["cs-en"]
    ours = relative_ranking.scores(task)
    theirs = scores[scores["task"] == "cs-en"].reset_index(drop=True)
    pd.testing.assert_frame_equal(theirs, ours, check_exact=False, rtol=1e-8)
    known = set(pd.read_csv(demo / "methods.csv")["score"])
    assert known <= set(scores.columns)


def test_tables_fit_each_other(demo):
    campaign = pd.read_csv(demo / "campaign.csv").set_index("task")
    assert campaign.loc["cs-en", "blocks"] + campaign.loc["en-de", "blocks"] == 792
    winners = pd.read_csv(demo / "sole_winners.csv")
    total = winners[winners["winner"] == "blocks"].set_index("task")["blocks"]
    assert total.to_dict() == {t: campaign.loc[t, "blocks"] for t in ("cs-en", "en-de")}
    measures = pd.read_csv(demo / "agreement_measures.csv")
    assert len(measures) == 4 and (measures["pi_low"] < measures["pi"]).all()
    intra, inter = (measures.loc[measures["kind"] == k, "pi"].max() for k in ("intra", "inter"))
    assert intra > inter
    removals = pd.read_csv(demo / "removals.csv")
    assert len(removals) == 54 and set(removals["d_rank"]) <= {0, 1}
    both = removals["d_rank"] * removals["d_cluster"]
    assert (removals["d_both"] == both).all()
    ranges = pd.read_csv(demo / "rank_ranges.csv")
    assert (ranges["first"] <= ranges["rank"]).all() and (ranges["rank"] <= ranges["last"]).all()
    pairs = pd.read_csv(demo / "cs-en" / "pairs.csv")
    assert len(pairs) == 36 and (pairs["p"] <= pairs["p_holm"]).all()
    ranks = pd.read_csv(demo / "method_ranks.csv")
    assert sorted(ranks.loc[ranks["task"] == "en-de", "mfas"]) == list(range(1, 9))
    assert pd.read_csv(demo / "claims.csv").empty
