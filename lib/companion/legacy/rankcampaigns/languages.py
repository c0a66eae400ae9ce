"""Language codes and pairs: names and codes of files as ISO 639-1; the pair in a file's name."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.legacy.rankstability.errors import DataError

_CODES = """
am amharic amh|ar arabic ara|as assamese asm|be belarusian bel|bg bulgarian bul|bho bhojpuri
bn bengali ben|ca catalan cat|cs czech cze ces|cy welsh cym wel|da danish dan|de german ger deu
el greek ell gre|en english eng|es spanish spa esp|et estonian est|eu basque eus baq
fa persian fas per|fi finnish fin|fr french fra fre|ga irish gle|gl galician glg|gu gujarati guj
ha hausa hau|he hebrew heb|hi hindi hin|hr croatian hrv|ht haitian hat|hu hungarian hun
hy armenian hye arm|id indonesian ind|is icelandic isl ice|it italian ita|iu inuktitut iku
ja japanese jpn|ka georgian kat geo|kk kazakh kaz|km khmer khm|kn kannada kan|ko korean kor
liv livonian|lt lithuanian lit|lv latvian lav|mas maasai|mk macedonian mkd mac|ml malayalam mal
mr marathi mar|ms malay msa may|mt maltese mlt|my burmese mya bur|ne nepali nep
nl dutch nld dum dut|no norwegian nor|pl polish pol|ps pashto pus|pt portuguese por
ro romanian ron rum|ru russian rus|sah yakut|si sinhala sin|sk slovak slk slo|sl slovenian slv
sq albanian sqi alb|sr serbian srp|sv swedish swe|sw swahili swa|ta tamil tam|te telugu tel
th thai tha|tr turkish tur|uk ukrainian ukr|ur urdu urd|uz uzbek uzb|vi vietnamese vie
xh xhosa xho|yo yoruba yor|zh chinese zho chi|zu zulu zul
"""
LANGUAGES = {
    name: entry.split()[0]
    for entry in re.split(r"[|\n]", _CODES)
    for name in entry.split()
}  # English name or code -> the code we write
PLACEHOLDER = "xx-yy"  # the pair of judgments that do not name one
PAIR = re.compile(
    r"[A-Za-z]{2,3}(_[A-Za-z0-9]+)*-[A-Za-z]{2,3}(_[A-Za-z0-9]+)*"
)
_HYPHEN = r"(?<![A-Za-z0-9])([a-z]{2,3})-(?=([a-z]{2,3})(?![A-Za-z0-9]))"
_JOINED = r"(?<=_)([a-z]{2})([a-z]{2})(?=[._])"
_UNDERSCORE = r"(?<![A-Za-z0-9])([a-z]{2,3})_(?=([a-z]{2,3})(?![A-Za-z0-9]))"


def spoken(pair: str) -> str:
    """A language pair by its English names (``German–English``); as it is if one is not known."""
    names: dict[str, str] = {}
    for name, code in LANGUAGES.items():
        if len(name) > 3:
            names.setdefault(code, name.capitalize())
    source, _, target = pair.partition("-")
    known = source in names and target in names
    return f"{names[source]}–{names[target]}" if known else pair


def pair_of(text: str) -> str:
    """The language pair of a text (``English-German``, ``eng-deu``: ``en-de``); empty if none."""
    source, _, target = text.strip().partition("-")
    if not target and text.count("_") == 1:
        source, _, target = text.strip().partition("_")
    sides = (
        LANGUAGES.get(side.strip().lower(), side.strip())
        for side in (source, target)
    )
    found = "-".join(sides)
    return found if PAIR.fullmatch(found) else ""


def pair_told(path: Path, settings: Mapping[str, Any]) -> str:
    """The pair of a file whose rows name none: from campaign.yaml, its name, or a placeholder."""
    return settings.get("pair") or pair_in(path) or PLACEHOLDER


def no_rows(
    file: Path | Sequence[Path], pair: str, pairs: Iterable[str]
) -> DataError:
    """The error for files that hold `pairs` but not the one asked for."""
    known = "one of " + ", ".join(sorted(pairs))
    return DataError(
        "no rows for the language pair", file=file, value=pair, expected=known
    )


def pair_in(path: Path, joined: bool = False) -> str:
    """The language pair in a file's name, by known codes; empty if there is none.

    Pairs with a hyphen come first, then those with English. Raises DataError if several are left.
    `joined`: also ``_ende.``, as in names of MQM files.
    """
    for pattern in (
        (_HYPHEN, _JOINED, _UNDERSCORE) if joined else (_HYPHEN, _UNDERSCORE)
    ):
        sides = [
            map(LANGUAGES.get, both) for both in re.findall(pattern, path.name)
        ]
        known = dict.fromkeys(
            f"{a}-{b}" for a, b in sides if a and b and a != b
        )
        found = [pair for pair in known if "en" in pair.split("-")] or list(
            known
        )
        if len(found) > 1:
            problem = "several language pairs in the file's name"
            expected = "one of them in the name, or `pair:` in a campaign.yaml"
            raise DataError(
                problem, file=path, value=", ".join(found), expected=expected
            )
        if found:
            return found[0]
    return ""
