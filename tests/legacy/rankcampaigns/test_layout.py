"""The header of a sheet, and the title rows and footers around its table."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from companion.legacy.rankcampaigns.layout import _always, layout, notes, width

HEADER = {0: "system", 1: "segment", 2: "score"}


def sheet(*rows):
    """Rows by line, counted from 1; empty rows are not in it."""
    return {line: row for line, row in enumerate(rows, start=1) if row}


def body(n, start=0):
    return [{0: "A", 1: k, 2: k % 5} for k in range(start, start + n)]


def test_a_table_alone_has_nothing_around_it():
    found = layout(sheet(HEADER, *body(3)))
    assert found.header == 1 and found.body == (2, 3, 4)
    assert found.above == found.below == ()


@given(st.integers(0, 8), st.integers(4, 30), st.integers(0, 3))
def test_titles_and_footers_of_one_cell_are_found_however_many(titles, rows, footers):
    title, footer = [{0: "Spring 2026"}] * titles, [{0: "n = 30"}] * footers
    found = layout(sheet(*title, HEADER, *body(rows), {}, *footer))
    assert found.header == titles + 1 and len(found.body) == rows
    assert len(found.above) == titles and len(found.below) == footers


def test_a_title_of_several_cells_needs_an_empty_line_to_be_a_footer():
    mean = {0: "Aspen", 2: 2.5, 3: "of all"}
    wide = [{**row, 3: "u", 4: "d", 5: "x"} for row in body(6)]
    header = HEADER | {3: "rater", 4: "document", 5: "note"}
    assert layout(sheet(header, *wide, mean)).below == ()
    assert layout(sheet(header, *wide, {}, mean)).below == (9,)


def test_rows_of_totals_directly_below_the_table_are_footers():
    totals = [{0: "Total", 2: 9}, {0: "Average:", 2: 3.0}]
    found = layout(sheet(HEADER | {3: "rater"}, *({**row, 3: "u"} for row in body(6)), *totals))
    assert found.below == (8, 9)
    named = [{0: "Mean", 1: k, 2: 3} for k in range(3)]  # a system of this name has its segments
    assert layout(sheet(HEADER, *body(6), *named)).below == ()


def test_a_row_of_numbers_is_no_header():
    found = layout(sheet({0: "Rated", 1: "in"}, {0: 1, 1: 2, 2: 3}, HEADER, *body(4)))
    assert found.header == 3 and found.above == (1, 2)


def test_a_footer_below_a_row_after_an_empty_line_is_the_footer_alone():
    found = layout(sheet(HEADER, *body(4), {}, *body(1, 4), {0: "n = 5"}))
    assert found.body == (2, 3, 4, 5, 7) and found.below == (8,)
    found = layout(sheet(HEADER, *body(4), {0: "n = 4"}, {0: "by us"}))
    assert found.body == (2, 3, 4, 5) and found.below == (6, 7)
    only = layout(sheet(HEADER, {0: "n = 0"}))
    assert only.header == 1 and only.body + only.below == (2,)


def test_a_row_that_fills_half_of_the_columns_is_a_footer_and_one_of_more_is_none():
    wide = HEADER | {3: "rater"}
    rows = [{**row, 3: "u"} for row in body(5)]
    for last, below in (({0: "A", 1: 3}, (8,)), ({0: "A", 1: 3, 2: 1}, ())):
        assert layout(sheet(wide, *rows, {}, last)).below == below


def test_columns_are_always_filled_if_nine_in_ten_full_rows_fill_them():
    rows = [{0: "A", 1: k, 2: 3, 3 if k else 4: "x"} for k in range(10)]
    assert _always(rows) == {0, 1, 2, 3}
    assert _always([{**row, 3 + k % 5: 1} for k, row in enumerate(body(10))]) == {0, 1, 2}
    assert _always([*rows, {0: "n = 9"}]) == {0, 1, 2, 3} and _always([]) == set()


def test_a_header_may_lack_one_name_and_no_more():
    assert layout(sheet({0: "Our"}, {0: "system", 1: "segment"}, *body(6))).header == 2
    four = [{**row, 3: "u"} for row in body(6)]
    assert layout(sheet({0: "Our"}, {0: "system", 1: "segment"}, *four)).header == 1
    alike = {0: "mean", 1: "mean", 2: "n"}  # no names: two are the same
    assert layout(sheet({0: "Our"}, alike, HEADER, *body(6))).header == 3
    numbers = {0: "2,5", 1: "+3 %", 2: "-1.0"}
    assert layout(sheet({0: "Our"}, numbers, HEADER, *body(6))).header == 3


def test_the_width_is_that_of_most_cells_and_of_two_the_larger():
    assert width([3, 3, 3, 1, 1, 1, 1]) == 3
    assert width([2, 2, 2, 6]) == 6 and width([2, 2, 2, 5]) == 2
    assert width([4]) == 4 and width([]) == 0


def test_what_stands_around_a_table_is_named_by_line_and_by_its_first_60_characters():
    rows = sheet({0: "x" * 30, 2: "y" * 29}, HEADER, *body(4), {0: "z" * 61}, {0: "n = 4"})
    found = layout(rows)
    assert notes(rows, found) == (
        ("rows above the header, not read", f"line 1 ({'x' * 30} {'y' * 29})"),
        ("rows below the table, not read", f"2, from line 7 ({'z' * 60}…)"),
    )
    alone = sheet(HEADER, *body(3))
    assert notes(alone, layout(alone)) == ()


def test_a_layout_is_not_changed_in_place():
    found = layout(sheet(HEADER, *body(3)))
    with pytest.raises(AttributeError, match="cannot assign to field 'header'"):
        found.header = 2
