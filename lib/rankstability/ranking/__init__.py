"""Scores to rankings: tests, rules for cluster boundaries, procedures by year, strengths."""
