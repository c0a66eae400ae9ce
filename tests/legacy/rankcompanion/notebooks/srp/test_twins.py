"""Two studies without a common judgment, for direct assessment, relative ranking and MQM."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks.srp import twins
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import REFERENCE, blocks
from companion.legacy.rankstability.rank.standing import rank_systems
from companion.legacy.rankstability.score import pairwise
from companion.legacy.rankstability.score.da import judgment_z
from companion.legacy.rankstability.score.scored import segment_scores


@given(st.integers(2, 40), st.integers(1, 12), st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_twins_share_nothing(units, splits, seed):
    size = max(1, units // 3)
    drawn = twins.twins(units, size, splits, np.random.default_rng(seed))
    assert drawn.shape == (2 * splits, size)
    for one, other in drawn.reshape(splits, 2, size):
        assert not set(one) & set(other) and len(set(one)) == size


def test_no_twins_from_too_few_and_no_other_units():
    da = campaigns.load_da(campaigns.find("demo-srdc"), "de-en")
    with pytest.raises(DataError, match="unknown unit; found 'hits'; expected workers, documents"):
        twins.da_samplers(da, "hits")
    with pytest.raises(DataError, match="found 5; expected at least 6 units"):
        twins.twins(5, 3, 1, np.random.default_rng(0))
    message = "too few documents for two studies of 1 .*found 1; expected at least 2 documents"
    with pytest.raises(DataError, match=message):
        twins.twins(1, 1, 1, np.random.default_rng(0), "documents")


@pytest.mark.parametrize("style", ["demo-srdc", "demo-srpdc"])
def test_a_da_study_is_the_ranking_of_its_workers_rows(style):
    """Restrict both files to the drawn workers, standardise anew, rank with the notebook's code."""
    da = campaigns.load_da(campaigns.find(style), "de-en")
    sampler = twins.da_sampler(da)
    units, systems, draw = sampler.units, sampler.systems, sampler.draw
    chosen = twins.twins(units, units // 3, 3, np.random.default_rng(1))
    found, effort = draw(chosen, np.random.default_rng(1))
    known = da.good[da.good["type"].isin(["SYSTEM", "REPEAT"]) & np.isfinite(judgment_z(da))]
    names = sorted(set(known["worker"].astype(str)))  # with judgments that have a z-score
    assert len(names) == units
    judged = []
    for i, rows in enumerate(chosen):
        mine = {names[k] for k in rows}
        part = dataclasses.replace(
            da,
            latest=da.latest[da.latest["worker"].astype(str).isin(mine)],
            good=da.good[da.good["worker"].astype(str).isin(mine)],
        )
        scores = segment_scores(part)
        ranking = rank_systems(scores)
        table = ranking.table.set_index("system")["mean_z"].reindex(systems)
        np.testing.assert_allclose(-found.means[i], table.to_numpy(), atol=1e-9)
        judged.append(scores.judgments[np.isfinite(scores.score)].sum())
        order = list(ranking.systems)
        for (a, b), significant in zip(found.pairs, found.significant[i], strict=True):
            if systems[a] in order and systems[b] in order:
                p = ranking.p[order.index(systems[a]), order.index(systems[b])]
                assert significant == (p < 0.05)
    assert effort == pytest.approx(np.mean(judged) / len(systems))


def test_an_rr_study_is_the_score_of_its_blocks():
    frame = campaigns.load_rr(campaigns.find("demo-rr"), "cs-en")
    sampler = twins.rr_sampler(frame)
    units, systems, draw = sampler.units, sampler.systems, sampler.draw
    chosen = twins.twins(units, units // 4, 2, np.random.default_rng(1))
    found, _ = draw(chosen, np.random.default_rng(1))
    shown = blocks(frame)
    for i, rows in enumerate(chosen):
        counts = pairwise.pair_counts(shown.take(rows)).without(REFERENCE)
        scores = pd.Series(pairwise.wins_over_decided(counts), index=counts.systems)
        np.testing.assert_allclose(-found.means[i], scores.reindex(systems).to_numpy())
        wins = pd.DataFrame(counts.wins, index=counts.systems, columns=counts.systems)
        for (a, b), p in list(zip(found.pairs, found.p[i], strict=True))[:8]:
            won, lost = wins.loc[systems[a], systems[b]], wins.loc[systems[b], systems[a]]
            expected = binomtest(int(won), int(won + lost)).pvalue if won + lost else 1.0
            assert p == pytest.approx(expected)


def test_stability_against_effort_is_the_same_for_any_jobs_and_levels():
    samplers = twins.da_samplers(campaigns.load_da(campaigns.find("demo-srdc"), "de-en"))
    about = {"campaign": "demo-srdc", "label": "demo-srdc (SR-DC)", "pair": "de-en"}
    rows = twins.effort(samplers[:1], about, splits=4, levels=(0.5, 1.0))
    assert rows["level"].tolist() == [0.5, 1.0] and list(rows) == twins.EFFORT_COLUMNS
    assert rows["effort"].is_monotonic_increasing
    assert (rows["unit"] == "workers").all() and (rows["studies"] == 8).all()
    again = twins.effort(samplers, about, splits=4, jobs=2)
    ways = list(dict.fromkeys(zip(again["unit"], again["normalisation"], strict=True)))
    assert ways == [("workers", "z"), ("documents", "z"), ("blocks", "z"), ("workers", "none")]
    same = twins.usual(again)
    pd.testing.assert_frame_equal(
        same[same["level"].isin([0.5, 1.0])].reset_index(drop=True), rows, check_dtype=False
    )


def test_at_half_by_hand():
    same = {"campaign": "c", "label": "c (MQM)", "normalisation": "none", "unit": "documents"}
    values = {"task": list("aabb"), "level": [0.5, 1.0] * 2, "systems": [3, 3, 4, 4]}
    values |= {"significant_pairs": [0, 2, 0, 1], "srp": [0.1, 0.4, 0.1, 0.8]}
    rows = pd.DataFrame(values).assign(**same, srp_equal_claims=0.5, kendall=0.5, effort=10.0)
    half = twins.at_half(rows).iloc[0]
    assert (half["tasks"], half["srp_least"], half["srp_most"]) == (2, 0.4, 0.8)
    assert half["srp"] == pytest.approx(0.6)
    assert half["significant_share"] == pytest.approx(3 / 9)
    wide = twins.at_half(rows.assign(kendall=[0.1, 0.1, 0.9, 0.9])).iloc[0]
    assert (wide["kendall_low"], wide["kendall_high"]) == (-1, 1)  # t of 2 tasks: -4.58 to 5.58


def test_without_samplers_the_table_of_effort_has_its_columns_and_no_row():
    about = {"campaign": "one", "label": "one worker", "pair": "zu-xh"}
    rows = twins.effort([], about)
    assert list(rows.columns) == twins.EFFORT_COLUMNS and rows.empty
