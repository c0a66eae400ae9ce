"""Notebook 11 through the runner: a campaign of one study, and the two test sets of WMT20-IKU."""

import pandas as pd

from conftest import needs
from companion.legacy.paperkit import parameters
from companion.legacy.rankcompanion.running import run


def executed(folder, campaign, resamples):
    given = {"campaign": campaign, "output_dir": str(folder), "resamples": resamples}
    return run.execute(parameters.resolve("11"), given, quiet=True)


def test_a_campaign_of_one_study_gets_halves_of_its_documents(tmp_path):
    folder = executed(tmp_path, "demo-srpdc", 50)
    halves = pd.read_csv(folder / "halves.csv")
    assert halves["pair"].is_unique and (halves["low"] <= halves["tau"]).all()
    assert (halves["tau"] <= halves["high"]).all() and halves["tau"].between(-1, 1).all()
    assert pd.read_csv(folder / "sets.csv").empty
    assert (folder / "agreement.png").stat().st_size > 1000


@needs("wmt20-iku")
def test_test_sets_are_compared_and_the_published_rankings_come_out(tmp_path):
    folder = executed(tmp_path, "wmt20-iku", 200)
    sets = pd.read_csv(folder / "sets.csv")
    assert sets["domain"].tolist() == ["Hansard", "News"] and (sets["p_holm"] < 0.05).all()
    claims = pd.read_csv(folder / "claims.csv")
    assert len(claims) == 98 and set(claims["status"]) == {"exact"}
    rankings = pd.read_csv(folder / "en-iu" / "rankings.csv")
    first = rankings.query("rank == 1").set_index("test_set")["system"]
    assert first.to_dict() == {"Hansard": "SRPOL.383", "News": "Human-A.0"}
