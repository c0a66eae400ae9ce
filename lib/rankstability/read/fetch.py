"""One file over HTTP: verified before it gets its name, tried again where that may help."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import paths
from ..errors import DataError
from . import archives

RETRIES, PAUSE, TIMEOUT = 3, 2.0, 60.0
PARTIAL = ".partial-"


def verify(path: Path, expected: Mapping[str, Any], shown: str = "") -> None:
    """Raise unless `path` has the bytes, git blob id and sha256 that `expected` names."""
    name = shown or paths.shown(path)
    size = path.stat().st_size
    if "bytes" in expected and size != expected["bytes"]:
        raise DataError(
            "wrong size (truncated?)",
            file=name,
            value=f"{size} bytes",
            expected=f"{expected['bytes']} bytes",
        )
    for key, compute in (("git_blob", archives.git_blob), ("sha256", archives.sha256)):
        if key in expected and (found := compute(path)) != expected[key]:
            raise DataError(
                "checksum differs (corrupted, or another version)",
                file=name,
                value=f"{key} {found}",
                expected=f"{key} {expected[key]}",
            )


def fetch(url: str, target: Path, expected: Mapping[str, Any], retries: int = RETRIES) -> None:
    """Download `url` to `target`, verified before it gets that name; tried again where it may help.

    Raises
    ------
    DataError
        After the last try, with what went wrong and how to place the file by hand.
    """
    import pooch
    import requests
    from tqdm import tqdm

    part = target.with_name(PARTIAL + target.name)
    made = _make_folder(target.parent)
    last = ""
    reachable = True
    try:
        for attempt in range(1, retries + 1):
            reachable = True
            part.unlink(missing_ok=True)  # also of an earlier run that was cut off
            bar = tqdm(
                desc=target.name,
                total=expected.get("bytes", 1),  # pooch sets it, but asks for its truth before
                unit="B",
                unit_scale=True,
                disable=None,
                leave=False,
            )
            try:
                pooch.HTTPDownloader(progressbar=bar, timeout=TIMEOUT)(url, str(part), None)
                verify(part, expected, shown=url)
                os.replace(part, target)
                return
            except requests.HTTPError as error:
                status = error.response.status_code if error.response is not None else 0
                last = f"the host answers {status}"
                if status < 500 and status != 429:
                    break
            except DataError as error:
                last = str(error).removeprefix(f"{url}: ")
            except (
                requests.ConnectionError,
                requests.Timeout,
                requests.exceptions.ChunkedEncodingError,
            ) as error:
                begun = part.exists() and part.stat().st_size > 0
                reachable = begun or isinstance(error, requests.exceptions.ChunkedEncodingError)
                reason = "broke off" if reachable else "no answer from the host"
                last = f"{reason} ({type(error).__name__})"
            except (requests.RequestException, OSError) as error:
                last = f"{type(error).__name__}: {error}"
            finally:
                bar.close()
            if attempt < retries:
                time.sleep(PAUSE * attempt)
    finally:
        part.unlink(missing_ok=True)
        if not target.exists():
            for folder in made:
                folder.rmdir()
    failure = DataError(
        f"cannot be fetched from {url}: {last}",
        file=paths.shown(target),
        expected=f"the file placed there by hand: {by_hand(target, expected)}",
    )
    raise Unreachable(failure) if not reachable else failure


class Unreachable(DataError):
    """The host does not answer: no use in asking it for the next file."""

    def __init__(self, failure: DataError) -> None:
        super().__init__(failure.problem, file=failure.file, expected=failure.expected)


def _make_folder(folder: Path) -> list[Path]:
    """Make `folder`; the folders that were not there before, innermost first."""
    made = []
    while not folder.exists():
        made.append(folder)
        folder = folder.parent
    try:
        for new in reversed(made):
            new.mkdir(exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot write here ({error.strerror})", file=paths.shown(folder)) from None
    return made


def by_hand(target: Path, expected: Mapping[str, Any]) -> str:
    """What a file placed by hand must be: path, size, checksum."""
    facts = [f"{expected['bytes']} bytes"] if "bytes" in expected else []
    facts += [f"{key} {expected[key]}" for key in ("git_blob", "sha256") if key in expected]
    return f"{target} ({', '.join(facts) or 'no checksum was published'})"
