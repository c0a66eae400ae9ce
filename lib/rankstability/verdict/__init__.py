"""The verdict: one page for any campaign."""
