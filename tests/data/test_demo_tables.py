"""The demo tables are what their generators write."""

import demo_leaderboard
import demo_long
import pytest

from companion.legacy.rankstability import paths

TABLES = {"ratings.csv": demo_long.ratings, "leaderboard.csv": demo_leaderboard.leaderboard}


@pytest.mark.parametrize("name", TABLES)
def test_a_demo_table_is_what_its_generator_writes(name):
    kept = (paths.DEMO / name).read_bytes()
    assert TABLES[name]().to_csv(index=False, lineterminator="\n").encode() == kept


def test_the_leaderboard_names_nobody_who_judged_and_lacks_some_answers():
    made = demo_leaderboard.leaderboard()
    assert list(made.columns) == ["system", "segment", "score"]
    assert set(made["score"]) == {0, 1}
    answers = made["system"].value_counts()
    assert answers[demo_leaderboard.SHORT] == 138
    assert set(answers.drop(demo_leaderboard.SHORT)) == {150}
    means = made.groupby("system")["score"].mean()
    assert means.idxmax() == "Ash" and means.idxmin() == "Yew"
