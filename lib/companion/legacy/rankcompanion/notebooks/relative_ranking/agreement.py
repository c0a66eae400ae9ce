"""How well judges agree with each other and with themselves, on pairs of systems.

The unit is the comparison of two systems on one source segment, with three labels (better, equal,
worse). Every two annotations of the same comparison are a pair: *intra* by one judge, *inter* by
two. All measures are (P(A) - P(E)) / (1 - P(E)) and differ in P(E) (Bojar et al. 2011, Eqs. 1, 2).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import REFERENCE, blocks
from companion.legacy.rankstability.score import pairwise
from companion.legacy.rankstability.score.pairwise import ratio

from ...models.tasks import tasks

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


@dataclass(frozen=True)
class Annotations:
    """All comparisons of a campaign, and all pairs of annotations of the same comparison.

    Columns of `table`: task, track, source, target, segment, document, judge, block, first and
    second (systems, in alphabetical order), label (1: first better, 0: equal, -1: second better),
    reference (whether one of the two is the reference).
    """

    table: pd.DataFrame
    # with `right`: rows of `table`, each pair of annotations once
    left: np.ndarray
    right: np.ndarray
    judge: np.ndarray  # code of each row's judge
    item: np.ndarray  # code of its comparison (task, segment, systems)
    unit: np.ndarray  # code of its source segment

    @property
    def same_judge(self) -> np.ndarray:
        """Which pairs are by one judge (intra)."""
        return self.judge[self.left] == self.judge[self.right]

    @property
    def agree(self) -> np.ndarray:
        """Which pairs carry the same label."""
        label = self.table["label"].to_numpy()
        return label[self.left] == label[self.right]


def annotate(frame: pd.DataFrame) -> Annotations:
    """The comparisons in rows of `rr.read_rr` (of any tasks), and their pairs.

    A comparison whose judge is not named is in no pair, since the two judges may be the same.
    """
    parts = [
        _comparisons(rows).assign(task=task)
        for task, rows in tasks(frame).items()
    ]
    table = pd.concat(parts, ignore_index=True)
    table["reference"] = table[["first", "second"]].eq(REFERENCE).any(axis=1)
    item = (
        table.groupby(["task", "segment", "first", "second"], sort=False)
        .ngroup()
        .to_numpy()
    )
    unit = table.groupby(["task", "segment"], sort=False).ngroup().to_numpy()
    named = pd.DataFrame({"row": table.index, "item": item})[
        table["judge"] != ""
    ]
    pairs = named.merge(named, on="item").query("row_x < row_y")
    judge = pd.factorize(table["judge"])[0]
    left = pairs["row_x"].to_numpy()
    right = pairs["row_y"].to_numpy()
    return Annotations(table, left, right, judge, item, unit)


def _comparisons(rows: pd.DataFrame) -> pd.DataFrame:
    """The comparisons of one task, the systems of each in alphabetical order."""
    data = blocks(rows)
    row, a, b, sign = pairwise.comparisons(data)
    names = np.array(data.systems, dtype=object)
    carried = (
        rows.drop_duplicates("block").set_index("block").loc[data.block[row]]
    )
    table = carried[["document", "track"]].reset_index(drop=True).astype(str)
    languages = carried["pair"].astype(str).str.split("-", n=1)
    table["source"], table["target"] = (
        languages.str[i].to_numpy() for i in (0, 1)
    )
    table["segment"] = data.segment[row]
    table["judge"] = data.judge[row]
    table["block"] = data.block[row]
    table["first"] = names[np.minimum(a, b)]
    table["second"] = names[np.maximum(a, b)]
    return table.assign(label=np.where(a > b, -sign, sign))


def chance(ties: np.ndarray | float) -> Any:
    """P(E) of Scott's π from P(=), the share of equal labels: P(=)² + 2 ((1 - P(=)) / 2)².

    Better and worse are taken as equally frequent, since the order of the two systems is arbitrary.
    """
    return ties**2 + (1 - ties) ** 2 / 2


def corrected(p_a: np.ndarray, p_e: np.ndarray | float) -> np.ndarray:
    """(P(A) - P(E)) / (1 - P(E)); NaN where P(E) = 1."""
    return ratio(*np.broadcast_arrays(p_a - p_e, 1 - p_e))


def expected_agreement(notes: Annotations) -> pd.DataFrame:
    """The agreement expected by chance on a campaign's labels: columns statistic, value.

    ties: P(=), the share of equal labels; chance: P(E) of Scott's π; random_clicker: P(E) of a
    judge who clicks at random among five ranks (Bojar et al. 2011, Section 2.2.2).
    """
    ties = (notes.table["label"] == 0).mean()
    values = {
        "ties": ties,
        "chance": chance(ties),
        "random_clicker": RANDOM_CLICKER,
    }
    return pd.DataFrame(values.items(), columns=["statistic", "value"])


def kappa_table(notes: Annotations) -> pd.DataFrame:
    """S and π over all tasks (Bojar et al., Table 3).

    As in the paper, ``pi`` uses the P(E) of all comparisons; ``pi_own`` that of those counted.
    """
    table = agreement(notes, "").rename(columns={"pi": "pi_own"})
    p_e = chance((notes.table["label"] == 0).mean())
    table["pi"] = corrected(table["p_a"].to_numpy(float), p_e)
    return table[["kind", "reference", "pairs", "p_a", "s", "pi", "pi_own"]]


def agreement(
    notes: Annotations,
    by: str = "task",
    *,
    resamples: int = 0,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """Agreement within every group, intra and inter, with and without the reference.

    `by` is a column of the annotations: task, track, source, target, segment, document, ``judge``
    (inter: this judge with the others) or ``system`` (the comparisons with that system); empty for
    one group of all. The 95 % intervals are from bootstrap `resamples` of source segments, since
    annotations of the same comparison share one; there are none for 0.

    Columns: `by`, kind (intra, inter), reference (included, excluded), annotations, pairs,
    segments, p_e (of π), the `MEASURES`, and ``<measure>_low``, ``<measure>_high``. Groups without
    a pair of annotations are left out. Raises DataError for an unknown column, and for resamples
    without `rng`.
    """
    if resamples and rng is None:
        raise DataError(
            "resamples need a random generator", expected="rng=..."
        )
    same = notes.same_judge
    left = notes.left
    right = notes.right
    out = []
    without = ~notes.table["reference"].to_numpy()
    for about, inside, rows in _groups(notes.table, by):
        for reference, counted in (
            ("included", np.ones_like(without)),
            ("excluded", without),
        ):
            keep = rows & counted
            paired = inside[left] & (keep[left] | keep[right])
            for kind, of_kind in zip(KINDS, (same, ~same), strict=True):
                chosen = np.flatnonzero(paired & of_kind)
                if len(chosen):
                    sums = Sums(notes, chosen, keep, inside & counted)
                    row = about | {"kind": kind, "reference": reference}
                    out.append(row | sums.row(resamples, rng))
    columns = [
        "kind",
        "reference",
        "annotations",
        "pairs",
        "segments",
        "p_e",
        *MEASURES,
    ]
    return (
        pd.DataFrame(out)
        if out
        else pd.DataFrame(columns=[by, *columns] if by else columns)
    )


def _groups(
    table: pd.DataFrame, by: str
) -> Iterator[tuple[dict[str, object], np.ndarray, np.ndarray]]:
    """For each group: its key, masks of annotations that its pairs may hold, and of its own."""
    every = np.ones(len(table), dtype=bool)
    if not by:
        yield {}, every, every
        return
    sides = ["first", "second"] if by == "system" else [by]
    if not set(sides) <= set(table.columns):
        raise DataError(
            "no such column",
            value=by,
            expected="system or a column of annotations",
        )
    for name in np.unique(table[sides].to_numpy()):
        rows = table[sides].eq(name).any(axis=1).to_numpy()
        yield {by: name}, every if by in ("judge", "system") else rows, rows


class Sums:
    """Sums per source segment, from which all measures and their bootstrap follow.

    `pairs` are those that count; the labels of `counted` annotations give P(E). For Cohen's κ, the
    labels of a judge are taken from the whole `group`, in a pair or not.
    """

    def __init__(
        self,
        notes: Annotations,
        pairs: np.ndarray,
        counted: np.ndarray,
        group: np.ndarray,
    ) -> None:
        left = notes.left[pairs]
        right = notes.right[pairs]
        agree = notes.agree[pairs]
        tie = notes.table["label"].to_numpy() == 0
        used = np.flatnonzero(counted)
        units, code = np.unique(notes.unit[used], return_inverse=True)
        at = np.searchsorted(units, notes.unit[left])
        size = len(units)
        segments = len(np.unique(at))
        self.counts = {
            "annotations": len(used),
            "pairs": len(pairs),
            "segments": segments,
        }
        self.labels = np.bincount(code, minlength=size).astype(float)
        self.ties = np.bincount(code, weights=tie[used], minlength=size)
        self.total = np.bincount(at, minlength=size).astype(float)
        self.agree = np.bincount(at, weights=agree, minlength=size)
        _, item, number = np.unique(
            notes.item[left], return_inverse=True, return_counts=True
        )
        # every comparison has equal weight in Fleiss' mean
        share = 1 / number[item]
        self.items = np.bincount(at, weights=share, minlength=size)
        self.item_agree = np.bincount(
            at, weights=share * agree, minlength=size
        )
        judges, both = np.unique(
            notes.judge[np.stack([left, right])], return_inverse=True
        )
        both = np.sort(both.reshape(2, -1), axis=0)
        couples, which = np.unique(
            both[0] * len(judges) + both[1], return_inverse=True
        )
        self.first, self.second = np.divmod(couples, len(judges))
        labelled = np.flatnonzero(
            group & np.isin(notes.unit, units) & np.isin(notes.judge, judges)
        )
        coded = (units, notes.unit), (judges, notes.judge)
        where = tuple(
            np.searchsorted(known, codes[labelled]) for known, codes in coded
        )
        self.given = csr_array(
            (np.ones(len(labelled)), where), shape=(size, len(judges))
        )
        self.equal = csr_array(
            (tie[labelled].astype(float), where), shape=(size, len(judges))
        )
        self.met = csr_array(
            (np.ones(len(which)), (at, which)), shape=(size, len(couples))
        )

    def measures(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """P(E) of π and the measures, for weights of segments (replicates, segments)."""
        p_a = ratio(weights @ self.agree, weights @ self.total)
        p_e = chance(ratio(weights @ self.ties, weights @ self.labels))
        given, equal, met = (
            weights @ m for m in (self.given, self.equal, self.met)
        )
        rate = np.nan_to_num(ratio(equal, given))
        a = rate[:, self.first]
        b = rate[:, self.second]
        by_chance = met * (a * b + (1 - a) * (1 - b) / 2)
        p_cohen = ratio(by_chance.sum(axis=1), met.sum(axis=1))
        return {
            "p_e": p_e,
            "p_a": p_a,
            "s": corrected(p_a, 1 / 3),
            "clicker": corrected(p_a, RANDOM_CLICKER),
            "pi": corrected(p_a, p_e),
            "cohen": corrected(p_a, p_cohen),
            "fleiss": corrected(
                ratio(weights @ self.item_agree, weights @ self.items), p_e
            ),
        }

    def row(self, resamples: int, rng: np.random.Generator | None) -> dict:
        """Counts and measures, with intervals if there are `resamples`."""
        size = len(self.total)
        point = self.measures(np.ones((1, size)))
        out = {
            **self.counts,
            **{name: float(value[0]) for name, value in point.items()},
        }
        if resamples and rng is not None:
            weights = rng.multinomial(
                size, np.full(size, 1 / size), size=resamples
            ).astype(float)
            draws = self.measures(weights)
            for name in MEASURES:
                values = draws[name][np.isfinite(draws[name])]
                limits = (
                    np.percentile(values, [2.5, 97.5])
                    if len(values)
                    else [np.nan] * 2
                )
                out[f"{name}_low"], out[f"{name}_high"] = map(float, limits)
        return out
