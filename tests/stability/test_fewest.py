"""The fewest removals: brute force on small data, and removals tried with the public functions."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.inference.rank import rank_systems
from rankstability.io.load import load
from rankstability.judgments import Judgments
from rankstability.perturb import remove
from rankstability.ranking.procedures import PROCEDURES
from rankstability.stability import fewest as search
from rankstability.stability.fewest import COLUMNS, fewest_removals
from rankstability.stability.removal import ComparedSystems, ScoredSystems
from real import real_data


def small(seed, systems=3, segments=4, repeats=0, domains=False, kind="ratings"):
    """A few judgments with whole scores; each segment is judged once but for `repeats`."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"S{s}", f"s{k}", float(rng.integers(0, 12)) - s)
        for s in range(systems)
        for k in range(segments)
    ]
    rows += [
        (f"S{rng.integers(systems)}", f"s{rng.integers(segments)}", 5.0) for _ in range(repeats)
    ]
    table = pd.DataFrame(rows, columns=["system", "segment", "score"])
    table["annotator"] = rng.choice(["u", "v", "w"], len(table))
    table["document"] = table["segment"].map(lambda name: f"d{int(name[1:]) // 2}")
    if domains:
        table["domain"] = table["segment"].map(lambda name: f"g{int(name[1:]) % 2}")
    return Judgments(table, kind)


def drop_rows(judgments, labels):
    """Take judgments out of both tables; `labels` are rows of the first."""
    kept = judgments.table.drop(index=list(labels))
    return replace(judgments, table=kept)


def first_of(judgments, procedure):
    """Who is first by the public function; None if a system is gone or nothing can be ranked."""
    try:
        return rank_systems(judgments, procedure=procedure).systems[0]
    except DataError:
        return None


def brute_force(judgments, procedure, unit):
    """The fewest units without which another system is first, over all subsets; inf if none is."""
    table = judgments.table
    of_row = table.index.to_series() if unit == "judgment" else table[unit]
    leader = first_of(judgments, procedure)
    names = of_row.unique()
    for number in range(1, len(names)):
        for out in combinations(names, number):
            left = table[~of_row.isin(out)]
            if left["system"].nunique() < table["system"].nunique():
                continue
            if first_of(replace(judgments, table=left), procedure) not in (None, leader):
                return number
    return np.inf


def row_of(table, unit, what="first"):
    (row,) = table[(table["what"] == what) & (table["unit"] == unit)].to_dict("records")
    return row


@pytest.mark.parametrize("procedure", ["wmt23", "wmt17"])
@pytest.mark.parametrize("seed", range(4))
def test_no_number_is_below_the_true_one_and_exact_ones_are_true(seed, procedure):
    judgments = small(seed, segments=3)
    table = fewest_removals(judgments, procedure)
    assert list(table) == COLUMNS
    for unit in ("judgment", "annotator", "document"):
        row = row_of(table, unit)
        expected = brute_force(judgments, procedure, unit)
        assert not row["fewest"] < expected
        assert row["bound"] != "exact" or row["fewest"] == expected
        if unit != "judgment":
            assert (row["fewest"] == 1) == (expected == 1)  # every single unit was tried


@pytest.mark.parametrize("procedure", ["wmt23", "wmt24", "wmt25", "wmt17"])
@pytest.mark.parametrize("seed", range(3))
def test_a_removal_puts_the_named_system_first(seed, procedure):
    judgments = small(seed, segments=6, repeats=3, domains=procedure == "wmt24")
    leader = first_of(judgments, procedure)
    for row in fewest_removals(judgments, procedure).query("what == 'first'").to_dict("records"):
        if row["fewest"] == row["fewest"]:
            assert len(row["removed"]) == row["fewest"]
            if row["unit"] == "judgment":
                smaller = drop_rows(judgments, row["removed"])
            else:
                smaller = remove(judgments, **{f"{row['unit']}s": row["removed"]})
            assert first_of(smaller, procedure) == row["new_first"] != leader


@pytest.mark.parametrize("procedure", ["wmt17", "wmt23", "wmt24", "wmt26"])
def test_without_them_the_boundary_is_gone(procedure):
    judgments = load("demo-srpdc", "de-en")
    before = rank_systems(judgments, procedure=procedure)
    drawn = before.boundaries.query("drawn")["rank"].tolist()
    table = fewest_removals(judgments, procedure)
    rows = table[table["what"] == "boundary"]
    assert rows["below"].drop_duplicates().tolist() == drawn
    if procedure == "wmt26":  # annotators are screened only once
        return
    for row in rows[rows["unit"] != "judgment"].to_dict("records"):
        smaller = remove(judgments, **{f"{row['unit']}s": row["removed"]})
        after = rank_systems(smaller, procedure=procedure)
        k = row["below"]
        same = set(after.systems[:k]) == set(before.systems[:k])
        assert not (same and k in after.boundaries.query("drawn")["rank"].tolist())


def test_a_first_place_that_no_judgment_takes_away_has_no_number():
    rows = [(s, f"s{k}", 10.0 - 5 * (s == "b")) for s in "ab" for k in range(5)]
    table = pd.DataFrame(rows, columns=["system", "segment", "score"])
    found = fewest_removals(Judgments(table, "ratings"), "wmt25")
    assert found["unit"].unique().tolist() == ["judgment"]
    assert found["fewest"].isna().all()
    assert (found["bound"] == "").all()
    assert (found["removed"].map(len) == 0).all()


def test_human_translations_do_not_count_for_the_first_place():
    judgments = load("demo-srdc", "de-en")
    assert rank_systems(judgments, procedure="wmt17").systems[0] in judgments.humans
    scored = ScoredSystems(judgments, PROCEDURES["wmt17"], 0.05)
    assert scored.systems[scored.leader] not in judgments.humans
    new = fewest_removals(judgments, "wmt17").query("what == 'first'")["new_first"]
    assert not set(new) & set(judgments.humans)


def without_rows(judgments, labels):
    """Take rows out of both tables; a judgment of a joined id stands once in the second."""
    key = ["annotator", "hit", "document", "segment", "item_type", "score", "block"]
    places = {}
    for k, (system, *rest) in enumerate(
        judgments.all_rows[["system", *key]].astype(str).itertuples(index=False)
    ):
        for part in system.split("+"):
            places.setdefault((part, *rest), []).append(k)
    gone = judgments.table.loc[list(labels), ["system", *key]].astype(str)
    taken = {places[tuple(row)].pop() for row in gone.itertuples(index=False)}
    left = ~np.isin(np.arange(len(judgments.all_rows)), list(taken))
    table = judgments.table.drop(index=list(labels))
    return replace(judgments, table=table, all_rows=judgments.all_rows[left])


def test_z_scores_are_those_of_a_new_ranking_without_the_rows():
    judgments = load("demo-srpdc", "de-en")
    scored = ScoredSystems(judgments, PROCEDURES["wmt17"], 0.05)
    rng = np.random.default_rng(1)
    codes = scored.units["judgment"]
    gone = np.flatnonzero(rng.random(codes.max() + 1) < 0.1)
    means = scored._means(scored._kept(~np.isin(codes, gone)))
    smaller = without_rows(judgments, scored.names("judgment", gone))
    ranking = rank_systems(smaller, procedure="wmt17").table.set_index("system")["score"]
    assert means == pytest.approx(ranking[list(scored.systems)].to_numpy(), abs=1e-9)


@pytest.mark.parametrize("campaign", ["demo-srdc", "demo-srpdc"])
def test_a_removal_of_judgments_changes_the_ranking_of_z_scores(campaign):
    judgments = load(campaign, "de-en")
    before = rank_systems(judgments, procedure="wmt17")
    table = fewest_removals(judgments, "wmt17")
    for row in table[table["unit"] == "judgment"].to_dict("records"):
        after = rank_systems(without_rows(judgments, row["removed"]), procedure="wmt17")
        if row["what"] == "first":
            best = next(name for name in after.systems if name not in judgments.humans)
            assert best == row["new_first"]
        else:
            k = row["below"]
            same = set(after.systems[:k]) == set(before.systems[:k])
            assert not (same and k in after.boundaries.query("drawn")["rank"].tolist())


def test_one_judgment_of_25645_decides_who_is_first_in_wmt21_german_english():
    real_data("newstest2021-toen")
    judgments = load("wmt21", "de-en")
    first = fewest_removals(judgments, "wmt17").query("what == 'first'")
    assert first["fewest"].tolist() == [1, 1, 1]
    assert first["of"].tolist() == [25645, 181, 61]
    assert set(first["bound"]) == {"exact"}
    assert set(first["new_first"]) == {"Online-A.12"}


def test_copies_of_a_joined_judgment_go_together_in_wmt18_english_chinese():
    """Six judgments are enough, where scores that stay as they are would need seven."""
    real_data("newstest2018-humaneval")
    judgments = load("wmt18", "en-zh")
    row = row_of(fewest_removals(judgments, "wmt17"), "judgment")
    assert (row["fewest"], row["bound"], row["new_first"]) == (6, "at most", "Unisound.5669")
    assert len(row["removed"]) >= 6
    rows = judgments.table.loc[list(row["removed"])]
    assert len(rows.drop(columns="system").drop_duplicates()) == 6


def test_of_many_judgments_only_the_first_place_is_asked_about(monkeypatch):
    judgments = load("demo-srpdc", "de-en")
    monkeypatch.setattr(search, "MAX_ROWS_FOR_BOUNDARIES", 10)
    monkeypatch.setattr(search, "MAX_ROWS_TRIED", 10)
    found = fewest_removals(judgments, "wmt17")
    assert found["what"].unique().tolist() == ["first"]
    assert set(found["bound"]) == {"at most"}


# ---------------------------------------------------------------- comparisons


def votes(seed, n=14, annotators=4):
    """Votes among three systems, with ties."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(n):
        left, right = rng.choice(3, 2, replace=False)
        lead = 0.7 * (right - left) + rng.normal()
        winner = "tie" if abs(lead) < 0.3 else "left" if lead > 0 else "right"
        rows.append(
            ("abc"[left], "abc"[right], winner, f"j{rng.integers(annotators)}", f"q{k % 5}")
        )
    columns = ["left", "right", "winner", "annotator", "question"]
    return Judgments(pd.DataFrame(rows, columns=columns), "votes")


def first_of_votes(judgments, systems):
    """Who has the greatest strength; None unless all systems can still be compared."""
    try:
        ranked = ComparedSystems(judgments)
    except DataError:
        return None
    return ranked.systems[ranked.leader] if ranked.systems == systems else None


@pytest.mark.parametrize("seed", range(6))
def test_votes_agree_with_brute_force(seed):
    judgments = votes(seed)
    try:
        whole = ComparedSystems(judgments)
    except DataError as error:
        assert error.code in ("too_few_systems", "no_finite_strengths")
        return
    leader = whole.systems[whole.leader]
    for row in fewest_removals(judgments).to_dict("records"):
        table = judgments.table
        of_row = table.index.to_series() if row["unit"] == "judgment" else table[row["unit"]]
        alone = {
            first_of_votes(judgments.with_table(table[of_row != name]), whole.systems)
            for name in of_row.unique()
        }
        assert (row["fewest"] == 1) == bool(alone - {None, leader})
        if row["fewest"] == row["fewest"]:
            left = table[~of_row.isin(row["removed"])]
            new = first_of_votes(judgments.with_table(left), whole.systems)
            assert new == row["new_first"] != leader


def test_effects_of_votes_are_those_of_leaving_each_out():
    judgments = votes(3, n=400)
    whole = ComparedSystems(judgments)
    everything = np.ones(400, bool)
    effects = whole.effects("judgment", 0, 1, everything)
    for k in range(0, 400, 40):
        score = whole.score_with(np.arange(400) != k)
        change = score[0] - score[1] - whole.lead(0, 1)
        assert effects[k] == pytest.approx(change, abs=2e-4)


def test_relative_rankings_lose_whole_blocks():
    judgments = load("demo-rr", "cs-en")
    found = fewest_removals(judgments)
    row = row_of(found, "judgment")
    assert row["of"] == judgments.n_judgments
    left = judgments.table[~judgments.table["block"].isin(row["removed"])]
    after = rank_systems(judgments.with_table(left))
    assert after.systems[0] == row["new_first"] != rank_systems(judgments).systems[0]
    by_annotator = row_of(found, "annotator")
    after = rank_systems(remove(judgments, annotators=by_annotator["removed"]))
    assert after.systems[0] == by_annotator["new_first"]


@pytest.mark.parametrize(
    ("judgments", "settings", "code"),
    [
        (pd.DataFrame(), {}, "not_judgments"),
        (small(0), {"procedure": "wmt16"}, "unknown_procedure"),
        (small(0), {"alpha": 2}, "bad_alpha"),
        (small(0, systems=1), {"procedure": "wmt23"}, "too_few_systems"),
    ],
)
def test_what_cannot_be_asked_is_refused(judgments, settings, code):
    with pytest.raises(DataError) as error:
        fewest_removals(judgments, **settings)
    assert error.value.code == code
