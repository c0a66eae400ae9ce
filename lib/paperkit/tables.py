"""What a reader sees of frames and names: tables, units, and words that no name can mark up."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
import pandas as pd

MOST = 60  # rows shown; the CSV beside the notebook holds all
NONE = "–"
EMPTY = '<p class="quiet">No rows.</p>'
UNITS = {
    "variance": "points²",
    "seconds": "s",
    **dict.fromkeys(("mean_raw", "system_sd", "document_sd", "luck_raw"), "points"),
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
SAID = ("cell", "ours", "reason")  # columns of sentences and numbers that are ours, not quoted
TEXT |= {c: f"<span>&#{ord(c)};</span>" for c in "$\\"}  # apart, so that no formula begins there


def html(frame: pd.DataFrame) -> str:
    """`frame` as an HTML table: names escaped, at most `MOST` rows, an index only if it is named.

    Floats of a column are rounded alike, to three digits of the middle one, the ends of an interval
    as its middle; whole numbers have no point, missing values are a dash, and columns of numbers
    have the class ``number``.
    """
    frame = _with_index(frame)
    if frame.empty:
        return EMPTY
    heads, columns = [], []
    for k, name in enumerate(frame.columns):
        texts, numeric = _column(frame.iloc[:, k], _digits(frame, k))
        style = ' class="number"' if numeric else ""
        heads.append(f'<th scope="col"{style} title="{escape(str(name))}">{heading(name)}</th>')
        texts = list(map(spaced, texts)) if name in SAID else texts
        columns.append([f"<td{style}>{text}</td>" for text in texts])
    body = "\n".join(f"<tr>{''.join(cells)}</tr>" for cells in zip(*columns, strict=True))
    left = max(len(frame) - MOST, 0)
    more = f'<p class="quiet">{left} more rows are in the CSV of this table.</p>' if left else ""
    head = f"<thead><tr>{''.join(heads)}</tr></thead>"
    ignored = "tex2jax_ignore mathjax_ignore"  # a $ in a name begins no formula
    return f'<table class="frame {ignored}">{head}<tbody>\n{body}\n</tbody></table>{more}'


def heading(name: object) -> str:
    """A column's name as a reader has it, escaped: words for letters, the unit where it has one."""
    if isinstance(name, tuple):
        return ", ".join(heading(part) for part in name if str(part))
    if not str(name).strip():
        return '<span class="unseen">name</span>'
    text = NAMES.get(str(name), str(name).replace("_", " ").strip() or str(name))
    unit = UNITS.get(str(name))
    return escape(spaced(text)) + (f" <small>({unit})</small>" if unit else "")


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with an index that says something as its first columns."""
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
    """Digits behind the point for a column: of ``x_low`` and ``x_high`` those of what is ``x``."""
    values = frame.iloc[:, k]
    numeric = pd.api.types.is_numeric_dtype(values) and values.dtype != bool
    own = decimals(values.to_numpy(float, na_value=np.nan)) if numeric else 0
    end = re.fullmatch(r"(?:(.*)_)?(low|high)", str(frame.columns[k]))
    if not end or not own:
        return own
    names = [str(name) for name in frame.columns[:k]]
    of = [i for i, name in enumerate(names) if not re.search("(^|_)(low|high)$", name)]
    named = [i for i in of if end[1] and names[i].startswith(end[1])] or of[-1:]
    return next((_digits(frame, i) for i in named), own) or own


def _column(values: pd.Series, digits: int) -> tuple[list[str], bool]:
    """The texts of a column, with so many digits behind the point; whether it holds numbers."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.cat.categories.dtype)
    if values.dtype == bool:
        return ["yes" if v else "no" for v in values.head(MOST)], False
    if pd.api.types.is_numeric_dtype(values):
        return [number(v, digits) for v in values.head(MOST)], True
    known = [v for v in values if not _missing(v)]
    numeric = all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in known)
    return [_text(v) for v in values.head(MOST)], bool(known) and numeric


def decimals(values: np.ndarray) -> int:
    """Digits behind the point for a column: none for whole numbers, else three significant ones."""
    finite = np.abs(values[np.isfinite(values)])
    if not len(finite) or (finite == np.round(finite)).all():
        return 0
    middle = float(np.median(finite[finite != np.round(finite)]))
    return int(np.clip(2 - math.floor(math.log10(middle)), 1, 4))


def number(value: Any, digits: int) -> str:
    """One number with `digits` behind the point and a true minus; a dash where there is none."""
    if _missing(value):
        return NONE
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}f}"
    if value and not text.strip("-0."):
        return ("<" if value > 0 else ">−") + f"{10.0**-digits:.{digits}f}" if digits else text
    return text.replace("-", "−") if text.strip("-0.") else text.removeprefix("-")


def _missing(value: Any) -> bool:
    return value is None or (np.isscalar(value) and bool(pd.isna(value)))


def _text(value: Any) -> str:
    if _missing(value) or (isinstance(value, str) and not value.strip()):
        return NONE
    if isinstance(value, float | np.floating):
        return number(value, decimals(np.array([value])))
    if isinstance(value, list | tuple | set | np.ndarray):
        return escape(", ".join(map(str, value)))
    return escape(TRUTH.get(str(value), str(value)))


def named(values: Mapping[str, Any]) -> str:
    """A mapping, such as the settings of a run, as a table of two columns."""
    rows = []
    for name, part in values.items():
        if isinstance(part, Mapping):
            part = ", ".join(f"{key} {value}" for key, value in part.items())
        rows.append((name, NONE if part in ("", None) else str(part)))
    return html(pd.DataFrame(rows, columns=["setting", "value"], dtype=object))


def words(markdown: str) -> str:
    """`markdown` of which only headings and bold type are markup: HTML, links, code are text.

    Sentences hold names from data; this way none can forget to escape them.
    """
    text = spaced(markdown).translate(str.maketrans(TEXT)).replace("://", "&#58;//")
    return re.sub(r"(?<!\*)\*(?!\*)", "&#42;", text)


def spaced(text: str) -> str:
    """`text` with a space that does not break between a number and its per cent sign."""
    return re.sub(r"(?<=\d) ?%(?!\w)", "\u00a0%", text)


def install() -> None:
    """Show frames, series and mappings as tables in this notebook, and Markdown as `words`."""
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
