"""What reruns when: dependencies of jobs on library modules, data and parameters."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from rankstability.read import campaigns
from rankstability.report import run, workflow
from rankstability.report.outputs import checksum
from rankstability.report.workflow import Job


def names(job):
    return {path.rsplit("/", 1)[-1] for path in workflow.inputs(job)}


def test_a_notebook_depends_on_what_it_imports_directly_or_not_and_on_nothing_else():
    modules = {p.stem for p in workflow.modules("01_replication", "DA")}
    assert {"replication", "significance", "ranking", "da"} <= modules
    assert not modules & {"mqm", "srp", "simulate", "tournament"}


def test_inputs_hold_the_notebook_the_data_and_the_printed_numbers():
    found = names(Job("01_replication", "demo-srdc"))
    assert {"01_replication.ipynb", "catalogue.yaml", "knowles2021.csv"} <= found
    assert {f.name for f in campaigns.find("demo-srdc").files()} <= found
    assert "koehn2012.csv" not in found


def test_small_campaigns_run_whole_and_large_ones_pair_by_pair_with_a_gather_job():
    config = {"campaigns": ["demo-srdc"], "notebooks": ["01"]}
    assert workflow.jobs({**config, "split_above": 3}) == [Job("01_replication", "demo-srdc")]
    split = workflow.jobs({**config, "split_above": 1})
    assert [(j.pair, j.gathers) for j in split] == [
        ("de-en", False), ("en-cs", False), ("", True)
    ]  # fmt: skip
    assert len({j.stamp for j in split}) == 3


def test_demo_campaigns_get_every_notebook_of_their_protocol():
    jobs = {(j.campaign, j.notebook) for j in workflow.jobs({})}
    for campaign in (c for c in campaigns.present() if c.demo):
        for notebook in run.notebooks():
            wanted = workflow.takes(run.metadata(notebook), campaign)
            assert ((campaign.name, notebook) in jobs) == wanted


def test_parameters_come_from_the_configuration_for_all_or_for_one_campaign():
    config = {"parameters": {"09_simulation": {"all": {"jobs": 2}, "wmt12": {"full": True}}}}
    assert workflow.settings(Job("09_simulation", "wmt12"), config) == {"jobs": 2, "full": True}
    assert workflow.settings(Job("09_simulation", "wmt11"), config) == {"jobs": 2}


@pytest.mark.parametrize("harm", ["remove", "change"])
def test_a_job_whose_results_are_gone_or_altered_is_forgotten(tmp_path, harm):
    result = tmp_path / "figures" / "a.csv"
    result.parent.mkdir()
    result.write_text("x\n1\n")
    stamp = tmp_path / "build" / "stamps" / "wmt18" / "01" / "all.json"
    stamp.parent.mkdir(parents=True)
    stamp.write_text(json.dumps({"files": {"figures/a.csv": checksum(result)}}))
    assert workflow.forget_lost(tmp_path) == []
    result.unlink() if harm == "remove" else result.write_text("x\n2\n")
    assert workflow.forget_lost(tmp_path) == ["build/stamps/wmt18/01/all.json"]
    assert not stamp.exists()


def test_runs_that_read_other_campaigns_depend_on_their_data():
    config = {"also_reads": {"06_srp": {"demo-mqm": ["demo-rr", "wmt99"]}}}
    job = Job("06_srp", "demo-mqm")
    more = set(workflow.inputs(job, config)) - set(workflow.inputs(job))
    assert more == {"data/demo/demo-rr/demo.RNK_results.csv"}


def test_the_names_in_the_configuration_exist():
    import yaml

    from rankstability import paths

    config = yaml.safe_load((paths.ROOT / "config.yaml").read_text())
    known = {c.name for c in campaigns.listed()}
    for section in ("also_reads", "parameters"):
        for notebook, per_campaign in config[section].items():
            assert notebook in run.notebooks()
            for campaign, value in per_campaign.items():
                assert campaign in known | {"all"}
                assert section != "also_reads" or set(value) <= known
                if section == "parameters":
                    run.check(notebook, value)


@pytest.mark.parametrize("form", ["segments", "da"])
def test_notebooks_on_single_judgments_are_not_run_without_workers(monkeypatch, form):
    """02, 03 and 04 need workers; a campaign of segment scores (WMT20) gets none of them."""
    found = replace(campaigns.find("demo-srdc"), name="released", format=form)
    monkeypatch.setattr(campaigns, "present", lambda: (found,))
    planned = {j.notebook[:2] for j in workflow.jobs({"split_above": 10**6})}
    wanted = {"01", "05"} | ({"02", "03", "04"} if form == "da" else set())
    assert planned & {"01", "02", "03", "04", "05"} == wanted
