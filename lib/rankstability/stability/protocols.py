"""Would another study rank the systems alike? Protocols, test sets and domains.

A protocol that is run again does not agree with itself perfectly, and no two protocols can be
expected to agree better than that. So agreement between protocols stands beside agreement within
one. Documents are resampled, and the annotators of each study that names them: a ranking rests on
few annotators, and another study would have others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError
from ..judgments import Judgments
from ..ranking.procedures import (
    PLAIN,
    choose_procedure,
    procedure_named,
    scores_for,
)
from ..scores.arrays import ScoreArrays
from ..scores.build import arrays_of_frame
from .common_ground import CommonGround, common_ground, count_kept, measure_protocols
from .document_sets import measure_halves, measure_sets, pool

SEED = 20220712
Study: TypeAlias = Judgments | pd.DataFrame


@dataclass(frozen=True)
class StudyComparison:
    """Whether another study ranks the systems alike; see `compare_studies`.

    Each table is computed when it is asked for.

    Attributes
    ----------
    studies : dict of str to Judgments or DataFrame
        The studies by name.
    unit, procedure, alpha, resamples, seed
        As for `compare_studies`.
    """

    studies: dict[str, Study]
    unit: str
    procedure: str | None
    alpha: float
    resamples: int
    seed: int

    @cached_property
    def halves(self) -> pd.DataFrame:
        """How far two random halves of the documents agree in each study.

        Columns systems, documents, tau (mean over splits), tau_low, tau_high (central 95 % of the
        splits), study. Tau is missing if documents are not named, or are fewer than sixteen.
        """
        halves = [measure_halves(each, self._rng(), self.resamples) for each in self._scores]
        return pd.concat(halves, ignore_index=True).assign(study=list(self.studies))

    @property
    def pairs(self) -> pd.DataFrame:
        """The agreement of every two studies, on the segments that both judged for all systems.

        Columns first, second, kind (``within`` one protocol or ``between`` two), segments (judged
        completely in both), units, annotators (of the study with fewer; 0 if not named), tau
        (Kendall's tau of the systems' means), tau_low, tau_high (central 95 % of the resamples;
        resampling adds noise, so the ends are rather too low).
        """
        return self._agreement[0]

    @property
    def protocols(self) -> pd.DataFrame:
        """The agreement of every two protocols, of which at least one was run twice.

        Columns first, second, repeated (those that were), between and within (mean tau), difference
        (between minus within) with the central 95 % of its resamples, annotators.
        """
        return self._agreement[1]

    @cached_property
    def conclusions(self) -> pd.DataFrame:
        """Which conclusions of one study another study repeats, on the segments that they share.

        A row for every two studies, in both orders: first, second, better_pairs (pairs of systems
        that differ in the first by a two-sided t test over units), same_order, better_again,
        opposite (shares of these that are in the same order in the second, that differ there in the
        same order, and in the opposite order), boundaries (drawn in the first by the procedure),
        boundaries_kept (those with the same systems above them in the second).
        """
        known = [each for each in self.studies.values() if isinstance(each, Judgments)]
        if known:
            chosen = choose_procedure(known[0], self.procedure)
        else:
            chosen = procedure_named(self.procedure or PLAIN)
        return count_kept(self._shared, chosen, self.alpha)

    @cached_property
    def test_sets(self) -> pd.DataFrame:
        """How far each test set, or each domain of a single study, agrees with all other documents.

        A set that agrees less with the rest than nearly all random sets of documents is another
        kind of text, not merely other documents. Columns domain, documents, segments, tau (between
        the set and all other documents), tau_low, tau_high (documents resampled within both),
        random, random_low, random_high (mean and central 95 % of tau between random sets of
        documents with as many segments and the rest), p (share of random sets that agree no
        better), without (tau between all documents and those outside the set), without_random,
        without_p (the same for random sets), p_holm (p corrected over the sets). With fewer than
        eight documents in the set or the rest, only tau and without are given.
        """
        if len(self.studies) > 1:
            arrays, sets = pool(dict(zip(self.studies, self._scores, strict=True)))
        else:
            arrays = self._scores[0]
            if not arrays.has("domain"):
                raise DataError("one_domain", column="domain")
            names = np.array(arrays.unit_names["domain"], dtype=object)
            sets = names[arrays.segment_unit("domain")]
        return measure_sets(arrays, sets, self._rng(), self.resamples)

    @cached_property
    def _scores(self) -> list[ScoreArrays]:
        return [_arrays(study, self.procedure) for study in self.studies.values()]

    @cached_property
    def _shared(self) -> CommonGround:
        return common_ground(dict(zip(self.studies, self._scores, strict=True)), self.unit)

    @cached_property
    def _agreement(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        return measure_protocols(self._shared, self._rng(), self.resamples)

    def _rng(self) -> np.random.Generator:
        """Return the generator of one table, so that tables do not depend on each other."""
        return np.random.default_rng(self.seed)


@check_arguments
def compare_studies(
    studies: Judgments | Mapping[str, Study],
    *,
    unit: str = "document",
    procedure: str | None = None,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = SEED,
) -> StudyComparison:
    """Compare studies of the same systems: protocols, test sets, domains, or halves of one study.

    Parameters
    ----------
    studies : Judgments, or a mapping of str to Judgments or DataFrame
        Studies of the same systems, by name. Two studies have the same protocol if their names
        differ only in a number or in parentheses, such as ``ESA-1`` and ``ESA-2``. A frame needs
        the columns system, segment and score (higher is better).
    unit : {"document", "segment"}
        The unit that is resampled to compare protocols. Annotators are resampled as well if a study
        names them.
    procedure : str, optional
        The ranking procedure whose score is used; by default that of each study's year.
    alpha : float
        The level of the tests that find conclusions.
    resamples : int
        The number of resamples, of random halves and of random sets of documents.
    seed : int

    Returns
    -------
    StudyComparison
        With the tables `halves`, `pairs`, `protocols`, `conclusions` and `test_sets`.

    Raises
    ------
    DataError
        When a table is requested: if there are fewer than two studies, or if the studies have too
        little in common. For test sets also: if documents or domains are not named, if there is
        only one domain, or if a document has two domains.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> rows = [(name, k, score + k % 3) for k in range(12) for name, score in (("A", 70), ("B", 60), ("C", 50))]
    >>> first = pd.DataFrame(rows, columns=["system", "segment", "score"])
    >>> second = first.assign(score=first["score"] / 20)
    >>> both = rs.compare_studies({"DA": first, "ESA": second}, unit="segment", resamples=20)
    >>> both.pairs[["first", "second", "segments", "tau"]].values.tolist()
    [['DA', 'ESA', 12, 1.0]]
    >>> both.conclusions[["first", "better_pairs", "better_again"]].values.tolist()
    [['DA', 3, 1.0], ['ESA', 3, 1.0]]
    >>> judgments = rs.load("demo-srpdc", "de-en")
    >>> rs.compare_studies(judgments, resamples=20).halves[["systems", "documents"]].values.tolist()
    [[10, 30]]
    >>> names = sorted(judgments.table["document"].unique())
    >>> sets = {"one": rs.keep(judgments, documents=names[:15]), "two": rs.keep(judgments, documents=names[15:])}
    >>> rs.compare_studies(sets, resamples=20).test_sets[["domain", "documents"]].values.tolist()
    [['one', 15], ['two', 15]]
    """
    if isinstance(studies, Judgments):
        studies = {studies.campaign or "study": studies}
    if not studies:
        raise DataError("too_few_studies", value=0)
    return StudyComparison(dict(studies), unit, procedure, alpha, resamples, seed)


def _arrays(study: Study, procedure: str | None) -> ScoreArrays:
    if isinstance(study, Judgments):
        return scores_for(study, choose_procedure(study, procedure))
    return arrays_of_frame(study.astype({"system": str, "segment": str}))
