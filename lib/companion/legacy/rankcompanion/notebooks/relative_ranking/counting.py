"""Every score of the papers for one task: shares of comparisons, and of blocks."""

import numpy as np
import pandas as pd

from companion.legacy.rankstability.judgments import Blocks, blocks
from companion.legacy.rankstability.score.pairwise import pair_counts, ratio
from companion.legacy.rankstability.score.rr import METHODS

from ...figures.relative_ranking import BLOCK_METHODS

_IN_PAPERS = {
    "better_or_equal_others": "≥ others (Bojar et al. 2011); WMT-OFFICIAL (Lopez 2012, Eq. 1)",
    "better_others": "> others (Bojar et al. 2011)",
    "wins_over_decided": "wins/(wins+losses) (Bojar et al. 2011, Section 2.3)",
    "heuristic2": "HEURISTIC 2 (Lopez 2012, Eq. 2)",
    "bojar": "BOJAR (Lopez 2012, Eq. 3)",
    "expected_win": "expected win (Koehn 2012)",
    "better_or_equal_all_in_block": "≥ all in block (Bojar et al. 2011)",
    "better_all_in_block": "> all in block (Bojar et al. 2011)",
    "sole_winner": "sole winner (Bojar et al. 2011, Table 4), as a share of blocks",
}


def scores(frame: pd.DataFrame) -> pd.DataFrame:
    """Every score of every system of one task.

    Columns task, system, blocks_shown, blocks_ranked, comparisons, one column per score of
    `METHODS` and `BLOCK_METHODS` (shares between 0 and 1), and sole_winner_blocks (a count); best
    first by `better_or_equal_others`, the reference included.
    """
    data = blocks(frame)
    counts = pair_counts(data)
    facts = by_block(data)
    total = counts.wins.sum(1) + counts.wins.sum(0) + counts.ties.sum(1)
    out = pd.DataFrame(
        {
            "task": str(frame["task"].iloc[0]),
            "system": data.systems,
            "blocks_shown": facts["shown"],
            "blocks_ranked": facts["ranked"],
            "comparisons": total,
        }
    )
    for name, method in METHODS.items():
        out[name] = method(counts).to_numpy()
    for name in BLOCK_METHODS:
        out[name] = ratio(facts[name], facts["ranked"])
    out["sole_winner_blocks"] = facts["sole_winner"]
    order = ["better_or_equal_others", "system"]
    return out.sort_values(order, ascending=[False, True], ignore_index=True)


def score_names() -> pd.DataFrame:
    """All scores: columns score, names (in the papers), with_reference (whether it counts)."""
    counts = [
        name not in METHODS or METHODS[name].reference for name in _IN_PAPERS
    ]
    return pd.DataFrame(
        {
            "score": _IN_PAPERS.keys(),
            "names": _IN_PAPERS.values(),
            "with_reference": counts,
        }
    )


def by_block(data: Blocks) -> dict[str, np.ndarray]:
    """In how many blocks each system was ``shown``, ``ranked``, and best, in three senses.

    ``better_or_equal_all_in_block``: no other ranked output is better; ``better_all_in_block``:
    every other ranked output is worse, and there is one; ``sole_winner``: the only best output
    (one that is the only ranked output of its block counts: Bojar, Table 4).
    """
    ranked = data.ranked
    rank = np.where(ranked, data.ranks, np.inf)
    top = ranked & (rank == rank.min(axis=1, keepdims=True))
    sole = top & (top.sum(axis=1, keepdims=True) == 1)
    facts = {
        "shown": data.codes >= 0,
        "ranked": ranked,
        "better_or_equal_all_in_block": top,
        "better_all_in_block": sole & (ranked.sum(axis=1, keepdims=True) > 1),
        "sole_winner": sole,
    }
    n = len(data.systems)
    return {
        name: np.bincount(data.codes[fact], minlength=n)
        for name, fact in facts.items()
    }
