"""By which names columns are known."""

import pytest

from rankstability.errors import DataError
from rankstability.names import candidates


def found(*header, **given):
    return {ours: may for ours, may in candidates(header, given).items() if may}


def test_columns_are_known_by_several_names_whatever_their_case():
    assert found("Model", "Item", "star") == {"system": ["Model"], "segment": ["Item"]}
    assert found("MT_engine", "SegID", "Raw score")["system"] == ["MT_engine"]
    assert found("MT_engine", "SegID", "Raw score")["segment"] == ["SegID"]
    assert found("MT_engine", "SegID", "Raw score")["score"] == ["Raw score"]


def test_our_own_name_comes_before_others_and_these_before_uncertain_ones():
    assert found("model", "system") == {"system": ["system"]}
    assert found("question", "seg") == {"segment": ["seg"]}
    assert found("question", "prompt") == {"segment": ["question", "prompt"]}


def test_a_column_that_is_given_serves_for_nothing_else():
    assert found("score", "rating", score="rating") == {"score": ["rating"]}
    assert found("model", "user", system="user") == {"system": ["user"]}
    with pytest.raises(DataError, match="no such column for score; found 'stars'"):
        candidates(["score"], {"score": "stars"})
