"""Systems judged together: counted by hand, in balance, and on the campaigns of the paper."""

import itertools

import numpy as np
import pandas as pd
import pytest

from assessments import assessment, demo
from conftest import needs
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks import cooccurrence
from companion.legacy.rankstability.errors import DataError


def rows(*items: tuple) -> pd.DataFrame:
    names = ["worker", "hit", "system", "segment", "type", "score"]
    return pd.DataFrame(items, columns=names).assign(document="d")


TOY = rows(
    ("w1", "h1", "A", "1", "SYSTEM", 80),
    ("w1", "h1", "B", "1", "SYSTEM", 60),
    ("w1", "h2", "A", "2", "SYSTEM", 70),
    ("w1", "h2", "C", "2", "BAD_REF", 10),
    ("w2", "h3", "B", "1", "REPEAT", 50),
    ("w2", "h3", "C", "1", "SYSTEM", 30),
)


def balance_alone(da):
    return cooccurrence.balance(cooccurrence.cooccurrence(da), pd.DataFrame(), da.pair)


def test_figure_4_by_hand():
    """A control row carries an id of a system, and does not show it."""
    table = cooccurrence.cooccurrence(assessment(TOY))
    assert (table.unit, table.units, table.complete) == ("hit", 3, 0)
    assert list(table.counts.index) == ["A", "B", "C"]  # by mean raw score
    assert table.counts.to_numpy().tolist() == [[2, 1, 0], [1, 2, 1], [0, 1, 1]]
    assert table.share.loc["A", "B"] == 0.5
    assert table.ratio.loc["A", "B"] == pytest.approx(1 * 3 / (2 * 2))
    by_worker = cooccurrence.cooccurrence(assessment(TOY), "worker")
    assert by_worker.counts.loc["A", "B"] == 1 and by_worker.units == 2


def test_without_hit_ids_workers_are_counted():
    table = cooccurrence.cooccurrence(assessment(TOY.assign(hit=None)))
    assert (table.unit, table.without_hit) == ("worker", 1)
    part = cooccurrence.cooccurrence(assessment(TOY.assign(hit=TOY["hit"].replace("h3", np.nan))))
    assert part.units == 2 and part.without_hit == pytest.approx(0.4)


def test_counts_are_those_of_sets():
    da, _ = demo("SR+DC", 21)
    table = cooccurrence.cooccurrence(da).counts
    counted = da.good[da.good["type"].isin(["SYSTEM", "REPEAT"])]
    hits = counted.groupby("system", observed=True)["hit"].agg(set)
    for a, b in itertools.product(table.index, repeat=2):
        assert table.loc[a, b] == len(hits[a] & hits[b])


def test_in_balance_company_explains_nothing():
    """Every worker judges every system once: all workers are given the same quality."""
    rng = np.random.default_rng(22)
    level = {"A": 50, "B": 60, "C": 70}
    items = [
        (f"w{w}", f"h{w}", s, str(k), "SYSTEM", level[s] + rng.normal(0, 5) + w)
        for w, s, k in itertools.product(range(6), level, range(8))
    ]
    table = cooccurrence.judged_beside(assessment(rows(*items)))
    assert table[["company_z", "imbalance"]].abs().max().max() < 1e-6


def test_poor_company_helps():
    """A and B are equal; A's worker also judges a poor system, B's a good one."""
    rng = np.random.default_rng(23)
    level = {"A": 50, "B": 50, "bad": 20, "good": 80}
    items = []
    sets = [("A", "bad")] * 4 + [("B", "good")] * 4 + [("A", "B", "bad", "good")] * 4
    for w, systems in enumerate(sets):
        for s, k in itertools.product(systems, range(20)):
            items.append((f"w{w}", f"h{w}", s, str(k), "SYSTEM", level[s] + rng.normal(0, 4)))
    table = cooccurrence.judged_beside(assessment(rows(*items))).set_index("system")
    assert table.loc["A", "company_z"] > 0.2 and table.loc["B", "company_z"] < -0.2
    assert table.loc["A", "imbalance"] < -5 and table.loc["B", "imbalance"] > 5
    gap, clean = table.loc["A", ["mean_z", "z_without"]] - table.loc["B", ["mean_z", "z_without"]]
    assert gap > 0.5 and abs(clean) < 0.25 * gap


@needs("wmt18")
def test_without_document_context_nearly_all_hits_hold_every_system():
    """Knowles (2021), section 5.4; and HIT ids are absent on the Appraise pairs."""
    campaign = campaigns.find("wmt18")
    for pair in ("en-tr", "en-cs"):
        assert cooccurrence.cooccurrence(campaigns.load_da(campaign, pair)).unit == "worker"
    table = cooccurrence.cooccurrence(campaigns.load_da(campaign, "cs-en"))
    assert table.unit == "hit"
    assert 0.29 < table.without_hit < 0.32
    assert table.complete == table.units


def test_a_worker_with_one_score_has_no_company():
    """66.7 again and again: the standard deviation is rounding, 1e-14, and must not divide."""
    rng = np.random.default_rng(25)
    items = [
        (f"w{w}", f"h{w}", s, str(k), "SYSTEM", 66.7 if w == 0 else rng.integers(20, 80))
        for w in range(5)
        for s in ("ABC" if w else "AB")
        for k in range(12)
    ]
    alone = np.full(sum(item[0] == "w0" for item in items), 66.7)
    assert 0 < abs(alone[0] - np.cumsum(alone)[-1] / len(alone)) < 1e-9
    da = assessment(rows(*items))
    workers = cooccurrence._workers(da.latest, pd.Series(1.0, ["A", "B", "C"]))
    assert workers["spread"].isna().tolist() == [True, False, False, False, False]
    table = cooccurrence.judged_beside(da)
    assert table["company_z"].abs().max() < 1
    assert np.allclose(table["company_z"] + table["z_without"], table["mean_z"])


def test_a_joined_id_has_the_mean_quality_of_its_parts():
    latest = rows(("w1", "h", "A+B", "1", "SYSTEM", 1), ("w1", "h", "A", "2", "BAD_REF", 2))
    frame = assessment(latest).latest
    workers = cooccurrence._workers(frame, pd.Series([10.0, 20.0, 3.0], ["A", "B", "BAD_REF"]))
    assert workers.loc["w1", "given"] == (15 + 3) / 2
    assert workers.loc["w1", "control"] == 0.5


@pytest.mark.parametrize(
    ("judged", "find", "words"),
    [
        (TOY.assign(score=50.0), cooccurrence.judged_beside, "no judgment of xx-yy has a z-score"),
        (TOY[TOY["system"] == "A"], cooccurrence.judged_beside, r"two systems in xx-yy.*pair="),
        (TOY[TOY["system"] == "A"], balance_alone, "fewer than two systems in xx-yy"),
        (TOY.assign(hit=None), lambda da: cooccurrence.cooccurrence(da, "hit"), "no row of xx-yy"),
        (TOY, lambda da: cooccurrence.cooccurrence(da, "document"), "unknown unit"),
    ],
)
def test_what_cannot_be_said_is_refused(judged, find, words):
    with pytest.raises(DataError, match=words):
        find(assessment(judged))


def test_the_mean_and_the_spread_of_each_worker_are_those_of_pandas():
    latest = campaigns.load_da(campaigns.find("demo-srpdc"), "de-en").latest
    workers = latest.groupby("worker", observed=True)["score"].agg(["mean", "std", "size"])
    ours = cooccurrence.worker_statistics(latest).loc[workers.index]
    assert np.allclose(ours[["mean", "sd", "judgments"]], workers, equal_nan=True)
