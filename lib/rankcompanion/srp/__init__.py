"""Notebook 06: stable ranking probability by study design, for MQM and every other protocol."""
