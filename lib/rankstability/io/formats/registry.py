"""Which formats are known, which format a file or folder has, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from ...errors import DataError, escape_invisible
from ...judgments import Judgments
from ..effect import check_codes, check_words_of_kind, refuse_without_effect
from ..mqm_weights import DEFAULT
from ..names import clean_judgments, find_models, refuse_alike, refuse_totals, visible
from . import (
    appraise,
    appraise_mqm,
    arena,
    esa,
    mqm,
    pearmut,
    relative_ranking,
    segment_scores,
    wmt24,
    wmt25,
    wmt_da,
)
from .files import choose, first_line, locate, read_head

FORMATS: dict[str, ModuleType] = {
    module.NAME: module
    for module in (
        wmt_da,
        segment_scores,
        mqm,
        relative_ranking,
        wmt24,
        wmt25,
        pearmut,
        arena,
        appraise,
        esa,
        appraise_mqm,
    )
}  # in the order in which they are tried
OF_FOLDER = (wmt_da.NAME, segment_scores.NAME)  # their files belong together
ONE_FILE = (wmt24.NAME, wmt25.NAME, pearmut.NAME)
BESIDE = ("official", "documents", "sources", "references")
ACCOMPANY = (
    "documents-",
    "segments-",
    "ad-sys-",
    "ad-DA-diff-",
    "adwilcox-",
    "annotators.tsv",
    "data_RNK-public",
)
ENDINGS = (".csv", ".tsv", ".txt", ".jsonl", ".json", ".ndjson", ".score")
PROTOCOLS = {
    "wmt_da": "DA",
    "segment_scores": "DA",
    "mqm": "MQM",
    "relative_ranking": "RR",
    "arena": "votes",
    "appraise": "DA",
    "appraise_mqm": "MQM",
}  # all others: ESA
NAMED = ("system", "left", "right", "annotator")  # columns with names that codes can join
WORDS = (
    "unmarked",
    "weights",
    "humans",
    "models",
    "controls",
    "scale",
    "title",
    "year",
    "names",
    "codes",
    "order",
)
READ_AS = {
    "wmt_da": "direct assessment",
    "segment_scores": "scores per system and segment",
    "mqm": "MQM errors",
    "relative_ranking": "relative ranking",
    "wmt24": "error span annotation",
    "wmt25": "error span annotation or MQM",
    "pearmut": "error span annotation",
    "arena": "votes",
    "appraise": "direct assessment",
    "esa": "error span annotation",
    "appraise_mqm": "MQM errors",
}


def table() -> pd.DataFrame:
    """Return the formats that are recognised by their headers.

    Columns format, read_as, fields (the header that is looked for) and about.
    """
    rows = []
    for name, module in FORMATS.items():
        about = (module.__doc__ or "").split("\n")[0]
        rows.append([name, READ_AS[name], module.HEADER, about])
    return pd.DataFrame(rows, columns=["format", "read_as", "fields", "about"])


def detect_file(path: Path) -> str | None:
    """Return the format of a file by its header, or None."""
    return next((name for name, module in FORMATS.items() if module.matches(path)), None)


def list_files(path: Path) -> list[Path]:
    """Return the file, or the files of a folder that may hold judgments, sorted."""
    if path.is_file():
        return [path]
    files = _tables_in(path)
    if not any(map(detect_file, files)):  # a release with a folder for each part
        folders = [each for each in sorted(path.iterdir()) if each.is_dir()]
        folders = [each for each in folders if each.name not in BESIDE]
        files = [file for folder in folders for file in _tables_in(folder)] or files
    return files


def _tables_in(folder: Path) -> list[Path]:
    files = [each for each in sorted(folder.iterdir()) if each.is_file() and _is_table(each)]
    files = [each for each in files if not each.name.startswith((*ACCOMPANY, "."))]
    return [each for each in files if "\n" in read_head(each).strip()]  # no header alone


def _is_table(path: Path) -> bool:
    name = path.name.lower().removesuffix(".gz").removesuffix(".tar")
    return name.endswith(ENDINGS)


def detect(path: Path) -> str | None:
    """Return the format of a file or folder, or None if it has none of the formats.

    Raises DataError for a folder with files of several formats.
    """
    if path.is_dir() and any(locate(path, name) for name in (wmt_da.ALL_ROWS, wmt_da.RANKED)):
        return wmt_da.NAME
    found = {name for each in list_files(path) if (name := detect_file(each))}
    for name in OF_FOLDER:
        if name in found:
            return name
    if len(found) > 1:
        raise DataError("several_formats", file=path, value=", ".join(sorted(found)))
    return found.pop() if found else None


def read(path: Path, name: str = "", pair: str = "", **words: Any) -> dict[str, Judgments]:
    """Read a file or folder of one of the formats.

    Parameters
    ----------
    path : Path
    name : str
        The format; empty to detect it.
    pair : str
        The language pair; empty for all.
    **words
        What a user declared: of MQM, ``unmarked`` and ``weights`` (see `mqm.read`).

    Returns
    -------
    dict
        `Judgments` by language pair or task.

    Raises
    ------
    DataError
        For an unknown format, and for a wrong value.
    """
    name = name or detect(path) or ""
    if name not in FORMATS:
        value = first_line(path)[:80] if path.is_file() else path.name
        raise DataError("unknown_format", file=path, value=value, expected=", ".join(FORMATS))
    module = FORMATS[name]
    judgments: dict[str, Judgments]
    if name in OF_FOLDER:
        judgments = module.read(path, pair)
        return judgments
    files = _files_of(path, name)
    if name in ONE_FILE and len(files) > 1:
        judgments = _read_each(module, files, pair)
    elif name == mqm.NAME:
        weights = words.get("weights", DEFAULT)
        judgments = mqm.read(files, pair, words.get("unmarked", ""), weights)
    elif name == appraise_mqm.NAME:
        judgments = appraise_mqm.read(files, pair, weights=words.get("weights", DEFAULT))
    elif name == arena.NAME:
        judgments = arena.read(files, pair, words)
    else:
        judgments = module.read(files, pair)
    return judgments


def read_as(name: str, path: Path, words: Mapping[str, Any]) -> Judgments | dict[str, Judgments]:
    """Read a file or folder of a format, with the words that a user declared beside it.

    Returns `Judgments`, or several by language pair or task. Raises DataError for a word that has
    no effect on this format, and for systems or annotators that do not exist.
    """
    others = [word for word in words if word not in WORDS]
    if name != mqm.NAME:
        others.append("unmarked")
    if name not in (mqm.NAME, appraise_mqm.NAME):
        others.append("weights")
    refuse_without_effect(words, others, f"files of the format {name}")
    every = read(path, name, **words)
    every = {pair: clean_judgments(found) for pair, found in every.items()}
    declared = {}
    _check_codes(every, words)
    for pair, found in every.items():
        check_words_of_kind(words, found.kind)
        judgments = clean_judgments(_check_names(found, words))
        about: dict[str, Any] = {
            "source": escape_invisible(path.name),
            "campaign": visible(words.get("title", "")),
            "protocol": PROTOCOLS.get(name, "ESA"),
            "year": int(words.get("year", 0)),
            "humans": tuple(words.get("humans", ())),
            "controls": tuple(words.get("controls", ())),
            "judge_models": _models(judgments, words),
            "declared": {**judgments.declared, **words},
        }
        if "scale" in words:
            low, high = words["scale"]
            about["scale"] = (float(low), float(high))
        if "order" in words:
            about["order_known"] = False
        declared[pair] = replace(judgments, **about)
    _need_names(declared)
    return next(iter(declared.values())) if len(declared) == 1 else declared


def _check_codes(every: Mapping[str, Judgments], words: Mapping[str, Any]) -> None:
    """Refuse codes of names that do not occur in any of the judgments."""
    tables = [judgments.table for judgments in every.values()]
    cells = [table[role] for table in tables for role in NAMED if role in table]
    check_codes(words.get("codes", {}), cells)


def _models(judgments: Judgments, words: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the annotators that are models: those declared, or, of votes, all if all are."""
    if judgments.kind != "votes" or "annotator" not in judgments.table:
        return tuple(words.get("models", ()))
    named = judgments.table["annotator"].dropna().unique()
    return find_models([str(name) for name in named], words)


def _check_names(judgments: Judgments, words: Mapping[str, Any]) -> Judgments:
    """Join names as the user says; refuse names that look alike, and totals among the systems."""
    codes = {str(old): str(new) for old, new in words.get("codes", {}).items()}
    if codes:
        judgments = replace(
            judgments,
            table=_rename(judgments.table, codes),
            all_rows=None if judgments.all_rows is None else _rename(judgments.all_rows, codes),
            errors=None if judgments.errors is None else _rename(judgments.errors, codes),
        )
    table = judgments.table
    if "left" in table:
        both = pd.concat([table["left"].astype(str), table["right"].astype(str)])
        refuse_alike(both.to_frame("system"), ("system",), words)
    refuse_alike(table, ("system", "annotator"), words)
    refuse_totals(table, ("system", "annotator", "segment"), words)
    return judgments


def _rename(table: pd.DataFrame, codes: Mapping[str, str]) -> pd.DataFrame:
    renamed = table.copy()
    for role in NAMED:
        if role in table:
            names = table[role].astype(object)
            renamed[role] = names.map(lambda name: codes.get(name, name)).astype("category")
    return renamed


def _need_names(every: Mapping[str, Judgments]) -> None:
    """Raise DataError for declared systems or annotators that no judgments have."""
    systems: set[str] = set()
    annotators: set[str] = set()
    for judgments in every.values():
        table = judgments.table
        for column in (name for name in ("system", "left", "right") if name in table):
            systems.update(map(str, table[column].unique()))
        if "annotator" in table:
            annotators.update(map(str, table["annotator"].dropna().unique()))
    for judgments in every.values():
        for named, known, code in (
            (judgments.humans + judgments.controls, systems, "unknown_system"),
            (judgments.judge_models, annotators, "unknown_annotator"),
        ):
            for name in named:
                if name not in known:
                    raise DataError(code, value=name, known=known)


def _files_of(path: Path, name: str) -> list[Path]:
    files = [each for each in list_files(path) if path.is_file() or detect_file(each) == name]
    if path.is_dir() and name in (appraise.NAME, esa.NAME, appraise_mqm.NAME):
        files += [each for each in sorted(path.iterdir()) if appraise.is_companion(each)]
    return files


def files_read(folder: Path, name: str) -> list[Path]:
    """Return the files of a folder that are read as a format, with lists of their documents."""
    if name == wmt_da.NAME:
        files = list(wmt_da.find_files(folder))
    elif name == segment_scores.NAME:
        files = list(segment_scores.find_files(folder).values())
    else:
        return _files_of(folder, name)
    return [*files, *folder.glob("documents-*.tsv*")]


def _read_each(module: ModuleType, files: Sequence[Path], pair: str) -> dict[str, Judgments]:
    """Read files that hold different language pairs."""
    every: dict[str, Judgments] = {}
    for file in files:
        for key, judgments in module.read([file], "").items():
            if key in every:
                raise DataError("several_files_for_pair", file=file, value=key)
            every[key] = judgments
    return {each: every[each] for each in choose(pair, every, files[0])}
