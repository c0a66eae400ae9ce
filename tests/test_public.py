"""The front door: its names, their docstrings, and what importing the package does."""

import inspect
import subprocess
import sys

import pytest

import rankstability as rs

FUNCTIONS = sorted(name for name in rs.__all__ if inspect.isfunction(getattr(rs, name)))


def test_every_public_name_exists_once_and_there_are_few():
    assert len(rs.__all__) <= 50
    assert len(set(rs.__all__)) == len(rs.__all__)
    assert all(hasattr(rs, name) for name in rs.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_a_docstring_with_an_example(name):
    text = inspect.getdoc(getattr(rs, name)) or ""
    first = text.split("\n")[0]
    assert first[0].isupper() and first.endswith((".", "?"))
    assert ">>> " in text or name == "collect"


def test_importing_the_package_does_no_work_and_keeps_matplotlib_as_it_is():
    code = (
        "import matplotlib; before = dict(matplotlib.rcParams); "
        "import rankstability, sys; "
        "assert dict(matplotlib.rcParams) == before; "
        "assert 'companion' not in sys.modules and 'IPython' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_drawing_a_figure_leaves_the_settings_of_matplotlib_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    rs.plot_ranking(rs.rank_systems(rs.load("demo-srdc", "de-en")))
    assert dict(matplotlib.rcParams) == before


def test_replacing_every_sentence_by_its_code_changes_no_ranking(monkeypatch):
    from rankstability import codes

    ranking = rs.rank_systems(rs.load("demo-srdc", "de-en"))
    for table in (codes.ERRORS, codes.EXCLUSIONS, codes.NOTES):
        for code in list(table):
            monkeypatch.setitem(table, code, code)
    again = rs.rank_systems(rs.load("demo-srdc", "de-en"))
    assert again.table.equals(ranking.table)
    assert again.boundaries.equals(ranking.boundaries)
    with pytest.raises(rs.DataError) as caught:
        rs.rank_systems(rs.load("demo-srdc", "de-en"), procedure="wmt71")
    assert caught.value.code == "unknown_procedure"


def test_an_error_names_the_nearest_of_the_known_names_or_lists_them():
    def expected(value):
        error = rs.DataError("unknown_system", value=value, known=["Elm.104", "Oak.110"])
        return error.expected

    assert expected("Elm104") == "Elm.104"
    assert expected("x") == "Elm.104, Oak.110"
    assert rs.DataError("unknown_system", value="x").expected is None
