"""Every column of every table in the repository is explained, and links to CSV files say so."""

from companion.legacy.paperkit import columns, paths


def tables_kept():
    """The columns of each table, over all campaigns and pairs in the repository."""
    seen = {}
    for file in sorted(paths.FIGURES.glob("*/[0-9]*/**/*.csv")):
        seen.setdefault(file.stem, {}).update(dict.fromkeys(columns.header(file)))
    return {table: list(of) for table, of in seen.items()}


def test_every_column_of_the_tables_in_the_repository_is_explained():
    tables = tables_kept()
    assert len(tables) > 40
    unexplained = {
        (table, row["name"])
        for table, of in tables.items()
        for row in columns.meanings(table, of)
        if not row["text"]
    }
    assert unexplained == set()


def test_a_column_that_nothing_explains_is_not_hidden(tmp_path):
    (tmp_path / "made.csv").write_text("system,mean_z,mystery\nA,1,2\n")
    first, second, third = columns.told(tmp_path / "made.csv").splitlines()
    assert first.startswith("system: name of the system") and second.startswith("mean_z: mean of")
    assert third == "mystery: "


def test_columns_named_after_data_are_one_row():
    told = columns.meanings("documents_z", ["document", "<A>", "B"])
    assert [row["name"] for row in told] == ["document", "(a system)"]


def test_what_is_said_of_a_table_comes_before_its_columns(tmp_path):
    (tmp_path / "domains.csv").write_text("domain,leader\n")
    about, domain, leader = columns.told(tmp_path / "domains.csv").splitlines()
    assert about == "the recipe's ranking in each domain on its own"
    first = "leader: system that is first (the highest mean, or the greatest strength)"
    assert leader == first and domain.startswith("domain: ")
