"""Notebook 01's module: MQM as segment scores."""

import pandas as pd

from rankcampaigns import campaigns
from rankcompanion.notebooks.replication import mqm_segment_frame
from rankstability.rank.standing import rank_systems
from rankstability.score.mqm import mqm_scores
from rankstability.score.scored import segment_scores


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
