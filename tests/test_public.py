"""The front door: its names, their docstrings, and what importing the package does."""

import inspect
import json
import subprocess
import sys

import pandas as pd
import pytest

import rankstability as rs
from rankstability import codes
from rankstability.verdict.words import tables

FUNCTIONS = sorted(name for name in rs.__all__ if inspect.isfunction(getattr(rs, name)))


def test_every_public_name_exists_once():
    assert len(set(rs.__all__)) == len(rs.__all__)
    assert all(hasattr(rs, name) for name in rs.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_a_docstring_with_an_example(name):
    text = inspect.getdoc(getattr(rs, name)) or ""
    first = text.split("\n")[0]
    assert first[0].isupper() and first.endswith((".", "?"))
    assert ">>> " in text or name in ("collect", "escape_invisible", "suggest")


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


def replace_sentences(monkeypatch):
    """Replace each sentence, noun and phrase by its code, also those of verdict pages."""
    for table in (codes.ERRORS, codes.EXCLUSIONS, codes.NOTES, codes.PLANS, codes.REASONS):
        for code in list(table):
            monkeypatch.setitem(table, code, code)
    code_lists = ("columns", "listening", "breaks_promise")  # of words.yaml: names and codes
    branches = [branch for key, branch in tables().items() if key not in code_lists]
    while branches:
        branch = branches.pop()
        for key, value in list(branch.items()) if isinstance(branch, dict) else []:
            branches.append(value)
            if isinstance(value, str):
                monkeypatch.setitem(branch, key, str(key))


def results_of(judgments):
    """Return tables of rankings, removals, plans and the facts of a verdict."""
    ranking = rs.rank_systems(judgments)
    without = rs.rank_systems(rs.remove(judgments, systems=[ranking.systems[-1]]))
    page = rs.verdict(judgments)
    facts = json.loads(json.dumps(page.facts))
    for row in facts["plan"]:
        del row["description"]
    tables = [
        judgments.excluded,
        ranking.table,
        ranking.boundaries,
        ranking.pairs,
        without.table,
        rs.compare(ranking, without).summary(),
        rs.fewest_removals(judgments),
        rs.plan(judgments).drop(columns="description"),
    ]
    if judgments.kind == "direct_assessment":
        tables.append(rs.rank_systems(rs.degrade(judgments, 2)).table)
        tables.append(rs.segment_scores(judgments, rs.z_scores(judgments)))
    return tables, facts, page.html


@pytest.mark.parametrize("campaign, pair", [("demo-srdc", "de-en"), ("demo-rr", "cs-en")])
def test_replacing_every_sentence_by_its_code_changes_no_number(
    campaign, pair, monkeypatch, tmp_path
):
    before, facts, page = results_of(rs.load(campaign, pair))
    rs.save(tmp_path / "before", ranking=before[1])
    replace_sentences(monkeypatch)
    after, facts_again, page_again = results_of(rs.load(campaign, pair))
    for first, second in zip(before, after, strict=True):
        pd.testing.assert_frame_equal(first, second, check_exact=True)
    assert facts_again == facts
    assert page_again != page  # the sentences were replaced
    rs.save(tmp_path / "after", ranking=after[1])
    saved = [(tmp_path / name / "ranking.csv").read_bytes() for name in ("before", "after")]
    assert saved[0] == saved[1]


def test_an_error_keeps_its_code_without_its_sentence(monkeypatch):
    judgments = rs.load("demo-srdc", "de-en")
    replace_sentences(monkeypatch)
    for arguments, code in [
        ({"procedure": "wmt71"}, "unknown_procedure"),
        ({"unit": "sentence"}, "unknown_unit"),
        ({"alpha": 2}, "bad_alpha"),
    ]:
        with pytest.raises(rs.DataError) as caught:
            rs.rank_systems(judgments, **arguments)
        assert caught.value.code == code


def test_columns_without_known_names_are_refused_alike_without_sentences(monkeypatch):
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": [3.0, 4.0]})
    found = []
    for _ in range(2):
        with pytest.raises(rs.DataError) as caught:
            rs.judgments(frame)
        found.append((caught.value.code, caught.value.column, caught.value.value))
        replace_sentences(monkeypatch)
    assert found[0] == found[1]
