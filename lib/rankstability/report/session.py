"""Inside a notebook: open its campaign (`start`), and show what it made (`show`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..read import campaigns
from ..read.campaigns import Campaign
from . import tables
from .outputs import Outputs, check_pairs, signature
from .parameters import WHOLE, check_pair
from .placing import claim, results_folder


@dataclass(frozen=True)
class Run:
    """What a notebook works on: its campaign, the `pairs` that it computes, and where results go.

    `pairs` are none where all were run before; `whole`: it also makes the campaign's tables.
    """

    campaign: Campaign
    pair: str  # as given
    pairs: tuple[str, ...]
    whole: bool
    out: Outputs


def start(
    notebook: str, campaign: str, pair: str = "", output_dir: str = "", **settings: Any
) -> Run:
    """Open a campaign for a notebook, such as ``01_replication``: the first call of each.

    Parameters
    ----------
    campaign : str
        A catalogue name, or a path to a file or a folder of files in a known format.
    pair : str
        A language pair; empty: all pairs of the campaign; ``whole``: only the campaign's tables,
        from the results of pairs that are already there.
    output_dir : str
        Where results go; empty: ``figures/<campaign>/<notebook>``, of an own campaign
        ``results/<campaign>/<notebook>``.
    **settings
        What else the results depend on, for the signature in ``run.json``.

    Raises
    ------
    DataError
        For a campaign that is not here, a pair it does not have, or (``whole``) pairs that have
        not been run, or were run with other settings.
    """
    found = campaigns.find(campaign)
    check_pair(found, pair)
    folder = Path(output_dir) if output_dir else results_folder(found) / notebook
    if not output_dir:
        claim(found)
    if rule := found.entry.get("zero_variance"):  # the campaign's, of workers without spread
        settings["zero_variance"] = rule
    signed = signature(
        notebook=notebook,
        campaign=found.name,
        data=campaigns.fingerprint(found, "" if pair == WHOLE else pair),
        provenance=_provenance(found),
        **settings,
    )
    if len(found.reading):
        show({f"How the files of {found.name} were read": found.reading})
    out = Outputs(folder, signed, pairs=found.pairs)
    tables.install()
    if pair == WHOLE:
        check_pairs(folder, found.pairs, signed)
    pairs = () if pair == WHOLE else (pair,) if pair else found.pairs
    return Run(found, pair, pairs, pair in ("", WHOLE), out)


def _provenance(campaign: Campaign) -> str:
    """``official``, ``rebuilt from z``, ``synthetic`` (a demo campaign) or ``own`` data."""
    if campaign.demo:
        return "synthetic"
    if not campaigns.in_catalogue(campaign.name):
        return "own"
    return "rebuilt from z" if campaign.rebuilt else "official"


def show(parts: Mapping[str, Any]) -> None:
    """Display titled tables, figures and sentences in a notebook; nothing for an empty part."""
    from IPython.display import Markdown, display

    for title, part in parts.items():
        if part is None or (isinstance(part, str | pd.DataFrame) and not len(part)):
            continue
        display(Markdown(f"**{title}**"))
        display(Markdown(part) if isinstance(part, str) else part)
