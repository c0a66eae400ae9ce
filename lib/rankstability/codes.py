"""The sentence of each code: errors, rows that were left out, and notes on a ranking.

Code compares the codes; only pages and messages show the sentences. Slots in braces are filled
with numbers and names.
"""

ERRORS: dict[str, str] = {
    # judgments
    "unknown_system": "There is no such system in these judgments.",
    "unknown_annotator": "There is no such annotator in these judgments.",
    "unknown_document": "There is no such document in these judgments.",
    "unknown_domain": "There is no such domain in these judgments.",
    "unknown_criterion": "There is no such criterion in these judgments.",
    "not_judgments": "This function takes judgments, from rs.load, rs.read, rs.judgments or rs.battles.",
    "wrong_kind": "This function does not apply to {kind}.",
    "no_judgments": "No judgment is left to rank.",
    "too_few_systems": "A ranking needs at least two systems.",
    "equal_scores": "All scores are the same.",
    # scores and rankings
    "unknown_procedure": "There is no such ranking procedure.",
    "unknown_test": "There is no such test.",
    "unknown_rule": "There is no such rule for cluster boundaries.",
    "unknown_unit": "These judgments do not name this sampling unit.",
    "bad_alpha": "The level must lie between 0 and 1.",
    "bad_divisor": "A divisor must be a positive number.",
    "system_without_score": "A system has no score.",
    # reading
    "score_outside_scale": "The score is outside the scale.",
}

EXCLUSIONS: dict[str, str] = {
    "no_score": "rows without a score",
    "other_pairs": "rows of other language pairs",
    "reference_or_control": "references and controls, which are not ranked",
    "constant_annotator": "judgments by annotators who gave every output the same score (no z-score)",
}

NOTES: dict[str, str] = {}
