"""A slim copy of an executed notebook: tables are kept, pictures are links to files next to it.

It is written as ``report.ipynb`` next to a campaign's results, so that readers without data can
read what ran. Pictures that the repository does not hold (see ``.gitignore``) are only named.
"""

from __future__ import annotations

import base64
import json
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import paths

NAME = "report.ipynb"
KEPT_METADATA = ("kernelspec", "language_info", "rankstability")


def slim(executed: Path, folder: Path, final: Path) -> bytes:
    """The executed notebook without embedded pictures, progress bars and times, as JSON.

    Its pictures are identified by the bytes of the files in `folder`, which will be moved to
    `final`, like the slim copy itself.
    """
    notebook = json.loads(executed.read_bytes())
    pictures = {png.read_bytes(): png.relative_to(folder) for png in sorted(folder.rglob("*.png"))}
    injected = "injected-parameters"
    cells = [c for c in notebook["cells"] if injected not in c["metadata"].get("tags", [])]
    for cell in cells:
        tags = cell["metadata"].get("tags", [])
        cell["metadata"] = {"tags": tags} if tags else {}
        if cell["cell_type"] != "code":
            continue
        cell["execution_count"] = None
        shown = [o for o in cell["outputs"] if not _passing(o)]
        linked = [_linked(o, pictures, final) for o in shown]
        cell["outputs"] = [o for o in linked if isinstance(o, dict)]
        if dropped := [o for o in linked if isinstance(o, str)]:
            text = f"*Drawn by `make figures`, not kept in the repository: {', '.join(dropped)}.*"
            cell["outputs"].append(_markdown(text))
    old = notebook["metadata"]
    given = old.get("papermill", {}).get("parameters", {})
    metadata = {k: old[k] for k in KEPT_METADATA if k in old}
    metadata["papermill"] = {"parameters": {k: v for k, v in given.items() if k != "output_dir"}}
    notebook |= {"cells": cells, "metadata": metadata}
    text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return text.replace(str(folder), paths.shown(final)).encode()


def kept(file: Path) -> bool:
    """Whether git does not ignore this file; without git, no file counts as ignored."""
    asked = ["git", "check-ignore", "--quiet", "--no-index", str(file)]
    with suppress(OSError):
        return subprocess.run(asked, cwd=paths.ROOT, stderr=subprocess.DEVNULL).returncode != 0
    return True


def _passing(output: dict[str, Any]) -> bool:
    """Whether an output is a progress bar or a message to standard error."""
    if output["output_type"] == "stream":
        return bool(output["name"] == "stderr")
    return "application/vnd.jupyter.widget-view+json" in output.get("data", {})


def _linked(output: dict[str, Any], pictures: dict[bytes, Path], final: Path) -> Any:
    """The output, with a picture replaced by a link to its file, or its name if it is not kept."""
    data = output.get("data", {})
    if "execution_count" in output:
        output["execution_count"] = None
    if {"text/html", "text/markdown"} & data.keys():
        data.pop("text/plain", None)  # repeats the other form
    if "image/png" not in data:
        return output
    file = pictures.get(base64.b64decode("".join(data["image/png"])))
    name = file.as_posix() if file else "a picture"
    if file and kept(final / file):
        alt = output["metadata"].get("image/png", {}).get("alt", "")
        about = {"picture": name, "alt": alt} if alt else {"picture": name}
        return _markdown(f"![{name}]({name})", {"rankstability": about})
    return name


def _markdown(text: str, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    data = {"text/markdown": text}
    return {"output_type": "display_data", "data": data, "metadata": metadata or {}}
