"""What the public call says is what the page says, for every protocol and campaign."""

import numpy as np
import pandas as pd
import pytest

import companion.legacy.rankstability as rs
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.models.tasks import tasks
from companion.legacy.rankcompanion.verdict import cases
from companion.legacy.rankstability.paths import DEMO
from verdicts import told_of, written


def public(campaign, name, pair):
    """`rank_systems` of one pair, or of one task of relative ranking."""
    judgments = rs.load(campaign, pair)
    if campaigns.find(campaign).protocol == "RR":
        judgments = tasks(judgments)[name]
    return rs.rank_systems(judgments)


def page_says(said):
    """Order, scores, intervals, sets, lines and first places of a ``verdict.json``."""
    systems = pd.DataFrame(said["systems"])
    return {
        "systems": systems["system"].tolist(),
        "numbers": systems.drop(columns="system").astype(float).to_numpy(),
        "claimed": [row["below"] for row in said["lines"] if row["claimed"]],
        "held": [row["below"] for row in said["lines"] if row["held"]],
        "may_be_first": said["may_be_first"],
        "unit": said["unit"],
        "recipe": said["recipe"],
    }


def call_says(ranking):
    """The same of a `Ranking`."""
    table, places = ranking.table, ranking.places
    numbers = ["score", "low", "high", "rank_low", "rank_high"]
    return {
        "systems": list(ranking.systems),
        "numbers": table[numbers].astype(float).to_numpy(),
        "claimed": list(ranking.lines),
        "held": places.loc[places["held"] == 1, "below"].tolist(),
        "may_be_first": table.loc[table["may_be_first"] == 1, "system"].tolist(),
        "unit": ranking.unit,
        "recipe": ranking.recipe,
    }


def same(ours, theirs):
    ours, theirs = dict(ours), dict(theirs)
    np.testing.assert_allclose(ours.pop("numbers"), theirs.pop("numbers"), rtol=1e-9, atol=1e-11)
    assert ours == theirs


DEMOS = [
    ("demo-srdc", "de-en"), ("demo-srdc", "en-cs"), ("demo-srpdc", "de-en"), ("demo-mqm", "en-de"),
    ("demo-rr", "cs-en"), (DEMO / "ratings.csv", "xx-yy"),
]  # fmt: skip


@pytest.mark.parametrize(("campaign", "pair"), DEMOS, ids=lambda value: str(value).split("/")[-1])
def test_the_call_says_what_the_page_of_a_demo_says(campaign, pair):
    said = written(told_of(str(campaign), pair))
    same(call_says(public(campaign, said["name"], pair)), page_says(said))


def test_a_frame_gives_what_the_page_of_its_file_says():
    said = written(told_of(str(DEMO / "ratings.csv"), "xx-yy"))
    judgments = rs.judgments(pd.read_csv(DEMO / "ratings.csv"))
    same(call_says(rs.rank_systems(judgments)), page_says(said))


def ratings(settings, folder):
    """The demo table in a folder of its own, with a campaign.yaml."""
    (folder / "ratings.csv").write_bytes((DEMO / "ratings.csv").read_bytes())
    (folder / "campaign.yaml").write_text(settings)
    return folder


def test_adaptive_campaigns_are_ranked_within_segments_by_both(tmp_path):
    folder = ratings("adaptive: true\n", tmp_path)
    said = written(told_of(str(folder), "xx-yy"))
    told = call_says(public(folder, said["name"], "xx-yy"))
    same(told, page_says(said))
    judgments = rs.judgments(pd.read_csv(DEMO / "ratings.csv"), adaptive=True)
    same(call_says(rs.rank_systems(judgments)), page_says(said))


@pytest.mark.parametrize("columns", [["annotator"], ["annotator", "document"], ["document"]])
def test_scores_of_segments_and_leaderboards_are_ranked_alike_by_both(columns, tmp_path):
    frame = pd.read_csv(DEMO / "ratings.csv").drop(columns=columns)
    if columns == ["annotator", "document"]:
        frame = frame.groupby(["system", "segment_id"], as_index=False)["score"].mean()
    frame.to_csv(tmp_path / "mine.csv", index=False)
    said = written(told_of(str(tmp_path / "mine.csv"), "xx-yy"))
    same(call_says(rs.rank_systems(rs.load(tmp_path / "mine.csv"))), page_says(said))
    same(call_says(rs.rank_systems(rs.judgments(frame))), page_says(said))


@pytest.mark.parametrize("unit", ["worker", "document"])
def test_a_unit_that_is_asked_for_is_that_of_the_page(unit):
    said = written(told_of("demo-srpdc", "de-en", unit=unit))
    ranking = rs.rank_systems(rs.load("demo-srpdc", "de-en"), unit=unit)
    same(call_says(ranking), page_says(said))


@pytest.mark.parametrize("judge", ["judge", None])
def test_battles_of_a_frame_are_ranked_as_the_page_ranks_their_file(judge, tmp_path):
    rng = np.random.default_rng(4)
    rows = []
    for k in range(300):
        left, right = rng.choice(4, 2, replace=False)
        better = rng.random() < 1 / (1 + np.exp(0.6 * (left - right)))
        winner = "tie" if rng.random() < 0.1 else "model_a" if better else "model_b"
        rows.append(("ABCD"[left], "ABCD"[right], winner, f"j{k % 12}"))
    frame = pd.DataFrame(rows, columns=["model_a", "model_b", "winner", "judge"])
    frame = frame if judge else frame.drop(columns="judge")
    frame.to_json(tmp_path / "arena.jsonl", orient="records", lines=True)
    said = written(told_of(str(tmp_path / "arena.jsonl"), "xx-yy"))
    ranking = rs.rank_systems(rs.battles(frame))
    same(call_says(ranking), page_says(said))
    assert rs.fewest(ranking)["what"].iloc[0] == "first"


def meetings(*winners_and_losers):
    """Battles by six judges, each of whom saw all of these."""
    rows = [(a, b, "model_a", f"j{k}") for k in range(6) for a, b in winners_and_losers]
    return rs.battles(pd.DataFrame(rows, columns=["model_a", "model_b", "winner", "judge"]))


@pytest.mark.parametrize(
    ("fought", "without_score"),
    [
        (meetings("AB", "BA", "BC", "CB", "CA", "DA", "DB", "DC"), ["D"]),  # D never loses
        (meetings("AB", "BC", "AC"), ["A", "B", "C"]),  # in the order of their shares of wins
    ],
    ids=["one", "all"],
)
def test_a_system_without_a_finite_strength_has_no_score_and_its_page_is_written(
    fought, without_score
):
    ranking, said = rs.rank_systems(fought), rs.verdict(fought)
    table = ranking.table
    assert sorted(table.loc[table["score"].isna(), "system"]) == without_score
    assert "nan" not in str(ranking) + ranking._repr_html_()
    assert [row["system"] for row in said["systems"]] == list(ranking.systems)
    if len(without_score) == 3:
        assert ranking.systems == ("A", "B", "C")
    ranking.plot()


def catalogued():
    """Every catalogue campaign, or study of one, whose files are here."""
    here = []
    for campaign in campaigns.present():
        here += [f"{campaign.name}.{part}" for part in campaign.parts] or [campaign.name]
    return here


@pytest.mark.slow
@pytest.mark.parametrize("campaign", catalogued())
def test_the_call_says_what_the_page_of_every_campaign_says(campaign):
    """The page's ranking is that of its case; a demo's `verdict.json` holds it, see above."""
    found = campaigns.find(campaign)
    for pair in found.pairs:
        judgments = rs.load(found, pair)
        for one in cases.cases(found, pair, judgments):
            made = cases.standing(one)
            mine = tasks(judgments)[one.name] if found.protocol == "RR" else judgments
            theirs = call_says(made)
            same(call_says(rs.rank_systems(mine)), theirs)


@pytest.mark.parametrize(
    ("campaign", "pair"), DEMOS[2:], ids=lambda value: str(value).split("/")[-1]
)
def test_a_verdict_of_judgments_is_that_of_their_files(campaign, pair):
    said, of_files = rs.verdict(rs.load(campaign, pair)), written(told_of(str(campaign), pair))
    same(page_says(said), page_says(of_files))
    assert repr(said) == said["sentence"] == of_files["sentence"]
    assert said["fewest"] == of_files["fewest"]


def test_a_verdict_of_a_frame_shows_its_page():
    judgments = rs.judgments(pd.read_csv(DEMO / "ratings.csv"))
    said = rs.verdict(judgments, title="Forest & trees")
    assert said["sentence"] == written(told_of(str(DEMO / "ratings.csv"), "xx-yy"))["sentence"]
    shown = said._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "Forest &amp;amp; trees" in shown
    assert said["read"]["files"] == []


def test_a_verdict_of_several_tasks_or_of_a_plain_frame_is_refused():
    with pytest.raises(rs.DataError, match="more than one task"):
        rs.verdict(rs.load("demo-rr"))
    with pytest.raises(rs.DataError, match="a frame that is no judgments yet"):
        rs.verdict(pd.DataFrame({"model": ["A"]}))
