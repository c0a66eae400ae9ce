"""Tables 1 and 2 and figure 1 of Riley et al. 2024, against plain versions and the demo's truth."""

from itertools import combinations

import demo_mqm
import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from conftest import needs, real
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcampaigns.mqm import read_mqm
from companion.legacy.rankcompanion.notebooks.srp import raters as mqm_raters
from companion.legacy.rankcompanion.notebooks.srp.rankings import system_means
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score import mqm


@pytest.fixture(scope="module")
def demo():
    judgments = campaigns.load_mqm(campaigns.find("demo-mqm"), "en-de")
    return judgments, mqm.ratings(judgments)


def test_the_demo_file_is_what_its_generator_writes():
    made = demo_mqm.simulate_mqm(np.random.default_rng(demo_mqm.SEED)).rows
    path = paths.DEMO / "demo-mqm" / demo_mqm.FILE
    assert path.stat().st_size < 600_000
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == list(made.columns)
    assert lines[1:] == ["\t".join(map(str, r)) for r in made.itertuples(index=False)]


def test_the_simulated_truth_comes_out():
    made = demo_mqm.simulate_mqm(np.random.default_rng(3), documents=120)
    rows = made.rows.rename(columns={"doc": "document", "globalSegId": "segment"})
    rows = rows[rows["severity"] != "HOTW-test"]
    means = system_means(mqm.ratings(rows)).set_index("system")["score"]
    assert means.corr(made.truth.reindex(means.index), method="spearman") > 0.95


def values(frame):
    return dict(zip(frame.iloc[:, 0], frame["value"], strict=True))


def test_agreement_by_the_slow_way(demo):
    judgments, data = demo
    scores = mqm.mqm_scores(judgments)
    cells = scores.groupby(["rater", "document", "system"])["score"].sum().unstack("system")
    cells = cells.round(9)  # sums of tenths that are equal are ties
    single, shared = [], []
    for a, b in combinations(cells.index.levels[0], 2):
        both = cells.loc[a].index.intersection(cells.loc[b].index)
        if len(both):
            taus = [kendalltau(cells.loc[(a, d)], cells.loc[(b, d)]).statistic for d in both]
            single.append(np.nanmean(taus))
            sums = [cells.loc[r].loc[both].sum().round(9) for r in (a, b)]
            shared.append(kendalltau(*sums).statistic)
    ours = values(mqm_raters.agreement(data))
    assert ours["rater pairs"] == len(single)
    assert ours["single documents"] == pytest.approx(np.mean(single))
    assert ours["all shared documents"] == pytest.approx(np.mean(shared))


def test_rater_distributions(demo):
    frame = mqm_raters.rater_distributions(demo[0])
    assert frame.groupby("rater")["share"].sum().tolist() == pytest.approx([1, 1])
    counts = frame.groupby("rater")["segments"].sum()
    assert counts.nunique() == 1  # the same items
    row = frame.iloc[0]
    scores = mqm.mqm_scores(demo[0])
    pair = frame["rater"].unique()
    wide = scores.pivot(index=["system", "segment"], columns="rater", values="score")
    both = wide[list(pair)].dropna()
    assert row["segments"] == (both[row["rater"]] == 0).sum()
    assert row["mean"] == pytest.approx(both[row["rater"]].mean())


@needs("wmt23-mqm")
def test_table_1_of_2023():
    file = real("wmt23-mqm") / "sxs_mqm_generalMT2023_ende.3ratingsPerSegment.tsv.tar.gz"
    data = mqm.ratings(read_mqm(file, "en-de"))
    counts = values(mqm_raters.basic_counts(data))
    assert (counts["documents"], counts["segments"], counts["systems"]) == (30, 104, 10)
    assert (counts["raters"], counts["buckets"], counts["documents per bucket"]) == (10, 10, "3")
    assert counts["segment ratings"] == 3120


def test_one_rating_per_item_has_counts_but_no_agreement(demo):
    judgments, data = demo
    first = {d: data.raters[slots[0]] for d, slots in zip(data.documents, data.slots, strict=True)}
    own = judgments["document"].astype(str).map(first) == judgments["rater"].astype(str)
    single = mqm.ratings(judgments[own])
    assert single.shape == (8, 30, 1) and len(single.raters) > 1
    assert values(mqm_raters.basic_counts(single))["ratings per item"] == 1
    with pytest.raises(DataError, match="no two raters share a document"):
        mqm_raters.agreement(single)
    with pytest.raises(DataError, match="no two raters share an item"):
        mqm_raters.rater_distributions(judgments[own])


def test_pairs_side_by_side_keep_whole_numbers_whole():
    rows = [("en-de", "documents", 30.0), ("en-de", "tau", 0.47), ("zh-en", "documents", 38.0)]
    rows += [("zh-en", "tau", 0.4482288744)]
    wide = mqm_raters.side_by_side(pd.DataFrame(rows, columns=["pair", "count", "value"]))
    assert list(wide.columns) == ["count", "en-de", "zh-en"]
    assert wide["en-de"].tolist() == ["30", "0.47"] and wide.loc[0, "zh-en"] == "38"
    assert wide.loc[1, "zh-en"] == "0.4482"  # not 0.4482288744
