"""SRP for every protocol: two studies of the same size that share no judgment.

What a campaign's judgments hang together by is drawn as a whole: workers (direct assessment),
blocks (relative ranking), documents (MQM). Each draw makes two disjoint studies, and SRP is the
share of ordered pairs of such twins whose significant differences the other one reflects. Unlike
the simulation of Riley et al. (2024), whose studies share documents and have three raters to draw
from, this can be done on any campaign, at up to half of its judgments, and so compares campaigns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..chance import in_parallel, named_generator
from ..errors import DataError
from ..read import campaigns
from ..score import mqm
from .srp import COLUMNS, Outcome, outcome, stability
from .srp_studies import Design, assign, item_scores

if TYPE_CHECKING:
    from ..judgments import DirectAssessment
    from ..read.campaigns import Campaign

LEVELS = (0.125, 0.25, 0.5, 0.75, 1.0)  # shares of half a campaign
PEERS = ("wmt18", "wmt21", "wmt12")
DEMO_PEERS = ("demo-srdc", "demo-srpdc", "demo-rr")
UNITS = {"DA": "workers", "RR": "blocks", "MQM": "documents"}
SRP_COLUMNS = ["pair", *(name for name in COLUMNS if name != "document_sets")]
EFFORT_COLUMNS = [
    "campaign",
    "label",
    "pair",
    "task",
    "normalisation",
    "unit",
    "units",
    "systems",
    "level",
    "effort",
    *SRP_COLUMNS[6:],
]
Draw = Callable[[np.ndarray, np.random.Generator], tuple[Outcome, float]]


def twins(
    units: int, size: int, splits: int, rng: np.random.Generator, unit: str = "units"
) -> np.ndarray:
    """Pairs of disjoint samples: (2 splits, size) positions; rows 2k and 2k + 1 share none."""
    if 2 * size > units or size < 1:
        need = max(1, size)
        raise DataError(
            f"too few {unit} for two studies of {need} that share none",
            value=units,
            expected=f"at least {2 * need} {unit}",
        )
    drawn = np.argsort(rng.random((splits, units)), axis=1)[:, : 2 * size]
    return drawn.reshape(2 * splits, size)


def _pairs(systems: int) -> np.ndarray:
    return np.stack(np.triu_indices(systems, 1), axis=1)


def da_studies(
    da: DirectAssessment,
    normalisation: str = "z",
    unit: str = "workers",
    test: str = "scipy<1.7",
    alpha: float = 0.05,
) -> tuple[int, tuple[str, ...], Draw]:
    """Studies of direct assessment: workers are drawn.

    A worker's mean and standard deviation come from all rows of that worker, who belongs to one
    study whole: standardising within the study is standardising each worker.

    Parameters
    ----------
    normalisation : str
        ``z`` or ``none`` (raw scores).
    unit : str
        ``workers``; or ``judgments``, single rows as if each had a worker of its own: how stable
        the campaign would be if judgments were independent.

    Returns
    -------
    workers : int
        With at least one judgment that counts.
    systems : tuple of str
    draw : function
        Positions of workers (n, size) and a generator to an `Outcome` (studies 2k and 2k + 1 are
        a set) and the judgments per system and study.
    """
    from ..judgments import counted
    from ..rank.significance import rank_sum
    from ..score.da import judgment_z

    good = da.good
    if normalisation not in ("z", "none"):
        raise DataError("unknown normalisation", value=normalisation, expected="z, none")
    value = judgment_z(da) if normalisation == "z" else good["score"].to_numpy(dtype=float)
    keep = counted(good) & np.isfinite(value)
    worker = pd.factorize(good["worker"].cat.codes.to_numpy()[keep], sort=True)[0]
    system_codes, used = pd.factorize(good["system"].cat.codes.to_numpy()[keep], sort=True)
    systems = tuple(str(good["system"].cat.categories[k]) for k in used)
    segment = pd.factorize(good["segment"].cat.codes.to_numpy()[keep], sort=True)[0]
    width = int(segment.max()) + 1
    key = system_codes.astype(np.int64) * width + segment
    value = value[keep]
    if unit == "judgments":
        worker = np.arange(len(worker))
    workers, size = int(worker.max()) + 1, len(systems) * width
    pairs = _pairs(len(systems))

    def draw(chosen: np.ndarray, rng: np.random.Generator) -> tuple[Outcome, float]:
        means = np.full((len(chosen), len(systems)), np.nan)
        p = np.ones((len(chosen), len(pairs)))
        judged = 0
        for i, who in enumerate(chosen):
            member = np.zeros(workers, dtype=bool)
            member[who] = True
            rows = member[worker]
            judged += int(rows.sum())
            count = np.bincount(key[rows], minlength=size)
            cell = np.flatnonzero(count)
            score = np.bincount(key[rows], value[rows], size)[cell] / count[cell]
            group = cell // width
            number = np.bincount(group, minlength=len(systems))
            with np.errstate(invalid="ignore"):
                means[i] = -np.bincount(group, score, len(systems)) / number
            tested, _ = rank_sum(score, group, len(systems), test)
            p[i] = np.nan_to_num(tested[pairs[:, 0], pairs[:, 1]], nan=1.0)
        # Knowles draws the line at p < alpha, strictly
        p = np.where(p < alpha, p, np.maximum(p, np.nextafter(alpha, 1) + 1e-9))
        sets = np.arange(len(chosen)) // 2
        found = Outcome(systems, pairs, means, p, np.zeros_like(p), sets, alpha)
        return found, judged / len(chosen) / len(systems)

    return workers, systems, draw


def rr_studies(frame: pd.DataFrame, alpha: float = 0.05) -> tuple[int, tuple[str, ...], Draw]:
    """Studies of relative ranking (one task): blocks are drawn.

    Systems are ordered by wins / (wins + losses) and tested by two-sided sign tests, ties and the
    reference left out. See `da_studies` for what is returned; a judgment is one ranked output.
    """
    from ..rank.significance import sign_test
    from ..score import rr

    data = rr.blocks(frame)
    wins, _ = rr.pairwise_by_block(data)
    keep = np.array([i for i, s in enumerate(data.systems) if s != rr.REFERENCE])
    systems = tuple(data.systems[i] for i in keep)
    n = len(data.systems)
    pairs = _pairs(len(systems))
    ranked = (data.ranked & np.isin(data.codes, keep)).sum(axis=1)

    def draw(chosen: np.ndarray, rng: np.random.Generator) -> tuple[Outcome, float]:
        weights = np.zeros((len(chosen), len(data.codes)))
        np.put_along_axis(weights, chosen, 1.0, axis=1)
        counts = np.asarray(weights @ wins).reshape(-1, n, n)[:, keep][:, :, keep]
        won, lost = counts.sum(axis=2), counts.sum(axis=1)
        with np.errstate(invalid="ignore"):
            means = -won / (won + lost)
        first, second = counts[:, pairs[:, 0], pairs[:, 1]], counts[:, pairs[:, 1], pairs[:, 0]]
        p = sign_test(first, second)
        strength = np.abs(first - second) / np.sqrt(np.maximum(first + second, 1))
        sets = np.arange(len(chosen)) // 2
        judged = float((weights @ ranked).mean() / len(systems))
        return Outcome(systems, pairs, means, p, strength, sets, alpha), judged

    return len(data.codes), systems, draw


def mqm_studies(
    data: mqm.Ratings, normalisation: str = "none", permutations: int = 500, alpha: float = 0.05
) -> tuple[int, tuple[str, ...], Draw]:
    """Studies of MQM: documents are drawn, one rating per item, pSxS, fully balanced.

    See `da_studies` for what is returned; a judgment is one rated segment.
    """

    def draw(chosen: np.ndarray, rng: np.random.Generator) -> tuple[Outcome, float]:
        chosen = np.sort(chosen, axis=1)
        design = Design(
            normalisation=normalisation,
            studies=len(chosen),
            permutations=permutations,
            alpha=alpha,
        )
        choice, _ = assign(data, design, chosen, rng)
        sums, segments = item_scores(data, design, chosen, choice)
        sets = np.arange(len(chosen)) // 2
        found = outcome(sums, segments, data.systems, sets, design, rng)
        return found, float(segments.sum(axis=1).mean())

    return len(data.documents), data.systems, draw


def study(
    campaign: Campaign,
    pair: str,
    *,
    splits: int = 100,
    seed: int = 20240601,
    levels: Sequence[float] = LEVELS,
    normalisations: Sequence[str] = (),
    units_drawn: Sequence[str] = ("workers",),
    weights: str = "freitag2021",
) -> pd.DataFrame:
    """Stability against effort for one pair of any campaign with single judgments.

    Parameters
    ----------
    splits : int
        Twins of disjoint studies per level.
    levels : sequence of float
        Study sizes as shares of half the campaign's units.
    normalisations : sequence of str
        DA: ``z``, ``none``; MQM: those of `mqm.NORMALISATIONS`; by default the usual one.
    units_drawn : sequence of str
        DA only: ``workers``, ``judgments`` (see `da_studies`).

    Returns
    -------
    DataFrame
        Columns `EFFORT_COLUMNS` (effort: judgments per system in one study), then grouping,
        balance, ratings_per_item, documents; a row per task, normalisation and level.

    Raises
    ------
    DataError
        A campaign without single judgments.
    """
    unit = UNITS[campaign.protocol]
    jobs: list[tuple[str, str, str, float, tuple[int, tuple[str, ...], Draw]]] = []
    if campaign.protocol == "DA":
        if not campaign.workers:
            raise DataError(
                f"{campaign.name} has no workers to draw", expected="a campaign with judgments"
            )
        da = campaigns.load_da(campaign, pair)
        documents = da.good["document"].nunique() or np.nan
        for how in normalisations or ("z",):
            jobs += [(pair, how, u, documents, da_studies(da, how, u)) for u in units_drawn]
    elif campaign.protocol == "RR":
        frame = campaigns.load_rr(campaign, pair)
        for task, rows in frame.groupby("task", observed=True):
            if len(set(rows["system"].astype(str)) - {"_ref"}) > 1:
                documents = rows["document"].nunique()
                jobs.append((str(task), "none", unit, documents, rr_studies(rows)))
    else:
        data = mqm.ratings(campaigns.load_mqm(campaign, pair), weights)
        for how in normalisations or ("none",):
            jobs.append((pair, how, unit, len(data.documents), mqm_studies(data, how)))
    out = []
    style = campaign.style_of(pair) or campaign.protocol
    for task, how, drawn, documents, (units, systems, draw) in jobs:
        for level in levels:
            size = max(1, round(level * (units // 2)))
            name = f"{campaign.name}|{task}|{how}|{drawn}|{level}"
            rng = named_generator(seed, name)
            found, effort = draw(twins(units, size, splits, rng, drawn), rng)
            row: dict[str, Any] = {
                "campaign": campaign.name,
                "label": f"{campaign.name} ({style})",
                "pair": pair,
                "task": task,
                "normalisation": how,
                "unit": drawn,
                "units": size,
                "systems": len(systems),
                "level": level,
                "effort": effort,
            }
            row |= stability(found)
            row |= {
                "grouping": "pSxS" if campaign.protocol == "MQM" else "none",
                "balance": "full",
                "ratings_per_item": 1,
                "documents": documents,
            }
            out.append(row)
    extra = ["grouping", "balance", "ratings_per_item", "documents"]
    return pd.DataFrame(out, columns=[*EFFORT_COLUMNS, *extra])


def as_srp(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `study` in the columns of ``srp.csv``, with task, unit, units and effort after."""
    return rows[[*SRP_COLUMNS, "task", "unit", "units", "effort"]]


def variants(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `study` with the column `variant`: what was drawn, how scores were normalised."""
    words = {"z": "z-scores", "none": "raw scores"}
    return rows.assign(
        variant=[
            f"{unit} drawn, {words.get(how, how)}" if unit in ("workers", "judgments") else label
            for label, unit, how in zip(
                rows["label"], rows["unit"], rows["normalisation"], strict=True
            )
        ]
    )


def _call(work: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    return work()


def curves(
    campaign: Campaign,
    pairs: Sequence[str],
    *,
    splits: int = 50,
    seed: int = 20240601,
    jobs: int = 1,
    weights: str = "freitag2021",
) -> pd.DataFrame:
    """`study` for several pairs of one campaign.

    Direct assessment is done three ways: workers drawn with z-scores (the usual one, first) and
    with raw scores, and single judgments drawn.
    """
    usual: list[dict[str, Any]] = [{}]
    if campaign.protocol == "DA":
        usual = [{"units_drawn": ("workers", "judgments")}, {"normalisations": ("none",)}]
    todo = [(pair, more) for more in usual for pair in pairs]
    shared: dict[str, Any] = {"splits": splits, "seed": seed, "weights": weights}
    calls = [(partial(study, campaign, pair, **shared, **more),) for pair, more in todo]
    parts = in_parallel(_call, calls, jobs)
    return pd.concat(parts, ignore_index=True)


def peers(campaign: Campaign, names: Sequence[str] = ()) -> tuple[list[Campaign], list[str]]:
    """The campaigns of the joint figure that are here, besides this one, and those that are not.

    By default `PEERS`, for a demo campaign `DEMO_PEERS`.
    """
    here, missing = [], []
    for name in names or (DEMO_PEERS if campaign.demo else PEERS):
        if name == campaign.name:
            continue
        try:
            here.append(campaigns.find(name))
        except DataError:
            missing.append(name)
    return here, missing


def joint(
    own: pd.DataFrame,
    others: Sequence[Campaign],
    *,
    splits: int = 50,
    seed: int = 20240601,
    jobs: int = 1,
) -> pd.DataFrame:
    """The curves of this and other campaigns in one frame (columns `EFFORT_COLUMNS`).

    Computed from the campaigns' data, not from results of earlier runs.
    """
    todo = [(c, pair) for c in others for pair in c.pairs]
    parts = in_parallel(partial(study, splits=splits, seed=seed), todo, jobs)
    first = own.groupby("task", sort=False)[["normalisation", "unit"]].transform("first")
    usual = (own["normalisation"] == first["normalisation"]) & (own["unit"] == first["unit"])
    frame = pd.concat([own[usual], *parts], ignore_index=True)
    return frame[EFFORT_COLUMNS]


def sentence(frame: pd.DataFrame, level: float = 1.0) -> str:
    """What the joint figure shows, campaign by campaign, at half of all judgments."""
    rows = frame[frame["level"] == level]
    parts = []
    for label, one in rows.groupby("label", sort=False):
        parts.append(
            f"{label}: SRP {one['srp'].median():.2f} "
            f"({one['srp'].min():.2f} to {one['srp'].max():.2f}), at equal claims "
            f"{one['srp_equal_claims'].median():.2f}, Kendall's tau {one['kendall'].median():.2f}, "
            f"{one['effort'].median():.0f} judgments per system, "
            f"{one['significant_pairs'].sum() / _possible(one):.0%} of pairs significant"
        )
    return "At half of each campaign (medians over pairs): " + "; ".join(parts) + "."


def worker_sentence(frame: pd.DataFrame) -> str:
    """Direct assessment: what it costs that judgments hang together by workers, computed."""
    rows = frame[(frame["level"] == 1.0) & (frame["normalisation"] == "z")]
    wide = rows.pivot(index="task", columns="unit", values=["kendall", "srp"])
    parts = [
        f"{task}: tau {one['kendall', 'workers']:.2f} against {one['kendall', 'judgments']:.2f}, "
        f"SRP {one['srp', 'workers']:.2f} against {one['srp', 'judgments']:.2f}"
        for task, one in wide.iterrows()
    ]
    lower = int((wide["kendall", "workers"] < wide["kendall", "judgments"]).sum())
    return (
        f"Between halves of the campaign, disjoint workers agree less than disjoint judgments in "
        f"{lower} of {len(wide)} pairs (" + "; ".join(parts) + ")."
    )


def _possible(rows: pd.DataFrame) -> float:
    return float((rows["systems"] * (rows["systems"] - 1) / 2).sum())
