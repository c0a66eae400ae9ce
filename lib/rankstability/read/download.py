"""Fetch the official releases into the data root: ``python -m rankstability.download wmt18``.

Files come from repositories at a pinned commit, checked against their git blob id before use, or
from the organisers' archives. An archive without a published checksum has its sha256 recorded in
``checksums.tsv`` of the data root at first use, and is held to it afterwards.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .. import paths
from ..errors import DataError
from . import archives, campaigns
from . import text as tables
from .fetch import RETRIES, Unreachable, fetch, verify

RAW = "https://raw.githubusercontent.com"


def url_of(source: Mapping[str, Any], name: str, base: str = "") -> str:
    """Where `name` of a catalogue source is fetched from; `base` replaces the hosts."""
    if "archive" in source:
        address = str(source["archive"])
        return f"{base.rstrip('/')}/{address.rsplit('/', 1)[1]}" if base else address
    path = "/".join((source["repository"], source["commit"], quote(f"{source['folder']}/{name}")))
    return f"{(base or RAW).rstrip('/')}/{path}"


def _state(path: Path, expected: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """``verified``, ``differs`` or ``unknown`` (nothing to check against) for a file that is here.

    A gzipped copy of an official plain file counts as that file.
    """
    if "git_blob" in expected:
        return "verified" if tables.git_blob(path) == expected["git_blob"] else "differs"
    if record:
        return "verified" if archives.sha256(path) == record["sha256"] else "differs"
    return "unknown"


def known(entry: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What the catalogue knows of a file, whichever source names it."""
    for source in entry.get("sources", ()):
        if isinstance(source["files"], Mapping) and name in source["files"]:
            return dict(source["files"][name])
    return {}


def download(name: str, base: str = "", retries: int = RETRIES) -> Iterator[str]:
    """Bring the files of a catalogue campaign into the data root, one line of report each.

    What is here and verified is left alone in no time; what is here but is not the official file
    (such as judgments rebuilt from z-scores) is kept and said.

    Parameters
    ----------
    name : str
        Of the catalogue.
    base : str
        Fetch from this address instead of the hosts (also ``RANKSTABILITY_MIRROR``): a mirror
        with ``<repository>/<commit>/<path>`` and the archives at its top.
    retries : int

    Raises
    ------
    DataError
        At the end, for the first file that could not be had.
    """
    if name not in campaigns.catalogue():
        campaigns.find(name)  # raises, with the names there are
        raise DataError("not a campaign of the catalogue", value=name)
    entry = campaigns.catalogue()[name]
    if entry.get("demo"):
        yield f"{name}: synthetic, in the repository"
        return
    base = base or os.environ.get("RANKSTABILITY_MIRROR", "")
    folder = campaigns.folder_of(name)
    ledger = archives.Ledger(paths.data_root() / "checksums.tsv")
    wanted, report = _look(name, folder, entry, ledger)
    yield from report
    failed: dict[str, DataError] = {}
    for source in entry["sources"]:
        if "archive" in source:
            needed = [file for file in source["files"] if file in wanted]
            if not needed and not _stored(source).is_file():
                continue  # complete but for extras: not worth a big archive
            needed += _patterns_missing(folder, source)
            if not needed:
                continue
            try:
                yield from _from_archive(name, entry, source, needed, ledger, base, retries)
                done = {file for file in needed if campaigns.locate(folder, file)}
            except DataError as error:
                failed.update({file: error for file in needed if file in source["files"]})
                continue
        else:
            done = set()
            for file in [file for file in source["files"] if file in wanted]:
                expected = source["files"][file]
                try:
                    fetch(url_of(source, file, base), folder / file, expected, retries)
                except DataError as error:
                    failed[file] = _both(failed.get(file), error)
                    if isinstance(error, Unreachable):
                        break
                    continue
                done.add(file)
                yield f"{name}: {file} fetched, verified ({_evidence(expected)})"
        wanted = [file for file in wanted if file not in done]
        failed = {file: error for file, error in failed.items() if file in wanted}
    if failed:
        raise next(iter(failed.values()))


def _look(
    name: str, folder: Path, entry: Mapping[str, Any], ledger: archives.Ledger
) -> tuple[list[str], list[str]]:
    """The files of a campaign that are not here, and a report on those that are."""
    files = dict.fromkeys(file for source in entry["sources"] for file in source["files"])
    states: dict[str, list[str]] = {"verified": [], "unknown": [], "differs": []}
    wanted = []
    for file in files:
        here = campaigns.locate(folder, file)
        if here is None:
            wanted.append(file)
        else:
            states[_state(here, known(entry, file), ledger.get(_place(here)))].append(here.name)
    say = {
        "verified": "here, verified",
        "unknown": "here; no checksum to hold it to",
        "differs": "here, but not the official file; kept (remove it to fetch the official one)",
    }
    report = []
    for state, names in states.items():
        shown = f"{len(names)} files" if len(names) > 2 else " and ".join(names)
        if names:
            report.append(f"{name}: {shown} {say[state]}")
    return wanted, report


def _stored(source: Mapping[str, Any]) -> Path:
    """Where an archive is kept once fetched (several campaigns share one), or placed by hand."""
    return paths.data_root() / "downloads" / str(source["archive"]).rsplit("/", 1)[1]


def _both(first: DataError | None, then: DataError) -> DataError:
    """What two sources of one file answered."""
    if first is None:
        return then
    found = f" ({first.value})" if first.value is not None else ""
    return DataError(
        f"{first.problem}{found}; and {then.problem}", file=then.file, expected=then.expected
    )


def _evidence(expected: Mapping[str, Any]) -> str:
    return ", ".join(key for key in ("bytes", "git_blob", "sha256") if key in expected)


def _place(path: Path) -> str:
    return path.relative_to(paths.data_root()).as_posix()


def _patterns_missing(folder: Path, source: Mapping[str, Any]) -> list[str]:
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    patterns = source.get("optional", ())
    return [pattern for pattern in patterns if not fnmatch.filter(names, pattern)]


def _from_archive(
    name: str,
    entry: Mapping[str, Any],
    source: Mapping[str, Any],
    wanted: list[str],
    ledger: archives.Ledger,
    base: str,
    retries: int,
) -> Iterator[str]:
    """Fetch the archive (once for all campaigns in it), hold it to its checksum, unpack."""
    url, store, folder = str(source["archive"]), _stored(source), campaigns.folder_of(name)
    expected = {key: source[key] for key in ("sha256", "bytes") if key in source}
    expected = expected or dict(ledger.get(url))
    fresh = not store.is_file()
    if not fresh:
        verify_archive(store, expected, ledger)
    else:
        try:
            fetch(url_of(source, "", base), store, expected, retries)
        except DataError as error:
            files = " and ".join(source["files"])
            hint = f"{error.expected}; or {files} of its folder {source['part']} in {folder}"
            raise DataError(error.problem, file=error.file, expected=hint) from None
    try:
        unpacked = archives.unpack(
            store,
            source["part"],
            wanted,
            folder,
            {file: known(entry, file) for file in wanted},
            required=[file for file in wanted if file in source["files"]],
        )
    except DataError:
        if fresh:
            store.unlink()  # the next run starts anew
        raise
    if not expected:
        fact = ledger.add(url, store)
        yield (
            f"{name}: no checksum of {store.name} was ever published; recorded what came now "
            f"(sha256 {fact['sha256']}, {fact['bytes']} bytes) in {paths.shown(ledger.path)}"
        )
    for path in unpacked:
        ledger.add(_place(path), path)
    checked = [path.name for path in unpacked if known(entry, path.name)]
    names = ", ".join(path.name for path in unpacked[:2]) + ", ..." * (len(unpacked) > 2)
    yield (
        f"{name}: {len(unpacked)} files unpacked from {store.name} ({names}), sha256 recorded"
        + (f"; verified (git_blob): {', '.join(checked)}" if checked else "")
    )


def verify_archive(store: Path, expected: Mapping[str, Any], ledger: archives.Ledger) -> None:
    """Hold an archive that is already here to its recorded checksum."""
    try:
        verify(store, expected)
    except DataError as error:
        raise DataError(
            f"{error.problem}; it is not the archive recorded at the first download",
            file=error.file,
            value=error.value,
            expected=f"{error.expected}. Remove the file to fetch it again; if you trust this "
            f"one, delete its line from {paths.shown(ledger.path)}",
        ) from None


def main(arguments: list[str] | None = None) -> int:
    """The command line; 0 where every campaign asked for is complete."""
    parser = argparse.ArgumentParser(
        prog="python -m rankstability.download",
        description="Fetch official releases into the data root (RANKSTABILITY_DATA, or data/).",
    )
    parser.add_argument("campaign", nargs="*", help="catalogue names; none: all")
    parser.add_argument("--base-url", default="", help="fetch from this mirror instead")
    parser.add_argument("--retries", type=int, default=RETRIES)
    parser.add_argument("--list", action="store_true", help="list the catalogue and stop")
    options = parser.parse_args(arguments)
    if options.list:
        here = {campaign.name for campaign in campaigns.present()}
        for campaign in campaigns.listed():
            print(f"{campaign.name:22}{'here' if campaign.name in here else '-':6}{campaign.title}")
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
