"""Releases of other campaigns come out as their organisers printed them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from conftest import needs, real
from rankcompanion.replication import compare_p_values, compare_rankings
from rankstability import load, mqm_scores, pair_counts, rank_systems, segment_scores
from rankstability.rank.bradley_terry import davidson
from rankstability.read import campaigns, official
from rankstability.read.appraise import read_appraise
from rankstability.score.da import judgment_z
from rankstability.score.scored import scored

# ------------------------------------------------------------------ WMT-SLT23


def slt23(files):
    """The judgments of some of the six files, each account an annotator."""
    return read_appraise(tuple(sorted(real("wmt-slt23").glob(f"*/{files}.scores.csv"))), "sgg-de")


def means(rows, name):
    """Mean over segments of the mean over their rows, best first."""
    segments = rows.groupby(["system", "segment"], observed=True)[name].mean()
    return segments.groupby("system", observed=True).mean().sort_values(ascending=False)


@needs("wmt-slt23")
@pytest.mark.parametrize(
    ("domain", "files", "keys"),
    [("both_domains", "*", 546), ("srf", "WMT23SLTDoc?", 271), ("signsuisse", "WMT23SLTSeg?", 275)],
)
def test_the_raw_tables_of_slt23_hold_the_scores_of_documents(domain, files, keys):
    log = (real("wmt-slt23") / "official" / "scores.log").read_text()
    part = log.split(f"Results for {domain} =")[1].split("====== ")[0]
    printed = re.findall(r"^\S+ \('(.+?)', (\d+), ([0-9.]+), ", part, re.MULTILINE)
    da = slt23(files)
    rows, ours = da.latest, means(da.latest, "score")
    assert rows["segment"].nunique() == keys
    assert list(ours.index) == [system for system, _, _ in printed]
    np.testing.assert_allclose(ours, [float(mean) for _, _, mean in printed], rtol=1e-9)
    counts = rows["system"].value_counts()
    assert [counts[system] for system in ours.index] == [int(n) for _, n, _ in printed]


@needs("wmt-slt23")
@pytest.mark.parametrize("part", ["", "_A", "_B", "_C", "_Doc", "_Seg"])
def test_the_z_tables_of_slt23_are_by_account_without_the_scores_of_documents(part):
    text = (real("wmt-slt23") / "official" / "results.txt").read_text()
    table = text.split(f"results/WMT23SLT{part}.results.log")[1].split("==>")[0]
    printed = re.findall(r"^dsgs-de +(\S+) +\S+ +(\S+) +(\S+)$", table, re.MULTILINE)
    da = slt23(f"*{part[1:]}*" if len(part) > 2 else f"*{part[1:]}")
    rows = da.good.assign(z=judgment_z(replace(da, zero_variance="zero")))
    raw, z = means(rows, "score"), means(rows, "z")
    assert len(printed) == 5
    for system, score, standardised in printed:
        name = system.replace("\\", "")
        assert (f"{raw[name]:.1f}", f"{z[name]:.3f}") == (score, standardised)
    assert list(z.index) == [system.replace("\\", "") for system, _, _ in printed]


@needs("wmt-slt23")
def test_the_accounts_of_slt23_are_three_people_who_judged_everything():
    good = load("wmt-slt23").good
    rows = good.drop_duplicates(["worker", "system", "segment"])
    assert rows["worker"].value_counts().to_dict() == dict.fromkeys("ABC", 5 * (246 + 250))
    assert good["document"].nunique() == 50 and good["hit"].nunique() == 2 * 39
    assert len(good) - len(rows) == 360  # judged again under another account: kept


# ------------------------------------------------------------------ WMT21, Wikipedia

FACEBOOK = {"bn-hi": (9, 4461), "hi-bn": (9, 4512), "xh-zu": (6, 2968), "zu-xh": (5, 2502)}
LINES = {"bn-hi": (2, 8), "hi-bn": (4, 8), "xh-zu": (3, 5), "zu-xh": (1, 4)}


@needs("wmt21-facebook-wikipedia")
@pytest.mark.parametrize("pair", FACEBOOK)
def test_wmt21_wikipedia_comes_out_as_published(pair):
    campaign = campaigns.find("wmt21-facebook-wikipedia")
    da = campaigns.load_da(campaign, pair)
    scores = segment_scores(da)
    ranking = rank_systems(scores)
    table = compare_rankings(ranking, official.ranking(campaign, pair))
    assert table["same"].all(), table.to_string()
    assert (len(ranking.systems), len(da.good)) == FACEBOOK[pair]
    released = compare_p_values(official.p_values(campaign, pair), scores)
    near = np.isclose(released["released"], released["ours"], rtol=1e-3)
    odd = released[~near & (released["same"] == 0)]
    # printed as not significant, for it is against the order of z; and yet a win in clusters.csv
    expected = [["Online-B.5", "TRANSSION.3"]] if pair == "hi-bn" else []
    assert odd[["better", "worse"]].to_numpy().tolist() == expected
    wins = ranking.under(rule="official wins")
    assert wins.lines == LINES[pair] and wins.clusters == official.clusters(campaign, pair)
    spread = (campaign.folder / f"ad-{pair.replace('-', '')}-trk-mean-sd.txt").read_text()
    printed = [line.split("] ")[1].strip('"') for line in spread.splitlines()]
    ours = da.good.groupby("worker", observed=True)["score"].agg(["mean", "std"])
    assert len(printed) == 3 * len(ours)
    for name, mean, sd in zip(printed[::3], printed[1::3], printed[2::3], strict=True):
        np.testing.assert_allclose(ours.loc[name], [float(mean), float(sd)], rtol=1e-6)


@needs("wmt21-facebook-wikipedia")
def test_a_win_against_the_order_of_z_draws_no_line_in_hi_bn():
    ranking = rank_systems(segment_scores(load("wmt21-facebook-wikipedia", "hi-bn")))
    table = ranking.comparisons()
    odd = table[table["significant"] & ~table["test_agrees"]]
    assert {frozenset(pair) for pair in odd[["better", "worse"]].to_numpy()} == {
        frozenset({"TRANSSION.3", "Online-B.5"})
    }
    assert ranking.systems[5:7] == ("TRANSSION.3", "Online-B.5")
    assert ranking.under(rule="official wins").lines == (4, 8)
    assert ranking.lines == (4, 6, 7, 8)  # by the paper's rule, which ignores directions


@needs("wmt21-facebook-wikipedia")
@pytest.mark.parametrize("pair", FACEBOOK)
def test_wmt21_wikipedia_has_no_segment_and_no_document_of_two_systems(pair):
    da = load("wmt21-facebook-wikipedia", pair)
    assert da.good["document"].isna().all() and da.good["segment"].nunique() == len(da.good)
    noted = da.excluded.set_index("reason")["rows"]
    alone = "(kept: no segment was judged of two systems, so that no test can pair them)"
    assert noted[alone] == len(da.good)


# ------------------------------------------------------------------ bio-MQM

BIO = {  # ratings, systems, documents, segments, raters, outputs rated twice
    "de-en": (7124, 13, 50, 480, 3, 884), "en-es": (4541, 9, 50, 486, 4, 483),
    "en-zh": (7922, 17, 50, 425, 3, 697), "es-en": (5832, 12, 50, 445, 3, 492),
    "fr-en": (5265, 13, 50, 365, 3, 520), "ru-en": (4329, 9, 50, 428, 3, 477),
    "zh-en": (5968, 16, 50, 341, 4, 512),
}  # fmt: skip


@needs("bio-mqm")
@pytest.mark.parametrize("pair", BIO)
def test_bio_mqm_has_the_counts_and_means_of_its_long_tables(pair):
    errors = load("bio-mqm", pair)
    rows = mqm_scores(errors)
    names = ["system", "document", "segment", "rater"]
    twice = (rows.groupby(["system", "segment"]).size() == 2).sum()
    assert (len(rows), *rows[names].nunique(), twice) == BIO[pair]
    table = pd.read_csv(real("bio-mqm") / "system-means.csv").query("pair == @pair")
    judged = scored(errors)
    ours = pd.Series(judged.means(), judged.systems)[table["system"]]
    np.testing.assert_allclose(ours, table["mean"], atol=5.1e-5)
    counts = rows.groupby("system")["score"].size()[table["system"]]
    assert counts.tolist() == table["ratings"].tolist()
    told = pd.read_csv(real("bio-mqm") / "long" / f"mqm-{pair}.csv.gz")
    assert rows["score"].sum() == pytest.approx(-told["score"].sum())


@needs("bio-mqm")
def test_a_file_of_bio_mqm_as_released_is_its_part_of_the_ratings():
    native = load(real("bio-mqm") / "native-example" / "es2en")
    kept = load("bio-mqm", "es-en").query("system == 'reference_r1'")
    columns = ["document", "doc_segment", "rater", "category", "severity"]
    parts = [one[columns].astype(str).sort_values(columns) for one in (native, kept)]
    assert native["pair"].unique().tolist() == ["es-en"] and len(native) > 486
    assert parts[0].to_numpy().tolist() == parts[1].to_numpy().tolist()


# ------------------------------------------------------------------ LLMFAO


@needs("llmfao")
def test_the_votes_of_llmfao_give_evalicas_golden_scores():
    folder = real("llmfao")
    counts = pair_counts(load("llmfao"))
    assert counts.comparisons == 8931 and len(counts.systems) == 59
    golden = pd.read_csv(folder / "official" / "llmfao-golden.csv").set_index("item")
    golden = {name: rows["score"] for name, rows in golden.groupby("algorithm")}
    counting = pd.Series((counts.wins + counts.ties / 2).sum(axis=1), counts.systems)
    assert counting.to_dict() == golden["counting"].to_dict()
    halves = replace(counts, wins=2 * counts.wins + counts.ties, ties=0 * counts.ties)
    strength = np.exp(davidson(halves)[0])  # a tie is half a win for both
    ours = pd.Series(strength / strength.sum(), counts.systems)
    np.testing.assert_allclose(
        ours[golden["bradley_terry"].index], golden["bradley_terry"], atol=1e-9
    )
    assert pair_counts(load(folder / "battles" / "human.jsonl.gz")).wins.tolist() == (
        counts.wins.tolist()
    )
    judges = load("llmfao").groupby("block")["judge"].first().value_counts()
    assert (len(judges), judges.min(), judges.max()) == (124, 7, 343)
