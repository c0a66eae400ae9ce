"""What the repository says about itself: README's numbers and commands, and what it may not name."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import rankstability as rs
from real import real_data

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CAMPAIGNS = {"WMT18": "wmt18", "WMT20": "wmt20", "WMT21": "wmt21"}


def rows():
    found = re.findall(r"\| (WMT\d\d), (\d+) language pairs[^|]* \| (\d+) \| (\d+) \|", README)
    return {name: tuple(map(int, numbers)) for name, *numbers in found}


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_the_boundaries_of_the_readme_come_out(name):
    folders = {"WMT18": "newstest2018-humaneval", "WMT20": "newstest2020-segment-scores"}
    real_data(folders.get(name, "newstest2021-toen"))
    campaign = CAMPAIGNS[name]
    pairs = [pair for pair in rs.pairs(campaign)["pair"] if (campaign, pair) != ("wmt18", "de-en")]
    if campaign == "wmt20":  # the pairs whose release names documents
        pairs = [pair for pair in pairs if pair.startswith("en-")]
    drawn = supported = 0
    for pair in pairs:
        judgments = rs.load(campaign, pair)
        boundaries = rs.rank_systems(judgments).boundaries
        drawn += int(boundaries["drawn"].sum())
        supported += int((boundaries["drawn"] & boundaries["supported"]).sum())
    assert rows()[name] == (len(pairs), drawn, supported)


def test_one_judgment_annotator_or_document_decides_wmt21_german_english():
    real_data("newstest2021-toen")
    table = rs.fewest_removals(rs.load("wmt21", "de-en")).query("what == 'first'").set_index("unit")
    assert table["fewest"].to_dict() == {"judgment": 1, "annotator": 1, "document": 1}
    for number in table["of"]:
        assert f"{int(number):,}" in README


def test_judge_models_of_the_readme_are_those_of_the_kept_tables():
    folder = ROOT / "figures" / "wmt23-protocols.ESA-1" / "12b_campaign" / "all"
    saved = pd.read_csv(folder / "saved.csv").set_index("judge_model")["judgments_saved"]
    order = pd.read_csv(folder / "order.csv").set_index("judge_model")
    rows = re.findall(r"^\| (.+?) \| (\d+) \| (\d+) % \|", README, re.M)
    names = {"GPT-4 (GEMBA-MQM)": "GEMBA-MQM-src", "a second human study": "wmt23-protocols.ESA-2"}
    assert len(rows) == len(names)
    for label, alike, percent in rows:
        name = names[label]
        assert order.loc[name, "alike"] == int(alike)
        assert order.loc[name, "pairs"] == int(re.search(r"order, of (\d+)", README)[1])
        assert round(100 * saved[name]) == int(percent)


def test_commands_of_the_readme_run(tmp_path):
    lines = re.findall(r"^(?:.*`)?\.venv/bin/((?:rankstability|papermill) [^`\n]*)", README, re.M)
    assert len(lines) == 2
    folder = Path(sys.executable).parent
    for line in lines:
        command, *words = line.split()
        words = [str(ROOT / word) if (ROOT / word).exists() else word for word in words]
        subprocess.run([folder / command, *words], cwd=tmp_path, check=True, capture_output=True)
    assert len(list(tmp_path.rglob("verdict.html"))) == 1
    assert (tmp_path / "out.ipynb").is_file()


def test_readme_python_runs(tmp_path, monkeypatch):
    code = re.search(r"```python\n(.*?)```", README, re.S)[1]
    monkeypatch.chdir(tmp_path)
    code = code.replace(
        '"data/demo/ratings.csv"', repr(str(ROOT / "data" / "demo" / "ratings.csv"))
    )
    exec(code, {})
    assert (tmp_path / "my-verdict" / "verdict.html").is_file()


def test_readme_is_short():
    assert len(README.splitlines()) <= 120
    assert len(README.split()) <= 910


def test_every_notebook_of_the_readme_exists():
    numbers = re.findall(r"^\| (\d\d) \|", README, re.M)
    names = sorted(path.stem.split("_")[0] for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert numbers == [name for name in names if not name.endswith("b")]


def test_nothing_in_the_repository_names_a_place_of_one_machine():
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in files.stdout.splitlines():
        path = ROOT / name
        if (
            path.suffix in (".py", ".md", ".ipynb", ".toml", ".yaml", ".yml", ".j2", "")
            and path.is_file()
        ):
            text = path.read_text(encoding="utf-8", errors="replace")
            assert "/work" + "/" not in text, name


def test_versions_agree():
    project = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    citation = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)[1]
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())["version"]
    changelog = re.search(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)[1]
    assert project == citation == zenodo == changelog == rs.__version__


def test_the_citation_names_six_papers_with_addresses():
    text = (ROOT / "CITATION.cff").read_text()
    assert text.count("type: conference-paper") == text.count("    url:") == 6
    assert len(json.loads((ROOT / ".zenodo.json").read_text())["related_identifiers"]) == 6


def test_the_trust_page_gives_the_measured_errors():
    table = pd.read_csv(ROOT / "benchmarks" / "results" / "statements.csv")
    measured = table[table["kind"] == "exception"].set_index("promise")["largest_error"]
    text = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    printed = dict(re.findall(r"^\| (.+?) \| (\d+) % \|$", text, re.M))
    assert {name: int(share) for name, share in printed.items()} == {
        name: round(100 * error) for name, error in measured.items()
    }


def test_every_promise_was_measured_and_kept():
    table = pd.read_csv(ROOT / "benchmarks" / "results" / "statements.csv")
    promises = table[table["kind"] == "promise"]
    assert (promises["mean_error"] <= promises["nominal"].astype(float) + 0.005).all()
    assert (promises["above_limit"] <= 0.05 * promises["designs"]).all()
    for name in set(table["measured_in"]):
        assert (ROOT / "benchmarks" / "results" / name).is_file()
