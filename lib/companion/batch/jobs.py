"""Which notebook runs on which campaign and pair, and with which parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import papermill
import yaml

import rankstability as rs

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = ROOT / "notebooks"
FIGURES = ROOT / "figures"
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


def read_config(path: Path = ROOT / "config.yaml") -> dict[str, Any]:
    """Return the settings of the batch."""
    config: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return config


@cache
def parameters_of(notebook: str) -> Mapping[str, Any]:
    """Return the parameters of a notebook, as papermill lists them."""
    inferred: dict[str, Any] = papermill.inspect_notebook(NOTEBOOKS / f"{notebook}.ipynb")
    return inferred


def notebooks() -> list[str]:
    """Return the names of the notebooks that the batch runs, in order of number."""
    return sorted(path.stem for path in NOTEBOOKS.glob("[01]*_*.ipynb"))


def plan(config: Mapping[str, Any]) -> list[Job]:
    """Return all jobs for the campaigns that are here, those of pairs before those that add up.

    `config` has the keys of ``config.yaml``: ``campaigns`` and ``notebooks`` restrict the jobs,
    ``applies`` maps notebooks to kinds of judgments, ``skip`` and ``pairs`` leave out jobs.
    """
    check_parameters(config)
    return [job for campaign in _campaigns(config) for job in _jobs_of(campaign, config)]


def _campaigns(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    here = rs.campaigns().query("here")
    wanted = config.get("campaigns") or list(here["campaign"])
    yield from here[here["campaign"].isin(wanted)].to_dict("records")


def _jobs_of(campaign: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[Job]:
    name = campaign["campaign"]
    pairs = rs.pairs(name)
    wanted = tuple(config.get("notebooks") or [""])
    for notebook in notebooks():
        topic = notebook.split("_")[0].rstrip("b")
        rule = next(each for key, each in config["applies"].items() if key.split("_")[0] == topic)
        skipped = name in config.get("skip", {}).get(topic, [])
        if skipped or not notebook.startswith(wanted):
            continue
        here = pairs[pairs["kind"].isin(rule["kinds"])]
        if "campaigns" in rule and name not in rule["campaigns"]:
            continue
        chosen = config.get("pairs", {}).get(name)
        names = [pair for pair in here["pair"].unique() if chosen in (None, pair)]
        if notebook.split("_")[0].endswith("b"):
            if names:
                yield Job(notebook, name)
        else:
            yield from (Job(notebook, name, pair) for pair in names)


def parameters(job: Job, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a job: campaign, pair, and those of ``config.yaml``."""
    configured = config.get("parameters", {}).get(job.notebook, {})
    given = {**configured.get("all", {}), **configured.get(job.campaign, {})}
    pair = {} if job.pair == WHOLE else {"pair": job.pair}
    return {"campaign": job.campaign, **pair, **given}


def check_parameters(config: Mapping[str, Any]) -> None:
    """Raise DataError for a configured parameter or notebook that does not exist."""
    for notebook, by_campaign in config.get("parameters", {}).items():
        if not (NOTEBOOKS / f"{notebook}.ipynb").is_file():
            raise rs.DataError("unknown_notebook", value=notebook, known=notebooks())
        known = parameters_of(notebook)
        for given in by_campaign.values():
            for name in given:
                _check_value(name, given[name])
                if name not in known:
                    raise rs.DataError("unknown_parameter", value=name, known=known)


def _check_value(name: str, value: Any) -> None:
    """Raise DataError for a value that no notebook accepts."""
    if name == "alpha" and not 0 < float(value) < 1:
        raise rs.DataError("bad_alpha", value=value)
    if name == "divisors":
        for divisor in value:
            if not float(divisor) > 0:
                raise rs.DataError("bad_divisor", value=divisor)
