"""What is said of bad input, and of a package that is missing."""

from pathlib import Path

import pytest

from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import LONGEST, DataError, meant, needing, visible


def test_an_error_says_where_what_was_found_and_what_was_expected():
    error = DataError(
        "no number", file="a.csv", line=7, row="r", column="score", value="x", expected="1 to 5"
    )
    assert str(error) == (
        "a.csv, line 7, row r, column 'score': no number; found 'x'; expected 1 to 5"
    )
    assert (error.problem, error.file, error.line, error.row) == ("no number", "a.csv", 7, "r")
    assert (error.column, error.value, error.expected) == ("score", "x", "1 to 5")
    assert isinstance(error, ValueError)


def test_what_is_not_known_is_not_said_but_nought_is():
    assert str(DataError("empty")) == "empty"
    assert str(DataError("empty", value=0, row=0)) == "row 0: empty; found 0"
    assert str(DataError("empty", value="", expected="")) == "empty; found ''; expected "
    assert str(DataError("empty", column="score")) == "column 'score': empty"


def test_files_are_named_from_the_repository():
    inside = paths.ROOT / "data" / "x.csv"
    assert DataError("bad", file=inside).file == str(Path("data", "x.csv"))
    two = DataError("bad", file=[inside, paths.ROOT / "y.csv"])
    assert str(two) == f"{Path('data', 'x.csv')}, y.csv: bad"


def test_a_long_value_is_cut_after_a_thousand_characters():
    assert LONGEST == 1000
    fits = "x" * 998  # and two quotation marks
    assert str(DataError("bad", value=fits)) == f"bad; found '{fits}'"
    said = str(DataError("bad", value=fits + "yz"))
    assert said == f"bad; found '{fits}y..."


def test_a_notebook_shows_the_message_alone():
    error = DataError("bad", line=2)
    assert error._render_traceback_() == ["DataError: line 2: bad"]


def test_what_a_terminal_would_obey_is_shown_as_a_code():
    text = "a\x1b[31m\u202eb\x08\x0b\x7f\ufeff"
    assert visible(text) == r"a\x1b[31m\u202eb\x08\x0b\x7f\ufeff"
    assert visible("a\tb\nc é") == "a\tb\nc é"
    assert str(DataError("bad\x1b")) == r"bad\x1b"


def test_the_closest_known_name_is_hinted_at_and_no_distant_one():
    known = ["worker", "works", "document"]
    assert meant("worke", known) == " (did you mean worker?)"
    assert meant("segment", known) == "" and meant("worker", []) == ""
    assert meant("documents", iter(known)) == " (did you mean document?)"


@pytest.mark.parametrize("missing", ["tool", "tool.part"])
def test_a_missing_package_is_named_with_what_needs_it(missing):
    with pytest.raises(ImportError) as caught, needing("run", "tool"):
        raise ImportError(name=missing)
    assert str(caught.value) == (
        "companion.legacy.rankstability.run needs the package tool, which is not installed: "
        "pip install rankstability"
    )
    assert caught.value.name == "tool" and caught.value.__suppress_context__


@pytest.mark.parametrize("other", ["toolbox", "else", "other.tool", None])
def test_another_failure_to_import_is_left_as_it_is(other):
    failure = ImportError("broken", name=other)
    with pytest.raises(ImportError) as caught, needing("run", "tool"):
        raise failure
    assert caught.value is failure


def test_nothing_is_said_where_nothing_is_missing():
    with needing("run", "tool"):
        pass
