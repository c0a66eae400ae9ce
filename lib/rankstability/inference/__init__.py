"""What a new campaign would show again: influences, step-down tests, rank sets, pairs."""
