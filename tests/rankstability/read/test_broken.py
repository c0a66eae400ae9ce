"""A corpus of broken campaigns: each is read right, or refused with one clear DataError.

The cases come from the example of each format in ``formats.yaml``, so that a format that joins the
registry joins the corpus. A case may not give a traceback, hang, or be read silently as something
else: a value that is accepted is in the judgments, or counted as left out, or in a column that is
not read.
"""

from __future__ import annotations

import contextlib
import random
import signal
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import broken
from rankstability import (
    DataError,
    find,
    load,
    mqm_scores,
    pair_counts,
    rank_systems,
    segment_scores,
)
from rankstability.judgments import DirectAssessment
from rankstability.read import formats

SECONDS = 30  # a case that takes longer hangs


@contextlib.contextmanager
def watched():
    def ring(*_):
        raise TimeoutError("hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


SCORES = ("score", "raw", "z", "n", "rank", "time", "severity", "category")


def frame_of(judgments):
    """All judgments as text in one frame, and what is said to be left out."""
    if isinstance(judgments, DirectAssessment):
        frame = pd.concat([judgments.latest.astype(str), judgments.good.astype(str)])
        return frame, str(judgments.excluded.to_dict("list"))
    return judgments.astype(str), str(judgments.attrs)


def accounted(value, frames, usual):
    """Whether a value that was accepted can be seen: in a cell, as a missing one, or counted.

    Or it stands in a column that is not read; or an id was numbered, which any id may be; or a
    number was a point in time, of which differences are kept.
    """
    texts = Counter(c.strip() for frame, _ in frames for c in frame.to_numpy().ravel())
    before = Counter(c.strip() for frame, _ in usual for c in frame.to_numpy().ravel())
    numbers = {str(float(value))} if _number(value) else set()
    if value.strip() in texts or numbers & texts.keys() or texts == before:
        return True
    if not value.strip() and any(texts[gone] > before[gone] for gone in ("nan", "None", "")):
        return True
    if len(frames) != len(usual) or any(a[1] != b[1] for a, b in zip(frames, usual, strict=True)):
        return True
    if numbers and all("time" in frame for frame, _ in frames):
        timeless = [[f.drop(columns="time").astype(str) for f, _ in one] for one in (frames, usual)]
        if all(a.equals(b) for a, b in zip(*timeless, strict=True)):
            return True
    scores = [[f.filter(SCORES).to_numpy().tolist() for f, _ in one] for one in (frames, usual)]
    return scores[0] == scores[1] and "segment" in frames[0][0] and value.strip() != ""


def ranked(judgments):
    """A score per system, whatever the protocol: the first things that a notebook computes."""
    if isinstance(judgments, DirectAssessment) or "raw" in judgments:
        rank_systems(segment_scores(judgments))
    elif "severity" in judgments:
        mqm_scores(judgments)
    else:
        for _, task in judgments.groupby("task"):
            pair_counts(task)


def said(error, file):
    """Whether a DataError says where, what and what else was expected."""
    where = file is None or file.parent.name in str(error) or file.name in str(error)
    what = error.line is not None or error.column is not None or error.value is not None
    return where and (what or error.expected is not None) and len(str(error)) < 4000


def verdict(path, file, value, usual):
    """``right``, ``refused``, or what is wrong with how the case was handled."""
    try:
        with watched():
            campaign = find(path)
            judgments = [load(campaign, pair) for pair in campaign.pairs]
    except DataError as error:
        return "refused" if said(error, file) else f"unclear: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    try:
        with watched(), np.errstate(all="ignore"):
            for one in judgments:
                ranked(one)
    except DataError as error:
        if not said(error, file):
            return f"unclear when ranking: {error}"
    except Exception as error:
        return f"when ranking {type(error).__name__}: {str(error)[:150]}"
    if value is None or accounted(value, [frame_of(one) for one in judgments], usual):
        return "right"
    return "silent"


def _number(text):
    with contextlib.suppress(ValueError):
        return np.isfinite(float(text))
    return False


@contextlib.contextmanager
def case(folder, name, content=None):
    """The file of a case, in a folder of its own for as long as it lasts."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        yield broken.written(Path(made) / "case", name, content)


@pytest.mark.parametrize("name", formats.FORMATS)
def test_a_hostile_cell_is_read_refused_or_counted(name, tmp_path):
    campaign = find(broken.written(tmp_path / "good", name))
    usual = [frame_of(load(campaign, pair)) for pair in campaign.pairs]
    every = list(broken.cell_cases(name))
    random.Random(13).shuffle(every)  # one case by chance of each column and of each value
    cases = {key: case for case in every for key in (("in", case[0]), ("is", case[1]))}.values()
    wrong = []
    for column, value, content in dict.fromkeys(cases):
        with case(tmp_path, name, content) as file:
            outcome = verdict(file, file, value, usual)
        if outcome not in ("right", "refused"):
            wrong.append(f"{column} {value[:12]!r}: {outcome}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", formats.FORMATS)
def test_a_damaged_file_is_read_or_refused(name, tmp_path):
    wrong = []
    for what, content in broken.file_cases(name):
        with case(tmp_path, name, content) as file:
            outcome = verdict(file, file, None, None)
        if outcome not in (["refused"] if what.startswith("gzip") else ["right", "refused"]):
            wrong.append(f"{what}: {outcome}")
    assert not wrong, "\n".join(wrong[:40])


def test_settings_are_read_or_refused(tmp_path):
    wrong = []
    for what, text in broken.settings_cases():
        with case(tmp_path, "long") as file:
            (file.parent / "campaign.yaml").write_text(text)
            outcome = verdict(file.parent, file, None, None)
        if outcome not in ("right", "refused"):
            wrong.append(f"{what}: {outcome}")
    assert not wrong, "\n".join(wrong[:40])
