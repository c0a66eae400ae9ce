"""How hard each document is, and what each system owes to its documents (notebook 05)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rankstability.errors import DataError
from rankstability.judgments import DirectAssessment, is_human
from rankstability.rank.comparing import opposite_pairs
from rankstability.score.da import judgment_z
from rankstability.score.scored import segment_scores

from ..cooccurrence import with_and_without
from ..models import additive as models
from ..models import variance
from ..models.variance import Z95
from .left_out import UNTOLD_UNITS, WithoutUnits


def segment_frame(da: DirectAssessment) -> pd.DataFrame:
    """Mean scores per system and segment: system, document, segment, raw, z, n.

    The same columns as `campaigns.load_segment_scores`, where the judgments are not released.
    """
    frame = segment_scores(da).frame().rename(columns={"judgments": "n"})
    names = da.good[["segment", "document"]].drop_duplicates("segment")
    of = pd.Series(names["document"].astype(object).to_numpy(), index=names["segment"].astype(str))
    frame.insert(1, "document", of.reindex(frame["segment"]).to_numpy())
    return frame


def has_documents(frame: pd.DataFrame) -> bool:
    """Whether every segment names its document."""
    return bool(frame["document"].notna().all())


def human_ids(frame: pd.DataFrame) -> set[str]:
    """Ids of human translations in a frame with a column system."""
    return {s for s in map(str, frame["system"].unique()) if is_human(s)}


def document_means(frame: pd.DataFrame, score: str = "raw") -> pd.DataFrame:
    """Mean segment score of each document and system (Knowles 2021, Figure 5).

    `frame` has columns system, document, segment and `score` (``raw`` or ``z``), as from
    `segment_frame`.

    Documents by systems, both with the highest mean segment score first; NaN: not judged.
    """
    if not has_documents(frame):
        raise DataError("segments without documents", column="document")
    known = frame[frame[score].notna()].astype({"system": str, "document": str})
    first, left = (
        known.groupby(name)[score].mean().sort_values(ascending=False, kind="stable").index
        for name in ("document", "system")
    )
    cells = known.groupby(["document", "system"])[score].mean().unstack()
    return cells.reindex(index=first, columns=left).rename_axis(index="document", columns=None)


def variance_components(data: DirectAssessment | pd.DataFrame) -> dict[str, variance.Components]:
    """Variance components of the raw and of the z-scores: ``raw`` and ``z`` to `Components`.

    Of judgments: system, worker, document, segment and residual (the judgment, with what the system
    makes of the segment). Segment scores (`segment_frame`'s columns) have no workers; what they add
    is in the residual, divided by the number of judgments. Documents are left out where none are
    known; a factor that cannot be told from the others (one worker, every segment judged once) has
    variance 0.
    """
    if isinstance(data, DirectAssessment):
        return {"raw": models.components(data), "z": models.components(data, judgment_z(data))}
    names = ["system", *(["document"] if has_documents(data) else []), "segment"]
    out = {}
    for score in ("raw", "z"):
        known = data[data[score].notna()]
        factors = {n: known[n].astype(str).to_numpy() for n in names}
        if len(set(factors["system"])) < 2:
            raise DataError("fewer than two systems", expected="two or more; choose with pair=")
        out[score] = variance.crossed_where_possible(
            known[score].to_numpy(float), factors, known["n"].to_numpy()
        )
    return out


def component_table(
    parts: dict[str, variance.Components], pair: str, without: WithoutUnits = UNTOLD_UNITS
) -> pd.DataFrame:
    """Columns pair, score (raw, z), then `Components.table` with low and high by unit drawn anew.

    The model's own interval is in model_low and model_high; unit says what low and high draw anew,
    empty where it cannot be told.
    """
    frames = []
    for score, fitted in parts.items():
        own = fitted.table().rename(columns={"low": "model_low", "high": "model_high"})
        times = np.array([without.component_factor(score, c) for c in own["component"]])
        ends = {"low": own["variance"] / times, "high": own["variance"] * times}
        frames.append(own.assign(pair=pair, score=score, unit=without.unit, **ends))
    table = pd.concat(frames, ignore_index=True)
    first = ["pair", "score", "component", "variance", "low", "high", "unit"]
    return table[[*first, *(name for name in table if name not in first)]]


def difficulty(frame: pd.DataFrame, parts: dict[str, variance.Components]) -> pd.DataFrame:
    """How hard each document is, whoever translated and judged it; hardest first.

    `frame` is as from `segment_frame`, `parts` from `variance_components`.

    Columns document, segments, systems, judgments, mean_raw, difficulty (points lost against the
    average document, shrunk towards 0 by the variance components), low, high (95 % interval),
    difficulty_z, low_z, high_z.
    """
    names = frame["document"].astype(str)
    base = frame.groupby(names).agg(
        segments=("segment", "nunique"),
        systems=("system", "nunique"),
        judgments=("n", "sum"),
        mean_raw=("raw", "mean"),
    )
    for score, suffix in (("raw", ""), ("z", "_z")):
        fitted = parts[score].effects["document"].set_index("level").reindex(base.index)
        effect, se = fitted["effect"], fitted["se"]
        base[f"difficulty{suffix}"] = -effect
        base[f"low{suffix}"] = -effect - Z95 * se
        base[f"high{suffix}"] = -effect + Z95 * se
    table = base.rename_axis("document").reset_index()
    order = ["difficulty", "document"]
    return table.sort_values(order, ascending=[False, True]).reset_index(drop=True)


def ease_by_system(
    frame: pd.DataFrame,
    parts: dict[str, variance.Components],
    without: WithoutUnits = UNTOLD_UNITS,
) -> pd.DataFrame:
    """Mean ease of the documents that each system was judged on, and its mean z without that.

    `frame` is as from `segment_frame`, `parts` from `variance_components`; `without`
    (`left_out.without_units`) says what the interval of luck draws anew.

    Columns system, human, documents, mean_raw, mean_z, luck_raw, luck_z (mean ease of the documents
    of its segments, less the mean over systems: positive is lucky), luck_low, luck_high (95 %
    interval of luck_raw by `WithoutUnits.luck_half`; empty where it cannot be told), unit (what it
    draws anew), segment_luck_z (with the ease of the segments themselves), document_sd (standard
    deviation of its documents' mean raw scores), z_without (mean_z - luck_z), rank, rank_without;
    best mean z first.
    """
    system, document = frame["system"].astype(str), frame["document"].astype(str)
    segment = frame["segment"].astype(str)
    out = frame.groupby(system).agg(
        documents=("document", "nunique"), mean_raw=("raw", "mean"), mean_z=("z", "mean")
    )

    def against_the_mean(ease: pd.Series, score: str) -> pd.Series:
        mean = ease.where(frame[score].notna()).groupby(system).mean()
        return mean - mean.mean()

    for score in ("raw", "z"):
        ease = document.map(parts[score].effects["document"].set_index("level")["effect"])
        out[f"luck_{score}"] = against_the_mean(ease, score)
    documents = parts["raw"].effects["document"].set_index("level").sort_index()
    known = frame["raw"].notna()
    share = pd.crosstab(system[known], document[known], normalize="index")
    apart = (share - share.mean()).reindex(columns=documents.index, fill_value=0.0)
    by_model = Z95 * np.sqrt((apart**2) @ documents["se"].fillna(0.0) ** 2)
    half = without.luck_half(apart, by_model)
    out["luck_low"], out["luck_high"] = (out["luck_raw"] + k * half for k in (-1, 1))
    out["unit"] = without.unit
    more = segment.map(parts["z"].effects["segment"].set_index("level")["effect"]).fillna(0.0)
    out["segment_luck_z"] = against_the_mean(ease + more, "z")
    cells = frame.groupby([system, document])["raw"].mean()
    out["document_sd"] = cells.groupby(level=0).std(ddof=1)
    made = ["luck_raw", "luck_low", "luck_high", "luck_z", "segment_luck_z"]
    out[made] = out[made].round(9) + 0.0  # in balance it is 0, not what rounding leaves
    return with_and_without(out, "luck_z")


def summary(
    pair: str,
    frame: pd.DataFrame,
    parts: dict[str, variance.Components],
    ease: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Numbers of documents and what they do to systems, of one language pair: one row.

    `ease` is from `ease_by_system`; none where documents are not known.

    Columns pair, systems, documents (0: not known), segments, workers (1: in the model), system_sd,
    judged (share of document-system cells with a judgment), document_sd (points between documents,
    of the model), luck_sd and luck_max (points between systems), luck_z_sd, luck_z_max, reordered
    (pairs of systems whose order their documents decide).
    """
    row: dict[str, Any] = {
        "pair": pair,
        "systems": frame["system"].nunique(),
        "documents": 0 if ease is None else frame["document"].nunique(),
        "segments": frame["segment"].nunique(),
        "workers": int("worker" in parts["raw"].variance),
        "system_sd": np.sqrt(parts["raw"].variance["system"]),
    }
    names = ["judged", "document_sd", "luck_sd", "luck_max", "luck_z_sd", "luck_z_max", "reordered"]
    if ease is None:
        return pd.DataFrame([row | dict.fromkeys(names, np.nan)])
    values = [
        document_means(frame).notna().to_numpy().mean(),
        np.sqrt(parts["raw"].variance["document"]),
        ease["luck_raw"].std(ddof=1),
        ease["luck_raw"].abs().max(),
        ease["luck_z"].std(ddof=1),
        ease["luck_z"].abs().max(),
        opposite_pairs(ease["mean_z"], ease["z_without"]),
    ]
    return pd.DataFrame([row | dict(zip(names, values, strict=True))])
