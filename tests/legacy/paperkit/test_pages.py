"""An executed notebook as a page: formulas, captions, folded code, and markup shown as text."""

import json
from html.parser import HTMLParser

import nbformat
import pytest

from companion.legacy.paperkit import pages, paths


def test_formulas_are_mathml_and_what_they_quote_stays_text(tmp_path):
    from nbformat import v4

    formula = "$$\nz = \\frac{x_1 - \\mu}{\\sigma} < \\text{<b>a</b>}\n$$"
    text = f"# T\n\nBoth $$ and\n\n{formula}\n\nan *end* of 5 $$."
    hidden = v4.new_markdown_cell("## Two\n\n$$\n\\href{javascript:alert(1)}{x}\n$$")
    saved = tmp_path / "01_tiny.ipynb"
    saved.write_text(json.dumps(v4.new_notebook(cells=[v4.new_markdown_cell(text), hidden])))
    body = pages.body(saved, {}, tmp_path)
    assert body.html.count("<math ") == 2 and "<mfrac>" in body.html
    assert "<b>" not in body.html and "javascript" not in body.html and "\\frac" not in body.html
    assert "Both $$ and" in body.html and "<em>end</em> of 5 $$." in body.html
    assert 'aria-label="Equation 1"' in body.html and 'aria-label="Equation 2"' in body.html
    assert body.words[0][2].split()[:2] == ["Both", "and"]  # a formula is nothing to search for


ROW = "<tr><td>inside</td></tr>"


def test_a_part_that_is_shown_folded_is_its_title_until_it_is_opened(tmp_path):
    """As `session.show(..., folded=True)` marks its label and its table."""
    from nbformat import v4

    label, table = (
        v4.new_output("display_data", {kind: text}, metadata={"rankstability": {"folded": folded}})
        for kind, text, folded in (
            ("text/markdown", "**Pair by pair**", "title"),
            ("text/html", f"<table><tbody>{ROW * 30}</tbody></table>", "Pair by pair"),
        )
    )
    saved = tmp_path / "01_tiny.ipynb"
    cell = v4.new_code_cell("show(parts, folded=True)", outputs=[label, table])
    saved.write_text(json.dumps(v4.new_notebook(cells=[v4.new_markdown_cell("# T"), cell])))
    html = pages.body(saved, {}, tmp_path).html
    before, _, inside = html.partition("<details><summary>Pair by pair</summary>")
    assert "inside" in inside.partition("</details>")[0] and "inside" not in before
    assert html.count("Pair by pair") == 1 and "30 rows" not in html  # folded once


def test_captions_are_taken_from_the_text_above_and_numbered_by_pair():
    captions = pages.Captions()
    text = "## A\n\n**Figure 1** (`bump`). Look *here*: 7% of\nit.\n\nText.\n"
    text += "\n**Figure 2** (`by_*`). There.\n\n**Figure 3** (`bump` of all pairs). All."
    assert captions.taken(text).split() == ["##", "A", "Text."]
    assert captions.of("cs-en/bump.png") == "**Figure 1, cs-en.** Look *here*: 7\xa0% of it."
    assert captions.of("de-en/bump.png") == "**Figure 1, de-en.** "
    assert captions.of("bump.png") == "**Figure 3.** All."
    assert captions.of("by_<i>.png") == "**Figure 2, by &#60;i&#62;.** There."
    assert captions.of("other.png") == ""


class Running(HTMLParser):
    """Collects what a browser would run: scripts and event handlers, and links that are code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag in ("script", "iframe", "img", "svg", "object", "embed"):
            self.seen.append(tag)
        for name, value in attributes:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.seen.append(f"{tag} {name}")


HOSTILE = (
    "<script>alert(1)</script>",
    "HUMAN<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "[x](javascript:alert(1))",
    "<a href='javascript:alert(1)'>x</a>",
    "<table onclick=alert(1)><tr><td>x",
)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["text/markdown", "text/html"])
def test_markup_in_a_name_is_shown_and_not_run(tmp_path, name, kind):
    from nbformat import v4

    cell = v4.new_code_cell("1", outputs=[v4.new_output("display_data", {kind: f"**{name}**, x"})])
    saved = tmp_path / "01_tiny.ipynb"
    saved.write_text(json.dumps(v4.new_notebook(cells=[cell])))
    page = pages.body(saved, {}, tmp_path).html
    shown = page[page.index('<div class="outputs">') :]
    assert Running(shown).seen == []
    assert "x" in shown


def test_code_that_puts_nothing_out_is_folded_with_the_next_and_blank_labels_go(tmp_path):
    from nbformat import v4

    said = [v4.new_output("display_data", {"text/markdown": t}) for t in ("**two**", "****")]
    cells = [v4.new_markdown_cell("## Here"), v4.new_code_cell("first = 1")]
    cells.append(v4.new_code_cell("second = 2; run.out.claims(x)", outputs=said))
    cells.append(v4.new_code_cell("silent = 3"))
    saved = tmp_path / "01_tiny.ipynb"
    saved.write_text(json.dumps(v4.new_notebook(cells=cells)))
    page = pages.body(saved, {}, tmp_path).html
    assert page.count('<details class="code">') == 1
    assert ">first<" in page and ">second<" in page and page.index("first") < page.index("second")
    assert "<strong>two</strong>" in page and "****" not in page
    assert pages.heading_of(saved, ".claims(") == "Here" and not pages.heading_of(saved, "third")


def test_the_question_of_a_notebook_ends_with_a_sentence():
    """What goes on in a formula is left out, for the list of notebooks has no formulas."""
    text = "# T\n\nWhat is *violated*? A weighs\n\n$$\nw\n$$\n\nMore."
    cells = [{"cell_type": "markdown", "source": text}]
    assert pages.headline({"cells": cells}) == ("T", "What is violated?")


@pytest.mark.parametrize("notebook", sorted(file.stem for file in paths.NOTEBOOKS.glob("*.ipynb")))
def test_the_question_of_each_notebook_is_whole(notebook):
    title, question = pages.source_headline(notebook)
    assert title and question.endswith((".", "?")) and question.count("(") == question.count(")")


def test_captions_say_what_is_seen_and_text_leads_to_figures(tmp_path):
    """Marks of names are text; a figure that is not on the page is no link."""
    from nbformat import v4

    text = (
        "# T\n\n**Figure 2** (`bump`). Look.\n\nSee [Figure 2](#figure-2), [Figure 3](#figure-3)."
    )
    shown = {"picture": "bump.png", "seen": "Here sys_a_b leads with 5 %."}
    drawn = v4.new_output("display_data", {"image/png": ""}, metadata={"rankstability": shown})
    cell = v4.new_code_cell("draw()", outputs=[drawn])
    made = v4.new_notebook(cells=[v4.new_markdown_cell(text), cell])
    nbformat.write(made, tmp_path / "report.ipynb")
    (tmp_path / "bump.png").write_bytes(b"")
    html = pages.body(tmp_path / "report.ipynb", {"bump.png": "bump.png"}, tmp_path).html
    assert "Look. Here sys_a_b leads with 5\u00a0%." in html
    assert '<a href="#figure-2">Figure 2</a>' in html and 'id="figure-2"' in html
    assert "Figure 3" in html and 'href="#figure-3"' not in html
