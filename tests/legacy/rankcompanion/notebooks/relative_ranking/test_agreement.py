"""Agreement: against plain loops, statsmodels, and the numbers of Bojar et al. (2011)."""

from itertools import combinations

import demo_rr
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from conftest import real
from companion.legacy.rankcampaigns import rr as readers_rr
from companion.legacy.rankcompanion.notebooks.relative_ranking import agreement
from companion.legacy.rankstability.errors import DataError


def frame_of(blocks):
    """Reader rows from (judge, segment, {system: rank}) triples."""
    rows = [
        ("cs-en", "cs-en", "", i, judge, segment, "doc", k, system, rank, rank != -1)
        for i, (judge, segment, block) in enumerate(blocks)
        for k, (system, rank) in enumerate(block.items(), 1)
    ]
    return pd.DataFrame(rows, columns=readers_rr.COLUMNS)


def brute(blocks, reference=True):
    """Pairs and agreements, intra and inter, by plain loops."""
    notes = []
    for judge, segment, block in blocks:
        for a, b in combinations(sorted(s for s in block if block[s] != -1), 2):
            if reference or "_ref" not in (a, b):
                notes.append((judge, (segment, a, b), np.sign(block[b] - block[a])))
    out = {"intra": [0, 0], "inter": [0, 0]}
    for (j, item, x), (k, other, y) in combinations(notes, 2):
        if item == other:
            kind = "intra" if j == k else "inter"
            out[kind][0] += 1
            out[kind][1] += x == y
    return out, notes


blocks = st.lists(
    st.tuples(
        st.sampled_from("xyz"),
        st.integers(1, 3),
        st.dictionaries(
            st.sampled_from(["_ref", "a", "b", "c"]),
            st.sampled_from([-1, 1, 2, 3]),
            min_size=2,
            max_size=4,
        ),
    ),
    min_size=1,
    max_size=14,
).filter(lambda bs: any(sum(r != -1 for r in b.values()) > 1 for _, _, b in bs))


@given(blocks)
@settings(max_examples=80, deadline=None)
def test_pairs_are_those_of_plain_loops(sample):
    table = agreement.agreement(agreement.annotate(frame_of(sample)), "")
    for reference, name in ((True, "included"), (False, "excluded")):
        counted, notes = brute(sample, reference)
        for kind, (pairs, agree) in counted.items():
            row = table[(table["kind"] == kind) & (table["reference"] == name)]
            if not pairs:
                assert row.empty
                continue
            row = row.iloc[0]
            assert (row["pairs"], row["annotations"]) == (pairs, len(notes))
            assert row["p_a"] == pytest.approx(agree / pairs)
            assert row["s"] == pytest.approx((agree / pairs - 1 / 3) / (2 / 3))


def balanced(labels):
    """Each judge ranks systems a and b once on each segment; labels is judges x segments."""
    ranks = {1: (1, 2), 0: (1, 1), -1: (2, 1)}
    return [
        (f"judge{j}", s, dict(zip("ab", ranks[int(x)], strict=True)))
        for j, row in enumerate(labels)
        for s, x in enumerate(row)
    ]


def mirrored(labels):
    """The same with both orientations, as our labels have none."""
    return np.concatenate([labels, -labels], axis=1)


def test_fleiss_is_that_of_statsmodels_on_balanced_data():
    labels = np.random.default_rng(0).integers(-1, 2, size=(4, 60))
    labels[1] = np.where(np.arange(60) % 3 == 0, labels[1], labels[0])
    row = agreement.agreement(agreement.annotate(frame_of(balanced(labels))), "").iloc[0]
    both = mirrored(labels)
    table = np.stack([(both == k).sum(axis=0) for k in (-1, 0, 1)], axis=1)
    assert row["fleiss"] == pytest.approx(fleiss_kappa(table))
    assert row["pi"] == pytest.approx(row["fleiss"])  # the same where each item has as many


def test_cohen_is_that_of_statsmodels_for_two_judges():
    rng = np.random.default_rng(1)
    labels = np.stack([rng.integers(-1, 2, 80), rng.choice([-1, 0, 0, 0, 1], 80)])
    labels[1, :50] = labels[0, :50]
    notes = agreement.annotate(frame_of(balanced(labels)))
    both = mirrored(labels) + 1
    cells = np.zeros((3, 3), int)
    np.add.at(cells, (both[0], both[1]), 1)
    expected = float(cohens_kappa(cells, return_results=False))
    assert agreement.agreement(notes, "").iloc[0]["cohen"] == pytest.approx(expected)


def test_judges_who_always_agree_and_judges_who_click():
    same = [(j, s, {"a": 1, "b": 2 + s % 2 * 2 - 2, "c": 3}) for j in "xy" for s in range(30)]
    row = agreement.agreement(agreement.annotate(frame_of(same)), "").iloc[0]
    assert [row[m] for m in agreement.MEASURES] == [1.0] * len(agreement.MEASURES)
    rng = np.random.default_rng(2)
    clicks = [
        (j, s, {name: int(rng.integers(1, 6)) for name in "abcde"})
        for j in "xy"
        for s in range(400)
    ]
    row = agreement.agreement(agreement.annotate(frame_of(clicks)), "").iloc[0]
    assert row["p_e"] == pytest.approx(0.36, abs=0.01)
    assert abs(row["clicker"]) < 0.05 and abs(row["pi"]) < 0.05 and row["s"] > row["pi"]


@pytest.fixture(scope="module")
def demo():
    return agreement.annotate(readers_rr.read_rr([demo_rr.FILE]))


def test_groups_are_the_parts(demo):
    """Each pair is in one task and target, has two judges if they differ, and two systems."""
    total = agreement.agreement(demo, "").set_index(["kind", "reference"])["pairs"]
    times = {"task": (1, 1), "target": (1, 1), "judge": (1, 2), "system": (2, 2)}
    for by, (intra, inter) in times.items():
        parts = agreement.agreement(demo, by)
        pairs = parts.groupby(["kind", "reference"])["pairs"].sum()
        assert pairs["intra", "included"] == intra * total["intra", "included"]
        assert pairs["inter", "included"] == inter * total["inter", "included"]
    frame = readers_rr.read_rr([demo_rr.FILE])
    alone = agreement.annotate(frame[frame["task"] == "cs-en"])
    by_task = agreement.agreement(demo)
    part = by_task[by_task["task"] == "cs-en"].drop(columns="task").reset_index(drop=True)
    pd.testing.assert_frame_equal(agreement.agreement(alone, ""), part)
    assert set(agreement.agreement(demo, "target")["target"]) == {"en", "de"}


def test_what_cannot_be_asked_is_refused(demo):
    with pytest.raises(DataError, match="no such column"):
        agreement.agreement(demo, "length")
    with pytest.raises(DataError, match="random generator"):
        agreement.agreement(demo, resamples=10)


def test_intervals_hold_the_measure_and_are_honest_about_segments(demo):
    """Pairs of one segment are not independent: wider than the binomial interval."""
    table = agreement.agreement(demo, "", resamples=300, rng=np.random.default_rng(4))
    for m in agreement.MEASURES:
        assert (table[f"{m}_low"] < table[m]).all() and (table[m] < table[f"{m}_high"]).all()
    row = table[(table["kind"] == "inter") & (table["reference"] == "included")].iloc[0]
    naive = 2 * 1.96 * np.sqrt(row["p_a"] * (1 - row["p_a"]) / row["pairs"])
    assert row["p_a_high"] - row["p_a_low"] > 1.15 * naive


def test_no_repeats_no_rows():
    table = agreement.agreement(agreement.annotate(frame_of([("x", 1, {"a": 1, "b": 2})])), "")
    assert table.empty and "pi" in table


def test_wmt10_as_printed():
    """Bojar et al. (2011), Table 3 and Section 2.2.2: S, π with one P(E), ties, P(E)."""
    notes = agreement.annotate(readers_rr.read_rr([real("wmt10") / "data_RNK.csv"]))
    labels = notes.table["label"].to_numpy()
    assert len(labels) == 75768  # the sum of Table 1's comparisons
    assert round(float(np.mean(labels == 0)), 3) == 0.168
    chance = agreement.expected_agreement(notes).set_index("statistic")["value"]
    assert round(chance["chance"], 3) == 0.374
    table = agreement.agreement(notes, "").set_index(["kind", "reference"])
    for key, s in {("intra", "included"): 0.633, ("intra", "excluded"): 0.601}.items():
        assert round(table.loc[key, "s"], 3) == s
    assert table.loc[("inter", "included"), "pairs"] == 11180
    assert table.loc[("intra", "included"), "pairs"] == 5750
