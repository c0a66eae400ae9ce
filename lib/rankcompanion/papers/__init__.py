"""One module per paper: its printed numbers beside ours."""
