"""The same rows in two files of a campaign are refused with both names, whatever the form."""

from __future__ import annotations

import gzip
import json
import shutil

import numpy as np
import pandas as pd
import pytest

from rankstability import load, paths
from rankstability.errors import DataError
from rankstability.read import campaigns

RNG = np.random.default_rng(3)
ROWS = pd.DataFrame(
    [(s, str(k), a, int(RNG.integers(0, 101))) for s in "ABC" for k in range(8) for a in "uv"],
    columns=["system", "segment", "annotator", "score"],
)


def refused(folder, *names, rows=None):
    """Whether the campaign in the folder is refused, with these names."""
    with pytest.raises(DataError, match="the same rows in two files") as caught:
        campaign = campaigns.find(folder)
        for pair in campaign.pairs:
            load(campaign, pair)
    assert all(name in caught.value.file for name in names), caught.value
    assert "files:" in caught.value.expected
    assert rows is None or str(caught.value.value).startswith(f"all {rows} ")


def copies(file):
    """Other forms of a long table: (name, bytes)."""
    frame = pd.read_csv(file, dtype=str)
    objects = [{**row, "score": int(row["score"])} for row in frame.to_dict("records")]
    lines = "".join(json.dumps(row) + "\n" for row in objects).encode()
    other = frame.sample(frac=1, random_state=1).rename(columns={"annotator": "worker_id"})
    other = other[["score", "worker_id", "segment", "system"]].assign(seconds="3.5")
    return {
        "a.csv.gz": gzip.compress(file.read_bytes()), "a (1).csv": file.read_bytes(),
        "a.jsonl": lines, "b.tsv": other.to_csv(sep="\t", index=False).encode(),
        "c.json": json.dumps(objects[::-1]).encode(),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["a.csv.gz", "a (1).csv", "a.jsonl", "b.tsv", "c.json"])
def test_a_long_table_beside_itself_in_another_form(tmp_path, name):
    ROWS.to_csv(tmp_path / "a.csv", index=False)
    assert len(load(tmp_path).good) == 48
    (tmp_path / name).write_bytes(copies(tmp_path / "a.csv")[name])
    refused(tmp_path, "a.csv", name, rows=48)
    (tmp_path / "campaign.yaml").write_text(f"files: [{name}]\n")
    assert len(load(tmp_path).good) == 48


def test_a_later_export_beside_the_earlier_one(tmp_path):
    ROWS.to_csv(tmp_path / "z.csv", index=False)
    ROWS[:30].to_csv(tmp_path / "y.csv", index=False)
    refused(tmp_path, "y.csv", "z.csv", rows=30)


def test_one_file_named_twice(tmp_path):
    for name in ("r.csv", "s.csv"):
        ROWS.to_csv(tmp_path / name, index=False)
    for files in ("[r.csv, r.csv]", "[r.csv, s.csv, ./r.csv]"):
        (tmp_path / "campaign.yaml").write_text(f"files: {files}\n")
        with pytest.raises(DataError, match=r"r\.csv (appears twice|in the folder)"):
            campaigns.find(tmp_path)
    (tmp_path / "s.csv").rename(tmp_path / "t.csv.gz")
    (tmp_path / "campaign.yaml").write_text("files: [t.csv, t.csv.gz]\n")
    with pytest.raises(DataError, match=r"t\.csv\.gz appears twice"):
        campaigns.find(tmp_path)


def test_files_that_share_some_rows_or_none_are_one_campaign(tmp_path):
    one, other = ROWS[ROWS["annotator"] == "u"], ROWS[ROWS["annotator"] == "v"]
    one.to_csv(tmp_path / "u.csv", index=False)
    pd.concat([other, one[:3]]).to_csv(tmp_path / "v.csv", index=False)
    da = load(tmp_path)
    assert len(da.good) == 51
    assert da.excluded.set_index("reason")["rows"]["identical rows (kept)"] == 3
    one.assign(system="D").to_csv(tmp_path / "d.csv", index=False)
    assert len(load(tmp_path).good) == 75


def test_two_pairs_may_have_the_same_rows(tmp_path):
    for pair in ("cs-en", "de-en"):
        ROWS.to_csv(tmp_path / f"{pair}.csv", index=False)
    campaign = campaigns.find(tmp_path)
    assert [len(load(campaign, pair).good) for pair in campaign.pairs] == [48, 48]


def test_the_two_files_of_direct_assessment_may_be_equal(tmp_path):
    for name in ("ad-latest.csv.gz", "ad-good-raw-redup.csv.gz"):
        shutil.copy(paths.DEMO / "demo-srpdc" / "ad-good-raw-redup.csv.gz", tmp_path / name)
    da = load(tmp_path, "de-en")
    assert len(da.good) == len(da.latest)


def appraise(score="78", spans="[]"):
    return [
        f"engjpn010{a},Sys{s},{k},TGT,eng,jpn,{score},doc{k}#Sys{s},False,{spans},{k}.5,{k}.75"
        for a in "12" for s in "AB" for k in range(1, 5)
    ]  # fmt: skip


@pytest.mark.parametrize(("score", "protocol"), [("78", "DA"), ("0", "MQM")])
def test_an_export_of_appraise_beside_itself(tmp_path, score, protocol):
    spans = '"[{""severity"": ""minor"", ""error_type"": ""Fluency""}]"'
    rows = "\n".join(appraise(score, spans)) + "\n"
    (tmp_path / "a.csv").write_text(rows)
    (tmp_path / "b.csv").write_text(rows.replace("engjpn01", "engjpn02"))
    campaign = campaigns.find(tmp_path)
    assert campaign.protocol == protocol and len(campaign.files()) == 2
    load(campaign)
    (tmp_path / "b (1).csv.gz").write_bytes(gzip.compress(rows.encode() + rows.encode()))
    refused(tmp_path, "a.csv", "b (1).csv.gz", rows=16)


def test_a_file_of_relative_ranking_beside_itself(tmp_path):
    file = paths.DEMO / "demo-rr" / "demo.RNK_results.csv"
    shutil.copy(file, tmp_path / "a.csv")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(file.read_bytes()))
    refused(tmp_path, "a.csv", "b.csv.gz")


def battles(folder, rows, name="arena"):
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return pd.DataFrame(rows)


@pytest.mark.parametrize("told", [(), ("judge",), ("question_id",), ("question_id", "judge")])
def test_battles_beside_themselves_as_a_table(tmp_path, told):
    wins = RNG.choice(["model_a", "model_b", "tie"], 60)
    rows = [
        {"model_a": "ABC"[k % 3], "model_b": "BCA"[k % 3], "winner": str(w)}
        | {name: f"{name}-{k if name == 'question_id' else k % 4}" for name in told}
        for k, w in enumerate(wins)
    ]
    frame = battles(tmp_path, rows)
    frame[::-1][:20].to_csv(tmp_path / "other.csv", index=False)
    if "question_id" not in told:  # the same words may be other battles: who, and of what?
        assert load(tmp_path)["block"].nunique() == 80
    frame.to_csv(tmp_path / "other.csv", index=False)
    refused(tmp_path, "arena.jsonl", "other.csv", rows=60)


def test_two_files_of_mqm_are_both_named(tmp_path):
    file = paths.DEMO / "demo-mqm" / "mqm_demo_ende.3ratingsPerSegment.tsv"
    shutil.copy(file, tmp_path / "a_ende.tsv")
    shutil.copy(file, tmp_path / "b_ende.tsv")
    with pytest.raises(DataError, match=r"a_ende\.tsv, .*b_ende\.tsv: two files for one"):
        load(tmp_path)


def test_battles_with_and_without_questions_are_not_taken_for_the_same(tmp_path):
    rows = [{"model_a": "A", "model_b": "B", "winner": "tie"} for _ in range(5)]
    battles(tmp_path, rows)
    battles(tmp_path, [row | {"question_id": k} for k, row in enumerate(rows)], "more")
    assert load(tmp_path)["block"].nunique() == 10
