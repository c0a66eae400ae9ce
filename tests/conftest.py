"""Settings of all tests: no screen, no clock, warnings of the system's own kind only."""

import sys
from pathlib import Path

import hypothesis
import matplotlib
import pytest

matplotlib.use("Agg")
hypothesis.settings.register_profile("no clock", deadline=None)
hypothesis.settings.load_profile("no clock")
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "data" / "demo"), str(ROOT / "benchmarks")]  # generators; scripts


@pytest.fixture(autouse=True)
def close_figures():
    """Close what a test drew."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
