"""The formats of the field: one module each, recognised by their exact headers."""
