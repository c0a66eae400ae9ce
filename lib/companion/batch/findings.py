"""The findings of the front page: numbers from the tables of all real campaigns."""

from __future__ import annotations

from typing import Any

import pandas as pd

from .jobs import FIGURES, WHOLE

Finding = dict[str, Any]


def tables(notebook: str, name: str) -> pd.DataFrame:
    """Return the table of a campaign notebook over all real campaigns, with a column campaign."""
    frames = []
    for path in sorted(FIGURES.glob(f"*/{notebook}/{WHOLE}/{name}.csv")):
        campaign = path.parts[-4]
        if not campaign.startswith("demo"):
            frames.append(pd.read_csv(path).assign(campaign=campaign))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def gather() -> list[Finding]:
    """Return the findings for which there are tables: title, text, columns, rows, note and page."""
    found = (
        boundaries(),
        removals(),
        judge_models(),
        study_designs(),
        equal_systems(),
        company(),
    )
    return [each for each in found if each is not None]


def _finding(title: str, text: str, table: pd.DataFrame, note: str = "", page: str = "") -> Finding:
    rows = [[_shown(value) for value in row] for row in table.itertuples(index=False)]
    return {
        "title": title,
        "text": text,
        "columns": list(table.columns),
        "rows": rows,
        "note": note,
        "page": page,
    }


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def boundaries() -> Finding | None:
    """Return how many of the boundaries that WMT's procedures draw are supported."""
    table = tables("10b_campaign", "totals")
    if table.empty:
        return None
    order = {"annotator x document": 0, "document": 1, "annotator": 2, "segment": 3}
    table["place"] = table["unit"].map(order).fillna(9)
    main = table.sort_values("place").groupby("campaign", as_index=False).first()
    shown = main[main["campaign"].isin(["wmt18", "wmt20", "wmt21"])]
    drawn, supported = int(shown["drawn"].sum()), int(shown["supported"].sum())
    columns = {
        "campaign": "campaign",
        "drawn": "drawn",
        "supported": "supported",
        "unit": "sampling units",
    }
    return _finding(
        f"{supported} of {drawn} cluster boundaries are supported",
        "WMT's procedures draw boundaries between clusters of systems. We asked which of them a new "
        "campaign would show again. The other boundaries are inconclusive, not wrong.",
        shown[list(columns)].rename(columns=columns),
        page="runs/wmt18-10b_campaign-all.ipynb",
    )


def removals() -> Finding | None:
    """Return how few judgments decide first place in the median language pair."""
    table = tables("00b_campaign", "fewest")
    if table.empty:
        return None
    first = table[(table["what"] == "first") & (table["unit"] == "judgment")]
    share = first["fewest"] / first["of"]
    grouped = share.groupby(first["campaign"]).agg(["median", "size"]).reset_index()
    grouped = grouped[grouped["size"] >= 2].sort_values("median")
    grouped["removed"] = (100 * grouped["median"]).map("{:.2f} %".format)
    shown = grouped[["campaign", "size", "removed"]]
    shown = shown.rename(
        columns={"size": "language pairs", "removed": "judgments removed (median)"}
    )
    return _finding(
        "First place is often decided by very few judgments",
        "We looked for the smallest set of judgments whose removal puts another system first. The "
        "table gives its share of all judgments in the median language pair.",
        shown,
        page="runs/wmt21-00b_campaign-all.ipynb",
    )


def judge_models() -> Finding | None:
    """Return what judge models would save, and what another human study would save."""
    saved = tables("12b_campaign", "saved")
    order = tables("12b_campaign", "order")
    if saved.empty or order.empty:
        return None
    keys = ["campaign", "pair", "judge_model"]
    table = saved.merge(order[[*keys, "pairs", "alike"]], how="left", on=keys)
    table = table[table["campaign"] == "wmt23-protocols.ESA-1"]
    if table.empty:
        return None
    shown = pd.DataFrame(
        {
            "in place of more judgments": table["judge_model"],
            "pairs of systems in the human order": [
                "" if of != of else f"{alike:.0f} of {of:.0f}"
                for alike, of in zip(table["alike"], table["pairs"], strict=True)
            ],
            "judgments saved": (100 * table["judgments_saved"]).map("{:.0f} %".format),
            "95 % interval": [
                "" if low != low else f"{100 * low:.0f} to {100 * high:.0f} %"
                for low, high in zip(table["saved_low"], table["saved_high"], strict=True)
            ],
        }
    )
    return _finding(
        "Agreeing on the order is not the same as saving work",
        "GPT-4 (GEMBA-MQM) ranks the systems of WMT23 English-German almost as people do. Yet it "
        "would save only a few per cent of the human judgments, about as many as a second human "
        "study of the same outputs. Even a perfect judge model would save about a quarter.",
        shown,
        page="runs/wmt23-protocols.ESA-1-12b_campaign-all.ipynb",
    )


def study_designs() -> Finding | None:
    """Return which recommendations of Riley et al. (2024) hold on their own ratings."""
    table = tables("06b_campaign", "recommendations")
    if table.empty:
        return None
    table = table[table["campaign"] == "wmt22-mqm"]
    pairs = [name.removeprefix("result_") for name in table if name.startswith("result_")]
    if table.empty or not pairs:
        return None
    shown = pd.DataFrame({"design": table["first"], "compared with": table["second"]})
    for pair in pairs:
        known = table[f"result_{pair}"].notna()
        gains = table[f"srp_difference_{pair}"].map("{:+.3f}".format)
        shown[f"{pair}: more stable?"] = table[f"result_{pair}"].where(known, "")
        shown[f"{pair}: difference in SRP"] = gains.where(known, "")
    return _finding(
        "Rating all systems on a document by one annotator makes studies more stable",
        "Riley et al. (2024) recommend it (pSxS), as well as one rating of each item. Both "
        "recommendations hold on most of their own ratings, in both language pairs. Differences "
        "within two standard errors of the simulation are undecided.",
        shown,
        page="runs/wmt22-mqm-06b_campaign-all.ipynb",
    )


def equal_systems() -> Finding | None:
    """Return how often a procedure draws a boundary between equal systems."""
    table = tables("10b_campaign", "false_boundaries")
    if table.empty:
        return None
    shares = table.groupby(["campaign", "procedure"])["campaigns_with_boundary"].mean().unstack()
    shown = shares.map(lambda value: "" if value != value else f"{100 * value:.0f} %").reset_index()
    return _finding(
        "Procedures draw boundaries between equal systems",
        "In null campaigns all systems are equal. A cell is the share of them in which a procedure "
        "draws at least one boundary; in new campaigns the share is at least this large.",
        shown,
        page="runs/wmt21-10b_campaign-all.ipynb",
    )


def company() -> Finding | None:
    """Return in how many pairs removing one system changes the order of the others."""
    table = tables("02b_campaign", "totals")
    if table.empty:
        return None
    table = table[table["removed_kind"] != "each single system"]
    columns = {
        "campaign": "campaign",
        "removed_kind": "removed",
        "removals": "language pairs",
        "order_changed": "order changed",
        "clusters_changed": "clusters changed",
    }
    shown = table.groupby(["campaign", "removed_kind"], as_index=False).sum(numeric_only=True)
    return _finding(
        "Removing one system can reorder the others",
        "Scores are standardised by annotator, so a system that leaves changes the z-scores of all "
        "others (Knowles 2021).",
        shown[list(columns)].rename(columns=columns),
        page="runs/wmt21-02b_campaign-all.ipynb",
    )
