"""Checks of whole tables of judgments, the same for a file and for a user's frame.

Errors name the row of the frame; readers of files put the file and the line in its place.
"""

import numpy as np
import pandas as pd

from . import scales, spelling
from .errors import DataError

NAMED: tuple[str, ...] = ("system", "segment", "item", "question")
NAMED += ("worker", "judge", "rater", "hit", "document", "domain")
GROUPS = {
    "system": "system",
    "worker": "annotator",
    "file": "file",
    "pair": "language pair",
}
TELL = "`scale: [lowest, highest]` in a campaign.yaml beside it"
FEWEST = 2  # different fractions of 1 that are no chance


def refuse_alike(frame: pd.DataFrame) -> None:
    """Raises DataError for a name that looks the same as another of its column."""
    for column in (name for name in NAMED if name in frame):
        given = frame[column].drop_duplicates().dropna().astype(str)
        for before, name in spelling.alike(given)[:1]:
            raise DataError(
                "a name that looks the same as another",
                row=given.index[given == name][0],
                column=column,
                value=f"{name} beside {before}",
                expected=f"one spelling (they differ in {spelling.told_apart(before, name)})",
            )


def refuse_mixed(frame: pd.DataFrame, tell: str = TELL) -> None:
    """Raises DataError if some scores are fractions of 1 beside scores on a wider scale.

    `frame` has the column score, and perhaps those of `GROUPS`. Scores are mixed if there are
    fractions between 0 and 1, but only whole numbers above; or if all scores of a system,
    annotator, file or language pair are from 0 to 1, and some of them fractions. `tell` is how a
    user names the scale.
    """
    scores = frame["score"].to_numpy(float)
    known = np.isfinite(scores)
    given = scores[known]
    fraction = (scores > 0) & (scores < 1)
    above = given[given > 1]
    if not fraction.any() or given.min() < 0 or not len(above):
        return
    if (
        len(np.unique(scores[fraction])) >= FEWEST
        and (above == np.rint(above)).all()
    ):
        what = f"{fraction.sum()} fractions of 1 beside whole numbers up to {above.max():g}"
        raise _two_scales(frame, int(np.argmax(fraction)), what, tell)
    for column in (name for name in GROUPS if name in frame):
        groups = pd.Series(given).groupby(frame[column].to_numpy()[known])
        highest = groups.max()
        for name in highest.index[highest <= 1]:
            own = groups.get_group(name)
            if own[~own.isin([0, 1])].nunique() >= FEWEST:
                row = int(np.argmax((frame[column] == name).to_numpy()))
                what = f"0 to 1 for the {GROUPS[column]} {name}, up to {above.max():g} for others"
                raise _two_scales(frame, row, what, tell)


def _two_scales(
    frame: pd.DataFrame, row: int, what: str, tell: str
) -> DataError:
    return DataError(
        "scores on two scales",
        row=frame.index[row],
        column="score",
        value=what,
        expected=f"one scale; or, if it is one, {tell}",
    )


def scale_of(frame: pd.DataFrame, tell: str = TELL) -> scales.Range:
    """The lowest and highest score that could be given, as the column score shows them.

    Raises DataError for scores on two scales (`refuse_mixed`), and for one that is not on the
    scale of the others (`scales.scale_of`). Without any score, the scale is 0 to 100. A column
    written may have the scores as the file has them.
    """
    scores = frame["score"].to_numpy(float)
    given = scores[np.isfinite(scores)]
    if not len(given):
        return scales.PERCENT
    low, high = scales.scale_of(given)
    stray = np.flatnonzero((scores < low) | (scores > high))
    if not len(stray):
        refuse_mixed(frame, tell)
        return low, high
    raise DataError(
        "score out of scale",
        row=frame.index[stray[0]],
        column="score",
        value=str(
            frame["written" if "written" in frame else "score"].iloc[stray[0]]
        ),
        expected=f"{scales.usual(given, (low, high))}; or {tell}",
    )


def in_documents(frame: pd.DataFrame) -> np.ndarray:
    """Mask of the rows whose segment is in several documents."""
    known = frame[["segment", "document"]].dropna().drop_duplicates()
    several = known.loc[known["segment"].duplicated(), "segment"]
    shared = frame["segment"].isin(several) & frame["document"].notna()
    return shared.to_numpy()


def refuse_contradictions(frame: pd.DataFrame) -> None:
    """Raises DataError for rows that contradict earlier ones about a document, segment or system.

    A document has one domain; a segment one document, unless half of the documents share segments
    (then these are numbered within documents); and a system that is a reference (type REF) in one
    file is no system (SYSTEM, REPEAT) in another, where `frame` has a column file.
    """
    if "document" in frame and "domain" in frame:
        _refuse_second(frame, "document", "domain")
    if "document" in frame:
        shared = in_documents(frame)
        concerned = frame.loc[shared, "document"].nunique()
        if 0 < 2 * concerned < frame["document"].nunique():
            _refuse_second(frame, "segment", "document")
    if "file" in frame and frame["file"].nunique() > 1:
        role = np.where(frame["type"] == "REF", "a reference", "a system")
        counts = frame["type"].isin(["REF", "SYSTEM", "REPEAT"])
        roles = frame.assign(role=role)[counts]
        per_file = roles.groupby(["file", "system"], observed=True)[
            "role"
        ].nunique()
        plain = per_file[per_file == 1].reset_index()[["file", "system"]]
        _refuse_second(
            roles.reset_index().merge(plain).set_index("index"),
            "system",
            "role",
        )


def _refuse_second(frame: pd.DataFrame, of: str, what: str) -> None:
    """Raises DataError for the first row that gives one of `of` a second `what`."""
    known = frame[[of, what]].dropna().drop_duplicates()
    second = known[known[of].duplicated()]
    for row, name, value in second[:1].itertuples(name=None):
        before = known.loc[known[of] == name, what].iloc[0]
        raise DataError(
            f"a second {what} of one {of}",
            row=row,
            column="type" if what == "role" else what,
            value=f"{value} for {name}",
            expected=f"{before}, as in an earlier row",
        )
