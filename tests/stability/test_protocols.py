"""Agreement between protocols and within one, between test sets and random documents."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.load import load
from rankstability.ranking.procedures import procedure_named
from rankstability.stability import protocols
from rankstability.stability.common_ground import common_ground, count_kept, measure_protocols
from rankstability.stability.document_sets import measure_halves, measure_sets
from rankstability.stability.protocols import compare_studies
from rankstability.stability.repeat import kendall_tau
from real import real_data
from released import official_segment_scores

STUDIES = ("ESA-1", "ESA-2", "ESA-AI-1", "ESA-AI-2", "MQM-1")


def study(seed, quality=(0, 1, 2, 3), documents=24, noise=0.5, shared=None):
    """Scores of systems on documents of five segments; `shared` are document effects."""
    rng = np.random.default_rng(seed)
    segment = np.arange(documents * 5)
    effects = np.zeros((documents, len(quality))) if shared is None else shared
    score = np.asarray(quality) + effects[segment // 5] + rng.normal(0, noise, (len(segment), 4))
    s, k = (code.ravel() for code in np.indices(score.shape))
    return pd.DataFrame(
        {
            "system": np.array(list("abcd"))[k],
            "segment": [f"{code:03d}" for code in s],
            "document": [f"d{code // 5:02d}" for code in s],
            "score": score.ravel(),
        }
    )


def arrays_of(frame):
    return protocols._arrays(frame, None)


def load_studies():
    real_data("wmt23-protocols")
    return {name: load("wmt23-protocols", "en-de", name) for name in STUDIES}


def test_the_published_studies_agree_as_measured():
    """INFERENCE 9.6: tau on the 207 segments that the five studies share."""
    studies = load_studies()
    arrays = {name: arrays_of(each) for name, each in studies.items()}
    shared = common_ground(arrays)
    assert shared.scores.shape == (5, 207, 13) and shared.shared(*STUDIES).all()
    pairs, table = measure_protocols(shared, np.random.default_rng(1), 200)
    found = pairs.set_index(["first", "second"])["tau"]
    measured = {
        ("ESA-1", "ESA-2"): 0.85,
        ("ESA-AI-1", "ESA-AI-2"): 0.72,
        ("ESA-1", "MQM-1"): 0.86,
        ("ESA-2", "MQM-1"): 0.84,
        ("ESA-1", "ESA-AI-1"): 0.79,
        ("ESA-1", "ESA-AI-2"): 0.67,
        ("ESA-2", "ESA-AI-2"): 0.62,
    }
    assert found[[*measured]].to_dict() == pytest.approx(measured, abs=0.0051)
    # the means of the other two over those of these segments that they judged
    scores = official_segment_scores("wmt23-protocols", "en-de")
    ours = dict(zip(shared.names, shared.scores.mean(axis=1), strict=True))
    for name, other, value in (("ESA-1", "da-sqm", 0.72), ("MQM-1", "mqm", 0.86)):
        here = scores[other][scores[other]["segment"].astype(str).isin(shared.segments)]
        means = here.groupby("system")["score"].mean().loc[list(shared.systems)]
        assert kendall_tau(ours[name], means.to_numpy()) == pytest.approx(value, abs=0.0051)
    # with these documents no two protocols agree measurably less than one with itself
    assert ((table["difference_low"] < 0) & (table["difference_high"] > 0)).all()


def test_a_protocol_twice_agrees_with_itself_and_a_turned_one_does_not():
    turned = (3, 2, 1, 0)
    studies = {"X-1": study(1), "X-2": study(2), "Y-1": study(3, turned), "Y-2": study(4, turned)}
    found = compare_studies(studies, procedure="wmt24", resamples=300)
    pairs, table = found.pairs, found.protocols
    assert pairs.groupby("kind")["tau"].unique().to_dict() == {"between": [-1], "within": [1]}
    row = table.iloc[0]
    assert (row["repeated"], row["between"], row["within"]) == ("X + Y", -1.0, 1.0)
    assert row["difference_high"] < -1.5
    kept = found.conclusions.set_index(["first", "second"])
    columns = ["better_pairs", "same_order", "boundaries", "boundaries_kept"]
    assert kept.loc[("X-1", "X-2"), columns].tolist() == [6, 1, 3, 3]
    columns = ["same_order", "opposite", "boundaries_kept"]
    assert kept.loc[("X-1", "Y-1"), columns].tolist() == [0, 1, 0]


def with_annotators(seed, truth, effects, preference, annotators=5):
    """A study by annotators of its own, each with a preference for every system."""
    rng = np.random.default_rng(seed)
    documents, n = effects.shape
    who = rng.permutation(np.arange(documents) % annotators)
    preferences = preference * rng.standard_normal((annotators, n))
    score = truth + effects + preferences[who] + 0.4 * rng.standard_normal((documents, n))
    d, s = (code.ravel() for code in np.indices(score.shape))
    return pd.DataFrame(
        {
            "system": [f"s{k:02}" for k in s],
            "segment": [f"{k:02}" for k in d],
            "document": [f"{k:02}" for k in d],
            "annotator": [f"w{who[k]}" for k in d],
            "score": score.ravel(),
        }
    )


def test_identical_protocols_are_told_apart_as_seldom_as_promised():
    """Five annotators a study with strong preferences: they must be resampled, too."""
    rng, tries = np.random.default_rng(4), 60
    outside = {True: 0, False: 0}
    for seed in range(tries):
        truth, effects = 0.5 * rng.standard_normal(8), 0.3 * rng.standard_normal((30, 8))
        studies = {
            name: arrays_of(with_annotators(100 * seed + k, truth, effects, 1.0))
            for k, name in enumerate(("X-1", "X-2", "Y-1", "Y-2"))
        }
        for named in outside:
            if not named:
                studies = {
                    name: replace(each, units={"document": each.units["document"]})
                    for name, each in studies.items()
                }
            shared = common_ground(studies)
            row = measure_protocols(shared, rng, 200)[1].iloc[0]
            assert row["annotators"] == (5 if named else 0)
            outside[named] += int(row["difference_low"] > 0 or row["difference_high"] < 0)
    assert outside[True] <= (0.05 + 2 * np.sqrt(0.05 * 0.95 / tries)) * tries
    assert outside[False] > outside[True] + 5


def test_one_annotator_or_few_documents_give_no_interval():
    effects = np.zeros((30, 4))
    names = ("X-1", "X-2", "Y-1")
    single = {k: with_annotators(i, np.arange(4.0), effects, 0.2, 1) for i, k in enumerate(names)}
    found = compare_studies(single, resamples=50)
    pairs, table = found.pairs, found.protocols
    assert pairs["tau_low"].isna().all() and table["difference_low"].isna().all()
    assert (pairs["annotators"] == 1).all()
    few = {"X-1": study(1, documents=5), "X-2": study(2, documents=5)}
    pairs = compare_studies(few, resamples=50).pairs
    assert pairs["tau"].notna().all() and pairs[["tau_low", "tau_high"]].isna().all(axis=None)


def test_studies_that_cannot_be_compared_are_refused():
    bare = pd.DataFrame({"system": list("abab"), "segment": list("1122"), "score": [1, 2, 3, 4]})
    cases = [
        ({"X": study(1)}, "document", "too_few_studies"),
        ({"X": bare, "Y": bare}, "segment", "no_common_ground"),
        ({"X": bare, "Y": bare}, "document", "no_documents"),
        ({"X": study(1), "Y": study(2)}, "annotator", "unknown_unit"),
    ]
    for studies, unit, code in cases:
        with pytest.raises(DataError) as caught:
            _ = compare_studies(studies, unit=unit).pairs
        assert caught.value.code == code
    halves = measure_halves(arrays_of(bare), np.random.default_rng(1))
    assert halves.iloc[0][["tau", "tau_low"]].isna().all()


def test_conclusions_of_real_studies_are_counted_in_both_orders():
    studies = load_studies()
    two = {name: studies[name] for name in ("ESA-1", "ESA-2")}
    kept = compare_studies(two).conclusions
    assert kept[["first", "second"]].to_numpy().tolist() == [
        ["ESA-1", "ESA-2"],
        ["ESA-2", "ESA-1"],
    ]
    assert kept["same_order"].between(0.9, 1).all() and (kept["opposite"] == 0).all()
    assert kept["boundaries_kept"].nunique() == 1


def test_news_and_hansard_rank_the_same_systems_differently():
    real_data("wmt20-iku")
    parts = {name: load("wmt20-iku", "en-iu", name) for name in ("Hansard", "News")}
    table = compare_studies(parts, procedure="wmt17", resamples=500).test_sets.set_index("domain")
    assert table["documents"].to_dict() == {"Hansard": 107, "News": 35}
    assert (table["tau"] < 0.4).all() and (table["random_low"] > table["tau"]).all()
    assert (table["p_holm"] < 0.02).all()


def domain_of(arrays, first):
    """The first documents are of one domain, the others of another."""
    number = np.array([int(name) // 5 for name in arrays.segments])
    return np.where(number < first, "news", "talk")


def test_random_documents_are_rarely_another_domain_and_turned_ones_are():
    p = []
    for seed in range(60):
        effects = np.random.default_rng(seed).normal(0, 0.8, (24, 4))
        arrays = arrays_of(study(seed, (0, 0.2, 0.4, 0.6), shared=effects))
        rng = np.random.default_rng(seed)
        p.append(measure_sets(arrays, domain_of(arrays, 10), rng, 100)["p"].iloc[0])
    assert np.mean(np.array(p) <= 0.05) <= 0.15
    turned = np.where(np.arange(24)[:, None] < 10, [[3, 1, -1, -3]], [[0, 0, 0, 0]])
    arrays = arrays_of(study(1, shared=turned))
    table = measure_sets(arrays, domain_of(arrays, 10), np.random.default_rng(1), 200)
    assert table["tau"].tolist() == [-1, -1] and (table["tau"] < table["random"]).all()
    assert (table["random_low"] <= table["random"]).all()
    assert (table["p_holm"] >= table["p"]).all()


def test_small_domains_have_no_interval_and_one_domain_is_refused():
    arrays = arrays_of(study(1))
    rng = np.random.default_rng(1)
    table = measure_sets(arrays, domain_of(arrays, 3), rng, 50)
    assert table["tau"].notna().all()
    assert table[["tau_low", "random", "p", "p_holm"]].isna().all(axis=None)
    split = domain_of(arrays, 3)
    split[0] = "talk"
    for domains, code in (
        (domain_of(arrays, 0), "one_domain"),
        (split, "document_of_two_domains"),
    ):
        with pytest.raises(DataError) as caught:
            measure_sets(arrays, domains, rng)
        assert caught.value.code == code
    with pytest.raises(DataError) as caught:
        _ = compare_studies(load("demo-srpdc", "de-en")).test_sets
    assert caught.value.code == "one_domain"


def test_halves_of_the_documents_agree_as_in_version_0_3():
    row = compare_studies(load("demo-srpdc", "de-en"), resamples=200).halves.iloc[0]
    assert (row["systems"], row["documents"]) == (10, 30)
    assert row["tau"] == pytest.approx(0.793333, abs=1e-6)


def test_procedures_are_those_of_the_ranking():
    shared = common_ground({"X-1": arrays_of(study(1)), "X-2": arrays_of(study(2))})
    plain = count_kept(shared, procedure_named("plain"))
    assert plain["boundaries"].tolist() == [0, 0]
