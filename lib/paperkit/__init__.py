"""Run notebooks, write results, the ledger and the site."""
