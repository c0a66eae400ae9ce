"""Human translations and references: declared, asked about, and known by name in the catalogue."""

import pandas as pd
import pytest

from companion.legacy.rankcampaigns import campaigns, humans, settings
from companion.legacy.rankcompanion.running import commands
from companion.legacy.rankstability import remove
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import human_systems
from verdicts import told_of

SYSTEMS = ["S00", "T00", "Reference-WMT", "ht", "Aspen"]


def table(folder, systems=SYSTEMS, said="", annotators=4):
    rows = [
        (system, f"{d}-{k}", f"d{d}", f"a{(d + a) % annotators}", 90 - 10 * s + (7 * d + k + a) % 9)
        for s, system in enumerate(systems)
        for d in range(6)
        for k in range(2)
        for a in range(2)
    ]
    header = ["system", "segment", "document", "annotator", "score"]
    pd.DataFrame(rows, columns=header).to_csv(folder / "mine.csv", index=False)
    if said:
        (folder / "campaign.yaml").write_text(said)
    return folder / "mine.csv"


def test_names_in_the_catalogue_say_who_is_human():
    names = ["ref.A", "refA", "HUMAN.0", "_ref", "Referee", "reform-2", "translator-A", "Aspen"]
    known = ["ref.A", "refA", "HUMAN.0", "_ref", "translator-A"]
    assert humans.declared(campaigns.find("demo-srdc"), names) == known


def test_names_of_ones_own_are_asked_about_and_not_guessed(tmp_path):
    told = told_of(table(tmp_path), "xx-yy")
    assert told["humans"] == [] and told["read"]["human"] == []
    (row,) = [one for one in told["read"]["how"] if one["what"] == "humans"]
    assert row["value"].startswith("Reference-WMT, ht ranked as systems; if human")
    assert "`humans: [Reference-WMT, ht]`" in row["value"]
    da = campaigns.load(tmp_path / "mine.csv")
    assert human_systems(da) == ()
    assert set(remove(da, humans=True).good["system"].unique()) == set(SYSTEMS)


def test_declared_humans_are_spoken_of_apart(tmp_path):
    file = table(tmp_path, said="humans: [S00, T00, Reference-WMT, ht]\n")
    told = told_of(file, "xx-yy")
    assert set(told["humans"]) == {"S00", "T00", "Reference-WMT", "ht"}
    assert told["machine_leader"] == "Aspen"
    assert [one for one in told["read"]["how"] if one["what"] == "humans"] == []
    da = campaigns.load(file)
    assert human_systems(da) == ("Reference-WMT", "S00", "T00", "ht")
    assert list(remove(da, humans=True).good["system"].unique()) == ["Aspen"]


def test_nothing_is_asked_once_none_is_declared(tmp_path):
    told = told_of(table(tmp_path, said="humans: []\n"), "xx-yy")
    assert [one for one in told["read"]["how"] if one["what"] == "humans"] == []


def test_a_declared_human_that_is_no_system_is_refused(tmp_path):
    file = table(tmp_path, said="humans: [Refrence-WMT]\n")
    with pytest.raises(DataError, match=r"names no system .*did you mean Reference-WMT"):
        campaigns.load(file)


def test_a_human_of_one_pair_only_is_no_fault(tmp_path):
    one = pd.read_csv(table(tmp_path, SYSTEMS)).assign(pair="cs-en")
    other = pd.read_csv(table(tmp_path, ["S00", "Aspen"])).assign(pair="de-en")
    pd.concat([one, other]).to_csv(tmp_path / "mine.csv", index=False)
    (tmp_path / "campaign.yaml").write_text("humans: [ht]\n")
    campaign = campaigns.find(tmp_path / "mine.csv")
    assert human_systems(campaigns.load(campaign, "cs-en")) == ("ht",)
    assert human_systems(campaigns.load(campaign, "de-en")) == ()


def test_humans_of_battles(tmp_path):
    rows = [("ht", "M", "model_a"), ("ht", "N", "model_a"), ("M", "N", "model_b")] * 9
    rows += [("ht", "M", "model_b"), ("N", "ht", "model_a"), ("M", "N", "model_a")]
    frame = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"]).assign(judge="j")
    frame["question_id"] = range(len(frame))
    frame.to_json(tmp_path / "arena.jsonl", orient="records", lines=True)
    (tmp_path / "campaign.yaml").write_text("humans: [ht]\n")
    assert told_of(tmp_path / "arena.jsonl", "xx-yy")["humans"] == ["ht"]


def test_the_command_line_declares_and_asks(tmp_path, capsys):
    file = table(tmp_path)
    few = ["--quiet", "--jobs", "1"]
    out = [f"output_dir={tmp_path / 'out'}"]
    assert commands.main(["verdict", str(file), *out, *few]) == 0
    assert 'humans="Reference-WMT,ht"' in capsys.readouterr().err
    assert commands.main(["verdict", str(file), "humans=ht,S00", *out, *few]) == 0
    assert "humans" not in capsys.readouterr().err
    assert '"humans": [\n  "S00",\n  "ht"\n ]' in (tmp_path / "out/xx-yy/verdict.json").read_text()
    assert commands.main(["verdict", "demo-srdc", "humans=ht"]) == 2
    assert "expected a campaign of your own" in capsys.readouterr().err


def test_of_the_command_line_empty_means_none():
    assert settings.told({"humans": ""}) == {"humans": []}
    assert settings.told({"humans": "a, b"}) == {"humans": ["a", "b"]}


@pytest.mark.parametrize(
    ("name", "human"),
    [("ref-A", True), ("Human 2", True), ("humanA", True), ("ht1", True), ("HTs", False),
     ("myReference", True), ("prefix", False), ("translatorB", True), ("translators", True),
     ("refab", False), ("human", True), ("Humans_1", True), ("refs", True), ("reform", False),
     ("the_ref", True), ("HT", True), ("whtever", False)],
)  # fmt: skip
def test_a_name_looks_human_by_a_word_in_it(name, human):
    assert humans.looks_human(name) is human


def test_names_that_look_human_are_asked_about_once_and_not_of_the_catalogue(tmp_path):
    campaign = campaigns.find(table(tmp_path))
    (row,) = humans.asked(campaign, ["B", "ht", "Aspen"])
    assert row["value"].startswith("ht ranked as a system; if human translations or references: ")
    assert row["value"].endswith('or humans="ht"; if not: `humans: []`')
    assert (row["file"], row["what"], row["said by"]) == ("all", "humans", "their names")
    assert humans.asked(campaign, ["Aspen"]) == []
    assert humans.asked(campaigns.find("demo-srdc"), ["ht"]) == []
    told = campaigns.find(table(tmp_path, said="humans: []\n"))
    assert humans.asked(told, ["ht"]) == [] and humans.declared(told, ["ht"]) == []
    assert humans.declared(campaign, ["ref-A"]) == []


def test_a_human_that_is_no_system_is_refused_with_those_there_are(tmp_path):
    campaign = campaigns.find(table(tmp_path, said="humans: [ht]\n"))
    humans.check(campaign, ["ht", "A"])
    with pytest.raises(DataError, match="`humans` names no system of the campaign") as error:
        humans.check(campaign, [f"system{k:02d}" for k in range(40)])
    every = ", ".join(f"system{k:02d}" for k in range(40))
    assert (error.value.value, error.value.expected) == ("ht", "of " + every[:200])
