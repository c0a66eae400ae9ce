"""``figures/README.md``: what is rendered there, with links, for reading on a repository host."""

from __future__ import annotations

from pathlib import Path

from .. import paths
from ..read.campaigns import catalogue
from . import ledger, pages, site
from .outputs import write_whole

HEAD = """# Rendered results

Our own results, one folder per campaign and notebook, written by `make figures` and reproducible
byte for byte. Each table and figure has a sidecar `<name>.meta.json` with the settings it depends
on; every figure's data stand beside it as CSV. This page is written by
`python -m rankstability.site --index-figures`; the demo campaigns' results are not kept here.
"""


def index(figures: Path = paths.FIGURES) -> str:
    """The Markdown index of all campaigns below `figures` except the demo campaigns.

    Files of language pairs are listed once by name, with links to the pairs' folders.
    """
    lines = [HEAD]
    if (figures / "claims_ledger.csv").is_file():
        lines.append("All published numbers beside ours: [claims_ledger.csv](claims_ledger.csv).\n")
    for campaign in sorted(p for p in figures.iterdir() if p.is_dir()):
        notebooks = sorted(p for p in campaign.glob("[0-9]*") if p.is_dir())
        if campaign.name not in catalogue() or ledger.is_demo(campaign.name) or not notebooks:
            continue  # synthetic, or a user's own
        lines.append(f"## {campaign.name}\n")
        for folder in notebooks:
            title, _ = pages.source_headline(paths.NOTEBOOKS / f"{folder.name}.ipynb")
            body = _notebook(folder, figures)
            if body:
                lines += [f"### {title or folder.name}\n", *body, ""]
    return "\n".join(lines).rstrip() + "\n"


def _notebook(folder: Path, figures: Path) -> list[str]:
    lines = []
    found = site.results(folder, figures)
    for kind in ("figures", "tables"):
        for item in found[kind]:
            links = ", ".join(f"[{e}]({link})" for e, link in item["files"].items())
            lines.append(f"- {item['name']}: {links}")
    pairs = {}
    for sub in sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith(".")):
        below = site.results(sub, figures)
        names = [item["name"] for kind in below.values() for item in kind]
        if names:
            pairs[sub.name] = names
    if pairs:
        names = sorted({name for below in pairs.values() for name in below})
        base = folder.relative_to(figures).as_posix()
        links = ", ".join(f"[{pair}]({base}/{pair}/)" for pair in pairs)
        lines.append(f"- per language pair ({', '.join(names)}): {links}")
    return lines


def write_index(figures: Path = paths.FIGURES) -> Path:
    """Write `index` to ``<figures>/README.md``, if it changed."""
    target, content = figures / "README.md", index(figures).encode()
    if not target.is_file() or target.read_bytes() != content:
        write_whole(target, content)
    return target
