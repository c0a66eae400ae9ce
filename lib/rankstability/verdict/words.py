"""The nouns and phrases of a page, chosen by the kind of data from ``words.yaml``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from ..codes import EXCLUSIONS, NOTES, REASONS
from ..io.paths import read_yaml

ROLES = ("system", "segment", "annotator", "document")


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """Return ``words.yaml``."""
    text = files(__package__).joinpath("words.yaml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = read_yaml(text)
    return loaded


def plural(noun: str) -> str:
    """Return the plural of a noun.

    >>> plural("trial"), plural("story")
    ('trials', 'stories')
    """
    irregular: str | None = tables()["plurals"].get(noun)
    return irregular or noun + "s"


def nouns_for(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the nouns of a page, singular and plural, by role.

    A declared column that bears the name of a known noun gives it to the page: ``codec`` for the
    systems, ``listener`` for the annotators.
    """
    known = tables()
    nouns = dict(known["kinds"][facts["vocabulary"]])
    for role in ROLES:
        column = re.sub(r"[^a-z]+", " ", str(facts["declared"].get(role, "")).lower()).split()
        found = [noun for noun in known["columns"][role] if {noun, plural(noun)} & set(column)]
        nouns[role] = found[-1] if found else nouns[role]
    if facts["vocabulary"] != "votes":
        nouns["question"] = nouns["segment"]
    if facts["vocabulary"] == "votes" and facts["declared"].get("segment") is None:
        nouns["segment"] = nouns["question"]
    if facts["vocabulary"] == "relative_ranking" and facts["counts"]["documents"] > 1:
        nouns["question"] = nouns["document"]
    nouns["text"] = nouns["document" if facts["counts"]["documents"] > 1 else "question"]
    nouns |= {"hit": "HIT", "block": "block", "vote": nouns["judgment"]}
    plurals = {
        f"{role}s": plural(noun) for role, noun in nouns.items() if role not in ("title", "inside")
    }
    plurals["studies"] = plurals.pop("studys")
    if not nouns["title"]:
        protocol = facts["protocol"] or "Ratings"
        nouns["title"], nouns["inside"] = known["protocols"].get(protocol, [protocol, protocol])
    return nouns | plurals


def phrases_for(unit: str, nouns: Mapping[str, str]) -> dict[str, str]:
    """Return what results allow for (``with``, ``choice``) and what they do not (``limit``, ``beyond``)."""
    return {key: text.format(**nouns) for key, text in tables()["units"][unit].items()}


def caution(note: Mapping[str, Any], nouns: Mapping[str, str]) -> str:
    """Return the sentence of a note on the design, in the nouns of a page."""
    text = tables()["notes"][note["code"]]
    unit = nouns.get(str(note["unit"]), str(note["unit"]))
    slots = {**nouns, **note, "unit": unit, "units": plural(unit)}
    return str(text.format(**slots))


def reason(code: str, nouns: Mapping[str, str]) -> str:
    """Return why a system or a pair cannot be assessed."""
    text = tables()["reasons"].get(code) or REASONS.get(code, code.replace("_", " "))
    return str(text.format(**nouns))


def row_reason(code: str, nouns: Mapping[str, str]) -> str:
    """Return why rows were left out, or what is worth knowing about rows that were kept."""
    text = tables()["rows"].get(code) or EXCLUSIONS.get(code) or NOTES.get(code, code)
    return str(text.format(**nouns)) if code in tables()["rows"] else str(text)


def plan_names(nouns: Mapping[str, str], has_annotators: bool) -> dict[str, str]:
    """Return what each plan doubles, and what stays the same."""
    named = {name: text.format(**nouns) for name, text in tables()["plans"].items()}
    if not has_annotators:
        named["documents"] = named["annotators"] = named["only_documents"]
        named["both"] = named["only_documents"]
    return named
