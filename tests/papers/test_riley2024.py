"""Riley et al. 2024: tables, findings, ledger; SRP for direct assessment and relative ranking."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import demo_mqm
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import needs, real
from rankstability import paths
from rankstability.errors import DataError
from rankstability.papers import claims, riley2024, riley2024_findings, riley2024_ledger
from rankstability.papers.riley2024 import Plan
from rankstability.read import campaigns
from rankstability.read.mqm import read_mqm
from rankstability.score import mqm
from rankstability.study import srp, srp_report
from rankstability.study import twin_studies as srp_protocols
from rankstability.study.srp_studies import Design

QUICK = Plan(
    studies=20, per_document_set=10, permutations=60, resampled=10, sizes=2, entropies=(0.8, 0.1)
)


@pytest.fixture(scope="module")
def demo():
    judgments = campaigns.load_mqm(campaigns.find("demo-mqm"), "en-de")
    return judgments, mqm.ratings(judgments)


@pytest.fixture(scope="module")
def quick(demo):
    return srp.table(demo[1], riley2024.designs(demo[1], QUICK), seed=1)


# ------------------------------------------------------------------ the demo campaign


def test_the_demo_file_is_what_its_generator_writes():
    made = demo_mqm.simulate_mqm(np.random.default_rng(demo_mqm.SEED)).rows
    path = paths.DEMO / "demo-mqm" / demo_mqm.FILE
    assert path.stat().st_size < 600_000
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == list(made.columns)
    assert lines[1:] == ["\t".join(map(str, r)) for r in made.itertuples(index=False)]


def test_the_simulated_truth_comes_out():
    made = demo_mqm.simulate_mqm(np.random.default_rng(3), documents=120)
    rows = made.rows.rename(columns={"doc": "document", "globalSegId": "segment"})
    rows = rows[rows["severity"] != "HOTW-test"]
    means = mqm.system_means(mqm.ratings(rows)).set_index("system")["score"]
    assert means.corr(made.truth.reindex(means.index), method="spearman") > 0.95


def test_demo_grouping_matters(demo):
    """The raters of the demo differ in harshness: with equal claims pSxS is far more stable."""
    rows = [srp.run(demo[1], Design(g, studies=80), seed=1) for g in ("pSxS", "none")]
    assert rows[0]["srp_equal_claims"] > rows[1]["srp_equal_claims"] + 0.1


# ------------------------------------------------------------------ tables


@given(
    st.integers(2, 7).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
    )
)
@settings(max_examples=60, deadline=None)
def test_tau_b_is_scipys(xy):
    from scipy.stats import kendalltau

    x, y = (np.array(v, float) for v in xy)
    ours, theirs = riley2024.tau_b(x, y), kendalltau(x, y).statistic
    assert (np.isnan(ours) and np.isnan(theirs)) or ours == pytest.approx(theirs)


def test_agreement_by_the_slow_way(demo):
    from scipy.stats import kendalltau

    judgments, data = demo
    scores = mqm.mqm_scores(judgments)
    cells = scores.groupby(["rater", "document", "system"])["score"].sum().unstack("system")
    cells = cells.round(9)  # sums of tenths that are equal are ties
    single, shared = [], []
    for a, b in combinations(cells.index.levels[0], 2):
        both = cells.loc[a].index.intersection(cells.loc[b].index)
        if len(both):
            taus = [kendalltau(cells.loc[(a, d)], cells.loc[(b, d)]).statistic for d in both]
            single.append(np.nanmean(taus))
            sums = [cells.loc[r].loc[both].sum().round(9) for r in (a, b)]
            shared.append(kendalltau(*sums).statistic)
    ours = riley2024.agreement(data)
    assert ours["rater pairs"] == len(single)
    assert ours["single documents"] == pytest.approx(np.mean(single))
    assert ours["all shared documents"] == pytest.approx(np.mean(shared))


def test_rater_distributions(demo):
    frame = riley2024.rater_distributions(demo[0])
    assert frame.groupby("rater")["share"].sum().tolist() == pytest.approx([1, 1])
    counts = frame.groupby("rater")["segments"].sum()
    assert counts.nunique() == 1  # the same items
    row = frame.iloc[0]
    scores = mqm.mqm_scores(demo[0])
    pair = frame["rater"].unique()
    wide = scores.pivot(index=["system", "segment"], columns="rater", values="score")
    both = wide[list(pair)].dropna()
    assert row["segments"] == (both[row["rater"]] == 0).sum()
    assert row["mean"] == pytest.approx(both[row["rater"]].mean())


@needs("wmt23-mqm")
def test_table_1_of_2023():
    file = real("wmt23-mqm") / "sxs_mqm_generalMT2023_ende.3ratingsPerSegment.tsv.tar.gz"
    data = mqm.ratings(read_mqm(file, "en-de"))
    counts = riley2024.basic_counts(data)
    assert (counts["documents"], counts["segments"], counts["systems"]) == (30, 104, 10)
    assert (counts["raters"], counts["buckets"], counts["documents per bucket"]) == (10, 10, "3")
    assert counts["segment ratings"] == 3120
    copies = riley2024_findings.duplicates(data, QUICK, seed=1)
    assert copies["first"].tolist() == ["GPT4-5shot_with_ONLINE-W"] * 3


# ------------------------------------------------------------------ figures 3 to 8, findings


def test_every_line_of_every_figure_is_there(demo, quick):
    low = riley2024.high_imbalance(demo[1], QUICK)
    assert low == 0.8  # 0.1 is below what buckets allow
    for figure in range(3, 9):
        for label, arguments in riley2024.figure_series(figure, QUICK, low).items():
            rows = riley2024.series(quick, **arguments)
            assert len(rows) >= 1, (figure, label)
            assert (rows["studies"] == 0).all() == (label == "entropy 0.1"), (figure, label)
    single, double = (
        riley2024.series(quick, **a) for a in riley2024.figure_series(8, QUICK, low).values()
    )
    assert single["annotations"].tolist() == double["annotations"].tolist()
    assert (single["documents"] == 2 * double["documents"]).all()


def line(srp_values, se=0.01, empty=0.0, equal=None):
    n = len(srp_values)
    return pd.DataFrame(
        {
            "annotations": range(n),
            "srp": srp_values,
            "se": se,
            "srp_equal_claims": srp_values if equal is None else equal,
            "se_equal_claims": se,
            "empty_share": empty,
            "kendall": srp_values,
            "pearson": srp_values,
        }
    )


@pytest.mark.parametrize(
    ("first", "second", "reaches", "verdict"),
    [
        ([0.9, 0.9], [0.8, 0.8], False, "yes"),
        ([0.8, 0.8], [0.9, 0.9], False, "reversed"),
        ([0.9, 0.9], [0.89, 0.9], False, "no"),
        ([0.89, 0.9], [0.9, 0.9], True, "yes"),
        ([0.8, 0.8], [0.9, 0.9], True, "no"),
    ],
)
def test_verdicts(first, second, reaches, verdict):
    result = riley2024_findings.judge(line(first), line(second), reaches)
    assert result["verdict"] == verdict and result["informative"] == 2


def test_points_where_studies_claim_nothing_do_not_count():
    result = riley2024_findings.judge(line([1.0, 0.7], empty=[0.9, 0]), line([0.5, 0.9]))
    assert result["verdict"] == "reversed" and result["informative"] == 1
    nothing = riley2024_findings.judge(line([1.0], empty=[0.9]), line([0.5]))
    assert nothing["verdict"] == "cannot be said"


def test_sentences_and_recommendations(demo, quick):
    found = riley2024_findings.findings(quick, demo[1], QUICK)
    assert len(found) == 12
    text = riley2024_findings.sentence(found, 3)
    assert "pSxS above no grouping" in text and "±" in text and "in the paper yes" in text
    assert "in the paper en-de yes, en-zh the reverse" in riley2024_findings.sentence(found, 4)
    assert "Rank correlation with SRP" in riley2024_findings.alternatives(quick)
    assert "0.1 with 15, 30" in riley2024_findings.infeasible(quick)
    advice = riley2024_findings.recommendations(found, quick)
    assert len(advice) == 5 and advice["evidence"].str.len().min() > 10


@pytest.mark.parametrize(
    ("finding", "verdict", "said"),
    [
        ("pSxS above no grouping", "yes", "the finding **holds**"),
        ("pSxS above no grouping", "reversed", "the finding **does not hold**"),
        ("error above unnormalised without grouping", "no", "the finding **holds**"),
        ("error above unnormalised without grouping", "yes", "the finding **does not hold**"),
        ("fully balanced above imbalanced", "reversed", "**as on its en-zh data**"),
        ("fully balanced above imbalanced", "no", "**like neither**"),
        ("pSxS above no grouping", "cannot be said", "**nothing can be said**"),
    ],
)
def test_a_finding_holds_when_it_is_what_the_paper_says(finding, verdict, said):
    row = {"figure": 1, "finding": finding, "verdict": verdict, "points": 2, "informative": 0}
    text = riley2024_findings.sentence(pd.DataFrame([row]), 1)
    assert said in text


# ------------------------------------------------------------------ the ledger


def measured():
    """What a perfect replication on WMT22 would give, from the published file itself."""
    rows = claims.published("riley2024")
    pairs: dict[str, dict] = {"en-de": {}, "en-zh": {}}
    for row in rows.itertuples(index=False):
        pair, _, cell = row.cell.rpartition(" | ")
        if pair:
            pairs[pair][row.place, cell] = row.published
    return pairs


def test_on_other_campaigns_the_rows_have_no_data_and_say_why():
    own = {("Table 1", "documents"): 30, ("Figure 5", "z above unnormalised"): "no"}
    rows = riley2024_ledger.ledger("wmt23-mqm", {"en-de": own})
    assert len(rows) == len(claims.published("riley2024"))
    derived = rows[rows["provenance"] == "recomputed from print"]
    assert dict(zip(derived["cell"], derived["status"], strict=True)) == {
        "segment ratings of both datasets": "rounds",
        "en-de | least normalised entropy": "exact",
        "en-zh | least normalised entropy": "rounds",
    }
    rest = rows[rows["provenance"] == "official"].set_index(["place", "cell"])
    assert (rest["status"] == "no data").all() and (rest["ours"] == "").all()
    assert "wmt23-mqm: en-de 30" in rest.loc[("Table 1", "en-zh | documents"), "reason"]
    assert "en-de no" in rest.loc[("Figure 5", "en-de | z above unnormalised"), "reason"]


def test_on_wmt22_they_are_checks():
    rows = riley2024_ledger.ledger("wmt22-mqm", measured())
    of = rows[rows["provenance"] == "official"]
    assert (of["status"] == "exact").all() and len(of) == 52
    wrong = measured()
    wrong["en-de"]["Table 1", "documents"] = 180
    wrong["en-zh"]["Figure 4", "fully balanced above imbalanced"] = "yes"
    rows = riley2024_ledger.ledger("wmt22-mqm", wrong).set_index(["place", "cell", "provenance"])
    assert rows.loc[("Table 1", "en-de | documents", "official"), "status"] == "rounds"
    key = ("Figure 4", "en-zh | fully balanced above imbalanced", "official")
    assert rows.loc[key, "status"] == "differs"


# ------------------------------------------------------------------ other protocols


@given(st.integers(2, 40), st.integers(1, 12), st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_twins_share_nothing(units, splits, seed):
    size = max(1, units // 3)
    drawn = srp_protocols.twins(units, size, splits, np.random.default_rng(seed))
    assert drawn.shape == (2 * splits, size)
    for one, other in drawn.reshape(splits, 2, size):
        assert not set(one) & set(other) and len(set(one)) == size


def test_no_twins_from_too_few():
    with pytest.raises(DataError, match="found 5; expected at least 6 units"):
        srp_protocols.twins(5, 3, 1, np.random.default_rng(0))
    message = "too few documents for two studies of 1 .*found 1; expected at least 2 documents"
    with pytest.raises(DataError, match=message):
        srp_protocols.twins(1, 1, 1, np.random.default_rng(0), "documents")


def test_one_rating_per_item_leaves_out_what_needs_two(demo, quick):
    judgments, data = demo
    first = {d: data.raters[slots[0]] for d, slots in zip(data.documents, data.slots, strict=True)}
    own = judgments["document"].astype(str).map(first) == judgments["rater"].astype(str)
    single = mqm.ratings(judgments[own])
    assert single.shape == (8, 30, 1) and len(single.raters) > 1
    with pytest.raises(DataError, match="no two raters share a document"):
        riley2024.agreement(single)
    with pytest.raises(DataError, match="no two raters share an item"):
        riley2024.rater_distributions(judgments[own])
    both = {"en-de": data, "zh-en": single}
    assert list(srp_report.several(both)) == ["en-de"]
    assert srp_report.single_rated({"en-de": data}, "Tables 1 and 2") == {}
    said = srp_report.single_rated(both, "Tables 1 and 2")["Left out"]
    assert said == (
        "Tables 1 and 2 need at least two ratings per item; zh-en has one, and is left out here."
    )
    effort = pd.DataFrame(columns=[*srp_protocols.EFFORT_COLUMNS, *srp_protocols.SRP_COLUMNS[1:6]])
    effort = effort.loc[:, ~effort.columns.duplicated()]
    assert "unit" in srp_report.configurations({}, effort)
    simulated = srp_report.configurations({"en-de": quick}, effort)
    assert "unit" not in simulated and set(simulated["pair"]) == {"en-de"}
    assert srp_report.ledger("mine", None, None, {}, {}).columns.tolist() == claims.COLUMNS


@pytest.mark.parametrize("style", ["demo-srdc", "demo-srpdc"])
def test_a_da_study_is_the_ranking_of_its_workers_rows(style):
    """Restrict both files to the drawn workers, standardise anew, rank with the notebook's code."""
    from rankstability.rank.systems import rank_systems
    from rankstability.score.da import segment_scores

    da = campaigns.load_da(campaigns.find(style), "de-en")
    units, systems, draw = srp_protocols.da_studies(da)
    chosen = srp_protocols.twins(units, units // 3, 3, np.random.default_rng(1))
    found, effort = draw(chosen, np.random.default_rng(1))
    names = [
        str(w)
        for w in da.good["worker"].cat.categories
        if _judged(da, w)  # with judgments that have a z-score
    ]
    assert len(names) == units
    judged = []
    for i, rows in enumerate(chosen):
        mine = {names[k] for k in rows}
        part = dataclasses.replace(
            da,
            latest=da.latest[da.latest["worker"].astype(str).isin(mine)],
            good=da.good[da.good["worker"].astype(str).isin(mine)],
        )
        scores = segment_scores(part)
        ranking = rank_systems(scores)
        table = ranking.table.set_index("system")["mean_z"].reindex(systems)
        np.testing.assert_allclose(-found.means[i], table.to_numpy(), atol=1e-9)
        judged.append(scores.judgments[np.isfinite(scores.z)].sum())
        order = list(ranking.systems)
        for (a, b), significant in zip(found.pairs, found.significant[i], strict=True):
            if systems[a] in order and systems[b] in order:
                p = ranking.p[order.index(systems[a]), order.index(systems[b])]
                assert significant == (p < 0.05)
    assert effort == pytest.approx(np.mean(judged) / len(systems))


def _judged(da, worker):
    from rankstability.score.da import judgment_z

    rows = (da.good["worker"] == worker) & da.good["type"].isin(["SYSTEM", "REPEAT"])
    return bool((rows & np.isfinite(judgment_z(da))).any())


def test_an_rr_study_is_the_score_of_its_blocks():
    from scipy.stats import binomtest

    from rankstability.score import rr

    frame = campaigns.load_rr(campaigns.find("demo-rr"), "cs-en")
    units, systems, draw = srp_protocols.rr_studies(frame)
    chosen = srp_protocols.twins(units, units // 4, 2, np.random.default_rng(1))
    found, _ = draw(chosen, np.random.default_rng(1))
    blocks = rr.blocks(frame)
    for i, rows in enumerate(chosen):
        counts = rr.pair_counts(blocks.take(rows)).without(rr.REFERENCE)
        scores = pd.Series(rr.wins_over_decided(counts), index=counts.systems)
        np.testing.assert_allclose(-found.means[i], scores.reindex(systems).to_numpy())
        wins = pd.DataFrame(counts.wins, index=counts.systems, columns=counts.systems)
        for (a, b), p in list(zip(found.pairs, found.p[i], strict=True))[:8]:
            won, lost = wins.loc[systems[a], systems[b]], wins.loc[systems[b], systems[a]]
            expected = binomtest(int(won), int(won + lost)).pvalue if won + lost else 1.0
            assert p == pytest.approx(expected)


def test_an_mqm_twin_has_disjoint_documents(demo):
    units, systems, draw = srp_protocols.mqm_studies(demo[1], permutations=50)
    assert units == 30 and len(systems) == 8
    chosen = srp_protocols.twins(units, 15, 4, np.random.default_rng(1))
    found, effort = draw(chosen, np.random.default_rng(1))
    assert effort == pytest.approx(demo[1].segments.sum() / 2)
    assert found.sets.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_studies_of_a_whole_campaign_in_one_frame():
    rows = srp_protocols.study(campaigns.find("demo-srdc"), "de-en", splits=4, levels=(0.5, 1.0))
    assert rows["level"].tolist() == [0.5, 1.0]
    assert rows["effort"].is_monotonic_increasing
    assert (rows["unit"] == "workers").all() and (rows["studies"] == 8).all()
    again = srp_protocols.curves(campaigns.find("demo-srdc"), ["de-en"], splits=4, jobs=2)
    assert set(zip(again["unit"], again["normalisation"], strict=True)) == {
        ("workers", "z"),
        ("judgments", "z"),
        ("workers", "none"),
    }
    same = again[(again["unit"] == "workers") & (again["normalisation"] == "z")]
    pd.testing.assert_frame_equal(
        same[same["level"].isin([0.5, 1.0])].reset_index(drop=True), rows, check_dtype=False
    )


@needs("wmt20")
def test_segment_scores_without_workers_cannot_be_drawn():
    with pytest.raises(DataError, match="no workers"):
        srp_protocols.study(campaigns.find("wmt20"), "cs-en")


@needs("wmt21")
def test_wmt21_workers_agree_less_than_judgments():
    """Knowles (2021) seen as stability: with document context few workers meet a system."""
    campaign = campaigns.find("wmt21")
    rows = srp_protocols.study(
        campaign, "cs-en", splits=30, levels=(1.0,), units_drawn=("workers", "judgments")
    ).set_index("unit")
    assert rows.loc["workers", "kendall"] < rows.loc["judgments", "kendall"] - 0.2
