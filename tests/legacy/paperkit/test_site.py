"""The report site: pages from executed notebooks, the index, what changes and what vanishes."""

import json
import pkgutil
import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from companion.legacy.paperkit import pages, paths, runs
from companion.legacy.rankcompanion.figures.common import HOUSE
from companion.legacy.rankcompanion.report import front
from site_fixture import Links, astray, make_report, make_run


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    """One site: a campaign with a whole, a pair's and a failed run, and one with files only."""
    root = tmp_path_factory.mktemp("report")
    make_run(root, "wmtx")
    make_run(root, "wmtx", "cs-en")
    make_run(root, "wmtx", "de-en", fails=True)
    kept = root / "figures" / "wmtold" / "01_tiny"
    kept.mkdir(parents=True)
    (kept / "kept.csv").write_text("a\n1\n")
    make_report(root, "wmtreport")
    (root / "figures" / "claims_ledger.csv").write_text(
        "paper,place,cell,published,ours,status,reason,provenance\n"
        "knowles2021,Table 2,cs-en | x,1,1,exact,,official\n"
        "knowles2021,Table 2,cs-en | <y>,1,2,differs,another test,official\n"
    )
    return root


@pytest.fixture(scope="module")
def made(root) -> dict:
    return build(root)


def build(root: Path) -> dict:
    return front.build(root / "executed", root / "figures", root / "site")


def test_every_link_of_every_page_leads_to_a_file_of_the_site(root, made):
    """Nothing leaves the folder: it can be published as it is. Anchors are there too."""
    assert {line.partition(": ")[2] for line in astray(root / "site")} == {"x.html"}  # in prose


def test_pages_load_nothing_from_anywhere(root, made):
    for page in (root / "site").rglob("*.html"):
        text = page.read_text()
        for source in Links(page).loaded:
            assert source.startswith("data:") or "://" not in source
        assert (
            'http-equiv="Content-Security-Policy" content="default-src \'none\'; script-src' in text
        )
        assert not re.search(r"<script(?! src=)", text)  # none of a page's own, which it would stop
        assert not re.search(r"require\.js|mathjax(?!_ignore)|mermaid|cdnjs", text, re.IGNORECASE)
    css = (root / "site" / "assets" / "site.css").read_text()
    assert "url(" not in css and "@import" not in css


def test_page_folds_code_shows_settings_table_and_figure(root, made):
    text = (root / "site" / "wmtx" / "01_tiny__cs-en.html").read_text()
    assert "<h1" in text and "do pages work?" in text
    assert text.count('<details class="code">') == 5  # three cells and the message
    assert "a word on the way" in text
    assert "&lt;beta&gt;" in text and "<beta>" not in text
    # settings: the value given, the meaning declared; the staging folder is not shown
    rows = re.findall(
        r"<tr(?: class=\"changed\")?><th scope=\"row\">(\w+)</th><td><code>(.*?)</code>", text
    )
    found = dict(rows)
    assert found["pair"] in ("'cs-en'", "&#39;cs-en&#39;")
    assert found["divisors"] == "[2, 4]"
    assert "shares # of the judgments" in text
    # a tag left open would swallow what follows
    for tag in ("a", "div", "details", "table", "figure", "pre", "ul"):
        opened = re.findall(rf"<{tag}[ >][^>]*", text)
        assert len(opened) == text.count(f"</{tag}>"), tag
        assert not any(part.endswith("/") for part in opened), tag
    assert "injected" not in text and "# Parameters" not in text


def test_a_figure_is_a_file_with_alt_text_caption_and_numbers(root, made):
    text = (root / "site" / "wmtx" / "01_tiny__cs-en.html").read_text()
    assert 'src="01_tiny/cs-en/mean_scores.png"' in text
    assert 'alt="Two means. Across: alpha, &lt;beta&gt;. Down: mean z"' in text
    numbers = '<figcaption><p>Two means</p> <a href="01_tiny/cs-en/mean_scores.csv" title="'
    assert text.partition(numbers)[2].startswith("rank: place in the ranking, 1 the best\nsystem: ")
    assert '<figure id="figure-cs-en-mean-scores">' in text
    copied = root / "site" / "wmtx" / "01_tiny" / "cs-en" / "mean_scores.png"
    width, height = (int.from_bytes(copied.read_bytes()[k : k + 4], "big") for k in (16, 20))
    shown = f'width="{round(0.48 * width)}" height="{round(0.48 * height)}"'
    assert shown in text and HOUSE["savefig.dpi"] == pages.DOTS == 200
    kept = root / "figures" / "wmtx" / "01_tiny" / "cs-en" / "mean_scores.png"
    assert copied.read_bytes() == kept.read_bytes()


def test_a_table_has_no_index_words_left_numbers_right(root, made):
    text = (root / "site" / "wmtx" / "01_tiny.html").read_text()
    head = re.search(r"<thead><tr>(.*?)</tr>", text[text.index("alpha") - 900 :], re.DOTALL)[1]
    assert re.findall(r">([^<>]+)(?: <small>\((.*?)\)</small>)?</th>", head) == [
        ("rank", ""), ("system", ""), ("mean z", "sd"), ("segments", ""),
    ]  # fmt: skip
    body = re.search(r"<tr><td class=\"number\">1</td>.*?</tbody>", text, re.DOTALL)[0]
    assert '<td>alpha</td><td class="number">0.250</td><td class="number">402</td>' in body
    assert '<td class="number">−0.125</td><td class="number">–</td>' in body
    assert "NaN" not in body and "402.0" not in body
    region = r'<div class="scroll" role="region" tabindex="0" aria-label="[^"]+"><table'
    assert len(re.findall(region, text)) == text.count("<table")


def test_sections_without_a_result_are_named_and_not_shown(root, made):
    text = (root / "site" / "wmtx" / "01_tiny.html").read_text()
    assert "Only for the whole campaign" not in text
    assert "Sections without a result in this run: Never run here." in text
    toc = re.search(r'<nav class="toc".*?</nav>', text, re.DOTALL)[0]
    assert re.findall(r'href="#([^"]+)"', toc) == ["scores", "files"]
    assert '<h2 id="scores">Scores<a class="anchor" href="#scores"' in text


def test_a_failed_run_says_what_happened_and_hides_no_good_result(root, made, tmp_path):
    index = (root / "site" / "index.html").read_text()
    assert "ValueError: the score is &lt;out&gt; of range" in index
    assert 'href="wmtx/01_tiny__de-en.failed.html"' in index
    page = (root / "site" / "wmtx" / "01_tiny__de-en.failed.html").read_text()
    assert "This run failed." in page and 'class="error"' in page
    # a good run of the same pair stays beside a failed one
    shutil.copytree(root / "executed", tmp_path / "executed")
    shutil.copytree(root / "figures", tmp_path / "figures")
    folder = tmp_path / "executed" / "wmtx"
    for kind in ("ipynb", "status.json"):
        shutil.copy(folder / f"01_tiny__de-en.failed.{kind}", folder / f"01_tiny.failed.{kind}")
    status = json.loads((folder / "01_tiny.failed.status.json").read_text())
    (folder / "01_tiny.failed.status.json").write_text(json.dumps({**status, "pair": ""}))
    build(tmp_path)
    good = (tmp_path / "site" / "wmtx" / "01_tiny.html").read_text()
    assert "A later run failed" in good and "01_tiny.failed.html" in good and "alpha" in good
    failed = (tmp_path / "site" / "wmtx" / "01_tiny.failed.html").read_text()
    assert '<a href="../wmtx/01_tiny.html">The last good result</a>' in failed
    assert "data:image/png" not in good


def test_the_search_finds_sections_campaigns_and_printed_tables(root, made):
    text = (root / "site" / "assets" / "search.js").read_text()
    words = json.loads(text.removeprefix("window.REPORT_WORDS=").removesuffix(";\n"))
    found = {(address, heading) for address, heading, _, _ in words}
    assert ("wmtx/01_tiny.html#scores", "Scores") in found
    assert ("index.html#campaign-wmtx", "wmtx") in found
    glossary = {heading: text for address, heading, _, text in words if "glossary.html#" in address}
    assert "rank_sum" in glossary["significance"] and "Krippendorff" in glossary["agreement"]
    (names,) = (text for address, _, _, text in words if address == "wmtx/01_tiny.html#files")
    assert {"cs-en", "mean_scores"} <= set(names.split())
    assert any("paper=knowles2021" in address and "Table 2" in h for address, h in found)
    below = {address: body for address, _, _, body in words}
    assert "<beta>" in below["wmtx/01_tiny.html#tiny-do-pages-work"]
    assert "</script" not in text and "<beta" not in text  # written so that no markup is left


def test_only_what_changed_is_converted_and_vanished_runs_go(root, made, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    pages_of = {
        "wmtreport/01_tiny.html",
        "wmtx/01_tiny.html",
        "wmtx/01_tiny__cs-en.html",
        "wmtx/01_tiny__de-en.failed.html",
    }
    for status in (copy / "executed").glob("*/*.status.json"):  # their results moved with them
        record = json.loads(status.read_text())
        record["output_dir"] = str(copy / "figures" / "wmtx" / "01_tiny")
        status.write_text(json.dumps(record))
    assert build(copy)["converted"] == 4
    before = {p: (copy / "site" / p).stat().st_mtime_ns for p in pages_of}
    index = (copy / "site" / "index.html").read_bytes()
    assert build(copy)["converted"] == 0
    assert before == {p: (copy / "site" / p).stat().st_mtime_ns for p in pages_of}
    assert index == (copy / "site" / "index.html").read_bytes()
    notebook = copy / "executed" / "wmtx" / "01_tiny.ipynb"
    notebook.write_text(notebook.read_text().replace("do pages work?", "they do"))
    assert build(copy)["converted"] == 1
    assert "they do" in (copy / "site" / "wmtx" / "01_tiny.html").read_text()
    for lost in (copy / "executed" / "wmtx").glob("01_tiny__cs-en.*"):
        lost.unlink()
    bystander = copy / "site" / "wmtx" / "mine.html"
    bystander.write_text("not ours")
    build(copy)
    assert not (copy / "site" / "wmtx" / "01_tiny__cs-en.html").exists()
    assert "cs-en</a>" not in (copy / "site" / "index.html").read_text()
    assert bystander.exists()


def test_one_broken_notebook_does_not_take_the_report_with_it(root, made, tmp_path):
    shutil.copytree(root / "executed", tmp_path / "executed")
    (tmp_path / "executed" / "wmtx" / "01_tiny.ipynb").write_text('{"cells": [')
    done = front.build(tmp_path / "executed", tmp_path / "figures", tmp_path / "site")
    assert list(done["problems"]) == ["wmtx/01_tiny.html"] and done["converted"] == 2
    assert "NotJSONError" in (tmp_path / "site" / "index.html").read_text()


def test_nothing_run_yet(tmp_path):
    assert front.build(tmp_path / "a", tmp_path / "b", tmp_path / "site")["runs"] == 0
    assert "make figures" in (tmp_path / "site" / "index.html").read_text()


def test_reports_kept_in_the_repository_are_pages_where_nothing_was_run(root, made, tmp_path):
    """What a reader without data sees: the executed notebook, its pictures copied or named."""
    page = (root / "site" / "wmtreport" / "01_tiny.html").read_text()
    assert "do pages work?" in page and "&lt;beta&gt;" in page and "kept" in page
    assert "<td><code>'wmtreport'</code></td>" in unescape(page)  # what it ran with
    picture = "01_tiny/mean_scores.png"
    assert f' src="{picture}"' in page and (root / "site" / "wmtreport" / picture).is_file()
    assert 'alt="Two means. Across: alpha' in page
    index = (root / "site" / "index.html").read_text()
    assert '<a class="chip" href="wmtreport/01_tiny.html">' in index
    # a run of this machine takes its place; where it fails, the kept report stays beside it
    shutil.copytree(root / "figures", tmp_path / "figures")
    executed = make_run(tmp_path, "wmtreport")
    assert build(tmp_path)["kept"] == 0
    for kind in (".ipynb", ".status.json"):
        executed.with_suffix(kind).rename(executed.with_suffix(f".failed{kind}"))
    state = executed.with_suffix(".failed.status.json")
    state.write_text(state.read_text().replace('"ok"', '"failed"'))
    done = build(tmp_path)
    assert (done["kept"], done["failed"]) == (1, 1)
    assert "A later run failed" in (tmp_path / "site" / "wmtreport" / "01_tiny.html").read_text()


def test_the_small_form_holds_no_pictures_times_or_places(root, tmp_path):
    executed = root / "executed" / "wmtx" / "01_tiny.ipynb"
    results = root / "figures" / "wmtx" / "01_tiny"
    text = runs.slim(executed, results, paths.FIGURES / "wmt18" / "01_replication").decode()
    assert text == runs.slim(executed, results, paths.FIGURES / "wmt18" / "01_replication").decode()
    assert len(text) < 40_000 and str(root) not in text
    assert "image/png" not in text and "start_time" not in text and '"stderr"' not in text
    assert "![mean_scores.png](mean_scores.png)" in text


def test_no_kept_report_names_a_figure_that_is_not_kept():
    """Each picture of each report in git is a file in git."""
    for report in sorted(paths.FIGURES.glob("[!d]*/[0-9]*/report.ipynb")):
        text = report.read_text(encoding="utf-8")
        assert "not kept in the repository" not in text, report
        for name in re.findall(r"!\[[^]]*\]\(([^)]+\.png)\)", text):
            assert (report.parent / name).is_file() and runs.kept(report.parent / name), name


def test_a_verdict_names_functions_that_exist():
    text = (paths.ROOT / "lib/companion/legacy/paperkit/page/how.html.j2").read_text()
    names = re.findall(r"<code>((?:rankstability|rankcompanion)\.[\w.]+)</code>", text)
    assert len(names) >= 10
    for name in names:
        pkgutil.resolve_name(name)
