"""Notebook 09 on the demo campaign, by the route users take."""

import numpy as np
import pandas as pd

from companion.legacy.paperkit import parameters
from companion.legacy.rankcompanion.running import run


def test_numbers(tmp_path):
    few = {"advice_systems": "6,10", "jobs": 1}
    given = {"campaign": "demo-rr", "output_dir": str(tmp_path), **few}
    folder = run.execute(parameters.resolve("09"), given, quiet=True)
    fits = pd.read_csv(folder / "spreads.csv")
    matched = fits[fits["reading"] == "as matched"]
    assert matched["share"].between(0.05, 1).all() and matched["spread"].between(2, 40).all()
    errors = pd.read_csv(folder / "ranking_errors.csv")
    mean = errors.groupby(["spread", "ranker"])["error"].mean().unstack()
    assert (mean["LOPEZ"] > mean["BOJAR"]).all() and mean["BOJAR"].is_monotonic_increasing
    quality = pd.read_csv(folder / "range_quality.csv")
    size = quality[quality["spread"] == 10].groupby(["method", "setting"])["size"].mean()
    assert size["pairwise"].min() > size["bootstrap"].max()
    table = pd.read_csv(folder / "table4.csv")
    best = table[(table["sigma2_is"] == "standard deviation") & (table["sides"] == 1)]
    assert np.exp(np.log(best["ratio"]).abs().mean()) < 1.1 and len(table) == 240

    advice = pd.read_csv(folder / "advice.csv")
    assert (advice["fewer"] < advice["judgments"]).all()
    assert not (advice["more"] <= advice["judgments"]).any()
    by_share = advice.pivot(index=["systems", "spread"], columns="share", values="judgments")
    assert (by_share.diff(axis=1).iloc[:, 1:] > 0).all(axis=None)
    assert pd.read_csv(folder / "claims.csv").empty  # the paper says nothing of the demo
