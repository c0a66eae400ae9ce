"""Notebook 02 through the runner: the numbers in its files."""

import pandas as pd
import pytest

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks import outlier_removal
from companion.legacy.rankcompanion.running import run
from companion.legacy.rankstability.rank.fewest import fewest
from companion.legacy.rankstability.rank.recipes import RECIPES

KINDS = ["d_rank", "d_cluster", "d_both"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("02")
    run.execute("02_outlier_removal", {"output_dir": str(out / "x")}, quiet=True)
    return out / "x"


def test_changes_and_the_fewest_are_those_of_the_library(folder):
    totals = pd.read_csv(folder / "totals.csv").query("by == 'all'").set_index("group")
    assert totals["comparisons"].tolist() == [2, 2, 2, 2, 20]
    facts = pd.read_csv(folder / "changes.csv")[["style", "judged"]].drop_duplicates()
    assert facts.to_numpy().tolist() == [["SR+DC", "monolingual"]]
    whole = pd.read_csv(folder / "fewest.csv", keep_default_na=False, na_values={"fewest": [""]})
    assert list(whole.columns[:3]) == ["pair", "recipe", "what"]
    campaign = campaigns.find("demo-srpdc")
    for pair in campaign.pairs:
        da = campaigns.load_da(campaign, pair)
        changes = pd.read_csv(folder / pair / "changes.csv", keep_default_na=False)
        assert list(changes.columns[:5]) == ["pair", "removed", *KINDS]
        ours = outlier_removal.study(da).changes
        pd.testing.assert_frame_equal(changes[ours.columns[:11]], ours.iloc[:, :11])
        part = whole[whole["pair"] == pair].drop(columns=["pair", "recipe"])
        decisive = fewest(da, RECIPES["wmt17"])
        pd.testing.assert_frame_equal(part.reset_index(drop=True), decisive, check_dtype=False)


def test_bump_and_heat_map_have_their_data(folder):
    bump = pd.read_csv(folder / "de-en" / "bump.csv", keep_default_na=False)
    assert bump.groupby("ranking")["system"].nunique().to_dict() == {
        "original": 10, "human+ref": 9, "ref": 10, "lowest": 9, "highest": 9,
    }  # fmt: skip
    heat = pd.read_csv(folder / "de-en" / "leave_one_out.csv")
    assert len(heat) == 90 and (heat.groupby("removed")["move"].sum() == 0).all()
