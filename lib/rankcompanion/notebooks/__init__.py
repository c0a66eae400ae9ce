"""A module, or a package where it is large, for each notebook, named as it."""
