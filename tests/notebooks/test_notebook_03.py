"""Notebook 03 through the runner: the numbers in its files."""

from __future__ import annotations

import pandas as pd
import pytest

from oracle_da import slow
from rankcompanion import run
from rankstability.read import campaigns

KINDS = ["d_rank", "d_cluster", "d_both"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("03")
    values = {"output_dir": str(out / "x"), "divisors": [1.25, 4], "inflate": [2]}
    run.execute("03_divisor_degradation", values, quiet=True)
    return out / "x"


def test_changes_are_those_of_the_obvious_computation(folder):
    changes = pd.read_csv(folder / "changes.csv")
    assert list(changes.columns[:5]) == ["pair", "divisor", *KINDS]
    campaign = campaigns.find("demo-srpdc")
    for row in changes.to_dict("records"):
        da = campaigns.load_da(campaign, row["pair"])
        assert tuple(row[k] for k in KINDS) == slow(da, row["divisor"])
    assert len(changes) == 4


def test_figure_1_is_the_mean_of_changes(folder):
    changes, figure = pd.read_csv(folder / "changes.csv"), pd.read_csv(folder / "figure1.csv")
    means = changes.groupby("divisor")[KINDS].mean()
    pd.testing.assert_frame_equal(figure.set_index("divisor")[KINDS], means, check_dtype=False)
    assert set(figure["style"]) == {"SR+DC"} and set(figure["pairs"]) == {2}


def test_ranks_are_the_bump_charts_data(folder):
    ranks = pd.read_csv(folder / "en-cs" / "ranks.csv")
    assert list(dict.fromkeys(ranks["ranking"])) == ["original", "d-1.25", "d-4"]
    for _, part in ranks.groupby("ranking"):
        assert part["rank"].to_list() == list(range(1, 10))
        assert not part["system"].str.contains("HUMAN").any()
        assert part["mean_z"].is_monotonic_decreasing
        below = part["cluster"].diff().shift(-1).fillna(0)
        assert (below == part["line_below"]).all()
    handled = pd.read_csv(folder / "en-cs" / "inflation_handled.csv")
    assert handled["factor"].to_list() == [2] and (handled["cut"] > 0).all()
