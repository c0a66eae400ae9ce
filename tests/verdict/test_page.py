"""The page of a verdict: whole or absent, self-contained, harmless, and equal to its numbers."""

import html.parser
import json
import re

import numpy as np
import pandas as pd
import pytest

import rankstability as rs
from rankstability.errors import DataError
from rankstability.verdict import facts as made
from rankstability.verdict import page, words
from rated_systems import ratings
from real import real_data

HOSTILE = "<script>alert(1)</script>{{7*7}}\"'&amp;$x_1$\\input{x}%#\x1b[31m\u202e=1+1"
QUESTIONS = [
    "best?", "Is A better than B?", "Which cluster boundaries are supported?",
    "How fragile is this?", "buy?", "What should you report?", "What can’t be concluded?",
    "How was your file read?", "How was this computed?",
]  # fmt: skip


class Reader(html.parser.HTMLParser):
    """Headings and tags of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.headings, self.inside = [], [], False

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag == "h2"
        if self.inside:
            self.headings.append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.headings[-1] += data


def read(text):
    reader = Reader()
    reader.feed(text)
    return reader


@pytest.mark.parametrize(
    ("campaign", "pair"),
    [("demo-srdc", "de-en"), ("demo-srpdc", "de-en"), ("demo-mqm", "en-de"), ("demo-rr", "cs-en")],
)
def test_every_page_answers_the_questions_in_order(campaign, pair):
    verdict = rs.verdict(rs.load(campaign, pair))
    headings = read(verdict.html).headings
    assert len(headings) == len(QUESTIONS)
    assert all(heading.endswith(end) for heading, end in zip(headings, QUESTIONS, strict=True))
    json.dumps(verdict.facts, allow_nan=False)


def test_every_number_has_a_documented_key():
    verdict = rs.verdict(rs.load("demo-srdc", "de-en"))
    documented = {key for keys in made.KEYS for key in keys.split(", ")}
    undocumented = set(verdict.facts) - documented - {"adjusted_differs", "humans_could_be_first"}
    assert not undocumented


def test_facts_are_those_of_the_ranking():
    judgments = ratings()
    verdict = rs.verdict(judgments)
    facts, ranking = verdict.facts, verdict.ranking
    assert facts["best_case"] == "alone" and facts["could_be_first"] == ["A"]
    assert facts["n_supported"] == int(ranking.boundaries["supported"].sum()) == 2
    assert facts["groups"] == [["A"], ["B"], ["C"]]
    assert facts["better_than"] == {"A": ["B", "C"], "B": ["C"]}
    assert facts["counts"]["judgments"] == 240 and facts["units"] == {
        "annotator": 8,
        "document": 40,
    }
    assert [row["score"] for row in facts["ranking"]] == pytest.approx(
        ranking.table["score"].tolist()
    )


def test_human_translations_do_not_count_as_best():
    verdict = rs.verdict(ratings(("HUMAN-A", "B", "C"), humans=("HUMAN-A",)))
    facts = verdict.facts
    assert facts["leader"] == "B" and facts["could_be_first"] == ["B"]
    assert facts["humans_case"] == "only" and facts["could_be_first_with_humans"] == ["HUMAN-A"]
    assert facts["counts"]["systems"] == 2 and facts["counts"]["humans"] == 1
    asked = rs.verdict(ratings(("HUMAN-A", "B", "C"), humans=("HUMAN-A",)), candidates=True)
    assert asked.facts["questions"]["candidates"]["systems"] == ["B"]


def test_lower_is_better_keeps_the_direction():
    judgments = ratings(lower_is_better=True)
    facts = rs.verdict(judgments, ask=("C", "A")).facts
    assert facts["leader"] == "C" and facts["ranking"][0]["score"] < facts["ranking"][-1]["score"]
    answer = facts["questions"]["pairs"][0]
    assert answer["result"] == "better" and answer["difference"] < 0


def test_questions_are_absent_unless_asked():
    assert "Questions asked" not in rs.verdict(ratings()).html
    verdict = rs.verdict(ratings(), ask=[("A", "B")], baseline="B", candidates=True)
    assert "Questions asked" in verdict.html
    assert set(verdict.facts["questions"]) == {"pairs", "baseline", "candidates"}
    pair = rs.compare_pair(ratings(), "A", "B")
    assert verdict.facts["questions"]["pairs"][0]["difference"] == pytest.approx(pair.difference)


def test_looks_divide_the_level():
    verdict = rs.verdict(ratings(), look=2, looks=5)
    assert verdict.facts["alpha"] == pytest.approx(0.01) == verdict.ranking.alpha
    with pytest.raises(DataError) as error:
        rs.verdict(ratings(), look=3, looks=2)
    assert error.value.code == "more_looks_than_planned"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"ask": ("A", "Z")}, "unknown_system"),
        ({"ask": ("A",)}, "bad_setting"),
        ({"baseline": "Z"}, "unknown_system"),
        ({"unit": "hit"}, "unknown_unit"),
        ({"alpha": 2}, "bad_alpha"),
        ({"leaders": "genre"}, "no_such_column"),
    ],
)
def test_errors_name_what_is_wrong(options, code):
    with pytest.raises(DataError) as error:
        rs.verdict(ratings(), **options)
    assert error.value.code == code


def test_hostile_names_are_harmless(tmp_path):
    verdict = rs.verdict(ratings((HOSTILE, "B", "=cmd|1!A1")), candidates=True, ask=(HOSTILE, "B"))
    reader = read(verdict.html)
    assert not {tag for tag, _ in reader.tags} & {"script", "img", "iframe", "object"}
    assert not [name for _, attrs in reader.tags for name in attrs if name.startswith("on")]
    assert "\x1b" not in verdict.html and "\u202e" not in verdict.html
    names = verdict.save(tmp_path / "out")
    tex = (tmp_path / "out" / "ranking.tex").read_text(encoding="utf-8")
    assert "\\input{x}" not in tex
    cells = (tmp_path / "out" / "ranking.csv").read_text(encoding="utf-8")
    assert "verdict.html" in names and json.loads((tmp_path / "out" / "verdict.json").read_bytes())
    assert "\x1b" not in verdict.answer and cells


def test_a_page_is_one_file_without_scripts():
    text = rs.verdict(ratings()).html
    assert not re.search(r'(src|href)="(?!#|data:)', text)
    assert "<script" not in text and "default-src 'none'" in text


def test_a_page_is_whole_or_absent(tmp_path, monkeypatch):
    verdict = rs.verdict(ratings())
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError) as error:
        verdict.save(tmp_path / "file" / "below")
    assert error.value.code == "unwritable_folder"
    calls = []

    def fail(self, content):
        calls.append(self.name)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", fail)
    with pytest.raises(DataError):
        verdict.save(tmp_path / "out")
    assert calls and sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_saving_twice_gives_the_same_bytes(tmp_path):
    rs.verdict(rs.load("demo-srdc", "de-en"), tmp_path / "a")
    rs.verdict(rs.load("demo-srdc", "de-en"), tmp_path / "b")
    first = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert first == {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()}
    assert {"verdict.html", "verdict.json", "ranking.tex", "pairs.csv"} <= set(first)


def test_a_judge_model_says_how_many_comparisons_changed_with_the_order():
    rows = [("A", "B", "q1", "left"), ("B", "A", "q1", "left")]  # the first one wins twice
    rows += [(*pair, f"q{k}", "left") for k in range(2, 12) for pair in (("A", "B"), ("B", "C"))]
    rows += [("B", "A", f"q{k}", "right") for k in range(2, 5)]
    frame = pd.DataFrame(rows, columns=["left", "right", "question", "winner"])
    frame["annotator"] = "gpt-4"
    votes = rs.battles(frame, models=["gpt-4"])
    assert rs.verdict(votes).facts["orders"] == {"both_orders": 4, "changed": 1}
    assert rs.verdict(rs.battles(frame.assign(annotator="anna"))).facts["orders"] is None


def test_equal_scores_are_named():
    rows = [
        {"system": name, "score": score} for name, score in (("A", 2.0), ("B", 1.0), ("C", 1.0))
    ]
    assert page._equal_scores(rows) == ["B", "C"]


def test_sentences_of_the_paragraph_are_separated():
    for campaign, pair in (("demo-srdc", "de-en"), ("demo-rr", "cs-en")):
        text = rs.verdict(rs.load(campaign, pair)).html
        paragraph = text[text.index("<blockquote>") : text.index("</blockquote>")]
        assert not re.search(r"[a-z)]\.[A-Z]", re.sub(r"<[^>]+>", "", paragraph))


def test_every_procedure_has_a_name_and_words_for_its_boundaries():
    words_of = words.tables()["procedures"]
    assert set(rs.PROCEDURES) | {"strength", "share_of_wins"} == set(words_of)
    drawing = [name for name in rs.PROCEDURES if name != "plain"]
    assert all({"name", "rule", "test"} == set(words_of[name]) for name in drawing)


def test_the_level_is_exact():
    assert page.level_of(0.975).replace("\u00a0", " ") == "97.5 %"
    assert page.number(-0.0001, 2) == "0.00" and page.number(-1.5, 1) == "−1.5"


# ------------------------------------------------------------------ vocabularies


def test_every_vocabulary_has_every_noun():
    kinds = words.tables()["kinds"].values()
    assert len({frozenset(kind) for kind in kinds}) == 1


WMT_WORDS = re.compile(r"\b(WMT|translation|language pair|notebook|segment)s?\b")


@pytest.mark.parametrize("kind", ["ratings", "leaderboard", "votes", "listening"])
def test_no_word_of_another_field(kind):
    if kind == "votes":
        rng = np.random.default_rng(3)
        rows = [(*rng.permutation(list("ABC"))[:2], f"q{k % 20}", f"a{k % 9}") for k in range(300)]
        frame = pd.DataFrame(rows, columns=["left", "right", "question", "annotator"])
        frame["winner"] = np.where(rng.random(300) < 0.7, "left", "right")
        verdict = rs.verdict(rs.battles(frame))
        assert verdict.facts["vocabulary"] == "votes"
    else:
        frame = ratings().table.astype(object)
        if kind == "leaderboard":
            frame = frame[["system", "segment", "score"]]
        names = {"system": "codec", "segment": "trial", "annotator": "listener"}
        declared = {role: name for role, name in names.items() if role in frame}
        if kind == "listening":
            frame = frame.drop(columns="document").rename(columns=names)
        else:
            declared, frame = {}, frame.rename(columns={"segment": "item"})
            declared = {"segment": "item"}
        frame["score"] = frame["score"].astype(float)
        verdict = rs.verdict(rs.judgments(frame, scale="0 100", **declared))
        assert verdict.facts["vocabulary"] == kind
        if kind == "listening":
            assert "Which codec is best?" in verdict.html and "listeners" in verdict.html
    text = re.sub(
        r"<pre>.*?</pre>|<code>.*?</code>|<details>\s*<summary>One .*?</details>",
        "",
        verdict.html,
        flags=re.S,
    )
    assert not WMT_WORDS.findall(text)


def filled(text, nouns):
    slots = {"unit": "annotator", "units": "annotators", "names": "A and B"}
    return text.format(**nouns, **slots, number=3, least=5, count=4)


@pytest.mark.parametrize("vocabulary", ["ratings", "leaderboard", "votes", "listening"])
def test_no_phrase_of_a_page_has_a_word_of_another_field(vocabulary):
    tables = words.tables()
    nouns = dict(tables["kinds"][vocabulary])
    nouns["text"] = nouns["question"]
    nouns |= {f"{role}s": words.plural(noun) for role, noun in nouns.items()}
    groups = [tables[name] for name in ("notes", "plans", "reasons", "rows", "pair_tests")]
    phrases = [text for group in groups for text in group.values()]
    phrases += [text for unit in tables["units"].values() for text in unit.values()]
    for text in phrases:
        shown = filled(text, nouns)
        assert not WMT_WORDS.findall(shown) and not re.search("[{}]", shown)


@pytest.mark.parametrize("noun", ["boundary", "story", "trial", "hit"])
def test_plurals(noun):
    assert words.plural(noun) in {"boundaries", "stories", "trials", "HITs"}


# ------------------------------------------------------------------ real campaigns


def test_wmt21_de_en_as_published(monkeypatch):
    real_data("newstest2021-toen")
    facts = rs.verdict(rs.load("wmt21", "de-en")).facts
    assert facts["counts"]["judgments"] == 25645 and facts["units"] == {
        "annotator": 181,
        "document": 61,
    }
    assert facts["best_case"] == "all" and len(facts["could_be_first"]) == 19
    assert facts["n_drawn"] == 2 and facts["n_drawn_supported"] == 0
    firsts = [row for row in facts["fewest"] if row["what"] == "first"]
    assert [(row["fewest"], row["new_first"]) for row in firsts] == [(1, "Online-A.12")] * 3
    assert {row["code"]: row["rows"] for row in facts["excluded"]} == {
        "other_pairs": 83396,
        "constant_annotator": 73,
        "reference_or_control": 6019,
    }


def test_few_annotators_have_a_second_answer():
    real_data("bio-mqm")
    facts = rs.verdict(rs.load("bio-mqm", "en-es")).facts
    assert facts["best_case"] == "none_assessable"
    assert facts["second"][0]["unit"] == "document" and facts["second"][0]["number"] == 4


def test_a_domain_that_limits_is_named():
    real_data("wmt24-esa")
    facts = rs.verdict(rs.load("wmt24-esa", "en-cs")).facts
    assert facts["limiting_domain"]["units"]["document"] == 2
    assert len(facts["limiting_domain"]["could_be_first"]) == 13
