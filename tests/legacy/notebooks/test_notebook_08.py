"""Notebook 08 on the demo campaign, by the way users run it."""

import pandas as pd

from companion.legacy.rankcompanion.running import run


def test_tables_fit_each_other(tmp_path):
    results = run.execute("08_tournament", {"output_dir": str(tmp_path)}, quiet=True)
    tasks = pd.read_csv(results / "tasks.csv", dtype={"acyclic": str}).set_index("task")
    assert (
        tasks["acyclic"] == (tasks["optimal_cost"] == 0).map({True: "true", False: "false"})
    ).all()
    assert (tasks["acyclic"] == "false").any()  # the demo has a cycle to show
    costs = ["cost_wmt_official", "cost_heuristic2", "cost_bojar"]
    assert (tasks[costs].min(axis=1) >= tasks["optimal_cost"]).all() and (
        tasks["optima"] >= 1
    ).all()
    violated = pd.read_csv(results / "violations.csv")
    sums = violated.groupby(["task", "method"])["weight"].sum()
    for task, row in tasks.iterrows():
        assert sums.get((task, "mfas"), 0) == row["optimal_cost"]
        assert sums.get((task, "heuristic2"), 0) == row["cost_heuristic2"]
    edges = pd.read_csv(results / "tournament.csv")
    drawn = edges[edges["violated"] == 1]
    assert drawn["weight"].sum() == tasks["optimal_cost"].max() and (drawn["in_cycle"] == 1).all()
    assert pd.read_csv(results / "claims.csv").empty  # the paper says nothing of the demo
