"""Campaigns: what the catalogue knows, what is here, and how to load it."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from .. import paths
from ..errors import DataError
from ..judgments import DirectAssessment
from . import appraise as readers_appraise
from . import appraise_mqm, formats, text
from . import da as readers_da
from . import mqm as readers_mqm
from . import rr as readers_rr
from .da import GOOD, LATEST, locate
from .settings import read_settings

FILE_ENDING = re.compile(r"(\.(csv|tsv|jsonl|txt|tar|gz))+$")


@dataclass(frozen=True)
class Campaign:
    """A year's collection with one protocol, and where its files are.

    Attributes
    ----------
    name : str
        The catalogue's name, or the folder's.
    protocol : str
        ``DA``, ``RR`` or ``MQM``.
    style : str
        ``SR-DC``, ``SR+DC``, empty where it does not apply, or both as ``SR-DC/SR+DC``
        where it differs between pairs: see `style_of`.
    tool : str
        What collected the judgments; see `tool_of`.
    year : int
        0 where unknown.
    folder : Path
        Where the files are.
    file : Path or None
        The one file, where the campaign is no more than that.
    format : str
        ``da``, ``segments`` (scores without workers), ``esa``, ``appraise``,
        ``appraise-mqm``, ``rr``, ``mqm``.
    title, citation : str
    demo : bool
        Synthetic, in the repository.
    known_pairs : tuple of str
        The pairs of the official release, here or not (catalogue); `pairs` are those here.
    """

    name: str
    protocol: str
    style: str
    tool: str
    year: int
    folder: Path
    format: str
    title: str = ""
    citation: str = ""
    demo: bool = False
    known_pairs: tuple[str, ...] = ()
    entry: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    file: Path | None = None

    @property
    def workers(self) -> bool:
        """Whether single judgments with their workers are here (not only segment scores)."""
        return self.format != "segments"

    @cached_property
    def pairs(self) -> tuple[str, ...]:
        """The language pairs that the files here hold, sorted."""
        here = () if self.format == "da" else self.files()
        return formats.pairs(self.format, self.file or self.folder, here)

    @cached_property
    def rebuilt(self) -> bool:
        """Whether the judgments here are not the official bytes but rebuilt from released z-scores.

        The catalogue says so (``otherwise``) of campaigns that also go about in that form.
        """
        if self.entry.get("otherwise") != "rebuilt from z":
            return False
        file = locate(self.folder, GOOD)
        official = next(
            source["files"][GOOD]["git_blob"]
            for source in self.entry["sources"]
            if GOOD in source["files"] and "repository" in source
        )
        return file is not None and text.git_blob(file) != official

    def style_of(self, pair: str) -> str:
        """``SR-DC``, ``SR+DC`` or empty, for one pair."""
        return _of_pair(self.entry.get("style", ""), pair)

    def tool_of(self, pair: str) -> str:
        """What collected the judgments of one pair."""
        return _of_pair(self.entry.get("tool", ""), pair)

    def bilingual(self, pair: str) -> bool:
        """Whether outputs were judged against the source rather than a reference translation."""
        return _of_pair(self.entry.get("judged", ""), pair) == "bilingual"

    def facts(self, pairs: Iterable[str] | None = None) -> pd.DataFrame:
        """How each pair (those here) was judged: columns pair, year, style, tool, judged."""
        words = ("monolingual", "bilingual")
        rows = [
            (p, self.year, self.style_of(p), self.tool_of(p), words[self.bilingual(p)])
            for p in (self.pairs if pairs is None else pairs)
        ]
        return pd.DataFrame(rows, columns=["pair", "year", "style", "tool", "judged"])

    def files(self, pair: str = "") -> tuple[Path, ...]:
        """The files that are read for `pair` (all pairs: empty), that exist."""
        names = self.entry.get("files") or ()
        return formats.files(self.format, self.file or self.folder, names, pair)


def _of_pair(value: Any, pair: str) -> str:
    """One word for all pairs, or a mapping from the word to its pairs (``*``: all others)."""
    if not isinstance(value, Mapping):
        return str(value or "")
    for word, members in value.items():
        if pair in members:
            return str(word)
    return next((str(word) for word, members in value.items() if "*" in members), "")


def _summary(value: Any) -> str:
    if isinstance(value, Mapping):
        return "/".join(str(word) for word, members in value.items() if members)
    return str(value or "")


@lru_cache(maxsize=1)
def catalogue() -> dict[str, dict[str, Any]]:
    """``data/catalogue.yaml``: name -> entry (fields: see ``data/README.md``)."""
    entries: dict[str, dict[str, Any]] = yaml.safe_load(paths.CATALOGUE.read_text(encoding="utf-8"))
    return entries


def folder_of(name: str) -> Path:
    """Where the files of a catalogue campaign belong, present or not."""
    entry = catalogue()[name]
    return paths.DEMO / name if entry.get("demo") else paths.data_root() / entry["folder"]


def _campaign(
    name: str, folder: Path, entry: Mapping[str, Any], file: Path | None = None
) -> Campaign:
    return Campaign(
        name=name,
        protocol=entry.get("protocol") or formats.PROTOCOLS[entry["format"]],
        style=_summary(entry.get("style")),
        tool=_summary(entry.get("tool")),
        year=int(entry.get("year") or 0),
        folder=folder,
        format=entry["format"],
        title=str(entry.get("title") or name),
        citation=str(entry.get("citation") or ""),
        demo=bool(entry.get("demo")),
        known_pairs=tuple(entry.get("pairs") or ()),
        entry=entry,
        file=file,
    )


def listed() -> tuple[Campaign, ...]:
    """All campaigns of the catalogue, here or not."""
    return tuple(_campaign(name, folder_of(name), entry) for name, entry in catalogue().items())


def present() -> tuple[Campaign, ...]:
    """The catalogue's campaigns whose files are here, the demo ones included (files not read)."""
    return tuple(campaign for campaign in listed() if _complete(campaign))


def _complete(campaign: Campaign) -> bool:
    if not campaign.folder.is_dir():
        return False
    if campaign.format == "da":
        return all(locate(campaign.folder, name) for name in (LATEST, GOOD))
    return bool(campaign.files())


def find(name: str | Path) -> Campaign:
    """A campaign by its catalogue name, or by a path to a folder or file in a known format.

    The format is seen from the files (of a folder without any, from those of its ``analysis``
    folder); an optional ``campaign.yaml`` beside them may set title, style, tool, year, citation
    and files.

    Raises
    ------
    DataError
        Unknown name (with the names there are and the closest), a known campaign whose files are
        not here (with how to get them), or nothing there in a known format.

    Examples
    --------
    >>> from rankstability import find
    >>> find("demo-srdc").pairs
    ('de-en', 'en-cs')
    """
    given = str(name)
    if given in catalogue():
        campaign = _campaign(given, folder_of(given), catalogue()[given])
        if not _complete(campaign):
            raise DataError(
                f"the files of {given} are not here",
                file=paths.shown(campaign.folder),
                expected=f"them there, or run `make data CAMPAIGN={given}` "
                "(data/README.md says how to place them by hand)",
            )
        return campaign
    path = Path(given)
    if not path.is_absolute() and not path.exists():
        path = paths.ROOT / path
    if path.exists():
        return _own(path.resolve())
    here = [campaign.name for campaign in present()]
    close = difflib.get_close_matches(given, list(catalogue()), n=1)
    raise DataError(
        "unknown campaign" + (f" (did you mean {close[0]}?)" if close else ""),
        value=given,
        expected="a folder or file, or one of "
        f"{', '.join(catalogue())}; here: {', '.join(here) or 'none'}",
    )


def _own(path: Path) -> Campaign:
    """The campaign in a user's folder or file."""
    name, file = path.name, None
    if path.is_file():
        folder = path.parent
        if path.name.removesuffix(".gz") not in (LATEST, GOOD):  # these two belong together
            name, file = FILE_ENDING.sub("", path.name), path
    else:
        inside = path / "analysis"  # where the releases of WMT17 to WMT19 have the judgments
        folder = inside if inside.is_dir() and not formats.kinds_of(path) else path
    if file is None:
        for known in catalogue():
            if folder == folder_of(known).resolve():
                return _campaign(known, folder, catalogue()[known])
        name = folder.name if path.is_file() else name
    entry = read_settings(folder / "campaign.yaml")
    if file is not None:
        entry = {key: value for key, value in entry.items() if key not in ("format", "files")}
    if "format" not in entry:
        entry["format"] = formats.detect(file or folder)
    entry["protocol"] = formats.PROTOCOLS[entry["format"]]
    # the results of a taken name must not be mistaken for the official campaign's
    name = f"own-{name}" if name in catalogue() else name
    return _campaign(name, folder, entry, file)


def _known_pair(campaign: Campaign, pair: str) -> None:
    if pair not in campaign.pairs:
        close = difflib.get_close_matches(pair, campaign.pairs, n=1)
        raise DataError(
            f"{campaign.name} has no rows for the language pair"
            + (f" (did you mean {close[0]}?)" if close else ""),
            file=paths.shown(campaign.folder),
            value=pair,
            expected="one of " + ", ".join(campaign.pairs),
        )


def load(campaign: Campaign | str | Path, pair: str = "") -> DirectAssessment | pd.DataFrame:
    """The judgments of one language pair, whatever the campaign's protocol.

    Parameters
    ----------
    campaign : Campaign, str or Path
        From `find`, or what `find` takes.
    pair : str
        Such as ``cs-en``; may be left out where the campaign has only one, and in relative
        ranking, where it means all.

    Returns
    -------
    DirectAssessment or DataFrame
        Direct assessment (DA, ESA): the judgments, or where no workers were released the frame of
        segment scores: `segment_scores` takes both. Relative ranking: ranked outputs, for
        `pair_counts`. MQM: marked errors, for `mqm_scores`.

    Raises
    ------
    DataError
        No such campaign or pair, or anything wrong in the files, with file, line and column.

    Examples
    --------
    >>> from rankstability import load
    >>> load("demo-srdc", "de-en").good["system"].nunique()
    10
    """
    campaign = campaign if isinstance(campaign, Campaign) else find(campaign)
    if campaign.format == "rr":
        return load_rr(campaign, pair)
    if not pair and len(campaign.pairs) == 1:
        pair = campaign.pairs[0]
    _known_pair(campaign, pair)
    if campaign.protocol == "MQM":
        return load_mqm(campaign, pair)
    return (load_da if campaign.workers else load_segment_scores)(campaign, pair)


def load_da(campaign: Campaign, pair: str) -> DirectAssessment:
    """The judgments of one pair of a DA campaign with workers.

    Raises
    ------
    DataError
        Another protocol, segment scores only, no such pair, or anything wrong in the files.
    """
    if campaign.format in ("esa", "appraise"):
        _known_pair(campaign, pair)
        return readers_appraise.read_appraise(campaign.files(), pair)
    if campaign.format != "da":
        has = "segment scores without workers" if campaign.format == "segments" else "no DA"
        raise DataError(f"{campaign.name} has {has}", expected="a DA campaign with workers")
    allow = campaign.entry.get("identical_rows") == "allowed"
    return readers_da.read_da(campaign.file or campaign.folder, pair, allow_identical=allow)


def load_segment_scores(campaign: Campaign, pair: str) -> pd.DataFrame:
    """Released scores per system and segment: system, document, segment, raw, z, n."""
    if campaign.format not in ("segments", "da"):
        raise DataError(f"{campaign.name} has no segment scores", expected="a DA campaign")
    if campaign.format == "segments":
        _known_pair(campaign, pair)
    return readers_da.read_segment_scores(campaign.folder, pair)


def load_rr(campaign: Campaign, pair: str = "") -> pd.DataFrame:
    """The blocks of a relative-ranking campaign, of one pair or of all."""
    if campaign.format != "rr":
        raise DataError(f"{campaign.name} is not relative ranking", value=campaign.protocol)
    if pair:
        _known_pair(campaign, pair)
    return readers_rr.read_rr(campaign.files(), pair=pair)


def load_mqm(campaign: Campaign, pair: str) -> pd.DataFrame:
    """The marked errors of one pair of an MQM campaign."""
    if campaign.protocol != "MQM":
        raise DataError(f"{campaign.name} is not MQM", value=campaign.protocol)
    _known_pair(campaign, pair)
    if campaign.format == "appraise-mqm":
        return appraise_mqm.read_appraise_mqm(campaign.files(), pair)
    files = campaign.files(pair)
    if len(files) > 1:
        raise DataError(
            "two files of one language pair",
            file=paths.shown(files[1]),
            expected="one MQM file per pair in a folder",
        )
    return readers_mqm.read_mqm(files[0], pair)


def fingerprint(campaign: Campaign, pair: str = "") -> str:
    """Checksum of the files read for `pair` (empty: all), 16 hex digits; .gz equals plain."""
    total = hashlib.sha256()
    for path in campaign.files(pair):
        total.update(path.name.removesuffix(".gz").encode() + text.digest(path).encode())
    return total.hexdigest()[:16]
