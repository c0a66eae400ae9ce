"""What several notebooks and the page share: mixed models, simulated campaigns, removals, units."""
