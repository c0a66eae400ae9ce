"""Notebook 05 through the runner on the demo campaign: numbers in the files."""

import gzip
import re
import shutil

import numpy as np
import pandas as pd

from companion.legacy.rankcompanion.running import run
from companion.legacy.rankstability import paths


def test_documents_and_variances_on_the_demo(tmp_path):
    """On half the workers of one of its pairs, as a campaign of one's own."""
    mine, demo = tmp_path / "mine", paths.DEMO / "demo-srpdc"
    mine.mkdir()
    shutil.copy(demo / "documents-de-en.tsv", mine)
    for file in demo.glob("ad-*.csv.gz"):
        header, *rows = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
        kept = [row for row in rows if re.search(rb"worker\d[02468]\tde\ten\t", row)]
        (mine / file.stem).write_bytes(b"".join([header, *kept]))
    given = {"campaign": str(mine), "output_dir": str(tmp_path)}
    run.execute("05_document_difficulty", given, quiet=True)
    components = pd.read_csv(tmp_path / "components.csv")
    totals = components.groupby(["pair", "score"])["share"].sum()
    assert len(totals) == 2
    assert np.allclose(totals, 1)
    sd = components[components["score"] == "raw"].set_index(["pair", "component"])["sd"]
    assert 4 < sd["de-en", "document"] < 12  # the demo's documents and workers: 8 and 9 points
    assert 5 < sd["de-en", "worker"] < 15
    cells = pd.read_csv(tmp_path / "de-en" / "documents_raw.csv", index_col=0)
    assert cells.shape == (30, 10)
    judged = pd.read_csv(tmp_path / "summary.csv").set_index("pair").loc["de-en", "judged"]
    assert np.isclose(cells.notna().to_numpy().mean(), judged)
    luck = pd.read_csv(tmp_path / "de-en" / "luck.csv")
    assert abs(luck["luck_raw"].mean()) < 1e-8
    assert luck.loc[luck["human"] == 1, "system"].tolist() == ["HUMAN.0"]
    assert (luck["luck_low"] < luck["luck_high"]).all()
