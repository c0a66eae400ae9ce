"""Run a notebook headlessly: ``python -m companion.legacy.rankstability.run 01_replication campaign=wmt18``."""

import sys

from .errors import needing


def main() -> int:
    """Run the notebook that the command line names; the exit code."""
    try:
        with needing("run", "rankcompanion"):
            from companion.legacy.rankcompanion.running.commands import run
    except ImportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return run()


if __name__ == "__main__":
    sys.exit(main())
