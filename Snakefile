# One job per notebook x campaign x language pair, a gather job where pairs are separate, then the
# ledger and the report. Jobs write stamps; results in figures/ are moved there whole by the runner,
# so that Snakemake never deletes them when a job fails.
import sys
from glob import glob

configfile: "config.yaml"

sys.path.insert(0, "lib")
from rankstability.report import workflow as w

w.forget_lost()
JOBS = {job.stamp: job for job in w.jobs(config)}
PYTHON = sys.executable


def job_of(wildcards):
    return JOBS[f"build/stamps/{wildcards.campaign}/{wildcards.notebook}/{wildcards.pair}.json"]


def job_inputs(wildcards):
    job = job_of(wildcards)
    if not job.gathers:
        return w.inputs(job, config)
    pairs = [s for s, j in JOBS.items()
             if (j.notebook, j.campaign) == (job.notebook, job.campaign) and j.pair]
    return w.inputs(job, config) + pairs


def job_command(wildcards):
    job = job_of(wildcards)
    if job.gathers:
        return f"rankstability.report.gather {job.notebook} {job.campaign}"
    given = {"campaign": job.campaign, **({"pair": job.pair} if job.pair else {})}
    given |= w.settings(job, config)
    words = " ".join(f"'{k}={v}'" for k, v in given.items())
    return f"rankstability.run {job.notebook} {words} --quiet"


wildcard_constraints:
    campaign="[^/]+",
    notebook="[^/]+",
    pair="[^/]+",


# After a failure the report shows what ran, and the failed runs in red.
onerror:
    shell("'{PYTHON}' -m rankstability.report.site")


rule all:
    input: "build/site/index.html"
    default_target: True


rule job:
    input: job_inputs
    output: "build/stamps/{campaign}/{notebook}/{pair}.json"
    params: command=job_command
    log: "build/logs/{campaign}/{notebook}/{pair}.log"
    threads: 1
    resources: mem_mb=2000, runtime=60
    message: "{wildcards.notebook}  {wildcards.campaign}  {wildcards.pair}"
    shell: "'{PYTHON}' -m {params.command} --stamp {output} > {log} 2>&1 || (tail -n 20 {log} >&2; exit 1)"


rule ledger:
    input: list(JOBS), "lib/rankstability/report/ledger.py", "lib/rankstability/report/figures_index.py"
    output: touch("build/stamps/ledger")
    message: "claims ledger"
    shell: "'{PYTHON}' -m rankstability.report.ledger && '{PYTHON}' -m rankstability.report.site --index-figures"


rule site:
    input:
        "build/stamps/ledger",
        glob("lib/rankstability/report/*.j2"),
        expand("lib/rankstability/report/{file}", file=["site.py", "pages.py", "site.css", "site.js"]),
    output: "build/site/index.html"
    message: "report site"
    shell: "'{PYTHON}' -m rankstability.report.site"
