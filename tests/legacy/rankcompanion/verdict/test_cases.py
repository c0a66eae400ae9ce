"""The verdict's frames on real campaigns are those of notebooks 01, 02, 06 and 10."""

import pytest
from pandas.testing import assert_frame_equal

from conftest import needs
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.models.chance import named_generator
from companion.legacy.rankcompanion.notebooks import outlier_removal
from companion.legacy.rankcompanion.notebooks.lines import tables as lines
from companion.legacy.rankcompanion.notebooks.srp import twins
from companion.legacy.rankcompanion.verdict import cases as verdict
from companion.legacy.rankcompanion.verdict import sizes
from companion.legacy.rankstability import rank_systems, segment_scores
from companion.legacy.rankstability.rank import standing as places
from companion.legacy.rankstability.rank.recipes import RECIPES, recipe_of_year

SEED, ALPHA = 7, 0.05


def both(campaign, pair):
    """The verdict's case and standing, and the same judgments and recipe as the others see them."""
    found = campaigns.find(campaign)
    judgments = campaigns.load(found, pair)
    [one] = verdict.cases(found, pair, judgments)
    made = verdict.standing(one, "auto", ALPHA)
    own = recipe_of_year(found.year, found.format)
    return one, made, judgments, places.judged_by(judgments), own


def check(campaign, pair):
    one, made, judgments, judged, own = both(campaign, pair)
    assert one.recipe == own
    # notebook 10, and 01 for its recipe
    rng = named_generator(SEED, pair)
    theirs = places.standing(judged[own], own, alpha=ALPHA)
    for name in ("table", "places"):
        assert_frame_equal(getattr(made, name), getattr(theirs, name))
    ours, drawn = lines.recipes(one.judged, [made.unit], ALPHA)
    rankings, shown = lines.recipes(judged, lines.units_shown(judged[own]), ALPHA)
    assert_frame_equal(ours, rankings)
    shown = shown[shown["unit"] == made.unit].reset_index(drop=True)
    assert_frame_equal(drawn, shown)
    mine = shown[shown["recipe"] == own].reset_index(drop=True)
    assert_frame_equal(made.places, mine)
    # notebook 01's own ranking is the recipe of WMT17 on these judgments
    by = ours.query("recipe == 'wmt17'")
    ranking = rank_systems(segment_scores(judgments))
    assert by["system"].tolist() == list(ranking.systems)
    assert by["score"].to_numpy() == pytest.approx(ranking.table["mean_z"].to_numpy())
    # notebook 06: halves agree less than whole campaigns are said to, but not out of all range
    sampler = twins.da_sampler(judgments, "z" if RECIPES[own].score == "z" else "none")
    about = {"campaign": campaign, "label": "", "pair": pair}
    halves = twins.effort([sampler], about, splits=20, seed=1, levels=(1.0,))
    expected = sizes.repeat(made.sure, int(made.places["claimed"].sum()), rng)
    assert expected["low"] < halves["kendall"].item() < expected["tau"] + 0.1
    return one, judgments


@needs("wmt21")
def test_numbers_on_wmt21_are_those_of_the_other_notebooks():
    one, judgments = check("wmt21", "cs-en")
    changes = outlier_removal.study(judgments, [], True).changes  # notebook 02
    assert_frame_equal(verdict.removals(one), changes[["removed", "d_rank", "d_cluster"]])


@needs("wmt24-esa")
def test_numbers_on_wmt24_are_those_of_the_other_notebooks():
    one, _ = check("wmt24-esa", "en-ja")
    assert verdict.removals(one).empty  # raw means do not depend on who else takes part


@needs("wmt23-protocols")
def test_numbers_on_a_study_of_protocols_are_those_of_the_other_notebooks():
    check("wmt23-protocols.ESA-1", "en-de")


def test_a_system_is_removed_by_its_name_whatever_that_is(tmp_path):
    """Notebook 02 reads `lowest` and ` & ` otherwise."""
    names = {"lowest": 40, "a & b": 30, "c": 10}
    rows = [f"{s},{k},u{k % 3},{m + 7 * k % 50}" for s, m in names.items() for k in range(20)]
    (tmp_path / "mine.csv").write_text("\n".join(["system,segment,annotator,score", *rows]))
    found = campaigns.find(tmp_path / "mine.csv")
    [one] = verdict.cases(found, "", campaigns.load(found), recipe="wmt17")
    assert verdict.removals(one)["removed"].tolist() == ["a & b", "c", "lowest"]
