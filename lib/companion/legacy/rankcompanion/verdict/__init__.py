"""Notebook 00: how far a ranking can be trusted, and what to do next."""
