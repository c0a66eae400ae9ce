"""Predicted (by `design`) and realised agreement of two parts of a campaign that share no unit."""

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import t as student

from rankstability.rank.comparing import tau
from rankstability.rank.units import difference_variance
from rankstability.score.scored import Scores

from . import design


def twin_agreement(
    scored: Scores,
    known: design.Precision,
    unit: str,
    share: float,
    rng: np.random.Generator,
    splits: int = 50,
) -> pd.DataFrame:
    """Kendall's tau between two parts of a campaign that share no unit, realised and predicted.

    `known` is the precision of the whole campaign, `unit` is ``worker`` or ``document``; each part
    holds `share` of the units, at most a half.

    One row: unit, share, units (per part), realised, predicted (means over splits). Splits in which
    a part lacks a system are left out; NaN if none remains.
    """
    codes = np.unique(scored.unit(unit), return_inverse=True)[1]
    count = int(codes.max()) + 1
    size = max(1, int(share * count))
    realised, predicted = [], []
    for _ in range(splits):
        order = rng.permutation(count)
        parts = [scored.take(np.isin(codes, order[k * size : (k + 1) * size])) for k in (0, 1)]
        n = len(scored.systems)
        if min(len(np.unique(p.system)) for p in parts) < n:
            continue
        one, two = (p.means() for p in parts)
        realised.append(tau(one, two))
        predicted.append(_expected_tau(known, *parts))
    values = [np.mean(v) if v else np.nan for v in (realised, predicted)]
    row = (unit, share, size, *values)
    return pd.DataFrame([row], columns=["unit", "share", "units", "realised", "predicted"])


def _expected_tau(known: design.Precision, first: Scores, second: Scores) -> float:
    """Expected Kendall's tau of two parts of a campaign, which may share levels of components."""
    of = [design.factors(part) for part in (first, second)]
    shares = [design.shares(*both) for both in zip((first, second), of, strict=True)]
    variance, n = known.components.variance, len(known.systems)
    own = [sum(variance[name] * s.T @ s for name, s in part.items()) for part in shares]
    cross = np.zeros((n, n))
    for name in list(of[0])[1:]:  # all but system
        one, two = (np.unique(codes[name]) for codes in of)
        _, a, b = np.intersect1d(one, two, assume_unique=True, return_indices=True)
        cross += variance[name] * shares[0][name][a].T @ shares[1][name][b]
    i, j = np.triu_indices(n, 1)
    both = np.diag(cross)[i] + np.diag(cross)[j] - cross[i, j] - cross[j, i]
    errors = [difference_variance(c, design.LEAST)[i, j] for c in own]
    shared = np.clip(both, 0.0, 0.999 * np.minimum(*errors))
    gap = known.quality[i] - known.quality[j]
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    at = gap[:, None] + np.sqrt(shared)[:, None] * nodes
    signs = [2 * ndtr(at / np.sqrt(e - shared)[:, None]) - 1 for e in errors]
    return float((signs[0] * signs[1] @ (weights / weights.sum())).mean())


def prediction_error(rows: pd.DataFrame) -> pd.DataFrame:
    """Realised less predicted agreement over language pairs, from rows of `twin_agreement`.

    Columns unit, share, pairs, realised, predicted (means), error (mean of realised less
    predicted), low, high (its 95 % t interval over pairs; NaN for a single pair).
    """
    out = []
    for (unit, share), of in rows.dropna().groupby(["unit", "share"], sort=False):
        gap = of["realised"] - of["predicted"]
        half = student.isf(0.025, len(gap) - 1) * gap.sem() if len(gap) > 1 else np.nan
        means = (of["realised"].mean(), of["predicted"].mean(), gap.mean())
        out.append((unit, share, len(of), *means, gap.mean() - half, gap.mean() + half))
    columns = ["unit", "share", "pairs", "realised", "predicted", "error", "low", "high"]
    return pd.DataFrame(out, columns=columns)
