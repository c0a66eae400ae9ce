"""Tables of votes for tests."""

from dataclasses import replace

import numpy as np
import pandas as pd

from rankstability.judgments import Judgments
from rankstability.scores.arrays import VoteArrays


def votes_of(text, **fields):
    """Votes from text such as "01 1 ap; 12 0.5 bq": first and second system, outcome, units."""
    rows = [part.split() for part in text.replace("\n", " ").split(";") if part.strip()]
    first = np.array([int(row[0][0]) for row in rows])
    second = np.array([int(row[0][1]) for row in rows])
    n = int(max(first.max(), second.max())) + 1
    return VoteArrays(
        systems=tuple("0123"[:n]),
        first=first,
        second=second,
        outcome=np.array([float(row[1]) for row in rows]),
        weight=np.ones(len(rows)),
        annotator=np.array(["abcd".index(row[2][0]) for row in rows]),
        question=np.array(["pqrs".index(row[2][1]) for row in rows]),
        **fields,
    )


def random_votes(seed, n=5, size=400):
    """Votes on n systems of descending strength, by 12 annotators on 30 questions."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, size)
    second = (first + rng.integers(1, n, size)) % n
    gap = (second - first) * 0.4 + rng.logistic(size=size)
    outcome = np.where(np.abs(gap) < 0.3, 0.5, (gap > 0).astype(float))
    return VoteArrays(
        systems=tuple("abcdefgh"[:n]),
        first=first,
        second=second,
        outcome=outcome,
        weight=np.ones(size),
        annotator=rng.integers(0, 12, size),
        question=rng.integers(0, 30, size),
    )


def rows(votes, take):
    """The votes of these rows."""
    fields = ("first", "second", "outcome", "weight", "annotator", "question")
    return replace(votes, **{name: getattr(votes, name)[take] for name in fields})


def ranking_blocks(blocks, annotators=None, segments=None, documents=None):
    """Relative rankings from blocks, each a mapping of systems to ranks (-1: not ranked)."""
    table = []
    for block, ranks in enumerate(blocks):
        for position, (system, rank) in enumerate(ranks.items(), 1):
            annotator = annotators[block] if annotators else "a"
            segment = segments[block] if segments else f"s{block}"
            row = [block, system, rank, position, annotator, segment]
            table.append([*row, documents[block]] if documents else row)
    columns = ["block", "system", "rank", "position", "annotator", "segment"]
    columns += ["document"] if documents else []
    return Judgments(pd.DataFrame(table, columns=columns), kind="relative_ranking")


def vote_judgments(votes, **fields):
    """The judgments that a table of votes holds."""
    names = np.array(votes.systems, dtype=object)
    winner = np.select([votes.outcome == 1, votes.outcome == 0], ["left", "right"], "tie")
    table = pd.DataFrame(
        {
            "left": names[votes.first],
            "right": names[votes.second],
            "winner": winner,
            "annotator": [f"a{code:03}" for code in votes.annotator],
            "question": [f"q{code:03}" for code in votes.question],
        }
    )
    return Judgments(table, kind="votes", **fields)
