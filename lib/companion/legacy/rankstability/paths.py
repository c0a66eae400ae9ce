"""Where campaigns are stored: the data root, and the demonstration data of a clone."""

import os
from pathlib import Path

_ABOVE = Path(__file__).resolve().parents[4]
ROOT = _ABOVE if (_ABOVE / "data" / "demo").is_dir() else Path.cwd()
DEMO = ROOT / "data" / "demo"


def data_root() -> Path:
    """The folder of real campaigns: ``RANKSTABILITY_DATA``, relative to `ROOT`, or ``data/``."""
    value = os.environ.get("RANKSTABILITY_DATA")
    return (ROOT / value).resolve() if value else ROOT / "data"


def shown(path: Path) -> str:
    """`path` as printed: relative to `ROOT` if it is inside, otherwise as given."""
    try:
        return str(Path(path).resolve().relative_to(ROOT))
    except (
        ValueError,
        RuntimeError,
    ):  # not inside; a link that leads to itself
        return str(path)
