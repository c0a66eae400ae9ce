"""How far can a ranking of machine translation systems by people be trusted?

>>> import companion.legacy.rankstability as rs
>>> judgments = rs.load("demo-srdc", "de-en")  # or rs.judgments(frame, system="model", ...)
>>> ranking = rs.rank_systems(judgments)
>>> ranking.systems[0], ranking.lines, int(ranking.certain.may_be_first.sum())
('HUMAN.0', (1, 7), 4)

The names below suffice for most work; the folders follow the path of the data: `change`
(judgments to judgments), `score` (judgments to scores), `rank` (scores to a `Ranking`). `find` and
`load` forward to the package `rankcampaigns`, which reads files. The package `rankcompanion`
answers the questions of six papers with them, in numbered notebooks.
"""

import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType

__version__ = "0.3.0"

_MODULES = {  # imported when a name is first used, so that importing the package is quick
    "errors": ("DataError",),
    "forwarding": ("find", "load", "verdict"),
    "frames": ("judgments", "battles"),
    "change.perturb": ("remove", "degrade"),
    "score.scored": ("segment_scores",),
    "score.pairwise": ("pair_counts",),
    "score.mqm": ("mqm_scores",),
    "rank.standing": ("rank_systems",),
    "rank.ranking": ("Ranking", "CLUSTER_RULES"),
    "rank.recipes": ("RECIPES",),
    "rank.deciding": ("fewest",),
    "rank.comparing": ("compare",),
    "rank.significance": ("TESTS",),
    "rank.tournament": ("feedback_arc_set",),
    "rank.srp": ("srp",),
}
_MODULE_OF = {
    name: module for module, names in _MODULES.items() for name in names
}
__all__ = list(_MODULE_OF)


class _Door(_ModuleType):
    """The package: its public names stay when a module of the same name is imported.

    `companion.legacy.rankstability.judgments` is the function; what the module of that name holds is imported by
    ``from companion.legacy.rankstability.judgments import ...``.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _MODULE_OF or not isinstance(value, _ModuleType):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Door


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(f".{_MODULE_OF[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
