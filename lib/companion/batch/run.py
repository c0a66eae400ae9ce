"""Run one notebook on one campaign and pair; its results appear whole or not at all.

``python -m companion.batch.run NOTEBOOK CAMPAIGN [PAIR]``. It does not import rankstability, which
takes longer than many a notebook: only the notebook's kernel does.
"""

from __future__ import annotations

import argparse
import base64
import io
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError
from PIL import Image

from .jobs import NOTEBOOKS, ROOT, WHOLE, Job, parameters, read_config

CELL_FILE = re.compile(r"\S*ipykernel_\d+\S*\.py")  # what a warning calls its cell
COLOURS = 128  # of a kept picture: palettes keep the repository small


def main(arguments: list[str] | None = None) -> int:
    """Run one job and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m companion.batch.run", description=__doc__)
    parser.add_argument("notebook")
    parser.add_argument("campaign")
    parser.add_argument("pair", nargs="?", default=WHOLE)
    given = parser.parse_args(arguments)
    try:
        run(Job(given.notebook, given.campaign, given.pair), read_config())
    except PapermillExecutionError as error:
        print(
            f"error: {given.notebook}, {given.campaign}, {given.pair}: {error.ename}: {error.evalue}",
            file=sys.stderr,
        )
        return 1
    return 0


def run(job: Job, config: dict[str, Any]) -> Path:
    """Execute the job's notebook and return the folder of its results.

    The notebook writes to a folder inside ``.partial-<pair>``, beside the final folder; one rename
    puts it in place. After a failure the earlier results are as they were, and the failed notebook
    is below ``build/failed`` until the job succeeds. What a killed run left in ``.partial-<pair>``
    is cleared by the next run.
    """
    partial = job.folder.with_name(f".partial-{job.pair}")
    _clear(partial, job)
    scratch = partial / "new"
    scratch.mkdir(parents=True)
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
        if job.folder.exists():
            job.folder.rename(partial / "earlier")
        scratch.rename(job.folder)
        job.failed.unlink(missing_ok=True)
    except BaseException:
        _keep_failed(executed, job)
        raise
    finally:
        _clear(partial, job)
    return job.folder


def _clear(partial: Path, job: Job) -> None:
    """Remove `partial`; put back the earlier results if nothing took their place."""
    earlier = partial / "earlier"
    if earlier.exists() and not job.folder.exists():
        earlier.rename(job.folder)
    shutil.rmtree(partial, ignore_errors=True)


def _keep_failed(executed: Path, job: Job) -> None:
    if executed.is_file():
        job.failed.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(executed, job.failed)


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


if __name__ == "__main__":
    sys.exit(main())
