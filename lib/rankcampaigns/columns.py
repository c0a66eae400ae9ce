"""The columns of a long table: which of a file's are ours, and the language pair of its rows."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from rankstability.errors import DataError

from . import binary, languages, tables, text
from .tables import Table

MISSING = ("", "na", "n/a", "nan", "null", "none")  # cells that hold nothing, in lower case
PERCENT, PENALTIES = (0.0, 100.0), (-np.inf, 0.0)  # scales that formats prescribe
NEEDED = ("system", "segment", "score")
BESIDE = ("segment", "document", "annotator")  # one is needed next to columns of systems
FIELDS = {  # our column: names it may have, as `plain` writes them
    "system": ("system", "systemid", "sys", "model", "engine"),
    "segment": ("segment", "segmentid", "segid", "seg"),
    "score": ("score", "rating", "rawscore"),
    "annotator": ("annotator", "annotatorid", "worker", "workerid", "rater", "raterid", "judge"),
    "hit": ("hit", "hitid", "task", "taskid"),
    "document": ("document", "documentid", "doc", "docid"),
    "domain": ("domain",),
    "pair": ("pair", "languagepair", "langs", "lp"),
    "type": ("type", "itemtype"),
    "time": ("time", "seconds", "duration", "leadtime"),
}
ELSE = {  # names that are tried if no column has one of `FIELDS`
    "system": ("product", "productid", "modelname", "systemname", "enginename", "mtengine"),
    "segment": ("question", "questionid", "prompt", "promptid", "item", "sampleid"),
    "score": ("answer",),
    "annotator": ("user", "userid", "respondent", "respondentid", "participant", "participantid"),
}
LIKELY = {  # words that make a column likely to be ours: suggested, never used unasked
    "system": {"system", "engine", "model", "product", "mt", "provider", "service", "vendor"},
    "segment": {"segment", "sentence", "item", "question", "prompt", "example", "sample", "line"},
    "annotator": {"annotator", "rater", "judge", "user", "evaluator", "assessor", "reviewer"},
    "score": {"score", "rating", "adequacy", "fluency", "quality", "answer", "grade", "points"},
}
LIKELY["annotator"] |= {"respondent", "participant", "worker", "person", "who", "name"}
LIKELY["score"] |= {"mark", "stars", "evaluation", "assessment", "value", "percent"}
DECIMAL = re.compile(r"[-+]?\d+(,\d+)?")  # an integer, or a number with a decimal comma
THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})*")
RANGE = re.compile(r"(-?\d+)\s*(?:-|\u2013|to|\.\.)\s*(\d+)\W*$")  # a scale in a name
TOLD_BY = "campaign.yaml"
# the names that Appraise makes for a campaign's accounts
ACCOUNT = re.compile(r"([a-z]{3})([a-z]{3})(?=[a-f]*[0-9])[0-9a-f]{2,}$")
WRITES = "`rankstability verdict PATH --write-settings` writes it"


@dataclass(frozen=True)
class Judged:
    """The single scores of one file."""

    table: Table  # text, in the file's own columns; one row per score, given or missing
    names: Mapping[str, str]  # our column (of `FIELDS`) to the file's
    excluded: Mapping[str, int]  # rows of the file that are not in the table, by reason
    pair: str = ""  # the pair of all rows if no column names it
    pair_from: str = ""  # where that pair comes from
    scale: tuple[float, float] | None = None  # what the format prescribes, if it does
    said: Said = ()  # what else was understood

    def column(self, name: str) -> pd.Series:
        """One of our columns as text; all empty if the file does not have it."""
        if name not in self.names:
            return pd.Series("", index=self.table.frame.index, dtype=object)
        return self.table.frame[self.names[name]].astype(object)

    def pairs(self) -> np.ndarray:
        """The language pair of each row. Raises DataError if a cell does not name one."""
        if "pair" not in self.names:
            return np.full(len(self.table.frame), self.pair, dtype=object)
        written = self.column("pair")
        ours = written.map({one: languages.pair_of(one) for one in written.unique()})
        bad = np.flatnonzero((ours == "").to_numpy())
        if len(bad):
            expected = "a pair such as cs-en"
            raise self.table.error("not a language pair", bad[0], self.names["pair"], expected)
        return ours.to_numpy(dtype=object)

    def scores(self) -> np.ndarray:
        """Scores as numbers, NaN where a cell is empty or not a number."""
        return pd.to_numeric(self.column("score"), errors="coerce").to_numpy(float)


Opener = Callable[[Path, Mapping[str, Any]], Judged]
Open = dict[str, list[str]]  # our columns that may be several of the file's, or none
Said = tuple[tuple[str, str, str], ...]  # what, value, said by ("": settings)


def plain(name: str) -> str:
    """A name in lower case, reduced to its letters and digits."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def columns_of(header: Sequence[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Our columns to those of a header, by `mapping` or else by the names of `FIELDS` and `ELSE`.

    Raises DataError if several columns may be the same one of ours, or the header lacks one of
    `mapping`.
    """
    found = {}
    free = [(name, plain(name)) for name in header if name not in mapping.values()]
    for ours, names in FIELDS.items():
        exact = [name for name, known in free if known == ours]
        may = exact or [name for name, known in free if known in names]
        may = may or [name for name, known in free if known in ELSE.get(ours, ())]
        if ours in mapping:
            may, there = [mapping[ours]], ", ".join(header)
            if mapping[ours] not in header:
                raise DataError(f"no such column for {ours}", value=mapping[ours], expected=there)
        if len(may) > 1:
            told = asked(ours, may[0])
            expected = f"`columns: {{{ours}: {may[0]}}}` in a campaign.yaml, or {told}"
            problem = f"several columns may be the {ours}"
            raise DataError(problem, value=", ".join(may), expected=expected)
        if may:
            found[ours] = may[0]
    return found


def knows(path: Path, line: str) -> bool:
    """Whether the first line names system, segment and score."""
    return not set(NEEDED) - set(_guess(path, line))


def _guess(path: Path, line: str) -> dict[str, str]:
    try:
        return columns_of(header(path, line), {})
    except DataError:
        return {name: "" for name in NEEDED}  # close enough for an error that names its columns


def header(path: Path, line: str) -> list[str]:
    """The column names (of JSON: all keys) in the first line of a file."""
    if binary.holds(path):
        return binary.names(path)
    if line.lstrip()[:1] in ("{", "["):
        return re.findall(r'"(\w[\w .-]*)"\s*:', line)
    return [name.strip() for name in tables.cells(line, tables.separator(line))]


def asked(ours: str, theirs: str) -> str:
    """The command-line argument that names a column."""
    return f'columns="{ours}={theirs}"'


def almost(path: Path, line: str) -> tuple[str, str]:
    """What a file lacks to be a long table, and the remedy; both empty if it is unlike one."""
    columns = header(path, line)
    found = _guess(path, line)
    likely = {ours for ours in LIKELY if any(_words(name) & LIKELY[ours] for name in columns)}
    near, missing = likely | set(found), [name for name in NEEDED if name not in found]
    entry: dict[str, Any] = {}
    open_: Open = {"": []}
    if near:
        with contextlib.suppress(DataError):  # a damaged row: reported when it is read
            entry, open_ = proposed(path, {})
    if "wide" not in entry and not (len(near) > 1 and {"system", "score"} & near):
        return "", ""
    if "wide" in entry:
        names = ", ".join(entry["wide"][:4]) + (", ..." if len(entry["wide"]) > 4 else "")
        like = f"it looks like a wide table with a column for each system ({names})"
    else:
        like = f"it looks like a long table without a column for {' and '.join(missing)}"
    if not open_:
        return like, shown(entry)
    guessed = entry.get("columns", {})
    may = {ours: open_.get(ours) or [guessed.get(ours, "<your column>")] for ours in missing}
    hints = ", ".join(f"{ours}: {' or '.join(names)}" for ours, names in may.items())
    told = f"or {asked(missing[0], 'your column')} on the command line"
    return like, f"`columns: {{{hints}}}` in a campaign.yaml beside it, {told}"


def shown(entry: Mapping[str, Any]) -> str:
    """Guessed settings, as a campaign.yaml for the user to accept."""
    return f"a campaign.yaml beside it ({WRITES}):\n{written(entry)}"


def written(entry: Mapping[str, Any]) -> str:
    """Settings as the text of a campaign.yaml, one per line."""
    return yaml.safe_dump(
        dict(entry), default_flow_style=None, allow_unicode=True, sort_keys=False, width=10**6
    )


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()))


def proposed(path: Path, settings: Mapping[str, Any]) -> tuple[dict[str, Any], Open]:
    """Settings under which a file is a long table, guessed from names and values; what stays open.

    A column is guessed if it alone has a likely name (`LIKELY`) and fitting values, or is the only
    one left with fitting values. What stays open maps a column of ours to those it may be.
    """
    table = tables.any_table(path)
    cells = {name: column.astype(str).tolist() for name, column in table.frame.items()}
    found = columns_of(list(cells), settings.get("columns") or {})
    systems = _side_by_side(cells, found)
    entry: dict[str, Any] = {}
    if len(systems) > 1:
        entry["wide"] = systems
        left = {name: one for name, one in cells.items() if name not in systems}
        guessed, open_ = _guessed(left, found, ("segment", "annotator"))
    else:
        guessed, open_ = _guessed(cells, found, tuple(LIKELY))
        scale = RANGE.search(guessed.get("score", found.get("score", "")))
        if scale and int(scale[1]) < int(scale[2]):
            entry["scale"] = [int(scale[1]), int(scale[2])]
    return ({"columns": guessed} if guessed else {}) | entry, open_


def settled(path: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    """All settings by which a table is read: `said`, `proposed`, and all other renamed columns.

    Raises DataError if names and values leave a column open.
    """
    with text.placed(path, 1):
        entry, open_ = ({}, {}) if said.get("wide") else proposed(path, said)
        for ours, may in open_.items():
            problem = f"{'several columns' if may else 'no column'} may be the {ours}"
            value = ", ".join(may) or None
            raise DataError(problem, value=value, expected=asked(ours, "your column"))
        names = columns_of(tables.any_table(path).frame.columns, said.get("columns") or {})
    mapped = {ours: theirs for ours, theirs in names.items() if ours != theirs}
    mapped |= entry.get("columns", {})
    return {"columns": mapped} | {k: v for k, v in {**entry, **said}.items() if k != "columns"}


def _guessed(
    cells: Mapping[str, list[str]], found: Mapping[str, str], wanted: Sequence[str]
) -> tuple[dict[str, str], Open]:
    """Guesses at our `wanted` columns that are not `found`; and those that stay open."""
    guessed: dict[str, str] = {}
    open_: Open = {}
    for by_name in (True, False):  # by name first, then by elimination
        for ours in (one for one in wanted if one not in found and one not in guessed):
            taken = {*found.values(), *guessed.values()}
            fit = [name for name, said in cells.items() if name not in taken and _fits(ours, said)]
            may = [name for name in fit if not by_name or _words(name) & LIKELY[ours]]
            if len(may) == 1 and (by_name or ours in NEEDED):
                guessed[ours] = may[0]
                open_.pop(ours, None)
            elif ours in NEEDED or (by_name and may):
                open_.setdefault(ours, []).extend(n for n in may if n not in open_.get(ours, []))
    return guessed, open_


def _fits(ours: str, cells: Sequence[str]) -> bool:
    """Whether cells may be the values of one of our columns."""
    given = [cell for cell in cells if cell.lower() not in MISSING]
    numbers, distinct = bool(given) and all(map(_is_number, given)), len(set(given))
    if ours == "score":
        return numbers and distinct > 1
    if ours == "segment":
        return distinct > 1
    return 1 < distinct <= len(given) / 2 and not (ours == "system" and numbers)


def _is_number(cell: str) -> bool:
    return bool(DECIMAL.fullmatch(cell)) or tables.is_number(cell)


def _side_by_side(cells: Mapping[str, list[str]], found: Mapping[str, str]) -> list[str]:
    """The systems of a wide table: columns of numbers only, next to one of `BESIDE`; or none."""
    free = [name for name in cells if name not in found.values()]
    beside = [name for name in free if _words(name) & (LIKELY["segment"] | LIKELY["annotator"])]
    fit = [name for name in free if name not in beside and _fits("score", cells[name])]
    told = any(_words(name) & (LIKELY["system"] | LIKELY["score"]) for name in free)
    named = beside or {*BESIDE} & set(found)
    return fit if named and not told and not {"system", "score"} & set(found) else []


def opened(path: Path, settings: Mapping[str, Any]) -> Judged:
    """A long table in a file; `settings` (of campaign.yaml) may map columns and name the pair.

    They may also say that it is ``wide`` (the columns of systems, or ``all`` that hold mostly
    numbers), and give the decimal sign. Raises DataError if a column is missing or ambiguous, there
    are no rows, or a cell is not a single value.
    """
    mapping, wide = settings.get("columns") or {}, settings.get("wide") or ()
    with text.placed(path, 1):
        if wide:
            table = _melted(tables.any_table(path), wide, mapping)
        else:
            table = tables.any_table(path, lambda names: columns_of(names, mapping).values())
        header = [*table.frame.columns, *table.unread]
        names = columns_of(header, mapping)
        if missing := [name for name in NEEDED if name not in names]:
            known = "; ".join(" or ".join(FIELDS[name]) for name in missing)
            mapped = f"`columns: {{{missing[0]}: <yours>}}` in a campaign.yaml"
            expected = f"a header with {known}, or {mapped}"
            entry, open_ = ({}, {"": []}) if wide else proposed(path, settings)
            if not open_:
                expected = shown({**entry, "columns": {**mapping, **entry.get("columns", {})}})
            problem = f"no column for {' and '.join(missing)}"
            raise DataError(problem, value=", ".join(header)[:200], expected=expected)
    if table.frame.empty:
        raise DataError("a header but no rows", file=path, expected="judgments")
    table.check_values(names.values())
    table, said = _decimals(table, names["score"], settings.get("decimal"))
    if wide:
        systems = ", ".join(table.frame["system"].cat.categories)
        said = (("a column for each system", systems, ""), *said)
    return with_pair(Judged(table, names, Counter(), said=said), settings)


def _melted(table: Table, wide: str | Sequence[str], mapping: Mapping[str, str]) -> Table:
    """A wide table (a column per system) as a long one (a row per score)."""
    frame = table.frame
    names = columns_of(list(frame.columns), mapping)
    if ours := {"system", "score"} & set(names):
        problem = f"a column for the {min(ours)} in a wide table"
        raise DataError(problem, value=names[min(ours)], expected="one column per system")
    if isinstance(wide, str):
        free = [name for name in frame if name not in names.values()]
        texts = {name: frame[name].astype(str) for name in free}
        given = {name: said[~said.str.lower().isin(MISSING)] for name, said in texts.items()}
        wide = [name for name, said in given.items() if said.map(_is_number).mean() > 0.5]
    there, n = ", ".join(frame.columns)[:200], len(wide)
    for name in (name for name in wide if name not in frame or name in names.values()):
        raise DataError("no such column for a system", value=name, expected=f"columns of {there}")
    if n < 2:
        raise DataError("fewer than two columns of systems", value=there, expected="`wide: [A, B]`")
    kept = [name for name in frame.columns if name not in wide]
    long = pd.concat([frame[kept]] * n, ignore_index=True)
    scores = pd.concat([frame[name].astype(object) for name in wide], ignore_index=True)
    system = pd.Categorical.from_codes(np.repeat(np.arange(n), len(frame)), list(wide))
    long = long.assign(system=system, score=scores.astype("category"))
    blanks = {name: np.tile(table.blanks[name], n) for name in kept if name in table.blanks}
    return replace(table, frame=long, lines=np.tile(table.lines, n), blanks=blanks, keys={})


def _decimals(table: Table, column: str, sign: str | None) -> tuple[Table, Said]:
    """The table with decimal commas of scores (``78,5``) made points; and a note of that."""
    values = [str(one) for one in table.frame[column].astype("category").cat.categories]
    given = [value for value in values if value.lower() not in MISSING]
    commas = [value for value in given if "," in value]
    if not commas or sign == "." or not all(map(DECIMAL.fullmatch, given)):
        return table, ()
    if not sign and all(map(THOUSANDS.fullmatch, commas)):
        problem = "a comma that may separate decimals or thousands"
        row = int(table.frame[column].isin(commas).to_numpy().argmax())
        raise table.error(problem, row, column, "`decimal: ','` or '.' in a campaign.yaml")
    points = table.frame[column].astype(str).str.replace(",", ".").astype("category")
    said = ("sign before decimals", ",", "" if sign else "the data")
    return replace(table, frame=table.frame.assign(**{column: points})), (said,)


def people(accounts: pd.Series, said: Mapping[str, Sequence[str]], file: Path) -> pd.Series:
    """The annotator of each account; `said` maps annotators to patterns (``sggdeu08*``) of theirs.

    Raises DataError (naming `file`) if an account fits no annotator, or several.
    """
    of = {}
    for account in accounts.unique():
        fit = [who for who, those in said.items() if any(fnmatchcase(account, p) for p in those)]
        if len(fit) != 1:
            problem = f"an account of {'several annotators' if fit else 'no annotator'}"
            expected = "one entry of `annotator:` in campaign.yaml that fits it"
            raise DataError(problem, file=file, value=account, expected=expected)
        of[account] = fit[0]
    return accounts.map(of)


def asked_of(accounts: Collection[str]) -> list[tuple[str, str, str]]:
    """A note for `long.reading` on accounts that Appraise named (``engdeu5a01``); else empty."""
    made = [ACCOUNT.match(account) for account in sorted(set(accounts))]
    known = [m and {m[1], m[2]} & set(languages.LANGUAGES) for m in made]
    if len(made) < 2 or not all(known):
        return []
    value = f"{len(made)} accounts may be fewer people: `annotators.tsv` or `annotator:` joins them"
    return [("accounts", value, "their names")]


def with_pair(judged: Judged, settings: Mapping[str, Any]) -> Judged:
    """`judged` with the pair of campaign.yaml, of the file's name, or else a placeholder.

    Unchanged if a column names the pair.
    """
    if "pair" in judged.names:
        return judged
    if settings.get("pair"):
        return replace(judged, pair=settings["pair"], pair_from="campaign.yaml")
    named = languages.pair_in(judged.table.path)
    source = "the file's name" if named else "a placeholder: no column, name or setting says it"
    return replace(judged, pair=named or languages.PLACEHOLDER, pair_from=source)
