"""Fetch official releases into the data root: ``rankstability data wmt18``.

Files come from repositories at a pinned commit, checked against their git blob id before use, or
from the organisers' archives. If no checksum of an archive was published, its sha256 is recorded in
``checksums.tsv`` of the data root at the first download, and checked from then on.
"""

from __future__ import annotations

import fnmatch
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import pandas as pd
import pooch
import requests

from ..errors import DataError
from .catalogue import find_campaign, list_campaigns, read_catalogue, read_sources
from .formats.files import git_blob, locate
from .official import published, published_papers
from .paths import data_root, repository_root

RAW = "https://raw.githubusercontent.com"
MIRROR = "RANKSTABILITY_MIRROR"  # an address to fetch from instead of the hosts
TRIES = 3
TIMEOUT = 60.0  # seconds without an answer
LONGEST = 3600.0  # seconds for one attempt at one file
LARGEST = 4 << 30  # bytes of a file of unpublished size
PARTIAL = ".partial-"  # begins the name of what is not complete yet

Source = Mapping[str, Any]
Facts = Mapping[str, Any]  # what is known of a file: bytes, git_blob, sha256, or some of them


class UnreachableError(DataError):
    """The host does not answer, so that asking it for the next file is pointless."""


def describe_mismatch(path: Path, facts: Facts) -> str:
    """Return how a file differs from what is known of it; empty if it does not."""
    checks: dict[str, Callable[[Path], Any]] = {
        "bytes": lambda file: file.stat().st_size,
        "git_blob": git_blob,
        "sha256": lambda file: pooch.file_hash(str(file), alg="sha256"),
    }
    for name, compute in checks.items():
        if name in facts and (found := compute(path)) != facts[name]:
            return f"{name} {found}, expected {facts[name]}"
    return ""


@contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """Give a temporary folder beside `target`, which is removed afterwards."""
    try:
        made = [folder for folder in (target.parent, *target.parent.parents) if not folder.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        for rest in target.parent.glob(f"{PARTIAL}{target.name}*"):  # of a run that was killed
            shutil.rmtree(rest, ignore_errors=True)
        folder = tempfile.mkdtemp(prefix=f"{PARTIAL}{target.name}", dir=target.parent)
        try:
            yield Path(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            for empty in made:
                if empty.is_dir() and not any(empty.iterdir()):
                    empty.rmdir()
    except OSError as error:
        raise DataError("unwritable_folder", file=target, value=error.strerror) from None


class _BoundedFile(io.FileIO):
    """A file that takes a limited number of bytes, and nothing after `LONGEST`."""

    def __init__(self, path: str, limit: int) -> None:
        super().__init__(path, "wb")
        self.limit = limit
        self.end = time.monotonic() + LONGEST

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self.limit:
            raise LookupError(f"larger than {self.limit} bytes")
        if time.monotonic() > self.end:
            raise LookupError(f"not complete after {LONGEST:g} seconds")
        return super().write(data)


def fetch(url: str, target: Path, facts: Facts, tries: int = TRIES) -> None:
    """Download a file, which gets its name only when it has been verified.

    Raises DataError after the last of `tries`, with the reason; `UnreachableError` if the host does
    not answer.
    """

    def download(address: str, output: str, keeper: object) -> None:
        transfer = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=TIMEOUT)
        try:
            with _BoundedFile(output, facts.get("bytes", LARGEST)) as file:
                transfer(address, file, keeper)
        except requests.HTTPError as error:
            status = error.response.status_code if error.response is not None else 0
            kind = ValueError if status >= 500 or status == 429 else LookupError
            raise kind(f"the host answers {status}") from None
        if mismatch := describe_mismatch(Path(output), facts):
            raise ValueError(mismatch)  # tried again

    unreachable = False
    with _staging(target) as folder:
        keeper = pooch.Pooch(
            folder,
            "",
            {target.name: facts.get("sha256")},
            {target.name: url},
            retry_if_failed=max(tries, 1) - 1,
        )
        try:
            whole = keeper.fetch(target.name, downloader=download)
        except (requests.ConnectionError, requests.Timeout) as error:
            unreachable = True
            reason = f"no answer ({type(error).__name__})"
        except requests.RequestException as error:
            reason = f"the transfer broke off ({type(error).__name__})"
        except (LookupError, ValueError, OSError) as error:
            reason = str(error)
        else:
            os.replace(whole, target)
            return
    known = ", ".join(f"{name} {facts[name]}" for name in ("bytes", "git_blob", "sha256")
                      if name in facts)  # fmt: skip
    kind = UnreachableError if unreachable else DataError
    raise kind(
        "cannot_be_fetched",
        file=target,
        value=reason,
        expected=f"{url} ({known or 'no published checksum'}), or the file placed there by hand",
    )


def unpack(
    archive: Path,
    part: str,
    folder: Path,
    required: Mapping[str, Facts],
    optional: Sequence[str] = (),
) -> list[Path]:
    """Copy members of a tar archive into a folder: all that are wanted, or none.

    Members are looked for below a folder called `part`; of several with one name, the one nearest
    to the top is taken. `required` maps file names (perhaps with ``.gz`` added) to what is known of
    each; `optional` holds further names or patterns. Only the contents of regular files are read,
    and written to names of ours, so that no member can lead anywhere else. Raises DataError for a
    damaged archive, and for a required member that is missing, another, or no file.
    """
    with _staging(folder / archive.name) as staging:
        try:
            with tarfile.open(archive, "r:*") as tar:
                chosen = _choose_members(archive, tar.getmembers(), part, required, optional)
                for name, member in chosen.items():
                    content = tar.extractfile(member)
                    if content is not None:
                        with content, (staging / name).open("wb") as copy:
                            shutil.copyfileobj(content, copy)
        except (tarfile.ReadError, EOFError, zlib.error) as error:
            raise DataError("damaged_file", file=archive, value=str(error)) from None
        for name in chosen:
            if mismatch := describe_mismatch(staging / name, required.get(name, {})):
                raise DataError("another_member", file=archive, column=name, value=mismatch)
        for name in chosen:
            os.replace(staging / name, folder / name)
    return [folder / name for name in chosen]


def _choose_members(
    archive: Path,
    members: Sequence[tarfile.TarInfo],
    part: str,
    required: Collection[str],
    optional: Collection[str],
) -> dict[str, tarfile.TarInfo]:
    """Return the wanted members below a folder `part`, by file name."""
    chosen: dict[str, tarfile.TarInfo] = {}
    for member in sorted(members, key=lambda each: (each.name.count("/"), each.name)):
        path = PurePosixPath(member.name.replace("\\", "/"))
        names = (path.name, path.name.removesuffix(".gz"))
        wanted = any(
            fnmatch.fnmatchcase(name, pattern)
            for name in names
            for pattern in (*required, *optional)
        )
        if wanted and part in path.parts[:-1]:
            chosen.setdefault(path.name, member)
    for name in required:
        if not {name, f"{name}.gz"} & chosen.keys():
            raise DataError("missing_member", file=archive, value=f"{part}/{name}")
    for member in chosen.values():
        if not member.isfile():
            raise DataError("not_a_regular_file", file=archive, value=member.name)
    return chosen


def _recorded_checksum(url: str, archive: Path | None = None) -> Facts:
    """Return the recorded sha256 of an archive; record that of `archive` first, if it is given."""
    path = data_root() / "checksums.tsv"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    known = {"name": "sha256"}
    for line, cells in enumerate(map(str.split, lines), start=1):
        if len(cells) not in (0, 2):
            raise DataError("wrong_number_of_cells", file=path, line=line, expected="2")
        known |= {cells[0]: cells[1]} if cells else {}
    if archive is not None:
        known[url] = str(pooch.file_hash(str(archive), alg="sha256"))
        scratch = path.with_suffix(".partial")
        scratch.write_text("".join(f"{name}\t{value}\n" for name, value in known.items()))
        scratch.replace(path)
    return {"sha256": known[url]} if url in known else {}


def address_of(source: Source, name: str = "") -> str:
    """Return the address of a file of a source, or of an archive, at its host or at the mirror."""
    mirror = os.environ.get(MIRROR, "")
    if "archive" in source:
        address = str(source["archive"])
        return f"{mirror.rstrip('/')}/{address.rsplit('/', 1)[1]}" if mirror else address
    place = f"{source['folder']}/{source['files'][name].get('at', name)}".lstrip("/")
    path = "/".join((source["repository"], source["commit"], quote(place)))
    return f"{(mirror or RAW).rstrip('/')}/{path}"


def download(name: str, tries: int = TRIES) -> Iterator[str]:
    """Fetch the missing files of a campaign into the data root, and yield a line for each step.

    Files that are here are kept, even if they are not the official ones (such as judgments rebuilt
    from z-scores). Sources are tried in the order of the catalogue. The environment variable
    ``RANKSTABILITY_MIRROR`` may name a mirror, with ``<repository>/<commit>/<path>`` and the
    archives at its top.

    Raises DataError at the end for the first file that could not be fetched, and for an unknown
    campaign.
    """
    campaign = find_campaign(name)
    if campaign.facts.get("demo"):
        yield f"{name}: synthetic, in the repository"
        return
    yield f"{name}: licence {campaign.facts['licence']}; cite {campaign.facts['citation']}"
    sources = read_sources()[campaign.name.partition(".")[0]]
    converts = any("convert" in source for source in sources)
    if converts and all(locate(campaign.folder, file) for file in campaign.facts["files"]):
        return
    failed: dict[Path, DataError] = {}
    for source in sources:
        folder = data_root() / source["into"] if "into" in source else campaign.folder
        take = _from_archive if "archive" in source else _from_repository
        for line in take(campaign.name, folder, source, tries, failed):
            yield f"{name}: {line}"
        if "convert" in source and not failed:
            yield from _convert(name, folder, source)
    for path, error in failed.items():
        if not locate(path.parent, path.name):
            raise error


def _from_repository(
    name: str, folder: Path, source: Source, tries: int, failed: dict[Path, DataError]
) -> Iterator[str]:
    """Fetch the missing files from a repository."""
    for file, facts in source["files"].items():
        path = folder / file
        if locate(path.parent, path.name):
            continue
        try:
            fetch(address_of(source, file), path, facts, tries)
        except DataError as error:
            failed.setdefault(path, error)
            if isinstance(error, UnreachableError):
                return
        else:
            failed.pop(path, None)
            yield f"{file} fetched and verified"


def _from_archive(
    name: str, folder: Path, source: Source, tries: int, failed: dict[Path, DataError]
) -> Iterator[str]:
    """Fetch an archive (once for all campaigns in it), check it and unpack the missing files."""
    missing = [file for file in source["files"] if not locate(folder, file)]
    url = str(source["archive"])
    store = data_root() / "downloads" / url.rsplit("/", 1)[1]
    is_new = not store.is_file()
    here = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    extras = [each for each in source.get("optional", ()) if not fnmatch.filter(here, each)]
    if not missing and (is_new or not extras):  # no large archive for the extras alone
        return
    try:
        facts = _recorded_checksum(url)
        if is_new:
            fetch(address_of(source), store, facts, tries)
        elif mismatch := describe_mismatch(store, facts):
            raise DataError("another_archive", file=store, value=mismatch)
        known: dict[str, Facts] = {}  # of the files that another source has with checksums
        for each in read_sources()[name]:
            known |= each["files"] if isinstance(each["files"], Mapping) else {}
        required = {file: known.get(file, {}) for file in missing}
        unpacked = unpack(store, source["part"], folder, required, extras)
    except DataError as error:
        if is_new and store.is_file():
            store.unlink()  # so that the next run fetches it again
        for file in missing or extras:
            failed.setdefault(folder / file, error)
        return
    if not facts:
        checksum = _recorded_checksum(url, store)["sha256"]
        yield f"no checksum of {store.name} was published; recorded its sha256 {checksum}"
    if unpacked:
        yield f"{len(unpacked)} files unpacked from {store.name}"


def _convert(name: str, folder: Path, source: Source) -> Iterator[str]:
    """Run the script of a release that is read in another form; it writes into the folder."""
    if all(locate(folder, file) for file in read_catalogue()[name]["files"]):
        return
    script = repository_root() / "data" / "convert" / source["convert"]
    if not script.is_file():
        raise DataError("missing_file", file=script, value=source["convert"])
    done = subprocess.run(
        [sys.executable, str(script), str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise DataError("conversion_failed", file=script, value=done.stderr.strip()[-300:])
    yield f"{name}: converted by data/convert/{source['convert']}"


def download_all(names: Sequence[str] = (), tries: int = TRIES) -> int:
    """Fetch campaigns (by default all), print what happens, and return how many are incomplete."""
    known = [campaign for campaign in list_campaigns() if not campaign.facts.get("demo")]
    chosen = list(names) or [campaign.name for campaign in known]
    incomplete = []
    for name in chosen:
        try:
            for line in download(name, tries):
                print(line, flush=True)
        except DataError as error:
            incomplete.append(name)
            print(f"{name}: {error}", file=sys.stderr, flush=True)
    absent = [campaign.name for campaign in known if not campaign.is_here]
    print(f"{len(chosen) - len(incomplete)} of {len(chosen)} campaigns complete in {data_root()}")
    print(f"not here: {', '.join(absent) or 'none'}")
    for row in list_deciding_files().itertuples():
        state = "found" if row.found else "not here"
        print(f"{row.file}: {state}; {row.values} printed values depend on it")
    return len(incomplete)


def list_deciding_files() -> pd.DataFrame:
    """List the released files that printed values wait for, and whether they are here.

    Returns
    -------
    DataFrame
        Columns file (an archive or a table), values (how many printed values in
        ``data/published`` name the file in ``no_data``) and found: all campaigns with this file
        are here in their released form. Without ``data/published``, the frame is empty.
    """
    counts: dict[str, int] = {}
    for paper in published_papers():
        for reason in published(paper).get("no_data", ()):
            for file in re.findall(r"[\w.-]+\.(?:tar\.gz|tsv)\b", reason):
                counts[file] = counts.get(file, 0) + 1
    rows = [(file, number, _is_found(file)) for file, number in sorted(counts.items())]
    return pd.DataFrame(rows, columns=["file", "values", "found"])


def _is_found(file: str) -> bool:
    """Tell whether all campaigns that a released file holds are here as they were released."""
    holders = [
        find_campaign(name)
        for name, sources in read_sources().items()
        if any(file == str(source.get("archive", "")).rpartition("/")[2] for source in sources)
        or any(file in source["files"] for source in sources)
    ]
    return bool(holders) and all(each.is_here and not each.is_rebuilt for each in holders)
