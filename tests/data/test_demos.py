"""The demonstration data: what their generators write again, and what they are made to show."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from rankstability.io.load import load
from rankstability.io.paths import demo_folder

DEMO = demo_folder()


def generator(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DEMO / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # for its dataclasses
    spec.loader.exec_module(module)
    return module


def written(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("name", "folders"),
    [
        ("demo_da", ["demo-srdc", "demo-srpdc"]),
        ("demo_mqm", ["demo-mqm"]),
        ("demo_rr", ["demo-rr"]),
    ],
)
def test_generators_write_the_same_bytes(
    name: str, folders: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = generator(name)
    for folder in folders:
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(module, "demo_folder", lambda: tmp_path)
    if name == "demo_rr":
        monkeypatch.setattr(module, "FILE", tmp_path / "demo-rr" / module.FILE.name)
    module.main()
    kept = {f"{f}/{file}": data for f in folders for file, data in written(DEMO / f).items()}
    assert written(tmp_path) == kept


@pytest.mark.parametrize("pair", ["de-en", "en-cs"])
@pytest.mark.parametrize("campaign", ["demo-srdc", "demo-srpdc"])
def test_a_demo_pair_holds_what_real_campaigns_hold(campaign: str, pair: str) -> None:
    judgments = load(campaign, pair)
    table, every = judgments.table, judgments.all_rows
    assert set(table["item_type"]) == {"SYSTEM", "REPEAT", "REF", "BAD_REF"}
    assert "HUMAN.0" in set(table["system"])
    assert (every.groupby("annotator", observed=True)["score"].std() == 0).any()
    assert every["system"].astype(str).str.contains("+", regex=False).any()
    assert not table["system"].astype(str).str.contains("+", regex=False).any()
    rejected = set(every["annotator"]) - set(table["annotator"])
    assert len(rejected) == 1  # failed quality control
    outputs = table[table["item_type"] == "SYSTEM"]
    held = outputs.groupby("hit", observed=True)["system"].nunique()
    assert held.min() >= 9 if campaign == "demo-srdc" else held.max() < 10


def test_other_seeds_draw_other_campaigns() -> None:
    module = generator("demo_da")
    first, second = (module.simulate_da("SR-DC", np.random.default_rng(seed)) for seed in (1, 2))
    assert not first.latest["score"].equals(second.latest["score"])
    with pytest.raises(ValueError, match=r"SR\+DC"):
        module.simulate_da("DC", np.random.default_rng(1))


def test_judge_models_are_those_of_the_generator() -> None:
    module = generator("demo_judges")
    ratings, judges = module.simulate_judges()
    folder = module.FOLDER
    pd.testing.assert_frame_equal(
        pd.read_csv(folder / "ratings-en-de.csv"), ratings, check_dtype=False
    )
    kept = pd.read_csv(folder / "judges-en-de.tsv", sep="\t")
    for name in module.R:
        assert kept[name].to_numpy() == pytest.approx(judges[name].astype(float).to_numpy())
    truth = pd.read_csv(folder / "truth-en-de.csv")
    pd.testing.assert_frame_equal(truth, module.truth().round(6), check_dtype=False)
    saved = truth.set_index("judge_model")["judgments_saved"]
    assert saved["knows-much"] == pytest.approx(0.49 * truth["document_share"].iloc[0], abs=1e-6)
    assert saved["knows-the-order"] == 0


@pytest.mark.parametrize(
    ("file", "module", "function"),
    [
        ("ratings.csv", "demo_long", "ratings"),
        ("leaderboard.csv", "demo_leaderboard", "leaderboard"),
    ],
)
def test_tables_are_those_of_their_generators(file: str, module: str, function: str) -> None:
    made = getattr(generator(module), function)()
    assert made.to_csv(index=False, lineterminator="\n").encode() == (DEMO / file).read_bytes()


def test_the_leaderboard_lacks_some_answers() -> None:
    module = generator("demo_leaderboard")
    made = module.leaderboard()
    assert set(made["score"]) == {0, 1}
    answers = made["system"].value_counts()
    assert answers[module.SHORT] == 138
    assert set(answers.drop(module.SHORT)) == {150}
    means = made.groupby("system")["score"].mean()
    assert (means.idxmax(), means.idxmin()) == ("Ash", "Yew")
