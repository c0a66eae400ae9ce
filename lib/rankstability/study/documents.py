"""Documents: who was judged on which, how hard they are, and who was lucky."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..judgments import DirectAssessment, is_human
from ..papers import claims
from ..score import models as effects
from ..score import variance
from ..score.da import judgment_z, segment_scores
from . import scorings as stability

if TYPE_CHECKING:
    from ..read.campaigns import Campaign
    from ..report.outputs import Outputs

Z95 = 1.959963984540054
NO_DOCUMENTS = "The segment ids of this language pair name no documents, so none are shown."


def segment_frame(da: DirectAssessment) -> pd.DataFrame:
    """Mean scores per system and segment: system, document, segment, raw, z, n.

    The same columns as `readers_da.read_segment_scores`, where the judgments are not released.
    """
    frame = segment_scores(da).frame().rename(columns={"judgments": "n"})
    names = da.good[["segment", "document"]].drop_duplicates("segment")
    of = pd.Series(names["document"].astype(object).to_numpy(), index=names["segment"].astype(str))
    frame.insert(1, "document", of.reindex(frame["segment"]).to_numpy())
    return frame


def released(campaign: Campaign, pair: str) -> tuple[pd.DataFrame, str]:
    """Segment scores as released, and a sentence on what was left out (empty: nothing).

    Rows of the reference that the official scores do not rank (WMT20 from Inuktitut, Khmer and
    Pashto) are left out, as in the ranking.
    """
    from ..read import campaigns, official

    frame = campaigns.load_segment_scores(campaign, pair)
    ranked = official.ranking(campaign, pair)
    if ranked is None:
        return frame, ""
    outside = (frame["system"] == "HUMAN").to_numpy() & ("HUMAN" not in set(ranked["system"]))
    if not outside.any():
        return frame, ""
    left = f"{int(outside.sum())} segment scores of HUMAN are reference rows and left out."
    return frame[~outside].reset_index(drop=True), left


def has_documents(frame: pd.DataFrame) -> bool:
    """Whether every segment names its document."""
    return bool(frame["document"].notna().all())


def humans(frame: pd.DataFrame) -> set[str]:
    """Ids of human translations in a frame with a column system."""
    return {s for s in map(str, frame["system"].unique()) if is_human(s)}


def matrix(frame: pd.DataFrame, score: str = "raw") -> pd.DataFrame:
    """Mean segment score of each document and system (Knowles 2021, Figure 5).

    Parameters
    ----------
    frame : DataFrame
        Columns system, document, segment and `score`, as from `segment_frame`.
    score : str
        ``raw`` or ``z``.

    Returns
    -------
    DataFrame
        Documents by systems, both with the highest mean segment score first; NaN: not judged.
    """
    if not has_documents(frame):
        raise DataError("segments without documents", column="document")
    known = frame[frame[score].notna()]
    cells = known.assign(
        system=known["system"].astype(str), document=known["document"].astype(str)
    ).groupby(["document", "system"])[score].mean().unstack()  # fmt: skip
    rows = known.groupby(known["document"].astype(str))[score].mean()
    columns = known.groupby(known["system"].astype(str))[score].mean()
    first = rows.sort_index().sort_values(ascending=False, kind="stable").index
    left = columns.sort_index().sort_values(ascending=False, kind="stable").index
    return cells.reindex(index=first, columns=left).rename_axis(index="document", columns=None)


def decompose(data: DirectAssessment | pd.DataFrame) -> dict[str, variance.Components]:
    """Variance components of the raw and of the z-scores.

    Parameters
    ----------
    data : DirectAssessment or DataFrame
        Judgments: system, worker, document, segment and residual (the judgment, with what the
        system makes of the segment). Segment scores (`segment_frame`'s columns): no workers; what
        they add is in the residual, divided by the number of judgments.

    Returns
    -------
    dict
        ``raw`` and ``z`` to `variance.Components`. Documents are left out where none are known; a
        factor that cannot be told from the others (one worker, every segment judged once) has
        variance 0.
    """
    if isinstance(data, DirectAssessment):
        return {
            "raw": effects.components(data),
            "z": effects.components(data, judgment_z(data)),
        }
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


def component_table(parts: dict[str, variance.Components], pair: str) -> pd.DataFrame:
    """Columns pair, score (raw, z), component, variance, sd, share, estimated (0: left out)."""
    frames = [c.table().assign(pair=pair, score=name) for name, c in parts.items()]
    columns = ["pair", "score", "component", "variance", "sd", "share", "estimated"]
    return pd.concat(frames, ignore_index=True)[columns]


def difficulty(frame: pd.DataFrame, parts: dict[str, variance.Components]) -> pd.DataFrame:
    """How hard each document is, whoever translated and judged it.

    Parameters
    ----------
    frame : DataFrame
        As from `segment_frame`.
    parts : dict
        From `decompose`.

    Returns
    -------
    DataFrame
        document, segments, systems, judgments, mean_raw, difficulty (points lost against the
        average document, shrunk towards 0 by the variance components), low, high (95 % interval),
        difficulty_z, low_z, high_z; hardest first.
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


def luck(frame: pd.DataFrame, parts: dict[str, variance.Components]) -> pd.DataFrame:
    """What each system owes to the documents it was judged on.

    Parameters
    ----------
    frame : DataFrame
        As from `segment_frame`.
    parts : dict
        From `decompose`.

    Returns
    -------
    DataFrame
        system, human, documents, mean_raw, mean_z, luck_raw, luck_z (mean ease of the documents
        of its segments, less the mean over systems: positive is lucky), segment_luck_z (with the
        ease of the segments themselves), z_without (mean_z - luck_z), rank, rank_without,
        document_sd (standard deviation of its documents' mean raw scores); best mean z first.
    """
    system = frame["system"].astype(str)
    grouped = frame.groupby(system)
    out = grouped.agg(
        documents=("document", "nunique"), mean_raw=("raw", "mean"), mean_z=("z", "mean")
    )
    documents, segments = frame["document"].astype(str), frame["segment"].astype(str)
    for score in ("raw", "z"):
        ease = parts[score].effects["document"].set_index("level")["effect"]
        own = parts[score].effects["segment"].set_index("level")["effect"]
        of_document = documents.map(ease)
        known = frame[score].notna()
        mean = of_document[known].groupby(system[known]).mean()
        out[f"luck_{score}"] = mean - mean.mean()
        if score == "z":
            both = (of_document + segments.map(own).fillna(0.0))[known]
            both = both.groupby(system[known]).mean()
            out["segment_luck_z"] = both - both.mean()
    cells = frame.groupby([system, documents])["raw"].mean()
    out["document_sd"] = cells.groupby(level=0).std(ddof=1)
    made = ["luck_raw", "luck_z", "segment_luck_z"]
    out[made] = out[made].round(9) + 0.0  # in balance it is 0, not what rounding leaves
    out["z_without"] = out["mean_z"] - out["luck_z"]
    out = out.rename_axis("system").reset_index()
    out.insert(1, "human", out["system"].map(lambda s: int(is_human(s))))
    for name, column in (("rank", "mean_z"), ("rank_without", "z_without")):
        out[name] = out[column].rank(ascending=False, method="first").astype(int)
    return out.sort_values("rank").reset_index(drop=True)


def summary(
    pair: str,
    frame: pd.DataFrame,
    parts: dict[str, variance.Components],
    lucky: pd.DataFrame | None,
) -> pd.DataFrame:
    """One row of numbers for a language pair.

    Returns
    -------
    DataFrame
        pair, systems, documents (0: not known), segments, workers (1: in the model), judged (share
        of document-system cells with a judgment), document_sd (points between documents, of the
        model), system_sd, luck_sd and luck_max (points between systems), luck_z_sd,
        luck_z_max, reordered (pairs of systems whose order their documents decide).
    """
    row: dict[str, Any] = {
        "pair": pair,
        "systems": frame["system"].nunique(),
        "documents": frame["document"].nunique() if lucky is not None else 0,
        "segments": frame["segment"].nunique(),
        "workers": int("worker" in parts["raw"].variance),
        "system_sd": np.sqrt(parts["raw"].variance["system"]),
    }
    names = ["judged", "document_sd", "luck_sd", "luck_max", "luck_z_sd", "luck_z_max", "reordered"]
    row |= dict.fromkeys(names, np.nan)
    if lucky is not None:
        cells = matrix(frame)
        z, clean = lucky["mean_z"].to_numpy(), lucky["z_without"].to_numpy()
        opposite = (z[:, None] - z[None, :]) * (clean[:, None] - clean[None, :]) < 0
        row |= {
            "judged": float(cells.notna().to_numpy().mean()),
            "document_sd": float(np.sqrt(parts["raw"].variance["document"])),
            "luck_sd": float(lucky["luck_raw"].std(ddof=1)),
            "luck_max": float(lucky["luck_raw"].abs().max()),
            "luck_z_sd": float(lucky["luck_z"].std(ddof=1)),
            "luck_z_max": float(lucky["luck_z"].abs().max()),
            "reordered": int(np.triu(opposite, 1).sum()),
        }
    return pd.DataFrame([row])


def gather(out: Outputs, campaign: Campaign) -> dict[str, Any]:
    """The campaign's variance shares, stability by method and ledger, from the pairs' files."""
    from ..plot import documents as figures

    parts: dict[str, Any] = {}
    summaries = out.table(out.pair_tables("summary"), "summary")
    shares = out.table(out.pair_tables("components"), "components")
    parts["Documents and luck, every language pair"] = summaries
    parts["Where the variance of a judgment lies"] = out.figure(
        figures.variance_bars(shares, campaign.title), "variance_by_pair", data=shares
    )
    parts["Documents in words"] = verdict(summaries, shares)
    if campaign.workers:
        changes = out.table(out.pair_tables("stability_by_method"), "stability_by_method")
        tries = out.table(out.pair_tables("truth_by_method"), "truth_by_method")
        totals = stability.totals(changes)
        parts["Changes under each method"] = out.table(totals, "totals_by_method")
        parts["Stable, and right?"] = out.figure(
            figures.stable_and_right(stability.scores_of(changes, tries), campaign.title),
            "stable_and_right",
            data=stability.scores_of(changes, tries),
        )
        parts["The answer to section 8, computed"] = stability.verdict(changes, tries)
    rows = out.claims(ledger(campaign, out))
    if len(rows):
        parts["Published and ours"] = rows
    return parts


def verdict(summaries: pd.DataFrame, shares: pd.DataFrame) -> str:
    """What the variance shares and the luck of documents say, from their numbers."""
    raw = shares[shares["score"] == "raw"].pivot(index="pair", columns="component", values="share")
    order = ["system", "worker", "document", "segment", "residual"]
    middle = [f"{c} {raw[c].median():.1%}" for c in order if c in raw and raw[c].notna().any()]
    text = f"Median shares of the variance of a raw score over pairs: {', '.join(middle)}."
    if not summaries["workers"].any():
        text += " Workers are not known; what they add is in the residual."
    if "estimated" in shares:
        for component, rows in shares[shares["estimated"] == 0].groupby("component", sort=False):
            where = ", ".join(dict.fromkeys(rows["pair"]))
            text += f" The variance of {component} cannot be told in {where} and stands as 0."
    known = summaries[summaries["documents"] > 0]
    without = len(summaries) - len(known)
    if len(known):
        moved = int((known["reordered"] > 0).sum())
        text += (
            f" The luck of documents has a standard deviation between systems of "
            f"{known['luck_sd'].min():.2f} to {known['luck_sd'].max():.2f} points (largest single "
            f"system: {known['luck_max'].max():.2f}); taking it away reorders systems in {moved} "
            f"of {len(known)} pairs."
        )
    if without:
        text += f" In {without} pairs the segment ids name no documents."
    return text


def ledger(campaign: Campaign, out: Outputs) -> pd.DataFrame:
    """Ledger rows of Figure 5 (en-lt 2019).

    They belong to the campaign ``wmt19-appraise``, and stand among those of ``wmt18`` without data,
    so that the ledger has them where the data of 2019 are not here (rows with data replace them).
    """
    printed = claims.published("knowles2021", "Figure 5")
    ours: dict[tuple[str, str], Any] = {}
    home = campaign.name == "wmt19-appraise"
    if not home and campaign.name != "wmt18":
        printed = printed.iloc[:0]
    elif home and "en-lt" in campaign.pairs:
        lucky = out.pair_tables("luck").query("pair == 'en-lt'")
        judged = out.pair_tables("summary").query("pair == 'en-lt'")["judged"]
        top = lucky.loc[lucky["mean_raw"].idxmax(), "human"] == 1
        human = lucky.loc[lucky["human"] == 1, "document_sd"].mean()
        others = lucky.loc[lucky["human"] == 0, "document_sd"].median()
        answers = (bool(top), bool(judged.iloc[0] < 1), bool(human < others))
        for cell, answer in zip(printed["cell"], answers, strict=True):
            ours["Figure 5", cell] = "yes" if answer else "no"
    return claims.compare(
        printed,
        ours,
        provenance="rebuilt from z" if campaign.rebuilt else "official",
        no_data="the judgments of WMT19 (Appraise) are not here",
    )
