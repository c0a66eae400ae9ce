"""Infer who rated what in the WMT22 MQM scores that were released by column.

The repository SapienzaNLP/human-parity-mt-eval holds, for each system and each of three columns,
the MQM score of every line of the test set, or nothing. It does not say which rater gave a score,
nor which documents belong to one bucket (the documents of the same three raters). This script joins
the scores with the test set and infers both from the design that Riley et al. (2024) describe.

English-Chinese has two buckets: documents were assigned in turn, in the order of the test set.
English-German has seven buckets and seven raters: bucket k was rated by the raters k, k + 1 and
k + 2 (modulo 7). Documents were sorted by the number of rated lines (the longest first), then by
domain and name, and dealt to the buckets in turn. Two buckets have two raters in one column, so
exactly their documents are absent. For documents of six lines or fewer, the dealing starts again for
each length and domain, and jumps twice; their buckets are the most likely ones (see `fit_short_documents`).

Usage: python data/convert/wmt22_mqm.py FOLDER, where `rankstability data wmt22-mqm` has put the
files; it writes mqm-XX-YY.csv.gz and documents-XX-YY.tsv there.
"""

import gzip
import pickle
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

COLUMNS = (1, 2, 3)
RATED_LINES = {"en-de": 10, "en-zh": None}  # of each document
BUCKETS = {"en-de": 7, "en-zh": 2}
ABSENT = (2, 7)  # buckets of en-de with two raters in one column
COLUMN_RATERS = {1: {2, 4, 7}, 2: {3, 6}, 3: {1, 5}}  # of en-de
SHORT = 6  # rated lines
JUMP = 30.0  # nats: how much likelier a jump must make the scores
END_OF_NAME = "_"  # longer names come first, as if every name ended in this character
CLASSES = np.array([0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 10.0])  # bounds of penalties, for profiles
SMOOTHING = 0.5
TEST_SET = "wmttest2022.en-zh.all.xml"
SOURCE_LINES = "generaltest2022.en-de.src.en"


class PlainUnpickler(pickle.Unpickler):
    """Read lists, dictionaries, numbers and text; refuse everything that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"the file names {module}.{name}; only plain data are read")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("the file refers to other objects; only plain data are read")


def read_plain_pickle(path: Path) -> dict[str, list[float]]:
    """Return the scores of each system; missing scores are NaN."""
    with path.open("rb") as stream:
        content = PlainUnpickler(stream).load()
    if not isinstance(content, dict) or not content:
        raise ValueError(f"{path}: not a dictionary of systems")
    scores = {}
    for system, values in content.items():
        numbers = isinstance(values, list | tuple) and all(
            value is None or (isinstance(value, int | float) and not isinstance(value, bool))
            for value in values
        )
        if not isinstance(system, str) or not numbers:
            raise ValueError(f"{path}: system {system!r} has no list of numbers")
        scores[system] = [np.nan if value is None else float(value) for value in values]
    return scores


def read_test_set(path: Path) -> list[dict[str, Any]]:
    """Return the documents of the test set in its order: document, domain, lines of the source."""
    documents = []
    for element in ElementTree.parse(path).getroot().iter("doc"):
        source = element.find("src")
        lines = [segment.text or "" for segment in source.iter("seg")] if source is not None else []
        about = {"document": element.get("id"), "domain": element.get("domain"), "text": lines}
        documents.append(about)
    return documents


def place_documents(documents: list[dict[str, Any]], lines: list[str]) -> list[dict[str, Any]]:
    """Return the documents in the order of another file with the same source lines."""
    wanted = [line.strip() for line in lines]
    left = {document["document"]: document for document in documents}
    placed = []
    first = 0
    while first < len(wanted):
        fits = [
            each
            for each in left.values()
            if [line.strip() for line in each["text"]] == wanted[first : first + len(each["text"])]
        ]
        if not fits:
            raise ValueError(f"line {first + 1} of {SOURCE_LINES} begins no document")
        longest = max(fits, key=lambda each: len(each["text"]))
        placed.append(left.pop(longest["document"]))
        first += len(longest["text"])
    return placed


def tabulate_documents(documents: list[dict[str, Any]], rated: int | None) -> pd.DataFrame:
    """Return document, domain, first_line, lines and rated_lines, in the order of the test set."""
    lines = [len(each["text"]) for each in documents]
    table = pd.DataFrame(documents)[["document", "domain"]]
    table["first_line"] = np.cumsum([0, *lines[:-1]])
    table["lines"] = lines
    table["rated_lines"] = table["lines"] if rated is None else table["lines"].clip(upper=rated)
    return table


def tabulate_scores(
    columns: dict[int, dict[str, list[float]]], documents: pd.DataFrame
) -> pd.DataFrame:
    """Return system, document, segment (line of the test set, from 0), column and score."""
    document = np.repeat(documents["document"].to_numpy(), documents["lines"])
    parts = []
    for column, systems in columns.items():
        for system, scores in systems.items():
            if len(scores) != len(document):
                raise ValueError(f"{system}: {len(scores)} scores for {len(document)} lines")
            part = {"system": system, "document": document, "segment": np.arange(len(document))}
            parts.append(pd.DataFrame({**part, "column": column, "score": scores}))
    rows = pd.concat(parts, ignore_index=True).dropna(subset="score")
    return rows.sort_values(["system", "segment", "column"], ignore_index=True)


def infer(pair: str, scores: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """Return the bucket (1, 2, ...) of each document, by name."""
    if pair == "en-zh":
        place = np.arange(len(documents))
        return pd.Series(place % BUCKETS[pair] + 1, documents["document"])
    here = set(scores["document"])
    dealt = deal(documents)
    profiles = count_classes(scores)
    return fit_short_documents(dealt, profiles, here).set_index("document")["bucket"]


def deal(documents: pd.DataFrame) -> pd.DataFrame:
    """Sort the documents of en-de and deal them to the buckets in turn."""
    key = documents["document"] + END_OF_NAME
    order = documents.assign(key=key).sort_values(
        ["rated_lines", "domain", "key"], ascending=[False, True, True], ignore_index=True
    )
    order["bucket"] = order.index % BUCKETS["en-de"] + 1
    return order.drop(columns="key")


def count_classes(scores: pd.DataFrame) -> pd.DataFrame:
    """Count the scores of each document and column in classes of penalties."""
    classes = np.searchsorted(CLASSES, -scores["score"].round(6), side="left")
    return pd.crosstab([scores["document"], scores["column"]], classes)


def fit_short_documents(dealt: pd.DataFrame, counts: pd.DataFrame, here: set[str]) -> pd.DataFrame:
    """Replace the buckets of documents of at most `SHORT` rated lines by the likeliest ones.

    Within a length and domain, the next document goes to the next bucket, or the dealing jumps (at
    a cost of `JUMP`; any cost from 20 to 80 gives the same buckets). A document is absent if and only if its bucket is one of `ABSENT`. The likelihood of a
    document's scores in a bucket is that of the bucket's longer documents.
    """
    long = dealt[dealt["rated_lines"] > SHORT]
    bucket_of = long.set_index("document")["bucket"]
    known = counts[counts.index.get_level_values("document").isin(bucket_of.index)]
    bucket = known.index.get_level_values("document").map(bucket_of)
    column = known.index.get_level_values("column")
    profile = known.groupby([bucket, column]).sum() + SMOOTHING
    log_share = np.log(profile.div(profile.sum(axis=1), axis=0))
    log_share.index.names = ["bucket", "column"]
    fitted = dealt.copy()
    short = fitted[fitted["rated_lines"] <= SHORT]
    for _, part in short.groupby(["rated_lines", "domain"], sort=False):
        fit = [_fit_of(name, counts, log_share, name in here) for name in part["document"]]
        fitted.loc[part.index, "bucket"] = _likeliest_path(np.array(fit))
    return fitted


def _fit_of(name: str, counts: pd.DataFrame, log_share: pd.DataFrame, is_here: bool) -> np.ndarray:
    """Return the log likelihood of a document's scores in each bucket."""
    fit = np.full(BUCKETS["en-de"], -np.inf)
    for bucket in range(1, BUCKETS["en-de"] + 1):
        if is_here == (bucket in ABSENT):
            continue
        fit[bucket - 1] = 0.0
        if is_here:
            share = log_share.loc[bucket]
            mine = counts.loc[name].reindex(share.index, fill_value=0)
            fit[bucket - 1] = float((mine * share).to_numpy().sum())
    return fit


def _likeliest_path(fit: np.ndarray) -> np.ndarray:
    """Return the buckets of documents in order: each the next one, or after a jump (Viterbi)."""
    number, buckets = fit.shape
    step = np.full((buckets, buckets), -JUMP)
    step[np.arange(buckets), (np.arange(buckets) + 1) % buckets] = 0.0
    best = fit[0].copy()
    before = np.zeros((number, buckets), dtype=int)
    for place in range(1, number):
        total = best[:, None] + step
        before[place] = total.argmax(axis=0)
        best = total.max(axis=0) + fit[place]
    path = np.zeros(number, dtype=int)
    path[-1] = best.argmax()
    for place in range(number - 1, 0, -1):
        path[place - 1] = before[place, path[place]]
    return path + 1


def name_raters(pair: str, bucket: pd.Series, column: pd.Series) -> pd.Series:
    """Return the rater of each score (r1, r2, ...; the names are ours)."""
    if pair == "en-zh":
        number = (bucket - 1) * len(COLUMNS) + column
        return "r" + number.astype(str)
    rater_of = {}
    for each in range(1, BUCKETS[pair] + 1):
        raters = {(each - 1 + turn) % BUCKETS[pair] + 1 for turn in range(3)}
        for place, members in COLUMN_RATERS.items():
            both = raters & members
            if len(both) == 1:
                rater_of[each, place] = f"r{both.pop()}"
    keys = zip(bucket, column, strict=True)
    return pd.Series([rater_of[key] for key in keys], bucket.index)


def add_buckets_and_raters(
    pair: str, scores: pd.DataFrame, documents: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the scores and the documents with buckets, and the scores with raters."""
    bucket = infer(pair, scores, documents)
    rows = scores.copy()
    number = rows["document"].map(bucket)
    rows["rater"] = name_raters(pair, number, rows["column"])
    rows["bucket"] = "b" + number.astype(str)
    listed = documents.copy()
    listed["bucket"] = "b" + listed["document"].map(bucket).astype(str)
    listed["here"] = listed["document"].isin(rows["document"]).astype(int)
    order = ["system", "document", "segment", "bucket", "column", "rater", "score"]
    return rows[order], listed


def find_two_groups(counts: pd.DataFrame, steps: int = 200) -> pd.Series:
    """Divide documents into two groups by their scores alone (a mixture of two profiles).

    `counts` is from `count_classes`. The first column of the principal axis of the documents'
    shares starts the groups. This is the evidence for the buckets of English-Chinese.
    """
    wide = counts.unstack("column").fillna(0)
    share = np.log(wide + SMOOTHING).sub(np.log(wide + SMOOTHING).mean(axis=1), axis=0)
    centred = share - share.mean()
    axis = np.linalg.svd(centred.to_numpy(), full_matrices=False)[2][0]
    weight = (centred.to_numpy() @ axis > 0).astype(float)
    column = wide.columns.get_level_values("column").to_numpy()
    for _ in range(steps):
        fits = []
        for mine in (weight, 1 - weight):
            total = mine @ wide.to_numpy() + SMOOTHING
            for place in np.unique(column):
                total[column == place] /= total[column == place].sum()
            fits.append(wide.to_numpy() @ np.log(total) + np.log(mine.mean()))
        new = 1 / (1 + np.exp(np.clip(fits[1] - fits[0], -500, 500)))
        if np.allclose(new, weight):
            break
        weight = new
    return pd.Series((weight < 0.5).astype(int), wide.index)


def compare_profiles(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the Hellinger distance between the score profiles of all (bucket, column).

    Columns first, second, distance and same_rater. This is the evidence for the raters of
    English-German.
    """
    classes = np.searchsorted(CLASSES, -rows["score"].round(6), side="left")
    counts = pd.crosstab([rows["bucket"], rows["column"], rows["rater"]], classes)
    root = np.sqrt(counts.div(counts.sum(axis=1), axis=0)).to_numpy()
    names = [f"{bucket}, column {column}" for bucket, column, _ in counts.index]
    raters = counts.index.get_level_values("rater")
    first, second = np.triu_indices(len(names), 1)
    distance = np.sqrt(np.maximum(1 - (root[first] * root[second]).sum(axis=1), 0))
    return pd.DataFrame(
        {
            "first": [names[k] for k in first],
            "second": [names[k] for k in second],
            "distance": distance,
            "same_rater": raters[first] == raters[second],
        }
    )


def convert(folder: Path) -> list[Path]:
    """Write the tables of both pairs into the folder that holds the released files."""
    documents = read_test_set(folder / "source" / TEST_SET)
    source = (folder / "source" / SOURCE_LINES).read_text(encoding="utf-8").splitlines()
    ordered = {"en-zh": documents, "en-de": place_documents(documents, source)}
    written = []
    for pair, every in ordered.items():
        table = tabulate_documents(every, RATED_LINES[pair])
        files = {k: folder / "source" / pair / f"mqm-col{k}.pickle" for k in COLUMNS}
        scores = tabulate_scores({k: read_plain_pickle(file) for k, file in files.items()}, table)
        rows, listed = add_buckets_and_raters(pair, scores, table)
        rows["score"] = (rows["score"] + 0.0).map("{:g}".format)  # no minus zero
        content = rows.to_csv(index=False, lineterminator="\n").encode()
        target = folder / f"mqm-{pair}.csv.gz"
        target.write_bytes(gzip.compress(content, mtime=0))
        listed.to_csv(folder / f"documents-{pair}.tsv", sep="\t", index=False, lineterminator="\n")
        written += [target, folder / f"documents-{pair}.tsv"]
    return written


if __name__ == "__main__":
    for path in convert(Path(sys.argv[1])):
        print(f"wrote {path}")
