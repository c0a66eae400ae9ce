"""Who is human, who stands for a reference, and who is ranked."""

import pandas as pd
import pytest

from assessments import toy
from rankstability.judgments import (
    human_systems,
    is_human,
    ranked_systems,
    reference_systems,
    segment_table,
)


def test_who_is_human():
    yes = ["HUMAN", "HUMAN.0", "Human-A.3", "refA", "A+HUMAN.0", "Human_B", "human", "human.7",
           "newstest2019-human", "ref-A", "ref_B", "reference", "reference_r1",
           "translator-A"]  # fmt: skip
    no = ["REFERENCE", "superhuman.1", "Humanoid", "GPT4-5shot_with_refA", "refAB", "reference-A",
          "translator", "my-reference"]  # fmt: skip
    assert [n for n in yes + no if is_human(n)] == yes
    assert human_systems(toy()) == ("HUMAN.0",)
    assert reference_systems(toy()) == ("B",)
    assert ranked_systems(toy()) == ("A", "B", "HUMAN.0")


def test_scores_of_segments_are_standardised_by_the_deviation_of_a_sample():
    scores = [10.0, 20.0, 60.0, 90.0]
    frame = pd.DataFrame({"system": list("AABB"), "segment": list("1212"), "score": scores})
    excluded = pd.DataFrame(columns=["file", "reason", "rows"])
    made = segment_table(frame.assign(type="SYSTEM"), excluded)
    assert made["z"].mean() == pytest.approx(0)
    assert (made["z"] ** 2).sum() == pytest.approx(len(scores) - 1)
