"""Notebook 06 through the runner, on a demo campaign of each protocol."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcampaigns.campaigns import find, load_mqm
from companion.legacy.rankcampaigns.mqm import read_mqm
from companion.legacy.rankcompanion.notebooks.srp.rankings import system_means
from companion.legacy.rankcompanion.running import run
from companion.legacy.rankstability.rank import srp
from companion.legacy.rankstability.rank.srp_studies import Design
from companion.legacy.rankstability.score import mqm

CONTRACT = ["pair", "grouping", "balance", "normalisation", "ratings_per_item", "documents"]
CONTRACT += ["studies", "srp", "significant_pairs", "empty_share"]


def executed(folder, campaign, **settings):
    given = {"campaign": str(campaign), "output_dir": str(folder), "splits": 4, **settings}
    return run.execute("06_srp", given, quiet=True)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return executed(tmp_path_factory.mktemp("mqm"), "demo-mqm", seed=5)


@pytest.fixture(scope="module")
def table(demo):
    return pd.read_csv(demo / "srp.csv", dtype={"balance": str})


def test_contract_of_srp_csv(table):
    assert list(table.columns[: len(CONTRACT)]) == CONTRACT
    assert set(table["grouping"]) == {"pSxS", "system-balanced", "none"}
    assert set(table["normalisation"]) == {"none", "mean", "error", "z"}
    assert "full" in set(table["balance"]) and set(table["ratings_per_item"]) == {1, 2}
    met = table[table["studies"] > 0]
    assert met["srp"].between(0, 1).all() and met["empty_share"].between(0, 1).all()
    assert table.loc[table["studies"] == 0, "srp"].isna().all()


def test_its_rows_are_those_of_the_library(table):
    """The notebook adds nothing of its own: a row is `srp` with the same seed."""
    data = mqm.ratings(load_mqm(find("demo-mqm"), "en-de"))
    row = srp.srp(data, Design("none", documents=30, studies=60, per_document_set=12), seed=5)
    match = table[(table["grouping"] == "none") & (table["documents"] == 30)]
    match = match[(match["normalisation"] == "none") & (match["ratings_per_item"] == 1)]
    assert match["srp"].item() == pytest.approx(row["srp"])
    assert match["significant_pairs"].item() == pytest.approx(row["significant_pairs"])


def test_what_is_shown_fits_the_demos_truth(demo, table):
    means = pd.read_csv(demo / "en-de" / "system_means.csv")
    assert means["system"].iloc[0] == "Alder" and means["system"].iloc[-1] == "Holly"
    copies = pd.read_csv(demo / "en-de" / "copies.csv")
    assert set(copies["first"]) == {"Ginkgo_with_Alder"}
    assert copies["false_claims"].max() < 0.25
    counts = pd.read_csv(demo / "table1.csv").set_index("count")["en-de"]
    assert (int(counts["documents"]), int(counts["raters"]), int(counts["systems"])) == (30, 6, 8)
    verdicts = pd.read_csv(demo / "en-de" / "verdicts.csv").set_index("finding")
    assert verdicts.loc["pSxS above no grouping", "verdict_equal_claims"] == "yes"
    assert len(pd.read_csv(demo / "findings.csv")) == 5


def test_one_rating_per_item(tmp_path):
    """A folder of one's own, one rater per item: what needs two ratings is left out and said."""
    campaign = find("demo-mqm")
    source = next(campaign.folder.glob("*.tsv"))
    rows = pd.read_csv(source, sep="\t", dtype=str, keep_default_na=False, quoting=csv.QUOTE_NONE)
    raters = rows.groupby("doc")["rater"].unique()
    chosen = {doc: sorted(r)[i % len(r)] for i, (doc, r) in enumerate(raters.items())}
    own = rows[rows["doc"].map(chosen) == rows["rater"]]
    own = own[~((own["system"] == "Bay") & (own["doc"] > "demo-05"))]  # too few documents
    mine = tmp_path / "mine"
    mine.mkdir()
    file = mine / "mqm_mine_ende.tsv"
    own.to_csv(file, sep="\t", index=False, quoting=csv.QUOTE_NONE, quotechar=None)
    folder = executed(tmp_path / "out", mine)
    data = mqm.ratings(read_mqm(file, "en-de"))
    assert data.shape == (7, 30, 1)
    means = pd.read_csv(folder / "en-de" / "system_means.csv")
    assert means["system"].tolist() == system_means(data)["system"].tolist()
    assert set(pd.read_csv(folder / "en-de" / "rankings.csv")["normalisation"]) == {
        *mqm.NORMALISATIONS
    }
    table = pd.read_csv(folder / "srp.csv")
    assert list(table.columns[: len(CONTRACT)]) == CONTRACT
    assert set(table["unit"]) == {"documents"} and len(table) == 5
    written = {p.stem for p in folder.rglob("*.csv")}
    assert not written & {"table2", "figure1", "figure3", "figure8", "findings"}
    shown = (folder / "06_srp.ipynb").read_text()
    outputs = [o for cell in json.loads(shown)["cells"] for o in cell.get("outputs", ())]
    said = ["".join(o.get("data", {}).get("text/markdown", "")) for o in outputs]
    assert said[said.index("**With one rating per item**") + 1] == "en-de"
    assert json.dumps("system Bay (under 50\u00a0% of documents)")[1:-1] in shown


@pytest.mark.parametrize(
    ("campaign", "unit", "normalisations"),
    [("demo-srpdc", "workers", {"z", "none"}), ("demo-rr", "blocks", {"none"})],
)
def test_other_protocols(tmp_path, campaign, unit, normalisations):
    folder = executed(tmp_path, campaign)
    table = pd.read_csv(folder / "srp.csv")
    assert list(table.columns[: len(CONTRACT)]) == CONTRACT
    assert unit in set(table["unit"]) and set(table["normalisation"]) == normalisations
    assert set(table["pair"]) == set(find(campaign).pairs)
    effort = pd.read_csv(folder / "effort.csv")
    of_one = effort[(effort["task"] == effort["task"].iloc[0]) & (effort["unit"] == unit)]
    of_one = of_one[of_one["normalisation"] == of_one["normalisation"].iloc[0]]
    assert of_one["effort"].is_monotonic_increasing
    assert len(pd.read_csv(folder / "claims.csv")) == 0


def test_one_worker_without_documents_is_refused_since_no_studies_lie_apart(tmp_path):
    folder = tmp_path / "alone"
    folder.mkdir()
    scores = np.random.default_rng(3).integers(0, 101, 60)
    rows = [(f"S{k % 3}", f"t{k // 3}", "anna", score) for k, score in enumerate(scores)]
    table = pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])
    table.to_csv(folder / "scores.csv", index=False)
    with pytest.raises(RuntimeError, match="two studies always share something"):
        executed(tmp_path / "out", folder)
