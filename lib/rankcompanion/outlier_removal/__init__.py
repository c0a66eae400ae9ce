"""Notebook 02: what removing systems does to the ranking of the others."""
