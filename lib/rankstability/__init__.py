"""How far can a human ranking of machine translation systems be trusted?

>>> import rankstability as rs
>>> ranking = rs.rank_systems(rs.load("demo-srdc", "de-en"))
>>> ranking.systems[0], int(ranking.table["could_be_first"].sum())
('HUMAN.0', 4)
"""

from .errors import DataError, escape_invisible, suggest
from .inference.questions import (
    compare_pair,
    compare_with_baseline,
    find_candidates,
    find_leaders,
    find_limiting_domain,
)
from .inference.rank import compare, rank_systems
from .io.load import campaigns, load, pairs
from .io.official import official, published
from .io.results import collect, save
from .judgments import Judgments, has_unit, require
from .perturb import degrade, keep, remove
from .plots.ranking import plot_pairs, plot_ranking, plot_ranks
from .ranking.procedures import PROCEDURES
from .ranking.result import Ranking
from .ranking.rules import BOUNDARY_RULES
from .ranking.tests import TESTS
from .scores.pairwise import pair_counts
from .scores.segments import segment_scores
from .scores.z import z_scores
from .stability.components import variance_components
from .stability.difficulty import difficulty_effects
from .stability.fewest import fewest_removals
from .stability.null import false_boundaries
from .stability.plan import plan
from .stability.srp import srp

__version__ = "0.4.0"

__all__ = [
    "BOUNDARY_RULES",
    "PROCEDURES",
    "TESTS",
    "DataError",
    "Judgments",
    "Ranking",
    "campaigns",
    "collect",
    "compare",
    "compare_pair",
    "compare_with_baseline",
    "degrade",
    "difficulty_effects",
    "escape_invisible",
    "false_boundaries",
    "fewest_removals",
    "find_candidates",
    "find_leaders",
    "find_limiting_domain",
    "has_unit",
    "keep",
    "load",
    "official",
    "pair_counts",
    "pairs",
    "plan",
    "plot_pairs",
    "plot_ranking",
    "plot_ranks",
    "published",
    "rank_systems",
    "remove",
    "require",
    "save",
    "segment_scores",
    "srp",
    "suggest",
    "variance_components",
    "z_scores",
]
