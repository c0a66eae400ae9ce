"""Results as CSV and PNG: whole or not at all, and the same when collected again."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from PIL import Image

from rankstability.errors import DataError
from rankstability.io import results
from rankstability.io.results import collect, save

TABLE = pd.DataFrame({"system": ["A", "B"], "score": [0.1 + 0.2, -1.5], "rank": [1, 2]})


def test_nothing_is_saved_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save("", table=TABLE)
    assert list(tmp_path.iterdir()) == []


def test_tables_keep_their_digits_and_named_indexes(tmp_path: Path) -> None:
    grouped = TABLE.set_index("system").rename_axis("system")
    counted = TABLE.groupby("system")[["rank"]].agg(["sum", "size"])
    save(tmp_path / "new", plain=TABLE, grouped=grouped, counted=counted, one=TABLE["score"])
    read = pd.read_csv(tmp_path / "new" / "plain.csv", float_precision="round_trip")
    pd.testing.assert_frame_equal(read, TABLE, check_dtype=False)
    assert pd.read_csv(tmp_path / "new" / "grouped.csv").columns.tolist() == list(TABLE)
    names = pd.read_csv(tmp_path / "new" / "counted.csv").columns.tolist()
    assert names == ["system", "rank_sum", "rank_size"]
    assert pd.read_csv(tmp_path / "new" / "one.csv").columns.tolist() == ["score"]


def test_rows_of_several_tables_get_no_index(tmp_path: Path) -> None:
    save(tmp_path, changes=pd.concat([TABLE, TABLE]))
    assert pd.read_csv(tmp_path / "changes.csv").columns.tolist() == list(TABLE)


@pytest.mark.parametrize("text", ["=1+1", "+A", "-A", "@A", "-", "=cmd|' /C calc'!A0"])
def test_text_is_no_formula(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(results, "repository_root", lambda: tmp_path)
    table = pd.DataFrame({"system": [text, "plain", "'kept"], text: [1.5, -2.5, 3.0]})
    save(tmp_path / "figures" / "mine" / "02_x" / "en-de", changes=table)
    content = (tmp_path / "figures" / "mine" / "02_x" / "en-de" / "changes.csv").read_text()
    assert not any(
        cell[:1] in "=+@" for line in content.split("\n") for cell in line.split(",") if cell
    )
    again = collect("mine", "02", "changes").drop(columns="pair")
    pd.testing.assert_frame_equal(again, table, check_dtype=False)


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    save(tmp_path, table=pd.DataFrame({"difference": ["-0.5", "+3", "-1e-9"]}))
    assert (tmp_path / "table.csv").read_text() == "difference\n-0.5\n+3\n-1e-9\n"


def test_figures_are_small_and_the_same_each_time(tmp_path: Path) -> None:
    contents = []
    for name in ("a", "b"):
        figure, axes = plt.subplots()
        axes.plot([1, 2, 3], [3, 1, 2], label="x")
        save(tmp_path, **{name: figure, f"{name}_axes": axes})
        contents.append((tmp_path / f"{name}.png").read_bytes())
        assert (tmp_path / f"{name}_axes.png").read_bytes() == contents[-1]
        plt.close(figure)
    assert contents[0] == contents[1]
    assert len(contents[0]) < 20_000
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.mode == "P"


def test_results_are_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        save(tmp_path / "new", table=TABLE, wrong="text")
    assert error.value.code == "not_a_result"
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError) as error:
        save(tmp_path / "file", table=TABLE)
    assert error.value.code == "unwritable_folder"


def test_pairs_are_collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "repository_root", lambda: tmp_path)
    folder = tmp_path / "figures" / "wmt99" / "02_outlier_removal"
    for pair in ("de-en", "en-de", "all"):
        save(folder / pair, changes=TABLE.assign(pair="other"), moves=TABLE)
    save(tmp_path / "figures" / "wmt99" / "02b_campaign" / "all", changes=TABLE)
    found = collect("wmt99", "02_outlier_removal", "changes")
    assert found["pair"].tolist() == ["de-en", "de-en", "en-de", "en-de"]
    assert found.columns[0] == "pair"
    pd.testing.assert_frame_equal(collect("wmt99", "02", "changes"), found)
    with pytest.raises(DataError) as error:
        collect("wmt99", "02", "change")
    assert (error.value.code, error.value.expected) == ("nothing_to_collect", "changes")
    with pytest.raises(DataError) as error:
        collect("wmt98", "02", "changes")
    assert error.value.remedy == "make figures CAMPAIGN=wmt98"
