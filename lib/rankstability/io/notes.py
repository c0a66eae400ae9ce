"""What a reader may doubt: rows left out, rows kept but doubtful, other scales, unused columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import escape_invisible
from ..judgments import EXCLUDED, Judgments
from . import settings
from .columns import spelled

NOBODY = ("unknown", "anonymous", "anon", "-", "?", "", "na", "n/a", "nan", "none", "null")
MAX_UNREAD = 20  # names of files that a note lists
MAX_LISTED = 6  # names that an error lists
MIN_ON_SCALE = 10  # scores from which a scale is told
MIN_SCALE_RATIO = 4.0  # between the largest scores of two scales


@dataclass
class Notes:
    """Rows that were left out, and rows that were kept but are doubtful, by code."""

    file: str
    out: list[tuple[str, str, int, str]] = field(default_factory=list)
    kept: list[tuple[str, str, int, str]] = field(default_factory=list)
    separator: str = ""

    def leave_out(self, code: str, rows: int, detail: str = "") -> None:
        """Count rows that were left out."""
        if rows:
            self.out.append((self.file, code, int(rows), escape_invisible(detail)))

    def keep(self, code: str, rows: int, detail: str = "") -> None:
        """Count rows that were kept."""
        if rows:
            self.kept.append((self.file, code, int(rows), escape_invisible(detail)))

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the tables ``excluded`` and ``notes``."""
        return {
            "excluded": pd.DataFrame(self.out, columns=EXCLUDED),
            "notes": pd.DataFrame(self.kept, columns=EXCLUDED),
        }


def list_unused(unused: pd.DataFrame, notes: Notes, given: Mapping[str, Any]) -> None:
    """List the columns that neither a role nor a word uses, with their values."""
    by_words = [*given.get("split", ()), *given.get("where", ())]
    by_words += [given.get("each", ""), given.get("latest", "")]
    used = {spelled(name.removesuffix("!")) for name in by_words}
    for name in (name for name in unused.columns if spelled(str(name)) not in used):
        values = unused[name].head(1000).map(str)
        known = list(dict.fromkeys(value for value in values if value))[:3]
        notes.keep(
            "unused_column", len(unused), f"{name}: {', '.join(value[:20] for value in known)}"
        )


def note_other_scales(table: pd.DataFrame, notes: Notes) -> None:
    """Note a system, annotator or document whose scores lie on another scale than all others."""
    for role in ("system", "annotator", "document"):
        if role not in table or table[role].nunique() < 3:
            continue
        ranges = table.groupby(role, observed=True)["score"].agg(["min", "max", "size"])
        ranges = ranges[(ranges["size"] >= MIN_ON_SCALE) & (ranges["max"] > ranges["min"])]
        ends = np.sort(ranges[["min", "max"]].abs().max(axis=1).to_numpy())
        if len(ends) < 3 or not ends[0] > 0:
            continue
        steps = ends[1:] / ends[:-1]
        gap = int(steps.argmax())
        if steps[gap] < MIN_SCALE_RATIO:
            continue
        reach = ranges[["min", "max"]].abs().max(axis=1)
        small, large = ranges[reach <= ends[gap]], ranges[reach > ends[gap]]
        odd, usual = (small, large) if len(small) <= len(large) else (large, small)
        low, high = usual["min"].min(), usual["max"].max()
        for name, row in odd.head(MAX_LISTED).iterrows():
            detail = f"{role} {name}: {row['min']:g} to {row['max']:g}, others: {low:g} to {high:g}"
            notes.keep("other_scale", int(row["size"]), detail)


def note_repeats(table: pd.DataFrame, notes: Notes) -> None:
    """Note rows that are identical, and second scores of an output by the same annotator."""
    notes.keep("identical_rows", int(table.duplicated().sum()))
    if "annotator" in table:
        keys = [
            n for n in ("system", "segment", "annotator", "document", "item_type") if n in table
        ]
        second = table.duplicated(keys) & ~table.duplicated()
        notes.keep("second_score", int(second.sum()))


def list_unread(folder: Path, files: Iterable[Path]) -> tuple[int, str]:
    """Return the number and names of the files below a folder that are not among `files`."""
    read = set(files) | {folder / settings.NAME}
    others = [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path not in read and not path.is_dir()
    ]
    more = f" and {len(others) - MAX_UNREAD} more" if len(others) > MAX_UNREAD else ""
    return len(others), escape_invisible(", ".join(others[:MAX_UNREAD])) + more


def note_unread(result: Any, folder: str, number: int, names: str) -> Any:
    """Return judgments with a note on the files of their folder that were not read."""
    if not isinstance(result, Judgments):
        return {name: note_unread(each, folder, number, names) for name, each in result.items()}
    notes = Notes(folder)
    notes.keep("file_not_read", number, names)
    return add_notes(result, notes)


def note_doubts(result: Any, path: str) -> Any:
    """Return judgments of a format of the field with notes on what a reader may doubt.

    These are other scales, and annotators that are named only by a word such as ``unknown``.
    """
    if not isinstance(result, Judgments):
        return {name: note_doubts(each, path) for name, each in result.items()}
    notes = Notes(path)
    table = result.table
    if "annotator" in table and result.all_rows is None:
        names = table["annotator"].astype(str)
        nobody = (
            names.str.lower().isin([name for name in NOBODY if name]) & table["annotator"].notna()
        )
        if nobody.any():
            notes.keep("no_annotator", int(nobody.sum()))
            named = table["annotator"].astype(object).where(~nobody)
            table = table.assign(annotator=named.astype("category"))
            if table["annotator"].isna().all():
                table = table.drop(columns="annotator")
    if "score" in table and result.kind not in ("mqm",):
        note_other_scales(table, notes)
    return replace(add_notes(result, notes), table=table)


def add_notes(judgments: Judgments, notes: Notes) -> Judgments:
    """Return judgments with further notes."""
    if not notes.kept:
        return judgments
    known = judgments.notes
    more = notes.frames()["notes"]
    together = more if known.empty else pd.concat([known, more], ignore_index=True)
    return replace(judgments, notes=together)
