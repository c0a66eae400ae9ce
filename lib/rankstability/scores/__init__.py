"""Judgments to scores: z-scores, segment scores, MQM scores, counts of pairwise wins."""
