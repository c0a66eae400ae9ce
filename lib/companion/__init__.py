"""What reproduces the papers and runs the batch."""
