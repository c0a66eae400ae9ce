"""Runs of notebooks, sessions in JupyterLab, downloads, the workflow, the commands."""
