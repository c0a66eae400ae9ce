"""The ranking in LaTeX fits a column of a paper."""

import pytest

from companion.legacy.rankcompanion.verdict import latex

NUMBERS = {"rank": 1, "score": 0.111, "low": -0.15, "high": 0.208, "rank_low": 1, "rank_high": 9}


def rows(*names):
    return [{**NUMBERS, "system": name} for name in names]


@pytest.mark.parametrize(
    ("name", "star", "broken"),
    [("Aspen", False, False), ("CUNI-Transformer2018.1", False, True), ("x" * 60, False, True)],
)
def test_names_are_broken_where_the_table_would_not_fit_a_column(name, star, broken):
    plan = latex.plan(rows(name), 3, True)
    assert (plan.star, plan.names > 0) == (star, broken)
    names = plan.names or latex.width(name)
    assert names + latex.rest_width(rows(name), 3, True) <= latex.COLUMN
    if broken:  # and each piece fits
        assert max(map(latex.width, latex.pieces(name))) <= plan.names
    assert "".join(latex.pieces(name)) == name


def test_numbers_too_wide_for_a_column_take_the_page():
    wide = [{**row, "low": -1835790340.0, "high": 1835790338.0} for row in rows("A")]
    assert latex.plan(wide, 2, True).star


@pytest.mark.parametrize("digits", [0, 2, 3])
@pytest.mark.parametrize("known", [True, False])
def test_every_length_of_name_fits(digits, known):
    for length in range(1, 90):
        of = rows("m" * length, "System-" + "abcdefg" * (length // 7))
        plan = latex.plan(of, digits, known)
        most = latex.PAGE if plan.star else latex.COLUMN
        names = plan.names or max(latex.width(row["system"]) for row in of)
        assert names + latex.rest_width(of, digits, known) <= most
