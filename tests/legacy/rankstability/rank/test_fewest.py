"""How few judgments decide: brute force on small cases, and removals tried on real campaigns."""

from dataclasses import FrozenInstanceError, replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import companion.legacy.rankstability as rs
from conftest import needs
from companion.legacy.rankcompanion.models.tasks import tasks
from companion.legacy.rankstability import load, rank_systems
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import direct_assessment
from companion.legacy.rankstability.rank import bradley_terry, fewest, resampling
from companion.legacy.rankstability.rank.recipes import RECIPES, counted_by, made_by, recipe_means
from companion.legacy.rankstability.rank.systems import rank_counts
from companion.legacy.rankstability.score.da import judgment_z
from companion.legacy.rankstability.score.pairwise import PairCounts
from companion.legacy.rankstability.score.scored import from_frame

BY_SEGMENT = RECIPES["wmt23"]
BY_JUDGMENT, BY_DOMAIN = RECIPES["wmt25"], RECIPES["wmt24"]


def small(seed, systems=3, segments=4, repeats=0, named=True, domains=False):
    """Few judgments with integer scores, each segment once but for `repeats`."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"S{s}", f"s{k}", int(rng.integers(0, 12)) - s)
        for s in range(systems) for k in range(segments)
    ]  # fmt: skip
    rows += [(f"S{rng.integers(systems)}", f"s{rng.integers(segments)}", 5) for _ in range(repeats)]
    frame = pd.DataFrame(rows, columns=["system", "segment", "score"]).assign(type="SYSTEM")
    if named:
        frame["worker"] = rng.choice(["u", "v", "w"], len(frame))
        frame["document"] = frame["segment"].map(lambda s: f"d{int(s[1:]) // 2}")
    if domains:
        frame["domain"] = frame["segment"].map(lambda s: f"g{int(s[1:]) % 2}")
    return direct_assessment("xx-yy", frame)


def first_of(judged, recipe, keep):
    """Who is first among the judgments kept; nobody where a system has none left."""
    one = judged.take(keep)
    if len(np.unique(one.system)) < len(judged.systems):
        return None
    return recipe_means(one, recipe).argmax()


def brute(judged, recipe, codes):
    """The fewest units without which another is first, over all subsets; inf if none is."""
    names, first = np.unique(codes), first_of(judged, recipe, np.ones(len(codes), bool))
    for k in range(1, len(names)):
        for out in combinations(names, k):
            now = first_of(judged, recipe, ~np.isin(codes, out))
            if now is not None and now != first:
                return k
    return np.inf


def row(table, unit, what="first"):
    (one,) = [r for r in table if (r.what, r.unit) == (what, unit)]
    return one


@pytest.mark.parametrize("recipe", [BY_SEGMENT, BY_JUDGMENT], ids=lambda r: r.name)
@pytest.mark.parametrize("seed", range(6))
def test_fixed_scores_judged_once_are_exact(seed, recipe):
    da = small(seed)
    judged, found = counted_by(da, recipe), fewest.removals(da, recipe)
    expected = brute(judged, recipe, np.arange(len(judged.score)))
    got = row(found, "judgment")
    assert got.exact == np.isfinite(expected) and got.of == 12
    np.testing.assert_equal(got.fewest, expected if np.isfinite(expected) else np.nan)
    for unit, kind in (("annotator", "worker"), ("document", "document")):
        got, expected = row(found, unit), brute(judged, recipe, judged.unit(kind))
        assert not got.fewest < expected
        assert got.fewest == expected or not got.exact


@pytest.mark.parametrize("recipe", [BY_SEGMENT, BY_JUDGMENT, BY_DOMAIN], ids=lambda r: r.name)
@pytest.mark.parametrize("seed", range(4))
def test_elsewhere_it_is_a_bound_that_was_tried(seed, recipe):
    da = small(seed, segments=3, repeats=3, domains=recipe.by_domain)
    judged, found = counted_by(da, recipe), fewest.removals(da, recipe)
    every = first_of(judged, recipe, np.ones(len(judged.score), bool))
    got = row(found, "judgment")
    if recipe is BY_JUDGMENT:  # each judgment counts alike, however often a segment was judged
        expected = brute(judged, recipe, np.arange(len(judged.score)))
        assert got.fewest == expected or np.isinf(expected)
    elif got.fewest > 1:
        assert got.exact == 0
    assert np.isnan(got.fewest) or (~got.kept).sum() == got.fewest
    for one in found:
        if one.what == "first" and one.fewest == one.fewest:
            now = first_of(judged, recipe, one.kept)
            assert now != every and judged.systems[now] == one.new_first


def test_a_first_place_that_nothing_takes_away_has_no_number():
    frame = pd.DataFrame(
        [(s, f"s{k}", 10.0 - 5 * (s == "b")) for s in "ab" for k in range(5)],
        columns=["system", "segment", "score"],
    ).assign(type="SYSTEM")
    table = fewest.fewest(direct_assessment("xx-yy", frame), BY_JUDGMENT)
    assert table["unit"].unique().tolist() == ["judgment"]
    assert table["fewest"].isna().all() and (table["exact"] == 0).all()


@pytest.mark.parametrize("name", ["wmt17", "wmt23", "wmt24", "wmt25", "wmt26"])
def test_without_them_the_line_is_gone(name):
    recipe, da = RECIPES[name], load("demo-srdc", "de-en")
    every = rank_systems(da, recipe=name)
    found = fewest.removals(da, recipe)
    whats = ["first", *(f"line below {k}" for k in every.lines)]
    assert [r.what for r in found[::3]] == whats and len(found) == 3 * len(whats)
    for one in found:
        number, codes = int((~one.kept).sum()), counted_by(da, recipe)
        if one.unit != "judgment":
            unit = codes.unit("worker" if one.unit == "annotator" else "document")
            number = len(np.unique(unit)) - len(np.unique(unit[one.kept]))
        assert number == one.fewest <= one.of
        if recipe.score == "raw":
            made = made_by(codes.take(one.kept), recipe)
            names = [codes.systems[k] for k in made.order]
            if one.what == "first":
                assert names[0] == one.new_first != every.systems[0]
            else:
                k = int(one.what.split()[-1])
                same = set(names[:k]) == set(every.systems[:k])
                assert not (same and k in made.lines)


def physically(da, kept, judged_rows):
    """The judgments without some that count, taken out of both files; and how many those are.

    A judgment of a joined id ``A+B`` stands once in the one and for each system in the other.
    """
    key = ["worker", "hit", "document", "segment", "type", "score", "block"]
    left = [tuple(map(str, row)) for row in da.latest[key].to_numpy()]
    places: dict = {}
    for k, (name, row) in enumerate(zip(da.latest["system"].astype(str), left, strict=True)):
        for part in name.split("+"):
            places.setdefault((part, row), []).append(k)
    gone = da.good.index[judged_rows][~kept]
    out = da.good.loc[gone]
    taken = {
        places[system, tuple(map(str, row))].pop()
        for system, row in zip(out["system"].astype(str), out[key].to_numpy(), strict=True)
    }
    latest = da.latest[~np.isin(np.arange(len(da.latest)), list(taken))]
    return replace(da, latest=latest, good=da.good.drop(index=gone)), len(taken)


def check_z(da):
    recipe = RECIPES["wmt17"]
    judged, every = counted_by(da, recipe), rank_systems(da, recipe="wmt17")
    rows = da.good["type"].isin(["SYSTEM", "REPEAT"]).to_numpy() & np.isfinite(judgment_z(da))
    assert rows.sum() == len(judged.score)
    found = fewest.removals(da, recipe)
    for one in found:
        without, taken = physically(da, one.kept, rows)
        assert one.unit != "judgment" or taken == one.fewest
        now = rank_systems(without, recipe="wmt17")
        if one.what == "first":
            assert now.systems[0] == one.new_first != every.systems[0]
        else:
            k = int(one.what.split()[-1])
            assert not (set(now.systems[:k]) == set(every.systems[:k]) and k in now.lines)
    return found


def test_z_scores_are_standardised_anew_without_them():
    check_z(load("demo-srpdc", "de-en"))


@needs("wmt21")
@pytest.mark.slow
def test_one_judgment_of_25645_decides_who_is_first_in_wmt21_german_english():
    first = [one for one in check_z(load("wmt21", "de-en")) if one.what == "first"]
    assert (first[0].unit, first[0].of, first[0].exact) == ("judgment", 25645, 1)
    assert {one.fewest for one in first} == {1}
    assert {one.new_first for one in first} == {"Online-A.12"}


@needs("wmt24-esa")
def test_five_judgments_of_8242_decide_who_is_first_in_wmt24_english_japanese():
    da, recipe = load("wmt24-esa", "en-ja"), RECIPES["wmt25"]
    one = row(fewest.removals(da, recipe), "judgment")
    assert (one.fewest, one.of, one.exact) == (5, 8242, 1)
    judged = counted_by(da, recipe)
    assert judged.systems[first_of(judged, recipe, one.kept)] == one.new_first
    means = judged.means()
    leader = means.argmax()
    own = [np.sort(judged.score[judged.system == k]) for k in range(len(means))]
    for other in range(len(means)):  # four are not enough, however they are shared out
        for i in range(5) if other != leader else ():
            assert own[leader][: len(own[leader]) - i].mean() >= own[other][4 - i :].mean()


@needs("wmt18")
@pytest.mark.slow
def test_six_judgments_do_where_seven_would_if_scores_were_fixed():
    one = row(fewest.removals(load("wmt18", "en-zh"), RECIPES["wmt17"]), "judgment")
    assert (one.fewest, one.exact, one.new_first) == (6, 0, "Unisound.5669")


@pytest.mark.parametrize("recipe", [RECIPES["wmt17"], BY_SEGMENT], ids=["z", "plain"])
def test_a_single_document_or_annotator_that_decides_is_always_found(recipe):
    """Of 30 small campaigns, the bound was 2 or none in some where one unit is enough."""
    seen = 0
    for seed in range(30):
        da = small(seed, segments=8)
        judged = counted_by(da, recipe)
        made = made_by(judged, recipe)
        for found in fewest.removals(da, recipe):
            kind = {"annotator": "worker", "document": "document"}.get(found.unit)
            if found.what != "first" or not kind:
                continue
            alone = found.fewest == 1
            others = [first_without(da, recipe, kind, name) for name in da.good[kind].unique()]
            decides = [one for one in others if one not in (None, made.systems[0])]
            assert alone == bool(decides), (seed, found)
            seen += alone
    assert seen > 5


@pytest.mark.parametrize("seed", [53, 77, 81])
def test_a_single_unit_that_decides_by_z_scores_is_found_where_fixed_scores_need_two(seed):
    """Of seven systems, that which such a unit makes first is none of the closest plans'."""
    da, recipe = small(seed, systems=7, segments=5), RECIPES["wmt17"]
    leader = made_by(counted_by(da, recipe), recipe).systems[0]
    found = {row.unit: row for row in fewest.removals(da, recipe) if row.what == "first"}
    for unit, kind in (("annotator", "worker"), ("document", "document")):
        others = {first_without(da, recipe, kind, name) for name in da.good[kind].unique()}
        others -= {None, leader}
        assert (found[unit].fewest == 1) == bool(others)
        assert not others or found[unit].new_first in others


def test_the_first_unit_that_alone_changes_something_is_one_removal():
    codes, asked = np.array([0, 1, 1, 2, 3]), []

    def changed(keep):
        asked.append(sorted(set(codes[keep])))
        return "" if 2 in codes[keep] and 3 in codes[keep] else "S1"

    def without(unit):
        return codes != unit

    many = [(4, lambda k: codes < 2, 4)]  # by a plan four are needed
    search = fewest.Search(lambda keep: keep, without, [1, 3, 2])
    number, name, keep = search.fewest(many, changed)
    assert (number, name, keep.tolist()) == (1.0, "S1", [True, True, True, True, False])
    assert asked == [[0, 1], [0, 2, 3], [0, 1, 2]]  # the third is not tried
    best = fewest.Search(lambda keep: keep, without, [0, 1]).fewest(many, changed)
    assert best[:2] == (4.0, "S1") and best[2].tolist() == [True, True, True, False, False]


def test_a_greedy_plan_takes_what_most_reduces_the_lead_unit_by_unit():
    """Leads without each: 0: 8 - 4, 1: 5 - 4, 2: 8 - 4, 3: 7 - 1; no unit is made up."""
    rows = [("A", 5.0, 0), ("A", 11.0, 1), ("A", 5.0, 2), ("B", 4.0, 0), ("B", 4.0, 2),
            ("B", 7.0, 3), ("B", 1.0, 3)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["system", "score", "document"])
    data = from_frame(frame.assign(segment=[*"abcabde"]))
    codes = data.unit("document")
    start, kept, most = fewest._greedy(data, np.ones(len(rows)), codes, 0, 1)
    out = [sorted(set(codes[~kept(k)])) for k in range(most + 1)]
    assert out[:2] == [[], [1]] and [len(one) for one in out] == list(range(most + 1))
    lead = [data.score[kept(k) & (data.system == 0)].mean()
            - data.score[kept(k) & (data.system == 1)].mean() for k in range(most + 1)]  # fmt: skip
    below = [k for k, gap in enumerate(lead) if gap < 0]
    assert start == (below[0] if below else most + 1)


def test_of_a_large_table_only_the_first_place_is_asked_with_the_same_answer(monkeypatch):
    """Few units: all are among those tried, so that only the lines are gone."""
    tables = [small(seed, segments=8) for seed in range(6)]
    whole = [fewest.fewest(da, BY_SEGMENT) for da in tables]
    monkeypatch.setattr(fewest, "LARGE", 10)
    for da, all_rows in zip(tables, whole, strict=True):
        first = all_rows[all_rows["what"] == "first"].reset_index(drop=True)
        pd.testing.assert_frame_equal(fewest.fewest(da, BY_SEGMENT), first)
    assert any((table["what"] != "first").any() for table in whole)


def first_without(da, recipe, kind, name):
    """Who is first without one worker's or one document's judgments; None if one has none left."""
    good, latest = (frame[frame[kind] != name] for frame in (da.good, da.latest))
    if good["system"].nunique() < da.good["system"].nunique():
        return None
    try:
        left = counted_by(replace(da, good=good, latest=latest), recipe)
    except DataError:
        return None
    return made_by(left, recipe).systems[0] if len(left.systems) > 2 else None


# ------------------------------------------------------------------ battles


def battles(seed, votes=8, judges=4):
    """Battles of three systems, one a block, ties among them."""
    rng = np.random.default_rng(seed)
    names, rows = ["a", "b", "c"], []
    for k in range(votes):
        one, two = rng.choice(3, 2, replace=False)
        lead = 0.7 * (two - one) + rng.normal()
        ranks = (1, 1) if abs(lead) < 0.3 else (1, 2) if lead > 0 else (2, 1)
        for place, (system, rank) in enumerate(zip((one, two), ranks, strict=True), 1):
            rows.append((k, f"j{rng.integers(judges) if place == 1 else rows[-1][1][1:]}", place,
                         names[system], rank))  # fmt: skip
    frame = pd.DataFrame(rows, columns=["block", "judge", "position", "system", "rank"])
    return resampling.units(frame.assign(task="t", segment=frame["block"]))


def table_of_battles(*args, **settings):
    return pd.DataFrame(fewest.removals_of_battles(*args, **settings))[fewest.COLUMNS]


def strongest(counts):
    try:
        return int(bradley_terry.davidson(counts)[0].argmax())
    except DataError:
        return None


@pytest.mark.parametrize("seed", range(4))
def test_battles_are_bounded_from_below_by_brute_force(seed):
    tries = (battles(100 * seed + k) for k in range(100))
    data = next(one for one in tries if strongest(one.counts) is not None)
    first = strongest(data.counts)
    size = len(data.judges)
    expected = next(
        (
            k
            for k in range(1, size)
            for out in combinations(range(size), k)
            if strongest(_left(data, ~np.isin(np.arange(size), out))) not in (first, None)
        ),
        np.inf,
    )
    for one in fewest.removals_of_battles(data)[:2]:
        if one.unit == "judgment":
            assert one.of == size and not one.fewest < expected
            if np.isfinite(one.fewest):
                assert one.kept.comparisons == size - one.fewest
        if np.isfinite(one.fewest):
            assert data.systems[strongest(one.kept)] == one.new_first != data.systems[first]


def _left(data, keep) -> PairCounts:
    return resampling.Units(
        data.systems, data.wins[keep], data.ties[keep], data.judges[keep]
    ).counts


def lines_of(counts, method="strength"):
    """The systems above each line."""
    made = rank_counts(counts, method)
    return {k: set(made.order[:k]) for k in made.lines}


@pytest.mark.parametrize("seed", range(3))
def test_lines_of_battles_fall_without_them_and_not_without_fewer(seed):
    """Of judges: no smaller set of them does it. Of wins: one less leaves the pair significant."""
    data = battles(seed, votes=90, judges=8)
    lines = lines_of(data.counts)
    judges = data.by("judge")
    rows = fewest.removals_of_battles(data)[2:]
    assert lines and [row.what for row in rows] == [f"line below {k}" for k in lines for _ in "ab"]
    for row in rows:
        below = int(row.what.split()[-1])
        assert lines_of(row.kept).get(below) != lines[below]
        if row.unit == "judgment":
            assert row.of - row.kept.comparisons == row.fewest and bradley_terry.finite(row.kept)
            i, j = np.argwhere(row.kept.wins < data.counts.wins)[0]
            won, lost = row.kept.wins[i, j], data.counts.wins[j, i]
            assert (
                binomtest(won, won + lost).pvalue
                >= 0.05
                > binomtest(won + 1, won + 1 + lost).pvalue
            )
        else:
            size = len(judges.judges)
            least = next(
                k
                for k in range(1, size)
                for out in combinations(range(size), k)
                if lines_of(_left(judges, ~np.isin(np.arange(size), out))).get(below)
                != lines[below]
            )
            assert least <= row.fewest < size and row.fewest <= least + 1


def renamed(data):
    """The same battles with systems in the opposite order, and so with other names."""
    n = len(data.systems)
    cells = np.arange(n * n).reshape(n, n)[::-1, ::-1].ravel()
    return replace(data, wins=data.wins[:, cells], ties=data.ties[:, cells])


@pytest.mark.parametrize("seed", range(6))
def test_names_change_nothing_of_the_lines_of_battles(seed):
    """How many removals each line stands; the first system is the last by name, too."""
    data = battles(seed, votes=60, judges=6)
    number = [
        {(row.what, row.unit): (row.fewest, row.exact, row.of)
         for row in fewest.removals_of_battles(one) if row.what != "first"}
        for one in (data, renamed(data))
    ]  # fmt: skip
    assert number[0] == number[1] and number[0]


def test_a_single_judge_who_decides_is_always_found():
    seen = 0
    for seed in range(12):
        data = battles(seed, votes=60, judges=6)
        judges = data.by("judge")
        size = len(judges.judges)
        lines = lines_of(data.counts)
        first = strongest(data.counts)
        for row in fewest.removals_of_battles(data):
            if row.unit != "annotator":
                continue
            decides = []
            for k in range(size):
                left = _left(judges, np.arange(size) != k)
                if row.what == "first":
                    decides.append(strongest(left) not in (first, None))
                elif bradley_terry.finite(left):
                    below = int(row.what.split()[-1])
                    decides.append(lines_of(left).get(below) != lines[below])
            assert (row.fewest == 1) == any(decides), (seed, row.what)
            seen += row.fewest == 1
    assert seen > 5


def test_of_many_judges_those_who_judged_most_are_tried_alone(monkeypatch):
    monkeypatch.setattr(fewest, "SINGLE", 2)
    tried = []
    made = fewest.Search

    def search(again, without, units):
        tried.extend([units] if len(units) else [])
        return made(again, without, units)

    monkeypatch.setattr(fewest, "Search", search)
    for seed in range(4):
        data = battles(seed, votes=60, judges=6)
        counts = np.bincount(data.judges, minlength=6)
        for given in (data, data.by("judge")):  # by battle, or counted already
            fewest.removals_of_battles(given)
            for units in tried:
                left = np.delete(counts, units)
                assert len(units) == 2 and counts[units].min() >= left.max()
            assert tried
            tried.clear()


@needs("wmt12")
def test_a_judge_of_a_real_task_without_whom_a_line_falls():
    """The one who most prefers the upper of two systems is not the one: two such were needed."""
    data = resampling.units(load("wmt12", "en-es"))
    rows = {(one.what, one.unit): one for one in fewest.removals_of_battles(data)}
    one = rows["line below 10", "annotator"]
    assert (one.fewest, one.exact, one.of) == (1, 1, 44)


@needs("wmt11")
def test_battles_of_a_real_task():
    (frame, *_) = tasks(load("wmt11", "cs-en")).values()
    data = resampling.units(frame).without("_ref")
    every = table_of_battles(resampling.units(frame), "bojar")
    judgment, judge, *rest = fewest.removals_of_battles(data, "bojar")
    pd.testing.assert_frame_equal(every, table_of_battles(data, "bojar"))
    lines = lines_of(data.counts, "bojar")
    assert lines and len(rest) == 2 * len(lines)
    for one in rest:
        below = int(one.what.split()[-1])
        assert one.fewest < 0.1 * one.of or one.unit == "annotator"
        assert lines_of(one.kept, "bojar").get(below) != lines[below]
    for one in (judgment, judge):
        assert 1 <= one.fewest < one.of
        assert (
            rank_counts(one.kept).systems[0] == one.new_first != rank_counts(data.counts).systems[0]
        )
    assert judgment.kept.comparisons == data.counts.comparisons - judgment.fewest
    assert judgment.fewest < 0.05 * judgment.of


@needs("wmt10")
def test_first_is_who_is_first_in_the_ranking():
    """Of en-es the share of wins puts onlineB first, Davidson's model onlineA."""
    (frame, *_) = tasks(load("wmt10", "en-es")).values()
    data = resampling.units(frame).without("_ref")
    assert data.systems[strongest(data.counts)] == "onlineA"
    for method, other in (("bojar", "onlineA"), ("strength", "onlineB")):
        judgment, _, *_ = fewest.removals_of_battles(data, method)
        assert rank_counts(judgment.kept, method).systems[0] == judgment.new_first == other


def test_who_is_first_is_asked_of_the_systems_beside_a_human():
    """The human is far ahead; of the two systems one judgment decides."""
    rows = [("ref-A", k, 95.0) for k in range(8)]
    rows += [("A", k, 60.0 if k else 90.0) for k in range(8)] + [("B", k, 62.0) for k in range(8)]
    frame = pd.DataFrame(rows, columns=["system", "segment", "score"])
    frame = frame.assign(worker=[f"w{k % 4}" for k in range(len(frame))]).astype({"segment": str})
    judged = direct_assessment("xx-yy", frame.assign(type="SYSTEM"))
    recipe = RECIPES["wmt25"]
    of_all = fewest.fewest(judged, recipe).iloc[0]
    assert of_all["what"] == "first" and of_all["fewest"] != 1
    of_systems = fewest.fewest(judged, recipe, beside=["ref-A"]).iloc[0]
    assert (of_systems["fewest"], of_systems["new_first"], of_systems["exact"]) == (1, "B", 1)


# ------------------------------------------------------------------ its parts, by hand


def test_a_plan_is_searched_by_doubling_and_then_by_bisection():
    for answer in range(1, 21):
        asked = []

        def said(k, answer=answer, asked=asked):
            asked.append(k)
            return f"S{k}" if k >= answer else ""

        number, name, left = fewest._fewest([(1, int, 20)], said)
        assert (number, name, left) == (answer, f"S{answer}", answer)
        assert asked[0] == 1 and len(asked) <= 9
    assert fewest._fewest([(1, int, 20)], lambda k: "S" if k >= 20 else "")[0] == 20
    nothing = fewest._fewest([(1, int, 20)], lambda k: "S" if k >= 21 else "")
    assert np.isnan(nothing[0]) and nothing[1:] == ("", None)
    assert np.isnan(fewest._fewest([(5, int, 4)], lambda k: "S")[0])  # more than can be removed
    assert fewest._fewest([(4, int, 9)], lambda k: "S")[0] == 4  # what it begins with is not left
    steps = []
    fewest._fewest([(1, int, 400)], lambda k: steps.append(k) or "")
    assert steps == [1, 3, 7, 15, 31, 63, 127, 255, 400]
    del steps[:]  # of 100, few are tried one by one, too
    fewest._fewest([(1, int, 100)], lambda k: steps.append(k) or "")
    assert steps == [1, 3, 7, 15, 31, 63, 100, *range(1, 13)]


def test_a_later_plan_counts_only_if_it_needs_fewer():
    def plan(first):
        return 1, lambda k: (first, k), 20

    def said(left):
        first, k = left
        return first if k >= {"a": 6, "b": 6, "c": 4}[first] else ""

    assert fewest._fewest([plan("a"), plan("b")], said) == (6.0, "a", ("a", 6))
    assert fewest._fewest([plan("a"), plan("c"), plan("b")], said) == (4.0, "c", ("c", 4))
    assert fewest._fewest([plan("c"), plan("a")], said) == (4.0, "c", ("c", 4))
    tried = []
    one = (1, lambda k: k, 20)
    fewest._fewest([one, one], lambda k: tried.append(k) or "S")
    assert tried == [1]  # none is fewer than one


def scores_of(rows):
    """Scores of (system, score) or (system, score, document), each of a segment of its own."""
    frame = pd.DataFrame(rows, columns=["system", "score", "document"][: len(rows[0])])
    return from_frame(frame.assign(segment=[f"q{k:02d}" for k in range(len(rows))]))


def best_without(data, first, second, k):
    """The lowest lead of one mean over another without k judgments of the two, by trying all."""
    rows = np.flatnonzero(np.isin(data.system, [first, second]))
    leads = []
    for out in combinations(rows, k):
        keep = ~np.isin(np.arange(len(data.score)), out)
        own = [data.score[keep & (data.system == s)] for s in (first, second)]
        if min(map(len, own)):
            leads.append(own[0].mean() - own[1].mean())
    return min(leads)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("pair", [(0, 1), (1, 0)])
def test_two_pointers_take_the_best_mix_of_the_highest_and_the_lowest(seed, pair):
    rng = np.random.default_rng(seed)
    rows = [(s, float(rng.integers(0, 9))) for s in "AB" for _ in range(4 + (s == "B"))]
    rows += [("C", 5.0)]
    data = scores_of(rows)
    ones, codes = np.ones(len(rows)), np.arange(len(rows))
    start, kept, most = fewest._two_pointers(data, ones, codes, *pair)
    assert most == 7  # each keeps one
    first, second = pair
    behind = []
    for k in range(most + 1):
        keep = kept(k)
        assert (~keep).sum() == k and keep[-1]
        means = [data.score[keep & (data.system == s)].mean() for s in pair]
        assert means[0] - means[1] == pytest.approx(best_without(data, *pair, k))
        lead = round(means[0] - means[1], 9)
        behind.append(lead < 0 or (lead == 0 and second < first))
    assert start == (behind.index(True) if any(behind) else most + 1)


def test_equal_means_put_the_first_name_first():
    """A has 3 and 1, B has 1: without the 3, A is level with B and stays before it."""
    data = scores_of([("A", 3.0), ("A", 1.0), ("B", 1.0)])
    ones, codes = np.ones(3), np.arange(3)
    for plan in (fewest._two_pointers, fewest._greedy):
        start, _, most = plan(data, ones, codes, 0, 1)
        assert (start, most) == (2, 1)  # more than can go
    other = scores_of([("B", 3.0), ("B", 1.0), ("A", 1.0)])  # B is first, and A passes it
    for plan in (fewest._two_pointers, fewest._greedy):
        start, kept, most = plan(other, ones, codes, 1, 0)
        assert (start, most) == (1, 1) and kept(1).tolist() == [False, True, True]


def test_heavier_judgments_move_a_mean_more():
    """Of two judgments above the mean of A the heavier goes first, though it is lower."""
    data = scores_of([("A", 9.0), ("A", 8.0), ("A", 0.0), ("B", 4.0), ("B", 4.0)])
    weight = np.array([0.1, 2.0, 2.0, 1.0, 1.0])
    for plan in (fewest._two_pointers, fewest._greedy):
        start, kept, _ = plan(data, weight, np.arange(5), 0, 1)
        assert kept(1).tolist() == [True, False, True, True, True] and start == 1


def test_a_greedy_plan_leaves_each_of_the_two_a_judgment():
    data = scores_of([("A", 5.0, 0), ("A", 4.0, 1), ("B", 1.0, 1), ("B", 2.0, 2), ("C", 9.0, 3)])
    start, kept, most = fewest._greedy(data, np.ones(5), data.unit("document"), 0, 1)
    # without unit 1: 5 - 2 (and then neither 0 nor 2 can go); without 0: 4 - 1.5
    assert kept(0).all() and kept(1).tolist() == [False, True, True, True, True]
    assert kept(most)[data.system == 0].any() and kept(most)[data.system == 1].any()
    assert start == most + 1  # A stays before B


def test_units_without_which_the_leader_leads_by_least_are_the_closest(monkeypatch):
    """Leads of A over the best other: 4 - 3 without 0, 3 - 4 without 1, 3.5 - 3 without 2."""
    rows = [
        ("A", 3.0, 0),
        ("A", 4.0, 1),
        ("B", 4.0, 0),
        ("B", 2.0, 1),
        ("C", 3.0, 2),
        ("C", 1.0, 1),
    ]
    data = scores_of(rows)
    codes, weight = data.unit("document"), np.ones(6)
    assert fewest._closest(data, weight, codes, 0).tolist() == [1, 2, 0]
    monkeypatch.setattr(fewest, "TRIED", 2)
    assert fewest._closest(data, weight, codes, 0).tolist() == [1, 2]
    heavy = np.array([1.0, 1, 1, 9, 1, 1])  # B counts as 2.2; without 0 it has 2
    assert fewest._closest(data, heavy, codes, 0)[0] == 1


def stepwise(leads, plans=None, best=(np.nan, "", None), units=6):
    """`_stepwise` where the lead is the sum of what each unit that is left gives to it."""
    codes, gives = np.arange(units), np.array(leads)

    def lead(keep):
        return float(gives[keep].sum())

    def changed(keep):
        return "S" if lead(keep) < 0 else ""

    plans = plans or [(1, lambda k: np.arange(units) >= k, units)]
    return fewest._stepwise(plans, codes, lambda keep: keep, lead, changed, best)


def test_step_by_step_the_unit_goes_that_most_reduces_the_lead():
    number, name, keep = stepwise([1.0, 5, 2, 3, -4, -6])
    assert (number, name) == (1.0, "S") and keep.tolist() == [True, False, True, True, True, True]
    number, _, keep = stepwise([1.0, 5, 2, 3, -2, -6])  # 3 - 5 is below 0
    assert number == 1 and not keep[1]
    number, _, keep = stepwise([1.0, 5, 2, 3, -1, -2])  # 8 - 5, 3 - 3 is none, 0 - 2
    assert number == 3 and keep.tolist() == [True, False, False, False, True, True]
    best = (3.0, "T", "kept")
    assert stepwise([1.0, 5, 2, 3, -1, -2], best=best) is best  # not fewer
    assert stepwise([1.0, 5, 2, 3, -1, -2], best=(4.0, "T", "kept"))[0] == 3
    few = [(1, lambda k: np.arange(6) >= min(k, 2), 2)]  # only the first two come in the plan
    assert stepwise([1.0, 5, 2, 3, -1, -2], few, best) is best
    assert stepwise([1.0, 5, 2, 3, -1, -9], few)[0] == 1
    nothing = [(1, lambda k: np.ones(6, bool), 0)]
    assert stepwise([1.0] * 6, nothing, best) is best
    none = stepwise([1.0] * 6)
    assert np.isnan(none[0])


def test_at_most_twelve_steps_are_taken_and_twenty_units_tried():
    leads = [1.0] * 30 + [-18.5]
    plan = [(1, lambda k: np.arange(31) >= k, 31)]
    assert stepwise(leads, plan, units=31)[0] == 12  # 30 - 18.5 - 12 is below 0
    assert np.isnan(stepwise([*[1.0] * 30, -17.5], plan, units=31)[0])
    asked = []
    plan = [(1, lambda k: asked.append(k) or np.arange(31) >= k, 31)]
    stepwise(leads, plan, units=31)
    assert asked == [20]


def ranking_of(order, lines, p=None):
    """A ranking of systems by code, with lines below these ranks."""
    n = len(order)
    base = rank_counts(PairCounts(("a", "b"), np.array([[0, 3], [5, 0]]), np.zeros((2, 2), int)))
    cluster = 1 + np.searchsorted(lines, np.arange(n), "right")
    table = pd.DataFrame({"system": [f"S{k}" for k in order], "cluster": cluster})
    p = np.full((n, n), 0.01) if p is None else p
    return replace(base, table=table, order=np.array(order), p=p)


def test_a_line_is_gone_unless_it_parts_the_same_systems():
    every = ranking_of([2, 0, 1, 3], [2])
    assert every.lines == (2,)
    assert not fewest._fallen(every, 2, {0, 2}) and not fewest._fallen(None, 2, {0, 2})
    assert fewest._fallen(every, 2, {0, 1}) and fewest._fallen(every, 1, {2})
    assert not fewest._fallen(ranking_of([0, 2, 1, 3], [2]), 2, {0, 2})  # the order above is free


def test_a_line_is_tried_between_neighbours_and_where_p_is_largest():
    p = np.full((5, 5), 0.01)
    p[1, 2], p[1, 4], p[0, 3] = 0.02, 0.03, 0.04
    every = ranking_of([0, 1, 2, 3, 4], [2], p)
    assert [*fewest._weakest(every, 2)] == [(1, 2), (1, 4), (0, 3)]
    p[0, 3] = np.nan  # never compared: surely not significant
    p[1, 4] = 0.99
    assert [*fewest._weakest(every, 2)] == [(1, 2), (1, 4), (0, 3)]
    assert [*fewest._weakest(ranking_of([0, 1], [1]), 1)] == [(0, 1)]


def test_the_row_of_a_line_says_below_which_rank_and_how_many_removals_fell_it():
    every = ranking_of([1, 0, 2], [1])
    asked = []

    def choose(first, second):
        asked.append((first, second))
        return 1, int, 9

    gone = ranking_of([1, 0, 2], [])
    search = fewest.Search(lambda k: every if k < 4 else gone, int)
    row = fewest._line(every, 1, "judgment", 50, choose, search)
    assert row == fewest.Removal("line below 1", "judgment", 4.0, 50, 0, "", 4)
    assert asked[0] == (1, 0) and row.new_first == ""
    moved = fewest.Search(lambda k: ranking_of([0, 1, 2], [1]), int)
    once = fewest._line(every, 1, "annotator", 50, choose, moved)
    assert (once.fewest, once.exact) == (1.0, 1)
    never = fewest._line(every, 1, "annotator", 50, choose, fewest.Search(lambda k: None, int))
    assert np.isnan(never.fewest) and never.exact == 0
    with pytest.raises(FrozenInstanceError):
        row.exact = 1


def test_a_line_that_falls_without_one_unit_is_one_removal():
    """By a plan three are needed; what is left is a number of units, or the name of one."""
    every, gone = ranking_of([1, 0, 2], [1]), ranking_of([1, 0, 2], [])
    made = {"0": None, "1": every, "2": ranking_of([0, 1, 2], [1]), "3": gone}
    made |= {1: every, 2: every, 3: gone}
    asked = []

    def again(left):
        asked.append(left)
        return made[left]

    def line(units):
        search = fewest.Search(again, str, units)
        return fewest._line(every, 1, "annotator", 4, lambda i, j: (1, int, 3), search)

    row = fewest.Removal("line below 1", "annotator", 3.0, 4, 0, "", 3)
    assert line(range(4)) == replace(row, fewest=1.0, exact=1, kept="2")
    assert line(range(2)) == row
    made[1] = gone
    del asked[:]
    assert line(range(4)) == replace(row, fewest=1.0, exact=1, kept=1)
    assert asked == [1]  # none is tried alone


def z_of(score, worker, pool=None):
    """z-scores by worker, of scores with the moments of a pool."""
    mine = pd.DataFrame({"score": score, "worker": worker})
    of = (mine if pool is None else pool).groupby("worker")["score"]
    mean, sd = (mine["worker"].map(x) for x in (of.mean(), of.std()))
    return ((mine["score"] - mean) / sd.where(sd > 1e-9)).to_numpy()


@pytest.mark.parametrize("pooled", [True, False])
def test_scores_standardised_anew_are_those_of_what_is_left(pooled):
    rng = np.random.default_rng(2)
    score = np.append(rng.integers(0, 100, 24), [50.0, 50, 70]).astype(float)
    worker = np.append(np.arange(24) % 3, [3, 3, 3])
    more = pd.DataFrame({"score": [10.0, 90, 30], "worker": [0, 0, 1]})
    pool = pd.concat([pd.DataFrame({"score": score, "worker": worker}), more], ignore_index=True)
    in_pool = np.ones(27, bool)
    in_pool[[1, 5]] = pooled  # of repeats, none is in the pool
    pool = pool[np.append(in_pool, [True] * 3)]
    of_pool = pool["score"].to_numpy(), pool["worker"].to_numpy()
    renewed = fewest._renewed((score, worker), of_pool, in_pool, "drop")
    for seed in range(20):
        keep = np.random.default_rng(seed).random(27) < 0.6
        keep[-1] = seed % 2 == 0  # without it, the last worker gave one score twice
        left = pool[np.append((keep | ~in_pool)[in_pool], [True] * 3)]
        got, expected = renewed(keep), z_of(score, worker, left)
        np.testing.assert_allclose(got[keep], expected[keep], atol=1e-9)
    all_kept = renewed(np.ones(27, bool))
    np.testing.assert_allclose(all_kept, z_of(score, worker, pool), atol=1e-9)


def test_copies_of_a_judgment_of_a_joined_id_are_one_decision():
    rows = [
        ("w", "A+B", "1", 50.0),
        ("w", "C", "1", 70.0),
        ("w", "A", "2", 60.0),
        ("w", "A", "2", 60.0),
    ]
    columns = ["worker", "system", "segment", "score"]
    latest = pd.DataFrame(rows, columns=columns).assign(type="SYSTEM")
    split = [("w", "A", "1", 50.0), ("w", "B", "1", 50.0), *rows[1:]]
    good = pd.DataFrame(split, columns=columns).assign(type="SYSTEM")
    da = direct_assessment("xx-yy", latest, good)
    numbers = fewest._decisions(da, da.good)
    assert numbers[0] == numbers[1] and len(set(numbers)) == 4
    plain = direct_assessment("xx-yy", good)
    assert len(set(fewest._decisions(plain, plain.good))) == 5


def test_each_removal_of_votes_takes_wins_of_the_upper_system_alone():
    """Of 9 to 1, two wins must go: 7 to 1 has a p of .07, 8 to 1 of .039."""
    frame = pd.DataFrame(
        [(k, f"j{k % 5}", place, system, rank) for k in range(10)
         for place, (system, rank) in enumerate((("a", 1 + (k == 0)), ("b", 2 - (k == 0))), 1)],
        columns=["block", "judge", "position", "system", "rank"],
    )  # fmt: skip
    data = resampling.units(frame.assign(task="t", segment=frame["block"]))
    rows = {(r.what, r.unit): r for r in fewest.removals_of_battles(data)}
    line = rows["line below 1", "judgment"]
    assert (line.fewest, line.of, line.exact) == (2, 10, 0)
    assert line.kept.wins.tolist() == [[0, 7], [1, 0]]
    judge = rows["line below 1", "annotator"]  # without one of j1 to j4: 7 to 1
    assert (judge.fewest, judge.of, judge.exact) == (1, 5, 1)
    assert judge.kept.wins.tolist() == [[0, 7], [1, 0]]
    assert rows["first", "judgment"].of == 10 and rows["first", "annotator"].of == 5
    strict = table_of_battles(data, alpha=0.01)
    assert strict["what"].tolist() == ["first"] * 2  # 11 / 512 is above it: no line


def league(won):
    """Battles of systems that met each other, a judge each, so often won by the first of a pair."""
    rows = []
    for pair, (one, other) in won.items():
        for k in range(one + other):
            winner, loser = pair if k < one else pair[::-1]
            rows += [
                (len(rows) // 2, place, s, place) for place, s in enumerate((winner, loser), 1)
            ]
    frame = pd.DataFrame(rows, columns=["block", "position", "system", "rank"])
    frame = frame.assign(
        task="t", segment=frame["block"], judge="j" + (frame["block"] % 9).astype(str)
    )
    return resampling.units(frame)


def test_of_many_challengers_the_strongest_takes_the_first_place():
    """F and E, far behind, would need many more battles to go than A, who is next to D."""
    data = league({
        "DA": (9, 8), "DB": (9, 2), "DC": (9, 2), "DE": (9, 1), "DF": (9, 1), "AB": (8, 2),
        "AC": (8, 2), "AE": (9, 1), "AF": (9, 1), "BC": (5, 4), "BE": (7, 2), "CF": (7, 2),
        "EF": (4, 4),
    })  # fmt: skip
    first = fewest.removals_of_battles(data)[0]
    assert (first.what, first.new_first) == ("first", "A") and first.fewest <= 4


def errors_of(seed):
    """MQM of three systems, four documents of two segments and two raters."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"S{s}", f"d{d}", f"{d}-{k}", f"r{r}", "Other", "Minor")
        for s in range(3) for d in range(4) for k in range(2) for r in range(2)
        for _ in range(1 + rng.poisson(1 + 2 * r + d))
    ]  # fmt: skip
    columns = ["system", "document", "segment", "rater", "category", "severity"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(("seed", "decides"), [(14, True), (44, False), (130, True)])
def test_ratings_too_are_standardised_anew_without_a_document(seed, decides):
    """Of scores that were standardised once the opposite would be true."""
    frame, recipe = errors_of(seed), RECIPES["wmt17"]
    judged = counted_by(frame, recipe)
    leader, codes = recipe_means(judged, recipe).argmax(), judged.unit("document")
    fixed = [recipe_means(judged.take(codes != k), recipe).argmax() for k in np.unique(codes)]
    anew = [
        recipe_means(counted_by(frame[frame["document"] != name], recipe), recipe).argmax()
        for name in frame["document"].unique()
    ]
    assert any(k != leader for k in anew) == decides != any(k != leader for k in fixed)
    assert (row(fewest.removals(frame, recipe), "document").fewest == 1) == decides


@pytest.mark.parametrize(("won", "needed", "exact"), [((6, 5), 1, 1), ((7, 5), 2, 0)])
def test_one_battle_less_is_exact_and_two_are_a_bound(won, needed, exact):
    """With as many wins each, A is first by name."""
    first = fewest.removals_of_battles(league({"DA": won, "AB": (3, 1), "DB": (3, 1)}))[0]
    assert (first.fewest, first.exact, first.new_first) == (needed, exact, "A")
    assert first.of == sum(won) + 8


def test_two_of_five_battles_decide_although_three_leave_no_strength():
    """3 wins to 2: without two wins the other is first, without three it has won all."""
    frame = pd.DataFrame({"winner": ["a"] * 3 + ["b"] * 2, "judge": list("jkjkj")})
    frame = frame.assign(model_a="a", model_b="b")
    found = rs.fewest(rs.rank_systems(rs.battles(frame))).set_index(["what", "unit"])
    assert found.loc[("first", "judgment"), ["fewest", "of", "new_first"]].tolist() == [2, 5, "b"]
