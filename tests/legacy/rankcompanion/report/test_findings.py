"""The findings of the front page: counts from the tables, intervals over pairs, sentences."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from companion.legacy.paperkit import paths
from companion.legacy.paperkit.templates import template
from companion.legacy.rankcampaigns.campaigns import catalogue
from companion.legacy.rankcompanion.figures import changes as drawing
from companion.legacy.rankcompanion.figures import judges as judge_drawing
from companion.legacy.rankcompanion.papers import koehn2012
from companion.legacy.rankcompanion.report import findings, front, ledger


def test_a_range_is_over_pairs_and_of_pairs_that_have_cases():
    made = findings.over_pairs(pd.Series([3, 1, 0, 0]), pd.Series([4, 5, 1, 0]))
    assert (made["part"], made["whole"], made["units"]) == (4, 10, 3)
    assert (made["value"], made["low"], made["high"]) == (0.4, 0.0, 0.75)
    assert made["each"] == [(0.75, 4), (0.2, 5), (0.0, 1)]


def test_ways_to_count_wins_are_compared_all_together_and_two_by_two():
    ranks = pd.DataFrame(
        [("wmtx", f"t{k}", s, 1 + n, 1 + n, 2 - n) for k in range(5) for n, s in enumerate("ab")],
        columns=["campaign", "task", "system", "bojar", "expected_win", "mfas"],
    )
    (row,) = findings.methods(ranks)
    assert (row["part"], row["whole"], row["ways"], row["two"]["part"]) == (10, 10, 3, 0)


def test_misprints_are_counted_once_for_each_printed_number(tmp_path):
    ledger_file = tmp_path / "claims_ledger.csv"
    head = "paper,place,cell,published,ours,status,reason,provenance\n"
    ledger_file.write_text(
        head
        + "koehn2012,Section 6,as stated | x,1,2,differs,the sentence contradicts it,simulated\n"
        + "koehn2012,Section 6,as matched | x,1,2,differs,the sentence contradicts it,simulated\n"
        + "bojar2011,Section 2,y,1,2,differs,slip in the paper: ...,official\n"
        + "bojar2011,Section 2,z,1,2,differs,another test,official\n"
    )
    assert findings.misprints(ledger_file) == {"part": 2, "whole": 3, "papers": 2}
    assert findings.misprints(tmp_path / "none.csv") == {}


def test_a_recipe_is_asked_about_campaigns_that_it_could_rank():
    columns = ["campaign", "pair", "recipe", "unit", "claimed", "claimed_and_held"]
    names = [name for name in ("wmtx", "bio-mqm") for _ in range(5)]
    rows = [(name, f"{k}", "wmt17", "document", 2, 1) for k, name in enumerate(names)]
    found = findings.lines(pd.DataFrame(rows, columns=columns))
    assert [row["campaign"] for row in found] == ["wmtx"]


def test_false_lines_by_worker_are_told_where_no_documents_are_named():
    rows = [("wmtx", f"{k}", "wmt17", "document", 0.1) for k in range(5)]
    rows += [("wmtx", f"{k}", "wmt17", "worker", 0.9) for k in range(5)]
    rows += [("wmty", f"{k}", "wmt17", "worker", 0.4) for k in range(5)]
    columns = ["campaign", "pair", "recipe", "unit", "campaigns_with_line"]
    found = findings.false_lines(pd.DataFrame(rows, columns=columns))
    assert [(row["campaign"], row["unit"]) for row in found] == [
        ("wmty", "worker"), ("wmtx", "document"),
    ]  # fmt: skip
    shown = str(template("findings.j2").module.sentence({"key": "false", "rows": found}))
    shown = " ".join(bare(shown).split())
    assert "in at least 40 % of campaigns like WMTy (labels shuffled by worker" in shown


def test_the_fewest_judgments_are_shares_with_the_least_pair_named():
    rows = [("wmtx", "a-b", "first", "judgment", 5, 100, 0)]
    rows += [("wmtx", "c-d", "first", "judgment", 2, 400, 1)]
    rows += [("wmtx", "c-d", "first", "annotator", 1, 9, 0)]
    rows += [("wmtx", "e-f", "first", "judgment", np.nan, 50, 0)]
    rows += [("wmty", "a-b", "line below 1", "judgment", 1, 100, 0)]
    columns = ["campaign", "task", "what", "unit", "fewest", "of", "exact"]
    table = pd.DataFrame(rows, columns=columns)
    (row,) = findings.fewest(table)
    assert (row["campaign"], row["task"], row["exact"]) == ("wmtx", "c-d", True)
    assert (row["part"], row["whole"], row["low"], row["high"]) == (2, 400, 0.005, 0.05)
    assert row["value"] == pytest.approx(0.0275) and row["units"] == 2
    said = str(template("findings.j2").module.sentence({"key": "fewest", "rows": [row]}))
    shown = " ".join(bare(said).split())
    assert "Without 2 judgments of the 400 of WMTx c-d, another system is first, human " in shown
    ends = "takes at most 2.8 % of its judgments (WMTx; n = 2)."
    assert shown.replace("\u00a0", " ").endswith(ends) and row["counts"] == "judgments"
    averages = table.assign(campaign="wmt20").iloc[:2].replace({"fewest": {2: 1}})
    both = findings.fewest(pd.concat([table, averages], ignore_index=True))
    assert {one["campaign"]: one["counts"] for one in both}["wmt20"] == "averages"
    said = str(template("findings.j2").module.sentence({"key": "fewest", "rows": both}))
    shown = " ".join(bare(said).split())
    assert shown.startswith("Without 2 judgments of the 400 of WMTx c-d")  # averages lead nowhere
    assert "% of its averages of segments (WMT20; n = 2)" in shown and "over 2 campaigns" in shown
    assert findings.least(both)["campaign"] == "wmtx"
    ax = drawing.finding({"key": "fewest", "rows": [row]}).axes[0]
    assert ax.get_xscale() == "log" and ax.lines[0].get_xdata()[0] == row["value"]


def of_judges():
    """Rows of notebook 12: two studies of one campaign, and battles of another."""
    names = ["GEMBA-MQM-src", "chrF", "random", "people: ESA-2", "people: a perfect judge"]
    one = pd.DataFrame({"judge": names, "pair": "en-de", "study": "ESA-1"})
    one["alike"], one["pairs"] = [75, 54, 40, 72, np.nan], [78, 66, 78, 78, np.nan]
    one["r"], one["worth"] = [0.3, 0.4, 0.0, 0.34, 0.58], [0.07, 0.13, 0.0, 0.09, 0.27]
    one = one.assign(worth_low=one["worth"] / 2, worth_high=one["worth"] * 2)
    battles = one[:2].assign(campaign="llmfao", study=None)
    studies = [one, one.assign(study="ESA-2", alike=1)]
    return pd.concat([battles, *(part.assign(campaign="wmtx") for part in studies)])


def test_the_finding_of_judges_sets_the_order_beside_the_worth():
    rows = findings.judges(of_judges())
    assert [row["judge"] for row in rows] == ["GEMBA-MQM-src", "chrF", "people: ESA-2"]
    assert {row["study"] for row in rows} == {"ESA-1"} and rows[0]["of"] == 3
    found = {"key": "judges", "rows": rows}
    text = " ".join(bare(str(template("findings.j2").module.sentence(found))).split())
    assert "GPT-4 as a judge (GEMBA-MQM) orders 75 of 78 pairs of systems of WMTx en-de" in text
    assert "as the people of ESA-1 do; a second study of people (ESA-2) orders 72 so." in text
    assert "would save only 7 % (4 % to 14 %) of their judgments" in text.replace("\u00a0", " ")
    assert "those of chrF, worth most of the 3 judges here, 13 % (6 % to 26 %)." in text
    for narrow in (False, True):
        fig = judge_drawing.finding(found, narrow)
        assert [t.get_text() for t in fig.axes[0].get_yticklabels()] == [
            "GEMBA-MQM-src", "chrF", "ESA-2"
        ]  # fmt: skip
    assert "75 of 78, 7" in judge_drawing.described(found)
    assert findings.judges(of_judges()[:2]) == []  # battles have no study


@pytest.fixture(scope="module")
def said():
    """The findings that README says, without their links."""
    if not (paths.FIGURES / "claims_ledger.csv").is_file():
        pytest.skip("no committed results")
    start, end = ledger.ANSWERS
    readme = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    return readme.partition(start)[2].partition(end)[0].strip().splitlines()


@pytest.fixture(scope="module")
def found():
    """The rows of each finding."""
    return {one["key"]: one["rows"] for one in findings.gather(paths.FIGURES)}


def bare(line):
    """The sentences of a line of README, without its title and its link."""
    return re.sub(r" \(\[figure\]\(.*?\)\)$|^- \*\*.*?\*\* ", "", line)


def of_units(rows, part, whole, by="pair"):
    """Sums of part and whole for each pair (or task)."""
    return rows.assign(part=part, whole=whole).groupby(by)[["part", "whole"]].sum()


def removed(rows):
    single = rows[~rows["removed"].isin(["human+ref", "ref", "lowest", "highest"])]
    return of_units(single, single["d_rank"], 1)


def halved(rows):
    half = rows.query("unit == 'workers' and normalisation == 'z' and level == 1")
    return of_units(half, half["kendall"], 1)


def clustered(rows):
    rows = rows.query("test == 'scipy<1.7' and correction == 'none'")
    sums = rows.drop(columns=["pair", "test", "correction"]).sum()
    return of_units(rows, rows[sums.idxmax()], rows[sums.idxmin()])


def held(rows):
    known = rows.query("recipe == 'wmt17'").dropna(subset="claimed_and_held")
    judged = known.groupby("unit")["pair"].nunique()
    units = ("worker x document", "worker", "document", "block")
    own = known[known["unit"] == next((u for u in units if judged.get(u, 0) >= 5), "")]
    return of_units(own, own["claimed_and_held"], own["claimed"])


def false(rows):
    null = rows.query("recipe == 'wmt17'")
    documents = null[null["unit"] == "document"]
    null = documents if len(documents) else null[null["unit"] == "worker"]
    return of_units(null, null["campaigns_with_line"], 1)


def moved(rows):
    ways = rows.drop(columns=["task", "system"])
    return of_units(rows, ways.nunique(axis=1) > 1, 1, by="task")


COUNTED = {"removal": removed, "halves": halved, "rules": clustered}
COUNTED |= {"lines": held, "false": false, "methods": moved}


@pytest.mark.parametrize("key", COUNTED)
def test_findings_are_those_counted_anew_from_the_committed_tables(found, key):
    notebook, name = findings.TABLES[key]
    anew = {}
    for file in findings.files_named(paths.FIGURES, notebook, f"{name}.csv"):
        sums = COUNTED[key](pd.read_csv(file))
        if len(sums) >= 5:
            each = (sums["part"] / sums["whole"])[sums["whole"] > 0]
            anew[file.parts[-3]] = (*sums.sum(), each.min(), each.max())
    rows = found[key]
    left_out = set(anew) - {row["campaign"] for row in rows}
    others = {c for c in left_out if catalogue()[c]["protocol"] != "MQM"}
    least, most = sorted([rows[0]["value"], rows[-1]["value"]])
    assert all(least <= anew[c][0] / anew[c][1] <= most for c in others)  # between the two said
    assert not others or (key in findings.ENDS and len(rows) == 2)
    for row in rows:
        ours = [row[name] for name in ("part", "whole", "low", "high")]
        assert ours == pytest.approx(anew[row["campaign"]])


def test_a_figure_draws_the_campaigns_that_its_sentence_names():
    """No more, no fewer, with the numbers of the sentence: read from the labels of its rows."""
    known = sorted((name.replace("wmt", "WMT") for name in catalogue()), key=len, reverse=True)
    for one in findings.gather(paths.FIGURES):
        if one["key"] not in drawing.AXES:
            continue
        say = template("findings.j2").module
        said = bare(f"{say.sentence(one)} {say.each(one)}")
        said = html.unescape(said).replace(",", "").replace("WMT17 recipe", "")
        said = " ".join(said.split()).partition("Campaigns of fewer than")[0]
        labels = [t.get_text() for t in drawing.finding(one).axes[0].get_yticklabels()]
        names = {label.split()[0].strip() for label in labels}
        assert names == set(re.findall("|".join(map(re.escape, known)), said)), one["key"]
        for label in labels:
            text = label.partition("\n")[2]
            text = text.split(":")[-1].replace("\u00a0", " ").strip()  # of the fewest: the share
            numbers = [text] if "%" in text else re.findall(r"[\d.]+", text)
            assert [n for n in numbers if n not in said] == [], (one["key"], label)


def test_the_readme_says_what_the_committed_results_give(said):
    made = findings.sentences(paths.FIGURES).splitlines()
    assert len(made) == findings.leading(findings.gather(paths.FIGURES))
    for ours, line in zip(made, said, strict=True):
        assert line == ours
        figure = line.partition("](")[2].partition(")")[0]
        assert not figure or (paths.ROOT / figure).is_file()


def test_what_the_readme_says_of_koehn_is_what_the_simulation_gives():
    """Figure 3 at 20 instead of 10; LOPEZ at none of the spreads."""
    text = " ".join((paths.ROOT / "README.md").read_text(encoding="utf-8").split())
    assert "those of Figure 3 only at 20 instead of 10, and of its LOPEZ at none" in text
    errors = pd.read_csv(paths.FIGURES / "wmt12" / "09_simulation" / "ranking_errors.csv")
    printed = koehn2012.printed("Figure 3").rename(columns={"method": "ranker"})
    both = errors.merge(printed[["ranker", "judgments", "value"]])
    both["off"] = (both["error"] - both["value"]).abs()
    worst = both.groupby(["ranker", "spread"])["off"].max()
    near = {
        ranker: list(worst[ranker][worst[ranker] < 0.005].index) for ranker in ("BOJAR", "LOPEZ")
    }
    assert near == {"BOJAR": [20], "LOPEZ": []}


def test_the_front_page_says_what_the_readme_says(said, tmp_path):
    (tmp_path / "assets").mkdir()
    pages, _ = front.contexts([], {}, paths.FIGURES, tmp_path)
    page = template("index.html.j2").render(**pages["index.html"], page="index.html", root="")
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())
    for line in said:
        assert bare(line) in text
    # and its table of papers has the numbers of README's
    readme = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    start, end = ledger.MARKERS
    rows = readme.partition(start)[2].partition(end)[0].strip().splitlines()[2:-1]
    table = re.search(r'<table class="papers">.*?</table>', page, re.DOTALL).group()
    cells = [
        [" ".join(html.unescape(re.sub(r"<[^>]+>", "", cell)).split()) for cell in
         re.findall(r"<t[hd][ >].*?</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)[1:]
    ]  # fmt: skip
    shown = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [[row[0], *row[2:]] for row in cells] == [[row[0], *row[2:]] for row in shown]


def test_the_front_page_shows_what_the_facts_of_the_ledger_say(tmp_path):
    """How each pair was judged: their rows lead to the campaigns."""
    rows = pd.read_csv(paths.FIGURES / "claims_ledger.csv", dtype=str, keep_default_na=False)
    facts = rows[(rows["status"] == "fact") & rows["cell"].str.endswith("bilingual")]
    if facts.empty:
        pytest.skip("no committed results")
    (tmp_path / "assets").mkdir()
    pages, _ = front.contexts([], {}, paths.FIGURES, tmp_path)
    page = template("index.html.j2").render(**pages["index.html"], page="index.html", root="")
    part = page.partition('id="campaigns"')[2].partition("<h2")[0]
    shown = set()
    for row in re.findall(r"<tr><th.*?</tr>", part):
        campaign, _, judged, _, pairs = re.findall(r"<t[hd](?: .*?)?>(.*?)</t[hd]>", row)
        shown |= {(f"{pair} {campaign[3:5]}", judged[:1].upper()) for pair in pairs.split(", ")}
    assert shown
    pairs = facts["cell"].str.split().str[:2].str.join(" ")  # "zh-en 19 MTurk" is of one style
    said = zip(pairs, facts["published"], strict=True)
    assert [one for one in said if one not in shown] == []


def test_findings_say_which_campaigns_are_left_out(found):
    """Those of single pairs count all; the others need five pairs (or tasks)."""
    say = template("findings.j2").module.sentence
    for key in COUNTED:
        said = " ".join(str(say({"key": key, "rows": found[key]})).split())
        assert "ampaigns of fewer than five" in said, key
    false = str(say({"key": "false", "rows": found["false"]}))
    assert "WMT21-facebook-wikipedia, which names workers and no documents" in false


def test_nothing_is_claimed_without_results(tmp_path):
    assert findings.gather(tmp_path) == []
    assert findings.sentences(tmp_path) == ""
