"""Single scores as released: Pearmut's logs, the JSON of WMT24 and WMT25, files of MTME."""

import json

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

from assessments import excluded, json_lines
from companion.legacy.rankcampaigns import campaigns, releases
from companion.legacy.rankstability import find, load, rank_systems, segment_scores
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.score.scored import scored
from companion.legacy.rankstability.score.screening import screening

# ------------------------------------------------------------------ Pearmut


def said(user, item, scores, ids=("news_###_d1_###_0", "news_###_d1_###_1")):
    """A line: `scores` per item, each a mapping from model to score."""
    spans = [{"start_i": 0, "end_i": 3, "category": "Fluency", "severity": "minor"}]
    annotation = [
        {m: {"score": s, "error_spans": spans, "textfield": ""} for m, s in one.items()}
        for one in scores
    ]
    items = [{"item_id": i, "src": "Ahoj.", "tgt": {m: "Hi." for m in scores[0]}} for i in ids]
    return {
        "user_id": user, "item_i": item, "annotation": annotation, "item": items,
        "actions": [{"time": 1.5, "action": "load"}], "validations": {},
    }  # fmt: skip


def reset(user):
    return {"user_id": user, "item_i": 0, "annotation": "__RESET__", "item": []}


PEARMUT = [
    said("u", 0, [{"A": 10, "B": 90}, {"A": 11, "B": 91}]),
    said("v", 0, [{"A": 50, "B": 60}, {"A": 51, "B": 61}]),
    reset("u"),
    said("u", 0, [{"A": 80, "B": 40}, {"A": 81, "B": None}]),
    said("u", 0, [{"A": 85, "B": 40}, {"A": 81, "B": None}]),  # again: the later counts
    said("u", "welcome_0", [{"A": 1, "B": 2}], ["x_#_tutorial_#_1"]),
    said("v", "random_4", [{"A": 3, "B": 4}], ["attention_check_1"]),
    said("v", "random_5", [{"A": 70, "B": 71}], ["news_###_d2_###_0"]),
]


def test_pearmut_a_reset_takes_back_the_users_own_lines(tmp_path):
    campaign = campaigns.find(json_lines(tmp_path / "esa_en-cs.jsonl", PEARMUT))
    assert (campaign.format, campaign.pairs) == ("pearmut", ("en-cs",))
    da = load(campaign)
    rows = set(zip(da.good.worker, da.good.system, da.good.segment, da.good.score, strict=True))
    assert rows == {
        ("u", "A", "news_###_d1_###_0", 85.0), ("u", "B", "news_###_d1_###_0", 40.0),
        ("u", "A", "news_###_d1_###_1", 81.0),
        ("v", "A", "news_###_d1_###_0", 50.0), ("v", "B", "news_###_d1_###_0", 60.0),
        ("v", "A", "news_###_d1_###_1", 51.0), ("v", "B", "news_###_d1_###_1", 61.0),
        ("v", "A", "news_###_d2_###_0", 70.0), ("v", "B", "news_###_d2_###_0", 71.0),
    }  # fmt: skip
    assert set(da.good.domain) == {"news"}
    assert set(da.good.document) == {"news_###_d1", "news_###_d2"}
    counts = excluded(da)
    assert counts["before a reset (left out)"] == 4 and counts["no score (left out)"] == 1
    assert counts["said again later (left out)"] == 4
    assert counts["tutorials (left out)"] == 2 and counts["attention checks (left out)"] == 2


def test_the_time_on_a_page_of_pearmut_is_shared_by_the_outputs_scored_there(tmp_path):
    line = said("u", 0, [{"A": 10, "B": 90}, {"A": 11, "B": 91}])
    line["actions"] = [{"time": 100.0, "action": "load"}, {"time": 140.0, "action": "submit"}]
    other = said("v", 0, [{"A": 1, "B": 2}, {"A": 3, "B": 4}])  # only one action is logged
    da = load(campaigns.find(json_lines(tmp_path / "esa_en-cs.jsonl", [line, other])))
    assert set(da.good.loc[da.good["worker"] == "u", "time"]) == {10.0}
    assert da.good.loc[da.good["worker"] == "v", "time"].isna().all()


def test_the_users_of_pearmut_are_screened_by_their_pages(tmp_path):
    """Four users judge three pages of two segments; one turns every difference round."""
    rng, rows = np.random.default_rng(0), []
    for user in "uvwx":
        for page in range(3):
            best, worst = 80.0 + rng.integers(5, size=2), 20.0 + rng.integers(5, size=2)
            one, two = (worst, best) if user == "x" else (best, worst)
            scores = [{"A": a, "B": b} for a, b in zip(one, two, strict=True)]
            ids = [f"news_###_d{page // 2}_###_{page}-{k}" for k in range(2)]
            rows.append(said(user, page, scores, ids))
    da = load(campaigns.find(json_lines(tmp_path / "esa_en-cs.jsonl", rows)))
    table = screening(scored(da))
    assert table["lines"].tolist() == [3] * 4 and table["removed"].tolist() == [0, 0, 0, 1]
    assert rank_systems(da, recipe="wmt26").table["score"].iloc[0] > 80
    two_pages = [row for row in rows if row["item_i"] < 2]  # of one document: unchecked
    table = screening(
        scored(load(campaigns.find(json_lines(tmp_path / "x_en-cs.jsonl", two_pages))))
    )
    assert table["lines"].tolist() == [2] * 4 and not table["removed"].any()


@pytest.mark.parametrize("time", [10**400, -(10**400), 1e308, float("nan"), True, "5", None])
def test_a_time_of_pearmut_that_cannot_be_one_is_none(tmp_path, time):
    line = said("u", 0, [{"A": 10, "B": 90}, {"A": 11, "B": 91}])
    line["actions"] = [{"time": t, "action": "x"} for t in (100.0, time, 140.0)]
    da = load(campaigns.find(json_lines(tmp_path / "esa_en-cs.jsonl", [line])))
    assert set(da.good["time"]) == {10.0}


def test_pearmut_annotations_of_several_campaigns(tmp_path):
    whole = {"wmt26_#_en-cs_CZ": PEARMUT, "wmt26_#_cs-de_DE": PEARMUT[1:2]}
    for indent in (None, 1):
        (tmp_path / "annotations.json").write_text(json.dumps(whole, indent=indent))
        campaign = campaigns.find(tmp_path / "annotations.json")
        assert campaign.pairs == ("cs-de_DE", "en-cs_CZ")
        assert len(load(campaign, "cs-de_DE").good) == 4
        assert len(load(campaign, "en-cs_CZ").good) == 9


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"item_i": "tea_1"}, r"line 2, column 'item_i': not an item number; found 'tea_1'"),
        ({"annotation": [{}]}, r"line 2: annotations and items differ in number; found 1"),
        ({"annotation": [[], []]}, r"line 2, column 'annotation': not of the right kind"),
        ({"item": [{"src": "x"}] * 2}, r"line 2: no field item_id"),
        ({"user_id": ""}, r"line 2, column 'annotator': empty id"),
    ],
)
def test_pearmut_refuses_what_is_half_right(tmp_path, change, words):
    file = json_lines(tmp_path / "x.jsonl", [PEARMUT[0], {**PEARMUT[1], **change}])
    with pytest.raises(DataError, match=words):
        load(file)
    with file.open("a") as stream:
        stream.write('{"user_id": "w", "item_i": 1,\n')
    with pytest.raises(DataError, match=r"x\.jsonl, line [23]"):
        load(file)


# ------------------------------------------------------------------ WMT24, WMT25


def wmt24(system, line, score, who="engces1", pair="en-cs"):
    return {
        "langs": pair, "line_id": line, "src": "Hi", "tgt": "Ahoj", "doc_id": f"d{line // 2}",
        "domain": "news", "esa_spans": [], "esa_score": score, "times": [1, 2],
        "system": system, "annotator": who, "speech_info": None,
    }  # fmt: skip


def test_wmt24(tmp_path):
    rows = [wmt24(s, k, 50 + k + 5 * (s == "A")) for s in "AB" for k in range(4)]
    rows += [wmt24("A", 9, None), wmt24("A", 0, 10, pair="en-de")]
    campaign = campaigns.find(json_lines(tmp_path / "wmt24_esa.jsonl", rows))
    assert (campaign.format, campaign.pairs) == ("wmt24", ("en-cs", "en-de"))
    da = load(campaign, "en-cs")
    assert len(da.good) == 8 and da.scale == (0, 100) and set(da.good.document) == {"d0", "d1"}
    assert excluded(da)["no score (left out)"] == 1
    assert excluded(da)["other language pairs"] == 1
    assert rank_systems(segment_scores(da)).systems == ("A", "B")
    del rows[3]["annotator"]
    with pytest.raises(DataError, match=r"line 4: no field annotator"):
        load(json_lines(tmp_path / "wmt24_esa.jsonl", rows), "en-cs")


def wmt25(segment, **scores):
    marks = {
        system: {"human1": a, "errors1": [], "annotator1": "a1",
                 "human2": b, "errors2": [], "annotator2": "a2"}
        for system, (a, b) in scores.items()
    }  # fmt: skip
    return {
        "doc_id": f"en-cs_CZ_#_news_#_doc1_#_{segment}", "src_text": "Hi",
        "tgt_text": dict.fromkeys(scores, "Ahoj"), "scores": marks,
    }  # fmt: skip


def test_wmt25_two_annotations_are_two_judgments(tmp_path):
    rows = [wmt25(0, A=(80, 70), B=(60, None)), wmt25(1, A=(90, 75), B=(65, 66))]
    campaign = campaigns.find(json_lines(tmp_path / "wmt25-genmt-humeval.jsonl", rows))
    assert (campaign.format, campaign.pairs) == ("wmt25", ("en-cs_CZ",))
    da = load(campaign)
    good = da.good
    rows_of_a = good[good.system == "A"]
    assert sorted(zip(rows_of_a.worker, rows_of_a.hit, rows_of_a.score, strict=True)) == [
        *(("a1", "human1", 80), ("a1", "human1", 90), ("a2", "human2", 70), ("a2", "human2", 75))
    ]
    assert len(good) == 7 and excluded(da)["no score (left out)"] == 1
    assert set(good.document) == {"news_#_doc1"}
    rows[1]["doc_id"] = "doc1_#_1"
    with pytest.raises(DataError, match=r"line 2, column 'doc_id': not an id of WMT25"):
        load(json_lines(tmp_path / "wmt25-genmt-humeval.jsonl", rows))


def known_scale(form, stray, count=1):
    """Lines of a format whose scale is known, with `stray` among scores of 10 to 29."""
    scores = [10 + k % 20 for k in range(240)]
    scores[100 : 100 + count] = [stray] * count
    if form == "pearmut":
        ids = "news_###_d1_###_{}"
        return [said("u", k, [{"A": s, "B": 20}], [ids.format(k)]) for k, s in enumerate(scores)]
    if form == "wmt24":
        return [wmt24("AB"[k % 2], k, s) for k, s in enumerate(scores)]
    return [wmt25(k, A=(s, 20), B=(15, 30)) for k, s in enumerate(scores)]


@pytest.mark.parametrize("form", ["pearmut", "wmt24", "wmt25"])
def test_formats_of_0_to_100_refuse_what_is_outside(tmp_path, form):
    file = json_lines(tmp_path / "x_en-cs.jsonl", known_scale(form, 100))
    assert load(file).scale == (0, 100)
    assert campaigns.find(file).reading.set_index("what")["said by"]["scale"] == "the format"
    assert "(kept: scale 0 to 100, from the format)" in excluded(load(file))
    for stray, count in ((999, 1), (101, 1), (100.5, 3), (-1, 1), (-99, 30)):
        json_lines(file, known_scale(form, stray, count))
        wanted = rf"x_en-cs\.jsonl, line 101, .*'{stray}'; expected a number, 0 to 100"
        with pytest.raises(DataError, match=wanted):
            load(file)
    (tmp_path / "campaign.yaml").write_text("scale: [-99, 100]\n")
    assert load(file).scale == (-99, 100)


def test_scores_of_wmt25_s_mqm_form_are_at_most_0_without_bound(tmp_path):
    rows = [wmt25(k, A=(-k, 0), B=(0, -0.1)) for k in range(40)]
    file = json_lines(tmp_path / "wmt25-genmt-humevalMQM.jsonl", rows)
    rows[3] = wmt25(3, A=(-180.1, 0), B=(0, None))
    assert load(json_lines(file, rows)).scale == (-180.1, 0)
    rows[5] = wmt25(5, A=(5, 0), B=(0, None))
    with pytest.raises(DataError, match=r"line 6, .*'5'; expected a number, -180.1 to 0"):
        load(json_lines(file, rows))


def test_the_two_forms_of_wmt25_beside_one_another_keep_their_scales(tmp_path):
    esa = [wmt25(k, A=(80, 90), B=(60, 100)) for k in range(20)]
    penalties = [wmt25(k, A=(-k, 0), B=(-1, -0.1)) for k in range(20)]
    for row in penalties:
        row["doc_id"] = row["doc_id"].replace("en-cs_CZ", "ja-zh_CN")
    json_lines(tmp_path / "wmt25-genmt-humeval.jsonl", esa)
    json_lines(tmp_path / "wmt25-genmt-humevalMQM.jsonl", penalties)
    campaign = campaigns.find(tmp_path)
    assert [load(campaign, pair).scale for pair in campaign.pairs] == [(0, 100), (-19, 0)]
    scales = campaign.reading.query("what == 'scale'")
    assert scales["value"].tolist() == ["0 to 100", "-19 to 0"]
    assert scales["file"].tolist() == [file.name for file in campaign.files()]
    for row in penalties:
        row["doc_id"] = row["doc_id"].replace("ja-zh_CN", "en-cs_CZ")
    json_lines(tmp_path / "wmt25-genmt-humevalMQM.jsonl", penalties)
    with pytest.raises(DataError, match="scores of two kinds for one pair"):
        load(campaigns.find(tmp_path))


def final(draft):
    """A line of the drafts as the final form has it."""
    scores = {
        system: [
            {"score": said[f"human{k}"], "annotator": said[f"annotator{k}"], "times": [1.5, 9.25],
             "errors": [{"start_i": 0, "end_i": 2, "severity": "minor"}]}
            for k in (1, 2)
        ]
        for system, said in draft["scores"].items()
    }  # fmt: skip
    return {**draft, "scores": scores, "video": "clip.mp4"}


def test_the_final_form_of_wmt25_holds_what_the_drafts_do(tmp_path):
    rows = [wmt25(k, A=(80 + k, 70), B=(60, None), C=(float("nan"), 0)) for k in range(3)]
    draft = load(json_lines(tmp_path / "wmt25-draft.jsonl", rows))
    rows = [final(row) for row in rows]
    told = load(json_lines(tmp_path / "wmt25-final.jsonl", rows))
    assert_frame_equal(told.good, draft.good)
    assert len(told.good) == 12 and excluded(told)["no score (left out)"] == 6
    rows[1]["scores"]["A"].pop()
    told = load(json_lines(tmp_path / "wmt25-final.jsonl", rows))
    assert excluded(told)["no such annotation of the system (left out)"] == 1
    assert len(told.good) == 11
    for wrong, words in (
        ([{"annotator": "a1"}], "no field score; found 'annotator'"),
        ([80, 70], r"column 'scores.A': not of the right kind; found '80'; expected an object"),
        (80, r"column 'scores.A': not of the right kind; found '80'"),
    ):
        rows[1]["scores"]["A"] = wrong
        with pytest.raises(DataError, match=rf"line 2.*{words}"):
            load(json_lines(tmp_path / "wmt25-final.jsonl", rows))


# ------------------------------------------------------------------ MTME


def mtme(folder, name="en-de.mqm", rows=None):
    rows = rows or [f"{s}\t{v}" for s, vs in {"A": (-1, "None", 0), "B": (-5, -2, -7.5)}.items()
                    for v in vs]  # fmt: skip
    for part in ("human-scores", "documents"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "human-scores" / f"{name}.seg.score").write_text("\n".join(rows) + "\n")
    (folder / "documents" / "en-de.docs").write_text("news\td1\nnews\td1\ntalk\td2\n")
    return folder


def test_mtme_a_folder_or_a_file(tmp_path):
    folder = mtme(tmp_path / "wmt23")
    for path in (folder, folder / "human-scores" / "en-de.mqm.seg.score"):
        campaign = campaigns.find(path)
        assert (campaign.format, campaign.pairs, campaign.workers) == ("mtme", ("en-de",), False)
        frame = load(campaign)
        assert frame.set_index(["system", "segment"])["raw"].to_dict() == {
            ("A", "1"): -1, ("A", "3"): 0, ("B", "1"): -5, ("B", "2"): -2, ("B", "3"): -7.5,
        }  # fmt: skip
        assert frame["document"].tolist() == ["d1", "d2", "d1", "d1", "d2"]
        assert excluded(frame)["no score (left out)"] == 1
        assert rank_systems(segment_scores(frame)).systems == ("A", "B")


@pytest.mark.parametrize("header", ["", "domain\tdocument\n", "document\tdomain\n"])
def test_mtme_documents_are_in_the_column_that_a_header_names(tmp_path, header):
    for folder in ("human-scores", "documents"):
        (tmp_path / folder).mkdir()
    file = tmp_path / "human-scores" / "en-de.mqm.seg.score"
    file.write_text("".join(f"{system}\t{-k}\n" for system in "AB" for k in range(4)))
    rows = [("news", "n1"), ("news", "n1"), ("talk", "t1"), ("talk", "t2")]
    swapped = header.startswith("document")
    lines = "".join("\t".join(row[::-1] if swapped else row) + "\n" for row in rows)
    (tmp_path / "documents" / "en-de.docs").write_text(header + lines)
    frame = campaigns.load(file)
    told = frame[frame["system"] == "A"].sort_values("segment")
    assert told["document"].tolist() == [document for _, document in rows]


def test_mtme_refusals(tmp_path):
    folder = mtme(tmp_path / "a", rows=["A\t1", "A\t2", "B\t1"])
    with pytest.raises(DataError, match="systems differ in the number of lines"):
        load(folder)
    mtme(folder, rows=["A\t1", "B\t1"])
    with pytest.raises(DataError, match=r"en-de\.docs: documents and scores differ.*found 3"):
        load(mtme(tmp_path / "b", rows=["A\t1", "B\t1"]))
    both = mtme(tmp_path / "c")
    mtme(both, "en-de.da")
    with pytest.raises(DataError, match="several kinds of scores for one language pair"):
        load(both)
    (both / "campaign.yaml").write_text("files: [en-de.mqm.seg.score]\n")
    assert len(load(both)) == 5
    with pytest.raises(DataError, match=r"line 2, column 'score': not a number; found 'x'"):
        load(mtme(tmp_path / "d", rows=["A\t1", "A\tx", "A\t1", "B\t1", "B\t1", "B\t1"]))


def page(number, marks, ids=("0", "1"), user="u", src="text", models="AB"):
    """A page of Pearmut on which each of `ids` was shown of all `models`."""
    items = [
        {"item_id": i, "src": f"{src} {i} {number}" if src else "", "tgt": {m: "x" for m in models}}
        for i in ids
    ]
    given = [{m: {"score": s} for m, s in one.items()} for one in marks]
    return json.dumps({"user_id": user, "item_i": number, "annotation": given, "item": items})


def written(folder, *lines):
    file = folder / "log-en-cs.jsonl"
    file.write_text("\n".join(lines) + "\n")
    return file


def reasons(judged):
    return dict(judged.excluded[["reason", "rows"]].to_numpy())


def test_outputs_of_pearmut_that_were_shown_but_not_judged_are_counted(tmp_path):
    partly = page(1, [{"A": 10, "B": 20}, {}])
    without = page(2, [{"A": 30}, {"A": 40}])
    judged = load(find(written(tmp_path, partly, without)))
    assert len(judged.good) == 4
    assert reasons(judged)["outputs shown but not judged (left out)"] == 4


def test_items_of_pearmut_numbered_within_pages_are_segments_of_their_own(tmp_path):
    pages = [page(k, [{"A": 10 + k, "B": 20}, {"A": 30, "B": 40}]) for k in range(4)]
    judged = load(find(written(tmp_path, *pages)))
    assert len(judged.good) == 16
    assert judged.good["segment"].nunique() == 8
    told = "(kept: items of one id but several sources, as segments of their own)"
    assert reasons(judged)[told] == 16
    again = load(find(written(tmp_path, pages[0], page(0, [{"A": 99, "B": 20}, {"A": 3, "B": 4}]))))
    assert reasons(again)["said again later (left out)"] == 4
    assert again.good["segment"].nunique() == 2


def test_an_id_of_pearmut_on_two_pages_without_sources_is_refused(tmp_path):
    pages = [page(k, [{"A": 10 + k, "B": 20}, {"A": 30, "B": 40}], src="") for k in range(2)]
    with pytest.raises(DataError, match=r"line 2, column 'item_id': an item_id of two items"):
        load(find(written(tmp_path, *pages)))


def line25(scores, texts="AB", k=0):
    outputs = {name: f"text of {name}" for name in texts}
    about = {"doc_id": f"en-cs_CZ_#_news_#_d_#_{k}", "src_text": "x"}
    return json.dumps({**about, "tgt_text": outputs, "scores": scores})


def test_what_lines_of_wmt25_lack_or_have_more_of_is_counted(tmp_path):
    two = [{"score": 5, "annotator": "a"}, {"score": 6, "annotator": "b"}]
    third = [*two, {"score": 7, "annotator": "c"}]
    draft = {f"human{k}": 10 * k for k in (1, 2, 3)} | {f"annotator{k}": f"d{k}" for k in (1, 2, 3)}
    lines = [line25({"A": two, "B": third}), line25({"A": two}, k=1), line25({}, k=2)]
    judged = load(find(written(tmp_path, *lines, line25({"A": draft, "B": two}, k=3))))
    assert reasons(judged)["outputs without any annotation (left out)"] == 3
    assert reasons(judged)["(kept: a third annotation of a system, or a later one)"] == 2
    assert "d3" in set(judged.good["worker"])


def test_an_annotator_of_wmt25_that_is_null_is_refused(tmp_path):
    two = [{"score": 5, "annotator": None}, {"score": 6, "annotator": "b"}]
    with pytest.raises(DataError, match=r"line 1, column 'annotator': empty id"):
        load(find(written(tmp_path, line25({"A": two, "B": two}))))


def test_a_reset_takes_back_what_stands_before_it_alone(tmp_path):
    marks = [{"A": 1, "B": 2}, {"A": 3, "B": 4}]
    lines = [page(0, marks), page(0, marks, user="v"), json.dumps(reset("u"))]
    lines += [page(1, marks[::-1]), json.dumps(reset("w"))]
    judged = load(find(written(tmp_path, *lines)))
    assert (
        judged.good["worker"].tolist().count("u") == 4 == judged.good["worker"].tolist().count("v")
    )
    counts = reasons(judged)
    assert (counts["before a reset (left out)"], counts["lines of a reset"]) == (4, 2)
    assert load(find(written(tmp_path, lines[0], lines[2], lines[2], lines[3]))).good.shape[0] == 4


def test_lines_of_pearmut_without_an_annotation_and_other_items_are_counted(tmp_path):
    empty = {"user_id": "u", "item_i": 3, "item": []}
    lines = [page(0, [{"A": 1, "B": 2}, {"A": 3, "B": 4}])]
    lines += [json.dumps(empty | {"annotation": none}) for none in (None, [], "")]
    lines += [page(f"{kind}_{k}", [{"A": k, "B": 2}], [f"{kind}{k}"]) for k, kind in
              enumerate(("welcome", "random", "random", "goodbye"))]  # fmt: skip
    judged = load(find(written(tmp_path, *lines)))
    counts = reasons(judged)
    assert counts["lines without an annotation (left out)"] == 3 and len(judged.good) == 12
    assert (
        counts["(kept: lines of random items)"] == 2
        and counts["(kept: lines of welcome items)"] == 1
    )


def test_the_second_source_of_an_id_is_numbered(tmp_path):
    lines = [page(k, [{"A": 10 + k, "B": 20}, {"A": 30, "B": 40}]) for k in range(3)]
    once = page(9, [{"A": 1, "B": 2}], ["z"])
    good = load(find(written(tmp_path, *lines, once))).good
    names = [name.rpartition(":")[2] for name in good["segment"].unique()]
    assert sorted(names) == ["0", "0 (2)", "0 (3)", "1", "1 (2)", "1 (3)", "z"]
    told = "(kept: items of one id but several sources, as segments of their own)"
    assert reasons(load(find(tmp_path / "log-en-cs.jsonl")))[told] == 12


def test_an_object_of_campaigns_holds_lists_of_lines(tmp_path):
    file = tmp_path / "annotations.json"
    whole = {"x_en-cs": [PEARMUT[1]], "de-en": [PEARMUT[1], 5]}
    file.write_text(json.dumps(whole, indent=1))
    with pytest.raises(DataError, match="not a JSON object") as error:
        load(file, "en-cs")
    assert error.value.line == 2
    whole["de-en"].pop()
    file.write_text(json.dumps(whole))
    assert find(file).pairs == ("de-en", "en-cs")
    file.write_text(json.dumps({"mine": [PEARMUT[1]]}))
    assert find(file).pairs == ("xx-yy",)


def test_domains_and_documents_of_pearmut_are_in_ids_of_three_parts(tmp_path):
    lines = [page(0, [{"A": 1, "B": 2}] * 2, ["news_###_d1_###_0", "news_###_d1"]),
             page(1, [{"A": 3, "B": 4}], ["talk_###_d2_###_1"])]  # fmt: skip
    good = load(find(written(tmp_path, *lines))).good
    rows = good.drop_duplicates(["segment"])[["segment", "document", "domain"]].astype(object)
    assert rows.where(rows.notna(), None).to_numpy().tolist() == [
        ["news_###_d1_###_0", "news_###_d1", "news"],
        ["news_###_d1", "news_###_d1_###_0", None],
        ["talk_###_d2_###_1", "talk_###_d2", "talk"],
    ]


@pytest.mark.parametrize(
    ("times", "seconds"),
    [((1, 5), {"time": 2.0}), ((5, 3, 9), {"time": 3.0}), ((5,), {}), ((), {}), ((0, 1e15), {}),
     ((0, 9e14), {"time": 4.5e14}), ((True, 5), {}), ((-1e15, 1, 2), {"time": 0.5})],
)  # fmt: skip
def test_seconds_on_a_page_are_those_between_the_first_and_last_action(times, seconds):
    actions = [{"time": time} for time in times]
    assert releases._seconds([*actions, "x", {}], 2) == seconds
    assert releases._seconds(actions, 0) == {} == releases._seconds({"time": 1}, 2)


@pytest.mark.parametrize(
    ("name", "pair"),
    [("", {}), ("wmt26_#_en-cs_CZ", {"pair": "en-cs_CZ"}), ("mine en-de", {"pair": "en-de"}),
     ("mine", {"pair": "xx-yy"}), ("de-en", {"pair": "de-en"})],
)  # fmt: skip
def test_the_pair_of_a_campaign_of_pearmut_is_in_its_name(name, pair):
    assert releases._pair_of(name) == pair


def test_annotations_of_a_system_are_numbered_passes():
    listed = releases._passes([{"score": 1}, {"score": 2}], "scores.A")
    assert listed == {"human1": {"score": 1}, "human2": {"score": 2}}
    draft = releases._passes({"human2": 5, "annotator2": "b", "human1": 4, "errors1": []}, "x")
    assert draft == {"human2": {"score": 5, "annotator": "b"}, "human1": {"score": 4}}
    assert releases._passes({}, "x") == {} == releases._passes([], "x")
    with pytest.raises(DataError, match="no annotations of a system") as error:
        releases._passes({"x" * 99: 1}, "scores.A")
    assert (error.value.column, error.value.value) == ("scores.A", "x" * 80)


def test_annotators_of_drafts_of_wmt25_are_their_passes_if_none_is_named(tmp_path):
    lines = [line25({"A": {"human1": 5, "human2": 6}, "B": {"human1": 7, "human2": 8}})]
    assert set(load(find(written(tmp_path, *lines))).good["worker"]) == {"human1", "human2"}
    more = line25({"A": {"human1": 5, "annotator1": "a", "human2": 6, "annotator2": "b"}}, k=1)
    with pytest.raises(DataError, match="line 1, column 'annotator': empty id"):
        load(find(written(tmp_path, *lines, more)))


def test_scores_of_wmt25_are_penalties_if_more_are_negative_than_positive(tmp_path):
    def scale(*scores):
        other = {"score": 0, "annotator": "b"}
        lines = [
            line25({"A": [{"score": score, "annotator": "a"}, other]}, k=k)
            for k, score in enumerate(scores)
        ]
        return load(find(written(tmp_path, *lines))).scale

    assert scale(-1, -2, 0) == (-2, 0) and scale(0, 0) == (0, 100) and scale(50, 60) == (0, 100)
    with pytest.raises(DataError, match="expected a number, 0 to 100"):
        scale(-1, 1)


def test_ids_of_wmt25_have_four_parts(tmp_path):
    for place in ("en-cs_#_news_#_d", "en-cs_#_news_#_d_#_1_#_2"):
        line = json.dumps({"doc_id": place, "tgt_text": {}, "scores": {}})
        with pytest.raises(DataError, match="line 1, column 'doc_id': not an id of WMT25") as error:
            load(find(written(tmp_path, line)))
        assert error.value.value == place
        assert error.value.expected == "languages_#_domain_#_document_#_segment"
    with pytest.raises(DataError, match="no scores; expected at least one judgment"):
        load(find(written(tmp_path, line25({}))))


def test_files_of_mtme_are_released_averages_in_the_order_of_the_test_set(tmp_path):
    file = mtme(tmp_path) / "human-scores" / "en-de.mqm.seg.score"
    judged = releases.mtme(file, {})
    assert judged.averages and judged.pairs().tolist() == ["en-de"] * 6
    assert judged.column("segment").tolist() == [*"123123"]
    assert judged.column("domain").tolist() == ["news", "news", "talk"] * 2
    assert judged.table.lines.tolist() == [1, 2, 3, 4, 5, 6]
    (tmp_path / "documents" / "en-de.docs").unlink()
    assert "document" not in releases.mtme(file, {}).names
    for rows, value in ((["A\t1", "A\t2", "B\t1", "B\t2", "C\t1"], "C: 1"),):
        file.write_text("\n".join(rows) + "\n")
        with pytest.raises(DataError, match="systems differ in the number of lines") as error:
            releases.mtme(file, {})
        assert (error.value.value, error.value.expected) == (value, "2, as others have")
    other = file.with_name("klingon-x.mqm.seg.score")
    other.write_text("A\t1\n")
    with pytest.raises(DataError, match="no language pair in the file's name") as error:
        releases.mtme(other, {})
    assert error.value.value == other.name
    assert error.value.expected == "a name such as en-de.mqm.seg.score"


def test_one_kind_of_scores_is_read_for_each_pair(tmp_path):
    names = ["en-de.mqm.seg.score", "de-en.mqm.seg.score", "notes.txt"]
    releases.one_each([tmp_path / name for name in names])
    with pytest.raises(DataError, match="several kinds of scores for one language pair") as error:
        releases.one_each([tmp_path / name for name in [*names, "en-de.da.seg.score.gz"]])
    assert error.value.value == ", ".join(sorted([*names, "en-de.da.seg.score.gz"]))
