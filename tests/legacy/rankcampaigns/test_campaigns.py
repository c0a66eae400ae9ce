"""Loading by name or by path: folders, files, pairs, formats."""

import gzip

import pandas as pd
import pytest

from conftest import needs, real
from da_files import HEADER, ROWS, segment_file, write
from companion.legacy.rankcampaigns import campaigns, text
from companion.legacy.rankcompanion.verdict import cases as verdict
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import standing as places
from companion.legacy.rankstability.rank.recipes import RECIPES


def test_a_folder_of_da_files_is_a_campaign(tmp_path, monkeypatch):
    folder = write(tmp_path / "mine", compress=True)
    campaign = campaigns.find(folder)
    assert (campaign.name, campaign.protocol, campaign.format) == ("mine", "DA", "da")
    assert (campaign.style, campaign.tool, campaign.year) == ("", "", 0)
    assert campaign.pairs == ("cs-en", "en-de") and campaign.workers and not campaign.rebuilt
    assert len(campaigns.load_da(campaign, "cs-en").good) == 7
    settings = "title: Ours\nstyle: SR+DC\ntool: Turkle\nyear: 2025\ncitation: us\n"
    (folder / "campaign.yaml").write_text(settings)
    campaign = campaigns.find(str(folder))
    said = (campaign.title, campaign.style_of("cs-en"), campaign.tool, campaign.year)
    assert said == ("Ours", "SR+DC", "Turkle", 2025)


def test_a_relative_path_from_anywhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert campaigns.find("data/demo/demo-srdc").pairs == campaigns.find("demo-srdc").pairs
    write(tmp_path / "here")
    assert campaigns.find("here").name == "here"


def test_a_folder_of_the_current_one_may_have_the_name_of_a_campaign_that_is_not_here(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("RANKSTABILITY_DATA", str(tmp_path / "elsewhere"))
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "wmt18")
    for name in ("wmt18", tmp_path / "wmt18"):  # never taken for the official campaign
        campaign = campaigns.find(name)
        assert (campaign.name, campaign.folder) == ("own-wmt18", tmp_path / "wmt18")


def test_a_header_in_a_file_of_its_own_is_no_data(tmp_path):
    names = "username,system,itemid,itemtype,srclang,trglang,score,documentid,isdocumentlevelscore"
    rows = [f"u1,{s},{k},TGT,eng,deu,{50 + k},d,False,1,2" for s in "AB" for k in range(3)]
    (tmp_path / "scores.csv").write_text("\n".join(rows) + "\n")
    for name, header in (
        ("columns.csv", f"{names},timestart,timeend"),
        ("zz.tsv", "system\tsegment\tscore"),
    ):
        (tmp_path / name).write_text(header + "\n")
    campaign = campaigns.find(tmp_path)
    assert campaign.format == "appraise" and [f.name for f in campaign.files()] == ["scores.csv"]
    assert len(campaigns.load(campaign).good) == 6
    (tmp_path / "scores.csv").write_text("\n".join([f"{names},timestart,timeend", *rows]))
    assert len(campaigns.load(tmp_path).good) == 6  # the same names at its head
    (tmp_path / "scores.csv").unlink()
    (tmp_path / "columns.csv").unlink()
    with pytest.raises(DataError, match="a header but no rows"):
        campaigns.load(tmp_path)


def test_no_test_can_pair_systems_that_share_no_segment(tmp_path):
    header = "system,segment,annotator,score"
    rows = [
        f"{s},{s}{k},u{k % 3},{50 + 7 * k % 40 + 5 * (s == 'A')}" for s in "AB" for k in range(30)
    ]
    (tmp_path / "mine.csv").write_text("\n".join([header, *rows]))
    note = "(kept: no segment was judged of two systems, so that no test can pair them)"
    da = campaigns.load(tmp_path / "mine.csv")
    assert da.excluded.set_index("reason").loc[note, "rows"] == 60
    assert set(places.judged_by(da)) == set(RECIPES)
    assert {"wmt23", "wmt24", "wmt25"}.isdisjoint(places.judged_by(da, ""))
    assert "wmt17" in places.judged_by(da, "wmt24") and "wmt24" in places.judged_by(da, "wmt24")
    one = verdict.scored_case("xx-yy", "DA", da, form="long")
    assert one.recipe == "wmt17"
    rows.append("A,B0,u1,50")  # one segment of both
    (tmp_path / "mine.csv").write_text("\n".join([header, *rows]))
    da = campaigns.load(tmp_path / "mine.csv")
    assert note not in set(da.excluded["reason"]) and set(places.judged_by(da, "")) == set(RECIPES)


def test_a_folder_of_segment_scores(tmp_path):
    folder = segment_file(tmp_path / "seg", ["A 1 57.5 -0.2 2", "B 1 60 0.1 1"])
    campaign = campaigns.find(folder)
    assert (campaign.format, campaign.workers, campaign.pairs) == ("segments", False, ("cs-en",))
    assert len(campaigns.load_segment_scores(campaign, "cs-en")) == 2
    with pytest.raises(DataError, match="segment scores without workers"):
        campaigns.load_da(campaign, "cs-en")
    with pytest.raises(DataError, match="not relative ranking"):
        campaigns.load_rr(campaign)
    with pytest.raises(DataError, match="not MQM"):
        campaigns.load_mqm(campaign, "cs-en")


def test_folders_of_the_other_formats(tmp_path):
    def folder(name: str, text: str):
        path = tmp_path / name.replace(".", "-") / name
        path.parent.mkdir()
        path.write_text(text)
        return campaigns.find(path.parent)

    rows = "srclang,trglang,system1rank\nCzech,English,1\nEnglish,French,2\n"
    rr = folder("mine.csv", rows)
    assert (rr.protocol, rr.pairs) == ("RR", ("cs-en", "en-fr"))
    mqm = folder("mqm_mine_zhen.tsv", "system\tdoc\tcategory\tseverity\nA\td\tOther\tMinor\n")
    assert (mqm.protocol, mqm.pairs) == ("MQM", ("zh-en",))
    (mqm.folder / "systems.csv").write_text("system,segment,score\nA,1,5\n")  # beside it
    assert (campaigns.find(mqm.folder).protocol, mqm.format) == ("MQM", "mqm")
    with pytest.raises(DataError, match=r"did you mean zh-en.*expected one of zh-en"):
        campaigns.load_mqm(mqm, "zh-e")
    esa = folder("spans.csv", "u1,A,1,TGT,eng,jpn,5,d,False,[],1,2\n")
    assert (esa.protocol, esa.format, esa.pairs) == ("DA", "esa", ("en-ja",))
    assert len(campaigns.load_da(esa, "en-ja").good) == 1
    (esa.folder / "rank.csv").write_text(rows)
    with pytest.raises(DataError, match="files of several formats: esa, rr"):
        campaigns.find(esa.folder)
    (esa.folder / "campaign.yaml").write_text("format: rr\n")
    assert campaigns.find(esa.folder).pairs == ("cs-en", "en-fr")


def test_a_single_file_is_a_campaign(tmp_path):
    lines = [HEADER, *ROWS]
    mine = tmp_path / "mine.v2.csv"
    mine.write_text("\n".join(lines))
    (tmp_path / "campaign.yaml").write_text("title: Ours\nformat: rr\n")  # of the folder: a title
    campaign = campaigns.find(mine)
    assert (campaign.name, campaign.format, campaign.title) == ("mine.v2", "da", "Ours")
    assert campaign.pairs == ("cs-en", "en-de") and campaign.files() == (mine,)
    da = campaigns.load(campaign, "cs-en")
    # every score counts, that of a joined id for each of its systems
    assert (len(da.latest), len(da.good)) == (6, 7) and set(da.excluded.file) == {"mine.v2.csv"}
    bare = tmp_path / "bare.csv.gz"  # packed, no header
    bare.write_bytes(gzip.compress("\n".join(ROWS).encode()))
    pd.testing.assert_frame_equal(campaigns.load(bare, "cs-en").good, da.good)

    for pair in ("cs-en", "en-cs"):
        segment_file(tmp_path, ["A 1 57.5 -0.2 2"], name=f"ad-seg-scores-{pair}.csv")
    scores = campaigns.find(tmp_path / "ad-seg-scores-en-cs.csv")
    assert (scores.format, scores.pairs) == ("segments", ("en-cs",))
    assert campaigns.load(scores, "en-cs").raw.tolist() == [57.5]
    with pytest.raises(DataError, match=r"no rows for the language pair.*one of en-cs"):
        campaigns.load(scores, "cs-en")

    rankings = campaigns.find(paths.DEMO / "demo-rr" / "demo.RNK_results.csv")
    assert (rankings.name, rankings.pairs) == ("demo.RNK_results", ("cs-en", "en-de"))
    errors = paths.DEMO / "demo-mqm" / "mqm_demo_ende.3ratingsPerSegment.tsv"
    assert campaigns.find(errors).pairs == ("en-de",)
    pd.testing.assert_frame_equal(campaigns.load(errors), campaigns.load("demo-mqm"))
    (tmp_path / "campaign.yaml").unlink()
    (tmp_path / "notes.txt").write_text("just words\n")
    with pytest.raises(DataError, match="not a file of a known format; found 'just words'"):
        campaigns.find(tmp_path / "notes.txt")


@pytest.mark.parametrize("name", ["absent/mine", "mine.csv", "mine.tsv", "mine.jsonl", "mine.xlsx"])
def test_what_looks_like_a_path_is_no_name_of_a_campaign(name):
    with pytest.raises(DataError, match="no such file or folder") as error:
        campaigns.find(name)
    assert (error.value.value, error.value.expected) == (name, "a path that exists")
    with pytest.raises(DataError, match=r"unknown campaign.*found 'mine'; expected a folder or"):
        campaigns.find("mine")


def test_accounts_with_the_name_of_a_model_are_asked_about_in_an_export(tmp_path):
    names = ("u1", "GPT-4")
    rows = [f"{n},{s},1,TGT,eng,deu,7,d,False,[],1,2" for n in names for s in "AB"]
    (tmp_path / "esa.csv").write_text("\n".join(rows) + "\n")
    with pytest.raises(DataError, match="an annotator with the name of a model; found 'GPT-4'"):
        campaigns.load(tmp_path / "esa.csv")
    for judges, counted in (("[]", {"u1", "GPT-4"}), ("[GPT-4]", {"u1"})):
        (tmp_path / "campaign.yaml").write_text(f"judges: {judges}\n")
        assert set(campaigns.load(tmp_path / "esa.csv").good["worker"]) == counted


def test_one_of_two_da_files_stands_for_its_folder(tmp_path):
    folder = write(tmp_path / "mine")
    campaign = campaigns.find(folder / "ad-latest.csv")
    assert (campaign.name, campaign.folder, len(campaign.files())) == ("mine", folder, 2)


def test_a_folder_above_its_analysis_folder(tmp_path, monkeypatch):
    folder = write(tmp_path / "release" / "analysis")
    campaign = campaigns.find(tmp_path / "release")
    assert (campaign.name, campaign.folder) == ("release", folder)
    assert campaigns.find(folder).name == "release"
    (tmp_path / "archive").mkdir()
    (tmp_path / "release").rename(tmp_path / "archive" / "release")
    deeper = campaigns.find(tmp_path / "archive")
    assert (deeper.name, deeper.folder.parent.name) == ("archive", "release")
    monkeypatch.setenv("RANKSTABILITY_DATA", str(tmp_path))
    write(tmp_path / "newstest2018-humaneval" / "analysis")
    assert campaigns.find(tmp_path / "newstest2018-humaneval").name == "wmt18"


def test_one_way_to_load_every_protocol():
    for name in ("demo-srdc", "demo-rr", "demo-mqm"):
        campaign = campaigns.find(name)
        judgments = campaigns.load(name, campaign.pairs[0])
        assert len(getattr(judgments, "good", judgments)) > 100
    with pytest.raises(DataError, match="did you mean en-de"):
        campaigns.load("demo-rr", "en-d")
    several = "demo-srpdc has several language pairs; expected one of de-en, en-cs$"
    with pytest.raises(DataError, match=several):  # which of them is not guessed
        campaigns.load("demo-srpdc")
    assert campaigns.load("demo-rr").pair.nunique() == 2  # of relative ranking: all


def test_fingerprint_follows_the_content_and_not_the_packing(tmp_path):
    folder = write(tmp_path / "one")
    campaign = campaigns.find(folder)
    first = campaigns.fingerprint(campaign, "cs-en")
    assert len(first) == 16 and first == campaigns.fingerprint(campaign, "cs-en")
    packed = campaigns.find(write(tmp_path / "two", compress=True))
    assert campaigns.fingerprint(packed, "cs-en") == first
    (folder / "documents-cs-en.tsv").write_text("sid\tdocument\n1\tx\n")
    assert campaigns.fingerprint(campaign, "cs-en") != first
    assert campaigns.fingerprint(campaign, "en-de") == first  # another pair's documents
    write(folder, latest=[*ROWS[:-1], ROWS[-1].replace("55", "56")])
    assert campaigns.fingerprint(campaign, "en-de") != first


def test_the_example_in_the_readme_is_a_campaign(tmp_path):
    readme = (paths.ROOT / "data" / "README.md").read_text(encoding="utf-8")
    blocks = readme.split("## Your own campaign")[1].split("```")
    rows, settings = blocks[1].strip("\n"), blocks[3].removeprefix("yaml\n")
    (tmp_path / "mine.csv").write_text(rows + "\n")
    (tmp_path / "campaign.yaml").write_text(settings)
    campaign = campaigns.find(tmp_path)
    da = campaigns.load_da(campaign, "cs-en")
    assert len(da.good) == rows.count("\n") == 3
    assert campaign.facts()["judged"].tolist() == ["bilingual"]
    assert da.scale == (0, 100) and set(da.good.worker) == {"ann-07"}


@needs("wmt21")
def test_a_path_to_a_known_folder_is_that_campaign():
    campaign = campaigns.find(real("wmt21"))
    assert campaign.style == "SR+DC" and campaign.rebuilt and campaign.name == "wmt21"


def test_a_long_name_is_cut_where_it_is_named(tmp_path):
    for length in (199, 200, 201, 5000):
        name = "y" * length
        with pytest.raises(DataError, match="unknown campaign") as error:
            campaigns.find(name)
        assert error.value.value == (name if length <= 200 else "y" * 200 + " ...")
        with pytest.raises(DataError, match="no such file or folder") as error:
            campaigns.find(f"no/{name}")
        assert error.value.value == f"no/{name}"[:200]


def test_what_lies_beside_a_path_that_is_not_there_is_offered(tmp_path):
    (tmp_path / "ratings.csv").write_text("x")
    with pytest.raises(DataError, match=r"no such file or folder \(did you mean ratings\.csv\?\)"):
        campaigns.find(tmp_path / "ratingz.csv")
    with pytest.raises(DataError, match="not a campaign; found 'int'"):
        campaigns.find(3)


LONG = "system,segment,score\n" + "".join(f"{s},{k},{k}\n" for s in "AB" for k in range(6))


def test_judgments_in_folders_of_a_folder_are_read_only_if_none_lie_in_it(tmp_path):
    for name in ("one", "two"):
        (tmp_path / "release" / name).mkdir(parents=True)
        (tmp_path / "release" / name / f"{name}.csv").write_text(LONG.replace("A,", f"{name},"))
    campaign = campaigns.find(tmp_path / "release")
    assert (campaign.name, campaign.format) == ("release", "long")
    assert [file.name for file in campaign.files()] == ["one.csv", "two.csv"]
    assert set(campaigns.load(campaign)["system"]) == {"one", "two", "B"}
    (tmp_path / "release" / "mine.csv").write_text(LONG)
    campaign = campaigns.find(tmp_path / "release")
    assert [file.name for file in campaign.files()] == ["mine.csv"]
    (tmp_path / "release" / "mine.csv").unlink()
    (tmp_path / "release" / "campaign.yaml").write_text("title: Ours\n")  # said of this folder
    with pytest.raises(DataError, match="no files in a known format"):
        campaigns.find(tmp_path / "release")


def test_settings_that_are_told_come_before_those_of_the_file(tmp_path):
    rows = LONG.replace("segment,score", "nr,mark")
    (tmp_path / "mine.csv").write_text(rows)
    (tmp_path / "campaign.yaml").write_text(
        "title: Ours\ncolumns: {segment: nr, score: x}\nscale: [0, 9]\n"
    )
    told = {"columns": {"score": "mark"}, "scale": [0, 5]}
    campaign = campaigns.find(tmp_path, told)
    assert campaign.entry["columns"] == {"segment": "nr", "score": "mark"}
    assert (campaign.title, campaign.entry["scale"]) == ("Ours", [0, 5])
    said = campaign.reading.set_index("what")["said by"]
    assert {said["column score"], said["scale"]} == {"the command line"}
    assert "columns" not in campaigns.find(paths.DEMO / "demo-rr", {"humans": []}).entry


def test_a_format_without_its_files_names_what_lies_there(tmp_path):
    (tmp_path / "campaign.yaml").write_text("format: mqm\n")
    with pytest.raises(DataError, match="no file of the format mqm") as error:
        campaigns.find(tmp_path)
    assert error.value.value == "nothing"
    for k in range(8):
        (tmp_path / f"{k}.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="no file of the format mqm") as error:
        campaigns.find(tmp_path)
    assert error.value.value == "0.csv, 1.csv, 2.csv, 3.csv, 4.csv, 5.csv"


def test_the_pair_of_the_settings_is_that_of_the_rows(tmp_path):
    rows = (
        LONG.replace("score", "score,langs")
        .replace("\n", ",cs-en\n")
        .replace("langs,cs-en", "langs")
    )
    (tmp_path / "mine.csv").write_text(rows)
    (tmp_path / "campaign.yaml").write_text("pair: cs-en\n")
    assert len(campaigns.load(tmp_path)) == 12
    (tmp_path / "campaign.yaml").write_text("pair: de-en\n")
    with pytest.raises(DataError, match="`pair:` is not the language pair of the rows") as error:
        campaigns.load(tmp_path)
    assert (error.value.column, error.value.value) == ("pair", "de-en")
    assert error.value.expected == "no `pair:`, since the rows say cs-en"


def test_reference_rows_are_left_out_of_pairs_in_which_they_are_not_ranked():
    frame = pd.DataFrame({"system": pd.Categorical(["A", "ref", "B", "ref"]), "raw": range(4)})
    frame.attrs["excluded"] = {"no score (left out)": 3}
    unranked = {"ref": ["cs-en", "de-en"], "B": ["en-fr"]}
    kept = campaigns._ranked(frame, unranked, "cs-en")
    assert kept["raw"].tolist() == [0, 2] and kept.index.tolist() == [0, 1]
    assert list(kept) == ["system", "raw"]
    assert list(kept["system"].cat.categories) == ["A", "B"]
    counts = {"no score (left out)": 3, "ref: reference rows, not ranked": 2}
    assert kept.attrs["excluded"] == counts
    assert campaigns._ranked(frame, unranked, "en-de") is frame
    assert campaigns._ranked(frame, unranked, "en-fr")["raw"].tolist() == [0, 1, 3]


def test_judgments_say_year_format_and_whether_the_campaign_was_adaptive(tmp_path):
    (tmp_path / "mine.csv").write_text(LONG)
    scores = campaigns.load(tmp_path)
    assert (scores.attrs["adaptive"], scores.attrs["year"], scores.attrs["form"]) == (
        False,
        0,
        "long",
    )
    assert scores.attrs["humans"] == ()
    (tmp_path / "campaign.yaml").write_text("adaptive: true\nyear: 2031\nhumans: [B]\n")
    scores = campaigns.load(tmp_path)
    assert (scores.attrs["adaptive"], scores.attrs["year"]) == (True, 2031)
    assert scores.attrs["humans"] == ("B",)
    (tmp_path / "mine.csv").write_text(
        LONG.replace("score", "score,rater").replace("\n", ",u\n").replace("rater,u", "rater")
    )
    da = campaigns.load(tmp_path)
    assert (da.adaptive, da.year, da.form, da.humans) == (True, 2031, "long", ("B",))
    (tmp_path / "campaign.yaml").unlink()
    assert campaigns.load(tmp_path).adaptive is False


def test_weights_of_the_settings_go_with_the_marked_errors(tmp_path):
    file = tmp_path / "mqm_mine_zhen.tsv"
    demo = paths.DEMO / "demo-mqm" / "mqm_demo_ende.3ratingsPerSegment.tsv"
    file.write_bytes(demo.read_bytes())
    assert "weights" not in campaigns.load(file).attrs
    (tmp_path / "campaign.yaml").write_text("weights: critical25\n")
    assert campaigns.load(file).attrs["weights"] == "critical25"


def test_humans_that_no_pair_has_are_refused_and_those_of_another_are_not(tmp_path):
    for pair, system in (("cs-en", "HT"), ("de-en", "C")):
        (tmp_path / f"{pair}.csv").write_text(LONG.replace("B,", f"{system},"))
    (tmp_path / "campaign.yaml").write_text("humans: [HT]\n")
    assert campaigns.load(tmp_path, "de-en").attrs["humans"] == ()
    assert campaigns.load(tmp_path, "cs-en").attrs["humans"] == ("HT",)
    (tmp_path / "campaign.yaml").write_text("humans: [HT, X]\n")
    with pytest.raises(DataError, match="`humans` names no system") as error:
        campaigns.load(tmp_path, "de-en")
    assert (error.value.value, error.value.expected) == ("X", "of A, C, HT")
    assert campaigns.load("demo-rr").attrs.get("humans") is None


def test_a_fingerprint_follows_settings_that_change_judgments_and_files_of_judges(tmp_path):
    (tmp_path / "mine.csv").write_text(LONG)
    prints = [campaigns.fingerprint(campaigns.find(tmp_path))]
    for said in ("title: Ours\n", "scale: [0, 9]\n", "judges: {file: j.csv}\n"):
        (tmp_path / "j.csv").write_text("system,segment,GPT-4\nA,1,5\n")
        (tmp_path / "campaign.yaml").write_text("files: [mine.csv]\n" + said)
        prints.append(campaigns.fingerprint(campaigns.find(tmp_path)))
    (tmp_path / "j.csv").write_text("system,segment,GPT-4\nA,1,6\n")
    prints.append(campaigns.fingerprint(campaigns.find(tmp_path)))
    assert prints[0] == prints[1] and len(set(prints)) == 4


def test_segment_scores_are_those_of_da_without_workers(tmp_path):
    folder = write(tmp_path / "mine")
    segment_file(folder, ["A 1 57.5 -0.2 2", "B 1 60 0.1 1"])
    assert len(campaigns.load_segment_scores(campaigns.find(folder), "cs-en")) == 2
    (tmp_path / "long.csv").write_text(LONG)
    assert len(campaigns.load_segment_scores(campaigns.find(tmp_path / "long.csv"), "xx-yy")) == 12
    for name in ("demo-rr", "demo-mqm"):
        with pytest.raises(
            DataError, match=f"{name} has no segment scores; expected a DA campaign"
        ):
            campaigns.load_segment_scores(campaigns.find(name), "en-de")


def test_a_setting_that_does_nothing_is_refused_where_it_is_of_these_files_alone(tmp_path):
    (tmp_path / "mine.csv").write_text(LONG)
    (tmp_path / "campaign.yaml").write_text("weights: critical25\n")
    for path in (tmp_path, tmp_path / "mine.csv"):
        with pytest.raises(DataError, match="`weights:` does nothing for files of the format long"):
            campaigns.find(path)
    (tmp_path / "other.csv").write_text(LONG)  # the settings may be of the other
    assert campaigns.find(tmp_path / "mine.csv").format == "long"
    with pytest.raises(DataError, match="`weights:` does nothing"):
        campaigns.find(tmp_path)


def test_a_judge_of_one_language_pair_is_none_too_many_in_another(tmp_path):
    for pair, who in (("eng,deu", "GPT-4"), ("eng,ces", "u3")):
        rows = [f"{w},{s},1,TGT,{pair},7,d,False,[],1,2" for w in ("u1", who) for s in "AB"]
        (tmp_path / f"{pair}.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "campaign.yaml").write_text("judges: [GPT-4]\n")
    campaign = campaigns.find(tmp_path)
    assert set(campaigns.load(campaign, "en-cs").good["worker"]) == {"u1", "u3"}
    assert set(campaigns.load(campaign, "en-de").good["worker"]) == {"u1"}
    (tmp_path / "campaign.yaml").write_text("judges: [GPT-4, GPT-5]\n")
    with pytest.raises(DataError, match="no such judge"):
        campaigns.load(campaign := campaigns.find(tmp_path), campaign.pairs[0])


def test_of_several_analysis_folders_none_is_taken(tmp_path):
    write(tmp_path / "one" / "analysis")
    assert campaigns._inside(tmp_path) == tmp_path / "one" / "analysis"
    write(tmp_path / "two" / "analysis")
    assert campaigns._inside(tmp_path) == tmp_path
    (tmp_path / "analysis").write_text("no folder")
    assert campaigns._inside(tmp_path) == tmp_path
    (tmp_path / "analysis").unlink()
    write(tmp_path / "analysis")
    assert campaigns._inside(tmp_path) == tmp_path / "analysis"


def test_a_folder_is_a_copy_if_all_files_are_as_they_were_released(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(name)
    blobs = {name: {"git_blob": text.git_blob(tmp_path / name)} for name in ("a.csv", "b.csv")}
    sources = [{"repository": "r", "files": blobs}]
    entry = {"files": ["a.csv", "b.csv"], "sources": sources}
    parts = {"parts": {"x": ["a.csv"], "y": ["b.csv"]}, "sources": sources}
    elsewhere = entry | {"sources": [{"files": blobs}]}
    unknown = entry | {"files": ["a.csv", "c.csv"]}
    for one, copy in ((entry, True), (parts, True), ({}, False), (elsewhere, False),
                      (unknown, False), (entry | {"files": []}, False)):  # fmt: skip
        assert campaigns._is_copy(tmp_path, one) is copy
    (tmp_path / "b.csv").write_text("changed")
    assert not campaigns._is_copy(tmp_path, entry)
    (tmp_path / "b.csv").unlink()
    assert not campaigns._is_copy(tmp_path, entry)


@pytest.mark.parametrize(
    ("place", "name"),
    [("mine.csv.gz", "mine"), ("mine.v2.TSV", "mine.v2"), ("..mine.csv", "mine"),
     ("demo-srdc.csv", "own-demo-srdc"), ("demo-srdcs.csv", "demo-srdcs")],
)  # fmt: skip
def test_a_file_gives_its_campaign_a_name(tmp_path, place, name):
    data = LONG.replace(",", "\t" if "TSV" in place else ",").encode()
    (tmp_path / place).write_bytes(gzip.compress(data) if place.endswith("gz") else data)
    assert campaigns.find(tmp_path / place).name == name
