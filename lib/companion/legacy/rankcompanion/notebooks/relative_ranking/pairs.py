"""Pairs of systems in relative ranking: who beats whom, and whether more than by chance."""

import numpy as np
import pandas as pd

from companion.legacy.rankstability.rank.significance import adjusted, sign_test
from companion.legacy.rankstability.score.pairwise import PairCounts, ratio


def win_percentages(counts: PairCounts, order: list[str]) -> pd.DataFrame:
    """Percentage of comparisons in which the column's system was ranked better than the row's.

    The orientation is that of Bojar et al. (2011, Table 6) and the WMT overview papers; the two
    percentages of a pair and its ties add up to 100. NaN if two systems never met.
    """
    total = counts.wins + counts.wins.T + counts.ties
    shares = pd.DataFrame(
        100 * ratio(counts.wins.T, total), [*counts.systems], [*counts.systems]
    )
    return shares.loc[order, order]


def file_place(task: str, name: str) -> tuple[str, str]:
    """Language pair and file name for a task's result, with the track appended if there is one."""
    pair, _, track = task.partition(" ")
    return pair, f"{name}_{track}" if track else name


def sign_tests(counts: PairCounts) -> pd.DataFrame:
    """Two-sided sign test of each pair of systems, leaving out ties.

    Columns system, other (system is the one with more wins), wins, losses, ties, p (1 without wins
    and losses), and p_holm, p_bh: adjusted over the pairs of the task (Benjamini and Hochberg,
    1995, as Lopez 2012, Section 6, asks).
    """
    i, j = np.triu_indices(len(counts.systems), 1)
    swap = counts.wins[i, j] < counts.wins[j, i]
    i, j = np.where(swap, j, i), np.where(swap, i, j)
    wins = counts.wins[i, j]
    losses = counts.wins[j, i]
    names = np.array(counts.systems, dtype=object)
    out = pd.DataFrame(
        {"system": names[i], "other": names[j], "wins": wins, "losses": losses}
    )
    out["ties"] = counts.ties[i, j]
    p = sign_test(wins, losses)
    return out.assign(
        p=p, p_holm=adjusted(p, "holm"), p_bh=adjusted(p, "benjamini-hochberg")
    )
