"""For the Snakefile: the jobs, what each depends on, and whether its results are complete."""

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from companion.legacy.paperkit import paths
from companion.legacy.paperkit.parameters import (
    WHOLE,
    metadata,
    notebooks,
    read_notebook,
    takes,
)
from companion.legacy.paperkit.placing import digest
from companion.legacy.rankcampaigns import campaigns, catalogue, formats, judges

# modules that make the pages of the report
REPORT = (
    *(
        f"rankcompanion/report/{name}"
        for name in ("findings", "front", "ledger")
    ),
    *(f"paperkit/{name}" for name in ("pages", "site", "tables", "templates")),
)


@dataclass(frozen=True)
class Job:
    """One run of a notebook: on a campaign, on one `pair` of it, or on the results of its pairs."""

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

    In `config`, ``campaigns`` and ``notebooks`` restrict the jobs (empty: all); campaigns with more
    pairs than ``split_above`` run one job per pair, for notebooks that allow it; ``skip`` maps a
    notebook to campaigns on which it is not run.
    """
    planned: list[Job] = []
    for campaign in sorted(campaigns.present(), key=lambda c: c.name):
        name = campaign.name
        for notebook in (
            notebooks() if name in (config.get("campaigns") or [name]) else ()
        ):
            about = metadata(notebook)
            wanted = notebook.startswith(
                tuple(config.get("notebooks") or [""])
            )
            skipped = name in config.get("skip", {}).get(notebook, [])
            if not wanted or skipped or not takes(about, campaign):
                continue
            split = about.get("split") and len(campaign.pairs) > config.get(
                "split_above", 100
            )
            pairs = (*campaign.pairs, WHOLE) if split else ("",)
            planned += [Job(notebook, name, pair) for pair in pairs]
    return planned


def given(job: Job, config: Mapping[str, Any]) -> dict[str, str]:
    """The job's parameters: campaign, pair, and those configured for all campaigns or for this."""
    configured = config.get("parameters", {}).get(job.notebook, {})
    own = {**configured.get("all", {}), **configured.get(job.campaign, {})}
    pair = {"pair": job.pair} if job.pair else {}
    return {
        k: str(v) for k, v in {"campaign": job.campaign, **pair, **own}.items()
    }


@cache
def _graph() -> Any:
    import grimp

    return grimp.build_graph(
        "rankcampaigns",
        "rankstability",
        "rankcompanion",
        "paperkit",
        cache_dir=None,
    )


@cache
def modules(notebook: str, format: str = "") -> frozenset[str]:
    """The library's modules that a notebook imports, directly or through others.

    With a `format`, also the modules of its reader, which is loaded when a campaign needs it.
    """
    cells = read_notebook(notebook)["cells"]
    code = "\n".join(
        "".join(c["source"]) for c in cells if c["cell_type"] == "code"
    )
    named = [
        n
        for n in ast.parse(code).body
        if isinstance(n, ast.ImportFrom) and n.module
    ]
    first = [
        f"{n.module}{dot}"
        for n in named
        for dot in ("", *(f".{a.name}" for a in n.names))
    ]
    if format:
        first.append(f"rankcampaigns.{formats.FORMATS[format].module}")
    direct = _graph().modules & set(first)
    return frozenset(
        direct.union(*map(_graph().find_upstream_modules, direct))
    )


def inputs(job: Job) -> list[str]:
    """Files whose change makes the job run again.

    A job on the results of a campaign's pairs depends on their jobs instead of the data.
    """
    campaign = campaigns.find(job.campaign)
    files = [paths.NOTEBOOKS / f"{job.notebook}.ipynb", catalogue.CATALOGUE]
    reached = modules(job.notebook, campaign.format)
    for module in sorted(reached):
        file = paths.ROOT / "lib" / module.replace(".", "/")
        files.append(
            file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        )
    files += sorted(
        (paths.ROOT / "lib/companion/legacy/rankcompanion/figures").glob("*.mplstyle")
    )
    if "companion.legacy.rankcompanion.verdict.page" in reached:
        files += sorted((paths.ROOT / "lib/companion/legacy/paperkit/page").glob("*.j2"))
    printed = sorted(paths.PUBLISHED.glob("*.csv"))
    papers = [
        p for p in printed if f"companion.legacy.rankcompanion.papers.{p.stem}" in reached
    ]
    files += [*papers, paths.PUBLISHED / "settings.yaml"] if papers else []
    if job.pair == WHOLE:
        files += _beside(campaign)
        pairs = (
            Job(job.notebook, job.campaign, p).executed for p in campaign.pairs
        )
        return [*map(paths.shown, files), *pairs]
    return [
        *map(
            paths.shown,
            [*files, *_beside(campaign, job.pair), *campaign.files(job.pair)],
        )
    ]


def _beside(campaign: Any, pair: str = "") -> list[Path]:
    """Scores of judges, and next to DA judgments official rankings, scores and document lists."""
    judged = list(judges.here(campaign).values())
    if campaign.protocol != "DA":
        return judged
    names = ["clusters.csv"]
    for one in [pair] if pair else campaign.pairs:
        names += [f"ad-sys-ranking-{one}-z.csv", f"ad-sys-scores-{one}.csv"]
        names += [
            f"adwilcox-{one.replace('-', '')}.csv",
            f"documents-{one}.tsv",
        ]
    read = set(campaign.files(pair))
    files = [
        *(campaign.folder / n for n in names),
        *sorted(campaign.folder.glob("official/*")),
    ]
    return judged + [f for f in files if f.is_file() and f not in read]


def whole(
    job: Job, config: Mapping[str, Any], root: Path = paths.ROOT
) -> bool:
    """Whether the results of the finished job are in ``figures/``, unchanged by any later one."""
    file = (root / job.executed).with_suffix(".status.json")
    if not file.is_file():
        return False
    status = json.loads(file.read_bytes())
    results = (
        (root / name, told) for name, told in status.get("files", {}).items()
    )
    return (
        status.get("status") == "ok"
        and status.get("given") == given(job, config)
        and all(
            result.is_file() and digest(result) == told
            for result, told in results
        )
    )
