"""Direct assessment: worker z-scores, segment and system means, rankings."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment, counted, unmarked, unstandardised

NO_SPREAD = 1e-9  # a standard deviation below this is rounding: the worker gave one score


@dataclass(frozen=True)
class SegmentScores:
    """Mean raw and z score of each system on each segment it was judged on.

    Parameters
    ----------
    systems : tuple of str
    segments : tuple of str
    system, segment : array of int
        Codes into the two; one entry per (system, segment), sorted.
    raw, z : array of float
        Mean scores; z is NaN where only workers without a z-score judged it.
    judgments : array of int
        Judgments averaged.
    file : str
        What the judgments were read from, as errors name it; may be empty.
    causes : dict
        Systems without any z-score: how many of their judgments have none, and why.
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
        n = len(self.systems)
        segments = np.bincount(self.system, minlength=n)
        has_z = np.isfinite(self.z)
        with np.errstate(invalid="ignore", divide="ignore"):
            raw = np.bincount(self.system, self.raw, n) / segments
            z = np.bincount(self.system[has_z], self.z[has_z], n) / np.bincount(
                self.system[has_z], minlength=n
            )
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
    """Mean and standard deviation (ddof = 1) of all scores of each worker, any type.

    Parameters
    ----------
    latest : DataFrame
        Columns worker (categorical), score: the rows of ``ad-latest`` of one language pair.

    Returns
    -------
    DataFrame
        Indexed by worker: mean, sd (NaN for a single score), judgments. Knowles (2021), equation 1.
    """
    codes = latest["worker"].cat.codes.to_numpy()
    names = latest["worker"].cat.categories
    mean, sd, count = moments(codes, latest["score"].to_numpy(dtype=float), len(names))
    return pd.DataFrame({"mean": mean, "sd": sd, "judgments": count}, index=names)


def moments(codes: np.ndarray, x: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, standard deviation (ddof = 1) and number of the values `x` of each of `n` codes."""
    count = np.bincount(codes, minlength=n)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(codes, x, n) / count
        squares = np.bincount(codes, (x - mean[codes]) ** 2, n)
        sd = np.sqrt(squares / np.where(count > 1, count - 1, np.nan))
    return mean, sd, count


def judgment_z(da: DirectAssessment, base: np.ndarray | None = None) -> np.ndarray:
    """z-score of each row of ``da.good``; NaN where its worker's sd is unknown, or 0.

    With ``da.zero_variance == "zero"`` a worker whose scores never vary has z-scores of 0.

    The mean and standard deviation are those of the worker's rows of any type in ``da.latest``
    (Knowles 2021, section 3 and footnote 5), but marked ones; or of the rows of the mask `base`
    (Knowles and Lo 2022 leave BAD_REF rows out, and may take those of one system).
    """
    workers = da.latest["worker"].cat.categories
    rows = da.latest[unmarked(da.latest) if base is None else base]
    mean, sd, _ = moments(
        rows["worker"].cat.codes.to_numpy(), rows["score"].to_numpy(float), len(workers)
    )
    place = workers.get_indexer(da.good["worker"].cat.categories)
    mean, sd = np.append(mean, np.nan)[place], np.append(sd, np.nan)[place]
    codes = da.good["worker"].cat.codes.to_numpy()
    score = da.good["score"].to_numpy(float)
    return standardised(score, mean[codes], sd[codes], da.zero_variance)


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
    first, so that segments judged more often do not weigh more (Knowles 2021, section 3).

    Parameters
    ----------
    da : DirectAssessment or DataFrame
        The judgments; or scores released per segment: columns system, segment, raw, z, n.
    z : array, optional
        Standardised score of each row of ``da.good``, by default `judgment_z`: the place where
        another standardisation comes in.

    Returns
    -------
    SegmentScores

    Raises
    ------
    DataError
        If no row counts.

    Examples
    --------
    >>> from rankstability import load, segment_scores
    >>> segment_scores(load("demo-srdc", "de-en")).frame().columns.tolist()
    ['system', 'segment', 'raw', 'z', 'judgments']
    """
    if isinstance(da, pd.DataFrame):
        return from_segment_frame(da)
    good = da.good
    if z is None:
        z = judgment_z(da)
    keep = counted(good)
    if not keep.any():
        raise DataError(
            f"no judgments of type SYSTEM or REPEAT for {da.pair}",
            file=da.file or None,
            expected="judgments that count",
        )
    system = good["system"].cat.codes.to_numpy()[keep].astype(np.int64)
    segment = good["segment"].cat.codes.to_numpy()[keep].astype(np.int64)
    width = len(good["segment"].cat.categories)
    present = np.flatnonzero(np.bincount(system, minlength=1))
    compact = np.full(present.max() + 1, -1)
    compact[present] = np.arange(present.size)
    names = good["system"].cat.categories
    scores = good["score"].to_numpy(dtype=float)[keep]
    made = _average(
        compact[system],
        segment,
        scores,
        z[keep],
        tuple(str(names[k]) for k in present),
        tuple(good["segment"].cat.categories),
        width,
    )
    with_z = np.bincount(compact[system], np.isfinite(z[keep]), present.size)
    causes = {} if with_z.all() else _causes(da, [names[k] for k in present[with_z == 0]])
    return replace(made, file=da.file, causes=causes)


def _causes(da: DirectAssessment, systems: list[str]) -> dict[str, str]:
    """Of each of these systems: how many judgments have no z-score, and why."""
    why = pd.Series(unstandardised(da), index=da.good["system"].astype(str))
    why = why[why.index.isin(systems) & (why != "").to_numpy()]
    counts = why.groupby([why.index, why]).size()
    return {
        name: ", ".join(f"{n} of a {reason}" for (_, reason), n in counts[[name]].items())
        for name in counts.index.unique(0)
    }


def _average(
    system: np.ndarray,
    segment: np.ndarray,
    raw: np.ndarray,
    z: np.ndarray,
    systems: tuple[str, ...],
    segments: tuple[str, ...],
    width: int,
) -> SegmentScores:
    key = system * width + segment
    size = len(systems) * width
    count = np.bincount(key, minlength=size)
    known = np.isfinite(z)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_raw = np.bincount(key, raw, size) / count
        mean_z = np.bincount(key[known], z[known], size) / np.bincount(key[known], minlength=size)
    cell = np.flatnonzero(count)
    return SegmentScores(
        systems,
        segments,
        cell // width,
        cell % width,
        mean_raw[cell],
        mean_z[cell],
        count[cell],
    )


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
