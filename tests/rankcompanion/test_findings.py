"""The findings of the front page: counts from the tables, intervals over pairs, sentences."""

from __future__ import annotations

import html
import re

import numpy as np
import pandas as pd
import pytest

from paperkit import paths
from paperkit.templates import template
from rankcompanion import findings, front, ledger
from rankcompanion.figures import changes as drawing
from rankcompanion.papers import koehn2012


def test_a_range_is_over_pairs_and_of_pairs_that_have_cases():
    made = findings.over_pairs(pd.Series([3, 1, 0, 0]), pd.Series([4, 5, 1, 0]))
    assert (made["part"], made["whole"], made["units"]) == (4, 10, 3)
    assert (made["value"], made["low"], made["high"]) == (0.4, 0.0, 0.75)
    assert made["each"] == [(0.75, 4), (0.2, 5), (0.0, 1)]


def test_the_drawn_numbers_are_those_of_the_sentence():
    """Pairs, bars and diamonds of the figure, read back from its artists."""
    found = findings.over_pairs(pd.Series([3, 1, 0]), pd.Series([4, 5, 1]))
    other = findings.over_pairs(pd.Series([2, 2]), pd.Series([4, 8]))
    rows = [{"campaign": "wmtx", **found}, {"campaign": "wmty", **other}]
    figure = drawing.finding({"key": "removal", "rows": rows})
    ax = figure.axes[0]
    dots, bars = ax.collections[1::2], ax.collections[::2]
    assert [list(d.get_offsets()[:, 0]) for d in dots] == [[0.75, 0.2, 0.0], [0.5, 0.25]]
    assert [list(b.get_segments()[0][:, 0]) for b in bars] == [[0.0, 0.75], [0.25, 0.5]]
    assert [line.get_xdata()[0] for line in ax.lines] == [0.4, pytest.approx(1 / 3)]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["wmtx\n4 of 10", "wmty\n4 of 12"]
    assert drawing.svg(figure) == drawing.svg(drawing.finding({"key": "removal", "rows": rows}))


def test_ways_to_count_wins_are_compared_all_together_and_two_by_two():
    ranks = pd.DataFrame(
        [("wmtx", f"t{k}", s, 1 + n, 1 + n, 2 - n) for k in range(5) for n, s in enumerate("ab")],
        columns=["campaign", "task", "system", "bojar", "expected_win", "mfas"],
    )
    (row,) = findings.methods(ranks)
    assert (row["part"], row["whole"], row["ways"], row["two"]["part"]) == (10, 10, 3, 0)


def test_misprints_are_counted_once_for_each_printed_number(tmp_path):
    ledger_file = tmp_path / "claims_ledger.csv"
    head = "paper,place,cell,published,ours,status,reason,provenance\n"
    ledger_file.write_text(
        head
        + "koehn2012,Section 6,as stated | x,1,2,differs,the sentence contradicts it,simulated\n"
        + "koehn2012,Section 6,as matched | x,1,2,differs,the sentence contradicts it,simulated\n"
        + "bojar2011,Section 2,y,1,2,differs,slip in the paper: ...,official\n"
        + "bojar2011,Section 2,z,1,2,differs,another test,official\n"
    )
    assert findings.misprints(ledger_file) == {"part": 2, "whole": 3, "papers": 2}
    assert findings.misprints(tmp_path / "none.csv") == {}


def test_single_removals_are_counted_by_campaign():
    changes = pd.DataFrame(
        [
            (campaign, f"p{k}", removed, int(removed == "a"))
            for campaign in ("wmtx", "wmty")
            for k in range(5 if campaign == "wmtx" else 2)
            for removed in ("lowest", "a", "b")
        ],
        columns=["campaign", "pair", "removed", "d_rank"],
    )
    (row,) = findings.removal(changes)  # two pairs give no interval
    assert (row["campaign"], row["part"], row["whole"]) == ("wmtx", 5, 10)


def test_a_recipe_is_asked_about_campaigns_that_it_could_rank():
    columns = ["campaign", "pair", "recipe", "unit", "claimed", "claimed_and_held"]
    names = [name for name in ("wmtx", "bio-mqm") for _ in range(5)]
    rows = [(name, f"{k}", "wmt17", "document", 2, 1) for k, name in enumerate(names)]
    found = findings.lines(pd.DataFrame(rows, columns=columns))
    assert [row["campaign"] for row in found] == ["wmtx"]


def test_the_fewest_judgments_are_shares_with_the_least_pair_named():
    table = pd.DataFrame(
        [
            ("wmtx", "a-b", "first", "judgment", 5, 100, 0),
            ("wmtx", "c-d", "first", "judgment", 2, 400, 1),
            ("wmtx", "c-d", "first", "annotator", 1, 9, 0),
            ("wmtx", "e-f", "first", "judgment", np.nan, 50, 0),
            ("wmty", "a-b", "line below 1", "judgment", 1, 100, 0),
        ],
        columns=["campaign", "pair", "what", "unit", "fewest", "of", "exact"],
    )
    (row,) = findings.fewest(table)
    assert (row["campaign"], row["pair"], row["exact"]) == ("wmtx", "c-d", True)
    assert (row["part"], row["whole"], row["low"], row["high"]) == (2, 400, 0.005, 0.05)
    assert row["value"] == pytest.approx(0.0275) and row["units"] == 2
    said = bare(str(template("findings.j2").module.sentence({"key": "fewest", "rows": [row]})))
    assert "out 2 of the 400 judgments of wmtx c-d puts another system first." in " ".join(
        said.split()
    )
    ax = drawing.finding({"key": "fewest", "rows": [row]}).axes[0]
    assert ax.get_xscale() == "log" and ax.lines[0].get_xdata()[0] == row["value"]


def test_halves_are_ranked_by_z_at_half_the_campaign():
    rows = [
        ("wmt21", unit, score, level, tau)
        for _ in range(6)
        for unit, score, level, tau in [
            ("workers", "z", 1.0, 0.4),
            ("workers", "z", 0.5, 0.2),
            ("workers", "none", 1.0, 0.0),
            ("documents", "z", 1.0, 0.9),
        ]
    ]
    effort = pd.DataFrame(rows, columns=["campaign", "unit", "normalisation", "level", "kendall"])
    (only,) = findings.halves(effort)
    assert only["value"] == pytest.approx(0.4) and only["units"] == 6


# ------------------------------------------------------------------ README and front page


@pytest.fixture(scope="module")
def said():
    """The findings that README says, without their links."""
    if not (paths.FIGURES / "claims_ledger.csv").is_file():
        pytest.skip("no committed results")
    start, end = ledger.ANSWERS
    readme = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    return readme.partition(start)[2].partition(end)[0].strip().splitlines()


def bare(line):
    return re.sub(r" \(\[figure\]\(.*?\)\)$", "", line).removeprefix("- ")


def counted(notebook, name, **where):
    """Rows of a kept table by campaign, for campaigns with at least five pairs (or tasks)."""
    out = {}
    for file in sorted(paths.FIGURES.glob(f"wmt*/{notebook}/{name}.csv")):
        rows = pd.read_csv(file)
        for column, value in where.items():
            rows = rows[rows[column] == value]
        if rows.get("pair", rows.get("task")).nunique() >= 5:
            out[file.parts[-3]] = rows
    return out


def spread(rows, part, whole, by="pair"):
    """The least and the largest ratio of single pairs."""
    sums = rows.assign(part=part, whole=whole).groupby(by)[["part", "whole"]].sum()
    each = (sums["part"] / sums["whole"])[sums["whole"] > 0]
    return each.min(), each.max()


def numbers(sentence):
    found = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", sentence)
    return [float(number.replace(",", "")) for number in found]


def near(told, low_high, scale=100.0, by=2.0):
    assert told == pytest.approx(scale * np.asarray(low_high), abs=by)


def test_the_readme_says_what_the_committed_results_give(said):
    made = findings.sentences(paths.FIGURES).splitlines()
    assert len(made) == 8
    for ours, line in zip(made, said, strict=True):
        assert line == ours
        figure = line.partition("](")[2].partition(")")[0]
        assert not figure or (paths.ROOT / figure).is_file()


def test_what_the_readme_says_of_koehn_is_what_the_simulation_gives():
    """Figure 3 at 20 instead of 10; LOPEZ at none of the spreads."""
    text = " ".join((paths.ROOT / "README.md").read_text(encoding="utf-8").split())
    assert "those of Figure 3 only at 20 instead of 10, and of its LOPEZ at none" in text
    errors = pd.read_csv(paths.FIGURES / "wmt12" / "09_simulation" / "ranking_errors.csv")
    printed = koehn2012.printed("Figure 3").rename(columns={"method": "ranker"})
    both = errors.merge(printed[["ranker", "judgments", "value"]])
    both["off"] = (both["error"] - both["value"]).abs()
    worst = both.groupby(["ranker", "spread"])["off"].max()
    near = {
        ranker: list(worst[ranker][worst[ranker] < 0.005].index) for ranker in ("BOJAR", "LOPEZ")
    }
    assert near == {"BOJAR": [20], "LOPEZ": []}


def test_the_front_page_says_what_the_readme_says(said, tmp_path):
    (tmp_path / "assets").mkdir()
    pages, _ = front.contexts([], {}, paths.FIGURES, tmp_path)
    page = template("index.html.j2").render(**pages["index.html"], page="index.html", root="")
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())
    for line in said:
        assert bare(line) in text
    # and its table of papers has the numbers of README's
    readme = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    start, end = ledger.MARKERS
    rows = readme.partition(start)[2].partition(end)[0].strip().splitlines()[2:-1]
    table = re.search(r'<table class="papers">.*?</table>', page, re.DOTALL).group()
    cells = [
        [" ".join(html.unescape(re.sub(r"<[^>]+>", "", cell)).split()) for cell in
         re.findall(r"<t[hd][ >].*?</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)[1:]
    ]  # fmt: skip
    shown = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [[row[0], *row[2:]] for row in cells] == [[row[0], *row[2:]] for row in shown]


def test_removals_of_the_readme_are_those_counted(said):
    shares = {}
    for campaign, rows in counted("02_outlier_removal", "changes").items():
        single = rows[~rows["removed"].isin(["human+ref", "ref", "lowest", "highest"])]
        shares[campaign] = (
            single["d_rank"].sum(),
            len(single),
            spread(single, single["d_rank"], 1),
        )
    most = max(shares, key=lambda c: shares[c][0] / shares[c][1])
    least = min(shares, key=lambda c: shares[c][0] / shares[c][1])
    for campaign, words in (
        (most, "in {} of {} cases ({}; "),
        (least, "only in {} of {} cases ({}; "),
    ):
        changed, of, interval = shares[campaign]
        _, _, rest = said[0].partition(words.format(changed, of, campaign))
        assert rest, (campaign, changed, of)
        near(numbers(rest)[:2], interval)


def test_the_fewest_judgments_of_the_readme_are_those_of_the_tables(said):
    least, medians = [], []
    for file in sorted(paths.FIGURES.glob("*/02_outlier_removal/fewest.csv")):
        rows = pd.read_csv(file).query("what == 'first' and unit == 'judgment'").dropna()
        share = rows["fewest"] / rows["of"]
        least += [
            (s, int(n), int(of)) for s, n, of in zip(share, rows["fewest"], rows["of"], strict=True)
        ]
        medians.append(100 * share.median())
    assert numbers(said[1])[:2] == [*min(least)[1:]] and said[1].count("at most") == 1
    told = [float(number) for number in re.findall(r"([\d.]+) % \(", said[1])]
    assert sorted(told) == pytest.approx(sorted(medians), rel=0.06)


def test_halves_of_the_readme_are_those_counted(said):
    tau = {}
    for campaign, rows in counted("06_srp", "effort", unit="workers", normalisation="z").items():
        half = rows[rows["level"] == 1.0]
        tau[campaign] = (half["kendall"].mean(), spread(half, half["kendall"], 1))
    for campaign in (min(tau, key=lambda c: tau[c][0]), max(tau, key=lambda c: tau[c][0])):
        value, interval = tau[campaign]
        _, _, rest = said[2].partition(f"{value:.2f} ({campaign}; ")
        assert rest
        near(numbers(rest)[:2], interval, 1.0, 0.02)


def test_clusters_by_rule_of_the_readme_are_those_counted(said):
    ratio = {}
    for campaign, rows in counted(
        "01_replication", "clusters_by_rule", test="scipy<1.7", correction="none"
    ).items():
        rules = rows.drop(columns=["pair", "test", "correction"])
        most, fewest = rules.sum().idxmax(), rules.sum().idxmin()
        both = rules[most].sum(), rules[fewest].sum()
        ratio[campaign] = (both[0] / both[1], most, fewest, both, rows)
    campaign = max(ratio, key=lambda c: ratio[c][0])
    value, most, fewest, both, rows = ratio[campaign]
    words = (
        f"{campaign} has {both[0]} under “{most}” and {both[1]} under “{fewest}”, {value:.1f} times"
    )
    _, _, rest = said[3].partition(words)
    assert rest
    near(numbers(rest)[:2], spread(rows, rows[most], rows[fewest]), 1.0, 0.1)


def test_lines_that_hold_of_the_readme_are_those_counted(said):
    all_of_them = counted("10_lines", "line_counts", recipe="wmt17")
    for campaign, rows in all_of_them.items():
        known = rows.dropna(subset="claimed_and_held")
        units = ("worker x document", "worker", "document", "block")
        own = next(u for u in units if known.loc[known["unit"] == u, "pair"].nunique() >= 5)
        mine = known[known["unit"] == own]
        held, claimed = int(mine["claimed_and_held"].sum()), mine["claimed"].sum()
        other = "workers and documents" if " x " in own else f"{own}s"
        words = f"{held or 'none'} of {claimed} ({campaign}, other {other}"
        _, _, rest = said[4].partition(words)
        assert rest, words
        if held:
            near(numbers(rest)[:2], spread(mine, mine["claimed_and_held"], mine["claimed"]))
    assert said[4].count(", other ") == len(all_of_them)


def test_false_lines_of_the_readme_are_those_counted(said):
    tables = counted("10_lines", "false_lines", recipe="wmt17", unit="document")
    mean = {c: rows["campaigns_with_line"].mean() for c, rows in tables.items()}
    most = max(mean, key=mean.get)
    _, _, rest = said[5].partition(
        f"{100 * mean[most]:.0f} % of campaigns ({most}, labels shuffled"
    )
    assert rest
    near(numbers(rest)[:2], spread(tables[most], tables[most]["campaigns_with_line"], 1))


def test_ranks_by_method_of_the_readme_are_those_counted(said):
    shares = {}
    for campaign, rows in counted("07_relative_ranking", "method_ranks").items():
        ways = rows.drop(columns=["task", "system"])
        moved = ways.nunique(axis=1) > 1
        shares[campaign] = (moved.sum(), len(rows), spread(rows, moved, 1, by="task"))
    by_share = sorted(shares, key=lambda c: shares[c][0] / shares[c][1])
    for campaign in (by_share[0], by_share[-1]):
        moved, of, interval = shares[campaign]
        _, _, rest = said[6].partition(f"{moved} of {of} systems ({campaign}; ")
        assert rest
        near(numbers(rest)[:2], interval)


def test_misprints_of_the_readme_are_those_of_the_ledger(said):
    rows = pd.read_csv(paths.FIGURES / "claims_ledger.csv", dtype=str, keep_default_na=False)
    cells, wrong = set(), set()
    for row in rows.itertuples():
        cell = (row.paper, row.place, re.sub(r"^as (stated|matched) \| ", "", row.cell))
        cells.add(cell)
        reasons = ("slip", "misprint", "the sentence contradicts")
        if row.status == "differs" and row.reason.startswith(reasons):
            wrong.add(cell)
    papers = len({cell[0] for cell in wrong})
    assert numbers(said[7]) == [len(cells), len(wrong), papers]


def test_nothing_is_claimed_without_results(tmp_path):
    assert findings.gather(tmp_path) == []
    assert findings.sentences(tmp_path) == ""
