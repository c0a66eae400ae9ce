"""The tables of notebook 12: a row for each judge and study, and the yardsticks beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.legacy.rankcampaigns import campaigns, rr
from companion.legacy.rankcampaigns import judges as said
from companion.legacy.rankcampaigns.campaigns import Campaign
from companion.legacy.rankstability.judgments import DirectAssessment
from companion.legacy.rankstability.rank.certainty import Certainty, certainty, of_battles
from companion.legacy.rankstability.rank.resampling import Units, units
from companion.legacy.rankstability.score.scored import Scores, scored

from . import battles, worth
from .worth import Beside

COLUMNS = [
    "pair",
    "study",
    "judge",
    "outputs",
    "documents",
    "alike",
    "pairs",
    "declared_alike",
    "declared",
    "tau",
    "r",
    "r_low",
    "r_high",
    "vd_share",
    "worth",
    "worth_low",
    "worth_high",
]  # of judges.csv
ORDERS = [
    "pair",
    "study",
    "judge",
    "first",
    "reversed",
    "lines_reversed",
    "same_annotators_alike",
    "same_annotators",
    "lacking",
    "constant",
    "equal",
]  # of orders.csv
COUNTS = [
    "outputs",
    "documents",
    "alike",
    "pairs",
    "declared_alike",
    "declared",
]
PEOPLE = "people: "  # before the names of yardsticks, which are people's
PERSON = f"{PEOPLE}another annotator"
PERFECT = f"{PEOPLE}a perfect judge"


@dataclass(frozen=True)
class Study:
    """One study's people, and its judges: scores, document of each segment, scores of judges."""

    name: str
    people: Scores
    documents: pd.Series
    judges: pd.DataFrame


@dataclass(frozen=True)
class Declared:
    """What people declare: for each two systems whether the first is better, and lines that hold.

    `better` maps (system, system) to nothing but declared pairs; `lines` holds the systems above
    each line.
    """

    better: tuple[tuple[str, str], ...]
    lines: tuple[frozenset[str], ...]


def declared(sure: Certainty) -> Declared:
    """The pairs and lines of a ranking of people that are certain, by name."""
    names = sure.systems
    pairs = tuple((names[i], names[j]) for i, j in np.argwhere(sure.declared))
    lines = tuple(frozenset(names[: k + 1]) for k in np.flatnonzero(sure.held))
    return Declared(pairs, lines)


def study(
    campaign: Campaign,
    pair: str,
    judgments: object,
    score: str,
    name: str = "",
) -> Study:
    """A campaign's judgments of people (as loaded), and what its judges said of the same pair."""
    people = scored(judgments, score)
    judges = said.read(campaign, pair)
    judges = (
        pd.DataFrame(columns=said.SCORES)
        if judges is None
        else as_scores(judges)
    )
    return Study(name, people, documents(judgments), judges)


def as_scores(judges: pd.DataFrame) -> pd.DataFrame:
    """What judges said, with the columns of `companion.legacy.rankcampaigns.judges.SCORES`, of MQM errors too."""
    return (
        _outputs(scored(judges, "raw"), judges)
        if "severity" in judges
        else judges
    )


def documents(judgments: object) -> pd.Series:
    """The document of each segment as text, indexed by segment; empty if none is named."""
    frame = (
        judgments.good
        if isinstance(judgments, DirectAssessment)
        else judgments
    )
    assert isinstance(frame, pd.DataFrame)
    known = (
        frame[frame["document"].notna()] if "document" in frame else frame[:0]
    )
    if known.empty:
        return pd.Series(dtype=str)
    names = (
        known[["segment", "document"]].astype(str).drop_duplicates("segment")
    )
    return names.set_index("segment")["document"]


def _outputs(people: Scores, rows: pd.DataFrame) -> pd.DataFrame:
    """The judges among raters: the score of each output by each, with the columns of judges."""
    frame = outputs(people, by="worker")
    return frame.assign(
        document=frame["segment"].map(documents(rows)).fillna("")
    )


def outputs(people: Scores, by: str = "") -> pd.DataFrame:
    """Mean score of each output, as if of a judge: judge (of `by`), system, segment, document."""
    frame = pd.DataFrame({"score": people.score})
    frame["system"] = np.array(people.systems, dtype=object)[people.system]
    frame["segment"] = np.array(people.segments, dtype=object)[people.segment]
    frame["judge"] = (
        np.array(people.workers, dtype=object)[people.unit(by)] if by else ""
    )
    made = frame.groupby(
        ["judge", "system", "segment"], as_index=False, sort=False
    )["score"].mean()
    return made.assign(document="")


def compared(
    one: Study, others: Mapping[str, Scores], alpha: float = 0.05
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A study's judges beside its people, and the yardsticks: rows of `COLUMNS` and of `ORDERS`.

    Yardsticks are `others` (studies of the same outputs, taken for judges), another annotator of
    this study, and a judge that knew what people agree on (by the larger correlation of these).
    Columns pair is left out. Raises DataError as `worth.beside` does.
    """
    sure = declared(certainty(one.people, alpha=alpha))
    same = (
        declared(certainty(one.people, "document", alpha=alpha))
        if _two(one.people)
        else sure
    )
    known = [
        (judge, frame)
        for judge, frame in one.judges.groupby("judge", sort=False)
    ]
    known += [
        (PEOPLE + name, outputs(scores)) for name, scores in others.items()
    ]
    rows = []
    orders = []
    twice = []
    for judge, frame in known:
        beside = worth.beside(one.people, frame, one.documents)
        found = worth.judged(beside)
        first = worth.order(beside)
        means = dict(
            zip(beside.people.systems, beside.means()[1], strict=True)
        )
        row = {
            "judge": judge,
            "outputs": beside.outputs,
            "documents": beside.documents,
        }
        rows.append(row | first | kept(sure, means)[0] | found)
        orders.append(
            {
                "judge": judge,
                "first": first["first"],
                **_order(sure, same, means),
            }
        )
        orders[-1] |= _oddities(beside)
        twice += [found] if str(judge).startswith(PEOPLE) else []
    person = worth.another_person(one.people)
    if np.isfinite(person["r"]):
        rows.append({"judge": PERSON, **person})
        twice.append(person)
    if twice:
        best = max(twice, key=lambda found: found["r"])
        rows.append({"judge": PERFECT, **worth.perfect(best)})
    return _table(rows, COLUMNS, one.name), _table(orders, ORDERS, one.name)


def _two(people: Scores) -> bool:
    """Whether annotators and documents are both named."""
    return people.has("worker") and people.has("document")


def kept(
    sure: Declared, means: Mapping[str, float]
) -> tuple[dict[str, int], list[str], list[str]]:
    """Of what people declare, what a judge's means keep: counts, pairs and lines reversed, by name.

    Only pairs of systems that the judge has are counted; a line is reversed if any such pair across
    it is.
    """
    pairs = [(a, b) for a, b in sure.better if a in means and b in means]
    names = list(means)
    way = worth.ordered(np.array([means[name] for name in names]))
    place = {name: k for k, name in enumerate(names)}
    sign = {(a, b): way[place[a], place[b]] for a, b in pairs}
    counts = {
        "declared_alike": sum(s > 0 for s in sign.values()),
        "declared": len(pairs),
    }
    wrong = [f"{b} above {a}" for (a, b), s in sign.items() if s < 0]
    lines = []
    for above in sure.lines:
        inside = [name for name in names if name in above]
        outside = [name for name in names if name not in above]
        if any(way[place[a], place[b]] < 0 for a in inside for b in outside):
            lines.append(f"below {', '.join(sorted(above))}")
    return counts, wrong, lines


def _order(
    sure: Declared, same: Declared, means: Mapping[str, float]
) -> dict[str, object]:
    _, wrong, lines = kept(sure, means)
    alike = kept(same, means)[0]
    out = {"reversed": "; ".join(wrong), "lines_reversed": "; ".join(lines)}
    return out | {
        "same_annotators_alike": alike["declared_alike"],
        "same_annotators": alike["declared"],
    }


def _oddities(beside: Beside) -> dict[str, object]:
    """What else to say of a judge: systems that it lacks; 1 if constant, 1 if equal to people's."""
    return {"lacking": ", ".join(beside.lacking), "constant": int(_level(beside.score)),
            "equal": int(_equal(beside))}  # fmt: skip


def _level(score: np.ndarray) -> bool:
    """Whether all scores are the same."""
    return bool(np.ptp(score) <= worth.SAME * max(1.0, np.abs(score).max()))


def _equal(beside: Beside) -> bool:
    """Whether the judge has people's mean of each output, or all that one annotator gave."""
    people = beside.people
    frame = pd.DataFrame({"system": people.system, "segment": people.segment})
    frame = frame.assign(score=people.score, judge=beside.score)
    mean = frame.groupby(["system", "segment"])["score"].transform("mean")
    if np.allclose(mean, beside.score, rtol=0, atol=worth.SAME):
        return True
    if not people.has("worker"):
        return False
    frame["same"] = np.isclose(
        frame["score"], frame["judge"], rtol=0, atol=worth.SAME
    )
    who = (
        frame.assign(worker=people.unit("worker"))
        .groupby("worker")["same"]
        .agg(["all", "size"])
    )
    return bool((who["all"] & (who["size"] >= beside.outputs)).any())


def of_votes(
    people: pd.DataFrame,
    judges: pd.DataFrame,
    data: Units,
    alpha: float = 0.05,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Judges of battles beside people: rows of `COLUMNS`, of `ORDERS`, and of `battles.POSITION`.

    `people` and `judges` have the columns of `companion.legacy.rankcampaigns.judges.VOTES`; `data` are people's
    battles, from which pairs are declared. Outputs are battles, documents questions.
    """
    unit = "judge" if (data.judges >= 0).all() else "battle"
    sure = declared(of_battles(data, unit, alpha))
    rows = []
    orders = []
    positions = [battles.position("people", people)]
    for judge, frame in judges.groupby("judge", sort=False):
        both = battles.joined(people, frame)
        votes = battles.compared(both)
        means = dict(zip(votes.systems, votes.judge_strength, strict=True))
        first = battles.order(votes)
        number = int(votes.question.max()) + 1
        row = {"judge": judge, "outputs": votes.battles, "documents": number}
        rows.append(row | first | kept(sure, means)[0] | battles.judged(votes))
        orders.append(
            {
                "judge": judge,
                "first": first["first"],
                **_order(sure, sure, means),
            }
        )
        orders[-1] |= _odd_votes(people, both)
        distinct = both.drop_duplicates(battles.BATTLE)
        positions.append(battles.position(str(judge), distinct, "vote_judge"))
    person = battles.another_person(people)
    if np.isfinite(person["r"]):
        rows.append({"judge": PERSON, **person})
        rows.append({"judge": PERFECT, **worth.perfect(person)})
    made = _table(rows, COLUMNS, ""), _table(orders, ORDERS, "")
    return *made, pd.DataFrame(positions, columns=battles.POSITION)


def _odd_votes(people: pd.DataFrame, both: pd.DataFrame) -> dict[str, object]:
    """As `_oddities`, of a judge of battles; `both` is from `battles.joined`."""
    theirs, known = (
        {*frame["left"], *frame["right"]} for frame in (people, both)
    )
    constant = both["vote_judge"].nunique() == 1
    equal = bool((both["vote"] == both["vote_judge"]).all())
    flags = {"constant": int(constant), "equal": int(equal)}
    return {"lacking": ", ".join(sorted(theirs - known)), **flags}


@dataclass(frozen=True)
class Made:
    """The tables of one language pair: of `COLUMNS`, `ORDERS`, and of battles `POSITION`."""

    rows: pd.DataFrame
    orders: pd.DataFrame
    positions: pd.DataFrame


def of_pair(
    campaign: Campaign, pair: str, score: str, alpha: float = 0.05
) -> Made:
    """All judges of one language pair beside people, in each study of the campaign.

    `score` is people's, ``raw`` or ``z``. Raises DataError as `worth.beside` and
    `battles.joined` do.
    """
    if campaign.format == "battles":
        people = people_votes(campaign, pair)
        judges = said.read(campaign, pair)
        judges = pd.DataFrame(columns=said.VOTES) if judges is None else judges
        tables = of_votes(
            people, judges, units(campaigns.load(campaign, pair)), alpha
        )
    else:
        names = campaign.parts or ("",)
        parts = {
            name: campaign.part(name) if name else campaign for name in names
        }
        studies = {
            name: study(part, pair, campaigns.load(part, pair), score, name)
            for name, part in parts.items()
        }
        made = []
        for name, one in studies.items():
            others = {
                other: two.people
                for other, two in studies.items()
                if other != name
            }
            made.append(compared(one, others, alpha))
        rows, orders = (
            pd.concat(side, ignore_index=True)
            for side in zip(*made, strict=True)
        )
        tables = rows, orders, pd.DataFrame(columns=battles.POSITION)
    for frame in tables:
        frame.insert(0, "pair", pair)
    return Made(*tables)


def people_votes(campaign: Campaign, pair: str) -> pd.DataFrame:
    """People's votes of battles, without those of judges among them."""
    votes = rr.read_votes(campaign.files(pair), pair, campaign.entry)
    return votes[~said.mask(votes["judge"], said.named(campaign.entry))]


def _table(
    rows: Sequence[Mapping[str, object]], columns: list[str], name: str
) -> pd.DataFrame:
    frame = pd.DataFrame(list(rows), columns=columns[2:])
    frame.insert(0, "study", name)
    whole = [
        one
        for one in (*COUNTS, "same_annotators_alike", "same_annotators")
        if one in frame
    ]
    return frame.astype(dict.fromkeys(whole, "Int64"))
