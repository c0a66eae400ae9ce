"""Put results in place whole or not at all, also with several runs at once or after a kill.

A run writes to a folder of its own next to the final one. Once it is complete, the old results are
renamed into that folder and the new ones into their place. If a run is killed between the two
renames, whoever comes next (a run, the ledger, the report) finishes them, going by names alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import paths
from .errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# prefix of a run's folder, followed by results ~ machine ~ process ~
STAGING = ".partial-"
NEW = "new"  # a folder in it: the new results
OLD = "old"  # another: the old results, once they are replaced
# seconds after which the folder of a run on another machine is removed
FORGOTTEN = 86_400.0
RECORD = "run.json"  # next to the results: the settings they depend on, and what each file is
# in the results of a user's own campaign: the path of its judgments
SOURCE = ".campaign"


def results_folder(campaign: Any) -> Path:
    """The folder for a campaign's results, in ``figures``; of a user's own in ``results``."""
    if not campaign.own:
        return paths.FIGURES / campaign.name
    plain = paths.results_root() / campaign.name
    source = _source(campaign)
    owner = plain / SOURCE
    if not owner.is_file() or owner.read_bytes() == source:
        return plain
    return plain.with_name(
        f"{plain.name}-{hashlib.sha256(source).hexdigest()[:6]}"
    )


def claim(campaign: Any) -> None:
    """Record in the results folder of a user's own campaign which judgments it belongs to."""
    if campaign.own:
        folder = results_folder(campaign)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SOURCE).write_bytes(_source(campaign))


def _source(campaign: Any) -> bytes:
    return os.fsencode((campaign.file or campaign.folder).resolve())


def write_whole(path: Path, content: bytes) -> Path:
    """Write `content` to `path` so that readers see the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def digest(path: Path) -> str:
    """The sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """`frame` as CSV: no index, ``\\n``, UTF-8, ten digits (further ones differ by platform)."""

    def ten_digits(value: float) -> str:
        return f"{value + 0.0:.10g}"  # a negative zero loses its sign

    return frame.to_csv(
        index=False, float_format=ten_digits, lineterminator="\n"
    ).encode()


def record(folder: Path) -> dict[str, Any]:
    """The ``run.json`` of a folder; empty if there is none."""
    file = folder / RECORD
    return dict(json.loads(file.read_bytes())) if file.is_file() else {}


def listed(
    made: Mapping[str, Any], about: tuple[str | None, str | None]
) -> set[str]:
    """The files that a ``run.json`` lists if it is of this notebook and campaign, else none."""
    mine = (made.get("notebook"), made.get("campaign")) == about
    return (
        {Path(name).name for name in made.get("files", ())} if mine else set()
    )


def refuse_others(final: Path, files: Iterable[str]) -> None:
    """Raises InputError if a file in `final` that no run wrote would be overwritten.

    `files` are the paths below `final` that a run would write. Runs own the folders that hold their
    ``run.json``, and everything in `final` if it holds one.
    """
    if _run_was_here(final):
        return
    for file in sorted(files):
        there = final / file
        if there.exists() and not _run_was_here(there.parent):
            problem = "a file that no run wrote would be overwritten"
            raise InputError(
                problem, file=there, expected="an output folder of its own"
            )


def _run_was_here(folder: Path) -> bool:
    try:
        return "notebook" in record(folder)
    except (ValueError, TypeError):  # a run.json of some other program
        return False


@contextmanager
def made_folders(*folders: Path) -> Iterator[None]:
    """Make these folders where absent; afterwards, remove those made here that are empty."""
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
    """A temporary folder of this run next to `final`, after `recover` from earlier killed runs."""
    recover(final)
    prefix = "~".join([STAGING + final.name, _machine(), str(os.getpid()), ""])
    own = Path(tempfile.mkdtemp(prefix=prefix, dir=final.parent))
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _machine() -> str:
    """The machine's name, with the process namespace where there is one (containers)."""
    spaces = Path("/proc/self/ns/pid")
    return socket.gethostname() + (
        os.readlink(spaces) if spaces.is_symlink() else ""
    )


def _gone(own: Path, machine: str, process: str) -> bool:
    """Whether the run of this folder has ended; on another machine, whether it is a day old."""
    with suppress(
        OSError
    ):  # the process of another user, or a folder just removed
        if machine != _machine():
            return time.time() - own.stat().st_mtime > FORGOTTEN
        try:
            os.kill(int(process), 0)
        except (ProcessLookupError, ValueError):
            return True
    return False


@contextmanager
def locked(final: Path) -> Iterator[None]:
    """Exclusive access to the results in `final` among all runs and machines that share the folder.

    A killed process releases its lock. On file systems without locks there is none.
    """
    file = final.with_name(f"{STAGING}{final.name}.lock")
    while True:
        number = os.open(file, os.O_CREAT | os.O_RDWR, 0o666)
        with suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.fstat(number).st_ino == file.stat().st_ino:
                break
        os.close(
            number
        )  # the previous holder removed this file: open the new one
    try:
        yield
    finally:
        file.unlink(missing_ok=True)
        os.close(number)


def place(
    own: Path, final: Path, about: tuple[str, str], scopes: Sequence[Path]
) -> None:
    """Put the results of a finished run, ``own / NEW``, in place of those in `final`.

    Of the files in `final`, only those go that a ``run.json`` of the same notebook and campaign
    (`about`) in one of the folders `scopes` lists; all others stay.
    """
    with locked(final):
        earlier = {
            str(s / name) for s in scopes for name in listed(record(s), about)
        }

        def replaced(folder: str, names: list[str]) -> list[str]:
            """Which files of a folder do not stay: of an earlier run, or made anew."""
            made = own / NEW / Path(folder).relative_to(final)
            return [
                name
                for name in names
                if f"{folder}/{name}" in earlier or (made / name).is_file()
            ]

        if final.is_dir():
            also = {"symlinks": True, "dirs_exist_ok": True}
            shutil.copytree(
                final,
                own / NEW,
                ignore=replaced,
                copy_function=_linked,
                **also,
            )
            os.rename(final, own / OLD)
        os.rename(own / NEW, final)


def _linked(file: str, to: str) -> None:
    """Link a file to another name; copy it if the file system has no hard links."""
    try:
        os.link(file, to)
    except OSError:
        shutil.copy2(file, to)


def recover(final: Path) -> None:
    """Finish the renames of killed runs, and remove the folders that they left."""
    for own in sorted(final.parent.iterdir()) if final.parent.is_dir() else ():
        name, *run = own.name.rsplit("~", 3)
        if name != STAGING + final.name or len(run) != 3:
            continue
        with locked(final):
            if (own / OLD).is_dir() and not final.exists():
                os.rename(own / NEW, final)
        if _gone(own, *run[:2]):
            shutil.rmtree(own, ignore_errors=True)


def recover_below(figures: Path) -> None:
    """`recover` the results of every campaign and notebook."""
    for own in figures.glob(f"*/{STAGING}*~*~*~*"):
        recover(
            own.with_name(own.name.rsplit("~", 3)[0].removeprefix(STAGING))
        )
