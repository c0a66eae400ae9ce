"""Notebook 90: the widgets with which one explores a ranking."""
