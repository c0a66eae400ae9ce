"""Numbers that the organisers released, to compare ours with."""

from __future__ import annotations

import re

import pandas as pd

from rankstability.io.formats.files import locate
from rankstability.io.formats.segment_scores import read_stand_off_rows
from rankstability.io.official import folder_of


def official_p_values(campaign: str, pair: str) -> pd.DataFrame:
    """Return the released p-values (``adwilcox-XXYY.csv``): rows better than columns, one-sided.

    Values that are not significant are printed as 0.12. File-name prefixes and suffixes of systems
    are removed. The frame is empty if the release holds none.
    """
    folder = folder_of(campaign, pair)
    name = f"adwilcox-{pair.replace('-', '')}.csv"
    file = None if folder is None else locate(folder, name)
    if file is None:
        return pd.DataFrame()
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    systems = header.split()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.strip()}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=systems).astype(float)
    return table.rename(index=_plain_name, columns=_plain_name)


def _plain_name(name: str) -> str:
    """Return ``A.1`` of ``newstest2020.cs-en.A.1.sgm``; other names stay."""
    return re.sub(r"^newstest[^.]*\.[^.]*\.(.*)\.sgm$", r"\1", name)


def official_segment_scores(campaign: str, pair: str) -> dict[str, pd.DataFrame]:
    """Return the organisers' segment scores (``official/XX-YY.NAME.seg.score``) by their NAME.

    The columns are system, segment (the line of the test set, from 0) and score.
    """
    folder = folder_of(campaign, pair)
    if folder is None:
        return {}
    files = sorted((folder / "official").glob(f"{pair}.*.seg.score*"))
    return {file.name.split(".")[1]: read_stand_off_rows(file)[0] for file in files}
