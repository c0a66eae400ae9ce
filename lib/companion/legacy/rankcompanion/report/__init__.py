"""The report: its front page, its findings, the links of the ledger."""
