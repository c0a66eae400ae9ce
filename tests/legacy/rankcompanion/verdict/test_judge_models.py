"""A verdict with judge models: people's verdict is the same, with one section below it."""

import json
import re

import pandas as pd
import pytest

from conftest import needs
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks.judges import tables
from companion.legacy.rankcompanion.running import run
from companion.legacy.rankcompanion.verdict import cases as study
from companion.legacy.rankcompanion.verdict import judge_models
from companion.legacy.rankcompanion.verdict import page as report
from companion.legacy.rankstability import paths

OWN = {"judge_models", "data", "files"}  # what may differ where judges are named
SECTION = re.compile(r'<h2 id="judges">.*?(?=<hr>)', re.S)


def verdict(folder, said, judge):
    """The page and the JSON of the demo ratings, with `judge` in the table and `said` of it."""
    folder.mkdir(parents=True)
    people = pd.read_csv(paths.DEMO / "ratings.csv")
    keys = ["system", "segment_id", "document"]
    marks = people.groupby(keys, as_index=False)["score"].mean()
    marks = marks.assign(score=marks["score"].round() / 10 - 25, annotator="GPT-4")
    table = pd.concat([people, marks]) if judge else people
    table.to_csv(folder / "ratings.csv", index=False)
    (folder / "campaign.yaml").write_text(f"title: Ours\n{said}")
    given = {"campaign": str(folder), "output_dir": str(folder.parent / f"out-{folder.name}")}
    report.execute(run.plan("00_verdict", given), quiet=True)
    out = folder.parent / f"out-{folder.name}" / "xx-yy"
    return (out / "verdict.html").read_text(), json.loads((out / "verdict.json").read_bytes())


def plain(page, out):
    """The page without its section of judges, its data's checksum and the names of files."""
    page = SECTION.sub("", page).replace(out["data"], "")
    for name in out["files"]:
        page = page.replace(f'<a href="{name}"><code>{name}</code></a>, ', "")
    return re.sub(r"\s+", " ", page)


def test_peoples_verdict_is_the_same_with_and_without_judges(tmp_path):
    alone, numbers = verdict(tmp_path / "alone" / "x", "", judge=False)
    beside, both = verdict(tmp_path / "beside" / "x", "judges: [GPT-4]\n", judge=True)
    assert numbers["judge_models"] == [] and 'id="judges"' not in alone
    assert 'id="judges"' in beside and "GPT-4" in beside
    assert plain(alone, numbers) == plain(beside, both)
    assert {k: v for k, v in numbers.items() if k not in OWN} == {
        k: v for k, v in both.items() if k not in OWN
    }
    rows = pd.DataFrame(both["judge_models"]).set_index("judge")
    assert rows.loc["GPT-4", "alike"] == rows.loc["GPT-4", "pairs"]
    assert rows.loc["GPT-4", "r"] > 0.9 and 0 < rows.loc["GPT-4", "worth"] <= 1
    assert tables.PERSON in rows.index  # three annotators a document


def test_the_section_stands_below_the_verdict_and_says_what_is_odd():
    row = dict.fromkeys(judge_models.COLUMNS, None)
    row |= {"judge": "A<b>", "alike": 2, "pairs": 3, "declared_alike": 1, "declared": 1}
    row |= {"tau": -0.3, "r": -0.5, "r_low": -0.7, "r_high": -0.2, "worth": 0.0, "worth_low": 0.0}
    row |= {"worth_high": 0.0, "constant": 0, "equal": 0, "lacking": "refA"}
    told = {
        "judge_models": [row],
        "protocol": "DA",
        "words": dict(campaigns.find("demo-srdc").words),
    }
    made = report.template("judges.html.j2").make_module({}).judge_models(told)
    text = " ".join(str(made).split())
    assert "A&lt;b&gt; rises where people’s scores fall: is lower better? A&lt;b&gt; has no" in text
    assert "2 of 3" in text and "none can be shown" in text
    words = "is lower better"
    for less, asked in (({"r_high": 0.1}, True), ({"r_high": 0.1, "tau": 0.2}, False),
                        ({"r": 0.1, "r_high": 0.3}, False)):  # fmt: skip
        page = report.template("judges.html.j2").make_module({})
        assert (words in str(page.judge_models(told | {"judge_models": [row | less]}))) == asked
    level = [row | {"constant": 1, "worth": None, "r_low": None, "r_high": None, "lacking": ""}]
    made = (
        report.template("judges.html.j2")
        .make_module({})
        .judge_models(told | {"judge_models": level})
    )
    assert "gives every output the same score." in str(made) and "cannot be told" in str(made)


@needs("wmt23-protocols")
@needs("wmt23-judges")
def test_the_verdict_of_esa_1_has_what_notebook_12_has():
    campaign = campaigns.find("wmt23-protocols.ESA-1")
    [one] = study.cases(campaign, "en-de", campaigns.load(campaign, "en-de"))
    rows = judge_models.table(campaign, one).set_index("judge")
    assert rows.loc["GEMBA-MQM-src", "alike"] == 75
    assert rows.loc["GEMBA-MQM-src", "worth"] == pytest.approx(0.069, abs=6e-4)


@needs("llmfao")
def test_a_verdict_of_battles_has_judges_of_battles():
    campaign = campaigns.find("llmfao")
    [one] = study.cases(campaign, "xx-yy", campaigns.load(campaign, "xx-yy"))
    rows = judge_models.table(campaign, one).set_index("judge")
    assert rows.loc["GPT-4", "r"] == pytest.approx(0.088, abs=6e-4)
