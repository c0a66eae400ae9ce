"""Results on disk: whole or not at all, the same bytes each time; the ledger's verdicts."""

import json
import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from companion.legacy.paperkit.placing import csv_bytes, write_whole
from companion.legacy.rankcompanion.running import session
from companion.legacy.rankcompanion.running.session import Outputs
from companion.legacy.rankstability.errors import DataError

RUNS = ("run.json", "cs-en/run.json")


def drawing():
    fig, ax = plt.subplots()
    ax.plot([0, 1], [1, 0], label="a")
    ax.legend()
    return fig


def test_figures_and_tables_have_the_same_bytes_twice_and_no_settings_inside(tmp_path):
    frame = pd.DataFrame({"system": ["a", "b"], "score": [0.1 + 0.2, -0.0]})
    for name, seed in (("one", 1), ("two", 2)):
        out = Outputs(tmp_path / name, {"seed": seed})
        out.figure(drawing(), "drawn", data=frame)
        out.table(frame, "scores", pair="cs-en")
    for file in ("drawn.png", "drawn.csv", "cs-en/scores.csv"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert (tmp_path / "one" / "drawn.csv").read_text() == "system,score\na,0.3\nb,0\n"
    whole, pair = (json.loads((tmp_path / "two" / f).read_text()) for f in RUNS)
    assert (whole["seed"], whole["pair"], pair["seed"], pair["pair"]) == (2, "all", 2, "cs-en")
    assert whole["files"] == {"drawn.csv": "the numbers in drawn.png", "drawn.png": "figure"}
    assert pair["files"] == {"scores.csv": "table"}
    names = sorted(str(p.relative_to(tmp_path / "one")) for p in (tmp_path / "one").rglob("*.*"))
    assert names == sorted(["drawn.png", "drawn.csv", "cs-en/scores.csv", *RUNS])


def test_figures_come_as_svg_or_pdf_too_where_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv(session.FORMATS, "png, SVG,pdf")
    for name in ("one", "two"):
        Outputs(tmp_path / name).figure(drawing(), "drawn")
    for form in ("png", "svg", "pdf"):
        one, two = (tmp_path / name / f"drawn.{form}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    monkeypatch.setenv(session.FORMATS, "gif")
    with pytest.raises(DataError, match="unknown figure format; found 'gif'"):
        Outputs(tmp_path)


def test_pairs_run_with_other_settings_are_refused(tmp_path):
    settings = {"notebook": "02", "campaign": "c", "removed": ("a",), "alpha": 0.05}
    for pair, rule in (("cs-en", "knowles"), ("de-en", "adjacent")):
        out = Outputs(tmp_path, {**settings, "rule": rule, "data": pair})
        out.table(pd.DataFrame({"x": [1]}), "changes", pair=pair)
    wanted = {**settings, "rule": "knowles", "data": "all"}
    session.check_pairs(tmp_path, ["cs-en"], wanted)
    with pytest.raises(DataError, match=r"de-en.*column 'rule'.*'adjacent'.*'knowles'"):
        session.check_pairs(tmp_path, ["cs-en", "de-en"], wanted)
    with pytest.raises(DataError, match="this pair has not been run"):
        session.check_pairs(tmp_path, ["ru-en"], wanted)


def test_a_write_that_fails_leaves_the_earlier_file(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    write_whole(path, b"first")

    def broken(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, b"second")
    assert path.read_bytes() == b"first"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_pair_tables_are_gathered_in_order_with_their_pair(tmp_path):
    out = Outputs(tmp_path)
    for pair in ("ru-en", "cs-en"):
        out.table(pd.DataFrame({"rank": [1]}), "ranking", pair=pair)
    assert out.pair_tables("ranking")["pair"].tolist() == ["cs-en", "ru-en"]
    with pytest.raises(DataError, match="no pair has been run yet"):
        out.pair_tables("absent")


def test_versions_of_what_can_change_a_number_are_signed():
    signed = session.signature(campaign="wmt18")
    assert signed["campaign"] == "wmt18"
    assert set(signed["versions"]) == {"python", "numpy", "pandas", "scipy", "statsmodels"}


def test_ten_significant_digits_are_kept():
    assert csv_bytes(pd.DataFrame({"x": [np.pi * 1e-5]})) == b"x\n3.141592654e-05\n"


def test_no_negative_zero_is_written_wherever_it_stands():
    frame = pd.DataFrame({"a": [-0.0, 1.0], "b": [-0.0, -0.5], "c": ["x-0", "-0"]})
    assert csv_bytes(frame) == b"a,b,c\n0,0,x-0\n1,-0.5,-0\n"


@pytest.mark.parametrize("pair", ["../x", "a/b", "/x", "..", ".", "a\\b"])
def test_results_of_a_pair_stay_in_its_folder(tmp_path, pair):
    with pytest.raises(DataError, match="not a language pair"):
        Outputs(tmp_path / "o").table(pd.DataFrame({"x": [1]}), "t", pair=pair)
    assert not list(tmp_path.iterdir())


def test_a_conclusion_is_three_sentences_or_says_that_it_needs_all_pairs():
    assert session.conclude("One is 1.5.", "Two.", "Three.").data == "One is 1.5. Two. Three."
    assert session.conclude().data == session.UNSAID
    for said in (["One."], ["One.", "Two."], ["One.", "Two", "Three."]):
        with pytest.raises(ValueError, match="three sentences"):
            session.conclude(*said)


def test_a_loop_shows_the_pairs_that_are_shown_and_computes_all(capsys):
    pairs = ("cs-en", "de-en", "en-cs")
    run = session.Run(None, "", pairs, True, None, shown=pairs[:1])
    computed = []
    for pair in run.each():
        print("seen", pair)
        computed.append(pair)
    for pair, number in run.each({"de-en": 2, "cs-en": 3}.items()):
        print("seen", pair, number)
        computed.append(number)
    assert computed == [*pairs, 2, 3]
    assert capsys.readouterr().out == "seen cs-en\nseen cs-en 3\n"
