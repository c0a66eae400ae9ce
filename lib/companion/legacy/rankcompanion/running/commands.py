"""The command line, ``rankstability``: run, verdict, data, formats."""

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from companion.legacy.paperkit import parameters
from companion.legacy.paperkit.errors import InputError
from companion.legacy.rankstability import __version__
from companion.legacy.rankstability.errors import DataError, meant

from . import run as runner

INTERRUPTED = 130  # the exit code of a command that Ctrl-C ends
USAGE = """\
usage: rankstability run NOTEBOOK [name=value ...]   run a notebook headlessly
       rankstability verdict PATH [name=value ...]    how far a ranking can be trusted
       rankstability data [CAMPAIGN ...]              download the official releases
       rankstability formats [NAME]                   the formats of judgments
       rankstability --version                        which version this is"""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command ``rankstability``: run a subcommand; its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["data"]:
        from .download import main as data

        return data(words[1:])
    commands = {"run": run, "verdict": verdict, "formats": formats}
    if words and words[0] in commands:
        return commands[words[0]](words[1:])
    if words[:1] == ["--version"]:
        print(f"rankstability {__version__}")
        return 0
    asked = words[:1] in (["-h"], ["--help"], ["help"])
    if words and not asked:
        known = [*commands, "data"]
        wrong = DataError(
            f"no such command{meant(words[0], known)}", value=words[0]
        )
        print(f"error: {wrong}", file=sys.stderr)
    print(USAGE, file=sys.stdout if asked else sys.stderr)
    return 0 if asked else 2


def verdict(arguments: Sequence[str]) -> int:
    """Write how far the ranking of a file, a folder or a campaign can be trusted.

    Returns 0 for success, 1 if it could not be written, 2 for a wrong call or unusable judgments.
    """
    os.environ.update(runner.ONE_THREAD)  # before anything computes
    os.environ.setdefault("MPLBACKEND", "Agg")

    about = "How far can a ranking be trusted? Writes a page for each language pair, all or none."
    parser = _parser("verdict", "path", about)
    parser.epilog = (
        'For a table with other column names: columns="system=MT engine,score=Adequacy", '
        "wide=A,B or wide=all (a column for each system), scale=1,5, decimal=, sheet=Ratings, "
        'missing="k. A.,-", humans=HT,ref-A, judges=GPT-4,gemba* (annotators that are models); '
        "see campaign.yaml."
    )
    told = "write how the table's columns are understood to campaign.yaml beside it, and go on"
    parser.add_argument("--write-settings", action="store_true", help=told)
    wide = "language pairs computed at a time; default: the number of cores"
    parser.add_argument(
        "--jobs",
        nargs="?",
        const="",
        default=f"{os.cpu_count() or 1}",
        help=wide,
    )
    return _guarded(parser, list(arguments), _verdict)


def _verdict(args: argparse.Namespace) -> bool:
    words = [args.path or "", *args.parameters]
    if words[0] and ("=" not in words[0] or os.path.exists(words[0])):
        words[0] = f"campaign={words[0]}"
    given = _given(filter(None, words))
    if args.help:
        return False
    if "campaign" not in given:
        expected = "a file, a folder or a campaign, such as: rankstability verdict ratings.csv"
        raise DataError("nothing named to judge", expected=expected)
    from companion.legacy.rankcampaigns import campaigns, settings

    told = settings.told(
        {name: given.pop(name) for name in settings.ASKED if name in given}
    )
    if "jobs" in given:
        value = f"jobs={given['jobs']}"
        raise DataError(
            "jobs is an option, not a parameter",
            value=value,
            expected="--jobs 2",
        )
    jobs = _number(args.jobs)
    with (
        contextlib.ExitStack() as undo
    ):  # a call refused below leaves no settings file behind
        if args.write_settings:
            parameters.check(
                parameters.VERDICT, given
            )  # a wrong call writes nothing
            file = settings.write_settings(Path(given["campaign"]), told)
            undo.callback(file.unlink)
            print(f"{file}:\n{file.read_text(encoding='utf-8')}")
        if told:
            settings.fit(told, campaigns.find(given["campaign"], told))
        plan = runner.plan(parameters.VERDICT, given, told)
        from ..verdict import page as verdict

        made = verdict.execute(plan, args.quiet, jobs)
        undo.pop_all()
    if args.quiet:
        print(*(plan.final / one.file for one in made), sep="\n")
    if plan.whole and len(made) > 1:
        print(f"All language pairs: {plan.final / 'index.html'}")
    return True


def _number(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,3}", text):
        raise DataError(
            "option --jobs",
            value=text,
            expected="a whole number from 1 to 9999",
        )
    return int(text)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a notebook; returns 0 for success, 1 if the notebook failed, 2 for a wrong call."""
    parser = _parser(
        "run",
        "notebook",
        "Run a notebook; results appear whole or not at all.",
    )
    parser.epilog = (
        "NOTEBOOK is any unique beginning of a name; --help lists its parameters. Notebooks: "
        + ", ".join(parameters.notebooks())
    )
    return _guarded(
        parser, sys.argv[1:] if arguments is None else list(arguments), _run
    )


def _run(args: argparse.Namespace) -> bool:
    if args.help:
        return False
    if not args.notebook:
        expected = "one of " + ", ".join(parameters.notebooks())
        raise DataError("no notebook named", expected=expected)
    name = parameters.resolve(args.notebook)
    folder = runner.execute(name, _given(args.parameters), args.quiet)
    print(f"{name}: results in {folder}")
    return True


def _parser(command: str, first: str, about: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"rankstability {command}", description=about, add_help=False
    )
    parser.add_argument(first, nargs="?", metavar=first.upper())
    parser.add_argument("parameters", nargs="*", help="name=value")
    parser.add_argument(
        "--figure-format", help="figures besides PNG: svg, pdf or svg,pdf"
    )
    parser.add_argument(
        "--quiet", action="store_true", help="say only where results are"
    )
    parser.add_argument("-h", "--help", action="store_true")
    return parser


def _guarded(
    parser: argparse.ArgumentParser,
    words: list[str],
    work: Callable[[argparse.Namespace], bool],
) -> int:
    """Parse and run a command; its exit code: 2 for a wrong call or unusable data, 1 for a failure.

    Where `work` returns False help was asked for, and is printed.
    Options reach the computation through environment variables, which are restored afterwards.
    """
    before = dict(os.environ)
    try:
        args, left = parser.parse_known_intermixed_args(words)
        if left:
            raise _no_option(left[0], words, parser.format_usage())
        if args.figure_format:
            from .session import FORMATS, figure_formats

            os.environ[FORMATS] = ",".join(figure_formats(args.figure_format))
        if not work(args):  # asked for help
            parser.print_help()
            _describe(parser, args)
        return 0
    except (
        DataError,
        InputError,
        RuntimeError,
        OSError,
    ) as error:  # a full disk among them
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return INTERRUPTED
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


def _no_option(word: str, words: Sequence[str], usage: str) -> DataError:
    """The error for an unknown option such as ``--recipe wmt17``: parameters have no dashes."""
    name, _, value = word.lstrip("-").partition("=")
    value = value or next(iter(words[words.index(word) + 1 :]), "") or "value"
    options = ", ".join(re.findall(r"--[a-z-]+", usage))
    expected = f"{name}={value} for a parameter; options: {options}"
    return DataError("no such option", value=word, expected=expected)


def _given(words: Iterable[str]) -> dict[str, str]:
    """Parameters given as ``name=value``."""
    given = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise DataError(
                "not a parameter", value=word, expected="name=value"
            )
        if name in given:
            raise DataError(
                f"parameter {name} is given twice",
                value=word,
                expected="one value",
            )
        given[name] = value
    return given


def _describe(
    parser: argparse.ArgumentParser, args: argparse.Namespace
) -> None:
    """Print the parameters of the notebook that is named, after the usage."""
    verdict = parser.prog.endswith("verdict")
    if not verdict and not args.notebook:
        return
    name = parameters.VERDICT if verdict else parameters.resolve(args.notebook)
    print(f"\nparameters of {name}:")
    for p in parameters.parameters(name):
        print(f"  {p.name}: {p.type} = {p.default!r}\n      {p.help}")


def formats(arguments: Sequence[str] = ()) -> int:
    """List the formats with an example line each, or describe one."""
    from companion.legacy.rankcampaigns.formats import FORMATS, PARTS, described

    if list(arguments) in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    unknown = [name for name in arguments if name not in FORMATS]
    if unknown:
        problem = f"unknown format{meant(unknown[0], FORMATS)}"
        wrong = DataError(
            problem, value=unknown[0], expected="one of " + ", ".join(FORMATS)
        )
        print(f"error: {wrong}", file=sys.stderr)
        return 2
    for name in arguments or FORMATS:
        about = described()[name]
        print(f"{name} ({FORMATS[name].protocol}): {about['title']}")
        lines = str(about["example"]).splitlines()
        print(
            *(f"    {line}" for line in (lines if arguments else lines[:2])),
            sep="\n",
        )
        if arguments:
            print(
                *(
                    f"\n{part}: {about[part]}"
                    for part in PARTS
                    if about.get(part)
                ),
                sep="\n",
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
