"""Where the results of a campaign go: own campaigns keep to themselves."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from .. import paths
from ..read.campaigns import Campaign, in_catalogue

SOURCE = ".campaign"  # in the results of an own campaign: the path of its judgments


def own(campaign: Campaign) -> bool:
    """Whether this is a user's campaign, not one of the catalogue."""
    return not in_catalogue(campaign.name)


def results_folder(campaign: Campaign) -> Path:
    """The folder for the results of a campaign, one folder a notebook in it.

    ``figures/<name>`` for the catalogue's. For an own one ``results/<name>``, or, where another
    campaign of that name has its results there, ``results/<name>-<hash of the path>``.
    """
    if not own(campaign):
        return paths.FIGURES / campaign.name
    plain, source = paths.RESULTS / campaign.name, _source(campaign)
    owner = plain / SOURCE
    if not owner.is_file() or owner.read_bytes() == os.fsencode(source):
        return plain
    return plain.with_name(f"{plain.name}-{hashlib.sha256(os.fsencode(source)).hexdigest()[:6]}")


def claim(campaign: Campaign) -> None:
    """Note in the results folder of an own campaign whose it is."""
    folder = results_folder(campaign)
    if own(campaign):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SOURCE).write_bytes(os.fsencode(_source(campaign)))


def _source(campaign: Campaign) -> str:
    return str((campaign.file or campaign.folder).resolve())
