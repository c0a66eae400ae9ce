"""The demo campaign with judges: its files are what the generator makes."""

import demo_judges
import pandas as pd
import pytest


def test_the_files_are_those_of_the_generator():
    ratings, judges = demo_judges.made()
    folder = demo_judges.FOLDER
    kept = pd.read_csv(folder / "ratings-en-de.csv")
    pd.testing.assert_frame_equal(kept, ratings)
    there = pd.read_csv(folder / "judges-en-de.tsv", sep="\t")
    assert list(there) == list(judges) == ["system", "document", "segment", *demo_judges.R]
    for name in demo_judges.R:
        assert there[name].to_numpy() == pytest.approx(judges[name].astype(float).to_numpy())
    truth = pd.read_csv(folder / "truth-en-de.csv").set_index("judge")
    assert truth["worth"].to_dict() == pytest.approx(
        {name: r**2 * truth["vd_share"].iloc[0] for name, r in demo_judges.R.items()}, abs=1e-6
    )
