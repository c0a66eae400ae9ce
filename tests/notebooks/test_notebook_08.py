"""Notebook 08 on the demo campaign, by the way users run it."""

from __future__ import annotations

import pandas as pd
import pytest

from rankcompanion import run, tournament
from rankstability.read import campaigns


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("08")
    run.execute("08_tournament", {"output_dir": str(folder)}, quiet=True)
    return folder


def test_tasks_say_what_no_ranking_can_avoid(results):
    tasks = pd.read_csv(results / "tasks.csv", dtype={"acyclic": str})
    judged = campaigns.load_rr(campaigns.find("demo-rr"))
    solved = tournament.solve_tasks(judged)
    assert list(tasks["task"]) == list(solved)
    assert set(tasks["acyclic"]) <= {"true", "false"}
    for row in tasks.itertuples():
        assert row.optimal_cost == solved[row.task].mfas.cost
        assert row.optima == solved[row.task].mfas.n_optima >= 1
        assert (row.acyclic == "true") == (row.optimal_cost == 0)
        assert row.optimal_cost <= min(row.cost_wmt_official, row.cost_heuristic2, row.cost_bojar)
    assert (tasks["acyclic"] == "false").any()  # the demo has a cycle to show


def test_certificates_add_up_to_the_costs(results):
    tasks = pd.read_csv(results / "tasks.csv").set_index("task")
    violated = pd.read_csv(results / "violations.csv")
    sums = violated.groupby(["task", "method"])["weight"].sum()
    for task, row in tasks.iterrows():
        assert sums.get((task, "mfas"), 0) == row["optimal_cost"]
        assert sums.get((task, "heuristic2"), 0) == row["cost_heuristic2"]


def test_the_drawn_edges_are_the_certificate(results):
    edges = pd.read_csv(results / "tournament.csv")
    tasks = pd.read_csv(results / "tasks.csv")
    assert edges.loc[edges["violated"] == 1, "weight"].sum() == tasks["optimal_cost"].max()
    assert (edges.loc[edges["violated"] == 1, "in_cycle"] == 1).all()


def test_one_pair_writes_to_its_own_folder(results, tmp_path):
    given = {"output_dir": str(tmp_path), "pair": "en-de"}
    run.execute("08_tournament", given, quiet=True)
    one = pd.read_csv(tmp_path / "en-de" / "tasks.csv")
    every = pd.read_csv(results / "tasks.csv")
    pd.testing.assert_frame_equal(
        one, every[every["task"] == "en-de"].reset_index(drop=True), check_dtype=False
    )
    assert not (tmp_path / "tasks.csv").exists()
