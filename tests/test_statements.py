"""No sentence without its row: what pages, conclusions and the front page say is measured."""

import re

import pandas as pd

from paperkit import parameters, paths
from rankcompanion.report import findings

ROWS = pd.read_csv(paths.ROOT / "benchmarks" / "results" / "statements.csv")
PAGE = paths.ROOT / "lib" / "paperkit" / "page"


def named(where):
    return set(ROWS.loc[ROWS["where"] == where, "name"])


def test_every_statement_of_a_page_has_its_row():
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(PAGE.glob("*.html.j2")))
    said = set(re.findall(r'data-says="([^"{]+)"', text)) | set(
        re.findall(r"says\('([^']+)'", text)
    )
    assert said and said == named("page")


def test_no_text_of_a_verdict_is_outside_a_statement():
    """Each macro of words is said in a statement, or is part of another macro."""
    page = (PAGE / "verdict.html.j2").read_text(encoding="utf-8")
    body = page[page.index("<main>") :]
    loose = [
        line
        for line in body.splitlines()
        if re.match(r"<(p|li|blockquote)[ >]", line) and "data-says" not in line
    ]
    assert [line for line in loose if 'class="quiet"' not in line and "text quiet" not in line] == [
        line for line in loose if line.startswith("<li>")
    ]


def test_every_conclusion_of_a_notebook_has_its_row():
    numbers = {name[:2] for name in parameters.notebooks()} - {"90"}
    assert numbers == {str(name).zfill(2) for name in named("notebook")}


def test_every_finding_has_its_row():
    assert named("front") >= {*findings.LEAD, *findings.TABLES}


def test_promises_keep_their_limits_and_descriptions_make_none():
    promises = ROWS[ROWS["kind"] == "promise"]
    assert (promises["error"] <= promises["limit"]).all() and (promises["n"] >= 100).all()
    assert promises["by"].notna().all()
    described = ROWS[ROWS["kind"] == "description"]
    assert described[["n", "error", "limit"]].isna().all(axis=None)
    assert set(ROWS["kind"]) <= {"promise", "description", "regime"}


def test_regimes_above_the_promise_are_those_of_the_measurements():
    cells = pd.read_csv(paths.ROOT / "benchmarks" / "results" / "certainty.csv")
    above = cells[cells["false"] > cells["limit"]]
    assert named("regime") == set(above["design"])
    assert (ROWS.loc[ROWS["kind"] == "regime", "error"] <= 0.35).all()
