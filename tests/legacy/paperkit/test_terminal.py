"""The line of a job that ended, and the time left."""

import pytest

from companion.legacy.paperkit import paths, terminal


def test_it_looks_at_this_repository():
    assert terminal.ROOT == paths.ROOT


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
