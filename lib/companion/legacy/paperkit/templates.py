"""The templates of pages, and how they format numbers; values put into HTML are escaped."""

import html
import math
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from .errors import visible

HERE = Path(__file__).parent
NONE = "—"
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
LATEX |= {c: "\\" + c for c in "&%$#_{}"}
LATEX |= {
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}  # OT1 prints others


def template(name: str) -> Any:
    """A Jinja template of this folder; values put into LaTeX have to pass the filter ``tex``."""
    return _environment().get_template(name)


@cache
def _environment() -> Any:
    """The one environment of all templates, so that what they share is compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader([HERE, HERE / "page"]),
        autoescape=lambda name: not str(name).endswith(".tex.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    made.filters.update(
        number=number, about=about, percent=percent, p=p_value, tex=tex
    )
    made.filters.update(
        duration=duration, short=short, texnumber=tex_number, label=label
    )
    made.filters.update(ascii=str.isascii, unescape=html.unescape, coded=coded)
    made.filters.update(decimals=decimals, fixed=fixed)
    return made


def _missing(value: Any) -> bool:
    return value is None or not math.isfinite(value)


def number(value: Any, digits: int = 3) -> str:
    """A number for readers: `digits` significant digits, a true minus, thousands separated."""
    if _missing(value):
        return NONE
    if float(value).is_integer() or abs(value) >= 1000 or abs(value) < 1e-12:
        text = f"{round(value):,}"
    else:
        text = f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"
    return text.replace("-", "−")


def decimals(values: Iterable[float | None]) -> int:
    """The number of decimals with which the largest of `values` has three digits."""
    largest = max((abs(v) for v in values if v is not None), default=0.0)
    return max(0, 2 - math.floor(math.log10(max(largest, 1e-3))))


def fixed(value: Any, digits: int) -> str:
    """A number with `digits` decimals, a true minus, and no minus before a zero."""
    return (
        NONE if _missing(value) else f"{value:z,.{digits}f}".replace("-", "−")
    )


def about(value: Any) -> str:
    """An estimated number, rounded to two significant digits: 1851 as 1,900."""
    return number(value if _missing(value) else float(f"{value:.2g}"))


def percent(value: Any) -> str:
    """A share as per cent, with one decimal below ten per cent."""
    if _missing(value):
        return NONE
    text = f"{100 * value:.{1 if 0 < value < 0.0995 else 0}f}"
    return text.removesuffix(".0") + "\u00a0%"


def p_value(value: Any) -> str:
    """A p-value as papers print it."""
    if _missing(value):
        return NONE
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def duration(seconds: float) -> str:
    """A time for readers: ``0.8 s``, ``42 s``, ``3 min 5 s``, ``2 h 10 min``."""
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return (
        f"{minutes} min {rest} s"
        if minutes < 60
        else f"{minutes // 60} h {minutes % 60} min"
    )


def short(text: str, most: int = 40) -> str:
    """`text` cut to at most `most` letters; a cut text ends in an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def coded(text: str) -> Markup:
    """`text` for HTML, escaped, with what stands between backticks as code."""
    return Markup(
        re.sub(
            r"`([^`]+)`",
            r"<code>\1</code>",
            html.escape(visible(text), quote=False),
        )
    )


def tex(text: str) -> str:
    """`text` with the special characters of LaTeX escaped."""
    return "".join(LATEX.get(c, c) for c in visible(text))


def tex_number(value: float, digits: int) -> str:
    """A number with `digits` decimals as a formula of LaTeX: a true minus, alike in any font."""
    text = f"{value:.{digits}f}"
    return f"${text if float(text) else text.removeprefix('-')}$"


def label(text: str) -> str:
    """`text` as a LaTeX label: lower-case letters, digits, hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
