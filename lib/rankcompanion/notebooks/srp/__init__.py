"""Notebook 06: stable ranking probability by study design, for MQM and all other protocols."""

from .findings import (
    TITLES,
    Plan,
    curves,
    designs,
    duplicates,
    high_imbalance,
    lines_of,
    other_measures,
    recommendations,
    verdicts,
)
from .rankings import by_normalisation, same_system, system_means
from .raters import (
    agreement,
    basic_counts,
    bucket_raters,
    rater_distributions,
    side_by_side,
    what_counts,
)
from .twins import (
    SRP_COLUMNS,
    at_half,
    da_samplers,
    effort,
    mqm_sampler,
    rr_samplers,
    ways,
)

__all__ = [  # what the notebook calls
    "SRP_COLUMNS",
    "TITLES",
    "Plan",
    "agreement",
    "at_half",
    "basic_counts",
    "bucket_raters",
    "by_normalisation",
    "curves",
    "da_samplers",
    "designs",
    "duplicates",
    "effort",
    "high_imbalance",
    "lines_of",
    "mqm_sampler",
    "other_measures",
    "rater_distributions",
    "recommendations",
    "rr_samplers",
    "same_system",
    "side_by_side",
    "system_means",
    "verdicts",
    "ways",
    "what_counts",
]
