"""WMT23's recipe on WMT-SLT23: the official means, ranks and lines, both results."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from conftest import needs, real
from rankstability.judgments import direct_assessment
from rankstability.rank.recipes import RECIPES, counted_by, made_by
from rankstability.rank.systems import rank_systems

WITH_DOCUMENTS = "no document with a bad item, document scores too"
RAW = replace(RECIPES["wmt23"], rows=WITH_DOCUMENTS)
Z = replace(RECIPES["wmt23"], score="z")
STYLES = {"both_domains": "both", "srf": "document", "signsuisse": "segment"}


def judgments(style="both", annotators="ABC"):
    """The exports' rows; a segment is itemid and documentid, a worker an account."""
    folder = real("wmt-slt23")
    columns = (folder / "header.csv").read_text().strip().split(",")
    styles = ["document", "segment"] if style == "both" else [style]
    names = [f"{s}-style/WMT23SLT{s[:3].title()}{a}.scores.csv" for s in styles for a in annotators]
    rows = pd.concat([pd.read_csv(folder / n, header=None, names=columns) for n in names])
    whole = rows["isdocumentlevelscore"]
    rows = rows.assign(
        worker=rows["username"], segment=rows["itemid"].astype(str) + ":" + rows["documentid"],
        type="SYSTEM", mark=np.where(whole, "document score", None),
    )  # fmt: skip
    da = direct_assessment("sgg-de", rows, rows[~whole])
    return replace(da, zero_variance="zero")


def tables():
    """Tables of the latest results: (rank, mean, system) and the rows with a line below."""
    text = (real("wmt-slt23") / "official" / "scores.log").read_text()
    for name, body in re.findall(r"\{c\}\{(\w+)\}\\\\\n(.*?)\\bottomrule", text, re.DOTALL):
        rows = re.findall(r"^([\d-]+) & ([\d.]+) & (.*?)\\\\(?: (\\hline))?$", body, re.MULTILINE)
        yield name, rows


@needs("wmt-slt23")
def test_the_latest_results_are_all_there():
    seen = dict(tables())
    assert set(STYLES) <= set(seen)
    for name, style in STYLES.items():
        ranking = rank_systems(judgments(style), recipe=RAW)
        for row, (place, mean, system, _) in zip(
            ranking.table.itertuples(), seen[name], strict=True
        ):
            low_high = [int(k) for k in place.split("-")]
            assert (row.rank_low, row.rank_high) == (low_high[0], low_high[-1]), (name, system)
            assert f"{row.score:.3f}" == mean
            shown = system.replace("\\", "").replace("HUMAN", "translator-A")
            assert row.system.lower() == shown.lower()
        lines = [k for k, row in enumerate(seen[name], 1) if row[3] and k < 5]
        assert list(ranking.lines) == lines == [1, 2]


@needs("wmt-slt23")
@pytest.mark.parametrize(
    ("name", "style", "annotators"),
    [
        ("", "both", "ABC"), ("_A", "both", "A"), ("_B", "both", "B"), ("_C", "both", "C"),
        ("_Doc", "document", "ABC"), ("_Seg", "segment", "ABC"),
    ],
)  # fmt: skip
def test_the_earlier_results_in_z_too(name, style, annotators):
    text = (real("wmt-slt23") / "official" / "results.txt").read_text()
    part = text.partition(f"WMT23SLT{name}.results.log")[2].split("==>")[0]
    official = [line.replace("\\", "").split()[1:] for line in part.splitlines()[2:] if line]
    da = judgments(style, annotators)
    judged = counted_by(da, Z)
    made, raw = made_by(judged, Z), counted_by(da, RECIPES["wmt23"]).means()
    for k, (system, place, mean, z) in enumerate(official):
        code = made.order[k]
        ends = [int(part) for part in place.split("-")]
        assert judged.systems[code] == system
        assert (made.table["rank_low"][k], made.table["rank_high"][k]) == (ends[0], ends[-1])
        assert f"{made.score[k]:.3f}" == z and f"{raw[code]:.1f}" == mean
