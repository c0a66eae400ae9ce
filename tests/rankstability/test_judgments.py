"""Who is human, who stands for a reference, and who is ranked."""

from assessments import toy
from rankstability.judgments import human_systems, is_human, ranked_systems, reference_systems


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
