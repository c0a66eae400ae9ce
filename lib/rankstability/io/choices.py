"""Choices and rankings of several outputs, outcomes and losers: all become comparisons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from .columns import find_column, list_columns, read_truth, spelled
from .notes import Notes
from .patterns import JOINED, NUMBER, PLACEHOLDER, columns_that_fit, fill_pattern
from .votes import refuse_flag_of_ties

VOTE_ROLES = ("left", "right", "winner")
NOTHING = ("none", "", "tie", "neither", "no winner", "nan", "null")


def compare_choices(
    frame: pd.DataFrame,
    roles: dict[str, str],
    given: dict[str, Any],
    notes: Notes,
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return choices among several outputs, or rankings of several, as comparisons."""
    chosen, worst, options = roles.pop("chosen", ""), roles.pop("worst", ""), roles.pop("options")
    if worst and not chosen:
        raise DataError("missing_role", missing="chosen", columns=list_columns(frame))
    if chosen:
        chosen = find_column(frame, chosen, "chosen")
    if worst:
        worst = find_column(frame, worst, "worst")
    options = find_column(frame, options, "options")
    if "question" in roles:
        column = find_column(frame, roles["question"], "question")
        frame, roles["question"] = frame.rename(columns={column: "question"}), "question"
    frame, nothing = expand_choices(frame, chosen, options, worst)
    notes.leave_out("nothing_chosen", nothing)
    if frame.empty:
        raise DataError("no_judgments")
    given["order"] = "unknown"
    return frame, roles | {role: role for role in VOTE_ROLES}


def compare_losers(
    frame: pd.DataFrame, roles: dict[str, str], given: dict[str, Any]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return tables of winner and loser as comparisons whose order of presentation is not known."""
    winner = find_column(frame, roles.pop("winner", "winner"), "winner")
    loser = find_column(frame, roles.pop("loser"), "loser")
    outcome = pd.Series("left", frame.index)
    if "tie" in roles:
        tied = read_truth(frame, find_column(frame, roles.pop("tie"), "tie"))
        outcome[tied] = "tie"
    else:
        refuse_flag_of_ties(frame)
    out = frame.rename(columns={winner: "left", loser: "right"}).assign(winner=outcome)
    out = out.drop(columns=[name for name in (given.get("tie"),) if name in out])
    given["order"] = "unknown"
    return out, roles | {role: role for role in VOTE_ROLES}


def mark_ties(frame: pd.DataFrame, roles: dict[str, str]) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the comparisons with a tie wherever the flag is true."""
    flag = find_column(frame, roles.pop("tie"), "tie")
    winner = find_column(frame, roles.get("winner", "winner"), "winner")
    tied = read_truth(frame, flag)
    out = frame.drop(columns=flag)
    out[winner] = out[winner].where(~tied, "tie")
    return out, roles | {"winner": winner}


def read_outcome(frame: pd.DataFrame, outcome: Mapping[str, str]) -> pd.Series:
    """Return the winner from one column of 0 and 1 for each outcome."""
    unknown = set(outcome) - {"left", "right", "tie"}
    if unknown or not {"left", "right"} <= set(outcome):
        raise DataError("bad_setting", column="outcome", value=", ".join(outcome),
                        expected="left=COLUMN right=COLUMN tie=COLUMN")  # fmt: skip
    marks, blanks = {}, {}
    for side, name in outcome.items():
        column = find_column(frame, name, "outcome")
        blanks[side] = frame[column].astype(str).str.strip() == ""
        marks[side] = read_truth(frame, column)
    table = pd.DataFrame(marks)
    number = table.sum(axis=1)
    blank = pd.DataFrame(blanks).all(axis=1)
    wrong_rows = table.index[(number > 1) | ((number == 0) & ("tie" in outcome) & ~blank)]
    if len(wrong_rows):
        raise DataError("several_outcomes", row=wrong_rows[0])
    winner: pd.Series = table.idxmax(axis=1)
    return winner.where(number > 0, "tie").where(~blank, "")


def expand_choices(
    frame: pd.DataFrame, chosen: str, options: str, worst: str = ""
) -> tuple[pd.DataFrame, int]:
    """Return choices or rankings of several outputs as comparisons, and how many rows chose none.

    A choice compares the chosen output with each other that was shown, and each other with the
    worst one if that is named, too. A ranking (`chosen` empty; the options are in order, best
    first) compares each output with each other. All comparisons of a row belong to its annotator
    and its question, so that they are never taken as independent.
    """
    shown = [_option_groups(value) for value in frame[options]]
    best = [str(value).strip() for value in frame[chosen]] if chosen else [""] * len(frame)
    last = [str(value).strip() for value in frame[worst]] if worst else [""] * len(frame)
    rows: list[tuple[int, str, str, str]] = []
    if len(frame) > 1 and all(len(groups) == 1 for groups in shown):
        value = str(frame[options].iloc[0])
        raise DataError("one_option_in_a_row", column=options, value=value)
    nothing = 0
    for number, (groups, name, low) in enumerate(zip(shown, best, last, strict=True)):
        names = [each for group in groups for each in group]
        if len(names) < 2 and name.lower() in NOTHING and low.lower() in NOTHING:
            nothing += 1
            continue
        if len(set(names)) < max(len(names), 2):
            raise DataError(
                "bad_options",
                row=number,
                column=options,
                value=str(frame[options].iloc[number])[:80],
            )
        if not chosen:
            rows += [(number, *pair) for pair in _ranked_pairs(groups)]
            continue
        for column, each in ((chosen, name), (worst, low)):
            if each not in names and each.lower() not in NOTHING:
                raise DataError(
                    "chosen_not_shown",
                    row=number,
                    column=column,
                    value=each,
                    expected=", ".join(names),
                    propose=[{"where": {f"{column}!": each}}],
                )
        if name == low and name in names:
            raise DataError("best_is_worst", row=number, value=name)
        if name in names:
            rows += [(number, name, other, "left") for other in names if other != name]
        if low in names:
            rows += [(number, other, low, "left") for other in names if other not in (low, name)]
        nothing += name not in names and low not in names
    at = np.array([row[0] for row in rows], int)
    out = frame.drop(columns=[name for name in (chosen, options, worst) if name])
    if "question" not in {spelled(str(name)) for name in out.columns}:
        out["question"] = [f"row {number}" for number in range(1, len(out) + 1)]
    out = out.iloc[at].reset_index(drop=True)
    out["left"], out["right"], out["winner"] = ([row[k] for row in rows] for k in (1, 2, 3))
    return out, nothing


def _option_groups(value: Any) -> list[list[str]]:
    """Return the options of a cell in order, in groups of equals: a list, or ``A > B = C``."""
    if isinstance(value, (list, tuple)):
        parts = [str(each) for each in value]
    else:
        text = str(value)
        parts = text.split(">") if ">" in text else re.split(r"[,;|]", text)
    groups = [[name.strip() for name in part.split("=")] for part in parts]
    return [[name for name in group if name] for group in groups if any(group)]


def _ranked_pairs(groups: Sequence[Sequence[str]]) -> list[tuple[str, str, str]]:
    """Return left, right and winner of each pair of a ranking."""
    pairs: list[tuple[str, str, str]] = []
    for place, group in enumerate(groups):
        lower = [name for other in groups[place + 1 :] for name in other]
        for number, name in enumerate(group):
            pairs += [(name, equal, "tie") for equal in group[number + 1 :]]
            pairs += [(name, worse, "left") for worse in lower]
    return pairs


def join_columns(frame: pd.DataFrame, pattern: str, role: str) -> tuple[pd.DataFrame, str]:
    """Return the frame with the columns of a pattern such as ``option{n}`` as one column of lists.

    With further placeholders, as in ``Q{question}[Rank {n}]``, there is one such column for each of
    their values. Also returned is the column's name, or the pattern of the names.
    """
    found = columns_that_fit(frame, pattern, role)
    joined = pattern.replace(f"{{{NUMBER}}}", JOINED)
    columns: dict[str, list[str]] = {}
    for name in sorted(found, key=lambda name: int(found[name][NUMBER])):
        values = {key: value for key, value in found[name].items() if key != NUMBER}
        columns.setdefault(fill_pattern(joined, values), []).append(name)
    lists = {
        column: [[each for each in row if each != ""] for row in frame[names].to_numpy().tolist()]
        for column, names in columns.items()
    }
    return frame.drop(columns=list(found)).assign(**lists), joined


def read_positions(frame: pd.DataFrame, chosen: str, options: str) -> pd.DataFrame:
    """Return the frame with outputs in place of their positions, such as 2 or ``item2``.

    They are positions if every choice is one of the numbers of the columns ``item{n}``, or one of
    their names, and no output has such a name.
    """
    if not chosen or PLACEHOLDER.search(chosen):
        return frame
    column = find_column(frame, chosen, "chosen")
    found = columns_that_fit(frame, options, "options")
    if any(set(values) != {NUMBER} for values in found.values()):
        return frame
    place = {values[NUMBER]: name for name, values in found.items()} | {
        name: name for name in found
    }
    cells = frame[column].astype(str).str.strip()
    given = set(cells.unique()) - {name for name in cells.unique() if name.lower() in NOTHING}
    shown = set(frame[list(found)].astype(str).to_numpy().ravel())
    if not given or not given <= set(place) or given & shown:
        return frame
    named = [frame.at[row, place[cell]] if cell in place else cell for row, cell in cells.items()]
    return frame.assign(**{column: named})
