"""Systems on different segments: paired means against plain ones, and the replay of a design."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.verdict import cases, coverage
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.rank import balanced
from companion.legacy.rankstability.rank import standing as places
from companion.legacy.rankstability.rank.certainty import certainty
from companion.legacy.rankstability.score.scored import from_frame


def full(seed=0, documents=40, systems=6, gap=1.0, ease=6.0):
    """Every system judged on every document, two segments each."""
    rng = np.random.default_rng(seed)
    d, k, s = (a.ravel() for a in np.indices((documents, 2, systems)))
    score = gap * s + ease * rng.normal(size=documents)[d] + rng.normal(0, 2, len(d))
    frame = pd.DataFrame({"system": [f"s{i}" for i in s], "document": [f"d{i:02}" for i in d]})
    frame["segment"] = frame["document"] + "-" + k.astype(str)
    return frame.assign(score=score, worker="w" + pd.Series(d % 7).astype(str))


def replay(frame, rng, wave=0.4):
    """An adaptive campaign from complete data: half the systems go on to the other documents."""
    documents = rng.permutation(frame["document"].unique())
    first = frame["document"].isin(documents[: int(wave * len(documents))])
    means = frame[first].groupby("system")["score"].mean()
    good = means.nlargest(len(means) // 2).index
    return frame[first | frame["system"].isin(good)]


def paired_means(data):
    return balanced.within_segments(data, data.weights()).mean


def test_on_complete_data_paired_means_are_the_plain_ones():
    data = from_frame(full())
    rng = np.random.default_rng(0)
    assert coverage.complete(data) and np.isnan(coverage.looks_adaptive(data, rng))
    assert paired_means(data) == pytest.approx(data.means())
    assert coverage.design(data)["luck"].abs().max() < 1e-9


def test_paired_means_are_those_of_least_squares():
    frame = replay(full(3, documents=14, systems=4), np.random.default_rng(0))
    got = paired_means(from_frame(frame))
    fit = smf.ols("score ~ C(system) + C(segment)", frame).fit()
    for k in range(1, 4):
        assert got[k] - got[0] == pytest.approx(fit.params[f"C(system)[T.s{k}]"])


@pytest.mark.parametrize("weight", [1.0, 0.25])
def test_what_is_summed_by_segment_is_what_is_summed_by_judgment(weight):
    """Means, influences of segments and shares; one segment is of a system alone."""
    frame = replay(full(4, documents=9, systems=4), np.random.default_rng(0))
    frame = pd.concat([frame, frame[::3].assign(score=7.5)], ignore_index=True)
    frame.loc[len(frame)] = ["s1", "d99", "d99-0", 3.0, "w0"]
    data = from_frame(frame)
    every = weight * np.ones(len(data.score))
    means, influence, share = balanced.by_segment(data, every)
    made = balanced.within_segments(data, every)
    np.testing.assert_allclose(means, made.mean)
    assert np.average(means) == pytest.approx(frame["score"].mean())
    np.testing.assert_allclose(influence, made.influence(data.segment), atol=1e-10)
    cell = data.segment * 4 + data.system
    np.testing.assert_allclose(share.ravel(), np.bincount(cell, made.share, share.size))
    by_hand = coverage.design(data).set_index("system")
    np.testing.assert_allclose(by_hand["paired"], paired_means(data))


def test_a_replay_shows_the_bias_of_plain_means_and_that_paired_means_remove_it():
    rng = np.random.default_rng(1)
    plain, paired, seen = [], [], []
    for seed in range(40):
        frame = full(seed)
        truth = frame.groupby("system")["score"].mean().to_numpy()  # on all documents
        data = from_frame(replay(frame, rng))
        table = coverage.design(data)
        judged_more = (table["segments"] == table["segments"].max()).to_numpy()
        for means, errors in ((table["mean"], plain), (table["paired"], paired)):
            wrong = (means - truth).to_numpy()
            errors.append(wrong[judged_more].mean() - wrong[~judged_more].mean())
        seen.append(coverage.looks_adaptive(data, np.random.default_rng(2)))
        gap = table["mean"] - table["paired"]
        assert table["luck"].to_numpy() == pytest.approx(gap - gap.mean())
    # who went on has other documents: a plain difference is off by what these are easier or harder
    assert np.std(plain) > 3 * np.std(paired)
    assert abs(np.mean(paired)) < 3 * np.std(paired) / np.sqrt(40)
    assert np.median(seen) < 0.05  # and the design is seen from the data


def test_systems_without_a_common_segment_cannot_be_compared():
    frame = full(systems=2)
    keep = (frame["system"] == "s0") == (frame["document"] < "d20")
    data = from_frame(frame[keep])
    assert not balanced.connected(data) and "luck" not in coverage.design(data)
    with pytest.raises(DataError, match="share no segments"):
        paired_means(data)


# ------------------------------------------------------------------ what is certain of them


def test_on_complete_data_within_segments_says_what_plain_means_say():
    data = from_frame(full(3, documents=12, systems=4))
    plain, within = certainty(data), certainty(replace(data, adaptive=True))
    np.testing.assert_allclose(within.p, plain.p, atol=1e-10)
    np.testing.assert_allclose(within.mean, plain.mean)
    assert (within.df == pytest.approx(plain.df)) and (within.held == plain.held).all()


def test_the_influence_of_a_judgment_is_that_of_least_squares():
    frame = replay(full(5, documents=10, systems=4), np.random.default_rng(0))
    data = from_frame(frame)
    made = balanced.within_segments(data, data.weights())
    mean, share = made.mean, made.share
    influence = made.influence(np.arange(len(data.score)))
    assert influence.sum(axis=0) == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(np.bincount(data.system, share), 1)
    fit = smf.ols("score ~ C(system) + C(segment)", frame).fit()
    # one step: the row of (X'X)^-1 X' times the residual
    x = fit.model.exog
    at = [fit.model.exog_names.index(f"C(system)[T.s{k}]") for k in range(1, 4)]
    each = (np.linalg.inv(x.T @ x) @ x.T)[at] * fit.resid.to_numpy()
    np.testing.assert_allclose((influence[:, 1:] - influence[:, :1]).T, each, atol=1e-8)
    # what stands alone in its segment compares nothing
    more = pd.DataFrame([{"system": "s0", "segment": "x", "document": "d", "score": 9.0}])
    data = from_frame(pd.concat([frame, more], ignore_index=True))
    again = balanced.within_segments(data, data.weights())
    influence = again.influence(np.arange(len(data.score)))
    assert np.ptp(again.mean - mean) < 1e-9
    assert again.share[-1] == pytest.approx(0) and np.allclose(influence[-1], 0, atol=1e-9)


def test_equal_systems_in_an_adaptive_design_are_told_apart_as_seldom_as_promised():
    """Later documents are easier, and who looks good goes on: plain means are then wrong."""
    rng, false, tries = np.random.default_rng(8), {True: 0, False: 0}, 100
    for seed in range(tries):
        frame = replay(full(seed, documents=20, systems=3, gap=0.0, ease=1.0), rng)
        late = frame.groupby("document")["system"].transform("nunique") < 3
        data = from_frame(frame.assign(score=frame["score"] + 3.0 * late))
        for adaptive in false:
            got = certainty(replace(data, adaptive=adaptive), "document")
            false[adaptive] += bool(got.declared.any())
    assert false[False] > 0.25 * tries
    assert false[True] <= (0.05 + 2 * np.sqrt(0.05 * 0.95 / tries)) * tries


def test_a_campaign_declared_adaptive_is_ranked_within_segments(tmp_path):
    frame = full(2, documents=24, ease=0.0)
    late = frame["document"] >= "d12"
    frame["score"] = frame["score"] / 4 + 50 + np.where(late, 10.0, 0.0)
    frame = frame[~late | frame["system"].isin(["s1", "s3", "s5"])]
    frame = frame.rename(columns={"worker": "annotator"})
    frame.to_csv(tmp_path / "judgments_en-cs.csv", index=False)
    orders = {}
    for adaptive in ("true", "false"):
        (tmp_path / "campaign.yaml").write_text(f"adaptive: {adaptive}\n")
        campaign = campaigns.find(tmp_path)
        [pair] = campaign.pairs
        [one] = cases.cases(campaign, pair, campaigns.load(campaign, pair))
        assert one.own.adaptive == (adaptive == "true")
        made = cases.standing(one, "document")
        orders[adaptive] = made.table["system"].tolist()
        assert made.table["score"].tolist() == sorted(made.table["score"], reverse=True)
        assert set(made.places["below"]) == {1, 2, 3, 4, 5}
    assert orders["false"] == ["s5", "s3", "s1", "s4", "s2", "s0"]
    assert orders["true"] == ["s5", "s4", "s3", "s2", "s1", "s0"]
    assert places.tops(np.array([2, 0, 1])) == [{2}, {0, 2}]
    (tmp_path / "campaign.yaml").write_text("adaptive: perhaps\n")
    with pytest.raises(DataError, match="adaptive"):
        campaigns.find(tmp_path)


def test_segments_connect_systems_in_a_chain():
    rows = [("a", "x", 1.0), ("b", "x", 3.0), ("b", "y", 2.0), ("c", "y", 7.0)]
    frame = pd.DataFrame(rows, columns=["system", "segment", "score"])
    chain = from_frame(frame)
    assert balanced.connected(chain)
    mean = paired_means(chain)
    assert (mean[1] - mean[0], mean[2] - mean[1]) == pytest.approx((2, 5))
    assert mean.mean() == pytest.approx(13 / 4)
    assert not balanced.connected(from_frame(frame[frame["segment"] != "y"].assign(
        segment=["x", "z"])))  # fmt: skip


def test_weights_of_judgments_are_those_of_least_squares():
    frame = replay(full(6, documents=8, systems=3), np.random.default_rng(0))
    weight = np.random.default_rng(1).uniform(0.2, 3, len(frame))
    data = from_frame(frame)
    made = balanced.within_segments(data, weight)
    fit = smf.wls("score ~ C(system) + C(segment)", frame, weights=weight).fit()
    for k in (1, 2):
        assert made.mean[k] - made.mean[0] == pytest.approx(fit.params[f"C(system)[T.s{k}]"])
    assert made.mean.mean() == pytest.approx(np.average(frame["score"], weights=weight))
    means, influence, _ = balanced.by_segment(data, weight)
    np.testing.assert_allclose(means, made.mean)
    np.testing.assert_allclose(influence, made.influence(data.segment), atol=1e-9)
    with pytest.raises(FrozenInstanceError):
        made.mean = means


def test_systems_that_share_no_segment_are_refused_by_segment_too():
    rows = [("a", "x", 1.0), ("b", "y", 3.0)]
    apart = from_frame(pd.DataFrame(rows, columns=["system", "segment", "score"]))
    with pytest.raises(DataError, match="share no segments") as error:
        balanced.by_segment(apart, np.ones(2))
    assert error.value.expected == "segments that connect them"
