"""DA scores against pandas; judgments without a z-score, by the rule of the campaign."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from assessments import toy
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks import outlier_removal, replication
from companion.legacy.rankstability import load, rank_systems, remove, segment_scores
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment, direct_assessment, unstandardised
from companion.legacy.rankstability.score.da import averages, judgment_z, moments, standardised


@pytest.fixture(scope="module")
def demo() -> DirectAssessment:
    return campaigns.load_da(campaigns.find("demo-srpdc"), "de-en")


def slow_scores(da: DirectAssessment) -> pd.DataFrame:
    """The definitions of Knowles (2021), section 3, row by row."""
    z = {}
    for worker, rows in da.latest.groupby("worker", observed=True):
        x = rows["score"].to_numpy(float)
        z[worker] = (x.mean(), x.std(ddof=1) if len(x) > 1 else float("nan"))
    cells: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in da.good.itertuples(index=False):
        if row.type not in ("SYSTEM", "REPEAT"):
            continue
        mean, sd = z[row.worker]
        score = (row.score - mean) / sd if sd > 0 else float("nan")
        cells.setdefault((row.system, row.segment), []).append((row.score, score))
    out = []
    for (system, segment), pairs in cells.items():
        known = [v for _, v in pairs if not np.isnan(v)]
        raw = sum(v for v, _ in pairs) / len(pairs)
        out.append((system, segment, raw, np.mean(known) if known else np.nan, len(pairs)))
    return pd.DataFrame(out, columns=["system", "segment", "raw", "z", "judgments"])


def test_segment_scores_equal_the_row_by_row_version(demo):
    key = ["system", "segment"]
    slow = slow_scores(demo).sort_values(key).reset_index(drop=True)
    fast = segment_scores(demo).frame().sort_values(key).reset_index(drop=True)
    assert list(map(tuple, fast[key].to_numpy())) == list(map(tuple, slow[key].to_numpy()))
    for column in ("raw", "z", "judgments"):
        assert np.allclose(fast[column], slow[column], atol=1e-12, equal_nan=True)


def test_no_counting_row_is_an_error(demo):
    only = demo.good[demo.good["type"] == "BAD_REF"]
    with pytest.raises(DataError, match="no judgments of type SYSTEM or REPEAT"):
        segment_scores(DirectAssessment(demo.pair, demo.latest, only, demo.excluded))


def test_segment_frames_average_to_the_same_means():
    frame = pd.DataFrame(
        {
            "system": ["b", "a", "a"],
            "segment": ["1", "2", "1"],
            "raw": [50.0, 60.0, 80.0],
            "z": [-1.0, 0.5, float("nan")],
            "n": [1, 2, 1],
        }
    )
    means = segment_scores(frame).system_means().set_index("system")
    assert means.loc["a"].tolist() == [70.0, 0.5, 2, 3]
    assert means.loc["b"].tolist() == [50.0, -1.0, 1, 1]


def test_a_worker_who_always_gives_the_same_decimal_has_no_z_score(demo):
    latest, good = demo.latest.copy(), demo.good.copy()
    worker = latest["worker"].cat.categories[0]
    for frame in (latest, good):
        frame.loc[frame["worker"] == worker, "score"] = 66.7  # its mean is not exactly 66.7
    same = DirectAssessment(demo.pair, latest, good, demo.excluded)
    assert np.isnan(judgment_z(same)[(good["worker"] == worker).to_numpy()]).all()


def test_means_and_deviations_by_code_are_unknown_without_enough_values():
    codes, values = np.array([2, 0, 0, 0]), np.array([5.0, 1, 2, 6])
    mean, count = averages(codes, values, 4)
    np.testing.assert_array_equal(mean, [3, np.nan, 5, np.nan])
    assert count.tolist() == [3, 0, 1, 0]
    again, sd, _ = moments(codes, values, 4)
    np.testing.assert_array_equal(again, mean)
    np.testing.assert_allclose(sd, [np.sqrt(14 / 2), np.nan, np.nan, np.nan])
    np.testing.assert_allclose(moments(np.zeros(2, int), values[1:3], 1)[1], [np.sqrt(1 / 2)])


def test_z_scores_by_hand_and_where_there_are_none():
    score, mean = np.array([7.0, 5, 5, 5, 5]), np.array([4.0, 5, 5, np.nan, 5])
    sd = np.array([0.5, 0, np.nan, np.nan, 1e-9])
    nan = np.nan
    np.testing.assert_array_equal(standardised(score, mean, sd, "drop"), [6, nan, nan, nan, nan])
    np.testing.assert_array_equal(standardised(score, mean, sd, "zero"), [6, 0, 0, nan, 0])


def test_z_scores_are_by_the_unmarked_rows_or_by_those_of_a_mask():
    da = toy(joined=False)
    own = da.good["score"].to_numpy()[:7]
    np.testing.assert_allclose(judgment_z(da)[:7], (own - own.mean()) / own.std(ddof=1))
    base = np.arange(11) != 3
    some = np.delete(own, 3)
    expected = (own - some.mean()) / some.std(ddof=1)
    np.testing.assert_allclose(judgment_z(da, base)[:7], expected)
    latest = da.latest.assign(mark=["x" if k == 3 else None for k in range(11)])
    np.testing.assert_allclose(judgment_z(replace(da, latest=latest))[:7], expected)


def test_judgments_of_nobody_have_no_z_score_and_count_for_nobodys():
    da = toy(joined=False)
    unnamed = da.good["worker"].mask(np.arange(11) == 10)
    z = judgment_z(replace(da, good=da.good.assign(worker=unnamed)))
    np.testing.assert_array_equal(z, np.append(judgment_z(da)[:10], np.nan))
    both = replace(da, good=da.good.assign(worker=unnamed), latest=da.latest.assign(worker=unnamed))
    for rule in ("drop", "zero"):
        z = judgment_z(replace(both, zero_variance=rule))
        own = np.array([0, 0, 88.0])
        np.testing.assert_allclose(z[7:10], (own - own.mean()) / own.std(ddof=1))
        assert np.isnan(z).tolist() == [False] * 10 + [True]
    assert unstandardised(both).tolist() == [""] * 10 + ["worker without rows in ad-latest"]
    nobody = direct_assessment("xx-yy", da.good.drop(columns="worker"))
    assert np.isnan(judgment_z(nobody)).all()


# ------------------------------------------------------------------ judgments without z


def lazy_campaign(folder, rule="", alone=""):
    """A campaign in which one worker always gives 70 and one is not among all scores.

    Of B and C only the judgments of the worker `alone`, if one is named.
    """
    rng = np.random.default_rng(5)
    lines = []
    for worker in ("w1", "w2", "lazy", "stranger"):
        for system, level in (("A", 60), ("B", 50), ("C", 40)):
            for segment in range(6):
                score = 70 if worker == "lazy" else int(level + rng.integers(-20, 20))
                lines.append((worker, system, f"d_{segment}", score))
    # only B is judged by the stranger: dropping those judgments must show beside B
    lines = [line for line in lines if line[0] != "stranger" or line[1] == "B"]
    lines = [line for line in lines if line[1] == "A" or alone in ("", line[0])]
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


NEVER, UNKNOWN = "6 of a worker whose scores never vary", "6 of a worker without rows in ad-latest"


@pytest.mark.parametrize(
    ("alone", "expected"), [("lazy", {"B": NEVER, "C": NEVER}), ("stranger", {"B": UNKNOWN})]
)
def test_systems_without_a_score_are_refused_with_file_and_cause(tmp_path, alone, expected):
    lazy_campaign(tmp_path, alone=alone)
    with pytest.raises(DataError) as error:
        rank_systems(segment_scores(load(tmp_path, "cs-en")))
    said = str(error.value)
    assert said.startswith(str(tmp_path)) and "zero_variance" in said
    assert error.value.value == expected and error.value.column == "mean_z"
    rank_systems(segment_scores(load(tmp_path, "cs-en")), by="mean_raw")  # by raw scores they rank
