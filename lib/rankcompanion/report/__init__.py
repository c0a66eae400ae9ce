"""The front page, the findings, and the links of the ledger."""
