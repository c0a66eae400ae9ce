"""The catalogue: facts of campaigns, and which of them are here."""

import shutil

import pytest

from conftest import needs, real
from da_files import write
from companion.legacy.rankcampaigns import campaigns, catalogue, formats, text
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError

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


@pytest.mark.parametrize(
    ("word", "plural"),
    [("query", "queries"), ("survey", "surveys"), ("product", "products"), ("class", "classes"),
     ("box", "boxes"), ("quiz", "quizes"), ("batch", "batches"), ("dish", "dishes"),
     ("MT company", "MT companies")],
)  # fmt: skip
def test_nouns_have_a_plural(word, plural):
    assert catalogue.plural(word) == plural


def one(folder=None, **entry):
    """A campaign with this entry."""
    return catalogue._campaign("mine", folder or paths.DEMO, {"format": "long", **entry})


def test_what_an_entry_does_not_say_is_empty_and_its_format_says_the_protocol():
    plain = one(format="esa")
    assert (plain.protocol, plain.style, plain.tool, plain.year) == ("DA", "", "", 0)
    assert (plain.title, plain.demo, plain.known_pairs, plain.parts) == ("mine", False, (), ())
    assert (plain.own, plain.judged, plain.rebuilt, plain.file) == (True, False, False, None)
    said = one(format="esa", protocol="MQM", year="2031", title="Ours", demo=True, pairs=["a-b"])
    assert (said.protocol, said.year, said.title) == ("MQM", 2031, "Ours")
    assert said.demo and said.known_pairs == ("a-b",)
    assert one(judges=["GPT-4"]).judged and not one(format="rr", judges=["GPT-4"]).judged


def test_a_style_of_some_pairs_is_that_of_others_only_where_it_says_so():
    styles = {"SR-DC": ["cs-en", "de-en"], "SR+DC": ["en-cs"], "none": []}
    campaign = one(style=styles, tool={"Turkle": ["cs-en"], "Appraise": ["*"]}, year=2031)
    assert (campaign.style, campaign.tool) == ("SR-DC/SR+DC", "Turkle/Appraise")
    assert [campaign.style_of(pair) for pair in ("de-en", "en-cs", "en-de")] == [
        "SR-DC",
        "SR+DC",
        "",
    ]
    assert one(style="SR-DC").style_of("en-de") == "SR-DC" and one().style_of("en-de") == ""
    facts = campaign.facts(["cs-en", "en-de"])
    assert facts.to_dict("list") == {
        "pair": ["cs-en", "en-de"], "year": [2031, 2031], "style": ["SR-DC", ""],
        "tool": ["Turkle", "Appraise"], "judged": ["unknown", "unknown"],
    }  # fmt: skip
    assert campaigns.find("demo-rr").facts()["pair"].tolist() == ["cs-en", "en-de"]
    assert one(judged="bilingual").facts(["a-b"])["judged"].tolist() == ["bilingual"]
    assert campaign.facts([]).empty


@pytest.mark.parametrize(
    ("name", "known"),
    [("demo-srdc", True), ("wmt23-protocols.ESA-1", True), ("wmt23-protocols", True),
     ("wmt23-protocols.ESA-9", False), ("nothing.ESA-1", False), ("nothing", False), ("", False)],
)  # fmt: skip
def test_a_name_of_the_catalogue_is_that_of_a_campaign_or_of_one_of_its_studies(name, known):
    assert catalogue.in_catalogue(name) is known


def test_a_study_is_a_campaign_of_its_own_with_its_files(tmp_path):
    rows = "u1,A,1,TGT,eng,deu,70,d,False,[],1,2\n"
    for name in ("esa.csv", "other.csv"):
        (tmp_path / name).write_text(rows)
    parts = {"ESA": ["esa.csv"], "none": ["gone.csv"]}
    whole = one(tmp_path, parts=parts, title="Ours", protocol="DA", tool="Appraise", year=2031)
    assert whole.parts == ("ESA", "none")
    study = whole.part("ESA")
    assert (study.name, study.title, study.format) == ("mine.ESA", "Ours: ESA", "esa")
    assert (study.parts, study.tool, study.year) == ((), "Appraise", 2031)
    assert study.files() == (tmp_path / "esa.csv",) == whole.files()
    assert whole.part("none").format == "long"
    with pytest.raises(DataError, match="mine has no such study") as error:
        whole.part("MQM")
    assert (error.value.value, error.value.expected) == ("MQM", "ESA, none")
    with pytest.raises(DataError, match=r"mine\.ESA has no such study") as error:
        study.part("ESA")
    assert error.value.expected == "a campaign of several studies"


def test_words_are_those_of_settings_of_columns_of_the_format_or_of_the_protocol(tmp_path):
    rows = "".join(f"{s},{k},u{k},{k}\n" for s in "AB" for k in range(4))
    file = tmp_path / "mine.csv"
    file.write_text("Product,Question,Respondent,score\n" + rows)
    words = campaigns.find(file).words
    assert [words[name] for name in ("system", "segment", "annotator", "judgment")] == [
        "product", "question", "respondent", "judgment",
    ]  # fmt: skip
    assert (words["pair"], words["pairs"]) == ("language pair", "language pairs")
    (tmp_path / "campaign.yaml").write_text("words: {system: entry, segments: places}\n")
    words = campaigns.find(file).words
    assert [words[name] for name in ("system", "systems", "segment", "segments")] == [
        "entry", "entries", "question", "places",
    ]  # fmt: skip
    board = "".join(f"{s},{k},{k}\n" for s in "AB" for k in range(4))
    file.write_text("system,segment,score\n" + board)
    words = campaigns.find(file).words
    assert [words[name] for name in ("segment", "judgments", "protocol")] == [
        "item", "scores", "single scores",
    ]  # fmt: skip
    arena = catalogue._campaign("x", paths.DEMO / "demo-rr", {"format": "battles", "files": []})
    assert (arena.words["judgments"], arena.words["annotator"]) == ("battles", "judge")


def test_a_campaign_is_complete_if_its_files_are_here(tmp_path):
    write(tmp_path / "both")
    assert one(tmp_path / "both", format="da").complete
    (tmp_path / "both" / "ad-latest.csv").unlink()
    assert not one(tmp_path / "both", format="da").complete
    assert not one(tmp_path / "gone").complete and not one(tmp_path / "gone", format="da").complete
    (tmp_path / "empty").mkdir()
    assert not one(tmp_path / "empty").complete
    (tmp_path / "empty" / "mine.csv").write_text("system,segment,score\nA,1,2\n")
    assert one(tmp_path / "empty").complete
    (tmp_path / "empty" / "mine.csv").write_bytes(b"\xff\xfe\0")  # said when it is read
    assert one(tmp_path / "empty").complete


def test_a_campaign_is_rebuilt_if_the_good_file_is_another_than_the_official_one(tmp_path):
    write(tmp_path)
    said = {"format": "da", "otherwise": "rebuilt from z"}
    for blob, rebuilt in ((text.git_blob(tmp_path / "ad-good-raw-redup.csv"), False), ("0", True)):
        files = {"ad-latest.csv": {}, "ad-good-raw-redup.csv": {"git_blob": blob}}
        sources = [{"files": {"x": {}}}, {"repository": "r", "files": {"x": {}}},
                   {"repository": "r", "files": files}]  # fmt: skip
        assert one(tmp_path, sources=sources, **said).rebuilt is rebuilt
        assert not one(tmp_path, sources=sources, **said | {"otherwise": "shortened"}).rebuilt
        assert not one(tmp_path / "gone", sources=sources, **said).rebuilt


def test_what_lies_beside_a_single_file_or_a_demo_is_not_named(tmp_path):
    (tmp_path / "mine.csv").write_text("system,segment,score\nA,1,2\n")
    (tmp_path / "more.csv").write_text("a,b\n1,2\n3,4\n")
    assert [name for name, _ in one(tmp_path).unread] == ["more.csv"]
    assert one(tmp_path, demo=True).unread == () == one(tmp_path, sources=[]).unread
    entry = {"format": "long"}
    single = catalogue._campaign("mine", tmp_path, entry, tmp_path / "mine.csv")
    assert single.unread == () and single.files() == (tmp_path / "mine.csv",)


def test_a_campaign_is_no_demo_and_has_no_pairs_unless_it_says_so(tmp_path):
    bare = catalogue.Campaign("x", "DA", "", "", 0, tmp_path, "long")
    assert (bare.demo, bare.title, bare.known_pairs, bare.entry) == (False, "", (), {})
    other = catalogue.Campaign("x", "DA", "", "", 0, tmp_path, "long", entry={"year": 2031})
    assert bare == other and "2031" not in repr(other)  # what it says is no part of what it is


def test_a_campaign_is_not_changed_in_place():
    campaign = campaigns.find("demo-rr")
    with pytest.raises(AttributeError, match="cannot assign to field 'year'"):
        campaign.year = 2031
    assert campaign == campaigns.find("demo-rr") and len({campaign, campaigns.find("demo-rr")}) == 1
