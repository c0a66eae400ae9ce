"""Notebook 05: difficulty of documents, alternatives to z-scores, and which of them are stable."""
