"""``campaign.yaml``: what a user's folder says of its campaign beside the judgments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from ..errors import DataError
from ..judgments import ZERO_VARIANCE
from . import columns, formats, languages, text

LARGEST = 1 << 16  # bytes of a campaign.yaml


class Plain(yaml.SafeLoader):
    """YAML without aliases: a small file stays small."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """A node; raises for an alias."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


def _word(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _is_year(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10_000


def _is_scale(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return all(_word(v) and not isinstance(v, str) for v in value) and bool(value[0] < value[1])


def _is_columns(value: object) -> bool:
    return isinstance(value, dict) and all(
        k in columns.FIELDS and _word(v) for k, v in value.items()
    )


FIELDS: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    # name: (whether a value is right, the problem where not, what is expected)
    "title": (_word, "not a title", "one line of text"),
    "style": (lambda v: v in ("", "SR-DC", "SR+DC"), "unknown style", "SR-DC or SR+DC"),
    "tool": (_word, "not a name", "such as Appraise"),
    "judged": (
        lambda v: v in ("", "bilingual", "monolingual"),
        *("unknown way to judge", "bilingual or monolingual"),
    ),
    "year": (_is_year, "not a year", "such as 2025"),
    "citation": (_word, "not a citation", "one line of text"),
    "licence": (_word, "not a licence", "one line of text"),
    "format": (
        lambda v: isinstance(v, str) and v in formats.FORMATS,
        *("unknown format", "one of " + ", ".join(formats.FORMATS)),
    ),
    "files": (
        lambda v: isinstance(v, list) and all(map(_word, v)),
        *("not a list", "a list of file names"),
    ),
    "pair": (
        lambda v: isinstance(v, str) and bool(languages.pair_of(v)),
        *("not a language pair", "a pair such as cs-en"),
    ),
    "zero_variance": (
        lambda v: v in ZERO_VARIANCE,
        *("unknown rule for workers whose scores never vary", "zero or drop"),
    ),
    "scale": (_is_scale, "not a scale", "[lowest, highest], such as [1, 5]"),
    "reset": (
        lambda v: v in ("user", "campaign"),
        *("unknown reach of a reset", "user or campaign"),
    ),
    "columns": (
        _is_columns,
        *("not a mapping of columns", "{ours: yours}; ours: " + ", ".join(columns.FIELDS)),
    ),
}
KNOWN = "`field: value` lines, without aliases; fields: " + ", ".join(FIELDS)


def read_settings(file: Path) -> dict[str, Any]:
    """The fields of a ``campaign.yaml``, checked; none where there is no such file."""
    if not file.is_file():
        return {}
    entry = _parsed(file)
    for key, value in entry.items():
        if key not in FIELDS:
            raise DataError(
                "unknown field",
                file=file,
                column=str(key)[:80],
                value=str(value)[:80],
                expected="one of " + ", ".join(FIELDS),
            )
        good, problem, expected = FIELDS[key]
        if not good(value):
            raise DataError(
                problem,
                file=file,
                column=key,
                value=value if len(str(value)) < 80 else str(value)[:80],
                expected=expected,
            )
    for name in map(str, entry.get("files", [])):
        if Path(name).name != name or not formats.named_file(file.parent, name):
            raise DataError(
                f"no file {name} in the folder",
                file=file,
                column="files",
                value=entry["files"],
                expected="names of files beside it",
            )
    if "pair" in entry:
        entry["pair"] = languages.pair_of(entry["pair"])
    if "columns" in entry:
        entry["columns"] = {ours: str(theirs) for ours, theirs in entry["columns"].items()}
    return entry


def _parsed(file: Path) -> dict[Any, Any]:
    if file.stat().st_size > LARGEST:
        raise DataError(
            "too large for settings",
            file=file,
            value=f"{file.stat().st_size} bytes",
            expected=f"at most {LARGEST}",
        )
    try:
        entry = yaml.load(text.content(file), Plain) or {}
    except RecursionError:
        raise DataError("not YAML: too deep", file=file, expected=KNOWN) from None
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        mark = getattr(error, "problem_mark", None)
        raise DataError(
            f"not YAML: {str(error).splitlines()[0]}",
            file=file,
            line=mark.line + 1 if mark else None,
            expected=KNOWN,
        ) from None
    if not isinstance(entry, dict):
        raise DataError("not a mapping", file=file, expected="title: ...")
    return entry
