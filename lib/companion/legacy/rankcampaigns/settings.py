"""``campaign.yaml``: what a user says about the campaign in a folder."""

import contextlib
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from companion.legacy.rankstability import schema
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import ZERO_VARIANCE

from . import columns, folder, formats, guesses, languages, text
from .catalogue import WORDS, Campaign

NAMES = ("campaign.yaml", "campaign.yml")
ASKED = (
    "columns",
    "wide",
    "scale",
    "decimal",
    "sheet",
    "missing",
    "humans",
    "judges",
    "weights",
)  # settings that the command line takes, too
EVERY = set(formats.FORMATS)
FIT = {  # the formats of which a setting of the command line may be; the others: long tables
    "humans": EVERY,
    "judges": EVERY,
    "columns": {"long", "battles"},
    "weights": {
        name
        for name, form in formats.FORMATS.items()
        if form.protocol == "MQM"
    },
}
SCORED = {
    "long",
    "pearmut",
    "wmt24",
    "wmt25",
    "mtme",
}  # single scores, see `long.reader`
EXPORTS = {"appraise", "esa", "appraise-mqm"}
IN_FILE = {  # the formats in which a setting of campaign.yaml does something; others: `FIT`, or all
    "scale": SCORED,
    "annotator": (SCORED - {"mtme"}) | EXPORTS,
    "zero_variance": (SCORED - {"mtme"}) | EXPORTS | {"da"},
    **{name: {"long"} for name in ("wide", "decimal", "sheet", "missing")},
}
LARGEST = 1 << 16  # bytes of a campaign.yaml
LONGEST = 40  # characters of a word for systems, segments, ...
DIGITS = 100  # characters of a number in a campaign.yaml
WIDEST = 1e9  # distance of a scale's ends from zero


class Plain(yaml.SafeLoader):
    """YAML without aliases, tags and overlong numbers, and with each key once.

    So a small file stays small in memory.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        """A node; raises ComposerError for an alias or a tag."""
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or event.tag:
            problem = "aliases and tags are not read"
            raise yaml.composer.ComposerError(
                None, None, problem, event.start_mark
            )
        return super().compose_node(parent, index)

    def construct_scalar(self, node: Any) -> Any:
        """A value as text; raises ConstructorError for a number longer than `DIGITS`."""
        if len(node.value) > DIGITS and node.tag.endswith((":int", ":float")):
            problem = f"a number of more than {DIGITS} characters"
            raise yaml.constructor.ConstructorError(
                None, None, problem, node.start_mark
            )
        return super().construct_scalar(node)

    def construct_mapping(
        self, node: Any, deep: bool = False
    ) -> dict[Any, Any]:
        """A mapping; raises ConstructorError for a key that appears twice."""
        names = [key.value for key, _ in node.value]
        for key in (
            key for key, _ in node.value[::-1] if names.count(key.value) > 1
        ):
            problem = f"{str(key.value)[:40]} appears twice"
            raise yaml.constructor.ConstructorError(
                None, None, problem, key.start_mark
            )
        return super().construct_mapping(node, deep)


def _word(value: object) -> bool:
    return type(value) in (str, int, float)


def _words(value: object) -> bool:
    return isinstance(value, list) and all(map(_word, value))


def _each_once(values: Collection[object]) -> bool:
    return len(set(map(str, values))) == len(values)


def _line(value: object) -> bool:
    return _word(value) and not schema.CONTROL.search(str(value))


def _is_scale(value: Any) -> bool:
    two = isinstance(value, list) and len(value) == 2
    numbers = two and {*map(type, value)} <= {int, float}
    return numbers and bool(-WIDEST <= value[0] < value[1] <= WIDEST)


def _is_columns(value: Any) -> bool:
    of_battles = {*columns.BATTLE, *columns.BESIDE_BATTLE}
    named = set(value) if isinstance(value, dict) else {""}
    known = named <= set(columns.FIELDS) or named <= of_battles
    return (
        known and _words(list(value.values())) and _each_once(value.values())
    )


def _is_wide(value: Any) -> bool:
    return value == "all" or (
        _words(value) and len(value) > 1 and _each_once(value)
    )


def _is_people(value: Any) -> bool:
    if not isinstance(value, dict) or not _words(list(value)):
        return False
    lists = [
        those if isinstance(those, list) else [those]
        for those in value.values()
    ]
    texts = [*value, *(one for those in lists for one in those)]
    return all(lists) and all(_line(one) and str(one).strip() for one in texts)


def _is_judges(value: Any) -> bool:
    named = isinstance(value, dict) and len(value) and all(map(_line, value))
    return _words(value) or bool(named and all(map(_line, value.values())))


def _is_words(value: Any) -> bool:
    known = isinstance(value, dict) and set(value) <= NAMED
    return known and all(
        isinstance(word, str)
        and word.isprintable()
        and 0 < len(word.strip()) <= LONGEST
        for word in value.values()
    )


def _one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


PEOPLE = "{annotator: [accounts]}, such as {A: [sggdeu08*, sggdeu09*]}"
JUDGES = "[GPT-4, gemba*], [] if all are people, {file: judges.tsv} or {GPT-4: battles.csv}"
MAPPED = "{ours: yours}, each column once; ours: " + ", ".join(columns.FIELDS)
MAPPED += "; of battles: " + ", ".join(
    (*columns.BATTLE, *columns.BESIDE_BATTLE)
)
NAMED = {"protocol", *WORDS, *(f"{name}s" for name in WORDS)}
SPOKEN = (
    "{system: model, segment: question}, of "
    + ", ".join(WORDS)
    + ", their plurals, protocol"
)
BILINGUAL = "unknown way of judging"
NO_SPREAD = "unknown rule for workers whose scores never vary"
FIELDS: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    # name: (a test of the value, the problem if it fails, what is expected)
    "title": (_line, "not a title", "one line of text"),
    "style": (
        _one_of("", "SR-DC", "SR+DC"),
        "unknown style",
        "SR-DC or SR+DC",
    ),
    "tool": (_line, "not a name", "such as Appraise"),
    "judged": (
        _one_of("", "bilingual", "monolingual"),
        BILINGUAL,
        "bilingual or monolingual",
    ),
    "year": (
        lambda value: type(value) is int and 0 <= value < 10_000,
        "not a year",
        "such as 2025",
    ),
    "citation": (_line, "not a citation", "one line of text"),
    "licence": (_line, "not a licence", "one line of text"),
    "format": (
        _one_of(*formats.FORMATS),
        "unknown format",
        "one of " + ", ".join(formats.FORMATS),
    ),
    "files": (_words, "not a list", "a list of file names"),
    "pair": (
        lambda value: bool(languages.pair_of(str(value))),
        "not a language pair",
        "a pair such as cs-en",
    ),
    "zero_variance": (_one_of(*ZERO_VARIANCE), NO_SPREAD, "zero or drop"),
    "adaptive": (
        lambda value: isinstance(value, bool),
        "neither true nor false",
        "true or false",
    ),
    "scale": (_is_scale, "not a scale", "[lowest, highest], such as [1, 5]"),
    "columns": (_is_columns, "not a mapping of columns", MAPPED),
    "words": (_is_words, "not a mapping of words", SPOKEN),
    "wide": (
        _is_wide,
        "not columns of systems",
        "[A, B, ...], the columns, each once; or all",
    ),
    "sheet": (_line, "not the name of a sheet", "one line of text"),
    "missing": (
        _words,
        "not a list of words",
        "[k. A., -], words for no score",
    ),
    "humans": (
        _words,
        "not a list of systems",
        "[ref-A, HT], human translations or references",
    ),
    "decimal": (_one_of(",", "."), "not a decimal sign", "',' or '.'"),
    "weights": (
        lambda value: isinstance(value, str),
        "not a name",
        "such as critical25",
    ),
    "annotator": (_is_people, "not a mapping of annotators", PEOPLE),
    "judges": (_is_judges, "neither names of judges nor their files", JUDGES),
}
KNOWN = "`field: value` lines, without aliases and tags; fields: " + ", ".join(
    FIELDS
)


def settings_file(place: Path) -> Path:
    """The ``campaign.yaml`` or ``.yml`` of a folder, whatever its case; DataError if several."""
    named = sorted(one for one in place.iterdir() if one.name.lower() in NAMES)
    for one in (one for one in named if one.is_symlink() and not one.exists()):
        raise DataError(
            "a link to a file that is not there", file=one, expected="settings"
        )
    for one in (one for one in named if not one.is_file()):
        raise DataError("not a file", file=one, expected="settings")
    here = list(named)
    if len(here) > 1:
        raise DataError(
            "two settings files", file=here, expected="one of them"
        )
    return here[0] if here else place / NAMES[0]


def read_settings(file: Path) -> dict[str, Any]:
    """The fields of a ``campaign.yaml``, checked; empty if there is no such file."""
    return _checked(_parsed(file), file) if file.is_file() else {}


def told(words: Mapping[str, str]) -> dict[str, Any]:
    """Settings of the command line (those of `ASKED`) in the form of campaign.yaml, checked.

    ``columns="system=MT engine,score=Adequacy (0-100)"``, ``wide=A,B`` or ``wide=all``,
    ``scale=1,5``, ``decimal=,``, ``sheet=Ratings``, ``missing="k. A.,-"``, ``humans=HT,ref-A``
    (empty: none), ``judges=GPT-4,gemba*`` (empty: all are people) or ``judges=file:judges.tsv``.
    Raises DataError for a value of another form.
    """
    entry: dict[str, Any] = dict(words)
    if "columns" in words:
        ours = "|".join(
            (*columns.FIELDS, *columns.BATTLE, *columns.BESIDE_BATTLE)
        )
        parts = re.split(rf",\s*(?=(?:{ours})\s*=)", words["columns"])
        cut = [part.partition("=") for part in parts]
        entry["columns"] = {
            name.strip(): theirs.strip() for name, _, theirs in cut
        }
        if len(cut) > len(entry["columns"]) or not all(
            entry["columns"].values()
        ):
            expected = (
                'such as columns="system=MT engine,score=Adequacy (0-100)"'
            )
            raise DataError(
                "not a mapping of columns",
                value=words["columns"],
                expected=expected,
            )
    if words.get("wide", "all") != "all":
        entry["wide"] = [name.strip() for name in words["wide"].split(",")]
    for name in {"missing", "humans"} & set(words):
        entry[name] = [
            word.strip() for word in words[name].split(",") if word.strip()
        ]
    if "judges" in words:
        entry["judges"] = _judges_told(words["judges"])
    if "scale" in words:
        ends = [end.strip(" []") for end in words["scale"].split(",")]
        entry["scale"] = ends
        with contextlib.suppress(yaml.YAMLError, ValueError):
            entry["scale"] = [yaml.load(end, Plain) for end in ends]
    return _checked(entry, None)


def fit(said: Mapping[str, Any], campaign: Campaign) -> None:
    """Raises DataError for settings of the command line that do not concern the campaign."""
    fitting = {name: FIT.get(name, {"long"}) for name in said}
    wrong = [
        name
        for name in said
        if not campaign.own or campaign.format not in fitting[name]
    ]
    if not wrong:
        return
    forms = set[str]().union(*(fitting[name] for name in wrong))
    expected = "a campaign of your own"
    if campaign.own:
        expected = "a table of your own in the format " + " or ".join(
            sorted(forms)
        )
    value = f"{campaign.name}, format {campaign.format}"
    problem = f"settings of a table: {', '.join(wrong)}"
    raise DataError(problem, value=value, expected=expected)


def refuse_idle(said: Mapping[str, Any], form: str, file: Path) -> None:
    """Raises DataError for a field of a campaign.yaml that does nothing in this format."""
    for name in said:
        fitting = IN_FILE.get(name) or FIT.get(name, EVERY)
        if form not in fitting:
            problem = f"`{name}:` does nothing for files of the format {form}"
            expected = "it for " + " or ".join(sorted(fitting))
            raise DataError(
                problem,
                file=file,
                column=name,
                value=said[name],
                expected=expected,
            )


def _judges_told(words: str) -> list[str] | dict[str, str]:
    """``judges=`` of the command line: names, or ``name:file`` of each; or as in campaign.yaml."""
    if words.strip()[:1] in ("[", "{"):
        with contextlib.suppress(yaml.YAMLError, ValueError):
            return yaml.load(
                words, Plain
            )  # what is neither list nor mapping is refused later
    parts = [part.strip() for part in words.split(",") if part.strip()]
    if parts and all(":" in part for part in parts):
        cut = [part.partition(":") for part in parts]
        return {name.strip(): file.strip() for name, _, file in cut}
    return parts


def write_settings(path: Path, said: Mapping[str, Any]) -> Path:
    """Write the settings of a table (or of those in a folder) to a ``campaign.yaml``; its path.

    `said` are settings already given; the others are guessed (`guesses.settled`). Raises DataError
    if there is one already, or the judgments cannot be read with these settings.
    """
    file = settings_file(path if path.is_dir() else path.parent)
    if file.is_file():
        raise DataError(
            "settings exist already", file=file, expected="no campaign.yaml"
        )
    tables = folder.tables(path)
    if not tables or {formats.kind_of(one) for one in tables} - {"", "long"}:
        raise DataError(
            "no long table",
            file=path,
            expected="a table with one judgment per row",
        )
    entries = []
    for table in tables:
        with text.placed(table):
            fought = {} if said.get("columns") else guesses.battle(table)
            entries.append(
                {"columns": fought, **said}
                if fought
                else guesses.settled(table, said)
            )
    if any(entry != entries[0] for entry in entries):
        raise DataError(
            "tables of several forms",
            file=tables,
            expected="one of them as PATH",
        )
    entry = entries[0]
    if path.is_file() and any(
        one != path for one in folder.named_tables(path.parent)
    ):
        entry = {**entry, "files": [path.name]}
    _checked(entry, file)
    form = "battles" if {*columns.BATTLE} <= set(entry["columns"]) else "long"
    reader = formats.reader(form)
    source = folder.Source(path, tuple(tables), entry)
    for pair in reader.pairs(source):
        reader.read(source, pair)
    part = file.with_name(f".{file.name}.part")
    try:
        part.write_text(guesses.written(entry), encoding="utf-8")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return file


def _checked(entry: dict[str, Any], file: Path | None) -> dict[str, Any]:
    """Settings, with every value checked, in the form that readers take."""
    for key, value in entry.items():
        brief = value if len(str(value)) < 80 else str(value)[:80]
        if key not in FIELDS:
            wrong = partial(
                DataError, file=file, column=str(key)[:80], value=str(brief)
            )
            raise wrong(
                "unknown field", expected="one of " + ", ".join(FIELDS)
            )
        good, problem, expected = FIELDS[key]
        if not good(value):
            raise DataError(
                problem, file=file, column=key, value=brief, expected=expected
            )
    files = entry.get("files", [])
    named = set()
    wrong = partial(DataError, file=file, column="files", value=files)
    for name in map(str, files):
        found = folder.named_file(file.parent, name) if file else None
        if Path(name).name != name or not found:
            raise wrong(
                f"no file {name} in the folder",
                expected="names of files in it",
            )
        if found in named:
            raise wrong(f"{name} appears twice", expected="each file once")
        named.add(found)
    if isinstance(entry.get("judges"), dict):
        _judges_here(entry["judges"], file)
    if "pair" in entry:
        entry["pair"] = languages.pair_of(entry["pair"])
    if "columns" in entry:
        entry["columns"] = {
            ours: str(theirs) for ours, theirs in entry["columns"].items()
        }
    for name in {"missing", "humans"} & set(entry):
        entry[name] = [str(word) for word in entry[name]]
    if isinstance(entry.get("wide"), list):
        entry["wide"] = [str(name) for name in entry["wide"]]
    if "annotator" in entry:
        of = entry["annotator"].items()
        listed = {
            str(who): those if isinstance(those, list) else [those]
            for who, those in of
        }
        entry["annotator"] = {
            who: list(map(str, those)) for who, those in listed.items()
        }
    return entry


def _judges_here(said: Mapping[Any, Any], file: Path | None) -> None:
    """Raises DataError for a file of judges that is not in the folder of campaign.yaml."""
    for name in map(str, said.values()):
        if file and (
            Path(name).name != name or not folder.named_file(file.parent, name)
        ):
            wrong = partial(DataError, file=file, column="judges", value=name)
            raise wrong(
                "no such file of judges in the folder",
                expected="the name of a file in it",
            )


def _parsed(file: Path) -> dict[Any, Any]:
    wrong = partial(DataError, file=file)
    if (size := file.stat().st_size) > LARGEST:
        raise wrong(
            "too large for settings",
            value=f"{size} bytes",
            expected=f"at most {LARGEST}",
        )
    if not size:
        raise wrong("the file is empty", expected=KNOWN)
    try:
        entry = yaml.load(text.content(file), Plain) or {}
    except RecursionError:
        raise wrong("not YAML: nested too deeply", expected=KNOWN) from None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = f"not YAML: {str(error).splitlines()[0]}"
        raise wrong(
            problem, line=mark.line + 1 if mark else None, expected=KNOWN
        ) from None
    if not isinstance(entry, dict):
        raise wrong("not a mapping", expected="title: ...")
    return entry
