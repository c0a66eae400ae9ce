"""Notebook 11: agreement of protocols, and of test sets."""
