"""Statements about real campaigns: boundaries, significant pairs, and systems that could be best."""

import numpy as np
import pytest

from rankstability.inference.from_judgments import ranked_ratings
from rankstability.inference.limiting import find_limiting_domain
from rankstability.inference.questions import answer_candidates
from rankstability.inference.ratings import infer_ratings
from rankstability.io.load import load
from real import real_data

# boundaries, pairs, could be the best, candidates
WMT18 = {
    "cs-en": (3, 9, 1, 1),
    "en-cs": (4, 10, 1, 1),
    "en-de": (6, 99, 1, 1),
    "en-et": (4, 76, 1, 1),
    "en-fi": (2, 46, 2, 2),
    "en-ru": (2, 27, 2, 2),
    "en-tr": (0, 11, 5, 5),
    "en-zh": (0, 33, 10, 7),
    "et-en": (4, 63, 1, 1),
    "fi-en": (2, 16, 6, 4),
    "ru-en": (2, 20, 3, 3),
    "tr-en": (0, 4, 3, 3),
    "zh-en": (1, 27, 11, 9),
}
OTHERS = {
    "wmt20": (
        "newstest2020-segment-scores",
        ["en-cs", "en-de", "en-iu", "en-ja", "en-pl", "en-ru", "en-ta", "en-zh"],
        (18, 413, 33, 26),
    ),
    "wmt21": (
        "newstest2021-toen",
        ["cs-en", "de-en", "ha-en", "is-en", "ja-en", "ru-en"],
        (0, 25, 69, 61),
    ),
    "wmt23-mqm": ("wmt23-mqm", ["en-de", "zh-en"], (3, 43, 13, 11)),
    "wmt24-esa": ("wmt24-esa", ["en-cs", "en-hi", "en-ja", "en-zh"], (0, 7, 51, 46)),
    "wmt-slt23": ("wmt-slt23", ["sgg-de"], (1, 4, 1, 1)),
    "wmt22-appraise-liv": ("wmt22-appraise-liv", ["en-liv", "liv-en"], (7, 26, 2, 2)),
}


def inference(campaign, pair):
    arrays, by_domain = ranked_ratings(load(campaign, pair))
    return infer_ratings(arrays, None, by_domain)


def counts(made):
    candidates = len(answer_candidates(made).systems)
    sums = made.supported.sum(), made.better.sum(), made.could_be_first.sum()
    return (*(int(x) for x in sums), candidates)


@pytest.mark.slow
@pytest.mark.parametrize("pair", WMT18)
def test_wmt18(pair):
    real_data("newstest2018-humaneval")
    made = inference("wmt18", pair)
    assert counts(made) == WMT18[pair]
    assert not (made.better & made.better.T).any()


@pytest.mark.parametrize("campaign", OTHERS)
def test_sums_over_language_pairs(campaign):
    folder, pairs, expected = OTHERS[campaign]
    real_data(folder)
    found = [counts(inference(campaign, pair)) for pair in pairs]
    assert tuple(np.sum(found, axis=0).tolist()) == expected


def test_sums_of_wmt18():
    assert tuple(np.sum([*WMT18.values()], axis=0).tolist()) == (30, 441, 47, 40)


def test_boundaries_of_wmt23_mqm():
    real_data("wmt23-mqm")
    ranks = {p: np.flatnonzero(inference("wmt23-mqm", p).supported) + 1 for p in ("en-de", "zh-en")}
    assert ranks["en-de"].tolist() == [8, 9] and ranks["zh-en"].tolist() == [8]


def test_pairs_of_wmt24_en_zh():
    real_data("wmt24-esa")
    table = inference("wmt24-esa", "en-zh").pairs()
    better = table[table["result"] == "better"]
    assert {"Claude-3.5", "Gemini-1.5-Pro", "ONLINE-B", "Unbabel-Tower70B"} <= set(better["better"])
    assert (better["system_b"] == "IKUN-C").all()


@pytest.mark.parametrize(("pair", "without"), [("en-cs", (0, 9, 13, 10)), ("en-hi", (1, 11, 9, 9))])
def test_two_literary_documents_limit_wmt24(pair, without):
    real_data("wmt24-esa")
    found = find_limiting_domain(ranked_ratings(load("wmt24-esa", pair))[0])
    assert found is not None and found.domain == "literary" and found.units["document"] == 2
    assert found.df == pytest.approx(1.9, abs=0.05) and found.df_without > 15
    assert counts(found.inference) == without


def test_biomedical_pairs_cannot_be_assessed():
    real_data("bio-mqm")
    made = inference("bio-mqm", "de-en")
    assert set(made.reasons.values()) == {"few_annotators"} and not made.assessable.any()
    assert made.effective["annotator"] == pytest.approx(np.full(13, 2.2124), abs=1e-3)
