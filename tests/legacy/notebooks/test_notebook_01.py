"""Notebook 01 through the runner, whole and pair by pair, and its numbers."""

import shutil

import pandas as pd
import pytest

from conftest import needs
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.running import run
from companion.legacy.rankstability.rank.standing import rank_systems
from companion.legacy.rankstability.score.scored import segment_scores

GIVEN = {"campaign": "demo-srpdc"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("nb01")
    run.execute("01_replication", {**GIVEN, "output_dir": str(out)}, quiet=True)
    return out


def test_rankings_are_the_librarys_with_and_without_the_human_systems(folder):
    table = pd.read_csv(folder / "de-en" / "ranking.csv")
    columns = ["rank", "system", "mean_raw", "mean_z", "segments", "judgments", "cluster"]
    assert list(table.columns) == columns
    ours = rank_systems(segment_scores(campaigns.load_da(campaigns.find("demo-srpdc"), "de-en")))
    pd.testing.assert_frame_equal(table, ours.table[columns], check_dtype=False, rtol=1e-9)
    assert pd.read_csv(folder / "ranking.csv")["pair"].unique().tolist() == ["de-en", "en-cs"]
    machines = pd.read_csv(folder / "de-en" / "machines.csv")
    assert set(table["system"]) - set(machines["system"]) == {"HUMAN.0"}
    alone = ours.without(["HUMAN.0"]).table  # lines drawn anew
    assert machines.to_dict("list") == alone[["rank", "system", "cluster"]].to_dict("list")
    counts = pd.read_csv(folder / "cluster_counts.csv")
    row = counts.query("pair == 'de-en' and test == 'scipy<1.7' and correction == 'none'")
    assert row["knowles"].item() == ours.table["cluster"].max()


def test_a_pair_by_itself_and_then_the_whole_give_the_same_files(folder, tmp_path):
    made = tmp_path / "made"
    shutil.copytree(folder / "en-cs", made / "en-cs")
    for pair in ("de-en", "whole"):
        given = {**GIVEN, "pair": pair, "output_dir": str(made)}
        run.execute("01_replication", given, quiet=True)
    kept = sorted(p.relative_to(folder) for p in [*folder.rglob("*.csv"), *folder.glob("*.png")])
    assert [p for p in kept if (made / p).read_bytes() != (folder / p).read_bytes()] == []


@needs("wmt21")
def test_one_real_pair_matches_its_official_ranking(tmp_path):
    given = {"campaign": "wmt21", "pair": "cs-en", "output_dir": str(tmp_path)}
    run.execute("01_replication", given, quiet=True)
    verdict = pd.read_csv(tmp_path / "cs-en" / "verdict.csv").iloc[0]
    assert verdict.drop("pair").tolist() == [9, 1, 1, 1, 1, 1]
    assert not (tmp_path / "ranking.csv").exists()


def test_recipes_that_pair_are_left_out_where_no_segment_is_of_two_systems(tmp_path):
    rows = [
        f"{s},{s}{k},u{k % 3},{50 + 7 * k % 40 + 9 * (s == 'A')}" for s in "AB" for k in range(30)
    ]
    (tmp_path / "mine.csv").write_text("\n".join(["system,segment,annotator,score", *rows]))
    given = {"campaign": str(tmp_path / "mine.csv"), "recipe": "wmt17"}
    run.execute("01_replication", given | {"output_dir": str(tmp_path / "out")}, quiet=True)
    table = pd.read_csv(tmp_path / "out" / "xx-yy" / "recipes.csv")
    assert {"wmt23", "wmt24", "wmt25"}.isdisjoint(table["recipe"])
    assert table.loc[table["recipe"] == "wmt17", "system"].tolist() == ["A", "B"]
