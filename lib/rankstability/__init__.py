"""How far can a human ranking of machine translation systems be trusted?

>>> import rankstability as rs
>>> ranking = rs.rank_systems(rs.load("demo-srdc", "de-en"))
>>> ranking.systems[0], int(ranking.table["could_be_first"].sum())
('HUMAN.0', 1)
"""

from .errors import DataError
from .inference.questions import (
    compare_pair,
    compare_with_baseline,
    find_candidates,
    find_leaders,
)
from .inference.rank import compare, rank_systems
from .inference.tasks import compare_rankings, rank_over_tasks
from .io.load import campaigns, load, pairs
from .io.official import official, published
from .io.read import battles, judgments, read
from .io.results import collect, save
from .judgments import Judgments
from .perturb import degrade, keep, remove
from .plots.cooccurrence import plot_cooccurrence
from .plots.ranking import plot_pairs, plot_ranking, plot_ranks
from .ranking.agreement import measure_agreement
from .ranking.feedback import feedback_arc_set
from .ranking.procedures import PROCEDURES
from .ranking.relative import pair_counts, score_comparisons
from .ranking.result import Ranking
from .ranking.rules import BOUNDARY_RULES
from .ranking.tests import TESTS
from .scores.mqm import mqm_scores
from .scores.segments import segment_scores
from .scores.z import z_scores
from .stability.bootstrap import bootstrap_ranks
from .stability.comparison_model import ComparisonModel
from .stability.cooccurrence import cooccurrence
from .stability.difficulty import variance_components
from .stability.fewest import fewest_removals
from .stability.judge_models import compare_judge_model
from .stability.null import false_boundaries
from .stability.plan import plan
from .stability.protocols import compare_studies
from .stability.srp import least_entropy, srp
from .verdict.verdict import verdict

__version__ = "0.4.0"

__all__ = [
    "BOUNDARY_RULES",
    "PROCEDURES",
    "TESTS",
    "ComparisonModel",
    "DataError",
    "Judgments",
    "Ranking",
    "battles",
    "bootstrap_ranks",
    "campaigns",
    "collect",
    "compare",
    "compare_judge_model",
    "compare_pair",
    "compare_rankings",
    "compare_studies",
    "compare_with_baseline",
    "cooccurrence",
    "degrade",
    "false_boundaries",
    "feedback_arc_set",
    "fewest_removals",
    "find_candidates",
    "find_leaders",
    "judgments",
    "keep",
    "least_entropy",
    "load",
    "measure_agreement",
    "mqm_scores",
    "official",
    "pair_counts",
    "pairs",
    "plan",
    "plot_cooccurrence",
    "plot_pairs",
    "plot_ranking",
    "plot_ranks",
    "published",
    "rank_over_tasks",
    "rank_systems",
    "read",
    "remove",
    "save",
    "score_comparisons",
    "segment_scores",
    "srp",
    "variance_components",
    "verdict",
    "z_scores",
]
