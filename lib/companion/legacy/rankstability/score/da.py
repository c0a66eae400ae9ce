"""Direct assessment: means and spreads of scores by code, and z-scores by worker."""

import numpy as np

from ..judgments import DirectAssessment, unmarked

NO_SPREAD = 1e-9  # a standard deviation below this is rounding: the worker gave one score


def averages(
    codes: np.ndarray, x: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and number of the values `x` of each of `n` codes; the mean of none is NaN."""
    count = np.bincount(codes, minlength=n)
    with np.errstate(invalid="ignore"):
        return np.bincount(codes, x, n) / count, count


def moments(
    codes: np.ndarray, x: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, standard deviation (ddof = 1) and number of the values `x` of each of `n` codes."""
    mean, count = averages(codes, x, n)
    squares = np.bincount(codes, (x - mean[codes]) ** 2, n)
    return (
        mean,
        np.sqrt(squares / np.where(count > 1, count - 1, np.nan)),
        count,
    )


def judgment_z(
    da: DirectAssessment, base: np.ndarray | None = None
) -> np.ndarray:
    """z-score of each row of ``da.good``; NaN if its worker's sd is unknown or 0, or none is named.

    With ``da.zero_variance == "zero"``, a worker whose scores never vary has z-scores of 0.

    The mean and standard deviation are those of the worker's unmarked rows in ``da.latest``, of any
    type (Knowles 2021, section 3 and footnote 5), or of the rows of the mask `base` (Knowles and Lo
    2022 leave BAD_REF rows out, and may take those of one system).
    """
    rows = da.latest[unmarked(da.latest) if base is None else base]
    names = da.latest["worker"].cat.categories
    codes = rows["worker"].cat.codes.to_numpy()
    named = codes >= 0
    mean, sd, _ = moments(
        codes[named], rows["score"].to_numpy(float)[named], len(names)
    )
    place = da.good["worker"].cat.set_categories(names).cat.codes.to_numpy()
    mean, sd = (
        np.append(x, np.nan)[place] for x in (mean, sd)
    )  # last: missing
    return standardised(
        da.good["score"].to_numpy(float), mean, sd, da.zero_variance
    )


def standardised(
    score: np.ndarray, mean: np.ndarray, sd: np.ndarray, zero_variance: str
) -> np.ndarray:
    """z-scores, given the mean and sd of each score's worker.

    NaN if the worker is unknown (a mean of NaN). Where scores never vary (sd is 0, or NaN for a
    single score), NaN or 0, see `DirectAssessment.zero_variance`.
    """
    varies = sd > NO_SPREAD
    z = (score - mean) / np.where(varies, sd, np.nan)
    if zero_variance == "zero":
        z[~varies & np.isfinite(mean)] = 0
    return z
