"""Count what is said about real campaigns: boundaries, pairs, and systems that could be the best.

Writes ``results/campaigns.csv``, one row per campaign that is here, summed over its language pairs
or tasks:

- pairs: language pairs or tasks; drawn: boundaries that the year's procedure draws, and of these
  drawn_supported; supported: all supported boundaries;
- significant_pairs: pairs of systems that differ significantly;
- could_be_best: systems that could be the best;
- ..._before: the same by version 0.3.0, which had neither moderated variances nor comparisons within
  segments, and took annotators alone as units of votes and relative rankings. For relative rankings
  it drew clusters, which no procedure of their years does. These columns are kept from the file.
  They come from the last commit with the code of version 0.3.0. There, ``certain.held``,
  ``certain.declared`` and ``certain.may_be_first`` hold what is counted here, and ``lines`` what is
  drawn.
"""

from pathlib import Path

import pandas as pd

import rankstability as rs

RESULTS = Path(__file__).parent / "results" / "campaigns.csv"
CAMPAIGNS = (
    "wmt10", "wmt11", "wmt12", "wmt18", "wmt20", "wmt21", "wmt22-appraise-liv", "wmt22-mqm",
    "wmt23-mqm", "wmt24-esa", "llmfao", "wmt-slt23",
)  # fmt: skip
COUNTS = ["drawn", "drawn_supported", "supported", "significant_pairs", "could_be_best"]


def count(campaign: str, pair: str, task: str) -> dict[str, object]:
    """Return the numbers of one language pair or task."""
    ranking = rs.rank_systems(rs.load(campaign, pair, task))
    boundaries = ranking.boundaries
    drawn, supported = boundaries["drawn"].astype(bool), boundaries["supported"].astype(bool)
    return {
        "campaign": campaign,
        "pairs": 1,
        "drawn": int(drawn.sum()),
        "drawn_supported": int((drawn & supported).sum()),
        "supported": int(supported.sum()),
        "significant_pairs": int((ranking.pairs["result"] == "better").sum()),
        "could_be_best": int(ranking.table["could_be_first"].sum()),
    }


def main() -> None:
    here = set(rs.campaigns().query("here")["campaign"])
    rows = []
    for campaign in CAMPAIGNS:
        if campaign not in here:
            continue
        for each in rs.pairs(campaign).itertuples():
            rows.append(count(campaign, each.pair, getattr(each, "task", "")))
            print(*rows[-1].values(), each.pair, flush=True)
    table = pd.DataFrame(rows).groupby("campaign", sort=False, as_index=False).sum()
    before = [f"{name}_before" for name in COUNTS]
    if RESULTS.exists():
        known = pd.read_csv(RESULTS)
        kept = known.reindex(columns=["campaign", *before])
        table = table.merge(kept, on="campaign", how="left")
    table.to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
