"""The widgets of the notebook that explores."""
