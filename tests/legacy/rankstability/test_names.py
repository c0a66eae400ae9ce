"""By which names columns are known."""

import pytest

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.names import FIELDS, candidates, plain, voters


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


def test_a_name_is_reduced_to_letters_and_digits_in_lower_case():
    assert plain("Item_ID 2.") == "itemid2" and plain("Übung") == "bung" and plain("") == ""


def test_each_of_our_columns_has_its_candidates_and_a_given_name_may_be_any():
    told = candidates(["lp", "Doc-ID", "stars", "lead_time", "question", "Prompt"],
                      {"score": "stars", "domain": "lp"})  # fmt: skip
    assert list(told) == list(FIELDS)
    assert {ours: may for ours, may in told.items() if may} == {
        "segment": ["question", "Prompt"], "score": ["stars"], "document": ["Doc-ID"],
        "domain": ["lp"], "time": ["lead_time"],
    }  # fmt: skip
    with pytest.raises(DataError) as caught:
        candidates(["a", "b"], {"hit": "c"})
    assert (caught.value.value, caught.value.expected) == ("c", "a, b")


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (["model_a", "model_b", "winner", "User ID"], "User ID"),
        (["worker", "judge", "user"], "judge"),
        (["user", "annotator"], "annotator"),
        (["model_a", "winner", "username"], ""),
    ],
)
def test_who_voted_is_found_by_the_name_of_its_column(header, found):
    assert voters(header) == found
