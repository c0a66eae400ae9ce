"""Which systems of the organisers' releases are human translations or references, by their names."""

import re

_HUMAN = re.compile(
    r"HUMAN|(?i:(?:^|[-_.])human(?:[-_.]|$))|^ref[-_]?[A-Z]$|^reference(_r\d)?$|^translator-[A-Z]$"
)
_REFERENCE = re.compile(r"(?i)^(_?ref|reference)s?([._-]?[a-z0-9]{1,2})?$")


def is_human(system: str) -> bool:
    """Return whether an id of a WMT release names a human translation or a reference.

    Only names that the organisers gave are read this way; users declare theirs.

    >>> [is_human(name) for name in ("HUMAN.0", "newstest2019-human", "refA", "_ref", "Prefix")]
    [True, True, True, True, False]
    """
    return bool(_HUMAN.search(system) or _REFERENCE.match(system))
