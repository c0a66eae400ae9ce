"""Finding campaigns by name or path, and loading their judgments, whatever the protocol."""

import contextlib
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError, meant, visible
from companion.legacy.rankstability.judgments import DirectAssessment, noted

from . import formats, humans, judges, text
from .catalogue import (
    PROTOCOLS,
    Campaign,
    _campaign,
    catalogue,
    folder_of,
    in_catalogue,
    listed,
    present,
)
from .folder import GOOD, LATEST, locate
from .folder import named_tables as tables_of
from .formats import TOLD
from .settings import read_settings, refuse_idle, settings_file

# the catalogue's names can be imported from here, too
__all__ = [
    "Campaign",
    "catalogue",
    "folder_of",
    "in_catalogue",
    "listed",
    "locate",
    "present",
]
ANALYSIS = "analysis"
FILE_ENDING = re.compile(
    r"(\.(csv|tsv|jsonl|ndjson|json|parquet|xlsx|txt|score|tar|gz))+$", re.I
)


def _beside(path: Path) -> str:
    """A hint at what lies beside a path that does not exist, with nearly its name."""
    with contextlib.suppress(OSError):
        return meant(path.name, [one.name for one in path.parent.iterdir()])
    return ""


def find(name: str | Path, told: Mapping[str, Any] | None = None) -> Campaign:
    """A campaign by its catalogue name, or by a path to a folder or file in a known format.

    The format is inferred from the files (in a folder without any, from those of its ``analysis``
    folder); an optional ``campaign.yaml`` beside them may set what `settings.FIELDS` lists, such as
    title, style, year and files. `told` are settings of a user's file or folder from elsewhere
    (checked, as from `settings.told`), which come before those of the file.

    Raises
    ------
    DataError
        If the name is unknown (the error lists the known names and the closest), the files of a
        known campaign are absent (the error says how to get them), or no file there has a known
        format.

    Examples
    --------
    >>> from companion.legacy.rankstability import find
    >>> find("demo-srdc").pairs
    ('de-en', 'en-cs')
    """
    if not isinstance(name, str | Path):
        expected = (
            "a name or a path; frames are taken by `judgments` and `battles`"
        )
        raise DataError(
            "not a campaign", value=type(name).__name__, expected=expected
        )
    given = str(name)
    if given in catalogue():
        campaign = _campaign(given, folder_of(given), catalogue()[given])
        if not campaign.complete and (path := _existing(given)):
            return _own(path, told)  # a user's folder of that name
        if not campaign.complete:
            by_hand = "(data/README.md says how to place them by hand)"
            expected = f"the files there; `make data CAMPAIGN={given}` fetches them {by_hand}"
            problem = f"the files of {given} are not here"
            raise DataError(problem, file=campaign.folder, expected=expected)
        return campaign
    whole, _, part = given.partition(".")
    if in_catalogue(given):
        return find(whole).part(part)
    if path := _existing(given):
        return _own(path, told)
    if Path(given).name != given or Path(given).suffix in (
        ".csv",
        ".tsv",
        ".jsonl",
        ".xlsx",
    ):
        raise DataError(
            "no such file or folder" + _beside(Path(given)),
            value=given[:200],
            expected="a path that exists",
        )
    here = ", ".join(campaign.name for campaign in present()) or "none"
    expected = (
        f"a folder or file, or one of {', '.join(catalogue())}; here: {here}"
    )
    value = given if len(given) <= 200 else given[:200] + " ..."
    raise DataError(
        "unknown campaign" + meant(given, catalogue()),
        value=value,
        expected=expected,
    )


def _existing(given: str) -> Path | None:
    """The folder or file at this path, relative to here or to the repository, if it exists."""
    with contextlib.suppress(
        OSError, ValueError
    ):  # too long, or a NUL byte: no path
        return next(
            (
                p.resolve()
                for p in (Path(given), paths.ROOT / given)
                if p.exists()
            ),
            None,
        )
    return None


def _own(path: Path, told: Mapping[str, Any] | None) -> Campaign:
    """The campaign in a user's folder or file."""
    folder = path
    file = None
    if not path.is_file() and not path.is_dir():
        raise DataError(
            "neither a file nor a folder", file=path, expected="judgments"
        )
    if path.is_file():
        folder = path.parent
        if path.name.removesuffix(".gz") not in (
            LATEST,
            GOOD,
        ):  # these two belong together
            file = path
    elif not settings_file(path).is_file() and not formats.kinds_of(path):
        folder = _inside(path)
    for known in catalogue() if file is None else ():
        if folder == folder_of(known).resolve() or _is_copy(
            folder, catalogue()[known]
        ):
            return _campaign(known, folder, catalogue()[known])
    entry = read_settings(settings_file(folder))
    now = told or {}
    said = dict(entry)
    if (
        file is None
        and not settings_file(folder).is_file()
        and not formats.kinds_of(folder)
    ):
        entry |= formats.deeper(folder)
    if now:
        both = {**entry.get("columns", {}), **now.get("columns", {})}
        entry |= {
            **now,
            **({"columns": both} if both else {}),
            "told by": "the command line",
        }
    if file is not None:
        entry.pop("files", None)
    if "format" not in entry or (file is not None and formats.kind_of(file)):
        here = file or folder
        listed = [str(one) for one in entry.get("files", [])]
        entry["format"] = formats.mapped(
            here, listed, entry
        ) or formats.detect(here, listed)
    form = entry["format"]
    settings = settings_file(folder)
    if file is None or tables_of(folder) == [file]:
        refuse_idle(said, form, settings)
    if form != "da" and not formats.files(
        form, file or folder, settings=entry
    ):
        problem = f"no file of the format {form}, which campaign.yaml names"
        names = ", ".join(
            sorted(one.name for one in folder.iterdir() if one != settings)[:6]
        )
        expected = f"files as `rankstability formats {form}` shows them, or their names in `files:`"
        raise DataError(
            problem, file=folder, value=names or "nothing", expected=expected
        )
    named = path.parent if path.is_file() else path
    named = named.parent if named.name == ANALYSIS else named
    name = FILE_ENDING.sub("", file.name) if file else named.name
    # a folder's name: never ".."
    name = visible(name.strip(".")) or "campaign"
    # results under a catalogue name must not be mistaken for those of the official campaign
    name = f"own-{name}" if name in catalogue() else name
    campaign = _campaign(name, folder, entry, file)
    judges.all_here(folder, entry)
    _ = campaign.unread  # raises DataError for damaged files
    return campaign


def _is_copy(folder: Path, entry: Mapping[str, Any]) -> bool:
    """Whether a folder holds all files of a catalogue campaign as they were released."""
    of_parts = [
        name for names in entry.get("parts", {}).values() for name in names
    ]
    wanted = [str(name) for name in entry.get("files", of_parts)]
    listed = [
        source["files"]
        for source in entry.get("sources", ())
        if "repository" in source
    ]
    blobs = {
        name: about.get("git_blob")
        for files in listed
        for name, about in files.items()
    }
    if not wanted or not all(blobs.get(name) for name in wanted):
        return False
    here = {name: locate(folder, name) for name in wanted}
    return all(
        file and text.git_blob(file) == blobs[name]
        for name, file in here.items()
    )


def _inside(path: Path) -> Path:
    """The only ``analysis`` folder in `path`, or one level deeper; without one, `path`."""
    for pattern in (
        ANALYSIS,
        f"*/{ANALYSIS}",
    ):  # as in the releases of WMT17 to WMT19
        found = [folder for folder in path.glob(pattern) if folder.is_dir()]
        if len(found) == 1:
            return found[0]
    return path


def _known_pair(campaign: Campaign, pair: str) -> None:
    name = campaign.name
    if campaign.parts:
        expected = "one of them: " + ", ".join(
            f"{name}.{part}" for part in campaign.parts
        )
        raise DataError(
            f"{name} holds several studies", value=name, expected=expected
        )
    if pair not in campaign.pairs:
        problem = f"{name} has no rows for the language pair" + meant(
            pair, campaign.pairs
        )
        problem = problem if pair else f"{name} has several language pairs"
        wrong = partial(
            DataError, problem, file=campaign.folder, value=pair or None
        )
        raise wrong(expected="one of " + ", ".join(campaign.pairs))


def _refuse_other_pair(campaign: Campaign) -> None:
    """Raises DataError if the rows name another pair than ``pair`` of a user's settings."""
    told = campaign.entry.get("pair")
    if campaign.own and told and set(campaign.pairs) != {told}:
        problem = "`pair:` is not the language pair of the rows"
        expected = (
            f"no `pair:`, since the rows say {', '.join(campaign.pairs)}"
        )
        place = partial(
            DataError,
            problem,
            file=settings_file(campaign.folder),
            column="pair",
        )
        raise place(value=told, expected=expected)


def load(
    campaign: Campaign | str | Path, pair: str = ""
) -> DirectAssessment | pd.DataFrame:
    """The judgments of one language pair, whatever the campaign's protocol.

    Parameters
    ----------
    campaign : Campaign, str or Path
        From `find`, or what `find` takes.
    pair : str
        May be omitted if the campaign has only one, and in relative ranking, where all are loaded.

    Returns
    -------
    DirectAssessment or DataFrame
        Direct assessment (DA, ESA): the judgments, or a frame of segment scores if no workers were
        released; `segment_scores` takes both. Relative ranking: ranked outputs, for `pair_counts`.
        MQM: marked errors, for `mqm_scores`. What the catalogue says is not ranked in this pair
        (references under the name of a system) is left out, and counted in ``.attrs["excluded"]``.

    Raises
    ------
    DataError
        If there is no such campaign or pair, or anything is wrong in the files (with file, line
        and column).

    Examples
    --------
    >>> from companion.legacy.rankstability import load
    >>> load("demo-srdc", "de-en").good["system"].nunique()
    10
    """
    campaign = campaign if isinstance(campaign, Campaign) else find(campaign)
    if not pair and len(campaign.pairs) == 1:
        pair = campaign.pairs[0]
    if pair or campaign.protocol != "RR":
        _known_pair(campaign, pair)
    _refuse_other_pair(campaign)
    form = campaign.format
    reader = formats.reader(form)
    judgments = reader.read(campaign.source(pair), pair)
    if reader.judged is None:  # else the reader has set judges apart
        judges.refuse_pooled(
            campaign.files(pair) if form == "battles" else (), campaign.entry
        )
        others = partial(_annotators_of_others, campaign, pair)
        judgments = judges.people(
            judgments, campaign.entry, campaign.folder, others
        )
    judgments = _ranked(judgments, campaign.entry.get("unranked", {}), pair)
    adaptive = bool(campaign.entry.get("adaptive"))
    human = _humans(campaign, judgments)
    if isinstance(judgments, DirectAssessment):
        judgments = replace(
            judgments, file=paths.shown(campaign.folder), adaptive=adaptive
        )
        judgments = replace(
            judgments, humans=human, year=campaign.year, form=campaign.format
        )
        return noted(judgments, campaign.entry.get("zero_variance", "drop"))
    judgments.attrs["adaptive"] = adaptive
    judgments.attrs |= {"year": campaign.year, "form": campaign.format}
    if human is not None:
        judgments.attrs["humans"] = human
    if campaign.entry.get("weights"):
        judgments.attrs["weights"] = campaign.entry["weights"]
    return judgments


def _annotators_of_others(campaign: Campaign, pair: str) -> set[str]:
    """The annotators of a campaign's other language pairs."""
    reader = formats.reader(campaign.format)
    pairs = [one for one in campaign.pairs if one != pair]
    each = (
        judges.annotators(reader.read(campaign.source(one), one))
        for one in pairs
    )
    return set().union(*each)


def _ranked(
    judgments: Any, unranked: Mapping[str, Sequence[str]], pair: str
) -> Any:
    """The judgments without the systems that are not ranked in this pair.

    `unranked` maps a system to the pairs in which it stands for reference rows. Rows left out are
    counted in ``.attrs["excluded"]``, by reason.
    """
    for system, pairs in unranked.items():
        if pair not in pairs:
            continue
        outside = (judgments["system"] == system).to_numpy()
        excluded = dict(judgments.attrs.get("excluded", {}))
        excluded[f"{system}: reference rows, not ranked"] = int(outside.sum())
        judgments = judgments[~outside].reset_index(drop=True)
        judgments["system"] = judgments["system"].cat.remove_categories(
            [system]
        )
        judgments.attrs["excluded"] = excluded
    return judgments


def _humans(campaign: Campaign, judgments: Any) -> tuple[str, ...] | None:
    """The declared humans in judgments of one of the campaign's pairs; None for the catalogue's.

    Raises DataError for one that no pair has.
    """
    if not campaign.own:
        return None
    here = humans.systems_of(judgments)
    if missing := set(campaign.entry.get("humans", ())) - here:
        every = set(here)
        for pair in campaign.pairs if missing else ():
            read = formats.reader(campaign.format).read(
                campaign.source(pair), pair
            )
            every |= humans.systems_of(read)
        humans.check(campaign, every)
    return tuple(humans.declared(campaign, sorted(here)))


def load_da(campaign: Campaign, pair: str) -> DirectAssessment:
    """The judgments of one pair of a DA campaign with workers; raises DataError for any other."""
    if campaign.protocol != "DA" or not campaign.workers:
        has = (
            "no DA"
            if campaign.protocol != "DA"
            else "segment scores without workers"
        )
        raise DataError(
            f"{campaign.name} has {has}", expected="a DA campaign with workers"
        )
    judgments = load(campaign, pair)
    assert isinstance(judgments, DirectAssessment)
    return judgments


def load_segment_scores(campaign: Campaign, pair: str) -> pd.DataFrame:
    """Scores per system and segment as released: system, document, segment, raw, z, n.

    Those of references, too, which `load` leaves out where they were not ranked. Raises DataError
    if the campaign has none.
    """
    if campaign.format != "da" and (
        campaign.protocol != "DA" or campaign.workers
    ):
        raise DataError(
            f"{campaign.name} has no segment scores", expected="a DA campaign"
        )
    if campaign.format not in ("da", "segments"):
        return load(campaign, pair)
    here = campaign.source(pair)
    if (
        campaign.format == "da"
    ):  # the organisers' own averages may accompany the judgments
        here = formats.folder.Source(campaign.folder, ())
    return formats.reader("segments").read(here, pair)


def load_rr(campaign: Campaign, pair: str = "") -> pd.DataFrame:
    """The blocks of a relative-ranking campaign, of one pair or all; DataError for any other."""
    return _of_protocol(campaign, "RR", pair)


def load_mqm(campaign: Campaign, pair: str) -> pd.DataFrame:
    """The marked errors of one pair of an MQM campaign; raises DataError for any other."""
    return _of_protocol(campaign, "MQM", pair)


def _of_protocol(campaign: Campaign, protocol: str, pair: str) -> pd.DataFrame:
    if campaign.protocol != protocol:
        problem = f"{campaign.name} is not {PROTOCOLS[protocol]}"
        raise DataError(problem, value=campaign.protocol, expected=protocol)
    return load(campaign, pair)


def fingerprint(campaign: Campaign, pair: str = "") -> str:
    """Checksum, 16 hex digits, of the files read for `pair` (empty: all) and how they are read.

    A file and its gzip have the same checksum.
    """
    total = hashlib.sha256()
    for path in campaign.files(pair):
        total.update(
            path.name.removesuffix(".gz").encode() + text.digest(path).encode()
        )
    for path in judges.here(campaign).values():
        total.update(
            path.name.removesuffix(".gz").encode() + text.digest(path).encode()
        )
    told = {
        name: campaign.entry[name] for name in TOLD if campaign.entry.get(name)
    }
    total.update(repr(told).encode() if told else b"")
    return total.hexdigest()[:16]
