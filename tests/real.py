"""Real campaigns for tests: the data root that ``RANKSTABILITY_DATA`` names."""

import os
from pathlib import Path

import pytest


def real_data(folder: str) -> Path:
    """Return a folder of the data root, or skip the test if it is not here."""
    root = os.environ.get("RANKSTABILITY_DATA")
    path = Path(root).resolve() / folder if root else None
    if path is None or not path.exists():
        pytest.skip(f"{folder} is not here; RANKSTABILITY_DATA names the data root")
    return path
