"""The command line: ``rankstability verdict | read | formats | campaigns | data``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from textwrap import wrap
from typing import Any

from .arguments import check_count
from .errors import DataError, escape_invisible, suggest
from .io.catalogue import find_campaign, is_known
from .io.declare import (
    FLAG,
    LIST,
    NAMES,
    NUMBER,
    PAIRS,
    RANGE,
    WORDS,
    Word,
    parse_words,
    quoted,
)
from .io.download import download_all
from .io.formats.registry import table
from .io.load import campaigns, list_pairs, load
from .io.read import read, with_settings
from .io.remedy import with_commands
from .io.report import describe_reading, describe_settings
from .io.settings import write_settings
from .io.write import write_folder
from .judgments import Judgments
from .plots.ranking import plot_ranking
from .verdict.page import Verdict, split_by
from .verdict.verdict import verdict

USAGE = {
    "verdict": "rankstability verdict FILE or CAMPAIGN [PAIR ...] [OPTIONS]",
    "read": "rankstability read FILE or CAMPAIGN [PAIR ...] [OPTIONS]",
    "formats": "rankstability formats",
    "campaigns": "rankstability campaigns",
    "data": "rankstability data [CAMPAIGN ...]",
}
ABOUT = {
    "verdict": "Rank systems, and write a page on how far the ranking can be trusted.",
    "read": "Show how a file is read, without ranking anything.",
    "formats": "List the file formats that are recognised without options.",
    "campaigns": "List the known campaigns, and whether their files are here.",
    "data": "Download the official data of campaigns.",
}
ASKED = "questions (valid only if asked before the scores were seen)"
RANKED, WRITTEN = "ranking", "output"
READ, VERDICT = "rankstability read", "rankstability verdict"
HELP_WIDTH, HELP_AT = 80, 29  # columns of the terminal, and before the help of an option
END_OF_HELP = (
    "Name the file before all options, or after --. The values of an option end at",
    "the next option. If a file name begins with --, add its folder: ./--a.csv.",
)
NO_VALUE, ONE, TWO_EACH = "none", "one", "two each"
OF_ONE, OF_SEVERAL = ("earlier", "figure"), ("over-all",)  # options by the number of rankings
FIGURES: dict[str, dict[str, Any]] = {  # by ending: what would make equal pictures differ
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
CAMPAIGN_WORDS = ("each", "title")  # what can be declared about a campaign of the catalogue


@dataclass(frozen=True)
class Option:
    """An option that does not declare a table: what it takes, its group in the help, its help."""

    argument: str
    takes: str
    group: str
    help: str
    commands: tuple[str, ...] = ("verdict",)


OPTIONS: dict[str, Option] = {
    "ask": Option("A B", TWO_EACH, ASKED, "Is system A better than system B?"),
    "baseline": Option("A", ONE, ASKED, "Which systems differ from system A?"),
    "candidates": Option(
        "", NO_VALUE, ASKED, "Which system should be chosen, and how much could the choice cost?"
    ),
    "leaders": Option("COLUMN", ONE, ASKED, "Which system leads for each value of this column?"),
    "earlier": Option("FILE", ONE, ASKED, "What changed since the judgments in this file?"),
    "looks": Option("L", ONE, ASKED, "the number of planned looks at a running campaign"),
    "look": Option("K", ONE, ASKED, "the number of the present look; by default 1"),
    "over-all": Option("", NO_VALUE, ASKED, "Which system is best over all rankings?"),
    "procedure": Option(
        "NAME",
        ONE,
        RANKED,
        "wmt17, wmt23, wmt24, wmt25, wmt26 or plain; by default that of the year",
    ),
    "unit": Option(
        "UNIT",
        ONE,
        RANKED,
        "the sampling unit, such as document; by default all that the data name",
    ),
    "alpha": Option(
        "LEVEL",
        ONE,
        RANKED,
        "the family-wise error level (not Krippendorff's alpha), also the level of a WMT procedure's tests; by default 0.05",
    ),
    "output": Option(
        "FOLDER", ONE, WRITTEN, "the folder for the results; by default results/<name>"
    ),
    "figure": Option("FILE", ONE, WRITTEN, "save the ranking as a figure (.pdf, .svg or .png)"),
    "save": Option("FILE", ONE, WRITTEN, "save these options as a campaign.yaml", ("read",)),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, or 2 after an error."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except DataError as error:
        _print_error(f"error: {error}")
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        _print_error("stopped")
        return 130
    except OSError as error:
        _print_error(f"error: {error.filename}: {error.strerror}")
    return 2


def _print(text: object) -> None:
    """Print text with every invisible character escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    shown = escape_invisible(str(text)).encode(encoding, "backslashreplace").decode(encoding)
    print(shown, flush=True)


def _print_error(text: str) -> None:
    encoding = sys.stderr.encoding or "utf-8"
    shown = escape_invisible(text).encode(encoding, "backslashreplace").decode(encoding)
    print(shown, file=sys.stderr)


def _run(given: list[str]) -> int:
    if not given or given[0] in ("-h", "--help", "help"):
        _print("usage: rankstability COMMAND ...\n       rankstability COMMAND --help\n")
        for name, text in ABOUT.items():
            _print(f"  {name:<10} {text}")
        return 0
    command, *rest = given
    if command == "--version":
        _print(version("rankstability"))
        return 0
    if command not in USAGE:
        raise DataError("unknown_command", value=command, known=USAGE)
    if {"-h", "--help"} & set(rest):
        _print(help_text(command))
        return 0
    if command in ("formats", "campaigns") and rest:
        raise DataError("unknown_argument", value=" ".join(rest), expected="no argument")
    if command == "formats":
        return _formats()
    if command == "campaigns":
        return _campaigns()
    if command == "data":
        for name in rest:
            if not is_known(name):
                find_campaign(name)  # raises
        return 2 if download_all(rest) else 0
    return _verdict(rest) if command == "verdict" else _read(rest)


def help_text(command: str) -> str:
    """Return the usage of a command, with its options in groups."""
    lines = [f"usage: {USAGE[command]}", "", ABOUT[command]]
    if command not in ("verdict", "read"):
        return "\n".join(lines)
    groups: dict[str, list[tuple[str, str]]] = {}
    for word in WORDS.values():
        groups.setdefault(word.group, []).append((_form(word), word.help))
    for name, option in OPTIONS.items():
        if command in option.commands:
            groups.setdefault(option.group, []).append((f"--{name} {option.argument}", option.help))
    for group, rows in groups.items():
        lines += ["", f"{group}:"]
        for form, text in rows:
            first, *more = wrap(text, HELP_WIDTH - HELP_AT, break_on_hyphens=False)
            lines += [f"  {form.strip():<{HELP_AT - 3}} {first}"]
            lines += [" " * HELP_AT + line for line in more]
    return "\n".join([*lines, "", *END_OF_HELP])


def _form(word: Word) -> str:
    """Return an option that declares a table, with what it takes."""
    column = "COLUMN" if word.group == NAMES or word.name == "each" else "VALUE"
    one = "|".join(word.allowed) or column
    shown = {FLAG: "", LIST: "NAME ...", PAIRS: "A=B ...", RANGE: "LOW HIGH", NUMBER: "N"}
    return f"{word.option} {shown.get(word.kind, one)}"


# ------------------------------------------------------------------ options


def split_options(given: Sequence[str], command: str) -> tuple[list[str], dict[str, list[str]]]:
    """Split off the options that do not declare the table; return the rest, and their values.

    Raises
    ------
    DataError
        ``unknown_option`` with the nearest name, ``option_twice``, ``option_without_value``,
        ``value_of_flag`` or ``several_values``.

    >>> split_options(["a.csv", "--ask", "A", "B", "--system", "model"], "verdict")
    (['a.csv', '--system', 'model'], {'ask': ['A', 'B']})
    """
    known = [name for name, option in OPTIONS.items() if command in option.commands]
    rest: list[str] = []
    options: dict[str, list[str]] = {}
    current: list[str] | None = None
    for argument in given:
        name, equals, value = argument.removeprefix("--").partition("=")
        if argument == "--":
            current = None
            rest.append(argument)
        elif not argument.startswith("--"):
            (rest if current is None else current).append(argument)
        elif name in known:
            if name in options and OPTIONS[name].takes != TWO_EACH:
                raise DataError("option_twice", value=f"--{name}")
            current = options.setdefault(name, [])
            current += [value] if equals else []
        elif name.replace("-", "_") in WORDS:
            current = None
            rest.append(argument)
        else:
            nearest = suggest(name, [*known, *(word.replace("_", "-") for word in WORDS)])
            expected = f"--{nearest}" if nearest else None
            raise DataError("unknown_option", value=f"--{name}", expected=expected)
    for name, values in options.items():
        _check_number(name, values)
    return rest, options


def _check_number(name: str, values: Sequence[str]) -> None:
    """Raise DataError unless an option has as many values as it takes."""
    takes = OPTIONS[name].takes
    if takes == NO_VALUE and values:
        raise DataError("value_of_flag", value=" ".join(values), column=f"--{name}")
    if takes != NO_VALUE and not all(values or [""]):
        raise DataError("option_without_value", value=f"--{name}")
    if takes == ONE and len(values) > 1:
        raise DataError("several_values", value=" ".join(values), column=f"--{name}")
    if takes == TWO_EACH and len(values) % 2:
        raise DataError(
            "bad_setting", column=f"--{name}", value=" ".join(values), expected="two systems"
        )


def _number(options: Mapping[str, list[str]], name: str, kind: type) -> Any:
    """Return the number that an option gives; None if it is not given."""
    if name not in options:
        return None
    try:
        return kind(options[name][0])
    except ValueError:
        expected = "a whole number" if kind is int else "a number"
        raise DataError(
            "bad_setting", column=f"--{name}", value=options[name][0], expected=expected
        ) from None


def _text(options: Mapping[str, list[str]], name: str) -> str | None:
    return options[name][0] if name in options else None


# ------------------------------------------------------------------ judgments


def read_judgments(given: Sequence[str]) -> tuple[dict[str, Judgments], str]:
    """Return the judgments that a command line names, by pair or task, and a name for results."""
    paths, words = parse_words(given)
    if not paths or not paths[0]:
        raise DataError("no_file", expected="a file, a folder or a campaign, before all options")
    first, *chosen = paths
    if is_known(first):
        return _of_campaign(first, chosen, words), first
    result = read(first, **words)
    found = {"": result} if isinstance(result, Judgments) else dict(result)
    if chosen:
        found = {name: found[name] for name in _known_names(chosen, list(found))}
    path = Path(first).resolve()
    name = path.name.split(".")[0] or "judgments"
    return found, path.parent.name if path.name == "campaign.yaml" else name


def _of_campaign(
    campaign: str, chosen: Sequence[str], words: Mapping[str, Any]
) -> dict[str, Judgments]:
    """Return the judgments of a campaign of the catalogue: of all pairs, or of those chosen."""
    for word in words:
        if word not in CAMPAIGN_WORDS:
            raise DataError("word_of_table", value=WORDS[word].option)
    names = {" ".join(filter(None, each)): each for each in list_pairs(campaign)}
    wanted = list(names)
    if chosen:
        of_pair = [name for name, (pair, _) in names.items() if pair in chosen]
        wanted = of_pair or _known_names([" ".join(chosen)], wanted)
        _known_names([each for each in chosen if of_pair], [pair for pair, _ in names.values()])
    found = {name: load(campaign, *names[name]) for name in wanted}
    if "each" not in words:
        return found
    if len(found) > 1:
        raise DataError("several_pairs", value=campaign, expected=", ".join(found))
    return split_by(next(iter(found.values())), str(words["each"]))


def _known_names(chosen: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the chosen names; raise DataError for one that is not known."""
    for name in chosen:
        if name not in known:
            raise DataError("unknown_pair", value=name, known=filter(None, dict.fromkeys(known)))
    return list(chosen)


# ------------------------------------------------------------------ commands


def _verdict(given: Sequence[str]) -> int:
    """Write the verdict of each pair or task, and print its answer."""
    rest, options = split_options(given, "verdict")
    if "look" in options and "looks" not in options:
        raise DataError("option_without_effect", value="--look", expected="--looks, too")
    if "figure" in options:
        _check_figure(Path(options["figure"][0]))
    alpha = _number(options, "alpha", float)
    look, looks = _number(options, "look", int), _number(options, "looks", int)
    if looks is not None:
        check_count("--looks", looks)
    ask = options.get("ask", [])
    asked: dict[str, Any] = {
        "procedure": _text(options, "procedure"),
        "unit": _text(options, "unit"),
        "alpha": 0.05 if alpha is None else alpha,
        "ask": list(zip(ask[::2], ask[1::2], strict=True)),
        "baseline": _text(options, "baseline"),
        "candidates": "candidates" in options,
        "leaders": _text(options, "leaders"),
        "look": 1 if look is None else look,
        "looks": looks,
    }
    try:
        judgments, name = read_judgments(rest)
    except DataError as error:
        raise _as_verdict(error, options) from None
    _check_number_of_rankings(options, several=len(judgments) > 1)
    if "earlier" in options:
        asked["earlier"] = _single(options["earlier"][0], rest)
    title = str(parse_words(rest)[1].get("title", ""))
    folder = Path(_text(options, "output") or Path("results") / name)
    if len(judgments) == 1:
        made = verdict(next(iter(judgments.values())), folder, title=title, **asked)
        _print(f"{made.answer}\n  {folder / 'verdict.html'}")
        if "figure" in options and isinstance(made, Verdict):
            _save_figure(made, Path(options["figure"][0]))
        return 0
    several = verdict(
        judgments, folder, over_all="over-all" in options, title=title or name, **asked
    )
    _print(several.answer)
    _print(f"  {folder / 'index.html'}: all rankings side by side")
    return 0


def _check_number_of_rankings(options: Mapping[str, list[str]], several: bool) -> None:
    """Raise DataError for an option that needs one ranking, or several."""
    for option in OF_ONE if several else OF_SEVERAL:
        if option in options:
            expected = "one ranking" if several else "several rankings"
            raise DataError("option_without_effect", value=f"--{option}", expected=expected)


def _as_verdict(error: DataError, options: Mapping[str, list[str]]) -> DataError:
    """Return a refusal whose commands give the verdict, with the options that were given, too."""
    if error.remedy is None:
        return error
    given = [quoted(part) for name, values in options.items() for part in (f"--{name}", *values)]
    lines = []
    for line in error.remedy.split("\n  "):
        if line.startswith(READ):
            line = " ".join([VERDICT + line.removeprefix(READ), *given])
        lines.append(line)
    return with_commands(error, lines)


def _single(path: str, given: Sequence[str]) -> Judgments:
    """Return the judgments of an earlier file, read by the words of the present one."""
    words = parse_words(given)[1]
    known = {name: value for name, value in words.items() if name not in ("each", "title")}
    result = read(path, **known)
    if not isinstance(result, Judgments):
        raise DataError("several_tasks", file=path, value=", ".join(result))
    return result


def _check_figure(path: Path) -> None:
    """Raise DataError unless a figure can be written in the format that the name ends with."""
    if path.suffix[1:].lower() not in FIGURES:
        raise DataError(
            "bad_setting", column="--figure", value=path.name, expected=".pdf, .svg or .png"
        )


def _save_figure(made: Verdict, path: Path) -> None:
    """Write the ranking as a figure whose bytes depend on the picture alone."""
    kind = path.suffix[1:].lower()
    drawn = BytesIO()
    plot_ranking(made.ranking).savefig(drawn, format=kind, metadata=FIGURES[kind])
    write_folder(path.parent, {path.name: drawn.getvalue()})
    _print(f"  {path}")


def _read(given: Sequence[str]) -> int:
    """Print how a file is read."""
    rest, options = split_options(given, "read")
    save = _text(options, "save")
    if save:
        _check_save(rest)
    judgments, _ = read_judgments(rest)
    for name, each in judgments.items():
        if name:
            _print(f"{name}:")
        for line in describe_reading(each):
            _print(line)
    for line in describe_settings(next(iter(judgments.values()))):
        _print(line)
    if save:
        _save_words(rest, Path(save))
        _print(f"written: {save}")
    return 0


def _check_save(given: Sequence[str]) -> None:
    """Raise DataError unless words can be saved that read the same: those of a whole file."""
    paths, _ = parse_words(given)
    if paths and (is_known(paths[0]) or len(paths) > 1):
        raise DataError(
            "option_without_effect", value="--save", expected="a whole file or folder to be read"
        )


def _save_words(given: Sequence[str], target: Path) -> None:
    """Write the words of a command line as ``campaign.yaml``, with the path of the data.

    The words of a ``campaign.yaml`` that was read are written, too.
    """
    paths, words = parse_words(given)
    path, words = with_settings(Path(paths[0]), words)
    data, folder = path.resolve(), target.resolve().parent
    inside = data.is_relative_to(folder)
    write_settings(words, target, str(data.relative_to(folder) if inside else data))


def _formats() -> int:
    """Print the formats of the field."""
    for row in table().itertuples():
        _print(f"{row.format:<18} {row.about}")
    _print("any other table    name its columns with options (see rankstability read --help)")
    return 0


def _campaigns() -> int:
    """Print the campaigns of the catalogue."""
    known = campaigns()
    columns = ["campaign", "title", "year", "protocol", "pairs", "here"]
    _print(known[[name for name in columns if name in known]].to_string(index=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
