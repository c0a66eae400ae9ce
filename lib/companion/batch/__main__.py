"""``python -m companion.batch``: list the jobs, write the ledger or the report."""

from __future__ import annotations

import argparse
import sys

import rankstability as rs

from . import jobs, ledger, planning, report


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m companion.batch", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="check config.yaml and list all jobs")
    commands.add_parser("ledger", help="write figures/claims_ledger.csv")
    commands.add_parser("report", help="write the ledger and build the report in build/site")
    given = parser.parse_args(arguments)
    try:
        return _perform(given)
    except rs.DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _perform(given: argparse.Namespace) -> int:
    if given.command == "list":
        for job in planning.plan_jobs(jobs.read_config()):
            print(job.notebook, job.campaign, job.pair)
    elif given.command == "ledger":
        ledger.write()
    else:
        report.build()
    return 0


if __name__ == "__main__":
    sys.exit(main())
