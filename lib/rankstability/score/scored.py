"""One score per judgment, with the system, the segment and the units it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment, counted

UNITS = ("worker", "hit", "document", "block", "segment", "domain")


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
        Codes of worker, hit, document, block, domain where the data name them; -1 is unknown.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    system: np.ndarray
    segment: np.ndarray
    score: np.ndarray
    units: Mapping[str, np.ndarray] = field(default_factory=dict)

    def unit(self, name: str) -> np.ndarray:
        """Codes of each judgment's unit of this kind.

        Raises
        ------
        DataError
            Where the data do not name it, for all or for some judgments.
        """
        if name == "segment":
            return self.segment
        codes = self.units.get(name)
        if codes is None or not len(codes) or (codes < 0).any():
            have = [u for u, c in self.units.items() if len(c) and (c >= 0).all()]
            raise DataError(
                f"these judgments do not name their {name}",
                value=name,
                expected=", ".join([*have, "segment"]),
            )
        return codes

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

    def weights(self) -> np.ndarray:
        """1 / n for each of the n judgments of one system's output of one segment."""
        key = self._cells()
        return 1.0 / np.bincount(key, minlength=1)[key]

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
    score = frame["score"].to_numpy(float)
    return Scored(systems, segments, system, segment, score, units)


def _codes(column: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    codes, names = pd.factorize(column.astype(object), sort=True)
    return codes, tuple(str(n) for n in names)
