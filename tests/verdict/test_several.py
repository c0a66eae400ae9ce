"""Several verdicts at once, side by side."""

import json

import pytest

import rankstability as rs
from rankstability.errors import DataError
from rankstability.verdict.several import folder_names
from rated_systems import ratings


def test_pairs_side_by_side(tmp_path):
    pairs = {pair: rs.load("demo-srdc", pair) for pair in ("de-en", "en-cs")}
    found = rs.verdict(pairs, tmp_path / "out", over_all=True)
    for name in pairs:
        alone = rs.verdict(pairs[name])
        assert found[name].facts["could_be_first"] == alone.facts["could_be_first"]
        assert (tmp_path / "out" / name / "verdict.html").exists()
        assert set(found.candidates[name]) <= set(alone.ranking.systems) - set(pairs[name].humans)
    written = json.loads((tmp_path / "out" / "index.json").read_bytes())
    assert written["candidates"] == found.candidates and written["over_all"]["rows"]
    text = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert 'href="de-en/verdict.html"' in text and "<script" not in text


def test_leaders_share_the_level():
    """A system that leads by little leads alone, but not with many rankings beside it."""
    parts = {str(k): ratings(seed=k) for k in range(3)}
    found = rs.verdict(parts)
    assert all(systems == ["A"] for systems in found.candidates.values())
    assert all(each.facts["alpha"] == 0.05 for each in found.verdicts.values())


def test_each_value_of_a_column():
    judgments = ratings()
    table = judgments.table.copy()
    table["topic"] = ["even" if int(str(name)[1:]) % 2 else "odd" for name in table["segment"]]
    found = rs.verdict(judgments.with_table(table), each="topic")
    assert set(found.verdicts) == {"odd", "even"}
    assert found["odd"].facts["counts"]["judgments"] == 120
    with pytest.raises(DataError) as error:
        rs.verdict(judgments, each="genre")
    assert error.value.code == "no_such_column"


def test_folders_are_safe_and_distinct():
    names = folder_names(["a/b", "a\\b", "..", "", "x" * 300, "A/B", "\x1b[31m"])
    folders = list(names.values())
    assert len({name.lower() for name in folders}) == len(folders)
    assert all(name and "/" not in name and "\\" not in name for name in folders)
    assert max(map(len, folders)) < 70 and ".." not in folders


@pytest.mark.parametrize("words", [{"each": "topic"}, {"over_all": True}])
def test_an_argument_of_several_rankings_is_refused_where_it_says_nothing(words):
    judgments = ratings()
    with pytest.raises(DataError) as error:
        rs.verdict({"a": judgments} if "each" in words else judgments, **words)
    assert error.value.code == "argument_not_used"
