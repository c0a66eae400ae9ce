"""Pages that explain: every column of every table, every public name."""

import re

import pandas as pd

import rankstability
from paperkit import pages, paths
from paperkit.templates import HERE
from rankcompanion import front


def test_every_column_of_the_tables_in_the_repository_is_explained():
    tables = front.headers(paths.FIGURES)
    assert len(tables) > 100
    unexplained = {
        (*where, row["name"])
        for where, columns in tables.items()
        for row in front.meanings(where[1], columns)
        if not row["text"]
    }
    assert unexplained == set()


def test_a_column_that_nothing_explains_is_not_hidden(tmp_path):
    folder = tmp_path / "wmtx" / "99_new" / "cs-en"
    folder.mkdir(parents=True)
    (folder / "made.csv").write_text("system,mean_z,mystery\nA,1,2\n")
    [group] = front.tables(tmp_path)
    assert group["notebook"] == "99_new" and group["tables"][0]["name"] == "made"
    told = {row["name"]: row["text"] for row in group["tables"][0]["columns"]}
    assert list(told) == ["system", "mean_z", "mystery"]
    assert told["mystery"] == "" and "name of the system" in told["system"]


def test_columns_named_after_data_are_one_row():
    told = front.meanings("documents_z", ["document", "<A>", "B"])
    assert [row["name"] for row in told] == ["document", "(a system)"]


def test_every_public_name_has_its_help():
    assert [row["name"] for row in front.names()] == list(rankstability.__all__)
    assert all(len(row["doc"]) > 30 for row in front.names())


def test_the_page_on_trust_counts_what_was_measured(tmp_path):
    """Settings by design, the worst of each, and every setting above what chance allows."""
    made = front.trust(tmp_path)
    cells = pd.read_csv(tmp_path / "certainty.csv")
    assert sum(row["cells"] for row in made["rows"]) == made["cells"] == len(cells) > 200
    assert {row["design"]: row["worst"] for row in made["rows"]} == dict(
        cells.groupby("design")["false"].max()
    )
    assert len(made["above"]) == (cells["false"] > cells["limit"]).sum()
    assert all(row["contradictions"] == 0 for row in made["rows"])
    lines = cells.groupby("design")["lines_true"].max() > 0
    for row in made["rows"]:  # without any true line, there is no share of them
        assert 0 <= row["power"] <= 1 if lines[row["design"]] else pd.isna(row["power"])
    assert front.trust(tmp_path, tmp_path / "none.csv") == {"rows": []}
    page = (paths.ROOT / "lib" / "paperkit" / "trust.html.j2").read_text(encoding="utf-8")
    assert all(f'"{row["design"]}": "' in page for row in made["rows"])


def test_code_leads_to_the_functions_that_it_calls():
    cells = [
        {"id": "a", "cell_type": "code", "source": "from rankstability.rank import systems as s"},
        {"id": "b", "cell_type": "code", "source": "from rankstability import load\nload('x')"},
        {"id": "c", "cell_type": "code", "source": "s.rank_systems(load('x')); s.nothing(print())"},
        {"id": "d", "cell_type": "code", "source": "this is no code"},
        {"id": "e", "cell_type": "markdown", "source": "s.rank_systems()"},
    ]
    called = pages.calls(cells)
    ours = "rankstability.rank.systems.rank_systems"
    assert called == {"a": [], "b": ["rankstability.load"], "c": [ours, "rankstability.load"]} | {
        "d": [], "e": []
    }  # fmt: skip
    behind = {row["name"]: row for row in front.behind([ours, "rankstability.no.such"])}
    assert behind[ours]["source"].startswith("def rank_systems(") and behind[ours]["doc"]
    assert "rankstability.no.such" not in behind and len(behind) > 10  # those of the glossary


def test_every_function_that_the_glossary_names_is_there():
    text = (HERE / "glossary.html.j2").read_text(encoding="utf-8")
    named = set(re.findall(r"<code>(rank[\w.]+)</code>", text))
    assert named == {row["name"] for row in front.behind([])} and len(named) > 15
