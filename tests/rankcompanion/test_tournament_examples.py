"""The worked examples of Lopez (2012)."""

from __future__ import annotations

from conftest import needs
from rankcompanion import tournament
from rankstability.read import campaigns


def test_figure_1_five_outputs_make_ten_rankings_one_of_them_a_tie():
    implied = tournament.implied(tournament.figure1())
    assert len(implied) == 10
    ties = implied[implied["relation"] == "≡"]
    assert ties[["first", "second"]].to_numpy().tolist() == [["RWTH", "RWTH-COMBO"]]


def test_figure_2_two_fifths_lose_to_two_fourths_although_nothing_contradicts_the_order():
    example = tournament.solve(tournament.figure2())
    assert example.orders["mfas"] == tuple("ABCD")
    assert example.orders["wmt_official"] == tuple("ACBD")
    assert (example.mfas.cost, example.cost("wmt_official")) == (0, 1)


def test_figure_3_one_edge_is_enough():
    example = tournament.solve(tournament.figure3())
    assert example.mfas.certificate().to_numpy().tolist() == [["G", "E", 1]]


@needs("wmt10")
def test_the_block_of_figure_1_is_in_the_data_once():
    frame = campaigns.load_rr(campaigns.find("wmt10"))
    rows = tournament.find_block(frame, tournament.figure1())
    assert rows["block"].nunique() == 1 and len(rows) == 5
