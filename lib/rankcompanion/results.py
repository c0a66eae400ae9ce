"""Tables of all real campaigns, as they stand below ``figures/``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from paperkit.placing import record
from rankstability.read.campaigns import catalogue, listed

KEY = ["paper", "place", "cell"]


def is_demo(campaign: str) -> bool:
    """Whether a folder below ``figures/`` belongs to a synthetic demo campaign."""
    return campaign.startswith("demo")


def campaign_tables(figures: Path, notebook: str, name: str) -> pd.DataFrame:
    """``<name>.csv`` of a notebook of all real campaigns that were run, `campaign` first.

    `notebook` is a beginning of its name, or ``catalogue`` with the name ``pairs``: what the
    catalogue says of each pair. ``run``: the settings in ``run.json``, a row per campaign.
    """
    if notebook == "catalogue":
        return _catalogue_pairs()
    frames = []
    for file in files_named(
        figures, f"{notebook}*", "run.json" if name == "run" else f"{name}.csv"
    ):
        if name == "run":
            frame = pd.DataFrame([record(file.parent)]).drop(columns="files", errors="ignore")
        else:
            frame = pd.read_csv(file, keep_default_na=False, na_values=[""])
        frame = frame.drop(columns="campaign", errors="ignore")
        frame.insert(0, "campaign", file.parent.parent.name)
        frames.append(frame)
    kept = [frame for frame in frames if len(frame)] or frames[:1]
    return pd.concat(kept, ignore_index=True) if kept else pd.DataFrame({"campaign": []}, dtype=str)


def files_named(figures: Path, notebook: str, name: str) -> list[Path]:
    """That file of the catalogue's real campaigns: none that is synthetic or a user's own."""
    real = {campaign for campaign in catalogue() if not is_demo(campaign)}
    found = sorted(figures.glob(f"*/{notebook}/{name}"))
    return [file for file in found if file.parent.parent.name in real]


def _catalogue_pairs() -> pd.DataFrame:
    """A row per pair of each real campaign: what the catalogue says of how it was judged."""
    parts = [
        c.facts(c.known_pairs).assign(campaign=c.name, protocol=c.protocol, title=c.title)
        for c in listed()
        if not c.demo
    ]
    names = ["campaign", "pair", "protocol", "year", "style", "tool", "judged", "title"]
    return pd.concat(parts, ignore_index=True)[names]


def numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per printed number: those that stand under two readings are counted once."""
    cells = rows["cell"].str.replace("^as (stated|matched) [|] ", "", regex=True)
    return rows.assign(cell=cells).drop_duplicates(KEY)
