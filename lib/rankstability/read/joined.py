"""Joined ids: ``A+B`` stands for both systems where their output was the same."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd


def parts(names: Iterable[str]) -> dict[str, list[str]]:
    """Of `names`, those with ``+`` whose every part is another of the names, and their parts.

    A name such as ``GPT4+RAG``, of which a part is no system of its own, is a name.
    """
    known = set(names)
    split = {name: name.split("+") for name in known if "+" in name}
    return {name: sides for name, sides in split.items() if set(sides) <= known - set(split)}


def apart(frame: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """`frame` with a row for each system of a joined id; how many rows had one."""
    system = frame["system"].astype(str)
    of = parts(system.unique())
    rows = int(system.isin(list(of)).sum())
    if not rows:
        return frame, 0
    sides = system.map(lambda name: of.get(name, [name]))
    out = frame.loc[frame.index.repeat(sides.map(len))].reset_index(drop=True)
    names = np.concatenate(sides.to_list())
    return out.assign(system=pd.Series(names, dtype=frame["system"].dtype.name)), rows
