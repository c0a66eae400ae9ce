"""By which names the columns of a table of judgments are known."""

import re
from collections.abc import Iterable, Mapping, Sequence

from .errors import DataError

FIELDS = {  # our column: names it may have, as `plain` writes them
    "system": ("system", "systemid", "sys", "model", "engine"),
    "segment": ("segment", "segmentid", "segid", "seg"),
    "score": ("score", "rating", "rawscore"),
    "annotator": (
        "annotator",
        "annotatorid",
        "worker",
        "workerid",
        "rater",
        "raterid",
        "judge",
    ),
    "hit": ("hit", "hitid", "task", "taskid"),
    "document": ("document", "documentid", "doc", "docid"),
    "domain": ("domain",),
    "pair": ("pair", "languagepair", "langs", "lp"),
    "type": ("type", "itemtype"),
    "time": ("time", "seconds", "duration", "leadtime"),
}
INSTANCE = ("instance", "instanceid", "example", "exampleid")
ELSE = {  # names that are tried if no column has one of `FIELDS`
    "system": (
        "product",
        "productid",
        "modelname",
        "systemname",
        "enginename",
        "mtengine",
    ),
    "segment": (
        "question",
        "questionid",
        "prompt",
        "promptid",
        "item",
        "sampleid",
        *INSTANCE,
    ),
    "score": ("answer", "correct", "resolved", "accuracy"),
    "annotator": (
        "user",
        "userid",
        "respondent",
        "respondentid",
        "participant",
        "participantid",
    ),
}


def plain(name: str) -> str:
    """A name in lower case, reduced to its letters and digits."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def candidates(
    header: Sequence[str], given: Mapping[str, str]
) -> dict[str, list[str]]:
    """For each of our columns (of `FIELDS`) those of a header that may be it: names.

    It is the one `given`, or one with our own name, or one with a name of `FIELDS`, or else of
    `ELSE`. Raises DataError if the header lacks one that is given.
    """
    free = [
        (name, plain(name)) for name in header if name not in given.values()
    ]
    found = {}
    for ours, names in FIELDS.items():
        if ours in given:
            if given[ours] not in header:
                raise DataError(
                    f"no such column for {ours}",
                    value=given[ours],
                    expected=", ".join(header),
                )
            found[ours] = [given[ours]]
            continue
        exact = [name for name, known in free if known == ours]
        may = exact or [name for name, known in free if known in names]
        found[ours] = may or [
            name for name, known in free if known in ELSE.get(ours, ())
        ]
    return found


def voters(header: Iterable[str]) -> str:
    """The column of a table of battles whose name says that it holds who judged; empty if none."""
    known = {plain(name): name for name in header}
    people = ("judge", "voter", *FIELDS["annotator"], *ELSE["annotator"])
    return next((known[name] for name in people if name in known), "")
