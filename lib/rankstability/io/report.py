"""What was read: counts, a judgment as it was read, the systems, comparisons in both orders."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..codes import EXCLUSIONS, NOTES
from ..errors import DataError, escape_invisible
from ..judgments import COMPARISON_KINDS, COUNTED_TYPES, Judgments
from .settings import settings_text

MAX_SYSTEMS = 18  # lines of systems
MAX_NAME = 50  # characters of a name in a line
RESULTS = ["wins", "ties", "losses"]


def count_read(judgments: Judgments) -> pd.DataFrame:
    """Count what was read and what was left out.

    Parameters
    ----------
    judgments : Judgments

    Returns
    -------
    DataFrame
        Columns what and number: judgments, systems, segments (of votes: questions), annotators,
        documents, and a row for each reason for which rows were left out.

    Examples
    --------
    >>> import rankstability as rs
    >>> from rankstability.io.report import count_read
    >>> table = count_read(rs.load("demo-srdc", "de-en")).set_index("what")
    >>> int(table.loc["systems", "number"])
    10
    """
    unit = "questions" if judgments.kind == "votes" else "segments"
    rows = [
        ("judgments", judgments.n_judgments),
        ("systems", judgments.n_systems),
        (unit, judgments.n_segments),
        ("annotators", judgments.n_annotators),
        ("documents", judgments.n_documents),
    ]
    if judgments.controls:
        rows.append(("controls, not ranked", len(judgments.controls)))
    if "item_type" in judgments.table:
        not_ranked = ~judgments.table["item_type"].isin(COUNTED_TYPES)
        if not_ranked.any():
            sentence = EXCLUSIONS["reference_or_control"]
            rows.append((f"left out: {sentence}", int(not_ranked.sum())))
    models = int(judgments.models_beside_people.sum())
    if models:
        rows.append((f"left out: {EXCLUSIONS['judge_model']}", models))
    left_out = judgments.excluded.groupby("code", sort=False)["rows"].sum()
    rows += [(f"left out: {EXCLUSIONS.get(code, code)}", n) for code, n in left_out.items()]
    return pd.DataFrame(rows, columns=["what", "number"])


def first_judgment(judgments: Judgments) -> pd.Series:
    """Return the first judgment as it was read: role to value, without missing values.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> from rankstability.io.report import first_judgment
    >>> frame = pd.DataFrame({"system": list("ABAB"), "segment": [1, 1, 2, 2], "score": [3, 4, 5, 4]})
    >>> first_judgment(rs.judgments(frame)).to_dict()
    {'system': 'A', 'segment': '1', 'score': 3.0}
    """
    return judgments.table.iloc[0].dropna()


def summarise_systems(judgments: Judgments) -> pd.DataFrame:
    """Summarise the judgments of each system.

    Returns
    -------
    DataFrame
        One row per system, best first: system, judgments and mean (over items, of the mean score of
        an item); for comparisons, system, judgments, wins, ties and losses.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> from rankstability.io.report import summarise_systems
    >>> frame = pd.DataFrame({"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"]})
    >>> summarise_systems(rs.battles(frame)).values.tolist()
    [['A', 2, 1, 1, 0], ['B', 2, 0, 1, 1]]
    """
    table = judgments.table[~judgments.models_beside_people]
    if "item_type" in table:
        table = table[table["item_type"].isin(COUNTED_TYPES)]
    if judgments.kind in COMPARISON_KINDS:
        compared = _both_sides(table) if judgments.kind == "votes" else _ranked_beside(table)
        found = pd.crosstab(compared["system"], compared["result"])
        found = found.reindex(columns=RESULTS, fill_value=0)
        found.insert(0, "judgments", found.sum(axis=1))
        best = found["wins"] - found["losses"]
    else:
        found = pd.DataFrame(
            {"judgments": table["system"].astype(str).value_counts(), "mean": item_means(table)}
        )
        best = -found["mean"] if judgments.lower_is_better else found["mean"]
    order = best.sort_values(ascending=False, kind="stable")
    return found.loc[order.index].rename_axis(index="system", columns=None).reset_index()


def item_means(table: pd.DataFrame) -> pd.Series:
    """Return the mean of each system over its items, where an item counts with its mean score."""
    system, segment = table["system"].astype(str), table["segment"]
    items = table["score"].groupby([system, segment], observed=True).mean()
    return items.groupby(level=0).mean()


def _both_sides(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the result of each vote (one of `RESULTS`) for either system."""
    sides = []
    for side, other in (("left", "right"), ("right", "left")):
        result = votes["winner"].astype(str).map({side: "wins", "tie": "ties", other: "losses"})
        sides.append(pd.DataFrame({"system": votes[side].astype(str), "result": result}))
    return pd.concat(sides)


def _ranked_beside(outputs: pd.DataFrame) -> pd.DataFrame:
    """Return the result (one of `RESULTS`) of each ranked output beside each other one of its block."""
    ranked = outputs.loc[outputs["rank"] > 0, ["block", "system", "rank"]]
    pairs = ranked.merge(ranked, on="block", suffixes=("", "_other"))
    pairs = pairs[pairs["system"] != pairs["system_other"]]
    better = np.sign(pairs["rank_other"] - pairs["rank"])
    result = better.map({1: "wins", 0: "ties", -1: "losses"})
    return pd.DataFrame({"system": pairs["system"].astype(str), "result": result})


def _describe_systems(judgments: Judgments) -> list[str]:
    """Return a table of the systems as lines of text; of many systems, the best."""
    systems = summarise_systems(judgments)
    shown = systems.head(MAX_SYSTEMS)
    roles = dict.fromkeys(judgments.humans, " (human)") | dict.fromkeys(
        judgments.controls, " (control)"
    )
    shown = shown.assign(
        system=[escape_invisible(name) + roles.get(name, "") for name in shown["system"]]
    )
    columns = {"judgments": "comparisons"} if "wins" in systems else {"mean": "mean score"}
    text = shown.rename(columns=columns).to_string(
        index=False, float_format="{:.4g}".format, max_colwidth=MAX_NAME
    )
    more = len(systems) - len(shown)
    return [*text.splitlines(), *([f"and {more} more systems"] if more else [])]


def describe_reading(judgments: Judgments) -> list[str]:
    """Return how judgments were read as lines of text, as ``rankstability read`` prints them."""
    lines = [f"{row.what}: {row.number:,}" for row in count_read(judgments).itertuples()]
    values = ", ".join(f"{role} {value}" for role, value in first_judgment(judgments).items())
    lines.append(f"the first judgment as read: {values}")
    if judgments.scale is not None and judgments.kind != "votes":
        better = "lower" if judgments.lower_is_better else "higher"
        low, high = judgments.scale
        lines.append(f"scale: {low:g} to {high:g}; {better} is better")
    lines += _describe_systems(judgments)
    for note in judgments.notes.itertuples():
        if note.code == "unused_column":
            lines.append(f"a column that is not used: {note.detail}".rstrip())
            continue
        lines.append(
            f"note: {note.rows:,} {NOTES.get(note.code, note.code)} {note.detail}".rstrip()
        )
    return [escape_invisible(line) for line in lines]


def describe_settings(judgments: Judgments) -> list[str]:
    """Return the declared settings as lines of text, as in a ``campaign.yaml``."""
    if not judgments.declared:
        return []
    lines = settings_text(judgments.declared).splitlines()
    return ["these settings as campaign.yaml:", *map(escape_invisible, lines)]


def list_games(votes: Judgments) -> pd.DataFrame:
    """List the games of votes: what one annotator said of two systems on one question.

    Votes in both orders are one game; a game whose winner changes with the order is a tie.

    Parameters
    ----------
    votes : Judgments
        Votes that name questions.

    Returns
    -------
    DataFrame
        One row per game: question, annotator (if named), system_a, system_b (in order of name),
        votes, orders (1 or 2), changed (whether the winner changes with the order) and winner (a
        name, or ``tie``).

    Raises
    ------
    DataError
        ``wrong_kind`` for other judgments, ``not_applicable_column`` without questions.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankstability as rs
    >>> from rankstability.io.report import list_games
    >>> frame = pd.DataFrame({"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "left"], "question": [1, 1]})
    >>> list_games(rs.battles(frame))[["votes", "orders", "changed", "winner"]].values.tolist()
    [[2, 2, True, 'tie']]
    """
    if votes.kind != "votes":
        raise DataError("wrong_kind", kind=votes.kind)
    if "question" not in votes.table:
        raise DataError("not_applicable_column", column="question")
    table = votes.table
    left, right = table["left"].astype(str).to_numpy(), table["right"].astype(str).to_numpy()
    won = table["winner"].map({"left": 1.0, "tie": 0.5, "right": 0.0}).to_numpy(float)
    swapped = left > right
    frame = pd.DataFrame(
        {
            "question": table["question"].astype(str),
            "system_a": np.where(swapped, right, left),
            "system_b": np.where(swapped, left, right),
            "won": np.where(swapped, 1 - won, won),
            "swapped": swapped,
        }
    )
    keys = ["question", "system_a", "system_b"]
    if "annotator" in table:
        frame.insert(1, "annotator", table["annotator"].astype(object).fillna("").astype(str))
        keys.insert(1, "annotator")
    games = frame.groupby(keys, sort=False).agg(
        votes=("won", "size"), orders=("swapped", "nunique"), low=("won", "min"), high=("won", "max"),
        mean=("won", "mean"),
    ).reset_index()  # fmt: skip
    games["changed"] = (games["low"] != games["high"]) & (games["orders"] > 1)
    winner = np.where(games["mean"] > 0.5, games["system_a"], games["system_b"])
    tied = (games["mean"] == 0.5) | games["changed"]
    games["winner"] = np.where(tied, "tie", winner)
    return games.drop(columns=["low", "high", "mean"])


def summarise_orders(votes: Judgments) -> pd.Series:
    """Summarise votes in both orders of presentation.

    Returns
    -------
    Series
        votes, games, both_orders (games in both orders), changed (of these, how many change their
        winner with the order), first_wins (share of decided votes won by the system shown first).
    """
    games = list_games(votes)
    decided = votes.table["winner"].astype(str)
    decided = decided[decided != "tie"]
    return pd.Series(
        {
            "votes": len(votes.table),
            "games": len(games),
            "both_orders": int((games["orders"] > 1).sum()),
            "changed": int(games["changed"].sum()),
            "first_wins": float((decided == "left").mean()),
        }
    )
