"""Broken campaigns, generated from the example of each format: see `test_broken`."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from rankstability.read import formats
from rankstability.read.settings import FIELDS

NAMES = {"da": "ad-latest.csv", "segments": "ad-seg-scores-cs-en.csv", "mqm": "mqm_mine_ende.tsv"}
NAMES["mtme"] = "en-de.mine.seg.score"
CELLS = [
    *("", " ", "NA", "nan", "inf", "-1", "1e309", "999", "abc", "1,5", "0x10", "2020-01-01", "{}"),
    *('"', "'", "=1+1", "[" * 3000, "a\rb", "a\0b", "a\nb", "x" * 200_000, " SystemA ", "../x"),
    *("\u202ex", "$\\frac{1$", "<b>", "\ud800", "9" * 400, "e\u0301", "%s", "null", "True"),
]
SETTINGS = [
    *("[da]", "{a: b}", "1", "-1", "true", "null", "2020-13-45", "'\\x00'", "&a [*a]", "[" * 200),
    *(
        "x" * 70_000,
        "../..",
        "!!python/name:os.system",
        "[1, 2, 3]",
        "[5, 1]",
        "[.nan, .inf]",
        "''",
    ),
    *('"a\\rb"', "9" * 5000, "[[[[1]]]]", "{score: score, system: score}", "- a\n- b", "'"),
]


def example(name: str) -> tuple[str, list[list[str]], str]:
    """File name, rows of cells and separator of the example in ``formats.yaml``."""
    lines = str(formats.described()[name]["example"]).strip("\n").splitlines()
    if lines[0].lstrip().startswith(("{", "[")):
        return f"mine-cs-en.{'jsonl' if lines[0].lstrip()[0] == '{' else 'json'}", [lines], ""
    separator = next((s for s in "\t;, " if s in lines[0]), ",")
    rows = [split(line, separator) for line in lines]
    rows = [row for row in rows if len(row) == len(rows[0])]
    ending = "tsv" if separator == "\t" else "csv"
    return NAMES.get(name, f"mine_ende.{ending}"), rows, separator


def split(line: str, separator: str) -> list[str]:
    """The cells of a line as they stand, quotes kept."""
    if separator != ",":
        return line.split(separator)
    return re.findall(r'((?:"(?:[^"]|"")*"|[^,"])*)(?:,|$)', line)[: line.count(",") + 1][
        : len(re.sub(r'"(?:[^"]|"")*"', "", line).split(","))
    ]


def joined(rows: list[list[str]], separator: str) -> bytes:
    text = "\n".join(separator.join(row) for row in rows) + "\n"
    return text.encode("utf-8", "surrogatepass")


def cell_cases(name: str) -> Iterator[tuple[str, str, bytes]]:
    """(column, value, content) for each cell of the last row and each hostile value."""
    _, rows, separator = example(name)
    if not separator:
        yield from _json_cases(rows[0])
        return
    for column, held in enumerate(rows[-1]):
        for value in CELLS:
            if value != held:
                row = [*rows[-1][:column], value, *rows[-1][column + 1 :]]
                yield f"column {column}", value, joined([*rows[:-1], row], separator)


def _json_cases(lines: list[str]) -> Iterator[tuple[str, str, bytes]]:
    """The same for JSON: each field of the last object by each value, as text and as JSON."""
    whole = "\n".join(lines)
    try:
        records = [json.loads(whole)]
    except json.JSONDecodeError:
        records = [json.loads(line) for line in lines]
    for field in records[-1] if isinstance(records[-1], dict) else ():
        for value in [*CELLS, 7, None, [], {}, [[[]]], True, -1.5]:
            last = {**records[-1], field: value}
            text = "\n".join(json.dumps(r) for r in [*records[:-1], last]) + "\n"
            yield field, str(value), text.encode()


def file_cases(name: str) -> Iterator[tuple[str, bytes]]:
    """(what, content) of whole files that are damaged."""
    _, rows, separator = example(name)
    good = plain(name)
    chance = random.Random(name)
    packed = gzip.compress(good, mtime=0)
    yield "empty", b""
    yield "blank", b"\n \n"
    yield "NUL", b"\0" * 100
    yield "UTF-16", good.decode().encode("utf-16")
    yield "Latin-1", good.replace(b"System", "Sÿstem".encode("latin-1"))
    yield "only CR", good.replace(b"\n", b"\r")
    yield "header only", good.splitlines(keepends=True)[0]
    yield "header twice", good.splitlines(keepends=True)[0] + good
    yield "open quote", b'"' + good
    yield "deep", b"[" * 100_000
    yield "deep objects", b'{"a":' * 50_000
    yield "long line", b"x" * 3_000_000
    yield "zip", b"PK\x03\x04" + good
    for cut in sorted(chance.sample(range(1, len(good)), 4)):
        yield f"cut at {cut}", good[:cut]
    for cut in sorted(chance.sample(range(3, len(packed)), 3)):
        yield f"gzip cut at {cut}", packed[:cut]
    for _ in range(5):
        place, bit = chance.randrange(len(good)), chance.randrange(8)
        yield f"bit {bit} of byte {place}", _flipped(good, place, bit)
    for _ in range(4):
        place, bit = chance.randrange(10, len(packed)), chance.randrange(8)
        if not _same(flipped := _flipped(packed, place, bit), good):  # a bit that pads
            yield f"gzip, bit {bit} of byte {place}", flipped
    if separator:
        for column in range(len(rows[0])):
            less = [row[:column] + row[column + 1 :] for row in rows]
            yield f"without column {column}", joined(less, separator)
            twice = [[*row[: column + 1], *row[column:]] for row in rows]
            yield f"column {column} twice", joined(twice, separator)


def _same(packed: bytes, good: bytes) -> bool:
    with contextlib.suppress(OSError, EOFError, zlib.error):
        return gzip.decompress(packed) == good
    return False


def _flipped(content: bytes, place: int, bit: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


def settings_cases() -> Iterator[tuple[str, str]]:
    """(what, text) of a campaign.yaml."""
    for field in FIELDS:
        for value in SETTINGS:
            yield f"{field}: {value[:20]}", f"{field}: {value}\n"
    yield "bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n"
    odd = ("", "[]", "x", "? ", "a: b: c", "\t", "---\n---\n", "\x00", "{" * 5000, "!!set {a}")
    for text in odd:
        yield f"whole {text[:8]!r}", text


def plain(name: str) -> bytes:
    """The content of the example of a format."""
    _, rows, separator = example(name)
    return joined(rows, separator) if separator else ("\n".join(rows[0]) + "\n").encode()


def written(folder: Path, name: str, content: bytes | None = None) -> Path:
    """A folder with one file of that format: its example, or other content."""
    folder.mkdir(parents=True)
    file, content = example(name)[0], plain(name) if content is None else content
    (folder / file).write_bytes(content)
    if name == "da":
        (folder / "ad-good-raw-redup.csv").write_bytes(content)
    return folder / file
