"""Notebook 11: do two studies of the same systems agree, with two protocols or on two test sets?

Documents are resampled (or segments, for contrast), and, where a study names them, its annotators:
a ranking rests on few of them, and another study would have others.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment
from companion.legacy.rankstability.rank.certainty import certainty
from companion.legacy.rankstability.rank.recipes import made_by, recipe_named
from companion.legacy.rankstability.rank.standing import splits
from companion.legacy.rankstability.score.scored import Scores, from_frame

from ..models.chance import named_generator as named_generator
from ..models.comparing import tau
from ..models.units import unit_totals

UNITS = ("document", "segment")
FEWEST = 8  # documents that can be resampled: intervals from fewer are too narrow to be given
COLUMNS = [
    "domain",
    "documents",
    "segments",
    "tau",
    "low",
    "high",
    "random",
    "random_low",
    "random_high",
    "p",
    "without",
    "without_random",
    "without_p",
]  # of `domains`


def protocol_of(study: str) -> str:
    """The protocol in a study's name: ``ESA`` for ``ESA-2``, ``MQM`` for ``MQM (WMT23)``."""
    return re.sub(r"(-\d+| \(.*\))$", "", study)


@dataclass(frozen=True)
class Cells:
    """The scores of each annotator on each segment: weighted sums and weights, (cells, systems)."""

    segment: np.ndarray  # codes, one per cell
    annotator: np.ndarray
    sums: np.ndarray
    weights: np.ndarray
    annotators: int  # 0 if not all are named; they are then taken as one


@dataclass(frozen=True)
class Common:
    """Several studies of the same systems, on the segments that at least two judged completely."""

    names: tuple[str, ...]
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    unit: np.ndarray  # code of each segment's resampling unit
    scores: np.ndarray  # means, (studies, segments, systems); NaN where a study lacks any system
    cells: tuple[Cells, ...]  # each study's scores by annotator

    def shared(self, *names: str) -> np.ndarray:
        """Mask of the segments on which all these studies judged every system."""
        which = [self.names.index(name) for name in names]
        return np.isfinite(self.scores[which]).all(axis=(0, 2))

    def study(self, name: str, segments: np.ndarray) -> Scores:
        """One study's scores on some segments (a mask), with the resampling unit as document."""
        table = self.scores[self.names.index(name)][segments]
        segment, system = (i.ravel() for i in np.indices(table.shape))
        frame = pd.DataFrame(
            {"system": np.array(self.systems)[system], "score": table.ravel()}
        )
        frame["segment"] = np.array(self.segments)[segments][segment]
        return from_frame(
            frame.assign(
                document=[f"{u:06d}" for u in self.unit[segments][segment]]
            )
        )


def common(studies: Mapping[str, Scores], unit: str = "document") -> Common:
    """Studies limited to the systems that all judged, and to segments that two judged completely.

    `unit` is one of `UNITS`; the documents of segments are those of the first study that names
    them. Raises DataError for fewer than two studies, three common systems or two common segments,
    and if documents are to be resampled but no study names them.
    """
    if unit not in UNITS:
        raise DataError(
            "unknown unit", value=unit, expected=" or ".join(UNITS)
        )
    if len(studies) < 2:
        raise DataError(
            "fewer than two studies",
            value=list(studies),
            expected="two or more",
        )
    every = list(studies.values())
    systems = sorted(set.intersection(*(set(s.systems) for s in every)))
    tables = [
        pd.DataFrame(
            s.matrix(), index=list(s.segments), columns=list(s.systems)
        )[systems].dropna()
        for s in every
    ]
    judged = (
        pd.concat([pd.Series(1, table.index) for table in tables])
        .groupby(level=0)
        .size()
    )
    of = (
        pd.Series(range(len(judged)), judged.index)
        if unit == "segment"
        else _documents(every)
    )
    segments = sorted(judged.index[judged > 1].intersection(of.index))
    if len(systems) < 3 or len(segments) < 2:
        value = f"{len(systems)} systems, {len(segments)} segments that two studies judged whole"
        expected = "three systems and two segments"
        raise DataError(
            "studies without common ground", value=value, expected=expected
        )
    codes = pd.factorize(of.loc[segments])[0]
    scores = np.array([table.reindex(segments).to_numpy() for table in tables])
    cells = tuple(_cells(study, systems, segments) for study in every)
    return Common(
        tuple(studies), tuple(systems), tuple(segments), codes, scores, cells
    )


def _cells(study: Scores, systems: list[str], segments: list[str]) -> Cells:
    system = pd.Index(systems).get_indexer(study.systems)[study.system]
    segment = pd.Index(segments).get_indexer(study.segments)[study.segment]
    kept = (system >= 0) & (segment >= 0)
    names = np.zeros(0)
    who = np.zeros(int(kept.sum()), np.int64)
    if study.has("worker"):
        names, who = np.unique(study.unit("worker")[kept], return_inverse=True)
    code = who * len(segments) + segment[kept]
    score = study.score[kept]
    weight = study.weights()[kept]
    parts = unit_totals(system[kept], code, score, weight, len(systems))
    annotator, place = np.divmod(np.unique(code), len(segments))
    return Cells(place, annotator, *parts, len(names))


def _documents(studies: list[Scores]) -> pd.Series:
    """The document of each segment in the first study that names documents."""
    for study in studies:
        if study.has("document"):
            return pd.Series(
                study.segment_unit("document"), index=list(study.segments)
            )
    raise DataError(
        "no study names its documents", expected="documents, or unit=segment"
    )


def _interval(
    draws: np.ndarray, units: int, annotators: int
) -> tuple[float, float, float]:
    """The observed value (the first of `draws`), and the central 95 % of the resampled ones.

    The interval is NaN for fewer units than `FEWEST`, and for one annotator, who says nothing of
    others.
    """
    if units < FEWEST or annotators == 1 or len(draws) < 2:
        return float(draws[0]), np.nan, np.nan
    low, high = np.nanpercentile(draws[1:], [2.5, 97.5])
    return float(draws[0]), float(low), float(high)


def _drawn(
    number: int, rng: np.random.Generator, resamples: int
) -> np.ndarray:
    """How often each unit counts: once in the first row, then as often as in each resample."""
    ones = np.ones((1, max(number, 1)), int)
    if not number:
        return np.repeat(ones, resamples + 1, axis=0)
    return np.vstack(
        [ones, rng.multinomial(number, np.full(number, 1 / number), resamples)]
    )


def _taus(
    both: Common, rng: np.random.Generator, resamples: int
) -> dict[tuple[str, str], np.ndarray]:
    """Kendall's tau of every two studies on what both judged: observed, then for each resample.

    A resample takes the same units in all studies, and annotators in each study separately. NaN if
    a resample has no judgment of some system.
    """
    times = _drawn(int(both.unit.max()) + 1, rng, resamples)
    of = [times[:, both.unit[c.segment]] * _drawn(c.annotators, rng, resamples)[:, c.annotator]
          for c in both.cells]  # fmt: skip
    out = {}
    for (i, first), (j, second) in combinations(enumerate(both.names), 2):
        here = both.shared(first, second)
        if here.sum() < 2:
            raise DataError(
                "no two segments that both studies judged",
                value=(first, second),
            )
        means = []
        for k in (i, j):
            held = here[both.cells[k].segment]
            sums = both.cells[k].sums[held]
            weights = both.cells[k].weights[held]
            with np.errstate(invalid="ignore"):
                means.append(
                    (of[k][:, held] @ sums) / (of[k][:, held] @ weights)
                )
        known = np.isfinite(means).all(axis=(0, 2))
        out[first, second] = np.where(known, tau(*means), np.nan)
    return out


def agreement(
    both: Common, rng: np.random.Generator, resamples: int = 1000
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How far studies agree, and whether protocols agree less than a protocol with itself.

    The first table has a row for every two studies, of the same protocol (``within``) or not
    (``between``): the segments that both judged completely, units, annotators (of the study with
    fewer; 0 if not named), and Kendall's tau of the systems' means (resampling adds noise, so that
    the ends of its interval are rather too low). The second has a row for every two protocols of
    which at least one was run twice. Intervals are the central 95 % of resamples of units and
    annotators.
    """
    units = int(both.unit.max()) + 1
    taus = _taus(both, rng, resamples)
    people = {
        name: c.annotators
        for name, c in zip(both.names, both.cells, strict=True)
    }
    of = {name: protocol_of(name) for name in both.names}
    pairs = []
    for (i, j), draws in taus.items():
        here = both.shared(i, j)
        held = len(np.unique(both.unit[here]))
        kind = "within" if of[i] == of[j] else "between"
        few = min(people[i], people[j])
        pairs.append(
            (
                i,
                j,
                kind,
                int(here.sum()),
                held,
                few,
                *_interval(draws, held, few),
            )
        )
    rows = []
    for first, second in combinations(dict.fromkeys(of.values()), 2):
        between = [
            t
            for (i, j), t in taus.items()
            if {of[i], of[j]} == {first, second}
        ]
        own = {
            p: [t for (i, j), t in taus.items() if of[i] == of[j] == p]
            for p in (first, second)
        }
        if repeated := [p for p, found in own.items() if found]:
            inside = np.mean(
                [np.mean(own[p], axis=0) for p in repeated], axis=0
            )
            across = np.mean(between, axis=0)
            row = (
                first,
                second,
                " + ".join(repeated),
                float(across[0]),
                float(inside[0]),
            )
            few = min(
                people[name] for name, p in of.items() if p in (first, second)
            )
            rows.append((*row, *_interval(across - inside, units, few), few))
    first_of = ["first", "second"]
    ends = ["low", "high"]
    columns = [
        *first_of,
        "kind",
        "segments",
        "units",
        "annotators",
        "tau",
        *ends,
    ]
    names = [
        *first_of,
        "repeated",
        "between",
        "within",
        "difference",
        *ends,
        "annotators",
    ]
    return pd.DataFrame(pairs, columns=columns), pd.DataFrame(
        rows, columns=names
    )


def kept(both: Common, recipe: str, alpha: float = 0.05) -> pd.DataFrame:
    """Which claims of one study the other study repeats, on the segments that they share.

    Columns first, second, pairs_claimed (pairs of systems that the first calls different by a
    two-sided t test over units), srp, claimed_again, opposite (shares of these that are in the same
    order in the second; that it calls different in the same, in the other order), lines (of the
    first, drawn by `recipe`), lines_kept (those with the same systems above them in the second).
    """
    rows = []
    upper = np.triu_indices(len(both.systems), 1)
    for first, second in combinations(both.names, 2):
        here = both.shared(first, second)
        found = {
            name: _claims(both.study(name, here), recipe, alpha)
            for name in (first, second)
        }
        for one, other in ((first, second), (second, first)):
            gap, p, above = found[one]
            again, p_again, too = found[other]
            claimed = p[upper] < alpha
            alike = np.sign(gap) == np.sign(again)
            also = p_again < alpha
            masks = (alike, alike & also, ~alike & also)
            shares = [
                m[upper][claimed].mean() if claimed.any() else np.nan
                for m in masks
            ]
            rows.append(
                (
                    one,
                    other,
                    int(claimed.sum()),
                    *shares,
                    len(above),
                    len(above & too),
                )
            )
    names = [
        "first",
        "second",
        "pairs_claimed",
        "srp",
        "claimed_again",
        "opposite",
    ]
    return pd.DataFrame(rows, columns=[*names, "lines", "lines_kept"])


def _claims(
    study: Scores, recipe: str, alpha: float
) -> tuple[np.ndarray, np.ndarray, set[frozenset[int]]]:
    """Difference and two-sided p of each pair, and the systems above each line of `recipe`."""
    sure = certainty(study, "document", alpha=alpha)
    place = np.argsort(sure.order)
    mean = sure.mean[place]
    above = splits(made_by(study, recipe_named(recipe), alpha))
    return mean[:, None] - mean, sure.p[np.ix_(place, place)], above


def pooled(parts: Mapping[str, Scores]) -> tuple[Scores, pd.Series]:
    """Several test sets of the same systems as one, and the test set of each segment.

    Systems that not all parts judged are left out; names of segments and documents begin with that
    of the test set. Raises DataError for fewer than three common systems, and for a part that does
    not name its documents.
    """
    systems = set.intersection(*(set(part.systems) for part in parts.values()))
    if len(systems) < 3:
        raise DataError(
            "fewer than three common systems", value=sorted(systems)
        )
    frames = []
    for name, part in parts.items():
        if not part.has("document"):
            raise DataError(
                "a test set that does not name its documents", value=name
            )
        frame = pd.DataFrame(
            {
                "system": np.array(part.systems)[part.system],
                "score": part.score,
            }
        )
        frame["segment"] = [f"{name} {part.segments[k]}" for k in part.segment]
        frame["document"] = [f"{name} {k}" for k in part.units["document"]]
        frames.append(frame[frame["system"].isin(systems)].assign(set=name))
    every = pd.concat(frames, ignore_index=True)
    return from_frame(every), every.drop_duplicates("segment").set_index(
        "segment"
    )["set"]


def usable(judged: Scores) -> bool:
    """Whether test sets can be compared: documents are named, and there are three systems."""
    return judged.has("document") and len(judged.systems) > 2


def domain_names(judgments: DirectAssessment | pd.DataFrame) -> pd.Series:
    """The domain of each segment, indexed by segment; empty if the data name none."""
    frame = (
        judgments.good
        if isinstance(judgments, DirectAssessment)
        else judgments
    )
    if "domain" not in frame:
        return pd.Series(dtype=str)
    known = frame.loc[frame["domain"].notna(), ["segment", "domain"]].astype(
        str
    )
    return known.drop_duplicates("segment").set_index("segment")["domain"]


class _Documents:
    """Sums and numbers of segment scores by document and system."""

    def __init__(self, judged: Scores) -> None:
        if len(judged.systems) < 3:
            raise DataError("fewer than three systems", value=judged.systems)
        table = judged.matrix()
        document = judged.segment_unit("document")
        self.code = np.unique(document, return_inverse=True)[1]
        self.segments = np.bincount(self.code)
        self.number = len(self.segments)
        known = np.isfinite(table)
        self.sums = np.zeros((self.number, table.shape[1]))
        self.counts = np.zeros_like(self.sums)
        np.add.at(self.sums, self.code, np.where(known, table, 0.0))
        np.add.at(self.counts, self.code, known)

    def means(self, weight: np.ndarray) -> np.ndarray:
        """System means with documents weighted: (..., documents) to (..., systems)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return (weight @ self.sums) / (weight @ self.counts)

    def random_sets(
        self, size: int, draws: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Random sets of documents with about `size` segments: (draws, documents), 0 and 1."""
        order = np.argsort(rng.random((draws, self.number)), axis=1)
        length = self.segments[order]
        # the number nearest to `size`
        taken = np.cumsum(length, axis=1) - length / 2 < size
        out = np.empty((draws, self.number))
        np.put_along_axis(out, order, taken.astype(float), axis=1)
        return out


def halves(
    judged: Scores, rng: np.random.Generator, draws: int = 1000
) -> pd.DataFrame:
    """How far two random halves of the documents agree in the ranking of the systems.

    One row: systems, documents, tau (mean over splits), low, high (the central 95 % of splits).
    These are empty without documents, or with fewer than twice `FEWEST`.
    """
    row = dict.fromkeys(["systems", "documents", "tau", "low", "high"], np.nan)
    row |= {"systems": len(judged.systems), "documents": 0}
    if usable(judged):
        data = _Documents(judged)
        row["documents"] = data.number
        if data.number >= 2 * FEWEST:
            mask = data.random_sets(int(data.segments.sum()) // 2, draws, rng)
            taus = tau(data.means(mask), data.means(1 - mask))
            low, high = np.nanpercentile(taus, [2.5, 97.5])
            row |= {
                "tau": float(np.nanmean(taus)),
                "low": float(low),
                "high": float(high),
            }
    return pd.DataFrame([row])


def domains(
    judged: Scores,
    names: pd.Series,
    rng: np.random.Generator,
    draws: int = 1000,
) -> pd.DataFrame:
    """How far the documents of each domain rank the systems as all other documents do.

    `names` holds the domain of each segment (see `domain_names`); `draws` is the number of
    resamples of documents, and of random sets. Raises DataError if documents are not named, if
    there is only one domain, or if a document has two.

    Columns domain, documents, segments, tau (between the domain and all other documents), low, high
    (documents resampled within both), random, random_low, random_high (mean and central 95 % of tau
    between random sets of documents with as many segments and the rest), p (share of random sets
    that agree no better than the domain), without (tau between all documents and those outside the
    domain), without_random, without_p (mean and share with random sets left out). With fewer than
    `FEWEST` documents in the domain or the rest, only tau and without are given.
    """
    data = _Documents(judged)
    of_segment = (
        names.reindex(list(judged.segments)).fillna("unknown").to_numpy(str)
    )
    table = pd.DataFrame(
        {"code": data.code, "domain": of_segment}
    ).drop_duplicates()
    if table["code"].duplicated().any():
        raise DataError(
            "a document of two domains", expected="each document in one domain"
        )
    of = table.sort_values("code")["domain"].to_numpy(str)
    known = sorted(set(of))
    if len(known) < 2:
        raise DataError("one domain only", value=known, expected="two or more")
    rows = [
        _domain(data, of == name, rng, draws) | {"domain": name}
        for name in known
    ]
    return pd.DataFrame(rows)[COLUMNS]


def _domain(
    data: _Documents, inside: np.ndarray, rng: np.random.Generator, draws: int
) -> dict[str, float]:
    mask = inside.astype(float)
    every = np.ones(data.number)
    rest = 1 - mask
    size = int(inside.sum())
    segments = int(data.segments[inside].sum())
    row = dict.fromkeys(COLUMNS[1:], np.nan) | {
        "documents": size,
        "segments": segments,
    }
    outside = data.means(rest)
    row["tau"] = float(tau(data.means(mask), outside))
    row["without"] = float(tau(data.means(every), outside))
    if min(size, data.number - size) < FEWEST:
        return row
    again = np.zeros((draws, data.number))
    for part in (inside, ~inside):
        n = int(part.sum())
        again[:, part] = rng.multinomial(n, np.full(n, 1 / n), size=draws)
    resampled = tau(data.means(again * mask), data.means(again * rest))
    random = data.random_sets(segments, draws, rng)
    between = tau(data.means(random), data.means(1 - random))
    left = tau(data.means(every), data.means(1 - random))
    row["low"], row["high"] = np.nanpercentile(resampled, [2.5, 97.5])
    row["random_low"], row["random_high"] = np.nanpercentile(
        between, [2.5, 97.5]
    )
    for name, drawn, observed in (
        ("", between, "tau"),
        ("without_", left, "without"),
    ):
        row[f"{name}random"] = np.nanmean(drawn)
        worse = (
            drawn <= row[observed] + 1e-12
        ).sum()  # the observed one counts, too
        row[f"{name}p"] = float((1 + worse) / (1 + len(drawn)))
    return row
