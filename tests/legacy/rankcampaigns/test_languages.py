"""Language pairs as files and users write them."""

from pathlib import Path

import pytest

from companion.legacy.rankcampaigns import languages
from companion.legacy.rankstability.errors import DataError


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


@pytest.mark.parametrize(
    ("pair", "words"),
    [("de-en", "German–English"), ("en-liv", "English–Livonian"), ("bho-as", "Bhojpuri–Assamese"),
     ("xx-yy", "xx-yy"), ("de-yy", "de-yy"), ("xx-en", "xx-en"), ("de", "de"),
     ("ga-ha", "Irish–Hausa")],
)  # fmt: skip
def test_pairs_are_spoken_by_the_english_names_of_both_languages(pair, words):
    assert languages.spoken(pair) == words


def test_no_abbreviation_is_spoken_as_a_name():
    names = {languages.spoken(f"{code}-en") for code in set(languages.LANGUAGES.values())}
    spoken = {name.partition("–")[0] for name in names if "–" in name}
    assert len(spoken) == len(set(languages.LANGUAGES.values()))
    assert min(map(len, spoken)) == 4  # Thai, Urdu


@pytest.mark.parametrize(
    ("name", "pair"),
    [("run-2_en-de.csv", "en-de"), ("eng-deu.csv", "en-de"), ("mine_cs_en.tsv", "cs-en"),
     ("en-en.csv", ""), ("mine.csv", ""), ("xx-yy.csv", ""), ("x.en-xx.csv", ""),
     ("de-fr_en-cs.csv", "en-cs"), ("de-fr.csv", "de-fr"), ("men-den.csv", ""),
     ("cs-en.en-de-test.csv", None), ("de-fr_cs-pl.csv", None), ("en-de_cs_en.csv", "en-de"),
     ("mqm_ende.tsv", "")],
)  # fmt: skip
def test_the_pair_in_a_name_is_of_two_known_languages_and_one_of_them(name, pair):
    if pair is None:
        with pytest.raises(DataError, match="several language pairs in the file's name") as error:
            languages.pair_in(Path(name))
        assert error.value.expected == "one of them in the name, or `pair:` in a campaign.yaml"
    else:
        assert languages.pair_in(Path(name)) == pair
    assert languages.pair_in(Path("mqm_ende.tsv"), joined=True) == "en-de"


def test_a_pair_is_that_of_the_settings_the_name_or_a_placeholder():
    assert languages.pair_told(Path("en-de.csv"), {"pair": "cs-en"}) == "cs-en"
    assert languages.pair_told(Path("en-de.csv"), {}) == "en-de"
    assert languages.pair_told(Path("mine.csv"), {"pair": ""}) == "xx-yy"
    error = languages.no_rows(Path("mine.csv"), "de-en", ["en-de", "cs-en"])
    assert (error.value, error.expected) == ("de-en", "one of cs-en, en-de")
