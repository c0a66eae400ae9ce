"""One executed notebook as one page: code folded, settings as a table, nothing from the network."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import DataError
from .parameters import declared

HERE = Path(__file__).parent
PARTS = ("pages.py", "site.css", "site.js", "page/index.html.j2")  # what a page depends on


def convert(saved: Path, context: Mapping[str, Any]) -> str:
    """The page of the executed notebook `saved`.

    Parameters
    ----------
    saved : Path
        An executed notebook; it may have failed halfway.
    context : mapping
        What the page says around it: ``run`` (a `site.Run`), ``nav`` (links to the pages of the
        other pairs), ``files`` (links to figures and tables), ``output_dir`` (as shown).
    """
    import nbformat

    notebook = nbformat.read(saved, as_version=4)
    given = notebook.metadata.get("papermill", {}).get("parameters", {})
    # while it ran, results were staged elsewhere
    shown = settings(saved, {**given, "output_dir": str(context["output_dir"])})
    notebook.cells = [c for c in notebook.cells if "injected-parameters" not in _tags(c)]
    heading = context["run"].notebook
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            titles = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE)
            heading = titles[-1] if titles else heading
            continue
        name = re.search(r"\.figure\([^\"']*[\"']([\w-]+)", cell.source)
        cell.metadata["alt"] = (f"{name[1].replace('_', ' ')}: " if name else "Figure: ") + heading
    around = {**context, **assets(), "settings": shown, "title": headline(notebook)[0] or heading}
    page, _ = _exporter().from_notebook_node(notebook, resources={"site": around})
    return str(page)


def _tags(cell: Mapping[str, Any]) -> list[str]:
    return list(cell.get("metadata", {}).get("tags", []))


def settings(saved: Path, given: Mapping[str, Any]) -> list[dict[str, str]]:
    """Name, value, default and help of the parameters an executed notebook ran with."""
    try:
        lines = declared(saved)
    except DataError:  # a notebook without parameters
        return []
    return [
        {
            "name": line.name,
            "value": repr(given.get(line.name, line.default)),
            "default": repr(line.default),
            "help": line.help,
        }
        for line in lines
    ]


def headline(notebook: Mapping[str, Any]) -> tuple[str, str]:
    """The title and the first paragraph (the question) of a notebook, as plain text."""
    cells = notebook.get("cells", [])
    text = next(("".join(c["source"]) for c in cells if c["cell_type"] == "markdown"), "")
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"<[^>]+>|[*`]", "", text))
    title, _, rest = text.strip().partition("\n")
    question = next((p for p in re.split(r"\n\s*\n", rest.strip()) if p.strip()), "")
    return title.lstrip("# ").strip(), " ".join(question.split())


def source_headline(file: Path) -> tuple[str, str]:
    """`headline` of a notebook file; two empty texts where there is none."""
    try:
        return headline(json.loads(file.read_bytes()))
    except (OSError, ValueError):
        return "", ""


def duration(seconds: float) -> str:
    """Seconds as one reads them: ``0.8 s``, ``42 s``, ``3 min 5 s``."""
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@cache
def assets() -> dict[str, str]:
    """The style sheet (with the colours of code) and the script that every page carries."""
    from pygments.formatters import HtmlFormatter

    code = HtmlFormatter(style="friendly").get_style_defs(".highlight")
    css = (HERE / "site.css").read_text(encoding="utf-8")
    return {"css": f"{css}\n{code}", "js": (HERE / "site.js").read_text(encoding="utf-8")}


TAGS = {"a", "b", "blockquote", "br", "caption", "code", "dd", "details", "div", "dl", "dt", "em"}
TAGS |= {"h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "li", "ol", "p", "pre", "small", "span"}
TAGS |= {"strong", "sub", "summary", "sup", "ul"}
TAGS |= {"table", "tbody", "td", "tfoot", "th", "thead", "tr"}
ATTRIBUTES = {
    "*": ["class", "id", "style", "title", "lang"],
    "a": ["href"],
    "th": ["scope", "colspan", "rowspan"],
    "td": ["colspan", "rowspan"],
}


def harmless(html: str) -> str:
    """HTML that a cell put out, with all markup that could run or load something written as text.

    Names and titles come from data: whatever they hold, a page shows it and does not obey it.
    """
    import bleach
    from bleach.css_sanitizer import CSSSanitizer

    html = re.sub(r"^(<div>\s*)?<style scoped>.*?</style>", r"\1", html, count=1, flags=re.DOTALL)
    return str(bleach.clean(html, tags=TAGS, attributes=ATTRIBUTES, css_sanitizer=CSSSanitizer()))


@cache
def _exporter() -> Any:
    from nbconvert import HTMLExporter
    from nbconvert.filters import Highlight2HTML

    exporter = HTMLExporter(
        extra_template_basedirs=[str(HERE)],
        template_name="page",
        exclude_anchor_links=True,  # written as <a .../>, which leaves the link open
    )
    exporter.register_filter("duration", duration)
    exporter.register_filter("harmless", harmless)
    exporter.register_filter("highlight_code", Highlight2HTML(pygments_lexer="ipython3"))
    return exporter
