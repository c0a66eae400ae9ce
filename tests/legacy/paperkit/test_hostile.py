"""No path leaves its folder: by a parameter of a notebook, a name in data, the name of a file."""

import shutil

import pandas as pd
import pytest

from companion.legacy.paperkit import parameters, paths
from companion.legacy.paperkit.errors import InputError
from companion.legacy.paperkit.placing import results_folder
from companion.legacy.rankcampaigns import formats
from companion.legacy.rankcompanion.running import commands, run
from companion.legacy.rankcompanion.running.session import Outputs
from companion.legacy.rankstability import DataError, find, load
from companion.legacy.rankstability import paths as places

PATHS = [
    *("../../escaped", "x/../../../escaped", "/escaped/absolutely", "..", ".", "a/b", "a\\b", "~"),
    *("$(touch escaped)", "a\0b", "a\nb", "a\rb", "x" * 5000, "<img src=x onerror=alert(1)>"),
]
VALUES = [
    *("", "../x", "[" * 3000, "{a: &a [*a]}", "9" * 5000, "2020-13-45", ".nan", "[.inf]", "[1,"),
    *("!!python/object:os.system x", "'", "\0", "- " * 3000),
]
EVERY = {  # each name and type of a parameter, in one of the notebooks that have it
    (p.name, p.type): (n, p) for n in parameters.notebooks() for p in parameters.parameters(n)
}.values()


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Everything that the package writes to, in one place."""
    folder = tmp_path / "above" / "here"  # so that `..` holds nothing of other tests
    folder.mkdir(parents=True)
    for name in ("FIGURES", "RESULTS", "BUILD"):
        monkeypatch.setattr(paths, name, folder / name.lower())
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(("notebook", "of"), EVERY, ids=[f"{n[:2]}-{p.name}" for n, p in EVERY])
def test_no_parameter_of_a_notebook_leads_out_of_its_folder(notebook, of, folders):
    usual, name = run.plan(notebook, {}), of.name
    for value in PATHS if "str" in of.type else VALUES:
        try:
            plan = run.plan(notebook, {name: value})
        except (DataError, InputError) as error:
            text = str(error)  # says what was given, or names the folder that cannot be used
            named = text.partition(": ")[0]
            assert "; found " in text or (folders / value).resolve().is_relative_to(named), value
            assert len(text) < 3000
            continue
        if name == "output_dir" and value:  # wherever the user says, and nowhere else
            assert plan.final == (folders / value).resolve()
            assert plan.executed.parent == plan.final
        elif name != "pair":
            assert (plan.final, plan.executed) == (usual.final, usual.executed)
        assert all(s.is_relative_to(plan.final) for s in plan.scopes)
    assert list(folders.iterdir()) == []  # checked before anything is written


@pytest.mark.parametrize("name", [*PATHS, "%2e%2e%2fescaped", "file:///etc/passwd", "CON"])
def test_no_command_takes_a_name_for_a_path(name, folders, capsys):
    assert commands.main(["run", name]) == 2
    assert commands.main(["run", "01", f"campaign={name}"]) == 2
    assert commands.main(["run", "01", f"{name}=1"]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert [p for p in folders.rglob("*") if p.is_file() and "results" not in p.parts] == []


@pytest.mark.parametrize("name", ["a=b", "=", "campaign=x", "seed=x.csv"])
def test_a_path_that_holds_a_sign_of_equality_is_a_path(name, folders, capsys):
    (folders / name).mkdir()
    for path in (folders / name, f"./{name}"):
        assert commands.main(["verdict", str(path)]) == 2
        said = capsys.readouterr().err
        assert name in said and "no files in a known format; found 'an empty folder'" in said


@pytest.mark.parametrize(
    "name", ["..csv", "...csv", ".csv", "-.csv", "-rf", "...", "~", "$(x)", "ä\n"]
)
def test_the_name_of_a_file_or_folder_names_a_folder_in_results(name, folders):
    if name.endswith("csv"):
        shutil.copy(formats.files("rr", places.DEMO / "demo-rr")[0], folders / name)
    else:
        shutil.copytree(places.DEMO / "demo-rr", folders / name)
    made = results_folder(find(folders / name))
    assert made.parent == paths.RESULTS and made.name not in ("", ".", "..")


@pytest.mark.parametrize("name", ["../x", "a/b", "/x", "a\\b", "..", ".", "", "a\0b"])
def test_results_have_plain_names(tmp_path, name):
    with pytest.raises(ValueError, match="not a name for a file of results"):
        Outputs(tmp_path / "o").document(b"", name, "", "table")
    assert not (tmp_path / "o").exists()


LANGUAGES = ["../x", "..", "/etc", "a/b", "x\ny", "c\\s", "c s", "", "a\0", "whole/.."]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_in_judgments_is_a_language(tmp_path, language):
    for form, source, column in (
        ("rr", "demo-rr", "srclang"), ("da", "demo-srdc", "Input.src"),
    ):  # fmt: skip
        folder = tmp_path / form
        shutil.copytree(places.DEMO / source, folder)
        for file in formats.files(form, folder):
            if file.name.startswith("documents"):
                continue
            separator = "," if form == "rr" else "\t"
            frame = pd.read_csv(file, sep=separator, dtype=str, keep_default_na=False)
            frame[column] = language
            frame.to_csv(file, sep=separator, index=False)
        with pytest.raises(ValueError) as error:
            pairs = find(folder).pairs
            load(folder, pairs[0])
        assert str(folder.name) in str(error.value) or "campaign" in str(error.value)


@pytest.mark.parametrize(
    "name", ["/etc/hostname", "../other.csv", ".", "a/../b.csv", "", "x" * 300]
)
def test_settings_name_only_files_beside_them(tmp_path, name):
    shutil.copytree(places.DEMO / "demo-rr", tmp_path / "c")
    (tmp_path / "other.csv").write_text("x\n")
    (tmp_path / "c" / "campaign.yaml").write_text(f"files: ['{name}']\n")
    with pytest.raises(ValueError, match=r"campaign\.yaml.*files"):
        find(tmp_path / "c")
