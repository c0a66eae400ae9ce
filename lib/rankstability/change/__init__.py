"""Judgments to judgments: remove, degrade, simulate."""
