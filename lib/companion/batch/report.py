"""The report: executed notebooks, findings, ledger, glossary and reference as one site."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bleach
import jinja2
import nbformat
import pandas as pd
from bleach.css_sanitizer import CSSSanitizer
from sphinx.cmd.build import main as sphinx_build

import rankstability as rs

from . import findings, ledger
from .jobs import FIGURES, NOTEBOOKS, ROOT, WHOLE

SITE = Path(__file__).parent / "site"
SOURCE = ROOT / "build" / "report"
OUTPUT = ROOT / "build" / "site"
DOCS = ("your-data.md", "inference.md", "trust.md", "glossary.md")
INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")  # categories of characters: control, format and so on
TAGS = ["table", "thead", "tbody", "tr", "th", "td", "caption", "div", "p", "span", "b", "br", "hr"]
ATTRIBUTES = {"*": ["class", "style"], "td": ["colspan", "rowspan"], "th": ["colspan", "rowspan"]}
STYLES = CSSSanitizer(
    allowed_css_properties=[
        "background-color", "border", "border-bottom", "border-top", "color", "font-weight",
        "padding", "text-align",
    ]
)  # fmt: skip


def build() -> None:
    """Write the ledger, the sources of the report (``build/report``) and its pages (``build/site``)."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    pages = write_notebooks()
    rows = ledger.write()
    _render("conf.py", version=rs.__version__)
    found = findings.gather()
    for place, finding in enumerate(found):
        if finding["picture"]:
            shutil.copy(FIGURES / finding["picture"], SOURCE / f"finding-{place}.png")
    _render("index.md", findings=found, pages=pages)
    _render("notebooks.md", pages=pages.to_dict("records"), topics=topics())
    _render("reference.md", names=public_names())
    write_ledger(rows, pages)
    for name in DOCS:
        shutil.copy(ROOT / "docs" / name, SOURCE / name)
    shutil.copytree(SITE / "static", SOURCE / "static")
    scratch = OUTPUT.with_name("site.partial")
    shutil.rmtree(scratch, ignore_errors=True)
    if sphinx_build(["-q", "-j", "auto", "-b", "html", str(SOURCE), str(scratch)]):
        raise SystemExit("the report could not be built")
    shutil.rmtree(scratch / ".doctrees", ignore_errors=True)
    shutil.rmtree(OUTPUT, ignore_errors=True)
    scratch.rename(OUTPUT)


def _render(name: str, **values: Any) -> None:
    """Fill one template of the site."""
    loader = jinja2.FileSystemLoader(SITE)
    environment = jinja2.Environment(loader=loader, trim_blocks=True, lstrip_blocks=True)
    environment.filters["cell"] = cell
    text = environment.get_template(f"{name}.j2").render(**values)
    (SOURCE / name).write_text(text, encoding="utf-8")


def cell(value: object) -> str:
    """Return a value as text for a Markdown table: nothing in it is markup, or invisible."""
    text = "".join(
        ascii(character)[1:-1] if unicodedata.category(character) in INVISIBLE else character
        for character in str(value).replace("\n", " ")
    )
    return re.sub(r"([\\`*_{}\[\]<>#|$~&])", r"\\\1", text)


def public_names() -> list[str]:
    """Return the public names of the library in alphabetical order."""
    return sorted(rs.__all__, key=str.lower)


def topics() -> dict[str, str]:
    """Return the title of each notebook by its name."""
    titles = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        first = nbformat.read(path, as_version=4).cells[0].source
        titles[path.stem] = first.splitlines()[0].lstrip("# ")
    return titles


def write_notebooks() -> pd.DataFrame:
    """Copy every executed notebook, harmless, and return a table: campaign, notebook, pair, page."""
    rows = []
    for path in sorted(FIGURES.glob("*/*/*/*.ipynb")):
        campaign, notebook, pair = path.parts[-4:-1]
        page = f"runs/{campaign}-{notebook}-{pair}"
        target = SOURCE / f"{page}.ipynb"
        target.parent.mkdir(exist_ok=True)
        made = nbformat.read(path, as_version=4)
        made.cells = [*harmless(made.cells)]
        made.cells[0].source += f"\n\n*{campaign}, {pair if pair != WHOLE else 'all pairs'}*"
        nbformat.write(made, target)
        rows.append((campaign, notebook, pair, page))
    return pd.DataFrame(rows, columns=["campaign", "notebook", "pair", "page"])


def harmless(cells: list[Any]) -> Iterator[Any]:
    """Yield the cells with outputs in which no name of a system is markup or script."""
    for each in cells:
        for output in each.get("outputs", []):
            data = output.get("data", {})
            for kind in set(data) - {"text/plain", "text/html", "image/png"}:
                del data[kind]
            if "text/html" in data:
                data["text/html"] = sanitise(data["text/html"])
        yield each


def sanitise(markup: str) -> str:
    """Return HTML with tables and colours alone."""
    markup = re.sub(r"(?is)<(style|script)\b.*?</\1\s*>", "", markup)
    clean: str = bleach.clean(
        markup, tags=TAGS, attributes=ATTRIBUTES, css_sanitizer=STYLES, strip=True
    )
    return clean


def write_ledger(rows: pd.DataFrame, pages: pd.DataFrame) -> None:
    """Write the ledger: an overview, and one page for each paper with links to the notebooks."""
    page_of = {
        (row.campaign, row.notebook): row.page for row in pages.itertuples() if row.pair == WHOLE
    }
    counts = pd.crosstab(rows["paper"], rows["status"])
    counts = counts.reindex(columns=list(ledger.STATUSES), fill_value=0).reset_index()
    _render("ledger.md", counts=counts.to_dict("records"), statuses=ledger.STATUSES)
    for paper, part in rows.groupby("paper"):
        records = part.to_dict("records")
        for record in records:
            record["page"] = page_of.get((record["campaign"], record["notebook"]), "")
        _render_as("paper.md", f"ledger-{paper}.md", paper=paper, rows=records)


def _render_as(template: str, name: str, **values: Any) -> None:
    _render(template, **values)
    (SOURCE / template).rename(SOURCE / name)
