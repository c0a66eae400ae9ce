"""The header of a sheet, and the title rows and footers around its table."""

import hypothesis.strategies as st
from hypothesis import given

from rankcampaigns.layout import layout

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
