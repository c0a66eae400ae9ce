"""The ledger: gathered, ordered, summarised; nothing of the demo campaigns in it."""

import importlib

import pandas as pd
import pytest

from companion.legacy.paperkit import claims, paths
from companion.legacy.rankcompanion.report import findings, ledger


def write_claims(figures, campaign, notebook, rows):
    folder = figures / campaign / notebook
    folder.mkdir(parents=True)
    pd.DataFrame(rows, columns=claims.COLUMNS).to_csv(folder / "claims.csv", index=False)


def row(place, cell, status="exact", paper="knowles2021", ours="1", provenance="official"):
    ours = "" if status == "no data" else ours
    return (paper, place, cell, "1", ours, status, "why" * (status != "exact"), provenance)


@pytest.fixture
def published(tmp_path):
    folder = tmp_path / "published"
    folder.mkdir()
    keys = [("Table 10", "b"), ("Table 10", "a"), ("Table 2", "c"), ("Table 2", "never run")]
    frame = pd.DataFrame(
        [("knowles2021", *k, "1") for k in keys], columns=[*findings.KEY, "published"]
    )
    frame["no_data"] = frame["cell"].map({"c": "lost"})
    frame.to_csv(folder / "knowles2021.csv", index=False)
    return folder


def test_order_is_that_of_the_published_file_and_unknown_cells_come_last(tmp_path, published):
    figures = tmp_path / "figures"
    write_claims(figures, "wmt21", "02_x", [row("Table 2", "c"), row("Figure 9", "z")])
    write_claims(figures, "wmt18", "01_x", [row("Table 10", "a"), row("Table 10", "b")])
    write_claims(figures, "wmt10", "07_x", [row("Table 1", "k", paper="bojar2011")])
    write_claims(figures, "demo-srdc", "01_x", [row("Table 2", "never run")])
    rows = ledger.gather(figures, published, {})
    assert rows["cell"].tolist() == ["k", "b", "a", "c", "never run", "z"]
    left = rows.set_index("cell").loc["never run"]
    assert left["status"] == "no data" and left["reason"] == "the data are not here"
    assert ledger.uncovered(rows, published).empty


def test_a_row_without_data_gives_way_and_equal_rows_are_kept_once(tmp_path, published):
    figures = tmp_path / "figures"
    write_claims(
        figures, "wmt18", "01_x", [row("Table 10", "a", "no data"), row("Table 2", "c", "no data")]
    )
    write_claims(
        figures, "wmt21", "01_x", [row("Table 10", "a", "differs"), row("Table 2", "c", "no data")]
    )
    write_claims(figures, "wmt21", "02_x", [row("Table 10", "a", "differs")])
    rows = ledger.gather(figures, published, {})
    rows = rows[rows["cell"].isin(["a", "c"])]
    assert rows[["cell", "status"]].values.tolist() == [["a", "differs"], ["c", "no data"]]
    # the same cell from data of another provenance is another fact
    write_claims(
        figures, "wmt20", "01_x", [row("Table 10", "a", ours="1.0", provenance="rebuilt from z")]
    )
    assert (ledger.gather(figures, published, {})["cell"] == "a").sum() == 2


def test_summary_counts_and_readme(tmp_path, published):
    figures, readme = tmp_path / "figures", tmp_path / "README.md"
    rows = [row("Table 10", "a"), row("Table 10", "b", "rounds"), row("Table 2", "c", "no data")]
    write_claims(figures, "wmt18", "01_x", rows)
    readme.write_text("before\n<!-- ledger -->\nold $1 \\1\n<!-- /ledger -->\nafter\n")
    gathered = ledger.gather(figures, published, {})
    assert ledger.update_readme(readme, ledger.markdown(gathered))
    text = readme.read_text()
    assert "| Knowles 2021 | 4 | 4 | 0 | 1 | 1 | 1 | 0 | 2 | 0 |" in text
    assert "old" not in text and text.startswith("before\n") and text.endswith("\nafter\n")
    assert not ledger.update_readme(readme, ledger.markdown(gathered))
    readme.write_text("no markers")
    with pytest.raises(ValueError, match="no place for what is generated"):
        ledger.update_readme(readme, ledger.markdown(gathered))


def test_command_keeps_the_committed_ledger_where_no_real_campaign_ran(tmp_path, capsys):
    (tmp_path / "claims_ledger.csv").write_text("kept")
    write_claims(tmp_path, "demo-rr", "07_x", [row("Table 1", "a")])
    assert ledger.main(tmp_path, tmp_path / "none") == 0
    assert (tmp_path / "claims_ledger.csv").read_text() == "kept"
    assert "stays as it is" in capsys.readouterr().out


def test_a_number_under_two_readings_is_counted_once():
    rows = pd.DataFrame(
        [
            ("koehn2012", "Table 1", "as stated | size", "8", "4", "differs", "", "simulated"),
            ("koehn2012", "Table 1", "as matched | size", "8", "8", "exact", "", "simulated"),
            ("bojar2011", "Table 1", "size", "8", "8", "exact", "", "official"),
        ],
        columns=claims.COLUMNS,
    )
    assert len(findings.numbers(rows)) == 2
    table = ledger.per_paper(rows).set_index("title")
    assert table["cells"].to_dict() == {
        "Bojar et al. 2011": 1, "Koehn 2012, as matched": 1, "Koehn 2012, as stated": 1,
    }  # fmt: skip
    assert table.loc["Koehn 2012, as matched", "exact"] == 1
    assert "| **All** | **2** | **2** | **0** | **2** | **1** | **0** |" in ledger.markdown(rows)


PRINTED = ["1,050", "8.1%", "−0.29", "about 13", "<.001", "4749.5"]
PRINTED += ["0/13", "10–14", "1-2", "10.24±0.92", "3 | 3", "5 annotators", "below 0.4"]


@pytest.mark.parametrize("printed", PRINTED)
def test_numbers_are_cells_with_a_number(printed):
    assert ledger.is_number(printed)


@pytest.mark.parametrize(
    "printed", ["✓", "yes", "SR+DC", "CUNI-2018", "en-fi", "2011 Czech-English", "/", ""]
)
def test_names_and_marks_are_no_numbers(printed):
    assert not ledger.is_number(printed)


def test_a_file_of_another_kind_is_refused(tmp_path, published):
    write_claims(tmp_path, "wmt18", "01_x", [row("Table 2", "c", "fine")])
    with pytest.raises(ValueError, match="unknown status"):
        ledger.gather(tmp_path, published, {})
    (tmp_path / "wmt18" / "01_x" / "claims.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="not a ledger file"):
        ledger.gather(tmp_path, published, {})


def test_each_paper_has_its_module_and_its_published_numbers():
    named = {file.stem for file in paths.PUBLISHED.glob("*.csv")}
    assert named == set(ledger.PAPERS)
    for paper in ledger.PAPERS:
        module = importlib.import_module(f"companion.legacy.rankcompanion.papers.{paper}")
        assert paper == module.PAPER
        assert not claims.published(paper).duplicated(["place", "cell"]).any()
    empty = pd.DataFrame({"campaign": []}, dtype=str)
    assert findings.campaign_tables(paths.ROOT / "none", "01", "changes").equals(empty)


def test_the_committed_ledger_is_what_the_committed_tables_give():
    """Every paper over all campaigns: numbers, statuses, reasons."""
    file = paths.FIGURES / "claims_ledger.csv"
    if not file.is_file():
        pytest.skip("no committed results")
    kept = pd.read_csv(file, dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(ledger.gather().reset_index(drop=True).astype(str), kept)
    again = kept.duplicated(["paper", "place", "cell", "provenance"])
    assert not again.any() and len(kept) > 1600
