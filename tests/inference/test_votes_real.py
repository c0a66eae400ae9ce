"""Votes and relative rankings of real campaigns: what can be said with new annotators and questions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rankstability.inference.votes import infer_votes, second_answers
from rankstability.io.formats import relative_ranking
from rankstability.io.load import load, pairs
from rankstability.judgments import Judgments
from rankstability.scores.pairwise import vote_arrays
from real import real_data

LLMFAO = "llmfao"


def statements(results):
    """Systems, those that could be the best, significant pairs and supported boundaries."""
    results = list(results)
    return (
        sum(len(result.systems) for result in results),
        sum(int(result.could_be_first.sum()) for result in results),
        sum(int(result.better.sum()) for result in results),
        sum(int(result.supported.sum()) for result in results),
    )


@pytest.mark.parametrize(
    ("campaign", "ending", "expected"),
    [
        ("wmt10", "", (145, 107, 275, 1)),
        ("wmt11", "individual", (125, 104, 100, 1)),
        ("wmt11", "combination", (36, 27, 14, 2)),
        ("wmt11", "tunable", (8, 7, 7, 1)),
        ("wmt12", "", (103, 53, 207, 6)),
    ],
)
def test_relative_rankings_of_wmt(campaign, ending, expected):
    real_data(campaign)
    names = [pair for pair in pairs(campaign)["pair"] if pair.endswith(ending)]
    assert statements(infer_votes(vote_arrays(load(campaign, pair))) for pair in names) == expected


def test_segments_in_place_of_documents_say_more_about_wmt10():
    real_data("wmt10")
    results = []
    for pair in pairs("wmt10")["pair"]:
        judgments = load("wmt10", pair)
        by_segment = judgments.with_table(judgments.table.drop(columns="document"))
        results.append(infer_votes(vote_arrays(by_segment)))
    assert statements(results) == (145, 106, 300, 1)


def test_paid_annotators_of_wmt10():
    file = real_data("wmt10") / "data_RNK-public.csv"
    results = [
        infer_votes(vote_arrays(judgments))
        for task in relative_ranking.list_tasks([file])
        for judgments in relative_ranking.read([file], task=task).values()
    ]
    assert statements(results) == (145, 114, 47, 1)
    assert sum(int((~result.assessable).sum()) for result in results) == 17


def test_llmfao_with_new_annotators_and_prompts():
    real_data(LLMFAO)
    votes = vote_arrays(load(LLMFAO, pairs(LLMFAO)["pair"].iloc[0]))
    result = infer_votes(votes)
    assert statements([result]) == (59, 54, 0, 0)
    assert result.units == {"annotator": 124, "question": 13}
    few = [result.effective["question"][k] for k in np.flatnonzero(~result.assessable)]
    assert len(few) == 5 and min(few) > 2.2 and max(few) < 2.5
    assert set(result.reasons.values()) == {"few_questions"}
    assert "few_questions" in result.notes
    order = result.order_effect
    assert np.round([order.effect, order.low, order.high], 3).tolist() == pytest.approx(
        [0.160, -0.035, 0.355], abs=0.0011
    )
    assert (round(order.p, 3), round(order.first_wins, 2)) == (0.099, 0.54)
    second = second_answers(votes)
    assert statements([second["annotator"]]) == (59, 40, 283, 0)
    assert statements([second["question"]]) == (59, 53, 1, 0)
    alone = second["annotator"].order_effect
    assert round(alone.p, 3) == 0.011 and round(alone.high - alone.effect, 3) == 0.122
    unadjusted = infer_votes(replace(votes, order_known=False))
    strength, plain = (
        pd.Series(each.mean, list(each.systems)).sort_index() for each in (result, unadjusted)
    )
    assert (strength - plain).abs().max() < 0.07
    assert np.corrcoef(strength, plain)[0, 1] == pytest.approx(0.9997, abs=5e-5)


@pytest.mark.parametrize(
    ("name", "systems", "could_be_first", "better", "effect", "half"),
    [
        ("gpt3-crowd", 59, 59, 0, 1.008, 0.276),
        ("gpt3", 70, 68, 0, 0.879, 0.246),
        ("gpt4-crowd", 59, 59, 0, -0.377, 0.220),
        ("gpt4", 70, 63, 6, -0.402, 0.154),
    ],
)
def test_judge_models_of_llmfao_by_prompts(name, systems, could_be_first, better, effect, half):
    folder = real_data(LLMFAO)
    table = pd.read_csv(folder / f"{name}-comparisons.csv.gz")
    table = table[["left", "right", "winner"]].assign(
        question=table["prompt"].astype(str), annotator=name
    )
    judgments = Judgments(table, kind="votes", judge_models=(name,))
    result = infer_votes(vote_arrays(judgments))
    assert result.unit == "question"
    assert statements([result]) == (systems, could_be_first, better, 0)
    order = result.order_effect
    assert round(order.effect, 3) == effect
    assert round((order.high - order.low) / 2, 3) == half
