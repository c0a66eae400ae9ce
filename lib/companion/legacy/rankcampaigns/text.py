"""Files as text: unpacked, decoded, parsed as JSON, hashed."""

import codecs
import contextlib
import gzip
import hashlib
import json
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial, wraps
from io import BufferedReader
from pathlib import Path
from stat import S_ISREG
from typing import IO, Any, TypeVar, cast

from companion.legacy.rankstability.errors import DataError

F = TypeVar("F", bound=Callable[..., Any])
GZIP = b"\x1f\x8b"
ZIP = b"PK\3\4"
OLE = b"\xd0\xcf\x11\xe0"  # the first bytes of XLS
LARGEST = 1 << 29  # bytes of a file, unpacked
RATIO, SURELY = (
    200,
    1 << 24,
)  # times the packed size; bytes that are never too many for it
PIECE = 1 << 20
TAR, TAR_AT = (
    b"ustar",
    slice(257, 262),
)  # the mark of a tar archive, and its place


def kept(most: int) -> Callable[[F], F]:
    """A decorator: what a function says of a file is kept, for `most` files, until they change."""

    def decorate(work: F) -> F:
        @lru_cache(maxsize=most)
        def once(
            path: Path, mtime: int, size: int, *args: Any, **named: Any
        ) -> Any:
            return work(path, *args, **named)

        @wraps(work)
        def of_file(path: Path, *args: Any, **named: Any) -> Any:
            try:
                stat = path.stat()
            except OSError:
                raise DataError("no such file", file=path) from None
            if not S_ISREG(stat.st_mode):
                raise DataError(
                    "not a file but a device or pipe",
                    file=path,
                    expected="a file",
                )
            return once(path, stat.st_mtime_ns, stat.st_size, *args, **named)

        return cast("F", of_file)

    return decorate


@contextlib.contextmanager
def placed(file: Path, line: int | None = None) -> Iterator[None]:
    """Adds this file, and this line if they have none, to errors that name no file."""
    try:
        yield
    except DataError as error:
        if error.file is not None:
            raise
        wrong = partial(
            DataError, file=file, line=error.line or line, column=error.column
        )
        raise wrong(
            error.problem, value=error.value, expected=error.expected
        ) from None


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[bool]:
    """Turns errors in reading `path` into DataError; yields whether it is named as an archive."""
    archive = path.name.lower().endswith((".tar.gz", ".tgz"))
    try:
        yield archive
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        problem = (
            "cannot be unpacked" if archive else "truncated or damaged gzip"
        )
        expected = "a complete file; download it again"
        raise DataError(
            f"{problem} ({error})", file=path, expected=expected
        ) from None
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror})", file=path
        ) from None


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a plain or gzipped file, or of the one table in a ``.tar.gz``, as a stream.

    Gzip is recognised by its first bytes. Raises DataError if the file cannot be read, is truncated
    or damaged, unpacks to too many bytes, or is an archive that does not hold exactly one table.
    """
    _check_packing(path)
    with _readable(path) as archive, contextlib.ExitStack() as stack:
        stream: IO[bytes] = stack.enter_context(path.open("rb"))
        if archive:
            packed = stack.enter_context(
                tarfile.open(fileobj=stream, mode="r:gz")
            )
            stream = _only_table(packed, path)
        elif cast("BufferedReader", stream).peek(2)[:2] == GZIP:
            stream = cast("IO[bytes]", stack.enter_context(gzip.open(stream)))
        yield stream


@kept(256)
def _check_packing(path: Path) -> None:
    """Read a gzip through once, to verify its checksum and its unpacked size beforehand."""
    total = size = path.stat().st_size
    with _readable(path), path.open("rb") as stream:
        if stream.read(2) == GZIP:
            stream.seek(0)
            total = 0
            with gzip.open(stream) as unpacked:
                while total <= _most(size) and (piece := unpacked.read(PIECE)):
                    total += len(piece)
    check_unpacked(path, total, size)


def _most(size: int) -> int:
    return min(LARGEST, max(RATIO * size, SURELY))


def check_unpacked(path: Path, total: int, size: int) -> None:
    """Raises DataError if `total` bytes are too many, or implausibly many for `size` packed."""
    if total > _most(size):
        value = f"more than {_most(size) >> 20} MiB unpacked"
        expected = (
            f"at most {LARGEST >> 20} MiB, and {RATIO} times the packed size"
        )
        raise DataError("too large", file=path, value=value, expected=expected)


def _only_table(archive: tarfile.TarFile, path: Path) -> IO[bytes]:
    members = [member for member in archive.getmembers() if member.isfile()]
    tables = [
        member for member in members if member.name.endswith(".tsv")
    ] or members
    if len(tables) != 1:
        names = [member.name for member in tables]
        raise DataError(
            "no archive of one table",
            file=path,
            value=names,
            expected="one table",
        )
    check_unpacked(
        path, tables[0].size, LARGEST
    )  # a sparse member may be larger than the archive
    return cast("IO[bytes]", archive.extractfile(tables[0]))


def first_line(path: Path) -> str:
    """The first line of a file, or of the table in an archive. Raises DataError as `head` does."""
    return head(path).partition("\n")[0].rstrip("\r")


def head(path: Path) -> str:
    """The beginning of a file as text. Raises DataError if it cannot be read or is not text."""
    with opened(path) as stream:
        data = stream.read(PIECE)
    if data.startswith((ZIP, OLE)):
        expected = "text in UTF-8, such as CSV exported from a spreadsheet"
        raise DataError(
            "a spreadsheet or another archive, not text",
            file=path,
            expected=expected,
        )
    try:
        start = codecs.getincrementaldecoder("utf-8-sig")().decode(data)
    except UnicodeDecodeError:
        return decoded(data, path)
    if "\0" in start:
        decoded(start.encode(), path)  # raises DataError
    return start


def decoded(data: bytes, path: Path) -> str:
    """The content of `path` as text. Raises DataError if it is not UTF-8, or has a NUL byte."""
    try:
        whole = data.decode("utf-8-sig")
        problem = "NUL byte"
        at = data.find(b"\0")
    except UnicodeDecodeError as error:
        whole = ""
        problem = "wrong encoding"
        at = error.start
    if at < 0:
        return whole
    wrong = partial(
        DataError, problem, file=path, line=data.count(b"\n", 0, at) + 1
    )
    raise wrong(value=data[at : at + 1], expected="text in UTF-8")


def content(path: Path) -> bytes:
    """The bytes of a text file, unpacked, without byte order mark.

    Raises DataError if it is empty, not UTF-8, or contains a NUL byte.
    """
    with opened(path) as stream:
        data = stream.read()
    if not data or data.isspace():
        raise DataError("the file is empty", file=path, expected="judgments")
    data = data.removeprefix(b"\xef\xbb\xbf")
    decoded(data, path)
    return data


def records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON lines (or of a list), each with its line. Raises DataError for others."""
    whole = content(path).decode().strip()
    if whole.startswith("["):
        entries: Iterable[tuple[int, Any]] = enumerate(
            parsed(whole, path), start=1
        )
    else:
        lines = enumerate(whole.split("\n"), start=1)
        entries = (
            (n, parsed(line, path, n)) for n, line in lines if line.strip()
        )
    for number, entry in entries:
        if not isinstance(entry, dict):
            raise DataError(
                "not a JSON object",
                file=path,
                line=number,
                value=str(entry)[:60],
            )
        yield number, entry


def parsed(string: str, path: Path, line: int = 1) -> Any:
    """`string` parsed as JSON. Raises DataError if it is invalid, too deep, or repeats a key."""
    try:
        with placed(path, None if "\n" in string else line):
            return json.loads(string, object_pairs_hook=_keys_once)
    except DataError:
        raise
    except RecursionError:
        raise DataError(
            "JSON nested too deeply", file=path, line=line
        ) from None
    except ValueError as error:
        at = line + getattr(error, "lineno", 1) - 1
        problem = f"not JSON ({getattr(error, 'msg', error)})"
        raise DataError(
            problem, file=path, line=at, expected="a complete JSON value"
        ) from None


def _keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) < len(pairs):
        names = [name for name, _ in pairs]
        value = next(name for name in names if names.count(name) > 1)
        raise DataError(
            "a key appears twice in an object",
            value=value,
            expected="each key once",
        )
    return entry


def need(entry: Mapping[str, Any], *names: str) -> None:
    """Raises DataError if an object lacks one of these fields."""
    for name in (name for name in names if name not in entry):
        there = ", ".join(map(str, entry))[:120]
        raise DataError(
            f"no field {name}", value=there, expected=", ".join(names)
        )


def of_kind(value: Any, kind: type, name: str) -> Any:
    """The `value` of a field. Raises DataError unless it is of the `kind`, ``list`` or ``dict``."""
    if isinstance(value, kind):
        return value
    problem = "not of the right kind"
    expected = "an object" if kind is dict else "a list"
    raise DataError(
        problem, column=name, value=str(value)[:60], expected=expected
    )


def _unpacked(path: Path) -> bytes:
    """A file's content, unpacked if it is gzipped and not an archive; if damaged, as it is."""
    data = path.read_bytes()
    if data[:2] == GZIP:
        with contextlib.suppress(
            DataError, EOFError, zlib.error, gzip.BadGzipFile
        ):
            _check_packing(path)
            plain = gzip.decompress(data)
            data = data if plain[TAR_AT] == TAR else plain
    return data


@kept(256)
def digest(path: Path) -> str:
    """SHA-256 of the unpacked content, so that a file and its gzip have the same digest."""
    return hashlib.sha256(_unpacked(path)).hexdigest()


def git_blob(path: Path) -> str:
    """Git's id of the unpacked content: ``sha1("blob <size>\\0" + bytes)``."""
    data = _unpacked(path)
    return hashlib.sha1(
        b"blob %d\0" % len(data) + data, usedforsecurity=False
    ).hexdigest()
