"""The verdict: right answers where the truth is known, the level kept, numbers as elsewhere."""

import inspect
import json
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import companion.legacy.rankstability
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.figures import lines as figures
from companion.legacy.rankcompanion.running import session
from companion.legacy.rankcompanion.verdict import answers
from companion.legacy.rankcompanion.verdict import cases as verdict
from companion.legacy.rankcompanion.verdict import page as report
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError
from verdicts import SETTINGS, cases, judge, standing, sure


def test_a_page_has_the_defaults_of_its_notebook():
    said = paths.ROOT / "notebooks" / "00_verdict.ipynb"
    source = "".join(json.loads(said.read_text(encoding="utf-8"))["cells"][1]["source"])
    own = inspect.signature(report.judged).parameters
    for name in ("alpha", "seed"):
        assert re.search(rf"^{name}: \w+ = {own[name].default} ", source, re.MULTILINE), name


@pytest.mark.parametrize("pair", ["de-en", "en-cs"])
@pytest.mark.parametrize("campaign", ["demo-srdc", "demo-srpdc"])
def test_what_holds_of_a_demo_campaign_is_true(campaign, pair):
    [one] = cases(campaign, pair)
    made, lines = standing(one)
    file = paths.DEMO / campaign / f"truth-{pair}.csv"
    truth = pd.read_csv(file).set_index("system").iloc[:, -1]
    rank = truth.rank(ascending=False)
    ranking = made.table.set_index("system")
    assert (ranking["rank_low"] <= rank[ranking.index]).all()
    assert (ranking["rank_high"] >= rank[ranking.index]).all()
    order = made.table["system"].tolist()
    for row in lines.itertuples():
        split = truth[order[: row.below]].min() > truth[order[row.below :]].max()
        if row.answer == answers.HOLDS:
            assert split
        assert row.answer != answers.NOT or not split
    assert truth.idxmax() in answers.summary(made, lines)["may_be_first"]


def test_a_line_that_is_only_unclear_cannot_be_told_and_a_reversed_one_does_not_hold():
    for error, wanted in ((0.01, ["holds", "does not hold"]), (5.0, [answers.UNTOLD] * 2)):
        certain = sure([1.0, 0.9, 0.0], np.eye(3) * error**2)
        ranking = pd.DataFrame({"system": ["a", "c", "b"]})  # b above c in the means
        order = np.array([0, 2, 1])
        lines = certain.places(order, [1, 2])
        made = SimpleNamespace(table=ranking, places=lines, sure=certain, order=order)
        assert answers.line_answers(made)["answer"].tolist() == wanted


def test_a_recipe_that_the_data_cannot_feed_is_refused():
    found = campaigns.find("demo-mqm")
    [pair] = found.pairs
    with pytest.raises(DataError, match="fewer than two systems"):
        errors = campaigns.load(found, pair)
        verdict.scored_case(pair, "MQM", errors[errors["system"] == errors["system"].iloc[0]])


@pytest.mark.parametrize("campaign", ["demo-srdc", "demo-mqm", "demo-rr"])
def test_the_page_needs_nothing_else_and_shows_names_as_they_are(campaign, tmp_path):
    found = campaigns.find(campaign)
    one = cases(campaign, found.pairs[0])[0]
    made, tables = judge(one)
    found.__dict__["unread"] = (("two.csv", "misspelt <b>"),)
    run = SimpleNamespace(campaign=found, out=session.Outputs(tmp_path, {"data": "x"}))
    evil = "<script>alert(1)</script> & 100% _x_ $y$"
    first = made.table["system"].iloc[0]
    for frame in (*tables.values(), made.table):
        if "system" in frame:
            frame["system"] = frame["system"].astype(str).replace(first, evil)
    told = answers.facts(run, one, made, tables, SETTINGS)
    fig = figures.standing(made.table, made.places, "t", told["score_name"])
    drawn = {"verdict": run.out.figure(fig, "verdict", found.pairs[0])}
    report.write(run.out, one, told, tables, drawn)
    folder = tmp_path / found.pairs[0]
    page = (folder / "verdict.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page and "<script" not in page and "http://" not in page
    assert "https://" not in page and "&lt;script&gt;" in page
    assert page.count("data:image/png;base64,") == 1
    order = ["Who may be called best", "Which lines may be printed", "What to do next"]
    places = [page.index(part) for part in (*order, "<figure>", "Who may be f", ">What was read<")]
    assert places == sorted(places)
    explained = (folder / "how.html").read_text(encoding="utf-8")
    anchors = re.findall(r'href="how.html#([\w-]+)"', page)
    assert anchors and all(f'id="{name}"' in explained for name in anchors)
    kinds = set(re.findall(r'data-says="([^"]+)"', page))
    assert kinds >= {"best", "lines", "next", "may be first", "paper", "cautions", "read"}
    out = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    assert out["read"]["files"] == [file.name for file in found.files(found.pairs[0])]
    assert out["read"]["unread"] == [{"file": "two.csv", "reason": "misspelt <b>"}]
    assert "<strong>Not read:</strong> two.csv (misspelt &lt;b&gt;)." in page
    assert evil in out["sentence"] and out["pair"] == found.pairs[0]
    tex = (folder / "ranking.tex").read_text(encoding="utf-8").replace("\\allowbreak ", "")
    assert r"\& 100\% \_x\_ \$y\$" in tex and tex.count(" \\\\\n") == len(made.table) + 1
    # what the protocol cannot say is left out
    assert ("<summary>Annotators" in page) == (campaign == "demo-srdc")
    assert ("<summary>Raters" in page) == (campaign == "demo-mqm")
    assert ("ranked by the recipe of each year" in page) == (campaign != "demo-rr")
    assert ("two-sided, uncorrected; a line below" in page) == (campaign == "demo-rr")
    assert ("twice the annotators, on the same documents" in page) == (campaign == "demo-srdc")
    assert ("mean raw score" in page) == (campaign == "demo-srdc")


def test_the_sample_of_a_campaign_of_ones_own_gets_the_right_answers():
    """Aspen leads by twelve points; Birch and Cedar, Elm and Fir are one point apart."""
    file = paths.DEMO / "ratings.csv"
    [one] = cases(str(file), "")
    made, lines = standing(one)
    assert made.unit == "worker x document"
    assert made.table["system"].tolist()[0] == "Aspen"
    assert answers.summary(made, lines)["may_be_first"] == ["Aspen"]
    held = made.places.set_index("below")["held"]
    assert held[1] == 1 and held[3] == 1 and held[2] == 0 and held[4] == 0
    assert answers.NOT not in set(lines["answer"])


BATTLES = ["model_a,model_b,winner", *["A,C,tie", "B,C,tie"] * 10]
SCORES = [f"{s},{i},{w},50" for s in "ABC" for i in range(9) for w in "abcdefghijkl"]
ERRORS = [f"{s}\td\t{k}\t{k}\tr{k % 3}\tx\ty\tNo-error\tNo-error" for s in "AB" for k in range(9)]
NAMES = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity"


@pytest.mark.parametrize(
    ("name", "rows", "pair", "problem"),
    [
        ("a.csv", BATTLES, "xx-yy", "only ties in xx-yy"),
        ("a.csv", ["system,segment,annotator,score", *SCORES], "xx-yy", "of xx-yy are the same"),
        ("mqm_ende.tsv", [NAMES, *ERRORS], "en-de", "all scores of en-de are the same"),
    ],
    ids=["ties", "scores", "no error"],
)
def test_where_all_are_alike_nobody_is_ranked(tmp_path, name, rows, pair, problem):
    (tmp_path / name).write_text("\n".join(rows))
    with pytest.raises(DataError, match=problem):
        cases(tmp_path, pair)


def test_a_page_has_a_system_of_infinite_strength_without_a_place():
    """Three models met each other, and a newcomer won the three battles that it had."""
    wins = {("A", "B"): 14, ("B", "A"): 6, ("A", "C"): 15, ("C", "A"): 5, ("B", "C"): 13}
    wins |= {("C", "B"): 7, ("new", "A"): 1, ("new", "B"): 1, ("new", "C"): 1}
    pairs = [pair for pair, number in wins.items() for _ in range(number)]
    frame = pd.DataFrame(pairs, columns=["left", "right"]).assign(winner="left")
    frame["judge"] = [f"j{k % 10}" for k in range(len(frame))]
    roles = {name: name for name in frame}
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        said = rankstability.verdict(rankstability.battles(frame, **roles))
    assert "new has no place" in said["statements"]["best"]
    assert "of the 3 models that have a place may be first" in said["statements"]["best"]
    assert [row["score"] for row in said["ranking"] if row["system"] == "new"] == [None]
    text = " ".join(said.page.decode().split())
    assert "by it 4 of the 4 models would have another rank" in text
    assert {row["what"] for row in said["fewest"]} >= {"first"}  # of the three that have a place
    assert '<h2 id="fewest">A repeat</h2>' not in text
    assert "All in <code>verdict.json</code>" in text and len(said["meetings"]) == 4
    assert "meetings" not in answers.BESIDE  # which are files of their own
