"""The claims ledger: what the papers print beside what we compute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import pandas as pd

from .. import paths
from ..errors import DataError

COLUMNS = ["paper", "place", "cell", "published", "ours", "status", "reason", "provenance"]
STATUSES = ("exact", "rounds", "differs", "no data")
PROVENANCES = ("official", "rebuilt from z", "recomputed from print", "simulated")


def published(paper: str, *places: str) -> pd.DataFrame:
    """The numbers a paper prints, from ``data/published/<paper>.csv``, as text.

    Parameters
    ----------
    paper : str
        ``knowles2021``, ``bojar2011``, ``lopez2012``, ``koehn2012`` or ``riley2024``.
    *places : str
        Only these tables or figures, such as ``"Table 2"``; none: all.

    Returns
    -------
    DataFrame
        Columns paper, place, cell, published and whatever else the file holds (its source note).
    """
    file = paths.PUBLISHED / f"{paper}.csv"
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    if places:
        frame = frame[frame["place"].isin(places)]
        missing = set(places) - set(frame["place"])
        if missing:
            raise DataError("no such place", file=paths.shown(file), value=sorted(missing))
    return frame.reset_index(drop=True)


def status(printed: str, ours: Any, tolerance: float | None = None) -> str:
    """How `ours` compares with what is `printed`.

    ``exact``: the same text, or the same number at the printed precision (either rule for halves).
    ``rounds``: off by at most one unit of the last printed digit, or by `tolerance` where given
    (for simulated values: the Monte Carlo error). ``no data``: `ours` is missing.
    """
    if ours is None or (isinstance(ours, float) and math.isnan(ours)) or ours == "":
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
    allowed = max(unit, Decimal(str(tolerance))) if tolerance is not None else unit
    return "rounds" if gap <= allowed else "differs"


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text.strip().rstrip("%").replace(",", "").replace("−", "-"))
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def compare(
    rows: pd.DataFrame,
    ours: Mapping[tuple[str, str], Any],
    *,
    provenance: str,
    reasons: Mapping[tuple[str, str], str] | str = "",
    no_data: str = "the data are not here",
    tolerance: float | Mapping[tuple[str, str], float] | None = None,
) -> pd.DataFrame:
    """Ledger rows for published `rows`.

    Parameters
    ----------
    rows : DataFrame
        From `published`.
    ours : mapping
        (place, cell) to our value; what is absent gets status ``no data``.
    provenance : str
        One of `PROVENANCES`: where our data come from.
    reasons : mapping or str
        Why, for cells that need a word; a string serves for every row that is not exact.
    no_data : str
        The reason for rows without a value.
    tolerance : float or mapping, optional
        Passed to `status`.
    """
    if provenance not in PROVENANCES:
        raise DataError("unknown provenance", value=provenance, expected=", ".join(PROVENANCES))
    out = []
    for row in rows.itertuples(index=False):
        key = (row.place, row.cell)
        value = ours.get(key)
        limit = tolerance.get(key) if isinstance(tolerance, Mapping) else tolerance
        verdict = status(row.published, value, limit)
        if isinstance(reasons, str):
            reason = reasons if verdict in ("rounds", "differs") else ""
        else:
            reason = reasons.get(key, "")
        if verdict == "no data":
            reason = reason or no_data
        out.append((row.paper, *key, row.published, _text(value), verdict, reason, provenance))
    return pd.DataFrame(out, columns=COLUMNS)


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Counts of each status per paper and place: columns paper, place, exact, rounds, ..."""
    counts = pd.crosstab([rows["paper"], rows["place"]], rows["status"])
    return (
        counts.reindex(columns=list(STATUSES), fill_value=0).reset_index().rename_axis(columns=None)
    )
