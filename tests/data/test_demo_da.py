"""The demo campaigns: the same bytes from their seeds, and what they are made to show."""

import demo_da
import numpy as np
import pytest

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks.cooccurrence import worker_statistics
from companion.legacy.rankstability import paths

DEMOS = [(name, pair) for name, (_, pairs) in demo_da.DEMOS.items() for pair in pairs]


def test_the_generator_writes_the_committed_bytes(tmp_path, monkeypatch):
    committed = {
        p.relative_to(paths.DEMO): p.read_bytes()
        for name in demo_da.DEMOS
        for p in (paths.DEMO / name).iterdir()
    }
    monkeypatch.setattr(paths, "DEMO", tmp_path)
    demo_da.main()
    made = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert made == committed
    assert sum(map(len, made.values())) < 500_000


@pytest.mark.parametrize(("name", "pair"), DEMOS)
def test_a_demo_pair_holds_what_real_campaigns_hold(name, pair):
    da = campaigns.load_da(campaigns.find(name), pair)
    assert set(da.good["type"]) == {"SYSTEM", "REPEAT", "REF", "BAD_REF"}
    assert "HUMAN.0" in set(da.good["system"])
    assert (worker_statistics(da.latest)["sd"] == 0).any()
    assert da.latest["system"].astype(str).str.contains("+", regex=False).any()  # joint outputs
    assert not da.good["system"].astype(str).str.contains("+", regex=False).any()
    rejected = set(da.latest["worker"]) - set(da.good["worker"])
    assert len(rejected) == 1  # failed quality control
    held = da.good[da.good["type"] == "SYSTEM"].groupby("hit", observed=True)["system"].nunique()
    style = demo_da.DEMOS[name][0]
    assert held.min() >= 9 if style == "SR-DC" else held.max() < 10


def test_other_seeds_draw_other_campaigns_and_an_unknown_style_is_refused():
    one, two = (demo_da.simulate_da("SR-DC", np.random.default_rng(s)) for s in (1, 2))
    assert not one.latest["score"].equals(two.latest["score"])
    with pytest.raises(demo_da.DataError, match=r"unknown style.*SR\+DC"):
        demo_da.simulate_da("DC", np.random.default_rng(1))
