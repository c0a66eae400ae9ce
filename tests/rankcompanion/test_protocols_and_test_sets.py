"""Agreement between protocols and within one, between test sets and random documents."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from conftest import needs
from rankcompanion import protocols_and_test_sets
from rankstability.errors import DataError
from rankstability.rank.comparing import tau
from rankstability.read import campaigns, official
from rankstability.score.scored import from_frame, scored


def study(seed, quality=(0, 1, 2, 3), documents=24, noise=0.5, shared=None):
    """Scores of systems on documents of five segments; `shared` are document effects."""
    rng = np.random.default_rng(seed)
    segment = np.arange(documents * 5)
    of = np.zeros((documents, len(quality))) if shared is None else shared
    score = np.asarray(quality) + of[segment // 5] + rng.normal(0, noise, (len(segment), 4))
    s, k = (i.ravel() for i in np.indices(score.shape))
    return from_frame(
        pd.DataFrame(
            {
                "system": np.array(list("abcd"))[k],
                "segment": [f"{i:03d}" for i in s],
                "document": [f"d{i // 5:02d}" for i in s],
                "score": score.ravel(),
            }
        )
    )


@cache
def protocols_of_wmt23():
    whole = campaigns.find("wmt23-protocols")
    studies = {part: scored(campaigns.load(whole.part(part), "en-de")) for part in whole.parts}
    return whole, studies


@needs("wmt23-protocols")
def test_the_published_studies_agree_as_measured():
    """INFERENCE of this project: tau on the 207 segments that the five studies share."""
    whole, studies = protocols_of_wmt23()
    both = protocols_and_test_sets.common(studies)
    assert both.scores.shape == (5, 207, 13) and both.shared(*both.names).all()
    pairs, table = protocols_and_test_sets.agreement(both, np.random.default_rng(1), 200)
    found = pairs.set_index(["first", "second"])["tau"]
    for (first, second), value in {
        ("ESA-1", "ESA-2"): 0.85,
        ("ESA-AI-1", "ESA-AI-2"): 0.72,
        ("ESA-1", "MQM-1"): 0.86,
        ("ESA-2", "MQM-1"): 0.84,
        ("ESA-1", "ESA-AI-1"): 0.79,
        ("ESA-1", "ESA-AI-2"): 0.67,
        ("ESA-2", "ESA-AI-2"): 0.62,
    }.items():
        assert found[first, second] == pytest.approx(value, abs=0.0051)
    # the means of the other two over whatever of these segments they judged
    scores = official.seg_scores(whole, "en-de")
    ours = dict(zip(both.names, both.scores.mean(axis=1), strict=True))
    for name, other, value in (("ESA-1", "da-sqm", 0.72), ("MQM-1", "mqm", 0.86)):
        here = scores[other][scores[other]["segment"].isin(both.segments)]
        means = here.groupby("system")["score"].mean().loc[list(both.systems)]
        assert tau(ours[name], means.to_numpy()) == pytest.approx(value, abs=0.0051)
    # the organisers' scores of the same studies give the same tau
    again = {n: from_frame(scores[n.replace("ESA-AI", "ESAAI")]) for n in studies}
    theirs, _ = protocols_and_test_sets.agreement(
        protocols_and_test_sets.common(again, "segment"), np.random.default_rng(1), 2
    )
    theirs = theirs.set_index(["first", "second"])["tau"]
    plain = [k for k in found.index if "MQM-1" not in k]  # punctuation is weighed otherwise there
    np.testing.assert_allclose(found[plain], theirs[plain])
    # with these documents no two protocols agree measurably less than one with itself
    assert ((table["low"] < 0) & (table["high"] > 0)).all()


def test_one_protocol_twice_agrees_with_itself_and_a_turned_one_does_not():
    studies = {
        "X-1": study(1),
        "X-2": study(2),
        "Y-1": study(3, (3, 2, 1, 0)),
        "Y-2": study(4, (3, 2, 1, 0)),
    }
    both = protocols_and_test_sets.common(studies)
    pairs, table = protocols_and_test_sets.agreement(both, np.random.default_rng(5), 300)
    assert pairs.groupby("kind")["tau"].agg(["min", "max"]).to_numpy().tolist() == [
        [-1, -1],
        [1, 1],
    ]
    row = table.iloc[0]
    assert (row["repeated"], row["between"], row["within"]) == ("X + Y", -1.0, 1.0)
    assert row["high"] < -1.5
    kept = protocols_and_test_sets.kept(both, "wmt24").set_index(["first", "second"])
    assert kept.loc[("X-1", "X-2"), ["pairs_claimed", "srp", "lines", "lines_kept"]].tolist() == [
        6,
        1,
        3,
        3,
    ]
    assert kept.loc[("X-1", "Y-1"), ["srp", "opposite", "lines_kept"]].tolist() == [0, 1, 0]


def test_intervals_of_equal_protocols_hold_zero_about_as_often_as_promised():
    """Two protocols that differ in noise only: at most 10 % of intervals leave out 0."""
    outside, tries = 0, 40
    for seed in range(tries):
        effects = np.random.default_rng(seed).normal(0, 0.6, (24, 4))
        of = (0, 0.15, 0.3, 0.45)
        studies = {
            f"{p}-{k}": study(1000 * seed + 7 * k + ord(p), of, shared=effects)
            for p in "XY"
            for k in (1, 2)
        }
        _, table = protocols_and_test_sets.agreement(
            protocols_and_test_sets.common(studies), np.random.default_rng(seed), 200
        )
        outside += int((table["low"] > 0).any() or (table["high"] < 0).any())
    assert outside <= 4


def test_few_documents_have_no_interval_and_bad_input_a_sentence():
    few = {"X-1": study(1, documents=5), "X-2": study(2, documents=5)}
    pairs, _ = protocols_and_test_sets.agreement(
        protocols_and_test_sets.common(few), np.random.default_rng(1), 50
    )
    assert pairs["tau"].notna().all() and pairs[["low", "high"]].isna().all(axis=None)
    bare = study(1)
    bare = from_frame(
        pd.DataFrame({"system": list("abab"), "segment": list("1122"), "score": [1, 2, 3, 4]})
    )
    for studies, unit, words in (
        ({"X": study(1)}, "document", "fewer than two studies"),
        ({"X": bare, "Y": bare}, "segment", "without common ground; found '2 systems"),
        (few, "worker", "unknown unit; found 'worker'; expected document or segment"),
    ):
        with pytest.raises(DataError, match=words):
            protocols_and_test_sets.common(studies, unit)
    assert (
        protocols_and_test_sets.halves(bare, np.random.default_rng(1))
        .iloc[0]
        .isna()[["tau", "low"]]
        .all()
    )


# --- other texts


@needs("wmt20-iku")
def test_news_and_hansard_rank_the_same_systems_otherwise():
    whole = campaigns.find("wmt20-iku")
    parts = {part: scored(campaigns.load(whole.part(part), "en-iu"), "z") for part in whole.parts}
    data, names = protocols_and_test_sets.pooled(parts)
    table = protocols_and_test_sets.domains(data, names, np.random.default_rng(1), 500).set_index(
        "domain"
    )
    assert table["documents"].to_dict() == {"Hansard": 107, "News": 35}
    assert (table["tau"] < 0.4).all() and (table["random_low"] > table["tau"]).all()
    assert (table["p"] < 0.01).all()


def domain_of(judged, first):
    """The first documents are of one domain, the others of another."""
    number = pd.Series([int(name) // 5 for name in judged.segments], index=list(judged.segments))
    return pd.Series(np.where(number < first, "news", "talk"), index=number.index)


def test_a_domain_of_random_documents_is_rarely_told_apart_and_a_turned_one_is():
    p = []
    for seed in range(60):
        effects = np.random.default_rng(seed).normal(0, 0.8, (24, 4))
        judged = study(seed, (0, 0.2, 0.4, 0.6), shared=effects)
        table = protocols_and_test_sets.domains(
            judged, domain_of(judged, 10), np.random.default_rng(seed), 100
        )
        p.append(table["p"].iloc[0])
    assert np.mean(np.array(p) <= 0.05) <= 0.15
    turned = np.where(np.arange(24)[:, None] < 10, [[3, 1, -1, -3]], [[0, 0, 0, 0]])
    judged = study(1, shared=turned)
    table = protocols_and_test_sets.domains(
        judged, domain_of(judged, 10), np.random.default_rng(1), 200
    )
    assert table["tau"].tolist() == [-1, -1] and (table["tau"] < table["random"]).all()
    assert (table["random_low"] <= table["random"]).all()


def test_small_domains_have_no_interval_and_one_domain_is_refused():
    judged = study(1)
    table = protocols_and_test_sets.domains(
        judged, domain_of(judged, 3), np.random.default_rng(1), 50
    )
    assert table["tau"].notna().all() and table[["low", "random", "p"]].isna().all(axis=None)
    with pytest.raises(DataError, match="one domain only; found"):
        protocols_and_test_sets.domains(judged, domain_of(judged, 0), np.random.default_rng(1))
    split = domain_of(judged, 3)
    split.iloc[0] = "talk"
    with pytest.raises(DataError, match="a document of two domains"):
        protocols_and_test_sets.domains(judged, split, np.random.default_rng(1))


def test_halves_of_documents_that_hold_together_agree_less():
    rng = np.random.default_rng(3)
    quality = (0, 0.1, 0.2, 0.3)
    sure = protocols_and_test_sets.halves(study(1, quality, noise=0.1), rng)["tau"].iloc[0]
    effects = np.random.default_rng(1).normal(0, 1.0, (24, 4))
    unsure = protocols_and_test_sets.halves(study(1, quality, noise=0.1, shared=effects), rng)[
        "tau"
    ].iloc[0]
    assert sure > 0.95 > unsure + 0.2
