"""Relative ranking as WMT released it (2010 to 2016), to one tidy frame."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from .. import paths
from ..errors import DataError
from . import schema as schemas

COLUMNS = [
    "task",
    "pair",
    "track",
    "block",
    "judge",
    "segment",
    "document",
    "position",
    "system",
    "rank",
    "ranked",
]
UNRANKED = -1
EMPTY_SLOT = "blank"  # WMT11: what stands in a slot that showed nothing
FULL_NAME = r"^newstest\d{4}\.(.+)\.\d+\.[a-z]{2,3}-[a-z]{2,3}$"  # WMT15, WMT16
LABELS = 5  # ranks run from 1 to 5
TRACKS = {"indivsystems": "individual", "combosystems": "combination", "tunable": "tunable"}

_CODES = """
cs czech cze ces|de german ger deu|en english eng|es spanish spa esp|et estonian est
fi finnish fin|fr french fra fre|gu gujarati guj|ha hausa hau|hi hindi hin|hu hungarian hun
ht haitian hat|is icelandic isl ice|ja japanese jpn|kk kazakh kaz|lt lithuanian lit
lv latvian lav|pl polish pol|ro romanian ron rum|ru russian rus|tr turkish tur|ur urdu urd
zh chinese zho chi
"""
LANGUAGES = {
    name: entry.split()[0] for entry in re.split(r"[|\n]", _CODES) for name in entry.split()
}


def read_rr(files: Sequence[Path], pair: str = "") -> pd.DataFrame:
    """The blocks of relative ranking files, one row per output shown.

    Two forms are known by their header: one row per block, with ``system1Id ... systemNId`` and
    ``system1rank ... systemNrank`` (WMT10 to WMT14; ``*.RNK_results.csv``, ``data_RNK.csv``), and
    one row per comparison, with two systems and a ``rankingID`` (WMT15, WMT16). Rows of the second
    form are put together again to the block they came from; a ranking whose comparisons are not
    all there, or contradict each other, stays in blocks of two; system names are
    freed of test set, number and pair. Nothing is deduplicated: a block
    that stands twice in the file was counted twice in the official results.

    Parameters
    ----------
    files : sequence of Path
        Read in this order; ``.gz`` is accepted. A name that holds ``indivsystems``,
        ``combosystems`` or ``tunable`` (WMT11) gives the track.
    pair : str
        Keep only this language pair (``cs-en``); block numbers do not change by it.

    Returns
    -------
    DataFrame
        task (pair, and the track where there is one: ``cs-en individual``), pair, track, block
        (counts from 0 over all files), judge, segment (1-based index in the test set), document,
        position (1 = shown first), system, rank (1 = best; -1 = left blank), ranked (rank is not
        -1). task, pair, track, judge, document and system are categorical. ``.attrs["excluded"]``
        counts what is not in the frame: slots that showed nothing.

    Raises
    ------
    DataError
        With file, line, column, value and expectation.
    """
    if not files:
        raise DataError("no file of rankings given", expected="at least one file")
    parts, first, empty = [], 0, 0
    for file in files:
        part, blocks, slots = _read_file(Path(file), first)
        parts.append(part)
        first += blocks
        empty += slots
    columns = {
        name: np.concatenate([part[name] for part in parts])
        for name in COLUMNS
        if name not in ("task", "ranked")
    }
    frame = pd.DataFrame(columns)
    frame["ranked"] = frame["rank"] != UNRANKED
    frame["task"] = (frame["pair"] + " " + frame["track"]).str.strip()
    if pair:
        present = sorted(frame["pair"].unique())
        frame = frame[frame["pair"] == pair].reset_index(drop=True)
        if frame.empty:
            raise DataError(
                "no rows of this language pair",
                file=", ".join(paths.shown(Path(f)) for f in files),
                value=pair,
                expected="one of " + ", ".join(present),
            )
    for name in ("task", "pair", "track", "judge", "document", "system"):
        frame[name] = frame[name].astype(str).astype("category")
    frame = frame[COLUMNS]
    frame.attrs["excluded"] = {"slots that showed nothing": empty}
    return frame


def pairs_in(files: Sequence[Path]) -> tuple[str, ...]:
    """The language pairs of `files`, sorted."""
    return tuple(sorted(read_rr(files)["pair"].unique()))


def _lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    """(line number, fields) of the rows that are not empty."""
    try:
        raw = file.read_bytes()
        raw = gzip.decompress(raw) if file.suffix == ".gz" else raw
    except (OSError, EOFError) as problem:
        raise DataError(f"cannot be read ({problem})", file=paths.shown(file)) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise DataError(
            "not UTF-8",
            file=paths.shown(file),
            line=line,
            value=raw[problem.start : problem.start + 1],
            expected="text in UTF-8",
        ) from None
    reader = csv.reader(text.splitlines())
    for row in reader:
        if row:
            yield reader.line_num, row


def _read_file(file: Path, first: int) -> tuple[dict[str, np.ndarray], int, int]:
    """Columns of one file, its number of blocks, and its number of empty slots."""
    content = _lines(file)
    _, header = next(content, (0, []))
    place = {name.strip().lower(): i for i, name in enumerate(header)}
    slots = 0
    while f"system{slots + 1}id" in place:
        slots += 1
    needed = ["srclang", "trglang", "srcindex", "judgeid"]
    needed += [f"system{i + 1}{what}" for i in range(max(slots, 2)) for what in ("id", "rank")]
    for name in needed:
        if name not in place:
            raise DataError(
                "a column is missing",
                file=paths.shown(file),
                line=1,
                value=",".join(header)[:80],
                expected=f"a comma-separated header with {name!r}",
            )
    lines, fields = [], []
    for line, cells in content:
        if len(cells) != len(header):
            raise DataError(
                "wrong number of columns",
                file=paths.shown(file),
                line=line,
                value=len(cells),
                expected=f"{len(header)} as in the header",
            )
        lines.append(line)
        fields.append(cells)
    if not fields:
        raise DataError("no rows", file=paths.shown(file), expected="rankings below the header")
    table = _Table(file, place, header, np.array(lines), np.array(fields, dtype=object), slots)
    pair = table.pairs()
    systems = np.column_stack([table.text(f"system{i + 1}id") for i in range(slots)])
    ranks = np.column_stack([table.integer(f"system{i + 1}rank") for i in range(slots)])
    # by hand: what two cells of a line say together; a schema would name the line and no column
    shown = systems != EMPTY_SLOT
    for i in range(slots):
        bad = ~shown[:, i] & (ranks[:, i] != UNRANKED)
        table.refuse(bad, f"system{i + 1}rank", "a rank in a slot that showed nothing", "-1")
        for j in range(i):
            bad = shown[:, i] & (systems[:, i] == systems[:, j])
            table.refuse(
                bad,
                f"system{i + 1}id",
                "a system stands twice in one block",
                "each system once",
            )
    per_row = {
        "pair": pair,
        "judge": table.text("judgeid"),
        "segment": table.integer("srcindex"),
        "document": table.text("documentid")
        if "documentid" in place
        else np.full(len(pair), "", object),
    }
    if "rankingid" in place and slots == 2:
        systems = _plain_names(systems, pair)
        block, position, row, slot = _join(table.text("rankingid"), per_row, systems, ranks)
        blocks = int(block.max()) + 1
    else:
        row, slot = np.nonzero(shown)
        block, position, blocks = row, slot + 1, len(pair)
    track = next((label for mark, label in TRACKS.items() if mark in file.name), "")
    columns = {name: values[row] for name, values in per_row.items()}
    columns |= {
        "track": np.full(len(row), track, dtype=object),
        "block": block + first,
        "position": position,
        "system": systems[row, slot],
        "rank": ranks[row, slot],
    }
    return columns, blocks, int((~shown).sum())


def _plain_names(systems: np.ndarray, pair: np.ndarray) -> np.ndarray:
    """``newstest2016.uedin-nmt.4361.cs-en`` as ``uedin-nmt``, unless two would clash."""
    full = pd.Series(systems.ravel()).astype(str)
    short = full.str.replace(FULL_NAME, r"\1", regex=True)
    pairs = pd.Series(np.repeat(pair, systems.shape[1]))
    names = pd.DataFrame({"pair": pairs, "full": full, "short": short}).drop_duplicates()
    if names.duplicated(["pair", "short"]).any():
        return systems
    return short.to_numpy(dtype=object).reshape(systems.shape)


def _join(
    ranking: np.ndarray, per_row: dict[str, np.ndarray], systems: np.ndarray, ranks: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Comparisons put together to blocks: block, position, and (row, slot) of each output."""
    members: dict[tuple[object, ...], list[int]] = {}
    key = zip(per_row["pair"], per_row["judge"], per_row["segment"], ranking, strict=True)
    for i, name in enumerate(key):
        members.setdefault(name, []).append(i)
    out: list[tuple[int, int, int, int]] = []
    block = 0
    for rows in members.values():
        seen: dict[str, tuple[int, int]] = {}
        whole = True
        for i in rows:
            for s in (0, 1):
                at = seen.setdefault(systems[i, s], (i, s))
                whole &= bool(ranks[at] == ranks[i, s])
        pairs = {frozenset((systems[i, 0], systems[i, 1])) for i in rows}
        k = len(seen)
        if whole and len(pairs) == len(rows) == k * (k - 1) // 2:
            out += [(block, p, *at) for p, at in enumerate(seen.values(), 1)]
            block += 1
        else:
            for i in rows:
                out += [(block, 1, i, 0), (block, 2, i, 1)]
                block += 1
    columns = np.array(out)
    return columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3]


class _Table:
    """The fields of one file with their line numbers, every value checked."""

    def __init__(
        self,
        file: Path,
        place: dict[str, int],
        header: list[str],
        lines: np.ndarray,
        fields: np.ndarray,
        slots: int,
    ) -> None:
        self.file, self.place, self.header = file, place, header
        self.lines, self.fields = lines, fields
        ids = [name for name in ("judgeid", "documentid", "rankingid") if name in place]
        schema = schemas.blocks(slots, max(LABELS, slots), LANGUAGES.keys(), ids)
        text = {name: pd.Categorical(fields[:, place[name]]) for name in schema.columns}
        self.values = schemas.validate(
            pd.DataFrame(text),
            schema,
            file=file,
            lines=lines,
            columns={name: header[i] for name, i in place.items()},
        )

    def _error(self, row: int, column: str, problem: str, expected: str) -> DataError:
        i = self.place[column]
        return DataError(
            problem,
            file=paths.shown(self.file),
            line=int(self.lines[row]),
            column=self.header[i],
            value=self.fields[row, i],
            expected=expected,
        )

    def refuse(self, bad: np.ndarray, column: str, problem: str, expected: str) -> None:
        """Raise for the first row that is `bad`."""
        if bad.any():
            raise self._error(int(np.argmax(bad)), column, problem, expected)

    def text(self, column: str) -> np.ndarray:
        """A column of names without surrounding blanks."""
        values = self.values[column].cat
        names = np.array([str(name).strip() for name in values.categories], dtype=object)
        return names[values.codes.to_numpy()]

    def integer(self, column: str) -> np.ndarray:
        """A column of integers."""
        return self.values[column].to_numpy().astype(np.int64)

    def pairs(self) -> np.ndarray:
        """The language pair of each row, in two-letter codes."""
        source, target = (
            pd.Series(self.text(column)).str.lower().map(LANGUAGES)
            for column in ("srclang", "trglang")
        )
        return (source + "-" + target).to_numpy(dtype=object)


def read_edits(file: Path) -> pd.DataFrame:
    """The editing task of WMT10 (``data_EDT.tsv``): pair, edit, segment, editor, system, action.

    One row per output that was edited; action is EDIT, OK, BAD or N/A. Text is read without
    quoting, as the file was written.
    """
    rows = pd.read_csv(file, sep="\t", dtype=str, quoting=csv.QUOTE_NONE, keep_default_na=False)
    return _edited(
        rows,
        file,
        {
            "edit": "editId",
            "segment": "srcIndex",
            "editor": "editorId",
            "system": "system1Id",
            "action": "system1actionStr",
        },
    )


def read_acceptability(file: Path) -> pd.DataFrame:
    """The judgments of edits of WMT10 (``data_ACC.csv``): pair, edit, judge, system, judgment.

    judgment is YES, NO or UNK.
    """
    rows = pd.read_csv(file, dtype=str, keep_default_na=False)
    return _edited(
        rows,
        file,
        {"edit": "editId", "judge": "judgeId", "system": "systemId", "judgment": "judgment"},
    )


def _edited(rows: pd.DataFrame, file: Path, names: dict[str, str]) -> pd.DataFrame:
    for column in ("srclang", "trglang", *names.values()):
        if column not in rows:
            raise DataError(
                "a column is missing", file=paths.shown(file), line=1, expected=f"{column!r}"
            )
    source, target = (rows[c].str.lower().map(LANGUAGES) for c in ("srclang", "trglang"))
    unknown = source.isna() | target.isna()
    if unknown.any():
        row = int(unknown.to_numpy().argmax())
        raise DataError(
            "unknown language",
            file=paths.shown(file),
            line=row + 2,
            value=f"{rows['srclang'].iloc[row]}-{rows['trglang'].iloc[row]}",
            expected="an English name or an ISO 639 code",
        )
    out = pd.DataFrame({"pair": source + "-" + target})
    return out.assign(**{new: rows[old] for new, old in names.items()})
