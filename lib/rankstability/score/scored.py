"""One score per judgment, with the system, the segment and the units it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment, counted
from .da import judgment_z
from .mqm import mqm_scores

UNITS = ("worker", "hit", "document", "block", "segment", "domain")
SCORES = ("z", "raw")


@dataclass(frozen=True)
class Scored:
    """The judgments that count, one score each.

    Attributes
    ----------
    systems, segments : tuple of str
        Names; `system` and `segment` are codes into them.
    system, segment : array of int
    score : array of float
        Higher is better; no NaN.
    units : mapping of str to array of int
        Codes of worker, hit, document, block, domain where the data name them; -1 is unknown
        (judgments of no known domain are a domain of their own where others have one).
    workers : tuple of str
        Names of the workers, by code.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    system: np.ndarray
    segment: np.ndarray
    score: np.ndarray
    units: Mapping[str, np.ndarray] = field(default_factory=dict)
    workers: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Whether every judgment names its unit of this kind."""
        codes = self.segment if name == "segment" else self.units.get(name)
        return codes is not None and len(codes) > 0 and bool((codes >= 0).all())

    def unit(self, name: str) -> np.ndarray:
        """Codes of each judgment's unit of this kind.

        Raises
        ------
        DataError
            Where the data do not name it, for all or for some judgments.
        """
        if name == "segment":
            return self.segment
        if not self.has(name):
            raise DataError(
                f"these judgments do not name their {name}",
                value=name,
                expected=", ".join([*filter(self.has, self.units), "segment"]),
            )
        return self.units[name]

    def take(self, keep: np.ndarray) -> Scored:
        """These judgments only (a mask); systems and segments keep their codes."""
        units = {name: codes[keep] for name, codes in self.units.items()}
        return replace(
            self,
            system=self.system[keep],
            segment=self.segment[keep],
            score=self.score[keep],
            units=units,
        )

    def weights(self, by_domain: bool = False) -> np.ndarray:
        """1 / n for each of the n judgments of one system's output of one segment.

        With `by_domain`, over the number of that system's segments in the domain, too: each domain
        counts the same.
        """
        key = self._cells()
        weight = 1.0 / np.bincount(key, minlength=1)[key]
        if by_domain and "domain" in self.units:
            held = self.unit("domain").astype(np.int64) * len(self.systems) + self.system
            weight = weight / np.bincount(held, weight)[held]
        return weight

    def means(self, by_domain: bool = False) -> np.ndarray:
        """Mean score of each system, segments alike; `by_domain` as for `weights`."""
        weight, n = self.weights(by_domain), len(self.systems)
        total = np.bincount(self.system, weight, n)
        mean: np.ndarray = np.bincount(self.system, weight * self.score, n) / total
        return mean

    def matrix(self) -> np.ndarray:
        """Mean score of each segment and system, NaN where not judged: (segments, systems)."""
        size = len(self.segments) * len(self.systems)
        key = self._cells()
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.bincount(key, self.score, size) / np.bincount(key, minlength=size)
        return mean.reshape(len(self.segments), len(self.systems))

    def segment_unit(self, name: str) -> np.ndarray:
        """The unit (document, domain) of each segment; -1 for a segment without judgments."""
        of_segment = np.full(len(self.segments), -1)
        of_segment[self.segment] = self.unit(name)
        return of_segment

    def _cells(self) -> np.ndarray:
        return self.segment.astype(np.int64) * len(self.systems) + self.system


def scored(judgments: DirectAssessment | pd.DataFrame, score: str = "raw") -> Scored:
    """The judgments of any protocol that scores, as `Scored`: DA, ESA, segment scores, MQM.

    Parameters
    ----------
    judgments : DirectAssessment or DataFrame
        As `read.campaigns.load` gives them. Released segment scores have no workers, and a
        document only where it is named for all; of MQM, a rater is the worker, and the score is
        the negative of a segment's errors.
    score : str
        ``raw``, or ``z``: standardised by worker.

    Raises
    ------
    DataError
        Relative ranking, which has no scores; another `score`.
    """
    if score not in SCORES:
        raise DataError("unknown score", value=score, expected=", ".join(SCORES))
    if isinstance(judgments, DirectAssessment):
        return from_assessment(judgments, judgment_z(judgments) if score == "z" else None)
    if "severity" in judgments:
        frame = mqm_scores(judgments).rename(columns={"rater": "worker"})
        frame["score"] = -frame["score"] + 0.0
        if score == "z":
            by = frame.groupby("worker")["score"]
            spread = by.transform("std")
            frame["score"] = (frame["score"] - by.transform("mean")) / spread.where(spread > 0)
        return from_frame(frame.dropna(subset="score"))
    if "raw" in judgments:
        frame = judgments.rename(columns={score: "score"})[
            ["system", "document", "segment", "score"]
        ]
        return from_frame(frame.dropna(subset="score"))
    raise DataError("judgments without scores", expected="DA, ESA, segment scores or MQM")


def from_assessment(
    da: DirectAssessment, score: np.ndarray | None = None, keep: np.ndarray | None = None
) -> Scored:
    """The judgments of direct assessment or ESA that count, with their units.

    Parameters
    ----------
    da : DirectAssessment
    score : array of float, optional
        Of each row of ``da.good``, by default its raw score; rows with NaN are left out.
    keep : array of bool, optional
        Rows of ``da.good`` that count, by default those of type SYSTEM and REPEAT.

    Raises
    ------
    DataError
        If none is left.
    """
    good = da.good
    values = good["score"].to_numpy(float) if score is None else np.asarray(score, float)
    rows = (counted(good) if keep is None else keep) & np.isfinite(values)
    if not rows.any():
        raise DataError(f"no judgments that count for {da.pair}")
    good = good[rows]
    frame = {name: good[name] for name in ("system", "segment")}
    frame |= {name: good[name] for name in UNITS if name in good and name != "segment"}
    return from_frame(pd.DataFrame(frame).assign(score=values[rows]))


def from_frame(frame: pd.DataFrame) -> Scored:
    """Judgments as a frame: columns system, segment, score, and any of `UNITS`.

    Systems and segments are numbered in order of name.
    """
    system, systems = _codes(frame["system"])
    segment, segments = _codes(frame["segment"])
    units = {name: _codes(frame[name])[0] for name in UNITS if name in frame and name != "segment"}
    units = {name: codes for name, codes in units.items() if (codes >= 0).any()}
    if "domain" in units:
        units["domain"] = np.where(units["domain"] < 0, units["domain"].max() + 1, units["domain"])
    if {"worker", "document"} <= units.keys():
        units["block"] = _together(units["worker"], units["document"], system)
    score = frame["score"].to_numpy(float)
    workers = _codes(frame["worker"])[1] if "worker" in units else ()
    return Scored(systems, segments, system, segment, score, units, workers)


def _together(worker: np.ndarray, document: np.ndarray, system: np.ndarray) -> np.ndarray:
    """The block of each judgment: what one worker judged of one document of one system."""
    key = np.column_stack([worker, document, system])
    known = (worker >= 0) & (document >= 0)
    codes = np.full(len(key), -1)
    codes[known] = np.unique(key[known], axis=0, return_inverse=True)[1].ravel()
    return codes


def _codes(column: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    codes, names = pd.factorize(column.astype(object), sort=True)
    return codes, tuple(str(n) for n in names)
