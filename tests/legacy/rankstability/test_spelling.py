"""Names as they are seen."""

import pytest

from companion.legacy.rankstability.spelling import alike, cleaned, looks, told_apart


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("  Aspen\t", "Aspen"),
        ("A  B", "A  B"),  # blanks within are looked at by `looks` only
        ("As\u200bpen\u2060", "Aspen"),
        ("\u3000A\u2003B\u00a0", "A B"),
        ("e\u0301", "\u00e9"),
        ("A\ufe00\ufe0f\u3164B", "AB"),  # selectors and a filler
        ("A\ufe10B", "A\ufe10B"),  # the next after the selectors is punctuation
        ("\u200b", ""),
        ("", ""),
    ],
)
def test_names_are_cleaned(written, seen):
    assert cleaned(written) == seen


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
def test_joiners_stay_between_letters_beyond_ascii_only(joiner):
    between = f"\u0645{joiner}\u0631"
    assert cleaned(between) == between
    assert cleaned(f"a{joiner}\u0631") == f"a{joiner}\u0631"  # one of the two suffices
    assert cleaned(f"a{joiner}b\u0631") == "ab\u0631"
    assert cleaned(f"\u0645\u0645{joiner}") == "\u0645\u0645"  # at the end
    assert cleaned(f"{joiner}\u0645\u0645") == "\u0645\u0645"  # at the start
    assert cleaned(f"\u0645{joiner}-\u0631") == "\u0645-\u0631"  # before no letter


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ('"Aspen"', "Aspen"), ('"" Aspen ""', "Aspen"), ('"A', '"A'), ('A"', 'A"'), ('""', '""'),
        ('"A"', "A"), ("xAx", "xAx"), ("A   B", "A B"), ("A\u00a0 B", "A B"),
        ("17.0", "17"), ("17.", "17"), ("-17.00", "-17"), ("17.01", "17.01"), ("d_1.0", "d_1"),
        ("d#1.0", "d#1"), ("d/1.0", "d/1"), ("d:1.0", "d:1"), ("v1.0", "v1.0"), ("1.0x", "1.0x"),
        ("\uff21\uff22", "AB"), ("\ufb01", "fi"), ("\U0001d7d7", "9"),
        ("\u0410\u0421\u0415", "ACE"), ("\u039f\u03bf", "Oo"), ("A\u2013B\u2212", "A-B-"),
        ("A\u2019s", "A's"), ("\u0645\u200c\u0631", "\u0645\u0631"), ("\u0411", "\u0411"),
    ],
)  # fmt: skip
def test_a_name_is_reduced_to_what_a_reader_sees(name, seen):
    assert looks(name) == seen


def test_each_name_that_looks_the_same_is_found_beside_the_first_of_its_look():
    assert alike(["A", "B", "A", "\u0410", "\u0391", "17", "b", "17.0"]) == [
        ("A", "\u0410"), ("A", "\u0391"), ("17", "17.0"),
    ]  # fmt: skip
    assert alike([]) == [] and alike(["A", "A"]) == []


def test_two_spellings_are_told_apart_by_the_names_of_at_most_three_characters():
    a, cyrillic = "LATIN CAPITAL LETTER A", "CYRILLIC CAPITAL LETTER A"
    assert told_apart("AB", "\u0410B") == f"{cyrillic}, {a}"
    assert told_apart("17", "17.0") == "FULL STOP, DIGIT ZERO"
    assert told_apart("A B", "A  B") == "blanks"
    three = "LATIN SMALL LETTER A, LATIN SMALL LETTER B, LATIN SMALL LETTER C"
    assert told_apart("", "abcd") == three and told_apart("", "abca") == three
    assert told_apart("A", "A\ue000") == "U+E000" and told_apart("A", "A\x07") == "U+0007"
