"""Stale results are seen: a ledger, README or a CSV file that this code would not write."""

import shutil

import pandas as pd
import pytest

from conftest import needs
from companion.legacy.paperkit import claims, paths
from companion.legacy.paperkit.placing import csv_bytes
from companion.legacy.rankcompanion.report import findings, ledger
from trials import anew, stale


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with results of one real campaign, their ledger and a README; nothing is stale."""
    whole = tmp_path_factory.mktemp("made")
    figures, readme = whole / "figures", whole / "README.md"
    folder = figures / "wmt21" / "01_replication"
    (folder / "cs-en").mkdir(parents=True)
    row = dict.fromkeys(claims.COLUMNS, "x") | {"status": "exact", "paper": "knowles2021"}
    (folder / "claims.csv").write_bytes(csv_bytes(pd.DataFrame([row])[claims.COLUMNS]))
    (folder / "cs-en" / "ranking.csv").write_bytes(b"rank,system\n1,A\n")
    readme.write_text("text\n" + "\n".join((*ledger.ANSWERS, *ledger.MARKERS)) + "\n")
    assert ledger.main(figures, readme) == 0
    return whole


@pytest.fixture
def kept(made, tmp_path):
    whole = shutil.copytree(made, tmp_path / "kept")
    return whole / "figures", whole / "README.md"


def test_what_was_just_made_is_not_stale(kept):
    assert stale.check_ledger(*kept) == []


def test_an_altered_ledger_and_an_altered_total_are_seen(kept):
    figures, readme = kept
    text = readme.read_text()
    total = next(line for line in text.splitlines() if line.startswith("| **All**"))
    readme.write_text(text.replace(total, total.replace("**1**", "**2**", 1)))
    assert [w.split(":")[0].rsplit("/")[-1] for w in stale.check_ledger(*kept)] == ["README.md"]
    readme.write_text(text)
    file = figures / "claims_ledger.csv"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines[:5], lines[5].replace("no data", "exact"), *lines[6:]]))
    assert "from line 6 on" in stale.check_ledger(*kept)[0]
    file.unlink()
    seen = [w.split(":")[0].rsplit("/")[-1] for w in stale.check_ledger(*kept)]
    assert seen == ["claims_ledger.csv"]


def test_an_altered_number_of_a_finding_is_seen_in_the_readme(kept):
    figures, readme = kept
    file = figures / "wmt21" / "10_lines" / "line_counts.csv"
    file.parent.mkdir()
    rows = [(f"p{k}", "wmt17", "document", 9, 2, 1, int(k > 0)) for k in range(5)]
    columns = ["pair", "recipe", "unit", "places", "claimed", "held", "claimed_and_held"]
    pd.DataFrame(rows, columns=columns).to_csv(file, index=False)
    assert stale.check_ledger(*kept)[0].endswith("its findings are not what the results give")
    assert ledger.main(figures, readme) == 0 and stale.check_ledger(*kept) == []
    text = readme.read_text()
    assert "4 of 10 (WMT21" in text
    readme.write_text(text.replace("4 of 10 (WMT21", "5 of 10 (WMT21"))
    assert stale.check_ledger(*kept)[0].endswith("its findings are not what the results give")


@needs("wmt21")
def test_altered_cells_behind_a_finding_are_seen_although_the_readme_was_made_anew(kept):
    figures, readme = kept
    folder = figures / "wmt21" / "02_outlier_removal"
    folder.mkdir()
    file = folder / "changes.csv"
    shutil.copy(paths.FIGURES / "wmt21" / "02_outlier_removal" / "changes.csv", file)
    job = ("02_outlier_removal", "changes", "wmt21")
    assert anew.behind(figures) == [job]
    table = pd.read_csv(file, dtype=str, keep_default_na=False)
    single = table.index[~table["removed"].isin(findings.SETS)][:20]
    table.loc[single, "d_rank"] = (1 - table.loc[single, "d_rank"].astype(int)).astype(str)
    table.to_csv(file, index=False, lineterminator="\n")
    assert ledger.main(figures, readme) == 0 and stale.check_ledger(*kept) == []
    [problem] = anew.check([job], figures)
    assert "changes.csv: 20 lines are not what the data give, 20 are missing" in problem
    assert f"the first is line {single[0] + 2}" in problem
    pair = table.loc[single[0], "pair"]
    commit = next(c for c in "abcdefghijklmnopqrstuvwxyz" if anew.drawn(job, c) == [pair])
    [problem] = anew.check([job], figures, commit=commit)
    altered = (table.loc[single, "pair"] == pair).sum()
    assert problem.endswith(f": {altered} lines that the data give are missing")


def test_every_table_of_a_finding_can_be_made_anew():
    assert {name for _, name in findings.TABLES.values()} == set(anew.MADE)


def test_other_bytes_files_gone_and_files_never_kept_are_seen(kept, tmp_path, monkeypatch):
    figures, _ = kept
    new = tmp_path / "new"
    shutil.copytree(figures / "wmt21" / "01_replication", new)
    monkeypatch.setattr(stale, "rerun", lambda job, folder: shutil.copytree(new, folder))
    job = [stale.Job("01_replication", "wmt21")]
    assert stale.check_runs(job, figures) == []
    (new / "cs-en" / "ranking.csv").write_bytes(b"rank,system\n1,B\n")
    (new / "cs-en" / "built_only.csv").write_bytes(b"x\n")  # of a pair git keeps a part
    (new / "claims.csv").rename(new / "other.csv")
    found = stale.check_runs(job, figures)
    assert [line.split(": ")[1] for line in found] == [
        "not made any more",
        "not kept",
        "other bytes",
    ]
    with monkeypatch.context() as here:
        here.setattr(stale.runs, "kept", lambda file: file.name != "other.csv")
        assert "not kept" not in "".join(stale.check_runs(job, figures))
    only = [stale.Job("01_replication", "wmt21", "cs-en")]
    assert [line.split(": ")[1] for line in stale.check_runs(only, figures)] == ["other bytes"]

    def fails(job, folder):
        raise RuntimeError("01_replication wmt21: cell 3")

    monkeypatch.setattr(stale, "rerun", fails)
    assert stale.check_runs(job, figures) == ["01_replication wmt21: cell 3"]


def test_campaigns_whose_data_are_not_here_are_named_last(kept, monkeypatch, capsys):
    figures, readme = kept
    monkeypatch.setenv("RANKSTABILITY_DATA", str(figures))  # no data in it
    assert stale.main(["--figures", str(figures), "--readme", str(readme)]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("NOT compared") and "wmt21" in last and "wmt23-mqm" in last


def test_the_sample_holds_every_protocol_and_is_kept_in_the_repository():
    protocols = {stale.campaigns.catalogue()[r.split(":")[1]]["protocol"] for r in stale.SAMPLE}
    assert protocols == {"DA", "RR", "MQM"}
    for run in stale.SAMPLE:
        notebook, campaign, *_ = run.split(":")
        assert (paths.FIGURES / campaign / stale.resolve(notebook)).is_dir()
