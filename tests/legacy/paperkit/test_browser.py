"""The report in a browser, from disk: links, figure, table, widths, no network; JupyterLab."""

import pytest

from companion.legacy.paperkit import paths as kept
from companion.legacy.rankcompanion.report import front
from companion.legacy.rankcompanion.running import commands
from companion.legacy.rankstability import paths
from site_fixture import built

pytestmark = pytest.mark.browser

DESKTOP, PHONE = (1280, 900), (390, 844)


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def page(browser, request):
    """A page that records every request, and any error of a script."""
    width, height = request.param
    context = browser.new_context(viewport={"width": width, "height": height}, offline=True)
    opened = context.new_page()
    asked, errors = [], []
    opened.on("request", lambda r: asked.append(r.url))
    opened.on("pageerror", lambda e: errors.append(str(e)))
    yield opened
    context.close()
    assert [u for u in asked if not u.startswith(("file://", "data:"))] == []
    assert errors == []


def fits(page) -> bool:
    """Whether the page is no wider than the window, so that a phone need not scroll sideways."""
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_index_to_page_with_figure_and_table(page, tiny):
    page.goto(f"file://{tiny}/index.html")
    assert fits(page)
    assert "trusted" in page.locator("h1").inner_text()
    failure = page.locator(".failure").first
    assert "the score is <out> of range" in failure.inner_text()
    page.locator("details.notebook summary").first.click()
    page.get_by_role("link", name="wmtx cs-en", exact=True).click()
    assert page.url.endswith("/wmtx/01_tiny__cs-en.html")
    assert fits(page)
    picture = page.locator("figure img")
    assert picture.evaluate("i => i.complete && i.naturalWidth > 300")
    assert picture.evaluate("i => i.getBoundingClientRect().right <= window.innerWidth")
    assert page.get_by_text("The question of this page.").is_visible()
    for table in (first := page.locator(".outputs table").first, page.locator(".text table").first):
        assert table.is_visible()
    assert first.locator("tbody tr").count() == 2 and "<beta>" in first.inner_text()
    # the code is folded, and unfolds
    code = page.locator("details.code .highlight").first
    assert not code.is_visible()
    page.locator("#unfold").click()
    assert code.is_visible() and fits(page)
    # the figure opens large, and closes
    page.locator("a.zoom").click()
    assert page.locator("dialog.large img").is_visible()
    page.keyboard.press("Escape")
    page.locator("dialog.large").wait_for(state="detached")
    # settings are a table
    page.locator("details.settings summary").click()
    assert "'cs-en'" in page.locator("details.settings").inner_text() and fits(page)
    page.get_by_role("link", name="Report", exact=True).click()
    assert page.url.endswith("/index.html")


def test_a_wide_table_says_that_it_scrolls_and_takes_the_keyboard(page, tiny):
    page.goto(f"file://{tiny}/wmtx/01_tiny__cs-en.html")
    tables = page.locator(".outputs .scroll")
    small, wide = tables.first, tables.last
    assert small.get_attribute("tabindex") is None and "more" not in small.get_attribute("class")
    assert wide.get_attribute("role") == "region" and wide.get_attribute("aria-label")
    assert "scrolls sideways" in wide.evaluate("e => getComputedStyle(e, '::before').content")
    wide.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("e => e.scrollLeft > 0", arg=wide.element_handle())


def test_lines_between_clusters_are_drawn(page, tiny):
    """The heading's line, and that below the first of two systems; none below the last."""
    page.goto(f"file://{tiny}/wmtx/01_tiny__cs-en.html")
    rows = page.locator("table.ranking tr")
    assert rows.count() == 3
    width = "row => parseFloat(getComputedStyle(row.cells[1]).borderBottomWidth)"
    _, first, last = (row.evaluate(width) for row in rows.all())
    assert first >= 2 and last < 2


@pytest.fixture(scope="module")
def verdict(tmp_path_factory):
    """The page of a verdict on the sample of one's own file."""
    folder = tmp_path_factory.mktemp("verdict") / "out"
    given = [str(paths.DEMO / "ratings.csv"), f"output_dir={folder}"]
    assert commands.main(["verdict", *given, "--quiet"]) == 0
    return folder / "xx-yy" / "verdict.html"


def test_a_verdict_is_short_with_its_folds_closed(page, verdict):
    """The limit is 2,200 pixels for nine systems of WMT21 at 1,280 wide; here are five."""
    page.goto(f"file://{verdict}")
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height <= (2_000 if page.viewport_size["width"] > 641 else 3_900)
    assert page.locator("details[open]").count() == 0


def test_a_link_into_what_is_folded_opens_it(page, tiny):
    page.goto(f"file://{tiny}/index.html#01_tiny")
    part = page.locator("details#\\30 1_tiny")
    assert part.get_attribute("open") is not None and part.locator(".chip").first.is_visible()


def test_figures_of_a_verdict_are_large_enough_to_read(page, verdict):
    """At least .85 of the size they were drawn in; what is wider than its frame says so."""
    page.goto(f"file://{verdict}")
    assert fits(page)
    phone = page.viewport_size["width"] < 641
    visible = "all => all.filter(e => e.checkVisibility()).length"
    assert page.locator("figure").evaluate_all(visible) == (0 if phone else 1)  # others are folded
    page.locator("details").evaluate_all("all => all.forEach(part => { part.open = true; })")
    shown = [one for one in page.locator("figure").all() if one.is_visible()]
    assert len(shown) == (1 if phone else 2)
    assert page.locator("svg.caterpillar").is_visible() == phone
    for figure in shown:
        drawn = figure.locator("img").evaluate("i => i.naturalWidth * 96 / 200")
        assert figure.locator("img").bounding_box()["width"] >= 0.84 * drawn
        frame = figure.locator(".scroll")
        sign = frame.evaluate("e => getComputedStyle(e, '::before').display") == "block"
        assert sign == frame.evaluate("e => e.scrollWidth > e.clientWidth")


def test_on_paper_nothing_has_to_be_scrolled(page, verdict, tiny):
    """On A4 within its margins; the headings of a table of many columns stand upright."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1000})
    page.goto(f"file://{verdict}")
    assert fits(page)
    cut = "all => all.filter(e => e.offsetParent && e.scrollWidth > e.clientWidth).length"
    assert page.locator(".scroll, figure, table").evaluate_all(cut) == 0
    page.goto(f"file://{tiny}/wmtx/01_tiny__cs-en.html")
    small, wide = page.locator(".outputs table").first, page.locator(".outputs table").last
    upright = "e => getComputedStyle(e).writingMode == 'vertical-rl'"
    assert wide.locator("th").first.evaluate(upright)
    assert not small.locator("th").first.evaluate(upright)


def test_search_finds_offline_from_every_page(page, tiny):
    for start in ("index.html", "wmtx/01_tiny__cs-en.html"):
        page.goto(f"file://{tiny}/{start}")
        page.keyboard.press("/")  # the key that leads to the field
        page.keyboard.type("Scores cs-en")
        hit = page.locator("#hits a").first
        hit.wait_for()
        assert hit.inner_text() == "Scores" and fits(page)
        page.keyboard.press("Enter")
        page.wait_for_url("**/wmtx/01_tiny__cs-en.html#scores")


def test_ledger_filters_and_keeps_its_status(page, tiny):
    page.goto(f"file://{tiny}/index.html")
    page.locator("table.papers a", has_text="Koehn 2012").click()
    assert page.locator("#shown").inner_text() == "20 of 40 rows"  # the link chose the paper
    page.locator("select[name=paper]").select_option("")
    page.locator("input[name=weak]").check()
    assert page.locator("tbody.ledger tr:visible").count() == 0
    page.locator("input[name=weak]").uncheck()
    page.locator("select[name=status]").select_option("exact")
    page.locator("input[name=words]").fill("SYSTEM-7 knowles")
    assert page.locator("#shown").inner_text() == "1 of 40 rows"
    row = page.locator("tbody.ledger tr:visible")
    assert row.count() == 1 and fits(page)
    status = row.locator(".status").bounding_box()
    assert status["x"] >= 0 and status["x"] + status["width"] <= page.viewport_size["width"]
    # words are looked for in the column that was asked for
    page.locator("input[name=words]").fill("reason")
    page.locator("select[name=field]").select_option("cell")
    assert page.locator("#shown").inner_text() == "0 of 40 rows"


def test_built_report_where_there_is_one(page):
    """Every notebook's page of ``build/site`` opens and shows what it holds."""
    page.goto(f"file://{built()}/index.html")
    assert fits(page)
    links = page.locator("details.notebook a.chip").evaluate_all("links => links.map(a => a.href)")
    assert links, "the index lists no page"
    one_each = {link.rsplit("/", 1)[-1].partition("__")[0]: link for link in links}
    for link in one_each.values():
        page.goto(link)
        assert fits(page), link
        assert page.locator("h1").first.is_visible()
        hidden = page.locator("main > .text, main > .outputs").evaluate_all(
            "parts => parts.filter(p => p.textContent.trim() && !p.offsetHeight).length"
        )
        assert hidden == 0, link
        assert page.locator("figure img, main table").count() >= 1, link
    page.goto(f"file://{built()}/ledger.html")
    assert fits(page)


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("what is ESA", "glossary.html#esa"),
        ("misprint", "glossary.html#misprint-slip"),
        ("τ", "glossary.html#kendall-s-τ"),
        ("tau", "glossary.html#kendall-s-τ"),
        ("null campaign", "glossary.html#null-campaign"),
    ],
)
def test_a_question_finds_the_explanation_first(page, tiny, asked, place):
    page.goto(f"file://{tiny}/index.html")
    page.locator("#search").fill(asked)
    hit = page.locator("#hits a").first
    hit.wait_for()
    assert hit.get_attribute("href") == place


def test_navigation_folds_on_a_narrow_screen(page, tiny):
    """A notebook begins with its title; the menu and the contents open on their buttons."""
    page.goto(f"file://{tiny}/wmtx/01_tiny__cs-en.html")
    phone = page.viewport_size["width"] < 641
    for name, part in (("menu", "#sections"), ("contents", "#around")):
        button = page.get_by_role("button", name=name, exact=True)
        assert button.is_visible() == phone and page.locator(part).is_visible() != phone
        if phone:
            button.click()
            assert page.locator(part).is_visible()
            button.click()
    title = page.locator("h1").bounding_box()
    assert title["y"] < 200 and fits(page)


def test_ledger_shows_misprints_alone(page, tiny):
    page.goto(f"file://{tiny}/ledger.html#misprint=1")
    assert page.locator("input[name=misprint]").is_checked()
    assert page.locator("#shown").inner_text() == "0 of 40 rows"


def test_a_place_of_the_ledger_is_found_by_its_whole_number(page, tiny):
    """Table 2 of Knowles 2021, and neither Table 12 nor all that is of 2021."""
    page.goto(f"file://{tiny}/ledger.html#paper=knowles2021&field=place&words=Table+2")
    assert page.locator("#shown").inner_text() == "1 of 40 rows"


def test_charts_of_the_front_page_need_no_scrolling(browser, tmp_path):
    """On a phone each chart is the narrow one, whole in the window, at the size it was drawn."""
    front.build(tmp_path / "executed", kept.FIGURES, tmp_path / "site")
    context = browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}, offline=True)
    page = context.new_page()
    page.goto(f"file://{tmp_path}/site/index.html")
    assert fits(page)
    page.locator("details.more").evaluate_all("all => all.forEach(part => { part.open = true; })")
    charts = page.locator("picture img").all()
    assert len(charts) == 8
    for chart in charts:
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0]
        assert chart.evaluate("one => one.currentSrc").endswith("-narrow.svg")
        assert box["width"] >= 0.85 * chart.evaluate("one => one.naturalWidth")
    context.close()
