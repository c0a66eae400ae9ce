"""Annotators: Krippendorff's alpha against its package, severity, influence on lines."""

import krippendorff
import numpy as np
import pandas as pd
import pytest

from conftest import needs
from rankcampaigns import campaigns
from rankcompanion.verdict import annotators
from rankcompanion.verdict import cases as verdict
from rankstability.judgments import counted, direct_assessment
from rankstability.rank.recipes import RECIPES
from rankstability.score.scored import from_frame


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


def test_severity_and_spread_on_the_same_outputs_are_not_moved_by_what_each_was_given():
    """Odd annotators were given easy outputs; the odd half of theirs others judged too."""
    rng = np.random.default_rng(5)
    strict, wide = np.arange(6) * 2.0, np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    rows = []
    for k in range(3000):
        easy = k % 2
        ease = 20.0 * easy + rng.normal(0, 5)
        own = 2 * rng.integers(0, 3) + easy
        both = rng.choice(6, 2, replace=False) if k % 3 == 0 else [own]
        for w in both:
            score = wide[w] * ease - strict[w] + rng.normal(0, 1)
            rows.append((f"w{w}", f"s{k % 7}", str(k), score))
    frame = pd.DataFrame(rows, columns=["worker", "system", "segment", "score"])
    got = annotators.table(from_frame(frame)).set_index("annotator").sort_index()
    twice = frame[frame.duplicated("segment", keep=False)]
    wanted, shared, ratio = [], [], []
    for w in range(6):  # by hand, pair by pair
        mine = twice[twice["worker"] == f"w{w}"].set_index("segment")["score"]
        other = twice[twice["worker"] != f"w{w}"].set_index("segment")["score"][mine.index]
        wanted.append((other - mine).mean())
        ratio.append(mine.std() / other.std())
        shared.append(len(mine))
    assert got["severity_same"].to_numpy() == pytest.approx(np.array(wanted))
    assert got["spread_same"].to_numpy() == pytest.approx(np.array(ratio))
    assert got["shared"].tolist() == shared
    assert (got["severity_same_error"] > 0).all()
    assert (got["spread_same"].to_numpy() > 1.2).tolist() == (wide > 1).tolist()
    alone = annotators.table(from_frame(frame.drop_duplicates("segment")))
    assert alone["shared"].eq(0).all() and alone["severity_same"].isna().all()


def test_an_output_judged_by_three_is_compared_with_the_mean_of_the_others():
    rows = [("a", 1.0), ("b", 4.0), ("c", 10.0), ("c", 12.0)]  # c twice: their mean, 11
    frame = pd.DataFrame(rows, columns=["worker", "score"]).assign(system="s", segment="1")
    got = annotators.table(from_frame(frame)).sort_values("annotator")
    assert got["severity_same"].tolist() == [6.5, 2.0, -8.5]
    assert got["shared"].tolist() == [1, 1, 1] and got["judgments"].tolist() == [1, 1, 2]


def test_an_annotator_who_gives_one_score_has_no_spread():
    """Also where rounding makes the mean of squares less than the square of the mean."""
    rows = [(w, str(k), 0.7 if w == "a" else k) for k in range(7) for w in "ab"]
    frame = pd.DataFrame(rows, columns=["worker", "segment", "score"]).assign(system="s")
    got = annotators.table(from_frame(frame)).set_index("annotator")["spread_same"]
    assert got[0] == 0 and np.isnan(got[1])


@needs("wmt18")
def test_severity_is_of_raw_scores_where_the_recipe_standardises(monkeypatch):
    monkeypatch.setattr(annotators, "MOST", 1)  # influence is tested below
    found = campaigns.find("wmt18")
    judgments = campaigns.load(found, "en-de")
    [one] = verdict.cases(found, "en-de", judgments)
    assert RECIPES[one.recipe].score == "z"
    each = verdict.by_annotators(one, np.random.default_rng(1))["annotators"].set_index("name")
    rows = judgments.good[counted(judgments.good)].dropna(subset=["worker", "score"])
    rest = rows.groupby("system", observed=True)["score"].transform("mean") - rows["score"]
    by = rest.groupby(rows["worker"].astype(str))
    assert set(by.groups) == set(each.index)
    assert each["severity"].to_dict() == pytest.approx(by.mean().to_dict())
    spread = rows.groupby(rows["worker"].astype(str))["score"].std()
    assert each["sd"].to_dict() == pytest.approx(spread.to_dict())
    assert each["severity"].corr(each["severity_same"], method="spearman") > 0.8


def test_annotators_and_their_influence_have_the_same_numbers_and_names(tmp_path):
    """One annotator never varies: the recipe has no z-score of theirs, severity does."""
    frame = ratings(missing=0.0).rename(columns={"worker": "annotator"})
    same = frame["annotator"] == "worker1"
    frame = frame.assign(score=(frame["score"] + 50).where(~same, 40.0).clip(0, 100))
    file = tmp_path / "ratings.csv"
    frame.to_csv(file, index=False)
    found = campaigns.find(file)
    [pair] = found.pairs
    [one] = verdict.cases(found, pair, campaigns.load(found, pair), "wmt17")
    tables = verdict.by_annotators(one, np.random.default_rng(1))
    names = dict(tables["annotators"][["annotator", "name"]].to_numpy())
    assert set(names.values()) == {f"worker{k}" for k in range(5)}
    influence = tables["influence"]
    assert dict(influence[["annotator", "name"]].to_numpy()).items() <= names.items()
    assert set(influence["name"]) == set(names.values()) - {"worker1"}


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
