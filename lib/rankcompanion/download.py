"""Download official releases into the data root: ``python -m rankcompanion.download wmt18``.

Files come from repositories at a pinned commit, checked against their git blob id before use, or
from the organisers' archives. If no checksum of an archive was published, its sha256 is recorded in
``checksums.tsv`` of the data root at the first download and checked from then on.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from rankstability import paths
from rankstability.errors import DataError
from rankstability.read import campaigns, tables

from .transfer import PARTIAL, TRIES, Facts, Unreachable, fetch, mismatch, sha256, unpack

RAW = "https://raw.githubusercontent.com"
RECORD = ("name", "sha256", "bytes")  # columns of checksums.tsv; names: addresses, or paths in root

Entry = Mapping[str, Any]  # an entry of the catalogue, or one of its sources


def _known(entry: Entry, name: str) -> Facts:
    """What the catalogue says of a file, from the first source that names it."""
    for source in entry["sources"]:
        if isinstance(source["files"], Mapping) and name in source["files"]:
            return dict(source["files"][name])
    return {}


def _recorded() -> pd.DataFrame:
    """``checksums.tsv``: sha256 and bytes, as text, of files without a published checksum."""
    path = paths.data_root() / "checksums.tsv"
    empty = pd.DataFrame(columns=list(RECORD))
    frame = tables.read(path, RECORD, tables.BLANKS).frame.astype(str) if path.is_file() else empty
    return frame.set_index("name")


def _record(files: Mapping[str, Path]) -> None:
    """Add `files`, by their names, to ``checksums.tsv``."""
    rows = _recorded()
    for name, path in files.items():
        rows.loc[name] = [sha256(path), str(path.stat().st_size)]
    part = paths.data_root() / f"{PARTIAL}checksums.tsv"
    rows.sort_index().to_csv(part, sep="\t", lineterminator="\n")
    os.replace(part, paths.data_root() / "checksums.tsv")


def _in_root(path: Path) -> str:
    return path.relative_to(paths.data_root()).as_posix()


def url_of(source: Entry, name: str, base: str = "") -> str:
    """The address of the file `name` of a catalogue source; `base` replaces the hosts."""
    if "archive" in source:
        address = str(source["archive"])
        return f"{base.rstrip('/')}/{address.rsplit('/', 1)[1]}" if base else address
    there = f"{source['folder']}/{source['files'][name].get('at', name)}".lstrip("/")
    path = "/".join((source["repository"], source["commit"], quote(there)))
    return f"{(base or RAW).rstrip('/')}/{path}"


def download(name: str, base: str = "", tries: int = TRIES) -> Iterator[str]:
    """Fetch the files of a catalogue campaign into the data root; yields lines of a report.

    Files that are here are kept, also where they are not the official ones (such as judgments
    rebuilt from z-scores), which the report says. Sources are tried in the catalogue's order.
    `base`, by default ``RANKSTABILITY_MIRROR``, is the address of a mirror to fetch from instead of
    the hosts, with ``<repository>/<commit>/<path>`` and the archives at its top.

    Raises DataError at the end for the first file that could not be fetched.
    """
    if name not in campaigns.catalogue():
        campaigns.find(name)  # raises an error that lists the names
        raise DataError("not a campaign of the catalogue", value=name)
    entry = campaigns.catalogue()[name]
    if entry.get("demo"):
        yield f"{name}: synthetic, in the repository"
        return
    base = base or os.environ.get("RANKSTABILITY_MIRROR", "")
    folder = campaigns.folder_of(name)
    yield from (f"{name}: {line}" for line in _state(folder, entry))
    wanted = _Wanted(folder, entry, base, tries, {})
    for source in entry["sources"]:
        take = _from_archive if "archive" in source else _from_repository
        yield from (f"{name}: {line}" for line in take(wanted, source))
    for file, errors in wanted.failed.items():
        if not campaigns.locate(folder, file):
            last, problem = errors[-1], "; and ".join(error.problem for error in errors)
            raise DataError(problem, file=last.file, value=last.value, expected=last.expected)


def _state(folder: Path, entry: Entry) -> Iterator[str]:
    """Yields a report on the files of a campaign that are here."""
    meaning = {
        "verified": "here, verified",
        "unknown": "here; no checksum to check against",
        "differs": "here, but not the official file; kept (remove it to fetch the official one)",
    }
    states: dict[str, list[str]] = {state: [] for state in meaning}
    recorded = _recorded()["sha256"]
    for file in dict.fromkeys(file for source in entry["sources"] for file in source["files"]):
        here = campaigns.locate(folder, file)
        if here is None:
            continue
        # a gzipped copy of an official plain file counts as that file, so its size is not checked
        facts = {key: value for key, value in _known(entry, file).items() if key == "git_blob"}
        if not facts and _in_root(here) in recorded:
            facts = {"sha256": recorded[_in_root(here)]}
        state = "unknown" if not facts else "differs" if mismatch(here, facts) else "verified"
        states[state].append(here.name)
    for state, names in states.items():
        if names:
            shown = f"{len(names)} files" if len(names) > 2 else " and ".join(names)
            yield f"{shown} {meaning[state]}"


@dataclass(frozen=True)
class _Wanted:
    """A campaign of the catalogue, where it goes, and the errors so far by file."""

    folder: Path
    entry: Entry
    base: str
    tries: int
    failed: dict[str, list[DataError]]


def _from_repository(of: _Wanted, source: Entry) -> Iterator[str]:
    """Fetch the missing files from a repository; yields a line for each."""
    for file, facts in source["files"].items():
        if campaigns.locate(of.folder, file):
            continue
        try:
            fetch(url_of(source, file, of.base), of.folder / file, facts, of.tries)
            yield f"{file} fetched, verified ({', '.join(key for key in facts if key != 'at')})"
        except DataError as error:
            of.failed.setdefault(file, []).append(error)
            if isinstance(error, Unreachable):
                return


def _from_archive(of: _Wanted, source: Entry) -> Iterator[str]:
    """Fetch an archive (once for all campaigns in it), check it and unpack the missing files."""
    folder = of.folder
    url = str(source["archive"])
    store = paths.data_root() / "downloads" / url.rsplit("/", 1)[1]
    fresh = not store.is_file()
    missing = [file for file in source["files"] if not campaigns.locate(folder, file)]
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    extras = [one for one in source.get("optional", ()) if not fnmatch.filter(names, one)]
    if not missing + extras or (fresh and not missing):  # no big archive for the extras alone
        return
    facts = {key: source[key] for key in ("sha256", "bytes") if key in source}
    recorded = _recorded()["sha256"]
    if not facts and url in recorded:
        facts = {"sha256": recorded[url]}
    try:
        if fresh:
            instead = f"; or {' and '.join(source['files'])} of its folder {source['part']}"
            fetch(url_of(source, "", of.base), store, facts, of.tries, f"{instead} in {folder}")
        elif other := mismatch(store, facts):
            problem = f"{other}; it is not the archive recorded at the first download"
            record = paths.data_root() / "checksums.tsv"
            trusted = f"if you trust this one, delete its line from {record}"
            expected = f"Remove the file to fetch it again; {trusted}"
            raise DataError(problem, file=store, expected=expected)
        required = {file: _known(of.entry, file) for file in missing}
        try:
            unpacked = unpack(store, source["part"], folder, required, extras)
        except DataError:
            if fresh:
                store.unlink()  # so that the next run fetches it again
            raise
    except DataError as error:
        for file in missing:
            of.failed.setdefault(file, []).append(error)
        return
    if not facts:
        _record({url: store})
        now = f"sha256 {sha256(store)}, {store.stat().st_size} bytes"
        unpublished = f"no checksum of {store.name} was ever published"
        yield f"{unpublished}; recorded that of this download ({now}) in checksums.tsv"
    _record({_in_root(path): path for path in unpacked})
    shown = ", ".join(path.name for path in unpacked[:2]) + ", ..." * (len(unpacked) > 2)
    official = ", ".join(path.name for path in unpacked if _known(of.entry, path.name))
    verified = f"; verified (git_blob): {official}" if official else ""
    yield f"{len(unpacked)} files unpacked from {store.name} ({shown}), sha256 recorded{verified}"


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns 0 if every campaign asked for is complete, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m rankcompanion.download",
        description="Fetch official releases into the data root (RANKSTABILITY_DATA, or data/).",
    )
    parser.add_argument("campaign", nargs="*", help="catalogue names; none: all")
    parser.add_argument("--base-url", default="", help="fetch from this mirror instead")
    parser.add_argument("--retries", type=int, default=TRIES, help="tries of one file")
    parser.add_argument("--list", action="store_true", help="list the catalogue and stop")
    options = parser.parse_args(arguments)
    if options.list:
        here = {campaign.name for campaign in campaigns.present()}
        for campaign in campaigns.listed():
            print(f"{campaign.name:26}{'here' if campaign.name in here else '-':6}{campaign.title}")
        return 0
    names = options.campaign or [c.name for c in campaigns.listed() if not c.demo]
    bad = []
    for name in names:
        try:
            for line in download(name, options.base_url, options.retries):
                print(line, flush=True)
        except DataError as error:
            bad.append(name)
            print(f"{name}: {error}", file=sys.stderr, flush=True)
    print(f"{len(names) - len(bad)} of {len(names)} campaigns complete in {paths.data_root()}")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
