"""The rows of a study: which of people's declared pairs and lines a judge keeps."""

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.notebooks.judges import tables
from companion.legacy.rankcompanion.notebooks.judges.tables import Declared, Study
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score.scored import from_frame


def people(rng, systems=4, documents=24):
    truth = np.arange(systems)[::-1] * 8.0
    rows = []
    for d in range(documents):
        own = rng.normal(0, 3, systems)
        for s in range(systems):
            score = 50 + truth[s] + own[s] + rng.normal(0, 2)
            rows.append((f"S{s}", f"{d}", f"d{d}", f"w{d % 8}", score))
    return pd.DataFrame(rows, columns=["system", "segment", "document", "worker", "score"])


def test_a_judge_keeps_or_reverses_pairs_and_lines_by_name():
    sure = Declared((("A", "B"), ("A", "C"), ("B", "D")), (frozenset("A"),))
    counts, wrong, lines = tables.kept(sure, {"A": 2.0, "B": 3.0, "C": 1.0})
    assert counts == {"declared_alike": 1, "declared": 2}  # D is not the judge's
    assert wrong == ["B above A"] and lines == ["below A"]
    assert tables.kept(sure, {"A": 4.0, "B": 3.0, "D": 1.0})[1:] == ([], [])
    tied = tables.kept(sure, {"A": 1.0, "B": 1.0})
    assert tied == ({"declared_alike": 0, "declared": 1}, [], [])


def test_rows_of_a_study_with_judges_and_another_study():
    rng = np.random.default_rng(3)
    frame = people(rng)
    mean = frame.groupby(["system", "segment", "document"], as_index=False)["score"].mean()
    good = mean.assign(judge="good", score=mean["score"] + rng.normal(0, 1, len(mean)))
    level = mean.assign(judge="level", score=1.0)
    same = mean.assign(judge="same")
    judges = pd.concat([good, level, same])
    one = Study("x", from_frame(frame), pd.Series(dtype=str), judges)
    rows, orders = tables.compared(one, {"y": from_frame(frame)})
    rows, orders = rows.set_index("judge"), orders.set_index("judge")
    assert list(rows.index) == ["good", "level", "same", "people: y", tables.PERFECT]
    assert rows.loc["good", "declared"] == rows.loc["good", "declared_alike"] == 6
    assert rows.loc["good", "r_low"] > 0.7
    assert orders["constant"].tolist() == [0, 1, 0, 0] and orders["equal"].tolist() == [0, 0, 1, 1]
    assert np.isnan(rows.loc["level", "worth"]) and rows.loc["level", "declared_alike"] == 0
    assert (orders["same_annotators"] >= rows.loc[orders.index, "declared"]).all()


def test_a_judge_with_people_s_means_or_one_annotator_s_scores_has_people_s_scores():
    rng = np.random.default_rng(4)
    first, second = people(rng), people(rng).assign(worker="other")
    frame = pd.concat([first.assign(worker="one"), second])
    mean = frame.groupby(["system", "segment", "document"], as_index=False)["score"].mean()
    near = mean.assign(score=mean["score"] + 0.01 * rng.normal(size=len(mean)))
    mixed = pd.concat([first[first["segment"] < "2"], second[second["segment"] >= "2"]])
    judges = {"mean": mean, "copied": first, "near": near, "mixed": mixed}
    parts = [part.assign(judge=judge).drop(columns="worker", errors="ignore")
             for judge, part in judges.items()]  # fmt: skip
    one = Study("x", from_frame(frame), pd.Series(dtype=str), pd.concat(parts))
    equal = tables.compared(one, {})[1].set_index("judge")["equal"]
    assert equal.to_dict() == {"mean": 1, "copied": 1, "near": 0, "mixed": 0}


def test_documents_are_named_by_segment_where_the_judgments_name_them():
    frame = pd.DataFrame({"segment": [1, 1, 2], "document": ["d", "d", None], "raw": 1.0})
    assert tables.documents(frame).to_dict() == {"1": "d"}
    assert tables.documents(frame.drop(columns="document")).empty


def test_a_model_among_the_raters_of_mqm_is_compared_with_the_others(tmp_path):
    file = paths.DEMO / "demo-mqm" / "mqm_demo_ende.3ratingsPerSegment.tsv"
    (tmp_path / file.name).write_text(file.read_text().replace("\trater4\t", "\tgemba\t"))
    (tmp_path / "campaign.yaml").write_text("judges: [gemba]\n")
    campaign = campaigns.find(tmp_path)
    made = tables.of_pair(campaign, "en-de", "raw")
    rows = made.rows.set_index("judge")
    assert list(rows.index) == ["gemba", tables.PERSON, tables.PERFECT]
    assert rows.loc["gemba", "outputs"] > 100 and rows.loc["gemba", "r"] > 0
    judgments = campaigns.load(campaign, "en-de")
    assert "gemba" not in set(judgments["rater"].astype(str))


def test_intervals_hold_the_true_correlation_as_often_as_they_say():
    """As `benchmarks/bench_judges.py` measured it."""
    table = pd.read_csv(paths.ROOT / "benchmarks" / "results" / "judges.csv")
    assert set(table["documents"]) == {10, 20, 40} and set(table["systems"]) == {2, 4, 12}
    known = table[table["r"] <= 0.45]
    assert len(known) == len(table) == 54 and (known["coverage"] >= 0.92).all()


def test_a_judge_of_one_language_pair_is_no_error_in_another(tmp_path):
    file = paths.DEMO / "demo-mqm" / "mqm_demo_ende.3ratingsPerSegment.tsv"
    (tmp_path / "mqm_demo_enzh.tsv").write_text(file.read_text())
    (tmp_path / "mqm_demo_ende.tsv").write_text(file.read_text().replace("\trater4\t", "\tgemba\t"))
    (tmp_path / "campaign.yaml").write_text("judges: [gemba]\n")
    campaign = campaigns.find(tmp_path)
    assert set(tables.of_pair(campaign, "en-de", "raw").orders["judge"]) == {"gemba"}
    assert tables.of_pair(campaign, "en-zh", "raw").orders.empty
    (tmp_path / "campaign.yaml").write_text("judges: [gemba, comet]\n")
    with pytest.raises(DataError, match="no such judge; found 'comet'"):
        campaigns.load(campaigns.find(tmp_path), "en-zh")
