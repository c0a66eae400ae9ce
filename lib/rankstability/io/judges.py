"""Scores and votes of judge models that a campaign of the catalogue holds beside human judgments."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ..errors import DataError
from ..judgments import Judgments
from .catalogue import Campaign, find_campaign, is_known
from .formats import arena
from .formats.files import clean_names, locate, need_columns, read_numbers, read_table, split_header
from .paths import data_root

FILE = "file"  # a table with a column for each judge model
PLACES = ("system", "segment", "document")
NO_SCORE = ("", "na", "nan", "none", "null")


def load_judge_models(campaign: str, pair: str = "") -> dict[str, pd.DataFrame | Judgments]:
    """Return what each judge model of a campaign said, by its name.

    Parameters
    ----------
    campaign : str
        A name of the catalogue.
    pair : str
        The language pair; empty for campaigns of one pair.

    Returns
    -------
    dict
        Scores: frames with the columns system, segment, document and score (higher is better).
        Votes: `Judgments`. Empty if the campaign has no judge models, or their files are not here.

    Raises
    ------
    DataError
        For a wrong value in a file.
    """
    if not is_known(campaign):
        return {}
    found = find_campaign(campaign)
    files = _files(found)
    if pair and pair not in found.facts.get("pairs", ()):
        return {}
    if FILE in files:
        return dict(_read_scores(files[FILE]))
    votes: dict[str, pd.DataFrame | Judgments] = {}
    for judge, file in files.items():
        votes[judge] = next(iter(arena.read([file]).values()))
    return votes


def _files(campaign: Campaign) -> dict[str, Path]:
    """Return the files that are here, in the campaign's folder or below the data root."""
    listed = campaign.facts.get("judges", {})
    found = {}
    for judge, name in listed.items():
        file = locate(campaign.folder, name) or locate(data_root(), name)
        if file is not None:
            found[str(judge)] = file
    return found


def _read_scores(file: Path) -> dict[str, pd.DataFrame]:
    table = read_table(file, split_header(file)[0])
    need_columns(table, PLACES[:2], file)
    places = [name for name in PLACES if name in table]
    names, _ = clean_names(table, {name: name for name in places}, file)
    scores = {}
    for judge in (name for name in table if name not in places):
        given = ~table[judge].str.strip().str.lower().isin(NO_SCORE)
        frame = names[given].astype(object)
        frame["score"] = read_numbers(table[given], judge, file)
        twice = frame.duplicated(places)
        if twice.any():
            line = int(frame.index[twice][0])
            raise DataError("output_scored_twice", file=file, line=line, column=judge)
        scores[str(judge)] = frame.reset_index(drop=True)
    return scores
