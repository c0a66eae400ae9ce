"""Judgments from a user's frame: the same checks, errors and counts as for a file."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from . import checks, schema, spelling
from .errors import DataError, meant
from .judgments import (
    BY_DOCUMENT,
    EXCLUDED,
    HIDDEN,
    SECOND_VOTE,
    TIES,
    TYPES,
    DirectAssessment,
    battle_frame,
    direct_assessment,
    fits,
    given_twice,
    models_among,
    name_segments_by_document,
    noted,
    repeated,
    second_votes,
    segment_table,
)
from .names import FIELDS, candidates, voters

PAIR = "xx-yy"  # the language pair if nothing names it
NEEDED = ("system", "segment", "score")
# cells that hold nothing, in lower case
MISSING = ("", "na", "n/a", "nan", "null", "none")
# other names of types of rows: theirs to ours
RENAMED = {"": "SYSTEM", "TGT": "SYSTEM", "BAD": "BAD_REF"}
ARENA = {
    "model_a": 1,
    "model_b": 2,
}  # words of arenas for the left and the right
NO_SCORE = "no score (left out)"


def judgments(
    frame: pd.DataFrame,
    *,
    system: str | None = None,
    segment: str | None = None,
    score: str | None = None,
    annotator: str | None = None,
    document: str | None = None,
    domain: str | None = None,
    scale: tuple[float, float] | None = None,
    adaptive: bool = False,
    humans: str | Collection[str] = (),
    judges: Collection[str] | None = None,
    **others: str,
) -> DirectAssessment | pd.DataFrame:
    """Judgments with scores from a frame that has one row for each: DA, ESA, stars, right or wrong.

    Parameters
    ----------
    frame : DataFrame
        One row per judgment. Rows without a score are left out and counted.
    system, segment, score : str, optional
        The names of its columns: what was judged, on which item, with which score (higher is
        better; a number, or True and False). Left out, a column is found by its name, as in files:
        ``model``, ``item``, ``rating`` and others (`names.FIELDS`, `names.ELSE`).
    annotator, document, domain : str, optional
        Who judged, and of which document and domain the segment is; what a repeat would draw
        afresh depends on them.
    scale : (float, float), optional
        The lowest and the highest possible score; by default as the scores show it.
    adaptive : bool
        Whether later judgments went to systems that earlier ones chose.
    humans : str or collection of str
        The systems that are human translations or references.
    judges : collection of str, optional
        The annotators that are models (names, or patterns such as ``gemba*``), whose rows are left
        out: they are never pooled with people. An annotator with the full name of a model is
        refused until it is among them; ``[]`` says that all are people.
    **others : str
        The columns ``hit``, ``type`` (``SYSTEM``, ``REF``, ``REPEAT``, ``BAD_REF``), ``time`` and
        ``pair`` (one language pair in all rows).

    Returns
    -------
    DirectAssessment or DataFrame
        What `load` returns for a file of the same rows: judgments, or, without annotators, segment
        scores. `segment_scores`, `remove` and `rank_systems` take both.

    Raises
    ------
    DataError
        For a column that is missing or may be several, an empty name, a score that is not a number
        or is off the scale of the others: with the column, the value and the label of the row.

    Examples
    --------
    >>> import pandas as pd
    >>> import companion.legacy.rankstability as rs
    >>> frame = pd.DataFrame({
    ...     "model": ["A", "B"] * 3, "item": [1, 1, 2, 2, 3, 3],
    ...     "stars": [5, 3, 4, 4, 5, 2], "rater": ["x", "x", "x", "x", "y", "y"]})
    >>> judged = rs.judgments(frame, system="model", segment="item", score="stars")
    >>> judged.good["worker"].tolist()
    ['x', 'x', 'x', 'x', 'y', 'y']
    >>> rs.judgments(frame.replace({"stars": {2: "two"}}), score="stars")
    Traceback (most recent call last):
    rankstability.errors.DataError: row 5, column 'stars': not a number; found 'two'; expected ...
    """
    named = {
        "system": system,
        "segment": segment,
        "score": score,
        "annotator": annotator,
        "document": document,
        "domain": domain,
        **others,
    }
    humans = (humans,) if isinstance(humans, str) else humans
    given = {
        ours: str(name) for ours, name in named.items() if name is not None
    }
    frame = _usable(frame)
    columns = _columns(list(frame), given)
    frame = _people(frame, columns.get("annotator", ""), judges)
    cells, counts = _cells(frame, columns)
    with _their_columns(columns):
        pair = _pair(cells)
        low, high, said = _scale(cells, scale)
        rows = _checked(cells, low, high)
        checks.refuse_alike(rows)
        checks.refuse_contradictions(rows)
    rows = rows.reset_index(drop=True)
    notes = [("", reason, n) for reason, n in [*counts, *repeated(rows)] if n]
    for name in set(humans) - set(rows["system"]):
        known = sorted(rows["system"].unique())
        raise DataError(
            "`humans` names no system of the frame" + meant(name, known),
            value=name,
            expected="of " + ", ".join(known)[:200],
        )
    if name_segments_by_document(rows):
        notes.append(("", BY_DOCUMENT, len(rows)))
    notes.append(
        ("", f"(kept: scale {low:g} to {high:g}, from {said})", len(rows))
    )
    excluded = pd.DataFrame(notes, columns=EXCLUDED)
    if "worker" not in rows:
        table = segment_table(rows, excluded)
        table.attrs |= {
            "adaptive": adaptive,
            "humans": tuple(humans),
            "items": not {"hit", "document"} & set(columns),
        }
        return table
    made = direct_assessment(pair, rows, excluded=excluded, scale=(low, high))
    made = replace(made, adaptive=adaptive, humans=tuple(humans), form="long")
    return noted(made, "drop")


def battles(
    frame: pd.DataFrame,
    *,
    left: str = "model_a",
    right: str = "model_b",
    winner: str = "winner",
    judge: str | None = None,
    question: str | None = None,
    domain: str | None = None,
    judges: Collection[str] | None = None,
) -> pd.DataFrame:
    """Judgments of another kind: two systems side by side, and which is better.

    Parameters
    ----------
    frame : DataFrame
        One row per battle. Those whose models the judge knew (a column ``anony``, false) are left
        out and counted.
    left, right : str
        The columns with the two systems.
    winner : str
        The column that says which was better: the name of its column, ``left`` or ``right``,
        ``model_a`` or ``model_b``, or the system's own name; or ``tie``, ``both_bad``.
    judge, question, domain : str, optional
        The columns that name who judged, what was asked, and its category. By default ``judge`` (or
        ``user``, ``annotator`` and the like), ``question_id`` and ``category`` if there are such.
    judges : collection of str, optional
        Which of those who judged are models, as `judgments` takes it.

    Returns
    -------
    DataFrame
        What `load` returns for a file of the same battles: blocks of two outputs with their ranks,
        which `rank_systems`, `pair_counts` and `feedback_arc_set` take.

    Raises
    ------
    DataError
        For a missing column, an empty name, an unknown winner or a system against itself: with the
        column, the value and the label of the row.

    Examples
    --------
    >>> import pandas as pd
    >>> import companion.legacy.rankstability as rs
    >>> frame = pd.DataFrame({
    ...     "left": ["A", "B", "A"], "right": ["B", "A", "B"], "winner": ["A", "left", "tie"]})
    >>> fought = rs.battles(frame, left="left", right="right")
    >>> rs.pair_counts(fought).wins.tolist()
    [[0, 1], [1, 0]]
    """
    frame = _usable(frame)
    names = {"system1": left, "system2": right, "winner": winner}
    for ours, given, usual in (
        ("judge", judge, voters(frame) or "judge"),
        ("question", question, "question_id"),
        ("domain", domain, "category"),
    ):
        if given is not None:
            names[ours] = given
        elif usual in frame:
            names[ours] = usual
    for ours, name in names.items():
        if name not in frame:
            ours = {"system1": "left", "system2": "right"}.get(ours, ours)
            raise DataError(
                f"no such column for {ours}{meant(name, frame)}",
                value=name,
                expected=", ".join(frame),
            )
    frame = _people(frame, names.get("judge", ""), judges)
    judged = len(frame)
    frame = _unknown_models(frame)
    cells, trimmed = _texts(frame, names)
    needed = schema.ids(
        *cells.columns.difference(["judge", "domain", "winner"])
    )
    loose = schema.ids(
        *cells.columns.intersection(["judge", "domain"]), missing=()
    )
    with _their_columns(names):
        rows = schema.validate(cells, needed | loose)
    for row in rows[rows["system1"] == rows["system2"]].itertuples():
        raise DataError(
            "a system against itself",
            row=row.Index,
            column=right,
            value=row.system2,
            expected="two different systems",
        )
    sides = pd.concat([rows["system1"], rows["system2"]])
    checks.refuse_alike(sides.to_frame("system"))
    checks.refuse_alike(rows)
    rows["rank1"], rows["rank2"] = _outcomes(rows, names)
    rows = rows.reset_index(drop=True)
    for ours in ("judge", "domain"):
        said = rows.get(ours, pd.Series("", rows.index))
        rows[ours] = said.where(~said.str.lower().isin(MISSING), "")
    if "question" in rows:
        identical = int(rows.duplicated().sum())
    else:  # two battles may well be alike: only if all are, they were given twice
        identical = given_twice(rows)
        rows["question"] = np.arange(len(rows))
    made = battle_frame(rows, PAIR)
    both_bad = int(rows["winner"].isin(TIES[1:]).sum())
    unnamed = int((rows["judge"] == "").sum())
    counts = trimmed | {
        "(kept as ties: both bad)": both_bad,
        "(kept: no judge is named)": unnamed,
        "identical rows (kept)": identical,
        SECOND_VOTE: second_votes(rows),
        "battles of known models (left out)": judged - len(frame),
    }
    made.attrs["excluded"] = {reason: n for reason, n in counts.items() if n}
    return made


def _unknown_models(frame: pd.DataFrame) -> pd.DataFrame:
    """The battles whose models the judge did not know, by a column ``anony`` if there is one."""
    if "anony" not in frame:
        return frame
    hidden = (
        frame["anony"].map(schema.as_text).str.strip().str.lower().map(HIDDEN)
    )
    wrong = partial(DataError, column="anony", expected="true, false or empty")
    for label, value in frame.loc[hidden.isna().to_numpy(), "anony"].items():
        raise wrong("neither true nor false", row=label, value=value)
    if not hidden.any():
        raise wrong("no battles that count", value="false in all rows")
    return frame[hidden.to_numpy(bool)]


def _outcomes(
    rows: pd.DataFrame, names: Mapping[str, str]
) -> tuple[np.ndarray, np.ndarray]:
    """The ranks of the left and of the right system; DataError for an unknown winner."""
    said = rows["winner"]
    words = {"left": 1, "right": 2}
    called = {*rows["system1"], *rows["system2"]}
    if called.isdisjoint(ARENA):  # else these words are names of systems
        words |= ARENA
    side = said.map(words | {names["system1"]: 1, names["system2"]: 2})
    first = (side == 1) | (said == rows["system1"])
    second = (side == 2) | (said == rows["system2"])
    one_of_them = first.astype(int) + second + said.isin(TIES) == 1
    for label, value in said[~one_of_them].items():
        sides = (
            f"{names['system1']}, {names['system2']}, one of the two systems"
        )
        raise DataError(
            "unknown winner",
            row=label,
            column=names["winner"],
            value=value,
            expected=f"{sides}, or {', '.join(TIES)}",
        )
    return np.where(second, 2, 1), np.where(first, 2, 1)


def _usable(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with text as names of its columns.

    Raises DataError for anything but a frame with rows whose columns differ in name.
    """
    if not isinstance(frame, pd.DataFrame):
        raise DataError(
            "not a frame",
            value=type(frame).__name__,
            expected="a pandas.DataFrame; `load` takes files, folders and names of campaigns",
        )
    frame = frame.set_axis(list(map(str, frame.columns)), axis=1)
    if frame.empty:
        raise DataError(
            "a frame without rows",
            value=", ".join(frame) or "no columns",
            expected="one row per judgment",
        )
    for name in frame.columns[frame.columns.duplicated()]:
        raise DataError(
            "a column appears twice", value=name, expected="each once"
        )
    return frame


def _people(
    frame: pd.DataFrame, column: str, judges: Collection[str] | None
) -> pd.DataFrame:
    """The rows of people. Raises DataError for judges that are not there, and for unnamed ones."""
    who = (
        frame[column].astype(str).str.strip()
        if column
        else pd.Series("", index=frame.index)
    )
    named = [judges] if isinstance(judges, str) else list(judges or ())
    known = sorted(who.unique())
    wrong = partial(DataError, column=column or "annotator")
    for name in named:
        if any(fits(one, [name]) for one in known):
            continue
        there = (
            ", ".join(filter(None, known))[:200]
            or "annotators, who are not named"
        )
        problem = "no such judge" + meant(name, known)
        raise wrong(problem, value=name, expected="of " + there)
    models = [one for one in models_among(known) if not fits(one, named)]
    if models and (named or judges is None):
        expected = f"judges={[*named, *models]}, left out; or judges=[] if all are people"
        raise wrong(
            "an annotator with the name of a model",
            value=models[0],
            expected=expected,
        )
    people = ~who.map({one: fits(one, named) for one in known}).to_numpy(bool)
    if not people.any():
        raise wrong("only judges", value=named, expected="people beside them")
    return frame[people]


def _columns(
    header: Sequence[str], given: Mapping[str, str]
) -> dict[str, str]:
    """Our columns to those of a frame; DataError for one that is missing or may be several."""
    for ours in given:
        if ours not in FIELDS:
            raise DataError(
                f"no such argument{meant(ours, FIELDS)}",
                value=ours,
                expected=", ".join(FIELDS),
            )
    found = {}
    for ours, may in candidates(header, given).items():
        if len(may) > 1:
            raise DataError(
                f"several columns may be the {ours}",
                value=", ".join(may),
                expected=f'judgments(..., {ours}="{may[0]}")',
            )
        if may:
            found[ours] = may[0]
    for ours in NEEDED:
        if ours not in found:
            raise DataError(
                f"no column for {ours}",
                value=", ".join(header),
                expected=f'judgments(..., {ours}="...")',
            )
    for ours, name in found.items():
        if [*found.values()].count(name) > 1:
            raise DataError(
                "one column given for several of ours",
                column=ours,
                value=name,
                expected="a column for each",
            )
    return found


def _texts(
    frame: pd.DataFrame, columns: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Our columns as `spelling.cleaned` text, and how many cells were changed, by reason."""
    counts = dict.fromkeys(spelling.CHANGES, 0)
    out = {}
    for ours, theirs in columns.items():
        column = frame[theirs]
        if column.dtype == bool and ours == "score":
            column = column.astype(int)
        cells = column.to_numpy(dtype=object)
        if pd.api.types.infer_dtype(cells).startswith("mixed"):
            # lists, which have no hash, or True, which has that of 1
            cells = np.array([schema.as_text(cell) for cell in cells], object)
        codes, values = pd.factorize(cells)
        written = [*map(schema.as_text, values), ""]  # the last: missing
        stripped = [text.strip() for text in written]
        plain = [spelling.cleaned(text) for text in stripped]
        for reason, before, after in zip(
            counts, (written, stripped), (stripped, plain), strict=True
        ):
            changed = np.array(
                [a != b for a, b in zip(before, after, strict=True)], bool
            )
            counts[reason] += int(changed[codes].sum())
        out[ours] = np.array(plain, dtype=object)[codes]
    return pd.DataFrame(out, frame.index), counts


def _cells(
    frame: pd.DataFrame, columns: Mapping[str, str]
) -> tuple[pd.DataFrame, list[tuple[str, int]]]:
    """The rows with a score as text, and what was left out or changed."""
    cells, trimmed = _texts(frame, columns)
    scored = ~cells["score"].str.lower().isin(MISSING).to_numpy()
    if not scored.any():
        raise DataError(
            "no row has a score",
            column=columns["score"],
            expected="a number in the column of scores",
        )
    counts = [*trimmed.items(), (NO_SCORE, int((~scored).sum()))]
    return cells[scored], counts


def _pair(cells: pd.DataFrame) -> str:
    """The one language pair of all rows. Raises DataError if there are several."""
    if "pair" not in cells:
        return PAIR
    pairs = cells["pair"].unique()
    if len(pairs) > 1:
        raise DataError(
            "several language pairs",
            column="pair",
            value=", ".join(pairs[:5]),
            expected="the rows of one pair at a time",
        )
    return str(pairs[0])


def _scale(
    cells: pd.DataFrame, given: tuple[float, float] | None
) -> tuple[float, float, str]:
    """The scale of the scores, and who says so. Raises DataError as `checks.scale_of` does."""
    if given is not None:
        ends = np.array(given, dtype=object)
        numeric = all(
            isinstance(end, int | float | np.number) for end in ends.flat
        )
        if ends.shape != (2,) or not numeric or not ends[0] < ends[1]:
            raise DataError(
                "not a scale", value=given, expected="(lowest, highest)"
            )
        return float(ends[0]), float(ends[1]), "scale="
    numbers = pd.to_numeric(cells["score"], errors="coerce").to_numpy(float)
    numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    known = cells.rename(columns={"annotator": "worker"})
    low, high = checks.scale_of(
        known.assign(written=cells["score"], score=numbers),
        "scale=(lowest, highest)",
    )
    return low, high, "the data"


@contextlib.contextmanager
def _their_columns(columns: Mapping[str, str]) -> Iterator[None]:
    """Names the frame's own column in errors that name one of ours."""
    try:
        yield
    except DataError as error:
        ours = "annotator" if error.column == "worker" else error.column
        raise DataError(
            error.problem,
            row=error.row,
            column=columns.get(str(ours), ours),
            value=error.value,
            expected=error.expected,
        ) from None


def _checked(cells: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """The rows in our columns and types; DataError for the first cell that is wrong."""
    tests = schema.ids(
        *cells.columns.intersection(["system", "segment", "annotator"])
    )
    expected = f"a number, {low:g} to {high:g}"
    if cells["score"].str.fullmatch(r"-?\d+,\d+").any():
        expected += "; pandas.read_csv(..., decimal=',') reads decimal commas"
    tests["score"] = schema.number(expected, low, high)
    if "type" in cells:
        cells = cells.assign(type=cells["type"].str.upper().replace(RENAMED))
        tests["type"] = schema.one_of(TYPES, "type")
    rows = schema.validate(cells[list(tests)], tests)
    rows = rows.rename(columns={"annotator": "worker"})
    others = cells.columns.intersection(["hit", "document", "domain"])
    schema.validate(cells[others], schema.loose(*others))
    for name in others:
        rows[name] = cells[name].where(
            ~cells[name].str.lower().isin(MISSING), None
        )
    if "type" not in rows:
        rows["type"] = "SYSTEM"
    if "time" in cells:
        time = pd.to_numeric(cells["time"], errors="coerce")
        rows["time"] = time.astype(float)
    return rows
