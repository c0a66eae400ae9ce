"""Notebook 12: what is a judge model worth beside people?"""
