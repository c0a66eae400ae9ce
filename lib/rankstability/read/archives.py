"""Archives: checksums recorded and kept, members unpacked safely and whole."""

from __future__ import annotations

import csv
import fnmatch
import hashlib
import io
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from .. import paths
from ..errors import DataError


def sha256(path: Path) -> str:
    """sha256 of the file as it is."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def git_blob(path: Path) -> str:
    """git's id of the file as it is: ``sha1("blob <size>\\0" + bytes)``."""
    total = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            total.update(chunk)
    return total.hexdigest()


class Ledger:
    """``checksums.tsv`` of a data root (name, sha256, bytes): recorded at the first download.

    Names are archive addresses, or paths below the data root.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def _rows(self) -> dict[str, dict[str, Any]]:
        if not self.path.is_file():
            return {}
        rows = {}
        with self.path.open(encoding="utf-8", newline="") as stream:
            for number, row in enumerate(csv.reader(stream, delimiter="\t"), start=1):
                if number == 1 or not row:
                    continue
                if len(row) != 3 or len(row[1]) != 64 or not row[2].isdigit():
                    raise DataError(
                        "damaged line",
                        file=paths.shown(self.path),
                        line=number,
                        value="\t".join(row),
                        expected="name, sha256 and bytes, tab-separated",
                    )
                rows[row[0]] = {"sha256": row[1], "bytes": int(row[2])}
        return rows

    def get(self, name: str) -> Mapping[str, Any]:
        """sha256 and bytes recorded for `name`, or nothing."""
        return self._rows().get(name, {})

    def add(self, name: str, path: Path) -> Mapping[str, Any]:
        """Record `path` under `name`."""
        rows = self._rows()
        rows[name] = {"sha256": sha256(path), "bytes": path.stat().st_size}
        text = io.StringIO()
        writer = csv.writer(text, delimiter="\t", lineterminator="\n")
        writer.writerow(["name", "sha256", "bytes"])
        for key in sorted(rows):
            writer.writerow([key, rows[key]["sha256"], rows[key]["bytes"]])
        part = self.path.with_name(f".partial-{self.path.name}")
        part.write_text(text.getvalue(), encoding="utf-8")
        os.replace(part, self.path)
        return rows[name]


def unpack(
    archive: Path,
    part: str,
    wanted: Sequence[str],
    folder: Path,
    expected: Mapping[str, Mapping[str, Any]],
    required: Sequence[str] = (),
) -> list[Path]:
    """Put the wanted members of a tar archive into `folder`: all of them, or none.

    Parameters
    ----------
    archive : Path
        Tar, compressed or not.
    part : str
        A folder on the way to the members, anywhere in the archive; the members nearest to the
        top are taken (and of equally near ones the first by name).
    wanted : sequence of str
        File names or patterns; a member may have ``.gz`` added.
    folder : Path
    expected : mapping
        Per wanted name perhaps a git_blob, which the member must have.
    required : sequence of str
        Wanted names that must be there.

    Raises
    ------
    DataError
        Truncated or damaged archive; a member outside the target folder, a device, or a link that
        leads outside or stands for a wanted file (nothing is unpacked then); a required member
        missing or with another checksum.
    """
    folder.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder))
    try:
        staged = _stage(archive, part, wanted, staging, expected, required)
        for path in staged:
            os.replace(path, folder / path.name)
        return [folder / path.name for path in staged]
    except (tarfile.ReadError, EOFError, zlib.error, OSError) as error:
        raise DataError(
            f"truncated or damaged archive ({error})",
            file=paths.shown(archive),
            expected="a whole tar archive; remove it and fetch it again",
        ) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _stage(
    archive: Path,
    part: str,
    wanted: Sequence[str],
    staging: Path,
    expected: Mapping[str, Mapping[str, Any]],
    required: Sequence[str],
) -> list[Path]:
    with tarfile.open(archive, "r:*") as tar:
        members = tar.getmembers()
        for member in members:
            _refuse_unsafe(archive, member, str(staging))
        chosen = _choose(members, part, wanted)
        missing = [name for name in required if not any(_named(m, name) for m in chosen)]
        if missing:
            raise DataError(
                f"no member {missing[0]} below a folder {part}",
                file=paths.shown(archive),
                expected="; ".join(sorted({str(PurePosixPath(m.name).parent) for m in members})),
            )
        staged = []
        for member in chosen:
            if not member.isfile():
                raise DataError(
                    "a link or folder in place of a file",
                    file=paths.shown(archive),
                    value=member.name,
                    expected="a regular file",
                )
            stream = tar.extractfile(member)
            assert stream is not None
            path = staging / PurePosixPath(member.name).name
            with path.open("wb") as out:
                shutil.copyfileobj(stream, out, 1 << 20)
            want = expected.get(path.name, {})
            if "git_blob" in want and git_blob(path) != want["git_blob"]:
                raise DataError(
                    "a member differs from the official file",
                    file=paths.shown(archive),
                    value=f"{member.name}, git_blob {git_blob(path)}",
                    expected=f"git_blob {want['git_blob']}",
                )
            staged.append(path)
    return staged


def _refuse_unsafe(archive: Path, member: tarfile.TarInfo, target: str) -> None:
    """tarfile's data filter, and our own look at the name."""
    parts = PurePosixPath(member.name.replace("\\", "/")).parts
    reason = ""
    if ".." in parts or (parts and (parts[0] == "/" or parts[0].endswith(":"))):
        reason = "it leads outside the target folder"
    elif not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
        reason = "it is a device or another special file"
    else:
        try:
            tarfile.data_filter(member, target)
        except tarfile.FilterError as error:
            reason = str(error)
    if reason:
        raise DataError(
            f"refused: unsafe member in the archive ({reason})",
            file=paths.shown(archive),
            value=member.name,
            expected="regular files below the archive's own folder; nothing was unpacked",
        )


def _named(member: tarfile.TarInfo, name: str) -> bool:
    own = PurePosixPath(member.name).name
    return fnmatch.fnmatchcase(own, name) or fnmatch.fnmatchcase(own, f"{name}.gz")


def _choose(
    members: Sequence[tarfile.TarInfo], part: str, wanted: Sequence[str]
) -> list[tarfile.TarInfo]:
    """The wanted members below a folder named `part`; of each file name the one nearest the top."""
    found: dict[str, tarfile.TarInfo] = {}
    below = [m for m in members if part in PurePosixPath(m.name).parts[:-1]]
    for member in sorted(below, key=lambda m: (m.name.count("/"), m.name)):
        own = PurePosixPath(member.name).name
        if not own.startswith("._") and any(_named(member, name) for name in wanted):
            found.setdefault(own, member)
    return list(found.values())
