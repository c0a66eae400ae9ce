"""Which systems the same worker judged, and what that does to their z-scores (notebook 04)."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import linalg

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import (
    DirectAssessment,
    counted,
    is_human,
    of_type,
    unmarked,
)
from companion.legacy.rankstability.score.da import NO_SPREAD, judgment_z, moments

from ..models.comparing import opposite_pairs
from ..models.systems import at_least_two

UNITS = ("auto", "hit", "worker")
CONTROLS = ("REF", "BAD_REF")
FIXED = 1e-6  # a ridge, which only picks one of the equivalent solutions


@dataclass(frozen=True)
class Cooccurrence:
    """In how many HITs (or by how many workers) two systems were judged together.

    `counts` is systems by systems, best mean raw score first; the diagonal is the number of units
    with the system (Knowles 2021, Figure 4).
    """

    counts: pd.DataFrame
    unit: str  # ``hit`` or ``worker``
    units: int  # HITs (or workers) with any judgment that counts
    complete: int  # those of them with every system
    without_hit: float  # share of the judgments that count that have no HIT id

    @property
    def share(self) -> pd.DataFrame:
        """The share of units with the row's system that also hold the column's system."""
        return self.counts.div(np.diag(self.counts), axis=0)

    @property
    def ratio(self) -> pd.DataFrame:
        """Units with both systems, relative to the number expected if systems were independent."""
        n = np.diag(self.counts).astype(float)
        out = self.counts * self.units / np.outer(n, n)
        return out.where(~np.eye(len(n), dtype=bool))

    def long(self) -> pd.DataFrame:
        """One row per ordered pair of systems: system, other, unit, together, share, ratio."""
        values = {
            "together": self.counts,
            "share": self.share,
            "ratio": self.ratio,
        }
        table = pd.MultiIndex.from_product(
            [self.counts.index] * 2, names=["system", "other"]
        )
        columns = {
            name: frame.to_numpy().ravel() for name, frame in values.items()
        }
        return table.to_frame(index=False).assign(unit=self.unit, **columns)


def cooccurrence(da: DirectAssessment, unit: str = "auto") -> Cooccurrence:
    """Count the HITs (or workers) that hold both systems of each pair.

    Only judgments that count are used: REF and BAD_REF rows may carry the id of a system whose
    output they do not show. `unit` is ``hit``, ``worker``, or ``auto``: HITs if any row has one
    (rows without are left out), workers otherwise. Raises DataError for an unknown unit, and for
    ``hit`` if no row carries a HIT id.
    """
    if unit not in UNITS:
        raise DataError("unknown unit", value=unit, expected=", ".join(UNITS))
    rows = da.good[counted(da.good)]
    without = float(rows["hit"].isna().mean())
    usual = "worker" if without == 1 else "hit"
    chosen = usual if unit == "auto" else unit
    if chosen == "hit" and without == 1:
        raise DataError(
            f"no row of {da.pair} carries a HIT id",
            value=unit,
            expected="worker",
        )
    means = rows.groupby("system", observed=True)["score"].mean()
    order = means.sort_values(ascending=False, kind="stable").index.astype(str)
    known = rows[chosen].notna()
    seen = (
        pd.crosstab(
            rows.loc[known, chosen], rows.loc[known, "system"].astype(str)
        )
        > 0
    )
    seen = seen.reindex(columns=order, fill_value=False)
    held = seen.to_numpy(int)
    together = pd.DataFrame(
        held.T @ held, index=list(order), columns=list(order)
    )
    return Cooccurrence(
        together, chosen, len(seen), int(held.all(axis=1).sum()), without
    )


def judged_beside(da: DirectAssessment) -> pd.DataFrame:
    """Mean quality of what each system's workers judged besides it, and its effect on mean z.

    The quality of a system (or of REF, or BAD_REF) is its effect in points in a least-squares fit
    with worker effects. The company's part of a system's mean z is minus (quality given to the
    worker - its average) / the worker's standard deviation, averaged over the system's segments.
    The system's own rows are included (Knowles 2021, equation 1 and section 5.4). Best mean z
    first. Raises DataError for fewer than two systems, or without any z-score.
    """
    at_least_two(da)
    shown, names = pd.factorize(_shown(da.good), sort=True)
    worker = da.good["worker"].cat.codes.to_numpy(np.int64)
    effects, _ = least_squares(da.good["score"].to_numpy(float), shown, worker)
    quality = pd.Series(effects, names)
    workers = _workers(da.latest[unmarked(da.latest)], quality)
    rows = counted(da.good)
    z = judgment_z(da)
    frame = (
        da.good.loc[rows, ["system", "worker"]]
        .astype(str)
        .reset_index(drop=True)
    )
    frame["weight"] = _judgment_weights(da, rows)
    frame["z"] = z[rows]
    known = frame["z"].notna()
    if not known.any():
        expected = "a worker whose scores vary"
        raise DataError(
            f"no judgment of {da.pair} has a z-score",
            file=da.file,
            expected=expected,
        )
    # segment means of z use only judgments with a z-score, and so do these weights
    frame["weight_z"] = 0.0
    frame.loc[known, "weight_z"] = _judgment_weights(da, rows & np.isfinite(z))
    frame = frame.join(workers, on="worker")
    average = np.average(frame["given"], weights=frame["weight"])
    frame["part"] = -(frame["given"] - average) / frame["spread"]

    system = frame["system"]
    weight = frame["weight_z"].groupby(system).sum()
    table = pd.DataFrame({"judgments": frame.groupby(system).size()})
    table["mean_z"] = (frame["weight_z"] * frame["z"]).groupby(
        system
    ).sum() / weight
    table["quality"] = quality.reindex(table.index)
    beside, expected = _beside(frame, table["quality"])
    table["company"] = beside
    table["expected"] = expected
    table["imbalance"] = beside - expected
    table["control_share"] = frame["control"].groupby(system).mean()
    table["company_z"] = (frame["weight_z"] * frame["part"]).groupby(
        system
    ).sum() / weight
    made = ["company", "expected", "imbalance", "company_z"]
    table[made] = (
        table[made].round(7) + 0.0
    )  # 0 in a balanced design, without rounding errors
    return with_and_without(table, "company_z")


def least_squares(
    y: np.ndarray, system: np.ndarray, worker: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Effects of systems, with the overall level, and of workers, by least squares.

    `system` and `worker` are the codes of each score in `y`; levels without scores get 0, and the
    smallest of the equivalent solutions is taken.
    """
    systems = int(system.max()) + 1
    workers = int(worker.max()) + 1
    table = np.bincount(system * workers + worker, minlength=systems * workers)
    table = table.reshape(systems, workers).astype(float)
    of_system = table.sum(axis=1)
    of_worker = table.sum(axis=0) + FIXED
    total = np.bincount(worker, y, workers)
    # workers are eliminated: their block is diagonal
    left = (
        np.diag(of_system + (of_system == 0)) - (table / of_worker) @ table.T
    )
    right = np.bincount(system, y, systems) - table @ (total / of_worker)
    effects = linalg.solve(left, right, assume_a="pos")
    return effects, (total - table.T @ effects) / of_worker


def _judgment_weights(da: DirectAssessment, rows: np.ndarray) -> np.ndarray:
    """One over the number of judgments of the same system and segment: segments count alike."""
    of = da.good[rows].groupby(["system", "segment"], observed=True)["score"]
    return 1.0 / of.transform("size").to_numpy()


def with_and_without(table: pd.DataFrame, part: str) -> pd.DataFrame:
    """Add human, z_without (mean_z less the column `part`), rank and rank_without to a table.

    `table` is indexed by system; the result is in order of rank.
    """
    table["z_without"] = table["mean_z"] - table[part]
    for name, column in (("rank", "mean_z"), ("rank_without", "z_without")):
        table[name] = (
            table[column].rank(ascending=False, method="first").astype(int)
        )
    table = table.rename_axis("system").reset_index()
    table.insert(1, "human", table["system"].map(is_human).astype(int))
    return table.sort_values("rank").reset_index(drop=True)


def _shown(frame: pd.DataFrame) -> pd.Series:
    """What each row shows: a system's id, or REF or BAD_REF, whatever id such a row carries."""
    control = of_type(frame, *CONTROLS)
    return (
        frame["system"].astype(str).where(~control, frame["type"].astype(str))
    )


def worker_statistics(latest: pd.DataFrame) -> pd.DataFrame:
    """Mean, sd (ddof = 1; NaN for a single score) and number of judgments of each worker.

    Rows of any type count (Knowles 2021, equation 1). `latest` is that of one language pair; the
    columns are mean, sd, judgments, the index is the worker.
    """
    names = latest["worker"].cat.categories
    codes = latest["worker"].cat.codes.to_numpy()
    mean, sd, count = moments(
        codes, latest["score"].to_numpy(float), len(names)
    )
    return pd.DataFrame(
        {"mean": mean, "sd": sd, "judgments": count}, index=names
    )


def _workers(latest: pd.DataFrame, quality: pd.Series) -> pd.DataFrame:
    """Mean quality given, standard deviation and share of controls in each worker's ``latest``.

    Columns given, spread, control. A joined id ``A+B`` has the mean quality of its parts.
    """
    shown = _shown(latest)
    of = {
        name: quality.reindex(name.split("+")).mean()
        for name in shown.unique()
    }
    of |= quality.to_dict()
    worker = latest["worker"].astype(str)
    sd = worker_statistics(latest)["sd"].rename(index=str)
    shares = shown.map(of), shown.isin(CONTROLS)
    given, control = (values.groupby(worker).mean() for values in shares)
    return pd.DataFrame(
        {
            "given": given,
            "spread": sd.where(sd > NO_SPREAD),
            "control": control,
        }
    )


def _beside(
    frame: pd.DataFrame, quality: pd.Series
) -> tuple[pd.Series, pd.Series]:
    """Mean quality of the other systems' outputs that a system's workers judged; and expected."""
    table = pd.crosstab(frame["worker"], frame["system"])[
        quality.index
    ].astype(float)
    others = table.rsub(table.sum(axis=1), axis=0)
    worth = (table * quality).rsub(table @ quality, axis=0)
    beside = (worth / others).where(others > 0)
    mean = (table * beside).sum() / table.where(beside.notna()).sum()
    sizes = table.sum()
    expected = (sizes @ quality - sizes * quality) / (sizes.sum() - sizes)
    return mean, expected


def balance(
    pairs: Cooccurrence, table: pd.DataFrame, pair: str
) -> pd.DataFrame:
    """How evenly systems were judged together, and how much of z that explains: one row.

    `pairs` is from `cooccurrence`, `table` from `judged_beside`. Columns pair, unit, units,
    without_hit (share of judgments), systems, complete (share of units with every system),
    share_median and share_min (off the diagonal of `Cooccurrence.share`), below_half (share of
    ordered pairs of systems below one half), imbalance_sd and imbalance_max (points), company_z_sd
    and company_z_max, explained (sd of company_z / sd of mean_z), reordered (pairs of systems whose
    order company decides). Raises DataError for fewer than two systems.
    """
    if len(pairs.counts) < 2:
        value = tuple(pairs.counts.index)
        expected = "two systems or more; run the other pairs"
        raise DataError(
            f"fewer than two systems in {pair}", value=value, expected=expected
        )
    share = pairs.share.to_numpy()[~np.eye(len(pairs.counts), dtype=bool)]
    spread = table[["imbalance", "company_z", "mean_z"]].std(ddof=1)
    most = table[["imbalance", "company_z"]].abs().max()
    row = {
        "pair": pair,
        "unit": pairs.unit,
        "units": pairs.units,
        "without_hit": pairs.without_hit,
    }
    row |= {
        "systems": len(pairs.counts),
        "complete": pairs.complete / pairs.units,
    }
    row |= {
        "share_median": float(np.median(share)),
        "share_min": float(share.min()),
    }
    row["below_half"] = float((share < 0.5).mean())
    for name in ("imbalance", "company_z"):
        row |= {f"{name}_sd": spread[name], f"{name}_max": most[name]}
    row["explained"] = spread["company_z"] / spread["mean_z"]
    return pd.DataFrame(
        [
            row
            | {
                "reordered": opposite_pairs(
                    table["mean_z"], table["z_without"]
                )
            }
        ]
    )
