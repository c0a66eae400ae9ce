"""What only 05 and 09 need: crossed mixed models, the simulated truth, simulated campaigns."""
