"""Language pairs as files and users write them."""

import pytest

from rankcampaigns import languages


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("English-German", "en-de"), ("eng-deu", "en-de"), (" cs-en ", "cs-en"),
        ("en_de", "en-de"), ("Czech_English", "cs-en"), ("en-pt_BR", "en-pt_BR"),
        ("en_de_x", ""), ("en", ""), ("", ""), ("_de", ""), ("en-", ""), ("e1-de", ""),
    ],
)  # fmt: skip
def test_language_pairs_as_we_write_them(text, pair):
    assert languages.pair_of(text) == pair
