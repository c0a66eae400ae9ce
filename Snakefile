# One job per notebook x campaign (x language pair), then the ledger and the report. A job's output is
# the executed notebook; its results are moved into figures/ whole by the runner, so that Snakemake
# never deletes them when a job fails. Results that were deleted or altered are made again.
import sys
from glob import glob
from pathlib import Path

configfile: "config.yaml"

sys.path.insert(0, "lib")
from companion.legacy.rankcompanion.running import workflow as w

JOBS = {job.executed: job for job in w.jobs(config)}
PYTHON = sys.executable

for executed, job in JOBS.items():
    if Path(executed).is_file() and not w.whole(job, config):
        Path(executed).unlink()


def job_of(wildcards):
    return JOBS[f"build/executed/{wildcards.campaign}/{wildcards.run}.ipynb"]


def command(wildcards):
    job = job_of(wildcards)
    return " ".join([job.notebook, *(f"'{k}={v}'" for k, v in w.given(job, config).items())])


wildcard_constraints:
    campaign="[^/]+",
    run="[^/]+",


# Which notebooks are to be run, for the lines that say how far it is. Where there is no report yet,
# one of what the repository keeps is there to read meanwhile.
onstart:
    run = [job.wildcards for job in workflow.dag.needrun_jobs() if job.rule.name == "notebook"]
    todo = " ".join(f"'{job.campaign} {job.run}'" for job in run)
    cores = workflow.cores if workflow.local_exec else workflow.nodes
    if run:
        shell("'{PYTHON}' lib/companion/legacy/paperkit/terminal.py plan {cores} {todo}")
    if run and not Path("build/site/index.html").is_file():
        shell("'{PYTHON}' -m companion.legacy.rankcompanion.report.front > /dev/null 2>&1 &")


# After a failure the report shows what ran, and the failed runs in red.
onerror:
    shell("'{PYTHON}' -m companion.legacy.rankcompanion.report.front")


rule all:
    input: "build/site/index.html", list(JOBS)
    default_target: True


rule notebook:
    input: lambda wildcards: w.inputs(job_of(wildcards))
    output: "build/executed/{campaign}/{run}.ipynb"
    params: command=command
    log: "build/logs/{campaign}/{run}.log"
    threads: 1
    resources: mem_mb=2000, runtime=60
    message: "{wildcards.run}  {wildcards.campaign}"
    shell:
        "started=$(date +%s); '{PYTHON}' -m companion.legacy.rankstability.run {params.command} --quiet > {log} 2>&1 "
        "&& '{PYTHON}' lib/companion/legacy/paperkit/terminal.py ran '{wildcards.campaign} {wildcards.run}' $started "
        "|| (tail -n 20 {log} >&2; exit 1)"


rule report:
    input:
        list(JOBS),
        glob("lib/companion/legacy/paperkit/**/*.j2", recursive=True),
        [f"lib/{name}.py" for name in w.REPORT],
        glob("lib/companion/legacy/paperkit/site.*"),
        glob("data/published/*.csv"), glob("lib/companion/legacy/rankcompanion/papers/*.py"),
    output: "build/site/index.html"
    message: "claims ledger and report"
    shell: "'{PYTHON}' -m companion.legacy.rankcompanion.report.ledger && '{PYTHON}' -m companion.legacy.rankcompanion.report.front"
