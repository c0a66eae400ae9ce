"""How stable: SRP, fewest removals, null campaigns, planning, judge models."""
