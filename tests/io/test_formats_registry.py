"""Which format a file has, and what a user may declare beside a file of a known format."""

from pathlib import Path

import pytest

from rankstability.errors import DataError
from rankstability.io.formats import FORMATS, detect, read_as, table
from rankstability.io.paths import demo_folder

DA = "HIT anna de en ad 1 {} 10 SYSTEM {} {} 3.5"


def write(folder: Path, *rows: tuple[str, str, int]) -> Path:
    lines = [DA.format(*row) for row in rows]
    (folder / "x.csv").write_text("".join(line.replace(" ", "\t") + "\n" for line in lines))
    return folder / "x.csv"


def test_each_format_is_named_once_with_its_fields() -> None:
    formats = table()
    assert formats["format"].tolist() == list(FORMATS)
    assert formats["fields"].str.len().min() > 10
    assert (formats["about"].str.len() > 20).all()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("demo-srdc", "wmt_da"),
        ("demo-rr", "relative_ranking"),
        ("demo-mqm", "mqm"),
        ("ratings.csv", None),
        ("leaderboard.csv", None),
        ("demo-judges", None),
    ],
)
def test_formats_of_the_demonstration_data(path: str, name: str | None) -> None:
    assert detect(demo_folder() / path) == name


def test_what_is_declared_is_kept(tmp_path: Path) -> None:
    file = write(tmp_path, ("Aspen", "1", 80), ("Birch", "1", 60))
    words = {"humans": ["Aspen"], "year": 2021, "title": "Mine"}
    judgments = read_as("wmt_da", file, words)
    assert (judgments.humans, judgments.year, judgments.campaign) == (("Aspen",), 2021, "Mine")
    assert judgments.protocol == "DA"
    assert judgments.declared == words


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"humans": ["Aspem"]}, "unknown_system"),
        ({"controls": ["Cedar"]}, "unknown_system"),
        ({"models": ["gpt-4"]}, "unknown_annotator"),
        ({"unmarked": "clean"}, "word_without_effect"),
        ({"lower_is_better": True}, "word_without_effect"),
    ],
)
def test_declarations_that_fit_nothing_are_refused(tmp_path: Path, words: dict, code: str) -> None:
    file = write(tmp_path, ("Aspen", "1", 80), ("Birch", "1", 60))
    with pytest.raises(DataError) as error:
        read_as("wmt_da", file, words)
    assert error.value.code == code


def test_names_that_differ_only_in_case_stop_unless_the_user_says_more(tmp_path: Path) -> None:
    file = write(tmp_path, ("Aspen", "1", 80), ("aspen", "2", 60), ("Birch", "1", 50))
    with pytest.raises(DataError) as error:
        read_as("wmt_da", file, {})
    assert error.value.code == "names_alike"
    assert read_as("wmt_da", file, {"names": "exact"}).table["system"].nunique() == 3
    joined = read_as("wmt_da", file, {"codes": {"aspen": "Aspen"}})
    assert joined.table["system"].nunique() == joined.all_rows["system"].nunique() == 2


def test_totals_among_the_systems_stop(tmp_path: Path) -> None:
    file = write(tmp_path, ("Aspen", "1", 80), ("Average", "1", 60), ("Birch", "1", 50))
    with pytest.raises(DataError) as error:
        read_as("wmt_da", file, {})
    assert error.value.code == "rows_that_are_no_judgments"


def test_several_language_pairs_are_several_judgments(tmp_path: Path) -> None:
    every = read_as("wmt_da", demo_folder() / "demo-srdc", {})
    assert sorted(every) == ["de-en", "en-cs"]


def test_files_of_two_formats_are_refused(tmp_path: Path) -> None:
    for name in ("demo-rr/demo.RNK_results.csv", "demo-mqm/mqm_demo_ende.3ratingsPerSegment.tsv"):
        (tmp_path / Path(name).name).write_bytes((demo_folder() / name).read_bytes())
    with pytest.raises(DataError) as error:
        detect(tmp_path)
    assert error.value.code == "several_formats"
