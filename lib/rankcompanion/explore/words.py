"""What ``90_explore`` says of a view: what changed, and the commands that draw it as figures."""

from __future__ import annotations

import json
import shlex
from html import escape
from typing import Any

from rankstability.rank.significance import TESTS

from ..outlier_removal.changes import SETS
from .views import State, View


def sentence(view: View) -> str:
    """What changed, in words (HTML)."""
    change, n = view.change, len(view.original.systems)
    pairs = n * (n - 1) // 2
    parts = []
    if change.d_rank:
        steps = f"{change.largest_move} place{'s' if change.largest_move > 1 else ''}"
        parts.append(
            f"<b>The order changes:</b> {change.kendall_distance} of {pairs} pairs of systems "
            f"turned round; {escape(change.moved)} moves most ({steps})."
        )
    else:
        parts.append(f"<b>The order</b> of the {n} systems <b>stays</b>.")
    if change.d_cluster:
        parts.append(
            f"<b>The clusters change:</b> lines that appear: {change.lines_appeared}, "
            f"that vanish: {change.lines_vanished}."
        )
    else:
        k = len(view.changed.clusters)
        parts.append(f"<b>The clusters stay</b> ({k}).")
    note = view.note
    if view.dropped:
        names = escape(", ".join(view.dropped))
        note += ("; " if note else "") + f"left out of both rankings: {names}"
    return " ".join(parts) + (f"<br><small>{note}.</small>" if note else "")


def commands(campaign: str, protocol: str, pair: str, state: State) -> list[str]:
    """The notebooks that draw this view as a figure, as commands with the same settings.

    Raw scores stand beside z-scores in 05; a removal together with a divisor is in no figure but
    each by itself, in 02 and in 03.
    """
    if protocol == "MQM":
        without = {"without": list(state.removed)} if state.removed else {}
        return [_command("06_srp", campaign, pair, **without)]
    lines = {"rule": state.rule, "alpha": state.alpha}
    if protocol == "RR":
        correction = state.test.partition(", ")[2] or "none"
        score = {"methods": [state.score]} if state.score else {}
        return [
            _command("07_relative_ranking", campaign, pair, **score, correction=correction, **lines)
        ]
    if state.score == "mean_raw":
        return [_command("05_document_difficulty", campaign, pair)]
    lines = {"test": state.test or next(iter(TESTS)), **lines}
    systems = [s for s in state.removed if s not in SETS]
    removed = [s for s in state.removed if s in SETS] + ([" & ".join(systems)] if systems else [])
    shown_in = []
    if removed:
        shown_in.append(_command("02_outlier_removal", campaign, pair, removed=removed, **lines))
    if state.divisor != 1:
        divisors = [state.divisor]
        shown_in.append(
            _command("03_divisor_degradation", campaign, pair, divisors=divisors, **lines)
        )
    return shown_in or [_command("01_replication", campaign, pair, **lines)]


def _command(notebook: str, campaign: str, pair: str, **settings: Any) -> str:
    values = {"campaign": campaign, "pair": pair, **settings}
    words = [
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in values.items()
    ]
    return " ".join(["python -m rankstability.run", notebook, *map(shlex.quote, words)])
