"""Logs of Pearmut: JSON lines, or ``annotations.json`` with the lines of several campaigns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...judgments import Judgments
from .files import need_fields, parse_json, read_head, read_records, read_text
from .languages import UNNAMED_PAIR, pair_in_name, pair_of
from .pearmut_items import number_sources, refuse_shared_ids
from .ratings import Row, judgments_of_rows
from .wmt25 import need_kind

NAME = "pearmut"
HEADER = "user_id item_i annotation item"
NEEDED = ("user_id", "item_i", "annotation")
ITEM = re.compile(r"\d+|(welcome|random|goodbye)_.*")
RESET = "__RESET__"
CONTROL, TUTORIAL = "attention_check_", "_#_tutorial_#_"
PARTS = "_###_"  # of an item_id: domain, document, segment
LATEST = 1e15  # above any time in milliseconds


def matches(path: Path) -> bool:
    """Return whether a file's objects have a user_id and an item_i."""
    head = read_head(path)
    return all(f'"{name}"' in head for name in ("user_id", "item_i"))


def read(files: Sequence[Path], pair: str = "") -> dict[str, Judgments]:
    """Read the scores of each language pair, or of one.

    Only the last judgment of an output by an annotator counts. ``__RESET__`` discards all that the
    same annotator did before in the campaign. Raises DataError for a missing field, a wrong score,
    or an item_id that stands for two items.
    """
    file = files[0]
    excluded: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    kept: dict[tuple[Any, ...], Row] = {}
    for campaign, entries in _campaigns(file):
        lines = [each for each in entries if _is_annotated(*each, file, excluded)]
        resets = [place for place, (_, entry) in enumerate(lines) if entry["annotation"] == RESET]
        last = {str(lines[place][1]["user_id"]): place for place in resets}
        excluded["reset"] += len(resets)
        for place, (line, entry) in enumerate(lines):
            if place in resets:
                continue
            scores = list(_scores(entry, file, line, excluded))
            if place < last.get(str(entry["user_id"]), -1):
                excluded["before_reset"] += len(scores)
                continue
            for cells in scores:
                cells |= _pair_of_campaign(campaign)
                page = "" if cells["source"] else cells["hit"]
                told = [
                    cells[key] for key in ("annotator", "segment", "source", "system", "output")
                ]
                key = (campaign, page, *told)
                excluded["superseded"] += key in kept
                kept[key] = (line, cells)
    rows = list(kept.values())
    refuse_shared_ids(rows, file)
    notes["shared_id"] = number_sources(rows)
    return judgments_of_rows(file, rows, pair, excluded, notes)


def _campaigns(file: Path) -> Iterator[tuple[str, list[Row]]]:
    """Yield each campaign's name and lines; a plain log is a campaign without a name."""
    text = read_text(file).strip()
    if "\n" not in text or not text.split("\n", 1)[0].rstrip().endswith("}"):
        try:
            value = parse_json(text, file, 1)
        except DataError as error:
            if error.code == "key_twice":
                raise
            value = None  # lines, or broken
        named = value if isinstance(value, dict) else {}
        if named and all(isinstance(lines, list) for lines in named.values()):
            for name, lines in named.items():
                numbered = list(enumerate(lines, start=1))
                for line, entry in numbered:
                    need_kind(entry, dict, str(name), file, line)
                yield str(name), numbered
            return
    yield "", list(read_records(file))


def _pair_of_campaign(campaign: str) -> dict[str, str]:
    """Return the pair in which a campaign's name ends (``wmt26_#_en-cs_CZ``) or which it holds."""
    if not campaign:
        return {}
    last = pair_of(campaign.rpartition("_#_")[2])
    return {"pair": last or pair_in_name(campaign) or UNNAMED_PAIR}


def _is_annotated(line: int, entry: dict[str, Any], file: Path, excluded: Counter[str]) -> bool:
    need_fields(entry, NEEDED, file, line)
    if ITEM.fullmatch(str(entry["item_i"])) is None:
        form = "a whole number, welcome_*, random_* or goodbye_*"
        raise DataError(
            "not_an_id", file=file, line=line, column="item_i", value=entry["item_i"], expected=form
        )
    if entry["annotation"] in (None, [], ""):
        excluded["no_score"] += 1
        return False
    return True


def _scores(
    entry: dict[str, Any], file: Path, line: int, excluded: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield the cells of each score on a page."""
    need_fields(entry, ["item"], file, line)
    items = need_kind(entry["item"], list, "item", file, line)
    marks = need_kind(entry["annotation"], list, "annotation", file, line)
    if len(items) != len(marks):
        raise DataError(
            "annotations_and_items",
            file=file,
            line=line,
            value=len(marks),
            expected=str(len(items)),
        )
    outputs = sum(len(models) for models in marks if isinstance(models, dict))
    shared: dict[str, Any] = {
        "annotator": str(entry["user_id"]),
        "hit": f"{entry['user_id']}:{entry['item_i']}",
        "time": _seconds(entry.get("actions"), outputs),
    }
    for item, models in zip(items, marks, strict=True):
        need_fields(need_kind(item, dict, "item", file, line), ["item_id"], file, line)
        name = str(item["item_id"])
        shown = item["tgt"] if isinstance(item.get("tgt"), dict) else {}
        scored = need_kind(models, dict, "annotation", file, line)
        excluded["not_judged"] += len(set(shown) - set(scored))
        parts = name.split(PARTS)
        in_parts = len(parts) == 3
        place = {
            "segment": name,
            "domain": parts[0] if in_parts else "",
            "document": PARTS.join(parts[:2]) if in_parts else str(items[0].get("item_id")),
            "source": str(item.get("src") or ""),
        }
        for model, given in scored.items():
            if name.startswith(CONTROL) or TUTORIAL in name:
                excluded["attention_check" if name.startswith(CONTROL) else "tutorial"] += 1
                continue
            score = need_kind(given, dict, f"annotation.{model}", file, line).get("score")
            output = str(shown.get(model, ""))
            yield {"system": model, "score": score, "output": output, **place, **shared}


def _seconds(actions: Any, outputs: int) -> float | None:
    """Return the seconds from the first to the last action on a page, per output scored there."""
    logged = (
        [each for each in actions if isinstance(each, dict)] if isinstance(actions, list) else []
    )
    times = [each.get("time") for each in logged]
    numbers = [t for t in times if isinstance(t, int | float) and not isinstance(t, bool)]
    known = [time for time in numbers if abs(time) < LATEST]
    return (max(known) - min(known)) / outputs if len(known) > 1 and outputs else None
