"""Notebook 01's module: MQM as segment scores."""

import numpy as np
import pandas as pd

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks.replication import mqm_segment_frame, places_by_unit
from companion.legacy.rankstability.rank.standing import rank_systems, standing
from companion.legacy.rankstability.score.mqm import mqm_scores
from companion.legacy.rankstability.score.scored import from_frame, segment_scores


def test_mqm_is_ranked_by_its_errors_and_z_by_rater():
    errors = campaigns.load("demo-mqm", "en-de")
    table = rank_systems(segment_scores(mqm_segment_frame(errors))).table.set_index("system")
    scores = mqm_scores(errors)
    by_hand = -scores.groupby(["system", "segment"])["score"].mean().groupby("system").mean()
    pd.testing.assert_series_equal(
        table["mean_raw"].sort_index(), by_hand, check_names=False, check_index_type=False
    )
    assert table["judgments"].sum() == len(scores)
    assert table["mean_raw"].rank().corr(table["mean_z"].rank()) > 0.8


def test_lines_of_units_follow_each_other_in_one_table():
    rng = np.random.default_rng(1)
    rows = [
        (f"s{s}", f"d{d}-{w}", f"w{w}", f"d{d}", 2.0 * s + rng.normal())
        for w in range(10) for d in range(12) for s in range(4)
    ]  # fmt: skip
    columns = ["system", "segment", "worker", "document", "score"]
    judged = from_frame(pd.DataFrame(rows, columns=columns))
    made = standing(judged, "wmt24")
    both = places_by_unit(made.systems, made.lines, judged, ["worker", "document"], 0.05)
    assert both.index.tolist() == [0, 1, 2, 3, 4, 5]
    assert both["unit"].tolist() == ["worker"] * 3 + ["document"] * 3
    assert both["below"].tolist() == [1, 2, 3] * 2 and (both["claimed"] == 1).all()
