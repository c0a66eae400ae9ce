"""The tasks of relative ranking."""

import pandas as pd


def tasks(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each task, keyed and sorted by its name."""
    return {
        str(name): group
        for name, group in frame.groupby("task", observed=True, sort=True)
    }
