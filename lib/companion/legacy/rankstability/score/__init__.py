"""Judgments to scores: direct assessment, relative ranking, MQM."""
