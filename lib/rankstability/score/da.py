"""Direct assessment: worker z-scores, segment and system means, rankings."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment, counted, unmarked, unstandardised
from .factors import codes_of

NO_SPREAD = 1e-9  # a standard deviation below this is rounding: the worker gave one score


@dataclass(frozen=True)
class SegmentScores:
    """Mean raw and z score of each system on each segment it was judged on.

    `system` and `segment` are codes into `systems` and `segments`, one entry per (system, segment),
    sorted; `raw` and `z` mean scores (z is NaN where only workers without a z-score judged it);
    `judgments` how many were averaged; `file` what they were read from, as errors name it; `causes`
    of the systems without any z-score how many of their judgments have none, and why.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    system: np.ndarray
    segment: np.ndarray
    raw: np.ndarray
    z: np.ndarray
    judgments: np.ndarray
    file: str = ""
    causes: dict[str, str] = field(default_factory=dict)

    def frame(self) -> pd.DataFrame:
        """Columns system, segment, raw, z, judgments."""
        return pd.DataFrame(
            {
                "system": np.array(self.systems, dtype=object)[self.system],
                "segment": np.array(self.segments, dtype=object)[self.segment],
                "raw": self.raw,
                "z": self.z,
                "judgments": self.judgments,
            }
        )

    def system_means(self) -> pd.DataFrame:
        """One row per system: system, mean_raw, mean_z, segments, judgments."""
        n, known = len(self.systems), np.isfinite(self.z)
        raw, segments = averages(self.system, self.raw, n)
        z, _ = averages(self.system[known], self.z[known], n)
        judgments = np.bincount(self.system, self.judgments, n).astype(int)
        return pd.DataFrame(
            {
                "system": list(self.systems),
                "mean_raw": raw,
                "mean_z": z,
                "segments": segments,
                "judgments": judgments,
            }
        )


def worker_statistics(latest: pd.DataFrame) -> pd.DataFrame:
    """Mean, sd (ddof = 1; NaN for a single score) and judgments of each worker, rows of any type.

    Knowles (2021), equation 1; from rows of ``ad-latest`` of one language pair.
    """
    names = latest["worker"].cat.categories
    codes = latest["worker"].cat.codes.to_numpy()
    mean, sd, count = moments(codes, latest["score"].to_numpy(float), len(names))
    return pd.DataFrame({"mean": mean, "sd": sd, "judgments": count}, index=names)


def averages(codes: np.ndarray, x: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and number of the values `x` of each of `n` codes; NaN of none."""
    count = np.bincount(codes, minlength=n)
    with np.errstate(invalid="ignore"):
        return np.bincount(codes, x, n) / count, count


def moments(codes: np.ndarray, x: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, standard deviation (ddof = 1) and number of the values `x` of each of `n` codes."""
    mean, count = averages(codes, x, n)
    squares = np.bincount(codes, (x - mean[codes]) ** 2, n)
    return mean, np.sqrt(squares / np.where(count > 1, count - 1, np.nan)), count


def judgment_z(da: DirectAssessment, base: np.ndarray | None = None) -> np.ndarray:
    """z-score of each row of ``da.good``; NaN where its worker's sd is unknown, or 0.

    With ``da.zero_variance == "zero"`` a worker whose scores never vary has z-scores of 0.

    The mean and standard deviation are those of the worker's rows of any type in ``da.latest``
    (Knowles 2021, section 3 and footnote 5), but marked ones; or of the rows of the mask `base`
    (Knowles and Lo 2022 leave BAD_REF rows out, and may take those of one system).
    """
    rows = da.latest[unmarked(da.latest) if base is None else base]
    names, worker = da.latest["worker"].cat.categories, da.good["worker"].cat
    codes = rows["worker"].cat.codes.to_numpy()
    mean, sd, _ = moments(codes, rows["score"].to_numpy(float), len(names))
    place = names.get_indexer(worker.categories)[worker.codes.to_numpy()]
    mean, sd = (np.append(x, np.nan)[place] for x in (mean, sd))
    return standardised(da.good["score"].to_numpy(float), mean, sd, da.zero_variance)


def standardised(
    score: np.ndarray, mean: np.ndarray, sd: np.ndarray, zero_variance: str
) -> np.ndarray:
    """z-scores from each score's worker's mean and sd; see `DirectAssessment.zero_variance`.

    NaN where the worker is unknown (a mean of NaN), and where sd is 0 or that of one score.
    """
    varies = sd > NO_SPREAD
    z = (score - mean) / np.where(varies, sd, np.nan)
    if zero_variance == "zero":
        z[~varies & np.isfinite(mean)] = 0
    return z


def segment_scores(
    da: DirectAssessment | pd.DataFrame, z: np.ndarray | None = None
) -> SegmentScores:
    """Mean raw and z score of each system on each segment.

    Only rows of type SYSTEM and REPEAT count; several judgments of the same output are averaged
    first, so that segments judged more often do not weigh more (Knowles 2021, section 3). Refused
    where no row counts.

    Parameters
    ----------
    da : DirectAssessment or DataFrame
        The judgments; or scores released per segment: columns system, segment, raw, z, n.
    z : array, optional
        Standardised score of each row of ``da.good``, by default `judgment_z`: the place where
        another standardisation comes in.

    Examples
    --------
    >>> from rankstability import load, segment_scores
    >>> segment_scores(load("demo-srdc", "de-en")).frame().columns.tolist()
    ['system', 'segment', 'raw', 'z', 'judgments']
    """
    if isinstance(da, pd.DataFrame):
        return from_segment_frame(da)
    good, z = da.good, judgment_z(da) if z is None else z
    keep = counted(good)
    if not keep.any():
        raise DataError(
            f"no judgments of type SYSTEM or REPEAT for {da.pair}",
            file=da.file or None,
            expected="judgments that count",
        )
    system, segment = (codes_of(good, name, keep) for name in ("system", "segment"))
    ranked = np.bincount(system) > 0
    system = (np.cumsum(ranked) - 1)[system]
    systems = tuple(map(str, good["system"].cat.categories[np.flatnonzero(ranked)]))
    segments = tuple(good["segment"].cat.categories)
    width = len(segments)
    cell, size = system * width + segment, len(systems) * width
    z = z[keep]
    known = np.isfinite(z)
    mean_raw, count = averages(cell, good["score"].to_numpy(float)[keep], size)
    mean_z, _ = averages(cell[known], z[known], size)
    cell = np.flatnonzero(count)
    without = np.flatnonzero(np.bincount(system[known], minlength=len(systems)) == 0)
    return SegmentScores(
        systems,
        segments,
        cell // width,
        cell % width,
        mean_raw[cell],
        mean_z[cell],
        count[cell],
        da.file,
        _causes(da, [systems[k] for k in without]) if len(without) else {},
    )


def _causes(da: DirectAssessment, systems: list[str]) -> dict[str, str]:
    """Of each of these systems: how many judgments have no z-score, and why."""
    why = pd.Series(unstandardised(da), index=da.good["system"].astype(str))
    why = why[why.index.isin(systems) & (why != "").to_numpy()]
    counts = why.groupby([why.index, why]).size()
    return {
        name: ", ".join(f"{n} of a {reason}" for (_, reason), n in counts[[name]].items())
        for name in counts.index.unique(0)
    }


def from_segment_frame(frame: pd.DataFrame) -> SegmentScores:
    """Released segment scores (columns system, segment, raw, z, n) as `SegmentScores`."""
    system, systems = pd.factorize(frame["system"].astype(str), sort=True)
    segment, segments = pd.factorize(frame["segment"].astype(str), sort=True)
    order = np.lexsort((segment, system))
    return SegmentScores(
        tuple(systems),
        tuple(segments),
        system[order],
        segment[order],
        frame["raw"].to_numpy(float)[order],
        frame["z"].to_numpy(float)[order],
        frame["n"].to_numpy(int)[order],
    )
