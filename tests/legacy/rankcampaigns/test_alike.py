"""What every reader meets: judgments given twice, names that look alike, scores on two scales."""

import json

import pandas as pd
import pytest

from companion.legacy.rankcampaigns import formats
from companion.legacy.rankstability import DataError, battles, find, load
from companion.legacy.rankstability.judgments import SECOND_VOTE, DirectAssessment


def campaign(folder, **files):
    for name, lines in files.items():
        (folder / name.replace("__", ".")).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return find(folder)


def said(judgments):
    """What is doubtful: reason -> rows."""
    if isinstance(judgments, DirectAssessment):
        return dict(judgments.excluded[["reason", "rows"]].to_numpy())
    return judgments.attrs["excluded"]


def long(systems=("Aspen", "Birch"), segments=range(1, 6), people=("u1", "u2"), score=50):
    rows = [(one, k, who) for one in systems for k in segments for who in people]
    scores = (f"{score + 3 * i % 40}" for i in range(len(rows)))
    cells = [f"{one},{k},{who},{s}" for (one, k, who), s in zip(rows, scores, strict=True)]
    return ["system,segment,annotator,score", *cells]


BATTLES = ["question_id,model_a,model_b,winner,judge", "q1,A,B,model_a,j", "q2,A,B,tie,j"]
VOTES = ["prompt,left,right,winner,worker", "q1,A,B,left,j", "q2,A,B,tie,j"]
MQM = [
    "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity",
    "A\td\t1\t1\tr\tx\t<v>y</v>\tStyle/Awkward\tMinor",
    "B\td\t1\t1\tr\tx\ty\tno-error\tno-error",
]


@pytest.mark.parametrize(
    ("name", "lines"), [("a.csv", BATTLES), ("b.csv", VOTES), ("mqm_ende.tsv", MQM)]
)
def test_rows_given_twice_are_said(tmp_path, name, lines):
    once = load(campaign(tmp_path, **{name.replace(".", "__"): lines}))
    assert "identical rows (kept)" not in said(once)
    (tmp_path / name).write_text("\n".join([*lines, *lines[1:]]) + "\n")
    assert said(load(find(tmp_path)))["identical rows (kept)"] == 2


def appraise(documents):
    """80 judgments in one of two layouts: with documents, or without."""
    rows = []
    for k in range(80):
        cells = [f"engces{k % 4:02d}", f"S{k % 2}", k // 2, "TGT", "eng", "ces", 20 + k]
        cells += [f"doc{k // 20}", "False"] if documents else []
        rows.append(",".join(map(str, [*cells, 1000.0 + k, 1001.0 + k])))
    return rows


def test_the_same_judgments_in_two_layouts_of_appraise_are_refused(tmp_path):
    one = campaign(tmp_path, a__csv=appraise(True))
    assert len(load(one).good) == 80
    (tmp_path / "b.csv").write_text("\n".join(appraise(False)) + "\n")
    with pytest.raises(DataError, match=r"same rows in two files.*all 80 of a\.csv"):
        load(find(tmp_path))


def test_the_same_judgments_of_accounts_by_other_names_are_refused(tmp_path):
    renamed = [row.replace("engces", "annotator") for row in appraise(False)]
    (tmp_path / "b.csv").write_text("\n".join(renamed) + "\n")
    with pytest.raises(DataError, match=r"same rows in two files.*all 80 of a\.csv"):
        load(campaign(tmp_path, a__csv=appraise(True)))
    (tmp_path / "a.csv").write_text("\n".join(appraise(True)[:19]) + "\n")  # few may agree
    assert len(load(find(tmp_path)).good) == 99


def marked(account, every):
    """40 outputs in an MQM export of Appraise, with an error on some: all scores are 0."""
    error = '"[{""severity"": ""minor"", ""error_type"": ""Style"", ""start_i"": %d}]"'
    spans = [error % k if k % every == 0 else "[]" for k in range(40)]
    places = [f"{account},S{k % 2},{k // 2},TGT,eng,ces,0,doc{k // 20},False" for k in range(40)]
    return [f"{place},{said},1.0,2.0" for place, said in zip(places, spans, strict=True)]


@pytest.mark.parametrize("every", [7, 41])
def test_mqm_of_two_accounts_is_not_the_same_because_all_scores_are_0(tmp_path, every):
    two = campaign(tmp_path, a__csv=marked("engces1", 3), b__csv=marked("engces2", every))
    assert load(two)["rater"].nunique() == 2
    (tmp_path / "b.csv").write_text("\n".join(marked("engces2", 3)) + "\n")
    with pytest.raises(DataError, match=r"same rows in two files.*all 40 of a\.csv"):
        load(find(tmp_path))


PLACES = {  # format: a file's name, the text of a name in it that is changed, its column
    "long": ("mine.csv", long(), "Aspen", "system"),
    "battles": ("mine.csv", [*BATTLES, "q3,A,C,tie,j", "q4,A,C,tie,j"], "A,C", "system"),
    "mqm": ("mqm_ende.tsv", [*MQM, MQM[1].replace("A\t", "B\t", 1)], "B\td", "system"),
    "appraise": ("a.csv", appraise(True), "S0", "system"),
}


@pytest.mark.parametrize("form", PLACES)
def test_a_name_in_letters_that_look_the_same_is_refused_with_its_line(tmp_path, form):
    name, lines, text, column = PLACES[form]
    capital = {"A": "\u0410", "B": "\u0412", "S": "\u0405"}[text[0]]
    at = max(k for k, line in enumerate(lines) if text in line)
    changed = [*lines[:at], lines[at].replace(text, capital + text[1:]), *lines[at + 1 :]]
    with pytest.raises(DataError, match="looks the same") as caught:
        load(campaign(tmp_path, **{name.replace(".", "__"): changed}))
    assert caught.value.line == at + 1
    assert caught.value.column == column
    assert name in caught.value.file
    assert "CYRILLIC" in str(caught.value)


def test_a_name_with_what_is_invisible_is_joined_and_said(tmp_path):
    lines = long()
    lines[1] = lines[1].replace("Aspen", "As\u200bpen")
    lines[2] = lines[2].replace("Aspen", "\u202aAspen")
    judged = load(campaign(tmp_path, mine__csv=lines))
    assert sorted(judged.good["system"].unique()) == ["Aspen", "Birch"]
    reason = "(kept: names as they are seen, without invisible characters)"
    assert said(judged)[reason] == 2


def test_a_name_in_three_quotation_marks_is_not_unquoted_twice(tmp_path):
    lines = long()
    lines[1] = lines[1].replace("Aspen", '"""Aspen"""')
    with pytest.raises(DataError, match=r"looks the same.*Aspen"):
        load(campaign(tmp_path, mine__csv=lines))


@pytest.mark.parametrize("column", ["segment", "annotator"])
def test_a_number_beside_the_same_with_a_point_is_refused(tmp_path, column):
    people = ("1", "2", "1.0") if column == "annotator" else ("1", "2")
    segments = (1, 2, "1.0") if column == "segment" else (1, 2)
    lines = long(segments=segments, people=people)
    with pytest.raises(DataError, match=r"1\.0 beside 1") as caught:
        load(campaign(tmp_path, mine__csv=lines))
    assert caught.value.column == column


def test_a_file_on_another_scale_is_refused_and_a_told_scale_is_taken(tmp_path):
    other = [line.replace("u1", "u3").replace("u2", "u4") for line in long()]
    tenth = [",".join([*row[:3], f"{float(row[3]) / 100:.3f}"])
             for row in (line.split(",") for line in other[1:])]  # fmt: skip
    with pytest.raises(DataError, match="scores on two scales") as caught:
        load(campaign(tmp_path, a__csv=long(), b__csv=[other[0], *tenth]))
    assert caught.value.file.endswith("b.csv")
    assert caught.value.line == 2
    (tmp_path / "campaign.yaml").write_text("scale: [0, 100]\n")
    assert len(load(find(tmp_path)).good) == 40


def test_a_format_with_a_scale_refuses_another_too(tmp_path):
    entry = json.loads(formats.described()["wmt24"]["example"])
    scores = [55, 66, 77, 0.5, 0.6, 0.7]
    lines = [json.dumps(entry | {"line_id": k, "esa_score": s}) for k, s in enumerate(scores)]
    with pytest.raises(DataError, match="3 fractions of 1 beside whole numbers up to 77"):
        load(campaign(tmp_path, a__jsonl=lines))


def test_battles_say_which_names_were_changed(tmp_path):
    lines = [*BATTLES[:2], BATTLES[2].replace(",A,", ",A\u200b ,")]
    fought = load(campaign(tmp_path, mine__csv=lines))
    assert sorted(fought["system"].unique()) == ["A", "B"]
    reasons = ["blanks around names taken away", "names as they are seen, without invisible"]
    assert [n for r in reasons for why, n in said(fought).items() if r in why] == [1, 1]


def test_a_reference_row_of_a_system_is_said(tmp_path):
    lines = [f"{line},{'type' if k == 0 else 'SYSTEM'}" for k, line in enumerate(long())]
    lines[3] = lines[3].replace("SYSTEM", "REF")
    reason = "rows of type REF or BAD_REF of systems with other rows (kept, but not ranked)"
    assert said(load(campaign(tmp_path, mine__csv=lines)))[reason] == 1


def averages(*names):
    """Released averages of segments, with these systems in turn."""
    rows = [f"{names[k % len(names)]} doc_{k} {50 + k} 0.1 2" for k in range(1, 9)]
    return ["SYS SID RAW.SCR Z.SCR N", *rows]


def test_released_averages_are_checked_as_other_scores_are(tmp_path):
    name = tmp_path / "ad-seg-scores-cs-en.csv"
    name.write_text("\n".join(averages("Aspen", "Birch", "As\u200bpen")) + "\n")
    scores = load(find(tmp_path))
    assert sorted(scores["system"].unique()) == ["Aspen", "Birch"]
    assert list(said(scores).values()) == [3]
    name.write_text("\n".join(averages("Aspen", "Birch", "\u0410spen")) + "\n")
    with pytest.raises(DataError, match="looks the same") as caught:
        load(find(tmp_path))
    assert (caught.value.line, caught.value.column) == (4, "SYS")
    tenths = [line.replace(" 5", " 0.5") for line in averages("Cedar", "Dogwood")[1:]]
    name.write_text("\n".join([*averages("Aspen", "Birch"), *tenths]) + "\n")
    with pytest.raises(DataError, match="two scales") as caught:
        load(find(tmp_path))
    assert (caught.value.line, caught.value.column) == (10, "RAW.SCR")


def test_an_item_or_a_question_beside_the_same_with_a_point_is_refused(tmp_path):
    rows = appraise(documents=False)
    rows[5] = rows[5].replace(",2,TGT", ",2.0,TGT")
    (tmp_path / "export.csv").write_text("\n".join(rows) + "\n")
    with pytest.raises(DataError, match="looks the same") as caught:
        load(find(tmp_path))
    assert (caught.value.line, caught.value.column) == (6, "itemId")
    (tmp_path / "export.csv").unlink()
    battles = [BATTLES[0], "1,A,B,model_a,j", "1.0,A,B,model_a,k"]
    (tmp_path / "arena.csv").write_text("\n".join(battles) + "\n")
    with pytest.raises(DataError, match="looks the same") as caught:
        load(find(tmp_path))
    assert (caught.value.line, caught.value.column) == (3, "question")


def test_an_error_of_mqm_given_twice_is_said_without_marks_too(tmp_path):
    line = MQM[1].replace("<v>y</v>", "y")
    judged = load(campaign(tmp_path, mqm_ende__tsv=[MQM[0], line, line, MQM[2]]))
    assert said(judged)["identical rows (kept)"] == 1


def test_a_second_score_of_direct_assessment_is_said(tmp_path):
    row = "h1\tann\tcs\ten\tNA\tNA\t{}\tNA\tSYSTEM\ts1\t{}\tNA"
    rows = [row.format("A", 50), row.format("B", 60), row.format("A", 70)]
    (tmp_path / "ad-latest.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "ad-good-raw-redup.csv").write_text("\n".join(rows) + "\n")
    reason = "the same annotator's second score of the same output (kept)"
    assert said(load(find(tmp_path)))[reason] == 1


def test_battles_that_two_files_share_are_said(tmp_path):
    other = [BATTLES[0], BATTLES[1], "q3,A,B,model_b,j"]
    fought = load(campaign(tmp_path, a__csv=BATTLES, b__csv=other))
    assert said(fought)["identical rows (kept)"] == 1 and len(fought) == 8


def test_a_judges_second_vote_is_said_though_sides_or_winner_changed(tmp_path):
    lines = ["question_id,model_a,model_b,winner,judge"]
    lines += ["q1,A,B,model_a,j", "q2,A,B,tie,j", "q2,A,B,tie,i", "q3,A,B,tie,", "q3,B,A,tie,"]
    once = load(campaign(tmp_path, mine__csv=lines))
    assert SECOND_VOTE not in said(once)
    again = ["q1,B,A,model_b,j", "q2,A,B,model_b,j", "q2,A,C,tie,j", "q2,A,B,tie,i"]
    twice = load(campaign(tmp_path, mine__csv=[*lines, *again]))
    assert said(twice)[SECOND_VOTE] == 2 and said(twice)["identical rows (kept)"] == 1
    frame = pd.read_csv(tmp_path / "mine.csv", keep_default_na=False)
    assert battles(frame).attrs["excluded"] == said(twice)


def test_a_vote_given_again_later_is_said(tmp_path):
    lines = ["question_id,model_a,model_b,winner,judge,time"]
    lines += ["q1,A,B,tie,j,1", "q1,A,B,tie,j,2", "q1,A,B,tie,,3", "q1,A,B,tie,,4"]
    fought = load(campaign(tmp_path, mine__csv=lines))
    assert said(fought)[SECOND_VOTE] == 1 and "identical rows (kept)" not in said(fought)


def test_a_judges_second_vote_is_said_beside_battles_of_no_question(tmp_path):
    again = [*BATTLES, "q1,B,A,model_b,j"]
    plain = ["model_a,model_b,winner", "A,B,tie"]
    assert said(load(campaign(tmp_path, a__csv=again, b__csv=plain)))[SECOND_VOTE] == 1


def test_exports_with_and_without_documents_have_the_same_segments(tmp_path):
    plain, rows = appraise(documents=False)[:40], appraise(documents=True)
    other = [row.replace("engces", "engcex").replace(",ces,2", ",ces,1") for row in rows]
    judged = load(campaign(tmp_path, a__csv=plain, b__csv=other))
    assert judged.good["segment"].nunique() == 40 and len(judged.good) == 120


def test_battles_of_no_question_are_said_if_all_are_given_twice(tmp_path):
    lines = ["model_a,model_b,winner,judge"]
    lines += [f"A,B,{'model_a' if k % 3 else 'tie'},j{k % 2}" for k in range(5)]
    once = load(campaign(tmp_path, mine__csv=lines))
    assert "identical rows (kept)" not in said(once)
    twice = load(campaign(tmp_path, mine__csv=[*lines, *lines[1:]]))
    assert said(twice)["identical rows (kept)"] == 5
    frame = pd.read_csv(tmp_path / "mine.csv")
    assert battles(frame).attrs["excluded"] == said(twice)
    assert battles(frame[:5]).attrs["excluded"] == said(once)


def test_battles_of_known_models_and_no_judge_are_told_alike_of_files_and_frames(tmp_path):
    rows = ["q1,A,B,model_a,nan,True", "q2,A,B,tie,N/A,False", "q3,A,B,tie,k,"]
    lines = ["question_id,model_a,model_b,winner,judge,anony", *rows]
    read = load(campaign(tmp_path, mine__csv=lines))
    made = battles(pd.read_csv(tmp_path / "mine.csv", keep_default_na=False))
    assert said(read) == made.attrs["excluded"]
    assert said(read)["battles of known models (left out)"] == 1
    assert read["judge"].tolist() == made["judge"].tolist() == ["", "", "k", "k"]
    wrong = pd.DataFrame({"model_a": ["A"], "model_b": ["B"], "winner": ["tie"], "anony": ["x"]})
    with pytest.raises(DataError, match="neither true nor false"):
        battles(wrong)
    with pytest.raises(DataError, match="no battles that count"):
        battles(wrong.assign(anony=False))


def test_blocks_of_which_each_is_given_twice_are_said(tmp_path):
    lines = str(formats.described()["rr"]["example"]).splitlines()
    lines.append(lines[1].replace("judge3", "judge4"))
    once = load(campaign(tmp_path, rank_RNK__csv=lines))
    assert "identical rows (kept)" not in said(once)
    twice = load(campaign(tmp_path, rank_RNK__csv=[*lines, *lines[1:]]))
    assert said(twice)["identical rows (kept)"] == 2


def test_blocks_that_two_files_share_in_part_are_said(tmp_path):
    lines = str(formats.described()["rr"]["example"]).splitlines()
    judges = [lines[1].replace("judge3", f"judge{k}") for k in range(4, 7)]
    one = [lines[0], *judges[:2], lines[1]]
    campaign(tmp_path, a_RNK__csv=one, b_RNK__csv=[lines[0], *judges[1:]])
    blocks = load(find(tmp_path))
    assert said(blocks)["identical rows (kept)"] == 1 and blocks["block"].nunique() == 5
    (tmp_path / "b_RNK.csv").unlink()
    (tmp_path / "a_RNK.csv").write_text("\n".join([*one, judges[0]]) + "\n")
    assert said(load(find(tmp_path)))["identical rows (kept)"] == 1


FILES = {"pearmut": "log-en-cs.jsonl", "wmt25": "log.jsonl", "da": "ad-latest.csv"}


@pytest.mark.parametrize("form", FILES)
def test_an_id_with_a_point_in_its_last_part_is_refused_beside_that_without(tmp_path, form):
    lines = str(formats.described()[form]["example"]).splitlines()
    last = {"pearmut": "_###_4", "wmt25": "_#_3", "da": "interview_1"}[form]
    again = lines[-1].replace(last, f"{last}.0").replace("SystemA", "SystemB")
    for name in {FILES[form], *(["ad-good-raw-redup.csv"] if form == "da" else [])}:
        (tmp_path / name).write_text("\n".join([*lines, again]) + "\n")
    with pytest.raises(DataError, match=f"looks the same.*{last}.0 beside") as caught:
        load(find(tmp_path))
    assert caught.value.line == len(lines) + 1


def test_an_error_that_stands_twice_in_a_rating_is_said(tmp_path):
    rating = json.loads(formats.described()["bio-mqm"]["example"])
    rating["target_errors"] *= 2
    judged = load(campaign(tmp_path, mine__jsonl=[json.dumps(rating)]))
    assert said(judged)["identical errors in one rating (kept)"] == 1
