"""Notebook 07: ways of counting wins, agreement of judges, strengths."""
