"""Pages in headless Chromium: the report and a verdict, wide and on a phone."""

import shutil
from pathlib import Path

import pytest

import rankstability as rs

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "build" / "site"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.browser
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
HOSTILE = "<img src=x onerror=alert(1)>{{7*7}}$\\alpha$"


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


def open_page(browser, path, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
    page.goto(path.as_uri())
    return page, problems


def overflow(page):
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


@pytest.fixture(scope="module")
def verdict(tmp_path_factory):
    import pandas as pd

    frame = pd.read_csv(ROOT / "data" / "demo" / "ratings.csv").replace({"Aspen": HOSTILE})
    folder = tmp_path_factory.mktemp("verdict")
    rs.verdict(rs.judgments(frame)).save(folder)
    return folder / "verdict.html"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_verdict_fits_and_runs_nothing(browser, verdict, width):
    page, problems = open_page(browser, verdict, width)
    assert overflow(page) <= 0
    assert not problems
    assert HOSTILE in page.inner_text("body")
    assert page.locator("h2").count() >= 9


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["index.html", "notebooks.html", "ledger.html", "glossary.html"])
def test_a_page_of_the_report_fits(browser, name, width):
    if not SITE.is_dir():
        pytest.skip("no report here: make figures builds it")
    page, problems = open_page(browser, SITE / name, width)
    assert overflow(page) <= 0
    assert not problems


def test_search_works_from_disk(browser):
    if not SITE.is_dir():
        pytest.skip("no report here: make figures builds it")
    page, _ = open_page(browser, SITE / "search.html", 1280)
    page.goto((SITE / "search.html").as_uri() + "?q=divisor")
    page.wait_for_selector("#search-results li", timeout=20_000)
    assert page.locator("#search-results li").count() >= 1
