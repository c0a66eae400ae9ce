"""The front door: its names, their docstrings, and what importing the package does."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankstability as rs
from rankstability import codes
from rankstability.verdict.words import tables

FUNCTIONS = sorted(name for name in rs.__all__ if inspect.isfunction(getattr(rs, name)))


def test_every_public_name_exists_once_and_there_are_few():
    assert len(rs.__all__) <= 50
    assert len(set(rs.__all__)) == len(rs.__all__)
    assert all(hasattr(rs, name) for name in rs.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_a_docstring_with_an_example(name):
    text = inspect.getdoc(getattr(rs, name)) or ""
    first = text.split("\n")[0]
    assert first[0].isupper() and first.endswith((".", "?"))
    assert ">>> " in text or name == "collect"


def test_importing_the_package_does_no_work_and_keeps_matplotlib_as_it_is():
    code = (
        "import matplotlib; before = dict(matplotlib.rcParams); "
        "import rankstability, sys; "
        "assert dict(matplotlib.rcParams) == before; "
        "assert 'companion' not in sys.modules and 'IPython' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_drawing_a_figure_leaves_the_settings_of_matplotlib_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    rs.plot_ranking(rs.rank_systems(rs.load("demo-srdc", "de-en")))
    assert dict(matplotlib.rcParams) == before


def replace_sentences(monkeypatch):
    """Replace each sentence, noun and phrase by its code, also those of verdict pages."""
    for table in (codes.ERRORS, codes.EXCLUSIONS, codes.NOTES, codes.PLANS, codes.REASONS):
        for code in list(table):
            monkeypatch.setitem(table, code, code)
    code_lists = ("columns", "listening", "breaks_promise")  # of words.yaml: names and codes
    branches = [branch for key, branch in tables().items() if key not in code_lists]
    while branches:
        branch = branches.pop()
        for key, value in list(branch.items()) if isinstance(branch, dict) else []:
            branches.append(value)
            if isinstance(value, str):
                monkeypatch.setitem(branch, key, str(key))


def results_of(judgments):
    """Return tables of rankings, removals, plans and the facts of a verdict."""
    ranking = rs.rank_systems(judgments)
    without = rs.rank_systems(rs.remove(judgments, systems=[ranking.systems[-1]]))
    page = rs.verdict(judgments)
    facts = json.loads(json.dumps(page.facts))
    for row in facts["plan"]:
        del row["description"]
    tables = [
        judgments.excluded,
        ranking.table,
        ranking.boundaries,
        ranking.pairs,
        without.table,
        rs.compare(ranking, without).summary(),
        rs.fewest_removals(judgments),
        rs.plan(judgments).drop(columns="description"),
    ]
    if judgments.kind == "direct_assessment":
        tables.append(rs.rank_systems(rs.degrade(judgments, 2)).table)
        tables.append(rs.segment_scores(judgments, rs.z_scores(judgments)))
    return tables, facts, page.html


@pytest.mark.parametrize("campaign, pair", [("demo-srdc", "de-en"), ("demo-rr", "cs-en")])
def test_replacing_every_sentence_by_its_code_changes_no_number(
    campaign, pair, monkeypatch, tmp_path
):
    before, facts, page = results_of(rs.load(campaign, pair))
    rs.save(tmp_path / "before", ranking=before[1])
    replace_sentences(monkeypatch)
    after, facts_again, page_again = results_of(rs.load(campaign, pair))
    for first, second in zip(before, after, strict=True):
        pd.testing.assert_frame_equal(first, second, check_exact=True)
    assert facts_again == facts
    assert page_again != page  # the sentences were replaced
    rs.save(tmp_path / "after", ranking=after[1])
    saved = [(tmp_path / name / "ranking.csv").read_bytes() for name in ("before", "after")]
    assert saved[0] == saved[1]


def test_an_error_keeps_its_code_without_its_sentence(monkeypatch):
    judgments = rs.load("demo-srdc", "de-en")
    replace_sentences(monkeypatch)
    for arguments, code in [
        ({"procedure": "wmt71"}, "unknown_procedure"),
        ({"unit": "sentence"}, "unknown_unit"),
        ({"alpha": 2}, "bad_alpha"),
    ]:
        with pytest.raises(rs.DataError) as caught:
            rs.rank_systems(judgments, **arguments)
        assert caught.value.code == code


def test_columns_without_known_names_are_refused_alike_without_sentences(monkeypatch):
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": [3.0, 4.0]})
    found = []
    for _ in range(2):
        with pytest.raises(rs.DataError) as caught:
            rs.judgments(frame)
        found.append((caught.value.code, caught.value.column, caught.value.value))
        replace_sentences(monkeypatch)
    assert found[0] == found[1]


def test_an_error_names_the_nearest_of_the_known_names_or_lists_them():
    def expected(value):
        error = rs.DataError("unknown_system", value=value, known=["Elm.104", "Oak.110"])
        return error.expected

    assert expected("Elm104") == "Elm.104"
    assert expected("x") == "Elm.104, Oak.110"
    assert rs.DataError("unknown_system", value="x").expected is None


# ------------------------------------------------------------------ wrong arguments

NOT_JUDGMENTS = (
    None, "text", 5, [], {}, b"x", object(), Path("x"), np.array([1]), pd.DataFrame({"a": [1]}),
)  # fmt: skip
OF_JUDGMENTS = [
    name
    for name in FUNCTIONS
    if next(iter(inspect.signature(getattr(rs, name)).parameters.values()), None) is not None
    and "Judgments" in str(next(iter(inspect.signature(getattr(rs, name)).parameters.values())))
]
OTHERS = {"rng": np.random.default_rng(1), "a": "A", "b": "B", "baseline": "A", "divisor": 2,
          "unit": "annotator", "second": None}  # fmt: skip


@pytest.mark.parametrize("name", OF_JUDGMENTS)
def test_what_is_not_judgments_is_refused(name):
    function = getattr(rs, name)
    _, *rest = inspect.signature(function).parameters.values()
    needed = {each.name: OTHERS[each.name] for each in rest if each.default is each.empty
              and each.kind is not each.VAR_KEYWORD}  # fmt: skip
    for wrong in NOT_JUDGMENTS:
        with pytest.raises(rs.DataError):
            function(wrong, **needed)


@pytest.mark.parametrize("name", ["plot_pairs", "plot_ranking", "plot_ranks", "compare"])
def test_what_is_not_a_ranking_is_refused(name):
    for wrong in (*NOT_JUDGMENTS, rs.load("demo-srdc", "de-en")):
        with pytest.raises(rs.DataError):
            getattr(rs, name)(*[wrong] * (2 if name == "compare" else 1))


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("remove", {"systems": 5}, "wrong_argument"),
        ("remove", {"humans": "yes"}, "wrong_argument"),
        ("remove", {"systems": "Elm"}, "unknown_system"),
        ("keep", {"documents": pd.DataFrame({"a": [1]})}, "wrong_argument"),
        ("keep", {"annotators": b"x"}, "wrong_argument"),
        ("plan", {"systems": "Elm"}, "wrong_argument"),
        ("plan", {"systems": ("A", "B", "C")}, "wrong_argument"),
        ("plan", {"seed": -1}, "bad_number"),
        ("plan", {"seed": 1.5}, "wrong_argument"),
        ("srp", {"documents": 0}, "bad_number"),
        ("srp", {"studies": -1}, "bad_number"),
        ("srp", {"studies": "10"}, "wrong_argument"),
        ("srp", {"load_balance": None}, "wrong_argument"),
        ("rank_systems", {"alpha": "0.05"}, "bad_alpha"),
        ("rank_systems", {"alpha": float("nan")}, "bad_alpha"),
        ("rank_systems", {"rng": 5}, "wrong_argument"),
        ("rank_systems", {"test": 5}, "wrong_argument"),
        ("rank_systems", {"procedure": ["wmt17"]}, "wrong_argument"),
        ("segment_scores", {"z": pd.Series([1.0])}, "wrong_argument"),
        ("segment_scores", {"z": [1.0]}, "wrong_argument"),
        ("compare_judge_model", {"judge": pd.DataFrame()}, "wrong_argument"),
        ("compare_studies", {"resamples": "x"}, "wrong_argument"),
        ("cooccurrence", {"by": "x"}, "unknown_unit"),
        ("degrade", {"divisor": True}, "wrong_argument"),
        ("degrade", {"divisor": 0}, "bad_divisor"),
        ("verdict", {"ask": 5}, "wrong_argument"),
        ("verdict", {"ask": (1, 2)}, "bad_setting"),
        ("verdict", {"ask": np.array([1, 2])}, "bad_setting"),
        ("verdict", {"output": None}, "wrong_argument"),
        ("verdict", {"look": 2}, "argument_not_used"),
        ("verdict", {"looks": 1.5}, "wrong_argument"),
        ("verdict", {"earlier": "file.csv"}, "wrong_argument"),
        ("verdict", {"each": 5}, "wrong_argument"),
    ],
)
def test_an_argument_of_another_type_or_value_is_refused(name, arguments, code):
    with pytest.raises(rs.DataError) as caught:
        getattr(rs, name)(rs.load("demo-srdc", "de-en"), **arguments)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "call",
    [
        lambda: rs.load(None),
        lambda: rs.load("demo-srdc", 5),
        lambda: rs.read(None),
        lambda: rs.read(5),
        lambda: rs.save(None),
        lambda: rs.collect(5, "02", "x"),
        lambda: rs.rank_over_tasks("wmt18"),
        lambda: rs.compare_studies({"a": 5}),
        lambda: rs.load("demo-srdc", "de-en").require(alpha=5),
        lambda: rs.load("demo-srdc", "de-en").require(kinds=["votes"]),
        lambda: rs.load("demo-srdc", "de-en").has_unit(None),
        lambda: rs.ComparisonModel(5, 100).simulate(rng=1),
        lambda: rs.ComparisonModel().ranking_errors([10, "x"]),
        lambda: rs.ComparisonModel(systems="x"),
        lambda: rs.ComparisonModel(spread=float("nan")),
        lambda: rs.ComparisonModel().comparisons_needed(sides=0),
        lambda: rs.ComparisonModel().significant_share(float("nan")),
        lambda: rs.plot_cooccurrence(pd.DataFrame()),
        lambda: rs.least_entropy(pd.DataFrame()),
        lambda: rs.verdict({"a": rs.load("demo-srdc", "de-en")}, earlier=5),
    ],
)
def test_other_wrong_arguments_are_refused(call):
    with pytest.raises(rs.DataError):
        call()


def test_every_public_function_checks_its_arguments():
    unchecked = ("campaigns",)
    for name in FUNCTIONS:
        function = getattr(rs, name)
        assert (inspect.unwrap(function) is not function) == (name not in unchecked), name


def test_numbers_of_numpy_and_arrays_of_names_are_taken():
    judgments = rs.load("demo-srdc", "de-en")
    systems = pd.Series(judgments.systems[:3])
    for names in (systems, systems.to_numpy(), pd.Index(systems), tuple(systems), set(systems)):
        assert rs.keep(judgments, systems=names).n_systems == 3
    assert rs.keep(judgments, systems=iter(systems)).n_systems == 3
    assert rs.degrade(judgments, np.int64(2)).n_judgments == judgments.n_judgments
    assert rs.rank_systems(judgments, alpha=np.float64(0.1)).alpha == 0.1
