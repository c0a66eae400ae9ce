"""Words that might declare a table, for a command that is tried before it is printed.

Nothing here is ever used unasked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from ..errors import DataError
from .columns import list_columns, nested_value, spelled

HEAD = 5000  # rows that are looked at
MAX_SYSTEMS = 200
MIN_OVERLAP = 0.5  # of the systems on the two sides of a comparison
NAMES = {  # further names of roles that people give to columns
    "system": ("model", "engine", "codec", "method", "condition", "stimulus", "rating_stimulus", "candidate", "mt", "submission", "tool", "name"),
    "segment": ("item", "id", "item_id", "doc_id", "seg_id", "sentence", "utterance", "trial", "trial_id", "sample", "uid", "prompt", "question", "question_id", "story id", "mr_id", "idx"),
    "score": ("rating", "stars", "value", "mos", "mark", "grade", "points", "correct", "accuracy", "rating_score", "quality", "adequacy", "likert", "wer", "cer", "ter", "rank"),
    "annotator": ("worker", "user", "rater", "judge", "listener", "participant", "subject", "session", "worker_id", "user_id", "session_uuid", "response id"),
    "left": ("model_1", "system_a", "system1", "a", "first", "generator_1", "option_a", "model1"),
    "right": ("model_2", "system_b", "system2", "b", "second", "generator_2", "option_b", "model2"),
    "winner": ("choice", "preference", "vote", "preferred", "label", "result", "outcome", "verdict"),
}  # fmt: skip
QUESTIONS = ("question", "question_id", "prompt", "prompt_id", "instruction", "item", "item_id", "id", "uid", "source", "segment", "conversation_id")  # fmt: skip
SIDE_WORDS = {
    "left": ("a", "1", "first", "left", "one", "x"),
    "right": ("b", "2", "second", "right", "two", "y"),
    "tie": ("c", "0", "tie", "ties", "tied", "draw", "equal", "same", "both", "neither", "t"),
}  # fmt: skip
FROM_LEFT = ("left", "tie", "right")
DENIALS = frozenset(
    ("not", "no", "never", "isn", "neither", "nor", "worse", "worst", "lose", "loses", "lost", "loser",
     "loss", "bad", "inferior", "reject", "rejected", "than", "over", "vs", "beats", "except")
)  # fmt: skip
NO_SYSTEMS = frozenset(
    ("topic", "domain", "genre", "category", "language", "lang", "langpair", "languagepair", "lp", "src",
     "tgt", "trg", "source", "target", "srclang", "tgtlang", "sourcelang", "targetlang",
     "sourcelanguage", "targetlanguage", "locale", "country", "gender", "split", "type", "group",
     "worker", "rater", "judge", "user", "annotator", "listener", "participant", "subject", "session",
     "document", "doc", "docid", "label", "status", "batch", "date", "day", "criterion", "aspect",
     "dimension", "question")
)  # fmt: skip
NO_SCORES = re.compile(
    r"(?i)^(age|len|length|tokens?|words?|chars?|characters|year|duration|count|n|size|position|order|seed"
    r"|fluency|adequacy|relevance|coherence|consistency|accuracy|style|grammar|faithfulness)$"
)  # columns that are no scores of a system
SCALES = (
    ("very bad", "bad", "neither good nor bad", "good", "very good"),
    ("very poor", "poor", "fair", "good", "very good"),
    ("bad", "poor", "fair", "good", "excellent"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
)
OF_ERRORS = (
    "a score for each output; or errors of MQM in a file with the columns system, doc, docSegId, "
    "globalSegId, rater, category, severity"
)
WITHOUT_NAMES = "a row of names; if the file has none, --header none"
TWO_ROWS = "a name for each column; --header 3 if row 3 names them, --header 1 2 if two rows do"
PARTS = ("criterion", "pair", "domain")  # of which a leaderboard can have one total each
COUNTERS = re.compile(
    r"(?i)(^|[_ ])(id|idx|index|row|no|nr|trial|annotator|created_at|updated_at|lead_time|time|date)($|[_ ])"
)


def word_scale(words: Sequence[str]) -> dict[str, str]:
    """Return the numbers of a usual scale of words; empty if the words are of no such scale."""
    for scale in SCALES:
        number = {word: str(place) for place, word in enumerate(scale, start=1)}
        lowered = {word: word.strip().lower() for word in words}
        if len(words) > 1 and set(lowered.values()) <= set(number):
            ordered = sorted(words, key=lambda word: int(number[lowered[word]]))
            return {word: number[lowered[word]] for word in ordered}
    return {}


def propose_codes(
    values: Sequence[str], known: Mapping[str, str], systems: Iterable[str]
) -> list[dict[str, Any]]:
    """Return the codes that values of ``winner`` could have: by their words, or as numbers.

    Nothing is proposed for values that name a system, deny something, or compare the two sides.
    """
    names = {name.strip().lower() for name in systems}
    if any(value.strip().lower() in names for value in values):
        return []
    try:
        levels = sorted({float(value) for value in values})
    except ValueError:
        sides = {value: _side(value) for value in sorted(values)}
        complete = {"left", "right"} <= {*sides.values(), *known.values()}
        return [{"codes": sides}] if all(sides.values()) and complete else []
    return [{"codes": codes} for codes in _codes_of_numbers(values, levels)]


def _side(value: str) -> str:
    """Return the side that a value of ``winner`` names by its last word; empty if in doubt."""
    tokens = re.findall(r"\d+|[^\W\d_]+", value.lower())
    named = {side for side, words in SIDE_WORDS.items() if set(tokens) & set(words)}
    denied = DENIALS & set(tokens) or re.search(r"[<>=!≠~]", value)
    if denied or not tokens or len(named) != 1:
        return ""
    side = named.pop()
    return side if tokens[-1] in SIDE_WORDS[side] else ""


def _codes_of_numbers(values: Sequence[str], levels: Sequence[float]) -> list[dict[str, str]]:
    """Return what numbers could mean: each side first, and for three levels each tie."""
    text = [f"{level:g}" for level in levels]
    if len(levels) < 2 or len(set(text)) < len(values):
        return []
    if len(levels) == 2:
        orders = [("left", "right"), ("right", "left")]
        return [dict(zip(text, order, strict=True)) for order in orders]
    if len(levels) == 3:
        ties = {0: ("tie", "left", "right"), 2: ("left", "right", "tie")}
        orders_of_three = [("left", "tie", "right"), ("right", "tie", "left")]
        orders_of_three += [ties[0], ties[2]] if levels[0] >= 0 else []
        return [dict(zip(text, order, strict=True)) for order in orders_of_three]
    if len(levels) <= 11 and all(level.is_integer() for level in levels):
        half = len(levels) // 2
        low, high = f"{text[0]}..{text[half - 1]}", f"{text[-half]}..{text[-1]}"
        middle = {text[half]: "tie"} if len(levels) % 2 else {}
        return [{low: "left", **middle, high: "right"}, {low: "right", **middle, high: "left"}]
    quarter = (levels[-1] - levels[0]) / 4
    cuts = [f"{levels[0] + k * quarter:.6g}" for k in (0, 1, 3, 4)]
    ranges = [f"{low}..{high}" for low, high in pairwise(cuts)]
    return [dict(zip(ranges, order, strict=True)) for order in (FROM_LEFT, FROM_LEFT[::-1])]


def question_columns(frame: pd.DataFrame) -> list[str]:
    """Return columns that could name the question of each comparison, the likeliest first."""
    by_name = {spelled(str(name)): str(name) for name in frame.columns}
    named = [by_name[spelled(name)] for name in QUESTIONS if spelled(name) in by_name]
    return [name for name in named if not nested_value(frame[name]) and frame[name].nunique() > 1]


def propose_roles(
    frame: pd.DataFrame, roles: Mapping[str, str], missing: Sequence[str], votes: bool
) -> list[dict[str, Any]]:
    """Return words for the missing roles of a table, the likeliest first."""
    head = frame.head(HEAD)
    free = [str(name) for name in head.columns if name not in set(roles.values())]
    free = [name for name in free if not nested_value(head[name])]
    if votes:
        return list(_comparisons(head, free, roles, missing))
    found = []
    if not {"system", "score"} & set(roles):
        found += list(_comparisons(head, free, roles, ("left", "right", "winner")))
    named = {role: column for role in missing if (column := _by_name(free, role))}
    found += _scores(head, free, named, missing)
    if "system" in missing and "score" in missing:
        found += _blocks(head, free, named)
    return found


def _by_name(free: Sequence[str], role: str) -> str:
    by_name = {spelled(name): name for name in free}
    return next((by_name[spelled(n)] for n in NAMES.get(role, ()) if spelled(n) in by_name), "")


def _is_numeric(cells: pd.Series) -> bool:
    return bool(pd.to_numeric(cells, errors="coerce").notna().mean() > 0.5)


def has_numbers(frame: pd.DataFrame) -> bool:
    """Return whether some column, names and times aside, could hold ratings."""
    for name in map(str, frame.columns):
        cells = frame[name].head(200)
        if COUNTERS.search(name):
            continue
        if nested_value(cells) or _is_numeric(cells) or cells.nunique() > 1:
            return True
    return False


def other_form(frame: pd.DataFrame) -> tuple[str | None, list[dict[str, Any]]]:
    """Return what another form of the file would be, if the columns suggest one, and its words."""
    names = [str(name) for name in frame.columns]
    if {"category", "severity"} <= {spelled(name) for name in names}:
        return OF_ERRORS, []
    head = frame.head(HEAD)
    numbers = [name for name in names if re.fullmatch(r"-?\d+([.,]\d+)?", name)]
    texts = [name for name in names if name not in numbers]
    if numbers and any(head[name].map(str).eq(name).any() for name in texts):
        return WITHOUT_NAMES, [{"header": "none"}]
    unnamed = [name for name in names if re.fullmatch(r"column \d+", name)]
    if unnamed and all(head[name].iloc[0] != "" for name in unnamed):
        return TWO_ROWS, [{"header": [1, 2]}]
    return None, []


def _comparisons(
    head: pd.DataFrame, free: Sequence[str], roles: Mapping[str, str], missing: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield words for comparisons: winner and loser, or two columns with the same systems."""
    by_name = {spelled(name): name for name in free}
    if {"winner", "loser"} <= set(by_name) and "left" in missing:
        words = {"winner": by_name["winner"], "loser": by_name["loser"]}
        flags = [by_name[flag] for flag in ("istie", "tie", "draw", "isdraw") if flag in by_name]
        yield words | ({"tie": flags[0]} if flags else {})
        return
    found = dict(roles)
    if "left" in missing and "right" in missing:
        sides = _two_sides(head, free)
        if sides is None:
            return
        found |= {"left": sides[0], "right": sides[1]}
    elif "left" in missing or "right" in missing:
        return
    rest = [name for name in free if name not in found.values()]
    if "winner" in missing:
        winner = by_name.get("winner") or _by_name(rest, "winner")
        if not winner:
            return
        found["winner"] = winner
    yield {role: name for role, name in found.items() if role in missing}


def _two_sides(head: pd.DataFrame, free: Sequence[str]) -> tuple[str, str] | None:
    """Return the only two columns of text with much the same few values."""
    values = {}
    for name in free:
        names = set(head[name].unique()) - {""}
        few = 1 < len(names) <= min(MAX_SYSTEMS, len(head) / 2)
        if few and not _is_numeric(head[name]) and spelled(name) not in NO_SYSTEMS:
            values[name] = names
    pairs = [
        (first, second)
        for k, first in enumerate(values)
        for second in list(values)[k + 1 :]
        if len(values[first] & values[second]) > MIN_OVERLAP * len(values[first] | values[second])
    ]
    return pairs[0] if len(pairs) == 1 else None


def _scores(
    head: pd.DataFrame, free: Sequence[str], named: Mapping[str, str], missing: Sequence[str]
) -> list[dict[str, Any]]:
    """Return words for scores in one column, or in one column for each system or criterion."""
    found = dict(named)
    rest = [name for name in free if name not in found.values()]
    numeric = [name for name in rest if _is_numeric(head[name]) and not COUNTERS.search(name)]
    texts = [name for name in rest if not _is_numeric(head[name])]
    few = [name for name in texts if 1 < head[name].nunique() <= min(MAX_SYSTEMS, len(head) / 2)]
    if "score" in missing and "score" not in found and len(numeric) == 1:
        found["score"] = numeric[0]
    if "system" in missing and "system" not in found and len(few) == 1:
        found["system"] = few[0]
    if "segment" in missing and "segment" not in found:
        items = [name for name in texts if name not in found.values() and head[name].nunique() > 2]
        if len(items) == 1:
            found["segment"] = items[0]
    unknown = {role for role in ("system", "segment") if role in missing and role not in found}
    if len(unknown) == 2 and len(texts) == 2 and "score" in found:
        found["system"], found["segment"] = sorted(texts, key=lambda name: head[name].nunique())
    if "system" in found and "system" not in named and not _could_be_system(head, found):
        return []
    if set(missing) <= set(found):
        return [found]
    names: dict[str, Any] = {r: found[r] for r in ("system", "segment") if r in found}
    alike = len(numeric) > 1 and len({_range(head[name]) for name in numeric}) == 1
    if "score" in found or not alike or ("segment" in missing and "segment" not in names):
        return []
    if "system" in missing and "system" not in names:
        no_scores = any(NO_SCORES.search(name) for name in numeric)
        return [] if no_scores else [{**names, "wide": numeric}]
    return [{**names, "criteria": numeric, "each": "criterion"}]


def _could_be_system(head: pd.DataFrame, found: Mapping[str, str]) -> bool:
    """Return whether the column of systems shares most segments among several of its values.

    Topics and languages do not share segments.
    """
    if spelled(found["system"]) in NO_SYSTEMS:
        return False
    if "segment" not in found:
        return True
    several = head.groupby(found["segment"])[found["system"]].nunique() > 1
    return bool(several.mean() > MIN_OVERLAP)


def _range(cells: pd.Series) -> tuple[float, float]:
    numbers = pd.to_numeric(cells, errors="coerce")
    return float(numbers.min()), float(numbers.max())


def _blocks(
    head: pd.DataFrame, free: Sequence[str], named: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return patterns for numbered columns, such as ``sys1 quality1 sys2 quality2``."""
    groups: dict[str, list[str]] = {}
    for name in free:
        if re.search(r"\d", name):
            groups.setdefault(re.sub(r"\d+", "{n}", name, count=1), []).append(name)
    blocks = {pattern: names for pattern, names in groups.items() if len(names) > 1}
    numeric = [pattern for pattern, names in blocks.items() if _is_numeric(head[names[0]])]
    texts = [
        pattern
        for pattern, names in blocks.items()
        if pattern not in numeric and head[names[0]].nunique() <= MAX_SYSTEMS
    ]
    if len(numeric) != 1 or len(texts) != 1:
        return []
    segment = {"segment": named["segment"]} if "segment" in named else {}
    return [{"system": texts[0], "score": numeric[0], **segment}]


def missing_roles(
    frame: pd.DataFrame,
    roles: Mapping[str, str],
    missing: Sequence[str],
    votes: bool,
) -> DataError:
    """Return the error for roles that are neither declared nor found, with proposed words."""
    names = ", ".join(missing)
    columns = list_columns(frame)
    nothing = not votes and "score" in missing and not has_numbers(frame)
    if nothing or not {spelled(str(name)) for name in frame.columns} - {"id"}:
        return DataError("no_ratings", missing=names, columns=columns)
    form, proposed = other_form(frame)
    if not votes and not proposed and _are_totals(frame, roles, missing):
        return DataError("only_totals", missing=names, columns=columns)
    proposed += propose_roles(frame, roles, missing, votes)
    return DataError(
        "missing_role", expected=form, propose=proposed, missing=names, columns=columns
    )


def _are_totals(frame: pd.DataFrame, roles: Mapping[str, str], missing: Sequence[str]) -> bool:
    """Return whether each system has one row (in each part), and nothing names what was judged."""
    columns = [str(name) for name in frame.columns]
    exact = [name for name in columns if spelled(name) == "system"]
    named = [name for name in columns if spelled(name) != "name"]  # who or what it names is open
    system = roles.get("system") or next(iter(exact), _by_name(named, "system"))
    if "segment" not in missing or system not in frame:
        return False
    keys = [system, *(name for name in columns if spelled(name) in PARTS)]
    return not frame[keys].map(str).duplicated().any()
