"""What git holds: locks that agree, stripped notebooks, sizes, no paths of one machine."""

import ast
import fnmatch
import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml

from companion.legacy.paperkit import parameters, paths

ROOT = paths.ROOT
NOTEBOOKS = sorted(paths.NOTEBOOKS.glob("*.ipynb"))
MODULES = sorted((ROOT / "lib").rglob("*.py"))
LIVE = {"90_explore"}  # for JupyterLab only: the batch does not run it, it writes nothing
MIB = 2**20


@cache
def tracked() -> tuple[Path, ...]:
    """Files that git holds; where there is no git (a source archive), nothing to check."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return tuple(p for name in listed.decode().split("\0") if name and (p := ROOT / name).is_file())


# ------------------------------------------------------------------ environment


ENTRY = r"^([a-z0-9.-]+)(?:\[[a-z,-]+\])?==[^\s;]+(?: ; .+?)? \\\n"
HASHES = r"((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"


def locked() -> dict[str, str]:
    """Name to the hashes of each entry of requirements.lock; fails on a line that is not pinned."""
    text = (ROOT / "requirements.lock").read_text()
    rest = re.sub(ENTRY + HASHES, "", text, flags=re.MULTILINE).splitlines()
    assert [line for line in rest if line.strip() and not line.strip().startswith("#")] == []
    return dict(re.findall(ENTRY + HASHES, text, re.MULTILINE))


def test_lock_is_pinned_hashed_and_names_no_index():
    assert len(locked()) > 50
    for file in ("requirements.lock", "pyproject.toml", "environment.yml"):
        text = (ROOT / file).read_text()
        assert not re.search(r"https?://|--(extra-)?index-url|--find-links|\s@\s", text), file


def direct(*tables: str) -> set[str]:
    """The packages that pyproject.toml names: of the library, or of the extras and groups asked."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = {"library": project["project"]["dependencies"]}
    groups |= project["project"]["optional-dependencies"] | project["dependency-groups"]
    asked = [text for name in tables or groups for text in groups[name]]
    return {re.split(r"[\[<>=!~; ]", text, maxsplit=1)[0].lower() for text in asked}


def test_every_direct_dependency_is_locked():
    assert direct() - set(locked()) == set()


def test_the_library_installs_without_notebooks_batch_or_tests():
    """`pip install` of the library brings what computes and draws, and nothing that runs it."""
    named = {"numpy", "pandas", "scipy", "matplotlib", "seaborn", "statsmodels", "pyyaml", "pooch"}
    assert named <= direct("library")
    others = direct("notebooks", "batch", "cluster", "explore", "dev", "browser", "bench")
    assert direct("library") & others == set()


def test_environment_yml_names_the_packages_of_the_lock():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    conda = [d for d in environment["dependencies"] if isinstance(d, str)]
    pip = [d["pip"] for d in environment["dependencies"] if isinstance(d, dict)]
    assert pip == [["-r requirements.lock"]]
    pinned = dict(d.split("=") for d in conda if "=" in d)
    assert {"jupyterlab", "pandas", "seaborn-base", "statsmodels", "papermill"} <= set(pinned)
    lock = (ROOT / "requirements.lock").read_text()
    older = re.compile(
        r"^([a-z0-9.-]+)==([^\s;]+)(?! ; python_full_version >= '3.12')", re.MULTILINE
    )
    locked_versions: dict[str, str] = {}
    for name, version in older.findall(lock):  # of two lines of a package, the one for 3.11
        locked_versions.setdefault(name, version)
    for name, version in pinned.items():
        if name != "python":
            assert locked_versions[name.removesuffix("-base")] == version, name


def test_python_versions_agree():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    conda = next(d for d in environment["dependencies"] if str(d).startswith("python="))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    version = conda.removeprefix("python=")
    assert project["project"]["requires-python"] == f">={version}"
    assert project["tool"]["mypy"]["python_version"] == version
    assert project["tool"]["ruff"]["target-version"] == "py" + version.replace(".", "")


# -------------------------------------------------------------------- notebooks


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda f: f.stem)
def test_notebook_form(file):
    notebook = json.loads(file.read_text(encoding="utf-8"))
    meta = notebook["metadata"]
    assert meta["kernelspec"]["name"] == "python3"
    assert meta["language_info"]["name"] == "python"
    assert "widgets" not in meta and "papermill" not in meta
    about = meta["rankstability"]
    assert set(about["protocols"]) <= {"DA", "RR", "MQM"}
    assert about["protocols"] or file.stem in LIVE
    assert isinstance(about["split"], bool)
    loops = [cell for cell in notebook["cells"] if "run.each(" in "".join(cell["source"])]
    assert about.get("one_pair", False) == bool(loops)  # what `session.start` says of them
    assert isinstance(about["promises"], list) and isinstance(about["pair_promises"], list)
    assert len(notebook["cells"]) <= 36
    assert notebook["cells"][0]["cell_type"] == "markdown"
    assert "".join(notebook["cells"][0]["source"]).startswith("# ")
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
        else:
            assert not re.search(r"\$[^$\n]+\$|\\\(|\\\[", source), f"formula in: {source[:60]}"


def source(cell: dict) -> str:
    return "".join(cell["source"])


PAPERS = [f for f in NOTEBOOKS if f.stem not in LIVE]


def test_code_of_notebooks_is_short():
    """At most 25 lines in a cell and 1,800 in all: what computes lies in the companion."""
    cells = [
        (file.stem, cell["id"], len(source(cell).splitlines()))
        for file in NOTEBOOKS
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    assert [c for c in cells if c[2] > 25] == []
    assert sum(lines for _, _, lines in cells) <= 1800


@pytest.mark.parametrize("file", PAPERS, ids=lambda f: f.stem)
def test_a_notebook_is_built_as_a_paper(file):
    """What to know and read, an equation, what to conclude and what not."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    first = source(cells[0])
    assert "*What to know first*" in first and "*What to read next*" in first
    assert any(re.search(r"^\$\$\n.+\n\$\$$", source(c), re.M) for c in cells)
    starts = [source(c).partition("\n")[0] for c in cells]
    conclusion = starts.index("## What to conclude")
    assert cells[conclusion + 1]["cell_type"] == "code"
    assert starts[conclusion + 2] == "## What must not be concluded"
    assert starts[-2] == "run.out.settings"
    assert re.search(r"^conclude\(.*\)$", source(cells[conclusion + 1]), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda f: f.stem)
def test_a_notebook_ends_with_the_code_behind_it(file):
    """Modules that are there, and those that CONTRIBUTING names."""
    last = source(json.loads(file.read_text(encoding="utf-8"))["cells"][-1])
    assert last.startswith("**The code behind this notebook**")
    named = re.findall(r"`(rank\w+/[\w/.]+)`", last)
    assert named and [n for n in named if not (ROOT / "lib" / n).exists()] == []
    number = f"| {file.stem[:2]} "
    row = next(r for r in (ROOT / "CONTRIBUTING.md").read_text().splitlines() if number in r)
    behind = {m.rstrip("/").removesuffix(".py") for m in named}
    modules = re.findall(r"`([\w/]+?)/?`", row)
    assert modules and all(f"rankcompanion/{module}" in behind for module in modules)


@pytest.mark.parametrize("file", PAPERS, ids=lambda f: f.stem)
def test_every_figure_has_a_numbered_caption(file):
    """Numbers run from 1 on; what the code draws has a caption before it that says what to see."""
    from companion.legacy.paperkit.pages import CAPTION, Captions

    numbers, captions, patterns = [], Captions(), []
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        text = source(cell)
        if cell["cell_type"] == "markdown":
            found = CAPTION.findall(text)
            numbers += [int(number) for number, *_ in found]
            assert text.count("**Figure ") == len(found)
            assert [words for *_, words in found if len(words.split()) < 12] == []
            captions.taken(text)
            continue
        for name in re.findall(r'out\.figure\(.+?, f?"(\w[^"]*)"', text):
            patterns += [re.sub("{.*?}", "*", name)] if "{" in name else []
            assert "{" in name or captions.of(name), name
    known = [name for name, _ in captions.known]
    assert [p for p in patterns if not fnmatch.filter([*known, p], p)[:-1]] == []
    assert numbers == list(range(1, len(numbers) + 1)) and numbers


@pytest.mark.parametrize("file", PAPERS, ids=lambda f: f.stem)
def test_every_figure_says_what_is_seen_in_these_data(file):
    """Each `figure` of a notebook is given `seen`: a number or a name, not how to read axes."""
    unsaid = []
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        calls = [c for c in ast.walk(ast.parse(source(cell))) if isinstance(c, ast.Call)]
        drawn = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "figure"]
        unsaid += [ast.unparse(c) for c in drawn if "seen" not in {k.arg for k in c.keywords}]
    assert unsaid == []


@pytest.mark.parametrize("file", PAPERS, ids=lambda f: f.stem)
def test_formulas_of_notebooks_become_mathml(file):
    """latex2mathml knows every command, and a page keeps none of them as text."""
    from companion.legacy.paperkit.pages import equations, harmless

    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        for formula in re.findall(r"^(\$\$\n.+\n\$\$)$", source(cell), re.M):
            made = equations(harmless(formula))
            assert made.count("<math") == 1 and "\\" not in made and "&lt;m" not in made, formula


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda f: f.stem)
def test_notebook_parameters(file):
    """One tagged cell; each line ``name: type = literal  # help``; the three that all have."""
    declared = {p.name: p for p in parameters.parameters(file.stem)}
    empty = {"pair"} if file.stem in LIVE else {"pair", "output_dir"}
    assert {"campaign"} | empty <= set(declared)
    assert str(declared["campaign"].default).startswith("demo-")
    assert {declared[name].default for name in empty} == {""}
    assert [p.name for p in declared.values() if not p.help] == []


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda f: f.stem)
def test_a_notebook_imports_at_most_four_modules_of_the_companion(file):
    """The run, its figures, its own module or package, its paper."""
    cells = json.loads(file.read_text())["cells"]
    code = "".join("".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "code")
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("rankcompanion"):
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                place = paths.ROOT.joinpath("lib", *inside.split("."))
                is_module = place.is_dir() or place.with_suffix(".py").is_file()
                found.add(inside if is_module else node.module)
    assert found and len(found) <= 4, sorted(found)


def test_notebooks_pass_nbstripout():
    if not NOTEBOOKS:
        pytest.skip("no notebook yet")
    done = subprocess.run(
        [sys.executable, "-m", "nbstripout", "--verify", "--keep-id", *map(str, NOTEBOOKS)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# ------------------------------------------------------------------- what git holds


def test_sizes():
    sizes = {p: p.stat().st_size for p in tracked()}
    assert [str(p) for p, size in sizes.items() if size > 2 * MIB] == []
    figures = [size for p, size in sizes.items() if paths.FIGURES in p.parents]
    assert len(figures) <= 1400 and sum(figures) <= 24e6


def test_git_holds_of_the_figures_what_the_list_in_gitignore_keeps():
    asked = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard", "figures"]
    listed = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    assert listed.stdout.split() == []


def test_no_paths_of_one_machine():
    """No home or temporary folder of whoever ran it, in any text that git holds."""
    pattern = re.compile(rb"/(home|Users|root|work)/[A-Za-z0-9_.-]+/|[A-Z]:\\\\?Users\\")
    found = []
    for file in tracked():
        if file.suffix in (".png", ".gz") or file == Path(__file__).resolve():
            continue
        for match in pattern.finditer(file.read_bytes()):
            found.append(f"{paths.shown(file)}: {match[0].decode()}")
    assert found == []


def test_nothing_built_is_tracked():
    names = [paths.shown(p) for p in tracked()]
    built = re.compile(
        r"^(build|\.venv|\.snakemake)/|^figures/demo|\.partial-|/\.ipynb_checkpoints/"
    )
    assert [n for n in names if built.search(n)] == []


def test_figures_come_with_their_numbers():
    """Beside each tracked picture lies the table it was drawn from."""
    names = {paths.shown(p) for p in tracked() if paths.FIGURES in p.parents}
    drawn = [name.removesuffix(".png") for name in names if name.endswith(".png")]
    drawn = [re.sub("(/00_verdict/.*)/verdict([^/]*)$", r"\1/ranking\2", name) for name in drawn]
    assert [name for name in sorted(drawn) if f"{name}.csv" not in names] == []


# ------------------------------------------------------------------------- code


ASPECTS = {  # tests of no single module, each with its reason
    "rankstability/test_published.py": "what was published comes out, from files to rankings",
    "rankcampaigns/test_alike.py": "what every reader meets: names alike, repeats, two scales",
    "rankcampaigns/test_contradictions.py": "idle settings, and files that contradict each other",
    "rankcampaigns/test_spreadsheets.py": "oddities of spreadsheets, pipes, control characters",
    "rankcampaigns/test_broken.py": "a corpus of broken files, in every format",
    "rankcompanion/notebooks/explore/test_lab.py": "notebook 90 in a real JupyterLab",
    "rankcompanion/test_hostile_names.py": "names that are markup, in all notebooks",
    "rankcompanion/running/test_plain_papermill.py": "notebooks without the project's runner",
    "rankcompanion/test_stale.py": "the trial that compares results with code and data",
    "rankcompanion/verdict/test_sentences.py": "what answers and pages say, in both directions",
    "paperkit/test_browser.py": "the built report in a browser",
    "paperkit/test_every_page.py": "the built report, page by page, for accessibility",
    "paperkit/test_hostile.py": "no path leaves its folder, whatever names it",
    "paperkit/test_wheel.py": "the installed wheel",
}


ELSEWHERE = {  # modules without a test file named after them, and what tests them
    "paperkit/errors.py": "every test of a refusal",
    "paperkit/paths.py": "names of folders",
    "rankstability/forwarding.py": "the public names, tested in `test_public`",
    "rankstability/paths.py": "names of folders",
    "rankcampaigns/together.py": "files read together, tested in `test_alike`",
    "rankstability/rank/feedback.py": "the search of `tournament`, tested with it",
    "rankstability/rank/srp_studies.py": "the studies of `srp`, tested with it",
    "rankcampaigns/guesses.py": "the guesses at `columns`, tested with it",
    "rankcampaigns/segments.py": "the segments of `appraise`, tested with it",
}


def test_every_module_has_its_tests():
    """In a file named after it or after its package, or as `ELSEWHERE` says."""
    alone = set()
    for file in MODULES:
        inside = file.relative_to(ROOT / "lib")
        names = {inside.stem, inside.parent.name}
        tested = any((ROOT / "tests" / inside.with_name(f"test_{n}.py")).is_file() for n in names)
        defines = re.search(r"^(def|class) ", file.read_text(encoding="utf-8"), re.MULTILINE)
        if defines and not tested and not inside.stem.startswith("__"):
            alone.add(inside.as_posix())
    assert alone == set(ELSEWHERE)


def test_tests_mirror_the_library():
    """Each is named after a module or a package where it lies, or is one of the `ASPECTS`."""
    tests, strange = ROOT / "tests", []
    for file in [f for name in ("rank*", "paperkit") for f in tests.glob(f"{name}/**/test_*.py")]:
        folder = file.parent.relative_to(tests)
        known = {folder.name, *(path.stem for path in (ROOT / "lib" / folder).iterdir())}
        shown = file.relative_to(tests).as_posix()
        if file.stem.removeprefix("test_") not in known and shown not in ASPECTS:
            strange.append(shown)
    assert strange == []
    assert [name for name in ASPECTS if not (tests / name).is_file()] == []


@pytest.mark.parametrize("file", MODULES, ids=lambda f: f.stem)
def test_modules_are_not_too_long(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 900


# Keys of the Citation File Format 1.2.0 that we use; those without which a file is not valid.
CFF = {"cff-version", "title", "message", "type", "version", "date-released", "license", "authors"}
CFF |= {"abstract", "keywords", "references"}
CFF_NEEDED = {"cff-version", "title", "message", "authors"}
REFERENCE = {"type", "title", "authors", "collection-title", "year", "url", "start", "end"}


def test_citation_file():
    text = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert text["version"] == project["version"] and text["license"] == project["license"]
    assert set(text) >= CFF_NEEDED and set(text) <= CFF and text["cff-version"] == "1.2.0"
    assert text["type"] == "software" and all(set(a) == {"name"} for a in text["authors"])
    changes = (ROOT / "CHANGELOG.md").read_text()
    released = re.search(rf"## \[{text['version']}\] - (\d\S+)", changes)
    assert released is None or str(text["date-released"]) == released[1]
    for entry in text["references"]:
        assert {"type", "title", "authors", "year"} <= set(entry) <= REFERENCE
        assert all(set(a) == {"family-names", "given-names"} for a in entry["authors"])
    assert sorted(r["year"] for r in text["references"]) == [2011, 2012, 2012, 2021, 2022, 2024]
    assert "Apache License" in (ROOT / "LICENSE").read_text()


def test_citation_and_archive_say_the_same():
    """CITATION.cff and .zenodo.json: title, version, licence, words, authors, papers."""
    ours = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    archive = json.loads((ROOT / ".zenodo.json").read_text())
    for name in ("title", "version", "license", "keywords"):
        assert archive[name] == ours[name]
    assert archive["description"] == ours["abstract"].strip()
    assert [one["name"] for one in archive["creators"]] == [one["name"] for one in ours["authors"]]
    linked = {one["identifier"] for one in archive["related_identifiers"]}
    assert linked == {one["url"] for one in ours["references"] if "url" in one}


def test_links_of_the_pages_lead_somewhere():
    """Relative links of the Markdown pages exist."""
    missing = []
    for page in [*ROOT.glob("*.md"), ROOT / "data" / "README.md", ROOT / "figures" / "README.md"]:
        if not page.is_file():
            continue
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            built = "build/" in link or link.startswith("../../actions/")  # a page of the host
            if "://" not in link and not built and not (page.parent / link).exists():
                missing.append(f"{page.name}: {link}")
    assert missing == []
