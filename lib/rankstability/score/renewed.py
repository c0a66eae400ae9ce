"""z-scores standardised anew without some of the judgments, many times over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from ..judgments import DirectAssessment, counted, select_rows, unmarked
from .da import judgment_z, standardised
from .scored import Scores


def good_rows(
    judgments: DirectAssessment | pd.DataFrame, rows: str, score: str
) -> pd.DataFrame | None:
    """The rows of direct assessment that count as ``score.scored`` takes them; None of others."""
    if not isinstance(judgments, DirectAssessment):
        return None
    chosen = select_rows(judgments, rows)
    values = judgment_z(chosen) if score == "z" else chosen.good["score"].to_numpy(float)
    return chosen.good[counted(chosen.good) & np.isfinite(values)]


def decisions(da: DirectAssessment, good: pd.DataFrame) -> np.ndarray:
    """A number for each row of `good`; a judgment of a joined id ``A+B``, copied, has one."""
    key = ["worker", "hit", "document", "segment", "type", "score", "block"]
    if not da.latest["system"].cat.categories.str.contains("+", regex=False).any():
        return np.arange(len(good))

    def numbers(frame: pd.DataFrame, names: list[str]) -> np.ndarray:
        by = frame.groupby(names, observed=True, dropna=False, sort=False)
        return by.ngroup().to_numpy()

    whole = [*key, "system"]
    own = numbers(pd.concat([da.latest[whole], good[whole]]), whole)
    alone = np.isin(own[len(da.latest) :], own[: len(da.latest)])
    again = good.groupby(whole, observed=True, dropna=False, sort=False).cumcount()
    shared = numbers(good.assign(again=again), [*key, "again"])
    return np.where(alone, len(good) + np.arange(len(good)), shared)


def renewed_z(
    judgments: DirectAssessment | pd.DataFrame, judged: Scores, rows: str
) -> Callable[[np.ndarray], np.ndarray]:
    """From a mask of the judgments kept to the z-score of each, NaN where there is none.

    `judged` are those of `judgments` that count (selected by `rows`, one of ``judgments.ROWS``),
    with z-scores. A worker's mean and standard deviation are those of the rows in ``latest``, of
    any type, without the judgments that are not kept; of MQM, of the ratings kept.
    """
    good = good_rows(judgments, rows, "z")
    if good is None or not isinstance(judgments, DirectAssessment):
        # what was standardised by an affine map is standardised again to the same
        worker = judged.unit("worker")
        return lambda keep: _z((judged.score, worker), (judged.score, worker), ~keep, "drop")
    base = judgments.latest[unmarked(judgments.latest)]
    names = judgments.latest["worker"].cat.categories
    mine = good["score"].to_numpy(float), names.get_indexer(good["worker"].astype(str))
    every = base["score"].to_numpy(float), base["worker"].cat.codes.to_numpy()
    once = np.zeros(len(good), bool)
    once[np.unique(decisions(judgments, good), return_index=True)[1]] = True
    among = unmarked(good) & once
    return lambda keep: _z(mine, every, ~keep & among, judgments.zero_variance)


def _z(
    mine: tuple[np.ndarray, np.ndarray],
    every: tuple[np.ndarray, np.ndarray],
    out: np.ndarray,
    zero_variance: str,
) -> np.ndarray:
    """z of scores (each with its worker) by the moments of `every` but those of `mine` in `out`."""
    (score, worker), (base, of) = mine, every
    size = int(max(worker.max(), of.max())) + 1
    number = np.bincount(of, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.bincount(of, base, size) / number
        squares = np.bincount(of, (base - centre[of]) ** 2, size)
        gone = score[out] - centre[worker[out]]
        left = number - np.bincount(worker[out], minlength=size)
        shift = -np.bincount(worker[out], gone, size) / left
        rest = squares - np.bincount(worker[out], gone**2, size) - left * shift**2
        rest = np.where(rest > 1e-9 * squares, rest, 0.0)  # else rounding
        sd = np.sqrt(rest / np.where(left > 1, left - 1, np.nan))
    return standardised(score, (centre + shift)[worker], sd[worker], zero_variance)
