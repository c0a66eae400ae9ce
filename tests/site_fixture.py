"""A small repository of runs for the tests of the report: real notebooks, executed by papermill."""

import atexit
import json
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import nbformat
import papermill
import pytest
from nbformat import v4

from companion.legacy.paperkit import paths, runs
from companion.legacy.rankcompanion.report import front

CAMPAIGN = "campaign-of-the-tiny-notebook"  # each copy has its own instead
PARAMETERS = """\
campaign: str = "demo-x"  # catalogue name, or a path
pair: str = ""  # a language pair; empty: all
output_dir: str = ""  # where results go
divisors: list[int] = [2, 4]  # shares # of the judgments
"""
WORK = """\
from pathlib import Path
import sys
import pandas as pd
from companion.legacy.paperkit import tables
from companion.legacy.rankcompanion.running.session import Outputs
tables.install()
out = Outputs(Path(output_dir), {"notebook": "01_tiny"})
table = pd.DataFrame({"rank": [1, 2], "system": ["alpha", "<beta>"], "mean_z": [0.25, -0.125]})
table["segments"] = [402.0, float("nan")]
print("a word on the way")
print("a warning", file=sys.stderr)
out.table(table, "ranking", pair)
"""
PLOT = """\
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(9, 3))
ax.bar(table["system"], table["mean_z"])
ax.set(title="Two means", ylabel="mean z")
out.figure(fig, "mean_scores", pair, data=table)
"""
RANKED = """\
import numpy as np
from companion.legacy.rankstability.rank.ranking import rank
p, lead = np.array([[np.nan, 0.01], [0.01, np.nan]]), np.array([[0, 1], [-1, 0]])
rank(table[["system", "mean_z"]], p, lead)
"""
EMPTY = "pass"
WIDE = "pd.DataFrame([range(40)], columns=[f'column{i}' for i in range(40)])"


def notebook(fails: bool = False) -> nbformat.NotebookNode:
    """A notebook like ours: title, parameters, a table, a figure; or one that fails."""
    code = v4.new_code_cell
    cells = [
        v4.new_markdown_cell("# Tiny: do pages work?\n\nThe *question* of [this](x.html) `page`."),
        code(PARAMETERS, metadata={"tags": ["parameters"]}),
        code(WORK),
        v4.new_markdown_cell("## Scores\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
        code("raise ValueError('the score is <out> of range')" if fails else PLOT),
        v4.new_markdown_cell("### Clusters"),
        code("pass" if fails else RANKED),
        v4.new_markdown_cell("### Columns\n\nMany of them."),
        code(WIDE),
        v4.new_markdown_cell("## Never run here\n\nOnly for the whole campaign."),
        code(EMPTY),
    ]
    made = v4.new_notebook(cells=cells)
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made.metadata.language_info = {"name": "python"}
    return made


@cache
def executed_once(pair: str, fails: bool) -> tuple[Path, str]:
    """The folder of the tiny notebook, executed, with its results; the error."""
    folder = Path(tempfile.mkdtemp(prefix="tiny-notebook-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    nbformat.write(notebook(fails), folder / "source.ipynb")
    given = {"campaign": CAMPAIGN, "pair": pair, "output_dir": str(folder / "results")}
    try:
        papermill.execute_notebook(
            str(folder / "source.ipynb"),
            str(folder / "executed.ipynb"),
            given,
            kernel_name="python3",
            progress_bar=False,
        )
    except papermill.PapermillExecutionError as failure:
        error = f"01_tiny failed in cell {failure.exec_count}\n{failure.ename}: {failure.evalue}"
        return folder, error
    return folder, ""


def make_run(root: Path, campaign: str, pair: str = "", fails: bool = False) -> Path:
    """Leave what the runner leaves of the tiny notebook; gives the executed copy."""
    stem = "01_tiny" + (f"__{pair}" if pair else "")
    executed = root / "executed" / campaign / f"{stem}{'.failed' if fails else ''}.ipynb"
    executed.parent.mkdir(parents=True, exist_ok=True)
    final = root / "figures" / campaign / "01_tiny"
    source, error = executed_once(pair, fails)
    text = (source / "executed.ipynb").read_text()
    text = text.replace(str(source / "results"), str(final)).replace(CAMPAIGN, campaign)
    executed.write_text(text)
    if (source / "results").is_dir():
        shutil.copytree(source / "results", final, dirs_exist_ok=True)
    status = {
        "notebook": "01_tiny",
        "campaign": campaign,
        "pair": pair,
        "status": "failed" if error else "ok",
        "seconds": 1.25,
        "output_dir": str(final),
        "error": error,
    }
    executed.with_suffix(".status.json").write_text(json.dumps(status))
    return executed


def make_report(root: Path, campaign: str) -> Path:
    """A campaign that was run elsewhere: its results and the small form of the notebook."""
    executed = make_run(root, campaign)
    results = root / "figures" / campaign / "01_tiny"
    report = results / runs.NAME
    report.write_bytes(runs.slim(executed, results, results))
    for file in (executed, executed.with_suffix(".status.json")):
        file.unlink()
    return report


def tiny_site(root: Path) -> Path:
    """The folder of a built report on two runs, one failed, with a ledger of 40 rows."""
    make_run(root, "wmtx", "cs-en")
    make_run(root, "wmtx", "de-en", fails=True)
    (root / "figures" / "claims_ledger.csv").write_text(
        "paper,place,cell,published,ours,status,reason,provenance\n"
        + "".join(
            f"{paper},Table {k},cs-en | system-{k},1,{k},{status},{'a reason ' * 12},official\n"
            for paper, status in (("knowles2021", "exact"), ("koehn2012", "no data"))
            for k in range(20)
        )
    )
    front.build(root / "executed", root / "figures", root / "site")
    return root / "site"


class Links(HTMLParser):
    """The places (ids) of a page, what it points to, and what it loads by itself."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.targets: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        targets = {given[name] for name in ("href", "src") if name in given}
        self.targets |= targets
        if tag in ("img", "script", "iframe", "link", "source", "video"):
            self.loaded |= targets


def astray(folder: Path) -> Iterator[str]:
    """Links of the pages of `folder` that lead to no file in it, or to no place of a page."""
    pages = {file.resolve(): Links(file) for file in sorted(folder.rglob("*.html"))}
    for file, page in pages.items():
        for link in sorted(t for t in page.targets if not t.startswith("data:")):
            address, _, part = link.partition("#")
            target = (file.parent / unquote(address)).resolve() if address else file
            inside = target.is_file() and target.is_relative_to(folder.resolve())
            place = unquote(part) if "=" not in part and target in pages else ""  # not a filter
            if not inside or (place and place not in pages[target].places):
                yield f"{file.name}: {link}"


def built() -> Path:
    """The report of `make figures`; the test skips where it was not built."""
    folder = paths.BUILD / "site"
    if not (folder / "index.html").is_file():
        pytest.skip("no report in build/site; make figures builds it")
    return folder
