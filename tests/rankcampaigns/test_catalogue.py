"""The catalogue: facts of campaigns, and which of them are here."""

import shutil

import pytest

from conftest import needs, real
from da_files import write
from rankcampaigns import campaigns, formats
from rankstability import paths
from rankstability.errors import DataError

# Knowles (2021), Table 4, without the systems marked *: (year, tool group) -> pairs, by style.
TABLE_4 = {
    (2018, "SR-DC"): "en-cs en-de en-et en-fi en-ru en-tr en-zh cs-en de-en et-en fi-en ru-en "
    "tr-en zh-en",
    (2019, "SR+DC"): "en-cs en-de en-fi en-gu en-kk en-lt en-ru en-zh de-en zh-en",
    (2019, "SR-DC"): "fi-en gu-en kk-en lt-en ru-en",
    (2020, "SR+DC"): "en-cs en-de en-iu en-ja en-pl en-ru en-ta en-zh cs-en de-en ja-en pl-en "
    "ru-en ta-en zh-en",
    (2020, "SR-DC"): "iu-en km-en ps-en",
}


def with_workers(year: int) -> list[campaigns.Campaign]:
    return [c for c in campaigns.listed() if c.year == year and c.format == "da" and not c.demo]


def test_the_catalogue_knows_every_pair_of_knowles_table_4():
    found: dict[tuple[int, str], set[str]] = {}
    for year in (2018, 2019, 2020):
        for campaign in with_workers(year):
            for pair in campaign.known_pairs:
                found.setdefault((year, campaign.style_of(pair)), set()).add(pair)
    assert found == {key: set(pairs.split()) for key, pairs in TABLE_4.items()}
    # 21 SR-DC and 25 SR+DC pairs, and tr-en 2018, which the paper could not replicate
    assert sum(len(pairs) for (_, style), pairs in found.items() if style == "SR-DC") == 21 + 1
    assert sum(len(pairs) for (_, style), pairs in found.items() if style == "SR+DC") == 25


def test_names_folders_and_formats_are_sound():
    folders = [campaigns.folder_of(c.name) for c in campaigns.listed()]
    assert len(folders) == len(set(folders))
    for campaign in campaigns.listed():
        assert formats.FORMATS[campaign.format].protocol == campaign.protocol
        assert campaign.title and campaign.entry["citation"]
        if campaign.protocol == "DA":
            assert set(campaign.style.split("/")) <= {"SR-DC", "SR+DC", ""}


def test_an_unknown_name_says_what_there_is():
    with pytest.raises(DataError) as caught:
        campaigns.find("wmt81")
    assert "did you mean wmt" in str(caught.value) and "demo-srdc" in str(caught.value)
    assert caught.value.value == "wmt81"


def test_a_known_campaign_that_is_not_here_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSTABILITY_DATA", str(tmp_path))
    with pytest.raises(DataError, match="make data CAMPAIGN=wmt18") as caught:
        campaigns.find("wmt18")
    assert "newstest2018-humaneval/analysis" in str(caught.value)
    assert {c.name for c in campaigns.present()} == {c.name for c in campaigns.listed() if c.demo}
    write(tmp_path / "newstest2018-humaneval" / "analysis")  # somebody's files in its place
    campaign = campaigns.find("wmt18")
    assert campaign.pairs == ("cs-en", "en-de")
    assert campaign.rebuilt  # not the official bytes


def test_the_readme_names_every_campaign():
    text = (paths.ROOT / "data" / "README.md").read_text(encoding="utf-8")
    for campaign in campaigns.listed():
        if not campaign.demo:
            assert f"`{campaign.name}`" in text and campaign.folder.name in text, campaign.name


@needs("wmt10")
@needs("wmt12")
@needs("wmt23-mqm")
def test_real_files_are_the_official_ones():
    for name in ("wmt10", "wmt11", "wmt12", "wmt23-mqm"):
        assert not campaigns.find(name).rebuilt
    assert campaigns.find("wmt10").files() == (real("wmt10") / "data_RNK.csv",)
    assert "ur-en" in campaigns.find("wmt11").pairs
    pairs = "cs-en de-en en-cs en-de en-es en-fr es-en fr-en"
    assert campaigns.find("wmt12").pairs == tuple(pairs.split())
    assert campaigns.find("wmt23-mqm").pairs == ("en-de", "zh-en")


def test_what_else_lies_in_the_folder_of_a_known_campaign_is_not_named(tmp_path, monkeypatch):
    """The catalogue lists its files, so the rest is no judgment that was overlooked."""
    monkeypatch.setenv("RANKSTABILITY_DATA", str(tmp_path))
    folder = tmp_path / "newstest2018-humaneval" / "analysis"
    write(folder)
    (folder / "more.csv").write_text("a,b\n1,2\n3,4\n")
    assert campaigns.find("wmt18").unread == ()
    own = shutil.copytree(folder, tmp_path / "mine")
    assert [file for file, _ in campaigns.find(own).unread] == ["more.csv"]
