"""A job of the batch: its notebook, its parameters, and where its results are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = ROOT / "notebooks"
FIGURES = ROOT / "figures"
FAILED = ROOT / "build" / "failed"
WHOLE = "all"  # the folder of a campaign notebook, beside those of the pairs


@dataclass(frozen=True)
class Job:
    """One papermill call: a notebook on one pair, or a campaign notebook on all of them."""

    notebook: str
    campaign: str
    pair: str = WHOLE

    @property
    def folder(self) -> Path:
        """The folder of its results, which is complete or absent."""
        return FIGURES / self.campaign / self.notebook / self.pair

    @property
    def executed(self) -> Path:
        """The executed notebook."""
        return self.folder / f"{self.notebook}.ipynb"

    @property
    def failed(self) -> Path:
        """The notebook as far as it ran, if its last run failed."""
        return FAILED / f"{self.campaign}-{self.pair}-{self.notebook}.ipynb"


def read_config(path: Path = ROOT / "config.yaml") -> dict[str, Any]:
    """Return the settings of the batch."""
    config: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return config


def notebooks() -> list[str]:
    """Return the names of the notebooks that the batch runs, in order of number."""
    return sorted(path.stem for path in NOTEBOOKS.glob("[01]*_*.ipynb"))


def parameters(job: Job, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a job: campaign, pair, and those of ``config.yaml``."""
    configured = config.get("parameters", {}).get(job.notebook, {})
    given = {**configured.get("all", {}), **configured.get(job.campaign, {})}
    pair = {} if job.pair == WHOLE else {"pair": job.pair}
    return {"campaign": job.campaign, **pair, **given}
