"""The fields of ``campaign.yaml``: each value is right, or refused with its field."""

import re
from pathlib import Path

import pytest

from companion.legacy.rankcampaigns.catalogue import WORDS_OF, Campaign
from companion.legacy.rankcampaigns.settings import (
    FIELDS,
    LARGEST,
    fit,
    read_settings,
    refuse_idle,
    told,
    write_settings,
)
from companion.legacy.rankstability import find
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.paths import DEMO

RIGHT = {
    "title": ["Ours", 2025], "style": ["SR-DC", "SR+DC"], "tool": ["Appraise"],
    "judged": ["bilingual", "monolingual"], "year": [0, 2025, 9999], "citation": ["x"],
    "licence": ["CC0"], "format": ["da", "rr"], "pair": ["cs-en"],
    "zero_variance": ["zero", "drop"],
    "scale": [[1, 5], [-0.5, 0.5]], "columns": [{"score": "mark"}],
    "annotator": [{"A": ["u1*", "u2"], "B": ["v"]}],
    "judges": [[], ["GPT-4", "gemba*"]],
    "wide": ["all", ["A", "B"]], "decimal": ["."],
    "weights": ["critical25"], "sheet": ["Ratings 2"], "missing": [["k. A.", "-"]],
    "humans": [["HT", "ref-A"], []],
    "words": [{"system": "product", "systems": "produce", "protocol": "survey"}],
}  # fmt: skip
WRONG = {
    "title": ["[a]", "true", '"a\\nb"'], "style": ["SRDC", "[SR-DC]"], "tool": ["{a: b}"],
    "judged": ["both"], "year": ["-1", "10000", "true", "'2025'", "2025.0"], "citation": ["[a]"],
    "licence": ["{}"], "format": ["[da]", "csv", "1"], "files": ["a.csv", "[[a]]", "[absent.csv]"],
    "pair": ["cs", "1", "[cs-en]"], "zero_variance": ["none", "0"],
    "scale": ["5", "[5]", "[1, 2, 3]", "[5, 1]", "[1, 1]", "[a, b]", "[0, true]", "'15'",
              "[0, .inf]", "[-.inf, 5]", f"[0, {'9' * 99}]", "[-1.0e+308, 1.0e+308]"],
    "annotator": ["A", "[a]", "{A: {b: c}}", "{A: [[u]]}", "{A: true}"],
    "judges": ["GPT-4", "{}", "[[a]]", "[true]", "{file: [a]}", "{file: absent.tsv}", "true"],
    "adaptive": ["waves", "1", "[true]"],
    "humans": ["HT", "{a: b}", "[[a]]", "[true]"],
    "sheet": ["[a]", "{a: b}", "true"], "missing": ["k. A.", "{a: b}", "[[a]]", "[true]"],
    "wide": ["some", "[A]", "[A, A]", "{A: B}"], "decimal": [";", "[.]", "1"],
    "weights": ["[critical25]", "25", "{Critical: 25}"],
    "words": ["model", "{judge: user}", "{system: ''}", "{system: 3}", '{system: "a\\nb"}'],
    "columns": ["score", "{points: score}", "{score: [a]}", "{score: mark, time: mark}"],
}  # fmt: skip


@pytest.mark.parametrize("field", FIELDS)
def test_a_value_is_kept_or_refused_with_its_field(field, tmp_path):
    file = tmp_path / "campaign.yaml"
    for value in RIGHT.get(field, []):
        file.write_text(f"{field}: {value}\n")
        assert read_settings(file) == {field: value}
    for text in WRONG[field]:
        file.write_text(f"{field}: {text}\n")
        with pytest.raises(DataError) as error:
            read_settings(file)
        assert error.value.column == field and error.value.expected
        assert str(file.parent.name) in str(error.value)


def test_a_word_of_ones_own_has_at_most_40_characters(tmp_path):
    file = tmp_path / "campaign.yaml"
    file.write_text(f"words: {{system: {'x' * 40}}}\n")
    assert read_settings(file)["words"] == {"system": "x" * 40}
    file.write_text(f"words: {{system: {'x' * 41}}}\n")
    with pytest.raises(DataError, match="words"):
        read_settings(file)


def test_settings_of_64_kib_are_read_and_of_one_byte_more_refused(tmp_path):
    file = tmp_path / "campaign.yaml"
    assert read_settings(file) == {}
    file.write_text("title: x\n" + "#" * (LARGEST - 9))
    assert LARGEST == 2**16 and read_settings(file) == {"title": "x"}
    file.write_text("title: x\n" + "#" * (LARGEST - 8))
    with pytest.raises(DataError, match="too large for settings; found '65537 bytes'"):
        read_settings(file)


@pytest.mark.parametrize("text", ["scale: [1, 5]\nscale: [0, 100]", "columns:\n  {hit: a, hit: b}"])
def test_a_field_that_stands_twice_is_refused_with_its_line(text, tmp_path):
    file = tmp_path / "campaign.yaml"
    file.write_text(text + "\n")
    with pytest.raises(DataError, match=r"line 2: not YAML: (scale|hit) appears"):
        read_settings(file)


@pytest.mark.parametrize(
    ("text", "words"),
    [("a: &x [1]\ntitle: *x", "line 2: not YAML: aliases and tags are not read"),
     ("year: !!timestamp x", "line 1: not YAML: aliases and tags are not read"),
     ("title: " + "[" * 5000, "not YAML"),
     ("year: 2025-99-99", "not YAML|not a year"), ("- a", "not a mapping"),
     ("colour: red", "'colour': unknown field")],
)  # fmt: skip
def test_settings_are_plain(tmp_path, text, words):
    (tmp_path / "campaign.yaml").write_text(text + "\n")
    with pytest.raises(DataError, match=words):
        read_settings(tmp_path / "campaign.yaml")


@pytest.mark.parametrize("line", [1, 2, 3, 4])
def test_what_is_no_yaml_is_named_with_its_line(line, tmp_path):
    file = tmp_path / "campaign.yaml"
    rows = ["title: Ours", "tool: Appraise", "year: 2020", "judged: bilingual"]
    rows[line - 1] = "a: b: c"
    file.write_text("\n".join(rows) + "\n")
    with pytest.raises(DataError, match="not YAML: mapping values are not allowed") as error:
        read_settings(file)
    assert error.value.line == line


@pytest.mark.parametrize("number", ["9" * 20_000, "0x" + "F" * 20_000, "1" + ":1" * 200 + ".5"])
@pytest.mark.parametrize(
    "field", ["year: {}", "title: {}", "scale: [0, {}]", "columns: {{hit: {}}}"]
)
def test_a_number_without_end_is_refused_with_its_line(tmp_path, field, number):
    file = tmp_path / "campaign.yaml"
    file.write_text(f"tool: Ours\n{field.format(number)}\n")
    with pytest.raises(DataError, match="a number of more than 100 characters") as error:
        read_settings(file)
    assert error.value.line == 2 and len(str(error.value)) < 500


@pytest.mark.parametrize("form", ["title: sha512-{}", "title: '{}'", "title: x  # {}"])
def test_digits_without_end_are_no_number_in_a_text_or_comment(tmp_path, form):
    file = tmp_path / "campaign.yaml"
    file.write_text(form.format("01234567" * 16))
    assert set(read_settings(file)) == {"title"}


@pytest.mark.parametrize("end", ["9" * 101, "{", "!!timestamp x", "2025-99-99", "*x"])
def test_a_scale_of_the_command_line_without_numbers_is_refused(end):
    with pytest.raises(DataError, match="'scale': not a scale"):
        told({"scale": f"1, {end}"})


def spoken(folder: Path, header: str, settings: str = "") -> Campaign:
    folder.mkdir(exist_ok=True)
    rows = [
        f"{system},{segment},u{segment},{segment}" for system in "AB" for segment in range(1, 6)
    ]
    (folder / "survey.csv").write_text("\n".join([header, *rows]))
    (folder / "campaign.yaml").write_text(settings or "title: Ours")
    return find(folder)


def test_a_campaign_is_spoken_of_in_its_own_words(tmp_path: Path) -> None:
    plain = spoken(tmp_path / "a", "system,segment,annotator,score")
    assert (plain.words["system"], plain.words["annotators"]) == ("system", "annotators")
    assert plain.words["protocol"] == "single scores"
    assert WORDS_OF["esa"]["protocol"] == "error span annotation"
    assert plain.unsaid == {"pair", "document"}
    named = spoken(tmp_path / "b", "Model,segment,Rater,score", "pair: cs-en")
    assert (named.words["systems"], named.words["annotator"]) == ("models", "rater")
    assert named.unsaid == {"document"}
    words = "words: {system: entry, annotator: person, annotators: people, protocol: survey}"
    told = spoken(tmp_path / "c", "Model,segment,Rater,score", words).words
    assert (told["systems"], told["annotators"]) == ("entries", "people")
    assert told["protocol"] == "survey"


def test_protocols_have_words_of_their_own() -> None:
    for name, annotator in (("rr", "judge"), ("mqm", "rater"), ("srdc", "annotator")):
        campaign = find(f"demo-{name}")
        assert campaign.words["annotator"] == annotator and campaign.unsaid == set()


@pytest.mark.parametrize(
    ("words", "setting"),
    [({"columns": "system=MT engine, score=Adequacy (0-100)"},
      {"system": "MT engine", "score": "Adequacy (0-100)"}),
     ({"columns": "score=a, b,left = x"}, None), ({"columns": "left=x, y,winner=z"},
      {"left": "x, y", "winner": "z"}), ({"columns": "score="}, None),
     ({"wide": "A, B"}, ["A", "B"]), ({"wide": "all"}, "all"), ({"scale": "[1, 5]"}, [1, 5]),
     ({"scale": "0,1.5"}, [0, 1.5]), ({"missing": "k. A., -,"}, ["k. A.", "-"]),
     ({"humans": ""}, []), ({"humans": "HT"}, ["HT"]), ({"sheet": "R 1"}, "R 1"),
     ({"judges": "A:a.csv, B:b.csv"}, {"A": "a.csv", "B": "b.csv"}),
     ({"judges": "A:a.csv, B"}, ["A:a.csv", "B"])],
)  # fmt: skip
def test_settings_of_the_command_line_have_the_form_of_the_file(words, setting):
    if setting is None:
        with pytest.raises(DataError, match="not a mapping of columns"):
            told(words)
    else:
        (name,) = words
        assert told(words) == {name: setting}


def test_settings_of_the_command_line_fit_the_format_of_a_campaign_of_ones_own(tmp_path):
    mqm = tmp_path / "mqm_mine_ende.tsv"
    mqm.write_bytes((DEMO / "demo-mqm" / "mqm_demo_ende.3ratingsPerSegment.tsv").read_bytes())
    fit({"weights": "critical25", "humans": [], "judges": []}, find(mqm))
    with pytest.raises(DataError, match="settings of a table: scale, missing") as error:
        fit({"weights": "critical25", "scale": [0, 1], "missing": ["-"]}, find(mqm))
    assert error.value.value == "mqm_mine_ende, format mqm"
    assert error.value.expected == "a table of your own in the format long"
    long = spoken(tmp_path / "a", "system,segment,annotator,score")
    fit({"scale": [0, 1], "columns": {"score": "score"}}, long)
    with pytest.raises(DataError, match="settings of a table: weights") as error:
        fit({"weights": "critical25"}, long)
    assert (
        error.value.expected == "a table of your own in the format appraise-mqm or bio-mqm or mqm"
    )
    with pytest.raises(DataError, match="settings of a table: humans") as error:
        fit({"humans": []}, find("demo-mqm"))
    assert error.value.expected == "a campaign of your own"
    fit({}, find("demo-mqm"))


@pytest.mark.parametrize(
    ("form", "idle"),
    [("long", {"weights"}), ("mtme", {"weights", "annotator", "zero_variance", "columns", "wide"}),
     ("esa", {"weights", "scale", "columns"}), ("rr", {"scale", "annotator", "zero_variance"}),
     ("mqm", {"scale", "annotator", "columns", "decimal", "sheet", "missing"}),
     ("battles", {"weights", "wide", "scale"}), ("da", {"annotator", "scale"})],
)  # fmt: skip
def test_a_setting_does_nothing_for_some_formats_and_is_refused_there(form, idle, tmp_path):
    every = "title pair humans judges weights annotator zero_variance columns wide scale decimal"
    refused = set()
    for name in [*every.split(), "sheet", "missing"]:
        try:
            refuse_idle({name: "x"}, form, tmp_path / "campaign.yaml")
        except DataError as error:
            assert (error.column, error.value) == (name, "x")
            refused.add(name)
    assert idle <= refused and not refused & {"title", "humans", "judges", "pair"}
    assert ("zero_variance" in refused) == (form in ("mtme", "rr", "mqm", "battles"))


def test_files_and_judges_of_settings_are_in_the_folder_and_each_once(tmp_path):
    file = tmp_path / "campaign.yaml"
    (tmp_path / "a.csv").write_text("x")
    (tmp_path / "b.csv.gz").write_bytes(b"y")
    file.write_text("files: [a.csv, b.csv]\njudges: {G: a.csv}\n")
    assert read_settings(file)["files"] == ["a.csv", "b.csv"]
    for said, words in (
        ("files: [../a.csv]", "no file ../a.csv in the folder"),
        ("files: [c.csv]", "no file c.csv in the folder"),
        ("files: [b.csv, b.csv.gz]", "b.csv.gz appears twice"),
        ("judges: {G: ../a.csv}", "no such file of judges in the folder"),
        ("judges: {G: c.csv}", "no such file of judges in the folder"),
    ):
        file.write_text(said + "\n")
        with pytest.raises(DataError, match=re.escape(words)) as error:
            read_settings(file)
        assert error.value.column == said.partition(":")[0]


def test_values_of_settings_are_text_where_readers_take_text(tmp_path):
    file = tmp_path / "campaign.yaml"
    file.write_text(
        "pair: English-German\ncolumns: {score: 5}\nmissing: [9]\nhumans: [1]\nwide: [1, 2]\n"
        "annotator: {1: 2, A: [3, b]}\n"
    )
    assert read_settings(file) == {
        "pair": "en-de", "columns": {"score": "5"}, "missing": ["9"], "humans": ["1"],
        "wide": ["1", "2"], "annotator": {"1": ["2"], "A": ["3", "b"]},
    }  # fmt: skip


def test_an_unknown_or_long_value_is_cut_where_it_is_shown(tmp_path):
    file = tmp_path / "campaign.yaml"
    for length, shown in ((79, 79), (80, 80), (200, 80)):
        for name, problem in (("colour", "unknown field"), ("style", "unknown style")):
            file.write_text(f"{name}: {'x' * length}\n")
            with pytest.raises(DataError, match=problem) as error:
                read_settings(file)
            assert error.value.value == "x" * shown
    file.write_text("")
    with pytest.raises(DataError, match="the file is empty"):
        read_settings(file)
    file.write_text("# only a comment\n")
    assert read_settings(file) == {}


@pytest.mark.parametrize(
    ("scale", "fine"),
    [
        ([0, 1e9], True),
        ([-1e9, 0], True),
        ([0, 1e9 + 1], False),
        ([-1e9 - 1, 0], False),
        ([1, 1], False),
    ],
)
def test_the_ends_of_a_scale_are_at_most_a_thousand_million_from_zero(scale, fine, tmp_path):
    file = tmp_path / "campaign.yaml"
    file.write_text(f"scale: [{scale[0]:.1f}, {scale[1]:.1f}]\n")
    if fine:
        assert read_settings(file)["scale"] == scale
    else:
        with pytest.raises(DataError, match="not a scale"):
            read_settings(file)


def test_a_number_of_100_characters_is_one_and_of_101_none(tmp_path):
    file = tmp_path / "campaign.yaml"
    file.write_text(f"title: {'1' * 100}\n")
    assert read_settings(file) == {"title": int("1" * 100)}
    file.write_text(f"title: {'1' * 101}\n")
    with pytest.raises(DataError, match="a number of more than 100 characters"):
        read_settings(file)


def test_settings_are_written_for_the_tables_of_a_folder_alike(tmp_path):
    rows = "\n".join(f"{s},{k},{10 * k}" for s in "AB" for k in range(5))
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"engine,nr,mark\n{rows}\n".replace("A,", f"{name},"))
    columns = {"system": "engine", "segment": "nr", "score": "mark"}
    written = write_settings(tmp_path, {"columns": columns}).read_text()
    assert written == "columns: {system: engine, segment: nr, score: mark}\n"
    (tmp_path / "campaign.yaml").unlink()
    alone = write_settings(tmp_path / "a.csv", {"columns": columns}).read_text()
    assert alone == written + "files: [a.csv]\n"
    (tmp_path / "campaign.yaml").unlink()
    (tmp_path / "b.csv").write_text("engine,seg,mark\n" + rows + "\n")
    with pytest.raises(DataError):
        write_settings(tmp_path, {"columns": columns})
    assert not (tmp_path / "campaign.yaml").exists()
    (tmp_path / "b.csv").write_text("left,right,winner\nA,B,left\n")
    with pytest.raises(DataError, match="no long table"):
        write_settings(tmp_path, {})
