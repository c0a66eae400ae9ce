"""What the Snakefile asks: the jobs, what each depends on, whether its results are whole."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .. import paths
from ..read import campaigns
from ..read.text import digest
from .parameters import WHOLE, metadata, notebooks, read_notebook
from .parameters import takes as takes

REPORT = ("findings", "front", "ledger", "pages", "site", "tables")  # modules that make the pages


@dataclass(frozen=True)
class Job:
    """One run of a notebook on a campaign, on one `pair` of it, or on its pairs' results."""

    notebook: str
    campaign: str
    pair: str = ""

    @property
    def executed(self) -> str:
        """The job's output: the executed notebook."""
        pair = "" if self.pair in ("", WHOLE) else f"__{self.pair}"
        return f"build/executed/{self.campaign}/{self.notebook}{pair}.ipynb"


def jobs(config: Mapping[str, Any]) -> list[Job]:
    """All jobs for the demo campaigns and for every real campaign found under the data root.

    Parameters
    ----------
    config : mapping
        ``campaigns`` and ``notebooks`` restrict (empty: all); ``split_above``: campaigns with more
        pairs than this run one job per pair; ``skip``: notebook to campaigns it is not run on.
    """
    wanted_campaigns, wanted_notebooks = config.get("campaigns"), config.get("notebooks")
    planned: list[Job] = []
    for campaign in sorted(campaigns.present(), key=lambda c: c.name):
        name = campaign.name
        if wanted_campaigns and name not in wanted_campaigns:
            continue
        for notebook in notebooks():
            about = metadata(notebook)
            if wanted_notebooks and not any(notebook.startswith(w) for w in wanted_notebooks):
                continue
            if name in config.get("skip", {}).get(notebook, []) or not takes(about, campaign):
                continue
            if about.get("split") and len(campaign.pairs) > config.get("split_above", 100):
                planned += [Job(notebook, name, pair) for pair in (*campaign.pairs, WHOLE)]
            else:
                planned.append(Job(notebook, name))
    return planned


def given(job: Job, config: Mapping[str, Any]) -> dict[str, str]:
    """The job's parameters: campaign, pair, and those of the configuration, for all or for one."""
    configured = config.get("parameters", {}).get(job.notebook, {})
    own = {**configured.get("all", {}), **configured.get(job.campaign, {})}
    pair = {"pair": job.pair} if job.pair else {}
    return {k: str(v) for k, v in {"campaign": job.campaign, **pair, **own}.items()}


@cache
def _graph() -> Any:
    import grimp

    return grimp.build_graph("rankstability", cache_dir=None)


@cache
def modules(notebook: str) -> frozenset[str]:
    """The library's modules that a notebook imports, directly or through others."""
    cells = read_notebook(notebook)["cells"]
    code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    named = [n for n in ast.parse(code).body if isinstance(n, ast.ImportFrom) and n.module]
    first = [f"{n.module}{dot}" for n in named for dot in ("", *(f".{a.name}" for a in n.names))]
    reached = {m for m in first if m in _graph().modules}
    for module in tuple(reached):
        reached |= _graph().find_upstream_modules(module)
    return frozenset(reached)


def inputs(job: Job) -> list[str]:
    """Files whose change makes the job run again: notebook, library modules, data, print.

    The job on the results of a campaign's pairs depends on their jobs instead of the data.
    """
    campaign = campaigns.find(job.campaign)
    files = [paths.NOTEBOOKS / f"{job.notebook}.ipynb", paths.CATALOGUE]
    for module in sorted(modules(job.notebook)):
        file = paths.ROOT / "lib" / module.replace(".", "/")
        files.append(file / "__init__.py" if file.is_dir() else file.with_suffix(".py"))
    reached = modules(job.notebook)
    printed = sorted(paths.PUBLISHED.glob("*.csv"))
    files += [p for p in printed if f"rankstability.papers.{p.stem}" in reached]
    pair = "" if job.pair == WHOLE else job.pair
    files += beside(campaign, pair)
    if job.pair == WHOLE:
        pairs = (Job(job.notebook, job.campaign, p).executed for p in campaign.pairs)
        return [*map(paths.shown, files), *pairs]
    return [*map(paths.shown, files), *map(paths.shown, campaign.files(pair))]


def beside(campaign: Any, pair: str = "") -> list[Path]:
    """Official rankings, clusters, p-values, scores and document lists beside DA judgments."""
    if campaign.protocol != "DA":
        return []
    names = ["clusters.csv"]
    for one in [pair] if pair else campaign.pairs:
        names += [f"ad-sys-ranking-{one}-z.csv", f"ad-sys-scores-{one}.csv"]
        names += [f"adwilcox-{one.replace('-', '')}.csv", f"documents-{one}.tsv"]
    read = set(campaign.files(pair))
    files = [*(campaign.folder / n for n in names), *sorted(campaign.folder.glob("official/*"))]
    return [f for f in files if f.is_file() and f not in read]


def whole(job: Job, config: Mapping[str, Any], root: Path = paths.ROOT) -> bool:
    """Whether the results of a finished job lie in ``figures/`` as this job wrote them.

    False also where a later run with other parameters wrote there.
    """
    file = (root / job.executed).with_suffix(".status.json")
    if not file.is_file():
        return False
    status = json.loads(file.read_bytes())
    results = ((root / name, told) for name, told in status.get("files", {}).items())
    return (
        status.get("status") == "ok"
        and status.get("given") == given(job, config)
        and all(result.is_file() and digest(result) == told for result, told in results)
    )
