"""Running: notebooks, the sweep over campaigns, downloads, the command line."""
