"""A campaign's tables and figures from its pairs': ``python -m rankstability.gather 02 wmt18``.

Where the workflow runs one job per language pair, this is the job that follows them. A notebook run
over all pairs at once calls the same functions in its last cells.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import paths
from ..errors import DataError
from . import run

if TYPE_CHECKING:
    from ..read.campaigns import Campaign
    from .outputs import Outputs

PER_FILE = ("pair", "notebook", "campaign", "data", "versions", "package", "provenance", "files")

GATHERERS = {
    "01_replication": "replication",
    "02_outlier_removal": "removal",
    "03_divisor_degradation": "degradation",
    "04_cooccurrence": "cooccurrence",
    "05_document_difficulty": "documents",
}
"""Notebook to the module whose ``gather(out, campaign)`` reads the pairs' tables, writes the
campaign's, and gives back titled tables, figures and sentences to show."""


def gather(notebook: str, out: Outputs, campaign: Campaign) -> dict[str, Any]:
    """Call the notebook's gatherer; see `GATHERERS`."""
    return import_module(f"rankstability.study.{GATHERERS[notebook]}").gather(out, campaign)


def settings(folder: Path, pairs: Sequence[str]) -> dict[str, Any]:
    """The settings that the runs of all pairs share, from their sidecars.

    Raises
    ------
    DataError
        Where a pair has not been run, or was run with other settings than the first.
    """
    shared: dict[str, Any] = {}
    for pair in pairs:
        metas = [json.loads(m.read_text()) for m in sorted((folder / pair).glob("run.json"))]
        if not metas:
            where = paths.shown(folder / pair)
            raise DataError("this pair has not been run", file=where, expected="its results")
        own = {
            key: value
            for key, value in metas[0].items()
            if key not in PER_FILE and all(m.get(key) == value for m in metas)
        }
        if shared and own != shared:
            odd = sorted(k for k in own.keys() | shared.keys() if own.get(k) != shared.get(k))
            where = paths.shown(folder / pair)
            raise DataError(
                f"run with other settings than {pairs[0]}",
                file=where,
                column=odd[0],
                value=own.get(odd[0]),
                expected=repr(shared.get(odd[0])),
            )
        shared = own
    return shared


def page(notebook: str, campaign: Campaign, parts: Mapping[str, Any]) -> dict[str, Any]:
    """The gathered parts as a notebook with outputs, for the report."""
    import nbformat.v4 as v4

    title = run.read_notebook(notebook)["cells"][0]["source"]
    heading = "".join(title).splitlines()[0].lstrip("# ")
    cells = [v4.new_markdown_cell(f"# {heading}\n\nAll language pairs of {campaign.title}.")]
    for name, part in parts.items():
        if isinstance(part, str):
            cells.append(v4.new_markdown_cell(f"**{name}**\n\n{part}"))
            continue
        cell = v4.new_code_cell(f"# {name}", metadata={"tags": ["gathered"]})
        cell.outputs = [v4.new_output("display_data", _bundle(part))]
        cells += [v4.new_markdown_cell(f"**{name}**"), cell]
    for k, cell in enumerate(cells):
        cell["id"] = f"gather-{k:02d}"
    info = run.read_notebook(notebook)["metadata"]
    return v4.new_notebook(cells=cells, metadata=info)


def _bundle(part: Any) -> dict[str, str]:
    import base64

    if hasattr(part, "_repr_png_"):
        return {"image/png": base64.b64encode(part._repr_png_()).decode()}
    return {"text/html": part._repr_html_(), "text/plain": str(part)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 0 success, 1 the pairs' files are not there, 2 the call is off."""
    import time

    os.environ.update(run.ONE_THREAD)
    import matplotlib
    import nbformat

    from ..read import campaigns
    from .outputs import write_whole

    parser = argparse.ArgumentParser(
        prog="python -m rankstability.gather",
        description="Make a campaign's tables and figures from its pairs'.",
    )
    parser.add_argument("notebook")
    parser.add_argument("campaign")
    parser.add_argument("--stamp", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    matplotlib.use("Agg")
    started = time.monotonic()
    try:
        name = run.resolve(args.notebook)
        campaign = campaigns.find(args.campaign)
        final = paths.FIGURES / campaign.name / name
        opened = run.start(name, args.campaign, **settings(final, campaign.pairs))
        staging = final.parent / f".partial-{name}-{os.getpid()}"
        out = replace(opened.out, directory=staging, source=final)
        try:
            parts = gather(name, out, campaign)
            run.check_promises(name, staging, "", gathered=True)
            run.move(staging, final, (name, campaign.name), [final])
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    except (DataError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    executed = paths.BUILD / "executed" / campaign.name / f"{name}.ipynb"
    text = nbformat.writes(nbformat.from_dict(page(name, campaign, parts)))
    write_whole(executed, text.encode())
    state = {
        "notebook": name,
        "campaign": campaign.name,
        "pair": "",
        "parameters": {"campaign": campaign.name},
        "output_dir": paths.shown(final),
    }
    run.write_status(executed, state, "ok", started, "")
    if args.stamp:
        run.write_stamp(args.stamp, final, "", name)
    print(f"{name}: {campaign.name} gathered in {paths.shown(final)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
