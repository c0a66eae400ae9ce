"""Judgments of the campaigns in the catalogue: what is here, and how it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError
from ..judgments import COUNTED_TYPES, Judgments
from .catalogue import Campaign, find_campaign, is_known, list_campaigns
from .formats import (
    appraise,
    appraise_mqm,
    arena,
    esa,
    mqm,
    relative_ranking,
    releases,
    segment_scores,
    wmt_da,
)
from .formats.files import counted
from .formats.languages import UNNAMED_PAIR
from .humans import is_human
from .judges import load_judge_models
from .paths import repository_root, shorten
from .read import read

__all__ = ["campaigns", "load", "load_judge_models", "pairs"]

OF_FILES: dict[str, tuple[Callable[..., list[str]], Callable[..., dict[str, Judgments]]]] = {
    "mqm": (mqm.list_pairs, mqm.read),
    "bio_mqm": (releases.list_bio_mqm_pairs, releases.read_bio_mqm),
    "mqm_columns": (releases.list_mqm_columns_pairs, releases.read_mqm_columns),
}
TABLES = (".csv", ".tsv", ".json", ".jsonl", ".gz", ".xlsx", ".parquet", ".yaml")
OF_APPRAISE = {"appraise": appraise, "esa": esa, "appraise_mqm": appraise_mqm}


def campaigns() -> pd.DataFrame:
    """List the campaigns of the catalogue.

    Returns
    -------
    DataFrame
        One row per campaign, or per part of a campaign: campaign, title, year, protocol, design,
        pairs (the number of language pairs in the release), here (whether the files are in the data
        folder), licence and citation.

    Examples
    --------
    >>> import rankstability as rs
    >>> known = rs.campaigns().set_index("campaign")
    >>> known.loc["demo-srdc", ["protocol", "design"]].tolist()
    ['DA', 'SR-DC']
    """
    rows = []
    for campaign in list_campaigns():
        parts = [find_campaign(f"{campaign.name}.{part}") for part in campaign.parts]
        for each in parts or [campaign]:
            facts = each.facts
            design = facts.get("design", "")
            rows.append(
                {
                    "campaign": each.name,
                    "title": f"{facts['title']}: {each.part}" if each.part else facts["title"],
                    "year": int(facts["year"]),
                    "protocol": facts["protocol"],
                    "design": design if isinstance(design, str) else " and ".join(design),
                    "pairs": len(facts.get("pairs", ())),
                    "here": each.is_here,
                    "licence": facts["licence"],
                    "citation": facts["citation"],
                }
            )
    return pd.DataFrame(rows)


@check_arguments
def pairs(campaign: str) -> pd.DataFrame:
    """List the language pairs or tasks of a campaign whose judgments have been downloaded.

    Parameters
    ----------
    campaign : str
        A name in the catalogue.

    Returns
    -------
    DataFrame
        One row per pair: pair (as `load` takes it; with the track, such as ``cs-en-individual``, if
        a pair has several tracks), task (the track or part; usually empty), kind, protocol, design
        (``SR-DC``: segments without document context, ``SR+DC``: with document context), year,
        tool, judged (``bilingual``: beside the source; ``monolingual``: beside a reference),
        systems, judgments, annotators and documents (0 where they are not named).

    Raises
    ------
    DataError
        If there is no such campaign, or if its files have not been downloaded.

    Examples
    --------
    >>> import rankstability as rs
    >>> rs.pairs("demo-srdc")[["pair", "design", "systems"]].to_dict("list")
    {'pair': ['de-en', 'en-cs'], 'design': ['SR-DC', 'SR-DC'], 'systems': [10, 10]}
    """
    rows = []
    for part, pair, task in _tasks_here(campaign):
        judgments = _load(part, pair, task)
        names = {"pair": _pair_name(pair, task), "task": part.part or task}
        rows.append({**_describe(part, judgments), **names})
    return pd.DataFrame(rows)


def list_pairs(campaign: str) -> list[tuple[str, str]]:
    """Return the columns pair and task of `pairs`, without loading any judgments."""
    found = [
        (_pair_name(pair, task), part.part or task) for part, pair, task in _tasks_here(campaign)
    ]
    return list(dict.fromkeys(found))


def _pair_name(pair: str, track: str) -> str:
    """Return what `load` takes as pair: with its track, if there is one."""
    return f"{pair}-{track}" if track else pair


def _tasks_here(campaign: str) -> Iterator[tuple[Campaign, str, str]]:
    """Yield the parts of a campaign with their language pairs and tracks."""
    found = _find_here(campaign)
    for part in [find_campaign(f"{found.name}.{part}") for part in found.parts] or [found]:
        for pair, task in _list_tasks(part):
            yield part, pair, task


def _describe(campaign: Campaign, judgments: Judgments) -> dict[str, Any]:
    table = judgments.table
    if "item_type" in table:
        table = table[table["item_type"].isin(COUNTED_TYPES)]
    sides = [name for name in ("system", "left", "right") if name in table]
    systems = set().union(*(table[name].unique() for name in sides))
    pair = judgments.pair
    return {
        "pair": pair,
        "task": judgments.task,
        "kind": judgments.kind,
        "protocol": judgments.protocol,
        **{name: campaign.fact(name, pair) for name in ("design", "tool", "judged")},
        "year": judgments.year,
        "systems": len(systems),
        "judgments": len(table),
        "annotators": table["annotator"].nunique() if "annotator" in table else 0,
        "documents": table["document"].nunique() if "document" in table else 0,
    }


@check_arguments
def load(campaign: str | Path, pair: str = "", task: str = "") -> Judgments:
    """Load the judgments of one language pair or task.

    Parameters
    ----------
    campaign : str or Path
        A name in the catalogue (see `campaigns`), a file or folder of judgments, or a
        ``campaign.yaml``.
    pair : str
        The language pair, such as ``en-de``. It can be omitted if there is only one. A file that
        names no language pair is read as a whole.
    task : str
        The track or part, if a language pair has several (see `pairs`).

    Returns
    -------
    Judgments

    Raises
    ------
    DataError
        If the campaign, pair or task does not exist, if its files have not been downloaded, or if a
        value in a file is wrong (with file, line and column).

    Examples
    --------
    >>> import rankstability as rs
    >>> judgments = rs.load("demo-srdc", "de-en")
    >>> judgments.kind, judgments.table["system"].nunique()
    ('direct_assessment', 10)
    """
    name = str(campaign)
    if not is_known(name):
        return _load_path(name, pair, task)
    found = _find_here(name)
    if task in found.parts:
        found, task = find_campaign(f"{name}.{task}"), ""
    if found.parts:
        expected = "one of " + ", ".join(found.parts)
        raise DataError("several_tasks", value=name, expected=expected)
    pair, task = _choose_task(found, pair, task)
    return _load(found, pair, task)


def _find_here(name: str) -> Campaign:
    found = find_campaign(name)
    if not found.is_here:
        raise DataError(
            "campaign_not_here", file=found.folder, value=name, remedy=f"make data CAMPAIGN={name}"
        )
    return found


def _load_path(name: str, pair: str, task: str) -> Judgments:
    """Load a user's file or folder, relative to the current folder or to the clone."""
    places = [Path(name), repository_root() / name]
    here = [place for place in places if place.exists()]
    if not here:
        is_path = Path(name).name != name or Path(name).suffix.lower() in TABLES
        if is_path:
            raise DataError("no_such_file", value=name)
        find_campaign(name)  # raises
    path = here[0]
    for campaign in list_campaigns():
        if not campaign.parts and campaign.folder.resolve() == path.resolve():
            return load(campaign.name, pair, task)
    result = read(path)
    known = {result.pair: result} if isinstance(result, Judgments) else result
    wanted = f"{pair} {task}".strip()
    if len(known) == 1 and (not wanted or "" in known):
        return next(iter(known.values()))  # a file without language pairs holds them all
    if wanted not in known:
        raise DataError("unknown_pair", file=path, value=wanted or None, known=known)
    return known[wanted]


def _list_tasks(campaign: Campaign) -> list[tuple[str, str]]:
    """Return the (pair, task) that are here, sorted."""
    form = campaign.facts["format"]
    if form == "relative_ranking":
        tasks = relative_ranking.list_tasks(campaign.files())
        split = [task.partition(" ") for task in tasks]
        return [(pair, track) for pair, _, track in split]
    if form == "wmt_da":
        names = {*wmt_da.list_pairs(campaign.folder), *campaign.segment_level()}
    elif form == "segment_scores":
        names = set(segment_scores.list_pairs(campaign.folder))
    elif form in OF_FILES:
        names = set(OF_FILES[form][0](campaign.files()))
    elif form in OF_APPRAISE:
        names = set(appraise.list_pairs(campaign.files()))
    else:
        names = set(campaign.facts.get("pairs", ()))
    return [(name, "") for name in sorted(names)]


def _choose_task(campaign: Campaign, pair: str, task: str) -> tuple[str, str]:
    """Return the pair and task that are meant; raise DataError unless there is exactly one."""
    known = _list_tasks(campaign)
    pair = pair.strip().replace(" ", "-")
    if not pair and len({each for each, _ in known}) == 1:
        pair = known[0][0]
    fits = [
        (each, track)
        for each, track in known
        if (each == pair and task in ("", track)) or (track and pair == f"{each}-{track}")
    ]
    if len(fits) == 1:
        return fits[0]
    if len(fits) > 1:
        tracks = ", ".join(track for _, track in fits)
        raise DataError("several_tasks", value=f"{campaign.name}, {pair}", expected=tracks)
    names = [_pair_name(each, track) for each, track in known]
    wanted = _pair_name(pair, task)
    code = "unknown_pair" if wanted else "several_pairs"
    raise DataError(code, file=campaign.name, value=wanted or None, known=names)


def _load(campaign: Campaign, pair: str, task: str) -> Judgments:
    judgments = _read(campaign, pair, task)
    judgments = _leave_out_references(judgments, campaign.facts.get("not_ranked", {}))
    judgments = _drop_empty_columns(judgments)
    facts = campaign.facts
    protocol = "MQM" if judgments.kind == "mqm" else facts["protocol"]
    judgments = replace(
        judgments,
        campaign=campaign.name,
        source=shorten(campaign.folder),
        protocol=protocol,
        year=int(facts["year"]),
        humans=_find_humans(judgments),
        constant_annotators=facts.get("constant_annotators", "drop"),
    )
    notes = _add_notes(judgments)
    if judgments.kind == "direct_assessment" and campaign.is_rebuilt:
        notes = _append(notes, counted([("", "rebuilt_scores", len(judgments.table), "")]))
    return replace(judgments, notes=notes)


def _read(campaign: Campaign, pair: str, task: str) -> Judgments:
    form = campaign.facts["format"]
    files = campaign.files()
    if form == "wmt_da":
        folder = campaign.segment_level().get(pair)
        if folder is not None and pair not in wmt_da.list_pairs(campaign.folder):
            return segment_scores.read(folder, pair)[pair]
        return wmt_da.read(campaign.folder, pair)[pair]
    if form == "segment_scores":
        return segment_scores.read(campaign.folder, pair)[pair]
    if form in OF_FILES:
        return OF_FILES[form][1](files, pair)[pair]
    if form in OF_APPRAISE:
        module = next(each for each in (esa, appraise_mqm, appraise) if each.matches(files[0]))
        every = [*files, *campaign.companions()]
        accounts = campaign.facts.get("accounts")
        by_pair: dict[str, Judgments] = module.read(every, pair, accounts)
        return by_pair[pair]
    if form == "relative_ranking":
        name = f"{pair} {task}".strip()
        return relative_ranking.read(files, name)[name]
    if form == "arena":
        name = "" if pair == UNNAMED_PAIR else pair
        return arena.read(files, name)[name]
    judgments = _only(read(files[0], scale=campaign.facts["scale"]))
    return replace(judgments, pair=pair, kind="direct_assessment")


def _only(result: Judgments | dict[str, Judgments]) -> Judgments:
    return result if isinstance(result, Judgments) else next(iter(result.values()))


def _leave_out_references(judgments: Judgments, not_ranked: dict[str, Sequence[str]]) -> Judgments:
    """Leave out references that stand under the name of a system in this pair."""
    names = [name for name, of_pairs in not_ranked.items() if judgments.pair in of_pairs]
    table = judgments.table
    if not names or not table["system"].isin(names).any():
        return judgments
    outside = table["system"].isin(names)
    kept = table[~outside].reset_index(drop=True)
    kept["system"] = kept["system"].cat.remove_unused_categories()
    more = counted([("", "reference_or_control", int(outside.sum()), ", ".join(names))])
    excluded = _append(judgments.excluded, more)
    return replace(judgments, table=kept, excluded=excluded)


def _append(counts: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([counts, more], ignore_index=True) if len(counts) else more


def _drop_empty_columns(judgments: Judgments) -> Judgments:
    """Leave out columns without any value, such as the HITs of a release that does not name them."""
    every = judgments.table if judgments.all_rows is None else judgments.all_rows
    empty = [name for name in every if every[name].isna().all()]
    table = judgments.table.drop(columns=[name for name in empty if name in judgments.table])
    if judgments.all_rows is None:
        return replace(judgments, table=table)
    return replace(judgments, table=table, all_rows=every.drop(columns=empty))


def _find_humans(judgments: Judgments) -> tuple[str, ...]:
    names: set[str] = set()
    for table in (judgments.table, judgments.all_rows):
        if table is not None and "system" in table:
            names.update(map(str, table["system"].dropna().unique()))
    return tuple(sorted(filter(is_human, names)))


def _add_notes(judgments: Judgments) -> pd.DataFrame:
    """Add notes on judgments that no z-score or no paired test can use."""
    if judgments.kind != "direct_assessment":
        return judgments.notes
    table = judgments.table
    ranked = table
    if "item_type" in table:
        ranked = table[table["item_type"].isin(COUNTED_TYPES)]
    notes = []
    outputs = ranked[["system", "segment"]].drop_duplicates()
    if not outputs["segment"].duplicated().any() and outputs["system"].nunique() > 1:
        notes.append(("", "no_shared_segment", len(outputs), ""))
    every = judgments.all_rows if judgments.all_rows is not None else table
    if "mark" in every:
        every = every[every["mark"].isna()]
    if "annotator" in every:
        scores = every.groupby(every["annotator"].astype(object))["score"]
        spread = scores.max() - scores.min()
        of_row = spread.reindex(ranked["annotator"].astype(object)).to_numpy(float)
        rule = judgments.constant_annotators
        notes.append(("", "constant_annotator", int((of_row < 1e-9).sum()), rule))
        unknown = int(pd.isna(of_row).sum())
        notes.append(("", "annotator_without_rows", unknown, ""))
    return _append(judgments.notes, counted(notes))
