"""The numbers, names and rows of a verdict; no sentences. They are written as ``verdict.json``."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, escape_invisible
from ..formatting import boundary_kinds, decimals
from ..inference.questions import (
    Leaders,
    answer_baseline,
    answer_candidates,
    answer_pair,
    find_leaders,
    limiting_domain,
)
from ..inference.rank import rank_systems
from ..inference.ratings import second_answer
from ..inference.result import RankInference
from ..inference.tasks import compare_rankings
from ..inference.votes import second_answers
from ..io.catalogue import find_campaign, is_known
from ..io.formats.files import counted
from ..io.report import summarise_orders
from ..judgments import COMPARISON_KINDS, COUNTED_TYPES, Judgments
from ..ranking.procedures import PLAIN, PROCEDURES, scores_for
from ..ranking.result import Ranking
from ..scores.arrays import ScoreArrays, VoteArrays
from ..scores.pairwise import vote_arrays
from ..stability.annotators import describe_annotators, krippendorff_alpha
from ..stability.fewest import fewest_removals
from ..stability.inferred import choose_procedure
from ..stability.plan import compare_plans, judgments_needed
from ..stability.precision import Precision, known_precision
from ..stability.repeat import expect_repeat
from .words import tables

SEED = 20240101
MAX_SYSTEMS = 100  # above, neither plans nor removals are computed
MAX_ROWS = 200_000  # judgments; of more, no variance components are estimated
MAX_WORK = 8_000_000  # judgments times units; above, removals that erase boundaries are not sought
MAX_ANNOTATORS = 200  # rows of the table of annotators
Data = ScoreArrays | VoteArrays

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


@dataclass(frozen=True)
class Questions:
    """What was asked before the scores were seen; see `verdict`."""

    pairs: tuple[tuple[str, str], ...] = ()
    baseline: str | None = None
    candidates: bool = False
    leaders: str | None = None
    look: int = 1
    looks: int | None = None
    earlier: Judgments | None = None


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
    arrays, votes, by_domain = None, None, False
    if judgments.kind in COMPARISON_KINDS:
        votes = vote_arrays(judgments)
    else:
        chosen = choose_procedure(judgments, procedure)
        arrays, by_domain = scores_for(judgments, chosen), chosen.by_domain
    data = votes if arrays is None else arrays
    assert data is not None
    inference: RankInference = ranking.inference
    humans = [name for name in ranking.systems if name in judgments.humans]
    machines = [name for name in ranking.systems if name not in humans]
    if not machines:
        machines, humans = ranking.systems, []
    facts: dict[str, Any] = {
        "version": version("rankstability"),
        "title": escape_invisible(title or _title(judgments)),
        **{name: getattr(judgments, name) for name in _SOURCE},
        "source": _file_name(judgments.source),
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
        "fewest": _fewest(judgments, ranking, procedure),
        "repeat": _repeat(ranking),
        "agreement": None if arrays is None else _first(krippendorff_alpha(arrays)),
        "second": _second(judgments, ranking, data, by_domain, unit),
        "limiting_domain": _limiting(arrays, by_domain, unit, ranking.alpha),
        "order_effect": None if inference.order_effect is None else vars(inference.order_effect),
        "orders": _orders(judgments),
        "annotators": _annotators(judgments),
        "judge_models": list(judgments.judge_models),
        "all_judge_models": _all_judge_models(judgments),
        **_plans(ranking, data, by_domain, machines),
        "questions": _questions(judgments, ranking, questions or Questions(), procedure, unit),
        "excluded": _records(_excluded(judgments, ranking)),
        "notes": _records(_kept(judgments)),
        "example": _example(judgments),
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


def _file_name(source: str) -> str:
    """Return the last part of a path: a page does not name the folders of one computer."""
    return re.split(r"[\\/]", source)[-1]


def _title(judgments: Judgments) -> str:
    name = judgments.campaign or _file_name(judgments.source) or "Your judgments"
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
        "ranking": _records(table),
        "adjusted_differs": bool((table["score"] - table["score_adjusted"]).abs().max() > 1e-9),
        "score_range": [float(ends.min()), float(ends.max())] if len(ends) else [0.0, 1.0],
        "controls": _controls(judgments),
        "not_assessable": [] if inference.no_inference else unknown,
        "pairs": _records(pairs),
        "n_pairs": len(pairs),
        "n_better": len(better),
        "n_not_assessable": int((pairs["result"] == "not_assessable").sum()),
        "better_than": {
            name: sorted(map(str, beaten.loc[[name]]), key=names.index)
            for name in names
            if name in beaten.index
        },
        "boundaries": _records(boundaries),
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
    means = rows.astype({"system": str}).groupby("system")["score"].agg(["mean", "size"])
    means = means.sort_values("mean", ascending=judgments.lower_is_better)
    return [
        {"system": str(name), "score": float(mean), "judgments": int(size)}
        for name, mean, size in means.itertuples()
    ]


# ------------------------------------------------------------------ how fragile


def _fewest(judgments: Judgments, ranking: Ranking, procedure: str | None) -> list[dict[str, Any]]:
    """Return the fewest removals that change first place or a boundary."""
    if len(ranking.systems) > MAX_SYSTEMS:
        return []
    name = None if judgments.kind in COMPARISON_KINDS else procedure
    work = judgments.n_judgments * (judgments.n_annotators + judgments.n_documents)
    few = work <= MAX_WORK
    return _records(_try(fewest_removals, judgments, name, ranking.alpha, few))


def _repeat(ranking: Ranking) -> dict[str, float] | None:
    """Return Kendall's tau of two campaigns of this size."""
    inference: RankInference = ranking.inference
    if not ranking.unit or int(inference.assessable.sum()) < 3:
        return None
    found: dict[str, float] | None = _try(expect_repeat, inference, 0, np.random.default_rng(SEED))
    return found


def _second(
    judgments: Judgments,
    ranking: Ranking,
    data: Data,
    by_domain: bool,
    unit: str | None,
) -> list[dict[str, Any]]:
    """Return answers with one kind of sampling unit only.

    For ratings, where annotators are too few for some systems; for votes always.
    """
    inference: RankInference = ranking.inference
    found: dict[str, RankInference | None] = {}
    if unit is not None or not inference.units:
        return []
    if isinstance(data, VoteArrays):
        found = dict(second_answers(data, ranking.alpha))
    elif "few_annotators" in inference.reasons.values():
        found["document"] = second_answer(data, "document", by_domain, ranking.alpha)
    rows = []
    for kind, each in found.items():
        if each is None or not each.assessable.any():
            continue
        fixed = next(name for name in inference.units if name != kind)
        rest = without(each, judgments.humans)
        could = np.flatnonzero(rest.assessable & ~rest.better.any(axis=0))
        rows.append(
            {
                "unit": kind,
                "fixed": fixed,
                "number": inference.units[fixed],
                "better": int(each.better.sum()),
                "boundaries": int(each.supported.sum()),
                "could_be_first": [rest.systems[k] for k in could],
            }
        )
    return rows


def _limiting(
    arrays: ScoreArrays | None, by_domain: bool, unit: str | None, alpha: float
) -> dict[str, Any] | None:
    """Return the domain that decides the degrees of freedom, and the answer without it."""
    if arrays is None or not by_domain:
        return None
    found = _try(limiting_domain, arrays, unit, alpha)
    if found is None:
        return None
    rest: RankInference = found.inference
    return {
        "domain": found.domain,
        "domains": list(found.domains),
        "units": dict(found.units),
        "df": found.df,
        "df_without": found.df_without,
        "better": int(rest.better.sum()),
        "boundaries": int(rest.supported.sum()),
        "could_be_first": [n for n, c in zip(rest.systems, rest.could_be_first, strict=True) if c],
    }


def _annotators(judgments: Judgments) -> list[dict[str, Any]]:
    """Return the table of annotators where controls or damaged outputs were judged."""
    if judgments.kind in COMPARISON_KINDS or "annotator" not in judgments.table:
        return []
    if not judgments.controls or judgments.n_annotators > MAX_ANNOTATORS:
        return []
    return _records(_try(describe_annotators, judgments))


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


# ------------------------------------------------------------------ what more would buy


def _plans(
    ranking: Ranking, data: Data, by_domain: bool, machines: Sequence[str]
) -> dict[str, Any]:
    """Return what twice the judgments would buy, and how many would separate the next pair."""
    nothing: dict[str, Any] = {"next_pair": [], "plan": [], "needed": None}
    inference: RankInference = ranking.inference
    known = ranking.table.loc[ranking.table["assessable"], "system"]
    order = [name for name in inference.systems if name in set(known) & set(machines)]
    pair = _next_pair(inference, order)
    many = isinstance(data, ScoreArrays) and data.n_judgments > MAX_ROWS
    if not inference.units or not pair or many or len(ranking.systems) > MAX_SYSTEMS:
        return nothing
    precision: Precision | None = _try(known_precision, inference, data, by_domain)
    if precision is None or not set(pair) <= set(precision.systems):
        return nothing
    rng = np.random.default_rng(SEED)
    plans = _try(compare_plans, precision, pair, rng, ranking.alpha)
    needed = _try(judgments_needed, precision, pair, rng, ranking.alpha, 100)
    row = None if needed is None else _first(needed)
    return {"next_pair": list(pair), "plan": _records(plans), "needed": row}


def _next_pair(inference: RankInference, order: Sequence[str]) -> tuple[str, str] | None:
    """Return the two best neighbours that are not separated; the first two if all are."""
    place = {name: k for k, name in enumerate(inference.systems)}
    neighbours = list(itertools.pairwise(order))
    for a, b in neighbours:
        if not inference.better[place[a], place[b]]:
            return a, b
    return neighbours[0] if neighbours else None


# ------------------------------------------------------------------ questions asked


def _questions(
    judgments: Judgments,
    ranking: Ranking,
    asked: Questions,
    procedure: str | None,
    unit: str | None,
) -> dict[str, Any]:
    """Return the answers to what was asked, each with an error rate of its own."""
    inference: RankInference = ranking.inference
    alpha = ranking.alpha
    sign = -1 if ranking.lower_is_better else 1
    found: dict[str, Any] = {}
    if asked.pairs:
        found["pairs"] = [vars(answer_pair(inference, a, b, alpha, sign)) for a, b in asked.pairs]
    if asked.baseline is not None:
        table = answer_baseline(inference, asked.baseline, alpha, sign).table
        found["baseline"] = {"baseline": asked.baseline, "rows": _records(table)}
    if asked.candidates:
        if not inference.units:
            raise DataError("no_inference", column="candidates")
        found["candidates"] = _candidates(judgments, inference, alpha, sign)
    if asked.leaders is not None:
        leaders: Leaders = find_leaders(
            judgments, asked.leaders, unit=unit, procedure=procedure, alpha=alpha
        )
        found["leaders"] = {"by": asked.leaders, "rows": _records(leaders.table)}
    if asked.looks:
        found["looks"] = {"look": asked.look, "looks": asked.looks, "alpha": alpha}
    if asked.earlier is not None:
        found["earlier"] = _changes(asked.earlier, judgments, procedure, unit, alpha)
    return found


def _candidates(
    judgments: Judgments, inference: RankInference, alpha: float, sign: int
) -> dict[str, Any]:
    """Return which systems could be chosen; human translations cannot."""
    answer = answer_candidates(without(inference, judgments.humans), alpha, sign)
    return {"systems": answer.systems, "rows": _records(answer.table)}


def without(inference: RankInference, names: Sequence[str]) -> RankInference:
    """Return an inference among the other systems, from the same tests."""
    keep = np.array([name not in names for name in inference.systems])
    if keep.all() or not keep.any():
        return inference
    better = inference.better[np.ix_(keep, keep)]
    n = int(keep.sum())
    kept: dict[str, Any] = {field: getattr(inference, field)[keep] for field in _BY_SYSTEM} | {
        field: getattr(inference, field)[np.ix_(keep, keep)] for field in _BY_PAIR
    }
    return replace(
        inference,
        systems=tuple(name for name, here in zip(inference.systems, keep, strict=True) if here),
        rank_low=1 + better.sum(axis=0),
        rank_high=n - better.sum(axis=1),
        **kept,
    )


_BY_SYSTEM = ("codes", "assessable", "mean", "score_low", "score_high", "df_systems")
_BY_PAIR = ("difference", "variance", "df", "p", "pair_reasons", "better", "covariance")


def _changes(
    earlier: Judgments,
    judgments: Judgments,
    procedure: str | None,
    unit: str | None,
    alpha: float,
) -> dict[str, Any]:
    """Return what changed since an earlier ranking of the same systems."""
    change = compare_rankings(earlier, judgments, unit=unit, procedure=procedure, alpha=alpha)
    shown = change.changes
    if len(shown):
        shown = shown[shown["gained"] != ""]
    return {
        "differences": change.differences,
        "rows": _records(shown),
        "reversed": _records(change.reversed),
        "shared_units": change.shared_units,
        "left_out": list(change.left_out),
        "same_scale": change.inference is not None,
    }


# ------------------------------------------------------------------ how the file was read


def _excluded(judgments: Judgments, ranking: Ranking) -> pd.DataFrame:
    """Return the rows that were left out: when reading, and because they have no z-score."""
    dropped = judgments.notes[_has_no_z(judgments, ranking)]
    controls = 0
    if "item_type" in judgments.table:
        controls = int((~judgments.table["item_type"].isin(COUNTED_TYPES)).sum())
    not_ranked = counted([("", "reference_or_control", controls, "")])
    parts = [part for part in (judgments.excluded, dropped, not_ranked) if len(part)]
    if not parts:
        return judgments.excluded
    rows = pd.concat(parts, ignore_index=True)
    keys = [name for name in ("code", "detail") if name in rows]
    rows["detail"] = rows["detail"].where(rows["code"] != "constant_annotator", "")
    return rows.groupby(keys, sort=False, dropna=False, as_index=False)["rows"].sum()


def _has_no_z(judgments: Judgments, ranking: Ranking) -> pd.Series:
    """Return which notes are about judgments that this ranking leaves out."""
    notes = judgments.notes
    z = ranking.procedure in PROCEDURES and PROCEDURES[ranking.procedure].score == "z"
    if not len(notes) or not z:
        return pd.Series(False, index=notes.index)
    codes = ["constant_annotator", "annotator_without_rows"]
    return notes["code"].isin(codes) & (notes["detail"] != "zero")


def _kept(judgments: Judgments) -> pd.DataFrame:
    """Return the notes on rows that were kept."""
    notes = judgments.notes
    if not len(notes):
        return notes
    kept = notes[~notes["code"].isin(["constant_annotator", "annotator_without_rows"])]
    return kept.assign(file=[_file_name(str(file)) for file in kept["file"]])


def _example(judgments: Judgments) -> dict[str, str]:
    """Return the first judgment as it was read."""
    row = judgments.table.iloc[0]
    return {str(name): str(value) for name, value in row.items() if str(value) not in ("nan", "")}


# ------------------------------------------------------------------ several rankings


def leaders_of(
    rankings: Mapping[str, Ranking], humans: Mapping[str, Sequence[str]], alpha: float = 0.05
) -> dict[str, list[str]]:
    """Return the candidates for the best system of each ranking; all answers share `alpha`.

    Rankings in which fewer than two systems can be assessed have none, and do not count.
    """
    known = {
        name: each.inference
        for name, each in rankings.items()
        if int(each.inference.assessable.sum()) > 1 and not each.inference.no_inference
    }
    level = alpha / max(len(known), 1)
    found: dict[str, list[str]] = {name: [] for name in rankings}
    for name in known:
        remade = rank_again(rankings[name], level)
        found[name] = answer_candidates(without(remade.inference, humans[name]), level).systems
    return found


def rank_again(ranking: Ranking, alpha: float) -> Ranking:
    """Return the same ranking with its joint statements at another level."""
    judgments = ranking.judgments
    assert judgments is not None
    named = ranking.procedure in PROCEDURES
    unit = ranking.unit or None
    return rank_systems(
        judgments, procedure=ranking.procedure if named else None, unit=unit, alpha=alpha
    )


# ------------------------------------------------------------------ plain values


def _try(function: Any, *arguments: Any, **options: Any) -> Any:
    """Return the result of a function, or None where these judgments do not allow it."""
    try:
        return function(*arguments, **options)
    except DataError:
        return None


def _first(table: pd.DataFrame) -> dict[str, Any] | None:
    """Return the first row of a table as plain values."""
    rows = _records(table)
    return rows[0] if rows else None


def _records(table: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Return the rows of a table as plain values."""
    if table is None or not len(table):
        return []
    return [plain_value(row) for row in table.to_dict("records")]


def plain_value(value: Any) -> Any:
    """Return a value as JSON knows it: a number that is not finite as None, arrays as lists."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(each) for key, each in value.items()}
    if isinstance(value, pd.DataFrame):
        return _records(value)
    if isinstance(value, list | tuple | set | np.ndarray):
        return [plain_value(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)
