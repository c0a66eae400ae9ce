"""Appraise exports of every width: segments, marks, annotators, against the organisers' scores."""

import json

import numpy as np
import pandas as pd
import pytest

import esa
from assessments import excluded
from conftest import needs, real
from companion.legacy.rankcampaigns import appraise, campaigns, formats, segments
from companion.legacy.rankcampaigns.appraise import judged, read_appraise, read_appraise_mqm
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import ranked_systems, select_rows
from companion.legacy.rankstability.score.da import judgment_z
from companion.legacy.rankstability.score.mqm import mqm_scores
from companion.legacy.rankstability.score.scored import from_assessment, from_frame

ESA = [
    'engjpn1,sysA,5,TGT,eng,jpn,90,doc1,False,"[{""start_i"":0,""severity"":""major""}]",1.0,2.0',
    "engjpn1,sysA,5,TGT,eng,jpn,80,doc1#dup,False,[],3.0,4.0",
    "engjpn1,sysB,6,BAD,eng,jpn,10,doc1#bad,False,[],3.0,4.0",
    "engjpn1,sysB,6,BAD,eng,jpn,20,doc1#bad,False,[],4.0,5.0",
    "engjpn1,ende-tutorial1,1,TGT,eng,jpn,0,ende-tutorial1,False,[],1.0,1.0",
    "engjpn1,sysB,6,TGT,eng,jpn,44,doc1,True,[],3.0,4.0",
    "engzho1,refA,5,TGT,eng,zho,99.5,doc1#incomplete,False,[],3.0,4.0",
    "engzho1,refA,5,TGT,eng,zho,50,doc1,False,[],3.0,4.0",
]


def written(folder, lines, name="esa_mine.csv"):
    file = folder / name
    file.write_text("\n".join(lines) + "\n")
    return file


def test_rows_are_marked_and_those_without_a_mark_count(tmp_path):
    da = read_appraise((written(tmp_path, ESA),), "en-ja")
    columns = ["worker", "system", "document", "segment", "type", "score"]
    assert da.good[columns].to_numpy().tolist() == [
        ["engjpn1", "sysA", "doc1", "5", "SYSTEM", 90.0],
        ["engjpn1", "sysB", "doc1", "6", "BAD_REF", 20.0],
    ]
    marks = da.latest["mark"].astype(object).where(da.latest["mark"].notna(), "").tolist()
    assert marks == ["", "duplicate", "superseded", "", "tutorial", "document score"]
    marked = [appraise.WHY[mark] for mark in marks if mark]
    assert excluded(da) == {"other language pairs": 2} | dict.fromkeys(marked, 1)
    assert ranked_systems(da) == ("sysA",)
    one = judgment_z(da)  # 90 and 20: the marked rows are in no worker's mean
    np.testing.assert_allclose(one, [np.sqrt(0.5), -np.sqrt(0.5)])


def test_time_runs_from_the_end_of_the_judgment_before(tmp_path):
    ends = {1: (100.0, 130.0), 2: (135.0, 135.0), 3: (150.0, 150.0), 4: ("", "")}
    rows = [f"u1,sysA,{k},TGT,eng,jpn,90,d,False,[],{a},{b}" for k, (a, b) in ends.items()]
    rows.insert(0, rows.pop(1))  # the file's order does not matter
    rows.append("u2,sysA,1,TGT,eng,jpn,90,d,False,[],500.0,507.0")
    da = read_appraise((written(tmp_path, rows),), "en-ja")
    seconds = da.good.set_index(["worker", "segment"])["time"]
    assert seconds["u1"].sort_index().iloc[:3].tolist() == [30.0, 5.0, 15.0]
    assert np.isnan(seconds["u1"]["4"]) and seconds["u2"].tolist() == [7.0]
    untimed = "(kept, but for the time: a start or end that is not a number)"
    assert untimed not in excluded(da)  # a blank is no wrong time
    rows.append("u4,sysA,1,TGT,eng,jpn,90,d,False,[],0,8.5")  # a clock that starts with the work
    da = read_appraise((written(tmp_path, rows),), "en-ja")
    assert da.good.loc[da.good["worker"] == "u4", "time"].tolist() == [8.5]
    rows += [f"u3,sysA,{k},TGT,eng,jpn,90,d,False,[],{a},9.0" for k, a in enumerate(["x", "inf"])]
    assert excluded(read_appraise((written(tmp_path, rows),), "en-ja"))[untimed] == 2


COMMON = ["u1,A,1,TGT,ces,eng,70", "u1,B,1,TGT,ces,eng,60"]


@pytest.mark.parametrize("batch", ["", ",7,991"])
@pytest.mark.parametrize("more", ["", ",doc,False", ",doc,False,[]"])
def test_every_width_holds_the_same_judgments(tmp_path, more, batch):
    file = written(tmp_path, [f"{line}{more},1.5,2.5{batch}" for line in COMMON], "mine.csv")
    campaign = campaigns.find(file)
    assert campaign.protocol == "DA" and campaign.pairs == ("cs-en",)
    good = campaigns.load_da(campaign, "cs-en").good
    rows = good[["worker", "system", "segment", "score"]].to_numpy().tolist()
    assert rows == [["u1", "A", "1", 70.0], ["u1", "B", "1", 60.0]]
    assert good["document"].isna().all() == (not more)


def test_the_nrc_form_tells_annotator_and_hit_apart(tmp_path):
    parts = ("hit1,X,1,50,False", "hit2,Y,1,60,False", "hit2,Y,2,70,True")
    form = "Ann-A,{},{},{},TGT,eng,iku,{},d1,{},1,2"
    lines = [form.format(*part.split(",")) for part in parts]
    da = read_appraise((written(tmp_path, lines),), "en-iu")
    assert da.good[["worker", "hit"]].to_numpy().tolist() == [["Ann-A", "hit1"], ["Ann-A", "hit2"]]
    assert excluded(da) == {"scores of whole documents (left out)": 1}


def hits(split=False, systems="ABC"):
    """Three systems' output of a document of four segments; itemId counts within the HIT.

    The score of segment k of any system is 10 k. `split`: the last system's in two HITs.
    """
    lines, item = [], 0
    for s, system in enumerate(systems):
        for k in range(1, 5):
            item += 1
            user = f"u{s}" if not (split and system == systems[-1] and k > 2) else "u9"
            lines.append(f"{user},{system},{item},TGT,eng,deu,{10 * k},d#{system},False,[],{k},9")
    return lines


def test_ids_that_count_within_a_hit_never_merge_different_sentences(tmp_path):
    da = read_appraise((written(tmp_path, hits()[::-1]),), "en-de")
    assert da.good.groupby("segment", observed=True)["score"].agg(["nunique", "size"]).to_numpy(
    ).tolist() == [[1, 3]] * 4  # fmt: skip
    da = read_appraise((written(tmp_path, hits(split=True)),), "en-de")
    assert da.good["system"].value_counts().to_dict() == {"A": 4, "B": 4, "C": 0}
    assert excluded(da) == {appraise.WHY["no segment"]: 4}


def test_where_most_rows_have_no_place_the_file_is_refused(tmp_path):
    lines = hits(split=True, systems="AC") + [
        f"v{k},{s},{50 + k},TGT,eng,deu,5,e#{s},False,[],1,2" for k, s in enumerate("AACACC")
    ]
    with pytest.raises(DataError, match=r"segments of 10 of 14 rows .*segments-XX-YY.tsv"):
        read_appraise((written(tmp_path, lines),), "en-de")


def test_ids_that_count_within_a_document_are_the_documents(tmp_path):
    lines = [
        f"u1,{system},{k},TGT,eng,deu,{k},{d},False,[],1,2"
        for d in ("d1", "d2") for system in "AB" for k in (1, 2)
    ]  # fmt: skip
    good = read_appraise((written(tmp_path, lines),), "en-de").good
    assert sorted(good["segment"].unique()) == ["d1_1", "d1_2", "d2_1", "d2_2"]


def chunks(marks=frozenset({""}), systems=("wmt22.A", "wmt22.B")):
    """Four documents of which three have a ``#`` in their names, three segments each."""
    names = ["srf.0#1-12", "srf.0#171-182", "focusnews.1#3", "plain"]
    return [
        f"u1,{system},{item},TGT,sgg,deu,{10 * d + item},{name}{mark},False,{9 * d + item},99"
        for system in systems
        for mark in sorted(marks)
        for d, name in enumerate(names)
        for item in range(3)
    ]


@pytest.mark.parametrize(
    ("mark", "why"),
    [("", ""), ("#bad", ""), ("#bad12", ""), ("#B", ""), ("#wmt22.A#bad3", ""),
     ("#incomplete", "incomplete"), ("#incomplete#bad", "incomplete"),
     ("#dup", "duplicate"), ("#A#duplicate1", "duplicate")],
)  # fmt: skip
def test_only_marks_are_cut_from_the_name_of_a_document(mark, why, tmp_path):
    """As at WMT-SLT22, whose 41 documents were 6, and whose 488 segments were 73."""
    da = read_appraise((written(tmp_path, chunks({"", mark})),), "sgg-de")
    documents = ["focusnews.1#3", "plain", "srf.0#1-12", "srf.0#171-182"]
    assert list(da.latest["document"].cat.categories) == documents
    assert da.good["segment"].nunique() == 12
    assert list(da.good["system"].cat.categories) == ["A", "B"]
    assert da.latest["mark"].dropna().unique().tolist() == ([why] if why else [])


@pytest.mark.parametrize("end", ["#badly", "#duplicate", "#dup2", "#7", "#C", "#incomplete-1"])
def test_what_is_no_mark_is_another_document(end, tmp_path):
    da = read_appraise((written(tmp_path, chunks(("", end))),), "sgg-de")
    assert da.good["document"].nunique() == 8 and da.good["segment"].nunique() == 24
    assert len(da.good) == len(da.latest) == 48


def test_accounts_are_joined_to_people_as_campaign_yaml_says(tmp_path):
    lines = [f"sggdeu0{a}0{k},A,{k},TGT,sgg,deu,5{k},d,False,1,2" for a in "89a" for k in (1, 2)]
    file = written(tmp_path, lines)
    settings = tmp_path / "campaign.yaml"
    settings.write_text("annotator: {Ann: ['sggdeu08*', 'sggdeu09*'], Ben: sggdeu0a*}")
    good = campaigns.load(tmp_path).good
    assert good["worker"].tolist() == ["Ann"] * 4 + ["Ben"] * 2 and good["hit"].nunique() == 6
    settings.write_text("annotator: {Ann: ['sggdeu08*', 'sggdeu09*']}")
    with pytest.raises(DataError, match=r"of no annotator; found 'sggdeu0a01'.*`annotator:`"):
        campaigns.load(tmp_path)
    settings.write_text("annotator: {Ann: sggdeu0*, Ben: sggdeu0a*}")
    with pytest.raises(DataError, match=r"esa_mine\.csv.*several annotators; found 'sggdeu0a01'"):
        campaigns.load(tmp_path)
    file.unlink()
    rows = ["system,segment,annotator,score", "A,1,u1,3", "A,2,u2,4", "B,1,v1,5"]
    written(tmp_path, rows, "table.csv")
    settings.write_text("annotator: {one: 'u*', two: v1}")
    assert campaigns.load(tmp_path).good["worker"].tolist() == ["one", "one", "two"]


def test_an_item_of_two_documents_is_refused_unless_documents_number_their_own(tmp_path):
    rows = [f"u1,{s},{k},TGT,eng,deu,5,d{k},False,[],{k},9" for k in range(1, 7) for s in "AB"]
    rows.append("u2,A,1,TGT,eng,deu,5,d2,False,[],1,9")
    with pytest.raises(DataError, match=r"line 13.*a second document of one segment; found 'd2 fo"):
        read_appraise((written(tmp_path, rows),), "en-de")


def test_a_list_says_segments_and_annotators(tmp_path):
    file = written(tmp_path, hits(split=True))
    rows = [
        f"{4 * s + k}\td#{system}\t{100 + k}\tdoc\tnews"
        for s, system in enumerate("ABC") for k in range(1, 5)
    ]  # fmt: skip
    header = "itemId\tdocId\tsegment\tdocument\tdomain"
    written(tmp_path, [header, *rows], "segments-en-de.tsv")
    written(tmp_path, ["username\tannotator", "u0\tX", "u1\tY", "u2\tX", "u9\tX"], "annotators.tsv")
    campaign = campaigns.find(file)
    good = campaigns.load_da(campaign, "en-de").good
    assert len(good) == 12 and set(good["segment"]) == {"101", "102", "103", "104"}
    assert set(good["domain"]) == {"news"} and set(good["document"]) == {"doc"}
    assert set(good["worker"]) == {"X", "Y"} and good["hit"].nunique() == 4
    before = campaigns.fingerprint(campaign)
    written(tmp_path, ["username\tannotator", "u0\tX", "u1\tY", "u2\tX"], "annotators.tsv")
    assert campaigns.fingerprint(campaign) != before
    with pytest.raises(DataError, match="'username': a username without annotator; found 'u9'"):
        campaigns.load_da(campaign, "en-de")


@pytest.mark.parametrize(
    ("judged", "segments"),
    [((11, 12, 13), "123"), ((13, 14, 15), "345"), ((11, 12, 15), "15"), ((12, 13, 15), "235")],
)
def test_an_id_of_several_segments_is_the_one_between_its_neighbours(tmp_path, judged, segments):
    """Items 12 and 14 are segment 2 or 4 each; accounts judge in the order of items."""
    listed = [
        f"{item}\td#{system}\t{k}\tdoc\tnews"
        for item, ks in {11: "1", 12: "24", 13: "3", 14: "24", 15: "5"}.items()
        for k in ks for system in "AB"
    ]  # fmt: skip
    file = written(
        tmp_path, ["itemId\tdocId\tsegment\tdocument\tdomain", *listed], "segments-en-de.tsv"
    )
    rows = [f"u{s},{s},{k},TGT,eng,deu,5,d#{s},False,[],1,9" for s in "AB" for k in judged]
    da = read_appraise((written(tmp_path, rows), file), "en-de")
    assert sorted(da.good["segment"]) == sorted(2 * segments)
    unplaced = 2 * (len(judged) - len(segments))  # 2 or 4 between 1 and 5
    assert excluded(da) == ({appraise.WHY["no segment"]: unplaced} if unplaced else {})


def test_a_list_of_annotators_names_each_account_as_it_is_and_once(tmp_path):
    file = written(tmp_path, [f"{u},A,1,TGT,sgg,deu,50,d,False,1,2" for u in ("u*", "u[1]", "ub")])
    rows = ["username\tannotator", "u*\tX", "u[1]\tY", "ub\tY", "ub\tY"]  # no patterns
    written(tmp_path, rows, "annotators.tsv")
    assert campaigns.load(file).good["worker"].tolist() == ["X", "Y", "Y"]
    written(tmp_path, [*rows, "ub\tX"], "annotators.tsv")
    with pytest.raises(DataError, match="'username': a username of several annotators; found 'ub'"):
        campaigns.load(file)


def test_wmt23_drops_documents_with_a_bad_item_and_keeps_repeats(tmp_path):
    lines = [
        *(f"u1,A,{k},TGT,eng,deu,50,d1,False,[],{k},2" for k in (1, 2)),
        *(f"u1,B,{k},{'BAD' if k == 2 else 'TGT'},eng,deu,60,d1,False,[],{k},2" for k in (1, 2)),
        "u1,A,1,TGT,eng,deu,40,d1,False,[],0,2",
    ]
    da = read_appraise((written(tmp_path, lines),), "en-de")
    assert sorted(da.good["score"]) == [50, 50, 60, 60]
    assert sorted(select_rows(da, "no document with a bad item").good["score"]) == [40, 50, 50]
    assert len(select_rows(da, "every repeat").good) == 5
    assert len(select_rows(da, "latest complete").good) == 4
    with pytest.raises(DataError, match="unknown selection of rows"):
        select_rows(da, "all")


SPAN = '"[{""severity"":""%s"",""error_type"":[""%s"",""%s""]}]"'
MQM = [
    f"u1,{system},{item},{kind},eng,deu,0,d,False,{spans},1,2"
    for system, item, kind, spans in (
        ("A", 1, "TGT", SPAN % ("major", "Accuracy", "Omission")),
        ("B", 1, "TGT", SPAN % ("minor", "Linguistic conventions", "Punctuation")),
        ("B", 2, "TGT", "[]"),
        ("A", 2, "BAD", "[]"),
        ("A", 2, "TGT", "[]"),
    )
]


def test_each_marked_error_has_a_category_and_severity():
    kinds = [["Accuracy", "Omission"], "Style", "", None, ["Linguistic conventions", "Punctuation"]]
    severities = ["Major", "minor", "minor", "major", "minor"]
    marked = [
        {"error_type": kind, "severity": severity}
        for kind, severity in zip(kinds, severities, strict=True)
    ]
    assert appraise._errors(json.dumps(marked)) == [
        ("Accuracy/Omission", "Major"), ("Style", "Minor"), ("Other", "Minor"), ("Other", "Major"),
        ("Fluency/Punctuation", "Minor"),
    ]  # fmt: skip
    assert appraise._errors("[]") == [("No-error", "No-error")]
    with pytest.raises(DataError, match="unknown severity; found 'worst'") as error:
        appraise._errors('[{"error_type": "Style", "severity": "worst"}]')
    assert error.value.column == "spans"
    for wrong in ("[1]", "{", '[{"severity": "minor"}]'):
        with pytest.raises(DataError, match="not a list of error spans"):
            appraise._errors(wrong)


def test_mqm_is_never_taken_for_error_span_annotation(tmp_path):
    campaign = campaigns.find(written(tmp_path, MQM))
    assert (campaign.protocol, campaign.format) == ("MQM", "appraise-mqm")
    errors = campaigns.load(campaign)
    scores = mqm_scores(errors).set_index(["system", "segment"])["score"]
    assert scores.to_dict() == {("A", 1): 5.0, ("A", 2): 0.0, ("B", 1): 0.1, ("B", 2): 0.0}
    assert errors.attrs["excluded"] == {"control items, type BAD (left out)": 1}
    bad = written(tmp_path, [MQM[0].replace("major", "grave"), *MQM[1:]])
    with pytest.raises(DataError, match="unknown severity; found 'grave'"):
        campaigns.load(bad)


# --- the real files

STUDIES = {
    "240315rc5ESA": "ESA-1", "240520rc6ESA": "ESA-2",
    "240315rc5GEMBA": "ESAAI-1", "240520rc6GEMBA": "ESAAI-2",
}  # fmt: skip


def organisers(name):
    file = real("wmt23-protocols") / "official" / f"en-de.{name}.seg.score.gz"
    scores = pd.read_csv(file, sep="\t", names=["system", "score"], na_values="None")
    scores["segment"] = scores.groupby("system").cumcount().astype(str)
    return scores.dropna().set_index(["system", "segment"])["score"]


def both(ours, name):
    """Our score of each system's output of a segment beside the organisers'."""
    ours.index = pd.MultiIndex.from_tuples([(str(a), str(b)) for a, b in ours.index])
    return pd.concat([ours, organisers(name)], axis=1, keys=["ours", "theirs"], join="outer")


@needs("wmt23-protocols")
@pytest.mark.parametrize("study", STUDIES)
def test_segments_are_the_organisers_with_the_list_and_without(study):
    """All 2,691, also the four rows whose id stands for two segments of one document."""
    folder = real("wmt23-protocols")
    file, listed = folder / f"{study}.scores.csv.gz", folder / "segments-en-de.tsv"
    assert formats.kind_of(file) == "esa"
    da = read_appraise((file, listed, folder / "annotators.tsv"), "en-de")
    good = da.good[da.good["type"] == "SYSTEM"]
    table = both(good.groupby(["system", "segment"], observed=True)["score"].mean(), STUDIES[study])
    assert len(table) == 2691 and (table["ours"] == table["theirs"]).sum() == 2691
    assert appraise.WHY["no segment"] not in excluded(da)
    assert good["worker"].nunique() <= 11 < good["hit"].nunique()
    # without: fewer rows, and none mislabelled
    rows, _ = judged((file,), "en-de")
    rows = rows[rows["mark"].eq("") & rows["type"].eq("SYSTEM")]
    truth = pd.read_csv(listed, sep="\t", dtype=str)
    truth = truth.drop_duplicates(["itemId", "docId"], keep=False)
    told = rows.merge(truth, left_on=["item", "block"], right_on=["itemId", "docId"])
    assert len(told) == len(rows) == 2606
    for one, other in (("segment_x", "segment_y"), ("segment_y", "segment_x")):
        assert (told.groupby(one)[other].nunique() == 1).all()


@needs("wmt23-protocols")
def test_mqm_scores_are_the_organisers():
    """But for two major errors of punctuation, to which the organisers give .1, too."""
    folder = real("wmt23-protocols")
    files = [folder / n for n in ("240315rc5MQM.scores.csv.gz", "segments-en-de.tsv")]
    assert formats.kind_of(files[0]) == "appraise-mqm"
    errors = read_appraise_mqm(tuple(files), "en-de")
    scores = mqm_scores(errors).set_index(["system", "segment"])["score"]
    table = both(-scores, "MQM-1").dropna()
    wrong = table[~np.isclose(table["ours"], table["theirs"])]
    assert len(table) == 2691 and len(wrong) == 2
    np.testing.assert_allclose(wrong["theirs"] - wrong["ours"], 4.9)


@pytest.mark.slow
@needs("wmt24-esa")
def test_wmt24_rows_are_all_accounted_for_and_those_of_the_organisers():
    campaign = campaigns.find("wmt24-esa")
    assert campaign.pairs == ("en-cs", "en-hi", "en-ja", "en-zh")
    for pair, target in (("en-hi", "hin"), ("en-ja", "jpn")):
        da = campaigns.load_da(campaign, pair)
        marked = da.excluded["reason"].isin(list(appraise.WHY.values()))
        assert len(da.good) + da.excluded["rows"][marked].sum() == len(da.latest)
        assert "refA" in ranked_systems(da)
        assert not any("tutorial" in name for name in ranked_systems(da))
        rows = esa.rows((2, 3))
        theirs, ours = from_frame(rows[rows["target"] == target]), from_assessment(da)
        assert ours.systems == theirs.systems
        mine = [ours.segments.index(name) for name in theirs.segments]
        np.testing.assert_array_equal(ours.matrix()[mine], theirs.matrix())
        assert len(ours.score) == len(theirs.score)
        assert set(da.good["domain"].dropna()) == {"literary", "news", "social", "speech"}


@needs("wmt23-protocols")
def test_studies_of_one_campaign_are_found_by_name():
    whole = campaigns.find("wmt23-protocols")
    assert whole.pairs == ("en-de",) and len(whole.files()) == 7
    with pytest.raises(DataError, match=r"holds several studies.*wmt23-protocols\.ESA-1"):
        campaigns.load(whole)
    protocols = [whole.part(name).protocol for name in whole.parts]
    assert protocols == ["DA"] * 4 + ["MQM"]
    mqm = campaigns.find("wmt23-protocols.MQM-1")
    assert mqm.name == "wmt23-protocols.MQM-1" and campaigns.load(mqm)["system"].nunique() == 13
    with pytest.raises(DataError, match="unknown campaign"):
        campaigns.find("wmt23-protocols.ESA-7")
    with pytest.raises(DataError, match="no such study; found 'ESA-7'"):
        whole.part("ESA-7")


@needs("wmt20-iku")
def test_annotators_and_test_sets_of_wmt20_inuktitut():
    sizes = {}
    for part in ("Hansard", "News"):
        campaign = campaigns.find(f"wmt20-iku.{part}")
        good = campaigns.load_da(campaign, "en-iu").good
        sizes[part] = (good["worker"].nunique(), good["hit"].nunique(), good["document"].nunique())
    assert sizes == {"Hansard": (4, 96, 107), "News": (5, 100, 35)}


def test_a_system_is_called_as_in_the_middle_of_its_files_name(tmp_path):
    names = {
        "newstest2022.en-liv.hyp.TartuNLP.v2.liv.txt": "TartuNLP.v2",
        "newstest2022.en-liv.ref.A.liv.txt": "ref.A",
        "wmt24.GPT-4": "GPT-4",
        "Online-B.wmt24": "Online-B.wmt24",
    }
    form = "engliv{},{},5,TGT,eng,liv,90,doc1,False,[],1.0,2.0"
    rows = [form.format(k, name) for k, name in enumerate(names)]
    good = read_appraise((written(tmp_path, rows),), "en-liv").good
    assert good["system"].tolist() == list(names.values())


@pytest.mark.parametrize("header", [False, True])
def test_error_spans_with_a_column_more_are_refused_with_the_widths_there_are(tmp_path, header):
    rows = [f'u1,A,{k},TGT,eng,deu,{k},d1,False,[],1.0,2.0,"x"' for k in range(5)]
    names = "username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,spans,"
    file = tmp_path / "mine.csv"
    rows = [f"{names}timeStart,timeEnd,extra", *rows] if header else rows
    file.write_text("\n".join(rows) + "\n")
    with pytest.raises(DataError, match=r"Appraise has 9, 11 or 12, .* 13 columns"):
        campaigns.find(file)


def rows_of(*cells, mark="", hit="u"):
    """Rows of an export by document, system and item; each document of a system is a block."""
    names = ["document", "system", "item"]
    frame = pd.DataFrame([one.split() for one in cells], columns=names)
    frame["block"] = frame["document"] + "#" + frame["system"]
    return frame.assign(mark=mark, type="SYSTEM", hit=hit)


def test_systems_share_ids_if_one_has_three_quarters_of_those_of_a_document():
    three = [f"d A {k}" for k in "123"]
    assert segments._shared(rows_of(*three, *(f"d B {k}" for k in "234")))  # 3 of 4
    assert not segments._shared(rows_of(*three, *(f"d B {k}" for k in "345")))  # 3 of 5
    alone = [*(f"d A {k}" for k in "12"), *(f"e B {k}" for k in "34")]
    assert segments._shared(rows_of(*alone))  # no document of two systems
    far = [*(f"d A {k}" for k in "12"), *(f"d B {k}" for k in "34"), "e A 5"]
    assert not segments._shared(rows_of(*far))
    rows = rows_of(*far).assign(mark=["", "", "tutorial", "tutorial", ""])
    assert segments._shared(rows)


def test_the_place_in_a_document_is_known_where_one_account_judged_all_of_it():
    cells = [*(f"d A {k}" for k in (3, 1, 2)), *(f"d B {k}" for k in (11, 13, 12)), "d C 21"]
    rows = rows_of(*cells)
    assert segments.places(rows).tolist() == ["d_3", "d_1", "d_2", "d_1", "d_3", "d_2", ""]
    two = rows.assign(hit=[*"uuuuuvw"])  # B by two accounts
    assert segments.places(two).tolist() == ["d_3", "d_1", "d_2", "", "", "", ""]
    marked = rows.assign(mark=["", "", "duplicate", *[""] * 4])
    assert segments.places(marked).tolist() == [""] * 7  # three lengths: most systems have none
    named = rows_of("d A x", "d A 2", "d B 3", "d B 4")
    assert segments.places(named).tolist() == ["", "d_1", "d_1", "d_2"]
    even = rows_of("d A 1", "d A 2", "d B 3")  # no length that most systems have
    assert segments.places(even).tolist() == ["", "", ""]


def test_rows_are_placed_by_item_by_document_and_item_or_by_their_place(tmp_path):
    file = tmp_path / "x.csv"
    bare = rows_of("d A 1", "d B 1").assign(document="")
    assert segments.identify(bare, None, file)["segment"].tolist() == ["1", "1"]
    once = rows_of("d A 1", "d B 1", "e A 2", "e B 2")
    assert segments.identify(once, None, file)["segment"].tolist() == ["1", "1", "2", "2"]
    within = rows_of("d A 1", "d B 1", "e A 1", "e B 1")
    assert segments.identify(within, None, file)["segment"].tolist() == ["d_1", "d_1", "e_1", "e_1"]
    within.loc[3, "mark"] = "tutorial"
    within.loc[2, "document"] = "d"  # of rows without a mark, each id is of one document
    placed = segments.identify(within.drop(index=2), None, file)["segment"].tolist()
    assert placed == ["1", "1", "1"]


def test_half_of_the_rows_may_be_without_a_segment_and_not_more(tmp_path):
    listed = tmp_path / "segments-en-de.tsv"
    listed.write_text("itemId\tdocId\tsegment\n1\td#A\t7\n2\td#A\t8\n")
    rows = rows_of("d A 1", "d A 2", "d A 3", "d A 4")
    found = segments.identify(rows, listed, tmp_path / "x.csv")
    assert found["segment"].tolist() == ["7", "8", "unknown d#A 3", "unknown d#A 4"]
    assert found["mark"].tolist() == ["", "", "no segment", "no segment"]
    more = rows_of("d A 1", "d A 2", "d A 3", "d A 4", "d A 5")
    with pytest.raises(DataError, match="the segments of 3 of 5 rows are unknown") as error:
        segments.identify(more, listed, tmp_path / "x.csv")
    assert error.value.column == "itemId" and str(error.value.file).endswith("segments-en-de.tsv")
    assert error.value.expected.endswith("itemId, docId, segment, document, domain")
    marked = more.assign(mark=["", "", "", "", "duplicate"])
    found = segments.identify(marked, listed, tmp_path / "x.csv")
    assert found["mark"].tolist() == ["", "", "no segment", "no segment", "duplicate"]
    listed.write_text("itemId\tsegment\n1\t7\n")
    with pytest.raises(DataError, match="not a list of segments") as error:
        segments.identify(rows, listed, tmp_path / "x.csv")
    assert error.value.value == "itemId\tsegment"
    assert (error.value.line, error.value.column) == (1, "docId")


@pytest.mark.parametrize(
    ("name", "beside"),
    [("annotators.tsv", True), ("segments-en-de.tsv", True), ("segments-.tsv", False),
     ("my-segments-en-de.tsv", False), ("segments-en-de.csv", False), ("scores.csv", False)],
)  # fmt: skip
def test_lists_beside_an_export_are_known_by_their_names(name, beside, tmp_path):
    assert appraise.companion(tmp_path / name) is beside


@pytest.mark.parametrize(
    ("line", "width"),
    [("u,A,1,TGT,eng,deu,70,1,2", 9), ("u,A,1,TGT,eng,deu,70,1,2,7,9", 11),
     ("u,A,1,TGT,eng,deu,70,d,true,1,2", 11), ("u,A,1,TGT,eng,deu,70,d,no,1,2", 11),
     ("u,A,1,TGT,eng,deu,70,d,False,[],1,2", 12), ("u,A,1,TGT,eng,deu,70,d,False,[],1,2,7,9", 14),
     ("u,A,1,XXX,eng,deu,70,1,2", 0), ("u,A,1,TGT,eng,deu,70,1", 0),
     ("u,A,1,TGT,eng,deu,70,d,False,[],[1],2", 0), ("p,u,A,1,TGT,eng,deu,70,d,False,1,2", 12)],
)  # fmt: skip
def test_the_layout_of_an_export_is_that_of_its_width(line, width):
    assert len(appraise.layout(line)) == width
    row = line.split(",")
    if width or "TGT" not in row[3:5]:
        assert appraise.almost(line) == ""
    else:
        assert appraise.almost(line).endswith(f"with --batch-info; this has {len(row)} columns")
    assert appraise.almost("a,b,c,d,e") == ""


def test_a_time_is_known_for_less_than_thirty_days_and_not_before_its_start():
    account = pd.Series(["u"] * 4)
    start = pd.Series([0.0, 0.0, 5.0, -1.0])
    most = 30 * 24 * 3600
    end = pd.Series([most - 1, most, 4.0, 3.0])
    seconds = appraise._seconds(account, start, end)
    assert seconds.iloc[0] == most - 1 and seconds.iloc[1:].isna().all()
    same = appraise._seconds(account[:1], pd.Series([7.0]), pd.Series([7.0]))
    assert same.tolist() == [0.0]


@pytest.mark.parametrize(
    ("block", "systems", "apart"),
    [("d#A#bad1", {"A"}, ("d", "#A#bad1")), ("d", {"d"}, ("d", "")), ("#A", {"A"}, ("", "#A")),
     ("d#1#A", {"A"}, ("d#1", "#A")), ("d#A#1", {"A"}, ("d#A#1", "")), ("bad", {"A"}, ("bad", ""))],
)  # fmt: skip
def test_marks_stand_at_the_end_of_a_document_id(block, systems, apart):
    assert appraise._apart(block, systems) == apart


def test_accounts_may_be_fewer_people_unless_something_says_so(tmp_path):
    lines = [f"engdeu5a0{k},A,{k},TGT,eng,deu,5{k},d,False,1,2" for k in range(3)]
    file = written(tmp_path, lines)
    (row,) = appraise.reading((file,)).to_dict("records")
    assert row["what"] == "accounts" and row["value"].startswith("3 accounts may be fewer people")
    assert (row["file"], row["said by"]) == ("all", "their names")
    assert appraise.reading((file,), {"A": ["*"]}).empty
    beside = written(tmp_path, ["username\tannotator", "x\ty"], "annotators.tsv")
    assert appraise.reading((file, beside)).empty
    nrc = written(tmp_path, [f"Ann,{line}" for line in lines], "nrc.csv")
    assert appraise.reading((nrc,)).empty and len(appraise.reading((nrc, file))) == 1


def test_a_list_of_annotators_needs_its_header(tmp_path):
    file = written(tmp_path, ESA[:1])
    beside = written(tmp_path, ["username\twho", "engjpn1\tAnn"], "annotators.tsv")
    with pytest.raises(DataError, match="not a list of annotators") as error:
        read_appraise((file, beside), "en-ja")
    assert error.value.line == 1 and error.value.value == "username\twho"


def test_no_export_and_no_rows_of_a_pair_are_refused(tmp_path):
    with pytest.raises(DataError, match="not an export of Appraise") as error:
        appraise.export(written(tmp_path, ["x" * 99]))
    assert (error.value.line, error.value.value) == (1, "x" * 80)
    file = written(tmp_path, ESA)
    with pytest.raises(DataError, match="found 'en-de'; expected one of en-ja, en-zh"):
        read_appraise((file,), "en-de")
    beside = written(tmp_path, ["username\tannotator", "x\ty"], "annotators.tsv")
    with pytest.raises(DataError, match="no rows for the language pair; found 'en-de'"):
        read_appraise((beside,), "en-de")
    header = "username,system,itemId,itemType,srcLang,trgLang,score,timeStart,timeEnd"
    with pytest.raises(DataError, match="no rows; expected judgments"):
        appraise.export(written(tmp_path, [header], "bare.csv"))


def test_of_marks_the_first_that_fits_is_given():
    names = ["tutorial1", "d", "d", "d", "d", "d", "d"]
    marks = ["#dup", "#incomplete#dup", "#dup", "#duplicate12", "#bad", "", "#incompletes"]
    rows = pd.DataFrame({"block": names, "marks": marks, "system": "A", "hit": "u", "item": "1"})
    rows = rows.assign(whole=[False] * 5 + [True, False], start=range(7), type="SYSTEM")
    rows["item"] = [str(k) for k in range(7)]
    assert appraise._marks(rows).tolist() == [
        "tutorial", "incomplete", "duplicate", "duplicate", "", "document score", "",
    ]  # fmt: skip
    again = rows.assign(
        marks="", block="d", item="1", whole=False, start=[3, 1, 9, 2, 9, np.nan, 0]
    )
    expected = ["superseded"] * 4 + [""] + ["superseded"] * 2  # of equal times the later row
    assert appraise._marks(again).tolist() == expected
    systems = rows.assign(marks="", block="d", whole=False, system=["x-tutorial", *"ABCDEF"])
    assert appraise._marks(systems).tolist() == ["tutorial", *[""] * 6]


def test_segments_of_mqm_are_numbered_by_name_where_they_have_no_numbers(tmp_path):
    rows = [
        f"u1,{system},{item},TGT,eng,deu,0,{document},False,{spans},1,2"
        for document in ("e", "d")
        for system in "AB"
        for item, spans in ((1, SPAN % ("major", "Style", "x")), (2, "[]"))
    ]
    errors = read_appraise_mqm((written(tmp_path, rows),), "en-de")
    found = errors.drop_duplicates(["document", "segment"])
    assert found[["document", "segment", "doc_segment"]].to_numpy().tolist() == [
        ["e", 2, 1], ["e", 3, 2], ["d", 0, 1], ["d", 1, 2],
    ]  # fmt: skip
    assert errors["severity"].tolist().count("Major") == 4


def test_exports_are_mqm_if_all_scores_are_0_and_a_span_names_an_error(tmp_path):
    for name, lines, is_mqm in (
        ("a.csv", MQM, True), ("b.csv", [MQM[2]], False), ("c.csv", ESA[:1], False),
        ("d.csv", [MQM[0].replace(",0,d", ",1,d")], False), ("e.csv", ["x,y"], False),
        ("f.csv", [MQM[2].replace(",0,d", ",0,d", 1), MQM[0]], True),
    ):  # fmt: skip
        assert bool(appraise.is_mqm(written(tmp_path, lines, name))) is is_mqm


def test_exports_with_fewer_than_five_different_judgments_may_be_alike(tmp_path):
    def rows(account, kinds):
        return [f"{account},A,{k},TGT,eng,deu,{50 + k % kinds},d,False,[],1,2" for k in range(24)]

    for kinds, refused in ((4, False), (5, True)):
        files = tuple(written(tmp_path, rows(who, kinds), f"{who}.csv") for who in ("u1", "u2"))
        if refused:
            with pytest.raises(DataError, match="the same rows in two files"):
                read_appraise(files, "en-de")
        else:
            assert len(read_appraise(files, "en-de").good) == 48
    few = tuple(written(tmp_path, rows(who, 9)[:19], f"{who}.csv") for who in ("u1", "u2"))
    assert len(read_appraise(few, "en-de").good) == 38
    just = tuple(written(tmp_path, rows(who, 9)[:20], f"{who}.csv") for who in ("u1", "u2"))
    with pytest.raises(DataError, match="the same rows in two files"):
        read_appraise(just, "en-de")


def test_rows_of_several_exports_and_pairs_are_marked_where_they_are(tmp_path):
    form = "{},A,{},TGT,eng,{},{},d{},False,[],{},9000"
    first = [form.format("u1", k, "deu", 10 + k, k, k) for k in (1, 2)]
    cells = [(1, "ces", 5, 1, 1), (2, "deu", 20, 2, 7), (2, "deu", 30, 2, 3), (1, "deu", 40, 1, 9)]
    second = [form.format("u2", *row) for row in cells]
    files = (written(tmp_path, first, "a.csv"), written(tmp_path, second, "b.csv"))
    da = read_appraise(files, "en-de")
    assert da.good["score"].tolist() == [11, 12, 20, 40]
    assert da.latest["score"].tolist() == [11, 12, 20, 30, 40]
    marks = da.latest["mark"].astype(object)
    assert marks.where(marks.notna(), "").tolist() == ["", "", "", "superseded", ""]
