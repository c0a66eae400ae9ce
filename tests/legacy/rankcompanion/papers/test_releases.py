"""What organisers released beside ours: every number, by the run's own ledger."""

import pandas as pd

from conftest import needs, real
from companion.legacy.paperkit import claims
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks.replication import clusterings
from companion.legacy.rankcompanion.papers import releases
from companion.legacy.rankstability.rank.standing import rank_systems
from companion.legacy.rankstability.score.scored import segment_scores

NONE = pd.DataFrame()


@needs("wmt-slt23")
def test_all_tables_of_slt23_come_out():
    rows = releases.ledger(campaigns.find("wmt-slt23"), NONE, NONE)
    tables = rows["cell"].str.partition(" | ")[0].value_counts().to_dict()
    earlier = dict.fromkeys(
        [f"WMT23SLT{name}" for name in ("", "_A", "_B", "_C", "_Doc", "_Seg")], 15
    )
    assert tables == {"both_domains": 11, "srf": 11, "signsuisse": 11} | earlier
    # a mean of segments without their documents' scores is another: the two results do differ
    printed = rows.set_index("cell")["published"]
    both = [printed[f"{name} | translator-A | mean"] for name in ("both_domains", "WMT23SLT")]
    assert both == ["83.829", "84.1"]
    assert rows[rows["status"] != "exact"].to_dict("records") == []


@needs("wmt21-facebook-wikipedia")
def test_means_ranks_and_clusters_of_the_wikipedia_task_come_out():
    """Of one pair all rows; the others have no data, and a published place off by one is seen."""
    campaign, pair = campaigns.find("wmt21-facebook-wikipedia"), "hi-bn"
    scores = segment_scores(campaigns.load_da(campaign, pair))
    ranking = rank_systems(scores).table.assign(pair=pair)
    clusters = clusterings(scores).assign(pair=pair)
    rows = releases.ledger(campaign, ranking, clusters)
    mine = rows["cell"].str.startswith(pair)
    assert mine.sum() == 9 * 4 + 1
    assert set(rows.loc[mine, "status"]) == {"exact"}
    assert set(rows.loc[~mine, "status"]) == {"no data"}
    places = rows[mine & rows["cell"].str.endswith("places of its cluster")]
    assert places["ours"].value_counts().to_dict() == {"1-4": 4, "5-8": 4, "9-9": 1}


@needs("wmt-slt23")
def test_the_published_file_holds_what_the_release_prints():
    rows = claims.published(releases.PAPER, "wmt-slt23")
    for name, part in rows.groupby("source"):
        printed = (real("wmt-slt23") / name).read_text().replace("&", " ").split()
        numbers = part.loc[part["statistic"] != "clusters", "published"]
        assert set(numbers) <= set(printed)


def test_a_campaign_of_which_nothing_was_released_has_no_rows():
    assert releases.ledger(campaigns.find("demo-srdc"), NONE, NONE).empty
