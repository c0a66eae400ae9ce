"""What is certain of the systems of which something can be told, without the others."""

from dataclasses import replace

import numpy as np

from companion.legacy.rankstability.rank.certainty import Certainty


def among_placed(sure: Certainty) -> Certainty:
    """The same of the placed systems only."""
    m = int(sure.placed.sum())  # they come first
    pairs = ("p", "df", "covariance", "variance", "declared")
    parts = {name: getattr(sure, name)[:m, :m] for name in pairs}
    alone = ("systems", "placed", "mean", "score_low", "score_high", "low")
    parts |= {name: getattr(sure, name)[:m] for name in alone}
    return replace(
        sure,
        **parts,
        # codes are counted anew, without the systems left out: the rank of each old code
        order=np.argsort(np.argsort(sure.order[:m])),
        held=sure.held[: max(m - 1, 0)],
        high=sure.high[:m] - (len(sure.systems) - m),
        number={name: one[:m] for name, one in sure.number.items()},
        effective={name: one[:m] for name, one in sure.effective.items()},
    )
