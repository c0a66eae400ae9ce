"""Systems on different segments: paired means against plain ones, and the replay of a design."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from conftest import needs
from rankstability.errors import DataError
from rankstability.rank import balanced
from rankstability.read import campaigns
from rankstability.score.scored import from_frame, scored


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


def test_on_complete_data_paired_means_are_the_plain_ones():
    data = from_frame(full())
    assert balanced.complete(data) and np.isnan(balanced.adaptive(data))
    assert balanced.paired_means(data) == pytest.approx(data.means())
    assert balanced.design(data)["luck"].abs().max() < 1e-9


def test_paired_means_are_those_of_least_squares():
    frame = replay(full(3, documents=14, systems=4), np.random.default_rng(0))
    got = balanced.paired_means(from_frame(frame))
    fit = smf.ols("score ~ C(system) + C(segment)", frame).fit()
    for k in range(1, 4):
        assert got[k] - got[0] == pytest.approx(fit.params[f"C(system)[T.s{k}]"])


def test_a_replay_shows_the_bias_of_plain_means_and_that_paired_means_remove_it():
    rng = np.random.default_rng(1)
    plain, paired, seen = [], [], []
    for seed in range(60):
        frame = full(seed)
        truth = frame.groupby("system")["score"].mean().to_numpy()  # on all documents
        data = from_frame(replay(frame, rng))
        table = balanced.design(data)
        judged_more = (table["segments"] == table["segments"].max()).to_numpy()
        for means, errors in ((table["mean"], plain), (table["paired"], paired)):
            wrong = (means - truth).to_numpy()
            errors.append(wrong[judged_more].mean() - wrong[~judged_more].mean())
        seen.append(balanced.adaptive(data))
    # who went on has other documents: a plain difference is off by what these are easier or harder
    assert np.std(plain) > 3 * np.std(paired)
    assert abs(np.mean(paired)) < 3 * np.std(paired) / np.sqrt(60)
    assert np.median(seen) > 0.8  # and the design is seen from the data


def test_easier_late_documents_flatter_who_went_on_unless_compared_within_segments():
    frame = full(2, ease=0.0)
    late = frame["document"] >= "d20"
    frame["score"] += np.where(late, 10.0, 0.0)
    good = frame["system"].isin(["s3", "s4", "s5"])
    data = from_frame(frame[~late | good])
    table = balanced.design(data).set_index("system")
    judged_more = table["segments"].rank().corr(table["paired"].rank())
    assert balanced.adaptive(data) == pytest.approx(judged_more) and judged_more > 0.8
    assert table.loc["s3", "mean"] - table.loc["s2", "mean"] > 5  # true gap 1
    assert table.loc["s3", "paired"] - table.loc["s2", "paired"] == pytest.approx(1, abs=0.6)
    assert table.loc["s3", "luck"] - table.loc["s2", "luck"] == pytest.approx(5, abs=0.5)


def test_systems_without_a_common_segment_cannot_be_compared():
    frame = full(systems=2)
    keep = (frame["system"] == "s0") == (frame["document"] < "d20")
    data = from_frame(frame[keep])
    assert not balanced.connected(data) and "luck" not in balanced.design(data)
    with pytest.raises(DataError, match="share no segments"):
        balanced.paired_means(data)


@needs("wmt24-esa")
def test_a_replay_on_wmt24_shows_and_removes_the_bias():
    data = scored(campaigns.load("wmt24-esa", "en-ja"))
    names = np.array(data.systems, object)
    frame = pd.DataFrame({"system": names[data.system], "segment": data.segment.astype(str)})
    frame["document"] = data.unit("document").astype(str)
    frame["score"] = data.score
    truth = from_frame(frame)
    whole = truth.means()
    rng, plain, paired = np.random.default_rng(0), [], []
    for _ in range(30):
        table = balanced.design(from_frame(replay(frame, rng, 0.3)))
        more = (table["share"] > 0.9).to_numpy()
        for column, errors in (("mean", plain), ("paired", paired)):
            wrong = table[column].to_numpy() - whole
            errors.append(wrong[more].mean() - wrong[~more].mean())
    # chosen by the first wave they also regress; what documents add is gone
    assert np.std(paired) < np.std(plain)
