"""A campaign's tables and figures from its pairs': ``python -m rankstability.gather 02 wmt18``.

Where the workflow runs one job per language pair, this is the job that follows them. A notebook run
over all pairs at once calls the same functions in its last cells.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import paths, run
from .errors import DataError

if TYPE_CHECKING:
    from .campaigns import Campaign
    from .outputs import Outputs

GATHERERS = {
    "01_replication": "replication",
    "02_outlier_removal": "removal",
    "03_divisor_degradation": "degradation",
    "04_cooccurrence": "composition",
    "05_document_difficulty": "documents",
}
"""Notebook to the module whose ``gather(out, campaign)`` reads the pairs' tables, writes the
campaign's, and gives back titled tables, figures and sentences to show."""


def gather(notebook: str, out: Outputs, campaign: Campaign) -> dict[str, Any]:
    """Call the notebook's gatherer; see `GATHERERS`."""
    return import_module(f"rankstability.{GATHERERS[notebook]}").gather(out, campaign)


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

    import matplotlib
    import nbformat

    from . import campaigns
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
        opened = run.start(name, args.campaign, gathered=True)
        parts = gather(name, opened.out, opened.campaign)
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    campaign = campaigns.find(args.campaign)
    executed = paths.BUILD / "executed" / campaign.name / f"{name}.ipynb"
    text = nbformat.writes(nbformat.from_dict(page(name, campaign, parts)))
    write_whole(executed, text.encode())
    state = {
        "notebook": name,
        "campaign": campaign.name,
        "pair": "",
        "parameters": {"campaign": campaign.name},
        "output_dir": paths.shown(opened.out.directory),
    }
    run._write_status(executed, state, "ok", started, "")
    if args.stamp:
        run.write_stamp(args.stamp, opened.out.directory, "", name)
    print(f"{name}: {campaign.name} gathered in {paths.shown(opened.out.directory)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
