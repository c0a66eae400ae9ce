"""Notebook 03 through the runner: the numbers in its files."""

import pandas as pd

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks import divisor_degradation
from companion.legacy.rankcompanion.running import run

KINDS = ["d_rank", "d_cluster", "d_both"]


def test_tables_are_those_of_the_library_and_figure_1_is_the_mean_of_changes(tmp_path):
    values = {"output_dir": str(tmp_path), "divisors": [1.25, 4], "inflate": [2]}
    run.execute("03_divisor_degradation", values, quiet=True)
    changes, figure = pd.read_csv(tmp_path / "changes.csv"), pd.read_csv(tmp_path / "figure1.csv")
    assert list(changes.columns[:5]) == ["pair", "divisor", *KINDS] and len(changes) == 4
    means = changes.groupby("divisor")[KINDS].mean()
    pd.testing.assert_frame_equal(figure.set_index("divisor")[KINDS], means, check_dtype=False)
    assert set(figure["style"]) == {"SR+DC"} and set(figure["pairs"]) == {2}
    da = campaigns.load_da(campaigns.find("demo-srpdc"), "en-cs")
    ours = divisor_degradation.study(da, [1.25, 4], [2])
    for name, table in (("ranks", ours.ranks), ("inflation_handled", ours.handled)):
        made = pd.read_csv(tmp_path / "en-cs" / f"{name}.csv")
        pd.testing.assert_frame_equal(made, table, check_dtype=False, rtol=1e-6)
    own = changes[changes["pair"] == "en-cs"].reset_index(drop=True)[KINDS]
    pd.testing.assert_frame_equal(own, ours.changes[KINDS])
    assert list(dict.fromkeys(ours.ranks["ranking"])) == ["original", "d-1.25", "d-4"]
    assert not ours.ranks["system"].str.contains("HUMAN").any()
    assert ours.handled["factor"].to_list() == [2] and (ours.handled["cut"] > 0).all()
