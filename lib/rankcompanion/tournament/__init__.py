"""Notebook 08: the tasks of a campaign as tournaments."""
