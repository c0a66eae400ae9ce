"""Who is judged beside whom: co-occurrence of systems, and what company does to z-scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment, at_least_two, counted, human_systems
from ..papers import claims
from ..score import variance
from ..score.da import NO_SPREAD, judgment_z
from ..score.models import judgment_weights

if TYPE_CHECKING:
    from ..read.campaigns import Campaign
    from ..report.outputs import Outputs

UNITS = ("auto", "hit", "worker")
ALMOST_ALL = 0.9  # share of HITs that "almost all" is read as


@dataclass(frozen=True)
class Cooccurrence:
    """In how many HITs (or workers) two systems were judged together.

    Attributes
    ----------
    counts : DataFrame
        Systems by systems, best mean raw score first; the diagonal is the number of units with
        the system (Knowles 2021, Figure 4).
    unit : str
        ``hit`` or ``worker``.
    units : int
        Units with any judgment that counts.
    complete : int
        Units with every system.
    without_hit : float
        Share of the judgments that count without a HIT id.
    """

    counts: pd.DataFrame
    unit: str
    units: int
    complete: int
    without_hit: float

    @property
    def share(self) -> pd.DataFrame:
        """Of the units with the row's system, the share that also hold the column's."""
        return self.counts.div(np.diag(self.counts), axis=0)

    @property
    def ratio(self) -> pd.DataFrame:
        """Units together over what independent draws of the same sizes would give (1: as drawn)."""
        n = np.diag(self.counts).astype(float)
        out = self.counts * self.units / np.outer(n, n)
        return out.where(~np.eye(len(n), dtype=bool))

    def sentence(self) -> str:
        """What was counted, and what could not be."""
        if self.unit == "hit":
            left = (
                f"; {self.without_hit:.1%} of the judgments carry no HIT id and are left out"
                if self.without_hit
                else ""
            )
            return f"{self.units} HITs{left}"
        why = (
            "no row carries a HIT id, so workers are counted"
            if self.without_hit == 1
            else "workers counted as asked"
        )
        return f"{self.units} workers ({why})"

    def long(self) -> pd.DataFrame:
        """One row per ordered pair of systems: system, other, unit, together, share, ratio."""
        names = np.array(self.counts.index, dtype=object)
        i, j = np.indices(self.counts.shape)
        return pd.DataFrame(
            {
                "system": names[i.ravel()],
                "other": names[j.ravel()],
                "unit": self.unit,
                "together": self.counts.to_numpy().ravel(),
                "share": self.share.to_numpy().ravel(),
                "ratio": self.ratio.to_numpy().ravel(),
            }
        )


def cooccurrence(da: DirectAssessment, unit: str = "auto") -> Cooccurrence:
    """Count units that hold both systems of each pair.

    Only judgments that count (SYSTEM, REPEAT) show a system: REF and BAD_REF rows may carry the id
    of a system whose output they are not.

    Parameters
    ----------
    da : DirectAssessment
    unit : str
        ``hit``, ``worker``, or ``auto``: HITs where any row has one (rows without are left out and
        their share is kept), workers otherwise. On Appraise a HIT stands for the worker.

    Raises
    ------
    DataError
        For an unknown unit, or ``hit`` where no row carries a HIT id.
    """
    if unit not in UNITS:
        raise DataError("unknown unit", value=unit, expected=", ".join(UNITS))
    rows = counted(da.good)
    hit = da.good["hit"].cat.codes.to_numpy()[rows]
    without = float((hit < 0).mean())
    chosen = ("worker" if without == 1 else "hit") if unit == "auto" else unit
    if chosen == "hit" and without == 1:
        raise DataError(f"no row of {da.pair} carries a HIT id", value=unit, expected="worker")
    codes = hit if chosen == "hit" else da.good["worker"].cat.codes.to_numpy()[rows]
    known = codes >= 0
    system = da.good["system"].cat.codes.to_numpy()[rows]
    present, compact = np.unique(system, return_inverse=True)
    n = len(present)
    seen = np.zeros((int(codes.max()) + 1, n))
    seen[codes[known], compact[known]] = 1.0
    seen = seen[seen.any(axis=1)]
    score = da.good["score"].to_numpy(float)[rows]
    order = np.argsort(-np.bincount(compact, score, n) / np.bincount(compact), kind="stable")
    names = da.good["system"].cat.categories[present[order]].astype(str)
    both = (seen.T @ seen)[np.ix_(order, order)].round().astype(int)
    return Cooccurrence(
        pd.DataFrame(both, index=list(names), columns=list(names)),
        chosen,
        len(seen),
        int(seen.all(axis=1).sum()),
        without,
    )


def company(da: DirectAssessment) -> pd.DataFrame:
    """The quality of what each system was judged beside, and its part in the system's z-score.

    Quality is the effect of a system (or of REF, or BAD_REF) beside worker effects, by least
    squares, in points. A worker's mean then splits into the quality of what the worker was given
    and the worker's own level; the z-score takes both away. The first part is the company's: minus
    (quality given to the worker - its average) / the worker's standard deviation, averaged over
    the system's segments. Good company makes it negative. The system's own rows are in it, as they
    are in the worker's mean.

    Returns
    -------
    DataFrame
        One row per system, best mean z first: system, human, judgments, mean_z, quality,
        company (mean quality of the other systems' outputs that its workers judged, points),
        expected (the same, had each worker been given the campaign's mix), imbalance (their
        difference), control_share (of its workers' rows, REF and BAD_REF), company_z (part of
        mean_z due to company), z_without (mean_z - company_z), rank, rank_without.

    Raises
    ------
    DataError
        For a pair with fewer than two systems.
    """
    at_least_two(da)
    rows = counted(da.good)
    good, latest = da.good, da.latest
    level_good, names = _levels(good)
    present, compact = np.unique(level_good, return_inverse=True)
    worker = good["worker"].cat.codes.to_numpy().astype(np.int64)
    score = good["score"].to_numpy(float)
    effect, _, _ = variance.effects(score, compact, worker)
    quality = np.full(len(names), np.nan)
    quality[present] = effect
    given, spread, control = _given(latest, names, quality, len(good["worker"].cat.categories))

    system = good["system"].cat.codes.to_numpy()[rows].astype(np.int64)
    w, weight = worker[rows], judgment_weights(da, rows)
    z = judgment_z(da)[rows]
    known = np.isfinite(z)
    with np.errstate(invalid="ignore", divide="ignore"):
        part = -(given[w] - np.average(given[w], weights=weight)) / spread[w]
    n = len(good["system"].cat.categories)
    here = np.unique(system)

    def mean(values: np.ndarray, mask: np.ndarray, by: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            total = np.bincount(system[mask], by[mask] * values[mask], n)
            return (total / np.bincount(system[mask], by[mask], n))[here]

    # segment means of z use the judgments with a z: weigh by those
    weight_z = _weights_of(da, rows, known)
    beside, expected = _beside(system, w, here, quality)
    table = pd.DataFrame(
        {
            "system": good["system"].cat.categories[here].astype(str),
            "judgments": np.bincount(system, minlength=n)[here],
            "mean_z": mean(z, known, weight_z),
            "quality": quality[here],
            "company": beside,
            "expected": expected,
            "imbalance": beside - expected,
            "control_share": mean(control[w], np.ones(len(w), bool), np.ones(len(w))),
            "company_z": mean(part, known, weight_z),
        }
    )
    made = ["company", "expected", "imbalance", "company_z"]
    table[made] = table[made].round(7) + 0.0  # in balance it is 0, not what rounding leaves
    humans = set(human_systems(da))
    table.insert(1, "human", table["system"].isin(humans).astype(int))
    table["z_without"] = table["mean_z"] - table["company_z"]
    for name, column in (("rank", "mean_z"), ("rank_without", "z_without")):
        table[name] = table[column].rank(ascending=False, method="first").astype(int)
    return table.sort_values("rank").reset_index(drop=True)


def _weights_of(da: DirectAssessment, rows: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Weights that make every segment count once, over the judgments with a z-score."""
    mask = rows.copy()
    mask[rows] = known
    out = np.zeros(int(rows.sum()))
    out[known] = judgment_weights(da, mask)
    return out


def _levels(frame: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """What each row shows: a system (by category), or REF or BAD_REF whatever the id on it."""
    systems = list(frame["system"].cat.categories)
    kind = frame["type"].cat
    codes = frame["system"].cat.codes.to_numpy().astype(np.int64)
    for k, name in enumerate(("REF", "BAD_REF")):
        is_kind = (kind.categories == name)[kind.codes.to_numpy()]
        codes = np.where(is_kind, len(systems) + k, codes)
    return codes, [*systems, "REF", "BAD_REF"]


def _given(
    latest: pd.DataFrame, names: list[str], quality: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per worker over all rows of ``latest``: mean quality given, sd of scores, share of controls.

    A joined id ``A+B`` has the mean quality of its parts.
    """
    by_name = dict(zip(names, quality, strict=True))
    codes, levels = _levels(latest)
    value = np.array([_joined(level, by_name) for level in levels])
    worker = latest["worker"].cat.codes.to_numpy()
    q = value[codes]
    known = np.isfinite(q)
    count = np.bincount(worker, minlength=size).astype(float)
    score = latest["score"].to_numpy(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        given = np.bincount(worker[known], q[known], size) / np.bincount(
            worker[known], minlength=size
        )
        mean = np.bincount(worker, score, size) / count
        squares = np.bincount(worker, (score - mean[worker]) ** 2, size)
        spread = np.sqrt(squares / (count - 1))
        control = np.bincount(worker, codes >= len(levels) - 2, size) / count
    return given, np.where(spread > NO_SPREAD, spread, np.nan), control


def _joined(level: str, by_name: dict[str, float]) -> float:
    if np.isfinite(by_name.get(level, np.nan)):
        return by_name[level]
    parts = [by_name[p] for p in level.split("+") if p in by_name]
    known = [p for p in parts if np.isfinite(p)]
    return float(np.mean(known)) if known else np.nan


def _beside(
    system: np.ndarray, worker: np.ndarray, here: np.ndarray, quality: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean quality of the other systems' outputs that a system's workers judged, and expected."""
    n, q = len(here), quality[here]
    compact = np.searchsorted(here, system)
    table = np.bincount(worker * n + compact, minlength=(int(worker.max()) + 1) * n)
    table = table.reshape(-1, n).astype(float)
    total, worth = table.sum(axis=1), table @ q
    others = total[:, None] - table
    with np.errstate(invalid="ignore", divide="ignore"):
        beside = np.where(others > 0, (worth[:, None] - table * q) / others, np.nan)
        known = np.where(np.isfinite(beside), table, 0.0)
        mean = np.nansum(known * np.nan_to_num(beside), axis=0) / known.sum(axis=0)
    sizes = table.sum(axis=0)
    expected = (sizes @ q - sizes * q) / (sizes.sum() - sizes)
    return mean, expected


def balance(pairs: Cooccurrence, table: pd.DataFrame, pair: str) -> pd.DataFrame:
    """One row of numbers for a language pair.

    Returns
    -------
    DataFrame
        pair, unit, units, without_hit (share of judgments), systems, complete (share of units
        with every system), share_median and share_min (off the diagonal of `Cooccurrence.share`),
        below_half (share of ordered pairs of systems below one half), imbalance_sd and
        imbalance_max (points), company_z_sd and company_z_max, explained (sd of company_z over
        sd of mean_z), reordered (pairs of systems whose order company decides).

    Raises
    ------
    DataError
        For a pair with fewer than two systems.
    """
    if len(pairs.counts) < 2:
        raise DataError(
            f"fewer than two systems in {pair}",
            value=tuple(pairs.counts.index),
            expected="two systems or more; run the other pairs with pair=",
        )
    share = pairs.share.to_numpy()[~np.eye(len(pairs.counts), dtype=bool)]
    z, clean = table["mean_z"].to_numpy(), table["z_without"].to_numpy()
    opposite = (z[:, None] - z[None, :]) * (clean[:, None] - clean[None, :]) < 0
    row: dict[str, Any] = {
        "pair": pair,
        "unit": pairs.unit,
        "units": pairs.units,
        "without_hit": pairs.without_hit,
        "systems": len(pairs.counts),
        "complete": pairs.complete / pairs.units,
        "share_median": float(np.median(share)),
        "share_min": float(share.min()),
        "below_half": float((share < 0.5).mean()),
        "imbalance_sd": float(table["imbalance"].std(ddof=1)),
        "imbalance_max": float(table["imbalance"].abs().max()),
        "company_z_sd": float(table["company_z"].std(ddof=1)),
        "company_z_max": float(table["company_z"].abs().max()),
        "explained": float(table["company_z"].std(ddof=1) / table["mean_z"].std(ddof=1)),
        "reordered": int(np.triu(opposite, 1).sum()),
    }
    return pd.DataFrame([row])


def gather(out: Outputs, campaign: Campaign) -> dict[str, Any]:
    """The campaign's table of balance, its figure and its ledger rows, from the pairs' files."""
    from ..plot import documents as figures

    rows = out.table(out.pair_tables("balance"), "balance")
    systems = out.pair_tables("company")
    fig = out.figure(
        figures.balance(rows, systems, campaign.title),
        "company_by_pair",
        data=systems[["pair", "system", "human", "imbalance", "company_z", "mean_z", "rank"]],
    )
    published = out.claims(ledger(campaign, rows))
    parts: dict[str, Any] = {
        "Balance of every language pair": rows,
        "How much of z is company": fig,
        "In words": verdict(rows),
    }
    return parts | ({"Published and ours": published} if len(published) else {})


def verdict(rows: pd.DataFrame) -> str:
    """What the table of balance says, in a sentence or two, from its numbers."""
    full = rows["complete"].mean()
    low, high = rows["explained"].min(), rows["explained"].max()
    worst = rows.loc[rows["explained"].idxmax(), "pair"]
    moved = int((rows["reordered"] > 0).sum())
    return (
        f"On average over the {len(rows)} language pairs {full:.1%} of the HITs (or workers) hold "
        f"every system, and the median share of a system's HITs that hold a given other system is "
        f"{rows['share_median'].median():.1%}. The part of z that company explains has a standard "
        f"deviation of {low:.1%} to {high:.1%} of that of z between systems (largest: {worst}); "
        f"taking it away reorders systems in {moved} of {len(rows)} pairs."
    )


def ledger(campaign: Campaign, rows: pd.DataFrame) -> pd.DataFrame:
    """Ledger rows of Figure 4 and section 5.4: of 2018, and of en-lt 2019.

    The row of en-lt 2019 belongs to the campaign ``wmt19-appraise``, and stands among those of
    ``wmt18`` without data, so that the ledger has it where the data of 2019 are not here (rows with
    data take precedence).
    """
    printed = claims.published("knowles2021", "Figure 4")
    ours: dict[tuple[str, str], str] = {}
    reasons = {}
    lithuanian = printed["cell"].str.startswith("en-lt 2019")
    if campaign.name == "wmt18":
        key = ("Figure 4", "2018 | almost all HITs contain every system")
        hits = rows[(rows["unit"] == "hit") & (rows["pair"] != "tr-en")]
        absent = sorted(set(campaign.known_pairs) - set(rows["pair"]))
        if len(hits):
            least = hits.iloc[int(hits["complete"].to_numpy().argmin())]
            ours[key] = "yes" if least["complete"] >= ALMOST_ALL else "no"
            reasons[key] = (
                f"“almost all” read as {ALMOST_ALL:.0%} or more in each pair; least: "
                f"{least['complete']:.1%} in {least['pair']}, of {len(hits)} pairs with HIT ids "
                "(tr-en left out, as in the paper)"
            )
            reasons[key] += f"; {', '.join(absent)} absent" if absent else ""
    elif campaign.name == "wmt19-appraise":
        printed = printed[lithuanian]
        here = rows[rows["pair"] == "en-lt"]
        if len(here):
            key = ("Figure 4", printed["cell"].iloc[0])
            ours[key] = "yes" if float(here["share_min"].iloc[0]) < 0.5 else "no"
    else:
        printed = printed.iloc[:0]
    provenance = "rebuilt from z" if campaign.rebuilt else "official"
    return claims.compare(
        printed,
        ours,
        provenance=provenance,
        reasons=reasons,
        no_data="the judgments of WMT19 (Appraise) are not here",
    )
