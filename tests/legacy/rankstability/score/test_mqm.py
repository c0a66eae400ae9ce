"""MQM weights, sums and normalisations."""

import io
import json
import tarfile
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from conftest import needs, real
from companion.legacy.rankcampaigns.mqm import read_mqm
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score import mqm


def judgments(rows):
    """Rows of (system, document, segment, rater, category, severity)."""
    columns = ["system", "document", "segment", "rater", "category", "severity"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(
    ("name", "major"), [("freitag2021", 5.0), ("major1", 1.0), ("major10", 10.0)]
)
def test_weight_tables_differ_in_what_a_major_error_weighs_and_in_nothing_else(name, major):
    weights = {
        ("Accuracy/Mistranslation", "Major"): major, ("Fluency/Punctuation", "Major"): major,
        ("Fluency/Punctuation", "Minor"): 0.1, ("Fluency/Grammar", "Minor"): 1.0,
        ("Non-translation", "Major"): 25.0, ("Accuracy/Mistranslation", "Neutral"): 0.0,
        ("Source issue", "Major"): 0.0, ("No-error", "No-error"): 0.0,
    }  # fmt: skip
    errors = judgments([("A", "d", 1, "r", *kind) for kind in weights])
    assert mqm.weigh(errors, name).tolist() == [*weights.values()]


def test_other_tables_and_what_has_no_weight():
    row = judgments([("A", "d", 1, "r", "Accuracy/Creative Reinterpretation", "Major")])
    assert mqm.weigh(row)[0] == 5 and mqm.weigh(row, "marot2023")[0] == 0
    own = pd.DataFrame({"severity": ["Major"], "category": [""], "weight": [7.0]})
    assert mqm.weigh(row, own)[0] == 7
    critical = judgments([("A", "d", 1, "r", "Other", "Critical")])
    with pytest.raises(DataError, match="no weight for Critical Other"):
        mqm.weigh(critical)
    assert mqm.weigh(critical, "critical25")[0] == 25
    with pytest.raises(DataError, match="unknown weight table"):
        mqm.weigh(row, "freitag")


def test_errors_of_the_source_weigh_something_in_one_table_alone():
    kinds = [("Source issue", "Major"), ("Source issue", "Minor"), ("Source issue", "Neutral"),
             ("Other", "Neutral"), ("Other", "Minor"), ("No-error", "No-error"),
             ("Accuracy/Creative Reinterpretation", "Minor")]  # fmt: skip
    errors = judgments([("A", "d", 1, "r", *kind) for kind in kinds])
    assert mqm.weigh(errors, "with_source").tolist() == [5, 1, 0, 0, 1, 0, 1]
    assert mqm.weigh(errors).tolist() == [0, 0, 0, 0, 1, 0, 1]


def test_sums_per_item_and_rater():
    rows = []
    for system, extra in (("A", 0), ("B", 2)):
        for rater in ("r2", "r10"):
            rows += [(system, "d", 1, rater, "Other", "Minor")] * (1 + extra)
            rows += [(system, "d", 2, rater, "No-error", "No-error")]
            rows += [(system, "d", 2, rater, "Source issue", "Major")]
    rows += [("A", "e", 3, r, "Other", "Major") for r in ("r2", "r10")]  # B never did document e
    data = mqm.ratings(judgments(rows))
    assert data.raters == ("r2", "r10")  # in natural order
    assert data.documents == ("d",)
    assert data.excluded == {
        "documents not rated whole for every system": 1,
    }
    assert data.segments.tolist() == [2]
    assert data.score[:, 0].tolist() == [[1, 1], [3, 3]]
    assert data.square[:, 0].tolist() == [[1, 1], [9, 9]]
    assert data.errors[:, 0].tolist() == [[1, 1], [3, 3]]  # source issues are no errors


def test_each_rating_is_in_the_slot_of_its_rater():
    """Documents of different raters: slots are in the order of raters, whatever that of rows."""
    who = {"d": ("r1", "r3"), "e": ("r2", "r3"), "f": ("r2", "r1")}
    number = {"r1": 1, "r2": 4, "r3": 9}
    rows = [
        (system, document, document, rater, "Other", "Minor")
        for document in who
        for system, more in (("B", 1), ("A", 0))
        for rater in who[document][::-1]
        for _ in range(number[rater] + more)
    ]
    data = mqm.ratings(judgments(rows))
    assert (data.documents, data.raters) == (("d", "e", "f"), ("r1", "r2", "r3"))
    assert data.slots.tolist() == [[0, 2], [1, 2], [0, 1]]
    assert data.score[0].tolist() == [[1, 9], [4, 9], [1, 4]]
    assert data.errors[1].tolist() == [[2, 10], [5, 10], [2, 5]]


def test_a_system_with_few_documents_does_not_take_the_others_along():
    rows = [(s, d, d, "r", "Other", "Minor") for s in "AB" for d in range(4)]
    rows += [("C", 0, 0, "r", "Other", "Major")]
    data = mqm.ratings(judgments(rows).astype({"document": str}))
    assert data.systems == ("A", "B") and len(data.documents) == 4
    assert data.excluded == {"system C (under 50\u00a0% of documents)": 1}


def test_raters_without_errors_variance_or_ratings_are_left_as_they_are_or_centred():
    """Of scores 0, 0; 3, 3; 1, 5; and none: each rater's map is a score plus b."""
    sums = np.array([[2.0, 2, 2, 0], [0, 6, 6, 0], [0, 18, 26, 0], [0, 2, 2, 0]])
    maps = {how: mqm.rater_scaling(how, *sums) for how in mqm.NORMALISATIONS}
    sd = np.std([1, 5], ddof=1)
    expected = {"none": [1, 1, 1, 1], "mean": [1, 2 / 3, 2 / 3, 1], "error": [1, 1, 1, 1]}
    for how, a in (expected | {"z": [1, 1, 1 / sd, 1]}).items():
        np.testing.assert_allclose(maps[how][0], a)
        b = [0, -3, -3 / sd, 0] if how == "z" else [0] * 4
        np.testing.assert_allclose(maps[how][1], b, atol=1e-12)


def test_unknown_normalisation():
    with pytest.raises(DataError, match="none, mean, error, z"):
        mqm.rater_scaling("rank", *np.ones((4, 2)))


@needs("wmt23-mqm")
def test_all_scores_embedded_in_the_release_of_zh_en_come_out():
    """metadata.segment.metrics.MQM: the mean over raters, creative reinterpretation as nothing."""
    file = real("wmt23-mqm") / "sxs_mqm_generalMT2023_zhen.3ratingsPerSegment.tsv.tar.gz"
    frame = read_mqm(file, "zh-en")
    embedded = {}
    with tarfile.open(file, "r:gz") as archive:
        for line in io.TextIOWrapper(archive.extractfile(archive.getmembers()[0]), "utf-8"):
            if '"metrics"' in line:
                cells = line.split("\t", 9)
                value = json.loads(cells[9]).get("segment", {}).get("metrics", {}).get("MQM")
                if value is not None:
                    embedded[cells[0], int(cells[3])] = value
    agree = {}
    for weights in ("freitag2021", "marot2023"):
        scores = mqm.mqm_scores(frame, weights)
        means = scores.groupby(["system", "segment"])["score"].sum() / 3
        agree[weights] = [abs(means[key] - value) < 1e-6 for key, value in embedded.items()]
    assert len(embedded) == 3770
    assert all(agree["marot2023"])
    assert 0.98 < np.mean(agree["freitag2021"]) < 1


def test_minor_errors_of_form_weigh_a_tenth_in_the_weights_of_bio_mqm():
    light = [f"Linguistic conventions/{kind}" for kind in ("Punctuation", "Spelling", "Grammar")]
    kinds = [*((name, "Minor") for name in [*light, "Style/Non fluent"]), ("Style/Other", "Minor")]
    kinds += [(light[0], "Major"), ("Accuracy/Untranslated", "Major"), ("No-error", "No-error")]
    judgments = pd.DataFrame(kinds, columns=["category", "severity"])
    weights = mqm.weigh(judgments, "zouhar2024").tolist()
    assert weights == [0.1, 0.1, 0.1, 0.1, 1.0, 5.0, 25.0, 0.0]


def test_every_weight_of_the_tables_for_other_releases():
    kinds = {  # severity, category: weight
        ("Neutral", "Other"): 0, ("No-error", "No-error"): 0, ("Minor", "Other"): 1,
        ("Minor", "Linguistic conventions/Character encoding"): 0.1, ("Critical", "Other"): 5,
        ("Minor", "Linguistic conventions/Register"): 0.1, ("Major", "Other"): 5,
        ("Major", "Style/Non fluent"): 5, ("Critical", "Accuracy/Untranslated"): 25,
        ("Minor", "Accuracy/Untranslated"): 1,
    }  # fmt: skip
    errors = judgments([("A", "d", 1, "r", category, severity) for severity, category in kinds])
    assert mqm.weigh(errors, "zouhar2024").tolist() == [*kinds.values()]
    rest = [("Critical", "Other"), ("Critical", "Source issue"), ("Major", "Non-translation"),
            ("Minor", "Fluency/Punctuation"), ("Minor", "Non-translation")]  # fmt: skip
    errors = judgments([("A", "d", 1, "r", category, severity) for severity, category in rest])
    assert mqm.weigh(errors, "critical25").tolist() == [25, 0, 25, 0.1, 1]
    assert mqm.weigh(errors[2:], "marot2023").tolist() == [25, 0.1, 1]
    assert mqm.weigh(errors[2:], "with_source").tolist() == [25, 0.1, 1]


def test_judgments_with_a_table_of_their_own_use_it_unless_another_is_asked_for():
    row = judgments([("A", "d", 1, "r", "Other", "Major")])
    row.attrs["weights"] = "major10"
    assert mqm.weigh(row).tolist() == [10]
    assert mqm.weigh(row, "major1").tolist() == [1]


def test_what_has_no_weight_is_told_with_its_rows():
    rows = judgments([("A", "d", 1, "r", "Other", "Critical")] * 3)
    with pytest.raises(DataError) as caught:
        mqm.weigh(rows)
    assert caught.value.problem == "no weight for Critical Other (3 rows)"
    assert (caught.value.column, caught.value.value) == ("severity", "Critical")


def test_scores_are_sums_of_weights_in_order_of_system_document_segment_and_rater():
    rows = [
        ("B", "d", 2, "r", "Other", "Minor"), ("A", "d", 10, "s", "Source issue", "Major"),
        ("A", "d", 2, "s", "Fluency/Punctuation", "Minor"), ("B", "d", 2, "r", "Other", "Major"),
        ("A", "d", 2, "r", "No-error", "No-error"), ("B", "d", 2, "r", "Other", "Neutral"),
    ]  # fmt: skip
    made = mqm.mqm_scores(judgments(rows))
    assert list(made) == ["system", "document", "segment", "rater", "score", "errors"]
    assert made.to_numpy().tolist() == [
        ["A", "d", 2, "r", 0, 0], ["A", "d", 2, "s", 0.1, 1], ["A", "d", 10, "s", 0, 0],
        ["B", "d", 2, "r", 6, 2],
    ]  # fmt: skip
    assert mqm.mqm_scores(judgments(rows), "with_source")["score"].tolist() == [0, 0.1, 5, 6]


def rated(*items):
    """A minor error for each system, document and rater; raters as in "rs"."""
    rows = [(s, d, d, r, "Other", "Minor") for systems, d, raters in items
            for s in systems for r in raters]  # fmt: skip
    return judgments(rows)


def test_a_system_with_half_of_the_documents_is_kept():
    data = mqm.ratings(
        rated(("ABC", "1", "r"), ("ABC", "2", "r"), ("AB", "3", "r"), ("A", "4", "r"))
    )
    assert data.systems == ("A", "B", "C") and data.documents == ("1", "2")
    assert data.excluded == {"documents not rated whole for every system": 2}
    assert data.shape == (3, 2, 1)
    most = mqm.ratings(rated(("AB", "1", "r"), ("AB", "2", "r"), ("A", "3", "r")))
    assert most.excluded == {"documents not rated whole for every system": 1}


def test_documents_of_more_or_fewer_raters_than_most_are_left_out_and_counted():
    data = mqm.ratings(
        rated(("AB", "1", "rs"), ("AB", "2", "st"), ("AB", "3", "r"), ("AB", "4", "rst"))
    )
    assert data.documents == ("1", "2") and data.raters == ("r", "s", "t")
    assert data.excluded == {"documents without exactly 2 raters": 2}
    assert [one.tolist() for one in data.buckets] == [[0], [1]]
    whole = mqm.ratings(rated(("AB", "1", "rs"), ("AB", "2", "st"), ("AB", "3", "rs")))
    assert whole.excluded == {} and [one.tolist() for one in whole.buckets] == [[0, 2], [1]]


def test_no_document_rated_whole_is_refused():
    with pytest.raises(DataError) as caught:
        mqm.ratings(rated(("A", "1", "r"), ("B", "2", "r")))
    assert caught.value.value == "2 documents, 2 systems"
    assert "no document was rated in full" in caught.value.problem


def test_ratings_without_systems_keep_the_sums_of_the_others():
    rows = [(s, "d", 1, "r", "Other", "Minor") for s in "ABBC" for _ in range(ord(s) - 64)]
    data = mqm.ratings(judgments(rows))
    with pytest.raises(FrozenInstanceError):
        data.systems = ("A",)
    left = data.without("A", "Z")
    assert left.systems == ("B", "C") and left.documents == ("d",) and left.shape == (2, 1, 1)
    for name in ("score", "square", "errors"):
        assert getattr(left, name).tolist() == getattr(data, name)[1:].tolist()
    assert left.score.ravel().tolist() == [4, 3] and left.square.ravel().tolist() == [16, 9]


def test_raters_are_in_natural_order():
    names = ["r10", "r2", "r", "r0", "q3", "3", "20"]
    data = mqm.ratings(rated(("AB", "d", names)))
    assert data.raters == ("3", "20", "q3", "r", "r0", "r2", "r10")


@pytest.mark.parametrize("how", mqm.NORMALISATIONS)
def test_raters_of_many_studies_at_once_are_scaled_as_in_each(how):
    count = np.array([[4.0, 2, 1], [3, 5, 2]])
    total = np.array([[8.0, 6, 3], [9, 5, 4]])
    square = np.array([[30.0, 20, 9], [40, 9, 10]])
    errors = np.array([[5.0, 4, 2], [6, 3, 1]])
    a, b = mqm.rater_scaling(how, count, total, square, errors)
    for k in range(2):
        one = mqm.rater_scaling(how, count[k], total[k], square[k], errors[k])
        np.testing.assert_allclose((a[k], b[k]), one)


def test_a_rater_with_one_segment_is_scaled_by_it():
    """Of scores 3; and 0, 0, 3, with 2 and 4 errors: 6 in 4 segments."""
    sums = np.array([[1.0, 3], [3, 3], [9, 9], [2, 4]])
    maps = {how: mqm.rater_scaling(how, *sums) for how in mqm.NORMALISATIONS}
    sd = np.std([0, 0, 3], ddof=1)
    weight = 4 / (1 * 2 + 3 * 4)
    expected = {"none": [1, 1], "mean": [0.5, 1.5], "z": [1, 1 / sd]}
    expected["error"] = [0.5 * weight * 2, 1.5 * weight * 4]
    for how, a in expected.items():
        np.testing.assert_allclose(maps[how][0], a)
        np.testing.assert_allclose(maps[how][1], [-3, -1 / sd] if how == "z" else [0, 0])


def test_a_rater_of_many_segments_is_standardised_as_one_of_few():
    """Half of the scores are 0, half 1."""
    for count in (10.0, 1e5):
        half = count / 2
        a, b = mqm.rater_scaling("z", *np.array([[count], [half], [half], [half]]))
        sd = np.sqrt(count / 4 / (count - 1))
        np.testing.assert_allclose((a[0], b[0]), (1 / sd, -0.5 / sd))
