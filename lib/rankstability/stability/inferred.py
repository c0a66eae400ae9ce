"""The scores that a procedure counts, and the inference about them."""

from __future__ import annotations

from ..inference.ratings import infer_ratings
from ..inference.result import RankInference
from ..inference.votes import infer_votes
from ..judgments import COMPARISON_KINDS, Judgments
from ..ranking.procedures import Procedure, default_procedure, procedure_named, scores_for
from ..scores.arrays import ScoreArrays, VoteArrays
from ..scores.pairwise import vote_arrays


def choose_procedure(judgments: Judgments, procedure: str | None) -> Procedure:
    """Return the procedure of this name, or by default that of the campaign's year."""
    return procedure_named(procedure or default_procedure(judgments))


def infer_judgments(
    judgments: Judgments,
    procedure: str | None = None,
    unit: str | None = None,
    alpha: float = 0.05,
) -> tuple[ScoreArrays | VoteArrays, RankInference, bool]:
    """Return the scores or votes, the inference, and whether domains count equally.

    Parameters
    ----------
    judgments : Judgments
    procedure : str, optional
        A name of `ranking.procedures.PROCEDURES`, whose score is taken; by default that of the
        campaign's year.
    unit : str, optional
        As for `rank_systems`.
    alpha : float
        Error rate of all statements together.
    """
    if judgments.kind in COMPARISON_KINDS:
        votes = vote_arrays(judgments)
        return votes, infer_votes(votes, unit, alpha), False
    chosen = choose_procedure(judgments, procedure)
    arrays = scores_for(judgments, chosen)
    inference = infer_ratings(arrays, unit, chosen.by_domain, alpha)
    return arrays, inference, chosen.by_domain
