"""Nothing to do is noticed at once, and every kind of change is; the line of a job that ended."""

from __future__ import annotations

import os

import pytest

from paperkit import paths, terminal


def test_it_looks_at_this_repository():
    assert terminal.ROOT == paths.ROOT


CHANGES = {
    "a notebook": lambda root: (root / "notebooks" / "01.ipynb").write_text("{ }"),
    "a touched module": lambda root: os.utime(root / "lib" / "a.py", ns=(1, 1)),
    "a new result": lambda root: (root / "figures" / "new.csv").write_text("a\n"),
    "a lost result": lambda root: (root / "figures" / "old.csv").unlink(),
    "the configuration": lambda root: (root / "config.yaml").write_text("campaigns: [x]\n"),
    "real data": lambda root: (root / "elsewhere" / "scores.csv").write_text("a,b\n"),
    "a lost report": lambda root: (root / "build" / "site" / "index.html").unlink(),
}


@pytest.fixture
def root(tmp_path, monkeypatch):
    for name in ("lib/a.py", "notebooks/01.ipynb", "figures/old.csv", "config.yaml",
                 "build/site/index.html", "elsewhere/scores.csv"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    monkeypatch.setenv("RANKSTABILITY_DATA", "elsewhere")
    terminal.keep(tmp_path, tmp_path / "build" / "stamp")
    return tmp_path


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_noticed(root, change):
    stamp = root / "build" / "stamp"
    assert terminal.unchanged(root, stamp)
    CHANGES[change](root)
    assert not terminal.unchanged(root, stamp)


def test_another_setting_and_no_stamp_are_changes(root, monkeypatch):
    assert not terminal.unchanged(root, root / "none")
    monkeypatch.setenv("RANKSTABILITY_FIGURE_FORMAT", "svg")
    assert not terminal.unchanged(root, root / "build" / "stamp")


def test_a_line_per_job_counts_and_says_what_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(terminal, "COUNT", tmp_path / "count")
    clock = iter([1000.0, 1030.0, 1040.0])
    monkeypatch.setattr(terminal.time, "time", lambda: next(clock))
    names = ["wmt18 02_outlier_removal__cs-en", "wmt18 03", "wmt18 08"]
    monkeypatch.setattr(terminal, "weight", lambda name: 60.0 if name == names[0] else 30.0)
    terminal.plan(1, names)
    line = terminal.ran(names[0], 1005.0)
    assert line.startswith("[  1 of 3] wmt18 02_outlier_removal__cs-en")
    assert "25 s" in line and line.endswith("about 40 s left")  # 60 of 90 seconds were enough
    assert terminal.ran(names[1], 1030.0).endswith("about 18 s left")


@pytest.mark.parametrize("cores", [1, 2, 4])
@pytest.mark.parametrize("slower", [0.5, 1, 2])
def test_the_time_left_is_right_within_a_factor_of_two(cores, slower):
    """Of jobs put on the next free core, while two or more of each core are ahead."""
    expected = [26.0, 24.0, 16.0, 14.0, 20.0, 45.0, 17.0, 21.0, 12.0, 28.0, 23.0, 12.0] * 2
    free, ends = [0.0] * cores, []
    for nth, seconds in enumerate(expected):
        core = free.index(min(free))
        free[core] += slower * seconds * (1.3 if nth % 2 else 0.8) + 2
        ends.append((free[core], nth))
    ends.sort()
    for k, (now, _) in enumerate(ends[: -2 * cores]):
        ended = [expected[nth] for _, nth in ends[: k + 1]]
        ahead = [expected[nth] for _, nth in ends[k + 1 :]]
        told = terminal.remaining(ended, ahead, now, cores)
        assert 0.5 < told / (ends[-1][0] - now) < 2
