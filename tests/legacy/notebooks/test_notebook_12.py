"""Notebook 12 through the runner: judges of known worth, five studies, battles; and no judges."""

import json

import pandas as pd
import pytest

from conftest import needs
from companion.legacy.paperkit import parameters, paths
from companion.legacy.paperkit.errors import InputError
from companion.legacy.rankcompanion.notebooks.judges import tables
from companion.legacy.rankcompanion.running import run


def executed(folder, campaign):
    given = {"campaign": campaign, "output_dir": str(folder)}
    return run.execute(parameters.resolve("12"), given, quiet=True)


def conclusion(folder):
    cells = json.loads((folder / "12_judges.ipynb").read_bytes())["cells"]
    (cell,) = [cell for cell in cells if cell["id"] == "nb12-conclude-code"]
    return "".join(cell["outputs"][0]["data"]["text/markdown"])


def test_judges_of_the_demo_are_worth_what_they_were_made_to_be(tmp_path):
    folder = executed(tmp_path, "demo-judges")
    rows = pd.read_csv(folder / "judges.csv").set_index("judge")
    assert ["judge", *rows] == ["judge", *(c for c in tables.COLUMNS if c != "judge")]
    truth = pd.read_csv(paths.ROOT / "data/demo/demo-judges/truth-en-de.csv").set_index("judge")
    rows = rows.loc[truth.index]
    assert (rows["r_low"] <= truth["r"]).all() and (truth["r"] <= rows["r_high"]).all()
    assert rows["vd_share"].to_numpy() == pytest.approx(truth["vd_share"].to_numpy(), abs=0.1)
    assert rows["worth"].to_numpy() == pytest.approx(truth["worth"].to_numpy(), abs=0.1)
    order = rows.loc["knows-the-order"]
    assert order["alike"] == order["pairs"] == 21 and order["worth_high"] < 0.02
    assert (folder / "en-de" / "worth.png").stat().st_size > 1000
    said = conclusion(folder)
    assert "21 of 21 pairs" in said and "No saving can be shown in 2 of 4 rows" in said


@needs("wmt23-protocols")
@needs("wmt23-judges")
def test_a_judge_with_a_good_order_saves_little_on_five_studies(tmp_path):
    folder = executed(tmp_path, "wmt23-protocols")
    rows = pd.read_csv(folder / "judges.csv")
    assert rows.groupby("study").size().to_dict() == dict.fromkeys(
        ["ESA-1", "ESA-2", "ESA-AI-1", "ESA-AI-2", "MQM-1"], 11 + 4 + 1
    )
    said = conclusion(folder)
    assert "GEMBA-MQM-src orders 75 of 78 pairs" in said and "would save 7" in said
    assert "ESA-2 9" in said and "chrF-refA is worth most" in said


@needs("llmfao")
def test_votes_of_gpt_are_worth_next_to_nothing(tmp_path):
    folder = executed(tmp_path, "llmfao")
    rows = pd.read_csv(folder / "judges.csv").set_index("judge")
    assert (rows.loc[["GPT-3", "GPT-4"], "worth_high"] < 0.025).all()
    sides = pd.read_csv(folder / "xx-yy" / "positions.csv").set_index("who")
    assert sides.loc["GPT-3", "low"] > 0 > sides.loc["GPT-4", "high"]


def test_a_judge_of_the_second_pair_only_is_concluded_from(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    errors = (paths.ROOT / "data/demo/demo-mqm/mqm_demo_ende.3ratingsPerSegment.tsv").read_text()
    (own / "mqm_demo_ende.tsv").write_text(errors)
    (own / "mqm_demo_enzh.tsv").write_text(errors.replace("\trater4\t", "\tgemba\t"))
    (own / "campaign.yaml").write_text("judges: [gemba]\n")
    said = conclusion(executed(tmp_path / "out", str(own)))
    assert said.startswith("On en-zh, gemba orders ") and "in 1 of 1 rows" in said


def test_what_cannot_be_told_is_not_said_to_be_little(tmp_path):
    people = pd.read_csv(paths.ROOT / "data/demo/ratings.csv").drop(columns="document")
    judge = people.groupby(["system", "segment_id"], as_index=False)["score"].median()
    own = tmp_path / "own"
    own.mkdir()
    table = pd.concat([people, judge.assign(annotator="GPT-4")])
    table.to_csv(own / "ratings.csv", index=False)
    (own / "campaign.yaml").write_text("judges: [GPT-4]\n")
    said = conclusion(executed(tmp_path / "out", str(own)))
    assert "would save an unknown share" in said and "less than" not in said


def test_a_campaign_without_judges_is_told_how_to_name_them(tmp_path):
    with pytest.raises(InputError, match="names no judge models; expected `judges: "):
        executed(tmp_path, "demo-srdc")
