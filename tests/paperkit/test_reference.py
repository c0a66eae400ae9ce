"""Pages that explain: every column of every table, every public name."""

from __future__ import annotations

import rankstability
from paperkit import paths
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
