"""Which files of a folder hold a campaign, in which format, and for which language pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from . import paths, readers_appraise, readers_da, tables
from .errors import DataError
from .readers_da import GOOD, LATEST, locate, segment_pairs

LANGUAGES = {
    "Czech": "cs",
    "English": "en",
    "French": "fr",
    "German": "de",
    "Spanish": "es",
    "Urdu": "ur",
    "Haitian Creole": "ht",
    "Hungarian": "hu",
}
PROTOCOLS = {
    "da": "DA",
    "segments": "DA",
    "esa": "DA",
    "appraise": "DA",
    "rr": "RR",
    "mqm": "MQM",
}
MQM_PAIR = re.compile(r"_([a-z]{2})-?([a-z]{2})(?=[._])")  # of several the last counts


def detect(folder: Path) -> str:
    """The format of the files in `folder`; DataError where there is none we know."""
    if locate(folder, LATEST) or locate(folder, GOOD):
        return "da"
    if segment_pairs(folder):
        return "segments"
    if _glob(folder, "rr"):
        return "rr"
    if _glob(folder, "mqm"):
        return "mqm"
    if _glob(folder, "esa"):
        return "esa"
    if _glob(folder, "appraise"):
        return "appraise"
    raise DataError(
        "no files in a known format",
        file=paths.shown(folder),
        value=", ".join(sorted(path.name for path in folder.iterdir())[:6]) or "an empty folder",
        expected=f"{LATEST} with {GOOD}; ad-seg-scores-XX-YY.csv; *RNK*.csv; MQM *.tsv; "
        "an ESA or Appraise export *.csv (data/README.md)",
    )


PATTERNS = {
    "rr": ("*RNK*.csv", "*RNK*.csv.gz"),
    "mqm": ("*mqm*.tsv", "*mqm*.tsv.gz", "*mqm*.tsv.tar.gz"),
    "esa": ("*esa*.csv", "*esa*.csv.gz"),
    "appraise": ("*Appraise*.csv", "*Appraise*.csv.gz", "*appraise*.csv", "*appraise*.csv.gz"),
}


def _glob(folder: Path, kind: str) -> tuple[Path, ...]:
    """Files of a kind by their names (of RR, not the paid ``-public`` judgments of 2010)."""
    found = {path for pattern in PATTERNS[kind] for path in folder.glob(pattern)}
    names = [path for path in found if path.is_file() and "-public" not in path.name]
    return tuple(sorted(path for path in names if not path.name.startswith(("header", "."))))


def files(form: str, folder: Path, names: Sequence[str] = (), pair: str = "") -> tuple[Path, ...]:
    """The files of `folder` that are read for `pair` (empty: all pairs), in a fixed order.

    `names` are the files to read where the campaign says so (empty: all of the format).
    """
    if form == "da":
        chosen = [pair] if pair else readers_da.pairs(folder)
        wanted = [LATEST, GOOD, *(f"documents-{one}.tsv" for one in chosen)]
        found = [locate(folder, name) for name in wanted]
        return tuple(path for path in found if path)
    if form == "segments":
        found = [
            locate(folder, f"ad-seg-scores-{one}.csv")
            for one in ([pair] if pair else segment_pairs(folder))
        ]
        return tuple(path for path in found if path)
    if names:
        listed = [locate(folder, str(name)) for name in names]
        here = tuple(path for path in listed if path)
    else:
        here = _glob(folder, form)
    if form == "mqm" and pair:
        return tuple(path for path in here if _mqm_pair(path) == pair)
    return here


def _mqm_pair(path: Path) -> str:
    """``en-de`` from a name such as ``mqm_generalMT2022_ende.tsv``."""
    found = MQM_PAIR.findall(path.name)
    if not found:
        raise DataError(
            "no language pair in the file's name",
            file=paths.shown(path),
            expected="a name such as mqm_mine_ende.tsv",
        )
    return "-".join(found[-1])


def pairs(form: str, folder: Path, here: Sequence[Path]) -> tuple[str, ...]:
    """The language pairs in the files `here` (as `files` gives them), sorted."""
    if form == "da":
        return readers_da.pairs(folder)
    if form == "segments":
        return segment_pairs(folder)
    if form == "mqm":
        return tuple(sorted({_mqm_pair(path) for path in here}))
    if form == "rr":
        return tuple(sorted(set().union(*(_rr_pairs(path) for path in here))))
    return readers_appraise.pairs(tuple(here), form)


def _rr_pairs(path: Path) -> set[str]:
    text = tables.content(path).decode("utf-8").splitlines()
    header = text[0].split(",")
    if "srclang" not in header or "trglang" not in header:
        raise DataError(
            "no srclang and trglang in the header", file=paths.shown(path), line=1, value=text[0]
        )
    source, target = header.index("srclang"), header.index("trglang")
    seen = set()
    for line in text[1:]:
        fields = line.split(",", max(source, target) + 1)
        if len(fields) > max(source, target):
            seen.add((fields[source], fields[target]))
    return {f"{LANGUAGES.get(s, s)}-{LANGUAGES.get(t, t)}" for s, t in seen}
