"""Run one notebook on one campaign and pair; its results appear whole or not at all."""

from __future__ import annotations

import base64
import io
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import papermill
from PIL import Image

from .jobs import NOTEBOOKS, ROOT, Job, parameters

CELL_FILE = re.compile(r"\S*ipykernel_\d+\S*\.py")  # what a warning calls its cell
COLOURS = 128  # of a kept picture: palettes keep the repository small


def run(job: Job, config: dict[str, Any]) -> Path:
    """Execute the job's notebook and return the folder of its results.

    The notebook writes to a temporary folder beside the final one, which one rename puts in place.
    After a failure the earlier results are as they were, and the failed notebook is below
    ``build/failed``.
    """
    job.folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".partial-", dir=job.folder.parent))
    executed = scratch / job.executed.name
    try:
        papermill.execute_notebook(
            NOTEBOOKS / f"{job.notebook}.ipynb",
            executed,
            parameters=parameters(job, config) | {"output": str(scratch)},
            cwd=ROOT,
            progress_bar=False,
            log_output=False,
        )
        settle(executed, scratch)
        _replace(job.folder, scratch)
    except BaseException:
        _keep_failed(executed, job)
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    return job.folder


def _keep_failed(executed: Path, job: Job) -> None:
    if executed.is_file():
        kept = ROOT / "build" / "failed" / f"{job.campaign}-{job.pair}-{job.notebook}.ipynb"
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(executed, kept)


def _replace(final: Path, scratch: Path) -> None:
    """Put `scratch` in the place of `final`; an earlier folder goes only after that."""
    scratch.chmod(0o755)
    earlier = None
    if final.exists():
        earlier = Path(tempfile.mkdtemp(prefix=".partial-", dir=final.parent)) / "earlier"
        os.rename(final, earlier)
    os.rename(scratch, final)
    if earlier is not None:
        shutil.rmtree(earlier.parent, ignore_errors=True)


def settle(path: Path, scratch: Path) -> None:
    """Rewrite an executed notebook without times and folders, and with small pictures."""
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata.pop("papermill", None)
    for number, cell in enumerate(notebook.cells):
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        cell["id"] = f"cell-{number}"
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell.source = cell.source.replace(str(scratch), "")
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                output.text = CELL_FILE.sub("this cell", output.text)
            picture = output.get("data", {}).get("image/png")
            if picture:
                output.data["image/png"] = small(picture)
    nbformat.write(notebook, path)


def small(picture: str) -> str:
    """Return a base64 PNG with at most `COLOURS` colours, or as it is if that is smaller."""
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    out = io.BytesIO()
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    quantised = base64.b64encode(out.getvalue()).decode()
    return min(quantised, picture, key=len)
