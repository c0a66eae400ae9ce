"""Crossed mixed models (05, and planning), and simulated campaigns (09)."""
