"""Judge models beside human annotators: by hand, by the oracles of the definition, by savings."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.load import load
from rankstability.judgments import Judgments
from rankstability.scores.build import score_arrays
from rankstability.stability import judge_scores, judge_votes
from rankstability.stability.judge_models import compare_judge_model
from real import real_data

HUMAN = np.array([[70, 60, 50], [80, 75, 52], [60, 64, 40], [90, 70, 66]], float)
JUDGE = np.array([[-5, -8, -9], [-1, -4, -12], [-6, -2, -11], [0, -7, -5]], float)


def outputs(scores, systems="ABC"):
    """A frame of documents x systems, one segment a document: system, document, segment, score."""
    document, system = (code.ravel() for code in np.indices(scores.shape))
    frame = pd.DataFrame({"system": np.array(list(systems))[system], "score": scores.ravel()})
    return frame.assign(document=[f"d{k}" for k in document], segment=[f"{k}" for k in document])


def judged(frame, **columns):
    ids = ["system", "segment", "document", "annotator"]
    frame = frame.assign(**columns)
    names = [name for name in ids if name in frame]
    return Judgments(frame.astype(dict.fromkeys(names, "category")), "ratings")


def toy(judge=JUDGE, human=HUMAN):
    frame = outputs(human)
    annotator = np.array(["a", "a", "b", "b"])[frame["segment"].astype(int) % 4]
    arrays = score_arrays(judged(frame, annotator=annotator), "raw")
    return judge_scores.match(arrays, outputs(judge))


def test_the_toy_of_the_definition_comes_out_to_seven_digits():
    matched = toy()
    found = matched.saving()
    assert found["r"] == pytest.approx(0.9541198, abs=5e-8)
    assert found["document_share"] == 1
    assert found["judgments_saved"] == pytest.approx(0.9103446, abs=5e-8)
    human, share = matched.human, matched.share

    def influence(score, unit):
        shape = int(unit.max()) + 1, 3
        weights = judge_scores.sums_by(unit, human.system, share, shape)
        sums = judge_scores.sums_by(unit, human.system, share * score, shape)
        return judge_scores.influences(sums, weights)

    document, annotator = human.units["document"], human.units["annotator"]
    y, f = (influence(score, document) for score in (human.score, matched.score))
    slope = judge_scores.sum_over_pairs(y, f) / judge_scores.sum_over_pairs(f, f)
    assert slope == pytest.approx(1.7952646, abs=5e-8)
    by_annotator = influence(human.score, annotator)
    assert judge_scores.sum_over_pairs(by_annotator, by_annotator) == pytest.approx(0.875)
    for unit in (document, 10 * annotator + document):
        alone = influence(human.score, unit)
        found = judge_scores.sum_over_pairs(alone, alone)
        assert found == pytest.approx(17.6527778, abs=5e-8)


def test_on_balanced_data_r_is_the_correlation_without_system_and_document_means():
    rng = np.random.default_rng(1)
    human, judge = rng.normal(size=(2, 9, 3))
    rest = [t - t.mean(0) - t.mean(1, keepdims=True) + t.mean() for t in (human, judge)]
    plain = np.corrcoef(rest[0].ravel(), rest[1].ravel())[0, 1]
    assert toy(judge, human).saving()["r"] == pytest.approx(plain, abs=1e-12)


def test_only_scores_that_rise_with_human_scores_save_anything():
    up, down = toy(JUDGE).saving(), toy(-JUDGE).saving()
    assert down["r"] == pytest.approx(-up["r"]) and down["judgments_saved"] == 0
    same = toy(HUMAN).saving()
    assert same["r"] == pytest.approx(1) and same["r_low"] == pytest.approx(1)
    for level in (np.ones((4, 3)), np.full((4, 3), 7 / 3), np.arange(3) / 7 * np.ones((4, 1))):
        constant = toy(level).saving()
        assert np.isnan(constant["r"]) and np.isnan(constant["judgments_saved"])


def test_the_scale_and_the_means_of_systems_and_documents_do_not_matter():
    moved = 100 + 3 * JUDGE + np.arange(3) * 7 + np.arange(4)[:, None] * 11
    found = toy(moved).saving()["r"]
    assert found == pytest.approx(toy().saving()["r"], abs=1e-12)


def test_pairs_are_counted_that_both_order_alike():
    human = judged(outputs(HUMAN), annotator=["a", "b", "c"] * 4)
    row = compare_judge_model(human, outputs(JUDGE)).order.iloc[0]
    assert (row["alike"], row["pairs"], row["first"]) == (3, 3, "A")
    assert row["tau"] == pytest.approx(1)
    other = compare_judge_model(human, {"J": outputs(JUDGE[:, [0, 2, 1]])}).order.iloc[0]
    assert (other["judge_model"], other["alike"]) == ("J", 2)
    assert other["tau"] == pytest.approx(1 / 3)


def test_significant_pairs_that_are_reversed_are_named():
    rng = np.random.default_rng(3)
    human = np.arange(3)[::-1] * 10.0 + rng.normal(0, 1, (40, 3))
    frame = outputs(human)
    judgments = judged(frame, annotator=[f"w{int(k) % 12}" for k in frame["segment"]])
    turned = compare_judge_model(judgments, outputs(human[:, [1, 0, 2]])).order.iloc[0]
    assert (turned["better_alike"], turned["better_pairs"]) == (2, 3)
    assert turned["reversed"] == "B above A" and turned["boundaries_reversed"] == "1"
    equal = compare_judge_model(judgments, frame[["system", "segment", "score"]]).order.iloc[0]
    assert equal["equal"] and not equal["constant"] and equal["reversed"] == ""
    flat = compare_judge_model(judgments, frame.assign(score=3.0)).order.iloc[0]
    assert flat["constant"] and flat["better_alike"] == 0


@pytest.mark.parametrize("annotators", ["ab", "abc"])
def test_another_annotator_shares_the_truth_alone_and_a_perfect_judge_saves_more(annotators):
    rng = np.random.default_rng(5)
    truth = rng.normal(size=(150, 4))
    frames = []
    for annotator in annotators:
        scores = truth + rng.normal(size=truth.shape)
        frames.append(outputs(scores, "ABCD").assign(annotator=annotator))
    both = judged(pd.concat(frames, ignore_index=True))
    table = compare_judge_model(both, outputs(truth, "ABCD"), yardsticks=True).judgments_saved
    table = table.set_index("judge_model")
    again = table.loc["another annotator"]
    assert 0.3 < again["r_low"] < 0.5 < again["r_high"]
    perfect = table.loc["perfect judge model", "judgments_saved"]
    assert perfect == pytest.approx(again["r"] * again["document_share"])
    alone = compare_judge_model(
        judged(frames[0]), outputs(truth, "ABCD"), yardsticks=True
    ).judgments_saved
    assert alone["judge_model"].tolist() == ["judge model"]


def test_other_outputs_or_documents_are_refused():
    human = judged(outputs(HUMAN), annotator="a")
    judge = outputs(JUDGE)
    shifted = judge.assign(segment=((judge["segment"].astype(int) + 1) % 4).astype(str))
    cases = [
        (judge.assign(segment="x" + judge["segment"]), "no_common_output"),
        (shifted, "documents_disagree"),
        (pd.concat([judge, judge]), "output_scored_twice"),
        ("GEMBA", "unknown_judge_model"),
    ]
    for given, code in cases:
        with pytest.raises(DataError) as caught:
            _ = compare_judge_model(human, given).judgments_saved
        assert caught.value.code == code


def test_too_few_systems_or_documents_save_nothing_that_is_known():
    human = judged(outputs(HUMAN), annotator="a")
    judge = outputs(JUDGE)
    for few in (judge[judge["system"] != "C"], judge[judge["segment"] != "3"]):
        assert compare_judge_model(human, few).judgments_saved["judgments_saved"].isna().all()
    row = compare_judge_model(human, judge[judge["system"] == "A"]).order.iloc[0]
    assert row["pairs"] == 0 and row["lacking"] == "B, C"


def test_segments_numbered_within_documents_are_found():
    frame = outputs(HUMAN)
    arrays = score_arrays(judged(frame.assign(segment=frame["document"] + ":1")), "raw")
    assert judge_scores.match(arrays, outputs(JUDGE).assign(segment="1")).outputs == 12


ORACLES = {  # study: GEMBA-MQM, CometKiwi, MetricX-23-QE: share saved; V_D / V
    "ESA-1": ([0.069, 0.113, 0.033], 0.785),
    "ESA-2": ([0.074, 0.053, 0.012], None),
    "MQM-1": ([0.062, 0.028, 0.067], 0.610),
    "ESA-AI-1": ([0.088, 0.100, 0.053], 0.692),
    "ESA-AI-2": ([0.076, 0.097, 0.041], 0.725),
}
THREE = ["GEMBA-MQM-src", "CometKiwi-src", "MetricX-23-QE-src"]


@pytest.fixture(scope="module")
def judges():
    folder = real_data("wmt23-judges")
    table = pd.read_csv(folder / "judges-en-de.tsv.gz", sep="\t", dtype={"segment": str})
    ids = ["system", "document", "segment"]
    return {name: table[ids].assign(score=table[name]) for name in table.columns.drop(ids)}


@pytest.mark.parametrize("study", ORACLES)
def test_metrics_of_wmt23_save_what_was_measured(study, judges):
    real_data("wmt23-protocols")
    judgments = load("wmt23-protocols", "en-de", study)
    table = compare_judge_model(judgments, {name: judges[name] for name in THREE}).judgments_saved
    expected, documents = ORACLES[study]
    assert table["judgments_saved"].to_numpy() == pytest.approx(expected, abs=6e-4)
    if documents:
        assert table["document_share"].to_numpy() == pytest.approx(documents, abs=6e-4)


def test_a_good_order_saves_little_on_esa_1(judges):
    real_data("wmt23-protocols")
    judgments = load("wmt23-protocols", "en-de", "ESA-1")
    judges = judges | {"ESA-2": load("wmt23-protocols", "en-de", "ESA-2")}
    order = compare_judge_model(judgments, judges).order.set_index("judge_model")
    saved = compare_judge_model(judgments, judges).judgments_saved.set_index("judge_model")
    columns = ["r", "r_low", "r_high", "judgments_saved", "saved_low", "saved_high"]
    expected = {
        "GEMBA-MQM-src": [75, 0.296, 0.168, 0.413, 0.069, 0.022, 0.134],
        "CometKiwi-src": [67, 0.379, 0.238, 0.505, 0.113, 0.044, 0.200],
        "MetricX-23-QE-src": [71, 0.206, 0.062, 0.341, 0.033, 0.003, 0.092],
        "ESA-2": [72, 0.339, 0.247, 0.424, 0.090, 0.048, 0.141],
    }
    for name, (alike, *values) in expected.items():
        assert order.loc[name, "alike"] == alike and order.loc[name, "pairs"] == 78
        assert saved.loc[name, columns].to_numpy(float) == pytest.approx(values, abs=6e-4)
    random = saved.loc["Random-sysname-src"]
    assert random["r"] == pytest.approx(-0.002, abs=5e-4) and random["judgments_saved"] == 0
    assert order.loc["chrF-refA", "lacking"] == "refA"


def test_realised_savings_on_random_documents_are_r_squared(judges):
    """Human scores on 10, 20, 40 documents, the judge model's on all: r^2 within .03."""
    real_data("wmt23-protocols")
    human = score_arrays(load("wmt23-protocols", "en-de", "ESA-1"), "raw")
    rng = np.random.default_rng(32)
    gaps = []
    for name in list(judges)[:4]:
        matched = judge_scores.match(human, judges[name], name)
        r = matched.saving()["r"]
        arrays = matched.human
        document = np.unique(arrays.units["document"], return_inverse=True)[1]
        shape = int(document.max()) + 1, len(arrays.systems)

        def sums(values, weight, document=document, arrays=arrays, shape=shape):
            return judge_scores.sums_by(document, arrays.system, weight * values, shape)

        ones = np.ones(arrays.n_judgments)
        held, of_human, of_judge = (
            sums(values, ones) for values in (ones, arrays.score, matched.score)
        )
        weights = sums(ones, matched.share)
        y, f = (
            judge_scores.influences(sums(values, matched.share), weights)
            for values in (arrays.score, matched.score)
        )
        slope = judge_scores.sum_over_pairs(y, f) / judge_scores.sum_over_pairs(f, f)
        whole, judged_mean = (total.sum(0) / held.sum(0) for total in (of_human, of_judge))
        for number in (10, 20, 40):
            errors = np.zeros((2, 3000))
            for k in range(3000):
                drawn = rng.permutation(len(held))[:number]
                size = held[drawn].sum(0)
                plain = of_human[drawn].sum(0) / size - whole
                helped = plain - slope * (of_judge[drawn].sum(0) / size - judged_mean)
                errors[:, k] = plain.var(), helped.var()
            total = errors.mean(axis=1)
            gaps.append(1 - total[1] / total[0] - r**2)
    assert np.abs(gaps).max() < 0.03


# ------------------------------------------------------------------ votes


def simulated_votes(rng, shared, lean=0.0, number=3000):
    """Votes of two sides on the same comparisons of six models, which share a taste for answers."""
    strength = np.linspace(-1, 1, 6)
    pairs = np.array([rng.choice(6, 2, replace=False) for _ in range(number)])
    left, right = np.array(list("ABCDEF"))[pairs].T
    frame = pd.DataFrame({"left": left, "right": right})
    frame["question"] = rng.integers(40, size=number).astype(str)
    frame["question"] += "." + pd.Series(np.arange(number)).astype(str)  # each comparison once
    lead = strength[pairs[:, 0]] - strength[pairs[:, 1]]
    taste = rng.normal(size=number) * shared
    sides = []
    for tilt in (0, lean):
        vote = lead + taste + rng.logistic(size=number) + tilt > 0
        sides.append(frame.assign(winner=np.where(vote, "left", "right")))
    return sides[0].assign(annotator="x"), sides[1]


def by_question(human, judge):
    """The matched votes, with forty questions instead of one for each comparison."""
    votes = [judge_votes.votes_of(side) for side in (human, judge)]
    both = judge_votes.join_votes(votes[0], votes[1], "J")
    return both.assign(question=both["question"].str.partition(".")[0])


def as_judgments(votes):
    ids = ["left", "right", "annotator", "question"]
    return Judgments(votes.astype(dict.fromkeys(ids, "category")), "votes")


def test_strengths_alone_save_nothing_and_a_shared_taste_saves_something():
    rng = np.random.default_rng(7)
    strangers = by_question(*simulated_votes(rng, shared=0.0))
    raw = np.corrcoef(strangers["vote"], strangers["vote_judge"])[0, 1]
    found = judge_votes.match_votes(strangers).saving()
    assert raw**2 > 0.02 and found["r_low"] < 0 < found["r_high"]
    assert found["judgments_saved"] < 0.003
    friends = by_question(*simulated_votes(rng, shared=2.0))
    found = judge_votes.match_votes(friends).saving()
    assert found["r_low"] > 0.3 and found["document_share"] == 1


def test_a_judge_model_that_leans_to_the_left_is_seen():
    rng = np.random.default_rng(8)
    human, judge = simulated_votes(rng, shared=0.5, lean=1.0)
    judgments = as_judgments(human)
    table = compare_judge_model(judgments, {"J": judge}).position_effects.set_index("annotators")
    assert table.loc["human annotators", "position_low"] < 0
    assert table.loc["J", "position_low"] > 0.2 and table.loc["J", "left_share"] > 0.6
    assert table["votes"].tolist() == [3000, 3000]


def test_winners_that_change_with_the_order_are_counted():
    votes = pd.DataFrame(
        {
            "question": ["1", "1", "2", "2", "3"],
            "left": ["A", "B", "A", "B", "A"],
            "right": ["B", "A", "B", "A", "B"],
            "winner": ["left", "right", "left", "left", "tie"],
        }
    )
    human = as_judgments(votes.assign(annotator=["x", "x", "x", "y", "x"]))
    table = compare_judge_model(human, {"J": votes}).position_effects.set_index("annotators")
    assert table["both_orders"].tolist() == [1, 2]
    assert table["changed"].tolist() == [0, 1]


def test_constant_equal_and_incomplete_votes_are_flagged():
    human, judge = simulated_votes(np.random.default_rng(2), 0.5, number=300)
    some = judge[(judge["left"] != "F") & (judge["right"] != "F")]
    given = {"constant": judge.assign(winner="left"), "same": human, "part": some}
    table = compare_judge_model(as_judgments(human), given).order.set_index("judge_model")
    assert table["constant"].to_dict() == {"constant": True, "same": False, "part": False}
    assert table["equal"].to_dict() == {"constant": False, "same": True, "part": False}
    assert table["lacking"].to_dict() == {"constant": "", "same": "", "part": "F"}


def test_votes_on_other_comparisons_are_refused():
    human, judge = simulated_votes(np.random.default_rng(1), 0.0, number=50)
    cases = [
        (judge.assign(question="q" + judge["question"]), "no_common_vote"),
        (pd.concat([judge, judge.assign(winner="tie")]), "output_scored_twice"),
    ]
    for given, code in cases:
        with pytest.raises(DataError) as caught:
            _ = compare_judge_model(as_judgments(human), given).judgments_saved
        assert caught.value.code == code
    unnamed = as_judgments(human).with_table(human.drop(columns="question"))
    with pytest.raises(DataError) as caught:
        _ = compare_judge_model(unnamed, judge).judgments_saved
    assert caught.value.code == "missing_column"


def test_an_empty_mapping_has_no_judge_models():
    with pytest.raises(DataError) as caught:
        compare_judge_model(load("demo-judges", "en-de"), {})
    assert caught.value.code == "no_judge_models"


def test_gpt_on_the_votes_of_llmfao_saves_what_was_measured():
    folder = real_data("llmfao")
    judgments = load("llmfao")
    judges = {}
    for name in ("GPT-3", "GPT-4"):
        file = folder / f"{name.lower().replace('-', '')}-crowd-comparisons.csv.gz"
        judges[name] = pd.read_csv(file, dtype=str).rename(columns={"prompt": "question"})
    table = compare_judge_model(judgments, judges, yardsticks=True).judgments_saved.set_index(
        "judge_model"
    )
    expected = {"GPT-4": [0.088, 0.025, 0.150], "GPT-3": [0.048, 0.000, 0.096]}
    for name, values in expected.items():
        found = table.loc[name, ["r", "r_low", "r_high"]].to_numpy(float)
        assert found == pytest.approx(values, abs=1e-3)
    again = table.loc["another annotator", ["r", "r_low", "r_high"]].to_numpy(float)
    assert again == pytest.approx([0.163, 0.111, 0.213], abs=0.016)
    sides = compare_judge_model(judgments, judges).position_effects.set_index("annotators")
    assert sides["left_share"].round(3).tolist() == [0.533, 0.695, 0.455]


def test_judge_models_of_the_campaign_and_among_annotators_are_found_by_name():
    table = compare_judge_model(load("demo-judges", "en-de")).judgments_saved.set_index(
        "judge_model"
    )
    truth = {"knows-much": 0.7, "knows-some": 0.4, "knows-the-order": 0.0, "knows-nothing": 0.0}
    assert table.index.tolist() == list(truth)
    for name, r in truth.items():
        assert table.loc[name, "r_low"] - 0.03 < r < table.loc[name, "r_high"] + 0.03
    both = pd.concat(
        [outputs(HUMAN).assign(annotator="a"), outputs(JUDGE).assign(annotator="model")],
        ignore_index=True,
    )
    named = compare_judge_model(
        replace(judged(both), judge_models=("model",)), "model"
    ).judgments_saved.iloc[0]
    assert named["r"] == pytest.approx(0.9541198, abs=5e-8) and named["outputs"] == 12


def test_without_a_judge_model_nothing_is_compared():
    for campaign, pair in (("demo-srpdc", "de-en"), ("demo-rr", "cs-en")):
        with pytest.raises(DataError) as caught:
            compare_judge_model(load(campaign, pair))
        assert caught.value.code == "no_judge_models"
