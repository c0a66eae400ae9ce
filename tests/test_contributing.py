"""The worked examples of CONTRIBUTING.md run, and stay short."""

import json
import re

import nbformat.v4 as v4
import pandas as pd
import pytest

from conftest import needs
from companion.legacy.paperkit import parameters, paths
from companion.legacy.rankcompanion.running import run
from companion.legacy.rankstability import (
    CLUSTER_RULES,
    RECIPES,
    DataError,
    find,
    load,
    rank_systems,
    segment_scores,
)
from companion.legacy.rankstability.rank.recipes import recipe_of_year

IN_PROCESS = True
TEXT = (paths.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = {
    block.partition("\n")[0].removeprefix("# "): block.partition("\n")[2]
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
}


def test_there_is_one_example_for_each_kind_of_addition():
    assert list(EXAMPLES) == ["format", "score", "ranking", "recipe", "notebook", "paper"]
    assert all(len(code.splitlines()) <= 20 for code in EXAMPLES.values())


def test_the_format(tmp_path):
    names: dict = {}
    exec(EXAMPLES["format"], names)
    file = tmp_path / "mine.csv"
    rows = [(s, k, f"w{k % 3}", 50 + 10 * (s == "A") + k) for s in "AB" for k in range(30)]
    pd.DataFrame(rows, columns=["system", "segment", "worker", "score"]).to_csv(file, index=False)
    ranking = rank_systems(segment_scores(names["read_plain"](file, "cs-en")))
    assert ranking.systems == ("A", "B")
    file.write_text(file.read_text().replace("A,3,w0,63", "A,3,w0,163"))
    with pytest.raises(DataError, match=r"mine\.csv, line 5, column 'score'.*163.*0 to 100"):
        names["read_plain"](file, "cs-en")


def test_the_score(capsys):
    exec(EXAMPLES["score"], {})
    order = [line.split()[1] for line in capsys.readouterr().out.splitlines() if "." in line]
    usual = rank_systems(segment_scores(load("demo-srdc", "de-en"))).systems
    assert order[0] == usual[0] and set(order) == set(usual)


def test_the_ranking_method(capsys):
    try:
        exec(EXAMPLES["ranking"], {})
        lines = eval(capsys.readouterr().out)
        knowles = rank_systems(segment_scores(load("demo-srdc", "de-en"))).lines
        assert set(knowles) <= set(lines)  # it asks for less
    finally:
        CLUSTER_RULES.pop("next two", None)


def test_the_recipe(capsys):
    try:
        exec(EXAMPLES["recipe"], {})
        lines = eval(capsys.readouterr().out)
        judgments = load("demo-srdc", "de-en")
        assert lines == rank_systems(judgments, recipe="mine").lines != ()
        assert parameters.check("01_replication", {"recipe": "mine"}) == {"recipe": "mine"}
        assert recipe_of_year(2031, "esa") == "mine" != recipe_of_year(2029, "esa")
    finally:
        RECIPES.pop("mine", None)


@pytest.mark.slow
def test_the_notebook(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    first, *rest = EXAMPLES["notebook"].split("# %%\n")
    cells = [v4.new_markdown_cell("# Sizes"), v4.new_code_cell(first)]
    cells[1].metadata["tags"] = ["parameters"]
    notebook = v4.new_notebook(cells=[*cells, *map(v4.new_code_cell, rest)])
    about = {"protocols": ["DA"], "split": True, "promises": ["sizes.csv"], "pair_promises": []}
    notebook.metadata.update(
        kernelspec={"name": "python3", "display_name": "Python 3", "language": "python"},
        language_info={"name": "python"},
        rankstability=about,
    )
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "99_sizes.ipynb").write_text(json.dumps(notebook))
    folder = run.execute("99_sizes", {"output_dir": str(tmp_path / "out")}, quiet=True)
    sizes = pd.read_csv(folder / "sizes.csv")
    assert set(sizes["pair"]) == set(find("demo-srdc").pairs)
    expected = segment_scores(load("demo-srdc", "de-en")).system_means().set_index("system")
    own = sizes[sizes["pair"] == "de-en"].set_index("system")["judgments"]
    assert own.to_dict() == expected["judgments"].to_dict()


def test_the_paper():
    names: dict = {}
    exec(EXAMPLES["paper"], names)
    assert names["rows"]["status"].tolist() == ["exact", "no data"]


@needs("wmt21")
def test_the_example_of_the_readme_prints_what_the_readme_shows(capsys):
    readme = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    door = readme.split("<!-- door -->")[1].split("<!-- /door -->")[0]
    code, shown = re.findall(r"```(?:python)?\n(.*?)```", door, re.DOTALL)
    assert len([line for line in code.splitlines() if line]) == 9  # the import, and eight lines
    exec(code, {})
    assert capsys.readouterr().out.split() == shown.split()
