"""Compare the numbers of version 0.3.0 with those of this version, through tests/renames.csv.

    python tests/compare_0_3_0.py OLD NEW OLD_LEDGER NEW_LEDGER

OLD is the folder figures/ of version 0.3.0. NEW comes from tests/freeze_0_4_0.py. Every number is
counted as equal, as close (within 1e-9), as changed with a reason, as drawn at random, as gone
with a reason, or as unexplained. What could not be joined is listed.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import pandas as pd

RENAMES = pd.read_csv(Path(__file__).with_name("renames.csv"), dtype=str, keep_default_na=False)
SHOWN = 12  # examples of each kind of difference
STATES = {"changed": "changed with a reason", "drawn": "drawn at random"}
WORDS = {"true": "1", "false": "0", "at most": "0", "exact": "1", "nan": "", "none": ""}


def records(content: dict) -> dict[str, list[dict]]:
    """Return a verdict.json as tables: each of its lists, and everything else in "top"."""
    top, tables = {}, {}
    for key, value in content.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            tables[key] = value
        elif isinstance(value, dict):
            top |= {f"{key}.{name}": str(each) for name, each in value.items()}
            tables[key] = [value]
        else:
            top[key] = " | ".join(sorted(map(str, value))) if isinstance(value, list) else value
    return {"top": [top], **tables}


def read_tables(root: Path) -> dict[str, pd.DataFrame]:
    """Return all tables below a folder, by notebook and file, with campaign and pair as columns."""
    found: dict[str, list[pd.DataFrame]] = {}
    for path in sorted([*root.rglob("*.csv"), *root.rglob("verdict.json")]):
        parts = path.relative_to(root).parts
        if len(parts) < 3 or any(part.startswith(".") for part in parts):
            continue
        pair = parts[2] if len(parts) > 3 else ""
        star = "*/" if pair else ""
        pair = "" if pair == "all" else pair
        if path.suffix == ".json":
            content = json.loads(path.read_text(encoding="utf-8"))
            name = (
                pair + "-" + content["name"].split()[-1] if " " in content.get("name", "") else pair
            )
            for table, rows in records(content).items():
                frame = pd.DataFrame(rows).astype(object)
                found.setdefault(f"verdict.json/{table}", []).append(
                    frame.assign(campaign=parts[0], pair=name, name=name).astype(str)
                )
            continue
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        name = f"{parts[1]}/{star}{path.name}"
        if pair or "pair" not in frame:
            frame = frame.assign(pair=pair)
        found.setdefault(name, []).append(frame.assign(campaign=parts[0]))
    return {name: pd.concat(frames, ignore_index=True).fillna("") for name, frames in found.items()}


def find_new(tables: dict, name: str) -> pd.DataFrame | None:
    """Return a table of this version: that of each pair, otherwise that of the whole campaign."""
    folder, _, file = name.partition("/")
    found = tables.get(f"{folder}/*/{file}", tables.get(name))
    return found.copy() if found is not None else None


def add_derived(tables: dict) -> None:
    """Add columns that version 0.3.0 kept, computed from those that this version keeps."""
    clusters = tables["extra/*/clusters.csv"]
    number = clusters.assign(clusters=clusters["cluster"].astype(int))
    keys = ["campaign", "pair", "test", "correction", "rule"]
    tables["extra/cluster_counts.csv"] = (
        number.groupby(keys)["clusters"].max().reset_index().astype(str)
    )
    left = tables["extra/*/leave_one_out.csv"]
    place = left.assign(place=left["rank_before"].astype(int)).groupby(
        ["campaign", "pair", "removed"]
    )["place"]
    left["rank_before_without"] = place.rank().astype(int).astype(str)
    facts = tables["07_relative_ranking/*/facts.csv"]
    facts["systems_without_reference"] = (facts["systems"].astype(int) - 1).astype(str)
    shown = tables["07_relative_ranking/*/exposure.csv"]
    for column in ("reference_share", "better_or_equal"):
        source = "better_or_equal_others" if column == "better_or_equal" else column
        shown[f"{column}_percent"] = (100 * pd.to_numeric(shown[source])).astype(str)
    costs = tables["08_tournament/*/costs.csv"]
    wide = costs.pivot(index=["campaign", "pair"], columns="method", values="cost").add_prefix(
        "cost_"
    )
    summary = tables["08_tournament/*/summary.csv"]
    tables["08_tournament/*/summary.csv"] = summary.merge(
        wide.reset_index(), on=["campaign", "pair"]
    )
    summed = (
        costs.assign(cost=costs["cost"].astype(float)).groupby(["campaign", "method"])["cost"].sum()
    )
    tables["08_tournament/totals.csv"] = summed.reset_index().astype(str).assign(pair="")
    agreement = tables.get("06_srp/*/agreement.csv")
    if agreement is not None:
        values = agreement.melt(
            ["campaign", "pair"], ["single documents", "all shared documents"], "aggregation"
        )
        values["value"] = pd.to_numeric(values["value"])
        mean = values.groupby(["campaign", "pair", "aggregation"])["value"].mean()
        tables["06_srp/*/agreement_mean.csv"] = mean.reset_index().astype(str)
    shares = tables["02_outlier_removal/*/annotators.csv"]
    for kind in ("REF", "BAD_REF"):
        shares[kind] = (100 * pd.to_numeric(shares[kind])).astype(str)
    inference, verdicts = tables["01_replication/*/inference.csv"], tables["verdict.json/ranking"]
    own = verdicts[["campaign", "pair", "system", "score", "cluster"]]
    tables["01_replication/*/inference.csv"] = inference.merge(
        own, on=["campaign", "pair", "system"], how="left", suffixes=("", "_of_verdict")
    ).fillna("")
    for name in (
        "00_verdict/*/fewest.csv",
        "02_outlier_removal/*/fewest_removals.csv",
        "verdict.json/fewest",
    ):
        each = tables[name]
        each["what_below"] = each["what"].where(
            each["below"].isin(["0", "0.0"]), "line below " + each["below"]
        )
    errors = tables.get("09b_campaign/*/ranking_errors.csv")
    if errors is not None:
        errors["ranker"] = errors["method"]
        errors["spread"] = errors["spread"].replace("3.162", "3.16227766")
    growth = tables["extra/*/growth.csv"]
    last = growth.groupby(["campaign", "pair", "reading"], sort=False).last().reset_index()
    squared = (pd.to_numeric(last["spread"]) ** 2).astype(str)
    last["sigma2"] = last["spread"].where(last["reading"] == "as matched", squared)
    tables["extra/spreads.csv"] = last
    for name in ("08_tournament/*/violations.csv", "08_tournament/totals.csv"):
        tables[name]["paper_method"] = tables[name]["method"]
    ranks = tables["03_divisor_degradation/*/ranks.csv"]
    machines = ranks[ranks["human"] == "False"]
    place = (
        machines["rank"].astype(int).groupby([machines[c] for c in ("campaign", "pair", "divisor")])
    )
    ranks["rank_machines"] = place.rank().astype(int).astype(str)
    for folder, file in (("04_cooccurrence", "co_judged"), ("05_document_difficulty", "effects")):
        both = tables[f"{folder}/*/{file}.csv"]
        both = both.assign(before=both["rank"].astype(int), after=both["rank_without"].astype(int))
        both = both.merge(both, on=["campaign", "pair"], suffixes=("", "_other"))
        turned = (both["before"] < both["before_other"]) & (both["after"] > both["after_other"])
        pairs = turned.groupby([both["campaign"], both["pair"]]).sum().rename("pairs")
        tables[f"{folder}/reordered.csv"] = pairs.reset_index().astype(str)
    buckets = tables.get("06_srp/*/buckets.csv")
    if buckets is not None:
        buckets["annotators_sorted"] = buckets["annotators"].map(in_order)
    pairs = tables["07_relative_ranking/*/pairs.csv"]
    swap = {"system_a": "system_b", "system_b": "system_a", "wins_a": "wins_b", "wins_b": "wins_a"}
    tables["07_relative_ranking/*/pairs_both.csv"] = pd.concat([pairs, pairs.rename(columns=swap)])
    studies = tables.get("11_protocols_and_test_sets/*/pairs.csv")
    if studies is not None:
        turned_round = studies.rename(columns={"first": "second", "second": "first"})
        tables["11_protocols_and_test_sets/*/pairs_both.csv"] = pd.concat([studies, turned_round])
    top = tables["verdict.json/top"]
    count = pd.to_numeric(top["counts.systems"]) + pd.to_numeric(top["counts.humans"])
    top["counts.documents"] = top["counts.documents"].replace("0", "")
    top["counts.systems_and_humans"] = count.astype(str)
    assessed = verdicts[verdicts["assessable"] == "True"].assign(
        place=lambda table: table["rank"].astype(int)
    )
    first = (
        assessed.sort_values("place", kind="stable").groupby(["campaign", "pair"])["system"].first()
    )
    top["leader_of_all"] = [
        first.get(key, "") for key in zip(top["campaign"], top["pair"], strict=True)
    ]


def in_order(names: str) -> str:
    """Return names, joined by commas, in the order of the alphabet."""
    return ", ".join(sorted(names.split(", ")))


def reshape(frame: pd.DataFrame, how: str, side: str) -> pd.DataFrame:
    """Return a table in the long form in which it is joined."""
    for word in how.split(" "):
        option, _, value = word.partition("=")
        if option == {"new": "wide", "old": "oldwide"}[side]:
            row, column, cell = value.split(",")
            index = frame.columns[0]
            frame = frame.melt(["campaign", "pair", index], var_name=column, value_name=cell)
            frame = frame.rename(columns={index: row})
            frame = frame[frame[cell] != ""]
        if option == "melt" and side == "old":
            column, cell = value.split(",")
            keys = [
                name for name in ("campaign", "pair", "test", "correction", "file") if name in frame
            ]
            frame = frame.melt(keys, var_name=column, value_name=cell)
    return frame


def select(frame: pd.DataFrame, how: str) -> pd.DataFrame:
    """Return the rows of an old table that this version has, too."""
    if "where=" in how:
        column, _, value = how.split("where=")[1].partition(":")
        frame = frame[frame[column] == value] if value != "default" else frame
    if "setting" in frame:
        words = (
            frame["setting"]
            .str.extract(r"(?:trim (?P<trim>\d+))?(?:(?P<sides>\d)-sided)?")
            .fillna("0")
        )
        frame = frame.assign(trim=words["trim"], sides=words["sides"])
    if "raters" in frame:
        frame = frame.assign(raters=frame["raters"].map(in_order))
    if how == "study":
        for column in [name for name in ("study", "first", "second", "repeated") if name in frame]:
            named = frame["campaign"] + ("." + frame[column]).where(frame[column] != "", "")
            frame = frame.assign(**{column: named})
    if "basestudy" in how:
        frame = frame[frame["study"].isin(["", "ESA-1"])] if "study" in frame else frame
    if "machines" in how:
        frame = frame.assign(
            ranking=frame["ranking"].str.replace("original", "1").str.replace("d-", "")
        )
    return frame


def same(old: str, new: str, rounded: int | None) -> str:
    """Say whether two values are equal, close (within 1e-9), or different."""
    old, new = (WORDS.get(str(value).lower(), str(value)) for value in (old, new))
    if old == new:
        return "equal"
    try:
        a, b = float(old), float(new)
    except ValueError:
        return "different"
    if (
        a == b
        or f"{a:.10g}" == f"{b:.10g}"
        or (rounded is not None and round(b, rounded) == round(a, rounded))
    ):
        return "equal"
    return "close" if abs(a - b) <= 1e-9 * max(1, abs(a)) else "different"


def compare_tables(old: dict, new: dict) -> None:
    """Compare all tables, and print the counts of each and what has no explanation."""
    files = RENAMES[RENAMES["kind"] == "file"].set_index("old")
    values = RENAMES[RENAMES["kind"] == "value"]
    campaigns = dict(RENAMES.loc[RENAMES["kind"] == "campaign", ["old", "new"]].to_numpy())
    whole, missing = Counter(), []
    top = new["verdict.json/top"].query("kind in ('relative_ranking', 'votes')")
    votes = set(zip(top["campaign"], top["pair"], strict=True))
    for name in sorted(set(old) | set(files.index)):
        base = name.partition("#")[0]
        if name not in files.index:
            missing.append(name)
            continue
        target, how = files.loc[name, ["new", "how"]]
        if base not in old or how in ("gone", "same as"):
            if base in old:
                whole[
                    f"cells in tables that are {'gone' if how == 'gone' else 'cuts of others'}"
                ] += old[base].size
            continue
        parts = RENAMES[RENAMES["old"].str.startswith(f"{name}:")]
        columns = {row.old.split(":", 1)[1]: row for row in parts.itertuples()}
        left = select(reshape(old[base].copy(), how, "old"), how)
        right = find_new(new, target)
        listed = [c for c in left if c not in columns and c not in ("campaign", "pair", "name")]
        missing += [f"{name}: column {column}" for column in listed]
        if right is None or left.empty:
            missing += [] if left.empty else [f"{name}: no table {target}"]
            continue
        right = reshape(right, how, "new")
        if "new=" in how:
            column, _, value = how.split("new=")[1].split()[0].partition(":")
            right = right[right[column] == value]
        keys = {c: row.new for c, row in columns.items() if row.kind == "key"}
        left["campaign"] = left["campaign"].replace(campaigns)
        if "pairof=" in how:
            named = old[how.split("pairof=")[1].split()[0]]
            left["pair"] = left["campaign"].map(
                dict(zip(named["campaign"], named["task"], strict=True))
            )
        if "task" in left:
            left["pair"] = left["task"].str.replace(" ", "-")
            left["task"] = left["pair"]
        for column in [
            c for c in left if keys.get(c, c) in set(values["old"].str.split(":").str[0])
        ]:
            for row in values[
                values["old"].str.startswith(f"{keys.get(column, column)}:")
            ].itertuples():
                left[column] = left[column].replace(row.old.split(":", 1)[1], row.new or "(gone)")
        by = ["campaign", *(["pair"] if "pair" not in keys.values() else [])]
        a = left.assign(**{f"_{k}": plain(left[k]) for k in keys})
        b = right.assign(**{f"_{k}": plain(right[v]) for k, v in keys.items()})
        on = [*by, *(f"_{k}" for k in keys)]
        b = b.drop_duplicates(on)
        both = a.merge(b, on=on, how="left", suffixes=("", "@new"), indicator=True)
        count, examples = Counter(), []
        absent = both["_merge"] == "left_only"
        if "absent=0" in how:
            known = set(map(tuple, new["verdict.json/top"][["campaign", "pair"]].to_numpy()))
            absent &= ~both[["campaign", "pair"]].apply(tuple, axis=1).isin(known)
        gone = both[list(keys)].eq("(gone)").any(axis=1) if keys else absent & False
        if "drop=" in how:
            column, _, value = how.split("drop=")[1].split()[0].partition(":")
            gone |= both[column] == value
        if "basestudy" in how:
            gone |= both["_judge"].str.startswith("people") | (both["campaign"] == "llmfao")
            gone |= both["_judge"] == "perfect judge model"
            gone |= both["_judge"].isin(
                [f"wmt23-protocols.{name}" for name in ("ESA-AI-1", "ESA-AI-2", "MQM-1")]
            )
        gone |= "absent=all" in how
        if "absent=limit" in how:
            searched = set(
                map(tuple, right.query("what != 'first'")[["campaign", "pair"]].to_numpy())
            )
            at_line = both["what"].str.startswith("line")
            gone |= at_line & ~both[["campaign", "pair"]].apply(tuple, axis=1).isin(searched)
        if "absent=comparisons" in how:
            gone |= both[["campaign", "pair"]].apply(tuple, axis=1).isin(votes)
        held = set(map(tuple, new_pairs(new, target)))
        not_run = ~both[["campaign", "pair"]].apply(tuple, axis=1).isin(held) & ~both[
            "campaign"
        ].isin({c for c, p in held if not p})
        count["rows: gone with a reason"] = int((absent & gone).sum())
        count["rows: pair not run"] = int((absent & ~gone & not_run).sum())
        lost = both[absent & ~gone & ~not_run]
        count["rows: UNEXPLAINED"] = len(lost)
        examples += [("no such row", *row) for row in lost[[*by, *keys]].head(SHOWN).to_numpy()]
        present = both[~absent]
        compared = [
            pair in votes for pair in zip(present["campaign"], present["pair"], strict=True)
        ]
        for column, row in columns.items():
            if row.kind != "column" or column not in left:
                continue
            if row.how == "gone":
                count["gone with a reason"] += len(present)
                continue
            field = f"{row.new}@new" if f"{row.new}@new" in present else row.new
            if field not in present:
                missing.append(f"{name}: new column {row.new} of {target}")
                continue
            rounded = int(how.split("rounded=")[1].split()[0]) if "rounded=" in how else None
            fallback = "0" if "absent=0" in how else ""
            pairs_of_values = zip(present[column], present[field], present["_merge"], strict=True)
            for place, (before, value, joined) in enumerate(pairs_of_values):
                if column.startswith("kinds.") and before == "":
                    continue  # the other name of this kind of unit counts
                value = value if joined == "both" else fallback
                state = same(before, value, rounded)
                if state == "different":
                    state = STATES.get(row.how, "UNEXPLAINED")
                    if row.how.startswith("within") and abs(float(before) - float(value)) < float(
                        row.how.split()[1]
                    ):
                        state = "changed with a reason"
                    if row.how == "changed for comparisons" and compared[place]:
                        state = "changed with a reason"
                count[state] += 1
                if state == "UNEXPLAINED":
                    examples.append((column, *present[[*by, *keys]].iloc[place], before, value))
        whole += Counter(
            {f"cells: {key}" if not key.startswith("rows") else key: n for key, n in count.items()}
        )
        print(f"{name} -> {target}:", ", ".join(f"{n} {key}" for key, n in count.items() if n))
        for example in examples[:SHOWN]:
            print("    ", *example, sep=" | ")
    print("\nAll tables:", dict(whole))
    print("Not joined:", *missing, sep="\n    ")


def plain(column: pd.Series) -> pd.Series:
    """Return keys without the difference between 1 and 1.0."""
    text = column.astype(str)
    number = pd.to_numeric(text, errors="coerce")
    return text.where(number.isna(), number.map("{:.6g}".format))


def new_pairs(new: dict, name: str) -> list:
    """Return the campaigns and pairs of a table of this version."""
    found = find_new(new, name)
    return (
        [] if found is None else found[["campaign", "pair"]].drop_duplicates().to_numpy().tolist()
    )


def compare_ledgers(old_path: str, new_path: str) -> None:
    """Count the claims whose value is the same, and list the others."""
    keys = ["paper", "place", "cell"]
    old, new = (
        pd.read_csv(path, dtype=str, keep_default_na=False) for path in (old_path, new_path)
    )
    both = old.merge(new, on=keys, how="outer", suffixes=("", "_new"), indicator="side")
    count, listed = Counter(), []
    for row in both.itertuples():
        if row.side != "both":
            state = "only old" if row.side == "left_only" else "only new"
        elif row.ours == row.ours_new:
            state = "equal"
        elif row.ours == "":
            state = "no data before, data now"
        else:
            state = same(row.ours, row.ours_new, None)
            digits = min(len(text.partition(".")[2]) for text in (row.ours, row.ours_new))
            if (
                state == "different"
                and abs(float(row.ours) - float(row.ours_new)) <= 1.0001 * 10**-digits
            ):
                state = "equal when rounded"
        if state == "different":
            state = "changed with a reason" if row.paper == "bojar2011" else "UNEXPLAINED"
        count[state] += 1
        if row.side == "both" and row.status != row.status_new:
            count[f"status {row.status} -> {row.status_new}"] += 1
        if state in ("only old", "UNEXPLAINED", "equal when rounded"):
            listed.append((state, row.paper, row.place, row.cell, row.ours, row.ours_new))
    print("Ledger:", dict(count))
    for each in listed:
        print("    ", *each, sep=" | ")


if __name__ == "__main__":
    old_root, new_root, old_ledger, new_ledger = sys.argv[1:]
    new_tables = read_tables(Path(new_root))
    add_derived(new_tables)
    compare_ledgers(old_ledger, new_ledger)
    compare_tables(read_tables(Path(old_root)), new_tables)
