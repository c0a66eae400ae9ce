"""Riley et al. 2024 on the claims ledger: compared on WMT22, elsewhere without data."""

import pandas as pd
import pytest

from companion.legacy.paperkit import claims
from companion.legacy.rankcompanion.papers import riley2024


def replicated():
    """What a perfect replication on WMT22 would give, from the published file itself."""
    rows = claims.published("riley2024")
    rows = rows[rows["pair"] != ""].rename(columns={"published": "ours"})
    return rows[[*riley2024.ON, "ours"]]


def test_on_other_campaigns_the_rows_have_no_data_and_say_why():
    own = [
        ("Table 1", "en-de", "documents", "30"),
        ("Table 1", "zh-en", "documents", "38"),
        ("Figure 5", "en-de", "z above unnormalised", "no"),
    ]
    rows = riley2024.ledger("wmt23-mqm", pd.DataFrame(own, columns=[*riley2024.ON, "ours"]))
    assert len(rows) == len(claims.published("riley2024"))
    derived = rows[rows["provenance"] == "recomputed from print"]
    pd.testing.assert_frame_equal(derived, riley2024.across({}))  # it needs no campaign
    rest = rows[rows["provenance"] == "official"].set_index(["place", "cell"])
    assert (rest["status"] == "no data").all() and (rest["ours"] == "").all()
    reason = rest.loc[("Table 1", "en-zh | documents"), "reason"]
    assert reason.endswith("wmt23-mqm: en-de 30; zh-en 38")
    assert "en-de no" in rest.loc[("Figure 5", "en-de | z above unnormalised"), "reason"]


def test_a_campaigns_answer_to_a_finding_is_told_with_its_interval():
    name, place = "imbalanced with z above fully balanced", "Figure 6"
    own = [
        (place, "en-de", name, "no", "-0.006 ± 0.021"),
        (place, "zh-en", name, "reversed", "-0.093 ± 0.028"),
        ("Figure 4", "en-de", "fully balanced above imbalanced", "no", "+0.005 ± 0.020"),
    ]
    columns = [*riley2024.ON, "ours", "interval"]
    rows = riley2024.ledger("wmt23-mqm", pd.DataFrame(own, columns=columns))
    said = rows.set_index("cell")["reason"].str.partition("; wmt23-mqm: ")[2]
    assert said[f"en-zh | {name}"] == (
        "en-de not told apart (difference in SRP -0.006 ± 0.021); "
        "zh-en opposite (difference in SRP -0.093 ± 0.028)"
    )
    assert said[f"en-de | {name}"].endswith("zh-en as found (difference in SRP -0.093 ± 0.028)")
    assert said["en-de | fully balanced above imbalanced"].startswith("en-de not told apart (")


def test_on_wmt22_they_are_checks():
    rows = riley2024.ledger("wmt22-mqm", replicated())
    of = rows[rows["provenance"] == "official"]
    assert (of["status"] == "exact").all() and len(of) == 52
    wrong = replicated().set_index(["pair", "statistic"])
    wrong.loc[("en-de", "documents"), "ours"] = "180"
    wrong.loc[("en-zh", "fully balanced above imbalanced"), "ours"] = "yes"
    rows = riley2024.ledger("wmt22-mqm", wrong.reset_index())
    rows = rows[rows["provenance"] == "official"].set_index(["place", "cell"])
    assert rows.loc[("Table 1", "en-de | documents"), "status"] == "rounds"
    assert rows.loc[("Figure 4", "en-zh | fully balanced above imbalanced"), "status"] == "differs"


def test_a_campaigns_values_are_those_of_its_tables():
    names = ["buckets", "documents per bucket", "buckets per rater", *riley2024.TABLE_1]
    counts = pd.DataFrame({"count": [*names, "least entropy"], "en-de": [*["7"] * 9, "0.51283"]})
    agreement = pd.DataFrame(
        {"aggregation": ["single documents", "all shared documents"], "en-de": ["0.40444", "0.69"]}
    )
    row = {"pair": "en-de", "figure": 3, "finding": "pSxS above no grouping", "verdict": "yes"}
    row |= {"difference": 0.2, "se": 0.05, "kendall": 0.1, "pearson": -0.1, "ratio": 1.987}
    verdicts = pd.DataFrame([row])
    table = pd.DataFrame({"pair": "en-de", "empty_share": [0.9, 0, 0], "srp_both": [1, 0, 0.2]})
    ours = riley2024.measured(counts, agreement, verdicts, table)
    values = ours.set_index(["place", "statistic"])["ours"]
    assert len(values) == 16 and set(ours["pair"]) == {"en-de"}
    assert values["Table 1", "documents"] == "7"
    intervals = ours.set_index("statistic")["interval"]
    assert intervals["pSxS above no grouping"] == "+0.200 ± 0.100" and not intervals["documents"]
    assert values["Table 2", "single documents"] == 0.4044
    assert values["Figure 3", "SRP of pSxS over SRP without grouping"] == 1.99
    assert values["Section 5", "Pearson and Kendall point the same way"] == "no"
    assert values["Footnote 3", "SRP with significance in both studies near 0"] == "no"


@pytest.mark.parametrize(
    ("finding", "verdict", "holds"),
    [
        ("pSxS above no grouping", "yes", "as found"),
        ("pSxS above no grouping", "reversed", "opposite"),
        ("pSxS above no grouping", "no", "not told apart"),
        ("error above unnormalised without grouping", "no", "as found"),
        ("error above unnormalised without grouping", "yes", "opposite"),
        ("fully balanced above imbalanced", "reversed", "as on en-zh"),
        ("fully balanced above imbalanced", "no", "not told apart"),
        ("pSxS above no grouping", "cannot be said", "cannot be said"),
    ],
)
def test_a_finding_holds_when_it_is_what_the_paper_says(finding, verdict, holds):
    rows = riley2024.beside_paper(pd.DataFrame({"finding": [finding], "verdict": [verdict]}))
    assert rows["holds"].tolist() == [holds]
    if finding == "fully balanced above imbalanced":
        assert rows["paper"].tolist() == [{"en-de": "yes", "en-zh": "reversed"}]
