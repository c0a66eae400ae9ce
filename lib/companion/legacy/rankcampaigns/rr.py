"""Relative ranking as WMT released it (2010 to 2016), and arena battles, as blocks."""

import itertools
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from companion.legacy.rankstability import checks
from companion.legacy.rankstability import schema as schemas
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import (
    BLOCK_COLUMNS,
    HIDDEN,
    SECOND_VOTE,
    TIES,
    battle_frame,
    given_twice,
    second_votes,
)
from companion.legacy.rankstability.names import voters

from . import tables, text, together
from .columns import BATTLE, BESIDE_BATTLE, MISSING
from .da import apart
from .folder import READ, TOLD_BY, Reader, Source
from .languages import LANGUAGES, no_rows, pair_told
from .tables import Table

NAMES = [
    "task",
    "pair",
    "track",
    "judge",
    "document",
    "system",
]  # the categorical columns
COLUMNS = list(BLOCK_COLUMNS)
UNRANKED = -1
UNKNOWN = "-1"  # a language or document that the export does not name
EMPTY_SLOT = "blank"  # WMT11: the entry of a slot that showed nothing
LABELS = 5  # ranks run from 1 to 5
ARENA = {
    "system1": "model_a",
    "system2": "model_b",
    "judge": "judge",
    "question": "question_id",
}
ARENA |= {"domain": "category"}
SIDES = ARENA | dict(
    system1="left", system2="right", judge="worker", question="prompt"
)
MAPPED = {
    "left": "system1",
    "right": "system2",
}  # names of `columns` of a campaign.yaml: ours
TRACKS = {
    "indivsystems": "individual",
    "combosystems": "combination",
    "tunable": "tunable",
}


def read_rr(
    files: Sequence[Path],
    pair: str = "",
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> pd.DataFrame:
    """The blocks of relative ranking files (in this order), one row per output shown.

    Two forms are recognised by their header: one row per block, with ``system1Id ... systemNId``
    and ``system1rank ... systemNrank`` (WMT10 to WMT14), and one row per comparison of two systems
    (WMT15, WMT16, Toral et al. 2018). In the second form, the rows of a judge and segment (and
    ``rankingID``, if given) are joined to the block they came from if no comparison is missing and
    all agree, and else remain blocks of two. Blocks that are given again, in the same file or in
    another, are kept, as in the official results, and counted.
    Languages of -1 are replaced by the pair of `settings`, of the file's name, or a placeholder;
    segments with names are numbered.

    Columns task (pair, and the track if there is one: ``cs-en individual``), pair, track (for
    WMT11, from the file's name), block (counts from 0 over all files, whatever `pair` is kept),
    judge, segment (1-based index in the test set), document, position (1 = shown first), system,
    rank (1 = best; -1 = left blank), ranked (rank is not -1). ``.attrs["excluded"]`` counts what is
    not in the frame, or doubtful. Raises DataError for anything wrong in a file, and if `pair` has
    no rows.
    """
    parts = []
    first = 0
    empty = 0
    changed = Counter[str]()
    for file in files:
        part, blocks, slots = _read_file(Path(file), first, settings)
        parts.append(part)
        changed.update(part.attrs.pop("changed"))
        first += blocks
        empty += slots
    together.refuse_twice(
        [Path(file) for file in files],
        [p.drop(columns=["block", "line"]) for p in parts],
    )
    lines = [part["line"].to_numpy() for part in parts]
    with together.at_lines([Path(file) for file in files], lines, {}):
        checks.refuse_alike(pd.concat(parts, ignore_index=True))
    frame = pd.concat(parts, ignore_index=True)
    outputs = pd.util.hash_pandas_object(
        frame.drop(columns=["block", "line"]), index=False
    )
    alike = outputs.groupby(frame["block"]).sum()
    again = alike.index[alike.duplicated()]
    frame, split = _apart(frame)
    if frame["segment"].dtype == object:
        frame["segment"] = pd.factorize(frame["segment"].astype(str))[0] + 1
    frame["ranked"] = frame["rank"] != UNRANKED
    frame["task"] = (frame["pair"] + " " + frame["track"]).str.strip()
    if pair:
        present = frame["pair"].unique()
        frame = frame[frame["pair"] == pair].reset_index(drop=True)
        if frame.empty:
            raise no_rows(files, pair, present)
    repeated = frame.loc[frame["block"].isin(again), "block"]
    changed["identical rows (kept)"] += repeated.nunique()
    frame = frame[COLUMNS].astype(dict.fromkeys(NAMES, str))
    frame = frame.astype(dict.fromkeys(NAMES, "category"))
    told = {reason: n for reason, n in changed.items() if n}
    frame.attrs["excluded"] = (
        {"slots that showed nothing": empty} | split | told
    )
    return frame


def _apart(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
    """Slots of joined ids ``A+B`` split into one per system, with the same rank; and counts."""
    out, slots = apart(frame)
    if not slots:
        return frame, {}
    again = out.duplicated(["block", "system"])
    out = out[~again].reset_index(drop=True)
    out["position"] = out.groupby("block", sort=False).cumcount() + 1
    counts = {"(kept: slots of joined ids A+B, one for each system)": slots}
    return out, counts | (
        {"a system again in its block": int(again.sum())}
        if again.any()
        else {}
    )


def pairs(
    files: Sequence[Path], settings: Mapping[str, Any]
) -> tuple[str, ...]:
    """The language pairs of `files`, sorted; a language we do not know stays as written."""
    seen: set[str] = set()
    for file in files:
        table = tables.read(file)
        names = _columns(table, ["srclang", "trglang"])
        rows = table.frame[
            [names["srclang"], names["trglang"]]
        ].drop_duplicates()
        seen.update(_pairs(rows, file, settings))
    return tuple(sorted(seen))


def _read_file(
    file: Path, first: int, settings: Mapping[str, Any]
) -> tuple[pd.DataFrame, int, int]:
    """The outputs of one file, its number of blocks, and its number of empty slots."""
    table = tables.read(file)
    values, slots = _values(table)
    pair = _pairs(values[["srclang", "trglang"]], file, settings)
    systems = np.column_stack(
        [_text(values[f"system{i + 1}id"]) for i in range(slots)]
    )
    ranks = np.column_stack(
        [values[f"system{i + 1}rank"] for i in range(slots)]
    ).astype(np.int64)
    shown = systems != EMPTY_SLOT
    for i, j in itertools.combinations(range(systems.shape[1]), 2):
        twice = np.flatnonzero(shown[:, j] & (systems[:, i] == systems[:, j]))
        if len(twice):
            column = f"system{j + 1}id"
            problem = "a system appears twice in one block"
            name = _columns(table, [column])[column]
            raise table.error(problem, int(twice[0]), name, "each system once")
    for row, i in np.argwhere(~shown & (ranks != UNRANKED))[:1]:
        name = _columns(table, ())[f"system{i + 1}rank"]
        raise table.error(
            "a rank in a slot that showed nothing", int(row), name, "-1"
        )
    named = values["srcindex"].dtype != float
    segment = (
        values["srcindex"].astype(object if named else np.int64).to_numpy()
    )
    per_row = pd.DataFrame(
        {"pair": pair, "judge": _text(values["judgeid"]), "segment": segment}
    )
    document = (
        values["documentid"].astype(str) if "documentid" in values else ""
    )
    per_row["document"] = pd.Series(document, values.index).replace(
        UNKNOWN, ""
    )
    per_row["track"] = next(
        (label for mark, label in TRACKS.items() if mark in file.name), ""
    )
    if slots == 2:
        ranking = (
            _text(values["rankingid"])
            if "rankingid" in values
            else np.zeros(len(pair))
        )
        block, position, row, slot = _join(ranking, per_row, systems, ranks)
        blocks = int(block.max()) + 1
    else:
        row, slot = np.nonzero(shown)
        block = row
        position = slot + 1
        blocks = len(pair)
    outputs = {"system": systems[row, slot], "rank": ranks[row, slot]}
    part = per_row.iloc[row].assign(
        block=block + first, position=position, **outputs
    )
    part["line"] = table.lines[row]
    part.attrs["changed"] = table.trimmed(list(table.frame))
    return part, blocks, int((~shown).sum())


def _columns(table: Table, needed: Collection[str]) -> dict[str, str]:
    """Column names in lower case -> as in the header; DataError if one is missing, or all rows."""
    names = {name.lower(): name for name in table.frame.columns}
    with text.placed(table.path):
        for name in (name for name in needed if name not in names):
            there = ",".join(table.frame.columns)[:80]
            expected = f"a header with {name!r}"
            raise DataError(
                "a column is missing", line=1, value=there, expected=expected
            )
        if table.frame.empty:
            raise DataError("no rows", expected="rows below the header")
    return names


def _values(table: Table) -> tuple[pd.DataFrame, int]:
    """The checked columns of a file of rankings, named in lower case; and the slots of a row."""
    there = {name.lower() for name in table.frame.columns}
    slots = next(
        i for i in itertools.count() if f"system{i + 1}id" not in there
    )
    cells = [
        f"system{i + 1}{what}"
        for i in range(max(slots, 2))
        for what in ("id", "rank")
    ]
    names = _columns(
        table, ["srclang", "trglang", "srcindex", "judgeid", *cells]
    )
    ids: list[str] = [
        name
        for name in ("judgeid", "documentid", "rankingid")
        if name in names
    ]
    ids += [f"system{i + 1}id" for i in range(slots)]
    last = max(LABELS, slots)
    rank = schemas.number(f"-1, or 1 to {last}", -1, last, "not an integer", 0)
    written = table.frame[names["srcindex"]].astype(str).unique()
    named = bool(
        np.isnan(pd.to_numeric(written, errors="coerce")).all()
    )  # not one is a number
    index = (
        schemas.ids("srcindex") if named else {"srcindex": schemas.count(0)}
    )
    columns = _languages() | index | schemas.ids(*ids, missing=("",))
    columns |= {f"system{i + 1}rank": rank for i in range(slots)}
    return table.validated(
        columns, {name: names[name] for name in columns}
    ), slots


def _languages() -> dict[str, Any]:
    known = {
        "unknown language": lambda text: (
            text.strip().lower() in (*LANGUAGES, UNKNOWN)
        )
    }
    column = schemas.text("an English name or an ISO 639 code", known)
    return {"srclang": column, "trglang": column}


def _text(column: pd.Series) -> np.ndarray:
    return column.astype(str).to_numpy(dtype=object)


def _pairs(
    languages: pd.DataFrame, file: Path, settings: Mapping[str, Any]
) -> np.ndarray:
    """The pair of each row in our codes; that of `pair_told` if a language is unknown."""
    sides = [
        languages[name].map(lambda s: LANGUAGES.get(s.strip().lower(), s))
        for name in languages
    ]
    found = sides[0].astype(str) + "-" + sides[1].astype(str)
    known = (sides[0] != UNKNOWN) & (sides[1] != UNKNOWN)
    return found.where(known, pair_told(file, settings)).to_numpy(dtype=object)


def _join(
    ranking: np.ndarray,
    per_row: pd.DataFrame,
    systems: np.ndarray,
    ranks: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Comparisons joined into blocks: block, position, row and slot of each output."""
    members: dict[tuple[object, ...], list[int]] = {}
    key = zip(
        per_row["pair"],
        per_row["judge"],
        per_row["segment"],
        ranking,
        strict=True,
    )
    for i, name in enumerate(key):
        members.setdefault(name, []).append(i)
    blocks: list[
        list[tuple[int, int]]
    ] = []  # for each, the (row, slot) of its outputs
    for rows in members.values():
        shown: dict[str, list[tuple[int, int]]] = {}
        for place in itertools.product(rows, (0, 1)):
            shown.setdefault(systems[place], []).append(place)
        agree = all(
            len({ranks[place] for place in places}) == 1
            for places in shown.values()
        )
        pairs = {frozenset(systems[i]) for i in rows}
        if agree and len(pairs) == len(rows) == math.comb(len(shown), 2):
            blocks.append([places[0] for places in shown.values()])
        else:
            blocks += [[(i, 0), (i, 1)] for i in rows]
    sizes = [len(places) for places in blocks]
    row, slot = np.concatenate(blocks).T
    position = np.concatenate([np.arange(1, size + 1) for size in sizes])
    return np.repeat(np.arange(len(blocks)), sizes), position, row, slot


def read_edits(file: Path) -> pd.DataFrame:
    """The edits of WMT10 (``data_EDT.tsv``): pair, edit, segment, editor, system, action."""
    names = {
        "edit": "editId",
        "segment": "srcIndex",
        "editor": "editorId",
        "system": "system1Id",
    }
    return _edited(
        tables.read(file, sign="\t"), names | {"action": "system1actionStr"}
    )


def read_acceptability(file: Path) -> pd.DataFrame:
    """The judgments of edits of WMT10 (``data_ACC.csv``): pair, edit, judge, system, judgment."""
    names = {
        "edit": "editId",
        "judge": "judgeId",
        "system": "systemId",
        "judgment": "judgment",
    }
    return _edited(tables.read(file), names)


def _edited(table: Table, names: dict[str, str]) -> pd.DataFrame:
    theirs = _columns(
        table,
        [name.lower() for name in ("srclang", "trglang", *names.values())],
    )
    languages = {name: theirs[name] for name in ("srclang", "trglang")}
    values = table.validated(_languages(), languages)
    pair = _pairs(values, table.path, {})
    columns = {
        ours: table.frame[theirs[name.lower()]].astype(str)
        for ours, name in names.items()
    }
    return pd.DataFrame({"pair": pair, **columns})


def read_battles(
    files: Sequence[Path], pair: str, settings: Mapping[str, Any]
) -> pd.DataFrame:
    """Battles in the form of `read_rr`: two rows each, with ranks 1 and 2, or 1 and 1 for a tie.

    ``tie (bothbad)`` and ``both_bad`` count as ties and are noted; battles whose models the judge
    knew (``anony`` false) are left out and counted. If a battle names no judge (no such column, an
    empty cell, NA), its judge is empty, and it is counted. If some battles have a category, the
    frame has a column domain, empty for the others. Raises DataError for a missing column, an
    unknown winner, a model against itself, an empty name, or no battles that count.
    """
    excluded: Counter[str] = Counter()
    files = [file for file in files if pair_told(file, settings) == pair]
    mapping = settings.get("columns") or {}
    parts = [_battles(file, excluded, mapping) for file in files]
    told = [part[part.attrs["told"]] for part in parts]
    together.refuse_twice(files, told)
    _refuse_alike(files, parts)
    identified = [part for part in told if (part["place"] < 0).all()]
    excluded["identical rows (kept)"] += together.again(identified)
    questions = pd.concat([part["question"] for part in parts]).to_numpy()
    names = [name for name in ARENA if name != "question"]
    rows = {
        name: _one_column([part[name] for part in parts]) for name in names
    }
    ranks = np.concatenate(
        [part[["rank1", "rank2"]].to_numpy() for part in parts]
    )
    if not len(ranks):
        counts = "; ".join(f"{reason}: {n}" for reason, n in excluded.items())
        raise DataError(
            "no battles that count",
            file=files,
            value=counts,
            expected="at least one",
        )
    battles = pd.DataFrame({**rows, "question": questions})
    battles = battles.assign(rank1=ranks[:, 0], rank2=ranks[:, 1])
    asked = np.concatenate([part["place"] < 0 for part in parts])
    excluded[SECOND_VOTE] += second_votes(battles[asked])
    frame = battle_frame(battles, pair)
    frame.attrs["excluded"] = {
        reason: n for reason, n in excluded.items() if n
    }
    return frame


def read_votes(
    files: Sequence[Path], pair: str, settings: Mapping[str, Any]
) -> pd.DataFrame:
    """The votes of battles: judge, question, left, right, vote (1: left, 0: right, 1/2: a tie).

    Raises DataError as `read_battles` does, and for battles that name no question, by which the
    votes of several judges could be joined.
    """
    excluded: Counter[str] = Counter()
    mapping = settings.get("columns") or {}
    files = [file for file in files if pair_told(file, settings) == pair]
    parts = [_battles(file, excluded, mapping) for file in files]
    frame = pd.concat(parts, ignore_index=True)
    if (frame["place"] >= 0).any():
        expected = f"a column {ARENA['question']} or {SIDES['question']}"
        raise DataError(
            "battles that name no question",
            file=list(files),
            expected=expected,
        )
    said = {"left": "system1", "right": "system2"}
    votes = {
        name: frame[said.get(name, name)].astype(str)
        for name in ("judge", "question", *said)
    }
    first = np.sign(frame["rank2"] - frame["rank1"])
    return pd.DataFrame(votes).assign(vote=(first + 1) / 2)


def _refuse_alike(
    files: Sequence[Path], parts: Sequence[pd.DataFrame]
) -> None:
    """Raises DataError for names in battles, of systems or anything else, that look the same."""
    sides = ("system1", "system2")
    systems = _one_column([part[side] for side in sides for part in parts])
    lines = [part["line"].to_numpy() for part in parts]
    with together.at_lines([*files, *files], [*lines, *lines], {}):
        checks.refuse_alike(pd.DataFrame({"system": systems}))
    others = [part[["judge", "domain"]].astype(str) for part in parts]
    for other, part in zip(others, parts, strict=True):
        other["question"] = (
            part["question"].where(part["place"] < 0, "").astype(str)
        )
    with together.at_lines(files, lines, {}):
        checks.refuse_alike(pd.concat(others, ignore_index=True))


def _one_column(columns: Sequence[pd.Series]) -> pd.Categorical:
    """One categorical column from those of several files."""
    made = [
        pd.Categorical(column).remove_unused_categories() for column in columns
    ]
    return union_categoricals(made, sort_categories=True)


def _named(
    header: Collection[str], mapping: Mapping[str, str]
) -> dict[str, str]:
    """Our columns of battles to those of a header: by `mapping`, else as arenas name them.

    Raises DataError if the header lacks a column of `mapping`, or battles have none of that name.
    """
    usual = SIDES if "left" in header and "model_a" not in header else ARENA
    found = {**usual, "winner": "winner"}
    for ours, theirs in mapping.items():
        if ours not in (*BATTLE, *BESIDE_BATTLE):
            expected = "of battles: " + ", ".join((*BATTLE, *BESIDE_BATTLE))
            raise DataError(
                "not a column of battles", value=ours, expected=expected
            )
        if theirs not in header:
            raise DataError(
                f"no such column for {ours}",
                value=theirs,
                expected=", ".join(header),
            )
        found[MAPPED.get(ours, ours)] = theirs
    if "judge" not in mapping:
        found["judge"] = voters(header) or found["judge"]
    for name in ("left", "right", "winner"):
        ours = MAPPED.get(name, name)
        if found[ours] not in header:
            there = ", ".join(header)[:80]
            told = f'columns="{name}=<your column>" (`columns:` in a campaign.yaml)'
            expected = f"a header with {found[ours]!r}, or {told}"
            raise DataError(
                "a column is missing", value=there, expected=expected
            )
    return {ours: theirs for ours, theirs in found.items() if theirs in header}


def _winners(
    table: Table, named: Mapping[str, str], known: Collection[str]
) -> Table:
    """The table with winners that are called by the name of a system as the columns' names."""
    winner = table.frame[named["winner"]]
    if set(winner.cat.categories) <= set(known):
        return table
    written = winner.astype(str)
    made = written
    called = ~written.isin(list(known))
    for side in (named["system1"], named["system2"]):
        made = made.mask(
            called & written.eq(table.frame[side].astype(str)), side
        )
    frame = table.frame.assign(**{named["winner"]: made.astype("category")})
    return replace(table, frame=frame)


def _battles(
    file: Path, excluded: Counter[str], mapping: Mapping[str, str]
) -> pd.DataFrame:
    known = {
        "winner",
        "anony",
        *ARENA.values(),
        *SIDES.values(),
        *mapping.values(),
    }
    table = tables.any_table(
        file, lambda header: {*known, voters(header)}.intersection(header)
    )
    with text.placed(file, 1):
        named = _named([*table.frame, *table.unread], mapping)
    if table.frame.empty:
        raise DataError("no rows", file=file, expected="rows below the header")
    there = set(table.frame)
    ranks_of = dict.fromkeys(TIES, (1, 1))
    if (
        mapping
    ):  # a user's own columns: both usual pairs of words for the winner
        ranks_of |= {
            "left": (1, 2),
            "model_a": (1, 2),
            "right": (2, 1),
            "model_b": (2, 1),
        }
    ranks_of |= {named["system1"]: (1, 2), named["system2"]: (2, 1)}
    table.check_values([*named.values(), *({"anony"} & there)])
    table = _winners(table, named, ranks_of)
    keep = np.arange(len(table.frame))
    if "anony" in there:
        hidden = table.frame["anony"].astype(str).str.lower().map(HIDDEN)
        for row in np.flatnonzero(hidden.isna())[:1]:
            problem = "neither true nor false"
            expected = "true, false or empty"
            raise table.error(problem, int(row), "anony", expected)
        keep = np.flatnonzero(hidden)
        excluded["battles of known models (left out)"] += len(hidden) - len(
            keep
        )
    ids = schemas.ids(*(name for name in named if name != "winner"))
    ids |= schemas.ids(*{"judge", "domain"} & named.keys(), missing=())
    words = dict.fromkeys((named["system1"], named["system2"], *TIES))
    winner = schemas.one_of(ranks_of, "winner")
    expected = f"one of {', '.join(words)}, or the name of one of the two"
    if mapping:
        from . import guesses

        expected += guesses.battles_in_python(file, named)
    winner = replace(winner, expected=expected)
    rows = table.validated(ids | {"winner": winner}, named, keep)
    both = union_categoricals(
        [_one_column([rows[name]]) for name in ("system1", "system2")]
    )
    same = keep[np.equal(*both.codes.reshape(2, -1))]
    if len(same):
        problem = "a model against itself"
        expected = "two different models"
        raise table.error(problem, int(same[0]), named["system2"], expected)
    bad = rows["winner"].isin(TIES[1:])
    excluded["(kept as ties: both bad)"] += int(bad.sum())
    won = rows["winner"].cat
    ranks = np.array([ranks_of[str(name)] for name in won.categories])[
        won.codes
    ]
    number = pd.Series(table.lines[keep])
    judge = (
        rows["judge"].astype(str)
        if "judge" in rows
        else pd.Series("", rows.index)
    )
    judge = judge.where(~judge.str.lower().isin(MISSING), "")
    out = rows.reindex(columns=list(ARENA)).assign(
        rank1=ranks[:, 0], rank2=ranks[:, 1]
    )
    out = out.assign(judge=judge, question=rows.get("question", number))
    out["domain"] = rows["domain"].astype(str) if "domain" in rows else ""
    excluded.update(table.trimmed(list(named.values()), keep))
    out["line"] = table.lines[keep]
    excluded["(kept: no judge is named)"] += int((out["judge"] == "").sum())
    out["place"] = -1 if "question" in rows else np.arange(len(out))
    identified = [
        name for name in named if name != "winner"
    ]  # what makes a battle another one
    out.attrs["told"] = [*identified, "place", "rank1", "rank2"]
    codes = {
        name: column.cat.codes
        for name, column in table.frame.iloc[keep].items()
    }
    every = pd.DataFrame(codes)
    if "question" in rows:
        again = every.duplicated().to_numpy()
        voted = out.duplicated(out.attrs["told"]) & (out["judge"] != "")
        excluded["identical rows (kept)"] += int(again.sum())
        excluded[SECOND_VOTE] += int(
            (voted & ~again).sum()
        )  # at another time, or turn
    else:  # then it says nothing that two battles are equal
        excluded["identical rows (kept)"] += given_twice(every)
    return out


def _of_pairs(source: Source, pair: str) -> pd.DataFrame:
    """The battles of `pair`; without one, of all pairs (each is a task)."""
    every = [pair] if pair else READERS["battles"].pairs(source)
    parts = [read_battles(source.files, one, source.settings) for one in every]
    if len(parts) == 1:
        return parts[0]
    for before, after in itertools.pairwise(parts):
        after["block"] += before["block"].max() + 1
    excluded = sum(
        (Counter(part.attrs["excluded"]) for part in parts), Counter[str]()
    )
    out = pd.concat(parts, ignore_index=True)
    out.attrs["excluded"] = dict(excluded)
    return out


def reading(settings: Mapping[str, Any]) -> pd.DataFrame:
    """How the columns of battles were understood if `settings` name some: file, what, ..."""
    by = settings.get("told by", TOLD_BY)
    named = (settings.get("columns") or {}).items()
    rows = [("all", f"column {ours}", theirs, by) for ours, theirs in named]
    return pd.DataFrame(rows, columns=READ)


READERS = {
    "rr": Reader(
        pairs=lambda source: pairs(source.files, source.settings),
        read=lambda source, pair: read_rr(source.files, pair, source.settings),
    ),
    "battles": Reader(
        pairs=lambda source: sorted(
            {pair_told(f, source.settings) for f in source.files}
        ),
        read=_of_pairs,
        pair_of=pair_told,
        reading=lambda source: reading(source.settings),
        lacks=lambda source: {"document"},
    ),
}
