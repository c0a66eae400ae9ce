"""Names of systems, segments, people: what is invisible in them, and which look the same."""

import re
import unicodedata
from collections.abc import Iterable

CHANGES = (  # what `cleaned` does, as users are told
    "(kept: blanks around names taken away)",
    "(kept: names as they are seen, without invisible characters)",
)
LATIN = "ABCEHIJKMOPSTXYaceijopsxyABEZHIKMNOPTYXvo"
LIKE = "АВСЕНІЈКМОРЅТХУасеіјорѕхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧνο"  # Cyrillic, then Greek
SAME = dict(zip(map(ord, LIKE), LATIN, strict=True))
SAME |= dict.fromkeys(map(ord, "‐‑‒–—−"), "-") | dict.fromkeys(
    map(ord, "‘’ʼ′"), "'"
)
JOINERS = "\u200c\u200d"  # visible in what they do between letters of Arabic and Indic scripts
FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0"
WIDE = re.compile(
    "[\uff01-\uffee\ufb00-\ufb06\U0001d400-\U0001d7ff]"
)  # other forms of letters
WHOLE = re.compile(
    r"((?:.*[_:#/])?[+-]?\d+)\.0*"
)  # alone, or the last part of a name


def cleaned(name: str) -> str:
    """A name in NFC, without blanks around it and characters that cannot be seen.

    These are format characters (zero-width spaces, soft hyphens, marks of direction), fillers and
    selectors of variants; other blanks become spaces. Joiners stay between letters beyond ASCII.

    >>> cleaned("Aspen\\u200b ") + cleaned("Caf\\u0065\\u0301")
    'AspenCafé'
    """
    if name.isascii():
        return name.strip()
    text = unicodedata.normalize("NFC", name)
    kept = [char for place, char in enumerate(text) if _seen(text, place)]
    return "".join(
        " " if unicodedata.category(c) == "Zs" else c for c in kept
    ).strip()


def _seen(text: str, place: int) -> bool:
    char = text[place]
    if char in JOINERS:
        around = text[place - 1 : place] + text[place + 1 : place + 2]
        return len(around) == 2 and not around.isascii() and around.isalpha()
    selector = "\ufe00" <= char <= "\ufe0f"
    return not (
        unicodedata.category(char) == "Cf" or char in FILLERS or selector
    )


def looks(name: str) -> str:
    """What a reader sees of a name: the same for two names that look the same.

    Cyrillic, Greek and full-width letters are those of Latin that look so; dashes are hyphens;
    quotation marks around the name, and repeated blanks, are not seen; ``17.0`` is 17, also after
    an underscore, colon, number sign or slash.
    """
    text = cleaned(name)
    if not text.isascii():
        text = WIDE.sub(
            lambda wide: unicodedata.normalize("NFKC", wide[0]), text
        )
        text = text.translate(SAME | dict.fromkeys(map(ord, JOINERS)))
    text = " ".join(text.split())
    if len(text) > 2 and text[0] == text[-1] == '"':
        text = text[1:-1].strip('"').strip()
    number = WHOLE.fullmatch(text)
    return number[1] if number else text


def alike(names: Iterable[str]) -> list[tuple[str, str]]:
    """Each name that looks the same as an earlier one: (the earlier one, this one)."""
    first: dict[str, str] = {}
    found = []
    for name in dict.fromkeys(names):
        before = first.setdefault(looks(name), name)
        if before != name:
            found.append((before, name))
    return found


def told_apart(one: str, other: str) -> str:
    """In what two names that look the same differ, in words of Unicode: ``CYRILLIC ...``."""
    odd = [
        char
        for char in dict.fromkeys(other + one)
        if (char in one) != (char in other)
    ]
    names = [unicodedata.name(char, f"U+{ord(char):04X}") for char in odd]
    return ", ".join(names[:3]) or "blanks"
