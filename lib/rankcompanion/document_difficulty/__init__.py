"""Notebook 05: documents, ways of standardising, and which are stable."""
