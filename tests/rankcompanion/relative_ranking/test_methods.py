"""Tables of a relative-ranking campaign, against small cases done by hand."""

from __future__ import annotations

import demo_rr
import numpy as np
import pandas as pd
import pytest

from rankcompanion.relative_ranking import methods as relative_ranking
from rankstability.read import rr as read_rr
from rankstability.score import pairwise, rr


@pytest.fixture(scope="module")
def demo():
    return read_rr.read_rr([demo_rr.FILE])


def test_correlations_are_pearsons_r_within_and_over_tasks():
    points = pd.DataFrame(
        {
            "task": ["x"] * 4 + ["y"] * 4,
            "system": list("abcdefgh"),
            "blocks": [1, 2, 3, 4, 11, 12, 13, 14],
            "score": [4.0, 3, 2, 1, 14, 13, 12, 11],
        }
    )
    table = relative_ranking.correlations(points, ["blocks"]).set_index("task")["blocks"]
    assert table["x"] == pytest.approx(-1) and table["y"] == pytest.approx(-1)
    assert table["overall"] == pytest.approx(np.corrcoef(points["blocks"], points["score"])[0, 1])
    assert table["overall"] > 0.8  # uncentred: what lies between tasks counts
    flat = relative_ranking.correlations(points.assign(blocks=1), ["blocks"])
    assert flat["blocks"].isna().all()


def test_sole_winners_add_up_to_the_blocks(demo):
    tasks = rr.tasks(demo)
    scores = pd.concat([rr.scores(t) for t in tasks.values()], ignore_index=True)
    blocks = pd.Series({name: t["block"].nunique() for name, t in tasks.items()})
    table = relative_ranking.sole_winners(scores, blocks, named=3)
    one = table[table["task"] == "cs-en"]
    assert one["winner"].tolist()[0] == "_ref" and len(one) == 7
    assert one["blocks"].iloc[:-1].sum() == blocks["cs-en"] == one["blocks"].iloc[-1]
    alone = pairwise.by_block(rr.blocks(tasks["cs-en"]))["sole_winner"].sum()
    assert one.set_index("winner")["blocks"]["no sole winner"] == blocks["cs-en"] - alone


def test_head_to_head_is_the_pair_of_the_counts(demo):
    task = rr.tasks(demo)["cs-en"]
    counts = pairwise.pair_counts(task)
    i, j = counts.systems.index("cedar"), counts.systems.index("rowan")
    for system, other, a, b in (("cedar", "rowan", i, j), ("rowan", "cedar", j, i)):
        both = relative_ranking.head_to_head(task, system, other)
        assert (both["better"], both["worse"]) == (counts.wins[a, b], counts.wins[b, a])
        assert both["ties"] == counts.ties[a, b]
        assert both["blocks"] == both["better"] + both["worse"] + both["ties"]
