"""Each public call says what it takes when it is given something else."""

import pandas as pd
import pytest

import companion.legacy.rankstability as rs
from companion.legacy.rankstability.kinds import COMPARISONS, ERRORS, SCORES, SEGMENTS, check_kind, kind_of

PLAIN = pd.DataFrame({"model": ["A", "B"], "score": [1, 2]})
KINDS = {"demo-srdc": SCORES, "demo-rr": COMPARISONS, "demo-mqm": ERRORS}


def demo(name):
    return rs.load(name, {"demo-srdc": "de-en", "demo-rr": "cs-en", "demo-mqm": "en-de"}[name])


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_judgments_are_of_one_kind(name, kind):
    assert kind_of(demo(name)) == kind
    leaderboard = pd.DataFrame({"system": ["A", "B"], "segment": ["1", "1"], "score": [1, 0]})
    assert kind_of(rs.judgments(leaderboard)) == SEGMENTS


def frame_with(*columns):
    return pd.DataFrame([range(len(columns))], columns=columns)


@pytest.mark.parametrize(
    ("column", "kind"), [("block", COMPARISONS), ("severity", ERRORS), ("raw", SEGMENTS)]
)
def test_a_frame_is_known_by_a_column_beside_that_of_systems(column, kind):
    frame = frame_with("system", column)
    assert kind_of(frame) == kind
    check_kind(frame, SCORES, kind)
    with pytest.raises(rs.DataError) as caught:
        check_kind(frame, SCORES, "others")
    assert caught.value.value == kind and caught.value.expected == f"{SCORES} or others"
    with pytest.raises(rs.DataError, match="a frame that is no judgments yet"):
        kind_of(frame_with(column))


def test_what_is_no_judgments_is_told_by_its_type_or_its_columns():
    with pytest.raises(rs.DataError, match="not judgments; found 'list'"):
        kind_of([])
    with pytest.raises(rs.DataError, match=r"no judgments yet; found 'model, 5'; expected judgm"):
        kind_of(frame_with("model", 5))
    with pytest.raises(rs.DataError) as caught:
        kind_of(frame_with(*(f"column {k:03}" for k in range(30))))
    assert len(caught.value.value) == 200


TAKES = {  # what each public call takes
    "remove": set(KINDS),
    "degrade": {"demo-srdc"},
    "segment_scores": {"demo-srdc"},
    "pair_counts": {"demo-rr"},
    "mqm_scores": {"demo-mqm"},
    "srp": {"demo-mqm"},
    "feedback_arc_set": {"demo-rr"},
}
MORE = {"remove": (), "degrade": (2,)}


def called(name, thing):
    return getattr(rs, name)(thing, *MORE.get(name, ()))


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.parametrize("campaign", KINDS)
def test_a_call_takes_its_kinds_and_refuses_others(name, campaign):
    if campaign in TAKES[name]:
        called(name, demo(campaign))
        return
    with pytest.raises(rs.DataError):
        called(name, demo(campaign))


@pytest.mark.parametrize("name", sorted({*TAKES, "rank_systems", "verdict"} - {"feedback_arc_set"}))
@pytest.mark.parametrize("thing", [PLAIN, [1, 2], None], ids=["frame", "list", "nothing"])
def test_what_is_no_judgments_is_refused(name, thing):
    with pytest.raises(rs.DataError, match="judgments"):
        called(name, thing)


@pytest.mark.parametrize("name", ["load", "find"])
def test_a_frame_is_no_campaign(name):
    with pytest.raises(rs.DataError, match="not a campaign; found 'DataFrame'; expected a name"):
        getattr(rs, name)(PLAIN)


def test_what_is_no_ranking_is_refused():
    with pytest.raises(rs.DataError, match="rank_systems"):
        rs.fewest(PLAIN)
    with pytest.raises(rs.DataError, match="not a ranking"):
        rs.compare(PLAIN, PLAIN)
    with pytest.raises(rs.DataError, match="whose judgments are not known"):
        rs.fewest(rs.rank_systems(rs.segment_scores(demo("demo-srdc"))))
