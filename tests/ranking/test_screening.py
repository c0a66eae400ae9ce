"""WMT26's screening of annotators equals a slow, literal version of the organisers' script."""

import itertools
import statistics

import numpy as np
import pandas as pd
import pytest

from judged import judged
from rankstability import DataError
from rankstability.ranking.procedures import PROCEDURES, scores_for
from rankstability.ranking.screening import kept_by_screening, screen_annotators
from rankstability.scores.build import score_arrays

COLUMNS = ["system", "segment", "annotator", "score"]


def random_frame(seed=0, annotators=9, noisy=("u2", "u5"), brief=("u8",)):
    """Return pages of two segments under some of four systems; some annotators give any score."""
    rng = np.random.default_rng(seed)
    rows = []
    for u in range(annotators):
        name = f"u{u}"
        for page in range(2 if name in brief else 6):
            shown = rng.choice(4, 3, replace=False)
            for k in range(2):
                base = rng.normal(60, 8)
                for s in shown:
                    score = base + 4 * s + rng.normal(0, 3)
                    if name in (*noisy, *brief):
                        score = rng.choice([0.0, 100.0])
                    rows.append((f"S{s}", f"p{(u + page) % 11}-{k}", name, score, f"{name}:{page}"))
    return pd.DataFrame(rows, columns=[*COLUMNS, "hit"])


def literal(table):
    """Return pages, agreement or None, and whether removed, annotator by annotator."""
    scores = {s: part["score"].tolist() for s, part in table.groupby("system")}
    known = [s for s in scores if len(scores[s]) > 10]
    out = {}
    for annotator, rows in table.groupby("annotator"):
        pages = rows["hit"].nunique()
        values = []
        for _, item in rows.groupby(["hit", "segment"]):
            scored = list(zip(item["system"], item["score"], strict=True))
            for (first, a), (second, b) in itertools.combinations(scored, 2):
                if first in known and second in known:
                    mu = statistics.mean(scores[first]) - statistics.mean(scores[second])
                    var = statistics.variance(scores[first]) + statistics.variance(scores[second])
                    values.append(2 ** -((a - b - mu) ** 2 / (2 * var + 1e-6)))
        mean = statistics.mean(values) if values else None
        out[annotator] = pages, mean, pages >= 3 and mean is not None and mean < 0.75
    return out


def screened(table):
    return screen_annotators(score_arrays(judged(table))).set_index("annotator")


@pytest.mark.parametrize("seed", range(4))
def test_screening_is_the_literal_version(seed):
    table = random_frame(seed)
    expected = literal(table)
    found = screened(table)
    assert list(found.index) == sorted(expected)
    for name, (pages, agreement, removed) in expected.items():
        assert (found.loc[name, "pages"], found.loc[name, "removed"]) == (pages, removed), name
        np.testing.assert_allclose(found.loc[name, "agreement"], agreement, rtol=1e-12)
    assert {"u2", "u5"} <= set(found.index[found["removed"]]) and not found.loc["u8", "removed"]
    kept = kept_by_screening(score_arrays(judged(table))).sum()
    gone = [name for name, (_, _, removed) in expected.items() if removed]
    assert kept == (~table["annotator"].isin(gone)).sum()


def test_a_system_with_ten_scores_takes_no_part():
    table = random_frame(1)
    rare = table["system"] == "S3"
    ten, eleven = (table[~rare | (np.cumsum(rare) <= number)] for number in (10, 11))
    assert screened(ten)["pairs"].sum() < screened(eleven)["pairs"].sum()
    for part in (ten, eleven):
        expected = [np.nan if value[1] is None else value[1] for value in literal(part).values()]
        np.testing.assert_allclose(screened(part)["agreement"], expected)


def test_without_annotators_all_are_kept_and_only_wmt26_screens():
    table = random_frame()
    assert kept_by_screening(score_arrays(judged(table.drop(columns=["annotator", "hit"])))).all()
    number = {n: scores_for(judged(table), PROCEDURES[n]).n_judgments for n in ("wmt25", "wmt26")}
    assert number["wmt25"] == len(table) > number["wmt26"]


def test_nobody_left_is_an_error():
    rng = np.random.default_rng(0)
    rows = []
    for segment in range(30):
        for annotator in "uvw":
            best = rng.choice(["A", "B"])
            rows += [(s, f"s{segment}", annotator, 100.0 * (s == best)) for s in "AB"]
    with pytest.raises(DataError) as caught:
        kept_by_screening(score_arrays(judged(pd.DataFrame(rows, columns=COLUMNS))))
    assert caught.value.code == "nobody_passes_screening"


def crowd_and_odd(segments, scores):
    """Return fifteen segments on which annotators agree, and some of an annotator who differs."""
    rows = [("A", f"s{k}", "crowd", 60.0 + k % 3) for k in range(15)]
    rows += [("B", f"s{k}", "crowd", 40.0 - k % 3) for k in range(15)]
    rows += [(system, f"s{k}", "odd", score) for k in range(segments) for system, score in scores]
    return pd.DataFrame(rows, columns=COLUMNS)


@pytest.mark.parametrize(("segments", "removed"), [(2, False), (3, True), (4, True)])
def test_annotators_are_checked_from_three_pages_on(segments, removed):
    table = crowd_and_odd(segments, [("A", 0.0), ("B", 100.0)])
    found = screened(table)
    assert found["pages"].to_dict() == {"crowd": 15, "odd": segments}
    assert found["removed"].to_dict() == {"crowd": False, "odd": removed}
    kept = kept_by_screening(score_arrays(judged(table))).sum()
    assert kept == 30 + (0 if removed else 2 * segments)


def test_an_annotator_who_compares_nothing_stays():
    found = screened(crowd_and_odd(5, [("A", 0.0)]))
    assert found.loc["odd", "pairs"] == 0 and np.isnan(found.loc["odd", "agreement"])
    assert not found.loc["odd", "removed"]


def test_several_scores_of_one_output_are_averaged_before_they_are_compared():
    table = crowd_and_odd(3, [("A", 60.0), ("B", 30.0), ("B", 50.0)])
    a, b = (table.loc[table["system"] == name, "score"] for name in "AB")
    off = 60 - 40 - (a.mean() - b.mean())
    expected = 2 ** -(off**2 / (2 * (a.var() + b.var()) + 1e-6))
    assert screened(table).loc["odd", "agreement"] == pytest.approx(expected, rel=1e-12)


def test_pages_are_documents_of_a_hit():
    table = crowd_and_odd(4, [("A", 60.0), ("B", 40.0)])
    named = table.assign(document=np.where(table["segment"].isin(["s0", "s1"]), "d", "e"))
    assert screened(named)["pages"].tolist() == [2, 2]
    hits = named.assign(hit=np.where(table["segment"].isin(["s0", "s2"]), "h", "i"))
    assert screened(hits)["pages"].tolist() == [4, 4]
    assert screened(hits.drop(columns="document"))["pages"].tolist() == [2, 2]
