"""The command line: ``rankstability verdict | read | formats | campaigns | data``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .codes import EXCLUSIONS, NOTES
from .errors import DataError, escape_invisible, suggest
from .io.catalogue import is_known
from .io.declare import FLAG, LIST, PAIRS, WORDS, parse_words
from .io.download import download_all
from .io.formats.registry import table
from .io.load import campaigns, load, pairs
from .io.read import read
from .io.settings import write_settings
from .judgments import Judgments
from .verdict.page import overview, verdict

COMMANDS = {
    "verdict": "say how far a ranking can be trusted, as one page",
    "read": "show how a file is read, and stop there",
    "formats": "list the formats that are recognised by their headers",
    "campaigns": "list the campaigns of the catalogue",
    "data": "download the official release of a campaign",
}
OPTIONS = (  # options beside the words that declare a table: name, what follows, help
    ("--campaign-pair", "PAIR", "the language pair or task, where there are several"),
    ("--output", "FOLDER", "where to write; by default a folder named after the file"),
    ("--procedure", "NAME", "a year of WMT (wmt17 to wmt26), or plain"),
    ("--unit", "UNIT", "the sampling unit, such as document"),
    ("--alpha", "LEVEL", "the probability of any false statement; by default 0.05"),
    ("--ask", "A B", "is A better than B? (asked before the scores were seen)"),
    ("--baseline", "A", "which systems differ from A? (asked before the scores were seen)"),
    ("--candidates", "", "which system should be chosen, and what does the choice cost at most?"),
    ("--look", "K", "this look at a running campaign"),
    ("--looks", "L", "the number of planned looks"),
    ("--save", "FILE", "read: write the words down as campaign.yaml"),
)
USAGE = "usage: rankstability COMMAND [FILE] [OPTIONS]; rankstability COMMAND --help"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, or 2 after an error."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0
    except OSError as error:
        print(escape_invisible(f"error: {error.filename}: {error.strerror}"), file=sys.stderr)
        return 2


def _run(given: list[str]) -> int:
    if not given or given[0] in ("-h", "--help", "help"):
        print(USAGE + "\n")
        for name, text in COMMANDS.items():
            print(f"  {name:<10} {text}")
        return 0
    command, *rest = given
    if command == "--version":
        print(version("rankstability"))
        return 0
    if command not in COMMANDS:
        nearest = suggest(command, COMMANDS)
        raise DataError("unknown_command", value=command, expected=nearest or ", ".join(COMMANDS))
    if {"-h", "--help"} & set(rest):
        _print_help(command)
        return 0
    return {
        "verdict": _verdict,
        "read": _read,
        "formats": _formats,
        "campaigns": _campaigns,
        "data": _data,
    }[command](rest)


def _print_help(command: str) -> None:
    """Print the options of a command in groups."""
    print(f"usage: rankstability {command} [FILE or CAMPAIGN] [OPTIONS]\n\n{COMMANDS[command]}")
    if command not in ("verdict", "read"):
        return
    groups: dict[str, list[tuple[str, str]]] = {"the answer": []}
    for name, argument, text in OPTIONS:
        if (name == "--save") == (command == "read") or (command == "verdict" and name != "--save"):
            groups["the answer"].append((f"{name} {argument}".strip(), text))
    shown = {FLAG: "", LIST: " NAME ...", PAIRS: " A=B ..."}
    for word in WORDS.values():
        groups.setdefault(word.group, []).append(
            (word.option + shown.get(word.kind, " X"), word.help)
        )
    for group, rows in groups.items():
        print(f"\n{group}:")
        for name, text in rows:
            print(f"  {name:<26} {text}")


def split_options(given: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Split off the options that do not declare the table; return the rest, and their values."""
    known = {name: argument for name, argument, _ in OPTIONS}
    rest: list[str] = []
    options: dict[str, list[str]] = {}
    current: list[str] | None = None
    for argument in given:
        name, equals, value = argument.partition("=")
        if argument.startswith("--") and name in known:
            current = options.setdefault(name[2:].replace("-", "_"), [])
            if equals:
                current.append(value)
            if not known[name]:
                current = None
        elif argument.startswith("--"):
            current = None
            rest.append(argument)
        elif current is not None:
            current.append(argument)
        else:
            rest.append(argument)
    return rest, options


def _one(options: dict[str, list[str]], name: str) -> str | None:
    """Return the single value of an option; None if it is not given."""
    if name not in options:
        return None
    values = options[name]
    if len(values) != 1:
        code = "several_values" if values else "option_without_value"
        raise DataError(code, value=" ".join(values) or f"--{name}", column=f"--{name}")
    return values[0]


def _number(options: dict[str, list[str]], name: str, kind: type) -> Any:
    text = _one(options, name)
    if text is None:
        return None
    try:
        return kind(text)
    except ValueError:
        raise DataError(
            "bad_setting", column=f"--{name}", value=text, expected="a number"
        ) from None


def _load(given: Sequence[str], options: dict[str, list[str]]) -> tuple[dict[str, Any], str]:
    """Return the judgments that a command line names, by pair or task, and a name for results."""
    paths, words = parse_words(given)
    pair = _one(options, "campaign_pair") or ""
    if not paths:
        raise DataError("no_file", expected="a file, a folder or a campaign")
    if is_known(paths[0]):
        pair = pair or (paths[1] if len(paths) > 1 else "")
        known = pairs(paths[0])
        chosen = known if not pair else known[known["pair"] == pair]
        if chosen.empty:
            raise DataError("unknown_pair", value=pair, expected=", ".join(known["pair"].unique()))
        rows = chosen[["pair", "task"]].drop_duplicates()
        found = {
            " ".join(filter(None, (row.pair, row.task))): load(paths[0], row.pair, row.task)
            for row in rows.itertuples()
        }
        return found, paths[0]
    if len(paths) > 1:
        raise DataError("several_values", value=" ".join(paths), column="FILE")
    result = read(paths[0], **words)
    found = {"": result} if isinstance(result, Judgments) else dict(result)
    if pair:
        if pair not in found:
            raise DataError("unknown_pair", value=pair, expected=", ".join(found))
        found = {pair: found[pair]}
    name = Path(paths[0]).name.split(".")[0] or "judgments"
    return found, name if name != "campaign" else Path(paths[0]).resolve().parent.name


def _verdict(given: Sequence[str]) -> int:
    """Write the verdict of each pair or task, and print its answer."""
    rest, options = split_options(given)
    judgments, name = _load(rest, options)
    alpha = _number(options, "alpha", float) or 0.05
    ask = options.get("ask", [])
    if len(ask) % 2:
        raise DataError("bad_setting", column="--ask", value=" ".join(ask), expected="two systems")
    look, looks = _number(options, "look", int), _number(options, "looks", int)
    declared_each = any("each" in each.declared for each in judgments.values())
    several = len(judgments) if declared_each else 1
    made = {
        key: verdict(
            each,
            procedure=_one(options, "procedure"),
            unit=_one(options, "unit"),
            alpha=alpha / several,
            ask=[tuple(ask[k : k + 2]) for k in range(0, len(ask), 2)],
            baseline=_one(options, "baseline"),
            candidates="candidates" in options,
            look=look,
            looks=looks,
        )
        for key, each in judgments.items()
    }
    folder = Path(_one(options, "output") or Path("results") / name)
    for key, each in made.items():
        target = folder / _safe(key) if len(made) > 1 else folder
        each.save(target)
        title = f"{key}: " if key else ""
        print(escape_invisible(f"{title}{each.answer}"))
        print(f"  {target / 'verdict.html'}")
    if len(made) > 1:
        page = overview({_safe(key): each for key, each in made.items()}, alpha)
        (folder / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")
        print(f"  {folder / 'index.html'}: all of them side by side")
    return 0


def _safe(name: str) -> str:
    """Return a name as the name of a folder."""
    text = "".join(c if c.isalnum() or c in "-_. " else "_" for c in escape_invisible(name)).strip(
        ". "
    )
    return text[:80] or "all"


def _read(given: Sequence[str]) -> int:
    """Print how a file is read."""
    rest, options = split_options(given)
    judgments, _ = _load(rest, options)
    for key, each in judgments.items():
        if key:
            print(escape_invisible(key))
        print(each)
        row = each.table.iloc[0]
        values = ", ".join(
            f"{name} {value}" for name, value in row.items() if str(value) not in ("nan", "")
        )
        print(escape_invisible(f"one judgment as read: {values}"))
        for note in each.notes.itertuples():
            print(
                escape_invisible(
                    f"note: {note.rows:,} {_sentence(note.code)} {note.detail}".rstrip()
                )
            )
    save = _one(options, "save")
    if save:
        paths, words = parse_words(rest)
        target = Path(save)
        data = Path(paths[0]).resolve()
        inside = data.is_relative_to(target.resolve().parent)
        write_settings(
            words, target, str(data.relative_to(target.resolve().parent) if inside else data)
        )
        print(f"written: {save}")
    return 0


def _sentence(code: str) -> str:
    return {**NOTES, **EXCLUSIONS}.get(code, code)


def _formats(_: Sequence[str]) -> int:
    """Print the formats of the field."""
    for row in table().itertuples():
        print(f"{row.format:<18} {row.about}")
    print("any other table     declare its columns: rankstability read --help")
    return 0


def _campaigns(_: Sequence[str]) -> int:
    """Print the campaigns of the catalogue."""
    print(campaigns().to_string(index=False))
    return 0


def _data(given: Sequence[str]) -> int:
    """Download one campaign, or all."""
    return download_all(given)


if __name__ == "__main__":
    sys.exit(main())
