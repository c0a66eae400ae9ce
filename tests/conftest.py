"""Real data in tests: absent they skip, or fail where required; the browser that tests share."""

import os
import shutil
import sys
from pathlib import Path

import hypothesis
import matplotlib
import pytest

from companion.legacy.rankstability import paths

matplotlib.use("Agg")
hypothesis.settings.register_profile("no clock", deadline=None)
hypothesis.settings.load_profile("no clock")
sys.path[:0] = [str(paths.DEMO), str(paths.ROOT / "benchmarks")]  # generators; scripts

REQUIRED = os.environ.get("RANKSTABILITY_REQUIRE_DATA") == "1"
FOLDERS = {
    "wmt10": "wmt10",
    "wmt11": "wmt11",
    "wmt12": "wmt12",
    "wmt18": "newstest2018-humaneval/analysis",
    "wmt20": "newstest2020-segment-scores",
    "wmt21": "newstest2021-toen",
    "wmt23-mqm": "wmt23-mqm",
    "wmt22-appraise-liv": "wmt22-appraise-liv",
    "wmt24-esa": "wmt24-esa",
    "wmt23-protocols": "wmt23-protocols",
    "wmt23-judges": "wmt23-judges",
    "wmt20-iku": "wmt20-iku",
    "wmt-slt23": "wmt-slt23",
    "wmt21-facebook-wikipedia": "wmt21-facebook-wikipedia",
    "bio-mqm": "bio-mqm",
    "llmfao": "llmfao",
}


@pytest.fixture(autouse=True)
def plain_figures(monkeypatch):
    """A command that was asked for other figures says so in the environment: of that test only.

    What a test drew is closed after it.
    """
    monkeypatch.delenv("RANKSTABILITY_FIGURE_FORMAT", raising=False)
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(scope="module", autouse=True)
def in_this_process(request):
    """Tests of notebooks need no kernel, nor figures as fine as those of results.

    The same is true of a module elsewhere that says ``IN_PROCESS = True``.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.path.parent.name == "notebooks" or hasattr(request.module, "IN_PROCESS"):
            from in_process import without_a_kernel
            from companion.legacy.rankcompanion.figures import common
            from companion.legacy.rankcompanion.running import run

            patch.setattr(run, "_papermill", without_a_kernel)
            coarse = {"savefig.dpi": 40, "savefig.bbox": None}
            coarse |= {"figure.constrained_layout.use": False}
            patch.setattr(common, "HOUSE", common.HOUSE | coarse)
            patch.setattr("matplotlib.figure.Figure.draw_without_rendering", lambda fig: None)
        yield


@pytest.fixture
def sandbox(tmp_path, monkeypatch):
    """A repository of its own with one notebook, ``01_probe``, whose last cell is given."""
    from in_process import a_repository

    return a_repository(tmp_path, monkeypatch)


def real(campaign: str) -> Path:
    """The folder of a real campaign; without it the test skips, or fails where required."""
    folder = paths.data_root() / FOLDERS[campaign]
    if not folder.is_dir():
        message = f"real data of {campaign} not found at {FOLDERS[campaign]} under the data root"
        if REQUIRED:
            pytest.fail(message + " (RANKSTABILITY_REQUIRE_DATA=1)")
        pytest.skip(message + "; set RANKSTABILITY_DATA to test on them")
    return folder


def needs(campaign: str):
    """A decorator: the test needs this real campaign (several may be stacked)."""

    def decorate(test):
        return pytest.mark.usefixtures(f"have_{campaign.replace('-', '_')}")(test)

    return decorate


def _fixture(campaign: str):
    @pytest.fixture(scope="session", name=f"have_{campaign.replace('-', '_')}")
    def have() -> Path:
        return real(campaign)

    return have


for _name in FOLDERS:
    globals()[f"have_{_name.replace('-', '_')}"] = _fixture(_name)


def pytest_terminal_summary(terminalreporter) -> None:
    """Skipped tests in one line, with what brings them."""
    skipped = [str(r.longrepr) for r in terminalreporter.stats.get("skipped", [])]
    real = sum("real data of" in reason for reason in skipped)
    if real:
        terminalreporter.write_line(
            f"{real} tests on real campaigns skipped: `make data` fetches what is public; "
            "RANKSTABILITY_DATA=... names a folder that has it"
        )
    for reason in sorted({r for r in skipped if "real data of" not in r}):
        terminalreporter.write_line(f"skipped: {reason}")


# ------------------------------------------------------------------ browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium, one for all tests: there can be only one driver in a process."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.fail(
            f"no browser: none of {', '.join(NAMES)} is on the PATH; "
            "on Debian: apt-get install chromium"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=found, args=QUIET)
        yield running
        running.close()


@pytest.fixture(scope="session")
def tiny(tmp_path_factory) -> Path:
    """The folder of a small built report, one for all tests of a process."""
    from site_fixture import tiny_site

    return tiny_site(tmp_path_factory.mktemp("tiny"))
