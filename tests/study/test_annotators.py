"""Annotators: Krippendorff's alpha against its package, severity, influence on lines."""

from __future__ import annotations

import krippendorff
import numpy as np
import pandas as pd
import pytest

from rankstability.rank.recipes import RECIPES
from rankstability.score.scored import from_frame
from rankstability.study import annotators


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
    got = annotators.alpha(from_frame(frame), np.random.default_rng(0), 50).iloc[0]
    wide = frame.pivot_table(index="worker", columns=["segment", "system"], values="score")
    wanted = krippendorff.alpha(wide.to_numpy(), level_of_measurement="interval")
    assert got["alpha"] == pytest.approx(wanted)
    assert got["low"] < got["alpha"] < got["high"] and got["unit"] == "document"
    twice = wide.notna().sum() >= 2
    assert (got["items"], got["judgments"]) == (twice.sum(), wide.notna().sum()[twice].sum())


def test_the_interval_of_alpha_is_that_of_documents_resampled_one_by_one():
    frame = ratings(4, documents=12)
    scored = from_frame(frame)
    got = annotators.alpha(scored, np.random.default_rng(0), 2000).iloc[0]
    rng, slow = np.random.default_rng(1), []
    parts = {d: part for d, part in frame.groupby("document")}
    for _ in range(80):
        drawn = [parts[d].assign(segment=f"{d}-{k}")
                 for k, d in enumerate(rng.choice(list(parts), len(parts)))]  # fmt: skip
        wide = pd.concat(drawn).pivot_table(
            index="worker", columns=["segment", "system"], values="score"
        )
        slow.append(krippendorff.alpha(wide.to_numpy(), level_of_measurement="interval"))
    low, high = np.quantile(slow, [0.025, 0.975])
    assert (got["low"], got["high"]) == pytest.approx((low, high), abs=0.1)


def test_without_a_second_opinion_there_is_no_alpha():
    frame = ratings().drop_duplicates(["segment", "system"])
    assert annotators.alpha(from_frame(frame), np.random.default_rng(0)).empty


def test_severity_orders_annotators_by_how_strict_they_are():
    table = annotators.table(from_frame(ratings(missing=0.0))).set_index("annotator")
    assert table["severity"].sort_values().index.tolist() == [0, 1, 2, 3, 4]
    assert np.diff(table["severity"].sort_index()) == pytest.approx(1.5, abs=1.0)
    assert (table["judgments"] == 40).all() and (table["systems"] == 4).all()


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
