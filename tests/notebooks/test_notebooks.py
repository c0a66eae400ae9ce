"""Every notebook runs as it stands, with its suggestions, and keeps the rules for notebooks."""

import ast
import re
from pathlib import Path

import nbformat
import papermill
import pytest
from nbclient import NotebookClient

import rankstability as rs

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
RUN = [path for path in NOTEBOOKS if not path.stem.split("_")[0].endswith("b")]
ALLOWED = {
    "rankstability",
    "pandas",
    "numpy",
    "matplotlib",
    "seaborn",
    "statsmodels",
    "ipywidgets",
    "IPython",
}
DRAWS = re.compile(r"plt\.subplots|rs\.plot_|sns\.\w+plot|\.plot\b|=draw\(")
CONDITIONAL = re.compile(r"^(def|if) ", re.M)  # drawn only for some data
CHOSEN = "assert pair.value and systems.options and annotators.options and result.outputs"
MAX_LINES = 20  # of a code cell
CAMPAIGN = {"06_srp": ("demo-mqm", "en-de"), "12_judge_models": ("demo-judges", None)}


def code_of(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def suggestions(notebook):
    texts = [c.source for c in notebook.cells if c.source.startswith("## Try it")]
    return [block for text in texts for block in re.findall(r"```python\n(.*?)```", text, re.S)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_only_the_library_and_the_usual_packages(path):
    for source in code_of(nbformat.read(path, as_version=4)):
        for node in ast.walk(ast.parse(source)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert {name.split(".")[0] for name in names} <= ALLOWED
        assert "sys.path" not in source
        assert len(source.splitlines()) <= MAX_LINES or path.stem.startswith("90")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_uses_only_public_names_of_the_library(path):
    notebook = nbformat.read(path, as_version=4)
    text = "\n".join([cell.source for cell in notebook.cells])
    assert set(re.findall(r"\brs\.(\w+)", text)) <= set(rs.__all__)
    for source in [*code_of(notebook), *suggestions(notebook)]:
        for node in ast.walk(ast.parse(source)):
            inner = isinstance(node, ast.Attribute) and node.attr.startswith("_")
            assert not inner


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs_and_asks_a_question(path):
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)
    assert notebook.cells[0].source.splitlines()[0].count("?") == 1
    tagged = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])]
    assert len(tagged) == (0 if path.stem.startswith("90") else 1)


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_a_notebook_runs_with_its_defaults_and_its_suggestions(path, tmp_path, monkeypatch):
    monkeypatch.delenv("RANKSTABILITY_DATA", raising=False)
    notebook = nbformat.read(path, as_version=4)
    tried = suggestions(notebook)
    assert path.stem.startswith("90") or len(tried) == 3
    for block in tried:
        assert len(block.splitlines()) <= 3
        notebook.cells.append(nbformat.v4.new_code_cell(block))
    if path.stem.startswith("90"):
        notebook.cells.append(nbformat.v4.new_code_cell(CHOSEN))
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}})
    client.execute()
    assert not list(tmp_path.iterdir())  # exploring writes nothing
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in codes)
    if not path.stem.startswith("90"):
        drawing = [c for c in codes if DRAWS.search(c.source) and not CONDITIONAL.search(c.source)]
        assert [c.source for c in drawing if not has_image(c)] == []


def has_image(cell):
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


@pytest.mark.parametrize(
    ("name", "campaign"),
    [
        ("02_outlier_removal", "demo-rr"),
        ("06_srp", "demo-srpdc"),
        ("07_relative_ranking", "demo-srpdc"),
    ],
)
def test_a_notebook_stops_at_once_where_it_does_not_apply(name, campaign, tmp_path):
    pair = {"demo-rr": "cs-en", "demo-srpdc": "de-en"}[campaign]
    with pytest.raises(papermill.PapermillExecutionError) as caught:
        papermill.execute_notebook(
            ROOT / "notebooks" / f"{name}.ipynb",
            tmp_path / "out.ipynb",
            parameters={"campaign": campaign, "pair": pair},
            progress_bar=False,
        )
    assert caught.value.ename == "DataError"
    assert caught.value.exec_count == 3  # after the defaults and the parameters that were given


@pytest.mark.parametrize("topic", ["01_replication", "05_document_difficulty"])
def test_a_notebook_on_scores_also_runs_on_mqm_without_z_scores(topic):
    path = ROOT / "notebooks" / f"{topic}.ipynb"
    parameters, *rest = code_of(nbformat.read(path, as_version=4))
    names = {}
    exec(parameters, names)
    names |= {"campaign": "demo-mqm", "pair": "en-de"}
    for source in rest:
        exec(source, names)
    assert names["judgments"].kind == "mqm"
    assert len(names["conclusions"])
