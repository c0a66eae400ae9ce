"""Campaigns: their facts and files; those of the catalogue, and which of them are here."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.names import plain

from . import formats, text
from .folder import GOOD, LATEST, Source, locate
from .formats import FORMATS
from .languages import PLACEHOLDER

CATALOGUE = Path(__file__).with_name("catalogue.yaml")
WORDS = {  # what a page calls them, unless campaign.yaml or the table has other words
    **{
        "system": "system",
        "segment": "segment",
        "document": "document",
        "judgment": "judgment",
    },
    **{"annotator": "annotator", "pair": "language pair"},
}
PROTOCOLS = {"DA": "direct assessment", "RR": "relative ranking", "MQM": "MQM"}
ARENA = {
    "system": "model",
    "segment": "prompt",
    "pair": "task",
    "judgment": "battle",
}
WORDS_OF = {  # words of their own for some protocols and formats
    "RR": {"annotator": "judge"},
    "MQM": {"annotator": "rater"},
    "battles": {"protocol": "battles", **ARENA},
    "long": {"protocol": "single scores"},
    **{
        name: {"protocol": "error span annotation"}
        for name in ("esa", "wmt24", "wmt25")
    },
}
OF_ITEMS = {"segment": "item", "judgment": "score"}  # of leaderboards
SPOKEN = {  # column names that serve as words for systems, segments and annotators
    "system": ("model", "engine", "product"),
    "segment": ("sentence", "prompt", "question", "item"),
    "annotator": (
        "worker",
        "rater",
        "judge",
        "user",
        "respondent",
        "participant",
    ),
}


def plural(word: str) -> str:
    """The plural of an English noun (its last word): ``query``: ``queries``."""
    if word[-1:] == "y" and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


@dataclass(frozen=True)
class Campaign:
    """A year's collection with one protocol, and where its files are."""

    name: str  # the catalogue's, or the folder's
    protocol: str  # DA, RR or MQM
    style: (
        str  # SR-DC, SR+DC, both where pairs differ (see `style_of`), or empty
    )
    tool: str  # what collected the judgments
    year: int  # 0 where unknown
    folder: Path
    format: str  # one of `formats.FORMATS`
    title: str = ""
    demo: bool = False  # synthetic, in the repository
    known_pairs: tuple[
        str, ...
    ] = ()  # of the official release; `pairs` are those here
    entry: Mapping[str, Any] = field(
        default_factory=dict, repr=False, compare=False
    )
    file: Path | None = None  # the file, if the campaign is a single one

    def source(self, pair: str = "") -> Source:
        """What the format's reader takes, for one pair or all."""
        here = () if self.format == "da" else self.files(pair)
        return Source(self.file or self.folder, here, self.entry)

    @cached_property
    def workers(self) -> bool:
        """Whether single judgments with their workers are here (not only segment scores)."""
        return formats.reader(self.format).workers(self.source())

    @property
    def own(self) -> bool:
        """Whether this is a user's campaign, not one of the catalogue."""
        return not in_catalogue(self.name)

    @property
    def parts(self) -> tuple[str, ...]:
        """The studies of a campaign with several studies of the same systems; usually empty."""
        return tuple(self.entry.get("parts") or ())

    @property
    def judged(self) -> bool:
        """Whether judge models are named beside people, for single scores or battles."""
        return bool(self.entry.get("judges")) and self.format != "rr"

    def part(self, name: str) -> Campaign:
        """One of `parts` as a campaign of its own, which `find` knows as ``<name>.<part>``.

        Raises DataError if there is no such study.
        """
        if name not in self.parts:
            expected = ", ".join(self.parts) or "a campaign of several studies"
            raise DataError(
                f"{self.name} has no such study", value=name, expected=expected
            )
        names = self.entry["parts"][name]
        first = locate(self.folder, names[0])
        form = (first and formats.kind_of(first)) or self.format
        told = {
            key: value
            for key, value in self.entry.items()
            if key not in ("parts", "protocol")
        }
        told |= {
            "format": form,
            "files": names,
            "title": f"{self.title}: {name}",
        }
        return _campaign(f"{self.name}.{name}", self.folder, told)

    @cached_property
    def pairs(self) -> tuple[str, ...]:
        """The language pairs that the files here hold, sorted."""
        return tuple(formats.reader(self.format).pairs(self.source()))

    @property
    def reading(self) -> pd.DataFrame:
        """How the files were understood: file, what, value, said by; empty if nothing was open."""
        return formats.reader(self.format).reading(self.source())

    @cached_property
    def rebuilt(self) -> bool:
        """Whether the judgments here are rebuilt from released z-scores, not the official file.

        False unless the catalogue says that the campaign exists in that form, too (``otherwise``).
        """
        if self.entry.get("otherwise") != "rebuilt from z":
            return False
        sources = [
            source["files"]
            for source in self.entry["sources"]
            if "repository" in source
        ]
        official = next(
            files[GOOD]["git_blob"] for files in sources if GOOD in files
        )
        file = locate(self.folder, GOOD)
        return file is not None and text.git_blob(file) != official

    @property
    def headers(self) -> Mapping[str, str]:
        """The names of the files' columns, by ours, where they are open to choice."""
        return formats.reader(self.format).columns(self.source())

    @cached_property
    def words(self) -> Mapping[str, str]:
        """What this campaign calls its systems, segments, documents, annotators, judgments, pairs.

        Each in the singular and the plural (``words["systems"]``); and ``protocol``. They come from
        `words:` of campaign.yaml, else from the column names of a long table (``Product``), else
        from the format and the protocol. A user's words must be escaped in HTML.
        """
        said = {
            str(name): str(word)
            for name, word in (self.entry.get("words") or {}).items()
        }
        words = {
            "protocol": PROTOCOLS[self.protocol],
            **WORDS,
            **WORDS_OF.get(self.protocol, {}),
        }
        words |= WORDS_OF.get(self.format, {})
        if self.format == "long" and not {
            "annotator",
            "document",
            "hit",
        } & set(self.headers):
            words |= OF_ITEMS
        for name, header in self.headers.items():
            if plain(header) in SPOKEN.get(name, ()):
                words[name] = plain(header)
        words |= {name: word for name, word in said.items() if name in words}
        return words | {
            f"{one}s": said.get(f"{one}s", plural(words[one])) for one in WORDS
        }

    @cached_property
    def unsaid(self) -> frozenset[str]:
        """Which of pair, document and annotator the files do not name, so that no page should.

        The pair is unnamed if it is the placeholder ``xx-yy``.
        """
        lacking = {"pair"} if self.pairs == (PLACEHOLDER,) else set()
        return frozenset(
            lacking | formats.reader(self.format).lacks(self.source())
        )

    def style_of(self, pair: str) -> str:
        """``SR-DC``, ``SR+DC`` or empty, for one pair."""
        return _of_pair(self.entry.get("style", ""), pair)

    def facts(self, pairs: Iterable[str] | None = None) -> pd.DataFrame:
        """How each of `pairs` (by default, those here) was judged: pair, year, style, tool, judged.

        judged: ``bilingual`` (with the source), ``monolingual`` (with a reference) or ``unknown``.
        """
        frame = pd.DataFrame(
            {"pair": list(self.pairs if pairs is None else pairs)}
        )
        frame["year"] = self.year
        for name in ("style", "tool", "judged"):
            frame[name] = [
                _of_pair(self.entry.get(name, ""), pair)
                for pair in frame["pair"]
            ]
        return frame.replace({"judged": {"": "unknown"}})

    def files(self, pair: str = "") -> tuple[Path, ...]:
        """The files here that are read for `pair` (empty: all pairs)."""
        parts = self.entry.get("parts", {}).values()
        of_parts = (
            {"files": [file for part in parts for file in part]}
            if parts
            else {}
        )
        entry = {**self.entry, **of_parts}
        return formats.files(
            self.format, self.file or self.folder, pair, entry
        )

    @cached_property
    def unread(self) -> tuple[tuple[str, str], ...]:
        """What is in a user's folder but not read: file and reason, see `formats.unread`.

        Empty for a single file, and for the catalogue's campaigns, whose files it lists.
        """
        if self.file or self.demo or "sources" in self.entry:
            return ()
        return formats.unread(self.format, self.folder, self.entry)

    @property
    def complete(self) -> bool:
        """Whether the files are here (for direct assessment, both)."""
        if not self.folder.is_dir():
            return False
        if self.format == "da":
            return all(locate(self.folder, name) for name in (LATEST, GOOD))
        with contextlib.suppress(
            DataError
        ):  # damaged: reported when it is read
            return bool(self.files())
        return True


def _of_pair(value: Any, pair: str) -> str:
    """The word for `pair`; `value` is one for all, or maps words to pairs (``*``: all others)."""
    if not isinstance(value, Mapping):
        return str(value or "")
    of = {one: str(word) for word, members in value.items() for one in members}
    return of.get(pair, of.get("*", ""))


def _summary(value: Any) -> str:
    if isinstance(value, Mapping):
        return "/".join(word for word, of in value.items() if of)
    return str(value or "")


@lru_cache(maxsize=1)
def catalogue() -> dict[str, dict[str, Any]]:
    """``catalogue.yaml``: name -> entry (fields: see ``data/README.md``)."""
    entries: dict[str, dict[str, Any]] = yaml.safe_load(
        CATALOGUE.read_text(encoding="utf-8")
    )
    return entries


def in_catalogue(name: str) -> bool:
    """Whether a name is that of a catalogue campaign, or of one of its studies."""
    whole, _, part = name.partition(".")
    return name in catalogue() or part in catalogue().get(whole, {}).get(
        "parts", {}
    )


def folder_of(name: str) -> Path:
    """Where the files of a catalogue campaign belong, present or not."""
    entry = catalogue()[name]
    return (
        paths.DEMO / name
        if entry.get("demo")
        else paths.data_root() / entry["folder"]
    )


def _campaign(
    name: str, folder: Path, entry: Mapping[str, Any], file: Path | None = None
) -> Campaign:
    return Campaign(
        name=name,
        protocol=entry.get("protocol") or FORMATS[entry["format"]].protocol,
        style=_summary(entry.get("style")),
        tool=_summary(entry.get("tool")),
        year=int(entry.get("year") or 0),
        folder=folder,
        format=entry["format"],
        title=str(entry.get("title") or name),
        demo=bool(entry.get("demo")),
        known_pairs=tuple(entry.get("pairs") or ()),
        entry=entry,
        file=file,
    )


def listed() -> tuple[Campaign, ...]:
    """All campaigns of the catalogue, here or not."""
    return tuple(
        _campaign(name, folder_of(name), entry)
        for name, entry in catalogue().items()
    )


def present() -> tuple[Campaign, ...]:
    """The catalogue's campaigns whose files are here, demos included; no file is read."""
    return tuple(campaign for campaign in listed() if campaign.complete)
