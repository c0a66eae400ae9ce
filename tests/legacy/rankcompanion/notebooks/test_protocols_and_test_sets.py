"""Agreement between protocols and within one, between test sets and random documents."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from conftest import needs
from companion.legacy.rankcampaigns import campaigns, official
from companion.legacy.rankcompanion.models.comparing import tau
from companion.legacy.rankcompanion.notebooks import protocols_and_test_sets as protocols
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score.scored import from_frame, scored


def study(seed, quality=(0, 1, 2, 3), documents=24, noise=0.5, shared=None):
    """Scores of systems on documents of five segments; `shared` are document effects."""
    rng = np.random.default_rng(seed)
    segment = np.arange(documents * 5)
    of = np.zeros((documents, len(quality))) if shared is None else shared
    score = np.asarray(quality) + of[segment // 5] + rng.normal(0, noise, (len(segment), 4))
    s, k = (i.ravel() for i in np.indices(score.shape))
    names = {"segment": [f"{i:03d}" for i in s], "document": [f"d{i // 5:02d}" for i in s]}
    return from_frame(pd.DataFrame({"system": np.array(list("abcd"))[k], **names,
                                    "score": score.ravel()}))  # fmt: skip


@cache
def protocols_of_wmt23():
    whole = campaigns.find("wmt23-protocols")
    studies = {part: scored(campaigns.load(whole.part(part), "en-de")) for part in whole.parts}
    return whole, studies


@needs("wmt23-protocols")
def test_the_published_studies_agree_as_measured():
    """INFERENCE of this project: tau on the 207 segments that the five studies share."""
    whole, studies = protocols_of_wmt23()
    both = protocols.common(studies)
    assert both.scores.shape == (5, 207, 13) and both.shared(*both.names).all()
    pairs, table = protocols.agreement(both, np.random.default_rng(1), 200)
    found = pairs.set_index(["first", "second"])["tau"]
    measured = {
        ("ESA-1", "ESA-2"): 0.85, ("ESA-AI-1", "ESA-AI-2"): 0.72, ("ESA-1", "MQM-1"): 0.86,
        ("ESA-2", "MQM-1"): 0.84, ("ESA-1", "ESA-AI-1"): 0.79, ("ESA-1", "ESA-AI-2"): 0.67,
        ("ESA-2", "ESA-AI-2"): 0.62,
    }  # fmt: skip
    assert found[[*measured]].to_dict() == pytest.approx(measured, abs=0.0051)
    # the means of the other two over whatever of these segments they judged
    scores = official.seg_scores(whole, "en-de")
    ours = dict(zip(both.names, both.scores.mean(axis=1), strict=True))
    for name, other, value in (("ESA-1", "da-sqm", 0.72), ("MQM-1", "mqm", 0.86)):
        here = scores[other][scores[other]["segment"].isin(both.segments)]
        means = here.groupby("system")["score"].mean().loc[list(both.systems)]
        assert tau(ours[name], means.to_numpy()) == pytest.approx(value, abs=0.0051)
    # the organisers' scores of the same studies give the same tau
    again = {n: from_frame(scores[n.replace("ESA-AI", "ESAAI")]) for n in studies}
    theirs, _ = protocols.agreement(protocols.common(again, "segment"), np.random.default_rng(1), 2)
    theirs = theirs.set_index(["first", "second"])["tau"]
    plain = [k for k in found.index if "MQM-1" not in k]  # punctuation is weighed otherwise there
    np.testing.assert_allclose(found[plain], theirs[plain])
    # with these documents no two protocols agree measurably less than one with itself
    assert ((table["low"] < 0) & (table["high"] > 0)).all()


def test_one_protocol_twice_agrees_with_itself_and_a_turned_one_does_not():
    turned = (3, 2, 1, 0)
    studies = {"X-1": study(1), "X-2": study(2), "Y-1": study(3, turned), "Y-2": study(4, turned)}
    both = protocols.common(studies)
    pairs, table = protocols.agreement(both, np.random.default_rng(5), 300)
    assert pairs.groupby("kind")["tau"].unique().to_dict() == {"between": [-1], "within": [1]}
    row = table.iloc[0]
    assert (row["repeated"], row["between"], row["within"]) == ("X + Y", -1.0, 1.0)
    assert row["high"] < -1.5
    kept = protocols.kept(both, "wmt24").set_index(["first", "second"])
    names = ["pairs_claimed", "srp", "lines", "lines_kept"]
    assert kept.loc[("X-1", "X-2"), names].tolist() == [6, 1, 3, 3]
    assert kept.loc[("X-1", "Y-1"), ["srp", "opposite", "lines_kept"]].tolist() == [0, 1, 0]


def with_people(seed, truth, effects, whim, annotators=5):
    """A study by so many annotators of its own, each with a taste for every system."""
    rng = np.random.default_rng(seed)
    documents, n = effects.shape
    who = rng.permutation(np.arange(documents) % annotators)
    taste = whim * rng.standard_normal((annotators, n))
    score = truth + effects + taste[who] + 0.4 * rng.standard_normal((documents, n))
    d, s = (i.ravel() for i in np.indices(score.shape))
    names = {"system": [f"s{k:02}" for k in s], "segment": [f"{k:02}" for k in d]}
    names |= {"document": names["segment"], "worker": [f"w{who[k]}" for k in d]}
    return from_frame(pd.DataFrame(names).assign(score=score.ravel()))


def test_identical_protocols_agree_less_than_one_with_itself_as_seldom_as_promised():
    """Five annotators a study with strong whims: they must be drawn anew, too."""
    rng, tries = np.random.default_rng(4), 60
    outside = {True: 0, False: 0}
    for seed in range(tries):
        truth, effects = 0.5 * rng.standard_normal(8), 0.3 * rng.standard_normal((30, 8))
        names = ("X-1", "X-2", "Y-1", "Y-2")
        studies = {k: with_people(100 * seed + i, truth, effects, 1.0)
                   for i, k in enumerate(names)}  # fmt: skip
        for named in outside:
            if not named:
                studies = {k: replace(s, units={"document": s.units["document"]})
                           for k, s in studies.items()}  # fmt: skip
            _, table = protocols.agreement(protocols.common(studies), rng, 200)
            row = table.iloc[0]
            assert row["annotators"] == (5 if named else 0)
            outside[named] += int(row["low"] > 0 or row["high"] < 0)
    assert outside[True] <= (0.05 + 2 * np.sqrt(0.05 * 0.95 / tries)) * tries
    assert outside[False] > outside[True] + 5


def test_the_measured_error_of_protocols_keeps_the_promise():
    """As `benchmarks/bench_protocols.py` measured it."""
    table = pd.read_csv(paths.ROOT / "benchmarks" / "results" / "protocols.csv")
    drawn = table[table["drawn"] == "documents and annotators"]
    noise = 2 * np.sqrt(0.05 * 0.95 / drawn["campaigns"])
    assert (drawn["less"] + drawn["more"] <= 0.05 + noise).all()
    assert 5 in set(drawn["annotators"]) and (drawn["campaigns"] >= 300).all()
    alone = table[(table["drawn"] == "documents") & (table["annotators"] == 5)]
    assert (alone["less"] + alone["more"]).max() > 0.1


def test_one_annotator_says_nothing_of_others():
    effects = np.zeros((30, 4))
    names = ("X-1", "X-2", "Y-1")
    studies = {k: with_people(i, np.arange(4.0), effects, 0.2, 1) for i, k in enumerate(names)}
    pairs, table = protocols.agreement(protocols.common(studies), np.random.default_rng(0), 50)
    assert pairs["low"].isna().all() and table["low"].isna().all()
    assert (pairs["annotators"] == 1).all()


def test_few_documents_have_no_interval_and_bad_input_a_sentence():
    few = {"X-1": study(1, documents=5), "X-2": study(2, documents=5)}
    pairs, _ = protocols.agreement(protocols.common(few), np.random.default_rng(1), 50)
    assert pairs["tau"].notna().all() and pairs[["low", "high"]].isna().all(axis=None)
    rows = {"system": list("abab"), "segment": list("1122"), "score": [1, 2, 3, 4]}
    bare = from_frame(pd.DataFrame(rows))
    for studies, unit, words in (
        ({"X": study(1)}, "document", "fewer than two studies"),
        ({"X": bare, "Y": bare}, "segment", "without common ground; found '2 systems"),
        (few, "worker", "unknown unit; found 'worker'; expected document or segment"),
    ):
        with pytest.raises(DataError, match=words):
            protocols.common(studies, unit)
    assert protocols.halves(bare, np.random.default_rng(1)).iloc[0].isna()[["tau", "low"]].all()


@needs("wmt20-iku")
def test_news_and_hansard_rank_the_same_systems_otherwise():
    whole = campaigns.find("wmt20-iku")
    parts = {part: scored(campaigns.load(whole.part(part), "en-iu"), "z") for part in whole.parts}
    data, names = protocols.pooled(parts)
    table = protocols.domains(data, names, np.random.default_rng(1), 500).set_index("domain")
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
        table = protocols.domains(judged, domain_of(judged, 10), np.random.default_rng(seed), 100)
        p.append(table["p"].iloc[0])
    assert np.mean(np.array(p) <= 0.05) <= 0.15
    turned = np.where(np.arange(24)[:, None] < 10, [[3, 1, -1, -3]], [[0, 0, 0, 0]])
    judged = study(1, shared=turned)
    table = protocols.domains(judged, domain_of(judged, 10), np.random.default_rng(1), 200)
    assert table["tau"].tolist() == [-1, -1] and (table["tau"] < table["random"]).all()
    assert (table["random_low"] <= table["random"]).all()


def test_small_domains_have_no_interval_and_one_domain_is_refused():
    judged = study(1)
    table = protocols.domains(judged, domain_of(judged, 3), np.random.default_rng(1), 50)
    assert table["tau"].notna().all() and table[["low", "random", "p"]].isna().all(axis=None)
    with pytest.raises(DataError, match="one domain only; found"):
        protocols.domains(judged, domain_of(judged, 0), np.random.default_rng(1))
    split = domain_of(judged, 3)
    split.iloc[0] = "talk"
    with pytest.raises(DataError, match="a document of two domains"):
        protocols.domains(judged, split, np.random.default_rng(1))
