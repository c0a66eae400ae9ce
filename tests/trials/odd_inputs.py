"""A corpus of odd inputs, drawn anew: is each refused, said, or read without a word?

``python tests/trials/odd_inputs.py`` writes a table of counts; ``--list`` names every silent case.
A case changes a plain campaign so that its ranking would be another; it is right to refuse it with
one DataError, or to say what was done (in what was left out or doubtful, or how the files were
understood). The plain campaigns themselves must be read, with nothing said of the change.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd

from companion.legacy.rankcampaigns.campaigns import find, load
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment

Rows = list[list[str]]
Case = tuple[str, str, dict[str, str]]  # a class, what was done, file -> content
LOOKS = {"A": "\u0410", "B": "\u0392", "C": "\uff23", "e": "\u0435", "o": "\u03bf", "i": "\u0456"}
UNSEEN = ("\u200b", "\u00ad", "\u202e", "\u2060", "\ufeff", "\u200e", "\u2063", "\u180e")
SYSTEMS, PEOPLE = ("Aspen", "Birch", "Cedar", "Olive"), ("Ida", "Joe", "Kim")


def long(chance: random.Random) -> Rows:
    """A long table: a header, and a row for each system, segment and annotator."""
    header = ["system", "segment", "annotator", "document", "domain", "type", "score"]
    quality = {name: chance.uniform(30, 80) for name in SYSTEMS}
    return [header] + [
        [s, str(k), who, f"doc{k // 2}", f"dom{k // 6}", "SYSTEM",
         str(min(max(round(chance.gauss(quality[s], 12)), 2), 100))]
        for s in SYSTEMS for k in range(12) for who in PEOPLE
    ]  # fmt: skip


def battles(chance: random.Random) -> Rows:
    """Battles with a question and a judge."""
    rows = [["question_id", "model_a", "model_b", "winner", "judge"]]
    for k in range(40):
        one, other = chance.sample(SYSTEMS, 2)
        winner = chance.choice(["model_a", "model_b", "tie"])
        rows.append([f"q{k}", one, other, winner, chance.choice(PEOPLE)])
    return rows


def mqm(chance: random.Random) -> Rows:
    """Marked errors, one a row."""
    head = [
        "system",
        "doc",
        "doc_id",
        "seg_id",
        "rater",
        "source",
        "target",
        "category",
        "severity",
    ]
    kinds = [("Style/Awkward", "Minor"), ("Accuracy/Omission", "Major"), ("No-error", "No-error")]
    return [head] + [
        [s, "doc", str(k), str(k), PEOPLE[k % 3], "x", f"<v>{s}</v> {k}", *chance.choice(kinds)]
        for s in SYSTEMS for k in range(1, 11)
    ]  # fmt: skip


def text(rows: Rows, sign: str = ",") -> str:
    return "\n".join(sign.join(row) for row in rows) + "\n"


FORMS: dict[str, tuple[str, Callable[[random.Random], Rows], str]] = {
    "long": ("mine.csv", long, ","),
    "battles": ("battles.csv", battles, ","),
    "mqm": ("mqm_mine_ende.tsv", mqm, "\t"),
}
NAMED = {"long": ["system", "segment", "annotator"], "battles": ["model_a", "judge"]}
NAMED |= {"mqm": ["system", "rater"]}


def changed(form: str, chance: random.Random, change: Callable[[Rows, int], None]) -> str:
    """A plain campaign after a change of one of its rows."""
    _, make, sign = FORMS[form]
    rows = make(chance)
    change(rows, chance.randrange(1, len(rows)))
    return text(rows, sign)


def names(chance: random.Random) -> Iterator[Case]:
    """Names that look like others: letters, invisible marks, quotation marks, numbers."""
    for form, columns in NAMED.items():
        file, make, _ = FORMS[form]
        for column in columns:
            k = make(random.Random(1))[0].index(column)
            tricks: list[tuple[str, Callable[[str], str]]] = [
                ("letters", lambda name: "".join(LOOKS.get(c, c) for c in name)),
                ("blanks", lambda name: name[:1] + "\u00a0" + name[1:] if " " in name else name),
                ("around", lambda name: f"\u2003{name}\u3000"),
                ("point", lambda name: f"{name}.0" if name.isdigit() else f"{name}\u200d"),
            ]
            tricks += [
                (f"U+{ord(c):04X}", lambda name, c=c: name[:1] + c + name[1:]) for c in UNSEEN
            ]
            for what, trick in tricks:

                def change(rows: Rows, row: int, k: int = k, trick: Callable[[str], str] = trick):
                    before = rows[row][k]
                    rows[row][k] = trick(before)
                    if rows[row][k] == before:
                        rows[row][k] = f"\u200e{before}"

                yield "names", f"{form} {column} {what}", {file: changed(form, chance, change)}


def quotes(chance: random.Random) -> Iterator[Case]:
    """Names within two or three quotation marks."""
    for marks in (3, 5):
        for k in range(3):

            def change(rows: Rows, row: int, k: int = k, marks: int = marks) -> None:
                rows[row][k] = '"' * marks + rows[row][k] + '"' * marks

            yield (
                "quotes",
                f"{marks} marks, column {k}",
                {"mine.csv": changed("long", chance, change)},
            )


def scales(chance: random.Random) -> Iterator[Case]:
    """Some scores on 0 to 1 beside 0 to 100: a system's, an annotator's, a file's, some cells."""
    for digits in (2, 3):
        for column, every in ((0, SYSTEMS), (2, PEOPLE)):
            for name in every:
                rows = long(chance)
                for row in rows[1:]:
                    if row[column] == name:
                        row[-1] = f"{float(row[-1]) / 100:.{digits}f}"
                yield "scales", f"{name}, {digits} digits", {"mine.csv": text(rows)}
        one, other = long(chance), long(chance)
        small = [[*row[:2], row[2] + "2", *row[3:-1], f"{float(row[-1]) / 100:.{digits}f}"]
                 for row in other[1:]]  # fmt: skip
        files = {"a.csv": text(one), "b.csv": text([other[0], *small])}
        yield "scales", f"a file, {digits} digits", files
        for share in (0.02, 0.1, 0.5, 0.9):
            rows = long(chance)
            for row in chance.sample(rows[1:], round(share * (len(rows) - 1))):
                row[-1] = f"{float(row[-1]) / 100:.{digits}f}"
            yield "scales", f"{share:.0%} of cells, {digits} digits", {"mine.csv": text(rows)}


def twice(chance: random.Random) -> Iterator[Case]:
    """Rows given twice: all, half or one; within a file, or in a second."""
    for form, (file, make, sign) in FORMS.items():
        for share in (1.0, 0.5, 0.1):
            rows = make(chance)
            again = rows[1:][: max(round(share * (len(rows) - 1)), 1)]
            yield "twice", f"{form} {share:.0%} in the file", {file: text(rows + again, sign)}
            if form != "mqm":
                files = {file: text(rows, sign), f"b_{file}": text([rows[0], *again], sign)}
                yield "twice", f"{form} {share:.0%} in a second file", files


def contradictions(chance: random.Random) -> Iterator[Case]:
    """A segment under another document, a document in another domain, a system that is REF."""
    for column, value in ((3, "doc9"), (4, "dom9"), (5, "REF"), (5, "BAD"), (5, "CHK")):
        for _ in range(6):

            def change(rows: Rows, row: int, column: int = column, value: str = value) -> None:
                rows[row][column] = value

            what = f"one row: {value}"
            yield "contradictions", what, {"mine.csv": changed("long", chance, change)}
    for name in SYSTEMS:
        rows = long(chance)
        second = [[*row[:2], row[2] + "2", *row[3:5], "REF", row[-1]] for row in rows[1:]]
        second = [row for row in second if row[0] == name]
        files = {"a.csv": text(rows), "b.csv": text([rows[0], *second])}
        yield "contradictions", f"{name} a reference in a second file", files
    for k in range(6):
        rows = mqm(chance)
        row = chance.choice([row for row in rows[1:] if row[-1] != "No-error"])
        rows.append([*row[:-2], "No-error", "No-error"])
        yield (
            "contradictions",
            f"No-error beside an error {k}",
            {"mqm_mine_ende.tsv": text(rows, "\t")},
        )


def settings(chance: random.Random) -> Iterator[Case]:
    """Settings that do nothing in their format, or contradict the rows."""
    values = {
        "weights": "critical25", "annotator": "{A: ['*']}", "scale": "[0, 100]", "wide": "all",
        "columns": "{score: score}", "decimal": "','", "sheet": "Ratings", "missing": "[k. A.]",
        "zero_variance": "zero", "pair": "en-de",
    }  # fmt: skip
    idle = {"long": ("weights", "sheet", "missing"), "mqm": (*values,)[1:], "battles": ()}
    idle["battles"] = tuple(name for name in values if name not in ("columns", "pair"))
    idle["mqm"] = tuple(name for name in idle["mqm"] if name != "pair")
    for form, wanted in idle.items():
        file, make, sign = FORMS[form]
        for name in wanted:
            files = {file: text(make(chance), sign), "campaign.yaml": f"{name}: {values[name]}\n"}
            yield "settings", f"{form} {name}", files
    broken = ("annotator: {'': ['*']}", "annotator: {A: []}", "columns: {score: segment}",
              "columns: {score: gone}", "files: [gone.csv]", "format: esa", "humans: [Gone]",
              "scale: [100, 0]", "scale: [0, 50]", "wide: [a, b]")  # fmt: skip
    for line in broken:
        yield "settings", line, {"mine.csv": text(long(chance)), "campaign.yaml": line + "\n"}
    for told in ("en-de", "cs-en", "xx-yy"):
        rows = [[*row, "pair" if k == 0 else "en-fr"] for k, row in enumerate(long(chance))]
        files = {"mine.csv": text(rows), "campaign.yaml": f"pair: {told}\n"}
        yield "settings", f"pair {told} beside en-fr", files
    for value in ("1.250", "78.5", "1.250,5", "1,250.5"):
        rows = [[*row[:-1], f'"{row[-1]},5"'] for row in long(chance)[1:]]
        rows[5][-1] = f'"{value}"'
        files = {"mine.csv": text([long(chance)[0], *rows]), "campaign.yaml": "decimal: ','\n"}
        yield "settings", f"decimal comma beside {value}", files


def pearmut(chance: random.Random) -> Iterator[Case]:
    """Pages judged in part, models without an annotation, ids that count within a page."""

    def page(user: str, number: int, ids: list[str], drop: float, source: str) -> str:
        items = [{"item_id": i, "tgt": {s: f"{s} {i} {number}" for s in SYSTEMS}} for i in ids]
        for item in items:
            item |= {"src": f"{source} {item['item_id']}"} if source else {}
        marks = [
            {s: {"score": chance.randint(0, 100)} for s in SYSTEMS if chance.random() >= drop}
            for _ in ids
        ]
        return json.dumps({"user_id": user, "item_i": number, "annotation": marks, "item": items})

    for drop in (0.05, 0.1, 0.3, 0.6):
        for _ in range(3):
            lines = [
                page(u, k, [f"{k}a", f"{k}b"], drop, f"s{k}") for u in PEOPLE for k in range(6)
            ]
            yield "pearmut", f"{drop:.0%} not judged", {"log-en-cs.jsonl": "\n".join(lines) + "\n"}
    for source in ("", "same", "own"):
        for pages in (2, 5):
            lines = [page(u, k, ["0", "1", "2"], 0, source + (str(k) if source == "own" else ""))
                     for u in PEOPLE for k in range(pages)]  # fmt: skip
            what = f"ids within {pages} pages, source {source or 'not given'}"
            yield "pearmut", what, {"log-en-cs.jsonl": "\n".join(lines) + "\n"}


def wmt25(chance: random.Random) -> Iterator[Case]:
    """Systems, scores and annotators missing; a third annotation."""

    def line(k: int) -> dict:
        score = lambda: {"score": chance.randint(1, 100), "annotator": chance.choice(PEOPLE)}  # noqa: E731
        scores = {s: [score(), score()] for s in SYSTEMS}
        about = {"doc_id": f"en-cs_#_news_#_d{k // 3}_#_{k}", "src_text": "x"}
        return {**about, "tgt_text": dict.fromkeys(SYSTEMS, "y"), "scores": scores}

    def tricks(entry: dict) -> dict[str, Callable[[], object]]:
        scores = entry["scores"]
        return {
            "a system missing": lambda: scores.pop("Birch"),
            "no scores": lambda: entry.update(scores={}),
            "one annotation": lambda: scores["Birch"].pop(),
            "an empty list": lambda: scores.update(Birch=[]),
            "a third": lambda: scores["Birch"].append(dict(scores["Birch"][0], score=3)),
            "annotator null": lambda: scores["Birch"][0].update(annotator=None),
            "annotator empty": lambda: scores["Birch"][0].update(annotator=""),
            "score null": lambda: scores["Birch"][0].update(score=None),
            "score text": lambda: scores["Birch"][0].update(score="good"),
            "scale": lambda: [one.update(score=one["score"] / 100) for one in scores["Birch"]],
        }  # fmt: skip

    for what in tricks(line(0)):
        for _ in range(4):
            entries = [line(k) for k in range(9)]
            for entry in entries[4:6] if what != "no scores" else entries[4:5]:
                tricks(entry)[what]()
            yield "wmt25", what, {"wmt25.jsonl": "\n".join(map(json.dumps, entries)) + "\n"}


def cells(chance: random.Random) -> Iterator[Case]:
    """Cells that are no names and no scores."""
    odd = ("#N/A", "#REF!", "", "nan", "NULL", "[1, 2]", "{'a': 1}", "b'x'", "a\tb", "\ud7ff\x07")
    for value in odd:
        for column in (0, 1, 2):

            def change(rows: Rows, row: int, column: int = column, value: str = value) -> None:
                rows[row][column] = f'"{value}"' if "," in value else value

            what = f"{value!r} in column {column}"
            yield "cells", what, {"mine.csv": changed("long", chance, change)}
    for value in ("", "n.a.", "12a", "1e3", "-5", "101", "999", "1 000", "inf", "0x1F", "½", "٣"):

        def change(rows: Rows, row: int, value: str = value) -> None:
            rows[row][-1] = value

        yield "cells", f"score {value!r}", {"mine.csv": changed("long", chance, change)}


CLASSES = (names, quotes, scales, twice, contradictions, settings, pearmut, wmt25, cells)


def told(folder: Path) -> tuple[str, object]:
    """``refused`` with the error, or what was read: its notes."""
    try:
        campaign = find(folder)
        every = [load(campaign, pair) for pair in campaign.pairs]
        notes = []
        for one in every:
            if isinstance(one, DirectAssessment):
                notes += one.excluded[["reason", "rows"]].astype(str).to_numpy().tolist()
            else:
                held = one.attrs.get("excluded", {})
                notes += held.to_numpy().tolist() if isinstance(held, pd.DataFrame) else [*held]
        notes += campaign.reading[["what", "value"]].astype(str).to_numpy().tolist()
        notes += list(map(list, campaign.unread))
    except DataError as error:
        return "refused", str(error)
    except Exception as error:
        return "traceback", repr(error)
    return "read", [str(note) for note in notes if "(kept: scale" not in str(note)]


def main() -> int:
    """Draw the corpus, print counts by class; 1 if a case ends in a traceback."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    chance, count, listed = random.Random(args.seed), Counter[tuple[str, str]](), []
    plain = {}
    with tempfile.TemporaryDirectory() as made:
        for form, (file, make, sign) in FORMS.items():
            place = Path(made) / f"plain-{form}"
            place.mkdir()
            (place / file).write_text(text(make(chance), sign), encoding="utf-8")
            outcome, notes = told(place)
            assert outcome == "read", notes
            plain[file] = set(notes)
        cases = [case for kind in CLASSES for case in kind(chance)]
        for number, (kind, what, files) in enumerate(cases):
            place = Path(made) / f"case{number}"
            place.mkdir()
            for name, content in files.items():
                (place / name).write_text(content, encoding="utf-8", errors="surrogatepass")
            outcome, notes = told(place)
            if outcome == "read":
                usual = set().union(*(plain.get(name, set()) for name in files))
                outcome = "said" if set(notes) - usual else "silent"
            count[kind, outcome] += 1
            if outcome in ("silent", "traceback"):
                listed.append(f"{outcome}: {kind}: {what} {notes if outcome != 'silent' else ''}")
    table = pd.Series(count).unstack(fill_value=0)
    table.loc["all"] = table.sum()
    print(table.assign(cases=table.sum(axis=1)).to_string())
    print(*(listed if args.list else ()), sep="\n")
    return int(any(outcome == "traceback" for _, outcome in count))


if __name__ == "__main__":
    sys.exit(main())
