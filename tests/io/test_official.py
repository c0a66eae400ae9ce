"""The organisers' rankings, and the numbers that papers print."""

from pathlib import Path

import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.catalogue import find_campaign, is_known, read_catalogue
from rankstability.io.load import load
from rankstability.io.official import official, published
from rankstability.io.paths import repository_root
from real import real_data
from released import official_p_values

PAPERS = sorted(path.stem for path in (repository_root() / "data" / "published").glob("*.csv"))


def test_official_ranking_with_clusters() -> None:
    real_data("newstest2018-humaneval")
    ranking = official("wmt18", "zh-en")
    assert ranking.iloc[0, :3].tolist() == ["NiuTrans.5740", 0.14, 78.8]
    assert ranking["cluster_official"].max() == 5
    assert set(ranking["system"]) == set(load("wmt18", "zh-en").table["system"]) - {"REFERENCE"}


def test_official_ranking_of_the_fourteenth_pair_of_wmt18() -> None:
    """The order, the means and the counts come out of the released segment scores."""
    real_data("wmt18-de-en")
    ranking = official("wmt18", "de-en").set_index("system")
    table = load("wmt18", "de-en").table
    ours = table.groupby("system", observed=True).agg(
        z=("z", "mean"),
        raw=("score", "mean"),
        segments=("z", "size"),
        judgments=("judgments", "sum"),
    )
    both = ranking.join(ours)
    assert (both["z"] - both["z_official"]).abs().max() < 5.01e-4
    assert (both["raw"] - both["raw_official"]).abs().max() < 0.0501
    assert (both["segments"] == both["segments_official"]).all()
    assert (both["judgments"] == both["judgments_official"]).all()
    assert both["z"].is_monotonic_decreasing


def test_official_averages_of_2020_with_p_values() -> None:
    real_data("newstest2020-segment-scores")
    ranking = official("wmt20", "en-de")
    assert len(ranking) == 17
    assert ranking["cluster_official"].isna().all()
    values = official_p_values("wmt20", "en-de")
    assert set(values.index) == set(values.columns) == set(ranking["system"])
    assert values.loc["HUMAN-B", "OPPO.1535"] == pytest.approx(0.017134, abs=1e-6)


def test_a_users_own_data_have_no_official_ranking(tmp_path: Path) -> None:
    for campaign in (tmp_path / "mine.csv", "demo-srdc"):
        ranking = official(campaign, "de-en")
        assert ranking.empty
        assert {"system", "z_official", "cluster_official"} <= set(ranking)


def test_official_rankings_that_are_wrong_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKSTABILITY_DATA", str(tmp_path))
    folder = tmp_path / "newstest2021-toen"
    folder.mkdir()
    for content, code in (
        ("80 0.1 2 2 A\n70 0.1 2 2 A\n", "system_twice"),
        ("80 x 2 2 A\n", "not_a_number"),
        ("80 0.1 2 A\n", "missing_column"),
    ):
        (folder / "ad-sys-ranking-cs-en-z.csv").write_text(content)
        with pytest.raises(DataError) as error:
            official("wmt21", "cs-en")
        assert error.value.code in (code, "wrong_number_of_cells")


@pytest.mark.parametrize("paper", PAPERS)
def test_published_numbers_can_be_joined(paper: str) -> None:
    """A cell is known by its columns, apart from its label."""
    rows = published(paper)
    assert (rows[["paper", "place", "cell", "published", "source", "notebook"]] != "").all(
        axis=None
    )
    assert not rows.duplicated(["paper", "place", "cell"]).any()
    text = ["paper", "cell", "published", "source", "note", "reason", "no_data", "from_print"]
    assert not rows.drop(columns=text, errors="ignore").duplicated().any()
    for names in rows["campaign"].str.split(r"[ ,]+").explode().unique():
        assert not names or is_known(names)


def test_published_numbers_of_a_notebook_and_campaign() -> None:
    rows = published("knowles2021", notebook="02b_campaign", campaign="wmt18")
    table = rows[rows["place"] == "Table 2"]
    assert table["measure"].tolist() == ["order_changed", "clusters_changed", "both_changed"]
    assert table["count"].tolist() == ["1", "0", "0"]
    assert set(table["of"]) == {"13"}
    assert published("knowles2021", campaign="demo-srdc").empty
    with pytest.raises(DataError) as error:
        published("knowles")
    assert (error.value.code, error.value.expected) == ("unknown_paper", "knowles2021")


def test_figure_1_of_knowles_has_thirty_values() -> None:
    rows = published("knowles2021", notebook="03")
    values = rows[(rows["place"] == "Figure 1") & (rows["count"] != "")]
    assert len(values) == 30
    wide = values.astype({"count": int}).pivot_table(
        index="divisor", columns=["design", "measure"], values="count"
    )
    assert wide.loc["10", ("SR-DC", "order_changed")] == 10
    assert wide.loc["1.25", ("SR+DC", "both_changed")] == 11
    assert set(values["of"]) == {"21", "25"}


def test_table_3_of_knowles_equals_the_authors_table() -> None:
    reference = pd.read_csv(real_data("knowles2021-reference") / "reference.csv", dtype=str)
    names = {"dRank": "order_changed", "dCluster": "clusters_changed", "dBoth": "both_changed"}
    for place in ("Figure 1", "Table 3"):
        theirs = reference[reference["place"] == place]
        rows = published("knowles2021")
        rows = rows[(rows["place"] == place) & (rows["count"] != "")]
        setting = "divisor" if place == "Figure 1" else "removed_kind"
        key = theirs["setting"].str.replace("divisor ", "").str.replace("remove ", "")
        key = key.str.extract(r"(lowest|highest|[\d.]+)", expand=False)
        expected = set(
            zip(
                key, theirs["context"], theirs["measure"].map(names), theirs["changed"], strict=True
            )
        )
        found = set(zip(rows[setting], rows["design"], rows["measure"], rows["count"], strict=True))
        assert found == expected


def test_cells_without_data_name_the_file_that_decides_them() -> None:
    rows = published("riley2024")
    assert rows["no_data"].str.contains(r"mqm_generalMT2022_en(?:de|zh)").all()
    rows = published("knowles2021")
    missing = rows[rows["campaign"].str.startswith("wmt19")]
    assert missing["no_data"].str.contains("newstest2019-humaneval|findings paper").all()


def test_facts_of_the_catalogue_are_those_of_the_paper() -> None:
    """Design, tool and kind of judging of Table 4 (appendix A) of Knowles (2021)."""
    rows = published("knowles2021", notebook="01")
    rows = rows[(rows["place"] == "Table 4") & rows["campaign"].isin(read_catalogue())]
    letters = {"M": "monolingual", "B": "bilingual"}
    different = []
    for row in rows[rows["measure"].isin(["design", "judged"])].to_dict("records"):
        ours = find_campaign(row["campaign"]).fact(row["measure"], row["pair"])
        if ours != letters.get(row["published"], row["published"]):
            different.append((row["campaign"], row["pair"], row["measure"], row["published"], ours))
    assert different == []
