"""No sentence without its row: what pages, conclusions and the front page say is measured."""

import re

import pandas as pd
import pytest
import statements

from companion.legacy.paperkit import parameters, paths
from companion.legacy.rankcompanion.report import findings

ROWS = pd.read_csv(statements.RESULTS / "statements.csv").set_index(["where", "name"])
PAGE = statements.TEMPLATES / "page"
WHAT = "say in benchmarks/statements.py what a new sentence claims, and run it"


def named(where):
    return set(ROWS.loc[where].index)


def sources():
    pages = [file.read_text(encoding="utf-8") for file in sorted(PAGE.glob("*.html.j2"))]
    return pages, (PAGE / "verdict_words.j2").read_text(encoding="utf-8")


def test_every_sentence_of_a_template_has_its_row():
    counted = statements.sentences()
    said = {key for key, number in counted.items() if number or key[0] == "page"}
    assert said <= set(ROWS.index), WHAT
    known = ROWS["sentences"].dropna().astype(int).to_dict()
    assert {key: counted[key] for key in said} == {key: known[key] for key in said}, WHAT
    rows = ROWS.drop("regime", level="where").index
    assert set(rows) <= set(counted)  # no row without its sentence


ADDED = "No other system is ever better than {{ v.leader }}."


@pytest.mark.parametrize(
    ("before", "added"),
    [
        ('<h2 id="first">', f"<p>{ADDED}</p>"),
        ('<h2 id="first">', f'{{% if v.told %}}<div class="quiet">{ADDED}</div>{{% endif %}}'),
        ("{{ badge(row.answer) }}", ADDED),
        ("{{ row.best }}", ADDED),  # of the overview
        ("Nothing above knows of", ADDED),
        ("<hr>", "{{ says('may be first', 'All of it is true.') }}"),
    ],
)
def test_a_sentence_that_is_added_to_a_page_is_seen(before, added):
    pages, words = sources()
    more = [page.replace(before, f"{added} {before}") for page in pages]
    assert more != pages
    assert statements.of_pages(more, words) != statements.of_pages(pages, words)


@pytest.mark.parametrize("macro", list(statements.macros(sources()[1])))
def test_a_sentence_that_is_added_to_any_macro_is_seen(macro):
    pages, words = sources()
    more = re.sub(rf"({{% macro {macro}\(.*?%}})", r"\1 All of it is true. ", words)
    assert more != words
    assert statements.of_pages(pages, more) != statements.of_pages(pages, words)


def test_a_new_kind_of_statement_is_seen():
    pages, words = sources()
    more = [page + '<p data-says="oracle">This holds for ever.</p>' for page in pages]
    assert set(statements.of_pages(more, words)) - named("page") == {"oracle"}


def test_every_conclusion_of_a_notebook_and_every_finding_has_its_row():
    numbers = {name[:2] for name in parameters.notebooks()} - {"90"}
    assert numbers == named("notebook")
    assert named("front") >= {*findings.LEAD, *findings.TABLES}


def test_promises_keep_their_limits_and_descriptions_make_none():
    promises = ROWS[ROWS["kind"] == "promise"]
    assert (promises["error"] <= promises["limit"]).all() and (promises["n"] >= 100).all()
    assert promises["by"].notna().all()
    described = ROWS[ROWS["kind"] == "description"]
    assert described[["n", "error", "limit"]].isna().all(axis=None)
    assert set(ROWS["kind"]) <= {"promise", "description", "regime"}


def test_a_row_over_its_limit_is_a_regime_that_has_a_name_and_a_rate():
    """What the promise covers is all that was measured but the regimes named beforehand."""
    cells = pd.read_csv(statements.RESULTS / "certainty.csv", dtype={"groups": str})
    within = statements.outside_regimes(cells)
    most = [statements.noisy(statements.ALPHA, n) for n in within["campaigns"]]
    assert (within["false"] <= most).all(), within[within["false"] > most].to_string()
    assert named("regime") == {regime.name for regime in statements.REGIMES}
    for row in ROWS.loc["regime"].itertuples():
        assert row.error <= row.limit and re.match(
            r"false in [\d.]+( to [\d.]+)?, not .05$", row.claims
        )


def test_the_page_names_the_rates_of_the_regimes():
    words = sources()[1]
    rates = {regime.name.partition(":")[0]: regime.rate for regime in statements.REGIMES}
    assert f"up to {100 * rates['heavy loads']:.1f} % of rankings made a false" in words
    assert f"heavy_rate = {rates['heavy loads']:g} %" in words  # what the rest of the page says
    assert 1 / 4 < rates["whims all of one exact size, three annotators"] < 1 / 3 + 0.01
    assert "one such statement in three may be false" in words


def test_the_trust_page_says_what_the_promise_rests_on():
    text = " ".join((paths.ROOT / "lib" / "paperkit" / "trust.html.j2").read_text().split())
    rests = "joins all systems", "a fair draw", "half the judgments", "families of their own"
    of_whom = "mean of z-scores", "different segments", "strength is infinite"
    assert [words for words in (*rests, *of_whom) if words not in text] == []
