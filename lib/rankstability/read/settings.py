"""``campaign.yaml``: what a user's folder says of its campaign beside the judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from .. import paths
from ..errors import DataError
from . import formats, text
from .da import locate

FIELDS = ("title", "style", "tool", "judged", "year", "citation", "licence", "format", "files")


def read_settings(file: Path) -> dict[str, Any]:
    """The fields of a ``campaign.yaml``, checked; none where there is no such file."""
    if not file.is_file():
        return {}
    try:
        entry = yaml.safe_load(text.content(file)) or {}
    except yaml.YAMLError as error:
        raise DataError(f"not YAML: {str(error).splitlines()[0]}", file=paths.shown(file)) from None
    if not isinstance(entry, dict):
        raise DataError("not a mapping", file=paths.shown(file), expected="title: ...")

    def check(good: bool, column: str, problem: str, expected: str) -> None:
        if not good:
            raise DataError(
                problem,
                file=paths.shown(file),
                column=column,
                value=entry.get(column),
                expected=expected,
            )

    for key in entry:
        check(key in FIELDS, str(key), "unknown field", "one of " + ", ".join(FIELDS))
    form, names = entry.get("format", "da"), entry.get("files", [])
    check(form in formats.PROTOCOLS, "format", "unknown format", ", ".join(formats.PROTOCOLS))
    style = entry.get("style", "")
    check(style in ("", "SR-DC", "SR+DC"), "style", "unknown style", "SR-DC or SR+DC")
    check(isinstance(entry.get("year", 0), int), "year", "not a year", "such as 2025")
    check(isinstance(names, list), "files", "not a list", "a list of file names")
    for name in names:
        inside = locate(file.parent, str(name)) and Path(str(name)).name == str(name)
        check(bool(inside), "files", f"no file {name} in the folder", "names of files beside it")
    return entry
