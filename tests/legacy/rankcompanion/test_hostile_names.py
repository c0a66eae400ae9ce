"""Names that are markup, in every field of a campaign: no page made of a notebook obeys them."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from nbconvert.filters.markdown import markdown2html
from PIL import Image

from companion.legacy.paperkit import parameters, tables
from companion.legacy.rankcompanion.running import run

IN_PROCESS = True
SCRIPT = "<script>document.title='x'</script>"
IMAGE = "<img src=x onerror=\"document.title='x'\">"
LINK = "[a](javascript:document.title='x')"
LOADED = "![a](http://127.0.0.1:9/x.png)"
FORMULA = r"$\href{javascript:document.title='x'}{a}$ \(a\)"
SYSTEMS = [SCRIPT, IMAGE, f"</table>{LINK}", LOADED, FORMULA, "`a`*b*_c_|~~d~~&lt;"]
FOLDER = "<img src=x onerror=document.title='x'>"
SHOWN = {  # notebooks whose pages name systems, documents, annotators, domains; with few draws
    "00_verdict": ("scores", {}),
    "01_replication": ("scores", {}),
    "02_outlier_removal": ("scores", {}),
    "03_divisor_degradation": ("scores", {"divisors": [2.0], "inflate": [2.0]}),
    "04_cooccurrence": ("scores", {}),
    "05_document_difficulty": ("scores", {}),
    "06_srp": ("scores", {"splits": 4}),
    "07_relative_ranking": ("battles", {"resamples": 20, "agreement_resamples": 20}),
    "08_tournament": ("battles", {}),
    "09_simulation": ("battles", {"shares": [0.5], "advice_systems": [6], "jobs": 1}),
    "10_lines": ("scores", {"draws": 3}),
    "11_protocols_and_test_sets": ("scores", {"resamples": 30}),
    "12_judges": ("judged", {}),
}
OURS = {"table", "thead", "tbody", "tr", "th", "td", "p", "small", "span"}  # elements of our tables
HARMLESS = {"class", "style", "scope", "title"}


@pytest.fixture(scope="module", autouse=True)
def blank_pictures():
    """Figures are drawn and described, but no pixel of them is looked at here."""

    def blank(fig, target, **_):
        Image.new("RGB", (1, 1)).save(target, format="png")

    with mock.patch("matplotlib.figure.Figure.savefig", blank):
        yield


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The folder of results of a notebook, executed on a campaign of such names."""
    root, done = tmp_path_factory.mktemp("hostile"), {}
    every = {"scores": single_scores(), "battles": battles(), "judged": single_scores()}
    for kind, table in every.items():
        folder = root / kind / FOLDER
        folder.mkdir(parents=True)
        table.to_csv(folder / "ratings.csv", index=False)
        title = json.dumps(SCRIPT + LOADED)
        judged = "judges: ['*8']\n" if kind == "judged" else ""
        (folder / "campaign.yaml").write_text(f"title: {title}\npair: cs-en\n{judged}")

    def once(name: str) -> Path:
        if name not in done:
            kind, few = SHOWN[name]
            given = {"campaign": str(root / kind / FOLDER), "output_dir": str(root / "out" / name)}
            done[name] = run.execute(name, given | few, quiet=True)
        return done[name]

    return once


def single_scores() -> pd.DataFrame:
    rng, rows = np.random.default_rng(1), []
    for worker in range(9):
        for document in range(6):
            for place in range(2):
                for k, system in enumerate(SYSTEMS):
                    rows.append({
                        "system": system, "segment": f"{SCRIPT}{document}.{place}",
                        "document": f"{IMAGE}{document}", "annotator": f"{SCRIPT}{LOADED}{worker}",
                        "hit": f"{IMAGE}{worker}", "domain": SCRIPT if document % 2 else LINK,
                        "score": round(float(np.clip(rng.normal(50 + 6 * k, 15), 1, 99)), 1),
                    })  # fmt: skip
    return pd.DataFrame(rows)


def battles() -> pd.DataFrame:
    rng, rows = np.random.default_rng(2), []
    for number in range(200):
        one, two = rng.choice(len(SYSTEMS), 2, replace=False)
        rows.append({
            "question_id": f"{SCRIPT}{number % 20}", "model_a": SYSTEMS[one],
            "model_b": SYSTEMS[two], "judge": f"{IMAGE}{number % 9}",
            "winner": rng.choice(["model_a", "model_b", "tie"]),
        })  # fmt: skip
    return pd.DataFrame(rows)


class Elements(HTMLParser):
    """The elements of HTML, and the names of their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements, self.attributes = set(), set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}


def outputs(notebook: Path, kind: str) -> list[str]:
    cells = json.loads(notebook.read_bytes())["cells"]
    shown = [o.get("data", {}) for cell in cells for o in cell.get("outputs", [])]
    return ["".join(data[kind]) for data in shown if kind in data]


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_notebook_shows_holds_no_markup_from_names(executed, name):
    notebook = executed(name) / f"{name}.ipynb"
    html = Elements("".join(outputs(notebook, "text/html")))
    assert html.elements <= OURS and html.attributes <= HARMLESS
    said = outputs(notebook, "text/markdown")
    assert re.search("script|onerror", "".join(said))  # the title or the folder, at least
    for text in said:
        shown = Elements(markdown2html(text))
        assert shown.elements <= {"p", "strong", "h3", "span", "a"}, text
        assert not re.search(r"\]\(|[`$\\]|</?(?!span>)", text), text


@pytest.mark.parametrize(
    "text", [*SYSTEMS, "a_b_c", "a*b*c", "~~a~~", "&amp;", "<http://a.b>", r"\*a\*", "|a|b|"]
)
def test_a_name_is_shown_as_it_is_written(text):
    html = markdown2html(tables.words(f"**The first**: {text}, and no other."))
    shown = unescape(re.sub(r"<[^>]+>", "", html))
    assert shown.strip() == f"The first: {text}, and no other."


def test_every_notebook_begins_with_what_makes_names_text():
    """`start` sees to it: nothing is shown before."""
    for name in parameters.notebooks():
        cells = [c for c in parameters.read_notebook(name)["cells"] if c["cell_type"] == "code"]
        code = "\n".join(line for c in cells for line in "".join(c["source"]).split("\n")
                         if "import" not in line)  # fmt: skip
        called = re.findall(r"\b(start|Markdown|display|show)\(", code)
        assert called[:1] in ([], ["start"]), name


@pytest.mark.browser
@pytest.mark.parametrize("name", ["00_verdict", "01_replication", "07_relative_ranking"])
def test_no_name_runs_or_loads_anything_in_a_page(browser, executed, name):
    from nbconvert import HTMLExporter

    folder = executed(name)
    for notebook in (folder / f"{name}.ipynb", folder / "report.ipynb"):
        page, _ = HTMLExporter().from_filename(str(notebook))
        notebook.with_suffix(".html").write_text(page, encoding="utf-8")
    context = browser.new_context(offline=True)
    for file in sorted(folder.rglob("*.html")):
        asked, page = [], context.new_page()
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(file.as_uri())
        page.wait_for_timeout(200)
        assert page.title() != "x", file.name
        assert page.locator("main img[src=x], main script, a[href^=javascript]").count() == 0
        assert not [url for url in asked if "127.0.0.1" in url or url.endswith("/x")]
        page.close()
    context.close()
