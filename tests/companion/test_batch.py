"""The batch: parameters are checked first; results are whole or not at all; the same bytes."""

import subprocess
import sys

import nbformat
import pandas as pd
import pytest
from papermill.exceptions import PapermillExecutionError

import rankstability as rs
from companion.batch import jobs, ledger, planning, run

JOB = jobs.Job("03_divisor_degradation", "demo-srpdc", "de-en")


@pytest.fixture
def figures(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "FIGURES", tmp_path / "figures")
    monkeypatch.setattr(jobs, "FAILED", tmp_path / "failed")
    return tmp_path


def test_an_unknown_parameter_is_found_before_anything_runs():
    with pytest.raises(rs.DataError) as caught:
        planning.check_parameters({"parameters": {"01_replication": {"all": {"alpa": 0.05}}}})
    assert (caught.value.code, caught.value.expected) == ("unknown_parameter", "alpha")


def test_an_unknown_notebook_is_found_before_anything_runs():
    with pytest.raises(rs.DataError) as caught:
        planning.check_parameters({"parameters": {"01_replicaton": {"all": {}}}})
    assert caught.value.code == "unknown_notebook"


def test_every_configured_topic_has_a_notebook():
    config = jobs.read_config()
    topics = {name.split("_")[0].rstrip("b") for name in jobs.notebooks()}
    assert topics == set(config["applies"])


def test_a_notebook_that_needs_documents_is_planned_for_pairs_that_name_them(monkeypatch):
    config = {**jobs.read_config(), "campaigns": ["demo-srpdc"], "notebooks": ["03", "05"]}
    planned = {(job.notebook[:3], job.pair) for job in planning.plan_jobs(config)}
    both = {("03_", "de-en"), ("03_", "en-cs"), ("03b", "all")}
    assert planned == both | {("05_", "de-en"), ("05_", "en-cs"), ("05b", "all")}
    pairs = rs.pairs("demo-srpdc").assign(documents=0)
    monkeypatch.setattr(rs, "pairs", lambda campaign: pairs)
    assert {(job.notebook[:3], job.pair) for job in planning.plan_jobs(config)} == both


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"campaigns": ["demo-srcd"]}, "unknown_campaign"),
        ({"notebooks": ["13"]}, "unknown_notebook"),
    ],
)
def test_what_is_asked_for_and_does_not_exist_is_an_error(wanted, code):
    with pytest.raises(rs.DataError) as caught:
        planning.plan_jobs({**jobs.read_config(), **wanted})
    assert caught.value.code == code


def settings(divisors):
    """Return the settings of a batch in which notebook 03 has these divisors."""
    return {"parameters": {JOB.notebook: {"all": {"divisors": divisors}}}}


def test_a_failed_run_leaves_earlier_results_as_they_were(figures):
    JOB.folder.mkdir(parents=True)
    (JOB.folder / "kept.csv").write_text("a\n1\n")
    with pytest.raises(PapermillExecutionError):
        run.run(JOB, settings([0]))
    assert [path.name for path in JOB.folder.iterdir()] == ["kept.csv"]
    assert [path.name for path in JOB.folder.parent.iterdir()] == ["de-en"]
    assert JOB.failed.is_file()


def test_the_same_job_gives_the_same_bytes_and_clears_an_earlier_failure(figures):
    JOB.failed.parent.mkdir()
    JOB.failed.touch()
    first = {p.name: p.read_bytes() for p in run.run(JOB, settings([2])).iterdir()}
    second = {p.name: p.read_bytes() for p in run.run(JOB, settings([2])).iterdir()}
    assert first == second
    assert {"changes.csv", "ranks.csv", "03_divisor_degradation.ipynb"} <= set(first)
    assert not JOB.failed.exists()
    assert [path.name for path in JOB.folder.parent.iterdir()] == ["de-en"]


@pytest.mark.parametrize("moved_away", [True, False])
def test_a_killed_run_leaves_earlier_results_as_they_were(figures, monkeypatch, moved_away):
    """It could be killed while the notebook runs, or between the two renames at its end."""
    partial = JOB.folder.parent / ".partial-de-en"
    earlier = partial / "earlier" if moved_away else JOB.folder
    earlier.mkdir(parents=True)
    (earlier / "kept.csv").write_text("a\n1\n")
    (partial / "new").mkdir(parents=True)
    (partial / "new" / "changes.csv").write_text("half of a ta")
    assert not list(JOB.folder.parent.glob("*/changes.csv"))  # what rs.collect and the report read

    def fail(*arguments, **options):
        raise RuntimeError

    monkeypatch.setattr(run.papermill, "execute_notebook", fail)
    with pytest.raises(RuntimeError):
        run.run(JOB, settings([2]))
    assert [path.name for path in JOB.folder.iterdir()] == ["kept.csv"]
    assert [path.name for path in JOB.folder.parent.iterdir()] == ["de-en"]


def test_a_run_imports_the_library_in_its_kernel_alone():
    code = "import sys, companion.batch.run; sys.exit('rankstability' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("printed", "ours", "status"),
    [
        ("0.146", "0.146231", "exact"),
        ("0.146", "0.147", "rounds"),
        ("0.146", "0.148", "differs"),
        ("1/13", "1/12", "differs"),
        ("1,050", "1050", "exact"),
        ("17.6%", "17.6", "exact"),
        ("yes", "", "no data"),
    ],
)
def test_a_number_is_compared_at_its_printed_precision(printed, ours, status):
    assert ledger.compare(printed, ours) == status


def test_every_published_number_has_one_row_of_the_ledger():
    rows = ledger.ledger()
    assert not rows.duplicated(ledger.KEY).any()
    assert len(rows) == len(ledger.published())
    assert set(rows["status"]) <= set(ledger.STATUSES)
    assert isinstance(rows, pd.DataFrame)


def test_a_kept_notebook_does_not_name_the_process_that_ran_it(tmp_path):
    warning = "/tmp/ipykernel_4711/98905637.py:4: UserWarning: two rows\n"
    output = nbformat.v4.new_output("stream", name="stderr", text=warning)
    cell = nbformat.v4.new_code_cell("1", outputs=[output])
    path = tmp_path / "run.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    run.settle(path, tmp_path)
    kept = nbformat.read(path, as_version=4).cells[0].outputs[0].text
    assert "4711" not in kept
    assert kept.endswith(":4: UserWarning: two rows\n")


def test_a_cell_of_the_report_holds_no_markup_and_nothing_invisible():
    report = pytest.importorskip("companion.batch.report")
    assert report.cell("A|b\nÄ\u202e") == r"A\|b Ä\\u202e"
