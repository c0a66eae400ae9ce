"""Where campaigns are stored: the data root, and the demonstration data of a clone."""

import os
from pathlib import Path
from typing import Any

import yaml

DATA_VARIABLE = "RANKSTABILITY_DATA"


def read_yaml(text: str) -> Any:
    """Return YAML that the package brings along; with the parser in C, if it is installed."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def repository_root() -> Path:
    """Return the root of the checkout that contains this package, or else the current folder."""
    clone = Path(__file__).resolve().parents[3]
    return clone if (clone / "data" / "demo").is_dir() else Path.cwd()


def demo_folder() -> Path:
    """Return the folder of the demonstration data."""
    return repository_root() / "data" / "demo"


def data_root() -> Path:
    """Return the folder of real campaigns: ``RANKSTABILITY_DATA``, or ``data/`` of the clone."""
    value = os.environ.get(DATA_VARIABLE)
    root = repository_root()
    return (root / value).resolve() if value else root / "data"


def shorten(path: Path) -> str:
    """Return a path relative to the clone if it lies inside, otherwise as given."""
    try:
        return str(Path(path).resolve().relative_to(repository_root()))
    except (ValueError, RuntimeError):  # outside; a link that leads to itself
        return str(path)


def ending_of(path: Path) -> str:
    """Return the ending of a file's name, without ``.gz``."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix
