"""The designs and findings of Riley et al. 2024 on the demo campaign, and on lines made up."""

import pandas as pd
import pytest

from assessments import made_up
from conftest import needs, real
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcampaigns.mqm import read_mqm
from companion.legacy.rankcompanion.notebooks.srp import findings as srp_findings
from companion.legacy.rankcompanion.notebooks.srp.findings import Plan
from companion.legacy.rankstability.rank.srp_studies import Design
from companion.legacy.rankstability.score import mqm

QUICK = Plan(studies=20, permutations=60, sizes=2, entropies=(0.8, 0.1))


@pytest.fixture(scope="module")
def demo():
    return mqm.ratings(campaigns.load_mqm(campaigns.find("demo-mqm"), "en-de"))


@pytest.fixture(scope="module")
def quick(demo):
    return srp_findings.table(demo, srp_findings.designs(demo, QUICK), seed=1)


def test_every_line_of_every_figure_is_there(demo, quick):
    low = srp_findings.high_imbalance(demo, QUICK)
    assert low == 0.8  # 0.1 is below what buckets allow
    for figure in range(3, 9):
        for label, arguments in srp_findings.lines_of(figure, QUICK, low).items():
            rows = srp_findings.select(quick, **arguments)
            assert len(rows) >= 1, (figure, label)
            assert (rows["studies"] == 0).all() == (label == "entropy 0.1"), (figure, label)
    single, double = (
        srp_findings.select(quick, **a) for a in srp_findings.lines_of(8, QUICK, low).values()
    )
    assert single["annotations"].tolist() == double["annotations"].tolist()
    assert (single["documents"] == 2 * double["documents"]).all()


def test_a_table_has_each_design_once_and_all_documents_where_none_are_asked_for():
    data = mqm.ratings(made_up(systems=2, buckets=((3, (0, 1)),)))
    few = {"studies": 3, "permutations": 9}
    whole = Design(**few)
    designs = [Design(documents=2, **few), whole, Design(documents=3, **few), whole]
    assert srp_findings.table(data, designs, seed=1)["documents"].tolist() == [2, 3]


@pytest.mark.slow
def test_rows_do_not_depend_on_jobs_or_neighbours():
    data = mqm.ratings(made_up())
    designs = [Design(studies=20), Design("none", studies=20), Design(studies=20, documents=5)]
    table = srp_findings.table(data, designs, seed=7)
    pd.testing.assert_frame_equal(table, srp_findings.table(data, designs, seed=7, jobs=2))
    alone = srp_findings.table(data, designs[1:2], seed=7)
    pd.testing.assert_frame_equal(table.iloc[1:2].reset_index(drop=True), alone)
    assert not table.equals(srp_findings.table(data, designs, seed=8))


def line(srp_values, se=0.01, empty=0.0):
    values = dict.fromkeys(["srp", "srp_equal_claims", "kendall", "pearson"], srp_values)
    made = pd.DataFrame(values).assign(se=se, se_equal_claims=se, empty_share=empty)
    return made.assign(annotations=range(len(made)))


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ([0.9, 0.9], [0.8, 0.8], "yes"),
        ([0.8, 0.8], [0.9, 0.9], "reversed"),
        ([0.9, 0.9], [0.89, 0.9], "no"),
    ],
)
def test_verdicts(first, second, verdict):
    result = srp_findings.compare_lines(line(first), line(second))
    assert result["verdict"] == verdict and result["informative"] == 2


def test_points_where_studies_claim_nothing_do_not_count():
    result = srp_findings.compare_lines(line([1.0, 0.7], empty=[0.9, 0]), line([0.5, 0.9]))
    assert result["verdict"] == "reversed" and result["informative"] == 1
    nothing = srp_findings.compare_lines(line([1.0], empty=[0.9]), line([0.5]))
    assert nothing["verdict"] == "cannot be said"


def test_verdicts_and_measures_of_a_run(demo, quick):
    rows = srp_findings.verdicts(quick, demo, QUICK)
    assert len(rows) == 12 and rows["figure"].is_monotonic_increasing
    row = rows.set_index("finding").loc["pSxS above no grouping"]
    assert row["verdict_equal_claims"] == "yes"  # the raters of the demo differ in harshness
    measures = srp_findings.other_measures(quick).set_index("measure")
    assert measures.loc["srp", "with_srp"] == 1 and (measures["low"] <= measures["high"]).all()
    assert srp_findings.other_measures(quick.head(2)).empty
    missed = quick[quick["studies"] == 0]
    assert set(missed["balance"]) == {0.1} and sorted(missed["documents"]) == [15, 30]


@pytest.mark.parametrize(
    ("verdicts", "equal", "supported"),
    [
        (("yes", "yes"), ("no", "no"), "as found"),
        (("yes", "reversed"), ("no", "no"), "in part"),
        (("no", "reversed"), ("yes", "yes"), "only at an equal number of claims"),
        (("no", "reversed"), ("yes", "no"), "opposite"),
        (("no", "cannot be said"), ("no", "no"), "not told apart"),
    ],
)
def test_support_of_a_recommendation(verdicts, equal, supported):
    rows = {"finding": ("a", "b"), "verdict": verdicts, "verdict_equal_claims": equal}
    assert srp_findings.support(pd.DataFrame(rows), "a", "b") == supported


@needs("wmt23-mqm")
def test_the_system_judged_twice_in_2023():
    file = real("wmt23-mqm") / "sxs_mqm_generalMT2023_ende.3ratingsPerSegment.tsv.tar.gz"
    data = mqm.ratings(read_mqm(file, "en-de"))
    copies = srp_findings.duplicates(data, QUICK, seed=1)
    assert copies["first"].tolist() == ["GPT4-5shot_with_ONLINE-W"] * 3
    assert copies["false_claims"].max() < 0.3
