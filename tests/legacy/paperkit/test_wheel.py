"""The wheel works without the repository and without the extras, from any folder."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from companion.legacy.rankstability import paths

EXTRAS = ("IPython", "papermill", "nbformat", "nbconvert", "jupyter_client", "bleach", "grimp")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the wheel of the source archive of what git holds, unpacked, and no more."""
    made = tmp_path_factory.mktemp("wheel")
    listed = ["git", "ls-files", "-z", "lib", "pyproject.toml", "README.md", "LICENSE"]
    try:
        names = subprocess.run(listed, cwd=paths.ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    for name in names.decode().split("\0"):
        if (file := paths.ROOT / name).is_file():
            (made / "src" / name).parent.mkdir(parents=True, exist_ok=True)
            (made / "src" / name).write_bytes(file.read_bytes())
    pack = "import sys; from setuptools import build_meta; build_meta.build_{}(sys.argv[1])"
    build = [sys.executable, "-c", pack.format("sdist"), made]
    subprocess.run(build, cwd=made / "src", check=True, capture_output=True)
    shutil.unpack_archive(next(made.glob("rankstability-*.tar.gz")), made / "unpacked")
    [source] = (made / "unpacked").iterdir()  # the wheel is made from the source archive
    build = [sys.executable, "-c", pack.format("wheel"), made]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    with zipfile.ZipFile(next(made.glob("*.whl"))) as wheel:
        wheel.extractall(made / "site")
    return made / "site"


def called(code: str, site: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """`code` in another process, in `folder`: the library from `site`, and no extra."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("RANKSTABILITY")}
    blocked = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS}))\n"
    command = [sys.executable, "-c", blocked + code]
    return subprocess.run(
        command, cwd=folder, env=env | {"PYTHONPATH": str(site)}, capture_output=True, text=True
    )


def test_an_installed_wheel_judges_a_file_from_any_folder(site, tmp_path):
    (tmp_path / "ratings.csv").write_bytes((paths.DEMO / "ratings.csv").read_bytes())
    words = ["verdict", "ratings.csv"]
    code = f"from companion.legacy.rankcompanion.running.commands import main\nsys.exit(main({words}))"
    done = called(code, site, tmp_path)
    assert done.returncode == 0, done.stderr
    page = tmp_path / "results" / "ratings" / "00_verdict" / "xx-yy" / "verdict.html"
    said = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert said["may_be_first"] == ["Aspen"] and page.is_file()
    assert f"ratings: {said['sentence']}\n" in done.stdout
    assert f"\n  {page}\n" in done.stdout  # the path exists, whole
    assert {p.name for p in tmp_path.iterdir()} == {"ratings.csv", "results"}


def test_an_installed_wheel_gives_four_packages_and_ranks_a_frame(site, tmp_path):
    code = (
        "import pandas as pd, rankstability as rs\n"
        "import companion.legacy.paperkit, rankcampaigns, rankcompanion\n"
        "for package in (paperkit, rankcampaigns, rankcompanion, rs): print(package.__file__)\n"
        "rows = [(s, k, w, 60 - 9 * (s == 'B') + (7 * k + 3 * w) % 5)\n"
        "        for s in 'AB' for k in range(8) for w in range(4)]\n"
        "names = ['model', 'item', 'rater', 'stars']\n"
        "frame = pd.DataFrame(rows, columns=names)\n"
        "ranking = rs.rank_systems(rs.judgments(frame, score='stars'))\n"
        "print(*ranking.systems, ranking.unit, len(ranking.plot().axes))\n"
        "print(rs.verdict(rs.judgments(frame, score='stars'))['unit'])\n"
    )
    done = called(code, site, tmp_path)
    *packages, ranked, unit = done.stdout.splitlines()
    assert len(packages) == 4 and all(file.startswith(str(site)) for file in packages)
    assert ranked == "A B worker 3" and unit == "worker"


def test_an_installed_wheel_loads_a_table_and_lists_formats(site, tmp_path):
    rows = [f"{s},{k},{50 + k}" for k in range(3) for s in "ab"]
    (tmp_path / "t.csv").write_text("\n".join(["system,segment,score", *rows]) + "\n")
    code = (
        "import companion.legacy.rankstability\n"
        "print(rankstability.__file__)\n"
        "print(len(rankstability.load('t.csv')))\n"
        "from companion.legacy.rankcompanion.running.commands import main\n"
        "sys.exit(main(['formats']) or main(['run', '01']))"
    )
    done = called(code, site, tmp_path)
    where, rows_read, listed = done.stdout.split("\n", 2)
    assert where.startswith(str(site)) and rows_read == "6" and "long (DA)" in listed
    assert done.returncode == 2 and "which holds the notebooks" in done.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "t.csv"]
