"""Notebook 09: simulated campaigns, rank ranges, how many judgments are enough."""
