"""Files written whole or not at all, also by two runs at once and after a run that was killed."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from ..errors import DataError

PARTIAL = ".partial-rankstability-"  # begins the name of a folder that is not complete yet


def write_folder(target: Path, contents: Mapping[str, bytes]) -> None:
    """Write files into a folder, whole or not at all; names can contain folders.

    Everything is written to a temporary folder first. A new folder is then renamed. In an existing
    one each file is replaced, the last one of `contents` at the end; other files stay. Of two runs
    at once, all files of the last one stay.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            with _scratch(target.parent, contents) as scratch:
                if not target.exists():  # another run could have made it
                    scratch.rename(target)
                    return
        with _scratch(target, contents) as scratch:
            for name in contents:
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(scratch / name, target / name)
    except OSError as error:
        raise DataError("unwritable_folder", file=target, value=error.strerror) from None
    except ValueError as error:  # a name that no file system takes
        raise DataError("unwritable_folder", file=target, value=str(error)) from None


@contextmanager
def _scratch(place: Path, contents: Mapping[str, bytes]) -> Iterator[Path]:
    """Give a temporary folder with the files; it is removed afterwards, with any leftovers."""
    with _lock(place):
        for rest in place.glob(f"{PARTIAL}*"):  # of a run that was killed
            shutil.rmtree(rest, ignore_errors=True)
        scratch = Path(tempfile.mkdtemp(prefix=PARTIAL, dir=place))
        try:
            for name, content in contents.items():
                path = scratch / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            scratch.chmod(0o755)
            yield scratch
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _lock(folder: Path) -> FileLock:
    """Return the lock of a folder for one run of this user at a time; it ends with the run.

    It stands among the temporary files, so that no folder of results holds anything but results.
    """
    name = f"{Path(os.path.expanduser('~'))} {folder.resolve()}"
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return FileLock(Path(tempfile.gettempdir()) / f"rankstability-{digest}.lock")
