"""The verdict by its command, and by its notebook: one page, the same numbers everywhere."""

import json
import shutil

import pandas as pd

from in_process import sentences
from companion.legacy.paperkit import paths as kit
from companion.legacy.paperkit import tables
from companion.legacy.rankcompanion.running import commands, run
from companion.legacy.rankstability import paths


def test_the_command_writes_one_page_its_numbers_and_the_ranking(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(kit, "RESULTS", tmp_path / "results")
    folder = tmp_path / "mine & yours"
    shutil.copytree(paths.DEMO / "demo-rr", folder)
    (folder / "more.csv").write_text("srclang,target\nCzech,English\n")
    settings = ["pair=cs-en"]
    assert commands.main(["verdict", str(folder), *settings]) == 0
    out = tmp_path / "results" / "mine & yours" / "00_verdict" / "cs-en"
    said = json.loads((out / "verdict.json").read_text(encoding="utf-8"))
    printed, warned = capsys.readouterr()
    assert "not read: more.csv (no format of judgments that we know)" in warned
    assert [one["file"] for one in said["read"]["unread"]] == ["more.csv"]
    assert f"cs-en: {said['sentence']}" in printed and str(out / "verdict.html") in printed
    ranking = pd.read_csv(out / "ranking.csv")
    assert [row["system"] for row in said["systems"]] == ranking["system"].tolist()
    assert [row["rank_low"] for row in said["systems"]] == ranking["rank_low"].tolist()
    lines = pd.read_csv(out / "lines.csv")
    assert [row["claimed"] for row in said["lines"]] == lines["claimed"].tolist()
    page = (out / "verdict.html").read_text(encoding="utf-8")
    assert "mine &amp; yours" in page and page.count("data:image/png") == 1
    # the notebook writes the same files and shows the same statements
    given = {"campaign": str(folder), **dict(word.split("=") for word in settings)}
    again = run.execute("00_verdict", given | {"output_dir": str(tmp_path / "again")}, quiet=True)
    made = {p.name: p.read_bytes() for p in (again / "cs-en").iterdir()}
    assert made == {p.name: p.read_bytes() for p in out.iterdir()}
    assert made["verdict.pdf"][:5] == b"%PDF-" and made["verdict.png"][1:4] == b"PNG"
    shown = json.loads((again / "00_verdict__cs-en.ipynb").read_bytes())["cells"]
    texts = [o.get("data", {}) for cell in shown for o in cell.get("outputs", ())]
    assert tables.spaced(f"**cs-en**: {said['sentence']}") in [
        "".join(t.get("text/markdown", "")) for t in texts
    ]
    assert any("answer" in "".join(t.get("text/html", "")) for t in texts)
    starts = ["".join(cell["source"]).partition("\n")[0] for cell in shown]
    concluded = shown[starts.index("## What to conclude") + 1]["outputs"][0]["data"]
    assert sentences("".join(concluded["text/markdown"])) == 3


def test_a_verdict_asked_for_wrongly_is_refused_with_code_2(capsys):
    assert commands.main(["verdict", "demo-srd"]) == 2
    assert "did you mean demo-srdc?" in capsys.readouterr().err
    assert commands.main(["verdict", "demo-srdc", "recipe=wmt71"]) == 2
    assert "did you mean wmt17?" in capsys.readouterr().err
