"""Judge models are set apart from people, by name or by file, and never pooled in silence."""

import numpy as np
import pandas as pd
import pytest

from conftest import needs, real
from companion.legacy.rankcampaigns import campaigns, judges, settings
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import models_among

PEOPLE = paths.DEMO / "ratings.csv"


def table(folder, name="GPT-4", scale=0.1, said=None):
    """The demo ratings with a judge of other marks in the same table, and a campaign.yaml."""
    folder.mkdir(exist_ok=True)
    people = pd.read_csv(PEOPLE)
    keys = ["system", "segment_id", "document"]
    judge = people.groupby(keys, as_index=False)["score"].mean().assign(annotator=name)
    judge["score"] = judge["score"] * scale - 25
    pd.concat([people, judge]).to_csv(folder / "both.csv", index=False)
    if said is not None:
        (folder / "campaign.yaml").write_text(f"judges: {said}\n")
    return folder


def refused(what, *words):
    with pytest.raises(DataError) as caught:
        what()
    for word in words:
        assert word in str(caught.value), (word, str(caught.value))


@pytest.mark.parametrize(
    "name",
    ["gpt-4", "GPT-4o", "claude-3-opus", "gemini-1.5-pro", "llama3", "gemba-mqm", "COMET22",
     "metricx-23", "XCOMET-QE", "judge gpt4", "Claude-Sonnet-4", "gpt-oss-120b", "DeepSeek-R1",
     "mixtral-8x7b", "mistral-large", "gemini-ultra", "GEMBA", "comet", "meta-llama/Llama-3.1"],
)  # fmt: skip
def test_names_of_models_are_known_in_full_only(name):
    assert models_among([name, "Claude", "claude01", "Gemini", "anna", "engdeu6901"]) == [name]


def test_a_model_among_people_is_refused_with_the_line_that_settles_it(tmp_path):
    folder = table(tmp_path / "a")
    refused(lambda: campaigns.load(folder), "name of a model", "GPT-4", "judges: [GPT-4]", "[]")
    people = table(tmp_path / "b", said="[]", scale=1.0)  # pooled, as was asked for
    first_name = table(tmp_path / "c", name="Claude", scale=1.0)
    for one in (people, first_name):
        assert len(campaigns.load(one).good) == 720 + 240


def test_a_model_beside_those_that_are_named_is_refused_too(tmp_path):
    folder = table(tmp_path / "a", said="[GPT-4]")
    people = pd.read_csv(folder / "both.csv")
    other = people[people["annotator"] == "GPT-4"].assign(annotator="gemba")
    pd.concat([people, other]).to_csv(folder / "both.csv", index=False)
    refused(lambda: campaigns.load(folder), "name of a model; found 'gemba'", "[GPT-4, gemba]")
    (folder / "campaign.yaml").write_text("judges: [GPT-4, gemba]\n")
    assert len(campaigns.load(folder).good) == 720
    wide(folder, "Aspen\tnews-1\t1\t0.5\t1\n")
    (folder / "campaign.yaml").write_text("judges: {file: judges.tsv}\n")
    refused(lambda: campaigns.load(folder), "name of a model", "GPT-4", "`judges:` names a file")


def test_what_is_left_of_people_is_as_if_judges_had_never_been_there(tmp_path):
    both = campaigns.load(table(tmp_path / "both", said="[GPT-4]"))
    alone = tmp_path / "alone"
    alone.mkdir()
    pd.read_csv(PEOPLE).to_csv(alone / "both.csv", index=False)
    people = campaigns.load(alone)
    for name in ("good", "latest", "excluded"):
        pd.testing.assert_frame_equal(getattr(both, name), getattr(people, name))
    assert both.scale == people.scale == (0, 100)


def test_judges_keep_their_own_scale(tmp_path):
    campaign = campaigns.find(
        table(tmp_path / "both", said='["gpt*", GPT-4]'.replace("gpt*", "G*"))
    )
    said = judges.read(campaign, "xx-yy")
    assert list(said) == judges.SCORES and set(said["judge"]) == {"GPT-4"}
    assert said["score"].max() < 0 and len(said) == 240


@pytest.mark.parametrize(
    ("said", "words"),
    [("[GPT-5]", ["no such judge (did you mean GPT-4?)", "GPT-5", "GPT-4, anna"]),
     ('["*"]', ["only judges", "people beside them"]),
     ("{file: absent.tsv}", ["no such file of judges", "absent.tsv"])],
)  # fmt: skip
def test_judges_that_are_not_there_and_judges_alone_are_refused(said, words, tmp_path):
    refused(lambda: campaigns.load(table(tmp_path / "a", said=said)), *words)


def test_judges_among_people_without_names_are_refused(tmp_path):
    table(tmp_path, said="[GPT-4]")
    frame = pd.read_csv(tmp_path / "both.csv").groupby(["system", "segment_id"]).mean("score")
    frame.reset_index().to_csv(tmp_path / "both.csv", index=False)
    refused(lambda: campaigns.load(tmp_path), "unnamed annotators", "a column of annotators")


def test_two_scores_of_one_output_are_refused(tmp_path):
    folder = table(tmp_path / "a", said="[GPT-4]")
    with (folder / "both.csv").open("a") as file:
        file.write("Aspen,1,news-1,GPT-4,0\n")
    campaign = campaigns.find(folder)
    words = ["two different scores", "GPT-4", "system Aspen", "segment 1", "-16.9333 and 0"]
    refused(lambda: judges.read(campaign, "xx-yy"), *words)


def wide(folder, cells):
    folder.mkdir(exist_ok=True)
    (folder / "judges.tsv").write_text("system\tdocument\tsegment\tA\tB\n" + cells)
    return folder / "judges.tsv"


def test_a_file_with_a_column_for_each_judge(tmp_path):
    said = judges.read_scores(wide(tmp_path, "X\td\t1\t0.5\t\nX\td\t2\t1\t-3\n"), "en-de")
    assert said["judge"].tolist() == ["A", "A", "B"] and said["score"].tolist() == [0.5, 1, -3]
    assert said["document"].tolist() == ["d"] * 3
    word = wide(tmp_path / "w", "X\td\t1\t0.5\t3\nX\td\t2\tgood\t-3\n")
    refused(lambda: judges.read_scores(word, ""), "line 3", "'A'", "not a number", "good")
    twice = wide(tmp_path / "t", "X\td\t1\t0.5\t3\nX\td\t1\t0.5\t4\n")
    refused(lambda: judges.read_scores(twice, ""), "two different scores", "'B'", "3 and 4")
    none = wide(tmp_path / "none", "")
    refused(lambda: judges.read_scores(none, ""), "'A'", "without a score")
    silent = wide(tmp_path / "silent", "X\td\t1\t0.5\t\n")
    refused(lambda: judges.read_scores(silent, ""), "'B'", "without a score")
    (tmp_path / "judges.tsv").write_text("system\tscore\nX\t1\n")
    refused(lambda: judges.read_scores(tmp_path / "judges.tsv", ""), "no column for segment")


def test_a_file_of_judges_beside_a_table_is_not_read_as_judgments(tmp_path):
    pd.read_csv(PEOPLE).to_csv(tmp_path / "ratings.csv", index=False)
    wide(tmp_path, "Aspen\tnews-1\t1\t0.5\t\n")
    (tmp_path / "campaign.yaml").write_text("judges: {file: judges.tsv}\n")
    campaign = campaigns.find(tmp_path)
    assert campaign.unread == () and [file.name for file in campaign.files()] == ["ratings.csv"]
    assert len(campaigns.load(campaign).good) == 720
    before = campaigns.fingerprint(campaign)
    wide(tmp_path, "Aspen\tnews-1\t1\t0.6\t\n")
    assert campaigns.fingerprint(campaign) != before


def battles(folder, model="gpt4"):
    columns = "question_id,model_a,model_b,winner"
    folder.mkdir(exist_ok=True)
    (folder / "crowd.csv").write_text(f"{columns},judge\n1,A,B,model_a,x\n1,B,C,tie,y\n")
    (folder / f"{model}.csv").write_text(f"{columns}\n1,A,B,model_b\n1,B,C,model_a\n")
    return folder


def test_battles_of_a_model_in_a_file_of_their_own_are_not_pooled(tmp_path):
    folder = battles(tmp_path / "a")
    refused(lambda: campaigns.load(folder), "gpt4.csv", "judges: {gpt4: gpt4.csv}", "judges: []")
    (folder / "campaign.yaml").write_text("judges: {GPT-4: gpt4.csv}\n")
    campaign = campaigns.find(folder)
    assert len(campaigns.load(campaign)) == 4 and campaign.unread == ()
    votes = judges.read(campaign, campaign.pairs[0])
    assert list(votes) == judges.VOTES and votes["vote"].tolist() == [0, 1]
    (folder / "llama3.csv").write_text((folder / "crowd.csv").read_text().replace("1,", "2,"))
    refused(lambda: campaigns.load(folder), "llama3.csv", "GPT-4: gpt4.csv, llama3: llama3.csv")
    (folder / "campaign.yaml").write_text("judges: []\n")
    assert len(campaigns.load(campaigns.find(folder))) == 12


def test_files_of_scores_and_of_battles_are_not_taken_for_each_other(tmp_path):
    folder = battles(tmp_path / "a")
    wide(folder, "A\td\t1\t0.5\t1\n")
    (folder / "gpt4.csv").unlink()
    (folder / "campaign.yaml").write_text("judges: {file: judges.tsv}\n")
    campaign = campaigns.find(folder)
    refused(
        lambda: judges.read(campaign, campaign.pairs[0]), "another kind", "{GPT-4: battles.csv}"
    )
    scores = table(tmp_path / "b", name="anna", scale=1.0, said="{GPT-4: gpt4.csv}\nformat: long")
    (scores / "gpt4.csv").write_text("question_id,model_a,model_b,winner\n1,A,B,model_b\n")
    refused(
        lambda: judges.read(campaigns.find(scores), "xx-yy"), "another kind", "{file: judges.tsv}"
    )


def test_a_judge_among_the_judges_of_battles(tmp_path):
    head = "question_id,model_a,model_b,winner,judge\n"
    people = "1,A,B,model_a,x\n1,B,C,tie,y\n2,A,C,model_b,x\n"
    (tmp_path / "b.csv").write_text(head + people + "1,A,B,model_b,gpt-4\n")
    refused(lambda: campaigns.load(tmp_path), "name of a model", "gpt-4")
    (tmp_path / "campaign.yaml").write_text('judges: ["gpt*"]\n')
    campaign = campaigns.find(tmp_path)
    frame = campaigns.load(campaign)
    assert frame["judge"].cat.categories.tolist() == ["x", "y"] and len(frame) == 6
    assert judges.read(campaign, campaign.pairs[0])["vote"].tolist() == [0]


def test_the_command_line_names_judges():
    assert settings.told({"judges": "GPT-4, gemba*"}) == {"judges": ["GPT-4", "gemba*"]}
    assert settings.told({"judges": ""}) == {"judges": []}
    assert settings.told({"judges": "file:judges.tsv"}) == {"judges": {"file": "judges.tsv"}}
    as_in_a_file = {
        '[GPT-4, "gemba*"]': ["GPT-4", "gemba*"],
        "[]": [],
        "{file: judges.tsv}": {"file": "judges.tsv"},
    }
    for words, meant in as_in_a_file.items():
        assert settings.told({"judges": words}) == {"judges": meant}
    refused(lambda: settings.told({"judges": "[[a], b]"}), "neither names of judges")


@needs("wmt23-protocols")
def test_judges_of_wmt23_are_eleven_with_the_scores_of_the_file():
    file = real("wmt23-judges") / "judges-en-de.tsv.gz"
    said = judges.read_scores(file, "en-de")
    assert said["judge"].nunique() == 11
    sizes = said["judge"].value_counts()
    assert sizes["GEMBA-MQM-src"] == 13 * 557 and sizes["chrF-refA"] == 12 * 557
    assert np.isfinite(said["score"]).all() and not len(judges.read_scores(file, "zh-en"))


def export(folder, *accounts):
    """An export of Appraise in which each account judged twice the first item of A."""
    judged = [("A", 1, 61), ("A", 1, 66), ("A", 2, 62), ("B", 1, 61), ("B", 2, 62)]
    rows = [
        f"{who},{system},{item},TGT,eng,deu,{score},d,False,[],{time},{time + 1}"
        for who in accounts
        for time, (system, item, score) in enumerate(judged)
    ]
    (folder / "esa.csv").write_text("\n".join(rows) + "\n")
    return folder


def test_judges_of_an_export_are_set_apart_in_all_rows_and_in_those_that_count(tmp_path):
    (tmp_path / "campaign.yaml").write_text("judges: [gpt-4]\n")
    campaign = campaigns.find(export(tmp_path, "u1", "gpt-4", "u2"))
    da = campaigns.load(campaign)
    assert set(da.good["worker"]) == set(da.latest["worker"]) == {"u1", "u2"}
    assert list(da.good["worker"].cat.categories) == ["u1", "u2"]
    assert (len(da.latest), len(da.good)) == (10, 8)
    assert da.latest.index.tolist() == [*range(10)]
    said = judges.read(campaign, "en-de")
    assert list(said) == judges.SCORES and set(said["judge"]) == {"gpt-4"}
    assert said["score"].tolist() == [66, 62, 61, 62] and set(said["document"]) == {"d"}
    assert judges.read(campaigns.find(export(tmp_path, "u1", "gpt-4")), "en-de")["judge"].size == 4


def test_raters_of_mqm_that_are_judges_are_set_apart_with_their_errors():
    frame = pd.DataFrame({"rater": pd.Categorical(["r1", "GPT-4", "r1"]), "x": range(3)})
    frame.attrs["excluded"] = {"a": 1}
    people = judges.people(frame, {"judges": ["GPT-4"]}, "x.tsv")
    assert people["x"].tolist() == [0, 2] and people.index.tolist() == [0, 1]
    assert list(people["rater"].cat.categories) == ["r1"] and people.attrs == {"excluded": {"a": 1}}
    assert judges.of_judges(frame, {"judges": ["GPT*"]})["x"].tolist() == [1]
    assert judges.people(frame, {"judges": []}, "x.tsv") is frame
    nameless = frame[["x"]]
    assert judges.people(nameless, {}, "x.tsv") is nameless and judges.annotators(nameless) == set()


def test_a_mask_of_judges_leaves_missing_annotators_out():
    who = pd.Series(["u", None, "gemba-1", "GPT-4", "gpt-4"])
    assert judges.mask(who, ["GPT-4", "gemba*"]).tolist() == [False, False, True, True, False]
    assert not judges.mask(who, []).any()


def test_a_judge_of_another_language_pair_is_known():
    settings = {"judges": ["GPT-4"]}
    judges.checked(["u"], settings, "x.csv", lambda: {"GPT-4"})
    with pytest.raises(DataError, match="no such judge") as error:
        judges.checked([f"u{k:02d}" for k in range(30)], settings, "x.csv", lambda: {"v"})
    assert error.value.column == "judges" and error.value.value == "GPT-4"
    assert error.value.expected.endswith("u18, u19")  # the first twenty
    with pytest.raises(DataError, match="only judges"):
        judges.checked(["GPT-4"], settings, "x.csv")
    with pytest.raises(DataError, match="judges among unnamed annotators"):
        judges.checked([], settings, "x.csv")
    judges.checked([], {}, "x.csv")
    judges.checked(["GPT-4"], {"judges": []}, "x.csv")
    with pytest.raises(DataError, match="an annotator with the name of a model") as error:
        judges.checked(["GPT-4", "u"], {"judges": {"file": "x"}}, "x.csv")
    assert error.value.expected.startswith("only people here, as `judges:` names a file")


def test_a_file_of_judges_may_name_pairs_or_be_of_the_pair_in_its_name(tmp_path):
    file = tmp_path / "judges.csv"
    file.write_text("system,segment,pair,J\nA,1,en-de,5\nB,1,eng-deu,6\nA,1,cs-en,bad\n")
    assert judges.read_scores(file, "en-de")["score"].tolist() == [5, 6]
    assert judges.read_scores(file, "de-en").empty
    with pytest.raises(DataError, match="line 4, column 'J': not a number; found 'bad'"):
        judges.read_scores(file, "cs-en")
    for name, pair, rows in (
        ("a.csv", "en-de", 2), ("en-de.csv", "en-de", 2), ("cs-en.csv", "en-de", 0),
        ("cs-en.csv", "", 2),
    ):  # fmt: skip
        (tmp_path / name).write_text("system,segment,J\nA,1,5\nB,1,6\n")
        said = judges.read_scores(tmp_path / name, pair)
        assert len(said) == rows and set(said["document"]) <= {""}


def test_a_file_of_judges_needs_system_segment_and_a_judge(tmp_path):
    file = tmp_path / "judges.csv"
    for header, words in (
        ("segment,J", "no column for system"), ("system,J", "no column for segment"),
        ("system,segment,document", "no column of a judge"),
    ):  # fmt: skip
        file.write_text(f"{header}\n{','.join('123'[: header.count(',') + 1])}\n")
        with pytest.raises(DataError, match=words) as error:
            judges.read_scores(file, "")
        assert error.value.line == 1 and error.value.value == header.replace(",", ", ")
    file.write_text("system,segment,J\nA,1,5\nA,1,5\nA,2,inf\n")
    with pytest.raises(DataError, match="line 4, column 'J': not a number; found 'inf'"):
        judges.read_scores(file, "")
    file.write_text("system,segment,J\nA,1,5\nA,1,5\nA,2,-1e3\n")
    assert judges.read_scores(file, "")["score"].tolist() == [5, -1000]  # each once


def test_names_of_judges_and_of_their_files_are_told_as_text():
    assert judges.told({"judges": ["GPT-4", 5]}) == "GPT-4, 5"
    assert judges.told({"judges": {"file": "a.tsv", "B": "b.csv"}}) == "a.tsv, b.csv"
    assert judges.told({}) == judges.told({"judges": []}) == ""
    assert judges.named({"judges": ["GPT-4", 5]}) == ("GPT-4", "5")
    assert judges.named({"judges": {"file": "a.tsv"}}) == () == judges.named({})


def test_battles_are_pooled_where_all_or_none_of_their_files_have_the_name_of_a_model(tmp_path):
    crowd, model = tmp_path / "crowd.csv", tmp_path / "gpt-4.csv"
    for files in ([crowd], [model], [model, tmp_path / "llama3.csv"], []):
        judges.refuse_pooled(files, {})
    judges.refuse_pooled([crowd, model], {"judges": []})
    with pytest.raises(DataError, match="battles in a file with the name of a model") as error:
        judges.refuse_pooled([crowd, model], {})
    assert (
        error.value.value == "gpt-4.csv" and "`judges: {gpt-4: gpt-4.csv}`" in error.value.expected
    )


def test_of_outputs_scored_twice_the_first_is_named():
    rows = [("J", "A", "1", "", 1), ("K", "B", "2", "d", 5), ("K", "B", "2", "d", 6.5),
            ("J", "A", "1", "", 2), ("J", "A", "3", "", 2), ("J", "A", "3", "", 2)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["judge", "system", "segment", "document", "score"])
    with pytest.raises(DataError, match="two different scores of one output by a judge") as error:
        judges.once(frame, "x.csv")
    assert (error.value.column, error.value.value) == ("J", "system A, segment 1: 1 and 2")
    with pytest.raises(DataError) as error:
        judges.once(frame.drop(index=0), "x.csv")
    assert (error.value.column, error.value.value) == (
        "K", "system B, segment 2, document d: 5 and 6.5",
    )  # fmt: skip
    fine = judges.once(frame.drop(index=[0, 1]), "x.csv")
    assert fine["score"].tolist() == [6.5, 2, 2] and fine.index.tolist() == [0, 1, 2]


def test_a_header_without_what_is_needed_is_shown_to_200_characters(tmp_path):
    file = tmp_path / "judges.csv"
    long = ("system" + "-" * 150, "segment" + "-" * 150)  # signs in names do not count
    for names in (("system", "y" * 300), ("y" * 300, "segment"), long):
        file.write_text(",".join(names) + "\n1,2\n")
        with pytest.raises(DataError, match=r"no column (for|of a judge)") as error:
            judges.read_scores(file, "")
        assert error.value.value == ", ".join(names)[:200]
