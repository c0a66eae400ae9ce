"""How near bounds come to the best order of 100 simulated systems, in seconds of processor time.

Campaigns after Koehn (2012), 100 systems: with the spread that his text states (a variance of 10)
and with the one that matches his tables (a standard deviation of 10), from few judgments to many.
Ways: the triangle rows by the simplex method, by interior points, and by interior points with
Möbius ladders (what `feedback_arc_set` does), and CP-SAT with all triangles and the best order as a
hint (where `ortools` is installed). Prints each way's bound and its gap to the best order known at
some marks of processor time, which a busy machine does not stretch, and writes them to
``results/bounds.csv``. Needs up to LIMIT seconds a way; as arguments: LIMIT, ways by number.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from bench_tournament import campaign

from rankstability.rank import feedback, feedback_bounds, feedback_cuts

RESULTS = Path(__file__).parent / "results" / "bounds.csv"
CAMPAIGNS = (  # judgments, spread
    (100_000, 10**0.5),
    (100_000, 5.0),
    (400_000, 10.0),
    (100_000, 10.0),
)
MARKS = (2, 5, 10, 20, 60, 120, 300)  # seconds of processor time


class Trace(list):
    """Pairs of processor seconds since the start and a bound."""

    def __init__(self, limit: float) -> None:
        self.start, self.limit = time.process_time(), limit

    def more(self, value: float) -> bool:
        """Note a bound; whether time is left."""
        self.append((time.process_time() - self.start, value))
        return self[-1][0] < self.limit


def simplex(weights, upper, trace):
    class Traced(feedback_bounds.LinearProgram):
        def separate(self, most):
            return super().separate(most) if trace.more(self.value) else 0

    program = Traced(weights)
    program.solve(upper, np.inf)
    trace.more(program.value)


def interior(weights, upper, trace, few=feedback_cuts.FEW):
    class Traced(feedback_cuts.CuttingPlanes):
        def _separate(self, rng):
            return trace.more(self.value) and super()._separate(rng)

    feedback_cuts.FEW, before = few, feedback_cuts.FEW
    planes = Traced(weights)
    planes.solve(upper, np.inf)
    trace.more(planes.value)
    feedback_cuts.FEW = before


def cp_sat(weights, upper, trace, order):
    from ortools.sat.python import cp_model

    above, _, columns = feedback_bounds.triangle_rows(len(weights))
    model, place = cp_model.CpModel(), np.argsort(order)
    x = [model.new_bool_var("") for _ in above[0]]
    for ij, jm, im in columns.tolist():
        model.add_bool_or([x[ij].negated(), x[jm].negated(), x[im]])
        model.add_bool_or([x[ij], x[jm], x[im].negated()])
    for variable, first in zip(x, place[above[0]] < place[above[1]], strict=True):
        model.add_hint(variable, bool(first))
    cost = (weights.T - weights)[above].tolist()
    model.minimize(sum(c * v for c, v in zip(cost, x, strict=True)) + int(weights[above].sum()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    trace.start = time.process_time()
    solver.parameters.max_time_in_seconds = trace.limit
    solver.solve(model)
    trace.more(solver.best_objective_bound)


WAYS = {
    "triangles, simplex": lambda w, upper, trace, order: simplex(w, upper, trace),
    "triangles, interior points": lambda w, upper, trace, order: interior(w, upper, trace, 0),
    "triangles and ladders, interior points": lambda w, upper, trace, order: interior(
        w, upper, trace
    ),
    "CP-SAT": cp_sat,
}


def run(way, weights, best, limit, order):
    """The trace of a way, or why it is not here."""
    trace = Trace(limit)
    try:
        WAYS[way](weights, best, trace, order)
    except ImportError as missing:
        return str(missing)
    return list(trace)


def rows_of(label, weights, limit, ways):
    """One row per way and mark."""
    start = time.process_time()
    listed = np.argsort(weights.sum(0) - weights.sum(1), kind="stable")
    weights = weights[np.ix_(listed, listed)]  # as `feedback_arc_set` has them
    order = feedback.insertion_search(weights, np.arange(len(weights)))
    order = feedback.iterated_search(weights, order, np.inf, *feedback.MUCH)
    best, searched = feedback.order_cost(weights, order), time.process_time() - start
    for way in ways:
        with multiprocessing.get_context("fork").Pool(1) as apart:  # two solvers hold HiGHS
            trace = apart.apply(run, (way, weights, best, limit, order))
        if isinstance(trace, str):
            print(f"without {way}: {trace}", file=sys.stderr)
            continue
        for mark in [m for m in MARKS if m <= limit]:
            reached = [(at, value) for at, value in trace if at <= mark * 1.05]
            if reached:
                at, bound = reached[-1]
                gap = 100 * max(0.0, 1 - np.ceil(bound - 1e-6) / best)
                yield label, way, mark, round(at, 1), round(bound, 2), best, round(gap, 2)
            if reached and (gap == 0 or trace[-1][0] <= mark):
                break
    print(f"{label}: best order {best} after {searched:.1f} s", file=sys.stderr)


def main() -> None:
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 300.0
    ways = [list(WAYS)[int(i)] for i in sys.argv[2:]] or list(WAYS)
    rows = []
    for judgments, spread in CAMPAIGNS:
        label = f"100 systems, {judgments} judgments, spread {spread:.3g}"
        for row in rows_of(label, campaign(100, judgments, spread), limit, ways):
            rows.append(row)
            print(*row, sep="  ", flush=True)
    columns = ["work", "method", "mark", "cpu_seconds", "bound", "best_order", "gap_percent"]
    RESULTS.parent.mkdir(exist_ok=True)
    pd.DataFrame(rows, columns=columns).to_csv(RESULTS, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
