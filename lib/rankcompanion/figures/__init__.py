"""Frames to figures."""
