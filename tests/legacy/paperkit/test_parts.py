"""Which parts of an executed notebook are of one language pair, and the pages made of them."""

import base64
import json
import shutil
from pathlib import Path

from companion.legacy.paperkit import paths, runs
from companion.legacy.rankcompanion.report import front


def two_pairs(folder: Path) -> Path:
    """An executed notebook over two pairs, and their results in `folder`."""
    about = {"notebook": "01_x", "campaign": "wmt21", "files": {"scores.png": "figure"}}
    for pair in ("cs-en", "de-en"):
        (folder / pair).mkdir(parents=True)
        (folder / pair / "scores.png").write_bytes(f"drawn for {pair}".encode())
        (folder / pair / "run.json").write_text(json.dumps(about))
    (folder / "run.json").write_text(json.dumps(about))

    def text(said):
        return {"output_type": "display_data", "data": {"text/markdown": said}, "metadata": {}}

    def table(*cells):
        html = "".join(f"<td>{cell}</td>" for cell in cells)
        return {"output_type": "display_data", "data": {"text/html": html}, "metadata": {}}

    def figure(pair):
        png = base64.b64encode(f"drawn for {pair}".encode()).decode()
        about = {"image/png": {"name": f"{pair}/scores.png", "alt": "A figure"}}
        return {"output_type": "display_data", "data": {"image/png": png}, "metadata": about}

    outputs = [text("of all"), text("**cs-en: first**"), table("one of cs"), figure("cs-en")]
    outputs += [
        text("**after its figure**"),
        text("**de-en**"),
        table("one of de"),
        figure("de-en"),
    ]
    outputs += [table("cs-en", "de-en"), text("after the table of all")]
    cell = {"cell_type": "code", "source": "work()", "metadata": {}, "outputs": outputs}
    saved = folder / "executed.ipynb"
    cells = [{**cell, "execution_count": 1, "id": "a"}]
    saved.write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    return saved


def test_a_report_shows_the_campaign_and_the_one_pair_whose_figures_git_keeps(tmp_path):
    saved, final = two_pairs(tmp_path), paths.FIGURES / "wmt21" / "01_replication"
    made = json.loads(runs.slim(saved, tmp_path, final))
    shown = [next(iter(o["data"].values())) for o in made["cells"][0]["outputs"]]
    assert shown == [
        "of all", "**de-en**", "<td>one of de</td>", "![de-en/scores.png](de-en/scores.png)",
        "<td>cs-en</td><td>de-en</td>", "after the table of all",
    ]  # fmt: skip
    assert made["metadata"]["rankstability"] == {"pairs": ["cs-en", "de-en"], "shown": "de-en"}
    assert "not kept" not in json.dumps(made)


def test_each_other_pair_of_a_whole_run_has_a_page(tmp_path):
    two_pairs(tmp_path / "figures" / "wmt21" / "01_x")
    executed = tmp_path / "executed" / "wmt21"
    executed.mkdir(parents=True)
    shutil.move(tmp_path / "figures" / "wmt21" / "01_x" / "executed.ipynb", executed / "01_x.ipynb")
    state = {"status": "ok", "output_dir": str(tmp_path / "figures" / "wmt21" / "01_x")}
    (executed / "01_x.status.json").write_text(json.dumps(state))
    assert (
        front.build(tmp_path / "executed", tmp_path / "figures", tmp_path / "site")["problems"]
        == {}
    )
    pages = {file.name: file.read_text() for file in (tmp_path / "site" / "wmt21").glob("*.html")}
    assert set(pages) == {"01_x.html", "01_x__de-en.html"}  # the first pair is on the main page
    first, other = pages["01_x.html"], pages["01_x__de-en.html"]
    assert "one of cs" in first and "one of de" not in first and "of all" in first
    assert "one of de" in other and "one of cs" not in other
    assert 'href="../wmt21/01_x__de-en.html"' in first
    assert 'src="01_x/de-en/scores.png"' in other
