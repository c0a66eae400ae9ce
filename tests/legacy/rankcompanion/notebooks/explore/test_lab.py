"""90_explore in a real JupyterLab: Run All, turn the controls, and the ranking follows."""

import json
import shutil
import time

import pytest

from lab_server import jupyterlab
from companion.legacy.paperkit import paths

pytestmark = pytest.mark.browser

SETTINGS = ("CONFIG", "DATA", "RUNTIME", "LAB_SETTINGS", "LAB_WORKSPACES")
PATIENCE = 60_000  # milliseconds; all that a busy machine may need


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab of this environment, with its own settings, on a copy of the notebook."""
    base = tmp_path_factory.mktemp("lab")
    work = base / "notebooks"
    work.mkdir()
    shutil.copy(paths.NOTEBOOKS / "90_explore.ipynb", work)
    own = {f"JUPYTER{'' if n.startswith('LAB') else '_'}{n}_DIR": str(base / n) for n in SETTINGS}
    overrides = base / "LAB_SETTINGS" / "@jupyterlab" / "apputils-extension"
    overrides.mkdir(parents=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    (overrides / "notification.jupyterlab-settings").write_text(json.dumps(quiet))
    log = base / "lab.log"
    with jupyterlab(work, own, log) as url:
        yield url


@pytest.fixture
def page(browser, lab):
    context = browser.new_context(viewport={"width": 1500, "height": 1250})
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    errors: list[str] = []
    opened.on("pageerror", lambda e: errors.append(str(e)))
    # JupyterLab may ask something while it settles (which kernel, a file changed): take its default
    accept = "button.jp-mod-accept"
    dialog = opened.locator("dialog.jp-Dialog")
    opened.add_locator_handler(dialog, lambda shown: shown.locator(accept).last.click())
    opened.goto(f"{lab}/lab/tree/90_explore.ipynb?token=test")
    opened.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for()
    yield opened
    context.close()
    assert errors == []


def run_all(page) -> None:
    """Run > Run All Cells, again until the controls are there: a settling page drops clicks."""
    for _ in range(5):
        page.keyboard.press("Escape")
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.locator('.lm-Menu-item[data-command="runmenu:run-all"]').click()
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if page.locator(".rs-explore table.ranking").count():
                return
            page.wait_for_timeout(200)
    pytest.fail("no ranking after Run All")


def systems(page) -> list[str]:
    """The systems of the ranking on the page, best first."""
    return page.locator(".rs-explore table.ranking tbody td:nth-child(2)").all_inner_texts()


INSIDE = """chart => {
  const box = chart.getBoundingClientRect();
  return [...chart.querySelectorAll("text")].filter(t => {
    const r = t.getBoundingClientRect();
    return r.left < box.left - 1 || r.right > box.right + 1 || r.bottom > box.bottom + 1;
  }).map(t => t.textContent);
}"""


def settled(page, wanted) -> None:
    """Wait until the ranking shown fulfils `wanted`."""
    until = time.monotonic() + PATIENCE / 1000
    while not wanted(shown := systems(page)):
        assert time.monotonic() < until, f"the ranking stays {shown}"
        page.wait_for_timeout(100)


def test_ranking_follows_the_controls(page, tmp_path):
    before = (paths.NOTEBOOKS / "90_explore.ipynb").read_bytes()
    run_all(page)
    explore = page.locator(".rs-explore").first
    explore.scroll_into_view_if_needed()
    message, chart = explore.locator(".message"), explore.locator("svg.bump")
    left = systems(page)  # it opens with the lowest system taken out
    lowest = chart.locator("text[text-decoration=line-through]").text_content()
    assert len(left) == 9 and lowest not in left
    explore.get_by_role("button", name="nothing").click()
    settled(page, lambda s: len(s) == 10)
    original = systems(page)
    assert lowest == original[-1] and "HUMAN.0" in original
    assert explore.locator("svg.bump path").count() >= 10
    assert "stays" in message.inner_text()

    # a removed system leaves the ranking of the others, and is struck through in the chart
    names = explore.locator("select[multiple]")
    names.select_option(label=f"3  {original[2]}")
    settled(page, lambda s: s and original[2] not in s and len(s) == 9)
    assert "judgments removed" in message.inner_text()
    assert chart.locator("text[text-decoration=line-through]").text_content() == original[2]
    page.screenshot(path=tmp_path / "removed.png")
    explore.get_by_role("button", name="nothing").click()
    settled(page, lambda s: s == original)

    # the divisor slider by keyboard: the z-scores of the others move at each step
    scores = explore.locator("table.ranking tbody td:nth-child(4)")
    handle = explore.locator(".noUi-handle").first
    handle.focus()
    page.keyboard.press("ArrowRight")
    settled(page, lambda s: s and "HUMAN.0" not in s and len(s) == 9)
    first = scores.all_inner_texts()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    explore.locator(".message", has_text="divided by 4.25").wait_for()
    assert scores.all_inner_texts() != first
    page.keyboard.press("End")  # at the largest divisor, systems change places
    explore.locator("svg.bump", has_text="▲").wait_for()
    assert chart.evaluate(INSIDE) == []  # no label is cut
    page.screenshot(path=tmp_path / "divided.png")

    # relative ranking, then MQM: other systems, other scores to choose
    campaign = explore.locator("select").first
    for name, header in (
        ("demo-rr · RR", "better or equal others"),
        ("demo-mqm · MQM", "minus mqm"),
    ):
        campaign.select_option(label=name)
        explore.locator("table.ranking th", has_text=header).wait_for()
        assert len(systems(page)) == 8
        assert not set(systems(page)) & set(original)
    page.screenshot(path=tmp_path / "mqm.png")
    assert (paths.NOTEBOOKS / "90_explore.ipynb").read_bytes() == before
