"""The parts of an executed notebook that are of one language pair, and which pair a report shows.

What a cell shows belongs to the pair that was named last before it in the cell: by a figure in the
pair's folder, or by a text that begins with the pair. What comes before the first, a figure of the
campaign and what follows it, and a table over several pairs belong to all.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .placing import listed, record

# a text, whatever its marks, that begins with a pair
BEGINS = r"\W*{}(?![\w-])"


def pairs_of(folder: Path) -> list[str]:
    """The pairs of a campaign whose results of one notebook lie in `folder`, in order."""
    about = record(folder)
    mine = about.get("notebook"), about.get("campaign")
    return sorted(f.name for f in folder.glob("*/") if listed(record(f), mine))


def of_pair(cells: Sequence[Any], pairs: Iterable[str], shown: str) -> int:
    """Take what belongs to other `pairs` than `shown` out of the cells; returns how much."""
    left = 0
    others = set(pairs) - {shown}
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        kept = []
        current = ""
        for output in cell["outputs"]:
            current = _pair_of(output, [*others, shown], current)
            if current not in others:
                kept.append(output)
        left += len(cell["outputs"]) - len(kept)
        cell["outputs"] = kept
    return left


def _pair_of(
    output: Mapping[str, Any], pairs: Sequence[str], current: str
) -> str:
    """The pair that an output belongs to, where those before it belong to `current`."""
    data = output.get("data", {})
    if name := picture(output):
        folder, _, _ = name.rpartition("/")
        return folder if folder in pairs else ""
    text = "".join(data.get("text/markdown", []))
    if begun := [
        p for p in pairs if re.match(BEGINS.format(re.escape(p)), text)
    ]:
        return begun[0]
    cells = re.findall(r"<td>([^<]*)</td>", "".join(data.get("text/html", [])))
    return "" if len(set(cells) & set(pairs)) > 1 else current


def picture(output: Mapping[str, Any]) -> str:
    """The file of the picture that an output shows, such as ``cs-en/bump.png``; empty if none."""
    metadata = output.get("metadata", {})
    about = {
        **metadata.get("image/png", {}),
        **metadata.get("rankstability", {}),
    }
    return str(about.get("picture") or about.get("name") or "")
