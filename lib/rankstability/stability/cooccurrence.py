"""Which systems are judged together, and what that does to z-scores (Knowles 2021, section 5.4)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import linalg

from ..arguments import check_arguments
from ..errors import DataError
from ..judgments import COUNTED_TYPES, Judgments, check_judgments
from ..scores.build import codes_of, counted_rows
from ..scores.z import NO_SPREAD, annotator_moments, z_scores

UNITS = {  # by kind of judgments; the first that is named is the default
    "votes": ("vote", "annotator", "question"),
    "relative_ranking": ("block", "annotator"),
}
SCORE_UNITS = ("hit", "annotator")
CONTROL_TYPES = ("REF", "BAD_REF")
RIDGE = 1e-6  # picks one of the equivalent least-squares solutions
ROUND = 7  # decimals: effects are 0 in a balanced design, without rounding errors


@check_arguments
def cooccurrence(judgments: Judgments, by: str = "pair", unit: str | None = None) -> pd.DataFrame:
    """Describe which systems are judged together, and how this affects each system's z-score.

    ``by="pair"`` counts the HITs (or annotators) in which both systems were judged. Only judgments
    that are ranked count, because a row with a reference can carry the id of a system whose output
    it does not show.

    ``by="system"`` estimates the effect on each system's mean z-score. A z-score compares an output
    with everything that its annotator judged. If the other outputs that the annotators of a system
    judged were mostly poor, the z-scores of the system are too high. The quality of a system or
    reference is its effect, in points, in a least-squares model with effects of systems and
    annotators. The effect of the outputs judged together is minus (mean quality given to the
    annotator - average) over the annotator's standard deviation, averaged over the system's
    segments. The system's own outputs are included, as they are in the z-score.

    Parameters
    ----------
    judgments : Judgments
        By system: scores that name annotators.
    by : {"pair", "system"}
        What a row of the result is about.
    unit : str, optional
        By pair: ``hit`` or ``annotator``; for relative rankings, ``block`` or ``annotator``; for
        votes, ``vote``, ``annotator`` or ``question``. The default is the first of these units that
        is named. Rows that do not name the unit are left out.

    Returns
    -------
    DataFrame
        By pair: one row for each ordered pair of systems, and for each system with itself; systems
        are in order of their mean score. Columns:

        - system_a, system_b, unit
        - together: units with both systems (with itself: units with the system)
        - share: together as a share of the units with `system_a`
        - ratio: together, relative to what would be expected if systems were independent (NaN for a
          system with itself)
        - units: number of units; complete_units: those with every system
        - without_unit: share of the judgments that do not name the unit

        By system: one row per system, best mean z-score first: system, human, judgments, mean_z,
        quality; co_judged_quality, the mean quality of the other systems' outputs that its
        annotators judged, expected_quality, the same if every annotator judged the campaign's mix
        of outputs, and imbalance, the difference between the two (points); control_share, the share
        of references and damaged references in what its annotators judged; co_judged_effect, the
        part of mean_z that is due to what was judged together; score_without, mean_z without this
        part; rank, rank_without.

    Raises
    ------
    DataError
        ``unknown_unit`` if the judgments do not name the unit; ``no_judgments``. By system also
        ``wrong_kind``, ``no_annotators``, ``too_few_systems``, ``argument_not_used`` for a unit.

    References
    ----------
    Knowles (2021), equation 1, section 5.4, Figure 4.

    Examples
    --------
    >>> import rankstability as rs
    >>> counts = rs.cooccurrence(rs.load("demo-srdc", "de-en"))
    >>> counts["unit"].unique().tolist(), bool((counts["share"] == 1).all())
    (['hit'], True)
    >>> effects = rs.cooccurrence(rs.load("demo-srpdc", "de-en"), by="system")
    >>> bool(((effects["score_without"] + effects["co_judged_effect"]) - effects["mean_z"]).abs().max() < 1e-9)
    True
    """
    if by not in ("pair", "system"):
        raise DataError("unknown_unit", value=by, expected="pair or system")
    if by == "pair":
        return count_cooccurrence(judgments, unit)
    if unit is not None:
        raise DataError("argument_not_used", argument="unit", data="effects by system", value=unit)
    return co_judged_effects(judgments)


def count_cooccurrence(judgments: Judgments, unit: str | None = None) -> pd.DataFrame:
    """Count the HITs (or annotators) that judged both systems of each pair; see `cooccurrence`."""
    check_judgments(judgments)
    rows = _systems_by_unit(judgments)
    if rows.empty:
        raise DataError("no_judgments", file=judgments.source or None)
    known = [name for name in UNITS.get(judgments.kind, SCORE_UNITS) if name in rows]
    named = [name for name in known if rows[name].notna().any()]
    chosen = named[0] if unit is None and named else unit
    if chosen not in named:
        raise DataError("unknown_unit", value=chosen, expected=", ".join(named) or None)
    system, systems = codes_of(rows["system"])
    code, names = codes_of(rows[chosen])
    held = np.zeros((len(names), len(systems)), dtype=np.int64)
    held[code[code >= 0], system[code >= 0]] = 1
    order = np.arange(len(systems))
    if "score" in rows:
        mean = np.bincount(system, rows["score"], len(systems)) / np.bincount(system)
        order = np.argsort(mean if judgments.lower_is_better else -mean, kind="stable")
    held = held[:, order]
    together = held.T @ held
    alone = np.diag(together).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = together / alone[:, None]
        ratio = together * len(names) / np.outer(alone, alone)
    np.fill_diagonal(ratio, np.nan)
    ordered = [systems[k] for k in order]
    pairs = pd.MultiIndex.from_product([ordered, ordered], names=["system_a", "system_b"])
    return pairs.to_frame(index=False).assign(
        unit=chosen,
        together=together.ravel(),
        share=share.ravel(),
        ratio=ratio.ravel(),
        units=len(names),
        complete_units=int(held.all(axis=1).sum()),
        without_unit=float((code < 0).mean()),
    )


def _systems_by_unit(judgments: Judgments) -> pd.DataFrame:
    """Return one row per system that was judged, with the units of the judgment."""
    table = judgments.table
    if judgments.kind == "votes":
        table = table.assign(vote=np.arange(len(table)))
        sides = [table.assign(system=table[side].astype(str)) for side in ("left", "right")]
        rows = pd.concat(sides, ignore_index=True)
        return rows[[name for name in ("system", *UNITS["votes"]) if name in rows]]
    if judgments.kind == "relative_ranking":
        shown = table[table["system"].isin(judgments.systems)]
        return shown[[name for name in ("system", *UNITS[judgments.kind]) if name in shown]]
    return table[counted_rows(judgments)]


def co_judged_effects(judgments: Judgments) -> pd.DataFrame:
    """Estimate the effect of what was judged together on mean z-scores; see `cooccurrence`."""
    check_judgments(judgments)
    counted = counted_rows(judgments)
    z = z_scores(judgments)
    if "annotator" not in judgments.table:
        raise DataError("no_annotators", file=judgments.source or None)
    named = judgments.table["annotator"].notna().to_numpy()
    sign = -1.0 if judgments.lower_is_better else 1.0
    table = judgments.table.assign(score=sign * judgments.table["score"], z=z, counted=counted)
    table = table[named]
    quality = _quality(table)
    annotators = _annotators(judgments, quality)
    rows = table.loc[table["counted"], ["system", "segment", "annotator", "z"]]
    rows = rows.astype({"system": str, "annotator": str})
    if rows["system"].nunique() < 2:
        raise DataError("too_few_systems", value=", ".join(rows["system"].unique()))
    if rows["z"].isna().all():
        raise DataError("no_judgments", file=judgments.source or None)
    rows = rows.join(annotators, on="annotator")
    average = np.average(rows["quality_given"], weights=_segment_weights(rows))
    rows["effect"] = -(rows["quality_given"] - average) / rows["sd"]
    known = rows["z"].notna()
    rows["weight"] = 0.0  # segment means of z take only judgments with a z-score
    rows.loc[known, "weight"] = _segment_weights(rows[known])
    by_system = rows.groupby("system")
    total = by_system["weight"].sum()

    def weighted_mean(name: str) -> pd.Series:
        return (rows["weight"] * rows[name]).groupby(rows["system"]).sum() / total

    effects = pd.DataFrame({"judgments": by_system.size(), "mean_z": weighted_mean("z")})
    effects["quality"] = quality.reindex(effects.index)
    together, expected = _co_judged_quality(rows, effects["quality"])
    effects["co_judged_quality"] = together
    effects["expected_quality"] = expected
    effects["imbalance"] = together - expected
    effects["control_share"] = by_system["control"].mean()
    effects["co_judged_effect"] = weighted_mean("effect")
    rounded = ["co_judged_quality", "expected_quality", "imbalance", "co_judged_effect"]
    effects[rounded] = effects[rounded].round(ROUND) + 0.0
    effects["score_without"] = effects["mean_z"] - effects["co_judged_effect"]
    for rank, score in (("rank", "mean_z"), ("rank_without", "score_without")):
        effects[rank] = effects[score].rank(ascending=False, method="first").astype(int)
    effects = effects.rename_axis("system").reset_index()
    effects.insert(1, "human", effects["system"].isin(judgments.humans))
    return effects.sort_values("rank", ignore_index=True)


def _segment_weights(rows: pd.DataFrame) -> np.ndarray:
    """Return 1/n for each of the n judgments of a segment by a system: segments count equally."""
    number = rows.groupby(["system", "segment"], observed=True)["system"].transform("size")
    weights: np.ndarray = 1.0 / number.to_numpy(float)
    return weights


def _shown(rows: pd.DataFrame) -> pd.Series:
    """Return what each row shows: a system, or REF or BAD_REF, whatever id such a row carries."""
    system = rows["system"].astype(str)
    if "item_type" not in rows:
        return system
    return system.where(rows["item_type"].isin(COUNTED_TYPES), rows["item_type"].astype(str))


def _quality(table: pd.DataFrame) -> pd.Series:
    """Return the effect of each system, REF and BAD_REF in points, adjusted for annotators."""
    shown, names = pd.factorize(_shown(table), sort=True)
    annotator = codes_of(table["annotator"])[0]
    effects, _ = fit_additive(table["score"].to_numpy(float), shown, annotator)
    return pd.Series(effects, names)


def fit_additive(
    y: np.ndarray, system: np.ndarray, annotator: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return effects of systems, with the overall level, and of annotators, by least squares.

    `system` and `annotator` are codes of each score; levels without scores get 0.
    """
    n_systems = int(system.max()) + 1
    n_annotators = int(annotator.max()) + 1
    cell = system.astype(np.int64) * n_annotators + annotator
    count = np.bincount(cell, minlength=n_systems * n_annotators)
    count = count.reshape(n_systems, n_annotators).astype(float)
    of_system = count.sum(axis=1)
    of_annotator = count.sum(axis=0) + RIDGE
    total = np.bincount(annotator, y, n_annotators)
    # annotators are eliminated, because their block is diagonal
    left = np.diag(of_system + (of_system == 0)) - (count / of_annotator) @ count.T
    right = np.bincount(system, y, n_systems) - count @ (total / of_annotator)
    effects = linalg.solve(left, right, assume_a="pos")
    return effects, (total - count.T @ effects) / of_annotator


def _annotators(judgments: Judgments, quality: pd.Series) -> pd.DataFrame:
    """Return quality_given, sd and control of each annotator: means over everything judged.

    A joined id ``A+B`` has the mean quality of its parts.
    """
    rows = judgments.table if judgments.all_rows is None else judgments.all_rows
    if "mark" in rows:
        rows = rows[rows["mark"].isna()]
    rows = rows[rows["annotator"].notna()]
    shown = _shown(rows)
    quality_of = {name: quality.reindex(name.split("+")).mean() for name in shown.unique()}
    quality_of |= quality.to_dict()
    annotator = rows["annotator"].astype(str)
    _, sd = annotator_moments(judgments)
    sd.index = sd.index.astype(str)
    return pd.DataFrame(
        {
            "quality_given": shown.map(quality_of).astype(float).groupby(annotator).mean(),
            "sd": sd.where(sd > NO_SPREAD),
            "control": shown.isin(CONTROL_TYPES).groupby(annotator).mean(),
        }
    )


def _co_judged_quality(rows: pd.DataFrame, quality: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return the mean quality of other systems' outputs judged by the same annotators; and expected."""
    table = pd.crosstab(rows["annotator"], rows["system"])[quality.index].astype(float)
    others = table.rsub(table.sum(axis=1), axis=0)
    summed = (table * quality).rsub(table @ quality, axis=0)
    of_annotator = (summed / others).where(others > 0)
    mean = (table * of_annotator).sum() / table.where(of_annotator.notna()).sum()
    sizes = table.sum()
    expected = (sizes @ quality - sizes * quality) / (sizes.sum() - sizes)
    return mean, expected
