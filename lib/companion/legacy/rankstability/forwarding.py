"""Public names whose work other packages do, which are imported when the names are called.

The packages come with the same distribution. Without them, the rest of `rankstability` works, and
these functions say what is missing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .errors import needing
from .judgments import DirectAssessment

if TYPE_CHECKING:
    from companion.legacy.rankcampaigns.catalogue import Campaign


def find(name: str | Path) -> Campaign:
    """A campaign by its catalogue name, or by a path to a folder or file in a known format.

    The format is inferred from the files; a ``campaign.yaml`` beside them may say more.

    Raises
    ------
    DataError
        If the name is unknown (the error lists the known names and the closest), the files of a
        known campaign are absent (the error says how to get them), or no file there has a known
        format.
    ImportError
        Without the package `rankcampaigns`.

    Examples
    --------
    >>> from companion.legacy.rankstability import find
    >>> find("demo-srdc").pairs
    ('de-en', 'en-cs')
    """
    with needing("find", "rankcampaigns"):
        from companion.legacy.rankcampaigns import campaigns
    return campaigns.find(name)


def load(
    campaign: Campaign | str | Path, pair: str = ""
) -> DirectAssessment | pd.DataFrame:
    """The judgments of one language pair in files, whatever the campaign's protocol.

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
        MQM: marked errors, for `mqm_scores`. `rank_systems` takes all of them.

    Raises
    ------
    DataError
        If there is no such campaign or pair, or anything is wrong in the files (with file, line
        and column).
    ImportError
        Without the package `rankcampaigns`.

    Examples
    --------
    >>> from companion.legacy.rankstability import load
    >>> load("demo-srdc", "de-en").good["system"].nunique()
    10
    """
    with needing("load", "rankcampaigns"):
        from companion.legacy.rankcampaigns import campaigns
    return campaigns.load(campaign, pair)


def verdict(
    judgments: DirectAssessment | pd.DataFrame,
    *,
    recipe: str = "auto",
    unit: str = "auto",
    alpha: float = 0.05,
    title: str = "",
) -> Any:
    """How far the ranking of judgments can be trusted: what ``verdict.json`` holds, and the page.

    Parameters
    ----------
    judgments : DirectAssessment or DataFrame
        Of one language pair or task, from `load`, `judgments` or `battles`.
    recipe, unit, alpha
        As for `rank_systems`; ``auto``: the campaign's, and all units that the judgments name.
    title : str
        What the page calls the judgments.

    Returns
    -------
    dict
        The keys of ``verdict.json``: sentence, systems, lines, may_be_first, fewest and others.
        It prints as its sentence, and Jupyter shows the page, whose bytes are its ``page``.

    Raises
    ------
    DataError
        If the judgments cannot be ranked.
    ImportError
        Without the package `rankcompanion`.

    Examples
    --------
    >>> from companion.legacy.rankstability import load, verdict
    >>> said = verdict(load("demo-rr", "cs-en"))
    >>> said["unit"], len(said["systems"])
    ('judge', 8)
    """
    with needing("verdict", "rankcompanion"):
        from companion.legacy.rankcompanion.verdict import given
    return given.verdict(judgments, recipe, unit, alpha, title)
