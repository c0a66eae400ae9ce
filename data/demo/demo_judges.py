"""The campaign ``demo-judges``: people's scores, and judge models that save known shares.

``python data/demo/demo_judges.py`` writes ``demo-judges/`` again, the same bytes each time. What
people and judges share beyond the systems' quality is how each document suits each system: a judge
that knows it would save judgments, one that only knows the order of the systems would not.
"""

import numpy as np
import pandas as pd

from rankstability.io.paths import demo_folder

SEED = 20260932
QUALITY = {"Alder": 76, "Birch": 72, "Cedar": 69, "Elm": 66, "Fir": 64, "Hazel": 58, "Larch": 52}
DOCUMENTS, SEGMENTS, ANNOTATORS = 60, 2, 10
SUITS, TASTE, SLIP = 6.0, 2.0, 6.0  # standard deviations: document x system, annotator x system
OF_PEOPLE = SUITS**2 + TASTE**2 + SLIP**2 / SEGMENTS  # variance of people's mean of a document
R = {"knows-much": 0.7, "knows-some": 0.4, "knows-the-order": 0.0, "knows-nothing": 0.0}
FOLDER = demo_folder() / "demo-judges"


def truth() -> pd.DataFrame:
    """Return the share of human judgments that each judge model saves by design."""
    documents = OF_PEOPLE / DOCUMENTS
    annotators = TASTE**2 / ANNOTATORS + (OF_PEOPLE - TASTE**2) / DOCUMENTS
    share = documents / max(annotators, documents)  # each document has one annotator
    rows = [[name, r, share, r**2 * share] for name, r in R.items()]
    return pd.DataFrame(rows, columns=["judge_model", "r", "document_share", "judgments_saved"])


def simulate_judges() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return human scores (system, document, segment, annotator, score), and a column a judge."""
    rng = np.random.default_rng(SEED)
    quality = np.array(list(QUALITY.values()), float)
    shape = DOCUMENTS, len(quality)
    ease = rng.normal(0, 5, DOCUMENTS)
    suits = rng.normal(0, SUITS, shape)
    taste = rng.normal(0, TASTE, (ANNOTATORS, len(quality)))
    judged = _judges(rng, quality, ease[:, None] + suits)
    people, judges = [], []
    for d in range(DOCUMENTS):
        who = d % ANNOTATORS
        expected = quality + ease[d] + suits[d] + taste[who]
        for n in range(SEGMENTS):
            segment = SEGMENTS * d + n + 1
            scores = np.clip(np.round(expected + rng.normal(0, SLIP, len(quality))), 0, 100)
            for s, system in enumerate(QUALITY):
                place = (system, f"text-{d + 1:02d}", segment)
                people.append((*place, f"annotator-{who + 1:02d}", int(scores[s])))
                judges.append((*place, *(f"{of[d, s]:.1f}" for of in judged.values())))
    names = ["system", "document", "segment"]
    ratings = pd.DataFrame(people, columns=[*names, "annotator", "score"])
    return ratings, pd.DataFrame(judges, columns=[*names, *judged])


def _judges(
    rng: np.random.Generator, quality: np.ndarray, suited: np.ndarray
) -> dict[str, np.ndarray]:
    """Return each judge's score of each document and system, with the correlations of `R`."""
    out = {}
    for name, r in R.items():
        noise = np.sqrt(SUITS**4 / (r**2 * OF_PEOPLE) - SUITS**2) if r else 8.0
        knows = suited if r else 0.0
        ranked = 0.0 if name == "knows-nothing" else quality
        out[name] = ranked + knows + rng.normal(0, noise, suited.shape)
    return out


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    ratings, judges = simulate_judges()
    for name, frame, sign in (
        ("ratings-en-de.csv", ratings, ","),
        ("judges-en-de.tsv", judges, "\t"),
        ("truth-en-de.csv", truth().round(6), ","),
    ):
        frame.to_csv(FOLDER / name, index=False, sep=sign, lineterminator="\n")
