"""Runs papers and knows no ranks: notebooks, their results, the ledger's arithmetic, the site."""
