"""The runner: results whole or not at all, failures said."""

import json
import re
import shutil

import pandas as pd
import pytest

from in_process import GOOD, without_a_kernel
from companion.legacy.rankcompanion.running import commands, run
from companion.legacy.rankstability import paths as places

WITH_A_KERNEL = run._papermill


def test_a_run_puts_its_files_in_place_and_says_so(sandbox, monkeypatch):
    folder = sandbox(GOOD)
    out = run.execute("01_probe", {"count": "5", "flag": "yes"}, quiet=True)
    assert out == folder / "figures" / "demo-srdc" / "01_probe"
    assert (out / "result.csv").read_text() == "count,flag\n5,True\n"
    status = json.loads((folder / "build/executed/demo-srdc/01_probe.status.json").read_text())
    assert (status["status"], status["campaign"], status["pair"]) == ("ok", "demo-srdc", "")
    assert set(status["files"]) == {str(out / name) for name in ("result.csv", "run.json")}
    # the notebook itself is untouched, and nothing is left of the staging folder
    assert "outputs" in (folder / "notebooks/01_probe.ipynb").read_text()
    assert not list(out.parent.glob(".partial-*"))
    # a later run that makes other files removes this notebook's earlier ones, and only those
    (out / "mine.txt").write_text("a user's own file")
    sandbox("run.out.table(pd.DataFrame({'x': [1]}), 'other')", promises=["other.csv"])
    run.execute("01_probe", {}, quiet=True)
    names = sorted(p.name for p in out.iterdir())
    assert names == ["mine.txt", "other.csv", "report.ipynb", "run.json"]
    executed = (folder / "build/executed/demo-srdc/01_probe.ipynb").read_bytes()
    # a failing run and one that breaks its promise leave these results as they are
    monkeypatch.setattr(run, "_papermill", WITH_A_KERNEL)
    two = "run.out.table(pd.DataFrame({'x': [2]}), 'other')"
    sandbox(two + "\nraise ValueError(f'half way {count}')")
    with pytest.raises(RuntimeError, match=r"failed in cell.*(\n.*)*ValueError: half way 5"):
        run.execute("01_probe", {"count": "5"}, quiet=True)
    failed = folder / "build/executed/demo-srdc/01_probe.failed.status.json"
    status = json.loads(failed.read_text())
    assert status["status"] == "failed" and status["error"] == "ValueError: half way 5"
    assert (folder / "build/executed/demo-srdc/01_probe.failed.ipynb").is_file()
    assert (folder / "build/executed/demo-srdc/01_probe.ipynb").read_bytes() == executed
    monkeypatch.setattr(run, "_papermill", without_a_kernel)
    sandbox(two, promises=["result.csv"])
    with pytest.raises(RuntimeError, match=r"without writing result\.csv"):
        run.execute("01_probe", {}, quiet=True)
    assert (out / "other.csv").read_text() == "x\n1\n"
    assert sorted(p.name for p in out.iterdir()) == names


def test_a_run_never_removes_results_of_another_campaign_below_its_folder(sandbox):
    folder = sandbox(GOOD)
    inner = run.execute("01_probe", {"output_dir": str(folder / "out" / "sub")}, quiet=True)
    given = {"campaign": "demo-srpdc", "output_dir": str(folder / "out")}
    run.execute("01_probe", given, quiet=True)
    assert (inner / "result.csv").is_file() and (folder / "out" / "result.csv").is_file()


def test_the_whole_campaign_is_made_by_the_same_notebook_from_pairs_already_run(sandbox, tmp_path):
    sandbox(
        "for p in run.pairs:\n"
        "    run.out.table(pd.DataFrame({'count': [count]}), 'part', p)\n"
        "if run.whole:\n"
        "    run.out.table(run.out.pair_tables('part'), 'result')"
    )
    final = tmp_path / "o"
    with pytest.raises(ValueError, match="this pair has not been run"):
        run.execute("01_probe", {"pair": "whole", "output_dir": str(final)}, quiet=True)
    assert not final.exists()
    for number, pair in enumerate(("de-en", "en-cs")):
        given = {"pair": pair, "count": 3 + number, "output_dir": str(final)}
        run.execute("01_probe", given, quiet=True)
    with pytest.raises(RuntimeError, match=r"en-cs was run with other settings"):
        run.execute("01_probe", {"pair": "whole", "output_dir": str(final)}, quiet=True)
    run.execute("01_probe", {"pair": "en-cs", "output_dir": str(final)}, quiet=True)
    assert not (final / "result.csv").exists()
    kept = (final / "de-en" / "part.csv").stat().st_mtime_ns
    run.execute("01_probe", {"pair": "whole", "output_dir": str(final)}, quiet=True)
    table = pd.read_csv(final / "result.csv")
    assert table.to_dict("list") == {"pair": ["de-en", "en-cs"], "count": [3, 3]}
    assert (final / "de-en" / "part.csv").stat().st_mtime_ns == kept


def _own_campaign(folder):
    """A user's own copy of a demo campaign's files, at `folder`."""
    folder.mkdir(parents=True)
    for file in (places.DEMO / "demo-srdc").glob("*.csv*"):
        shutil.copy(file, folder / file.name)
    return folder


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"test": "scipy"}, r"parameter test \(did you mean scipy<1\.7\?\); found 'scipy'"),
        ({"cout": "3"}, r"unknown parameter of 01_probe \(did you mean count\?\); found 'cout'"),
        (
            {"humans": "refA"},
            "does not take settings of a table.*found 'humans=refA'; expected `hum",
        ),
        ({"count": "1.5"}, "parameter count"),
        ({"count": "true"}, "parameter count"),
        ({"flag": "maybe"}, "parameter flag"),
        ({"values": "a,b"}, "parameter values"),
        ({"alpha": "5"}, "parameter alpha; found 5.0; expected above 0 and below 1"),
        ({"seed": "-1"}, "parameter seed; found -1; expected at least 0"),
        ({"draws": "9" * 22}, "parameter draws; found 9{22}; expected at most 1000000"),
        ({"alpha": "9" * 400}, "parameter alpha; found '9{400}'; expected float"),
        ({"alpha": "1e400"}, "parameter alpha; found '1e400'; expected float"),
        ({"alpha": "-1e-3"}, "parameter alpha; found -0.001; expected above 0"),
        ({"pair": "de-enn"}, r"no such language pair.*did you mean de-en\?"),
        ({"campaign": "demo-rr"}, "01_probe is not for RR, which demo-rr holds; expected one of"),
        ({"campaign": "demo-srd"}, r"unknown campaign \(did you mean demo-srdc\?\)"),
    ],
)
def test_values_campaign_and_pair_are_checked_without_a_kernel(
    sandbox, monkeypatch, given, message
):
    folder = sandbox(GOOD)
    monkeypatch.setattr(run, "_papermill", lambda *_: pytest.fail("a kernel was started"))
    before = sorted(folder.rglob("*"))
    with pytest.raises(ValueError, match=message):
        run.execute("01_probe", given, quiet=True)
    assert sorted(folder.rglob("*")) == before


def test_a_setting_that_is_a_parameter_of_the_notebook_is_taken():
    values = run.plan("06_srp", {"campaign": "demo-mqm", "weights": "critical25"}).values
    assert values["weights"] == "critical25"


def test_an_output_folder_that_cannot_be_is_refused_at_once(sandbox, tmp_path, monkeypatch):
    sandbox(GOOD)
    monkeypatch.setattr(run, "_papermill", lambda *_: pytest.fail("a kernel was started"))
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="this is a file"):
        run.execute("01_probe", {"output_dir": str(tmp_path / "file" / "below")}, quiet=True)
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(ValueError, match="cannot be written to"):
        run.execute("01_probe", {"output_dir": str(tmp_path / "new" / "below")}, quiet=True)
    assert not (tmp_path / "new").exists()


def test_a_fault_in_own_scores_is_found_without_a_kernel(sandbox, tmp_path, monkeypatch, capsys):
    folder = sandbox(GOOD)
    monkeypatch.setattr(run, "_papermill", lambda *_: pytest.fail("a kernel was started"))
    rows = [f"{s},{k},{w},50" for k in range(3) for s in "ab" for w in "xy"]
    text = "\n".join(["system,segment,annotator,score", *rows, "a,3,x,fifty"])
    (tmp_path / "own.csv").write_text(text + "\n")
    before = sorted(folder.rglob("*"))
    assert commands.main(["run", "01", f"campaign={tmp_path / 'own.csv'}"]) == 2
    assert "own.csv, line 14, column 'score'" in capsys.readouterr().err
    assert sorted(folder.rglob("*")) == before


def test_own_campaigns_keep_to_themselves(sandbox, tmp_path):
    folder = sandbox(GOOD)
    first = _own_campaign(tmp_path / "a" / "mine")
    out = run.execute("01_probe", {"campaign": str(first)}, quiet=True)
    assert out == folder / "results" / "mine" / "01_probe"
    assert (out / "result.csv").is_file() and (out / "01_probe.ipynb").is_file()
    assert not (folder / "build").exists() and not (folder / "figures").exists()
    # another campaign of that name goes beside it, the same one again to its own place
    second = _own_campaign(tmp_path / "b" / "mine")
    other = run.execute("01_probe", {"campaign": str(second)}, quiet=True)
    assert re.fullmatch(r"mine-[0-9a-f]{6}", other.parent.name)
    assert other.parent.parent == folder / "results"
    assert run.plan("01_probe", {"campaign": str(first)}).final == out
    assert run.plan("01_probe", {"campaign": str(second)}).final == other
    # a run that fails leaves the results, and no trace where the report looks
    before = (out / "result.csv").read_bytes()
    sandbox("raise ValueError('half way')")
    with pytest.raises(RuntimeError):
        run.execute("01_probe", {"campaign": str(first)}, quiet=True)
    assert (out / "result.csv").read_bytes() == before
    assert not (folder / "build").exists() and not (folder / "figures").exists()
