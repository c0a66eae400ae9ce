"""The code behind the notebooks of version 0.3.0, unchanged; it goes when they are rewritten."""
