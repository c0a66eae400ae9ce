"""Download official releases into the data root: ``rankstability data wmt18``.

Files come from repositories at a pinned commit, checked against their git blob id before use, or
from the organisers' archives. If no checksum of an archive was published, its sha256 is recorded in
``checksums.tsv`` of the data root at the first download and checked from then on.
"""

import argparse
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
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import pooch

from companion.legacy.paperkit.placing import made_folders, write_whole
from companion.legacy.rankcampaigns import campaigns, text
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError

RAW = "https://raw.githubusercontent.com"
TRIES = 3
TIMEOUT = 60.0
TOTAL_TIME = 3600.0  # seconds for one attempt at one file
LARGEST = 4 << 30  # bytes of a file of unpublished size
PARTIAL = ".partial-"  # prefix of what is not complete yet

Entry = Mapping[str, Any]  # an entry of the catalogue, or one of its sources
Facts = Mapping[
    str, Any
]  # what is known of a file: bytes, git_blob, sha256, or some of them

pooch.get_logger().setLevel(logging.WARNING)


class Unreachable(DataError):
    """The host does not answer, so that asking it for the next file is pointless."""


def sha256(path: Path) -> str:
    """The sha256 of a file."""
    return str(pooch.file_hash(str(path), alg="sha256"))


def mismatch(path: Path, facts: Facts) -> str:
    """How the file `path` differs from what `facts` say; empty if it does not."""
    checks = {
        "bytes": lambda p: p.stat().st_size,
        "git_blob": text.git_blob,
        "sha256": sha256,
    }
    for key, compute in checks.items():
        if key in facts and (ours := compute(path)) != facts[key]:
            checksum = "checksum differs (corrupted, or another version)"
            problem = "wrong size (truncated?)" if key == "bytes" else checksum
            return f"{problem}; found {key} {ours}, expected {facts[key]}"
    return ""


@contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """A temporary folder next to `target`; folders that stay empty are removed again.

    Raises DataError where nothing can be written, or something else is in the way.
    """
    own = target.with_name(PARTIAL + target.name)
    shutil.rmtree(own, ignore_errors=True)  # left by a run that was killed
    try:
        with made_folders(target.parent):
            own.mkdir()
            try:
                yield own
            finally:
                shutil.rmtree(own, ignore_errors=True)
    except OSError as error:
        place = error.filename2 or error.filename or target
        raise DataError(
            f"cannot be written ({error.strerror})", file=place
        ) from None


class _Bounded(io.FileIO):
    """A file that takes at most `most` bytes, and nothing after `TOTAL_TIME`."""

    def __init__(self, path: str, most: int) -> None:
        super().__init__(path, "wb")
        self.most = most
        self.end = time.monotonic() + TOTAL_TIME

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self.most:
            raise LookupError(f"larger than the expected {self.most} bytes")
        if time.monotonic() > self.end:
            raise LookupError(f"not complete after {TOTAL_TIME:g} seconds")
        return super().write(data)


def fetch(
    url: str, target: Path, facts: Facts, tries: int = TRIES, instead: str = ""
) -> None:
    """Download `url` to `target`, verified before it gets that name; retry where that may help.

    A transfer ends beyond the size in `facts` (`LARGEST` if unknown), after `TOTAL_TIME`, and where
    nothing comes for `TIMEOUT`.

    Raises DataError after the last of `tries`, with the reason and how to place the file by hand
    (`instead` is added to that); `Unreachable` if the host does not answer.
    """
    import requests

    def downloader(url: str, output: str, keeper: object) -> None:
        carry = pooch.HTTPDownloader(
            progressbar=sys.stderr.isatty(), timeout=TIMEOUT
        )
        try:
            with _Bounded(output, facts.get("bytes", LARGEST)) as file:
                carry(url, file, keeper)
        except requests.HTTPError as error:
            status = (
                error.response.status_code if error.response is not None else 0
            )
            if (
                status < 500 and status != 429
            ):  # a retry would get the same answer
                raise LookupError(f"the host answers {status}") from None
            raise ValueError(f"the host answers {status}") from None
        if problem := mismatch(Path(output), facts):
            raise ValueError(problem)  # pooch tries again

    kind: type[DataError] = DataError
    with _staging(target) as staging:
        registry = {target.name: facts.get("sha256")}
        urls = {target.name: url}
        keeper = pooch.Pooch(
            staging, "", registry, urls, retry_if_failed=max(tries, 1) - 1
        )
        try:
            whole = keeper.fetch(target.name, downloader=downloader)
        except (requests.ConnectionError, requests.Timeout) as error:
            kind = Unreachable
            reason = f"no answer from the host ({type(error).__name__})"
        except requests.RequestException as error:
            reason = f"the transfer broke off ({type(error).__name__})"
        except (LookupError, ValueError, OSError) as error:
            reason = str(error)
        else:
            os.replace(whole, target)
            return
    must = [
        f"{key} {facts[key]}"
        for key in ("bytes", "git_blob", "sha256")
        if key in facts
    ]
    known = ", ".join(must) or "no checksum was published"
    expected = f"the file placed there by hand: {target} ({known}){instead}"
    raise kind(
        f"cannot be fetched from {url}: {reason}",
        file=target,
        expected=expected,
    )


def unpack(
    archive: Path,
    part: str,
    folder: Path,
    required: Mapping[str, Facts],
    optional: Sequence[str] = (),
) -> list[Path]:
    """Copy members of a tar archive into `folder`: all that are wanted, or none.

    Members are looked for below a folder called `part`; of several with one name, the one nearest
    to the top is taken. `required` maps file names (perhaps with ``.gz`` added) to what is known of
    each; `optional` holds further names or patterns. Only the contents of regular files are read,
    and written to names of ours, so that no member can lead anywhere else. Raises DataError if the
    archive is damaged, a required member is missing or another, or one that is wanted is no file.
    """
    with _staging(folder / archive.name) as staging:
        try:
            with tarfile.open(archive, "r:*") as tar:
                chosen = _choose(
                    archive, tar.getmembers(), part, required, optional
                )
                for name, member in chosen.items():
                    content = tar.extractfile(member)
                    assert content is not None  # a regular file
                    with content, (staging / name).open("wb") as copy:
                        shutil.copyfileobj(content, copy)
        except (tarfile.ReadError, EOFError, zlib.error, OSError) as error:
            expected = "a whole tar archive; remove it and fetch it again"
            problem = f"truncated or damaged archive ({error})"
            raise DataError(problem, file=archive, expected=expected) from None
        for name, member in chosen.items():
            if other := mismatch(staging / name, required.get(name, {})):
                problem = f"a member differs from the official file: {other}"
                raise DataError(problem, file=archive, value=member.name)
        for name in chosen:
            os.replace(staging / name, folder / name)
    return [folder / name for name in chosen]


def _choose(
    archive: Path,
    members: Sequence[tarfile.TarInfo],
    part: str,
    required: Collection[str],
    optional: Collection[str],
) -> dict[str, tarfile.TarInfo]:
    """The wanted members below a folder `part`, by file name; DataError if one is no file."""
    chosen: dict[str, tarfile.TarInfo] = {}
    for member in sorted(members, key=lambda m: (m.name.count("/"), m.name)):
        path = PurePosixPath(
            member.name.replace("\\", "/")
        )  # no folder on Windows either
        names = (path.name, path.name.removesuffix(".gz"))
        hit = any(
            fnmatch.fnmatchcase(n, one)
            for n in names
            for one in (*required, *optional)
        )
        if hit and part in path.parts[:-1]:
            chosen.setdefault(path.name, member)
    missing = [
        name for name in required if not {name, f"{name}.gz"} & chosen.keys()
    ]
    if missing:
        there = "; ".join(
            sorted({str(PurePosixPath(m.name).parent) for m in members})
        )
        problem = f"no member {missing[0]} below a folder {part}"
        raise DataError(problem, file=archive, expected=there)
    for member in (one for one in chosen.values() if not one.isfile()):
        problem = "a link or folder in place of a file"
        expected = "a regular file"
        raise DataError(
            problem, file=archive, value=member.name, expected=expected
        )
    return chosen


def _recorded(url: str, archive: Path | None = None) -> Facts:
    """The sha256 of an archive in ``checksums.tsv``, to which that of `archive` is added first.

    Raises DataError if ``checksums.tsv`` is damaged.
    """
    path = paths.data_root() / "checksums.tsv"
    lines = text.content(path).decode().splitlines() if path.is_file() else []
    known = {"name": "sha256"}  # the header
    for line, cells in enumerate(map(str.split, lines), start=1):
        if len(cells) not in (
            0,
            2,
            3,
        ):  # earlier versions recorded the bytes, too
            wrong = partial(
                DataError, "wrong number of columns", file=path, line=line
            )
            raise wrong(
                value=len(cells),
                expected="name and sha256, with a tab between them",
            )
        known |= {cells[0]: cells[1]} if cells else {}
    if archive:
        known[url] = sha256(archive)
        write_whole(
            path,
            "".join(
                f"{name}\t{said}\n" for name, said in known.items()
            ).encode(),
        )
    return {"sha256": known[url]} if url in known else {}


def url_of(source: Entry, name: str, base: str = "") -> str:
    """The address of the file `name` of a catalogue source; `base` replaces the hosts."""
    if "archive" in source:
        address = str(source["archive"])
        return (
            f"{base.rstrip('/')}/{address.rsplit('/', 1)[1]}"
            if base
            else address
        )
    there = (
        f"{source['folder']}/{source['files'][name].get('at', name)}".lstrip(
            "/"
        )
    )
    path = "/".join((source["repository"], source["commit"], quote(there)))
    return f"{(base or RAW).rstrip('/')}/{path}"


def download(name: str, tries: int = TRIES) -> Iterator[str]:
    """Fetch the missing files of a catalogue campaign into the data root; yields report lines.

    Files that are here are kept, also where they are not the official ones (such as judgments
    rebuilt from z-scores). Sources are tried in the catalogue's order. ``RANKSTABILITY_MIRROR`` may
    name a mirror to fetch from instead of the hosts, with ``<repository>/<commit>/<path>`` and the
    archives at its top.

    Raises DataError at the end for the first file that could not be fetched.
    """
    if name not in campaigns.catalogue():
        campaigns.find(name)  # raises an error that lists the names
        raise DataError("not a campaign of the catalogue", value=name)
    entry = campaigns.catalogue()[name]
    if entry.get("demo"):
        yield f"{name}: synthetic, in the repository"
        return
    folder = campaigns.folder_of(name)
    failed = dict[str, list[DataError]]()
    for source in entry["sources"]:
        take = _from_archive if "archive" in source else _from_repository
        yield from (
            f"{name}: {line}"
            for line in take(folder, entry, source, tries, failed)
        )
    for file, errors in failed.items():
        if not campaigns.locate(folder, file):
            last = errors[-1]
            problem = "; and ".join(error.problem for error in errors)
            raise DataError(
                problem,
                file=last.file,
                value=last.value,
                expected=last.expected,
            )


def _address(source: Entry, name: str = "") -> str:
    return url_of(source, name, os.environ.get("RANKSTABILITY_MIRROR", ""))


def _from_repository(
    folder: Path,
    entry: Entry,
    source: Entry,
    tries: int,
    failed: dict[str, list[DataError]],
) -> Iterator[str]:
    """Fetch the missing files from a repository; yields a line for each."""
    for file, facts in source["files"].items():
        if campaigns.locate(folder, file):
            continue
        try:
            fetch(_address(source, file), folder / file, facts, tries)
            yield f"{file} fetched, verified ({', '.join(key for key in facts if key != 'at')})"
        except DataError as error:
            failed.setdefault(file, []).append(error)
            if isinstance(error, Unreachable):
                return


def _from_archive(
    folder: Path,
    entry: Entry,
    source: Entry,
    tries: int,
    failed: dict[str, list[DataError]],
) -> Iterator[str]:
    """Fetch an archive (once for all campaigns in it), check it and unpack the missing files."""
    missing = [
        file for file in source["files"] if not campaigns.locate(folder, file)
    ]
    url = str(source["archive"])
    store = paths.data_root() / "downloads" / url.rsplit("/", 1)[1]
    fresh = not store.is_file()
    here = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    extras = [
        one
        for one in source.get("optional", ())
        if not fnmatch.filter(here, one)
    ]
    if not missing and (
        fresh or not extras
    ):  # no big archive for the extras alone
        return
    facts = {
        key: source[key] for key in ("sha256", "bytes") if key in source
    } or _recorded(url)
    known: dict[
        str, Facts
    ] = {}  # of the files that another source has with their checksums
    for one in entry["sources"]:
        known |= one["files"] if isinstance(one["files"], Mapping) else {}
    try:
        if fresh:
            instead = f"; or {' and '.join(source['files'])} of its folder {source['part']}"
            fetch(
                _address(source), store, facts, tries, f"{instead} in {folder}"
            )
        elif other := mismatch(store, facts):
            problem = f"{other}; it is not the archive recorded at the first download"
            trusted = (
                f"delete its line from {paths.data_root() / 'checksums.tsv'}"
            )
            expected = f"Remove the file to fetch it again; if you trust this one, {trusted}"
            raise DataError(problem, file=store, expected=expected)
        required = {file: known.get(file, {}) for file in missing}
        unpacked = unpack(store, source["part"], folder, required, extras)
    except DataError as error:
        if fresh and store.is_file():
            store.unlink()  # so that the next run fetches it again
        for file in missing or extras:
            failed.setdefault(file, []).append(error)
        return
    if not facts:
        seen = _recorded(url, store)["sha256"]
        yield f"no checksum of {store.name} was ever published; recorded its sha256 {seen}"
    if unpacked:
        yield f"{len(unpacked)} files unpacked from {store.name}"


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns 0 if every campaign asked for is complete, else 1."""
    about = "Fetch official releases into the data root (RANKSTABILITY_DATA, or data/)."
    parser = argparse.ArgumentParser(
        prog="rankstability data", description=about
    )
    parser.add_argument(
        "campaign", nargs="*", help="catalogue names; none: all"
    )
    parser.add_argument(
        "--list", action="store_true", help="list the catalogue and stop"
    )
    options = parser.parse_args(arguments)
    if options.list:
        here = {campaign.name for campaign in campaigns.present()}
        for one in campaigns.listed():
            print(
                f"{one.name:26}{'here' if one.name in here else '-':6}{one.title}"
            )
        return 0
    names = options.campaign or [
        c.name for c in campaigns.listed() if not c.demo
    ]
    bad = []
    for name in names:
        try:
            for line in download(name):
                print(line, flush=True)
        except (DataError, OSError) as error:
            bad.append(name)
            print(f"{name}: {error}", file=sys.stderr, flush=True)
    print(
        f"{len(names) - len(bad)} of {len(names)} campaigns complete in {paths.data_root()}"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
