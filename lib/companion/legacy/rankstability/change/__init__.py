"""Judgments to judgments: remove, degrade."""
