"""All language pairs of a campaign on one page: who may be first, lines, the weakest point."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from paperkit.templates import HERE, template

from ..session import Run

SHOWN = ("system", "score", "low", "high", "rank", "rank_low", "rank_high")


def page(run: Run, table: pd.DataFrame) -> bytes:
    """The overview as one HTML page, from the tables of the pairs' results.

    `table` has a row per pair or task: pair, task, page, best, weakest, claimed, held, also_held.
    """
    rows = []
    for row in table.to_dict("records"):
        folder, track = run.out.directory / row["pair"], Path(row["page"]).stem[len("verdict") :]
        parts = {name: _rows(folder / f"{name}{track}.csv") for name in ("ranking", "lines")}
        ranking = [{name: one.get(name) for name in SHOWN} for one in parts["ranking"]]
        lines = [one for one in parts["lines"] if one["claimed"] or one["held"]]
        domains = _rows(folder / f"domains{track}.csv")
        rows.append({**row, "ranking": ranking, "marks": lines, "domains": domains})
    css = (HERE / "site.css").read_text(encoding="utf-8")
    about: Mapping[str, Any] = {"title": run.campaign.title, "words": run.campaign.words}
    return bytes(template("overview.html.j2").render(**about, rows=rows, css=css).encode())


def _rows(file: Path) -> list[dict[str, Any]]:
    """A table's rows as plain values; none where there is no such file."""
    if not file.is_file():
        return []
    text = dict.fromkeys(("system", "domain", "leader"), str)
    frame = pd.read_csv(file, keep_default_na=False, na_values=[""], dtype=text)
    return list(json.loads(frame.to_json(orient="records", double_precision=12)))
