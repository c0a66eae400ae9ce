"""The command line, ``rankstability``: run, verdict, data, formats."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from .. import paths
from ..errors import DataError
from . import parameters
from . import run as runner

VERDICT = "00_verdict"
USAGE = """\
usage: rankstability run NOTEBOOK [name=value ...]   run a notebook headlessly
       rankstability verdict PATH [name=value ...]    how far a ranking can be trusted
       rankstability data [CAMPAIGN ...]              download the official releases
       rankstability formats [NAME]                   the formats of judgments"""


def main(arguments: Sequence[str] | None = None) -> int:
    """``rankstability``: hand over to a subcommand."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    commands = {"run": run, "verdict": verdict, "data": data, "formats": formats}
    if words and words[0] in commands:
        return commands[words[0]](words[1:])
    print(USAGE)
    return 0 if words[:1] in (["-h"], ["--help"]) else 2


def data(arguments: Sequence[str]) -> int:
    """Download official releases: all, or those named."""
    from ..read import download

    return download.main(list(arguments))


def verdict(arguments: Sequence[str]) -> int:
    """Notebook 00 on a file, a folder or a campaign's name; then the answers and where they are."""
    words = list(arguments)
    path = words and ("=" not in words[0] or os.path.exists(words[0]))
    if path and not words[0].startswith("-"):
        words[0] = f"campaign={words[0]}"
    code = run([VERDICT, *words])
    given = dict(w.split("=", 1) for w in words if "=" in w and not w.startswith("-"))
    if code == 0 and given:
        plan = runner.plan(VERDICT, given)
        for pair in plan.pairs or plan.campaign.pairs:
            for page in sorted((plan.final / pair).glob("verdict*.html")):
                said = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
                print(f"\n{said['name']}: {said['sentence']}\n  {paths.shown(page)}")
    return code


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a notebook; 0 success, 1 the notebook failed, 2 the call is off."""
    parser = argparse.ArgumentParser(
        prog="rankstability run",
        description="Run a notebook headlessly; results appear whole or not at all.",
        epilog="With a notebook and --help: its parameters. "
        "Notebooks: " + ", ".join(parameters.notebooks()),
        add_help=False,
    )
    parser.add_argument("notebook", nargs="?", help="any unique beginning of a notebook's name")
    parser.add_argument("parameters", nargs="*", help="name=value")
    parser.add_argument("--figure-format", help="figures besides PNG: svg, pdf or svg,pdf")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("-h", "--help", action="store_true")
    args = parser.parse_intermixed_args(arguments)
    try:
        if not args.notebook:
            parser.print_help()
            return 0 if args.help else 2
        name = parameters.resolve(args.notebook)
        if args.help:
            print(f"{name}: parameters")
            for p in parameters.parameters(name):
                print(f"  {p.name}: {p.type} = {p.default!r}\n      {p.help}")
            return 0
        wrong = [p for p in args.parameters if "=" not in p]
        if wrong:
            raise DataError("not a parameter", value=wrong[0], expected="name=value")
        if args.figure_format:
            from .session import FORMATS, figure_formats

            os.environ[FORMATS] = ",".join(figure_formats(args.figure_format))
        folder = runner.execute(name, dict(p.split("=", 1) for p in args.parameters), args.quiet)
        print(f"{name}: results in {paths.shown(folder)}")
        return 0
    except (DataError, RuntimeError, OSError) as error:  # a full disk among them
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, DataError) else 1


def formats(arguments: Sequence[str] = ()) -> int:
    """List the formats with an example line each, or describe one."""
    from ..read.formats import FORMATS, PARTS, described

    unknown = [name for name in arguments if name not in FORMATS]
    if unknown:
        print(f"error: unknown format {unknown[0]!r}; one of {', '.join(FORMATS)}", file=sys.stderr)
        return 2
    for name in arguments or FORMATS:
        about = described()[name]
        print(f"{name} ({FORMATS[name].protocol}): {about['title']}")
        lines = str(about["example"]).splitlines()
        print(*(f"    {line}" for line in (lines if arguments else lines[:2])), sep="\n")
        if arguments:
            print(*(f"\n{part}: {about[part]}" for part in PARTS if about.get(part)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
