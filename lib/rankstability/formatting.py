"""How judgments and numbers are shown: text, HTML and LaTeX in one place."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import pandas as pd

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
        lines.append(f"{title}: {number(rest)} rows for other reasons")
    return lines


def lines_as_html(lines: Sequence[str]) -> str:
    """Return lines as HTML, the first in bold, with every name escaped."""
    first, *rest = [html.escape(line) for line in lines]
    return "<p><b>" + first + "</b><br>" + "<br>".join(rest) + "</p>"


def page_in_frame(page: str, height: int) -> str:
    """Return a page as HTML of a frame of its own, which cannot run scripts."""
    style = f"width: 100%; height: {height}px; border: 0"
    return f'<iframe sandbox="" srcdoc="{html.escape(page, quote=True)}" style="{style}"></iframe>'


RULES = {  # how a boundary is shown, in text and as a border
    "drawn and supported": ("-", "2px solid"),
    "drawn": ("- ", "1px dashed"),
    "supported": ("=", "4px double"),
}
LEGENDS = {
    "drawn and supported": "solid: drawn by the procedure and supported",
    "drawn": "dashed: drawn by the procedure, not supported",
    "supported": "double: supported, not drawn by the procedure",
    "drawn without inference": "solid: drawn by the rule",
}
LATEX_RULES = {
    "drawn and supported": "\\midrule",
    "drawn": "\\cmidrule(lr){1-%d}",
    "supported": "\\midrule\\midrule",
}
LATEX_LEGENDS = {
    "drawn and supported": "% \\midrule: drawn by the procedure and supported",
    "drawn": "% \\cmidrule: drawn by the procedure, not supported",
    "supported": "% two \\midrule: supported, not drawn by the procedure",
}


def boundary_kinds(ranking: Any) -> dict[int, str]:
    """Return how the boundary below each rank is shown: a key of `RULES`."""
    kinds = {}
    for row in ranking.boundaries.itertuples():
        kind = "drawn" if row.drawn else "supported"
        if row.drawn and (row.supported or ranking.inference is None):
            kind = "drawn and supported"
        kinds[int(row.rank)] = kind
    return kinds


def _shown_cells(ranking: Any) -> list[list[str]]:
    """Return the heading and the rows of a ranking as texts."""
    table = ranking.table
    digits = decimals(table["score"]) if "score" in table else 3
    if "score" not in table:
        columns = [name for name in ("rank", "system", "raw", "z", "segments") if name in table]
        heading = columns
    else:
        interval = f"{100 * (1 - ranking.alpha):.4g} % interval"
        heading = ["rank", "system", ranking.score_name, interval, "ranks"]
        shown = [table["score"].round(digits), table["score_adjusted"].round(digits)]
        differs = bool((abs(shown[0] - shown[1]) > 1e-9).any())
        if differs:
            heading.insert(3, "adjusted")
    rows = [heading]
    for row in table.itertuples():
        if "score" not in table:
            values = [getattr(row, name) for name in heading]
            rows.append([f"{v:.3f}" if isinstance(v, float) else str(v) for v in values])
            continue
        known = row.assessable and row.score_low == row.score_low
        interval = f"{row.score_low:.{digits}f} to {row.score_high:.{digits}f}" if known else ""
        ranks = rank_set(row.rank_low, row.rank_high) if row.assessable else ""
        name = f"{row.system} (human)" if row.human else str(row.system)
        cells = [str(row.rank), name, f"{row.score:.{digits}f}", interval, ranks]
        if differs:
            cells.insert(3, f"{row.score_adjusted:.{digits}f}")
        rows.append(cells)
    return [[escape_invisible(text) for text in row] for row in rows]


def decimals(scores: Any) -> int:
    """Return the number of decimals with which scores are shown: three digits of their range."""
    values = [abs(float(value)) for value in scores if value == value]
    largest = max(values, default=0.0)
    return 3 if largest < 10 else 2 if largest < 100 else 1


def rank_set(low: float, high: float) -> str:
    """Return a set of ranks: ``2``, or ``1 to 3``."""
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def ranking_as_text(ranking: Any) -> list[str]:
    """Return a ranking as lines of text with a rule at each boundary and a legend."""
    cells = _shown_cells(ranking)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    breadth = sum(widths) + 2 * (len(widths) - 1)
    kinds = boundary_kinds(ranking)
    lines = []
    for rank, row in enumerate(cells):
        padded = [
            text.ljust(width) if column == 1 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
        if rank == 0:
            lines.append("-" * breadth)
        elif rank in kinds:
            sign = RULES[kinds[rank]][0]
            lines.append((sign * breadth)[:breadth].rstrip())
    return lines + _notes(ranking)


def _notes(ranking: Any) -> list[str]:
    """Return the legend of the rules, and the sampling unit."""
    kinds = sorted(set(boundary_kinds(ranking).values()))
    if ranking.inference is None:
        return [LEGENDS["drawn without inference"]] if kinds else []
    notes = [LEGENDS[kind] for kind in kinds]
    if "adjusted" in _shown_cells(ranking)[0]:
        notes.append("adjusted: compared on the segments that systems share")
    unit = ranking.unit.replace(" x ", " and ")
    notes.append(f"sampling units: {unit}" if unit else "no inference is made")
    return notes


def ranking_as_html(ranking: Any) -> str:
    """Return a ranking as an HTML table with a border at each boundary; names are escaped."""
    heading, *rows = _shown_cells(ranking)
    kinds = boundary_kinds(ranking)
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heading)
    body = []
    for rank, row in enumerate(rows, start=1):
        border = f"border-bottom: {RULES[kinds[rank]][1]} currentColor" if rank in kinds else ""
        cells = "".join(
            f'<td style="text-align: {"left" if column == 1 else "right"}; {border}">'
            f"{html.escape(text)}</td>"
            for column, text in enumerate(row)
        )
        body.append(f"<tr>{cells}</tr>")
    notes = "<br>".join(html.escape(note) for note in _notes(ranking))
    return (
        '<table style="border-collapse: collapse"><thead><tr>'
        f"{head}</tr></thead><tbody>{''.join(body)}</tbody></table><p>{notes}</p>"
    )


def ranking_as_latex(ranking: Any) -> str:
    """Return a ranking as a LaTeX table (booktabs), with a rule at each boundary; names are escaped."""
    heading, *rows = _shown_cells(ranking)
    frame = pd.DataFrame(rows, columns=heading)
    styler = (
        frame.style.hide(axis="index").format(escape="latex").format_index(escape="latex", axis=1)
    )
    text = str(styler.to_latex(column_format="rlrrrr"[: len(heading)], hrules=True))
    lines = text.splitlines()
    first = lines.index("\\midrule") + 1
    kinds = boundary_kinds(ranking)
    for rank, kind in sorted(kinds.items(), reverse=True):
        lines.insert(first + rank, LATEX_RULES[kind].replace("%d", str(len(heading))))
    if ranking.inference is not None:
        lines += [LATEX_LEGENDS[kind] for kind in sorted(set(kinds.values()))]
    return "\n".join(lines) + "\n"
