"""All pairs on one page, by one process or several; what is handed on: JSON, LaTeX, workbook."""

import io
import json
import re
import shutil
import subprocess
import sys
from html import escape, unescape
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

import site_fixture
from conftest import needs
from companion.legacy.paperkit import columns, placing
from companion.legacy.paperkit.errors import InputError
from companion.legacy.paperkit.templates import HERE, number
from companion.legacy.rankcampaigns.campaigns import find
from companion.legacy.rankcompanion.figures import common
from companion.legacy.rankcompanion.figures import lines as figures
from companion.legacy.rankcompanion.report import front
from companion.legacy.rankcompanion.running import commands, run, session
from companion.legacy.rankcompanion.verdict import overview
from companion.legacy.rankcompanion.verdict import page as report
from companion.legacy.rankstability import paths
from verdicts import told_of, written

IN_PROCESS = True


def files(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of the verdicts of a campaign of two pairs, made by one process."""
    folder = tmp_path_factory.mktemp("overview") / "out"
    words = ["verdict", "demo-srdc", f"output_dir={folder}", "--jobs", "1"]
    assert commands.main(words) == 0
    return folder


def cells(text):
    """The texts of a table's cells, row by row."""
    rows = re.findall(r"<tr.*?</tr>", text, re.DOTALL)
    found = [re.findall(r"<t[dh]\b.*?</t[dh]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in found]


def test_one_page_shows_every_pair_and_leads_to_its_own(made):
    text = (made / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'<a [^>]*href="([^"]*)"', text)
    assert links == ["de-en/verdict.html", "en-cs/verdict.html"] and text.count("<svg") == 2
    assert all((made / link).is_file() for link in links)
    for row, pair in zip(cells(text)[1:], ("de-en", "en-cs"), strict=True):
        said = json.loads((made / pair / "verdict.json").read_text(encoding="utf-8"))
        assert row[0] == pair
        assert row[2] == said["statements"]["best"] and row[4] == said["statements"]["weakest"]
        assert row[3].startswith(f"{said['claimed']} claimed" if said["claimed"] else "none cl")
    table = pd.read_csv(made / "verdicts.csv")
    assert table["task"].tolist() == ["de-en", "en-cs"]
    assert "default-src 'none'" in text and "<script" not in text


def test_the_results_are_the_same_bytes_whatever_the_number_of_jobs(made, tmp_path, capfd):
    words = ["verdict", "demo-srdc", f"output_dir={tmp_path / 'two'}", "--jobs", "2"]
    assert commands.main(words) == 0
    assert files(tmp_path / "two") == files(made)
    printed = capfd.readouterr().out
    for pair in ("de-en", "en-cs"):  # each is said as it is ready: first what is known first
        said = json.loads((made / pair / "verdict.json").read_text(encoding="utf-8"))
        first, then = f"{pair}: {said['sentence']}", f"{pair}: {said['statements']['next']}"
        assert 0 <= printed.index(first) < printed.index(then)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--jobs", "2.5"], "option --jobs; found '2.5'; expected a whole number from 1 to 9999"),
        (["--jobs=0"], "option --jobs; found '0'; expected a whole"),
        (["--jobs"], "option --jobs; found ''; expected a whole"),
        (["jobs=0"], "jobs is an option, not a parameter; found 'jobs=0'; expected --jobs 2"),
    ],
)
def test_jobs_that_are_none_are_refused_by_name(words, named, capsys):
    assert commands.main(["verdict", "demo-srdc", *words]) == 2
    assert f"error: {named}" in capsys.readouterr().err


def test_a_verdict_that_fails_leaves_nothing_and_an_earlier_page_stays(tmp_path, monkeypatch):
    folder = tmp_path / "out"

    def stopped(*args):
        raise OSError("disk full")

    monkeypatch.setattr(report.study, "removals", stopped)
    given = {"campaign": "demo-srdc", "pair": "de-en", "output_dir": str(folder)}
    plan = run.plan("00_verdict", given)
    with pytest.raises(OSError, match="disk full"):
        report.execute(plan)
    assert not folder.exists()
    for name, content in (("verdict.html", b"<p>mine</p>"), ("run.json", b'{"notebook": "00"}')):
        placing.write_whole(folder / "de-en" / name, content)
    with pytest.raises(OSError, match="disk full"):
        report.execute(plan)
    assert (folder / "de-en" / "verdict.html").read_bytes() == b"<p>mine</p>"


@pytest.mark.parametrize("theirs", ["index.html", "de-en/verdict.json"])
def test_what_somebody_else_wrote_is_not_overwritten(theirs, made, tmp_path, capsys):
    placing.write_whole(tmp_path / theirs, b"mine")
    assert commands.main(["verdict", "demo-srdc", f"output_dir={tmp_path}"]) == 2
    said = capsys.readouterr().err
    assert f"{theirs}: a file that no run wrote would be overwritten; expected an out" in said
    assert files(tmp_path) == {Path(theirs): b"mine"}
    placing.refuse_others(made, [theirs])  # what a run has made may be made again


def test_a_file_that_no_run_promises_is_not_overwritten_either(tmp_path, monkeypatch):
    given = {"campaign": "demo-srdc", "pair": "de-en", "output_dir": str(tmp_path)}
    placing.write_whole(tmp_path / "de-en" / "tables.xlsx", b"mine")

    def made(values, *_):
        placing.write_whole(Path(values["output_dir"]) / "de-en" / "tables.xlsx", b"ours")
        return []

    monkeypatch.setattr(report, "verdict", made)
    with pytest.raises(InputError, match=r"tables\.xlsx: a file that no run wrote"):
        report.execute(run.plan("00_verdict", given))
    assert files(tmp_path) == {Path("de-en/tables.xlsx"): b"mine"}


def test_each_domain_is_ranked_by_itself(tmp_path):
    """Good wins in one domain by far, Bad in the other; together nothing is clear."""
    rng = np.random.default_rng(2)
    rows = []
    for domain, gap in (("news", 20.0), ("=chat", -20.0)):
        for d in range(12):
            for who in range(8):
                for name, sign in (("Good", 0.5), ("Bad", -0.5)):
                    score = 50 + sign * gap + rng.normal(0, 4)
                    rows.append((name, f"{domain}{d}", f"{domain}{d}", domain, f"a{who}", score))
    columns = ["system", "segment", "document", "domain", "annotator", "score"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "mine.csv", index=False)
    told = told_of(tmp_path / "mine.csv", "xx-yy")
    by = {row["domain"]: row for row in told["domains"]}
    assert {name: row["leader"] for name, row in by.items()} == {"news": "Good", "=chat": "Bad"}
    assert all((row["may_be_first"], row["held"]) == (1, 1) for row in by.values())
    assert told["claimed_held"] == 0


def test_battles_of_each_category_are_ranked_by_themselves(tmp_path):
    """A wins in maths by far, B in poetry; C met only A where no category is named."""
    rows = [
        {"model_a": "A", "model_b": "B", "winner": f"model_{winner}", "category": category}
        for category, wins in (("maths", "aaab"), ("poetry", "bbba"))
        for winner in 30 * wins
    ]
    rows += [{"model_a": "C", "model_b": "A", "winner": "model_a", "category": ""}] * 3
    file = tmp_path / "arena.csv"
    pd.DataFrame(rows).to_csv(file, index=False)
    assert told_of(file, "xx-yy")["domains"] == []  # in none of them all were judged
    pd.DataFrame(rows[:-3]).to_csv(file, index=False)
    told = told_of(file, "xx-yy")
    assert told["domains"] == [
        {"domain": name, "judgments": 120, "systems": 2, "leader": leader,
         "may_be_first": 1, "claimed": 1, "held": 1}
        for name, leader in (("maths", "A"), ("poetry", "B"))
    ]  # fmt: skip
    page = report.page(told, {}).decode()
    assert "Category by category" in page and "<th>category</th>" in page
    given = [str(file), f"output_dir={tmp_path / 'out'}", "--quiet"]
    assert commands.main(["verdict", *given]) == 0
    rows = cells((tmp_path / "out" / "index.html").read_text(encoding="utf-8"))
    assert [row[2] for row in rows[2:]] == [
        f"{leader} is first; 1 of 2 may be first" for leader in "AB"
    ]


@needs("wmt22-appraise-liv")
def test_a_reference_is_spoken_of_apart_from_the_systems():
    told = told_of("wmt22-appraise-liv", "en-liv")
    assert (told["humans"], told["humans_above"]) == (["ref.A"], ["ref.A"])
    assert told["may_be_first"] == ["ref.A"] and told["machines_first"] == ["TAL-SJTU"]
    said = report.statements(told)
    accounts, _, best = said["best"].partition("TAL-SJTU may be called")
    assert accounts.startswith("The 22 annotators are accounts, which may be fewer people: ")
    assert best.startswith(" the best of the 5 systems: it would be")
    assert "ref.A, a human translation or reference, is above TAL-SJTU for certain" in said["best"]
    assert "We ranked 5 systems and 1 human translation or reference on en-liv" in said["paper"]


def test_what_decides_is_said_with_whether_it_is_exact():
    told = told_of(str(paths.DEMO / "ratings.csv"), "xx-yy")
    first = [row for row in told["fewest"] if row["what"] == "first"]
    assert {row["unit"] for row in first} == {"judgment", "annotator", "document"}
    assert written(told)["fewest"] == told["fewest"]
    for exact, words in ((1, "judgments another system"), (0, "judgments (or fewer) another")):
        row = first[0] | {"fewest": 7.0, "of": 720, "exact": exact, "new_first": "X"}
        page = " ".join(report.page(told | {"fewest": [row]}, {}).decode().split())
        assert f"Without 7 of 720 {words}" in page and "would be first: X." in page
    page = report.page(told | {"fewest": [first[0] | {"fewest": None}]}, {}).decode()
    assert "No set of judgments was found without which another system is first." in " ".join(
        page.split()
    )


def test_battles_without_judges_say_how_many_comparisons_decide(tmp_path):
    rng = np.random.default_rng(1)
    rows = [{"model_a": "A", "model_b": "B", "winner": w} for w in ["model_a"] * 6 + ["tie"] * 5]
    rows += [{"model_a": "B", "model_b": "C", "winner": w}
             for w in rng.permutation(["model_a"] * 5 + ["model_b"] * 4)]  # fmt: skip
    rows += [{"model_a": "B", "model_b": "A", "winner": "model_a"}] * 4
    rows += [{"model_a": "C", "model_b": "A", "winner": "model_a"}] * 2
    file = tmp_path / "arena.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = told_of(file, "xx-yy")
    assert told["ties"] == 5 and [row["unit"] for row in told["fewest"]] == ["judgment"]
    assert "and 5 ties besides" in report.page(told, {}).decode()
    assert report.sentence(told).endswith("Nothing is known of other judges: none is named.")


def test_the_recipe_is_chosen_for_a_reason_and_another_first_is_named():
    told = told_of("demo-srdc", "de-en")
    page = " ".join(report.page(told, {}).decode().split())
    assert "Ranked by the recipe wmt17" in page
    mine = [row for row in told["recipe_counts"] if row["recipe"] == "wmt17"]
    other = {"recipe": "wmt99", "claimed": 0, "held": 0, "also_held": 0, "first": "X<Y"}
    page = report.page(told | {"recipe_counts": [*mine, other]}, {}).decode()
    assert "Another would change who is first: X&lt;Y by wmt99, instead of Cedar.103." in page
    page = report.page(told | {"recipe_counts": [*mine, other | {"first": "Cedar.103"}]}, {})
    assert "Cedar.103 is first of the systems by every other recipe too." in page.decode()


# ------------------------------------------------------------------ what is handed on


def schema():
    return json.loads((HERE / "page" / "verdict.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=["demo-srdc", "demo-mqm", "demo-rr", "ratings.csv"])
def told(request):
    name = request.param
    return told_of(str(paths.DEMO / name), find(paths.DEMO / name).pairs[0])


def test_the_json_has_its_schema_and_the_whole_page_is_made_of_it(told):
    jsonschema = pytest.importorskip("jsonschema")
    out = written(told)
    jsonschema.validate(out, schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(out | {"another": 1}, schema())
    again = out | {"systems": out["systems_ranked"]}
    again["repeat"] = [out["repeat"]] if out["repeat"] else []
    assert report.page(again, {}) == report.page(told, {})
    for name, rows in out.items():  # columns of tables are explained
        if isinstance(rows, list) and rows and isinstance(rows[0], dict) and name != "systems":
            told_of_it = columns.meanings(name, list(rows[0]))
            assert all(row["text"] for row in told_of_it), (name, told_of_it)


def properties(part, name=""):
    """Every property of a schema, with those in it, by its path."""
    for key, inner in part.get("properties", {}).items():
        yield f"{name}.{key}", inner
        yield from properties(inner, f"{name}.{key}")
    if "items" in part:
        yield from properties(part["items"], f"{name}[]")


def closed(part):
    """The schema with nothing allowed that it does not name; but for columns of tables."""
    if isinstance(part, list):
        return [closed(one) for one in part]
    if not isinstance(part, dict):
        return part
    made = {key: closed(inner) for key, inner in part.items()}
    return made | ({"additionalProperties": False} if "properties" in part else {})


def test_every_property_is_described_and_everything_in_the_json_is_one(told):
    assert [name for name, part in properties(schema()) if not part.get("description")] == []
    assert len(list(properties(schema()))) > 120
    jsonschema = pytest.importorskip("jsonschema")
    out = written(told)
    jsonschema.validate(out, closed(schema()))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(out | {"lines": [out["lines"][0] | {"x": 1}]}, closed(schema()))


def test_nothing_can_be_told_and_the_json_still_has_its_schema(tmp_path):
    rows = [(s, k, "anna", 50 + k % 7 + 3 * (s == "A")) for s in "AB" for k in range(40)]
    file = tmp_path / "mine.csv"
    named = ["system", "segment", "annotator", "score"]
    pd.DataFrame(rows, columns=named).to_csv(file, index=False)
    out = written(told_of(file, "xx-yy"))
    pytest.importorskip("jsonschema").validate(out, schema())
    assert out["statements"]["best"].startswith("No system may be called best: A has the highest")
    assert out["statements"]["next"].startswith("Have at least 4 annotators judge")


def latex(told, systems):
    ranking = [{**row, "system": name} for row, name in zip(told["ranking"], systems, strict=False)]
    return report.as_latex(told | {"ranking": ranking}, 2).decode()


def test_the_table_for_a_paper_has_rules_minus_signs_ranges_and_a_label(told):
    text = latex(told, [row["system"] for row in told["ranking"]])
    n, marks = len(told["ranking"]), {(row["claimed"], row["held"]) for row in told["lines"]}
    assert text.count(" \\\\\n") == n + 1 and "\\toprule" in text and "\\bottomrule" in text
    assert re.search(r"\\label\{tab:[a-z0-9-]+\}", text) and "$n = " in text
    assert ("\\dotfill" in text) == ((1, 0) in marks)
    assert ("\\midrule\\midrule" in text) == ((0, 1) in marks)
    rows = re.findall(r"^\d+ & .*$", text, re.M)
    for row, of in zip(rows, told["ranking"], strict=True):
        assert ("$-" in row) == (min(of["score"], of["low"], of["high"]) < -0.005)
        assert "-0." not in row.replace("$-0.", "")
        low, high = of["rank_low"], of["rank_high"]
        assert row.endswith(f"& {low}--{high} \\\\" if low != high else f"& {low} \\\\")


def test_no_sign_of_a_name_is_another_in_latex(told):
    text = latex(told, ["<a> | b"])
    assert r"\textless{}a\textgreater{} \textbar{} b" in text
    words = told["words"] | {"system": "a&b_%", "systems": "a&b_%"}
    assert r"\& words" in latex(told | {"score_name": "x & words"}, [])
    assert r"a\&b\_\%" in latex(told | {"words": words}, [])


def test_a_pair_without_a_verdict_ends_all_before_one_is_computed(tmp_path, capsys):
    rows = [f"{p},{s},{k},u,{k}" for p in ("cs-en", "de-en") for s in "AB" for k in range(9)]
    rows = [row for row in rows if not row.startswith("de-en,B")]
    file = tmp_path / "two.csv"
    file.write_text("\n".join(["pair,system,segment,annotator,score", *rows]))
    assert commands.main(["verdict", str(file), f"output_dir={tmp_path / 'out'}"]) == 2
    said = capsys.readouterr()
    assert "fewer than two systems in de-en" in said.err and not said.out
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not shutil.which("xelatex"), reason="there is no XeLaTeX here")
def test_xelatex_makes_a_page_of_it(told, tmp_path):
    """Chinese and Japanese names too, wherever there is a font that has their letters."""
    names, font = ["& 100% _x_ $y$ #{}~^\\", "x"], ""
    if shutil.which("fc-list"):
        listed = subprocess.run(["fc-list", ":lang=zh", "family"], capture_output=True, text=True)
        font = min(listed.stdout.splitlines(), key=len, default="").partition(",")[0]
    if font:
        names[1:] = ["机器翻译", "翻訳"]
        font = f"\\usepackage{{fontspec}}\\setmainfont{{{font}}}"
    systems = [*names, *(row["system"] for row in told["ranking"][len(names) :])]
    start = f"\\documentclass{{article}}\\usepackage{{booktabs}}{font}\\begin{{document}}\n"
    (tmp_path / "t.tex").write_text(start + latex(told, systems) + "\\end{document}\n")
    command = ["xelatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and (tmp_path / "t.pdf").is_file(), done.stdout[-2000:]
    log = (tmp_path / "t.log").read_text(errors="replace")
    assert "Overfull \\hbox" not in log and "Missing character" not in log


def standing_figure(names, scores):
    ranking = pd.DataFrame({"rank": range(1, len(names) + 1), "system": names, "score": scores})
    lines = pd.DataFrame({"below": [1], "claimed": [1], "held": [1]})
    return figures.standing(ranking.assign(unit=""), lines, names[0], "score")


def test_no_score_is_minus_nothing():
    fig = standing_figure(list("ABC"), [2.0, -0.004, -1.25])
    texts = [text.get_text() for text in fig.axes[0].texts]
    assert texts[2::3] == ["2.00", "0.00", "−1.25"]
    assert number(-1e-17) == "0" and number(-0.25) == "−0.250"


def test_names_in_any_script_are_drawn_without_a_warning(tmp_path, recwarn):
    names = ["机器翻译", "Übersetzer", "翻訳\U00020b9f"]
    out = session.Outputs(tmp_path)
    drawn = out.figure(standing_figure(names, [3.0, 2.0, 1.0]), "figure")
    out.figure(common.heatmap(pd.DataFrame(np.eye(3), names, names), title="", label=""), "h")
    assert [str(one.message) for one in recwarn if "Glyph" in str(one.message)] == []
    assert all(name in drawn.alt for name in names)
    if common.HOUSE["font.family"] == ["DejaVu Sans"]:
        shown = [common.drawable(name) for name in names]
        assert shown == [r"\u673a\u5668\u7ffb\u8bd1", "Übersetzer", r"\u7ffb\u8a33\U00020b9f"]
    installed = {"Arial", "Yu Gothic", "Noto Sans CJK JP"}
    assert common.fonts(installed) == ["DejaVu Sans", "Noto Sans CJK JP"]


def test_a_workbook_holds_every_table_and_no_formula():
    openpyxl = pytest.importorskip("openpyxl")
    text = ["=1+1", "@SUM(A1)", "-2+3", "a\x07b", "7"]
    frame = pd.DataFrame({"system": text, "score": [1.5, np.nan, np.inf, 2, 3], "n": range(5)})
    content = overview.workbook({"ranking": frame, "lines": frame.head(1)})
    assert content == overview.workbook({"ranking": frame, "lines": frame.head(1)})
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert book.sheetnames == ["ranking", "lines"]
    rows = list(book["ranking"].iter_rows())
    assert [[cell.value for cell in row] for row in rows] == [
        ["system", "score", "n"], ["=1+1", 1.5, 0], ["@SUM(A1)", None, 1], ["-2+3", "inf", 2],
        ["ab", 2, 3], ["7", 3, 4],
    ]  # fmt: skip
    assert {cell.data_type for row in rows for cell in row} == {"s", "n"}


def test_without_openpyxl_there_is_no_workbook_and_the_page_says_so(told, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert overview.workbook({"ranking": pd.DataFrame({"a": [1]})}) == b""
    page = report.page(told | {"workbook": False}, {}).decode()
    assert "no workbook, since openpyxl is not installed" in page


# ------------------------------------------------------------------ the site


def test_the_site_holds_every_page_and_links_it_from_the_front(made, tmp_path):
    figures, executed = tmp_path / "figures", tmp_path / "executed" / "demo-srdc"
    shutil.copytree(made, figures / "demo-srdc" / "00_verdict")
    executed.mkdir(parents=True)
    nbformat.write(site_fixture.notebook(), executed / "00_verdict.ipynb")
    state = {"notebook": "00_verdict", "campaign": "demo-srdc", "pair": "", "status": "ok"}
    state |= {"output_dir": str(figures / "demo-srdc" / "00_verdict"), "seconds": 1, "error": ""}
    (executed / "00_verdict.status.json").write_text(json.dumps(state))
    site = tmp_path / "site"
    front.build(tmp_path / "executed", figures, site)
    index = (site / "index.html").read_text(encoding="utf-8")
    for page in ("index.html", "de-en/verdict.html", "en-cs/verdict.html"):
        assert f'href="demo-srdc/00_verdict/{page}"' in index
        here = (site / "demo-srdc" / "00_verdict" / page).read_bytes()
        assert here == (made / page).read_bytes()
    own = (site / "own.html").read_text(encoding="utf-8")
    assert 'href="demo-srdc/00_verdict/index.html"' in own
    assert own.index("rankstability verdict") < own.index("A table with a row")
    said = json.loads((made / "de-en" / "verdict.json").read_text(encoding="utf-8"))["statements"]
    for name in ("best", "lines", "next"):  # the page is shown, not only linked
        assert f"<dd>{escape(said[name])}</dd>" in own
    assert '<img loading="lazy" src="demo-srdc/00_verdict/de-en/verdict.png"' in own
    assert (site / "demo-srdc" / "00_verdict" / "de-en" / "verdict.png").is_file()
    assert json.loads((site / "assets" / "verdict.schema.json").read_bytes()) == schema()


def test_a_notebook_on_a_file_of_ones_own_leaves_a_report(tmp_path):
    file = tmp_path / "mine.csv"
    shutil.copy(paths.DEMO / "ratings.csv", file)
    given = {"campaign": str(file), "output_dir": str(tmp_path / "out")}
    folder = run.execute("01_replication", given, quiet=True)
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in text and "<script" not in text and "Aspen" in text
    assert "data:image/png;base64," in text and 'src="01_' not in text
