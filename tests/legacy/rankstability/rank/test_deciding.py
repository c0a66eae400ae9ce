"""The public call of `fewest`: what decides a ranking of judgments, of any kind."""

import numpy as np
import pandas as pd
import pytest

from assessments import made
from companion.legacy.rankstability import battles as read_battles
from companion.legacy.rankstability import fewest, judgments, rank_systems
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.battles import battles
from companion.legacy.rankstability.rank.deciding import fewest_comparisons


def ratings():
    """A is first by one lucky judgment of 90; without it, B is."""
    rows = [("A", k, f"w{k % 4}", 60.0 if k else 90.0) for k in range(8)]
    rows += [("B", k, f"w{k % 4}", 62.0) for k in range(8)]
    return pd.DataFrame(rows, columns=["system", "segment", "annotator", "score"])


def test_one_judgment_decides_who_is_first_and_its_annotator_does():
    ranking = rank_systems(judgments(ratings()), recipe="wmt25")
    table = fewest(ranking)
    assert table.columns.tolist() == ["what", "unit", "fewest", "of", "exact", "new_first"]
    assert table.to_numpy().tolist()[:2] == [
        ["first", "judgment", 1, 16, 1, "B"],
        ["first", "annotator", 1, 4, 1, "B"],
    ]
    assert {*table["unit"]} == {"judgment", "annotator"}  # no document is named


@pytest.mark.parametrize(
    "thing", ["wmt21", made([[0, 1], [0, 0]])], ids=["no ranking", "no source"]
)
def test_a_ranking_whose_judgments_are_not_known_is_refused(thing):
    with pytest.raises(DataError, match="whose judgments are not known") as error:
        fewest(thing)
    assert "rank_systems" in error.value.expected


def fights(*judges):
    """Twelve battles of A and B, of which A won the first seven."""
    frame = pd.DataFrame({"left": list("AAAAAAABBBBB"), "right": list("BBBBBBBAAAAA")})
    return frame.assign(winner="left", judge=judges)


def test_a_ranking_of_battles_is_decided_by_battles_and_by_judges():
    ranking = rank_systems(read_battles(fights(*"uuuuvvwvvvww"), left="left", right="right"))
    assert ranking.systems == ("A", "B")
    table = fewest(ranking)
    assert table.index.tolist() == [0, 1] and table["unit"].tolist() == ["judgment", "annotator"]
    assert [*table] == ["what", "unit", "fewest", "of", "exact", "new_first"]
    assert table["of"].tolist() == [12, 3]
    # 5 to 5 leaves A before B by name: three of A's must go; without u there are 3 and 5
    assert table["fewest"].tolist() == [3, 1] and table["new_first"].tolist() == ["B", "B"]


@pytest.mark.parametrize(
    ("judges", "units"),
    [
        ("uvuvuvuvuvuv", ["judgment", "annotator"]),
        ("uuuuuuuuuuuu", ["judgment"]),
        ("uvuvuvuvuvu ", ["judgment"]),
    ],
)
def test_judges_decide_only_where_there_are_several_and_all_are_named(judges, units):
    rows = fights(*(j.strip() for j in judges))
    frame = read_battles(rows, left="left", right="right")
    compared = battles(frame)
    assert compared.unnamed == judges.count(" ")
    table = fewest_comparisons(compared, 0.05)
    assert table["unit"].tolist() == units and table["of"].tolist()[0] == 12
    assert table.index.tolist() == list(range(len(units)))


def test_a_model_that_never_lost_takes_nothing_from_what_decides_the_others():
    """It has no place: the few that decide are those of the others alone."""
    rng = np.random.default_rng(4)
    sides = rng.permuted(np.tile(list("abcd"), (200, 1)), axis=1)[:, :2]
    rows = [(x, y, min(x, y) if rng.random() < 0.6 else max(x, y)) for x, y in sides]
    frame = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])
    frame["judge"] = rng.choice(list("jklm"), len(frame))
    new = pd.DataFrame({"model_a": "new", "model_b": ["a", "b"], "winner": "new", "judge": "j"})
    alone, beside = (
        fewest(rank_systems(read_battles(each)))
        for each in (frame, pd.concat([frame, new], ignore_index=True))
    )
    pd.testing.assert_frame_equal(alone, beside)
