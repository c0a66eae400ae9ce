"""Notebook 10 on a demo campaign, by the route users take: the contract's files and numbers."""

import json

import pandas as pd
import pytest

from companion.legacy.paperkit import parameters
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks.lines import tables
from companion.legacy.rankcompanion.running import run
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.rank import standing as places
from companion.legacy.rankstability.rank.recipes import RECIPES
from companion.legacy.rankstability.rank.units import TWO_WAY


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("nb10")
    few = {"draws": "6"}
    given = {"campaign": "demo-srpdc", "output_dir": str(out), **few}
    run.execute(parameters.resolve("10"), given, quiet=True)
    return out


def test_lines_hold_the_contract_and_the_librarys_numbers(folder):
    table = pd.read_csv(folder / "de-en" / "lines.csv")
    assert {"recipe", "below", "claimed", "held", "unit"} <= set(table.columns)
    assert set(table["unit"]) == {"segment", "document", "worker", TWO_WAY}
    assert set(table["recipe"]) == set(RECIPES)
    judged = places.judged_by(campaigns.load("demo-srpdc", "de-en"))
    ours = tables.recipes({"wmt25": judged["wmt25"]}, ["document"])[1]
    theirs = table.query("recipe == 'wmt25' and unit == 'document'")
    assert theirs["claimed"].tolist() == ours["claimed"].tolist()
    assert theirs["held"].tolist() == ours["held"].tolist()
    counts = pd.read_csv(folder / "line_counts.csv")
    of = counts.query("pair == 'de-en' and recipe == 'wmt25' and unit == 'document'").iloc[0]
    assert (of["claimed"], of["held"]) == (ours["claimed"].sum(), ours["held"].sum())


def test_sets_and_false_lines(folder):
    sets = pd.read_csv(folder / "de-en" / "rank_sets.csv")
    assert sets.columns.tolist() == ["system", "low", "high", "unit", "level"]
    assert sets["system"].is_unique and set(sets["unit"]) == {TWO_WAY}
    assert (sets["low"] >= 1).all() and (sets["high"] <= 10).all()
    false = pd.read_csv(folder / "de-en" / "false_lines.csv")
    assert set(false["unit"]) == {"document"} and (false["draws"] == 6).all()
    assert set(false["recipe"]) == set(RECIPES)
    for kind, value in (("pairs", "pairs_significant"), ("campaigns", "campaigns_with_line")):
        assert (false[f"{kind}_low"] <= false[value]).all()
        assert (false[value] <= false[f"{kind}_high"]).all()
    made = json.loads((folder / "run.json").read_bytes())
    assert made["unit"] == "by data" and "recipe" in made and made["draws"] == 6


def test_one_annotator_says_nothing_of_others_and_documents_still_do(tmp_path):
    table = pd.read_csv(paths.DEMO / "ratings.csv").assign(annotator="anna")
    table.to_csv(tmp_path / "alone.csv", index=False)
    few = {"draws": "5"}
    given = {"campaign": str(tmp_path / "alone.csv"), "output_dir": str(tmp_path / "out")}
    run.execute(parameters.resolve("10"), given | few, quiet=True)
    (file,) = (tmp_path / "out").glob("*/line_counts.csv")
    counts = pd.read_csv(file)
    untold = counts["unit"].isna()
    assert untold.any() and counts.loc[untold, "held"].isna().all()
    assert counts.loc[counts["unit"] == "document", "held"].notna().all()
