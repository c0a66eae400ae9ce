"""The numbers, names and rows of a verdict; no sentences. They are written as ``verdict.json``."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from ..errors import escape_invisible
from ..formatting import boundary_kinds, decimals
from ..inference.from_judgments import ranked_scores
from ..inference.result import RankInference
from ..io.catalogue import find_campaign, is_known
from ..io.report import item_means, summarise_orders
from ..judgments import COMPARISON_KINDS, Judgments
from ..ranking.procedures import PLAIN, PROCEDURES
from ..ranking.result import Ranking
from ..scores.arrays import VoteArrays
from ..stability.annotators import describe_annotators, krippendorff_alpha
from .answers import Questions, answer_questions
from .fragility import (
    Data,
    describe_limiting_domain,
    find_fewest,
    find_second_answers,
    plan_more,
    predict_repeat,
)
from .plain import first_row, plain_value, records, value_or_none
from .reading import example_judgment, excluded_rows, file_name, kept_rows
from .words import tables

MAX_ANNOTATORS = 200  # rows of the table of annotators

KEYS: dict[str, str] = {
    "version": "version of rankstability",
    "title": "name of the data on the page",
    "campaign, pair, task, source, kind, protocol, year": "what was ranked; see Judgments",
    "vocabulary": "which nouns the page uses: a key of `kinds` in words.yaml",
    "citation": "what to cite for the data, if the catalogue knows it",
    "procedure, procedure_title, test, rule": "how systems are ordered and boundaries drawn",
    "draws": "whether the procedure draws boundaries",
    "alpha": "probability of any false statement about the ranking",
    "score_name, score_column, lower_is_better, scale, decimals, two_valued": "what the score is",
    "counts": "numbers of systems, humans, controls, judgments, annotators, documents, segments",
    "unit": "sampling units, joined by ' x '; empty if no inference is made",
    "units, effective": "their numbers, and the median over systems of the effective numbers",
    "fixed_units": "units that the data name and that results hold fixed, and their numbers",
    "df": "least degrees of freedom of a system",
    "no_inference": "empty, or the code of the reason why nothing is inferred",
    "cautions": "notes on the design: code, unit, number, least, count, names",
    "best_case": "which answer holds: alone, some, all, none_assessable or no_inference",
    "leader": "the first system, human translations aside",
    "could_be_first": "systems that could be the best, human translations aside",
    "humans, humans_case": "human translations; whether they could be first: could, only or cannot",
    "could_be_first_with_humans": "systems that could be the best, with human translations",
    "ranking": "one row per system, as in Ranking.table; boundary is solid, dashed, double or empty",
    "score_range": "ends of the axis of scores",
    "controls": "outputs of known quality, with their mean scores",
    "not_assessable": "systems about which nothing can be said: system, reason, units, effective",
    "pairs": "one row per pair, as in Ranking.pairs",
    "n_pairs, n_better, n_not_assessable": "numbers of pairs by result",
    "better_than": "the systems that each system is significantly better than",
    "boundaries": "boundaries that are drawn or supported, as in Ranking.boundaries",
    "n_drawn, n_drawn_supported, n_supported, n_contradicted": "numbers of boundaries",
    "groups": "systems between supported boundaries",
    "fewest": "the fewest removals that change first place or a boundary",
    "repeat": "tau of two campaigns of this size: tau, tau_low, tau_high",
    "agreement": "Krippendorff's alpha: outputs, judgments, alpha, reading",
    "second": "answers with one kind of sampling unit only, each at 5 % of its own",
    "limiting_domain": "the domain that decides the degrees of freedom, and the answer without it",
    "order_effect": "votes: the effect of being shown first, with its interval",
    "orders": "votes of judge models: comparisons in both orders, and how many of them changed",
    "annotators": "one row per annotator, where controls were judged",
    "judge_models, all_judge_models": "annotators that are models; whether all are",
    "next_pair": "the two best systems that are not separated",
    "plan": "what twice as many judgments would buy",
    "needed": "how many times as many judgments would separate the next pair",
    "questions": "answers to the questions that were asked: pairs, baseline, candidates, leaders, "
    "looks, earlier; each at 5 % of its own",
    "excluded, notes": "rows that were left out, and rows that were kept but are worth knowing",
    "example": "one judgment as it was read",
    "declared": "the words with which the table was read",
}


def collect_facts(
    judgments: Judgments,
    ranking: Ranking,
    questions: Questions | None = None,
    *,
    procedure: str | None = None,
    unit: str | None = None,
    title: str = "",
) -> dict[str, Any]:
    """Return everything that the page of a verdict says, as plain values; `KEYS` explains them.

    Parameters
    ----------
    judgments : Judgments
    ranking : Ranking
        Of these judgments, from `rank_systems` with the same procedure and unit.
    questions : Questions, optional
        What was asked.
    procedure, unit : str, optional
        As for `rank_systems`.
    title : str
        The name of the data on the page.

    Returns
    -------
    dict
        Values that JSON knows; a missing number is None.
    """
    data, by_domain = ranked_scores(judgments, procedure)
    arrays = None if isinstance(data, VoteArrays) else data
    inference: RankInference = ranking.inference
    humans = [name for name in ranking.systems if name in judgments.humans]
    machines = [name for name in ranking.systems if name not in humans]
    if not machines:
        machines, humans = ranking.systems, []
    facts: dict[str, Any] = {
        "version": version("rankstability"),
        "title": escape_invisible(title or _title(judgments)),
        **{name: getattr(judgments, name) for name in _SOURCE},
        "source": file_name(judgments.source),
        "vocabulary": vocabulary_of(judgments),
        "citation": _citation(judgments.campaign),
        "procedure": ranking.procedure,
        "procedure_title": ranking.title,
        "test": ranking.test,
        "rule": ranking.rule,
        "draws": ranking.procedure in PROCEDURES and ranking.procedure != PLAIN,
        "alpha": ranking.alpha,
        "score_name": ranking.score_name,
        "score_column": str(judgments.declared.get("score", "")),
        "lower_is_better": ranking.lower_is_better,
        "scale": judgments.scale,
        "decimals": decimals(ranking.table["score"]),
        "two_valued": arrays is not None and len(np.unique(arrays.score)) == 2,
        "counts": _counts(judgments, data, machines, humans),
        **_units(judgments, inference),
        **_best(ranking, machines, humans),
        **_rows(ranking, judgments),
        "fewest": find_fewest(judgments, ranking, procedure),
        "repeat": predict_repeat(ranking),
        "agreement": None if arrays is None else first_row(krippendorff_alpha(arrays)),
        "second": find_second_answers(judgments, ranking, data, by_domain, unit),
        "limiting_domain": describe_limiting_domain(arrays, by_domain, unit, ranking.alpha),
        "order_effect": None if inference.order_effect is None else vars(inference.order_effect),
        "orders": _orders(judgments),
        "annotators": _annotators(judgments),
        "judge_models": list(judgments.judge_models),
        "all_judge_models": _all_judge_models(judgments),
        **plan_more(ranking, data, by_domain, machines),
        "questions": answer_questions(
            judgments, ranking, questions or Questions(), procedure, unit
        ),
        "excluded": records(excluded_rows(judgments, ranking)),
        "notes": records(kept_rows(judgments)),
        "example": example_judgment(judgments),
        "declared": dict(judgments.declared),
    }
    plain: dict[str, Any] = plain_value(facts)
    return plain


_SOURCE = ("campaign", "pair", "task", "source", "kind", "protocol", "year")


# ------------------------------------------------------------------ what was ranked


def vocabulary_of(judgments: Judgments) -> str:
    """Return which nouns a page on these judgments uses: a key of `kinds` in ``words.yaml``."""
    if judgments.kind in ("votes", "leaderboard", "relative_ranking"):
        return judgments.kind
    if judgments.year or judgments.kind in ("mqm", "direct_assessment"):
        return "wmt"
    columns = " ".join([*map(str, judgments.declared.values()), judgments.source]).lower()
    heard = any(hint in columns for hint in tables()["listening"])
    return "listening" if heard else "ratings"


def _title(judgments: Judgments) -> str:
    name = judgments.campaign or file_name(judgments.source) or "Your judgments"
    if is_known(name):
        name = str(find_campaign(name).facts.get("title", name))
    parts = [name, judgments.pair, judgments.task]
    return ", ".join(dict.fromkeys(part for part in parts if part))


def _citation(campaign: str) -> str:
    known = bool(campaign) and is_known(campaign)
    return str(find_campaign(campaign).facts.get("citation", "")) if known else ""


def _counts(
    judgments: Judgments,
    data: Data,
    machines: Sequence[str],
    humans: Sequence[str],
) -> dict[str, int]:
    """Return the numbers of what is ranked; the annotators are those whose judgments count."""
    counts = {
        "systems": len(machines),
        "humans": len(humans),
        "controls": len(judgments.controls),
        "control_judgments": 0,
        "judgments": judgments.n_judgments,
        "annotators": judgments.n_annotators,
        "documents": judgments.n_documents,
        "segments": judgments.n_segments,
        "comparisons": 0,
    }
    if isinstance(data, VoteArrays):
        counts["comparisons"] = int((data.outcome != 0.5).sum())
        counts["ties"] = int((data.outcome == 0.5).sum())
        return counts
    counts["control_judgments"] = int(judgments.table["system"].isin(judgments.controls).sum())
    counts["judgments"] = data.n_judgments
    counts["segments"] = len(np.unique(data.segment))
    for name, kind in (("annotators", "annotator"), ("documents", "document")):
        if kind in data.units:
            counts[name] = len(np.unique(data.units[kind][data.units[kind] >= 0]))
    return counts


def _units(judgments: Judgments, inference: RankInference) -> dict[str, Any]:
    """Return the sampling units, and what is known of them."""
    known = {"annotator": judgments.n_annotators, "document": judgments.n_documents}
    if judgments.kind in COMPARISON_KINDS:
        known = {"annotator": judgments.n_annotators}
    fixed = {
        kind: number
        for kind, number in known.items()
        if number > 1 and inference.units and kind not in inference.units
    }
    df = inference.df_systems[inference.assessable]
    details = inference.extra.get("details", {})
    assert isinstance(details, Mapping)
    return {
        "unit": inference.unit,
        "units": dict(inference.units),
        "effective": {kind: float(np.nanmedian(e)) for kind, e in inference.effective.items()},
        "fixed_units": fixed,
        "df": float(df.min()) if len(df) else None,
        "no_inference": inference.no_inference,
        "cautions": [_note(code, details.get(code, {})) for code in dict.fromkeys(inference.notes)],
    }


def _note(code: str, slots: Mapping[str, object]) -> dict[str, object]:
    """Return a note with one name for each slot of its sentence."""
    systems = slots.get("systems", slots.get("pairs", ""))
    return {
        "code": code,
        "unit": slots.get("unit", ""),
        "number": slots.get("number"),
        "least": slots.get("least"),
        "count": systems if isinstance(systems, int) else None,
        "names": "" if isinstance(systems, int) else systems,
    }


# ------------------------------------------------------------------ the ranking


def first_among(ranking: Ranking, systems: Sequence[str]) -> list[str]:
    """Return the assessable systems that no other of `systems` is significantly better than."""
    inference: RankInference = ranking.inference
    place = {name: k for k, name in enumerate(inference.systems)}
    at = [place[name] for name in systems]
    beaten = np.asarray(inference.better[np.ix_(at, at)].any(axis=0))
    known: np.ndarray = inference.assessable[at]
    if inference.no_inference:
        return []
    return [name for name, lost, ok in zip(systems, beaten, known, strict=True) if ok and not lost]


def _best(ranking: Ranking, machines: Sequence[str], humans: Sequence[str]) -> dict[str, Any]:
    """Return which systems could be the best, human translations aside and with them."""
    table = ranking.table
    first = first_among(ranking, machines)
    with_humans = table.loc[table["could_be_first"], "system"].tolist()
    known = table.loc[table["assessable"] & table["system"].isin(machines), "system"].tolist()
    if ranking.inference.no_inference:
        case = "no_inference"
    elif not known:
        case = "none_assessable"
    elif len(first) == 1 and len(known) == len(machines):
        case = "alone"
    else:
        case = "all" if len(first) == len(known) == len(machines) else "some"
    could = [name for name in with_humans if name in humans]
    humans_case = "only" if could == with_humans else "could" if could else "cannot"
    return {
        "best_case": case,
        "leader": machines[0],
        "could_be_first": first,
        "humans": list(humans),
        "humans_case": humans_case if humans and known else "",
        "humans_could_be_first": could,
        "could_be_first_with_humans": with_humans,
    }


def _rows(ranking: Ranking, judgments: Judgments) -> dict[str, Any]:
    """Return the ranking, its pairs and its boundaries as rows."""
    styles = {"drawn and supported": "solid", "drawn": "dashed", "supported": "double"}
    kinds = {rank: styles[kind] for rank, kind in boundary_kinds(ranking).items()}
    if ranking.inference.no_inference:
        kinds = dict.fromkeys(kinds, "dashed")
    table = ranking.table.assign(boundary=[kinds.get(int(k), "") for k in ranking.table["rank"]])
    pairs, boundaries = ranking.pairs, ranking.boundaries
    ends = table[["score", "score_adjusted", "score_low", "score_high"]].to_numpy(float)
    ends = ends[np.isfinite(ends)]
    supported = boundaries["supported"]
    edges = [0, *boundaries.loc[supported, "rank"], len(table)]
    names = ranking.systems
    better = pairs[pairs["result"] == "better"]
    worse = np.where(better["better"] == better["system_a"], better["system_b"], better["system_a"])
    beaten = pd.Series(worse, index=better["better"].to_numpy(), dtype=object)
    inference: RankInference = ranking.inference
    unknown = []
    for name in table.loc[~table["assessable"], "system"]:
        at = inference.systems.index(name)
        few = str(inference.reasons.get(name, ""))
        kind = few.removeprefix("few_").rstrip("s")
        row = {"system": name, "reason": few, "unit": kind if kind in inference.effective else ""}
        for key, values in (("units", inference.n_units), ("effective", inference.effective)):
            row[key] = float(values[kind][at]) if kind in values else None
        unknown.append(row)
    return {
        "ranking": records(table),
        "adjusted_differs": bool((table["score"] - table["score_adjusted"]).abs().max() > 1e-9),
        "score_range": [float(ends.min()), float(ends.max())] if len(ends) else [0.0, 1.0],
        "controls": _controls(judgments),
        "not_assessable": [] if inference.no_inference else unknown,
        "pairs": records(pairs),
        "n_pairs": len(pairs),
        "n_better": len(better),
        "n_not_assessable": int((pairs["result"] == "not_assessable").sum()),
        "better_than": {
            name: sorted(map(str, beaten.loc[[name]]), key=names.index)
            for name in names
            if name in beaten.index
        },
        "boundaries": records(boundaries),
        "n_drawn": int(boundaries["drawn"].sum()),
        "n_drawn_supported": int((boundaries["drawn"] & supported).sum()),
        "n_supported": int(supported.sum()),
        "n_contradicted": int((boundaries["state"] == "contradicted").sum()),
        "groups": [names[a:b] for a, b in itertools.pairwise(edges)],
    }


def _controls(judgments: Judgments) -> list[dict[str, Any]]:
    """Return the mean score of each control, which is shown and not ranked."""
    table = judgments.table
    if not judgments.controls or "score" not in table:
        return []
    rows = table[table["system"].isin(judgments.controls)]
    size = rows["system"].astype(str).value_counts()
    means = pd.DataFrame({"mean": item_means(rows), "size": size})
    means = means.sort_values("mean", ascending=judgments.lower_is_better)
    return [
        {"system": str(name), "score": float(mean), "judgments": int(size)}
        for name, mean, size in means.itertuples()
    ]


# ------------------------------------------------------------------ annotators


def _annotators(judgments: Judgments) -> list[dict[str, Any]]:
    """Return the table of annotators where controls or damaged outputs were judged."""
    if judgments.kind in COMPARISON_KINDS or "annotator" not in judgments.table:
        return []
    if not judgments.controls or judgments.n_annotators > MAX_ANNOTATORS:
        return []
    return records(value_or_none(describe_annotators, judgments))


def _orders(judgments: Judgments) -> dict[str, int] | None:
    """Return how many comparisons of judge models were made in both orders, and how many changed."""
    if judgments.kind != "votes" or not judgments.order_known:
        return None
    if not _all_judge_models(judgments) or "question" not in judgments.table:
        return None
    found = summarise_orders(judgments)
    if not found["both_orders"]:
        return None
    return {name: int(found[name]) for name in ("both_orders", "changed")}


def _all_judge_models(judgments: Judgments) -> bool:
    """Return whether every annotator is a judge model."""
    if not judgments.judge_models or "annotator" not in judgments.table:
        return False
    return set(judgments.table["annotator"].dropna().astype(str)) <= set(judgments.judge_models)
