"""`read`, `judgments` and `battles`: any table of judgments, in the words that declare it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ..errors import DataError
from . import checks, settings
from .declare import ROLES, check_words
from .formats import registry
from .shape import (
    PLACEHOLDER,
    TRUTH,
    expand_choices,
    expand_patterns,
    explode_lists,
    find_column,
    list_columns,
    read_files,
    read_outcome,
    spelled,
    split_columns,
    widen,
)
from .table import as_text, read_frame

MAX_TRIED = 20_000  # rows on which a proposed command is tried
SCORE_ROLES = ("system", "segment", "score")
VOTE_ROLES = ("left", "right", "winner")
ALSO = {  # further exact names of roles, as files of the field have them
    "left": ("model_a",), "right": ("model_b",), "annotator": ("judge",),
    "question": ("question_id",), "segment": ("segment_id",), "item_type": ("type",),
}  # fmt: skip


def read(path: str | Path, **words: Any) -> Any:
    """Read judgments from a file or folder: a format of the field, or a table that you declare.

    Parameters
    ----------
    path : str or Path
        A file (CSV, TSV, JSON, JSON lines, Parquet, XLSX), a folder, or a ``campaign.yaml``.
    **words
        What the columns are and what the values mean; see `rankstability.io.declare.WORDS`.

    Returns
    -------
    Judgments, or dict of str to Judgments
        Several, by name, if the table holds several language pairs or `each` is given.

    Raises
    ------
    DataError
        If a role is missing, or something could be read in two ways. The message lists the columns
        and a command that reads the file, where one was found.

    Examples
    --------
    >>> import rankstability as rs
    >>> rs.read("data/demo/ratings.csv").n_systems > 1
    True
    """
    path = Path(path)
    given = check_words(words)
    if path.suffix in (".yaml", ".yml"):
        beside = settings.read_settings(path)
        data = path.parent / beside.pop("data", ".")
        given = {**check_words(beside, file=str(path)), **given}
        path = data
    elif (path.parent / settings.NAME).is_file() and path.is_file():
        found = settings.read_settings(path.parent / settings.NAME)
        found.pop("data", None)
        given = {**check_words(found, file=str(path.parent / settings.NAME)), **given}
    if not path.exists():
        raise DataError("no_such_file", file=path)
    winners = {"left", "right", "tie"} & set(given.get("codes", {}).values())
    if set(given) <= set(registry.WORDS) and not winners:
        recognised = registry.detect(path)
        if recognised is not None:
            return registry.read_as(recognised, path, given)
    source = path.name
    frame, file = _load(path, given)
    return build(frame, given, source=source, file=file)


def judgments(frame: Any, **words: Any) -> Any:
    """Build judgments from a frame of scores, declared in the same words as for `read`.

    Parameters
    ----------
    frame : DataFrame
        A frame of pandas, polars or pyarrow, one row per judgment unless declared otherwise.
    **words
        Names of columns and meanings of values; see `rankstability.io.declare.WORDS`.

    Returns
    -------
    Judgments, or dict of str to Judgments

    Raises
    ------
    DataError
        As `read`.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> frame = pd.DataFrame({"model": ["A", "B"] * 3, "item": [1, 1, 2, 2, 3, 3], "stars": [5, 3, 4, 4, 5, 2]})
    >>> rs.judgments(frame, system="model", segment="item", score="stars").kind
    'leaderboard'
    """
    return build(text_frame(frame), check_words(words))


def battles(frame: Any, **words: Any) -> Any:
    """Build judgments from a frame of pairwise comparisons, declared as for `read`.

    Parameters
    ----------
    frame : DataFrame
        A frame of pandas, polars or pyarrow, one row per comparison.
    **words
        ``left``, ``right``, ``winner``, and perhaps ``annotator``, ``question``, ``codes``.

    Returns
    -------
    Judgments, or dict of str to Judgments

    Raises
    ------
    DataError
        As `read`.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> frame = pd.DataFrame({"left": ["A", "B", "A"], "right": ["B", "A", "B"], "winner": ["A", "left", "tie"]})
    >>> rs.battles(frame).table["winner"].tolist()
    ['left', 'left', 'tie']
    """
    given = check_words(words)
    text = text_frame(frame)
    return build(text, given, votes=True)


def text_frame(frame: Any) -> pd.DataFrame:
    """Return a frame of pandas, polars or pyarrow as pandas, with every cell as text."""
    try:
        native = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError("not_a_frame", value=type(frame).__name__) from None
    table = native.to_pandas()
    if table.empty:
        raise DataError("no_rows")
    return as_text(table.reset_index(drop=True))


def _load(path: Path, given: Mapping[str, Any]) -> tuple[pd.DataFrame, str]:
    """Return the text frame of a file, or of the files below a folder that fit ``files``."""
    options = {
        "header": given.get("header", 1),
        "skip_rows": given.get("skip_rows", 0),
        "sheet": given.get("sheet", ""),
    }
    if "files" in given:
        folder = path if path.is_dir() else path.parent
        parts = []
        for file, values in read_files(folder, given["files"]):
            part = read_frame(file, **options)
            for role, value in values.items():
                part[role] = value
            parts.append(part)
        return pd.concat(parts, ignore_index=True).fillna(""), str(path)
    if path.is_dir():
        files = sorted(p for p in path.iterdir() if p.is_file() and p.name != settings.NAME)
        if len(files) != 1:
            raise DataError("several_files", file=path, expected='--files "{system}.csv"')
        path = files[0]
    return read_frame(path, **options), str(path)


def build(
    frame: pd.DataFrame,
    given: dict[str, Any],
    source: str = "",
    file: str | None = None,
    votes: bool = False,
) -> Any:
    """Return the judgments of a text frame, declared by words."""
    frame = frame.reset_index(drop=True)
    notes = checks.Notes(file or source)
    if frame.attrs.get("hidden_rows"):
        notes.keep("hidden_rows", frame.attrs["hidden_rows"])
    frame = _only_where(frame, given, notes, file)
    frame, roles = _reshape(frame, dict(given), file)
    kind_votes = votes or _are_comparisons(frame, roles)
    found = _find_roles(frame, roles, kind_votes, file)
    used = {name: role for role, name in found.items()}
    unused = [str(name) for name in frame.columns if name not in used]
    table = pd.DataFrame({role: frame[name] for role, name in found.items()})
    if kind_votes:
        return checks.build_votes(table, frame[unused], given, notes, source, file)
    return checks.build_ratings(table, frame[unused], given, notes, source, file, found)


def _are_comparisons(frame: pd.DataFrame, roles: Mapping[str, str]) -> bool:
    """Return whether a table holds comparisons: by declared roles, or by its exact columns."""
    if {"left", "right", "winner"} & set(roles):
        return True
    if {"system", "score"} & set(roles):
        return False
    columns = {spelled(str(name)) for name in frame.columns}
    sides = [{spelled(role), *map(spelled, ALSO[role])} & columns for role in ("left", "right")]
    return all(sides) and "winner" in columns


def _only_where(
    frame: pd.DataFrame, given: Mapping[str, Any], notes: Any, file: str | None
) -> pd.DataFrame:
    """Return the rows that ``where`` selects; the others are counted."""
    for name, value in given.get("where", {}).items():
        column = find_column(frame, name, "where", file)
        keep = frame[column].astype(str).str.strip() == value.strip()
        if not keep.any():
            known = ", ".join(frame[column].astype(str).unique()[:5])
            raise DataError(
                "where_keeps_nothing", file=file, column=column, value=value, expected=known
            )
        notes.leave_out("where", int((~keep).sum()), f"{column} is not {value}")
        frame = frame[keep].reset_index(drop=True)
    return frame


def _reshape(
    frame: pd.DataFrame, given: dict[str, Any], file: str | None
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return one row per judgment, and the column of each role that is declared or supplied."""
    roles = {name: given[name] for name in ROLES if name in given}
    for name, value in given.items():
        if name in ("loser", "tie"):
            roles[name] = value
    frame = explode_lists(frame, roles, file)
    if "split" in given:
        frame, supplied = split_columns(frame, given["split"], file)
        roles |= {role: role for role in supplied}
    if "files" in given:
        roles |= {role: role for role in PLACEHOLDER.findall(given["files"])}
    patterns = {
        role: value
        for role, value in roles.items()
        if PLACEHOLDER.search(value) and value not in frame
    }
    if patterns:
        frame = expand_patterns(frame, patterns, file)
        for pattern in patterns.values():
            for key in PLACEHOLDER.findall(pattern):
                if key in ROLES:
                    roles[key] = key
        roles |= {role: role for role in patterns}
    if "wide" in given and "criteria" in given:
        raise DataError("two_shapes", file=file, value="--wide --criteria")
    for word, role in (("wide", "system"), ("criteria", "criterion")):
        if word in given:
            if "score" in frame and "score" not in given[word]:
                frame = frame.rename(columns={"score": "score "})
            frame = widen(frame, given[word], role, file)
            roles |= {role: role, "score": "score"}
    if "outcome" in given:
        frame["winner"] = read_outcome(frame, given["outcome"], file)
        roles["winner"] = "winner"
    if "chosen" in roles:
        if "options" not in roles:
            raise DataError(
                "missing_role", file=file, value="options", expected=list_columns(frame)
            )
        chosen = find_column(frame, roles.pop("chosen"), "chosen", file)
        options = find_column(frame, roles.pop("options"), "options", file)
        frame = expand_choices(frame, chosen, options, file)
        roles |= {role: role for role in VOTE_ROLES}
    if "loser" in roles:
        frame, roles = _winner_and_loser(frame, roles, given, file)
    elif "tie" in roles:
        frame, roles = _flag_of_ties(frame, roles, file)
    return frame, roles


def _winner_and_loser(
    frame: pd.DataFrame, roles: dict[str, str], given: dict[str, Any], file: str | None
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return tables of winner and loser as comparisons whose order of presentation is not known."""
    winner = find_column(frame, roles.pop("winner", "winner"), "winner", file)
    loser = find_column(frame, roles.pop("loser"), "loser", file)
    outcome = pd.Series("left", frame.index)
    if "tie" in roles:
        tied = _truth(frame, find_column(frame, roles.pop("tie"), "tie", file), file)
        outcome[tied] = "tie"
    else:
        checks.refuse_flag_of_ties(frame, file)
    out = frame.rename(columns={winner: "left", loser: "right"}).assign(winner=outcome)
    out = out.drop(columns=[name for name in (given.get("tie"),) if name in out])
    given["order"] = "unknown"
    out.attrs["order_unknown"] = True
    return out, roles | {role: role for role in VOTE_ROLES}


def _flag_of_ties(
    frame: pd.DataFrame, roles: dict[str, str], file: str | None
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the comparisons with a tie wherever the flag is true."""
    flag = find_column(frame, roles.pop("tie"), "tie", file)
    winner = find_column(frame, roles.get("winner", "winner"), "winner", file)
    tied = _truth(frame, flag, file)
    out = frame.drop(columns=flag)
    out[winner] = out[winner].where(~tied, "tie")
    return out, roles | {"winner": winner}


def _truth(frame: pd.DataFrame, column: str, file: str | None) -> pd.Series:
    truth = frame[column].astype(str).str.strip().str.lower().map(TRUTH)
    wrong = frame[column][truth.isna()]
    if len(wrong):
        raise DataError(
            "not_true_or_false", file=file, row=wrong.index[0], column=column, value=wrong.iloc[0]
        )
    return truth.astype(bool)


def _find_roles(
    frame: pd.DataFrame, roles: Mapping[str, str], votes: bool, file: str | None
) -> dict[str, str]:
    """Return the column of each role: declared, or found by its exact name."""
    found = {
        role: find_column(frame, name, role, file) for role, name in roles.items() if role in ROLES
    }
    taken = set(found.values())
    usual = VOTE_ROLES if votes else SCORE_ROLES
    optional = ("annotator", "question", "domain", "pair", "criterion")
    optional += () if votes else ("document", "hit", "item_type", "time")
    by_spelling: dict[str, list[str]] = {}
    for name in frame.columns:
        by_spelling.setdefault(spelled(str(name)), []).append(str(name))
    for role in (*usual, *optional):
        if role in found:
            continue
        for name in (role, *ALSO.get(role, ())):
            columns = [each for each in by_spelling.get(spelled(name), []) if each not in taken]
            if len(columns) > 1:
                raise DataError("two_columns", file=file, column=role, value=" and ".join(columns))
            if columns:
                found[role] = columns[0]
                taken.add(columns[0])
                break
    missing = [role for role in usual if role not in found]
    if not votes and "segment" in missing and "question" in found:
        found["segment"] = found.pop("question")
        missing.remove("segment")
    if missing:
        sample = frame.head(MAX_TRIED).copy()

        def works(words: dict[str, Any]) -> bool:
            try:
                build(sample.copy(), check_words(words))
            except DataError:
                return False
            return True

        raise checks.missing_roles(frame, roles, missing, votes, file, works)
    columns = list(found.values())
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        both = [role for role, name in found.items() if name == twice[0]]
        raise DataError("column_of_two_roles", file=file, column=twice[0], value=" and ".join(both))
    if not votes and len(frame) and np.ndim(frame[found["score"]]) != 1:
        raise DataError("not_a_column", file=file, column=found["score"])
    return found
