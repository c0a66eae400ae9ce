"""A judge of battles: what its votes share with people's beyond strengths, and its sides."""

import numpy as np
import pandas as pd
import pytest

import companion.legacy.rankstability as rs
from conftest import needs
from companion.legacy.rankcampaigns import campaigns, judges
from companion.legacy.rankcompanion.notebooks.judges import battles, tables
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.resampling import units


def simulated(rng, shared, lean=0.0, battles_of=3000):
    """Votes of two judges on the same battles of six models, which share a taste for answers."""
    strength = np.linspace(-1, 1, 6)
    frame = pd.DataFrame({"question": rng.integers(40, size=battles_of).astype(str)})
    pairs = np.array([rng.choice(6, 2, replace=False) for _ in range(battles_of)])
    frame["left"], frame["right"] = np.array(list("ABCDEF"))[pairs].T
    lead = strength[pairs[:, 0]] - strength[pairs[:, 1]]
    taste = rng.normal(size=battles_of) * shared
    votes = [(lead + taste + rng.logistic(size=battles_of) + tilt > 0) for tilt in (0, lean)]
    frame = frame.assign(number=np.arange(battles_of)).astype({"number": str})
    frame["question"] += "." + frame["number"]  # each battle once
    people = frame.assign(vote=votes[0].astype(float), judge="x")
    return people, frame.assign(vote=votes[1].astype(float), judge="model")


def grouped(both):
    return both.assign(question=both["question"].str.partition(".")[0])


def test_strengths_alone_are_worth_nothing_and_a_shared_taste_is_worth_something():
    rng = np.random.default_rng(7)
    strangers = battles.joined(*simulated(rng, shared=0.0))
    raw = np.corrcoef(strangers["vote"], strangers["vote_judge"])[0, 1]
    found = battles.judged(battles.compared(grouped(strangers)))
    assert raw**2 > 0.02 and found["r_low"] < 0 < found["r_high"] and found["worth"] < 0.003
    friends = battles.judged(battles.compared(grouped(battles.joined(*simulated(rng, shared=2.0)))))
    assert friends["r_low"] > 0.3 and friends["vd_share"] == 1


def test_a_judge_that_leans_to_the_left_is_seen():
    rng = np.random.default_rng(8)
    both = grouped(battles.joined(*simulated(rng, shared=0.5, lean=1.0)))
    people, judge = (battles.position(name, both, name) for name in ("vote", "vote_judge"))
    assert people["low"] < 0 < people["high"] and judge["low"] > 0.2
    assert judge["left_share"] > 0.6 and judge["votes"] == 3000


def test_what_is_odd_about_a_judge_of_battles_is_seen():
    people, judge = simulated(np.random.default_rng(2), 0.5, battles_of=300)
    part = judge[(judge["left"] != "F") & (judge["right"] != "F")]
    votes = {"level": judge.assign(vote=1.0), "same": people, "part": part}
    judges = pd.concat([frame.assign(judge=name) for name, frame in votes.items()])
    data = units(as_battles(people))
    orders = tables.of_votes(people, judges, data)[1].set_index("judge")
    assert orders["constant"].to_dict() == {"level": 1, "part": 0, "same": 0}
    assert orders["equal"].to_dict() == {"level": 0, "part": 0, "same": 1}
    assert orders["lacking"].to_dict() == {"level": "", "part": "F", "same": ""}


def as_battles(votes):
    """The battles of people with these votes, as `load` returns them."""
    side = votes["vote"].map({1.0: "model_a", 0.0: "model_b"})
    named = {"left": "model_a", "right": "model_b", "question": "question_id"}
    return rs.battles(votes.rename(columns=named).assign(winner=side))


def test_battles_of_others_are_refused_with_one_of_each():
    people, judge = simulated(np.random.default_rng(1), 0.0, battles_of=50)
    with pytest.raises(DataError, match="no battle of people") as caught:
        battles.joined(people, judge.assign(question="q" + judge["question"]))
    assert people["question"][0] in str(caught.value)


@needs("llmfao")
def test_gpt_on_the_battles_of_llmfao_is_worth_what_was_measured():
    campaign = campaigns.find("llmfao")
    pair = campaign.pairs[0]
    people = tables.people_votes(campaign, pair)
    data = units(campaigns.load(campaign, pair))
    assert len(people) == 8931 and len(data.judges) == 8931  # none of GPT's 4,278
    rows, _, sides = tables.of_votes(people, judges.read(campaign, pair), data)
    rows, sides = rows.set_index("judge"), sides.set_index("who")
    expected = {"GPT-4": [0.088, 0.025, 0.150], "GPT-3": [0.048, 0.000, 0.096]}
    for judge, values in expected.items():
        found = rows.loc[judge, ["r", "r_low", "r_high"]].to_numpy(float)
        assert found == pytest.approx(values, abs=6e-4)
        assert rows.loc[judge, "worth"] == pytest.approx(found[0] ** 2)
    assert rows.loc["GPT-3", "worth_low"] == 0  # no saving can be shown
    # every two votes on a battle; an oracle with one order of each gave .163, .111 to .213
    person = rows.loc[tables.PERSON, ["r", "r_low", "r_high"]].to_numpy(float)
    assert person == pytest.approx([0.163, 0.111, 0.213], abs=0.016)
    shares = sides.loc[["people", "GPT-3", "GPT-4"], "left_share"].to_numpy(float)
    assert shares == pytest.approx([0.533, 0.695, 0.455], abs=6e-4)
    assert (rows.loc[["GPT-3", "GPT-4"], "outputs"] == 2139).all()
