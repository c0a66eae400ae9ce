"""Every page of the report: accessible by axe, in light, dark and on a phone; links lead on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from site_fixture import astray, built

pytestmark = pytest.mark.browser

TAGS = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
RULES: dict[str, object] = {"runOnly": TAGS}
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
BUT_CONTRAST = {"runOnly": TAGS, "rules": {"color-contrast": {"enabled": False}}}
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
EVERY = [("light", DESKTOP, BUT_CONTRAST)]  # pages of a kind have the same colours
KINDS = [("light", DESKTOP, RULES), ("dark", DESKTOP, CONTRAST), ("light", PHONE, RULES)]

# Unfold everything; of table rows, and of words of code, that are built alike keep three of a page.
PREPARE = """() => {
  document.querySelectorAll('details').forEach(d => { d.open = true; });
  const seen = {}, form = e => [e.tagName, e.className, !e.textContent.trim()].join(' ');
  document.querySelectorAll('tbody tr, pre span').forEach(e => {
    const around = e.closest('table, pre').className;
    const key = [around, e, ...e.querySelectorAll('*')].map(x => x.tagName ? form(x) : x).join();
    seen[key] = (seen[key] || 0) + 1;
    if (seen[key] > 3) e.remove();
  });
}"""
# The page's own scripts answer a new size in the next frame.
START = """rules => {
  window.axeRun = new Promise(done => requestAnimationFrame(() => setTimeout(done)))
    .then(() => axe.run({...rules, resultTypes: ['violations']}));
}"""
FOUND = """async () => (await window.axeRun).violations.map(
  v => `${v.id}: ${v.nodes[0].html.slice(0, 160)} (${v.nodes.length})`)"""


@pytest.fixture(scope="module")
def two_pages(browser):
    """Two pages with axe loaded, of one context without network and pictures."""
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(offline=True, bypass_csp=True)
    context.add_init_script(Axe().axe_script)
    context.route("**/*.png", lambda route: route.abort())
    yield [context.new_page(), context.new_page()]
    context.close()


def complaints(two_pages, files: list[Path], rounds) -> Iterator[str]:
    """What axe finds on each page in each round (scheme, size, rules); two pages at a time."""
    for k in range(0, len(files), 2):
        opened = list(zip(two_pages, files[k : k + 2], strict=False))
        for page, file in opened:
            page.goto(f"file://{file}")
            page.evaluate(PREPARE)
        for scheme, size, rules in rounds:
            for page, _ in opened:
                page.emulate_media(color_scheme=scheme)
                page.set_viewport_size(size)
                page.evaluate(START, rules)
            for page, file in opened:
                for found in page.evaluate(FOUND):
                    yield f"{file.parent.name}/{file.name}, {scheme}, {size['width']}: {found}"


@pytest.mark.parametrize("which", ["tiny", "built"])
def test_every_page_is_accessible(two_pages, tiny, which):
    """All rules on each page, folded parts open; contrast, dark, phone on one of each kind."""
    folder = tiny if which == "tiny" else built()
    files = sorted(folder.rglob("*.html"), key=lambda file: file.stat().st_size)
    kinds = {file.stem.partition("__")[0]: file for file in files}  # the largest of each
    rest = [file for file in files if file not in kinds.values()]
    assert files
    assert list(complaints(two_pages, rest, EVERY)) == []
    assert list(complaints(two_pages, list(kinds.values()), KINDS)) == []


def test_every_link_leads_somewhere():
    """Links and pictures, to files of the site and to places in its pages."""
    assert list(astray(built())) == []


def test_the_checks_see_what_is_wrong(two_pages, tmp_path):
    """A low contrast in the dark, a picture without words, a link to nowhere: each is found."""
    style = "@media (prefers-color-scheme: dark) { td { color: #222; background: #333 } }"
    rows = "<tr><td>alike</td></tr>" * 9 + '<tr><td><img src="a.png"></td></tr>'
    (tmp_path / "bad.html").write_text(
        f'<html lang="en"><head><title>Bad</title><style>{style}</style></head><body><main>'
        f'<h1>Bad</h1><table><tbody>{rows}</tbody></table><a href="bad.html#none">on</a>'
        '<a href="../out.html">out</a><a href="#here" id="here">here</a></main></body></html>'
    )
    found = list(complaints(two_pages, [tmp_path / "bad.html"], KINDS))
    assert [line.split(": ")[:2] for line in found] == [
        [f"{tmp_path.name}/bad.html, light, 1280", "image-alt"],
        [f"{tmp_path.name}/bad.html, dark, 1280", "color-contrast"],
        [f"{tmp_path.name}/bad.html, light, 390", "image-alt"],
    ]
    assert "(3)" in found[1]  # of nine rows alike, three are looked at
    assert list(astray(tmp_path)) == [
        "bad.html: ../out.html",
        "bad.html: a.png",
        "bad.html: bad.html#none",
    ]
