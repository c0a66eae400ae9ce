"""Agreement on comparisons: statsmodels' kappas, plain loops, and Bojar et al. (2011)."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from rankstability.errors import DataError
from rankstability.io.load import load, pairs
from rankstability.io.official import published
from rankstability.ranking import agreement
from rankstability.ranking.agreement import MEASURES, measure_agreement, pair_annotations
from real import real_data
from simulated_votes import random_votes, ranking_blocks, vote_judgments


def blocks_by(rows):
    """Judgments from rows of annotator, segment and ranks."""
    annotators, segments, blocks = zip(*rows, strict=True)
    return ranking_blocks(blocks, annotators=annotators, segments=[f"s{s}" for s in segments])


def labelled_pairs(labels):
    """Each annotator ranks systems a and b once on each segment; labels is annotators x segments."""
    ranks = {1: (1, 2), 0: (1, 1), -1: (2, 1)}
    return blocks_by(
        (f"annotator{a}", s, dict(zip("ab", ranks[int(label)], strict=True)))
        for a, row in enumerate(labels)
        for s, label in enumerate(row)
    )


def mirrored(labels):
    """The same labels in both orientations, since the order of two systems is arbitrary."""
    return np.concatenate([labels, -labels], axis=1)


def test_pairs_of_annotations_equal_those_of_plain_loops():
    rng = np.random.default_rng(5)
    rows = [
        (
            f"j{rng.integers(4)}",
            rng.integers(6),
            {s: int(rng.choice([-1, 1, 2, 3])) for s in "abcd"},
        )
        for _ in range(40)
    ]
    notes = pair_annotations(blocks_by(rows))
    table = notes.table.assign(row=range(len(notes.table)))
    expected = set()
    for _, part in table.groupby(["segment", "first", "second"]):
        expected |= set(combinations(part["row"], 2))
    found = set(zip(notes.left.tolist(), notes.right.tolist(), strict=True))
    assert found == expected and len(notes.left) == len(expected)
    row = measure_agreement(blocks_by(rows)).query("kind == 'inter' and reference == 'included'")
    label, annotator = table["label"].to_numpy(), table["annotator"].to_numpy()
    inter = [(a, b) for a, b in expected if annotator[a] != annotator[b]]
    agreeing = sum(label[a] == label[b] for a, b in inter)
    assert row[["pairs", "agreeing_pairs"]].to_numpy().tolist() == [[len(inter), agreeing]]
    assert row["p_a"].item() == pytest.approx(agreeing / len(inter))
    assert row["s"].item() == pytest.approx((agreeing / len(inter) - 1 / 3) / (2 / 3))


def test_fleiss_equals_statsmodels_on_balanced_data():
    labels = np.random.default_rng(0).integers(-1, 2, size=(4, 60))
    labels[1] = np.where(np.arange(60) % 3 == 0, labels[1], labels[0])
    row = measure_agreement(labelled_pairs(labels)).iloc[0]
    both = mirrored(labels)
    table = np.stack([(both == label).sum(axis=0) for label in (-1, 0, 1)], axis=1)
    assert row["fleiss"] == pytest.approx(fleiss_kappa(table))
    assert row["pi"] == pytest.approx(row["fleiss"])  # equally many annotations per comparison


def test_cohen_equals_statsmodels_for_two_annotators():
    rng = np.random.default_rng(1)
    labels = np.stack([rng.integers(-1, 2, 80), rng.choice([-1, 0, 0, 0, 1], 80)])
    labels[1, :50] = labels[0, :50]
    both = mirrored(labels) + 1
    cells = np.zeros((3, 3), int)
    np.add.at(cells, (both[0], both[1]), 1)
    row = measure_agreement(labelled_pairs(labels)).iloc[0]
    assert row["cohen"] == pytest.approx(float(cohens_kappa(cells, return_results=False)))


def test_annotators_who_always_agree_and_annotators_who_click_at_random():
    same = [(j, s, {"a": 1, "b": 2 + s % 2 * 2 - 2, "c": 3}) for j in "xy" for s in range(30)]
    row = measure_agreement(blocks_by(same)).iloc[0]
    assert [row[measure] for measure in MEASURES] == [1.0] * len(MEASURES)
    rng = np.random.default_rng(2)
    clicks = [
        (j, s, {name: int(rng.integers(1, 6)) for name in "abcde"})
        for j in "xy"
        for s in range(400)
    ]
    row = measure_agreement(blocks_by(clicks)).iloc[0]
    assert row["p_e"] == pytest.approx(agreement.RANDOM_CLICKS, abs=0.01)
    assert abs(row["clicks"]) < 0.05 and abs(row["pi"]) < 0.05 and row["s"] > row["pi"]


def test_each_pair_is_in_the_groups_it_belongs_to():
    judgments = load("demo-rr", "cs-en")
    total = measure_agreement(judgments).set_index(["kind", "reference"])["pairs"]
    for by, (intra, inter) in {
        "segment": (1, 1),
        "annotator": (1, 2),
        "system": (2, 2),
    }.items():
        pairs_of = measure_agreement(judgments, by).groupby(["kind", "reference"])["pairs"].sum()
        for reference in ("included", "excluded"):
            assert pairs_of["intra", reference] == intra * total["intra", reference]
            assert pairs_of["inter", reference] == inter * total["inter", reference]


def test_votes_are_paired_by_question():
    votes = vote_judgments(random_votes(4, n=3, size=600))
    row = measure_agreement(votes).query("kind == 'inter' and reference == 'included'").iloc[0]
    table = votes.table
    swapped = table["left"] > table["right"]
    key = np.where(swapped, table["right"] + table["left"], table["left"] + table["right"])
    label = table["winner"].map({"left": 1, "right": -1, "tie": 0}) * np.where(swapped, -1, 1)
    frame = pd.DataFrame({"key": key + table["question"], "label": label})
    frame["annotator"] = table["annotator"]
    both = frame.reset_index().merge(frame.reset_index(), on="key").query("index_x < index_y")
    both = both[both["annotator_x"] != both["annotator_y"]]
    assert row["pairs"] == len(both)
    assert row["agreeing_pairs"] == (both["label_x"] == both["label_y"]).sum()


def test_annotations_without_a_name_are_in_no_pair():
    rows = [("x", 1, {"a": 1, "b": 2})] * 2 + [(None, 1, {"a": 1, "b": 2})] * 3
    table = measure_agreement(blocks_by(rows))
    assert table["pairs"].tolist() == [1, 1] and set(table["kind"]) == {"intra"}


def test_without_a_pair_there_is_no_row():
    table = measure_agreement(blocks_by([("x", 1, {"a": 1, "b": 2})]), "system")
    assert table.empty and {"system", "pi", "pairs"} <= set(table)


def test_intervals_hold_the_measure_and_are_wider_than_the_binomial():
    """Annotations of one segment are not independent."""
    judgments = load("demo-rr", "cs-en")
    table = measure_agreement(judgments, resamples=300, rng=np.random.default_rng(4))
    for measure in MEASURES:
        assert (table[f"{measure}_low"] < table[measure]).all()
        assert (table[measure] < table[f"{measure}_high"]).all()
    row = table.query("kind == 'inter' and reference == 'included'").iloc[0]
    binomial = 2 * 1.96 * np.sqrt(row["p_a"] * (1 - row["p_a"]) / row["pairs"])
    assert row["p_a_high"] - row["p_a_low"] > 1.15 * binomial


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"by": "length"}, "unknown_group"),
        ({"resamples": 10}, "rng_needed"),
        ({"by": "document"}, "no_documents"),
    ],
)
def test_errors_have_codes(arguments, code):
    with pytest.raises(DataError) as error:
        measure_agreement(blocks_by([("x", 1, {"a": 1, "b": 2})]), **arguments)
    assert error.value.code == code


def test_votes_without_questions_and_ratings_are_refused():
    votes = vote_judgments(random_votes(4))
    for judgments, code in (
        (votes.with_table(votes.table.drop(columns="question")), "question_needed"),
        (load("demo-srdc", "de-en"), "wrong_kind"),
    ):
        with pytest.raises(DataError) as error:
            measure_agreement(judgments)
        assert error.value.code == code


def test_wmt10_as_bojar_2011_prints_it():
    """Tables 1 and 3, and section 2.2.2: by pair, and pooled with one P(E) of all comparisons."""
    real_data("wmt10")
    tables = {pair: measure_agreement(load("wmt10", pair)) for pair in pairs("wmt10")["pair"]}
    printed = published("bojar2011", campaign="wmt10")
    kappas = printed[(printed["place"] == "Table 1") & printed["measure"].str.endswith("_kappa")]
    for row in kappas[kappas["pair"].isin(list(tables))].itertuples():
        table = tables[row.pair].query("reference == 'included'").set_index("kind")
        kind = row.measure.removesuffix("_kappa")
        assert f"{table.loc[kind, 's']:.3f}" == row.published, row.cell
    annotated = [pair_annotations(load("wmt10", pair)).label for pair in tables]
    ties = float(np.mean(np.concatenate(annotated) == 0))
    chance = float(agreement.chance_agreement(ties))
    assert (round(ties, 3), round(chance, 3)) == (0.168, 0.374)
    counts = pd.concat(tables.values()).groupby(["kind", "reference"])
    pooled = counts[["pairs", "agreeing_pairs"]].sum()
    assert pooled.loc[("inter", "included"), "pairs"] == 11180
    assert pooled.loc[("intra", "included"), "pairs"] == 5750
    for row in printed[printed["place"] == "Table 3"].itertuples():
        number = pooled.loc[(row.kind, row.reference)]
        p_a = number["agreeing_pairs"] / number["pairs"]
        p_e = {"s": 1 / 3, "pi": chance}[row.measure]
        assert f"{(p_a - p_e) / (1 - p_e):.3f}" == row.published, row.cell
