"""Where results go, and how: whole or not at all, by one run, by several at once, after a kill.

A run writes to a folder of its own inside the final one. When all is there, a journal that lists
what goes is written beside it: the moment from which the new results count. The move that follows
may be killed at any step; whoever comes next (a run, the ledger, the report) finishes it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import paths
from ..errors import DataError

if TYPE_CHECKING:
    import pandas as pd

STAGING = ".partial-run-"  # begins the name of a run's folder
NEW = "new"  # in it: the results
OWNER, JOURNAL = "owner.json", "journal.json"
LOCK = ".partial-run.lock"
BEAT = 30.0  # seconds between signs of life of a run
SILENT = 600.0  # seconds without one after which a run on another machine counts as dead
RECORD = "run.json"  # beside the results: the settings they depend on, and what each file is
SOURCE = ".campaign"  # in the results of an own campaign: the path of its judgments


def is_own(campaign: Any) -> bool:
    """Whether this is a user's campaign, not one of the catalogue."""
    from ..read.campaigns import in_catalogue

    return not in_catalogue(campaign.name)


def results_folder(campaign: Any) -> Path:
    """The folder for the results of a campaign, one folder a notebook in it.

    ``figures/<name>`` for the catalogue's. For an own one ``results/<name>``, or, where another
    campaign of that name has its results there, ``results/<name>-<hash of the path>``.
    """
    if not is_own(campaign):
        return paths.FIGURES / campaign.name
    plain, source = paths.RESULTS / campaign.name, _source(campaign)
    owner = plain / SOURCE
    if not owner.is_file() or owner.read_bytes() == source:
        return plain
    return plain.with_name(f"{plain.name}-{hashlib.sha256(source).hexdigest()[:6]}")


def claim(campaign: Any) -> None:
    """Note in the results folder of an own campaign whose it is."""
    if is_own(campaign):
        folder = results_folder(campaign)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SOURCE).write_bytes(_source(campaign))


def _source(campaign: Any) -> bytes:
    return os.fsencode((campaign.file or campaign.folder).resolve())


def write_whole(path: Path, content: bytes) -> Path:
    """Write `content` to `path` so that a reader sees the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """`frame` as CSV: no index, ``\\n``, UTF-8, ten digits (more differ between platforms)."""
    return frame.to_csv(index=False, float_format=_ten_digits, lineterminator="\n").encode()


def _ten_digits(value: float) -> str:
    return f"{value + 0.0:.10g}"  # of a negative zero the sign goes


def record(folder: Path) -> dict[str, Any]:
    """The ``run.json`` of a folder; empty where there is none."""
    file = folder / RECORD
    return dict(json.loads(file.read_bytes())) if file.is_file() else {}


def listed(made: Mapping[str, Any], about: tuple[str, str]) -> set[str]:
    """The files that a ``run.json`` lists, if it is of this notebook and campaign."""
    mine = (made.get("notebook"), made.get("campaign")) == about
    return {Path(name).name for name in made.get("files", ())} if mine else set()


@contextmanager
def made_folders(*folders: Path) -> Iterator[None]:
    """These folders, made where absent; those made here that are empty afterwards go again."""
    made: list[Path] = []
    for folder in folders:
        made += [p for p in (folder, *folder.parents) if not p.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        for folder in sorted(made, key=lambda p: -len(p.parts)):
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def staging(final: Path) -> Iterator[Path]:
    """A folder of this run in `final`, which shows signs of life; gone afterwards."""
    own = Path(tempfile.mkdtemp(prefix=STAGING, dir=final))
    write_whole(own / OWNER, json.dumps({"machine": _machine(), "pid": os.getpid()}).encode())
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT):
            with suppress(OSError):
                os.utime(own / OWNER)

    threading.Thread(target=beat, daemon=True).start()
    try:
        sweep(final, now=(own / OWNER).stat().st_mtime)
        yield own
    finally:
        over.set()
        if not (own / JOURNAL).exists():  # a move begun is for the next to finish
            shutil.rmtree(own, ignore_errors=True)


def _machine() -> str:
    """The machine, and where processes have numbers of their own (containers), which of them."""
    spaces = Path("/proc/self/ns/pid")
    return socket.gethostname() + (os.readlink(spaces) if spaces.is_symlink() else "")


def _alive(folder: Path, now: float) -> bool:
    """Whether the run of this staging folder still runs, on whichever machine.

    On this machine its process tells; on another its last sign of life, by the clock of the file
    system (`now`), so that clocks of machines need not agree.
    """
    file = folder / OWNER
    try:
        owner = json.loads(file.read_bytes())
        if owner["machine"] == _machine():
            os.kill(owner["pid"], 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError, KeyError, TypeError):
        file = folder if not file.is_file() else file  # only just made, or of another user
    with suppress(FileNotFoundError):
        return now - file.stat().st_mtime < SILENT
    return False


@contextmanager
def locked(final: Path) -> Iterator[None]:
    """Alone with the results of `final`, among all runs and machines that share the folder.

    The lock of a killed process is free. File systems without locks go without.
    """
    file = final / LOCK
    while True:
        number = os.open(file, os.O_CREAT | os.O_RDWR, 0o666)
        with suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.fstat(number).st_ino == file.stat().st_ino:
                break
        os.close(number)  # the one before removed the file it held
    try:
        yield
    finally:
        file.unlink(missing_ok=True)
        os.close(number)


def place(own: Path, about: tuple[str, str], scopes: Sequence[Path]) -> None:
    """Put the results of a finished run in place, and remove those an earlier run left over.

    Only files directly in the folders `scopes` are ever removed, and only those listed in a
    ``run.json`` of the same notebook and campaign (`about`).
    """
    final = own.parent
    with locked(final):
        _finish_all(final)
        files = sorted(str(p.relative_to(own / NEW)) for p in (own / NEW).rglob("*") if p.is_file())
        left = {str(s.relative_to(final) / n) for s in scopes for n in listed(record(s), about)}
        journal = {"files": files, "left": sorted(left - set(files))}
        write_whole(own / JOURNAL, json.dumps(journal).encode())
        _finish(own)


def finish(final: Path) -> None:
    """Finish what a killed run had begun to put in place in `final`."""
    if any(final.glob(f"{STAGING}*/{JOURNAL}")):
        with locked(final):
            _finish_all(final)


def finish_below(figures: Path) -> None:
    """`finish` in the folder of each campaign and notebook."""
    for journal in figures.glob(f"*/*/{STAGING}*/{JOURNAL}"):
        finish(journal.parents[1])


def _finish_all(final: Path) -> None:
    for journal in sorted(final.glob(f"{STAGING}*/{JOURNAL}")):
        _finish(journal.parent)
        shutil.rmtree(journal.parent, ignore_errors=True)


def _finish(own: Path) -> None:
    """Do what the journal says, from wherever it stopped; each step may have been done before."""
    final, journal = own.parent, json.loads((own / JOURNAL).read_bytes())
    for name in (*journal["files"], *journal["left"]):
        if not (final / name).resolve().is_relative_to(final.resolve()):
            raise DataError("leads out of its folder", file=own / JOURNAL, value=name)
    for name in journal["files"]:
        (final / name).parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # moved before
            os.replace(own / NEW / name, final / name)
    for name in journal["left"]:
        (final / name).unlink(missing_ok=True)
    shutil.rmtree(own / NEW, ignore_errors=True)
    (own / JOURNAL).unlink()


def sweep(final: Path, now: float) -> None:
    """Finish the moves and remove the staging folders of runs that were killed in `final`."""
    with locked(final):
        _finish_all(final)
        for left in final.glob(f"{STAGING}*"):
            if not _alive(left, now):
                shutil.rmtree(left, ignore_errors=True)
