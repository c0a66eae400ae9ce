"""Notebook 06: stable ranking probability by study design, for MQM and all other protocols."""
