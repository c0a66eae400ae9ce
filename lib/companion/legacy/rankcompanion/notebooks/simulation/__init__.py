"""Notebook 09: simulated campaigns, rank ranges, and how many judgments are enough."""
