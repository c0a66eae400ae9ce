"""The claims ledger: every number that the papers print, with ours beside it.

A campaign notebook writes ``claims.csv``: the rows of `rankstability.published` with the column
``ours``, and perhaps ``tolerance``, ``reason`` and ``provenance``. The ledger joins these tables to
all published rows by paper, place and cell. A row whose campaign was not run here keeps what the
ledger of the last run says, so that a computer without the real data changes no row.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

import pandas as pd

from .jobs import FIGURES, ROOT, WHOLE

KEY = ["paper", "place", "cell"]
COLUMNS = [*KEY, "published", "ours", "status", "reason", "provenance", "notebook", "campaign"]
STATUSES = ("exact", "rounds", "differs", "undecided", "no data", "fact")
PUBLISHED = ROOT / "data" / "published"
LEDGER = FIGURES / "claims_ledger.csv"
OPTIONAL = ("tolerance", "reason", "provenance", "status")


def compare(printed: str, ours: str, tolerance: float | None = None) -> str:
    """Return how `ours` compares with what is `printed`: one of `STATUSES`.

    ``exact``: the same text, or the same number at the printed precision. ``rounds``: off by at most
    one unit of the last printed digit, or by `tolerance` if that is larger (the Monte Carlo error
    of simulated values).
    """
    if ours == "":
        return "no data"
    if ours == printed:
        return "exact"
    number, value = _decimal(printed), _decimal(ours)
    if number is None or value is None:
        return "differs"
    unit = Decimal(1).scaleb(int(number.as_tuple().exponent))
    gap = abs(value - number)
    if gap <= unit / 2 * (1 + Decimal("1e-9")):
        return "exact"
    allowed = unit if tolerance is None else max(unit, Decimal(str(tolerance)))
    return "rounds" if gap <= allowed else "differs"


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text.strip().rstrip("%").replace(",", "").replace("\N{MINUS SIGN}", "-"))
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def published() -> pd.DataFrame:
    """Return all published rows as text: paper, place, cell, published, campaign, and others."""
    files = sorted(PUBLISHED.glob("*.csv"))
    tables = [pd.read_csv(file, dtype=str, keep_default_na=False) for file in files]
    return pd.concat(tables, ignore_index=True).fillna("")


def claims() -> pd.DataFrame:
    """Return the claims of all campaign notebooks that ran, with their notebook and campaign."""
    tables = []
    for file in sorted(FIGURES.glob(f"*/*/{WHOLE}/claims.csv")):
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
        campaign, notebook = file.parts[-4], file.parts[-3]
        tables.append(table.assign(notebook=notebook, campaign=campaign))
    if not tables:
        return pd.DataFrame(columns=[*KEY, "ours", "notebook", "campaign"])
    return pd.concat(tables, ignore_index=True).fillna("")


def ledger() -> pd.DataFrame:
    """Return the ledger: the columns of `COLUMNS`, one row per published number."""
    ours = claims()
    ours = ours[ours["ours"] != ""].drop_duplicates(KEY)
    kept = [name for name in ("ours", *OPTIONAL, "notebook", "campaign") if name in ours]
    rows = published().merge(ours[[*KEY, *kept]], on=KEY, how="left", suffixes=("", "_ours"))
    made = pd.DataFrame([_row(row) for row in rows.fillna("").to_dict("records")], columns=COLUMNS)
    return keep_earlier(made, earlier())


def earlier() -> pd.DataFrame:
    """Return the ledger of the last run, or an empty one."""
    if not LEDGER.is_file():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(LEDGER, dtype=str, keep_default_na=False).reindex(columns=COLUMNS).fillna("")


def keep_earlier(made: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """Return `made`; a row without a value of ours is taken from `before` if it is there."""
    known = before[before["ours"] != ""].drop_duplicates([*KEY, "published"])
    known = known.set_index([*KEY, "published"]).to_dict("index")
    rows = []
    for row in made.to_dict("records"):
        if row["ours"] == "":
            place = tuple(row[name] for name in (*KEY, "published"))
            row = {**row, **known.get(place, {})}
        rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(row: dict[Any, Any]) -> dict[str, str]:
    """Return one row of the ledger."""
    tolerance = float(row["tolerance"]) if row.get("tolerance") else None
    status = row.get("status") or compare(row["published"], row["ours"], tolerance)
    given = row.get("reason_ours") or ""
    reason = row.get("no_data") if status == "no data" else row.get("reason") or given
    return {
        **{name: row[name] for name in (*KEY, "published", "ours")},
        "status": status,
        "reason": reason or given,
        "provenance": row.get("provenance_ours") or row.get("provenance") or "official",
        "notebook": row.get("notebook_ours") or row.get("notebook") or "",
        "campaign": row.get("campaign_ours") or row.get("campaign") or "",
    }


def write() -> pd.DataFrame:
    """Write the ledger to ``figures/claims_ledger.csv`` and return it."""
    rows = ledger()
    scratch = LEDGER.with_suffix(".partial")
    rows.to_csv(scratch, index=False)
    scratch.replace(LEDGER)
    return rows
