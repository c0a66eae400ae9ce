"""The only place that knows the folders of the repository."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
FIGURES = ROOT / "figures"
RESULTS = ROOT / "results"  # of users' own campaigns, one folder each; never tracked
BUILD = ROOT / "build"  # executed notebooks, status files, the report site; never tracked
PUBLISHED = ROOT / "data" / "published"
DEMO = ROOT / "data" / "demo"
CATALOGUE = ROOT / "data" / "catalogue.yaml"


def data_root() -> Path:
    """The real campaigns' folder: ``RANKSTABILITY_DATA`` (from the repository), or ``data/``."""
    value = os.environ.get("RANKSTABILITY_DATA")
    return (ROOT / value).resolve() if value else ROOT / "data"


def shown(path: Path) -> str:
    """`path` as printed: relative to the repository where it lies inside, else as given."""
    try:
        return str(Path(path).resolve().relative_to(ROOT))
    except ValueError:
        return str(path)
