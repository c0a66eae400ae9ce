"""Annotators: Krippendorff's alpha against its package, severity, influence on lines."""

from __future__ import annotations

import krippendorff
import numpy as np
import pandas as pd
import pytest

from rankstability.judgments import direct_assessment
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


def timed():
    """One quick annotator, one slow with a night's break; each output of s0 judged twice."""
    rows = []
    for who, (seconds, apart) in {"quick": (5.0, 2.0), "slow": (40.0, 10.0)}.items():
        for k in range(9):
            more = 30_000.0 if (who, k) == ("slow", 4) else 0.0
            for n, system in enumerate(("s0", "s1")):
                row = {"worker": who, "system": system, "segment": str(k), "type": "SYSTEM"}
                rows.append(row | {"score": 50.0 + 20 * n, "time": seconds + more})
            row |= {"system": "s0", "type": "REPEAT"}
            rows.append(row | {"score": 50.0 + apart * (-1) ** k, "time": np.nan})
    rows.append({"worker": "slow", "system": "s0", "segment": "0", "type": "BAD_REF", "score": 0.0})
    return pd.DataFrame(rows)


def test_the_median_time_of_a_judgment_is_not_moved_by_a_break():
    each = annotators.pace(direct_assessment("cs-en", timed()))
    assert each.to_numpy().tolist() == [["quick", 18, 5.0], ["slow", 18, 40.0]]
    without = direct_assessment("cs-en", timed().drop(columns="time"))
    assert annotators.pace(without).empty


def test_annotators_differ_from_themselves_by_what_was_put_in():
    each = annotators.repeated(direct_assessment("cs-en", timed())).set_index("name")
    assert each["repeats"].tolist() == [9, 9]
    assert each["difference"].tolist() == pytest.approx([2.0, 10.0])
    x = timed().query("worker == 'quick'")["score"].to_numpy()
    i, j = np.triu_indices(len(x), 1)
    assert each.loc["quick", "other"] == pytest.approx(np.abs(x[i] - x[j]).mean())
    once = timed().query("type == 'SYSTEM'")
    assert annotators.repeated(direct_assessment("cs-en", once)).empty


def test_documents_shown_twice_are_repeats_and_corrections_are_not():
    rows = timed().query("type == 'SYSTEM'").assign(mark=None)
    again, changed = (rows.iloc[[0]].assign(mark=m, score=s)
                      for m, s in (("duplicate", 56.0), ("superseded", 0.0)))  # fmt: skip
    latest = pd.concat([rows, again, changed], ignore_index=True)
    each = annotators.repeated(direct_assessment("cs-en", latest, rows))
    assert each[["name", "repeats", "difference"]].to_numpy().tolist() == [["quick", 1, 6.0]]


def test_an_interval_over_annotators_is_that_of_their_mean():
    rng = np.random.default_rng(3)
    each = pd.DataFrame({"name": range(60), "timed": 30, "seconds": rng.normal(20, 5, 60)})
    row = annotators.overall(each, rng, 4000).iloc[0]
    half = 1.96 * each["seconds"].std() / np.sqrt(60)
    assert row["value"] == pytest.approx(each["seconds"].mean()) and row["items"] == 1800
    assert (row["low"], row["high"]) == pytest.approx(
        (row["value"] - half, row["value"] + half), abs=0.25
    )
    assert annotators.overall(each.head(1), rng).empty
