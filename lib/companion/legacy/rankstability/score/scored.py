"""`Scores`: a score per judgment, with its system, its segment and its units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace

import numpy as np
import pandas as pd

from ..errors import DataError, meant
from ..judgments import DirectAssessment, counted, unstandardised
from ..kinds import SCORES as SCORED
from ..kinds import SEGMENTS, kind_of
from ..scales import PENALTIES
from .da import averages, judgment_z
from .mqm import mqm_scores

UNITS = ("worker", "hit", "document", "block", "segment", "domain")
OTHER_UNITS = ("judge", "battle")  # of comparisons
CALLED = {
    "annotator": "worker",
    "rater": "worker",
}  # what a unit may be called by mistake
SCORES = ("z", "raw")


@dataclass(frozen=True)
class Scores:
    """The judgments that count, with one score each; or one mean score per system and segment.

    `system` and `segment` are codes into the names `systems` and `segments`; `score`: higher is
    better, and NaN occurs only in `segment_scores`; `units` holds the codes of worker, hit,
    document, block and domain that the data name, -1 where unknown (if only some judgments name a
    domain, the others form one of their own); `workers` are the names of workers, by code.
    `adaptive`: later judgments went to chosen systems, so that only differences within segments are
    comparable. `standardised`: by worker, so that a mean depends on whom else the workers judged.
    `items`: the data name neither who judged nor documents, and a repeat would have other segments.
    `scale`: the lowest and highest possible score. Only from `segment_scores`: `raw`, the scores
    before standardisation; `judgments`, of how many each is the mean; `file`, the source as error
    messages name it; `causes`, why systems have no z-score at all.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    system: np.ndarray
    segment: np.ndarray
    score: np.ndarray
    units: Mapping[str, np.ndarray] = field(default_factory=dict)
    workers: tuple[str, ...] = ()
    adaptive: bool = False
    _: KW_ONLY
    standardised: bool = False
    items: bool = False
    scale: tuple[float, float] = (-np.inf, np.inf)
    raw: np.ndarray = field(default_factory=lambda: np.zeros(0))
    judgments: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    file: str = ""
    causes: Mapping[str, str] = field(default_factory=dict)

    @property
    def counted(self) -> int:
        """The number of judgments that count."""
        return len(self.score)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of units that some judgments name."""
        return tuple(self.units)

    @property
    def within(self) -> bool:
        """Whether systems are compared by differences within segments.

        So in adaptive designs, and where items are all there is and some systems lack some.
        """
        return self.adaptive or (
            self.items and not np.isfinite(self.matrix()).all()
        )

    def has(self, name: str) -> bool:
        """Whether every judgment names its unit of this kind (and there are judgments)."""
        codes = self.segment if name == "segment" else self.units.get(name)
        return (
            codes is not None and len(codes) > 0 and bool((codes >= 0).all())
        )

    def unit(self, name: str) -> np.ndarray:
        """The code of each judgment's unit of this kind. Raises DataError if some name none."""
        if name == "segment":
            return self.segment
        if not self.has(name):
            expected = ", ".join([*filter(self.has, self.units), "segment"])
            problem = f"these judgments do not name their {name}"
            if name not in (*UNITS, *OTHER_UNITS):
                problem = "unknown unit" + meant(CALLED.get(name, name), UNITS)
            raise DataError(problem, value=name, expected=expected)
        return self.units[name]

    def take(self, keep: np.ndarray) -> Scores:
        """Only these judgments (a mask); systems and segments keep their codes."""
        names = ("system", "segment", "score", "raw", "judgments")
        parts = {
            name: x[keep] for name in names if len(x := getattr(self, name))
        }
        units = {name: codes[keep] for name, codes in self.units.items()}
        return replace(self, **parts, units=units)

    def weights(self, by_domain: bool = False) -> np.ndarray:
        """1 / n for each of the n judgments of one system's output of one segment.

        With `by_domain`, also divided by the number of that system's segments in the domain, so
        that domains count equally.
        """
        key = self._cells()
        weight = 1.0 / np.bincount(key)[key]
        if by_domain and "domain" in self.units:
            domain = self.unit("domain").astype(np.int64)
            stratum = domain * len(self.systems) + self.system
            weight = weight / np.bincount(stratum, weight)[stratum]
        return weight

    def means(self, by_domain: bool = False) -> np.ndarray:
        """Mean score of each system, segments weighted equally; `by_domain` as in `weights`."""
        weight = self.weights(by_domain)
        n = len(self.systems)
        total = np.bincount(self.system, weight, n)
        mean: np.ndarray = (
            np.bincount(self.system, weight * self.score, n) / total
        )
        return mean

    def matrix(self) -> np.ndarray:
        """Mean score of each segment and system, NaN where not judged: (segments, systems)."""
        shape = len(self.segments), len(self.systems)
        return averages(self._cells(), self.score, shape[0] * shape[1])[
            0
        ].reshape(shape)

    def stack(self) -> np.ndarray:
        """Scores as (judgments of an output, segments, systems); NaN where there are fewer."""
        cell = self._cells()
        order = np.argsort(cell, kind="stable")
        start = np.searchsorted(cell[order], cell[order])
        layer = np.empty(len(cell), int)
        layer[order] = np.arange(len(cell)) - start
        shape = layer.max(initial=0) + 1, len(self.segments), len(self.systems)
        out = np.full(shape, np.nan)
        out[layer, self.segment, self.system] = self.score
        return out

    def segment_unit(self, name: str) -> np.ndarray:
        """The unit (document, domain) of each segment; -1 for a segment without judgments."""
        of_segment = np.full(len(self.segments), -1)
        of_segment[self.segment] = self.unit(name)
        return of_segment

    def frame(self) -> pd.DataFrame:
        """Scores from `segment_scores` as a frame: system, segment, raw, z, judgments."""
        system = np.array(self.systems, dtype=object)[self.system]
        segment = np.array(self.segments, dtype=object)[self.segment]
        return pd.DataFrame(
            {
                "system": system,
                "segment": segment,
                "raw": self.raw,
                "z": self.score,
                "judgments": self.judgments,
            }
        )

    def system_means(self) -> pd.DataFrame:
        """Means over `segment_scores`: system, mean_raw, mean_z, segments, judgments."""
        n = len(self.systems)
        known = np.isfinite(self.score)
        raw, segments = averages(self.system, self.raw, n)
        z, _ = averages(self.system[known], self.score[known], n)
        judgments = np.bincount(self.system, self.judgments, n).astype(int)
        columns = {
            "mean_raw": raw,
            "mean_z": z,
            "segments": segments,
            "judgments": judgments,
        }
        return pd.DataFrame({"system": list(self.systems), **columns})

    def _cells(self) -> np.ndarray:
        """The code of the output that each judgment is of: its segment and its system."""
        return self.segment.astype(np.int64) * len(self.systems) + self.system


def scored(
    judgments: DirectAssessment | pd.DataFrame, score: str = "raw"
) -> Scores:
    """The judgments of any protocol with scores, as `Scores`: DA, ESA, segment scores, MQM.

    `judgments` come from `campaigns.load`. Released segment scores have no workers; in MQM,
    the rater is the worker, and the score is the negative of the segment's MQM score. `score` is
    ``raw``, or ``z``: standardised by worker (segment scores: as released). Raises DataError for
    relative ranking, which has no scores, and if no judgment counts.
    """
    if score not in SCORES:
        raise DataError(
            "unknown score", value=score, expected=", ".join(SCORES)
        )
    if isinstance(judgments, DirectAssessment):
        z = judgment_z(judgments) if score == "z" else None
        made = from_assessment(judgments, z)
        scale = judgments.scale
    elif "severity" in judgments:
        frame = mqm_scores(judgments).rename(columns={"rater": "worker"})
        frame["score"] = -frame["score"] + 0.0
        if score == "z":
            by = frame.groupby("worker")["score"]
            spread = by.transform("std")
            spread = spread.where(spread > 0)
            frame["score"] = (frame["score"] - by.transform("mean")) / spread
        made = _of_table(judgments, frame)
        scale = PENALTIES
    elif "raw" in judgments:
        columns = ["system", "document", "segment", score]
        frame = judgments[columns].rename(columns={score: "score"})
        items = bool(judgments.attrs.get("items"))
        return replace(_of_table(judgments, frame), items=items)
    else:
        expected = "DA, ESA, segment scores or MQM"
        raise DataError("judgments without scores", expected=expected)
    if score == "z":
        return replace(made, standardised=True)
    return replace(made, scale=scale)


def _of_table(judgments: pd.DataFrame, frame: pd.DataFrame) -> Scores:
    """`Scores` from the rows of a frame that have one, of the design that the judgments name."""
    adaptive = judgments.attrs.get("adaptive", False)
    return from_frame(frame.dropna(subset="score"), adaptive)


def from_assessment(
    da: DirectAssessment, score: np.ndarray | None = None
) -> Scores:
    """The judgments of direct assessment or ESA that count, with their units.

    `score` has a value for each row of ``da.good``, by default its raw score; rows with NaN are
    left out. Raises DataError if no judgment counts.
    """
    good = da.good
    values = (
        good["score"].to_numpy(float)
        if score is None
        else np.asarray(score, float)
    )
    rows = counted(good) & np.isfinite(values)
    if not rows.any():
        raise DataError(f"no judgments that count for {da.pair}")
    return from_frame(good[rows].assign(score=values[rows]), da.adaptive)


def from_frame(frame: pd.DataFrame, adaptive: bool = False) -> Scores:
    """`Scores` from a frame with the columns system, segment, score, and any of `UNITS`.

    Systems and segments are numbered in order of name. If workers and documents are named, a block
    is what one worker judged of one document of one system.
    """
    coded = {
        name: _codes(frame[name])
        for name in ("system", *UNITS)
        if name in frame
    }
    system, systems = coded.pop("system")
    segment, segments = coded.pop("segment")
    units = {
        name: codes for name, (codes, _) in coded.items() if (codes >= 0).any()
    }
    if "domain" in units:
        units["domain"] = np.where(
            units["domain"] < 0, units["domain"].max() + 1, units["domain"]
        )
    if {"worker", "document"} <= units.keys():
        worker = units["worker"].astype(np.int64)
        document = units["document"]
        block = (worker * (document.max() + 1) + document) * len(
            systems
        ) + system
        named = (worker >= 0) & (document >= 0)
        units["block"] = pd.factorize(
            np.where(named, block, np.nan), sort=True
        )[0]
    workers = coded["worker"][1] if "worker" in units else ()
    score = frame["score"].to_numpy(float)
    return Scores(
        systems, segments, system, segment, score, units, workers, adaptive
    )


def _codes(column: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes of a column's values in order of name, -1 where missing; and the names."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        names = sorted(column.cat.categories)
        column = column.cat.reorder_categories(names)
    codes, named = pd.factorize(column, sort=True)
    return codes, tuple(map(str, named))


def segment_scores(
    judgments: DirectAssessment | pd.DataFrame, z: np.ndarray | None = None
) -> Scores:
    """Mean raw and z score of each system on each segment.

    Only rows of type SYSTEM and REPEAT count; several judgments of the same output are averaged
    first, so that segments judged more often do not weigh more (Knowles 2021, section 3). Raises
    DataError if no row counts.

    Parameters
    ----------
    judgments : DirectAssessment or DataFrame
        The judgments; or scores released per segment: columns system, segment, raw, z, n.
    z : array, optional
        Standardised score of each row of ``judgments.good``, by default `da.judgment_z`; given
        here, another standardisation takes its place.

    Examples
    --------
    >>> from companion.legacy.rankstability import load, segment_scores
    >>> segment_scores(load("demo-srdc", "de-en")).frame().columns.tolist()
    ['system', 'segment', 'raw', 'z', 'judgments']
    """
    if kind_of(judgments) not in (SCORED, SEGMENTS):
        expected = "DA, ESA or released segment scores; MQM is ranked by a recipe, such as wmt24"
        raise DataError(
            "judgments without scores of segments", expected=expected
        )
    if isinstance(judgments, pd.DataFrame):
        frame = judgments
        raw = frame["raw"].to_numpy(float)
        z = frame["z"].to_numpy(float)
        number = frame["n"].to_numpy()
    else:
        keep = counted(judgments.good)
        if not keep.any():
            raise DataError(
                f"no judgments of type SYSTEM or REPEAT for {judgments.pair}",
                file=judgments.file or None,
                expected="judgments that count",
            )
        frame = judgments.good[keep]
        raw = frame["score"].to_numpy(float)
        z = (judgment_z(judgments) if z is None else z)[keep]
        number = np.ones(len(frame))
    system, systems = _codes(frame["system"])
    segment, segments = _codes(frame["segment"])
    width = len(segments)
    known = np.isfinite(z)
    cell = system * width + segment
    size = len(systems) * width
    mean_raw, count = averages(cell, raw, size)
    mean_z, _ = averages(cell[known], z[known], size)
    judged = np.flatnonzero(count)
    out = Scores(
        systems,
        segments,
        judged // width,
        judged % width,
        mean_z[judged],
        raw=mean_raw[judged],
        judgments=np.bincount(cell, number, size).astype(int)[judged],
    )
    if isinstance(judgments, pd.DataFrame):
        return replace(out, items=bool(judgments.attrs.get("items")))
    without = np.delete(systems, np.unique(system[known]))
    causes = _causes(judgments, without) if len(without) else {}
    return replace(out, file=judgments.file, causes=causes)


def _causes(da: DirectAssessment, systems: np.ndarray) -> dict[str, str]:
    """For each of these systems, how many of its judgments have no z-score, and why."""
    why = pd.Series(unstandardised(da), index=da.good["system"].astype(str))
    why = why[why.index.isin(systems) & (why != "").to_numpy()]
    counts = why.groupby([why.index, why]).size()
    return {
        name: ", ".join(
            f"{n} of a {reason}" for (_, reason), n in counts[[name]].items()
        )
        for name in counts.index.unique(0)
    }
