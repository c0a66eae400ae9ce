"""Buckets and raters of WMT22 MQM are inferred again, and only plain data are unpickled."""

import importlib.util
import pickle
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from rankstability.io.paths import repository_root
from real import real_data

PAIRS = ("en-de", "en-zh")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = repository_root() / "data" / "convert" / "wmt22_mqm.py"
    spec = importlib.util.spec_from_file_location("wmt22_mqm", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tables(pair: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    folder = real_data("wmt22-mqm-columns")
    scores = pd.read_csv(folder / f"mqm-{pair}.csv.gz")
    return scores, pd.read_csv(folder / f"documents-{pair}.tsv", sep="\t")


@pytest.mark.parametrize("pair", PAIRS)
def test_buckets_and_raters_come_out_again(script: ModuleType, pair: str) -> None:
    scores, documents = tables(pair)
    rows, listed = script.add_buckets_and_raters(
        pair,
        scores.drop(columns=["bucket", "rater"]),
        documents.drop(columns=["bucket", "here"]),
    )
    pd.testing.assert_frame_equal(listed, documents)
    pd.testing.assert_frame_equal(rows, scores, check_dtype=False)


def test_buckets_of_en_de_are_of_one_size(script: ModuleType) -> None:
    """Nobody asked for equal numbers of segments; that they come out supports the buckets."""
    _, documents = tables("en-de")
    assert sorted(documents.groupby("bucket").size()) == [25, 26, 26, 26, 26, 26, 26]
    assert sorted(documents.groupby("bucket")["rated_lines"].sum()) == [187] + [188] * 6


def test_longer_documents_of_en_de_are_here_exactly_if_their_raters_have_columns(
    script: ModuleType,
) -> None:
    scores, documents = tables("en-de")
    dealt = script.deal(documents.drop(columns=["bucket", "here"]))
    long = dealt[dealt["rated_lines"] > script.SHORT]
    here = long["document"].isin(scores["document"])
    assert len(long) == 112
    assert (here == ~long["bucket"].isin(script.ABSENT)).all()


@pytest.mark.parametrize("cost", [20.0, 80.0])
def test_buckets_do_not_depend_on_the_cost_of_a_jump(
    script: ModuleType, cost: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, documents = tables("en-de")
    monkeypatch.setattr(script, "JUMP", cost)
    found = script.infer("en-de", scores, documents)
    assert (documents["bucket"] == "b" + documents["document"].map(found).astype(str)).all()


def test_scores_alone_show_two_groups_of_raters_in_en_zh(script: ModuleType) -> None:
    scores, documents = tables("en-zh")
    groups = script.find_two_groups(script.count_classes(scores))
    bucket = documents.set_index("document")["bucket"].reindex(groups.index)
    agree = int((groups == (bucket == "b1")).sum())
    assert max(agree, len(groups) - agree) >= 167
    assert len(groups) == 169


def test_profiles_of_a_rater_are_alike_in_en_de(script: ModuleType) -> None:
    scores, _ = tables("en-de")
    distances = script.compare_profiles(scores)
    assert len(distances) == 15 * 14 / 2
    same = distances.loc[distances["same_rater"], "distance"]
    assert same.max() < 0.13
    assert distances.loc[~distances["same_rater"], "distance"].median() > 0.2


class Harmful:
    def __reduce__(self) -> tuple:
        return (print, ("harm",))


@pytest.mark.parametrize(
    ("content", "is_plain"),
    [
        ({"A": [0.0, -1, None]}, True),
        ({"A": Harmful()}, False),
        (Harmful(), False),
        (np.array([1.0]), False),
        ({"A": [Path("x")]}, False),
    ],
)
def test_only_plain_data_are_unpickled(
    script: ModuleType,
    tmp_path: Path,
    content: object,
    is_plain: bool,
    capsys: pytest.CaptureFixture,
) -> None:
    (tmp_path / "x.pickle").write_bytes(pickle.dumps(content))
    if is_plain:
        scores = script.read_plain_pickle(tmp_path / "x.pickle")
        np.testing.assert_equal(scores, {"A": [0.0, -1.0, np.nan]})
        return
    with pytest.raises(pickle.UnpicklingError):
        script.read_plain_pickle(tmp_path / "x.pickle")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "content", [[1, 2], {}, {"A": "text"}, {1: [1.0]}, {"A": [True]}, {"A": ["x"]}]
)
def test_pickles_of_another_form_are_refused(
    script: ModuleType, tmp_path: Path, content: object
) -> None:
    (tmp_path / "x.pickle").write_bytes(pickle.dumps(content))
    with pytest.raises(ValueError, match=r"x\.pickle"):
        script.read_plain_pickle(tmp_path / "x.pickle")


DOCUMENTS = {"d1": ["a", "b"], "d2": ["a"], "d3": ["c", "d", "e"]}


def write_release(folder: Path) -> None:
    """Write a small test set and its scores by column, in the form of the release."""
    source = folder / "source"
    docs = "".join(
        f'<doc id="{name}" domain="news"><src><p>'
        + "".join(f'<seg id="{k}">{text}</seg>' for k, text in enumerate(texts, start=1))
        + "</p></src></doc>"
        for name, texts in DOCUMENTS.items()
    )
    source.mkdir(parents=True)
    (source / "wmttest2022.en-zh.all.xml").write_text(
        f"<dataset><collection>{docs}</collection></dataset>"
    )
    order = ["d3", "d1", "d2"]
    lines = [text for name in order for text in DOCUMENTS[name]]
    (source / "generaltest2022.en-de.src.en").write_text("\n".join(lines) + "\n")
    for pair in PAIRS:
        (source / pair).mkdir()
        for column in (1, 2, 3):
            scores = {"A": [-1.0 * column] * 6, "B": [0.0, None, -5.0, -1.0, 0.0, -0.1]}
            (source / pair / f"mqm-col{column}.pickle").write_bytes(pickle.dumps(scores))


def test_a_release_is_converted(script: ModuleType, tmp_path: Path) -> None:
    write_release(tmp_path)
    documents = script.read_test_set(tmp_path / "source" / script.TEST_SET)
    lines = (tmp_path / "source" / script.SOURCE_LINES).read_text().splitlines()
    placed = script.place_documents(documents, lines)
    assert [each["document"] for each in placed] == ["d3", "d1", "d2"]
    table = script.tabulate_documents(placed, 2)
    assert table["first_line"].tolist() == [0, 3, 5]
    assert table["rated_lines"].tolist() == [2, 2, 1]
    files = {k: tmp_path / "source" / "en-zh" / f"mqm-col{k}.pickle" for k in (1, 2, 3)}
    columns = {k: script.read_plain_pickle(file) for k, file in files.items()}
    zh = script.tabulate_documents(documents, None)
    rows, listed = script.add_buckets_and_raters("en-zh", script.tabulate_scores(columns, zh), zh)
    assert len(rows) == 3 * (6 + 5)
    assert listed["bucket"].tolist() == ["b1", "b2", "b1"]
    of_d2 = rows[rows["document"] == "d2"]
    assert sorted(of_d2["rater"].unique()) == ["r4", "r5", "r6"]


def test_source_lines_that_fit_no_document_are_refused(script: ModuleType, tmp_path: Path) -> None:
    write_release(tmp_path)
    documents = script.read_test_set(tmp_path / "source" / script.TEST_SET)
    with pytest.raises(ValueError, match="line 1 of"):
        script.place_documents(documents, ["x"])
