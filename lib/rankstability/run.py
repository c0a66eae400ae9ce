"""Run a notebook headlessly: ``python -m rankstability.run 01_replication campaign=wmt18``."""

import sys

from rankcompanion.running.commands import run

if __name__ == "__main__":
    sys.exit(run())
