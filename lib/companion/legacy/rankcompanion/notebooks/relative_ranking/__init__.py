"""Notebook 07: ways to count wins, agreement of judges, strengths."""

from ...models.removing import removals
from ...models.tasks import tasks
from .agreement import agreement as agreement_by
from .agreement import annotate, expected_agreement, kappa_table
from .counting import score_names, scores
from .methods import (
    acceptable,
    campaign_table,
    cluster_table,
    correlations,
    edits_per_system,
    exposure,
    head_to_head,
    method_ranks,
    modelled,
    ranges,
    removal_summary,
    sole_winners,
    strengths,
    twice_ranked,
)
from .pairs import file_place, sign_tests, win_percentages

__all__ = [  # what the notebook calls
    "acceptable",
    "agreement_by",
    "annotate",
    "campaign_table",
    "cluster_table",
    "correlations",
    "edits_per_system",
    "expected_agreement",
    "exposure",
    "file_place",
    "head_to_head",
    "kappa_table",
    "method_ranks",
    "modelled",
    "ranges",
    "removal_summary",
    "removals",
    "score_names",
    "scores",
    "sign_tests",
    "sole_winners",
    "strengths",
    "tasks",
    "twice_ranked",
    "win_percentages",
]
