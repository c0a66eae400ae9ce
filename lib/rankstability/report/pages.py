"""One executed notebook as one page: code folded, tables and figures with anchors, no dumps."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape, unescape
from itertools import count
from pathlib import Path
from typing import Any

from .. import paths
from ..errors import DataError
from . import tables
from .parameters import declared

HERE = Path(__file__).parent
PAPERMILLS = {"injected-parameters", "papermill-error-cell-tag"}  # cells that it added
PARTS = ("pages.py", "site.py", "base.html.j2", "page.html.j2", "page/index.html.j2")


@dataclass(frozen=True)
class Body:
    """What an executed notebook becomes: its HTML, its headings, its words for the search."""

    title: str
    html: str
    settings: list[dict[str, str]]
    headings: list[tuple[int, str, str]] = field(default_factory=list)  # level, id, text
    words: list[tuple[str, str, str]] = field(default_factory=list)  # id, heading, text below it
    empty: list[str] = field(default_factory=list)  # sections that this run had nothing for


def body(saved: Path, links: Mapping[str, str], folder: Path) -> Body:
    """The executed notebook `saved` as HTML; it may have failed halfway.

    Parameters
    ----------
    links : mapping
        Names of files in `folder`, such as ``cs-en/bump.png``, to links: a page holds only those
        pictures that are not there.
    folder : Path
        Where the results lie, as the settings show it: while it ran, they were staged elsewhere.
    """
    import nbformat

    notebook = nbformat.read(saved, as_version=4)
    given = notebook.metadata.get("papermill", {}).get("parameters", {})
    used = settings(saved, {**given, "output_dir": paths.shown(folder)})
    own = [c for c in notebook.cells if not PAPERMILLS & {*_tags(c)}]
    notebook.cells, empty = without_empty(own)
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            titles = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE)
            heading = titles[-1] if titles else heading
            continue
        for output in cell.get("outputs", []):
            _figure(output, links, folder, heading)
    html, _ = _exporter().from_notebook_node(notebook, resources={"site": {"settings": used}})
    title = headline(notebook)[0] or saved.stem.partition("__")[0]
    html, headings = anchored(str(html))
    return Body(title, html, used, headings, passages(html), empty)


def _tags(cell: Mapping[str, Any]) -> list[str]:
    return list(cell.get("metadata", {}).get("tags", []))


def without_empty(cells: Sequence[Any]) -> tuple[list[Any], list[str]]:
    """The cells but those of sections whose code put nothing out, and the titles of these.

    A section is a text cell that begins with a heading, and what follows up to the next one.
    """
    sections: list[list[Any]] = [[]]
    for cell in cells:
        if cell["cell_type"] == "markdown" and cell["source"].lstrip().startswith("#"):
            sections.append([])
        sections[-1].append(cell)
    kept: list[Any] = []
    empty: list[str] = []
    for section in sections:
        code = [c for c in section if c["cell_type"] == "code"]
        outputs = [o for c in code for o in c.get("outputs") or () if not _says_nothing(o)]
        made = outputs or any("parameters" in _tags(c) for c in code)
        first = section[0]["source"].strip().splitlines()[0] if section else ""
        if code and not made and first.startswith("##"):
            empty.append(first.lstrip("# "))
        else:
            kept += section
    return kept, empty


def _says_nothing(output: Mapping[str, Any]) -> bool:
    return "".join(output.get("data", {}).get("text/html", [])) == tables.EMPTY


def _figure(output: Any, links: Mapping[str, str], folder: Path, heading: str) -> None:
    """Enter in an output with a picture what the template needs: its link and its alt text."""
    data, metadata = output.get("data", {}), output.setdefault("metadata", {})
    about = {**metadata.get("image/png", {}), **metadata.pop("rankstability", {})}
    name = str(about.get("picture") or about.get("name") or "")
    png = base64.b64decode("".join(data["image/png"])) if "image/png" in data else b""
    link = links.get(name, "")
    if png and link and (folder / name).read_bytes() != png:
        link = ""  # made again since, by another run
    if not link and not png:
        return
    alt = str(about.get("alt") or "")
    caption = alt.partition(". ")[0].rstrip(".") or heading
    words = name.removesuffix(".png").replace("/", " ").replace("_", " ")
    metadata["site"] = {
        "source": link or "data:image/png;base64," + base64.b64encode(png).decode(),
        "alt": alt or ": ".join(filter(None, [words, heading])) or "Figure",
        "caption": caption,
        "id": "figure-" + slug(words or caption),
        "csv": links.get(name.removesuffix(".png") + ".csv", "") if link else "",
        "png": link,
    }


def slug(text: str) -> str:
    """`text` as part of an id or an address: letters, digits and hyphens."""
    return re.sub(r"[^\w]+", "-", unescape(text).lower()).strip("-") or "section"


def anchored(html: str) -> tuple[str, list[tuple[int, str, str]]]:
    """HTML whose headings and figures have ids of their own, with links to themselves.

    Levels that skip one are brought up, and there is one heading of the first level. Gives also
    level, id and text of each heading.
    """
    used: set[str] = set()
    headings: list[tuple[int, str, str]] = []

    def unique(wanted: str) -> str:
        name, k = wanted, 2
        while name in used:
            name, k = f"{wanted}-{k}", k + 1
        used.add(name)
        return name

    def heading(found: re.Match[str]) -> str:
        inner = found[2].strip()
        text = " ".join(unescape(re.sub(r"<[^>]+>", "", inner)).split())
        above = headings[-1][0] if headings else 0
        level = min(int(found[1]), above + 1) if above else 1
        level = max(level, 2) if headings else level
        name = unique(slug(text))
        headings.append((level, name, text))
        link = f'<a class="anchor" href="#{name}" aria-label="Link to {escape(text)}">#</a>'
        return f'<h{level} id="{name}">{inner}{link}</h{level}>'

    html = re.sub(r"<h([1-6])[^>]*>(.*?)</h\1>", heading, html, flags=re.DOTALL)
    html = re.sub(
        r'<figure id="([^"]+)">(.*?)#self',
        lambda found: f'<figure id="{(name := unique(found[1]))}">{found[2]}#{name}',
        html,
        flags=re.DOTALL,
    )
    regions = count(1)
    html = re.sub(
        r'aria-label="(Table|Printed text|Error)"',
        lambda found: f'aria-label="{found[1]} {next(regions)}"',
        html,
    )
    return html, headings


def passages(html: str, most: int = 700) -> list[tuple[str, str, str]]:
    """The words below each heading: id, heading and text, each word once, code left out."""
    html = re.sub(r"<details class=\"code\">.*?</details>", " ", html, flags=re.DOTALL)
    made = []
    for part in re.split(r"(?=<h[1-6] id=)", html):
        found = re.match(r'<h[1-6] id="([^"]+)">(.*?)<a class="anchor".*?</h[1-6]>', part, re.S)
        if found:
            text = unescape(re.sub(r"<[^>]+>", " ", part[found.end() :]))
            words = " ".join(dict.fromkeys(w for w in text.split() if not is_number(w)))
            made.append((found[1], unescape(re.sub(r"<[^>]+>", "", found[2])), words[:most]))
    return made


def is_number(word: str) -> bool:
    """Whether a word of a page is a number of a table, which nobody searches."""
    return not re.search(r"[^\W\d_]", word)


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
    """The files that all pages share: the style sheet, with the colours of code, and the script."""
    from pygments.formatters import HtmlFormatter

    light, dark = (HtmlFormatter(style=s) for s in ("xcode", "github-dark"))
    css = (HERE / "site.css").read_text(encoding="utf-8")
    code = light.get_style_defs(".highlight")
    night = dark.get_style_defs(".highlight")
    screen = f"@media screen and (prefers-color-scheme: dark) {{\n{night}\n}}"
    plain = ".highlight, .highlight pre { background: none; }"
    return {
        "site.css": f"{css}\n{code}\n{screen}\n{plain}\n",
        "site.js": (HERE / "site.js").read_text(encoding="utf-8"),
    }


TAGS = {"a", "b", "blockquote", "br", "caption", "code", "dd", "details", "div", "dl", "dt", "em"}
TAGS |= {"h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "li", "ol", "p", "pre", "small", "span"}
TAGS |= {"strong", "sub", "summary", "sup", "ul"}
TAGS |= {"table", "tbody", "td", "tfoot", "th", "thead", "tr"}
ATTRIBUTES = {
    "*": ["class", "style", "title", "lang"],
    "a": ["href"],
    "th": ["scope", "colspan", "rowspan"],
    "td": ["colspan", "rowspan"],
}


def harmless(html: str) -> str:
    """HTML that a cell put out, with all markup that could run or load something written as text.

    Names and titles come from data: whatever they hold, a page shows it and does not obey it. Each
    table stands in a region of its own, which scrolls.
    """
    import bleach
    from bleach.css_sanitizer import CSSSanitizer

    html = re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL)
    safe = bleach.clean(html, tags=TAGS, attributes=ATTRIBUTES, css_sanitizer=CSSSanitizer())
    region = '<div class="scroll" role="region" tabindex="0" aria-label="Table">'
    safe = re.sub(r"<table[^>]*>", lambda found: region + found[0], safe)
    safe = safe.replace("<th></th>", "<td></td>")  # a heading of nothing
    return safe.replace("</table>", "</table></div>")


@cache
def _exporter() -> Any:
    from nbconvert import HTMLExporter
    from nbconvert.filters import Highlight2HTML

    exporter = HTMLExporter(
        extra_template_basedirs=[str(HERE)],
        template_name="page",
        exclude_anchor_links=True,  # `anchored` writes them
    )
    exporter.register_filter("harmless", harmless)
    exporter.register_filter("highlight_code", Highlight2HTML(pygments_lexer="ipython3"))
    return exporter
