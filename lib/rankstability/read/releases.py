"""Single scores as released: Pearmut's logs, the JSON of WMT24 and WMT25, files of MTME.

Each is brought to the columns of the long table (`columns.FIELDS`), one row per score.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import DataError
from . import columns, languages, long, tables, text
from .formats import STAND_OFF

ITEM = re.compile(r"\d+|(welcome|random|goodbye)_.*")
LATEST = 1e15  # of times: milliseconds since 1970 are fewer
CONTROL, TUTORIAL, APART = "attention_check_", "_#_tutorial_#_", "_###_"
WMT24 = {"pair": "langs", "segment": "line_id", "system": "system", "score": "esa_score"}
WMT24 |= {"annotator": "annotator", "document": "doc_id", "domain": "domain"}

Entry = tuple[int, dict[str, Any]]  # a line's number, and its object


def _need(entry: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if name not in entry:
            there = ", ".join(map(str, entry))[:120]
            raise DataError(f"no field {name}", value=there, expected=", ".join(names))


def _of_kind(value: Any, kind: type, name: str) -> Any:
    if isinstance(value, kind):
        return value
    problem, expected = "not of the right kind", "an object" if kind is dict else "a list"
    raise DataError(problem, column=name, value=str(value)[:60], expected=expected)


def _judged(
    path: Path, rows: list[Entry], excluded: Counter[str], settings: Mapping[str, Any]
) -> columns.Judged:
    if not rows:
        raise DataError("no scores", file=path, expected="at least one judgment")
    table = tables.from_records(path, rows)
    names = {name: name for name in columns.FIELDS if name in table.frame}
    table.check_values(names)
    judged = columns.Judged(table, names, excluded, scale=columns.PERCENT)
    return columns.with_pair(judged, settings)


def wmt24(path: Path, settings: Mapping[str, Any]) -> columns.Judged:
    """``wmt24_esa.jsonl``: one score a line; the segment is the line of the test set."""
    rows: list[Entry] = []
    for line, entry in text.records(path):
        with text.placed(path, line):
            _need(entry, "langs", "line_id", "system", "esa_score", "annotator")
        rows.append((line, {ours: entry.get(theirs) for ours, theirs in WMT24.items()}))
    return _judged(path, rows, Counter(), settings)


def wmt25(path: Path, settings: Mapping[str, Any]) -> columns.Judged:
    """``wmt25-genmt-humeval.jsonl``: a segment a line, two annotations of each system.

    Each annotation is a judgment of its own annotator; a pass (``human1``, ``human2``) is the hit.
    Scores are 0 to 100, or where most but 0 are below it (MQM) at most 0.
    Of a system ``scores`` holds a list of objects, or in the drafts an object with numbered keys.
    """
    rows: list[Entry] = []
    excluded: Counter[str] = Counter()
    for line, entry in text.records(path):
        with text.placed(path, line):
            rows += [(line, score) for score in _twice(entry, excluded)]
    judged = _judged(path, rows, excluded, settings)
    scores = judged.scores()  # of ESA, or of MQM: minus the weights of the errors
    penalties = (scores < 0).sum() > (scores > 0).sum()
    return replace(judged, scale=columns.PENALTIES) if penalties else judged


def _twice(entry: dict[str, Any], excluded: Counter[str]) -> Iterator[dict[str, Any]]:
    """The two annotations of each system in a line of WMT25."""
    _need(entry, "doc_id", "scores")
    place, expected = str(entry["doc_id"]).split("_#_"), "languages_#_domain_#_document_#_segment"
    if len(place) != 4:
        problem, value = "not an id of WMT25", entry["doc_id"]
        raise DataError(problem, column="doc_id", value=value, expected=expected)
    pair, domain, document, _ = place
    shared = {"pair": pair, "domain": domain, "document": f"{domain}_#_{document}"}
    for system, said in _of_kind(entry["scores"], dict, "scores").items():
        judged = _passes(said, f"scores.{system}")
        excluded["no such annotation of the system (left out)"] += max(2 - len(judged), 0)
        for hit, one in judged.items():
            _need(one, "score")
            more = {"system": system, "segment": "_#_".join(place[1:])}
            more |= {"annotator": one.get("annotator") or hit, "hit": hit}
            yield shared | more | {"score": one["score"]}


def _passes(said: Any, name: str) -> dict[str, dict[str, Any]]:
    """The annotations of a system by their pass, of the final form (a list) or of the drafts."""
    if isinstance(said, list):
        return {f"human{k}": _of_kind(one, dict, name) for k, one in enumerate(said, start=1)}
    _of_kind(said, dict, name)
    return {
        f"human{k}": {"score": said[f"human{k}"], "annotator": said.get(f"annotator{k}")}
        for k in "12"
        if f"human{k}" in said
    }


def pearmut(path: Path, settings: Mapping[str, Any]) -> columns.Judged:
    """A log of Pearmut: JSON lines, or ``annotations.json`` with the lines of several campaigns.

    Of one user's judgments of an output the last counts. ``__RESET__`` takes back what the same
    user said before.
    """
    excluded: Counter[str] = Counter()
    kept: dict[tuple[Any, ...], Entry] = {}
    for campaign, entries in _campaigns(path):
        lines = []
        for line, entry in entries:
            with text.placed(path, line):
                lines += [(line, entry)] if _is_judged(entry, excluded) else []
        resets = [(str(e["user_id"]), k) for k, (_, e) in enumerate(lines) if _reset(e)]
        last = dict(resets)  # of each user
        for place, (line, entry) in enumerate(lines):
            if _reset(entry):
                excluded["lines of a reset"] += 1
                continue
            with text.placed(path, line):
                scores = list(_scores(entry, excluded))
            if place < last.get(str(entry["user_id"]), -1):
                excluded["before a reset (left out)"] += len(scores)
                continue
            for score in scores:
                score |= _pair_of(campaign)
                key = (campaign, *(score[name] for name in ("annotator", "segment", "system")))
                excluded["said again later (left out)"] += key in kept
                kept[key] = (line, score)
    return _judged(path, list(kept.values()), excluded, settings)


def _reset(entry: dict[str, Any]) -> bool:
    return bool(entry["annotation"] == "__RESET__")


def _campaigns(path: Path) -> Iterator[tuple[str, list[Entry]]]:
    whole = text.content(path).decode().strip()
    if "\n" not in whole or not whole.split("\n", 1)[0].rstrip().endswith("}"):
        value = text.parsed(whole, path)
        campaigns = value if isinstance(value, dict) else {}
        if campaigns and all(isinstance(lines, list) for lines in campaigns.values()):
            for name, lines in campaigns.items():
                for n in (n for n, entry in enumerate(lines, 1) if not isinstance(entry, dict)):
                    raise DataError("not a JSON object", file=path, line=n)
                yield str(name), list(enumerate(lines, start=1))
            return
    yield "", list(text.records(path))


def _is_judged(entry: dict[str, Any], excluded: Counter[str]) -> bool:
    """Whether a line holds an annotation or a reset; welcome, goodbye and random ones are counted.

    They count as the others unless their ids say that they are tutorials or attention checks.
    """
    _need(entry, "user_id", "item_i", "annotation")
    item, expected = str(entry["item_i"]), "an integer, welcome_*, random_* or goodbye_*"
    kind = ITEM.fullmatch(item)
    if kind is None:
        problem = "not an item's number"
        raise DataError(problem, column="item_i", value=item[:60], expected=expected)
    if entry["annotation"] in (None, [], ""):
        excluded["lines without an annotation (left out)"] += 1
        return False
    if kind.group(1):
        excluded[f"(kept: lines of {kind.group(1)} items)"] += 1
    return True


def _scores(entry: dict[str, Any], excluded: Counter[str]) -> Iterator[dict[str, Any]]:
    """One row for each score of a line that counts."""
    _need(entry, "item")
    items = _of_kind(entry["item"], list, "item")
    marks = _of_kind(entry["annotation"], list, "annotation")
    if len(items) != len(marks):
        problem = "as many annotations as items are needed"
        raise DataError(problem, value=len(marks), expected=str(len(items)))
    outputs = sum(len(models) for models in marks if isinstance(models, dict))
    shared = {"annotator": str(entry["user_id"]), **_seconds(entry.get("actions"), outputs)}
    shared["hit"] = f"{entry['user_id']}:{entry['item_i']}"  # a page
    for item, models in zip(items, marks, strict=True):
        _need(_of_kind(item, dict, "item"), "item_id")
        name = str(item["item_id"])
        for model, said in _of_kind(models, dict, "annotation").items():
            if name.startswith(CONTROL) or TUTORIAL in name:
                kind = "attention checks" if name.startswith(CONTROL) else "tutorials"
                excluded[f"{kind} (left out)"] += 1
                continue
            place = name.split(APART)
            domain, document = (place[0], APART.join(place[:2])) if len(place) == 3 else ("", "")
            score = _of_kind(said, dict, f"annotation.{model}").get("score")
            more = {"domain": domain, "document": document or str(items[0].get("item_id"))}
            yield {"system": model, "segment": name, "score": score} | more | shared


def _seconds(actions: Any, outputs: int) -> dict[str, float]:
    """Seconds from the first to the last action on a page, over the outputs scored there."""
    logged = actions if isinstance(actions, list) else []
    said = [action.get("time") for action in logged if isinstance(action, dict)]
    known = (t for t in said if isinstance(t, int | float) and not isinstance(t, bool))
    times = [t for t in known if abs(t) < LATEST]
    return {"time": (max(times) - min(times)) / outputs} if len(times) > 1 and outputs else {}


def _pair_of(campaign: str) -> dict[str, str]:
    """The pair that a campaign's name ends in (``wmt26_#_en-cs_CZ``), or holds."""
    if not campaign:
        return {}
    last = languages.pair_of(campaign.rpartition("_#_")[2])
    return {"pair": last or languages.pair_in(Path(campaign)) or languages.PLACEHOLDER}


def one_each(files: Sequence[Path]) -> None:
    """Refuse several kinds of scores of one language pair: they are not to be mixed."""
    names = sorted(file.name for file in files)
    pairs = [match.group(1) for match in map(STAND_OFF.fullmatch, names) if match]
    if len(set(pairs)) < len(pairs):
        problem, value = "several kinds of scores for one language pair", ", ".join(names)
        expected = "one of these files as the campaign, or `files:` in a campaign.yaml"
        raise DataError(problem, file=files[0].parent, value=value, expected=expected)


def mtme(path: Path, settings: Mapping[str, Any]) -> columns.Judged:
    """``human-scores/SRC-TGT.NAME.seg.score`` with ``documents/SRC-TGT.docs`` where it is there.

    A segment is its place among the lines of its system, counted from 1; None is no score.
    """
    match = STAND_OFF.fullmatch(path.name)
    name = match.group(1) if match else ""
    pair = languages.pair_of(name)
    with text.placed(path):
        if not pair:
            problem, expected = "no language pair in the file's name", "a name such as "
            raise DataError(problem, value=path.name, expected=expected + "en-de.mqm.seg.score")
        table = tables.read(path, ("system", "score"), tables.BLANKS)
        frame = table.frame.astype(object).assign(pair=pair)
        sizes = frame["system"].value_counts()
        usual = sizes.mode()[0]
        for system, size in sizes[sizes != usual][:1].items():
            problem, expected = "systems with different numbers of lines", f"{usual}, as the others"
            raise DataError(problem, value=f"{system}: {size}", expected=expected)
    place = frame.groupby("system", sort=False).cumcount()
    frame["segment"] = (place + 1).astype(str)
    documents = path.parent.parent / "documents" / f"{name}.docs"
    if documents.is_file():
        listed = tables.read(documents, ("domain", "document"), "\t").frame
        if len(listed) != usual:
            problem = "documents for another number of segments"
            expected, n = f"{usual}, as each system has scores", len(listed)
            raise DataError(problem, file=documents, value=n, expected=expected)
        for name in listed:
            frame[name] = listed[name].astype(object).to_numpy()[place]
    table = replace(table, frame=frame.astype("category"))
    return columns.Judged(table, {name: name for name in frame.columns}, Counter())


READERS = {
    "pearmut": long.reader(pearmut),
    "wmt24": long.reader(wmt24),
    "wmt25": long.reader(wmt25),
    "mtme": long.reader(mtme, one_each),
}
