"""How hard each document is, and how much each system gains from its documents (notebook 05)."""

from typing import Any

import numpy as np
import pandas as pd

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment, is_human
from companion.legacy.rankstability.score.da import judgment_z
from companion.legacy.rankstability.score.scored import segment_scores

from ...models import variance
from ...models.comparing import opposite_pairs
from ...models.variance import Z95
from ..cooccurrence import with_and_without


def segment_frame(da: DirectAssessment) -> pd.DataFrame:
    """Mean scores per system and segment, in the columns of `campaigns.load_segment_scores`."""
    frame = segment_scores(da).frame().rename(columns={"judgments": "n"})
    names = da.good[["segment", "document"]].drop_duplicates("segment")
    of = pd.Series(
        names["document"].astype(object).to_numpy(),
        index=names["segment"].astype(str),
    )
    frame.insert(1, "document", of.reindex(frame["segment"]).to_numpy())
    return frame


def has_documents(frame: pd.DataFrame) -> bool:
    """Whether every segment names its document."""
    return bool(frame["document"].notna().all())


def human_ids(frame: pd.DataFrame) -> set[str]:
    """The ids of human translations in a frame with a column system."""
    return {s for s in map(str, frame["system"].unique()) if is_human(s)}


def document_means(frame: pd.DataFrame, score: str = "raw") -> pd.DataFrame:
    """Mean segment score of each document and system (Knowles 2021, Figure 5).

    `frame` has columns system, document, segment and `score` (``raw`` or ``z``), as from
    `segment_frame`. The result is documents by systems, both in order of falling mean segment
    score; NaN: not judged. Raises DataError if segments do not name their documents.
    """
    if not has_documents(frame):
        raise DataError("segments without documents", column="document")
    known = frame[frame[score].notna()].astype(
        {"system": str, "document": str}
    )

    def falling(name: str) -> pd.Index:
        """The documents, or systems, in order of falling mean."""
        means = known.groupby(name)[score].mean()
        return means.sort_values(ascending=False, kind="stable").index

    cells = known.groupby(["document", "system"])[score].mean().unstack()
    cells = cells.reindex(index=falling("document"), columns=falling("system"))
    return cells.rename_axis(index="document", columns=None)


def variance_components(
    data: DirectAssessment | pd.DataFrame,
) -> dict[str, variance.Components]:
    """Variance components of raw scores and of z-scores: keys ``raw`` and ``z``.

    For judgments, the components are those of `models.variance.components`. Segment scores (with
    the columns of `segment_frame`) have system, document (if known), segment and residual; what
    workers add is in the residual, which is divided by the number of judgments. Raises DataError
    for fewer than two systems.
    """
    if isinstance(data, DirectAssessment):
        return {
            "raw": variance.components(data),
            "z": variance.components(data, judgment_z(data)),
        }
    names = [
        "system",
        *(["document"] if has_documents(data) else []),
        "segment",
    ]
    out = {}
    for score in ("raw", "z"):
        known = data[data[score].notna()]
        factors = {n: known[n].astype(str).to_numpy() for n in names}
        if len(set(factors["system"])) < 2:
            raise DataError(
                "fewer than two systems",
                expected="two or more; choose with pair=",
            )
        out[score] = variance.crossed_where_possible(
            known[score].to_numpy(float), factors, known["n"].to_numpy()
        )
    return out


def component_table(
    parts: dict[str, variance.Components], pair: str
) -> pd.DataFrame:
    """Variance components: columns pair, score (raw, z), and those of `Components.table`."""
    frames = [
        fitted.table().assign(score=score) for score, fitted in parts.items()
    ]
    table = pd.concat(frames, ignore_index=True)
    table.insert(0, "score", table.pop("score"))
    table.insert(0, "pair", pair)
    return table


def difficulty(
    frame: pd.DataFrame, parts: dict[str, variance.Components]
) -> pd.DataFrame:
    """How hard each document is, regardless of who translated and judged it; hardest first.

    `frame` is as from `segment_frame`. Columns document, segments, systems, judgments, mean_raw,
    difficulty (points below the average document, shrunk towards 0 by the variance components),
    low, high (95 % interval), difficulty_z, low_z, high_z (the same for z-scores).
    """
    by = frame.groupby(frame["document"].astype(str))
    base = (
        by[["segment", "system"]]
        .nunique()
        .set_axis(["segments", "systems"], axis=1)
    )
    base = base.assign(judgments=by["n"].sum(), mean_raw=by["raw"].mean())
    for score, suffix in (("raw", ""), ("z", "_z")):
        fitted = (
            parts[score]
            .effects["document"]
            .set_index("level")
            .reindex(base.index)
        )
        effect = fitted["effect"]
        half = Z95 * fitted["se"]
        base[f"difficulty{suffix}"] = -effect
        base[f"low{suffix}"] = -effect - half
        base[f"high{suffix}"] = -effect + half
    table = base.rename_axis("document").reset_index()
    order = ["difficulty", "document"]
    return table.sort_values(order, ascending=[False, True]).reset_index(
        drop=True
    )


def ease_by_system(
    frame: pd.DataFrame, parts: dict[str, variance.Components]
) -> pd.DataFrame:
    """How easy the documents were on which each system was judged, and its mean z without that.

    Columns system, human, documents, mean_raw, mean_z, luck_raw, luck_z (mean ease of the documents
    of its segments, less the mean over systems: positive is lucky), luck_low, luck_high (95 %
    interval of luck_raw by the prediction errors of the documents' effects), segment_luck_z (with
    the ease of the segments added), document_sd (standard deviation
    of its mean raw scores over documents), z_without (mean_z - luck_z), rank, rank_without; best
    mean z first.
    """
    system = frame["system"].astype(str)
    document = frame["document"].astype(str)
    segment = frame["segment"].astype(str)
    out = frame.groupby(system).agg(
        documents=("document", "nunique"),
        mean_raw=("raw", "mean"),
        mean_z=("z", "mean"),
    )

    def against_the_mean(easy: pd.Series, score: str) -> pd.Series:
        mean = easy.where(frame[score].notna()).groupby(system).mean()
        return mean - mean.mean()

    def ease(unit: pd.Series, score: str) -> pd.Series:
        """How easy the document, or the segment, of each row is."""
        effects = (
            parts[score].effects[str(unit.name)].set_index("level")["effect"]
        )
        return unit.map(effects)

    for score in ("raw", "z"):
        out[f"luck_{score}"] = against_the_mean(ease(document, score), score)
    documents = (
        parts["raw"].effects["document"].set_index("level").sort_index()
    )
    known = frame["raw"].notna()
    share = pd.crosstab(system[known], document[known], normalize="index")
    apart = (share - share.mean()).reindex(
        columns=documents.index, fill_value=0.0
    )
    half = Z95 * np.sqrt((apart**2) @ documents["se"].fillna(0.0) ** 2)
    out["luck_low"] = out["luck_raw"] - half
    out["luck_high"] = out["luck_raw"] + half
    both = ease(document, "z") + ease(segment, "z").fillna(0.0)
    out["segment_luck_z"] = against_the_mean(both, "z")
    cells = frame.groupby([system, document])["raw"].mean()
    out["document_sd"] = cells.groupby(level=0).std(ddof=1)
    made = ["luck_raw", "luck_low", "luck_high", "luck_z", "segment_luck_z"]
    # 0 in a balanced design, without rounding errors
    out[made] = out[made].round(9) + 0.0
    return with_and_without(out, "luck_z")


def summary(
    pair: str,
    frame: pd.DataFrame,
    parts: dict[str, variance.Components],
    ease: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """The documents of one language pair and their effect on its systems: one row.

    `ease` is from `ease_by_system`, or None if documents are not known. Columns pair, systems,
    documents (0: not known), segments, workers (1: in the model), system_sd, judged (share of
    document-system cells with a judgment), document_sd (points between documents, by the model),
    luck_sd and luck_max (points between systems), luck_z_sd, luck_z_max, reordered (pairs of
    systems whose order their documents decide).
    """
    known = ease is not None
    number = frame.nunique()
    raw = parts["raw"].variance
    row: dict[str, Any] = {"pair": pair, "systems": number["system"]}
    row |= {
        "documents": number["document"] if known else 0,
        "segments": number["segment"],
    }
    row |= {
        "workers": int("worker" in raw),
        "system_sd": np.sqrt(raw["system"]),
    }
    names = [
        "judged",
        "document_sd",
        "luck_sd",
        "luck_max",
        "luck_z_sd",
        "luck_z_max",
        "reordered",
    ]
    if ease is None:
        return pd.DataFrame([row | dict.fromkeys(names, np.nan)])
    values = [
        document_means(frame).notna().to_numpy().mean(),
        np.sqrt(raw["document"]),
    ]
    for luck in (ease["luck_raw"], ease["luck_z"]):
        values += [luck.std(ddof=1), luck.abs().max()]
    values.append(opposite_pairs(ease["mean_z"], ease["z_without"]))
    return pd.DataFrame([row | dict(zip(names, values, strict=True))])
