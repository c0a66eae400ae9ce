"""Direct assessment as released: the two judgment files of a campaign, and segment scores.

Formats: ``ad-latest.csv`` (raw scores of all workers) with ``ad-good-raw-redup.csv`` (the scores
that count), twelve columns; and ``ad-seg-scores-XX-YY.csv`` (SYS SID RAW.SCR Z.SCR N).
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from companion.legacy.rankstability import checks
from companion.legacy.rankstability import schema as schemas
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import COLUMNS as ORDER
from companion.legacy.rankstability.judgments import (
    SECOND,
    TYPES,
    DirectAssessment,
    second_scores,
    share_categories,
)

from . import languages, tables, together
from .folder import GOOD, LATEST, Reader, locate
from .formats import DA_COLUMNS as COLUMNS
from .formats import segment_pair
from .tables import Table

CODE = r"[a-z]{2,3}([-_][A-Za-z]{2,4})?"
NAMES = {
    "worker": "WorkerId",
    "hit": "HITId",
    "system": "sys_id",
    "segment": "sid",
}
NAMES |= {"type": "type", "score": "score", "block": "rid"}
SEGMENT_COLUMNS = ("SYS", "SID", "RAW.SCR", "Z.SCR", "N")


def companions(path: Path) -> tuple[Path, Path]:
    """The files ``ad-latest`` and ``ad-good-raw-redup`` of a folder; a single file serves as both.

    Raises DataError if a folder lacks one of them.
    """
    if path.is_file():
        return path, path
    latest = locate(path, LATEST)
    good = locate(path, GOOD)
    if latest and good:
        return latest, good
    name, other = (GOOD, LATEST) if latest else (LATEST, GOOD)
    raise DataError(
        f"{name} is missing",
        file=path,
        expected=f"{name} or {name}.gz beside {other}",
    )


def _pair_of_rows(table: Table) -> pd.Categorical:
    """The language pair of each row."""
    names = {"source": "Input.src", "target": "Input.trg"}
    frame = table.validated(schemas.languages(CODE), names)
    source = frame["source"].cat
    target = frame["target"].cat
    number = (
        source.codes.to_numpy().astype(int) * len(target.categories)
        + target.codes.to_numpy()
    )
    seen, codes = np.unique(number, return_inverse=True)
    pairs = [divmod(int(one), len(target.categories)) for one in seen]
    words = [
        f"{source.categories[s]}-{target.categories[t]}" for s, t in pairs
    ]
    return pd.Categorical.from_codes(codes, words)


def pairs(path: Path) -> tuple[str, ...]:
    """The language pairs of the judgments that count, sorted."""
    _, good = companions(path)
    table = tables.read(
        good, COLUMNS, tables.BLANKS, ("Input.src", "Input.trg")
    )
    return tuple(sorted(_pair_of_rows(table).categories))


def apart(frame: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """`frame` with one row for each system of a joined id ``A+B``; and how many rows had one.

    An id is joined if each of its parts is itself a system; if not (``GPT4+RAG``), it is a name.
    """
    system = frame["system"].astype(str)
    known = set(system)
    joined = {name: name.split("+") for name in known if "+" in name}
    of = {
        name: sides
        for name, sides in joined.items()
        if known.issuperset(sides)
    }
    rows = int(system.isin(list(of)).sum())
    if not rows:
        return frame, 0
    sides = system.map(lambda name: of.get(name, [name]))
    out = frame.loc[frame.index.repeat(sides.map(len))].reset_index(drop=True)
    names = np.concatenate(sides.to_list())
    return out.assign(
        system=pd.Series(names, dtype=frame["system"].dtype.name)
    ), rows


def read_da(path: Path, pair: str) -> DirectAssessment:
    """The judgments of one language pair in the official layout.

    `path` is a folder or a single file, see `companions`; ``documents-XX-YY.tsv`` beside them is
    used. Raises DataError if a file or the pair is missing, or anything in a file is wrong.
    """
    files = dict.fromkeys(companions(path))
    frames: list[pd.DataFrame] = []
    excluded: list[tuple[str, str, int]] = []
    for file in files:
        table = tables.read(file, COLUMNS, tables.BLANKS)
        of_row = _pair_of_rows(table)
        rows = np.flatnonzero(of_row == pair)
        if not len(rows):
            raise languages.no_rows(file, pair, of_row.categories)
        frame = table.validated(schemas.judgments(TYPES), NAMES, rows)
        with together.at_lines([file], [table.lines[rows]], NAMES):
            checks.refuse_alike(frame)
            checks.refuse_mixed(frame)
        frames.append(frame)
        excluded.append(
            (file.name, "other language pairs", len(table.frame) - len(rows))
        )
        changed = table.trimmed(set(NAMES.values()) - {"score"}, rows)
        excluded += [
            (file.name, reason, n) for reason, n in changed.items() if n
        ]
        codes = {
            name: column.cat.codes.to_numpy()[rows]
            for name, column in table.frame.items()
        }
        if identical := int(pd.DataFrame(codes).duplicated().sum()):
            excluded.append((file.name, "identical rows (kept)", identical))
    if again := second_scores(frames[-1]):
        excluded.append((file.name, SECOND, again))
    _refuse_contradictions(table, rows, frames[0], frames[-1])
    frames = [frames[0], frames[-1]]
    frames[1], split = apart(frames[1])
    if split:
        excluded.append(
            (
                file.name,
                "(kept: rows of joined ids A+B, one for each system)",
                split,
            )
        )
    share_categories(
        frames, ("worker", "hit", "system", "segment", "type", "block")
    )
    _add_documents(frames, documents(file.parent, pair, frames))
    counted = pd.DataFrame(excluded, columns=["file", "reason", "rows"])
    latest, good = (frame[list(ORDER)] for frame in frames)
    return DirectAssessment(pair, latest, good, counted)


def _refuse_contradictions(
    table: Table, rows: np.ndarray, latest: pd.DataFrame, good: pd.DataFrame
) -> None:
    """Raises DataError if a judgment of the good file (`table`) has another score in the other."""

    def known(names: list[str]) -> np.ndarray:
        parts = [frame[names].round(6) for frame in (good, latest)]
        return np.isin(
            *(pd.util.hash_pandas_object(part, index=False) for part in parts)
        )

    names = ["worker", "hit", "system", "segment", "type"]
    bad = np.flatnonzero(known(names) & ~known([*names, "score"]))
    if len(bad):
        problem = "the same judgment has another score in the other file"
        expected = f"the score of {LATEST} ({len(bad) - 1} more wrong)"
        raise table.error(problem, int(rows[bad[0]]), "score", expected)


def _add_documents(
    frames: Sequence[pd.DataFrame], document: pd.Series
) -> None:
    """Adds the column document, in place: `document` has one name (or NA) per segment category."""
    names = pd.Categorical(document)
    for frame in frames:
        codes = frame["segment"].cat.codes.to_numpy()
        frame["document"] = pd.Categorical.from_codes(
            names.codes[codes], dtype=names.dtype
        )


def documents(
    folder: Path, pair: str, frames: Sequence[pd.DataFrame]
) -> pd.Series:
    """The document of every segment: one entry per segment category, in their order.

    From ``documents-XX-YY.tsv`` (sid, document) beside the judgments; else from segment ids of the
    form ``<document>_<segment>`` (unless each names a different document); else from blocks
    (``rid``): segments that one worker saw together in a block belong to one document, named after
    its first segment; else missing. Raises DataError if the list lacks a judged segment.
    """
    segments = frames[0]["segment"].cat.categories
    listed = locate(folder, f"documents-{pair}.tsv")
    if listed is not None:
        return _listed_documents(listed, segments)
    parts = segments.to_series().str.extract(r"^(.+)_\d+$", expand=False)
    if parts.notna().all() and parts.duplicated().any():
        return parts
    return _block_documents(frames, segments)


def _listed_documents(path: Path, segments: pd.Index) -> pd.Series:
    table = tables.read(path, ("sid", "document"), tables.BLANKS)
    frame = table.validated(
        schemas.ids("segment", "document"),
        {"segment": "sid", "document": "document"},
        once=["segment"],
        again="duplicate segment id",
    )
    listed = frame.astype(str).set_index("segment")["document"]
    missing = segments.difference(listed.index)
    if len(missing):
        wrong = partial(DataError, file=path, column="sid", value=missing[0])
        raise wrong(
            "a judged segment has no document",
            expected="a line for every segment",
        )
    return listed.loc[segments]


def _block_documents(
    frames: Sequence[pd.DataFrame], segments: pd.Index
) -> pd.Series:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    key = ["worker", "hit", "system", "block", "type"]
    rows = pd.concat(
        [
            frame.loc[frame["block"].notna(), [*key, "segment"]]
            for frame in frames
        ]
    )
    rows = rows.drop_duplicates()
    number = rows.groupby(key, observed=True, dropna=False).ngroup().to_numpy()
    if not len(rows) or len(rows) < 2 * (
        number.max() + 1
    ):  # rid is a position in the HIT
        return pd.Series([None] * len(segments), dtype=object)
    cells = (number, rows["segment"].cat.codes.to_numpy())
    edges = coo_array(
        (np.ones(len(rows)), cells), shape=(number.max() + 1, len(segments))
    )
    _, label = connected_components((edges.T @ edges).tocsr(), directed=False)
    first = pd.Series(segments).groupby(label).transform("min")
    return "doc-" + first.astype(str)


def read_segment_scores(folder: Path, pair: str) -> pd.DataFrame:
    """Mean raw and z score of each system on each segment, as released (without workers).

    Columns system, document, segment (categoricals; document missing if it is unknown), raw (0 to
    100; or penalties, 0 and below), z, n (judgments averaged). ``.attrs["excluded"]`` counts names
    that were changed. Raises DataError if there is no file of the pair (naming the pairs there
    are), or anything in it is wrong, such as two names that look the same.
    """
    path = locate(folder, f"ad-seg-scores-{pair}.csv")
    if path is None:
        there = sorted(
            {one for one in map(segment_pair, folder.iterdir()) if one}
        )
        have = ", ".join(there) or "no file of this form"
        expected = f"ad-seg-scores-{pair}.csv or .gz; there: {have}"
        problem = "no segment scores for the language pair"
        raise DataError(problem, file=folder, value=pair, expected=expected)
    table = tables.read(path, SEGMENT_COLUMNS, tables.BLANKS)
    names = dict(
        zip(
            ("system", "segment", "raw", "z", "n"),
            SEGMENT_COLUMNS,
            strict=True,
        )
    )
    raw = pd.to_numeric(table.frame["RAW.SCR"].astype(object), errors="coerce")
    penalties = (raw < 0).any() and not (raw > 0).any()
    score = (
        schemas.number("a number, 0 or below", high=0)
        if penalties
        else schemas.SCORE
    )
    columns = schemas.ids("system", "segment")
    columns |= {
        "raw": score,
        "z": schemas.number("a number"),
        "n": schemas.count(),
    }
    frame = table.validated(
        columns,
        names,
        once=["system", "segment"],
        again="duplicate system and segment",
    ).astype({"n": int})
    with together.at_lines(
        [path], [table.lines], names | {"score": names["raw"]}
    ):
        checks.refuse_alike(frame)
        checks.refuse_mixed(frame.rename(columns={"raw": "score"}))
    frame["worker"] = frame["hit"] = frame["type"] = frame["block"] = None
    share_categories([frame], ("system", "segment"))
    _add_documents([frame], documents(folder, pair, [frame]))
    frame = frame[["system", "document", "segment", "raw", "z", "n"]]
    changed = table.trimmed([names["system"], names["segment"]])
    frame.attrs["excluded"] = {reason: n for reason, n in changed.items() if n}
    return frame


READERS = {
    "da": Reader(
        pairs=lambda source: pairs(source.path),
        read=lambda source, pair: read_da(source.path, pair),
    ),
    "segments": Reader(
        pairs=lambda source: sorted(
            {segment_pair(file) for file in source.files}
        ),
        read=lambda source, pair: read_segment_scores(source.folder, pair),
        workers=lambda source: False,
        pair_of=lambda path, settings: segment_pair(path),
    ),
}
