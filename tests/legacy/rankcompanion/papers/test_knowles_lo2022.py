"""Knowles and Lo 2022 on the claims ledger: both rankings come out, to the digit and the line."""

import pytest

from conftest import needs
from companion.legacy.paperkit import claims
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.papers import knowles_lo2022
from companion.legacy.rankstability.errors import DataError


@pytest.fixture(scope="module")
def judged():
    whole = campaigns.find(knowles_lo2022.OWN)
    return {part: campaigns.load(whole.part(part), "en-iu") for part in whole.parts}


@needs("wmt20-iku")
def test_every_printed_cell_comes_out_exactly(judged):
    rankings = {
        part: knowles_lo2022.ranking(da, knowles_lo2022.STANDARD[part])
        for part, da in judged.items()
    }
    rows = knowles_lo2022.ledger(rankings)
    assert len(rows) == len(claims.published("knowles_lo2022")) == 12 * 4 - 1 + 13 * 4 - 1
    assert set(rows["status"]) == {"exact"}
    assert rankings["News"]["line"].notna().tolist() == [
        k in (1, 5, 8, 9, 10, 11, 12) for k in range(1, 14)
    ]
    del rankings["News"]
    rows = knowles_lo2022.ledger(rankings)
    assert set(rows.loc[rows["place"] == "Table 4", "status"]) == {"no data"}


@needs("wmt20-iku")
def test_the_news_ranking_needs_the_papers_standardisation(judged):
    plain = knowles_lo2022.ledger({"News": knowles_lo2022.ranking(judged["News"])})
    assert (plain.loc[plain["place"] == "Table 4", "status"] == "differs").sum() > 5
    with pytest.raises(DataError, match="no rows of the system to standardise by"):
        knowles_lo2022.ranking(judged["News"], "SRPOL")
