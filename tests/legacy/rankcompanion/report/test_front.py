"""Pages that explain: every column of every table, every public name, every row of the ledger."""

import json
import re
from html import unescape

import pandas as pd
import pytest

import companion.legacy.rankstability
from companion.legacy.paperkit import pages, paths, runs, tables
from companion.legacy.paperkit.templates import HERE
from companion.legacy.rankcompanion.report import front


def test_every_public_name_has_its_help():
    assert [row["name"] for row in front.names()] == list(rankstability.__all__)
    assert all(len(row["doc"]) > 30 for row in front.names())


def test_the_page_on_trust_counts_what_was_measured(tmp_path):
    """Settings by design, the worst of each, and every setting above what chance allows."""
    made = front.trust(tmp_path)
    cells = pd.read_csv(tmp_path / "certainty.csv")
    assert sum(row["cells"] for row in made["rows"]) == made["cells"] == len(cells) > 50
    assert {row["design"]: row["worst"] for row in made["rows"]} == dict(
        cells.groupby("design")["false"].max()
    )
    assert len(made["above"]) == (cells["false"] > cells["limit"]).sum()
    assert all(row["contradictions"] == 0 for row in made["rows"])
    lines = cells.groupby("design")["lines_true"].max() > 0
    for row in made["rows"]:  # without any true line, there is no share of them
        assert 0 <= row["power"] <= 1 if lines[row["design"]] else pd.isna(row["power"])
    assert front.trust(tmp_path, tmp_path / "none.csv") == {"rows": []}
    page = (paths.ROOT / "lib" / "paperkit" / "trust.html.j2").read_text(encoding="utf-8")
    assert all(f'"{row["design"]}": "' in page for row in made["rows"])


def test_code_leads_to_the_functions_that_it_calls():
    cells = [
        {"id": "a", "cell_type": "code", "source": "from companion.legacy.rankstability.rank import standing as s"},
        {"id": "b", "cell_type": "code", "source": "from companion.legacy.rankstability import load\nload('x')"},
        {"id": "c", "cell_type": "code", "source": "s.rank_systems(load('x')); s.nothing(print())"},
        {"id": "d", "cell_type": "code", "source": "this is no code"},
        {"id": "e", "cell_type": "markdown", "source": "s.rank_systems()"},
    ]
    called = pages.calls(cells)
    ours = "companion.legacy.rankstability.rank.standing.rank_systems"
    assert called == {"a": [], "b": ["companion.legacy.rankstability.load"], "c": [ours, "companion.legacy.rankstability.load"]} | {
        "d": [], "e": []
    }  # fmt: skip
    behind = {row["name"]: row for row in front.behind([ours, "companion.legacy.rankstability.no.such"])}
    assert behind[ours]["source"].startswith("def rank_systems(") and behind[ours]["doc"]
    assert "companion.legacy.rankstability.no.such" not in behind and len(behind) > 10  # those of the glossary


def test_every_function_that_the_glossary_names_is_there():
    text = (HERE / "terms.html.j2").read_text(encoding="utf-8")
    named = set(re.findall(r"<code>(rank[\w.]+)</code>", text))
    assert named == {row["name"] for row in front.behind([])} and len(named) > 15


def test_rows_of_the_ledger_lead_to_the_section_that_shows_them(tmp_path):
    saved = tmp_path / "report.ipynb"
    cells = [("markdown", "# T\n## All pairs"), ("code", "run.out.pair_tables(x)")]
    cells += [("markdown", "## In print"), ("code", "run.out.claims(x)")]
    made = [{"cell_type": kind, "source": text} for kind, text in cells]
    saved.write_text(json.dumps({"cells": made}))
    columns = ["paper", "place", "cell", "published", "ours", "status", "reason", "provenance"]
    said = [("p", "Table 1", "a", "exact"), ("p", "Table 1", "b", "exact")]
    said += [("p", "Table 2", "a", "exact"), ("p", "Table 1", "c", "no data")]
    said += [("p", "Table 2", "d", "fact"), ("knowles2021", "Table 1", "e", "exact")]
    said += [("knowles2021", place, "f", "exact") for place in ("Figure 1", "Figure 2")]
    cells = [[paper, place, cell, "1", "1", status, "", ""] for paper, place, cell, status in said]
    rows = pd.DataFrame(cells, columns=columns)
    rows[:1].to_csv(tmp_path / "claims.csv", index=False)
    (tmp_path / "none").mkdir()
    rows[:0].to_csv(tmp_path / "none" / "claims.csv", index=False)
    made = [("01_tiny", "wmtx", ""), ("01_tiny", "wmt20", ""), ("03_tiny", "demo-x", "none")]
    made += [("03_tiny", "wmtx", "none")]
    made = [runs.Run(n, c, "", "kept", 0, "", tmp_path / folder, saved) for n, c, folder in made]
    linked = front.linked(rows, made)
    there = "wmtx/01_tiny.html#in-print"  # the row itself; one of its place; of its notebook
    known = [there, there, "", "", "index.html#campaigns", there]
    # without claims, where a real campaign's pairs are put together; and of one campaign alone
    assert list(linked["link"]) == [
        *known, "wmtx/03_tiny.html#all-pairs", "wmt20/01_tiny.html#in-print",
    ]  # fmt: skip
    assert linked[columns].equals(rows)


def test_a_row_over_campaigns_leads_to_a_page_with_claims_of_its_paper(tmp_path):
    """Not to the first campaign in the alphabet that has some claims."""
    saved = tmp_path / "report.ipynb"
    cells = [("markdown", "# T\n## In print"), ("code", "run.out.claims(x)")]
    made = [{"cell_type": kind, "source": text} for kind, text in cells]
    saved.write_text(json.dumps({"cells": made}))
    columns = ["paper", "place", "cell", "published", "ours", "status", "reason", "provenance"]
    said = [("releases", "wmt-slt23", "a"), ("knowles2021", "Table 4", "b")]
    said += [("knowles2021", "Table 1", "over all")]
    rows = pd.DataFrame([[*one, "1", "1", "exact", "", ""] for one in said], columns=columns)
    runs_made = []
    for k, campaign in enumerate(("wmt-slt23", "wmt18")):
        (tmp_path / campaign).mkdir()
        rows[k : k + 1].to_csv(tmp_path / campaign / "claims.csv", index=False)
        folder = tmp_path / campaign
        runs_made.append(runs.Run("01_tiny", campaign, "", "kept", 0, "", folder, saved))
    assert list(front.linked(rows, runs_made)["link"])[2] == "wmt18/01_tiny.html#in-print"


def test_a_row_without_claims_leads_to_a_campaign_of_its_paper(tmp_path):
    """Figure 1 is counted from notebook 03, of which no campaign has claims."""
    saved = tmp_path / "report.ipynb"
    cells = [("markdown", "# T\n## All pairs"), ("code", "run.out.pair_tables(x)")]
    made = [{"cell_type": kind, "source": text} for kind, text in cells]
    saved.write_text(json.dumps({"cells": made}))
    columns = ["paper", "place", "cell", "published", "ours", "status", "reason", "provenance"]
    said = [("releases", "wmt-slt23", "a"), ("knowles2021", "Table 4", "b")]
    said += [("knowles2021", "Figure 1", "over all")]
    rows = pd.DataFrame([[*one, "1", "1", "exact", "", ""] for one in said], columns=columns)
    runs_made = []
    for k, campaign in enumerate(("wmt-slt23", "wmt18")):
        for notebook, claimed in (("01_tiny", rows[k : k + 1]), ("03_tiny", rows[:0])):
            folder = tmp_path / campaign / notebook
            folder.mkdir(parents=True)
            claimed.to_csv(folder / "claims.csv", index=False)
            runs_made.append(runs.Run(notebook, campaign, "", "kept", 0, "", folder, saved))
    assert list(front.linked(rows, runs_made)["link"])[2] == "wmt18/03_tiny.html#all-pairs"


def test_a_page_for_each_format(tmp_path):
    from companion.legacy.rankcampaigns.formats import described

    front.build(tmp_path / "executed", tmp_path / "figures", tmp_path)
    words = [word for word in front.format_words() if word[2] == "formats"]
    index = (tmp_path / "formats" / "index.html").read_text()
    assert {word[0] for word in words} == {f"formats/{name}.html" for name in described()}
    for name, about in described().items():
        page = unescape((tmp_path / "formats" / f"{name}.html").read_text())
        assert about["title"] in page and about["example"].strip() in page
        said = re.sub("</?code>", "`", page)
        assert all(about[part] in said for part in ("fields", "left_out", "refused"))
        assert "`" not in page.replace(about["example"], "")
        assert f'href="{name}.html"' in index


@pytest.mark.parametrize(
    ("published", "ours", "cell", "shown"),
    [
        ("8.1%", "8.127", "violations", ("8.1%", "8.127\u00a0%")),
        ("1,050", "1050", "blocks", ("1,050", "1,050")),
        ("0.487", "0.487478", "inter | s", ("0.487", "0.48748")),
        ("4", "3.12", "70% of pairs (thousands)", ("4 thousand", "3.12 thousand")),
        ("0.607", "0.607", "kappa", ("0.607", "0.607")),  # no digit is made up
        ("0.01", "0.01", "SRP", ("0.01", "0.01")),
        ("yes", "yes", "x", ("yes", "yes")),
        ("26", "", "x", ("26", "")),
    ],
)
def test_the_ledger_gives_both_numbers_one_unit(published, ours, cell, shown):
    row = {
        "published": published,
        "ours": ours,
        "cell": cell,
        "reason": "of 90% or 5 % none is here",
    }
    made = front.shown(row)
    assert (made["published"], made["ours"]) == shown
    assert made["reason"] == "Of 90\u00a0% or 5\u00a0% none is here." and "|" not in made["cell"]
    html = tables.html(pd.DataFrame([row | {"50%: thousands": 1}]))
    assert f"<td>{published}</td>" in html  # as it is printed
    assert ">50\u00a0%: thousands<" in html and "<td>of 90\u00a0% or 5\u00a0% none" in html


def test_the_ledger_says_what_is_open_and_what_can_be_fetched():
    rows = pd.DataFrame(
        [
            ("koehn2012", "Table 1", "as stated | a", "no data", "was not released"),
            ("koehn2012", "Table 1", "as matched | a", "no data", "was not released"),
            ("koehn2012", "Table 1", "as matched | b", "no data", "the files are not here"),
            ("koehn2012", "Table 1", "as matched | c", "exact", ""),
        ],
        columns=["paper", "place", "cell", "status", "reason"],
    )
    (paper,) = front.open_rows(rows)
    assert (paper["open"], paper["all"], paper["never"]) == (2, 3, 1)


SHOWN = {  # how the section writes the number of the first campaign of a finding
    "removal": "{part:.0f}/{whole:.0f}",
    "lines": "{unit} {whole:.0f}",
    "judges": "{alike:.0f} {pairs:.0f}",
    "false": "at least {value:.0%}",
    "halves": "{value:.2f}",
}


def words_below(report, section):
    """The words of the section of a kept report's page, without marks."""
    html = pages.body(report, {}, report.parent).html
    below = html.partition(f'id="{section}"')[2].partition("<h2 ")[0]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", below)).split())


def test_each_finding_leads_to_the_section_that_shows_its_number(tmp_path):
    """A heading of the kept report, and for misprints the rows of the ledger that are counted."""
    (tmp_path / "assets").mkdir()
    answers = front._answers(runs.read_runs(tmp_path), paths.FIGURES, tmp_path)
    assert len(answers) == 9
    for answer in answers:
        page, _, section = answer["page"].partition("#")
        if page == "ledger.html":
            assert section == "misprint=1"
            continue
        if page.endswith("/verdict.html"):
            assert f'id="{section}"' in (paths.FIGURES / page).read_text(encoding="utf-8")
            continue
        report = paths.FIGURES / page.replace(".html", "/report.ipynb")
        titles = [
            pages.slug(line.lstrip("# "))
            for cell in json.loads(report.read_bytes())["cells"]
            if cell["cell_type"] == "markdown"
            for line in "".join(cell["source"]).splitlines()
            if line.startswith("##")
        ]
        assert section in titles, answer["page"]
        if answer["key"] in SHOWN:
            first = answer["rows"][0]
            number = SHOWN[answer["key"]].format(**first).replace("%", " %")
            assert number in words_below(report, section)
        assert (tmp_path / answer["narrow"]).is_file() and (tmp_path / answer["figure"]).is_file()


def test_the_front_page_shows_one_real_verdict_and_falls_back_to_a_demo(tmp_path):
    verdict = {"systems": [{"system": "A"}, {"system": "B"}], "lines": [], "statements": {}}
    verdict["statements"]["best"] = "A is best."
    campaigns = []
    for name, pair in (("demo-srdc", "cs-en"), ("wmt21", "de-en"), ("wmt21", "zh-en")):
        page = f"{name}/00_verdict/{pair}/verdict.html"
        (tmp_path / page).parent.mkdir(parents=True)
        (tmp_path / page).with_suffix(".json").write_text(json.dumps(verdict))
        campaigns.append({"name": name, "verdicts": {pair: page}})
    shown = front._example(campaigns, tmp_path, front.EXAMPLE)
    assert (shown["campaign"], shown["pair"]) == ("wmt21", "German–English")
    assert [row["rank"] for row in shown["systems"]] == [1, 2] and shown["best"] == "A is best."
    assert front._example(campaigns, tmp_path)["campaign"] == "demo-srdc"
    assert front._example(campaigns[1:], tmp_path)["campaign"] == "wmt21"
    assert front._example([], tmp_path) == {}


def test_the_front_page_shows_the_explorer_with_a_system_that_moves(tmp_path):
    (tmp_path / "assets").mkdir()
    shown = front._explored(tmp_path)
    drawn = (tmp_path / shown["figure"]).read_text(encoding="utf-8")
    assert shown["removed"] in drawn and "line-through" in drawn
    assert "moved: " in drawn and ("▲" in drawn or "▼" in drawn)
