"""``campaign.yaml``: every value is text, keys stand once, and the words come back as written."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.declare import check_words
from rankstability.io.read import read
from rankstability.io.settings import read_settings, settings_text, write_settings

TABLE = "model,item,stars\nno,1,4\nyes,1,3\nno,2,5\nyes,2,2\n"


def settings(folder: Path, text: str) -> Path:
    path = folder / "campaign.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def code_of(path: Path) -> tuple[str, int | None]:
    with pytest.raises(DataError) as error:
        read_settings(path)
    return error.value.code, error.value.line


def test_every_value_is_text(tmp_path: Path) -> None:
    path = settings(tmp_path, "humans: [no, 017, 1.50, null, ~]\nsystem: yes\nyear: 2024\n")
    found = read_settings(path)
    assert found == {"humans": ["no", "017", "1.50", "null", "~"], "system": "yes", "year": "2024"}


def test_a_name_no_stays_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    words = "data: a.csv\nsystem: model\nsegment: item\nscore: stars\nhumans: [no]\n"
    found = read(settings(tmp_path, words))
    assert found.humans == ("no",)
    assert found.systems == ["no", "yes"]


@pytest.mark.parametrize(
    "text, code, line",
    [
        ("system: a\nscore: b\nsystem: c\n", "setting_twice", 3),
        ("codes:\n  A: left\n  A: right\n", "setting_twice", 3),
        ("- system\n- score\n", "broken_settings", 1),
        ("just text\n", "broken_settings", 1),
        ("system: [a\n", "broken_settings", 2),
        ("system: &x a\nscore: *x\n", "broken_settings", None),
        ("? [a, b]\n: c\n", "broken_settings", 1),
        ("a: " + "[" * 5000 + "]" * 5000 + "\n", "broken_settings", 1),
        ("system: a\n---\nsystem: b\n", "broken_settings", 2),
        ("\x00", "broken_settings", None),
    ],
)
def test_broken_settings_are_refused(
    text: str, code: str, line: int | None, tmp_path: Path
) -> None:
    assert code_of(settings(tmp_path, text)) == (code, line)


def test_settings_that_are_not_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "campaign.yaml"
    path.write_bytes(b"system: \xff\xfe\xfa\n")
    assert code_of(path)[0] == "not_utf8"
    path.write_bytes(b"#" * (1 << 21))
    assert code_of(path)[0] == "broken_settings"


@pytest.mark.parametrize(
    "text, code, near",
    [
        ("sistem: model\n", "unknown_setting", "system"),
        ("lower is better: true\n", "unknown_setting", "lower_is_better"),
        ("scale: [5, 1]\n", "bad_setting", "two numbers"),
        ("scale: 5\n", "bad_setting", "two numbers"),
        ("header: first\n", "bad_setting", "whole number"),
        ("system: [a, b]\n", "bad_setting", "one name"),
        ("codes: left\n", "bad_setting", "name=value"),
        ("lower-is-better: perhaps\n", "bad_setting", "true or false"),
        ("names: inexact\n", "bad_setting", "exact"),
        ("unmarked: dirty\n", "bad_setting", "clean"),
        ("order: known\n", "bad_setting", "unknown"),
    ],
)
def test_a_wrong_setting_stops_with_its_name(
    text: str, code: str, near: str, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    with pytest.raises(DataError) as error:
        read(settings(tmp_path, "data: a.csv\n" + text))
    assert error.value.code == code
    assert near in str(error.value.expected)
    assert str(error.value.file).endswith("campaign.yaml")


WORDS: dict[str, Any] = {
    "system": "sys{n}", "score": "Adequacy: 0-100 {n}", "codes": {"A=B": "tie", "-1": "right"},
    "wide": ["no", "null", "1e3", "[x]", "ä # b"], "scale": (0.0, 100.0), "lower_is_better": True,
    "where": {"status!": ["test", "draft"]}, "header": 2, "humans": ["HUMAN-A"], "names": "exact",
}  # fmt: skip


def test_words_come_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "campaign.yaml"
    write_settings(WORDS, path, "a b.csv")
    found = read_settings(path)
    assert found.pop("data") == "a b.csv"
    assert check_words(found) == check_words(WORDS)
    assert not list(tmp_path.glob("*.partial"))
    for name, value in WORDS.items():
        path.write_text(settings_text({name: value}), encoding="utf-8")
        assert check_words(read_settings(path)) == check_words({name: value})


def test_settings_beside_the_data_apply_and_words_come_first(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(TABLE)
    settings(tmp_path, "system: model\nsegment: item\nscore: stars\nscale: [1, 5]\n")
    assert read(file).scale == (1.0, 5.0)
    assert read(file, scale=(0, 5)).scale == (0.0, 5.0)
    (tmp_path / "b.csv").write_text("system,segment,score\nA,1,1\nB,1,2\n")
    settings(tmp_path, "data: a.csv\nsystem: model\nsegment: item\nscore: stars\n")
    assert read(tmp_path / "b.csv").systems == ["A", "B"]  # the settings are about another file


def test_settings_name_files_of_a_folder(tmp_path: Path) -> None:
    for system in ("Ash", "Elm"):
        (tmp_path / "runs" / system).mkdir(parents=True)
        rows = pd.DataFrame({"doc": [1, 2], "score": [len(system), 4]})
        rows.to_csv(tmp_path / "runs" / system / "out.csv", index=False)
    words = 'data: runs\nfiles: "{system}/*.csv"\nsegment: doc\n'
    assert read(settings(tmp_path, words)).systems == ["Ash", "Elm"]


def test_settings_without_their_data_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read(settings(tmp_path, "data: missing.csv\n"))
    assert error.value.code == "no_such_file"
    with pytest.raises(DataError) as error:
        read(tmp_path / "nothing.yaml")
    assert error.value.code == "no_such_file"
