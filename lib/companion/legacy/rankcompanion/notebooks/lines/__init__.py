"""Notebook 10: lines claimed and held, and lines between equal systems."""
