"""MQM scores: error weights, sums per system, document and rater."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..errors import DataError
from ..kinds import ERRORS, check_kind

# Weight tables by name: (severity, category or "" for any, weight); the first row that fits counts.
_SOURCE = ("", "Source issue", 0.0)
_NO_TRANSLATION = ("Major", "Non-translation", 25.0)
_FREITAG = (
    _SOURCE,
    ("No-error", "", 0.0),
    ("Neutral", "", 0.0),
    _NO_TRANSLATION,
    ("Major", "", 5.0),
    ("Minor", "Fluency/Punctuation", 0.1),
    ("Minor", "", 1.0),
)
_LIGHT = (
    "Punctuation",
    "Character encoding",
    "Register",
    "Spelling",
    "Grammar",
)
WEIGHTS: dict[str, tuple[tuple[str, str, float], ...]] = {
    "freitag2021": _FREITAG,
    "marot2023": (("", "Accuracy/Creative Reinterpretation", 0.0), *_FREITAG),
    "major1": (_SOURCE, _NO_TRANSLATION, ("Major", "", 1.0), *_FREITAG),
    "major10": (_SOURCE, _NO_TRANSLATION, ("Major", "", 10.0), *_FREITAG),
    "critical25": (*_FREITAG, ("Critical", "", 25.0)),
    "with_source": tuple(row for row in _FREITAG if row != _SOURCE),
    "zouhar2024": (
        ("No-error", "", 0.0),
        ("Neutral", "", 0.0),
        *(("Minor", f"Linguistic conventions/{kind}", 0.1) for kind in _LIGHT),
        ("Minor", "Style/Non fluent", 0.1),
        ("Minor", "", 1.0),
        ("", "Accuracy/Untranslated", 25.0),
        ("", "", 5.0),  # Major and Critical
    ),
}
"""``freitag2021`` is the table of Freitag et al. 2021 (and Riley et al. 2024). ``marot2023`` also
gives 0 to creative reinterpretation, as the scores embedded in the 2023 release do. ``major1`` and
``major10`` are the ends of the range that Freitag et al. tried; ``critical25`` also knows the
severity Critical of some later releases. ``with_source`` counts errors of the source like others.
``zouhar2024`` has the categories of bio-MQM with its authors' weights.
"""
NORMALISATIONS = ("none", "mean", "error", "z")


def weigh(
    judgments: pd.DataFrame, weights: str | pd.DataFrame = "freitag2021"
) -> np.ndarray:
    """The weight of each row of `judgments` (from `mqm.read_mqm`), higher is worse.

    Judgments with a table of their own (bio-MQM, or by ``weights`` in ``campaign.yaml``) use it
    instead of ``freitag2021``. Raises DataError for an unknown table, or a severity and category
    without a weight in it.
    """
    if isinstance(weights, str) and weights == "freitag2021":
        weights = judgments.attrs.get("weights", weights)
    table = weights
    if isinstance(table, str):
        if table not in WEIGHTS:
            raise DataError(
                "unknown weight table",
                value=table,
                expected=", ".join(WEIGHTS),
            )
        table = pd.DataFrame(
            WEIGHTS[table], columns=["severity", "category", "weight"]
        )
    kinds = judgments[["severity", "category"]].astype(str)
    codes, known = pd.factorize(pd.MultiIndex.from_frame(kinds))
    weight_of = np.zeros(len(known))
    for code, (severity, category) in enumerate(known):
        fits = table["severity"].isin(["", severity]) & table["category"].isin(
            ["", category]
        )
        if not fits.any():
            rows = (codes == code).sum()
            expected = f"a weight table that has it ({', '.join(WEIGHTS)}), named by `weights: "
            expected += "critical25` in a campaign.yaml beside the files"
            raise DataError(
                f"no weight for {severity} {category} ({rows} rows)",
                column="severity",
                value=severity,
                expected=expected,
            )
        weight_of[code] = table.loc[fits, "weight"].iloc[0]
    return weight_of[codes]


def mqm_scores(
    judgments: pd.DataFrame, weights: str | pd.DataFrame = "freitag2021"
) -> pd.DataFrame:
    """MQM score of each segment in each rating: the sum of its errors' weights; 0 is perfect.

    Columns system, document, segment, rater, score, errors (how many have a weight above 0).

    Parameters
    ----------
    judgments : DataFrame
        Marked errors: system, document, segment, rater, category, severity.
    weights : str or DataFrame
        A name of `WEIGHTS`, or a table with the columns severity, category (``""``: any), weight,
        of which the first row that fits counts.

    Raises
    ------
    DataError
        For a severity and category without a weight in the table.

    Examples
    --------
    >>> from companion.legacy.rankstability import load, mqm_scores
    >>> scores = mqm_scores(load("demo-mqm", "en-de"))
    >>> scores.groupby("system")["score"].mean().idxmin()
    'Alder'
    """
    check_kind(judgments, ERRORS)
    weight = weigh(judgments, weights)
    keys = ["system", "document", "segment", "rater"]
    frame = judgments[keys].astype(
        {"system": str, "document": str, "rater": str}
    )
    frame = frame.assign(score=weight, errors=(weight > 0).astype(int))
    return frame.groupby(keys, as_index=False, sort=True)[
        ["score", "errors"]
    ].sum()


@dataclass(frozen=True)
class Ratings:
    """All ratings of one language pair as sums, which suffice for every affine normalisation.

    S systems, D documents, K ratings per item by the K raters of the document's bucket. `segments`,
    (D,), are counted per document; `slots`, (D, K), are the raters (positions in `raters`, sorted)
    of each document; `score`, `square` and `errors`, (S, D, K), are per item and rater: the sum of
    segment scores, of their squares, and the error count. `excluded`: what could not be used and
    why, with the number of documents concerned.
    """

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    raters: tuple[str, ...]
    segments: np.ndarray
    slots: np.ndarray
    score: np.ndarray
    square: np.ndarray
    errors: np.ndarray
    excluded: dict[str, int]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Systems, documents, ratings per item."""
        return self.score.shape

    @property
    def buckets(self) -> list[np.ndarray]:
        """The positions of the documents of each bucket (documents with the same raters)."""
        codes = np.unique(self.slots, axis=0, return_inverse=True)[1].ravel()
        return [np.flatnonzero(codes == b) for b in range(codes.max() + 1)]

    def without(self, *systems: str) -> Ratings:
        """The ratings without these systems."""
        keep = [i for i, s in enumerate(self.systems) if s not in systems]
        parts = {
            name: getattr(self, name)[keep]
            for name in ("score", "square", "errors")
        }
        return replace(
            self, systems=tuple(self.systems[i] for i in keep), **parts
        )


def ratings(
    judgments: pd.DataFrame, weights: str | pd.DataFrame = "freitag2021"
) -> Ratings:
    """Collect judgments into `Ratings`.

    Systems with at least half of the documents are kept, then documents of which every segment of
    every kept system was rated by the same raters, as many as most documents have.
    `Ratings.excluded` names the systems left out. Raises DataError if no document is complete.
    """
    scores, excluded = _complete(mqm_scores(judgments, weights))
    s, systems = pd.factorize(scores["system"], sort=True)
    d, documents = pd.factorize(scores["document"], sort=True)
    raters = tuple(sorted(scores["rater"].unique(), key=_natural))
    of_document = scores.groupby("document")
    code = {r: i for i, r in enumerate(raters)}
    slots = np.array(
        [sorted(code[r] for r in g.unique()) for _, g in of_document["rater"]]
    )
    r = scores["rater"].map(code).to_numpy()
    k = (slots[d] == r[:, None]).argmax(axis=1)
    shape = (len(systems), *slots.shape)
    cell = np.ravel_multi_index((s, d, k), shape)
    x = scores["score"].to_numpy()

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(
            cell, values, minlength=int(np.prod(shape))
        ).reshape(shape)

    return Ratings(
        systems=tuple(systems),
        documents=tuple(documents),
        raters=raters,
        segments=of_document["segment"].nunique().to_numpy(),
        slots=slots,
        score=total(x),
        square=total(x**2),
        errors=total(scores["errors"].to_numpy(dtype=float)),
        excluded=excluded,
    )


def _complete(scores: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
    """The ratings of systems and documents that `ratings` keeps, and what was left out."""
    excluded: dict[str, int] = {}
    total = scores["document"].nunique()
    documents_of = scores.groupby("system")["document"].nunique()
    few = documents_of[documents_of / total < 0.5]
    for name, number in few.items():
        excluded[f"system {name} (under 50\u00a0% of documents)"] = int(number)
    scores = scores[~scores["system"].isin(few.index)]
    of_document = scores.groupby("document")
    raters = of_document["rater"].nunique()
    segments = of_document["segment"].nunique()
    depth = int(raters.mode().iloc[0])
    rated_whole = (
        of_document.size() == raters * segments * scores["system"].nunique()
    )
    if not rated_whole.all():
        excluded["documents not rated whole for every system"] = int(
            (~rated_whole).sum()
        )
    uneven = rated_whole & (raters != depth)
    if uneven.any():
        excluded[f"documents without exactly {depth} raters"] = int(
            uneven.sum()
        )
    good = rated_whole & ~uneven
    if not good.any():
        raise DataError(
            "no document was rated in full for every system by the same raters",
            value=f"{len(good)} documents, {scores['system'].nunique()} systems",
            expected="documents whose raters each rated all segments of all systems",
        )
    return scores[scores["document"].isin(good.index[good])], excluded


def _natural(name: str) -> tuple[str, int, str]:
    head = name.rstrip("0123456789")
    return (head, int(name[len(head) :] or -1), name)


def rater_scaling(
    how: str,
    count: np.ndarray,
    total: np.ndarray,
    square: np.ndarray,
    errors: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The rater's affine map ``a·score + b`` of a normalisation (Riley et al. 2024, section 6.1.3).

    `how` is ``none``; ``mean``: every rater gets the study's mean; ``error``: the same, then
    multiplied by a value proportional to the rater's total number of errors, so that the study's
    mean is kept; ``z``: standardised by rater (ddof = 1). Raters whose mean is 0 stay at 0 under
    ``mean`` and ``error``; those whose scores do not vary are only centred under ``z``; those
    without ratings get 1, 0. Per rater in the study, (..., R): the `count` of rated segments, and
    sums of scores (`total`), of squared scores (`square`) and of `errors`. Raises DataError for any
    other `how`.
    """
    zero = np.zeros_like(total, dtype=float)
    if how == "none":
        return np.ones_like(zero), zero
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(count > 0, total / count, 0.0)
        if how == "z":
            variance = (square - count * mean**2) / (count - 1)
            flat = ~(
                variance
                > 1e-9 * np.maximum(square / np.maximum(count, 1), 1e-300)
            )
            a = np.where(flat | (count < 2), 1.0, 1 / np.sqrt(variance))
            return a, -a * mean
        if how in ("mean", "error"):
            overall = total.sum(axis=-1, keepdims=True) / count.sum(
                axis=-1, keepdims=True
            )
            a = np.where(mean > 0, overall / mean, 1.0)
            if how == "mean":
                return a, zero
            live = np.where(mean > 0, count * errors, 0.0)
            scale = count.sum(axis=-1, keepdims=True) / live.sum(
                axis=-1, keepdims=True
            )
            return np.where(mean > 0, a * scale * errors, 1.0), zero
    raise DataError(
        "unknown normalisation", value=how, expected=", ".join(NORMALISATIONS)
    )
