"""Languages: names and codes in files as ISO 639-1, and the language pair in a file's name."""

import re

from ...errors import DataError

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
    name: entry.split()[0] for entry in re.split(r"[|\n]", _CODES) for name in entry.split()
}  # English name or code: the code we write
PAIR = re.compile(r"[A-Za-z]{2,3}(_[A-Za-z0-9]+)*-[A-Za-z]{2,3}(_[A-Za-z0-9]+)*")
UNNAMED_PAIR = "xx-yy"  # the pair of judgments that name none
_HYPHEN = r"(?<![A-Za-z0-9])([a-z]{2,3})-(?=([a-z]{2,3})(?![A-Za-z0-9]))"
_JOINED = r"(?<=_)([a-z]{2})([a-z]{2})(?=[._])"
_UNDERSCORE = r"(?<![A-Za-z0-9])([a-z]{2,3})_(?=([a-z]{2,3})(?![A-Za-z0-9]))"


def language_code(name: str) -> str:
    """Return the ISO 639-1 code of a language; an unknown name stays as it is.

    >>> language_code("Czech"), language_code("deu"), language_code("sgg")
    ('cs', 'de', 'sgg')
    """
    bare = name.strip()
    return LANGUAGES.get(bare.lower(), bare)


def pair_of(text: str) -> str:
    """Return the language pair that a text names, or an empty string.

    >>> pair_of("English-German"), pair_of("eng_deu"), pair_of("news")
    ('en-de', 'en-de', '')
    """
    source, _, target = text.strip().partition("-")
    if not target and text.count("_") == 1:
        source, _, target = text.strip().partition("_")
    found = f"{language_code(source)}-{language_code(target)}"
    return found if PAIR.fullmatch(found) else ""


def pair_in_name(name: str, joined: bool = False) -> str:
    """Return the language pair in a file's name, by known codes; empty if there is none.

    Pairs with a hyphen come first. `joined` also takes ``_ende.``, as in names of MQM files. Raises
    DataError if the name holds several pairs.

    >>> pair_in_name("mqm_generalMT2022_ende.tsv", joined=True)
    'en-de'
    """
    patterns = (_HYPHEN, _JOINED, _UNDERSCORE) if joined else (_HYPHEN, _UNDERSCORE)
    for pattern in patterns:
        sides = [(LANGUAGES.get(a), LANGUAGES.get(b)) for a, b in re.findall(pattern, name)]
        known = dict.fromkeys(f"{a}-{b}" for a, b in sides if a and b and a != b)
        with_english = [pair for pair in known if "en" in pair.split("-")]
        found = with_english or list(known)
        if len(found) > 1:
            raise DataError("several_pairs_in_name", file=name, value=", ".join(found))
        if found:
            return found[0]
    return ""
