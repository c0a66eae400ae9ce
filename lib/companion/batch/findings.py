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


def _finding(
    title: str,
    text: str,
    table: pd.DataFrame,
    note: str = "",
    page: str = "",
    picture: str = "",
    caption: str = "",
) -> Finding:
    rows = [[_shown(value) for value in row] for row in table.itertuples(index=False)]
    return {
        "title": title,
        "text": text,
        "columns": list(table.columns),
        "rows": rows,
        "note": note,
        "page": page,
        "picture": picture if picture and (FIGURES / picture).is_file() else "",
        "caption": caption,
    }


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _of(part: pd.Series, whole: pd.Series) -> list[str]:
    """Return "part of whole" for each row; empty where the whole is not known."""
    rows = zip(part, whole, strict=True)
    return ["" if total != total else f"{number:.0f} of {total:.0f}" for number, total in rows]


def boundaries() -> Finding | None:
    """Return how many of the boundaries that WMT's procedures draw are supported."""
    table = tables("10b_campaign", "totals")
    if table.empty:
        return None
    order = {"annotator x document": 0, "document": 1, "annotator": 2, "segment": 3}
    table["place"] = table["unit"].map(order).fillna(9)
    main = table.sort_values("place").groupby("campaign", as_index=False).first()
    main = main[main["campaign"].isin(["wmt18", "wmt20", "wmt21"])]
    drawn, supported = int(main["drawn"].sum()), int(main["supported"].sum())
    units = {"annotator x document": "annotators and documents", "document": "documents"}
    shown = pd.DataFrame(
        {
            "campaign": main["campaign"],
            "supported": _of(main["supported"], main["drawn"]),
            "allowing for new": main["unit"].replace(units),
        }
    )
    return _finding(
        f"{supported} of {drawn} cluster boundaries are supported",
        "WMT's procedures draw boundaries between clusters of systems. A boundary is supported if "
        "every system above it is significantly better than every system below it, allowing for "
        "new annotators and documents. For the other boundaries, the data are inconclusive. This "
        "does not mean that the boundaries are wrong.",
        shown,
        "For WMT20, only the language pairs out of English are counted, because the data of the "
        "others name no documents.",
        page="runs/wmt18-10b_campaign-all.ipynb",
        picture="wmt18/10b_campaign/all/supported_figure.png",
        caption="WMT18: the number of boundaries that are drawn and supported, by what is new.",
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
    shown = shown.rename(columns={"size": "language pairs", "removed": "judgments removed"})
    return _finding(
        "First place is often decided by very few judgments",
        "For each language pair, we looked for the smallest set of judgments whose removal puts "
        "another system first. The table gives the size of this set as a share of all judgments, "
        "for the median language pair of each campaign. If more than one judgment has to be "
        "removed, an even smaller set could exist.",
        shown,
        page="runs/wmt21-00b_campaign-all.ipynb",
        picture="wmt21/00_verdict/de-en/ranking_figure.png",
        caption="WMT21 German–English: the intervals of the best systems overlap widely, so a few "
        "judgments decide which is first.",
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
    names = {
        "GEMBA-MQM-src": "GPT-4 (GEMBA-MQM)",
        "wmt23-protocols.ESA-2": "a second human study",
        "perfect judge model": "a perfect judge model",
    }
    saved = (100 * table["judgments_saved"]).map("{:.0f} %".format)
    low, high = ((100 * table[name]).map("{:.0f}".format) for name in ("saved_low", "saved_high"))
    shown = pd.DataFrame(
        {
            "additional scores": table["judge_model"].replace(names),
            "same order": _of(table["alike"], table["pairs"]),
            "judgments saved (95 % interval)": saved + " (" + low + " to " + high + ")",
        }
    )
    return _finding(
        "GPT-4 is about as useful as a second human study",
        "Additional scores could save human judgments. For WMT23 English–German, the table gives "
        "the share of judgments that each kind of score would save if it were available for "
        "unlimited outputs. GPT-4 (GEMBA-MQM) would save about as much as a second human study of "
        "the same outputs: four other human studies would save 1 % to 9 %. A perfect judge model "
        "would know everything on which two human studies agree, and would save about a quarter. "
        "GPT-4 also orders the systems almost as people do, but a good order is not enough to save "
        "judgments.",
        shown,
        "*Same order* is the number of pairs of systems that are in the same order as in the human "
        "judgments. Metrics whose names end in *refA* compare outputs with the human translation "
        "refA, which they cannot score. Random-sysname is a baseline of random scores.",
        page="runs/wmt23-protocols.ESA-1-12b_campaign-all.ipynb",
        picture="wmt23-protocols.ESA-1/12b_campaign/all/saved_figure.png",
        caption="WMT23 English–German: each point is a judge model or a human study. A good order "
        "(right) does not mean large savings (top).",
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
    shown = pd.DataFrame({"designs": table["first"] + " vs. " + table["second"]})
    for pair in pairs:
        known = table[f"result_{pair}"].notna()
        if known.any():
            gains = table[f"srp_difference_{pair}"].map("{:+.3f}".format)
            gains = gains.str.replace("-", "\N{MINUS SIGN}")
            shown[pair] = (table[f"result_{pair}"] + ", " + gains).where(known, "")
    return _finding(
        "Studies are more stable if one annotator rates all systems on a document",
        "Riley et al. (2024) recommend that one annotator rate the outputs of all systems for a "
        "document (pSxS). They also recommend equal workloads and a single rating of each output. "
        "We repeated their simulations with their ratings of WMT22. Each cell says whether the "
        "first of the two designs is more stable. The number is the difference in stable ranking "
        "probability (SRP).",
        shown,
        "*Reversed*: the first design is less stable. *Undecided*: the difference is within two standard "
        "errors of the simulation. *System-balanced*: each annotator rates equally many outputs of "
        "each system. *Entropy 0.6*: the workloads are unequal. *z*: scores are standardised by "
        "annotator.",
        page="runs/wmt22-mqm-06b_campaign-all.ipynb",
    )


def equal_systems() -> Finding | None:
    """Return how often a procedure draws a boundary between equal systems."""
    table = tables("10b_campaign", "false_boundaries")
    if table.empty:
        return None
    shares = table.groupby(["campaign", "procedure"])["campaigns_with_boundary"].mean().unstack()
    shown = shares.map(lambda value: "" if value != value else f"{100 * value:.0f} %").reset_index()
    shown.columns = shown.columns.str.replace("wmt", "20")
    return _finding(
        "WMT's procedures draw boundaries between equal systems",
        "We simulated null campaigns, in which all systems are equal, so every boundary is false. "
        "Each cell gives the share of null campaigns in which a procedure draws at least one "
        "boundary, averaged over the language pairs of a campaign. Each column is WMT's procedure "
        "of that year. Null campaigns keep the annotators of the real "
        "campaign; with new annotators, the shares would be at least as large.",
        shown,
        page="runs/wmt21-10b_campaign-all.ipynb",
    )


def company() -> Finding | None:
    """Return in how many pairs removing one system changes the order of the others."""
    table = tables("02b_campaign", "totals")
    if table.empty:
        return None
    table = table[table["removed_kind"] != "each single system"]
    totals = table.groupby(["campaign", "removed_kind"], as_index=False).sum(numeric_only=True)
    names = {"highest": "highest-ranked system", "lowest": "lowest-ranked system"}
    shown = pd.DataFrame(
        {
            "campaign": totals["campaign"],
            "removed": totals["removed_kind"].replace(names),
            "order changed": _of(totals["order_changed"], totals["removals"]),
            "clusters changed": _of(totals["clusters_changed"], totals["removals"]),
        }
    )
    return _finding(
        "Removing a system can reorder the others",
        "WMT standardised the scores of each annotator. If a system is removed, the z-scores of "
        "the other systems change, and their order can change too (Knowles 2021). The table counts "
        "the language pairs in which a removal changes the order or the clusters of the other "
        "systems.",
        shown,
        page="runs/wmt21-02b_campaign-all.ipynb",
    )
