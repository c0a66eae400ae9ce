"""WMT26's screening of users: a slow literal reading of what the organisers' script does."""

import itertools
import statistics

import numpy as np
import pandas as pd
import pytest

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import direct_assessment
from companion.legacy.rankstability.rank.recipes import RECIPES, counted_by
from companion.legacy.rankstability.score.scored import from_frame
from companion.legacy.rankstability.score.screening import kept_users, screening


def frame(seed=0, users=9, pages=6, noisy=("u2", "u5"), brief=("u8",)):
    """Pages of two segments under some of four systems; two users say anything, one two pages."""
    rng = np.random.default_rng(seed)
    rows = []
    for u in range(users):
        name = f"u{u}"
        for page in range(2 if name in brief else pages):
            shown = rng.choice(4, 3, replace=False)
            for k in range(2):
                base = rng.normal(60, 8)
                for s in shown:
                    score = base + 4 * s + rng.normal(0, 3)
                    if name in (*noisy, *brief):
                        score = rng.choice([0.0, 100.0])
                    segment = f"p{(u + page) % 11}-{k}"
                    rows.append((f"S{s}", segment, name, f"{name}:{page}", score))
    columns = ["system", "segment", "worker", "hit", "score"]
    return pd.DataFrame(rows, columns=columns)


def literal(table):
    """User -> (lines, agreement or None, removed), user by user and item by item."""
    scores = {s: part["score"].tolist() for s, part in table.groupby("system")}
    known = [s for s in scores if len(scores[s]) > 10]
    out = {}
    for user, own in table.groupby("worker"):
        lines = own["hit"].nunique()
        values = []
        for _, item in own.groupby(["hit", "segment"]):
            said = list(zip(item["system"], item["score"], strict=True))
            for (one, a), (two, b) in itertools.combinations(said, 2):
                if one in known and two in known:
                    mu = statistics.mean(scores[one]) - statistics.mean(scores[two])
                    var = statistics.variance(scores[one]) + statistics.variance(scores[two])
                    values.append(2 ** -((a - b - mu) ** 2 / (2 * var + 1e-6)))
        mean = statistics.mean(values) if values else None
        out[user] = lines, mean, int(lines >= 3 and mean is not None and mean < 0.75)
    return out


@pytest.mark.parametrize("seed", range(4))
def test_screening_is_the_literal_one(seed):
    table = frame(seed)
    expected = literal(table)
    got = screening(from_frame(table)).set_index("user")
    assert list(got.index) == sorted(expected)
    for user, (lines, agreement, removed) in expected.items():
        assert (got.loc[user, "lines"], got.loc[user, "removed"]) == (lines, removed), user
        np.testing.assert_allclose(got.loc[user, "agreement"], agreement, rtol=1e-12)
    assert {"u2", "u5"} <= set(got.index[got["removed"] == 1]) and not got.loc["u8", "removed"]
    judged = from_frame(table)
    kept = judged.take(kept_users(judged))
    gone = [u for u, (_, _, removed) in expected.items() if removed]
    assert len(kept.score) == (~table["worker"].isin(gone)).sum()


def test_a_system_with_ten_scores_takes_no_part():
    table = frame(1)
    rare = table["system"] == "S3"
    ten = table[~rare | (np.cumsum(rare) <= 10)]
    eleven = table[~rare | (np.cumsum(rare) <= 11)]
    pairs = [screening(from_frame(t))["pairs"].sum() for t in (ten, eleven)]
    assert pairs[0] < pairs[1]
    for t in (ten, eleven):
        got = screening(from_frame(t))
        np.testing.assert_allclose(
            got["agreement"], [np.nan if v[1] is None else v[1] for v in literal(t).values()]
        )


def test_without_users_nothing_is_left_out_and_only_wmt26_screens():
    table = frame()
    plain = from_frame(table.drop(columns=["worker", "hit"]))
    assert kept_users(plain).all()
    judgments = table.assign(type="SYSTEM")
    da = direct_assessment("xx-yy", judgments)
    number = {name: len(counted_by(da, RECIPES[name]).score) for name in ("wmt25", "wmt26")}
    assert number["wmt25"] == len(table) > number["wmt26"]


def test_nobody_left_is_refused():
    rng = np.random.default_rng(0)
    rows = []
    for segment in range(30):
        for user in "uvw":
            best = rng.choice(["A", "B"])
            rows += [(s, f"s{segment}", user, 100.0 * (s == best)) for s in "AB"]
    table = pd.DataFrame(rows, columns=["system", "segment", "worker", "score"])
    with pytest.raises(DataError, match="all users are screened out"):
        kept_users(from_frame(table))


def two_users(lines, own):
    """Fifteen pages on which users agree, but that one differs on its own pages, if it has any."""
    rows = [("A", f"s{k}", "crowd", 60.0 + k % 3) for k in range(15)]
    rows += [("B", f"s{k}", "crowd", 40.0 - k % 3) for k in range(15)]
    rows += [(system, f"s{k}", "odd", score) for k in range(lines) for system, score in own]
    return pd.DataFrame(rows, columns=["system", "segment", "worker", "score"])


@pytest.mark.parametrize(("lines", "removed"), [(2, 0), (3, 1), (4, 1)])
def test_a_user_is_left_out_from_three_pages_on_which_are_segments_if_nothing_else_is(
    lines, removed
):
    table = two_users(lines, [("A", 0.0), ("B", 100.0)])
    got = screening(from_frame(table)).set_index("user")
    assert got["lines"].to_dict() == {"crowd": 15, "odd": lines}
    assert got["pairs"].to_dict() == {"crowd": 15, "odd": lines}
    assert got["removed"].to_dict() == {"crowd": 0, "odd": removed}
    judged = from_frame(table)
    assert kept_users(judged).sum() == 30 + (0 if removed else 2 * lines)


def test_a_user_who_compares_nothing_has_no_agreement_and_stays():
    got = screening(from_frame(two_users(5, [("A", 0.0)]))).set_index("user")
    assert got.loc["odd", "pairs"] == 0 and np.isnan(got.loc["odd", "agreement"])
    assert got.loc["odd", "removed"] == 0 and got.loc["odd", "lines"] == 5


def test_several_scores_of_one_output_are_averaged_before_they_are_compared():
    table = two_users(3, [("A", 60.0), ("B", 30.0), ("B", 50.0)])
    judged = from_frame(table)
    got = screening(judged).set_index("user")
    a, b = (table.loc[table["system"] == name, "score"] for name in "AB")
    off = 60 - 40 - (a.mean() - b.mean())
    expected = 2 ** -(off**2 / (2 * (a.var() + b.var()) + 1e-6))
    assert got.loc["odd", "agreement"] == pytest.approx(expected, rel=1e-12)


def test_pages_are_documents_of_a_hit():
    table = two_users(4, [("A", 60.0), ("B", 40.0)])
    named = table.assign(document=np.where(table["segment"].isin(["s0", "s1"]), "d", "e"))
    assert screening(from_frame(named))["lines"].tolist() == [2, 2]
    hits = named.assign(hit=np.where(table["segment"].isin(["s0", "s2"]), "h", "i"))
    assert screening(from_frame(hits))["lines"].tolist() == [4, 4]
    assert screening(from_frame(hits.drop(columns="document")))["lines"].tolist() == [2, 2]
