"""Ledger rows of Knowles (2021): exact checks where all pairs are here, else no data."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd

from conftest import needs
from rankstability.papers import claims, knowles2021, knowles2021_figures
from rankstability.read import campaigns
from rankstability.study import degradation, removal
from rankstability.study.change_totals import SETS

KINDS = ["d_rank", "d_cluster", "d_both"]


def test_the_papers_pairs_are_21_and_25():
    pairs = knowles2021.included()
    assert pairs["style"].value_counts().to_dict() == {"SR-DC": 21, "SR+DC": 25}
    assert "tr-en" not in set(pairs.loc[pairs["campaign"] == "wmt18", "pair"])
    assert set(pairs["campaign"]) <= set(campaigns.catalogue())
    for name, part in pairs.groupby("campaign"):
        known = campaigns.catalogue()[name]["pairs"]
        assert set(part["pair"]) <= set(known), name


def published_as_changes() -> pd.DataFrame:
    """All 46 pairs with changes laid out so that Tables 2 and 3 are what the paper prints."""
    pairs = knowles2021.included()
    rows = claims.published("knowles2021", "Table 2", "Table 3")
    frames = []
    for removed in SETS:
        frame = pairs.assign(removed=removed, d_rank=0, d_cluster=0, d_both=0)
        for group, part in frame.groupby(
            "campaign" if removed in ("human+ref", "ref") else "style"
        ):
            if removed in ("human+ref", "ref"):
                cells = rows[(rows["place"] == "Table 2") & (rows["campaign"] == group)]
            else:
                cells = rows[rows["cell"].str.startswith(f"{removed.title()} ({group})")]
            count = [int(v.split("/")[0]) for v in cells["published"]]
            rank, cluster, both = count
            order = list(part.index)
            frame.loc[order[:rank], "d_rank"] = 1
            frame.loc[order[rank - both : rank - both + cluster], "d_cluster"] = 1
            frame["d_both"] = frame["d_rank"] * frame["d_cluster"]
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def fake(name: str) -> SimpleNamespace:
    return SimpleNamespace(name=name, rebuilt=False, known_pairs=(), pairs=())


def test_with_all_pairs_here_every_count_is_checked(monkeypatch):
    whole = published_as_changes()
    monkeypatch.setattr(knowles2021, "everywhere", lambda *_: whole)
    monkeypatch.setattr(knowles2021, "here", dict)
    workers = pd.DataFrame({"pair": [], "ref_percent": [], "bad_ref_percent": [],
                            "human_percent": [], "ref": [], "bad_ref": []})  # fmt: skip
    table = knowles2021.removal_claims(fake("wmt18"), whole, workers, {})
    counted = table[table["place"].isin(["Table 2", "Table 3", "Section 3"])]
    assert len(counted) == 41
    assert set(counted["status"]) == {"exact"}
    said = table[table["place"] == "Section 5.2"].set_index("cell")
    similar = "SR+DC | similar rates of change in monolingual and bilingual"
    assert set(said.drop(similar)["status"]) == {"exact"}
    assert said.loc[similar, "status"] in ("exact", "differs")  # depends on which pairs changed


def test_one_pair_more_is_a_difference(monkeypatch):
    whole = published_as_changes()
    wrong = (whole["removed"] == "human+ref") & (whole["campaign"] == "wmt18")
    whole.loc[wrong[wrong].index[-1], "d_rank"] = 1
    monkeypatch.setattr(knowles2021, "everywhere", lambda *_: whole)
    monkeypatch.setattr(knowles2021, "here", dict)
    workers = pd.DataFrame({"pair": [], "ref_percent": [], "bad_ref_percent": []})
    table = knowles2021.removal_claims(fake("wmt18"), whole, workers, {"alpha": 0.01})
    table = table.set_index(["place", "cell"])
    for cell in ("'18 (-DC) | rank", "ALL SR-DC | rank"):
        row = table.loc[("Table 2", cell)]
        assert row["status"] == "differs"
        assert "alpha 0.01" in row["reason"]


def test_missing_pairs_give_no_data_and_the_count_there_is():
    pairs = knowles2021.included()
    wanted = pairs[pairs["campaign"] == "wmt18"]
    here = wanted[wanted["pair"] != "de-en"].assign(d_rank=0)
    here.loc[here["pair"] == "et-en", "d_rank"] = 1
    value, reason = knowles2021.fraction(here, wanted, "d_rank")
    assert value is None and reason == "1/12 in the pairs here; de-en of wmt18 is absent"
    full = pd.concat([here, wanted[wanted["pair"] == "de-en"].assign(d_rank=1)])
    assert knowles2021.fraction(full, wanted, "d_rank") == ("2/13", "")


def test_each_row_has_one_owner(monkeypatch):
    """Whatever campaigns are here, each published row is answered by exactly one run."""
    places = ("Table 2", "Table 3", "Section 5.1", "Figure 1", "Figure 2", "Figure 3")
    total = len(claims.published("knowles2021", *places))
    for names in ((), ("wmt18",), ("wmt18", "wmt20-appraise", "wmt19-mturk-sntlevel")):
        here = {
            n: SimpleNamespace(name=n, pairs=tuple(campaigns.catalogue()[n]["pairs"]))
            for n in names
        }
        monkeypatch.setattr(knowles2021, "here", lambda here=here: here)
        runs = {"wmt18", *names}
        owned = [len(knowles2021.owned(fake(n), *places)) for n in runs]
        assert sum(owned) == total


def test_case_study_reads_the_rankings_of_2020():
    """The relations of section 5.3, from rankings made up to be as printed."""
    start = "en-de 2020 | AFRL and PROMT_NMT, "
    frames = []
    relations = {"original": (1, 2, 1, 1), "d-1.25": (1, 2, 1, 2), "d-1.5": (1, 2, 1, 2),
                 "d-2": (2, 1, 2, 1), "d-4": (2, 1, 1, 1), "d-10": (2, 1, 1, 1)}  # fmt: skip
    for name, (afrl, promt, c_afrl, c_promt) in relations.items():
        frames.append(
            pd.DataFrame(
                {
                    "pair": "en-de",
                    "ranking": name,
                    "system": ["AFRL.1", "PROMT_NMT.2", "Online-A.3"],
                    "rank": [afrl, promt, 3],
                    "cluster": [c_afrl, c_promt, 3],
                }
            )
        )
    found = knowles2021_figures._case_study(pd.concat(frames))
    rows = claims.published("knowles2021", "Figure 2")
    for row in rows[rows["cell"].str.startswith(start)].itertuples(index=False):
        assert found["Figure 2", row.cell][0] == row.published


@needs("wmt18")
@needs("wmt20")
def test_real_rows_of_figures_1_to_3():
    campaign = campaigns.find("wmt18")
    da = campaigns.load_da(campaign, "et-en")
    changes = degradation.changes_table("et-en", degradation.sweep(da))
    table = knowles2021_figures.degradation_claims(campaign, changes, pd.DataFrame(), {})
    table = table.set_index(["place", "cell"])
    exact = table[table["status"] == "exact"]
    assert not (table["status"] == "differs").any()
    assert {"1123.65", "2035.06"} <= set(exact.loc["Section 5.3", "ours"])
    assert len(exact) == 7
    assert (exact.loc["Section 5.3", "provenance"] == "official").all()


@needs("wmt18")
def test_real_rows_of_removal():
    campaign = campaigns.find("wmt18")
    da = campaigns.load_da(campaign, "et-en")
    changes = removal.changes_table("et-en", removal.variants(da))
    workers = pd.DataFrame(
        [removal.worker_percentages(campaigns.load_da(campaign, p)) for p in campaign.pairs]
    )
    table = knowles2021.removal_claims(campaign, changes, workers, {})
    assert not table["status"].isin(["differs", "rounds"]).any()
    assert (table["status"] == "exact").sum() == 10
    first = table[table["cell"] == "'18 (-DC) | rank"].iloc[0]
    assert first["reason"] == "1/1 in the pairs here; 12 pairs are absent"


def test_campaigns_outside_the_paper_answer_for_nothing():
    for name in ("demo-srdc", "wmt21"):
        assert knowles2021.owned(fake(name), "Table 2").empty


def test_rows_over_two_campaigns_take_the_least_of_both(monkeypatch):
    """Section 5.1 into English: two archives answer together, or not at all."""
    percent = {"fi-en": 100.0, "de-en": 97.5, "km-en": 80.0}
    names = {"wmt19-mturk-sntlevel": ("fi-en",), "wmt19-mturk-doclevel": ("de-en",),
             "wmt20-mturk-sntlevel": ("km-en",)}  # fmt: skip
    present = {n: SimpleNamespace(name=n, pairs=p, known_pairs=p) for n, p in names.items()}
    present["wmt19-mturk-doclevel"].known_pairs = ("de-en", "zh-en")
    monkeypatch.setattr(knowles2021, "here", lambda: present)
    monkeypatch.setattr(campaigns, "load_da", lambda _, pair: pair)
    monkeypatch.setattr(
        removal,
        "worker_percentages",
        lambda pair: {"ref_percent": percent[pair], "bad_ref_percent": 100.0},
    )
    rows = claims.published("knowles2021", "Section 5.1")
    rows = rows[rows["campaign"].str.contains(" ")]
    assert len(rows) == 4
    workers = pd.DataFrame({"pair": ["cs-en"], "ref_percent": [1.0], "bad_ref_percent": [1.0]})
    found = knowles2021._percentages(fake("wmt18"), rows, workers)
    by = {cell: answer for (_, cell), answer in found.items()}
    ref, note = by["2019 into English | workers with REF, all pairs"]
    assert ref == "97.5%" and "2 pairs" in note and "zh-en absent" in note
    assert by["2019 into English | workers with BAD_REF, all pairs"][0] == "100%"
    for kind in ("REF", "BAD_REF"):
        value, reason = by[f"2020 into English | workers with {kind}, all pairs"]
        assert value is None and reason == "wmt20-mturk-doclevel not here"
    table = knowles2021.ledger(rows, found, fake("wmt18"), "").set_index("cell")["status"]
    assert table.value_counts().to_dict() == {"no data": 2, "exact": 1, "differs": 1}
    assert knowles2021._percentages(fake("wmt19-mturk-doclevel"), rows, workers) == {}
