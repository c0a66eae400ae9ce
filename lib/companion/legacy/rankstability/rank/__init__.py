"""Scores to a `Ranking`: tests, clusters, rank ranges, tournaments."""
