"""Folders are written whole or not at all: by two runs at once, and after a run that was killed."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io import results, write
from rankstability.io.results import collect, save
from rankstability.io.write import PARTIAL, write_folder

TABLE = pd.DataFrame({"system": ["A", "B"], "score": [1.0, 2.0]})
FILES = [f"part{k}/file{k}.txt" for k in range(20)]


def write_often(target: Path, text: str) -> None:
    """Write the same files again and again."""
    for _ in range(40):
        write_folder(target, dict.fromkeys(FILES, text.encode()))


@pytest.mark.parametrize("exists", [False, True])
def test_two_runs_at_once_leave_the_files_of_one(exists: bool, tmp_path: Path) -> None:
    target = tmp_path / "out"
    if exists:
        target.mkdir()
        (target / "mine.txt").write_text("kept")
    context = multiprocessing.get_context("spawn")
    runs = [context.Process(target=write_often, args=(target, text)) for text in "ab"]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [run.exitcode for run in runs] == [0, 0]
    assert len({(target / name).read_text() for name in FILES}) == 1
    assert not list(tmp_path.rglob(".partial*"))
    assert (target / "mine.txt").exists() == exists


@pytest.mark.parametrize("exists", [False, True])
def test_the_next_run_removes_what_a_killed_run_left(exists: bool, tmp_path: Path) -> None:
    target = tmp_path / "out"
    place = target if exists else tmp_path
    place.mkdir(exist_ok=True)
    (place / f"{PARTIAL}x").mkdir()
    (place / f"{PARTIAL}x" / "changes.csv").write_text("half")
    write_folder(target, {"a.txt": b"a"})
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.txt", "out"]


def test_nothing_stays_of_a_run_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "b.txt").write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write.os, "replace", fail)
    with pytest.raises(DataError) as refused:
        write_folder(tmp_path / "out", {"a.txt": b"a", "b.txt": b"new"})
    assert refused.value.code == "unwritable_folder"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b.txt"]
    assert (tmp_path / "out" / "b.txt").read_text() == "old"


def test_what_is_not_complete_is_not_collected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "repository_root", lambda: tmp_path)
    folder = tmp_path / "figures" / "mine" / "02_x"
    for name in ("de-en", f"{PARTIAL}x", ".partial-y"):
        (folder / name).mkdir(parents=True)
        TABLE.to_csv(folder / name / "changes.csv", index=False)
    assert collect("mine", "02", "changes")["pair"].unique().tolist() == ["de-en"]


@pytest.mark.parametrize("name", ["a/b", "../up", ".hidden", "", "a\0b", "-x"])
def test_a_result_whose_name_is_no_name_of_a_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as refused:
        save(tmp_path / "out", **{name: TABLE})
    assert refused.value.code == "bad_result_name"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["out\0", "\ud800"])
def test_a_folder_that_no_file_system_takes_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as refused:
        save(tmp_path / name, table=TABLE)
    assert refused.value.code == "unwritable_folder"


@pytest.mark.parametrize("names", [("../x", "02", "a"), ("x", "*", "a"), ("x", "02", "/etc")])
def test_only_names_are_collected(names: tuple[str, str, str]) -> None:
    with pytest.raises(DataError) as refused:
        collect(*names)
    assert refused.value.code == "nothing_to_collect"
