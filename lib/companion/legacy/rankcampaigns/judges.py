"""Judge models beside people: which annotators are programs, and what these said.

People and judges are never pooled. `judges:` of campaign.yaml names annotators that are models
(``[GPT-4, "gemba*"]``; ``[]`` says that all are people), a file with a column for each judge
(``{file: judges.tsv}``), or a file of battles for each (``{GPT-4: gpt4.csv}``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError, meant
from companion.legacy.rankstability.judgments import (
    DirectAssessment,
    counted,
    fits,
    models_among,
    share_categories,
)
from companion.legacy.rankstability.names import plain

from . import columns, languages, tables, text
from .folder import Judgments, locate

if TYPE_CHECKING:
    from .catalogue import Campaign

FILE = "file"  # the key of `judges:` that names a file with a column for each judge
PLACES = (
    "system",
    "segment",
    "document",
)  # what the rows of such a file are about
SCORES = ["judge", *PLACES, "score"]
VOTES = ["judge", "question", "left", "right", "vote"]
BOTH = "a judge's score of one output, once"


def named(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The patterns of annotators that settings name as judges; empty for files and for none."""
    said = settings.get("judges") or ()
    return () if isinstance(said, Mapping) else tuple(map(str, said))


def files(place: Path, settings: Mapping[str, Any]) -> dict[str, Path]:
    """The files of judges that settings name and that are here, by judge (or `FILE`).

    They lie in the campaign's folder; those of the catalogue may lie below the data root.
    """
    said = settings.get("judges")
    found: dict[str, Path] = {}
    for judge, name in said.items() if isinstance(said, Mapping) else ():
        file = locate(place, str(name)) or locate(paths.data_root(), str(name))
        if file is not None:
            found[str(judge)] = file
    return found


def all_here(place: Path, settings: Mapping[str, Any]) -> None:
    """Raises DataError for a file of judges that is not in a user's folder."""
    said = settings.get("judges")
    found = files(place, settings)
    for judge, name in said.items() if isinstance(said, Mapping) else ():
        if str(judge) not in found:
            wrong = partial(
                DataError, file=place, column="judges", value=str(name)
            )
            raise wrong(
                "no such file of judges",
                expected="the name of a file in this folder",
            )


def told(settings: Mapping[str, Any]) -> str:
    """The judges or files of judges that settings name, as text; empty for none."""
    said = settings.get("judges") or ()
    return ", ".join(
        map(str, said.values() if isinstance(said, Mapping) else said)
    )


def here(campaign: Campaign) -> dict[str, Path]:
    """The files of a campaign's judges that are here, by judge (or `FILE`)."""
    place = campaign.file.parent if campaign.file else campaign.folder
    return files(place, campaign.entry)


def mask(annotators: pd.Series, patterns: Sequence[str]) -> np.ndarray:
    """Whether each of these annotators (missing: no) is one of these judges."""
    known = annotators.astype(object)
    of = {who: fits(str(who), patterns) for who in known.dropna().unique()}
    return known.map(of).fillna(False).to_numpy(bool)


def checked(
    annotators: Iterable[str],
    settings: Mapping[str, Any],
    file: Path | str,
    elsewhere: Callable[[], set[str]] = set,
) -> None:
    """Raises DataError for judges that are not among the annotators, or if there are no others.

    `elsewhere` finds the annotators of other language pairs, among whom a judge may be instead.
    Also for annotators with the name of a model that settings do not name: whether they are judges
    or people must be said.
    """
    who = sorted(set(annotators))
    patterns = named(settings)
    wrong = partial(DataError, file=file or None)
    if patterns and not who:
        expected = "a column of annotators"
        raise wrong("judges among unnamed annotators", column="judges", value=list(patterns),
                    expected=expected)  # fmt: skip
    missing = [
        one for one in patterns if not any(fits(each, [one]) for each in who)
    ]
    others = elsewhere() if missing else set()
    for pattern in missing:
        if not any(fits(one, [pattern]) for one in others):
            problem = "no such judge"
            expected = "one of the annotators: " + ", ".join(who[:20])
            problem += meant(pattern, who)
            raise wrong(
                problem, column="judges", value=pattern, expected=expected
            )
    models = [one for one in models_among(who) if not fits(one, patterns)]
    if models and settings.get("judges") != []:
        expected = _told_apart([*patterns, *models], settings)
        raise wrong(
            "an annotator with the name of a model",
            value=models[0],
            expected=expected,
        )
    if patterns and all(fits(one, patterns) for one in who):
        expected = "people beside them, or `judges: []` if these are people"
        raise wrong(
            "only judges",
            column="judges",
            value=list(patterns),
            expected=expected,
        )


def _told_apart(judges: Sequence[str], settings: Mapping[str, Any]) -> str:
    """The line of settings that tells these judges from people."""
    if isinstance(settings.get("judges"), Mapping):
        return "only people here, as `judges:` names a file; its scores in that file, too"
    listed = ", ".join(judges)
    told = f'`judges: [{listed}]` in a campaign.yaml beside it, or judges="{listed}"'
    return (
        f"{told}, never pooled with people; or `judges: []` if all are people"
    )


def people(
    judgments: Judgments,
    settings: Mapping[str, Any],
    file: Path | str,
    elsewhere: Callable[[], set[str]] = set,
) -> Judgments:
    """The judgments without those of judges; what is left is as if they had never been there.

    Raises DataError as `checked` does, which says what `elsewhere` is.
    """
    column = _annotators(judgments)[0]
    checked(annotators(judgments), settings, file, elsewhere)
    if not column:
        return judgments
    if not named(settings):
        return judgments
    return _rows(judgments, column, named(settings), False)


def refuse_pooled(
    battles: Sequence[Path], settings: Mapping[str, Any]
) -> None:
    """Raises DataError for battles in a file with the name of a model beside others."""
    said = settings.get("judges")
    models = [file for file in battles if models_among([file.name])]
    if isinstance(said, list) or not models or len(models) == len(battles):
        return
    stems = [file.name.partition(".")[0] for file in models]
    pairs = [
        *(said or {}).items(),
        *zip(stems, (file.name for file in models), strict=True),
    ]
    of = ", ".join(f"{judge}: {name}" for judge, name in pairs)
    told = f"`judges: {{{of}}}` in a campaign.yaml beside it"
    expected = (
        f"{told}, never pooled with people; or `judges: []` if all are people"
    )
    problem = "battles in a file with the name of a model"
    raise DataError(
        problem, file=models[0], value=models[0].name, expected=expected
    )


def of_judges(judgments: Judgments, settings: Mapping[str, Any]) -> Judgments:
    """Only the judgments of judges that settings name among the annotators."""
    return _rows(judgments, _annotators(judgments)[0], named(settings), True)


def annotators(judgments: Judgments) -> set[str]:
    """The names of annotators; empty if they are not named."""
    column, frame = _annotators(judgments)
    return (
        set(frame[column].dropna().astype(str).unique()) - {""}
        if column
        else set()
    )


def _annotators(judgments: Judgments) -> tuple[str, pd.DataFrame]:
    """The column of annotators (empty if there is none), and the frame that has it."""
    if isinstance(judgments, DirectAssessment):
        return (
            "worker" if judgments.latest["worker"].notna().any() else ""
        ), judgments.latest
    column = next(
        (name for name in ("rater", "judge") if name in judgments), ""
    )
    return column, judgments


def _rows(
    judgments: Judgments, column: str, patterns: Sequence[str], wanted: bool
) -> Judgments:
    """The rows of judges (`wanted`) or of all others, without categories that no row has."""
    if isinstance(judgments, DirectAssessment):
        frames = [
            frame[mask(frame[column], patterns) == wanted]
            for frame in (judgments.latest, judgments.good)
        ]
        frames = [frame.reset_index(drop=True) for frame in frames]
        names = [
            name
            for name in frames[0]
            if isinstance(frames[0][name].dtype, pd.CategoricalDtype)
        ]
        share_categories(frames, names)
        return replace(judgments, latest=frames[0], good=frames[1])
    kept = judgments[mask(judgments[column], patterns) == wanted].reset_index(
        drop=True
    )
    for name in kept:
        if isinstance(kept[name].dtype, pd.CategoricalDtype):
            kept[name] = kept[name].cat.remove_unused_categories()
    kept.attrs = dict(judgments.attrs)
    return kept


def single_scores(da: DirectAssessment) -> pd.DataFrame:
    """The scores of judges among the annotators of direct assessment, with the columns `SCORES`."""
    good = da.good[counted(da.good)]
    frame = good[["worker", "system", "segment", "document", "score"]].astype(
        {"score": float}
    )
    frame = frame.rename(columns={"worker": "judge"})
    ids = {name: str for name in ("judge", "system", "segment")}
    frame["document"] = (
        frame["document"].astype(object).where(frame["document"].notna(), "")
    )
    return once(frame.astype(ids | {"document": str})[SCORES], da.file)


def once(frame: pd.DataFrame, file: Path | str) -> pd.DataFrame:
    """Each judge's score of each output once. Raises DataError for two different scores of one."""
    keys = [name for name in frame.columns if name not in ("score", "vote")]
    frame = frame.drop_duplicates()
    twice = frame[frame.duplicated(keys, keep=False)]
    if len(twice):
        first = twice.iloc[0]
        alike = twice[(twice[keys] == first[keys]).all(axis=1)]
        said = alike.iloc[:, -1].map("{:g}".format)
        place = ", ".join(
            f"{name} {first[name]}" for name in keys[1:] if first[name]
        )
        wrong = partial(
            DataError,
            "two different scores of one output by a judge",
            file=file or None,
        )
        raise wrong(
            column=first["judge"],
            value=f"{place}: {' and '.join(said)}",
            expected=BOTH,
        )
    return frame.reset_index(drop=True)


def read_scores(file: Path, pair: str) -> pd.DataFrame:
    """A file with the columns system, segment, perhaps document and pair, and one for each judge.

    Empty cells are no score. Columns `SCORES`; empty if the rows are of other language pairs.
    Raises DataError for a missing column, a cell that is not a number, or two different scores of
    an output.
    """
    table = tables.any_table(file)
    known = [*PLACES, "pair", "domain"]
    found: dict[str, str] = {}
    for name in known:
        may = (
            own for own in table.frame if plain(own) in columns.FIELDS[name]
        )
        if own := next(may, ""):
            found[name] = own
    judges = [own for own in table.frame if own not in found.values()]
    with text.placed(file, 1):
        for name in PLACES[:2]:
            if name not in found:
                expected = "system, segment, perhaps document, and a column for each judge"
                raise DataError(
                    f"no column for {name}",
                    value=", ".join(table.frame)[:200],
                    expected=expected,
                )
        if not judges:
            raise DataError(
                "no column of a judge",
                value=", ".join(table.frame)[:200],
                expected="one for each judge",
            )
    place = pd.DataFrame(
        {
            name: table.frame[found[name]].astype(str)
            for name in PLACES
            if name in found
        }
    )
    place = place.assign(**{name: "" for name in PLACES if name not in found})
    inside = _inside(table, found, pair)
    parts = []
    for judge in judges:
        cells = table.frame[judge].astype(str)
        given = ~cells.str.lower().isin(columns.MISSING).to_numpy()
        if not given.any():
            expected = "a score in a row at least"
            raise DataError(
                "a judge without a score",
                file=file,
                column=judge,
                expected=expected,
            )
        score = pd.to_numeric(cells, errors="coerce").to_numpy(float)
        wrong = np.flatnonzero(inside & given & ~np.isfinite(score))
        if len(wrong):
            raise table.error(
                "not a number",
                int(wrong[0]),
                judge,
                "a judge's score, or an empty cell",
            )
        kept = inside & given
        parts.append(
            place[kept].assign(judge=judge, score=score[kept])[SCORES]
        )
    return once(pd.concat(parts, ignore_index=True), file)


def _inside(
    table: tables.Table, found: Mapping[str, str], pair: str
) -> np.ndarray:
    """Which rows are of this language pair, by a column or by the file's name; else all."""
    if "pair" in found:
        written = table.frame[found["pair"]].astype(str).map(languages.pair_of)
        return (written == pair).to_numpy(bool)
    of_file = languages.pair_in(table.path)
    return np.full(
        len(table.frame), not of_file or not pair or of_file == pair
    )


def read(campaign: Campaign, pair: str) -> pd.DataFrame | None:
    """What the judges of a campaign said of one language pair; None if it names none.

    Single scores have the columns `SCORES` (higher is better, each output once), battles `VOTES`
    (1 for a win of the left, 0 for the right, 1/2 for a tie). Judges among the raters of MQM: their
    marked errors, as people's. Raises DataError for wrong files.
    """
    from . import formats, rr

    beside = here(campaign)
    patterns = named(campaign.entry)
    told = campaign.entry.get("judges")
    if isinstance(told, Mapping) and (FILE in told) == (
        campaign.format == "battles"
    ):
        form = "{GPT-4: battles.csv}" if FILE in told else "{file: judges.tsv}"
        wrong = partial(
            DataError, file=campaign.folder, column="judges", value=dict(told)
        )
        raise wrong(
            "judges of another kind of judgments", expected=f"such as {form}"
        )
    if FILE in beside:
        made = read_scores(beside[FILE], pair)
        return made if len(made) else None
    if beside:
        parts = [
            rr.read_votes([file], pair, campaign.entry).assign(judge=judge)
            for judge, file in beside.items()
        ]
        return once(
            pd.concat(parts, ignore_index=True)[VOTES],
            next(iter(beside.values())),
        )
    if not patterns:
        return None
    if campaign.format == "battles":
        votes = rr.read_votes(campaign.files(pair), pair, campaign.entry)
        return once(
            votes[mask(votes["judge"], patterns)][VOTES], campaign.folder
        )
    reader = formats.reader(campaign.format)
    if reader.judged is not None:
        return once(
            reader.judged(campaign.source(pair), pair), campaign.folder
        )
    every = reader.read(campaign.source(pair), pair)
    if not any(fits(one, patterns) for one in annotators(every)):
        return None
    said = of_judges(every, campaign.entry)
    return single_scores(said) if isinstance(said, DirectAssessment) else said
