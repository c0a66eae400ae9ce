"""From judgments to the scores that a procedure counts, and to the inference about them."""

from __future__ import annotations

from ..errors import DataError
from ..judgments import COMPARISON_KINDS, Judgments, check_judgments
from ..ranking.procedures import choose_procedure, scores_for
from ..scores.arrays import ScoreArrays, VoteArrays
from ..scores.pairwise import vote_arrays
from .ratings import infer_ratings
from .result import RankInference
from .votes import infer_votes


def ranked_scores(
    judgments: Judgments, procedure: str | None = None
) -> tuple[ScoreArrays | VoteArrays, bool]:
    """Return the scores that a procedure counts, or the votes; and whether domains count equally.

    Parameters
    ----------
    judgments : Judgments
    procedure : str, optional
        A name of `ranking.procedures.PROCEDURES`, whose score is taken; by default that of the
        campaign's year.
    """
    check_judgments(judgments)
    if judgments.kind in COMPARISON_KINDS:
        return vote_arrays(judgments), False
    return ranked_ratings(judgments, procedure)


def ranked_ratings(judgments: Judgments, procedure: str | None = None) -> tuple[ScoreArrays, bool]:
    """Return the scores that a procedure counts, and whether domains count equally.

    Raises
    ------
    DataError
        ``not_judgments``; ``wrong_kind`` for votes and relative rankings.
    """
    check_judgments(judgments)
    if judgments.kind in COMPARISON_KINDS:
        raise DataError("wrong_kind", kind=judgments.kind)
    chosen = choose_procedure(judgments, procedure)
    return scores_for(judgments, chosen), chosen.by_domain


def infer_judgments(
    judgments: Judgments,
    procedure: str | None = None,
    unit: str | None = None,
    alpha: float = 0.05,
) -> RankInference:
    """Return the inference of judgments of any kind; arguments are those of `rank_systems`."""
    data, by_domain = ranked_scores(judgments, procedure)
    return infer_scores(data, by_domain, unit, alpha)


def infer_scores(
    data: ScoreArrays | VoteArrays, by_domain: bool, unit: str | None = None, alpha: float = 0.05
) -> RankInference:
    """Return the inference of the scores or votes that count."""
    if isinstance(data, VoteArrays):
        return infer_votes(data, unit, alpha)
    return infer_ratings(data, unit, by_domain, alpha)
