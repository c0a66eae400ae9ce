"""Every number Lopez (2012) prints, on the official data."""

from __future__ import annotations

import pytest

from conftest import needs
from rankstability.papers import claims, lopez2012
from rankstability.read import campaigns
from rankstability.study import tournament_tasks


def solved(name: str):
    return tournament_tasks.solve_tasks(campaigns.load_rr(campaigns.find(name)))


@pytest.fixture(scope="module")
def wmt10(have_wmt10):
    return solved("wmt10")


@pytest.fixture(scope="module")
def wmt11(have_wmt11):
    return solved("wmt11")


def status(rows, place, cell):
    row = rows[(rows["place"] == place) & (rows["cell"] == cell)]
    assert len(row) == 1, (place, cell)
    return row.iloc[0]


def test_figure_2_two_fifths_lose_to_two_fourths_although_nothing_contradicts_the_order():
    values = lopez2012.examples()
    assert values["Figure 2", "B | Eq. 1"] == "2/5" and values["Figure 2", "C | Eq. 1"] == "2/4"
    example = tournament_tasks.solve(lopez2012.figure2())
    assert example.orders["mfas"] == tuple("ABCD")
    assert example.orders["wmt_official"] == tuple("ACBD")
    assert (example.mfas.cost, example.cost("wmt_official")) == (0, 1)


def test_figure_1_five_outputs_make_ten_rankings_one_of_them_a_tie():
    values = lopez2012.examples()
    assert values["Figure 1", "pairwise rankings in a block of five"] == 10
    assert values["Figure 1", "RWTH and RWTH-COMBO"] == "≡"


def test_figure_3_one_edge_is_enough():
    example = tournament_tasks.solve(lopez2012.figure3())
    assert example.mfas.certificate().to_numpy().tolist() == [["G", "E", 1]]


def test_every_printed_cell_has_one_campaign_and_one_key():
    rows = claims.published("lopez2012")
    assert not rows.duplicated(["place", "cell"]).any()
    assert set(rows["campaign"]) == {"wmt10", "wmt11"}
    assert rows["published"].ne("").all() and rows["source"].ne("").all()


def test_wmt10_is_exact_but_for_one_misprint_and_another_optimum(wmt10):
    rows = lopez2012.ledger("wmt10", wmt10)
    assert (rows["status"] != "no data").all()
    apart = rows[rows["status"] != "exact"]
    assert set(apart["status"]) == {"differs"} and apart["reason"].ne("").all()
    other = apart[~apart["cell"].str.startswith("MFAS | ")]
    assert sorted(other["cell"]) == [
        "2010 French-English | Eq. 2 | violations",
        "2010 French-English | Eq. 3 | violations",
    ]
    assert sorted(other["ours"]) == ["108", "118"]
    assert (rows.loc[rows["place"] == "Table 1", "status"] == "exact").all()
    edges = rows[rows["cell"].str.startswith("violated")]
    assert len(edges) == 24 and (edges["status"] == "exact").all()


def test_the_printed_ranking_of_table_3_is_one_of_the_eight_optima(wmt10):
    task = wmt10["fr-en"]
    assert lopez2012.printed_cost("Table 3", "MFAS", task) == task.mfas.cost == 61
    assert task.mfas.n_optima == 8


def test_wmt11_is_exact_but_for_the_misprints_of_table_2(wmt10, wmt11):
    rows = lopez2012.ledger("wmt11", wmt11, wmt10)
    apart = rows[rows["status"] != "exact"]
    assert sorted(apart["cell"]) == ["BOJAR | weight of violated edges", "task"]
    assert status(rows, "Table 2", "BOJAR | weight of violated edges").ours == "28"
    assert status(rows, "Section 5.1", "acyclic tasks").ours == "9"
    totals = rows[rows["cell"].str.startswith("violations over all tasks")]["ours"]
    assert list(totals) == ["396", "1140", "1215", "979"]
    assert wmt11["en-cs individual"].cost("heuristic2") == 69  # where the misprinted 69 comes from
    row = status(rows, "Section 5.2", "tunable | Spearman | WMT-OFFICIAL and MFAS")
    assert row.status == "exact" and "0.905" in row.reason


def test_without_wmt10_the_totals_are_no_data_and_say_why(wmt11):
    rows = lopez2012.ledger("wmt11", wmt11)
    missing = rows[rows["status"] == "no data"]
    assert len(missing) == 6 and set(missing["reason"]) == {lopez2012.NEEDS_BOTH}


def test_one_pair_compares_only_its_own_cells(wmt11):
    one = {k: v for k, v in wmt11.items() if k.startswith("ur-en")}
    rows = lopez2012.ledger("wmt11", one, complete=False)
    assert set(rows["place"]) == {"Table 1", "Table 4", "Section 5.2"}
    assert (rows["status"] == "exact").all()


@needs("wmt12")
def test_other_campaigns_have_nothing_to_compare():
    assert lopez2012.ledger("wmt12", solved("wmt12")).empty


@needs("wmt10")
def test_the_block_of_figure_1_is_in_the_data_once():
    rows = lopez2012.figure1_in_data(campaigns.load_rr(campaigns.find("wmt10")))
    assert rows["block"].nunique() == 1 and len(rows) == 5
