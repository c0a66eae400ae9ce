"""How hard each document is, and how much each system gains or loses by its documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..arguments import check_arguments
from ..errors import DataError
from ..judgments import SCORE_KINDS, Judgments, check_judgments
from ..scores.build import output_means, score_arrays
from .components import DOCUMENT, SEGMENT, Z95, Components, component_table, fit_judgments

ROUND = 9  # decimals: effects are 0 in a balanced design, without rounding errors


@dataclass(frozen=True, repr=False)
class VarianceComponents:
    """Variance components of a single judgment, and the effects of documents predicted with them.

    Effects are computed when they are asked for.

    Attributes
    ----------
    table : DataFrame
        Columns score (``raw``, and ``z`` where scores can be standardised by annotator),
        component, variance (squared units of the score), variance_low, variance_high (95 %
        interval; missing for the residual and for a variance of 0), sd, share (of the sum),
        estimated (False where the judgments do not determine this variance; it is then 0 and part
        of the others).
    judgments : Judgments
        The judgments whose variance is divided.
    """

    table: pd.DataFrame
    judgments: Judgments

    @cached_property
    def difficulty(self) -> pd.DataFrame:
        """How hard each document is, regardless of who translated and judged it.

        It is shrunk towards 0. Hardest first: document, segments, systems, judgments, mean_raw,
        difficulty (points below the average document), difficulty_low, difficulty_high (95 %
        interval), and difficulty_z, difficulty_z_low, difficulty_z_high where scores can be
        standardised.
        """
        return _by_document(*self._scores, self._fitted)

    @cached_property
    def difficulty_effects(self) -> pd.DataFrame:
        """The effect of easy or hard documents on the mean score of each system.

        When whole documents are drawn, systems are judged on different documents. The effect on a
        system is the mean ease of the documents of its segments, less the mean over systems:
        positive if its documents were easy. Other documents would bring other effects.

        Best system first: system, human, documents, mean_raw, difficulty_effect (points that easy
        documents add to mean_raw), effect_low, effect_high (95 % interval), document_sd (standard
        deviation of the system's mean over documents); where scores can be standardised also
        mean_z, difficulty_effect_z and segment_effect_z (with the ease of the segments added);
        score_without (mean_z, otherwise mean_raw, without the effect of documents), rank,
        rank_without.
        """
        return _by_system(*self._scores, self._fitted, self.judgments.humans)

    @cached_property
    def _scores(self) -> tuple[pd.DataFrame, int]:
        return segment_table(self.judgments)

    @cached_property
    def _fitted(self) -> dict[str, Components]:
        return fit_judgments(self.judgments, self.table)

    def __repr__(self) -> str:
        """Return the table as text."""
        return str(self.table.to_string(index=False))

    def _repr_html_(self) -> str:
        return str(self.table.to_html(index=False, escape=True, border=0))


@check_arguments
def variance_components(judgments: Judgments) -> VarianceComponents:
    """Estimate how much systems, annotators, documents and other factors contribute to the variance.

    The model is fitted by restricted maximum likelihood with crossed and nested random effects. A
    score is the sum of a mean, independent normal effects and a residual. There are effects of
    system, annotator, document, segment, annotator × system, document × system and block (one
    annotator's judgments of one system's output on one document). Factors that the judgments do not name are
    left out.

    Parameters
    ----------
    judgments : Judgments
        Judgments with scores.

    Returns
    -------
    VarianceComponents
        With `table` and, if all judgments name their documents, `difficulty` (of each document) and
        `difficulty_effects` (on the mean score of each system).

    Raises
    ------
    DataError
        If there are fewer than two systems, or all scores are equal; ``no_documents`` if the
        difficulty of documents is requested but the judgments do not name documents.

    Examples
    --------
    >>> import rankstability as rs
    >>> components = rs.variance_components(rs.load("demo-srpdc", "de-en"))
    >>> raw = components.table.query("score == 'raw'").set_index("component")
    >>> float(raw["share"].round(2)["residual"])
    0.53
    >>> effects = components.difficulty_effects["difficulty_effect"]
    >>> float(effects.min().round(1)), float(effects.max().round(1))
    (-2.0, 1.3)
    """
    return VarianceComponents(component_table(judgments), judgments)


def segment_table(judgments: Judgments) -> tuple[pd.DataFrame, int]:
    """Return mean scores per system and segment, and the sign that restores their direction.

    Columns system, document, segment, raw, z (if scores can be standardised) and judgments; higher
    is better.
    """
    check_judgments(judgments, SCORE_KINDS)
    arrays = score_arrays(judgments, "raw")
    if not arrays.has(DOCUMENT):
        raise DataError("no_documents", column=DOCUMENT)
    table = output_means(arrays).rename(columns={"score": "raw"})
    if judgments.kind == "segment_scores":
        table["judgments"] = score_weights(judgments, table)
    if judgments.kind in ("direct_assessment", "segment_scores"):
        z = output_means(score_arrays(judgments, "z"))[["system", SEGMENT, "score"]]
        table = table.merge(z.rename(columns={"score": "z"}), how="left", on=["system", SEGMENT])
    return table, arrays.sign


def score_weights(judgments: Judgments, table: pd.DataFrame) -> np.ndarray:
    """Return how many judgments each released segment score averages."""
    given = judgments.table.astype({"system": str, SEGMENT: str})
    count = given.groupby(["system", SEGMENT])["judgments"].sum()
    keys = pd.MultiIndex.from_frame(table[["system", SEGMENT]])
    return np.asarray(count.reindex(keys))


def _effects(fitted: Components, factor: str) -> pd.DataFrame:
    """Return the predicted effects of a factor's levels, indexed by level."""
    return fitted.effects[factor].set_index("level").sort_index()


def _by_document(scores: pd.DataFrame, sign: int, fitted: Mapping[str, Components]) -> pd.DataFrame:
    grouped = scores.groupby(DOCUMENT)
    table = grouped[[SEGMENT, "system"]].nunique().set_axis(["segments", "systems"], axis=1)
    table["judgments"] = grouped["judgments"].sum()
    table["mean_raw"] = grouped["raw"].mean() * sign
    for score, suffix in (("raw", ""), ("z", "_z")):
        if score not in fitted:
            continue
        effects = _effects(fitted[score], DOCUMENT).reindex(table.index)
        difficulty = -effects["effect"]
        half = Z95 * effects["se"]
        table[f"difficulty{suffix}"] = difficulty
        table[f"difficulty{suffix}_low"] = difficulty - half
        table[f"difficulty{suffix}_high"] = difficulty + half
    table = table.rename_axis("document").reset_index()
    order = ["difficulty", "document"]
    return table.sort_values(order, ascending=[False, True], ignore_index=True)


def _by_system(
    scores: pd.DataFrame,
    sign: int,
    fitted: Mapping[str, Components],
    humans: tuple[str, ...],
) -> pd.DataFrame:
    grouped = scores.groupby("system")
    table = pd.DataFrame({"documents": grouped[DOCUMENT].nunique()})
    table.insert(0, "human", table.index.isin(humans))
    ranked = "z" if "z" in fitted else "raw"
    for score, suffix in (("raw", ""), ("z", "_z")):
        if score not in fitted:
            continue
        known = scores[scores[score].notna()]
        ease = known[DOCUMENT].map(_effects(fitted[score], DOCUMENT)["effect"])
        table[f"mean_{score}"] = grouped[score].mean()
        table[f"difficulty_effect{suffix}"] = _less_mean(ease, known["system"])
        if score == "raw":
            half = Z95 * _effect_error(known, fitted[score])
            table["effect_low"] = table["difficulty_effect"] - half
            table["effect_high"] = table["difficulty_effect"] + half
            cells = known.groupby(["system", DOCUMENT])["raw"].mean()
            table["document_sd"] = cells.groupby(level=0).std(ddof=1)
        else:
            segment = known[SEGMENT].map(_effects(fitted[score], SEGMENT)["effect"]).fillna(0.0)
            table["segment_effect_z"] = _less_mean(ease + segment, known["system"])
    changed = [name for name in table if "effect" in name]
    table[changed] = table[changed].round(ROUND) + 0.0
    suffix = "_z" if ranked == "z" else ""
    table["score_without"] = table[f"mean_{ranked}"] - table[f"difficulty_effect{suffix}"]
    for name, column in (("rank", f"mean_{ranked}"), ("rank_without", "score_without")):
        table[name] = table[column].rank(ascending=False, method="first").astype(int)
    if sign < 0:
        table = _reverse(table)
    table = table.rename_axis("system").reset_index()
    return table.sort_values("rank", ignore_index=True)


def _less_mean(values: pd.Series, system: pd.Series) -> pd.Series:
    """Return the mean by system, less the mean over systems."""
    mean = values.groupby(system).mean()
    return mean - mean.mean()


def _effect_error(scores: pd.DataFrame, fitted: Components) -> pd.Series:
    """Return the standard error of each system's effect, from the prediction errors of documents."""
    documents = _effects(fitted, DOCUMENT)
    share = pd.crosstab(scores["system"], scores[DOCUMENT], normalize="index")
    share = share.rename_axis(columns=None)
    apart = (share - share.mean()).reindex(columns=documents.index, fill_value=0.0)
    return np.sqrt((apart**2) @ documents["se"].fillna(0.0) ** 2)


def _reverse(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table in the direction in which scores were given, where lower is better."""
    reversed_names = [
        name
        for name in table
        if name.startswith(("mean_", "difficulty_effect", "segment_effect", "score_without"))
    ]
    low, high = -table["effect_high"], -table["effect_low"]
    table[reversed_names] = -table[reversed_names]
    return table.assign(effect_low=low, effect_high=high)
