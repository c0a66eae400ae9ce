"""Designs in which the promise is not met, or in which little can be said, found in the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..scores.arrays import ScoreArrays
from .assemble import PairTests
from .within import StratumFit


def rating_notes(
    arrays: ScoreArrays, tests: PairTests, fits: Sequence[StratumFit], by_domain: bool
) -> dict[str, Any]:
    """Return `notes` and `extra` of the tests of ratings."""
    return {}
