# One job per notebook, campaign and language pair; then the campaign notebooks, the ledger and the
# report. A job's output is a stamp: its results are moved into figures/ whole by the runner, so that
# Snakemake never deletes earlier results when a job fails.
import sys
from glob import glob
from pathlib import Path

configfile: "config.yaml"

from companion.batch import jobs, planning
from rankstability import DataError

PYTHON = sys.executable
try:
    JOBS = planning.plan_jobs(config)
except DataError as error:
    raise WorkflowError(str(error)) from None


def files_below(folder):
    paths = sorted(glob(f"{folder}/**/*.*", recursive=True))
    return [path for path in paths if "__pycache__" not in path]


LIBRARY = files_below("lib/rankstability")


def stamp(job):
    return f"build/stamps/{job.campaign}/{job.notebook}/{job.pair}.done"


BY_STAMP = {stamp(job): job for job in JOBS}
for name, job in BY_STAMP.items():
    if Path(name).is_file() and not job.executed.is_file():
        Path(name).unlink()


def job_of(wildcards):
    return BY_STAMP[f"build/stamps/{wildcards.campaign}/{wildcards.notebook}/{wildcards.pair}.done"]


def inputs(wildcards):
    job = job_of(wildcards)
    parts = []
    if job.pair == jobs.WHOLE:
        topic = job.notebook.split("_")[0].rstrip("b")
        parts = [
            stamp(each)
            for each in JOBS
            if each.campaign == job.campaign and each.pair != jobs.WHOLE
            and each.notebook.split("_")[0] == topic
        ]
    return [f"notebooks/{job.notebook}.ipynb", *parts, *LIBRARY]


wildcard_constraints:
    campaign="[^/]+",
    notebook="[^/]+",
    pair="[^/]+",


rule all:
    input: list(BY_STAMP), "build/site/index.html"
    default_target: True


rule notebook:
    input: inputs
    output: touch("build/stamps/{campaign}/{notebook}/{pair}.done")
    params: given=lambda wildcards: str(jobs.parameters(job_of(wildcards), config))
    log: "build/logs/{campaign}/{notebook}/{pair}.log"
    threads: 1
    resources: mem_mb=2000, runtime=60
    message: "{wildcards.notebook}  {wildcards.campaign}  {wildcards.pair}"
    shell:
        "'{PYTHON}' -m companion.batch.run {wildcards.notebook} {wildcards.campaign} {wildcards.pair} "
        "> {log} 2>&1 || (tail -n 5 {log} >&2; exit 1)"


rule report:
    input:
        list(BY_STAMP),
        files_below("lib/companion"),
        glob("data/published/*.csv"),
        glob("docs/*.md"),
    output: "build/site/index.html"
    message: "claims ledger and report"
    shell: "'{PYTHON}' -m companion.batch report"
