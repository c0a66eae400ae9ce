"""Judgments without a z-score: counted, shown beside their system, by the rule of the campaign."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rankcompanion import outlier_removal, replication
from rankstability import DataError, load, rank_systems, remove, segment_scores
from rankstability.judgments import unstandardised
from rankstability.score.da import judgment_z


def lazy_campaign(folder, rule=""):
    """A campaign in which one worker always gives 70 and one is not among all scores."""
    rng = np.random.default_rng(5)
    lines = []
    for worker in ("w1", "w2", "lazy", "stranger"):
        for system, level in (("A", 60), ("B", 50), ("C", 40)):
            for segment in range(6):
                score = 70 if worker == "lazy" else int(level + rng.integers(-20, 20))
                lines.append((worker, system, f"d_{segment}", score))
    # only B is judged by the stranger: dropping those judgments must show beside B
    lines = [line for line in lines if line[0] != "stranger" or line[1] == "B"]
    head = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
    for name in ("ad-latest.csv", "ad-good-raw-redup.csv"):
        rows = [
            f"h {worker} cs en NA NA {system} NA SYSTEM {segment} {score} NA"
            for worker, system, segment, score in lines
            if worker != "stranger" or name.startswith("ad-good")
        ]
        (folder / name).write_text("\n".join([head, *rows]).replace(" ", "\t") + "\n")
    (folder / "campaign.yaml").write_text(f"zero_variance: {rule}\n" if rule else "title: x\n")
    return lines


@pytest.mark.parametrize("rule", ["", "drop", "zero"])
def test_workers_who_never_vary_follow_the_campaigns_rule_and_are_counted(tmp_path, rule):
    lines = pd.DataFrame(
        lazy_campaign(tmp_path, rule), columns=["worker", "system", "segment", "score"]
    )
    da = load(tmp_path, "cs-en")
    known = lines[lines["worker"] != "stranger"].copy()
    by_worker = known.groupby("worker")["score"]
    known["z"] = (known["score"] - by_worker.transform("mean")) / by_worker.transform("std")
    if rule == "zero":  # WMT22's official averages
        known["z"] = known["z"].fillna(0.0)
    expected = known.groupby(["system", "segment"])["z"].mean().groupby("system").mean()
    means = segment_scores(da).system_means().set_index("system")
    np.testing.assert_allclose(means["mean_z"], expected, rtol=1e-12)
    assert means["judgments"].to_dict() == {"A": 18, "B": 24, "C": 18}
    noted = da.excluded.set_index("reason")["rows"].to_dict()
    said = "z is 0" if rule == "zero" else "no z"
    assert noted[f"worker whose scores never vary ({said})"] == 18
    assert noted["worker without rows in ad-latest (no z)"] == 6
    table = replication.without_z(da).set_index("system")
    assert table["without_z"].to_dict() == {"A": 6, "B": 12, "C": 6}
    assert table["share"].tolist() == [6 / 18, 12 / 24, 6 / 18]
    lacking = ~np.isfinite(judgment_z(replace(da, zero_variance="drop")))
    assert (lacking == (unstandardised(da) != "")).all()


def test_removal_follows_the_campaigns_rule_too(tmp_path):
    lazy_campaign(tmp_path, "zero")
    da = load(tmp_path, "cs-en")
    for comparison in outlier_removal.study(da).singles:
        direct = segment_scores(remove(da, [comparison.name])).system_means()
        ours = comparison.changed.table.set_index("system")["mean_z"]
        np.testing.assert_allclose(ours[direct["system"]], direct["mean_z"], rtol=1e-12)


@pytest.mark.parametrize("cause", ["never varies", "stranger"])
def test_systems_without_a_score_are_refused_with_file_and_cause(tmp_path, cause):
    lazy_campaign(tmp_path)
    for name in ("ad-latest.csv", "ad-good-raw-redup.csv"):
        lines = (tmp_path / name).read_text().splitlines()
        gone = ("w1", "w2", "stranger" if cause == "never varies" else "lazy")
        kept = [
            x
            for x in lines
            if "\tC\t" not in x.replace("\tB\t", "\tC\t")
            or not any(f"\t{worker}\t" in x for worker in gone)
        ]
        (tmp_path / name).write_text("\n".join(kept) + "\n")
    with pytest.raises(DataError) as error:
        rank_systems(segment_scores(load(tmp_path, "cs-en")))
    said = str(error.value)
    assert said.startswith(str(tmp_path)) and "zero_variance" in said
    if cause == "never varies":
        expected = {name: "6 of a worker whose scores never vary" for name in "BC"}
    else:
        expected = {"B": "6 of a worker without rows in ad-latest"}
    assert error.value.value == expected and error.value.column == "mean_z"
    rank_systems(segment_scores(load(tmp_path, "cs-en")), by="mean_raw")  # by raw scores they rank
