"""What templates write numbers with."""

import pytest

from companion.legacy.paperkit import templates


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.84, "0.8 s"), (9.97, "10 s"), (59.6, "1 min 0 s"), (185, "3 min 5 s"), (7300, "2 h 1 min")],
)
def test_duration(seconds, text):
    assert templates.duration(seconds) == text


def test_backticks_become_code_and_the_rest_is_escaped():
    said = templates.coded("`judges: [a<b]`, or `x`; 5 < 6")
    assert said == "<code>judges: [a&lt;b]</code>, or <code>x</code>; 5 &lt; 6"
