"""How far can a ranking of machine translation systems by people be trusted?

Modules, in the order in which data pass through them:

readers_*          formats to tidy frames, checked at the border
campaigns          the catalogue: find, load, download
direct_assessment  worker z-scores, segment and system means (DA)
relative_ranking   blocks to pairwise counts to scores (RR)
mqm                error weights, rater normalisation (MQM)
significance       tests and corrections
ranking            the `Ranking` result, cluster rules, rank ranges, comparing rankings
tournament         minimum feedback arc set
simulation, srp    campaigns with known truth; stable ranking probability
outputs, claims    results on disk; published numbers beside ours
run, gather, site  notebooks executed, pairs gathered, the report
"""

__version__ = "0.1.0"
