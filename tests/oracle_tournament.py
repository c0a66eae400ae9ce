"""The minimum feedback arc set by igraph's integer program."""

import numpy as np


def by_igraph(weights: np.ndarray) -> int:
    import igraph

    rows, columns = np.nonzero(weights)
    graph = igraph.Graph(
        n=len(weights), edges=list(zip(rows.tolist(), columns.tolist(), strict=True)), directed=True
    )
    graph.es["weight"] = weights[rows, columns].tolist()
    chosen = graph.feedback_arc_set(weights="weight", method="ip")
    return int(sum(graph.es[e]["weight"] for e in chosen))
