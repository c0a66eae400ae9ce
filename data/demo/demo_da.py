"""Synthetic DA campaigns with known truth: ``python data/demo/demo_da.py`` writes the demos.

A score is the sum of what a judgment is made of, each part drawn once:

    60 + system quality + document ease + segment ease + fit of the system to the document
       + worker leniency + noise, times the worker's spread about 60, rounded and cut to 0..100.

Campaigns differ in what a HIT holds. SR-DC: single segments, every system in the same proportion.
SR+DC: whole documents of one system each, drawn from all (system, document) pairs, so that a
worker meets few systems and few documents; standardising by worker then takes away part of the
difference between systems, which is what Knowles (2021) is about.
"""

import gzip
import io
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rankstability.io.paths import demo_folder

COLUMNS = [
    "HITId", "WorkerId", "Input.src", "Input.trg", "Input.item", "hit", "sys_id", "rid", "type",
    "sid", "score", "time",
]  # fmt: skip
SYSTEMS = [
    "Aspen.101", "Birch.102", "Cedar.103", "Elm.104", "Fir.105", "Hazel.106", "Juniper.107",
    "Larch.108", "Maple.109",
]  # fmt: skip
HUMAN = "HUMAN.0"
DEMOS = {
    "demo-srdc": ("SR-DC", {"de-en": 20210101, "en-cs": 20210104}),
    "demo-srpdc": ("SR+DC", {"de-en": 20210109, "en-cs": 20210110}),
}


@dataclass(frozen=True)
class Simulated:
    """A simulated campaign of one language pair.

    Attributes
    ----------
    latest, good : DataFrame
        Rows of ``ad-latest`` (all workers, joined ids) and of ``ad-good-raw-redup``.
    documents : DataFrame
        sid, document.
    truth : Series
        True quality of each system: its mean score over the whole test set from a neutral worker.
    """

    latest: pd.DataFrame
    good: pd.DataFrame
    documents: pd.DataFrame
    truth: pd.Series


def simulate_da(
    style: str,
    rng: np.random.Generator,
    *,
    pair: str = "de-en",
    systems: int = 9,
    documents: int = 30,
    workers: int = 24,
    hits_per_worker: int = 2,
    quality_spread: float = 5.0,
    document_spread: float = 8.0,
    worker_spread: float = 9.0,
    noise: float = 16.0,
) -> Simulated:
    """Draw one language pair of a DA campaign.

    Parameters
    ----------
    style : str
        ``SR-DC`` or ``SR+DC``.
    rng : numpy.random.Generator
    systems : int
        Machine systems, at most nine; a human reference system is added. The last system but one
        copies a tenth of the outputs of the one before it (duplicate outputs).
    documents : int
        Documents of 6 to 16 segments.
    workers, hits_per_worker : int
        One worker in twelve gives a constant score; one more fails quality control, so that
        the rows stand in `latest` only.
    quality_spread, document_spread, worker_spread, noise : float
        Standard deviations, in points of the 0-100 scale.

    Raises
    ------
    ValueError
        For an unknown style.
    """
    if style not in ("SR-DC", "SR+DC"):
        raise ValueError(f"unknown style {style!r}; expected SR-DC or SR+DC")
    names = [*SYSTEMS[:systems], HUMAN]
    n = len(names)
    lengths = rng.integers(6, 17, size=documents)
    document_of = np.repeat(np.arange(documents), lengths)
    segments = document_of.size
    quality = np.sort(rng.normal(0, quality_spread, n - 1))[::-1]
    quality = np.append(quality, quality[0] + quality_spread * 0.8)
    ease = rng.normal(0, document_spread, documents)
    fit = rng.normal(0, document_spread / 3, (n, documents))
    fine = rng.normal(0, noise / 2, segments)
    output = (
        quality[:, None]
        + (ease + fit)[:, document_of] * np.where(np.arange(n) == n - 1, 0.4, 1.0)[:, None]
        + fine
        + rng.normal(0, noise / 3, (n, segments))
    )
    same = rng.random(segments) < 0.1
    if n > 3:
        output[n - 3, same] = output[n - 4, same]
    truth = pd.Series(60 + output.mean(axis=1), index=names, name="truth")

    rows: list[pd.DataFrame] = []
    hit_number = 0
    for worker in range(workers + 1):
        lenient = rng.normal(0, worker_spread)
        spread = float(np.exp(rng.normal(0, 0.25)))
        constant = worker > 0 and worker % 12 == 0 and worker < workers
        for _ in range(hits_per_worker if worker < workers else 1):
            hit = _hit(style, rng, n, documents, document_of)
            clean = np.where(
                hit["kind"] == "BAD_REF", -32 + fine[hit["segment"]],
                np.where(hit["kind"] == "REF", quality[-1] + 4,
                         output[hit["system"], hit["segment"]]),
            )  # fmt: skip
            score = 60 + spread * (clean + lenient + rng.normal(0, noise, len(clean)))
            if worker == workers:  # fails quality control: scores anything
                score = rng.uniform(0, 100, len(clean))
            if constant:
                score = np.full(len(clean), 70.0)
            hit_number += 1
            rows.append(
                pd.DataFrame(
                    {
                        "HITId": f"HIT{hit_number:04d}",
                        "WorkerId": f"worker{worker:02d}",
                        "hit": hit_number,
                        "system": hit["system"],
                        "rid": hit["block"] + 1000 * hit_number,
                        "type": hit["kind"],
                        "segment": hit["segment"],
                        "score": np.clip(np.rint(score), 0, 100).astype(int),
                        "time": np.round(rng.gamma(4, 6, len(clean)), 1),
                    }
                )
            )
    judged = pd.concat(rows, ignore_index=True)
    source, target = pair.split("-")
    judged["Input.src"], judged["Input.trg"], judged["Input.item"] = source, target, "ad"
    judged["sid"] = judged["segment"] + 1
    judged["sys_id"] = np.array(names, dtype=object)[judged["system"]]
    twin = (n - 4, n - 3)  # two systems that gave the same output share the judgment
    joint = (
        judged["system"].isin(twin)
        & same[judged["segment"]]
        & judged["type"].isin(["SYSTEM", "REPEAT"])
    )
    latest = judged.copy()
    latest.loc[joint, "sys_id"] = "+".join(names[k] for k in twin)
    passed = judged[judged["WorkerId"] != f"worker{workers:02d}"]
    copies = []
    for system in twin:
        copy = passed[joint.loc[passed.index]].copy()
        copy["sys_id"] = names[system]
        copies.append(copy)
    good = pd.concat([passed[~joint.loc[passed.index]], *copies]).sort_index(kind="stable")
    where = pd.DataFrame(
        {"sid": np.arange(1, segments + 1), "document": [f"doc{d:02d}" for d in document_of]}
    )
    return Simulated(
        latest[COLUMNS].reset_index(drop=True), good[COLUMNS].reset_index(drop=True), where, truth
    )


def _hit(
    style: str, rng: np.random.Generator, systems: int, documents: int, document_of: np.ndarray
) -> dict[str, np.ndarray]:
    """One HIT: about 70 outputs, then REPEAT, REF and BAD_REF rows; columns as arrays."""
    if style == "SR-DC":
        system = np.resize(rng.permutation(systems), 70)
        segment = rng.choice(document_of.size, 70, replace=False)
        block = np.arange(70)
    else:
        parts: list[tuple[int, np.ndarray]] = []
        taken: set[tuple[int, int]] = set()
        while sum(len(s) for _, s in parts) < 62:
            pick = (int(rng.integers(systems)), int(rng.integers(documents)))
            if pick not in taken:
                taken.add(pick)
                parts.append((pick[0], np.flatnonzero(document_of == pick[1])))
        system = np.concatenate([np.full(len(s), k) for k, s in parts])
        segment = np.concatenate([s for _, s in parts])
        block = np.concatenate([np.full(len(s), k) for k, (_, s) in enumerate(parts)])
    columns = {"system": [system], "segment": [segment], "block": [block]}
    kinds = [np.full(len(system), "SYSTEM", dtype=object)]
    for kind in ("REPEAT", "REF", "BAD_REF"):
        if style == "SR-DC":
            chosen = rng.choice(len(system), 10, replace=False)
        else:  # quality control comes as documents, too
            chosen = np.flatnonzero(block == rng.choice(block))
        for name, values in (("system", system), ("segment", segment), ("block", block)):
            columns[name].append(values[chosen])
        columns["block"][-1] = columns["block"][-1] + 100 * len(kinds)
        kinds.append(np.full(len(chosen), kind, dtype=object))
    out = {name: np.concatenate(values) for name, values in columns.items()}
    return out | {"kind": np.concatenate(kinds)}


def _gzip(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as packed:
        packed.write(frame.to_csv(sep="\t", index=False, na_rep="NA", lineterminator="\n").encode())
    return buffer.getvalue()


def main() -> None:
    """Write both demo campaigns to ``data/demo/``; the same bytes each time."""
    for name, (style, pairs) in DEMOS.items():
        folder = demo_folder() / name
        drawn = {
            pair: simulate_da(style, np.random.default_rng(seed), pair=pair)
            for pair, seed in pairs.items()
        }
        for file, part in (("ad-latest", "latest"), ("ad-good-raw-redup", "good")):
            frame = pd.concat([getattr(s, part) for s in drawn.values()])
            (folder / f"{file}.csv.gz").write_bytes(_gzip(frame))
        for pair, simulated in drawn.items():
            text = simulated.documents.to_csv(sep="\t", index=False, lineterminator="\n")
            (folder / f"documents-{pair}.tsv").write_bytes(text.encode())
            truth = simulated.truth.sort_values(ascending=False).round(3)
            text = (
                truth.rename_axis("system").reset_index().to_csv(index=False, lineterminator="\n")
            )
            (folder / f"truth-{pair}.csv").write_bytes(text.encode())


if __name__ == "__main__":
    main()
