"""What the campaigns of the catalogue hold: counts of version 0.3.0 and of the released files."""

from pathlib import Path

import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.load import campaigns, load, load_judge_models, pairs
from rankstability.judgments import Judgments
from real import real_data

COUNTS = pd.read_csv(Path(__file__).with_name("released_counts.csv"), keep_default_na=False)


def counted(judgments: Judgments) -> list[int]:
    """Return the rows; all rows, errors, judgments, blocks or annotators; and the systems."""
    table = judgments.table
    if judgments.kind == "direct_assessment":
        every = table if judgments.all_rows is None else judgments.all_rows
        return [len(table), len(every), table["system"].nunique()]
    if judgments.kind == "mqm":
        return [len(table), len(judgments.errors), table["system"].nunique()]
    if judgments.kind == "segment_scores":
        return [len(table), table["judgments"].sum(), table["system"].nunique()]
    if judgments.kind == "relative_ranking":
        return [len(table), table["block"].nunique(), table["system"].nunique()]
    systems = {*table["left"], *table["right"]}
    return [len(table), table["annotator"].nunique(), len(systems)]


@pytest.mark.parametrize("campaign", COUNTS["campaign"].unique())
def test_load_holds_the_released_judgments(campaign: str) -> None:
    expected = COUNTS[COUNTS["campaign"] == campaign]
    if folder := expected["folder"].iloc[0]:
        real_data(folder)
    for row in expected.to_dict("records"):
        judgments = load(campaign, row["pair"])
        assert counted(judgments) == [row["rows"], row["other_rows"], row["systems"]], row["pair"]
        if row["total"]:
            column = "rank" if judgments.kind == "relative_ranking" else "score"
            assert judgments.table[column].sum() == pytest.approx(float(row["total"]), abs=1e-6)


def test_ids_are_shared_categories() -> None:
    judgments = load("demo-srpdc", "de-en")
    for name in ("system", "segment", "annotator", "document", "item_type"):
        assert judgments.table[name].dtype == judgments.all_rows[name].dtype
    assert set(judgments.table["item_type"]) == {"SYSTEM", "REPEAT", "REF", "BAD_REF"}


def test_rows_are_left_out_once() -> None:
    real_data("newstest2021-toen")
    excluded = load("wmt21", "de-en").excluded
    assert excluded.to_dict("list") == {
        "file": ["ad-good-raw-redup.csv.gz"],
        "code": ["other_pairs"],
        "rows": [83396],
        "detail": [""],
    }


@pytest.mark.parametrize(
    ("campaign", "pair", "counts"),
    [
        ("wmt24-esa", "en-ja", {"tutorial": 639, "incomplete": 396, "duplicate": 77, "superseded": 71}),
        ("wmt23-protocols.ESA-1", "en-de", {"tutorial": 198, "duplicate": 15, "superseded": 14}),
        ("wmt20-iku.Hansard", "en-iu", {"document_score": 1374, "superseded": 316}),
        ("wmt-slt23", "sgg-de", {"document_score": 792}),
        ("wmt23-mqm", "zh-en", {"attention_check": 461}),
        ("wmt20", "iu-en", {"reference_or_control": 1129}),
        ("bio-mqm", "de-en", {"source_error": 582}),
    ],
)  # fmt: skip
def test_excluded_rows_have_a_reason(campaign: str, pair: str, counts: dict[str, int]) -> None:
    real_data(COUNTS.loc[COUNTS["campaign"] == campaign, "folder"].iloc[0])
    excluded = load(campaign, pair).excluded
    found = excluded[excluded["code"] != "other_pairs"].groupby("code")["rows"].sum()
    assert found.to_dict() == counts


def test_wmt18_has_fourteen_pairs_of_which_one_names_no_annotators() -> None:
    real_data("wmt18-de-en")
    here = pairs("wmt18").set_index("pair")
    assert len(here) == 14
    assert here.index[here["annotators"] == 0].tolist() == ["de-en"]
    assert here.loc["de-en", ["kind", "systems"]].tolist() == ["segment_scores", 16]
    scores = load("wmt18", "de-en")
    assert "HUMAN" not in set(scores.table["system"])
    assert scores.excluded["rows"].tolist() == [2132]


def test_tracks_of_a_pair_are_named() -> None:
    real_data("wmt11")
    here = pairs("wmt11")
    assert len(here) == 17
    assert {"cs-en-individual", "ur-en-tunable"} <= set(here["pair"])
    with pytest.raises(DataError) as error:
        load("wmt11", "cs-en")
    assert error.value.code == "several_tasks"
    by_name = load("wmt11", "cs-en-individual")
    by_task = load("wmt11", "cs-en", task="individual")
    assert len(load("wmt11", "cs-en individual").table) == len(by_task.table)
    pd.testing.assert_frame_equal(by_name.table, by_task.table)
    assert (by_name.pair, by_name.task) == ("cs-en", "individual")
    assert len(load("wmt11", "ur-en").table) == 3165


def test_humans_are_named() -> None:
    assert load("demo-srdc", "de-en").humans == ("HUMAN.0",)
    assert load("demo-mqm", "en-de").humans == ()
    real_data("newstest2021-toen")
    assert load("wmt21", "de-en").humans == ("HUMAN.0",)


def test_facts_of_pairs() -> None:
    real_data("newstest2020-segment-scores")
    here = pairs("wmt20").set_index("pair")
    assert here.index[here["design"] == "SR-DC"].tolist() == ["iu-en", "km-en", "ps-en"]
    assert (here["tool"] == "Appraise").sum() == 8
    assert (here.loc[here["tool"] == "Appraise", "judged"] == "bilingual").all()


@pytest.mark.parametrize(
    ("campaign", "pair", "code"),
    [
        ("wmt81", "de-en", "unknown_campaign"),
        ("demo-srdc", "de-fr", "unknown_pair"),
        ("demo-srdc", "", "several_pairs"),
        ("no/such/file.csv", "", "no_such_file"),
        ("wmt23-protocols.ESA-9", "en-de", "unknown_part"),
    ],
)
def test_what_is_not_there(campaign: str, pair: str, code: str) -> None:
    with pytest.raises(DataError) as error:
        load(campaign, pair)
    assert error.value.code == code


def test_a_campaign_that_is_not_here_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKSTABILITY_DATA", str(tmp_path))
    with pytest.raises(DataError) as error:
        load("wmt18", "cs-en")
    assert error.value.code == "campaign_not_here"
    assert error.value.remedy == "make data CAMPAIGN=wmt18"
    assert not campaigns().set_index("campaign").loc["wmt18", "here"]


def test_judge_models_stand_beside_people() -> None:
    judges = load_judge_models("demo-judges", "en-de")
    assert set(judges) == {"knows-much", "knows-some", "knows-the-order", "knows-nothing"}
    scores = judges["knows-much"]
    assert list(scores) == ["system", "segment", "document", "score"]
    people = load("demo-judges")
    assert set(scores["segment"]) >= set(people.table["segment"])
    assert people.scale == (0, 100)
    assert load_judge_models("demo-srdc", "de-en") == {}
    assert load_judge_models("no catalogue name") == {}


def test_judge_models_of_real_campaigns() -> None:
    real_data("wmt23-judges")
    judges = load_judge_models("wmt23-protocols.ESA-1", "en-de")
    assert "GEMBA-MQM-src" in judges
    assert len(judges["GEMBA-MQM-src"]) == 13 * 557
    assert "refA" not in set(judges["COMET-refA"]["system"])
    votes = load_judge_models("llmfao")
    assert {name: len(each.table) for name, each in votes.items()} == {"GPT-3": 2139, "GPT-4": 2139}
