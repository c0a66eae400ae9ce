"""Files to judgments: formats of the field, declared tables, the catalogue, downloads."""
