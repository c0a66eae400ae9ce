"""All language pairs of a campaign on one page; all tables of a pair in one workbook."""

import io
import math
import re
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from companion.legacy.paperkit.templates import HERE, template
from companion.legacy.rankcampaigns.languages import PLACEHOLDER

from ..running.session import Run
from . import answers

EPOCH = datetime(
    2000, 1, 1
)  # the date of every workbook, so that its bytes do not change
SHOWN = ("system", "score", "low", "high", "rank", "rank_low", "rank_high")


def page(run: Run, table: pd.DataFrame) -> bytes:
    """The overview of a campaign as one HTML page, from the result tables of its pairs.

    `table` has a row per pair or task: pair, task, page, best, weakest, claimed, held, also_held.
    """
    rows = []
    for row in table.to_dict("records"):
        folder = run.out.directory / row["pair"]
        track = Path(row["page"]).stem[len("verdict") :]
        parts = {
            name: _rows(folder / f"{name}{track}.csv")
            for name in ("ranking", "lines")
        }
        ranking = [
            {name: one.get(name) for name in SHOWN} for one in parts["ranking"]
        ]
        lines = [
            one for one in parts["lines"] if one["claimed"] or one["held"]
        ]
        domains = _rows(folder / f"domains{track}.csv")
        called = (
            run.campaign.title if row["task"] == PLACEHOLDER else row["task"]
        )
        rows.append(
            {
                **row,
                "task": called,
                "ranking": ranking,
                "marks": lines,
                "domains": domains,
            }
        )
    css = (HERE / "site.css").read_text(encoding="utf-8")
    about: Mapping[str, Any] = {
        "title": run.campaign.title,
        "words": run.campaign.words,
    }
    return bytes(
        template("overview.html.j2")
        .render(**about, rows=rows, css=css)
        .encode()
    )


def _rows(file: Path) -> list[dict[str, Any]]:
    """The rows of a CSV file as plain values; none if there is no such file."""
    if not file.is_file():
        return []
    text = dict.fromkeys(("system", "domain", "leader"), str)
    frame = pd.read_csv(
        file, keep_default_na=False, na_values=[""], dtype=text
    )
    return answers.rows(frame)


def workbook(frames: Mapping[str, pd.DataFrame]) -> bytes:
    """All tables as the sheets of a workbook (empty without openpyxl); no text is a formula."""
    try:
        from openpyxl import Workbook
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, WriteOnlyCell
    except ImportError:
        return b""
    book = Workbook(write_only=True)
    book.properties.created = book.properties.modified = EPOCH
    for name, frame in frames.items():
        sheet = book.create_sheet(name[:31])
        values = (
            frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
        )
        for row in [list(map(str, frame.columns)), *values]:
            cells = []
            for value in row:
                number = isinstance(value, int | float) and math.isfinite(
                    value
                )
                plain = value if value is None or number else str(value)
                text = isinstance(plain, str)
                cell = WriteOnlyCell(
                    sheet,
                    ILLEGAL_CHARACTERS_RE.sub("", plain) if text else plain,
                )
                cell.data_type = "s" if text else cell.data_type
                cells.append(cell)
            sheet.append(cells)
    made = io.BytesIO()
    out = io.BytesIO()
    book.save(made)
    with (
        zipfile.ZipFile(made) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for part in old.infolist():
            content = old.read(part)
            if (
                part.filename == "docProps/core.xml"
            ):  # openpyxl writes the current time here
                content = re.sub(
                    rb"\d{4}-\d\d-\d\dT[\d:]+Z",
                    b"2000-01-01T00:00:00Z",
                    content,
                )
            new.writestr(
                zipfile.ZipInfo(part.filename), content, zipfile.ZIP_DEFLATED
            )
    return out.getvalue()
