"""The only place that knows the folders of the repository."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import DataError

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
FIGURES = ROOT / "figures"
RESULTS = ROOT / "results"  # of users' own campaigns, one folder each; never tracked
BUILD = ROOT / "build"  # executed notebooks, status files, the report site; never tracked
PUBLISHED = ROOT / "data" / "published"
DEMO = ROOT / "data" / "demo"
CATALOGUE = ROOT / "data" / "catalogue.yaml"


def data_root() -> Path:
    """The folder that holds the real campaigns: ``RANKSTABILITY_DATA``, or ``data/``.

    A relative ``RANKSTABILITY_DATA`` is relative to the repository, wherever the caller stands.
    """
    value = os.environ.get("RANKSTABILITY_DATA")
    return (ROOT / value).resolve() if value else ROOT / "data"


def shown(path: Path) -> str:
    """`path` as printed: relative to the repository where it lies inside, else as given."""
    try:
        return str(Path(path).resolve().relative_to(ROOT))
    except ValueError:
        return str(path)


def check_writable(folder: Path) -> None:
    """Refuse an output folder that cannot be made or written to.

    Raises
    ------
    DataError
        Names the folder, or what stands in its way.
    """
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        problem = "the output folder cannot be here, where a file is"
        raise DataError(problem, file=there, expected="a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise DataError(
            "the output folder cannot be written to", file=there, expected="a folder to write to"
        )
