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
    "unknown_method": "There is no such score of relative rankings.",
    "unknown_correction": "There is no such correction for many tests.",
    "unknown_unranked": "There is no such treatment of outputs without a rank.",
    "nobody_passes_screening": "The screening of WMT26 leaves no annotator.",
    "no_annotators": "These judgments do not name annotators, so there is no z-score.",
    "unknown_rows": "There is no such selection of rows.",
    "not_applicable": "This notebook applies to {kinds}, and these judgments are {kind}.",
    "not_applicable_column": "This notebook needs judgments that name the {column}.",
    "unknown_notebook": "There is no such notebook.",
    "unknown_parameter": "The notebook has no such parameter.",
    "not_a_ranking": "This is not a ranking from rs.rank_systems.",
    "different_systems": "The two rankings have no system in common.",
    # reading
    "score_outside_scale": "The score is outside the scale.",
    # files and formats
    "damaged_file": "The file is damaged.",
    "unreadable_file": "The file cannot be read.",
    "not_utf8": "The text is not UTF-8.",
    "not_text": "The file is not text.",
    "empty_file": "The file is empty.",
    "not_a_table": "The file is not a table.",
    "wrong_number_of_cells": "The row has the wrong number of cells.",
    "no_rows": "The file holds no judgments.",
    "missing_column": "A column is missing.",
    "column_twice": "A column appears twice.",
    "missing_field": "A field is missing.",
    "missing_file": "A file is missing.",
    "missing_name": "A name is missing.",
    "not_a_number": "This is not a number.",
    "not_a_count": "This is not a whole number.",
    "unknown_word": "This word is not known here.",
    "not_an_object": "This is not a JSON object.",
    "not_json": "This is not JSON.",
    "two_contents": "Two files of the same name have different content.",
    "repeated_file": "All rows of this file stand in another file, too.",
    "unknown_format": "The file has none of the known formats.",
    "several_formats": "The files have several formats.",
    "unknown_pair": "There are no judgments of this language pair.",
    "several_pairs": "There are several language pairs; name one.",
    "several_tasks": "There are several tasks; name one.",
    "several_files_for_pair": "Two files hold the same language pair.",
    "no_pair_in_name": "The file's name holds no language pair.",
    "several_pairs_in_name": "The file's name holds several language pairs.",
    "unknown_language": "This language is not known.",
    "unknown_campaign": "There is no such campaign.",
    "unknown_part": "Campaign {campaign} has no such part.",
    "campaign_not_here": "The files of this campaign are not here.",
    "no_such_file": "There is no such file or folder.",
    "score_contradicts_other_file": "The same judgment has another score in {other}.",
    "segment_listed_twice": "A segment is listed twice.",
    "segment_not_listed": "A judged segment has no document in the list.",
    "output_scored_twice": "A system has two scores for one segment.",
    "output_rated_twice": "An annotator rated one output twice.",
    "wrong_number_of_segments": "The list has too few segments.",
    "unknown_segments": "The segments of {rows} of {of} rows are unknown.",
    "not_appraise": "This is not an export of Appraise.",
    "not_error_spans": "This is not a list of error spans.",
    "not_an_mqm_error": "This is not an error with a category and a severity.",
    "account_without_annotator": "This account does not belong to exactly one annotator.",
    "unmarked_outputs": "No output is marked as free of errors (No-error). Say what an output without a row means.",
    "unknown_unmarked": "There is no such rule for outputs without a row.",
    "unknown_weights": "There is no such table of error weights.",
    "no_weight": "The table of weights has none for this error ({rows} rows).",
    "system_twice": "A system appears twice.",
    "unknown_paper": "There are no published numbers of this paper.",
    "unwritable_folder": "The folder cannot be written.",
    "not_a_result": "This is neither a table nor a figure.",
    "nothing_to_collect": "No language pair has such a table.",
    "not_a_pair": "This is not a language pair.",
    "not_an_id": "This is not an id of this format.",
    "wrong_type": "The value has the wrong type.",
    "annotations_and_items": "Annotations and items differ in number.",
    "id_of_two_items": "One id stands for two items.",
    "not_a_rank": "This is not a rank.",
    "rank_of_empty_slot": "A slot that showed nothing has a rank.",
    "system_twice_in_block": "A system appears twice in one block.",
    "model_against_itself": "A model is compared with itself.",
    # simulated studies
    "unknown_grouping": "There is no such grouping of items.",
    "unknown_normalisation": "There is no such normalisation.",
    "bad_number": "This must be a whole number of at least 1.",
    "bad_load_balance": "There is no such balance of workloads.",
    "system_balanced_entropy": "System-balanced studies always have equal workloads.",
    "too_many_documents": "There are not as many documents.",
    "too_many_ratings_per_item": "The items do not have as many ratings.",
    "no_annotators_or_documents": "Studies can be simulated only from judgments that name annotators and documents.",
    "no_finite_strengths": "No finite strengths exist: some systems never lose, or never win.",
    "no_complete_document": "No document was rated in full by the same annotators for every system.",
    # components, plans, protocols and judge models
    "scores_missing": "Scores are missing.",
    "factor_not_estimable": "The variance of this factor cannot be estimated.",
    "too_few_scores": "There are too few scores to divide their variance.",
    "no_variance_left": "Systems, annotators and documents explain the scores completely.",
    "no_documents": "These judgments do not name documents.",
    "no_inference": "No inference can be made about these judgments.",
    "too_few_studies": "Two or more studies are needed.",
    "no_common_ground": "The studies have too few systems or segments in common.",
    "one_domain": "There is only one domain or test set.",
    "document_of_two_domains": "A document has two domains.",
    "no_common_output": "The judge model scored none of the outputs that people judged.",
    "no_common_vote": "The judge model voted on none of the comparisons that people made.",
    "documents_disagree": "The judge model and the human judgments name different documents for a segment.",
    "unknown_judge_model": "There is no such judge model.",
    # questions
    "same_system": "A system cannot be compared with itself.",
    "no_such_column": "The judgments have no such column.",
    "more_looks_than_planned": "There are more looks than were planned before the first look.",
    "too_few_tasks": "A ranking over tasks needs at least two tasks.",
    "different_scales": "The scores are not on one scale.",
    "different_units": "The tables do not name the same kinds of sampling unit.",
    "no_units_over_tasks": "An inference over tasks needs annotators, documents or HITs.",
    "missing_domain_in_task": "A system has no judgments in some domain of a task.",
}

EXCLUSIONS: dict[str, str] = {
    "no_score": "rows without a score",
    "other_pairs": "rows of other language pairs",
    "reference_or_control": "references and controls, which are not ranked",
    "constant_annotator": "judgments by annotators who gave every output the same score (no z-score)",
    # files and formats
    "no_rating": "rows with metadata only",
    "attention_check": "attention checks",
    "other_tasks": "rows of other tasks",
    "empty_slots": "slots that showed nothing",
    "system_again_in_block": "rows that repeat a system within a block",
    "tutorial": "tutorials before the task",
    "document_score": "scores of whole documents",
    "incomplete": "documents that were cut short to fill a task",
    "duplicate": "documents that were shown again",
    "superseded": "outputs that the same account scored again later",
    "no_segment": "rows whose segment of the test set is not certain",
    "models_known": "votes by people who knew the models",
    "not_judged": "outputs that were shown but not judged",
    "reset": "lines that reset a task",
    "before_reset": "scores before a reset by the same annotator",
    "source_error": "errors marked in the source",
    # simulated studies
    "system_on_few_documents": "ratings of systems that were rated on fewer than half of the documents",
    "incomplete_document": "ratings of documents that were not rated in full for every system",
    "other_number_of_annotators": "ratings of documents with another number of annotators than most",
}

NOTES: dict[str, str] = {
    # files and formats
    "blanks_around_names": "names with blanks around them, which were removed",
    "identical_rows": "rows that are identical to another row",
    "identical_blocks": "blocks that are identical to an earlier block",
    "second_score": "second scores of an output by the same annotator",
    "second_vote": "second votes of an annotator on the same question and systems",
    "joined_systems": "rows of joined ids A+B, which count for both systems",
    "no_time": "rows without a start and an end in seconds",
    "no_annotator": "judgments that name no annotator",
    "both_bad": "ties in which both outputs were called bad",
    "only_attention_checks": "segments with attention checks only, which count as free of errors",
    "clean_and_error": "No-error rows beside an error in the same rating; the error counts",
    "clean_in_one_column": "rows with No-error as category or as severity alone; the severity counts",
    "missing_annotation": "annotations that a system lacks on a segment",
    "third_annotation": "annotations of a system on a segment beyond the second",
    "shared_id": "items of one id but several sources, which are segments of their own",
    "rating_without_error": "ratings without an error",
    "no_shared_segment": "outputs of segments that were judged of one system only, so that no paired test applies",
    "constant_annotator": "judgments by annotators who gave every output the same score",
    "annotator_without_rows": "judgments by annotators who have no rows in ad-latest (no z-score)",
    # inference: regimes in which the promise is not met, and facts of the design
    "few_effective_units": "Only very large differences can be detected, because there are fewer than "
    "four effective {unit}s. If {unit}s have strong preferences of their own, one such statement "
    "in five could be false.",
    "few_large_units": "{number} {unit}s hold about a fifth of the judgments each, or more. If their "
    "effects on systems are larger than all else, up to 8 % of such rankings contain an error "
    "instead of 5 %.",
    "unit_with_half": "A single {unit} holds half of the judgments or more, so that the {unit}s count "
    "as few.",
    "rare_failures": "A system that fails rarely but badly on whole documents can look better than it "
    "is. This could concern {systems}.",
    "rare_item_losses": "Some systems lose much more on a few items than on all others: {systems}. "
    "Such losses are easily missed, so that more than 5 % of such rankings can contain an error.",
    "few_items": "{number} items are too few to separate any of {systems} systems; at least {least} "
    "are needed.",
    "few_questions": "{number} questions cannot order {systems} systems. More questions would help; "
    "more votes on the same questions would not.",
    "systems_lack_segments": "Systems are compared on the segments that both have. These systems lack "
    "segments: {systems}. If a system lacks segments because it failed on them, no method can tell.",
    "pairs_share_few": "These pairs share too few {unit}s to be compared: {pairs}.",
    "no_shared_segments": "These pairs share no segments: {pairs}. If the segments of one system were "
    "harder, these data could not show it.",
    "nothing_shared": "No two systems share segments. If the segments of one system were harder, "
    "these data could not show it.",
    "no_adjustment": "These standardised scores name no annotators, so that they cannot be adjusted "
    "for the other systems that each annotator judged.",
    "order_differs": "Compared on the segments that both have, these systems are ordered differently "
    "than by their plain means: {systems}.",
    "missing_domain": "These systems have no judgments in some domain, so that their means over all "
    "domains cannot be compared: {systems}.",
}

PLANS: dict[str, str] = {
    # what each row of a plan changes, and what it holds fixed
    "now": "The present campaign.",
    "annotators": "Twice the annotators, each judging as much as now, on the same documents.",
    "documents": "Twice the documents, by the same annotators, each judging twice as much.",
    "both": "Twice the annotators and twice the documents (in votes: questions), each annotator judging as much as now.",
    "ratings": "Twice the ratings of each output, by the same annotators, on the same documents.",
}

REASONS: dict[str, str] = {
    # why a system cannot be assessed
    "few_annotators": "too few annotators",
    "few_documents": "too few documents",
    "few_questions": "too few questions",
    "few_hits": "too few HITs",
    "not_connected": "beat, or lost to, every system that it met",
    "missing_domain": "no judgments in some domain",
    # why a pair cannot be assessed
    "few_in_common_annotator": "too few annotators in common",
    "few_in_common_document": "too few documents in common",
    "few_in_common_hit": "too few HITs in common",
    "few_in_common_segment": "too few items in common",
    "few_in_common_question": "too few questions in common",
    "not_joined": "no items in common",
    "no_common_annotators": "no chain of annotators joins them",
    "estimates_disagree": "two estimates of the difference have opposite signs",
    # why no inference is made
    "no_units": "neither annotators, HITs nor documents are named",
    "unnamed_averages": "scores are averages over unnamed annotators",
}
