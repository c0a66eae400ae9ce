"""``python -m companion.batch``: run one job, list jobs, write the ledger or the report."""

from __future__ import annotations

import argparse
import sys

from papermill.exceptions import PapermillExecutionError

import rankstability as rs

from . import jobs, run


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m companion.batch", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="check the parameters of config.yaml")
    commands.add_parser("list", help="list all jobs")
    job = commands.add_parser("run", help="run one notebook on one campaign and pair")
    job.add_argument("notebook")
    job.add_argument("campaign")
    job.add_argument("pair", nargs="?", default=jobs.WHOLE)
    commands.add_parser("ledger", help="write figures/claims_ledger.csv")
    commands.add_parser("report", help="build the report in build/site")
    given = parser.parse_args(arguments)
    try:
        return _perform(given)
    except rs.DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except PapermillExecutionError as error:
        print(
            f"error: {given.notebook}, {given.campaign}: {error.ename}: {error.evalue}",
            file=sys.stderr,
        )
        return 1


def _perform(given: argparse.Namespace) -> int:
    config = jobs.read_config()
    if given.command == "check":
        jobs.check_parameters(config)
    elif given.command == "list":
        for job in jobs.plan(config):
            print(job.notebook, job.campaign, job.pair)
    elif given.command == "run":
        run.run(jobs.Job(given.notebook, given.campaign, given.pair), config)
    elif given.command == "ledger":
        from . import ledger

        ledger.write()
    else:
        from . import report

        report.build()
    return 0


if __name__ == "__main__":
    sys.exit(main())
