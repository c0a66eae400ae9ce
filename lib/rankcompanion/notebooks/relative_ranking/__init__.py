"""Notebook 07: ways to count wins, agreement of judges, strengths."""
