"""The sentences of a verdict, each in both directions: said where true, not said where not."""

from __future__ import annotations

import json

import numpy as np
import pytest

from verdicts import page_text, told_of, written

# ------------------------------------------------------------------ battles


def arena(path, judges, unnamed=0, number=600, strengths=(0.0, 0.0, 1.2), seed=1):
    """Battles of three models; `judges` in turn, the first `unnamed` battles without."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(number):
        one, other = rng.choice(3, 2, replace=False)
        wins = rng.random() < 1 / (1 + np.exp(strengths[other] - strengths[one]))
        row = {"model_a": f"M{one}", "model_b": f"M{other}"}
        row |= {"winner": "model_a" if wins else "model_b", "question_id": f"q{k % 200}"}
        rows.append(row if k < unnamed else row | {"judge": f"j{k % judges}"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("judges", "unnamed", "unit", "units", "why"),
    [
        (30, 0, "judge", 30, ""),
        (30, 600, "battle", 600, "none is named"),
        (30, 12, "battle", 600, "12 of 600 battles name none"),
        (30, 1, "battle", 600, "1 of 600 battles names none"),
        (5, 0, "battle", 600, "only 5 are named"),
    ],
)
def test_without_judges_the_battle_is_the_unit_and_nothing_is_said_of_other_judges(
    tmp_path, judges, unnamed, unit, units, why
):
    told = told_of(arena(tmp_path / "arena.jsonl", judges, unnamed))
    assert (told["unit"], told["units"]) == (unit, units)
    said = written(told)
    assert said["unit"] == unit
    first = f"M2 is first of 3 systems, and would be with other {unit}s too (95 %)"
    assert said["sentence"].startswith(first)
    known = f" Nothing is known of other judges: {why}."
    text = page_text(told)
    assert text.count("Nothing is known of other judges") == (0 if not why else 3)
    if not why:
        assert "annotators" not in said["sentence"] and "Nothing" not in said["sentence"]
        assert "Anything about other documents: these data only let judges" in text
        return
    assert said["sentence"].endswith(known) and text.count(known.strip()) == 3
    assert "other judges too" not in text and "20 judges" not in text
    assert "Anything about other judges: these data only let battles" in text
    # who shares judges is said only of judges that are named
    assert ("judges of the rarer" in text) == (unnamed == 0)
    named = {row["unit"]: row["units"] for row in told["unit_table"]}
    assert named == ({"battle": 600} if unnamed else {"judge": judges, "battle": 600})


def test_blocks_asked_for_are_said_to_be(tmp_path):
    told = told_of(arena(tmp_path / "arena.jsonl", 30), unit="block")
    assert told["unit"] == "battle"
    assert written(told)["sentence"].endswith("other judges: battles were asked for.")
