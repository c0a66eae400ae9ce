"""Rows of Knowles (2021): exact where all pairs are here, else no data and what there is."""

import pandas as pd
import pytest

from conftest import needs
from companion.legacy.paperkit import claims
from companion.legacy.rankcampaigns import campaigns, official
from companion.legacy.rankcompanion.notebooks import replication
from companion.legacy.rankcompanion.notebooks.outlier_removal import SETS
from companion.legacy.rankcompanion.papers import knowles2021

KINDS = ["d_rank", "d_cluster", "d_both"]
WMT18 = {"campaign": "wmt18", "provenance": "official"}
EN_DE = {"campaign": "wmt20-appraise", "provenance": "official"}


def tables_of(**frames: pd.DataFrame):
    """A ledger's ``tables``: frames by notebook number and name, such as ``n02_changes``."""
    empty = pd.DataFrame({"campaign": []}, dtype=str)
    return lambda notebook, name: frames.get(f"n{notebook[:2]}_{name}", empty)


def test_the_papers_pairs_are_21_and_25():
    pairs = knowles2021.included()
    assert pairs["style"].value_counts().to_dict() == {"SR-DC": 21, "SR+DC": 25}
    assert set(pairs["judged"]) == {"monolingual", "bilingual"}
    assert "tr-en" not in set(knowles2021.included("wmt18")["pair"])
    assert set(pairs["campaign"]) <= set(campaigns.catalogue())
    for name, part in pairs.groupby("campaign"):
        known = campaigns.catalogue()[name]["pairs"]
        assert set(part["pair"]) <= set(known), name
    rows = claims.published("knowles2021")  # each with a key of its own, and why it has no data
    assert not rows.duplicated(knowles2021.KEYS).any()
    assert (rows["quantity"] != "").all() and (rows["no_data"] != "").all()
    reasons = rows.set_index(["place", "cell"])["no_data"]
    assert reasons["Table 4", "de-cs 19 | tool"].startswith("not in the catalogue")
    assert reasons["Table 4", "en-cs 19 | tool"] == "the archive is not here"
    assert "WMT19" in reasons["Figure 4"].iloc[1]


@pytest.fixture(scope="module")
def all_changes() -> pd.DataFrame:
    """All 46 pairs with changes laid out so that Tables 2 and 3 are what the paper prints."""
    pairs = knowles2021.included()
    rows = claims.published("knowles2021", "Table 2", "Table 3")
    frames = []
    for removed in SETS:
        frame = pairs.assign(removed=removed, d_rank=0, d_cluster=0, d_both=0)
        by, printed = ("campaign", "human+ref") if "ref" in removed else ("style", removed)
        for group, part in frame.groupby(by):
            cells = rows[(rows["removed"] == printed) & (rows[by] == group)].set_index("kind")
            rank, cluster, both = (int(cells["published"][k].split("/")[0]) for k in KINDS)
            order = list(part.index)
            frame.loc[order[:rank], "d_rank"] = 1
            frame.loc[order[rank - both : rank - both + cluster], "d_cluster"] = 1
            frame["d_both"] = frame["d_rank"] * frame["d_cluster"]
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


WORKERS = pd.DataFrame(columns=["pair", "ref_percent", "bad_ref_percent", "ref", "bad_ref"])


def own(changes: pd.DataFrame, name: str, **settings) -> pd.DataFrame:
    part = changes[changes["campaign"] == name].drop(columns="campaign")
    run = {"campaign": name, "provenance": "official", **settings}
    return knowles2021.removal_claims(part, WORKERS, run)


def test_with_all_pairs_here_every_count_is_checked(all_changes):
    across = knowles2021.across(tables_of(n02_changes=all_changes))
    parts = [own(all_changes, name) for name in all_changes["campaign"].unique()]
    table = pd.concat([across, *parts])
    counted = table[table["place"].isin(["Table 2", "Table 3", "Section 3"])]
    assert len(counted) == 41 and not counted.duplicated(["place", "cell"]).any()
    assert set(counted["status"]) == {"exact"}
    for name in ("demo-srdc", "wmt21"):  # outside the paper: they answer for nothing
        assert own(all_changes, name).empty
    statements = table[table["place"] == "Section 5.2"].set_index("cell")
    similar = "SR+DC | similar rates of change in monolingual and bilingual"
    assert set(statements.drop(similar)["status"]) == {"exact"}
    assert "smallest Fisher p" in statements.loc[similar, "reason"]  # of pairs made up here


def test_one_pair_more_is_a_difference_and_other_settings_are_named(all_changes):
    wrong = all_changes.copy()
    first = (wrong["removed"] == "human+ref") & (wrong["campaign"] == "wmt18")
    wrong.loc[first[first].index[-1], "d_rank"] = 1
    runs = pd.DataFrame({"campaign": ["wmt18"], "provenance": ["rebuilt from z"], "alpha": [0.01]})
    across = knowles2021.across(tables_of(n02_changes=wrong, n02_run=runs))
    table = pd.concat([across, own(wrong, "wmt18", alpha=0.01)]).set_index(["place", "cell"])
    for cell in ("'18 (-DC) | rank", "ALL SR-DC | rank"):
        row = table.loc[("Table 2", cell)]
        assert row["status"] == "differs"
        assert "alpha 0.01" in row["reason"]
    assert table.loc[("Table 2", "ALL SR-DC | rank"), "provenance"] == "rebuilt from z"


def sweep_of_2020() -> pd.DataFrame:
    """Rankings made up so that AFRL and PROMT_NMT stand to each other as section 5.3 says."""
    relations = {"original": (1, 2, 1, 1), "d-1.25": (1, 2, 1, 2), "d-1.5": (1, 2, 1, 2),
                 "d-2": (2, 1, 2, 1), "d-4": (2, 1, 1, 1), "d-10": (2, 1, 1, 1)}  # fmt: skip
    made = {
        name: pd.DataFrame({"rank": [afrl, promt, 3], "cluster": [c_afrl, c_promt, 3]})
        for name, (afrl, promt, c_afrl, c_promt) in relations.items()
    }
    frame = pd.concat(made, names=["ranking"]).reset_index("ranking")
    return frame.assign(pair="en-de", system=["AFRL.1", "PROMT_NMT.2", "Online-A.3"] * len(made))


def test_case_study_reads_the_rankings_of_2020():
    table = knowles2021.degradation_claims(sweep_of_2020(), EN_DE).set_index("cell")
    start = "en-de 2020 | AFRL and PROMT_NMT, divisor "
    for divisor in ("1.25", "1.5", "2", "4", "10"):
        assert table.loc[start + divisor, "status"] == "exact"
    every = "en-de 2020 | PROMT_NMT and Online-A take every relation of rank and cluster"
    assert table.loc[every, "status"] == "differs"


def test_replication_answers_with_workers_and_without():
    ones = {"same_order": 1, "same_means": 1, "same_counts": 1}
    agreement = pd.DataFrame([{"pair": "en-cs", "systems": 12, **ones}])
    run = {"campaign": "wmt20", "provenance": "official"}
    table = knowles2021.replication_claims(agreement, run).set_index("cell")
    assert set(table["status"]) == {"no data"} and len(table) == 1
    assert "no workers" in table.loc["en-cs 20 | replicated", "reason"]
    for same, status, reason in ((1, "exact", ""), (0, "differs", "same_order: no")):
        judged = knowles2021.replication_claims(agreement.assign(same_order=same), EN_DE)
        row = judged.set_index("cell").loc["en-cs 20 | replicated"]
        assert row["status"] == status and reason in row["reason"]


def test_a_replication_from_rebuilt_scores_says_so():
    agreement = pd.DataFrame([{"pair": "tr-en", "systems": 5, "same_order": 1, "same_means": 1}])
    for provenance, told in (("rebuilt from z", True), ("official", False)):
        run = {"campaign": "wmt18", "provenance": provenance}
        (row,) = knowles2021.replication_claims(agreement, run).to_dict("records")
        assert ("rebuilt from the released z-scores" in row["reason"]) == told
        assert row["provenance"] == provenance


@needs("wmt18")
def test_the_pair_that_is_absent_enters_table_1_by_its_official_counts():
    campaign = campaigns.find("wmt18")
    pairs = [p for p in campaign.known_pairs if p != "de-en"]
    here = {"pair": pairs, "SYSTEM": [221542, *[0] * 12], "REPEAT": [21865, *[0] * 12]}
    counts = pd.DataFrame(here | {"file": "ad-good-raw-redup", "REF": 0, "BAD_REF": 0})
    rankings = {p: official.ranking(campaign, p) for p in campaign.known_pairs}
    whole = replication.with_official_counts(counts, rankings)
    assert len(whole) == 14 and whole.iloc[-1][["pair", "SYSTEM"]].tolist() == ["de-en", 48469]
    across = knowles2021.across(tables_of(n01_type_counts=whole.assign(campaign="wmt18")))
    table = across[across["place"] == "Table 1"].set_index("cell")
    row = table.loc["newstest2018-humaneval | SYSTEM + REPEAT"]
    assert row["status"] == "exact" and row["reason"] == "de-en from its official counts"
    assert table.loc["newstest2018-humaneval | SYSTEM", "status"] == "no data"


def test_hits_with_every_system_and_documents():
    balance = pd.DataFrame({"pair": ["cs-en", "tr-en"], "unit": "hit", "complete": [0.93, 0.1],
                            "share_min": 0.9})  # fmt: skip
    (row,) = knowles2021.cooccurrence_claims(balance, WMT18).to_dict("records")
    assert row["status"] == "no data" and "least: 93.0% in cs-en, of 1 pairs" in row["reason"]
    assert "yes in the 1 pairs here, consistent so far" in row["reason"]
    every = [*knowles2021.included("wmt18")["pair"], "tr-en"]
    whole = pd.DataFrame({"pair": every, "unit": "hit", "complete": 0.93, "share_min": 0.9})
    assert knowles2021.cooccurrence_claims(whole, WMT18)["status"].tolist() == ["exact"]
    luck = pd.DataFrame({"pair": "en-lt", "human": [1, 0, 0], "mean_raw": [90, 70, 60],
                         "document_sd": [1.0, 3.0, 2.0]})  # fmt: skip
    summary = pd.DataFrame({"pair": ["en-lt"], "judged": [0.8]})
    run = {"campaign": "wmt19-appraise", "provenance": "official"}
    assert knowles2021.documents_claims(luck, summary, run)["ours"].to_list() == ["yes"] * 3
    worse = luck.assign(document_sd=[9.0, 3.0, 2.0])
    assert knowles2021.documents_claims(worse, summary, run)["ours"].to_list()[2] == "no"
    assert knowles2021.documents_claims(luck, summary, WMT18).empty


def test_figure_1_needs_all_pairs_of_a_style():
    pairs = knowles2021.included()
    place = pairs.groupby("style").cumcount() - 5 * (pairs["style"] == "SR+DC")
    whole = pd.concat(
        pairs.assign(divisor=divisor, d_rank=(place < k).astype(int), d_cluster=0, d_both=0)
        for k, divisor in enumerate(claims.settings("knowles2021")["divisors"], 1)
    )
    more = "SR+DC changes more than SR-DC at every divisor | rank"
    for changes, status in ((whole, "exact"), (whole[whole["pair"] != "lt-en"], "no data")):
        table = knowles2021.across(tables_of(n03_changes=changes)).set_index("cell")
        assert table.loc[more, "status"] == status


def test_percentages_of_workers_may_be_over_two_campaigns():
    rows = [("wmt19-mturk-sntlevel", "fi-en", 100.0), ("wmt19-mturk-doclevel", "de-en", 97.5)]
    rows += [("wmt18", "en-et", 7.0)]
    workers = pd.DataFrame(rows, columns=["campaign", "pair", "ref_percent"])
    workers = workers.assign(bad_ref_percent=100.0, ref=0, bad_ref=0)
    table = knowles2021.across(tables_of(n02_workers=workers)).set_index("cell")
    reason = table.loc["2019 into English | workers with REF, all pairs", "reason"]
    assert reason.startswith("97.5% in the 2 pairs here, not as printed so far; gu-en, kk-en")
    run = {"campaign": "wmt18", "provenance": "official"}
    none = pd.DataFrame(columns=["pair", "removed", *KINDS])
    alone = knowles2021.removal_claims(none, workers[2:].drop(columns="campaign"), run)
    assert "7.00%" in set(alone["ours"])
