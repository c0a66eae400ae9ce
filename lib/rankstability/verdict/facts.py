"""The numbers, names and rows of a verdict; no sentences. They are written as ``verdict.json``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
import yaml

from ..codes import EXCLUSIONS, NOTES
from ..errors import DataError
from ..formatting import decimals
from ..inference.questions import (
    compare_pair,
    compare_with_baseline,
    find_candidates,
    find_limiting_domain,
    look_alpha,
)
from ..inference.rank import rank_systems
from ..inference.ratings import second_answer
from ..inference.regimes import note_sentences
from ..inference.votes import second_answers
from ..judgments import COMPARISON_KINDS, Judgments
from ..ranking.procedures import scores_for
from ..ranking.result import Ranking
from ..scores.pairwise import vote_arrays
from ..stability.fewest import fewest_removals
from ..stability.inferred import choose_procedure
from ..stability.plan import plan
from ..stability.repeat import expect_repeat

SEED = 20240101
LARGE = 60  # systems: above, plans and fewest removals are not computed

KEYS = {
    "version": "version of rankstability",
    "vocabulary": "which nouns the page uses: wmt, ratings, votes, leaderboard or listening",
    "campaign, pair, task, source, kind, protocol, year": "what was ranked",
    "procedure, procedure_title, test, rule, alpha": "how it was ranked",
    "score_name, lower_is_better, scale": "what the score is, and its direction",
    "counts": "numbers of systems, humans, judgments, annotators, documents, segments",
    "unit, units, effective": "sampling units, their numbers, and the median effective number",
    "no_inference": "empty, or the code of the reason why nothing is inferred",
    "leader": "the first system, human translations aside",
    "could_be_first": "systems that could be the best, human translations aside",
    "could_be_first_with_humans": "the same with human translations counted",
    "ranking": "one row per system, as in Ranking.table",
    "boundaries": "boundaries drawn or supported, as in Ranking.boundaries",
    "pairs": "one row per pair, as in Ranking.pairs",
    "groups": "systems between supported boundaries",
    "not_assessable": "systems about which nothing can be said, with the code of the reason",
    "order_effect": "votes: the effect of being shown first, with its interval",
    "second": "answers with one kind of sampling unit only",
    "fewest": "the fewest removals that change first place or a boundary",
    "plan": "what twice as many judgments would buy",
    "repeat": "expected agreement of two campaigns of this size",
    "limiting_domain": "the domain that decides the degrees of freedom, if there is one",
    "cautions": "sentences about regimes in which the promise is not met",
    "excluded, notes": "rows that were left out, and rows that were kept but are doubtful",
    "questions": "answers to the questions that were asked",
    "declared": "the words with which the table was read",
}


def vocabularies() -> dict[str, dict[str, str]]:
    """Return the nouns of each kind of data."""
    text = files(__package__).joinpath("vocabulary.yaml").read_text(encoding="utf-8")
    nouns: dict[str, dict[str, str]] = yaml.safe_load(text)
    return nouns


def vocabulary_of(judgments: Judgments) -> str:
    """Return which vocabulary a page on these judgments uses."""
    if judgments.kind == "votes":
        return "votes"
    if judgments.kind == "leaderboard":
        return "leaderboard"
    if judgments.year or judgments.kind in ("relative_ranking", "mqm", "direct_assessment"):
        return "wmt"
    return "listening" if judgments.controls else "ratings"


def collect_facts(
    judgments: Judgments,
    ranking: Ranking,
    *,
    procedure: str | None = None,
    unit: str | None = None,
    ask: Sequence[Sequence[str]] = (),
    baseline: str | None = None,
    candidates: bool = False,
    look: int | None = None,
    looks: int | None = None,
) -> dict[str, Any]:
    """Return everything that the page of a verdict says, as plain values; see `KEYS`."""
    inference = ranking.inference
    table = ranking.table
    humans = [name for name in ranking.systems if name in judgments.humans]
    machines = [name for name in ranking.systems if name not in humans] or ranking.systems
    first = first_among(ranking, machines)
    assessable = table.loc[table["assessable"], "system"].tolist()
    several = len(machines) > 1
    small = len(ranking.systems) <= LARGE
    facts: dict[str, Any] = {
        "vocabulary": vocabulary_of(judgments),
        "campaign": judgments.campaign,
        "pair": judgments.pair,
        "task": judgments.task,
        "source": judgments.source,
        "kind": judgments.kind,
        "protocol": judgments.protocol,
        "year": judgments.year,
        "procedure": ranking.procedure,
        "procedure_title": ranking.title,
        "draws": ranking.procedure.startswith("wmt"),
        "test": ranking.test,
        "rule": ranking.rule,
        "alpha": ranking.alpha,
        "score_name": ranking.score_name,
        "lower_is_better": ranking.lower_is_better,
        "scale": judgments.scale,
        "decimals": decimals(table["score"]),
        "counts": _counts(judgments, machines, humans, procedure),
        "unit": ranking.unit,
        "units": dict(inference.units),
        "effective": {kind: float(np.nanmedian(e)) for kind, e in inference.effective.items()},
        "judge_model": bool(judgments.judge_models) and not _has_people(judgments),
        "judge_models": list(judgments.judge_models),
        "no_inference": inference.no_inference,
        "leader": machines[0],
        "could_be_first": first,
        "could_be_first_with_humans": table.loc[table["could_be_first"], "system"].tolist(),
        "humans": humans,
        "controls": _controls(judgments),
        "all_tied": several and len(first) == len([m for m in machines if m in assessable]),
        "ranking": _records(table),
        "adjusted_differs": bool((table["score"] - table["score_adjusted"]).abs().max() > 1e-9),
        "boundaries": _records(ranking.boundaries),
        "drawn": int(ranking.boundaries["drawn"].sum()),
        "drawn_supported": int(
            (ranking.boundaries["drawn"] & ranking.boundaries["supported"]).sum()
        ),
        "pairs": _records(ranking.pairs),
        "n_better": int((ranking.pairs["result"] == "better").sum()),
        "groups": supported_groups(ranking),
        "not_assessable": [
            {"system": name, "reason": inference.reasons.get(name, "")}
            for name in table.loc[~table["assessable"], "system"]
        ],
        "order_effect": None if inference.order_effect is None else vars(inference.order_effect),
        "order_unknown": "order_unknown" in inference.notes,
        "second": _second(judgments, procedure, ranking.alpha),
        "fewest": _records(_try(fewest_removals, judgments, procedure) if small else None),
        "plan": _records(_plan(judgments, machines, procedure, unit) if small else None),
        "repeat": _repeat(ranking) if small else None,
        "limiting_domain": _limiting(judgments, procedure),
        "cautions": note_sentences(inference),
        "excluded": _records(judgments.excluded),
        "excluded_sentences": {**NOTES, **EXCLUSIONS},
        "notes": _records(judgments.notes),
        "declared": {key: _plain(value) for key, value in judgments.declared.items()},
        "example": _example(judgments),
    }
    questions: dict[str, Any] = {}
    if ask:
        found = [compare_pair(judgments, a, b, procedure=procedure, unit=unit) for a, b in ask]
        questions["pairs"] = [_plain(vars(each)) for each in found]
    if baseline is not None:
        answer = compare_with_baseline(judgments, baseline, procedure=procedure, unit=unit)
        questions["baseline"] = {"baseline": baseline, "rows": _records(answer.table)}
    if candidates:
        chosen = find_candidates(judgments, procedure=procedure, unit=unit)
        questions["candidates"] = {"systems": chosen.systems, "rows": _records(chosen.table)}
    if looks:
        questions["looks"] = {"look": look or 1, "looks": looks, "alpha": ranking.alpha}
    facts["questions"] = questions
    return facts


def ranking_for(
    judgments: Judgments,
    procedure: str | None,
    unit: str | None,
    alpha: float,
    look: int | None,
    looks: int | None,
) -> Ranking:
    """Return the ranking of a verdict; with planned looks every statement is made at alpha / looks."""
    if looks:
        alpha = look_alpha(look or 1, looks, alpha)
    comparisons = judgments.kind in COMPARISON_KINDS
    return rank_systems(
        judgments, procedure=None if comparisons else procedure, unit=unit, alpha=alpha
    )


def first_among(ranking: Ranking, systems: Sequence[str]) -> list[str]:
    """Return the assessable systems that no other of `systems` is significantly better than."""
    inference = ranking.inference
    place = {name: k for k, name in enumerate(inference.systems)}
    at = [place[name] for name in systems]
    better = inference.better[np.ix_(at, at)].any(axis=0)
    known = inference.assessable[at] & (not inference.no_inference)
    return [
        name for name, worse, ok in zip(systems, better, known, strict=True) if ok and not worse
    ]


def supported_groups(ranking: Ranking) -> list[list[str]]:
    """Return the systems between supported boundaries, in the order of the ranking."""
    supported = ranking.boundaries.query("supported")["rank"].tolist()
    edges = [0, *supported, len(ranking.systems)]
    return [ranking.systems[a:b] for a, b in zip(edges[:-1], edges[1:], strict=True)]


def _counts(
    judgments: Judgments, machines: Sequence[str], humans: Sequence[str], procedure: str | None
) -> dict[str, int]:
    """Return the numbers of what was ranked: judgments that count, and who and what they name."""
    number = judgments.n_judgments
    if judgments.kind not in COMPARISON_KINDS:
        number = scores_for(judgments, choose_procedure(judgments, procedure)).n_judgments
    return {
        "systems": len(machines) if humans else judgments.n_systems,
        "humans": len(humans) if len(machines) < judgments.n_systems else 0,
        "judgments": number,
        "annotators": judgments.n_annotators,
        "documents": judgments.n_documents,
        "segments": judgments.n_segments,
    }


def _has_people(judgments: Judgments) -> bool:
    """Return whether some annotator is not a judge model."""
    if "annotator" not in judgments.table:
        return True
    names = set(judgments.table["annotator"].dropna().astype(str))
    return bool(names - set(judgments.judge_models)) or not names


def _controls(judgments: Judgments) -> list[dict[str, Any]]:
    """Return the mean score of each control, which is shown and not ranked."""
    table = judgments.table
    if not judgments.controls or "score" not in table:
        return []
    rows = table[table["system"].isin(judgments.controls)]
    means = rows.groupby("system", observed=True)["score"].mean()
    return [{"system": str(name), "score": float(value)} for name, value in means.items()]


def _example(judgments: Judgments) -> dict[str, str]:
    """Return the first judgment as it was read."""
    row = judgments.table.iloc[0]
    return {str(name): str(value) for name, value in row.items() if str(value) not in ("nan", "")}


def _second(judgments: Judgments, procedure: str | None, alpha: float) -> list[dict[str, Any]]:
    """Return the answers with one kind of sampling unit only: unit, and what is supported."""
    if judgments.kind in COMPARISON_KINDS:
        found = _try(second_answers, vote_arrays(judgments), alpha) or {}
    else:
        chosen = choose_procedure(judgments, procedure)
        scores = scores_for(judgments, chosen)
        answer = _try(second_answer, scores, "document", chosen.by_domain, alpha)
        found = {} if answer is None else {"document": answer}
    rows = []
    for kind, each in found.items():
        m = int(each.assessable.sum())
        row = {"unit": kind, "boundaries": int(each.supported.sum()), "systems": m}
        pairs = int(each.better.sum())
        rows.append({**row, "better": pairs, "could_be_first": int(each.could_be_first.sum())})
    return rows


def _plan(
    judgments: Judgments, machines: Sequence[str], procedure: str | None, unit: str | None
) -> pd.DataFrame | None:
    """Return what more judgments would buy for the first two systems."""
    systems = (machines[0], machines[1]) if len(machines) > 1 else None
    found: pd.DataFrame | None = _try(plan, judgments, systems, procedure=procedure, unit=unit)
    return found


def _repeat(ranking: Ranking) -> dict[str, float] | None:
    """Return the agreement of two campaigns of this size."""
    if not ranking.unit or int(ranking.inference.assessable.sum()) < 3:
        return None
    rng = np.random.default_rng(SEED)
    found: dict[str, float] | None = _try(expect_repeat, ranking.inference, 0, rng)
    return found


def _limiting(judgments: Judgments, procedure: str | None) -> dict[str, Any] | None:
    """Return the domain that decides the degrees of freedom, if there is one."""
    if judgments.kind in COMPARISON_KINDS:
        return None
    found = _try(find_limiting_domain, judgments, procedure=procedure)
    if found is None:
        return None
    plain: dict[str, Any] = _plain(
        {key: value for key, value in vars(found).items() if not hasattr(value, "systems")}
    )
    return plain


def _try(function: Any, *arguments: Any, **options: Any) -> Any:
    """Return the result of a function, or None where these judgments do not allow it."""
    try:
        return function(*arguments, **options)
    except DataError:
        return None


def _records(table: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Return the rows of a table as plain values."""
    if table is None or table.empty:
        return []
    return [_plain(row) for row in table.to_dict("records")]


def _plain(value: Any) -> Any:
    """Return a value as JSON knows it: NaN as None, arrays as lists."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(each) for each in value]
    if isinstance(value, pd.DataFrame):
        return _records(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)
