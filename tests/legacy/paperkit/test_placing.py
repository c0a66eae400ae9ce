"""Results whole or not at all: killed at any step, several at once, on two machines."""

import json
import os
import shutil
import signal
import sys

import pandas as pd
import pytest

from companion.legacy.paperkit import placing
from companion.legacy.rankcompanion.report import ledger
from companion.legacy.rankcompanion.running.session import Outputs

ABOUT = ("01_probe", "demo-srdc")
STEPS = ("os.rename", "os.remove", "os.rmdir", "os.mkdir")


def results(folder, number, *names):
    """One run's results: tables of the campaign and of a pair, all holding `number`."""
    out = Outputs(folder, {"notebook": ABOUT[0], "campaign": ABOUT[1], "number": number})
    for name in names:
        out.table(pd.DataFrame({"x": [number]}), name)
        out.table(pd.DataFrame({"x": [number]}), name, pair="cs-en")


def put(final, number, *names):
    final.parent.mkdir(parents=True, exist_ok=True)
    with placing.staging(final) as own:
        results(own / placing.NEW, number, *names)
        placing.place(own, final, ABOUT, [final / "cs-en", final])


def state(final):
    """What lies in `final`: name -> number, of tables and of settings."""
    made = {}
    for file in final.rglob("*"):
        name = str(file.relative_to(final))
        if name.startswith(".partial"):
            continue
        if file.suffix == ".csv":
            made[name] = int(file.read_text().split()[1])
        elif file.suffix == ".json":
            made[name] = json.loads(file.read_text())["number"]
        elif file.is_file():
            made[name] = file.read_text()
    return made


def whole(number, *names):
    files = [f"{name}.csv" for name in names] + ["run.json"]
    return {f"{pair}{file}": number for pair in ("", "cs-en/") for file in files}


def swept(final):
    """Nothing is left of killed runs."""
    placing.recover(final)
    return not [
        p for p in final.parent.iterdir() if p.name.startswith(f"{placing.STAGING}{final.name}~")
    ]


def killed_at(step, final, action):
    """Whether `action` in a child was killed at its `step`-th change of the file system."""
    child = os.fork()
    if child == 0:
        left = step

        def hook(event, arguments):
            nonlocal left
            if event in STEPS and final.name in str(arguments[0]):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        try:
            action()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def test_a_run_killed_at_any_step_leaves_all_old_or_all_new_results(tmp_path):
    old, new = whole(1, "a", "b"), whole(2, "b", "c")
    seen = []
    for step in range(200):
        final = tmp_path / str(step)
        put(final, 1, "a", "b")
        (final / "mine.txt").write_text("a user's own file")
        killed = killed_at(step, final, lambda final=final: put(final, 2, "b", "c"))
        with placing.staging(final):  # the next run, before it computes anything
            pass
        now = state(final)
        assert now.pop("mine.txt") == "a user's own file"
        assert now in (old, new), step
        seen.append(now == new)
        assert swept(final)
        if not killed:
            break
    assert not killed and sum(seen) >= 3 and seen.count(False) >= 3
    assert seen == sorted(seen)  # from one moment on the new ones count


def between_renames(final):
    """A run killed when the old results were aside and the new ones not yet in place."""
    put(final, 1, "a")
    assert any(
        killed_at(step, final, lambda: put(final, 2, "a")) and not final.exists()
        for step in range(200)
    )


def test_what_finishes_a_move_may_be_killed_itself_at_any_step(tmp_path):
    between_renames(tmp_path / "killed" / "final")
    for step in range(50):
        final = shutil.copytree(tmp_path / "killed", tmp_path / f"{step}th") / "final"
        killed = killed_at(step, final, lambda final=final: placing.recover(final))
        assert swept(final) and state(final) == whole(2, "a"), step
        if not killed:
            break
    assert not killed and step >= 3


def test_the_ledger_finishes_a_move_that_was_killed(tmp_path):
    final = tmp_path / "figures" / "demo-srdc" / "01_probe"
    between_renames(final)
    ledger.main(tmp_path / "figures", tmp_path / "none")
    assert state(final) == whole(2, "a")


def test_of_two_runs_at_once_on_one_folder_one_wins_whole(tmp_path):
    children = []
    for number in (1, 2, 3):
        child = os.fork()
        if child == 0:
            try:
                for _ in range(10):
                    put(tmp_path / "final", number, "ab"[number % 2], "c", "d")
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    now = state(tmp_path / "final")
    number = now["run.json"]
    assert now == whole(number, "ab"[number % 2], "c", "d")


def test_the_folder_of_a_live_run_stays(tmp_path):
    final = tmp_path / "final"

    def left_by(machine, pid, age=0.0):
        folder = tmp_path / f"{placing.STAGING}final~{machine}~{pid}~{age}"
        folder.mkdir()
        then = folder.stat().st_mtime - age
        os.utime(folder, (then, then))
        return folder

    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    here, long_ago = placing._machine(), placing.FORGOTTEN + 60
    left_by("othernode", 7, long_ago), left_by(here, child)
    kept = [left_by("othernode", child, 60.0), left_by(here, os.getpid(), long_ago)]
    for name in (".partial-ad-latest.csv", ".partial-other~x~1~y"):  # not of these results
        (tmp_path / name).mkdir()
        kept.append(tmp_path / name)
    with placing.staging(final):
        pass
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_only_folders_made_here_go_again(tmp_path):
    users = tmp_path / "empty"
    users.mkdir()
    with pytest.raises(ZeroDivisionError), placing.made_folders(users / "a" / "b"):
        assert (users / "a" / "b").is_dir()
        1 / 0  # noqa: B018
    assert list(users.iterdir()) == []
    with placing.made_folders(users):
        pass
    assert users.is_dir()
