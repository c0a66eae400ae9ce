"""The folders of the repository; of an installed package, those below the working directory."""

from pathlib import Path

_ABOVE = Path(__file__).resolve().parents[4]
ROOT = _ABOVE if (_ABOVE / "notebooks").is_dir() else Path.cwd()
NOTEBOOKS = ROOT / "notebooks"
FIGURES = ROOT / "figures"
RESULTS = Path(
    "results"
)  # of users' own campaigns, one folder each, below `results_root`
# executed notebooks, status files, the report site; never tracked
BUILD = ROOT / "build"
PUBLISHED = ROOT / "data" / "published"


def results_root() -> Path:
    """The folder of users' own results: `RESULTS` in the working folder, or in the clone around it.

    >>> results_root().name
    'results'
    """
    here = Path.cwd()
    return (ROOT if here.is_relative_to(ROOT) else here) / RESULTS


def shown(path: Path) -> str:
    """`path` as it is printed: relative to `ROOT` if it is inside, else as given."""
    try:
        return str(Path(path).resolve().relative_to(ROOT))
    except ValueError:
        return str(path)
