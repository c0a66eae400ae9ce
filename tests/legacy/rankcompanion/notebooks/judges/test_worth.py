"""What a judge agrees on with people, and what it is worth: by hand, by oracles, and by savings."""

import numpy as np
import pandas as pd
import pytest

from conftest import needs
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.models.units import unit_totals
from companion.legacy.rankcompanion.notebooks.judges import tables, worth
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score.scored import from_frame

PEOPLE = np.array([[70, 60, 50], [80, 75, 52], [60, 64, 40], [90, 70, 66]], float)
JUDGE = np.array([[-5, -8, -9], [-1, -4, -12], [-6, -2, -11], [0, -7, -5]], float)


def outputs(scores, systems="ABC"):
    """A frame of documents x systems, one segment a document: system, document, segment, score."""
    document, system = (code.ravel() for code in np.indices(scores.shape))
    frame = pd.DataFrame({"system": np.array(list(systems))[system], "score": scores.ravel()})
    return frame.assign(
        judge="J", document=[f"d{k}" for k in document], segment=[f"{k}" for k in document]
    )


def toy(judge=JUDGE, people=PEOPLE):
    frame = outputs(people)
    annotators = np.array(["a", "a", "b", "b"])[frame["segment"].astype(int) % 4]
    documents = frame.drop_duplicates("segment").set_index("segment")["document"]
    return worth.beside(from_frame(frame.assign(worker=annotators)), outputs(judge), documents)


def test_the_toy_of_the_definition_to_seven_digits():
    one = toy()
    found = worth.judged(one)
    assert found["r"] == pytest.approx(0.9541198, abs=5e-8)
    assert found["vd_share"] == 1 and found["worth"] == pytest.approx(0.9103446, abs=5e-8)
    people, share = one.people, one.share
    units = {name: people.unit(name) for name in ("worker", "document")}
    of = {
        name: worth.influences(people.score, share, people.system, unit)
        for name, unit in units.items()
    }
    theirs = worth.influences(one.score, share, people.system, units["document"])
    slope = worth.over_pairs(of["document"], theirs) / worth.over_pairs(theirs, theirs)
    assert slope == pytest.approx(1.7952646, abs=5e-8)
    assert worth.over_pairs(of["worker"], of["worker"]) == pytest.approx(0.875)
    cell = 10 * units["worker"] + units["document"]
    for unit in (units["document"], cell):
        alone = worth.influences(people.score, share, people.system, unit)
        assert worth.over_pairs(alone, alone) == pytest.approx(17.6527778, abs=5e-8)


def test_balanced_data_give_the_plain_correlation_without_system_and_document_means():
    rng = np.random.default_rng(1)
    people, judge = rng.normal(size=(2, 9, 3))
    rest = [t - t.mean(0) - t.mean(1, keepdims=True) + t.mean() for t in (people, judge)]
    plain = np.corrcoef(rest[0].ravel(), rest[1].ravel())[0, 1]
    assert worth.judged(toy(judge, people))["r"] == pytest.approx(plain, abs=1e-12)


def test_only_judges_that_rise_with_people_are_worth_anything():
    up, down = worth.judged(toy(JUDGE)), worth.judged(toy(-JUDGE))
    assert down["r"] == pytest.approx(-up["r"]) and down["worth"] == 0
    same = worth.judged(toy(PEOPLE))
    assert same["r"] == pytest.approx(1) and same["worth"] == pytest.approx(1)
    assert same["r_low"] == pytest.approx(1)
    for level in (np.ones((4, 3)), np.full((4, 3), 7 / 3), np.arange(3) / 7 * np.ones((4, 1))):
        constant = worth.judged(toy(level))
        assert np.isnan(constant["r"]) and np.isnan(constant["worth"])


def test_scores_that_differ_by_scale_and_by_system_and_document_means_are_worth_the_same():
    moved = 100 - 3 * (-JUDGE) + np.arange(3) * 7 + np.arange(4)[:, None] * 11
    assert worth.judged(toy(moved))["r"] == pytest.approx(worth.judged(toy())["r"], abs=1e-12)


def test_order_counts_pairs_that_both_order_alike():
    made = worth.order(toy())
    assert made == {"alike": 3, "pairs": 3, "tau": pytest.approx(1), "first": "A"}
    other = worth.order(toy(JUDGE[:, [0, 2, 1]]))
    assert other["alike"] == 2 and other["tau"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("annotators", ["ab", "abc"])
def test_another_person_shares_the_truth_alone_and_a_perfect_judge_is_worth_more(annotators):
    rng = np.random.default_rng(5)
    truth = rng.normal(size=(150, 4))
    frames = []
    for who in annotators:
        scores = truth + rng.normal(size=truth.shape)
        frames.append(outputs(scores, "ABCD").assign(worker=who))
    people = from_frame(pd.concat(frames))
    person = worth.another_person(people)
    assert person["r_low"] < 0.5 < person["r_high"] and person["r_low"] > 0.3
    best = worth.perfect(person)
    assert best["worth"] == pytest.approx(person["r"] * person["vd_share"])
    alone = worth.another_person(from_frame(frames[0]))
    assert np.isnan(alone["worth"])


def refused(what, *words):
    with pytest.raises(DataError) as caught:
        what()
    for word in words:
        assert word in str(caught.value)


def test_a_judge_of_other_outputs_or_documents_is_refused_and_of_too_few_has_no_worth():
    people = from_frame(outputs(PEOPLE).assign(worker="a"))
    names = pd.Series({"0": "d0", "1": "d1", "2": "d2", "3": "d3"})
    judge = outputs(JUDGE)
    other = judge.assign(segment="x" + judge["segment"])
    refused(
        lambda: worth.beside(people, other, names), "'J'", "no output of people", "A, x0", "A, 0"
    )
    shifted = judge.assign(segment=((judge["segment"].astype(int) + 1) % 4).astype(str))
    refused(
        lambda: worth.beside(people, shifted, names), "disagree", "segment 1: d0", "expected d1"
    )
    few = judge[judge["system"] != "C"]
    for scores in (few, judge[judge["segment"] != "3"]):
        one = worth.beside(people, scores, names)
        assert np.isnan(worth.judged(one)["worth"]) and worth.order(one)["pairs"] in (1, 3)
    alone = worth.beside(people, judge[judge["system"] == "A"], names)
    assert worth.order(alone)["pairs"] == 0 and np.isnan(worth.judged(alone)["worth"])


def test_segments_numbered_within_documents_are_found_by_both_names():
    frame = outputs(PEOPLE)
    named = frame.assign(segment=frame["document"] + ":1")
    people = from_frame(named.assign(worker="a"))
    judge = outputs(JUDGE).assign(segment="1")
    assert worth.beside(people, judge, pd.Series(dtype=str)).outputs == 12


def test_a_system_that_the_judge_lacks_is_named():
    four = np.column_stack([PEOPLE, PEOPLE[:, 0]])
    people = from_frame(outputs(four, "ABCD").assign(worker="a"))
    one = worth.beside(people, outputs(JUDGE, "ACD"), pd.Series(dtype=str))
    assert one.lacking == ("B",) and one.people.systems == ("A", "C", "D") and one.outputs == 12


ORACLES = {  # study: GEMBA-MQM, CometKiwi, MetricX-23-QE: worth; V_D / V
    "ESA-1": ([0.069, 0.113, 0.033], 0.785),
    "ESA-2": ([0.074, 0.053, 0.012], None),
    "MQM-1": ([0.062, 0.028, 0.067], 0.610),
    "ESA-AI-1": ([0.088, 0.100, 0.053], 0.692),
    "ESA-AI-2": ([0.076, 0.097, 0.041], 0.725),
}
THREE = ["GEMBA-MQM-src", "CometKiwi-src", "MetricX-23-QE-src"]


@pytest.fixture(scope="module")
def studies():
    campaign = campaigns.find("wmt23-protocols")
    made = {}
    for name in campaign.parts:
        part = campaign.part(name)
        made[name] = tables.study(part, "en-de", campaigns.load(part, "en-de"), "raw", name)
    return made


@needs("wmt23-protocols")
@needs("wmt23-judges")
@pytest.mark.parametrize("name", ORACLES)
def test_judges_of_wmt23_are_worth_what_was_measured(name, studies):
    rows = tables.compared(studies[name], {})[0].set_index("judge")
    expected, documents = ORACLES[name]
    assert rows.loc[THREE, "worth"].to_numpy() == pytest.approx(expected, abs=6e-4)
    if documents:
        assert rows.loc[THREE, "vd_share"].to_numpy() == pytest.approx(documents, abs=6e-4)


@needs("wmt23-protocols")
@needs("wmt23-judges")
def test_a_good_order_saves_little_on_esa_1(studies):
    others = {"ESA-2": studies["ESA-2"].people}
    rows, orders = tables.compared(studies["ESA-1"], others)
    assert list(rows) == tables.COLUMNS[1:] and list(orders) == tables.ORDERS[1:]
    rows = rows.set_index("judge")
    names = ["alike", "r", "r_low", "r_high", "worth", "worth_low", "worth_high"]
    expected = {
        "GEMBA-MQM-src": [75, 0.296, 0.168, 0.413, 0.069, 0.022, 0.134],
        "CometKiwi-src": [67, 0.379, 0.238, 0.505, 0.113, 0.044, 0.200],
        "MetricX-23-QE-src": [71, 0.206, 0.062, 0.341, 0.033, 0.003, 0.092],
        "people: ESA-2": [72, 0.339, 0.247, 0.424, 0.090, 0.048, 0.141],
    }
    for judge, values in expected.items():
        assert rows.loc[judge, names].to_numpy(float) == pytest.approx(values, abs=6e-4)
    random = rows.loc["Random-sysname-src"]
    assert random["r"] == pytest.approx(-0.002, abs=5e-4) and random["worth"] == 0
    assert (rows.loc[:"Random-sysname-src", "pairs"].isin([78, 66])).all()
    lacking = orders.set_index("judge")["lacking"]
    assert lacking["chrF-refA"] == "refA" and lacking["CometKiwi-src"] == ""


@needs("wmt23-protocols")
@needs("wmt23-judges")
def test_realised_savings_on_random_documents_are_r_squared(studies):
    """People on 10, 20, 40 documents, the judge on all: the error saved is r^2 within .03."""
    one, rng = studies["ESA-1"], np.random.default_rng(32)
    gaps = []
    for _, judge in list(one.judges.groupby("judge", sort=False))[:7]:
        beside = worth.beside(one.people, judge, one.documents)
        r = worth.judged(beside)["r"]
        people, n = beside.people, len(beside.people.systems)
        document = people.unit("document")
        ones = np.ones(len(people.score))
        theirs, held = unit_totals(people.system, document, beside.score, ones, n)
        sums = unit_totals(people.system, document, people.score, ones, n)[0]
        parts = [worth.influences(s, beside.share, people.system, document)
                 for s in (people.score, beside.score)]  # fmt: skip
        slope = worth.over_pairs(*parts) / worth.over_pairs(parts[1], parts[1])
        whole, judged = (total.sum(0) / held.sum(0) for total in (sums, theirs))
        for number in (10, 20, 40):
            errors = np.zeros((2, 4000))
            for k in range(4000):
                drawn = rng.permutation(len(held))[:number]
                size = held[drawn].sum(0)
                plain = sums[drawn].sum(0) / size - whole
                helped = plain - slope * (theirs[drawn].sum(0) / size - judged)
                errors[:, k] = plain.var(), helped.var()
            total = errors.mean(axis=1)
            gaps.append(1 - total[1] / total[0] - r**2)
    assert len(gaps) == 21 and np.abs(gaps).max() < 0.03
