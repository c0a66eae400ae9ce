"""What the papers print next to what we compute, as rows of the claims ledger.

A paper's module takes the tables of a run, gives our values the key columns of
``data/published/<paper>.csv``, and calls `compare`. What no single run can answer, a function
``across(tables)`` of it answers with rows (`COLUMNS`) when the ledger is gathered:
``tables("02", "changes")`` is that table of notebook 02 over all real campaigns that were run, with
a column ``campaign`` (empty if there is none), ``tables("02", "run")`` their settings, and
``tables("catalogue", "pairs")`` what the catalogue says of each real campaign's pairs, here or not.

The published file may explain a cell: ``reason`` if we have a value, ``no_data`` if we have none. A
row with status ``no data`` gives way to a row of the same paper, place and cell with data.
"""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import pandas as pd
import yaml

from . import paths
from .errors import InputError

COLUMNS = [
    "paper",
    "place",
    "cell",
    "published",
    "ours",
    "status",
    "reason",
    "provenance",
]
STATUSES = ("exact", "rounds", "differs", "no data", "fact")
WEAK = "weak:"  # begins the reason of a cell that could hardly have come out otherwise
ABSENT = "the data are not here"  # the reason of a cell without data that has no other
PROVENANCES = (
    "official",
    "rebuilt from z",
    "recomputed from print",
    "simulated",
    "integral",
)


def published(paper: str, *places: str) -> pd.DataFrame:
    """The numbers that a paper prints, from ``data/published/<paper>.csv``, as text.

    If `places` (such as ``"Table 2"``) are given, only theirs. Columns paper, place, cell,
    published and whatever else the file holds, such as key columns.

    Raises InputError for a place that the file does not have.
    """
    file = paths.PUBLISHED / f"{paper}.csv"
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    if places:
        frame = frame[frame["place"].isin(places)]
        missing = set(places) - set(frame["place"])
        if missing:
            raise InputError(
                "no such place", file=paths.shown(file), value=sorted(missing)
            )
    return frame.reset_index(drop=True)


def settings(paper: str) -> dict[str, Any]:
    """What a paper sets, and how it can be read, from ``data/published/settings.yaml``."""
    text = (paths.PUBLISHED / "settings.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text)[paper])


def status(printed: str, ours: Any, tolerance: float | None = None) -> str:
    """How `ours` compares with what is `printed`: exact, rounds, differs or no data.

    ``exact``: the same text, or the same number at the printed precision (halves may be rounded
    either way). ``rounds``: off by at most one unit of the last printed digit, or by `tolerance` if
    that is larger (the Monte Carlo error of simulated values). ``no data``: `ours` is missing.
    """
    if ours is None or pd.isna(ours) or ours == "":
        return "no data"
    if str(ours) == printed:
        return "exact"
    number = _decimal(printed)
    value = _decimal(str(ours))
    if number is None or value is None:
        return "differs"
    unit = Decimal(1).scaleb(int(number.as_tuple().exponent))
    gap = abs(value - number)
    if gap <= unit / 2 * (1 + Decimal("1e-9")):
        return "exact"
    allowed = (
        max(unit, Decimal(str(tolerance))) if tolerance is not None else unit
    )
    return "rounds" if gap <= allowed else "differs"


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(
            text.strip().rstrip("%").replace(",", "").replace("−", "-")
        )
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def compare(
    rows: pd.DataFrame,
    ours: pd.DataFrame,
    on: Sequence[str] = ("place", "cell"),
    *,
    provenance: str,
    no_data: str = ABSENT,
) -> pd.DataFrame:
    """Ledger rows: the published `rows` joined with our values on the key columns `on`.

    `ours` has the key columns (compared as text, missing as empty) and ``ours``, our value
    (missing: none). Optional columns: ``reason``, ``tolerance``, ``provenance``, and ``fact`` (a
    value that agrees is a fact of the catalogue, not a result). Rows of `ours` that are not
    published are left out. Raises InputError for two values of one key, and for an unknown
    provenance.
    """
    on = list(on)
    extra = [
        c
        for c in ("ours", "reason", "tolerance", "provenance", "fact")
        if c in ours
    ]
    answers = ours.reindex(columns=[*on, *extra]).astype(
        dict.fromkeys([*on, "ours"], object)
    )
    answers = answers.fillna(dict.fromkeys(on, "")).astype(
        dict.fromkeys(on, str)
    )
    if answers.duplicated(on).any():
        twice = answers.loc[answers.duplicated(on), on].iloc[0]
        raise InputError(
            "two values for one published number", value=tuple(twice)
        )
    keys = rows[
        ["paper", *dict.fromkeys(["place", "cell", "published", *on])]
    ].astype(str)
    keys["why"], keys["why_not"] = (
        rows.get(name, "") for name in ("reason", "no_data")
    )
    joined = keys.merge(answers, on=on, how="left")
    out = []
    for row in joined.to_dict("records"):
        limit = _given(row, "tolerance", None)
        source = _given(row, "provenance", provenance)
        if source not in PROVENANCES:
            raise InputError(
                "unknown provenance",
                value=source,
                expected=", ".join(PROVENANCES),
            )
        verdict = status(row["published"], row["ours"], limit)
        verdict = (
            "fact"
            if verdict == "exact" and _given(row, "fact", False)
            else verdict
        )
        reason = _given(row, "reason", "")
        if verdict == "no data":
            reason = reason or row["why_not"] or no_data
        else:
            reason = row["why"] or reason
        about = (row[name] for name in ("paper", "place", "cell", "published"))
        value = _given(row, "ours", "")
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        out.append((*about, text, verdict, reason, source))
    return pd.DataFrame(out, columns=COLUMNS)


def _given(row: dict[Any, Any], name: str, usual: Any) -> Any:
    value = row.get(name)
    return usual if value is None or pd.isna(value) else value


def summary(
    rows: pd.DataFrame, by: Sequence[str] = ("paper", "place")
) -> pd.DataFrame:
    """The number of rows of each status by paper and place: columns paper, place, exact, ..."""
    counts = pd.crosstab([rows[name] for name in by], rows["status"])
    table = counts.reindex(columns=list(STATUSES), fill_value=0).reset_index()
    return table.rename_axis(columns=None)


def yes(value: Any) -> str:
    """``yes`` or ``no``."""
    return "yes" if value else "no"
