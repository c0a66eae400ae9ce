"""Releases of other campaigns come out as their organisers printed them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from conftest import needs, real
from rankstability.rank.recipes import RECIPES, make
from rankstability.read.appraise import read_appraise
from rankstability.score.da import judgment_z
from rankstability.score.scored import from_assessment

# ------------------------------------------------------------------ WMT-SLT23


def slt23(files):
    """The judgments of some of the six files, each account an annotator."""
    return read_appraise(tuple(sorted(real("wmt-slt23").glob(f"*/{files}.scores.csv"))), "sgg-de")


def means(rows, name):
    """Mean over segments of the mean over their rows, best first."""
    segments = rows.groupby(["system", "segment"], observed=True)[name].mean()
    return segments.groupby("system", observed=True).mean().sort_values(ascending=False)


@needs("wmt-slt23")
@pytest.mark.parametrize(
    ("domain", "files", "keys", "best", "worst"),
    [
        ("both_domains", "*", 546, [1, 2, 3, 3, 3], [1, 2, 5, 5, 5]),
        ("srf", "WMT23SLTDoc?", 271, [1, 2, 3, 3, 4], [1, 2, 4, 5, 5]),
        ("signsuisse", "WMT23SLTSeg?", 275, [1, 2, 3, 3, 3], [1, 2, 5, 5, 5]),
    ],
)
def test_the_raw_tables_of_slt23_hold_the_scores_of_documents(domain, files, keys, best, worst):
    log = (real("wmt-slt23") / "official" / "scores.log").read_text()
    part = log.split(f"Results for {domain} =")[1].split("====== ")[0]
    printed = re.findall(r"^\S+ \('(.+?)', (\d+), ([0-9.]+), ", part, re.MULTILINE)
    da = slt23(files)
    rows, ours = da.latest, means(da.latest, "score")
    assert rows["segment"].nunique() == keys
    assert list(ours.index) == [system for system, _, _ in printed]
    np.testing.assert_allclose(ours, [float(mean) for _, _, mean in printed], rtol=1e-9)
    counts = rows["system"].value_counts()
    assert [counts[system] for system in ours.index] == [int(n) for _, n, _ in printed]
    everything = from_assessment(replace(da, good=rows.drop(columns="mark")))
    made = make(RECIPES["wmt23"], everything.matrix())
    assert [everything.systems[k] for k in made.order] == list(ours.index)
    assert (made.best.tolist(), made.worst.tolist()) == (best, worst)
    assert np.flatnonzero(made.lines).tolist() == [0, 1]


@needs("wmt-slt23")
@pytest.mark.parametrize("part", ["", "_A", "_B", "_C", "_Doc", "_Seg"])
def test_the_z_tables_of_slt23_are_by_account_without_the_scores_of_documents(part):
    text = (real("wmt-slt23") / "official" / "results.txt").read_text()
    table = text.split(f"results/WMT23SLT{part}.results.log")[1].split("==>")[0]
    printed = re.findall(r"^dsgs-de +(\S+) +\S+ +(\S+) +(\S+)$", table, re.MULTILINE)
    da = slt23(f"*{part[1:]}*" if len(part) > 2 else f"*{part[1:]}")
    rows = da.good.assign(z=judgment_z(replace(da, zero_variance="zero")))
    raw, z = means(rows, "score"), means(rows, "z")
    assert len(printed) == 5
    for system, score, standardised in printed:
        name = system.replace("\\", "")
        assert (f"{raw[name]:.1f}", f"{z[name]:.3f}") == (score, standardised)
    assert list(z.index) == [system.replace("\\", "") for system, _, _ in printed]
