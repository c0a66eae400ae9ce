"""Which systems are human translations or references: declared, and asked about, never guessed.

Only in the catalogue, whose names are those of the organisers, a name alone says so.
"""

import re
from collections.abc import Collection, Iterable
from typing import Any

from companion.legacy.rankstability.errors import DataError, meant
from companion.legacy.rankstability.judgments import DirectAssessment, is_human

from .catalogue import Campaign

NAMES = {
    "human",
    "humans",
    "ht",
    "ref",
    "refs",
    "reference",
    "references",
    "translator",
}
LETTERED = re.compile(
    r"ref[a-z]|human[a-z]?[0-9]*|ht[0-9]+|reference[a-z]|translator[a-z]"
)
OF_RELEASES = re.compile(r"(?i)^(_?ref|reference)s?([._-]?[a-z0-9]{1,2})?$")


def declared(campaign: Campaign, systems: Iterable[str]) -> list[str]:
    """Those of `systems` that are human translations or references.

    They are declared by ``humans`` of the settings, or else named so by the organisers.
    """
    if "humans" in campaign.entry:
        said = set(campaign.entry["humans"])
        return [name for name in systems if name in said]
    if campaign.own:
        return []
    return [
        name for name in systems if is_human(name) or OF_RELEASES.match(name)
    ]


def looks_human(name: str) -> bool:
    """Whether a system's name has a word for people or references: ``ref-A``, ``ht``, ``Human 2``.

    >>> [looks_human(name) for name in ("Reference-WMT", "refA", "HT", "Prefix", "S00")]
    [True, True, True, False, False]
    """
    apart = re.sub(r"([a-z])([A-Z][a-z])", r"\1 \2", name)
    words = re.findall(r"[a-z]+[0-9]*", apart.lower())
    return any(word in NAMES or LETTERED.fullmatch(word) for word in words)


def asked(
    campaign: Campaign, systems: Collection[str]
) -> list[dict[str, str]]:
    """A row for `Campaign.reading` that asks about names that look human; empty if they are known.

    Nothing is asked about systems of the catalogue, nor where ``humans`` is set, even to none.
    """
    may = sorted(name for name in systems if looks_human(name))
    if not may or not campaign.own or "humans" in campaign.entry:
        return []
    value = (
        f"{', '.join(may)} ranked as {'a system' if len(may) == 1 else 'systems'}; if human "
        f"translations or references: `humans: [{', '.join(may)}]` in a campaign.yaml, or "
        f'humans="{",".join(may)}"; if not: `humans: []`'
    )
    return [
        {
            "file": "all",
            "what": "humans",
            "value": value,
            "said by": "their names",
        }
    ]


def check(campaign: Campaign, systems: Collection[str]) -> None:
    """Raises DataError if ``humans`` names a system that the campaign does not have."""
    for name in campaign.entry.get("humans", ()):
        if name not in systems:
            problem = "`humans` names no system of the campaign" + meant(
                name, systems
            )
            expected = "of " + ", ".join(sorted(systems))[:200]
            raise DataError(
                problem, file=campaign.folder, value=name, expected=expected
            )


def systems_of(judgments: Any) -> set[str]:
    """The names of all systems in judgments of any protocol."""
    if isinstance(judgments, DirectAssessment):
        return {
            str(name) for name in judgments.latest["system"].cat.categories
        }
    return {str(name) for name in judgments["system"].unique()}
