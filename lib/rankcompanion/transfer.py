"""Fetch a file over HTTP, and unpack archives: verified before use, whole or not at all.

On top of pooch: git blob ids as checksums, unsafe members of archives, and errors that help.
"""

from __future__ import annotations

import contextlib
import fnmatch
import io
import logging
import os
import shutil
import sys
import tarfile
import time
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import pooch

from rankstability.errors import DataError
from rankstability.read import text

TRIES, TIMEOUT = 3, 60.0
TOTAL_TIME = 3600.0  # seconds for one attempt at one file
LARGEST = 4 * 2**30  # bytes of a file of unpublished size, and of all members of an archive
MEMBERS = 100_000  # most members of an archive
PARTIAL = ".partial-"  # prefix of what is not complete yet

Facts = Mapping[str, Any]  # what is known of a file: bytes, git_blob, sha256, or some of them

pooch.get_logger().setLevel(logging.WARNING)


class Unreachable(DataError):
    """The host does not answer, so that asking it for the next file is pointless."""


def sha256(path: Path) -> str:
    """The sha256 of a file."""
    return str(pooch.file_hash(str(path), alg="sha256"))


def mismatch(path: Path, facts: Facts) -> str:
    """How the file `path` differs from what `facts` say; empty if it does not."""
    checks = {"bytes": lambda p: p.stat().st_size, "git_blob": text.git_blob, "sha256": sha256}
    for key, compute in checks.items():
        if key in facts and (ours := compute(path)) != facts[key]:
            checksum = "checksum differs (corrupted, or another version)"
            problem = "wrong size (truncated?)" if key == "bytes" else checksum
            return f"{problem}; found {key} {ours}, expected {facts[key]}"
    return ""


@contextlib.contextmanager
def staging_folder(folder: Path, name: str) -> Iterator[Path]:
    """A temporary folder in `folder`, which is removed too if it is new and stays empty.

    Raises DataError if it cannot be made.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    staging = folder / (PARTIAL + name)
    shutil.rmtree(staging, ignore_errors=True)  # left by a run that was killed
    try:
        staging.mkdir(parents=True)
    except OSError as error:
        raise DataError(f"cannot write here ({error.strerror})", file=folder) from None
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        with contextlib.suppress(OSError):  # not empty: something was put there
            for path in made:
                path.rmdir()


class _Bounded(io.FileIO):
    """A file that takes at most `most` bytes, and nothing after `TOTAL_TIME`."""

    def __init__(self, path: str, most: int) -> None:
        super().__init__(path, "wb")
        self.most, self.end = most, time.monotonic() + TOTAL_TIME

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self.most:
            raise LookupError(f"larger than the expected {self.most} bytes")
        if time.monotonic() > self.end:
            raise LookupError(f"not complete after {TOTAL_TIME:g} seconds")
        return super().write(data)


def fetch(url: str, target: Path, facts: Facts, tries: int = TRIES, instead: str = "") -> None:
    """Download `url` to `target`, verified before it gets that name; retry where that may help.

    A download is stopped beyond the size in `facts` (`LARGEST` if unknown) and after `TOTAL_TIME`.

    Raises DataError after the last of `tries`, with the reason and how to place the file by hand
    (`instead` is added to that); `Unreachable` if the host does not answer.
    """
    import requests

    def downloader(url: str, output: str, keeper: object) -> None:
        carry = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=TIMEOUT)
        try:
            with _Bounded(output, facts.get("bytes", LARGEST)) as file:
                carry(url, file, keeper)
        except requests.HTTPError as error:
            status = error.response.status_code if error.response is not None else 0
            if status < 500 and status != 429:  # a retry would get the same answer
                raise LookupError(f"the host answers {status}") from None
            raise ValueError(f"the host answers {status}") from None
        if problem := mismatch(Path(output), facts):
            raise ValueError(problem)  # pooch tries again

    kind: type[DataError] = DataError
    with staging_folder(target.parent, target.name) as staging:
        registry, urls = {target.name: facts.get("sha256")}, {target.name: url}
        keeper = pooch.Pooch(staging, "", registry, urls, retry_if_failed=max(tries, 1) - 1)
        try:
            os.replace(keeper.fetch(target.name, downloader=downloader), target)
            return
        except (requests.ConnectionError, requests.Timeout) as error:
            kind, reason = Unreachable, f"no answer from the host ({type(error).__name__})"
        except requests.RequestException as error:
            reason = f"the transfer broke off ({type(error).__name__})"
        except (LookupError, ValueError, OSError) as error:
            reason = str(error)
    must = [f"{facts['bytes']} bytes"] if "bytes" in facts else []
    must += [f"{key} {facts[key]}" for key in ("git_blob", "sha256") if key in facts]
    known = ", ".join(must) or "no checksum was published"
    expected = f"the file placed there by hand: {target} ({known}){instead}"
    raise kind(f"cannot be fetched from {url}: {reason}", file=target, expected=expected)


def unpack(
    archive: Path,
    part: str,
    folder: Path,
    required: Mapping[str, Facts],
    optional: Sequence[str] = (),
) -> list[Path]:
    """Unpack members of a tar archive into `folder`: all that are wanted, or none.

    Members are looked for below a folder called `part`, anywhere in the archive; of several with
    one name, the one nearest to the top is taken (then the first by name). `required` maps file
    names that must be there (perhaps with ``.gz`` added) to what is known of each; `optional` holds
    further names or patterns.

    Raises DataError, and unpacks nothing, if the archive is damaged or too large, has an unsafe
    member, or if a required member is missing or differs from what is known of it.
    """
    wrong = partial(DataError, file=archive)
    with staging_folder(folder, archive.name) as staging:
        try:
            with tarfile.open(archive, "r:*") as tar:
                members = _bounded(archive, tar)
            for member in members:
                if reason := _unsafe(member, staging):
                    problem = f"refused: unsafe member in the archive ({reason})"
                    expected = "regular files below the archive's own folder; nothing was unpacked"
                    raise wrong(problem, value=member.name, expected=expected)
            chosen = _choose(archive, members, part, required, optional)
            unpack = pooch.Untar(members=list(chosen.values()), extract_dir=str(staging))
            unpack(str(archive), "fetch", None)
            for name, inside in chosen.items():
                if other := mismatch(staging / inside, required.get(name, {})):
                    problem = f"a member differs from the official file: {other}"
                    raise wrong(problem, value=inside)
            for name, inside in chosen.items():
                os.replace(staging / inside, folder / name)
        except (tarfile.ReadError, EOFError, zlib.error, OSError) as error:
            expected = "a whole tar archive; remove it and fetch it again"
            raise wrong(f"truncated or damaged archive ({error})", expected=expected) from None
    return [folder / name for name in chosen]


def _bounded(archive: Path, tar: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """The members of an archive; raises DataError if they are too many or too large."""
    members: list[tarfile.TarInfo] = []
    size = 0
    for member in tar:
        members.append(member)
        size += member.size
        if len(members) > MEMBERS or size > LARGEST:
            problem = "the archive is too large to unpack"
            value = f"{len(members)} members, {size} bytes and more"
            most = f"at most {MEMBERS} members and {LARGEST} bytes"
            raise DataError(problem, file=archive, value=value, expected=most)
    return members


def _unsafe(member: tarfile.TarInfo, target: Path) -> str:
    """Why a member must not be unpacked, by its name and tarfile's data filter; empty if it may."""
    parts = PurePosixPath(member.name.replace("\\", "/")).parts
    if ".." in parts or (parts and (parts[0] == "/" or parts[0].endswith(":"))):
        return "it leads outside the target folder"
    try:
        tarfile.data_filter(member, str(target))
    except tarfile.FilterError as error:
        return str(error)
    return ""


def _choose(
    archive: Path,
    members: Sequence[tarfile.TarInfo],
    part: str,
    required: Collection[str],
    optional: Collection[str],
) -> dict[str, str]:
    """The wanted members below a folder `part`: file name to name in the archive."""
    chosen: dict[str, tarfile.TarInfo] = {}
    for member in sorted(members, key=lambda m: (m.name.count("/"), m.name)):
        path = PurePosixPath(member.name)
        names = (path.name, path.name.removesuffix(".gz"))
        hit = any(fnmatch.fnmatchcase(n, one) for n in names for one in (*required, *optional))
        if hit and part in path.parts[:-1]:
            chosen.setdefault(path.name, member)
    missing = [name for name in required if not {name, f"{name}.gz"} & chosen.keys()]
    if missing:
        there = "; ".join(sorted({str(PurePosixPath(m.name).parent) for m in members}))
        problem = f"no member {missing[0]} below a folder {part}"
        raise DataError(problem, file=archive, expected=there)
    for name in [member.name for member in chosen.values() if not member.isfile()]:
        problem, expected = "a link or folder in place of a file", "a regular file"
        raise DataError(problem, file=archive, value=name, expected=expected)
    return {name: member.name for name, member in chosen.items()}
