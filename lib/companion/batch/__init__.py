"""The batch: one papermill call per notebook, campaign and pair; the ledger; the report."""

import sys

# papermill imports jsonschema, which would build the grammar of internationalised addresses: more
# than a second for each run, for a check that no notebook needs. It does without this package.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
