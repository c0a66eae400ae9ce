"""Runs of notebooks: those on this machine, and the reports kept in the repository."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import paths, slim


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
    """The runs on this machine, and kept reports of what was not run here successfully.

    Runs are recorded in ``<executed>/<campaign>/*.status.json``; kept reports are
    ``<figures>/<campaign>/<notebook>/report.ipynb``. In order of notebook, real before synthetic,
    campaign, pair, failed last.
    """
    runs = [_read_run(file, figures) for file in sorted(executed.glob("*/*.status.json"))]
    own = {r.key for r in runs if not r.failed and r.executed}
    for report in sorted(figures.glob(f"*/[0-9]*/{slim.NAME}")):
        whole = (report.parent.name, report.parent.parent.name, "")
        if whole not in own:
            runs = [r for r in runs if r.failed or r.key != whole]
            runs.append(Run(*whole, "kept", 0, "", report.parent, report))
    return sorted(runs, key=lambda r: (r.notebook, r.demo, r.campaign, r.pair, r.failed))


def _read_run(file: Path, figures: Path) -> Run:
    stem = file.name.removesuffix(".status.json").removesuffix(".failed")
    try:
        record = json.loads(file.read_bytes())
    except ValueError as problem:
        record = {"status": "failed", "error": f"{file.name} cannot be read: {problem}"}
    notebook, _, pair = stem.partition("__")
    failed = record.get("status") != "ok"
    saved = file.with_name(f"{stem}.failed.ipynb" if failed else f"{stem}.ipynb")
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
