"""A pair's ranking with what is certain of it: units, sets, lines, invariances."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rankcampaigns import campaigns
from rankcompanion.notebooks.lines.held import recipes, standing
from rankstability.errors import DataError
from rankstability.rank.certainty import certainty
from rankstability.rank.recipes import RECIPES
from rankstability.rank.units import TWO_WAY, draw_means, unit_table
from rankstability.score.scored import from_frame, scored


def frame(workers=10, documents=12, seed=1, gap=2.0, names="worker document"):
    """Every worker judges every system on four of the documents, three segments each."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{s}", f"d{d}-{k}", f"w{w}", f"d{d}", gap * s + rng.normal())
        for w in range(workers)
        for d in {(3 * w + step) % documents for step in range(4)}
        for k in range(3)
        for s in range(4)
    ]
    columns = ["system", "segment", "worker", "document", "score"]
    return pd.DataFrame(rows, columns=columns)[["system", "segment", "score", *names.split()]]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (frame(), TWO_WAY),
        (frame(names="worker"), "worker"),
        (frame(names="document"), "document"),
        (frame().drop(columns=["worker", "document"]), ""),
        (frame(workers=3), TWO_WAY),  # few of a kind: no silent switch to the other
        (frame().assign(document=lambda f: f["worker"] + f["document"]), TWO_WAY),
        (frame(workers=1, documents=4), ""),  # one of a kind says nothing of others
        (frame(documents=1), ""),
    ],
)
def test_the_default_unit_is_all_that_the_data_name(made, expected):
    table = unit_table(from_frame(made))
    assert "segment" not in set(table["unit"])
    named = " x ".join(n for n in ("worker", "document") if n in made)
    assert table.loc[table["default"] == 1, "unit"].tolist() == ([named] if named else [])
    rng = np.random.default_rng(0)
    got = standing(from_frame(made), "wmt25", rng, resamples=50)
    assert got.unit == expected
    if not expected:
        promised = got.table.drop(columns=["rank", "system", "score", "cluster", "unit"])
        assert promised.isna().all(axis=None) and got.places["held"].isna().all()
        assert got.places["claimed"].notna().all()


def test_clear_gaps_hold_and_equal_systems_do_not():
    rng = np.random.default_rng(0)
    clear = standing(from_frame(frame()), "wmt24", rng)
    assert clear.table["system"].tolist() == ["s3", "s2", "s1", "s0"]
    assert (clear.places[["claimed", "held"]] == 1).all(axis=None)
    assert clear.table["rank_low"].tolist() == [1, 2, 3, 4]
    assert clear.table["rank_high"].tolist() == [1, 2, 3, 4]
    assert clear.table["p_first"].tolist() == [1, 0, 0, 0]
    equal = standing(from_frame(frame(gap=0)), "wmt24", rng)
    assert not equal.places["held"].any() and equal.table["may_be_first"].all()
    np.testing.assert_allclose(equal.probabilities.iloc[:, 1:].sum(axis=1), 1)


def test_names_of_units_and_the_order_of_rows_change_no_line():
    one = frame(gap=0.3)
    new = one.sample(frac=1, random_state=2)
    for column in ("worker", "document", "segment"):
        names = one[column].unique()
        places = np.random.default_rng(3).permutation(len(names))
        new[column] = new[column].map(dict(zip(names, names[places], strict=True)))
    a, b = (recipes(dict.fromkeys(RECIPES, from_frame(f)), [TWO_WAY])[1] for f in (one, new))
    pd.testing.assert_frame_equal(a, b)


def test_the_mean_over_domains_is_the_mean_of_domains_means():
    made = frame().assign(domain=lambda f: np.where(f["document"] == "d0", "small", "large"))
    judged = from_frame(made)
    by_hand = made.groupby(["system", "domain", "segment"])["score"].mean()
    by_hand = by_hand.groupby(["system", "domain"]).mean().groupby("system").mean()
    sure = certainty(judged, "worker", by_domain=True)
    np.testing.assert_allclose(sure.mean[np.argsort(sure.order)], by_hand)
    got = standing(judged, "wmt24", np.random.default_rng(0), resamples=20).table
    np.testing.assert_allclose(got.set_index("system")["score"].sort_index(), by_hand)
    drawn = draw_means(judged, "document", np.random.default_rng(0), 4000, True)
    np.testing.assert_allclose(np.nanmean(drawn, axis=0), by_hand, atol=0.1)


def test_a_unit_that_data_do_not_name_is_refused():
    with pytest.raises(DataError, match="worker"):
        standing(from_frame(frame(names="worker")), "wmt24", np.random.default_rng(0), "document")
    with pytest.raises(DataError, match="do not name their worker"):
        recipes({"wmt24": from_frame(frame(names=""))}, ["worker"])
    one = from_frame(frame(names="worker"))
    alone = replace(one, systems=(*one.systems, "unjudged"))
    with pytest.raises(DataError, match="systems without a score; found 'unjudged'"):
        standing(alone, "wmt24", np.random.default_rng(0))
    rankings, lines = recipes({"wmt24": alone}, ["worker"])
    assert rankings["system"].iloc[-1] == "unjudged" and lines["held"].iloc[-1] == 0
    with pytest.raises(DataError, match="z, raw"):
        scored(frame(), "mean")
    with pytest.raises(DataError, match="without scores"):
        scored(pd.DataFrame({"rank": [1]}))


def test_scores_of_every_protocol():
    da = campaigns.load("demo-srdc", "de-en")
    raw, z = scored(da), scored(da, "z")
    assert raw.systems == z.systems and len(z.score) < len(raw.score)  # one worker has no spread
    assert raw.score.max() > 50 and abs(z.score.mean()) < 1
    mqm = scored(campaigns.load("demo-mqm", "en-de"))
    assert mqm.score.max() == 0 and set(unit_table(mqm)["unit"]) >= {"worker", "document"}
    standard = scored(campaigns.load("demo-mqm", "en-de"), "z")
    for w in np.unique(standard.unit("worker")):
        mine = standard.score[standard.unit("worker") == w]
        assert mine.mean() == pytest.approx(0, abs=1e-9) and mine.std(ddof=1) == pytest.approx(1)


def test_judgments_of_no_known_domain_are_a_domain_of_their_own():
    made = frame().assign(domain=lambda f: f["document"].map({"d0": "a", "d1": "a", "d2": "b"}))
    judged = from_frame(made)
    assert len(np.unique(judged.unit("domain"))) == 3
    assert standing(judged, "wmt24", np.random.default_rng(0), resamples=20).places["claimed"].all()
