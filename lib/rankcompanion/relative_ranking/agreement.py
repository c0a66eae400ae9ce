"""How well judges agree with each other and with themselves, on pairs of systems.

The unit is the comparison of two systems on one source segment, with three labels (better, equal,
worse). Every two annotations of the same comparison are a pair: *intra* by one judge, *inter* by
two. All measures are (P(A) - P(E)) / (1 - P(E)) and differ in P(E) (Bojar et al. 2011, Eqs. 1, 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from rankstability.errors import DataError
from rankstability.score import pairwise, rr

KINDS = ("intra", "inter")
SIDES = ("system", "judge")  # groupings in which one annotation stands in several groups


def annotate(frame: pd.DataFrame, extra: Sequence[str] = ()) -> Annotations:
    """The comparisons in rows of `read.rr.read_rr` (any tasks), and their pairs.

    `extra` are columns of `frame` to carry along, one value per block (such as a sentence length).
    A comparison whose judge is not named is in no pair: nobody knows whether it is one judge's or
    two's.
    """
    missing = set(extra) - set(frame.columns)
    if missing:
        raise DataError("no such column", value=sorted(missing), expected="columns of the frame")
    tasks = rr.tasks(frame).items()
    parts = [_comparisons(rows, extra).assign(task=task) for task, rows in tasks]
    table = pd.concat(parts, ignore_index=True)
    table["reference"] = table[["first", "second"]].eq(rr.REFERENCE).any(axis=1)
    item = table.groupby(["task", "segment", "first", "second"], sort=False).ngroup().to_numpy()
    unit = table.groupby(["task", "segment"], sort=False).ngroup().to_numpy()
    left, right = _pairs(item)
    named = table["judge"].to_numpy() != ""
    both = named[left] & named[right]
    judge = pd.factorize(table["judge"])[0]
    return Annotations(table, left[both], right[both], judge, item, unit)


def _comparisons(rows: pd.DataFrame, extra: Sequence[str]) -> pd.DataFrame:
    """The comparisons of one task, the systems of each in alphabetical order."""
    data = rr.blocks(rows)
    row, a, b, sign = pairwise.comparisons(data)
    names = np.array(data.systems, dtype=object)
    carried = rows.drop_duplicates("block").set_index("block").loc[data.block[row]]
    table = carried[["document", "track", *extra]].reset_index(drop=True)
    table[["document", "track"]] = table[["document", "track"]].astype(str)
    languages = carried["pair"].astype(str).str.split("-", n=1)
    table["source"], table["target"] = (languages.str[i].to_numpy() for i in (0, 1))
    table["segment"], table["judge"] = data.segment[row], data.judge[row]
    table["block"] = data.block[row]
    table["first"], table["second"] = names[np.minimum(a, b)], names[np.maximum(a, b)]
    return table.assign(label=np.where(a > b, -sign, sign))


def _pairs(item: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every two rows of the same item, once: the rows on the left, and those on the right."""
    order = np.argsort(item, kind="stable")
    ordered, none = item[order], np.zeros(0, dtype=int)
    left, right = [none], [none]
    for lag in range(1, len(order)):
        same = np.flatnonzero(ordered[lag:] == ordered[:-lag])
        if not len(same):
            break
        left.append(order[same])
        right.append(order[same + lag])
    return np.concatenate(left), np.concatenate(right)


def expected_agreement(notes: Annotations) -> pd.DataFrame:
    """What chance would give on a campaign's labels: statistic, value.

    ties: P(=), the share of equal labels; chance: P(E) of Scott's π; random_clicker: P(E) of a
    judge who clicks at random among five ranks (Bojar et al. 2011, Section 2.2.2).
    """
    label = notes.table["label"].to_numpy()
    clicker = (1 / 5) ** 2 + 2 * (2 / 5) ** 2
    values = {"ties": np.mean(label == 0), "chance": chance_of_labels(label)}
    rows = (values | {"random_clicker": clicker}).items()
    return pd.DataFrame(rows, columns=["statistic", "value"])


def kappa_table(notes: Annotations) -> pd.DataFrame:
    """S and π over all tasks: kind, reference, pairs, p_a, s, pi, pi_own (Bojar et al., Table 3).

    As matched, ``pi`` uses one P(E), that of all comparisons, also where the reference is
    excluded; ``pi_own`` uses that of the comparisons counted.
    """
    table = agreement(notes, []).rename(columns={"pi": "pi_own"})
    p_e = chance_of_labels(notes.table["label"].to_numpy())
    table["pi"] = corrected(table["p_a"].to_numpy(float), p_e)
    return table[["kind", "reference", "pairs", "p_a", "s", "pi", "pi_own"]]


def agreement(
    notes: Annotations,
    by: Sequence[str] = ("task",),
    *,
    resamples: int = 0,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """Agreement of every group, intra and inter, with and without the reference.

    Groups are by columns of the annotations: task, track, source, target, segment, document,
    reference, those carried along; also ``judge`` (inter: this judge with the others) and
    ``system`` (the comparisons it takes part in); by none of them, everything. Intervals (95 %)
    are from so many bootstrap `resamples` of source segments, because all annotations that can be
    compared share one; 0: none.

    Columns: those of `by`, kind (intra, inter), reference (included, excluded), annotations,
    pairs, segments, p_e (of π), the `MEASURES`, and ``<measure>_low``, ``<measure>_high``. Groups
    without a pair of annotations are left out.
    """
    if resamples and rng is None:
        raise DataError("resamples need a random generator", expected="rng=...")
    same, left, right, out = notes.same_judge, notes.left, notes.right, []
    without = ~notes.table["reference"].to_numpy()
    for key, group, rows in _groups(notes, list(by)):
        for reference, counted in (("included", np.ones_like(without)), ("excluded", without)):
            keep = rows & counted
            inside = group[left] & (keep[left] | keep[right])
            for kind, of_kind in zip(KINDS, (same, ~same), strict=True):
                chosen = np.flatnonzero(inside & of_kind)
                if len(chosen):
                    sums = Sums(notes, chosen, keep, group & counted)
                    row = dict(zip(by, key, strict=True)) | {"kind": kind, "reference": reference}
                    out.append(row | sums.row(resamples, rng))
    columns = [*by, "kind", "reference", "annotations", "pairs", "segments", "p_e", *MEASURES]
    return pd.DataFrame(out) if out else pd.DataFrame(columns=columns)


def _groups(
    notes: Annotations, by: list[str]
) -> Iterator[tuple[tuple[object, ...], np.ndarray, np.ndarray]]:
    """Key, annotations of the group by its plain columns, and those of its judge or system."""
    table, plain = notes.table, [name for name in by if name not in SIDES]
    if len(plain) + 1 < len(by):
        raise DataError("system and judge cannot both group", value=by, expected="one of them")
    missing = set(plain) - set(table.columns)
    if missing:
        raise DataError("no such column", value=sorted(missing), expected="columns of annotations")
    sides = ("first", "second") if "system" in by else ("first",)
    long = pd.concat([table.assign(system=table[side]) for side in sides])
    groups = long.groupby(by, observed=True).groups if by else {(): table.index}
    for name, members in groups.items():
        key = name if isinstance(name, tuple) else (name,)
        rows = np.zeros(len(table), dtype=bool)
        rows[members] = True
        values = [value for column, value in zip(by, key, strict=True) if column in plain]
        inside = (table[plain] == values).all(axis=1).to_numpy() if plain != by else rows
        yield key, inside, rows


def judge_pairs(notes: Annotations, at_least: int = 10) -> pd.DataFrame:
    """Cohen's κ of every two judges with enough common comparisons (statsmodels).

    Each pair of annotations enters in both orientations, since which system is named first means
    nothing. Columns: task, judge, other, pairs, p_a, cohen; most pairs first.
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    table = notes.table
    keep = ~notes.same_judge
    left, right = notes.left[keep], notes.right[keep]
    judge, label = table["judge"].to_numpy(), table["label"].to_numpy()
    swap = judge[left] > judge[right]
    left, right = np.where(swap, right, left), np.where(swap, left, right)
    frame = pd.DataFrame({"task": table["task"].to_numpy()[left], "judge": judge[left]})
    frame = frame.assign(other=judge[right], a=label[left] + 1, b=label[right] + 1)
    out, names = [], ["task", "judge", "other"]
    for key, rows in frame.groupby(names, sort=True):
        if len(rows) < at_least:
            continue
        cells = np.bincount(rows["a"] * 3 + rows["b"], minlength=9).reshape(3, 3)
        cells = cells + cells[::-1, ::-1]
        p_a = np.trace(cells) / cells.sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            kappa = cohens_kappa(cells, return_results=False)
        out.append((*key, len(rows), p_a, kappa))
    made = pd.DataFrame(out, columns=[*names, "pairs", "p_a", "cohen"])
    return made.sort_values(["pairs", *names], ascending=[False] + [True] * 3, ignore_index=True)


MEASURES = {
    "p_a": "P(A), the share of pairs of annotations that agree",
    "s": "S (Bennett et al. 1954): the three labels equally likely, P(E) = 1/3; the κ of WMT10",
    "clicker": "P(E) = 0.36, a judge who clicks at random among five ranks (Bojar et al. 2011)",
    "pi": "Scott's π: P(E) from the labels given, better and worse taken together",
    "cohen": "Cohen's κ: P(E) from the labels of each of the two judges",
    "fleiss": "Fleiss' κ: agreement averaged over comparisons, P(E) as for π",
}
RANDOM_CLICKER = 0.36


def chance_of_labels(labels: np.ndarray) -> float:
    """P(E) of Scott's π from labels -1, 0, 1: P(=)² + 2 ((1 - P(=)) / 2)².

    Better and worse share their frequency equally: which system is named first means nothing.
    """
    ties = float(np.mean(labels == 0)) if len(labels) else np.nan
    return ties**2 + (1 - ties) ** 2 / 2


def corrected(p_a: np.ndarray, p_e: np.ndarray | float) -> np.ndarray:
    """(P(A) - P(E)) / (1 - P(E)); NaN where P(E) = 1."""
    p_a, p_e = np.broadcast_arrays(p_a, p_e)
    return np.divide(p_a - p_e, 1 - p_e, out=np.full(p_a.shape, np.nan), where=p_e < 1)


@dataclass(frozen=True)
class Annotations:
    """All comparisons of a campaign, and all pairs of annotations of one comparison.

    `table` has one row per annotation: task, track, source, target, segment, document, judge,
    block, first and second (systems, in alphabetical order), label (1: first better, 0: equal,
    -1: second better), reference (it is one of the two), and the columns asked for.
    """

    table: pd.DataFrame
    left: np.ndarray  # rows of `table`: with `right`, each pair of annotations once
    right: np.ndarray
    judge: np.ndarray  # codes of each row's judge
    item: np.ndarray  # of its comparison (task, segment, systems)
    unit: np.ndarray  # of its source segment

    @property
    def same_judge(self) -> np.ndarray:
        """Which pairs are by one judge (intra)."""
        return self.judge[self.left] == self.judge[self.right]

    @property
    def agree(self) -> np.ndarray:
        """Which pairs carry the same label."""
        label = self.table["label"].to_numpy()
        return label[self.left] == label[self.right]


class Sums:
    """Sums per source segment, from which every measure and its bootstrap follow.

    Of the `pairs` that count; labels of `counted` annotations give P(E), and a judge's habits come
    from all of the `group`, in a pair or not.
    """

    def __init__(
        self, notes: Annotations, pairs: np.ndarray, counted: np.ndarray, group: np.ndarray
    ) -> None:
        left, right = notes.left[pairs], notes.right[pairs]
        agree, tie = notes.agree[pairs], notes.table["label"].to_numpy() == 0
        used = np.flatnonzero(counted)
        units, code = np.unique(notes.unit[used], return_inverse=True)
        at = np.searchsorted(units, notes.unit[left])
        size = len(units)
        segments = len(np.unique(at))
        self.counts = {"annotations": len(used), "pairs": len(pairs), "segments": segments}
        self.labels = np.bincount(code, minlength=size).astype(float)
        self.ties = np.bincount(code, weights=tie[used], minlength=size)
        self.total = np.bincount(at, minlength=size).astype(float)
        self.agree = np.bincount(at, weights=agree, minlength=size)
        _, item, number = np.unique(notes.item[left], return_inverse=True, return_counts=True)
        share = 1 / number[item]  # every comparison weighs the same in Fleiss' mean
        self.items = np.bincount(at, weights=share, minlength=size)
        self.item_agree = np.bincount(at, weights=share * agree, minlength=size)
        judges, both = np.unique(notes.judge[np.stack([left, right])], return_inverse=True)
        both = np.sort(both.reshape(2, -1), axis=0)
        couples, which = np.unique(both[0] * len(judges) + both[1], return_inverse=True)
        self.first, self.second = np.divmod(couples, len(judges))
        labelled = np.flatnonzero(group & np.isin(notes.unit, units) & np.isin(notes.judge, judges))
        coded = (units, notes.unit), (judges, notes.judge)
        where = tuple(np.searchsorted(known, codes[labelled]) for known, codes in coded)
        self.given = csr_array((np.ones(len(labelled)), where), shape=(size, len(judges)))
        self.equal = csr_array((tie[labelled].astype(float), where), shape=(size, len(judges)))
        self.met = csr_array((np.ones(len(which)), (at, which)), shape=(size, len(couples)))

    def measures(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """P(E) of π and the measures under weights of segments, replicates x segments."""

        def over(part: np.ndarray, every: np.ndarray) -> np.ndarray:
            part, every = weights @ part, weights @ every
            return np.divide(part, every, out=np.full(part.shape, np.nan), where=every > 0)

        p_a, ties = over(self.agree, self.total), over(self.ties, self.labels)
        p_e = ties**2 + (1 - ties) ** 2 / 2
        given, equal, met = (weights @ m for m in (self.given, self.equal, self.met))
        rate = np.divide(equal, given, out=np.zeros(given.shape), where=given > 0)
        a, b = rate[:, self.first], rate[:, self.second]
        chance, times = a * b + (1 - a) * (1 - b) / 2, met.sum(axis=1)
        p_cohen = np.full(times.shape, np.nan)
        np.divide((met * chance).sum(axis=1), times, out=p_cohen, where=times > 0)
        return {
            "p_e": p_e,
            "p_a": p_a,
            "s": corrected(p_a, 1 / 3),
            "clicker": corrected(p_a, RANDOM_CLICKER),
            "pi": corrected(p_a, p_e),
            "cohen": corrected(p_a, p_cohen),
            "fleiss": corrected(over(self.item_agree, self.items), p_e),
        }

    def row(self, resamples: int, rng: np.random.Generator | None) -> dict:
        """Counts, measures, and intervals where asked for."""
        size = len(self.total)
        point = self.measures(np.ones((1, size)))
        out = {**self.counts, **{name: float(value[0]) for name, value in point.items()}}
        if resamples and rng is not None:
            weights = rng.multinomial(size, np.full(size, 1 / size), size=resamples).astype(float)
            draws = self.measures(weights)
            for name in MEASURES:
                values = draws[name][np.isfinite(draws[name])]
                limits = np.percentile(values, [2.5, 97.5]) if len(values) else [np.nan] * 2
                out[f"{name}_low"], out[f"{name}_high"] = map(float, limits)
        return out
