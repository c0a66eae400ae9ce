"""The batch: one papermill call per notebook, campaign and pair; the ledger; the report."""
