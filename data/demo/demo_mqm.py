"""A synthetic MQM campaign with known truth: ``python data/demo/demo_mqm.py`` writes the demo.

Errors per segment are Poisson with the mean

    1.3 * exp(system + document + (system, document) + rater harshness
              + rater's taste for a system's style),

each part drawn once from a normal distribution; their severity is the rater's own leaning. Six
raters in six buckets of three rate everything three times, as in the real releases; one system is
there twice, as in WMT23 en-de. The file has control rows, source issues and segments without
error, so that a reader of the real files reads it too.
"""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rankstability.io.paths import demo_folder, shorten

FILE = "mqm_demo_ende.3ratingsPerSegment.tsv"
SEED = 20240617
SYSTEMS = ("Alder", "Bay", "Chestnut", "Dogwood", "Elder", "Ginkgo", "Holly")
TWICE = ("Ginkgo_with_Alder", "Ginkgo_with_refA")
KINDS = (  # category, share among errors
    ("Accuracy/Mistranslation", 0.3),
    ("Accuracy/Omission", 0.06),
    ("Accuracy/Creative Reinterpretation", 0.03),
    ("Fluency/Grammar", 0.12),
    ("Fluency/Punctuation", 0.2),
    ("Style/Unnatural or awkward", 0.2),
    ("Terminology/Inappropriate for context", 0.05),
    ("Source issue", 0.04),
)


@dataclass(frozen=True)
class Simulated:
    """A simulated campaign.

    Attributes
    ----------
    rows : DataFrame
        The released form: system, doc, docSegId, globalSegId, rater, source, target, category,
        severity, metadata.
    truth : Series
        Each system's quality: the log of its error rate, lower is better.
    """

    rows: pd.DataFrame
    truth: pd.Series


def simulate_mqm(
    rng: np.random.Generator,
    *,
    documents: int = 30,
    raters: int = 6,
    buckets: int = 6,
    system_spread: float = 0.4,
    document_spread: float = 0.35,
    interaction: float = 0.15,
    harshness: float = 0.6,
    taste: float = 0.08,
) -> Simulated:
    """Draw one language pair of an MQM campaign.

    Parameters
    ----------
    documents : int
        Of one to four segments each, spread evenly over the buckets.
    raters, buckets : int
        Bucket b is rated by raters b, b + 1 and b + 2 (in a circle).
    system_spread, document_spread, interaction, harshness, taste : float
        Standard deviations on the log scale of the error rate.
    """
    names = [*SYSTEMS[:5], *TWICE, SYSTEMS[6]]
    quality = np.sort(rng.normal(0, system_spread, len(SYSTEMS)))
    of = np.array([0, 1, 2, 3, 4, 5, 5, 6])  # both of TWICE are one system
    ease = rng.normal(0, document_spread, documents)
    fit = rng.normal(0, interaction, (len(SYSTEMS), documents))
    harsh = rng.normal(0, harshness, raters)
    likes = rng.normal(0, taste, (raters, len(SYSTEMS)))
    major = np.clip(rng.normal(0.3, 0.08, raters), 0.05, 0.7)
    lengths = rng.integers(1, 5, documents)
    texts = rng.normal(0, 0.15, (len(SYSTEMS), int(lengths.sum())))
    shares = np.array([share for _, share in KINDS]) / sum(share for _, share in KINDS)
    rows = []
    overall = 0
    for d in range(documents):
        document = f"demo-{d + 1:02d}:en-de"
        who = [(d * buckets // documents + k) % raters for k in range(3)]
        for within in range(1, lengths[d] + 1):
            overall += 1
            source = f"Source segment {overall}."
            for name, s in zip(names, of, strict=True):
                target = f"Segment {overall}, {SYSTEMS[s]}."
                for r in who:
                    base = (name, document, within, overall, f"rater{r + 1}", source)
                    mean = 1.3 * np.exp(
                        quality[s]
                        + ease[d]
                        + fit[s, d]
                        + texts[s, overall - 1]
                        + harsh[r]
                        + likes[r, s]
                    )
                    for kind in rng.choice(len(KINDS), size=rng.poisson(mean), p=shares):
                        category = KINDS[kind][0]
                        p = major[r] * (0.05 if category == "Fluency/Punctuation" else 1)
                        severity = "Major" if rng.random() < p else "Minor"
                        marked = target.replace(" ", " <v>", 1).replace(".", "</v>.")
                        rows.append((*base, marked, category, severity))
                    if not rows or rows[-1][:5] != base[:5]:
                        rows.append((*base, target, "No-error", "No-error"))
                    if rng.random() < 0.02:
                        found = "Found" if rng.random() < 0.9 else "Missed"
                        rows.append((*base, target, found, "HOTW-test"))
    frame = pd.DataFrame(
        rows,
        columns=[
            "system",
            "doc",
            "docSegId",
            "globalSegId",
            "rater",
            "source",
            "target",
            "category",
            "severity",
        ],
    )
    frame["metadata"] = [json.dumps({"simulated": True})] * len(frame)
    return Simulated(frame, pd.Series(quality[of], index=names, name="truth"))


def main() -> None:
    """Write ``data/demo/demo-mqm/``."""
    frame = simulate_mqm(np.random.default_rng(SEED)).rows
    lines = ["\t".join(frame.columns)]
    lines += ["\t".join(map(str, row)) for row in frame.itertuples(index=False)]
    path = demo_folder() / "demo-mqm" / FILE
    path.write_bytes(("\n".join(lines) + "\n").encode())
    print(f"{shorten(path)}: {len(frame)} rows, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
