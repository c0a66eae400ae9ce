"""A corpus of broken campaigns: each is read right, or refused with one clear DataError.

An aspect: all readers meet the same faults. The cases come from the example of each format in
``formats.yaml``, so that a format that joins the registry joins the corpus. A case may not give a
traceback, hang, or be read silently as something else: a value that is accepted is in the
judgments, or counted as left out, or in a column that is not read.
"""

import contextlib
import gzip
import json
import random
import re
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcampaigns import formats
from companion.legacy.rankcampaigns.settings import FIELDS
from companion.legacy.rankstability import (
    DataError,
    find,
    load,
    mqm_scores,
    pair_counts,
    rank_systems,
    segment_scores,
)
from companion.legacy.rankstability.judgments import DirectAssessment

NAMES = {"da": "ad-latest.csv", "segments": "ad-seg-scores-cs-en.csv", "mqm": "mqm_mine_ende.tsv"}
NAMES["mtme"] = "en-de.mine.seg.score"
CELLS = [
    *("", " ", "NA", "nan", "inf", "-1", "1e309", "999", "abc", "1,5", "0x10", "2020-01-01", "{}"),
    *('"', "'", "=1+1", "[" * 3000, "a\rb", "a\0b", "a\nb", "x" * 200_000, " SystemA ", "../x"),
    *("\u202ex", "$\\frac{1$", "<b>", "\ud800", "9" * 400, "e\u0301", "%s", "null", "True"),
]
SETTINGS = [
    *("[da]", "{a: b}", "1", "-1", "true", "null", "2020-13-45", "'\\x00'", "&a [*a]", "[" * 200),
    *("x" * 70_000, "../..", "!!python/name:os.system", "[1, 2, 3]", "[5, 1]", "[.nan, .inf]"),
    *("''", '"a\\rb"', "9" * 5000, "[[[[1]]]]", "{score: score, system: score}", "- a\n- b", "'"),
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
    yield "UTF-16", good.decode().encode("utf-16")
    yield "Latin-1", good.replace(b"System", "Sÿstem".encode("latin-1"))
    yield "only CR", good.replace(b"\n", b"\r")
    yield "header only", good.splitlines(keepends=True)[0]
    yield "header twice", good.splitlines(keepends=True)[0] + good
    yield "open quote", b'"' + good
    yield "zip", b"PK\x03\x04" + good
    if name == next(one for one in formats.FORMATS if example(one)[0] == example(name)[0]):
        others = [b"", b"\n \n", b"\0" * 100, b"[" * 100_000, b'{"a":' * 50_000, b"x" * 3_000_000]
        yield from ((f"only {other[:9]!r}", other) for other in others)
    for cut in chance.sample(range(1, len(good)), 2):
        yield f"cut at {cut}", good[:cut]
    cut = chance.randrange(3, len(packed))
    yield f"gzip cut at {cut}", packed[:cut]
    yield "gzip, another sum", _flipped(packed, len(packed) - 6, 3)
    for place in chance.sample(range(len(good)), 3):
        bit = chance.randrange(8)
        yield f"bit {bit} of byte {place}", _flipped(good, place, bit)
    for column in range(len(rows[0]) if separator else 0):
        if column % 2 == 0:
            less = [row[:column] + row[column + 1 :] for row in rows]
            yield f"without column {column}", joined(less, separator)
        else:
            twice = [[*row[: column + 1], *row[column:]] for row in rows]
            yield f"column {column} twice", joined(twice, separator)


def _flipped(content: bytes, place: int, bit: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


def settings_cases() -> Iterator[tuple[str, str]]:
    """(what, text) of a campaign.yaml: each value in every third field."""
    for k, field in enumerate(FIELDS):
        for value in SETTINGS[k % 3 :: 3]:
            yield f"{field}: {value[:20]}", f"{field}: {value}\n"
    yield "bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n"
    odd = ("", "[]", "x", "? ", "a: b: c", "\t", "---\n---\n", "\x00", "{" * 5000, "!!set {a}")
    for text in odd:
        yield f"whole {text[:8]!r}", text


def plain(name: str) -> bytes:
    """The content of the example of a format."""
    _, rows, separator = example(name)
    return joined(rows, separator) if separator else ("\n".join(rows[0]) + "\n").encode()


@contextlib.contextmanager
def case(folder, name, content):
    """The file of a case, in a folder of its own for as long as it lasts."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        file = Path(made) / "case" / example(name)[0]
        file.parent.mkdir()
        for path in (file, file.with_name("ad-good-raw-redup.csv"))[: 1 + (name == "da")]:
            path.write_bytes(content)
        yield file


# ------------------------------------------------------------------ what becomes of them

SECONDS = 30  # a case that takes longer hangs


@contextlib.contextmanager
def watched():
    def ring(*_):
        raise TimeoutError("hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


SCORES = ("score", "raw", "z", "n", "rank", "time", "severity", "category")


def frame_of(judgments):
    """All judgments as text in one frame, and what is said to be left out."""
    if isinstance(judgments, DirectAssessment):
        frame = pd.concat([judgments.latest.astype(str), judgments.good.astype(str)])
        return frame, str(judgments.excluded.to_dict("list"))
    return judgments.astype(str), str(judgments.attrs)


def accounted(value, frames, usual):
    """Whether a value that was accepted can be seen: in a cell, as a missing one, or counted.

    Or it stands in a column that is not read; or an id was numbered, which any id may be; or a
    number was a point in time, of which differences are kept.
    """
    texts = Counter(c.strip() for frame, _ in frames for c in frame.to_numpy().ravel())
    before = Counter(c.strip() for frame, _ in usual for c in frame.to_numpy().ravel())
    numbers = {str(float(value))} if _number(value) else set()
    if value.strip() in texts or numbers & texts.keys() or texts == before:
        return True
    if not value.strip() and any(texts[gone] > before[gone] for gone in ("nan", "None", "")):
        return True
    if len(frames) != len(usual) or any(a[1] != b[1] for a, b in zip(frames, usual, strict=True)):
        return True
    if numbers and all("time" in frame for frame, _ in frames):
        timeless = [[f.drop(columns="time").astype(str) for f, _ in one] for one in (frames, usual)]
        if all(a.equals(b) for a, b in zip(*timeless, strict=True)):
            return True
    scores = [[f.filter(SCORES).to_numpy().tolist() for f, _ in one] for one in (frames, usual)]
    return scores[0] == scores[1] and "segment" in frames[0][0] and value.strip() != ""


def ranked(judgments):
    """A score per system, whatever the protocol: the first things that a notebook computes."""
    if isinstance(judgments, DirectAssessment) or "raw" in judgments:
        rank_systems(segment_scores(judgments))
    elif "severity" in judgments:
        mqm_scores(judgments)
    else:
        for _, task in judgments.groupby("task"):
            pair_counts(task)


def said(error, file):
    """Whether a DataError says where, what and what else was expected."""
    where = file is None or file.parent.name in str(error) or file.name in str(error)
    what = error.line is not None or error.column is not None or error.value is not None
    return where and (what or error.expected is not None) and len(str(error)) < 4000


def verdict(path, file, value, usual):
    """``right``, ``refused``, or what is wrong with how the case was handled."""
    try:
        with watched():
            campaign = find(path)
            judgments = [load(campaign, pair) for pair in campaign.pairs]
    except DataError as error:
        return "refused" if said(error, file) else f"unclear: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    try:
        with watched(), np.errstate(all="ignore"):
            for one in judgments:
                ranked(one)
    except DataError as error:
        if not said(error, file):
            return f"unclear when ranking: {error}"
    except Exception as error:
        return f"when ranking {type(error).__name__}: {str(error)[:150]}"
    if value is None or accounted(value, [frame_of(one) for one in judgments], usual):
        return "right"
    return "silent"


def _number(text):
    with contextlib.suppress(ValueError):
        return np.isfinite(float(text))
    return False


@pytest.mark.parametrize("name", formats.FORMATS)
def test_a_hostile_cell_is_read_refused_or_counted(name, tmp_path):
    with case(tmp_path, name, plain(name)) as file:
        campaign = find(file)
        usual = [frame_of(load(campaign, pair)) for pair in campaign.pairs]
    every, third = list(cell_cases(name)), list(formats.FORMATS).index(name) % 3
    random.Random(13).shuffle(every)  # one case by chance of each column and of every third value
    cases = {("in", case[0]): case for case in every}
    others = set(CELLS) - set(CELLS[third::3])
    cases |= {("is", case[1]): case for case in every if case[1] not in others}
    wrong = []
    for column, value, content in dict.fromkeys(cases.values()):
        with case(tmp_path, name, content) as file:
            outcome = verdict(file, file, value, usual)
        if outcome not in ("right", "refused"):
            wrong.append(f"{column} {value[:12]!r}: {outcome}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", formats.FORMATS)
def test_a_damaged_file_is_read_or_refused(name, tmp_path):
    wrong = []
    for what, content in file_cases(name):
        with case(tmp_path, name, content) as file:
            outcome = verdict(file, file, None, None)
        if outcome not in (["refused"] if what.startswith("gzip") else ["right", "refused"]):
            wrong.append(f"{what}: {outcome}")
    assert not wrong, "\n".join(wrong[:40])


def test_settings_are_read_or_refused(tmp_path):
    wrong = []
    for what, text in settings_cases():
        with case(tmp_path, "long", plain("long")) as file:
            (file.parent / "campaign.yaml").write_text(text)
            outcome = verdict(file.parent, file, None, None)
        if outcome not in ("right", "refused"):
            wrong.append(f"{what}: {outcome}")
    assert not wrong, "\n".join(wrong[:40])
