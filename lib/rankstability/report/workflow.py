"""What the Snakefile needs to know: jobs, what each depends on, and what is done."""

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
from . import run
from .outputs import checksum

PACKAGE = Path(__file__).parents[1]
READERS = {"DA": {"read.rr", "read.mqm"}, "RR": {"read.mqm"}, "MQM": set()}
"""Per protocol: readers of other protocols, which `campaigns` can reach but never calls there."""


@dataclass(frozen=True)
class Job:
    """One run of a notebook, or the gathering of its pairs (`gathers`)."""

    notebook: str
    campaign: str
    pair: str = ""
    gathers: bool = False

    @property
    def stamp(self) -> str:
        """The file that says this job is done."""
        return f"build/stamps/{self.campaign}/{self.notebook}/{self.pair or 'all'}.json"


def _file(module: str) -> Path:
    return PACKAGE / (module.replace(".", "/") + ".py")


@cache
def _imports(module: str) -> frozenset[str]:
    """Modules of the package that a module imports, at its top or inside a function."""
    tree = ast.parse(_file(module).read_text(encoding="utf-8"))
    return frozenset(_named(tree, module.rpartition(".")[0]))


def _named(tree: ast.AST, package: str = "") -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        name = node.module or ""
        if node.level == 1:
            name = f"{package}.{name}".strip(".")
        elif node.level == 0:
            if name.split(".")[0] != "rankstability":
                continue
            name = name.removeprefix("rankstability").strip(".")
        found |= {name} | {f"{name}.{alias.name}".strip(".") for alias in node.names}
    return {m for m in found if m and _file(m).is_file()}


def modules(notebook: str, protocol: str = "") -> list[Path]:
    """The library modules a notebook depends on, directly or through others.

    Parameters
    ----------
    notebook : str
    protocol : str
        DA, RR or MQM: leaves out the readers of the other protocols.
    """
    code = "\n".join(
        "".join(c["source"])
        for c in run.read_notebook(notebook)["cells"]
        if c["cell_type"] == "code"
    )
    waiting = _named(ast.parse(code)) | {"errors", "paths"}
    left_out = READERS.get(protocol, set()) - waiting
    found: set[str] = set()
    while waiting:
        module = waiting.pop()
        found.add(module)
        waiting |= _imports(module) - found - left_out
    return [_file(m) for m in sorted(found)]


def jobs(config: Mapping[str, Any]) -> list[Job]:
    """All jobs for the demo campaigns and for every real campaign found under the data root.

    Parameters
    ----------
    config : mapping
        ``campaigns`` and ``notebooks`` restrict (empty: all); ``split_above``: campaigns with more
        pairs than this run one job per pair; ``skip``: notebook to campaigns it is not run on.
    """
    wanted_campaigns, wanted_notebooks = config.get("campaigns"), config.get("notebooks")
    found: list[Job] = []
    for campaign in sorted(campaigns.present(), key=lambda c: c.name):
        name = campaign.name
        if wanted_campaigns and name not in wanted_campaigns:
            continue
        for notebook in run.notebooks():
            about = run.metadata(notebook)
            if wanted_notebooks and not any(notebook.startswith(w) for w in wanted_notebooks):
                continue
            if name in config.get("skip", {}).get(notebook, []):
                continue
            if not takes(about, campaign):
                continue
            if about.get("split") and len(campaign.pairs) > config.get("split_above", 3):
                found += [Job(notebook, name, pair) for pair in campaign.pairs]
                found.append(Job(notebook, name, gathers=True))
            else:
                found.append(Job(notebook, name))
    return found


def takes(about: Mapping[str, Any], campaign: Any) -> bool:
    """Whether a notebook with this metadata takes the campaign."""
    if campaign.protocol not in about.get("protocols", []):
        return False
    return campaign.protocol != "DA" or campaign.workers or not about.get("workers", False)


def settings(job: Job, config: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a job from the configuration: for the notebook, then for the campaign in it."""
    given = config.get("parameters", {}).get(job.notebook, {})
    out = dict(given.get("all", {})) | dict(given.get(job.campaign, {}))
    return out


def inputs(job: Job, config: Mapping[str, Any] | None = None) -> list[str]:
    """Files whose change makes the job run again: notebook, library modules, data, print.

    Where a campaign's run also reads others (``also_reads`` in `config`), their data too, if here.
    """
    campaign = campaigns.find(job.campaign)
    files = [paths.NOTEBOOKS / f"{job.notebook}.ipynb", paths.CATALOGUE]
    files += modules(job.notebook, campaign.protocol)
    if not job.gathers:
        files += campaign.files(job.pair)
    files += beside(campaign, job.pair)
    if not job.pair:
        others = (config or {}).get("also_reads", {}).get(job.notebook, {}).get(job.campaign, [])
        here = {c.name: c for c in campaigns.present()}
        files += [f for name in others if name in here for f in here[name].files()]
    files += published(job.notebook)
    return [paths.shown(f) for f in files]


def beside(campaign: Any, pair: str = "") -> list[Path]:
    """Official rankings, clusters, p-values and document lists beside DA judgments."""
    if campaign.protocol != "DA":
        return []
    pairs = [pair] if pair else campaign.pairs
    names = ["clusters.csv"]
    for one in pairs:
        names += [f"ad-sys-ranking-{one}-z.csv", f"ad-sys-scores-{one}.csv"]
        names += [f"adwilcox-{one.replace('-', '')}.csv", f"documents-{one}.tsv"]
    read = set(campaign.files(pair))
    return [f for f in (campaign.folder / n for n in names) if f.is_file() and f not in read]


def published(notebook: str) -> list[Path]:
    """The files of printed numbers that a notebook or its modules name."""
    texts = [(paths.NOTEBOOKS / f"{notebook}.ipynb").read_text(encoding="utf-8")]
    texts += [m.read_text(encoding="utf-8") for m in modules(notebook) if m.suffix == ".py"]
    names = sorted(paths.PUBLISHED.glob("*.csv"))
    return [p for p in names if any(f'"{p.stem}"' in t or f'\\"{p.stem}\\"' in t for t in texts)]


def forget_lost(root: Path = paths.ROOT) -> list[str]:
    """Remove the stamps of jobs whose results are gone or altered, so that they run again."""
    lost = []
    for stamp in sorted((root / "build" / "stamps").rglob("*.json")):
        listed = json.loads(stamp.read_text(encoding="utf-8"))["files"]
        whole = all((root / f).is_file() and checksum(root / f) == s for f, s in listed.items())
        if not whole:
            stamp.unlink()
            lost.append(str(stamp.relative_to(root)))
    return lost
