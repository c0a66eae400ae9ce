"""How judgments and numbers are shown: text, HTML and LaTeX in one place."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from .codes import EXCLUSIONS, NOTES
from .errors import escape_invisible

KIND_NAMES = {
    "direct_assessment": "direct assessment",
    "ratings": "ratings",
    "mqm": "MQM",
    "segment_scores": "segment scores, averaged over unnamed annotators",
    "leaderboard": "a leaderboard: scores of items, without annotators",
    "relative_ranking": "relative ranking",
    "votes": "votes on pairs of outputs",
}
COUNTS = (
    ("systems", "n_systems"),
    ("judgments", "n_judgments"),
    ("annotators", "n_annotators"),
    ("documents", "n_documents"),
    ("segments", "n_segments"),
)
MAX_REASONS = 4  # of rows that were left out, in the short display


def number(value: float) -> str:
    """Return a count with thousands separators."""
    return f"{value:,.0f}"


def describe_judgments(judgments: Any) -> list[str]:
    """Return at most ten lines about judgments: kind, counts, scale and direction, left out."""
    title = " ".join(filter(None, (judgments.campaign, judgments.pair, judgments.task)))
    kind = KIND_NAMES[judgments.kind]
    lines = [f"Judgments {title}: {kind}" if title else f"Judgments: {kind}"]
    counts = [(name, getattr(judgments, attribute)) for name, attribute in COUNTS]
    lines.append(", ".join(f"{number(count)} {name}" for name, count in counts if count))
    if judgments.scale is not None:
        low, high = judgments.scale
        direction = "lower" if judgments.lower_is_better else "higher"
        lines.append(f"scale {low:g} to {high:g}, {direction} is better")
    elif judgments.kind == "mqm":
        lines.append("scores are minus the sum of error weights, higher is better")
    if judgments.humans:
        lines.append("human translations: " + ", ".join(judgments.humans))
    lines += _reasons("left out", judgments.excluded, EXCLUSIONS)
    return [escape_invisible(line) for line in lines[:10]]


def _reasons(title: str, table: Any, sentences: dict[str, str]) -> list[str]:
    """Return a line for each of the most frequent reasons, and one for the rest."""
    if table.empty:
        return []
    rows = table.groupby("code", sort=False)["rows"].sum().sort_values(ascending=False)
    known = {**NOTES, **sentences}
    lines = [
        f"{title}: {number(count)} {known.get(code, code)}"
        for code, count in rows.head(MAX_REASONS).items()
    ]
    if len(rows) > MAX_REASONS:
        rest = rows.iloc[MAX_REASONS:].sum()
        lines.append(f"{title}: {number(rest)} rows for {len(rows) - MAX_REASONS} other reasons")
    return lines


def lines_as_html(lines: Sequence[str]) -> str:
    """Return lines as HTML, the first in bold, with every name escaped."""
    first, *rest = [html.escape(line) for line in lines]
    return "<p><b>" + first + "</b><br>" + "<br>".join(rest) + "</p>"
