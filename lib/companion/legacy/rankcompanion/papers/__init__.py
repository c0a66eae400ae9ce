"""One module per paper: its printed numbers next to ours."""
