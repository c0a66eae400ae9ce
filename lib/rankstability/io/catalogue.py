"""The catalogue: which campaigns are known, and what their files do not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import DataError
from .formats.files import git_blob, keep_while_unchanged, locate
from .formats.wmt_da import ALL_ROWS, RANKED
from .paths import data_root, demo_folder, read_yaml

CATALOGUE = Path(__file__).with_name("catalogue.yaml")
SOURCES = Path(__file__).with_name("sources.yaml")


@lru_cache(maxsize=1)
def read_catalogue() -> dict[str, dict[str, Any]]:
    """Return ``catalogue.yaml``: the facts of each campaign, by name."""
    entries: dict[str, dict[str, Any]] = read_yaml(CATALOGUE.read_text(encoding="utf-8"))
    return entries


@lru_cache(maxsize=1)
def read_sources() -> dict[str, list[dict[str, Any]]]:
    """Return ``sources.yaml``: where the files of each campaign come from."""
    entries: dict[str, list[dict[str, Any]]] = read_yaml(SOURCES.read_text(encoding="utf-8"))
    return entries


@dataclass(frozen=True)
class Campaign:
    """A campaign of the catalogue, or one of its parts.

    Attributes
    ----------
    name : str
        As in ``rs.load``; a part is ``<campaign>.<part>``.
    facts : mapping
        Its entry in ``catalogue.yaml``.
    folder : Path
        Where its files belong, present or not.
    part : str
        One of several collections of the same systems; usually empty.
    """

    name: str
    facts: Mapping[str, Any]
    folder: Path
    part: str = ""

    @property
    def parts(self) -> list[str]:
        """The names of the parts; empty for a part and for most campaigns."""
        return [] if self.part else list(self.facts.get("parts", ()))

    def fact(self, name: str, pair: str) -> str:
        """Return what the catalogue says of a language pair, for example its ``design``."""
        return word_of_pair(self.facts.get(name, ""), pair)

    def files(self) -> list[Path]:
        """Return the files that are listed and present, in the order of the catalogue."""
        parts = self.facts.get("parts", {})
        if self.part:
            names = parts[self.part]
        else:
            names = self.facts.get("files") or [name for part in parts.values() for name in part]
        found: list[Path] = []
        for name in names:
            if "*" in name:
                found += sorted(self.folder.glob(name))
            elif path := locate(self.folder, name):
                found.append(path)
        return found

    def companions(self) -> list[Path]:
        """Return the lists of segments and annotators beside exports of Appraise."""
        names = [f"segments-{pair}.tsv" for pair in self.facts.get("pairs", ())]
        found = [locate(self.folder, name) for name in (*names, "annotators.tsv")]
        return [path for path in found if path is not None]

    def segment_level(self) -> dict[str, Path]:
        """Return the folders of language pairs of which only segment scores are here."""
        folders = self.facts.get("segment_level", {})
        found = {pair: data_root() / name for pair, name in folders.items()}
        return {pair: folder for pair, folder in found.items() if folder.is_dir()}

    @property
    def is_here(self) -> bool:
        """Whether the files are present; of direct assessment, both."""
        if not self.folder.is_dir():
            return False
        if self.facts["format"] == "wmt_da":
            return all(locate(self.folder, name) for name in (ALL_ROWS, RANKED))
        if self.facts["format"] == "segment_scores":
            return any(self.folder.glob("ad-seg-scores-*.csv*"))
        return bool(self.files())

    @property
    def is_rebuilt(self) -> bool:
        """Whether the judgments were rebuilt from released z-scores, and are not the original file.

        Always False unless the catalogue says that this form exists (``may_be_rebuilt``).
        """
        path = locate(self.folder, RANKED)
        if not self.facts.get("may_be_rebuilt") or path is None:
            return False
        sources = [source["files"] for source in read_sources()[self.name]]
        listed = [files for files in sources if isinstance(files, dict) and RANKED in files]
        official = [files[RANKED]["git_blob"] for files in listed]
        return _blob_of(path) not in official


@keep_while_unchanged(calls=4)
def _blob_of(path: Path) -> str:
    """Return `git_blob` of a file, which the pairs of a campaign ask for one after another."""
    return git_blob(path)


def word_of_pair(value: Any, pair: str) -> str:
    """Return the word for a language pair from a word for all, or a mapping of words to pairs."""
    if not isinstance(value, Mapping):
        return str(value or "")
    words = {each: str(word) for word, members in value.items() for each in members}
    return words.get(pair, words.get("*", ""))


def is_known(name: str) -> bool:
    """Return whether the catalogue has a campaign, or a part of one, of this name."""
    whole, _, part = name.partition(".")
    entry = read_catalogue().get(whole)
    return entry is not None and (not part or part in entry.get("parts", {}))


def find_campaign(name: str) -> Campaign:
    """Return a campaign of the catalogue, or a part of one (``wmt23-protocols.ESA-1``).

    Raises DataError for an unknown name.
    """
    known = read_catalogue()
    whole, _, part = name.partition(".")
    if whole not in known:
        raise DataError("unknown_campaign", value=name, known=known)
    facts = known[whole]
    if part and part not in facts.get("parts", {}):
        expected = ", ".join(facts.get("parts", {})) or None
        raise DataError("unknown_part", value=part, expected=expected, campaign=whole)
    folder = demo_folder() / whole if facts.get("demo") else data_root() / facts["folder"]
    return Campaign(name, facts, folder, part)


def list_campaigns() -> list[Campaign]:
    """Return all campaigns of the catalogue, present or not."""
    return [find_campaign(name) for name in read_catalogue()]
