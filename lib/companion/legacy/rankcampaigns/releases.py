"""Single scores as released: Pearmut's logs, the JSON of WMT24 and WMT25, files of MTME.

Each is converted to the columns of the long table (`columns.FIELDS`), one row per score.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from companion.legacy.rankstability import scales
from companion.legacy.rankstability.errors import DataError

from . import columns, languages, long, tables, text
from .formats import STAND_OFF

ITEM = re.compile(r"\d+|(welcome|random|goodbye)_.*")
SHOWN = ("source", "system", "output")  # with the id: what was judged
PASS = re.compile(r"human(\d+)")
LATEST = 1e15  # above any time: milliseconds since 1970 are fewer
CONTROL = "attention_check_"
TUTORIAL = "_#_tutorial_#_"
APART = "_###_"
WMT24 = {
    "pair": "langs",
    "segment": "line_id",
    "system": "system",
    "score": "esa_score",
}
WMT24 |= {"annotator": "annotator", "document": "doc_id", "domain": "domain"}

Entry = tuple[int, dict[str, Any]]  # a line's number, and its object


def _judged(
    path: Path,
    rows: list[Entry],
    excluded: Counter[str],
    settings: Mapping[str, Any],
) -> columns.Judged:
    if not rows:
        raise DataError(
            "no scores", file=path, expected="at least one judgment"
        )
    table = tables.from_records(path, rows)
    names = {name: name for name in columns.FIELDS if name in table.frame}
    table.check_values(names)
    judged = columns.Judged(table, names, excluded, scale=scales.PERCENT)
    return columns.with_pair(judged, settings)


def wmt24(path: Path, settings: Mapping[str, Any]) -> columns.Judged:
    """``wmt24_esa.jsonl``: one score per line; the segment is the line of the test set."""
    rows: list[Entry] = []
    for line, entry in text.records(path):
        with text.placed(path, line):
            text.need(
                entry, "langs", "line_id", "system", "esa_score", "annotator"
            )
        rows.append(
            (line, {ours: entry.get(theirs) for ours, theirs in WMT24.items()})
        )
    return _judged(path, rows, Counter(), settings)


def wmt25(path: Path, settings: Mapping[str, Any]) -> columns.Judged:
    """``wmt25-genmt-humeval.jsonl``: one segment per line, with two annotations of each system.

    Each annotation is a judgment of its own annotator; its pass (``human1``, ``human2``) is the
    hit. Scores are 0 to 100, or at most 0 if more are negative than positive (MQM). For each
    system, ``scores`` holds a list of objects, or in the drafts an object with numbered keys.
    """
    rows: list[Entry] = []
    excluded: Counter[str] = Counter()
    for line, entry in text.records(path):
        with text.placed(path, line):
            rows += [(line, score) for score in _twice(entry, excluded)]
    named = any(
        "annotator" in score for _, score in rows
    )  # a draft may name none
    for _, score in rows:
        score.setdefault("annotator", None if named else score["hit"])
    judged = _judged(path, rows, excluded, settings)
    scores = judged.scores  # ESA, or the negative weights of MQM errors
    penalties = (scores < 0).sum() > (scores > 0).sum()
    return replace(judged, scale=scales.PENALTIES) if penalties else judged


def _twice(
    entry: dict[str, Any], excluded: Counter[str]
) -> Iterator[dict[str, Any]]:
    """The two annotations of each system in a line of WMT25."""
    text.need(entry, "doc_id", "scores")
    place = str(entry["doc_id"]).split("_#_")
    expected = "languages_#_domain_#_document_#_segment"
    if len(place) != 4:
        problem = "not an id of WMT25"
        value = entry["doc_id"]
        raise DataError(
            problem, column="doc_id", value=value, expected=expected
        )
    pair, domain, document, _ = place
    shared = {
        "pair": pair,
        "domain": domain,
        "document": f"{domain}_#_{document}",
    }
    every = text.of_kind(entry["scores"], dict, "scores")
    outputs = entry.get("tgt_text")
    shown = outputs if isinstance(outputs, dict) else {}
    excluded["outputs without any annotation (left out)"] += len(
        set(shown) - set(every)
    )
    for system, said in every.items():
        judged = _passes(said, f"scores.{system}")
        excluded["no such annotation of the system (left out)"] += max(
            2 - len(judged), 0
        )
        excluded["(kept: a third annotation of a system, or a later one)"] += (
            max(len(judged) - 2, 0)
        )
        for hit, one in judged.items():
            text.need(one, "score")
            more = {"system": system, "segment": "_#_".join(place[1:])}
            more |= {"hit": hit, "score": one["score"]}
            more |= {name: one[name] for name in ("annotator",) if name in one}
            yield shared | more


def _passes(said: Any, name: str) -> dict[str, dict[str, Any]]:
    """The annotations of a system by pass, from the final form (a list) or that of the drafts."""
    if isinstance(said, list):
        return {
            f"human{k}": text.of_kind(one, dict, name)
            for k, one in enumerate(said, start=1)
        }
    text.of_kind(said, dict, name)
    found = {key: of for key in said if (of := PASS.fullmatch(key))}
    if said and not found:
        problem = "no annotations of a system"
        expected = "a list of them, or human1, human2"
        raise DataError(
            problem, column=name, value=", ".join(said)[:80], expected=expected
        )
    who = {key: f"annotator{of[1]}" for key, of in found.items()}
    return {
        key: {"score": said[key]}
        | ({"annotator": said[who[key]]} if who[key] in said else {})
        for key in found
    }


def pearmut(path: Path, settings: Mapping[str, Any]) -> columns.Judged:
    """A log of Pearmut: JSON lines, or ``annotations.json`` with the lines of several campaigns.

    Only a user's last judgment of an output counts. ``__RESET__`` discards all that the same user
    did before in the campaign.
    """
    excluded: Counter[str] = Counter()
    kept: dict[tuple[Any, ...], Entry] = {}
    for campaign, entries in _campaigns(path):
        lines = []
        for line, entry in entries:
            with text.placed(path, line):
                lines += [(line, entry)] if _is_judged(entry, excluded) else []
        resets = [
            k
            for k, (_, entry) in enumerate(lines)
            if entry["annotation"] == "__RESET__"
        ]
        last = {str(lines[k][1]["user_id"]): k for k in resets}  # of each user
        excluded["lines of a reset"] += len(resets)
        for place, (line, entry) in enumerate(lines):
            if place in resets:
                continue
            with text.placed(path, line):
                scores = list(_scores(entry, excluded))
            if place < last.get(str(entry["user_id"]), -1):
                excluded["before a reset (left out)"] += len(scores)
                continue
            for score in scores:
                score |= _pair_of(campaign)
                page = "" if score["source"] else score["hit"]
                said = (
                    score[name] for name in ("annotator", "segment", *SHOWN)
                )
                key = (campaign, page, *said)
                excluded["said again later (left out)"] += key in kept
                kept[key] = (line, score)
    rows = list(kept.values())
    _one_output_each(path, rows)
    _number_sources(rows, excluded)
    return _judged(path, rows, excluded, settings)


def _one_output_each(path: Path, rows: Sequence[Entry]) -> None:
    """Raises DataError if an id and a source stand for two outputs of a system, or pages differ.

    Without sources, an id may not be on two pages of a user.
    """
    seen: dict[tuple[Any, ...], str] = {}
    for line, row in rows:
        who = () if row["source"] else (row["annotator"],)
        said = row["output"] if row["source"] else row["hit"]
        key = (
            row.get("pair"),
            row["segment"],
            row["source"],
            row["system"],
            *who,
        )
        if seen.setdefault(key, said) != said:
            problem = "an item_id of two items"
            expected = "an id for each, or `src` and `tgt`"
            wrong = partial(
                DataError, problem, file=path, line=line, column="item_id"
            )
            raise wrong(value=row["segment"], expected=expected)


def _number_sources(rows: Sequence[Entry], excluded: Counter[str]) -> None:
    """Gives items of one id but several sources segments of their own, in place.

    Their ids count within a document or a page: the second source of an id is ``ID (2)``.
    """
    sources: dict[tuple[str, str], dict[str, int]] = {}
    for _, row in rows:
        of_id = sources.setdefault((row.get("pair", ""), row["segment"]), {})
        of_id.setdefault(row["source"], len(of_id) + 1)
    reason = (
        "(kept: items of one id but several sources, as segments of their own)"
    )
    for _, row in rows:
        of_id = sources[row.get("pair", ""), row["segment"]]
        number = of_id[row["source"]]
        excluded[reason] += len(of_id) > 1
        row["segment"] += f" ({number})" if number > 1 else ""
        for name in ("source", "output"):
            del row[name]


def _campaigns(path: Path) -> Iterator[tuple[str, list[Entry]]]:
    whole = text.content(path).decode().strip()
    if "\n" not in whole or not whole.split("\n", 1)[0].rstrip().endswith("}"):
        value = text.parsed(whole, path)
        campaigns = value if isinstance(value, dict) else {}
        if campaigns and all(
            isinstance(lines, list) for lines in campaigns.values()
        ):
            for name, lines in campaigns.items():
                for n in (
                    n
                    for n, entry in enumerate(lines, 1)
                    if not isinstance(entry, dict)
                ):
                    raise DataError("not a JSON object", file=path, line=n)
                yield str(name), list(enumerate(lines, start=1))
            return
    yield "", list(text.records(path))


def _is_judged(entry: dict[str, Any], excluded: Counter[str]) -> bool:
    """Whether a line holds an annotation or a reset; welcome, goodbye and random items count."""
    text.need(entry, "user_id", "item_i", "annotation")
    item = str(entry["item_i"])
    expected = "an integer, welcome_*, random_* or goodbye_*"
    kind = ITEM.fullmatch(item)
    if kind is None:
        problem = "not an item number"
        raise DataError(
            problem, column="item_i", value=item[:60], expected=expected
        )
    if entry["annotation"] in (None, [], ""):
        excluded["lines without an annotation (left out)"] += 1
        return False
    if kind[1]:
        excluded[f"(kept: lines of {kind[1]} items)"] += 1
    return True


def _scores(
    entry: dict[str, Any], excluded: Counter[str]
) -> Iterator[dict[str, Any]]:
    """One row for each score of a line that counts."""
    text.need(entry, "item")
    items = text.of_kind(entry["item"], list, "item")
    marks = text.of_kind(entry["annotation"], list, "annotation")
    if len(items) != len(marks):
        problem = "annotations and items differ in number"
        raise DataError(
            problem,
            value=len(marks),
            expected=f"{len(items)}, one for each item",
        )
    outputs = sum(len(models) for models in marks if isinstance(models, dict))
    shared = {
        "annotator": str(entry["user_id"]),
        **_seconds(entry.get("actions"), outputs),
    }
    shared["hit"] = f"{entry['user_id']}:{entry['item_i']}"  # a page
    for item, models in zip(items, marks, strict=True):
        text.need(text.of_kind(item, dict, "item"), "item_id")
        name = str(item["item_id"])
        outputs_of = item.get("tgt")
        texts = outputs_of if isinstance(outputs_of, dict) else {}
        unjudged = len(
            set(texts) - set(text.of_kind(models, dict, "annotation"))
        )
        excluded["outputs shown but not judged (left out)"] += unjudged
        for model, said in text.of_kind(models, dict, "annotation").items():
            if name.startswith(CONTROL) or TUTORIAL in name:
                kind = (
                    "attention checks"
                    if name.startswith(CONTROL)
                    else "tutorials"
                )
                excluded[f"{kind} (left out)"] += 1
                continue
            place = name.split(APART)
            domain, document = (
                (place[0], APART.join(place[:2]))
                if len(place) == 3
                else ("", "")
            )
            score = text.of_kind(said, dict, f"annotation.{model}").get(
                "score"
            )
            more = {
                "domain": domain,
                "document": document or str(items[0].get("item_id")),
            }
            more |= {
                "source": str(item.get("src") or ""),
                "output": str(texts.get(model, "")),
            }
            yield (
                {"system": model, "segment": name, "score": score}
                | more
                | shared
            )


def _seconds(actions: Any, outputs: int) -> dict[str, float]:
    """Seconds from the first to the last action on a page, divided by the outputs scored there."""
    logged = actions if isinstance(actions, list) else []
    said = [
        action.get("time") for action in logged if isinstance(action, dict)
    ]
    known = (
        t
        for t in said
        if isinstance(t, int | float) and not isinstance(t, bool)
    )
    times = [t for t in known if abs(t) < LATEST]
    return (
        {"time": (max(times) - min(times)) / outputs}
        if len(times) > 1 and outputs
        else {}
    )


def _pair_of(campaign: str) -> dict[str, str]:
    """The pair in which a campaign's name ends (``wmt26_#_en-cs_CZ``), or which it contains."""
    if not campaign:
        return {}
    last = languages.pair_of(campaign.rpartition("_#_")[2])
    return {
        "pair": last
        or languages.pair_in(Path(campaign))
        or languages.PLACEHOLDER
    }


def one_each(files: Sequence[Path]) -> None:
    """Raises DataError if a language pair has several kinds of scores, which must not be mixed."""
    names = sorted(file.name for file in files)
    pairs = [
        match.group(1) for match in map(STAND_OFF.fullmatch, names) if match
    ]
    if len(set(pairs)) < len(pairs):
        problem = "several kinds of scores for one language pair"
        value = ", ".join(names)
        expected = "one of these files as the campaign, or `files:` in a campaign.yaml"
        raise DataError(
            problem, file=files[0].parent, value=value, expected=expected
        )


def mtme(path: Path, settings: Mapping[str, Any]) -> columns.Judged:
    """``human-scores/SRC-TGT.NAME.seg.score``, with ``documents/SRC-TGT.docs`` if present.

    Segments are numbered from 1, in the order of a system's lines; ``None`` is a missing score.
    Raises DataError if systems, or the list of documents, differ in the number of lines.
    """
    match = STAND_OFF.fullmatch(path.name)
    name = match[1] if match else ""
    pair = languages.pair_of(name)
    with text.placed(path):
        if not pair:
            problem = "no language pair in the file's name"
            expected = "a name such as "
            raise DataError(
                problem,
                value=path.name,
                expected=expected + "en-de.mqm.seg.score",
            )
        table = tables.read(path, ("system", "score"), tables.BLANKS)
        frame = table.frame.astype(object).assign(pair=pair)
        sizes = frame["system"].value_counts()
        usual = sizes.mode()[0]
        for system, size in sizes[sizes != usual][:1].items():
            problem = "systems differ in the number of lines"
            expected = f"{usual}, as others have"
            raise DataError(
                problem, value=f"{system}: {size}", expected=expected
            )
    place = frame.groupby("system", sort=False).cumcount()
    frame["segment"] = (place + 1).astype(str)
    documents = path.parent.parent / "documents" / f"{name}.docs"
    if documents.is_file():
        listed = tables.read(documents, ("domain", "document"), "\t").frame
        if len(listed) != usual:
            problem = "documents and scores differ in number"
            expected = f"{usual}, the number of each system's scores"
            n = len(listed)
            raise DataError(
                problem, file=documents, value=n, expected=expected
            )
        for name in listed:
            frame[name] = listed[name].astype(object).to_numpy()[place]
    table = replace(table, frame=frame.astype("category"))
    names = {name: name for name in frame.columns}
    return columns.Judged(table, names, Counter(), averages=True)


READERS = {
    "pearmut": long.reader(pearmut),
    "wmt24": long.reader(wmt24),
    "wmt25": long.reader(wmt25),
    "mtme": long.reader(mtme, one_each),
}
