"""Notebook 04 through the runner on the demo campaign: numbers in the files."""

import numpy as np
import pandas as pd

from companion.legacy.rankcompanion.running import run


def test_company_on_the_demo(tmp_path):
    run.execute("04_cooccurrence", {"output_dir": str(tmp_path), "pair": "de-en"}, quiet=True)
    here = tmp_path / "de-en"
    pairs = pd.read_csv(here / "cooccurrence.csv")
    counts = pairs.pivot(index="system", columns="other", values="together")
    assert (counts.to_numpy() == counts.to_numpy().T).all()
    assert (np.diag(counts) >= counts.to_numpy().max(axis=1)).all()
    assert set(pairs["unit"]) == {"hit"}
    balance = pd.read_csv(here / "balance.csv").iloc[0]
    assert balance["complete"] == 0  # documents with context: no HIT holds all ten systems
    assert balance["units"] == 48
    company = pd.read_csv(here / "company.csv")
    assert np.allclose(company["mean_z"], company["company_z"] + company["z_without"], atol=1e-8)
    share = company["company_z"].std() / company["mean_z"].std()
    assert np.isclose(balance["explained"], share)


def test_without_document_context_company_is_even(tmp_path):
    values = {"output_dir": str(tmp_path), "campaign": "demo-srdc"}
    run.execute("04_cooccurrence", values, quiet=True)
    balance = pd.read_csv(tmp_path / "balance.csv")
    assert (balance["complete"] == 1).all()
    assert (balance["explained"] < 0.03).all()
    assert len(pd.read_csv(tmp_path / "claims.csv")) == 0  # the paper says nothing of the demo
