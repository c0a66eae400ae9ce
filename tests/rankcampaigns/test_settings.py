"""The fields of ``campaign.yaml``: each value is right, or refused with its field."""

from pathlib import Path

import pytest

from rankcampaigns.catalogue import WORDS_OF, Campaign
from rankcampaigns.settings import FIELDS, LARGEST, read_settings, told
from rankstability import find
from rankstability.errors import DataError

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
