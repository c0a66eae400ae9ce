"""Annotators: Krippendorff's alpha against its package, severity, influence on lines."""

import krippendorff
import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.verdict import annotators
from companion.legacy.rankcompanion.verdict import cases as verdict
from companion.legacy.rankstability.rank.recipes import RECIPES
from companion.legacy.rankstability.score.scored import from_frame


def ratings(seed=0, workers=5, systems=4, documents=10, missing=0.4):
    rng = np.random.default_rng(seed)
    w, d, s = (a.ravel() for a in np.indices((workers, documents, systems)))
    score = 3.0 * s + 2 * rng.normal(size=documents)[d] + rng.normal(0, 3, len(w)) - 1.5 * w
    keep = rng.random(len(w)) > missing
    names = {"system": s, "worker": w, "document": d}
    frame = pd.DataFrame({k: [f"{k}{i}" for i in v[keep]] for k, v in names.items()})
    return frame.assign(segment=frame["document"], score=score[keep])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_alpha_is_krippendorffs_with_gaps(seed):
    frame = ratings(seed)
    got = annotators.alpha(from_frame(frame)).iloc[0]
    wide = frame.pivot_table(index="worker", columns=["segment", "system"], values="score")
    wanted = krippendorff.alpha(wide.to_numpy(), level_of_measurement="interval")
    assert got["alpha"] == pytest.approx(wanted)
    twice = wide.notna().sum() >= 2
    assert (got["items"], got["judgments"]) == (twice.sum(), wide.notna().sum()[twice].sum())


def test_without_a_second_opinion_there_is_no_alpha():
    frame = ratings().drop_duplicates(["segment", "system"])
    assert annotators.alpha(from_frame(frame)).empty


def test_influence_is_by_annotators_names(tmp_path):
    """One annotator never varies: the recipe has no z-score of theirs."""
    frame = ratings(missing=0.0).rename(columns={"worker": "annotator"})
    same = frame["annotator"] == "worker1"
    frame = frame.assign(score=(frame["score"] + 50).where(~same, 40.0).clip(0, 100))
    file = tmp_path / "ratings.csv"
    frame.to_csv(file, index=False)
    found = campaigns.find(file)
    [pair] = found.pairs
    [one] = verdict.cases(found, pair, campaigns.load(found, pair), "wmt17")
    influence = verdict.by_annotators(one)["influence"]
    assert set(influence["name"]) == {f"worker{k}" for k in (0, 2, 3, 4)}


def test_a_line_that_one_annotator_draws_falls_without_that_one():
    rng = np.random.default_rng(1)
    w, d, s = (a.ravel() for a in np.indices((6, 20, 2)))
    score = rng.normal(0, 1, len(w)) + np.where((w == 0) & (s == 1), 30.0, 0.0)
    names = {"system": s, "worker": w, "document": d}
    frame = pd.DataFrame({k: v.astype(str) for k, v in names.items()})
    scored = from_frame(frame.assign(segment=frame["document"], score=score))
    table = annotators.influence(scored, RECIPES["wmt26"]).set_index("annotator")
    assert (table["lines"] == 1).all()
    assert table["fallen"].to_dict() == {k: int(k == 0) for k in range(6)}


def test_alpha_knows_no_origin_and_no_unit():
    """Scores of the order of a million lose no digits to it, nor do those of a millionth."""
    frame = ratings(missing=0.3)
    plain = annotators.alpha(from_frame(frame))["alpha"].iloc[0]
    for times, more in ((1.0, 1e7), (1.0, -1e7), (-2.0, 0.0), (1e-6, 1.0)):
        moved = from_frame(frame.assign(score=times * frame["score"] + more))
        assert annotators.alpha(moved)["alpha"].iloc[0] == pytest.approx(plain, abs=1e-7)


def test_alpha_by_hand_counts_an_annotators_judgments_of_an_output_once():
    """Krippendorff (2011): 1 - observed / expected disagreement, of pairs of judgments."""
    rows = [("A", "s1", "x", 1.0), ("A", "s1", "x", 3.0), ("A", "s1", "y", 4.0)]
    rows += [("A", "s2", "x", 6.0), ("A", "s2", "y", 6.0), ("A", "s2", "z", 9.0)]
    rows += [("B", "s1", "z", 50.0)]  # alone: no part of it
    frame = pd.DataFrame(rows, columns=["system", "segment", "worker", "score"])
    got = annotators.alpha(from_frame(frame)).iloc[0]
    items = [[2.0, 4.0], [6.0, 6.0, 9.0]]
    within = sum((a - b) ** 2 / (len(one) - 1) for one in items for a in one for b in one)
    pooled = [*items[0], *items[1]]
    between = sum((a - b) ** 2 for a in pooled for b in pooled) / (len(pooled) - 1)
    assert got["alpha"] == pytest.approx(1 - within / between)
    assert (got["items"], got["judgments"]) == (2, 5)
