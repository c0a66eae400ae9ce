"""An executed notebook as a page: folded code, tables and figures with anchors, no dumps."""

import ast
import base64
import inspect
import json
import pkgutil
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache, partial
from html import escape, unescape
from itertools import chain, count, pairwise
from pathlib import Path
from typing import Any

from . import columns, parts, paths, tables
from .errors import InputError
from .parameters import declared, read_notebook
from .templates import HERE, template

OURS = {
    folder.name
    for folder in HERE.parent.iterdir()
    if (folder / "__init__.py").is_file()
}
DOTS = 200  # of a picture, an inch, as figures are drawn
ADDED = {
    "injected-parameters",
    "papermill-error-cell-tag",
}  # tags of cells that papermill adds
SHADES = ("xcode", "github-dark")  # colours of code, by day and by night
PARTS = [
    "columns.py",
    "columns.yaml",
    "pages.py",
    "parts.py",
    "site.py",
    "templates.py",
]  # files that a page depends on
PARTS += ["base.html.j2", "page.html.j2", "page/index.html.j2"]


@dataclass(frozen=True)
class Body:
    """An executed notebook as HTML, with its headings and its words for the search."""

    title: str
    html: str
    headings: list[tuple[int, str, str]]  # level, id, text
    words: list[tuple[str, str, str]]  # id, heading, text below it
    calls: list[
        str
    ]  # functions of our packages that its code calls, by full name
    empty: list[str]  # titles of sections without output in this run


def body(
    saved: Path, links: Mapping[str, str], folder: Path, pair: str = ""
) -> Body:
    """The executed notebook `saved` as HTML; it may have failed halfway.

    With a `pair`, what belongs to other language pairs is left out (`parts.of_pair`).

    `links` maps names of files in `folder`, where the results are, such as ``cs-en/bump.png``, to
    links; only pictures without a link are embedded. The settings show `folder` instead of the
    folder in which results were staged.
    """
    import nbformat

    notebook = nbformat.read(saved, as_version=4)
    given = notebook.metadata.get("papermill", {}).get("parameters", {})
    site: dict[str, Any] = {
        "given": {**given, "output_dir": paths.shown(folder)},
        "settings": [],
    }
    with suppress(InputError):  # a notebook without parameters
        site["settings"] = declared(saved)
    if pair:
        parts.of_pair(notebook.cells, parts.pairs_of(folder), pair)
    notebook.cells, empty = _without_empty(
        [c for c in notebook.cells if not ADDED & _tags(c)]
    )
    for cell in notebook.cells:
        if cell.cell_type == "code":
            said = (
                (o, "".join(o.get("data", {}).get("text/markdown", "-")))
                for o in cell.outputs
            )
            cell.outputs = [
                output for output, text in said if text.strip("* \n")
            ]  # no empty label
    notebook.cells = _folded(notebook.cells)
    called = calls(notebook.cells)
    heading = ""
    captions = Captions()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            titles = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE)
            heading = titles[-1] if titles else heading
            cell.source = tables.spaced(captions.taken(cell.source))
            continue
        cell.metadata["site"] = called[cell.id]
        for output in cell.get("outputs", []):
            _figure(output, links, folder, heading, captions)
    from nbconvert.exporters import TemplateExporter

    # HTMLExporter's own method parses the page again to find pictures without alt text; none are
    make = TemplateExporter.from_notebook_node
    html, _ = make(_exporter(), notebook, resources={"site": site})
    title = headline(notebook)[0] or saved.stem.partition("__")[0]
    html, headings = _anchored(str(html))
    html = _without_dead_ends(html)
    every = sorted({name for names in called.values() for name in names})
    return Body(title, html, headings, _passages(html), every, empty)


def alone(saved: Path, folder: Path) -> bytes:
    """The executed notebook `saved` as a self-contained page, for results in `folder`."""
    made = {"body": body(saved, {}, folder), "css": assets()["site.css"]}
    return bytes(template("report.html.j2").render(**made).encode())


def _tags(cell: Mapping[str, Any]) -> set[str]:
    return {*cell.get("metadata", {}).get("tags", [])}


def _without_empty(cells: Sequence[Any]) -> tuple[list[Any], list[str]]:
    """The cells without those of sections without output, and the titles of these."""
    sections: list[list[Any]] = [[]]
    for cell in cells:
        if cell["cell_type"] == "markdown" and cell[
            "source"
        ].lstrip().startswith("#"):
            sections.append([])
        sections[-1].append(cell)
    kept: list[Any] = []
    empty: list[str] = []
    for section in sections:
        code = [c for c in section if c["cell_type"] == "code"]
        first = section[0]["source"].strip().splitlines()[0] if section else ""
        if (
            code
            and first.startswith("##")
            and not any(map(_says_something, code))
        ):
            empty.append(first.lstrip("# "))
        else:
            kept += section
    return kept, empty


def _folded(cells: Sequence[Any]) -> list[Any]:
    """The cells, with code that had no output joined to the code cell right after or before it."""

    def code(*both: Any) -> bool:
        return all(
            c["cell_type"] == "code" and "parameters" not in _tags(c)
            for c in both
        )

    made: list[Any] = []
    for cell in cells:
        if made and code(made[-1], cell) and not made[-1]["outputs"]:
            cell["source"] = f"{made.pop()['source']}\n\n{cell['source']}"
        made.append(cell)
    for before, cell in pairwise(made[:]):
        if code(before, cell) and not cell["outputs"]:
            before["source"] += f"\n\n{cell['source']}"
            made.remove(cell)
    return made


def _says_something(cell: Mapping[str, Any]) -> bool:
    """Whether a code cell holds the parameters, or had other output than empty tables."""
    shown = (
        "".join(o.get("data", {}).get("text/html", []))
        for o in cell.get("outputs") or ()
    )
    return "parameters" in _tags(cell) or any(
        text != tables.EMPTY for text in shown
    )


CAPTION = re.compile(
    r"^\*\*Figure (\d+)\*\* \(((?:`[^`]+`(?:, )?)+)( of all pairs)?\)\. (.+?)\s*(?=\n\s*\n|\Z)",
    re.M | re.S,
)


class Captions:
    """The captions in a notebook's text cells: ``**Figure 3** (`scores`). What to see.``

    The name is that of the file (``*`` stands for any letters), in the folder of a pair or of the
    campaign; if `` of all pairs`` follows it, of the campaign only. Text refers to the first figure
    of a number as ``[Figure 3](#figure-3)``.
    """

    def __init__(self) -> None:
        self.known: dict[tuple[str, bool], tuple[str, str, list[str]]] = {}
        self.said: set[str] = set()

    def taken(self, text: str) -> str:
        """The `text` of a cell without its captions, which are stored."""
        for number, names, whole, words in CAPTION.findall(text):
            each = re.findall("`([^`]+)`", names)
            for name in each:
                self.known[name, bool(whole)] = (
                    number,
                    " ".join(words.split()),
                    each,
                )
        return CAPTION.sub("", text)

    def of(self, picture: str) -> str:
        """The caption, as Markdown, of a picture such as ``cs-en/bump.png``; in full only once."""
        pair, _, name = picture.removesuffix(".png").rpartition("/")
        fits = [
            key
            for key in self.known
            if fnmatch(name, key[0]) and not (pair and key[1])
        ]
        if not fits:
            return ""
        best = max(fits, key=lambda key: (key[1], key[0] == name, len(key[0])))
        number, words, each = self.known[best]
        alone = [one.rstrip("*") for one in each] == [name]
        part = [pair, "" if alone else name.replace("_", " ")]
        label = tables.words(
            ", ".join(filter(None, [f"Figure {number}", *part]))
        )
        said = "" if number in self.said else tables.spaced(words)
        self.said.add(number)
        return f"**{label}.** {said}"


def _figure(
    output: Any,
    links: Mapping[str, str],
    folder: Path,
    heading: str,
    captions: Captions,
) -> None:
    """Add to an output with a picture what the template needs: link, caption, alternative text."""
    data = output.get("data", {})
    metadata = output.setdefault("metadata", {})
    about = {
        **metadata.get("image/png", {}),
        **metadata.get("rankstability", {}),
    }
    name = str(about.get("picture") or about.get("name") or "")
    png = (
        base64.b64decode("".join(data["image/png"]))
        if "image/png" in data
        else b""
    )
    link = links.get(name, "")
    if png and link and (folder / name).read_bytes() != png:
        link = ""  # another run has made the file again since
    if not link and not png:
        return
    alt = str(about.get("alt") or "")
    plain = alt.partition(". ")[0].rstrip(".") or heading
    words = name.removesuffix(".png").replace("/", " ").replace("_", " ")
    table = name.removesuffix(".png") + ".csv"
    known = link and table in links
    before = set(captions.said)
    caption = captions.of(name) or tables.words(plain)
    first = captions.said - before
    seen = re.sub(r"(?<![\w.])-(?=\d)", "−", str(about.get("seen") or ""))
    seen = re.sub(r"([*_`<>\[\]])", r"\\\1", seen)
    drawn = png or (
        (folder / name).read_bytes() if name.endswith(".png") else b""
    )
    metadata["site"] = {
        "size": _drawn_size(drawn),
        "source": link
        or "data:image/png;base64," + base64.b64encode(png).decode(),
        "alt": alt or ": ".join(filter(None, [words, heading])) or "Figure",
        "caption": f"{caption} {tables.spaced(seen)}".strip(),
        "mark": f"figure-{first.pop()}" if first else "",
        "id": "figure-" + slug(words or plain),
        "csv": links[table] if known else "",
        "told": columns.told(folder / table) if known else "",
        "png": link,
    }


def _drawn_size(png: bytes) -> list[int]:
    """Width and height of a picture in CSS pixels, as it was drawn; empty without a picture."""
    if not png:
        return []
    return [
        round(int.from_bytes(png[k : k + 4], "big") * 96 / DOTS)
        for k in (16, 20)
    ]


def calls(cells: Sequence[Any]) -> dict[str, list[str]]:
    """The functions of our packages that each code cell calls, by full name; cell id to names."""
    trees = {}
    for cell in cells:
        with suppress(SyntaxError):
            trees[cell["id"]] = ast.parse(
                cell["source"] if cell["cell_type"] == "code" else ""
            )
    known: dict[str, str] = {}  # the full name of each imported name
    for node in chain.from_iterable(map(ast.walk, trees.values())):
        if (
            isinstance(node, ast.ImportFrom)
            and str(node.module).partition(".")[0] in OURS
        ):
            known |= {
                n.asname or n.name: f"{node.module}.{n.name}"
                for n in node.names
            }
    made: dict[str, list[str]] = {}
    for name, tree in trees.items():
        called = (
            ast.unparse(n.func)
            for n in ast.walk(tree)
            if isinstance(n, ast.Call)
        )
        parts = (text.partition(".") for text in called)
        full = (
            known[first] + dot + rest
            for first, dot, rest in parts
            if first in known
        )
        made[name] = [
            n
            for n in dict.fromkeys(full)
            if source_of(n) and ".session." not in n
        ]
    return {cell["id"]: made.get(cell["id"], []) for cell in cells}


@cache
def source_of(name: str) -> str:
    """The source of a function or class by its full name; empty if there is none."""
    with suppress(ImportError, AttributeError, ValueError, OSError, TypeError):
        thing = pkgutil.resolve_name(name)
        if inspect.isclass(thing) or inspect.isroutine(thing):
            return inspect.getsource(thing)
    return ""


def heading_of(saved: Path, code: str) -> str:
    """The heading of the first section of a notebook whose code contains `code`; empty if none."""
    heading = ""
    for cell in json.loads(saved.read_bytes())["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            heading = [
                heading,
                *re.findall(r"^#+ +(.+)$", text, re.MULTILINE),
            ][-1]
        elif code in text:
            return heading
    return ""


def slug(text: str) -> str:
    """`text` as part of an id or address: lower-case letters, digits, underscores and hyphens."""
    return (
        re.sub(r"[^\w]+", "-", unescape(text).lower()).strip("-") or "section"
    )


def _anchored(html: str) -> tuple[str, list[tuple[int, str, str]]]:
    """HTML with unique ids and links of headings (levels skip none) and figures; the headings."""
    used: set[str] = set()
    headings: list[tuple[int, str, str]] = []

    def unique(wanted: str) -> str:
        names = chain([wanted], (f"{wanted}-{k}" for k in count(2)))
        used.add(name := next(name for name in names if name not in used))
        return name

    def heading(found: re.Match[str]) -> str:
        inner = found[2].strip()
        text = " ".join(unescape(re.sub(r"<[^>]+>", "", inner)).split())
        level = (
            max(2, min(int(found[1]), headings[-1][0] + 1)) if headings else 1
        )
        name = unique(slug(text))
        headings.append((level, name, text))
        link = f'<a class="anchor" href="#{name}" aria-label="Link to {escape(text)}">#</a>'
        return f'<h{level} id="{name}">{inner}{link}</h{level}>'

    def figure(found: re.Match[str]) -> str:
        return f'<figure id="{(name := unique(found[1]))}">{found[2]}#{name}'

    regions = count(1)
    html = re.sub(r"(?s)<h([1-6])[^>]*>(.*?)</h\1>", heading, html)
    html = re.sub(r'(?s)<figure id="([^"]+)">(.*?)#self', figure, html)
    named = r'(aria-label="(?:Table|Printed text|Error|Equation))"'
    return re.sub(
        named, lambda found: f'{found[1]} {next(regions)}"', html
    ), headings


def _without_dead_ends(html: str) -> str:
    """HTML in which references to figures that are not on this page are no links."""

    def reference(found: re.Match[str]) -> str:
        return found[0] if f'id="{found[1]}"' in html else found[2]

    return re.sub(r'<a href="#(figure-\d+)">(.*?)</a>', reference, html)


def _passages(html: str, most: int = 700) -> list[tuple[str, str, str]]:
    """Id, text and the words below each heading, without repeats, code and numbers."""
    html = re.sub(
        r'(?s)<details class="code">.*?</details>|<math.*?</math>', " ", html
    )
    made = []
    for part in re.split(r"(?=<h[1-6] id=)", html):
        found = re.match(
            r'<h[1-6] id="([^"]+)">(.*?)<a class="anchor".*?</h[1-6]>',
            part,
            re.S,
        )
        if found:
            text = unescape(re.sub(r"<[^>]+>", " ", part[found.end() :]))
            words = " ".join(
                dict.fromkeys(
                    w for w in text.split() if re.search(r"[^\W\d_]", w)
                )
            )
            made.append(
                (
                    found[1],
                    unescape(re.sub(r"<[^>]+>", "", found[2])),
                    words[:most],
                )
            )
    return made


def headline(notebook: Mapping[str, Any]) -> tuple[str, str]:
    """The title and the first paragraph (the question) of a notebook, as plain text.

    A sentence that goes on in a formula below the paragraph is left out.
    """
    cells = notebook.get("cells", [])
    text = next(
        ("".join(c["source"]) for c in cells if c["cell_type"] == "markdown"),
        "",
    )
    text = re.sub(
        r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"<[^>]+>|[*`]", "", text)
    )
    title, _, rest = text.strip().partition("\n")
    question = next(
        (p for p in re.split(r"\n\s*\n", rest.strip()) if p.strip()), ""
    )
    whole = re.match(r".*[.?!]", " ".join(question.split()))
    return title.lstrip("# ").strip(), whole[0] if whole else ""


def source_headline(name: str) -> tuple[str, str]:
    """The `headline` of the notebook `name`; the name and an empty question if there is none."""
    with suppress(OSError, ValueError):
        title, question = headline(read_notebook(name))
        return title or name, question
    return name, ""


@cache
def assets() -> dict[str, str]:
    """Files that pages share: style sheet with colours for code, script, schema of a verdict."""
    from pygments.formatters import HtmlFormatter

    light, dark = (
        HtmlFormatter(style=s).get_style_defs(".highlight") for s in SHADES
    )
    names = ("site.css", "site.js", "page/verdict.schema.json")
    made = {
        Path(name).name: (HERE / name).read_text(encoding="utf-8")
        for name in names
    }
    screen = f"@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"
    plain = ".highlight, .highlight pre { background: none; }"
    return {
        **made,
        "site.css": "\n".join([made["site.css"], light, screen, plain, ""]),
    }


TAGS = {
    "a",
    "b",
    "blockquote",
    "br",
    "caption",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "em",
}
TAGS |= {
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "li",
    "ol",
    "p",
    "pre",
    "small",
    "span",
}
TAGS |= {"strong", "sub", "summary", "sup", "ul"}
TAGS |= {"table", "tbody", "td", "tfoot", "th", "thead", "tr"}
ATTRIBUTES = {
    "*": ["class", "style", "title", "lang", "scope", "colspan", "rowspan"]
}
ATTRIBUTES["a"] = ["href"]


LONGEST = 20  # rows of a table that is not folded
SENTENCE = re.compile(
    r"<td>(?=(?:(?!</td>).){70})"
)  # a cell of 70 characters or more
INERT = "|".join(sorted(TAGS - {"a"}))
PLAIN = re.compile(
    rf'(?:[^<>]|</?(?:{INERT})(?: (?:class|scope|title)="[^"<>]*")*>)*+'
)


def harmless(html: str, folds: bool = True) -> str:
    """The HTML output of a cell, with all markup that could run or load anything shown as text.

    Names and titles come from data, which a page must show and never obey. Long tables are folded,
    unless they lie in a fold already (`folds`).
    """
    safe = re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL)
    if not PLAIN.fullmatch(safe):  # most output is plain, and bleach is slow
        import bleach
        from bleach.css_sanitizer import ALLOWED_CSS_PROPERTIES, CSSSanitizer

        css = CSSSanitizer(
            [*ALLOWED_CSS_PROPERTIES, "border-bottom"]
        )  # a line between clusters
        safe = bleach.clean(
            safe, tags=TAGS, attributes=ATTRIBUTES, css_sanitizer=css
        )
    safe = safe.replace("<th></th>", "<td></td>")  # an empty heading
    region = partial(_region, folds=folds)
    return re.sub(r"<table[^>]*>.*?</table>", region, safe, flags=re.DOTALL)


def _region(table: re.Match[str], folds: bool) -> str:
    """A table in a region that scrolls; one that `folds` is folded if it is long or of settings.

    A ranking never is. Cells that hold a sentence are marked, so that they are given the width to
    read it.
    """
    whole = SENTENCE.sub('<td class="words">', table[0])
    made = f'<div class="scroll" role="region" tabindex="0" aria-label="Table">{whole}</div>'
    rows = table[0].partition("<tbody>")[2].count("<tr")
    settings = table[0].startswith('<table class="settings')
    ranking = table[0].startswith('<table class="ranking')
    if not folds or (not settings and (ranking or rows <= LONGEST)):
        return made
    what = "settings" if settings else "rows"
    return f'<details class="long"><summary>{rows} {what}</summary>{made}</details>'


MATH = {
    "math",
    "mfrac",
    "mi",
    "mn",
    "mo",
    "mover",
    "mrow",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
}
MATH |= {
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
}
MATH_ATTRIBUTES = [
    "display",
    "fence",
    "mathvariant",
    "maxsize",
    "minsize",
    "stretchy",
    "width",
]


def equations(html: str) -> str:
    """The HTML of a text cell with each formula between double dollar signs as MathML."""
    import bleach
    from latex2mathml.converter import convert

    def equation(found: re.Match[str]) -> str:
        made = convert(unescape(found[1]).strip(), display="block")
        safe = bleach.clean(made, tags=MATH, attributes=MATH_ATTRIBUTES)
        said = (
            'class="equation" role="region" tabindex="0" aria-label="Equation"'
        )
        return f"<span {said}>{safe}</span>"

    return re.sub(r"\$\$([^<$]+)\$\$", equation, html)


@cache
def _exporter() -> Any:
    from nbconvert import HTMLExporter
    from nbconvert.filters import Highlight2HTML

    exporter = HTMLExporter(
        extra_template_basedirs=[str(HERE)],
        template_name="page",
        exclude_anchor_links=True,  # `_anchored` writes them
    )
    exporter.register_filter("harmless", harmless)
    exporter.register_filter("equations", equations)
    highlighted = cache(
        Highlight2HTML(pygments_lexer="ipython3")
    )  # campaigns share their code
    exporter.register_filter("highlight_code", highlighted)
    return exporter
