"""Results whole or not at all: killed at any step, several at once, on two machines."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys

import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.report import ledger, placing
from rankstability.report.session import Outputs

ABOUT = ("01_probe", "demo-srdc")
STEPS = ("os.rename", "os.remove", "os.rmdir", "os.mkdir")


def results(folder, number, *names):
    """One run's results: tables of the campaign and of a pair, all holding `number`."""
    out = Outputs(folder, {"notebook": ABOUT[0], "campaign": ABOUT[1], "number": number})
    for name in names:
        out.table(pd.DataFrame({"x": [number]}), name)
        out.table(pd.DataFrame({"x": [number]}), name, pair="cs-en")


def put(final, number, *names):
    final.mkdir(parents=True, exist_ok=True)
    with placing.staging(final) as own:
        results(own / placing.NEW, number, *names)
        placing.place(own, ABOUT, [final / "cs-en", final])


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
    """Nothing is left of killed runs, of those killed before they wrote whose they are later."""
    placing.sweep(final, now=os.stat(final).st_mtime + placing.SILENT + 1)
    assert not list(final.glob(".partial*"))


def killed_at(step, final, action):
    """Whether `action` in a child was killed at its `step`-th change of the file system."""
    child = os.fork()
    if child == 0:
        left = step

        def hook(event, arguments):
            nonlocal left
            if event in STEPS and str(final) in str(arguments[0]):
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
        swept(final)
        if not killed:
            break
    assert not killed and sum(seen) >= 10 and seen.count(False) >= 10
    assert seen == sorted(seen)  # from one moment on the new ones count


def test_what_finishes_a_move_may_be_killed_itself_at_any_step(tmp_path):
    final = tmp_path / "final"
    put(final, 1, "a", "b")
    moved = next(
        step for step in range(200)
        if killed_at(step, final, lambda: put(final, 2, "b", "c"))
        and any(final.glob(f"{placing.STAGING}*/{placing.JOURNAL}"))
    )  # fmt: skip
    assert moved and state(final) != whole(2, "b", "c")
    for step in range(200):
        copy = tmp_path / str(step)
        shutil.copytree(final, copy)
        killed = killed_at(step, copy, lambda copy=copy: placing.finish(copy))
        placing.finish(copy)
        swept(copy)
        assert state(copy) == whole(2, "b", "c"), step
        if not killed:
            break
    assert step > 8


def test_the_ledger_finishes_a_move_that_was_killed(tmp_path):
    final = tmp_path / "figures" / "demo-srdc" / "01_probe"
    put(final, 1, "a")
    assert killed_at(0, final / "b.csv", lambda: None) is False
    for step in range(200):
        killed_at(step, final, lambda: put(final, 2, "a"))
        if any(final.glob(f"{placing.STAGING}*/{placing.JOURNAL}")):
            break
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


def test_a_live_run_on_another_machine_keeps_its_folder_until_it_falls_silent(tmp_path):
    def left_by(machine, pid, age):
        folder = tmp_path / f"{placing.STAGING}{machine}{pid}{age}"
        folder.mkdir()
        (folder / placing.OWNER).write_text(json.dumps({"machine": machine, "pid": pid}))
        then = os.stat(tmp_path).st_mtime - age
        os.utime(folder / placing.OWNER, (then, then))
        return folder

    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    here = placing._machine()
    gone = [left_by("othernode", 7, 700), left_by(here, child, 1)]
    kept = [left_by("othernode", child, 1), left_by(here, os.getpid(), 1)]
    fresh = tmp_path / f"{placing.STAGING}only-just-made"
    fresh.mkdir()
    here_too = tmp_path / ".partial-ad-latest.csv"  # a download's
    here_too.mkdir()
    with placing.staging(tmp_path):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        p.name for p in (*kept, fresh, here_too)
    )
    assert not any(p.exists() for p in gone)


def test_a_run_shows_that_it_lives(tmp_path, monkeypatch):
    monkeypatch.setattr(placing, "BEAT", 0.01)
    with placing.staging(tmp_path) as own:
        os.utime(own / placing.OWNER, (0, 0))
        for _ in range(500):
            if (own / placing.OWNER).stat().st_mtime:
                break
            placing.threading.Event().wait(0.01)
        assert (own / placing.OWNER).stat().st_mtime > 0


@pytest.mark.parametrize("name", ["../escaped.csv", "/escaped.csv", "link/escaped.csv"])
def test_no_journal_leads_out_of_its_folder(tmp_path, name):
    own = tmp_path / "final" / f"{placing.STAGING}x"
    (own / placing.NEW).mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "final" / "link").symlink_to(tmp_path / "elsewhere")
    (own / placing.JOURNAL).write_text(json.dumps({"files": [name], "left": []}))
    with pytest.raises(DataError, match="leads out of its folder"):
        placing.finish(tmp_path / "final")


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
