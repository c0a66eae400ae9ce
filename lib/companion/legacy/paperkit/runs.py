"""Runs of notebooks: those on this machine, and the reports kept in the repository.

A report is a slim copy of an executed notebook, ``report.ipynb`` next to a campaign's results, so
that readers without data can read what ran. It shows the whole campaign and one of its language
pairs, that whose figures the repository holds (see ``.gitignore``); pictures are links to files
next to it. Nothing is shown of the other pairs, whose pages `make figures` builds.
"""

import base64
import json
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from . import parts, paths

NAME = "report.ipynb"
WIDGET = "application/vnd.jupyter.widget-view+json"
KEPT_METADATA = ("kernelspec", "language_info", "rankstability")


@dataclass(frozen=True)
class Run:
    """One execution of a notebook, on this machine or kept in the repository.

    `pair` is empty for a run over all pairs; `status` is ``ok``, ``failed`` or ``kept``;
    `executed` is None if no notebook was saved.
    """

    notebook: str
    campaign: str
    pair: str
    status: str
    seconds: float
    error: str
    output_dir: Path
    executed: Path | None

    @property
    def page(self) -> str:
        """The path of the page in the site; a failed run has a page of its own."""
        pair = f"__{self.pair}" if self.pair else ""
        return f"{self.campaign}/{self.notebook}{pair}{'.failed' if self.failed else ''}.html"

    @property
    def key(self) -> tuple[str, str, str]:
        """Notebook, campaign and pair, which repeated executions share."""
        return self.notebook, self.campaign, self.pair

    @property
    def demo(self) -> bool:
        """Whether its campaign is synthetic."""
        return self.campaign.startswith("demo-")

    @property
    def failed(self) -> bool:
        """Whether it did not finish, or without all files that its notebook promises."""
        return self.status == "failed"

    @property
    def last_line(self) -> str:
        """The last line of the error, which says what went wrong."""
        return (self.error.strip().splitlines() or [""])[-1].strip()


def read_runs(executed: Path, figures: Path = paths.FIGURES) -> list[Run]:
    """The runs on this machine, and kept reports of what was not run here successfully; sorted."""
    runs = [
        _read_run(file, figures)
        for file in sorted(executed.glob("*/*.status.json"))
    ]
    own = {r.key for r in runs if not r.failed and r.executed}
    for report in sorted(figures.glob(f"*/[0-9]*/{NAME}")):
        whole = (report.parent.name, report.parent.parent.name, "")
        if whole not in own:
            runs = [r for r in runs if r.failed or r.key != whole]
            runs.append(Run(*whole, "kept", 0, "", report.parent, report))
    return sorted(
        runs, key=lambda r: (r.notebook, r.demo, r.campaign, r.pair, r.failed)
    )


def _read_run(file: Path, figures: Path) -> Run:
    stem = file.name.removesuffix(".status.json").removesuffix(".failed")
    try:
        record = json.loads(file.read_bytes())
    except ValueError as problem:
        record = {
            "status": "failed",
            "error": f"{file.name} cannot be read: {problem}",
        }
    notebook, _, pair = stem.partition("__")
    failed = record.get("status") != "ok"
    saved = file.with_name(
        f"{stem}.failed.ipynb" if failed else f"{stem}.ipynb"
    )
    usual = figures / file.parent.name / notebook
    folder = (paths.ROOT / (record.get("output_dir") or usual)).resolve()
    return Run(
        notebook=notebook,
        campaign=file.parent.name,
        pair=str(record.get("pair") or pair),
        status="failed" if failed else "ok",
        seconds=float(record.get("seconds") or 0),
        error=str(record.get("error") or ""),
        output_dir=folder if folder.is_dir() else usual.resolve(),
        executed=saved if saved.is_file() else None,
    )


def around(run: Run, runs: Sequence[Run]) -> dict[str, list[Run]]:
    """The pages next to that of `run`: its pairs, other campaigns, previous and next notebook.

    For a failed run also the last good one (``good``); for a good run a later failed one
    (``later``).
    """
    saved = [r for r in runs if r.executed]
    whole = [r for r in saved if not r.pair and not r.failed]
    turn = [r for r in whole if r.campaign == run.campaign]
    again = [r for r in runs if r.key == run.key and r.failed != run.failed]
    return {
        "pairs": [r for r in saved if r.key[:2] == run.key[:2]],
        "campaigns": [r for r in whole if r.notebook == run.notebook],
        "before": [r for r in turn if r.notebook < run.notebook][-1:],
        "after": [r for r in turn if r.notebook > run.notebook][:1],
        "good": [r for r in again if run.failed and r.executed][:1],
        "later": [r for r in again if r.failed][:1],
    }


def slim(executed: Path, folder: Path, final: Path) -> bytes:
    """The executed notebook without embedded pictures, progress bars and times, as JSON.

    Of the language pairs, one is shown (`worked`). Pictures are known by the bytes of the files in
    `folder`, which will be moved to `final`.
    """
    notebook = json.loads(executed.read_bytes())
    pairs = parts.pairs_of(folder)
    shown_pair = worked(final, pairs)
    parts.of_pair(notebook["cells"], pairs, shown_pair)
    pictures = {
        png.read_bytes(): png.relative_to(folder)
        for png in sorted(folder.rglob("*.png"))
    }
    injected = "injected-parameters"
    cells = [
        c
        for c in notebook["cells"]
        if injected not in c["metadata"].get("tags", [])
    ]
    for cell in cells:
        tags = cell["metadata"].get("tags", [])
        cell["metadata"] = {"tags": tags} if tags else {}
        if cell["cell_type"] != "code":
            continue
        cell["execution_count"] = None
        shown = [o for o in cell["outputs"] if o.get("name") != "stderr"]
        shown = [
            o for o in shown if WIDGET not in o.get("data", {})
        ]  # progress bars
        cell["outputs"] = [_linked(o, pictures, final) for o in shown]
    old = notebook["metadata"]
    given = old.get("papermill", {}).get("parameters", {})
    metadata = {k: old[k] for k in KEPT_METADATA if k in old}
    metadata["papermill"] = {
        "parameters": {k: v for k, v in given.items() if k != "output_dir"}
    }
    metadata["rankstability"] = {
        **metadata.get("rankstability", {}),
        "pairs": pairs,
    }
    metadata["rankstability"]["shown"] = shown_pair
    notebook |= {"cells": cells, "metadata": metadata}
    text = (
        json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False)
        + "\n"
    )
    return text.replace(str(folder), paths.shown(final)).encode()


@cache
def kept(file: Path) -> bool:
    """Whether git does not ignore this file; without git, no file counts as ignored."""
    asked = ["git", "check-ignore", "--quiet", "--no-index", str(file)]
    with suppress(OSError):
        return (
            subprocess.run(
                asked, cwd=paths.ROOT, stderr=subprocess.DEVNULL
            ).returncode
            != 0
        )
    return True


def worked(folder: Path, pairs: Sequence[str]) -> str:
    """The pair that the report of the results in `folder` shows: the first whose figures git keeps.

    Without such a pair, the first; empty if there are no pairs.
    """
    held = (pair for pair in pairs if kept(folder / pair / "any figure.png"))
    return next(held, pairs[0] if pairs else "")


def _linked(
    output: dict[str, Any], pictures: dict[bytes, Path], final: Path
) -> dict[str, Any]:
    """The output, with a picture replaced by a link to its file.

    A picture that the repository does not keep is replaced by a link to the report of another
    campaign that has the same one, if there is one.
    """
    data = output.get("data", {})
    if "execution_count" in output:
        output["execution_count"] = None
    if {"text/html", "text/markdown"} & data.keys():
        data.pop("text/plain", None)  # repeats the other form
    if "image/png" not in data:
        return output
    png = base64.b64decode("".join(data["image/png"]))
    file = pictures.get(png)
    name = file.as_posix() if file else "a picture"
    if file and not kept(final / file):
        elsewhere = [
            f
            for f in sorted(final.parent.parent.glob(f"*/{final.name}/{name}"))
            if kept(f) and f.read_bytes() == png
        ]
        if elsewhere:
            there = f"{elsewhere[0].relative_to(final.parent.parent).parts[0]}/{final.name}"
            mark = file.stem.replace("_", "-")  # as `pages` names the place
            place = f"../{there}.html#figure-{mark}"
            return _markdown(
                f"This figure does not depend on the campaign: it is [in {there}]({place})."
            )
    drawn = output["metadata"].get("image/png", {})
    about = {
        "picture": name,
        **{key: drawn[key] for key in ("alt", "seen") if drawn.get(key)},
    }
    return _markdown(f"![{name}]({name})", {"rankstability": about})


def _markdown(
    text: str, metadata: dict[str, Any] | None = None
) -> dict[str, Any]:
    data = {"text/markdown": text}
    return {
        "output_type": "display_data",
        "data": data,
        "metadata": metadata or {},
    }
