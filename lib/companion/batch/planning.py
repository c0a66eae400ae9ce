"""Which notebook runs on which campaign and pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import papermill

import rankstability as rs

from .jobs import NOTEBOOKS, Job, notebooks


def plan_jobs(config: Mapping[str, Any]) -> list[Job]:
    """Return all jobs for the campaigns that are here, those of pairs before those that add up.

    `config` has the keys of ``config.yaml``: ``campaigns`` and ``notebooks`` restrict the jobs,
    ``applies`` maps notebooks to kinds of judgments and to what they must name (``needs``: columns
    of `rankstability.pairs`); ``skip`` and ``pairs`` leave out jobs. Raises DataError for a campaign
    that is unknown or not here, and for a notebook that does not exist.
    """
    check_parameters(config)
    for wanted in config.get("notebooks") or []:
        if not any(notebook.startswith(wanted) for notebook in notebooks()):
            raise rs.DataError("unknown_notebook", value=wanted, known=notebooks())
    return [job for campaign in _campaigns(config) for job in _jobs_of(campaign, config)]


def _campaigns(config: Mapping[str, Any]) -> list[str]:
    wanted: list[str] = config.get("campaigns") or []
    here = rs.campaigns().query("here")["campaign"]
    return wanted or list(here)


def _jobs_of(name: str, config: Mapping[str, Any]) -> Iterator[Job]:
    pairs = rs.pairs(name)
    wanted = tuple(config.get("notebooks") or [""])
    for notebook in notebooks():
        topic = notebook.split("_")[0].rstrip("b")
        rule = next(each for key, each in config["applies"].items() if key.split("_")[0] == topic)
        skipped = name in config.get("skip", {}).get(topic, [])
        if skipped or not notebook.startswith(wanted):
            continue
        here = pairs[pairs["kind"].isin(rule["kinds"])]
        for named in rule.get("needs", []):
            here = here[here[named] > 0]
        if "campaigns" in rule and name not in rule["campaigns"]:
            continue
        chosen = config.get("pairs", {}).get(name)
        names = [pair for pair in here["pair"].unique() if chosen in (None, pair)]
        if notebook.split("_")[0].endswith("b"):
            if names:
                yield Job(notebook, name)
        else:
            yield from (Job(notebook, name, pair) for pair in names)


@cache
def parameters_of(notebook: str) -> Mapping[str, Any]:
    """Return the parameters of a notebook, as papermill lists them."""
    inferred: dict[str, Any] = papermill.inspect_notebook(NOTEBOOKS / f"{notebook}.ipynb")
    return inferred


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
