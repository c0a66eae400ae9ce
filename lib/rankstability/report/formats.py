"""A page for each format of judgments, from what `read.formats.described` says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..read.formats import FORMATS, PARTS, described
from .outputs import write_whole

HEADINGS = dict(
    zip(
        PARTS,
        ("Fields", "What it is read into", "Left out, and counted", "Refused", "Where from"),
        strict=True,
    )
)


def write(site: Path, environment: Any) -> list[tuple[str, str, str, str]]:
    """Write ``formats/index.html`` and a page per format; the words for the search."""
    entries = [
        {"name": name, "protocol": form.protocol, **described()[name]}
        for name, form in FORMATS.items()
    ]
    index = environment.get_template("formats.html.j2").render(root="../", formats=entries)
    write_whole(site / "formats" / "index.html", index.encode())
    words = []
    for entry in entries:
        page = environment.get_template("format.html.j2").render(
            root="../", said=entry, parts=HEADINGS, **entry
        )
        write_whole(site / "formats" / f"{entry['name']}.html", page.encode())
        text = " ".join(str(entry.get(part, "")) for part in PARTS)
        words.append((f"formats/{entry['name']}.html", entry["title"], "formats", text))
    return words
