"""90_explore without a browser: settings to views, the chart, and the wiring of the controls."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from conftest import needs
from companion.legacy.paperkit import parameters
from companion.legacy.paperkit.templates import template
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.models import removing
from companion.legacy.rankcompanion.notebooks import divisor_degradation as degradation
from companion.legacy.rankcompanion.notebooks import outlier_removal
from companion.legacy.rankcompanion.notebooks.explore import views as explore
from companion.legacy.rankcompanion.notebooks.explore import widgets
from companion.legacy.rankcompanion.notebooks.explore.views import State, load
from companion.legacy.rankcompanion.notebooks.explore.widgets import Explorer
from companion.legacy.rankcompanion.notebooks.srp.rankings import by_normalisation, rank_ratings, system_means
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank.comparing import compare
from companion.legacy.rankstability.rank.ranking import CLUSTER_RULES
from companion.legacy.rankstability.rank.standing import rank_systems
from companion.legacy.rankstability.score import mqm
from companion.legacy.rankstability.score.scored import segment_scores

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def da():
    return campaigns.load_da(campaigns.find("demo-srpdc"), "de-en")


@pytest.fixture(scope="module")
def direct(da):
    return explore.DaTask(da)


@pytest.fixture(scope="module")
def relative():
    return load(campaigns.find("demo-rr"), "cs-en")["cs-en"]


@pytest.fixture(scope="module")
def errors():
    return load(campaigns.find("demo-mqm"), "en-de")["en-de"]


@pytest.mark.parametrize("what", ["human+ref", "lowest"])
def test_removal_is_that_of_notebook_02(da, direct, what):
    c = outlier_removal.remove_each(da, [what])[0]
    ends = {"lowest": direct.first.systems[-1], "highest": direct.first.systems[0]}
    view = direct.view(State(removed=(ends.get(what, what),)))
    assert view.original.table.equals(c.original.table)
    assert view.changed.table.equals(c.changed.table)
    assert view.dropped == c.dropped
    assert view.change == compare(c.original, c.changed)
    assert view.note == f"{c.rows_good:,} of {len(da.good):,} judgments removed"


@pytest.mark.parametrize("divisor", [1.25, 4.0])
def test_divisor_is_that_of_notebook_03(da, direct, divisor):
    c = degradation.sweep(da, [divisor])[0]
    view = direct.view(State(divisor=divisor))
    assert view.original.table.equals(c.original.table)
    assert view.changed.table.equals(c.changed.table)
    assert f"{c.rows_good:,} human and REF scores divided by {divisor:g}" in view.note


@pytest.mark.parametrize("rule", CLUSTER_RULES)
def test_test_rule_and_alpha_are_those_of_the_ranker(da, direct, rule):
    settings = {"test": "two-sided", "rule": rule, "alpha": 0.01}

    def ranker(left):
        return rank_systems(segment_scores(left), by="mean_raw", **settings)

    c = outlier_removal.remove_each(da, [direct.first.systems[3]], ranker)[0]
    view = direct.view(State(removed=(direct.first.systems[3],), score="mean_raw", **settings))
    assert view.changed.table.equals(c.changed.table)
    assert view.original.settings() == view.changed.settings() == c.changed.settings()
    assert not view.change.d_rank  # raw means do not move when a system is removed


def test_impossible_settings_are_refused(direct, relative):
    with pytest.raises(DataError, match=r"nothing to remove.*nobody"):
        direct.view(State(removed=("nobody",)))
    with pytest.raises(DataError, match="too few systems left"):
        direct.view(State(removed=direct.first.systems[1:]))
    with pytest.raises(DataError, match="unknown cluster rule"):
        direct.view(State(rule="none"))
    with pytest.raises(DataError, match="unknown setting"):
        relative.view(State(score="mean_z"))


@pytest.mark.parametrize("method", ["better_or_equal_others", "bojar", "expected_win"])
def test_relative_ranking_is_that_of_notebook_07(relative, method):
    frame = campaigns.load_rr(campaigns.find("demo-rr"), "cs-en")
    rows = removing.removals(frame, [method], correction="holm")
    assert "ref" in set(rows["removed"])
    for row in rows.to_dict("records"):
        name = "_ref" if row["removed"] == "ref" else row["removed"]
        view = relative.view(State(removed=(name,), score=method, test="sign test, holm"))
        assert {k: row[k] for k in view.change.row()} == view.change.row()


def test_mqm_ranking(errors):
    means = system_means(errors.data)
    ranking = errors.view(State()).changed
    assert list(ranking.systems) == list(means["system"])
    assert np.allclose(-ranking.table["minus_mqm"], means["score"])
    assert np.allclose(ranking.table["errors"], means["errors"])
    # every rater's mean, over the systems that are left, is 0 after z and equal after mean
    left = errors.data.without("Holly")
    view = errors.view(State(removed=("Holly",), score="z"))
    assert view.changed.table.equals(rank_ratings(left, "z").table)
    assert abs(view.changed.table["minus_mqm"].mean()) < 1e-9
    total = rank_ratings(left, "mean").table["minus_mqm"].mean()
    assert total == pytest.approx(-system_means(left)["score"].mean())
    with pytest.raises(DataError, match="unknown setting"):
        errors.view(State(score="median"))
    table = by_normalisation(errors.data)
    for name in mqm.NORMALISATIONS:
        part, view = table[table["normalisation"] == name], errors.view(State(score=name)).changed
        assert part["system"].tolist() == list(view.systems)
        assert part.loc[part["line_below"] == 1, "rank"].tolist() == list(view.lines)


def sentence(view):
    return template("changed.html.j2").render(view=view)


def views(direct, relative, errors):
    human = direct.first.systems[0]
    yield direct.view(State())
    yield direct.view(State(removed=(human, direct.first.systems[4]), divisor=10.0))
    yield direct.view(State(rule="adjacent", test="two-sided"))
    yield relative.view(State(removed=("_ref", relative.first.systems[2])))
    yield errors.view(State(removed=("Bay",), score="error"))


def test_chart_says_what_the_comparison_says(direct, relative, errors):
    for view in views(direct, relative, errors):
        frame = widgets.places(view)
        old, new = (
            frame[frame["ranking"] == name].set_index("system")["place"]
            for name in ("original", "changed")
        )
        assert sorted(old, key=int) == list(range(1, len(view.before) + 1))
        assert tuple(old.sort_values().index) == view.before
        assert set(old.index) - set(new.index) == set(view.dropped)
        assert tuple(new.sort_values().index) == view.changed.systems
        assert tuple(old[list(new.index)].sort_values().index) == view.original.systems
        kinds = frame["line"].tolist()
        assert kinds.count("appeared") == view.change.lines_appeared
        assert kinds.count("vanished") == view.change.lines_vanished
        lines = len(view.original.lines) + len(view.changed.lines)
        assert len(kinds) - kinds.count("") == lines
        tree = ET.fromstring(widgets.bump_svg(view))
        texts = ["".join(t.itertext()) for t in tree.iter(f"{SVG}text")]
        steps = sum(bool(re.search("[▲▼]", t)) for t in texts)
        assert steps == (old[new.index] != new).sum()
        bars = [p for p in tree.iter(f"{SVG}path") if p.get("class") in ("kept", "appeared")]
        assert len(bars) == kinds.count("kept") + kinds.count("appeared")
        struck = [
            "".join(t.itertext()) for t in tree.iter(f"{SVG}text") if t.get("text-decoration")
        ]
        assert struck == list(view.dropped)
        said, pairs = sentence(view), len(view.original.systems) * (len(view.original.systems) - 1)
        counted = f"{view.change.kendall_distance} of {pairs // 2} pairs"
        assert (counted in said and view.change.moved in said) == view.change.d_rank
        assert ("clusters stay" in said) == (not view.change.d_cluster)


def test_chart_escapes_names(direct):
    odd = direct.view(State())
    table = odd.changed.table.assign(system=[f"<b>&{s}" for s in odd.changed.systems])
    ranking = replace(odd.changed, table=table)
    view = replace(odd, before=ranking.systems, original=ranking, changed=ranking)
    svg = widgets.bump_svg(view)
    assert "<b>" not in svg and "&lt;b&gt;&amp;" in svg
    ET.fromstring(svg)


@pytest.fixture
def panel():
    return Explorer()


def shown(panel) -> list[str]:
    """The systems of the ranking shown, as its HTML has them."""
    return re.findall(r"<tr><td[^>]*>\d+</td><td[^>]*>([^<]+)</td>", panel.table.value)


def test_controls_redraw(panel):
    original = shown(panel)
    assert tuple(original) == panel.task.first.systems and len(original) == 10
    before = panel.table.value, panel.bump.value
    panel.removed.value = (original[2],)
    assert sorted(shown(panel)) == sorted(s for s in original if s != original[2])
    assert panel.bump.value != before[1] and "line-through" in panel.bump.value
    panel.buttons["nothing"].click()
    assert (panel.table.value, panel.bump.value) == before
    panel.divisor.value = 10.0
    assert "HUMAN.0" not in shown(panel) and "divided by 10" in panel.message.value
    assert shown(panel) != [s for s in original if s != "HUMAN.0"]  # Larch falls behind Juniper
    panel.divisor.value = 1.0
    assert (panel.table.value, panel.bump.value) == before
    for control, value in (
        (panel.score, "mean_raw"),
        (panel.test, "two-sided"),
        (panel.rule, "adjacent"),
        (panel.alpha, 0.2),
    ):
        last = panel.table.value
        control.value = value
        assert panel.table.value != last
    assert "test two-sided, line rule adjacent, alpha 0.2" in panel.table.value
    assert "lines that" not in panel.message.value
    systems = panel.task.first.systems
    presets = {"lowest": systems[-1:], "highest": systems[:1], "human + REF": ("human+ref",)}
    for name, chosen in presets.items():
        panel.buttons[name].click()
        assert panel.removed.value == chosen


def test_another_pair_and_campaign_start_anew(panel):
    panel.removed.value = (panel.task.first.systems[0],)
    panel.divisor.value = 4.0
    panel.pair.value = "en-cs"
    assert panel.removed.value == () and panel.divisor.value == 1.0
    assert tuple(shown(panel)) == panel.task.first.systems
    panel.campaign.value = "demo-rr"
    assert panel.pair.options == ("cs-en", "en-de") and panel.divisor.layout.display == "none"
    assert panel.buttons["human + REF"].disabled and "expected_win" in panel.score.options
    full = shown(panel)
    panel.score.value = "expected_win"
    panel.removed.value = ("_ref",)
    assert sorted(shown(panel)) == sorted(full) and "comparisons removed" in panel.message.value
    panel.campaign.value = "demo-mqm"
    values = panel.table.value
    panel.score.value = "z"
    assert panel.table.value != values


def test_errors_are_shown_and_left_behind(panel):
    systems = panel.task.first.systems
    panel.removed.value = systems
    assert "too few systems left" in panel.message.value and panel.table.value == ""
    panel.removed.value = ()
    assert tuple(shown(panel)) == systems


def test_start_elsewhere(tmp_path):
    panel = Explorer(str(campaigns.find("demo-srdc").folder), "en-cs")
    assert panel.pair.value == "en-cs" and len(shown(panel)) > 5
    with pytest.raises(DataError, match="unknown campaign"):
        Explorer("wmt1899")
    assert "no such language pair" in Explorer("demo-rr", "xx-en").message.value


@needs("wmt20")
def test_segment_scores_cannot_be_explored():
    with pytest.raises(DataError, match="without judgments"):
        Explorer("wmt20")


def test_a_name_is_text_in_what_is_said(direct):
    view = direct.view(State(removed=(direct.first.systems[-1],), score="mean_z"))
    change = replace(view.change, d_rank=1, moved="<img src=x onerror=a>")
    said = sentence(replace(view, change=change, dropped=("<b>x</b>",)))
    assert "<img" not in said and "<b>x" not in said and "&lt;img src=x" in said


def test_the_notebook_opens_with_a_system_taken_out_that_moves_others():
    given = {one.name: one.default for one in parameters.parameters("90_explore")}
    panel = Explorer(given["campaign"], given["pair"])
    panel.preset(given["removed"])
    assert panel.shown.dropped == panel.shown.before[-1:]
    assert panel.shown.change.kendall_distance > 0
    with pytest.raises(DataError, match="no such removal"):
        panel.preset("the best")
