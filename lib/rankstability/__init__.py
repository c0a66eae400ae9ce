"""How far can a ranking of machine translation systems by people be trusted?

>>> from rankstability import load, segment_scores, rank_systems, remove, compare
>>> judgments = load("demo-srdc", "de-en")
>>> ranking = rank_systems(segment_scores(judgments))
>>> print(ranking)  # doctest: +SKIP

The names below suffice for most work; the folders follow the path of the data: `change`
(judgments to judgments), `score` (judgments to scores), `rank` (scores to a `Ranking`). The package
`rankcampaigns` reads files; `rankcompanion` answers the questions of six papers, in notebooks.
"""

from importlib import import_module as _import_module

__version__ = "0.2.0"

_MODULES = {  # imported when a name is first used, so that importing the package is quick
    "errors": ("DataError",),
    "rankcampaigns.campaigns": ("find", "load"),
    "change.perturb": ("remove", "degrade"),
    "score.scored": ("segment_scores",),
    "score.pairwise": ("pair_counts",),
    "score.mqm": ("mqm_scores",),
    "rank.systems": ("rank_systems",),
    "rank.ranking": ("Ranking", "CLUSTER_RULES"),
    "rank.comparing": ("compare",),
    "rank.significance": ("TESTS",),
    "rank.tournament": ("feedback_arc_set",),
    "rank.srp": ("srp",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULE_OF[name]
    here = "" if module.startswith("rankcampaigns.") else f"{__name__}."
    return getattr(_import_module(here + module), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
