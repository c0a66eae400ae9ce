"""Scores and votes as arrays, with the codes of their sampling units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

UNITS = ("annotator", "hit", "document", "block", "segment", "domain")


@dataclass(frozen=True)
class ScoreArrays:
    """The judgments that are ranked, with one score each; higher is better.

    Attributes
    ----------
    systems, segments : tuple of str
        Names, in order of name; `system` and `segment` hold codes into them.
    score : array of float
        Oriented so that higher is better: negated where `sign` is -1.
    units : mapping of str to array of int
        Codes of annotator, hit, document, block and domain, as far as the data name them; -1 where
        unknown. A block holds one annotator's judgments of one system's output on one document. If only some
        judgments name a domain, the others form one of their own.
    unit_names : mapping of str to tuple of str
        The names behind the codes, so that units of several campaigns can be matched by name.
    standardised : bool
        Whether scores are z-scores by annotator, so that a mean depends on the other systems that
        its annotators judged (INFERENCE, section 5.1).
    items : bool
        Whether neither annotators, HITs nor documents are named, so that segments are the units.
    averages : bool
        Whether each score averages several unnamed annotators; then no inference is made unless
        documents are named.
    scale : (float, float)
        The lowest and highest possible score, oriented like `score`.
    sign : int
        -1 if the scores were given as "lower is better".
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    system: np.ndarray
    segment: np.ndarray
    score: np.ndarray
    units: Mapping[str, np.ndarray] = field(default_factory=dict)
    unit_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    standardised: bool = False
    items: bool = False
    averages: bool = False
    scale: tuple[float, float] = (-np.inf, np.inf)
    sign: int = 1

    @property
    def n_judgments(self) -> int:
        """The number of judgments."""
        return len(self.score)

    def has(self, unit: str) -> bool:
        """Return whether every judgment names its unit of this kind (and there are judgments)."""
        codes = self.segment if unit == "segment" else self.units.get(unit)
        return codes is not None and len(codes) > 0 and bool((codes >= 0).all())

    def take(self, keep: np.ndarray) -> ScoreArrays:
        """Return only these judgments (a mask); systems and segments keep their codes."""
        units = {name: codes[keep] for name, codes in self.units.items()}
        return replace(
            self,
            system=self.system[keep],
            segment=self.segment[keep],
            score=self.score[keep],
            units=units,
        )

    def cells(self) -> np.ndarray:
        """Return the code of the output that each judgment is of: its segment and system."""
        cell: np.ndarray = self.segment.astype(np.int64) * len(self.systems) + self.system
        return cell

    def weights(self, by_domain: bool = False) -> np.ndarray:
        """Return 1/n for each of the n judgments of one output.

        With `by_domain`, also divide by the number of that system's segments in the domain, so
        that domains count equally.
        """
        cell = self.cells()
        weight: np.ndarray = 1.0 / np.bincount(cell)[cell]
        if by_domain and "domain" in self.units:
            domain = self.units["domain"].astype(np.int64)
            stratum = domain * len(self.systems) + self.system
            weight = weight / np.bincount(stratum, weight)[stratum]
        return weight

    def means(self, by_domain: bool = False) -> np.ndarray:
        """Return the mean score of each system, with segments weighted equally."""
        weight = self.weights(by_domain)
        n = len(self.systems)
        with np.errstate(invalid="ignore", divide="ignore"):
            total = np.bincount(self.system, weight, n)
            mean: np.ndarray = np.bincount(self.system, weight * self.score, n) / total
        return mean

    def matrix(self) -> np.ndarray:
        """Return the mean score by segment and system, (segments, systems); NaN if not judged."""
        shape = len(self.segments), len(self.systems)
        cell = self.cells()
        count = np.bincount(cell, minlength=shape[0] * shape[1])
        with np.errstate(invalid="ignore"):
            mean = np.bincount(cell, self.score, shape[0] * shape[1]) / count
        return mean.reshape(shape)

    def stack(self) -> np.ndarray:
        """Return scores as (judgments of an output, segments, systems); NaN where there are fewer."""
        cell = self.cells()
        order = np.argsort(cell, kind="stable")
        start = np.searchsorted(cell[order], cell[order])
        layer = np.empty(len(cell), int)
        layer[order] = np.arange(len(cell)) - start
        shape = layer.max(initial=0) + 1, len(self.segments), len(self.systems)
        out = np.full(shape, np.nan)
        out[layer, self.segment, self.system] = self.score
        return out

    def segment_unit(self, unit: str) -> np.ndarray:
        """Return the unit (document, domain) of each segment; -1 for a segment without judgments."""
        of_segment = np.full(len(self.segments), -1)
        of_segment[self.segment] = self.units[unit]
        return of_segment


@dataclass(frozen=True)
class VoteArrays:
    """Pairwise comparisons of systems, one per row.

    Attributes
    ----------
    systems : tuple of str
        Names, in order of name; `first` and `second` hold codes into them.
    outcome : array of float
        1 if the first system wins, 0 if the second wins, 0.5 for a tie.
    weight : array of float
        1 for each vote, unless votes were split.
    annotator, question : array of int, or None
        Codes; None if the data do not name them. In relative ranking the question is the document
        where documents are named, otherwise the segment.
    block : array of int, or None
        The ranking block of each comparison (relative ranking).
    annotators, questions : tuple of str
        The names behind the codes.
    order_known : bool
        Whether `first` was shown first.
    relative_ranking : bool
        Whether the score is the share of decided comparisons won (section 5.2 of INFERENCE)
        instead of Davidson's strength.
    """

    systems: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    outcome: np.ndarray
    weight: np.ndarray
    annotator: np.ndarray | None = None
    question: np.ndarray | None = None
    block: np.ndarray | None = None
    annotators: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    order_known: bool = True
    relative_ranking: bool = False

    def take(self, keep: np.ndarray) -> VoteArrays:
        """Return only these comparisons (a mask); systems and units keep their codes."""
        by_vote = ("first", "second", "outcome", "weight", "annotator", "question", "block")
        known = {name: getattr(self, name) for name in by_vote}
        kept = {name: part[keep] for name, part in known.items() if part is not None}
        return replace(self, **kept)

    def among(self, inside: np.ndarray) -> VoteArrays:
        """Return the comparisons among these systems (a mask), which get codes from 0."""
        kept = self.take(inside[self.first] & inside[self.second])
        code = np.cumsum(inside) - 1
        names = tuple(name for name, here in zip(self.systems, inside, strict=True) if here)
        return replace(kept, systems=names, first=code[kept.first], second=code[kept.second])
