"""What reruns when: dependencies of jobs on library modules, data and parameters."""

import json
from dataclasses import replace

import pytest
import yaml

from conftest import needs
from companion.legacy.paperkit import parameters, paths
from companion.legacy.paperkit.placing import digest
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.running import run, workflow
from companion.legacy.rankcompanion.running.workflow import Job

PROFILES = paths.ROOT / "profiles"


def names(job):
    return {path.rsplit("/", 1)[-1] for path in workflow.inputs(job)}


def test_a_notebook_depends_on_what_it_imports_directly_or_not_and_on_nothing_else():
    modules = workflow.modules("08_tournament", "rr")
    wanted = {f"rankstability.{name}" for name in ("rank.tournament", "rank.feedback")}
    wanted |= {"companion.legacy.rankcampaigns.rr", "companion.legacy.rankcompanion.papers.lopez2012", "companion.legacy.rankstability.score.rr"}
    assert wanted <= modules
    others = {"models.variance", "models.simulate", "report.front", "notebooks.explore.widgets"}
    assert not {f"rankcompanion.{name}" for name in others} & modules


def test_inputs_hold_the_notebook_the_data_and_the_printed_numbers():
    needed = names(Job("08_tournament", "demo-rr"))
    assert {"08_tournament.ipynb", "catalogue.yaml", "lopez2012.csv"} <= needed
    assert {f.name for f in campaigns.find("demo-rr").files()} <= needed
    assert "koehn2012.csv" not in needed
    printed = {file.name for file in paths.PUBLISHED.glob("*.csv")}
    assert not printed & names(Job("00_verdict", "demo-srdc"))  # a verdict compares with no paper


def test_a_change_of_one_reader_runs_only_what_reads_with_it():
    assert "rr.py" in names(Job("07_relative_ranking", "demo-rr"))
    job = Job("02_outlier_removal", "demo-srpdc")
    readers = {f"lib/companion/legacy/rankcampaigns/{name}.py" for name in ("releases", "da")}  # judges read rr
    assert readers & set(workflow.inputs(job)) == {"lib/companion/legacy/rankcampaigns/da.py"}


def test_small_campaigns_run_at_once_and_large_ones_pair_by_pair_then_as_a_whole():
    config = {"campaigns": ["demo-srdc"], "notebooks": ["01"]}
    assert workflow.jobs({**config, "split_above": 3}) == [Job("01_replication", "demo-srdc")]
    *pairs, whole = workflow.jobs({**config, "split_above": 1})
    assert [j.pair for j in pairs] == ["de-en", "en-cs"] and whole.pair == "whole"
    assert whole.executed == "build/executed/demo-srdc/01_replication.ipynb"
    assert {j.executed for j in pairs} <= set(workflow.inputs(whole))
    assert "ad-latest.csv.gz" in names(pairs[0]) - names(whole)
    assert workflow.given(whole, {}) == {"campaign": "demo-srdc", "pair": "whole"}


def test_parameters_come_from_the_configuration_for_all_or_for_one_campaign():
    config = {"parameters": {"09_simulation": {"all": {"jobs": 2}, "wmt12": {"full": True}}}}
    given = workflow.given(Job("09_simulation", "wmt12"), config)
    assert given == {"campaign": "wmt12", "jobs": "2", "full": "True"}
    assert workflow.given(Job("09_simulation", "wmt11"), config) == {
        "campaign": "wmt11",
        "jobs": "2",
    }


HARM = {
    "remove a result": lambda result, status: result.unlink(),
    "change a result": lambda result, status: result.write_text("x\n2\n"),
    "run with other parameters": lambda result, status: status.write_text(
        status.read_text().replace('"campaign"', '"alpha": "0.1", "campaign"', 1)
    ),
    "lose the status": lambda result, status: status.unlink(),
}


@pytest.mark.parametrize("harm", HARM)
def test_results_that_are_gone_or_altered_are_not_whole(tmp_path, harm):
    job = Job("01_replication", "wmt18")
    result = tmp_path / "figures" / "a.csv"
    result.parent.mkdir()
    result.write_text("x\n1\n")
    status = (tmp_path / job.executed).with_suffix(".status.json")
    status.parent.mkdir(parents=True)
    made = {
        "given": {"campaign": "wmt18"},
        "status": "ok",
        "files": {"figures/a.csv": digest(result)},
    }
    status.write_text(json.dumps(made))
    assert workflow.whole(job, {}, tmp_path)
    assert not workflow.whole(job, {"parameters": {"01_replication": {"all": {"a": 1}}}}, tmp_path)
    HARM[harm](result, status)
    assert not workflow.whole(job, {}, tmp_path)


def test_the_names_in_the_configuration_exist_and_every_campaign_has_a_verdict():
    config = yaml.safe_load((paths.ROOT / "config.yaml").read_text())
    assert "00_verdict" not in config["skip"]
    known = {c.name for c in campaigns.listed()}
    for notebook, per_campaign in config["parameters"].items():
        for campaign, value in per_campaign.items():
            assert campaign in known | {"all"}
            parameters.check(notebook, value)


@pytest.mark.parametrize("form", ["segments", "da"])
def test_notebooks_on_single_judgments_are_not_run_without_workers(monkeypatch, form):
    """02, 03 and 04 need workers; a campaign of segment scores (WMT20) gets none of them."""
    found = replace(campaigns.find("demo-srdc"), name="released", format=form)
    monkeypatch.setattr(campaigns, "present", lambda: (found,))
    planned = {j.notebook[:2] for j in workflow.jobs({"split_above": 10**6})}
    wanted = {"01", "05"} | ({"02", "03", "04"} if form == "da" else set())
    assert planned & {"01", "02", "03", "04", "05"} == wanted


@needs("wmt23-protocols")
@needs("wmt20-iku")
def test_a_campaign_of_several_studies_runs_only_the_notebook_that_compares_them():
    names_of = ["wmt20-iku", "wmt23-protocols"]
    jobs = workflow.jobs({"campaigns": names_of})
    expected = [(name, "11_protocols_and_test_sets") for name in names_of]
    assert [(j.campaign, j.notebook) for j in jobs] == [*expected, (names_of[1], "12_judges")]
    assert "judges-en-de.tsv.gz" in names(jobs[2])
    assert {"en-de.mqm.seg.score.gz", "annotators.tsv"} <= names(jobs[1])
    with pytest.raises(ValueError, match=r"name one for 01_replication; .*wmt20-iku\.News"):
        run.plan("01_replication", {"campaign": "wmt20-iku"})
    assert (
        run.plan("01_replication", {"campaign": "wmt20-iku.News"}).campaign.name == "wmt20-iku.News"
    )


def test_profiles_use_options_that_snakemake_has_and_plan_the_same_sweep():
    from snakemake.cli import get_argument_parser

    known = {o.lstrip("-") for a in get_argument_parser()._actions for o in a.option_strings}
    read = {f.parent.name: yaml.safe_load(f.read_text()) for f in PROFILES.glob("*/config.yaml")}
    assert set(read) == {"default", "slurm", "kubernetes"}
    assert {key for profile in read.values() for key in profile} <= known
    shared = {key: value for key, value in read["slurm"].items() if key != "executor"}
    assert {key: read["kubernetes"][key] for key in shared} == shared
    assert [read[name]["executor"] for name in ("slurm", "kubernetes")] == ["slurm", "kubernetes"]
