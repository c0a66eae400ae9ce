"""Frames as HTML tables with units, and sentences in which names from data are never markup."""

import math
import re
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from .errors import visible

MOST = 60  # rows shown; the CSV next to the notebook holds all
NONE = "–"
EMPTY = '<p class="quiet">No rows.</p>'
UNITS = {
    "variance": "points²",
    "seconds": "s",
    **dict.fromkeys(
        ("mean_raw", "system_sd", "document_sd", "luck_raw"), "points"
    ),
    **dict.fromkeys(("ref_percent", "bad_ref_percent", "human_percent"), "%"),
    **dict.fromkeys(("mean_z", "company_z", "luck_z", "z_without"), "sd"),
    **dict.fromkeys(("rank_low", "rank_high"), "rank"),
}
NAMES = {
    "d_rank": "Δ rank",
    "d_cluster": "Δ cluster",
    "d_both": "Δ both",
    "p_holm": "p (Holm)",
    "p_bh": "p (Benjamini-Hochberg)",
    "p_a": "P(A)",
    "sigma2": "σ²",
    "mfas": "MFAS",
    "rmse": "RMSE",
    "srp": "SRP",
    "srp_both": "SRP both",
}
TRUTH = {"true": "yes", "false": "no"}
TEXT: dict[str, str | int | None] = {c: f"&#{ord(c)};" for c in "&<>[]`_~|"}
# apart, so that no formula begins there
TEXT |= {c: f"<span>&#{ord(c)};</span>" for c in "$\\"}
# columns of sentences and numbers that are ours, not quoted
SAID = ("cell", "ours", "reason", "best", "weakest", "evidence")
# the name of a column with an end of an interval: ``low``, ``difficulty_low``, ``low_z``
END = re.compile(r"(?:(.*)_)?(low|high)(?:_(.*))?")


def html(frame: pd.DataFrame, kind: str = "frame") -> str:
    """`frame` as an HTML table of class `kind`: names are escaped, at most `MOST` rows are shown.

    The numbers of a column all have the same decimals, such that its median has three significant
    digits; the ends of an interval have those of the estimate. Whole numbers have no decimals,
    missing values are a dash, and columns of numbers have the class ``number``. A plain numbered
    index is left out.
    """
    frame = _with_index(frame)
    if frame.empty:
        return EMPTY
    heads = []
    columns = []
    for k, name in enumerate(frame.columns):
        texts, numeric = _column(frame.iloc[:, k], _digits(frame, k))
        style = ' class="number"' if numeric else ""
        heads.append(
            f'<th scope="col"{style} title="{escape(str(name))}">{heading(name)}</th>'
        )
        texts = list(map(spaced, texts)) if name in SAID else texts
        columns.append([f"<td{style}>{text}</td>" for text in texts])
    body = "\n".join(
        f"<tr>{''.join(cells)}</tr>" for cells in zip(*columns, strict=True)
    )
    left = max(len(frame) - MOST, 0)
    more = (
        f'<p class="quiet">{left} more rows are in the CSV of this table.</p>'
        if left
        else ""
    )
    head = f"<thead><tr>{''.join(heads)}</tr></thead>"
    # a $ in a name begins no formula
    ignored = "tex2jax_ignore mathjax_ignore"
    return visible(
        f'<table class="{kind} {ignored}">{head}<tbody>\n{body}\n</tbody></table>{more}'
    )


def heading(name: object) -> str:
    """A column's name for readers, escaped, with its unit if it has one."""
    if isinstance(name, tuple):
        return ", ".join(heading(part) for part in name if str(part))
    if not str(name).strip():
        return '<span class="unseen">name</span>'
    text = NAMES.get(
        str(name), str(name).replace("_", " ").strip() or str(name)
    )
    unit = UNITS.get(str(name))
    return escape(spaced(text)) + (f" <small>({unit})</small>" if unit else "")


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its index as first columns, unless that is a plain numbering."""
    index = frame.index
    if index.names == [None] and pd.api.types.is_integer_dtype(index):
        return frame
    left = index.to_frame(index=False)
    left.columns = pd.Index(["" if n is None else n for n in index.names])
    data = frame.reset_index(drop=True)
    if data.columns.nlevels > 1:
        data.columns = pd.Index([", ".join(map(str, c)) for c in data.columns])
    return pd.concat([left, data], axis=1)


def _digits(frame: pd.DataFrame, k: int) -> int:
    """Digits behind the point for a column: both ends of an interval have those of its middle.

    That is the first column before it with the same beginning or end, else the last number.
    """
    names = [str(name) for name in frame.columns]
    end = END.fullmatch(names[k])
    if not end:
        return _own(frame, [k])
    ends = [END.fullmatch(name) for name in names]
    own = _own(
        frame,
        [
            i
            for i, e in enumerate(ends)
            if e and (e[1], e[3]) == (end[1], end[3])
        ],
    )
    before = [i for i in range(k) if not ends[i]] if own else []
    begin = end[1] or ""
    close = f"_{end[3]}" if end[3] else ""
    named = [
        i
        for i in before
        if names[i].startswith(begin) and names[i].endswith(close)
    ]
    with_decimals = [i for i in before if _own(frame, [i])]
    middle = named[:1] if named and (begin or close) else with_decimals[-1:]
    return _own(frame, middle) or own


def _own(frame: pd.DataFrame, which: list[int]) -> int:
    """Digits behind the point that these columns together ask for; none for words."""
    columns = (frame.iloc[:, i] for i in which)
    numeric = [
        c
        for c in columns
        if pd.api.types.is_numeric_dtype(c) and c.dtype != bool
    ]
    values = [c.to_numpy(float, na_value=np.nan) for c in numeric]
    return decimals(np.concatenate(values)) if values else 0


def _column(values: pd.Series, digits: int) -> tuple[list[str], bool]:
    """The texts of a column with `digits` decimals, and whether it holds numbers."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.cat.categories.dtype)
    if values.dtype == bool:
        return ["yes" if v else "no" for v in values.head(MOST)], False
    if pd.api.types.is_numeric_dtype(values):
        return [number(v, digits) for v in values.head(MOST)], True
    known = [v for v in values if not _missing(v)]
    numeric = all(
        isinstance(v, int | float | np.number) and not isinstance(v, bool)
        for v in known
    )
    return [_text(v) for v in values.head(MOST)], bool(known) and numeric


def decimals(values: np.ndarray) -> int:
    """Decimals for a column: none for whole numbers, else such that the median has three digits."""
    finite = np.abs(values[np.isfinite(values)])
    if not len(finite) or (finite == np.round(finite)).all():
        return 0
    middle = float(np.median(finite[finite != np.round(finite)]))
    return int(np.clip(2 - math.floor(math.log10(middle)), 1, 4))


def number(value: Any, digits: int) -> str:
    """A number with `digits` decimals and a true minus sign; a dash if it is missing.

    From 10,000 on, with commas between thousands.
    """
    if _missing(value):
        return NONE
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    text = (
        f"{value:,.{digits}f}"
        if abs(value) >= 10_000
        else f"{value:.{digits}f}"
    )
    if value and not text.strip("-0."):
        if not digits:
            return text
        return ("<" if value > 0 else ">−") + f"{10.0**-digits:.{digits}f}"
    return (
        text.replace("-", "−") if text.strip("-0.") else text.removeprefix("-")
    )


def _missing(value: Any) -> bool:
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))


def _text(value: Any) -> str:
    if _missing(value) or (isinstance(value, str) and not value.strip()):
        return NONE
    if isinstance(value, float | np.floating):
        return number(value, decimals(np.array([value])))
    if isinstance(value, list | tuple | set | np.ndarray):
        return escape(", ".join(map(str, value)))
    return escape(TRUTH.get(str(value), str(value)))


def named(values: Mapping[str, Any]) -> str:
    """A mapping, such as the settings of a run, as an HTML table of two columns."""
    rows = []
    for name, part in values.items():
        if isinstance(part, Mapping):
            part = ", ".join(f"{key} {value}" for key, value in part.items())
        rows.append((name, NONE if part in ("", None) else str(part)))
    frame = pd.DataFrame(rows, columns=["setting", "value"], dtype=object)
    return html(frame, "settings frame")


def words(markdown: str) -> str:
    """`markdown` in which only headings and bold type are markup; names from data are text."""
    text = (
        spaced(markdown)
        .translate(str.maketrans(TEXT))
        .replace("://", "&#58;//")
    )
    return re.sub(r"(?<!\*)\*(?!\*)", "&#42;", text)


def spaced(text: str) -> str:
    """`text` with a non-breaking space between a number and its per cent sign."""
    return re.sub(r"(?<=\d) ?%(?!\w)", "\u00a0%", text)


def install() -> None:
    """Make this notebook show frames, series and mappings as tables, and Markdown as `words`."""
    from IPython import get_ipython
    from IPython.display import Markdown

    shell = get_ipython()
    if shell is not None:
        formatter = shell.display_formatter.formatters["text/html"]
        formatter.for_type(pd.DataFrame, html)
        formatter.for_type(pd.Series, lambda series: html(series.to_frame()))
        formatter.for_type(dict, named)
        written = shell.display_formatter.formatters["text/markdown"]
        written.for_type(Markdown, lambda shown: words(str(shown.data)))
