"""How well judges agree with each other and with themselves, on pairs of systems.

The unit is the comparison of two systems on one source segment, with three labels (better, equal,
worse). Every two annotations of the same comparison are a pair: *intra* by one judge, *inter* by
two. All measures are (P(A) - P(E)) / (1 - P(E)) and differ in P(E) (Bojar et al. 2011, Eqs. 1, 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..score import rr as relative_ranking

KINDS = ("intra", "inter")
MEASURES = {
    "p_a": "P(A), the share of pairs of annotations that agree",
    "s": "S (Bennett et al. 1954): the three labels equally likely, P(E) = 1/3; the κ of WMT10",
    "clicker": "P(E) = 0.36, a judge who clicks at random among five ranks (Bojar et al. 2011)",
    "pi": "Scott's π: P(E) from the labels given, better and worse taken together",
    "cohen": "Cohen's κ: P(E) from the labels of each of the two judges",
    "fleiss": "Fleiss' κ: agreement averaged over comparisons, P(E) as for π",
}
RANDOM_CLICKER = 0.36
SIDES = ("system", "judge")  # groupings in which one annotation stands in several groups


@dataclass(frozen=True)
class Annotations:
    """All comparisons of a campaign, and all pairs of annotations of one comparison.

    Attributes
    ----------
    table : DataFrame
        One row per annotation: task, track, source, target, segment, document, judge, block,
        first and second (systems, in alphabetical order), label (1: first better, 0: equal,
        -1: second better), reference (it is one of the two), and the columns asked for.
    left, right : int arrays
        Rows of `table`: each pair of annotations of one comparison once.
    judge, item, unit : int arrays
        Codes of each row's judge, comparison (task, segment, systems) and source segment.
    """

    table: pd.DataFrame
    left: np.ndarray
    right: np.ndarray
    judge: np.ndarray
    item: np.ndarray
    unit: np.ndarray

    @property
    def same_judge(self) -> np.ndarray:
        """Which pairs are by one judge (intra)."""
        return self.judge[self.left] == self.judge[self.right]

    @property
    def agree(self) -> np.ndarray:
        """Which pairs carry the same label."""
        label = self.table["label"].to_numpy()
        return label[self.left] == label[self.right]


def annotate(frame: pd.DataFrame, extra: Sequence[str] = ()) -> Annotations:
    """The comparisons in rows of `readers_rr.read_rr` (any tasks), and their pairs.

    Parameters
    ----------
    extra : sequence of str
        Columns of `frame` to carry along, one value per block (such as a sentence length).
    """
    missing = set(extra) - set(frame.columns)
    if missing:
        raise DataError("no such column", value=sorted(missing), expected="columns of the frame")
    parts = []
    for task, rows in relative_ranking.tasks(frame).items():
        data = relative_ranking.blocks(rows)
        row, a, b, sign = relative_ranking.comparisons(data)
        names = np.array(data.systems, dtype=object)
        flip = a > b
        part = pd.DataFrame(
            {
                "task": task,
                "segment": data.segment[row],
                "judge": data.judge[row],
                "block": data.block[row],
                "first": names[np.where(flip, b, a)],
                "second": names[np.where(flip, a, b)],
                "label": np.where(flip, -sign, sign),
            }
        )
        carried = rows.drop_duplicates("block").set_index("block")[
            ["document", "track", "pair", *extra]
        ]
        carried = carried.loc[data.block[row]].reset_index(drop=True)
        part["document"] = carried["document"].astype(str)
        part["track"] = carried["track"].astype(str)
        languages = carried["pair"].astype(str).str.split("-", n=1)
        part["source"], part["target"] = languages.str[0], languages.str[1]
        for name in extra:
            part[name] = carried[name]
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    reference = relative_ranking.REFERENCE
    table["reference"] = (table["first"] == reference) | (table["second"] == reference)
    item = table.groupby(["task", "segment", "first", "second"], sort=False).ngroup().to_numpy()
    order = np.argsort(item, kind="stable")
    ordered, left, right = item[order], [], []
    lag = 1
    while lag < len(order):
        same = np.flatnonzero(ordered[lag:] == ordered[:-lag])
        if not len(same):
            break
        left.append(order[same])
        right.append(order[same + lag])
        lag += 1
    none = np.zeros(0, dtype=int)
    return Annotations(
        table,
        np.concatenate(left) if left else none,
        np.concatenate(right) if right else none,
        pd.factorize(table["judge"])[0],
        item,
        table.groupby(["task", "segment"], sort=False).ngroup().to_numpy(),
    )


def chance_of_labels(labels: np.ndarray) -> float:
    """P(E) of Scott's π from labels -1, 0, 1: P(=)² + 2 ((1 - P(=)) / 2)².

    Better and worse share their frequency equally: which system is named first means nothing.
    """
    ties = float(np.mean(labels == 0)) if len(labels) else np.nan
    return ties**2 + (1 - ties) ** 2 / 2


def corrected(p_a: np.ndarray | float, p_e: np.ndarray | float) -> np.ndarray | float:
    """(P(A) - P(E)) / (1 - P(E)); NaN where P(E) = 1."""
    p_a, p_e = np.asarray(p_a, dtype=float), np.asarray(p_e, dtype=float)
    out = np.divide(
        p_a - p_e, 1 - p_e, out=np.full(np.broadcast(p_a, p_e).shape, np.nan), where=p_e < 1
    )
    return out if out.ndim else float(out)


def agreement(
    notes: Annotations,
    by: Sequence[str] = ("task",),
    *,
    resamples: int = 0,
    rng: np.random.Generator | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Agreement of every group, intra and inter, with and without the reference.

    Parameters
    ----------
    notes : Annotations
    by : sequence of str
        Columns of the annotations: task, track, source, target, segment, document, reference,
        those carried along; also ``judge`` (inter: this judge with the others) and ``system`` (the
        comparisons this system takes part in). Empty: everything in one group.
    resamples : int
        Bootstrap resamples of source segments for the intervals; 0: none. Segments, because all
        annotations that can be compared share one.
    rng : numpy.random.Generator, optional
        Needed with `resamples`.
    level : float
        Of the percentile intervals.

    Returns
    -------
    DataFrame
        The columns of `by`, kind (intra, inter), reference (included, excluded), annotations,
        pairs, segments, p_e (of π), the `MEASURES`, and ``<measure>_low``, ``<measure>_high``.
        Groups without a pair of annotations are left out.
    """
    if resamples and rng is None:
        raise DataError("resamples need a random generator", expected="rng=...")
    table = notes.table
    same, agree, out = notes.same_judge, notes.agree, []
    without = ~table["reference"].to_numpy()
    left_side, right_side = notes.left, notes.right
    for key, group, rows in _groups(notes, list(by)):
        for reference in ("included", "excluded"):
            counted = np.ones(len(table), bool) if reference == "included" else without
            keep = rows & counted
            inside = group[left_side] & (keep[left_side] | keep[right_side])
            for kind in KINDS:
                chosen = np.flatnonzero(inside & (same if kind == "intra" else ~same))
                if len(chosen):
                    facts = _Facts(notes, chosen, agree[chosen], keep, group & counted)
                    row = dict(zip(by, key, strict=True))
                    row |= {"kind": kind, "reference": reference}
                    row |= facts.row(resamples, rng, level)
                    out.append(row)
    columns = [*by, "kind", "reference", "annotations", "pairs", "segments", "p_e", *MEASURES]
    return pd.DataFrame(out) if out else pd.DataFrame(columns=columns)


def _groups(
    notes: Annotations, by: list[str]
) -> Iterator[tuple[tuple[object, ...], np.ndarray, np.ndarray]]:
    """Key, annotations of the group by its plain columns, and those of its judge or system."""
    table = notes.table
    side = next((name for name in by if name in SIDES), "")
    plain = [name for name in by if name not in SIDES]
    if len(plain) + bool(side) < len(by):
        raise DataError("system and judge cannot both group", value=by, expected="one of them")
    missing = set(plain) - set(table.columns)
    if missing:
        raise DataError("no such column", value=sorted(missing), expected="columns of annotations")
    groups: dict[Any, Any] = {(): np.arange(len(table))}
    if plain:
        groups = dict(table.groupby(plain, sort=True, observed=True).indices)
    columns = ["judge"] if side == "judge" else ["first", "second"]
    for name, members in groups.items():
        key = name if isinstance(name, tuple) else (name,)
        inside = np.zeros(len(table), dtype=bool)
        inside[members] = True
        if not side:
            yield key, inside, inside
            continue
        values = table[columns].to_numpy()[members]
        place = by.index(side)
        for value in sorted(set(values.ravel())):
            rows = np.zeros(len(table), dtype=bool)
            rows[members[(values == value).any(axis=1)]] = True
            yield (*key[:place], value, *key[place:]), inside, rows


class _Facts:
    """Sums per source segment, from which every measure and its bootstrap follow."""

    def __init__(
        self,
        notes: Annotations,
        chosen: np.ndarray,
        agree: np.ndarray,
        rows: np.ndarray,
        group: np.ndarray,
    ) -> None:
        left, right = notes.left[chosen], notes.right[chosen]
        label = notes.table["label"].to_numpy()
        used = np.flatnonzero(rows)
        units, code = np.unique(notes.unit[used], return_inverse=True)
        pair_code = np.searchsorted(units, notes.unit[left])
        size = len(units)
        self.annotations, self.pairs = len(used), len(chosen)
        self.segments = len(np.unique(pair_code))
        self.labels = np.bincount(code, minlength=size).astype(float)
        self.ties = np.bincount(code, weights=label[used] == 0, minlength=size)
        self.total = np.bincount(pair_code, minlength=size).astype(float)
        self.agree = np.bincount(pair_code, weights=agree, minlength=size)
        _, item, number = np.unique(notes.item[left], return_inverse=True, return_counts=True)
        share = 1 / number[item]  # every comparison weighs the same in Fleiss' mean
        self.items = np.bincount(pair_code, weights=share, minlength=size)
        self.item_agree = np.bincount(pair_code, weights=share * agree, minlength=size)
        judges, both = np.unique(
            np.stack([notes.judge[left], notes.judge[right]]), return_inverse=True
        )
        both = np.sort(both.reshape(2, -1), axis=0)
        count = len(judges)
        couples, which = np.unique(both[0] * count + both[1], return_inverse=True)
        self.judges = couples // count, couples % count
        # a judge's habits: all labels given in the group's segments, in a pair or not
        own = np.flatnonzero(group)
        place, who = (
            np.searchsorted(units, notes.unit[own]),
            np.searchsorted(judges, notes.judge[own]),
        )
        place, who = np.minimum(place, size - 1), np.minimum(who, count - 1)
        known = (units[place] == notes.unit[own]) & (judges[who] == notes.judge[own])
        place, who, own = place[known], who[known], own[known]
        self.matrices = [
            self._sparse(place, who, np.ones(len(who)), (size, count)),
            self._sparse(place, who, (label[own] == 0).astype(float), (size, count)),
            self._sparse(pair_code, which, np.ones(len(which)), (size, len(couples))),
        ]

    @staticmethod
    def _sparse(row: np.ndarray, column: np.ndarray, value: np.ndarray, shape: tuple[int, int]):
        from scipy.sparse import csr_array

        return csr_array((value, (row, column)), shape=shape)

    def measures(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """P(E) of π and the measures under weights of segments, replicates x segments."""

        def over(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
            part, whole = weights @ part, weights @ whole
            return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)

        p_a, ties = over(self.agree, self.total), over(self.ties, self.labels)
        p_e = ties**2 + (1 - ties) ** 2 / 2
        given, equal, met = (weights @ m for m in self.matrices)
        rate = np.divide(equal, given, out=np.zeros(given.shape), where=given > 0)
        a, b = rate[:, self.judges[0]], rate[:, self.judges[1]]
        chance = a * b + (1 - a) * (1 - b) / 2
        whole = met.sum(axis=1)
        p_cohen = np.divide(
            (met * chance).sum(axis=1), whole, out=np.full(whole.shape, np.nan), where=whole > 0
        )
        values = {
            "p_e": p_e,
            "p_a": p_a,
            "s": corrected(p_a, 1 / 3),
            "clicker": corrected(p_a, RANDOM_CLICKER),
            "pi": corrected(p_a, p_e),
            "cohen": corrected(p_a, p_cohen),
            "fleiss": corrected(over(self.item_agree, self.items), p_e),
        }
        return {name: np.asarray(value) for name, value in values.items()}

    def row(self, resamples: int, rng: np.random.Generator | None, level: float) -> dict:
        """Counts, measures, and intervals where asked for."""
        size = len(self.total)
        point = self.measures(np.ones((1, size)))
        out: dict[str, float] = {
            "annotations": self.annotations,
            "pairs": self.pairs,
            "segments": self.segments,
        }
        out |= {name: float(value[0]) for name, value in point.items()}
        if resamples and rng is not None:
            weights = rng.multinomial(size, np.full(size, 1 / size), size=resamples).astype(float)
            draws = self.measures(weights)
            tail = 100 * (1 - level) / 2
            for name in MEASURES:
                values = draws[name][np.isfinite(draws[name])]
                low, high = (
                    np.percentile(values, [tail, 100 - tail]) if len(values) else (np.nan,) * 2
                )
                out[f"{name}_low"], out[f"{name}_high"] = float(low), float(high)
        return out


def sentence(table: pd.DataFrame) -> str:
    """What a table over one group (``by=[]``) says, with the reference, in one line."""
    rows = table[table["reference"] == "included"].to_dict("records")
    parts = [
        f"{r['kind']}: {r['pairs']} pairs agree in {r['p_a']:.1%}, π = **{r['pi']:.3f}** "
        f"against S = {r['s']:.3f}"
        for r in rows
    ]
    return "; ".join(parts) + "." if parts else "No comparison was made twice."


def judge_pairs(notes: Annotations, at_least: int = 10, reference: bool = True) -> pd.DataFrame:
    """Cohen's κ of every two judges with enough common comparisons (statsmodels).

    Each pair of annotations enters in both orientations, since which system is named first means
    nothing.

    Returns
    -------
    DataFrame
        task, judge, other, pairs, p_a, cohen; most pairs first.
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    table = notes.table
    keep = ~notes.same_judge
    if not reference:
        keep &= ~table["reference"].to_numpy()[notes.left]
    left, right = notes.left[keep], notes.right[keep]
    judge, label = table["judge"].to_numpy(), table["label"].to_numpy()
    swap = judge[left] > judge[right]
    left, right = np.where(swap, right, left), np.where(swap, left, right)
    frame = pd.DataFrame(
        {
            "task": table["task"].to_numpy()[left],
            "judge": judge[left],
            "other": judge[right],
            "a": label[left] + 1,
            "b": label[right] + 1,
        }
    )
    out = []
    for key, rows in frame.groupby(["task", "judge", "other"], sort=True):
        if len(rows) < at_least:
            continue
        cells = np.bincount(rows["a"] * 3 + rows["b"], minlength=9).reshape(3, 3)
        cells = cells + cells[::-1, ::-1]
        p_a = np.trace(cells) / cells.sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            kappa = cohens_kappa(cells, return_results=False)
        out.append((*key, len(rows), p_a, kappa))
    columns = ["task", "judge", "other", "pairs", "p_a", "cohen"]
    return pd.DataFrame(out, columns=columns).sort_values(
        ["pairs", "task", "judge", "other"], ascending=[False, True, True, True], ignore_index=True
    )
