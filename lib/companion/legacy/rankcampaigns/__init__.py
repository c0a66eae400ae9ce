"""Files to judgments: formats, the catalogue of campaigns, downloads."""
