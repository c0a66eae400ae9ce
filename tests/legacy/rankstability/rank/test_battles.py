"""Comparisons by unit, their ranking, what is certain of it, and whom each system met: by hand."""

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcompanion.models.units import loads
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.battles import battles
from companion.legacy.rankstability.rank.bradley_terry import davidson
from companion.legacy.rankstability.rank.certainty import of_battles, of_wins


def task(*blocks):
    """Rows of a task: of each block its judge, then the systems of each rank as one word."""
    rows = []
    for k, (judge, *ranks) in enumerate(blocks):
        shown = [(system, rank) for rank, word in enumerate(ranks, 1) for system in word]
        for place, (system, rank) in enumerate(shown, 1):
            rows.append(("t", k, judge, f"q{k}", place, system, rank))
    columns = ["task", "block", "judge", "segment", "position", "system", "rank"]
    return pd.DataFrame(rows, columns=columns)


def test_two_outputs_side_by_side_are_battles_and_more_are_blocks():
    pairs = battles(task("uAB", "vBA", "uAB"))
    assert (pairs.unit, pairs.method, pairs.kinds) == ("judge", "strength", ("judge",))
    assert pairs.number["unit"].tolist() == ["judge", "battle"]
    three = battles(task("uABC", "vCBA"))
    assert (three.unit, three.method, three.systems) == ("judge", "bojar", ("A", "B", "C"))
    assert three.number.to_numpy().tolist() == [["judge", 2, "", 1], ["block", 2, "judge", 0]]
    assert three.counted == 6 and loads(three, "judge").tolist() == [6, 6]
    assert not (three.adaptive or three.items) and three.workers == ()
    with pytest.raises(FrozenInstanceError):
        three.unit = "block"


def test_where_a_block_names_no_judge_blocks_are_the_units():
    some = battles(task("uABC", ("", "C", "B", "A"), ("", "B", "A", "C")))
    assert (some.unit, some.judges, some.unnamed) == ("block", 1, 2)
    assert some.number.to_numpy().tolist() == [["block", 3, "", 1]]
    assert loads(some, "block").tolist() == [6, 6, 6]
    with pytest.raises(DataError, match="blocks that name no judge; found '2 of 3'"):
        battles(task("uABC", ("", "C", "B", "A"), ("", "B", "A", "C")), "judge")


def test_the_reference_is_not_compared():
    made = task("uAB", "vBA")
    more = task(("u", "R", "A")).assign(block=9).replace({"system": {"R": "_ref"}})
    assert battles(pd.concat([made, more], ignore_index=True)).systems == ("A", "B")


def campaign(seed, judges=9, blocks=12):
    """Blocks of three of four systems, of which the best is shown seldom."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(judges * blocks):
        shown = rng.choice(4, 3, replace=False, p=[0.04, 0.32, 0.32, 0.32])
        best_first = shown[np.argsort(shown * 0.5 + rng.normal(size=3))]
        rows.append((f"j{k % judges}", *("DABC"[s] for s in best_first)))
    return task(*rows)


@pytest.mark.parametrize("unit", ["judge", "block"])
@pytest.mark.parametrize("seed", range(4))
def test_shares_of_wins_are_apart_only_if_strengths_are_so_too(seed, unit):
    made = battles(campaign(seed), unit)
    assert made.unit == unit
    got = made.certain(0.05)
    alone = of_wins(made.systems, *made.grouped.decided_by_system(), unit)
    strong = of_battles(made.every, unit)
    p = {}
    for name, one in (("both", got), ("wins", alone), ("strength", strong)):
        p[name] = pd.DataFrame(one.p, one.systems, one.systems).loc[[*"ABCD"], [*"ABCD"]]
    share = pd.Series(alone.mean, alone.systems)[[*"ABCD"]].to_numpy()
    strength = pd.Series(strong.mean, strong.systems)[[*"ABCD"]].to_numpy()
    alike = np.subtract.outer(share, share) * np.subtract.outer(strength, strength) >= 0
    expected = np.where(alike, np.maximum(p["wins"], p["strength"]), 1.0)
    assert p["both"].to_numpy() == pytest.approx(expected)
    assert got.units == {unit: len(made.grouped.judges)}


def test_battles_are_certain_by_their_strengths():
    rng = np.random.default_rng(1)
    rows = [(f"j{k % 7}", *rng.permutation([*"AB"])) for k in range(70)]
    made = battles(task(*rows, ("j0", "AB")))
    got = made.certain(0.05)
    assert got.mean.sum() == pytest.approx(0) and got.units == {"judge": 7}
    assert made.certain(0.01).alpha == 0.01
    assert battles(task(*rows), "block").certain(0.05).units == {"battle": 70}


def test_relative_rankings_are_ordered_by_the_share_of_decided_comparisons_won():
    made = battles(task("uABC", "vACB", "uBAC", ("v", "A", "BC"))).ranked(0.05)
    assert [*made.table] == ["rank", "system", "score", "cluster", "bojar"]
    assert (made.by, made.recipe, made.test) == ("score", "bojar", "sign test")
    assert made.systems == ("A", "B", "C")
    assert made.score.tolist() == pytest.approx([7 / 8, 3 / 7, 1 / 7])
    assert made.table["bojar"].tolist() == made.score.tolist()


def test_who_never_lost_or_never_won_comes_behind_the_others_by_the_share_of_wins():
    rows = ["uAB", "uAB", "vAB", "vBA", "uBC", "vBC", "vCB"]
    fought = [*rows, "uXA", "vBY", "uBZ", "vCZ", "uXB"]
    made = battles(task(*fought)).ranked(0.05)
    assert made.systems == ("A", "B", "C", "X", "Y", "Z")
    joined = battles(task(*rows))
    assert made.score[:3] == pytest.approx(davidson(joined.every.counts)[0])
    assert joined.ranked(0.05).score == pytest.approx(made.score[:3])
    assert np.isnan(made.score[3:]).all() and made.recipe == "strength"
    shares = [3 / 5, 5 / 10, 2 / 4, 1, 0, 0]  # with what they won and lost against X, Y and Z
    assert made.table["bojar"].tolist() == pytest.approx(shares)
    assert [made.order[k] for k in range(6)] == [0, 1, 2, 3, 4, 5]


def test_a_system_that_only_tied_has_no_share_of_wins():
    rows = [("u", "A", "B", "C"), ("v", "C", "B", "A")]
    with pytest.raises(DataError, match="only tied have no share of wins") as error:
        battles(task(*rows, ("v", "AD")))
    assert error.value.value == ["D"]
    assert battles(task("uAB", "vBA", ("v", "AD"))).systems == ("A", "B", "D")  # strengths know it
    assert battles(task(("u", "ABC"))).counted == 0  # nobody has one: `standing` refuses it


def test_groups_of_systems_that_never_met_are_refused():
    with pytest.raises(DataError, match="never compared with each other"):
        battles(task("uAB", "vBA", "uCD", "vDC"))
