"""DA scores against pandas and SciPy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from demo_da import simulate_da
from scipy.stats import zscore

from rankstability.errors import DataError
from rankstability.judgments import DirectAssessment
from rankstability.rank.systems import rank_systems
from rankstability.read import campaigns
from rankstability.score.da import judgment_z, worker_statistics
from rankstability.score.scored import segment_scores


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


def test_worker_z_scores_are_scipys_with_ddof_1(demo):
    worker = demo.latest["worker"].iloc[0]
    mine = demo.latest[demo.latest["worker"] == worker]
    same = DirectAssessment(demo.pair, mine, mine, demo.excluded)
    assert np.allclose(judgment_z(same), zscore(mine["score"].to_numpy(float), ddof=1))
    assert worker_statistics(mine).loc[worker, "judgments"] == len(mine)


def test_workers_without_variance_count_in_raw_means_but_not_in_z(demo):
    sd = worker_statistics(demo.latest)["sd"]
    constant = sd.index[sd == 0]
    assert len(constant) >= 1  # the demo holds such workers
    rows = demo.good["worker"].isin(constant).to_numpy()
    assert np.isnan(judgment_z(demo)[rows]).all()
    without = DirectAssessment(demo.pair, demo.latest, demo.good[~rows], demo.excluded)
    a, b = segment_scores(demo).system_means(), segment_scores(without).system_means()
    assert np.allclose(a["mean_z"], b["mean_z"])
    assert (a["judgments"] > b["judgments"]).any()


def test_rescaling_and_shifting_a_worker_leaves_the_ranking(demo):
    latest, good = demo.latest.copy(), demo.good.copy()
    for k, worker in enumerate(latest["worker"].cat.categories):
        for frame in (latest, good):
            rows = frame["worker"] == worker
            frame.loc[rows, "score"] = frame.loc[rows, "score"] * (0.5 + 0.25 * k) - 7 * k
    moved = DirectAssessment(demo.pair, latest, good, demo.excluded)
    a, b = rank_systems(segment_scores(demo)), rank_systems(segment_scores(moved))
    assert a.systems == b.systems
    assert np.allclose(a.table["mean_z"], b.table["mean_z"])


def test_the_order_of_rows_does_not_matter(demo):
    rng = np.random.default_rng(3)
    shuffled = DirectAssessment(
        demo.pair,
        demo.latest.iloc[rng.permutation(len(demo.latest))],
        demo.good.iloc[rng.permutation(len(demo.good))],
        demo.excluded,
    )
    a, b = rank_systems(segment_scores(demo)), rank_systems(segment_scores(shuffled))
    assert a.systems == b.systems
    assert np.allclose(a.table["mean_z"], b.table["mean_z"], atol=1e-12)


def test_no_counting_row_is_an_error(demo):
    only = demo.good[demo.good["type"] == "BAD_REF"]
    with pytest.raises(DataError, match="no judgments of type SYSTEM or REPEAT"):
        segment_scores(DirectAssessment(demo.pair, demo.latest, only, demo.excluded))


def test_sr_dc_recovers_the_truth_better_than_sr_plus_dc():
    """With equal effort: what Knowles (2021) finds on real data holds by construction here."""
    mistakes = {}
    for style in ("SR-DC", "SR+DC"):
        count = 0
        for seed in range(8):
            made = simulate_da(style, np.random.default_rng([seed, 11]))
            frames = [
                f.rename(columns={"WorkerId": "worker", "sys_id": "system", "sid": "segment"})
                for f in (made.latest, made.good)
            ]
            for frame in frames:
                for name in ("worker", "system", "segment", "type"):
                    frame[name] = frame[name].astype(str).astype("category")
            da = DirectAssessment("de-en", *frames, pd.DataFrame())
            order = rank_systems(segment_scores(da)).systems
            value = made.truth[list(order)].to_numpy()
            count += int((value[:, None] < value[None, :])[np.triu_indices(len(value), 1)].sum())
        mistakes[style] = count
    assert mistakes["SR-DC"] < mistakes["SR+DC"], mistakes


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


def test_one_sided_p_values_are_not_corrected_over_unordered_pairs(demo):
    with pytest.raises(DataError, match="one p-value for each pair"):
        rank_systems(segment_scores(demo), test="greater", correction="holm")
